// SPDX-License-Identifier: Apache-2.0
// Gradients of sums without NaN, variances, standard deviations and norms.
#include <math.h>

#include "layers/autograd/derivatives/derivative_help.h"
#include "ops/composite/held.h"

BACKWARD(nansum) {
  ARGUMENTS(nansum);
  if (!WANTS(self)) return OY_OK;
  oy_object* grad = restored(GRAD(0), dim, keepdim, oy_tensor_ndim(self));
  GIVE(self, of_zero_where(oyi_call_isnan(self), grad));
  return OY_OK;
}

// --------------------------------------------------------------------- variances

// How many elements of |self| go into one result.
static oy_status count_of(oy_object* self, oy_ints dims, double* out) {
  int64_t ndim = oy_tensor_ndim(self), count = 1;
  uint64_t mask = ~0ull;
  if (dims.size > 0 && ndim > 0) OY_TRY(oyi_dims_mask(dims, ndim, &mask));
  for (int64_t d = 0; d < ndim; d++)
    if (mask >> d & 1) count *= oy_tensor_size(self, d);
  *out = (double)count;
  return OY_OK;
}
// |grad| is taken over; it broadcasts with |self|.
static oy_object* of_var(oy_object* grad, oy_object* self, oy_ints dims,
                         oy_scalar correction) {
  double count;
  if (!grad || count_of(self, dims, &count) != 0) {
    oy_tensor_release(grad);
    return NULL;
  }
  double freedom = count - (correction.tag == OY_TAG_NONE ? 1 : number_of(correction));
  oy_object* mean = oyi_call_mean_dim(self, dims, true, oy_none());
  oy_object* apart = of_sub(keep(self), mean);
  return of_mul(of_mul_number(grad, oy_float(2 / freedom)), apart);
}
// |grad| of a deviation becomes that of the variance: nothing where there is none.
static oy_object* of_deviation(oy_object* grad, oy_object* deviation) {
  oy_object* none = oyi_call_eq_Scalar(deviation, oy_int(0));
  return of_zero_where(none, of_div(grad, oyi_call_mul_Scalar(deviation, oy_int(2))));
}
static oy_object* of_mean(oy_object* grad, oy_object* self, oy_ints dims) {
  double count;
  oy_object* result = NULL;
  if (grad && count_of(self, dims, &count) == 0) {
    oy_object* wide = oyi_call_expand(grad, oy_tensor_sizes(self), false);
    result = of_div_number(wide, oy_float(count));
  }
  oy_tensor_release(grad);
  return result;
}

// |deviation|: the result, if it is not the variance. |grads|: of the result, and of the
// mean.
static oy_status spread_back(oy_object* const* grads, size_t count, oy_object* self,
                             oy_object* deviation, oy_ints dims, oy_scalar correction,
                             bool keepdim, oy_object** give) {
  int64_t ndim = oy_tensor_ndim(self);
  if (grads[0]) {
    oy_object* grad = keep(grads[0]);
    if (deviation) grad = of_deviation(grad, deviation);
    oy_object* wide = grad ? restored(grad, dims, keepdim, ndim) : NULL;
    oy_tensor_release(grad);
    *give = of_var(wide, self, dims, correction);
    if (!*give) return oy_failure();
  }
  if (count < 2 || !grads[1]) return OY_OK;
  oy_object* part = of_mean(restored(grads[1], dims, keepdim, ndim), self, dims);
  *give = *give ? of_add(*give, part) : part;
  return *give ? OY_OK : oy_failure();
}
#define SPREAD_BACK(id, count, deviation)                                       \
  BACKWARD(id) {                                                                \
    ARGUMENTS(id);                                                              \
    if (!WANTS(self)) return OY_OK;                                             \
    return spread_back(grads, count, self, deviation, dim, correction, keepdim, \
                       &gives[EDGE_AT(self)]);                                  \
  }
SPREAD_BACK(var_correction, 1, NULL)
SPREAD_BACK(std_correction, 1, RESULT(0))
SPREAD_BACK(var_mean_correction, 2, NULL)
SPREAD_BACK(std_mean_correction, 2, RESULT(0))

// ------------------------------------------------------------------------- norms

