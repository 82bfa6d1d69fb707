// SPDX-License-Identifier: Apache-2.0
// Conversions of the 16- and 8-bit floats to and from float, round to nearest,
// ties to even. In portable arithmetic on bits, so that every machine agrees.
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

static inline float oyi_bf16_to_float(uint16_t h) {
  return oyi_float_of_bits((uint32_t)h << 16);
}
static inline uint16_t oyi_bf16_from_float(float f) {
  uint32_t u = oyi_float_bits(f);
  if ((u & 0x7fffffff) > 0x7f800000) return 0x7fc0;  // NaN
  return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

// Floats with |exp| exponent and |man| mantissa bits; |has_inf|: the greatest
// exponent holds infinity and NaN, else only the all-ones pattern is NaN.
float oyi_small_to_float(uint32_t bits, int exp, int man, int has_inf);
uint32_t oyi_small_from_float(float f, int exp, int man, int has_inf);

static inline float oyi_f16_to_float(uint16_t h) {
  return oyi_small_to_float(h, 5, 10, 1);
}
static inline uint16_t oyi_f16_from_float(float f) {
  return (uint16_t)oyi_small_from_float(f, 5, 10, 1);
}
static inline float oyi_f8e5m2_to_float(uint8_t b) {
  return oyi_small_to_float(b, 5, 2, 1);
}
static inline uint8_t oyi_f8e5m2_from_float(float f) {
  return (uint8_t)oyi_small_from_float(f, 5, 2, 1);
}
static inline float oyi_f8e4m3_to_float(uint8_t b) {
  return oyi_small_to_float(b, 4, 3, 0);
}
static inline uint8_t oyi_f8e4m3_from_float(float f) {
  return (uint8_t)oyi_small_from_float(f, 4, 3, 0);
}

// Truncates; what does not fit into 64 bits (NaN too) is the least integer.
int64_t oyi_float_to_int(double d);

#endif  // OPYARD_SRC_TENSOR_HALF_H_
