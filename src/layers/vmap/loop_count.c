// SPDX-License-Identifier: Apache-2.0
// How often which operator went through the loop. A table that takes no lock and no memory:
// an operator is found by its address, and rows are never given back. Operators that find
// it full are counted together.
#include "layers/vmap/batch.h"
#include "tensor/iterator.h"

enum { ROWS = 4096 };  // a power of two; PyTorch has some 3200 operators

typedef struct row {
  const oy_op* op;  // atomic; NULL: free
  uint64_t count;   // atomic
} row;
static row g_rows[ROWS];
static uint64_t g_total;      // atomic
static bool g_always, g_off;  // atomic

static size_t first_place(const oy_op* op) {
  return (size_t)(((uint64_t)(uintptr_t)op >> 6) * 0x9E3779B97F4A7C15ull >> 52);
}

// The row of |op|; with |make| a free one becomes it. NULL if there is none.
static row* row_of(const oy_op* op, bool make) {
  for (size_t i = 0; i < ROWS; i++) {
    row* r = &g_rows[(first_place(op) + i) % ROWS];
    const oy_op* found = __atomic_load_n(&r->op, __ATOMIC_RELAXED);
    if (found == op) return r;
    if (found) continue;
    if (!make) return NULL;
    if (__atomic_compare_exchange_n(&r->op, &found, op, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED) ||
        found == op)
      return r;
  }
  return NULL;
}

oy_status oyi_fallback_note(const oy_op* op) {
  OY_CHECK(!__atomic_load_n(&g_off, __ATOMIC_RELAXED), FAILED_PRECONDITION,
           "%.*s hit the vmap fallback which is currently disabled",
           OY_STR_ARG(oy_op_name_of(op)));
  row* r = row_of(op, true);
  uint64_t before = r ? __atomic_fetch_add(&r->count, 1, __ATOMIC_RELAXED) : 0;
  __atomic_fetch_add(&g_total, 1, __ATOMIC_RELAXED);
  if (before == 0 || __atomic_load_n(&g_always, __ATOMIC_RELAXED))
    oyi_warn(
        "There is a performance drop because we have not yet implemented the batching "
        "rule for %.*s. Please file us an issue on GitHub so that we can prioritize its "
        "implementation.",
        OY_STR_ARG(oy_op_name_of(op)));
  return OY_OK;
}

uint64_t oy_vmap_fallback_count(const oy_op* op) {
  const row* r = op ? row_of(op, false) : NULL;
  if (!op) return __atomic_load_n(&g_total, __ATOMIC_RELAXED);
  return r ? __atomic_load_n(&r->count, __ATOMIC_RELAXED) : 0;
}
void oy_vmap_fallback_warn_always(bool on) {
  __atomic_store_n(&g_always, on, __ATOMIC_RELAXED);
}
void oy_vmap_fallback_enable(bool on) {
  __atomic_store_n(&g_off, !on, __ATOMIC_RELAXED);
}
