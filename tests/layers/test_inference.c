// SPDX-License-Identifier: Apache-2.0
// Inference mode: what it changes of the thread and puts back, and every row of the table
// in the reference, 6.1. What PyTorch does where the table says nothing was asked of it.
#include <pthread.h>

#include "base/memory.h"
#include "support/tensors.h"

#define MUST(call)    assert_int_equal(call, OY_OK)
#define REFUSED(call) assert_int_equal(call, OY_FAILED_PRECONDITION)

#define IN_PLACE_OUTSIDE                                                             \
  "Inplace update to inference tensor outside InferenceMode is not allowed.You can " \
  "make "                                                                            \
  "a clone to get a normal tensor before doing inplace update.See "                  \
  "https://github.com/pytorch/rfcs/pull/17 for more details."
#define VIEW_FROM_INSIDE                                                                \
  " Given that this use case is ambiguous and error-prone, it is forbidden. You can "   \
  "clarify your code by moving both the view and the inplace either both inside the "   \
  "inference_mode block (if you don't want the inplace to be tracked) or both outside " \
  "(if you want the inplace to be tracked)."

static oy_tensor* leaf(oy_tensor* t) {
  return oy_requires_grad_(t, true);
}
static bool has_key(const oy_tensor* t, oy_key key) {
  return oy_keyset_has(t->keys, key);
}
static oy_tensor* made_inside(void) {
  oy_inference_guard guard = oy_inference_mode(true);
  oy_tensor* t = F32(OY_DIMS(2), 1, 2);
  oy_inference_guard_end(&guard);
  return t;
}
static oy_tensor* view_inside(oy_tensor* t) {
  oy_inference_guard guard = oy_inference_mode(true);
  oy_tensor* v = oy_view(t, OY_DIMS(2));
  oy_inference_guard_end(&guard);
  return v;
}
// ------------------------------------------------------------------------ the thread

typedef struct thread_sets {
  oy_keyset included, excluded;
  bool grad_mode, inference_mode;
} thread_sets;
static thread_sets sets_now(void) {
  return (thread_sets){oy_included_get(), oy_excluded_get(), oy_grad_mode_get(),
                       oy_inference_mode_get()};
}
static void assert_same_sets(const thread_sets* want) {
  thread_sets got = sets_now();
  assert_true(oy_keyset_equal(got.included, want->included));
  assert_true(oy_keyset_equal(got.excluded, want->excluded));
  assert_int_equal(got.grad_mode, want->grad_mode);
  assert_int_equal(got.inference_mode, want->inference_mode);
}
static bool excludes_autograd(void) {
  return oy_excluded_has(OY_KEY_AutogradFunctionality) &&
         oy_excluded_has(OY_KEY_AutogradOther) &&
         oy_excluded_has(OY_KEY_AutogradNestedTensor);
}

static void AG_03_tls_changes_and_restore(void** state) {
  (void)state;
  thread_sets outside = sets_now();
  oy_inference_guard on = oy_inference_mode(true);
  assert_true(oy_inference_mode_get());
  assert_false(oy_grad_mode_get());
  assert_false(oy_included_has(OY_KEY_ADInplaceOrView));
  assert_true(oy_included_has(OY_KEY_BackendSelect));
  assert_true(excludes_autograd());
  assert_true(oy_excluded_has(OY_KEY_AutocastCPU));
  thread_sets inside = sets_now();
  oy_inference_guard off = oy_inference_mode(false);
  assert_same_sets(&outside);
  oy_inference_guard again = oy_inference_mode(true);
  assert_same_sets(&inside);
  oy_inference_guard_end(&again);
  assert_same_sets(&outside);
  oy_inference_guard_end(&off);
  assert_same_sets(&inside);
  oy_inference_guard_end(&on);
  assert_same_sets(&outside);
}

