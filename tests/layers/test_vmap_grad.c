// SPDX-License-Identifier: Apache-2.0
// Gradients of what vmap maps, vmap of gradients, gradients of gradients. Expected numbers are
// derivatives by hand.
#include "slices.h"

// ------------------------------------------------------------------- functions

// The sum of sin(x) w; |w| is in[1].
static oy_status wave_sum(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                          size_t outputs) {
  (void)data, (void)count, (void)outputs;
  oy_tensor *sine = oy_sin(in[0]), *product = oy_mul_Tensor(sine, in[1]);
  out[0] = oy_sum(product, oy_none());
  oy_tensor_release(sine);
  oy_tensor_release(product);
  return out[0] ? OY_OK : oy_failure();
}
// x^3 of a number, by products, so that parts of it are views and copies in place.
static oy_status cube(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                      size_t outputs) {
  (void)data, (void)count, (void)outputs;
  oy_tensor* copy = oy_clone(in[0], oy_none());
  oy_tensor* view = oy_unsqueeze(copy, 0);
  out[0] = oy_mul__Tensor(copy, in[0]) ? oy_mul_Tensor(copy, in[0]) : NULL;
  oy_tensor_release(copy);
  oy_tensor_release(view);
  return out[0] ? OY_OK : oy_failure();
}
// The gradient of what |data| says.
static oy_status gradient(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                          size_t outputs) {
  (void)outputs;
  return oy_grad_of(data, in, count, NULL, out);
}
// Mapped over all inputs, and summed.
static oy_status mapped_sum(void* data, oy_tensor* const* in, size_t count,
                            oy_tensor** out, size_t outputs) {
  (void)outputs;
  oy_tensor* all;
  OY_TRY(oy_vmap(data, in, count, &all, 1));
  out[0] = oy_sum(all, oy_none());
  oy_tensor_release(all);
  return out[0] ? OY_OK : oy_failure();
}

#define X_DATA 0.5, -1, 2, 0.25, 3, -0.75
#define W_DATA 1, 2, -1, 0.5, 4, 3
static const double g_x[] = {X_DATA}, g_w[] = {W_DATA};

static void make(oy_tensor** in) {
  in[0] = F64(OY_DIMS(2, 3), X_DATA);
  in[1] = F64(OY_DIMS(2, 3), W_DATA);
}
static void release(oy_tensor** t, size_t count) {
  for (size_t i = 0; i < count; i++) oy_tensor_release(t[i]);
}
// w cos(x).
static void assert_slopes(oy_tensor* grad) {
  assert_dims(oy_tensor_sizes(grad), OY_DIMS(2, 3));
  for (int64_t i = 0; i < 6; i++)
    assert_true(fabs(element(grad, i) - g_w[i] * cos(g_x[i])) < 1e-12);
  oy_tensor_release(grad);
}

// ------------------------------------------------------------------------ tests

static void vmap_06_grad(void** state) {
  (void)state;
  oy_tensor *in[2], *value, *grads[2];
  make(in);
  const oy_grad_params p = {.fn = wave_sum, .argnums = OY_DIMS(0, -1)};
  MUST(oy_grad_of(&p, in, 2, &value, grads));
  double sum = 0;
  for (int i = 0; i < 6; i++) sum += sin(g_x[i]) * g_w[i];
  assert_true(fabs(element(value, 0) - sum) < 1e-12);
  assert_slopes(grads[0]);
  for (int64_t i = 0; i < 6; i++)
    assert_true(fabs(element(grads[1], i) - sin(g_x[i])) < 1e-12);
  assert_false(oy_requires_grad(value) || oy_requires_grad(grads[1]));
  assert_null(oy_grad(in[0]));
  oy_tensor* all[] = {value, grads[1], in[0], in[1]};
  release(all, 4);
}

static void vmap_06_vmap_of_grad(void** state) {
  (void)state;
  oy_tensor *in[2], *grad;
  make(in);
  oy_grad_params g = {.fn = wave_sum};
  const oy_vmap_params p = {.fn = gradient, .data = &g};
  uint64_t loops = oy_vmap_fallback_count(NULL);
  MUST(oy_vmap(&p, in, 2, &grad, 1));
  assert_int_equal(oy_vmap_fallback_count(NULL), loops);
  assert_slopes(grad);
  // The second input for all slices: it is not batched.
  const oy_vmap_params shared = {
      .fn = gradient, .data = &g, .in_dims = OY_DIMS(1, OY_VMAP_NONE)};
  oy_tensor* one = F64(OY_DIMS(2), 3, 5);
  oy_tensor* with_one[] = {in[0], one};
  MUST(oy_vmap(&shared, with_one, 2, &grad, 1));
  assert_dims(oy_tensor_sizes(grad), OY_DIMS(3, 2));
  for (int64_t i = 0; i < 6; i++)
    assert_true(fabs(element(grad, i) - (i % 2 ? 5 : 3) * cos(g_x[i % 2 * 3 + i / 2])) <
                1e-12);
  oy_tensor_release(grad);
  oy_tensor_release(one);
  release(in, 2);
}

