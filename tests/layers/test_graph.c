// SPDX-License-Identifier: Apache-2.0
// Nodes of the graph seen from outside (opyard/graph.h), detaching in place, and what is
// counted below autograd.
#include "opyard/graph.h"

#include "support/tensors.h"

static void graph_names_and_edges(void** state) {
  (void)state;
  oy_tensor* w = oy_requires_grad_(F64(OY_DIMS(2), 1, 2), true);
  oy_tensor* y = oy_mul_Tensor(w, w);
  oy_node* node = oy_grad_node(y);
  uint32_t output_nr = 7;
  assert_string_equal(oy_node_name(node), "MulBackward0");
  assert_int_equal(oy_node_edge_count(node), 2);
  oy_node* leaf = oy_node_edge(node, 1, &output_nr);
  assert_string_equal(oy_node_name(leaf), "AccumulateGrad");
  assert_int_equal(output_nr, 0);
  assert_ptr_equal(oy_node_variable(leaf), w);
  assert_null(oy_node_variable(node));
  assert_null(oy_node_edge(node, 2, &output_nr));
  assert_null(oy_grad_node(w));
  oy_tensor_release(y);
  // The node outlives the tensor that it made.
  assert_ptr_equal(oy_node_edge(node, 0, NULL), leaf);
  oy_node_release(node);
  oy_node_release(NULL);
  oy_tensor_release(w);
}

static void graph_detach_in_place(void** state) {
  (void)state;
  oy_tensor* w = oy_requires_grad_(F64(OY_DIMS(2), 1, 2), true);
  oy_tensor* y = oy_mul_Tensor(w, w);
  oy_tensor* view = oy_view(y, OY_DIMS(2, 1));
  assert_int_equal(oy_detach_in_place(view), OY_FAILED_PRECONDITION);
  assert_non_null(strstr(oy_error_get()->message, "Can't detach views in-place."));
  oy_tensor_release(view);
  assert_int_equal(oy_detach_in_place(y), OY_OK);
  assert_false(oy_requires_grad(y));
  assert_true(oy_is_leaf(y));
  oy_tensor* z = oy_mul_Tensor(y, y);
  assert_false(oy_requires_grad(z));
  assert_int_equal(oy_detach_in_place(w), OY_OK);
  assert_false(oy_requires_grad(w));
  assert_int_not_equal(oy_detach_in_place(NULL), OY_OK);
  oy_tensor_release(z);
  oy_tensor_release(y);
  oy_tensor_release(w);
}

// A leaf has one accumulating node for all graphs that are alive, and does not own it.
static void ENG_01_accumulators_are_weak(void** state) {
  (void)state;
  oy_tensor* w = oy_requires_grad_(F64(OY_DIMS(2), 1, 2), true);
  oy_tensor *y = oy_mul_Tensor(w, w), *z = oy_exp(w);
  oy_node *of_y = oy_grad_node(y), *of_z = oy_grad_node(z);
  oy_node* leaf = oy_node_edge(of_y, 0, NULL);
  assert_ptr_equal(oy_node_edge(of_y, 1, NULL), leaf);
  assert_ptr_equal(oy_node_edge(of_z, 0, NULL), leaf);
  assert_ptr_equal(oy_node_variable(leaf), w);
  // It owns its leaf: the graph alone keeps both.
  oy_tensor_release(w);
  w = oy_node_variable(leaf);
  assert_elements(w, OY_DIMS(2), 1, 2);
  oy_tensor_retain(w);
  oy_node_release(of_y);
  oy_node_release(of_z);
  oy_tensor_release(y);
  oy_tensor_release(z);
  // With the graphs it is gone; the next one has one again.
  y = oy_mul_Tensor(w, w);
  of_y = oy_grad_node(y);
  assert_ptr_equal(oy_node_variable(oy_node_edge(of_y, 0, NULL)), w);
  oy_node_release(of_y);
  oy_tensor_release(y);
  oy_tensor_release(w);
}

// A leaf that is given a node keeps it for as long as someone has it.
static void ENG_01_an_accumulator_that_is_held(void** state) {
  (void)state;
  oy_tensor* w = oy_requires_grad_(F64(OY_DIMS(2), 1, 2), true);
  oy_tensor* y = oy_exp(w);
  oy_node* of_y = oy_grad_node(y);
  oy_node* leaf = oy_node_retain(oy_node_edge(of_y, 0, NULL));
  oy_node_release(of_y);
  oy_tensor_release(y);
  y = oy_sin(w);
  of_y = oy_grad_node(y);
  assert_ptr_equal(oy_node_edge(of_y, 0, NULL), leaf);
  oy_node_release(of_y);
  oy_node_release(leaf);
  oy_tensor_release(y);
  oy_tensor_release(w);
}

// Versions and views are counted and known below autograd, in a layer of their own.
static void AG_01_versions_below_autograd(void** state) {
  (void)state;
  oy_tensor* w = oy_requires_grad_(F32(OY_DIMS(2), 1, 2), true);
  oy_tensor* x = F32(OY_DIMS(2), 3, 4);
  oy_tensor* product = oy_mul_Tensor(w, x);  // saves x
  oy_guard below = oy_guard_below_autograd();
  oy_tensor* view = oy_view(x, OY_DIMS(2, 1));
  uint32_t before = oy_tensor_version(x);
  oy_tensor* same = oy_mul__Scalar(view, oy_int(2));
  assert_ptr_equal(same, view);
  assert_int_equal(oy_tensor_version(x), before + 1);
  assert_int_equal(oy_tensor_version(view), before + 1);
  oy_guard_end(&below);
  oy_tensor* loss = oy_sum(product, oy_none());
  assert_int_equal(oy_backward(loss, NULL, true), OY_FAILED_PRECONDITION);
  assert_non_null(
      strstr(oy_error_get()->message, "has been modified by an inplace operation"));
  // Below that layer too nobody counts, and the walk sees nothing.
  oy_tensor* again = oy_mul_Tensor(w, x);
  below = oy_guard_below_adinplaceorview();
  before = oy_tensor_version(x);
  same = oy_mul__Scalar(x, oy_int(2));
  assert_int_equal(oy_tensor_version(x), before);
  oy_guard_end(&below);
  oy_tensor* sum = oy_sum(again, oy_none());
  assert_int_equal(oy_backward(sum, NULL, false), OY_OK);
  assert_elements(oy_grad(w), OY_DIMS(2), 12, 16);
  oy_tensor_release(sum);
  oy_tensor_release(again);
  oy_tensor_release(loss);
  oy_tensor_release(product);
  oy_tensor_release(view);
  oy_tensor_release(x);
  oy_tensor_release(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ENG_01_accumulators_are_weak),
      cmocka_unit_test(ENG_01_an_accumulator_that_is_held),
      cmocka_unit_test(graph_names_and_edges),
      cmocka_unit_test(AG_01_versions_below_autograd),
      cmocka_unit_test(graph_detach_in_place),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
