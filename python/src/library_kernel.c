// SPDX-License-Identifier: Apache-2.0
// Kernels that are Python functions: boxed kernels whose state holds the callable.
#include <stdlib.h>

#include "library_kernel.h"

typedef struct kernel_state {
  PyObject* callable;
  bool with_keyset;
  bool with_op;  // a fallback: the operator comes before the arguments
} kernel_state;

// What comes before the arguments: the key set, the operator, or nothing, NULL.
static int first_arguments(const kernel_state* state, const oy_op* op, oy_keyset keys,
                           PyObject** out_first) {
  *out_first = NULL;
  if (!state->with_keyset && !state->with_op) return 0;
  PyObject* set = state->with_keyset ? pyoy_keyset_object(keys) : NULL;
  PyObject* func = state->with_op ? pyoy_op_object(op) : NULL;
  if ((!set) == state->with_keyset || (!func) == state->with_op) {
    Py_XDECREF(set);
    Py_XDECREF(func);
    return -1;
  }
  *out_first =
      set && func ? PyTuple_Pack(2, set, func) : PyTuple_Pack(1, set ? set : func);
  Py_XDECREF(set);
  Py_XDECREF(func);
  return *out_first ? 0 : -1;
}

static oy_status call_state(const kernel_state* state, const oy_op* op, oy_keyset keys,
                            oy_stack* stack) {
  PyObject* first;
  if (first_arguments(state, op, keys, &first) != 0) {
    oy_stack_drop(stack, op->argument_count);
    return pyoy_record_exception();
  }
  // The kernel may remove itself.
  PyObject* callable = Py_NewRef(state->callable);
  oy_status status = pyoy_call_kernel(op, stack, callable, first, "PythonKernelHolder");
  Py_DECREF(callable);
  Py_XDECREF(first);
  return status;
}

static oy_status python_kernel(const oy_op* op, oy_keyset keys, oy_stack* stack,
                               const oy_kernel* kernel) {
  PyGILState_STATE gil;
  oy_status status = pyoy_enter(&gil);
  if (status != OY_OK) {
    oy_stack_drop(stack, op->argument_count);
    return status;
  }
  status = call_state(kernel->user_data, op, oy_keyset_unmarked(keys), stack);
  pyoy_leave(gil);
  return status;
}

static void destroy_state(void* data) {
  kernel_state* state = data;
  pyoy_release_late(state->callable);
  free(state);
}

static int python_params(PyObject* callable, int with_keyset, int with_op,
                         oy_kernel_params* out) {
  kernel_state* state = malloc(sizeof(*state));
  if (!state) {
    PyErr_NoMemory();
    return -1;
  }
  *state = (kernel_state){Py_NewRef(callable), with_keyset != 0, with_op != 0};
  *out = (oy_kernel_params){
      .boxed = python_kernel, .state = state, .destroy_state = destroy_state};
  return 0;
}

// ------------------------------------------------------------------- others

// (address, signature): a typed C function, as ctypes or a compiler made it.
static int c_params(PyObject* tuple, oy_kernel_params* out) {
  PyObject* address;
  const char* signature;
  if (!PyArg_ParseTuple(tuple, "Oz:C function", &address, &signature)) return -1;
  void* pointer = PyLong_AsVoidPtr(address);
  if (!pointer) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_ValueError, "expected the address of a C function, got 0");
    return -1;
  }
  *out = (oy_kernel_params){.signature = signature};
  memcpy(&out->typed, &pointer, sizeof pointer);
  return 0;
}

int pyoy_kernel_params(PyObject* kernel, int with_keyset, int with_op,
                       oy_kernel_params* out_params) {
  *out_params = OY_FALLTHROUGH;
  if (kernel == Py_None) return 0;
  if (PyTuple_Check(kernel)) return c_params(kernel, out_params);
  if (PyCallable_Check(kernel))
    return python_params(kernel, with_keyset, with_op, out_params);
  PyErr_Format(PyExc_TypeError,
               "Input function is required to be a callable but found type %R",
               Py_TYPE(kernel));
  return -1;
}

void pyoy_kernel_params_drop(oy_kernel_params* params) {
  if (params->destroy_state) params->destroy_state(params->state);
}
