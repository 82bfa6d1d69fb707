// SPDX-License-Identifier: Apache-2.0
// Where the pool's blocks come from: chunks of up to 8 KiB, each of blocks of one size.
// One lock guards all of them; who comes here takes and gives several blocks at once.
#ifndef OPYARD_SRC_TENSOR_POOL_CHUNK_H_
#define OPYARD_SRC_TENSOR_POOL_CHUNK_H_

#include "opyard/base.h"

// A list of up to |most| blocks of |units|, by their first words, and how many they are.
// Sizes that are a multiple of 64 begin at one. NULL with OUT_OF_MEMORY set.
void* oyi_chunk_take(unsigned units, unsigned most, unsigned* out_count);
// Takes a list back. A chunk that has all of its blocks again is freed.
void oyi_chunk_give(void* list);
// Has the lock taken over a fork: before the locks that are held while blocks are taken.
void oyi_chunk_prepare_fork(void);

#endif  // OPYARD_SRC_TENSOR_POOL_CHUNK_H_
