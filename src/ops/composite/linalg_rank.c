// SPDX-License-Identifier: Apache-2.0
// What is made of singular values that count, since they are not small: rank, pseudoinverse.
#include <float.h>

#include "ops/calls.h"
#include "ops/composite/held.h"
#include "ops/kernels.h"
#include "ops/out_form.h"
#include "ops/rules/matrix.h"
#include "ops/rules/rules.h"
#include "tensor/element.h"
#include "tensor/impl.h"

#define HOLD(...) oyi_hold(&h, __VA_ARGS__)

// --------------------------------------------------------------- what is not small

static double epsilon_of(oy_dtype dtype) {
  return dtype == OY_DTYPE_F64 || dtype == OY_DTYPE_C128 ? DBL_EPSILON
                                                         : (double)FLT_EPSILON;
}

static oy_object* number_tensor(oy_object* like, double number) {
  return oyi_call_new_full(like, (oy_ints){NULL, 0}, oy_float(number),
                           oy_int(OY_DTYPE_F64), oy_none(), oy_none(), oy_none());
}

// The defaults of tolerances that may be None: numbers.
static void read_tolerances(oy_object* self, oy_value atol, oy_value rtol,
                            double out[2]) {
  const oyi_tensor* t = oyi_tensor_cast(self);
  int64_t m = t->sizes[t->ndim - 2], n = t->sizes[t->ndim - 1];
  out[0] = atol.tag == OY_TAG_NONE ? 0 : oyi_scalar_real(atol);
  if (rtol.tag != OY_TAG_NONE)
    out[1] = oyi_scalar_real(rtol);
  else
    out[1] = out[0] > 0 ? 0 : epsilon_of(self->dtype) * (double)(m > n ? m : n);
}

// The same as tensors, of which either may be &oy_none_object.
static oy_status fill_tolerances(oyi_held* held, oy_object* self, oy_object** atol,
                                 oy_object** rtol) {
  double numbers[2];
  read_tolerances(self, oy_none(), oy_none(), numbers);
  bool no_atol = oy_object_is_none(*atol), no_rtol = oy_object_is_none(*rtol);
  if (no_atol) *atol = oyi_hold(held, number_tensor(self, 0));
  if (no_rtol) *rtol = oyi_hold(held, number_tensor(self, numbers[1]));
  if (no_rtol && !no_atol && *rtol) {
    oy_object* above = oyi_hold(held, oyi_call_gt_Scalar(*atol, oy_int(0)));
    oy_object* zero = oyi_hold(held, number_tensor(self, 0));
    *rtol =
        above && zero ? oyi_hold(held, oyi_call_where_self(above, zero, *rtol)) : NULL;
  }
  return *atol && *rtol ? OY_OK : oy_failure();
}

// max(atol, rtol * greatest), along a last dimension of size 1.
static oy_object* tolerance(oyi_held* held, oy_object* atol, oy_object* rtol,
                            oy_object* greatest) {
  oy_object* a = oyi_hold(held, oyi_call_unsqueeze(atol, -1));
  oy_object* r = oyi_hold(held, oyi_call_unsqueeze(rtol, -1));
  oy_object* scaled = r ? oyi_hold(held, oyi_call_mul_Tensor(r, greatest)) : NULL;
  return scaled && a ? oyi_hold(held, oyi_call_maximum(a, scaled)) : NULL;
}

// Tolerances that are numbers, as tensors.
static oy_status tolerance_tensors(oyi_held* held, oy_object* self, oy_value atol,
                                   oy_value rtol, oy_object* out[2]) {
  double numbers[2];
  read_tolerances(self, atol, rtol, numbers);
  for (int i = 0; i < 2; i++) {
    out[i] = oyi_hold(held, number_tensor(self, numbers[i]));
    if (!out[i]) return oy_failure();
  }
  return OY_OK;
}

static const int64_t g_minus_one = -1;

typedef struct spectrum {
  oy_object *left, *values, *sizes, *right_h;  // right_h NULL: Hermitian
} spectrum;

// Values alone, or with vectors.
static oy_status take_apart(oyi_held* held, oy_object* self, bool hermitian, bool vectors,
                            spectrum* out) {
  *out = (spectrum){0};
  if (hermitian && vectors) {
    OY_TRY(oyi_call_linalg_eigh(self, oy_str_of("L"), &out->values, &out->left));
  } else if (hermitian) {
    out->values = oyi_call_linalg_eigvalsh(self, oy_str_of("L"));
  } else if (vectors) {
    OY_TRY(oyi_call_linalg_svd(self, false, oy_none(), &out->left, &out->values,
                               &out->right_h));
  } else {
    out->values = oyi_call_linalg_svdvals(self, oy_none());
  }
  oyi_hold(held, out->left);
  oyi_hold(held, out->right_h);
  if (!oyi_hold(held, out->values)) return oy_failure();
  out->sizes = hermitian ? oyi_hold(held, oyi_call_abs(out->values)) : out->values;
  return out->sizes ? OY_OK : oy_failure();
}

