// SPDX-License-Identifier: Apache-2.0
// The thread's error record as a Python exception, and exceptions of what the library calls
// back; warnings of the library.
#include "module.h"

static PyObject* g_argument_error;

// The exception that a callback of this thread left; the error record has its text.
static __thread PyObject* t_kept[3];
static const char* const g_kept_detail = "raised in Python";

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

static void drop_kept(void) {
  for (int i = 0; i < 3; i++) Py_CLEAR(t_kept[i]);
}

PyObject* pyoy_raise(void) {
  const oy_error* error = oy_error_get();
  if (t_kept[0] && strcmp(error->detail, g_kept_detail) == 0) {
    PyErr_Restore(t_kept[0], t_kept[1], t_kept[2]);
    memset(t_kept, 0, sizeof t_kept);
  } else {
    drop_kept();
    PyErr_SetString(exception_for(error->code),
                    error->message[0] ? error->message : oy_status_name(error->code));
  }
  oy_error_clear();
  return NULL;
}

oy_status pyoy_keep_exception(void) {
  drop_kept();
  PyErr_Fetch(&t_kept[0], &t_kept[1], &t_kept[2]);
  PyObject* text = t_kept[1] ? PyObject_Str(t_kept[1]) : NULL;
  const char* words = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
  oy_status status =
      OY_FAIL(FAILED_PRECONDITION, "%s", words ? words : "an exception of Python");
  oy_error_set_detail(oy_str_of(g_kept_detail));
  Py_XDECREF(text);
  if (PyErr_Occurred()) PyErr_Clear();
  return status;
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
  oy_warning_handler_set(warn, NULL);
  return PyModule_AddObjectRef(module, "ArgumentError", g_argument_error);
}
