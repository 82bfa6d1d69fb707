// SPDX-License-Identifier: Apache-2.0
// Elements moved as they are: flip, roll, triangles, and indices repeated.
#include "backends/cpu/kernels.h"
#include "backends/cpu/work.h"
#include "base/memory.h"
#include "base/threads.h"
#include "ops/calls.h"
#include "ops/rules/rules.h"
#include "ops/rules/shape.h"
#include "tensor/element.h"
#include "tensor/iterator.h"
#include "tensor/move.h"

// ----------------------------------------------------------------- flip, roll

// |t| seen from the other end of the dimensions of |mask|. Only for reading here: no
// tensor that a caller has may have negative strides.
static oyi_tensor* backwards(const oyi_tensor* t, uint64_t mask) {
  oyi_shape s;
  s.ndim = 0;
  int64_t offset = t->offset;
  for (size_t i = 0; i < t->ndim; i++) {
    int64_t stride = oyi_strides(t)[i];
    bool turned = (mask >> i & 1) && t->sizes[i] > 1;
    if (turned) offset += (t->sizes[i] - 1) * stride;
    oyi_shape_add(&s, t->sizes[i], turned ? -stride : stride);
  }
  return oyi_tensor_alias(t, (oy_ints){s.sizes, s.ndim}, (oy_ints){s.strides, s.ndim},
                          offset);
}

OYI_CPU(flip) {
  const oyi_tensor* t = oyi_tensor_of(self);
  uint64_t mask;
  if (!t || oyi_dims_mask(dims, t->ndim, &mask) != 0) return NULL;
  oyi_options options = {self->dtype, oyi_tensor_device(t)};
  oyi_tensor* out = oyi_rule_empty(oyi_sizes_view(t), &options, OY_MEMORY_PRESERVE, t);
  if (!out || oyi_is_meta(out) || out->numel == 0) return oyi_tensor_object(out);
  oyi_tensor* turned = backwards(t, mask);
  if (!turned) {
    oy_tensor_release(&out->header);
    return NULL;
  }
  oyi_convert(out, turned);
  oy_tensor_release(&turned->header);
  return &out->header;
}

// Rows of |size| bytes, each from its byte |start| on, then its beginning.
typedef struct rolling {
  char* to;
  const char* from;
  int64_t all, size, start;
} rolling;

enum { ROLLED = 1 << 18, SHORT_ROW = 512 };  // bytes at a time; of a row

// |rows| times |n| bytes.
static void roll_part(const rolling* r, int64_t rows, int64_t n, char* to,
                      const char* from) {
  const oyi_move m = {.item = 1,
                      .n = n,
                      .rows = rows,
                      .to = to,
                      .from = from,
                      .to_along = 1,
                      .to_down = r->size,
                      .from_along = 1,
                      .from_down = r->size};
  if (n > 0) oyi_move_rows(&m);
}

// |n| bytes of rows of two elements of |T|, which change places. Two bytes may be two
// elements of one, at any address.
#define SWAP_PAIRS(T)                                             \
  static void swap_##T(int64_t n, char* to_, const char* from_) { \
    typedef T anywhere __attribute__((aligned(1), may_alias));    \
    anywhere* restrict to = (anywhere*)to_;                       \
    const anywhere* restrict from = (const anywhere*)from_;       \
    for (int64_t i = 0; i < n / (int64_t)sizeof(T); i += 2) {     \
      to[i] = from[i + 1];                                        \
      to[i + 1] = from[i];                                        \
    }                                                             \
  }
SWAP_PAIRS(uint16_t)
SWAP_PAIRS(uint32_t)
SWAP_PAIRS(uint64_t)

// Whether it did.
static bool roll_pairs(const rolling* r, int64_t n, char* to, const char* from) {
  if (r->start * 2 != r->size) return false;
  switch (r->start) {
    case 2: swap_uint16_t(n, to, from); return true;
    case 4: swap_uint32_t(n, to, from); return true;
    case 8: swap_uint64_t(n, to, from); return true;
    default: return false;
  }
}

