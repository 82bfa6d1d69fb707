// SPDX-License-Identifier: Apache-2.0
// The nearest elements of images at places of a grid, as many as lie around those of vectors
// and of blocks, in the middle between two, outside and nowhere: those of a loop over places.
// And what lies between 4 x 4 elements.
#include "support/tensors.h"

enum {
  LINEAR = 0,
  NEAREST = 1,
  CUBIC = 2,
  ZEROS = 0,
  BORDER = 1,
  REFLECTION = 2,
  SAMPLES = 2,
  CHANNELS = 3,
  MOST = 1 << 13
};

typedef struct how {
  int64_t high, wide, places, padding;
  bool aligns, is_double;
} how;

static double rounded(const how* h, double x) {
  return h->is_double ? x : (double)(float)x;
}

static double scaled(const how* h, double x, int64_t size) {
  x = rounded(h, x + 1);
  return h->aligns ? rounded(h, rounded(h, x / 2) * (double)(size - 1))
                   : rounded(h, rounded(h, x * (double)size) - 1) / 2;
}

// Mirrored at both ends.
static double mirrored(const how* h, double x, int64_t size) {
  const double low = h->aligns ? 0 : -0.5, high = (double)size - 1 - low;
  if (low == high) return 0;
  while (x < low || x > high) x = rounded(h, x < low ? 2 * low - x : 2 * high - x);
  return x;
}

// Along one dimension; -1: outside.
static int64_t cell(const how* h, double x, int64_t size) {
  x = scaled(h, x, size);
  if (h->padding == REFLECTION) x = mirrored(h, x, size);
  if (h->padding != ZEROS) x = fmin(fmax(x, 0), (double)(size - 1));
  const double near = nearbyint(x);  // halves to even
  return near >= 0 && near < (double)size ? (int64_t)near : -1;
}

static double coordinate(const how* h, int64_t i) {
  if (h->padding == ZEROS && i % 41 == 7) return NAN;
  if (h->padding != REFLECTION && i % 29 == 3) return i % 2 ? 1e30 : -1e30;
  if (i % 5 == 0) return (double)(i % 17 - 8) / 8;  // many are halves
  return rounded(h, (double)(i * 7919 % 1013 - 500) / 431);
}

static oy_tensor* tensor_of(const how* h, const double* x, oy_ints sizes) {
  oy_tensor* t = oy_scope_take(oy_tensor_from_data(x, sizes, OY_DTYPE_F64));
  return h->is_double ? t : oy_to_dtype(t, OY_DTYPE_F32, false, false, oy_none());
}

static void check(const how* h) {
  static double image[MOST], grid[MOST];
  const int64_t size = h->high * h->wide;
  assert_true(SAMPLES * CHANNELS * size <= MOST && SAMPLES * h->places * 2 <= MOST);
  for (int64_t i = 0; i < SAMPLES * CHANNELS * size; i++)
    image[i] = i % 31 == 4 ? NAN : i % 31 == 8 ? -0.0 : (double)i;
  for (int64_t i = 0; i < SAMPLES * h->places * 2; i++) grid[i] = coordinate(h, i);
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = tensor_of(h, image, OY_DIMS(SAMPLES, CHANNELS, h->high, h->wide));
  oy_tensor* at = tensor_of(h, grid, OY_DIMS(SAMPLES, 1, h->places, 2));
  oy_tensor* got = oy_grid_sampler_2d(x, at, NEAREST, h->padding, h->aligns);
  assert_non_null(got);
  got = oy_to_dtype(got, OY_DTYPE_F64, false, false, oy_none());
  const double* found = oy_tensor_data(got);
  for (int64_t i = 0; i < SAMPLES * CHANNELS * h->places; i++) {
    const int64_t plane = i / h->places, n = plane / CHANNELS, p = i % h->places;
    const double* from = grid + (n * h->places + p) * 2;
    const int64_t left = cell(h, from[0], h->wide), top = cell(h, from[1], h->high);
    const double want =
        left < 0 || top < 0 ? 0 : image[plane * size + top * h->wide + left];
    if (isnan(want) ? isnan(found[i])
                    : found[i] == want && signbit(found[i]) == signbit(want))
      continue;
    print_error(
        "%d x %d, %d places, padding %d, aligns %d, double %d, at %d: %g, not %g\n",
        (int)h->high, (int)h->wide, (int)h->places, (int)h->padding, h->aligns,
        h->is_double, (int)i, found[i], want);
    fail();
  }
  oy_scope_close(&scope);
}

