// SPDX-License-Identifier: Apache-2.0
// All updates of one type: T, ID, LOAD(x), STORE(v), IS_NAN(x), and PICK(is, yes, no). IS_COMPLEX
// leaves out those that need an order.
#define NAME       add
#define EXPR(a, b) ADD(a, b)
#include "backends/cpu/index/update_loop_tmpl.h"
#define NAME       mul
#define EXPR(a, b) MUL(a, b)
#include "backends/cpu/index/update_loop_tmpl.h"
#ifndef IS_COMPLEX
#define NAME       max
#define EXPR(a, b) PICK((int)((b) > (a)) | (int)(IS_NAN(b)), b, a)
#include "backends/cpu/index/update_loop_tmpl.h"
#define NAME       min
#define EXPR(a, b) PICK((int)((b) < (a)) | (int)(IS_NAN(b)), b, a)
#include "backends/cpu/index/update_loop_tmpl.h"
#endif
#undef T
#undef ID
