// SPDX-License-Identifier: Apache-2.0
// Pools. Expected values are those of PyTorch 1.13 for an image of (i * 7) % 11.
#include <math.h>

#include "support/tensors.h"

static oy_tensor* image(void) {
  oy_tensor* t = oy_tensor_empty(OY_DIMS(1, 2, 4, 4), OY_DTYPE_F32, oy_device_cpu());
  for (int i = 0; i < 32; i++) ((float*)oy_tensor_data(t))[i] = (float)((i * 7) % 11);
  return t;
}

static void release(oy_tensor** all, size_t count) {
  for (size_t i = 0; i < count; i++) oy_tensor_release(all[i]);
}
#define RELEASE(...)                   \
  release((oy_tensor*[]){__VA_ARGS__}, \
          sizeof((oy_tensor*[]){__VA_ARGS__}) / sizeof(oy_tensor*))

#define ONE OY_DIMS(1)
#define TWO OY_DIMS(2)
// A stride that is not given: that of the kernel.
static const int64_t g_nothing = 0;
static const oy_ints g_kernel = {&g_nothing, 0};

static void maxima(void** state) {
  (void)state;
  oy_tensor *x = image(), *v, *i, *d, *di, *a, *ai, *c, *ci;
  assert_int_equal(
      oy_max_pool2d_with_indices(x, OY_DIMS(3), TWO, ONE, ONE, false, &v, &i), OY_OK);
  assert_elements(v, OY_DIMS(1, 2, 2, 2), 7, 10, 8, 10, 9, 9, 10, 10);
  assert_elements(i, OY_DIMS(1, 2, 2, 2), 1, 3, 9, 14, 1, 1, 9, 9);
  assert_int_equal(
      oy_max_pool2d_with_indices(x, TWO, TWO, OY_DIMS(0), TWO, true, &d, &di), OY_OK);
  assert_elements(d, OY_DIMS(1, 2, 2, 2), 4, 4, 4, 4, 6, 6, 6, 6);
  assert_int_equal(oy_adaptive_max_pool2d(x, OY_DIMS(3, 2), &a, &ai), OY_OK);
  assert_elements(a, OY_DIMS(1, 2, 3, 2), 7, 10, 8, 9, 8, 10, 9, 7, 10, 7, 10, 8);
  assert_elements(ai, OY_DIMS(1, 2, 3, 2), 1, 3, 9, 6, 9, 14, 1, 7, 9, 7, 9, 15);
  assert_int_equal(
      oy_max_pool3d_with_indices(x, TWO, g_kernel, OY_DIMS(0), ONE, false, &c, &ci),
      OY_OK);
  assert_elements(c, OY_DIMS(1, 1, 2, 2), 9, 10, 10, 10);
  assert_elements(ci, OY_DIMS(1, 1, 2, 2), 17, 3, 25, 14);
  oy_tensor* g = F32(OY_DIMS(1, 2, 2, 2), 1, 1, 1, 1, 1, 1, 1, 1);
  oy_tensor* back =
      oy_max_pool2d_with_indices_backward(g, x, OY_DIMS(3), TWO, ONE, ONE, false, i);
  assert_elements(back, OY_DIMS(1, 2, 4, 4), 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1,
                  0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0);
  oy_tensor* without = oy_max_pool2d(x, OY_DIMS(3), TWO, ONE, ONE, false);
  assert_elements(without, OY_DIMS(1, 2, 2, 2), 7, 10, 8, 10, 9, 9, 10, 10);
  oy_tensor* line = F32(OY_DIMS(1, 4), 0, 7, 3, 10);
  oy_tensor* one = oy_max_pool1d(line, TWO, g_kernel, OY_DIMS(0), ONE, false);
  assert_elements(one, OY_DIMS(1, 2), 7, 10);
  RELEASE(x, v, i, d, di, a, ai, c, ci, g, back, without, line, one);
}

