// SPDX-License-Identifier: Apache-2.0
// Memory for tensor data: 64-byte aligned, uninitialised. Up to 512 bytes from the
// pool, up to 64 KiB from lists of the calling thread, sorted by size class, above
// that from the slabs. Any thread may free what another one took.
#ifndef OPYARD_SRC_TENSOR_BLOCK_CACHE_H_
#define OPYARD_SRC_TENSOR_BLOCK_CACHE_H_

#include "opyard/base.h"

// NULL with OUT_OF_MEMORY set. *out_context goes to oyi_data_free with the data.
void* oyi_data_alloc(size_t nbytes, void** out_context);
// Takes NULL.
void oyi_data_free(void* context, void* data);
// The lists of this thread go back to the slabs.
void oyi_data_trim(void);

#endif  // OPYARD_SRC_TENSOR_BLOCK_CACHE_H_