static oy_object* is_zero(oy_object* tensor) {
  return oyi_call_eq_Scalar(tensor, oy_int(0));
}
static oy_object* of_power_of_abs(oy_object* self, double p) {
  return of_pow_number(oyi_call_abs(self), oy_float(p));
}
// The gradient of a maximum of absolute values, shared by all that have it.
static oy_object* norm_of_maximum(oy_object* grad, oy_object* self, oy_object* norm,
                                  oy_ints dims) {
  oy_object* size = oyi_call_abs(self);
  oy_object* nan = oyi_call_isnan(size);
  oy_object* mask = of_or(of_eq(size, keep(norm)), nan);
  oy_object* count = mask ? of_sum(keep(mask), dims) : NULL;
  return of_mul(oyi_call_sgn(self),
                of_zero_where(of_not(mask), of_div(keep(grad), count)));
}
// grad * |self|^(p - 1) / norm^(p - 1), with the sign of |self|.
static oy_object* norm_of_power(oy_object* grad, oy_object* self, oy_object* norm,
                                double p) {
  if (p < 1) {
    oy_object* power = of_zero_where(is_zero(self), of_power_of_abs(self, p - 1));
    oy_object* scaled = of_mul(of_mul(oyi_call_sgn(self), power), keep(grad));
    return of_mul(scaled, of_pow_number(keep(norm), oy_float(1 - p)));
  }
  oy_object* scaled = p < 2 ? of_mul(oyi_call_sgn(self), of_power_of_abs(self, p - 1))
                            : of_mul(keep(self), of_power_of_abs(self, p - 2));
  oy_object* share = of_div(keep(grad), of_pow_number(keep(norm), oy_float(p - 1)));
  return of_mul(scaled, of_zero_where(is_zero(norm), share));
}
// grad * self / norm, and 0 where |norm| is.
static oy_object* norm_of_squares(oy_object* grad, oy_object* self, oy_object* norm) {
  // Second derivatives there are PyTorch's, no numbers.
  if (oy_dtype_is_complex(self->dtype) || oy_grad_mode_get()) {
    oy_object* direction = of_div(keep(self), keep(norm));
    return of_mul(keep(grad), of_zero_where(is_zero(norm), direction));
  }
  // Over infinity they are 0, too: there are fewer norms to look at than elements.
  oy_object* none = is_zero(norm);
  oy_object* by = oyi_call_masked_fill_Scalar(norm, none, oy_float(INFINITY));
  oy_tensor_release(none);
  return of_mul(of_div(keep(self), by), keep(grad));
}
// |grad| and |norm| broadcast with |self|.
static oy_object* norm_of(oy_object* grad, oy_object* self, oy_object* norm, double p,
                          oy_ints dims) {
  if (!grad || !self || !norm) return NULL;
  if (p == 0) return zeros_like(self);
  if (p == 1) return of_mul(oyi_call_sgn(self), keep(grad));
  if (p == 2) return norm_of_squares(grad, self, norm);
  if (isinf(p)) return norm_of_maximum(grad, self, norm, dims);
  return norm_of_power(grad, self, norm, p);
}
// Of a complex tensor that was to be taken as one of a real |dtype| the real part counts.
static oy_object* norm_back(oy_object* grad, oy_object* self, oy_object* norm,
                            oy_scalar p, oy_ints dims, bool keepdim, int64_t dtype) {
  oyi_held h = {0};
  if (oy_dtype_is_complex(self->dtype) && !oy_dtype_is_complex((oy_dtype)dtype))
    self = oyi_hold(&h, oyi_call_real(self));
  if (!self) return oyi_held_end(&h, NULL);
  int64_t ndim = oy_tensor_ndim(self);
  oy_object* g = oyi_hold(&h, restored(grad, dims, keepdim, ndim));
  oy_object* n = oyi_hold(&h, restored(norm, dims, keepdim, ndim));
  double order = p.tag == OY_TAG_NONE ? 2 : number_of(p);
  return oyi_held_end(&h, norm_of(g, self, n, order, dims));
}
#define NORM(id, p, dims, keepdim, dtype)                                       \
  BACKWARD(id) {                                                                \
    ARGUMENTS(id);                                                              \
    if (WANTS(self))                                                            \
      GIVE(self, norm_back(GRAD(0), self, RESULT(0), p, dims, keepdim, dtype)); \
    return OY_OK;                                                               \
  }
#define ALL ((oy_ints){NULL, 0})
NORM(linalg_vector_norm, ord, dim, keepdim, self->dtype)
NORM(norm_Scalar, p, ALL, false, self->dtype)
NORM(norm_ScalarOpt_dim, p, dim, keepdim, self->dtype)
NORM(norm_ScalarOpt_dtype, p, ALL, false, dtype)
NORM(norm_ScalarOpt_dim_dtype, p, dim, keepdim, dtype)

BACKWARD(dist) {
  ARGUMENTS(dist);
  oy_object* apart = oyi_call_sub_Tensor(self, other, oy_int(1));
  oy_object* grad = norm_of(GRAD(0), apart, RESULT(0), number_of(p), ALL);
  oy_tensor_release(apart);
  if (!grad) return oy_failure();
  if (WANTS(self)) gives[EDGE_AT(self)] = keep(grad);
  if (WANTS(other)) gives[EDGE_AT(other)] = oyi_call_neg(grad);
  oy_tensor_release(grad);
  return WANTS(other) && !gives[EDGE_AT(other)] ? oy_failure() : OY_OK;
}

