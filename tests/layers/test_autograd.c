// SPDX-License-Identifier: Apache-2.0
// Autograd's rules: leaves, modes, in-place errors, versions, accumulation, the walk.
// Texts are PyTorch's.
#include <pthread.h>

#include "support/tensors.h"

static oy_tensor* leaf(float a, float b) {
  oy_tensor* t = F32(OY_DIMS(2), a, b);
  return oy_requires_grad_(t, true);
}

static oy_scope g_scope;
static int open_scope(void** state) {
  (void)state;
  oy_scope_open(&g_scope);
  return 0;
}
static int close_scope(void** state) {
  (void)state;
  oy_scope_close(&g_scope);
  return 0;
}

static void backward_ok(oy_tensor* t) {
  if (oy_backward(t, NULL, false) != OY_OK) fail_msg("%s", oy_error_get()->message);
}
static oy_tensor* sum(oy_tensor* t) {
  return oy_sum(t, oy_none());
}

static void requires_grad_puts_the_key_on_a_tensor(void** state) {
  (void)state;
  oy_tensor* t = F32(OY_DIMS(2), 1, 2);
  assert_false(oy_requires_grad(t));
  assert_false(oy_keyset_has(t->keys, OY_KEY_AutogradCPU));
  assert_ptr_equal(oy_requires_grad_(t, true), t);
  assert_true(oy_requires_grad(t) && oy_is_leaf(t));
  assert_true(oy_keyset_has(t->keys, OY_KEY_AutogradCPU));
  assert_ptr_equal(oy_requires_grad_(t, false), t);
  assert_false(oy_keyset_has(t->keys, OY_KEY_AutogradCPU));
  oy_tensor* i = I64(OY_DIMS(1), 1);
  assert_fails(oy_requires_grad_(i, true),
               "only Tensors of floating point dtype can require gradients");
  oy_tensor_release(i);
  oy_requires_grad_(t, true);
  oy_tensor* y = oy_neg(t);
  assert_false(oy_is_leaf(y));
  assert_string_equal(oy_grad_fn_name(y), "NegBackward0");
  assert_null(oy_grad_fn_name(t));
  assert_fails(oy_requires_grad_(y, false),
               "you can only change requires_grad flags of leaf variables. If you want "
               "to use a computed variable in a subgraph that doesn't require "
               "differentiation use var_no_grad = var.detach().");
  oy_tensor_release(t);
}

static void ENG_13_modes(void** state) {
  (void)state;
  oy_tensor* w = leaf(1, 2);
  oy_grad_guard off = oy_no_grad();
  oy_tensor* y = oy_neg(w);
  assert_false(oy_requires_grad(y));
  oy_grad_guard on = oy_enable_grad();
  assert_true(oy_requires_grad(oy_neg(w)));
  oy_grad_guard_end(&on);
  assert_false(oy_grad_mode_get());
  assert_ptr_equal(oy_add__Scalar(w, oy_int(1), oy_int(1)), w);  // allowed here
  oy_grad_guard_end(&off);
  assert_true(oy_grad_mode_get());
  assert_elements(w, OY_DIMS(2), 2, 3);
  assert_true(oy_is_leaf(w));
  oy_tensor_release(w);
}

static void integral_results_have_no_history(void** state) {
  (void)state;
  oy_tensor* w = leaf(1, 2);
  oy_tensor* i = oy_to_dtype(w, OY_DTYPE_I64, false, false, oy_none());
  assert_false(oy_requires_grad(i));
  assert_false(oy_requires_grad(oy_gt_Scalar(w, oy_int(1))));
  assert_false(oy_requires_grad(oy_detach(w)));
  oy_tensor* d = oy_to_dtype(w, OY_DTYPE_F64, false, false, oy_none());
  backward_ok(sum(oy_mul_Tensor(d, d)));
  assert_int_equal(oy_grad(w)->dtype, OY_DTYPE_F32);
  assert_elements(oy_grad(w), OY_DIMS(2), 2, 4);
  oy_tensor_release(w);
}

static void ENG_09_gradients_accumulate(void** state) {
  (void)state;
  oy_tensor* w = leaf(1, 2);
  backward_ok(sum(oy_mul_Tensor(w, w)));
  oy_tensor* first = oy_grad(w);
  assert_elements(first, OY_DIMS(2), 2, 4);
  backward_ok(sum(oy_mul_Tensor(w, w)));
  assert_ptr_equal(oy_grad(w), first);  // in place: the same object
  assert_elements(first, OY_DIMS(2), 4, 8);
  assert_int_equal(oy_set_grad(w, NULL), OY_OK);
  assert_null(oy_grad(w));
  // A gradient that the caller passes is copied, not taken.
  oy_tensor* g = F32(OY_DIMS(2), 5, 6);
  assert_int_equal(oy_backward(w, g, false), OY_OK);
  assert_ptr_not_equal(oy_grad(w), g);
  assert_elements(oy_grad(w), OY_DIMS(2), 5, 6);
  oy_tensor_release(g);
  oy_tensor_release(w);
}

