// SPDX-License-Identifier: Apache-2.0
// isin, frexp, renorm, and one form of mvlgamma.
#include <math.h>
#include <stdlib.h>

#include "backends/cpu/kernels.h"
#include "base/memory.h"
#include "ops/calls.h"
#include "ops/composite/held.h"
#include "ops/out.h"
#include "ops/rules/reduction.h"
#include "ops/rules/rules.h"
#include "ops/rules/shape.h"
#include "tensor/element.h"
#include "tensor/iterator.h"

#define HOLD(...) oyi_hold(&h, __VA_ARGS__)

// ---------------------------------------------------------------------------- isin

static oy_status check_isin(oy_dtype dtype) {
  OY_CHECK(dtype != OY_DTYPE_BOOL && !oy_dtype_is_complex(dtype), TYPE_MISMATCH,
           "Unsupported input type encountered for isin(): %s",
           oy_dtype_pytorch_name(dtype));
  return OY_OK;
}

static int compare_doubles(const void* a, const void* b) {
  double x, y;
  memcpy(&x, a, sizeof(x));
  memcpy(&y, b, sizeof(y));
  return (x > y) - (x < y);
}
static int compare_integers(const void* a, const void* b) {
  int64_t x, y;
  memcpy(&x, a, sizeof(x));
  memcpy(&y, b, sizeof(y));
  return (x > y) - (x < y);
}

// The elements in order, without those that are no numbers: nothing is equal to them.
static size_t in_order(oyi_tensor* tests, bool is_integral) {
  size_t count = (size_t)tests->numel;
  double* x = oyi_data(tests);
  if (!is_integral) {
    count = 0;
    for (int64_t i = 0; i < tests->numel; i++)
      if (x[i] == x[i]) x[count++] = x[i];
  }
  if (count > 1) qsort(x, count, 8, is_integral ? compare_integers : compare_doubles);
  return count;
}

// Whether each number is one of |count| in order, by halves of those that it may be.
#define FIND_BY_HALVES(T)                                                          \
  static void find_by_halves_##T(const T* x, int64_t n, const T* in, size_t count, \
                                 bool invert, uint8_t* out) {                      \
    for (int64_t i = 0; i < n; i++) {                                              \
      const T* at = in;                                                            \
      for (size_t left = count; left > 1; left -= left / 2)                        \
        at = at[left / 2] <= x[i] ? at + left / 2 : at;                            \
      out[i] = (count > 0 && *at == x[i]) != invert;                               \
    }                                                                              \
  }
FIND_BY_HALVES(int64_t)
FIND_BY_HALVES(double)

// Integers that lie near each other have a byte each in a table. False if they do not, or
// there is no memory for it.
static bool find_in_table(const int64_t* x, int64_t n, const int64_t* in, size_t count,
                          bool invert, uint8_t* out) {
  enum { SMALL = 4096 };
  if (count == 0) return false;
  const int64_t first = in[0];
  const uint64_t last = (uint64_t)in[count - 1] - (uint64_t)first;
  if (last >= SMALL && last / 4 >= (uint64_t)n + count) return false;
  uint8_t* table = oyi_calloc(last + 1, 1);
  if (!table) {
    oy_error_clear();
    return false;
  }
  for (size_t i = 0; i < count; i++) table[(uint64_t)in[i] - (uint64_t)first] = 1;
  for (int64_t i = 0; i < n; i++) {
    const uint64_t at = (uint64_t)x[i] - (uint64_t)first;
    out[i] = (at <= last && table[at]) != invert;
  }
  oyi_free(table);
  return true;
}

static void find_each(const oyi_tensor* x, oyi_tensor* tests, bool is_integral,
                      bool invert, uint8_t* out) {
  const size_t count = in_order(tests, is_integral);
  if (is_integral) {
    const int64_t *from = oyi_data(x), *in = oyi_data(tests);
    if (!find_in_table(from, x->numel, in, count, invert, out))
      find_by_halves_int64_t(from, x->numel, in, count, invert, out);
    return;
  }
  find_by_halves_double(oyi_data(x), x->numel, oyi_data(tests), count, invert, out);
}

