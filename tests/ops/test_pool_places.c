// SPDX-License-Identifier: Apache-2.0
// Maximum pools of images of every width around those of vectors, and the places of what they
// found: those of a loop over windows. Many elements are equal, some are NaN or -infinity. And
// averages, where the others are; and the gradients of maxima. Few images and many, whose channels
// lie apart or side by side.
#include "support/tensors.h"

enum { MOST = 1 << 12, FEW = 4, MANY = 70 };

typedef struct shape {
  int64_t image[2], kernel[2], padding[2], stride[2], dilation[2];
  bool is_adaptive;  // |kernel| is the size of the output
} shape;

static int64_t places(const shape* s, int d) {
  if (s->is_adaptive) return s->kernel[d];
  const int64_t reach = s->dilation[d] * (s->kernel[d] - 1) + 1;
  const int64_t room = s->image[d] + 2 * s->padding[d] - reach;
  return room < 0 ? 0 : room / s->stride[d] + 1;
}

static void range_of(const shape* s, int d, int64_t i, int64_t* from, int64_t* to) {
  if (s->is_adaptive) {
    *from = i * s->image[d] / s->kernel[d];
    *to = ((i + 1) * s->image[d] + s->kernel[d] - 1) / s->kernel[d];
    return;
  }
  *from = i * s->stride[d] - s->padding[d];
  *to = *from + (s->kernel[d] - 1) * s->dilation[d] + 1;
  while (*from < 0) *from += s->dilation[d];
  if (*to > s->image[d]) *to = s->image[d];
}

// The first of the greatest, or the last NaN; -infinity where a window sees padding alone.
static int64_t greatest(const shape* s, const double* image, int64_t y, int64_t x,
                        double* value_of) {
  int64_t top, bottom, left, right;
  range_of(s, 0, y, &top, &bottom);
  range_of(s, 1, x, &left, &right);
  int64_t at = top * s->image[1] + left;
  double best = -INFINITY;
  for (int64_t i = top; i < bottom; i += s->is_adaptive ? 1 : s->dilation[0])
    for (int64_t j = left; j < right; j += s->is_adaptive ? 1 : s->dilation[1]) {
      const double value = image[i * s->image[1] + j];
      if (value > best || isnan(value)) best = value, at = i * s->image[1] + j;
    }
  *value_of = best;
  return at;
}

static double drawn(int64_t i) {
  if (i * 2654435761 % 1009 < 20) return NAN;
  return i * 40503 % 13 < 3 ? -INFINITY : (double)(i * 7919 % 101 % 23 - 11);
}

// The mean of the elements that a window sees; 0 if there are none.
static double mean(const shape* s, const double* image, int64_t y, int64_t x) {
  int64_t top, bottom, left, right;
  range_of(s, 0, y, &top, &bottom);
  range_of(s, 1, x, &left, &right);
  double sum = 0;
  for (int64_t i = top; i < bottom; i++)
    for (int64_t j = left; j < right; j++) sum += image[i * s->image[1] + j];
  return top < bottom && left < right ? sum / (double)((bottom - top) * (right - left))
                                      : 0;
}

static void fail_at(const shape* s, oy_dtype dtype, int64_t i, double found,
                    double want) {
  print_error("%s, %d x %d by %d x %d, adaptive %d, at %d: %g, not %g\n",
              oy_dtype_name(dtype), (int)s->image[0], (int)s->image[1], (int)s->kernel[0],
              (int)s->kernel[1], s->is_adaptive, (int)i, found, want);
  fail();
}

static oy_tensor* plain(oy_tensor* x) {
  return oy_to_dtype(oy_contiguous(x, OY_MEMORY_CONTIGUOUS), OY_DTYPE_F64, false, false,
                     oy_none());
}

// What each window has, small whole numbers, goes to where its greatest element was.
static void check_gradients(const shape* s, oy_dtype dtype, oy_tensor* x, oy_tensor* at) {
  double grads[MOST], want[MOST] = {0};
  const oy_ints kernel = {s->kernel, 2}, stride = {s->stride, 2};
  const oy_ints padding = {s->padding, 2}, dilation = {s->dilation, 2};
  const int64_t n = oy_tensor_numel(at), size = s->image[0] * s->image[1];
  if (n > MOST) return;
  const int64_t places = n / (oy_tensor_numel(x) / size);
  oy_tensor* plain_at = oy_contiguous(at, OY_MEMORY_CONTIGUOUS);
  const int64_t* where = oy_tensor_data(plain_at);
  for (int64_t i = 0; i < n; i++) {
    grads[i] = (double)(i % 7 + 1);
    want[i / places * size + where[i]] += grads[i];
  }
  oy_tensor* g =
      oy_scope_take(oy_tensor_from_data(grads, oy_tensor_sizes(plain_at), OY_DTYPE_F64));
  g = oy_to_dtype(g, dtype, false, false, oy_none());
  oy_tensor* made = s->is_adaptive
                        ? oy_adaptive_max_pool2d_backward(g, x, at)
                        : oy_max_pool2d_with_indices_backward(
                              g, x, kernel, stride, padding, dilation, false, at);
  made = plain(made);
  const double* found = oy_tensor_data(made);
  for (int64_t i = 0; i < oy_tensor_numel(x); i++)
    if (found[i] != want[i]) fail_at(s, dtype, i, found[i], want[i]);
}

