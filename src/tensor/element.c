// SPDX-License-Identifier: Apache-2.0
// Reading and writing single elements. The types that programs use most are here;
// the others are rows of one element, so that there is one place that converts.
#include "tensor/element.h"

#include <math.h>

#include "tensor/half.h"
#include "tensor/hooks.h"

static oyi_number of_int(int64_t i) {
  return (oyi_number){OYI_NUMBER_INT, i, (double)i, 0};
}
static oyi_number of_float(double d) {
  return (oyi_number){OYI_NUMBER_FLOAT, 0, d, 0};
}
static oyi_number of_complex(double re, double im) {
  return (oyi_number){OYI_NUMBER_COMPLEX, 0, re, im};
}

oyi_number oyi_element_load(oy_dtype dtype, const void* at) {
  int64_t i;
  float f;
  double d[2];
  switch (dtype) {
    case OY_DTYPE_I64: memcpy(&i, at, sizeof(i)); return of_int(i);
    case OY_DTYPE_F32: memcpy(&f, at, sizeof(f)); return of_float((double)f);
    case OY_DTYPE_F64: memcpy(d, at, sizeof(*d)); return of_float(*d);
    case OY_DTYPE_U64:
      memcpy(&i, at, sizeof(i));
      return (oyi_number){OYI_NUMBER_UINT, i, (double)(uint64_t)i, 0};
    default: break;
  }
  if (oy_dtype_is_complex(dtype)) {
    oyi_convert_row(OY_DTYPE_C128, (char*)d, sizeof(d), dtype, at, 0, 1);
    return of_complex(d[0], d[1]);
  }
  if (oy_dtype_is_floating(dtype)) {
    oyi_convert_row(OY_DTYPE_F64, (char*)d, sizeof(*d), dtype, at, 0, 1);
    return of_float(*d);
  }
  oyi_convert_row(OY_DTYPE_I64, (char*)&i, sizeof(i), dtype, at, 0, 1);
  return of_int(i);
}

static oy_dtype dtype_of_kind(oyi_number n) {
  switch (n.kind) {
    case OYI_NUMBER_INT: return OY_DTYPE_I64;
    case OYI_NUMBER_UINT: return OY_DTYPE_U64;
    case OYI_NUMBER_FLOAT: return OY_DTYPE_F64;
    default: return OY_DTYPE_C128;
  }
}

void oyi_element_store(oy_dtype dtype, void* at, oyi_number n) {
  // The common ones need no chain of conversions.
  float f = n.kind == OYI_NUMBER_INT ? (float)n.i : (float)n.re;
  if (dtype == OY_DTYPE_F64) {
    memcpy(at, &n.re, sizeof(n.re));
  } else if (dtype == OY_DTYPE_F32 && n.kind != OYI_NUMBER_UINT) {
    memcpy(at, &f, sizeof(f));
  } else {
    const double parts[2] = {n.re, n.im};
    const void* from = n.kind <= OYI_NUMBER_UINT ? (const void*)&n.i : parts;
    oyi_convert_row(dtype, at, 0, dtype_of_kind(n), from, 0, 1);
  }
}

oyi_number oyi_number_of_scalar(oy_scalar s) {
  if (s.tag == OY_TAG_FLOAT) return of_float(s.as.d);
  if (s.tag == OY_TAG_COMPLEX)
    return of_complex(s.as.complex_data->re, s.as.complex_data->im);
  return of_int(s.as.i);
}

