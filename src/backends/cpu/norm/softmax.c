// SPDX-License-Identifier: Apache-2.0
// Softmax, its logarithm, and their gradients: row by row, or down columns where another
// dimension than the last one lies in order. Only where it does not, or where columns are
// too few to fill vectors, is it moved through copies. Short rows are turned round, many at
// a time, so that they are columns: a call and a sum across a vector for each of them would
// take longer than their elements.
#include "backends/cpu/kernels.h"
#include "backends/cpu/norm/rows.h"
#include "backends/cpu/norm/softmax_single.h"
#include "backends/cpu/work.h"
#include "base/threads.h"
#include "ops/calls.h"
#include "ops/rules/rules.h"
#include "tensor/element.h"
#include "tensor/iterator.h"
#include "tensor/move.h"

typedef void (*forward_fn)(int64_t n, const void* in, void* out);
typedef void (*backward_fn)(int64_t n, const void* grad, const void* result, void* out);
typedef void (*backward_short_fn)(int64_t n, int64_t rows, const void* grad,
                                  const void* result, void* out);
typedef void (*forward_columns_fn)(int64_t n, int64_t stride, int64_t columns,
                                   const void* in, void* out);
typedef void (*backward_columns_fn)(int64_t n, int64_t stride, int64_t columns,
                                    const void* grad, const void* result, void* out);

// Columns that are done at once, at least; fewer than |LEAST_COLUMNS| do not fill vectors.
enum { COLUMNS = 64, LEAST_COLUMNS = 8 };

// Doubles of a row that is turned round, at most, and of a block of such rows, where there is
// room for twice as many floats; how many rows are worth it, and how many longer ones.
enum { SHORT = 32, BLOCK = SHORT * COLUMNS, LEAST_ROWS = 8, LEAST_LONG_ROWS = 24 };

typedef struct job {
  forward_fn forward;  // one of the two, with the same down columns
  backward_fn backward;
  forward_columns_fn forward_columns;
  backward_columns_fn backward_columns;
  backward_short_fn backward_short;  // of rows of at most |short_row| elements; or NULL
  int64_t short_row;
  const char *in, *in2;  // |in2| is the result of the forward operator
  char* out;
  int64_t rows, n, item, stretch;
  int64_t inner, pieces;  // adjacent columns, and into how many pieces they are cut
  // Of 16-bit floats that are converted a few rows at a time: their dtype, and what is done
  // with those rows.
  oy_dtype half;
  oyi_chunk_fn whole;
} job;

static oy_status run_stretch(int64_t index, void* context) {
  const job* j = context;
  const int64_t end = (index + 1) * j->stretch;
  const int64_t bytes = j->n * j->item, first = index * j->stretch;
  if (j->backward_short && j->n <= j->short_row) {
    const int64_t rows = (end < j->rows ? end : j->rows) - first;
    j->backward_short(j->n, rows, j->in + first * bytes, j->in2 + first * bytes,
                      j->out + first * bytes);
    return OY_OK;
  }
  for (int64_t i = first; i < end && i < j->rows; i++) {
    const char* in = j->in + i * bytes;
    if (j->forward)
      j->forward(j->n, in, j->out + i * bytes);
    else
      j->backward(j->n, in, j->in2 + i * bytes, j->out + i * bytes);
  }
  return OY_OK;
}

// Row |i| stands for a piece of the columns of one matrix.
static oy_status run_columns(int64_t index, void* context) {
  const job* j = context;
  const int64_t end = (index + 1) * j->stretch;
  for (int64_t i = index * j->stretch; i < end && i < j->rows; i++) {
    const int64_t first = i % j->pieces * COLUMNS;
    const int64_t count = j->inner - first < COLUMNS ? j->inner - first : COLUMNS;
    const int64_t at = (i / j->pieces * j->n * j->inner + first) * j->item;
    if (j->forward)
      j->forward_columns(j->n, j->inner, count, j->in + at, j->out + at);
    else
      j->backward_columns(j->n, j->inner, count, j->in + at, j->in2 + at, j->out + at);
  }
  return OY_OK;
}

