// SPDX-License-Identifier: Apache-2.0
// Running sums and products of one type, in one pass. Given and undefined here: T (what is
// read), O (what is written) and ID. Given for several: W (what it runs in), LOAD(x),
// STORE(w), MULTIPLY(a, b); WAITS_FOR_MEMORY, whether a step of a sum takes less time than
// its elements need to come; and BLOCK, where conversions are to be vector code.
#define NAME      sum
#define START     0
#define RUN(a, b) ((a) + (b))
#include "backends/cpu/order/scan_direct_loops_tmpl.h"
#define NAME      product
#define START     1
#define RUN(a, b) MULTIPLY(a, b)
#include "backends/cpu/order/scan_direct_loops_tmpl.h"
#undef T
#undef O
#undef ID
