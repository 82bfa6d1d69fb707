// SPDX-License-Identifier: Apache-2.0
// maximum, minimum, clamp_tensor and hardswish of floats by vectors: one instruction finds the
// greater number, but gives its second operand where one is NaN, and a choice puts the other's
// NaN in; compilers take two comparisons and join them. T, ID and MM(f), the instruction, are
// given. Of rows shorter than a vector, or with other steps, one goes through a vector at a time:
// nobody can guess which of two is the greater one.
#define V    OYI_LOOP_JOIN(extreme_vector, ID)
#define F(f) OYI_LOOP_JOIN(f, ID)

typedef T V __attribute__((vector_size(32)));
typedef V (*F(extreme))(V a, V b, V c);

static inline V F(or_nan)(V number, V b) {
  return (V)MM(blendv)(number, b, MM(cmp)(b, b, _CMP_UNORD_Q));
}
static inline V F(greater)(V a, V b, V c) {
  (void)c;
  return F(or_nan)((V)MM(max)(b, a), b);
}
static inline V F(smaller)(V a, V b, V c) {
  (void)c;
  return F(or_nan)((V)MM(min)(b, a), b);
}
static inline V F(between)(V a, V b, V c) {
  return F(smaller)(F(greater)(a, b, a), c, c);
}
// The instructions give their second operand where that is NaN.
static inline V F(hard_swish)(V a, V b, V c) {
  (void)b, (void)c;
  const V zero = {0}, from_zero = (V)MM(max)(zero, a + (T)3);
  return a * (V)MM(min)(zero + (T)6, from_zero) / (T)6;
}

// |n| elements, at least a vector; operands may be the same everywhere, |c| is not there for
// two. The last vector lies over those before it and is read first, because the output may be
// an operand.
static inline __attribute__((always_inline)) void F(extremes)(
    int64_t n, char* const* data, const bool same_a, const bool same_b, const bool has_c,
    const bool same_c, F(extreme) fn) {
  enum { LANES = sizeof(V) / sizeof(T) };
  typedef V unaligned __attribute__((aligned(sizeof(T)), may_alias));
  const T *p = (const T*)(void*)data[1], *q = (const T*)(void*)data[2];
  const T* r = has_c ? (const T*)(void*)data[3] : p;
  T* o = (T*)(void*)data[0];
  const V first_a = (V)MM(set1)(*p), first_b = (V)MM(set1)(*q);
  const V first_c = (V)MM(set1)(*r);
#define AT(x, i) ((V) * (const unaligned*)((x) + (i)))
#define FOUND(i)                                               \
  fn(same_a ? first_a : AT(p, i), same_b ? first_b : AT(q, i), \
     has_c && !same_c ? AT(r, i) : first_c)
  const V last = FOUND(n - LANES);
  OYI_UNROLL_BY(2)
  for (int64_t i = 0; i + LANES <= n; i += LANES)
    *(unaligned*)(o + i) = (unaligned)FOUND(i);
  *(unaligned*)(o + n - LANES) = (unaligned)last;
#undef FOUND
#undef AT
}

static inline __attribute__((always_inline)) void F(extremes_apart)(
    int64_t n, char* const* data, const int64_t* strides, F(extreme) fn) {
  char* o = data[0];
  const char *x = data[1], *y = data[2];
  for (; n > 0; n--, o += strides[0], x += strides[1], y += strides[2]) {
    const V a = {*(const T*)(const void*)x}, b = {*(const T*)(const void*)y};
    *(T*)(void*)o = fn(a, b, b)[0];
  }
}

#define EXTREMES(name, fn)                                                            \
  OYI_LOOP_FN(name##_vector) {                                                        \
    (void)args;                                                                       \
    const int64_t item = sizeof(T), sx = strides[1], sy = strides[2];                 \
    const bool is_long = n >= (int64_t)(sizeof(V) / sizeof(T)) && strides[0] == item; \
    if (is_long && sx == item && sy == item)                                          \
      F(extremes)(n, data, false, false, false, false, fn);                           \
    else if (is_long && sx == item && sy == 0)                                        \
      F(extremes)(n, data, false, true, false, false, fn);                            \
    else if (is_long && sx == 0 && sy == item)                                        \
      F(extremes)(n, data, true, false, false, false, fn);                            \
    else                                                                              \
      F(extremes_apart)(n, data, strides, fn);                                        \
  }
EXTREMES(maximum, F(greater))
EXTREMES(minimum, F(smaller))
OYI_LOOP_FN(clamp_tensor_vector) {
  const int64_t item = sizeof(T), low = strides[2], high = strides[3];
  const bool is_long =
      n >= (int64_t)(sizeof(V) / sizeof(T)) && strides[0] == item && strides[1] == item;
  if (is_long && low == item && high == item)
    F(extremes)(n, data, false, false, true, false, F(between));
  else if (is_long && low == item && high == 0)
    F(extremes)(n, data, false, false, true, true, F(between));
  else if (is_long && low == 0 && high == item)
    F(extremes)(n, data, false, true, true, false, F(between));
  else if (is_long && low == 0 && high == 0)
    F(extremes)(n, data, false, true, true, true, F(between));
  else
    F(clamp_tensor)(n, data, strides, args);
}
OYI_LOOP_FN(hardswish_vector) {
  const int64_t item = sizeof(T);
  char* const same[] = {data[0], data[1], data[1]};
  if (n >= (int64_t)(sizeof(V) / sizeof(T)) && strides[0] == item && strides[1] == item)
    F(extremes)(n, same, false, false, false, false, F(hard_swish));
  else
    F(hardswish)(n, data, strides, args);
}
#undef EXTREMES
#undef V
#undef F
