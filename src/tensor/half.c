// SPDX-License-Identifier: Apache-2.0
// One rounding routine for every small float. A float is taken apart into a
// 24-bit significand and an exponent; the significand is shifted to what the
// small format can hold, and ties go to the even neighbour. A carry out of the
// significand runs into the exponent by itself.
#include "tensor/half.h"

float oyi_small_to_float(uint32_t bits, int exp, int man, int has_inf) {
  uint32_t sign = bits >> (exp + man) & 1;
  int e = (int)(bits >> man) & ((1 << exp) - 1);
  uint32_t m = bits & ((1u << man) - 1);
  int top = (1 << exp) - 1, bias = (1 << (exp - 1)) - 1;
  uint32_t out;
  if (e == top && (has_inf || m == (1u << man) - 1)) {
    uint32_t payload = has_inf ? m << (23 - man) : 0x400000;
    out = 0x7f800000u | payload;
  } else if (e == 0) {
    // Subnormal: m * 2^(1 - bias - man), exact as a product.
    float scale = oyi_float_of_bits((uint32_t)(1 - bias - man + 127) << 23);
    out = oyi_float_bits((float)m * scale);
  } else {
    out = (uint32_t)(e - bias + 127) << 23 | m << (23 - man);
  }
  return oyi_float_of_bits(out | sign << 31);
}

uint32_t oyi_small_from_float(float f, int exp, int man, int has_inf) {
  uint32_t u = oyi_float_bits(f), magnitude = u & 0x7fffffff;
  uint32_t sign = (u >> 31) << (exp + man);
  uint32_t top = (uint32_t)((1 << exp) - 1) << man;
  uint32_t nan = has_inf ? top | 1u << (man - 1) : top | ((1u << man) - 1);
  uint32_t overflow = has_inf ? top : nan;
  if (magnitude > 0x7f800000) return sign | nan;
  if (magnitude == 0x7f800000) return sign | overflow;
  int bias = (1 << (exp - 1)) - 1;
  int e = (int)(magnitude >> 23) - 127 + bias;
  uint32_t significand = (magnitude & 0x7fffff) | (magnitude >> 23 ? 0x800000u : 0);
  int shift = 23 - man;
  uint32_t base = 0;  // what the exponent adds, without the hidden bit
  if (e <= 0) {
    shift += 1 - e;
    if (shift > 25) return sign;  // below half of the least
  } else {
    base = (uint32_t)(e - 1) << man;
  }
  uint32_t kept = significand >> shift;
  uint32_t rest = significand & ((1u << shift) - 1), half = 1u << (shift - 1);
  if (rest > half || (rest == half && (kept & 1))) kept++;
  uint32_t out = base + kept;
  uint32_t greatest = has_inf ? top - 1 : nan - 1;
  return sign | (out > greatest ? overflow : out);
}
