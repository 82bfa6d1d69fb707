// SPDX-License-Identifier: Apache-2.0
// Contractions over chosen dimensions, and powers of matrices.
#include "base/memory.h"
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/out.h"
#include "ops/out_form.h"
#include "ops/rules/rules.h"

static oy_object* replaced(oy_object* old, oy_object* made) {
  oy_tensor_release(old);
  return made;
}

// ---------------------------------------------------------------------- tensordot

// The dimensions of a tensor that stay, and those that are summed, in order.
typedef struct contraction {
  oy_ints given;
  int64_t dims[OY_TENSOR_MAX_DIMS];  // summed
  int64_t order[OY_TENSOR_MAX_DIMS];
  int64_t sizes[OY_TENSOR_MAX_DIMS];  // of those that stay
  size_t count, kept;
  int64_t kept_size;
} contraction;

static oy_status read_dims(contraction* c, const oyi_tensor* t, oy_ints dims) {
  uint64_t seen = 0;
  c->given = dims;
  c->count = dims.size;
  for (size_t i = 0; i < dims.size; i++) {
    OY_CHECK(t->ndim > 0, OUT_OF_RANGE,
             "Dimension specified as %lld but tensor has no dimensions",
             (long long)dims.data[i]);
    int64_t d = oyi_dim_wrap(dims.data[i], t->ndim);
    if (d < 0) return oy_failure();
    OY_CHECK(!(seen >> d & 1), INVALID_ARGUMENT,
             "dim %lld appears multiple times in the list of dims", (long long)d);
    seen |= 1ull << d;
    c->dims[i] = d;
  }
  c->kept = 0;
  c->kept_size = 1;
  for (size_t k = 0; k < t->ndim; k++) {
    if (seen >> k & 1) continue;
    c->order[c->kept] = (int64_t)k;
    c->sizes[c->kept++] = t->sizes[k];
    c->kept_size *= t->sizes[k];
  }
  return OY_OK;
}

// Where one side has a single step the other is summed first: that is broadcasting.
static oy_status match_dims(contraction* a, contraction* b, oy_object** self,
                            oy_object** other, int64_t* out_size) {
  *out_size = 1;
  for (size_t i = 0; i < a->count; i++) {
    int64_t x = oyi_tensor_cast(*self)->sizes[a->dims[i]];
    int64_t y = oyi_tensor_cast(*other)->sizes[b->dims[i]];
    OY_CHECK(x == y || x == 1 || y == 1, INVALID_ARGUMENT,
             "contracted dimensions need to match, but first has size %lld in dim %lld "
             "and second has size %lld in dim %lld",
             (long long)x, (long long)a->given.data[i], (long long)y,
             (long long)b->given.data[i]);
    oy_object** wide = x == y ? NULL : x == 1 ? other : self;
    const contraction* c = wide == other ? b : a;
    if (wide)
      *wide = replaced(*wide, oyi_call_sum_dim_IntList(*wide, (oy_ints){&c->dims[i], 1},
                                                       true, oy_none()));
    if (wide && !*wide) return oy_failure();
    *out_size *= wide ? 1 : x;
  }
  return OY_OK;
}

static oy_object* as_matrix(oy_object* t, const int64_t* order, int64_t rows,
                            int64_t columns) {
  int64_t shape[2] = {rows, columns};
  oy_object* moved =
      oyi_call_permute(t, (oy_ints){order, (size_t)oyi_tensor_cast(t)->ndim});
  return replaced(moved, oyi_call_reshape(moved, (oy_ints){shape, 2}));
}

static oy_object* contract(contraction* a, contraction* b, oy_object* self,
                           oy_object* other, int64_t size) {
  int64_t sizes[2 * OY_TENSOR_MAX_DIMS], order[OY_TENSOR_MAX_DIMS];
  memcpy(a->order + a->kept, a->dims, a->count * sizeof(int64_t));
  memcpy(order, b->dims, b->count * sizeof(int64_t));
  memcpy(order + b->count, b->order, b->kept * sizeof(int64_t));
  oy_object* x = as_matrix(self, a->order, a->kept_size, size);
  oy_object* y = as_matrix(other, order, size, b->kept_size);
  oy_object* z = oyi_call_mm(x, y);
  memcpy(sizes, a->sizes, a->kept * sizeof(int64_t));
  memcpy(sizes + a->kept, b->sizes, b->kept * sizeof(int64_t));
  oy_object* result = oyi_call_reshape(z, (oy_ints){sizes, a->kept + b->kept});
  oy_tensor_release(x);
  oy_tensor_release(y);
  oy_tensor_release(z);
  return result;
}

