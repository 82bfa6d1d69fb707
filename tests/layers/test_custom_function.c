// SPDX-License-Identifier: Apache-2.0
// Custom functions (opyard/function.h): what they save, mark and refuse.
#include "support/tensors.h"

#define MUST(call) assert_int_equal(call, OY_OK)

static int g_destroyed;
static void destroy(void* data) {
  (void)data;
  g_destroyed++;
}
static oy_tensor* leaf(oy_tensor* t) {
  return oy_requires_grad_(t, true);
}
static oy_status given(const oy_tensor* t) {
  return t ? OY_OK : oy_failure();
}

// --------------------------------------------------------------------------- cube

static oy_status cube(oy_function_context* c, oy_tensor* const* in, size_t count,
                      oy_tensor** out) {
  (void)count;
  OY_TRY(oy_function_save(c, in, 1));
  return given(out[0] = oy_pow_Tensor_Scalar(in[0], oy_int(3)));
}
static oy_status cube_backward(oy_function_context* c, oy_tensor* const* grads,
                               size_t count, oy_tensor** out, size_t input_count) {
  assert_int_equal(count, 1);
  assert_int_equal(input_count, 1);
  assert_true(oy_function_needs_input_grad(c, 0));
  oy_tensor* x = oy_function_saved(c, 0);
  oy_tensor* square = x ? oy_mul_Tensor(x, x) : NULL;
  oy_tensor* slope = oy_mul_Scalar(square, oy_int(3));
  out[0] = oy_mul_Tensor(grads[0], slope);
  oy_tensor_release(square);
  oy_tensor_release(slope);
  return given(out[0]);
}
static const oy_function g_cube = {"Cube", cube, cube_backward, destroy, 1, false};
static const oy_function g_cube_once = {"Cube", cube, cube_backward, NULL, 1, true};

static oy_status apply_cube(void* data, oy_tensor* const* in, size_t count,
                            oy_tensor** outputs, size_t* out_count) {
  (void)data, (void)count;
  oy_tensor* y;
  OY_TRY(oy_function_apply(&g_cube, NULL, in, 1, &y));
  *out_count = 1;
  outputs[0] = oy_mul_Scalar(y, oy_int(1));
  oy_tensor_release(y);
  return given(outputs[0]);
}

static void ENG_14_saved_inputs(void** state) {
  (void)state;
  oy_tensor *x = leaf(F64(OY_DIMS(2), 2, -3)), *y;
  g_destroyed = 0;
  MUST(oy_function_apply(&g_cube, NULL, &x, 1, &y));
  assert_elements(y, OY_DIMS(2), 8, -27);
  assert_string_equal(oy_grad_fn_name(y), "CubeBackward");
  assert_int_equal(g_destroyed, 0);
  oy_tensor* ones = F64(OY_DIMS(2), 1, 1);
  MUST(oy_backward(y, ones, false));
  assert_elements(oy_grad(x), OY_DIMS(2), 12, 27);
  // What was saved is gone.
  assert_int_equal(oy_backward(y, ones, false), OY_FAILED_PRECONDITION);
  assert_non_null(strstr(oy_error_get()->message,
                         "Trying to backward through the graph a second time"));
  oy_tensor_release(y);
  assert_int_equal(g_destroyed, 1);
  // Without a gradient nothing is kept.
  oy_grad_guard guard = oy_no_grad();
  MUST(oy_function_apply(&g_cube, NULL, &x, 1, &y));
  oy_grad_guard_end(&guard);
  assert_int_equal(g_destroyed, 2);
  assert_false(oy_requires_grad(y));
  oy_tensor_release(y);
  oy_tensor_release(ones);
  oy_tensor_release(x);
}

static void ENG_14_differentiated_twice(void** state) {
  (void)state;
  oy_tensor* x = leaf(F64(OY_DIMS(3), 2, -3, 0.5));
  MUST(oy_gradcheck(apply_cube, NULL, &x, 1, NULL));
  MUST(oy_gradgradcheck(apply_cube, NULL, &x, 1, NULL));
  oy_tensor_release(x);
}

