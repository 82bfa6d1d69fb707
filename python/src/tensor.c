// SPDX-License-Identifier: Apache-2.0
// The Tensor type: what a tensor says of itself. What it computes are operators.
#include "tensor_type.h"

#include <structmember.h>

#include "handled.h"
#include "overrides.h"
#include "tensor_buffer.h"

PyTypeObject* pyoy_tensor_type;

static oy_tensor* of(PyObject* self) {
  return ((pyoy_tensor*)self)->tensor;
}

static PyObject* fill(pyoy_tensor* self, oy_tensor* tensor) {
  if (!self) {
    oy_tensor_release(tensor);
    return NULL;
  }
  self->tensor = tensor;
  self->grad = NULL;
  self->attributes = NULL;
  self->weak_references = NULL;
  return (PyObject*)self;
}

PyObject* pyoy_wrap(oy_tensor* tensor) {
  if (OY_UNLIKELY(!tensor)) return pyoy_raise();
  if (OY_UNLIKELY(pyoy_has_handler(tensor))) return pyoy_wrap_handled(tensor);
  return fill(PyObject_New(pyoy_tensor, pyoy_tensor_type), tensor);
}

PyObject* pyoy_fill_as(PyTypeObject* type, oy_tensor* tensor) {
  return fill((pyoy_tensor*)PyType_GenericAlloc(type, 0), tensor);
}

// Only objects of subclasses come here.
static void tensor_finalize(PyObject* self) {
  if (of(self) && pyoy_has_handler(of(self))) pyoy_handled_leave(self, true);
}

// Subclasses come here, too, and their objects may be the collector's.
static void tensor_dealloc(PyObject* object) {
  pyoy_tensor* self = (pyoy_tensor*)object;
  PyTypeObject* type = Py_TYPE(object);
  if (OY_UNLIKELY(type != pyoy_tensor_type) && self->tensor &&
      pyoy_has_handler(self->tensor))
    pyoy_handled_leave(object, false);
  if (OY_UNLIKELY(self->weak_references != NULL)) PyObject_ClearWeakRefs(object);
  if (OY_UNLIKELY(self->attributes != NULL)) Py_CLEAR(self->attributes);
  if (OY_UNLIKELY(self->grad != NULL)) Py_CLEAR(self->grad);
  oy_tensor_release(self->tensor);
  if (OY_LIKELY(type == pyoy_tensor_type)) {
    PyObject_Free(self);
  } else {
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
  }
  Py_DECREF(type);
}

static PyObject* print_as(PyObject* self, const char* name) {
  char* text = NULL;
  if (oy_tensor_print_as(of(self), name, &text) != OY_OK) return pyoy_raise();
  PyObject* result = PyUnicode_FromString(text);
  oy_text_free(text);
  return result;
}

// By the name of the class, if it is another one.
static PyObject* tensor_repr(PyObject* self) {
  if (Py_TYPE(self) == pyoy_tensor_type) return print_as(self, NULL);
  PyObject* name = PyType_GetName(Py_TYPE(self));
  const char* text = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
  PyObject* result = text ? print_as(self, text) : NULL;
  Py_XDECREF(name);
  return result;
}

static PyObject* tensor_text(PyObject* module, PyObject* self) {
  (void)module;
  if (pyoy_unwrap(self)) return print_as(self, "tensor");
  PyErr_SetString(PyExc_TypeError, "tensor_text() expects a Tensor");
  return NULL;
}

// Tensor.__new__(cls, tensor): the same data as a tensor of the class cls. What else may be
// given is the front end's affair, opyard/_tensor.py.
static PyObject* g_constructor;

static PyObject* tensor_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* made = NULL;
  if (PyTuple_Size(args) == 1 && pyoy_unwrap(PyTuple_GetItem(args, 0)))
    made = Py_NewRef(PyTuple_GetItem(args, 0));
  else if (g_constructor)
    made = PyObject_Call(g_constructor, args, kwargs);
  else
    PyErr_SetString(PyExc_TypeError, "Tensor() expects a Tensor");
  if (!made) return NULL;
  PyObject* result = pyoy_wrap_as(type, oy_detach(of(made)));
  Py_DECREF(made);
  return result;
}

static PyObject* set_constructor(PyObject* module, PyObject* constructor) {
  (void)module;
  PyObject* before = g_constructor;
  g_constructor = Py_NewRef(constructor);
  Py_XDECREF(before);
  return Py_NewRef(Py_None);
}

