// SPDX-License-Identifier: Apache-2.0
// Orthogonal polynomials by their recurrences (DLMF 18.9); Chebyshev's of high degrees by
// angles (DLMF 18.5). In float as floats compute them: PyTorch's have these digits too.
#include <math.h>
#include <stdint.h>

#include "backends/cpu/pointwise/special_math.h"

// Greater degrees take too long by recurrence: special_polynomials_great.c.
static const int64_t g_steep = 1 << 20;

#define T            float
#define NAME(x)      x##_f32
#define FN(x)        x##f
#define HERMITE_MOST 128
#include "backends/cpu/pointwise/special_polynomials_tmpl.h"
#undef T
#undef NAME
#undef FN
#undef HERMITE_MOST
#define T            double
#define NAME(x)      x##_f64
#define FN(x)        x
#define HERMITE_MOST 512
#include "backends/cpu/pointwise/special_polynomials_tmpl.h"
