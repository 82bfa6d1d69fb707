// SPDX-License-Identifier: Apache-2.0
// What code made by opgen is built from, beside inline.h: handles of operators,
// and the way between typed arguments and boxed values, by the letters of
// signature classes (t i b d z s D v T I F B V M g o, and rN; see
// oy_schema_abi). Not for use by hand. Stable within a minor version.
//
// Boxing makes borrowed views. Results of a boxed kernel are made owned before
// they are taken apart, so that nothing can fail half-way.
#ifndef OPYARD_TRAMPOLINE_H_
#define OPYARD_TRAMPOLINE_H_

#include "opyard/library.h"

OY_BEGIN_DECLS

// ------------------------------------------------------------------ typed calls

// An operator of the default registry, found at the first call.
typedef struct oy_op_handle {
  const oy_op* op;   // atomic
  const char* name;  // "aten::add.Tensor"
} oy_op_handle;
// Finds it and keeps it; NULL with the error set if there is no such operator.
OY_API const oy_op* oy_op_handle_bind(oy_op_handle* handle);
// NULL if it was not looked for yet. What is read through the pointer was complete
// before it was stored, and the reads depend on it: no fence.
OY_CALL_INLINE const oy_op* oy_op_handle_peek(const oy_op_handle* handle) {
  return __atomic_load_n(&handle->op, __ATOMIC_RELAXED);
}
static inline const oy_op* oy_op_handle_get(oy_op_handle* handle) {
  const oy_op* op = oy_op_handle_peek(handle);
  return OY_LIKELY(op != NULL) ? op : oy_op_handle_bind(handle);
}

// For calls that cannot begin: |op| NULL (the error is set already), or the
// tensor |argument| is NULL. The first returns NULL.
OY_API void* oy_call_null(const oy_op* op, const char* argument);
OY_API oy_status oy_call_null_status(const oy_op* op, const char* argument);
#ifdef __clang_analyzer__  // it does not see that this never succeeds
#define oy_call_null_status(...) \
  ((void)oy_call_null_status(__VA_ARGS__), OY_INVALID_ARGUMENT)
#endif
// Hands the results of a call to the open scope of the thread; on failure all
// are NULL.
OY_API oy_status oy_call_results(oy_object** const* results, size_t count);

// What an optional generator adds to a call's keys.
static inline oy_keyset oy_value_keys(oy_value v) {
  return v.tag == OY_TAG_GENERATOR ? v.as.object->keys : oy_keyset_empty();
}

// |fn| as an oy_typed_fn, if it has exactly the type |type|; else it does not
// compile.
#ifdef __cplusplus
#define OY_TYPED_AS(type, fn) (reinterpret_cast<oy_typed_fn>(static_cast<type>(fn)))
#else
#define OY_TYPED_AS(type, fn) _Generic((fn), type : (oy_typed_fn)(fn))
#endif
// Registers a typed kernel; macros oy_impl_<id> come here.
OY_API oy_status oy_impl_typed(oy_library* library, const char* name, oy_key key,
                               oy_typed_fn fn, const char* file, int line);

// ------------------------------------------------ typed argument -> boxed view

static inline oy_value oy_box_t(oy_object* x) {
  return oy_value_tensor(x);
}
static inline oy_value oy_box_i(int64_t x) {
  return oy_int(x);
}
static inline oy_value oy_box_b(bool x) {
  return oy_bool(x);
}
static inline oy_value oy_box_d(double x) {
  return oy_float(x);
}
static inline oy_value oy_box_z(const oy_complex* x) {
  return oy_complex_value(x);
}
static inline oy_value oy_box_s(oy_str x) {
  return oy_value_str(x);
}
static inline oy_value oy_box_D(oy_device x) {
  return oy_value_device(x);
}
static inline oy_value oy_box_v(oy_value x) {
  x.owned = 0;
  return x;
}
static inline oy_value oy_box_T(oy_tensors x) {
  return oy_value_list(OY_TAG_TENSOR_LIST, x.data, x.size);
}
static inline oy_value oy_box_I(oy_ints x) {
  return oy_value_list(OY_TAG_INT_LIST, x.data, x.size);
}
static inline oy_value oy_box_F(oy_floats x) {
  return oy_value_list(OY_TAG_FLOAT_LIST, x.data, x.size);
}
static inline oy_value oy_box_B(oy_bools x) {
  return oy_value_list(OY_TAG_BOOL_LIST, x.data, x.size);
}
static inline oy_value oy_box_V(oy_values x) {
  return oy_value_list(OY_TAG_LIST, x.data, x.size);
}
static inline oy_value oy_box_M(oy_values x) {
  return oy_value_list(OY_TAG_DICT, x.data, x.size);
}
// NULL and &oy_none_object are None.
static inline oy_value oy_box_object_as(oy_tag tag, oy_object* x) {
  bool none = !x || oy_object_is_none(x);
  return oy_value_pointer(none ? OY_TAG_NONE : tag, x, 0);
}
static inline oy_value oy_box_g(oy_object* x) {
  return oy_box_object_as(OY_TAG_GENERATOR, x);
}
static inline oy_value oy_box_o(oy_object* x) {
  return oy_box_object_as(OY_TAG_OBJECT, x);
}

