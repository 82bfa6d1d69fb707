// SPDX-License-Identifier: Apache-2.0
// A mode that writes down calls. The line of a call is made before it, since the operator
// may change what it was given.
#include "base/memory.h"
#include "layers/modes/modes.h"

struct oy_call_recorder {
  oyi_strbuf text;
};

oy_status oy_call_recorder_create(oy_call_recorder** out_recorder) {
  *out_recorder = oyi_zalloc(sizeof(**out_recorder));
  return *out_recorder ? OY_OK : OY_OUT_OF_MEMORY;
}

void oy_call_recorder_destroy(oy_call_recorder* recorder) {
  if (!recorder) return;
  oyi_strbuf_reset(&recorder->text);
  oyi_free(recorder);
}

const char* oy_call_recorder_text(const oy_call_recorder* recorder) {
  return recorder->text.data ? recorder->text.data : "";
}

static void write_tensor(oyi_strbuf* out, const oy_object* tensor) {
  if (!oyi_is_tensor(tensor)) {
    oyi_strbuf_printf(out, "<%s>", tensor->klass->name);
    return;
  }
  const oyi_tensor* t = oyi_tensor_cast(tensor);
  oyi_strbuf_puts(out, oy_dtype_name(t->header.dtype));
  oyi_print_dims(out, oyi_sizes_view(t));
  if (t->backend == OY_BACKEND_CPU) return;
  char device[64];
  oy_device_print(oyi_tensor_device(t), device, sizeof(device));
  oyi_strbuf_printf(out, " %s", device);
}

static void write_results(oyi_strbuf* out, const oy_handler_call* call, size_t base) {
  for (size_t i = base; i < call->stack->size; i++) {
    oyi_strbuf_puts(out, i == base ? " -> " : ", ");
    oyi_write_value(out, call->stack->data[i], write_tensor);
  }
  oyi_strbuf_putc(out, '\n');
}

static oy_status record(oy_handler_call* call) {
  oy_call_recorder* r = call->data;
  size_t base = call->stack->size - call->op->argument_count;
  oyi_strbuf line = OYI_STRBUF_INIT;
  oyi_write_call(&line, call->op, oy_handler_arguments(call), write_tensor);
  oy_status status = oy_handler_run(call);
  if (status == OY_OK) write_results(&line, call, base);
  if (status == OY_OK && (status = oyi_strbuf_status(&line)) == OY_OK) {
    oyi_strbuf_str(&r->text, oyi_strbuf_view(&line));
    status = oyi_strbuf_status(&r->text);
    r->text.failed = false;  // what was written before stays
  }
  oyi_strbuf_reset(&line);
  return status;
}

void oy_call_recorder_push(oy_call_recorder* recorder, oy_dispatch_mode* mode) {
  oy_mode_push(mode, "oy_call_recorder", record, recorder, NULL);
}

// -------------------------------------------------------------------------- tracing

static __thread oy_call_recorder* g_traced;

oy_tracer_guard oy_tracer_begin(oy_call_recorder* recorder) {
  oy_tracer_guard guard = {oy_guard_include(oy_keyset_of(OY_KEY_Tracer)), g_traced};
  g_traced = recorder;
  return guard;
}

void oy_tracer_end(const oy_tracer_guard* guard) {
  g_traced = guard->outer;
  oy_guard_end(&guard->sets);
}

oy_status oyi_tracer_fallback(const oy_op* op, oy_keyset keys, oy_stack* stack,
                              const oy_kernel* kernel) {
  (void)kernel;
  if (!g_traced) {
    keys = oy_keyset_and(keys, oy_keyset_full_after(OY_KEY_Tracer));
    return oy_op_redispatch_boxed(op, keys, stack);
  }
  oy_guard guard = oy_guard_exclude_functionalities(1ull << OY_KEY_Tracer);
  oy_handler_call call = {op, stack, g_traced, false};
  oy_status status = record(&call);
  oy_guard_end(&guard);
  return status;
}
