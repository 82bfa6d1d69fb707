// SPDX-License-Identifier: Apache-2.0
// Lines of vectors of channels of elements T, named by ID: included once for each type and level.
static void OYI_JOIN(apply, ID)(const oyi_channel_taps* t, int64_t h, const void* image,
                                void* line) {
  const int64_t n = t->channels, row = t->in_w * n;
  const T *first = (const T*)image + t->at_h[2 * h] * row,
          *second = (const T*)image + t->at_h[2 * h + 1] * row;
  const T *wh = (const T*)t->weight_h + 2 * h, *ww = t->weight_w;
  T* restrict to = line;
  for (int64_t x = 0; x < t->out_w; x++, to += n) {
    const int64_t left = t->at_w[2 * x] * n, right = t->at_w[2 * x + 1] * n;
    const T a = wh[0] * ww[2 * x], b = wh[0] * ww[2 * x + 1];
    const T c = wh[1] * ww[2 * x], d = wh[1] * ww[2 * x + 1];
    const T *p = first + left, *q = first + right, *r = second + left,
            *s = second + right;
    for (int64_t i = 0; i < n; i++) to[i] = a * p[i] + b * q[i] + c * r[i] + d * s[i];
  }
}

static inline void OYI_JOIN(add, ID)(int64_t n, T by, const T* restrict from,
                                     T* restrict to) {
  for (int64_t i = 0; i < n; i++) to[i] += by * from[i];
}

static void OYI_JOIN(spread, ID)(const oyi_channel_taps* t, int64_t h, const void* line,
                                 void* image) {
  const int64_t n = t->channels, row = t->in_w * n, count = t->count;
  const T* from = line;
  for (int64_t x = 0; x < t->out_w; x++, from += n)
    for (int64_t p = h * count; p < (h + 1) * count; p++)
      for (int64_t q = x * count; q < (x + 1) * count; q++) {
        const T by =
            t->weight_h ? ((const T*)t->weight_h)[p] * ((const T*)t->weight_w)[q] : (T)1;
        OYI_JOIN(add, ID)(n, by, from, (T*)image + t->at_h[p] * row + t->at_w[q] * n);
      }
}
