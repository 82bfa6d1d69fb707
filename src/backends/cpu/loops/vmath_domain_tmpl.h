// SPDX-License-Identifier: Apache-2.0
// Functions of vectors some of whose elements libmvec hands to the C library, one after the other:
// those without a result, infinite ones, and results that are no normal numbers. Logits that are
// masked are such. They are left out here, and have what stands for them put in their places;
// the others come to what they would anywhere else. For vmath_tmpl.h, which has F(raw_exp) and
// so on.

static inline bool F(any)(I mask) {
#if defined(__AVX512F__)
  return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask) != 0;
#elif defined(__AVX2__)
  return _mm256_movemask_epi8((__m256i)mask) != 0;
#else
  INT all = 0;
  for (int i = 0; i < LANES; i++) all |= mask[i];
  return all != 0;
#endif
}

// |f| of |a|, of |safe| where |odd| is set, and |result| there, which is evaluated then alone.
#define GUARDED(f, is_odd, safe, result)                                            \
  static inline V F(f)(V a) {                                                       \
    const I odd = (is_odd);                                                         \
    if (__builtin_expect(!F(any)(odd), 1)) return F(raw_##f)(a);                    \
    return F(select)(odd, (result), F(raw_##f)(F(select)(odd, F(splat)(safe), a))); \
  }

// Far from 0 through a number that is nearer: both steps are exact but for the last rounding.
// All lanes go through one call: a second one, or a branch that some vectors take, costs more
// than the rest. Those that are near are multiplied by 1, for what is no normal number takes
// processors long even where it is left out then.
#if !OWN_EXP
static inline V F(exp)(V a) {
  const I odd = ~((a >= (T)-EXP_NEAR) & (a <= (T)EXP_NEAR));
  if (__builtin_expect(!F(any)(odd), 1)) return F(raw_exp)(a);
  const V zero = F(splat)(0), up = F(splat)((T)INFINITY);
  const I above = a > zero, far = (a >= (T)EXP_ZERO) & (a <= (T)EXP_MOST);
  const V shift = F(select)(above, F(splat)(-EXP_SHIFT), F(splat)(EXP_SHIFT));
  const V nearer = F(select)(far, a + shift, zero);
  const V found = F(raw_exp)(F(select)(odd, nearer, a));
  const V by = F(select)(above, F(splat)((T)EXP_UP), F(splat)((T)EXP_DOWN));
  const V other = F(select)(a != a, a, F(select)(above, up, zero));
  const V result = found * F(select)(odd & far, by, F(splat)(1));
  return F(select)(odd & ~far, other, result);
}
#endif

// Of numbers that are not normal: of greater ones, and so much less.
#define LOGARITHM(f, of_two)                                                     \
  static inline V F(odd_##f)(V a) {                                              \
    const I tiny = (a > F(splat)(0)) & (a < (T)LEAST_NORMAL);                    \
    const V found = F(raw_##f)(F(select)(tiny, a * (T)LOG_SCALE, F(splat)(1))) - \
                    (T)(LOG_TWOS * (of_two));                                    \
    const V none = F(select)(a < F(splat)(0), F(splat)((T)NAN), a);              \
    const V other = F(select)(a == F(splat)(0), F(splat)(-(T)INFINITY), none);   \
    return F(select)(tiny, found, other);                                        \
  }                                                                              \
  GUARDED(f, ~((a >= (T)LEAST_NORMAL) & (a <= (T)GREATEST)), 1, F(odd_##f)(a))
LOGARITHM(log, M_LN2)
LOGARITHM(log2, 1)
LOGARITHM(log10, M_LN2 / M_LN10)
#undef LOGARITHM

GUARDED(log1p, ~((a > F(splat)(-1)) & (a <= (T)GREATEST)), 0,
        F(select)(a == F(splat)(-1), F(splat)(-(T)INFINITY),
                  F(select)(a < F(splat)(-1), F(splat)((T)NAN), a)))
GUARDED(asin, ~(F(abs)(a) <= F(splat)(1)), 0, F(splat)((T)NAN))
GUARDED(acos, ~(F(abs)(a) <= F(splat)(1)), 0, F(splat)((T)NAN))
GUARDED(acosh, ~((a >= F(splat)(1)) & (a <= (T)GREATEST)), 1,
        F(select)(a > F(splat)(1), a, F(splat)((T)NAN)))
GUARDED(atanh, ~(F(abs)(a) < F(splat)(1)), 0,
        F(select)(F(abs)(a) == F(splat)(1), a*(T)INFINITY, F(splat)((T)NAN)))
GUARDED(sinh, ~(F(abs)(a) <= (T)SINH_MOST), 0, a*(T)INFINITY)
GUARDED(cosh, ~(F(abs)(a) <= (T)SINH_MOST), 0, F(abs)(a) * (T)INFINITY)
GUARDED(erfc, a > F(splat)((T)ERFC_MOST), 0, F(splat)(0))
#undef GUARDED
