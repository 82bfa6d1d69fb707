// SPDX-License-Identifier: Apache-2.0
// Objects of classes with a method __torch_dispatch__. The tensor's handler knows its object,
// so that a tensor that comes back from the library is the object that it was, with all its
// attributes. An object that Python lets go of while the library has the tensor leaves a
// twin behind, which the handler keeps until the tensor is wanted again.
#include "handled.h"

#include <stdlib.h>

// |object| is borrowed while |is_out|, in Python's hands; else owned. May be NULL.
typedef struct handled {
  PyTypeObject* type;
  PyObject* object;
  bool is_out;
} handled;

static handled* handled_of(const oy_tensor* tensor) {
  void* data;
  const oy_tensor_handler* h = oy_tensor_get_handler(tensor, &data);
  return h && h->handle == pyoy_handle_class ? data : NULL;
}

PyTypeObject* pyoy_handled_type(void* data) {
  return ((handled*)data)->type;
}

void pyoy_handled_drop(void* data) {
  handled* h = data;
  if (!h->is_out) pyoy_release_late(h->object);
  pyoy_release_late(h->type);
  free(h);
}

static handled* handled_new(PyTypeObject* type) {
  handled* h = calloc(1, sizeof(*h));
  if (!h) PyErr_NoMemory();
  if (h) h->type = (PyTypeObject*)Py_NewRef((PyObject*)type);
  return h;
}

// ---------------------------------------------------------------------- twins

static int copy_slot(PyObject* from, PyObject* to, PyObject* name) {
  PyObject* value = PyObject_GenericGetAttr(from, name);
  if (!value) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
    PyErr_Clear();
    return 0;
  }
  int failed = PyObject_GenericSetAttr(to, name, value);
  Py_DECREF(value);
  return failed;
}

// What __slots__ hold, of the class and those that it extends.
static int copy_slots(PyObject* from, PyObject* to) {
  PyObject* copyreg = PyImport_ImportModule("copyreg");
  PyObject* names =
      copyreg ? PyObject_CallMethod(copyreg, "_slotnames", "O", (PyObject*)Py_TYPE(from))
              : NULL;
  Py_ssize_t count = names ? PySequence_Size(names) : -1;
  int failed = count < 0;
  for (Py_ssize_t i = 0; !failed && i < count; i++) {
    PyObject* name = PySequence_GetItem(names, i);
    failed = !name || copy_slot(from, to, name) != 0;
    Py_XDECREF(name);
  }
  Py_XDECREF(copyreg);
  Py_XDECREF(names);
  return failed;
}

// Another object of the class with the same attributes; takes over |tensor|, which may be
// NULL. |with_slots|: |from| is whole.
static PyObject* twin_of(PyObject* from, oy_tensor* tensor, bool with_slots) {
  PyObject* made = pyoy_fill_as(Py_TYPE(from), tensor);
  if (!made) return NULL;
  PyObject* attributes = ((pyoy_tensor*)from)->attributes;
  if (attributes) ((pyoy_tensor*)made)->attributes = Py_NewRef(attributes);
  if (!with_slots || copy_slots(from, made) == 0) return made;
  Py_DECREF(made);
  return NULL;
}

void pyoy_handled_leave(PyObject* object, bool is_whole) {
  handled* h = handled_of(((pyoy_tensor*)object)->tensor);
  if (!h || h->object != object || !h->is_out) return;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyObject* twin = twin_of(object, NULL, is_whole);
  if (!twin) PyErr_WriteUnraisable((PyObject*)Py_TYPE(object));
  h->object = twin;
  h->is_out = false;
  PyErr_Restore(type, value, traceback);
}

// -------------------------------------------------------------------- objects

PyObject* pyoy_wrap_handled(oy_tensor* tensor) {
  handled* h = handled_of(tensor);
  if (!h) return pyoy_fill_as(pyoy_tensor_type, tensor);
  PyObject* object = h->object;
  if (object && h->is_out) {
    // An alias of the object's tensor is another one.
    if (pyoy_unwrap(object) != tensor) return twin_of(object, tensor, true);
    Py_INCREF(object);
    oy_tensor_release(tensor);
    return object;
  }
  if (object)
    ((pyoy_tensor*)object)->tensor = tensor;
  else
    object = pyoy_fill_as(h->type, tensor);
  h->object = object;
  h->is_out = object != NULL;
  return object;
}