// Numbers are compared as what both are promoted to has them.
static oyi_tensor* rounded(const oyi_tensor* t, oy_dtype dtype, oy_dtype wide) {
  oyi_tensor* common = oyi_converted(t, dtype);
  oyi_tensor* result = common ? oyi_converted(common, wide) : NULL;
  oy_tensor_release(oyi_tensor_object(common));
  return result;
}

static oy_object* isin(oy_object* elements, oy_object* tests, bool invert,
                       oy_object* given) {
  const oyi_tensor* x = oyi_tensor_of(elements);
  const oyi_tensor* t = x ? oyi_tensor_of(tests) : NULL;
  oy_object* both[] = {elements, tests};
  oy_dtype dtype;
  if (!t || check_isin(elements->dtype) != 0 || check_isin(tests->dtype) != 0 ||
      oyi_check_same_device(x, t) != 0 || oy_result_type(both, 2, &dtype) != 0)
    return NULL;
  oyi_reduction r;
  if (oyi_reduction_begin(&r, elements, oy_dims_none(), false) != 0) return NULL;
  r.ndim = x->ndim;
  for (size_t d = 0; d < x->ndim; d++) r.sizes[d] = x->sizes[d];
  if (oyi_reduction_output(&r, given, OY_DTYPE_BOOL, OYI_OUT_EXACT) != 0) return NULL;
  if (r.meta) return oyi_reduction_end(&r, OY_OK);
  const bool is_integral = oy_dtype_is_integral(dtype, false);
  const oy_dtype wide = is_integral ? OY_DTYPE_I64 : OY_DTYPE_F64;
  oy_status status = oyi_check_memory(t);
  oyi_tensor* a = status == 0 ? rounded(x, dtype, wide) : NULL;
  oyi_tensor* b = a ? rounded(t, dtype, wide) : NULL;
  oyi_tensor* found =
      b ? oyi_tensor_new((oy_ints){r.sizes, r.ndim}, OY_DTYPE_BOOL, oy_device_cpu())
        : NULL;
  if (found && x->numel > 0) {
    find_each(a, b, is_integral, invert, oyi_data(found));
    oyi_convert(r.out[0], found);
  }
  if (!found) status = oy_failure();
  oy_tensor_release(oyi_tensor_object(found));
  oy_tensor_release(oyi_tensor_object(b));
  oy_tensor_release(oyi_tensor_object(a));
  return oyi_reduction_end(&r, status);
}

OYI_CPU(isin_Tensor_Tensor) {
  return isin(elements, test_elements, invert, NULL);
}
OYI_CPU(isin_Tensor_Tensor_out) {
  return isin(elements, test_elements, invert, out);
}

// One number: a comparison.
static oy_object* isin_number(oy_object* elements, oy_scalar number, bool invert,
                              oy_object* out) {
  if (!oyi_tensor_of(elements) || check_isin(elements->dtype) != 0) return NULL;
  if (number.tag == OY_TAG_BOOL || number.tag == OY_TAG_COMPLEX) {
    (void)!check_isin(number.tag == OY_TAG_BOOL ? OY_DTYPE_BOOL : OY_DTYPE_C128);
    return NULL;
  }
  if (out)
    return invert ? oyi_call_ne_Scalar_out(elements, number, out)
                  : oyi_call_eq_Scalar_out(elements, number, out);
  return invert ? oyi_call_ne_Scalar(elements, number)
                : oyi_call_eq_Scalar(elements, number);
}
OYI_CPU(isin_Tensor_Scalar) {
  return isin_number(elements, test_element, invert, NULL);
}
OYI_CPU(isin_Tensor_Scalar_out) {
  return isin_number(elements, test_element, invert, out);
}

