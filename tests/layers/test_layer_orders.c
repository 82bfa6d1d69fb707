// SPDX-License-Identifier: Apache-2.0
// Layers in every order: vmap, grad, functionalize, autocast and a mode around one function,
// each of the 120 ways, against the same gradient by oy_backward, row by row.
#include "base/memory.h"
#include "slices.h"

typedef struct chain {
  const char* order;  // the outermost first
  int next;           // the place in |order| that is to be entered
  oy_call_counter* counter;
} chain;

static void release(oy_tensor** t, size_t count) {
  for (size_t i = 0; i < count; i++) oy_tensor_release(t[i]);
}

// y = tanh(W x); y[0] *= 2 in place; the sum of y c.
static oy_tensor *g_weight, *g_factors;
static oy_status network(oy_tensor* x, oy_tensor** out) {
  oy_tensor *line = oy_matmul(g_weight, x), *y = line ? oy_tanh(line) : NULL;
  oy_tensor* z = y ? oy_mul_Scalar(y, oy_int(3)) : NULL;
  oy_tensor* first = z ? oy_narrow(z, 0, 0, 1) : NULL;
  bool ok = first && oy_mul__Scalar(first, oy_int(2));
  oy_tensor* weighted = ok ? oy_mul_Tensor(z, g_factors) : NULL;
  *out = weighted ? oy_sum(weighted, oy_none()) : NULL;
  oy_tensor* all[] = {line, y, z, first, weighted};
  release(all, 5);
  return *out ? OY_OK : oy_failure();
}

static oy_status enter(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                       size_t outputs);

// The sum of what the rest gives, so that it has a gradient.
static oy_status summed(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                        size_t outputs) {
  OY_TRY(enter(data, in, count, out, outputs));
  oy_tensor* sum = oy_sum(out[0], oy_none());
  oy_tensor_release(out[0]);
  return (out[0] = sum) ? OY_OK : oy_failure();
}

static oy_status with_autocast(void* data, oy_tensor* const* in, oy_tensor** out) {
  oy_autocast_guard region;
  OY_TRY(oy_autocast_enter(OY_BACKEND_CPU, OY_DTYPE_ANY, true, &region));
  oy_status status = enter(data, in, 1, out, 1);
  oy_autocast_leave(&region);
  return status;
}

static oy_status with_mode(chain* c, oy_tensor* const* in, oy_tensor** out) {
  oy_dispatch_mode mode;
  oy_call_counter_push(c->counter, &mode);
  oy_status status = enter(c, in, 1, out, 1);
  assert_int_equal(oy_mode_pop(&mode), OY_OK);
  return status;
}

static oy_status enter(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                       size_t outputs) {
  (void)count, (void)outputs;
  chain* c = data;
  chain rest = {c->order, c->next + 1, c->counter};
  const oy_vmap_params v = {.fn = enter, .data = &rest};
  const oy_grad_params g = {.fn = summed, .data = &rest};
  const oy_functionalize_params f = {.fn = enter, .data = &rest};
  switch (c->order[c->next]) {
    case 'v': return oy_vmap(&v, in, 1, out, 1);
    case 'g': return oy_grad_of(&g, in, 1, NULL, out);
    case 'f': return oy_functionalize(&f, in, 1, out, 1);
    case 'a': return with_autocast(&rest, in, out);
    case 'm': return with_mode(&rest, in, out);
    default: return network(in[0], out);
  }
}

// The gradient of one row, recorded and walked back without any transform.
static oy_tensor* plain_gradient(oy_tensor* x, int64_t row) {
  oy_tensor *one = oy_select_int(x, 0, row), *leaf = oy_clone(one, oy_none()), *sum;
  assert_non_null(oy_requires_grad_(leaf, true));
  oy_autocast_guard region;
  MUST(oy_autocast_enter(OY_BACKEND_CPU, OY_DTYPE_ANY, true, &region));
  MUST(network(leaf, &sum));
  oy_autocast_leave(&region);
  MUST(oy_backward(sum, NULL, false));
  oy_tensor* grad = oy_tensor_retain(oy_grad(leaf));
  oy_tensor* all[] = {one, leaf, sum};
  release(all, 3);
  return grad;
}

static void compare(const char* order, oy_tensor* x, oy_tensor* const* want) {
  chain c = {order, 0, NULL};
  MUST(oy_call_counter_create(&c.counter));
  oy_tensor* got;
  if (enter(&c, &x, 1, &got, 1) != OY_OK)
    fail_msg("%s: %s", order, oy_error_get()->message);
  assert_int_equal(oy_transform_level(), 0);
  assert_dims(oy_tensor_sizes(got), OY_DIMS(2, 3));
  for (int64_t i = 0; i < 6; i++) {
    double a = element(got, i), b = element(want[i / 3], i % 3);
    // bfloat16 has 8 bits; what is summed where is not the same in all orders.
    if (fabs(a - b) > 0.02 * (1 + fabs(b)))
      fail_msg("%s: element %d: got %g, want %g", order, (int)i, a, b);
  }
  assert_true(oy_call_counter_get(c.counter, NULL) > 0);
  oy_call_counter_destroy(c.counter);
  oy_tensor_release(got);
}

static void permute(char* order, int from, oy_tensor* x, oy_tensor* const* want,
                    int* count) {
  if (!order[from]) {
    compare(order, x, want);
    (*count)++;
    return;
  }
  for (int i = from; order[i]; i++) {
    char kept = order[from];
    order[from] = order[i];
    order[i] = kept;
    permute(order, from + 1, x, want, count);
    order[i] = order[from];
    order[from] = kept;
  }
}

static void func_01_layers_in_every_order(void** state) {
  (void)state;
  g_weight = F32(OY_DIMS(3, 3), 0.5, -1, 0.25, 1, 0.75, -0.5, 0.125, 1.5, -1);
  g_factors = F32(OY_DIMS(3), 1, -2, 0.5);
  oy_tensor* x = F32(OY_DIMS(2, 3), 0.5, 0.25, -1, 1, -0.5, 0.75);
  oy_tensor* want[] = {plain_gradient(x, 0), plain_gradient(x, 1)};
  char order[] = "vgfam";
  int count = 0;
  permute(order, 0, x, want, &count);
  assert_int_equal(count, 120);
  oy_tensor* all[] = {x, want[0], want[1], g_weight, g_factors};
  release(all, 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(func_01_layers_in_every_order),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