// How much the element |k| of four weighs where the second is |t| before the place.
static double cubic(double t, int k) {
  const double a = -0.75, d = fabs(t + 1 - k);
  return d <= 1 ? ((a + 2) * d - (a + 3)) * d * d + 1
                : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
}

// How that changes with |t|.
static double cubic_slope(double t, int k) {
  const double a = -0.75, d = fabs(t + 1 - k), sign = t + 1 - k < 0 ? -1 : 1;
  return sign * (d <= 1 ? (3 * (a + 2) * d - 2 * (a + 3)) * d
                        : (3 * a * d - 10 * a) * d + 8 * a);
}

// The elements that a place sees, -1 outside; what they weigh, and how that changes with each
// coordinate.
typedef struct taps {
  int64_t at[16];
  double weight[16], right[16], down[16];
} taps;

static taps taps_of(const how* h, double right, double down) {
  const double x = scaled(h, right, h->wide), y = scaled(h, down, h->high);
  const double to_x = (double)(h->aligns ? h->wide - 1 : h->wide) / 2;
  const double to_y = (double)(h->aligns ? h->high - 1 : h->high) / 2;
  taps made;
  for (int k = 0; k < 16; k++) {
    double i = floor(x) - 1 + k % 4, j = floor(y) - 1 + k / 4;
    const double across = cubic(x - floor(x), k % 4), along = cubic(y - floor(y), k / 4);
    made.weight[k] = across * along;
    made.right[k] = cubic_slope(x - floor(x), k % 4) * along * to_x;
    made.down[k] = across * cubic_slope(y - floor(y), k / 4) * to_y;
    if (h->padding == REFLECTION)
      i = mirrored(h, i, h->wide), j = mirrored(h, j, h->high);
    if (h->padding != ZEROS) {
      i = fmin(fmax(i, 0), (double)(h->wide - 1));
      j = fmin(fmax(j, 0), (double)(h->high - 1));
    }
    const bool is_outside =
        i < 0 || j < 0 || i >= (double)h->wide || j >= (double)h->high;
    made.at[k] = is_outside ? -1 : (int64_t)j * h->wide + (int64_t)i;
  }
  return made;
}

static double weighed(const double weights[16], const taps* t, const double* image) {
  double sum = 0;
  for (int k = 0; k < 16; k++)
    if (t->at[k] >= 0) sum += weights[k] * image[t->at[k]];
  return sum;
}

static double between(const how* h, const double* image, double right, double down) {
  const taps t = taps_of(h, right, down);
  return weighed(t.weight, &t, image);
}

static void assert_near(const how* h, oy_tensor* got, const double* want) {
  got = oy_to_dtype(got, OY_DTYPE_F64, false, false, oy_none());
  const double *found = oy_tensor_data(got), limit = h->is_double ? 1e-9 : 1e-3;
  for (int64_t i = 0; i < oy_tensor_numel(got); i++) {
    if (fabs(want[i] - found[i]) <= limit * (1 + fabs(want[i]))) continue;
    print_error("%d x %d, padding %d, aligns %d, double %d, at %d: %g, not %g\n",
                (int)h->high, (int)h->wide, (int)h->padding, h->aligns, h->is_double,
                (int)i, found[i], want[i]);
    fail();
  }
}

// With the gradient of the image, and without.
static void check_cubic_gradients(const how* h, const double* image, const double* grid,
                                  oy_tensor* x, oy_tensor* at) {
  static double grads[MOST], to_image[MOST], to_grid[MOST];
  const int64_t size = h->high * h->wide;
  memset(to_image, 0, sizeof(to_image));
  memset(to_grid, 0, sizeof(to_grid));
  for (int64_t i = 0; i < SAMPLES * CHANNELS * h->places; i++) {
    const int64_t plane = i / h->places;
    const int64_t place = plane / CHANNELS * h->places + i % h->places;
    const taps t = taps_of(h, grid[2 * place], grid[2 * place + 1]);
    grads[i] = (double)(i * 13 % 11 - 5);
    for (int k = 0; k < 16; k++)
      if (t.at[k] >= 0) to_image[plane * size + t.at[k]] += t.weight[k] * grads[i];
    to_grid[2 * place] += weighed(t.right, &t, image + plane * size) * grads[i];
    to_grid[2 * place + 1] += weighed(t.down, &t, image + plane * size) * grads[i];
  }
  oy_tensor* g = tensor_of(h, grads, OY_DIMS(SAMPLES, CHANNELS, 1, h->places));
  for (int i = 0; i < 2; i++) {
    bool mask[2] = {i == 0, true};
    oy_tensor *gx, *gp;
    assert_int_equal(oy_grid_sampler_2d_backward(g, x, at, CUBIC, h->padding, h->aligns,
                                                 (oy_bools){mask, 2}, &gx, &gp),
                     OY_OK);
    if (mask[0]) assert_near(h, gx, to_image);
    assert_near(h, gp, to_grid);
  }
}

