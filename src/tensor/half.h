// SPDX-License-Identifier: Apache-2.0
// Conversions of the 16- and 8-bit floats to and from float, round to nearest,
// ties to even, with PyTorch's bit patterns for what is no number and for what is
// too great. In arithmetic on bits without branches, so that every machine agrees
// and compilers turn loops over these into vector code.
#ifndef OPYARD_SRC_TENSOR_HALF_H_
#define OPYARD_SRC_TENSOR_HALF_H_

#include <stdint.h>
#include <string.h>

static inline uint32_t oyi_float_bits(float f) {
  uint32_t u;
  memcpy(&u, &f, sizeof(u));
  return u;
}
static inline float oyi_float_of_bits(uint32_t u) {
  float f;
  memcpy(&f, &u, sizeof(f));
  return f;
}

// |magnitude| is exponent and mantissa of a small float, moved up to where a float
// has them. The exponent's bias is mended by a product, which is exact and makes
// numbers of subnormal ones too.
static inline __attribute__((always_inline)) float oyi_rescaled(uint32_t magnitude,
                                                                int bias, uint32_t sign) {
  float scale = oyi_float_of_bits((uint32_t)(254 - bias) << 23);
  return oyi_float_of_bits(oyi_float_bits(oyi_float_of_bits(magnitude) * scale) | sign);
}

// The magnitude of a float as a small one with |man| mantissa bits. Below the least
// normal number the sum with a power of two does the rounding; above it, half of the
// last place is added, less one where the bit that is kept is even.
static inline __attribute__((always_inline)) uint32_t oyi_rounded(uint32_t magnitude,
                                                                  int man, int bias) {
  const int shift = 23 - man;
  const uint32_t least = (uint32_t)(128 - bias) << 23;
  const uint32_t magic = (uint32_t)(128 - bias + shift) << 23;
  uint32_t odd = magnitude >> shift & 1;
  uint32_t normal =
      (magnitude + ((uint32_t)(bias - 127) << 23) + ((1u << (shift - 1)) - 1) + odd) >>
      shift;
  // Clamped, so that lanes that are not taken raise no exception.
  uint32_t low = magnitude < least ? magnitude : 0;
  uint32_t tiny =
      oyi_float_bits(oyi_float_of_bits(low) + oyi_float_of_bits(magic)) - magic;
  return magnitude < least ? tiny : normal;
}

static inline float oyi_bf16_to_float(uint16_t h) {
  return oyi_float_of_bits((uint32_t)h << 16);
}
static inline uint16_t oyi_bf16_from_float(float f) {
  uint32_t u = oyi_float_bits(f);
  uint32_t rounded = (u + 0x7fff + (u >> 16 & 1)) >> 16;
  return (uint16_t)(f != f ? 0x7fc0 : rounded);
}

static inline float oyi_f16_to_float(uint16_t h) {
  uint32_t m = (uint32_t)(h & 0x7fff) << 13, sign = (uint32_t)(h & 0x8000) << 16;
  float number = oyi_rescaled(m, 15, sign);
  return m >= 0x7c00u << 13 ? oyi_float_of_bits(m | 0x7f800000u | sign) : number;
}
static inline uint16_t oyi_f16_from_float(float f) {
  uint32_t u = oyi_float_bits(f), m = u & 0x7fffffff;
  uint32_t out = oyi_rounded(m, 10, 15);
  out = m >= 0x47800000 ? 0x7c00 : out;  // 65536
  out = m > 0x7f800000 ? 0x7e00 : out;
  return (uint16_t)(out | (u >> 16 & 0x8000));
}

// It has infinity and NaN, as IEEE's formats do.
static inline float oyi_f8e5m2_to_float(uint8_t b) {
  return oyi_f16_to_float((uint16_t)(b << 8));
}
static inline uint8_t oyi_f8e5m2_from_float(float f) {
  uint32_t u = oyi_float_bits(f), m = u & 0x7fffffff;
  uint32_t out = oyi_rounded(m, 2, 15);
  out = m >= 0x47800000 ? 0x7c : out;
  out = m > 0x7f800000 ? 0x7f : out;
  return (uint8_t)(out | (u >> 24 & 0x80));
}

// "fn": no infinity, and only the pattern of all ones is NaN, which is also what
// becomes of what is too great.
static inline float oyi_f8e4m3_to_float(uint8_t b) {
  uint32_t m = b & 0x7f, sign = (uint32_t)(b & 0x80) << 24;
  float number = oyi_rescaled(m << 20, 7, sign);
  return m == 0x7f ? oyi_float_of_bits(0x7fc00000u | sign) : number;
}
static inline uint8_t oyi_f8e4m3_from_float(float f) {
  uint32_t u = oyi_float_bits(f), m = u & 0x7fffffff;
  uint32_t out = oyi_rounded(m, 3, 7);
  out = m >= 0x43f00000 ? 0x7f : out;  // 480
  return (uint8_t)(out | (u >> 24 & 0x80));
}

// "fnuz": one zero, no infinity; the pattern of negative zero is the only NaN.
static inline __attribute__((always_inline)) float oyi_fnuz_to_float(uint8_t b, int man,
                                                                     int bias) {
  uint32_t m = (uint32_t)(b & 0x7f) << (23 - man), sign = (uint32_t)(b & 0x80) << 24;
  float number = oyi_rescaled(m, bias, sign);
  return b == 0x80 ? oyi_float_of_bits(0x7fc00000u) : number;
}
static inline __attribute__((always_inline)) uint8_t oyi_fnuz_from_float(float f, int man,
                                                                         int bias) {
  uint32_t u = oyi_float_bits(f), m = u & 0x7fffffff;
  const uint32_t limit = (uint32_t)((0x7f >> man) + 128 - bias) << 23;
  uint32_t out = oyi_rounded(m, man, bias);
  uint32_t sign = out == 0 ? 0 : u >> 24 & 0x80;
  return (uint8_t)(m >= limit || out > 0x7f ? 0x80 : out | sign);
}
static inline float oyi_f8e5m2fnuz_to_float(uint8_t b) {
  return oyi_fnuz_to_float(b, 2, 16);
}
static inline uint8_t oyi_f8e5m2fnuz_from_float(float f) {
  return oyi_fnuz_from_float(f, 2, 16);
}
static inline float oyi_f8e4m3fnuz_to_float(uint8_t b) {
  return oyi_fnuz_to_float(b, 3, 8);
}
static inline uint8_t oyi_f8e4m3fnuz_from_float(float f) {
  return oyi_fnuz_from_float(f, 3, 8);
}

// Truncates; what does not fit (NaN too) is the least integer: x86 does so, and
// C leaves it open.
static inline int32_t oyi_double_to_int32(double d) {
  return d > -0x1p31 - 1 && d < 0x1p31 ? (int32_t)d : INT32_MIN;
}
static inline int32_t oyi_float_to_int32(float f) {
  return f >= -0x1p31f && f < 0x1p31f ? (int32_t)f : INT32_MIN;
}
static inline int64_t oyi_float_to_int(double d) {
  return d >= -0x1p63 && d < 0x1p63 ? (int64_t)d : INT64_MIN;
}
// To 2^64; below 0 as by way of int64.
static inline uint64_t oyi_float_to_uint(double d) {
  return d >= 0x1p63 && d < 0x1p64 ? (uint64_t)d : (uint64_t)oyi_float_to_int(d);
}

#endif  // OPYARD_SRC_TENSOR_HALF_H_
