// SPDX-License-Identifier: Apache-2.0
// One record: who sees it, what they are shown, and what becomes of their errors.
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/probe.h"
#include "base/strbuf.h"
#include "dispatch/registry.h"
#include "observe/observers.h"
#include "opyard/autograd.h"

typedef struct oyi_observation {
  oy_record record;
  oyi_observer_list* list;
  uint32_t seen_by;  // bits of |list|
  void* contexts[OYI_OBSERVERS];
} oyi_observation;

static oy_observe_log g_log;
static void* g_log_data;

void oy_observe_log_set(oy_observe_log log, void* data) {
  g_log = log;
  g_log_data = data;
}

static OYI_COLD void log_error(oy_str name) {
  oyi_strbuf line = OYI_STRBUF_INIT;
  oyi_strbuf_printf(&line,
                    "Exception in RecordFunction callback: %s , for the range %.*s",
                    oy_error_get()->message, OY_STR_ARG(name));
  const char* text = line.data && !line.failed ? line.data : "[observer: no memory]";
  if (g_log)
    g_log(g_log_data, text);
  else
    fprintf(stderr, "%s\n", text);
  oyi_strbuf_reset(&line);
}

// -------------------------------------------------------------- calling observers

static uint32_t wanted(const oyi_observation* o, size_t need) {
  uint32_t found = 0;
  for (uint32_t rest = o->seen_by; rest; rest &= rest - 1) {
    const oy_observer* observer = &o->list->slots[__builtin_ctz(rest)].entry->observer;
    found |= *(const bool*)(const void*)((const char*)observer + need);
  }
  return found;
}
#define WANTED(o, what) wanted(o, offsetof(oy_observer, needs_##what))

static void run_callbacks(oyi_observation* o, bool start) {
  for (uint32_t rest = o->seen_by; rest; rest &= rest - 1) {
    int i = __builtin_ctz(rest);
    const oy_observer* observer = &o->list->slots[i].entry->observer;
    oy_status status = OY_OK;
    if (start && observer->start)
      status = observer->start(observer->data, &o->record, &o->contexts[i]);
    else if (!start && observer->end)
      status = observer->end(observer->data, &o->record, o->contexts[i]);
    if (OY_UNLIKELY(status != OY_OK)) log_error(o->record.name);
    if (oy_error_get()->code != OY_OK) oy_error_clear();
  }
}

// The thread's error, and its open scope, are none of theirs.
static void call_observers(oyi_observation* o, bool start) {
  bool pending = oy_error_get()->code != OY_OK;
  oyi_error_record* before = pending ? oyi_error_detach() : NULL;
  uint64_t mark = oy_call_enter();
  oyi_observing_off++;
  run_callbacks(o, start);
  oyi_observing_off--;
  oy_call_leave(mark);
  if (pending) oyi_error_attach(before);
}

// Threads take numbers by the block, so that they do not meet at every record.
static uint64_t next_id(void) {
  enum { BLOCK = 256 };
  static uint64_t blocks;  // atomic
  static __thread uint64_t last __attribute__((tls_model("initial-exec")));
  if (last % BLOCK == 0) last = BLOCK * __atomic_fetch_add(&blocks, 1, __ATOMIC_RELAXED);
  return ++last;
}

static void begin(oyi_observation* o, oyi_observer_list* list) {
  o->list = list;
  list->references++;
  memset(o->contexts, 0, list->count * sizeof(*o->contexts));
  o->record.thread = oy_sequence_next() >> OY_SEQUENCE_BITS;
  if (WANTED(o, ids)) o->record.id = next_id();
  if (!WANTED(o, inputs)) {
    o->record.inputs = NULL;
    o->record.input_count = 0;
  }
  call_observers(o, true);
  o->record.inputs = NULL;
  o->record.input_count = 0;
}

static void end(oyi_observation* o) {
  call_observers(o, false);
  oyi_observer_list_release(o->list);
}

// ------------------------------------------------------------------- operators

