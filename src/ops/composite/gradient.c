// SPDX-License-Identifier: Apache-2.0
// Gradients of samples: differences in the middle, and of order 1 or 2 at both ends.
#include "ops/calls.h"
#include "ops/composite/held.h"
#include "ops/kernels.h"
#include "ops/rules/shape.h"

#define HOLD(...) oyi_hold(&h, __VA_ARGS__)
#define ONE       oy_int(1)
#define REST      oy_none()

// ------------------------------------------------------------------------- checks

// Dimension |dim| and how many samples it has.
static oy_status check_samples(const oyi_tensor* t, int64_t dim, int64_t edge_order) {
  OY_CHECK(t->ndim > 0, OUT_OF_RANGE,
           "Dimension specified as %lld but tensor has no dimensions", (long long)dim);
  dim = oyi_dim_wrap(dim, t->ndim);
  if (dim < 0) return oy_failure();
  OY_CHECK(t->sizes[dim] >= edge_order + 1, INVALID_ARGUMENT,
           "torch.gradient expected each dimension size to be at least edge_order+1");
  return OY_OK;
}

// |given|: the caller named the dimensions.
static oy_status check(const oyi_tensor* t, size_t spacings, oy_ints dims, bool given,
                       int64_t edge_order) {
  OY_CHECK(t->header.dtype != OY_DTYPE_U8, TYPE_MISMATCH,
           "torch.gradient does not support uint8 input.");
  OY_CHECK(given || spacings == t->ndim, INVALID_ARGUMENT,
           "torch.gradient expected spacing to be unspecified, a scalar or a list of "
           "length %u but got a list of length %zu",
           t->ndim, spacings);
  OY_CHECK(spacings == dims.size, INVALID_ARGUMENT,
           "torch.gradient expected spacing to be unspecified, a scalar or it's spacing "
           "and dim arguments to have the same length, but got a spacing argument of "
           "length %zu and a dim argument of length %zu.",
           spacings, dims.size);
  OY_CHECK(edge_order == 1 || edge_order == 2, INVALID_ARGUMENT,
           "torch.gradient only supports edge_order=1 and edge_order=2.");
  uint64_t mask;
  if (given) OY_TRY(oyi_dims_mask(dims, t->ndim ? t->ndim : 1, &mask));
  for (size_t i = 0; i < dims.size; i++)
    OY_TRY(check_samples(t, dims.data[i], edge_order));
  return OY_OK;
}

// -------------------------------------------------------------------------- parts

static oy_object* part(oyi_held* h, oy_object* self, int64_t dim, int64_t from,
                       oy_value to) {
  return oyi_hold(h, oyi_call_slice_Tensor(self, dim, oy_int(from), to, 1));
}
static oy_object* scaled(oyi_held* h, oy_object* t, double by) {
  return oyi_hold(h, oyi_call_mul_Scalar(t, oy_float(by)));
}
static oy_object* plus(oyi_held* h, oy_object* a, oy_object* b) {
  return oyi_hold(h, oyi_call_add_Tensor(a, b, ONE));
}
static oy_object* minus(oyi_held* h, oy_object* a, oy_object* b) {
  return oyi_hold(h, oyi_call_sub_Tensor(a, b, ONE));
}
static oy_object* times(oyi_held* h, oy_object* a, oy_object* b) {
  return oyi_hold(h, oyi_call_mul_Tensor(a, b));
}

