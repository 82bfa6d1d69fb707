// SPDX-License-Identifier: Apache-2.0
// Other ways to some products: element by element, and of short floats as floats.
#include "backends/cpu/linalg/gemm_words.h"
#include "backends/cpu/linalg/matrix_steps.h"
#include "backends/cpu/linalg/openblas.h"
#include "backends/cpu/loops/loops.h"
#include "backends/cpu/pointwise/elementwise.h"
#include "ops/calls.h"
#include "tensor/iterator.h"

// Of columns by rows: each element is one product, and short rows go together (iterator_packed.h).
// False: not of these.
bool oyi_multiply_outer(const oyi_gemm* g, const oyi_tensor* a, const oyi_tensor* b,
                        const oyi_tensor* c, oy_status* status) {
  enum { LARGE = 256 };  // of bfloat16, to which the machine's own products are better
  // Loops of three inputs read as many numbers as they may have.
  static const float one_f32[2 * OYI_LOOP_NUMBERS] = {1};
  static const double one_f64[2 * OYI_LOOP_NUMBERS] = {1};
  static const int32_t one_i32[OYI_LOOP_NUMBERS] = {1};
  static const int64_t one_i64[OYI_LOOP_NUMBERS] = {1};
  const oy_dtype dtype = c->header.dtype;
  if (dtype == OY_DTYPE_BF16 && oyi_gemm_bf16_f32() && g->n * g->m >= LARGE) return false;
  const void* one = dtype == OY_DTYPE_F32 || dtype == OY_DTYPE_C64 ? (const void*)one_f32
                    : dtype == OY_DTYPE_F64 || dtype == OY_DTYPE_C128
                        ? (const void*)one_f64
                    : dtype == OY_DTYPE_I32 ? (const void*)one_i32
                    : dtype == OY_DTYPE_I64 ? (const void*)one_i64
                                            : NULL;
  const bool adds = !oyi_number_is_zero(g->beta);
  if (g->k != 1 || g->alpha.re != 1 || g->alpha.im != 0) return false;
  if (adds && (g->beta.re != 1 || g->beta.im != 0 || !one)) return false;
  const oyi_loop loop = oyi_cpu_loops[adds ? OYI_LOOP_addcmul : OYI_LOOP_mul][dtype];
  if (!loop) return false;
  oy_object *wide_a = oy_tensor_expand(oyi_tensor_object(a), oyi_sizes_view(c)),
            *wide_b = oy_tensor_expand(oyi_tensor_object(b), oyi_sizes_view(c));
  if (wide_a && wide_b) {
    oyi_iter it;
    const oyi_tensor *x = oyi_tensor_cast(wide_a), *y = oyi_tensor_cast(wide_b);
    const oyi_tensor *product[] = {c, x, y}, *sum[] = {c, c, x, y};
    oyi_iter_plain(&it, adds ? sum : product, adds ? 4 : 3);
    oyi_iter_run(&it, loop, adds ? one : NULL);
  }
  *status = wide_a && wide_b ? OY_OK : oy_failure();
  oy_tensor_release(wide_a);
  oy_tensor_release(wide_b);
  return true;
}

static bool has_sums(oy_dtype dtype) {
  return dtype == OY_DTYPE_F32 || dtype == OY_DTYPE_F64 || oy_dtype_is_complex(dtype);
}

// All products, then all sums of them along |dim|. Takes over |turned|.
static oy_object* sums_of(oy_object* plain, oy_object* turned, int64_t dim) {
  oy_object* products = turned ? oyi_call_mul_Tensor(plain, turned) : NULL;
  oy_object* sums =
      products ? oyi_call_sum_dim_IntList(products, OY_DIMS(dim), true, oy_none()) : NULL;
  oy_tensor_release(turned);
  oy_tensor_release(products);
  return sums;
}

// Short vectors, or a few rows by one, in each matrix.
bool oyi_multiply_inner(const oyi_matrix_call* call, const oyi_gemm* g, oyi_tensor* c,
                        oy_status* status) {
  enum { FEW = 64, MANY = 16 };
  const bool adds = !oyi_number_is_zero(g->beta);
  if ((g->n != 1 && g->m != 1) || g->k < 2 || g->k > FEW || g->n * g->m * g->k > FEW ||
      c->sizes[0] < MANY || !has_sums(c->header.dtype))
    return false;
  if (g->alpha.re != 1 || g->alpha.im != 0 ||
      (adds && (g->beta.re != 1 || g->beta.im != 0)))
    return false;
  oy_object* sums = g->m == 1 ? sums_of(call->a, oy_tensor_transpose(call->b, 1, 2), 2)
                              : sums_of(call->b, oy_tensor_transpose(call->a, 1, 2), 1);
  *status = sums ? OY_OK : oy_failure();
  if (sums && adds) {
    if (!oyi_call_add__Tensor(&c->header, sums, oy_int(1))) *status = oy_failure();
  } else if (sums) {
    oyi_convert(c, oyi_tensor_cast(sums));
  }
  oy_tensor_release(sums);
  return true;
}

bool oyi_are_small_halves(const oyi_matrix_call* call, const oyi_gemm* g,
                          const oyi_tensor* c) {
  enum { SHORT = 16, FEW = 512, SMALL = 1 << 16, TINY = 256 };
  if (!oyi_is_half(c->header.dtype) || g->k == 0 || (g->k == 1 && !call->self))
    return false;
  // The machine's own products begin soon, but those with vectors.
  if (c->header.dtype == OY_DTYPE_BF16 && call->pick != oyi_gemm_portable)
    return (g->n == 1 || g->m == 1) && g->n * g->m * g->k < TINY;
  const bool is_short = g->n < SHORT || g->m < SHORT || g->k < SHORT;
  return is_short && g->k < FEW && g->n * g->m <= SMALL;
}

bool oyi_are_few_halves(const oyi_matrix_call* call, const oyi_gemm* g,
                        const oyi_tensor* c) {
  enum { FEW = 4, DEEP = 8 };
  if (c->header.dtype == OY_DTYPE_BF16 && call->pick != oyi_gemm_portable) return false;
  return oyi_is_half(c->header.dtype) && g->n > 1 && g->m > 1 &&
         (g->n < FEW || g->m < FEW) && g->k >= DEEP;
}

oy_status oyi_multiply_as_floats(const oyi_matrix_call* call, oyi_tensor* c,
                                 oy_object* (*product)(const oyi_matrix_call*)) {
  oy_object* const given[] = {call->a, call->b, call->self};
  oyi_tensor* floats[3] = {NULL};
  oy_status status = OY_OK;
  for (int i = 0; i < 3; i++) {
    if (!given[i]) continue;
    floats[i] = oyi_converted(oyi_tensor_cast(given[i]), OY_DTYPE_F32);
    if (!floats[i]) status = oy_failure();
  }
  oyi_matrix_call wide = *call;
  wide.a = oyi_tensor_object(floats[0]), wide.b = oyi_tensor_object(floats[1]);
  wide.self = oyi_tensor_object(floats[2]), wide.out = NULL;
  wide.pick = oyi_fastest_gemm;
  oy_object* result = status == OY_OK ? product(&wide) : NULL;
  if (result) oyi_convert(c, oyi_tensor_cast(result));
  if (status == OY_OK && !result) status = oy_failure();
  oy_tensor_release(result);
  for (int i = 0; i < 3; i++)
    if (floats[i]) oy_tensor_release(&floats[i]->header);
  return status;
}
