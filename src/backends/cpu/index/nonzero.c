// SPDX-License-Identifier: Apache-2.0
// nonzero and nonzero_static: elements are told from 0 as bools, counted, then listed.
#include "backends/cpu/index/nonzero.h"

#include "backends/cpu/index/index_target.h"
#include "backends/cpu/kernels.h"
#include "base/cpu.h"
#include "base/threads.h"
#include "ops/rules/reduction.h"
#include "tensor/element.h"
#include "tensor/iterator.h"
#include "tensor/move.h"

// Eight bytes of a word are counted side by side, as long as each has room.
int64_t oyi_count_true(const uint8_t* truth, int64_t n) {
  enum { WORD = sizeof(uint64_t), WORDS = UINT8_MAX };
  const uint64_t even = UINT64_MAX / UINT16_MAX * UINT8_MAX;
  int64_t count = 0, i = 0;
  while (n - i >= WORD) {
    uint64_t bytes = 0, word;
    for (int w = 0; w < WORDS && n - i >= WORD; w++, i += WORD) {
      memcpy(&word, truth + i, WORD);
      bytes += word;
    }
    const uint64_t pairs = (bytes & even) + (bytes >> 8 & even);
    count += (int64_t)(pairs * (UINT64_MAX / UINT16_MAX) >> 48);
  }
  for (; i < n; i++) count += truth[i];
  return count;
}

// A contiguous bool for each element.
static oyi_tensor* truth_of(const oyi_tensor* t) {
  if (t->header.dtype == OY_DTYPE_BOOL && (t->flags & OYI_CONTIGUOUS)) {
    oy_tensor_retain(oyi_tensor_object(t));
    return (oyi_tensor*)(uintptr_t)t;
  }
  const oy_dtype dtype = t->header.dtype;
  const bool turns =
      oy_dtype_is_complex(dtype) || dtype == OY_DTYPE_F16 || dtype == OY_DTYPE_BF16;
  if ((t->flags & OYI_CONTIGUOUS) || !turns) return oyi_converted(t, OY_DTYPE_BOOL);
  // These are converted in rows, and sooner moved before than read one by one.
  oyi_tensor* lying = oyi_converted(t, dtype);
  oyi_tensor* truth = lying ? oyi_converted(lying, OY_DTYPE_BOOL) : NULL;
  if (lying) oy_tensor_release(&lying->header);
  return truth;
}

// How many are true, by pieces that several threads share out.
enum { PIECES = 64 };
typedef struct census {
  const uint8_t* truth;
  int64_t numel, piece, pieces;
  int64_t before[PIECES + 1];  // how many come before each piece; the last is all of them
} census;

static oy_status count_piece(int64_t index, void* context) {
  census* c = context;
  const int64_t begin = index * c->piece;
  const int64_t end = c->numel - begin < c->piece ? c->numel : begin + c->piece;
  c->before[index + 1] = oyi_count_true(c->truth + begin, end - begin);
  return OY_OK;
}

// The number of true ones.
static int64_t take_census(census* c, const oyi_tensor* truth) {
  const int64_t numel = truth->numel;
  *c = (census){.truth = oyi_data(truth), .numel = numel, .piece = OYI_ITER_GRAIN};
  if (numel / PIECES >= OYI_ITER_GRAIN) c->piece = numel / PIECES + 1;
  c->pieces = (numel + c->piece - 1) / c->piece;
  // Nothing in a piece can fail.
  (void)!oyi_parallel_chunks(c->pieces, count_piece, c);
  for (int64_t i = 0; i < c->pieces; i++) c->before[i + 1] += c->before[i];
  return c->before[c->pieces];
}

typedef struct listing {
  const census* census;
  int64_t limit;  // rows that there are
  oyi_places to;
} listing;

static listing listing_of(const census* c, const oyi_tensor* t, int64_t limit,
                          int64_t step) {
  return (listing){
      .census = c, .limit = limit, .to = {t->ndim, t->sizes, t->numel, step, {NULL}}};
}

