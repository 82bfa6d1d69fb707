// SPDX-License-Identifier: Apache-2.0
// Questions to the registry: dumps, which kernels there are, invariants.
#include "library.h"

static PyObject* take_text(oy_status status, char* text) {
  if (status != OY_OK) return pyoy_raise();
  PyObject* object = PyUnicode_FromString(text);
  oy_text_free(text);
  return object;
}

// NULL, without an exception, if nothing is registered under that name.
static const oy_op* lookup(const char* name, Py_ssize_t size) {
  return oy_op_lookup(oy_registry_default(), (oy_str){name, (size_t)size});
}

static int op_converter(PyObject* object, void* out) {
  Py_ssize_t size;
  if (Py_IS_TYPE(object, pyoy_op_type)) {
    *(const oy_op**)out = ((pyoy_op*)object)->op;
    return 1;
  }
  if (!PyUnicode_Check(object)) {
    PyErr_Format(PyExc_TypeError, "expected an operator or its name, got %R", object);
    return 0;
  }
  const char* name = PyUnicode_AsUTF8AndSize(object, &size);
  if (!name) return 0;
  *(const oy_op**)out = lookup(name, size);
  return 1;
}

const oy_op* pyoy_op_from(PyObject* object) {
  const oy_op* op;
  if (!op_converter(object, &op)) return NULL;
  if (op) return op;
  Py_ssize_t size;
  const char* name = PyUnicode_AsUTF8AndSize(object, &size);
  if (name &&
      oy_op_find(oy_registry_default(), (oy_str){name, (size_t)size}, &op) != OY_OK)
    pyoy_raise();
  return op;
}

// ---------------------------------------------------------------------- dumps

// An operator that is not there has an empty dump.
static PyObject* dump(PyObject* args, const char* format,
                      oy_status (*ask)(const oy_op*, char**)) {
  const oy_op* op;
  char* text;
  if (!PyArg_ParseTuple(args, format, op_converter, &op)) return NULL;
  if (!op) return PyUnicode_FromString("");
  oy_status status = ask(op, &text);
  return take_text(status, text);
}

static PyObject* dump_state(PyObject* module, PyObject* args) {
  (void)module;
  return dump(args, "O&:dump_state", oy_op_dump_state);
}
static PyObject* dump_table(PyObject* module, PyObject* args) {
  (void)module;
  return dump(args, "O&:dump_table", oy_op_dump_table);
}
static PyObject* dump_extractor(PyObject* module, PyObject* args) {
  (void)module;
  return dump(args, "O&:dump_extractor", oy_op_dump_extractor);
}

static PyObject* dump_cell(PyObject* module, PyObject* args) {
  const oy_op* op;
  oy_key key;
  char* text;
  (void)module;
  if (!PyArg_ParseTuple(args, "O&O&:dump_cell", op_converter, &op, pyoy_key_converter,
                        &key))
    return NULL;
  if (!op) return PyUnicode_FromString("");
  oy_status status = oy_op_dump_cell(op, key, &text);
  return take_text(status, text);
}

static PyObject* dump_key(PyObject* module, PyObject* args) {
  oy_key key;
  char* text;
  (void)module;
  if (!PyArg_ParseTuple(args, "O&:dump_key", pyoy_key_converter, &key)) return NULL;
  oy_status status = oy_registry_dump_key(oy_registry_default(), key, &text);
  return take_text(status, text);
}

// ------------------------------------------------------------------ all of them

// Operators with a schema or kernels; of these, those without a schema if |dangling|.
static PyObject* registered_names(PyObject* module, PyObject* args) {
  int dangling = 0;
  const oy_op** ops;
  size_t count;
  (void)module;
  if (!PyArg_ParseTuple(args, "|p:registered_names", &dangling)) return NULL;
  if (oy_registry_list(oy_registry_default(), &ops, &count) != OY_OK) return pyoy_raise();
  PyObject* list = PyList_New(0);
  for (size_t i = 0; list && i < count; i++) {
    if (dangling && oy_op_schema(ops[i])) continue;
    oy_str name = oy_op_name_of(ops[i]);
    PyObject* text = PyUnicode_FromStringAndSize(name.data, (Py_ssize_t)name.size);
    if (!text || PyList_Append(list, text) != 0) Py_CLEAR(list);
    Py_XDECREF(text);
  }
  oy_ops_free(ops);
  return list;
}

static PyObject* find_op(PyObject* module, PyObject* object) {
  (void)module;
  const oy_op* op = pyoy_op_from(object);
  return op ? pyoy_op_object(op) : NULL;
}