static void vmap_06_grad_of_vmap(void** state) {
  (void)state;
  oy_tensor *in[2], *grad;
  make(in);
  oy_vmap_params v = {.fn = wave_sum};
  const oy_grad_params p = {.fn = mapped_sum, .data = &v};
  MUST(oy_grad_of(&p, in, 2, NULL, &grad));
  assert_slopes(grad);
  // The same by oy_backward, with leaves outside.
  assert_non_null(oy_requires_grad_(in[0], true));
  oy_tensor* sum;
  MUST(mapped_sum(&v, in, 2, &sum, 1));
  assert_true(oy_requires_grad(sum));
  MUST(oy_backward(sum, NULL, false));
  assert_slopes(oy_tensor_retain(oy_grad(in[0])));
  oy_tensor_release(sum);
  release(in, 2);
}

static void vmap_06_grad_of_grad(void** state) {
  (void)state;
  oy_tensor *x = F64(oy_dims_none(), 1.5), *y;
  oy_grad_params first = {.fn = cube};
  oy_grad_params second = {.fn = gradient, .data = &first};
  oy_grad_params third = {.fn = gradient, .data = &second};
  MUST(oy_grad_of(&first, &x, 1, NULL, &y));
  assert_true(fabs(element(y, 0) - 3 * 1.5 * 1.5) < 1e-12);
  oy_tensor_release(y);
  MUST(oy_grad_of(&second, &x, 1, NULL, &y));
  assert_true(fabs(element(y, 0) - 6 * 1.5) < 1e-12);
  oy_tensor_release(y);
  MUST(oy_grad_of(&third, &x, 1, NULL, &y));
  assert_true(fabs(element(y, 0) - 6) < 1e-12);
  oy_tensor_release(y);
  // For all numbers of a tensor.
  oy_tensor* all = F64(OY_DIMS(4), 1, -2, 3, 0.5);
  const oy_vmap_params v = {.fn = gradient, .data = &second};
  MUST(oy_vmap(&v, &all, 1, &y, 1));
  assert_close(y, OY_DIMS(4), 1e-12, 6, -12, 18, 3);
  oy_tensor_release(y);
  // With a leaf outside: the gradient of a gradient by oy_backward.
  assert_non_null(oy_requires_grad_(x, true));
  MUST(oy_grad_of(&first, &x, 1, NULL, &y));
  assert_true(oy_requires_grad(y));
  MUST(oy_backward(y, NULL, false));
  assert_true(fabs(element(oy_grad(x), 0) - 6 * 1.5) < 1e-12);
  oy_tensor* rest[] = {x, y, all};
  release(rest, 3);
}

static void vmap_06_grad_where_grad_mode_is_off(void** state) {
  (void)state;
  oy_tensor *x = F64(oy_dims_none(), 2), *y;
  oy_grad_params p = {.fn = cube};
  oy_grad_guard guard = oy_no_grad();
  MUST(oy_grad_of(&p, &x, 1, NULL, &y));
  assert_false(oy_grad_mode_get());
  oy_grad_guard_end(&guard);
  assert_true(element(y, 0) == 12);
  oy_tensor_release(y);
  oy_tensor_release(x);
}

// sin(x) of each element.
MAPPED(sines, oy_sin(in[0]))
typedef struct jacobian {
  oy_grad_params params;
  oy_tensor* x;
} jacobian;
static oy_status row_of(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                        size_t outputs) {
  (void)count, (void)outputs;
  jacobian* j = data;
  oy_tensor* value;
  oy_status status = oy_vjp_of(&j->params, &j->x, 1, in, &value, 1, out);
  oy_tensor_release(value);
  return status;
}
static void vmap_06_jacobian(void** state) {
  (void)state;
  oy_tensor *eye = F64(OY_DIMS(3, 3), 1, 0, 0, 0, 1, 0, 0, 0, 1), *rows;
  jacobian j = {{.fn = sines}, F64(OY_DIMS(3), 0.5, 1, 2)};
  const oy_vmap_params p = {.fn = row_of, .data = &j};
  MUST(oy_vmap(&p, &eye, 1, &rows, 1));
  assert_close(rows, OY_DIMS(3, 3), 1e-12, cos(0.5), 0, 0, 0, cos(1), 0, 0, 0, cos(2));
  oy_tensor* all[] = {eye, rows, j.x};
  release(all, 3);
}

