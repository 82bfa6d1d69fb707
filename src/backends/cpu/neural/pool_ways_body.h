// SPDX-License-Identifier: Apache-2.0
// Both types of pool_ways_tmpl.h at one level: LEVEL(f32) is what the name of its table ends in.
#include <math.h>
#include <string.h>

#include "backends/cpu/neural/pool_ways.h"
#if defined(__AVX2__)
#define BYTES 32
#else
#define BYTES 16
#endif

typedef oyi_pool_range range;
typedef oyi_pool_windows windows;

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)
#define LEAST       (-INFINITY)

// Elements one by one: the instruction that gathers them takes several times as long on some
// machines.
#define TWO(from, at)  (from)[(at)[0]], (from)[(at)[1]]
#define FOUR(from, at) TWO(from, at), TWO(from, (at) + 2)
#if defined(__AVX2__)
#define EACH_f32(from, at) FOUR(from, at), FOUR(from, (at) + 4)
#define EACH_f64(from, at) FOUR(from, at)
#else
#define EACH_f32(from, at) FOUR(from, at)
#define EACH_f64(from, at) TWO(from, at)
#endif

enum { MOST_VECTORS = 4, SUM_PARTS = 4, SUM_BYTES = 16 };

#define T    float
#define INT  int32_t
#define ID   f32
#define NAME LEVEL(f32)
#include "backends/cpu/neural/pool_ways_tmpl.h"
#undef T
#undef INT
#undef ID
#undef NAME
#define T    double
#define INT  int64_t
#define ID   f64
#define NAME LEVEL(f64)
#include "backends/cpu/neural/pool_ways_tmpl.h"
#undef T
#undef INT
#undef ID
#undef NAME
