// SPDX-License-Identifier: Apache-2.0
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include "backends/cpu/index/index_check.h"

#include "backends/cpu/index/lines.h"
#include "tensor/iterator.h"

typedef struct bounds {
  int64_t size;
  bool failed;  // atomic
} bounds;

// Without a comparison, which vectors of unsigned numbers may not have: the sign of an
// index, or of what it lacks to |size|, tells.
static bool all_below(const uint64_t* x, int64_t n, uint64_t size) {
  uint64_t signs = 0;
  for (int64_t i = 0; i < n; i++) signs |= x[i] | (size - 1 - x[i]);
  return signs >> 63 == 0;
}

static void check_loop(int64_t n, char* const* data, const int64_t* strides,
                       const void* args) {
  bounds* b = *(bounds* const*)args;
  const char* x = data[0];
  bool bad = false;
  if (strides[0] == sizeof(uint64_t)) {
    bad = !all_below((const uint64_t*)(const void*)x, n, (uint64_t)b->size);
  } else {
    for (int64_t i = 0; i < n; i++, x += strides[0])
      bad |= *(const uint64_t*)(const void*)x >= (uint64_t)b->size;
  }
  if (bad) __atomic_store_n(&b->failed, true, __ATOMIC_RELAXED);
}

bool oyi_are_indices(const oyi_tensor* index, int64_t size) {
  bounds b = {size, false};
  bounds* args = &b;
  oyi_iter it;
  oyi_iter_plain(&it, &index, 1);
  oyi_iter_run(&it, check_loop, &args);
  return !b.failed;
}

oy_status oyi_check_line_indices(const oyi_tensor* index, int64_t dim, int64_t size) {
  // A RuntimeError in Python, as PyTorch has it here alone.
  OY_CHECK(oyi_are_indices(index, size), INVALID_ARGUMENT,
           "index %lld is out of bounds for dimension %lld with size %lld",
           (long long)oyi_first_bad_index(index, 0, size), (long long)dim,
           (long long)size);
  return OY_OK;
}

int64_t oyi_first_bad_index(const oyi_tensor* index, int64_t least, int64_t size) {
  oyi_lines w;
  int64_t dim = index->ndim ? index->ndim - 1 : 0,
          n = index->ndim ? index->sizes[dim] : 1;
  if (!oyi_lines_begin(&w, oyi_sizes_view(index), dim, &index, 1)) return 0;
  do {
    for (int64_t i = 0; i < n; i++) {
      int64_t at = *(const int64_t*)(const void*)(w.data[0] + i * w.step[0]);
      if (at < least || at >= size) return at;
    }
  } while (oyi_lines_next(&w));
  return 0;
}
