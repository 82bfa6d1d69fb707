// SPDX-License-Identifier: Apache-2.0
// Reading and writing single elements. Every dtype goes through oyi_number here;
// what is hot has typed loops elsewhere (convert.c, the backends).
#include "tensor/element.h"

#include <math.h>

#include "tensor/half.h"

static oyi_number of_int(int64_t i) {
  return (oyi_number){OYI_NUMBER_INT, i, (double)i, 0};
}
static oyi_number of_float(double d) {
  return (oyi_number){OYI_NUMBER_FLOAT, 0, d, 0};
}
static oyi_number of_complex(double re, double im) {
  return (oyi_number){OYI_NUMBER_COMPLEX, 0, re, im};
}

#define LOAD(type, name) \
  type name;             \
  memcpy(&name, at, sizeof(name))

static oyi_number load_small_float(oy_dtype dtype, const void* at) {
  if (dtype == OY_DTYPE_F8E5M2 || dtype == OY_DTYPE_F8E4M3) {
    LOAD(uint8_t, b);
    return of_float(dtype == OY_DTYPE_F8E5M2 ? oyi_f8e5m2_to_float(b)
                                             : oyi_f8e4m3_to_float(b));
  }
  LOAD(uint16_t, h);
  return of_float(dtype == OY_DTYPE_BF16 ? oyi_bf16_to_float(h) : oyi_f16_to_float(h));
}

static oyi_number load_complex(oy_dtype dtype, const void* at) {
  if (dtype == OY_DTYPE_C128) {
    double c[2];
    memcpy(c, at, sizeof(c));
    return of_complex(c[0], c[1]);
  }
  if (dtype == OY_DTYPE_C64) {
    float c[2];
    memcpy(c, at, sizeof(c));
    return of_complex((double)c[0], (double)c[1]);
  }
  uint16_t c[2];
  memcpy(c, at, sizeof(c));
  return of_complex((double)oyi_f16_to_float(c[0]), (double)oyi_f16_to_float(c[1]));
}

oyi_number oyi_element_load(oy_dtype dtype, const void* at) {
  switch (dtype) {
    case OY_DTYPE_BOOL:
    case OY_DTYPE_QU8:
    case OY_DTYPE_U8: {
      LOAD(uint8_t, x);
      return of_int(x);
    }
    case OY_DTYPE_QI8:
    case OY_DTYPE_I8: {
      LOAD(int8_t, x);
      return of_int(x);
    }
    case OY_DTYPE_I16: {
      LOAD(int16_t, x);
      return of_int(x);
    }
    case OY_DTYPE_U16: {
      LOAD(uint16_t, x);
      return of_int(x);
    }
    case OY_DTYPE_QI32:
    case OY_DTYPE_I32: {
      LOAD(int32_t, x);
      return of_int(x);
    }
    case OY_DTYPE_U32: {
      LOAD(uint32_t, x);
      return of_int(x);
    }
    case OY_DTYPE_I64: {
      LOAD(int64_t, x);
      return of_int(x);
    }
    case OY_DTYPE_U64: {
      LOAD(uint64_t, x);
      return (oyi_number){OYI_NUMBER_UINT, (int64_t)x, (double)x, 0};
    }
    case OY_DTYPE_F32: {
      LOAD(float, x);
      return of_float((double)x);
    }
    case OY_DTYPE_F64: {
      LOAD(double, x);
      return of_float(x);
    }
    case OY_DTYPE_C32:
    case OY_DTYPE_C64:
    case OY_DTYPE_C128: return load_complex(dtype, at);
    default: return load_small_float(dtype, at);
  }
}

int64_t oyi_float_to_int(double d) {
  // What does not fit is the least integer, as x86 converts it; C leaves it open.
  if (!(d >= -0x1p63 && d < 0x1p63)) return INT64_MIN;
  return (int64_t)d;
}

static int64_t as_int(oyi_number n) {
  return n.kind <= OYI_NUMBER_UINT ? n.i : oyi_float_to_int(n.re);
}

static void store_float(oy_dtype dtype, void* at, double re, double im) {
  float f[2] = {(float)re, (float)im};
  double d[2] = {re, im};
  uint16_t h[2] = {0, 0};
  uint8_t b = 0;
  switch (dtype) {
    case OY_DTYPE_F32: memcpy(at, f, sizeof(f[0])); break;
    case OY_DTYPE_F64: memcpy(at, d, sizeof(d[0])); break;
    case OY_DTYPE_C64: memcpy(at, f, sizeof(f)); break;
    case OY_DTYPE_C128: memcpy(at, d, sizeof(d)); break;
    case OY_DTYPE_C32:
      h[0] = oyi_f16_from_float(f[0]);
      h[1] = oyi_f16_from_float(f[1]);
      memcpy(at, h, sizeof(h));
      break;
    case OY_DTYPE_F16:
    case OY_DTYPE_BF16:
      h[0] = dtype == OY_DTYPE_F16 ? oyi_f16_from_float(f[0]) : oyi_bf16_from_float(f[0]);
      memcpy(at, h, sizeof(h[0]));
      break;
    default:
      b = dtype == OY_DTYPE_F8E5M2 ? oyi_f8e5m2_from_float(f[0])
                                   : oyi_f8e4m3_from_float(f[0]);
      memcpy(at, &b, sizeof(b));
  }
}

