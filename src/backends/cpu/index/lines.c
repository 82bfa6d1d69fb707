// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/index/lines.h"

#include "backends/cpu/work.h"
#include "opyard/threads.h"

typedef struct lines_run {
  const oyi_lines* first;
  oyi_lines_fn fn;
  void* context;
} lines_run;

static oy_status run_some(int64_t begin, int64_t end, void* context) {
  const lines_run* r = context;
  oyi_lines w = *r->first;
  int64_t place = begin;
  for (size_t d = 0; d < w.ndim; d++) {
    w.at[d] = place % w.sizes[d];
    place /= w.sizes[d];
    for (int k = 0; k < w.count; k++) w.data[k] += w.steps[d][k] * w.at[d];
  }
  return r->fn(&w, end - begin, r->context);
}

oy_status oyi_lines_run(const oyi_lines* first, int64_t n, oyi_lines_fn fn,
                        void* context) {
  int64_t count = 1;
  for (size_t d = 0; d < first->ndim; d++) count *= first->sizes[d];
  lines_run r = {first, fn, context};
  return oy_parallel_for(0, count, oyi_stretch(n), run_some, &r);
}
