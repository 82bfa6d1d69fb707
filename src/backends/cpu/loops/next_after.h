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
static inline double next_after(double a, double b) {
  uint64_t bits;
  memcpy(&bits, &a, sizeof(bits));
  const uint64_t least = b < 0 ? 0x8000000000000001u : 1u;
  const uint64_t moved = a == 0 ? least : (a < b) == (a > 0) ? bits + 1 : bits - 1;
  double next;
  memcpy(&next, &moved, sizeof(next));
  return a < b || a > b ? next : a == b ? b : a + b;
}
