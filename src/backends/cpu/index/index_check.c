// SPDX-License-Identifier: Apache-2.0
#define LEVELED(name) name
#include "backends/cpu/index/index_below_body.h"
#include "backends/cpu/index/lines.h"
#include "base/cpu.h"
#include "tensor/iterator.h"

bool oyi_are_below(const char* x, int64_t step, int64_t n, int64_t size) {
  if (step == sizeof(uint64_t)) {
    const uint64_t* numbers = (const uint64_t*)(const void*)x;
#if defined(__x86_64__)
    if (oyi_cpu_level() > 0) return oyi_all_below_v3(numbers, n, (uint64_t)size);
#endif
    return oyi_all_below(numbers, n, (uint64_t)size);
  }
  bool bad = false;
  for (int64_t i = 0; i < n; i++, x += step)
    bad |= *(const uint64_t*)(const void*)x >= (uint64_t)size;
  return !bad;
}

typedef struct bounds {
  int64_t size;
  bool failed;  // atomic
} bounds;

static void check_loop(int64_t n, char* const* data, const int64_t* strides,
                       const void* args) {
  bounds* b = *(bounds* const*)args;
  if (!oyi_are_below(data[0], strides[0], n, b->size))
    __atomic_store_n(&b->failed, true, __ATOMIC_RELAXED);
}

bool oyi_are_indices(const oyi_tensor* index, int64_t size) {
  bounds b = {size, false};
  bounds* args = &b;
  oyi_iter it;
  oyi_iter_plain(&it, &index, 1);
  oyi_iter_run(&it, check_loop, &args);
  return !b.failed;
}

oy_status oyi_bad_line_index(const oyi_tensor* index, int64_t dim, int64_t size) {
  // A RuntimeError in Python, as PyTorch has it here alone.
  return OY_FAIL(
      INVALID_ARGUMENT, "index %lld is out of bounds for dimension %lld with size %lld",
      (long long)oyi_first_bad_index(index, 0, size), (long long)dim, (long long)size);
}

oy_status oyi_check_line_indices(const oyi_tensor* index, int64_t dim, int64_t size) {
  return oyi_are_indices(index, size) ? OY_OK : oyi_bad_line_index(index, dim, size);
}

bool oyi_checks_late(const oyi_tensor* index, int64_t dim) {
  enum { LEAST = 64 };
  return index->ndim > 0 && index->sizes[dim] >= LEAST && oyi_strides(index)[dim] == 1;
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
