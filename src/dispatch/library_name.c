// SPDX-License-Identifier: Apache-2.0
#include "dispatch/library_name.h"

#include "dispatch/table.h"

static char* put(char* at, oy_str text) {
  if (text.size) memcpy(at, text.data, text.size);
  return at + text.size;
}

oy_status oyi_full_name(const oy_library* library, oy_op_name name, char* buffer,
                        oy_str* out_name) {
  oy_str ns = name.ns.size ? name.ns : oy_str_of(library->ns);
  size_t size = ns.size + 2 + name.base.size;
  if (name.overload.size) size += 1 + name.overload.size;
  OY_CHECK(size < OYI_NAME_MAX_SIZE, INVALID_ARGUMENT,
           "expected an operator name of at most %d bytes, got %zu",
           OYI_NAME_MAX_SIZE - 1, size);
  char* at = put(buffer, ns);
  at = put(at, (oy_str){"::", 2});
  at = put(at, name.base);
  if (name.overload.size) at = put(put(at, (oy_str){".", 1}), name.overload);
  *at = '\0';
  *out_name = (oy_str){buffer, size};
  return OY_OK;
}

oy_status oyi_use_backend_of(oy_key key) {
  oy_backend backend = oy_key_backend(key);
  return backend < 0 ? OY_OK : oyi_backend_activate(backend);
}

oy_status oyi_check_kernel_key(oy_key key) {
  // The trace's own keys are in every table from the start.
  bool is_trace = key == OY_KEY_Trace || key == OY_KEY_TraceRedispatch;
  bool is_alias = key >= OY_KEY_ALIAS_BIT && key < OY_KEY_ALIAS_BIT + OY_ALIAS_KEY_COUNT;
  OY_CHECK(is_alias || (oy_key_is_runtime(key) && !is_trace), INVALID_ARGUMENT,
           "expected a runtime or alias key for a kernel, got %s", oy_key_name(key));
  return OY_OK;
}
