// SPDX-License-Identifier: Apache-2.0
// The fallback ledger as data, as a table and as JSON.
#include <stdlib.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "observe/fallback_ledger.h"

// A snapshot is one block: the rows, then their names.
typedef struct snapshot {
  oy_fallback_count* counts;
  size_t count, room;
  char* names;
  size_t name_bytes, name_room;
} snapshot;

#define READ(at) __atomic_load_n(&(at), __ATOMIC_RELAXED)

static bool is_counted(const oyi_fallback_row* row) {
  return READ(row->calls) != 0;
}

static bool measure(void* context, oyi_fallback_row* row) {
  snapshot* s = context;
  s->room += is_counted(row);
  s->name_room += is_counted(row) ? row->name_size + 1 : 0;
  return true;
}

// What was added since there was measured waits for the next snapshot.
static bool take(void* context, oyi_fallback_row* row) {
  snapshot* s = context;
  const size_t bytes = row->name_size + 1;
  if (!is_counted(row)) return true;
  if (s->count == s->room || bytes > s->name_room - s->name_bytes) return false;
  char* name = memcpy(s->names + s->name_bytes, row->name, bytes);
  s->name_bytes += bytes;
  s->counts[s->count++] = (oy_fallback_count){name,
                                              row->from,
                                              row->to,
                                              READ(row->calls),
                                              READ(row->bytes_to),
                                              READ(row->bytes_from),
                                              READ(row->nanoseconds)};
  return true;
}

static int compare(const void* a, const void* b) {
  const oy_fallback_count *x = a, *y = b;
  const uint64_t bx = x->bytes_to + x->bytes_from, by = y->bytes_to + y->bytes_from;
  if (bx != by) return bx < by ? 1 : -1;
  const int names = strcmp(x->op, y->op);
  if (names != 0) return names;
  return x->from != y->from ? x->from - y->from : x->to - y->to;
}

oy_status oy_fallback_counts(oy_fallback_count** out_counts, size_t* out_count) {
  snapshot s = {0};
  *out_counts = NULL;
  *out_count = 0;
  oyi_fallback_each(measure, &s);
  s.counts = oyi_malloc((s.room + 1) * sizeof(*s.counts) + s.name_room);
  if (!s.counts) return OY_OUT_OF_MEMORY;
  s.names = (char*)(s.counts + s.room + 1);
  oyi_fallback_each(take, &s);
  qsort(s.counts, s.count, sizeof(*s.counts), compare);
  *out_counts = s.counts;
  *out_count = s.count;
  return OY_OK;
}

void oy_fallback_counts_free(oy_fallback_count* counts) {
  oyi_free(counts);
}

// -------------------------------------------------------------------------- text

static const char* name_of(oy_backend backend) {
  const char* name = oy_backend_name(backend);
  return name ? name : "-";
}

static void print_row(oyi_strbuf* out, const oy_fallback_count* c) {
  oyi_strbuf_printf(out, "%-40s %-10s %-10s %10llu %14llu %14llu %12.3f\n", c->op,
                    name_of(c->from), name_of(c->to), (unsigned long long)c->calls,
                    (unsigned long long)c->bytes_to, (unsigned long long)c->bytes_from,
                    (double)c->nanoseconds / 1e6);
}

static void print_rows(oyi_strbuf* out, const oy_fallback_count* counts, size_t count) {
  oy_fallback_count sum = {.op = "total", .from = OY_BACKEND_NONE, .to = OY_BACKEND_NONE};
  oyi_strbuf_printf(out, "%-40s %-10s %-10s %10s %14s %14s %12s\n", "operator", "from",
                    "to", "calls", "bytes to", "bytes back", "ms");
  for (size_t i = 0; i < count; i++) {
    print_row(out, &counts[i]);
    sum.calls += counts[i].calls;
    sum.bytes_to += counts[i].bytes_to;
    sum.bytes_from += counts[i].bytes_from;
    sum.nanoseconds += counts[i].nanoseconds;
  }
  print_row(out, &sum);
}

// Names of operators and backends have no character that JSON would want escaped: they are
// identifiers, "::" and ".".
static void json_rows(oyi_strbuf* out, const oy_fallback_count* counts, size_t count) {
  oyi_strbuf_puts(out, "[");
  for (size_t i = 0; i < count; i++) {
    const oy_fallback_count* c = &counts[i];
    oyi_strbuf_printf(out,
                      "%s\n  {\"op\": \"%s\", \"from\": \"%s\", \"to\": \"%s\", "
                      "\"calls\": %llu, \"bytes_to\": %llu, \"bytes_from\": %llu, "
                      "\"nanoseconds\": %llu}",
                      i ? "," : "", c->op, name_of(c->from), name_of(c->to),
                      (unsigned long long)c->calls, (unsigned long long)c->bytes_to,
                      (unsigned long long)c->bytes_from,
                      (unsigned long long)c->nanoseconds);
  }
  oyi_strbuf_puts(out, count ? "\n]\n" : "]\n");
}

typedef void (*writer)(oyi_strbuf* out, const oy_fallback_count* counts, size_t count);

static oy_status print(writer write, char** out_text) {
  oy_fallback_count* counts;
  size_t count;
  *out_text = NULL;
  OY_TRY(oy_fallback_counts(&counts, &count));
  oyi_strbuf text = OYI_STRBUF_INIT;
  write(&text, counts, count);
  oy_fallback_counts_free(counts);
  *out_text = oyi_strbuf_take(&text);
  return *out_text ? OY_OK : OY_OUT_OF_MEMORY;
}

oy_status oy_fallback_print(char** out_text) {
  return print(print_rows, out_text);
}
oy_status oy_fallback_print_json(char** out_text) {
  return print(json_rows, out_text);
}
