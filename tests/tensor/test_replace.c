// SPDX-License-Identifier: Apache-2.0
// What changes tensors in place, versions, and references that do not keep a tensor.
#include <pthread.h>

#include "support/tensors.h"
#include "tensor/impl.h"

static void TEN_01_weak_references(void** state) {
  (void)state;
  oy_tensor* t = F32(OY_DIMS(2), 1, 2);
  oy_weak *w = oy_tensor_weak(t), *same = oy_tensor_weak(t);
  assert_ptr_equal(w, same);
  oy_tensor* again = oy_weak_lock(w);
  assert_ptr_equal(again, t);
  oy_tensor_release(t);
  assert_elements(again, OY_DIMS(2), 1, 2);  // the strong reference keeps it
  oy_tensor* view = oy_tensor_view(again, OY_DIMS(2, 1));
  oy_tensor_release(again);
  assert_null(oy_weak_lock(w));  // the view keeps the memory, and not the tensor
  assert_elements(view, OY_DIMS(2, 1), 1, 2);
  oy_weak_release(same);
  oy_weak_release(w);
  oy_weak_release(NULL);
  oy_tensor_release(view);
  assert_null(oy_tensor_weak(NULL));
  oy_error_clear();
}

// None stands for the undefined tensor: never freed, no keys, every question an error.
static void TEN_01_the_undefined_tensor(void** state) {
  (void)state;
  oy_tensor* none = &oy_none_object;
  for (int i = 0; i < 3; i++) oy_tensor_release(none);
  assert_true(oy_keyset_is_empty(none->keys));
  assert_int_equal(oy_tensor_numel(none), 0);
  assert_error("expected a tensor, got None");
  assert_int_equal(oy_tensor_storage_nbytes(none), 0);
  assert_error("expected a tensor, got None");
  assert_fails(oy_tensor_data_alias(none), "expected a tensor, got None");
  assert_int_not_equal(oy_tensor_set_data(none, none), OY_OK);
  assert_error("expected a tensor, got None");
}

static void* lock_often(void* weak) {
  size_t seen = 0;
  for (int i = 0; i < 20000; i++) {
    oy_tensor* t = oy_weak_lock(weak);
    if (!t) break;
    seen += (size_t)oy_tensor_numel(t);
    oy_tensor_release(t);
  }
  return (void*)seen;
}

static void TEN_01_locked_while_it_goes(void** state) {
  (void)state;
  for (int round = 0; round < 20; round++) {
    oy_tensor* t = F32(OY_DIMS(1), 1);
    oy_weak* w = oy_tensor_weak(t);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, lock_often, w);
    oy_tensor_release(t);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert_null(oy_weak_lock(w));
    oy_weak_release(w);
  }
}

