// SPDX-License-Identifier: Apache-2.0
// The boxed kernel of the CPU fallback, and its registration.
//
// A thread's calls that are falling back are a chain of frames. Moving tensors must not fall
// back itself, for that would need tensors to be moved; and what falls back into itself
// again and again, as a fallback that was registered for the CPU does, ends at a depth.
#include "layers/cpu_fallback/cpu_fallback.h"

#include <time.h>

#include "base/memory.h"
#include "dispatch/call.h"

enum { DEPTH_MAX = 32 };

typedef struct frame {
  const struct frame* outer;
  const oy_op* op;
  int depth;
  bool is_moving;  // tensors to the CPU, or back
} frame;
static __thread frame* g_frames __attribute__((tls_model("initial-exec")));

static oy_status frame_enter(frame* f, const oy_op* op) {
  const frame* outer = g_frames;
  OY_CHECK(!outer || !outer->is_moving, FAILED_PRECONDITION,
           "%.*s has no kernel for the device, and cannot fall back to the CPU: the "
           "fallback of %.*s needs it to move tensors; register a kernel for it",
           OY_STR_ARG(oy_op_name_of(op)), OY_STR_ARG(oy_op_name_of(outer->op)));
  OY_CHECK(!outer || outer->depth < DEPTH_MAX, FAILED_PRECONDITION,
           "infinite recursion: %.*s falls back to the CPU from within %.*s, which fell "
           "back itself, %d times over; the CPU needs a kernel of its own",
           OY_STR_ARG(oy_op_name_of(op)), OY_STR_ARG(oy_op_name_of(outer->op)),
           DEPTH_MAX);
  *f = (frame){outer, op, outer ? outer->depth + 1 : 1, true};
  g_frames = f;
  return OY_OK;
}

static void frame_leave(const frame* f) {
  g_frames = (frame*)(uintptr_t)f->outer;
}

// ------------------------------------------------------------------------- a call

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static oy_key cpu_key_of(const oyi_fallback_call* c) {
  return c->options.cpu_key ? c->options.cpu_key : (oy_key)OY_KEY_CPU;
}

static oy_status run_below(oyi_fallback_call* c, frame* f, oy_stack* below) {
  OY_TRY(oyi_fallback_mirror(c));
  OY_TRY(oyi_fallback_push(c, below));
  c->count.calls = 1;
  f->is_moving = false;
  oy_status status = oy_op_redispatch_boxed(c->op, oy_keyset_of(cpu_key_of(c)), below);
  f->is_moving = true;
  if (status == OY_OK) status = oyi_fallback_write_back(c);
  return status == OY_OK ? oyi_fallback_return(c, below) : status;
}

static oy_status run_framed(oyi_fallback_call* c, oy_stack* below) {
  frame f;
  OY_TRY(frame_enter(&f, c->op));
  const uint64_t begin = now();
  oy_status status = run_below(c, &f, below);
  c->count.nanoseconds = now() - begin;
  frame_leave(&f);
  if (c->count.calls) oy_fallback_record(c->op, &c->count);
  if (status != OY_OK)
    oy_error_note("%.*s fell back from %s to the CPU", OY_STR_ARG(oy_op_name_of(c->op)),
                  oy_backend_name(c->from) ? oy_backend_name(c->from) : "a device");
  return status;
}

static oy_status check_key(const oyi_fallback_call* c) {
  const oy_key key = cpu_key_of(c);
  OY_CHECK(oy_key_is_runtime(key) && oy_key_is_backend(key) &&
               oy_key_backend(key) == OY_BACKEND_CPU,
           INVALID_ARGUMENT, "Expected CPU backend DispatchKey but got %s",
           oy_key_name(key));
  return OY_OK;
}

static oy_status run(oyi_fallback_call* c, oy_stack* stack) {
  OY_TRY(check_key(c));
  OY_TRY(oyi_fallback_collect(c));
  OY_TRY(oy_fallback_ask(c->op, c->from, OY_BACKEND_CPU));
  oy_value storage[16];
  oy_stack below;
  oy_stack_init(&below, storage, OY_ARRAY_SIZE(storage));
  oy_status status = run_framed(c, &below);
  if (status == OY_OK)
    status = oyi_stack_replace(stack, c->schema->argument_count, &below);
  oy_stack_reset(&below);
  return status;
}

oy_status oy_cpu_fallback(const oy_op* op, oy_keyset keys, oy_stack* stack,
                          const oy_kernel* kernel) {
  oyi_fallback_call c = {
      .op = op, .schema = oy_op_schema(op), .from = oy_keyset_highest_backend(keys)};
  const oy_cpu_fallback_options* options = kernel ? kernel->user_data : NULL;
  if (options) c.options = *options;
  if (!c.schema) {
    oy_stack_drop(stack, op->argument_count);
    return oy_failure();
  }
  c.count = (oy_fallback_count){.from = c.from, .to = OY_BACKEND_CPU};
  const size_t arguments = c.schema->argument_count;
  c.arguments = oy_stack_last(stack, arguments);
  const oy_status status = run(&c, stack);
  oyi_fallback_end(&c);
  if (status != OY_OK) oy_stack_drop(stack, arguments);
  return status;
}

// -------------------------------------------------------------------- registration

static void free_options(void* options) {
  oyi_free(options);
}

static oy_status add_at(oy_library* library, oy_key key, oy_key cpu_key,
                        const oy_cpu_fallback_options* options) {
  oy_cpu_fallback_options* copy = oyi_zalloc(sizeof(*copy));
  if (!copy) return OY_OUT_OF_MEMORY;
  if (options)
    memcpy(copy, options,
           options->struct_size < sizeof(*copy) ? options->struct_size : sizeof(*copy));
  if (!copy->cpu_key) copy->cpu_key = cpu_key;
  const oy_kernel_params kernel = {
      .boxed = oy_cpu_fallback, .state = copy, .destroy_state = free_options};
  oy_status status = oy_library_fallback(library, key, &kernel, OY_HERE, NULL);
  if (status != OY_OK) oyi_free(copy);
  return status;
}

oy_status oy_library_add_cpu_fallback(oy_library* library, oy_backend backend,
                                      const oy_cpu_fallback_options* options) {
  OY_CHECK(oy_backend_name(backend), INVALID_ARGUMENT, "there is no backend %d", backend);
  OY_CHECK(backend != OY_BACKEND_CPU && backend != OY_BACKEND_Meta, INVALID_ARGUMENT,
           "expected the backend of a device, got %s", oy_backend_name(backend));
  OY_TRY(add_at(library, (oy_key)OY_KEY_OF(OY_KEY_Dense, backend), OY_KEY_CPU, options));
  return add_at(library, (oy_key)OY_KEY_OF(OY_KEY_Quantized, backend),
                OY_KEY_QuantizedCPU, NULL);
}