// Three neighbours along |dim|. The ends of the last slice are given by what follows it.
typedef struct three {
  oy_object* at[3];
} three;
static bool neighbours(oyi_held* h, oy_object* self, int64_t dim, int64_t from,
                       const oy_value ends[3], three* out) {
  for (int k = 0; k < 3; k++)
    if (!(out->at[k] = part(h, self, dim, from + k, ends[k]))) return false;
  return true;
}
static bool inner(oyi_held* h, oy_object* self, int64_t dim, three* out) {
  return neighbours(h, self, dim, 0, (oy_value[]){oy_int(-2), oy_int(-1), REST}, out);
}
static bool first(oyi_held* h, oy_object* self, int64_t dim, three* out) {
  return neighbours(h, self, dim, 0, (oy_value[]){ONE, oy_int(2), oy_int(3)}, out);
}
static bool last(oyi_held* h, oy_object* self, int64_t dim, three* out) {
  return neighbours(h, self, dim, -3, (oy_value[]){oy_int(-2), oy_int(-1), REST}, out);
}
// The difference of the first two, or of the last two.
static oy_object* edge(oyi_held* h, oy_object* self, int64_t dim, bool is_last) {
  oy_object* after =
      is_last ? part(h, self, dim, -1, REST) : part(h, self, dim, 1, oy_int(2));
  if (!after) return NULL;
  oy_object* before =
      is_last ? part(h, self, dim, -2, oy_int(-1)) : part(h, self, dim, 0, ONE);
  return minus(h, after, before);
}

static oy_object* join(oy_object* before, oy_object* middle, oy_object* after,
                       int64_t dim) {
  oy_object* const parts[] = {before, middle, after};
  return before && middle && after ? oyi_call_cat((oy_tensors){parts, 3}, dim) : NULL;
}

// -------------------------------------------------------------- evenly spaced samples

// The difference of second order at an end, before it is divided by the spacing.
static oy_object* even_end(oyi_held* h, oy_object* self, int64_t dim, bool is_last) {
  three t;
  if (!(is_last ? last(h, self, dim, &t) : first(h, self, dim, &t))) return NULL;
  oy_object* near = scaled(h, t.at[is_last ? 2 : 0], is_last ? 1.5 : -1.5);
  oy_object* middle = scaled(h, t.at[1], 2);
  oy_object* far = scaled(h, t.at[is_last ? 0 : 2], 0.5);
  if (!near || !middle || !far) return NULL;
  if (!is_last) return minus(h, plus(h, near, middle), far);
  return plus(h, minus(h, far, middle), near);
}

static oy_object* even(oy_object* self, oy_scalar spacing, int64_t dim,
                       int64_t edge_order) {
  oyi_held h = {0};
  three t;
  oy_object *sides[2] = {NULL, NULL}, *result = NULL;
  if (!inner(&h, self, dim, &t)) return oyi_held_end(&h, NULL);
  oy_object* middle = HOLD(oyi_call_div_Scalar(minus(&h, t.at[2], t.at[0]), spacing));
  middle = HOLD(oyi_call_div_Scalar(middle, oy_int(2)));
  for (int k = 0; middle && k < 2; k++) {
    oy_object* side =
        edge_order == 1 ? edge(&h, self, dim, k) : even_end(&h, self, dim, k);
    sides[k] = HOLD(oyi_call_div_Scalar(side, spacing));
    if (!sides[k]) middle = NULL;
  }
  if (middle) result = join(sides[0], middle, sides[1], dim);
  return oyi_held_end(&h, result);
}

// ------------------------------------------------------------------ samples at places

// The slope of a parabola through three points is a sum of them with these weights, where
// p and q are how far they are apart: (x p + y q) / d, of which the table has x and y and
// d is p (p + q), p q and q (p + q).
enum { AT_FIRST, AT_MIDDLE, AT_LAST };
static const int g_weights[][3][2] = {
    [AT_FIRST] = {{-2, -1}, {1, 1}, {-1, 0}},
    [AT_MIDDLE] = {{0, -1}, {-1, 1}, {1, 0}},
    [AT_LAST] = {{0, 1}, {-1, -1}, {1, 2}},
};

static oy_object* combine(oyi_held* h, oy_object* p, oy_object* q, const int by[2]) {
  if (by[0] == 0 || by[1] == 0)
    return oyi_hold(h, oyi_call_mul_Scalar(by[0] ? p : q, oy_int(by[0] + by[1])));
  oy_object* x = oyi_hold(h, oyi_call_mul_Scalar(p, oy_int(by[0])));
  return x ? oyi_hold(h, oyi_call_add_Tensor(x, q, oy_int(by[1]))) : NULL;
}

