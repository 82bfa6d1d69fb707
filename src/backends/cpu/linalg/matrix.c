// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/linalg/matrix.h"

#include "backends/cpu/kernels.h"
#include "base/threads.h"
#include "ops/rules/matrix.h"

// ------------------------------------------------------------------- the product

// The last two dimensions of the operands.
static inline void put_matrices(oyi_gemm* g, const oyi_tensor* a, const oyi_tensor* b,
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

// --------------------------------------------------------------------- threads

// Below that a region costs more than it saves; multiply-adds of float. Smaller types are as
// much faster as they are smaller.
enum { WORTH_A_THREAD = 48 * 48 * 48 };
static inline double worth_a_thread(int64_t item) {
  return (double)WORTH_A_THREAD * (item < 4 ? 4 / (double)item : 1);
}

typedef struct split {
  const oyi_gemm* g;
  oyi_gemm_fn gemm;
  int64_t item, result_item;  // bytes of elements
  int64_t step;               // rows or columns of a part
  bool by_rows;
} split;

static oy_status multiply_part(int64_t index, void* context) {
  const split* s = context;
  oyi_gemm g = *s->g;
  const int64_t first = index * s->step;
  if (s->by_rows) {
    g.n = g.n - first < s->step ? g.n - first : s->step;
    g.a = (const char*)g.a + first * g.a_row * s->item;
    if (g.added) g.added = (const char*)g.added + first * g.added_row * s->item;
    g.c = (char*)g.c + first * g.c_row * s->result_item;
  } else {
    g.m = g.m - first < s->step ? g.m - first : s->step;
    g.b = (const char*)g.b + first * g.b_column * s->item;
    g.c = (char*)g.c + first * g.c_column * s->result_item;
  }
  return s->gemm(&g);
}

// Parts along the longer side of the result, whose sums do not depend on the others.
static __attribute__((noinline)) oy_status multiply_split(oyi_gemm_fn gemm,
                                                          const oyi_gemm* g, int64_t item,
                                                          int64_t result_item) {
  const int64_t threads = oy_get_num_threads();
  const double regions =
      (double)g->n * (double)g->m * (double)g->k / worth_a_thread(item);
  if (threads == 1 || regions < 1) return gemm(g);
  const bool by_rows = g->n >= g->m || (!oyi_number_is_zero(g->beta) && g->added);
  const int64_t side = by_rows ? g->n : g->m;
  const int64_t parts = regions < (double)threads ? (int64_t)regions : threads;
  // What most kernels have a whole number of, so that no part is much longer than another.
  enum { WHOLE = 16 };
  const int64_t part = (side + parts - 1) / parts;
  const int64_t step = (part + WHOLE - 1) / WHOLE * WHOLE;
  split s = {g, gemm, item, result_item, step, by_rows};
  return oyi_parallel_chunks((side + step - 1) / step, multiply_part, &s);
}

static inline oy_status multiply(oyi_gemm_fn gemm, const oyi_gemm* g, int64_t item) {
  enum { SIDE = 32 };  // up to there nothing has to be worked out
  _Static_assert(SIDE * SIDE * SIDE < WORTH_A_THREAD, "those take no threads");
  if (g->n <= SIDE && g->m <= SIDE && g->k <= SIDE) return gemm(g);
  return multiply_split(gemm, g, item, item);
}

oy_status oyi_multiply(oyi_gemm_fn gemm, const oyi_gemm* g, int64_t item,
                       int64_t result_item) {
  return multiply_split(gemm, g, item, result_item);
}

// ------------------------------------------------------------------ the operators

// Whether the product reads what is added from where it is: a second pass over a result
// that has nothing to add up takes as long as the first.
static bool reads_self(const oyi_matrix_call* call, const oyi_tensor* c, oyi_gemm* g) {
  const oyi_tensor* s = oyi_tensor_cast(call->self);
  if (call->pick != oyi_gemm_portable || !oyi_gemm_is_outer(g) || g->n < 16 ||
      oy_dtype_is_complex(c->header.dtype) || s->ndim != 2 ||
      s->header.dtype != c->header.dtype || !oyi_data(s) || oyi_strides(s)[1] != 1 ||
      !oyi_same_sizes(oyi_sizes_view(s), oyi_sizes_view(c)) || call->out)
    return false;
  g->added = oyi_data(s);
  g->added_row = oyi_strides(s)[0];
  return true;
}

// Puts what is added into |c| first, broadcast, and says how much of it stays.
static oy_status add_self(const oyi_matrix_call* call, oyi_tensor* c, oyi_gemm* g) {
  const oy_dtype dtype = c->header.dtype;
  const bool is_half = dtype == OY_DTYPE_F16 || dtype == OY_DTYPE_BF16;
  g->alpha = oyi_number_of_scalar(call->alpha);
  g->beta = oyi_number_of_scalar(call->beta);
  g->added = NULL;
  OY_TRY(oyi_number_check(g->alpha, is_half ? OY_DTYPE_F32 : dtype));
  OY_TRY(oyi_number_check(g->beta, is_half ? OY_DTYPE_F32 : dtype));
  if (call->self == &c->header || oyi_number_is_zero(g->beta)) return OY_OK;
  if (reads_self(call, c, g)) return OY_OK;
  oy_object* wide = oy_tensor_expand(call->self, oyi_sizes_view(c));
  if (!wide) return oy_failure();
  oyi_convert(c, oyi_tensor_cast(wide));
  oy_tensor_release(wide);
  return OY_OK;
}

static inline oy_status add_first(const oyi_matrix_call* call, oyi_tensor* c,
                                  oyi_gemm* g) {
  if (call->self) return add_self(call, c, g);
  g->added = NULL;
  g->alpha = (oyi_number){.kind = OYI_NUMBER_INT, .i = 1, .re = 1};
  g->beta = (oyi_number){.kind = OYI_NUMBER_INT};
  return OY_OK;
}

static inline oyi_gemm_fn find_gemm(const oyi_matrix_call* call, oy_dtype dtype,
                                    const char* name) {
  oyi_gemm_fn gemm = call->pick(dtype);
  if (!gemm)
    OY_FAIL(NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", name,
            oy_dtype_pytorch_name(dtype));
  return gemm;
}

// Gives |c|, or gives it up if it is new and |status| is a failure.
static inline oy_object* finish(const oyi_matrix_call* call, oyi_tensor* c,
                                oy_status status) {
  if (OY_LIKELY(status == OY_OK)) return &c->header;
  if (!call->out) oy_tensor_release(&c->header);
  return NULL;
}

// A tensor of another device with the CPU's key has nothing to read.
static inline oy_status check_data(const oyi_tensor* a, const oyi_tensor* b) {
  OY_CHECK((a->numel == 0 || oyi_data(a)) && (b->numel == 0 || oyi_data(b)),
           NOT_IMPLEMENTED, "a CPU kernel was given a tensor without data");
  return OY_OK;
}

static inline __attribute__((always_inline)) oy_status run(const oyi_matrix_call* call,
                                                           oyi_tensor* c, oyi_gemm* g,
                                                           const char* name) {
  OY_TRY(check_data(oyi_tensor_cast(call->a), oyi_tensor_cast(call->b)));
  oyi_gemm_fn gemm = find_gemm(call, c->header.dtype, name);
  if (!gemm) return OY_NOT_IMPLEMENTED;
  OY_TRY(add_first(call, c, g));
  if (c->numel == 0) return OY_OK;
  return OY_UNLIKELY(call->whole) ? gemm(g) : multiply(gemm, g, oyi_item(c));
}

oy_object* oyi_cpu_addmm(const oyi_matrix_call* call) {
  oyi_tensor* c = oyi_rule_mm(call->self, call->a, call->b, call->out);
  if (!c) return NULL;
  if (oyi_is_meta(c)) return &c->header;
  oyi_gemm g;
  put_matrices(&g, oyi_tensor_cast(call->a), oyi_tensor_cast(call->b), c);
  return finish(call, c, run(call, c, &g, "addmm_impl_cpu_"));
}

typedef struct batch {
  const oyi_gemm* g;
  oyi_gemm_fn gemm;
  int64_t a_step, b_step, c_step;  // from one matrix to the next, in bytes
  int64_t count, chunk;
} batch;

static oyi_gemm matrix_of(const batch* all, int64_t i) {
  oyi_gemm g = *all->g;
  if (g.k > 0) {
    g.a = (const char*)g.a + i * all->a_step;
    g.b = (const char*)g.b + i * all->b_step;
  }
  g.c = (char*)g.c + i * all->c_step;
  return g;
}

static oy_status multiply_chunk(int64_t index, void* context) {
  const batch* all = context;
  int64_t end =
      (index + 1) * all->chunk < all->count ? (index + 1) * all->chunk : all->count;
  for (int64_t i = index * all->chunk; i < end; i++) {
    oyi_gemm g = matrix_of(all, i);
    OY_TRY(all->gemm(&g));
  }
  return OY_OK;
}

// One product for each matrix of the batch, or all of them added up. Threads take whole
// matrices if these are small or many, else each has a part of every one.
static oy_status run_batch(batch* all, int64_t item, bool sums) {
  const oyi_gemm* g = all->g;
  const double work = (double)g->n * (double)g->m * (double)g->k;
  const bool many = all->count >= 4 * (int64_t)oy_get_num_threads();
  if (!sums && (many || work < WORTH_A_THREAD)) {
    double chunk = work < WORTH_A_THREAD ? WORTH_A_THREAD / (work > 1 ? work : 1) + 1 : 1;
    all->chunk = chunk < (double)all->count ? (int64_t)chunk : all->count;
    return oyi_parallel_chunks((all->count + all->chunk - 1) / all->chunk, multiply_chunk,
                               all);
  }
  for (int64_t i = 0; i < all->count; i++) {
    oyi_gemm one = matrix_of(all, i);
    if (sums && i > 0) one.beta = oyi_number_of_scalar(oy_int(1));
    OY_TRY(multiply(all->gemm, &one, item));
  }
  return OY_OK;
}

static oy_object* batched(const oyi_matrix_call* call, bool sums) {
  oyi_tensor* c = oyi_rule_bmm(call->self, call->a, call->b, call->out, sums);
  if (!c) return NULL;
  if (oyi_is_meta(c)) return &c->header;
  const oyi_tensor *a = oyi_tensor_cast(call->a), *b = oyi_tensor_cast(call->b);
  oyi_gemm g;
  put_matrices(&g, a, b, c);
  oyi_gemm_fn gemm = find_gemm(call, c->header.dtype, sums ? "addbmm_impl_cpu_" : "bmm");
  oy_status status = gemm ? check_data(a, b) : OY_NOT_IMPLEMENTED;
  if (status == OY_OK) status = add_first(call, c, &g);
  if (status != OY_OK || c->numel == 0) return finish(call, c, status);
  if (a->sizes[0] == 0) {  // nothing but beta * self is left
    g.k = 0;
    return finish(call, c, sums ? gemm(&g) : OY_OK);
  }
  const int64_t item = oyi_item(c);
  batch all = {.g = &g,
               .gemm = gemm,
               .a_step = oyi_strides(a)[0] * item,
               .b_step = oyi_strides(b)[0] * item,
               .c_step = sums ? 0 : oyi_strides(c)[0] * item,
               .count = a->sizes[0]};
  return finish(call, c, run_batch(&all, item, sums));
}

oy_object* oyi_cpu_baddbmm(const oyi_matrix_call* call) {
  return batched(call, false);
}
oy_object* oyi_cpu_addbmm_sum(const oyi_matrix_call* call) {
  return batched(call, true);
}

// Vectors are matrices of one column or row.
oy_object* oyi_cpu_addmv_call(const oyi_matrix_call* call) {
  oyi_tensor* c = oyi_rule_addmv(call->self, call->a, call->b, call->out);
  if (!c) return NULL;
  if (oyi_is_meta(c)) return &c->header;
  const oyi_tensor *a = oyi_tensor_cast(call->a), *v = oyi_tensor_cast(call->b);
  oyi_gemm g = {.n = a->sizes[0],
                .m = 1,
                .k = a->sizes[1],
                .a = oyi_data(a),
                .b = oyi_data(v),
                .c = oyi_data(c),
                .a_row = oyi_strides(a)[0],
                .a_column = oyi_strides(a)[1],
                .b_row = oyi_strides(v)[0],
                .b_column = 1,
                .c_row = oyi_strides(c)[0],
                .c_column = 1};
  return finish(call, c, run(call, c, &g, "addmv_impl_cpu"));
}

// ------------------------------------------------------------- the portable kernels

#define KERNEL(id)          OYI_CPU(id)
#define PICK                oyi_gemm_portable
#define RUN(function, call) function(call)
#include "backends/cpu/linalg/matrix_rows_tmpl.h"

OYI_CPU(addbmm) {
  return oyi_cpu_addbmm_sum(CALL_ADD(batch1, batch2, NULL));
}
OYI_CPU(addbmm_out) {
  return oyi_cpu_addbmm_sum(CALL_ADD(batch1, batch2, out));
}
OYI_CPU(addbmm_) {
  return oyi_cpu_addbmm_sum(CALL_ADD(batch1, batch2, self));
}
OYI_CPU(addmv) {
  return oyi_cpu_addmv_call(CALL_ADD(mat, vec, NULL));
}
OYI_CPU(addmv_out) {
  return oyi_cpu_addmv_call(CALL_ADD(mat, vec, out));
}
OYI_CPU(addmv_) {
  return oyi_cpu_addmv_call(CALL_ADD(mat, vec, self));
}

// ------------------------------------------------------------------ of two vectors

// x as a matrix of |rows| rows or columns.
static void put_vector(const oyi_tensor* x, const void** data, int64_t* step) {
  *data = oyi_data(x);
  *step = oyi_strides(x)[0];
}

// Unlike the others it minds what becomes of fractions.
oy_object* oyi_cpu_addr(const oyi_matrix_call* call) {
  oyi_tensor* c = oyi_rule_addr(call->self, call->a, call->b, call->out);
  if (!c) return NULL;
  if (oyi_is_meta(c)) return &c->header;
  oyi_gemm g = {.n = c->sizes[0],
                .m = c->sizes[1],
                .k = 1,
                .c = oyi_data(c),
                .c_row = oyi_strides(c)[0],
                .c_column = oyi_strides(c)[1]};
  put_vector(oyi_tensor_cast(call->a), &g.a, &g.a_row);
  put_vector(oyi_tensor_cast(call->b), &g.b, &g.b_column);
  oy_status status = oyi_check_alpha_beta(c->header.dtype, call->alpha, call->beta);
  if (status == OY_OK) status = run(call, c, &g, "addr");
  return finish(call, c, status);
}

OYI_CPU(addr) {
  return oyi_cpu_addr_any(CALL_ADD(vec1, vec2, NULL));
}
OYI_CPU(addr_out) {
  return oyi_cpu_addr_any(CALL_ADD(vec1, vec2, out));
}

// |conjugate|: of the first one, if that is complex.
static oy_object* inner(const oyi_matrix_call* call, bool conjugate, const char* name) {
  oyi_tensor* c = oyi_rule_dot(call->a, call->b, call->out, name);
  if (!c) return NULL;
  if (oyi_is_meta(c)) return &c->header;
  oyi_gemm g = {.n = 1,
                .m = 1,
                .k = oyi_tensor_cast(call->a)->numel,
                .c = oyi_data(c),
                .conjugate = conjugate};
  put_vector(oyi_tensor_cast(call->a), &g.a, &g.a_column);
  put_vector(oyi_tensor_cast(call->b), &g.b, &g.b_row);
  return finish(call, c, run(call, c, &g, name));
}

OYI_CPU(dot) {
  return inner(CALL(self, tensor, NULL), false, "dot");
}

OYI_CPU(vdot) {
  return inner(CALL(self, other, NULL), true, "vdot");
}
