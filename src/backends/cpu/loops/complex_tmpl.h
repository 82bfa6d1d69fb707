// SPDX-License-Identifier: Apache-2.0
// Arithmetic of one complex type: T, R the type of its parts, FN(f) its functions, PAIR.
#include "backends/cpu/loops/complex_ratio_tmpl.h"
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
