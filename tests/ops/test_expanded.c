// SPDX-License-Identifier: Apache-2.0
// Operands that are expanded along a row, and every order of dimensions that a reduction or a
// running sum may meet, give what contiguous copies of the same elements give: elements of
// pointwise operators bit for bit, and of sums of whole numbers, which are exact in any order.
#include "base/memory.h"
#include "support/tensors.h"

enum { ROWS = 3, OPERANDS = 3, FORMS = 4 };

typedef oy_tensor* (*of_three)(oy_tensor* a, oy_tensor* b, oy_tensor* c);

static oy_tensor* addcmul(oy_tensor* a, oy_tensor* b, oy_tensor* c) {
  return oy_addcmul(a, b, c, oy_int(2));
}
static oy_tensor* addcdiv(oy_tensor* a, oy_tensor* b, oy_tensor* c) {
  return oy_addcdiv(a, b, c, oy_int(2));
}
static oy_tensor* where(oy_tensor* a, oy_tensor* b, oy_tensor* c) {
  oy_tensor* mask = oy_ne_Scalar(a, oy_int(1));
  assert_non_null(mask);
  return oy_where_self(mask, b, c);
}
static oy_tensor* quotient(oy_tensor* a, oy_tensor* b, oy_tensor* c) {
  return oy_div_Tensor(oy_div_Tensor(a, b), c);
}

static const struct {
  const char* name;
  of_three fn;
  bool floating, complex;  // takes floats alone; takes complex numbers, too
} g_operators[] = {
    {"addcmul", addcmul, false, true},    {"clamp", oy_clamp_Tensor, false, false},
    {"where", where, false, true},        {"addcdiv", addcdiv, true, true},
    {"lerp", oy_lerp_Tensor, true, true}, {"div", quotient, true, true}};

// Numbers between -6 and 6 in no order; floats have a NaN and fractions among them, and complex
// ones parts of which either one may be the greater.
static oy_tensor* numbers(int64_t rows, int64_t n, int64_t from, oy_dtype dtype) {
  const int64_t count = rows * n;
  double* x = malloc((size_t)count * 2 * sizeof(*x));
  assert_non_null(x);
  const bool whole = !oy_dtype_is_floating(dtype) && !oy_dtype_is_complex(dtype);
  for (int64_t i = 0; i < count; i++) {
    const int64_t k = (i + from) * 7919 % 13 - 6;
    x[2 * i] = whole ? (double)(k == 0 ? 6 : k) : (double)k + 0.25;
    x[2 * i + 1] = (double)((i + from) * 4801 % 11 - 5);
  }
  if (!whole && count > 4) x[8] = NAN;
  oy_tensor* wide =
      oy_scope_take(oy_tensor_from_data(x, OY_DIMS(rows, n), OY_DTYPE_C128));
  free(x);
  const bool complex = oy_dtype_is_complex(dtype);
  oy_tensor* parts = complex ? wide : oy_real(wide);
  oy_tensor* made = oy_to_dtype(parts, dtype, false, true, oy_none());
  assert_non_null(made);
  return made;
}

static void expect_same_bits(oy_tensor* got, oy_tensor* want, const char* what,
                             oy_dtype dtype, int64_t n) {
  if (!got || !want) fail_msg("%s: %s", what, oy_error_get()->message);
  got = oy_contiguous(got, OY_MEMORY_CONTIGUOUS);
  want = oy_contiguous(want, OY_MEMORY_CONTIGUOUS);
  assert_int_equal(oy_tensor_numel(got), oy_tensor_numel(want));
  assert_int_equal(got->dtype, want->dtype);
  const size_t bytes = (size_t)oy_tensor_numel(want) * oy_dtype_size(want->dtype);
  if (memcmp(oy_tensor_data(got), oy_tensor_data(want), bytes) != 0)
    fail_msg("%s of %s, rows of %lld: not what copies give", what, oy_dtype_name(dtype),
             (long long)n);
}

// Operand |k| as a matrix, a column, a row or a number.
static oy_tensor* operand(int k, int form, int64_t n, oy_dtype dtype) {
  const int64_t rows = form == 0 || form == 1 ? ROWS : 1, columns = form % 2 ? 1 : n;
  return numbers(rows, columns, 5 * k, dtype);
}