#define AUTOGRAD_KEYS                                                    \
  (1ull << OY_KEY_AutogradOther | 1ull << OY_KEY_AutogradFunctionality | \
   1ull << OY_KEY_AutogradNestedTensor)

static int64_t sequence_of(oy_keyset keys) {
  if (!(keys.functionality & AUTOGRAD_KEYS) || !oy_grad_mode_get()) return -1;
  return (int64_t)(oy_sequence_next() & ((1ull << OY_SEQUENCE_BITS) - 1));
}

// As PyTorch names it: without the overload.
static oy_str name_of(const oy_op* op) {
  oy_str name = oy_op_name_of(op);
  const char* dot = memchr(name.data, '.', name.size);
  if (dot) name.size = (size_t)(dot - name.data);
  return name;
}

static OYI_COLD oy_status call_seen(oyi_observation* o, const oy_op* op, oy_keyset keys,
                                    oy_stack* stack, const oy_kernel* kernel) {
  size_t n = oyi_arguments_on(op, stack), base = stack->size - n;
  o->record = (oy_record){.scope = OY_RECORD_FUNCTION,
                          .name = name_of(op),
                          .op = op,
                          .sequence = sequence_of(keys),
                          .inputs = stack->data + base,
                          .input_count = n};
  begin(o, o->list);
  OYI_PROBE2(op__begin, &oyi_op_of(op)->name[0], o->record.sequence);
  oy_status status = kernel->boxed(op, keys, stack, kernel);
  OYI_PROBE2(op__end, &oyi_op_of(op)->name[0], status);
  if (status == OY_OK && WANTED(o, outputs) && stack->size >= base) {
    o->record.outputs = stack->data + base;
    o->record.output_count = stack->size - base;
  }
  end(o);
  return status;
}

oy_status oyi_observe_call(const oy_op* op, oy_keyset keys, oy_stack* stack,
                           const oy_kernel* kernel) {
  oyi_observation o;
  o.list = op->flags & OY_OP_OBSERVED ? oyi_observers_of_thread() : NULL;
  o.seen_by = o.list ? oyi_observers_pick(o.list, OY_RECORD_FUNCTION) : 0;
  if (!o.seen_by) return kernel->boxed(op, keys, stack, kernel);
  return call_seen(&o, op, keys, stack, kernel);
}

// ---------------------------------------------------------------------- ranges

static OYI_COLD oyi_observation* begin_range(const oy_range_info* info,
                                             oyi_observer_list* list, uint32_t seen_by) {
  oyi_observation* o = oyi_malloc(sizeof(*o) + info->name.size + 1);
  if (!o) {
    oy_error_clear();
    return NULL;
  }
  char* name = (char*)(o + 1);
  if (info->name.size) memcpy(name, info->name.data, info->name.size);
  name[info->name.size] = '\0';
  o->seen_by = seen_by;
  o->record = (oy_record){.scope = info->scope,
                          .name = {name, info->name.size},
                          .sequence = info->sequence,
                          .forward_thread = info->forward_thread,
                          .inputs = info->inputs,
                          .input_count = info->input_count};
  begin(o, list);
  OYI_PROBE2(range__begin, name, o->record.scope);
  return o;
}

void oy_range_begin(oy_range* range, const oy_range_info* info) {
  range->observation = NULL;
  oyi_observer_list* list = oyi_observers_of_thread();
  if (!list || (unsigned)info->scope >= OY_RECORD_SCOPES) return;
  uint32_t seen_by = oyi_observers_pick(list, info->scope);
  if (seen_by) range->observation = begin_range(info, list, seen_by);
}

void oy_range_begin_named(oy_range* range, const char* name) {
  oy_range_info info = {
      .scope = OY_RECORD_USER_SCOPE, .name = oy_str_of(name), .sequence = -1};
  oy_range_begin(range, &info);
}

void oy_range_end(oy_range* range) {
  oyi_observation* o = range->observation;
  range->observation = NULL;
  if (!o) return;
  OYI_PROBE2(range__end, o->record.name.data, o->record.scope);
  end(o);
  oyi_free(o);
}
