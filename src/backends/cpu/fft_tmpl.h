// SPDX-License-Identifier: Apache-2.0
// The passes in one precision. Included with T, the type, and NAME(x), x with its suffix.
// Elements of a buffer are vectors of |lanes| numbers, a constant wherever this is inlined.
#define INLINE static inline __attribute__((always_inline))

// One pass, of factor |p|: |stride| transforms of length |p| * |m| become p * stride of
// length m (Stockham 1966, decimation in frequency).
typedef struct NAME(pass) {
  const T *from_re, *from_im;
  T *to_re, *to_im;
  const T* roots;
  int64_t length, m, stride;
} NAME(pass);

INLINE void NAME(pass_2)(const NAME(pass) * w, int64_t j, int lanes) {
  const int64_t block = w->stride * lanes, next = w->m * block;
  const T c = w->roots[2 * j * w->stride], s = w->roots[2 * j * w->stride + 1];
  const T *re = w->from_re + j * block, *im = w->from_im + j * block;
  T *to_re = w->to_re + 2 * j * block, *to_im = w->to_im + 2 * j * block;
  for (int64_t k = 0; k < block; k += lanes)
    for (int l = 0; l < lanes; l++) {
      const int64_t i = k + l;
      const T a = re[i], b = im[i], x = re[i + next], y = im[i + next];
      to_re[i] = a + x, to_im[i] = b + y;
      to_re[i + block] = (a - x) * c - (b - y) * s;
      to_im[i + block] = (a - x) * s + (b - y) * c;
    }
}

INLINE void NAME(pass_4)(const NAME(pass) * w, int64_t j, int lanes) {
  const int64_t block = w->stride * lanes, next = w->m * block;
  const T *w1 = w->roots + 2 * j * w->stride, *w2 = w->roots + 4 * j * w->stride,
          *w3 = w->roots + 6 * j * w->stride;
  const T *re = w->from_re + j * block, *im = w->from_im + j * block;
  T *to_re = w->to_re + 4 * j * block, *to_im = w->to_im + 4 * j * block;
  for (int64_t k = 0; k < block; k += lanes)
    for (int l = 0; l < lanes; l++) {
      const int64_t i = k + l;
      const T a = re[i] + re[i + 2 * next], b = im[i] + im[i + 2 * next];
      const T c = re[i] - re[i + 2 * next], d = im[i] - im[i + 2 * next];
      const T e = re[i + next] + re[i + 3 * next], f = im[i + next] + im[i + 3 * next];
      const T g = re[i + next] - re[i + 3 * next], h = im[i + next] - im[i + 3 * next];
      to_re[i] = a + e, to_im[i] = b + f;
      to_re[i + block] = (c + h) * w1[0] - (d - g) * w1[1];
      to_im[i + block] = (c + h) * w1[1] + (d - g) * w1[0];
      to_re[i + 2 * block] = (a - e) * w2[0] - (b - f) * w2[1];
      to_im[i + 2 * block] = (a - e) * w2[1] + (b - f) * w2[0];
      to_re[i + 3 * block] = (c - h) * w3[0] - (d + g) * w3[1];
      to_im[i + 3 * block] = (c - h) * w3[1] + (d + g) * w3[0];
    }
}

// An odd factor: the sums and differences of the elements r and p - r have real factors.
INLINE void NAME(pass_odd)(const NAME(pass) * w, int64_t j, int p, int lanes) {
  const int64_t block = w->stride * lanes, next = w->m * block, step = w->length / p;
  const int half = p / 2;
  T sums[2][OYI_FFT_PRIME / 2 + 1][OYI_FFT_LANES],
      rests[2][OYI_FFT_PRIME / 2 + 1][OYI_FFT_LANES];
  for (int64_t k = 0; k < block; k += lanes) {
    const T *re = w->from_re + j * block + k, *im = w->from_im + j * block + k;
    T *to_re = w->to_re + p * j * block + k, *to_im = w->to_im + p * j * block + k;
    for (int l = 0; l < lanes; l++) to_re[l] = re[l], to_im[l] = im[l];
    for (int q = 1; q <= half; q++)
      for (int l = 0; l < lanes; l++) {
        const int64_t i = q * next + l, o = (p - q) * next + l;
        sums[0][q][l] = re[i] + re[o], sums[1][q][l] = im[i] + im[o];
        rests[0][q][l] = re[i] - re[o], rests[1][q][l] = im[i] - im[o];
        to_re[l] += sums[0][q][l], to_im[l] += sums[1][q][l];
      }
    for (int r = 1; r <= half; r++) {
      T even[2][OYI_FFT_LANES], odd[2][OYI_FFT_LANES];
      for (int l = 0; l < lanes; l++)
        even[0][l] = re[l], even[1][l] = im[l], odd[0][l] = odd[1][l] = 0;
      for (int q = 1; q <= half; q++) {
        const T *root = w->roots + 2 * step * (q * r % p), c = root[0], s = root[1];
        for (int l = 0; l < lanes; l++) {
          even[0][l] += c * sums[0][q][l], even[1][l] += c * sums[1][q][l];
          odd[0][l] -= s * rests[1][q][l], odd[1][l] += s * rests[0][q][l];
        }
      }
      const T *w1 = w->roots + 2 * j * r * w->stride,
              *w2 = w->roots + 2 * j * (p - r) * w->stride;
      for (int l = 0; l < lanes; l++) {
        const T a = even[0][l] + odd[0][l], b = even[1][l] + odd[1][l];
        const T c = even[0][l] - odd[0][l], d = even[1][l] - odd[1][l];
        const int64_t i = r * block + l, o = (p - r) * block + l;
        to_re[i] = a * w1[0] - b * w1[1], to_im[i] = a * w1[1] + b * w1[0];
        to_re[o] = c * w2[0] - d * w2[1], to_im[o] = c * w2[1] + d * w2[0];
      }
    }
  }
}

