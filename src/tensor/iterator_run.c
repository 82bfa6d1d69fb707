// SPDX-License-Identifier: Apache-2.0
// The walk itself, by one thread or by several.
#include "base/threads.h"
#include "tensor/iterator_walk.h"

int64_t oyi_walk_steps(const oyi_iter* it, size_t first, size_t last) {
  int64_t steps = 1;
  for (size_t d = first; d < last; d++) steps *= it->sizes[d];
  return steps;
}

// Where a walk over some dimensions is.
typedef struct position {
  int64_t at[OY_TENSOR_MAX_DIMS];
  char* data[OYI_ITER_MAX];
} position;

static void position_set(position* p, const oyi_iter* it, size_t first, size_t last,
                         char* const* data, int64_t step) {
  memcpy(p->data, data, sizeof(p->data[0]) * (size_t)it->count);
  for (size_t d = first; d < last && step > 0; d++) {
    p->at[d] = step % it->sizes[d];
    step /= it->sizes[d];
    for (int k = 0; k < it->count; k++) p->data[k] += p->at[d] * it->strides[d][k];
    first = d + 1;
  }
  for (size_t d = first; d < last; d++) p->at[d] = 0;
}

// To the beginning of the next row.
static void next_row(position* p, const oyi_iter* it, size_t first, size_t last) {
  for (int k = 0; k < it->count; k++) p->data[k] -= p->at[first] * it->strides[first][k];
  p->at[first] = 0;
  for (size_t d = first + 1; d < last; d++) {
    for (int k = 0; k < it->count; k++) p->data[k] += it->strides[d][k];
    if (++p->at[d] < it->sizes[d]) return;
    for (int k = 0; k < it->count; k++) p->data[k] -= it->strides[d][k] * it->sizes[d];
    p->at[d] = 0;
  }
}

void oyi_walk_range(const oyi_iter* it, size_t first, size_t last, char* const* data,
                    int64_t begin, int64_t end, oyi_loop loop, const void* args) {
  if (first == last) {
    static const int64_t none[OYI_ITER_MAX];
    if (begin < end) loop(1, data, none, args);
    return;
  }
  position p;
  position_set(&p, it, first, last, data, begin);
  while (begin < end) {
    int64_t n = it->sizes[first] - p.at[first];
    if (n > end - begin) n = end - begin;
    loop(n, p.data, it->strides[first], args);
    begin += n;
    if (begin < end) next_row(&p, it, first, last);
  }
}

typedef struct job {
  const oyi_iter* it;
  oyi_loop loop;
  const void* args;
  int64_t steps;
} job;

static oy_status run_piece(int64_t index, void* context) {
  const job* j = context;
  int64_t begin = index * OYI_ITER_GRAIN;
  int64_t end = begin + OYI_ITER_GRAIN < j->steps ? begin + OYI_ITER_GRAIN : j->steps;
  oyi_walk_range(j->it, 0, j->it->ndim, j->it->data, begin, end, j->loop, j->args);
  return OY_OK;
}

// An output that stays in place, as in a fill of an expanded tensor, is written by
// one thread.
static bool stays_in_place(const oyi_iter* it) {
  for (size_t d = 0; d < it->ndim; d++)
    if (it->strides[d][0] == 0 && it->sizes[d] > 1) return true;
  return false;
}

// Rows of few elements below long ones: a loop is called for each row, and what it costs to
// begin is more than what it costs to step further.
static bool has_short_rows(const oyi_iter* it) {
  enum { SHORT = 8, LONGER = 4 };
  return it->ndim > 1 && it->sizes[0] < SHORT && it->sizes[1] >= LONGER * it->sizes[0];
}

// The two fastest dimensions change places.
static oyi_iter with_long_rows(const oyi_iter* it) {
  oyi_iter turned = *it;
  turned.sizes[0] = it->sizes[1];
  turned.sizes[1] = it->sizes[0];
  memcpy(turned.strides[0], it->strides[1], sizeof(turned.strides[0]));
  memcpy(turned.strides[1], it->strides[0], sizeof(turned.strides[1]));
  return turned;
}

void oyi_iter_run_dims(const oyi_iter* it, oyi_loop loop, const void* args) {
  if (!it->runs) return;
  job j = {it, loop, args, oyi_walk_steps(it, 0, it->ndim)};
  if (stays_in_place(it)) {
    oyi_walk_range(it, 0, it->ndim, it->data, 0, j.steps, loop, args);
    return;
  }
  oyi_iter turned;
  if (OY_UNLIKELY(has_short_rows(it))) {
    turned = with_long_rows(it);
    j.it = it = &turned;
  }
  if (it->ndim < 2 || !oyi_walk_tiled(it, loop, args))
    (void)oyi_parallel_chunks((j.steps - 1) / OYI_ITER_GRAIN + 1, run_piece, &j);
}
