// SPDX-License-Identifier: Apache-2.0
// Elementwise operators: every one on every dtype that it has, over layouts that take
// every way through the iterator, against the arithmetic of C on one element.
#include "support/tensors.h"

typedef double (*reference)(double a, double b, double alpha);
static double ref_add(double a, double b, double alpha) {
  return a + alpha * b;
}
static double ref_sub(double a, double b, double alpha) {
  return a - alpha * b;
}
static double ref_mul(double a, double b, double alpha) {
  return (void)alpha, a * b;
}
static double ref_div(double a, double b, double alpha) {
  return (void)alpha, a / b;
}
static double ref_eq(double a, double b, double alpha) {
  return (void)alpha, a == b;
}
static double ref_ne(double a, double b, double alpha) {
  return (void)alpha, a != b;
}
static double ref_lt(double a, double b, double alpha) {
  return (void)alpha, a < b;
}
static double ref_le(double a, double b, double alpha) {
  return (void)alpha, a <= b;
}
static double ref_gt(double a, double b, double alpha) {
  return (void)alpha, a > b;
}
static double ref_ge(double a, double b, double alpha) {
  return (void)alpha, a >= b;
}

typedef struct binary_op {
  const char* name;
  reference ref;
  oy_tensor* (*plain)(oy_tensor* a, oy_tensor* b);
  oy_tensor* (*with_alpha)(oy_tensor* a, oy_tensor* b, oy_scalar alpha);
  oy_tensor* (*inplace)(oy_tensor* a, oy_tensor* b);
  oy_tensor* (*inplace_alpha)(oy_tensor* a, oy_tensor* b, oy_scalar alpha);
  oy_tensor* (*out)(oy_tensor* a, oy_tensor* b, oy_tensor* out);
  oy_tensor* (*out_alpha)(oy_tensor* a, oy_tensor* b, oy_scalar alpha, oy_tensor* out);
  bool compares;
} binary_op;

static const binary_op g_ops[] = {
    {.name = "add",
     .ref = ref_add,
     .with_alpha = oy_add_Tensor,
     .inplace_alpha = oy_add__Tensor,
     .out_alpha = oy_add_out},
    {.name = "sub",
     .ref = ref_sub,
     .with_alpha = oy_sub_Tensor,
     .inplace_alpha = oy_sub__Tensor,
     .out_alpha = oy_sub_out},
    {.name = "mul",
     .ref = ref_mul,
     .plain = oy_mul_Tensor,
     .inplace = oy_mul__Tensor,
     .out = oy_mul_out},
    {.name = "div",
     .ref = ref_div,
     .plain = oy_div_Tensor,
     .inplace = oy_div__Tensor,
     .out = oy_div_out},
    {.name = "eq", .ref = ref_eq, .plain = oy_eq_Tensor, .compares = true},
    {.name = "ne", .ref = ref_ne, .plain = oy_ne_Tensor, .compares = true},
    {.name = "lt", .ref = ref_lt, .plain = oy_lt_Tensor, .compares = true},
    {.name = "le", .ref = ref_le, .plain = oy_le_Tensor, .compares = true},
    {.name = "gt", .ref = ref_gt, .plain = oy_gt_Tensor, .compares = true},
    {.name = "ge", .ref = ref_ge, .plain = oy_ge_Tensor, .compares = true},
};
enum { OPS = sizeof(g_ops) / sizeof(*g_ops) };

static const oy_dtype g_dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_I64,
                                    OY_DTYPE_I32, OY_DTYPE_U8};
enum { DTYPES = 5 };

// A layout of a 3 x 4 tensor, or of one that broadcasts to it.
typedef oy_tensor* (*layout)(oy_dtype dtype, int seed);