// Two leaves get one gradient tensor, one of them through a view: they must not share.
static void ENG_09_gradients_do_not_share_memory(void** state) {
  (void)state;
  oy_tensor *x = leaf(1, 2), *w = leaf(3, 4);
  oy_tensor* y =
      oy_add_Tensor(oy_view(x, OY_DIMS(1, 2)), oy_view(w, OY_DIMS(1, 2)), ALPHA1);
  backward_ok(sum(oy_mul_Tensor(y, y)));
  assert_false(oy_tensor_is_alias_of(oy_grad(x), oy_grad(w)));
  assert_elements(oy_grad(x), OY_DIMS(2), 8, 12);
  backward_ok(sum(x));
  assert_elements(oy_grad(x), OY_DIMS(2), 9, 13);
  assert_elements(oy_grad(w), OY_DIMS(2), 8, 12);
  oy_tensor_release(x);
  oy_tensor_release(w);
}

static oy_status note_memory(void* data, oy_tensor* grad, oy_tensor** out_grad) {
  (void)out_grad;
  *(void**)data = oy_tensor_data(grad);
  return OY_OK;
}

// What nobody else has is taken, if it lies as the leaf does; else it is copied to lie so.
static void ENG_09_gradients_are_taken_or_copied(void** state) {
  (void)state;
  oy_tensor *w = leaf(1, 2), *x = F64(OY_DIMS(2), 3, 4);
  void* seen = NULL;
  assert_true(oy_register_hook(w, note_memory, &seen, NULL) != 0);
  backward_ok(sum(oy_mul_Tensor(w, w)));
  assert_ptr_equal(oy_tensor_data(oy_grad(w)), seen);
  oy_tensor* flat = F64(OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  oy_tensor* turned = oy_requires_grad_(oy_detach(oy_t(flat)), true);
  backward_ok(sum(oy_mul_Scalar(oy_contiguous(turned, OY_MEMORY_CONTIGUOUS), oy_int(2))));
  assert_dims(oy_tensor_strides(oy_grad(turned)), OY_DIMS(1, 3));
  oy_tensor* wide =
      oy_requires_grad_(oy_detach(oy_expand(x, OY_DIMS(3, 2), false)), true);
  backward_ok(sum(oy_mul_Tensor(wide, wide)));
  assert_dims(oy_tensor_strides(oy_grad(wide)), OY_DIMS(2, 1));
  oy_tensor_release(flat);
  oy_tensor_release(x);
  oy_tensor_release(w);
}

// A walk that is recorded leaves new tensors, with a history.
static void ENG_09_recorded_walks_add_out_of_place(void** state) {
  (void)state;
  oy_tensor *w = leaf(1, 2), *first = NULL;
  const oy_backward_options create = {.create_graph = true};
  for (int i = 1; i <= 2; i++) {
    oy_tensor* cubes = sum(oy_pow_Tensor_Scalar(w, oy_int(3)));
    assert_int_equal(oy_backward_all(&cubes, NULL, 1, &create), OY_OK);
    assert_elements(oy_grad(w), OY_DIMS(2), 3 * i, 12 * i);
    assert_true(oy_requires_grad(oy_grad(w)));
    assert_ptr_not_equal(oy_grad(w), first);
    if (i == 1) first = oy_tensor_retain(oy_grad(w));
  }
  assert_elements(first, OY_DIMS(2), 3, 12);
  oy_tensor_release(first);
  assert_int_equal(oy_set_grad(w, NULL), OY_OK);
  oy_tensor_release(w);
}

static void assigned_gradients_are_checked(void** state) {
  (void)state;
  oy_tensor* w = leaf(1, 2);
  oy_tensor* three = F32(OY_DIMS(3), 1, 2, 3);
  oy_tensor* twice = F64(OY_DIMS(2), 1, 2);
  assert_int_not_equal(oy_set_grad(w, three), OY_OK);
  assert_error(
      "attempting to assign a gradient of size '[3]' to a tensor of size '[2]'. Please "
      "ensure that the gradient and the tensor are the same size");
  assert_int_not_equal(oy_set_grad(w, twice), OY_OK);
  oy_error_clear();
  assert_int_not_equal(oy_set_grad(w, w), OY_OK);
  assert_error("can't assign Variable as its own grad");
  assert_null(oy_grad(w));
  oy_tensor_release(twice);
  oy_tensor_release(three);
  oy_tensor_release(w);
}

static void ENG_05_roots_are_checked(void** state) {
  (void)state;
  oy_tensor* w = leaf(1, 2);
  oy_tensor* x = F32(OY_DIMS(1), 1);
  assert_int_not_equal(oy_backward(w, NULL, false), OY_OK);
  assert_error("grad can be implicitly created only for scalar outputs");
  assert_int_not_equal(oy_backward(x, NULL, false), OY_OK);
  assert_error("element 0 of tensors does not require grad and does not have a grad_fn");
  assert_int_not_equal(oy_backward(w, x, false), OY_OK);
  assert_error(
      "Mismatch in shape: grad_output[0] has a shape of torch.Size([1]) and output[0] "
      "has a shape of torch.Size([2]).");
  oy_tensor_release(x);
  oy_tensor_release(w);
}

static void ENG_06_saved_tensors_are_guarded(void** state) {
  (void)state;
  oy_tensor* w = leaf(1, 2);
  oy_tensor* y = oy_add_Tensor(w, w, ALPHA1);
  oy_tensor* z = oy_mul_Tensor(y, y);
  oy_add__Scalar(y, oy_int(1), oy_int(1));
  assert_int_not_equal(oy_backward(sum(z), NULL, false), OY_OK);
  assert_error(
      "one of the variables needed for gradient computation has been modified by an "
      "inplace operation: [torch.FloatTensor [2]], which is output 0 of AddBackward1, "
      "is at version 1; expected version 0 instead. Hint: enable anomaly detection to "
      "find the operation that failed to compute its gradient, with "
      "torch.autograd.set_detect_anomaly(True).");
  // Also through tensors that need no gradient, and through their views.
  oy_tensor* x = F32(OY_DIMS(2), 5, 6);
  oy_tensor* view = oy_view(x, OY_DIMS(2, 1));
  z = oy_mul_Tensor(w, x);
  assert_non_null(oy_zero_(view));
  assert_int_equal(oy_backward(sum(z), NULL, false), OY_FAILED_PRECONDITION);
  oy_error_clear();
  // Under no_grad, versions count as well.
  z = oy_mul_Tensor(w, x);
  oy_grad_guard off = oy_no_grad();
  assert_non_null(oy_detach(x));
  assert_non_null(oy_add__Scalar(oy_detach(x), oy_int(1), oy_int(1)));
  oy_grad_guard_end(&off);
  assert_int_equal(oy_backward(sum(z), NULL, false), OY_FAILED_PRECONDITION);
  oy_error_clear();
  oy_tensor_release(x);
  oy_tensor_release(w);
}

static void ENG_06_a_graph_is_walked_once(void** state) {
  (void)state;
  oy_tensor* w = leaf(1, 2);
  oy_tensor* y = sum(oy_mul_Tensor(w, w));
  assert_int_equal(oy_backward(y, NULL, true), OY_OK);
  assert_int_equal(oy_backward(y, NULL, false), OY_OK);
  assert_elements(oy_grad(w), OY_DIMS(2), 4, 8);
  assert_int_equal(oy_backward(y, NULL, false), OY_FAILED_PRECONDITION);
  assert_error(
      "Trying to backward through the graph a second time (or directly access saved "
      "tensors after they have already been freed). Saved intermediate values of the "
      "graph are freed when you call .backward() or autograd.grad(). Specify "
      "retain_graph=True if you need to backward through the graph a second time or if "
      "you need to access saved tensors after calling backward.");
  oy_tensor_release(w);
}

static void ENG_07_in_place_rules(void** state) {
  (void)state;
  oy_tensor* w = leaf(1, 2);
  assert_fails(oy_add__Scalar(w, oy_int(1), oy_int(1)),
               "a leaf Variable that requires grad is being used in an in-place "
               "operation.");
  assert_fails(oy_add__Scalar(oy_view(w, OY_DIMS(1, 2)), oy_int(1), oy_int(1)),
               "a view of a leaf Variable that requires grad is being used in an "
               "in-place operation.");
  oy_tensor* y = oy_neg(w);
  oy_grad_guard off = oy_no_grad();
  oy_tensor* v = oy_view(y, OY_DIMS(1, 2));
  oy_grad_guard_end(&off);
  assert_fails(oy_mul__Scalar(v, oy_int(2)),
               "A view was created in no_grad mode and is being modified inplace with "
               "grad mode enabled. Given that this use case is ambiguous and "
               "error-prone, it is forbidden. You can clarify your code by moving both "
               "the view and the inplace either both inside the no_grad block (if you "
               "don't want the inplace to be tracked) or both outside (if you want the "
               "inplace to be tracked).");
  oy_tensor* out = F32(OY_DIMS(2), 0, 0);
  assert_fails(oy_add_out(w, w, ALPHA1, out),
               "add(): functions with out=... arguments don't support automatic "
               "differentiation, but one of the arguments requires grad.");
  assert_elements(w, OY_DIMS(2), 1, 2);
  oy_tensor_release(out);
  oy_tensor_release(w);
}

static void ENG_08_writes_through_views(void** state) {
  (void)state;
  oy_tensor* w = leaf(1, 2);
  oy_tensor* base = oy_mul_Scalar(w, oy_int(2));
  oy_tensor* first = oy_select_int(base, 0, 0);
  oy_tensor* other = oy_view(base, OY_DIMS(2, 1));
  assert_ptr_equal(oy_mul__Scalar(first, oy_int(10)), first);
  assert_string_equal(oy_grad_fn_name(base), "CopySlices");
  assert_string_equal(oy_grad_fn_name(first), "AsStridedBackward0");
  assert_string_equal(oy_grad_fn_name(other), "AsStridedBackward0");
  assert_elements(base, OY_DIMS(2), 20, 4);
  backward_ok(sum(other));
  assert_elements(oy_grad(w), OY_DIMS(2), 20, 2);
  oy_tensor_release(w);
}

// A view that was taken before its base came to need a gradient.
static void ENG_08_a_gradient_on_demand(void** state) {
  (void)state;
  oy_tensor* x = F32(OY_DIMS(2), 1, 2);
  oy_tensor* v = oy_view(x, OY_DIMS(2, 1));
  assert_false(oy_requires_grad(v));
  oy_requires_grad_(x, true);
  assert_true(oy_requires_grad(v));
  assert_true(oy_keyset_has(v->keys, OY_KEY_AutogradCPU));
  assert_fails(oy_mul__Scalar(v, oy_int(2)),
               "a view of a leaf Variable that requires grad is being used in an "
               "in-place operation.");
  oy_requires_grad_(x, false);
  assert_false(oy_keyset_has(v->keys, OY_KEY_AutogradCPU));
  // The base gets its gradient from a write through a sibling.
  oy_tensor* w = leaf(3, 4);
  oy_tensor* u = oy_select_int(x, 0, 1);
  assert_ptr_equal(oy_mul__Tensor(u, oy_select_int(w, 0, 0)), u);
  assert_true(oy_requires_grad(x) && oy_requires_grad(v));
  backward_ok(sum(v));
  assert_elements(oy_grad(w), OY_DIMS(2), 2, 0);
  oy_tensor_release(w);
  oy_tensor_release(x);
}

static void a_base_that_changed_changes_its_views(void** state) {
  (void)state;
  oy_tensor* w = leaf(1, 2);
  oy_tensor* x = oy_mul_Scalar(w, oy_int(1));
  oy_tensor* v = oy_expand(oy_view(x, OY_DIMS(1, 2)), OY_DIMS(3, 2), false);
  assert_ptr_equal(oy_mul__Tensor(x, w), x);
  assert_string_equal(oy_grad_fn_name(v), "AsStridedBackward0");
  backward_ok(sum(v));  // 3 * sum(w * w)
  assert_elements(oy_grad(w), OY_DIMS(2), 6, 12);
  oy_tensor_release(w);
}

// The walk and the release of a deep graph must not recurse.
static void deep_graphs(void** state) {
  (void)state;
  enum { DEPTH = 200000 };
  oy_tensor* w = leaf(1, 2);
  oy_scope_close(&g_scope);  // each result is released by hand
  oy_tensor* y = oy_neg(w);
  for (int i = 0; i < DEPTH; i++) {
    oy_tensor* next = i % 2 ? oy_neg(y) : oy_mul_Tensor(y, y);
    oy_tensor_release(y);
    y = next;
  }
  oy_scope_open(&g_scope);
  oy_tensor* ones = F32(OY_DIMS(2), 1, 1);
  assert_int_equal(oy_backward(y, ones, true), OY_OK);
  assert_non_null(oy_grad(w));
  oy_tensor_release(ones);
  oy_tensor_release(y);  // 200,000 nodes go at once
  oy_tensor_release(w);
}

static void many_paths_meet(void** state) {
  (void)state;
  oy_tensor* w = leaf(1, 2);
  oy_tensor* y = oy_mul_Scalar(w, oy_int(1));
  for (int i = 0; i < 30; i++) y = oy_add_Tensor(y, y, ALPHA1);  // 2^30 paths
  backward_ok(sum(y));
  assert_elements(oy_grad(w), OY_DIMS(2), 1073741824, 1073741824);
  oy_tensor_release(w);
}

// Results of operators in a formula are not left in the caller's scope.
static void backward_leaves_the_scope_alone(void** state) {
  (void)state;
  oy_tensor* w = leaf(1, 2);
  oy_tensor* y = sum(oy_div_Tensor(w, oy_mul_Tensor(w, w)));
  size_t before = g_scope.size;
  backward_ok(y);
  assert_int_equal(g_scope.size, before);
  oy_tensor_release(w);
}

// ------------------------------------------------------------------- threads

static oy_tensor* g_shared;

static void* accumulate_many(void* unused) {
  for (int i = 0; i < 500; i++) {
    oy_scope scope;
    oy_scope_open(&scope);
    if (oy_backward(oy_sum(oy_mul_Scalar(g_shared, oy_int(2)), oy_none()), NULL, false))
      unused = "failed";
    oy_scope_close(&scope);
  }
  oy_tensor_trim();
  return unused;
}

static void ENG_11_threads_share_a_leaf(void** state) {
  (void)state;
  pthread_t threads[4];
  g_shared = leaf(1, 2);
  for (int i = 0; i < 4; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, accumulate_many, NULL), 0);
  for (int i = 0; i < 4; i++) {
    void* failed;
    pthread_join(threads[i], &failed);
    assert_null(failed);
  }
  assert_elements(oy_grad(g_shared), OY_DIMS(2), 4000, 4000);
  oy_tensor_release(g_shared);
}

