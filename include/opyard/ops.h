// SPDX-License-Identifier: Apache-2.0
// Made by opgen; changes go into what it was made from.
//
// Typed calls. Tensors are borrowed; &oy_none_object is None, and NULL, the value of an
// expression that failed, makes the call fail too. A tensor result is a new reference, or
// the argument that the schema says it is, borrowed; NULL is failure. Other results come
// through pointers behind the arguments: objects and tensors are new references (NULL on
// failure), lists, texts and optionals are owned values, for oy_value_release.
//
// For each operator X: the call oy_X, the type of its kernels oy_X_fn, oy_redispatch_X
// for layers (exactly these keys), oy_typed_X(fn), which is fn if it is such a kernel and
// else does not compile, and oy_impl_X(library, key, fn), which registers it.
#ifndef OPYARD_GEN_OPS_CALLS_H_
#define OPYARD_GEN_OPS_CALLS_H_

#include "opyard/trampoline.h"

#include "opyard/tensor.h"

OY_BEGIN_DECLS

// Makes a tensor with uninitialised elements.
// aten::empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout?
// layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat?
// memory_format=None) -> Tensor
OY_API oy_tensor* oy_empty_memory_format(oy_ints size, oy_value dtype, oy_value layout,
    oy_value device, oy_value pin_memory, oy_value memory_format);
typedef oy_tensor* (*oy_empty_memory_format_fn)(const oy_op* op, oy_keyset keys,
    oy_ints size, oy_value dtype, oy_value layout, oy_value device, oy_value pin_memory,
    oy_value memory_format);
static inline oy_tensor* oy_redispatch_empty_memory_format(const oy_op* op,
    oy_keyset keys, oy_ints size, oy_value dtype, oy_value layout, oy_value device,
    oy_value pin_memory, oy_value memory_format) {
  return ((oy_empty_memory_format_fn)oy_select_exact(op, keys)->typed)(op, keys, size,
      dtype, layout, device, pin_memory, memory_format);
}
#define oy_typed_empty_memory_format(fn) OY_TYPED_AS(oy_empty_memory_format_fn, fn)
#define oy_impl_empty_memory_format(m, key, fn) \
  oy_impl_typed((m), "aten::empty.memory_format", (key), \
                oy_typed_empty_memory_format(fn), __FILE__, __LINE__)

// Makes a tensor with the given strides and uninitialised elements.
// aten::empty_strided(SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout?
// layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
OY_API oy_tensor* oy_empty_strided(oy_ints size, oy_ints stride, oy_value dtype,
    oy_value layout, oy_value device, oy_value pin_memory);
typedef oy_tensor* (*oy_empty_strided_fn)(const oy_op* op, oy_keyset keys, oy_ints size,
    oy_ints stride, oy_value dtype, oy_value layout, oy_value device,
    oy_value pin_memory);
static inline oy_tensor* oy_redispatch_empty_strided(const oy_op* op, oy_keyset keys,
    oy_ints size, oy_ints stride, oy_value dtype, oy_value layout, oy_value device,
    oy_value pin_memory) {
  return ((oy_empty_strided_fn)oy_select_exact(op, keys)->typed)(op, keys, size, stride,
      dtype, layout, device, pin_memory);
}
#define oy_typed_empty_strided(fn) OY_TYPED_AS(oy_empty_strided_fn, fn)
#define oy_impl_empty_strided(m, key, fn) \
  oy_impl_typed((m), "aten::empty_strided", (key), \
                oy_typed_empty_strided(fn), __FILE__, __LINE__)

// Makes a tensor of zeros.
// aten::zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device?
// device=None, bool? pin_memory=None) -> Tensor
OY_API oy_tensor* oy_zeros(oy_ints size, oy_value dtype, oy_value layout, oy_value device,
    oy_value pin_memory);
typedef oy_tensor* (*oy_zeros_fn)(const oy_op* op, oy_keyset keys, oy_ints size,
    oy_value dtype, oy_value layout, oy_value device, oy_value pin_memory);
static inline oy_tensor* oy_redispatch_zeros(const oy_op* op, oy_keyset keys,
    oy_ints size, oy_value dtype, oy_value layout, oy_value device,
    oy_value pin_memory) {
  return ((oy_zeros_fn)oy_select_exact(op, keys)->typed)(op, keys, size, dtype, layout,
      device, pin_memory);
}
#define oy_typed_zeros(fn) OY_TYPED_AS(oy_zeros_fn, fn)
#define oy_impl_zeros(m, key, fn) \
  oy_impl_typed((m), "aten::zeros", (key), \
                oy_typed_zeros(fn), __FILE__, __LINE__)

// Makes a tensor of ones.
// aten::ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device?
// device=None, bool? pin_memory=None) -> Tensor
OY_API oy_tensor* oy_ones(oy_ints size, oy_value dtype, oy_value layout, oy_value device,
    oy_value pin_memory);
typedef oy_tensor* (*oy_ones_fn)(const oy_op* op, oy_keyset keys, oy_ints size,
    oy_value dtype, oy_value layout, oy_value device, oy_value pin_memory);
static inline oy_tensor* oy_redispatch_ones(const oy_op* op, oy_keyset keys, oy_ints size,
    oy_value dtype, oy_value layout, oy_value device, oy_value pin_memory) {
  return ((oy_ones_fn)oy_select_exact(op, keys)->typed)(op, keys, size, dtype, layout,
      device, pin_memory);
}
#define oy_typed_ones(fn) OY_TYPED_AS(oy_ones_fn, fn)
#define oy_impl_ones(m, key, fn) \
  oy_impl_typed((m), "aten::ones", (key), \
                oy_typed_ones(fn), __FILE__, __LINE__)

// Makes a tensor filled with `fill_value`.
// aten::full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout?
// layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
OY_API oy_tensor* oy_full(oy_ints size, oy_value fill_value, oy_value dtype,
    oy_value layout, oy_value device, oy_value pin_memory);
typedef oy_tensor* (*oy_full_fn)(const oy_op* op, oy_keyset keys, oy_ints size,
    oy_value fill_value, oy_value dtype, oy_value layout, oy_value device,
    oy_value pin_memory);
static inline oy_tensor* oy_redispatch_full(const oy_op* op, oy_keyset keys, oy_ints size,
    oy_value fill_value, oy_value dtype, oy_value layout, oy_value device,
    oy_value pin_memory) {
  return ((oy_full_fn)oy_select_exact(op, keys)->typed)(op, keys, size, fill_value, dtype,
      layout, device, pin_memory);
}
#define oy_typed_full(fn) OY_TYPED_AS(oy_full_fn, fn)
#define oy_impl_full(m, key, fn) \
  oy_impl_typed((m), "aten::full", (key), \
                oy_typed_full(fn), __FILE__, __LINE__)

// Makes a tensor without dimensions that holds `s`.
// aten::scalar_tensor(Scalar s, *, ScalarType? dtype=None, Layout? layout=None, Device?
// device=None, bool? pin_memory=None) -> Tensor
OY_API oy_tensor* oy_scalar_tensor(oy_value s, oy_value dtype, oy_value layout,
    oy_value device, oy_value pin_memory);
typedef oy_tensor* (*oy_scalar_tensor_fn)(const oy_op* op, oy_keyset keys, oy_value s,
    oy_value dtype, oy_value layout, oy_value device, oy_value pin_memory);
static inline oy_tensor* oy_redispatch_scalar_tensor(const oy_op* op, oy_keyset keys,
    oy_value s, oy_value dtype, oy_value layout, oy_value device, oy_value pin_memory) {
  return ((oy_scalar_tensor_fn)oy_select_exact(op, keys)->typed)(op, keys, s, dtype,
      layout, device, pin_memory);
}
#define oy_typed_scalar_tensor(fn) OY_TYPED_AS(oy_scalar_tensor_fn, fn)
#define oy_impl_scalar_tensor(m, key, fn) \
  oy_impl_typed((m), "aten::scalar_tensor", (key), \
                oy_typed_scalar_tensor(fn), __FILE__, __LINE__)

// Makes an uninitialised tensor of the shape of `self`.
// aten::empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device?
// device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
OY_API oy_tensor* oy_empty_like(oy_tensor* self, oy_value dtype, oy_value layout,
    oy_value device, oy_value pin_memory, oy_value memory_format);
typedef oy_tensor* (*oy_empty_like_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_value dtype, oy_value layout, oy_value device, oy_value pin_memory,
    oy_value memory_format);
