// SPDX-License-Identifier: Apache-2.0
// The product of complex matrices whose parts have the type T; sums in W.

// Of |k| numbers, |a_step| and |b_step| parts apart.
static inline void OYI_JOIN(steps, ID)(int64_t k, const T* a, int64_t a_step, const T* b,
                                       int64_t b_step, W sign, W* sum) {
  W re = 0, im = 0;
  for (int64_t p = 0; p < k; p++, a += a_step, b += b_step) {
    const W a_im = sign * (W)a[1];
    re += (W)a[0] * (W)b[0] - a_im * (W)b[1];
    im += (W)a[0] * (W)b[1] + a_im * (W)b[0];
  }
  sum[0] = re, sum[1] = im;
}

// Of numbers that lie together: sums side by side, in two registers for each part.
static void OYI_JOIN(inner, ID)(int64_t k, const T* a, const T* b, W sign, W* sum) {
  enum { SIDES = 2 * GEMM_BYTES / sizeof(W) };
  W re[SIDES] = {0}, im[SIDES] = {0};
  int64_t p = 0;
  for (; p + SIDES <= k; p += SIDES, a += 2 * SIDES, b += 2 * SIDES)
    for (int i = 0; i < SIDES; i++) {
      const W a_re = a[2 * i], a_im = sign * (W)a[2 * i + 1];
      const W b_re = b[2 * i], b_im = b[2 * i + 1];
      re[i] += a_re * b_re - a_im * b_im;
      im[i] += a_re * b_im + a_im * b_re;
    }
  OYI_JOIN(steps, ID)(k - p, a, 2, b, 2, sign, sum);
  for (int i = 0; i < SIDES; i++) sum[0] += re[i], sum[1] += im[i];
}

// What |sum| makes of the number at |to|, which is not read where |beta| is NULL.
static inline void OYI_JOIN(put, ID)(const W* sum, const W* alpha, const W* beta, T* to) {
  W re = alpha[0] * sum[0] - alpha[1] * sum[1],
    im = alpha[0] * sum[1] + alpha[1] * sum[0];
  if (beta) {
    re += beta[0] * (W)to[0] - beta[1] * (W)to[1];
    im += beta[0] * (W)to[1] + beta[1] * (W)to[0];
  }
  to[0] = (T)re;
  to[1] = (T)im;
}

static oy_status OYI_JOIN(gemm, ID)(const oyi_gemm* g) {
  const W alpha[2] = {(W)g->alpha.re, (W)g->alpha.im};
  const W beta[2] = {(W)g->beta.re, (W)g->beta.im};
  const W* reads = oyi_number_is_zero(g->beta) ? NULL : beta;
  const bool together = g->a_column == 1 && g->b_row == 1;
  const W sign = g->conjugate ? -1 : 1;
  for (int64_t i = 0; i < g->n; i++) {
    for (int64_t j = 0; j < g->m; j++) {
      const T* x = (const T*)g->a + 2 * i * g->a_row;
      const T* y = (const T*)g->b + 2 * j * g->b_column;
      W sum[2];
      if (together)
        OYI_JOIN(inner, ID)(g->k, x, y, sign, sum);
      else
        OYI_JOIN(steps, ID)(g->k, x, 2 * g->a_column, y, 2 * g->b_row, sign, sum);
      T* to = (T*)g->c + 2 * (i * g->c_row + j * g->c_column);
      OYI_JOIN(put, ID)(sum, alpha, reads, to);
    }
  }
  return OY_OK;
}