static void check_maxima(const shape* s, oy_dtype dtype, const double* images,
                         oy_tensor* x, int64_t high, int64_t wide) {
  const oy_ints kernel = {s->kernel, 2};
  oy_tensor *values, *at;
  oy_status status =
      s->is_adaptive ? oy_adaptive_max_pool2d(x, kernel, &values, &at)
                     : oy_max_pool2d_with_indices(
                           x, kernel, (oy_ints){s->stride, 2}, (oy_ints){s->padding, 2},
                           (oy_ints){s->dilation, 2}, false, &values, &at);
  assert_int_equal(status, OY_OK);
  check_gradients(s, dtype, x, at);
  values = plain(values);
  at = oy_contiguous(at, OY_MEMORY_CONTIGUOUS);
  const double* found = oy_tensor_data(values);
  const int64_t* where = oy_tensor_data(at);
  for (int64_t i = 0; i < oy_tensor_numel(values); i++) {
    const double* image = images + i / (high * wide) * s->image[0] * s->image[1];
    double want;
    const int64_t place = greatest(s, image, i / wide % high, i % wide, &want);
    if (where[i] != place) fail_at(s, dtype, i, (double)where[i], (double)place);
    if (isnan(want) ? !isnan(found[i]) : found[i] != want)
      fail_at(s, dtype, i, found[i], want);
  }
}

static oy_tensor* means_of(const shape* s, oy_tensor* x) {
  const oy_ints kernel = {s->kernel, 2};
  return plain(s->is_adaptive
                   ? oy__adaptive_avg_pool2d(x, kernel)
                   : oy_avg_pool2d(x, kernel, (oy_ints){s->stride, 2},
                                   (oy_ints){s->padding, 2}, false, false, oy_none()));
}

static void check_means(const shape* s, oy_dtype dtype, const double* images,
                        oy_tensor* x, int64_t high, int64_t wide) {
  if (s->dilation[0] > 1 || s->dilation[1] > 1) return;
  const double limit = dtype == OY_DTYPE_BF16  ? 1e-2
                       : dtype == OY_DTYPE_F16 ? 1e-3
                                               : 1e-5;
  oy_tensor* values = means_of(s, x);
  const double* found = oy_tensor_data(values);
  for (int64_t i = 0; i < oy_tensor_numel(values); i++) {
    const double* image = images + i / (high * wide) * s->image[0] * s->image[1];
    const double want = mean(s, image, i / wide % high, i % wide);
    if (isnan(want)   ? !isnan(found[i])
        : isinf(want) ? found[i] != want
                      : fabs(found[i] - want) > limit * (1 + fabs(want)))
      fail_at(s, dtype, i, found[i], want);
  }
}

// No bit of a mean depends on how channels lie.
static void check_same_means(const shape* s, oy_dtype dtype, oy_tensor* x) {
  if (s->dilation[0] > 1 || s->dilation[1] > 1) return;
  oy_tensor* last = means_of(s, x);
  oy_tensor* first = means_of(s, oy_contiguous(x, OY_MEMORY_CONTIGUOUS));
  const double *a = oy_tensor_data(last), *b = oy_tensor_data(first);
  for (int64_t i = 0; i < oy_tensor_numel(last); i++)
    if (isnan(a[i]) ? !isnan(b[i]) : a[i] != b[i]) fail_at(s, dtype, i, a[i], b[i]);
}

static oy_tensor* mean_gradients(const shape* s, oy_tensor* grad, oy_tensor* x) {
  return plain(s->is_adaptive
                   ? oy__adaptive_avg_pool2d_backward(grad, x)
                   : oy_avg_pool2d_backward(
                         grad, x, (oy_ints){s->kernel, 2}, (oy_ints){s->stride, 2},
                         (oy_ints){s->padding, 2}, false, false, oy_none()));
}