// The share of each element in the sum: exp(x - result).
BACKWARD(logsumexp) {
  ARGUMENTS(logsumexp);
  int64_t ndim = oy_tensor_ndim(self);
  oy_object* result = restored(RESULT(0), dim, keepdim, ndim);
  oy_object* share = of_conj(of_exp(of_sub(keep(self), result)));
  GIVE(self, of_mul(restored(GRAD(0), dim, keepdim, ndim), share));
  return OY_OK;
}

// Slices whose norm is above |maxnorm| are multiplied by maxnorm / (norm + 1e-7).
static oy_object* renorm_back(oy_object* grad, oy_object* self, oy_scalar p, int64_t dim,
                              oy_scalar maxnorm) {
  const int64_t ndim = oy_tensor_ndim(self);
  int64_t others[OY_TENSOR_MAX_DIMS];
  oy_ints dims = {others, 0};
  for (int64_t d = 0; d < ndim; d++)
    if (d != oyi_dim_wrap(dim, ndim)) others[dims.size++] = d;
  oyi_held h = {0};
  oy_object* norm =
      oyi_hold(&h, oyi_call_linalg_vector_norm(self, p, dims, true, oy_none()));
  oy_object* product = oyi_hold(&h, of_mul(keep(grad), of_conj(keep(self))));
  // The norm is real, whatever the elements are.
  if (product && oy_dtype_is_complex(product->dtype))
    product = oyi_hold(&h, oyi_call_real(product));
  oy_object* along = oyi_hold(&h, of_sum(keep(product), dims));
  oy_object* slope = oyi_hold(&h, norm_of(along, self, norm, number_of(p), dims));
  oy_object* safe = norm ? oyi_call_add_Scalar(norm, oy_float(1e-7), oy_int(1)) : NULL;
  oy_object* inverse = oyi_hold(&h, oyi_call_reciprocal(safe));
  oy_tensor_release(safe);
  oy_object* shrunk = oyi_hold(
      &h, oyi_call_sub_Tensor(grad, oyi_hold(&h, of_mul(keep(inverse), keep(slope))),
                              oy_int(1)));
  oy_object* given =
      oyi_hold(&h, of_mul_number(of_mul(keep(inverse), keep(shrunk)), maxnorm));
  oy_object* is_great = norm ? oyi_hold(&h, oyi_call_gt_Scalar(norm, maxnorm)) : NULL;
  return oyi_held_end(
      &h, given && is_great ? oyi_call_where_self(is_great, given, grad) : NULL);
}
BACKWARD(renorm) {
  ARGUMENTS(renorm);
  if (WANTS(self)) GIVE(self, renorm_back(GRAD(0), self, p, dim, maxnorm));
  return OY_OK;
}

// -------------------------------------------------------------------- the table

#define WITH_RESULT(id) SAVE(id, self), OUTPUT(0)
DERIVATIVE(logsumexp, "LogsumexpBackward0", SAVE(logsumexp, self), OUTPUT(0))
DERIVATIVE(nansum, "NansumBackward0", SAVE(nansum, self))
DERIVATIVE(var_correction, "VarBackward0", SAVE(var_correction, self))
DERIVATIVE(std_correction, "StdBackward0", WITH_RESULT(std_correction))
DERIVATIVE(var_mean_correction, "VarMeanBackward0", SAVE(var_mean_correction, self))
DERIVATIVE(std_mean_correction, "StdMeanBackward0", WITH_RESULT(std_mean_correction))
DERIVATIVE(linalg_vector_norm, "LinalgVectorNormBackward0",
           WITH_RESULT(linalg_vector_norm))
DERIVATIVE(norm_Scalar, "NormBackward0", WITH_RESULT(norm_Scalar))
DERIVATIVE(norm_ScalarOpt_dim, "NormBackward1", WITH_RESULT(norm_ScalarOpt_dim))
DERIVATIVE(norm_ScalarOpt_dtype, "NormBackward2", WITH_RESULT(norm_ScalarOpt_dtype))
DERIVATIVE(norm_ScalarOpt_dim_dtype, "NormBackward3",
           WITH_RESULT(norm_ScalarOpt_dim_dtype))
DERIVATIVE(dist, "DistBackward0", SAVE(dist, self), SAVE(dist, other), OUTPUT(0))
DERIVATIVE(renorm, "RenormBackward0", SAVE(renorm, self))
DERIVATIVE_AS(renorm_, "RenormBackward0", renorm, COPY(renorm_, self))