static void TEN_02_resize(void** state) {
  (void)state;
  oy_tensor* t = F32(OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  oy_tensor* u = oy_tensor_transpose(t, 0, 1);
  assert_int_equal(oy_tensor_storage_nbytes(t), 24);
  assert_int_equal(oy_tensor_resize(u, OY_DIMS(3, 2)), OY_OK);
  assert_dims(oy_tensor_strides(u), OY_DIMS(1, 3));  // the same sizes: nothing happens
  assert_int_equal(oy_tensor_resize(u, OY_DIMS(2, 2)), OY_OK);
  assert_elements(u, OY_DIMS(2, 2), 1, 2, 3, 4);
  assert_int_equal(oy_tensor_storage_nbytes(t), 24);  // never smaller
  assert_int_equal(oy_tensor_resize(u, OY_DIMS(7)), OY_OK);
  assert_int_equal(oy_tensor_storage_nbytes(t), 28);
  assert_elements(t, OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  assert_int_not_equal(oy_tensor_resize(u, OY_DIMS(-1)), OY_OK);
  assert_error("Trying to create tensor with negative dimension -1: [-1]");
  oy_tensor_release(u);
  oy_tensor_release(t);
}

static void TEN_12_versions(void** state) {
  (void)state;
  oy_tensor* x = F32(OY_DIMS(2), 1, 2);
  oy_tensor* d = oy_detach(x);
  oy_tensor* data = oy_tensor_data_alias(x);
  oy_tensor* view = oy_tensor_view(data, OY_DIMS(2, 1));
  assert_true(oy_tensor_is_alias_of(data, x));
  oy_tensor_bump_version(d);
  assert_int_equal(oy_tensor_version(x), 1);  // detach() shares it
  assert_int_equal(oy_tensor_version(data), 0);
  oy_tensor_bump_version(data);
  oy_tensor_bump_version(view);  // a view of .data counts with .data
  assert_int_equal(oy_tensor_version(data), 2);
  assert_int_equal(oy_tensor_version(x), 1);
  oyi_makes_inference_set(true);
  oy_tensor* without = F32(OY_DIMS(1), 1);
  oyi_makes_inference_set(false);
  assert_int_equal(oy_tensor_version(without), 0);
  assert_int_equal(oy_error_get()->code, OY_FAILED_PRECONDITION);
  assert_error("Inference tensors do not track version counter.");
  oy_tensor* all[] = {x, d, data, view, without};
  for (int i = 0; i < 5; i++) oy_tensor_release(all[i]);
}

static void TEN_14_set_data(void** state) {
  (void)state;
  oy_tensor* x = F32(OY_DIMS(2), 1, 2);
  oy_tensor* before = oy_tensor_view(x, OY_DIMS(2, 1));
  oy_tensor* y = F64(OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  oy_tensor_bump_version(x);
  assert_int_equal(oy_tensor_set_data(x, y), OY_OK);
  assert_true(oy_tensor_is_alias_of(x, y));
  assert_int_equal(x->dtype, OY_DTYPE_F64);
  assert_elements(x, OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  assert_elements(before, OY_DIMS(2, 1), 1, 2);  // on what was there
  assert_int_equal(oy_tensor_version(x), 1);     // and not y's
  oy_tensor_bump_version(y);
  assert_int_equal(oy_tensor_version(x), 1);
  assert_int_equal(oy_tensor_set_data(x, x), OY_OK);
  assert_int_equal(oy_tensor_set_data(x, before), OY_OK);  // back again
  assert_elements(x, OY_DIMS(2, 1), 1, 2);
  oy_tensor_release(y);
  oy_tensor_release(before);
  assert_elements(x, OY_DIMS(2, 1), 1, 2);
  oy_tensor* opaque = oy_tensor_opaque(oy_keyset_of(OY_KEY_CPU), OY_DIMS(2), OY_DTYPE_F32,
                                       oy_device_cpu());
  assert_int_not_equal(oy_tensor_set_data(x, opaque), OY_OK);
  assert_error(
      "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have "
      "incompatible tensor type.");
  oy_tensor_release(opaque);
  oy_tensor_release(x);
}

static void TEN_14_history_stays(void** state) {
  (void)state;
  oy_tensor* w = F32(OY_DIMS(2), 1, 2);
  oy_tensor* y = F32(OY_DIMS(2), 3, 4);
  assert_non_null(oy_requires_grad_(w, true));
  assert_int_equal(oy_tensor_set_data(w, y), OY_OK);
  assert_prints(w, "tensor([3., 4.], requires_grad=True)");
  oy_tensor_release(y);
  oy_tensor_release(w);
}

static void TEN_10_set_source(void** state) {
  (void)state;
  oy_tensor* x = F32(OY_DIMS(1), 9);
  oy_tensor* y = F32(OY_DIMS(4), 1, 2, 3, 4);
  assert_int_equal(oy_tensor_set_source(x, y, 1, OY_DIMS(2), OY_DIMS(2)), OY_OK);
  assert_elements(x, OY_DIMS(2), 2, 4);
  assert_int_equal(oy_tensor_storage_offset(x), 1);
  assert_int_equal(oy_tensor_set_source(x, y, 0, OY_DIMS(6), OY_DIMS(1)), OY_OK);
  assert_int_equal(oy_tensor_storage_nbytes(y), 24);  // it grew
  assert_elements(y, OY_DIMS(4), 1, 2, 3, 4);
  float data[2] = {1, 2};
  oy_tensor_memory memory = {data, 8, NULL, NULL, oy_device_cpu()};
  oy_tensor* fixed =
      oy_tensor_from_memory(&memory, OY_DIMS(2), (oy_ints){NULL, 0}, OY_DTYPE_F32);
  assert_int_not_equal(oy_tensor_set_source(x, fixed, 0, OY_DIMS(3), OY_DIMS(1)), OY_OK);
  assert_error(
      "setStorage: sizes [3], strides [1], storage offset 0, and itemsize 4 requiring a "
      "storage size of 12 are out of bounds for storage of size 8");
  assert_int_not_equal(oy_tensor_set_source(x, y, -1, OY_DIMS(1), OY_DIMS(1)), OY_OK);
  assert_error("Tensor: invalid storage offset -1");
  oy_tensor* ints = I64(OY_DIMS(1), 1);
  assert_int_not_equal(oy_tensor_set_source(x, ints, 0, OY_DIMS(1), OY_DIMS(1)), OY_OK);
  assert_error("expected a storage of dtype Float, got Long");
  assert_elements(x, OY_DIMS(6), 1, 2, 3, 4, ((float*)oy_tensor_data(x))[4],
                  ((float*)oy_tensor_data(x))[5]);
  oy_tensor* all[] = {x, y, fixed, ints};
  for (int i = 0; i < 4; i++) oy_tensor_release(all[i]);
}

static bool replace_all(void) {
  static const int64_t ones[7] = {1, 1, 1, 1, 1, 1, 1};
  oy_ints long_shape = {ones, 7};
  oy_tensor *x = F32(OY_DIMS(1), 1),
            *y = x ? oy_tensor_empty(OY_DIMS(40), OY_DTYPE_F32, oy_device_cpu()) : NULL;
  oy_tensor* d = y ? oy_tensor_data_alias(y) : NULL;
  oy_tensor* v = d ? oy_tensor_view(d, OY_DIMS(40)) : NULL;
  oy_weak* w = v ? oy_tensor_weak(x) : NULL;
  bool good = w && oy_tensor_set_data(x, y) == OY_OK &&
              oy_tensor_set_source(x, d, 0, long_shape, long_shape) == OY_OK &&
              oy_tensor_resize(x, OY_DIMS(1000)) == OY_OK;
  oy_tensor* all[] = {x, y, d, v};
  for (int i = 0; i < 4; i++) oy_tensor_release(all[i]);
  oy_weak_release(w);
  return good;
}

static void allocations_fail_in_turn(void** state) {
  (void)state;
  fail_each_allocation(replace_all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(TEN_01_weak_references),
      cmocka_unit_test(TEN_01_the_undefined_tensor),
      cmocka_unit_test(TEN_01_locked_while_it_goes),
      cmocka_unit_test(TEN_02_resize),
      cmocka_unit_test(TEN_12_versions),
      cmocka_unit_test(TEN_14_set_data),
      cmocka_unit_test(TEN_14_history_stays),
      cmocka_unit_test(TEN_10_set_source),
      cmocka_unit_test(allocations_fail_in_turn),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
