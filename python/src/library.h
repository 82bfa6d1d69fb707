// SPDX-License-Identifier: Apache-2.0
// What registration, modes and introspection share: Python as the callee.
//
// Kernels, handlers and backwards are called with or without the GIL, from any thread, and
// take it themselves. Once the interpreter is on its way out nothing of it is called or
// released any more.
#ifndef OPYARD_PYTHON_SRC_LIBRARY_H_
#define OPYARD_PYTHON_SRC_LIBRARY_H_

#include "module.h"

int pyoy_add_exceptions(PyObject* module);
int pyoy_add_library(PyObject* module);
int pyoy_add_arguments(PyObject* module);
int pyoy_add_dispatch(PyObject* module);
int pyoy_add_dispatch_key(PyObject* module);
int pyoy_add_dispatch_state(PyObject* module);
int pyoy_add_dispatch_call(PyObject* module);
int pyoy_add_mode(PyObject* module);
int pyoy_add_custom_function(PyObject* module);
int pyoy_add_batched(PyObject* module);
int pyoy_add_schema(PyObject* module);

// ---------------------------------------------------------- calls into Python

// Takes the GIL. FAILED_PRECONDITION if the interpreter is going; then there is nothing
// to leave.
oy_status pyoy_enter(PyGILState_STATE* out_gil);
static inline void pyoy_leave(PyGILState_STATE gil) {
  PyGILState_Release(gil);
}
// Gives up a reference from any thread; a leak if the interpreter is going. Takes NULL.
void pyoy_release_late(void* object);

// 1 if |error| came from there and is raised.
int pyoy_exception_restore(const oy_error* error);

// ------------------------------------------------------------------- values

// The one object of |op|, new reference.
PyObject* pyoy_op_object(const oy_op* op);
// The operator that |object|, an opyard.Op or a name, stands for; NULL with an exception.
const oy_op* pyoy_op_from(PyObject* object);

// A value as the type says: dtypes, layouts and memory formats are objects.
PyObject* pyoy_typed_value(oy_value value, const oy_type* type);
// Arguments on top of |stack| as PyTorch hands them to Python: what equals its default is
// left out at the end, and among those that are keyword only. New references. 0, or -1.
int pyoy_arguments_to(const oy_op* op, const oy_stack* stack, PyObject** out_args,
                      PyObject** out_kwargs);
// Pushes what Python gave, checked against |schema|, which was read before Python was
// called; |who| is named in messages. 0, or
// -1 with an exception.
int pyoy_results_from(const oy_op* op, const oy_schema* schema, PyObject* result,
                      const char* who, oy_stack* stack);
// Calls |callable| with the arguments on the stack and puts its results there. |first|, NULL
// or a tuple, comes before them. The GIL is held.
oy_status pyoy_call_kernel(const oy_op* op, oy_stack* stack, PyObject* callable,
                           PyObject* first, const char* who);
// Pushes Python's arguments for |op|, all of them. 0, or -1.
int pyoy_bind(const oy_op* op, PyObject* args, PyObject* kwargs, oy_stack* stack);
// The results of |op| on |stack|: None, a value or a tuple.
PyObject* pyoy_results_to(const oy_op* op, const oy_stack* stack);

// A DispatchKeySet of opyard.dispatch.
PyObject* pyoy_keyset_object(oy_keyset keys);
// The keys of one, or of anything with its two attributes. 0, or -1.
int pyoy_keyset_from(PyObject* object, oy_keyset* out_keys);
// For PyArg_Parse's O&: a name or a number.
int pyoy_key_converter(PyObject* object, void* out_key);

#endif  // OPYARD_PYTHON_SRC_LIBRARY_H_
