// SPDX-License-Identifier: Apache-2.0
// Sums and products of one type: T, ID and DTYPE are given, and undefined here; NUMBER,
// LOAD(x), STORE(v), ADD(a, b) and MUL(a, b) are the including file's.
// IS_COMPLEX: elementwise products may be rounded otherwise at some capability levels.
#define NAME       add
#define EXPR(a, b) ADD(a, b)
#ifndef IS_COMPLEX
#define LOOP add
#endif
#include "backends/cpu/index/update_loop_tmpl.h"
#define NAME       mul
#define EXPR(a, b) MUL(a, b)
#ifndef IS_COMPLEX
#define LOOP mul
#endif
#include "backends/cpu/index/update_loop_tmpl.h"
#undef T
#undef ID
#undef DTYPE
