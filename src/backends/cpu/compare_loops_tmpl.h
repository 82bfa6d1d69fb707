// SPDX-License-Identifier: Apache-2.0
// The six comparisons of one type.
#define NAME       eq
#define OUT        uint8_t
#define EXPR(a, b) ((a) == (b))
#include "backends/cpu/binary_loop_tmpl.h"
#define NAME       ne
#define OUT        uint8_t
#define EXPR(a, b) ((a) != (b))
#include "backends/cpu/binary_loop_tmpl.h"
#define NAME       lt
#define OUT        uint8_t
#define EXPR(a, b) ((a) < (b))
#include "backends/cpu/binary_loop_tmpl.h"
#define NAME       le
#define OUT        uint8_t
#define EXPR(a, b) ((a) <= (b))
#include "backends/cpu/binary_loop_tmpl.h"
#define NAME       gt
#define OUT        uint8_t
#define EXPR(a, b) ((a) > (b))
#include "backends/cpu/binary_loop_tmpl.h"
#define NAME       ge
#define OUT        uint8_t
#define EXPR(a, b) ((a) >= (b))
#include "backends/cpu/binary_loop_tmpl.h"
