// SPDX-License-Identifier: Apache-2.0
// Sine, cosine and tangent of any angles: those from FAR_SINE on, up to FAR_MOST, and from
// FAR_TANGENT on, up to ANGLE_MOST, are turned to near ones first (angle_vector.h). For
// vmath_tmpl.h, which has F(raw_sin) and so on.

#if defined(__FMA__)
static inline I F(is_far)(V a, T near, T most) {
  const V size = F(abs)(a);
  return (size > near) & (size <= most);
}

// The sine of |a| and |ahead| quarters of a turn, of those lanes that are |far|, and the sine of
// |a| in the others.
static inline V F(turned_sin)(V a, uint64_t ahead, I far) {
  V low;
  const V turned = OYI_LOOP_JOIN(angle_turned, ID)(a, ahead, &low);
  const V found = F(raw_sin)(F(select)(far, turned, a)), square = turned * turned;
  const V slope = (T)1 - square * ((T)0.5 - square * (T)(1 / 24.0));
  return F(select)(far, found + low * slope, found);
}
static inline V F(sin)(V a) {
  const I far = F(is_far)(a, (T)FAR_SINE, (T)FAR_MOST);
  if (__builtin_expect(!F(any)(far), 1)) return F(raw_sin)(a);
  return F(turned_sin)(a, 0, far);
}
static inline V F(cos)(V a) {
  const I far = F(is_far)(a, (T)FAR_SINE, (T)FAR_MOST);
  if (__builtin_expect(!F(any)(far), 1)) return F(raw_cos)(a);
  const V found = F(turned_sin)(F(select)(far, a, F(splat)(1)), 1, far);
  if (!F(any)(~far)) return found;
  return F(select)(far, found, F(raw_cos)(F(select)(far, F(splat)(1), a)));
}
#else
static inline V F(sin)(V a) {
  return F(raw_sin)(a);
}
static inline V F(cos)(V a) {
  return F(raw_cos)(a);
}
#endif

#if defined(__FMA__) && defined(FAR_TANGENT)
static inline V F(tan)(V a) {
  const I far = F(is_far)(a, FAR_TANGENT, ANGLE_MOST);
  if (__builtin_expect(!F(any)(far), 1)) return F(raw_tan)(a);
  V low;
  angle_bits quarters;
  const V rest = angle_rest_f64(a, &low, &quarters);
  const V found = F(raw_tan)(F(select)(far, rest, a));
  const V near = found + low * (1 + found * found);
  const V turned = F(select)((I) - (quarters & 1), -1 / near, near);
  return F(select)(far, turned, found);
}
#else
static inline V F(tan)(V a) {
  return F(raw_tan)(a);
}
#endif