static inline oy_tensor* oy_redispatch_empty_like(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_value dtype, oy_value layout, oy_value device,
    oy_value pin_memory, oy_value memory_format) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_empty_like_fn)oy_select_exact(op, keys)->typed)(op, keys, self, dtype,
      layout, device, pin_memory, memory_format);
}
#define oy_typed_empty_like(fn) OY_TYPED_AS(oy_empty_like_fn, fn)
#define oy_impl_empty_like(m, key, fn) \
  oy_impl_typed((m), "aten::empty_like", (key), \
                oy_typed_empty_like(fn), __FILE__, __LINE__)

// Makes a tensor of zeros of the shape of `self`.
// aten::zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device?
// device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
OY_API oy_tensor* oy_zeros_like(oy_tensor* self, oy_value dtype, oy_value layout,
    oy_value device, oy_value pin_memory, oy_value memory_format);
typedef oy_tensor* (*oy_zeros_like_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_value dtype, oy_value layout, oy_value device, oy_value pin_memory,
    oy_value memory_format);
static inline oy_tensor* oy_redispatch_zeros_like(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_value dtype, oy_value layout, oy_value device,
    oy_value pin_memory, oy_value memory_format) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_zeros_like_fn)oy_select_exact(op, keys)->typed)(op, keys, self, dtype,
      layout, device, pin_memory, memory_format);
}
#define oy_typed_zeros_like(fn) OY_TYPED_AS(oy_zeros_like_fn, fn)
#define oy_impl_zeros_like(m, key, fn) \
  oy_impl_typed((m), "aten::zeros_like", (key), \
                oy_typed_zeros_like(fn), __FILE__, __LINE__)

// Makes a tensor of ones of the shape of `self`.
// aten::ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device?
// device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
OY_API oy_tensor* oy_ones_like(oy_tensor* self, oy_value dtype, oy_value layout,
    oy_value device, oy_value pin_memory, oy_value memory_format);
typedef oy_tensor* (*oy_ones_like_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_value dtype, oy_value layout, oy_value device, oy_value pin_memory,
    oy_value memory_format);
static inline oy_tensor* oy_redispatch_ones_like(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_value dtype, oy_value layout, oy_value device,
    oy_value pin_memory, oy_value memory_format) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_ones_like_fn)oy_select_exact(op, keys)->typed)(op, keys, self, dtype,
      layout, device, pin_memory, memory_format);
}
#define oy_typed_ones_like(fn) OY_TYPED_AS(oy_ones_like_fn, fn)
#define oy_impl_ones_like(m, key, fn) \
  oy_impl_typed((m), "aten::ones_like", (key), \
                oy_typed_ones_like(fn), __FILE__, __LINE__)

// Makes a tensor of the shape of `self`, filled with `fill_value`.
// aten::full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout?
// layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat?
// memory_format=None) -> Tensor
OY_API oy_tensor* oy_full_like(oy_tensor* self, oy_value fill_value, oy_value dtype,
    oy_value layout, oy_value device, oy_value pin_memory, oy_value memory_format);
typedef oy_tensor* (*oy_full_like_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_value fill_value, oy_value dtype, oy_value layout, oy_value device,
    oy_value pin_memory, oy_value memory_format);
static inline oy_tensor* oy_redispatch_full_like(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_value fill_value, oy_value dtype, oy_value layout,
    oy_value device, oy_value pin_memory, oy_value memory_format) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_full_like_fn)oy_select_exact(op, keys)->typed)(op, keys, self, fill_value,
      dtype, layout, device, pin_memory, memory_format);
}
#define oy_typed_full_like(fn) OY_TYPED_AS(oy_full_like_fn, fn)
#define oy_impl_full_like(m, key, fn) \
  oy_impl_typed((m), "aten::full_like", (key), \
                oy_typed_full_like(fn), __FILE__, __LINE__)

// Adds `other`, multiplied by `alpha`, to `self`.
// aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
OY_API oy_tensor* oy_add_Tensor(oy_tensor* self, oy_tensor* other, oy_value alpha);
typedef oy_tensor* (*oy_add_Tensor_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_tensor* other, oy_value alpha);
static inline oy_tensor* oy_redispatch_add_Tensor(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_tensor* other, oy_value alpha) {
  if (OY_UNLIKELY(!self || !other))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  return ((oy_add_Tensor_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other,
      alpha);
}
#define oy_typed_add_Tensor(fn) OY_TYPED_AS(oy_add_Tensor_fn, fn)
#define oy_impl_add_Tensor(m, key, fn) \
  oy_impl_typed((m), "aten::add.Tensor", (key), \
                oy_typed_add_Tensor(fn), __FILE__, __LINE__)

// `add.Tensor` into `out`.
// aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) ->
// Tensor(a!)
OY_API oy_tensor* oy_add_out(oy_tensor* self, oy_tensor* other, oy_value alpha,
    oy_tensor* out);
typedef oy_tensor* (*oy_add_out_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_tensor* other, oy_value alpha, oy_tensor* out);
static inline oy_tensor* oy_redispatch_add_out(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_tensor* other, oy_value alpha, oy_tensor* out) {
  if (OY_UNLIKELY(!self || !other || !out))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : !other ? "other" : "out");
  return ((oy_add_out_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other, alpha,
      out);
}
#define oy_typed_add_out(fn) OY_TYPED_AS(oy_add_out_fn, fn)
#define oy_impl_add_out(m, key, fn) \
  oy_impl_typed((m), "aten::add.out", (key), \
                oy_typed_add_out(fn), __FILE__, __LINE__)

// `add.Tensor` in place.
// aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
OY_API oy_tensor* oy_add__Tensor(oy_tensor* self, oy_tensor* other, oy_value alpha);
typedef oy_tensor* (*oy_add__Tensor_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_tensor* other, oy_value alpha);
static inline oy_tensor* oy_redispatch_add__Tensor(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_tensor* other, oy_value alpha) {
  if (OY_UNLIKELY(!self || !other))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  return ((oy_add__Tensor_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other,
      alpha);
}
#define oy_typed_add__Tensor(fn) OY_TYPED_AS(oy_add__Tensor_fn, fn)
#define oy_impl_add__Tensor(m, key, fn) \
  oy_impl_typed((m), "aten::add_.Tensor", (key), \
                oy_typed_add__Tensor(fn), __FILE__, __LINE__)

// Adds the number `other`, multiplied by `alpha`, to `self`.
// aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
OY_API oy_tensor* oy_add_Scalar(oy_tensor* self, oy_value other, oy_value alpha);
typedef oy_tensor* (*oy_add_Scalar_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_value other, oy_value alpha);
static inline oy_tensor* oy_redispatch_add_Scalar(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_value other, oy_value alpha) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_add_Scalar_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other,
      alpha);
}
#define oy_typed_add_Scalar(fn) OY_TYPED_AS(oy_add_Scalar_fn, fn)
#define oy_impl_add_Scalar(m, key, fn) \
  oy_impl_typed((m), "aten::add.Scalar", (key), \
                oy_typed_add_Scalar(fn), __FILE__, __LINE__)

// `add.Scalar` in place.
// aten::add_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)
OY_API oy_tensor* oy_add__Scalar(oy_tensor* self, oy_value other, oy_value alpha);
typedef oy_tensor* (*oy_add__Scalar_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_value other, oy_value alpha);
static inline oy_tensor* oy_redispatch_add__Scalar(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_value other, oy_value alpha) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_add__Scalar_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other,
      alpha);
}
#define oy_typed_add__Scalar(fn) OY_TYPED_AS(oy_add__Scalar_fn, fn)
#define oy_impl_add__Scalar(m, key, fn) \
  oy_impl_typed((m), "aten::add_.Scalar", (key), \
                oy_typed_add__Scalar(fn), __FILE__, __LINE__)

