// SPDX-License-Identifier: Apache-2.0
// The fallbacks of the keys that a call passes with a mode, or with a tensor that has a
// handler: PythonTLSSnapshot above autograd notes the thread's sets, Python below it asks the
// handlers.
#include "base/memory.h"
#include "dispatch/parts.h"
#include "layers/modes/fake.h"

// Handlers within handlers: as many as Python allows, about, and few enough for a stack.
enum { MAX_DEPTH = 250 };

// Keys above Python; those that are no layer stay, what keeps fake tensors from kernels, and
// what tensors show: the handler may make conjugates.
#define ABOVE_PYTHON                                                                   \
  (((1ull << OY_FUNCTIONALITY_COUNT) - (2ull << OY_KEY_Python)) &                      \
   ~(1ull << OY_KEY_PythonDispatcher | 1ull << OY_KEY_Trace |                          \
     1ull << OY_KEY_TraceRedispatch | 1ull << OY_KEY_Fake | 1ull << OY_KEY_Conjugate | \
     1ull << OY_KEY_Negative | 1ull << OY_KEY_ZeroTensor))

// ------------------------------------------------------------------- one handler

oy_status oyi_run_handler(oyi_handling* h, oy_handler_fn handle, void* data,
                          bool* out_done) {
  oyi_modes* m = &oyi_thread_modes;
  oyi_modes before = *m;
  oy_guard sets = oy_guard_preserve();
  oy_handler_call call = {h->op, h->stack, data, false};
  *out_done = true;
  OY_CHECK(m->depth < MAX_DEPTH, FAILED_PRECONDITION,
           "maximum recursion depth exceeded: a handler called an operator with the "
           "tensors that it handles; oy_guard_without_handlers stops that");
  m->depth++;
  m->floor = m->top;
  oyi_modes_update();
  oy_status status = handle(&call);
  *m = before;
  oy_guard_end(&sets);
  if (status == OY_OK && call.not_implemented) {
    *out_done = false;
    OY_CHECK(h->stack->size == h->base + h->count, FAILED_PRECONDITION,
             "a handler of %.*s that does not implement it has to leave the arguments "
             "on the stack",
             OY_STR_ARG(oy_op_name_of(h->op)));
    return OY_OK;
  }
  return status == OY_OK ? oyi_check_results(h) : status;
}

// The innermost mode, while it is off itself; the sets stay those of handlers.
static oy_status ask_mode(oyi_handling* h, bool* out_done) {
  oyi_modes* m = &oyi_thread_modes;
  oy_dispatch_mode* mode = m->top;
  m->top = mode->outer;
  oy_status status = oyi_run_handler(h, mode->handle, mode->data, out_done);
  m->top = mode;
  oyi_modes_update();
  if (!*out_done)
    oyi_strbuf_printf(&h->asked, "  - mode object %s\n",
                      mode->name ? mode->name : "without a name");
  return status;
}

static oy_status ask_own_mode(oyi_handling* h, bool* out_done) {
  oyi_modes* m = &oyi_thread_modes;
  oyi_modes before = *m;
  m->top = NULL;
  m->fake = NULL;
  oy_status status = oyi_run_handler(h, before.fake->handle, before.fake->data, out_done);
  *m = before;
  oyi_modes_update();
  if (!*out_done) oyi_strbuf_printf(&h->asked, "  - mode object %s\n", before.fake->name);
  return status;
}

static oy_status nobody(const oyi_handling* h) {
  return OY_FAIL(TYPE_MISMATCH,
                 "Multiple dispatch failed for '%.*s'; all __torch_dispatch__ handlers "
                 "returned NotImplemented:\n\n%s\nFor more information, try re-running "
                 "with TORCH_LOGS=not_implemented",
                 OY_STR_ARG(oy_op_name_of(h->op)),
                 h->asked.data && !h->asked.failed ? h->asked.data : "");
}

// In PyTorch's order: what users made, modes first, then what is ours.
static oy_status ask_all(oyi_handling* h, bool* out_done) {
  *out_done = false;
  if (oyi_thread_modes.top) OY_TRY(ask_mode(h, out_done));
  if (!*out_done) OY_TRY(oyi_ask_tensors(h, false, out_done));
  if (!*out_done && oyi_thread_modes.fake) OY_TRY(ask_own_mode(h, out_done));
  if (!*out_done) OY_TRY(oyi_ask_tensors(h, true, out_done));
  return !*out_done && h->asked.size > 0 ? nobody(h) : OY_OK;
}

// ---------------------------------------------------------------- the call around

