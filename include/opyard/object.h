// SPDX-License-Identifier: Apache-2.0
// What the dispatcher knows of a tensor: a header of four words. A runtime with
// tensors of its own puts this header first in them.
#ifndef OPYARD_OBJECT_H_
#define OPYARD_OBJECT_H_

#include "opyard/key.h"

OY_BEGIN_DECLS

// Element types, by PyTorch's frozen numbers (reference, section 8.6). The
// dispatcher only uses them as an index below OY_DTYPE_LIMIT.
typedef uint8_t oy_dtype;
enum oy_dtype_values {
#define OY_DTYPE(id, name, value, size, text) OY_DTYPE_##id = value,
#include "opyard/dtypes.def"
#undef OY_DTYPE
  OY_DTYPE_LIMIT = 46,
  OY_DTYPE_ANY = 255  // in a registration: every dtype
};
// "float32"; NULL if there is no such dtype.
OY_API const char* oy_dtype_name(oy_dtype dtype);
// Bytes of one element, 0 if there is no such dtype.
OY_API size_t oy_dtype_size(oy_dtype dtype);
// Reads "float32", "f32", "float" or PyTorch's "Float".
OY_API bool oy_dtype_find(oy_str name, oy_dtype* out_dtype);

struct oy_object;

// What kind of object it is. Static storage, one per kind.
typedef struct oy_object_class {
  const char* name;  // "Tensor", "List", ...
  // Called when the last reference goes, whatever the count says then.
  void (*destroy)(struct oy_object* object);
} oy_object_class;

typedef struct oy_object {
  oy_keyset keys;  // what it adds to a call's key set
  const oy_object_class* klass;
  int32_t references;  // atomic, see OY_OBJECT_FOUND_AGAIN
  oy_dtype dtype;
  uint8_t flags;      // OY_OBJECT_*
  uint16_t reserved;  // for the owner of the class
} oy_object;

enum {
  OY_OBJECT_STATIC = 1,  // references are not counted, never destroyed
  OY_OBJECT_WRAPPED_NUMBER = 2
};
// Stands in the number of references of an object that somebody without one may come to take
// one of, by a weak reference or from a view. Put there by somebody who has one, for good.
#define OY_OBJECT_FOUND_AGAIN (1 << 30)

// A number of references of 1 belongs to the maker.
static inline void oy_object_retain(oy_object* o) {
  if (o && !(o->flags & OY_OBJECT_STATIC))
    __atomic_fetch_add(&o->references, 1, __ATOMIC_RELAXED);
}
// The only reference goes without a locked instruction, which would be most of what the end
// of a small result costs: nobody can take another one meanwhile.
static inline void oy_object_release(oy_object* o) {
  if (!o || (o->flags & OY_OBJECT_STATIC)) return;
  if (__atomic_load_n(&o->references, __ATOMIC_ACQUIRE) == 1 ||
      (__atomic_sub_fetch(&o->references, 1, __ATOMIC_ACQ_REL) &
       ~OY_OBJECT_FOUND_AGAIN) == 0)
    o->klass->destroy(o);
}

// "No tensor": what a caller passes for a Tensor? that is None. Its key set is
// empty. NULL is not None: it is the value of an expression that failed, and a
// call that is given it returns NULL (docs/decisions/0002).
OY_API extern oy_object oy_none_object;
static inline bool oy_object_is_none(const oy_object* o) {
  return o == &oy_none_object;
}

OY_END_DECLS

#endif  // OPYARD_OBJECT_H_
