// SPDX-License-Identifier: Apache-2.0
// Functions of complex numbers by vectors of their parts, a part of vmath_tmpl.h. What lies apart,
// and the last ones, are brought together.
#ifndef OYI_PLACES
#define OYI_PLACES_2(f, n)      f(0, n), f(1, n)
#define OYI_PLACES_4(f, n)      OYI_PLACES_2(f, n), f(2, n), f(3, n)
#define OYI_PLACES_8(f, n)      OYI_PLACES_4(f, n), f(4, n), f(5, n), f(6, n), f(7, n)
#define OYI_PLACES_LAST_4(f, n) f(12, n), f(13, n), f(14, n), f(15, n)
#define OYI_PLACES_16(f, n) \
  OYI_PLACES_8(f, n), f(8, n), f(9, n), f(10, n), f(11, n), OYI_PLACES_LAST_4(f, n)
#define OYI_PLACES_(n, f) OYI_PLACES_##n(f, n)
// f(k, n) for each k below |n|, of two vectors of |n|.
#define OYI_PLACES(n, f) OYI_PLACES_(n, f)
#define OYI_REAL(k, n)   2 * (k)
#define OYI_OTHER(k, n)  2 * (k) + 1
#define OYI_LOW(k, n)    (k) / 2 + (k) % 2 * (n)
#define OYI_HIGH(k, n)   ((n) + (k)) / 2 + (k) % 2 * (n)
#endif

// The parts of LANES numbers, or of |count| and zeros.
static inline __attribute__((always_inline)) void F(load_parts)(V* re, V* im,
                                                                const char* x,
                                                                int64_t stride,
                                                                int64_t count) {
  enum { ITEM = 2 * sizeof(T) };
  V low, high;
  if (count == LANES && stride == ITEM) {
    memcpy(&low, x, sizeof(V));
    memcpy(&high, x + sizeof(V), sizeof(V));
  } else {
    char some[2 * sizeof(V)] = {0};
    for (int64_t i = 0; i < count; i++) memcpy(some + i * ITEM, x + i * stride, ITEM);
    memcpy(&low, some, sizeof(V));
    memcpy(&high, some + sizeof(V), sizeof(V));
  }
  *re = __builtin_shufflevector(low, high, OYI_PLACES(LANES, OYI_REAL));
  *im = __builtin_shufflevector(low, high, OYI_PLACES(LANES, OYI_OTHER));
}
static inline __attribute__((always_inline)) void F(store_parts)(char* o, int64_t stride,
                                                                 int64_t count, V re,
                                                                 V im) {
  enum { ITEM = 2 * sizeof(T) };
  const V both[] = {__builtin_shufflevector(re, im, OYI_PLACES(LANES, OYI_LOW)),
                    __builtin_shufflevector(re, im, OYI_PLACES(LANES, OYI_HIGH))};
  if (count == LANES && stride == ITEM) {
    memcpy(o, both, sizeof(both));
  } else {
    char some[sizeof(both)];
    memcpy(some, both, sizeof(both));
    for (int64_t i = 0; i < count; i++) memcpy(o + i * stride, some + i * ITEM, ITEM);
  }
}

// The angles of complex numbers.
static void F(angle_complex)(int64_t n, char* const* data, const int64_t* strides,
                             const void* args) {
  (void)args;
  char* o = data[0];
  const char* x = data[1];
  for (; n > 0; n -= LANES, o += strides[0] * LANES, x += strides[1] * LANES) {
    const int64_t count = n < LANES ? n : LANES;
    V re, im;
    F(load_parts)(&re, &im, x, strides[1], count);
    const V angle = F(atan2)(im, re);
    if (count == LANES)
      F(store)(o, strides[0], angle);
    else
      F(store_some)(o, strides[0], count, angle);
  }
}

// exp of complex numbers. What might overflow, and what is no number, is for C's cexp.
static __attribute__((noinline)) void F(exp_each)(V* re, V* im, V x, V y, I is_plain) {
  for (int k = 0; k < LANES; k++) {
    if (is_plain[k]) continue;
    const T _Complex whole = FN(cexp)(__builtin_complex(x[k], y[k]));
    (*re)[k] = __real__ whole;
    (*im)[k] = __imag__ whole;
  }
}
static void F(exp_complex)(int64_t n, char* const* data, const int64_t* strides,
                           const void* args) {
  (void)args;
  const T most = sizeof(T) == 4 ? (T)80 : (T)700;
  char* o = data[0];
  const char* x = data[1];
  for (; n > 0; n -= LANES, o += strides[0] * LANES, x += strides[1] * LANES) {
    const int64_t count = n < LANES ? n : LANES;
    V re, im;
    F(load_parts)(&re, &im, x, strides[1], count);
    const V size = F(exp)(re);
    V cosine = size * F(cos)(im), sine = size * F(sin)(im);
    const I is_plain =
        (F(abs)(re) < F(splat)(most)) & (F(abs)(im) < F(splat)((T)INFINITY));
    if (OY_UNLIKELY(F(any)(~is_plain))) F(exp_each)(&cosine, &sine, re, im, is_plain);
    F(store_parts)(o, strides[0], count, cosine, sine);
  }
}

// Complex numbers of sizes and angles.
static void F(polar)(int64_t n, char* const* data, const int64_t* strides,
                     const void* args) {
  (void)args;
  char* o = data[0];
  const char *x = data[1], *y = data[2];
  const int64_t so = strides[0], sx = strides[1], sy = strides[2];
  for (; n > 0; n -= LANES, o += so * LANES, x += sx * LANES, y += sy * LANES) {
    const int64_t count = n < LANES ? n : LANES;
    const V size = count < LANES ? F(load_some)(x, sx, count) : F(load)(x, sx);
    const V angle = count < LANES ? F(load_some)(y, sy, count) : F(load)(y, sy);
    F(store_parts)(o, so, count, size * F(cos)(angle), size * F(sin)(angle));
  }
}