// What was not as in a new thread is as it was, too.
static void AG_03_restores_what_it_found(void** state) {
  (void)state;
  oy_grad_guard no_grad = oy_no_grad();
  oy_guard below = oy_guard_below_adinplaceorview();
  thread_sets before = sets_now();
  oy_inference_guard off = oy_inference_mode(false);
  assert_true(oy_grad_mode_get());
  assert_false(excludes_autograd());
  assert_true(oy_excluded_has(OY_KEY_ADInplaceOrView));
  oy_inference_guard_end(&off);
  assert_same_sets(&before);
  oy_guard_end(&below);
  oy_grad_guard_end(&no_grad);
}

static void ENG_13_grad_mode_within(void** state) {
  (void)state;
  oy_tensor* w = leaf(F32(OY_DIMS(2), 1, 2));
  oy_inference_guard guard = oy_inference_mode(true);
  oy_grad_guard grad = oy_enable_grad();
  assert_true(oy_grad_mode_get());
  oy_tensor* y = oy_mul_Tensor(w, w);
  assert_false(oy_requires_grad(y));
  oy_grad_guard no_grad = oy_no_grad();
  oy_grad_guard_end(&no_grad);
  assert_true(oy_grad_mode_get());
  oy_grad_guard_end(&grad);
  assert_false(oy_grad_mode_get());
  oy_inference_guard off = oy_inference_mode(false);
  oy_tensor* z = oy_mul_Tensor(w, w);
  assert_string_equal(oy_grad_fn_name(z), "MulBackward0");
  assert_false(oy_tensor_is_inference(z));
  oy_inference_guard_end(&off);
  oy_inference_guard_end(&guard);
  oy_tensor_release(z);
  oy_tensor_release(y);
  oy_tensor_release(w);
}

static void* ask_thread(void* out) {
  *(thread_sets*)out = sets_now();
  return NULL;
}
static void ENG_13_new_threads_are_not_in_it(void** state) {
  (void)state;
  thread_sets outside = sets_now(), there;
  oy_inference_guard guard = oy_inference_mode(true);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, ask_thread, &there), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  oy_inference_guard_end(&guard);
  assert_false(there.inference_mode);
  assert_true(there.grad_mode);
  assert_true(oy_keyset_equal(there.included, outside.included));
}

// ------------------------------------------------------------------ inference tensors

static void assert_inference(oy_tensor* t) {
  assert_non_null(t);
  assert_true(oy_tensor_is_inference(t));
  assert_false(has_key(t, OY_KEY_ADInplaceOrView));
  assert_false(has_key(t, OY_KEY_AutogradCPU));
  assert_true(has_key(t, OY_KEY_CPU));
  assert_int_equal(oy_tensor_version(t), 0);
  assert_string_equal(oy_error_get()->message,
                      "Inference tensors do not track version counter.");
  oy_error_clear();
}

static void AG_03_what_is_made_inside(void** state) {
  (void)state;
  oy_tensor* n = leaf(F32(OY_DIMS(2), 1, 2));
  static double memory[2] = {1, 2};
  const oy_tensor_memory m = {.data = memory, .nbytes = sizeof(memory)};
  oy_inference_guard guard = oy_inference_mode(true);
  oy_tensor* made[] = {
      F32(OY_DIMS(2), 1, 2),
      F64(OY_DIMS(1, 1, 1, 1, 1, 1, 1), 1),
      oy_tensor_from_scalar(oy_int(1)),
      oy_tensor_from_memory(&m, OY_DIMS(2), (oy_ints){NULL, 0}, OY_DTYPE_F64),
      oy_add_Tensor(n, n, ALPHA1),
      oy_clone(n, oy_none()),
      oy_sum(n, oy_none()),
      oy_eq_Tensor(n, n),
      oy_empty_strided(OY_DIMS(2), OY_DIMS(3), oy_none(), oy_none(), oy_none(),
                       oy_none()),
  };
  oy_inference_guard_end(&guard);
  for (size_t i = 0; i < OY_ARRAY_SIZE(made); i++) {
    assert_inference(made[i]);
    oy_tensor_release(made[i]);
  }
  oy_tensor_release(n);
}