static void ENG_14_once_differentiable(void** state) {
  (void)state;
  oy_tensor *x = leaf(F64(OY_DIMS(1), 2)), *y, *first = NULL;
  MUST(oy_function_apply(&g_cube_once, NULL, &x, 1, &y));
  oy_backward_options options = {.create_graph = true};
  MUST(oy_gradients(&y, NULL, 1, &x, 1, &options, &first));
  assert_elements(first, OY_DIMS(1), 12);
  assert_int_equal(oy_backward(first, NULL, false), OY_FAILED_PRECONDITION);
  assert_error(
      "trying to differentiate twice a function that was marked with "
      "@once_differentiable");
  oy_tensor_release(first);
  oy_tensor_release(y);
  oy_tensor_release(x);
}

// --------------------------------------------------------------- a saved output

static oy_status exponential(oy_function_context* c, oy_tensor* const* in, size_t count,
                             oy_tensor** out) {
  (void)count;
  OY_TRY(given(out[0] = oy_exp(in[0])));
  return oy_function_save(c, out, 1);
}
static oy_status exponential_backward(oy_function_context* c, oy_tensor* const* grads,
                                      size_t count, oy_tensor** out, size_t input_count) {
  (void)count, (void)input_count;
  oy_tensor* y = oy_function_saved(c, 0);
  OY_TRY(given(y));
  return given(out[0] = oy_mul_Tensor(grads[0], y));
}
static const oy_function g_exp = {"Exp", exponential, exponential_backward,
                                  NULL,  1,           false};

static oy_status apply_exp(void* data, oy_tensor* const* in, size_t count,
                           oy_tensor** outputs, size_t* out_count) {
  (void)data, (void)count;
  oy_tensor* y;
  OY_TRY(oy_function_apply(&g_exp, NULL, in, 1, &y));
  *out_count = 1;
  outputs[0] = oy_mul_Scalar(y, oy_int(1));
  oy_tensor_release(y);
  return given(outputs[0]);
}

static void ENG_14_saved_outputs(void** state) {
  (void)state;
  oy_tensor *x = leaf(F64(OY_DIMS(2), 0.5, -1)), *y;
  MUST(oy_gradcheck(apply_exp, NULL, &x, 1, NULL));
  MUST(oy_gradgradcheck(apply_exp, NULL, &x, 1, NULL));
  MUST(oy_function_apply(&g_exp, NULL, &x, 1, &y));
  assert_non_null(oy_mul__Scalar(y, oy_int(2)));
  oy_tensor* ones = F64(OY_DIMS(2), 1, 1);
  assert_int_equal(oy_backward(y, ones, false), OY_FAILED_PRECONDITION);
  assert_non_null(
      strstr(oy_error_get()->message,
             "[torch.DoubleTensor [2]], which is output 0 of ExpBackward, is at "
             "version 1; expected version 0 instead."));
  oy_tensor_release(ones);
  oy_tensor_release(y);
  oy_tensor_release(x);
}

// ------------------------------------------------------------------------ in place

static oy_status double_in_place(oy_function_context* c, oy_tensor* const* in,
                                 size_t count, oy_tensor** out) {
  (void)count;
  OY_TRY(oy_function_mark_dirty(c, in[0]));
  OY_TRY(given(oy_mul__Scalar(in[0], oy_int(2))));
  out[0] = oy_tensor_retain(oy_function_data(c) ? in[1] : in[0]);
  return OY_OK;
}
static oy_status twice(oy_function_context* c, oy_tensor* const* grads, size_t count,
                       oy_tensor** out, size_t input_count) {
  (void)count, (void)input_count, (void)c;
  return given(out[0] = oy_mul_Scalar(grads[0], oy_int(2)));
}
static const oy_function g_double = {"Double", double_in_place, twice, NULL, 1, false};

