// SPDX-License-Identifier: Apache-2.0
// The product of complex matrices whose parts have the type T; sums in W.
static oy_status OYI_JOIN(gemm, ID)(const oyi_gemm* g) {
  const W alpha[2] = {(W)g->alpha.re, (W)g->alpha.im};
  const W beta[2] = {(W)g->beta.re, (W)g->beta.im};
  const bool reads = !oyi_number_is_zero(g->beta);
  for (int64_t i = 0; i < g->n; i++) {
    for (int64_t j = 0; j < g->m; j++) {
      const T* x = (const T*)g->a + 2 * i * g->a_row;
      const T* y = (const T*)g->b + 2 * j * g->b_column;
      W re = 0, im = 0;
      for (int64_t p = 0; p < g->k; p++, x += 2 * g->a_column, y += 2 * g->b_row) {
        re += (W)x[0] * (W)y[0] - (W)x[1] * (W)y[1];
        im += (W)x[0] * (W)y[1] + (W)x[1] * (W)y[0];
      }
      T* to = (T*)g->c + 2 * (i * g->c_row + j * g->c_column);
      W out_re = alpha[0] * re - alpha[1] * im, out_im = alpha[0] * im + alpha[1] * re;
      if (reads) {
        out_re += beta[0] * (W)to[0] - beta[1] * (W)to[1];
        out_im += beta[0] * (W)to[1] + beta[1] * (W)to[0];
      }
      to[0] = (T)out_re;
      to[1] = (T)out_im;
    }
  }
  return OY_OK;
}
