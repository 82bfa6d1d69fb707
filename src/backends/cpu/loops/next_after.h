// SPDX-License-Identifier: Apache-2.0
// nextafter by whole numbers: a float's bits grow with its size, and compilers make vectors
// of that. For loops_arith_body.h.

static inline float next_afterf(float a, float b) {
  uint32_t bits;
  memcpy(&bits, &a, sizeof(bits));
  const uint32_t least = b < 0 ? 0x80000001u : 1u;
  const uint32_t moved = a == 0 ? least : (a < b) == (a > 0) ? bits + 1 : bits - 1;
  float next;
  memcpy(&next, &moved, sizeof(next));
  return a < b || a > b ? next : a == b ? b : a + b;
}
// Of bf16 by its bits; the NaN stays that is there.
static inline uint16_t next_after_bf16(uint16_t a, uint16_t b) {
  const uint16_t infinity = 0x7f80, sign = 0x8000, size = 0x7fff;
  const uint16_t size_a = a & size, size_b = b & size;
  const int32_t x = a & sign ? -(int32_t)size_a : size_a;
  const int32_t y = b & sign ? -(int32_t)size_b : size_b;
  const uint16_t least = (uint16_t)((b & sign) | 1);
  const uint16_t moved = size_a == 0                    ? least
                         : (x < y) == ((a & sign) == 0) ? (uint16_t)(a + 1)
                                                        : (uint16_t)(a - 1);
  const uint16_t next = x == y ? b : moved;
  return size_a > infinity ? a : size_b > infinity ? b : next;
}
static inline double next_after(double a, double b) {
  uint64_t bits;
  memcpy(&bits, &a, sizeof(bits));
  const uint64_t least = b < 0 ? 0x8000000000000001u : 1u;
  const uint64_t moved = a == 0 ? least : (a < b) == (a > 0) ? bits + 1 : bits - 1;
  double next;
  memcpy(&next, &moved, sizeof(next));
  return a < b || a > b ? next : a == b ? b : a + b;
}
