// SPDX-License-Identifier: Apache-2.0
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math")
#endif
#include "backends/cpu/reduce/reduce_single.h"

#include <string.h>

#include "opyard/threads.h"
#include "tensor/element.h"
#include "tensor/iterator.h"

// The input with the dimensions of the results; NULL without memory.
static oyi_tensor* without_reduced(const oyi_reduction* r) {
  int64_t sizes[OY_TENSOR_MAX_DIMS], strides[OY_TENSOR_MAX_DIMS];
  size_t ndim = 0;
  for (size_t d = 0; d < r->in->ndim; d++) {
    if (r->mask >> d & 1) continue;
    sizes[ndim] = r->in->sizes[d];
    strides[ndim++] = oyi_strides(r->in)[d];
  }
  return oyi_tensor_alias(r->in, (oy_ints){sizes, ndim}, (oy_ints){strides, ndim},
                          r->in->offset);
}

static bool copy_elements(const oyi_reduction* r, const oyi_tensor* from) {
  oyi_tensor* view = NULL;
  if (from->ndim != r->ndim) {
    view = without_reduced(r);
    if (!view) {
      oy_error_clear();
      return false;
    }
    from = view;
  }
  for (int k = 0; k < r->outs; k++)
    if (r->out[k]) oyi_convert(r->out[k], from);
  if (view) oy_tensor_release(&view->header);
  return true;
}

static void zero_row(int64_t n, char* const* data, const int64_t* strides,
                     const void* args) {
  (void)args;
  if (strides[0] == (int64_t)sizeof(int64_t)) {
    memset(data[0], 0, (size_t)n * sizeof(int64_t));
    return;
  }
  for (int64_t i = 0; i < n; i++) *(int64_t*)(void*)(data[0] + i * strides[0]) = 0;
}

void oyi_reduce_single_places(oyi_tensor* places) {
  oyi_iter it;
  const oyi_tensor* tensors[] = {places};
  oyi_iter_plain(&it, tensors, 1);
  oyi_iter_run(&it, zero_row, NULL);
}

bool oyi_reduce_single(const oyi_reduction* r, oyi_single second) {
  if (r->count != 1 || r->in->numel <= 1) return false;
  oyi_reduction elements = *r;
  if (second == OYI_SINGLE_PLACE) elements.out[1] = NULL;
  if ((elements.out[0] || elements.out[1]) && !copy_elements(&elements, r->in))
    return false;
  if (second == OYI_SINGLE_PLACE && r->out[1]) oyi_reduce_single_places(r->out[1]);
  return true;
}

// ----------------------------------------------------------------------- sums

// Before a loop whose operands are the same memory, or others.
#if defined(__clang__)
#define OYI_SAME_PLACES _Pragma("clang loop vectorize(assume_safety)")
#else
#define OYI_SAME_PLACES _Pragma("GCC ivdep")
#endif

typedef struct sums {
  char* x;
  const char* from;  // where they come from, in the same order; may be |x|
  oy_dtype part;     // of complex numbers that of their parts
  int64_t numbers;   // of an element
  oyi_single_kind kind;
} sums;

// What 0 and each number are, and complex numbers over 1, or 1 times one: where a part is infinite,
// or no number, the other one is none.
#define OF_FLOATS(T, ID)                                                             \
  static void add_##ID(T* x, const T* from, int64_t n, bool skips_nan) {             \
    if (skips_nan) {                                                                 \
      OYI_SAME_PLACES                                                                \
      for (int64_t i = 0; i < n; i++) x[i] = (from[i] == from[i] ? from[i] : 0) + 0; \
    } else {                                                                         \
      OYI_SAME_PLACES                                                                \
      for (int64_t i = 0; i < n; i++) x[i] = from[i] + 0;                            \
    }                                                                                \
  }                                                                                  \
  static void divide_##ID(T* x, int64_t n) {                                         \
    for (int64_t i = 0; i < n; i += 2) {                                             \
      const T re = x[i], im = x[i + 1];                                              \
      x[i] = re + im * 0;                                                            \
      x[i + 1] = im - re * 0;                                                        \
    }                                                                                \
  }                                                                                  \
  static void multiply_##ID(T* x, const T* from, int64_t n) {                        \
    OYI_SAME_PLACES                                                                  \
    for (int64_t i = 0; i < n; i += 2) {                                             \
      const T re = from[i], im = from[i + 1];                                        \
      x[i] = re - im * 0;                                                            \
      x[i + 1] = im + re * 0;                                                        \
    }                                                                                \
  }