static oy_tensor* filled(oy_ints sizes, oy_dtype dtype, int seed) {
  oy_tensor* t = oy_tensor_empty(sizes, dtype, oy_device_cpu());
  int64_t n = oy_tensor_numel(t), columns = sizes.size ? sizes.data[sizes.size - 1] : 1;
  for (int64_t i = 0; i < n; i++) {
    int64_t index[2] = {i / columns, i % columns};
    oy_ints at = {index + 2 - sizes.size, sizes.size};
    assert_int_equal(oy_tensor_set(t, at, oy_int((i * 7 + seed) % 5 + 1)), OY_OK);
  }
  return t;
}
static oy_tensor* contiguous(oy_dtype d, int seed) {
  return filled(OY_DIMS(3, 4), d, seed);
}
static oy_tensor* transposed(oy_dtype d, int seed) {
  oy_tensor* t = filled(OY_DIMS(4, 3), d, seed);
  oy_tensor* v = oy_tensor_transpose(t, 0, 1);
  oy_tensor_release(t);
  return v;
}
static oy_tensor* sliced(oy_dtype d, int seed) {
  oy_tensor* t = filled(OY_DIMS(6, 9), d, seed);
  oy_tensor* v = oy_tensor_as_strided(t, OY_DIMS(3, 4), OY_DIMS(18, 2), 1);
  oy_tensor_release(t);
  return v;
}
static oy_tensor* row(oy_dtype d, int seed) {
  return filled(OY_DIMS(4), d, seed);
}
static oy_tensor* column(oy_dtype d, int seed) {
  return filled(OY_DIMS(3, 1), d, seed);
}
static oy_tensor* scalar(oy_dtype d, int seed) {
  return filled(oy_dims_none(), d, seed);
}
static oy_tensor* expanded(oy_dtype d, int seed) {
  oy_tensor* t = column(d, seed);
  oy_tensor* v = oy_tensor_expand(t, OY_DIMS(3, 4));
  oy_tensor_release(t);
  return v;
}

static const layout g_layouts[] = {contiguous, transposed, sliced, expanded,
                                   row,        column,     scalar};
enum { LAYOUTS = 7, FULL_LAYOUTS = 3 };

static double at(const oy_tensor* t, int64_t i, int64_t j) {
  oy_ints sizes = oy_tensor_sizes(t);
  int64_t index[2] = {i, j};
  for (size_t d = 0; d < sizes.size; d++)
    if (sizes.data[d] == 1) index[2 - sizes.size + d] = 0;
  oy_scalar s;
  assert_int_equal(oy_tensor_get(t, (oy_ints){index + 2 - sizes.size, sizes.size}, &s),
                   0);
  return scalar_number(s);
}

static oy_tensor* call(const binary_op* op, oy_tensor* a, oy_tensor* b, int alpha) {
  return op->plain ? op->plain(a, b) : op->with_alpha(a, b, oy_int(alpha));
}

static double stored(oy_dtype dtype, double value) {
  if (dtype == OY_DTYPE_F32) return (double)(float)value;
  return dtype == OY_DTYPE_U8 ? (double)(uint8_t)(int64_t)value : value;
}

static void check(const oy_tensor* got, const binary_op* op, const double* a,
                  const double* b, int alpha) {
  oy_ints sizes = oy_tensor_sizes(got);
  int64_t n = oy_tensor_numel(got);
  for (int64_t k = 0; k < n; k++) {
    double want = stored(got->dtype, op->ref(a[k], b[k], alpha));
    if (element(got, k) != want)
      fail_msg("%s of %g and %g at %d of %d dims: %g and not %g", op->name, a[k], b[k],
               (int)k, (int)sizes.size, element(got, k), want);
  }
}

// The elements of an operand as the result sees them.
static void spread(const oy_tensor* t, const oy_tensor* result, double* out) {
  oy_ints sizes = oy_tensor_sizes(result);
  int64_t rows = sizes.size == 2 ? sizes.data[0] : 1;
  int64_t columns = sizes.size ? sizes.data[sizes.size - 1] : 1;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++) out[i * columns + j] = at(t, i, j);
}

