// SPDX-License-Identifier: Apache-2.0
// Several elementwise operations, of operands of any dtypes that lie anyhow: for calls that
// are too small to be worth a kernel of their own. Before this text stand
//   CASES            case n: return EXPRESSION; for each one
//   LOADS, STORES    case n: for each dtype
//   BLOCK, STEPS     steps of a work-item, and how many of them are loaded at once
// |kinds| has a byte for each operand, the result's first: its dtype, or NUMBER.
enum { NUMBER = 255, INPUTS = 3 };

#define T            S
#define SEL(c, x, y) ((c) ? (x) : (y))
static inline S compute(int which, S a, S b, S c, S n0, S n1, S n2, ulong ix) {
  switch (which) { CASES }
  return 0;
}
#undef T
#undef SEL

static inline S load(uint kind, __global const char* p, long i) {
  switch (kind) { LOADS }
  return 0;
}
static inline void store(uint kind, __global char* p, long i, S x) {
  switch (kind) { STORES }
}

// Loops stay loops: unrolled, or in vectors, they would be most of what there is to compile.
kernel void run(__global char* o_p, long o_o, __global const char* a_p, long a_o,
                __global const char* b_p, long b_o, __global const char* c_p, long c_o, S a_n,
                S b_n, S c_n, uint kinds, int which, S n0, S n1, S n2, ulong n,
                geometry g) {
  __global const char* in[INPUTS] = {a_p + a_o, b_p + b_o, c_p + c_o};
  const S number[INPUTS] = {a_n, b_n, c_n};
  S x[INPUTS][STEPS];
  long at[12], place[INPUTS + 1] = {0, 0, 0, 0};
  ulong i = get_global_id(0) * BLOCK;
  const ulong end = min(i + BLOCK, n);
  if (i >= end) return;
  o_p += o_o;
  NOT_UNROLLED
  for (int k = 0; k < INPUTS; k++) {
    NOT_UNROLLED
    for (int j = 0; j < STEPS; j++) x[k][j] = number[k];
  }
  ulong rest = i;
  NOT_UNROLLED
  for (int d = 0; d < g.ndim; d++) {
    const ulong next = over(rest, (ulong)g.size[d]);
    at[d] = (long)(rest - next * (ulong)g.size[d]);
    rest = next;
    NOT_UNROLLED
    for (int k = 0; k <= INPUTS; k++) place[k] += at[d] * g.stride[k][d];
  }
  while (i < end) {
    const long left = g.ndim ? g.size[0] - at[0] : 1;
    const long steps = min(min(left, (long)(end - i)), (long)STEPS);
    NOT_UNROLLED
    for (int k = 0; k < INPUTS; k++) {
      const uint kind = kinds >> 8 * (k + 1) & 255;
      const long stride = g.stride[k + 1][0];
      if (kind == NUMBER) continue;
      NOT_UNROLLED
      for (long j = 0; j < steps; j++) x[k][j] = load(kind, in[k], place[k + 1] + j * stride);
    }
    NOT_UNROLLED
    for (long j = 0; j < steps; j++)
      store(kinds & 255, o_p, place[0] + j * g.stride[0][0],
            compute(which, x[0][j], x[1][j], x[2][j], n0, n1, n2, i + j));
    i += steps;
    NOT_UNROLLED
    for (int k = 0; k <= INPUTS; k++) place[k] += steps * g.stride[k][0];
    at[0] += steps;
    NOT_UNROLLED
    for (int d = 0; d < g.ndim && at[d] == g.size[d]; d++) {
      NOT_UNROLLED
      for (int k = 0; k <= INPUTS; k++) place[k] -= at[d] * g.stride[k][d];
      at[d] = 0;
      if (d + 1 == g.ndim) break;
      at[d + 1]++;
      NOT_UNROLLED
      for (int k = 0; k <= INPUTS; k++) place[k] += g.stride[k][d + 1];
    }
  }
}
