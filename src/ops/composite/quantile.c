// SPDX-License-Identifier: Apache-2.0
// Quantiles: places between sorted elements, and what lies there.
#include <string.h>

#include "ops/calls.h"
#include "ops/composite/held.h"
#include "ops/kernels.h"
#include "ops/made.h"
#include "tensor/impl.h"

#define HOLD(...) oyi_hold(&h, __VA_ARGS__)
#define ONE       oy_int(1)

typedef enum between { LINEAR, LOWER, HIGHER, MIDPOINT, NEAREST, UNKNOWN } between;

static between read_interpolation(oy_str name) {
  static const char* const names[] = {"linear", "lower", "higher", "midpoint", "nearest"};
  for (int i = 0; i < UNKNOWN; i++)
    if (oy_str_equal(name, oy_str_of(names[i]))) return (between)i;
  OY_FAIL(INVALID_ARGUMENT,
          "quantile() interpolation must be one of linear, lower, higher, midpoint or "
          "nearest, but got %.*s",
          OY_STR_ARG(name));
  return UNKNOWN;
}

// All q are from 0 to 1; not looked at on Meta.
static oy_status check_range(oy_object* q) {
  if (oyi_is_meta(oyi_tensor_cast(q))) return OY_OK;
  oyi_held h = {0};
  oy_scalar good = {0};
  oy_object* low = HOLD(oyi_call_ge_Scalar(q, oy_int(0)));
  oy_object* high = HOLD(oyi_call_le_Scalar(q, oy_int(1)));
  oy_object* both = HOLD(oyi_call_logical_and(low, high));
  oy_object* all = both ? HOLD(oyi_call_all(both)) : NULL;
  oy_status status = all ? oy_tensor_get(all, oy_dims_none(), &good) : oy_failure();
  oyi_held_end(&h, NULL);
  OY_TRY(status);
  OY_CHECK(good.as.i, INVALID_ARGUMENT,
           "quantile() q values must be in the range [0, 1]");
  return OY_OK;
}

static oy_status check(oy_object* self, oy_object* q) {
  const oyi_tensor* t = oyi_tensor_of(self);
  const oyi_tensor* places = t ? oyi_tensor_of(q) : NULL;
  if (!places) return oy_failure();
  OY_CHECK(t->numel > 0, INVALID_ARGUMENT, "quantile() input tensor must be non-empty");
  OY_CHECK(places->ndim <= 1, INVALID_ARGUMENT,
           "quantile() q must be a scalar or 1D tensor");
  OY_CHECK(self->dtype == OY_DTYPE_F32 || self->dtype == OY_DTYPE_F64, TYPE_MISMATCH,
           "quantile() input tensor must be either float or double dtype");
  OY_CHECK(q->dtype == self->dtype, TYPE_MISMATCH,
           "quantile() q tensor must be same dtype as the input tensor");
  return check_range(q);
}

// Sorted along the last dimension, which is the one that goes.
static oy_object* sorted(oyi_held* h, oy_object* self, oy_value dim, int64_t d) {
  oy_object* line = self;
  if (dim.tag == OY_TAG_NONE) {
    line = oyi_hold(h, oyi_call_flatten_using_ints(self, 0, -1));
  } else if (oyi_tensor_cast(self)->ndim > 0) {
    oy_object* wide = oyi_hold(h, oyi_call_unsqueeze(self, -1));
    line = wide ? oyi_hold(h, oyi_call_transpose_int(wide, d, -1)) : NULL;
  }
  oy_object *values, *places;
  if (!line || oyi_call_sort(line, -1, false, &values, &places) != OY_OK) return NULL;
  oy_tensor_release(places);
  return oyi_hold(h, values);
}

// Where the quantiles are: what is NaN counts as the greatest, or not at all.
static oy_object* ranks_of(oyi_held* h, oy_object* values, oy_object* q,
                           bool ignores_nan) {
  const oyi_tensor* t = oyi_tensor_cast(values);
  const int64_t last = (t->ndim ? t->sizes[t->ndim - 1] : 1) - 1;
  oy_object* is_nan = oyi_hold(h, oyi_call_isnan(values));
  if (ignores_nan) {
    oy_object* is_number = oyi_hold(h, oyi_call_logical_not(is_nan));
    oy_object* count = is_number
                           ? oyi_hold(h, oyi_call_sum_dim_IntList(is_number, OY_DIMS(-1),
                                                                  true, oy_none()))
                           : NULL;
    oy_object* top = oyi_hold(h, oyi_call_sub_Scalar(count, ONE, ONE));
    oy_object* ranks = oyi_hold(h, oyi_call_mul_Tensor(q, top));
    return ranks ? oyi_hold(h, oyi_call_clamp_min(ranks, oy_int(0))) : NULL;
  }
  oy_object* has_nan = is_nan ? oyi_hold(h, oyi_call_any_dim(is_nan, -1, true)) : NULL;
  oy_object* ranks = has_nan ? oyi_hold(h, oyi_call_mul_Scalar(q, oy_int(last))) : NULL;
  return ranks ? oyi_hold(h, oyi_call_masked_fill_Scalar(ranks, has_nan, oy_int(last)))
               : NULL;
}

static oy_object* element_at(oyi_held* h, oy_object* values, oy_object* ranks) {
  oy_object* index =
      ranks ? oyi_hold(h, oyi_call_to_dtype(ranks, OY_DTYPE_I64, false, false, oy_none()))
            : NULL;
  return index ? oyi_hold(h, oyi_call_gather(values, -1, index, false)) : NULL;
}

