// SPDX-License-Identifier: Apache-2.0
// Norms of matrices, and what is made of singular values: condition, rank, pseudoinverse.
#include <float.h>
#include <math.h>

#include "ops/calls.h"
#include "ops/composite/held.h"
#include "ops/kernels.h"
#include "ops/out_form.h"
#include "ops/rules/rules.h"
#include "ops/rules/shape.h"
#include "tensor/element.h"
#include "tensor/impl.h"
#include "tensor/promotion.h"

#define HOLD(...) oyi_hold(&h, __VA_ARGS__)

static double number_of(oy_scalar s) {
  return oyi_scalar_real(s);
}

// A matrix of numbers that norms are of; NULL with the error set.
static const oyi_tensor* check_matrix(oy_object* a, const char* name) {
  const oyi_tensor* t = oyi_tensor_of(a);
  if (!t) return NULL;
  if (t->ndim < 2) {
    OY_FAIL(INVALID_ARGUMENT, "%s: The input tensor A must have at least 2 dimensions.",
            name);
    return NULL;
  }
  if (oy_dtype_is_floating(a->dtype) || oy_dtype_is_complex(a->dtype)) return t;
  OY_FAIL(INVALID_ARGUMENT,
          "%s: Expected a floating point or complex tensor as input. Got %s", name,
          oy_dtype_pytorch_name(a->dtype));
  return NULL;
}

// ------------------------------------------------------------------------- norms

typedef struct matrix_dims {
  int64_t rows, columns, ndim;
} matrix_dims;

static oy_status read_dims(const oyi_tensor* t, oy_ints dim, matrix_dims* out) {
  OY_CHECK(dim.size == 2, INVALID_ARGUMENT,
           "linalg.matrix_norm: dim must be a 2-tuple. Got %s", oyi_dims_print(dim).text);
  out->ndim = t->ndim;
  out->rows = oyi_dim_wrap(dim.data[0], t->ndim);
  out->columns = oyi_dim_wrap(dim.data[1], t->ndim);
  if (out->rows < 0 || out->columns < 0) return oy_failure();
  OY_CHECK(out->rows != out->columns, INVALID_ARGUMENT,
           "linalg.matrix_norm: dims must be different. Got (%lld, %lld)",
           (long long)dim.data[0], (long long)dim.data[1]);
  return OY_OK;
}

static oy_object* as_dtype(oy_object* a, oy_value dtype) {
  if (dtype.tag == OY_TAG_NONE || dtype.as.i == a->dtype) return oy_tensor_retain(a);
  return oyi_call_to_dtype(a, (oy_dtype)dtype.as.i, false, false, oy_none());
}

// Singular values of the matrices in two dimensions of |a|, along a new last one.
static oy_object* values_of(oy_object* a, const matrix_dims* d) {
  const int64_t from[2] = {d->rows, d->columns}, to[2] = {-2, -1};
  oy_object* turned = oyi_call_movedim_intlist(a, (oy_ints){from, 2}, (oy_ints){to, 2});
  oy_object* values = turned ? oyi_call_linalg_svdvals(turned, oy_none()) : NULL;
  oy_tensor_release(turned);
  return values;
}

// Puts two dimensions of size 1 back, the first of them first.
static oy_object* with_dims(oy_object* result, const matrix_dims* d, bool keepdim) {
  if (!result || !keepdim) return result;
  int64_t a = d->rows < d->columns ? d->rows : d->columns;
  int64_t b = d->rows < d->columns ? d->columns : d->rows;
  oy_object* one = oyi_call_unsqueeze(result, a);
  oy_object* both = one ? oyi_call_unsqueeze(one, b) : NULL;
  oy_tensor_release(one);
  oy_tensor_release(result);
  return both;
}

static oy_object* extreme(oy_object* a, int64_t dim, bool keepdim, bool greatest) {
  oy_ints dims = {&dim, 1};
  return greatest ? oyi_call_amax(a, dims, keepdim) : oyi_call_amin(a, dims, keepdim);
}

static oy_object* spectral_norm(oy_object* a, const matrix_dims* d, bool keepdim,
                                bool greatest) {
  oy_object* values = values_of(a, d);
  oy_object* result = values ? extreme(values, -1, false, greatest) : NULL;
  oy_tensor_release(values);
  return with_dims(result, d, keepdim);
}

