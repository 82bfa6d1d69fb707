// SPDX-License-Identifier: Apache-2.0
// Remainders of floats, exact as fmod is, a block at a time: T, ID and FN as in
// loop_define.h. Where a quotient is not too great its whole part is a number that
// products and differences are exact with; the other elements, and what is no number,
// go through fmod.

enum { OYI_LOOP_JOIN(REST_BLOCK, ID) = 256 };
#define BLOCK OYI_LOOP_JOIN(REST_BLOCK, ID)
#define F(f)  OYI_LOOP_JOIN(f, ID)

// With FMA: a difference that is one rounding of an exact product; the whole part may be
// one too great, which shows by the sign.
// Without, in double: quotients up to 2^28 times 24 bits fit, and are at least 2^-24 away
// from a whole number that they are not.
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define GREATEST (T)(sizeof(T) == 4 ? 0x1p21 : 0x1p50)
static inline T F(easy_rest)(T a, T b) {
  const T near = FN(__builtin_fma)(-FN(__builtin_trunc)(a / b), b, a);
  const T same = FN(copysign)((T)1, a) * near;  // as if |a| were not below 0
  return FN(copysign)(same < 0 ? same + FN(fabs)(b) : same, a);
}
#elif REST_IN_DOUBLE
#define GREATEST (T)0x1p27
static inline T F(easy_rest)(T a, T b) {
  const double x = (double)a, y = (double)b, quotient = x / y;
  const double held = __builtin_fabs(quotient) < 0x1p28 ? quotient : 0;
  return FN(copysign)((T)(x - (double)(int32_t)held * y), a);
}
#else
#define GREATEST (T)0
static inline T F(easy_rest)(T a, T b) {
  (void)b;
  return a;
}
#endif
static inline int32_t F(is_hard)(T a, T b) {
  return !((FN(fabs)(a) < GREATEST * FN(fabs)(b)) & (FN(fabs)(b) < (T)INFINITY));
}

static void F(rests)(const T* restrict a, const T* restrict b, T* restrict rest,
                     int64_t n) {
  int32_t hard = 0;
  for (int64_t i = 0; i < n; i++) rest[i] = F(easy_rest)(a[i], b[i]);
  for (int64_t i = 0; i < n; i++) hard |= F(is_hard)(a[i], b[i]);
  for (int64_t i = 0; hard && i < n; i++)
    if (F(is_hard)(a[i], b[i])) rest[i] = FN(fmod)(a[i], b[i]);
}

// |n| elements side by side: where they lie if they do, else in |block|.
static const T* F(beside)(const char* x, int64_t stride, T* block, int64_t n) {
  if (stride == (int64_t)sizeof(T)) return (const T*)(const void*)x;
  for (int64_t i = 0; i < n; i++) block[i] = OYI_GET(x + i * stride);
  return block;
}

// The expression sees the operands, a and b, and r, what fmod gives of them.
#define REST(name, ...)                                                                \
  OYI_LOOP_FN(name) {                                                                  \
    (void)args;                                                                        \
    T left[BLOCK], right[BLOCK], rest[BLOCK];                                          \
    for (int64_t done = 0; done < n; done += BLOCK) {                                  \
      const int64_t count = n - done < BLOCK ? n - done : BLOCK;                       \
      const T* p = F(beside)(data[1] + done * strides[1], strides[1], left, count);    \
      const T* q = F(beside)(data[2] + done * strides[2], strides[2], right, count);   \
      F(rests)(p, q, rest, count);                                                     \
      for (int64_t i = 0; i < count; i++) {                                            \
        const T a = p[i], b = q[i], r = rest[i];                                       \
        (void)a, (void)b;                                                              \
        rest[i] = (__VA_ARGS__);                                                       \
      }                                                                                \
      char* out = data[0] + done * strides[0];                                         \
      if (strides[0] == (int64_t)sizeof(T))                                            \
        memcpy(out, rest, (size_t)count * sizeof(T));                                  \
      else                                                                             \
        for (int64_t i = 0; i < count; i++) OYI_AT(T, out + i * strides[0]) = rest[i]; \
    }                                                                                  \
  }

REST(fmod, r)
REST(remainder, r != 0 && (b < 0) != (r < 0) ? r + b : r)

// What is left of the quotient without the rest is a whole number but for rounding.
static inline T F(whole)(T quotient, T sign) {
  const T low = FN(floor)(quotient), whole = quotient - low > (T)0.5 ? low + (T)1 : low;
  return quotient == 0 ? FN(copysign)(0, sign) : whole;
}
REST(div_floor,
     b == 0 ? a / b
            : F(whole)((a - r) / b - (r != 0 && (b < 0) != (r < 0) ? (T)1 : (T)0), a / b))
#undef REST
#undef BLOCK
#undef GREATEST
#undef F
