// SPDX-License-Identifier: Apache-2.0
// Operands whose dimensions lie in any order, among them rows of a few elements: every element of
// a result comes of those at its own place, whatever the layouts are.
#include "base/memory.h"
#include "support/tensors.h"

enum { RANK = 3, MOST = 12000 };

typedef struct shape {
  int64_t sizes[RANK];
} shape;
static const shape g_shapes[] = {
    {{1, 40, 3}},  {{19, 7, 2}},   {{300, 2, 7}},  {{40, 16, 5}},  {{33, 8, 30}},
    {{2, 500, 4}}, {{1, 4, 1031}}, {{1, 1031, 8}}, {{9, 1, 600}},  {{2, 33, 33}},
    {{7, 300, 5}}, {{64, 31, 1}},  {{1, 3, 1031}}, {{20, 25, 24}}, {{5, 3, 700}}};
static const int g_orders[][RANK] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
static const oy_dtype g_dtypes[] = {OY_DTYPE_F32,  OY_DTYPE_F64, OY_DTYPE_F16,
                                    OY_DTYPE_BF16, OY_DTYPE_I64, OY_DTYPE_I32,
                                    OY_DTYPE_U8};

// Small whole numbers that every dtype holds, sums of them too.
static double number(int k, int64_t i, oy_dtype dtype) {
  const int64_t at = i * 7919 + k * 31;
  if (oy_dtype_is_floating(dtype) && at % 97 == 5) return NAN;
  return (double)(at % 13 + (k ? 0 : 20));
}

static double greater(double a, double b) {
  return isnan(a) || isnan(b) ? NAN : a > b ? a : b;
}
static double less(double a, double b) {
  return isnan(a) || isnan(b) ? NAN : a < b ? a : b;
}
static double sum(double a, double b) {
  return a + b;
}
static double difference(double a, double b) {
  return a - b;
}
static double is_equal(double a, double b) {
  return a == b;
}
static double is_unequal(double a, double b) {
  return a != b;
}
static double is_greater(double a, double b) {
  return a > b;
}
static double is_less(double a, double b) {
  return a < b;
}
static double is_least(double a, double b) {
  return a <= b;
}
static double is_most(double a, double b) {
  return a >= b;
}
static double first(double a, double b) {
  (void)b;
  return a;
}
static double chosen(double a, double b) {
  return a > 25 ? a : b;
}
static oy_tensor* add(oy_tensor* a, oy_tensor* b) {
  return oy_add_Tensor(a, b, ALPHA1);
}
static oy_tensor* subtract(oy_tensor* a, oy_tensor* b) {
  return oy_sub_Tensor(a, b, ALPHA1);
}
// Of whole numbers.
static oy_tensor* rounded(oy_tensor* a, oy_tensor* b) {
  (void)b;
  return oy_floor(a);
}
static oy_tensor* choose(oy_tensor* a, oy_tensor* b) {
  oy_tensor* mask = oy_gt_Scalar(a, oy_int(25));
  oy_tensor* result = oy_where_self(mask, a, b);
  oy_tensor_release(mask);
  return result;
}

static const struct {
  const char* name;
  oy_tensor* (*op)(oy_tensor* a, oy_tensor* b);
  double (*reference)(double a, double b);
} g_operators[] = {{"add", add, sum},
                   {"sub", subtract, difference},
                   {"maximum", oy_maximum, greater},
                   {"minimum", oy_minimum, less},
                   {"eq", oy_eq_Tensor, is_equal},
                   {"ne", oy_ne_Tensor, is_unequal},
                   {"gt", oy_gt_Tensor, is_greater},
                   {"lt", oy_lt_Tensor, is_less},
                   {"le", oy_le_Tensor, is_least},
                   {"ge", oy_ge_Tensor, is_most},
                   {"floor", rounded, first},
                   {"where", choose, chosen}};