// Subtracts `other`, multiplied by `alpha`, from `self`.
// aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
OY_API oy_tensor* oy_sub_Tensor(oy_tensor* self, oy_tensor* other, oy_value alpha);
typedef oy_tensor* (*oy_sub_Tensor_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_tensor* other, oy_value alpha);
static inline oy_tensor* oy_redispatch_sub_Tensor(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_tensor* other, oy_value alpha) {
  if (OY_UNLIKELY(!self || !other))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  return ((oy_sub_Tensor_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other,
      alpha);
}
#define oy_typed_sub_Tensor(fn) OY_TYPED_AS(oy_sub_Tensor_fn, fn)
#define oy_impl_sub_Tensor(m, key, fn) \
  oy_impl_typed((m), "aten::sub.Tensor", (key), \
                oy_typed_sub_Tensor(fn), __FILE__, __LINE__)

// `sub.Tensor` into `out`.
// aten::sub.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) ->
// Tensor(a!)
OY_API oy_tensor* oy_sub_out(oy_tensor* self, oy_tensor* other, oy_value alpha,
    oy_tensor* out);
typedef oy_tensor* (*oy_sub_out_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_tensor* other, oy_value alpha, oy_tensor* out);
static inline oy_tensor* oy_redispatch_sub_out(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_tensor* other, oy_value alpha, oy_tensor* out) {
  if (OY_UNLIKELY(!self || !other || !out))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : !other ? "other" : "out");
  return ((oy_sub_out_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other, alpha,
      out);
}
#define oy_typed_sub_out(fn) OY_TYPED_AS(oy_sub_out_fn, fn)
#define oy_impl_sub_out(m, key, fn) \
  oy_impl_typed((m), "aten::sub.out", (key), \
                oy_typed_sub_out(fn), __FILE__, __LINE__)

// `sub.Tensor` in place.
// aten::sub_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
OY_API oy_tensor* oy_sub__Tensor(oy_tensor* self, oy_tensor* other, oy_value alpha);
typedef oy_tensor* (*oy_sub__Tensor_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_tensor* other, oy_value alpha);
static inline oy_tensor* oy_redispatch_sub__Tensor(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_tensor* other, oy_value alpha) {
  if (OY_UNLIKELY(!self || !other))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  return ((oy_sub__Tensor_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other,
      alpha);
}
#define oy_typed_sub__Tensor(fn) OY_TYPED_AS(oy_sub__Tensor_fn, fn)
#define oy_impl_sub__Tensor(m, key, fn) \
  oy_impl_typed((m), "aten::sub_.Tensor", (key), \
                oy_typed_sub__Tensor(fn), __FILE__, __LINE__)

// Subtracts the number `other`, multiplied by `alpha`, from `self`.
// aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
OY_API oy_tensor* oy_sub_Scalar(oy_tensor* self, oy_value other, oy_value alpha);
typedef oy_tensor* (*oy_sub_Scalar_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_value other, oy_value alpha);
static inline oy_tensor* oy_redispatch_sub_Scalar(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_value other, oy_value alpha) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_sub_Scalar_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other,
      alpha);
}
#define oy_typed_sub_Scalar(fn) OY_TYPED_AS(oy_sub_Scalar_fn, fn)
#define oy_impl_sub_Scalar(m, key, fn) \
  oy_impl_typed((m), "aten::sub.Scalar", (key), \
                oy_typed_sub_Scalar(fn), __FILE__, __LINE__)

// `sub.Scalar` in place.
// aten::sub_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)
OY_API oy_tensor* oy_sub__Scalar(oy_tensor* self, oy_value other, oy_value alpha);
typedef oy_tensor* (*oy_sub__Scalar_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_value other, oy_value alpha);
static inline oy_tensor* oy_redispatch_sub__Scalar(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_value other, oy_value alpha) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_sub__Scalar_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other,
      alpha);
}
#define oy_typed_sub__Scalar(fn) OY_TYPED_AS(oy_sub__Scalar_fn, fn)
#define oy_impl_sub__Scalar(m, key, fn) \
  oy_impl_typed((m), "aten::sub_.Scalar", (key), \
                oy_typed_sub__Scalar(fn), __FILE__, __LINE__)

// Multiplies `self` by `other`.
// aten::mul.Tensor(Tensor self, Tensor other) -> Tensor
OY_API oy_tensor* oy_mul_Tensor(oy_tensor* self, oy_tensor* other);
typedef oy_tensor* (*oy_mul_Tensor_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_tensor* other);
static inline oy_tensor* oy_redispatch_mul_Tensor(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_tensor* other) {
  if (OY_UNLIKELY(!self || !other))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  return ((oy_mul_Tensor_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other);
}
#define oy_typed_mul_Tensor(fn) OY_TYPED_AS(oy_mul_Tensor_fn, fn)
#define oy_impl_mul_Tensor(m, key, fn) \
  oy_impl_typed((m), "aten::mul.Tensor", (key), \
                oy_typed_mul_Tensor(fn), __FILE__, __LINE__)

// `mul.Tensor` into `out`.
// aten::mul.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
OY_API oy_tensor* oy_mul_out(oy_tensor* self, oy_tensor* other, oy_tensor* out);
typedef oy_tensor* (*oy_mul_out_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_tensor* other, oy_tensor* out);
static inline oy_tensor* oy_redispatch_mul_out(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_tensor* other, oy_tensor* out) {
  if (OY_UNLIKELY(!self || !other || !out))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : !other ? "other" : "out");
  return ((oy_mul_out_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other, out);
}
#define oy_typed_mul_out(fn) OY_TYPED_AS(oy_mul_out_fn, fn)
#define oy_impl_mul_out(m, key, fn) \
  oy_impl_typed((m), "aten::mul.out", (key), \
                oy_typed_mul_out(fn), __FILE__, __LINE__)

// `mul.Tensor` in place.
// aten::mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
OY_API oy_tensor* oy_mul__Tensor(oy_tensor* self, oy_tensor* other);
typedef oy_tensor* (*oy_mul__Tensor_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_tensor* other);
static inline oy_tensor* oy_redispatch_mul__Tensor(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_tensor* other) {
  if (OY_UNLIKELY(!self || !other))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  return ((oy_mul__Tensor_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other);
}
#define oy_typed_mul__Tensor(fn) OY_TYPED_AS(oy_mul__Tensor_fn, fn)
#define oy_impl_mul__Tensor(m, key, fn) \
  oy_impl_typed((m), "aten::mul_.Tensor", (key), \
                oy_typed_mul__Tensor(fn), __FILE__, __LINE__)

// Multiplies `self` by the number `other`.
// aten::mul.Scalar(Tensor self, Scalar other) -> Tensor
OY_API oy_tensor* oy_mul_Scalar(oy_tensor* self, oy_value other);
typedef oy_tensor* (*oy_mul_Scalar_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_value other);
static inline oy_tensor* oy_redispatch_mul_Scalar(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_value other) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_mul_Scalar_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other);
}
#define oy_typed_mul_Scalar(fn) OY_TYPED_AS(oy_mul_Scalar_fn, fn)
#define oy_impl_mul_Scalar(m, key, fn) \
  oy_impl_typed((m), "aten::mul.Scalar", (key), \
                oy_typed_mul_Scalar(fn), __FILE__, __LINE__)

// `mul.Scalar` in place.
// aten::mul_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
OY_API oy_tensor* oy_mul__Scalar(oy_tensor* self, oy_value other);
typedef oy_tensor* (*oy_mul__Scalar_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_value other);
static inline oy_tensor* oy_redispatch_mul__Scalar(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_value other) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_mul__Scalar_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other);
}
#define oy_typed_mul__Scalar(fn) OY_TYPED_AS(oy_mul__Scalar_fn, fn)
#define oy_impl_mul__Scalar(m, key, fn) \
  oy_impl_typed((m), "aten::mul_.Scalar", (key), \
                oy_typed_mul__Scalar(fn), __FILE__, __LINE__)

// Divides `self` by `other`; integers give floats.
// aten::div.Tensor(Tensor self, Tensor other) -> Tensor
OY_API oy_tensor* oy_div_Tensor(oy_tensor* self, oy_tensor* other);
typedef oy_tensor* (*oy_div_Tensor_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_tensor* other);
static inline oy_tensor* oy_redispatch_div_Tensor(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_tensor* other) {
  if (OY_UNLIKELY(!self || !other))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  return ((oy_div_Tensor_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other);
}
#define oy_typed_div_Tensor(fn) OY_TYPED_AS(oy_div_Tensor_fn, fn)
#define oy_impl_div_Tensor(m, key, fn) \
  oy_impl_typed((m), "aten::div.Tensor", (key), \
                oy_typed_div_Tensor(fn), __FILE__, __LINE__)

// `div.Tensor` into `out`.
// aten::div.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
OY_API oy_tensor* oy_div_out(oy_tensor* self, oy_tensor* other, oy_tensor* out);
typedef oy_tensor* (*oy_div_out_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_tensor* other, oy_tensor* out);
static inline oy_tensor* oy_redispatch_div_out(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_tensor* other, oy_tensor* out) {
  if (OY_UNLIKELY(!self || !other || !out))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : !other ? "other" : "out");
  return ((oy_div_out_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other, out);
}
#define oy_typed_div_out(fn) OY_TYPED_AS(oy_div_out_fn, fn)
#define oy_impl_div_out(m, key, fn) \
  oy_impl_typed((m), "aten::div.out", (key), \
                oy_typed_div_out(fn), __FILE__, __LINE__)

// `div.Tensor` in place.
// aten::div_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
OY_API oy_tensor* oy_div__Tensor(oy_tensor* self, oy_tensor* other);
typedef oy_tensor* (*oy_div__Tensor_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_tensor* other);
static inline oy_tensor* oy_redispatch_div__Tensor(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_tensor* other) {
  if (OY_UNLIKELY(!self || !other))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  return ((oy_div__Tensor_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other);
}
#define oy_typed_div__Tensor(fn) OY_TYPED_AS(oy_div__Tensor_fn, fn)
#define oy_impl_div__Tensor(m, key, fn) \
  oy_impl_typed((m), "aten::div_.Tensor", (key), \
                oy_typed_div__Tensor(fn), __FILE__, __LINE__)

// Divides `self` by the number `other`.
// aten::div.Scalar(Tensor self, Scalar other) -> Tensor
OY_API oy_tensor* oy_div_Scalar(oy_tensor* self, oy_value other);
typedef oy_tensor* (*oy_div_Scalar_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_value other);
static inline oy_tensor* oy_redispatch_div_Scalar(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_value other) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_div_Scalar_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other);
}
#define oy_typed_div_Scalar(fn) OY_TYPED_AS(oy_div_Scalar_fn, fn)
#define oy_impl_div_Scalar(m, key, fn) \
  oy_impl_typed((m), "aten::div.Scalar", (key), \
                oy_typed_div_Scalar(fn), __FILE__, __LINE__)

