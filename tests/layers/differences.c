// SPDX-License-Identifier: Apache-2.0
// See differences.h.
#include "layers/differences.h"

enum { ELEMENTS_MAX = 512 };

// About from |a| to |b|, in no order, all different, no two as far apart as two others, none
// nearer to 0 than 0.01.
static double point(int i, double a, double b) {
  double golden = (i + 0.37) * 0.6180339887498949;
  double place = golden - floor(golden) + 0.04 * sin((double)i * i + 40 * a);
  double x = a + (b - a) * place;
  return fabs(x) < 0.01 ? x + 0.02 : x;
}
static oy_tensor* filled(oy_ints sizes, double a, double b, bool with_a_zero) {
  double data[ELEMENTS_MAX];
  int64_t count = 1;
  for (size_t i = 0; i < sizes.size; i++) count *= sizes.data[i];
  assert_true(count <= ELEMENTS_MAX);
  for (int i = 0; i < count; i++) data[i] = point(i, a, b);
  if (with_a_zero) data[count > 1] = 0;
  return oy_tensor_from_data(data, sizes, OY_DTYPE_F64);
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
// False if memory is short.
static bool make_inputs(const differences_row* row, oy_tensor** x, size_t* count) {
  const char* text = row->shapes + (*row->shapes == '!');
  for (*count = 0; *text; ++*count) {
    int64_t sizes[8];
    oy_ints shape = next_shape(&text, sizes);
    assert_true(*count < INPUTS_MAX);
    // Inputs differ from each other.
    double shift = 0.013 * (double)*count * (row->to - row->from);
    x[*count] = filled(shape, row->from + shift, row->to + shift, *row->shapes == '!');
    if (!x[*count]) return false;
    if (oy_requires_grad_(x[*count], true)) continue;
    oy_tensor_release(x[*count]);
    return false;
  }
  return true;
}
static void release(oy_tensor** x, size_t count) {
  for (size_t i = 0; i < count; i++) oy_tensor_release(x[i]);
}

static oy_status call(void* data, oy_tensor* const* inputs, size_t count,
                      oy_tensor** outputs, size_t* out_count) {
  (void)count;
  const differences_row* row = data;
  outputs[0] = row->f(inputs);
  *out_count = 1;
  return outputs[0] ? OY_OK : oy_failure();
}

static void check_row(const differences_row* row, int orders) {
  static const oy_gradcheck_options options = {.atol = 2e-6, .rtol = 2e-5};
  oy_tensor* x[INPUTS_MAX];
  size_t count;
  assert_true(make_inputs(row, x, &count));
  void* data = (void*)(uintptr_t)row;
  if (oy_gradcheck(call, data, x, count, &options) != OY_OK)
    fail_msg("%s: %s", row->name, oy_error_get()->message);
  if (orders > 1 && oy_gradgradcheck(call, data, x, count, &options) != OY_OK)
    fail_msg("%s, second order: %s", row->name, oy_error_get()->message);
  release(x, count);
}

void check_differences(const differences_row* rows, size_t count, int orders) {
  for (size_t i = 0; i < count; i++) check_row(&rows[i], orders);
}

// -------------------------------------------------------------------------- memory

static const differences_row* g_row;

static bool runs(void) {
  oy_tensor *x[INPUTS_MAX], *grads[INPUTS_MAX] = {NULL};
  size_t count;
  bool good = make_inputs(g_row, x, &count);
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* value = good ? g_row->f(x) : NULL;
  oy_tensor* sum = value ? oy_sum(value, oy_none()) : NULL;
  oy_backward_options options = {.allow_unused = true};
  good = sum && oy_gradients(&sum, NULL, 1, x, count, &options, grads) == OY_OK;
  oy_scope_close(&scope);
  release(grads, count);
  release(x, count);
  return good;
}

void check_differences_memory(const differences_row* rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    g_row = &rows[i];
    print_message("%s with too little memory\n", g_row->name);
    fail_each_allocation(runs);
  }
}