static void check_forms(size_t op, oy_dtype dtype, int64_t n) {
  for (int forms = 0; forms < FORMS * FORMS * FORMS; forms++) {
    const int form[OPERANDS] = {forms % FORMS, forms / FORMS % FORMS,
                                forms / (FORMS * FORMS)};
    oy_scope scope;
    oy_scope_open(&scope);
    oy_tensor *few[OPERANDS], *all[OPERANDS];
    for (int k = 0; k < OPERANDS; k++) {
      few[k] = oy_expand(operand(k, form[k], n, dtype), OY_DIMS(ROWS, n), false);
      all[k] = oy_contiguous(few[k], OY_MEMORY_CONTIGUOUS);
    }
    of_three fn = g_operators[op].fn;
    expect_same_bits(fn(few[0], few[1], few[2]), fn(all[0], all[1], all[2]),
                     g_operators[op].name, dtype, n);
    oy_scope_close(&scope);
  }
}

// Rows shorter than a vector, of one, of pieces of a buffer and one more.
static void expanded_operands(void** state) {
  (void)state;
  static const int64_t lengths[] = {1, 2, 5, 15, 16, 17, 33, 256, 257, 600};
  static const oy_dtype dtypes[] = {OY_DTYPE_F32,  OY_DTYPE_F64, OY_DTYPE_C64,
                                    OY_DTYPE_C128, OY_DTYPE_I8,  OY_DTYPE_I16,
                                    OY_DTYPE_I32,  OY_DTYPE_I64};
  for (size_t op = 0; op < OY_ARRAY_SIZE(g_operators); op++)
    for (size_t d = 0; d < OY_ARRAY_SIZE(dtypes); d++) {
      const bool is_complex = oy_dtype_is_complex(dtypes[d]);
      const bool is_float = is_complex || oy_dtype_is_floating(dtypes[d]);
      if (is_complex && !g_operators[op].complex) continue;
      if (!is_float && g_operators[op].floating) continue;
      for (size_t l = 0; l < OY_ARRAY_SIZE(lengths); l++)
        check_forms(op, dtypes[d], lengths[l]);
    }
}

// ------------------------------------------------------------------ sums of any order

static const oy_dtype g_summed[] = {
    OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_F16, OY_DTYPE_BF16, OY_DTYPE_U8,  OY_DTYPE_I8,
    OY_DTYPE_I16, OY_DTYPE_I32, OY_DTYPE_I64, OY_DTYPE_C64,  OY_DTYPE_C128};

// (planes, rows, columns) of zeros and few ones, so that no sum is rounded in any dtype.
static oy_tensor* small_numbers(const int64_t* sizes, oy_dtype dtype) {
  const int64_t count = sizes[0] * sizes[1] * sizes[2];
  double* x = malloc((size_t)count * sizeof(*x));
  assert_non_null(x);
  for (int64_t i = 0; i < count; i++) x[i] = (double)(i * 7919 % 61 == 0);
  oy_tensor* wide =
      oy_scope_take(oy_tensor_from_data(x, (oy_ints){sizes, 3}, OY_DTYPE_F64));
  free(x);
  oy_tensor* made = oy_to_dtype(wide, dtype, false, false, oy_none());
  assert_non_null(made);
  return made;
}

// By doubles, one after the other.
static void expect_sums(oy_tensor* x, oy_tensor* got, unsigned reduced) {
  const int64_t* sizes = oy_tensor_sizes(x).data;
  double sums[64 * 64] = {0};
  int64_t at[3];
  for (at[0] = 0; at[0] < sizes[0]; at[0]++)
    for (at[1] = 0; at[1] < sizes[1]; at[1]++)
      for (at[2] = 0; at[2] < sizes[2]; at[2]++) {
        int64_t place = 0;
        for (unsigned d = 0; d < 3; d++)
          if (!(reduced >> d & 1)) place = place * sizes[d] + at[d];
        oy_scalar s;
        assert_int_equal(oy_tensor_get(x, (oy_ints){at, 3}, &s), OY_OK);
        sums[place] += scalar_number(s);
      }
  for (int64_t i = 0; i < oy_tensor_numel(got); i++)
    if (element(got, i) != sums[i])
      fail_msg("sum of %s, dimensions %u: %g, not %g", oy_dtype_name(x->dtype), reduced,
               element(got, i), sums[i]);
}

