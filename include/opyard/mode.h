// SPDX-License-Identifier: Apache-2.0
// Handlers that see operator calls below autograd: of a thread, while a mode is on
// (PyTorch: TorchDispatchMode), or of tensors that carry one (__torch_dispatch__).
//
//   static oy_status log_call(oy_handler_call* call) {
//     printf("%s\n", oy_op_name_of(call->op).data);
//     return oy_handler_run(call);
//   }
//   oy_dispatch_mode mode;
//   oy_mode_push(&mode, "log", log_call, NULL, NULL);
//   ...
//   oy_mode_pop(&mode);
//
// What is composed of others is seen as its parts, unless autograd is out of the thread's
// sets; what a backward calls is seen, too. Threads do not see each other's modes. A
// thread without modes pays nothing for them.
#ifndef OPYARD_MODE_H_
#define OPYARD_MODE_H_

#include "opyard/dispatcher.h"
#include "opyard/tensor.h"

OY_BEGIN_DECLS

// One call. The arguments lie on top of the stack, all of them, as for a boxed kernel; the
// handler takes them off and leaves the results, which are checked against the schema and may
// be borrowed from what lives on. On failure what is left is released.
//
// A handler that does not want the call sets |not_implemented| and leaves the arguments
// alone: then the handlers of the tensors are asked.
typedef struct oy_handler_call {
  const oy_op* op;
  oy_stack* stack;
  void* data;  // of the mode; else of the first tensor with the handler
  bool not_implemented;
} oy_handler_call;

// Runs as a kernel does: what operators return in it goes to no scope. The mode itself is
// off, the next outer one sees what is called; all layers above, autograd among them, are
// out of the thread's sets. Whatever becomes of the call, sets and modes are then as before.
// Handlers within handlers end at a depth of 250, FAILED_PRECONDITION.
typedef oy_status (*oy_handler_fn)(oy_handler_call* call);

static inline oy_value* oy_handler_arguments(const oy_handler_call* call) {
  return oy_stack_last(call->stack, call->op->argument_count);
}
// Calls the operator with what is on the stack: the next outer mode, in the end the kernel.
static inline oy_status oy_handler_run(const oy_handler_call* call) {
  return oy_op_call_boxed(call->op, call->stack);
}
// Gives |result|, which is taken over if it is owned, in place of the arguments.
static inline oy_status oy_handler_return(const oy_handler_call* call, oy_value result) {
  oy_stack_drop(call->stack, call->op->argument_count);
  return oy_stack_push(call->stack, result);
}

// ---------------------------------------------------------------------- modes

// Lies in the caller's frame, or wherever it stays until it is popped; the members are
// for the library.
typedef struct oy_dispatch_mode {
  const char* name;
  oy_handler_fn handle;
  void* data;
  void (*destroy)(void* data);
  struct oy_dispatch_mode* outer;
} oy_dispatch_mode;

// Turns a mode on for this thread, inside those that are on: it sees calls first. |name|,
// which is borrowed and may be NULL, is what messages call it. |data| is taken over;
// |destroy| may be NULL.
OY_API void oy_mode_push(oy_dispatch_mode* mode, const char* name, oy_handler_fn handle,
                         void* data, void (*destroy)(void* data));
// Ends it, in reverse order of pushing; |data| is destroyed. FAILED_PRECONDITION, and nothing
// happens, if it is not the innermost mode of this thread, or was pushed outside of the
// handler that runs.
OY_API oy_status oy_mode_pop(oy_dispatch_mode* mode);
// The innermost mode of this thread, NULL if there is none.
OY_API const oy_dispatch_mode* oy_mode_innermost(void);

// --------------------------------------------------------- tensors with handlers

// A class of tensors that handle their own calls. Static storage: it outlives its tensors.
typedef struct oy_tensor_handler {
  const char* name;  // as messages and printed tensors have it
  oy_handler_fn handle;
  // The class that this one extends, asked after it if a call has tensors of both; NULL.
  const struct oy_tensor_handler* base;
  void (*destroy)(void* data);  // may be NULL
} oy_tensor_handler;

