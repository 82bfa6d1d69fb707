// SPDX-License-Identifier: Apache-2.0
// The plugin under several threads, and taken out and loaded again.
#include <pthread.h>

#include "gpu/support.h"

#define T(t) oy_value_tensor(t)
enum { THREADS = 4, ROUNDS = 40 };

typedef struct work {
  int device;
  bool right;
} work;

// Adds on a device of its own choice, with shapes that change, and looks at the sums.
static void* add_and_look(void* argument) {
  work* w = argument;
  w->right = true;
  for (int i = 0; i < ROUNDS && w->right; i++) {
    oy_tensor* a = oy_tensor_empty(OY_DIMS(100 + i * 37), OY_DTYPE_F32, oy_device_cpu());
    float* data = oy_tensor_data(a);
    for (int64_t k = 0; k < oy_tensor_numel(a); k++) data[k] = (float)(k + i);
    oy_tensor* there = oy_tensor_copy_to(a, OY_DTYPE_ANY, gpu_device(w->device));
    oy_value result[2], args[] = {T(there), T(there)};
    w->right = there && call_op("aten::add.Tensor", 2, args, result) == 1;
    oy_tensor* back =
        w->right ? oy_tensor_copy_to(result[0].as.object, OY_DTYPE_ANY, oy_device_cpu())
                 : NULL;
    const float* sums = back ? oy_tensor_data(back) : NULL;
    for (int64_t k = 0; sums && k < oy_tensor_numel(a); k++)
      w->right = w->right && sums[k] == 2 * data[k];
    w->right = w->right && sums;
    if (back) oy_value_release(&result[0]);
    oy_tensor_release(back);
    oy_tensor_release(there);
    oy_tensor_release(a);
  }
  return NULL;
}

static void gpu_threads(void** state) {
  (void)state;
  pthread_t threads[THREADS];
  work works[THREADS];
  for (int i = 0; i < THREADS; i++) {
    works[i].device = i % 3;
    assert_int_equal(pthread_create(&threads[i], NULL, add_and_look, &works[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; i++) assert_true(works[i].right);
}

static void gpu_unload_and_reload(void** state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    oy_tensor* a = numbers(OY_DIMS(20), OY_DTYPE_F32, 1);
    oy_tensor* there = to_gpu(a, 0);
    oy_plugin_held held = {.struct_size = sizeof(held)};
    oy_loaded_plugin* plugin = oy_plugin_find(oy_str_of(OY_PLUGIN_NAME));
    assert_non_null(plugin);
    CHECK_CALL("aten::add.Tensor", 0, T(a), T(a));
    // Memory holds it, and is named.
    assert_int_not_equal(oy_plugin_unload(plugin, OY_UNLOAD_IF_FREE, &held), OY_OK);
    assert_true(held.blocks >= 1 && held.text[0]);
    oy_error_clear();
    oy_tensor_release(there);
    if (oy_plugin_unload(plugin, OY_UNLOAD_IF_FREE, &held) != OY_OK)
      fail_msg("%s", oy_error_get()->message);
    assert_true(held.closed);
    assert_null(oy_tensor_empty(OY_DIMS(2), OY_DTYPE_F32, gpu_device(0)));
    oy_error_clear();
    if (oy_plugin_load(oy_str_of(OY_PLUGIN), &plugin) != OY_OK)
      fail_msg("%s", oy_error_get()->message);
    CHECK_CALL("aten::add.Tensor", 0, T(a), T(a));
    oy_tensor_release(a);
  }
}

int main(void) {
  gpu_start();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gpu_threads),
      cmocka_unit_test(gpu_unload_and_reload),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
