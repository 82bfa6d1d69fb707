// SPDX-License-Identifier: Apache-2.0
// The door that watchers of calls come in by: the dispatch trace, and observers
// (observe/observers.h). A thread that is watched includes the key Trace, so its calls
// meet the record below first; that prints, and passes on with TraceRedispatch in
// its place, which layers keep (it is in every FULL_AFTER set), so that the
// steps below are printed as well. Every thread includes TraceRedispatch, too, which
// the masks of all tables keep out; while all threads are observed they let it in.
// So who is not watched pays nothing.
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

enum { TRACED = 1, OBSERVED = 2 };
static __thread uint8_t t_watch __attribute__((tls_model("initial-exec")));
static oyi_observe_fn g_observe;  // atomic
uint8_t oyi_backward_watch;

static void watch(uint8_t by, bool on) {
  if (oy_tls.active == OY_NEW) (void)oy_thread_start();
  t_watch = on ? t_watch | by : t_watch & (uint8_t)~by;
  if (t_watch)
    oy_tls.included.functionality |= TRACE;
  else
    oy_tls.included.functionality &= ~TRACE;
}

void oy_trace_set(bool on) {
  watch(TRACED, on);
}

bool oy_trace_get(void) {
  return (t_watch & TRACED) != 0;
}

void oyi_observe_set(oyi_observe_fn observe) {
  __atomic_store_n(&g_observe, observe, __ATOMIC_RELEASE);
}

void oyi_observe_thread(bool on) {
  watch(OBSERVED, on);
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

static void print(const oy_op* op, oy_keyset keys, bool is_call, bool typed) {
  if (is_call)
    emit(typed ? "call" : "callBoxed", op, keys);
  else
    emit(typed ? "redispatch" : "redispatchBoxed", op, keys);
}

static oy_status run(const oy_op* op, oy_keyset keys, oy_stack* stack, bool is_call) {
  const oy_kernel* kernel = oy_op_select_exact(op, oy_keyset_unmarked(keys));
  oyi_observe_fn observe = __atomic_load_n(&g_observe, __ATOMIC_ACQUIRE);
  if (is_call && observe) return observe(op, keys, stack, kernel);
  return kernel->boxed(op, keys, stack, kernel);
}

static oy_status watched(const oy_op* op, oy_keyset keys, oy_stack* stack, bool is_call) {
  bool typed = stack->from_typed;
  stack->from_typed = 0;
  keys.functionality &= ~(TRACE | TRACE_REDISPATCH);
  if (!oy_trace_get()) return run(op, keys, stack, is_call);
  oy_tls.trace_depth++;
  print(op, keys, is_call, typed);
  keys.functionality |= TRACE_REDISPATCH;
  oy_status status = run(op, keys, stack, is_call);
  oy_tls.trace_depth--;
  return status;
}

static oy_status trace_call(const oy_op* op, oy_keyset keys, oy_stack* stack,
                            const oy_kernel* kernel) {
  (void)kernel;
  return watched(op, keys, stack, true);
}

// A step below a call that was printed; or a call, where all threads are observed and
// this one, which has no Trace key, does not print.
static oy_status trace_redispatch(const oy_op* op, oy_keyset keys, oy_stack* stack,
                                  const oy_kernel* kernel) {
  (void)kernel;
  return watched(op, keys, stack, !oy_trace_get());
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
  if (!now) return;
  t_watch |= TRACED;
  oy_tls.included.functionality |= TRACE;
}
