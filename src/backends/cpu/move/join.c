// SPDX-License-Identifier: Apache-2.0
// cat, and complex numbers from two tensors. Contiguous pieces of one dtype are moved
// whole; any other piece is copied, converted, into a view of its place.
#include "ops/rules/join.h"

#include <string.h>

#include "backends/cpu/kernels.h"
#include "base/memory.h"
#include "ops/rules/rules.h"
#include "ops/rules/shape.h"
#include "opyard/threads.h"
#include "tensor/element.h"
#include "tensor/iterator.h"
#include "tensor/move.h"

// Whether the bytes of |t| are rows of the output as they lie.
static bool lies_as_out(const oyi_join* join, const oyi_tensor* t) {
  const oyi_tensor* out = join->out;
  return (out->flags & t->flags & OYI_CONTIGUOUS) &&
         out->header.dtype == t->header.dtype && oyi_data(t);
}

static int64_t row_of(const oyi_join* join, const oyi_tensor* t) {
  int64_t row = 1;
  for (size_t i = join->dim; i < t->ndim; i++) row *= t->sizes[i];
  return row;
}

// And not so many that threads should share them.
static bool moves_whole(const oyi_join* join, const oyi_tensor* t) {
  enum { MANY = 1 << 16 };
  return lies_as_out(join, t) && t->numel < MANY;
}

// |at| is the place of |t| in the joined dimension.
static void move_rows(const oyi_join* join, const oyi_tensor* t, int64_t at) {
  const oyi_tensor* out = join->out;
  int64_t inner = oyi_item(out), outer = 1;
  for (size_t i = 0; i < join->dim; i++) outer *= out->sizes[i];
  for (size_t i = join->dim + 1; i < out->ndim; i++) inner *= out->sizes[i];
  size_t row = (size_t)(t->sizes[join->dim] * inner);
  int64_t step = out->sizes[join->dim] * inner;
  char* to = (char*)oyi_data(out) + at * inner;
  const char* from = oyi_data(t);
  oyi_move_rows(&(oyi_move){.item = (size_t)oyi_item(out),
                            .n = (int64_t)row / oyi_item(out),
                            .rows = outer,
                            .to = to,
                            .from = from,
                            .to_along = oyi_item(out),
                            .to_down = step,
                            .from_along = oyi_item(out),
                            .from_down = (int64_t)row});
}

static oy_status convert_piece(const oyi_join* join, const oyi_tensor* t, int64_t at) {
  oy_object* place = oyi_view_slice(join->out, join->dim, at, t->sizes[join->dim], 1);
  if (!place) return OY_OUT_OF_MEMORY;
  oyi_convert(oyi_tensor_cast(place), t);
  oy_tensor_release(place);
  return OY_OK;
}

enum {
  NEAR = 16 << 10,
  LONG = 10 << 10,
  FAR = 2 << 20,    // more than caches of the second level hold
  IN_TURNS = 8,     // tensors
  SOME_LINES = 64,  // bytes of a row of each, on average
  WHOLE = 16 << 10  // bytes from which on memcpy is one instruction
};

// Rows of many tensors, one row of the output after the other: memory is written as it lies,
// by as many threads as there are.
typedef struct rows {
  const oyi_join* join;
  oy_tensors tensors;
  int64_t bytes;  // of a row of the output
  bool far;       // the output is
} rows;

// Whether the C library's memcpy is better than moves by vectors: its instruction does not
// read the lines that it fills, but is slow where the target lies a little above the source,
// modulo a page.
static bool is_for_memcpy(const rows* r, const oyi_move* m) {
  enum { PAGE = 4096, LITTLE = 64 };
  const uintptr_t above = ((uintptr_t)m->to - (uintptr_t)m->from) % PAGE;
  return r->far && m->rows == 1 && m->from_down >= WHOLE &&
         (above == 0 || above >= LITTLE);
}

// |some| rows of |t|, from row |first| on.
static void write_part(const rows* r, const oyi_tensor* t, char* to, int64_t first,
                       int64_t some) {
  const int64_t item = oyi_item(t), n = row_of(r->join, t), size = n * item;
  const oyi_move m = {.item = (size_t)item,
                      .n = n,
                      .rows = some,
                      .to = to,
                      .from = (const char*)oyi_data(t) + first * size,
                      .to_along = item,
                      .to_down = r->bytes,
                      .from_along = item,
                      .from_down = size};
  if (is_for_memcpy(r, &m))
    memcpy(m.to, m.from, (size_t)size);  // NOLINT: there are elements, so there is memory
  else
    oyi_move_rows(&m);
}

