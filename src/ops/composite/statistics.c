// SPDX-License-Identifier: Apache-2.0
// logsumexp, means without NaN, covariances.
#include <math.h>

#include "ops/calls.h"
#include "ops/composite/held.h"
#include "ops/kernels.h"
#include "ops/made.h"
#include "ops/out.h"
#include "tensor/impl.h"

#define HOLD(...) oyi_hold(&h, __VA_ARGS__)
#define ONE       oy_int(1)

// --------------------------------------------------------------------- logsumexp

// What is taken out of the exponentials: the greatest elements, 0 for infinite ones.
static oy_object* tops(oyi_held* h, oy_object* self, oy_ints dim) {
  oy_object* real =
      oy_dtype_is_complex(self->dtype) ? oyi_hold(h, oyi_call_real(self)) : self;
  oy_object* most = real ? oyi_hold(h, oyi_call_amax(real, dim, true)) : NULL;
  oy_object* size = oyi_hold(h, oyi_call_abs(most));
  oy_object* is_infinite =
      size ? oyi_hold(h, oyi_call_eq_Scalar(size, oy_float(INFINITY))) : NULL;
  return is_infinite ? oyi_call_masked_fill__Scalar(most, is_infinite, oy_int(0)) : NULL;
}

OYI_COMPOSITE(logsumexp) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  oyi_held h = {0};
  const bool is_whole = oy_dtype_is_integral(self->dtype, true);
  if (is_whole)
    self = HOLD(oyi_call_to_dtype(self, OY_DTYPE_F32, false, false, oy_none()));
  if (!self) return NULL;
  if (t->numel == 0) {
    oy_object* powers = HOLD(oyi_call_exp(self));
    oy_object* sum =
        powers ? HOLD(oyi_call_sum_dim_IntList(powers, dim, keepdim, oy_none())) : NULL;
    return oyi_held_end(&h, oyi_call_log(sum));
  }
  oy_object* top = tops(&h, self, dim);
  oy_object* rest = top ? HOLD(oyi_call_sub_Tensor(self, top, ONE)) : NULL;
  // Of integers most may be powers that are no normal numbers, which take processors long: beside
  // the greatest one, which is 1, the least that is normal is as good. None is infinite.
  if (rest && is_whole) rest = oyi_call_clamp_min_(rest, oy_float(-87));
  oy_object* powers = rest ? oyi_call_exp_(rest) : NULL;
  oy_object* sum =
      powers ? HOLD(oyi_call_sum_dim_IntList(powers, dim, keepdim, oy_none())) : NULL;
  oy_object* logs = sum ? oyi_call_log_(sum) : NULL;
  if (!logs) return oyi_held_end(&h, NULL);
  if (!keepdim) {
    // Without dimensions, or with none given, all of them go.
    top = HOLD(oyi_call_view(top, oyi_sizes_view(oyi_tensor_cast(logs))));
  }
  oy_object* done = top ? oyi_call_add__Tensor(logs, top, ONE) : NULL;
  return oyi_held_end(&h, done ? oy_tensor_retain(done) : NULL);
}
OYI_COMPOSITE(logsumexp_out) {
  if (!oyi_tensor_of(out)) return NULL;
  if (!oy_dtype_is_floating(out->dtype) && !oy_dtype_is_complex(out->dtype)) {
    OY_FAIL(TYPE_MISMATCH,
            "logsumexp(): Expected floating point type for result tensor, but got: %s",
            oy_dtype_pytorch_name(out->dtype));
    return NULL;
  }
  return oyi_into_out(oyi_call_logsumexp(self, dim, keepdim), out);
}

// ----------------------------------------------------------------------- nanmean

// How many elements of each result are numbers; |h| holds it.
static oy_object* count_numbers(oyi_held* h, oy_object* self, oy_ints dim, bool keepdim) {
  if (oy_dtype_is_integral(self->dtype, true)) {
    OY_FAIL(
        TYPE_MISMATCH,
        "nanmean(): expected input to have floating point or complex dtype but got %s",
        oy_dtype_pytorch_name(self->dtype));
    return NULL;
  }
  oy_object* bare = oyi_hold(h, oyi_call_detach(self));
  oy_object* is_nan = oyi_hold(h, oyi_call_isnan(bare));
  oy_object* counts = is_nan ? oyi_call_logical_not_(is_nan) : NULL;
  return counts ? oyi_hold(h, oyi_call_sum_dim_IntList(counts, dim, keepdim, oy_none()))
                : NULL;
}
OYI_COMPOSITE(nanmean) {
  if (!oyi_tensor_of(self)) return NULL;
  oyi_held h = {0};
  oy_object* count = count_numbers(&h, self, dim, keepdim);
  oy_object* sum = count ? HOLD(oyi_call_nansum(self, dim, keepdim, dtype)) : NULL;
  return oyi_held_end(&h, oyi_call_div_Tensor(sum, count));
}
// The sum is written there, so that its dtype has to be the one that is asked for.
OYI_COMPOSITE(nanmean_out) {
  if (!oyi_tensor_of(self)) return NULL;
  oyi_held h = {0};
  oy_object* count = count_numbers(&h, self, dim, keepdim);
  oy_object* sum = count ? oyi_call_nansum_out(self, dim, keepdim, dtype, out) : NULL;
  return oyi_held_end(&h, sum ? oyi_call_div__Tensor(sum, count) : NULL);
}