static void one_case(const binary_op* op, oy_dtype dtype, layout la, layout lb) {
  for (int alpha = 1; alpha <= 3; alpha += 2) {
    if (alpha > 1 && op->plain) continue;
    oy_tensor* a = la(dtype, 1);
    oy_tensor* b = lb(dtype, 2);
    oy_tensor* got = call(op, a, b, alpha);
    assert_non_null(got);
    double x[12], y[12];
    spread(a, got, x);
    spread(b, got, y);
    oy_dtype want = dtype;
    if (op->compares) want = OY_DTYPE_BOOL;
    if (op->ref == ref_div && !oy_dtype_is_floating(dtype)) want = OY_DTYPE_F32;
    assert_int_equal(got->dtype, want);
    check(got, op, x, y, alpha);
    oy_tensor_release(got);
    oy_tensor_release(a);
    oy_tensor_release(b);
  }
}

static void every_operator_dtype_and_layout(void** state) {
  (void)state;
  for (int o = 0; o < OPS; o++)
    for (int d = 0; d < DTYPES; d++)
      for (int i = 0; i < LAYOUTS; i++)
        for (int j = 0; j < LAYOUTS; j++)
          one_case(&g_ops[o], g_dtypes[d], g_layouts[i], g_layouts[j]);
}

static void inplace_and_out_forms_agree(void** state) {
  (void)state;
  for (int o = 0; o < OPS; o++) {
    const binary_op* op = &g_ops[o];
    if (op->compares) continue;
    for (int i = 0; i < FULL_LAYOUTS; i++) {
      for (int j = 0; j < LAYOUTS; j++) {
        oy_tensor* a = g_layouts[i](OY_DTYPE_F64, 1);
        oy_tensor* b = g_layouts[j](OY_DTYPE_F64, 2);
        oy_tensor* out = g_layouts[(i + 1) % FULL_LAYOUTS](OY_DTYPE_F64, 3);
        double x[12], y[12];
        spread(a, a, x);
        spread(b, a, y);
        uint32_t version = oy_tensor_version(out);
        assert_ptr_equal(
            op->out ? op->out(a, b, out) : op->out_alpha(a, b, oy_int(3), out), out);
        check(out, op, x, y, 3);
        assert_int_equal(oy_tensor_version(out), version + 1);
        version = oy_tensor_version(a);
        assert_ptr_equal(
            op->inplace ? op->inplace(a, b) : op->inplace_alpha(a, b, oy_int(3)), a);
        check(a, op, x, y, 3);
        assert_int_equal(oy_tensor_version(a), version + 1);
        oy_tensor_release(out);
        oy_tensor_release(b);
        oy_tensor_release(a);
      }
    }
  }
}

static void TYPE_02_operands_of_two_dtypes(void** state) {
  (void)state;
  for (int o = 0; o < OPS; o++) {
    for (int d = 0; d < DTYPES; d++) {
      for (int e = 0; e < DTYPES; e++) {
        oy_tensor* a = transposed(g_dtypes[d], 1);
        oy_tensor* b = row(g_dtypes[e], 2);
        oy_tensor* got = call(&g_ops[o], a, b, 1);
        oy_dtype want;
        assert_int_equal(oy_dtype_promote(g_dtypes[d], g_dtypes[e], &want), OY_OK);
        if (g_ops[o].compares) want = OY_DTYPE_BOOL;
        if (g_ops[o].ref == ref_div && !oy_dtype_is_floating(want)) want = OY_DTYPE_F32;
        assert_int_equal(got->dtype, want);
        double x[12], y[12];
        spread(a, got, x);
        spread(b, got, y);
        check(got, &g_ops[o], x, y, 1);
        oy_tensor_release(got);
        oy_tensor_release(a);
        oy_tensor_release(b);
      }
    }
  }
}

