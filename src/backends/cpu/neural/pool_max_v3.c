// SPDX-License-Identifier: Apache-2.0
// Maximum pools for x86-64-v3 (AVX2), by vectors of 16 bytes and of 32.
#include <math.h>
#include <string.h>

#include "backends/cpu/neural/pool_windows.h"

typedef oyi_pool_range range;
typedef oyi_pool_windows windows;

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#define IS_NAN(x)   ((x) != (x))
#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)
#define LEAST       (-INFINITY)
#define T           float
#define INT         int32_t
#define ID          f32
#define BYTES       16
#define LATE_ODD    0, 2, 5, 7
#include "backends/cpu/neural/pool_lanes_tmpl.h"
#include "backends/cpu/neural/pool_max_tmpl.h"
#undef LANES
#undef ID
#undef BYTES
#undef LATE_ODD
#define ID       f32_wide
#define BYTES    32
#define LATE_ODD 0, 2, 4, 6, 9, 11, 13, 15
#include "backends/cpu/neural/pool_lanes_tmpl.h"
#include "backends/cpu/neural/pool_max_tmpl.h"
#undef LANES
#undef ID
#undef BYTES
#undef LATE_ODD
#undef T
#undef INT
#define T        double
#define INT      int64_t
#define ID       f64
#define BYTES    16
#define LATE_ODD 0, 3
#include "backends/cpu/neural/pool_lanes_tmpl.h"
#include "backends/cpu/neural/pool_max_tmpl.h"
#undef LANES
#undef ID
#undef BYTES
#undef LATE_ODD
#define ID       f64_wide
#define BYTES    32
#define LATE_ODD 0, 2, 5, 7
#include "backends/cpu/neural/pool_lanes_tmpl.h"
#include "backends/cpu/neural/pool_max_tmpl.h"

void oyi_pool_max_f32_v3(const oyi_pool_windows* w, const void* in, void* out,
                         int64_t* indices) {
  (w->last - w->first < 8 ? max_f32 : max_f32_wide)(w, in, out, indices);
}
void oyi_pool_max_f64_v3(const oyi_pool_windows* w, const void* in, void* out,
                         int64_t* indices) {
  (w->last - w->first < 4 ? max_f64 : max_f64_wide)(w, in, out, indices);
}