OF_FLOATS(float, f32)
OF_FLOATS(double, f64)
#undef OF_FLOATS

static void add_half(uint16_t* x, const uint16_t* from, int64_t n, uint16_t infinite,
                     bool skips_nan) {
  enum { SIGN = 0x8000 };
  const uint16_t most = skips_nan ? infinite : SIGN - 1;
  OYI_SAME_PLACES
  for (int64_t i = 0; i < n; i++) {
    const uint16_t size = from[i] & (SIGN - 1);
    x[i] = size == 0 || size > most ? 0 : from[i];
  }
}

static void add_some(const sums* s, int64_t at, int64_t n) {
  const bool skips_nan = s->kind == OYI_SINGLE_NANSUM;
  void* x = s->x + at;
  const void* from = s->from + at;
  if (s->kind == OYI_SINGLE_PRODUCT) {
    if (s->part == OY_DTYPE_F32)
      multiply_f32(x, from, n);
    else
      multiply_f64(x, from, n);
    return;
  }
  switch (s->part) {
    case OY_DTYPE_F32: add_f32(x, from, n, skips_nan); break;
    case OY_DTYPE_F64: add_f64(x, from, n, skips_nan); break;
    case OY_DTYPE_F16: add_half(x, from, n, 0x7c00, skips_nan); break;
    default: add_half(x, from, n, 0x7f80, skips_nan); break;
  }
  const bool divides = s->kind == OYI_SINGLE_MEAN && s->numbers == 2;
  if (divides && s->part == OY_DTYPE_F32) divide_f32(x, n);
  if (divides && s->part == OY_DTYPE_F64) divide_f64(x, n);
}

// In pieces that stay in the first cache from one pass to the other.
static oy_status run_sums(int64_t begin, int64_t end, void* context) {
  enum { PIECE = 1024 };
  const sums* s = context;
  const int64_t item = oyi_dtype_bytes[s->part];
  end *= s->numbers;
  for (int64_t i = begin * s->numbers, some; i < end; i += some) {
    some = end - i < PIECE ? end - i : PIECE;
    add_some(s, i * item, some);
  }
  return OY_OK;
}

// What |dtype|'s numbers are made of, one or two of them; OY_DTYPE_LIMIT: nothing that is added.
static oy_dtype part_of(oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_F64:
    case OY_DTYPE_C128: return OY_DTYPE_F64;
    case OY_DTYPE_F32:
    case OY_DTYPE_C64: return OY_DTYPE_F32;
    case OY_DTYPE_F16:
    case OY_DTYPE_C32: return OY_DTYPE_F16;
    case OY_DTYPE_BF16: return dtype;
    default: return OY_DTYPE_LIMIT;
  }
}

bool oyi_reduce_single_sum(const oyi_reduction* r, oyi_single_kind kind) {
  oyi_tensor* out = r->out[0];
  const oy_dtype in = r->in->header.dtype, dtype = out->header.dtype;
  const bool whole = oy_dtype_is_integral(in, true);
  if (whole ? dtype != OY_DTYPE_I64 : dtype != in) return false;
  const oy_dtype part = part_of(dtype);
  if (kind == OYI_SINGLE_PRODUCT && dtype != OY_DTYPE_C64 && dtype != OY_DTYPE_C128)
    return false;
  if (!whole && (part == OY_DTYPE_LIMIT || !(out->flags & OYI_DENSE))) return false;
  if (r->count != 1 || r->in->numel <= 1) return false;
  const bool together = !whole && r->in->flags & out->flags & OYI_CONTIGUOUS;
  if (!together && !oyi_reduce_single(r, OYI_SINGLE_ELEMENT)) return false;
  if (whole) return true;
  const char* from = oyi_data(together ? r->in : out);
  sums s = {oyi_data(out), from, part, oy_dtype_is_complex(dtype) ? 2 : 1, kind};
  // Nothing in it can fail.
  (void)!oy_parallel_for(0, out->numel, OYI_ITER_GRAIN, run_sums, &s);
  return true;
}
