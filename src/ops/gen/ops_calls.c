// SPDX-License-Identifier: Apache-2.0
// Made by opgen; changes go into what it was made from.
//
// Definitions of the typed calls.
#include "opyard/ops.h"

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_empty_memory_format;
oy_op_handle oy_handle_empty_memory_format = {NULL, "aten::empty.memory_format"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_empty_memory_format(
    oy_ints size, oy_value dtype, oy_value layout, oy_value device, oy_value pin_memory,
    oy_value memory_format) {
  const oy_op* op = oy_op_handle_get(&oy_handle_empty_memory_format);
  if (!op)
    return (oy_tensor*)oy_call_null(op, "");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_empty_memory_format(size, dtype, layout, device, pin_memory, memory_format);
}
oy_tensor* oy_empty_memory_format(oy_ints size, oy_value dtype, oy_value layout,
    oy_value device, oy_value pin_memory, oy_value memory_format) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_empty_memory_format);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_empty_memory_format(size, dtype, layout, device, pin_memory,
      memory_format);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_empty_memory_format(size, dtype, layout, device, pin_memory,
      memory_format);
  oy_keyset keys = oy_keyset_empty();
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_empty_memory_format_fn)kernel->typed)(op, keys, size, dtype,
      layout, device, pin_memory, memory_format);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_empty_strided;
oy_op_handle oy_handle_empty_strided = {NULL, "aten::empty_strided"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_empty_strided(oy_ints size,
    oy_ints stride, oy_value dtype, oy_value layout, oy_value device,
    oy_value pin_memory) {
  const oy_op* op = oy_op_handle_get(&oy_handle_empty_strided);
  if (!op)
    return (oy_tensor*)oy_call_null(op, "");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_empty_strided(size, stride, dtype, layout, device, pin_memory);
}
oy_tensor* oy_empty_strided(oy_ints size, oy_ints stride, oy_value dtype, oy_value layout,
    oy_value device, oy_value pin_memory) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_empty_strided);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_empty_strided(size, stride, dtype, layout, device, pin_memory);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_empty_strided(size, stride, dtype, layout, device, pin_memory);
  oy_keyset keys = oy_keyset_empty();
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_empty_strided_fn)kernel->typed)(op, keys, size, stride, dtype,
      layout, device, pin_memory);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_zeros;
oy_op_handle oy_handle_zeros = {NULL, "aten::zeros"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_zeros(oy_ints size,
    oy_value dtype, oy_value layout, oy_value device, oy_value pin_memory) {
  const oy_op* op = oy_op_handle_get(&oy_handle_zeros);
  if (!op)
    return (oy_tensor*)oy_call_null(op, "");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_zeros(size, dtype, layout, device, pin_memory);
}
oy_tensor* oy_zeros(oy_ints size, oy_value dtype, oy_value layout, oy_value device,
    oy_value pin_memory) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_zeros);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_zeros(size, dtype, layout, device, pin_memory);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_zeros(size, dtype, layout, device, pin_memory);
  oy_keyset keys = oy_keyset_empty();
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_zeros_fn)kernel->typed)(op, keys, size, dtype, layout, device,
      pin_memory);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_ones;
oy_op_handle oy_handle_ones = {NULL, "aten::ones"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_ones(oy_ints size,
    oy_value dtype, oy_value layout, oy_value device, oy_value pin_memory) {
  const oy_op* op = oy_op_handle_get(&oy_handle_ones);
  if (!op)
    return (oy_tensor*)oy_call_null(op, "");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_ones(size, dtype, layout, device, pin_memory);
}
oy_tensor* oy_ones(oy_ints size, oy_value dtype, oy_value layout, oy_value device,
    oy_value pin_memory) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_ones);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_ones(size, dtype, layout, device, pin_memory);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_ones(size, dtype, layout, device, pin_memory);
  oy_keyset keys = oy_keyset_empty();
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_ones_fn)kernel->typed)(op, keys, size, dtype, layout, device,
      pin_memory);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_full;
oy_op_handle oy_handle_full = {NULL, "aten::full"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_full(oy_ints size,
    oy_value fill_value, oy_value dtype, oy_value layout, oy_value device,
    oy_value pin_memory) {
  const oy_op* op = oy_op_handle_get(&oy_handle_full);
  if (!op)
    return (oy_tensor*)oy_call_null(op, "");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_full(size, fill_value, dtype, layout, device, pin_memory);
}
oy_tensor* oy_full(oy_ints size, oy_value fill_value, oy_value dtype, oy_value layout,
    oy_value device, oy_value pin_memory) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_full);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_full(size, fill_value, dtype, layout, device, pin_memory);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_full(size, fill_value, dtype, layout, device, pin_memory);
  oy_keyset keys = oy_keyset_empty();
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_full_fn)kernel->typed)(op, keys, size, fill_value, dtype,
      layout, device, pin_memory);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_scalar_tensor;
oy_op_handle oy_handle_scalar_tensor = {NULL, "aten::scalar_tensor"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_scalar_tensor(oy_value s,
    oy_value dtype, oy_value layout, oy_value device, oy_value pin_memory) {
  const oy_op* op = oy_op_handle_get(&oy_handle_scalar_tensor);
  if (!op)
    return (oy_tensor*)oy_call_null(op, "");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_scalar_tensor(s, dtype, layout, device, pin_memory);
}
oy_tensor* oy_scalar_tensor(oy_value s, oy_value dtype, oy_value layout, oy_value device,
    oy_value pin_memory) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_scalar_tensor);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_scalar_tensor(s, dtype, layout, device, pin_memory);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_scalar_tensor(s, dtype, layout, device, pin_memory);
  oy_keyset keys = oy_keyset_empty();
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_scalar_tensor_fn)kernel->typed)(op, keys, s, dtype, layout,
      device, pin_memory);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_empty_like;
oy_op_handle oy_handle_empty_like = {NULL, "aten::empty_like"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_empty_like(oy_tensor* self,
    oy_value dtype, oy_value layout, oy_value device, oy_value pin_memory,
    oy_value memory_format) {
  const oy_op* op = oy_op_handle_get(&oy_handle_empty_like);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_empty_like(self, dtype, layout, device, pin_memory, memory_format);
}
oy_tensor* oy_empty_like(oy_tensor* self, oy_value dtype, oy_value layout,
    oy_value device, oy_value pin_memory, oy_value memory_format) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_empty_like);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_empty_like(self, dtype, layout, device, pin_memory, memory_format);
  if (OY_UNLIKELY(!self))
    return oy_cold_empty_like(self, dtype, layout, device, pin_memory, memory_format);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_empty_like(self, dtype, layout, device, pin_memory, memory_format);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_empty_like_fn)kernel->typed)(op, keys, self, dtype, layout,
      device, pin_memory, memory_format);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_zeros_like;
oy_op_handle oy_handle_zeros_like = {NULL, "aten::zeros_like"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_zeros_like(oy_tensor* self,
    oy_value dtype, oy_value layout, oy_value device, oy_value pin_memory,
    oy_value memory_format) {
  const oy_op* op = oy_op_handle_get(&oy_handle_zeros_like);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_zeros_like(self, dtype, layout, device, pin_memory, memory_format);
}
oy_tensor* oy_zeros_like(oy_tensor* self, oy_value dtype, oy_value layout,
    oy_value device, oy_value pin_memory, oy_value memory_format) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_zeros_like);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_zeros_like(self, dtype, layout, device, pin_memory, memory_format);
  if (OY_UNLIKELY(!self))
    return oy_cold_zeros_like(self, dtype, layout, device, pin_memory, memory_format);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_zeros_like(self, dtype, layout, device, pin_memory, memory_format);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_zeros_like_fn)kernel->typed)(op, keys, self, dtype, layout,
      device, pin_memory, memory_format);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_ones_like;