static oy_object* number_isin(oy_scalar element, oy_object* tests, bool invert,
                              oy_object* out) {
  const oyi_tensor* t = oyi_tensor_of(tests);
  oy_object* number = t ? oyi_wrap_number(element) : NULL;
  oy_object* there = number && oyi_is_meta(t)
                         ? oyi_call_to_device(number, oyi_tensor_device(t), number->dtype,
                                              false, false, oy_none())
                         : oy_tensor_retain(number);
  oy_object* result = there ? isin(there, tests, invert, out) : NULL;
  oy_tensor_release(there);
  oy_tensor_release(number);
  return result;
}
OYI_CPU(isin_Scalar_Tensor) {
  return number_isin(element, test_elements, invert, NULL);
}
OYI_CPU(isin_Scalar_Tensor_out) {
  return number_isin(element, test_elements, invert, out);
}

// --------------------------------------------------------------------------- frexp

static oy_status check_frexp(oy_object* self, oy_object* mantissa, oy_object* exponent) {
  OY_CHECK(oy_dtype_is_floating(self->dtype), TYPE_MISMATCH,
           "torch.frexp() only supports floating-point dtypes");
  OY_CHECK(mantissa->dtype == self->dtype, TYPE_MISMATCH,
           "torch.frexp() expects mantissa to have dtype %s but got %s",
           oyi_dtype_cpp_name(self->dtype), oyi_dtype_cpp_name(mantissa->dtype));
  OY_CHECK(exponent->dtype == OY_DTYPE_I32, TYPE_MISMATCH,
           "torch.frexp() expects exponent to have int dtype but got %s",
           oyi_dtype_cpp_name(exponent->dtype));
  return OY_OK;
}

// The bits of a number's power are changed for those between 1/2 and 1. Numbers below the
// least normal one are raised first. BITS are those of the fraction, MOST all of the power.
#define SPLIT(name, T, U, BITS, MOST)                                             \
  static void name(const T* x, T* fractions, int32_t* powers, int64_t n) {        \
    enum { HALF = (MOST) / 2 - 1, UP = (BITS) + 9 };                              \
    const U power_bits = (U)(MOST) << (BITS), sign = (U)1 << (sizeof(T) * 8 - 1); \
    const U half_bits = (U)HALF << (BITS);                                        \
    for (int64_t i = 0; i < n; i++) {                                             \
      const T raised = x[i] * (T)((uint64_t)1 << UP);                             \
      U small, bits;                                                              \
      memcpy(&bits, &x[i], sizeof(bits));                                         \
      memcpy(&small, &raised, sizeof(small));                                     \
      const U size = bits & ~sign;                                                \
      const bool is_small = size < (U)1 << (BITS),                                \
                 keeps = size == 0 || size >= power_bits;                         \
      const U from = is_small ? small : bits;                                     \
      const int32_t power =                                                       \
          (int32_t)(from >> (BITS) & (MOST)) - (is_small ? HALF + UP : HALF);     \
      const U found = keeps ? bits : (from & ~power_bits) | half_bits;            \
      powers[i] = keeps ? 0 : power;                                              \
      memcpy(&fractions[i], &found, sizeof(found));                               \
    }                                                                             \
  }
SPLIT(split_f32, float, uint32_t, 23, 255)
SPLIT(split_f64, double, uint64_t, 52, 2047)
#undef SPLIT

static void split_all(const oyi_tensor* t, oyi_tensor* fractions, oyi_tensor* powers) {
  if (t->header.dtype == OY_DTYPE_F32)
    split_f32(oyi_data(t), oyi_data(fractions), oyi_data(powers), t->numel);
  else
    split_f64(oyi_data(t), oyi_data(fractions), oyi_data(powers), t->numel);
}

