// SPDX-License-Identifier: Apache-2.0
// A profile in Chrome's trace format (reference, 7.7), both forms.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "observe/profiler.h"
#include "tensor/json.h"

typedef struct writer {
  oyi_strbuf* out;
  oy_profiler* p;
  int pid;
  bool more;  // something came before
} writer;

static void put_us(oyi_strbuf* out, const char* key, int64_t ns) {
  const char* sign = ns < 0 ? "-" : "";
  uint64_t size = ns < 0 ? (uint64_t)-ns : (uint64_t)ns;
  oyi_strbuf_printf(out, "\"%s\": %s%" PRIu64 ".%03u", key, sign, size / 1000,
                    (unsigned)(size % 1000));
}

static void put_name(oyi_strbuf* out, oy_str name) {
  oyi_strbuf_puts(out, "\"name\": ");
  // What is no text is shown up to where it stops being one.
  name.size = oyi_utf8_length(name);
  oyi_json_put_string(out, name);
}

static void next(writer* w) {
  oyi_strbuf_puts(w->out, w->more ? ",\n  " : "\n  ");
  w->more = true;
}

// ---------------------------------------------------------------------- one event

static void put_plain(oyi_strbuf* out, oy_str text) {
  for (size_t i = 0; i < text.size; i++) {
    char c = text.data[i];
    oyi_strbuf_putc(out, c == '"' || c == '\\' || (unsigned char)c < ' ' ? '?' : c);
  }
}

// The lines of the program if they are known, else what C knows.
static void put_stack(oyi_strbuf* out, const oy_profile_event* e) {
  if (!e->frames && !e->stack_depth) return;
  oyi_strbuf_puts(out, ", \"Call stack\": \"");
  for (size_t i = 0; e->frames; i++) {
    oy_str frame = oyi_profile_frame_at(e->frames, i);
    if (!frame.size) break;
    if (i) oyi_strbuf_putc(out, ';');
    put_plain(out, frame);
  }
  for (size_t i = 0; !e->frames && i < e->stack_depth; i++) {
    char name[256];
    oy_profiler_symbol(e->stack[i], name, sizeof name);
    if (i) oyi_strbuf_putc(out, ';');
    put_plain(out, oy_str_of(name));
  }
  oyi_strbuf_putc(out, '"');
}

static void put_arguments(oyi_strbuf* out, const oy_profile_event* e, size_t index) {
  oyi_strbuf_printf(out,
                    "\"args\": {\"External id\": %" PRIu64
                    ", \"Record function id\": "
                    "%" PRIu64 ", \"Ev Idx\": %zu",
                    e->id, e->id, index);
  if (e->sequence >= 0) {
    oyi_strbuf_printf(out,
                      ", \"Sequence number\": %" PRId64 ", \"Fwd thread id\": %" PRIu64,
                      e->sequence, e->forward_thread);
  }
  if (e->full_name.size > e->name.size) {
    oyi_strbuf_puts(out, ", \"Overload\": ");
    oyi_json_put_string(out, e->full_name);
  }
  if (e->input_shapes)
    oyi_strbuf_printf(
        out,
        ", \"Concrete Inputs\": %s, \"Input type\": %s, \"Input Strides\": %s"
        ", \"Input Dims\": %s",
        e->concrete_inputs ? e->concrete_inputs : "[]",
        e->input_types ? e->input_types : "[]",
        e->input_strides ? e->input_strides : "[]", e->input_shapes);
  if (e->memory || e->self_memory)
    oyi_strbuf_printf(out, ", \"Bytes\": %" PRId64 ", \"Self bytes\": %" PRId64,
                      e->memory, e->self_memory);
  if (e->flops) oyi_strbuf_printf(out, ", \"Flops\": %" PRIu64, e->flops);
  put_stack(out, e);
  oyi_strbuf_puts(out, "}");
}