static void averages(void** state) {
  (void)state;
  oy_tensor* x = image();
  oy_tensor* padded = oy_avg_pool2d(x, OY_DIMS(3), TWO, ONE, false, true, oy_none());
  assert_close(padded, OY_DIMS(1, 2, 2, 2), 1e-5, 1.666667, 4, 3, 5.222222, 2.555556,
               2.888889, 4.333333, 4.777778);
  oy_tensor* clipped = oy_avg_pool2d(x, OY_DIMS(3), TWO, ONE, true, false, oy_none());
  assert_close(clipped, OY_DIMS(1, 2, 3, 3), 1e-5, 3.75, 6, 7.5, 4.5, 5.222222, 3.666667,
               5, 6.333333, 6, 5.75, 4.333333, 4, 6.5, 4.777778, 5.666667, 7, 4.666667,
               8);
  oy_tensor* thirds = oy_avg_pool2d(x, TWO, g_kernel, OY_DIMS(0), false, true, oy_int(3));
  assert_close(thirds, OY_DIMS(1, 2, 2, 2), 1e-5, 5, 9, 6.333333, 6.666667, 7.666667,
               4.333333, 9, 5.666667);
  oy_tensor* cube = oy_avg_pool3d(x, TWO, g_kernel, OY_DIMS(0), false, true, oy_none());
  assert_elements(cube, OY_DIMS(1, 1, 2, 2), 4.75, 5, 5.75, 4.625);
  oy_tensor* adaptive = oy_adaptive_avg_pool2d(x, OY_DIMS(3, 2));
  assert_elements(adaptive, OY_DIMS(1, 2, 3, 2), 3.75, 6.75, 4.25, 4.5, 4.75, 5, 5.75,
                  3.25, 6.25, 3.75, 6.75, 4.25);
  oy_tensor* g = F32(OY_DIMS(1, 2, 2, 2), 9, 9, 9, 9, 9, 9, 9, 9);
  oy_tensor* back =
      oy_avg_pool2d_backward(g, x, OY_DIMS(3), TWO, ONE, false, true, oy_none());
  assert_elements(back, OY_DIMS(1, 2, 4, 4), 1, 2, 1, 1, 2, 4, 2, 2, 1, 2, 1, 1, 1, 2, 1,
                  1, 1, 2, 1, 1, 2, 4, 2, 2, 1, 2, 1, 1, 1, 2, 1, 1);
  oy_tensor* ones =
      oy_ones_like(adaptive, oy_none(), oy_none(), oy_none(), oy_none(), oy_none());
  oy_tensor* spread = oy__adaptive_avg_pool2d_backward(ones, x);
  assert_elements(spread, OY_DIMS(1, 2, 4, 4), .25, .25, .25, .25, .5, .5, .5, .5, .5, .5,
                  .5, .5, .25, .25, .25, .25, .25, .25, .25, .25, .5, .5, .5, .5, .5, .5,
                  .5, .5, .25, .25, .25, .25);
  oy_tensor* line = F32(OY_DIMS(1, 4), 0, 7, 3, 10);
  oy_tensor* one = oy_avg_pool1d(line, OY_DIMS(3), ONE, ONE, false, true);
  assert_close(one, OY_DIMS(1, 4), 1e-5, 2.333333, 3.333333, 6.666667, 4.333333);
  oy_tensor* half = oy_adaptive_avg_pool1d(line, TWO);
  assert_elements(half, OY_DIMS(1, 2), 3.5, 6.5);
  RELEASE(x, padded, clipped, thirds, cube, adaptive, g, back, ones, spread, line, one,
          half);
}

// The layout of the input is that of the output, and the result is the same.
static void channels_last(void** state) {
  (void)state;
  oy_tensor* x = image();
  oy_tensor* last = oy_clone(x, oy_int(OY_MEMORY_CHANNELS_LAST));
  oy_tensor* a = oy_avg_pool2d(last, TWO, g_kernel, OY_DIMS(0), false, true, oy_int(1));
  assert_true(oy_tensor_is_contiguous(a, OY_MEMORY_CHANNELS_LAST));
  oy_tensor* b = oy_contiguous(a, OY_MEMORY_CONTIGUOUS);
  assert_elements(b, OY_DIMS(1, 2, 2, 2), 15, 27, 19, 20, 23, 13, 27, 17);
  RELEASE(x, last, a, b);
}

