// SPDX-License-Identifier: Apache-2.0
// Single lines of tensors into buffers and back, and blocks of either kind, in one
// precision: T, and NAME(x), x with its suffix. Real lines of even length n are lines of
// n / 2 complex numbers, with steps that put the transform of them together.
#include "backends/cpu/fft/fft_tiles_tmpl.h"

#define AT(address, step, k) ((T*)(void*)((address) + (k) * (step)))

// Where element |k| is; a backward transform is a forward one of the parts exchanged.
#define PUT(k, x, y)              \
  do {                            \
    re[k] = backward ? (y) : (x); \
    im[k] = backward ? (x) : (y); \
  } while (0)
#define RE(k) (backward ? im[k] : re[k])
#define IM(k) (backward ? re[k] : im[k])

static void NAME(load)(const job* j, char* from, T* work) {
  const int64_t n = j->n, half = n / 2, step = j->in_step;
  const bool backward = j->backward;
  T *re = work, *im = work + j->plan.length;
  if (j->kind == FROM_REAL) {
    for (int64_t k = 0; k < j->plan.n; k++)
      if (j->halved)
        PUT(k, *AT(from, step, 2 * k), *AT(from, step, 2 * k + 1));
      else
        PUT(k, *AT(from, step, k), 0);
    return;
  }
  for (int64_t k = 0; j->kind == COMPLEX && k < n; k++)
    PUT(k, AT(from, step, k)[0], AT(from, step, k)[1]);
  if (j->kind == COMPLEX) return;
  // The first element, and of even lengths the middle one, are real.
  for (int64_t k = 0; !j->halved && k <= half; k++) {
    const T x = AT(from, step, k)[0], y = k ? AT(from, step, k)[1] : 0;
    PUT(k, x, y);
    if (k) PUT(n - k, x, -y);
  }
  const T* twist = j->plan.twist;
  for (int64_t k = 0; j->halved && k < half; k++) {
    const T *one = AT(from, step, k), *two = AT(from, step, half - k);
    const T one_im = k ? one[1] : 0, two_im = k ? two[1] : 0;
    const T c = twist[2 * k], s = -twist[2 * k + 1];
    const T x = one[0] - two[0], y = one_im + two_im;
    PUT(k, one[0] + two[0] - (x * s + y * c), one_im - two_im + (x * c - y * s));
  }
}

static void NAME(store)(const job* j, char* to, const T* work) {
  const int64_t n = j->n, half = n / 2, step = j->out_step;
  const bool backward = j->backward;
  const T scale = (T)j->scale;
  const T *re = work, *im = work + j->plan.length;
  if (j->kind == COMPLEX) {
    for (int64_t k = 0; k < n; k++)
      AT(to, step, k)[0] = RE(k) * scale, AT(to, step, k)[1] = IM(k) * scale;
    return;
  }
  if (j->kind == TO_REAL) {
    for (int64_t k = 0; k < j->plan.n; k++)
      if (j->halved)
        *AT(to, step, 2 * k) = RE(k) * scale, *AT(to, step, 2 * k + 1) = IM(k) * scale;
      else
        *AT(to, step, k) = RE(k) * scale;
    return;
  }
  const T *twist = j->plan.twist, quarter = scale / 2;
  for (int64_t k = 0; k <= half; k++) {
    T x, y;
    if (j->halved) {
      const int64_t a = k < half ? k : 0, b = k ? half - k : 0;
      const T sum_re = RE(a) + RE(b), sum_im = IM(a) - IM(b);
      // Over i.
      const T rest_re = IM(a) + IM(b), rest_im = RE(b) - RE(a);
      const T c = twist[2 * k], s = twist[2 * k + 1];
      x = (sum_re + rest_re * c - rest_im * s) * quarter;
      y = (sum_im + rest_re * s + rest_im * c) * quarter;
    } else {
      x = RE(k) * scale, y = IM(k) * scale;
    }
    AT(to, step, k)[0] = x, AT(to, step, k)[1] = y;
    if (j->mirrored && k && 2 * k != n)
      AT(to, step, n - k)[0] = x, AT(to, step, n - k)[1] = -y;
  }
}

// Lines that leave most lanes empty go one after the other.
enum { NAME(FEW) = 3 };
static void NAME(single)(const job* j, const lines* in, const lines* out, T* a, T* b) {
  for (int r = 0; r < in->runs; r++)
    for (int l = 0; l < in->sizes[r]; l++) {
      NAME(load)(j, in->at[r] + l * in->apart, a);
      NAME(store)
      (j, out->at[r] + l * out->apart, NAME(oyi_fft_lines)(&j->plan, 1, a, b));
    }
}

static void NAME(block)(const job* j, const lines* in, const lines* out, T* a, T* b) {
  if (in->count <= NAME(FEW)) {
    NAME(single)(j, in, out, a, b);
    return;
  }
  if (in->count < OYI_FFT_LANES)
    memset(a, 0, (size_t)oyi_fft_work(&j->plan, OYI_FFT_LANES) * sizeof(T));
  NAME(load_lines)(j, in, a);
  NAME(store_lines)(j, out, NAME(oyi_fft_lines)(&j->plan, OYI_FFT_LANES, a, b));
}
#undef AT
#undef PUT
#undef RE
#undef IM
