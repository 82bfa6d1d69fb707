// SPDX-License-Identifier: Apache-2.0
// Parts of complex numbers, and transposes that conjugate. Conjugation and negation are put
// off: a view has a key, at which other operators get a copy (layers/lazy).
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/rules/shape.h"

static bool has(const oy_object* self, oy_key key) {
  return self->keys.functionality & 1ull << key;
}

// A view with the key if |self| is without it, and without if it has it.
static oy_object* toggled(oy_object* self, oy_key key) {
  const oyi_tensor* t = oyi_tensor_of(self);
  oyi_tensor* view = t ? oyi_tensor_alias_same(t) : NULL;
  if (view) view->header.keys.functionality ^= 1ull << key;
  return oyi_tensor_object(view);
}
OYI_COMPOSITE(_conj) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (!oy_dtype_is_complex(t->header.dtype)) {
    OY_FAIL(INVALID_ARGUMENT, "_conj: expected a complex tensor, got one of %s",
            oy_dtype_name(t->header.dtype));
    return NULL;
  }
  return toggled(self, OY_KEY_Conjugate);
}
OYI_COMPOSITE(_neg_view) {
  return toggled(self, OY_KEY_Negative);
}
OYI_COMPOSITE(conj) {
  if (!oyi_tensor_of(self)) return NULL;
  return oy_dtype_is_complex(self->dtype) ? oyi_call__conj(self) : oy_tensor_retain(self);
}

static oy_status asks(const oy_object* self, oy_key key, bool* out_result) {
  *out_result = oyi_tensor_of(self) && has(self, key);
  return oyi_is_tensor(self) ? OY_OK : oy_failure();
}
OYI_COMPOSITE(is_conj) {
  return asks(self, OY_KEY_Conjugate, out_result);
}
OYI_COMPOSITE(is_neg) {
  return asks(self, OY_KEY_Negative, out_result);
}
OYI_COMPOSITE(_is_zerotensor) {
  return asks(self, OY_KEY_ZeroTensor, out_result);
}

// Real and imaginary parts in a last dimension. Of what is conjugated they are those of what
// is not; the imaginary ones (|which| 1) are negated.
static oy_object* pairs_of(oy_object* self, int64_t which) {
  if (!has(self, OY_KEY_Conjugate)) return oyi_call_view_as_real(self);
  oy_object* plain = oyi_call__conj(self);
  oy_object* pairs = plain ? oyi_call_view_as_real(plain) : NULL;
  oy_tensor_release(plain);
  if (!pairs || which == 0) return pairs;
  oy_object* negated = oyi_call__neg_view(pairs);
  oy_tensor_release(pairs);
  return negated;
}

// One of the last dimension's two numbers: 0 real, 1 imaginary.
static oy_object* part(oy_object* self, int64_t which) {
  oy_object* pairs = pairs_of(self, which);
  oy_object* result = pairs ? oyi_call_select_int(pairs, -1, which) : NULL;
  oy_tensor_release(pairs);
  return result;
}

OYI_COMPOSITE(real) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  return oy_dtype_is_complex(t->header.dtype) ? part(self, 0) : oy_tensor_retain(self);
}

OYI_COMPOSITE(imag) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (oy_dtype_is_complex(t->header.dtype)) return part(self, 1);
  OY_FAIL(INVALID_ARGUMENT,
          "imag is not implemented for tensors with non-complex dtypes.");
  return NULL;
}

OYI_COMPOSITE(resolve_conj) {
  if (!oyi_tensor_of(self)) return NULL;
  if (!has(self, OY_KEY_Conjugate)) return oy_tensor_retain(self);
  return oyi_call_clone(self, oy_none());
}
OYI_COMPOSITE(resolve_neg) {
  if (!oyi_tensor_of(self)) return NULL;
  if (!has(self, OY_KEY_Negative)) return oy_tensor_retain(self);
  return oyi_call_clone(self, oy_none());
}

// The conjugate of a temporary, which is released.
static oy_object* conjugated(oy_object* view) {
  oy_object* result = view ? oyi_call_conj(view) : NULL;
  oy_tensor_release(view);
  return result;
}

// |name| as messages have it.
static oy_object* transposed(oy_object* self, const char* name) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (t->ndim == 0) return oy_tensor_retain(self);
  if (t->ndim >= 2) return oyi_call_transpose_int(self, -2, -1);
  OY_FAIL(INVALID_ARGUMENT,
          "tensor.%s is only supported on matrices or batches of matrices. Got %u-D "
          "tensor.",
          name, t->ndim);
  return NULL;
}

OYI_COMPOSITE(mT) {
  return transposed(self, "mT");
}
OYI_COMPOSITE(mH) {
  return conjugated(transposed(self, "mH"));
}
OYI_COMPOSITE(adjoint) {
  return conjugated(transposed(self, "adjoint()"));
}
OYI_COMPOSITE(matrix_H) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (t->ndim == 0 || t->ndim == 2) return conjugated(transposed(self, "H"));
  OY_FAIL(INVALID_ARGUMENT,
          "tensor.H is only supported on matrices (2-D tensors). Got %u-D tensor.%s",
          t->ndim,
          t->ndim > 2 ? " For batches of matrices, consider using tensor.mH" : "");
  return NULL;
}