static void AG_03_opaque_ones(void** state) {
  (void)state;
  const oy_keyset keys = oy_keyset_of(OY_KEY_CPU);
  oy_tensor* outside = oy_tensor_opaque(keys, OY_DIMS(2), OY_DTYPE_F32, oy_device_cpu());
  assert_false(oy_tensor_is_inference(outside));
  oy_inference_guard guard = oy_inference_mode(true);
  oy_tensor* inside = oy_tensor_opaque(oy_tensor_keys_for(oy_device_cpu(), OY_DTYPE_F32),
                                       OY_DIMS(2), OY_DTYPE_F32, oy_device_cpu());
  oy_inference_guard_end(&guard);
  assert_inference(inside);
  oy_tensor_release(inside);
  oy_tensor_release(outside);
}

static void AG_03_what_is_none(void** state) {
  (void)state;
  oy_tensor* n = F32(OY_DIMS(2), 1, 2);
  assert_false(oy_tensor_is_inference(n));
  assert_false(oy_tensor_is_inference(NULL));
  oy_error_clear();
  assert_false(oy_tensor_is_inference(&oy_none_object));
  assert_string_equal(oy_error_get()->message, "expected a tensor, got None");
  oy_error_clear();
  oy_tensor* v = view_inside(n);
  assert_false(oy_tensor_is_inference(v));
  assert_int_equal(oy_tensor_version(v), 0);
  oy_tensor_release(v);
  oy_tensor_release(n);
}

static void AG_03_the_operator_that_asks(void** state) {
  (void)state;
  oy_tensor* both[] = {made_inside(), F32(OY_DIMS(2), 1, 2)};
  for (int i = 0; i < 2; i++) {
    bool is_inference = i != 0;
    MUST(oy_is_inference(both[i], &is_inference));
    assert_int_equal(is_inference, i == 0);
    oy_inference_guard guard = oy_inference_mode(true);
    MUST(oy_is_inference(both[i], &is_inference));
    oy_inference_guard_end(&guard);
    assert_int_equal(is_inference, i == 0);
    oy_tensor_release(both[i]);
  }
  bool is_inference = true;
  assert_int_not_equal(oy_is_inference((oy_tensor*)&oy_none_object, &is_inference),
                       OY_OK);
  oy_error_clear();
  assert_false(is_inference);
}

// Functional operators outside give normal tensors, views inference tensors.
static void AG_03_used_outside(void** state) {
  (void)state;
  oy_tensor* x = made_inside();
  oy_tensor* normal[] = {oy_add_Tensor(x, x, ALPHA1), oy_clone(x, oy_none()),
                         oy_contiguous(x, OY_MEMORY_CONTIGUOUS)};
  assert_false(oy_tensor_is_inference(normal[0]));
  assert_true(element(normal[0], 1) == 4);
  assert_false(oy_tensor_is_inference(normal[1]));
  assert_non_null(oy_add__Tensor(normal[1], normal[0], ALPHA1));
  assert_int_equal(oy_tensor_version(normal[1]), 1);
  assert_true(normal[2] == x);  // it is contiguous
  oy_tensor* views[] = {oy_view(x, OY_DIMS(2)), oy_detach(x), oy_select_int(x, 0, 1),
                        oy_view_dtype(x, OY_DTYPE_I32)};
  for (size_t i = 0; i < OY_ARRAY_SIZE(views); i++) {
    assert_inference(views[i]);
    assert_fails(oy_zero_(views[i]), IN_PLACE_OUTSIDE);
    oy_tensor_release(views[i]);
  }
  for (size_t i = 0; i < OY_ARRAY_SIZE(normal); i++) oy_tensor_release(normal[i]);
  oy_tensor_release(x);
}

static void AG_03_lists_of_views_outside(void** state) {
  (void)state;
  oy_tensor* x = made_inside();
  oy_value parts;
  MUST(oy_split_Tensor(x, 1, 0, &parts));
  assert_int_equal(parts.count, 2);
  assert_inference(parts.as.tensors[0]);
  assert_fails(oy_zero_(parts.as.tensors[0]), IN_PLACE_OUTSIDE);
  oy_value_release(&parts);
  oy_tensor_release(x);
}

