// SPDX-License-Identifier: Apache-2.0
// opyard.device("cpu"), opyard.device("cuda:1").
#include "module.h"

PyTypeObject* pyoy_device_type;

PyObject* pyoy_device_object(oy_device device) {
  pyoy_device* self = PyObject_New(pyoy_device, pyoy_device_type);
  if (!self) return NULL;
  self->device = device;
  return (PyObject*)self;
}

static int parse(PyObject* text, oy_device* out_device) {
  Py_ssize_t size;
  const char* data = PyUnicode_AsUTF8AndSize(text, &size);
  if (!data) return -1;
  return oy_device_parse((oy_str){data, (size_t)size}, out_device) == OY_OK;
}

int pyoy_device_value(PyObject* object, oy_device* out_device) {
  if (Py_IS_TYPE(object, pyoy_device_type)) {
    *out_device = ((pyoy_device*)object)->device;
    return 1;
  }
  if (!PyUnicode_Check(object)) return 0;
  int found = parse(object, out_device);
  if (found < 0) PyErr_Clear();
  if (found == 0) oy_error_clear();
  return found == 1;
}

static PyObject* device_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"type", "index", NULL};
  (void)type;
  PyObject *text, *number = Py_None;
  oy_device device;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:device", names, &text, &number))
    return NULL;
  if (Py_IS_TYPE(text, pyoy_device_type) && number == Py_None) return Py_NewRef(text);
  if (!PyUnicode_Check(text)) {
    PyErr_Format(PyExc_TypeError, "device(): argument 'type' must be str, not %R",
                 (PyObject*)Py_TYPE(text));
    return NULL;
  }
  long index = number == Py_None ? -1 : PyLong_AsLong(number);
  if (index == -1 && PyErr_Occurred()) return NULL;
  int found = parse(text, &device);
  if (found < 0) return NULL;
  if (found == 0) return pyoy_raise();
  if (number != Py_None && (index < 0 || index > INT16_MAX || device.index >= 0)) {
    PyErr_Format(PyExc_RuntimeError,
                 device.index >= 0 ? "type (string) must not include an index because "
                                     "index was passed explicitly: %U"
                                   : "Device index must not be negative (%U)",
                 text);
    return NULL;
  }
  if (index >= 0) device.index = (int16_t)index;
  return pyoy_device_object(device);
}

static void device_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject* device_text(PyObject* self) {
  char text[64];
  oy_device_print(((pyoy_device*)self)->device, text, sizeof text);
  return PyUnicode_FromString(text);
}

// "cpu" of "cpu:0".
static PyObject* get_type(PyObject* self, void* closure) {
  char text[64];
  oy_device device = ((pyoy_device*)self)->device;
  (void)closure;
  device.index = -1;
  oy_device_print(device, text, sizeof text);
  return PyUnicode_FromString(text);
}

static PyObject* device_repr(PyObject* self) {
  PyObject* type = get_type(self, NULL);
  if (!type) return NULL;
  int index = ((pyoy_device*)self)->device.index;
  PyObject* repr = index < 0
                       ? PyUnicode_FromFormat("device(type=%R)", type)
                       : PyUnicode_FromFormat("device(type=%R, index=%d)", type, index);
  Py_DECREF(type);
  return repr;
}

static PyObject* device_reduce(PyObject* self, PyObject* unused) {
  (void)unused;
  return Py_BuildValue("(O(N))", pyoy_device_type, device_text(self));
}

static PyObject* device_compare(PyObject* a, PyObject* b, int op) {
  oy_device left = ((pyoy_device*)a)->device, right;
  if ((op != Py_EQ && op != Py_NE) || !pyoy_device_value(b, &right))
    return Py_NewRef(Py_NotImplemented);
  return PyBool_FromLong(oy_device_equal(left, right) == (op == Py_EQ));
}

static Py_hash_t device_hash(PyObject* self) {
  oy_device d = ((pyoy_device*)self)->device;
  return (Py_hash_t)d.backend * 65537 + d.index + 2;
}

static PyObject* get_index(PyObject* self, void* closure) {
  (void)closure;
  int index = ((pyoy_device*)self)->device.index;
  return index < 0 ? Py_NewRef(Py_None) : PyLong_FromLong(index);
}

static PyGetSetDef device_getters[] = {
    {"type", get_type, NULL, "\"cpu\"", NULL},
    {"index", get_index, NULL, "the number, None for the current device", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

int pyoy_add_device(PyObject* module) {
  static PyMethodDef methods[] = {
      {"__reduce__", device_reduce, METH_NOARGS, NULL},
      {NULL, NULL, 0, NULL},
  };
  PyType_Slot slots[] = {
      {Py_tp_new, device_new},
      {Py_tp_dealloc, device_dealloc},
      {Py_tp_repr, device_repr},
      {Py_tp_str, device_text},
      {Py_tp_hash, device_hash},
      {Py_tp_richcompare, device_compare},
      {Py_tp_getset, device_getters},
      {Py_tp_methods, methods},
      {0, NULL},
  };
  PyType_Spec spec = {"opyard.device", sizeof(pyoy_device), 0, Py_TPFLAGS_DEFAULT, slots};
  pyoy_device_type = (PyTypeObject*)PyType_FromSpec(&spec);
  if (!pyoy_device_type) return -1;
  return PyModule_AddType(module, pyoy_device_type);
}