// Numbers in the order of |sizes|, whose dimensions lie in memory in |order|, the slowest first.
static oy_tensor* laid_out(const shape* s, const int* order, int k, oy_dtype dtype) {
  static double x[MOST];
  int64_t in_memory[RANK], back[RANK], steps[RANK] = {0};
  int64_t step = 1;
  for (int d = RANK; d-- > 0;) {
    in_memory[d] = s->sizes[order[d]];
    back[order[d]] = d;
    steps[order[d]] = step;
    step *= in_memory[d];
  }
  assert_true(step <= MOST);
  int64_t i = 0;
  for (int64_t a = 0; a < s->sizes[0]; a++)
    for (int64_t b = 0; b < s->sizes[1]; b++)
      for (int64_t c = 0; c < s->sizes[2]; c++)
        x[a * steps[0] + b * steps[1] + c * steps[2]] = number(k, i++, dtype);
  oy_tensor* wide = oy_tensor_from_data(x, (oy_ints){in_memory, RANK}, OY_DTYPE_F64);
  oy_tensor* made = oy_to_dtype(wide, dtype, false, true, oy_none());
  oy_tensor* t = oy_permute(made, (oy_ints){back, RANK});
  assert_non_null(t);
  oy_tensor_release(made);
  oy_tensor_release(wide);
  return t;
}

static void check(const shape* s, oy_tensor* a, oy_tensor* b) {
  static double want[MOST];
  const int64_t n = s->sizes[0] * s->sizes[1] * s->sizes[2];
  for (size_t k = 0; k < OY_ARRAY_SIZE(g_operators); k++) {
    for (int64_t i = 0; i < n; i++)
      want[i] = g_operators[k].reference(number(0, i, a->dtype), number(1, i, b->dtype));
    oy_tensor* r = g_operators[k].op(a, b);
    if (!r) fail_msg("%s: %s", g_operators[k].name, oy_error_get()->message);
    oy_tensor* rows = oy_contiguous(r, OY_MEMORY_CONTIGUOUS);
    oy_tensor* got = oy_to_dtype(rows, OY_DTYPE_F64, false, false, oy_none());
    const double* x = oy_tensor_data(got);
    for (int64_t i = 0; i < n; i++)
      if (x[i] != want[i] && !(isnan(x[i]) && isnan(want[i])))
        fail_msg("%s of %s (%d, %d, %d): element %d is %g, not %g", g_operators[k].name,
                 oy_dtype_name(a->dtype), (int)s->sizes[0], (int)s->sizes[1],
                 (int)s->sizes[2], (int)i, x[i], want[i]);
    oy_tensor_release(got);
    oy_tensor_release(rows);
    oy_tensor_release(r);
  }
}

static void check_orders(const shape* s, oy_dtype dtype, oy_dtype other) {
  for (size_t p = 0; p < OY_ARRAY_SIZE(g_orders); p++)
    for (size_t q = 0; q < OY_ARRAY_SIZE(g_orders); q++) {
      oy_tensor* a = laid_out(s, g_orders[p], 0, dtype);
      oy_tensor* b = laid_out(s, g_orders[q], 1, other);
      check(s, a, b);
      oy_tensor_release(a);
      oy_tensor_release(b);
    }
}
static void every_order(void** state) {
  (void)state;
  for (size_t k = 0; k < OY_ARRAY_SIZE(g_shapes); k++)
    for (size_t d = 0; d < OY_ARRAY_SIZE(g_dtypes); d++)
      check_orders(&g_shapes[k], g_dtypes[d], g_dtypes[d]);
}
// One of them is converted first, or both.
static void orders_of_others(void** state) {
  (void)state;
  for (size_t k = 0; k < OY_ARRAY_SIZE(g_shapes); k++)
    for (size_t d = 0; d < OY_ARRAY_SIZE(g_dtypes); d++)
      check_orders(&g_shapes[k], g_dtypes[d],
                   g_dtypes[(d + 3) % OY_ARRAY_SIZE(g_dtypes)]);
}