static oy_object* interpolated(oyi_held* h, oy_object* values, oy_object* ranks,
                               between how) {
  if (!ranks) return NULL;
  if (how == LOWER) ranks = oyi_hold(h, oyi_call_floor(ranks));
  if (how == HIGHER) ranks = oyi_hold(h, oyi_call_ceil(ranks));
  if (how == NEAREST) ranks = oyi_hold(h, oyi_call_round(ranks));
  oy_object* below = element_at(h, values, ranks);
  if (!below || (how != LINEAR && how != MIDPOINT)) return below;
  oy_object* weights = oyi_hold(h, oyi_call_frac(ranks));
  if (weights && how == MIDPOINT) weights = oyi_call_fill__Scalar(weights, oy_float(0.5));
  oy_object* above = element_at(h, values, oyi_hold(h, oyi_call_ceil(ranks)));
  return above ? oyi_hold(h, oyi_call_lerp_Tensor(below, above, weights)) : NULL;
}

// The shape of the result: that of a reduction, the number of q before it.
static oy_ints result_shape(const oyi_tensor* t, const oyi_tensor* q, oy_value dim,
                            int64_t d, bool keepdim, int64_t* sizes) {
  size_t n = 0;
  if (q->ndim > 0) sizes[n++] = q->numel;
  for (size_t i = 0; i < t->ndim; i++) {
    const bool goes = dim.tag == OY_TAG_NONE || (int64_t)i == d;
    if (!goes)
      sizes[n++] = t->sizes[i];
    else if (keepdim)
      sizes[n++] = 1;
  }
  return (oy_ints){sizes, n};
}

static oy_object* quantile_of(oy_object* self, oy_object* q, oy_value dim, bool keepdim,
                              oy_str interpolation, bool ignores_nan) {
  if (check(self, q) != 0) return NULL;
  const between how = read_interpolation(interpolation);
  const oyi_tensor* t = oyi_tensor_cast(self);
  const int64_t d = dim.tag == OY_TAG_NONE ? 0 : oyi_dim_wrap(dim.as.i, t->ndim);
  if (how == UNKNOWN || d < 0) return NULL;
  int64_t sizes[OY_TENSOR_MAX_DIMS + 1];
  const oy_ints shape = result_shape(t, oyi_tensor_cast(q), dim, d, keepdim, sizes);
  oyi_held h = {0};
  oy_object* places = HOLD(oyi_call_reshape(q, OY_DIMS(-1)));
  oy_object* values = places ? sorted(&h, self, dim, d) : NULL;
  // Ranks in front of a row of elements each: those of one q after another.
  oy_object* line = values ? HOLD(oyi_call_atleast_1d(values)) : NULL;
  oy_object* ranks = line ? ranks_of(&h, line, places, ignores_nan) : NULL;
  if (ranks) {
    const oyi_tensor *v = oyi_tensor_cast(line), *r = oyi_tensor_cast(ranks);
    int64_t all[OY_TENSOR_MAX_DIMS];
    memcpy(all, v->sizes, v->ndim * sizeof(int64_t));
    all[v->ndim - 1] = r->sizes[r->ndim - 1];
    ranks = HOLD(oyi_call_expand(ranks, (oy_ints){all, v->ndim}, false));
  }
  oy_object* found = interpolated(&h, line, ranks, how);
  oy_object* first = found ? HOLD(oyi_call_movedim_int(found, -1, 0)) : NULL;
  return oyi_held_end(&h, first ? oyi_call_reshape(first, shape) : NULL);
}

OYI_COMPOSITE(quantile) {
  return quantile_of(self, q, dim, keepdim, interpolation, false);
}
OYI_COMPOSITE(nanquantile) {
  return quantile_of(self, q, dim, keepdim, interpolation, true);
}

static oy_object* of_number(oy_object* self, double q, oy_value dim, bool keepdim,
                            oy_str interpolation, bool ignores_nan) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (!(q >= 0 && q <= 1)) {
    OY_FAIL(INVALID_ARGUMENT, "quantile() q must be in the range [0, 1] but got %g", q);
    return NULL;
  }
  oy_object* place =
      oyi_call_scalar_tensor(oy_float(q), oy_int(self->dtype), oy_none(),
                             oy_value_device(oyi_tensor_device(t)), oy_none());
  oy_object* result =
      place ? quantile_of(self, place, dim, keepdim, interpolation, ignores_nan) : NULL;
  oy_tensor_release(place);
  return result;
}
OYI_COMPOSITE(quantile_scalar) {
  return of_number(self, q, dim, keepdim, interpolation, false);
}
OYI_COMPOSITE(nanquantile_scalar) {
  return of_number(self, q, dim, keepdim, interpolation, true);
}
static bool is_like(const oy_object* self, const oy_object* out, const char* name) {
  if (!oyi_tensor_of(self) || !oyi_tensor_of(out)) return false;
  if (out->dtype == self->dtype) return true;
  OY_FAIL(TYPE_MISMATCH, "%s() out tensor must be same dtype as the input tensor", name);
  return false;
}
OYI_COMPOSITE(quantile_out) {
  if (!is_like(self, out, "quantile")) return NULL;
  return oyi_stored(out, oyi_call_quantile(self, q, dim, keepdim, interpolation));
}
OYI_COMPOSITE(quantile_scalar_out) {
  if (!is_like(self, out, "quantile")) return NULL;
  return oyi_stored(out, oyi_call_quantile_scalar(self, q, dim, keepdim, interpolation));
}
OYI_COMPOSITE(nanquantile_out) {
  if (!is_like(self, out, "nanquantile")) return NULL;
  return oyi_stored(out, oyi_call_nanquantile(self, q, dim, keepdim, interpolation));
}
OYI_COMPOSITE(nanquantile_scalar_out) {
  if (!is_like(self, out, "nanquantile")) return NULL;
  return oyi_stored(out,
                    oyi_call_nanquantile_scalar(self, q, dim, keepdim, interpolation));
}
