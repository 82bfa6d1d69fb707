// SPDX-License-Identifier: Apache-2.0
// Running sums, products and extremes along one dimension. Sums and products run in
// double or in 64-bit integers, in pieces that are converted on the way.
#include <complex.h>
#undef I
#include <math.h>

#include "backends/cpu/index/lines.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/order/scan_direct.h"
#include "backends/cpu/order/scan_logsumexp.h"
#include "backends/cpu/reduce/reduce_single.h"
#include "ops/rules/reduction.h"
#include "ops/rules/rules.h"
#include "tensor/element.h"

enum { PIECE = 512 };

// Goes on from |*total| over n numbers, in place; |reals| may use two of |total|. NULL: not
// for such numbers.
typedef struct scan_kind {
  const char* name;
  double start;
  void (*ints)(uint64_t* x, int64_t n, uint64_t* total);
  void (*reals)(double* x, int64_t n, double* total);
  void (*complexes)(double _Complex* x, int64_t n, double _Complex* total);
} scan_kind;

// The running value stays in a register: through |total| it would go by memory.
static void sum_ints(uint64_t* x, int64_t n, uint64_t* total) {
  uint64_t running = *total;
  for (int64_t i = 0; i < n; i++) x[i] = running += x[i];
  *total = running;
}
static void sum_reals(double* x, int64_t n, double* total) {
  double running = *total;
  for (int64_t i = 0; i < n; i++) x[i] = running += x[i];
  *total = running;
}
static void sum_complexes(double _Complex* x, int64_t n, double _Complex* total) {
  double _Complex running = *total;
  for (int64_t i = 0; i < n; i++) x[i] = running += x[i];
  *total = running;
}
static void multiply_ints(uint64_t* x, int64_t n, uint64_t* total) {
  uint64_t running = *total;
  for (int64_t i = 0; i < n; i++) x[i] = running *= x[i];
  *total = running;
}
static void multiply_reals(double* x, int64_t n, double* total) {
  double running = *total;
  for (int64_t i = 0; i < n; i++) x[i] = running *= x[i];
  *total = running;
}
static void multiply_complexes(double _Complex* x, int64_t n, double _Complex* total) {
  double _Complex running = *total;
  for (int64_t i = 0; i < n; i++) x[i] = running *= x[i];
  *total = running;
}

// log(exp(a) + exp(b) + ...), without overflow: the greatest, and how much the others add up
// to beside it. So no step waits for a logarithm but its own result.
static void add_exponentials(double* x, int64_t n, double* total) {
  double greatest = total[0], others = total[1];
  for (int64_t i = 0; i < n; i++) {
    const double here = x[i];
    if (here > greatest) {
      others = (1 + others) * exp(greatest - here);
      greatest = here;
    } else {
      others += here == greatest ? 1 : exp(here - greatest);
    }
    x[i] = greatest + log1p(others);
  }
  total[0] = greatest, total[1] = others;
}

static const scan_kind g_sum = {"cumsum_out_cpu", 0, sum_ints, sum_reals, sum_complexes};
static const scan_kind g_product = {"cumprod_out_cpu", 1, multiply_ints, multiply_reals,
                                    multiply_complexes};
static const scan_kind g_logsumexp = {"logcumsumexp_out_cpu", -INFINITY, NULL,
                                      add_exponentials, NULL};

typedef union total {
  uint64_t i;
  double d[2];  // the second is what is added to the greatest, from 0 on
  double _Complex z;
} total;

// Integers of any size run in 64 bits, floats in double.
static oy_dtype wide_dtype(oy_dtype dtype) {
  if (oy_dtype_is_complex(dtype)) return OY_DTYPE_C128;
  return oy_dtype_is_floating(dtype) ? OY_DTYPE_F64 : OY_DTYPE_I64;
}

static void scan_piece(const scan_kind* kind, oy_dtype wide, void* x, int64_t n,
                       total* t) {
  if (wide == OY_DTYPE_I64)
    kind->ints(x, n, &t->i);
  else if (wide == OY_DTYPE_F64)
    kind->reals(x, n, t->d);
  else
    kind->complexes(x, n, &t->z);
}

static void scan_line(const scan_kind* kind, const oyi_lines* w, oy_dtype from,
                      oy_dtype to, int64_t n) {
  _Alignas(16) char piece[PIECE * 16];
  const oy_dtype wide = wide_dtype(to);
  const int64_t item = oyi_dtype_bytes[wide];
  total t = {0};
  if (wide == OY_DTYPE_I64)
    t.i = (uint64_t)kind->start;
  else if (wide == OY_DTYPE_F64)
    t.d[0] = kind->start, t.d[1] = 0;
  else
    t.z = kind->start;
  for (int64_t i = 0; i < n; i += PIECE) {
    int64_t count = n - i < PIECE ? n - i : PIECE;
    oyi_convert_row(wide, piece, item, from, w->data[0] + i * w->step[0], w->step[0],
                    count);
    scan_piece(kind, wide, piece, count, &t);
    oyi_convert_row(to, w->data[1] + i * w->step[1], w->step[1], wide, piece, item,
                    count);
  }
}

