// SPDX-License-Identifier: Apache-2.0
// Equations whose unknowns are tensors, and least squares.
#include "ops/calls.h"
#include "ops/composite/held.h"
#include "ops/kernels.h"
#include "ops/out_form.h"
#include "ops/rules/shape.h"

#define HOLD(...) oyi_hold(&h, __VA_ARGS__)

static int64_t product(oy_ints sizes) {
  int64_t result = 1;
  for (size_t i = 0; i < sizes.size; i++) result *= sizes.data[i];
  return result;
}

OYI_COMPOSITE(linalg_tensorinv) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (ind <= 0 || ind > t->ndim) {
    OY_FAIL(INVALID_ARGUMENT,
            "Expected a strictly positive integer for 'ind', but got %lld",
            (long long)ind);
    return NULL;
  }
  oy_ints head = {t->sizes, (size_t)ind}, tail = {t->sizes + ind, t->ndim - (size_t)ind};
  int64_t n = product(tail);
  if (n != product(head)) {
    OY_FAIL(INVALID_ARGUMENT,
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == "
            "prod(self.shape[:ind]), but got %lld != %lld",
            (long long)n, (long long)product(head));
    return NULL;
  }
  int64_t square[2] = {n, n}, sizes[OY_TENSOR_MAX_DIMS];
  memcpy(sizes, tail.data, tail.size * sizeof(int64_t));
  memcpy(sizes + tail.size, head.data, head.size * sizeof(int64_t));
  oyi_held h = {0};
  oy_object* matrix = HOLD(oyi_call_reshape(self, (oy_ints){square, 2}));
  oy_object* inverse = HOLD(oyi_call_linalg_inv(matrix));
  return oyi_held_end(
      &h, inverse ? oyi_call_reshape(inverse, (oy_ints){sizes, t->ndim}) : NULL);
}
OYI_COMPOSITE(linalg_tensorinv_out) {
  return oyi_into_castable_out(out, oyi_call_linalg_tensorinv(self, ind), "tensorinv",
                               "result", true);
}

OYI_COMPOSITE(linalg_tensorsolve) {
  const oyi_tensor *a = oyi_tensor_of(self), *b = a ? oyi_tensor_of(other) : NULL;
  if (!b) return NULL;
  oyi_held h = {0};
  oy_object* moved = self;
  if (dims.data) {
    int64_t to[OY_TENSOR_MAX_DIMS];
    if (dims.size > a->ndim) {
      OY_FAIL(INVALID_ARGUMENT,
              "tensorsolve: expected at most %d dims, one for each dimension of self, "
              "but got "
              "%zu",
              a->ndim, dims.size);
      return NULL;
    }
    for (size_t i = 0; i < dims.size; i++) to[i] = (int64_t)i - (int64_t)dims.size;
    moved = HOLD(oyi_call_movedim_intlist(self, dims, (oy_ints){to, dims.size}));
    if (!moved) return oyi_held_end(&h, NULL);
  }
  a = oyi_tensor_cast(moved);
  if (b->ndim > a->ndim) {
    OY_FAIL(
        INVALID_ARGUMENT,
        "tensorsolve: expected self to have at least as many dimensions as other, but "
        "got %d and %d",
        a->ndim, b->ndim);
    return oyi_held_end(&h, NULL);
  }
  oy_ints result = {a->sizes + b->ndim, a->ndim - (size_t)b->ndim};
  int64_t n = product(result), head = product((oy_ints){a->sizes, b->ndim});
  if (n != head || b->numel != n) {
    OY_FAIL(INVALID_ARGUMENT,
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
            "prod(self.shape[:other.ndim]), but got %lld != %lld",
            (long long)n, (long long)head);
    return oyi_held_end(&h, NULL);
  }
  int64_t square[2] = {n, n};
  oy_object* matrix = HOLD(oyi_call_reshape(moved, (oy_ints){square, 2}));
  oy_object* vector = matrix ? HOLD(oyi_call_reshape(other, (oy_ints){square, 1})) : NULL;
  oy_object* x = vector ? HOLD(oyi_call_linalg_solve(matrix, vector, true)) : NULL;
  return oyi_held_end(&h, x ? oyi_call_reshape(x, result) : NULL);
}
OYI_COMPOSITE(linalg_tensorsolve_out) {
  return oyi_into_castable_out(out, oyi_call_linalg_tensorsolve(self, other, dims),
                               "tensorsolve", "result", false);
}

// ------------------------------------------------------------------ least squares

typedef struct driver_kind {
  bool ranks, values, residuals;
} driver_kind;

