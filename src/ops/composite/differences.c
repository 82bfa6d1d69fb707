// SPDX-License-Identifier: Apache-2.0
// Differences of neighbours, and integrals by the trapezoidal rule.
#include "ops/calls.h"
#include "ops/composite/held.h"
#include "ops/kernels.h"
#include "ops/made.h"
#include "ops/out.h"
#include "tensor/element.h"
#include "tensor/impl.h"

#define HOLD(...) oyi_hold(&h, __VA_ARGS__)
#define ONE       oy_int(1)

// -------------------------------------------------------------------------- diff

static oy_status check_piece(const oyi_tensor* t, oy_object* piece, int64_t dim) {
  if (!oyi_is_optional(piece)) return oy_failure();
  if (piece == &oy_none_object) return OY_OK;
  const oyi_tensor* p = oyi_tensor_cast(piece);
  OY_CHECK(p->ndim == t->ndim, INVALID_ARGUMENT,
           "diff expects prepend or append to be the same dimension as input");
  for (size_t d = 0; d < t->ndim; d++)
    OY_CHECK((int64_t)d == dim || p->sizes[d] == t->sizes[d], INVALID_ARGUMENT,
             "diff expects the shape of tensor to prepend or append to match that of "
             "input except along the differencing dimension; input.size(%zu) = %lld, but "
             "got tensor.size(%zu) = %lld",
             d, (long long)t->sizes[d], d, (long long)p->sizes[d]);
  return OY_OK;
}

static oy_status check_diff(oy_object* self, int64_t n, int64_t* dim, oy_object* prepend,
                            oy_object* append) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_failure();
  OY_CHECK(t->ndim >= 1, INVALID_ARGUMENT,
           "diff expects input to be at least one-dimensional");
  OY_CHECK(n >= 0, INVALID_ARGUMENT, "order must be non-negative but got %lld",
           (long long)n);
  *dim = oyi_dim_wrap(*dim, t->ndim);
  if (*dim < 0) return oy_failure();
  OY_TRY(check_piece(t, prepend, *dim));
  return check_piece(t, append, *dim);
}

static oy_object* less(oy_object* after, oy_object* before, oy_object* out) {
  if (oyi_tensor_cast(after)->header.dtype == OY_DTYPE_BOOL)
    return out ? oyi_call_logical_xor_out(after, before, out)
               : oyi_call_logical_xor(after, before);
  return out ? oyi_call_sub_out(after, before, ONE, out)
             : oyi_call_sub_Tensor(after, before, ONE);
}

// Each element of |dim| less the one before it; |out| NULL: in a new tensor.
static oy_object* step(oy_object* self, int64_t dim, oy_object* out) {
  oyi_held h = {0};
  const int64_t count = oyi_tensor_cast(self)->sizes[dim] - 1;
  oy_object* after = HOLD(oyi_call_narrow(self, dim, 1, count));
  oy_object* before = after ? HOLD(oyi_call_narrow(self, dim, 0, count)) : NULL;
  return oyi_held_end(&h, before ? less(after, before, out) : NULL);
}

// |n| times; the last ones go into |out|, unless it is NULL.
static oy_object* differences(oy_object* self, int64_t n, int64_t dim, oy_object* out) {
  const int64_t size = oyi_tensor_cast(self)->sizes[dim];
  if (n > size) n = size;
  if (n == 0) {
    oy_object* copy = oyi_call_clone(self, oy_none());
    return out ? oyi_into_out(copy, out) : copy;
  }
  oy_object* result = oy_tensor_retain(self);
  for (int64_t i = 1; i <= n && result; i++) {
    oy_object* next = step(result, dim, i == n ? out : NULL);
    oy_tensor_release(result);
    result = next;
  }
  return result;
}

// With what comes before and after it: |self| retained, a new tensor, or NULL.
static oy_object* whole_line(oy_object* self, int64_t n, int64_t dim, oy_object* prepend,
                             oy_object* append) {
  oy_object* parts[3];
  size_t count = 0;
  if (prepend != &oy_none_object) parts[count++] = prepend;
  parts[count++] = self;
  if (append != &oy_none_object) parts[count++] = append;
  if (count == 1 || n == 0) return oy_tensor_retain(self);
  return oyi_call_cat((oy_tensors){parts, count}, dim);
}

