// SPDX-License-Identifier: Apache-2.0
// A mode that counts calls by operator.
#include "base/memory.h"
#include "layers/modes/modes.h"

typedef struct entry {
  const oy_op* op;
  uint64_t calls;
} entry;

struct oy_call_counter {
  entry* entries;
  size_t size;
  size_t capacity;
};

oy_status oy_call_counter_create(oy_call_counter** out_counter) {
  *out_counter = oyi_zalloc(sizeof(**out_counter));
  return *out_counter ? OY_OK : OY_OUT_OF_MEMORY;
}

void oy_call_counter_destroy(oy_call_counter* counter) {
  if (!counter) return;
  oyi_free(counter->entries);
  oyi_free(counter);
}

static entry* find(const oy_call_counter* c, const oy_op* op) {
  for (size_t i = 0; i < c->size; i++)
    if (c->entries[i].op == op) return &c->entries[i];
  return NULL;
}

static oy_status count(oy_handler_call* call) {
  oy_call_counter* c = call->data;
  entry* e = find(c, call->op);
  if (!e) {
    if (!oyi_grow(&c->entries, &c->capacity, c->size + 1, sizeof(*e)))
      return OY_OUT_OF_MEMORY;
    e = &c->entries[c->size++];
    *e = (entry){call->op, 0};
  }
  e->calls++;
  return oy_handler_run(call);
}

void oy_call_counter_push(oy_call_counter* counter, oy_dispatch_mode* mode) {
  oy_mode_push(mode, "oy_call_counter", count, counter, NULL);
}

uint64_t oy_call_counter_get(const oy_call_counter* counter, const oy_op* op) {
  uint64_t calls = 0;
  for (size_t i = 0; i < counter->size; i++)
    if (!op || counter->entries[i].op == op) calls += counter->entries[i].calls;
  return calls;
}

oy_status oy_call_counter_print(const oy_call_counter* counter, char** out_text) {
  oyi_strbuf text = OYI_STRBUF_INIT;
  for (size_t i = 0; i < counter->size; i++)
    oyi_strbuf_printf(&text, "%.*s %llu\n",
                      OY_STR_ARG(oy_op_name_of(counter->entries[i].op)),
                      (unsigned long long)counter->entries[i].calls);
  *out_text = oyi_strbuf_take(&text);
  return *out_text ? OY_OK : OY_OUT_OF_MEMORY;
}