// The same, and the size up to which values are small; NULL: it failed.
static oy_object* take_apart_from(oyi_held* held, oy_object* self, bool hermitian,
                                  bool vectors, oy_object* atol, oy_object* rtol,
                                  spectrum* out) {
  if (fill_tolerances(held, self, &atol, &rtol) != 0 ||
      take_apart(held, self, hermitian, vectors, out) != 0)
    return NULL;
  oy_object* greatest =
      oyi_hold(held, oyi_call_amax(out->sizes, (oy_ints){&g_minus_one, 1}, true));
  return greatest ? tolerance(held, atol, rtol, greatest) : NULL;
}

// NULL: what made it has failed.
static oy_status check_real(const char* op, const char* name,
                            const oy_object* tolerance) {
  if (!tolerance) return oy_failure();
  OY_CHECK(oy_object_is_none(tolerance) || !oy_dtype_is_complex(tolerance->dtype),
           TYPE_MISMATCH, "torch.%s: %s tensor of complex type is not supported. Got %s",
           op, name, oy_dtype_pytorch_name(tolerance->dtype));
  return OY_OK;
}

static oy_object* rank_of(oy_object* self, oy_object* atol, oy_object* rtol,
                          bool hermitian) {
  const oyi_tensor* t = oyi_check_numbers(self, "linalg.matrix_rank");
  if (!t || check_real("linalg.matrix_rank", "atol", atol) != OY_OK ||
      check_real("linalg.matrix_rank", "rtol", rtol) != OY_OK)
    return NULL;
  if (t->numel == 0)
    return oyi_call_new_zeros(self, (oy_ints){t->sizes, t->ndim - 2u},
                              oy_int(OY_DTYPE_I64), oy_none(), oy_none(), oy_none());
  oyi_held h = {0};
  spectrum s;
  oy_object* least = take_apart_from(&h, self, hermitian, false, atol, rtol, &s);
  oy_object* counts = least ? HOLD(oyi_call_gt_Tensor(s.sizes, least)) : NULL;
  return oyi_held_end(&h, counts
                              ? oyi_call_sum_dim_IntList(
                                    counts, (oy_ints){&g_minus_one, 1}, false, oy_none())
                              : NULL);
}

OYI_COMPOSITE(linalg_matrix_rank_atol_rtol_tensor) {
  return rank_of(input, atol, rtol, hermitian);
}
OYI_COMPOSITE(linalg_matrix_rank_atol_rtol_tensor_out) {
  return oyi_into_castable_out(out, rank_of(input, atol, rtol, hermitian),
                               "torch.linalg.matrix_rank", "result", false);
}
OYI_COMPOSITE(linalg_matrix_rank_atol_rtol_float) {
  if (!oyi_check_numbers(self, "linalg.matrix_rank")) return NULL;
  oyi_held h = {0};
  oy_object *limits[2], *result = NULL;
  if (tolerance_tensors(&h, self, atol, rtol, limits) == 0)
    result = oyi_call_linalg_matrix_rank_atol_rtol_tensor(self, limits[0], limits[1],
                                                          hermitian);
  return oyi_held_end(&h, result);
}
OYI_COMPOSITE(linalg_matrix_rank_atol_rtol_float_out) {
  return oyi_into_castable_out(
      out, oyi_call_linalg_matrix_rank_atol_rtol_float(self, atol, rtol, hermitian),
      "torch.linalg.matrix_rank", "result", false);
}
OYI_COMPOSITE(linalg_matrix_rank) {
  return oyi_call_linalg_matrix_rank_atol_rtol_float(self, oy_float(tol), oy_float(0),
                                                     hermitian);
}
OYI_COMPOSITE(linalg_matrix_rank_out) {
  return oyi_into_castable_out(out, oyi_call_linalg_matrix_rank(self, tol, hermitian),
                               "torch.linalg.matrix_rank", "result", false);
}
OYI_COMPOSITE(linalg_matrix_rank_tol_tensor) {
  oyi_held h = {0};
  oy_object* zero = HOLD(number_tensor(input, 0));
  return oyi_held_end(
      &h, zero ? oyi_call_linalg_matrix_rank_atol_rtol_tensor(input, tol, zero, hermitian)
               : NULL);
}
OYI_COMPOSITE(linalg_matrix_rank_out_tol_tensor) {
  return oyi_into_castable_out(
      out, oyi_call_linalg_matrix_rank_tol_tensor(input, tol, hermitian),
      "torch.linalg.matrix_rank", "result", false);
}