typedef struct scanning {
  const scan_kind* kind;
  oy_dtype from, to;
  int64_t n;
} scanning;

static oy_status scan_some(oyi_lines* w, int64_t count, void* context) {
  const scanning* s = context;
  for (; count > 0; count--, oyi_lines_next(w))
    scan_line(s->kind, w, s->from, s->to, s->n);
  return OY_OK;
}

// Whether results that are neighbours go together, few as they may be: not those of lines that are
// one run where they are read, nor where there are many that are.
static bool goes_by_results(const oyi_lines* w, int64_t in, int64_t out, int64_t many) {
  if (w->ndim == 0 || w->steps[0][1] != out) return false;
  bool apart = w->step[0] != in;
  for (size_t d = 1; d < w->ndim; d++)
    apart &= w->steps[d][0] != in || w->sizes[d] < many;
  return w->steps[0][0] == in || apart;
}

static bool begin_lines(oyi_lines* w, oy_ints sizes, int64_t dim,
                        const oyi_tensor* const* tensors) {
  enum { LEAST = 16, LEAST_COLUMNS = 4 };
  if (!oyi_lines_begin(w, sizes, dim, tensors, 2)) return false;
  const bool columns =
      goes_by_results(w, oyi_item(tensors[0]), oyi_item(tensors[1]), LEAST);
  oyi_lines_arrange(w, columns ? LEAST_COLUMNS : LEAST);
  return true;
}

// Whether lines are single elements, and written.
static bool is_single(const scan_kind* kind, const oyi_reduction* r, oy_dtype result) {
  const oy_dtype in = r->in->header.dtype;
  if (kind == &g_sum) return oyi_reduce_single_sum(r, OYI_SINGLE_SUM);
  if (kind == &g_product && oy_dtype_is_complex(result))
    return oyi_reduce_single_sum(r, OYI_SINGLE_PRODUCT);
  return !oy_dtype_is_complex(result) &&
         (in == result || (result == OY_DTYPE_I64 && oy_dtype_is_integral(in, true))) &&
         oyi_reduce_single(r, OYI_SINGLE_ELEMENT);
}

// Truth is not summed up, but where there are no lines.
static oy_status find_result(const scan_kind* kind, const oyi_reduction* r,
                             oy_value dtype, const oy_object* out, oy_dtype* result) {
  const oy_dtype in = r->in->header.dtype;
  const oy_dtype own = oy_dtype_is_integral(in, true) && kind->ints ? OY_DTYPE_I64 : in;
  OY_TRY(oyi_dtype_argument(dtype, out ? out->dtype : own, result));
  OY_CHECK(
      out != &r->in->header || out->dtype == *result, TYPE_MISMATCH,
      "Bad in-place call: input tensor dtype %s and output tensor dtype %s should match",
      oyi_dtype_cpp_name(in), oyi_dtype_cpp_name(*result));
  const oy_dtype wide = wide_dtype(*result);
  const bool has_lines = r->in->ndim > 0 && r->in->numel > 0 && !r->meta;
  OY_CHECK((wide != OY_DTYPE_I64 || kind->ints) &&
               (wide != OY_DTYPE_C128 || kind->complexes) &&
               (*result != OY_DTYPE_BOOL || !has_lines),
           NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", kind->name,
           oy_dtype_pytorch_name(*result));
  return OY_OK;
}

// A number is what a tensor is filled with: it has to fit.
static oy_object* scan_number(oyi_reduction* r, oy_object* out, oy_dtype result) {
  const oyi_number number = oyi_element_load(r->in->header.dtype, oyi_data(r->in));
  if (oyi_number_check(number, result) != OY_OK ||
      oyi_reduction_output(r, out, result, OYI_OUT_EXACT) != OY_OK)
    return NULL;
  oyi_element_store(result, oyi_data(r->out[0]), number);
  return oyi_reduction_end(r, OY_OK);
}