static oy_object* diff_of(oy_object* self, int64_t n, int64_t dim, oy_object* prepend,
                          oy_object* append, oy_object* out) {
  if (check_diff(self, n, &dim, prepend, append) != 0) return NULL;
  oyi_held h = {0};
  oy_object* all = HOLD(whole_line(self, n, dim, prepend, append));
  return oyi_held_end(&h, all ? differences(all, n, dim, out) : NULL);
}
OYI_COMPOSITE(diff) {
  return diff_of(self, n, dim, prepend, append, NULL);
}
OYI_COMPOSITE(diff_out) {
  return oyi_tensor_of(out) ? diff_of(self, n, dim, prepend, append, out) : NULL;
}

// --------------------------------------------------------------------- trapezoid

static oy_status check_bools(oy_object* y, oy_object* x, const char* name) {
  if (!oyi_tensor_of(y)) return oy_failure();
  if (!x) {
    OY_CHECK(y->dtype != OY_DTYPE_BOOL, TYPE_MISMATCH,
             "%s: received a bool input for `y`, but bool is not supported", name);
    return OY_OK;
  }
  if (!oyi_tensor_of(x)) return oy_failure();
  OY_CHECK(y->dtype != OY_DTYPE_BOOL && x->dtype != OY_DTYPE_BOOL, TYPE_MISMATCH,
           "%s: received a bool input for `x` or `y`, but bool is not supported", name);
  return OY_OK;
}

// Zeros of the shape without |dim|.
static oy_object* zeros_without(oy_object* y, int64_t dim) {
  const oyi_tensor* t = oyi_tensor_cast(y);
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  size_t n = 0;
  for (size_t d = 0; d < t->ndim; d++)
    if ((int64_t)d != dim) sizes[n++] = t->sizes[d];
  return oyi_call_zeros((oy_ints){sizes, n}, oy_int(y->dtype), oy_none(),
                        oy_value_device(oyi_tensor_device(t)), oy_none());
}

static oy_object* ends(oyi_held* h, oy_object* t, int64_t dim, bool is_right) {
  return oyi_hold(h, is_right ? oyi_call_slice_Tensor(t, dim, ONE, oy_none(), 1)
                              : oyi_call_slice_Tensor(t, dim, oy_int(0), oy_int(-1), 1));
}

// Sums of neighbours along |dim|.
static oy_object* neighbours(oyi_held* h, oy_object* y, int64_t dim) {
  oy_object* left = ends(h, y, dim, false);
  oy_object* right = left ? ends(h, y, dim, true) : NULL;
  return oyi_hold(h, oyi_call_add_Tensor(left, right, ONE));
}

// The distances of the places |x|, of the rank of |y|.
static oy_object* distances(oyi_held* h, oy_object* x, oy_object* y, int64_t dim,
                            const char* name) {
  const oyi_tensor *t = oyi_tensor_cast(y), *at = oyi_tensor_cast(x);
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  if (at->ndim == 1 && at->sizes[0] != t->sizes[dim]) {
    OY_FAIL(INVALID_ARGUMENT, "%s: There must be one `x` value for each sample point",
            name);
    return NULL;
  }
  for (size_t d = 0; d < t->ndim; d++) sizes[d] = 1;
  if (at->ndim == 1)
    sizes[dim] = at->sizes[0];
  else if (at->ndim < t->ndim)
    memcpy(sizes + t->ndim - at->ndim, at->sizes, at->ndim * sizeof(int64_t));
  if (at->ndim < t->ndim) x = oyi_hold(h, oyi_call_view(x, (oy_ints){sizes, t->ndim}));
  oy_object* left = x ? ends(h, x, dim, false) : NULL;
  oy_object* right = left ? ends(h, x, dim, true) : NULL;
  return oyi_hold(h, oyi_call_sub_Tensor(right, left, ONE));
}

