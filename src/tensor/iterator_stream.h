// SPDX-License-Identifier: Apache-2.0
// Walks by what a loop takes beside memory: results that no cache keeps are written past the
// caches, and few elements that take long are worth a thread.
#ifndef OPYARD_SRC_TENSOR_ITERATOR_STREAM_H_
#define OPYARD_SRC_TENSOR_ITERATOR_STREAM_H_

#include "tensor/iterator.h"

// Bytes of an output from which on it is streamed.
enum { OYI_STREAM_LEAST = 16 << 20 };

// Whether this processor streams, the output is great and none of the inputs, and two of these
// are as great.
bool oyi_iter_streams(const oyi_iter* it);
// As oyi_iter_run_dims, in the way of a stream.
void oyi_iter_stream(const oyi_iter* it, oyi_loop loop, const void* args);

// As oyi_iter_move, past the caches; false if that is not worth it, and nothing is done.
bool oyi_iter_stream_move(const oyi_iter* it);

// As oyi_iter_run, for a loop that writes each element of the output, reads none of it, and
// takes less time than memory does.
static inline void oyi_iter_run_light(const oyi_iter* it, oyi_loop loop,
                                      const void* args) {
  if (OY_UNLIKELY(it->runs && it->tensors[0]->numel >= OYI_STREAM_LEAST / 16 &&
                  oyi_iter_streams(it)))
    oyi_iter_stream(it, loop, args);
  else
    oyi_iter_run(it, loop, args);
}

// As oyi_iter_run, for a loop that takes far longer than memory: pieces are short.
void oyi_iter_run_heavy(const oyi_iter* it, oyi_loop loop, const void* args);

#endif  // OPYARD_SRC_TENSOR_ITERATOR_STREAM_H_