// |rows| short rows to columns of |block|, or back.
static void turn(const job* j, int64_t rows, char* block, const char* in, char* out) {
  const int64_t along = j->n * j->item, down = rows * j->item;
  oyi_move m = {.item = (size_t)j->item, .n = rows, .rows = j->n};
  if (in) {
    m.to = block, m.to_along = j->item, m.to_down = down;
    m.from = in, m.from_along = along, m.from_down = j->item;
  } else {
    m.n = j->n, m.rows = rows;
    m.to = out, m.to_along = j->item, m.to_down = along;
    m.from = block, m.from_along = down, m.from_down = j->item;
  }
  oyi_move_rows(&m);
}

// Row |i| stands for a block of short rows.
static oy_status run_short(int64_t index, void* context) {
  const job* j = context;
  const int64_t room = BLOCK * (int64_t)sizeof(double) / j->item, row = j->n * j->item,
                most = room / j->n / COLUMNS * COLUMNS;
  const int64_t last = (index + 1) * j->stretch, end = last < j->rows ? last : j->rows;
  _Alignas(64) double block[BLOCK], block2[BLOCK];
  char *a = (char*)block, *b = (char*)block2;
  for (int64_t i = index * j->stretch; i < end; i += most) {
    const int64_t rows = end - i < most ? end - i : most;
    turn(j, rows, a, j->in + i * row, NULL);
    if (j->forward) {
      j->forward_columns(j->n, rows, rows, a, a);
    } else {
      turn(j, rows, b, j->in2 + i * row, NULL);
      j->backward_columns(j->n, rows, rows, a, b, a);
    }
    turn(j, rows, a, NULL, j->out + i * row);
  }
  return OY_OK;
}

// 16-bit floats that lie as they are written: the rows that a cache holds become floats and back,
// where all of them at once would pass through memory.
enum { HALVES = 2048 };
static oy_status run_halves(int64_t index, void* context) {
  const job* j = context;
  const int64_t most = HALVES / j->n, last = (index + 1) * j->stretch,
                size = sizeof(uint16_t);
  const int64_t end = last < j->rows ? last : j->rows;
  float a[HALVES], b[HALVES], c[HALVES];
  for (int64_t i = index * j->stretch; i < end; i += most) {
    job part = *j;
    part.rows = part.stretch = end - i < most ? end - i : most;
    part.in = (char*)a;
    part.out = (char*)c;  // apart: what was just written is slow to read for the next row
    part.in2 = (char*)b;
    const int64_t at = i * j->n * size, count = part.rows * j->n;
    oyi_convert_row(OY_DTYPE_F32, (char*)a, sizeof(*a), j->half, j->in + at, size, count);
    if (j->in2)
      oyi_convert_row(OY_DTYPE_F32, (char*)b, sizeof(*b), j->half, j->in2 + at, size,
                      count);
    OY_TRY(j->whole(0, &part));
    oyi_convert_row(j->half, j->out + at, size, OY_DTYPE_F32, (char*)c, sizeof(*c),
                    count);
  }
  return OY_OK;
}

// Elements of a row, at most, for which it pays. Gradients turn three times what they
// compute little on, and doubles take more moves.
static int64_t most_turned(const job* j) {
  if (j->forward) return SHORT * (int64_t)sizeof(double) / j->item;
  if (j->backward_short) return 3;
  return j->item == sizeof(double) ? 7 : 24;
}

// Whether columns fill vectors. Gradients of doubles, which take more moves, gain by half a vector;
// exponentials by that if it has two rows, or else by most of one.
static bool are_enough(const job* j, int64_t item) {
  enum { HALF = LEAST_COLUMNS / 2, SOME_MORE = HALF + 1 };
  if (j->inner >= LEAST_COLUMNS) return true;
  return item == sizeof(double) && j->inner >= HALF &&
         (!j->forward || j->inner != SOME_MORE);
}

// Whether columns are done where they lie: |t| would have to be copied to have them as
// rows, and is at most once copied as it is.
static bool by_columns(job* j, const oyi_tensor* t, int64_t dim) {
  j->inner = 1;
  for (int64_t i = dim + 1; i < t->ndim; i++) j->inner *= t->sizes[i];
  if (!are_enough(j, oyi_item(t))) return false;
  return (t->flags & OYI_CONTIGUOUS) || oyi_strides(t)[dim] != 1;
}

