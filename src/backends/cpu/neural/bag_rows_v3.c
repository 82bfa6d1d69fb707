// SPDX-License-Identifier: Apache-2.0
// Sums of rows of a table, for x86-64-v3 (AVX2).
#include "backends/cpu/neural/bag_rows.h"

#include <string.h>

#include "base/template.h"

// A product and a sum are rounded twice, as they are one by one.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC optimize("O3", "fp-contract=off")
#endif
enum { MOST = 8 };  // vectors of sums at once
#define LEVELED(name) OYI_JOIN(name, v3)
#define BYTES         32
#define T             float
#define ID            f32
#include "backends/cpu/neural/bag_rows_tmpl.h"
#define T  double
#define ID f64
#include "backends/cpu/neural/bag_rows_tmpl.h"
