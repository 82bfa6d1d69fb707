// SPDX-License-Identifier: Apache-2.0
// Places in a tensor that indices name: what index, index_put, index_select, index_add,
// take and their relatives share. Indices become offsets in bytes, checked first, so
// that nothing is written when one is bad; then rows are moved or updated there.
//
//   [dimensions before] [dimensions that are indexed] [dimensions after]
//
// The other operand, the result or the values, has in the middle the shape of the
// indices instead.
#ifndef OPYARD_SRC_BACKENDS_CPU_INDEX_INDEXING_H_
#define OPYARD_SRC_BACKENDS_CPU_INDEX_INDEXING_H_

#include "backends/cpu/index/updates.h"
#include "ops/rules/reduction.h"

// How a new result lies.
typedef struct oyi_indexing_layout {
  bool plain;    // contiguous
  bool divided;  // else as [before] [the indices' dimensions] [after], with these strides
  int64_t strides[OY_TENSOR_MAX_DIMS];
  size_t before_count, after_count;
  uint8_t before[OY_TENSOR_MAX_DIMS], after[OY_TENSOR_MAX_DIMS];  // dimensions of self
} oyi_indexing_layout;

typedef struct oyi_indexing {
  oyi_tensor* self;
  // int64, contiguous, of the shape of the indices; owned. Times |scale| they are bytes.
  // One tensor of good indices is used as it is: see oyi_indexing_own.
  oyi_tensor* offsets;
  int64_t scale;
  bool borrows;  // they are the caller's
  size_t before_count, after_count;
  uint8_t before[OY_TENSOR_MAX_DIMS], after[OY_TENSOR_MAX_DIMS];  // dimensions of self
  oyi_indexing_layout layout;  // of oyi_indexing_begin alone
} oyi_indexing;

// Which index a message is about, and what it may be.
typedef enum oyi_index_kind {
  OYI_INDEX_ANY,     // may count from the end
  OYI_INDEX_SELECT,  // may not: "index out of range in self"
  OYI_INDEX_COPY     // may not: "index_copy_(): index 5 is out of bounds ..."
} oyi_index_kind;

// |indices| has an entry for each of the leading dimensions, none (&oy_none_object),
// int64, int32 or a mask. NULL offsets if Meta.
oy_status oyi_indexing_begin(oyi_indexing* x, oy_object* self, oy_tensors indices);
// One index, of rank 0 or 1, for the dimension |dim|.
oy_status oyi_indexing_begin_dim(oyi_indexing* x, oyi_tensor* self, int64_t dim,
                                 const oyi_tensor* index, oyi_index_kind kind);
void oyi_indexing_end(oyi_indexing* x);
// Makes a copy of indices that are the caller's: before out=, which may be one of them,
// gets another size.
oy_status oyi_indexing_own(oyi_indexing* x);

// The shape of the result: sizes has room for OY_TENSOR_MAX_DIMS. False, with the
// error set, if it has too many dimensions.
bool oyi_indexing_shape(const oyi_indexing* x, int64_t* sizes, size_t* ndim);

// Finds how a new result for |count| indices, some NULL, lies.
void oyi_indexing_lay(oyi_indexing* x, oyi_tensor* const* indices, size_t count);
// A new result of the shape |sizes|.
oyi_tensor* oyi_indexing_new(const oyi_indexing* x, oy_ints sizes);

// to[i] = self[indices[i]]; |to| has the shape of the result.
oy_status oyi_indexing_take(const oyi_indexing* x, oyi_tensor* to);
// |n| rows of |bytes|, one after the other, from |from| + number * |scale|. NULL: rows are not
// short.
typedef void (*oyi_rows_fn)(int64_t n, char* to, const char* from, int64_t scale,
                            const int64_t* numbers, int64_t bytes);
oyi_rows_fn oyi_rows_for(int64_t bytes);
// The same by capability level.
oyi_rows_fn oyi_rows_for_plain(int64_t bytes);
oyi_rows_fn oyi_rows_for_v3(int64_t bytes);
oyi_rows_fn oyi_rows_for_v4(int64_t bytes);
// Updates self at the indices from |from|, which has the shape of the result or one
// that broadcasts to it, and the dtype of self.
oy_status oyi_indexing_update(const oyi_indexing* x, const oyi_tensor* from,
                              oyi_updater updater);

// Elements of |self| by index, at each of the places before them, into |other|, which is
// contiguous.
typedef struct oyi_across {
  const char* self;
  char* other;
  const int64_t* offsets;
  int64_t scale, count;  // of an offset, in bytes; indices
  size_t ndim;
  const int64_t *sizes, *steps;  // of places, the fastest dimension first
  int64_t item;
} oyi_across;
// Whether it did: where places lie together and elements do not, so that lines are read whole.
bool oyi_indexing_take_across(const oyi_across* x);

#endif  // OPYARD_SRC_BACKENDS_CPU_INDEX_INDEXING_H_
