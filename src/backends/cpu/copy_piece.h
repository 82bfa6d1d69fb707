// SPDX-License-Identifier: Apache-2.0
// A short memcpy that stays a call: one of a size that compilers know, unless it is very
// short, becomes an instruction that takes many times as long as moves of vectors.
#ifndef OPYARD_SRC_BACKENDS_CPU_COPY_PIECE_H_
#define OPYARD_SRC_BACKENDS_CPU_COPY_PIECE_H_

#include <string.h>

enum { OYI_COPY_PIECE = 2048 };  // what the C library copies by vectors too

static inline void oyi_copy_piece(void* to, const void* from, size_t size) {
  __asm__("" : "+r"(size));
  memcpy(to, from, size);
}

#endif  // OPYARD_SRC_BACKENDS_CPU_COPY_PIECE_H_