oy_op_handle oy_handle_ones_like = {NULL, "aten::ones_like"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_ones_like(oy_tensor* self,
    oy_value dtype, oy_value layout, oy_value device, oy_value pin_memory,
    oy_value memory_format) {
  const oy_op* op = oy_op_handle_get(&oy_handle_ones_like);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_ones_like(self, dtype, layout, device, pin_memory, memory_format);
}
oy_tensor* oy_ones_like(oy_tensor* self, oy_value dtype, oy_value layout, oy_value device,
    oy_value pin_memory, oy_value memory_format) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_ones_like);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_ones_like(self, dtype, layout, device, pin_memory, memory_format);
  if (OY_UNLIKELY(!self))
    return oy_cold_ones_like(self, dtype, layout, device, pin_memory, memory_format);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_ones_like(self, dtype, layout, device, pin_memory, memory_format);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_ones_like_fn)kernel->typed)(op, keys, self, dtype, layout,
      device, pin_memory, memory_format);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_full_like;
oy_op_handle oy_handle_full_like = {NULL, "aten::full_like"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_full_like(oy_tensor* self,
    oy_value fill_value, oy_value dtype, oy_value layout, oy_value device,
    oy_value pin_memory, oy_value memory_format) {
  const oy_op* op = oy_op_handle_get(&oy_handle_full_like);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_full_like(self, fill_value, dtype, layout, device, pin_memory,
      memory_format);
}
oy_tensor* oy_full_like(oy_tensor* self, oy_value fill_value, oy_value dtype,
    oy_value layout, oy_value device, oy_value pin_memory, oy_value memory_format) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_full_like);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_full_like(self, fill_value, dtype, layout, device, pin_memory,
      memory_format);
  if (OY_UNLIKELY(!self))
    return oy_cold_full_like(self, fill_value, dtype, layout, device, pin_memory,
      memory_format);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_full_like(self, fill_value, dtype, layout, device, pin_memory,
      memory_format);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_full_like_fn)kernel->typed)(op, keys, self, fill_value, dtype,
      layout, device, pin_memory, memory_format);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_add_Tensor;
oy_op_handle oy_handle_add_Tensor = {NULL, "aten::add.Tensor"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_add_Tensor(oy_tensor* self,
    oy_tensor* other, oy_value alpha) {
  const oy_op* op = oy_op_handle_get(&oy_handle_add_Tensor);
  if (!op || !self || !other)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_add_Tensor(self, other, alpha);
}
oy_tensor* oy_add_Tensor(oy_tensor* self, oy_tensor* other, oy_value alpha) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_add_Tensor);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_add_Tensor(self, other, alpha);
  if (OY_UNLIKELY(!self))
    return oy_cold_add_Tensor(self, other, alpha);
  if (OY_UNLIKELY(!other))
    return oy_cold_add_Tensor(self, other, alpha);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_add_Tensor(self, other, alpha);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)other)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_add_Tensor_fn)kernel->typed)(op, keys, self, other, alpha);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_add_out;
oy_op_handle oy_handle_add_out = {NULL, "aten::add.out"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_add_out(oy_tensor* self,
    oy_tensor* other, oy_value alpha, oy_tensor* out) {
  const oy_op* op = oy_op_handle_get(&oy_handle_add_out);
  if (!op || !self || !other || !out)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : !other ? "other" : "out");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_add_out(self, other, alpha, out);
}
oy_tensor* oy_add_out(oy_tensor* self, oy_tensor* other, oy_value alpha,
    oy_tensor* out) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_add_out);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_add_out(self, other, alpha, out);
  if (OY_UNLIKELY(!self))
    return oy_cold_add_out(self, other, alpha, out);
  if (OY_UNLIKELY(!other))
    return oy_cold_add_out(self, other, alpha, out);
  if (OY_UNLIKELY(!out))
    return oy_cold_add_out(self, other, alpha, out);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_add_out(self, other, alpha, out);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)other)->keys);
  keys = oy_keyset_or(keys, ((const oy_object*)out)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_add_out_fn)kernel->typed)(op, keys, self, other, alpha, out);
  oy_call_leave(before);
  return result;
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_add__Tensor;
oy_op_handle oy_handle_add__Tensor = {NULL, "aten::add_.Tensor"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_add__Tensor(oy_tensor* self,
    oy_tensor* other, oy_value alpha) {
  const oy_op* op = oy_op_handle_get(&oy_handle_add__Tensor);
  if (!op || !self || !other)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_add__Tensor(self, other, alpha);
}
oy_tensor* oy_add__Tensor(oy_tensor* self, oy_tensor* other, oy_value alpha) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_add__Tensor);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_add__Tensor(self, other, alpha);
  if (OY_UNLIKELY(!self))
    return oy_cold_add__Tensor(self, other, alpha);
  if (OY_UNLIKELY(!other))
    return oy_cold_add__Tensor(self, other, alpha);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_add__Tensor(self, other, alpha);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)other)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_add__Tensor_fn)kernel->typed)(op, keys, self, other, alpha);
  oy_call_leave(before);
  return result;
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_add_Scalar;
oy_op_handle oy_handle_add_Scalar = {NULL, "aten::add.Scalar"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_add_Scalar(oy_tensor* self,
    oy_value other, oy_value alpha) {
  const oy_op* op = oy_op_handle_get(&oy_handle_add_Scalar);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_add_Scalar(self, other, alpha);
}
oy_tensor* oy_add_Scalar(oy_tensor* self, oy_value other, oy_value alpha) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_add_Scalar);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_add_Scalar(self, other, alpha);
  if (OY_UNLIKELY(!self))
    return oy_cold_add_Scalar(self, other, alpha);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_add_Scalar(self, other, alpha);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_add_Scalar_fn)kernel->typed)(op, keys, self, other, alpha);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_add__Scalar;
oy_op_handle oy_handle_add__Scalar = {NULL, "aten::add_.Scalar"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_add__Scalar(oy_tensor* self,
    oy_value other, oy_value alpha) {
  const oy_op* op = oy_op_handle_get(&oy_handle_add__Scalar);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_add__Scalar(self, other, alpha);
}
oy_tensor* oy_add__Scalar(oy_tensor* self, oy_value other, oy_value alpha) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_add__Scalar);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_add__Scalar(self, other, alpha);
  if (OY_UNLIKELY(!self))
    return oy_cold_add__Scalar(self, other, alpha);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_add__Scalar(self, other, alpha);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_add__Scalar_fn)kernel->typed)(op, keys, self, other, alpha);
  oy_call_leave(before);
  return result;
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_sub_Tensor;
oy_op_handle oy_handle_sub_Tensor = {NULL, "aten::sub.Tensor"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_sub_Tensor(oy_tensor* self,
    oy_tensor* other, oy_value alpha) {
  const oy_op* op = oy_op_handle_get(&oy_handle_sub_Tensor);
  if (!op || !self || !other)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_sub_Tensor(self, other, alpha);
}
oy_tensor* oy_sub_Tensor(oy_tensor* self, oy_tensor* other, oy_value alpha) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_sub_Tensor);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_sub_Tensor(self, other, alpha);
  if (OY_UNLIKELY(!self))
    return oy_cold_sub_Tensor(self, other, alpha);
  if (OY_UNLIKELY(!other))
    return oy_cold_sub_Tensor(self, other, alpha);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_sub_Tensor(self, other, alpha);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)other)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_sub_Tensor_fn)kernel->typed)(op, keys, self, other, alpha);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_sub_out;