// -------------------------------------------------------------- out of memory

static bool write_through_a_view(void) {
  oy_tensor* w = F32(OY_DIMS(2), 1, 2);
  if (w && !oy_requires_grad_(w, true)) {
    oy_tensor_release(w);
    return false;
  }
  oy_tensor* base = oy_mul_Tensor(w, w);
  oy_tensor* part = oy_select_int(base, 0, 0);
  bool good = oy_mul__Tensor(part, part ? base : NULL) == NULL;  // shapes do not fit
  if (oy_error_get()->code == OY_OUT_OF_MEMORY) good = false;
  if (good) oy_error_clear();
  good = good && oy_mul__Scalar(part, oy_int(3));
  oy_tensor* loss = good ? oy_sum(base, oy_none()) : NULL;
  good = loss && oy_backward(loss, NULL, false) == OY_OK;
  oy_tensor_release(loss);
  oy_tensor_release(part);
  oy_tensor_release(base);
  oy_tensor_release(w);
  return good;
}

static void allocations_fail_in_turn(void** state) {
  (void)state;
  assert_true(write_through_a_view());
  fail_each_allocation(write_through_a_view);
}

#define IN_SCOPE(test) cmocka_unit_test_setup_teardown(test, open_scope, close_scope)

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_SCOPE(requires_grad_puts_the_key_on_a_tensor),
      IN_SCOPE(ENG_13_modes),
      IN_SCOPE(integral_results_have_no_history),
      IN_SCOPE(ENG_09_gradients_accumulate),
      IN_SCOPE(ENG_09_gradients_do_not_share_memory),
      IN_SCOPE(ENG_09_gradients_are_taken_or_copied),
      IN_SCOPE(ENG_09_recorded_walks_add_out_of_place),
      IN_SCOPE(assigned_gradients_are_checked),
      IN_SCOPE(ENG_05_roots_are_checked),
      IN_SCOPE(ENG_06_saved_tensors_are_guarded),
      IN_SCOPE(ENG_06_a_graph_is_walked_once),
      IN_SCOPE(ENG_07_in_place_rules),
      IN_SCOPE(ENG_08_writes_through_views),
      IN_SCOPE(ENG_08_a_gradient_on_demand),
      IN_SCOPE(a_base_that_changed_changes_its_views),
      IN_SCOPE(deep_graphs),
      IN_SCOPE(many_paths_meet),
      IN_SCOPE(backward_leaves_the_scope_alone),
      cmocka_unit_test(ENG_11_threads_share_a_leaf),
      cmocka_unit_test(allocations_fail_in_turn),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
