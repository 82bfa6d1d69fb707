// SPDX-License-Identifier: Apache-2.0
// The formula of every operator against finite differences in double. A case gets
// two inputs and gives a tensor; the loss weighs its elements differently, so that a
// gradient that is only right in sum is found.
#include "support/tensors.h"

typedef oy_tensor* (*function)(oy_tensor* a, oy_tensor* b);
typedef struct grad_case {
  const char* name;
  function f;
  int64_t a[4], b[4];  // sizes, ended by 0
} grad_case;

static oy_value N(void) {
  return oy_none();
}

// Temporaries belong to the scope of the caller.
static oy_tensor* f_add(oy_tensor* a, oy_tensor* b) {
  return oy_add_Tensor(a, b, oy_float(2.5));
}
static oy_tensor* f_sub(oy_tensor* a, oy_tensor* b) {
  return oy_sub_Tensor(a, b, oy_float(2.5));
}
static oy_tensor* f_numbers(oy_tensor* a, oy_tensor* b) {
  oy_tensor* x = oy_add_Scalar(a, oy_int(2), oy_int(3));
  oy_tensor* y = oy_sub_Scalar(b, oy_float(0.5), oy_int(2));
  return oy_mul_Tensor(oy_mul_Scalar(x, oy_float(1.5)), oy_div_Scalar(y, oy_int(4)));
}
static oy_tensor* f_neg(oy_tensor* a, oy_tensor* b) {
  return oy_mul_Tensor(oy_neg(a), b);
}
static oy_tensor* f_relu(oy_tensor* a, oy_tensor* b) {
  return oy_mul_Tensor(oy_relu(a), oy_relu(oy_neg(b)));
}
static oy_tensor* f_threshold(oy_tensor* a, oy_tensor* b) {
  return oy_threshold_backward(a, oy_detach(b), oy_float(0.1));
}
static oy_tensor* f_same_twice(oy_tensor* a, oy_tensor* b) {
  oy_tensor* c = oy_mul_Tensor(a, a);
  return oy_add_Tensor(oy_mul_Tensor(c, c), oy_mul_Tensor(c, b), oy_int(1));
}
static oy_tensor* f_sum(oy_tensor* a, oy_tensor* b) {
  return oy_mul_Tensor(oy_sum(a, N()), oy_mean(b, N()));
}
static oy_tensor* f_sum_dims(oy_tensor* a, oy_tensor* b) {
  return oy_mul_Tensor(oy_sum_dim_IntList(a, OY_DIMS(0), false, N()),
                       oy_mean_dim(b, OY_DIMS(0, -1), true, N()));
}
static oy_tensor* f_mean_dims(oy_tensor* a, oy_tensor* b) {
  return oy_mul_Tensor(oy_mean_dim(a, OY_DIMS(1), false, N()),
                       oy_sum_dim_IntList(b, OY_DIMS(-1), false, N()));
}
static oy_tensor* f_views(oy_tensor* a, oy_tensor* b) {
  oy_tensor* x = oy_view(oy_transpose_int(oy_t(a), 0, 1), OY_DIMS(6));
  oy_tensor* y = oy_reshape(oy_t(b), OY_DIMS(6));
  return oy_mul_Tensor(x, oy_op_alias(y));
}
static oy_tensor* f_dims(oy_tensor* a, oy_tensor* b) {
  oy_tensor* x = oy_unsqueeze(a, 1);  // 2 1 3
  oy_tensor* y = oy_expand(x, OY_DIMS(2, 4, 3), false);
  oy_tensor* z = oy_squeeze_dim(oy_unsqueeze(b, 0), 0);  // 2 3
  return oy_mul_Tensor(y, oy_unsqueeze(oy_select_int(z, 0, 1), 0));
}
static oy_tensor* f_mm(oy_tensor* a, oy_tensor* b) {
  return oy_mm(a, b);
}
static oy_tensor* f_matmul(oy_tensor* a, oy_tensor* b) {
  return oy_matmul(a, b);
}
static oy_tensor* f_copies(oy_tensor* a, oy_tensor* b) {
  oy_tensor* x = oy_clone(a, N());
  oy_tensor* y = oy__to_copy(b, oy_int(OY_DTYPE_F64), N(), N(), N(), false, N());
  return oy_mul_Tensor(x, oy_contiguous(oy_t(oy_t(y)), 0));
}
static oy_tensor* f_inplace(oy_tensor* a, oy_tensor* b) {
  oy_tensor* x = oy_mul_Scalar(a, oy_int(3));
  oy_mul__Tensor(x, b);
  oy_add__Tensor(x, a, oy_int(2));
  oy_sub__Scalar(x, oy_int(1), oy_int(1));
  oy_div__Tensor(x, oy_add_Scalar(oy_mul_Tensor(b, b), oy_int(1), oy_int(1)));
  oy_mul__Scalar(x, oy_float(0.5));
  oy_neg_(x);
  return x;
}
static oy_tensor* f_copy_in(oy_tensor* a, oy_tensor* b) {
  oy_tensor* x = oy_mul_Tensor(a, a);
  oy_tensor* y = oy_mul_Tensor(b, b);
  oy_copy_(oy_select_int(x, 0, 0), oy_select_int(y, 0, 1), false);
  oy_zero_(oy_select_int(x, 1, 2));
  return x;
}
static oy_tensor* f_view_inplace(oy_tensor* a, oy_tensor* b) {
  oy_tensor* x = oy_mul_Tensor(a, b);
  oy_tensor* before = oy_view(x, OY_DIMS(6));
  oy_tensor* part = oy_select_int(x, 1, 0);
  oy_mul__Tensor(part, oy_select_int(b, 1, 1));
  oy_add__Scalar(part, oy_int(1), oy_int(1));
  // A view that was taken before sees the new history.
  return oy_add_Tensor(oy_mul_Tensor(oy_view(before, OY_DIMS(2, 3)), a), x, oy_int(1));
}
static oy_tensor* f_base_had_no_gradient(oy_tensor* a, oy_tensor* b) {
  oy_tensor* x = oy_zeros(OY_DIMS(2, 3), oy_int(OY_DTYPE_F64), N(), N(), N());
  oy_tensor* whole = oy_view(x, OY_DIMS(6));
  oy_add__Tensor(oy_select_int(x, 0, 1), oy_sum_dim_IntList(a, OY_DIMS(0), false, N()),
                 oy_int(1));
  return oy_mul_Tensor(oy_view(whole, OY_DIMS(2, 3)), b);
}