// By way of copies.
static oy_status write_parts(const oyi_tensor* t, oyi_tensor* mantissa,
                             oyi_tensor* exponent) {
  const bool is_f64 = t->header.dtype == OY_DTYPE_F64;
  oyi_tensor* x = oyi_converted(t, is_f64 ? OY_DTYPE_F64 : OY_DTYPE_F32);
  oyi_tensor* powers =
      x ? oyi_tensor_new(oyi_sizes_view(t), OY_DTYPE_I32, oy_device_cpu()) : NULL;
  if (powers) {
    split_all(x, x, powers);
    oyi_convert(mantissa, x);
    oyi_convert(exponent, powers);
  }
  const oy_status status = powers ? OY_OK : oy_failure();
  oy_tensor_release(oyi_tensor_object(powers));
  oy_tensor_release(oyi_tensor_object(x));
  return status;
}

static oy_status split(const oyi_tensor* t, oyi_tensor* mantissa, oyi_tensor* exponent) {
  const bool is_direct =
      (t->header.dtype == OY_DTYPE_F32 || t->header.dtype == OY_DTYPE_F64) &&
      t->flags & mantissa->flags & exponent->flags & OYI_CONTIGUOUS &&
      !oyi_may_share(t, mantissa) && !oyi_may_share(t, exponent);
  if (!is_direct) return write_parts(t, mantissa, exponent);
  split_all(t, mantissa, exponent);
  return OY_OK;
}

OYI_CPU(frexp_Tensor_out) {
  *out_mantissa = *out_exponent = NULL;
  const oyi_tensor* t = oyi_tensor_of(self);
  oyi_tensor* m = t ? oyi_tensor_of(mantissa) : NULL;
  oyi_tensor* e = m ? oyi_tensor_of(exponent) : NULL;
  if (!e) return oy_failure();
  OY_TRY(check_frexp(self, mantissa, exponent));
  const oy_ints sizes = oyi_sizes_view(t);
  OY_TRY(oyi_output_exact(m, sizes, self->dtype, oyi_tensor_device(t)));
  OY_TRY(oyi_output_exact(e, sizes, OY_DTYPE_I32, oyi_tensor_device(t)));
  OY_TRY(oyi_output_check_overlap(m, &t, 1));
  OY_TRY(oyi_output_check_overlap(e, &t, 1));
  if (t->numel > 0 && !oyi_is_meta(t)) {
    OY_TRY(oyi_check_memory(t));
    OY_TRY(oyi_check_memory(m));
    OY_TRY(oyi_check_memory(e));
    OY_TRY(split(t, m, e));
  }
  *out_mantissa = mantissa;
  *out_exponent = exponent;
  return OY_OK;
}

// -------------------------------------------------------------------------- renorm

static oy_status check_renorm(const oyi_tensor* t, oy_scalar p, int64_t dim,
                              oy_scalar maxnorm) {
  OY_CHECK(p.tag != OY_TAG_COMPLEX, INVALID_ARGUMENT, "renorm: p must be real-valued");
  OY_CHECK(oyi_scalar_real(p) > 0, INVALID_ARGUMENT,
           "renorm: non-positive-norm not supported");
  OY_CHECK(maxnorm.tag != OY_TAG_COMPLEX, INVALID_ARGUMENT,
           "renorm: maxnorm must be real-valued");
  OY_CHECK(oyi_scalar_real(maxnorm) >= 0, INVALID_ARGUMENT,
           "renorm: expected maxnorm to be >= 0 but got %g", oyi_scalar_real(maxnorm));
  OY_CHECK(t->ndim > 1, INVALID_ARGUMENT,
           "renorm: input needs at least 2 dimensions, got %u dimensions", t->ndim);
  return oyi_dim_wrap(dim, t->ndim) < 0 ? oy_failure() : OY_OK;
}

static oy_dtype computed_in(oy_dtype dtype) {
  return dtype == OY_DTYPE_F16 || dtype == OY_DTYPE_BF16 ? OY_DTYPE_F32 : dtype;
}

