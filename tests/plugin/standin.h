// SPDX-License-Identifier: Apache-2.0
// A device without a plugin: a backend whose tensors lie in memory of the host that calls
// itself a device's, with the least kernels that the CPU fallback needs.
#ifndef OPYARD_TESTS_PLUGIN_STANDIN_H_
#define OPYARD_TESTS_PLUGIN_STANDIN_H_

#include "opyard/opyard.h"

typedef struct standin {
  oy_backend backend;
  oy_library* library;    // of aten
  oy_library* fallbacks;  // of _
} standin;

// Adds the backend |name|, with kernels of empty_strided, copy_ and resize_ unless
// |is_bare|, and without a fallback.
void standin_open(standin* s, const char* name, bool is_bare);
void standin_close(standin* s);
static inline oy_key standin_key(const standin* s) {
  return (oy_key)OY_KEY_OF(OY_KEY_Dense, s->backend);
}
// A new tensor of the device with the elements, shape and strides of |cpu|; and back.
oy_tensor* standin_from(const standin* s, oy_tensor* cpu);
oy_tensor* standin_to_cpu(oy_tensor* tensor);
// The same data as the CPU sees it, which the device's kernels work on.
oy_tensor* standin_alias(const oy_tensor* tensor);

#endif  // OPYARD_TESTS_PLUGIN_STANDIN_H_