// The greatest or least sum of the absolute values along |sums|.
static oy_object* sums_norm(oy_object* a, int64_t sums, int64_t over, bool keepdim,
                            bool greatest) {
  oy_ints along = {&sums, 1};
  oy_object* added =
      oyi_call_linalg_vector_norm(a, oy_float(1), along, keepdim, oy_none());
  if (!keepdim && over > sums) over--;
  oy_object* result = added ? extreme(added, over, keepdim, greatest) : NULL;
  oy_tensor_release(added);
  return result;
}

OYI_COMPOSITE(linalg_matrix_norm) {
  const oyi_tensor* t = check_matrix(self, "linalg.matrix_norm");
  matrix_dims d;
  if (!t || read_dims(t, dim, &d) != 0) return NULL;
  double order = number_of(ord), size = fabs(order);
  if (size != 1 && size != 2 && !isinf(size)) {
    OY_FAIL(INVALID_ARGUMENT, "linalg.matrix_norm: Order %g not supported.", order);
    return NULL;
  }
  oy_object* a = as_dtype(self, dtype);
  oy_object* result = NULL;
  if (a && size == 2)
    result = spectral_norm(a, &d, keepdim, order > 0);
  else if (a && size == 1)
    result = sums_norm(a, d.rows, d.columns, keepdim, order > 0);
  else if (a)
    result = sums_norm(a, d.columns, d.rows, keepdim, order > 0);
  oy_tensor_release(a);
  return result;
}
OYI_COMPOSITE(linalg_matrix_norm_out) {
  return oyi_into_exact_out(out,
                            oyi_call_linalg_matrix_norm(self, ord, dim, keepdim, dtype));
}

OYI_COMPOSITE(linalg_matrix_norm_str_ord) {
  const oyi_tensor* t = check_matrix(self, "linalg.matrix_norm");
  matrix_dims d;
  if (!t || read_dims(t, dim, &d) != 0) return NULL;
  bool nuclear = oy_str_equal(ord, oy_str_of("nuc"));
  if (!nuclear && !oy_str_equal(ord, oy_str_of("fro"))) {
    OY_FAIL(INVALID_ARGUMENT, "linalg.matrix_norm: Order %.*s not supported.",
            OY_STR_ARG(ord));
    return NULL;
  }
  if (!nuclear) return oyi_call_linalg_vector_norm(self, oy_int(2), dim, keepdim, dtype);
  oy_object* a = as_dtype(self, dtype);
  oy_object* values = a ? values_of(a, &d) : NULL;
  const int64_t last = -1;
  oy_object* result =
      values ? oyi_call_sum_dim_IntList(values, (oy_ints){&last, 1}, false, oy_none())
             : NULL;
  oy_tensor_release(values);
  oy_tensor_release(a);
  return with_dims(result, &d, keepdim);
}
OYI_COMPOSITE(linalg_matrix_norm_str_ord_out) {
  return oyi_into_exact_out(
      out, oyi_call_linalg_matrix_norm_str_ord(self, ord, dim, keepdim, dtype));
}

static oy_status check_norm_dims(const oyi_tensor* t, oy_ints dims, bool has_order) {
  if (dims.data) {
    OY_CHECK(dims.size == 1 || dims.size == 2, INVALID_ARGUMENT,
             "linalg.norm: If dim is specified, it must be of length 1 or 2. Got %s",
             oyi_dims_print(dims).text);
  } else if (has_order) {
    OY_CHECK(
        t->ndim == 1 || t->ndim == 2, INVALID_ARGUMENT,
        "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. "
        "Got %dD.",
        t->ndim);
  }
  return OY_OK;
}

static const int64_t g_both[2] = {0, 1};

