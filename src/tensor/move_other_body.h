// SPDX-License-Identifier: Apache-2.0
// Rows read from their ends on with gaps of an element, as x[::2].flip(0). For move_body.h.

// Every other element, read from its end on. A vector comes from two, which reach one element past
// the first of its own: that is for the first of a row to do by itself.
#define OTHER_TURNED(T, ID, ...)                                                     \
  typedef T others_##ID __attribute__((vector_size(VECTOR), aligned(1), may_alias)); \
  enum { LANES_##ID = VECTOR / sizeof(T) };                                          \
  static inline void turn_others_##ID(T* o, const T* a) {                            \
    const T* first = a - 2 * (LANES_##ID - 1);                                       \
    const others_##ID low = *(const others_##ID*)(const void*)first;                 \
    const others_##ID high = *(const others_##ID*)(const void*)(first + LANES_##ID); \
    *(others_##ID*)(void*)o = __builtin_shufflevector(low, high, __VA_ARGS__);       \
  }                                                                                  \
  static void every_other_turned_##ID(const oyi_move* m) {                           \
    enum { LANES = LANES_##ID };                                                     \
    const int64_t n = m->n;                                                          \
    ROWS(m, to, from) {                                                              \
      T* restrict o = (T*)(void*)to;                                                 \
      const T* restrict a = (const T*)(const void*)from;                             \
      int64_t i = 1;                                                                 \
      o[0] = a[0];                                                                   \
      for (; i + LANES <= n; i += LANES) turn_others_##ID(o + i, a - 2 * i);         \
      if (i < n && n > LANES)                                                        \
        turn_others_##ID(o + n - LANES, a - 2 * (n - LANES));                        \
      else                                                                           \
        for (; i < n; i++) o[i] = a[-2 * i];                                         \
    }                                                                                \
  }
#define EVEN_BELOW_4  2, 0
#define EVEN_BELOW_8  6, 4, EVEN_BELOW_4
#define EVEN_BELOW_16 14, 12, 10, 8, EVEN_BELOW_8
#define EVEN_BELOW_32 30, 28, 26, 24, 22, 20, 18, 16, EVEN_BELOW_16
#define EVEN_BELOW_64 \
  62, 60, 58, 56, 54, 52, 50, 48, 46, 44, 42, 40, 38, 36, 34, 32, EVEN_BELOW_32
#if defined(__AVX2__)
OTHER_TURNED(any_1, 1, EVEN_BELOW_64)
OTHER_TURNED(any_2, 2, EVEN_BELOW_32)
OTHER_TURNED(any_4, 4, EVEN_BELOW_16)
OTHER_TURNED(any_8, 8, EVEN_BELOW_8)
#else
OTHER_TURNED(any_1, 1, EVEN_BELOW_32)
OTHER_TURNED(any_2, 2, EVEN_BELOW_16)
OTHER_TURNED(any_4, 4, EVEN_BELOW_8)
OTHER_TURNED(any_8, 8, EVEN_BELOW_4)
#endif
static void every_other_turned_16(const oyi_move* m) {
  const int64_t n = m->n;
  ROWS(m, to, from) {
    for (int64_t i = 0; i < n; i++) memcpy(to + i * 16, from - i * 32, sizeof(sixteen));
  }
}