// ------------------------------------------------------------------------- in place

static void AG_03_in_place_outside(void** state) {
  (void)state;
  oy_tensor* x = made_inside();
  oy_tensor* n = F32(OY_DIMS(2), 1, 2);
  oy_tensor* w = leaf(F32(OY_DIMS(2), 1, 2));
  assert_fails(oy_add__Tensor(x, n, ALPHA1), IN_PLACE_OUTSIDE);
  assert_fails(oy_add__Tensor(x, w, ALPHA1), IN_PLACE_OUTSIDE);
  assert_fails(oy_add_out(n, n, ALPHA1, x), IN_PLACE_OUTSIDE);
  assert_null(oy_grad_fn_name(x));
  oy_grad_guard no_grad = oy_no_grad();
  assert_fails(oy_zero_(x), IN_PLACE_OUTSIDE);
  oy_grad_guard_end(&no_grad);
  oy_tensor_bump_version(x);
  assert_string_equal(oy_error_get()->message, IN_PLACE_OUTSIDE);
  oy_error_clear();
  oy_tensor_release(w);
  oy_tensor_release(n);
  oy_tensor_release(x);
}

static void AG_03_lists_in_place_outside(void** state) {
  (void)state;
  oy_tensor* x = made_inside();
  oy_tensor* values = F32(OY_DIMS(0), 0);
  oy_tensor* indices = I64(OY_DIMS(0), 0);
  oy_tensor *a, *b;
  REFUSED(oy_sort_values(x, 0, false, x, indices, &a, &b));
  assert_string_equal(oy_error_get()->message, IN_PLACE_OUTSIDE);
  oy_error_clear();
  oy_tensor_release(indices);
  oy_tensor_release(values);
  oy_tensor_release(x);
}

// Running statistics are written besides the results, which must not leak.
static void AG_03_written_besides_outside(void** state) {
  (void)state;
  oy_inference_guard guard = oy_inference_mode(true);
  oy_tensor* mean = F32(OY_DIMS(2), 0, 0);
  oy_tensor* var = F32(OY_DIMS(2), 1, 1);
  oy_inference_guard_end(&guard);
  oy_tensor* x = F32(OY_DIMS(2, 2), 1, 2, 3, 4);
  oy_tensor *y, *m, *s;
  REFUSED(oy__native_batch_norm_legit(x, (oy_tensor*)&oy_none_object,
                                      (oy_tensor*)&oy_none_object, mean, var, true, 0.1,
                                      1e-5, &y, &m, &s));
  assert_string_equal(oy_error_get()->message, IN_PLACE_OUTSIDE);
  oy_error_clear();
  oy_tensor_release(x);
  oy_tensor_release(var);
  oy_tensor_release(mean);
}

static void AG_03_in_place_inside(void** state) {
  (void)state;
  oy_tensor* x = made_inside();
  oy_tensor* n = F32(OY_DIMS(2), 1, 2);
  oy_tensor* w = leaf(F32(OY_DIMS(2), 1, 2));
  oy_tensor* y = oy_mul_Scalar(w, oy_float(2));
  oy_inference_guard guard = oy_inference_mode(true);
  assert_ptr_equal(oy_add__Tensor(x, x, ALPHA1), x);
  assert_ptr_equal(oy_add__Tensor(x, n, ALPHA1), x);  // n brings the layer's key
  assert_ptr_equal(oy_add__Tensor(n, x, ALPHA1), n);
  assert_ptr_equal(oy_add__Tensor(w, n, ALPHA1), w);  // a leaf, too
  assert_ptr_equal(oy_add__Tensor(y, w, ALPHA1), y);
  oy_inference_guard_end(&guard);
  assert_true(element(x, 0) == 3);
  assert_true(element(n, 0) == 4);
  assert_true(element(w, 0) == 5);
  assert_true(element(y, 0) == 7);
  assert_int_equal(oy_tensor_version(n), 1);
  assert_int_equal(oy_tensor_version(w), 1);
  assert_int_equal(oy_tensor_version(y), 1);
  assert_string_equal(oy_grad_fn_name(y), "MulBackward1");
  assert_true(oy_is_leaf(w));
  oy_tensor_release(y);
  oy_tensor_release(w);
  oy_tensor_release(n);
  oy_tensor_release(x);
}

