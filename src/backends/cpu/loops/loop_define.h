// SPDX-License-Identifier: Apache-2.0
// The lines of the loop files as functions: UNARY(name, expression of |a|) and so on,
// included once for each type, with T, the type, ID, its name, and W, the type that
// sums and products are computed in (unsigned for integers, whose overflow wraps).
// loop_list.h makes rows of the table from the same lines.
//
// |arg| are three numbers of type T: what the operator has besides tensors, copied from
// |args|, which may be NULL. The _TO forms have results of another type, TRUTH bytes.
// Operands may be the same memory, element by element; that never carries a value from one
// step to the next, so OYI_INDEPENDENT is true.
//
// OYI_SMALL_LOOPS: strided loops only, for what gains nothing from vectors.
#ifndef OYI_LOOP_JOIN
#include "backends/cpu/loops/same_loop.h"

#define OYI_LOOP_JOIN__(a, b) a##_##b
#define OYI_LOOP_JOIN_(a, b)  OYI_LOOP_JOIN__(a, b)
#define OYI_LOOP_JOIN(a, b)   OYI_LOOP_JOIN_(a, b)
#if defined(__clang__)
#define OYI_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define OYI_INDEPENDENT _Pragma("GCC ivdep")
#endif
#define OYI_LOOP_FN(name)                                           \
  static void OYI_LOOP_JOIN(name, ID)(int64_t n, char* const* data, \
                                      const int64_t* strides, const void* args)
#endif

#undef UNARY_TO
#undef BINARY_TO
#undef TRUTH
#undef TERNARY_TO
#define UNARY(name, ...)   UNARY_TO(name, T, __VA_ARGS__)
#define BINARY(name, ...)  BINARY_TO(name, T, __VA_ARGS__)
#define TERNARY(name, ...) TERNARY_TO(name, T, __VA_ARGS__)

#define OYI_AT(type, address) (*(type*)(void*)(address))
#define OYI_GET(address)      (*(const T*)(const void*)(address))
// One pass with given elements; the expression sees them as a, b and c.
#define OYI_PASS(a_is, b_is, c_is, ...)   \
  OYI_INDEPENDENT                         \
  for (int64_t i = 0; i < n; i++) {       \
    const T a = a_is, b = b_is, c = c_is; \
    (void)a, (void)b, (void)c;            \
    o[i] = (__VA_ARGS__);                 \
  }                                       \
  return
#define OYI_BEGIN(OUT)                                                      \
  const T* given = args;                                                    \
  const T arg[] = {given ? given[0] : (T)0, given ? given[1] : (T)0,        \
                   given ? given[2] : (T)0};                                \
  (void)arg;                                                                \
  typedef OUT out_type;                                                     \
  const int64_t so = strides[0], item = sizeof(T), wide = sizeof(out_type); \
  (void)item, (void)wide

#ifndef OYI_SMALL_LOOPS
#define OYI_FAST_UNARY(...)                \
  if (so == wide && sx == item) {          \
    out_type* o = (out_type*)(void*)out;   \
    const T* p = (const T*)(const void*)x; \
    OYI_PASS(p[i], a, a, __VA_ARGS__);     \
  }
#define OYI_FAST_BINARY(...)                \
  if (so == wide) {                         \
    out_type* o = (out_type*)(void*)out;    \
    const T* p = (const T*)(const void*)x;  \
    const T* q = (const T*)(const void*)y;  \
    if (sx == item && sy == item) {         \
      OYI_PASS(p[i], q[i], a, __VA_ARGS__); \
    } else if (sx == item && sy == 0) {     \
      const T same = *q;                    \
      OYI_PASS(p[i], same, a, __VA_ARGS__); \
    } else if (sx == 0 && sy == item) {     \
      const T same = *p;                    \
      OYI_PASS(same, q[i], b, __VA_ARGS__); \
    }                                       \
  }
// The last one is the same everywhere where a loss is a mean: the gradient of that. Others
// are where they are expanded, one more often than two, and two as columns beside a matrix.
#define OYI_FAST_TERNARY(loop, ...)                   \
  if (so == wide) {                                   \
    out_type* o = (out_type*)(void*)out;              \
    const T* p = (const T*)(const void*)x;            \
    const T* q = (const T*)(const void*)y;            \
    const T* r = (const T*)(const void*)z;            \
    if (sx == item && sy == item && sz == item) {     \
      OYI_PASS(p[i], q[i], r[i], __VA_ARGS__);        \
    } else if (sx == item && sy == item && sz == 0) { \
      const T same = *r;                              \
      OYI_PASS(p[i], q[i], same, __VA_ARGS__);        \
    } else if (sx == item && sy == 0 && sz == item) { \
      const T same = *q;                              \
      OYI_PASS(p[i], same, r[i], __VA_ARGS__);        \
    } else if (sx == 0 && sy == item && sz == item) { \
      const T same = *p;                              \
      OYI_PASS(same, q[i], r[i], __VA_ARGS__);        \
    } else if (sx == item && sy == 0 && sz == 0) {    \
      const T same = *q, other = *r;                  \
      OYI_PASS(p[i], same, other, __VA_ARGS__);       \
    }                                                 \
  }                                                   \
  const int64_t items[] = {wide, item, item, item};   \
  if (oyi_same_run(loop, items, n, data, strides, args)) return;
