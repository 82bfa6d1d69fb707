// SPDX-License-Identifier: Apache-2.0
// Powers of vectors. libmvec hands bases below 0 to the C library one after the other, infinities,
// NaN, and those whose powers are no normal numbers, as vmath_domain_tmpl.h says of others. Here
// what is left for libmvec is the power of a size, or half of that of a small result, which is
// squared. Bases that are not normal, and results that are infinite or nearly, are the C library's.

// Of numbers from 0 on; no fraction has a place beyond DIGITS.
static inline I F(is_whole)(V size) {
  const V digits = F(splat)((T)POW_DIGITS);
  return (size >= digits) | ((size + digits) - digits == size);
}

// |size| to the power of |b|, neither of which is NaN, and neither the sign nor 1 matter here.
// |about| is the logarithm of the result, to 44 %.
static inline V F(size_pow)(V size, V b, V about) {
  const V one = F(splat)(1), zero = F(splat)(0), up = F(splat)((T)INFINITY);
  I endless = (size == zero) | ~(size <= (T)GREATEST) | ~(F(abs)(b) <= (T)GREATEST);
  I small = about < -F(splat)((T)POW_NEAR);
  const I far = ~endless & (small | ~(about < F(splat)((T)POW_NEAR)));
  if (F(any)(far)) {
    const V log = F(raw_log2)(F(select)(far, size, one)) * b;
    endless |= far & ((log > F(splat)((T)POW_UP)) | (log < F(splat)((T)POW_DOWN)));
  }
  small &= ~endless;
  const V exponent = F(select)(endless, one, F(select)(small, b * (T)0.5, b));
  const V power = F(raw_pow)(F(select)(endless, one, size), exponent);
  const I grows = ~((size > one) ^ (b > zero));
  return F(select)(endless, F(select)(grows, up, zero),
                   F(select)(small, power * power, power));
}

static __attribute__((noinline)) V F(odd_pow)(V a, V b) {
  const V one = F(splat)(1), zero = F(splat)(0), none = F(splat)((T)NAN);
  const V size = F(abs)(a), steps = F(abs)(b);
  const I whole = F(is_whole)(steps), is_odd = whole & ~F(is_whole)(steps * (T)0.5);
  const I nan = (a != a) | (b != b);
  const I ones = (a == one) | (b == zero) | ((size == one) & (steps > (T)GREATEST));
  const V found = F(size_pow)(F(select)(nan | ones, one, size),
                              F(select)(nan | ones, one, b), LOG2_ABOUT(size) * b);
  const I sign = (I)F(splat)(-(T)0) & (I)a & is_odd;
  const I rootless = (a < zero) & (size <= (T)GREATEST) & ~whole;
  const V power = F(select)(nan | rootless, none, (V)((I)found | sign));
  return F(select)(ones, one, power);
}

static inline V F(pow)(V a, V b) {
  const I plain = (a >= (T)LEAST_NORMAL) & (a <= (T)GREATEST);
  if (F(any)(~(plain & (F(abs)(LOG2_ABOUT(a) * b) < (T)POW_NEAR))))
    return F(odd_pow)(a, b);
  return F(raw_pow)(a, b);
}