// `div.Scalar` in place.
// aten::div_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
OY_API oy_tensor* oy_div__Scalar(oy_tensor* self, oy_value other);
typedef oy_tensor* (*oy_div__Scalar_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_value other);
static inline oy_tensor* oy_redispatch_div__Scalar(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_value other) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_div__Scalar_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other);
}
#define oy_typed_div__Scalar(fn) OY_TYPED_AS(oy_div__Scalar_fn, fn)
#define oy_impl_div__Scalar(m, key, fn) \
  oy_impl_typed((m), "aten::div_.Scalar", (key), \
                oy_typed_div__Scalar(fn), __FILE__, __LINE__)

// Changes the sign.
// aten::neg(Tensor self) -> Tensor
OY_API oy_tensor* oy_neg(oy_tensor* self);
typedef oy_tensor* (*oy_neg_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self);
static inline oy_tensor* oy_redispatch_neg(const oy_op* op, oy_keyset keys,
    oy_tensor* self) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_neg_fn)oy_select_exact(op, keys)->typed)(op, keys, self);
}
#define oy_typed_neg(fn) OY_TYPED_AS(oy_neg_fn, fn)
#define oy_impl_neg(m, key, fn) \
  oy_impl_typed((m), "aten::neg", (key), \
                oy_typed_neg(fn), __FILE__, __LINE__)

// `neg` into `out`.
// aten::neg.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
OY_API oy_tensor* oy_neg_out(oy_tensor* self, oy_tensor* out);
typedef oy_tensor* (*oy_neg_out_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_tensor* out);
static inline oy_tensor* oy_redispatch_neg_out(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_tensor* out) {
  if (OY_UNLIKELY(!self || !out))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "out");
  return ((oy_neg_out_fn)oy_select_exact(op, keys)->typed)(op, keys, self, out);
}
#define oy_typed_neg_out(fn) OY_TYPED_AS(oy_neg_out_fn, fn)
#define oy_impl_neg_out(m, key, fn) \
  oy_impl_typed((m), "aten::neg.out", (key), \
                oy_typed_neg_out(fn), __FILE__, __LINE__)

// `neg` in place.
// aten::neg_(Tensor(a!) self) -> Tensor(a!)
OY_API oy_tensor* oy_neg_(oy_tensor* self);
typedef oy_tensor* (*oy_neg__fn)(const oy_op* op, oy_keyset keys, oy_tensor* self);
static inline oy_tensor* oy_redispatch_neg_(const oy_op* op, oy_keyset keys,
    oy_tensor* self) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_neg__fn)oy_select_exact(op, keys)->typed)(op, keys, self);
}
#define oy_typed_neg_(fn) OY_TYPED_AS(oy_neg__fn, fn)
#define oy_impl_neg_(m, key, fn) \
  oy_impl_typed((m), "aten::neg_", (key), \
                oy_typed_neg_(fn), __FILE__, __LINE__)

// The greater of each element and 0.
// aten::relu(Tensor self) -> Tensor
OY_API oy_tensor* oy_relu(oy_tensor* self);
typedef oy_tensor* (*oy_relu_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self);
static inline oy_tensor* oy_redispatch_relu(const oy_op* op, oy_keyset keys,
    oy_tensor* self) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_relu_fn)oy_select_exact(op, keys)->typed)(op, keys, self);
}
#define oy_typed_relu(fn) OY_TYPED_AS(oy_relu_fn, fn)
#define oy_impl_relu(m, key, fn) \
  oy_impl_typed((m), "aten::relu", (key), \
                oy_typed_relu(fn), __FILE__, __LINE__)

// `relu` in place.
// aten::relu_(Tensor(a!) self) -> Tensor(a!)
OY_API oy_tensor* oy_relu_(oy_tensor* self);
typedef oy_tensor* (*oy_relu__fn)(const oy_op* op, oy_keyset keys, oy_tensor* self);
static inline oy_tensor* oy_redispatch_relu_(const oy_op* op, oy_keyset keys,
    oy_tensor* self) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_relu__fn)oy_select_exact(op, keys)->typed)(op, keys, self);
}
#define oy_typed_relu_(fn) OY_TYPED_AS(oy_relu__fn, fn)
#define oy_impl_relu_(m, key, fn) \
  oy_impl_typed((m), "aten::relu_", (key), \
                oy_typed_relu_(fn), __FILE__, __LINE__)

// `grad_output` where `self` is above `threshold`, 0 elsewhere.
// aten::threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor
OY_API oy_tensor* oy_threshold_backward(oy_tensor* grad_output, oy_tensor* self,
    oy_value threshold);
typedef oy_tensor* (*oy_threshold_backward_fn)(const oy_op* op, oy_keyset keys,
    oy_tensor* grad_output, oy_tensor* self, oy_value threshold);
static inline oy_tensor* oy_redispatch_threshold_backward(const oy_op* op, oy_keyset keys,
    oy_tensor* grad_output, oy_tensor* self, oy_value threshold) {
  if (OY_UNLIKELY(!grad_output || !self))
    return (oy_tensor*)oy_call_null(op, !grad_output ? "grad_output" : "self");
  return ((oy_threshold_backward_fn)oy_select_exact(op, keys)->typed)(op, keys,
      grad_output, self, threshold);
}
#define oy_typed_threshold_backward(fn) OY_TYPED_AS(oy_threshold_backward_fn, fn)
#define oy_impl_threshold_backward(m, key, fn) \
  oy_impl_typed((m), "aten::threshold_backward", (key), \
                oy_typed_threshold_backward(fn), __FILE__, __LINE__)

