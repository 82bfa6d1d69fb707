// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/reduce/reduce_into.h"

#include <math.h>

#include "backends/cpu/loops/loops.h"
#include "tensor/element.h"
#include "tensor/iterator.h"
#include "tensor/move.h"

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

// The dtype of counts up to |most|: that of the sums where it has them all, for then they
// divide by vectors.
static oy_dtype count_dtype(oy_dtype sums, int64_t most) {
  const bool is_exact =
      sums == OY_DTYPE_F64 || (sums == OY_DTYPE_F32 && most < (int64_t)1 << 24);
  return is_exact ? sums : OY_DTYPE_I64;
}

oyi_tensor* oyi_reduce_into_counts(const oyi_reduce_into* r, const oyi_tensor* t,
                                   int64_t most) {
  const oy_dtype dtype = count_dtype(t->header.dtype, most);
  oyi_tensor* counts = oyi_tensor_new(oyi_sizes_view(t), dtype, oy_device_cpu());
  if (!counts) return NULL;
  char first[sizeof(int64_t)];
  oyi_element_store(dtype, first, oyi_number_of_scalar(oy_int(r->include_self)));
  const size_t item = oyi_dtype_bytes[dtype];
  oyi_move_fill(oyi_data(counts), (size_t)counts->numel * item, first, item);
  return counts;
}

static int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && a < 0);
}

// Where counts are of the dtype of the sums. Those of 0 become 1.
static void divide_alike(int64_t n, char* const* data, const int64_t* strides,
                         const void* args) {
  const oy_dtype dtype = *(const oy_dtype*)args;
  char one[sizeof(double)];
  oyi_element_store(dtype, one, oyi_number_of_scalar(oy_int(1)));
  char* const counts[] = {data[1], data[1], one};
  char* const sums[] = {data[0], data[0], data[1]};
  oyi_cpu_loops[OYI_LOOP_maximum][dtype](n, counts,
                                         (int64_t[]){strides[1], strides[1], 0}, NULL);
  oyi_cpu_loops[OYI_LOOP_div][dtype](
      n, sums, (int64_t[]){strides[0], strides[0], strides[1]}, NULL);
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

void oyi_reduce_into_divide(oyi_tensor* sums, oyi_tensor* counts) {
  oyi_iter it;
  const oyi_tensor* tensors[] = {sums, counts};
  const oy_dtype dtype = sums->header.dtype;
  oyi_iter_plain(&it, tensors, 2);
  oyi_iter_run(
      &it,
      dtype == counts->header.dtype && dtype != OY_DTYPE_I64 ? divide_alike : divide_loop,
      &dtype);
}
