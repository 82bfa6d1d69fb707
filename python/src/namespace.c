// SPDX-License-Identifier: Apache-2.0
// opyard.ops.<namespace>: its attributes are packets, kept until a definition comes or goes,
// so that what goes is gone at once and what stays costs one look into a dictionary.
#include "plan.h"

#include <structmember.h>

typedef struct name_space {
  PyObject base;
  PyObject* name;
  PyObject* known;  // packets by name
  uint64_t seen;    // definitions when they were made
} name_space;

static PyTypeObject* g_type;

// __lshift__ and its like are operators of aten; other names of that form are not.
static bool is_sign(const char* name) {
  static const char* const signs[] = {"lshift", "rshift", "and", "or", "xor"};
  name += 2;
  for (int i = 0; i < 2; i++) {
    if (i == 1 && *name++ != 'i') return false;
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++) {
      size_t size = strlen(signs[k]);
      if (strncmp(name, signs[k], size) == 0 && strcmp(name + size, "__") == 0)
        return true;
    }
  }
  return false;
}

static bool is_special(const char* name) {
  size_t size = strlen(name);
  return size > 4 && memcmp(name, "__", 2) == 0 && strcmp(name + size - 2, "__") == 0 &&
         !is_sign(name);
}

// A new reference; NULL without an exception if there is no such operator.
static PyObject* find(name_space* self, PyObject* attribute) {
  PyObject* full = PyUnicode_FromFormat("%U::%U", self->name, attribute);
  PyObject* packet = full ? pyoy_find_packet(NULL, full) : NULL;
  Py_XDECREF(full);
  if (packet != Py_None) return packet;
  Py_DECREF(packet);
  return NULL;
}

static PyObject* known(name_space* self, PyObject* attribute) {
  const uint64_t now = pyoy_definitions();
  if (OY_UNLIKELY(self->seen != now)) {
    PyDict_Clear(self->known);
    self->seen = now;
    return NULL;
  }
  PyObject* packet = PyDict_GetItemWithError(self->known, attribute);
  return packet ? Py_NewRef(packet) : NULL;
}

static PyObject* getattr(PyObject* object, PyObject* attribute) {
  name_space* self = (name_space*)object;
  PyObject* packet = known(self, attribute);
  if (OY_LIKELY(packet != NULL) || PyErr_Occurred()) return packet;
  const char* text = PyUnicode_AsUTF8AndSize(attribute, NULL);
  if (!text) return NULL;
  if (is_special(text)) return PyObject_GenericGetAttr(object, attribute);
  packet = find(self, attribute);
  if (!packet && !PyErr_Occurred())
    PyErr_Format(PyExc_AttributeError, "no operator %U::%U", self->name, attribute);
  if (packet && PyDict_SetItem(self->known, attribute, packet) != 0) Py_CLEAR(packet);
  return packet;
}

static int contains(PyObject* object, PyObject* name) {
  PyObject* packet = PyUnicode_Check(name) ? find((name_space*)object, name) : NULL;
  Py_XDECREF(packet);
  return packet ? 1 : PyErr_Occurred() ? -1 : 0;
}

// The names without the namespace, sorted as the registry's list is.
static PyObject* names(PyObject* object, PyObject* unused) {
  (void)unused;
  PyObject* prefix = PyUnicode_FromFormat("%U::", ((name_space*)object)->name);
  PyObject* full = prefix ? pyoy_list_names(NULL, prefix) : NULL;
  const Py_ssize_t skip = prefix ? PyUnicode_GetLength(prefix) : 0;
  PyObject* list = full ? PyList_New(0) : NULL;
  for (Py_ssize_t i = 0; list && i < PyList_Size(full); i++) {
    PyObject* name = PyList_GetItem(full, i);
    PyObject* last = PyUnicode_Substring(name, skip, PyUnicode_GetLength(name));
    if (!last || PyList_Append(list, last) != 0) Py_CLEAR(list);
    Py_XDECREF(last);
  }
  Py_XDECREF(full);
  Py_XDECREF(prefix);
  return list;
}

static PyObject* iterate(PyObject* object) {
  PyObject* list = names(object, NULL);
  PyObject* iterator = list ? PyObject_GetIter(list) : NULL;
  Py_XDECREF(list);
  return iterator;
}

static PyObject* repr(PyObject* object) {
  return PyUnicode_FromFormat("<namespace %U of operators>", ((name_space*)object)->name);
}

static void dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  Py_DECREF(((name_space*)object)->name);
  Py_XDECREF(((name_space*)object)->known);
  PyObject_Free(object);
  Py_DECREF(type);
}

// namespace("aten")
static PyObject* make(PyObject* module, PyObject* name) {
  (void)module;
  if (!PyUnicode_Check(name)) {
    PyErr_SetString(PyExc_TypeError, "expected the name of a namespace");
    return NULL;
  }
  name_space* self = PyObject_New(name_space, g_type);
  if (!self) return NULL;
  self->name = Py_NewRef(name);
  self->seen = pyoy_definitions();
  self->known = PyDict_New();
  if (self->known) return (PyObject*)self;
  Py_DECREF(self);
  return NULL;
}

int pyoy_add_namespace(PyObject* module) {
  static PyMethodDef methods[] = {
      {"__dir__", names, METH_NOARGS, "The names of the operators."},
      {NULL, NULL, 0, NULL},
  };
  static PyMemberDef members[] = {
      {"__name__", T_OBJECT, offsetof(name_space, name), READONLY, NULL},
      {NULL, 0, 0, 0, NULL},
  };
  static PyMethodDef functions[] = {
      {"namespace", make, METH_O, "The operators of a namespace as attributes."},
      {NULL, NULL, 0, NULL},
  };
  PyType_Slot slots[] = {
      {Py_tp_dealloc, dealloc},   {Py_tp_repr, repr},
      {Py_tp_getattro, getattr},  {Py_tp_iter, iterate},
      {Py_sq_contains, contains}, {Py_tp_methods, methods},
      {Py_tp_members, members},   {0, NULL},
  };
  PyType_Spec spec = {"opyard.Namespace", sizeof(name_space), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  g_type = (PyTypeObject*)PyType_FromSpec(&spec);
  return g_type ? PyModule_AddFunctions(module, functions) : -1;
}