// What may be written into each dtype, and how the messages call it. A row without a
// name takes everything.
typedef struct limits {
  const char* name;
  double lowest, greatest;
} limits;
static const limits g_limits[OY_DTYPE_LIMIT] = {
    [OY_DTYPE_U8] = {"uint8_t", 0, UINT8_MAX},
    [OY_DTYPE_I8] = {"int8_t", INT8_MIN, INT8_MAX},
    [OY_DTYPE_I16] = {"int16_t", INT16_MIN, INT16_MAX},
    [OY_DTYPE_I32] = {"int", INT32_MIN, INT32_MAX},
    [OY_DTYPE_I64] = {"int64_t", -0x1p63, 0x1p63},
    [OY_DTYPE_U16] = {"uint16_t", 0, UINT16_MAX},
    [OY_DTYPE_U32] = {"uint32_t", 0, UINT32_MAX},
    [OY_DTYPE_U64] = {"uint64_t", 0, 0x1p64},
    [OY_DTYPE_F16] = {"at::Half", -65504, 65504},
    [OY_DTYPE_BF16] = {"at::BFloat16", -0x1.fep127, 0x1.fep127},
    [OY_DTYPE_F32] = {"float", -0x1.fffffep127, 0x1.fffffep127},
    [OY_DTYPE_F64] = {"double", -0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023},
    [OY_DTYPE_C32] = {"c10::complex<c10::Half>", -65504, 65504},
    [OY_DTYPE_C64] = {"c10::complex<float>", -0x1.fffffep127, 0x1.fffffep127},
    [OY_DTYPE_C128] = {"c10::complex<double>", -0x1.fffffffffffffp1023,
                       0x1.fffffffffffffp1023},
    [OY_DTYPE_F8E5M2] = {"at::Float8_e5m2", -57344, 57344},
    [OY_DTYPE_F8E4M3] = {"at::Float8_e4m3fn", -448, 448},
    [OY_DTYPE_F8E5M2FNUZ] = {"at::Float8_e5m2fnuz", -57344, 57344},
    [OY_DTYPE_F8E4M3FNUZ] = {"at::Float8_e4m3fnuz", -240, 240},
};

static bool part_fits(const limits* l, oy_dtype dtype, double part) {
  bool integral = oy_dtype_is_integral(dtype, true);
  if (isinf(part)) return !integral;
  return isnan(part) ? !integral : part >= l->lowest && part <= l->greatest;
}

static bool integer_fits(const limits* l, oy_dtype dtype, oyi_number n) {
  bool negative = n.kind == OYI_NUMBER_INT && n.i < 0;
  if (dtype == OY_DTYPE_U64) return true;
  if (dtype == OY_DTYPE_I64) return n.kind == OYI_NUMBER_INT || n.i >= 0;
  // Negative numbers may wrap into types without a sign.
  if (negative && l->lowest == 0) return -n.re <= l->greatest;
  return n.re >= l->lowest && n.re <= l->greatest;
}

oy_status oyi_number_check(oyi_number n, oy_dtype dtype) {
  const limits* l = &g_limits[dtype];
  if (!l->name) return OY_OK;
  bool fits;
  if (n.kind <= OYI_NUMBER_UINT)
    fits = integer_fits(l, dtype, n);
  else if (oy_dtype_is_complex(dtype))
    fits = part_fits(l, dtype, n.re) && part_fits(l, dtype, n.im);
  else
    fits = n.im == 0 && part_fits(l, dtype, n.re);
  OY_CHECK(fits, INVALID_ARGUMENT,
           "value cannot be converted to type %s without overflow", l->name);
  return OY_OK;
}

oy_status oyi_number_to_scalar(oyi_number n, bool is_bool, oy_scalar* out_scalar) {
  *out_scalar = oy_none();
  if (n.kind == OYI_NUMBER_COMPLEX) {
    oy_complex c = {n.re, n.im};
    oy_scalar view = oy_complex_value(&c);
    OY_TRY(oy_value_own(&view));
    *out_scalar = view;
    return OY_OK;
  }
  OY_TRY(n.kind == OYI_NUMBER_UINT ? oyi_number_check(n, OY_DTYPE_I64) : OY_OK);
  *out_scalar = n.kind == OYI_NUMBER_FLOAT ? oy_float(n.re)
                : is_bool                  ? oy_bool(n.i != 0)
                                           : oy_int(n.i);
  return OY_OK;
}

