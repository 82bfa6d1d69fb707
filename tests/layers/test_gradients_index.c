// SPDX-License-Identifier: Apache-2.0
// Gradients of indexing, masks, sorts and extremes against finite differences.
#include "layers/differences.h"

#define X in[0]
#define Y in[1]
#define FUNCTION(name, value)                    \
  static oy_tensor* name(oy_tensor* const* in) { \
    return value;                                \
  }
#define COPY(t) oy_clone(t, oy_none())
#define TEXT(s) oy_str_of(s)
#define NONE    oy_none()

// Tensors of positions belong to the scope.
static oy_tensor* scoped(oy_tensor* made) {
  oy_tensor* alias = oy_clone(made, oy_none());
  oy_tensor_release(made);
  return alias;
}
#define AT3         scoped(I64(OY_DIMS(3), 2, 0, 2))
#define AT2         scoped(I64(OY_DIMS(2), 2, 0))
#define ONE_AT      scoped(I64(OY_DIMS(1), 1))
#define PLACES      scoped(I64(OY_DIMS(2, 3), 0, 1, 0, 2, 2, 1))
#define APART       scoped(I64(OY_DIMS(2, 3), 0, 1, 2, 1, 2, 0))
#define FLAT        scoped(I64(OY_DIMS(2, 2), 0, 11, 5, 3))
#define MASK        scoped(BOOLS(OY_DIMS(3, 4), 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1))
#define COLUMN_MASK scoped(BOOLS(OY_DIMS(4), 1, 0, 0, 1))

static oy_tensor* indexed(oy_tensor* t, oy_tensor* (*f)(oy_tensor*, oy_tensors)) {
  oy_tensor* at[2] = {(oy_tensor*)&oy_none_object, AT3};
  return f(t, (oy_tensors){at, 2});
}
static oy_tensor* index_mask(oy_tensor* const* in) {
  oy_tensor* at[1] = {MASK};
  return oy_index_Tensor(X, (oy_tensors){at, 1});
}
FUNCTION(index_list, indexed(X, oy_index_Tensor))
FUNCTION(index_unsafe, indexed(X, oy__unsafe_index_Tensor))

static oy_tensor* put(oy_tensor* const* in, bool accumulate, int form) {
  oy_tensor* at[2] = {AT2, scoped(I64(OY_DIMS(2), 1, 3))};
  oy_tensors both = {at, 2};
  if (form == 1) return oy_index_put_(COPY(X), both, Y, accumulate);
  if (form == 2) return oy__index_put_impl_(COPY(X), both, Y, accumulate, false);
  if (form == 3) return oy__unsafe_index_put(X, both, Y, accumulate);
  return oy_index_put(X, both, Y, accumulate);
}
FUNCTION(index_put, put(in, false, 0))
FUNCTION(index_put_add, put(in, true, 0))
FUNCTION(index_put_in_place, put(in, false, 1))
FUNCTION(index_put_impl, put(in, true, 2))
FUNCTION(index_put_unsafe, put(in, false, 3))
// A write through a view of the copy.
static oy_tensor* index_put_view(oy_tensor* const* in) {
  oy_tensor* copy = COPY(X);
  oy_tensor* at[1] = {AT2};
  oy_tensor* row = oy_select_int(copy, 0, 1);
  return oy_index_put_(row, (oy_tensors){at, 1}, Y, false) ? copy : NULL;
}

FUNCTION(select_rows, oy_index_select(X, 0, AT3))
FUNCTION(fill_number, oy_index_fill_int_Scalar(X, 1, AT3, oy_float(2)))
FUNCTION(fill_number_, oy_index_fill__int_Scalar(COPY(X), 1, AT3, oy_float(2)))
FUNCTION(fill_tensor, oy_index_fill_int_Tensor(X, 1, AT3, Y))
FUNCTION(fill_tensor_, oy_index_fill__int_Tensor(COPY(X), 1, AT3, Y))
FUNCTION(copy_rows, oy_index_copy(X, 0, AT2, Y))
FUNCTION(copy_rows_, oy_index_copy_(COPY(X), 0, AT2, Y))
FUNCTION(add_rows, oy_index_add(X, 0, AT3, Y, oy_float(-1.5)))
FUNCTION(add_rows_, oy_index_add_(COPY(X), 0, AT3, Y, oy_int(1)))
FUNCTION(add_number, oy_index_add(X, 0, ONE_AT, Y, oy_int(2)))
FUNCTION(copy_number, oy_index_copy(X, 0, ONE_AT, Y))

FUNCTION(masked_fill_number, oy_masked_fill_Scalar(X, MASK, oy_int(7)))
FUNCTION(masked_fill_number_, oy_masked_fill__Scalar(COPY(X), MASK, oy_int(7)))
FUNCTION(masked_fill_tensor, oy_masked_fill_Tensor(X, MASK, Y))
FUNCTION(masked_fill_tensor_, oy_masked_fill__Tensor(COPY(X), MASK, Y))
FUNCTION(masked_select, oy_masked_select(X, MASK))
FUNCTION(masked_select_wide, oy_masked_select(X, MASK))
FUNCTION(masked_select_narrow, oy_masked_select(X, COLUMN_MASK))
FUNCTION(masked_scatter, oy_masked_scatter(X, MASK, Y))
FUNCTION(masked_scatter_, oy_masked_scatter_(COPY(X), MASK, Y))

