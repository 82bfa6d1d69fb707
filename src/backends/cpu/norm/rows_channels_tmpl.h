// SPDX-License-Identifier: Apache-2.0
// Normalisation of up to OYI_COLUMNS channels that lie side by side, one in each column.
// Part of rows_tmpl.h.
#define CHANNEL_ROWS 512  // that are added up in T

static void F(column_sums)(int64_t n, int64_t stride, int64_t columns, const void* in,
                           const void* mean_, double* sums) {
  const T* mean = mean_;
  for (int64_t c = 0; c < columns; c++) sums[c] = 0;
  for (int64_t from = 0; from < n; from += CHANNEL_ROWS) {
    const int64_t to = n - from < CHANNEL_ROWS ? n : from + CHANNEL_ROWS;
    T part[OYI_COLUMNS] = {0};
    for (int64_t r = from; r < to; r++) {
      const T* x = (const T*)in + r * stride;
      if (mean) {
        OYI_INDEPENDENT
        for (int64_t c = 0; c < columns; c++)
          part[c] += (x[c] - mean[c]) * (x[c] - mean[c]);
      } else {
        OYI_INDEPENDENT
        for (int64_t c = 0; c < columns; c++) part[c] += x[c];
      }
    }
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

static void F(column_products)(int64_t n, int64_t stride, int64_t columns,
                               const void* grad, const void* in, const void* mean_,
                               double* sums, double* products) {
  const T* mean = mean_;
  for (int64_t c = 0; c < columns; c++) sums[c] = products[c] = 0;
  for (int64_t from = 0; from < n; from += CHANNEL_ROWS) {
    const int64_t to = n - from < CHANNEL_ROWS ? n : from + CHANNEL_ROWS;
    T part[OYI_COLUMNS] = {0}, product[OYI_COLUMNS] = {0};
    for (int64_t r = from; r < to; r++) {
      const T *x = (const T*)in + r * stride, *g = (const T*)grad + r * stride;
      OYI_INDEPENDENT
      for (int64_t c = 0; c < columns; c++) {
        part[c] += g[c];
        product[c] += g[c] * (x[c] - mean[c]);
      }
    }
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
