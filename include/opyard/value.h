// SPDX-License-Identifier: Apache-2.0
// Boxed values: tagged, two words, and the stack that a boxed call works on.
//
// A value is borrowed or owned. Arguments are boxed as borrowed views, so a call
// touches no reference count; results are owned. What must outlive the call is
// made owned with oy_value_own. Lists, strings and complex numbers are a pointer
// to elements and a count; an owned one has a counted header before its
// elements, which readers need not know about.
#ifndef OPYARD_VALUE_H_
#define OPYARD_VALUE_H_

#include "opyard/object.h"

OY_BEGIN_DECLS

typedef enum oy_tag {
  OY_TAG_NONE = 0,
  OY_TAG_TENSOR,       // as.object, never NULL
  OY_TAG_INT,          // as.i; ScalarType, Layout, MemoryFormat, SymInt too
  OY_TAG_FLOAT,        // as.d
  OY_TAG_BOOL,         // as.i, 0 or 1
  OY_TAG_COMPLEX,      // as.complex_data, one element
  OY_TAG_STR,          // as.chars, |count| bytes
  OY_TAG_DEVICE,       // as.device
  OY_TAG_INT_LIST,     // as.ints
  OY_TAG_FLOAT_LIST,   // as.floats
  OY_TAG_BOOL_LIST,    // as.bools
  OY_TAG_TENSOR_LIST,  // as.tensors; elements may be &oy_none_object
  OY_TAG_LIST,         // as.values: every other list, and tuples
  OY_TAG_DICT,         // as.values: key, value, key, value; |count| pairs
  OY_TAG_GENERATOR,    // as.object
  OY_TAG_OBJECT        // as.object: storages, streams, custom classes
} oy_tag;

typedef struct oy_complex {
  double re, im;
} oy_complex;

// index -1: the current device.
typedef struct oy_device {
  int16_t backend;  // oy_backend
  int16_t index;
  int32_t reserved;
} oy_device;

typedef struct oy_value {
  union {
    int64_t i;
    double d;
    oy_object* object;
    oy_device device;
    const oy_complex* complex_data;
    const char* chars;
    const int64_t* ints;
    const double* floats;
    const bool* bools;
    oy_object* const* tensors;
    const struct oy_value* values;
    uint64_t bits;
  } as;
  uint8_t tag;    // oy_tag
  uint8_t owned;  // 1: releasing the value gives up a reference
  uint16_t reserved;
  uint32_t count;
} oy_value;

// A Scalar argument is a value with tag INT, FLOAT, BOOL or COMPLEX; an optional
// one that is not a Tensor or a list is a value that may be NONE.
typedef oy_value oy_scalar;

// Lists of typed calls: views by value. A list that is None has data NULL; an
// empty one has data that is not NULL.
typedef struct oy_ints {
  const int64_t* data;
  size_t size;
} oy_ints;
typedef struct oy_floats {
  const double* data;
  size_t size;
} oy_floats;
typedef struct oy_bools {
  const bool* data;
  size_t size;
} oy_bools;
typedef struct oy_tensors {
  oy_object* const* data;
  size_t size;
} oy_tensors;
typedef struct oy_values {
  const oy_value* data;
  size_t size;
} oy_values;

// Values are put together as two words: written member by member and read as words,
// as they are when they are passed on, they would wait for the stores.
// |kind| is a tag, plus OY_VALUE_OWNED.
enum { OY_VALUE_OWNED = 0x100 };
static inline oy_value oy_value_words(uint64_t bits, uint32_t kind, size_t count) {
  oy_value v;
  v.as.bits = bits;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  uint64_t second = (uint64_t)(uint32_t)count << 32 | kind;
  memcpy(&v.tag, &second, sizeof(second));
#else
  v.tag = (uint8_t)kind;
  v.owned = (uint8_t)(kind >> 8);
  v.reserved = 0;
  v.count = (uint32_t)count;
#endif
  return v;
}
static inline oy_value oy_value_make(oy_tag tag) {
  return oy_value_words(0, (uint32_t)tag, 0);
}
static inline oy_value oy_none(void) {
  return oy_value_make(OY_TAG_NONE);
}
static inline oy_value oy_int(int64_t i) {
  return oy_value_words((uint64_t)i, OY_TAG_INT, 0);
}
static inline oy_value oy_float(double d) {
  uint64_t bits;
  memcpy(&bits, &d, sizeof(bits));
  return oy_value_words(bits, OY_TAG_FLOAT, 0);
}
static inline oy_value oy_bool(bool b) {
  return oy_value_words(b, OY_TAG_BOOL, 0);
}
static inline oy_value oy_value_pointer(uint32_t kind, const void* data, size_t count) {
  return oy_value_words((uint64_t)(uintptr_t)data, kind, count);
}
// Borrowed view of |c|, which must outlive the value.
static inline oy_value oy_complex_value(const oy_complex* c) {
  return oy_value_pointer(OY_TAG_COMPLEX, c, 1);
}
// &oy_none_object gives NONE.
static inline oy_value oy_value_tensor(oy_object* tensor) {
  uint32_t kind = oy_object_is_none(tensor) ? OY_TAG_NONE : OY_TAG_TENSOR;
  return oy_value_pointer(kind, tensor, 0);
}
static inline oy_value oy_value_list(oy_tag tag, const void* data, size_t count) {
  return oy_value_pointer(data ? tag : OY_TAG_NONE, data, count);
}
static inline oy_value oy_value_str(oy_str s) {
  return oy_value_list(OY_TAG_STR, s.data ? s.data : "", s.size);
}
static inline oy_value oy_value_device(oy_device d) {
  uint64_t bits;
  memcpy(&bits, &d, sizeof(bits));
  return oy_value_words(bits, OY_TAG_DEVICE, 0);
}
// The tensor of a value; &oy_none_object if it is NONE.
static inline oy_object* oy_value_to_tensor(oy_value v) {
  return v.tag == OY_TAG_NONE ? &oy_none_object : v.as.object;
}

