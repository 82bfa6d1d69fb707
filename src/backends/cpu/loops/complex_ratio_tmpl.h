// SPDX-License-Identifier: Apache-2.0
// Products and quotients of complex numbers, T with parts of type R, as PyTorch computes
// them: products are the plain formula and quotients are scaled by the greater part of the
// divisor; C's own operators treat infinities specially. Selections instead of branches,
// for vectors.
static inline T FN(times)(T a, T b) {
  return PAIR(RE(a) * RE(b) - IM(a) * IM(b), RE(a) * IM(b) + IM(a) * RE(b));
}
static inline T FN(over)(T a, T b) {
  const R x = RE(a), y = IM(a), re = RE(b), im = IM(b);
  const bool upright = FN(__builtin_fabs)(re) < FN(__builtin_fabs)(im);
  const R greater = upright ? im : re, less = upright ? re : im;
  const bool nothing = (re == 0) & (im == 0);
  const R ratio = less / greater;
  const R scale = (R)1 / (nothing ? (R)0 : greater + less * ratio);
  const R u = (upright ? x * ratio : x) + (upright ? y : y * ratio);
  const R v = (upright ? y * ratio : y) - (upright ? x : x * ratio);
  return PAIR((nothing ? x : u) * scale, (nothing ? y : v) * scale);
}
