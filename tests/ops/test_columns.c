// SPDX-License-Identifier: Apache-2.0
// Images as columns, of every width around those that are moved without a call, and lines of
// which padding has all or part: what a loop over windows, elements and places reads.
#include "support/tensors.h"

enum { MOST = 1 << 16 };

typedef struct shape {
  int64_t image[2], kernel[2], padding[2], stride[2], dilation[2];
} shape;

static int64_t places(const shape* s, int d) {
  const int64_t reach = s->dilation[d] * (s->kernel[d] - 1) + 1;
  const int64_t room = s->image[d] + 2 * s->padding[d] - reach;
  return room < 0 ? 0 : room / s->stride[d] + 1;
}

// What one kernel element sees at one place of one image; padding is 0.
static double seen(const shape* s, const double* image, const int64_t k[2],
                   const int64_t at[2]) {
  int64_t x[2];
  for (int d = 0; d < 2; d++) {
    x[d] = at[d] * s->stride[d] - s->padding[d] + k[d] * s->dilation[d];
    if (x[d] < 0 || x[d] >= s->image[d]) return 0;
  }
  return image[x[0] * s->image[1] + x[1]];
}

static int64_t expect(const shape* s, const double* images, int64_t planes, double* to) {
  const int64_t high = places(s, 0), wide = places(s, 1);
  int64_t n = 0, k[2], at[2];
  for (int64_t i = 0; i < planes; i++)
    for (k[0] = 0; k[0] < s->kernel[0]; k[0]++)
      for (k[1] = 0; k[1] < s->kernel[1]; k[1]++)
        for (at[0] = 0; at[0] < high; at[0]++)
          for (at[1] = 0; at[1] < wide; at[1]++)
            to[n++] = seen(s, images + i * s->image[0] * s->image[1], k, at);
  return n;
}

static void check_planes(const shape* s, oy_dtype dtype, int64_t planes) {
  static double images[MOST], want[MOST];
  const int64_t size = s->image[0] * s->image[1];
  if (places(s, 0) < 1 || places(s, 1) < 1) return;
  for (int64_t i = 0; i < planes * size; i++) images[i] = (double)(i % 251 + 1);
  const int64_t n = expect(s, images, planes, want);
  assert_true(n <= MOST && planes * size <= MOST);
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = oy_scope_take(oy_tensor_from_data(
      images, OY_DIMS(1, planes, s->image[0], s->image[1]), OY_DTYPE_F64));
  oy_tensor* got = oy_im2col(oy_to_dtype(x, dtype, false, false, oy_none()),
                             (oy_ints){s->kernel, 2}, (oy_ints){s->dilation, 2},
                             (oy_ints){s->padding, 2}, (oy_ints){s->stride, 2});
  assert_non_null(got);
  assert_int_equal(oy_tensor_numel(got), n);
  got = oy_to_dtype(got, OY_DTYPE_F64, false, false, oy_none());
  if (memcmp(oy_tensor_data(got), want, (size_t)n * sizeof(double)) != 0) {
    print_error("%d x %d by %d x %d, padding %d, %d, stride %d, %d, of %s\n",
                (int)s->image[0], (int)s->image[1], (int)s->kernel[0], (int)s->kernel[1],
                (int)s->padding[0], (int)s->padding[1], (int)s->stride[0],
                (int)s->stride[1], oy_dtype_name(dtype));
    fail();
  }
  oy_scope_close(&scope);
}

static void every_width(void** state) {
  (void)state;
  static const int64_t widths[] = {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 18, 20, 33};
  static const shape forms[] = {
      {{0}, {1, 1}, {0, 0}, {1, 1}, {1, 1}}, {{0}, {1, 1}, {1, 1}, {2, 2}, {1, 1}},
      {{0}, {3, 3}, {1, 1}, {1, 1}, {1, 1}}, {{0}, {3, 3}, {0, 0}, {1, 1}, {1, 1}},
      {{0}, {2, 2}, {0, 0}, {1, 1}, {1, 1}}, {{0}, {2, 2}, {0, 0}, {2, 2}, {1, 1}},
      {{0}, {3, 3}, {2, 2}, {1, 1}, {2, 2}}, {{0}, {3, 3}, {4, 4}, {3, 3}, {2, 2}},
      {{0}, {5, 1}, {6, 0}, {1, 1}, {1, 1}}, {{0}, {1, 5}, {0, 6}, {1, 1}, {1, 1}},
      {{0}, {1, 3}, {0, 1}, {2, 1}, {1, 1}}, {{0}, {3, 2}, {1, 0}, {1, 3}, {1, 2}}};
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_BF16,
                                    OY_DTYPE_C64, OY_DTYPE_C128};
  for (size_t d = 0; d < sizeof(dtypes) / sizeof(*dtypes); d++)
    for (size_t f = 0; f < sizeof(forms) / sizeof(*forms); f++)
      for (size_t w = 0; w < sizeof(widths) / sizeof(*widths); w++)
        for (int64_t high = 1; high < 10; high += 4) {
          shape s = forms[f];
          s.image[0] = high, s.image[1] = widths[w];
          check_planes(&s, dtypes[d], 2);
          check_planes(&s, dtypes[d], 6);  // which a list is made for
        }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_width)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