OYI_COMPOSITE(linalg_norm) {
  const oyi_tensor* t = oyi_tensor_of(self);
  bool has_order = ord.tag != OY_TAG_NONE, has_dim = dim.data != NULL;
  if (!t || check_norm_dims(t, dim, has_order) != 0) return NULL;
  oy_ints dims = has_dim ? dim : (oy_ints){g_both, 2};
  if (has_order && dims.size == 2 && (has_dim || t->ndim == 2))
    return oyi_call_linalg_matrix_norm(self, ord, dims, keepdim, dtype);
  return oyi_call_linalg_vector_norm(self, has_order ? ord : oy_int(2), dim, keepdim,
                                     dtype);
}
OYI_COMPOSITE(linalg_norm_out) {
  return oyi_into_exact_out(out, oyi_call_linalg_norm(self, ord, dim, keepdim, dtype));
}
OYI_COMPOSITE(linalg_norm_ord_str) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t || check_norm_dims(t, dim, true) != 0) return NULL;
  oy_ints dims = dim.data ? dim : (oy_ints){g_both, 2};
  return oyi_call_linalg_matrix_norm_str_ord(self, ord, dims, keepdim, dtype);
}
OYI_COMPOSITE(linalg_norm_ord_str_out) {
  return oyi_into_exact_out(out,
                            oyi_call_linalg_norm_ord_str(self, ord, dim, keepdim, dtype));
}

static const int64_t g_last[2] = {-2, -1};

OYI_COMPOSITE(nuclear_norm) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (t->ndim != 2) {
    OY_FAIL(INVALID_ARGUMENT,
            "Expected a tensor with 2 dimensions, but got a tensor with %d dimension%s "
            "instead.",
            t->ndim, t->ndim == 1 ? "" : "s");
    return NULL;
  }
  return oyi_call_linalg_matrix_norm_str_ord(self, oy_str_of("nuc"), (oy_ints){g_last, 2},
                                             keepdim, oy_none());
}
OYI_COMPOSITE(nuclear_norm_out) {
  return oyi_into_exact_out(out, oyi_call_nuclear_norm(self, keepdim));
}
OYI_COMPOSITE(nuclear_norm_dim) {
  return oyi_call_linalg_matrix_norm_str_ord(self, oy_str_of("nuc"), dim, keepdim,
                                             oy_none());
}
OYI_COMPOSITE(nuclear_norm_dim_out) {
  return oyi_into_exact_out(out, oyi_call_nuclear_norm_dim(self, dim, keepdim));
}

// --------------------------------------------------------------------- condition

static oy_object* ratio(oy_object* self, bool least_over_greatest) {
  oyi_held h = {0};
  oy_object* values = HOLD(oyi_call_linalg_svdvals(self, oy_none()));
  oy_object* most = values ? HOLD(oyi_call_narrow(values, -1, 0, 1)) : NULL;
  oy_object* least = most ? HOLD(oyi_call_narrow(values, -1, -1, 1)) : NULL;
  oy_object* quotient = HOLD(least_over_greatest ? oyi_call_div_Tensor(least, most)
                                                 : oyi_call_div_Tensor(most, least));
  return oyi_held_end(&h, quotient ? oyi_call_squeeze_dim(quotient, -1) : NULL);
}

// The inverse, infinite where there is none.
static oy_object* inverse_of(oy_object* self) {
  oyi_held h = {0};
  oy_object *inverse, *info;
  if (oyi_call_linalg_inv_ex(self, false, &inverse, &info) != 0) return NULL;
  HOLD(inverse);
  HOLD(info);
  oy_object* wrong = HOLD(oyi_call_ne_Scalar(info, oy_int(0)));
  oy_object* row = HOLD(oyi_call_unsqueeze(wrong, -1));
  oy_object* matrix = HOLD(oyi_call_unsqueeze(row, -1));
  return oyi_held_end(&h,
                      oyi_call_masked_fill_Scalar(inverse, matrix, oy_float(INFINITY)));
}

static bool check_condition(oy_object* self) {
  const oyi_tensor* t = check_matrix(self, "linalg.cond");
  if (t && t->sizes[t->ndim - 1] == t->sizes[t->ndim - 2]) return true;
  if (t)
    OY_FAIL(
        INVALID_ARGUMENT,
        "linalg.cond: A must be batches of square matrices, but they are %lld by %lld "
        "matrices",
        (long long)t->sizes[t->ndim - 2], (long long)t->sizes[t->ndim - 1]);
  return false;
}

// Of matrices without elements: zeros for the batch.
static oy_object* zeros_for_batch(oy_object* self, const oyi_tensor* t) {
  const oy_dtype real = oyi_real_dtype(self->dtype);
  return oyi_call_new_zeros(self, (oy_ints){t->sizes, t->ndim - 2u}, oy_int(real),
                            oy_none(), oy_none(), oy_none());
}