// A version that is counted inside is seen by a walk outside.
static void AG_03_saved_and_written_inside(void** state) {
  (void)state;
  oy_tensor* w = leaf(F32(OY_DIMS(2), 1, 2));
  oy_tensor* n = F32(OY_DIMS(2), 1, 2);
  oy_tensor* y = oy_mul_Tensor(w, n);
  oy_tensor* sum = oy_sum(y, oy_none());
  oy_inference_guard guard = oy_inference_mode(true);
  assert_non_null(oy_zero_(n));
  oy_inference_guard_end(&guard);
  REFUSED(oy_backward(sum, NULL, false));
  assert_non_null(strstr(oy_error_get()->message, "is at version 1; expected version 0"));
  oy_error_clear();
  oy_tensor_release(sum);
  oy_tensor_release(y);
  oy_tensor_release(n);
  oy_tensor_release(w);
}

// ------------------------------------------------------------------------- gradients

static oy_status keep_first(oy_function_context* c, oy_tensor* const* in, size_t count,
                            oy_tensor** out) {
  (void)count;
  OY_TRY(oy_function_save(c, in, 2));
  return (out[0] = oy_clone(in[0], oy_none())) ? OY_OK : oy_failure();
}
static oy_status no_gradient(oy_function_context* c, oy_tensor* const* grads,
                             size_t count, oy_tensor** out_grads, size_t input_count) {
  (void)c, (void)grads, (void)count, (void)out_grads, (void)input_count;
  return OY_OK;
}

static void AG_03_save_for_backward(void** state) {
  (void)state;
  static const char text[] =
      "Inference tensors cannot be saved for backward. To work around you can make a "
      "clone to get a normal tensor and use it in autograd.";
  static const oy_function keeps = {
      .name = "Keeps", .forward = keep_first, .backward = no_gradient, .outputs = 1};
  oy_tensor* x = made_inside();
  oy_tensor* w = leaf(F32(OY_DIMS(2), 3, 4));
  assert_fails(oy_mul_Tensor(x, w), text);
  assert_fails(oy_atan2(w, x), text);
  oy_tensor *both[] = {w, x}, *y;
  REFUSED(oy_function_apply(&keeps, NULL, both, 2, &y));
  assert_string_equal(oy_error_get()->message, text);
  oy_error_clear();
  // Nothing is saved of a sum, nor without grad mode; a clone may be saved.
  oy_tensor* fine[] = {oy_add_Tensor(x, w, ALPHA1), oy_clone(x, oy_none()), NULL, NULL};
  fine[2] = oy_mul_Tensor(fine[1], w);
  assert_string_equal(oy_grad_fn_name(fine[0]), "AddBackward0");
  assert_string_equal(oy_grad_fn_name(fine[2]), "MulBackward0");
  oy_grad_guard no_grad = oy_no_grad();
  fine[3] = oy_mul_Tensor(x, w);
  assert_non_null(fine[3]);
  oy_grad_guard_end(&no_grad);
  for (size_t i = 0; i < OY_ARRAY_SIZE(fine); i++) oy_tensor_release(fine[i]);
  oy_tensor_release(w);
  oy_tensor_release(x);
}

