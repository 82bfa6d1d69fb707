// SPDX-License-Identifier: Apache-2.0
// The dispatch trace. A traced thread includes the key Trace, so its calls meet
// the trace's fallback first; that prints and passes on with TraceRedispatch in
// its place, which layers keep (it is in every FULL_AFTER set), so that the
// steps below are seen as well. A thread that is not traced pays nothing.
#include "dispatch/trace.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "dispatch/thread.h"
#include "dispatch/thunks.h"
#include "opyard/dispatcher.h"

#define TRACE            (1ull << OY_KEY_Trace)
#define TRACE_REDISPATCH (1ull << OY_KEY_TraceRedispatch)

static oy_trace_sink g_sink;
static void* g_sink_data;

void oy_trace_set_sink(oy_trace_sink sink, void* user_data) {
  g_sink = sink;
  g_sink_data = user_data;
}

static uint64_t* included(void) {
  return &oy_tls.included.functionality;
}

void oy_trace_set(bool on) {
  if (oy_tls.active == OY_NEW) (void)oy_thread_start();
  if (on)
    *included() |= TRACE;
  else
    *included() &= ~(TRACE | TRACE_REDISPATCH);
}

bool oy_trace_get(void) {
  return (*included() & TRACE) != 0;
}

static void emit(const char* entry, const oy_op* op, oy_keyset keys) {
  oyi_strbuf line = OYI_STRBUF_INIT;
  for (uint64_t i = 0; i < oy_tls.trace_depth; i++) oyi_strbuf_putc(&line, ' ');
  oy_str name = oy_op_name_of(op);
  oyi_strbuf_printf(&line, "[%s] op=[%.*s], key=[%s]", entry, OY_STR_ARG(name),
                    oy_key_name(oy_keyset_highest(keys)));
  const char* text = line.data && !line.failed ? line.data : "[trace: no memory]";
  if (g_sink)
    g_sink(g_sink_data, text);
  else
    fprintf(stderr, "%s\n", text);
  oyi_strbuf_reset(&line);
}

static oy_status traced(const oy_op* op, oy_keyset keys, oy_stack* stack, bool is_call) {
  bool typed = stack->from_typed;
  stack->from_typed = 0;
  keys.functionality &= ~(TRACE | TRACE_REDISPATCH);
  oy_tls.trace_depth++;
  if (is_call)
    emit(typed ? "call" : "callBoxed", op, keys);
  else
    emit(typed ? "redispatch" : "redispatchBoxed", op, keys);
  const oy_kernel* kernel = oy_op_select_exact(op, keys);
  oy_keyset marked = keys;
  marked.functionality |= TRACE_REDISPATCH;
  oy_status status = kernel->boxed(op, marked, stack, kernel);
  oy_tls.trace_depth--;
  return status;
}

static oy_status trace_call(const oy_op* op, oy_keyset keys, oy_stack* stack,
                            const oy_kernel* kernel) {
  (void)kernel;
  return traced(op, keys, stack, true);
}

static oy_status trace_redispatch(const oy_op* op, oy_keyset keys, oy_stack* stack,
                                  const oy_kernel* kernel) {
  (void)kernel;
  return traced(op, keys, stack, false);
}

const oy_kernel oyi_trace_kernel = {oyi_thunk_box, trace_call, NULL};
const oy_kernel oyi_trace_redispatch_kernel = {oyi_thunk_box, trace_redispatch, NULL};

static bool wanted_by_environment(void) {
  const char* name = "OPYARD_SHOW_DISPATCH_TRACE";
  const char* value = getenv(name);
  if (!value) value = getenv(name = "TORCH_SHOW_DISPATCH_TRACE");
  if (!value || strcmp(value, "0") == 0) return false;
  if (strcmp(value, "1") == 0) return true;
  static bool told;
  if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
    fprintf(stderr, "ignoring invalid value for %s: %s valid values are 0 or 1.\n", name,
            value);
  return false;
}

void oyi_thread_state_init(void) {
  static int wanted = -1;  // read once, on first use
  int now = __atomic_load_n(&wanted, __ATOMIC_ACQUIRE);
  if (now < 0) {
    now = wanted_by_environment();
    __atomic_store_n(&wanted, now, __ATOMIC_RELEASE);
  }
  if (now) *included() |= TRACE;
}
