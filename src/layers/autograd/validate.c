// SPDX-License-Identifier: Apache-2.0
// That a gradient fits what it is for (reference, 9.5): broadcasting is summed away,
// another dtype is cast, a number is moved to the device; anything else is an error.
#include "layers/autograd/engine.h"
#include "layers/autograd/variable.h"
#include "ops/calls.h"

// Whether |from| is what a tensor of |to| broadcasts to.
static bool can_sum_to(oy_ints from, oy_ints to) {
  if (to.size > from.size) return false;
  for (size_t i = 0; i < to.size; i++) {
    int64_t a = from.data[from.size - 1 - i], b = to.data[to.size - 1 - i];
    if (a != b && b != 1) return false;
  }
  return true;
}

static void replace(oy_object** tensor, oy_object* by) {
  oy_tensor_release(*tensor);
  *tensor = by;
}

// Sums away what broadcasting added.
static oy_status sum_to(oy_object** grad, oy_ints from, oy_ints to) {
  int64_t dims[OY_TENSOR_MAX_DIMS];
  size_t n = 0, lead = from.size - to.size;
  for (size_t i = 0; i < from.size; i++)
    if (i < lead || (to.data[i - lead] == 1 && from.data[i] != 1)) dims[n++] = (int64_t)i;
  replace(grad, oyi_call_sum_dim_IntList(*grad, (oy_ints){dims, n}, true, oy_none()));
  if (lead != 0 && *grad) replace(grad, oyi_call_view(*grad, to));
  return *grad ? OY_OK : oy_failure();
}

static oy_status fit_shape(oy_object** grad, const oyi_expectation* e, const char* from,
                           size_t index) {
  const oyi_tensor* g = oyi_tensor_of(*grad);
  if (!g) return oy_failure();
  // |grad| goes while its sizes are still asked for.
  int64_t kept[OY_TENSOR_MAX_DIMS];
  oy_ints sizes = {kept, g->ndim}, expected = oyi_expected_sizes(e);
  if (oyi_same_sizes(oyi_sizes_view(g), expected)) return OY_OK;
  memcpy(kept, g->sizes, g->ndim * sizeof(*kept));
  if (can_sum_to(sizes, expected)) return sum_to(grad, sizes, expected);
  return OY_FAIL(INVALID_ARGUMENT,
                 "Function %s returned an invalid gradient at index %zu - got %s but "
                 "expected shape compatible with %s",
                 from, index, oyi_dims_print(sizes).text, oyi_dims_print(expected).text);
}

static oy_status fit_dtype(oy_object** grad, oy_dtype dtype) {
  // NOLINT: whoever calls knows that it is a tensor
  if ((*grad)->dtype == dtype) return OY_OK;
  if (oy_dtype_is_complex((*grad)->dtype) && !oy_dtype_is_complex(dtype)) {
    replace(grad, oyi_call_real(*grad));
    if (!*grad) return oy_failure();
    if ((*grad)->dtype == dtype) return OY_OK;
  }
  replace(grad, oyi_call__to_copy(*grad, oy_int(dtype), oy_none(), oy_none(), oy_none(),
                                  false, oy_none()));
  return *grad ? OY_OK : oy_failure();
}

// Numbers go to any device: an input without dimensions may have come from the CPU.
static oy_status fit_device(oy_object** grad, const oyi_expectation* to, const char* from,
                            size_t index) {
  const oyi_tensor* g = oyi_tensor_of(*grad);
  if (!g) return oy_failure();
  if (g->backend == to->backend) return OY_OK;
  const oy_device device = {to->backend, to->device_index, 0};
  if (g->ndim == 0) {
    replace(grad, oyi_call__to_copy(*grad, oy_none(), oy_none(), oy_value_device(device),
                                    oy_none(), false, oy_none()));
    return *grad ? OY_OK : oy_failure();
  }
  char expected[64], got[64];
  oy_device_print(device, expected, sizeof(expected));
  oy_device_print(oyi_tensor_device(g), got, sizeof(got));
  return OY_FAIL(INVALID_ARGUMENT,
                 "Function %s returned an invalid gradient at index %zu - expected "
                 "device %s but got %s",
                 from, index, expected, got);
}

oy_status oyi_validate(oy_object** grad, const oyi_expectation* to, const oyi_node* node,
                       size_t index) {
  oy_status status = oyi_tensor_of(*grad) ? OY_OK : oy_failure();
  const char* from = node ? oyi_node_name(node) : "GraphRoot";
  if (status == 0) status = fit_shape(grad, to, from, index);
  if (status == 0) status = fit_dtype(grad, to->dtype);
  if (status == 0) status = fit_device(grad, to, from, index);
  if (status == 0) return OY_OK;
  oy_tensor_release(*grad);
  *grad = NULL;
  return status;
}
