// SPDX-License-Identifier: Apache-2.0
// Choices by a mask, of elements of each size. For loops_arith_body.h.

// Moves elements, whatever they are: |a| where the mask is set, else |b|. Both may be the
// same everywhere, as what fills masked elements is.
#define WHERE_PASS(T, yes_is, no_is)      \
  OYI_INDEPENDENT                         \
  for (int64_t i = 0; i < n; i++) {       \
    const T yes = (yes_is), no = (no_is); \
    o[i] = WHERE_PICK(k[i], yes, no);     \
  }                                       \
  return
#define WHERE(name, T)                                                                 \
  static void name(int64_t n, char* const* data, const int64_t* strides,               \
                   const void* args) {                                                 \
    (void)args;                                                                        \
    char* out = data[0];                                                               \
    const char *m = data[1], *x = data[2], *y = data[3];                               \
    const int64_t so = strides[0], sm = strides[1], sx = strides[2], sy = strides[3];  \
    const int64_t item = sizeof(T);                                                    \
    if (so == item && sm == 1 && (sx == item || sx == 0) && (sy == item || sy == 0)) { \
      T* o = (T*)(void*)out;                                                           \
      const uint8_t* k = (const uint8_t*)m;                                            \
      const T *p = (const T*)(const void*)x, *q = (const T*)(const void*)y;            \
      const T same = *p, other = *q;                                                   \
      if (sx == 0 && sy == 0) {                                                        \
        WHERE_PASS(T, same, other);                                                    \
      } else if (sx == 0) {                                                            \
        WHERE_PASS(T, same, q[i]);                                                     \
      } else if (sy == 0) {                                                            \
        WHERE_PASS(T, p[i], other);                                                    \
      } else if (item <= WORD) {                                                       \
        WHERE_PASS(T, p[i], q[i]);                                                     \
      }                                                                                \
    }                                                                                  \
    const int64_t items[] = {item, 1, item, item};                                     \
    if (oyi_same_run(name, items, n, data, strides, args)) return;                     \
    int64_t over = (int64_t)((uintptr_t)y - (uintptr_t)x);                             \
    for (int64_t i = 0; i < n; i++, out += so, m += sm, over += sy - sx, x += sx) {    \
      const int64_t all = -(int64_t)(*(const uint8_t*)m == 0);                         \
      OYI_AT(T, out) = *(const T*)(const void*)(x + (over & all));                     \
    }                                                                                  \
  }
// Of single elements, and of two words, it is chosen where to read from by arithmetic: a branch
// that goes either way takes longer than both, and reading both longer than one.
enum { WORD = 8 };
#define WHERE_PICK(mask, yes, no) ((mask) ? (yes) : (no))
WHERE(where_1, uint8_t)
WHERE(where_2, uint16_t)
WHERE(where_4, uint32_t)
WHERE(where_8, uint64_t)
#undef WHERE_PICK
// Two words.
typedef uint64_t sixteen
    __attribute__((vector_size(16), aligned(sizeof(uint64_t)), may_alias));
static inline sixteen pick_sixteen(uint8_t mask, sixteen yes, sixteen no) {
  const uint64_t all = (uint64_t)0 - (mask != 0);
  return (yes & all) | (no & ~all);
}
#define WHERE_PICK pick_sixteen
WHERE(where_16, sixteen)
#undef WHERE_PICK