oy_op_handle oy_handle_sub_out = {NULL, "aten::sub.out"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_sub_out(oy_tensor* self,
    oy_tensor* other, oy_value alpha, oy_tensor* out) {
  const oy_op* op = oy_op_handle_get(&oy_handle_sub_out);
  if (!op || !self || !other || !out)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : !other ? "other" : "out");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_sub_out(self, other, alpha, out);
}
oy_tensor* oy_sub_out(oy_tensor* self, oy_tensor* other, oy_value alpha,
    oy_tensor* out) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_sub_out);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_sub_out(self, other, alpha, out);
  if (OY_UNLIKELY(!self))
    return oy_cold_sub_out(self, other, alpha, out);
  if (OY_UNLIKELY(!other))
    return oy_cold_sub_out(self, other, alpha, out);
  if (OY_UNLIKELY(!out))
    return oy_cold_sub_out(self, other, alpha, out);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_sub_out(self, other, alpha, out);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)other)->keys);
  keys = oy_keyset_or(keys, ((const oy_object*)out)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_sub_out_fn)kernel->typed)(op, keys, self, other, alpha, out);
  oy_call_leave(before);
  return result;
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_sub__Tensor;
oy_op_handle oy_handle_sub__Tensor = {NULL, "aten::sub_.Tensor"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_sub__Tensor(oy_tensor* self,
    oy_tensor* other, oy_value alpha) {
  const oy_op* op = oy_op_handle_get(&oy_handle_sub__Tensor);
  if (!op || !self || !other)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_sub__Tensor(self, other, alpha);
}
oy_tensor* oy_sub__Tensor(oy_tensor* self, oy_tensor* other, oy_value alpha) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_sub__Tensor);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_sub__Tensor(self, other, alpha);
  if (OY_UNLIKELY(!self))
    return oy_cold_sub__Tensor(self, other, alpha);
  if (OY_UNLIKELY(!other))
    return oy_cold_sub__Tensor(self, other, alpha);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_sub__Tensor(self, other, alpha);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)other)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_sub__Tensor_fn)kernel->typed)(op, keys, self, other, alpha);
  oy_call_leave(before);
  return result;
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_sub_Scalar;
oy_op_handle oy_handle_sub_Scalar = {NULL, "aten::sub.Scalar"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_sub_Scalar(oy_tensor* self,
    oy_value other, oy_value alpha) {
  const oy_op* op = oy_op_handle_get(&oy_handle_sub_Scalar);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_sub_Scalar(self, other, alpha);
}
oy_tensor* oy_sub_Scalar(oy_tensor* self, oy_value other, oy_value alpha) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_sub_Scalar);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_sub_Scalar(self, other, alpha);
  if (OY_UNLIKELY(!self))
    return oy_cold_sub_Scalar(self, other, alpha);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_sub_Scalar(self, other, alpha);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_sub_Scalar_fn)kernel->typed)(op, keys, self, other, alpha);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_sub__Scalar;
oy_op_handle oy_handle_sub__Scalar = {NULL, "aten::sub_.Scalar"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_sub__Scalar(oy_tensor* self,
    oy_value other, oy_value alpha) {
  const oy_op* op = oy_op_handle_get(&oy_handle_sub__Scalar);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_sub__Scalar(self, other, alpha);
}
oy_tensor* oy_sub__Scalar(oy_tensor* self, oy_value other, oy_value alpha) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_sub__Scalar);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_sub__Scalar(self, other, alpha);
  if (OY_UNLIKELY(!self))
    return oy_cold_sub__Scalar(self, other, alpha);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_sub__Scalar(self, other, alpha);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_sub__Scalar_fn)kernel->typed)(op, keys, self, other, alpha);
  oy_call_leave(before);
  return result;
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_mul_Tensor;
oy_op_handle oy_handle_mul_Tensor = {NULL, "aten::mul.Tensor"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_mul_Tensor(oy_tensor* self,
    oy_tensor* other) {
  const oy_op* op = oy_op_handle_get(&oy_handle_mul_Tensor);
  if (!op || !self || !other)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_mul_Tensor(self, other);
}
oy_tensor* oy_mul_Tensor(oy_tensor* self, oy_tensor* other) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_mul_Tensor);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_mul_Tensor(self, other);
  if (OY_UNLIKELY(!self))
    return oy_cold_mul_Tensor(self, other);
  if (OY_UNLIKELY(!other))
    return oy_cold_mul_Tensor(self, other);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_mul_Tensor(self, other);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)other)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_mul_Tensor_fn)kernel->typed)(op, keys, self, other);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_mul_out;
oy_op_handle oy_handle_mul_out = {NULL, "aten::mul.out"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_mul_out(oy_tensor* self,
    oy_tensor* other, oy_tensor* out) {
  const oy_op* op = oy_op_handle_get(&oy_handle_mul_out);
  if (!op || !self || !other || !out)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : !other ? "other" : "out");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_mul_out(self, other, out);
}
oy_tensor* oy_mul_out(oy_tensor* self, oy_tensor* other, oy_tensor* out) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_mul_out);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_mul_out(self, other, out);
  if (OY_UNLIKELY(!self))
    return oy_cold_mul_out(self, other, out);
  if (OY_UNLIKELY(!other))
    return oy_cold_mul_out(self, other, out);
  if (OY_UNLIKELY(!out))
    return oy_cold_mul_out(self, other, out);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_mul_out(self, other, out);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)other)->keys);
  keys = oy_keyset_or(keys, ((const oy_object*)out)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_mul_out_fn)kernel->typed)(op, keys, self, other, out);
  oy_call_leave(before);
  return result;
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_mul__Tensor;
oy_op_handle oy_handle_mul__Tensor = {NULL, "aten::mul_.Tensor"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_mul__Tensor(oy_tensor* self,
    oy_tensor* other) {
  const oy_op* op = oy_op_handle_get(&oy_handle_mul__Tensor);
  if (!op || !self || !other)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_mul__Tensor(self, other);
}
oy_tensor* oy_mul__Tensor(oy_tensor* self, oy_tensor* other) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_mul__Tensor);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_mul__Tensor(self, other);
  if (OY_UNLIKELY(!self))
    return oy_cold_mul__Tensor(self, other);
  if (OY_UNLIKELY(!other))
    return oy_cold_mul__Tensor(self, other);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_mul__Tensor(self, other);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)other)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_mul__Tensor_fn)kernel->typed)(op, keys, self, other);
  oy_call_leave(before);
  return result;
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_mul_Scalar;
oy_op_handle oy_handle_mul_Scalar = {NULL, "aten::mul.Scalar"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_mul_Scalar(oy_tensor* self,
    oy_value other) {
  const oy_op* op = oy_op_handle_get(&oy_handle_mul_Scalar);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_mul_Scalar(self, other);
}
oy_tensor* oy_mul_Scalar(oy_tensor* self, oy_value other) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_mul_Scalar);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_mul_Scalar(self, other);
  if (OY_UNLIKELY(!self))
    return oy_cold_mul_Scalar(self, other);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_mul_Scalar(self, other);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_mul_Scalar_fn)kernel->typed)(op, keys, self, other);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_mul__Scalar;
oy_op_handle oy_handle_mul__Scalar = {NULL, "aten::mul_.Scalar"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_mul__Scalar(oy_tensor* self,
    oy_value other) {
  const oy_op* op = oy_op_handle_get(&oy_handle_mul__Scalar);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_mul__Scalar(self, other);
}
oy_tensor* oy_mul__Scalar(oy_tensor* self, oy_value other) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_mul__Scalar);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_mul__Scalar(self, other);
  if (OY_UNLIKELY(!self))
    return oy_cold_mul__Scalar(self, other);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_mul__Scalar(self, other);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_mul__Scalar_fn)kernel->typed)(op, keys, self, other);
  oy_call_leave(before);
  return result;
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_div_Tensor;
oy_op_handle oy_handle_div_Tensor = {NULL, "aten::div.Tensor"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_div_Tensor(oy_tensor* self,
    oy_tensor* other) {
  const oy_op* op = oy_op_handle_get(&oy_handle_div_Tensor);
  if (!op || !self || !other)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_div_Tensor(self, other);
}
oy_tensor* oy_div_Tensor(oy_tensor* self, oy_tensor* other) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_div_Tensor);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_div_Tensor(self, other);
  if (OY_UNLIKELY(!self))
    return oy_cold_div_Tensor(self, other);
  if (OY_UNLIKELY(!other))
    return oy_cold_div_Tensor(self, other);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_div_Tensor(self, other);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)other)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_div_Tensor_fn)kernel->typed)(op, keys, self, other);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_div_out;