static void AG_03_requires_grad(void** state) {
  (void)state;
  oy_tensor* x = made_inside();
  oy_tensor* w = leaf(F32(OY_DIMS(2), 3, 4));
  assert_fails(
      oy_requires_grad_(x, true),
      "Setting requires_grad=True on inference tensor outside InferenceMode is not "
      "allowed.");
  assert_ptr_equal(oy_requires_grad_(x, false), x);
  oy_inference_guard guard = oy_inference_mode(true);
  assert_ptr_equal(oy_requires_grad_(x, true), x);
  oy_inference_guard_end(&guard);
  assert_true(oy_requires_grad(x));
  assert_inference(x);
  // It has no key that would record a call, but is an input of one that is recorded.
  oy_tensor* alone = oy_mul_Tensor(x, x);
  assert_false(oy_requires_grad(alone));
  oy_tensor* y = oy_add_Tensor(x, w, ALPHA1);
  oy_tensor* sum = oy_sum(y, oy_none());
  MUST(oy_backward(sum, NULL, false));
  assert_true(element(oy_grad(x), 1) == 1);
  assert_ptr_equal(oy_requires_grad_(x, false), x);
  assert_false(oy_requires_grad(x));
  oy_tensor_release(sum);
  oy_tensor_release(y);
  oy_tensor_release(alone);
  oy_tensor_release(w);
  oy_tensor_release(x);
}

// A walk inside leaves inference tensors, but adds to what is there.
static void AG_03_backward_inside(void** state) {
  (void)state;
  oy_tensor* w = leaf(F32(OY_DIMS(2), 1, 2));
  oy_tensor* y = oy_mul_Tensor(w, w);
  oy_tensor* sum = oy_sum(y, oy_none());
  oy_inference_guard guard = oy_inference_mode(true);
  MUST(oy_backward(sum, NULL, true));
  oy_inference_guard_end(&guard);
  assert_true(oy_tensor_is_inference(oy_grad(w)));
  assert_true(element(oy_grad(w), 1) == 4);
  REFUSED(oy_backward(sum, NULL, true));  // adds in place
  assert_string_equal(oy_error_get()->message, IN_PLACE_OUTSIDE);
  oy_error_clear();
  MUST(oy_set_grad(w, NULL));
  MUST(oy_backward(sum, NULL, true));
  guard = oy_inference_mode(true);
  MUST(oy_backward(sum, NULL, false));
  oy_inference_guard_end(&guard);
  assert_false(oy_tensor_is_inference(oy_grad(w)));
  assert_true(element(oy_grad(w), 1) == 8);
  oy_tensor_release(sum);
  oy_tensor_release(y);
  oy_tensor_release(w);
}

static oy_status make_inside(oy_function_context* c, oy_tensor* const* in, size_t count,
                             oy_tensor** out) {
  (void)c, (void)in, (void)count;
  out[0] = made_inside();
  return out[0] ? OY_OK : oy_failure();
}
static void AG_03_result_of_a_function(void** state) {
  (void)state;
  static const oy_function makes = {
      .name = "Makes", .forward = make_inside, .backward = no_gradient, .outputs = 1};
  oy_tensor* w = leaf(F32(OY_DIMS(2), 3, 4));
  oy_tensor* y;
  MUST(oy_function_apply(&makes, NULL, &w, 1, &y));
  assert_inference(y);
  assert_string_equal(oy_grad_fn_name(y), "MakesBackward");
  oy_tensor_release(y);
  oy_tensor_release(w);
}

// ----------------------------------------------------------------------------- views

static void AG_03_views_from_inside(void** state) {
  (void)state;
  oy_tensor* n = F32(OY_DIMS(2), 1, 2);
  oy_tensor* w = leaf(F32(OY_DIMS(2), 1, 2));
  oy_tensor* v = view_inside(n);
  static const char text[] =
      "A view was created in inference mode and is being modified inplace in normal "
      "mode." VIEW_FROM_INSIDE;
  // Nothing is recorded: nothing is wrong.
  assert_non_null(oy_add__Tensor(v, n, ALPHA1));
  assert_fails(oy_mul__Tensor(v, w), text);
  oy_tensor* of_leaf = view_inside(w);
  oy_tensor* recorded = oy_view(of_leaf, OY_DIMS(2));
  assert_true(oy_requires_grad(of_leaf));
  assert_fails(oy_add__Tensor(of_leaf, n, ALPHA1), text);
  // A view of the view is as bad, and says so by the node that it has.
  oy_tensor* again = oy_view(v, OY_DIMS(2));
  assert_fails(oy_mul__Tensor(again, w), text);
  assert_fails(oy_add__Tensor(recorded, n, ALPHA1),
               "Output 0 of ViewBackward0 is a view of a view which was created in "
               "inference mode and is being modified inplace in normal "
               "mode." VIEW_FROM_INSIDE);
  oy_grad_guard no_grad = oy_no_grad();
  assert_non_null(oy_add__Tensor(of_leaf, n, ALPHA1));
  oy_grad_guard_end(&no_grad);
  oy_tensor_release(recorded);
  oy_tensor_release(again);
  oy_tensor_release(of_leaf);
  oy_tensor_release(v);
  oy_tensor_release(w);
  oy_tensor_release(n);
}