#define NORMS(call_self, call_inverse)                         \
  oyi_held h = {0};                                            \
  oy_object* inverse = HOLD(inverse_of(self));                 \
  oy_object* of_self = inverse ? HOLD(call_self) : NULL;       \
  oy_object* of_inverse = of_self ? HOLD(call_inverse) : NULL; \
  return oyi_held_end(&h, of_inverse ? oyi_call_mul_Tensor(of_self, of_inverse) : NULL)

OYI_COMPOSITE(linalg_cond) {
  const oyi_tensor* t = check_matrix(self, "linalg.cond");
  if (!t) return NULL;
  double order = p.tag == OY_TAG_NONE ? 2 : number_of(p);
  if (t->numel == 0 && fabs(order) == 2) return zeros_for_batch(self, t);
  if (fabs(order) == 2) return ratio(self, order < 0);
  if (!check_condition(self)) return NULL;
  if (t->numel == 0) return zeros_for_batch(self, t);
  oy_ints dims = {g_last, 2};
  NORMS(oyi_call_linalg_matrix_norm(self, p, dims, false, oy_none()),
        oyi_call_linalg_matrix_norm(inverse, p, dims, false, oy_none()));
}
OYI_COMPOSITE(linalg_cond_out) {
  return oyi_into_exact_out(out, oyi_call_linalg_cond(self, p));
}
OYI_COMPOSITE(linalg_cond_p_str) {
  const oyi_tensor* t = check_matrix(self, "linalg.cond");
  if (!t || !check_condition(self)) return NULL;
  if (t->numel == 0) return zeros_for_batch(self, t);
  oy_ints dims = {g_last, 2};
  NORMS(oyi_call_linalg_matrix_norm_str_ord(self, p, dims, false, oy_none()),
        oyi_call_linalg_matrix_norm_str_ord(inverse, p, dims, false, oy_none()));
}
OYI_COMPOSITE(linalg_cond_p_str_out) {
  return oyi_into_exact_out(out, oyi_call_linalg_cond_p_str(self, p));
}

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
  out[0] = atol.tag == OY_TAG_NONE ? 0 : number_of(atol);
  if (rtol.tag != OY_TAG_NONE)
    out[1] = number_of(rtol);
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

static oy_object* rank_of(oy_object* self, oy_object* atol, oy_object* rtol,
                          bool hermitian) {
  const oyi_tensor* t = check_matrix(self, "linalg.matrix_rank");
  if (!t) return NULL;
  if (t->numel == 0)
    return oyi_call_new_zeros(self, (oy_ints){t->sizes, t->ndim - 2u},
                              oy_int(OY_DTYPE_I64), oy_none(), oy_none(), oy_none());
  oyi_held h = {0};
  spectrum s;
  oy_object* result = NULL;
  if (fill_tolerances(&h, self, &atol, &rtol) == 0 &&
      take_apart(&h, self, hermitian, false, &s) == 0) {
    oy_object* greatest = HOLD(oyi_call_amax(s.sizes, (oy_ints){&g_minus_one, 1}, true));
    oy_object* least = greatest ? tolerance(&h, atol, rtol, greatest) : NULL;
    oy_object* counts = least ? HOLD(oyi_call_gt_Tensor(s.sizes, least)) : NULL;
    if (counts)
      result =
          oyi_call_sum_dim_IntList(counts, (oy_ints){&g_minus_one, 1}, false, oy_none());
  }
  return oyi_held_end(&h, result);
}