#else
#define OYI_FAST_UNARY(...)
#define OYI_FAST_BINARY(...)
#define OYI_FAST_TERNARY(loop, ...)
#endif

// Of TRUTH, a comparison of wide elements whose results are bytes: of fewer than the vectors of a
// pass hold, eight at a time, of which the last ones lie over those before them. The results are
// nowhere where the inputs are.
#if defined(__AVX512F__) && !defined(OYI_SMALL_LOOPS)
#define OYI_FEW_TRUTHS(...)                                                              \
  enum { SOME = 8, PASS = 32, WIDE = 4 };                                                \
  if (so == wide && sx == item && sy == item && item >= WIDE && n >= SOME && n < PASS) { \
    typedef T some                                                                       \
        __attribute__((vector_size(SOME * sizeof(T)), aligned(sizeof(T)), may_alias));   \
    typedef uint8_t truths __attribute__((vector_size(SOME), aligned(1), may_alias));    \
    for (int64_t at = 0; at < n; at += SOME) {                                           \
      const int64_t i = at + SOME < n ? at : n - SOME;                                   \
      const some a = *(const some*)(const void*)(x + i * item);                          \
      const some b = *(const some*)(const void*)(y + i * item);                          \
      *(truths*)(void*)(out + i) = __builtin_convertvector((__VA_ARGS__), truths) & 1;   \
    }                                                                                    \
    return;                                                                              \
  }
#else
#define OYI_FEW_TRUTHS(...)
#endif

#define UNARY_TO(name, OUT, ...)                          \
  OYI_LOOP_FN(name) {                                     \
    OYI_BEGIN(OUT);                                       \
    char* out = data[0];                                  \
    const char* x = data[1];                              \
    const int64_t sx = strides[1];                        \
    OYI_FAST_UNARY(__VA_ARGS__)                           \
    for (int64_t i = 0; i < n; i++, out += so, x += sx) { \
      const T a = OYI_GET(x);                             \
      OYI_AT(out_type, out) = (__VA_ARGS__);              \
    }                                                     \
  }
#define BINARY_TO(name, OUT, ...)                                  \
  OYI_LOOP_FN(name) {                                              \
    OYI_BEGIN(OUT);                                                \
    char* out = data[0];                                           \
    const char *x = data[1], *y = data[2];                         \
    const int64_t sx = strides[1], sy = strides[2];                \
    OYI_FAST_BINARY(__VA_ARGS__)                                   \
    for (int64_t i = 0; i < n; i++, out += so, x += sx, y += sy) { \
      const T a = OYI_GET(x), b = OYI_GET(y);                      \
      (void)a, (void)b;                                            \
      OYI_AT(out_type, out) = (__VA_ARGS__);                       \
    }                                                              \
  }
#define TRUTH(name, ...)                                           \
  OYI_LOOP_FN(name) {                                              \
    OYI_BEGIN(uint8_t);                                            \
    char* out = data[0];                                           \
    const char *x = data[1], *y = data[2];                         \
    const int64_t sx = strides[1], sy = strides[2];                \
    OYI_FEW_TRUTHS(__VA_ARGS__)                                    \
    OYI_FAST_BINARY(__VA_ARGS__)                                   \
    for (int64_t i = 0; i < n; i++, out += so, x += sx, y += sy) { \
      const T a = OYI_GET(x), b = OYI_GET(y);                      \
      OYI_AT(out_type, out) = (__VA_ARGS__);                       \
    }                                                              \
  }
#define TERNARY_TO(name, OUT, ...)                                          \
  OYI_LOOP_FN(name) {                                                       \
    OYI_BEGIN(OUT);                                                         \
    char* out = data[0];                                                    \
    const char *x = data[1], *y = data[2], *z = data[3];                    \
    const int64_t sx = strides[1], sy = strides[2], sz = strides[3];        \
    OYI_FAST_TERNARY(OYI_LOOP_JOIN(name, ID), __VA_ARGS__)                  \
    for (int64_t i = 0; i < n; i++, out += so, x += sx, y += sy, z += sz) { \
      const T a = OYI_GET(x), b = OYI_GET(y), c = OYI_GET(z);               \
      OYI_AT(out_type, out) = (__VA_ARGS__);                                \
    }                                                                       \
  }
