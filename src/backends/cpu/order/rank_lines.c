// SPDX-License-Identifier: Apache-2.0
#define LEVELED(name) name##_base
#include "backends/cpu/order/rank_lines_body.h"

#include "base/cpu.h"

static void run_lines(const oyi_ranked_lines* r) {
#ifdef __x86_64__
  if (oyi_cpu_level() >= 1) {
    oyi_ranked_v3(r);
    return;
  }
#endif
  oyi_ranked_base(r);
}

// Those of the fastest dimension of the walk go together.
static oy_status rank_some(oyi_lines* w, int64_t count, void* context) {
  oyi_ranked_lines r = {.how = context,
                        .x_step = w->step[0],
                        .y_step = w->step[1],
                        .at_step = w->step[2],
                        .x_line = w->steps[0][0],
                        .y_line = w->steps[0][1],
                        .at_line = w->steps[0][2]};
  while (count > 0) {
    const int64_t left = w->sizes[0] - w->at[0];
    r.lines = left < count ? left : count;
    r.x = w->data[0], r.y = w->data[1], r.at = w->data[2];
    run_lines(&r);
    count -= r.lines;
    w->at[0] += r.lines - 1;
    for (int k = 0; k < 3; k++) w->data[k] += (r.lines - 1) * w->steps[0][k];
    oyi_lines_next(w);
  }
  return OY_OK;
}

// Elements of a line, at most. Without vectors of 8-byte integers that are compared, one element
// is soon found in longer lines by itself, and all are soon sorted.
static int64_t longest_of(const oyi_ranking* how) {
  enum { PLAIN_ONE = 12, PLAIN = 15, WIDE_STEPS = 1280 };
  const bool is_wide = oyi_dtype_bytes[how->dtype] == 8;
  const bool all = !how->rank && !how->is_mode && how->k == how->n;
  if (oyi_cpu_level() < 1) return how->rank ? PLAIN_ONE : all ? 0 : PLAIN;
  if (oyi_is_top(how)) {
    // From there on a line of 8 bytes is as soon sorted by itself.
    const int64_t most = is_wide ? WIDE_STEPS / how->k : OYI_TOP_LINE;
    const int64_t counted =
        oyi_dtype_bytes[how->dtype] == 1 ? OYI_TOP_LINE / 2 : OYI_TOP_LINE;
    return most < counted ? most : counted;
  }
  return !how->rank && !how->is_mode ? OYI_RANKED
         : is_wide                   ? OYI_RANKED_WIDE
                                     : OYI_RANKED_ONE;
}

bool oyi_rank_lines(const oyi_lines* lines, const oyi_ranking* how) {
  enum { FEW_LINES = 8, SOME_LINES = 16 };
  const int64_t least = how->n > OYI_RANKED ? SOME_LINES : FEW_LINES;
  if (how->n > longest_of(how) || lines->ndim == 0 || lines->sizes[0] < least)
    return false;
  oyi_ranking same = *how;
  (void)!oyi_lines_run(lines, how->n, rank_some, &same);
  return true;
}