static PyObject* ints_to_tuple(oy_ints ints) {
  PyObject* tuple = PyTuple_New((Py_ssize_t)ints.size);
  for (size_t i = 0; tuple && i < ints.size; i++) {
    PyObject* item = PyLong_FromLongLong(ints.data[i]);
    if (!item || PyTuple_SetItem(tuple, (Py_ssize_t)i, item) != 0) Py_CLEAR(tuple);
  }
  return tuple;
}

// ---------------------------------------------------------------- questions

// One of |ints|, which belong to dimensions, or all of them, by an optional dim=.
static PyObject* by_dim(PyObject* self, PyObject* args, PyObject* kwargs, oy_ints ints,
                        PyObject* (*all)(oy_ints ints)) {
  static char* names[] = {"dim", NULL};
  PyObject* dim_object = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O", names, &dim_object)) return NULL;
  if (dim_object == Py_None) return all(ints);
  long long dim = PyLong_AsLongLong(dim_object), n = oy_tensor_ndim(of(self));
  if (dim == -1 && PyErr_Occurred()) return NULL;
  long long least = n ? -n : -1, greatest = n ? n - 1 : 0;
  if (n == 0) {
    PyErr_Format(PyExc_IndexError,
                 "Dimension specified as %lld but tensor has no dimensions", dim);
    return NULL;
  }
  if (dim >= least && dim <= greatest)
    return PyLong_FromLongLong(ints.data[dim < 0 ? dim + n : dim]);
  PyErr_Format(PyExc_IndexError,
               "Dimension out of range (expected to be in range of [%lld, %lld], but got "
               "%lld)",
               least, greatest, dim);
  return NULL;
}

static PyObject* method_size(PyObject* self, PyObject* args, PyObject* kwargs) {
  return by_dim(self, args, kwargs, oy_tensor_sizes(of(self)), pyoy_size);
}

static PyObject* method_stride(PyObject* self, PyObject* args, PyObject* kwargs) {
  return by_dim(self, args, kwargs, oy_tensor_strides(of(self)), ints_to_tuple);
}

static Py_ssize_t tensor_length(PyObject* self) {
  oy_ints sizes = oy_tensor_sizes(of(self));
  if (sizes.size > 0) return (Py_ssize_t)sizes.data[0];
  PyErr_SetString(PyExc_TypeError, "len() of a 0-d tensor");
  return -1;
}

static PyObject* method_dim(PyObject* self, PyObject* unused) {
  (void)unused;
  return PyLong_FromLongLong(oy_tensor_ndim(of(self)));
}

static PyObject* method_iter(PyObject* self) {
  if (OY_UNLIKELY(pyoy_overrides(self))) {
    PyObject* parts = PyObject_CallMethod(self, "unbind", "i", 0);
    PyObject* each = parts ? PyObject_GetIter(parts) : NULL;
    Py_XDECREF(parts);
    return each;
  }
  if (oy_tensor_ndim(of(self)) == 0) {
    PyErr_SetString(PyExc_TypeError, "iteration over a 0-d tensor");
    return NULL;
  }
  oy_value parts;
  if (oy_unbind_int(of(self), 0, &parts) != OY_OK) return pyoy_raise();
  PyObject* tuple = pyoy_value_to(parts, NULL);
  oy_value_release(&parts);
  PyObject* iterator = tuple ? PyObject_GetIter(tuple) : NULL;
  Py_XDECREF(tuple);
  return iterator;
}

static Py_hash_t tensor_hash(PyObject* self) {
  return (Py_hash_t)((uintptr_t)self >> 4);
}

static PyObject* method_storage_offset(PyObject* self, PyObject* unused) {
  (void)unused;
  return PyLong_FromLongLong(oy_tensor_storage_offset(of(self)));
}

static PyObject* method_numel(PyObject* self, PyObject* unused) {
  (void)unused;
  return PyLong_FromLongLong(oy_tensor_numel(of(self)));
}

static PyObject* method_data_ptr(PyObject* self, PyObject* unused) {
  (void)unused;
  return PyLong_FromVoidPtr(oy_tensor_data(of(self)));
}

static PyObject* method_is_contiguous(PyObject* self, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"memory_format", NULL};
  PyObject* object = NULL;
  int64_t format = OY_MEMORY_CONTIGUOUS;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O!:is_contiguous", names,
                                   pyoy_memory_format_type, &object))
    return NULL;
  if (object) pyoy_constant_value(object, pyoy_memory_format_type, &format);
  return PyBool_FromLong(oy_tensor_is_contiguous(of(self), (oy_memory_format)format));
}