oy_op_handle oy_handle_div_out = {NULL, "aten::div.out"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_div_out(oy_tensor* self,
    oy_tensor* other, oy_tensor* out) {
  const oy_op* op = oy_op_handle_get(&oy_handle_div_out);
  if (!op || !self || !other || !out)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : !other ? "other" : "out");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_div_out(self, other, out);
}
oy_tensor* oy_div_out(oy_tensor* self, oy_tensor* other, oy_tensor* out) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_div_out);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_div_out(self, other, out);
  if (OY_UNLIKELY(!self))
    return oy_cold_div_out(self, other, out);
  if (OY_UNLIKELY(!other))
    return oy_cold_div_out(self, other, out);
  if (OY_UNLIKELY(!out))
    return oy_cold_div_out(self, other, out);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_div_out(self, other, out);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)other)->keys);
  keys = oy_keyset_or(keys, ((const oy_object*)out)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_div_out_fn)kernel->typed)(op, keys, self, other, out);
  oy_call_leave(before);
  return result;
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_div__Tensor;
oy_op_handle oy_handle_div__Tensor = {NULL, "aten::div_.Tensor"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_div__Tensor(oy_tensor* self,
    oy_tensor* other) {
  const oy_op* op = oy_op_handle_get(&oy_handle_div__Tensor);
  if (!op || !self || !other)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_div__Tensor(self, other);
}
oy_tensor* oy_div__Tensor(oy_tensor* self, oy_tensor* other) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_div__Tensor);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_div__Tensor(self, other);
  if (OY_UNLIKELY(!self))
    return oy_cold_div__Tensor(self, other);
  if (OY_UNLIKELY(!other))
    return oy_cold_div__Tensor(self, other);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_div__Tensor(self, other);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)other)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_div__Tensor_fn)kernel->typed)(op, keys, self, other);
  oy_call_leave(before);
  return result;
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_div_Scalar;
oy_op_handle oy_handle_div_Scalar = {NULL, "aten::div.Scalar"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_div_Scalar(oy_tensor* self,
    oy_value other) {
  const oy_op* op = oy_op_handle_get(&oy_handle_div_Scalar);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_div_Scalar(self, other);
}
oy_tensor* oy_div_Scalar(oy_tensor* self, oy_value other) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_div_Scalar);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_div_Scalar(self, other);
  if (OY_UNLIKELY(!self))
    return oy_cold_div_Scalar(self, other);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_div_Scalar(self, other);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_div_Scalar_fn)kernel->typed)(op, keys, self, other);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_div__Scalar;
oy_op_handle oy_handle_div__Scalar = {NULL, "aten::div_.Scalar"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_div__Scalar(oy_tensor* self,
    oy_value other) {
  const oy_op* op = oy_op_handle_get(&oy_handle_div__Scalar);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_div__Scalar(self, other);
}
oy_tensor* oy_div__Scalar(oy_tensor* self, oy_value other) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_div__Scalar);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_div__Scalar(self, other);
  if (OY_UNLIKELY(!self))
    return oy_cold_div__Scalar(self, other);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_div__Scalar(self, other);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_div__Scalar_fn)kernel->typed)(op, keys, self, other);
  oy_call_leave(before);
  return result;
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_neg;
oy_op_handle oy_handle_neg = {NULL, "aten::neg"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_neg(oy_tensor* self) {
  const oy_op* op = oy_op_handle_get(&oy_handle_neg);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_neg(self);
}
oy_tensor* oy_neg(oy_tensor* self) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_neg);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_neg(self);
  if (OY_UNLIKELY(!self))
    return oy_cold_neg(self);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_neg(self);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_neg_fn)kernel->typed)(op, keys, self);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_neg_out;
oy_op_handle oy_handle_neg_out = {NULL, "aten::neg.out"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_neg_out(oy_tensor* self,
    oy_tensor* out) {
  const oy_op* op = oy_op_handle_get(&oy_handle_neg_out);
  if (!op || !self || !out)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "out");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_neg_out(self, out);
}
oy_tensor* oy_neg_out(oy_tensor* self, oy_tensor* out) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_neg_out);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_neg_out(self, out);
  if (OY_UNLIKELY(!self))
    return oy_cold_neg_out(self, out);
  if (OY_UNLIKELY(!out))
    return oy_cold_neg_out(self, out);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_neg_out(self, out);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)out)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_neg_out_fn)kernel->typed)(op, keys, self, out);
  oy_call_leave(before);
  return result;
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_neg_;
oy_op_handle oy_handle_neg_ = {NULL, "aten::neg_"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_neg_(oy_tensor* self) {
  const oy_op* op = oy_op_handle_get(&oy_handle_neg_);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_neg_(self);
}
oy_tensor* oy_neg_(oy_tensor* self) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_neg_);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_neg_(self);
  if (OY_UNLIKELY(!self))
    return oy_cold_neg_(self);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_neg_(self);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_neg__fn)kernel->typed)(op, keys, self);
  oy_call_leave(before);
  return result;
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_relu;
oy_op_handle oy_handle_relu = {NULL, "aten::relu"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_relu(oy_tensor* self) {
  const oy_op* op = oy_op_handle_get(&oy_handle_relu);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_relu(self);
}
oy_tensor* oy_relu(oy_tensor* self) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_relu);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_relu(self);
  if (OY_UNLIKELY(!self))
    return oy_cold_relu(self);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_relu(self);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_relu_fn)kernel->typed)(op, keys, self);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_relu_;
oy_op_handle oy_handle_relu_ = {NULL, "aten::relu_"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_relu_(oy_tensor* self) {
  const oy_op* op = oy_op_handle_get(&oy_handle_relu_);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_relu_(self);
}
oy_tensor* oy_relu_(oy_tensor* self) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_relu_);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_relu_(self);
  if (OY_UNLIKELY(!self))
    return oy_cold_relu_(self);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_relu_(self);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_relu__fn)kernel->typed)(op, keys, self);
  oy_call_leave(before);
  return result;
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_threshold_backward;
oy_op_handle oy_handle_threshold_backward = {NULL, "aten::threshold_backward"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_threshold_backward(
    oy_tensor* grad_output, oy_tensor* self, oy_value threshold) {
  const oy_op* op = oy_op_handle_get(&oy_handle_threshold_backward);
  if (!op || !grad_output || !self)
    return (oy_tensor*)oy_call_null(op, !grad_output ? "grad_output" : "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_threshold_backward(grad_output, self, threshold);
}
oy_tensor* oy_threshold_backward(oy_tensor* grad_output, oy_tensor* self,
    oy_value threshold) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_threshold_backward);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_threshold_backward(grad_output, self, threshold);
  if (OY_UNLIKELY(!grad_output))
    return oy_cold_threshold_backward(grad_output, self, threshold);
  if (OY_UNLIKELY(!self))
    return oy_cold_threshold_backward(grad_output, self, threshold);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_threshold_backward(grad_output, self, threshold);
  oy_keyset keys = ((const oy_object*)grad_output)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)self)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_threshold_backward_fn)kernel->typed)(op, keys, grad_output,
      self, threshold);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_eq_Tensor;
oy_op_handle oy_handle_eq_Tensor = {NULL, "aten::eq.Tensor"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_eq_Tensor(oy_tensor* self,
    oy_tensor* other) {
  const oy_op* op = oy_op_handle_get(&oy_handle_eq_Tensor);
  if (!op || !self || !other)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_eq_Tensor(self, other);
}
oy_tensor* oy_eq_Tensor(oy_tensor* self, oy_tensor* other) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_eq_Tensor);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_eq_Tensor(self, other);
  if (OY_UNLIKELY(!self))
    return oy_cold_eq_Tensor(self, other);
  if (OY_UNLIKELY(!other))
    return oy_cold_eq_Tensor(self, other);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_eq_Tensor(self, other);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)other)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_eq_Tensor_fn)kernel->typed)(op, keys, self, other);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_ne_Tensor;
oy_op_handle oy_handle_ne_Tensor = {NULL, "aten::ne.Tensor"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_ne_Tensor(oy_tensor* self,
    oy_tensor* other) {
  const oy_op* op = oy_op_handle_get(&oy_handle_ne_Tensor);
  if (!op || !self || !other)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_ne_Tensor(self, other);
}
oy_tensor* oy_ne_Tensor(oy_tensor* self, oy_tensor* other) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_ne_Tensor);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_ne_Tensor(self, other);
  if (OY_UNLIKELY(!self))
    return oy_cold_ne_Tensor(self, other);
  if (OY_UNLIKELY(!other))
    return oy_cold_ne_Tensor(self, other);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_ne_Tensor(self, other);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)other)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_ne_Tensor_fn)kernel->typed)(op, keys, self, other);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_lt_Tensor;