static oy_tensor* multiply(oy_tensor* a, oy_tensor* b) {
  return oy_mul_Tensor(a, b);
}
static oy_tensor* divide(oy_tensor* a, oy_tensor* b) {
  return oy_div_Tensor(a, b);
}
static const double* parts_of(oy_tensor* t) {
  oy_tensor* rows = oy_contiguous(t, OY_MEMORY_CONTIGUOUS);
  return oy_tensor_data(oy_to_dtype(rows, OY_DTYPE_C128, false, true, oy_none()));
}
// As copies of both that lie side by side give.
static void check_complex(const shape* s, int order, oy_dtype dtype) {
  static oy_tensor* (*const ops[])(oy_tensor*, oy_tensor*) = {add, multiply, divide};
  oy_tensor* halves[2][2];
  for (int k = 0; k < 4; k++)
    halves[k / 2][k % 2] = laid_out(s, g_orders[k / 2 ? order : 0], k, OY_DTYPE_F64);
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor *a[2], *b[2];
  for (int k = 0; k < 2; k++) {
    oy_tensor* wide = oy_op_complex(halves[k][0], halves[k][1]);
    a[k] = oy_to_dtype(wide, dtype, false, true, oy_none());
    b[k] = oy_contiguous(a[k], OY_MEMORY_CONTIGUOUS);
  }
  for (int k = 0; k < 3; k++) {
    const double* got = parts_of(ops[k](a[0], a[1]));
    const double* want = parts_of(ops[k](b[0], b[1]));
    for (int64_t i = 0; i < 2 * oy_tensor_numel(a[0]); i++)
      if (got[i] != want[i] && !(isnan(got[i]) && isnan(want[i])))
        fail_msg("operator %d of %s (%d, %d, %d), order %d: part %d is %g, not %g", k,
                 oy_dtype_name(dtype), (int)s->sizes[0], (int)s->sizes[1],
                 (int)s->sizes[2], order, (int)i, got[i], want[i]);
  }
  oy_scope_close(&scope);
  for (int k = 0; k < 4; k++) oy_tensor_release(halves[k / 2][k % 2]);
}
static void orders_of_complex_numbers(void** state) {
  (void)state;
  for (size_t k = 0; k < OY_ARRAY_SIZE(g_shapes); k++)
    for (int order = 0; order < (int)OY_ARRAY_SIZE(g_orders); order++) {
      check_complex(&g_shapes[k], order, OY_DTYPE_C64);
      check_complex(&g_shapes[k], order, OY_DTYPE_C128);
    }
}

// |t| in every |step|th element of rows that are longer than its own.
static oy_tensor* with_gaps(oy_tensor* t, const shape* s, int64_t step) {
  const int64_t n = s->sizes[2] * step;
  oy_tensor* wide = oy_tensor_empty(OY_DIMS(s->sizes[0], s->sizes[1], n + 2), t->dtype,
                                    oy_device_cpu());
  oy_tensor* part = oy_slice_Tensor(wide, 2, oy_int(1), oy_int(1 + n), step);
  assert_ptr_equal(oy_copy_(part, t, false), part);
  oy_tensor_release(wide);
  return part;
}
// Beside rows that lie apart, or of which every other element is read.
static void orders_beside_gaps(void** state) {
  (void)state;
  static const shape shapes[] = {{{40, 16, 9}}, {{33, 8, 30}},  {{20, 25, 24}},
                                 {{3, 20, 97}}, {{9, 11, 100}}, {{2, 17, 300}}};
  for (size_t k = 0; k < OY_ARRAY_SIZE(shapes); k++)
    for (size_t d = 0; d < OY_ARRAY_SIZE(g_dtypes); d++)
      for (size_t q = 0; q < 2 * OY_ARRAY_SIZE(g_orders); q++) {
        oy_tensor* a = laid_out(&shapes[k], g_orders[0], 0, g_dtypes[d]);
        oy_tensor* b = laid_out(&shapes[k], g_orders[q / 2], 1, g_dtypes[d]);
        oy_tensor* apart = with_gaps(a, &shapes[k], 1 + q % 2);
        check(&shapes[k], apart, b);
        oy_tensor* const all[] = {a, b, apart};
        for (int i = 0; i < 3; i++) oy_tensor_release(all[i]);
      }
}

// Rows around those of vectors, the result in the place of an operand.
static void rows_in_place(void** state) {
  (void)state;
  enum { LONGEST = 70 };
  for (size_t d = 0; d < OY_ARRAY_SIZE(g_dtypes); d++)
    for (int64_t n = 1; n <= LONGEST; n++) {
      const shape s = {{1, 1, n}};
      const oy_dtype dtype = g_dtypes[d];
      oy_tensor* a = laid_out(&s, g_orders[0], 0, dtype);
      oy_tensor* b = laid_out(&s, g_orders[0], 1, dtype);
      assert_non_null(oy_sub__Tensor(a, b, ALPHA1));
      assert_non_null(oy_clamp_min__Tensor(b, a));
      oy_tensor* got[] = {oy_to_dtype(a, OY_DTYPE_F64, false, true, oy_none()),
                          oy_to_dtype(b, OY_DTYPE_F64, false, true, oy_none())};
      double want[2][LONGEST];
      for (int64_t i = 0; i < n; i++) {
        want[0][i] = number(0, i, dtype) - number(1, i, dtype);
        want[1][i] = greater(want[0][i], number(1, i, dtype));
      }
      for (int k = 0; k < 2; k++) {
        assert_close_(got[k], OY_DIMS(1, 1, n), want[k], 0, __FILE__, __LINE__);
        oy_tensor_release(got[k]);
      }
      oy_tensor_release(a);
      oy_tensor_release(b);
    }
}

