// SPDX-License-Identifier: Apache-2.0
// Boxed values as Python objects.
#include "module.h"

static oy_value element(oy_value list, uint32_t i) {
  oy_value v;
  switch (list.tag) {
    case OY_TAG_INT_LIST: return oy_int(list.as.ints[i]);
    case OY_TAG_FLOAT_LIST: return oy_float(list.as.floats[i]);
    case OY_TAG_BOOL_LIST: return oy_bool(list.as.bools[i]);
    case OY_TAG_TENSOR_LIST: return oy_value_tensor(list.as.tensors[i]);
    default:
      v = list.as.values[i];
      v.owned = 0;
      return v;
  }
}

// What split() and its kind give is a tuple in Python.
static PyObject* tensors_to(oy_value value) {
  PyObject* tuple = PyTuple_New(value.count);
  for (uint32_t i = 0; tuple && i < value.count; i++) {
    oy_object* tensor = value.as.tensors[i];
    PyObject* item = oy_object_is_none(tensor) ? Py_NewRef(Py_None)
                                               : pyoy_wrap(oy_tensor_retain(tensor));
    if (!item || PyTuple_SetItem(tuple, i, item) != 0) Py_CLEAR(tuple);
  }
  return tuple;
}

static PyObject* list_to(oy_value value, const oy_type* type) {
  PyObject* list = PyList_New(value.count);
  for (uint32_t i = 0; list && i < value.count; i++) {
    PyObject* item =
        pyoy_value_to(element(value, i), type && type->element ? type->element : NULL);
    // Takes over the item, also when it fails.
    if (!item || PyList_SetItem(list, i, item) != 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject* dict_to(oy_value value) {
  PyObject* dict = PyDict_New();
  for (uint32_t i = 0; dict && i < value.count; i++) {
    PyObject* key = pyoy_value_to(element(value, 2 * i), NULL);
    PyObject* item = key ? pyoy_value_to(element(value, 2 * i + 1), NULL) : NULL;
    if (!item || PyDict_SetItem(dict, key, item) != 0) Py_CLEAR(dict);
    Py_XDECREF(key);
    Py_XDECREF(item);
  }
  return dict;
}

PyObject* pyoy_value_to(oy_value value, const oy_type* type) {
  switch (value.tag) {
    case OY_TAG_NONE: return Py_NewRef(Py_None);
    case OY_TAG_TENSOR: return pyoy_wrap(oy_tensor_retain(value.as.object));
    case OY_TAG_INT:
      if (type && type->kind == OY_TYPE_SCALAR_TYPE)
        return pyoy_dtype((oy_dtype)value.as.i);
      return PyLong_FromLongLong(value.as.i);
    case OY_TAG_FLOAT: return PyFloat_FromDouble(value.as.d);
    case OY_TAG_BOOL: return PyBool_FromLong(value.as.i != 0);
    case OY_TAG_COMPLEX:
      return PyComplex_FromDoubles(value.as.complex_data->re, value.as.complex_data->im);
    case OY_TAG_STR:
      return PyUnicode_FromStringAndSize(value.as.chars, (Py_ssize_t)value.count);
    case OY_TAG_DEVICE: return pyoy_device_object(value.as.device);
    case OY_TAG_DICT: return dict_to(value);
    case OY_TAG_INT_LIST:
    case OY_TAG_FLOAT_LIST:
    case OY_TAG_BOOL_LIST:
    case OY_TAG_LIST: return list_to(value, type);
    case OY_TAG_TENSOR_LIST: return tensors_to(value);
    case OY_TAG_GENERATOR:
      oy_object_retain(value.as.object);
      return pyoy_wrap_generator(value.as.object);
    default:
      PyErr_Format(PyExc_NotImplementedError,
                   "expected a value that Python can hold, got %s",
                   oy_value_type_name(value));
      return NULL;
  }
}
