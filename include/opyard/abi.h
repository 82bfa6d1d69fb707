// SPDX-License-Identifier: Apache-2.0
// The library as a table of functions, for code that is not linked with it: a
// plugin is handed the table, a foreign function interface looks up one symbol.
// Handles are opaque; the table only grows at its end, and says its size.
//
//   const oy_api* api = oy_api_get(OY_ABI_VERSION);
//   if (!api) ...  // the error record says which versions there are
#ifndef OPYARD_ABI_H_
#define OPYARD_ABI_H_

#include "opyard/library.h"

OY_BEGIN_DECLS

// Major in the upper half: a plugin runs with a library of the same major
// version and of the same or a later minor one.
#define OY_ABI_MAJOR   1u
#define OY_ABI_MINOR   0u
#define OY_ABI_VERSION (OY_ABI_MAJOR << 16 | OY_ABI_MINOR)

typedef struct oy_api {
  size_t struct_size;    // of this table, as the library has it
  uint32_t abi_version;  // of the library
  uint32_t reserved;
  // 1.0
  const char* (*version)(void);
  const oy_error* (*error_get)(void);
  void (*error_clear)(void);
  oy_registry* (*registry_default)(void);
  oy_status (*backend_register)(oy_str name, oy_backend* out_backend);
  oy_status (*key_parse)(oy_str text, oy_key* out_key);
  oy_status (*library_create)(const oy_library_params* params, oy_library** out_library);
  void (*library_close)(oy_library* library);
  oy_status (*library_def)(oy_library* library, const oy_def_params* params,
                           oy_registration** out_registration);
  oy_status (*library_impl)(oy_library* library, const oy_impl_params* params,
                            oy_registration** out_registration);
  oy_status (*library_fallback)(oy_library* library, oy_key key,
                                const oy_kernel_params* kernel, oy_place place,
                                oy_registration** out_registration);
  oy_status (*op_find)(oy_registry* registry, oy_str name, const oy_op** out_op);
  oy_status (*op_call_boxed)(const oy_op* op, oy_stack* stack);
  oy_status (*op_redispatch_boxed)(const oy_op* op, oy_keyset keys, oy_stack* stack);
  oy_status (*op_push_defaults)(const oy_op* op, oy_stack* stack, size_t count,
                                const oy_str* names, size_t name_count);
  void (*stack_reset)(oy_stack* stack);
  void (*value_release)(oy_value* value);
} oy_api;

// The table, for code built for |abi_version|. NULL with FAILED_PRECONDITION if
// the library is too old or another major version. Static storage; thread-safe.
OY_API const oy_api* oy_api_get(uint32_t abi_version);

OY_END_DECLS

#endif  // OPYARD_ABI_H_