OYI_COMPOSITE(linalg_matrix_rank_atol_rtol_tensor) {
  return rank_of(input, atol, rtol, hermitian);
}
OYI_COMPOSITE(linalg_matrix_rank_atol_rtol_tensor_out) {
  return oyi_into_exact_out(out, rank_of(input, atol, rtol, hermitian));
}
OYI_COMPOSITE(linalg_matrix_rank_atol_rtol_float) {
  if (!check_matrix(self, "linalg.matrix_rank")) return NULL;
  oyi_held h = {0};
  double numbers[2];
  read_tolerances(self, atol, rtol, numbers);
  oy_object* a = HOLD(number_tensor(self, numbers[0]));
  oy_object* r = HOLD(number_tensor(self, numbers[1]));
  return oyi_held_end(
      &h, a && r ? oyi_call_linalg_matrix_rank_atol_rtol_tensor(self, a, r, hermitian)
                 : NULL);
}
OYI_COMPOSITE(linalg_matrix_rank_atol_rtol_float_out) {
  return oyi_into_exact_out(
      out, oyi_call_linalg_matrix_rank_atol_rtol_float(self, atol, rtol, hermitian));
}
OYI_COMPOSITE(linalg_matrix_rank) {
  return oyi_call_linalg_matrix_rank_atol_rtol_float(self, oy_float(tol), oy_float(0),
                                                     hermitian);
}
OYI_COMPOSITE(linalg_matrix_rank_out) {
  return oyi_into_exact_out(out, oyi_call_linalg_matrix_rank(self, tol, hermitian));
}
OYI_COMPOSITE(linalg_matrix_rank_tol_tensor) {
  oyi_held h = {0};
  oy_object* zero = HOLD(number_tensor(input, 0));
  return oyi_held_end(
      &h, zero ? oyi_call_linalg_matrix_rank_atol_rtol_tensor(input, tol, zero, hermitian)
               : NULL);
}
OYI_COMPOSITE(linalg_matrix_rank_out_tol_tensor) {
  return oyi_into_exact_out(
      out, oyi_call_linalg_matrix_rank_tol_tensor(input, tol, hermitian));
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
  const oyi_tensor* t = check_matrix(self, "linalg.pinv");
  if (!t || !atol || !rtol) return NULL;
  if (t->numel == 0) return empty_inverse(self, t);
  oyi_held h = {0};
  spectrum s;
  oy_object* result = NULL;
  if (fill_tolerances(&h, self, &atol, &rtol) == 0 &&
      take_apart(&h, self, hermitian, true, &s) == 0) {
    oy_object* greatest = HOLD(oyi_call_amax(s.sizes, (oy_ints){&g_minus_one, 1}, true));
    oy_object* least = greatest ? tolerance(&h, atol, rtol, greatest) : NULL;
    if (least) result = put_together(&h, &s, least, self->dtype);
  }
  return oyi_held_end(&h, result);
}
OYI_COMPOSITE(linalg_pinv_atol_rtol_tensor_out) {
  return oyi_into_exact_out(
      out, oyi_call_linalg_pinv_atol_rtol_tensor(self, atol, rtol, hermitian));
}
OYI_COMPOSITE(linalg_pinv_atol_rtol_float) {
  if (!check_matrix(self, "linalg.pinv")) return NULL;
  oyi_held h = {0};
  double numbers[2];
  read_tolerances(self, atol, rtol, numbers);
  oy_object* a = HOLD(number_tensor(self, numbers[0]));
  oy_object* r = HOLD(number_tensor(self, numbers[1]));
  return oyi_held_end(
      &h, a && r ? oyi_call_linalg_pinv_atol_rtol_tensor(self, a, r, hermitian) : NULL);
}
OYI_COMPOSITE(linalg_pinv_atol_rtol_float_out) {
  return oyi_into_exact_out(
      out, oyi_call_linalg_pinv_atol_rtol_float(self, atol, rtol, hermitian));
}
OYI_COMPOSITE(linalg_pinv) {
  return oyi_call_linalg_pinv_atol_rtol_float(self, oy_float(0), oy_float(rcond),
                                              hermitian);
}
OYI_COMPOSITE(linalg_pinv_out) {
  return oyi_into_exact_out(out, oyi_call_linalg_pinv(self, rcond, hermitian));
}
OYI_COMPOSITE(linalg_pinv_rcond_tensor) {
  oyi_held h = {0};
  oy_object* zero = HOLD(number_tensor(self, 0));
  return oyi_held_end(
      &h,
      zero ? oyi_call_linalg_pinv_atol_rtol_tensor(self, zero, rcond, hermitian) : NULL);
}
OYI_COMPOSITE(linalg_pinv_out_rcond_tensor) {
  return oyi_into_exact_out(out,
                            oyi_call_linalg_pinv_rcond_tensor(self, rcond, hermitian));
}
OYI_COMPOSITE(pinverse) {
  return oyi_call_linalg_pinv(self, rcond, false);
}
