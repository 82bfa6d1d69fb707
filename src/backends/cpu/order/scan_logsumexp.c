// SPDX-License-Identifier: Apache-2.0
// log(exp(a) + exp(b) + ...), without overflow: the greatest of a line so far, and how much the
// others add up to beside it. Lines go side by side, an element of each at a time, so that
// exponentials and logarithms are those of vectors.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include "backends/cpu/order/scan_logsumexp.h"

#include "backends/cpu/loops/loops.h"
#include "tensor/element.h"

// Lines at once; fewer than |FEW_LINES| do not fill vectors. Of longer ones than |LONG_LINE|
// that lie one behind the other, elements of the same place share no part of a cache.
enum { LINES = 128, FEW_LINES = 8, LONG_LINE = 256 };

typedef struct running {
  double greatest[LINES], others[LINES], parts[LINES];
} running;

static void map(oyi_cpu_loop which, double* x, int64_t lines) {
  oyi_cpu_loops[which][OY_DTYPE_F64](lines, (char*[]){(char*)x, (char*)x},
                                     (int64_t[]){sizeof(double), sizeof(double)}, NULL);
}

// One element more of each line, |x|, which becomes the running value.
static void step(running* r, double* x, int64_t lines) {
  double *greatest = r->greatest, *others = r->others, *parts = r->parts;
  for (int64_t l = 0; l < lines; l++) {
    const double less = x[l] > greatest[l] ? greatest[l] - x[l] : x[l] - greatest[l];
    parts[l] = x[l] == greatest[l] ? 0 : less;
  }
  map(OYI_LOOP_exp, parts, lines);
  for (int64_t l = 0; l < lines; l++) {
    const bool is_more = x[l] > greatest[l];
    others[l] = is_more ? (1 + others[l]) * parts[l] : others[l] + parts[l];
    greatest[l] = is_more ? x[l] : greatest[l];
    parts[l] = others[l];
  }
  map(OYI_LOOP_log1p, parts, lines);
  for (int64_t l = 0; l < lines; l++) x[l] = greatest[l] + parts[l];
}

typedef struct scanning {
  oy_dtype from, to;
  int64_t n;
} scanning;

// |lines| of them, |x_line| and |y_line| bytes apart.
static void scan_across(const scanning* s, const oyi_lines* w, int64_t lines,
                        int64_t x_line, int64_t y_line) {
  running r;
  double x[LINES];
  for (int64_t i = 0; i < s->n; i++) {
    oyi_convert_row(OY_DTYPE_F64, (char*)x, sizeof(double), s->from,
                    w->data[0] + i * w->step[0], x_line, lines);
    if (i > 0) {
      step(&r, x, lines);
    } else {
      memcpy(r.greatest, x, (size_t)lines * sizeof(double));
      memset(r.others, 0, (size_t)lines * sizeof(double));
    }
    oyi_convert_row(s->to, w->data[1] + i * w->step[1], y_line, OY_DTYPE_F64,
                    (const char*)x, sizeof(double), lines);
  }
}

// Those of the fastest dimension of the walk go together.
static oy_status scan_some(oyi_lines* w, int64_t count, void* context) {
  while (count > 0) {
    const int64_t left = w->sizes[0] - w->at[0], most = left < count ? left : count;
    const int64_t lines = most < LINES ? most : LINES;
    scan_across(context, w, lines, w->steps[0][0], w->steps[0][1]);
    count -= lines;
    w->at[0] += lines - 1;
    for (int k = 0; k < 2; k++) w->data[k] += (lines - 1) * w->steps[0][k];
    oyi_lines_next(w);
  }
  return OY_OK;
}

bool oyi_scan_logsumexp(const oyi_lines* lines, oy_dtype from, oy_dtype to, int64_t n) {
  if (lines->ndim == 0 || lines->sizes[0] < FEW_LINES) return false;
  const int64_t along = lines->step[0] < 0 ? -lines->step[0] : lines->step[0];
  const int64_t across =
      lines->steps[0][0] < 0 ? -lines->steps[0][0] : lines->steps[0][0];
  if (n > LONG_LINE && across > along) return false;
  scanning s = {from, to, n};
  (void)!oyi_lines_run(lines, n, scan_some, &s);
  return true;
}