static PyObject* method_suggests(PyObject* self, PyObject* object) {
  int64_t format;
  if (!PyObject_TypeCheck(object, pyoy_memory_format_type)) {
    PyErr_Format(PyExc_TypeError, "memory_format must be torch.memory_format, not %R",
                 (PyObject*)Py_TYPE(object));
    return NULL;
  }
  pyoy_constant_value(object, pyoy_memory_format_type, &format);
  return PyBool_FromLong(oy_tensor_suggest_memory_format(of(self)) == format);
}

static PyObject* method_is_alias_of(PyObject* self, PyObject* other) {
  oy_tensor* tensor = pyoy_unwrap(other);
  if (tensor) return PyBool_FromLong(oy_tensor_is_alias_of(of(self), tensor));
  PyErr_SetString(PyExc_TypeError, "is_alias_of() expects a Tensor");
  return NULL;
}

static PyObject* method_is_same(PyObject* self, PyObject* other) {
  return PyBool_FromLong(pyoy_unwrap(other) == of(self));
}

static PyObject* method_is_inference(PyObject* self, PyObject* unused) {
  (void)unused;
  return PyBool_FromLong(oy_tensor_is_inference(of(self)));
}

// Classes are asked first (overrides.h); by position, as these are called.
#define ASKING(fn, name)                                           \
  static PyObject* ask_##fn(PyObject* self, PyObject* unused) {    \
    if (OY_LIKELY(!pyoy_overrides(self))) return fn(self, unused); \
    return pyoy_override_method(name, &self, 1);                   \
  }
#define ASKING_SLOT(fn, name)                              \
  static PyObject* ask_##fn(PyObject* self) {              \
    if (OY_LIKELY(!pyoy_overrides(self))) return fn(self); \
    return pyoy_override_method(name, &self, 1);           \
  }
#define ASKING_DIM(fn, name)                                                    \
  static PyObject* ask_##fn(PyObject* self, PyObject* args, PyObject* kwargs) { \
    PyObject* values[] = {self, NULL};                                          \
    Py_ssize_t count = PyTuple_Size(args);                                      \
    if (OY_LIKELY(!pyoy_overrides(self)) || kwargs || count > 1)                \
      return fn(self, args, kwargs);                                            \
    if (count) values[1] = PyTuple_GetItem(args, 0);                            \
    return pyoy_override_method(name, values, 1 + count);                       \
  }

ASKING(method_dim, "dim")
ASKING(method_storage_offset, "storage_offset")
ASKING(method_numel, "numel")
ASKING(method_data_ptr, "data_ptr")
ASKING(method_is_inference, "is_inference")
ASKING(pyoy_tensor_item, "item")
ASKING(pyoy_tensor_tolist, "tolist")
ASKING_DIM(method_size, "size")
ASKING_DIM(method_stride, "stride")
ASKING_DIM(method_is_contiguous, "is_contiguous")
ASKING_SLOT(pyoy_tensor_int, "__int__")
ASKING_SLOT(pyoy_tensor_float, "__float__")

static int ask_bool(PyObject* self) {
  if (OY_LIKELY(!pyoy_overrides(self))) return pyoy_tensor_bool(self);
  PyObject* answer = pyoy_override_method("__bool__", &self, 1);
  int yes = answer ? PyObject_IsTrue(answer) : -1;
  Py_XDECREF(answer);
  return yes;
}

static Py_ssize_t ask_length(PyObject* self) {
  if (OY_LIKELY(!pyoy_overrides(self))) return tensor_length(self);
  PyObject* answer = pyoy_override_method("__len__", &self, 1);
  Py_ssize_t length = answer ? PyLong_AsSsize_t(answer) : -1;
  Py_XDECREF(answer);
  if (length >= 0 || PyErr_Occurred()) return length;
  PyErr_SetString(PyExc_ValueError, "__len__() should return >= 0");
  return -1;
}

#define WITH_KEYWORDS(fn) (PyCFunction)(void (*)(void))(fn), METH_VARARGS | METH_KEYWORDS

