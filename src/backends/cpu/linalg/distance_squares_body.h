// SPDX-License-Identifier: Apache-2.0
// The loops of distance_squares.h for the level that the including file is built for;
// SQUARES_TABLE is the name of the table.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math")
#endif
#include "backends/cpu/linalg/distance_squares.h"
#include "base/template.h"

#define T   float
#define INT int32_t
#define ID  f32
#include "backends/cpu/linalg/distance_squares_tmpl.h"
#define T   double
#define INT int64_t
#define ID  f64
#include "backends/cpu/linalg/distance_squares_tmpl.h"

extern const oyi_distance_squares SQUARES_TABLE[2];
const oyi_distance_squares SQUARES_TABLE[2] = {{complete_f32, differences_f32},
                                               {complete_f64, differences_f64}};
