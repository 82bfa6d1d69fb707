// SPDX-License-Identifier: Apache-2.0
// What a library may not do, in PyTorch's words (reference, section 3.2, 3.3).
#ifndef OPYARD_SRC_DISPATCH_LIBRARY_TEXT_H_
#define OPYARD_SRC_DISPATCH_LIBRARY_TEXT_H_

#include <stdio.h>

#include "dispatch/registry.h"

const char* oyi_kind_name(oy_library_kind kind);  // "TORCH_LIBRARY", ...
oy_status oyi_check_namespace(const oy_library* library, const char* verb, oy_str name,
                              oy_str ns);
oy_status oyi_check_impl_key(const oy_library* library, const oy_impl_params* params);
oy_status oyi_check_fallback(const oy_library* library, oy_key key);
oy_status oyi_fail_def_in_impl(const oy_library* library, const char* name);
oy_status oyi_fail_not_inferable(const oy_library* library, const char* name);
oy_status oyi_fail_duplicate_def(const oyi_op* op, const oy_registration* def,
                                 const oy_schema* new_schema);

#endif  // OPYARD_SRC_DISPATCH_LIBRARY_TEXT_H_