// ------------------------------------------------------ boxed value as it should

static inline bool oy_fits_or_none(oy_value v, oy_tag tag) {
  return v.tag == (uint8_t)tag || v.tag == OY_TAG_NONE;
}
static inline bool oy_fits_t(oy_value v) {
  return oy_fits_or_none(v, OY_TAG_TENSOR);
}
static inline bool oy_fits_i(oy_value v) {
  return v.tag == OY_TAG_INT;
}
static inline bool oy_fits_b(oy_value v) {
  return v.tag == OY_TAG_BOOL;
}
static inline bool oy_fits_d(oy_value v) {
  return v.tag == OY_TAG_FLOAT;
}
static inline bool oy_fits_z(oy_value v) {
  return v.tag == OY_TAG_COMPLEX;
}
static inline bool oy_fits_s(oy_value v) {
  return v.tag == OY_TAG_STR;
}
static inline bool oy_fits_D(oy_value v) {
  return v.tag == OY_TAG_DEVICE;
}
static inline bool oy_fits_v(oy_value v) {
  return v.tag <= OY_TAG_OBJECT;
}
static inline bool oy_fits_T(oy_value v) {
  return oy_fits_or_none(v, OY_TAG_TENSOR_LIST);
}
static inline bool oy_fits_I(oy_value v) {
  return oy_fits_or_none(v, OY_TAG_INT_LIST);
}
static inline bool oy_fits_F(oy_value v) {
  return oy_fits_or_none(v, OY_TAG_FLOAT_LIST);
}
static inline bool oy_fits_B(oy_value v) {
  return oy_fits_or_none(v, OY_TAG_BOOL_LIST);
}
static inline bool oy_fits_V(oy_value v) {
  return oy_fits_or_none(v, OY_TAG_LIST);
}
static inline bool oy_fits_M(oy_value v) {
  return oy_fits_or_none(v, OY_TAG_DICT);
}
static inline bool oy_fits_g(oy_value v) {
  return oy_fits_or_none(v, OY_TAG_GENERATOR);
}
static inline bool oy_fits_o(oy_value v) {
  return oy_fits_or_none(v, OY_TAG_OBJECT);
}

// ----------------------------------------------- boxed value -> typed argument

static inline oy_object* oy_unbox_t(oy_value v) {
  return oy_value_to_tensor(v);
}
static inline int64_t oy_unbox_i(oy_value v) {
  return v.as.i;
}
static inline bool oy_unbox_b(oy_value v) {
  return v.as.i != 0;
}
static inline double oy_unbox_d(oy_value v) {
  return v.as.d;
}
static inline oy_complex oy_unbox_z(oy_value v) {
  return *v.as.complex_data;
}
static inline oy_str oy_unbox_s(oy_value v) {
  oy_str s;
  s.data = v.as.chars;
  s.size = v.count;
  return s;
}
static inline oy_device oy_unbox_D(oy_value v) {
  return v.as.device;
}
static inline oy_value oy_unbox_v(oy_value v) {
  return oy_box_v(v);
}
#define OY_UNBOX_LIST_(letter, type, member)         \
  static inline type oy_unbox_##letter(oy_value v) { \
    type list;                                       \
    bool none = v.tag == OY_TAG_NONE;                \
    list.data = none ? NULL : v.as.member;           \
    list.size = none ? 0 : v.count;                  \
    return list;                                     \
  }
OY_UNBOX_LIST_(T, oy_tensors, tensors)
OY_UNBOX_LIST_(I, oy_ints, ints)
OY_UNBOX_LIST_(F, oy_floats, floats)
OY_UNBOX_LIST_(B, oy_bools, bools)
OY_UNBOX_LIST_(V, oy_values, values)
OY_UNBOX_LIST_(M, oy_values, values)
#undef OY_UNBOX_LIST_
static inline oy_object* oy_unbox_g(oy_value v) {
  return oy_value_to_tensor(v);
}
static inline oy_object* oy_unbox_o(oy_value v) {
  return oy_value_to_tensor(v);
}

// Converts arguments that do not fit in place (an int where a float is wanted, a
// list of values where a list of tensors is). TYPE_MISMATCH, and the arguments
// are gone, if one cannot be.
OY_API oy_status oy_unbox_convert(const oy_op* op, oy_stack* stack, const char* letters,
                                  size_t count);
// The same, and then the call of kernel->typed by |unbox|, which came here. In tail
// position, so that a trampoline has nothing to keep for it.
OY_API oy_status oy_unbox_converted(const oy_op* op, oy_keyset keys, oy_stack* stack,
                                    const oy_kernel* kernel, oy_boxed_fn unbox,
                                    const char* letters);

// -------------------------------------------------------------------- by dtype