// The slope at one of three points. |shape| lays the weights along a dimension; without
// one they are numbers.
static oy_object* slope(const three* t, oy_object* p, oy_object* q, int at,
                        oy_ints shape) {
  oyi_held h = {0};
  oy_object *sum = NULL, *both = plus(&h, p, q);
  oy_object* under[3] = {times(&h, p, both), times(&h, p, q), times(&h, q, both)};
  for (int k = 0; k < 3; k++) {
    oy_object* weight = combine(&h, p, q, g_weights[at][k]);
    weight = HOLD(oyi_call_div_Tensor(weight, under[k]));
    if (shape.data) weight = HOLD(oyi_call_reshape(weight, shape));
    oy_object* term = times(&h, weight, t->at[k]);
    sum = k == 0 ? term : plus(&h, sum, term);
    if (!sum) break;
  }
  return oyi_held_end(&h, sum ? oy_tensor_retain(sum) : NULL);
}

static oy_object* distance(oyi_held* h, oy_object* all, int64_t index) {
  return oyi_hold(h, oyi_call_select_int(all, 0, index));
}

static oy_object* end_slope(oyi_held* h, oy_object* self, oy_object* all, int64_t dim,
                            int64_t edge_order, bool is_last) {
  if (edge_order == 1) {
    oy_object* one = distance(h, all, is_last ? -1 : 0);
    oy_object* rise = one ? edge(h, self, dim, is_last) : NULL;
    return oyi_hold(h, oyi_call_div_Tensor(rise, one));
  }
  three t;
  if (!(is_last ? last(h, self, dim, &t) : first(h, self, dim, &t))) return NULL;
  oy_object* p = distance(h, all, is_last ? -2 : 0);
  oy_object* q = p ? distance(h, all, is_last ? -1 : 1) : NULL;
  if (!q) return NULL;
  return oyi_hold(h, slope(&t, p, q, is_last ? AT_LAST : AT_FIRST, (oy_ints){NULL, 0}));
}

static oy_object* middle_slopes(oyi_held* h, oy_object* self, oy_object* all,
                                int64_t dim) {
  const size_t ndim = oy_tensor_ndim(self);
  int64_t shape[OY_TENSOR_MAX_DIMS];
  for (size_t d = 0; d < ndim; d++) shape[d] = (int64_t)d == dim ? -1 : 1;
  three t;
  if (!inner(h, self, dim, &t)) return NULL;
  oy_object* p = part(h, all, 0, 0, oy_int(-1));
  oy_object* q = p ? part(h, all, 0, 1, REST) : NULL;
  if (!q) return NULL;
  return oyi_hold(h, slope(&t, p, q, AT_MIDDLE, (oy_ints){shape, ndim}));
}

static oy_object* placed(oy_object* self, oy_object* places, int64_t dim,
                         int64_t edge_order) {
  if (oy_tensor_ndim(places) != 1) {
    OY_FAIL(INVALID_ARGUMENT,
            "torch.gradient expected each element of spacing to have one dimension, but "
            "got an element with %zu dimensions!",
            (size_t)oy_tensor_ndim(places));
    return NULL;
  }
  oyi_held h = {0};
  oy_object* all = HOLD(oyi_call_diff(places, 1, 0, &oy_none_object, &oy_none_object));
  oy_object* middle = all ? middle_slopes(&h, self, all, dim) : NULL;
  oy_object* before = middle ? end_slope(&h, self, all, dim, edge_order, false) : NULL;
  oy_object* after = before ? end_slope(&h, self, all, dim, edge_order, true) : NULL;
  return oyi_held_end(&h, join(before, middle, after, dim));
}

// ---------------------------------------------------------------------- the operators

