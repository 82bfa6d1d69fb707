// SPDX-License-Identifier: Apache-2.0
// The gradient of unfold: windows are added up where they overlap.
#include "backends/cpu/kernels.h"
#include "ops/calls.h"
#include "ops/rules/shape.h"

// Places of windows of |size|; -1 if the shapes do not belong together.
static int64_t windows_of(const oyi_tensor* grad, oy_ints sizes, int64_t d, int64_t size,
                          int64_t step) {
  if (grad->ndim != sizes.size + 1 || grad->sizes[sizes.size] != size) return -1;
  for (size_t i = 0; i < sizes.size; i++)
    if ((int64_t)i != d && grad->sizes[i] != sizes.data[i]) return -1;
  const int64_t room = sizes.data[d] - size;
  return room >= 0 && grad->sizes[d] == room / step + 1 ? grad->sizes[d] : -1;
}

// Element |k| of every window at once: those never overlap.
static bool add_element(oy_object* out, oy_object* grad, int64_t d, int64_t k,
                        int64_t windows, int64_t step) {
  oy_object* place = oyi_view_slice(oyi_tensor_cast(out), (size_t)d, k, windows, step);
  oy_object* from = place ? oyi_call_select_int(grad, -1, k) : NULL;
  const bool good = oyi_call_add__Tensor(place, from, oy_int(1)) != NULL;
  oy_tensor_release(from);
  oy_tensor_release(place);
  return good;
}

OYI_CPU(unfold_backward) {
  const oyi_tensor* grad = oyi_tensor_of(grad_in);
  const int64_t d = grad ? oyi_dim_wrap(dim, (int64_t)input_sizes.size) : -1;
  if (d < 0) return NULL;
  int64_t windows = -1;
  if (input_sizes.size > 0 && size >= 0 && step > 0)
    windows = windows_of(grad, input_sizes, d, size, step);
  else if (input_sizes.size == 0 && grad->ndim == 1 && grad->numel == 1)
    return oyi_call_reshape(grad_in, oy_dims_none());
  if (windows < 0) {
    OY_FAIL(
        INVALID_ARGUMENT,
        "unfold_backward: a gradient of size %s is not one of windows of size %lld and "
        "step %lld along dimension %lld of %s",
        oyi_dims_print(oyi_sizes_view(grad)).text, (long long)size, (long long)step,
        (long long)dim, oyi_dims_print(input_sizes).text);
    return NULL;
  }
  oy_object* out = oyi_call_new_zeros(grad_in, input_sizes, oy_none(), oy_none(),
                                      oy_none(), oy_none());
  if (!out || oyi_is_meta(grad) || grad->numel == 0) return out;
  for (int64_t k = 0; k < size; k++) {
    if (add_element(out, grad_in, d, k, windows, step)) continue;
    oy_tensor_release(out);
    return NULL;
  }
  return out;
}