void oyi_element_store(oy_dtype dtype, void* at, oyi_number n) {
  if (dtype == OY_DTYPE_BOOL) {
    uint8_t b = n.kind <= OYI_NUMBER_UINT ? n.i != 0 : n.re != 0 || n.im != 0;
    memcpy(at, &b, sizeof(b));
  } else if (oy_dtype_is_floating(dtype) || oy_dtype_is_complex(dtype)) {
    store_float(dtype, at, n.re, n.im);
  } else if (dtype == OY_DTYPE_U64 && n.kind > OYI_NUMBER_UINT && n.re >= 0x1p63 &&
             n.re < 0x1p64) {
    uint64_t u = (uint64_t)n.re;
    memcpy(at, &u, sizeof(u));
  } else {
    // The low bytes of two's complement are the wrapped number (little endian).
    int64_t i = as_int(n);
    int8_t i8 = (int8_t)i;
    int16_t i16 = (int16_t)i;
    int32_t i32 = (int32_t)i;
    switch (oyi_dtype_bytes[dtype]) {
      case 1: memcpy(at, &i8, 1); break;
      case 2: memcpy(at, &i16, 2); break;
      case 4: memcpy(at, &i32, 4); break;
      default: memcpy(at, &i, 8);
    }
  }
}

oyi_number oyi_number_of_scalar(oy_scalar s) {
  if (s.tag == OY_TAG_FLOAT) return of_float(s.as.d);
  if (s.tag == OY_TAG_COMPLEX)
    return of_complex(s.as.complex_data->re, s.as.complex_data->im);
  return of_int(s.as.i);
}

oy_scalar oyi_number_to_scalar(oyi_number n, bool is_bool) {
  if (n.kind == OYI_NUMBER_FLOAT) return oy_float(n.re);
  return is_bool ? oy_bool(n.i != 0) : oy_int(n.i);
}

// Byte address of |index| in the tensor; NULL with the error set.
static char* address(const oyi_tensor* t, oy_ints index) {
  if (index.size != t->ndim) {
    OY_FAIL(INVALID_ARGUMENT, "expected %u indices for a tensor of sizes %s, got %zu",
            t->ndim, oyi_dims_print(oyi_sizes_view(t)).text, index.size);
    return NULL;
  }
  int64_t at = 0;
  for (size_t i = 0; i < index.size; i++) {
    int64_t k = index.data[i];
    if (k < -t->sizes[i] || k >= t->sizes[i]) {
      OY_FAIL(OUT_OF_RANGE,
              "index %lld is out of bounds for dimension %zu with size %lld",
              (long long)k, i, (long long)t->sizes[i]);
      return NULL;
    }
    at += (k < 0 ? k + t->sizes[i] : k) * oyi_strides(t)[i];
  }
  char* data = oyi_data(t);
  if (!data) {
    OY_FAIL(NOT_IMPLEMENTED, "the tensor on %s has no data to access here",
            oy_backend_name(t->backend) ? oy_backend_name(t->backend) : "?");
    return NULL;
  }
  return data + at * oyi_item(t);
}

oy_status oy_tensor_get(const oy_tensor* tensor, oy_ints index, oy_scalar* out_scalar) {
  *out_scalar = oy_none();
  const oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return oy_error_get()->code;
  OY_CHECK(!oy_dtype_is_complex(t->header.dtype), NOT_IMPLEMENTED,
           "a complex element cannot be returned as a scalar value");
  const char* at = address(t, index);
  if (!at) return oy_error_get()->code;
  *out_scalar = oyi_number_to_scalar(oyi_element_load(t->header.dtype, at),
                                     t->header.dtype == OY_DTYPE_BOOL);
  return OY_OK;
}

oy_status oy_tensor_set(oy_tensor* tensor, oy_ints index, oy_scalar scalar) {
  oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return oy_error_get()->code;
  char* at = address(t, index);
  if (!at) return oy_error_get()->code;
  oyi_element_store(t->header.dtype, at, oyi_number_of_scalar(scalar));
  return OY_OK;
}
