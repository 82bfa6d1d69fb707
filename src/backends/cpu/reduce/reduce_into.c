// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/reduce/reduce_into.h"

#include <math.h>

#include "tensor/element.h"
#include "tensor/iterator.h"

bool oyi_reduce_into_parse(oy_str name, bool include_self, oyi_reduce_into* out) {
  static const struct {
    const char* name;
    oyi_update update;
  } known[] = {{"sum", OYI_UPDATE_ADD},
               {"prod", OYI_UPDATE_MUL},
               {"mean", OYI_UPDATE_ADD},
               {"amax", OYI_UPDATE_MAX},
               {"amin", OYI_UPDATE_MIN}};
  for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
    if (!oy_str_equal(name, oy_str_of(known[i].name))) continue;
    *out = (oyi_reduce_into){known[i].update, i == 2, include_self};
    return true;
  }
  return false;
}

// The least or the greatest number of a dtype, infinity if it has one.
static oy_scalar bound_of(oy_dtype dtype, bool greatest) {
  switch (dtype) {
    case OY_DTYPE_BOOL: return oy_bool(greatest);
    case OY_DTYPE_U8: return oy_int(greatest ? UINT8_MAX : 0);
    case OY_DTYPE_I8: return oy_int(greatest ? INT8_MAX : INT8_MIN);
    case OY_DTYPE_I16: return oy_int(greatest ? INT16_MAX : INT16_MIN);
    case OY_DTYPE_I32: return oy_int(greatest ? INT32_MAX : INT32_MIN);
    case OY_DTYPE_I64: return oy_int(greatest ? INT64_MAX : INT64_MIN);
    default: return oy_float(greatest ? INFINITY : -INFINITY);
  }
}

oyi_tensor* oyi_reduce_into_identity(const oyi_reduce_into* r, oy_dtype dtype) {
  oyi_tensor* t = oyi_tensor_new(oy_dims_none(), dtype, oy_device_cpu());
  if (!t) return NULL;
  oy_scalar value = oy_int(r->update == OYI_UPDATE_MUL);
  if (r->update == OYI_UPDATE_MAX) value = bound_of(dtype, false);
  if (r->update == OYI_UPDATE_MIN) value = bound_of(dtype, true);
  oyi_element_store(dtype, oyi_data(t), oyi_number_of_scalar(value));
  return t;
}

oyi_tensor* oyi_reduce_into_counts(const oyi_reduce_into* r, const oyi_tensor* t) {
  oyi_tensor* counts = oyi_tensor_new(oyi_sizes_view(t), OY_DTYPE_I64, oy_device_cpu());
  if (!counts) return NULL;
  int64_t* data = oyi_data(counts);
  for (int64_t i = 0; i < counts->numel; i++) data[i] = r->include_self;
  return counts;
}

static int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && a < 0);
}

static void divide_loop(int64_t n, char* const* data, const int64_t* strides,
                        const void* args) {
  const oy_dtype dtype = *(const oy_dtype*)args;
  char* to = data[0];
  const char* by = data[1];
  for (int64_t i = 0; i < n; i++, to += strides[0], by += strides[1]) {
    int64_t count = *(const int64_t*)(const void*)by;
    if (count < 2) continue;
    oyi_number v = oyi_element_load(dtype, to);
    if (v.kind == OYI_NUMBER_INT) {
      v.i = floor_div(v.i, count);
      v.re = (double)v.i;
    } else {
      v.re /= (double)count;
      v.im /= (double)count;
    }
    oyi_element_store(dtype, to, v);
  }
}

void oyi_reduce_into_divide(oyi_tensor* sums, const oyi_tensor* counts) {
  oyi_iter it;
  const oyi_tensor* tensors[] = {sums, counts};
  oyi_iter_plain(&it, tensors, 2);
  oyi_iter_run(&it, divide_loop, &sums->header.dtype);
}
