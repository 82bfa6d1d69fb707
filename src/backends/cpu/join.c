// SPDX-License-Identifier: Apache-2.0
// cat, and complex numbers from two tensors. Contiguous pieces of one dtype are moved
// whole; any other piece is copied, converted, into a view of its place.
#include "ops/rules_join.h"

#include "backends/cpu/kernels.h"
#include "base/memory.h"
#include "ops/rules.h"
#include "ops/shape.h"
#include "tensor/element.h"

// Whether the bytes of |t| are rows of the output as they lie, neither so short that a call
// for each costs more than the walk nor so many that threads should share them.
static bool moves_whole(const oyi_join* join, const oyi_tensor* t) {
  enum { SHORT = 32, MANY = 1 << 16 };
  const oyi_tensor* out = join->out;
  int64_t row = 1;
  for (size_t i = join->dim; i < t->ndim; i++) row *= t->sizes[i];
  return (out->flags & t->flags & OYI_CONTIGUOUS) &&
         out->header.dtype == t->header.dtype && (row >= SHORT || t->numel <= SHORT) &&
         t->numel < MANY;
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
  for (int64_t i = 0; i < outer; i++, to += step, from += row) memcpy(to, from, row);
}

static oy_status convert_piece(const oyi_join* join, const oyi_tensor* t, int64_t at) {
  oy_object* place = oyi_view_slice(join->out, join->dim, at, t->sizes[join->dim], 1);
  if (!place) return OY_OUT_OF_MEMORY;
  oyi_convert(oyi_tensor_cast(place), t);
  oy_tensor_release(place);
  return OY_OK;
}

static oy_status join_all(const oyi_join* join, oy_tensors tensors) {
  int64_t at = 0;
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
