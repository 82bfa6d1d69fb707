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

// ------------------------------------------------------------------------ forward mode

// |x| moved by |step| along |tangent|, without a history.
static oy_tensor* moved(oy_tensor* x, oy_tensor* tangent, double step) {
  return oy_add_Tensor(oy_detach(x), tangent, oy_float(step));
}

static oy_tensor* moved_result(const differences_row* row, oy_tensor** x, size_t count,
                               oy_tensor* const* tangents, double step) {
  oy_tensor* at[INPUTS_MAX];
  for (size_t i = 0; i < count; i++) at[i] = moved(x[i], tangents[i], step);
  oy_tensor* result = row->f(at);
  assert_non_null(result);
  return result;
}

static void compare_tangent(const differences_row* row, oy_tensor* got, oy_tensor* above,
                            oy_tensor* below, double step) {
  if (oy_tensor_numel(above) != (got ? oy_tensor_numel(got) : 0) && got)
    fail_msg("%s, forward mode: a tangent of another size", row->name);
  for (int64_t i = 0; i < oy_tensor_numel(above); i++) {
    double want = (element(above, i) - element(below, i)) / (2 * step);
    double have = got ? element(got, i) : 0;
    if (fabs(have - want) > 2e-6 + 2e-5 * fabs(want))
      fail_msg("%s, forward mode, element %d: %g, by differences %g", row->name, (int)i,
               have, want);
  }
}

// ENG-15: along one direction of all inputs at once.
static void check_forward(const differences_row* row, oy_tensor** x, size_t count) {
  const double step = 1e-6;
  oy_tensor *tangents[INPUTS_MAX], *duals[INPUTS_MAX], *primal, *tangent;
  int64_t level;
  oy_scope scope;
  oy_scope_open(&scope);
  assert_int_equal(oy_dual_level_enter(&level), OY_OK);
  for (size_t i = 0; i < count; i++) {
    tangents[i] = filled(oy_tensor_sizes(x[i]), 0.3 + 0.2 * (double)i, 1.1, false);
    duals[i] = oy_make_dual(x[i], tangents[i], level);
    assert_non_null(duals[i]);
  }
  oy_tensor* result = row->f(duals);
  if (!result) fail_msg("%s, forward mode: %s", row->name, oy_error_get()->message);
  if (oy_unpack_dual(result, level, &primal, &tangent) != OY_OK)
    fail_msg("%s, forward mode: %s", row->name, oy_error_get()->message);
  oy_tensor* above = moved_result(row, x, count, tangents, step);
  oy_tensor* below = moved_result(row, x, count, tangents, -step);
  if (above->dtype == OY_DTYPE_F64) compare_tangent(row, tangent, above, below, step);
  oy_tensor_release(primal);
  oy_tensor_release(tangent);
  release(duals, count);
  release(tangents, count);
  assert_int_equal(oy_dual_level_exit(level), OY_OK);
  oy_scope_close(&scope);
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
  if (orders > 1) check_forward(row, x, count);
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
