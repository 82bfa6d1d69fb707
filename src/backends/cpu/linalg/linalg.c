// SPDX-License-Identifier: Apache-2.0
// Batches of matrices, and what is checked of them.
#include "backends/cpu/linalg/linalg.h"

#include "backends/cpu/linalg/openblas.h"
#include "backends/cpu/staging.h"
#include "backends/cpu/work.h"
#include "ops/calls.h"
#include "ops/rules/matrix.h"
#include "opyard/threads.h"

int64_t oyi_matrix_count(const oyi_tensor* t) {
  int64_t count = 1;
  for (size_t i = 0; i + 2 < t->ndim; i++) count *= t->sizes[i];
  return count;
}

// A tensor whose last |kept| sizes are given, behind the batch of |like|.
static oyi_tensor* make(const oyi_tensor* like, const int64_t* last, size_t kept,
                        oy_dtype dtype, bool by_columns) {
  int64_t sizes[OY_TENSOR_MAX_DIMS], strides[OY_TENSOR_MAX_DIMS];
  size_t ndim = like->ndim - 2u + kept;
  memcpy(sizes, like->sizes, (like->ndim - 2u) * sizeof(int64_t));
  if (kept) memcpy(sizes + like->ndim - 2u, last, kept * sizeof(int64_t));
  oy_ints shape = {sizes, ndim};
  if (!by_columns) return oyi_tensor_new(shape, dtype, oyi_tensor_device(like));
  oyi_strides_contiguous(shape, strides);
  strides[ndim - 2] = 1;
  strides[ndim - 1] = sizes[ndim - 2] > 1 ? sizes[ndim - 2] : 1;
  return oyi_tensor_new_strided(shape, (oy_ints){strides, ndim}, dtype,
                                oyi_tensor_device(like));
}

oyi_tensor* oyi_matrices_new(const oyi_tensor* like, int64_t rows, int64_t columns,
                             oy_dtype dtype, bool by_columns) {
  const int64_t last[2] = {rows, columns};
  return make(like, last, 2, dtype, by_columns);
}
oyi_tensor* oyi_batch_rows_new(const oyi_tensor* like, int64_t size, oy_dtype dtype) {
  return make(like, &size, 1, dtype, false);
}
oyi_tensor* oyi_batch_new(const oyi_tensor* like, oy_dtype dtype) {
  return make(like, NULL, 0, dtype, false);
}
oyi_tensor* oyi_nothing_new(const oyi_tensor* like, oy_dtype dtype) {
  const int64_t none = 0;
  return oyi_tensor_new((oy_ints){&none, 1}, dtype, oyi_tensor_device(like));
}

oy_dtype oyi_lapack_dtype(const oyi_lapack* lapack, oy_dtype dtype) {
  if (lapack->native) return dtype;
  return oy_dtype_is_complex(dtype) ? OY_DTYPE_C128 : OY_DTYPE_F64;
}

oy_status oyi_matrices_each_part(const oyi_tensor* t, int64_t parts, int64_t times,
                                 oy_range_fn fn, void* context) {
  const int64_t most = parts > 1 ? parts : 1;
  const int64_t size = oyi_rows(t) * oyi_columns(t) / most * (times > 1 ? times : 1);
  const int64_t count = oyi_matrix_count(t) * parts, stretch = oyi_stretch(size);
  const bool begun = count > stretch && oyi_openblas_begin_quiet();
  oy_status status = oy_parallel_for(0, count, stretch, fn, context);
  if (begun) oyi_openblas_end_quiet();
  return status;
}
oy_status oyi_matrices_each(const oyi_tensor* t, int64_t times, oy_range_fn fn,
                            void* context) {
  return oyi_matrices_each_part(t, 1, times, fn, context);
}

// There is a power of two of stripes, so that as many threads have as much to do, and four times
// as many elements make twice the stripes: for each the other operand is packed again.
int64_t oyi_stripe_of(int64_t count, int64_t unit) {
  enum { LEAST = 40, MOST = 32 };
  int64_t stripes = 1;
  while (stripes < MOST && count >= 2 * stripes * stripes * LEAST) stripes *= 2;
  return (count + stripes * unit - 1) / (stripes * unit) * unit;
}

// ------------------------------------------------------------------- small copies

enum { SMALL_COPY = 1024 };

typedef struct small_copy {
  oyi_tensor* to;
  const oyi_tensor* from;
  int64_t lines, length;         // as they lie in |to|
  int64_t line_step, item_step;  // of |from|, in elements
  bool is_dense;                 // a matrix lies as it will
} small_copy;

static inline __attribute__((always_inline)) void copy_lines(const small_copy* c,
                                                             char* to, const char* from,
                                                             size_t item,
                                                             int64_t length) {
  for (int64_t line = 0; line < c->lines; line++) {
    const char* at = from + (size_t)(line * c->line_step) * item;
    for (int64_t i = 0; i < length; i++, to += item)
      memcpy(to, at + (size_t)(i * c->item_step) * item, item);
  }
}