static PyObject* generation(PyObject* module, PyObject* unused) {
  (void)module, (void)unused;
  return PyLong_FromUnsignedLongLong(oy_registry_generation(oy_registry_default()));
}

// The text of an error, and its detail below.
static PyObject* raise_with_detail(void) {
  const oy_error* error = oy_error_get();
  PyErr_Format(PyExc_RuntimeError, "%s\n%s", error->message, error->detail);
  oy_error_clear();
  return NULL;
}

static PyObject* check_invariants(PyObject* module, PyObject* args) {
  const oy_op* op = NULL;
  (void)module;
  if (!PyArg_ParseTuple(args, "|O&:check_invariants", op_converter, &op)) return NULL;
  oy_status status = PyTuple_Size(args) == 0
                         ? oy_registry_check_invariants(oy_registry_default())
                     : op ? oy_op_check_invariants(op)
                          : OY_OK;
  return status == OY_OK ? Py_NewRef(Py_None) : raise_with_detail();
}

// ------------------------------------------------------------------ yes or no

static PyObject* has_schema(PyObject* module, PyObject* args) {
  const oy_op* op;
  (void)module;
  if (!PyArg_ParseTuple(args, "O&:has_schema", op_converter, &op)) return NULL;
  return PyBool_FromLong(op && oy_op_schema(op));
}

static PyObject* has_kernel(PyObject* module, PyObject* args) {
  const oy_op* op;
  oy_key key;
  (void)module;
  if (!PyArg_ParseTuple(args, "O&O&:has_kernel", op_converter, &op, pyoy_key_converter,
                        &key))
    return NULL;
  return PyBool_FromLong(op && oy_op_has_kernel(op, key));
}

static PyObject* has_kernel_in(PyObject* module, PyObject* args) {
  const oy_op* op;
  unsigned long long f, b;
  (void)module;
  if (!PyArg_ParseTuple(args, "O&KK:has_kernel_in", op_converter, &op, &f, &b))
    return NULL;
  return PyBool_FromLong(op && oy_op_has_kernel_in(op, oy_keyset_make(f, b)));
}

static PyObject* has_computed_kernel(PyObject* module, PyObject* args) {
  const oy_op* op;
  oy_key key;
  bool has = false;
  (void)module;
  if (!PyArg_ParseTuple(args, "O&O&:has_computed_kernel", op_converter, &op,
                        pyoy_key_converter, &key))
    return NULL;
  if (op && oy_op_has_computed_kernel(op, key, &has) != OY_OK) return pyoy_raise();
  return PyBool_FromLong(has);
}

static PyObject* is_fallthrough(PyObject* module, PyObject* args) {
  const oy_op* op;
  oy_key key;
  (void)module;
  if (!PyArg_ParseTuple(args, "O&O&:is_fallthrough", op_converter, &op,
                        pyoy_key_converter, &key))
    return NULL;
  return PyBool_FromLong(op && oy_op_is_fallthrough(op, key));
}

static PyObject* has_fallback(PyObject* module, PyObject* args) {
  oy_key key;
  (void)module;
  if (!PyArg_ParseTuple(args, "O&:has_fallback", pyoy_key_converter, &key)) return NULL;
  return PyBool_FromLong(oy_registry_has_fallback(oy_registry_default(), key));
}

static PyMethodDef functions[] = {
    {"dump_state", dump_state, METH_VARARGS, "What is registered for an operator."},
    {"dump_table", dump_table, METH_VARARGS, "Which kernel each key has."},
    {"dump_cell", dump_cell, METH_VARARGS, "One line of the table, without the key."},
    {"dump_extractor", dump_extractor, METH_VARARGS, "Which arguments give keys."},
    {"dump_key", dump_key, METH_VARARGS, "Operators with a kernel at a key."},
    {"registered_names", registered_names, METH_VARARGS,
     "registered_names(dangling=False)"},
    {"find_op", find_op, METH_O, "The operator of a name."},
    {"generation", generation, METH_NOARGS, "Counts changes of the registry."},
    {"check_invariants", check_invariants, METH_VARARGS,
     "Of one operator, or of all; raises what is broken."},
    {"has_schema", has_schema, METH_VARARGS, NULL},
    {"has_kernel", has_kernel, METH_VARARGS, "Whether one is registered at the key."},
    {"has_kernel_in", has_kernel_in, METH_VARARGS, "has_kernel_in(op, *words)"},
    {"has_computed_kernel", has_computed_kernel, METH_VARARGS,
     "Whether the table has one."},
    {"is_fallthrough", is_fallthrough, METH_VARARGS, NULL},
    {"has_fallback", has_fallback, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int pyoy_add_dispatch(PyObject* module) {
  return PyModule_AddFunctions(module, functions);
}