// Rows apart from each other, a number for each and a row for many: three copies, of short rows.
static void check_three(oy_dtype dtype, int64_t n) {
  enum { BLOCKS = 50, ROWS = 3, MORE = 2 };
  const shape wide = {{BLOCKS, ROWS, n + MORE}}, column = {{BLOCKS, ROWS, 1}},
              row = {{1, ROWS, n}};
  static double want[MOST];
  oy_tensor* all = laid_out(&wide, g_orders[0], 0, OY_DTYPE_I64);
  oy_tensor* typed = oy_to_dtype(all, dtype, false, false, oy_none());
  oy_tensor* a = oy_narrow(typed, 2, 1, n);
  oy_tensor *b = laid_out(&column, g_orders[0], 1, dtype),
            *c = laid_out(&row, g_orders[0], 1, dtype);
  for (int64_t i = 0; i < BLOCKS * ROWS; i++)
    for (int64_t k = 0; k < n; k++)
      want[i * n + k] = number(0, i * (n + MORE) + 1 + k, OY_DTYPE_I64) +
                        2 * number(1, i, dtype) * number(1, i % ROWS * n + k, dtype);
  oy_tensor* got = oy_addcmul(a, b, c, oy_int(2));
  assert_close_(got, OY_DIMS(BLOCKS, ROWS, n), want, 0, __FILE__, __LINE__);
  oy_tensor* const made[] = {got, c, b, a, typed, all};
  for (size_t i = 0; i < OY_ARRAY_SIZE(made); i++) oy_tensor_release(made[i]);
}
static void three_operands(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_I64,
                                    OY_DTYPE_I32};
  for (size_t d = 0; d < OY_ARRAY_SIZE(dtypes); d++)
    for (int64_t n = 1; n <= 40; n++) check_three(dtypes[d], n);
}

// Three operands, each of which lies in an order of its own: two of them across the result, in the
// same dimension or in two.
static void check_orders_of_three(const shape* s, oy_dtype dtype, int order) {
  const int64_t n = s->sizes[0] * s->sizes[1] * s->sizes[2];
  oy_tensor *a = laid_out(s, g_orders[order % 6], 0, OY_DTYPE_I64),
            *b = laid_out(s, g_orders[order / 6 % 6], 1, OY_DTYPE_I64),
            *c = laid_out(s, g_orders[order / 36], 2, OY_DTYPE_I64);
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* typed[] = {oy_to_dtype(a, dtype, false, true, oy_none()),
                        oy_to_dtype(b, dtype, false, true, oy_none()),
                        oy_to_dtype(c, dtype, false, true, oy_none())};
  oy_tensor* mask = oy_gt_Scalar(typed[0], oy_int(25));
  const double* sum = parts_of(oy_addcmul(typed[0], typed[1], typed[2], oy_int(2)));
  const double* choice = parts_of(oy_where_self(mask, typed[1], typed[2]));
  for (int64_t i = 0; i < n; i++) {
    const double x = number(0, i, OY_DTYPE_I64), y = number(1, i, OY_DTYPE_I64),
                 z = number(2, i, OY_DTYPE_I64);
    if (sum[2 * i] != x + 2 * y * z || choice[2 * i] != (x > 25 ? y : z))
      fail_msg("%s (%d, %d, %d), order %d: element %d is %g and %g", oy_dtype_name(dtype),
               (int)s->sizes[0], (int)s->sizes[1], (int)s->sizes[2], order, (int)i,
               sum[2 * i], choice[2 * i]);
  }
  oy_scope_close(&scope);
  oy_tensor* const made[] = {a, b, c};
  for (int k = 0; k < 3; k++) oy_tensor_release(made[k]);
}
static void orders_of_three(void** state) {
  (void)state;
  static const shape shapes[] = {
      {{4, 76, 30}}, {{20, 25, 24}}, {{9, 33, 40}}, {{70, 5, 17}}, {{2, 3, 600}}};
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_I16};
  for (size_t k = 0; k < OY_ARRAY_SIZE(shapes); k++)
    for (size_t d = 0; d < OY_ARRAY_SIZE(dtypes); d++)
      for (int order = 0; order < 216; order++)
        check_orders_of_three(&shapes[k], dtypes[d], order);
}