// A loop over a few elements takes longer to set up than to run: their number is known then.
static inline __attribute__((always_inline)) void copy_matrix(const small_copy* c,
                                                              char* to, const char* from,
                                                              size_t item) {
  if (c->is_dense)
    memcpy(to, from, (size_t)(c->lines * c->length) * item);
  else if (c->length == 2)
    copy_lines(c, to, from, item, 2);
  else if (c->length == 3)
    copy_lines(c, to, from, item, 3);
  else if (c->length == 4)
    copy_lines(c, to, from, item, 4);
  else
    copy_lines(c, to, from, item, c->length);
}

static oy_status copy_some(int64_t begin, int64_t end, void* context) {
  const small_copy* c = context;
  const int64_t item = oyi_item(c->from), *strides = oyi_strides(c->from);
  for (int64_t k = begin; k < end; k++) {
    const char* from = oyi_data(c->from);
    for (int64_t d = c->from->ndim - 3, at = k; d >= 0; at /= c->from->sizes[d--])
      from += at % c->from->sizes[d] * strides[d] * item;
    char* to = oyi_matrix_at(c->to, k);
    if (item == 4)
      copy_matrix(c, to, from, 4);
    else if (item == 8)
      copy_matrix(c, to, from, 8);
    else
      copy_matrix(c, to, from, 16);
  }
  return OY_OK;
}

// Small matrices of one dtype, which the general walk would take line by line: setting a
// line up takes longer than to copy it.
static oy_status copy_small(oyi_tensor* to, const oyi_tensor* from, bool by_columns) {
  const int64_t rows = oyi_rows(from), columns = oyi_columns(from);
  const int64_t *strides = oyi_strides(from), row = strides[from->ndim - 2],
                column = strides[from->ndim - 1];
  small_copy c = {.to = to,
                  .from = from,
                  .lines = by_columns ? columns : rows,
                  .length = by_columns ? rows : columns,
                  .line_step = by_columns ? column : row,
                  .item_step = by_columns ? row : column};
  c.is_dense =
      (c.length == 1 || c.item_step == 1) && (c.lines == 1 || c.line_step == c.length);
  return oyi_matrices_each(from, 1, copy_some, &c);
}

static oy_status copy_into(oyi_tensor* to, const oyi_tensor* from, bool by_columns) {
  OY_TRY(oyi_check_data(from));
  const bool is_small = oyi_rows(from) * oyi_columns(from) <= SMALL_COPY;
  if (is_small && to->header.dtype == from->header.dtype && oyi_item(from) >= 4)
    return copy_small(to, from, by_columns);
  oyi_convert(to, from);
  return OY_OK;
}

// ------------------------------------------------------------------------ batches

static oyi_tensor* copied(const oyi_tensor* a, oy_dtype dtype, bool by_columns) {
  oyi_tensor* made = oyi_matrices_new(a, oyi_rows(a), oyi_columns(a), dtype, by_columns);
  if (!made || oyi_is_meta(made) || made->numel == 0) return made;
  if (copy_into(made, a, by_columns) == 0) return made;
  oy_tensor_release(&made->header);
  return NULL;
}

oyi_tensor* oyi_matrices_copy(const oyi_tensor* a, oy_dtype dtype) {
  return copied(a, dtype, true);
}
oy_object* oyi_batch_done(oyi_tensor* row, oy_dtype dtype) {
  if (!row || row->header.dtype == dtype) return oyi_tensor_object(row);
  oyi_tensor* made = oyi_converted(row, dtype);
  oy_tensor_release(&row->header);
  return oyi_tensor_object(made);
}

oyi_tensor* oyi_matrices_work(const oyi_lapack* lapack, oy_object* a) {
  if (!a) return NULL;
  return copied(oyi_tensor_cast(a), oyi_lapack_dtype(lapack, a->dtype), true);
}

oy_object* oyi_matrices_done(oyi_tensor* work, oy_dtype dtype) {
  if (!work || work->header.dtype == dtype) return oyi_tensor_object(work);
  oyi_tensor* made = copied(work, dtype, true);
  oy_tensor_release(&work->header);
  return oyi_tensor_object(made);
}

void oyi_matrices_keep(oyi_tensor* t, bool upper) {
  int64_t rows = oyi_rows(t), columns = oyi_columns(t), item = oyi_item(t);
  if (t->numel == 0) return;
  // By rows it is the other triangle of the transposed matrix.
  if (oyi_strides(t)[t->ndim - 1] == 1 && oyi_strides(t)[t->ndim - 2] != 1) {
    upper = !upper;
    int64_t other = rows;
    rows = columns, columns = other;
  }
  for (int64_t k = 0, count = oyi_matrix_count(t); k < count; k++)
    for (int64_t j = 0, last = upper ? oyi_least(columns, rows - 1) : columns; j < last;
         j++) {
      char* column = (char*)oyi_matrix_at(t, k) + j * rows * item;
      int64_t from = upper ? oyi_least(j + 1, rows) : 0;
      int64_t to = upper ? rows : oyi_least(j, rows);
      memset(column + from * item, 0, (size_t)((to - from) * item));
    }
}

