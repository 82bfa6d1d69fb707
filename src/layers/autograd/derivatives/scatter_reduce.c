// SPDX-License-Identifier: Apache-2.0
// Gradients of scatter_reduce and index_reduce, which are the same but for how positions
// are named: by an index for each element, or for each row of a dimension.
#include "layers/autograd/derivatives/derivative_help.h"
#include "ops/composite/held.h"

typedef struct places {
  bool by_row;
  int64_t dim;
  oy_object* index;
} places;

// |self| with |src| added at the places.
static oy_object* add_at(const places* p, oy_object* self, oy_object* src) {
  if (p->by_row) return oyi_call_index_add(self, p->dim, p->index, src, oy_int(1));
  return oyi_call_scatter_add(self, p->dim, p->index, src);
}
static oy_object* read_at(const places* p, oy_object* self) {
  if (p->by_row) return oyi_call_index_select(self, p->dim, p->index);
  return oyi_call_gather(self, p->dim, p->index, false);
}
static oy_object* reduce_at(const places* p, oy_object* self, oy_object* src,
                            oy_str reduce, bool include_self) {
  if (p->by_row)
    return oyi_call_index_reduce(self, p->dim, p->index, src, reduce, include_self);
  return oyi_call_scatter_reduce_two(self, p->dim, p->index, src, reduce, include_self);
}
static oy_object* of_zeros_at(const places* p, oy_object* self) {
  oy_object* result =
      p->by_row ? oyi_call_index_fill_int_Scalar(self, p->dim, p->index, oy_int(0))
                : oyi_call_scatter_value(self, p->dim, p->index, oy_int(0));
  oy_tensor_release(self);
  return result;
}

typedef struct reduction {
  places at;
  oy_object *grad, *self, *src, *result;
  oy_str reduce;
  bool include_self;
} reduction;

// |mask| as numbers like |like|.
static oy_object* of_numbers(oy_object* mask, const oy_object* like) {
  if (!mask || !like) {
    oy_tensor_release(mask);
    return NULL;
  }
  oy_object* result = oyi_call_to_dtype(mask, like->dtype, false, false, oy_none());
  oy_tensor_release(mask);
  return result;
}
static oy_object* ones_of(oy_object* like) {
  return oyi_call_ones_like(like, oy_none(), oy_none(), oy_none(), oy_none(), oy_none());
}

// ---------------------------------------------------------------------- products

static oy_object* without_zeros(oy_object* tensor) {
  oy_object* mask = oyi_call_eq_Scalar(tensor, oy_int(0));
  oy_object* result = oyi_call_masked_fill_Scalar(tensor, mask, oy_int(1));
  oy_tensor_release(mask);
  return result;
}
static oy_object* product_self(const reduction* r) {
  oy_object* self = without_zeros(r->self);
  oy_object* result = reduce_at(&r->at, self, r->src, r->reduce, r->include_self);
  return of_div(of_mul(keep(r->grad), result), self);
}
// Where a place has one zero among what comes to it, the product of the others counts.
static oy_object* product_src(const reduction* r) {
  oyi_held h = {0};
  const places* at = &r->at;
  oy_object* zero = oyi_hold(&h, oyi_call_eq_Scalar(r->src, oy_int(0)));
  oy_object* none = oyi_hold(&h, zeros_like(r->self));
  oy_object* one = oyi_hold(&h, zero ? of_numbers(keep(zero), r->self) : NULL);
  oy_object* counts = oyi_hold(&h, add_at(at, none, one));
  oy_object* count = oyi_hold(&h, read_at(at, counts));
  oy_object* single = oyi_call_eq_Scalar(count, oy_int(1));
  single = oyi_hold(&h, zero ? of_and(single, keep(zero)) : single);
  oy_object* others =
      oyi_hold(&h, oyi_call_masked_fill_Scalar(r->src, single, oy_int(1)));
  oy_object* product =
      oyi_hold(&h, reduce_at(at, r->self, others, r->reduce, r->include_self));
  oy_object* whole = oyi_hold(&h, oyi_call_mul_Tensor(r->grad, product));
  oy_object* at_single = oyi_hold(&h, read_at(at, whole));
  oy_object* all = oyi_hold(&h, oyi_call_mul_Tensor(r->grad, r->result));
  oy_object* at_all = oyi_hold(&h, of_div(read_at(at, all), without_zeros(r->src)));
  return oyi_held_end(&h, oyi_call_where_self(single, at_single, at_all));
}

static oy_status products(const reduction* given, oy_object** self, oy_object** src) {
  oyi_held h = {0};
  reduction r = *given;
  r.self = oyi_hold(&h, conj_of(given->self));
  r.src = oyi_hold(&h, conj_of(given->src));
  r.result = oyi_hold(&h, conj_of(given->result));
  if (self) *self = product_self(&r);
  if (src) *src = product_src(&r);
  oyi_held_end(&h, NULL);
  return OY_OK;
}