// ------------------------------------------------------------------- covariances

// Whether |made|, which it takes, is true; so is what has no elements to look at.
static oy_status read_truth(oy_object* made, bool* out) {
  if (!made) return oy_failure();
  oy_scalar s = oy_bool(true);
  oy_status status = OY_OK;
  if (!oyi_is_meta(oyi_tensor_cast(made)))
    status = oy_tensor_get(made, oy_dims_none(), &s);
  *out = s.as.i != 0;
  oy_tensor_release(made);
  return status;
}

static oy_status check_weights(oy_object* weights, int64_t observations, bool is_integral,
                               const char* name) {
  if (!oyi_is_optional(weights)) return oy_failure();
  if (weights == &oy_none_object) return OY_OK;
  const oyi_tensor* w = oyi_tensor_cast(weights);
  OY_CHECK(w->ndim <= 1, INVALID_ARGUMENT,
           "cov(): expected %s to have one or fewer dimensions but got %s with %u "
           "dimensions",
           name, name, w->ndim);
  const bool fits = is_integral ? oy_dtype_is_integral(weights->dtype, false)
                                : oy_dtype_is_floating(weights->dtype);
  OY_CHECK(fits, TYPE_MISMATCH,
           "cov(): expected %s to have %s dtype but got %s with %s "
           "dtype",
           name, is_integral ? "integral" : "floating point", name,
           oy_dtype_pytorch_name(weights->dtype));
  OY_CHECK(w->numel == observations, INVALID_ARGUMENT,
           "cov(): expected %s to have the same numel as there are observations in the "
           "input but got %lld != %lld",
           name, (long long)w->numel, (long long)observations);
  if (w->numel == 0) return OY_OK;
  oy_object* least = oyi_call_min(weights);
  oy_object* is_good = oyi_call_ge_Scalar(least, oy_int(0));
  oy_tensor_release(least);
  bool is_positive = false;
  OY_TRY(read_truth(is_good, &is_positive));
  OY_CHECK(is_positive, INVALID_ARGUMENT, "cov(): %s cannot be negative", name);
  return OY_OK;
}

static oy_status check_matrix(oy_object* self, const char* name) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_failure();
  OY_CHECK(t->ndim <= 2, INVALID_ARGUMENT,
           "%s(): expected input to have two or fewer dimensions but got an input with "
           "%u dimensions",
           name, t->ndim);
  return OY_OK;
}

// What the products are divided by; NULL with the error set. |w| may be NULL.
static oy_object* divisor(oyi_held* h, oy_object* total, oy_object* w,
                          oy_object* aweights, int64_t correction) {
  oy_object* less;
  if (w && aweights != &oy_none_object && correction != 0) {
    oy_object* squares = oyi_hold(h, oyi_call_mul_Tensor(w, aweights));
    oy_object* sum = squares ? oyi_hold(h, oyi_call_sum(squares, oy_none())) : NULL;
    oy_object* scaled =
        sum ? oyi_hold(h, oyi_call_mul_Scalar(sum, oy_int(correction))) : NULL;
    oy_object* part = oyi_hold(h, oyi_call_div_Tensor(scaled, total));
    less = oyi_hold(h, oyi_call_sub_Tensor(total, part, ONE));
  } else {
    less = oyi_hold(h, oyi_call_sub_Scalar(total, oy_int(correction), ONE));
  }
  // Too few degrees of freedom count as none: a constant, whatever the weights are.
  if (!w) return less ? oyi_hold(h, oyi_call_clamp_min(less, oy_int(0))) : NULL;
  bool too_few = false;
  if (!less || read_truth(oyi_call_le_Scalar(less, oy_int(0)), &too_few) != 0)
    return NULL;
  return too_few ? oyi_call_zero_(less) : less;
}