static void put_range(writer* w, const oy_profile_event* e, size_t index) {
  const char* category = e->scope == OY_RECORD_USER_SCOPE ? "user_annotation" : "cpu_op";
  next(w);
  oyi_strbuf_printf(w->out, "{\"ph\": \"X\", \"cat\": \"%s\", ", category);
  put_name(w->out, e->name);
  oyi_strbuf_printf(w->out, ", \"pid\": %d, \"tid\": %" PRIu64 ", ", w->pid, e->thread);
  put_us(w->out, "ts", e->start_ns);
  oyi_strbuf_puts(w->out, ", ");
  put_us(w->out, "dur", e->end_ns - e->start_ns);
  oyi_strbuf_puts(w->out, ", ");
  put_arguments(w->out, e, index);
  oyi_strbuf_puts(w->out, "}");
}

static void put_block(writer* w, const oy_profile_event* e, size_t index, int64_t total) {
  next(w);
  oyi_strbuf_printf(
      w->out,
      "{\"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\": "
      "\"[memory]\", \"pid\": %d, \"tid\": %" PRIu64 ", ",
      w->pid, e->thread);
  put_us(w->out, "ts", e->start_ns);
  oyi_strbuf_printf(w->out,
                    ", \"args\": {\"Total Allocated\": %" PRId64 ", \"Bytes\": %" PRId64
                    ", \"Addr\": %" PRIu64
                    ", \"Device Id\": -1, \"Device Type\": 0, \"Ev Idx\": %zu}}",
                    total, e->memory, (uint64_t)(uintptr_t)e->address, index);
}

// ------------------------------------------------------- from calls to their backward

// The innermost call of a sequence number made the node: what it is composed of has the
// same one, and comes after it.
typedef struct forward_call {
  uint64_t thread;
  int64_t sequence;
  int64_t start_ns;
} forward_call;

