// SPDX-License-Identifier: Apache-2.0
// Gradients, and gradients of gradients, against finite differences in double. A test
// has a table of functions of up to three tensors; what is differentiated is the sum of
// the elements of the result, each with a weight of its own.
#ifndef OPYARD_TESTS_SUPPORT_DIFFERENCES_H_
#define OPYARD_TESTS_SUPPORT_DIFFERENCES_H_

#include "support/tensors.h"

enum { INPUTS_MAX = 3 };

typedef struct difference_case {
  const char* name;
  oy_tensor* (*f)(oy_tensor* const* in);
  int inputs;
  oy_ints sizes[INPUTS_MAX];
  bool once;         // it cannot be differentiated twice
  bool with_a_zero;  // an element is 0: differences are taken there too
} difference_case;

// Distinct numbers from -1.6 to 1.6, none of them near 0.
HELPER oy_tensor* difference_input(oy_ints sizes, int nr, bool with_a_zero) {
  double data[64];
  size_t count = 1;
  for (size_t i = 0; i < sizes.size; i++) count *= (size_t)sizes.data[i];
  assert_true(count <= 64);
  for (size_t i = 0; i < count; i++) {
    double x = sin(1 + 2.4 * (double)i + 0.7 * nr);
    data[i] = x + (x > 0 ? 0.2 : -0.2) + 0.011 * (double)i;
  }
  if (with_a_zero) data[1] = 0;
  return oy_tensor_from_data(data, sizes, OY_DTYPE_F64);
}

HELPER oy_tensor* difference_weighted(oy_tensor* t, double phase) {
  if (!t) return NULL;
  double weights[512];
  int64_t count = oy_tensor_numel(t);
  assert_true(count <= 512);
  for (int64_t i = 0; i < count; i++) weights[i] = cos((double)i * 0.9 + phase) + 0.3;
  oy_tensor* w = oy_tensor_from_data(weights, oy_tensor_sizes(t), OY_DTYPE_F64);
  oy_tensor* sum = oy_sum(oy_mul_Tensor(t, w), oy_none());
  oy_tensor_release(w);
  return sum;
}

// Order 1: the value; 2: the gradients of it, weighted. Within a scope.
HELPER oy_tensor* difference_loss(const difference_case* c, oy_tensor* const* in,
                                  int order) {
  oy_tensor* value = difference_weighted(c->f(in), 0);
  if (order == 1 || !value) return value;
  oy_tensor* grads[INPUTS_MAX] = {NULL};
  oy_backward_options options = {
      .create_graph = true, .allow_unused = true, .materialize_grads = true};
  if (oy_gradients(&value, NULL, 1, in, (size_t)c->inputs, &options, grads) != OY_OK)
    return NULL;
  oy_tensor* total = NULL;
  for (int i = 0; i < c->inputs; i++) {
    oy_tensor* part = difference_weighted(grads[i], 0.4 + i);
    total = total && part ? oy_add_Tensor(total, part, oy_int(1)) : part;
    oy_tensor_release(grads[i]);
  }
  return total;
}

HELPER double difference_value(const difference_case* c, oy_tensor* const* in,
                               int order) {
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* loss = difference_loss(c, in, order);
  if (!loss) fail_msg("%s: %s", c->name, oy_error_get()->message);
  double value = element(loss, 0);
  oy_scope_close(&scope);
  return value;
}

HELPER void difference_compare(const difference_case* c, oy_tensor* const* in, int which,
                               int order, const oy_tensor* grad) {
  double* data = oy_tensor_data(in[which]);
  for (int64_t i = 0; i < oy_tensor_numel(in[which]); i++) {
    const double eps = 1e-5, value = data[i];
    data[i] = value + eps;
    double above = difference_value(c, in, order);
    data[i] = value - eps;
    double below = difference_value(c, in, order);
    data[i] = value;
    double want = (above - below) / (2 * eps), got = element(grad, i);
    if (!(fabs(got - want) <= 2e-6 + 2e-6 * fabs(want)))
      fail_msg("%s, order %d, input %d, element %d: %g, by differences %g", c->name,
               order, which, (int)i, got, want);
  }
}

HELPER void difference_check(const difference_case* c, int order) {
  oy_tensor *in[INPUTS_MAX] = {NULL}, *grads[INPUTS_MAX] = {NULL};
  for (int i = 0; i < c->inputs; i++) {
    in[i] = difference_input(c->sizes[i], i, c->with_a_zero);
    assert_non_null(oy_requires_grad_(in[i], true));
  }
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* loss = difference_loss(c, in, order);
  oy_backward_options options = {.allow_unused = true, .materialize_grads = true};
  // A gradient that does not depend on any input has none of its own.
  bool none = order == 2 && loss && !oy_requires_grad(loss);
  if (!loss || (!none && oy_gradients(&loss, NULL, 1, in, (size_t)c->inputs, &options,
                                      grads) != OY_OK))
    fail_msg("%s, order %d: %s", c->name, order, oy_error_get()->message);
  oy_scope_close(&scope);
  for (int i = 0; i < c->inputs && !none; i++)
    difference_compare(c, in, i, order, grads[i]);
  for (int i = 0; i < c->inputs; i++) {
    oy_tensor_release(grads[i]);
    oy_tensor_release(in[i]);
  }
}

// One gradient with allocations that may fail.
static const difference_case* difference_case_now;
HELPER bool difference_runs(void) {
  const difference_case* c = difference_case_now;
  oy_tensor *in[INPUTS_MAX] = {NULL}, *grads[INPUTS_MAX] = {NULL};
  bool good = true;
  for (int i = 0; i < c->inputs; i++) {
    in[i] = difference_input(c->sizes[i], i, c->with_a_zero);
    good = good && in[i] && oy_requires_grad_(in[i], true);
  }
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* loss = good ? difference_loss(c, in, 1) : NULL;
  oy_backward_options options = {.allow_unused = true};
  good = loss &&
         oy_gradients(&loss, NULL, 1, in, (size_t)c->inputs, &options, grads) == OY_OK;
  oy_scope_close(&scope);
  for (int i = 0; i < c->inputs; i++) {
    oy_tensor_release(grads[i]);
    oy_tensor_release(in[i]);
  }
  return good;
}

HELPER void difference_check_all(const difference_case* cases, size_t count) {
  for (size_t i = 0; i < count; i++)
    for (int order = 1; order <= (cases[i].once ? 1 : 2); order++)
      difference_check(&cases[i], order);
}
// No failing allocation leaks, or goes by unnoticed.
HELPER void difference_check_memory(const difference_case* cases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    difference_case_now = &cases[i];
    print_message("%s with too little memory\n", cases[i].name);
    fail_each_allocation(difference_runs);
  }
}

#endif  // OPYARD_TESTS_SUPPORT_DIFFERENCES_H_
