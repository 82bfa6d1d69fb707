// SPDX-License-Identifier: Apache-2.0
// Steps of a matrix product as an operator, for one of matrices and of batches of them.
#ifndef OPYARD_SRC_BACKENDS_CPU_LINALG_MATRIX_STEPS_H_
#define OPYARD_SRC_BACKENDS_CPU_LINALG_MATRIX_STEPS_H_

#include "backends/cpu/kernels.h"
#include "backends/cpu/linalg/matrix.h"

// Below that a region costs more than it saves; multiply-adds of float.
enum { OYI_WORTH_A_THREAD = 48 * 48 * 48 };

// Added up, and multiplied by numbers, in float.
static inline bool oyi_is_half(oy_dtype dtype) {
  return dtype == OY_DTYPE_F16 || dtype == OY_DTYPE_BF16;
}

// The last two dimensions of the operands.
static inline void oyi_put_matrices(oyi_gemm* g, const oyi_tensor* a, const oyi_tensor* b,
                                    const oyi_tensor* c) {
  const int64_t *sa = oyi_strides(a) + a->ndim - 2, *sb = oyi_strides(b) + b->ndim - 2;
  const int64_t* sc = oyi_strides(c) + c->ndim - 2;
  g->n = a->sizes[a->ndim - 2];
  g->m = b->sizes[b->ndim - 1];
  g->k = a->sizes[a->ndim - 1];
  g->a = oyi_data(a);
  g->b = oyi_data(b);
  g->c = oyi_data(c);
  g->a_row = sa[0];
  g->a_column = sa[1];
  g->b_row = sb[0];
  g->b_column = sb[1];
  g->c_row = sc[0];
  g->c_column = sc[1];
  g->conjugate = false;
}

// Puts what is added into |c| first, broadcast, and says how much of it stays.
oy_status oyi_matrix_add_self(const oyi_matrix_call* call, oyi_tensor* c, oyi_gemm* g);

static inline oy_status oyi_matrix_add_first(const oyi_matrix_call* call, oyi_tensor* c,
                                             oyi_gemm* g) {
  if (call->self) return oyi_matrix_add_self(call, c, g);
  g->added = NULL;
  g->alpha = (oyi_number){.kind = OYI_NUMBER_INT, .i = 1, .re = 1};
  g->beta = (oyi_number){.kind = OYI_NUMBER_INT};
  return OY_OK;
}

static inline oyi_gemm_fn oyi_matrix_gemm(const oyi_matrix_call* call, oy_dtype dtype,
                                          const char* name) {
  oyi_gemm_fn gemm = call->pick(dtype);
  if (!gemm)
    OY_FAIL(NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", name,
            oy_dtype_pytorch_name(dtype));
  return gemm;
}

// Gives |c|, or gives it up if it is new and |status| is a failure.
static inline oy_object* oyi_matrix_finish(const oyi_matrix_call* call, oyi_tensor* c,
                                           oy_status status) {
  if (OY_LIKELY(status == OY_OK)) return &c->header;
  if (!call->out) oy_tensor_release(&c->header);
  return NULL;
}

// A tensor of another device with the CPU's key has nothing to read.
static inline oy_status oyi_matrix_check_data(const oyi_tensor* a, const oyi_tensor* b) {
  OY_CHECK((a->numel == 0 || oyi_data(a)) && (b->numel == 0 || oyi_data(b)),
           NOT_IMPLEMENTED, "a CPU kernel was given a tensor without data");
  return OY_OK;
}

// ------------------------------------------------------------------ matrix_ways.c

// Columns by rows, of matrices or batches of them: each element is one product, and short rows go
// together (tensor/iterator_packed.h). False: not of these, and nothing is done; else |status|
// says what came of it.
bool oyi_multiply_outer(const oyi_gemm* g, const oyi_tensor* a, const oyi_tensor* b,
                        const oyi_tensor* c, oy_status* status);

// Of rows by columns, one of either in a matrix of a batch. False as above.
bool oyi_multiply_inner(const oyi_matrix_call* call, const oyi_gemm* g, oyi_tensor* c,
                        oy_status* status);

// Whether small matrices of a batch, or those with few rows or columns, take less time as floats,
// which all of them become at once, than kernels of pairs take to begin with each.
bool oyi_are_small_halves(const oyi_matrix_call* call, const oyi_gemm* g,
                          const oyi_tensor* c);
bool oyi_are_few_halves(const oyi_matrix_call* call, const oyi_gemm* g,
                        const oyi_tensor* c);
oy_status oyi_multiply_as_floats(const oyi_matrix_call* call, oyi_tensor* c,
                                 oy_object* (*product)(const oyi_matrix_call*));

#endif  // OPYARD_SRC_BACKENDS_CPU_LINALG_MATRIX_STEPS_H_
