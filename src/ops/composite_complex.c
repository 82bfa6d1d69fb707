// SPDX-License-Identifier: Apache-2.0
// Parts of complex numbers, and transposes that conjugate. Conjugation is never put
// off: where PyTorch sets a bit, numbers are negated in a copy.
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/shape.h"

// One of the last dimension's two numbers: 0 real, 1 imaginary.
static oy_object* part(oy_object* self, int64_t which) {
  oy_object* pairs = oyi_call_view_as_real(self);
  oy_object* result = oyi_call_select_int(pairs, -1, which);
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
  return oyi_tensor_of(self) ? oy_tensor_retain(self) : NULL;
}
OYI_COMPOSITE(resolve_neg) {
  return oyi_tensor_of(self) ? oy_tensor_retain(self) : NULL;
}

// The conjugate of a temporary, which is released.
static oy_object* conjugated(oy_object* view) {
  if (!view || !oy_dtype_is_complex(view->dtype)) return view;
  oy_object* result = oyi_call_conj_physical(view);
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