// From now on, calls with |tensor|, and with what comes to share its memory outside of
// operators, such as what autograd saves, go to |handler|. |data| is taken over, on failure
// too. ALREADY_EXISTS if it has a handler. In the handler the tensor still has it: run the
// operator with other tensors, or within oy_guard_without_handlers.
OY_API OY_MUST_USE oy_status oy_tensor_set_handler(oy_tensor* tensor,
                                                   const oy_tensor_handler* handler,
                                                   void* data);
// A tensor without data whose class is |handler|, which is asked for every call with it (PyTorch:
// _make_wrapper_subclass). It says of itself that it has |sizes|, |strides|, contiguous ones if
// their data is NULL, and |device|. |data| is taken over, on failure too. While handlers are
// off, calls with it fail: FAILED_PRECONDITION. NULL: INVALID_ARGUMENT for negative numbers, a
// count of strides that is not that of the sizes or a device that does not exist,
// OUT_OF_MEMORY.
OY_API oy_tensor* oy_tensor_wrapper(const oy_tensor_handler* handler, void* data,
                                    oy_ints sizes, oy_ints strides,
                                    int64_t storage_offset, oy_dtype dtype,
                                    oy_device device);
// NULL if it has none. |out_data| may be NULL.
OY_API const oy_tensor_handler* oy_tensor_get_handler(const oy_tensor* tensor,
                                                      void** out_data);

// ---------------------------------------------------------------------- guards

// Until oy_guard_end no handler of this thread, of a mode or a tensor, is asked.
static inline oy_guard oy_guard_without_handlers(void) {
  return oy_guard_exclude(oy_keyset_named(OY_KEYSET_PYTHON));
}

// Within a handler: puts the thread's sets back as they were when the call was made, so
// that layers above, autograd among them, take part; the modes stay those of the handler.
// FAILED_PRECONDITION outside of a handler. Ended in reverse order of beginning.
typedef struct oy_entry_guard {
  oy_guard before;
  oy_keyset included, excluded;
} oy_entry_guard;
OY_API OY_MUST_USE oy_status oy_entry_guard_begin(oy_entry_guard* guard);
OY_API void oy_entry_guard_end(const oy_entry_guard* guard);

// ------------------------------------------------------------- modes to be used

// Counts calls by operator. Pushed any number of times; used by one thread at a time.
typedef struct oy_call_counter oy_call_counter;
OY_API OY_MUST_USE oy_status oy_call_counter_create(oy_call_counter** out_counter);
// Modes that count must have been popped. Takes NULL.
OY_API void oy_call_counter_destroy(oy_call_counter* counter);
OY_API void oy_call_counter_push(oy_call_counter* counter, oy_dispatch_mode* mode);
// Calls of |op|; of all operators if it is NULL.
OY_API uint64_t oy_call_counter_get(const oy_call_counter* counter, const oy_op* op);
// A line for each operator, "aten::add.Tensor 3", in the order of first calls. Freed with
// oy_text_free.
OY_API OY_MUST_USE oy_status oy_call_counter_print(const oy_call_counter* counter,
                                                   char** out_text);

// Writes down each call that succeeded, a line each, in order of their beginning:
//   aten.add.Tensor(float32[2, 3], float32[2, 3], alpha=2) -> float32[2, 3]
// Arguments that have their default value are left out; other devices than the CPU follow
// the shape, "float32[2] cuda:0". Used by one thread at a time.
typedef struct oy_call_recorder oy_call_recorder;
OY_API OY_MUST_USE oy_status oy_call_recorder_create(oy_call_recorder** out_recorder);
// Modes that record must have been popped. Takes NULL.
OY_API void oy_call_recorder_destroy(oy_call_recorder* recorder);
OY_API void oy_call_recorder_push(oy_call_recorder* recorder, oy_dispatch_mode* mode);
// The same by the key Tracer, above autograd: until the end, each call that this thread makes
// is a line, whole also where it is composed of others, and what it is made of is none.
// Guards are ended in reverse order of beginning.
typedef struct oy_tracer_guard {
  oy_guard sets;
  oy_call_recorder* outer;
} oy_tracer_guard;
OY_API oy_tracer_guard oy_tracer_begin(oy_call_recorder* recorder);
OY_API void oy_tracer_end(const oy_tracer_guard* guard);
// What was written so far; lives until the next call or the recorder goes.
OY_API const char* oy_call_recorder_text(const oy_call_recorder* recorder);

OY_END_DECLS

#endif  // OPYARD_MODE_H_