static void what_does_not_fit_is_refused(void** state) {
  (void)state;
  oy_tensor* x = F32(OY_DIMS(1, 2, 2), 1, 2, 3, 4);
  oy_tensor* flat = F32(OY_DIMS(2, 2), 1, 2, 3, 4);
  oy_ints zero = OY_DIMS(0);
#define MAX(input, kernel, stride, padding) \
  oy_max_pool2d(input, kernel, stride, padding, ONE, false)
  assert_fails(MAX(flat, TWO, g_kernel, zero),
               "non-empty 3D or 4D (batch mode) tensor expected for input");
  assert_fails(
      MAX(x, OY_DIMS(3), g_kernel, zero),
      "Given input size: (1x2x2). Calculated output size: (1x0x0). Output size is "
      "too small");
  assert_fails(MAX(x, OY_DIMS(2, 2, 2), g_kernel, zero),
               "max_pool2d: kernel_size must either be a single int, or a tuple of two "
               "ints");
  assert_fails(MAX(x, TWO, zero, zero), "stride should not be zero");
  assert_fails(MAX(x, TWO, g_kernel, OY_DIMS(-1)),
               "pad must be non-negative, but got pad: -1");
  assert_fails(oy_avg_pool2d(x, TWO, g_kernel, zero, false, true, oy_int(0)),
               "divisor must be not zero");
  assert_fails(oy__adaptive_avg_pool2d(flat, TWO),
               "adaptive_avg_pool2d: output_size must be 2");
  assert_fails(oy__adaptive_avg_pool2d(flat, OY_DIMS(2, 2)),
               "adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got [2, 2]");
  // An index that is no place of the input is an error, and nothing is written there.
  oy_tensor* far = I64(OY_DIMS(1, 1, 1), 99);
  oy_tensor* g = F32(OY_DIMS(1, 1, 1), 1);
  assert_null(oy_max_pool2d_with_indices_backward(g, x, TWO, TWO, zero, ONE, false, far));
  oy_error_clear();
  RELEASE(x, flat, far, g);
}

// Long lines, whose windows are taken several at a time: expected is what the definition
// says, and that a NaN is greater than all numbers.
typedef struct line_case {
  int64_t size, kernel, stride, padding, dilation, places;
} line_case;
static const line_case g_lines[] = {
    {131, 2, 2, 0, 1, 65},
    {131, 3, 2, 1, 1, 66},
    {132, 3, 1, 1, 1, 132},
    {100, 5, 1, 2, 3, 92},
    {200, 4, 3, 2, 1, 67},
    {257, 7, 5, 3, 2, 51},
    {70, 2, 2, 1, 1, 36},
    {33, 33, 1, 0, 1, 1},
    {300, 3, 2, 0, 4, 146},
    // a vector of windows, and little more
    {28, 2, 1, 0, 1, 27},
    {9, 2, 1, 0, 1, 8},
    {10, 3, 1, 1, 1, 10},
    {17, 2, 2, 0, 1, 8},
    {5, 3, 1, 0, 1, 3},
    {26, 3, 3, 1, 1, 9},
    {31, 4, 2, 1, 3, 12},
};

static double number_at(int64_t i) {
  return i % 97 == 96 ? NAN : i % 13 == 5 ? -INFINITY : (double)(i * 37 % 101) - 50;
}

static double greatest(const line_case* c, int64_t line, int64_t place) {
  double best = -INFINITY;
  for (int64_t j = 0; j < c->kernel; j++) {
    const int64_t at = place * c->stride - c->padding + j * c->dilation;
    if (at < 0 || at >= c->size) continue;
    const double x = number_at(line * c->size + at);
    if (x > best || isnan(x)) best = x;
  }
  return best;
}

static void check_lines(const line_case* c, oy_dtype dtype) {
  oy_tensor* x = oy_tensor_empty(OY_DIMS(3, c->size), OY_DTYPE_F64, oy_device_cpu());
  for (int64_t i = 0; i < 3 * c->size; i++)
    ((double*)oy_tensor_data(x))[i] = number_at(i);
  oy_tensor* cast = oy_to_dtype(x, dtype, false, false, oy_none());
  oy_tensor* y = oy_max_pool1d(cast, OY_DIMS(c->kernel), OY_DIMS(c->stride),
                               OY_DIMS(c->padding), OY_DIMS(c->dilation), false);
  assert_non_null(y);
  oy_tensor* wide = oy_to_dtype(y, OY_DTYPE_F64, false, false, oy_none());
  assert_int_equal(oy_tensor_sizes(wide).data[1], c->places);
  for (int64_t i = 0; i < 3 * c->places; i++) {
    const double want = greatest(c, i / c->places, i % c->places);
    const double got = ((double*)oy_tensor_data(wide))[i];
    assert_true(got == want || (isnan(got) && isnan(want)));
  }
  RELEASE(x, cast, y, wide);
}

static void long_lines(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof(g_lines) / sizeof(*g_lines); i++) {
    check_lines(&g_lines[i], OY_DTYPE_F32);
    check_lines(&g_lines[i], OY_DTYPE_F64);
  }
}

