// SPDX-License-Identifier: Apache-2.0
// Transforms of lines at the baseline, and the choice by capability level.
#define FFT_BYTES 16
#define FFT_TABLE oyi_fft_lines_base
#include "backends/cpu/fft/fft_lines_body.h"

#include "base/cpu.h"

static const oyi_fft_lines* lines_here(void) {
#if defined(__x86_64__)
  if (oyi_cpu_level() > 0) return &oyi_fft_lines_v3;
#endif
  return &oyi_fft_lines_base;
}

float* oyi_fft_lines_f32(const oyi_fft_plan* plan, int lanes, float* a, float* b) {
  return lines_here()->f32(plan, lanes, a, b);
}
double* oyi_fft_lines_f64(const oyi_fft_plan* plan, int lanes, double* a, double* b) {
  return lines_here()->f64(plan, lanes, a, b);
}