// Whether elements are equal.
// aten::eq.Tensor(Tensor self, Tensor other) -> Tensor
OY_API oy_tensor* oy_eq_Tensor(oy_tensor* self, oy_tensor* other);
typedef oy_tensor* (*oy_eq_Tensor_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_tensor* other);
static inline oy_tensor* oy_redispatch_eq_Tensor(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_tensor* other) {
  if (OY_UNLIKELY(!self || !other))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  return ((oy_eq_Tensor_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other);
}
#define oy_typed_eq_Tensor(fn) OY_TYPED_AS(oy_eq_Tensor_fn, fn)
#define oy_impl_eq_Tensor(m, key, fn) \
  oy_impl_typed((m), "aten::eq.Tensor", (key), \
                oy_typed_eq_Tensor(fn), __FILE__, __LINE__)

// Whether elements differ.
// aten::ne.Tensor(Tensor self, Tensor other) -> Tensor
OY_API oy_tensor* oy_ne_Tensor(oy_tensor* self, oy_tensor* other);
typedef oy_tensor* (*oy_ne_Tensor_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_tensor* other);
static inline oy_tensor* oy_redispatch_ne_Tensor(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_tensor* other) {
  if (OY_UNLIKELY(!self || !other))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  return ((oy_ne_Tensor_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other);
}
#define oy_typed_ne_Tensor(fn) OY_TYPED_AS(oy_ne_Tensor_fn, fn)
#define oy_impl_ne_Tensor(m, key, fn) \
  oy_impl_typed((m), "aten::ne.Tensor", (key), \
                oy_typed_ne_Tensor(fn), __FILE__, __LINE__)

// Whether `self` is less than `other`.
// aten::lt.Tensor(Tensor self, Tensor other) -> Tensor
OY_API oy_tensor* oy_lt_Tensor(oy_tensor* self, oy_tensor* other);
typedef oy_tensor* (*oy_lt_Tensor_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_tensor* other);
static inline oy_tensor* oy_redispatch_lt_Tensor(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_tensor* other) {
  if (OY_UNLIKELY(!self || !other))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  return ((oy_lt_Tensor_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other);
}
#define oy_typed_lt_Tensor(fn) OY_TYPED_AS(oy_lt_Tensor_fn, fn)
#define oy_impl_lt_Tensor(m, key, fn) \
  oy_impl_typed((m), "aten::lt.Tensor", (key), \
                oy_typed_lt_Tensor(fn), __FILE__, __LINE__)

// Whether `self` is less than or equal to `other`.
// aten::le.Tensor(Tensor self, Tensor other) -> Tensor
OY_API oy_tensor* oy_le_Tensor(oy_tensor* self, oy_tensor* other);
typedef oy_tensor* (*oy_le_Tensor_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_tensor* other);
static inline oy_tensor* oy_redispatch_le_Tensor(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_tensor* other) {
  if (OY_UNLIKELY(!self || !other))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  return ((oy_le_Tensor_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other);
}
#define oy_typed_le_Tensor(fn) OY_TYPED_AS(oy_le_Tensor_fn, fn)
#define oy_impl_le_Tensor(m, key, fn) \
  oy_impl_typed((m), "aten::le.Tensor", (key), \
                oy_typed_le_Tensor(fn), __FILE__, __LINE__)

// Whether `self` is greater than `other`.
// aten::gt.Tensor(Tensor self, Tensor other) -> Tensor
OY_API oy_tensor* oy_gt_Tensor(oy_tensor* self, oy_tensor* other);
typedef oy_tensor* (*oy_gt_Tensor_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_tensor* other);
static inline oy_tensor* oy_redispatch_gt_Tensor(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_tensor* other) {
  if (OY_UNLIKELY(!self || !other))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  return ((oy_gt_Tensor_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other);
}
#define oy_typed_gt_Tensor(fn) OY_TYPED_AS(oy_gt_Tensor_fn, fn)
#define oy_impl_gt_Tensor(m, key, fn) \
  oy_impl_typed((m), "aten::gt.Tensor", (key), \
                oy_typed_gt_Tensor(fn), __FILE__, __LINE__)

// Whether `self` is greater than or equal to `other`.
// aten::ge.Tensor(Tensor self, Tensor other) -> Tensor
OY_API oy_tensor* oy_ge_Tensor(oy_tensor* self, oy_tensor* other);
typedef oy_tensor* (*oy_ge_Tensor_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_tensor* other);
static inline oy_tensor* oy_redispatch_ge_Tensor(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_tensor* other) {
  if (OY_UNLIKELY(!self || !other))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  return ((oy_ge_Tensor_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other);
}
#define oy_typed_ge_Tensor(fn) OY_TYPED_AS(oy_ge_Tensor_fn, fn)
#define oy_impl_ge_Tensor(m, key, fn) \
  oy_impl_typed((m), "aten::ge.Tensor", (key), \
                oy_typed_ge_Tensor(fn), __FILE__, __LINE__)

// Whether elements equal a number.
// aten::eq.Scalar(Tensor self, Scalar other) -> Tensor
OY_API oy_tensor* oy_eq_Scalar(oy_tensor* self, oy_value other);
typedef oy_tensor* (*oy_eq_Scalar_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_value other);
static inline oy_tensor* oy_redispatch_eq_Scalar(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_value other) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_eq_Scalar_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other);
}
#define oy_typed_eq_Scalar(fn) OY_TYPED_AS(oy_eq_Scalar_fn, fn)
#define oy_impl_eq_Scalar(m, key, fn) \
  oy_impl_typed((m), "aten::eq.Scalar", (key), \
                oy_typed_eq_Scalar(fn), __FILE__, __LINE__)

// Whether elements differ from a number.
// aten::ne.Scalar(Tensor self, Scalar other) -> Tensor
OY_API oy_tensor* oy_ne_Scalar(oy_tensor* self, oy_value other);
typedef oy_tensor* (*oy_ne_Scalar_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_value other);
static inline oy_tensor* oy_redispatch_ne_Scalar(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_value other) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_ne_Scalar_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other);
}
#define oy_typed_ne_Scalar(fn) OY_TYPED_AS(oy_ne_Scalar_fn, fn)
#define oy_impl_ne_Scalar(m, key, fn) \
  oy_impl_typed((m), "aten::ne.Scalar", (key), \
                oy_typed_ne_Scalar(fn), __FILE__, __LINE__)

// Whether elements are less than a number.
// aten::lt.Scalar(Tensor self, Scalar other) -> Tensor
OY_API oy_tensor* oy_lt_Scalar(oy_tensor* self, oy_value other);
typedef oy_tensor* (*oy_lt_Scalar_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_value other);
static inline oy_tensor* oy_redispatch_lt_Scalar(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_value other) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_lt_Scalar_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other);
}
#define oy_typed_lt_Scalar(fn) OY_TYPED_AS(oy_lt_Scalar_fn, fn)
#define oy_impl_lt_Scalar(m, key, fn) \
  oy_impl_typed((m), "aten::lt.Scalar", (key), \
                oy_typed_lt_Scalar(fn), __FILE__, __LINE__)

// Whether elements are less than or equal to a number.
// aten::le.Scalar(Tensor self, Scalar other) -> Tensor
OY_API oy_tensor* oy_le_Scalar(oy_tensor* self, oy_value other);
typedef oy_tensor* (*oy_le_Scalar_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_value other);
static inline oy_tensor* oy_redispatch_le_Scalar(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_value other) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_le_Scalar_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other);
}
#define oy_typed_le_Scalar(fn) OY_TYPED_AS(oy_le_Scalar_fn, fn)
#define oy_impl_le_Scalar(m, key, fn) \
  oy_impl_typed((m), "aten::le.Scalar", (key), \
                oy_typed_le_Scalar(fn), __FILE__, __LINE__)

// Whether elements are greater than a number.
// aten::gt.Scalar(Tensor self, Scalar other) -> Tensor
OY_API oy_tensor* oy_gt_Scalar(oy_tensor* self, oy_value other);
typedef oy_tensor* (*oy_gt_Scalar_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_value other);
static inline oy_tensor* oy_redispatch_gt_Scalar(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_value other) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_gt_Scalar_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other);
}
#define oy_typed_gt_Scalar(fn) OY_TYPED_AS(oy_gt_Scalar_fn, fn)
#define oy_impl_gt_Scalar(m, key, fn) \
  oy_impl_typed((m), "aten::gt.Scalar", (key), \
                oy_typed_gt_Scalar(fn), __FILE__, __LINE__)

// Whether elements are greater than or equal to a number.
// aten::ge.Scalar(Tensor self, Scalar other) -> Tensor
OY_API oy_tensor* oy_ge_Scalar(oy_tensor* self, oy_value other);
typedef oy_tensor* (*oy_ge_Scalar_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_value other);
static inline oy_tensor* oy_redispatch_ge_Scalar(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_value other) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_ge_Scalar_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other);
}
#define oy_typed_ge_Scalar(fn) OY_TYPED_AS(oy_ge_Scalar_fn, fn)
#define oy_impl_ge_Scalar(m, key, fn) \
  oy_impl_typed((m), "aten::ge.Scalar", (key), \
                oy_typed_ge_Scalar(fn), __FILE__, __LINE__)

// Adds up all elements.
// aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor
OY_API oy_tensor* oy_sum(oy_tensor* self, oy_value dtype);
typedef oy_tensor* (*oy_sum_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_value dtype);
static inline oy_tensor* oy_redispatch_sum(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_value dtype) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_sum_fn)oy_select_exact(op, keys)->typed)(op, keys, self, dtype);
}
#define oy_typed_sum(fn) OY_TYPED_AS(oy_sum_fn, fn)
#define oy_impl_sum(m, key, fn) \
  oy_impl_typed((m), "aten::sum", (key), \
                oy_typed_sum(fn), __FILE__, __LINE__)

// Adds up over the dimensions `dim`.
// aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType?
// dtype=None) -> Tensor
OY_API oy_tensor* oy_sum_dim_IntList(oy_tensor* self, oy_ints dim, bool keepdim,
    oy_value dtype);
typedef oy_tensor* (*oy_sum_dim_IntList_fn)(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_ints dim, bool keepdim, oy_value dtype);
static inline oy_tensor* oy_redispatch_sum_dim_IntList(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_ints dim, bool keepdim, oy_value dtype) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_sum_dim_IntList_fn)oy_select_exact(op, keys)->typed)(op, keys, self, dim,
      keepdim, dtype);
}
#define oy_typed_sum_dim_IntList(fn) OY_TYPED_AS(oy_sum_dim_IntList_fn, fn)
#define oy_impl_sum_dim_IntList(m, key, fn) \
  oy_impl_typed((m), "aten::sum.dim_IntList", (key), \
                oy_typed_sum_dim_IntList(fn), __FILE__, __LINE__)

