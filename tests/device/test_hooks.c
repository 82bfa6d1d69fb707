// SPDX-License-Identifier: Apache-2.0
// A backend that brings hooks and not one kernel: what the library makes of them.
#include "opyard/generator.h"
#include "opyard/ops.h"
#include "support/sim_device.h"
#include "support/tensors.h"

static sim_device* g_sim;
static oy_backend g_backend;

static oy_device on(int16_t index) {
  return oy_device_make(g_backend, index);
}

static int start(void** state) {
  if (init_library(state) != 0) return -1;
  g_sim = sim_device_create(3, 0);
  oy_device_hooks hooks = sim_device_hooks(g_sim);
  if (oy_backend_register(oy_str_of("Sim"), &g_backend) != OY_OK) return -1;
  return oy_device_hooks_set(g_backend, &hooks) == OY_OK ? 0 : -1;
}
static int stop(void** state) {
  sim_counts counts = sim_device_counts(g_sim);
  bool balanced = counts.allocations == counts.releases &&
                  oy_device_memory_count(g_backend).blocks == 0;
  if (!balanced) print_error("device memory leaked\n");
  if (oy_device_hooks_set(g_backend, NULL) != OY_OK) return -1;
  sim_device_destroy(g_sim);
  return shut_library(state) == 0 && balanced ? 0 : -1;
}

// A copy of |t|, which is released, on the device.
static oy_tensor* there(oy_tensor* t, int16_t index) {
  oy_tensor* made = oy_tensor_copy_to(t, OY_DTYPE_ANY, on(index));
  oy_tensor_release(t);
  return made;
}