// Of windows of many elements too, the first of the greatest or the last NaN is the place.
static void check_wide_window(int64_t width, int what, oy_dtype dtype) {
  enum { HEIGHT = 5 };
  oy_tensor* x =
      oy_tensor_empty(OY_DIMS(1, HEIGHT, width), OY_DTYPE_F64, oy_device_cpu());
  double* data = oy_tensor_data(x);
  int64_t place = 0;
  for (int64_t k = 0; k < HEIGHT * width; k++) {
    data[k] = what == 0   ? -INFINITY
              : what == 3 ? (k % 3 ? 0.0 : -0.0)
                          : (double)(k * 29 % 31 + (k == 3 * width - 1 ? 40 : 0));
    if (what == 2 && k % 41 == 7) data[k] = NAN;
    if (data[k] > data[place] || isnan(data[k])) place = k;
  }
  oy_tensor *cast = oy_to_dtype(x, dtype, false, false, oy_none()), *v, *i;
  assert_int_equal(oy_adaptive_max_pool2d(cast, OY_DIMS(1, 1), &v, &i), OY_OK);
  assert_int_equal(((int64_t*)oy_tensor_data(i))[0], place);
  const double got = element(v, 0), want = data[place];
  assert_true(isnan(want) ? isnan(got) : got == want && signbit(got) == signbit(want));
  RELEASE(v, i, cast, x);
}

static void wide_windows(void** state) {
  (void)state;
  for (int64_t width = 1; width < 70; width++)
    for (int what = 0; what < 4; what++) {
      check_wide_window(width, what, OY_DTYPE_F32);
      check_wide_window(width, what, OY_DTYPE_F64);
    }
}

// The gradient of windows along a line: an element has a share of each that it is in.
static void long_gradient(int64_t size, int64_t kernel, int64_t stride, int64_t places) {
  oy_tensor* x = oy_tensor_empty(OY_DIMS(1, 1, size), OY_DTYPE_F32, oy_device_cpu());
  oy_tensor* g = oy_tensor_empty(OY_DIMS(1, 1, places), OY_DTYPE_F32, oy_device_cpu());
  for (int64_t i = 0; i < places; i++)
    ((float*)oy_tensor_data(g))[i] = (float)((i + 1) * kernel);
  oy_tensor* back = oy_avg_pool2d_backward(g, x, OY_DIMS(1, kernel), OY_DIMS(1, stride),
                                           OY_DIMS(0), false, true, oy_none());
  assert_non_null(back);
  for (int64_t i = 0; i < size; i++) {
    double want = 0;
    for (int64_t k = 0; k < places; k++)
      if (i >= k * stride && i < k * stride + kernel) want += (double)(k + 1);
    assert_true(fabs(((float*)oy_tensor_data(back))[i] - want) < 1e-6 * (want + 1));
  }
  RELEASE(x, g, back);
}

// Of numbers one after the other the mean is in the middle.
static void long_averages(void** state) {
  (void)state;
  enum { SIZE = 130 };
  oy_tensor* x = oy_tensor_empty(OY_DIMS(1, SIZE), OY_DTYPE_F32, oy_device_cpu());
  for (int i = 0; i < SIZE; i++) ((float*)oy_tensor_data(x))[i] = (float)i;
  const int64_t cases[][2] = {{2, 2}, {3, 1}, {2, 3}, {5, 3}, {20, 3}, {64, 64}, {97, 5}};
  for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
    const int64_t kernel = cases[c][0], stride = cases[c][1];
    oy_tensor* y =
        oy_avg_pool1d(x, OY_DIMS(kernel), OY_DIMS(stride), OY_DIMS(0), false, true);
    const int64_t places = oy_tensor_sizes(y).data[1];
    assert_int_equal(places, (SIZE - kernel) / stride + 1);
    for (int64_t i = 0; i < places; i++) {
      const double middle = (double)(i * stride) + (double)(kernel - 1) / 2;
      assert_true(fabs(((float*)oy_tensor_data(y))[i] - middle) < 1e-4);
    }
    long_gradient(SIZE, kernel, stride, places);
    RELEASE(y);
  }
  RELEASE(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(maxima),        cmocka_unit_test(averages),
      cmocka_unit_test(channels_last), cmocka_unit_test(what_does_not_fit_is_refused),
      cmocka_unit_test(long_lines),    cmocka_unit_test(wide_windows),
      cmocka_unit_test(long_averages),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