// Short rows, whole ones: first all of their ends, then their beginnings, as a call for each
// takes longer than its bytes. Few at a time, for they are written twice.
static oy_status roll_short(int64_t index, void* context) {
  enum { NEAR = 8192 };
  const rolling* r = context;
  const int64_t whole = ROLLED / r->size * r->size, near = NEAR / r->size * r->size;
  const int64_t end = r->all - index * whole < whole ? r->all : (index + 1) * whole;
  const int64_t turn = r->size - r->start, first = index * whole;
  if (roll_pairs(r, end - first, r->to + first, r->from + first)) return OY_OK;
  for (int64_t at = first; at < end; at += near) {
    const int64_t rows = (end - at < near ? end - at : near) / r->size;
    roll_part(r, rows, turn, r->to + at, r->from + at + r->start);
    roll_part(r, rows, r->start, r->to + at + turn, r->from + at);
  }
  return OY_OK;
}

static oy_status roll_piece(int64_t index, void* context) {
  const rolling* r = context;
  const int64_t end = r->all - index * ROLLED < ROLLED ? r->all : (index + 1) * ROLLED;
  const int64_t turn = r->size - r->start;  // where the beginning goes to
  int64_t n, row = index * ROLLED / r->size * r->size;
  for (int64_t at = index * ROLLED; at < end; at += n) {
    const int64_t within = at - row, stop = row + (within < turn ? turn : r->size);
    n = stop < end ? stop - at : end - at;
    oyi_move_copy(r->to + at, r->from + (within < turn ? at + r->start : at - turn),
                  (size_t)n);
    if (at + n == row + r->size) row += r->size;
  }
  return OY_OK;
}

// |t| is contiguous; places |start| of dimension |d| and after it come first.
static oy_object* roll_rows(const oyi_tensor* t, int64_t d, int64_t start) {
  oyi_tensor* out =
      oyi_tensor_new(oyi_sizes_view(t), t->header.dtype, oyi_tensor_device(t));
  if (!out) return NULL;
  int64_t inner = oyi_item(t);
  for (size_t i = (size_t)d + 1; i < t->ndim; i++) inner *= t->sizes[i];
  const int64_t all = t->numel * oyi_item(t);
  rolling r = {oyi_data(out), oyi_data(t), all, t->sizes[d] * inner, start * inner};
  if (start == 0) r.size = all;  // rows that stay as they are, are one
  // Nothing in a piece can fail.
  if (r.size <= SHORT_ROW)
    (void)!oyi_parallel_chunks(oyi_stretches(r.all, ROLLED / r.size * r.size), roll_short,
                               &r);
  else
    (void)!oyi_parallel_chunks(oyi_stretches(r.all, ROLLED), roll_piece, &r);
  return &out->header;
}

// The parts of any other, joined.
static oy_object* roll_parts(oy_object* self, int64_t d, int64_t start, int64_t size) {
  oy_object* parts[2] = {oyi_call_narrow(self, d, start, size - start), NULL};
  if (parts[0]) parts[1] = oyi_call_narrow(self, d, 0, start);
  oy_object* result = parts[1] ? oyi_call_cat((oy_tensors){parts, 2}, d) : NULL;
  oy_tensor_release(parts[0]);
  oy_tensor_release(parts[1]);
  return result;
}

static oy_object* roll_one(oy_object* self, int64_t shift, int64_t dim) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (t->numel == 0) return oyi_call_clone(self, oy_int(OY_MEMORY_PRESERVE));
  int64_t d = oyi_dim_wrap(dim, t->ndim);
  if (d < 0) return NULL;
  if (t->ndim == 0) {
    OY_FAIL(OUT_OF_RANGE, "Dimension specified as %lld but tensor has no dimensions",
            (long long)dim);
    return NULL;
  }
  const int64_t size = t->sizes[d], start = (size - shift % size) % size;
  if ((t->flags & OYI_CONTIGUOUS) && oyi_data(t)) return roll_rows(t, d, start);
  return roll_parts(self, d, start, size);
}

// All elements, as they follow each other.
static oy_object* roll_flat(oy_object* self, int64_t shift) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  oy_object* flat = oyi_call_reshape(self, OY_DIMS(t->numel));
  oy_object* rolled = roll_one(flat, shift, 0);
  oy_object* result = oyi_call_view(rolled, oyi_sizes_view(t));
  oy_tensor_release(rolled);
  oy_tensor_release(flat);
  return result;
}

OYI_CPU(roll) {
  if (shifts.size == 1 && dims.size == 1)
    return roll_one(self, shifts.data[0], dims.data[0]);
  if (shifts.size == 0) {
    OY_FAIL(INVALID_ARGUMENT, "`shifts` required");
    return NULL;
  }
  if (dims.size == 0 && shifts.size == 1) return roll_flat(self, shifts.data[0]);
  if (shifts.size != dims.size) {
    OY_FAIL(INVALID_ARGUMENT, "shifts and dimensions must align. shifts: %zu, dims:%zu",
            shifts.size, dims.size);
    return NULL;
  }
  oy_object* result = oy_tensor_retain(self);
  for (size_t i = 0; i < dims.size && result; i++) {
    oy_object* next = roll_one(result, shifts.data[i], dims.data[i]);
    oy_tensor_release(result);
    result = next;
  }
  return result;
}

