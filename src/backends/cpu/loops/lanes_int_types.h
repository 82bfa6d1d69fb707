// SPDX-License-Identifier: Apache-2.0
// The loops of lanes_int_tmpl.h for all integers.
#define T              int64_t
#define ID             i64
#define TURNS          uint64_t
#define LANES_ARE_WIDE 1
#include "backends/cpu/loops/lanes_int_tmpl.h"
#undef T
#undef ID
#undef TURNS
#undef LANES_ARE_WIDE

#define T              int32_t
#define ID             i32
#define TURNS          uint32_t
#define LANES_ARE_WIDE 0
#define REAL           double
#define GCD            oyi_gcd_of_doubles
#include "backends/cpu/loops/lanes_int_tmpl.h"
#undef T
#undef ID
#undef TURNS
#undef LANES_ARE_WIDE
#undef REAL
#undef GCD

#define T              int16_t
#define ID             i16
#define TURNS          uint16_t
#define LANES_ARE_WIDE 0
#define REAL           float
#define GCD            oyi_gcd_of_floats
#include "backends/cpu/loops/lanes_int_tmpl.h"
#undef T
#undef ID
#undef TURNS
#undef LANES_ARE_WIDE
#undef REAL
#undef GCD

#define T              int8_t
#define ID             i8
#define TURNS          uint16_t
#define LANES_ARE_WIDE 0
#define REAL           float
#define GCD            oyi_gcd_of_floats
#include "backends/cpu/loops/lanes_int_tmpl.h"
#undef T
#undef ID
#undef TURNS
#undef LANES_ARE_WIDE
#undef REAL
#undef GCD

#define T              uint8_t
#define ID             u8
#define TURNS          uint16_t
#define LANES_ARE_WIDE 0
#define REAL           float
#define GCD            oyi_gcd_of_floats
#include "backends/cpu/loops/lanes_int_tmpl.h"
#undef T
#undef ID
#undef TURNS
#undef LANES_ARE_WIDE
#undef REAL
#undef GCD
