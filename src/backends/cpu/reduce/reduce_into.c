// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/reduce/reduce_into.h"

#include <math.h>

#include "backends/cpu/reduce/reduce_divide.h"
#include "base/cpu.h"
#include "tensor/convert_loops.h"
#include "tensor/element.h"
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

oyi_tensor* oyi_reduce_into_counts(const oyi_reduce_into* r, oy_ints sizes,
                                   int64_t most) {
  const oy_dtype dtype = most < (int64_t)1 << 24 ? OY_DTYPE_F32 : OY_DTYPE_F64;
  oyi_tensor* counts = oyi_tensor_new(sizes, dtype, oy_device_cpu());
  if (!counts) return NULL;
  char first[sizeof(double)];
  oyi_element_store(dtype, first, oyi_number_of_scalar(oy_int(r->include_self)));
  const size_t item = oyi_dtype_bytes[dtype];
  oyi_move_fill(oyi_data(counts), (size_t)counts->numel * item, first, item);
  return counts;
}

// ------------------------------------------------------------------------- the division

static const oyi_loop* divide_table(oy_dtype counts) {
  if (counts == OY_DTYPE_F64) return oyi_divide_wide;
#if defined(__x86_64__)
  if (oyi_cpu_level() > 0) return oyi_divide_v3;
#endif
  return oyi_divide_base;
}

// 16-bit floats, |parts| to an element, divide as float: |loop| does, of f32 or c64.
typedef struct halves {
  oyi_loop loop;
  oyi_convert_loop widen, narrow;
  oy_dtype counts;
  size_t parts;
} halves;

static void copy_elements(int64_t n, char* to, int64_t to_step, const char* from,
                          int64_t from_step, size_t item) {
  if (to_step == (int64_t)item && from_step == (int64_t)item) {
    memcpy(to, from, (size_t)n * item);
    return;
  }
  for (int64_t i = 0; i < n; i++) memcpy(to + i * to_step, from + i * from_step, item);
}

static void divide_halves(int64_t n, char* const* data, const int64_t* strides,
                          const void* args) {
  enum { PIECE = 256, MOST_PARTS = 2 };
  const halves* h = args;
  const size_t item = h->parts * sizeof(uint16_t), wide = h->parts * sizeof(float);
  uint16_t packed[PIECE * MOST_PARTS];
  float numbers[PIECE * MOST_PARTS];
  char *sums = data[0], *counts = data[1];
  if (strides[1] == 0 && oyi_element_load(h->counts, counts).re < 2) return;
  for (int64_t some; n > 0; n -= some) {
    some = n < PIECE ? n : PIECE;
    const int64_t all = some * (int64_t)h->parts;
    copy_elements(some, (char*)packed, (int64_t)item, sums, strides[0], item);
    h->widen(numbers, packed, all);
    h->loop(some, (char*[]){(char*)numbers, counts},
            (int64_t[]){(int64_t)wide, strides[1]}, NULL);
    h->narrow(packed, numbers, all);
    copy_elements(some, sums, strides[0], (const char*)packed, (int64_t)item, item);
    sums += some * strides[0];
    counts += some * strides[1];
  }
}

void oyi_reduce_into_divide(oyi_tensor* sums, const oyi_tensor* counts) {
  oyi_iter it;
  const oyi_tensor* tensors[] = {sums, counts};
  const oy_dtype dtype = sums->header.dtype, by = counts->header.dtype;
  const oyi_loop* table = divide_table(by);
  oyi_iter_plain(&it, tensors, 2);
  if (table[dtype]) {
    oyi_iter_run(&it, table[dtype], NULL);
    return;
  }
  const bool is_complex = dtype == OY_DTYPE_C32;
  const oy_dtype half = is_complex ? OY_DTYPE_F16 : dtype;
  const halves h = {table[is_complex ? OY_DTYPE_C64 : OY_DTYPE_F32],
                    oyi_convert_chain_of(OY_DTYPE_F32, half).loops[0],
                    oyi_convert_chain_of(half, OY_DTYPE_F32).loops[0], by,
                    is_complex ? 2 : 1};
  oyi_iter_run(&it, divide_halves, &h);
}
