// SPDX-License-Identifier: Apache-2.0
// The transforms of lines of fft.h for one capability level: FFT_BYTES and FFT_TABLE, what
// they are called by, are given.
#include <string.h>

#include "backends/cpu/fft/fft.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#define INLINE static inline __attribute__((always_inline))

#define T       float
#define NAME(x) x##_f32
#include "backends/cpu/fft/fft_tmpl.h"
#undef T
#undef NAME
#define T       double
#define NAME(x) x##_f64
#include "backends/cpu/fft/fft_tmpl.h"
#undef T
#undef NAME

const oyi_fft_lines FFT_TABLE = {lines_f32, lines_f64};