// Makes *value owned: retains objects, copies borrowed lists and strings (deep).
// Values that hold nothing (numbers, devices, None) stay as they are. INVALID_ARGUMENT
// if borrowed lists are nested deeper than 32. Failure leaves it as it was.
OY_API OY_MUST_USE oy_status oy_value_own(oy_value* value);
// Gives up what an owned value holds; the value becomes NONE.
OY_API void oy_value_release_owned(oy_value* value);
static inline void oy_value_release(oy_value* value) {
  if (value->owned) oy_value_release_owned(value);
}
// Another owned value of the same content; a view stays cheap (a retain).
OY_API OY_MUST_USE oy_status oy_value_copy(oy_value value, oy_value* out_value);
// Same tag and content; objects by identity; NaN equals NaN; pairs of dicts in
// order. False for lists nested deeper than 32 that are not the same list.
OY_API bool oy_value_equal(oy_value a, oy_value b);
// "Tensor", "int", "int[]", "NoneType", ... as messages name it.
OY_API const char* oy_value_type_name(oy_value value);
// Owned list of |count| uninitialised (numbers) or none/NULL (values, tensors)
// elements, to be filled through the pointer before anyone else sees it.
OY_API OY_MUST_USE oy_status oy_value_new_list(oy_tag tag, size_t count,
                                               oy_value* out_value);

// --------------------------------------------------------------------- stack

// Arguments are pushed left to right; a boxed kernel takes exactly its own off
// and leaves exactly its results. What lies below is not its business.
typedef struct oy_stack {
  oy_value* data;
  size_t size;
  size_t capacity;
  uint8_t inline_storage;  // |data| was given, not allocated
  uint8_t from_typed;      // boxed on behalf of a typed call (trace says "call")
} oy_stack;

// Starts empty on storage of the caller's; grows to the heap when it is full.
static inline void oy_stack_init(oy_stack* stack, oy_value* storage, size_t capacity) {
  stack->data = storage;
  stack->size = 0;
  stack->capacity = capacity;
  stack->inline_storage = 1;
  stack->from_typed = 0;
}
// Releases what is left on it, and its memory.
OY_API void oy_stack_reset(oy_stack* stack);
OY_API OY_MUST_USE oy_status oy_stack_reserve(oy_stack* stack, size_t extra);
// Takes over an owned value, also when it fails.
static inline oy_status oy_stack_push(oy_stack* stack, oy_value value) {
  if (OY_UNLIKELY(stack->size == stack->capacity)) {
    oy_status status = oy_stack_reserve(stack, 1);
    if (status != 0) {
      oy_value_release(&value);
      return status;
    }
  }
  stack->data[stack->size++] = value;
  return OY_OK;
}
// The topmost |n| values; |n| must be at most the size.
static inline oy_value* oy_stack_last(oy_stack* stack, size_t n) {
  return stack->data + (stack->size - n);
}
// Releases the topmost |n|.
static inline void oy_stack_drop(oy_stack* stack, size_t n) {
  while (n-- > 0) oy_value_release(&stack->data[--stack->size]);
}
// Hands over the topmost value; the stack must not be empty.
static inline oy_value oy_stack_pop(oy_stack* stack) {
  return stack->data[--stack->size];
}

OY_END_DECLS

#endif  // OPYARD_VALUE_H_