// |t| with dimension |dim| as the last one; a view, which the caller releases.
static oyi_tensor* last(const oyi_tensor* t, int64_t dim) {
  int64_t sizes[OY_TENSOR_MAX_DIMS], strides[OY_TENSOR_MAX_DIMS];
  size_t n = 0;
  for (int64_t i = 0; i <= t->ndim; i++) {
    if (i == dim && i < t->ndim) continue;
    int64_t from = i == t->ndim ? dim : i;
    if (n == t->ndim) break;
    sizes[n] = t->sizes[from];
    strides[n++] = oyi_strides(t)[from];
  }
  return oyi_tensor_alias(t, (oy_ints){sizes, n}, (oy_ints){strides, n}, t->offset);
}

// Whether rows of |n| 16-bit floats lie so in all |views| that there are.
static bool are_halves(oyi_tensor* const views[3], int64_t n) {
  if (oyi_item(views[1]) != sizeof(uint16_t) || n > HALVES) return false;
  for (int i = 0; i < 3; i++)
    if (views[i] && !((views[i]->flags & OYI_CONTIGUOUS) && oyi_data(views[i])))
      return false;
  return true;
}

static oy_status compute(job* j, oyi_tensor* out, const oyi_tensor* in,
                         const oyi_tensor* in2, int64_t dim) {
  oyi_tensor* views[3] = {NULL, NULL, NULL};
  const oyi_tensor* all[3] = {out, in, in2};
  const bool columns = by_columns(j, in, dim);
  bool good = true;
  for (int i = 0; i < 3; i++)
    if (all[i])
      good = (views[i] = last(all[i], columns ? all[i]->ndim - 1 : dim)) && good;
  const bool halves =
      good && !columns && are_halves(views, in->ndim ? in->sizes[dim] : 1);
  j->half = in->header.dtype;
  oyi_work w = oyi_work_begin(halves ? j->half : oyi_float_to_compute(in->header.dtype));
  w.failed = !good;
  j->in = oyi_work_read(&w, views[1]);
  j->in2 = oyi_work_read(&w, views[2]);
  j->out = oyi_work_write(&w, views[0]);
  j->n = out->ndim ? out->sizes[dim] : 1;
  j->rows = out->numel / j->n;
  j->item = halves ? (int64_t)sizeof(float) : oyi_dtype_bytes[w.dtype];
  j->stretch = oyi_stretch(j->n);
  if (columns) {
    j->pieces = oyi_stretches(j->inner, COLUMNS);
    j->rows = j->rows / j->inner * j->pieces;
    j->stretch = oyi_stretch(j->n * (j->inner < COLUMNS ? j->inner : COLUMNS));
  }
  const bool turned = !columns && j->n > 1 && j->n <= most_turned(j) &&
                      j->rows >= (j->n > SHORT ? LEAST_LONG_ROWS : LEAST_ROWS);
  j->whole = columns ? run_columns : turned ? run_short : run_stretch;
  oyi_chunk_fn run = halves ? run_halves : j->whole;
  oy_status status = OY_OK;
  if (!w.failed) status = oyi_parallel_chunks(oyi_stretches(j->rows, j->stretch), run, j);
  status = oyi_work_end(&w, status);
  for (int i = 0; i < 3; i++) oy_tensor_release(oyi_tensor_object(views[i]));
  return status;
}

// The output for an input |t|, NULL on failure; |dim| is wrapped.
static oyi_tensor* prepare(const oyi_tensor* t, int64_t* dim, oy_object* out,
                           oy_dtype dtype) {
  *dim = oyi_dim_wrap(*dim, t->ndim ? t->ndim : 1);
  if (*dim < 0) return NULL;
  if (!out) return oyi_tensor_new(oyi_sizes_view(t), dtype, oyi_tensor_device(t));
  oyi_tensor* o = oyi_tensor_of(out);
  if (!o || oyi_output_check_exact(o, dtype) != 0) return NULL;
  const oyi_tensor* inputs[] = {t};
  if (oyi_output_prepare(o, oyi_sizes_view(t), dtype, oyi_tensor_device(t)) != 0 ||
      oyi_output_check_overlap(o, inputs, 1) != 0)
    return NULL;
  return o;
}

static oy_object* finish(oyi_tensor* o, oy_object* out, oy_status status) {
  if (status == OY_OK) return &o->header;
  if (!out) oy_tensor_release(&o->header);
  return NULL;
}

