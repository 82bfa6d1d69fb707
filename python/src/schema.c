// SPDX-License-Identifier: Apache-2.0
// Schemas as Python data, of operators and of text.
#include "library.h"

static PyObject* text_object(oy_str text) {
  return PyUnicode_FromStringAndSize(text.data ? text.data : "", (Py_ssize_t)text.size);
}

static PyObject* default_object(const oy_default* d) {
  PyObject* list;
  switch (d->kind) {
    case OY_DEFAULT_INT: return PyLong_FromLongLong(d->i);
    case OY_DEFAULT_FLOAT: return PyFloat_FromDouble(d->re);
    case OY_DEFAULT_BOOL: return PyBool_FromLong(d->i != 0);
    case OY_DEFAULT_COMPLEX: return PyComplex_FromDoubles(d->re, d->im);
    case OY_DEFAULT_STR: return text_object(d->text);
    case OY_DEFAULT_LIST:
      list = PyList_New(0);
      for (size_t i = 0; list && i < d->item_count; i++) {
        PyObject* item = default_object(&d->items[i]);
        if (!item || PyList_Append(list, item) != 0) Py_CLEAR(list);
        Py_XDECREF(item);
      }
      return list;
    default: return Py_NewRef(Py_None);
  }
}

// (name, type, kwarg_only, is_write, is_alias, has_default, default)
static PyObject* argument_object(const oy_argument* a) {
  char* type;
  if (oy_type_print(a->type, &type) != OY_OK) return pyoy_raise();
  PyObject* value = default_object(&a->default_value);
  PyObject* tuple =
      value ? Py_BuildValue(
                  "(s#sOOOON)", a->name.data ? a->name.data : "",
                  (Py_ssize_t)a->name.size, type, a->kwarg_only ? Py_True : Py_False,
                  oy_argument_is_mutable(a) ? Py_True : Py_False,
                  oy_argument_is_aliasing(a) ? Py_True : Py_False,
                  a->default_value.kind == OY_DEFAULT_ABSENT ? Py_False : Py_True, value)
            : NULL;
  oy_text_free(type);
  return tuple;
}

static PyObject* list_object(const oy_argument* arguments, size_t count) {
  PyObject* list = PyList_New(0);
  for (size_t i = 0; list && i < count; i++) {
    PyObject* item = argument_object(&arguments[i]);
    if (!item || PyList_Append(list, item) != 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

// (text, name, arguments, returns, is_mutable, is_functional)
static PyObject* schema_object(const oy_schema* schema) {
  char* text;
  if (oy_schema_print(schema, &text) != OY_OK) return pyoy_raise();
  PyObject* arguments = list_object(schema->arguments, schema->argument_count);
  PyObject* returns =
      arguments ? list_object(schema->returns, schema->return_count) : NULL;
  PyObject* tuple =
      returns ? Py_BuildValue("(ss#NNOO)", text, schema->full_name.data,
                              (Py_ssize_t)schema->full_name.size, arguments, returns,
                              oy_schema_is_mutable(schema) ? Py_True : Py_False,
                              oy_schema_is_functional(schema) ? Py_True : Py_False)
              : NULL;
  if (!returns) Py_XDECREF(arguments);
  oy_text_free(text);
  return tuple;
}

static PyObject* op_schema(PyObject* module, PyObject* object) {
  (void)module;
  const oy_op* op = pyoy_op_from(object);
  if (!op) return NULL;
  const oy_schema* schema = oy_op_schema(op);
  return schema ? schema_object(schema) : Py_NewRef(Py_None);
}

static PyObject* parse_schema(PyObject* module, PyObject* args) {
  const char* text;
  Py_ssize_t size;
  oy_schema* schema;
  (void)module;
  if (!PyArg_ParseTuple(args, "s#:parse_schema", &text, &size)) return NULL;
  oy_str view = {text, (size_t)size};
  if (oy_schema_parse(view, OY_SCHEMA_DEFAULT, &schema) != OY_OK) return pyoy_raise();
  PyObject* object = schema_object(schema);
  oy_schema_free(schema);
  return object;
}

static PyMethodDef functions[] = {
    {"op_schema", op_schema, METH_O, "The schema of an operator as data, or None."},
    {"parse_schema", parse_schema, METH_VARARGS, "The same of a text."},
    {NULL, NULL, 0, NULL},
};

int pyoy_add_schema(PyObject* module) {
  return PyModule_AddFunctions(module, functions);
}