static void AG_03_base_of_a_view_from_inside(void** state) {
  (void)state;
  oy_tensor* w = leaf(F32(OY_DIMS(2), 1, 2));
  oy_tensor* y = oy_mul_Scalar(w, oy_float(2));
  oy_tensor* v = view_inside(y);
  oy_tensor* z = oy_add__Tensor(y, w, ALPHA1);
  assert_ptr_equal(z, y);
  assert_fails(oy_mul_Tensor(v, v),
               "A view was created in inference mode and its base or another view of "
               "its base has been modified inplace in normal mode." VIEW_FROM_INSIDE);
  oy_tensor_release(v);
  oy_tensor_release(y);
  oy_tensor_release(w);
}

// Grad mode within inference mode does not make a view writable.
static void AG_03_views_with_grad_mode_inside(void** state) {
  (void)state;
  oy_tensor* n = F32(OY_DIMS(2), 1, 2);
  oy_tensor* w = leaf(F32(OY_DIMS(2), 1, 2));
  oy_inference_guard guard = oy_inference_mode(true);
  oy_grad_guard grad = oy_enable_grad();
  oy_tensor* v = oy_view(n, OY_DIMS(2));
  oy_grad_guard_end(&grad);
  oy_inference_guard off = oy_inference_mode(false);
  oy_tensor* fine = oy_view(n, OY_DIMS(2));
  oy_inference_guard_end(&off);
  oy_inference_guard_end(&guard);
  assert_fails(oy_mul__Tensor(v, w),
               "A view was created in inference mode and is being modified inplace in "
               "normal mode." VIEW_FROM_INSIDE);
  assert_non_null(oy_mul__Tensor(fine, w));
  assert_string_equal(oy_grad_fn_name(n), "CopySlices");
  oy_tensor_release(fine);
  oy_tensor_release(v);
  oy_tensor_release(w);
  oy_tensor_release(n);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(AG_03_tls_changes_and_restore),
      cmocka_unit_test(AG_03_restores_what_it_found),
      cmocka_unit_test(ENG_13_grad_mode_within),
      cmocka_unit_test(ENG_13_new_threads_are_not_in_it),
      cmocka_unit_test(AG_03_what_is_made_inside),
      cmocka_unit_test(AG_03_opaque_ones),
      cmocka_unit_test(AG_03_what_is_none),
      cmocka_unit_test(AG_03_the_operator_that_asks),
      cmocka_unit_test(AG_03_used_outside),
      cmocka_unit_test(AG_03_lists_of_views_outside),
      cmocka_unit_test(AG_03_in_place_outside),
      cmocka_unit_test(AG_03_lists_in_place_outside),
      cmocka_unit_test(AG_03_written_besides_outside),
      cmocka_unit_test(AG_03_in_place_inside),
      cmocka_unit_test(AG_03_saved_and_written_inside),
      cmocka_unit_test(AG_03_save_for_backward),
      cmocka_unit_test(AG_03_requires_grad),
      cmocka_unit_test(AG_03_backward_inside),
      cmocka_unit_test(AG_03_result_of_a_function),
      cmocka_unit_test(AG_03_views_from_inside),
      cmocka_unit_test(AG_03_base_of_a_view_from_inside),
      cmocka_unit_test(AG_03_views_with_grad_mode_inside),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