static PyMethodDef methods[] = {
    {"size", WITH_KEYWORDS(ask_method_size), "sizes, or one of them"},
    {"stride", WITH_KEYWORDS(ask_method_stride), "strides in elements, or one of them"},
    {"dim", ask_method_dim, METH_NOARGS, "how many dimensions there are"},
    {"ndimension", method_dim, METH_NOARGS, NULL},
    {"storage_offset", ask_method_storage_offset, METH_NOARGS, "in elements"},
    {"numel", ask_method_numel, METH_NOARGS, NULL},
    {"nelement", method_numel, METH_NOARGS, NULL},
    {"data_ptr", ask_method_data_ptr, METH_NOARGS, "address of the first element, or 0"},
    {"is_contiguous", WITH_KEYWORDS(ask_method_is_contiguous), NULL},
    {"_suggests", method_suggests, METH_O,
     "whether strides are those of the memory format"},
    {"is_alias_of", method_is_alias_of, METH_O, "whether both lie on one storage"},
    {"is_same", method_is_same, METH_O, "whether both are one tensor"},
    {"is_inference", ask_method_is_inference, METH_NOARGS, NULL},
    {"item", ask_pyoy_tensor_item, METH_NOARGS, "the one element as a number"},
    {"tolist", ask_pyoy_tensor_tolist, METH_NOARGS, "nested lists of numbers"},
    {"__complex__", pyoy_tensor_complex, METH_NOARGS, NULL},
    {"_make_subclass", WITH_KEYWORDS(pyoy_make_subclass) | METH_STATIC,
     "_make_subclass(cls, data, require_grad=False): the same data as a leaf of class "
     "cls"},
    {"_make_wrapper_subclass", WITH_KEYWORDS(pyoy_make_wrapper_subclass) | METH_STATIC,
     "_make_wrapper_subclass(cls, size, *, strides=None, storage_offset=None, "
     "dtype=None, "
     "device=None, requires_grad=False): a tensor without data, for which the class "
     "answers"},
    {"as_subclass", pyoy_as_subclass, METH_O,
     "as_subclass(cls): an alias of class cls, with the history"},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(pyoy_tensor, attributes), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(pyoy_tensor, weak_references), READONLY,
     NULL},
    {NULL, 0, 0, 0, NULL},
};

static const PyType_Slot own_slots[] = {
    {Py_tp_new, tensor_new},
    {Py_tp_dealloc, tensor_dealloc},
    {Py_tp_finalize, tensor_finalize},
    {Py_tp_repr, tensor_repr},
    {Py_tp_hash, tensor_hash},
    {Py_tp_iter, method_iter},
    {Py_tp_richcompare, pyoy_tensor_compare},
    {Py_tp_getset, NULL},  // see pyoy_overridable
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_mp_length, ask_length},
    {Py_mp_subscript, pyoy_tensor_get},
    {Py_mp_ass_subscript, pyoy_tensor_set},
    {Py_nb_bool, ask_bool},
    {Py_nb_int, ask_pyoy_tensor_int},
    {Py_nb_float, ask_pyoy_tensor_float},
    {Py_nb_index, pyoy_tensor_index},
    {Py_bf_getbuffer, pyoy_tensor_getbuffer},
    {Py_bf_releasebuffer, pyoy_tensor_releasebuffer},
};
enum { OWN_SLOTS = sizeof own_slots / sizeof *own_slots, SLOTS_MAX = 96 };

int pyoy_add_tensor(PyObject* module) {
  static PyMethodDef functions[] = {
      {"set_constructor", set_constructor, METH_O,
       "Sets what Tensor(...) calls for what is no tensor."},
      {"tensor_text", tensor_text, METH_O,
       "A tensor of any class as repr() has Tensors."},
      {"set_to_index", pyoy_set_to_index, METH_O,
       "Sets what makes tensors of lists in x[[0, 1]]."},
      {NULL, NULL, 0, NULL},
  };
  PyType_Slot slots[SLOTS_MAX] = {{0, NULL}};
  memcpy(slots, own_slots, sizeof own_slots);
  for (size_t i = 0; i < OWN_SLOTS; i++)
    if (slots[i].slot == Py_tp_getset)
      slots[i].pfunc = pyoy_overridable(pyoy_tensor_getters);
  for (size_t i = 0; pyoy_tensor_signs[i].slot && OWN_SLOTS + i + 1 < SLOTS_MAX; i++)
    slots[OWN_SLOTS + i] = pyoy_tensor_signs[i];
  PyType_Spec spec = {"opyard.Tensor", sizeof(pyoy_tensor), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  pyoy_tensor_type = (PyTypeObject*)PyType_FromSpec(&spec);
  if (!pyoy_tensor_type || PyModule_AddFunctions(module, functions) != 0) return -1;
  return PyModule_AddType(module, pyoy_tensor_type);
}