// What each slice is multiplied by: 1, or what brings its norm down.
static oy_object* factors(oy_object* self, oy_scalar p, int64_t dim, oy_scalar maxnorm) {
  const oyi_tensor* t = oyi_tensor_cast(self);
  int64_t dims[OY_TENSOR_MAX_DIMS];
  size_t count = 0;
  for (int64_t d = 0; d < t->ndim; d++)
    if (d != oyi_dim_wrap(dim, t->ndim)) dims[count++] = d;
  oyi_held h = {0};
  const oy_dtype wide = computed_in(self->dtype);
  oy_value dtype = wide == self->dtype ? oy_none() : oy_int(wide);
  oy_object* norm =
      HOLD(oyi_call_linalg_vector_norm(self, p, (oy_ints){dims, count}, true, dtype));
  oy_object* is_great = norm ? HOLD(oyi_call_gt_Scalar(norm, maxnorm)) : NULL;
  oy_object* safe =
      is_great ? HOLD(oyi_call_add_Scalar(norm, oy_float(1e-7), oy_int(1))) : NULL;
  oy_object* inverse = safe ? HOLD(oyi_call_reciprocal(safe)) : NULL;
  oy_object* factor = inverse ? HOLD(oyi_call_mul_Scalar(inverse, maxnorm)) : NULL;
  return oyi_held_end(
      &h, factor ? oyi_call_where_ScalarOther(is_great, factor, oy_int(1)) : NULL);
}

static oy_object* multiply_into(oy_object* out, oy_object* self, oy_scalar p, int64_t dim,
                                oy_scalar maxnorm) {
  oyi_held h = {0};
  oy_object* by = HOLD(factors(self, p, dim, maxnorm));
  return oyi_held_end(&h, by ? oyi_call_mul_out(self, by, out) : NULL);
}

static oy_object* renorm(oy_object* self, oy_scalar p, int64_t dim, oy_scalar maxnorm) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t || check_renorm(t, p, dim, maxnorm) != 0) return NULL;
  oy_object* own = oyi_tensor_object(
      oyi_tensor_new(oyi_sizes_view(t), self->dtype, oyi_tensor_device(t)));
  oy_object* made = own ? multiply_into(own, self, p, dim, maxnorm) : NULL;
  if (!made) oy_tensor_release(own);
  return made;
}
OYI_CPU(renorm) {
  return renorm(self, p, dim, maxnorm);
}
// What has its dtype and shape is multiplied where it is to lie.
static oy_object* renorm_into(oy_object* out, oy_object* self, oy_scalar p, int64_t dim,
                              oy_scalar maxnorm) {
  const oyi_tensor *t = oyi_tensor_of(self), *to = t ? oyi_tensor_of(out) : NULL;
  if (!to) return NULL;
  if (to->header.dtype != self->dtype ||
      !oyi_same_sizes(oyi_sizes_view(to), oyi_sizes_view(t)))
    return oyi_stored(out, renorm(self, p, dim, maxnorm));
  if (check_renorm(t, p, dim, maxnorm) != 0) return NULL;
  return multiply_into(out, self, p, dim, maxnorm);
}
OYI_CPU(renorm_out) {
  return renorm_into(out, self, p, dim, maxnorm);
}
OYI_CPU(renorm_) {
  return renorm_into(self, self, p, dim, maxnorm);
}

OYI_CPU(mvlgamma_out) {
  oy_object* result = oyi_call_mvlgamma(self, p);
  if (!result || !oyi_tensor_of(out) || oy_dtype_can_cast(result->dtype, out->dtype))
    return oyi_into_out(result, out);
  // PyTorch names the dtype of its result twice.
  OY_FAIL(TYPE_MISMATCH,
          "mvlgamma: result type %s can't be cast to the desired output type %s",
          oy_dtype_pytorch_name(self->dtype), oy_dtype_pytorch_name(result->dtype));
  oy_tensor_release(result);
  return NULL;
}