static PyObject* g_disabled;  // _disabled_torch_dispatch_impl

int pyoy_has_dispatch(PyObject* type) {
  PyObject* method = PyObject_GetAttrString(type, PYOY_DISPATCH);
  if (!method) PyErr_Clear();
  int has = method && method != g_disabled;
  Py_XDECREF(method);
  return has;
}

// Takes over |object|.
static PyObject* already(PyTypeObject* type, handled* before, PyObject* object) {
  PyObject* name = PyType_GetName(type);
  PyObject* other = name ? PyType_GetName(before->type) : NULL;
  if (other)
    PyErr_Format(PyExc_RuntimeError,
                 "Creating a new Tensor subclass %U but the raw Tensor object is already "
                 "associated to a python object of type %U",
                 name, other);
  Py_XDECREF(name);
  Py_XDECREF(other);
  Py_DECREF(object);
  return NULL;
}

PyObject* pyoy_wrap_as(PyTypeObject* type, oy_tensor* tensor) {
  if (!tensor) return pyoy_raise();
  PyObject* object = pyoy_fill_as(type, tensor);
  if (!object || type == pyoy_tensor_type) return object;
  handled* before = handled_of(tensor);
  if (before) return already(type, before, object);
  if (!pyoy_has_dispatch((PyObject*)type)) return object;
  const oy_tensor_handler* r = pyoy_record_of((PyObject*)type);
  handled* h = r ? handled_new(type) : NULL;
  if (h && oy_tensor_set_handler(tensor, r, h) == OY_OK) {
    h->object = object;
    h->is_out = true;
    return object;
  }
  if (h) pyoy_raise();
  Py_DECREF(object);
  return NULL;
}

PyObject* pyoy_wrap_wrapper(PyTypeObject* type, const pyoy_wrapper* w) {
  const oy_tensor_handler* r = pyoy_record_of((PyObject*)type);
  handled* h = r ? handled_new(type) : NULL;
  if (!h) return NULL;
  oy_tensor* tensor = oy_tensor_wrapper(r, h, w->sizes, w->strides, w->storage_offset,
                                        w->dtype, w->device);
  if (!tensor) return pyoy_raise();
  PyObject* object = pyoy_fill_as(type, tensor);
  h->object = object;
  h->is_out = object != NULL;
  return object;
}

// ------------------------------------------------------------------- disabled

// (func, types, args=(), kwargs=None): the call as if no tensor had a handler.
static PyObject* disabled(PyObject* module, PyObject* arguments) {
  PyObject *func, *types, *args = NULL, *kwargs = NULL;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "OO|OO:_disabled_torch_dispatch_impl", &func, &types,
                        &args, &kwargs))
    return NULL;
  PyObject* positional = args ? PySequence_Tuple(args) : PyTuple_New(0);
  if (!positional) return NULL;
  oy_guard guard = oy_guard_without_handlers();
  PyObject* result = PyObject_Call(func, positional, kwargs == Py_None ? NULL : kwargs);
  oy_guard_end(&guard);
  Py_DECREF(positional);
  return result;
}

int pyoy_add_handled(PyObject* module) {
  static PyMethodDef functions[] = {
      {"_disabled_torch_dispatch_impl", disabled, METH_VARARGS,
       "The __torch_dispatch__ of classes that have none: (func, types, args, kwargs)."},
      {NULL, NULL, 0, NULL},
  };
  if (PyModule_AddFunctions(module, functions) != 0) return -1;
  g_disabled = PyObject_GetAttrString(module, "_disabled_torch_dispatch_impl");
  return g_disabled ? PyObject_SetAttrString((PyObject*)pyoy_tensor_type, PYOY_DISPATCH,
                                             g_disabled)
                    : -1;
}
