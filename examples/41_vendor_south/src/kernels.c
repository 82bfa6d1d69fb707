// SPDX-License-Identifier: Apache-2.0
// Three kernels of south: neg, add.Tensor and sum. Each takes what it is good at, float32
// without gaps, and leaves the rest to the CPU; so it never has to say what is wrong with
// its arguments, for the CPU does.
#include "plugin.h"

// ------------------------------------------------------------------ what fits

static bool fits(oy_value v) {
  const oy_object* t = v.as.object;
  return v.tag == OY_TAG_TENSOR && oy_object_is_tensor(t) && t->dtype == OY_DTYPE_F32 &&
         oy_tensor_storage_context(t) && oy_tensor_numel(t) > 0 &&
         oy_tensor_is_contiguous(t, OY_MEMORY_CONTIGUOUS);
}

static bool same_shape(oy_value a, oy_value b) {
  const oy_ints x = oy_tensor_sizes(a.as.object), y = oy_tensor_sizes(b.as.object);
  return x.size == y.size && memcmp(x.data, y.data, x.size * sizeof(int64_t)) == 0 &&
         oy_device_equal(oy_tensor_device(a.as.object), oy_tensor_device(b.as.object));
}

// Takes the arguments off the stack and pushes the result, which may be NULL: it failed.
static oy_status give(oy_stack* stack, size_t arguments, oy_tensor* result) {
  oy_stack_drop(stack, arguments);
  if (!result) return oy_failure();
  oy_value v = oy_value_tensor(result);
  v.owned = 1;
  return oy_stack_push(stack, v);
}

static oy_tensor* like(const oy_tensor* t) {
  return oy_tensor_empty(oy_tensor_sizes(t), t->dtype, oy_tensor_device(t));
}

// -------------------------------------------------------------------- kernels

static oy_status neg(const oy_op* op, oy_keyset keys, oy_stack* stack,
                     const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 1);
  (void)kernel;
  if (!fits(v[0])) return oy_cpu_fallback(op, keys, stack, NULL);
  oy_tensor *x = v[0].as.object, *result = like(x);
  const float* from = south_memory(x);
  float* to = result ? south_memory(result) : NULL;
  for (int64_t i = 0, n = oy_tensor_numel(x); to && i < n; i++) to[i] = -from[i];
  return give(stack, 1, result);
}

// add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
static oy_status add(const oy_op* op, oy_keyset keys, oy_stack* stack,
                     const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 3);
  (void)kernel;
  const bool is_number = v[2].tag == OY_TAG_INT || v[2].tag == OY_TAG_FLOAT;
  if (!fits(v[0]) || !fits(v[1]) || !same_shape(v[0], v[1]) || !is_number)
    return oy_cpu_fallback(op, keys, stack, NULL);
  const float alpha = v[2].tag == OY_TAG_INT ? (float)v[2].as.i : (float)v[2].as.d;
  oy_tensor* result = like(v[0].as.object);
  const float *a = south_memory(v[0].as.object), *b = south_memory(v[1].as.object);
  float* to = result ? south_memory(result) : NULL;
  const int64_t n = oy_tensor_numel(v[0].as.object);
  for (int64_t i = 0; to && i < n; i++) to[i] = a[i] + alpha * b[i];
  return give(stack, 3, result);
}

// sum(Tensor self, *, ScalarType? dtype=None) -> Tensor
static oy_status sum(const oy_op* op, oy_keyset keys, oy_stack* stack,
                     const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 2);
  (void)kernel;
  if (!fits(v[0]) || v[1].tag != OY_TAG_NONE)
    return oy_cpu_fallback(op, keys, stack, NULL);
  const oy_tensor* x = v[0].as.object;
  oy_tensor* result = oy_tensor_empty(oy_dims_none(), OY_DTYPE_F32, oy_tensor_device(x));
  if (!result) return give(stack, 2, NULL);
  const float* from = south_memory(x);
  double total = 0;
  for (int64_t i = 0, n = oy_tensor_numel(x); i < n; i++) total += from[i];
  *(float*)south_memory(result) = (float)total;
  return give(stack, 2, result);
}

oy_status south_kernels(oy_library* library, oy_key key) {
  static const struct {
    const char* name;
    oy_boxed_fn fn;
  } rows[] = {{"neg", neg}, {"add.Tensor", add}, {"sum", sum}};
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    const oy_impl_params params = {.name = rows[i].name,
                                   .key = key,
                                   .kernel = {.boxed = rows[i].fn},
                                   .place = OY_HERE};
    OY_TRY(oy_library_impl(library, &params, NULL));
  }
  return OY_OK;
}