static void large_operands(void** state) {
  (void)state;
  enum { N = 100003 };
  float* data = malloc(N * sizeof(float));
  for (int i = 0; i < N; i++) data[i] = (float)(i % 1000);
  oy_tensor* a = oy_tensor_from_data(data, OY_DIMS(N), OY_DTYPE_F32);
  oy_tensor* b = oy_add_Tensor(a, a, oy_int(2));
  const float* got = oy_tensor_data(b);
  for (int i = 0; i < N; i++) assert_true(got[i] == 3 * data[i]);
  assert_ptr_equal(oy_mul__Tensor(b, b), b);
  for (int i = 0; i < N; i++) assert_true(got[i] == 9 * data[i] * data[i]);
  oy_tensor_release(a);
  oy_tensor_release(b);
  free(data);
}

static void unary_operators(void** state) {
  (void)state;
  oy_tensor* a = F32(OY_DIMS(2, 2), -1, 0, 2.5f, NAN);
  oy_tensor* n = oy_neg(a);
  assert_elements(n, OY_DIMS(2, 2), 1, -0.0, -2.5, NAN);
  oy_tensor* r = oy_relu(a);
  assert_elements(r, OY_DIMS(2, 2), 0, 0, 2.5, NAN);
  assert_ptr_equal(oy_relu_(a), a);
  assert_elements(a, OY_DIMS(2, 2), 0, 0, 2.5, NAN);
  assert_ptr_equal(oy_neg_out(a, r), r);
  assert_elements(r, OY_DIMS(2, 2), 0, 0, -2.5, NAN);
  oy_tensor* i = I64(OY_DIMS(2), INT64_MIN, 5);
  assert_ptr_equal(oy_neg_(i), i);
  assert_elements(i, OY_DIMS(2), (double)INT64_MIN, -5);
  oy_tensor_release(i);
  oy_tensor_release(r);
  oy_tensor_release(n);
  oy_tensor_release(a);
}

static void TYPE_02_TYPE_04_numbers_as_operands(void** state) {
  (void)state;
  oy_tensor* u = U8(OY_DIMS(1), 1);
  oy_tensor* r = oy_add_Scalar(u, oy_int(1000), ALPHA1);
  assert_int_equal(r->dtype, OY_DTYPE_U8);
  assert_elements(r, OY_DIMS(1), 233);
  oy_tensor_release(r);
  r = oy_add_Scalar(u, oy_float(1.5), oy_int(2));
  assert_int_equal(r->dtype, OY_DTYPE_F32);
  assert_elements(r, OY_DIMS(1), 4);
  oy_tensor_release(r);
  oy_tensor_release(u);
  oy_tensor* d = F64(OY_DIMS(1), 1);
  r = oy_mul_Scalar(d, oy_float(0.1));  // not rounded to float on the way
  assert_elements(r, OY_DIMS(1), 0.1);
  oy_tensor_release(r);
  r = oy_div_Scalar(d, oy_int(3));
  assert_elements(r, OY_DIMS(1), 1.0 / 3);
  oy_tensor_release(r);
  assert_ptr_equal(oy_sub__Scalar(d, oy_float(0.5), oy_int(2)), d);
  assert_elements(d, OY_DIMS(1), 0);
  oy_tensor_release(d);
  oy_tensor* b = BOOLS(OY_DIMS(2), true, false);
  r = oy_add_Scalar(b, oy_int(1), ALPHA1);
  assert_int_equal(r->dtype, OY_DTYPE_I64);
  assert_elements(r, OY_DIMS(2), 2, 1);
  oy_tensor_release(r);
  r = oy_gt_Scalar(b, oy_float(0.5));
  assert_int_equal(r->dtype, OY_DTYPE_BOOL);
  assert_elements(r, OY_DIMS(2), 1, 0);
  oy_tensor_release(r);
  r = oy_add_Tensor(b, b, ALPHA1);
  assert_int_equal(r->dtype, OY_DTYPE_BOOL);
  assert_elements(r, OY_DIMS(2), 1, 0);
  oy_tensor_release(r);
  oy_tensor_release(b);
}

