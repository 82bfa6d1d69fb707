// SPDX-License-Identifier: Apache-2.0
// Passes over vectors: V, of W elements of type T, or T itself. Included with NAME(x) and
// PASS(x), x with the suffixes of T and of V. Blocks have one vector or more; the last one
// lies over the one before it where they are no whole number.
#define GET(at) (*(const V*)(const void*)(at))
#define SET(at) (*(V*)(void*)(at))
#define EACH_VECTOR(i)           \
  for (int64_t i = 0; i < block; \
       i = i + W >= block || i + 2 * W <= block ? i + W : block - W)

INLINE void PASS(pass_2)(const NAME(pass) * w, int64_t j) {
  const int64_t block = w->block, next = w->m * block;
  const T c = w->roots[2 * j * w->stride], s = w->roots[2 * j * w->stride + 1];
  const T *re = w->from_re + j * block, *im = w->from_im + j * block;
  T *to_re = w->to_re + 2 * j * block, *to_im = w->to_im + 2 * j * block;
  EACH_VECTOR(i) {
    const V a = GET(re + i), b = GET(im + i);
    const V x = GET(re + i + next), y = GET(im + i + next);
    SET(to_re + i) = a + x, SET(to_im + i) = b + y;
    SET(to_re + i + block) = (a - x) * c - (b - y) * s;
    SET(to_im + i + block) = (a - x) * s + (b - y) * c;
  }
}

INLINE void PASS(pass_4)(const NAME(pass) * w, int64_t j) {
  const int64_t block = w->block, next = w->m * block;
  const T *w1 = w->roots + 2 * j * w->stride, *w2 = w->roots + 4 * j * w->stride,
          *w3 = w->roots + 6 * j * w->stride;
  const T c1 = w1[0], s1 = w1[1], c2 = w2[0], s2 = w2[1], c3 = w3[0], s3 = w3[1];
  const T *re = w->from_re + j * block, *im = w->from_im + j * block;
  T *to_re = w->to_re + 4 * j * block, *to_im = w->to_im + 4 * j * block;
  EACH_VECTOR(i) {
    const V p = GET(re + i), q = GET(re + i + next), r = GET(re + i + 2 * next),
            t = GET(re + i + 3 * next);
    const V a = p + r, c = p - r, e = q + t, g = q - t;
    const V k = GET(im + i), l = GET(im + i + next), m = GET(im + i + 2 * next),
            n = GET(im + i + 3 * next);
    const V b = k + m, d = k - m, f = l + n, h = l - n;
    SET(to_re + i) = a + e, SET(to_im + i) = b + f;
    SET(to_re + i + block) = (c + h) * c1 - (d - g) * s1;
    SET(to_im + i + block) = (c + h) * s1 + (d - g) * c1;
    SET(to_re + i + 2 * block) = (a - e) * c2 - (b - f) * s2;
    SET(to_im + i + 2 * block) = (a - e) * s2 + (b - f) * c2;
    SET(to_re + i + 3 * block) = (c - h) * c3 - (d + g) * s3;
    SET(to_im + i + 3 * block) = (c - h) * s3 + (d + g) * c3;
  }
}

// An odd factor: the sums and differences of the elements r and p - r have real factors.
INLINE void PASS(pass_odd)(const NAME(pass) * w, int64_t j, int p) {
  const int64_t block = w->block, next = w->m * block, step = w->length / p;
  const int half = p / 2;
  V sums[2][OYI_FFT_PRIME / 2 + 1], rests[2][OYI_FFT_PRIME / 2 + 1];
  EACH_VECTOR(k) {
    const T *re = w->from_re + j * block + k, *im = w->from_im + j * block + k;
    T *to_re = w->to_re + p * j * block + k, *to_im = w->to_im + p * j * block + k;
    const V first_re = GET(re), first_im = GET(im);
    V all_re = first_re, all_im = first_im;
    for (int q = 1; q <= half; q++) {
      const int64_t i = q * next, o = (p - q) * next;
      const V a = GET(re + i), b = GET(im + i), c = GET(re + o), d = GET(im + o);
      sums[0][q] = a + c, sums[1][q] = b + d;
      rests[0][q] = a - c, rests[1][q] = b - d;
      all_re += sums[0][q], all_im += sums[1][q];
    }
    SET(to_re) = all_re, SET(to_im) = all_im;
    for (int r = 1; r <= half; r++) {
      V even_re = first_re, even_im = first_im, odd_re = {0}, odd_im = {0};
      for (int q = 1, turn = r; q <= half; q++, turn += r) {
        if (turn >= p) turn -= p;
        const T *root = w->roots + 2 * step * turn, c = root[0], s = root[1];
        even_re += c * sums[0][q], even_im += c * sums[1][q];
        odd_re -= s * rests[1][q], odd_im += s * rests[0][q];
      }
      const T *w1 = w->roots + 2 * j * r * w->stride,
              *w2 = w->roots + 2 * j * (p - r) * w->stride;
      const V a = even_re + odd_re, b = even_im + odd_im;
      const V c = even_re - odd_re, d = even_im - odd_im;
      const int64_t i = r * block, o = (p - r) * block;
      SET(to_re + i) = a * w1[0] - b * w1[1], SET(to_im + i) = a * w1[1] + b * w1[0];
      SET(to_re + o) = c * w2[0] - d * w2[1], SET(to_im + o) = c * w2[1] + d * w2[0];
    }
  }
}

static void PASS(run_pass)(const NAME(pass) * w, int64_t p) {
  if (p == 4)
    for (int64_t j = 0; j < w->m; j++) PASS(pass_4)(w, j);
  else if (p == 2)
    for (int64_t j = 0; j < w->m; j++) PASS(pass_2)(w, j);
  else if (p == 3)
    for (int64_t j = 0; j < w->m; j++) PASS(pass_odd)(w, j, 3);
  else if (p == 5)
    for (int64_t j = 0; j < w->m; j++) PASS(pass_odd)(w, j, 5);
  else
    for (int64_t j = 0; j < w->m; j++) PASS(pass_odd)(w, j, (int)p);
}
#undef GET
#undef SET
#undef EACH_VECTOR
#undef V
#undef W
#undef PASS
