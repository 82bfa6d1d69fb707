// SPDX-License-Identifier: Apache-2.0
// Floats as whole numbers of the same order: zeros of either sign are 0, and every NaN is the
// greatest.
#ifndef OPYARD_SRC_BACKENDS_CPU_ORDER_ORDERED_H_
#define OPYARD_SRC_BACKENDS_CPU_ORDER_ORDERED_H_

#include <stdint.h>

// |infinity| is its bits, which tell halves of either kind.
static inline int16_t oyi_ordered_half(int16_t bits, int16_t infinity) {
  const int16_t magnitude = bits & INT16_MAX, sign = (int16_t)(bits >> 15);
  const int16_t number = (int16_t)((magnitude ^ sign) - sign);
  return magnitude > infinity ? INT16_MAX : number;
}

static inline int16_t oyi_ordered_f16(int16_t bits) {
  return oyi_ordered_half(bits, 0x7c00);
}

static inline int16_t oyi_ordered_bf16(int16_t bits) {
  return oyi_ordered_half(bits, 0x7f80);
}

static inline int32_t oyi_ordered_f32(int32_t bits) {
  const int32_t magnitude = bits & INT32_MAX, sign = bits >> 31;
  return magnitude > 0x7f800000 ? INT32_MAX : (magnitude ^ sign) - sign;
}

static inline int64_t oyi_ordered_f64(int64_t bits) {
  const int64_t magnitude = bits & INT64_MAX, sign = bits >> 63;
  return magnitude > 0x7ff0000000000000 ? INT64_MAX : (magnitude ^ sign) - sign;
}

#endif  // OPYARD_SRC_BACKENDS_CPU_ORDER_ORDERED_H_
