// SPDX-License-Identifier: Apache-2.0
// Rows of complex numbers that lie together: sums are those of their parts, products of c64 go
// two at a time. Part of updates.c.
#define SUMS(id, part, R)                                                            \
  static void add_parts_##id(int64_t n, char* to, int64_t to_step, const char* from, \
                             int64_t from_step) {                                    \
    const int64_t item = sizeof(R);                                                  \
    if (to_step == 2 * item && from_step == 2 * item)                                \
      add_row_##part(2 * n, to, item, from, item);                                   \
    else                                                                             \
      add_row_##id(n, to, to_step, from, from_step);                                 \
  }
SUMS(c64, f32, float)
SUMS(c128, f64, double)
#undef SUMS

typedef float two_c64 __attribute__((vector_size(16), aligned(sizeof(float)), may_alias));
typedef uint32_t two_c64_bits __attribute__((vector_size(16)));

static inline two_c64 times_two(two_c64 a, two_c64 b) {
  const two_c64_bits minus = {1u << 31, 0, 1u << 31, 0};
  const two_c64 re = __builtin_shufflevector(a, a, 0, 0, 2, 2);
  const two_c64 im = __builtin_shufflevector(a, a, 1, 1, 3, 3);
  const two_c64 turned = __builtin_shufflevector(b, b, 1, 0, 3, 2);
  return re * b + (two_c64)((two_c64_bits)(im * turned) ^ minus);
}

static void mul_pairs_c64(int64_t n, char* to, int64_t to_step, const char* from,
                          int64_t from_step) {
  const int64_t item = sizeof(float _Complex);
#if defined(__x86_64__)
  if (to_step == item && from_step == item && oyi_cpu_level() >= 1) {
    const int64_t done =
        oyi_multiply_c64_v3(n, (float*)(void*)to, (const float*)(const void*)from);
    n -= done, to += done * item, from += done * item;
  }
#endif
  if (to_step == item && from_step == item)
    for (; n >= 2; n -= 2, to += 2 * item, from += 2 * item) {
      two_c64* o = (two_c64*)(void*)to;
      *o = times_two(*o, *(const two_c64*)(const void*)from);
    }
  mul_row_c64(n, to, to_step, from, from_step);
}
