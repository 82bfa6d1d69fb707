// SPDX-License-Identifier: Apache-2.0
// The product of complex matrices whose parts have the type T; sums in W, those of several rows
// and columns in T.

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

// Numbers of b side by side, as they are and with their parts changed over, (-im, re): a panel
// has |LANES| columns in two vectors of each, row by row, and zeros behind the last one.
typedef T OYI_JOIN(lanes, ID) __attribute__((vector_size(32), aligned(sizeof(T))));
#define VECTOR OYI_JOIN(lanes, ID)
#define LANES  ((int64_t)(32 / sizeof(T)))
static void OYI_JOIN(pack, ID)(const oyi_gemm* g, T* to) {
  for (int64_t j0 = 0; j0 < g->m; j0 += LANES) {
    const T* from = (const T*)g->b + 2 * j0 * g->b_column;
    const int64_t left = g->m - j0 < LANES ? g->m - j0 : LANES;
    for (int64_t p = 0; p < g->k; p++, from += 2 * g->b_row, to += 4 * LANES) {
      const T* at = from;
      for (int64_t j = 0; j < left; j++, at += 2 * g->b_column) {
        to[2 * j] = to[2 * (LANES + j) + 1] = at[0];
        to[2 * j + 1] = at[1];
        to[2 * (LANES + j)] = -at[1];
      }
      for (int64_t j = left; j < LANES; j++)
        for (int i = 0; i < 4; i++) to[2 * j + i % 2 + i / 2 * 2 * LANES] = 0;
    }
  }
}

// A row of a by a panel.
static inline void OYI_JOIN(row_by_panel, ID)(const oyi_gemm* g, const T* a, const T* b,
                                              T* restrict sums) {
  VECTOR low = {0}, high = {0};
  for (int64_t p = 0; p < g->k; p++, a += 2 * g->a_column, b += 4 * LANES) {
    VECTOR x[4];
    memcpy(x, b, sizeof(x));
    low += a[0] * x[0] + a[1] * x[2];
    high += a[0] * x[1] + a[1] * x[3];
  }
  memcpy(sums, &low, sizeof(low));
  memcpy(sums + LANES, &high, sizeof(high));
}

// Rows by columns that fit the first cache once packed: |b|.
static void OYI_JOIN(by_panels, ID)(const oyi_gemm* g, const T* b, const W* alpha,
                                    const W* beta) {
  const bool plain = !beta && alpha[0] == 1 && alpha[1] == 0;
  for (int64_t i = 0; i < g->n; i++) {
    const T *row = (const T*)g->a + 2 * i * g->a_row, *panel = b;
    for (int64_t j0 = 0; j0 < g->m; j0 += LANES, panel += 4 * LANES * g->k) {
      const int64_t count = g->m - j0 < LANES ? g->m - j0 : LANES;
      T sums[2 * LANES], *to = (T*)g->c + 2 * (i * g->c_row + j0 * g->c_column);
      OYI_JOIN(row_by_panel, ID)(g, row, panel, sums);
      if (plain && count == LANES && g->c_column == 1) {
        memcpy(to, sums, sizeof(sums));
        continue;
      }
      for (int64_t j = 0; j < count; j++, to += 2 * g->c_column) {
        const W sum[2] = {sums[2 * j], sums[2 * j + 1]};
        if (plain)
          memcpy(to, sums + 2 * j, 2 * sizeof(T));
        else
          OYI_JOIN(put, ID)(sum, alpha, beta, to);
      }
    }
  }
}

// Small products of matrices. False: not of these.
static __attribute__((noinline)) bool OYI_JOIN(panels, ID)(const oyi_gemm* given,
                                                           const W* alpha,
                                                           const W* beta) {
  enum { ROOM = 16384 / sizeof(T), FEW = 8, SHORT = 4 };
  T packed[ROOM];
  if (given->conjugate || given->n * given->m < FEW || given->k < 1) return false;
  oyi_gemm flipped;
  const oyi_gemm* g = given;
  if (g->m < SHORT && g->n > g->m) flipped = oyi_gemm_flipped(g), g = &flipped;
  if (4 * g->k * ((g->m + LANES - 1) / LANES * LANES) > ROOM) return false;
  OYI_JOIN(pack, ID)(g, packed);
  OYI_JOIN(by_panels, ID)(g, packed, alpha, beta);
  return true;
}
#undef VECTOR
#undef LANES

// Parts of a row of c: by |by[0]| those of b, by |by[1]| those of b times i.
static inline void OYI_JOIN(outer_row, ID)(int64_t parts, const T* by,
                                           const T* restrict b, const T* restrict turned,
                                           const T* beta, const T* restrict added,
                                           T* restrict to) {
  const T re = by[0], im = by[1], old = beta ? *beta : 0;
  if (!beta)
    for (int64_t i = 0; i < parts; i++) to[i] = re * b[i] + im * turned[i];
  else if (added)
    for (int64_t i = 0; i < parts; i++)
      to[i] = re * b[i] + im * turned[i] + old * added[i];
  else
    for (int64_t i = 0; i < parts; i++) to[i] = re * b[i] + im * turned[i] + old * to[i];
}

// Of two vectors, some columns after others. False: not such, or |beta| is not real.
static __attribute__((noinline)) bool OYI_JOIN(outer, ID)(const oyi_gemm* given,
                                                          const W* alpha, const W* beta) {
  enum { WIDE = 256, SHORT = 4 };
  const bool flips = given->c_row == 1 && (given->m < SHORT || given->c_column != 1);
  const oyi_gemm g = flips ? oyi_gemm_flipped(given) : *given;
  if (g.k != 1 || g.c_column != 1 || g.m < SHORT || g.conjugate || (beta && beta[1] != 0))
    return false;
  const T old = beta ? (T)beta[0] : 0;
  for (int64_t j0 = 0; j0 < g.m; j0 += WIDE) {
    const int64_t columns = g.m - j0 < WIDE ? g.m - j0 : WIDE;
    T b[2 * WIDE], turned[2 * WIDE], *to = (T*)g.c + 2 * j0;
    const T *from = (const T*)g.b + 2 * j0 * g.b_column, *a = g.a;
    const T* added = beta && g.added ? (const T*)g.added + 2 * j0 : NULL;
    for (int64_t j = 0; j < columns; j++, from += 2 * g.b_column) {
      b[2 * j] = turned[2 * j + 1] = from[0];
      b[2 * j + 1] = from[1];
      turned[2 * j] = -from[1];
    }
    for (int64_t i = 0; i < g.n; i++, a += 2 * g.a_row, to += 2 * g.c_row) {
      const T by[2] = {(T)(alpha[0] * a[0] - alpha[1] * a[1]),
                       (T)(alpha[0] * a[1] + alpha[1] * a[0])};
      OYI_JOIN(outer_row, ID)
      (2 * columns, by, b, turned, beta ? &old : NULL, added, to);
      if (added) added += 2 * g.added_row;
    }
  }
  return true;
}

static oy_status OYI_JOIN(gemm, ID)(const oyi_gemm* g) {
  const W alpha[2] = {(W)g->alpha.re, (W)g->alpha.im};
  const W beta[2] = {(W)g->beta.re, (W)g->beta.im};
  const W* reads = oyi_number_is_zero(g->beta) ? NULL : beta;
  enum { SHORT = 8 };
  const bool together = g->a_column == 1 && g->b_row == 1 && g->k > SHORT;
  const W sign = g->conjugate ? -1 : 1;
  if (OYI_JOIN(outer, ID)(g, alpha, reads) || OYI_JOIN(panels, ID)(g, alpha, reads))
    return OY_OK;
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
