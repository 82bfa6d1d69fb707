// SPDX-License-Identifier: Apache-2.0
// Exceptions on their way through C. The error record says who made it by its place: a
// file of ours, and a number in place of the line. The exception with that number waits in
// the thread's dictionary.
#include <stdio.h>
#include <string.h>

#include "library.h"

static const char g_place[] = "python";
static int g_count;
static int g_going;  // atomic: the interpreter is on its way out

static const char g_slot[] = "opyard.exception";

// Threads of Python go on until Python stops them; others may outlive it.
static bool is_too_late(void) {
  return __atomic_load_n(&g_going, __ATOMIC_ACQUIRE) && !PyGILState_GetThisThreadState();
}

oy_status pyoy_enter(PyGILState_STATE* out_gil) {
  if (is_too_late())
    return OY_FAIL(FAILED_PRECONDITION,
                   "the Python interpreter is going: its kernels can be called no more");
  *out_gil = PyGILState_Ensure();
  return OY_OK;
}

void pyoy_release_late(void* object) {
  if (!object || is_too_late()) return;
  PyGILState_STATE gil = PyGILState_Ensure();
  Py_DECREF((PyObject*)object);
  PyGILState_Release(gil);
}

static PyObject* stop_callbacks(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  __atomic_store_n(&g_going, 1, __ATOMIC_RELEASE);
  return Py_NewRef(Py_None);
}

// ------------------------------------------------------------------ there

static oy_status code_of(PyObject* type) {
  const struct {
    PyObject* type;
    oy_status code;
  } codes[] = {{PyExc_MemoryError, OY_OUT_OF_MEMORY},
               {PyExc_NotImplementedError, OY_NOT_IMPLEMENTED},
               {PyExc_TypeError, OY_TYPE_MISMATCH},
               {PyExc_IndexError, OY_OUT_OF_RANGE},
               {PyExc_LookupError, OY_NOT_FOUND},
               {PyExc_ValueError, OY_INVALID_ARGUMENT},
               {PyExc_OSError, OY_IO}};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (PyErr_GivenExceptionMatches(type, codes[i].type)) return codes[i].code;
  return OY_FAILED_PRECONDITION;
}

// "ValueError: the text".
static oy_status set_error(PyObject* type, PyObject* value, int number) {
  oy_status code = code_of(type);
  PyObject* name = PyType_GetName((PyTypeObject*)type);
  PyObject* text = name ? PyUnicode_FromFormat("%U: %S", name, value) : NULL;
  PyObject* bytes =
      text ? PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace") : NULL;
  const char* message = bytes ? PyBytes_AsString(bytes) : "an exception without a text";
  code = oy_error_set(code, g_place, number, "%s", message);
  PyErr_Clear();
  Py_XDECREF(name);
  Py_XDECREF(text);
  Py_XDECREF(bytes);
  return code;
}

// Without memory for it the exception is lost, and the record alone speaks.
static void keep(PyObject* value, int number) {
  PyObject* dict = PyThreadState_GetDict();
  PyObject* kept = dict ? Py_BuildValue("(iO)", number, value) : NULL;
  if (!kept || PyDict_SetItemString(dict, g_slot, kept) != 0) PyErr_Clear();
  Py_XDECREF(kept);
}

oy_status pyoy_record_exception(void) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (!type) return OY_FAIL(INTERNAL, "expected a pending Python exception, got none");
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback) (void)PyException_SetTraceback(value, traceback);
  g_count = g_count == INT32_MAX ? 1 : g_count + 1;
  int number = g_count;
  oy_status code = set_error(type, value, number);
  keep(value, number);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
  return code;
}

// -------------------------------------------------------------------- back

int pyoy_exception_restore(const oy_error* error) {
  PyObject* dict = PyThreadState_GetDict();
  PyObject* kept = dict ? PyDict_GetItemString(dict, g_slot) : NULL;
  if (!kept) return 0;
  int number;
  PyObject* value;
  if (!PyArg_ParseTuple(kept, "iO", &number, &value)) {
    PyErr_Clear();
    return 0;
  }
  Py_INCREF(value);
  if (PyDict_DelItemString(dict, g_slot) != 0) PyErr_Clear();
  if (!error->file || strcmp(error->file, g_place) != 0 || error->line != number) {
    Py_DECREF(value);
    return 0;
  }
  PyErr_Restore(Py_NewRef((PyObject*)Py_TYPE(value)), value,
                PyException_GetTraceback(value));
  return 1;
}

static PyMethodDef functions[] = {
    {"stop_callbacks", stop_callbacks, METH_NOARGS,
     "From now on nothing of Python is called, or released, by kernels."},
    {NULL, NULL, 0, NULL},
};

// At exit, before Python takes anything down.
static int call_at_exit(PyObject* module) {
  PyObject* function = PyObject_GetAttrString(module, "stop_callbacks");
  PyObject* atexit = function ? PyImport_ImportModule("atexit") : NULL;
  PyObject* done =
      atexit ? PyObject_CallMethod(atexit, "register", "(O)", function) : NULL;
  Py_XDECREF(function);
  Py_XDECREF(atexit);
  Py_XDECREF(done);
  return done ? 0 : -1;
}

int pyoy_add_exceptions(PyObject* module) {
  if (PyModule_AddFunctions(module, functions) != 0) return -1;
  return call_at_exit(module);
}
