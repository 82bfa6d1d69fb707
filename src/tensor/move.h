// SPDX-License-Identifier: Apache-2.0
// Elements moved as they are, by vectors. The C library's memcpy becomes one instruction
// from 2 KiB on, which takes ten times as long where the target lies a little above the
// source, modulo a page; and a call for each short row costs more than its bytes.
#ifndef OPYARD_SRC_TENSOR_MOVE_H_
#define OPYARD_SRC_TENSOR_MOVE_H_

#include <stddef.h>
#include <stdint.h>

// |rows| rows of |n| elements; steps in bytes from element to element of a row and from
// row to row. The places are apart, or the same.
typedef struct oyi_move {
  size_t item;  // bytes of an element: 1, 2, 4, 8 or 16
  int64_t n, rows;
  char* to;
  const char* from;
  int64_t to_along, to_down, from_along, from_down;
  // Bytes from |from| on of a move that follows, where its input is worth fetching: of a
  // plane that is turned round.
  int64_t ahead;
  // Planes of so many rows that follow the first one, for oyi_move_planes; bytes from one to the
  // next.
  int64_t more, to_over, from_over;
} oyi_move;

// Rows of |size| bytes that follow each other.
typedef struct oyi_row_source {
  const char* from;
  size_t size;
} oyi_row_source;

// Those of one CPU capability.
typedef struct oyi_move_table {
  void (*copy)(char* to, const char* from, size_t n);
  void (*fill)(char* to, size_t n, const char* element, size_t item);
  void (*rows)(const oyi_move* m);
  void (*planes)(const oyi_move* m);
  void (*pairs)(char* to, const char* first, const char* second, size_t n, size_t item);
  void (*turns)(char* to, oyi_row_source* sources, size_t count, int64_t rows);
  // Copies past the caches, whole lines to where a line begins; NULL where that gains
  // nothing. Others see them after end_stream, called by the thread that made them.
  void (*stream)(char* to, const char* from, size_t n);
  void (*end_stream)(void);
} oyi_move_table;
extern const oyi_move_table oyi_moves, oyi_moves_v3;
const oyi_move_table* oyi_moves_of_machine(void);

// |n| bytes, between places that are apart, or the same.
static inline void oyi_move_copy(char* to, const char* from, size_t n) {
  oyi_moves_of_machine()->copy(to, from, n);
}
// |n| bytes, whole elements of |item| bytes, each as |element|.
static inline void oyi_move_fill(char* to, size_t n, const char* element, size_t item) {
  oyi_moves_of_machine()->fill(to, n, element, item);
}
static inline void oyi_move_rows(const oyi_move* m) {
  oyi_moves_of_machine()->rows(m);
}
// Planes of short rows, of which one is not worth a call.
static inline void oyi_move_planes(const oyi_move* m) {
  oyi_moves_of_machine()->planes(m);
}
// |n| elements of both in turns, to a place apart from either.
static inline void oyi_move_pairs(char* to, const char* first, const char* second,
                                  size_t n, size_t item) {
  oyi_moves_of_machine()->pairs(to, first, second, n, item);
}
// |rows| rows of each of |count| sources in turns, to a place apart from all of them. Sources
// become what follows.
static inline void oyi_move_turns(char* to, oyi_row_source* sources, size_t count,
                                  int64_t rows) {
  oyi_moves_of_machine()->turns(to, sources, count, rows);
}

#endif  // OPYARD_SRC_TENSOR_MOVE_H_
