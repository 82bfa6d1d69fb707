// SPDX-License-Identifier: Apache-2.0
// The greater and the less of one type: T, ID and DTYPE are given, and undefined here; NUMBER,
// LOAD(x), STORE(v), GREATER(a, b) and LESS(a, b) are the including file's. NaN goes before
// all, and |a| before |b| where they are equal.
#define NAME       max
#define EXPR(a, b) GREATER(a, b)
#define LOOP       maximum
#include "backends/cpu/index/update_loop_tmpl.h"
#define NAME       min
#define EXPR(a, b) LESS(a, b)
#define LOOP       minimum
#include "backends/cpu/index/update_loop_tmpl.h"
#undef T
#undef ID
#undef DTYPE