// Four dimensions, of which three operands have some each: blocks of two dimensions and more,
// of which the copies of an operand serve one of them, or all.
static oy_tensor* expanded(const int64_t* sizes, unsigned has, int order, int k,
                           oy_dtype dtype) {
  static const int orders[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 0, 3, 2}, {2, 3, 0, 1}};
  int64_t in_memory[4], back[4];
  static double x[MOST];
  int64_t count = 1;
  for (int d = 0; d < 4; d++) {
    const int at = orders[order][d];
    in_memory[d] = has >> at & 1 ? sizes[at] : 1;
    back[at] = d;
    count *= in_memory[d];
  }
  assert_true(count <= MOST);
  for (int64_t i = 0; i < count; i++) x[i] = number(k, i, OY_DTYPE_I64);
  oy_tensor* wide =
      oy_scope_take(oy_tensor_from_data(x, (oy_ints){in_memory, 4}, OY_DTYPE_F64));
  oy_tensor* typed = oy_to_dtype(wide, dtype, false, true, oy_none());
  return oy_permute(typed, (oy_ints){back, 4});
}
// What was laid out as |t|, as double in the shape of the result.
static oy_tensor* spread_out(oy_tensor* t, const int64_t* sizes) {
  oy_tensor* wide = oy_to_dtype(t, OY_DTYPE_F64, false, true, oy_none());
  return oy_contiguous(oy_expand(wide, (oy_ints){sizes, 4}, false), OY_MEMORY_CONTIGUOUS);
}
static void check_blocks(const int64_t* sizes, oy_dtype dtype, unsigned has_b,
                         unsigned has_c, int order) {
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* a = expanded(sizes, 15, order % 4, 0, dtype);
  oy_tensor* b = expanded(sizes, has_b, order / 4 % 4, 1, dtype);
  oy_tensor* c = expanded(sizes, has_c, order / 16, 2, dtype);
  oy_tensor* got = spread_out(oy_addcmul(a, b, c, oy_int(1)), sizes);
  const double* x = oy_tensor_data(spread_out(a, sizes));
  const double* y = oy_tensor_data(spread_out(b, sizes));
  const double* z = oy_tensor_data(spread_out(c, sizes));
  const double* r = oy_tensor_data(got);
  for (int64_t i = 0; i < oy_tensor_numel(got); i++)
    if (r[i] != x[i] + y[i] * z[i])
      fail_msg("addcmul of %s (%d, %d, %d, %d), %u, %u, %d: element %d is %g",
               oy_dtype_name(dtype), (int)sizes[0], (int)sizes[1], (int)sizes[2],
               (int)sizes[3], has_b, has_c, order, (int)i, r[i]);
  oy_scope_close(&scope);
}
static void blocks_of_dimensions(void** state) {
  (void)state;
  static const int64_t shapes[][4] = {
      {3, 28, 16, 4}, {48, 3, 4, 4}, {9, 8, 3, 17}, {2, 2, 100, 3}, {20, 2, 64, 2}};
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_I32, OY_DTYPE_U8,
                                    OY_DTYPE_I64};
  for (size_t k = 0; k < OY_ARRAY_SIZE(shapes); k++)
    for (size_t d = 0; d < OY_ARRAY_SIZE(dtypes); d++)
      for (unsigned has = 0; has < 256; has += dtypes[d] == OY_DTYPE_F32 ? 1 : 5)
        check_blocks(shapes[k], dtypes[d], has & 15, has >> 4, (int)(has * 37 % 64));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(three_operands),
                                     cmocka_unit_test(every_order),
                                     cmocka_unit_test(orders_of_others),
                                     cmocka_unit_test(rows_in_place),
                                     cmocka_unit_test(blocks_of_dimensions),
                                     cmocka_unit_test(orders_beside_gaps),
                                     cmocka_unit_test(orders_of_complex_numbers),
                                     cmocka_unit_test(orders_of_three)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
