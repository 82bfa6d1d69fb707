// SPDX-License-Identifier: Apache-2.0
// Orthogonal polynomials by their recurrences (DLMF 18.9); Chebyshev's of high degrees by
// angles (DLMF 18.5). In float as floats compute them: PyTorch's have these digits too.
#include <math.h>
#include <stdint.h>

#include "backends/cpu/pointwise/special_math.h"

#define T       float
#define NAME(x) x##_f32
#define FN(x)   x##f
#include "backends/cpu/pointwise/special_polynomials_tmpl.h"
#undef T
#undef NAME
#undef FN
#define T       double
#define NAME(x) x##_f64
#define FN(x)   x
#include "backends/cpu/pointwise/special_polynomials_tmpl.h"