// `sum.dim_IntList` into `out`.
// aten::sum.IntList_out(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType?
// dtype=None, Tensor(a!) out) -> Tensor(a!)
OY_API oy_tensor* oy_sum_IntList_out(oy_tensor* self, oy_ints dim, bool keepdim,
    oy_value dtype, oy_tensor* out);
typedef oy_tensor* (*oy_sum_IntList_out_fn)(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_ints dim, bool keepdim, oy_value dtype, oy_tensor* out);
static inline oy_tensor* oy_redispatch_sum_IntList_out(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_ints dim, bool keepdim, oy_value dtype, oy_tensor* out) {
  if (OY_UNLIKELY(!self || !out))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "out");
  return ((oy_sum_IntList_out_fn)oy_select_exact(op, keys)->typed)(op, keys, self, dim,
      keepdim, dtype, out);
}
#define oy_typed_sum_IntList_out(fn) OY_TYPED_AS(oy_sum_IntList_out_fn, fn)
#define oy_impl_sum_IntList_out(m, key, fn) \
  oy_impl_typed((m), "aten::sum.IntList_out", (key), \
                oy_typed_sum_IntList_out(fn), __FILE__, __LINE__)

// Averages all elements.
// aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor
OY_API oy_tensor* oy_mean(oy_tensor* self, oy_value dtype);
typedef oy_tensor* (*oy_mean_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_value dtype);
static inline oy_tensor* oy_redispatch_mean(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_value dtype) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_mean_fn)oy_select_exact(op, keys)->typed)(op, keys, self, dtype);
}
#define oy_typed_mean(fn) OY_TYPED_AS(oy_mean_fn, fn)
#define oy_impl_mean(m, key, fn) \
  oy_impl_typed((m), "aten::mean", (key), \
                oy_typed_mean(fn), __FILE__, __LINE__)

// Averages over the dimensions `dim`.
// aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None)
// -> Tensor
OY_API oy_tensor* oy_mean_dim(oy_tensor* self, oy_ints dim, bool keepdim,
    oy_value dtype);
typedef oy_tensor* (*oy_mean_dim_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_ints dim, bool keepdim, oy_value dtype);
static inline oy_tensor* oy_redispatch_mean_dim(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_ints dim, bool keepdim, oy_value dtype) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_mean_dim_fn)oy_select_exact(op, keys)->typed)(op, keys, self, dim, keepdim,
      dtype);
}
#define oy_typed_mean_dim(fn) OY_TYPED_AS(oy_mean_dim_fn, fn)
#define oy_impl_mean_dim(m, key, fn) \
  oy_impl_typed((m), "aten::mean.dim", (key), \
                oy_typed_mean_dim(fn), __FILE__, __LINE__)

// `mean.dim` into `out`.
// aten::mean.out(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None,
// Tensor(a!) out) -> Tensor(a!)
OY_API oy_tensor* oy_mean_out(oy_tensor* self, oy_ints dim, bool keepdim, oy_value dtype,
    oy_tensor* out);
typedef oy_tensor* (*oy_mean_out_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_ints dim, bool keepdim, oy_value dtype, oy_tensor* out);
static inline oy_tensor* oy_redispatch_mean_out(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_ints dim, bool keepdim, oy_value dtype, oy_tensor* out) {
  if (OY_UNLIKELY(!self || !out))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "out");
  return ((oy_mean_out_fn)oy_select_exact(op, keys)->typed)(op, keys, self, dim, keepdim,
      dtype, out);
}
#define oy_typed_mean_out(fn) OY_TYPED_AS(oy_mean_out_fn, fn)
#define oy_impl_mean_out(m, key, fn) \
  oy_impl_typed((m), "aten::mean.out", (key), \
                oy_typed_mean_out(fn), __FILE__, __LINE__)

// Views the storage of `self` with any shape and strides.
// aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt?
// storage_offset=None) -> Tensor(a)
OY_API oy_tensor* oy_as_strided(oy_tensor* self, oy_ints size, oy_ints stride,
    oy_value storage_offset);
typedef oy_tensor* (*oy_as_strided_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_ints size, oy_ints stride, oy_value storage_offset);
static inline oy_tensor* oy_redispatch_as_strided(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_ints size, oy_ints stride, oy_value storage_offset) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_as_strided_fn)oy_select_exact(op, keys)->typed)(op, keys, self, size,
      stride, storage_offset);
}
#define oy_typed_as_strided(fn) OY_TYPED_AS(oy_as_strided_fn, fn)
#define oy_impl_as_strided(m, key, fn) \
  oy_impl_typed((m), "aten::as_strided", (key), \
                oy_typed_as_strided(fn), __FILE__, __LINE__)

// Views `self` with another shape.
// aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)
OY_API oy_tensor* oy_view(oy_tensor* self, oy_ints size);
typedef oy_tensor* (*oy_view_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_ints size);
static inline oy_tensor* oy_redispatch_view(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_ints size) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_view_fn)oy_select_exact(op, keys)->typed)(op, keys, self, size);
}
#define oy_typed_view(fn) OY_TYPED_AS(oy_view_fn, fn)
#define oy_impl_view(m, key, fn) \
  oy_impl_typed((m), "aten::view", (key), \
                oy_typed_view(fn), __FILE__, __LINE__)

// Repeats dimensions of size 1 without copying.
// aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)
OY_API oy_tensor* oy_expand(oy_tensor* self, oy_ints size, bool implicit);
typedef oy_tensor* (*oy_expand_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_ints size, bool implicit);
static inline oy_tensor* oy_redispatch_expand(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_ints size, bool implicit) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_expand_fn)oy_select_exact(op, keys)->typed)(op, keys, self, size,
      implicit);
}
#define oy_typed_expand(fn) OY_TYPED_AS(oy_expand_fn, fn)
#define oy_impl_expand(m, key, fn) \
  oy_impl_typed((m), "aten::expand", (key), \
                oy_typed_expand(fn), __FILE__, __LINE__)

// Transposes a matrix.
// aten::t(Tensor(a) self) -> Tensor(a)
OY_API oy_tensor* oy_t(oy_tensor* self);
typedef oy_tensor* (*oy_t_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self);
static inline oy_tensor* oy_redispatch_t(const oy_op* op, oy_keyset keys,
    oy_tensor* self) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_t_fn)oy_select_exact(op, keys)->typed)(op, keys, self);
}
#define oy_typed_t(fn) OY_TYPED_AS(oy_t_fn, fn)
#define oy_impl_t(m, key, fn) \
  oy_impl_typed((m), "aten::t", (key), \
                oy_typed_t(fn), __FILE__, __LINE__)

// Swaps two dimensions.
// aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)
OY_API oy_tensor* oy_transpose_int(oy_tensor* self, int64_t dim0, int64_t dim1);
typedef oy_tensor* (*oy_transpose_int_fn)(const oy_op* op, oy_keyset keys,
    oy_tensor* self, int64_t dim0, int64_t dim1);
static inline oy_tensor* oy_redispatch_transpose_int(const oy_op* op, oy_keyset keys,
    oy_tensor* self, int64_t dim0, int64_t dim1) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_transpose_int_fn)oy_select_exact(op, keys)->typed)(op, keys, self, dim0,
      dim1);
}
#define oy_typed_transpose_int(fn) OY_TYPED_AS(oy_transpose_int_fn, fn)
#define oy_impl_transpose_int(m, key, fn) \
  oy_impl_typed((m), "aten::transpose.int", (key), \
                oy_typed_transpose_int(fn), __FILE__, __LINE__)

// Inserts a dimension of size 1.
// aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)
OY_API oy_tensor* oy_unsqueeze(oy_tensor* self, int64_t dim);
typedef oy_tensor* (*oy_unsqueeze_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    int64_t dim);
static inline oy_tensor* oy_redispatch_unsqueeze(const oy_op* op, oy_keyset keys,
    oy_tensor* self, int64_t dim) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_unsqueeze_fn)oy_select_exact(op, keys)->typed)(op, keys, self, dim);
}
#define oy_typed_unsqueeze(fn) OY_TYPED_AS(oy_unsqueeze_fn, fn)
#define oy_impl_unsqueeze(m, key, fn) \
  oy_impl_typed((m), "aten::unsqueeze", (key), \
                oy_typed_unsqueeze(fn), __FILE__, __LINE__)