// Nor of the gradient of one, which for images of one channel is found plane by plane.
static void check_same_mean_gradients(const shape* s, oy_dtype dtype, oy_tensor* x,
                                      int64_t high, int64_t wide) {
  double grads[MOST];
  const int64_t planes = oy_tensor_numel(x) / (s->image[0] * s->image[1]);
  if (s->dilation[0] > 1 || s->dilation[1] > 1 || planes * high * wide > MOST) return;
  for (int64_t i = 0; i < planes * high * wide; i++)
    grads[i] = (double)(i * 37 % 23 - 9) / 7;
  oy_tensor* g = oy_scope_take(
      oy_tensor_from_data(grads, OY_DIMS(2, planes / 2, high, wide), OY_DTYPE_F64));
  g = oy_to_dtype(g, dtype, false, false, oy_none());
  oy_tensor* last = mean_gradients(s, g, x);
  const oy_ints alone = OY_DIMS(planes, 1, s->image[0], s->image[1]);
  oy_tensor* first =
      mean_gradients(s, oy_reshape(g, OY_DIMS(planes, 1, high, wide)),
                     oy_reshape(oy_contiguous(x, OY_MEMORY_CONTIGUOUS), alone));
  const double *a = oy_tensor_data(last), *b = oy_tensor_data(first);
  for (int64_t i = 0; i < oy_tensor_numel(x); i++)
    if (a[i] != b[i]) fail_at(s, dtype, i, a[i], b[i]);
}

static void check(const shape* s, oy_dtype dtype, int64_t planes, bool side_by_side) {
  double images[MOST];
  const int64_t size = s->image[0] * s->image[1], high = places(s, 0),
                wide = places(s, 1);
  if (high < 1 || wide < 1) return;
  for (int d = 0; d < 2; d++)
    if (!s->is_adaptive && s->padding[d] * 2 > s->kernel[d]) return;
  if (planes * size > MOST) planes = MOST / size;
  planes -= planes % 2;
  for (int64_t i = 0; i < planes * size; i++) images[i] = drawn(i);
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = oy_scope_take(oy_tensor_from_data(
      images, OY_DIMS(2, planes / 2, s->image[0], s->image[1]), OY_DTYPE_F64));
  x = oy_to_dtype(x, dtype, false, false, oy_none());
  if (side_by_side) x = oy_contiguous(x, OY_MEMORY_CHANNELS_LAST);
  check_maxima(s, dtype, images, x, high, wide);
  check_means(s, dtype, images, x, high, wide);
  if (side_by_side) check_same_means(s, dtype, x);
  check_same_mean_gradients(s, dtype, x, high, wide);
  oy_scope_close(&scope);
}

static void every_width(void** state) {
  (void)state;
  static const int64_t widths[] = {1, 2, 3, 4, 5, 7, 8, 9, 11, 16, 17, 31, 33, 70};
  static const shape forms[] = {{{0}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false},
                                {{0}, {2, 2}, {0, 0}, {2, 2}, {1, 1}, false},
                                {{0}, {2, 2}, {1, 1}, {2, 2}, {1, 1}, false},
                                {{0}, {2, 2}, {1, 1}, {1, 1}, {1, 1}, false},
                                {{0}, {3, 3}, {1, 1}, {2, 2}, {1, 1}, false},
                                {{0}, {3, 3}, {0, 0}, {3, 3}, {1, 1}, false},
                                {{0}, {3, 2}, {1, 1}, {1, 1}, {2, 2}, false},
                                {{0}, {5, 5}, {2, 2}, {1, 1}, {1, 1}, false},
                                {{0}, {2, 20}, {0, 9}, {1, 2}, {1, 1}, false},
                                {{0}, {1, 1}, {0}, {0}, {0}, true},
                                {{0}, {2, 2}, {0}, {0}, {0}, true},
                                {{0}, {3, 7}, {0}, {0}, {0}, true},
                                {{0}, {5, 9}, {0}, {0}, {0}, true}};
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_BF16,
                                    OY_DTYPE_F16};
  for (size_t d = 0; d < sizeof(dtypes) / sizeof(*dtypes); d++)
    for (size_t f = 0; f < sizeof(forms) / sizeof(*forms); f++)
      for (size_t w = 0; w < sizeof(widths) / sizeof(*widths); w++)
        for (int64_t high = 1; high < 12; high += 5) {
          shape s = forms[f];
          s.image[0] = high, s.image[1] = widths[w];
          check(&s, dtypes[d], FEW, false);
          check(&s, dtypes[d], MANY, false);
          check(&s, dtypes[d], 2 * (high + 6), true);
        }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_width)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