// What the overloads come down to: a number or a tensor for each dimension; numbers that
// are all the same are |one|.
typedef struct request {
  oy_scalar one;
  oy_values numbers;
  oy_tensors places;
  size_t spacings;
  oy_ints dims;
  bool given;
  int64_t edge_order;
} request;

static oy_status check_devices(oy_object* self, oy_tensors places) {
  const oyi_tensor* t = oyi_tensor_cast(self);
  for (size_t i = 0; places.data && i < places.size; i++) {
    const oyi_tensor* p = oyi_tensor_of(places.data[i]);
    if (!p) return oy_failure();
    OY_CHECK(p->backend == t->backend, INVALID_ARGUMENT,
             "torch.gradient expected each tensor to be on the same device, but got "
             "devices %s and %s!",
             oy_backend_name(t->backend), oy_backend_name(p->backend));
  }
  return OY_OK;
}

static oy_status gradients(oy_object* self, const request* r, oy_value* out_list) {
  *out_list = oy_none();
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_failure();
  OY_TRY(check(t, r->spacings, r->dims, r->given, r->edge_order));
  OY_TRY(check_devices(self, r->places));
  oy_object** items;
  OY_TRY(oyi_list_new(r->dims.size, out_list, &items));
  for (size_t i = 0; i < r->dims.size; i++) {
    const int64_t dim = oyi_dim_wrap(r->dims.data[i], t->ndim);
    oy_object* made = r->places.data
                          ? placed(self, r->places.data[i], dim, r->edge_order)
                          : even(self, r->numbers.data ? r->numbers.data[i] : r->one, dim,
                                 r->edge_order);
    if (!oyi_list_put(items, i, made)) return oyi_list_fail(out_list);
  }
  return OY_OK;
}

// Along dimension |dim|, or all of them if it is None. Without a spacing for each
// dimension, r->one serves for all.
static oy_status along(oy_object* self, oy_value dim, request r, oy_value* out_list) {
  int64_t dims[OY_TENSOR_MAX_DIMS];
  r.given = dim.tag != OY_TAG_NONE;
  r.dims = (oy_ints){dims, r.given ? 1 : oy_tensor_ndim(self)};
  for (size_t d = 0; d < r.dims.size; d++) dims[d] = r.given ? dim.as.i : (int64_t)d;
  if (!r.numbers.data && !r.places.data) r.spacings = r.dims.size;
  return gradients(self, &r, out_list);
}

// Along the given ones.
static oy_status over(oy_object* self, oy_ints dims, request r, oy_value* out_list) {
  r.dims = dims;
  r.given = true;
  return gradients(self, &r, out_list);
}

#define NUMBERS                                                            \
  (request) {                                                              \
    .numbers = spacing, .spacings = spacing.size, .edge_order = edge_order \
  }
#define PLACES                                                            \
  (request) {                                                             \
    .places = spacing, .spacings = spacing.size, .edge_order = edge_order \
  }

OYI_COMPOSITE(gradient_scalarint) {
  const oy_scalar one = spacing.tag == OY_TAG_NONE ? ONE : spacing;
  return along(self, dim, (request){.one = one, .edge_order = edge_order}, out_result);
}
OYI_COMPOSITE(gradient_scalararray) {
  const request r = {.one = spacing, .spacings = dim.size, .edge_order = edge_order};
  return over(self, dim, r, out_result);
}
OYI_COMPOSITE(gradient_array) {
  return oyi_call_gradient_scalararray(self, ONE, dim, edge_order, out_result);
}
OYI_COMPOSITE(gradient_scalarrayint) {
  return along(self, dim, NUMBERS, out_result);
}
OYI_COMPOSITE(gradient_scalarrayarray) {
  return over(self, dim, NUMBERS, out_result);
}
OYI_COMPOSITE(gradient_tensorarrayint) {
  return along(self, dim, PLACES, out_result);
}
OYI_COMPOSITE(gradient_tensorarray) {
  return over(self, dim, PLACES, out_result);
}
