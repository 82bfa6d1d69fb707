// SPDX-License-Identifier: Apache-2.0
// Making tensors, sizes and strides, storage and versions.
#include "support/tensors.h"
#include "tensor/impl.h"

// AddressSanitizer would stop at an allocation that no machine can serve.
const char* __asan_default_options(void);
const char* __asan_default_options(void) {
  return "allocator_may_return_null=1";
}

static void tensor_holds_what_it_was_made_from(void** state) {
  (void)state;
  oy_tensor* t = F32(OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  assert_elements(t, OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  assert_dims(oy_tensor_strides(t), OY_DIMS(3, 1));
  assert_int_equal(oy_tensor_numel(t), 6);
  assert_int_equal(oy_tensor_ndim(t), 2);
  assert_int_equal(oy_tensor_size(t, -1), 3);
  assert_int_equal(t->dtype, OY_DTYPE_F32);
  assert_true(oy_tensor_is_contiguous(t, OY_MEMORY_CONTIGUOUS));
  assert_true(oy_device_equal(oy_tensor_device(t), oy_device_cpu()));
  oy_tensor_release(t);
}

// Only what needs a gradient has the Autograd key.
static void tensor_keys_are_those_of_its_device(void** state) {
  (void)state;
  char text[128];
  oy_tensor* t = F32(OY_DIMS(1), 1);
  oy_keyset_print(t->keys, text, sizeof(text));
  assert_string_equal(text, "DispatchKeySet(CPU, ADInplaceOrView, AutocastCPU)");
  oy_tensor_release(t);
  t = oy_tensor_empty(OY_DIMS(1), OY_DTYPE_F32, oy_device_meta());
  oy_keyset_print(t->keys, text, sizeof(text));
  assert_string_equal(text, "DispatchKeySet(Meta, ADInplaceOrView)");
  oy_tensor_release(t);
}

static void TEN_03_small_and_large_shapes(void** state) {
  (void)state;
  static const int64_t ones[OY_TENSOR_MAX_DIMS + 1] = {[0 ... OY_TENSOR_MAX_DIMS] = 1};
  for (size_t n = 0; n <= OY_TENSOR_MAX_DIMS; n++) {
    oy_tensor* t = oy_tensor_empty((oy_ints){ones, n}, OY_DTYPE_F64, oy_device_cpu());
    assert_non_null(t);
    assert_int_equal(oy_tensor_numel(t), 1);
    assert_int_equal(oy_tensor_sizes(t).size, n);
    oy_tensor* v = oy_tensor_view(t, (oy_ints){ones, n});
    assert_non_null(v);
    oy_tensor_release(t);
    oy_tensor_release(v);
  }
  assert_fails(oy_tensor_empty((oy_ints){ones, OY_TENSOR_MAX_DIMS + 1}, OY_DTYPE_F32,
                               oy_device_cpu()),
               "tensors may have at most 64 dimensions, got 65");
}

static void TEN_03_sizes_that_overflow(void** state) {
  (void)state;
  const int64_t big = INT64_MAX / 2;
  oy_device cpu = oy_device_cpu();
  assert_fails(oy_tensor_empty(OY_DIMS(2, -1), OY_DTYPE_F32, cpu),
               "Trying to create tensor with negative dimension -1: [2, -1]");
  assert_null(oy_tensor_empty(OY_DIMS(big, 3), OY_DTYPE_F32, cpu));
  assert_null(oy_tensor_empty(OY_DIMS(big, 3, 0), OY_DTYPE_F32, cpu));
  assert_null(oy_tensor_empty(OY_DIMS(big), OY_DTYPE_F32, cpu));
  assert_int_equal(oy_error_get()->code, OY_INVALID_ARGUMENT);
  assert_null(oy_tensor_empty(OY_DIMS(big / 8), OY_DTYPE_U8, cpu));
  assert_int_equal(oy_error_get()->code, OY_OUT_OF_MEMORY);
  oy_tensor* meta = oy_tensor_empty(OY_DIMS(big / 8), OY_DTYPE_U8, oy_device_meta());
  assert_int_equal(oy_tensor_numel(meta), big / 8);
  oy_tensor_release(meta);
  oy_error_clear();
}

// Every size around the limits of the inline data.
static void TEN_02_data_of_every_size(void** state) {
  (void)state;
  for (int64_t n = 0; n < 300; n++) {
    oy_tensor* t = oy_tensor_empty(OY_DIMS(n), OY_DTYPE_U8, oy_device_cpu());
    unsigned char* data = oy_tensor_data(t);
    assert_true((n == 0) == (data == NULL));
    if (n) memset(data, (int)n & 255, (size_t)n);
    oy_tensor* view = oy_tensor_view(t, OY_DIMS(n, 1));
    oy_tensor_release(t);  // the view keeps the data
    for (int64_t i = 0; i < n; i++)
      assert_int_equal(((unsigned char*)oy_tensor_data(view))[i], n & 255);
    oy_tensor_release(view);
  }
}

static int g_deleted;
static void delete_counted(void* context, void* data) {
  assert_ptr_equal(context, &g_deleted);
  free(data);
  g_deleted++;
}

static void TEN_02_foreign_memory(void** state) {
  (void)state;
  float* data = malloc(6 * sizeof(float));
  for (int i = 0; i < 6; i++) data[i] = (float)i;
  oy_tensor_memory memory = {data, 24, delete_counted, &g_deleted, oy_device_cpu()};
  assert_fails(
      oy_tensor_from_memory(&memory, OY_DIMS(7), (oy_ints){NULL, 0}, OY_DTYPE_F32),
      "sizes [7] and strides [1] need 28 bytes, but the memory has 24");
  assert_int_equal(g_deleted, 0);
  oy_tensor* t =
      oy_tensor_from_memory(&memory, OY_DIMS(2, 3), OY_DIMS(1, 2), OY_DTYPE_F32);
  assert_elements(t, OY_DIMS(2, 3), 0, 2, 4, 1, 3, 5);
  assert_ptr_equal(oy_tensor_data(t), data);
  oy_tensor* v = oy_tensor_transpose(t, 0, 1);
  oy_tensor_release(t);
  assert_int_equal(g_deleted, 0);
  oy_tensor_release(v);
  assert_int_equal(g_deleted, 1);
}

static void TEN_02_resize_keeps_elements_and_views(void** state) {
  (void)state;
  oy_tensor* t = F32(OY_DIMS(2), 1, 2);
  oy_tensor* v = oy_tensor_view(t, OY_DIMS(2, 1));
  assert_int_equal(oyi_tensor_resize(oyi_tensor_cast(t), OY_DIMS(2, 1, 1, 1, 1, 1, 50)),
                   0);
  float* data = oy_tensor_data(t);
  assert_true(data[0] == 1 && data[1] == 2);
  data[0] = 7;
  assert_elements(v, OY_DIMS(2, 1), 7, 2);  // the view sees the moved memory
  oy_tensor_release(t);
  assert_elements(v, OY_DIMS(2, 1), 7, 2);
  oy_tensor_release(v);
}

static void TEN_02_memory_of_others_is_not_resized(void** state) {
  (void)state;
  float data[2] = {1, 2};
  oy_tensor_memory memory = {data, 8, NULL, NULL, oy_device_cpu()};
  oy_tensor* t =
      oy_tensor_from_memory(&memory, OY_DIMS(2), (oy_ints){NULL, 0}, OY_DTYPE_F32);
  assert_int_not_equal(oyi_tensor_resize(oyi_tensor_cast(t), OY_DIMS(3)), OY_OK);
  assert_error("Trying to resize storage that is not resizable");
  assert_elements(t, OY_DIMS(2), 1, 2);
  oy_tensor_release(t);
}

static void TEN_12_views_share_a_version(void** state) {
  (void)state;
  oy_tensor* t = F32(OY_DIMS(4), 1, 2, 3, 4);
  oy_tensor* v = oy_tensor_view(t, OY_DIMS(2, 2));
  assert_int_equal(oy_tensor_version(v), 0);
  oy_tensor_bump_version(v);
  assert_int_equal(oy_tensor_version(t), 1);
  assert_true(oy_tensor_is_alias_of(t, v));
  oy_tensor* other = F32(OY_DIMS(1), 1);
  assert_false(oy_tensor_is_alias_of(t, other));
  oy_tensor_release(other);
  oy_tensor_release(v);
  oy_tensor_release(t);
}

static void elements_are_read_and_written(void** state) {
  (void)state;
  oy_tensor* t = I64(OY_DIMS(2, 2), 1, 2, 3, 4);
  oy_scalar s;
  assert_int_equal(oy_tensor_get(t, OY_DIMS(1, -2), &s), OY_OK);
  assert_int_equal(s.as.i, 3);
  assert_int_equal(oy_tensor_set(t, OY_DIMS(-1, -1), oy_float(9.75)), OY_OK);
  assert_elements(t, OY_DIMS(2, 2), 1, 2, 3, 9);
  assert_int_equal(oy_tensor_get(t, OY_DIMS(0, 2), &s), OY_OUT_OF_RANGE);
  assert_error("index 2 is out of bounds for dimension 1 with size 2");
  assert_int_not_equal(oy_tensor_get(t, OY_DIMS(0), &s), OY_OK);
  oy_error_clear();
  oy_tensor_release(t);
}

static void NULL_and_None_are_no_tensors(void** state) {
  (void)state;
  assert_false(oy_object_is_tensor(NULL));
  assert_int_equal(oy_tensor_numel(NULL), 0);
  assert_error("expected a tensor, got NULL");
  assert_null(oy_tensor_view(&oy_none_object, OY_DIMS(1)));
  assert_error("expected a tensor, got None");
  // A pending error is kept: the first one is the cause.
  assert_null(oy_tensor_empty(OY_DIMS(-1), OY_DTYPE_F32, oy_device_cpu()));
  assert_null(oy_tensor_view(NULL, OY_DIMS(1)));
  assert_error("Trying to create tensor with negative dimension -1: [-1]");
}

static void stand_ins_have_keys_and_no_data(void** state) {
  (void)state;
  oy_keyset keys = oy_keyset_of(OY_KEY_CUDA);
  oy_tensor* t = oy_tensor_opaque(keys, OY_DIMS(2, 2), OY_DTYPE_F16,
                                  oy_device_make(OY_BACKEND_CUDA, 0));
  assert_true(oy_keyset_equal(t->keys, keys));
  assert_null(oy_tensor_data(t));
  assert_int_equal(oy_tensor_numel(t), 4);
  assert_prints(t, "tensor(..., device='cuda:0', size=(2, 2), dtype=torch.float16)");
  oy_tensor_release(t);
}

static bool make_and_drop(void) {
  static const int64_t sizes[7] = {1, 1, 1, 1, 1, 1, 100};
  oy_tensor* t = oy_tensor_empty((oy_ints){sizes, 7}, OY_DTYPE_F32, oy_device_cpu());
  oy_tensor* v = oy_tensor_view(t, (oy_ints){sizes, 7});
  oy_tensor* e = v ? oy_tensor_empty(OY_DIMS(3), OY_DTYPE_F32, oy_device_cpu()) : NULL;
  bool good = e && oyi_tensor_resize(oyi_tensor_cast(e), (oy_ints){sizes, 7}) == OY_OK;
  oy_tensor_release(e);
  oy_tensor_release(v);
  oy_tensor_release(t);
  return good;
}

static void allocations_fail_in_turn(void** state) {
  (void)state;
  fail_each_allocation(make_and_drop);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tensor_holds_what_it_was_made_from),
      cmocka_unit_test(tensor_keys_are_those_of_its_device),
      cmocka_unit_test(TEN_03_small_and_large_shapes),
      cmocka_unit_test(TEN_03_sizes_that_overflow),
      cmocka_unit_test(TEN_02_data_of_every_size),
      cmocka_unit_test(TEN_02_foreign_memory),
      cmocka_unit_test(TEN_02_resize_keeps_elements_and_views),
      cmocka_unit_test(TEN_02_memory_of_others_is_not_resized),
      cmocka_unit_test(TEN_12_views_share_a_version),
      cmocka_unit_test(elements_are_read_and_written),
      cmocka_unit_test(NULL_and_None_are_no_tensors),
      cmocka_unit_test(stand_ins_have_keys_and_no_data),
      cmocka_unit_test(allocations_fail_in_turn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