enum { OY_PICK_MAX = 64 };
typedef struct oy_pick {
  oy_object* tensors[OY_PICK_MAX];
  size_t count;
} oy_pick;
static inline void oy_pick_add(oy_pick* pick, oy_object* tensor) {
  if (tensor && pick->count < OY_PICK_MAX) pick->tensors[pick->count++] = tensor;
}
static inline void oy_pick_add_list(oy_pick* pick, oy_tensors list) {
  for (size_t i = 0; i < list.size; i++) oy_pick_add(pick, list.data[i]);
}
static inline size_t oy_variant_join_list(size_t index, oy_tensors list) {
  for (size_t i = 0; i < list.size; i++) index = oy_variant_join(index, list.data[i]);
  return index;
}
static inline bool oy_variant_agrees_list(size_t index, oy_tensors list) {
  for (size_t i = 0; i < list.size; i++)
    if (!oy_variant_agrees(index, list.data[i])) return false;
  return true;
}
// NULL with the error set if there is no kernel for the dtype.
static inline const oy_kernel* oy_pick_kernel(const oy_op* op, oy_keyset keys,
                                              const oy_pick* pick) {
  return oy_kernel_pick(op, keys, oy_select_exact(op, keys), pick->tensors, pick->count);
}

// --------------------------------------------- results of a typed kernel -> stack

static inline oy_value oy_give_object_as(oy_tag tag, oy_object* x) {
  bool none = !x || oy_object_is_none(x);
  uint32_t owned = none ? 0 : OY_VALUE_OWNED;
  return oy_value_pointer((none ? OY_TAG_NONE : tag) | owned, x, 0);
}
static inline oy_value oy_give_t(oy_object* x) {
  return oy_give_object_as(OY_TAG_TENSOR, x);
}
static inline oy_value oy_give_g(oy_object* x) {
  return oy_give_object_as(OY_TAG_GENERATOR, x);
}
static inline oy_value oy_give_o(oy_object* x) {
  return oy_give_object_as(OY_TAG_OBJECT, x);
}

// The kernel's status, and its results as values, which are made owned here: the
// arguments go, the results are pushed. Takes the results over.
OY_API oy_status oy_unbox_finish(oy_stack* stack, size_t arguments, oy_status status,
                                 oy_value* results, size_t count);
// For a kernel that gave NULL: drops the arguments; the pending error's code.
OY_API oy_status oy_unbox_failed(const oy_op* op, oy_stack* stack, size_t arguments);

// Releases the |count| values at |v|, of which some are owned.
OY_API void oy_unbox_release(oy_value* v, size_t count);

// For a kernel with one tensor result, which takes the place of the first argument.
static inline oy_status oy_unbox_object(const oy_op* op, oy_stack* stack,
                                        size_t arguments, oy_object* result) {
  if (OY_UNLIKELY(!result)) return oy_unbox_failed(op, stack, arguments);
  if (arguments == 0) return oy_stack_push(stack, oy_give_t(result));
  oy_value* v = oy_stack_last(stack, arguments);
  unsigned owned = 0;
  for (size_t i = 0; i < arguments; i++) owned |= v[i].owned;
  if (OY_UNLIKELY(owned)) oy_unbox_release(v, arguments);
  stack->size -= arguments - 1;
  *v = oy_value_pointer(OY_TAG_TENSOR | OY_VALUE_OWNED, result, 0);
  if (OY_UNLIKELY(oy_object_is_none(result))) *v = oy_none();
  return OY_OK;
}
// The result is an argument: a reference more, before the arguments go.
static inline oy_status oy_unbox_argument(const oy_op* op, oy_stack* stack,
                                          size_t arguments, oy_object* result) {
  oy_object_retain(result);
  return oy_unbox_object(op, stack, arguments, result);
}

// --------------------------------------------- results of a boxed kernel -> typed

// Checks number and types of what a boxed kernel left (unless |status| tells of a
// failure, which is passed on) and makes it owned. |letters| is the text after
// '>'. On failure the stack is empty.
OY_API oy_status oy_box_check(const oy_op* op, oy_stack* stack, oy_status status,
                              const char* letters);

// Tensor argument |i| is NULL. The first returns NULL.
OY_API void* oy_box_null(const oy_op* op, size_t i);
OY_API oy_status oy_box_null_status(const oy_op* op, size_t i);

// One tensor result; NULL on failure.
static inline oy_object* oy_box_object(const oy_op* op, oy_stack* stack,
                                       oy_status status) {
  oy_value v = stack->data[0];
  bool plain = status == 0 && stack->size == 1 && v.tag == OY_TAG_TENSOR && v.owned &&
               stack->inline_storage;
  if (OY_LIKELY(plain)) return v.as.object;
  if (oy_box_check(op, stack, status, "t") != 0) return NULL;
  oy_object* object = oy_value_to_tensor(stack->data[0]);
  stack->size = 0;
  oy_stack_reset(stack);
  return object;
}
// The result is |argument|; NULL on failure.
static inline oy_object* oy_box_argument(const oy_op* op, oy_stack* stack,
                                         oy_status status, oy_object* argument) {
  status = oy_box_check(op, stack, status, "r");
  oy_stack_reset(stack);
  return status == 0 ? argument : NULL;
}

OY_END_DECLS

#endif  // OPYARD_TRAMPOLINE_H_