static oy_status keep_arguments(oyi_handling* h) {
  const oy_value* v = h->stack->data + h->base;
  for (size_t i = 0; i < h->count; i++) {
    h->kept[i] = oy_none();
    if (v[i].tag != OY_TAG_TENSOR && v[i].tag != OY_TAG_TENSOR_LIST &&
        v[i].tag != OY_TAG_LIST)
      continue;
    oy_status status = oy_value_copy(v[i], &h->kept[i]);
    if (status == OY_OK) continue;
    h->count = i;
    return status;
  }
  return OY_OK;
}

static void let_go(oyi_handling* h) {
  for (size_t i = 0; i < h->count; i++) oy_value_release(&h->kept[i]);
  oyi_strbuf_reset(&h->asked);
}

// The Python key came with sets that another thread had, or without a handler: the call goes
// on as if it were not there.
static oy_status pass_by(const oy_op* op, oy_keyset keys, oy_stack* stack) {
  oy_guard sets = oy_guard_preserve();
  oy_tls.included.functionality &= ~OYI_HANDLER_KEYS;
  keys = oy_keyset_and(keys, oy_keyset_full_after(OY_KEY_Python));
  oy_status status = oy_op_redispatch_boxed(op, keys, stack);
  oy_guard_end(&sets);
  return status;
}

static oy_status ask(const oy_op* op, oy_keyset keys, oy_stack* stack) {
  size_t count = op->argument_count;
  oyi_handling h = {.op = op,
                    .schema = oy_op_schema(op),
                    .stack = stack,
                    .base = stack->size - count,
                    .count = count,
                    .asked = OYI_STRBUF_INIT};
  if (!h.schema) return oy_failure();
  oy_guard sets = oy_guard_preserve();
  oy_tls.keep &= ~ABOVE_PYTHON;
  bool done = true;
  oy_status status = keep_arguments(&h);
  if (status == OY_OK) status = ask_all(&h, &done);
  oy_guard_end(&sets);
  let_go(&h);
  return status == OY_OK && !done ? pass_by(op, keys, stack) : status;
}

// Whether the operator is composed of others, and autograd is in the thread's sets: then
// autograd has not run, and the parts are what handlers see, as in PyTorch, where every
// tensor visits autograd.
static bool has_parts(const oy_op* op, oy_keyset keys, oy_keyset* out_keys) {
  const uint64_t autograd = 1ull << OY_KEY_AutogradFunctionality;
  if (!(oy_tls.keep & autograd) || !keys.backends) return false;
  if (!oyi_op_has_parts(op, keys, out_keys)) return false;
  out_keys->functionality |= keys.functionality;
  return true;
}

// Notes the thread's sets, unless a call that this one is part of did.
static bool enter(void) {
  oyi_modes* m = &oyi_thread_modes;
  if (m->has_entry) return false;
  m->has_entry = true;
  m->included = oy_included_get();
  m->excluded = oy_excluded_get();
  return true;
}

static oy_status python(const oy_op* op, oy_keyset keys, oy_stack* stack,
                        const oy_kernel* kernel) {
  (void)kernel;
  oy_keyset parts;
  if (has_parts(op, keys, &parts)) return oy_op_redispatch_boxed(op, parts, stack);
  bool is_entry = enter();
  size_t base = stack->size - op->argument_count;
  oy_status status = ask(op, keys, stack);
  if (status != OY_OK && stack->size > base) oy_stack_drop(stack, stack->size - base);
  if (is_entry) oyi_thread_modes.has_entry = false;
  return status;
}

static oy_status snapshot(const oy_op* op, oy_keyset keys, oy_stack* stack,
                          const oy_kernel* kernel) {
  (void)kernel;
  bool is_entry = enter();
  keys = oy_keyset_and(keys, oy_keyset_full_after(OY_KEY_PythonTLSSnapshot));
  oy_status status = oy_op_redispatch_boxed(op, keys, stack);
  if (is_entry) oyi_thread_modes.has_entry = false;
  return status;
}

oy_status oyi_register_modes(oy_library* fallbacks) {
  OY_TRY(oy_library_fallback(fallbacks, OY_KEY_PythonTLSSnapshot, &OY_BOXED(snapshot),
                             OY_HERE, NULL));
  OY_TRY(oy_library_fallback(fallbacks, OY_KEY_Meta, &OY_BOXED(oyi_meta_fallback),
                             OY_HERE, NULL));
  OY_TRY(oy_library_fallback(fallbacks, OY_KEY_Fake, &OY_BOXED(oyi_fake_fallback),
                             OY_HERE, NULL));
  OY_TRY(oy_library_fallback(fallbacks, OY_KEY_Tracer, &OY_BOXED(oyi_tracer_fallback),
                             OY_HERE, NULL));
  return oy_library_fallback(fallbacks, OY_KEY_Python, &OY_BOXED(python), OY_HERE, NULL);
}
