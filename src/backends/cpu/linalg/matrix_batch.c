// SPDX-License-Identifier: Apache-2.0
// Products of batches of matrices.
#include "backends/cpu/linalg/matrix_steps.h"
#include "base/threads.h"
#include "ops/rules/matrix.h"

typedef struct batch {
  const oyi_gemm* g;
  oyi_gemm_fn gemm;
  int64_t a_step, b_step, c_step, added_step;  // from one matrix to the next, in bytes
  int64_t count, chunk;
  oy_dtype dtype;
} batch;

static oyi_gemm matrix_of(const batch* all, int64_t i) {
  oyi_gemm g = *all->g;
  if (g.k > 0) {
    g.a = (const char*)g.a + i * all->a_step;
    g.b = (const char*)g.b + i * all->b_step;
  }
  g.c = (char*)g.c + i * all->c_step;
  if (g.added) g.added = (const char*)g.added + i * all->added_step;
  return g;
}

static oy_status multiply_chunk(int64_t index, void* context) {
  const batch* all = context;
  int64_t end =
      (index + 1) * all->chunk < all->count ? (index + 1) * all->chunk : all->count;
  oyi_gemm g = matrix_of(all, index * all->chunk);
  const bool reads = g.k > 0;
  const int64_t item = oyi_dtype_bytes[all->dtype];
  const oyi_gemm_steps steps = {end - index * all->chunk, all->a_step / item,
                                all->b_step / item, all->c_step / item};
  if (oyi_gemm_thin(all->dtype, &g, &steps)) return OY_OK;
  for (int64_t i = index * all->chunk; i < end; i++) {
    OY_TRY(all->gemm(&g));
    g.a = (const char*)g.a + (reads ? all->a_step : 0);
    g.b = (const char*)g.b + (reads ? all->b_step : 0);
    g.c = (char*)g.c + all->c_step;
    if (g.added) g.added = (const char*)g.added + all->added_step;
  }
  return OY_OK;
}

// One product for each matrix of the batch, or all of them added up. Threads take whole
// matrices if these are small or many, else each has a part of every one.
static oy_status run_batch(batch* all, int64_t item, bool sums) {
  const oyi_gemm* g = all->g;
  const double work = (double)g->n * (double)g->m * (double)g->k;
  const bool many = all->count >= 4 * (int64_t)oy_get_num_threads();
  if (!sums && (many || work < OYI_WORTH_A_THREAD)) {
    double chunk =
        work < OYI_WORTH_A_THREAD ? OYI_WORTH_A_THREAD / (work > 1 ? work : 1) + 1 : 1;
    all->chunk = chunk < (double)all->count ? (int64_t)chunk : all->count;
    return oyi_parallel_chunks((all->count + all->chunk - 1) / all->chunk, multiply_chunk,
                               all);
  }
  for (int64_t i = 0; i < all->count; i++) {
    oyi_gemm one = matrix_of(all, i);
    if (sums && i > 0) one.beta = oyi_number_of_scalar(oy_int(1)), one.added = NULL;
    OY_TRY(oyi_multiply(all->gemm, &one, item, item));
  }
  return OY_OK;
}

static oy_object* batched(const oyi_matrix_call* call, bool sums) {
  enum { GREAT = 4096 };
  oyi_tensor* c = oyi_rule_bmm(call->self, call->a, call->b, call->out, sums);
  if (!c) return NULL;
  if (oyi_is_meta(c)) return &c->header;
  const oyi_tensor *a = oyi_tensor_cast(call->a), *b = oyi_tensor_cast(call->b);
  oyi_gemm g;
  oyi_put_matrices(&g, a, b, c);
  if (a->sizes[0] == 0) g.k = 0;  // nothing but beta * self is left
  oyi_gemm_fn gemm =
      oyi_matrix_gemm(call, c->header.dtype, sums ? "addbmm_impl_cpu_" : "bmm");
  oy_status status = gemm ? oyi_matrix_check_data(a, b) : OY_NOT_IMPLEMENTED;
  if (status == OY_OK && !sums && a->sizes[0] > 1 && oyi_are_small_halves(call, &g, c))
    return oyi_matrix_finish(call, c, oyi_multiply_as_floats(call, c, oyi_cpu_baddbmm));
  if (status == OY_OK) status = oyi_matrix_add_first(call, c, &g);
  if (status != OY_OK || c->numel == 0) return oyi_matrix_finish(call, c, status);
  if (a->sizes[0] == 0) return oyi_matrix_finish(call, c, sums ? gemm(&g) : OY_OK);
  // Great matrices of long rows take less than elements in all dimensions do.
  const bool has_kernel = c->header.dtype == OY_DTYPE_F32 ||
                          (call->self && oy_dtype_is_complex(c->header.dtype));
  const bool is_great = has_kernel && oyi_gemm_is_outer(&g) && g.n >= GREAT / g.m;
  const bool is_thin = oyi_gemm_thin(c->header.dtype, &g, &(oyi_gemm_steps){0});
  if (!sums && ((!is_thin && oyi_multiply_inner(call, &g, c, &status)) ||
                (!is_great && oyi_multiply_outer(&g, a, b, c, &status))))
    return oyi_matrix_finish(call, c, status);
  const int64_t item = oyi_item(c);
  batch all = {.g = &g,
               .gemm = gemm,
               .a_step = oyi_strides(a)[0] * item,
               .b_step = oyi_strides(b)[0] * item,
               .c_step = sums ? 0 : oyi_strides(c)[0] * item,
               .added_step = g.added ? g.added_step * item : 0,
               .count = a->sizes[0],
               .dtype = c->header.dtype};
  return oyi_matrix_finish(call, c, run_batch(&all, item, sums));
}

oy_object* oyi_cpu_baddbmm(const oyi_matrix_call* call) {
  return batched(call, false);
}
oy_object* oyi_cpu_addbmm_sum(const oyi_matrix_call* call) {
  return batched(call, true);
}
