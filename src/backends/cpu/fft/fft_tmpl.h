// SPDX-License-Identifier: Apache-2.0
// The transform of lines in one precision: T, and NAME(x), x with its suffix. FFT_BYTES is
// the width of a vector register.

// One pass, of factor |p|: |stride| transforms of length |p| * |m| become p * stride of
// length m (Stockham 1966, decimation in frequency). The elements that a root is for lie
// together: |block| of them, of all transforms and lanes.
typedef struct NAME(pass) {
  const T *from_re, *from_im;
  T *to_re, *to_im;
  const T* roots;
  int64_t length, m, stride, block;
} NAME(pass);

typedef T NAME(wide)
    __attribute__((vector_size(FFT_BYTES), aligned(sizeof(T)), may_alias));
#define V       NAME(wide)
#define W       (FFT_BYTES / (int64_t)sizeof(T))
#define PASS(x) NAME(x##_wide)
#include "backends/cpu/fft/fft_pass_tmpl.h"
typedef T NAME(half)
    __attribute__((vector_size(FFT_BYTES / 2), aligned(sizeof(T)), may_alias));
#define V       NAME(half)
#define W       (FFT_BYTES / 2 / (int64_t)sizeof(T))
#define PASS(x) NAME(x##_half)
#include "backends/cpu/fft/fft_pass_tmpl.h"
#define V       T
#define W       1
#define PASS(x) NAME(x##_one)
#include "backends/cpu/fft/fft_pass_tmpl.h"

static T* NAME(passes)(const oyi_fft_plan* plan, int lanes, T* a, T* b) {
  const int64_t apart = plan->length * lanes;
  NAME(pass)
  w = {.roots = plan->roots, .length = plan->length, .m = plan->length, .stride = 1};
  for (int f = 0; f < plan->count; f++) {
    const int64_t p = plan->factors[f];
    w.m /= p;
    w.block = w.stride * lanes;
    w.from_re = a, w.from_im = a + apart, w.to_re = b, w.to_im = b + apart;
    if (w.block >= FFT_BYTES / (int64_t)sizeof(T))
      NAME(run_pass_wide)(&w, p);
    else if (w.block >= FFT_BYTES / 2 / (int64_t)sizeof(T))
      NAME(run_pass_half)(&w, p);
    else
      NAME(run_pass_one)(&w, p);
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

static T* NAME(lines)(const oyi_fft_plan* plan, int lanes, T* a, T* b) {
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
