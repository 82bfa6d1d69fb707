// SPDX-License-Identifier: Apache-2.0
// Tensors as vectors of parts, and the function that is checked (gradcheck_parts.h).
#include "layers/autograd/gradcheck/gradcheck_parts.h"

#include "layers/autograd/variable.h"
#include "opyard/autograd.h"
#include "opyard/inline.h"
#include "opyard/state.h"
#include "tensor/element.h"

static int parts_each(oy_dtype dtype) {
  return oy_dtype_is_complex(dtype) ? 2 : 1;
}
int64_t oyi_parts_of(const oyi_tensor* t) {
  return t->numel * parts_each(t->header.dtype);
}
static void* element_at(const oyi_tensor* t, int64_t i) {
  int64_t offset = 0;
  for (size_t d = t->ndim; d-- > 0; i /= t->sizes[d])
    offset += i % t->sizes[d] * oyi_strides(t)[d];
  return (char*)oyi_data(t) + offset * oyi_dtype_bytes[t->header.dtype];
}
double oyi_part_read(const oyi_tensor* t, int64_t k) {
  int each = parts_each(t->header.dtype);
  oyi_number n = oyi_element_shown(t, element_at(t, k / each));
  return k % each ? n.im : n.re;
}
void oyi_part_write(const oyi_tensor* t, int64_t k, double value) {
  int each = parts_each(t->header.dtype);
  void* at = element_at(t, k / each);
  oyi_number n = oyi_element_shown(t, at);
  *(k % each ? &n.im : &n.re) = value;
  oyi_element_store(t->header.dtype, at, oyi_number_turned(t, n));
}

// --------------------------------------------------------------------- evaluating

bool oyi_is_checked(const oy_tensor* t) {
  return oyi_is_differentiable(t->dtype) && oyi_requires_grad(oyi_tensor_cast(t));
}

static oy_status check_output(const oy_tensor* output, size_t i) {
  const oyi_tensor* t = oyi_tensor_of(output);
  if (!t) return oy_failure();
  OY_CHECK(t->backend == OY_BACKEND_CPU && (t->numel == 0 || oyi_data(t)),
           INVALID_ARGUMENT,
           "gradcheck: expected tensors on cpu, but output %zu is on %s", i,
           oy_backend_name(t->backend));
  return OY_OK;
}

oy_status oyi_check_evaluate(const oyi_checked* c, oy_tensor** outputs, size_t* count) {
  *count = 0;
  OY_TRY(c->fn(c->data, c->inputs, c->count, outputs, count));
  OY_CHECK(*count <= OY_GRADCHECK_OUTPUTS, INVALID_ARGUMENT,
           "gradcheck: expected at most %d outputs, got %zu", OY_GRADCHECK_OUTPUTS,
           *count);
  for (size_t i = 0; i < *count; i++) OY_TRY(check_output(outputs[i], i));
  return OY_OK;
}

oy_status oyi_check_sample(const oyi_checked* c, size_t o, double* to, int64_t parts) {
  oy_tensor* outputs[OY_GRADCHECK_OUTPUTS];
  size_t count;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_grad_guard guard = oy_enable_grad();
  oy_status status = oyi_check_evaluate(c, outputs, &count);
  if (status == 0 && (o >= count || oyi_parts_of(oyi_tensor_cast(outputs[o])) != parts))
    status = OY_FAIL(FAILED_PRECONDITION,
                     "gradcheck: expected output %zu to have the same size each time", o);
  for (int64_t k = 0; status == 0 && k < parts; k++)
    to[k] = oyi_part_read(oyi_tensor_cast(outputs[o]), k);
  oy_grad_guard_end(&guard);
  oy_scope_close(&scope);
  return status;
}