oy_op_handle oy_handle_lt_Tensor = {NULL, "aten::lt.Tensor"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_lt_Tensor(oy_tensor* self,
    oy_tensor* other) {
  const oy_op* op = oy_op_handle_get(&oy_handle_lt_Tensor);
  if (!op || !self || !other)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_lt_Tensor(self, other);
}
oy_tensor* oy_lt_Tensor(oy_tensor* self, oy_tensor* other) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_lt_Tensor);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_lt_Tensor(self, other);
  if (OY_UNLIKELY(!self))
    return oy_cold_lt_Tensor(self, other);
  if (OY_UNLIKELY(!other))
    return oy_cold_lt_Tensor(self, other);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_lt_Tensor(self, other);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)other)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_lt_Tensor_fn)kernel->typed)(op, keys, self, other);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_le_Tensor;
oy_op_handle oy_handle_le_Tensor = {NULL, "aten::le.Tensor"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_le_Tensor(oy_tensor* self,
    oy_tensor* other) {
  const oy_op* op = oy_op_handle_get(&oy_handle_le_Tensor);
  if (!op || !self || !other)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_le_Tensor(self, other);
}
oy_tensor* oy_le_Tensor(oy_tensor* self, oy_tensor* other) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_le_Tensor);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_le_Tensor(self, other);
  if (OY_UNLIKELY(!self))
    return oy_cold_le_Tensor(self, other);
  if (OY_UNLIKELY(!other))
    return oy_cold_le_Tensor(self, other);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_le_Tensor(self, other);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)other)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_le_Tensor_fn)kernel->typed)(op, keys, self, other);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_gt_Tensor;
oy_op_handle oy_handle_gt_Tensor = {NULL, "aten::gt.Tensor"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_gt_Tensor(oy_tensor* self,
    oy_tensor* other) {
  const oy_op* op = oy_op_handle_get(&oy_handle_gt_Tensor);
  if (!op || !self || !other)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_gt_Tensor(self, other);
}
oy_tensor* oy_gt_Tensor(oy_tensor* self, oy_tensor* other) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_gt_Tensor);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_gt_Tensor(self, other);
  if (OY_UNLIKELY(!self))
    return oy_cold_gt_Tensor(self, other);
  if (OY_UNLIKELY(!other))
    return oy_cold_gt_Tensor(self, other);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_gt_Tensor(self, other);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)other)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_gt_Tensor_fn)kernel->typed)(op, keys, self, other);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_ge_Tensor;
oy_op_handle oy_handle_ge_Tensor = {NULL, "aten::ge.Tensor"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_ge_Tensor(oy_tensor* self,
    oy_tensor* other) {
  const oy_op* op = oy_op_handle_get(&oy_handle_ge_Tensor);
  if (!op || !self || !other)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_ge_Tensor(self, other);
}
oy_tensor* oy_ge_Tensor(oy_tensor* self, oy_tensor* other) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_ge_Tensor);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_ge_Tensor(self, other);
  if (OY_UNLIKELY(!self))
    return oy_cold_ge_Tensor(self, other);
  if (OY_UNLIKELY(!other))
    return oy_cold_ge_Tensor(self, other);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_ge_Tensor(self, other);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)other)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_ge_Tensor_fn)kernel->typed)(op, keys, self, other);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_eq_Scalar;
oy_op_handle oy_handle_eq_Scalar = {NULL, "aten::eq.Scalar"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_eq_Scalar(oy_tensor* self,
    oy_value other) {
  const oy_op* op = oy_op_handle_get(&oy_handle_eq_Scalar);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_eq_Scalar(self, other);
}
oy_tensor* oy_eq_Scalar(oy_tensor* self, oy_value other) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_eq_Scalar);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_eq_Scalar(self, other);
  if (OY_UNLIKELY(!self))
    return oy_cold_eq_Scalar(self, other);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_eq_Scalar(self, other);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_eq_Scalar_fn)kernel->typed)(op, keys, self, other);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_ne_Scalar;
oy_op_handle oy_handle_ne_Scalar = {NULL, "aten::ne.Scalar"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_ne_Scalar(oy_tensor* self,
    oy_value other) {
  const oy_op* op = oy_op_handle_get(&oy_handle_ne_Scalar);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_ne_Scalar(self, other);
}
oy_tensor* oy_ne_Scalar(oy_tensor* self, oy_value other) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_ne_Scalar);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_ne_Scalar(self, other);
  if (OY_UNLIKELY(!self))
    return oy_cold_ne_Scalar(self, other);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_ne_Scalar(self, other);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_ne_Scalar_fn)kernel->typed)(op, keys, self, other);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_lt_Scalar;
oy_op_handle oy_handle_lt_Scalar = {NULL, "aten::lt.Scalar"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_lt_Scalar(oy_tensor* self,
    oy_value other) {
  const oy_op* op = oy_op_handle_get(&oy_handle_lt_Scalar);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_lt_Scalar(self, other);
}
oy_tensor* oy_lt_Scalar(oy_tensor* self, oy_value other) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_lt_Scalar);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_lt_Scalar(self, other);
  if (OY_UNLIKELY(!self))
    return oy_cold_lt_Scalar(self, other);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_lt_Scalar(self, other);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_lt_Scalar_fn)kernel->typed)(op, keys, self, other);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_le_Scalar;
oy_op_handle oy_handle_le_Scalar = {NULL, "aten::le.Scalar"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_le_Scalar(oy_tensor* self,
    oy_value other) {
  const oy_op* op = oy_op_handle_get(&oy_handle_le_Scalar);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_le_Scalar(self, other);
}
oy_tensor* oy_le_Scalar(oy_tensor* self, oy_value other) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_le_Scalar);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_le_Scalar(self, other);
  if (OY_UNLIKELY(!self))
    return oy_cold_le_Scalar(self, other);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_le_Scalar(self, other);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_le_Scalar_fn)kernel->typed)(op, keys, self, other);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_gt_Scalar;
oy_op_handle oy_handle_gt_Scalar = {NULL, "aten::gt.Scalar"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_gt_Scalar(oy_tensor* self,
    oy_value other) {
  const oy_op* op = oy_op_handle_get(&oy_handle_gt_Scalar);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_gt_Scalar(self, other);
}
oy_tensor* oy_gt_Scalar(oy_tensor* self, oy_value other) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_gt_Scalar);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_gt_Scalar(self, other);
  if (OY_UNLIKELY(!self))
    return oy_cold_gt_Scalar(self, other);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_gt_Scalar(self, other);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_gt_Scalar_fn)kernel->typed)(op, keys, self, other);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_ge_Scalar;
oy_op_handle oy_handle_ge_Scalar = {NULL, "aten::ge.Scalar"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_ge_Scalar(oy_tensor* self,
    oy_value other) {
  const oy_op* op = oy_op_handle_get(&oy_handle_ge_Scalar);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_ge_Scalar(self, other);
}
oy_tensor* oy_ge_Scalar(oy_tensor* self, oy_value other) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_ge_Scalar);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_ge_Scalar(self, other);
  if (OY_UNLIKELY(!self))
    return oy_cold_ge_Scalar(self, other);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_ge_Scalar(self, other);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_ge_Scalar_fn)kernel->typed)(op, keys, self, other);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_sum;
oy_op_handle oy_handle_sum = {NULL, "aten::sum"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_sum(oy_tensor* self,
    oy_value dtype) {
  const oy_op* op = oy_op_handle_get(&oy_handle_sum);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_sum(self, dtype);
}
oy_tensor* oy_sum(oy_tensor* self, oy_value dtype) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_sum);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_sum(self, dtype);
  if (OY_UNLIKELY(!self))
    return oy_cold_sum(self, dtype);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_sum(self, dtype);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_sum_fn)kernel->typed)(op, keys, self, dtype);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_sum_dim_IntList;