// ------------------------------------------------------------------- triangles

// Rows of matrices that follow each other.
typedef struct triangles {
  char* to;
  const char* from;  // may be |to|
  int64_t count, rows, columns, diagonal, chunk;
  size_t item;
  bool lower;
} triangles;

// The column behind the diagonal of a row.
static int64_t limit_of(const triangles* t, int64_t row) {
  int64_t limit;
  if (__builtin_add_overflow(row, t->diagonal, &limit))
    limit = t->diagonal > 0 ? t->columns : 0;
  if (t->lower) limit = limit < t->columns ? limit + 1 : t->columns;
  return limit < 0 ? 0 : limit > t->columns ? t->columns : limit;
}

// How many of |left| rows from |row| on have nothing or all on one side of the limit, which grows
// from row to row; 1 where it lies between.
static int64_t equal_rows(const triangles* t, int64_t row, int64_t left) {
  const int64_t limit = limit_of(t, row);
  int64_t rows = 1;
  if (limit == t->columns) return left;
  while (limit == 0 && rows < left && limit_of(t, row + rows) == 0) rows++;
  return rows;
}

// Elements on one side of the limit are kept, the others are zero.
static oy_status some_triangles(int64_t index, void* context) {
  const triangles* t = context;
  const int64_t last = (index + 1) * t->chunk, end = last < t->count ? last : t->count;
  const size_t all = (size_t)t->columns * t->item;
  for (int64_t k = index * t->chunk, rows; k < end; k += rows) {
    const int64_t row = k % t->rows, below = t->rows - row;
    rows = equal_rows(t, row, below < end - k ? below : end - k);
    const size_t head = (size_t)limit_of(t, row) * t->item;
    const size_t keep = t->lower ? 0 : head, zero = t->lower ? head : 0;
    const size_t kept = t->lower ? head : all - head;
    char* to = t->to + (size_t)k * all;
    const char* from = t->from + (size_t)k * all;
    memset(to + zero, 0, (all - kept) * (size_t)rows);
    if (to != from) memcpy(to + keep, from + keep, kept * (size_t)rows);
  }
  return OY_OK;
}

// |out| has elements.
static oy_status make_triangles(const oyi_tensor* out, const oyi_tensor* in,
                                int64_t diagonal, bool lower) {
  triangles t = {.to = oyi_data(out),
                 .from = oyi_data(in),
                 .rows = out->sizes[out->ndim - 2],
                 .columns = out->sizes[out->ndim - 1],
                 .diagonal = diagonal,
                 .item = (size_t)oyi_item(out),
                 .lower = lower};
  t.count = out->numel / t.columns;
  t.chunk = oyi_stretch(t.columns);
  return oyi_parallel_chunks(oyi_stretches(t.count, t.chunk), some_triangles, &t);
}

static oy_status check_matrices(const oyi_tensor* t, const char* name) {
  OY_CHECK(t->ndim >= 2, INVALID_ARGUMENT,
           "%s: input tensor must have at least 2 dimensions", name);
  return OY_OK;
}

// |out| may be |in|, and any layout.
static oy_status write_triangles(oyi_tensor* out, const oyi_tensor* in, int64_t diagonal,
                                 bool lower) {
  if (oyi_is_meta(out) || out->numel == 0) return OY_OK;
  OY_CHECK(oyi_data(out) && oyi_data(in), NOT_IMPLEMENTED,
           "a CPU kernel was given a tensor without data");
  bool flat = (out->flags & OYI_CONTIGUOUS) && (in->flags & OYI_CONTIGUOUS) &&
              (out == in || oyi_data(out) != oyi_data(in));
  if (flat) return make_triangles(out, in, diagonal, lower);
  if ((out->flags & OYI_CONTIGUOUS) && !oyi_may_share(out, in)) {
    oyi_convert(out, in);
    return make_triangles(out, out, diagonal, lower);
  }
  oyi_tensor* copy = oyi_converted(in, in->header.dtype);
  if (!copy) return OY_OUT_OF_MEMORY;
  const oy_status status = make_triangles(copy, copy, diagonal, lower);
  oyi_convert(out, copy);
  oy_tensor_release(&copy->header);
  return status;
}