// Bytes from the first element to the one at |index|.
static oy_status find(const oyi_tensor* t, oy_ints index, int64_t* out_offset) {
  *out_offset = 0;
  OY_CHECK(index.size == t->ndim, INVALID_ARGUMENT,
           "expected %u indices for a tensor of sizes %s, got %zu", t->ndim,
           oyi_dims_print(oyi_sizes_view(t)).text, index.size);
  int64_t at = 0;
  for (size_t i = 0; i < index.size; i++) {
    int64_t k = index.data[i];
    OY_CHECK(k >= -t->sizes[i] && k < t->sizes[i], OUT_OF_RANGE,
             "index %lld is out of bounds for dimension %zu with size %lld", (long long)k,
             i, (long long)t->sizes[i]);
    at += (k < 0 ? k + t->sizes[i] : k) * oyi_strides(t)[i];
  }
  OY_CHECK(oyi_data(t) || oyi_is_zeros(t), NOT_IMPLEMENTED,
           "the tensor on %s has no data to access here",
           oy_backend_name(t->backend) ? oy_backend_name(t->backend) : "?");
  *out_offset = at * oyi_item(t);
  return OY_OK;
}

oyi_number oyi_number_turned(const oyi_tensor* t, oyi_number n) {
  const uint64_t keys = t->header.keys.functionality;
  if (keys & 1ull << OY_KEY_Conjugate) n.im = -n.im;
  if (!(keys & 1ull << OY_KEY_Negative)) return n;
  n.i = (int64_t)(0 - (uint64_t)n.i);
  n.re = -n.re;
  n.im = -n.im;
  // Integers wrap at the width of the dtype, as in a negated copy.
  _Alignas(16) char element[16];
  oyi_element_store(t->header.dtype, element, n);
  return oyi_element_load(t->header.dtype, element);
}

oy_status oy_tensor_get(const oy_tensor* tensor, oy_ints index, oy_scalar* out_scalar) {
  *out_scalar = oy_none();
  const oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return oy_failure();
  int64_t at;
  OY_TRY(find(t, index, &at));
  _Alignas(16) char element[16] = {0};
  const void* from = oyi_is_zeros(t) ? element : (char*)oyi_data(t) + at;
  if (oyi_is_remote(t) && from != element) {
    OY_TRY(oyi_storage_read(t->storage, (size_t)(t->byte_offset + at),
                            (size_t)oyi_item(t), element));
    from = element;
  }
  return oyi_number_to_scalar(oyi_element_shown(t, from),
                              t->header.dtype == OY_DTYPE_BOOL, out_scalar);
}

oy_status oy_tensor_item(const oy_tensor* tensor, oy_scalar* out_scalar) {
  *out_scalar = oy_none();
  const oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return oy_failure();
  static const int64_t zeros[OY_TENSOR_MAX_DIMS];
  OY_CHECK(t->numel == 1, INVALID_ARGUMENT,
           "a Tensor with %lld elements cannot be converted to Scalar",
           (long long)t->numel);
  return oy_tensor_get(tensor, (oy_ints){zeros, t->ndim}, out_scalar);
}

oy_status oy_tensor_set(oy_tensor* tensor, oy_ints index, oy_scalar scalar) {
  oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return oy_failure();
  int64_t at;
  OY_TRY(find(t, index, &at));
  OY_CHECK(scalar.tag >= OY_TAG_INT && scalar.tag <= OY_TAG_COMPLEX, TYPE_MISMATCH,
           "expected a number, got %s", oy_value_type_name(scalar));
  OY_CHECK(!oyi_is_zeros(t), FAILED_PRECONDITION, "ZeroTensors are immutable");
  oyi_number n = oyi_number_of_scalar(scalar);
  OY_TRY(oyi_number_check(n, t->header.dtype));
  _Alignas(16) char element[16];
  bool remote = oyi_is_remote(t);
  oyi_element_store(t->header.dtype, remote ? element : (char*)oyi_data(t) + at,
                    oyi_number_turned(t, n));
  if (!remote) return OY_OK;
  return oyi_storage_write(t->storage, (size_t)(t->byte_offset + at), (size_t)oyi_item(t),
                           element);
}
