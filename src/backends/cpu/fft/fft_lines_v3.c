// SPDX-License-Identifier: Apache-2.0
// Transforms of lines for AVX2 and FMA.
#define FFT_BYTES 32
#define FFT_TABLE oyi_fft_lines_v3
#include "backends/cpu/fft/fft_lines_body.h"