static oy_object* covariance(oyi_held* h, oy_object* in, oy_object* w, oy_object* total,
                             oy_object* by) {
  oy_object* weighted = w ? oyi_hold(h, oyi_call_mul_Tensor(in, w)) : in;
  oy_object* sum =
      weighted
          ? oyi_hold(h, oyi_call_sum_dim_IntList(weighted, OY_DIMS(1), false, oy_none()))
          : NULL;
  oy_object* mean = oyi_hold(h, oyi_call_div_Tensor(sum, total));
  oy_object* column = mean ? oyi_hold(h, oyi_call_unsqueeze(mean, 1)) : NULL;
  oy_object* rest = column ? oyi_hold(h, oyi_call_sub_Tensor(in, column, ONE)) : NULL;
  oy_object* other = rest && w ? oyi_hold(h, oyi_call_mul_Tensor(rest, w)) : rest;
  oy_object* turned = other ? oyi_hold(h, oyi_call_t(other)) : NULL;
  if (turned && oy_dtype_is_complex(turned->dtype))
    turned = oyi_hold(h, oyi_call_conj_physical(turned));
  oy_object* products = turned ? oyi_hold(h, oyi_call_mm(rest, turned)) : NULL;
  oy_object* result = products ? oyi_hold(h, oyi_call_div_Tensor(products, by)) : NULL;
  return result ? oyi_call_squeeze(result) : NULL;
}

OYI_COMPOSITE(cov) {
  if (check_matrix(self, "cov") != 0) return NULL;
  if (self->dtype == OY_DTYPE_BOOL) {
    OY_FAIL(TYPE_MISMATCH, "cov(): bool dtype is not supported for input");
    return NULL;
  }
  oyi_held h = {0};
  const oyi_tensor* t = oyi_tensor_cast(self);
  const int64_t count = t->ndim < 2 ? t->numel : t->sizes[1];
  oy_object* in = t->ndim < 2 ? HOLD(oyi_call_view(self, OY_DIMS(1, count))) : self;
  if (!in || check_weights(fweights, count, true, "fweights") != 0 ||
      check_weights(aweights, count, false, "aweights") != 0)
    return oyi_held_end(&h, NULL);
  oy_object *w = NULL, *total;
  if (fweights != &oy_none_object) w = fweights;
  if (aweights != &oy_none_object)
    w = w ? HOLD(oyi_call_mul_Tensor(w, aweights)) : aweights;
  if (w)
    total = HOLD(oyi_call_sum(w, oy_none()));
  else
    total =
        HOLD(oyi_call_scalar_tensor(oy_int(count), oy_int(OY_DTYPE_I64), oy_none(),
                                    oy_value_device(oyi_tensor_device(t)), oy_none()));
  bool has_weight = true;
  if (!total || (w && read_truth(oyi_call_ne_Scalar(total, oy_int(0)), &has_weight) != 0))
    return oyi_held_end(&h, NULL);
  if (!has_weight) {
    OY_FAIL(INVALID_ARGUMENT, "cov(): weights sum to zero, can't be normalized");
    return oyi_held_end(&h, NULL);
  }
  oy_object* by = divisor(&h, total, w, aweights, correction);
  return oyi_held_end(&h, by ? covariance(&h, in, w, total, by) : NULL);
}

OYI_COMPOSITE(corrcoef) {
  if (check_matrix(self, "corrcoef") != 0) return NULL;
  oyi_held h = {0};
  oy_object* c = HOLD(oyi_call_cov(self, 1, &oy_none_object, &oy_none_object));
  if (!c) return NULL;
  if (oyi_tensor_cast(c)->ndim == 0) return oyi_held_end(&h, oyi_call_div_Tensor(c, c));
  oy_object* d = HOLD(oyi_call_diag(c, 0));
  if (d && oy_dtype_is_complex(d->dtype)) d = HOLD(oyi_call_real(d));
  oy_object* deviation = HOLD(oyi_call_sqrt(d));
  oy_object* down = deviation ? HOLD(oyi_call_view(deviation, OY_DIMS(-1, 1))) : NULL;
  oy_object* across = down ? HOLD(oyi_call_view(deviation, OY_DIMS(1, -1))) : NULL;
  oy_object* half = HOLD(oyi_call_div_Tensor(c, down));
  oy_object* result = across ? HOLD(oyi_call_div_Tensor(half, across)) : NULL;
  if (!result || oy_dtype_is_complex(result->dtype))
    return oyi_held_end(&h, result ? oy_tensor_retain(result) : NULL);
  return oyi_held_end(&h, oyi_call_clip(result, oy_int(-1), oy_int(1)));
}