OYI_COMPOSITE(tensordot) {
  const oyi_tensor* s = oyi_tensor_of(self);
  const oyi_tensor* o = s ? oyi_tensor_of(other) : NULL;
  contraction a, b;
  int64_t size;
  if (!o) return NULL;
  if (dims_self.size != dims_other.size) {
    OY_FAIL(INVALID_ARGUMENT, "both dimension lists should have same length");
    return NULL;
  }
  if (read_dims(&a, s, dims_self) != 0 || read_dims(&b, o, dims_other) != 0) return NULL;
  if (a.kept + b.kept > OY_TENSOR_MAX_DIMS) {
    OY_FAIL(INVALID_ARGUMENT, "tensors may have at most %d dimensions",
            OY_TENSOR_MAX_DIMS);
    return NULL;
  }
  oy_object *x = oy_tensor_retain(self), *y = oy_tensor_retain(other), *result = NULL;
  if (match_dims(&a, &b, &x, &y, &size) == 0) result = contract(&a, &b, x, y, size);
  oy_tensor_release(x);
  oy_tensor_release(y);
  return result;
}
// |result|, whose reference it takes, of the same dtype alone: else |text| says so, which
// names that of the result and that of |out|.
static oy_object* into_same(oy_object* out, oy_object* result, const char* text) {
  if (!result || !oyi_tensor_of(out) || out->dtype == result->dtype)
    return oyi_into_out(result, out);
  OY_FAIL(TYPE_MISMATCH, text, oy_dtype_pytorch_name(result->dtype),
          oy_dtype_pytorch_name(out->dtype));
  oy_tensor_release(result);
  return NULL;
}
static oy_object* into_product(oy_object* out, oy_object* result) {
  return into_same(out, result,
                   "tensordot: Expected the output tensor to have dtype %s, but got an "
                   "output tensor with dtype %s");
}

OYI_COMPOSITE(tensordot_out) {
  return into_product(out, oyi_call_tensordot(self, other, dims_self, dims_other));
}

OYI_COMPOSITE(inner) {
  const oyi_tensor* a = oyi_tensor_of(self);
  const oyi_tensor* b = a ? oyi_tensor_of(other) : NULL;
  if (!b) return NULL;
  if (a->ndim == 0 || b->ndim == 0) return oyi_call_mul_Tensor(self, other);
  if (a->sizes[a->ndim - 1] != b->sizes[b->ndim - 1]) {
    OY_FAIL(INVALID_ARGUMENT,
            "inner() the last dimension must match on both input tensors but got shapes "
            "%s and %s",
            oyi_dims_print(oyi_sizes_view(a)).text,
            oyi_dims_print(oyi_sizes_view(b)).text);
    return NULL;
  }
  static const int64_t last = -1;
  return oyi_call_tensordot(self, other, (oy_ints){&last, 1}, (oy_ints){&last, 1});
}
OYI_COMPOSITE(inner_out) {
  const oyi_tensor* a = oyi_tensor_of(self);
  const oyi_tensor* b = a ? oyi_tensor_of(other) : NULL;
  if (!b) return NULL;
  if (a->ndim == 0 || b->ndim == 0) return oyi_call_mul_out(self, other, out);
  return into_product(out, oyi_call_inner(self, other));
}

static oy_status check_vecdot(const oy_object* x, const oy_object* y) {
  OY_CHECK(oy_dtype_is_floating(x->dtype) || oy_dtype_is_complex(x->dtype), TYPE_MISMATCH,
           "linalg.vecdot: Expected a floating point or complex tensor as input. Got %s",
           oy_dtype_pytorch_name(x->dtype));
  OY_CHECK(
      x->dtype == y->dtype, TYPE_MISMATCH,
      "linalg.vecdot: Expected x and y to have the same dtype, but found x of type %s "
      "and y of type %s instead",
      oy_dtype_pytorch_name(x->dtype), oy_dtype_pytorch_name(y->dtype));
  return OY_OK;
}
OYI_COMPOSITE(linalg_vecdot) {
  if (!oyi_tensor_of(x) || !oyi_tensor_of(y) || check_vecdot(x, y) != OY_OK) return NULL;
  oy_object* left = oyi_call_conj_physical(x);
  oy_object* products = oyi_call_mul_Tensor(left, y);
  oy_object* result =
      oyi_call_sum_dim_IntList(products, (oy_ints){&dim, 1}, false, oy_none());
  oy_tensor_release(left);
  oy_tensor_release(products);
  return result;
}
OYI_COMPOSITE(linalg_vecdot_out) {
  return into_same(out, oyi_call_linalg_vecdot(x, y, dim),
                   "linalg.vecdot: Expected out of dtype%s but found %s");
}

// ------------------------------------------------------------------------- powers

// The power 0 has a gradient, of zeros.
static oy_object* identity_like(oy_object* self) {
  oy_object* made = oyi_call_clone(self, oy_none());
  oy_object* eye =
      made ? oyi_call_eye(oy_tensor_size(self, -1), oy_int(self->dtype), oy_none(),
                          oy_value_device(oy_tensor_device(self)), oy_none())
           : NULL;
  oy_object* done = eye ? oyi_call_copy_(made, eye, false) : NULL;
  oy_tensor_release(eye);
  return done ? made : replaced(made, NULL);
}