// Two tensors whose rows are single elements, as parts of complex numbers are.
static bool are_pairs(const rows* r) {
  return r->tensors.size == 2 && r->bytes == 2 * oyi_item(r->join->out) &&
         oyi_tensor_cast(r->tensors.data[0])->numel > 0 &&
         oyi_tensor_cast(r->tensors.data[1])->numel > 0;
}
static oy_status write_pairs(int64_t begin, int64_t end, void* context) {
  const rows* r = context;
  const int64_t item = oyi_item(r->join->out);
  const char* parts[2];
  for (int k = 0; k < 2; k++)
    parts[k] = (const char*)oyi_data(oyi_tensor_cast(r->tensors.data[k])) + begin * item;
  oyi_move_pairs((char*)oyi_data(r->join->out) + begin * r->bytes, parts[0], parts[1],
                 (size_t)(end - begin), (size_t)item);
  return OY_OK;
}

// Rows of few tensors of some lines each: written as they lie, so that memory is fetched for
// writing before it is needed.
static bool goes_in_turns(const rows* r) {
  return r->tensors.size <= IN_TURNS && r->bytes < LONG &&
         r->bytes >= SOME_LINES * (int64_t)r->tensors.size;
}
static oy_status write_in_turns(int64_t begin, int64_t end, void* context) {
  const rows* r = context;
  oyi_row_source sources[IN_TURNS];
  size_t count = 0;
  for (size_t k = 0; k < r->tensors.size; k++) {
    const oyi_tensor* t = oyi_tensor_cast(r->tensors.data[k]);
    if (t->numel == 0) continue;
    const size_t size = (size_t)(row_of(r->join, t) * oyi_item(t));
    sources[count++] =
        (oyi_row_source){(const char*)oyi_data(t) + begin * (int64_t)size, size};
  }
  oyi_move_turns((char*)oyi_data(r->join->out) + begin * r->bytes, sources, count,
                 end - begin);
  return OY_OK;
}

static oy_status write_rows(int64_t begin, int64_t end, void* context) {
  const rows* r = context;
  // Of short rows as many at a time as stay in the nearest cache until they are whole; long
  // ones one by one, so that what fetches memory ahead sees one stream.
  const int64_t most = r->bytes < LONG ? NEAR / r->bytes : 1;
  for (int64_t i = begin, some; i < end; i += some) {
    char* to = (char*)oyi_data(r->join->out) + i * r->bytes;
    some = end - i < most ? end - i : most;
    for (size_t k = 0; k < r->tensors.size; k++) {
      const oyi_tensor* t = oyi_tensor_cast(r->tensors.data[k]);
      if (t->numel == 0) continue;
      write_part(r, t, to, i, some);
      to += row_of(r->join, t) * oyi_item(t);
    }
  }
  return OY_OK;
}

// Whether it did; else nothing is written.
static bool join_by_rows(const oyi_join* join, oy_tensors tensors) {
  int64_t outer = 1;
  for (size_t i = 0; i < join->dim; i++) outer *= join->out->sizes[i];
  if (outer < 2 || join->out->numel < OYI_ITER_GRAIN) return false;
  for (size_t k = 0; k < tensors.size; k++) {
    const oyi_tensor* t = oyi_tensor_cast(tensors.data[k]);
    if (t->numel > 0 && !lies_as_out(join, t)) return false;
  }
  const int64_t row = join->out->numel / outer;
  const int64_t item = oyi_item(join->out);
  rows r = {join, tensors, row * item, join->out->numel >= FAR / item};
  // Copies cannot fail.
  (void)!oy_parallel_for(0, outer, OYI_ITER_GRAIN / row + 1,
                         are_pairs(&r)       ? write_pairs
                         : goes_in_turns(&r) ? write_in_turns
                                             : write_rows,
                         &r);
  return true;
}

static oy_status join_all(const oyi_join* join, oy_tensors tensors) {
  int64_t at = 0;
  if (join_by_rows(join, tensors)) return OY_OK;
  for (size_t i = 0; i < tensors.size; i++) {
    const oyi_tensor* t = oyi_tensor_cast(tensors.data[i]);
    if (t->numel > 0) {
      OY_CHECK(oyi_data(t), NOT_IMPLEMENTED,
               "a CPU kernel was given a tensor without data");
      if (moves_whole(join, t))
        move_rows(join, t, at);
      else
        OY_TRY(convert_piece(join, t, at));
    }
    if (!oyi_join_skips(t)) at += t->sizes[join->dim];
  }
  return OY_OK;
}

static oy_object* cat(oy_tensors tensors, int64_t dim, oy_object* out) {
  oyi_join join;
  if (oyi_rule_cat(&join, tensors, dim, out) != 0) return NULL;
  if (oyi_is_meta(join.out) || join_all(&join, tensors) == 0) return &join.out->header;
  if (!out) oy_tensor_release(&join.out->header);
  return NULL;
}

OYI_CPU(cat) {
  return cat(tensors, dim, NULL);
}
OYI_CPU(cat_out) {
  return cat(tensors, dim, out);
}