// Removes a dimension if its size is 1.
// aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)
OY_API oy_tensor* oy_squeeze_dim(oy_tensor* self, int64_t dim);
typedef oy_tensor* (*oy_squeeze_dim_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    int64_t dim);
static inline oy_tensor* oy_redispatch_squeeze_dim(const oy_op* op, oy_keyset keys,
    oy_tensor* self, int64_t dim) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_squeeze_dim_fn)oy_select_exact(op, keys)->typed)(op, keys, self, dim);
}
#define oy_typed_squeeze_dim(fn) OY_TYPED_AS(oy_squeeze_dim_fn, fn)
#define oy_impl_squeeze_dim(m, key, fn) \
  oy_impl_typed((m), "aten::squeeze.dim", (key), \
                oy_typed_squeeze_dim(fn), __FILE__, __LINE__)

// One slice of a dimension, without that dimension.
// aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)
OY_API oy_tensor* oy_select_int(oy_tensor* self, int64_t dim, int64_t index);
typedef oy_tensor* (*oy_select_int_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    int64_t dim, int64_t index);
static inline oy_tensor* oy_redispatch_select_int(const oy_op* op, oy_keyset keys,
    oy_tensor* self, int64_t dim, int64_t index) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_select_int_fn)oy_select_exact(op, keys)->typed)(op, keys, self, dim,
      index);
}
#define oy_typed_select_int(fn) OY_TYPED_AS(oy_select_int_fn, fn)
#define oy_impl_select_int(m, key, fn) \
  oy_impl_typed((m), "aten::select.int", (key), \
                oy_typed_select_int(fn), __FILE__, __LINE__)

// A view of all of `self`.
// aten::alias(Tensor(a) self) -> Tensor(a)
OY_API oy_tensor* oy_op_alias(oy_tensor* self);
typedef oy_tensor* (*oy_op_alias_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self);
static inline oy_tensor* oy_redispatch_op_alias(const oy_op* op, oy_keyset keys,
    oy_tensor* self) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_op_alias_fn)oy_select_exact(op, keys)->typed)(op, keys, self);
}
#define oy_typed_op_alias(fn) OY_TYPED_AS(oy_op_alias_fn, fn)
#define oy_impl_op_alias(m, key, fn) \
  oy_impl_typed((m), "aten::alias", (key), \
                oy_typed_op_alias(fn), __FILE__, __LINE__)

// A view of all of `self` that has no history.
// aten::detach(Tensor(a) self) -> Tensor(a)
OY_API oy_tensor* oy_detach(oy_tensor* self);
typedef oy_tensor* (*oy_detach_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self);
static inline oy_tensor* oy_redispatch_detach(const oy_op* op, oy_keyset keys,
    oy_tensor* self) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_detach_fn)oy_select_exact(op, keys)->typed)(op, keys, self);
}
#define oy_typed_detach(fn) OY_TYPED_AS(oy_detach_fn, fn)
#define oy_impl_detach(m, key, fn) \
  oy_impl_typed((m), "aten::detach", (key), \
                oy_typed_detach(fn), __FILE__, __LINE__)

// `self` with another shape: a view if there is one, else a copy.
// aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)
OY_API oy_tensor* oy_reshape(oy_tensor* self, oy_ints shape);
typedef oy_tensor* (*oy_reshape_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_ints shape);
static inline oy_tensor* oy_redispatch_reshape(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_ints shape) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_reshape_fn)oy_select_exact(op, keys)->typed)(op, keys, self, shape);
}
#define oy_typed_reshape(fn) OY_TYPED_AS(oy_reshape_fn, fn)
#define oy_impl_reshape(m, key, fn) \
  oy_impl_typed((m), "aten::reshape", (key), \
                oy_typed_reshape(fn), __FILE__, __LINE__)

// `view` of a tensor that nobody else will use.
// aten::_unsafe_view(Tensor self, SymInt[] size) -> Tensor
OY_API oy_tensor* oy__unsafe_view(oy_tensor* self, oy_ints size);
typedef oy_tensor* (*oy__unsafe_view_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_ints size);
static inline oy_tensor* oy_redispatch__unsafe_view(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_ints size) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy__unsafe_view_fn)oy_select_exact(op, keys)->typed)(op, keys, self, size);
}
#define oy_typed__unsafe_view(fn) OY_TYPED_AS(oy__unsafe_view_fn, fn)
#define oy_impl__unsafe_view(m, key, fn) \
  oy_impl_typed((m), "aten::_unsafe_view", (key), \
                oy_typed__unsafe_view(fn), __FILE__, __LINE__)

// `self` if it is contiguous, else a copy that is.
// aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=0) -> Tensor(a)
OY_API oy_tensor* oy_contiguous(oy_tensor* self, int64_t memory_format);
typedef oy_tensor* (*oy_contiguous_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    int64_t memory_format);
static inline oy_tensor* oy_redispatch_contiguous(const oy_op* op, oy_keyset keys,
    oy_tensor* self, int64_t memory_format) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_contiguous_fn)oy_select_exact(op, keys)->typed)(op, keys, self,
      memory_format);
}
#define oy_typed_contiguous(fn) OY_TYPED_AS(oy_contiguous_fn, fn)
#define oy_impl_contiguous(m, key, fn) \
  oy_impl_typed((m), "aten::contiguous", (key), \
                oy_typed_contiguous(fn), __FILE__, __LINE__)

// The product of two matrices.
// aten::mm(Tensor self, Tensor mat2) -> Tensor
OY_API oy_tensor* oy_mm(oy_tensor* self, oy_tensor* mat2);
typedef oy_tensor* (*oy_mm_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_tensor* mat2);
static inline oy_tensor* oy_redispatch_mm(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_tensor* mat2) {
  if (OY_UNLIKELY(!self || !mat2))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "mat2");
  return ((oy_mm_fn)oy_select_exact(op, keys)->typed)(op, keys, self, mat2);
}
#define oy_typed_mm(fn) OY_TYPED_AS(oy_mm_fn, fn)
#define oy_impl_mm(m, key, fn) \
  oy_impl_typed((m), "aten::mm", (key), \
                oy_typed_mm(fn), __FILE__, __LINE__)

// `mm` into `out`.
// aten::mm.out(Tensor self, Tensor mat2, *, Tensor(a!) out) -> Tensor(a!)
OY_API oy_tensor* oy_mm_out(oy_tensor* self, oy_tensor* mat2, oy_tensor* out);
typedef oy_tensor* (*oy_mm_out_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_tensor* mat2, oy_tensor* out);
static inline oy_tensor* oy_redispatch_mm_out(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_tensor* mat2, oy_tensor* out) {
  if (OY_UNLIKELY(!self || !mat2 || !out))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : !mat2 ? "mat2" : "out");
  return ((oy_mm_out_fn)oy_select_exact(op, keys)->typed)(op, keys, self, mat2, out);
}
#define oy_typed_mm_out(fn) OY_TYPED_AS(oy_mm_out_fn, fn)
#define oy_impl_mm_out(m, key, fn) \
  oy_impl_typed((m), "aten::mm.out", (key), \
                oy_typed_mm_out(fn), __FILE__, __LINE__)

// The products of two batches of matrices.
// aten::bmm(Tensor self, Tensor mat2) -> Tensor
OY_API oy_tensor* oy_bmm(oy_tensor* self, oy_tensor* mat2);
typedef oy_tensor* (*oy_bmm_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_tensor* mat2);
static inline oy_tensor* oy_redispatch_bmm(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_tensor* mat2) {
  if (OY_UNLIKELY(!self || !mat2))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "mat2");
  return ((oy_bmm_fn)oy_select_exact(op, keys)->typed)(op, keys, self, mat2);
}
#define oy_typed_bmm(fn) OY_TYPED_AS(oy_bmm_fn, fn)
#define oy_impl_bmm(m, key, fn) \
  oy_impl_typed((m), "aten::bmm", (key), \
                oy_typed_bmm(fn), __FILE__, __LINE__)

// The product of a matrix and a vector.
// aten::mv(Tensor self, Tensor vec) -> Tensor
OY_API oy_tensor* oy_mv(oy_tensor* self, oy_tensor* vec);
typedef oy_tensor* (*oy_mv_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_tensor* vec);
static inline oy_tensor* oy_redispatch_mv(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_tensor* vec) {
  if (OY_UNLIKELY(!self || !vec))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "vec");
  return ((oy_mv_fn)oy_select_exact(op, keys)->typed)(op, keys, self, vec);
}
#define oy_typed_mv(fn) OY_TYPED_AS(oy_mv_fn, fn)
#define oy_impl_mv(m, key, fn) \
  oy_impl_typed((m), "aten::mv", (key), \
                oy_typed_mv(fn), __FILE__, __LINE__)

