// SPDX-License-Identifier: Apache-2.0
// Both types of taps_channels_tmpl.h at one level: WAYS is the name of their table.
#include "backends/cpu/neural/taps_channels.h"
#include "base/template.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#define T  float
#define ID f32
#include "backends/cpu/neural/taps_channels_tmpl.h"
#undef T
#undef ID
#define T  double
#define ID f64
#include "backends/cpu/neural/taps_channels_tmpl.h"

const oyi_channel_ways WAYS = {{apply_f32, apply_f64}, {spread_f32, spread_f64}};