// Places, |limit| at most, of |n| elements of the last dimension, of which |at| is the column
// and |first| the place of the first one. Each is written, and the next one over it if that
// element is 0: a branch would be guessed wrong for every other one.
static int64_t list_row(char* at, int64_t step, const uint8_t* truth, int64_t first,
                        int64_t n, int64_t limit) {
  int64_t row = 0;
  for (int64_t i = 0; i < n && row < limit; i++) {
    *(int64_t*)(void*)(at + row * step) = first + i;
    row += truth[i];
  }
  return row;
}

static void repeat_place(char* at, int64_t step, int64_t place, int64_t rows) {
  if (step == sizeof(place))
    oyi_move_fill(at, (size_t)rows * sizeof(place), (const char*)&place, sizeof(place));
  else
    for (int64_t i = 0; i < rows; i++) *(int64_t*)(void*)(at + i * step) = place;
}

// Row by row of the last dimension, from element |place| on.
static void list_rows(const oyi_places* out, const uint8_t* truth, int64_t place,
                      int64_t row, int64_t end) {
  const size_t last = out->ndim - 1u;
  const int64_t *sizes = out->sizes, step = out->step;
  int64_t at[OY_TENSOR_MAX_DIMS] = {0};
  truth += place;
  for (size_t d = out->ndim; d-- > 0; place /= sizes[d]) at[d] = place % sizes[d];
  for (; row < end; at[last] = 0) {
    const int64_t n = sizes[last] - at[last];
    const int64_t rows =
        list_row(out->at[last] + row * step, step, truth, at[last], n, end - row);
    for (size_t d = 0; d < last && rows > 0; d++)
      repeat_place(out->at[d] + row * step, step, at[d], rows);
    row += rows;
    truth += n;
    for (size_t d = last; d-- > 0 && ++at[d] == sizes[d];) at[d] = 0;
  }
}

static oy_status list_piece(int64_t index, void* context) {
  enum { SHORT = 64 };
  const listing* out = context;
  const census* c = out->census;
  const int64_t end =
      c->before[index + 1] < out->limit ? c->before[index + 1] : out->limit;
  void (*list)(const oyi_places*, const uint8_t*, int64_t, int64_t, int64_t) = list_rows;
  if (out->to.ndim > 1 && out->to.sizes[out->to.ndim - 1] < SHORT) {
    list = oyi_places_list;
#if defined(__x86_64__)
    if (oyi_cpu_level() > 0) list = oyi_places_list_v3;
#endif
  }
  list(&out->to, c->truth, index * c->piece, c->before[index], end);
  return OY_OK;
}

static void list_places(const listing* out) {
  if (out->to.ndim == 0) return;
  // Nothing in a piece can fail.
  (void)!oyi_parallel_chunks(out->census->pieces, list_piece, (void*)(uintptr_t)out);
}

oy_status oyi_nonzero_columns(const oyi_tensor* t, oyi_tensor** columns) {
  oyi_tensor* truth = truth_of(t);
  if (!truth) return OY_OUT_OF_MEMORY;
  census c;
  int64_t count = take_census(&c, truth);
  listing out = listing_of(&c, t, count, sizeof(int64_t));
  size_t made = 0;
  for (; made < t->ndim; made++) {
    columns[made] = oyi_tensor_new((oy_ints){&count, 1}, OY_DTYPE_I64, oy_device_cpu());
    if (!columns[made]) break;
    out.to.at[made] = oyi_data(columns[made]);
  }
  bool good = made == t->ndim;
  if (good) list_places(&out);
  while (!good && made > 0) oy_tensor_release(&columns[--made]->header);
  oy_tensor_release(&truth->header);
  return good ? OY_OK : OY_OUT_OF_MEMORY;
}

static oy_status check_input(const oyi_tensor* t) {
  OY_TRY(oyi_check_memory(t));
  OY_CHECK(!oyi_is_meta(t), NOT_IMPLEMENTED,
           "nonzero on the meta device: the elements decide the shape of the result");
  return OY_OK;
}

