// SPDX-License-Identifier: Apache-2.0
// Results of many short rows for AVX-512. Floats run in double, as they do one row at a time.
#include "backends/cpu/reduce/reduce_rows_lanes.h"

#define EVEN    EVEN_8
#define ODD     ODD_8
#define FIRSTS  FIRSTS_8
#define SECONDS SECONDS_8

// The more extreme one of two numbers is one instruction, which takes the second operand where
// one is none: so a NaN stays that is there, and what comes as one is taken past it.
static inline __m512d greatest(__m512d a, __m512d x) {
  return _mm512_mask_max_pd(x, _mm512_cmp_pd_mask(x, x, _CMP_ORD_Q), x, a);
}
static inline __m512d least(__m512d a, __m512d x) {
  return _mm512_mask_min_pd(x, _mm512_cmp_pd_mask(x, x, _CMP_ORD_Q), x, a);
}

// Of numbers whose parts lie together, by the plain formula.
static inline __m512d product(__m512d a, __m512d b) {
  const __m512d across =
      _mm512_mul_pd(_mm512_permute_pd(a, 0x55), _mm512_permute_pd(b, 0xff));
  return _mm512_fmaddsub_pd(a, _mm512_movedup_pd(b), across);
}

static inline __m512d load_f32(const char* p, __mmask8 mask, __m512d none) {
  const __m256 x = _mm256_maskz_loadu_ps(mask, p);
  return _mm512_mask_cvtps_pd(none, mask, x);
}
static inline __m512d load_f64(const char* p, __mmask8 mask, __m512d none) {
  return _mm512_mask_loadu_pd(none, mask, p);
}

// Those that are numbers, and 0 for others.
static inline __m512d load_numbers(const char* p, __mmask8 mask, __m512d none) {
  const __m512d x = load_f32(p, mask, none);
  return _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(x, x, _CMP_ORD_Q), x);
}
static inline __m512d load_numbers_f64(const char* p, __mmask8 mask, __m512d none) {
  const __m512d x = load_f64(p, mask, none);
  return _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(x, x, _CMP_ORD_Q), x);
}

static inline __m512d load_squares(const char* p, __mmask8 mask, __m512d none) {
  const __m512d x = load_f32(p, mask, none);
  return x * x;
}
static inline __m512d load_squares_f64(const char* p, __mmask8 mask, __m512d none) {
  const __m512d x = load_f64(p, mask, none);
  return x * x;
}

#define IS_NARROW 0
#define WIDTH     8
#define MASK      __mmask8
#define V         __m512d
#define R         double
#define PARTS     1
#define PUT       put_f64
#define ITEM      (int64_t)sizeof(float)
#define LOAD      load_f32
#define NAME      sum_f32
#define START     ALL_OF(0)
#define OP        ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#define NAME  prod_f32
#define START ALL_OF(1)
#define OP    MULTIPLY
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#undef LOAD
#define LOAD  load_numbers
#define NAME  nansum_f32
#define START ALL_OF(0)
#define OP    ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#undef LOAD
#undef PUT
#define LOAD  load_squares
#define PUT   put_roots
#define NAME  norm2_f32
#define START ALL_OF(0)
#define OP    ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#undef ITEM
#undef LOAD
#undef PUT
#define PUT   put_f64
#define ITEM  (int64_t)sizeof(double)
#define LOAD  load_f64
#define NAME  sum_f64
#define START ALL_OF(0)
#define OP    ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#define NAME  prod_f64
#define START ALL_OF(1)
#define OP    MULTIPLY
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#define NAME  amax_f64
#define START ALL_OF(-INFINITY)
#define OP    greatest
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#define NAME  amin_f64
#define START ALL_OF(INFINITY)
#define OP    least
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#undef LOAD
#define LOAD  load_numbers_f64
#define NAME  nansum_f64
#define START ALL_OF(0)
#define OP    ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#undef LOAD
#undef PUT
#define LOAD  load_squares_f64
#define PUT   put_roots
#define NAME  norm2_f64
#define START ALL_OF(0)
#define OP    ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#undef LOAD
#undef PUT
#define LOAD load_f64
#define PUT  put_c128

#undef R
#undef PARTS
#define R     double _Complex
#define PARTS 2
#define NAME  sum_c128
#define START ALL_OF(0)
#define OP    ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#define NAME prod_c128
#define START \
  { 1, 0, 1, 0, 1, 0, 1, 0 }
#define OP product
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#undef ITEM
#undef LOAD
#define ITEM  (int64_t)sizeof(float)
#define LOAD  load_f32
#define NAME  sum_c64
#define START ALL_OF(0)
#define OP    ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#define NAME prod_c64
#define START \
  { 1, 0, 1, 0, 1, 0, 1, 0 }
