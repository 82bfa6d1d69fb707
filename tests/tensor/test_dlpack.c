// SPDX-License-Identifier: Apache-2.0
// DLPack: out and in again, who frees what, and what is refused with which text.
#include "opyard/dlpack.h"
#include "support/tensors.h"

static void TEN_15_export_says_what_the_tensor_is(void** state) {
  (void)state;
  oy_tensor* t = F32(OY_DIMS(2, 1, 3), 1, 2, 3, 4, 5, 6);
  oy_tensor* u = oy_tensor_transpose(t, 0, 2);
  oy_tensor* low = oy_tensor_as_strided(t, OY_DIMS(2), OY_DIMS(2), 1);
  oy_dl_managed* m = oy_dlpack_export(u);
  assert_int_equal(m->tensor.device_type, 1);
  assert_int_equal(m->tensor.device_id, 0);
  assert_int_equal(m->tensor.code, 2);
  assert_int_equal(m->tensor.bits, 32);
  assert_int_equal(m->tensor.lanes, 1);
  assert_int_equal(m->tensor.byte_offset, 0);
  assert_ptr_equal(m->tensor.data, oy_tensor_data(t));
  assert_dims(((oy_ints){m->tensor.shape, 3}), OY_DIMS(3, 1, 2));
  assert_dims(((oy_ints){m->tensor.strides, 3}), OY_DIMS(1, 1, 3));
  m->deleter(m);
  m = oy_dlpack_export(low);
  assert_ptr_equal(m->tensor.data, (float*)oy_tensor_data(t) + 1);
  m->deleter(m);
  oy_tensor_release(low);
  oy_tensor_release(u);
  oy_tensor_release(t);
}

static void TEN_15_there_and_back(void** state) {
  (void)state;
  for (oy_dtype d = 0; d < OY_DTYPE_LIMIT; d++) {
    if (!oy_dtype_size(d)) continue;
    oy_tensor* t = oy_tensor_empty(OY_DIMS(3, 2), d, oy_device_cpu());
    oy_dl_versioned* v = oy_dlpack_export_versioned(t);
    bool is_float8 = d >= OY_DTYPE_F8E5M2 && d <= OY_DTYPE_F8E4M3FNUZ;
    if (is_float8 || oy_dtype_is_quantized(d)) {
      assert_null(v);
      assert_error(is_float8 ? "float8 types are not supported by dlpack"
                             : "QUInt/QInt types are not supported by dlpack");
      oy_tensor_release(t);
      continue;
    }
    void* data = oy_tensor_data(t);
    assert_int_equal(v->major, 1);
    oy_tensor_release(t);  // the package holds the memory
    oy_tensor* back = oy_dlpack_import_versioned(&v);
    assert_null(v);
    assert_int_equal(back->dtype, d);
    assert_ptr_equal(oy_tensor_data(back), data);
    assert_dims(oy_tensor_sizes(back), OY_DIMS(3, 2));
    oy_tensor_release(back);
  }
}

static int g_deleted;
static void count_deleted(oy_dl_managed* self) {
  (void)self;
  g_deleted++;
}
static void count_versioned(oy_dl_versioned* self) {
  (void)self;
  g_deleted++;
}

static void TEN_15_a_package_is_consumed_once(void** state) {
  (void)state;
  static const char again[] =
      "from_dlpack received an invalid capsule. Note that DLTensor capsules can be "
      "consumed only once, so you might have already constructed a tensor from it once.";
  float data[5] = {0, 1, 2, 3, 4};
  int64_t shape[2] = {2, 2};
  oy_dl_managed m = {
      {data, 1, 0, 2, OY_DL_FLOAT, 32, 1, shape, NULL, 4}, NULL, count_deleted};
  oy_dl_managed* p = &m;
  g_deleted = 0;
  oy_tensor* t = oy_dlpack_import(&p);
  assert_elements(t, OY_DIMS(2, 2), 1, 2, 3, 4);
  oy_tensor* v = oy_tensor_view(t, OY_DIMS(4));
  assert_fails(oy_dlpack_import(&p), again);
  assert_fails(oy_dlpack_import(NULL), again);
  assert_fails(oy_dlpack_import_versioned(NULL), again);
  oy_tensor_release(t);
  assert_int_equal(g_deleted, 0);
  oy_tensor_release(v);
  assert_int_equal(g_deleted, 1);
}

