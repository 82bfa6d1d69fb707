// SPDX-License-Identifier: Apache-2.0
// The thread's error record as a Python exception.
#include "module.h"

static PyObject* g_argument_error;

static PyObject* exception_for(oy_status code) {
  switch (code) {
    case OY_INVALID_ARGUMENT: return g_argument_error;
    case OY_TYPE_MISMATCH: return PyExc_TypeError;
    case OY_NOT_FOUND: return PyExc_LookupError;
    case OY_NOT_IMPLEMENTED: return PyExc_NotImplementedError;
    case OY_OUT_OF_RANGE: return PyExc_IndexError;
    case OY_OUT_OF_MEMORY: return PyExc_MemoryError;
    case OY_IO: return PyExc_OSError;
    default: return PyExc_RuntimeError;
  }
}

PyObject* pyoy_raise(void) {
  const oy_error* error = oy_error_get();
  PyErr_SetString(exception_for(error->code),
                  error->message[0] ? error->message : oy_status_name(error->code));
  oy_error_clear();
  return NULL;
}

int pyoy_add_errors(PyObject* module) {
  PyObject* bases = PyTuple_Pack(2, PyExc_RuntimeError, PyExc_ValueError);
  if (!bases) return -1;
  g_argument_error = PyErr_NewExceptionWithDoc(
      "opyard.ArgumentError",
      "An argument has a wrong value. PyTorch raises RuntimeError for most of these and "
      "ValueError for some; this is both.",
      bases, NULL);
  Py_DECREF(bases);
  if (!g_argument_error) return -1;
  return PyModule_AddObjectRef(module, "ArgumentError", g_argument_error);
}