#define OP product
#include "backends/cpu/reduce/reduce_rows_tmpl.h"

static inline integers load_i64(const char* p, __mmask8 mask, integers none) {
  return (integers)_mm512_mask_loadu_epi64((__m512i)none, mask, p);
}
#undef V
#undef R
#undef PARTS
#undef PUT
#undef ITEM
#undef LOAD
#define V     integers
#define R     uint64_t
#define PARTS 1
#define PUT   put_i64
#define ITEM  (int64_t)sizeof(uint64_t)
#define LOAD  load_i64
#define NAME  sum_i64
#define START ALL_OF(0)
#define OP    ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#define NAME  prod_i64
#define START ALL_OF(1)
#define OP    MULTIPLY
#include "backends/cpu/reduce/reduce_rows_tmpl.h"

// Of 16 floats.
static inline __m512 greatest_float(__m512 a, __m512 x) {
  return _mm512_mask_max_ps(x, _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q), x, a);
}
static inline __m512 least_float(__m512 a, __m512 x) {
  return _mm512_mask_min_ps(x, _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q), x, a);
}
static inline void put_floats(void* to, __m512 a, const void* args) {
  (void)args;
  _mm512_storeu_ps(to, a);
}
#undef EVEN
#undef ODD
#undef FIRSTS
#undef SECONDS
#undef ALL_OF
#undef V
#undef R
#undef MASK
#undef WIDTH
#undef PUT
#undef ITEM
#undef LOAD
#undef IS_NARROW
#define IS_NARROW           1
#define EVEN                EVEN_16
#define ODD                 ODD_16
#define FIRSTS              FIRSTS_16
#define SECONDS             SECONDS_16
#define ALL_OF(x)           _mm512_set1_ps(x)
#define V                   __m512
#define R                   float
#define MASK                __mmask16
#define WIDTH               16
#define PUT                 put_floats
#define ITEM                (int64_t)sizeof(float)
#define LOAD(p, mask, none) _mm512_mask_loadu_ps(none, mask, p)
#define NAME                amax_f32
#define START               ALL_OF(-INFINITY)
#define OP                  greatest_float
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#define NAME  amin_f32
#define START ALL_OF(INFINITY)
#define OP    least_float
#include "backends/cpu/reduce/reduce_rows_tmpl.h"

// Numbers and their parts alike.
void oyi_norm2_c64_rows(void* out, int64_t rows, const char* x, int64_t n,
                        int64_t row_step, const void* args) {
  oyi_norm2_f32_rows(out, rows, x, 2 * n, row_step, args);
}
void oyi_norm2_c128_rows(void* out, int64_t rows, const char* x, int64_t n,
                         int64_t row_step, const void* args) {
  oyi_norm2_f64_rows(out, rows, x, 2 * n, row_step, args);
}

#define OF(DTYPE, name) [OY_DTYPE_##DTYPE] = oyi_##name##_rows
#define TABLE(name, ...) \
  const oyi_reduce_rows_fn oyi_##name##_rows_of[OYI_ROWS_DTYPES] = {__VA_ARGS__}
#define OF_FLOATS(name) OF(F32, name##_f32), OF(F16, name##_f16), OF(BF16, name##_bf16)
#define OF_INTEGERS(name)                                                         \
  OF(I64, name##_i64), OF(U8, name##_u8), OF(BOOL, name##_u8), OF(I8, name##_i8), \
      OF(I16, name##_i16), OF(I32, name##_i32)
TABLE(sum_f32, OF_FLOATS(sum));
TABLE(sum_f64, OF(F64, sum_f64));
TABLE(sum_c64, OF(C64, sum_c64));
TABLE(sum_c128, OF(C128, sum_c128));
TABLE(sum_i64, OF_INTEGERS(sum));
TABLE(prod_f32, OF_FLOATS(prod));
TABLE(prod_f64, OF(F64, prod_f64));
TABLE(prod_c64, OF(C64, prod_c64));
TABLE(prod_c128, OF(C128, prod_c128));
TABLE(prod_i64, OF_INTEGERS(prod));
TABLE(norm2_f32, OF_FLOATS(norm2));
TABLE(norm2_f64, OF(F64, norm2_f64));
TABLE(norm2_c64, OF(C64, norm2_c64));
TABLE(norm2_c128, OF(C128, norm2_c128));
TABLE(nansum_f32, OF(F32, nansum_f32));
TABLE(nansum_f64, OF(F64, nansum_f64));
TABLE(amax_f32, OF(F32, amax_f32));
TABLE(amax_f64, OF(F64, amax_f64));
TABLE(amin_f32, OF(F32, amin_f32));
TABLE(amin_f64, OF(F64, amin_f64));
