// SPDX-License-Identifier: Apache-2.0
// A good part of lines, of which most elements are left out before the others are sorted: the first
// ones of the whole line in order, equal ones in that of their places.
#include "base/memory.h"
#include "support/tensors.h"

static const oy_dtype g_dtypes[] = {OY_DTYPE_U8,   OY_DTYPE_I8,  OY_DTYPE_I16,
                                    OY_DTYPE_I32,  OY_DTYPE_I64, OY_DTYPE_F16,
                                    OY_DTYPE_BF16, OY_DTYPE_F32, OY_DTYPE_F64};

typedef enum kind { MIXED, FEW_DIFFERENT, ALL_SAME, RISING, MANY_NAN, KINDS } kind;

static double value_at(int64_t place, kind k, oy_dtype dtype) {
  const uint64_t mixed = ((uint64_t)place * 0x9e3779b97f4a7c15u) >> 40;
  const bool is_float = oy_dtype_is_floating(dtype);
  switch (k) {
    case MIXED: return (double)(mixed % 120);
    case FEW_DIFFERENT: return is_float && mixed % 3 == 0 ? -0.0 : (double)(mixed % 3);
    case ALL_SAME: return 7;
    case RISING: return (double)(place / 300 % 120);
    default: return is_float && mixed % 4 == 0 ? NAN : (double)(mixed % 99);
  }
}

typedef struct shape {
  int64_t lines, n, beside;  // elements of other lines from one to the next
} shape;

// Lines of a tensor of (lines, n, beside), along its middle dimension; of |beside| above 1 all of
// them, or the first alone.
static oy_tensor* make(const shape* s, kind k, oy_dtype dtype, bool alone) {
  const int64_t all = s->lines * s->n * s->beside;
  double* data = malloc((size_t)all * sizeof(*data));
  for (int64_t i = 0; i < all; i++) data[i] = value_at(i, k, dtype);
  oy_tensor* wide =
      oy_tensor_from_data(data, OY_DIMS(s->lines, s->n, s->beside), OY_DTYPE_F64);
  assert_non_null(oy_scope_take(wide));
  free(data);
  oy_tensor* x = oy_to_dtype(wide, dtype, false, true, oy_none());
  return alone ? oy_slice_Tensor(x, 2, oy_int(0), oy_int(1), 1) : x;
}

static void check_kept(oy_tensor* x, const shape* s, int64_t kept, bool descending) {
  oy_tensor *all, *order, *values, *places;
  assert_int_equal(oy_sort_stable(x, oy_bool(true), 1, descending, &all, &order), OY_OK);
  assert_int_equal(oy_topk(x, kept, 1, descending, true, &values, &places), OY_OK);
  order = oy_contiguous(oy_slice_Tensor(order, 1, oy_int(0), oy_int(kept), 1), 0);
  all = oy_contiguous(oy_slice_Tensor(all, 1, oy_int(0), oy_int(kept), 1), 0);
  const int64_t count = oy_tensor_numel(places);
  assert_int_equal(count, s->lines * kept * (oy_tensor_numel(x) / s->lines / s->n));
  assert_memory_equal(oy_tensor_data(places), oy_tensor_data(order),
                      (size_t)count * sizeof(int64_t));
  assert_memory_equal(oy_tensor_data(values), oy_tensor_data(all),
                      (size_t)count * oy_dtype_size(x->dtype));
}

static void check(const shape* s, kind k, oy_dtype dtype) {
  const int64_t kept[] = {2, 9, 17, s->n / 7, s->n / 2, s->n * 3 / 4};
  for (int alone = 0; alone <= (s->beside > 1); alone++)
    for (size_t i = 0; i < OY_ARRAY_SIZE(kept); i++)
      for (int descending = 0; descending < 2; descending++) {
        oy_scope scope;
        oy_scope_open(&scope);
        check_kept(make(s, k, dtype, alone), s, kept[i], descending);
        oy_scope_close(&scope);
      }
}

static void first_ones_of_lines(void** state) {
  (void)state;
  static const shape shapes[] = {{3, 160, 1}, {2, 237, 2},  {2, 256, 1},
                                 {1, 301, 3}, {1, 2000, 1}, {1, 9000, 2}};
  for (size_t i = 0; i < OY_ARRAY_SIZE(shapes); i++)
    for (int k = 0; k < KINDS; k++)
      for (size_t d = 0; d < OY_ARRAY_SIZE(g_dtypes); d++)
        check(&shapes[i], (kind)k, g_dtypes[d]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(first_ones_of_lines)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