// The inner product of two vectors.
// aten::dot(Tensor self, Tensor tensor) -> Tensor
OY_API oy_tensor* oy_dot(oy_tensor* self, oy_tensor* tensor);
typedef oy_tensor* (*oy_dot_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_tensor* tensor);
static inline oy_tensor* oy_redispatch_dot(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_tensor* tensor) {
  if (OY_UNLIKELY(!self || !tensor))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "tensor");
  return ((oy_dot_fn)oy_select_exact(op, keys)->typed)(op, keys, self, tensor);
}
#define oy_typed_dot(fn) OY_TYPED_AS(oy_dot_fn, fn)
#define oy_impl_dot(m, key, fn) \
  oy_impl_typed((m), "aten::dot", (key), \
                oy_typed_dot(fn), __FILE__, __LINE__)

// The product of vectors, matrices and batches of matrices.
// aten::matmul(Tensor self, Tensor other) -> Tensor
OY_API oy_tensor* oy_matmul(oy_tensor* self, oy_tensor* other);
typedef oy_tensor* (*oy_matmul_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_tensor* other);
static inline oy_tensor* oy_redispatch_matmul(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_tensor* other) {
  if (OY_UNLIKELY(!self || !other))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "other");
  return ((oy_matmul_fn)oy_select_exact(op, keys)->typed)(op, keys, self, other);
}
#define oy_typed_matmul(fn) OY_TYPED_AS(oy_matmul_fn, fn)
#define oy_impl_matmul(m, key, fn) \
  oy_impl_typed((m), "aten::matmul", (key), \
                oy_typed_matmul(fn), __FILE__, __LINE__)

// Copies `src` into `self`, broadcast and converted.
// aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)
OY_API oy_tensor* oy_copy_(oy_tensor* self, oy_tensor* src, bool non_blocking);
typedef oy_tensor* (*oy_copy__fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_tensor* src, bool non_blocking);
static inline oy_tensor* oy_redispatch_copy_(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_tensor* src, bool non_blocking) {
  if (OY_UNLIKELY(!self || !src))
    return (oy_tensor*)oy_call_null(op, !self ? "self" : "src");
  return ((oy_copy__fn)oy_select_exact(op, keys)->typed)(op, keys, self, src,
      non_blocking);
}
#define oy_typed_copy_(fn) OY_TYPED_AS(oy_copy__fn, fn)
#define oy_impl_copy_(m, key, fn) \
  oy_impl_typed((m), "aten::copy_", (key), \
                oy_typed_copy_(fn), __FILE__, __LINE__)

// Sets every element to `value`.
// aten::fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)
OY_API oy_tensor* oy_fill__Scalar(oy_tensor* self, oy_value value);
typedef oy_tensor* (*oy_fill__Scalar_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_value value);
static inline oy_tensor* oy_redispatch_fill__Scalar(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_value value) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_fill__Scalar_fn)oy_select_exact(op, keys)->typed)(op, keys, self, value);
}
#define oy_typed_fill__Scalar(fn) OY_TYPED_AS(oy_fill__Scalar_fn, fn)
#define oy_impl_fill__Scalar(m, key, fn) \
  oy_impl_typed((m), "aten::fill_.Scalar", (key), \
                oy_typed_fill__Scalar(fn), __FILE__, __LINE__)

// Sets every element to 0.
// aten::zero_(Tensor(a!) self) -> Tensor(a!)
OY_API oy_tensor* oy_zero_(oy_tensor* self);
typedef oy_tensor* (*oy_zero__fn)(const oy_op* op, oy_keyset keys, oy_tensor* self);
static inline oy_tensor* oy_redispatch_zero_(const oy_op* op, oy_keyset keys,
    oy_tensor* self) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_zero__fn)oy_select_exact(op, keys)->typed)(op, keys, self);
}
#define oy_typed_zero_(fn) OY_TYPED_AS(oy_zero__fn, fn)
#define oy_impl_zero_(m, key, fn) \
  oy_impl_typed((m), "aten::zero_", (key), \
                oy_typed_zero_(fn), __FILE__, __LINE__)

// A copy of `self`.
// aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor
OY_API oy_tensor* oy_clone(oy_tensor* self, oy_value memory_format);
typedef oy_tensor* (*oy_clone_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_value memory_format);
static inline oy_tensor* oy_redispatch_clone(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_value memory_format) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_clone_fn)oy_select_exact(op, keys)->typed)(op, keys, self, memory_format);
}
#define oy_typed_clone(fn) OY_TYPED_AS(oy_clone_fn, fn)
#define oy_impl_clone(m, key, fn) \
  oy_impl_typed((m), "aten::clone", (key), \
                oy_typed_clone(fn), __FILE__, __LINE__)

// A copy with another dtype or on another device.
// aten::_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device?
// device=None, bool? pin_memory=None, bool non_blocking=False, MemoryFormat?
// memory_format=None) -> Tensor
OY_API oy_tensor* oy__to_copy(oy_tensor* self, oy_value dtype, oy_value layout,
    oy_value device, oy_value pin_memory, bool non_blocking, oy_value memory_format);
typedef oy_tensor* (*oy__to_copy_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_value dtype, oy_value layout, oy_value device, oy_value pin_memory,
    bool non_blocking, oy_value memory_format);
static inline oy_tensor* oy_redispatch__to_copy(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_value dtype, oy_value layout, oy_value device,
    oy_value pin_memory, bool non_blocking, oy_value memory_format) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy__to_copy_fn)oy_select_exact(op, keys)->typed)(op, keys, self, dtype, layout,
      device, pin_memory, non_blocking, memory_format);
}
#define oy_typed__to_copy(fn) OY_TYPED_AS(oy__to_copy_fn, fn)
#define oy_impl__to_copy(m, key, fn) \
  oy_impl_typed((m), "aten::_to_copy", (key), \
                oy_typed__to_copy(fn), __FILE__, __LINE__)

// `self` if it has this dtype, else a converted copy.
// aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool
// copy=False, MemoryFormat? memory_format=None) -> Tensor(a)
OY_API oy_tensor* oy_to_dtype(oy_tensor* self, int64_t dtype, bool non_blocking,
    bool copy, oy_value memory_format);
typedef oy_tensor* (*oy_to_dtype_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    int64_t dtype, bool non_blocking, bool copy, oy_value memory_format);
static inline oy_tensor* oy_redispatch_to_dtype(const oy_op* op, oy_keyset keys,
    oy_tensor* self, int64_t dtype, bool non_blocking, bool copy,
    oy_value memory_format) {
  if (OY_UNLIKELY(!self))
    return (oy_tensor*)oy_call_null(op, "self");
  return ((oy_to_dtype_fn)oy_select_exact(op, keys)->typed)(op, keys, self, dtype,
      non_blocking, copy, memory_format);
}
#define oy_typed_to_dtype(fn) OY_TYPED_AS(oy_to_dtype_fn, fn)
#define oy_impl_to_dtype(m, key, fn) \
  oy_impl_typed((m), "aten::to.dtype", (key), \
                oy_typed_to_dtype(fn), __FILE__, __LINE__)

// The only element, as a number.
// aten::_local_scalar_dense(Tensor self) -> Scalar
OY_API oy_status oy__local_scalar_dense(oy_tensor* self, oy_value* out_result);
typedef oy_status (*oy__local_scalar_dense_fn)(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_value* out_result);
static inline oy_status oy_redispatch__local_scalar_dense(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_value* out_result) {
  if (OY_UNLIKELY(!self))
    return oy_call_null_status(op, "self");
  return ((oy__local_scalar_dense_fn)oy_select_exact(op, keys)->typed)(op, keys, self,
      out_result);
}
#define oy_typed__local_scalar_dense(fn) OY_TYPED_AS(oy__local_scalar_dense_fn, fn)
#define oy_impl__local_scalar_dense(m, key, fn) \
  oy_impl_typed((m), "aten::_local_scalar_dense", (key), \
                oy_typed__local_scalar_dense(fn), __FILE__, __LINE__)

// The only element, as a number.
// aten::item(Tensor self) -> Scalar
OY_API oy_status oy_item(oy_tensor* self, oy_value* out_result);
typedef oy_status (*oy_item_fn)(const oy_op* op, oy_keyset keys, oy_tensor* self,
    oy_value* out_result);
static inline oy_status oy_redispatch_item(const oy_op* op, oy_keyset keys,
    oy_tensor* self, oy_value* out_result) {
  if (OY_UNLIKELY(!self))
    return oy_call_null_status(op, "self");
  return ((oy_item_fn)oy_select_exact(op, keys)->typed)(op, keys, self, out_result);
}
#define oy_typed_item(fn) OY_TYPED_AS(oy_item_fn, fn)
#define oy_impl_item(m, key, fn) \
  oy_impl_typed((m), "aten::item", (key), \
                oy_typed_item(fn), __FILE__, __LINE__)

// Registers the trampolines of these calls' signatures, if they were made too.
OY_API oy_status oy_register_trampolines_ops(void);

OY_END_DECLS

#endif  // OPYARD_GEN_OPS_CALLS_H_
