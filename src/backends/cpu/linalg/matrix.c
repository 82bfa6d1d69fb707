// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/linalg/matrix.h"

#include "backends/cpu/linalg/gemm_words.h"
#include "backends/cpu/linalg/matrix_steps.h"
#include "base/threads.h"
#include "ops/rules/matrix.h"

// --------------------------------------------------------------------- threads

// Smaller types are as much faster as they are smaller.
static inline double worth_a_thread(int64_t item) {
  return (double)OYI_WORTH_A_THREAD * (item < 4 ? 4 / (double)item : 1);
}

typedef struct split {
  const oyi_gemm* g;
  oyi_gemm_fn gemm;
  int64_t item, result_item;  // bytes of elements
  int64_t step, parts;        // rows or columns of a part; the last has the rest
  bool by_rows;
} split;

static oy_status multiply_part(int64_t index, void* context) {
  const split* s = context;
  oyi_gemm g = *s->g;
  const int64_t first = index * s->step;
  const bool is_last = index + 1 == s->parts;
  if (s->by_rows) {
    g.n = is_last ? g.n - first : s->step;
    g.a = (const char*)g.a + first * g.a_row * s->item;
    if (g.added) g.added = (const char*)g.added + first * g.added_row * s->item;
    g.c = (char*)g.c + first * g.c_row * s->result_item;
  } else {
    g.m = is_last ? g.m - first : s->step;
    g.b = (const char*)g.b + first * g.b_column * s->item;
    g.c = (char*)g.c + first * g.c_column * s->result_item;
  }
  return s->gemm(&g);
}

// Whether each thread takes columns: all of it packs the same b for rows of it, which takes long
// where b is large and the product itself, of short types, is fast.
static bool goes_by_columns(const oyi_gemm* g, int64_t item) {
  enum { SHORT = 2, LARGE = 1 << 18 };
  if (!oyi_number_is_zero(g->beta) && g->added) return false;
  return g->m > g->n || (g->m == g->n && item <= SHORT && g->m * g->k >= LARGE);
}

// Parts along the longer side of the result, whose sums do not depend on the others.
static __attribute__((noinline)) oy_status multiply_split(oyi_gemm_fn gemm,
                                                          const oyi_gemm* g, int64_t item,
                                                          int64_t result_item) {
  const int64_t threads = oy_get_num_threads();
  const double regions =
      (double)g->n * (double)g->m * (double)g->k / worth_a_thread(item);
  if (threads == 1 || regions < 1) return gemm(g);
  const bool by_rows = !goes_by_columns(g, item);
  const int64_t side = by_rows ? g->n : g->m;
  const int64_t most = regions < (double)threads ? (int64_t)regions : threads;
  // What most kernels have a whole number of, so that no part is much longer than another; with
  // less they may add up in another order.
  enum { WHOLE = 16 };
  const int64_t part = (side + most - 1) / most;
  const int64_t step = (part + WHOLE - 1) / WHOLE * WHOLE;
  const int64_t parts = (side + step - WHOLE) / step;
  split s = {g, gemm, item, result_item, step, parts > 0 ? parts : 1, by_rows};
  return oyi_parallel_chunks(s.parts, multiply_part, &s);
}

static inline oy_status multiply(oyi_gemm_fn gemm, const oyi_gemm* g, int64_t item) {
  enum { SIDE = 32 };  // up to there nothing has to be worked out
  _Static_assert(SIDE * SIDE * SIDE < OYI_WORTH_A_THREAD, "those take no threads");
  if (g->n <= SIDE && g->m <= SIDE && g->k <= SIDE) return gemm(g);
  return multiply_split(gemm, g, item, item);
}

oy_status oyi_multiply(oyi_gemm_fn gemm, const oyi_gemm* g, int64_t item,
                       int64_t result_item) {
  return multiply_split(gemm, g, item, result_item);
}

// ------------------------------------------------------------------ the operators

// Whether the product reads what is added from where it is: a second pass over a result
// that has little to add up takes as long as the first.
static bool can_read(const oyi_matrix_call* call, const oyi_tensor* c,
                     const oyi_gemm* g) {
  if (c->header.dtype == OY_DTYPE_BF16 && oyi_gemm_bf16_f32())
    return call->pick != oyi_gemm_portable && oyi_gemm_bf16_reads_added(g);
  if (c->header.dtype == OY_DTYPE_F32 && oyi_gemm_f32_reads_added(g, c->numel))
    return true;
  const bool is_complex = oy_dtype_is_complex(c->header.dtype);
  return (is_complex ? g->beta.im == 0 : call->pick == oyi_gemm_portable) &&
         c->ndim == 2 && oyi_gemm_is_outer(g) && g->n >= 16;
}

static bool reads_self(const oyi_matrix_call* call, const oyi_tensor* c, oyi_gemm* g) {
  const oyi_tensor* s = oyi_tensor_cast(call->self);
  if (call->out || s->header.dtype != c->header.dtype || !oyi_data(s) ||
      !can_read(call, c, g))
    return false;
  // Dimensions that self lacks, or has but once, are the same for all.
  const int64_t *sizes = c->sizes + c->ndim, *strides = oyi_strides(s) + s->ndim;
  int64_t steps[3] = {0};
  for (int d = 1; d <= s->ndim; d++) {
    const int64_t size = s->sizes[s->ndim - d];
    if (size == sizes[-d])
      steps[d - 1] = strides[-d];
    else if (size != 1)
      return false;
  }
  if (steps[0] != 1) return false;
  g->added = oyi_data(s);
  g->added_row = steps[1], g->added_step = steps[2];
  return true;
}