static void ENG_14_dirty_inputs(void** state) {
  (void)state;
  oy_tensor *x = leaf(F64(OY_DIMS(3), 1, 2, 3)), *out;
  assert_int_equal(oy_function_apply(&g_double, NULL, &x, 1, &out),
                   OY_FAILED_PRECONDITION);
  assert_error(
      "a leaf Variable that requires grad has been used in an in-place "
      "operation.");
  MUST(oy_set_grad(x, NULL));
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* y = oy_mul_Scalar(x, oy_int(5));
  MUST(oy_function_apply(&g_double, NULL, &y, 1, &out));
  assert_ptr_equal(out, y);
  assert_string_equal(oy_grad_fn_name(y), "DoubleBackward");
  oy_tensor_release(out);
  MUST(oy_backward(oy_sum(y, oy_none()), NULL, false));
  assert_elements(oy_grad(x), OY_DIMS(3), 10, 10, 10);
  // Through a view: the base has the history.
  MUST(oy_set_grad(x, NULL));
  oy_tensor* base = oy_mul_Scalar(x, oy_int(1));
  oy_tensor* view = oy_slice_Tensor(base, 0, oy_int(1), oy_none(), 1);
  MUST(oy_function_apply(&g_double, NULL, &view, 1, &out));
  oy_tensor_release(out);
  assert_string_equal(oy_grad_fn_name(base), "CopySlices");
  MUST(oy_backward(oy_sum(base, oy_none()), NULL, false));
  assert_elements(oy_grad(x), OY_DIMS(3), 1, 2, 2);
  oy_tensor* both[] = {oy_mul_Scalar(x, oy_int(1)), oy_mul_Scalar(x, oy_int(1))};
  assert_int_equal(oy_function_apply(&g_double, &scope, both, 2, &out),
                   OY_FAILED_PRECONDITION);
  assert_error(
      "Some elements marked as dirty during the forward method were not returned "
      "as output. The inputs that are modified inplace must all be outputs of the "
      "Function.");
  oy_scope_close(&scope);
  oy_tensor_release(x);
}

// ------------------------------------------------------------------ several outputs

typedef struct seen {
  bool materialize, zero[3];
} seen;

// x itself, x * y, and x rounded up, which has no gradient.
static oy_status three(oy_function_context* c, oy_tensor* const* in, size_t count,
                       oy_tensor** out) {
  (void)count;
  const seen* s = oy_function_data(c);
  oy_function_set_materialize_grads(c, s->materialize);
  OY_TRY(oy_function_save(c, in, 2));
  out[0] = oy_tensor_retain(in[0]);
  OY_TRY(given(out[1] = oy_mul_Tensor(in[0], in[1])));
  OY_TRY(given(out[2] = oy_ceil(in[0])));
  return oy_function_mark_non_differentiable(c, out[2]);
}
static oy_status three_backward(oy_function_context* c, oy_tensor* const* grads,
                                size_t count, oy_tensor** out, size_t input_count) {
  (void)input_count;
  seen* s = oy_function_data(c);
  for (size_t i = 0; i < count; i++) s->zero[i] = !grads[i];
  oy_tensor *x = oy_function_saved(c, 0), *y = oy_function_saved(c, 1);
  OY_TRY(given(x && y ? x : NULL));
  if (grads[1] && oy_function_needs_input_grad(c, 0))
    OY_TRY(given(out[0] = oy_mul_Tensor(grads[1], y)));
  if (grads[1] && oy_function_needs_input_grad(c, 1))
    OY_TRY(given(out[1] = oy_mul_Tensor(grads[1], x)));
  return OY_OK;
}
static const oy_function g_three = {"Three", three, three_backward, NULL, 3, false};

static void ENG_14_several_outputs(void** state) {
  (void)state;
  seen s = {.materialize = true};
  oy_tensor *in[] = {F64(OY_DIMS(2), 1.5, 2), leaf(F64(OY_DIMS(2), 3, 4))}, *out[3];
  oy_tensor* ones = F64(OY_DIMS(2), 1, 1);
  for (int round = 0; round < 2; round++, s.materialize = false) {
    MUST(oy_function_apply(&g_three, &s, in, 2, out));
    // An input that comes back is another tensor with the same elements.
    assert_ptr_not_equal(out[0], in[0]);
    assert_ptr_equal(oy_tensor_data(out[0]), oy_tensor_data(in[0]));
    assert_true(oy_requires_grad(out[0]) && oy_requires_grad(out[1]));
    assert_int_equal(oy_output_nr(out[1]), 1);
    assert_false(oy_requires_grad(out[2]));
    assert_false(oy_requires_grad(in[0]));
    MUST(oy_backward(out[1], ones, false));
    assert_elements(oy_grad(in[1]), OY_DIMS(2), 1.5 * (round + 1), 2 * (round + 1));
    for (int i = 0; i < 3; i++) {
      assert_int_equal(s.zero[i], round == 1 && i != 1);
      oy_tensor_release(out[i]);
    }
  }
  oy_tensor_release(ones);
  oy_tensor_release(in[0]);
  oy_tensor_release(in[1]);
}

