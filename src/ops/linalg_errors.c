// SPDX-License-Identifier: Apache-2.0
// What factorisations say is wrong, as PyTorch tells it.
#include "ops/linalg_errors.h"

#include <stdio.h>

#include "ops/calls.h"
#include "ops/kernels.h"
#include "tensor/element.h"

// What a number behind the name of a function means.
static oy_status raise_info(const char* name, const char* where, int32_t info) {
  const int n = info;
#define IS(text) (strstr(name, text) != NULL)
  if (info < 0)
    return OY_FAIL(INVALID_ARGUMENT,
                   "%s: %sThe algorithm failed to converge because the input matrix "
                   "contained non-finite values.",
                   name, where);
  if (IS("inv"))
    return OY_FAIL(INVALID_ARGUMENT,
                   "%s: %sThe diagonal element %d is zero, the inversion could not be "
                   "completed because the input matrix is singular.",
                   name, where, n);
  if (IS("solve"))
    return OY_FAIL(INVALID_ARGUMENT,
                   "%s: %sThe solver failed because the input matrix is singular.", name,
                   where);
  if (IS("cholesky"))
    return OY_FAIL(INVALID_ARGUMENT,
                   "%s: %sThe factorization could not be completed because the input is "
                   "not positive-definite (the leading minor of order %d is not "
                   "positive-definite).",
                   name, where, n);
  if (IS("ldl"))
    return OY_FAIL(INVALID_ARGUMENT,
                   "%s: %sThe factorization could not be completed because the block of "
                   "order %d on the diagonal is zero.",
                   name, where, n);
  if (IS("svd"))
    return OY_FAIL(INVALID_ARGUMENT,
                   "%s: %sThe algorithm failed to converge because the input matrix is "
                   "ill-conditioned or has too many repeated singular values (error "
                   "code: %d).",
                   name, where, n);
  if (IS("eig"))
    return OY_FAIL(INVALID_ARGUMENT,
                   "%s: %sThe algorithm failed to converge because the input matrix is "
                   "ill-conditioned or has too many repeated eigenvalues (error code: "
                   "%d).",
                   name, where, n);
  return OY_FAIL(INVALID_ARGUMENT,
                 "%s: %sU[%d,%d] is zero and using it on lu_solve would result in a "
                 "division by zero. If you still want to perform the factorization, "
                 "consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)",
                 name, where, n, n);
#undef IS
}

oy_status oyi_linalg_check(oy_object* info, const char* name, bool is_matrix) {
  oyi_tensor* t = oyi_tensor_of(info);
  if (!t) return oy_failure();
  if (oyi_is_meta(t)) return OY_OK;
  OY_CHECK(info->dtype == OY_DTYPE_I32, INVALID_ARGUMENT,
           "%s: info must be a tensor of int32, got %s", name,
           oy_dtype_pytorch_name(info->dtype));
  // What a device says is waited for.
  oy_object* here = t->backend == OY_BACKEND_CPU
                        ? oy_tensor_retain(info)
                        : oyi_call__to_copy(info, oy_none(), oy_none(),
                                            oy_value_device(oy_device_cpu()), oy_none(),
                                            false, oy_none());
  oyi_tensor* all = here ? oyi_converted(oyi_tensor_of(here), OY_DTYPE_I32) : NULL;
  oy_tensor_release(here);
  if (!all) return oy_failure();
  oy_status status = OY_OK;
  for (int64_t i = 0; status == 0 && i < all->numel; i++) {
    int32_t value = ((const int32_t*)oyi_data(all))[i];
    if (value == 0) continue;
    char where[48] = "";
    if (!is_matrix) snprintf(where, sizeof where, "(Batch element %lld): ", (long long)i);
    status = raise_info(name, where, value);
  }
  oy_tensor_release(&all->header);
  return status;
}

OYI_COMPOSITE(_linalg_check_errors) {
  char name[64];
  snprintf(name, sizeof name, "%.*s", OY_STR_ARG(api_name));
  return oyi_linalg_check(info, name, is_matrix);
}