static int compare_calls(const void* left, const void* right) {
  const forward_call *a = left, *b = right;
  if (a->thread != b->thread) return a->thread < b->thread ? -1 : 1;
  if (a->sequence != b->sequence) return a->sequence < b->sequence ? -1 : 1;
  return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

static size_t gather_calls(oy_profiler* p, forward_call* calls) {
  size_t n = 0;
  for (size_t i = 0; i < p->item_count; i++) {
    const oyi_profile_entry* e = p->items[i].entry;
    if (e->kind != OY_PROFILE_RANGE || e->scope != OY_RECORD_FUNCTION || e->sequence < 0)
      continue;
    calls[n++] = (forward_call){p->items[i].buffer->thread, e->sequence,
                                e->start_ns - p->began_ns};
  }
  if (n) qsort(calls, n, sizeof(*calls), compare_calls);
  return n;
}

// The last of those with the number; NULL if there is none.
static const forward_call* find_call(const forward_call* calls, size_t count,
                                     uint64_t thread, int64_t sequence) {
  forward_call key = {thread, sequence, INT64_MAX};
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare_calls(&calls[middle], &key) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  const forward_call* found = low ? &calls[low - 1] : NULL;
  return found && found->thread == thread && found->sequence == sequence ? found : NULL;
}

static void put_end_of_arrow(writer* w, const char* phase, size_t id, uint64_t thread,
                             int64_t ns) {
  next(w);
  oyi_strbuf_printf(w->out,
                    "{\"ph\": \"%s\", \"cat\": \"fwdbwd\", \"name\": \"fwdbwd\", \"id\": "
                    "%zu, \"pid\": %d, \"tid\": %" PRIu64 ", ",
                    phase, id, w->pid, thread);
  put_us(w->out, "ts", ns);
  oyi_strbuf_puts(w->out, *phase == 'f' ? ", \"bp\": \"e\"}" : "}");
}

static void put_arrows(writer* w, const forward_call* calls, size_t count) {
  size_t id = 0;
  for (size_t i = 0; i < w->p->item_count; i++) {
    const oyi_profile_entry* e = w->p->items[i].entry;
    if (e->scope != OY_RECORD_BACKWARD_FUNCTION || e->sequence < 0) continue;
    const forward_call* call = find_call(calls, count, e->forward_thread, e->sequence);
    if (!call || call->start_ns > e->start_ns - w->p->began_ns) continue;
    put_end_of_arrow(w, "s", ++id, call->thread, call->start_ns);
    put_end_of_arrow(w, "f", id, w->p->items[i].buffer->thread,
                     e->start_ns - w->p->began_ns);
  }
}

// ----------------------------------------------------------------------- the whole

static void put_meta(writer* w, const char* what, uint64_t thread, const char* name) {
  next(w);
  oyi_strbuf_printf(w->out,
                    "{\"ph\": \"M\", \"name\": \"%s\", \"pid\": %d, \"tid\": %" PRIu64
                    ", \"ts\": 0, \"args\": {\"name\": ",
                    what, w->pid, thread);
  oy_str text = oy_str_of(name);
  text.size = oyi_utf8_length(text);
  oyi_json_put_string(w->out, text);
  oyi_strbuf_puts(w->out, "}}");
}

static void put_names(writer* w) {
  put_meta(w, "process_name", 0, "opyard");
  put_meta(w, "process_labels", 0, "CPU");
  for (const oyi_profile_buffer* b = w->p->buffers; b; b = b->next) {
    char name[64];
    snprintf(name, sizeof name, "thread %d (%s)", b->system_thread, b->thread_name);
    put_meta(w, "thread_name", b->thread, name);
  }
}

static void put_events(writer* w) {
  int64_t total = 0;
  for (size_t i = 0; i < w->p->item_count; i++) {
    oy_profile_event e;
    oyi_profile_event(&w->p->items[i], w->p, &e);
    if (e.kind == OY_PROFILE_MEMORY)
      put_block(w, &e, i, total += e.memory);
    else
      put_range(w, &e, i);
  }
}

static void put_span(writer* w) {
  next(w);
  oyi_strbuf_printf(w->out,
                    "{\"ph\": \"X\", \"cat\": \"Trace\", \"name\": \"opyard profiler\", "
                    "\"pid\": \"Spans\", \"tid\": \"opyard profiler\", \"ts\": 0, ");
  put_us(w->out, "dur", w->p->ended_ns - w->p->began_ns);
  oyi_strbuf_puts(w->out, ", \"args\": {\"Op count\": 0}}");
}

static void put_head(writer* w) {
  const oy_profiler_options* o = &w->p->options;
  oyi_strbuf_printf(
      w->out,
      "{\"schemaVersion\": 1, \"deviceProperties\": [], \"record_shapes\": "
      "%d, \"profile_memory\": %d, \"with_stack\": %d, \"displayTimeUnit\": "
      "\"ms\", \"baseTimeNanoseconds\": %" PRId64 ", \"dropped\": %" PRIu64
      ", \"traceName\": \"opyard\",\n"
      "\"traceEvents\": [",
      o->record_shapes, o->profile_memory, o->with_stack, w->p->wall_ns,
      oy_profiler_dropped(w->p));
}

static void put_trace(writer* w, oy_trace_form form, const forward_call* calls,
                      size_t count) {
  if (form == OY_TRACE_OBJECT)
    put_head(w);
  else
    oyi_strbuf_putc(w->out, '[');
  put_names(w);
  put_events(w);
  put_arrows(w, calls, count);
  if (form == OY_TRACE_OBJECT) put_span(w);
  oyi_strbuf_puts(w->out, form == OY_TRACE_OBJECT ? "\n]}\n" : "\n]\n");
}

oy_status oy_profiler_trace(oy_profiler* p, oy_trace_form form, char** out_text) {
  *out_text = NULL;
  OY_TRY(oyi_profile_collect(p));
  forward_call* calls = oyi_calloc(p->item_count + 1, sizeof(*calls));
  if (!calls) return OY_OUT_OF_MEMORY;
  oyi_strbuf out = OYI_STRBUF_INIT;
  writer w = {&out, p, (int)getpid(), false};
  put_trace(&w, form, calls, gather_calls(p, calls));
  oyi_free(calls);
  *out_text = oyi_strbuf_take(&out);
  return *out_text ? OY_OK : OY_OUT_OF_MEMORY;
}

oy_status oy_profiler_export_trace(oy_profiler* p, const char* path, oy_trace_form form) {
  char* text;
  OY_TRY(oy_profiler_trace(p, form, &text));
  FILE* file = fopen(path, "wb");
  bool good = file && fputs(text, file) >= 0;
  int error = errno;
  if (file && fclose(file) != 0 && good) {
    good = false;
    error = errno;
  }
  oyi_free(text);
  OY_CHECK(good, IO, "%s: expected to write a trace to it: %s", path, strerror(error));
  return OY_OK;
}