static oy_status read_driver(oy_value driver, driver_kind* out) {
  oy_str name = driver.tag == OY_TAG_NONE ? oy_str_of("gelsy")
                                          : (oy_str){driver.as.chars, driver.count};
  bool gels = oy_str_equal(name, oy_str_of("gels"));
  bool gelsy = oy_str_equal(name, oy_str_of("gelsy"));
  bool values =
      oy_str_equal(name, oy_str_of("gelsd")) || oy_str_equal(name, oy_str_of("gelss"));
  OY_CHECK(gels || gelsy || values, INVALID_ARGUMENT,
           "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, "
           "gelss)");
  *out = (driver_kind){!gels, values, !gelsy};
  return OY_OK;
}

static oy_status check_equations(const oyi_tensor* a, const oyi_tensor* b, bool vectors) {
  OY_CHECK(a->ndim >= 2, INVALID_ARGUMENT,
           "torch.linalg.lstsq: input must have at least 2 dimensions.");
  OY_CHECK(b->ndim >= 1, INVALID_ARGUMENT,
           "torch.linalg.lstsq: other must have at least 1 dimension.");
  OY_CHECK(a->header.dtype == b->header.dtype, TYPE_MISMATCH,
           "torch.linalg.lstsq: Expected input and other to have the same dtype, but got "
           "input's dtype %s and other's dtype %s",
           oy_dtype_pytorch_name(a->header.dtype),
           oy_dtype_pytorch_name(b->header.dtype));
  OY_CHECK(a->sizes[a->ndim - 2] == b->sizes[b->ndim - (vectors ? 1 : 2)],
           INVALID_ARGUMENT,
           vectors ? "torch.linalg.lstsq: input.size(-2) should match other.size(-1)"
                   : "torch.linalg.lstsq: input.size(-2) should match other.size(-2)");
  return OY_OK;
}

static oy_object* nothing(oy_object* like, oy_dtype dtype) {
  const int64_t none = 0;
  return oyi_call_new_empty(like, (oy_ints){&none, 1}, oy_int(dtype), oy_none(),
                            oy_none(), oy_none());
}

// Sums of the squares of what is left of each column, if there is more than the solution
// takes and all of it has full rank; else nothing.
static oy_object* residuals_of(oyi_held* held, oy_object* a, oy_object* x, oy_object* b,
                               oy_object* rank, oy_dtype real) {
  const oyi_tensor* t = oyi_tensor_cast(a);
  int64_t n = t->sizes[t->ndim - 1];
  oy_object* full = oyi_hold(held, oyi_call_eq_Scalar(rank, oy_int(n)));
  oy_object* all = full ? oyi_hold(held, oyi_call_all(full)) : NULL;
  oy_value value = oy_bool(false);
  if (all && !oyi_is_meta(oyi_tensor_cast(all)) && oyi_call_item(all, &value) != 0)
    return NULL;
  if (!all) return NULL;
  if (t->sizes[t->ndim - 2] <= n || !value.as.i) return nothing(a, real);
  oy_object* product = oyi_hold(held, oyi_call_matmul(a, x));
  oy_object* left =
      product ? oyi_hold(held, oyi_call_sub_Tensor(product, b, oy_int(1))) : NULL;
  oy_object* size = left ? oyi_hold(held, oyi_call_abs(left)) : NULL;
  oy_object* squares = size ? oyi_hold(held, oyi_call_mul_Tensor(size, size)) : NULL;
  const int64_t rows = -2;
  return squares
             ? oyi_call_sum_dim_IntList(squares, (oy_ints){&rows, 1}, false, oy_none())
             : NULL;
}

// x = V (1 / s) U^H b, without the singular values that are small.
static oy_object* least_squares(oyi_held* held, oy_object* const usv[3], oy_object* large,
                                oy_object* b, oy_dtype dtype) {
  oy_object* inverse = oyi_hold(held, oyi_call_reciprocal(usv[1]));
  oy_object* kept =
      inverse ? oyi_hold(held, oyi_call_where_ScalarOther(large, inverse, oy_float(0)))
              : NULL;
  oy_object* wide =
      kept ? oyi_hold(held, oyi_call_to_dtype(kept, dtype, false, false, oy_none()))
           : NULL;
  oy_object* column = wide ? oyi_hold(held, oyi_call_unsqueeze(wide, -1)) : NULL;
  oy_object* u_h = column ? oyi_hold(held, oyi_call_mH(usv[0])) : NULL;
  oy_object* turned = u_h ? oyi_hold(held, oyi_call_matmul(u_h, b)) : NULL;
  oy_object* scaled = turned ? oyi_hold(held, oyi_call_mul_Tensor(turned, column)) : NULL;
  oy_object* v = scaled ? oyi_hold(held, oyi_call_mH(usv[2])) : NULL;
  return v ? oyi_call_matmul(v, scaled) : NULL;
}

