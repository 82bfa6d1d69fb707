// SPDX-License-Identifier: Apache-2.0
// |a - b| squared is a.a + b.b - 2 a.b, which loses the digits that a and b share. PyTorch takes
// it as it comes; here what has lost more than seven bits is computed from differences.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math")
#endif
#include "backends/cpu/linalg/distance_product.h"

#include <math.h>
#include <string.h>

#include "backends/cpu/linalg/distance_squares.h"
#include "backends/cpu/linalg/gemm_words.h"
#include "backends/cpu/loops/loops.h"
#include "backends/cpu/work.h"
#include "base/memory.h"
#include "base/template.h"
#include "base/threads.h"
#include "tensor/half.h"
#include "tensor/move.h"

enum { SIDES = 16, FEW_COLUMNS = 8 };

// One matrix of each. |sizes|: the squares of b's rows, and of a's; or b's columns.
typedef struct sides {
  const void *a, *b;
  void *out, *sizes;
  int64_t a_rows, b_rows, columns, chunk;
  oy_dtype dtype;  // of a and b
  const oyi_distance_squares* squares;
} sides;

static void take_roots(oy_dtype dtype, int64_t n, void* out) {
  const int64_t item = oyi_dtype_bytes[dtype];
  oyi_cpu_loops[OYI_LOOP_sqrt][dtype](n, (char*[]){out, out}, (int64_t[]){item, item},
                                      NULL);
}

#define LOAD(x) (x)
#define IN      double
#define T       double
#define ID      f64
#define DTYPE   OY_DTYPE_F64
#define SURE    0
#include "backends/cpu/linalg/distance_product_tmpl.h"
#define IN    float
#define T     float
#define ID    f32
#define DTYPE OY_DTYPE_F32
#define SURE  0
#include "backends/cpu/linalg/distance_product_tmpl.h"
#undef LOAD
// The instruction that multiplies them takes subnormal numbers for zero, which all others are
// large beside from here on.
#define LOAD(x) oyi_bf16_to_float(x)
#define IN      uint16_t
#define T       float
#define ID      bf16
#define DTYPE   OY_DTYPE_F32
#define SURE    0x1p-80f
#include "backends/cpu/linalg/distance_product_tmpl.h"

// As PyTorch decides it: mode 1 always, 2 never, else where one side has more than 25 rows.
bool oyi_distance_by_product(double p, oy_value mode, int64_t rows, int64_t others) {
  enum { MANY = 25, NEVER = 2 };
  if (p != 2) return false;
  if (mode.tag == OY_TAG_INT && mode.as.i != 0) return mode.as.i != NEVER;
  return rows > MANY || others > MANY;
}

// bfloat16 as it is where the machine multiplies it; else 16-bit floats as float.
oyi_distance_way oyi_distance_way_of(oy_dtype dtype, int64_t rows, int64_t others,
                                     int64_t columns, oyi_gemm_pick pick) {
  enum { TILE = 4 };  // what is smaller gains nothing
  if (dtype == OY_DTYPE_BF16 && rows >= TILE && others >= TILE && columns >= TILE) {
    const oyi_gemm_fn product = oyi_gemm_bf16_f32();
    if (product) return (oyi_distance_way){product, dtype};
  }
  const oy_dtype as = dtype == OY_DTYPE_F64 ? dtype : OY_DTYPE_F32;
  return (oyi_distance_way){pick(as), as};
}

// Rows of a few elements are compared as they are: that is less than their products and sizes,
// and loses nothing. |sizes|: b's columns.
static oy_status differences(int64_t index, void* context) {
  const sides* s = context;
  const int64_t item = s->dtype == OY_DTYPE_F64 ? sizeof(double) : sizeof(float);
  for (int64_t i = index * s->chunk; i < s->a_rows && i < (index + 1) * s->chunk; i++) {
    char* out = (char*)s->out + i * s->b_rows * item;
    s->squares->differences(s->b_rows, (const char*)s->a + i * s->columns * item,
                            s->sizes, s->columns, out);
    take_roots(s->dtype, s->b_rows, out);
  }
  return OY_OK;
}

static bool has_few_columns(const sides* s) {
  return s->columns > 0 && s->columns <= FEW_COLUMNS && s->dtype != OY_DTYPE_BF16;
}

static oy_status of_few_columns(sides* s) {
  const int64_t item = oyi_dtype_bytes[s->dtype];
  oyi_move_rows(&(oyi_move){.item = (size_t)item,
                            .n = s->b_rows,
                            .rows = s->columns,
                            .to = s->sizes,
                            .from = s->b,
                            .to_along = item,
                            .to_down = s->b_rows * item,
                            .from_along = s->columns * item,
                            .from_down = item});
  s->chunk = oyi_stretch(s->b_rows);
  return oyi_parallel_chunks(oyi_stretches(s->a_rows, s->chunk), differences, s);
}

static oy_status one_matrix(sides* s, oyi_gemm_fn gemm) {
  const oy_dtype dtype = s->dtype;
  if (has_few_columns(s)) return of_few_columns(s);
  const oyi_gemm g = {.n = s->a_rows,
                      .m = s->b_rows,
                      .k = s->columns,
                      .a = s->a,
                      .b = s->b,
                      .c = s->out,
                      .a_row = s->columns,
                      .a_column = 1,
                      .b_row = 1,
                      .b_column = s->columns,
                      .c_row = s->b_rows,
                      .c_column = 1,
                      .alpha = {.kind = OYI_NUMBER_FLOAT, .re = -2},
                      .beta = {.kind = OYI_NUMBER_FLOAT}};
  const int64_t item = oyi_dtype_bytes[dtype];
  OY_TRY(oyi_multiply(gemm, &g, item,
                      dtype == OY_DTYPE_BF16 ? (int64_t)sizeof(float) : item));
  return dtype == OY_DTYPE_F32    ? finish_f32(s)
         : dtype == OY_DTYPE_BF16 ? finish_bf16(s)
                                  : finish_f64(s);
}

oy_status oyi_distance_products(oyi_tensor* out, const oyi_tensor* a, const oyi_tensor* b,
                                oyi_gemm_fn gemm) {
  const oy_dtype dtype = a->header.dtype;
  const int64_t item = oyi_item(a), result_item = oyi_item(out);
  sides s = {.a = oyi_data(a),
             .b = oyi_data(b),
             .out = oyi_data(out),
             .a_rows = out->sizes[out->ndim - 2],
             .b_rows = out->sizes[out->ndim - 1],
             .columns = a->sizes[a->ndim - 1],
             .dtype = dtype,
             .squares = &oyi_distance_squares_table()[dtype == OY_DTYPE_F64]};
  const int64_t sizes = has_few_columns(&s) ? s.columns * s.b_rows : s.a_rows + s.b_rows;
  s.sizes = oyi_calloc((size_t)sizes, (size_t)result_item);
  if (!s.sizes) return OY_OUT_OF_MEMORY;
  oy_status status = OY_OK;
  const int64_t batches = out->numel / (s.a_rows * s.b_rows);
  for (int64_t k = 0; k < batches && status == OY_OK; k++) {
    status = one_matrix(&s, gemm);
    s.a = (const char*)s.a + s.a_rows * s.columns * item;
    s.b = (const char*)s.b + s.b_rows * s.columns * item;
    s.out = (char*)s.out + s.a_rows * s.b_rows * result_item;
  }
  oyi_free(s.sizes);
  return status;
}
