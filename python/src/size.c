// SPDX-License-Identifier: Apache-2.0
// opyard.Size: a tuple of ints that says so when it is printed.
#include "module.h"

PyTypeObject* pyoy_size_type;

PyObject* pyoy_size(oy_ints sizes) {
  PyObject* size = PyType_GenericAlloc(pyoy_size_type, (Py_ssize_t)sizes.size);
  for (size_t i = 0; size && i < sizes.size; i++) {
    PyObject* item = PyLong_FromLongLong(sizes.data[i]);
    if (!item || PyTuple_SetItem(size, (Py_ssize_t)i, item) != 0) Py_CLEAR(size);
  }
  return size;
}

static PyObject* from_tuple(PyObject* tuple) {
  if (!tuple || !PyTuple_Check(tuple)) return tuple;
  Py_ssize_t count = PyTuple_Size(tuple);
  PyObject* size = PyType_GenericAlloc(pyoy_size_type, count);
  for (Py_ssize_t i = 0; size && i < count; i++)
    if (PyTuple_SetItem(size, i, Py_NewRef(PyTuple_GetItem(tuple, i))) != 0)
      Py_CLEAR(size);
  Py_DECREF(tuple);
  return size;
}

static PyObject* size_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* values = NULL;
  (void)type;
  if (kwargs && PyDict_Size(kwargs) > 0) {
    PyErr_SetString(PyExc_TypeError, "Size() takes no keyword arguments");
    return NULL;
  }
  if (!PyArg_ParseTuple(args, "|O:Size", &values)) return NULL;
  PyObject* tuple = values ? PySequence_Tuple(values) : PyTuple_New(0);
  for (Py_ssize_t i = 0; tuple && i < PyTuple_Size(tuple); i++) {
    PyObject* item = PyTuple_GetItem(tuple, i);
    if (PyIndex_Check(item)) continue;
    PyErr_Format(PyExc_TypeError,
                 "torch.Size() takes an iterable of 'int' (item %zd is '%s')", i,
                 PyUnicode_Check(item) ? "str" : "float");
    Py_CLEAR(tuple);
  }
  return from_tuple(tuple);
}

static PyObject* size_repr(PyObject* self) {
  PyObject* list = PySequence_List(self);
  PyObject* text = list ? PyUnicode_FromFormat("torch.Size(%R)", list) : NULL;
  Py_XDECREF(list);
  return text;
}

static PyObject* base_call(int slot, PyObject* a, PyObject* b) {
  binaryfunc base = (binaryfunc)PyType_GetSlot(&PyTuple_Type, slot);
  return base(a, b);
}

static PyObject* size_subscript(PyObject* self, PyObject* key) {
  PyObject* found = base_call(Py_mp_subscript, self, key);
  return PySlice_Check(key) ? from_tuple(found) : found;
}

static PyObject* size_concat(PyObject* self, PyObject* other) {
  return from_tuple(base_call(Py_sq_concat, self, other));
}

static PyObject* size_numel(PyObject* self, PyObject* unused) {
  (void)unused;
  long long product = 1;
  for (Py_ssize_t i = 0; i < PyTuple_Size(self); i++) {
    long long item = PyLong_AsLongLong(PyTuple_GetItem(self, i));
    if (item == -1 && PyErr_Occurred()) return NULL;
    if (!__builtin_mul_overflow(product, item, &product)) continue;
    PyErr_SetString(PyExc_OverflowError, "the number of elements is too large");
    return NULL;
  }
  return PyLong_FromLongLong(product);
}

static PyObject* size_reduce(PyObject* self, PyObject* unused) {
  (void)unused;
  return Py_BuildValue("(O(N))", pyoy_size_type, PySequence_List(self));
}

int pyoy_add_size(PyObject* module) {
  static PyMethodDef methods[] = {
      {"numel", size_numel, METH_NOARGS, "the product"},
      {"__reduce__", size_reduce, METH_NOARGS, NULL},
      {NULL, NULL, 0, NULL},
  };
  PyType_Slot slots[] = {
      {Py_tp_new, size_new},
      {Py_tp_repr, size_repr},
      {Py_mp_subscript, size_subscript},
      {Py_sq_concat, size_concat},
      {Py_tp_methods, methods},
      {0, NULL},
  };
  PyType_Spec spec = {"opyard.Size", 0, 0, Py_TPFLAGS_DEFAULT, slots};
  PyObject* bases = PyTuple_Pack(1, &PyTuple_Type);
  if (!bases) return -1;
  pyoy_size_type = (PyTypeObject*)PyType_FromSpecWithBases(&spec, bases);
  Py_DECREF(bases);
  return pyoy_size_type ? PyModule_AddType(module, pyoy_size_type) : -1;
}
