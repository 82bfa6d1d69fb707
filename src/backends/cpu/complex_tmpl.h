// SPDX-License-Identifier: Apache-2.0
// Arithmetic of one complex type: T, R the type of its parts, FN(f) its functions, PAIR.
// Products are the plain formula and quotients are scaled by the greater part of the
// divisor, as PyTorch computes them; C's own operators treat infinities specially.
static inline T FN(times)(T a, T b) {
  return PAIR(RE(a) * RE(b) - IM(a) * IM(b), RE(a) * IM(b) + IM(a) * RE(b));
}
static inline T FN(over)(T a, T b) {
  R re = RE(b), im = IM(b);
  if (FN(fabs)(re) >= FN(fabs)(im)) {
    if (re == 0 && im == 0) return PAIR(RE(a) / FN(fabs)(re), IM(a) / FN(fabs)(im));
    R ratio = im / re, scale = (R)1 / (re + im * ratio);
    return PAIR((RE(a) + IM(a) * ratio) * scale, (IM(a) - RE(a) * ratio) * scale);
  }
  R ratio = re / im, scale = (R)1 / (im + re * ratio);
  return PAIR((RE(a) * ratio + IM(a)) * scale, (IM(a) * ratio - RE(a)) * scale);
}
static inline T FN(conjugate)(T a) {
  return PAIR(RE(a), -IM(a));
}
static inline T FN(sgn)(T a) {
  R size = FN(cabs)(a);
  return size == 0 ? (T)0 : PAIR(RE(a) / size, IM(a) / size);
}
// exp(a) - 1 without losing what is small: the real part by expm1 and a half angle.
static inline T FN(cexpm1)(T a) {
  R half = FN(sin)(IM(a) / 2), size = FN(exp)(RE(a));
  return PAIR(FN(expm1)(RE(a)) * FN(cos)(IM(a)) - 2 * half * half, size * FN(sin)(IM(a)));
}
static inline T FN(clog1p)(T a) {
  R x = RE(a), y = IM(a);
  if (FN(fabs)(x) > (R)0.5 || FN(fabs)(y) > (R)0.5) return FN(clog)((T)1 + a);
  return PAIR(FN(log1p)(x * (2 + x) + y * y) / 2, FN(atan2)(y, 1 + x));
}
// A part with NaN and infinities replaced by the three numbers.
static inline R FN(replaced)(R x, const T* arg) {
  if (x != x) return RE(arg[0]);
  return x == (R)INFINITY ? RE(arg[1]) : x == -(R)INFINITY ? RE(arg[2]) : x;
}
