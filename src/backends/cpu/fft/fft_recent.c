// SPDX-License-Identifier: Apache-2.0
// Tables that were made lately: to make one takes longer than to transform a line with it.
// They are copied in and out, so that nobody has to own them; who would have to wait makes
// the table again.
#include <string.h>

#include "backends/cpu/fft/fft.h"

enum { ROOM = 1 << 20, MOST = ROOM / 4, TABLES = 64, LINE = 64 };

typedef struct recent {
  oyi_fft_table table;
  size_t at, size;
} recent;

static bool g_busy;                                       // atomic
static char g_room[ROOM] __attribute__((aligned(LINE)));  // the newest over the oldest
static recent g_recent[TABLES];                           // a ring, as the room is
static size_t g_count, g_end;                             // tables ever; where they end

static bool enter(void) {
  return !__atomic_test_and_set(&g_busy, __ATOMIC_ACQUIRE);
}
static void leave(void) {
  __atomic_clear(&g_busy, __ATOMIC_RELEASE);
}

static bool is_same(const oyi_fft_table* a, const oyi_fft_table* b) {
  return a->kind == b->kind && a->is_float == b->is_float && a->n == b->n &&
         a->count == b->count;
}

bool oyi_fft_recall(const oyi_fft_table* table, void* to, size_t size) {
  if (size > MOST || !enter()) return false;
  bool found = false;
  for (size_t i = 0; i < TABLES && !found; i++) {
    const recent* r = &g_recent[i];
    found = r->size == size && is_same(&r->table, table);
    if (found) memcpy(to, g_room + r->at, size);
  }
  leave();
  return found;
}

void oyi_fft_remember(const oyi_fft_table* table, const void* from, size_t size) {
  if (size == 0 || size > MOST || !enter()) return;
  const size_t at = g_end + size > ROOM ? 0 : g_end;
  for (size_t i = 0; i < TABLES; i++) {
    recent* r = &g_recent[i];
    if (r->at < at + size && at < r->at + r->size) r->size = 0;
  }
  memcpy(g_room + at, from, size);
  g_recent[g_count++ % TABLES] = (recent){*table, at, size};
  g_end = (at + size + LINE - 1) / LINE * LINE;
  leave();
}
