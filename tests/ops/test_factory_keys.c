// SPDX-License-Identifier: Apache-2.0
// Which kernel a factory's options ask for: BackendSelect makes a key of dtype, layout and
// device, and the call goes on with that key alone (reference, 6.7). Texts are PyTorch's
// (reference, 5 and 6.7), traces those of the reference's section 7.1.
#include "support/tensors.h"

static char g_trace[2048];

static void keep_line(void* user_data, const char* line) {
  (void)user_data;
  size_t at = strlen(g_trace);
  snprintf(g_trace + at, sizeof(g_trace) - at, "%s\n", line);
}
static void trace_begin(void) {
  g_trace[0] = 0;
  oy_trace_set_sink(keep_line, NULL);
  oy_trace_set(true);
}
static void trace_end(void) {
  oy_trace_set(false);
  oy_trace_set_sink(NULL, NULL);
}

static oy_tensor* empty(oy_value dtype, oy_value layout, oy_value device) {
  return oy_empty_memory_format(OY_DIMS(2), dtype, layout, device, oy_none(), oy_none());
}

static void BSEL_01_goes_on_below(void** state) {
  (void)state;
  trace_begin();
  oy_tensor* t = oy_zeros(OY_DIMS(2), oy_none(), oy_none(), oy_none(), oy_none());
  trace_end();
  assert_elements(t, OY_DIMS(2), 0, 0);
  assert_int_equal(t->dtype, OY_DTYPE_F32);
  static const char want[] =
      " [call] op=[aten::zeros], key=[BackendSelect]\n"
      "  [redispatch] op=[aten::zeros], key=[CPU]\n";
  assert_memory_equal(g_trace, want, sizeof(want) - 1);
  oy_tensor_release(t);
}

// The set that goes on is bare: a key that the thread includes is not in it again.
static void BSEL_01_only_the_key_goes_on(void** state) {
  (void)state;
  trace_begin();
  oy_guard guard = oy_guard_include(oy_keyset_of(OY_KEY_AutogradCPU));
  oy_tensor* t = empty(oy_none(), oy_none(), oy_none());
  oy_guard_end(&guard);
  trace_end();
  assert_non_null(t);
  assert_null(
      strstr(g_trace, "[redispatch] op=[aten::empty.memory_format], key=[Autograd"));
  assert_non_null(
      strstr(g_trace, "[redispatch] op=[aten::empty.memory_format], key=[CPU]"));
  oy_tensor_release(t);
}

static void BSEL_01_device_and_dtype(void** state) {
  (void)state;
  oy_tensor* t = oy_zeros(OY_DIMS(3), oy_int(OY_DTYPE_I64), oy_none(),
                          oy_value_device(oy_device_meta()), oy_none());
  assert_int_equal(oy_tensor_device(t).backend, OY_BACKEND_Meta);
  assert_int_equal(t->dtype, OY_DTYPE_I64);
  oy_tensor_release(t);
}

// The keys of tensors count beside those of the options: a start on Meta, which no number
// can be read from.
static void BSEL_01_tensors_beside_options(void** state) {
  (void)state;
  oy_tensor* start = oy_tensor_empty(OY_DIMS(), OY_DTYPE_F32, oy_device_meta());
  oy_tensor* end = F64(OY_DIMS(), 3);
  trace_begin();
  assert_null(oy_linspace_Tensor_Tensor(start, end, 3, oy_none(), oy_none(), oy_none(),
                                        oy_none()));
  trace_end();
  static const char want[] =
      " [call] op=[aten::linspace.Tensor_Tensor], key=[BackendSelect]\n"
      "  [redispatch] op=[aten::linspace.Tensor_Tensor], key=[Meta]\n";
  if (strncmp(g_trace, want, sizeof(want) - 1) != 0) fail_msg("%s", g_trace);
  oy_tensor_release(start);
  oy_tensor_release(end);
}

// What has no kernel is refused with the name of the key that the options made.
static void MISC_05_layouts_and_dtypes(void** state) {
  (void)state;
  static const struct {
    oy_layout layout;
    oy_dtype dtype;
    const char* key;
  } rows[] = {{OY_LAYOUT_SPARSE, OY_DTYPE_F32, "SparseCPU"},
              {OY_LAYOUT_SPARSE_CSR, OY_DTYPE_F32, "SparseCsrCPU"},
              {OY_LAYOUT_SPARSE_CSC, OY_DTYPE_F32, "SparseCsrCPU"},
              {OY_LAYOUT_SPARSE_BSR, OY_DTYPE_F32, "SparseCsrCPU"},
              {OY_LAYOUT_SPARSE_BSC, OY_DTYPE_F32, "SparseCsrCPU"},
              {OY_LAYOUT_MKLDNN, OY_DTYPE_F32, "MkldnnCPU"},
              {OY_LAYOUT_STRIDED, OY_DTYPE_QI8, "QuantizedCPU"}};
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    char want[160];
    snprintf(want, sizeof(want),
             "Could not run 'aten::empty.memory_format' with arguments from the '%s' "
             "backend.",
             rows[i].key);
    assert_null(empty(oy_int(rows[i].dtype), oy_int(rows[i].layout), oy_none()));
    assert_int_equal(oy_error_get()->code, OY_NOT_IMPLEMENTED);
    if (!strstr(oy_error_get()->message, want))
      fail_msg("expected %s\ngot %s", want, oy_error_get()->message);
  }
}

static void BSEL_01_devices_without_the_layout(void** state) {
  (void)state;
  oy_value meta = oy_value_device(oy_device_meta());
  assert_null(empty(oy_none(), oy_int(OY_LAYOUT_MKLDNN), meta));
  assert_string_equal(oy_error_get()->message,
                      "Unsupported device type for mkldnn layout: meta");
  assert_null(empty(oy_none(), oy_int(OY_LAYOUT_JAGGED), oy_none()));
  assert_non_null(strstr(oy_error_get()->message, "Unsupported layout"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(BSEL_01_goes_on_below),
      cmocka_unit_test(BSEL_01_only_the_key_goes_on),
      cmocka_unit_test(BSEL_01_device_and_dtype),
      cmocka_unit_test(BSEL_01_tensors_beside_options),
      cmocka_unit_test(MISC_05_layouts_and_dtypes),
      cmocka_unit_test(BSEL_01_devices_without_the_layout),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
