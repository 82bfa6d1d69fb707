// SPDX-License-Identifier: Apache-2.0
// Tensors as objects of a class that derives from Tensor: nn.Parameter and the like.
#include "handled.h"
#include "opyard/ops.h"
#include "tensor_type.h"

static PyObject* cls_is_no_type(PyObject* cls) {
  PyErr_Format(PyExc_TypeError, "cls must be a type (got %S)", (PyObject*)Py_TYPE(cls));
  return NULL;
}

static int is_tensor_class(PyObject* cls) {
  if (PyType_IsSubtype((PyTypeObject*)cls, pyoy_tensor_type)) return 1;
  PyErr_SetString(PyExc_RuntimeError,
                  "Creating a Tensor subclass from a class that does not inherit from "
                  "Tensor is not possible. Make sure your class inherits from Tensor.");
  return 0;
}

static PyObject* with_gradient(PyObject* made, int requires_grad) {
  if (!made || !requires_grad || oy_requires_grad_(pyoy_unwrap(made), true)) return made;
  Py_DECREF(made);
  return pyoy_raise();
}

PyObject* pyoy_make_subclass(PyObject* unused, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"cls", "data", "require_grad", NULL};
  (void)unused;
  PyObject *cls, *data;
  int requires_grad = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO!|p:_make_subclass", names, &cls,
                                   pyoy_tensor_type, &data, &requires_grad))
    return NULL;
  if (!PyType_Check(cls)) return cls_is_no_type(cls);
  if (!is_tensor_class(cls)) return NULL;
  PyObject* made = pyoy_wrap_as((PyTypeObject*)cls, oy_detach(pyoy_unwrap(data)));
  return with_gradient(made, requires_grad);
}

PyObject* pyoy_as_subclass(PyObject* self, PyObject* cls) {
  if (!PyType_Check(cls)) return cls_is_no_type(cls);
  if (!is_tensor_class(cls)) return NULL;
  return pyoy_wrap_as((PyTypeObject*)cls, oy_op_alias(pyoy_unwrap(self)));
}

// ------------------------------------------------------------------- wrappers

// What _make_wrapper_subclass is given, and room for the numbers.
typedef struct shape {
  PyObject *cls, *size, *strides, *offset, *memory_format, *dtype, *layout, *device,
      *policy;
  int pin_memory, requires_grad, dispatch_device, dispatch_layout;
  int64_t sizes[64], steps[64];
} shape;

static int parse_shape(PyObject* args, PyObject* kwargs, shape* s) {
  static char* names[] = {"cls",
                          "size",
                          "strides",
                          "storage_offset",
                          "memory_format",
                          "dtype",
                          "layout",
                          "device",
                          "pin_memory",
                          "requires_grad",
                          "dispatch_sizes_strides_policy",
                          "dispatch_device",
                          "dispatch_layout",
                          NULL};
  s->strides = s->offset = s->memory_format = s->dtype = Py_None;
  s->layout = s->device = s->policy = Py_None;
  s->pin_memory = s->requires_grad = s->dispatch_device = s->dispatch_layout = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|$OOOOOOppOpp:_make_wrapper_subclass",
                                   names, &s->cls, &s->size, &s->strides, &s->offset,
                                   &s->memory_format, &s->dtype, &s->layout, &s->device,
                                   &s->pin_memory, &s->requires_grad, &s->policy,
                                   &s->dispatch_device, &s->dispatch_layout))
    return -1;
  if (s->policy == Py_None && !s->dispatch_device && !s->dispatch_layout) return 0;
  PyErr_SetString(PyExc_NotImplementedError,
                  "_make_wrapper_subclass: sizes, strides, device and layout are those "
                  "that are given; classes are not asked for them (dispatch_*)");
  return -1;
}

static int check_class(PyObject* cls) {
  if (!PyType_Check(cls)) {
    cls_is_no_type(cls);
    return -1;
  }
  if (!is_tensor_class(cls)) return -1;
  if (pyoy_has_dispatch(cls)) return 0;
  PyObject* name = PyType_GetName((PyTypeObject*)cls);
  if (name) PyErr_Format(PyExc_TypeError, "%U must define " PYOY_DISPATCH, name);
  Py_XDECREF(name);
  return -1;
}

static int fill_kind(const shape* s, pyoy_wrapper* out) {
  int64_t dtype = (int64_t)oy_dtype_default();
  out->device = oy_device_cpu();
  if (s->dtype != Py_None && !pyoy_constant_value(s->dtype, pyoy_dtype_type, &dtype)) {
    PyErr_Format(PyExc_TypeError, "dtype must be a torch.dtype, got %R", s->dtype);
    return -1;
  }
  out->dtype = (oy_dtype)dtype;
  if (s->device == Py_None || pyoy_device_value(s->device, &out->device)) return 0;
  PyErr_Format(PyExc_TypeError, "device must be a device or its name, got %R", s->device);
  return -1;
}

static int fill_shape(shape* s, pyoy_wrapper* out) {
  out->strides = (oy_ints){NULL, 0};
  out->storage_offset = 0;
  if (pyoy_ints_from(s->size, s->sizes, &out->sizes) != 0) return -1;
  if (s->strides != Py_None && pyoy_ints_from(s->strides, s->steps, &out->strides) != 0)
    return -1;
  if (s->offset != Py_None) out->storage_offset = PyLong_AsLongLong(s->offset);
  if (out->storage_offset == -1 && PyErr_Occurred()) return -1;
  return fill_kind(s, out);
}

PyObject* pyoy_make_wrapper_subclass(PyObject* unused, PyObject* args, PyObject* kwargs) {
  shape s;
  pyoy_wrapper w;
  (void)unused;
  if (parse_shape(args, kwargs, &s) != 0 || check_class(s.cls) != 0 ||
      fill_shape(&s, &w) != 0)
    return NULL;
  return with_gradient(pyoy_wrap_wrapper((PyTypeObject*)s.cls, &w), s.requires_grad);
}