static void check_cubic(const how* h) {
  static double image[MOST], grid[MOST];
  const int64_t size = h->high * h->wide;
  for (int64_t i = 0; i < SAMPLES * CHANNELS * size; i++)
    image[i] = (double)(i * 31 % 17 - 8);
  for (int64_t i = 0; i < SAMPLES * h->places * 2; i++)
    grid[i] = rounded(h, (double)(i * 7919 % 1013 - 500) / (i % 3 ? 431 : 101));
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = tensor_of(h, image, OY_DIMS(SAMPLES, CHANNELS, h->high, h->wide));
  oy_tensor* at = tensor_of(h, grid, OY_DIMS(SAMPLES, 1, h->places, 2));
  oy_tensor* got = oy_grid_sampler_2d(x, at, CUBIC, h->padding, h->aligns);
  assert_non_null(got);
  got = oy_to_dtype(got, OY_DTYPE_F64, false, false, oy_none());
  const double *found = oy_tensor_data(got), limit = h->is_double ? 1e-9 : 1e-3;
  for (int64_t i = 0; i < SAMPLES * CHANNELS * h->places; i++) {
    const int64_t plane = i / h->places, p = i % h->places;
    const double* from = grid + (plane / CHANNELS * h->places + p) * 2;
    const double want = between(h, image + plane * size, from[0], from[1]);
    if (fabs(want - found[i]) <= limit) continue;
    print_error("%d x %d, padding %d, aligns %d, double %d, at %d: %g, not %g\n",
                (int)h->high, (int)h->wide, (int)h->padding, h->aligns, h->is_double,
                (int)i, found[i], want);
    fail();
  }
  check_cubic_gradients(h, image, grid, x, at);
  oy_scope_close(&scope);
}

static void cubic_polynomials(void** state) {
  (void)state;
  static const int64_t shapes[][2] = {{1, 1}, {1, 9}, {6, 1}, {4, 4}, {4, 5}, {16, 33}};
  for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++)
    for (int i = 0; i < 12; i++)
      check_cubic(&(how){shapes[s][0], shapes[s][1], 70 + i, i % 3, (i / 3 & 1) != 0,
                         i / 6 != 0});
}

static void nearest_elements(void** state) {
  (void)state;
  static const int64_t places[] = {1, 3, 4, 7, 8, 9, 17, 33, 127, 128, 129, 300};
  static const int64_t shapes[][2] = {{1, 1}, {1, 9}, {6, 1}, {4, 5}, {16, 33}};
  for (size_t k = 0; k < sizeof(places) / sizeof(*places); k++)
    for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++)
      for (int i = 0; i < 12; i++)
        check(&(how){shapes[s][0], shapes[s][1], places[k], i % 3, (i / 3 & 1) != 0,
                     i / 6 != 0});
}

// Far out is 0 with zeros around; at no number and at infinity is NaN, as PyTorch 1.13 has it,
// but for the nearest element, of which there is none.
static void nowhere(void** state) {
  (void)state;
  oy_tensor* x = F32(OY_DIMS(1, 1, 2, 2), 1, 2, 3, 4);
  oy_tensor* at =
      F32(OY_DIMS(1, 1, 6, 2), 0, 0, NAN, 0, 0, INFINITY, -INFINITY, 9, 1e30f, 0, -7, 2);
  oy_tensor* got = oy_grid_sampler_2d(x, at, LINEAR, ZEROS, false);
  oy_tensor* nearest = oy_grid_sampler_2d(x, at, NEAREST, ZEROS, false);
  assert_true(element(got, 0) == 2.5);
  for (int i = 1; i < 6; i++) {
    assert_true(i < 4 ? isnan(element(got, i)) : element(got, i) == 0);
    assert_true(element(nearest, i) == 0);
  }
  oy_tensor_release(x), oy_tensor_release(at);
  oy_tensor_release(got), oy_tensor_release(nearest);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nearest_elements),
                                     cmocka_unit_test(cubic_polynomials),
                                     cmocka_unit_test(nowhere)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