INLINE void NAME(run_pass)(const NAME(pass) * w, int64_t p, int lanes) {
  for (int64_t j = 0; j < w->m; j++)
    if (p == 4)
      NAME(pass_4)(w, j, lanes);
    else if (p == 2)
      NAME(pass_2)(w, j, lanes);
    else if (p == 3)
      NAME(pass_odd)(w, j, 3, lanes);
    else if (p == 5)
      NAME(pass_odd)(w, j, 5, lanes);
    else
      NAME(pass_odd)(w, j, (int)p, lanes);
}

static T* NAME(passes)(const oyi_fft_plan* plan, int lanes, T* a, T* b) {
  const int64_t apart = plan->length * lanes;
  NAME(pass)
  w = {.roots = plan->roots, .length = plan->length, .m = plan->length, .stride = 1};
  for (int f = 0; f < plan->count; f++) {
    const int64_t p = plan->factors[f];
    w.m /= p;
    w.from_re = a, w.from_im = a + apart, w.to_re = b, w.to_im = b + apart;
    if (lanes == 1)
      NAME(run_pass)(&w, p, 1);
    else
      NAME(run_pass)(&w, p, OYI_FFT_LANES);
    w.stride *= p;
    T* result = b;
    b = a, a = result;
  }
  return a;
}

// Multiplies |count| elements by |factors|; conjugated factors have |sign| -1.
static void NAME(multiply)(T* x, int64_t apart, const T* factors, int64_t count,
                           int lanes) {
  for (int64_t k = 0; k < count; k++)
    for (int l = 0; l < lanes; l++) {
      T *re = x + k * lanes + l, *im = re + apart;
      const T a = *re, b = *im;
      *re = a * factors[2 * k] - b * factors[2 * k + 1];
      *im = a * factors[2 * k + 1] + b * factors[2 * k];
    }
}
static void NAME(exchange)(T* x, int64_t apart) {
  for (int64_t i = 0; i < apart; i++) {
    const T re = x[i];
    x[i] = x[i + apart], x[i + apart] = re;
  }
}

T* NAME(oyi_fft_lines)(const oyi_fft_plan* plan, int lanes, T* a, T* b) {
  if (!plan->chirp) return NAME(passes)(plan, lanes, a, b);
  // j k = (j j + k k - (k - j)(k - j)) / 2 makes a convolution of the transform.
  const int64_t apart = plan->length * lanes, rest = (plan->length - plan->n) * lanes;
  NAME(multiply)(a, apart, plan->chirp, plan->n, lanes);
  memset(a + plan->n * lanes, 0, (size_t)rest * sizeof(T));
  memset(a + apart + plan->n * lanes, 0, (size_t)rest * sizeof(T));
  T *result = NAME(passes)(plan, lanes, a, b), *other = result == a ? b : a;
  NAME(multiply)(result, apart, plan->filter, plan->length, lanes);
  NAME(exchange)(result, apart);
  result = NAME(passes)(plan, lanes, result, other);
  NAME(exchange)(result, apart);
  NAME(multiply)(result, apart, plan->chirp, plan->n, lanes);
  return result;
}

// ------------------------------------------------------------------------- tables

static bool NAME(make_roots)(oyi_fft_plan* plan) {
  T* roots = plan->roots = oyi_calloc((size_t)plan->length, 2 * sizeof(T));
  for (int64_t k = 0; roots && k < plan->length; k++) {
    double re, im;
    oyi_fft_root(k, plan->length, &re, &im);
    roots[2 * k] = (T)re, roots[2 * k + 1] = (T)im;
  }
  return roots;
}

// The chirp, and the transform of its conjugate around 0 over the length, which the way
// back does not divide by.
static bool NAME(make_chirp)(oyi_fft_plan* plan) {
  const int64_t n = plan->n, length = plan->length;
  T* chirp = plan->chirp = oyi_calloc((size_t)n, 2 * sizeof(T));
  T* filter = plan->filter = oyi_calloc((size_t)length, 2 * sizeof(T));
  T* work = oyi_calloc((size_t)length, 4 * sizeof(T));
  for (int64_t k = 0, square = 0; chirp && filter && work && k < n; k++) {
    double re, im;
    oyi_fft_root(square, 2 * n, &re, &im);
    square = (square + 2 * k + 1) % (2 * n);
    chirp[2 * k] = (T)re, chirp[2 * k + 1] = (T)im;
    const int64_t mirror = k ? length - k : 0;
    work[k] = work[mirror] = (T)(re / (double)length);
    work[k + length] = work[mirror + length] = (T)(-im / (double)length);
  }
  const bool good = chirp && filter && work;
  const T* made = good ? NAME(passes)(plan, 1, work, work + 2 * length) : NULL;
  for (int64_t k = 0; good && k < length; k++)
    filter[2 * k] = made[k], filter[2 * k + 1] = made[k + length];
  oyi_free(work);
  return good;
}
#undef INLINE
