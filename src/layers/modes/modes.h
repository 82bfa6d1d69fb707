// SPDX-License-Identifier: Apache-2.0
// The modes of a thread, and what handles a call in the end (reference, 6.5).
#ifndef OPYARD_SRC_LAYERS_MODES_MODES_H_
#define OPYARD_SRC_LAYERS_MODES_MODES_H_

#include "base/strbuf.h"
#include "opyard/library.h"
#include "opyard/mode.h"
#include "tensor/impl.h"

// A mode of the library's own: below those of users, whichever was entered first.
typedef struct oyi_own_mode {
  const char* name;
  oy_handler_fn handle;
  void* data;
} oyi_own_mode;

typedef struct oyi_modes {
  oy_dispatch_mode* top;  // innermost first
  const oy_dispatch_mode*
      floor;                     // the top when the running handler began: not its to pop
  const oyi_own_mode* fake;      // the fake mode that is entered
  bool has_entry;                // a call is on its way to a handler, or in one
  oy_keyset included, excluded;  // of the thread when that call was made
  int depth;                     // of handlers within handlers
} oyi_modes;
extern __thread oyi_modes oyi_thread_modes __attribute__((tls_model("initial-exec")));

// Puts the Python keys into the thread's sets if a mode is on, and takes them out if not.
void oyi_modes_update(void);

// What hangs on a tensor that has a handler.
typedef struct oyi_handled {
  oyi_attachment head;
  const oy_tensor_handler* handler;
  void* data;
  bool own;  // asked after the modes of users, as own modes are
} oyi_handled;
// NULL if |o| has none.
const oyi_handled* oyi_handled_of(const oy_object* o);
// Keys that a tensor with a handler has besides others.
#define OYI_HANDLER_KEYS (1ull << OY_KEY_Python | 1ull << OY_KEY_PythonTLSSnapshot)

// ------------------------------------------------------------------- one call

enum { OYI_MAX_ARGUMENTS = 64 };

typedef struct oyi_handling {
  const oy_op* op;
  const oy_schema* schema;
  oy_stack* stack;
  size_t base;   // of the arguments on the stack
  size_t count;  // of the arguments
  // Tensors and lists among the arguments, owned: handlers may let go of them.
  oy_value kept[OYI_MAX_ARGUMENTS];
  oyi_strbuf asked;  // a line for each that did not want the call
} oyi_handling;

// Asks the handlers of the tensors among the arguments, |own| ones or those of users, until
// one takes the call. Subclasses come before their base, else the order is left to right.
oy_status oyi_ask_tensors(oyi_handling* h, bool own, bool* out_done);
// Runs a handler and checks what it gives. *out_done is false if it did not want the call.
oy_status oyi_run_handler(oyi_handling* h, oy_handler_fn handle, void* data,
                          bool* out_done);
// Checks and completes what a handler left in place of the arguments.
oy_status oyi_check_results(oyi_handling* h);

// Calls |visit| with each tensor of |v|, in lists too; stops at a failure.
typedef oy_status (*oyi_tensor_visitor)(void* context, oy_object* tensor);
oy_status oyi_each_tensor(oy_value v, oyi_tensor_visitor visit, void* context);

// ------------------------------------------------------------------------ text

typedef void (*oyi_tensor_writer)(oyi_strbuf* out, const oy_object* tensor);
// "aten.add.Tensor"
void oyi_write_op(oyi_strbuf* out, const oy_op* op);
// The same and the arguments as Python has them, without those at the end that are the
// default.
void oyi_write_call(oyi_strbuf* out, const oy_op* op, const oy_value* arguments,
                    oyi_tensor_writer write);
void oyi_write_value(oyi_strbuf* out, oy_value v, oyi_tensor_writer write);

// Writes down the call, and goes on.
oy_status oyi_tracer_fallback(const oy_op* op, oy_keyset keys, oy_stack* stack,
                              const oy_kernel* kernel);

// Registers the fallbacks of the Tracer, Python, PythonTLSSnapshot, Fake and Meta keys.
oy_status oyi_register_modes(oy_library* fallbacks);

#endif  // OPYARD_SRC_LAYERS_MODES_MODES_H_
