// SPDX-License-Identifier: Apache-2.0
// Resampling of one image of elements T, named by ID: included once for each type. See
// taps.c.

// |row| becomes the sum of the rows that the places |d| and |h| see.
static void JOIN(gather_rows, ID)(const walk* a, const T* image, int64_t d, int64_t h,
                                  T* row) {
  const oyi_taps *td = &a->taps[0], *th = &a->taps[1];
  const int64_t width = a->r->in[2];
  for (int64_t i = 0; i < width; i++) row[i] = 0;
  for (int64_t p = 0; p < td->count; p++)
    for (int64_t q = 0; q < th->count; q++) {
      const int64_t at = d * td->count + p, below = h * th->count + q;
      const T by = (T)(weight_at(td, at) * weight_at(th, below));
      const T* in = image + (td->index[at] * a->r->in[1] + th->index[below]) * width;
      for (int64_t i = 0; i < width; i++) row[i] += by * in[i];
    }
}

// A line of the output, each element of |count| of |row|.
static inline __attribute__((always_inline)) void JOIN(gather_line,
                                                       ID)(const oyi_taps* tw,
                                                           const T* row, int64_t width,
                                                           int64_t count, T* to) {
  for (int64_t x = 0; x < width; x++) {
    T sum = 0;
    for (int64_t p = x * count; p < (x + 1) * count; p++)
      sum += (T)weight_at(tw, p) * row[tw->index[p]];
    to[x] = sum;
  }
}

static void JOIN(apply, ID)(const walk* a, const void* in, void* out, void* scratch) {
  const oyi_taps* tw = &a->taps[2];
  T *to = out, *row = scratch;
  for (int64_t d = 0; d < a->r->out[0]; d++)
    for (int64_t h = 0; h < a->r->out[1]; h++) {
      JOIN(gather_rows, ID)(a, in, d, h, row);
      // Linear and cubic ones are worth a loop without a loop inside.
      if (tw->count == 2)
        JOIN(gather_line, ID)(tw, row, a->r->out[2], 2, to);
      else if (tw->count == 4)
        JOIN(gather_line, ID)(tw, row, a->r->out[2], 4, to);
      else
        JOIN(gather_line, ID)(tw, row, a->r->out[2], tw->count, to);
      to += a->r->out[2];
    }
}

static void JOIN(scatter_rows, ID)(const walk* a, const T* row, int64_t d, int64_t h,
                                   T* image) {
  const oyi_taps *td = &a->taps[0], *th = &a->taps[1];
  const int64_t width = a->r->in[2];
  for (int64_t p = 0; p < td->count; p++)
    for (int64_t q = 0; q < th->count; q++) {
      const int64_t at = d * td->count + p, below = h * th->count + q;
      const T by = (T)(weight_at(td, at) * weight_at(th, below));
      T* to = image + (td->index[at] * a->r->in[1] + th->index[below]) * width;
      for (int64_t i = 0; i < width; i++) to[i] += by * row[i];
    }
}

static void JOIN(spread, ID)(const walk* a, const void* grad, void* out, void* scratch) {
  const oyi_taps* tw = &a->taps[2];
  const T* from = grad;
  T* row = scratch;
  memset(out, 0, (size_t)(a->r->in[0] * a->r->in[1] * a->r->in[2]) * sizeof(T));
  for (int64_t d = 0; d < a->r->out[0]; d++)
    for (int64_t h = 0; h < a->r->out[1]; h++) {
      memset(row, 0, (size_t)a->r->in[2] * sizeof(T));
      for (int64_t x = 0; x < a->r->out[2]; x++, from++)
        for (int64_t p = x * tw->count; p < (x + 1) * tw->count; p++)
          row[tw->index[p]] += (T)weight_at(tw, p) * *from;
      JOIN(scatter_rows, ID)(a, row, d, h, out);
    }
}
