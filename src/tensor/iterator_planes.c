// SPDX-License-Identifier: Apache-2.0
// Copies of many small planes, which are turned round, as (n, m, 2, 12) to (m, n, 12, 2), or stay
// as they are, as the heads of (n, 12, m, 64) to (n, m, 12, 64): a call for each takes longer than
// its elements, and one for rows of many planes, which lie far apart, comes to the same lines again
// and again. So does one for what goes to (12, m, n, 2), where few rows of a plane, which come to
// lie apart, are written side by side.
#include "tensor/iterator_planes.h"

#include "base/threads.h"
#include "tensor/iterator_walk.h"
#include "tensor/move.h"

typedef struct planes {
  oyi_iter it;  // a plane is its first two dimensions
  size_t item;
  int64_t count, chunk;  // of all of them, and of those that a thread takes at a time
} planes;

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

// To plane |index|. How many there are from it on along the third dimension.
static int64_t find_plane(const oyi_iter* it, int64_t index, oyi_move* m) {
  const int64_t left = it->sizes[2] - index % it->sizes[2];
  m->to = it->data[0], m->from = it->data[1];
  for (size_t d = 2; d < it->ndim; index /= it->sizes[d++]) {
    const int64_t at = index % it->sizes[d];
    m->to += at * it->strides[d][0];
    m->from += at * it->strides[d][1];
  }
  return left;
}

static oy_status move_chunk(int64_t index, void* context) {
  const planes* p = context;
  const oyi_iter* it = &p->it;
  const int64_t end = least((index + 1) * p->chunk, p->count);
  oyi_move m = {.item = p->item,
                .n = it->sizes[0],
                .rows = it->sizes[1],
                .to_along = it->strides[0][0],
                .to_down = it->strides[1][0],
                .from_along = it->strides[0][1],
                .from_down = it->strides[1][1],
                .to_over = it->strides[2][0],
                .from_over = it->strides[2][1]};
  for (int64_t at = index * p->chunk; at < end; at += m.more + 1) {
    m.more = least(find_plane(it, at, &m), end - at) - 1;
    oyi_move_planes(&m);
  }
  return OY_OK;
}

// Rows too short to be turned round by vectors, few of them, and enough planes together for a call.
// Those that come to lie apart are no more than lines of a set of the caches, about.
static bool has_small_planes(const oyi_iter* it, int64_t item) {
  enum { VECTOR = 32, FEW = 3, MANY = 64, MANY_APART = 16, PLANES = 4, ENOUGH = 1024 };
  const bool together = it->strides[1][0] == it->sizes[0] * item;
  return it->sizes[0] * item < VECTOR && it->sizes[1] >= FEW &&
         it->sizes[1] <= (together ? MANY : MANY_APART) && it->sizes[2] >= PLANES &&
         it->sizes[0] * it->sizes[1] * it->sizes[2] >= ENOUGH;
}

// The dimension along which the input lies together; 0: none.
static size_t lies_across(const oyi_iter* it, int64_t item) {
  if (it->strides[0][0] != item || it->strides[0][1] == item) return 0;
  for (size_t d = 1; d < it->ndim; d++)
    if (it->strides[d][1] == item) return d;
  return 0;
}

// Planes of few rows that stay as they are, each a line and more: shorter ones are better moved
// down a longer dimension, and longer ones, or more of them, are worth a call.
static bool has_few_rows(const oyi_iter* it, int64_t item) {
  enum { LINE = 64, LONG = 4096, MANY = 64, PLANES = 4, ENOUGH = 512 };
  const int64_t row = it->sizes[0] * item;
  return it->strides[0][0] == item && it->strides[0][1] == item && row >= LINE &&
         row < LONG && it->sizes[1] <= MANY && it->sizes[2] >= PLANES &&
         row * it->sizes[1] >= ENOUGH;
}

// |it| with dimension |d| as the second.
static void bring_forward(oyi_iter* it, const oyi_iter* from, size_t d) {
  *it = *from;
  it->sizes[1] = from->sizes[d];
  memcpy(it->strides[1], from->strides[d], sizeof(it->strides[d]));
  memcpy(it->sizes + 2, from->sizes + 1, (d - 1) * sizeof(*it->sizes));
  memcpy(it->strides + 2, from->strides + 1, (d - 1) * sizeof(*it->strides));
}

bool oyi_iter_move_planes(const oyi_iter* it, size_t item) {
  if (it->ndim < 3) return false;
  const bool stays = has_few_rows(it, (int64_t)item);
  const size_t second = stays ? 1 : lies_across(it, (int64_t)item);
  planes p;
  if (second == 0) return false;
  bring_forward(&p.it, it, second);
  if (!stays && !has_small_planes(&p.it, (int64_t)item)) return false;
  const int64_t plane = it->sizes[0] * p.it.sizes[1];
  p.item = item;
  p.count = oyi_walk_steps(&p.it, 2, it->ndim);
  p.chunk = (OYI_ITER_GRAIN - 1) / plane + 1;
  (void)oyi_parallel_chunks((p.count - 1) / p.chunk + 1, move_chunk, &p);
  return true;
}