// By squaring: z is self to the power of the bit that is looked at.
static oy_object* power_of(oy_object* self, int64_t n) {
  oy_object *z = NULL, *result = NULL;
  for (; n > 0; n >>= 1) {
    z = z ? replaced(z, oyi_call_matmul(z, z)) : oy_tensor_retain(self);
    if (!z) return replaced(result, NULL);
    if (!(n & 1)) continue;
    result = result ? replaced(result, oyi_call_matmul(result, z)) : oy_tensor_retain(z);
    if (!result) return replaced(z, NULL);
  }
  oy_tensor_release(z);
  return result;
}

OYI_COMPOSITE(linalg_matrix_power) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (t->ndim < 2) {
    OY_FAIL(INVALID_ARGUMENT,
            "linalg.matrix_power: The input tensor A must have at least 2 dimensions.");
    return NULL;
  }
  if (t->sizes[t->ndim - 1] != t->sizes[t->ndim - 2]) {
    OY_FAIL(INVALID_ARGUMENT,
            "linalg.matrix_power: A must be batches of square matrices, but they are "
            "%lld by %lld matrices",
            (long long)t->sizes[t->ndim - 2], (long long)t->sizes[t->ndim - 1]);
    return NULL;
  }
  if (n < 0) {
    oy_object* inverse = oyi_call_linalg_inv(self);
    oy_object* result = inverse && n != INT64_MIN ? power_of(inverse, -n) : NULL;
    if (inverse && n == INT64_MIN)
      OY_FAIL(INVALID_ARGUMENT, "linalg.matrix_power: the power %lld is too far from 0",
              (long long)n);
    oy_tensor_release(inverse);
    return result;
  }
  if (n == 0) return identity_like(self);
  return n == 1 ? oyi_call_clone(self, oy_int(OY_MEMORY_CONTIGUOUS)) : power_of(self, n);
}
// Products go into the output itself, which then has the dtype of the matrix.
OYI_COMPOSITE(linalg_matrix_power_out) {
  oy_object* made = oyi_call_linalg_matrix_power(self, n);
  if (n != 0 && n != 1 && made && oyi_is_tensor(out) &&
      oy_dtype_can_cast(self->dtype, out->dtype))
    return oyi_into_contiguous_out(out, made);
  return oyi_into_castable_out(out, made, "matrix_power", "result", true);
}
OYI_COMPOSITE(matrix_power) {
  return oyi_call_linalg_matrix_power(self, n);
}
OYI_COMPOSITE(matrix_power_out) {
  return oyi_call_linalg_matrix_power_out(self, n, out);
}

// --------------------------------------------------------------------------- cross

// The first dimension of size 3, which is what cross() without |dim| means.
static oy_status cross_dim(oy_object* self, oy_value dim, int64_t* out) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_failure();
  if (dim.tag != OY_TAG_NONE) {
    *out = dim.as.i;
    return OY_OK;
  }
  for (*out = 0; *out < t->ndim; (*out)++)
    if (t->sizes[*out] == 3) return OY_OK;
  return OY_FAIL(INVALID_ARGUMENT, "no dimension of size 3 in input");
}

OYI_COMPOSITE(cross) {
  int64_t d;
  if (cross_dim(self, dim, &d) != 0) return NULL;
  return oyi_call_linalg_cross(self, other, d);
}
OYI_COMPOSITE(cross_out) {
  int64_t d;
  if (cross_dim(self, dim, &d) != 0) return NULL;
  return oyi_call_linalg_cross_out(self, other, d, out);
}

// ----------------------------------------------------------------------- distances

OYI_COMPOSITE(cdist) {
  return oyi_call__cdist_forward(x1, x2, p, compute_mode);
}
OYI_COMPOSITE(_cdist_forward_out) {
  return oyi_into_out(oyi_call__cdist_forward(x1, x2, p, compute_mode), out);
}

OYI_COMPOSITE(pdist) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (t->ndim != 2) {
    OY_FAIL(INVALID_ARGUMENT, "pdist only supports 2D tensors, got: %dD", t->ndim);
    return NULL;
  }
  if (!oy_dtype_is_floating(self->dtype)) {
    OY_FAIL(INVALID_ARGUMENT, "pdist only supports floating-point dtypes");
    return NULL;
  }
  if (!(p >= 0)) {
    OY_FAIL(INVALID_ARGUMENT, "pdist only supports non-negative p values");
    return NULL;
  }
  oy_object* rows = oyi_call_contiguous(self, OY_MEMORY_CONTIGUOUS);
  return replaced(rows, oyi_call__pdist_forward(rows, p));
}
OYI_COMPOSITE(_pdist_forward_out) {
  return oyi_into_out(oyi_call__pdist_forward(self, p), out);
}