// |count| rows of the result, NULL |out| making a new one.
static oyi_tensor* make_result(const oyi_tensor* t, oyi_tensor* out, int64_t count) {
  int64_t shape[2] = {count, t->ndim};
  oy_ints sizes = {shape, 2};
  if (!out) return oyi_tensor_new(sizes, OY_DTYPE_I64, oy_device_cpu());
  if (out->header.dtype != OY_DTYPE_I64) {
    OY_FAIL(TYPE_MISMATCH,
            "nonzero: Expected out tensor to have scalar type Long but got scalar type%s",
            oy_dtype_pytorch_name(out->header.dtype));
    return NULL;
  }
  const oyi_tensor* inputs[] = {t};
  if (oyi_check_apart(out, inputs, 1) != 0 ||
      oyi_output_prepare(out, sizes, OY_DTYPE_I64, oyi_tensor_device(t)) != 0)
    return NULL;
  return out;
}

// As nonzero does, new memory is laid out by columns, each of which can be an index.
static oyi_tensor* make_by_columns(const oyi_tensor* t, oyi_tensor* out, int64_t count) {
  bool fits = out && out->ndim == 2 && out->sizes[0] == count && out->sizes[1] == t->ndim;
  oyi_tensor* result = make_result(t, out, count);
  if (!result || fits) return result;
  oyi_strides(result)[0] = 1;
  oyi_strides(result)[1] = count;
  oyi_tensor_geometry(result);
  return result;
}

// Writes |limit| rows, which there are; |result| may have any strides.
static void fill_result(oyi_tensor* result, const oyi_tensor* t, const census* c,
                        int64_t limit) {
  const int64_t* strides = oyi_strides(result);
  const int64_t item = sizeof(int64_t);
  listing out = listing_of(c, t, limit, strides[0] * item);
  if (result->numel == 0) return;
  for (int64_t d = 0; d < t->ndim; d++)
    out.to.at[d] = (char*)oyi_data(result) + d * strides[1] * item;
  list_places(&out);
}

static oy_object* nonzero(oy_object* self, oy_object* out) {
  const oyi_tensor* t = oyi_tensor_of(self);
  oyi_tensor* given = out && t ? oyi_tensor_of(out) : NULL;
  if (!t || (out && !given) || check_input(t) != 0) return NULL;
  oyi_tensor* truth = truth_of(t);
  if (!truth) return NULL;
  census c;
  int64_t count = take_census(&c, truth);
  oyi_tensor* result = make_by_columns(t, given, count);
  if (result) fill_result(result, t, &c, count);
  oy_tensor_release(&truth->header);
  return oyi_tensor_object(result);
}

OYI_CPU(nonzero) {
  return nonzero(self, NULL);
}
OYI_CPU(nonzero_out) {
  return nonzero(self, out);
}

static oy_object* nonzero_static(oy_object* self, int64_t size, int64_t fill_value,
                                 oy_object* out) {
  const oyi_tensor* t = oyi_tensor_of(self);
  oyi_tensor* given = out && t ? oyi_tensor_of(out) : NULL;
  if (!t || (out && !given) || oyi_check_memory(t) != 0) return NULL;
  if (size < 0) {
    OY_FAIL(INVALID_ARGUMENT, "nonzero_static: 'size' must be an non-negative integer");
    return NULL;
  }
  int64_t shape[2] = {size, t->ndim};
  oyi_tensor* result =
      given ? make_result(t, given, size)
            : oyi_tensor_new((oy_ints){shape, 2}, OY_DTYPE_I64, oyi_tensor_device(t));
  if (!result || oyi_is_meta(t)) return oyi_tensor_object(result);
  oyi_tensor* truth = truth_of(t);
  oy_status status = truth ? OY_OK : OY_OUT_OF_MEMORY;
  if (status == 0) {
    int64_t row_step = oyi_strides(result)[0], column_step = oyi_strides(result)[1];
    int64_t* data = oyi_data(result);
    for (int64_t i = 0; i < size; i++)
      for (int64_t d = 0; d < t->ndim; d++)
        data[i * row_step + d * column_step] = fill_value;
    census c;
    const int64_t count = take_census(&c, truth);
    fill_result(result, t, &c, count < size ? count : size);
    oy_tensor_release(&truth->header);
  }
  if (status != 0 && !out) oy_tensor_release(&result->header);
  return status == 0 ? &result->header : NULL;
}

OYI_CPU(nonzero_static) {
  return nonzero_static(self, size, fill_value, NULL);
}
OYI_CPU(nonzero_static_out) {
  return nonzero_static(self, size, fill_value, out);
}