// |x| in memory that the right side would fit in too, by columns: where LAPACK leaves it.
static oy_object* as_left_by_lapack(oyi_held* held, oy_object* x, int64_t rows) {
  const oyi_tensor* t = oyi_tensor_cast(x);
  int64_t sizes[OY_TENSOR_MAX_DIMS], strides[OY_TENSOR_MAX_DIMS],
      n = t->sizes[t->ndim - 2];
  memcpy(sizes, t->sizes, t->ndim * sizeof(int64_t));
  sizes[t->ndim - 2] = rows > n ? rows : n;
  oyi_strides_contiguous((oy_ints){sizes, t->ndim}, strides);
  strides[t->ndim - 2] = 1;
  strides[t->ndim - 1] = sizes[t->ndim - 2] > 1 ? sizes[t->ndim - 2] : 1;
  oy_object* room =
      oyi_hold(held, oyi_call_new_empty_strided(x, (oy_ints){sizes, t->ndim},
                                                (oy_ints){strides, t->ndim}, oy_none(),
                                                oy_none(), oy_none(), oy_none()));
  oy_object* part = room ? oyi_call_narrow(room, -2, 0, n) : NULL;
  if (part && oyi_call_copy_(part, x, false)) return part;
  oy_tensor_release(part);
  return NULL;
}

OYI_COMPOSITE(linalg_lstsq) {
  const oyi_tensor *a = oyi_tensor_of(self), *right = a ? oyi_tensor_of(b) : NULL;
  if (!right) return oy_failure();
  driver_kind kind = {0};
  OY_TRY(read_driver(driver, &kind));
  bool vectors = right->ndim == 1 ||
                 (right->ndim + 1 == a->ndim &&
                  memcmp(right->sizes, a->sizes, right->ndim * sizeof(int64_t)) == 0);
  OY_TRY(check_equations(a, right, vectors));
  oyi_held h = {0};
  oy_object* columns = vectors ? HOLD(oyi_call_unsqueeze(b, -1)) : b;
  oy_object *usv[3] = {NULL}, *rank = NULL, *x = NULL, *residuals = NULL;
  oy_status status = columns ? oyi_call__linalg_svd(self, false, true, oy_none(), &usv[0],
                                                    &usv[1], &usv[2])
                             : oy_failure();
  for (int i = 0; status == 0 && i < 3; i++) HOLD(usv[i]);
  const int64_t last = -1;
  int64_t m = a->sizes[a->ndim - 2], n = a->sizes[a->ndim - 1];
  double epsilon =
      usv[1] && usv[1]->dtype == OY_DTYPE_F64 ? 2.220446049250313e-16 : 1.1920929e-07;
  double least =
      rcond.tag == OY_TAG_NONE ? epsilon * (double)(m > n ? m : n) : rcond.as.d;
  if (status == 0) {
    bool any = m > 0 && n > 0;
    oy_object* most =
        any ? HOLD(oyi_call_amax(usv[1], (oy_ints){&last, 1}, true)) : usv[1];
    oy_object* limit = most ? HOLD(oyi_call_mul_Scalar(most, oy_float(least))) : NULL;
    oy_object* large = limit ? HOLD(oyi_call_gt_Tensor(usv[1], limit)) : NULL;
    rank = large ? oyi_call_sum_dim_IntList(large, (oy_ints){&last, 1}, false, oy_none())
                 : NULL;
    x = rank ? least_squares(&h, usv, large, columns, self->dtype) : NULL;
    residuals = x && kind.residuals
                    ? residuals_of(&h, self, x, columns, rank, usv[1]->dtype)
                : x ? nothing(self, usv[1]->dtype)
                    : NULL;
  }
  if (x) x = as_left_by_lapack(&h, HOLD(x), m);
  if (x && vectors) x = oyi_call_squeeze_dim(HOLD(x), -1);
  if (rank && !kind.ranks) rank = nothing(HOLD(rank), OY_DTYPE_I64);
  oy_object* values = !residuals    ? NULL
                      : kind.values ? oy_tensor_retain(usv[1])
                                    : nothing(self, usv[1]->dtype);
  oyi_held_end(&h, NULL);
  *out_solution = x, *out_residuals = residuals, *out_rank = rank;
  *out_singular_values = values;
  if (x && residuals && rank && values) return OY_OK;
  oy_tensor_release(x);
  oy_tensor_release(residuals);
  oy_tensor_release(rank);
  oy_tensor_release(values);
  return oy_failure();
}
