// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/index/lines.h"

#include <string.h>

#include "backends/cpu/work.h"
#include "opyard/threads.h"

// Whether dimension |d| continues the one before it, of every operand.
static bool continues(const oyi_lines* w, size_t d) {
  for (int k = 0; k < w->count; k++)
    if (w->steps[d][k] != w->steps[d - 1][k] * w->sizes[d - 1]) return false;
  return true;
}

static void copy_dim(oyi_lines* w, size_t to, size_t from) {
  w->sizes[to] = w->sizes[from];
  memmove(w->steps[to], w->steps[from], sizeof(w->steps[to]));
}

void oyi_lines_arrange(oyi_lines* w, int64_t least) {
  size_t last = 0, longest = 0;
  for (size_t d = 1; d < w->ndim; d++) {
    copy_dim(w, last + 1, d);
    if (continues(w, last + 1))
      w->sizes[last] *= w->sizes[last + 1];
    else
      last++;
  }
  if (w->ndim > 0) w->ndim = last + 1;
  for (size_t d = 1; d < w->ndim; d++)
    if (w->sizes[d] > w->sizes[longest]) longest = d;
  if (longest == 0 || w->sizes[0] >= least) return;
  const oyi_lines before = *w;
  copy_dim(w, 0, longest);
  w->sizes[longest] = before.sizes[0];
  memcpy(w->steps[longest], before.steps[0], sizeof(before.steps[0]));
}

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

static oy_status run_all(const oyi_lines* first, int64_t grain, oyi_lines_fn fn,
                         void* context) {
  int64_t count = 1;
  for (size_t d = 0; d < first->ndim; d++) count *= first->sizes[d];
  lines_run r = {first, fn, context};
  return oy_parallel_for(0, count, grain, run_some, &r);
}

oy_status oyi_lines_run(const oyi_lines* first, int64_t n, oyi_lines_fn fn,
                        void* context) {
  return run_all(first, oyi_stretch(n), fn, context);
}

oy_status oyi_lines_run_beside(const oyi_lines* first, int64_t n, oyi_lines_fn fn,
                               void* context) {
  enum { CACHE_LINE = 64 };
  int64_t beside = 1;
  for (int k = 0; first->ndim > 0 && k < first->count; k++) {
    const int64_t step =
        first->steps[0][k] < 0 ? -first->steps[0][k] : first->steps[0][k];
    if (step > 0 && CACHE_LINE / step > beside) beside = CACHE_LINE / step;
  }
  const int64_t stretch = oyi_stretch(n);
  return run_all(first, oyi_stretches(stretch, beside) * beside, fn, context);
}