static void TEN_15_what_is_not_taken(void** state) {
  (void)state;
  static const struct {
    int32_t device, ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t size;
    uint64_t offset;
    const char* error;
  } rows[] = {
      {1, 1, 2, 32, 2, 2, 0, "ATen does not support lanes != 1"},
      {4, 1, 2, 32, 1, 2, 0, "Unsupported device_type: 4"},
      {1, 1, 3, 32, 1, 2, 0, "Unsupported code 3"},
      {1, 1, 77, 32, 1, 2, 0, "Unsupported code 77"},
      {1, 1, 0, 24, 1, 2, 0, "Unsupported kInt bits 24"},
      {1, 1, 6, 1, 1, 2, 0, "Unsupported kBool bits 1"},
      {1, 65, 2, 32, 1, 2, 0, "expected a shape of 0 to 64 dimensions, got 65"},
      {1, -1, 2, 32, 1, 2, 0, "expected a shape of 0 to 64 dimensions, got -1"},
      {1, 1, 2, 32, 1, -2, 0, "Trying to create tensor with negative dimension -2: [-2]"},
      {1, 1, 2, 32, 1, 2, 2, NULL},
  };
  float data[4] = {0};
  g_deleted = 0;
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    int64_t shape[1] = {rows[i].size};
    oy_dl_managed m = {{data, rows[i].device, 0, rows[i].ndim, rows[i].code, rows[i].bits,
                        rows[i].lanes, shape, NULL, rows[i].offset},
                       NULL,
                       count_deleted};
    oy_dl_managed* p = &m;
    assert_null(oy_dlpack_import(&p));
    assert_ptr_equal(p, &m);  // still the caller's
    if (rows[i].error) assert_string_equal(oy_error_get()->message, rows[i].error);
    oy_error_clear();
  }
  assert_int_equal(g_deleted, 0);
}

static void TEN_15_read_only_memory_is_copied(void** state) {
  (void)state;
  float data[2] = {1, 2};
  int64_t shape[1] = {2};
  oy_dl_versioned m = {1,
                       0,
                       NULL,
                       count_versioned,
                       OY_DL_READ_ONLY,
                       {data, 1, 0, 1, OY_DL_FLOAT, 32, 1, shape, NULL, 0}};
  oy_dl_versioned* p = &m;
  g_deleted = 0;
  oy_tensor* t = oy_dlpack_import_versioned(&p);
  assert_int_equal(g_deleted, 1);
  data[0] = 7;
  assert_elements(t, OY_DIMS(2), 1, 2);
  oy_tensor_release(t);
  p = &m;
  m.major = 2;
  assert_fails(oy_dlpack_import_versioned(&p), "expected DLPack 1.x, got 2.0");
  assert_ptr_equal(p, &m);
}

static void TEN_15_what_is_not_given(void** state) {
  (void)state;
  oy_tensor* w = F32(OY_DIMS(1), 1);
  assert_non_null(oy_requires_grad_(w, true));
  assert_fails(oy_dlpack_export(w),
               "Can't export tensors that require gradient, use tensor.detach()");
  oy_tensor* d = oy_detach(w);
  oy_dl_managed* m = oy_dlpack_export(d);
  assert_non_null(m);
  m->deleter(m);
  oy_tensor* meta = oy_tensor_empty(OY_DIMS(1), OY_DTYPE_F32, oy_device_meta());
  assert_fails(oy_dlpack_export(meta), "Cannot pack tensors on meta");
  oy_tensor* opaque = oy_tensor_opaque(oy_keyset_of(OY_KEY_CPU), OY_DIMS(1), OY_DTYPE_F32,
                                       oy_device_cpu());
  assert_fails(oy_dlpack_export(opaque),
               "Can't export tensors with layout other than torch.strided");
  assert_fails(oy_dlpack_export(NULL), "expected a tensor, got NULL");
  oy_tensor* all[] = {w, d, meta, opaque};
  for (int i = 0; i < 4; i++) oy_tensor_release(all[i]);
}

static bool out_and_in(void) {
  oy_tensor* t = F32(OY_DIMS(2), 1, 2);
  oy_dl_managed* m = t ? oy_dlpack_export(t) : NULL;
  oy_dl_managed* left = m;
  oy_tensor* u = m ? oy_dlpack_import(&left) : NULL;
  if (left) left->deleter(left);
  bool good = u != NULL;
  oy_tensor_release(u);
  oy_tensor_release(t);
  return good;
}

static void allocations_fail_in_turn(void** state) {
  (void)state;
  fail_each_allocation(out_and_in);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(TEN_15_export_says_what_the_tensor_is),
      cmocka_unit_test(TEN_15_there_and_back),
      cmocka_unit_test(TEN_15_a_package_is_consumed_once),
      cmocka_unit_test(TEN_15_what_is_not_taken),
      cmocka_unit_test(TEN_15_read_only_memory_is_copied),
      cmocka_unit_test(TEN_15_what_is_not_given),
      cmocka_unit_test(allocations_fail_in_turn),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
