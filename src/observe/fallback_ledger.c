// SPDX-License-Identifier: Apache-2.0
// The fallback ledger: counting, and who may fall back. A hash table of rows that only
// grows; a row is linked with one compare-and-swap, and counted in with atomic additions.
#include "observe/fallback_ledger.h"

#include <stdlib.h>

#include "base/memory.h"
#include "tensor/iterator.h"

enum { BUCKETS = 512 };
static oyi_fallback_row* g_buckets[BUCKETS];  // atomic
// For calls that there was no memory to make a row for.
static oyi_fallback_row g_others = {
    .from = OY_BACKEND_NONE, .to = OY_BACKEND_NONE, .name_size = 8, .name = "(others)"};

#define ADD(at, n)   __atomic_fetch_add(&(at), (n), __ATOMIC_RELAXED)
#define READ(at)     __atomic_load_n(&(at), __ATOMIC_RELAXED)
#define STORE(at, v) __atomic_store_n(&(at), (v), __ATOMIC_RELAXED)

static oyi_fallback_row** bucket_of(oy_str name, int16_t from, int16_t to) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < name.size; i++)
    hash = (hash ^ (unsigned char)name.data[i]) * 1099511628211u;
  hash = (hash ^ (uint16_t)from ^ (uint64_t)(uint16_t)to << 16) * 1099511628211u;
  return &g_buckets[(hash ^ hash >> 29) % BUCKETS];
}

static oyi_fallback_row* find(oyi_fallback_row* row, oy_str name, int16_t from,
                              int16_t to) {
  for (; row; row = row->next)
    if (row->from == from && row->to == to &&
        oy_str_equal((oy_str){row->name, row->name_size}, name))
      return row;
  return NULL;
}

static oyi_fallback_row* row_find(const oy_op* op, int16_t from, int16_t to) {
  const oy_str name = oy_op_name_of(op);
  oyi_fallback_row** bucket = bucket_of(name, from, to);
  return find(__atomic_load_n(bucket, __ATOMIC_ACQUIRE), name, from, to);
}

static oyi_fallback_row* row_new(oy_str name, int16_t from, int16_t to) {
  oyi_fallback_row* row = oyi_zalloc(sizeof(*row) + name.size + 1);
  if (!row) return NULL;
  row->from = from;
  row->to = to;
  row->name_size = name.size;
  memcpy(row->name, name.data, name.size);
  return row;
}