static void empty_operands(void** state) {
  (void)state;
  oy_tensor* none = oy_tensor_empty(OY_DIMS(0, 3), OY_DTYPE_F32, oy_device_cpu());
  oy_tensor* one = F32(OY_DIMS(1, 1), 1);
  oy_tensor* r = oy_add_Tensor(none, one, ALPHA1);
  assert_dims(oy_tensor_sizes(r), OY_DIMS(0, 3));
  oy_tensor_release(r);
  r = oy_add_Tensor(none, none, ALPHA1);
  assert_dims(oy_tensor_sizes(r), OY_DIMS(0, 3));
  oy_tensor_release(r);
  oy_tensor_release(one);
  oy_tensor_release(none);
}

static void errors_say_what_was_wrong(void** state) {
  (void)state;
  oy_tensor* a = F32(OY_DIMS(2), 1, 2);
  oy_tensor* b = F32(OY_DIMS(3), 1, 2, 3);
  oy_tensor* i = I64(OY_DIMS(2), 1, 2);
  oy_tensor* t = BOOLS(OY_DIMS(2), true, true);
  assert_fails(oy_add_Tensor(a, b, ALPHA1),
               "The size of tensor a (2) must match the size of tensor b (3) at "
               "non-singleton dimension 0");
  assert_fails(oy_add_Tensor(i, i, oy_float(1.5)),
               "For integral input tensors, argument alpha must not be a floating point "
               "number.");
  assert_fails(oy_add_Tensor(i, i, oy_bool(true)),
               "Boolean alpha only supported for Boolean results.");
  assert_fails(oy_add__Tensor(i, a, ALPHA1),
               "result type Float can't be cast to the desired output type Long");
  assert_fails(oy_add_out(a, a, ALPHA1, i),
               "result type Float can't be cast to the desired output type Long");
  assert_fails(oy_sub_Tensor(t, t, ALPHA1),
               "Subtraction, the `-` operator, with two bool tensors is not supported. "
               "Use the `^` or `logical_xor()` operator instead.");
  assert_elements(i, OY_DIMS(2), 1, 2);
  oy_tensor* h = oy_tensor_empty(OY_DIMS(1), OY_DTYPE_F16, oy_device_cpu());
  assert_fails(oy_gcd(h, h), "\"gcd_cpu\" not implemented for 'Half'");
  assert_null(oy_add_Tensor(NULL, a, ALPHA1));
  oy_error_clear();
  // The first error of a nested expression is the one that is told.
  assert_fails(oy_neg(oy_add_Tensor(a, b, ALPHA1)),
               "The size of tensor a (2) must match the size of tensor b (3) at "
               "non-singleton dimension 0");
  oy_tensor_release(h);
  oy_tensor_release(t);
  oy_tensor_release(i);
  oy_tensor_release(b);
  oy_tensor_release(a);
}

static void TEN_13_overlapping_writes_are_refused(void** state) {
  (void)state;
  oy_tensor* t = F32(OY_DIMS(4), 1, 2, 3, 4);
  oy_tensor* low = oy_tensor_as_strided(t, OY_DIMS(3), OY_DIMS(1), 0);
  oy_tensor* high = oy_tensor_as_strided(t, OY_DIMS(3), OY_DIMS(1), 1);
  oy_tensor* same = oy_tensor_as_strided(t, OY_DIMS(3), OY_DIMS(1), 0);
  oy_tensor* wide = oy_tensor_as_strided(t, OY_DIMS(3), OY_DIMS(0), 0);
  assert_fails(oy_add__Tensor(high, low, ALPHA1),
               "unsupported operation: some elements of the input tensor and the "
               "written-to tensor refer to a single memory location. Please clone() the "
               "tensor before performing the operation.");
  assert_fails(oy_add_out(low, low, ALPHA1, high),
               "unsupported operation: some elements of the input tensor and the "
               "written-to tensor refer to a single memory location. Please clone() the "
               "tensor before performing the operation.");
  assert_fails(oy_add__Tensor(wide, low, ALPHA1),
               "unsupported operation: more than one element of the written-to tensor "
               "refers to a single memory location. Please clone() the tensor before "
               "performing the operation.");
  assert_elements(t, OY_DIMS(4), 1, 2, 3, 4);
  assert_ptr_equal(oy_add__Tensor(low, same, ALPHA1), low);
  assert_elements(t, OY_DIMS(4), 2, 4, 6, 4);
  oy_tensor_release(wide);
  oy_tensor_release(same);
  oy_tensor_release(high);
  oy_tensor_release(low);
  oy_tensor_release(t);
}

