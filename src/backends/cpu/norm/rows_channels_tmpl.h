// SPDX-License-Identifier: Apache-2.0
// Normalisation of up to OYI_COLUMNS channels that lie side by side, one in each column.
// Part of rows_tmpl.h.
#define CHANNEL_ROWS 512  // that are added up in T
#define CHANNEL_STEP 4    // of them are read side by side, and added in order

static void F(add_four)(int64_t stride, int64_t columns, const T* x, const T* mean,
                        T* part) {
  const T *y = x + stride, *z = y + stride, *last = z + stride;
  if (mean) {
    OYI_INDEPENDENT
    for (int64_t c = 0; c < columns; c++) {
      const T m = mean[c], p = x[c] - m, q = y[c] - m, r = z[c] - m, s = last[c] - m;
      part[c] = part[c] + p * p + q * q + r * r + s * s;
    }
  } else {
    OYI_INDEPENDENT
    for (int64_t c = 0; c < columns; c++)
      part[c] = part[c] + x[c] + y[c] + z[c] + last[c];
  }
}

static void F(add_one)(int64_t columns, const T* x, const T* mean, T* part) {
  if (mean) {
    OYI_INDEPENDENT
    for (int64_t c = 0; c < columns; c++) part[c] += (x[c] - mean[c]) * (x[c] - mean[c]);
  } else {
    OYI_INDEPENDENT
    for (int64_t c = 0; c < columns; c++) part[c] += x[c];
  }
}

static void F(column_sums)(int64_t n, int64_t stride, int64_t columns, const void* in,
                           const void* mean, double* sums) {
  for (int64_t c = 0; c < columns; c++) sums[c] = 0;
  for (int64_t from = 0; from < n; from += CHANNEL_ROWS) {
    const int64_t to = n - from < CHANNEL_ROWS ? n : from + CHANNEL_ROWS;
    T part[OYI_COLUMNS];
    memset(part, 0, (size_t)columns * sizeof(T));
    int64_t r = from;
    for (; r + CHANNEL_STEP <= to; r += CHANNEL_STEP)
      F(add_four)(stride, columns, (const T*)in + r * stride, mean, part);
    for (; r < to; r++) F(add_one)(columns, (const T*)in + r * stride, mean, part);
    for (int64_t c = 0; c < columns; c++) sums[c] += (double)part[c];
  }
}

static void F(affine_columns)(int64_t n, int64_t stride, int64_t columns, const void* in,
                              void* out, const void* by_) {
  const T *mean = by_, *scale = mean + OYI_COLUMNS, *shift = scale + OYI_COLUMNS;
  for (int64_t r = 0; r < n; r++) {
    const T* x = (const T*)in + r * stride;
    T* y = (T*)out + r * stride;
    OYI_INDEPENDENT
    for (int64_t c = 0; c < columns; c++) y[c] = (x[c] - mean[c]) * scale[c] + shift[c];
  }
}

static void F(add_four_products)(int64_t stride, int64_t columns, const T* g, const T* x,
                                 const T* mean, T* part, T* product) {
  const T *h = g + stride, *i = h + stride, *j = i + stride;
  const T *y = x + stride, *z = y + stride, *last = z + stride;
  OYI_INDEPENDENT
  for (int64_t c = 0; c < columns; c++) {
    const T m = mean[c];
    part[c] = part[c] + g[c] + h[c] + i[c] + j[c];
    product[c] = product[c] + g[c] * (x[c] - m) + h[c] * (y[c] - m) + i[c] * (z[c] - m) +
                 j[c] * (last[c] - m);
  }
}

static void F(add_products_of_one)(int64_t columns, const T* g, const T* x, const T* mean,
                                   T* part, T* product) {
  OYI_INDEPENDENT
  for (int64_t c = 0; c < columns; c++) {
    part[c] += g[c];
    product[c] += g[c] * (x[c] - mean[c]);
  }
}

static void F(column_products)(int64_t n, int64_t stride, int64_t columns,
                               const void* grad, const void* in, const void* mean,
                               double* sums, double* products) {
  const T *g = grad, *x = in;
  for (int64_t c = 0; c < columns; c++) sums[c] = products[c] = 0;
  for (int64_t from = 0; from < n; from += CHANNEL_ROWS) {
    const int64_t to = n - from < CHANNEL_ROWS ? n : from + CHANNEL_ROWS;
    T part[OYI_COLUMNS], product[OYI_COLUMNS];
    memset(part, 0, (size_t)columns * sizeof(T));
    memset(product, 0, (size_t)columns * sizeof(T));
    int64_t r = from;
    for (; r + CHANNEL_STEP <= to; r += CHANNEL_STEP) F(add_four_products)
    (stride, columns, g + r * stride, x + r * stride, mean, part, product);
    for (; r < to; r++) F(add_products_of_one)
    (columns, g + r * stride, x + r * stride, mean, part, product);
    for (int64_t c = 0; c < columns; c++) {
      sums[c] += (double)part[c];
      products[c] += (double)product[c];
    }
  }
}

static void F(blend_columns)(int64_t n, int64_t stride, int64_t columns, const void* grad,
                             const void* in, void* out, const void* by_) {
  const T *mean = by_, *scale = mean + OYI_COLUMNS, *slope = scale + OYI_COLUMNS;
  const T* shift = slope + OYI_COLUMNS;
  for (int64_t r = 0; r < n; r++) {
    const T *x = (const T*)in + r * stride, *g = (const T*)grad + r * stride;
    T* y = (T*)out + r * stride;
    OYI_INDEPENDENT
    for (int64_t c = 0; c < columns; c++)
      y[c] = g[c] * scale[c] + (x[c] - mean[c]) * slope[c] + shift[c];
  }
}
#undef CHANNEL_ROWS
#undef CHANNEL_STEP
