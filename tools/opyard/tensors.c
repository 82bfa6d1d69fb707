// SPDX-License-Identifier: Apache-2.0
#include "tensors.h"

#include "opyard/opyard.h"
#include "opyard/state.h"

oy_status cli_tensors_load(void) {
  return oy_init();
}

void cli_tensors_unload(void) {
  oy_shutdown();
  oy_tensor_trim();
}

// The index after |index|, row by row.
static void next_index(int64_t* index, const int64_t* sizes, size_t rank) {
  for (size_t d = rank; d-- > 0;) {
    if (++index[d] < sizes[d]) return;
    index[d] = 0;
  }
}

// Complex elements do not fit a scalar, so they are written as they lie.
static oy_status fill_complex(oy_tensor* tensor, const cli_literal* literal) {
  float* singles = oy_tensor_data(tensor);
  double* doubles = oy_tensor_data(tensor);
  for (size_t i = 0; i < literal->count; i++) {
    if (literal->dtype == OY_DTYPE_C64) {
      singles[2 * i] = (float)literal->re[i];
      singles[2 * i + 1] = (float)literal->im[i];
    } else if (literal->dtype == OY_DTYPE_C128) {
      doubles[2 * i] = literal->re[i];
      doubles[2 * i + 1] = literal->im[i];
    } else {
      return OY_FAIL(NOT_IMPLEMENTED, "expected complex64 or complex128, found %s",
                     oy_dtype_name(literal->dtype));
    }
  }
  return OY_OK;
}

static oy_status fill(oy_tensor* tensor, const cli_literal* literal) {
  if (oy_dtype_is_complex(literal->dtype)) return fill_complex(tensor, literal);
  int64_t index[CLI_RANK_MAX] = {0};
  const oy_ints at = {index, literal->rank};
  for (size_t i = 0; i < literal->count; i++) {
    if (!literal->ints && literal->im[i] != 0)
      return OY_FAIL(TYPE_MISMATCH,
                     "expected a complex dtype for complex numbers, found %s",
                     oy_dtype_name(literal->dtype));
    oy_scalar scalar =
        literal->ints ? oy_int(literal->ints[i]) : oy_float(literal->re[i]);
    OY_TRY(oy_tensor_set(tensor, at, scalar));
    next_index(index, literal->sizes, literal->rank);
  }
  return OY_OK;
}

// What is done to make or show a tensor is not part of the program's trace.
typedef struct quiet {
  bool traced;
} quiet;

static quiet quiet_begin(void) {
  const quiet q = {oy_trace_get()};
  oy_trace_set(false);
  return q;
}

static void quiet_end(quiet q) {
  oy_trace_set(q.traced);
}

static oy_status make(const cli_literal* literal, oy_value* out_value) {
  const oy_ints sizes = {literal->sizes, literal->rank};
  *out_value = oy_none();
  oy_tensor* tensor = oy_tensor_empty(sizes, literal->dtype, literal->device);
  if (!tensor) return oy_failure();
  oy_status status =
      literal->device.backend == OY_BACKEND_Meta ? OY_OK : fill(tensor, literal);
  if (status == OY_OK && literal->requires_grad && !oy_requires_grad_(tensor, true))
    status = oy_failure();
  if (status != OY_OK) {
    oy_tensor_release(tensor);
    return status;
  }
  *out_value = oy_value_tensor(tensor);
  out_value->owned = 1;
  return OY_OK;
}

oy_status cli_tensor_make(const cli_literal* literal, oy_value* out_value) {
  quiet q = quiet_begin();
  oy_status status = make(literal, out_value);
  quiet_end(q);
  return status;
}

void cli_tensor_print(oy_object* tensor, oyi_strbuf* out) {
  char* text = NULL;
  quiet q = quiet_begin();
  oy_status status = oy_tensor_print(tensor, &text);
  quiet_end(q);
  if (status != OY_OK) {
    oyi_strbuf_puts(out, "<tensor>");
    return;
  }
  oyi_strbuf_puts(out, text);
  oy_text_free(text);
}

enum { JSON_ELEMENTS_MAX = 100000 };

static void json_data(cli_json* json, oy_object* tensor, oy_ints sizes) {
  int64_t index[OY_TENSOR_MAX_DIMS] = {0};
  int64_t count = oy_tensor_numel(tensor);
  if (!oy_tensor_data(tensor) || count > JSON_ELEMENTS_MAX) return;
  cli_json_open(json, "data", '<');
  for (int64_t i = 0; i < count; i++) {
    oy_scalar scalar;
    if (oy_tensor_get(tensor, (oy_ints){index, sizes.size}, &scalar) != OY_OK)
      cli_json_null(json, NULL);
    else if (scalar.tag == OY_TAG_FLOAT)
      cli_json_double(json, NULL, scalar.as.d);
    else if (scalar.tag == OY_TAG_BOOL)
      cli_json_bool(json, NULL, scalar.as.i != 0);
    else
      cli_json_int(json, NULL, scalar.as.i);
    next_index(index, sizes.data, sizes.size);
  }
  cli_json_close(json, ']');
}

void cli_tensor_json(cli_json* json, const char* key, oy_object* tensor) {
  char device[64];
  oy_ints sizes = oy_tensor_sizes(tensor);
  oyi_strbuf text = OYI_STRBUF_INIT;
  cli_json_open(json, key, '{');
  cli_json_text(json, "dtype", oy_dtype_name(tensor->dtype));
  oy_device_print(oy_tensor_device(tensor), device, sizeof device);
  cli_json_text(json, "device", device);
  cli_json_open(json, "shape", '<');
  for (size_t i = 0; i < sizes.size; i++) cli_json_int(json, NULL, sizes.data[i]);
  cli_json_close(json, ']');
  cli_json_bool(json, "requires_grad", oy_requires_grad(tensor));
  json_data(json, tensor, sizes);
  cli_tensor_print(tensor, &text);
  cli_json_str(json, "text", oyi_strbuf_view(&text));
  oyi_strbuf_reset(&text);
  cli_json_close(json, '}');
}

oy_status cli_tensor_backward(oy_object* tensor, oy_object* gradient) {
  return oy_backward(tensor, oy_object_is_none(gradient) ? NULL : gradient, false);
}

oy_status cli_tensor_grad(oy_object* tensor, oy_value* out_value) {
  oy_tensor* gradient = oy_grad(tensor);
  *out_value = gradient ? oy_value_tensor(gradient) : oy_none();
  return oy_value_own(out_value);
}