static void TI_06_outputs_are_resized_and_cast(void** state) {
  (void)state;
  oy_tensor* a = F32(OY_DIMS(3), 1, 2, 3);
  oy_tensor* none = oy_tensor_empty(OY_DIMS(0), OY_DTYPE_F32, oy_device_cpu());
  assert_ptr_equal(oy_add_out(a, a, ALPHA1, none), none);
  assert_elements(none, OY_DIMS(3), 2, 4, 6);
  oy_tensor* d = oy_tensor_empty(OY_DIMS(2, 2), OY_DTYPE_F64, oy_device_cpu());
  assert_ptr_equal(oy_mul_out(a, a, d), d);  // computed in float, stored as double
  assert_elements(d, OY_DIMS(3), 1, 4, 9);
  oy_tensor* wide = F32(OY_DIMS(2, 3), 1, 1, 1, 1, 1, 1);
  assert_fails(oy_add__Tensor(a, wide, ALPHA1),
               "output with shape [3] doesn't match the broadcast shape [2, 3]");
  oy_tensor_release(wide);
  oy_tensor_release(d);
  oy_tensor_release(none);
  oy_tensor_release(a);
}

static void TI_03_layout_of_new_outputs(void** state) {
  (void)state;
  const int64_t nchw[] = {60, 20, 5, 1}, nhwc[] = {60, 1, 15, 3};
  oy_ints sizes = OY_DIMS(2, 3, 4, 5), plain = {nchw, 4}, last = {nhwc, 4};
  oy_tensor* a =
      oy_empty_strided(sizes, last, oy_none(), oy_none(), oy_none(), oy_none());
  oy_tensor* b =
      oy_empty_strided(sizes, plain, oy_none(), oy_none(), oy_none(), oy_none());
  oy_tensor* r = oy_add_Tensor(a, b, ALPHA1);
  assert_dims(oy_tensor_strides(r), last);  // the first operand decides
  oy_tensor_release(r);
  r = oy_add_Tensor(b, a, ALPHA1);
  assert_dims(oy_tensor_strides(r), plain);
  oy_tensor_release(r);
  oy_tensor* t = oy_tensor_transpose(b, 1, 3);
  r = oy_add_Tensor(t, t, ALPHA1);
  assert_dims(oy_tensor_strides(r), oy_tensor_strides(t));
  oy_tensor_release(r);
  oy_tensor_release(t);
  oy_tensor_release(b);
  oy_tensor_release(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_operator_dtype_and_layout),
      cmocka_unit_test(inplace_and_out_forms_agree),
      cmocka_unit_test(TYPE_02_operands_of_two_dtypes),
      cmocka_unit_test(large_operands),
      cmocka_unit_test(unary_operators),
      cmocka_unit_test(TYPE_02_TYPE_04_numbers_as_operands),
      cmocka_unit_test(empty_operands),
      cmocka_unit_test(errors_say_what_was_wrong),
      cmocka_unit_test(TEN_13_overlapping_writes_are_refused),
      cmocka_unit_test(TI_06_outputs_are_resized_and_cast),
      cmocka_unit_test(TI_03_layout_of_new_outputs),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
