// SPDX-License-Identifier: Apache-2.0
// The thread's sets, guards of them, and the trace.
#include <stdio.h>

#include "library.h"

static PyObject* words(oy_keyset keys) {
  return Py_BuildValue("(KK)", (unsigned long long)keys.functionality,
                       (unsigned long long)keys.backends);
}

static PyObject* included(PyObject* module, PyObject* unused) {
  (void)module, (void)unused;
  return words(oy_included_get());
}
static PyObject* excluded(PyObject* module, PyObject* unused) {
  (void)module, (void)unused;
  return words(oy_excluded_get());
}

static PyObject* state_has(PyObject* module, PyObject* args) {
  int is_excluded;
  oy_key key;
  (void)module;
  if (!PyArg_ParseTuple(args, "pO&:state_has", &is_excluded, pyoy_key_converter, &key))
    return NULL;
  return PyBool_FromLong(is_excluded ? oy_excluded_has(key) : oy_included_has(key));
}

static PyObject* state_set(PyObject* module, PyObject* args) {
  int is_excluded, on;
  oy_key key;
  (void)module;
  if (!PyArg_ParseTuple(args, "pO&p:state_set", &is_excluded, pyoy_key_converter, &key,
                        &on))
    return NULL;
  oy_status status =
      is_excluded ? oy_excluded_set(key, on != 0) : oy_included_set(key, on != 0);
  return status == OY_OK ? Py_NewRef(Py_None) : pyoy_raise();
}

// ------------------------------------------------------------------- guards

// A guard as Python keeps it: its five members.
static PyObject* guard_object(oy_guard g) {
  return Py_BuildValue("(KKKKi)", (unsigned long long)g.include.functionality,
                       (unsigned long long)g.include.backends,
                       (unsigned long long)g.exclude.functionality,
                       (unsigned long long)g.exclude.backends, (int)g.restore);
}

// guard_begin(kind, include words, exclude words)
static PyObject* guard_begin(PyObject* module, PyObject* args) {
  const char* kind;
  unsigned long long f = 0, b = 0, xf = 0, xb = 0;
  (void)module;
  if (!PyArg_ParseTuple(args, "s|KKKK:guard_begin", &kind, &f, &b, &xf, &xb)) return NULL;
  oy_keyset include = oy_keyset_make(f, b), exclude = oy_keyset_make(xf, xb);
  if (!strcmp(kind, "include")) return guard_object(oy_guard_include(include));
  if (!strcmp(kind, "exclude")) return guard_object(oy_guard_exclude(exclude));
  if (!strcmp(kind, "force")) return guard_object(oy_guard_force(include, exclude));
  if (!strcmp(kind, "preserve")) return guard_object(oy_guard_preserve());
  if (!strcmp(kind, "below_autograd")) return guard_object(oy_guard_below_autograd());
  if (!strcmp(kind, "below_adinplaceorview"))
    return guard_object(oy_guard_below_adinplaceorview());
  PyErr_Format(PyExc_ValueError, "expected the kind of a guard, got '%s'", kind);
  return NULL;
}

static PyObject* guard_end(PyObject* module, PyObject* object) {
  unsigned long long f, b, xf, xb;
  int restore;
  (void)module;
  if (!PyTuple_Check(object) ||
      !PyArg_ParseTuple(object, "KKKKi:guard_end", &f, &b, &xf, &xb, &restore)) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_TypeError, "expected what guard_begin() gave");
    return NULL;
  }
  oy_guard guard = {oy_keyset_make(f, b), oy_keyset_make(xf, xb), restore != 0};
  oy_guard_end(&guard);
  return Py_NewRef(Py_None);
}

// -------------------------------------------------------------------- trace

// The list that this thread's lines go to, held; NULL: stderr.
static __thread PyObject* t_lines;

static void keep_line(void* user_data, const char* line) {
  (void)user_data;
  PyGILState_STATE gil;
  if (!t_lines) {
    fprintf(stderr, "%s\n", line);
    return;
  }
  if (pyoy_enter(&gil) != OY_OK) {
    oy_error_clear();
    return;
  }
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyObject* text = PyUnicode_FromString(line);
  if (!text || PyList_Append(t_lines, text) != 0) PyErr_Clear();
  Py_XDECREF(text);
  PyErr_Restore(type, value, traceback);
  pyoy_leave(gil);
}

static int is_lines(PyObject* lines) {
  if (lines == Py_None || PyList_Check(lines)) return 1;
  PyErr_Format(PyExc_TypeError, "expected a list or None, got %R", lines);
  return 0;
}

static void write_to(PyObject* lines) {
  PyObject* before = t_lines;
  t_lines = lines == Py_None ? NULL : Py_NewRef(lines);
  Py_XDECREF(before);
}

// trace_begin(lines): from now on this thread's calls add their lines to a list, or go to
// stderr if it is None. Gives what trace_end takes.
static PyObject* trace_begin(PyObject* module, PyObject* lines) {
  (void)module;
  if (!is_lines(lines)) return NULL;
  PyObject* token =
      PyTuple_Pack(2, t_lines ? t_lines : Py_None, oy_trace_get() ? Py_True : Py_False);
  if (!token) return NULL;
  oy_trace_set_sink(keep_line, NULL);
  write_to(lines);
  oy_trace_set(true);
  return token;
}

static PyObject* trace_end(PyObject* module, PyObject* args) {
  PyObject* before;
  int on;
  (void)module;
  if (!PyArg_ParseTuple(args, "Op:trace_end", &before, &on)) return NULL;
  if (!is_lines(before)) return NULL;
  write_to(before);
  oy_trace_set(on != 0);
  return Py_NewRef(Py_None);
}

static PyObject* trace_on(PyObject* module, PyObject* unused) {
  (void)module, (void)unused;
  return PyBool_FromLong(oy_trace_get());
}

static PyMethodDef functions[] = {
    {"included", included, METH_NOARGS, "Words of the thread's include set."},
    {"excluded", excluded, METH_NOARGS, NULL},
    {"state_has", state_has, METH_VARARGS, "state_has(is_excluded, key)"},
    {"state_set", state_set, METH_VARARGS, "state_set(is_excluded, key, on)"},
    {"guard_begin", guard_begin, METH_VARARGS,
     "guard_begin(kind, *include, *exclude): what guard_end takes"},
    {"guard_end", guard_end, METH_O, NULL},
    {"trace_begin", trace_begin, METH_O, "trace_begin(lines or None)"},
    {"trace_end", trace_end, METH_VARARGS, NULL},
    {"trace_on", trace_on, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int pyoy_add_dispatch_state(PyObject* module) {
  return PyModule_AddFunctions(module, functions);
}