// A walk of a graph that is outside, with batched gradients.
typedef struct graph {
  oy_tensor *x, *y;
} graph;
static oy_status walk_back(void* data, oy_tensor* const* in, size_t count,
                           oy_tensor** out, size_t outputs) {
  (void)count, (void)outputs;
  graph* g = data;
  const oy_backward_options options = {.retain_graph = true};
  return oy_gradients(&g->y, in, 1, &g->x, 1, &options, out);
}
static void vmap_06_walks_with_batched_gradients(void** state) {
  (void)state;
  oy_tensor *eye = F64(OY_DIMS(3, 3), 1, 0, 0, 0, 1, 0, 0, 0, 1), *rows;
  graph g = {.x = oy_requires_grad_(F64(OY_DIMS(3), 1, 2, 3), true)};
  g.y = oy_pow_Tensor_Scalar(g.x, oy_int(2));
  const oy_vmap_params p = {.fn = walk_back, .data = &g};
  MUST(oy_vmap(&p, &eye, 1, &rows, 1));
  assert_close(rows, OY_DIMS(3, 3), 1e-12, 2, 0, 0, 0, 4, 0, 0, 0, 6);
  oy_tensor* all[] = {eye, rows, g.x, g.y};
  release(all, 4);
}

// y = f(x); y[2] *= 5; the sum. |data| is f.
static oy_status writes_a_view(void* data, oy_tensor* const* in, size_t count,
                               oy_tensor** out, size_t outputs) {
  (void)count, (void)outputs;
  oy_tensor* (*f)(oy_tensor*) = *(oy_tensor * (**)(oy_tensor*)) data;
  oy_tensor *y = f(in[0]), *last = oy_narrow(y, 0, 2, 1);
  bool good = last && oy_mul__Scalar(last, oy_int(5)) != NULL;
  out[0] = good ? oy_sum(y, oy_none()) : NULL;
  oy_tensor_release(y);
  oy_tensor_release(last);
  return out[0] ? OY_OK : oy_failure();
}
static oy_tensor* tripled(oy_tensor* x) {
  return oy_mul_Scalar(x, oy_int(3));
}
static oy_tensor* exponential(oy_tensor* x) {
  return oy_exp(x);
}
static void vmap_06_writes_through_views(void** state) {
  (void)state;
  oy_tensor* (*f)(oy_tensor*) = tripled;
  oy_tensor *x = F64(OY_DIMS(2, 3), X_DATA), *grad;
  oy_grad_params g = {.fn = writes_a_view, .data = &f};
  const oy_vmap_params v = {.fn = gradient, .data = &g};
  MUST(oy_vmap(&v, &x, 1, &grad, 1));
  assert_elements(grad, OY_DIMS(2, 3), 3, 3, 15, 3, 3, 15);
  oy_tensor_release(grad);
  // What was saved is written to, by way of a view of it.
  f = exponential;
  assert_int_equal(oy_vmap(&v, &x, 1, &grad, 1), OY_FAILED_PRECONDITION);
  assert_non_null(strstr(oy_error_get()->message, "modified by an inplace operation"));
  oy_error_clear();
  oy_tensor_release(x);
}

static oy_tensor* g_captured;
static oy_status writes_captured(void* data, oy_tensor* const* in, size_t count,
                                 oy_tensor** out, size_t outputs) {
  (void)count, (void)outputs;
  oy_tensor* view =
      data ? oy_view(g_captured, OY_DIMS(-1)) : oy_tensor_retain(g_captured);
  bool good = oy_add__Tensor(view, in[0], oy_int(1)) != NULL;
  oy_tensor_release(view);
  out[0] = good ? oy_sum(g_captured, oy_none()) : NULL;
  return good ? OY_OK : oy_failure();
}
MAPPED(unused, oy_sum(in[1], oy_none()))
MAPPED(vector, oy_sin(in[0]))
MAPPED(none, &oy_none_object)
MAPPED(whole, oy_to_dtype(in[0], OY_DTYPE_I64, false, false, oy_none()))
static oy_tensor* sum_of(oy_tensor* t) {
  return oy_sum(t, oy_none());
}
MAPPED(detached, of(oy_detach(in[0]), sum_of))
static oy_tensor* g_kept;
static oy_status keeps(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                       size_t outputs) {
  oy_tensor* sine = oy_sin(in[0]);
  g_kept = sine;
  (void)data, (void)count, (void)outputs;
  return (out[0] = oy_sum(sine, oy_none())) ? OY_OK : oy_failure();
}

