// SPDX-License-Identifier: Apache-2.0
// Names and keys as they are given to a library, and what they mean there.
#ifndef OPYARD_SRC_DISPATCH_LIBRARY_NAME_H_
#define OPYARD_SRC_DISPATCH_LIBRARY_NAME_H_

#include "dispatch/registry.h"

// Prefixes have room for so many bytes, so that most are copied as one word or two.
enum { OYI_NAME_MAX_SIZE = 256, OYI_SMALL_PREFIX = 16 };

// "ns::base.overload" for a name in the library's namespace, into |buffer|.
oy_status oyi_full_name(const oy_library* library, oy_op_name name, char* buffer,
                        oy_str* out_name);

// The library's prefix and |text| as it stands, which is a full name if |text| is a
// plain name; false if that is too long.
static inline bool oyi_prefixed(const oy_library* library, oy_str text, char* buffer,
                                oy_str* out_name) {
  size_t size = library->prefix_size + text.size;
  if (OY_UNLIKELY(size >= OYI_NAME_MAX_SIZE)) return false;
  if (OY_LIKELY(library->prefix_size <= OYI_SMALL_PREFIX))
    memcpy(buffer, library->prefix, OYI_SMALL_PREFIX);
  else
    memcpy(buffer, library->prefix, library->prefix_size);
  memcpy(buffer + library->prefix_size, text.data, text.size);
  *out_name = (oy_str){buffer, size};
  return true;
}

// The key of a kernel that was given with |key|.
static inline oy_key oyi_effective_key(const oy_library* library, oy_key key) {
  if (key == OY_KEY_Undefined) key = library->key;
  return key == OY_KEY_Undefined ? (oy_key)OY_KEY_CompositeImplicitAutograd : key;
}

// INVALID_ARGUMENT if no kernel can be at |key|.
oy_status oyi_check_kernel_key(oy_key key);
// Brings the backend of |key| into use. Takes the lock of every registry.
oy_status oyi_use_backend_of(oy_key key);

#endif  // OPYARD_SRC_DISPATCH_LIBRARY_NAME_H_