static oy_tensor* f_permute(oy_tensor* a, oy_tensor* b) {
  oy_tensor* x = oy_permute(oy_unsqueeze(a, 0), OY_DIMS(2, 0, -2));  // 3 1 2
  oy_tensor* y = oy_permute_copy(b, OY_DIMS(1, 0));
  return oy_mul_Tensor(oy_squeeze(x), oy_squeeze_dims(oy_unsqueeze(y, 1), OY_DIMS(1)));
}
static oy_tensor* f_slices(oy_tensor* a, oy_tensor* b) {
  oy_tensor* x = oy_slice_Tensor(a, 1, oy_int(-5), N(), 2);  // columns 0, 2
  oy_tensor* y = oy_narrow(b, -1, 1, 2);
  oy_tensor* z = oy_slice_copy_Tensor(b, 0, oy_int(1), oy_int(9), 1);
  return oy_add_Tensor(oy_mul_Tensor(x, y), oy_select_copy_int(z, 1, -1), oy_int(1));
}
static oy_tensor* f_diagonals(oy_tensor* a, oy_tensor* b) {
  oy_tensor* x = oy_diagonal(a, 1, 0, 1);
  return oy_mul_Tensor(x, oy_diagonal_copy(b, 0, 1, 0));
}
static oy_tensor* f_turned(oy_tensor* a, oy_tensor* b) {
  oy_tensor* x = oy_triu(oy_flip(a, OY_DIMS(-1)), 1);
  oy_tensor* y = oy_tril_(oy_mul_Scalar(b, oy_int(2)), 0);
  return oy_mul_Tensor(oy_add_Tensor(x, y, oy_int(1)),
                       oy_flip(oy_triu_(oy_neg(a), 0), OY_DIMS(0, 1)));
}
static oy_tensor* f_view_copies(oy_tensor* a, oy_tensor* b) {
  oy_tensor* x = oy_view_copy(oy_t_copy(oy_transpose_copy_int(a, 0, 1)), OY_DIMS(6));
  oy_tensor* y = oy_squeeze_copy(oy_unsqueeze_copy(oy_alias_copy(b), 0));
  oy_tensor* z =
      oy_expand_copy(oy_squeeze_copy_dim(oy_squeeze_copy_dims(y, OY_DIMS(0)), 1),
                     OY_DIMS(2, 2, 3), false);
  return oy_mul_Tensor(oy__reshape_alias_copy(x, OY_DIMS(2, 3), OY_DIMS(3, 1)), z);
}
static oy_tensor* f_filled(oy_tensor* a, oy_tensor* b) {
  oy_tensor* x = oy_mul_Tensor(a, b);
  oy_fill__Tensor(oy_select_int(x, 0, 0), oy_select_int(oy_select_int(b, 0, 1), 0, 1));
  oy_uniform_(oy_select_int(x, 0, 1), 1, 1, N());
  oy_tensor* y = oy_add_Tensor(oy_fill_Scalar(b, oy_int(3)), oy_zero(a), oy_int(1));
  return oy_mul_Tensor(oy__reshape_alias(x, OY_DIMS(2, 3), OY_DIMS(3, 1)), y);
}

