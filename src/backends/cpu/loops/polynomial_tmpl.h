// SPDX-License-Identifier: Apache-2.0
// The polynomials of polynomial_vector.h in one precision, T: ID names it, INT is an integer as
// wide, LANES how many a vector has. |kind|: 'T' to 'W' are Chebyshev's, 'H' and 'E' Hermite's,
// 'L' Laguerre's, 'P' Legendre's.
#define V    OYI_LOOP_JOIN(vec, ID)
#define I    OYI_LOOP_JOIN(ints, ID)
#define F(f) OYI_LOOP_JOIN(v_##f, ID)

static inline __attribute__((always_inline)) V F(first_degree)(V x, char kind) {
  switch (kind) {
    case 'U':
    case 'H': return x + x;
    case 'V': return x + x - 1;
    case 'W': return x + x + 1;
    case 'L': return 1 - x;
    default: return x;
  }
}

// That of degree |k| + 1.
static inline __attribute__((always_inline)) V F(next_degree)(V x, V value, V before, V k,
                                                              char kind) {
  switch (kind) {
    case 'H': return (x + x) * value - (k + k) * before;
    case 'E': return x * value - k * before;
    case 'L': return ((k + k + (1 - x)) * value - k * before) / (k + 1);
    case 'P': return ((k + k + 1) * x * value - k * before) / (k + 1);
    default: return (x + x) * value - before;
  }
}

// What is at its degree stays as it is, and NaN does by itself: that nothing but NaN is left is
// seen now and then, for each step would wait for it.
static inline __attribute__((always_inline)) V F(recurrence)(V x, V n, char kind) {
  V before = F(splat)(1), value = F(first_degree)(x, kind), k = before;
  for (uint32_t step = 1;; step++) {
    const I more = n >= k + 1;
    if (!F(any)(more)) return value;
    if (step % 64 == 0 && !F(any)(more & (value == value))) return value;
    const V next = F(next_degree)(x, value, before, k, kind);
    before = value;
    value = F(select)(more, next, value);
    k += 1;
  }
}

typedef T (*F(polynomial_alone))(T x, T n);

// |alone| is the function of one element. Chebyshev's are taken by angles from degree |angles|
// on, of x twice itself less 1 if it is |shifted|.
static inline __attribute__((always_inline)) V F(polynomial_of)(V given, V n, char kind,
                                                                int angles, bool shifted,
                                                                F(polynomial_alone)
                                                                    alone) {
  const V zero = F(splat)(0), x = shifted ? given + given - 1 : given, size = F(abs)(x);
  const bool is_chebyshev = kind >= 'T', is_hermite = kind == 'H' || kind == 'E';
  // As a conversion of x86 has it; those above have none.
  const I is_degree = (n > -1) & (n < (T)0x1p63), none = zero != zero;
  const I turned = is_chebyshev ? is_degree & (n >= (T)angles) & (size < 1) : none;
  const T most = (T)(is_hermite ? OYI_HERMITE_MOST(T) : OYI_POLYNOMIAL_STEEP);
  const I great = is_degree & (n >= most + 1) & ~turned;
  I apart = is_hermite ? none : great;
  if (is_chebyshev) apart |= is_degree & (n >= 1) & (size == 1);
  V found =
      F(recurrence)(x, F(select)(is_degree & ~(apart | turned | great), n, zero), kind);
  if (is_hermite) found = F(select)(great, F(splat)((T)NAN), found);
  if (is_chebyshev && F(any)(turned))
    found = F(by_angles)(x, n, kind, turned, found, &apart);
  if (__builtin_expect(F(any)(apart), 0))
    for (int i = 0; i < LANES; i++)
      if (apart[i]) found[i] = alone(given[i], n[i]);
  found = F(select)(n < 1, F(splat)(1), found);
  return F(select)(is_degree, found, zero);
}

#define POLYNOMIAL(name, kind, angles, shifted)                                          \
  static V F(of_##name)(V x, V n, const T* arg) {                                        \
    (void)arg;                                                                           \
    return F(polynomial_of)(x, n, kind, angles, shifted, OYI_LOOP_JOIN(oyi_##name, ID)); \
  }                                                                                      \
  OYI_LOOP_FN(name##_vector) {                                                           \
    F(map2)(n, data, strides, args, F(of_##name));                                       \
  }
#define CHEBYSHEV(name, kind, angles, shifted_angles) \
  POLYNOMIAL(chebyshev_##name, kind, angles, false)   \
  POLYNOMIAL(shifted_chebyshev_##name, kind, shifted_angles, true)
OYI_CHEBYSHEV_KINDS(CHEBYSHEV)
POLYNOMIAL(hermite_h, 'H', 0, false)
POLYNOMIAL(hermite_he, 'E', 0, false)
POLYNOMIAL(laguerre, 'L', 0, false)
POLYNOMIAL(legendre, 'P', 0, false)
#undef CHEBYSHEV
#undef POLYNOMIAL
#undef V
#undef I
#undef F
