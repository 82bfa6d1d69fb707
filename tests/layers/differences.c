// SPDX-License-Identifier: Apache-2.0
// See differences.h. What is differentiated is a sum of the elements of the result with
// weights that all differ; the second time, such a sum of the elements of the gradients.
#include "layers/differences.h"

enum { ELEMENTS_MAX = 512 };

static oy_tensor* filled(oy_ints sizes, double (*number)(int, double, double), double a,
                         double b) {
  double data[ELEMENTS_MAX];
  int64_t count = 1;
  for (size_t i = 0; i < sizes.size; i++) count *= sizes.data[i];
  assert_true(count <= ELEMENTS_MAX);
  for (int i = 0; i < count; i++) data[i] = number(i, a, b);
  return oy_tensor_from_data(data, sizes, OY_DTYPE_F64);
}
static double weight(int i, double a, double b) {
  return cos(i * a) + b;
}
// From a to b, in no order, all different.
static double point(int i, double a, double b) {
  double golden = (i + 0.37) * 0.6180339887498949;
  return a + (b - a) * (golden - floor(golden));
}

static oy_ints next_shape(const char** text, int64_t* sizes) {
  size_t n = 0;
  while (**text == ' ') ++*text;
  while (**text && **text != ' ') {
    char* end;
    if (**text == '-') {
      ++*text;
      continue;
    }
    sizes[n++] = strtoll(*text, &end, 10);
    *text = *end == ',' ? end + 1 : end;
  }
  return (oy_ints){sizes, n};
}
static int make_inputs(const differences_row* row, oy_tensor** x) {
  int count = 0;
  const char* text = row->shapes;
  while (*text) {
    int64_t sizes[8];
    oy_ints shape = next_shape(&text, sizes);
    assert_true(count < INPUTS_MAX);
    // Inputs differ from each other.
    double shift = 0.013 * count * (row->to - row->from);
    x[count] = filled(shape, point, row->from + shift, row->to + shift);
    assert_non_null(oy_requires_grad_(x[count++], true));
  }
  return count;
}

static oy_tensor* weighted_sum(oy_tensor* t, double a) {
  oy_tensor* w = t ? filled(oy_tensor_sizes(t), weight, a, 0.2) : NULL;
  oy_tensor* sum = w ? oy_sum(oy_mul_Tensor(t, w), oy_none()) : NULL;
  oy_tensor_release(w);
  return sum;
}
// Of y + y^2 / 2, so that also what is given for y depends on the inputs.
static oy_tensor* first_order(const differences_row* row, oy_tensor* const* x) {
  oy_tensor* y = row->f(x);
  oy_tensor* square = y ? oy_mul_Tensor(y, y) : NULL;
  return square ? weighted_sum(oy_add_Tensor(y, square, oy_float(0.5)), 0.9) : NULL;
}

// The gradients of |of|, as part of the graph if they are to be differentiated.
static void gradients(const differences_row* row, oy_tensor* of, oy_tensor* const* x,
                      int count, bool create_graph, oy_tensor** out) {
  oy_backward_options options = {.create_graph = create_graph, .allow_unused = true};
  if (of && oy_gradients(&of, NULL, 1, x, (size_t)count, &options, out) == OY_OK) return;
  fail_msg("%s: %s", row->name, oy_error_get()->message);
}

// Parts that no input reaches are left out; NULL if all are.
static oy_tensor* second_order(const differences_row* row, oy_tensor* const* x,
                               int count) {
  oy_tensor *grads[INPUTS_MAX] = {NULL}, *sum = NULL;
  gradients(row, first_order(row, x), x, count, true, grads);
  for (int i = 0; i < count; i++) {
    bool reached = grads[i] && oy_requires_grad(grads[i]);
    oy_tensor* part = reached ? weighted_sum(grads[i], 1.7 + i) : NULL;
    oy_tensor_release(grads[i]);
    if (part) sum = sum ? oy_add_Tensor(sum, part, oy_int(1)) : part;
  }
  return sum;
}

static oy_tensor* of_order(int order, const differences_row* row, oy_tensor* const* x,
                           int count) {
  return order == 1 ? first_order(row, x) : second_order(row, x, count);
}
static double value(int order, const differences_row* row, oy_tensor* const* x,
                    int count) {
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* t = of_order(order, row, x, count);
  if (!t) fail_msg("%s: %s", row->name, oy_error_get()->message);
  double result = element(t, 0);
  oy_scope_close(&scope);
  return result;
}

static void compare(int order, const differences_row* row, oy_tensor* const* x, int count,
                    oy_tensor* const* grads) {
  for (int k = 0; k < count; k++) {
    double* data = oy_tensor_data(x[k]);
    for (int64_t i = 0; i < oy_tensor_numel(x[k]); i++) {
      const double eps = 1e-6, kept = data[i];
      data[i] = kept + eps;
      double above = value(order, row, x, count);
      data[i] = kept - eps;
      double below = value(order, row, x, count);
      data[i] = kept;
      double want = (above - below) / (2 * eps);
      double got = grads[k] ? element(grads[k], i) : 0;
      if (!(fabs(got - want) <= 2e-6 + 2e-5 * fabs(want)))
        fail_msg("%s, order %d, input %d, element %d at %g: %.9g, by differences %.9g",
                 row->name, order, k, (int)i, kept, got, want);
    }
  }
}

static void check_order(int order, const differences_row* row, oy_tensor* const* x,
                        int count) {
  oy_tensor* grads[INPUTS_MAX] = {NULL};
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* t = of_order(order, row, x, count);
  // The gradient of a linear function does not depend on its inputs.
  bool depends = t && oy_requires_grad(t);
  if (order == 1 && !depends)
    fail_msg("%s: no graph: %s", row->name, oy_error_get()->message);
  if (depends) gradients(row, t, x, count, false, grads);
  oy_scope_close(&scope);
  if (depends) compare(order, row, x, count, grads);
  for (int k = 0; k < count; k++) oy_tensor_release(grads[k]);
}

void check_differences(const differences_row* rows, size_t count, int orders) {
  for (const differences_row* row = rows; row < rows + count; row++) {
    oy_tensor* x[INPUTS_MAX];
    int inputs = make_inputs(row, x);
    for (int order = 1; order <= orders; order++) check_order(order, row, x, inputs);
    for (int k = 0; k < inputs; k++) oy_tensor_release(x[k]);
  }
}