oy_op_handle oy_handle_sum_dim_IntList = {NULL, "aten::sum.dim_IntList"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_sum_dim_IntList(
    oy_tensor* self, oy_ints dim, bool keepdim, oy_value dtype) {
  const oy_op* op = oy_op_handle_get(&oy_handle_sum_dim_IntList);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_sum_dim_IntList(self, dim, keepdim, dtype);
}
oy_tensor* oy_sum_dim_IntList(oy_tensor* self, oy_ints dim, bool keepdim,
    oy_value dtype) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_sum_dim_IntList);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_sum_dim_IntList(self, dim, keepdim, dtype);
  if (OY_UNLIKELY(!self))
    return oy_cold_sum_dim_IntList(self, dim, keepdim, dtype);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_sum_dim_IntList(self, dim, keepdim, dtype);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_sum_dim_IntList_fn)kernel->typed)(op, keys, self, dim, keepdim,
      dtype);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_sum_IntList_out;
oy_op_handle oy_handle_sum_IntList_out = {NULL, "aten::sum.IntList_out"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_sum_IntList_out(
    oy_tensor* self, oy_ints dim, bool keepdim, oy_value dtype, oy_tensor* out) {
  const oy_op* op = oy_op_handle_get(&oy_handle_sum_IntList_out);
  if (!op || !self || !out)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "out");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_sum_IntList_out(self, dim, keepdim, dtype, out);
}
oy_tensor* oy_sum_IntList_out(oy_tensor* self, oy_ints dim, bool keepdim, oy_value dtype,
    oy_tensor* out) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_sum_IntList_out);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_sum_IntList_out(self, dim, keepdim, dtype, out);
  if (OY_UNLIKELY(!self))
    return oy_cold_sum_IntList_out(self, dim, keepdim, dtype, out);
  if (OY_UNLIKELY(!out))
    return oy_cold_sum_IntList_out(self, dim, keepdim, dtype, out);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_sum_IntList_out(self, dim, keepdim, dtype, out);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)out)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_sum_IntList_out_fn)kernel->typed)(op, keys, self, dim, keepdim,
      dtype, out);
  oy_call_leave(before);
  return result;
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_mean;
oy_op_handle oy_handle_mean = {NULL, "aten::mean"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_mean(oy_tensor* self,
    oy_value dtype) {
  const oy_op* op = oy_op_handle_get(&oy_handle_mean);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_mean(self, dtype);
}
oy_tensor* oy_mean(oy_tensor* self, oy_value dtype) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_mean);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_mean(self, dtype);
  if (OY_UNLIKELY(!self))
    return oy_cold_mean(self, dtype);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_mean(self, dtype);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_mean_fn)kernel->typed)(op, keys, self, dtype);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_mean_dim;
oy_op_handle oy_handle_mean_dim = {NULL, "aten::mean.dim"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_mean_dim(oy_tensor* self,
    oy_ints dim, bool keepdim, oy_value dtype) {
  const oy_op* op = oy_op_handle_get(&oy_handle_mean_dim);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_mean_dim(self, dim, keepdim, dtype);
}
oy_tensor* oy_mean_dim(oy_tensor* self, oy_ints dim, bool keepdim, oy_value dtype) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_mean_dim);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_mean_dim(self, dim, keepdim, dtype);
  if (OY_UNLIKELY(!self))
    return oy_cold_mean_dim(self, dim, keepdim, dtype);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_mean_dim(self, dim, keepdim, dtype);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_mean_dim_fn)kernel->typed)(op, keys, self, dim, keepdim,
      dtype);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_mean_out;
oy_op_handle oy_handle_mean_out = {NULL, "aten::mean.out"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_mean_out(oy_tensor* self,
    oy_ints dim, bool keepdim, oy_value dtype, oy_tensor* out) {
  const oy_op* op = oy_op_handle_get(&oy_handle_mean_out);
  if (!op || !self || !out)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "out");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_mean_out(self, dim, keepdim, dtype, out);
}
oy_tensor* oy_mean_out(oy_tensor* self, oy_ints dim, bool keepdim, oy_value dtype,
    oy_tensor* out) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_mean_out);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_mean_out(self, dim, keepdim, dtype, out);
  if (OY_UNLIKELY(!self))
    return oy_cold_mean_out(self, dim, keepdim, dtype, out);
  if (OY_UNLIKELY(!out))
    return oy_cold_mean_out(self, dim, keepdim, dtype, out);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_mean_out(self, dim, keepdim, dtype, out);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)out)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_mean_out_fn)kernel->typed)(op, keys, self, dim, keepdim, dtype,
      out);
  oy_call_leave(before);
  return result;
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_as_strided;
oy_op_handle oy_handle_as_strided = {NULL, "aten::as_strided"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_as_strided(oy_tensor* self,
    oy_ints size, oy_ints stride, oy_value storage_offset) {
  const oy_op* op = oy_op_handle_get(&oy_handle_as_strided);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_as_strided(self, size, stride, storage_offset);
}
oy_tensor* oy_as_strided(oy_tensor* self, oy_ints size, oy_ints stride,
    oy_value storage_offset) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_as_strided);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_as_strided(self, size, stride, storage_offset);
  if (OY_UNLIKELY(!self))
    return oy_cold_as_strided(self, size, stride, storage_offset);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_as_strided(self, size, stride, storage_offset);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_as_strided_fn)kernel->typed)(op, keys, self, size, stride,
      storage_offset);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_view;
oy_op_handle oy_handle_view = {NULL, "aten::view"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_view(oy_tensor* self,
    oy_ints size) {
  const oy_op* op = oy_op_handle_get(&oy_handle_view);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_view(self, size);
}
oy_tensor* oy_view(oy_tensor* self, oy_ints size) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_view);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_view(self, size);
  if (OY_UNLIKELY(!self))
    return oy_cold_view(self, size);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_view(self, size);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_view_fn)kernel->typed)(op, keys, self, size);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_expand;
oy_op_handle oy_handle_expand = {NULL, "aten::expand"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_expand(oy_tensor* self,
    oy_ints size, bool implicit) {
  const oy_op* op = oy_op_handle_get(&oy_handle_expand);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_expand(self, size, implicit);
}
oy_tensor* oy_expand(oy_tensor* self, oy_ints size, bool implicit) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_expand);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_expand(self, size, implicit);
  if (OY_UNLIKELY(!self))
    return oy_cold_expand(self, size, implicit);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_expand(self, size, implicit);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_expand_fn)kernel->typed)(op, keys, self, size, implicit);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_t;
oy_op_handle oy_handle_t = {NULL, "aten::t"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_t(oy_tensor* self) {
  const oy_op* op = oy_op_handle_get(&oy_handle_t);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_t(self);
}
oy_tensor* oy_t(oy_tensor* self) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_t);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_t(self);
  if (OY_UNLIKELY(!self))
    return oy_cold_t(self);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_t(self);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_t_fn)kernel->typed)(op, keys, self);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_transpose_int;
oy_op_handle oy_handle_transpose_int = {NULL, "aten::transpose.int"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_transpose_int(oy_tensor* self,
    int64_t dim0, int64_t dim1) {
  const oy_op* op = oy_op_handle_get(&oy_handle_transpose_int);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_transpose_int(self, dim0, dim1);
}
oy_tensor* oy_transpose_int(oy_tensor* self, int64_t dim0, int64_t dim1) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_transpose_int);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_transpose_int(self, dim0, dim1);
  if (OY_UNLIKELY(!self))
    return oy_cold_transpose_int(self, dim0, dim1);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_transpose_int(self, dim0, dim1);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_transpose_int_fn)kernel->typed)(op, keys, self, dim0, dim1);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_unsqueeze;
oy_op_handle oy_handle_unsqueeze = {NULL, "aten::unsqueeze"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_unsqueeze(oy_tensor* self,
    int64_t dim) {
  const oy_op* op = oy_op_handle_get(&oy_handle_unsqueeze);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_unsqueeze(self, dim);
}
oy_tensor* oy_unsqueeze(oy_tensor* self, int64_t dim) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_unsqueeze);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_unsqueeze(self, dim);
  if (OY_UNLIKELY(!self))
    return oy_cold_unsqueeze(self, dim);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_unsqueeze(self, dim);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_unsqueeze_fn)kernel->typed)(op, keys, self, dim);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_squeeze_dim;