static const grad_case g_cases[] = {
    {"add", f_add, {2, 3}, {2, 3}},
    {"add of a row", f_add, {2, 3}, {3}},
    {"add to a row", f_add, {3}, {4, 2, 3}},
    {"add of a column", f_add, {2, 1}, {1, 3}},
    {"sub", f_sub, {2, 3}, {2, 1}},
    {"mul", oy_mul_Tensor, {2, 3}, {2, 3}},
    {"mul by a row", oy_mul_Tensor, {2, 3}, {1, 3}},
    {"div", oy_div_Tensor, {2, 3}, {2, 3}},
    {"div of a row", oy_div_Tensor, {3}, {2, 3}},
    {"numbers", f_numbers, {2, 3}, {2, 3}},
    {"neg", f_neg, {2, 3}, {2, 3}},
    {"relu", f_relu, {2, 3}, {2, 3}},
    {"threshold_backward", f_threshold, {2, 3}, {2, 3}},
    {"one tensor twice", f_same_twice, {2, 3}, {2, 3}},
    {"sum and mean", f_sum, {2, 3}, {4}},
    {"sum over a dimension", f_sum_dims, {2, 3}, {2, 3}},
    {"mean over a dimension", f_mean_dims, {2, 3}, {2, 3}},
    {"views", f_views, {2, 3}, {2, 3}},
    {"dimensions", f_dims, {2, 3}, {2, 3}},
    {"permute and squeeze", f_permute, {2, 3}, {2, 3}},
    {"slices", f_slices, {2, 3}, {2, 3}},
    {"diagonals", f_diagonals, {2, 3}, {2, 3}},
    {"flip and triangles", f_turned, {2, 3}, {2, 3}},
    {"copies of views", f_view_copies, {2, 3}, {2, 3}},
    {"fills", f_filled, {2, 3}, {2, 3}},
    {"mm", f_mm, {2, 3}, {3, 4}},
    {"dot", f_matmul, {3}, {3}},
    {"mv", f_matmul, {2, 3}, {3}},
    {"row by matrix", f_matmul, {3}, {3, 2}},
    {"batch by matrix", f_matmul, {2, 2, 3}, {3, 2}},
    {"batches that broadcast", f_matmul, {2, 3}, {2, 3, 2}},
    {"copies", f_copies, {2, 3}, {2, 3}},
    {"in place", f_inplace, {2, 3}, {2, 3}},
    {"copy in place", f_copy_in, {2, 3}, {2, 3}},
    {"in place on a view", f_view_inplace, {2, 3}, {2, 3}},
    {"in place, base without gradient", f_base_had_no_gradient, {2, 3}, {2, 3}},
};