// NULL: OUT_OF_MEMORY.
static oyi_fallback_row* row_get(const oy_op* op, int16_t from, int16_t to) {
  const oy_str name = oy_op_name_of(op);
  oyi_fallback_row** bucket = bucket_of(name, from, to);
  oyi_fallback_row* first = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);
  oyi_fallback_row* row = find(first, name, from, to);
  if (row) return row;
  oyi_fallback_row* made = row_new(name, from, to);
  while (made) {
    made->next = first;
    if (__atomic_compare_exchange_n(bucket, &first, made, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
      return made;
    // Somebody was faster; perhaps with the same row.
    row = find(first, name, from, to);
    if (!row) continue;
    oyi_free(made);
    return row;
  }
  return NULL;
}

void oyi_fallback_each(bool (*visit)(void* context, oyi_fallback_row* row),
                       void* context) {
  for (size_t b = 0; b < BUCKETS; b++) {
    oyi_fallback_row* row = __atomic_load_n(&g_buckets[b], __ATOMIC_ACQUIRE);
    for (; row; row = row->next)
      if (!visit(context, row)) return;
  }
  (void)visit(context, &g_others);
}

void oyi_fallback_free(void) {
  for (size_t b = 0; b < BUCKETS; b++) {
    oyi_fallback_row* row = g_buckets[b];
    g_buckets[b] = NULL;
    while (row) {
      oyi_fallback_row* next = row->next;
      oyi_free(row);
      row = next;
    }
  }
}

// ------------------------------------------------------------------------ policy

enum { UNKNOWN = 255 };
static uint8_t g_policy = UNKNOWN;  // atomic

static oy_fallback_policy policy_of(const char* text) {
  if (!text || !text[0] || strcmp(text, "warn") == 0) return OY_FALLBACK_WARN;
  return strcmp(text, "allow") == 0 ? OY_FALLBACK_ALLOW : OY_FALLBACK_ERROR;
}

oy_fallback_policy oy_fallback_policy_get(void) {
  uint8_t policy = READ(g_policy);
  if (policy != UNKNOWN) return (oy_fallback_policy)policy;
  // What a setter stores meanwhile stays.
  uint8_t read = (uint8_t)policy_of(getenv("OPYARD_FALLBACK"));
  __atomic_compare_exchange_n(&g_policy, &policy, read, false, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
  return (oy_fallback_policy)READ(g_policy);
}

void oy_fallback_policy_set(oy_fallback_policy policy) {
  STORE(g_policy, (uint8_t)policy);
}

oy_status oy_fallback_forbid(const oy_op* op, bool forbidden) {
  oyi_fallback_row* row = row_get(op, OY_BACKEND_NONE, OY_BACKEND_NONE);
  if (!row) return OY_OUT_OF_MEMORY;
  STORE(row->forbidden, forbidden);
  return OY_OK;
}

bool oy_fallback_is_forbidden(const oy_op* op) {
  const oyi_fallback_row* row = row_find(op, OY_BACKEND_NONE, OY_BACKEND_NONE);
  return (row && READ(row->forbidden)) || oy_op_has_tag(op, "no_cpu_fallback");
}

static const char* name_of(oy_backend backend) {
  const char* name = oy_backend_name(backend);
  return name ? name : "unknown";
}

static oy_status refuse(const oy_op* op, oy_backend from, oy_backend to, bool forbidden) {
  const oy_str name = oy_op_name_of(op);
  if (forbidden)
    return OY_FAIL(
        FAILED_PRECONDITION,
        "%.*s has no kernel for %s, and must not fall back to the %s: register "
        "a kernel for %s, or move its arguments",
        OY_STR_ARG(name), name_of(from), name_of(to), name_of(from));
  return OY_FAIL(FAILED_PRECONDITION,
                 "%.*s has no kernel for %s, and falling back to the %s is refused: "
                 "register a kernel for %s, or allow it (OPYARD_FALLBACK=warn, "
                 "oy_fallback_policy_set)",
                 OY_STR_ARG(name), name_of(from), name_of(to), name_of(from));
}

static void warn_once(const oy_op* op, oyi_fallback_row* row, oy_backend from,
                      oy_backend to) {
  if (row && __atomic_exchange_n(&row->warned, 1, __ATOMIC_RELAXED)) return;
  oyi_warn(
      "The operator '%.*s' is not currently supported on the %s backend and will fall "
      "back to run on the %s. This may have performance implications.",
      OY_STR_ARG(oy_op_name_of(op)), name_of(from), name_of(to));
}

oy_status oy_fallback_ask(const oy_op* op, oy_backend from, oy_backend to) {
  const oy_fallback_policy policy = oy_fallback_policy_get();
  const bool forbidden = oy_fallback_is_forbidden(op);
  if (forbidden || policy == OY_FALLBACK_ERROR) return refuse(op, from, to, forbidden);
  oyi_fallback_row* row = row_get(op, (int16_t)from, (int16_t)to);
  if (!row) oy_error_clear();  // then it warns each time, and is counted in "(others)"
  if (policy == OY_FALLBACK_WARN) warn_once(op, row, from, to);
  return OY_OK;
}

// ------------------------------------------------------------------------ counts

void oy_fallback_record(const oy_op* op, const oy_fallback_count* what) {
  // Made when the policy was asked; the error of a call that failed is not replaced here.
  oyi_fallback_row* row = row_find(op, (int16_t)what->from, (int16_t)what->to);
  if (!row) row = &g_others;
  ADD(row->calls, what->calls);
  ADD(row->bytes_to, what->bytes_to);
  ADD(row->bytes_from, what->bytes_from);
  ADD(row->nanoseconds, what->nanoseconds);
}

static bool add_calls(void* context, oyi_fallback_row* row) {
  *(uint64_t*)context += READ(row->calls);
  return true;
}

typedef struct calls_of {
  oy_str name;
  uint64_t calls;
} calls_of;

static bool add_calls_of(void* context, oyi_fallback_row* row) {
  calls_of* of = context;
  if (oy_str_equal(of->name, (oy_str){row->name, row->name_size}))
    of->calls += READ(row->calls);
  return true;
}

uint64_t oy_fallback_calls(const oy_op* op) {
  if (op) {
    calls_of of = {oy_op_name_of(op), 0};
    oyi_fallback_each(add_calls_of, &of);
    return of.calls;
  }
  uint64_t calls = 0;
  oyi_fallback_each(add_calls, &calls);
  return calls;
}

static bool reset(void* context, oyi_fallback_row* row) {
  (void)context;
  STORE(row->calls, 0);
  STORE(row->bytes_to, 0);
  STORE(row->bytes_from, 0);
  STORE(row->nanoseconds, 0);
  STORE(row->warned, 0);
  return true;
}

void oy_fallback_reset(void) {
  oyi_fallback_each(reset, NULL);
}