oy_op_handle oy_handle_squeeze_dim = {NULL, "aten::squeeze.dim"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_squeeze_dim(oy_tensor* self,
    int64_t dim) {
  const oy_op* op = oy_op_handle_get(&oy_handle_squeeze_dim);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_squeeze_dim(self, dim);
}
oy_tensor* oy_squeeze_dim(oy_tensor* self, int64_t dim) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_squeeze_dim);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_squeeze_dim(self, dim);
  if (OY_UNLIKELY(!self))
    return oy_cold_squeeze_dim(self, dim);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_squeeze_dim(self, dim);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_squeeze_dim_fn)kernel->typed)(op, keys, self, dim);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_select_int;
oy_op_handle oy_handle_select_int = {NULL, "aten::select.int"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_select_int(oy_tensor* self,
    int64_t dim, int64_t index) {
  const oy_op* op = oy_op_handle_get(&oy_handle_select_int);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_select_int(self, dim, index);
}
oy_tensor* oy_select_int(oy_tensor* self, int64_t dim, int64_t index) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_select_int);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_select_int(self, dim, index);
  if (OY_UNLIKELY(!self))
    return oy_cold_select_int(self, dim, index);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_select_int(self, dim, index);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_select_int_fn)kernel->typed)(op, keys, self, dim, index);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_op_alias;
oy_op_handle oy_handle_op_alias = {NULL, "aten::alias"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_op_alias(oy_tensor* self) {
  const oy_op* op = oy_op_handle_get(&oy_handle_op_alias);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_op_alias(self);
}
oy_tensor* oy_op_alias(oy_tensor* self) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_op_alias);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_op_alias(self);
  if (OY_UNLIKELY(!self))
    return oy_cold_op_alias(self);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_op_alias(self);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_op_alias_fn)kernel->typed)(op, keys, self);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_detach;
oy_op_handle oy_handle_detach = {NULL, "aten::detach"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_detach(oy_tensor* self) {
  const oy_op* op = oy_op_handle_get(&oy_handle_detach);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_detach(self);
}
oy_tensor* oy_detach(oy_tensor* self) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_detach);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_detach(self);
  if (OY_UNLIKELY(!self))
    return oy_cold_detach(self);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_detach(self);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_detach_fn)kernel->typed)(op, keys, self);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_reshape;
oy_op_handle oy_handle_reshape = {NULL, "aten::reshape"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_reshape(oy_tensor* self,
    oy_ints shape) {
  const oy_op* op = oy_op_handle_get(&oy_handle_reshape);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_reshape(self, shape);
}
oy_tensor* oy_reshape(oy_tensor* self, oy_ints shape) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_reshape);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_reshape(self, shape);
  if (OY_UNLIKELY(!self))
    return oy_cold_reshape(self, shape);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_reshape(self, shape);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_reshape_fn)kernel->typed)(op, keys, self, shape);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle__unsafe_view;
oy_op_handle oy_handle__unsafe_view = {NULL, "aten::_unsafe_view"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold__unsafe_view(oy_tensor* self,
    oy_ints size) {
  const oy_op* op = oy_op_handle_get(&oy_handle__unsafe_view);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy__unsafe_view(self, size);
}
oy_tensor* oy__unsafe_view(oy_tensor* self, oy_ints size) {
  const oy_op* op = oy_op_handle_peek(&oy_handle__unsafe_view);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold__unsafe_view(self, size);
  if (OY_UNLIKELY(!self))
    return oy_cold__unsafe_view(self, size);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold__unsafe_view(self, size);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy__unsafe_view_fn)kernel->typed)(op, keys, self, size);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_contiguous;
oy_op_handle oy_handle_contiguous = {NULL, "aten::contiguous"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_contiguous(oy_tensor* self,
    int64_t memory_format) {
  const oy_op* op = oy_op_handle_get(&oy_handle_contiguous);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_contiguous(self, memory_format);
}
oy_tensor* oy_contiguous(oy_tensor* self, int64_t memory_format) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_contiguous);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_contiguous(self, memory_format);
  if (OY_UNLIKELY(!self))
    return oy_cold_contiguous(self, memory_format);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_contiguous(self, memory_format);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_contiguous_fn)kernel->typed)(op, keys, self, memory_format);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_mm;
oy_op_handle oy_handle_mm = {NULL, "aten::mm"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_mm(oy_tensor* self,
    oy_tensor* mat2) {
  const oy_op* op = oy_op_handle_get(&oy_handle_mm);
  if (!op || !self || !mat2)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "mat2");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_mm(self, mat2);
}
oy_tensor* oy_mm(oy_tensor* self, oy_tensor* mat2) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_mm);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_mm(self, mat2);
  if (OY_UNLIKELY(!self))
    return oy_cold_mm(self, mat2);
  if (OY_UNLIKELY(!mat2))
    return oy_cold_mm(self, mat2);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_mm(self, mat2);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)mat2)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_mm_fn)kernel->typed)(op, keys, self, mat2);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_mm_out;
oy_op_handle oy_handle_mm_out = {NULL, "aten::mm.out"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_mm_out(oy_tensor* self,
    oy_tensor* mat2, oy_tensor* out) {
  const oy_op* op = oy_op_handle_get(&oy_handle_mm_out);
  if (!op || !self || !mat2 || !out)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : !mat2 ? "mat2" : "out");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_mm_out(self, mat2, out);
}
oy_tensor* oy_mm_out(oy_tensor* self, oy_tensor* mat2, oy_tensor* out) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_mm_out);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_mm_out(self, mat2, out);
  if (OY_UNLIKELY(!self))
    return oy_cold_mm_out(self, mat2, out);
  if (OY_UNLIKELY(!mat2))
    return oy_cold_mm_out(self, mat2, out);
  if (OY_UNLIKELY(!out))
    return oy_cold_mm_out(self, mat2, out);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_mm_out(self, mat2, out);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)mat2)->keys);
  keys = oy_keyset_or(keys, ((const oy_object*)out)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_mm_out_fn)kernel->typed)(op, keys, self, mat2, out);
  oy_call_leave(before);
  return result;
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_bmm;
oy_op_handle oy_handle_bmm = {NULL, "aten::bmm"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_bmm(oy_tensor* self,
    oy_tensor* mat2) {
  const oy_op* op = oy_op_handle_get(&oy_handle_bmm);
  if (!op || !self || !mat2)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "mat2");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_bmm(self, mat2);
}
oy_tensor* oy_bmm(oy_tensor* self, oy_tensor* mat2) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_bmm);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_bmm(self, mat2);
  if (OY_UNLIKELY(!self))
    return oy_cold_bmm(self, mat2);
  if (OY_UNLIKELY(!mat2))
    return oy_cold_bmm(self, mat2);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_bmm(self, mat2);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)mat2)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_bmm_fn)kernel->typed)(op, keys, self, mat2);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_mv;
oy_op_handle oy_handle_mv = {NULL, "aten::mv"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_mv(oy_tensor* self,
    oy_tensor* vec) {
  const oy_op* op = oy_op_handle_get(&oy_handle_mv);
  if (!op || !self || !vec)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "vec");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_mv(self, vec);
}
oy_tensor* oy_mv(oy_tensor* self, oy_tensor* vec) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_mv);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_mv(self, vec);
  if (OY_UNLIKELY(!self))
    return oy_cold_mv(self, vec);
  if (OY_UNLIKELY(!vec))
    return oy_cold_mv(self, vec);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_mv(self, vec);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)vec)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_mv_fn)kernel->typed)(op, keys, self, vec);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_dot;
oy_op_handle oy_handle_dot = {NULL, "aten::dot"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_dot(oy_tensor* self,
    oy_tensor* tensor) {
  const oy_op* op = oy_op_handle_get(&oy_handle_dot);
  if (!op || !self || !tensor)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "tensor");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_dot(self, tensor);
}
oy_tensor* oy_dot(oy_tensor* self, oy_tensor* tensor) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_dot);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_dot(self, tensor);
  if (OY_UNLIKELY(!self))
    return oy_cold_dot(self, tensor);
  if (OY_UNLIKELY(!tensor))
    return oy_cold_dot(self, tensor);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_dot(self, tensor);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)tensor)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_dot_fn)kernel->typed)(op, keys, self, tensor);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_matmul;