static void check_sums(const int64_t* sizes, oy_dtype dtype, int order) {
  static const int64_t turns[][3] = {{0, 1, 2}, {2, 0, 1}, {1, 0, 2}, {2, 1, 0}};
  for (unsigned reduced = 1; reduced < 7; reduced++) {
    oy_scope scope;
    oy_scope_open(&scope);
    oy_tensor* x = oy_permute(small_numbers(sizes, dtype), (oy_ints){turns[order], 3});
    int64_t which[3];
    size_t count = 0;
    for (unsigned d = 0; d < 3; d++)
      if (reduced >> d & 1) which[count++] = d;
    oy_tensor* sum = oy_sum_dim_IntList(x, (oy_ints){which, count}, false, oy_none());
    if (!sum) fail_msg("%s", oy_error_get()->message);
    const bool is_complex = oy_dtype_is_complex(dtype);
    expect_sums(is_complex ? oy_real(x) : x, is_complex ? oy_real(sum) : sum, reduced);
    oy_scope_close(&scope);
  }
}

static void sums_of_any_order(void** state) {
  (void)state;
  static const int64_t shapes[][3] = {{3, 5, 17}, {9, 16, 8}, {2, 33, 40}, {20, 3, 35}};
  for (size_t d = 0; d < OY_ARRAY_SIZE(g_summed); d++)
    for (size_t s = 0; s < OY_ARRAY_SIZE(shapes); s++)
      for (int order = 0; order < 4; order++) check_sums(shapes[s], g_summed[d], order);
}

// What is no number in one column changes no other: those come to the same, bit for bit.
static void columns_are_apart(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F16, OY_DTYPE_BF16,
                                    OY_DTYPE_C64};
  static const int64_t columns[] = {3, 16, 53, 100, 1100};
  enum { HIGH = 53, ENDLESS = 2 };
  for (size_t d = 0; d < OY_ARRAY_SIZE(dtypes); d++)
    for (size_t c = 0; c < OY_ARRAY_SIZE(columns); c++) {
      const int64_t n = columns[c];
      oy_scope scope;
      oy_scope_open(&scope);
      oy_tensor* x = oy_div_Scalar(numbers(HIGH, n, 9, dtypes[d]), oy_float(7));
      x = oy_nan_to_num(x, oy_float(0.1), oy_none(), oy_none());
      assert_non_null(x);
      oy_tensor* y = oy_clone(x, oy_none());
      oy_tensor* column = oy_select_int(y, 1, ENDLESS);
      assert_non_null(
          oy_fill__Scalar(oy_select_int(column, 0, HIGH / 2), oy_float(INFINITY)));
      oy_tensor* some = oy_sum_dim_IntList(x, OY_DIMS(0), false, oy_none());
      oy_tensor* others = oy_sum_dim_IntList(y, OY_DIMS(0), false, oy_none());
      assert_true(isinf(
          element(oy_dtype_is_complex(dtypes[d]) ? oy_real(others) : others, ENDLESS)));
      assert_non_null(oy_fill__Scalar(oy_select_int(some, 0, ENDLESS), oy_int(0)));
      assert_non_null(oy_fill__Scalar(oy_select_int(others, 0, ENDLESS), oy_int(0)));
      expect_same_bits(others, some, "sum beside an infinite one", dtypes[d], n);
      oy_scope_close(&scope);
    }
}

// ------------------------------------------------------------------ tensors in turns

static void stacks_of_two(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_U8, OY_DTYPE_I16, OY_DTYPE_F32, OY_DTYPE_F64,
                                    OY_DTYPE_C128};
  for (size_t d = 0; d < OY_ARRAY_SIZE(dtypes); d++) {
    oy_scope scope;
    oy_scope_open(&scope);
    enum { COUNT = 50003 };  // enough to be shared out
    oy_tensor* parts[2] = {numbers(1, COUNT, 0, dtypes[d]),
                           numbers(1, COUNT, 3, dtypes[d])};
    for (int k = 0; k < 2; k++) parts[k] = oy_view(parts[k], OY_DIMS(COUNT));
    oy_tensor* both = oy_op_stack((oy_tensors){parts, 2}, 1);
    if (!both) fail_msg("%s", oy_error_get()->message);
    for (int k = 0; k < 2; k++)
      expect_same_bits(oy_select_int(both, 1, k), parts[k], "stack", dtypes[d], COUNT);
    oy_scope_close(&scope);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(expanded_operands),
      cmocka_unit_test(sums_of_any_order),
      cmocka_unit_test(columns_are_apart),
      cmocka_unit_test(stacks_of_two),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