static oy_object* softmax(oy_object* self, int64_t dim, bool half_to_float,
                          oy_object* out, bool logarithm) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (half_to_float) {
    OY_FAIL(NOT_IMPLEMENTED,
            "softmax with half to float conversion is not supported on CPU");
    return NULL;
  }
  oyi_tensor* o = prepare(t, &dim, out, self->dtype);
  if (!o || oyi_is_meta(o) || o->numel == 0) return oyi_tensor_object(o);
  if (!oyi_data(t) || !oyi_data(o))
    return finish(
        o, out, OY_FAIL(NOT_IMPLEMENTED, "a CPU kernel was given a tensor without data"));
  oy_dtype dtype = oyi_float_to_compute(self->dtype);
  if (dtype == OY_DTYPE_ANY) {
    bool is_last = t->ndim > 0 && dim == t->ndim - 1;
    const char* name =
        is_last ? "log_softmax_lastdim_kernel_impl" : "softmax_kernel_impl";
    if (!logarithm && is_last) name = "softmax_lastdim_kernel_impl";
    return finish(o, out, oyi_not_implemented(name, self->dtype));
  }
  if (t->ndim > 0 && t->sizes[dim] == 1 && oyi_softmax_single(o, t, logarithm))
    return &o->header;
  const oyi_row_math* math = oyi_row_math_for(dtype);
  job j = {
      .forward = logarithm ? math->log_softmax : math->softmax,
      .forward_columns = logarithm ? math->log_softmax_columns : math->softmax_columns};
  return finish(o, out, compute(&j, o, t, NULL, dim));
}

static oy_object* backward(oy_object* grad_output, oy_object* output, int64_t dim,
                           oy_object* out, bool logarithm) {
  const oyi_tensor* grad = oyi_tensor_of(grad_output);
  const oyi_tensor* result = grad ? oyi_tensor_of(output) : NULL;
  if (!result || oyi_check_same_device(grad, result) != 0) return NULL;
  if (!oyi_same_sizes(oyi_sizes_view(grad), oyi_sizes_view(result)) ||
      grad_output->dtype != output->dtype) {
    OY_FAIL(INVALID_ARGUMENT,
            "Expected tensor for argument #1 'grad' to have the same size and type as "
            "tensor for argument #2 'output'; but %s %s does not equal %s %s",
            oy_dtype_pytorch_name(grad_output->dtype),
            oyi_dims_print(oyi_sizes_view(grad)).text,
            oy_dtype_pytorch_name(output->dtype),
            oyi_dims_print(oyi_sizes_view(result)).text);
    return NULL;
  }
  oyi_tensor* o = prepare(grad, &dim, out, grad_output->dtype);
  if (!o || oyi_is_meta(o) || o->numel == 0) return oyi_tensor_object(o);
  oy_dtype dtype = oyi_float_to_compute(output->dtype);
  if (dtype == OY_DTYPE_ANY)
    return finish(o, out,
                  oyi_not_implemented("softmax_backward_kernel_impl", output->dtype));
  const oyi_row_math* math = oyi_row_math_for(dtype);
  job j = {.backward = logarithm ? math->log_softmax_backward : math->softmax_backward,
           .backward_columns = logarithm ? math->log_softmax_columns_backward
                                         : math->softmax_columns_backward,
           .backward_short = logarithm ? NULL : math->softmax_backward_short,
           .short_row = math->short_row};
  return finish(o, out, compute(&j, o, grad, result, dim));
}

OYI_CPU(_softmax) {
  return softmax(self, dim, half_to_float, NULL, false);
}
OYI_CPU(_softmax_out) {
  return softmax(self, dim, half_to_float, out, false);
}
OYI_CPU(_log_softmax) {
  return softmax(self, dim, half_to_float, NULL, true);
}
OYI_CPU(_log_softmax_out) {
  return softmax(self, dim, half_to_float, out, true);
}
OYI_CPU(_softmax_backward_data) {
  return backward(grad_output, output, dim, NULL, false);
}
OYI_CPU(_softmax_backward_data_out) {
  return backward(grad_output, output, dim, grad_input, false);
}
OYI_CPU(_log_softmax_backward_data) {
  return backward(grad_output, output, dim, NULL, true);
}
OYI_CPU(_log_softmax_backward_data_out) {
  return backward(grad_output, output, dim, out, true);
}