static oy_object* scan(const scan_kind* kind, oy_object* self, int64_t dim,
                       oy_value dtype, oy_object* out) {
  oyi_reduction r;
  oy_dtype result;
  if (oyi_reduction_begin_dim(&r, self, oy_int(dim), true) != 0 ||
      find_result(kind, &r, dtype, out, &result) != OY_OK)
    return NULL;
  if (r.in->ndim == 0 && kind != &g_logsumexp && !r.meta)
    return scan_number(&r, out, result);
  for (size_t d = 0; d < r.ndim; d++) r.sizes[d] = r.in->sizes[d];
  if (oyi_reduction_output(&r, out, result, OYI_OUT_EXACT) != 0) return NULL;
  oyi_lines w;
  const oyi_tensor* tensors[] = {r.in, r.out[0]};
  dim = oyi_dim_wrap(dim, r.in->ndim);
  int64_t n = r.in->ndim ? r.in->sizes[dim] : 1;
  if (r.meta || (n == 1 && is_single(kind, &r, result)))
    return oyi_reduction_end(&r, OY_OK);
  if (r.in->numel > 0 && begin_lines(&w, oyi_sizes_view(r.in), dim, tensors) &&
      !(kind == &g_logsumexp
            ? oyi_scan_logsumexp(&w, self->dtype, result, n)
            : oyi_scan_direct(&w, self->dtype, result, n, kind == &g_product))) {
    scanning how = {kind, self->dtype, result, n};
    (void)!oyi_lines_run_beside(&w, n, scan_some, &how);
  }
  return oyi_reduction_end(&r, OY_OK);
}

OYI_CPU(cumsum) {
  return scan(&g_sum, self, dim, dtype, NULL);
}
OYI_CPU(cumsum_out) {
  return scan(&g_sum, self, dim, dtype, out);
}
OYI_CPU(cumsum_) {
  return scan(&g_sum, self, dim, dtype, self);
}
OYI_CPU(cumprod) {
  return scan(&g_product, self, dim, dtype, NULL);
}
OYI_CPU(cumprod_out) {
  return scan(&g_product, self, dim, dtype, out);
}
OYI_CPU(cumprod_) {
  return scan(&g_product, self, dim, dtype, self);
}
OYI_CPU(_logcumsumexp) {
  return scan(&g_logsumexp, self, dim, oy_none(), NULL);
}
OYI_CPU(_logcumsumexp_out) {
  return scan(&g_logsumexp, self, dim, oy_none(), out);
}

// ----------------------------------------------------------------------------- trace

// Integers as they lie, without rows of them in the dtype of the sum. Overflow wraps.
static int64_t sum_integers(oy_dtype dtype, const char* x, int64_t step, int64_t n) {
  uint64_t sum = 0;
#define SUM(T)                               \
  for (int64_t i = 0; i < n; i++, x += step) \
    sum += (uint64_t)(int64_t) * (const T*)(const void*)x;
  switch (dtype) {
    case OY_DTYPE_U8: SUM(uint8_t) break;
    case OY_DTYPE_I8: SUM(int8_t) break;
    case OY_DTYPE_I16: SUM(int16_t) break;
    case OY_DTYPE_I32: SUM(int32_t) break;
    case OY_DTYPE_U16: SUM(uint16_t) break;
    case OY_DTYPE_U32: SUM(uint32_t) break;
    default: SUM(int64_t) break;  // and unsigned ones, which wrap the same
  }
#undef SUM
  return (int64_t)sum;
}

OYI_CPU(trace) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t || oyi_check_memory(t) != 0) return NULL;
  if (t->ndim != 2) {
    OY_FAIL(INVALID_ARGUMENT, "trace: expected a matrix, but got tensor with dim %u",
            t->ndim);
    return NULL;
  }
  if (self->dtype == OY_DTYPE_BOOL) {
    OY_FAIL(NOT_IMPLEMENTED, "\"trace\" not implemented for 'Bool'");
    return NULL;
  }
  oy_dtype own = oy_dtype_is_integral(self->dtype, true) ? OY_DTYPE_I64 : self->dtype;
  oyi_tensor* out = oyi_tensor_new(oy_dims_none(), own, oyi_tensor_device(t));
  if (!out || oyi_is_meta(t)) return oyi_tensor_object(out);
  int64_t n = t->sizes[0] < t->sizes[1] ? t->sizes[0] : t->sizes[1];
  int64_t step = (oyi_strides(t)[0] + oyi_strides(t)[1]) * oyi_item(t);
  if (own == OY_DTYPE_I64) {
    *(int64_t*)oyi_data(out) = sum_integers(self->dtype, oyi_data(t), step, n);
    return &out->header;
  }
  _Alignas(16) char last[16] = {0};
  // A running sum that is written over itself: the last one stays.
  oyi_lines w = {.data = {oyi_data(t), last}, .step = {step, 0}};
  oyi_element_store(own, last, oyi_number_of_scalar(oy_int(0)));
  if (n > 0) scan_line(&g_sum, &w, self->dtype, own, n);
  memcpy(oyi_data(out), last, (size_t)oyi_item(out));
  return &out->header;
}
