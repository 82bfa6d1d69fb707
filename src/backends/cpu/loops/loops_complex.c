// SPDX-License-Identifier: Apache-2.0
// Loops of complex numbers.
#include <complex.h>
#include <math.h>

#include "backends/cpu/loops/loops.h"

#define OYI_SMALL_LOOPS
#include "backends/cpu/loops/loop_define.h"

#define RE(x) (__real__(x))
#define IM(x) (__imag__(x))

#define T          float _Complex
#define R          float
#define ID         c64
#define KIND       C64
#define FN(name)   name##f
#define PAIR(x, y) __builtin_complex((R)(x), (R)(y))
#include "backends/cpu/loops/complex_tmpl.h"
#include "backends/cpu/loops/loops_complex.def"
#undef T
#undef R
#undef ID
#undef KIND
#undef FN
#undef PAIR

#define T          double _Complex
#define R          double
#define ID         c128
#define KIND       C128
#define FN(name)   name
#define PAIR(x, y) __builtin_complex((R)(x), (R)(y))
#include "backends/cpu/loops/complex_tmpl.h"
#include "backends/cpu/loops/loops_complex.def"
#undef ID
#undef KIND

#include "backends/cpu/loops/loop_list.h"
const oyi_loop_entry oyi_loops_complex[] = {
#define ID   c64
#define KIND C64
#include "backends/cpu/loops/loops_complex.def"
#undef ID
#undef KIND
#define ID   c128
#define KIND C128
#include "backends/cpu/loops/loops_complex.def"
    {0, 0, NULL}};
