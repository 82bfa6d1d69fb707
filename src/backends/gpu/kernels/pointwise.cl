// SPDX-License-Identifier: Apache-2.0
// One elementwise operation. Before this text stand
//   EXPRESSION        of a, b, c (elements), n0, n1, n2 (numbers) and ix (the step)
//   PARAMETERS        of the kernel: o_p, o_o for the result, then the inputs
//   MOVE              adds offsets in bytes to the addresses
//   SCALARS(A), VECTORS   declare a, b, c; A(x) is the element of operand x
//   OUT               dtype of the result; TRUTH: it is a condition
//   BLOCK, W, FLAT    steps of a work-item, width of vectors, form

#define T            S
#define SEL(c, x, y) ((c) ? (x) : (y))
#ifdef TRUTH
static inline int compute(S a, S b, S c, S n0, S n1, S n2, ulong ix, ulong seed, ulong offset) {
#else
static inline S compute(S a, S b, S c, S n0, S n1, S n2, ulong ix, ulong seed, ulong offset) {
#endif
  return EXPRESSION;
}
#undef T
#undef SEL

#if W > 1 && defined(IS_CUDA)
// There are no vectors to compute in, only to load and store.
static inline V compute_v(V a, V b, V c, S n0, S n1, S n2) {
  V r;
  for (int k = 0; k < W; k++)
    r.x[k] = (S)compute(a.x[k], b.x[k], c.x[k], n0, n1, n2, 0, 0, 0);
  return r;
}
#elif W > 1
#define T            V
#define SEL(c, x, y) select((V)(y), (V)(x), c)
#ifdef TRUTH
static inline JOIN(TRUTH, W) compute_v(V a, V b, V c, S n0, S n1, S n2) {
#else
static inline V compute_v(V a, V b, V c, S n0, S n1, S n2) {
#endif
  return EXPRESSION;
}
#undef T
#undef SEL
#endif

kernel void run(PARAMETERS, S n0, S n1, S n2, ulong seed, ulong offset, ulong n
#ifndef FLAT
                , geometry g
#endif
) {
  ulong i = get_global_id(0) * BLOCK;
  const ulong end = min(i + BLOCK, n);
  MOVE
#ifdef FLAT
#if W > 1
  for (; i + W <= end; i += W) {
    VECTORS
    STV(OUT, o_p, i, compute_v(a, b, c, n0, n1, n2));
  }
#endif
  for (; i < end; i++) {
#define PLACE(x) i
    SCALARS
    ST(OUT, o_p, i, compute(a, b, c, n0, n1, n2, i, seed, offset));
  }
#elif BLOCK == 1
  // One step: its place in each dimension.
  if (i >= end) return;
  long place[4] = {0, 0, 0, 0};
  ulong rest = i;
  for (int d = 0; d < g.ndim; d++) {
    const ulong next = d + 1 < g.ndim ? over(rest, (ulong)g.size[d]) : 0;
    const long at = (long)(rest - next * (ulong)g.size[d]);
    for (int k = 0; k < OPERANDS; k++) place[k] += at * g.stride[k][d];
    rest = next;
  }
#define PLACE(k) place[k]
  SCALARS
  ST(OUT, o_p, PLACE(0), compute(a, b, c, n0, n1, n2, i, seed, offset));
#else
  // Rows along the first dimension; the others count like an odometer.
  if (i >= end) return;
  long at[12], place[4] = {0, 0, 0, 0};
  ulong rest = i;
  for (int d = 0; d < g.ndim; d++) {
    const ulong next = over(rest, (ulong)g.size[d]);
    at[d] = (long)(rest - next * (ulong)g.size[d]);
    rest = next;
    for (int k = 0; k < OPERANDS; k++) place[k] += at[d] * g.stride[k][d];
  }
  while (i < end) {
    const long left = g.ndim ? g.size[0] - at[0] : 1;
    const long steps = min(left, (long)(end - i));
    for (long j = 0; j < steps; j++) {
#undef PLACE
#define PLACE(k) place[k] + j * g.stride[k][0]
      SCALARS
      ST(OUT, o_p, PLACE(0), compute(a, b, c, n0, n1, n2, i + j, seed, offset));
    }
    i += steps;
    for (int k = 0; k < OPERANDS; k++) place[k] += steps * g.stride[k][0];
    at[0] += steps;
    for (int d = 0; d < g.ndim && at[d] == g.size[d]; d++) {
      for (int k = 0; k < OPERANDS; k++) place[k] -= at[d] * g.stride[k][d];
      at[d] = 0;
      if (d + 1 == g.ndim) break;
      at[d + 1]++;
      for (int k = 0; k < OPERANDS; k++) place[k] += g.stride[k][d + 1];
    }
  }
#endif
}