void oyi_conjugate(oyi_tensor* t) {
  if (oyi_is_meta(t)) return;
  if (t->header.dtype == OY_DTYPE_C64)
    for (int64_t i = 0; i < t->numel; i++) ((float*)oyi_data(t))[2 * i + 1] *= -1;
  if (t->header.dtype == OY_DTYPE_C128)
    for (int64_t i = 0; i < t->numel; i++) ((double*)oyi_data(t))[2 * i + 1] *= -1;
}

oy_object* oyi_matrices_expand(oy_object* a, oy_ints batch) {
  const oyi_tensor* t = oyi_tensor_cast(a);
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  memcpy(sizes, batch.data, batch.size * sizeof(int64_t));
  sizes[batch.size] = oyi_rows(t), sizes[batch.size + 1] = oyi_columns(t);
  return oy_tensor_expand(a, (oy_ints){sizes, batch.size + 2});
}

oy_status oyi_batch_broadcast(const oyi_tensor* a, const oyi_tensor* b, int64_t* out,
                              size_t* out_count) {
  oy_ints lead_a = {a->sizes, a->ndim - 2u}, lead_b = {b->sizes, b->ndim - 2u};
  return oyi_broadcast(lead_a, lead_b, out, out_count);
}

oy_object* oyi_flipped(oy_object* t) {
  return t ? oy_tensor_transpose(t, -2, -1) : NULL;
}

// ------------------------------------------------------------------------- checks

const oyi_tensor* oyi_check_matrix(oy_object* a, const char* name) {
  const oyi_tensor* t = oyi_check_numbers(a, name);
  if (!t) return NULL;
  const oy_dtype dtype = a->dtype;
  if (dtype != OY_DTYPE_F32 && dtype != OY_DTYPE_F64 && dtype != OY_DTYPE_C64 &&
      dtype != OY_DTYPE_C128) {
    OY_FAIL(INVALID_ARGUMENT, "%s: Low precision dtypes not supported. Got %s", name,
            oy_dtype_pytorch_name(dtype));
    return NULL;
  }
  return t;
}

const oyi_tensor* oyi_check_square(oy_object* a, const char* name) {
  const oyi_tensor* t = oyi_tensor_of(a);
  if (t && t->ndim >= 2 && oyi_rows(t) != oyi_columns(t)) {
    OY_FAIL(
        INVALID_ARGUMENT,
        "%s: A must be batches of square matrices, but they are %lld by %lld matrices",
        name, (long long)oyi_rows(t), (long long)oyi_columns(t));
    return NULL;
  }
  return oyi_check_matrix(a, name);
}

oy_status oyi_check_solver(const oyi_tensor* a, const oyi_tensor* b, bool left,
                           const char* name) {
  OY_CHECK(a->header.dtype == b->header.dtype, TYPE_MISMATCH,
           "%s: Expected A and B to have the same dtype, but found A of type %s and B of "
           "type %s instead",
           name, oy_dtype_pytorch_name(a->header.dtype),
           oy_dtype_pytorch_name(b->header.dtype));
  OY_CHECK(b->ndim >= 2, INVALID_ARGUMENT,
           "%s: The input tensor B must have at least 2 dimensions.", name);
  OY_CHECK(left ? oyi_rows(a) == oyi_rows(b) : oyi_columns(a) == oyi_columns(b),
           INVALID_ARGUMENT,
           "%s: Incompatible shapes of A and B for the equation %s (%lldx%lld and "
           "%lldx%lld)",
           name, left ? "AX = B" : "XA = B", (long long)oyi_rows(a),
           (long long)oyi_columns(a), (long long)oyi_rows(b), (long long)oyi_columns(b));
  OY_CHECK(oy_device_equal(oyi_tensor_device(a), oyi_tensor_device(b)), INVALID_ARGUMENT,
           "%s: Expected all tensors to be on the same device, but A and B are not",
           name);
  return OY_OK;
}

oy_status oyi_check_info(int32_t info) {
  return info == OYI_LAPACK_NO_MEMORY ? OY_OUT_OF_MEMORY : OY_OK;
}

oy_status oyi_give_results(oy_status status, int count, oy_object* const* made,
                           oy_object** const* results) {
  for (int i = 0; i < count; i++)
    if (!made[i] && status == OY_OK) status = oy_failure();
  for (int i = 0; i < count; i++) {
    *results[i] = status == OY_OK ? made[i] : NULL;
    if (status != OY_OK) oy_tensor_release(made[i]);
  }
  return status;
}