oy_op_handle oy_handle_matmul = {NULL, "aten::matmul"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_matmul(oy_tensor* self,
    oy_tensor* other) {
  const oy_op* op = oy_op_handle_get(&oy_handle_matmul);
  if (!op || !self || !other)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_matmul(self, other);
}
oy_tensor* oy_matmul(oy_tensor* self, oy_tensor* other) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_matmul);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_matmul(self, other);
  if (OY_UNLIKELY(!self))
    return oy_cold_matmul(self, other);
  if (OY_UNLIKELY(!other))
    return oy_cold_matmul(self, other);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_matmul(self, other);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)other)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_matmul_fn)kernel->typed)(op, keys, self, other);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_copy_;
oy_op_handle oy_handle_copy_ = {NULL, "aten::copy_"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_copy_(oy_tensor* self,
    oy_tensor* src, bool non_blocking) {
  const oy_op* op = oy_op_handle_get(&oy_handle_copy_);
  if (!op || !self || !src)
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "src");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_copy_(self, src, non_blocking);
}
oy_tensor* oy_copy_(oy_tensor* self, oy_tensor* src, bool non_blocking) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_copy_);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_copy_(self, src, non_blocking);
  if (OY_UNLIKELY(!self))
    return oy_cold_copy_(self, src, non_blocking);
  if (OY_UNLIKELY(!src))
    return oy_cold_copy_(self, src, non_blocking);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_copy_(self, src, non_blocking);
  oy_keyset keys = ((const oy_object*)self)->keys;
  keys = oy_keyset_or(keys, ((const oy_object*)src)->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_copy__fn)kernel->typed)(op, keys, self, src, non_blocking);
  oy_call_leave(before);
  return result;
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_fill__Scalar;
oy_op_handle oy_handle_fill__Scalar = {NULL, "aten::fill_.Scalar"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_fill__Scalar(oy_tensor* self,
    oy_value value) {
  const oy_op* op = oy_op_handle_get(&oy_handle_fill__Scalar);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_fill__Scalar(self, value);
}
oy_tensor* oy_fill__Scalar(oy_tensor* self, oy_value value) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_fill__Scalar);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_fill__Scalar(self, value);
  if (OY_UNLIKELY(!self))
    return oy_cold_fill__Scalar(self, value);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_fill__Scalar(self, value);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_fill__Scalar_fn)kernel->typed)(op, keys, self, value);
  oy_call_leave(before);
  return result;
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_zero_;
oy_op_handle oy_handle_zero_ = {NULL, "aten::zero_"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_zero_(oy_tensor* self) {
  const oy_op* op = oy_op_handle_get(&oy_handle_zero_);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_zero_(self);
}
oy_tensor* oy_zero_(oy_tensor* self) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_zero_);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_zero_(self);
  if (OY_UNLIKELY(!self))
    return oy_cold_zero_(self);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_zero_(self);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_zero__fn)kernel->typed)(op, keys, self);
  oy_call_leave(before);
  return result;
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_clone;
oy_op_handle oy_handle_clone = {NULL, "aten::clone"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_clone(oy_tensor* self,
    oy_value memory_format) {
  const oy_op* op = oy_op_handle_get(&oy_handle_clone);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_clone(self, memory_format);
}
oy_tensor* oy_clone(oy_tensor* self, oy_value memory_format) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_clone);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_clone(self, memory_format);
  if (OY_UNLIKELY(!self))
    return oy_cold_clone(self, memory_format);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_clone(self, memory_format);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_clone_fn)kernel->typed)(op, keys, self, memory_format);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle__to_copy;
oy_op_handle oy_handle__to_copy = {NULL, "aten::_to_copy"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold__to_copy(oy_tensor* self,
    oy_value dtype, oy_value layout, oy_value device, oy_value pin_memory,
    bool non_blocking, oy_value memory_format) {
  const oy_op* op = oy_op_handle_get(&oy_handle__to_copy);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy__to_copy(self, dtype, layout, device, pin_memory, non_blocking,
      memory_format);
}
oy_tensor* oy__to_copy(oy_tensor* self, oy_value dtype, oy_value layout, oy_value device,
    oy_value pin_memory, bool non_blocking, oy_value memory_format) {
  const oy_op* op = oy_op_handle_peek(&oy_handle__to_copy);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold__to_copy(self, dtype, layout, device, pin_memory, non_blocking,
      memory_format);
  if (OY_UNLIKELY(!self))
    return oy_cold__to_copy(self, dtype, layout, device, pin_memory, non_blocking,
      memory_format);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold__to_copy(self, dtype, layout, device, pin_memory, non_blocking,
      memory_format);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy__to_copy_fn)kernel->typed)(op, keys, self, dtype, layout,
      device, pin_memory, non_blocking, memory_format);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_to_dtype;
oy_op_handle oy_handle_to_dtype = {NULL, "aten::to.dtype"};
static __attribute__((noinline, cold)) oy_tensor* oy_cold_to_dtype(oy_tensor* self,
    int64_t dtype, bool non_blocking, bool copy, oy_value memory_format) {
  const oy_op* op = oy_op_handle_get(&oy_handle_to_dtype);
  if (!op || !self)
    return (oy_tensor*)oy_call_null(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_to_dtype(self, dtype, non_blocking, copy, memory_format);
}
oy_tensor* oy_to_dtype(oy_tensor* self, int64_t dtype, bool non_blocking, bool copy,
    oy_value memory_format) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_to_dtype);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_to_dtype(self, dtype, non_blocking, copy, memory_format);
  if (OY_UNLIKELY(!self))
    return oy_cold_to_dtype(self, dtype, non_blocking, copy, memory_format);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_to_dtype(self, dtype, non_blocking, copy, memory_format);
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_tensor* result = ((oy_to_dtype_fn)kernel->typed)(op, keys, self, dtype, non_blocking,
      copy, memory_format);
  return (oy_tensor*)oy_call_result(before, (oy_object*)result);
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle__local_scalar_dense;
oy_op_handle oy_handle__local_scalar_dense = {NULL, "aten::_local_scalar_dense"};
static __attribute__((noinline, cold)) oy_status oy_cold__local_scalar_dense(
    oy_tensor* self, oy_value* out_result) {
  *out_result = oy_none();
  const oy_op* op = oy_op_handle_get(&oy_handle__local_scalar_dense);
  if (!op || !self)
    return oy_call_null_status(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy__local_scalar_dense(self, out_result);
}
oy_status oy__local_scalar_dense(oy_tensor* self, oy_value* out_result) {
  const oy_op* op = oy_op_handle_peek(&oy_handle__local_scalar_dense);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold__local_scalar_dense(self, out_result);
  if (OY_UNLIKELY(!self))
    return oy_cold__local_scalar_dense(self, out_result);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold__local_scalar_dense(self, out_result);
  *out_result = oy_none();
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_status status = ((oy__local_scalar_dense_fn)kernel->typed)(op, keys, self,
      out_result);
  oy_call_leave(before);
  return status;
}

extern __attribute__((visibility("hidden"))) oy_op_handle oy_handle_item;
oy_op_handle oy_handle_item = {NULL, "aten::item"};
static __attribute__((noinline, cold)) oy_status oy_cold_item(oy_tensor* self,
    oy_value* out_result) {
  *out_result = oy_none();
  const oy_op* op = oy_op_handle_get(&oy_handle_item);
  if (!op || !self)
    return oy_call_null_status(op, "self");
  if (oy_call_before() == 0) oy_thread_start();
  return oy_item(self, out_result);
}
oy_status oy_item(oy_tensor* self, oy_value* out_result) {
  const oy_op* op = oy_op_handle_peek(&oy_handle_item);
  uint64_t before = oy_call_before();
  if (OY_UNLIKELY(!op))
    return oy_cold_item(self, out_result);
  if (OY_UNLIKELY(!self))
    return oy_cold_item(self, out_result);
  if (OY_UNLIKELY(!oy_call_begin(before)))
    return oy_cold_item(self, out_result);
  *out_result = oy_none();
  oy_keyset keys = ((const oy_object*)self)->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_status status = ((oy_item_fn)kernel->typed)(op, keys, self, out_result);
  oy_call_leave(before);
  return status;
}