// --------------------------------------------------------------------------- memory

static oy_tensor* g_in[2];
static bool runs(void) {
  seen s = {.materialize = true};
  oy_tensor *out[3], *grad = NULL;
  if (oy_function_apply(&g_three, &s, g_in, 2, out) != OY_OK) return false;
  oy_tensor* ones = oy_tensor_from_data((const double[]){1, 1}, OY_DIMS(2), OY_DTYPE_F64);
  bool good = ones && oy_gradients(&out[1], &ones, 1, &g_in[1], 1, NULL, &grad) == OY_OK;
  oy_tensor_release(ones);
  oy_tensor_release(grad);
  for (int i = 0; i < 3; i++) oy_tensor_release(out[i]);
  return good;
}

// -------------------------------------------------------------- gradients that do not fit

static oy_status same(oy_function_context* c, oy_tensor* const* in, size_t count,
                      oy_tensor** out) {
  (void)c, (void)count;
  return given(out[0] = oy_mul_Scalar(in[0], oy_int(1)));
}
// What it was given as data.
static oy_status give_data(oy_function_context* c, oy_tensor* const* grads, size_t count,
                           oy_tensor** out, size_t input_count) {
  (void)grads, (void)count, (void)input_count;
  return given(out[0] = oy_tensor_retain(oy_function_data(c)));
}

// Takes over |grad|, the gradient that the backward of a function gives for |x|.
static oy_status walk_with(oy_tensor* x, oy_tensor* grad) {
  static const oy_function fn = {"Gives", same, give_data, NULL, 1, false};
  oy_tensor* y;
  MUST(oy_function_apply(&fn, grad, &x, 1, &y));
  oy_tensor* sum = oy_sum(y, oy_none());
  MUST(oy_set_grad(x, NULL));
  oy_status status = oy_backward(sum, NULL, false);
  oy_tensor_release(sum);
  oy_tensor_release(y);
  oy_tensor_release(grad);
  return status;
}

static void ENG_05_what_nodes_give_is_made_to_fit(void** state) {
  (void)state;
  oy_tensor* x = leaf(F64(OY_DIMS(2), 1, 2));
  // Broadcast dimensions are summed, another dtype is cast, of complex the real part counts.
  MUST(walk_with(x, F64(OY_DIMS(3, 2), 1, 2, 3, 4, 5, 6)));
  assert_elements(oy_grad(x), OY_DIMS(2), 9, 12);
  MUST(walk_with(x, F32(OY_DIMS(2), 5, 6)));
  assert_int_equal(oy_grad(x)->dtype, OY_DTYPE_F64);
  assert_elements(oy_grad(x), OY_DIMS(2), 5, 6);
  const double data[] = {1, 2, 3, 4};
  MUST(walk_with(x, oy_tensor_from_data(data, OY_DIMS(2), OY_DTYPE_C128)));
  assert_elements(oy_grad(x), OY_DIMS(2), 1, 3);
  assert_int_equal(walk_with(x, F64(OY_DIMS(5), 1, 2, 3, 4, 5)), OY_INVALID_ARGUMENT);
  assert_error(
      "Function GivesBackward returned an invalid gradient at index 0 - got [5] but "
      "expected shape compatible with [2]");
  assert_null(oy_grad(x));
  oy_tensor_release(x);
}

// ------------------------------------------------------------------ views as outputs

