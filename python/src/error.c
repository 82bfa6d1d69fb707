// SPDX-License-Identifier: Apache-2.0
// The thread's error record as a Python exception; warnings of the library.
#include "library.h"

static PyObject *g_argument_error, *g_dtype_error;

static PyObject* exception_for(oy_status code) {
  switch (code) {
    case OY_INVALID_ARGUMENT: return g_argument_error;
    case OY_TYPE_MISMATCH: return g_dtype_error;
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
  if (!pyoy_exception_restore(error))
    PyErr_SetString(exception_for(error->code),
                    error->message[0] ? error->message : oy_status_name(error->code));
  oy_error_clear();
  return NULL;
}

// A filter that makes errors of warnings has no call to end here: what it raises is printed.
static void warn(void* user_data, const char* message) {
  (void)user_data;
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (PyErr_WarnEx(PyExc_UserWarning, message, 1) != 0) PyErr_WriteUnraisable(NULL);
  PyErr_Restore(type, value, traceback);
  PyGILState_Release(state);
}

static PyObject* make_error(PyObject* module, const char* name, PyObject* second,
                            const char* doc) {
  PyObject* bases = PyTuple_Pack(2, PyExc_RuntimeError, second);
  if (!bases) return NULL;
  PyObject* error = PyErr_NewExceptionWithDoc(name, doc, bases, NULL);
  Py_DECREF(bases);
  if (error && PyModule_AddObjectRef(module, strchr(name, '.') + 1, error) != 0)
    Py_CLEAR(error);
  return error;
}

int pyoy_add_errors(PyObject* module) {
  g_argument_error = make_error(
      module, "opyard.ArgumentError", PyExc_ValueError,
      "An argument has a wrong value. PyTorch raises RuntimeError for most of these and "
      "ValueError for some; this is both.");
  g_dtype_error = make_error(
      module, "opyard.DtypeError", PyExc_TypeError,
      "An operator does not take tensors of this kind or dtype. PyTorch raises "
      "RuntimeError for most of these and TypeError for some; this is both.");
  if (!g_argument_error || !g_dtype_error) return -1;
  oy_warning_handler_set(warn, NULL);
  return 0;
}