// --------------------------------------------------------------- means, extremes

// How many elements each place has the mean of: at least 1.
static oy_object* mean_counts(const reduction* r) {
  oyi_held h = {0};
  oy_object* own = oyi_hold(&h, r->include_self ? ones_of(r->grad) : zeros_like(r->grad));
  oy_object* ones = oyi_hold(&h, ones_of(r->src));
  oy_object* counts = oyi_hold(&h, add_at(&r->at, own, ones));
  oy_object* none = oyi_hold(&h, oyi_call_eq_Scalar(counts, oy_int(0)));
  return oyi_held_end(&h, oyi_call_masked_fill_Scalar(counts, none, oy_int(1)));
}
static oy_status means(const reduction* r, oy_object** self, oy_object** src) {
  oy_object* share = of_div(keep(r->grad), mean_counts(r));
  if (src) *src = read_at(&r->at, share);
  if (self) *self = share ? keep(share) : NULL;
  oy_tensor_release(share);
  return OY_OK;
}

// The gradient is shared by all that are the extreme.
static oy_status extremes(const reduction* r, oy_object** self, oy_object** src) {
  oyi_held h = {0};
  const places* at = &r->at;
  oy_object* value = oyi_hold(&h, read_at(at, r->result));
  oy_object* own =
      oyi_hold(&h, of_numbers(oyi_call_eq_Tensor(r->self, r->result), r->self));
  oy_object* other = oyi_hold(&h, of_numbers(oyi_call_eq_Tensor(r->src, value), r->self));
  oy_object* counts = oyi_hold(&h, add_at(at, own, other));
  oy_object* share = oyi_hold(&h, oyi_call_div_Tensor(r->grad, counts));
  if (self) *self = oyi_call_mul_Tensor(own, share);
  if (src) {
    oy_object* there = oyi_hold(&h, read_at(at, share));
    *src = oyi_call_mul_Tensor(other, there);
  }
  oyi_held_end(&h, NULL);
  return OY_OK;
}

// ----------------------------------------------------------------------- together

static bool is(oy_str reduce, const char* name) {
  return oy_str_equal(reduce, oy_str_of(name));
}
static oy_status both(const reduction* r, oy_object** self, oy_object** src) {
  if (is(r->reduce, "sum")) {
    if (self) *self = keep(r->grad);
    if (src) *src = read_at(&r->at, r->grad);
  } else if (is(r->reduce, "prod")) {
    OY_TRY(products(r, self, src));
  } else if (is(r->reduce, "mean")) {
    OY_TRY(means(r, self, src));
  } else {
    OY_TRY(extremes(r, self, src));
  }
  if (self && !r->include_self && *self) *self = of_zeros_at(&r->at, *self);
  return (self && !*self) || (src && !*src) ? oy_failure() : OY_OK;
}

BACKWARD(scatter_reduce_two) {
  ARGUMENTS(scatter_reduce_two);
  reduction r = {{false, dim, index}, GRAD(0), self,        src,
                 RESULT(0),           reduce,  include_self};
  return both(&r, WANTS(self) ? &gives[EDGE_AT(self)] : NULL,
              WANTS(src) ? &gives[EDGE_AT(src)] : NULL);
}
BACKWARD(index_reduce) {
  ARGUMENTS(index_reduce);
  reduction r = {{true, dim, index}, GRAD(0), self,        source,
                 RESULT(0),          reduce,  include_self};
  return both(&r, WANTS(self) ? &gives[EDGE_AT(self)] : NULL,
              WANTS(source) ? &gives[EDGE_AT(source)] : NULL);
}

// ---------------------------------------------------------------------- segments

BACKWARD(segment_reduce) {
  ARGUMENTS(segment_reduce);
  if (WANTS(data))
    GIVE(data, oyi_call__segment_reduce_backward(GRAD(0), RESULT(0), data, reduce,
                                                 lengths, offsets, axis, initial));
  return OY_OK;
}

// -------------------------------------------------------------------- the table

#define KEPT(id, source) SAVE(id, self), SAVE(id, index), SAVE(id, source), OUTPUT(0)
DERIVATIVE(scatter_reduce_two, "ScatterReduceBackward0", KEPT(scatter_reduce_two, src))
DERIVATIVE_AS(scatter_reduce__two, "ScatterReduceBackward0", scatter_reduce_two,
              KEPT(scatter_reduce__two, src))
DERIVATIVE(index_reduce, "IndexReduceBackward0", KEPT(index_reduce, source))
DERIVATIVE_AS(index_reduce_, "IndexReduceBackward0", index_reduce,
              KEPT(index_reduce_, source))
DERIVATIVE(segment_reduce, "SegmentReduceBackward0", SAVE(segment_reduce, data),
           SAVE(segment_reduce, lengths), SAVE(segment_reduce, offsets), OUTPUT(0))