static oy_status as_row(oy_function_context* c, oy_tensor* const* in, size_t count,
                        oy_tensor** out) {
  (void)c, (void)count;
  return given(out[0] = oy_view(in[0], OY_DIMS(1, 2)));
}
static oy_status as_is(oy_function_context* c, oy_tensor* const* in, size_t count,
                       oy_tensor** out) {
  (void)c, (void)count;
  return given(out[0] = oy_tensor_retain(in[0]));
}
static oy_status as_row_backward(oy_function_context* c, oy_tensor* const* grads,
                                 size_t count, oy_tensor** out, size_t input_count) {
  (void)c, (void)count, (void)input_count;
  return given(out[0] = oy_view(grads[0], OY_DIMS(2)));
}

static void ENG_07_views_that_functions_give(void** state) {
  (void)state;
  const oy_function functions[] = {{"Row", as_row, as_row_backward, NULL, 1, false},
                                   {"Same", as_is, as_row_backward, NULL, 1, false}};
  oy_tensor *x = leaf(F64(OY_DIMS(2), 1, 2)), *y = oy_mul_Scalar(x, oy_int(2)), *view;
  for (int i = 0; i < 2; i++) {
    MUST(oy_function_apply(&functions[i], NULL, &y, 1, &view));
    assert_null(oy_mul__Scalar(view, oy_int(3)));
    const char* why =
        "is a view and is being modified inplace. This view was created inside a custom "
        "Function (or because an input was returned as-is) and the autograd logic to "
        "handle view+inplace would override the custom backward associated with the "
        "custom Function, leading to incorrect gradients. This behavior is forbidden. "
        "You "
        "can fix this by cloning the output of the custom Function.";
    char text[600];
    snprintf(text, sizeof(text), "Output 0 of %sBackward %s", functions[i].name, why);
    assert_error(text);
    // Without grad mode anything may be written; a copy may be at any time.
    oy_grad_guard off = oy_no_grad();
    assert_non_null(oy_mul__Scalar(view, oy_int(1)));
    oy_grad_guard_end(&off);
    oy_tensor* copy = oy_clone(view, oy_none());
    assert_non_null(oy_mul__Scalar(copy, oy_int(3)));
    oy_tensor_release(copy);
    oy_tensor_release(view);
  }
  oy_tensor_release(y);
  oy_tensor_release(x);
}

// Numbers of a complex tensor, written on their own: (3 Re + 2i Im) of y = c w.
static void ENG_08_parts_of_complex_numbers(void** state) {
  (void)state;
  const double data[] = {1, 2, 3, -1};
  oy_tensor* c = oy_tensor_from_data(data, OY_DIMS(2), OY_DTYPE_C128);
  oy_tensor* w = leaf(F64(OY_DIMS(2), 1, 2));
  oy_tensor *y = oy_mul_Tensor(c, w), *re = oy_real(y), *im = oy_imag(y);
  assert_non_null(oy_mul__Scalar(re, oy_int(3)));
  assert_non_null(oy_mul__Scalar(im, oy_int(2)));
  oy_tensor *size = oy_abs(y), *sum = oy_sum(size, oy_none());
  MUST(oy_backward(sum, NULL, false));
  // |3 w Re c + 2 i w Im c| = w |3 Re c + 2 i Im c|
  assert_close(oy_grad(w), OY_DIMS(2), 1e-12, 5, sqrt(85));
  oy_tensor* all[] = {sum, size, im, re, y, w, c};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
}

static void ENG_14_without_memory(void** state) {
  (void)state;
  g_in[0] = F64(OY_DIMS(2), 1.5, 2);
  g_in[1] = leaf(F64(OY_DIMS(2), 3, 4));
  assert_true(runs());
  fail_each_allocation(runs);
  oy_tensor_release(g_in[0]);
  oy_tensor_release(g_in[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ENG_14_saved_inputs),
      cmocka_unit_test(ENG_14_differentiated_twice),
      cmocka_unit_test(ENG_14_once_differentiable),
      cmocka_unit_test(ENG_14_saved_outputs),
      cmocka_unit_test(ENG_14_dirty_inputs),
      cmocka_unit_test(ENG_14_several_outputs),
      cmocka_unit_test(ENG_05_what_nodes_give_is_made_to_fit),
      cmocka_unit_test(ENG_07_views_that_functions_give),
      cmocka_unit_test(ENG_08_parts_of_complex_numbers),
      cmocka_unit_test(ENG_14_without_memory),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