static oy_object* triangle(oy_object* self, int64_t diagonal, oy_object* out,
                           const char* name) {
  const oyi_tensor* in = oyi_tensor_of(self);
  if (!in || check_matrices(in, name) != 0) return NULL;
  const oyi_tensor* inputs[] = {in};
  oyi_tensor* to = out ? oyi_tensor_of(out) : NULL;
  if (!out) {
    to = oyi_tensor_new(oyi_sizes_view(in), self->dtype, oyi_tensor_device(in));
  } else if (to) {
    if (oyi_output_check_exact(to, self->dtype) != 0 ||
        oyi_output_check_overlap(to, inputs, 1) != 0 ||
        oyi_output_prepare(to, oyi_sizes_view(in), self->dtype, oyi_tensor_device(in)) !=
            0)
      return NULL;
  }
  if (!to) return NULL;
  if (write_triangles(to, in, diagonal, name[3] == 'l') == 0) return &to->header;
  if (!out) oy_tensor_release(&to->header);
  return NULL;
}

OYI_CPU(tril) {
  return triangle(self, diagonal, NULL, "tril");
}
OYI_CPU(tril_out) {
  return triangle(self, diagonal, out, "tril");
}
OYI_CPU(tril_) {
  return triangle(self, diagonal, self, "tril");
}
OYI_CPU(triu) {
  return triangle(self, diagonal, NULL, "triu");
}
OYI_CPU(triu_out) {
  return triangle(self, diagonal, out, "triu");
}
OYI_CPU(triu_) {
  return triangle(self, diagonal, self, "triu");
}

// ------------------------------------------------------------ indices repeated

// The sum of |repeats|, which must be counts.
static oy_status sum_counts(const int64_t* counts, int64_t n, int64_t* out_sum) {
  *out_sum = 0;
  for (int64_t i = 0; i < n; i++) {
    OY_CHECK(counts[i] >= 0, INVALID_ARGUMENT, "repeats can not be negative");
    OY_CHECK(!__builtin_add_overflow(*out_sum, counts[i], out_sum), INVALID_ARGUMENT,
             "the sum of repeats overflows");
  }
  return OY_OK;
}

static oyi_tensor* repeated_indices(const oyi_tensor* counts, oy_value output_size) {
  int64_t sum;
  const int64_t* n = oyi_data(counts);
  if (sum_counts(n, counts->numel, &sum) != 0) return NULL;
  if (output_size.tag != OY_TAG_NONE && output_size.as.i != sum) {
    OY_FAIL(INVALID_ARGUMENT, "allocated size does not match required size");
    return NULL;
  }
  oyi_tensor* out = oyi_tensor_new((oy_ints){&sum, 1}, OY_DTYPE_I64, oy_device_cpu());
  if (!out) return NULL;
  int64_t* to = oyi_data(out);
  for (int64_t i = 0; i < counts->numel; i++)
    // NOLINT: a tensor with elements has data
    for (int64_t k = 0; k < n[i]; k++) *to++ = i;
  return out;
}

OYI_CPU(repeat_interleave_Tensor) {
  const oyi_tensor* t = oyi_tensor_of(repeats);
  if (!t) return NULL;
  if (t->ndim != 1) {
    OY_FAIL(INVALID_ARGUMENT, "repeat_interleave only accept 1D vector as repeat");
    return NULL;
  }
  if (repeats->dtype != OY_DTYPE_I64 && repeats->dtype != OY_DTYPE_I32) {
    OY_FAIL(TYPE_MISMATCH, "repeats has to be Long or Int tensor");
    return NULL;
  }
  if (oyi_is_meta(t)) {
    OY_FAIL(
        NOT_IMPLEMENTED,
        "repeat_interleave: the size of the result depends on data, which meta tensors "
        "do not have");
    return NULL;
  }
  oyi_tensor* counts = oyi_converted(t, OY_DTYPE_I64);
  oyi_tensor* wide = counts ? repeated_indices(counts, output_size) : NULL;
  oy_tensor_release(oyi_tensor_object(counts));
  if (!wide || repeats->dtype == OY_DTYPE_I64) return oyi_tensor_object(wide);
  oyi_tensor* narrow = oyi_converted(wide, OY_DTYPE_I32);
  oy_tensor_release(&wide->header);
  return oyi_tensor_object(narrow);
}