oy_status oyi_matrix_add_self(const oyi_matrix_call* call, oyi_tensor* c, oyi_gemm* g) {
  const oy_dtype dtype = c->header.dtype;
  const oy_dtype numbers = oyi_is_half(dtype) ? OY_DTYPE_F32 : dtype;
  g->alpha = oyi_number_of_scalar(call->alpha);
  g->beta = oyi_number_of_scalar(call->beta);
  g->added = NULL;
  OY_TRY(oyi_number_check(g->alpha, numbers));
  OY_TRY(oyi_number_check(g->beta, numbers));
  if (call->self == &c->header || oyi_number_is_zero(g->beta)) return OY_OK;
  if (reads_self(call, c, g)) return OY_OK;
  oy_object* wide = oy_tensor_expand(call->self, oyi_sizes_view(c));
  if (!wide) return oy_failure();
  oyi_convert(c, oyi_tensor_cast(wide));
  oy_tensor_release(wide);
  return OY_OK;
}

static inline __attribute__((always_inline)) oy_status run(const oyi_matrix_call* call,
                                                           oyi_tensor* c, oyi_gemm* g,
                                                           const char* name) {
  OY_TRY(oyi_matrix_check_data(oyi_tensor_cast(call->a), oyi_tensor_cast(call->b)));
  if (c->numel == 0) return oyi_matrix_add_first(call, c, g);  // of any dtype
  oyi_gemm_fn gemm = oyi_matrix_gemm(call, c->header.dtype, name);
  if (!gemm) return OY_NOT_IMPLEMENTED;
  OY_TRY(oyi_matrix_add_first(call, c, g));
  return OY_UNLIKELY(call->whole) ? gemm(g) : multiply(gemm, g, oyi_item(c));
}

// Whether each element is one product that loops over elements find faster than kernels do, but
// for long rows that lie together.
static bool is_elements(const oyi_matrix_call* call, const oyi_gemm* g,
                        const oyi_tensor* c) {
  enum { MANY = 256, SHORT = 16 };
  const oy_dtype dtype = c->header.dtype;
  if (g->k != 1) return false;
  if (dtype == OY_DTYPE_BF16) return !call->self;
  const bool is_complex = oy_dtype_is_complex(dtype);
  if ((oyi_gemm_is_outer(g) && !is_complex) || c->numel < MANY) return false;
  const bool is_whole = dtype == OY_DTYPE_I32 || dtype == OY_DTYPE_I64;
  return !call->self || dtype == OY_DTYPE_F32 || is_whole ||
         (is_complex && g->m < SHORT) || (dtype == OY_DTYPE_F64 && g->m == 1);
}

// Of few rows or columns, or one product for each element.
static __attribute__((noinline)) oy_object* few(const oyi_matrix_call* call,
                                                oyi_tensor* c, oyi_gemm* g,
                                                const oyi_tensor* a,
                                                const oyi_tensor* b) {
  oy_status status = oyi_matrix_check_data(a, b);
  if (status == OY_OK && c->numel > 0 && oyi_are_few_halves(call, g, c))
    return oyi_matrix_finish(call, c, oyi_multiply_as_floats(call, c, oyi_cpu_addmm));
  if (status == OY_OK && c->numel > 0 && is_elements(call, g, c)) {
    status = oyi_matrix_add_first(call, c, g);
    if (status == OY_OK && oyi_multiply_outer(g, a, b, c, &status))
      return oyi_matrix_finish(call, c, status);
  }
  return oyi_matrix_finish(call, c, run(call, c, g, "addmm_impl_cpu_"));
}

oy_object* oyi_cpu_addmm(const oyi_matrix_call* call) {
  oyi_tensor* c = oyi_rule_mm(call->self, call->a, call->b, call->out);
  if (!c) return NULL;
  if (oyi_is_meta(c)) return &c->header;
  oyi_gemm g;
  const oyi_tensor *a = oyi_tensor_cast(call->a), *b = oyi_tensor_cast(call->b);
  oyi_put_matrices(&g, a, b, c);
  if (OY_UNLIKELY(g.m < 4 || g.n < 4 || g.k == 1)) return few(call, c, &g, a, b);
  return oyi_matrix_finish(call, c, run(call, c, &g, "addmm_impl_cpu_"));
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
  return oyi_matrix_finish(call, c, run(call, c, &g, "addmv_impl_cpu"));
}

// ------------------------------------------------------------- the portable kernels

#define KERNEL(id)          OYI_CPU(id)
#define PICK                oyi_gemm_portable
#define RUN(function, call) function(call)
#include "backends/cpu/linalg/matrix_rows_tmpl.h"

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
  return oyi_matrix_finish(call, c, status);
}

OYI_CPU(addr) {
  return oyi_cpu_addr_any(CALL_ADD(vec1, vec2, NULL));
}
OYI_CPU(addr_out) {
  return oyi_cpu_addr_any(CALL_ADD(vec1, vec2, out));
}

// |conjugate|: of the first one, if that is complex.
static oy_object* inner(const oyi_matrix_call* call, bool conjugate, const char* name) {
  oyi_tensor* c = oyi_rule_dot(call->a, call->b, call->out);
  if (!c) return NULL;
  if (oyi_is_meta(c)) return &c->header;
  oyi_gemm g = {.n = 1,
                .m = 1,
                .k = oyi_tensor_cast(call->a)->numel,
                .c = oyi_data(c),
                .conjugate = conjugate};
  put_vector(oyi_tensor_cast(call->a), &g.a, &g.a_column);
  put_vector(oyi_tensor_cast(call->b), &g.b, &g.b_row);
  return oyi_matrix_finish(call, c, run(call, c, &g, name));
}

OYI_CPU(dot) {
  return inner(CALL(self, tensor, NULL), false, "dot");
}

OYI_CPU(vdot) {
  return inner(CALL(self, other, NULL), true, "vdot");
}
