// SPDX-License-Identifier: Apache-2.0
// Packets as methods of Tensor: x.sum, and those whose calls are unlike those of functions.
#include "packet.h"

#include <structmember.h>

#include "overrides.h"

// A packet with its first argument: x.add, when it is not called at once.
typedef struct bound {
  PyObject base;
  pyoy_vectorcall vectorcall;
  PyObject *packet, *self;
} bound;

static PyTypeObject* g_bound_type;

// ------------------------------------------------------------------------- bound

static PyObject* bound_vectorcall(PyObject* object, PyObject* const* args, size_t nargsf,
                                  PyObject* names) {
  bound* self = (bound*)object;
  PyObject* values[2 * PYOY_ARGUMENTS];
  Py_ssize_t count = pyoy_nargs(nargsf);
  Py_ssize_t all = count + (names ? PyTuple_Size(names) : 0);
  if (all >= 2 * PYOY_ARGUMENTS) {
    PyErr_SetString(PyExc_TypeError, "expected at most 127 arguments");
    return NULL;
  }
  values[0] = self->self;
  for (Py_ssize_t i = 0; i < all; i++) values[i + 1] = args[i];
  return ((packet*)self->packet)
      ->vectorcall(self->packet, values, (size_t)count + 1, names);
}

static PyObject* bound_call(PyObject* self, PyObject* args, PyObject* kwargs) {
  return pyoy_call_vector(bound_vectorcall, self, args, kwargs);
}

static void bound_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  Py_DECREF(((bound*)object)->packet);
  Py_DECREF(((bound*)object)->self);
  PyObject_Free(object);
  Py_DECREF(type);
}

static PyObject* bound_getattr(PyObject* object, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(object, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  PyErr_Clear();
  return PyObject_GetAttr(((bound*)object)->packet, name);
}

PyObject* pyoy_packet_get(PyObject* self, PyObject* object, PyObject* type) {
  (void)type;
  if (!object || object == Py_None) return Py_NewRef(self);
  bound* made = PyObject_New(bound, g_bound_type);
  if (!made) return NULL;
  made->vectorcall = bound_vectorcall;
  made->packet = Py_NewRef(self);
  made->self = Py_NewRef(object);
  return (PyObject*)made;
}

// ---------------------------------------------------------------- unlike functions

// x.contiguous() of what is contiguous: classes alone are asked, as by PyTorch.
static PyObject* contiguous_vectorcall(PyObject* self, PyObject* const* args,
                                       size_t nargsf, PyObject* names) {
  if (pyoy_nargs(nargsf) == 1 && !names && !pyoy_any_overrides(args, 1)) {
    const oy_tensor* tensor = pyoy_unwrap(args[0]);
    if (tensor && oy_tensor_is_contiguous(tensor, OY_MEMORY_CONTIGUOUS))
      return Py_NewRef(args[0]);
  }
  return pyoy_packet_vectorcall(self, args, nargsf, names);
}

// As x.f(**names), of a function whose |self| is not the first argument.
static PyObject* call_with_self_named(PyObject* self, PyObject* const* args,
                                      PyObject* names) {
  Py_ssize_t count = names ? PyTuple_Size(names) : 0;
  PyObject* more = PyTuple_New(count + 1);
  PyObject* word = more ? PyUnicode_InternFromString("self") : NULL;
  if (!word || PyTuple_SetItem(more, 0, word) != 0) {
    Py_XDECREF(more);
    return NULL;
  }
  for (Py_ssize_t i = 0; i < count; i++)
    PyTuple_SetItem(more, i + 1, Py_NewRef(PyTuple_GetItem(names, i)));
  PyObject* result = pyoy_packet_vectorcall(self, args, 0, more);
  Py_DECREF(more);
  return result;
}

// x.where(condition, other), x.polygamma(n): |self| is the second argument of the schema.
static PyObject* second_vectorcall(PyObject* self, PyObject* const* args, size_t nargsf,
                                   PyObject* names) {
  const Py_ssize_t count = pyoy_nargs(nargsf);
  const Py_ssize_t all = count + (names ? PyTuple_Size(names) : 0);
  if (count == 0 || all >= PYOY_ARGUMENTS || pyoy_any_overrides(args, all))
    return pyoy_packet_vectorcall(self, args, nargsf, names);
  if (count == 1) return call_with_self_named(self, args, names);
  PyObject* values[PYOY_ARGUMENTS] = {args[1], args[0]};
  for (Py_ssize_t i = 2; i < all; i++) values[i] = args[i];
  return pyoy_packet_vectorcall(self, values, (size_t)count, names);
}

// ---------------------------------------------------------------------- methods

static bool is_plain_name(const char* name) {
  return name[0] != '_' || name[1] != '_';
}

static void be_method(packet* self, const char* name) {
  self->is_method = true;
  if (strcmp(name, "contiguous") == 0) self->vectorcall = contiguous_vectorcall;
  if (strcmp(name, "where") == 0 || strcmp(name, "polygamma") == 0)
    self->vectorcall = second_vectorcall;
}

// Puts a packet for every operator of aten into the type Tensor that has nothing of that
// name: x.sum is then found as any method is.
static PyObject* add_methods(PyObject* module, PyObject* unused) {
  (void)unused;
  PyObject* prefix = PyUnicode_FromString("aten::");
  PyObject* names = prefix ? pyoy_list_names(module, prefix) : NULL;
  Py_ssize_t count = names ? PyList_Size(names) : 0;
  int status = names ? 0 : -1;
  for (Py_ssize_t i = 0; status == 0 && i < count; i++) {
    PyObject* name = PyList_GetItem(names, i);
    const char* method = PyUnicode_AsUTF8AndSize(name, NULL);
    if (!method) status = -1;
    if (status != 0 || !is_plain_name(method + 6) ||
        PyObject_HasAttrString((PyObject*)pyoy_tensor_type, method + 6))
      continue;
    packet* made = pyoy_packet_make(name);
    if (made) be_method(made, method + 6);
    status = made ? PyObject_SetAttrString((PyObject*)pyoy_tensor_type, method + 6,
                                           (PyObject*)made)
                  : -1;
    Py_XDECREF((PyObject*)made);
  }
  Py_XDECREF(prefix);
  Py_XDECREF(names);
  return status == 0 ? Py_NewRef(Py_None) : NULL;
}

// ------------------------------------------------------------------------ types

static PyMemberDef g_bound_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(bound, vectorcall), READONLY, NULL},
    {"__self__", T_OBJECT, offsetof(bound, self), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

int pyoy_add_packet_methods(PyObject* module) {
  static PyMethodDef functions[] = {
      {"add_methods", add_methods, METH_NOARGS, "Gives Tensor the operators of aten."},
      {NULL, NULL, 0, NULL},
  };
  PyType_Slot bound_slots[] = {
      {Py_tp_dealloc, bound_dealloc},
      {Py_tp_call, bound_call},
      {Py_tp_getattro, bound_getattr},
      {Py_tp_members, g_bound_members},
      {0, NULL},
  };
  const unsigned flags =
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | PYOY_HAVE_VECTORCALL;
  PyType_Spec bound_spec = {"opyard.BoundOp", sizeof(bound), 0, flags, bound_slots};
  g_bound_type = (PyTypeObject*)PyType_FromSpec(&bound_spec);
  return g_bound_type ? PyModule_AddFunctions(module, functions) : -1;
}