static void vmap_06_errors_and_edges(void** state) {
  (void)state;
  oy_tensor *in[2], *grad;
  make(in);
  g_captured = F64(OY_DIMS(2, 3), X_DATA);
  oy_grad_params p = {.fn = writes_captured};
  for (int view = 0; view < 2; view++) {
    p.data = view ? &p : NULL;
    assert_int_equal(oy_grad_of(&p, in, 2, NULL, &grad), OY_FAILED_PRECONDITION);
    assert_error(
        "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted "
        "to call in-place operation (aten::add_.Tensor) that would mutate a captured "
        "Tensor. This is not supported; please rewrite the function being transformed to "
        "explicitly accept the mutated Tensor(s) as inputs.");
    assert_int_equal(oy_transform_level(), 0);
  }
  p.fn = vector;
  assert_int_equal(oy_grad_of(&p, in, 2, NULL, &grad), OY_INVALID_ARGUMENT);
  assert_error(
      "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got "
      "tensor with 2 dims. Maybe you wanted to use the vjp or jacrev APIs "
      "instead?");
  p.fn = unused;
  MUST(oy_grad_of(&p, in, 2, NULL, &grad));
  assert_elements(grad, OY_DIMS(2, 3), 0, 0, 0, 0, 0, 0);
  oy_tensor_release(grad);
  p.argnums = OY_DIMS(5);
  assert_int_equal(oy_grad_of(&p, in, 2, NULL, &grad), OY_INVALID_ARGUMENT);
  assert_error("Got argnum=5, but only 2 positional inputs");
  oy_tensor* two[2];
  p.argnums = OY_DIMS(0, -2);
  assert_int_equal(oy_grad_of(&p, in, 2, NULL, two), OY_INVALID_ARGUMENT);
  assert_error("argnums elements must be unique, got [0, -2]");
  p = (oy_grad_params){.fn = none};
  assert_int_equal(oy_grad_of(&p, in, 2, NULL, &grad), OY_INVALID_ARGUMENT);
  assert_error(
      "grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got "
      "NoneType");
  p.fn = whole;
  oy_tensor *value, *long_in[] = {I64(OY_DIMS(1), 3)};
  assert_int_equal(oy_vjp_of(&p, in, 2, long_in, &value, 1, &grad), OY_INVALID_ARGUMENT);
  assert_error(
      "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, "
      "got Tensor with dtype torch.int64");
  p.fn = vector;
  assert_int_not_equal(oy_grad_of(&p, long_in, 1, NULL, &grad), OY_OK);
  assert_error("only Tensors of floating point dtype can require gradients");
  oy_tensor_release(long_in[0]);
  // What is detached plays no part.
  p.fn = detached;
  MUST(oy_grad_of(&p, in, 2, NULL, &grad));
  assert_elements(grad, OY_DIMS(2, 3), 0, 0, 0, 0, 0, 0);
  oy_tensor_release(grad);
  // A tensor that was kept stands for what it held.
  p = (oy_grad_params){.fn = keeps};
  MUST(oy_grad_of(&p, in, 2, NULL, &grad));
  oy_tensor* twice = oy_add_Tensor(g_kept, g_kept, oy_int(1));
  for (int64_t i = 0; i < 6; i++)
    assert_true(fabs(element(twice, i) - 2 * sin(g_x[i])) < 1e-12);
  oy_tensor* all[] = {grad, twice, g_kept, g_captured, in[0], in[1]};
  release(all, 6);
}

static oy_tensor* g_in[2];
static bool without_memory(void) {
  oy_grad_params g = {.fn = wave_sum};
  const oy_vmap_params p = {.fn = gradient, .data = &g};
  oy_tensor* grad;
  if (oy_vmap(&p, g_in, 2, &grad, 1) != OY_OK) return false;
  oy_tensor_release(grad);
  return true;
}
static void vmap_06_without_memory(void** state) {
  (void)state;
  make(g_in);
  for (int i = 0; i < 2; i++) oy_tensor_release(oy_select_int(g_in[i], 0, 0));
  fail_each_allocation(without_memory);
  assert_int_equal(oy_transform_level(), 0);
  release(g_in, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vmap_06_grad),
      cmocka_unit_test(vmap_06_vmap_of_grad),
      cmocka_unit_test(vmap_06_grad_of_vmap),
      cmocka_unit_test(vmap_06_grad_of_grad),
      cmocka_unit_test(vmap_06_grad_where_grad_mode_is_off),
      cmocka_unit_test(vmap_06_jacobian),
      cmocka_unit_test(vmap_06_walks_with_batched_gradients),
      cmocka_unit_test(vmap_06_writes_through_views),
      cmocka_unit_test(vmap_06_errors_and_edges),
      cmocka_unit_test(vmap_06_without_memory),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