FUNCTION(take, oy_take(X, FLAT))
FUNCTION(put_flat, oy_put(X, FLAT, Y, false))
FUNCTION(put_flat_add, oy_put_(COPY(X), FLAT, Y, true))
FUNCTION(gather, oy_gather(X, 1, PLACES, false))
FUNCTION(scatter, oy_scatter_src(X, 1, APART, Y))
FUNCTION(scatter_, oy_scatter__src(COPY(X), 1, APART, Y))
FUNCTION(scatter_number, oy_scatter_value(X, 1, PLACES, oy_int(3)))
FUNCTION(scatter_number_, oy_scatter__value(COPY(X), 1, PLACES, oy_int(3)))
FUNCTION(scatter_add, oy_scatter_add(X, 1, PLACES, Y))
FUNCTION(scatter_add_, oy_scatter_add_(COPY(X), 1, PLACES, Y))

#define REDUCES(reduce)                                                 \
  FUNCTION(scatter_##reduce,                                            \
           oy_scatter_reduce_two(X, 1, PLACES, Y, TEXT(#reduce), true)) \
  FUNCTION(scatter_##reduce##_new,                                      \
           oy_scatter_reduce__two(COPY(X), 1, PLACES, Y, TEXT(#reduce), false))
#define REDUCES_ROWS(reduce)                                                  \
  FUNCTION(rows_##reduce, oy_index_reduce(X, 0, AT3, Y, TEXT(#reduce), true)) \
  FUNCTION(rows_##reduce##_new,                                               \
           oy_index_reduce_(COPY(X), 0, AT3, Y, TEXT(#reduce), false))
REDUCES(sum)
REDUCES(prod)
REDUCES(mean)
REDUCES(amax)
REDUCES(amin)
REDUCES_ROWS(prod)
REDUCES_ROWS(mean)
REDUCES_ROWS(amax)
REDUCES_ROWS(amin)

// The values of an operator that has values and indices.
#define VALUES(name, call)                       \
  static oy_tensor* name(oy_tensor* const* in) { \
    oy_tensor *values = NULL, *indices = NULL;   \
    return (call) == OY_OK ? values : NULL;      \
  }
#define BOTH &values, &indices
VALUES(sort, oy_sort(X, 1, false, BOTH))
VALUES(sort_stable, oy_sort_stable(X, oy_bool(true), 0, true, BOTH))
VALUES(topk, oy_topk(X, 2, -1, true, true, BOTH))
VALUES(kthvalue, oy_kthvalue(X, 2, 1, false, BOTH))
VALUES(kthvalue_kept, oy_kthvalue(X, 2, 0, true, BOTH))
VALUES(median_of_rows, oy_median_dim(X, 1, false, BOTH))
VALUES(nanmedian_of_rows, oy_nanmedian_dim(X, 1, true, BOTH))
VALUES(mode, oy_mode(X, 1, false, BOTH))
VALUES(max_of_rows, oy_max_dim(X, 1, false, BOTH))
VALUES(min_of_rows, oy_min_dim(X, 0, true, BOTH))
VALUES(cummax, oy_cummax(X, 1, BOTH))
VALUES(cummin, oy_cummin(X, 0, BOTH))
FUNCTION(median, oy_median(X))
FUNCTION(nanmedian, oy_nanmedian(X))
FUNCTION(max, oy_max(X))
FUNCTION(min, oy_min(X))
FUNCTION(amax, oy_amax(X, OY_DIMS(0), false))
FUNCTION(amin, oy_amin(X, (oy_ints){NULL, 0}, false))
static oy_tensor* aminmax(oy_tensor* const* in) {
  oy_tensor *least = NULL, *most = NULL;
  if (oy_aminmax(X, oy_int(1), false, &least, &most) != OY_OK) return NULL;
  return oy_add_Tensor(least, most, oy_int(3));
}

#define FROM -1.6, 1.6
#define ONE(f) \
  { #f, f, "3,4", FROM }
#define TWO(f, other) \
  { #f, f, "3,4 " other, FROM }
#define ZERO_TOO(f, other) \
  { #f, f, "!3,4 " other, FROM }

static void check(const differences_row* rows, size_t size, int orders) {
  check_differences(rows, size / sizeof(*rows), orders);
  check_differences_memory(rows, size / sizeof(*rows));
}

static void indexing(void** state) {
  (void)state;
  static const differences_row rows[] = {
      ONE(index_list),
      ONE(index_mask),
      ONE(index_unsafe),
      TWO(index_put, "2"),
      TWO(index_put_add, "2"),
      TWO(index_put_in_place, "1"),
      TWO(index_put_impl, "2"),
      TWO(index_put_unsafe, "2"),
      TWO(index_put_view, "2"),
      ONE(select_rows),
      ONE(fill_number),
      ONE(fill_number_),
      TWO(fill_tensor, "-"),
      TWO(fill_tensor_, "-"),
      TWO(copy_rows, "2,4"),
      TWO(copy_rows_, "2,4"),
      TWO(add_rows, "3,4"),
      TWO(add_rows_, "3,4"),
      ONE(take),
      TWO(put_flat, "2,2"),
      TWO(put_flat_add, "2,2"),
      ONE(gather),
      {"add_number", add_number, "3 -", FROM},
      {"copy_number", copy_number, "3 -", FROM},
  };
  check(rows, sizeof(rows), 2);
}

static void masks(void** state) {
  (void)state;
  static const differences_row rows[] = {
      ONE(masked_fill_number),
      ONE(masked_fill_number_),
      TWO(masked_fill_tensor, "-"),
      TWO(masked_fill_tensor_, "-"),
      ONE(masked_select),
      ONE(masked_select_narrow),
      {"masked_select, wider mask", masked_select_wide, "4", FROM},
      TWO(masked_scatter, "8"),
      TWO(masked_scatter_, "2,3"),
  };
  check(rows, sizeof(rows), 2);
}

static void scatters(void** state) {
  (void)state;
  static const differences_row rows[] = {
      TWO(scatter, "2,3"),      TWO(scatter_, "2,3"),
      ONE(scatter_number),      ONE(scatter_number_),
      TWO(scatter_add, "2,3"),  TWO(scatter_add_, "2,3"),
      TWO(scatter_sum, "2,3"),  TWO(scatter_sum_new, "2,3"),
      TWO(scatter_prod, "2,3"), TWO(scatter_prod_new, "2,3"),
      TWO(scatter_mean, "2,3"), TWO(scatter_mean_new, "2,3"),
      TWO(scatter_amax, "2,3"), TWO(scatter_amax_new, "2,3"),
      TWO(scatter_amin, "2,3"), TWO(scatter_amin_new, "2,3"),
      TWO(rows_prod, "3,4"),    TWO(rows_prod_new, "3,4"),
      TWO(rows_mean, "3,4"),    TWO(rows_mean_new, "3,4"),
      TWO(rows_amax, "3,4"),    TWO(rows_amax_new, "3,4"),
      TWO(rows_amin, "3,4"),    TWO(rows_amin_new, "3,4"),
  };
  // PyTorch's gradient of a product with a zero is no gradient of that gradient.
  static const differences_row zeros[] = {
      ZERO_TOO(scatter_prod, "2,3"),
      ZERO_TOO(rows_prod, "3,4"),
  };
  check(rows, sizeof(rows), 2);
  check(zeros, sizeof(zeros), 1);
}

static void choices(void** state) {
  (void)state;
  static const differences_row rows[] = {
      ONE(sort),
      ONE(sort_stable),
      ONE(topk),
      ONE(kthvalue),
      ONE(kthvalue_kept),
      ONE(median_of_rows),
      ONE(nanmedian_of_rows),
      ONE(mode),
      ONE(max_of_rows),
      ONE(min_of_rows),
      ONE(cummax),
      ONE(cummin),
      ONE(median),
      ONE(nanmedian),
      ONE(max),
      ONE(min),
      ONE(amax),
      ONE(amin),
      ONE(aminmax),
  };
  check(rows, sizeof(rows), 2);
}

// PyTorch shares the gradient of a maximum among all that have it.
static void ties_share(void** state) {
  (void)state;
  oy_tensor* x = F64(OY_DIMS(4), 3, 1, 3, 2);
  oy_requires_grad_(x, true);
  oy_scope scope;
  oy_scope_open(&scope);
  assert_int_equal(oy_backward(oy_max(x), NULL, false), OY_OK);
  assert_int_equal(oy_backward(oy_amax(x, OY_DIMS(0), false), NULL, false), OY_OK);
  assert_elements(oy_grad(x), OY_DIMS(4), 1, 0, 1, 0);
  assert_string_equal(oy_grad_fn_name(oy_max(x)), "MaxBackward1");
  oy_scope_close(&scope);
  oy_tensor_release(x);
}

// Without a row they come of the input all the same.
static void combinations_of_too_few(void** state) {
  (void)state;
  oy_tensor* x = F64(OY_DIMS(1), 3);
  oy_requires_grad_(x, true);
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* none = oy_combinations(x, 2, false);
  assert_true(oy_requires_grad(none));
  assert_dims(oy_tensor_sizes(none), OY_DIMS(0, 2));
  assert_int_equal(oy_backward(oy_sum(none, oy_none()), NULL, false), OY_OK);
  assert_elements(oy_grad(x), OY_DIMS(1), 0);
  oy_scope_close(&scope);
  oy_tensor_release(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(indexing),   cmocka_unit_test(masks),
      cmocka_unit_test(scatters),   cmocka_unit_test(choices),
      cmocka_unit_test(ties_share), cmocka_unit_test(combinations_of_too_few),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