// ----------------------------------------------------------------- pseudoinverse

static oy_object* empty_inverse(oy_object* self, const oyi_tensor* t) {
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  memcpy(sizes, t->sizes, t->ndim * sizeof(int64_t));
  sizes[t->ndim - 2] = t->sizes[t->ndim - 1];
  sizes[t->ndim - 1] = t->sizes[t->ndim - 2];
  return oyi_call_new_zeros(self, (oy_ints){sizes, t->ndim}, oy_none(), oy_none(),
                            oy_none(), oy_none());
}

// V (1 / values) U^H, with nothing for values that are small.
static oy_object* put_together(oyi_held* held, const spectrum* s, oy_object* least,
                               oy_dtype dtype) {
  oy_object* large = oyi_hold(held, oyi_call_gt_Tensor(s->sizes, least));
  oy_object* inverse = oyi_hold(held, oyi_call_reciprocal(s->values));
  oy_object* kept =
      large && inverse
          ? oyi_hold(held, oyi_call_where_ScalarOther(large, inverse, oy_float(0)))
          : NULL;
  oy_object* wide =
      kept ? oyi_hold(held, oyi_call_to_dtype(kept, dtype, false, false, oy_none()))
           : NULL;
  oy_object* row = wide ? oyi_hold(held, oyi_call_unsqueeze(wide, -2)) : NULL;
  oy_object* right = s->right_h ? oyi_hold(held, oyi_call_mH(s->right_h)) : s->left;
  oy_object* left_h = oyi_hold(held, oyi_call_mH(s->left));
  oy_object* scaled =
      row && right ? oyi_hold(held, oyi_call_mul_Tensor(right, row)) : NULL;
  return scaled && left_h ? oyi_call_matmul(scaled, left_h) : NULL;
}

OYI_COMPOSITE(linalg_pinv_atol_rtol_tensor) {
  const oyi_tensor* t = oyi_check_numbers(self, "linalg.pinv");
  if (!t || check_real("linalg.pinv", "atol", atol) != OY_OK ||
      check_real("linalg.pinv", "rtol", rtol) != OY_OK)
    return NULL;
  if (t->numel == 0) return empty_inverse(self, t);
  oyi_held h = {0};
  spectrum s;
  oy_object* least = take_apart_from(&h, self, hermitian, true, atol, rtol, &s);
  return oyi_held_end(&h, least ? put_together(&h, &s, least, self->dtype) : NULL);
}
OYI_COMPOSITE(linalg_pinv_atol_rtol_tensor_out) {
  return oyi_into_castable_out(
      out, oyi_call_linalg_pinv_atol_rtol_tensor(self, atol, rtol, hermitian),
      "linalg.pinv", "result", false);
}
OYI_COMPOSITE(linalg_pinv_atol_rtol_float) {
  if (!oyi_check_numbers(self, "linalg.pinv")) return NULL;
  oyi_held h = {0};
  oy_object *limits[2], *result = NULL;
  if (tolerance_tensors(&h, self, atol, rtol, limits) == 0)
    result = oyi_call_linalg_pinv_atol_rtol_tensor(self, limits[0], limits[1], hermitian);
  return oyi_held_end(&h, result);
}
OYI_COMPOSITE(linalg_pinv_atol_rtol_float_out) {
  return oyi_into_castable_out(
      out, oyi_call_linalg_pinv_atol_rtol_float(self, atol, rtol, hermitian),
      "linalg.pinv", "result", false);
}
OYI_COMPOSITE(linalg_pinv) {
  return oyi_call_linalg_pinv_atol_rtol_float(self, oy_float(0), oy_float(rcond),
                                              hermitian);
}
OYI_COMPOSITE(linalg_pinv_out) {
  return oyi_into_castable_out(out, oyi_call_linalg_pinv(self, rcond, hermitian),
                               "linalg.pinv", "result", false);
}
OYI_COMPOSITE(linalg_pinv_rcond_tensor) {
  if (check_real("linalg.pinv", "rcond", rcond) != OY_OK) return NULL;
  oyi_held h = {0};
  oy_object* zero = HOLD(number_tensor(self, 0));
  return oyi_held_end(
      &h,
      zero ? oyi_call_linalg_pinv_atol_rtol_tensor(self, zero, rcond, hermitian) : NULL);
}
OYI_COMPOSITE(linalg_pinv_out_rcond_tensor) {
  return oyi_into_castable_out(out,
                               oyi_call_linalg_pinv_rcond_tensor(self, rcond, hermitian),
                               "linalg.pinv", "result", false);
}
OYI_COMPOSITE(pinverse) {
  return oyi_call_linalg_pinv(self, rcond, false);
}
