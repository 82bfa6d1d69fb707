// SPDX-License-Identifier: Apache-2.0
// Sorting by keys: every element becomes an unsigned number that has its place in the
// order, whatever its dtype, so that one sort, one selection and one search do for all.
// NaN comes last, zeros of either sign are equal, and so is every NaN.
#ifndef OPYARD_SRC_BACKENDS_CPU_ORDER_SORT_KEYS_H_
#define OPYARD_SRC_BACKENDS_CPU_ORDER_SORT_KEYS_H_

#include "opyard/tensor.h"

typedef struct oyi_entry {
  uint64_t key;
  int64_t place;  // in the line that it comes from
} oyi_entry;

// Whether elements of the dtype have an order: all but complex ones.
bool oyi_key_has_order(oy_dtype dtype);
// The key of every NaN of the dtype; 0 if it has none.
uint64_t oyi_key_of_nan(oy_dtype dtype);
// Keys and places of |n| elements, |step| bytes apart; |descending| turns the order
// round, NaN first.
void oyi_keys_load(oyi_entry* out, oy_dtype dtype, const char* x, int64_t step, int64_t n,
                   bool descending);
uint64_t oyi_key_load(oy_dtype dtype, const void* x);

// Sorts by key; equal ones keep their order. |scratch| has room for |n| too.
void oyi_keys_sort(oyi_entry* entries, oyi_entry* scratch, int64_t n);
// Of sorted ones those of equal keys by their places, for entries that came in another order.
void oyi_keys_order_equal(oyi_entry* entries, oyi_entry* scratch, int64_t n);
// Moves the |k| + 1 least to the front, the greatest of them to position |k|. Of equal
// keys those of lower places are less.
void oyi_keys_select(oyi_entry* entries, int64_t n, int64_t k);
// The |k| least of |n| elements, in any order, into |entries|, which has room for
// oyi_keys_few_room(k): one look at each element, for |k| far below |n|.
static inline int64_t oyi_keys_few_room(int64_t k) {
  return 2 * k + 16;
}
// Whether that leaves them in their order: a few of a line that is not long.
static inline bool oyi_keys_are_inserted(int64_t n, int64_t k) {
  enum { FEW = 16, SHORT = 4096 };
  return k > 1 && k <= FEW && k < n && n <= SHORT;
}
void oyi_keys_select_few(oyi_entry* entries, oy_dtype dtype, const char* x, int64_t step,
                         int64_t n, int64_t k, bool descending);

// How many elements of the sorted row |x|, of |n| side by side, are below |key|, or not above
// it if |or_equal|. With |sorter| not NULL it says at which place the i-th in order is.
int64_t oyi_keys_search(oy_dtype dtype, const char* x, const int64_t* sorter, int64_t n,
                        uint64_t key, bool or_equal);

#endif  // OPYARD_SRC_BACKENDS_CPU_ORDER_SORT_KEYS_H_