static oy_ints sizes_of(const int64_t* sizes) {
  size_t n = 0;
  while (n < 4 && sizes[n]) n++;
  return (oy_ints){sizes, n};
}

static oy_tensor* input(const int64_t* sizes, int seed) {
  double data[32];
  for (int i = 0; i < 32; i++) data[i] = sin(i * 1.7 + seed) + (seed == 2 ? 0.31 : 0.17);
  return oy_tensor_from_data(data, sizes_of(sizes), OY_DTYPE_F64);
}

// The weighted sum of the result.
static oy_tensor* loss_of(const grad_case* c, oy_tensor* a, oy_tensor* b) {
  oy_tensor* y = c->f(a, b);
  if (!y) return NULL;
  double weights[64];
  for (int i = 0; i < 64; i++) weights[i] = cos(i * 0.9) + 0.2;
  oy_tensor* w = oy_tensor_from_data(weights, oy_tensor_sizes(y), OY_DTYPE_F64);
  oy_tensor* loss = oy_sum(oy_mul_Tensor(y, w), oy_none());
  oy_tensor_release(w);
  return loss;
}

static double loss_value(const grad_case* c, oy_tensor* a, oy_tensor* b) {
  oy_scope scope;
  oy_scope_open(&scope);
  oy_grad_guard guard = oy_no_grad();
  oy_tensor* loss = loss_of(c, a, b);
  double value = element(loss, 0);
  oy_grad_guard_end(&guard);
  oy_scope_close(&scope);
  return value;
}

static void compare(const grad_case* c, oy_tensor* a, oy_tensor* b, oy_tensor* of) {
  double* data = oy_tensor_data(of);
  oy_tensor* grad = oy_grad(of);
  for (int64_t i = 0; i < oy_tensor_numel(of); i++) {
    const double eps = 1e-6, value = data[i];
    data[i] = value + eps;
    double above = loss_value(c, a, b);
    data[i] = value - eps;
    double below = loss_value(c, a, b);
    data[i] = value;
    double want = (above - below) / (2 * eps), got = grad ? element(grad, i) : 0;
    if (fabs(got - want) > 1e-5 + 1e-5 * fabs(want))
      fail_msg("%s, input %s, element %d: %g, by differences %g", c->name,
               of == a ? "a" : "b", (int)i, got, want);
  }
}

static void check_case(const grad_case* c, bool grad_a, bool grad_b) {
  oy_tensor *a = input(c->a, 1), *b = input(c->b, 2);
  if (grad_a) assert_non_null(oy_requires_grad_(a, true));
  if (grad_b) assert_non_null(oy_requires_grad_(b, true));
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* loss = loss_of(c, a, b);
  if (!loss) fail_msg("%s: %s", c->name, oy_error_get()->message);
  if (oy_requires_grad(loss) && oy_backward(loss, NULL, false) != OY_OK)
    fail_msg("%s: %s", c->name, oy_error_get()->message);
  oy_scope_close(&scope);
  if (grad_a) compare(c, a, b, a);
  if (grad_b) compare(c, a, b, b);
  if (!grad_a) assert_null(oy_grad(a));
  if (!grad_b) assert_null(oy_grad(b));
  oy_tensor_release(a);
  oy_tensor_release(b);
}

static void formulas_agree_with_differences(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof(g_cases) / sizeof(*g_cases); i++) {
    check_case(&g_cases[i], true, true);
    check_case(&g_cases[i], true, false);
    check_case(&g_cases[i], false, true);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formulas_agree_with_differences),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
