// SPDX-License-Identifier: Apache-2.0
// Products of int8 whose results are int32, as quantised layers have them.
#include "backends/cpu/kernels.h"
#include "backends/cpu/linalg/gemm_words.h"
#include "backends/cpu/linalg/matrix.h"
#include "backends/cpu/staging.h"
#include "ops/rules/matrix.h"

static oyi_gemm product_of(const oyi_tensor* a, const oyi_tensor* b,
                           const oyi_tensor* c) {
  const int64_t *sa = oyi_strides(a), *sb = oyi_strides(b), *sc = oyi_strides(c);
  return (oyi_gemm){.n = a->sizes[0],
                    .m = b->sizes[1],
                    .k = a->sizes[1],
                    .a = oyi_data(a),
                    .b = oyi_data(b),
                    .c = oyi_data(c),
                    .a_row = sa[0],
                    .a_column = sa[1],
                    .b_row = sb[0],
                    .b_column = sb[1],
                    .c_row = sc[0],
                    .c_column = sc[1],
                    .alpha = {.kind = OYI_NUMBER_INT, .i = 1, .re = 1},
                    .beta = {.kind = OYI_NUMBER_INT}};
}

// Without an instruction for bytes the operands become int32 first.
static oy_status multiply_wide(const oyi_tensor* a, const oyi_tensor* b,
                               const oyi_tensor* c) {
  oyi_tensor* wide_a = oyi_converted(a, OY_DTYPE_I32);
  oyi_tensor* wide_b = wide_a ? oyi_converted(b, OY_DTYPE_I32) : NULL;
  oy_status status = oy_failure();
  if (wide_b) {
    const oyi_gemm g = product_of(wide_a, wide_b, c);
    status = oyi_multiply(oyi_gemm_portable(OY_DTYPE_I32), &g, sizeof(int32_t),
                          sizeof(int32_t));
  }
  if (wide_b) oy_tensor_release(&wide_b->header);
  if (wide_a) oy_tensor_release(&wide_a->header);
  return status;
}

static oy_status multiply(const oyi_tensor* a, const oyi_tensor* b, const oyi_tensor* c) {
  OY_TRY(oyi_check_data(a));
  OY_TRY(oyi_check_data(b));
  if (c->numel == 0) return OY_OK;
  const oyi_gemm_fn gemm = oyi_gemm_i8_i32();
  if (!gemm) return multiply_wide(a, b, c);
  const oyi_gemm g = product_of(a, b, c);
  return oyi_multiply(gemm, &g, sizeof(int8_t), sizeof(int32_t));
}

static oy_object* int_mm(oy_object* self, oy_object* mat2, oy_object* out) {
  oyi_tensor* c = oyi_rule_int_mm(self, mat2, out);
  if (!c) return NULL;
  if (oyi_is_meta(c)) return &c->header;
  if (multiply(oyi_tensor_cast(self), oyi_tensor_cast(mat2), c) == OY_OK)
    return &c->header;
  if (!out) oy_tensor_release(&c->header);
  return NULL;
}

OYI_CPU(_int_mm) {
  return int_mm(self, mat2, NULL);
}
OYI_CPU(_int_mm_out) {
  return int_mm(self, mat2, out);
}