// |dim| in range, or -1: a tensor without dimensions has none.
static int64_t sample_dim(oy_object* y, int64_t dim) {
  const oyi_tensor* t = oyi_tensor_cast(y);
  if (t->ndim > 0) return oyi_dim_wrap(dim, t->ndim);
  OY_FAIL(OUT_OF_RANGE, "Dimension specified as %lld but tensor has no dimensions",
          (long long)dim);
  return -1;
}

OYI_COMPOSITE(trapezoid_x) {
  const int64_t d = oyi_tensor_of(y) ? sample_dim(y, dim) : -1;
  if (d < 0) return NULL;
  if (oyi_tensor_cast(y)->sizes[d] == 0) return zeros_without(y, d);  // of bools, too
  if (check_bools(y, x, "trapezoid") != 0) return NULL;
  oyi_held h = {0};
  oy_object* width = distances(&h, x, y, d, "trapezoid");
  oy_object* sums = width ? neighbours(&h, y, d) : NULL;
  oy_object* areas = HOLD(oyi_call_mul_Tensor(sums, width));
  oy_object* total =
      areas ? HOLD(oyi_call_sum_dim_IntList(areas, OY_DIMS(d), false, oy_none())) : NULL;
  return oyi_held_end(&h, oyi_call_div_Scalar(total, oy_float(2)));
}

OYI_COMPOSITE(trapezoid_dx) {
  const int64_t d = oyi_tensor_of(y) ? sample_dim(y, dim) : -1;
  if (d < 0) return NULL;
  if (oyi_tensor_cast(y)->sizes[d] == 0) return zeros_without(y, d);  // of bools, too
  if (check_bools(y, NULL, "trapezoid") != 0) return NULL;
  oyi_held h = {0};
  oy_object* sum = HOLD(oyi_call_sum_dim_IntList(y, OY_DIMS(d), false, oy_none()));
  oy_object* first = HOLD(oyi_call_select_int(y, d, 0));
  oy_object* last = HOLD(oyi_call_select_int(y, d, -1));
  oy_object* both = HOLD(oyi_call_add_Tensor(first, last, ONE));
  oy_object* half = HOLD(oyi_call_mul_Scalar(both, oy_float(0.5)));
  oy_object* inner = HOLD(oyi_call_sub_Tensor(sum, half, ONE));
  return oyi_held_end(&h, oyi_call_mul_Scalar(inner, dx));
}

OYI_COMPOSITE(trapz_x) {
  return oyi_call_trapezoid_x(y, x, dim);
}
OYI_COMPOSITE(trapz_dx) {
  return oyi_call_trapezoid_dx(y, oy_float(dx), dim);
}

OYI_COMPOSITE(cumulative_trapezoid_x) {
  if (check_bools(y, x, "cumulative_trapezoid") != 0) return NULL;
  const int64_t d = sample_dim(y, dim);
  if (d < 0) return NULL;
  oyi_held h = {0};
  oy_object* width = distances(&h, x, y, d, "cumulative_trapezoid");
  oy_object* sums = width ? neighbours(&h, y, d) : NULL;
  oy_object* areas = HOLD(oyi_call_mul_Tensor(sums, width));
  oy_object* total = areas ? HOLD(oyi_call_cumsum(areas, d, oy_none())) : NULL;
  return oyi_held_end(&h, oyi_call_div_Scalar(total, oy_float(2)));
}

OYI_COMPOSITE(cumulative_trapezoid_dx) {
  if (check_bools(y, NULL, "cumulative_trapezoid") != 0) return NULL;
  const int64_t d = sample_dim(y, dim);
  if (d < 0) return NULL;
  if (dx.tag == OY_TAG_COMPLEX) {
    OY_FAIL(TYPE_MISMATCH, "cumulative_trapezoid: expected a real dx");
    return NULL;
  }
  oyi_held h = {0};
  const double width = oyi_scalar_real(dx);
  oy_object* sums = neighbours(&h, y, d);
  oy_object* areas = HOLD(oyi_call_mul_Scalar(sums, oy_float(width / 2)));
  return oyi_held_end(&h, areas ? oyi_call_cumsum(areas, d, oy_none()) : NULL);
}