static void PU1_02_bytes_go_there_and_back(void** state) {
  (void)state;
  oy_tensor* x = there(F32(OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6), 1);
  assert_non_null(x);
  assert_int_equal(oy_tensor_device(x).index, 1);
  assert_non_null(oy_tensor_storage_data(x));
  assert_non_null(oy_tensor_storage_context(x));
  assert_ptr_equal(oy_tensor_storage_state(x), g_sim);
  oy_tensor* back = oy_tensor_copy_to(x, OY_DTYPE_F64, oy_device_cpu());
  assert_int_equal(back->dtype, OY_DTYPE_F64);
  assert_elements(back, OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  assert_elements(x, OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);  // element by element
  assert_prints(x, "tensor([[1., 2., 3.],\n        [4., 5., 6.]], device='sim:1')");
  oy_tensor_release(back);
  oy_tensor_release(x);
}

static void PU1_02_copies_between_layouts_and_dtypes(void** state) {
  (void)state;
  oy_tensor* x = there(F32(OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6), 0);
  oy_tensor* turned = oy_tensor_transpose(x, 0, 1);
  oy_tensor* other = there(I64(OY_DIMS(3, 2), 0, 0, 0, 0, 0, 0), 2);
  // Transposed, converted, and to another device.
  assert_int_equal(oy_tensor_copy_from(other, turned, false), OY_OK);
  assert_elements(other, OY_DIMS(3, 2), 1, 4, 2, 5, 3, 6);
  // Into a view with gaps: what lies between stays.
  oy_tensor* column = oy_tensor_as_strided(other, OY_DIMS(3), OY_DIMS(2), 1);
  oy_tensor* sevens = I32(OY_DIMS(3), 7, 8, 9);
  assert_int_equal(oy_tensor_copy_from(column, sevens, false), OY_OK);
  assert_elements(other, OY_DIMS(3, 2), 1, 7, 2, 8, 3, 9);
  // Broadcast.
  oy_tensor* one = F32(OY_DIMS(1), 5);
  assert_int_equal(oy_tensor_copy_from(turned, one, false), OY_OK);
  assert_elements(x, OY_DIMS(2, 3), 5, 5, 5, 5, 5, 5);
  oy_tensor_release(one);
  oy_tensor_release(sevens);
  oy_tensor_release(column);
  oy_tensor_release(other);
  oy_tensor_release(turned);
  oy_tensor_release(x);
}

static void PU1_02_operators_without_a_kernel_of_the_plugins(void** state) {
  (void)state;
  oy_value device = oy_value_device(on(-1));
  oy_tensor* z = oy_zeros(OY_DIMS(2, 2), oy_none(), oy_none(), device, oy_none());
  assert_non_null(z);
  assert_int_equal(oy_tensor_device(z).index, 0);
  assert_elements(z, OY_DIMS(2, 2), 0, 0, 0, 0);
  assert_ptr_equal(oy_fill__Scalar(z, oy_float(2.5)), z);
  oy_tensor* row = oy_select_int(z, 0, 1);
  assert_ptr_equal(oy_zero_(row), row);
  assert_elements(z, OY_DIMS(2, 2), 2.5, 2.5, 0, 0);
  oy_tensor* turned = oy_t(z);
  oy_tensor* packed = oy_contiguous(turned, OY_MEMORY_CONTIGUOUS);
  assert_elements(packed, OY_DIMS(2, 2), 2.5, 0, 2.5, 0);
  oy_tensor* home =
      oy_to_device(packed, oy_device_cpu(), OY_DTYPE_F64, false, false, oy_none());
  assert_int_equal(oy_tensor_device(home).backend, OY_BACKEND_CPU);
  assert_elements(home, OY_DIMS(2, 2), 2.5, 0, 2.5, 0);
  oy_value number = oy_none();
  oy_tensor* corner = oy_tensor_as_strided(packed, oy_dims_none(), oy_dims_none(), 2);
  assert_int_equal(oy_item(corner, &number), OY_OK);
  assert_true(number.as.d == 2.5);
  assert_ptr_equal(oy_resize_(packed, OY_DIMS(6), oy_none()), packed);
  oy_tensor* first = oy_slice_Tensor(packed, 0, oy_int(0), oy_int(4), 1);
  assert_elements(first, OY_DIMS(4), 2.5, 0, 2.5, 0);  // elements stay
  oy_tensor* all[] = {first, corner, home, packed, turned, row, z};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
}

static void PU1_02_no_kernel_and_no_device_are_errors(void** state) {
  (void)state;
  oy_tensor* x = there(F32(OY_DIMS(2), 1, 2), 0);
  assert_null(oy_relu(x));
  assert_int_equal(oy_error_get()->code, OY_NOT_IMPLEMENTED);
  oy_error_clear();
  assert_null(oy_tensor_empty(OY_DIMS(2), OY_DTYPE_F32, on(3)));
  assert_error("there is no device sim:3: invalid device ordinal, Sim has 3 devices");
  oy_tensor_release(x);
}

static void PU1_02_allocation_fails(void** state) {
  (void)state;
  sim_device_fail_allocation(g_sim, 0);
  assert_fails(oy_tensor_empty(OY_DIMS(4), OY_DTYPE_F32, on(0)),
               "sim:0 has no 16 bytes left");
  oy_tensor* t = oy_tensor_empty(OY_DIMS(4), OY_DTYPE_F32, on(0));
  sim_device_fail_allocation(g_sim, 0);
  assert_int_equal(oy_tensor_resize(t, OY_DIMS(8)), OY_OUT_OF_MEMORY);
  assert_dims(oy_tensor_sizes(t), OY_DIMS(4));
  oy_error_clear();
  oy_tensor_release(t);
}

static void PU1_02_memory_outlives_its_hooks(void** state) {
  (void)state;
  sim_device* other = sim_device_create(1, 0);
  oy_device_hooks hooks = sim_device_hooks(other), first = sim_device_hooks(g_sim);
  oy_tensor* before = there(F32(OY_DIMS(2), 1, 2), 0);
  assert_int_equal(oy_device_hooks_set(g_backend, &hooks), OY_OK);
  oy_tensor* after = there(F32(OY_DIMS(2), 3, 4), 0);
  assert_ptr_equal(oy_tensor_storage_state(after), other);
  assert_int_equal(oy_device_memory_count(g_backend).blocks, 2);
  assert_int_equal(oy_device_memory_count(g_backend).bytes, 16);
  assert_elements(before, OY_DIMS(2), 1, 2);
  // Between two that do not know each other, through the host.
  assert_int_equal(oy_tensor_copy_from(after, before, false), OY_OK);
  assert_elements(after, OY_DIMS(2), 1, 2);
  oy_tensor_release(before);  // by the hooks that allocated it
  oy_tensor_release(after);
  assert_int_equal(sim_device_counts(other).releases, 1);
  assert_int_equal(oy_device_hooks_set(g_backend, &first), OY_OK);
  sim_device_destroy(other);
}

static void PU1_02_hooks_that_are_not_sound(void** state) {
  (void)state;
  oy_device_hooks good = sim_device_hooks(g_sim), h = good;
  h.struct_size = 8;
  assert_int_equal(oy_device_hooks_set(g_backend, &h), OY_INVALID_ARGUMENT);
  h.struct_size = (size_t)-1;
  assert_int_equal(oy_device_hooks_set(g_backend, &h), OY_INVALID_ARGUMENT);
  h = good;
  h.count = NULL;
  assert_int_equal(oy_device_hooks_set(g_backend, &h), OY_INVALID_ARGUMENT);
  assert_error("hooks of a device lack |count|");
  h = good;
  h.release = NULL;
  assert_int_equal(oy_device_hooks_set(g_backend, &h), OY_INVALID_ARGUMENT);
  assert_int_equal(oy_device_hooks_set(OY_BACKEND_CPU, &good), OY_INVALID_ARGUMENT);
  assert_error("CPU is built in and takes no hooks");
  // What an older header lacks is not there.
  h = good;
  h.struct_size = offsetof(oy_device_hooks, fill);
  assert_int_equal(oy_device_hooks_set(g_backend, &h), OY_OK);
  uint64_t fills = sim_device_counts(g_sim).fills;
  oy_tensor* t = oy_tensor_empty(OY_DIMS(5000), OY_DTYPE_F32, on(0));
  assert_ptr_equal(oy_zero_(t), t);
  assert_true(element(t, 4999) == 0);
  assert_int_equal(sim_device_counts(g_sim).fills, fills);
  oy_tensor_release(t);
  assert_int_equal(oy_device_hooks_set(g_backend, &good), OY_OK);
}

// Each device has a generator of its own (PyTorch: torch.cuda.default_generators), and one
// seed is for all, those too that nobody asked for yet.
static void PU1_02_a_generator_for_each_device(void** state) {
  (void)state;
  oy_device_guard guard;
  oy_generator_state taken;
  oy_manual_seed(7);
  oy_generator* g[3];
  for (int16_t i = 0; i < 3; i++) {
    g[i] = oy_generator_default(on(i));
    assert_true(oy_device_equal(oy_generator_device(g[i]), on(i)));
    assert_int_equal(oy_generator_initial_seed(g[i]), 7);
    assert_ptr_equal(g[i], oy_generator_default(on(i)));
  }
  assert_ptr_not_equal(g[0], g[1]);
  assert_ptr_not_equal(g[1], g[2]);
  // What one gives, another has still to give.
  assert_int_equal(oy_generator_take(NULL, on(1), 5, &taken), OY_OK);
  assert_int_equal(oy_generator_take(NULL, on(1), 1, &taken), OY_OK);
  assert_int_equal(taken.offset, 5);
  assert_int_equal(oy_generator_take(NULL, on(2), 1, &taken), OY_OK);
  assert_int_equal(taken.offset, 0);
  assert_int_equal(oy_generator_manual_seed(g[1], 9), OY_OK);
  assert_int_equal(oy_generator_initial_seed(g[2]), 7);
  oy_manual_seed(8);
  for (int i = 0; i < 3; i++) assert_int_equal(oy_generator_initial_seed(g[i]), 8);
  // Without an index it is the current device's; any of its kind will do when it is named.
  assert_int_equal(oy_device_guard_enter(on(2), &guard), OY_OK);
  assert_ptr_equal(oy_generator_default(on(-1)), g[2]);
  assert_int_equal(oy_device_guard_leave(&guard), OY_OK);
  assert_ptr_equal(oy_generator_default(on(-1)), g[0]);
  assert_int_equal(oy_generator_take(g[1], on(0), 1, &taken), OY_OK);
  assert_null(oy_generator_default(on(3)));
  assert_error("expected a device below 3, got 3");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(PU1_02_a_generator_for_each_device),
      cmocka_unit_test(PU1_02_bytes_go_there_and_back),
      cmocka_unit_test(PU1_02_copies_between_layouts_and_dtypes),
      cmocka_unit_test(PU1_02_operators_without_a_kernel_of_the_plugins),
      cmocka_unit_test(PU1_02_no_kernel_and_no_device_are_errors),
      cmocka_unit_test(PU1_02_allocation_fails),
      cmocka_unit_test(PU1_02_memory_outlives_its_hooks),
      cmocka_unit_test(PU1_02_hooks_that_are_not_sound),
  };
  return cmocka_run_group_tests(tests, start, stop);
}
