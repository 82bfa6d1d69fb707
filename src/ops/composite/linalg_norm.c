// SPDX-License-Identifier: Apache-2.0
// Norms of matrices, and the condition that is made of them.
#include <math.h>

#include "ops/calls.h"
#include "ops/composite/held.h"
#include "ops/kernels.h"
#include "ops/out.h"
#include "ops/out_form.h"
#include "ops/rules/matrix.h"
#include "ops/rules/rules.h"
#include "ops/rules/shape.h"
#include "tensor/element.h"
#include "tensor/impl.h"
#include "tensor/promotion.h"

#define HOLD(...) oyi_hold(&h, __VA_ARGS__)

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
  const oyi_tensor* t = oyi_check_numbers(self, "linalg.matrix_norm");
  matrix_dims d;
  if (!t || read_dims(t, dim, &d) != 0) return NULL;
  double order = oyi_scalar_real(ord), size = fabs(order);
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
// |result|, whose reference it takes, of the same dtype alone.
static oy_object* into_norm(oy_object* out, oy_object* result, const char* name) {
  if (!result) return NULL;
  if (!oyi_tensor_of(out) || out->dtype == result->dtype)
    return oyi_into_exact_out(out, result);
  OY_FAIL(TYPE_MISMATCH, "%s expected out tensor dtype %s but got: %s", name,
          oy_dtype_pytorch_name(result->dtype), oy_dtype_pytorch_name(out->dtype));
  oy_tensor_release(result);
  return NULL;
}

OYI_COMPOSITE(linalg_matrix_norm_out) {
  return into_norm(out, oyi_call_linalg_matrix_norm(self, ord, dim, keepdim, dtype),
                   "linalg.matrix_norm");
}

OYI_COMPOSITE(linalg_matrix_norm_str_ord) {
  const oyi_tensor* t = oyi_check_numbers(self, "linalg.matrix_norm");
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
  return into_norm(out,
                   oyi_call_linalg_matrix_norm_str_ord(self, ord, dim, keepdim, dtype),
                   "linalg.matrix_norm");
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
  return into_norm(out, oyi_call_linalg_norm(self, ord, dim, keepdim, dtype),
                   "linalg.norm");
}
OYI_COMPOSITE(linalg_norm_ord_str) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t || check_norm_dims(t, dim, true) != 0) return NULL;
  oy_ints dims = dim.data ? dim : (oy_ints){g_both, 2};
  return oyi_call_linalg_matrix_norm_str_ord(self, ord, dims, keepdim, dtype);
}
OYI_COMPOSITE(linalg_norm_ord_str_out) {
  return into_norm(out, oyi_call_linalg_norm_ord_str(self, ord, dim, keepdim, dtype),
                   "linalg.norm");
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
  return oyi_into_out(oyi_call_nuclear_norm(self, keepdim), out);
}
OYI_COMPOSITE(nuclear_norm_dim) {
  return oyi_call_linalg_matrix_norm_str_ord(self, oy_str_of("nuc"), dim, keepdim,
                                             oy_none());
}
OYI_COMPOSITE(nuclear_norm_dim_out) {
  return oyi_into_out(oyi_call_nuclear_norm_dim(self, dim, keepdim), out);
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
  const oyi_tensor* t = oyi_check_numbers(self, "linalg.cond");
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
  const oyi_tensor* t = oyi_check_numbers(self, "linalg.cond");
  if (!t) return NULL;
  double order = p.tag == OY_TAG_NONE ? 2 : oyi_scalar_real(p);
  if (t->numel == 0 && fabs(order) == 2) return zeros_for_batch(self, t);
  if (fabs(order) == 2) return ratio(self, order < 0);
  if (!check_condition(self)) return NULL;
  if (t->numel == 0) return zeros_for_batch(self, t);
  oy_ints dims = {g_last, 2};
  NORMS(oyi_call_linalg_matrix_norm(self, p, dims, false, oy_none()),
        oyi_call_linalg_matrix_norm(inverse, p, dims, false, oy_none()));
}
OYI_COMPOSITE(linalg_cond_out) {
  return oyi_into_castable_out(out, oyi_call_linalg_cond(self, p), "linalg.cond",
                               "result", false);
}
OYI_COMPOSITE(linalg_cond_p_str) {
  const oyi_tensor* t = oyi_check_numbers(self, "linalg.cond");
  if (!t || !check_condition(self)) return NULL;
  if (t->numel == 0) return zeros_for_batch(self, t);
  oy_ints dims = {g_last, 2};
  NORMS(oyi_call_linalg_matrix_norm_str_ord(self, p, dims, false, oy_none()),
        oyi_call_linalg_matrix_norm_str_ord(inverse, p, dims, false, oy_none()));
}
OYI_COMPOSITE(linalg_cond_p_str_out) {
  return oyi_into_castable_out(out, oyi_call_linalg_cond_p_str(self, p), "linalg.cond",
                               "result", false);
}
