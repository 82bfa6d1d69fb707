// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of lines of complex numbers: of lengths without great prime factors
// by Stockham's passes, of others as a convolution (Bluestein 1970).
#ifndef OPYARD_SRC_BACKENDS_CPU_FFT_FFT_H_
#define OPYARD_SRC_BACKENDS_CPU_FFT_FFT_H_

#include "opyard/status.h"

enum {
  OYI_FFT_FACTORS = 64,
  OYI_FFT_PRIME = 100,  // no factor of a pass is greater: convolutions are faster
  OYI_FFT_LANES = 8,    // lines that are transformed side by side
};

// How lines of |n| numbers are transformed; the same for any number of threads.
typedef struct oyi_fft_plan {
  int64_t n;
  int64_t length;  // of the passes: n, or that of the convolution
  int64_t factors[OYI_FFT_FACTORS];
  int count;
  bool is_float;
  void* roots;   // exp(-2 pi i k / length), k < length
  void* chirp;   // exp(-pi i k k / n), k < n; NULL where passes do
  void* filter;  // the transform of what the convolution is with, over its length
  bool halved;   // for real lines of 2 n numbers
  void* twist;   // exp(-pi i k / n), k <= n, if |halved|
} oyi_fft_plan;

// |n| from 1 on. OUT_OF_MEMORY. oyi_fft_plan_end also after a failure.
oy_status oyi_fft_plan_begin(oyi_fft_plan* plan, int64_t n, bool is_float, bool halved);
void oyi_fft_plan_end(oyi_fft_plan* plan);

// A table of |count| complex numbers: exp(-2 pi i k / n), a chirp, or what it becomes.
typedef struct oyi_fft_table {
  enum { OYI_FFT_ROOTS, OYI_FFT_CHIRP, OYI_FFT_FILTER } kind;
  bool is_float;
  int64_t n, count;
} oyi_fft_table;
// |size| bytes of one that was made lately; false if there is none at hand. Threads may
// call both at once.
bool oyi_fft_recall(const oyi_fft_table* table, void* to, size_t size);
void oyi_fft_remember(const oyi_fft_table* table, const void* from, size_t size);

// Real numbers in one buffer, for |lanes| (1 or OYI_FFT_LANES) lines.
static inline int64_t oyi_fft_work(const oyi_fft_plan* plan, int lanes) {
  return 2 * plan->length * lanes;
}
// Transforms |lanes| lines, forward and without a factor. A buffer has the real parts of
// all elements and then, |length| * lanes further on, the imaginary ones; lane l of element
// k is at k * lanes + l. The first n elements of |a| are read. Gives |a| or |b|, whichever
// has the result; both are written. With the parts exchanged on both sides the transform
// is the backward one.
float* oyi_fft_lines_f32(const oyi_fft_plan* plan, int lanes, float* a, float* b);
double* oyi_fft_lines_f64(const oyi_fft_plan* plan, int lanes, double* a, double* b);

// These by capability level.
typedef struct oyi_fft_lines {
  float* (*f32)(const oyi_fft_plan* plan, int lanes, float* a, float* b);
  double* (*f64)(const oyi_fft_plan* plan, int lanes, double* a, double* b);
} oyi_fft_lines;
extern const oyi_fft_lines oyi_fft_lines_base, oyi_fft_lines_v3;

#endif  // OPYARD_SRC_BACKENDS_CPU_FFT_FFT_H_
