// SPDX-License-Identifier: Apache-2.0
// The Tensor type: what a tensor says of itself. What it computes are operators.
#include "module.h"

#include "tensor_buffer.h"

PyTypeObject* pyoy_tensor_type;

PyObject* pyoy_wrap(oy_tensor* tensor) {
  if (!tensor) return pyoy_raise();
  pyoy_tensor* self = PyObject_New(pyoy_tensor, pyoy_tensor_type);
  if (!self) {
    oy_tensor_release(tensor);
    return NULL;
  }
  self->tensor = tensor;
  return (PyObject*)self;
}

oy_tensor* pyoy_unwrap(PyObject* object) {
  return PyObject_TypeCheck(object, pyoy_tensor_type) ? ((pyoy_tensor*)object)->tensor
                                                      : NULL;
}

static oy_tensor* of(PyObject* self) {
  return ((pyoy_tensor*)self)->tensor;
}

static void tensor_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  oy_tensor_release(of(self));
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject* tensor_repr(PyObject* self) {
  char* text = NULL;
  if (oy_tensor_print(of(self), &text) != OY_OK) return pyoy_raise();
  PyObject* result = PyUnicode_FromString(text);
  oy_text_free(text);
  return result;
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

static PyObject* get_shape(PyObject* self, void* closure) {
  (void)closure;
  return ints_to_tuple(oy_tensor_sizes(of(self)));
}

static PyObject* get_dtype(PyObject* self, void* closure) {
  (void)closure;
  return pyoy_dtype(of(self)->dtype);
}

static PyObject* get_device(PyObject* self, void* closure) {
  (void)closure;
  return pyoy_device_object(oy_tensor_device(of(self)));
}

static PyObject* get_ndim(PyObject* self, void* closure) {
  (void)closure;
  return PyLong_FromLongLong(oy_tensor_ndim(of(self)));
}

static PyObject* get_requires_grad(PyObject* self, void* closure) {
  (void)closure;
  return PyBool_FromLong(oy_requires_grad(of(self)));
}

static int set_requires_grad(PyObject* self, PyObject* value, void* closure) {
  (void)closure;
  int on = value ? PyObject_IsTrue(value) : 0;
  if (on < 0) return -1;
  if (oy_requires_grad_(of(self), on != 0)) return 0;
  pyoy_raise();
  return -1;
}

static PyObject* get_is_leaf(PyObject* self, void* closure) {
  (void)closure;
  return PyBool_FromLong(oy_is_leaf(of(self)));
}

static PyObject* get_grad(PyObject* self, void* closure) {
  (void)closure;
  oy_tensor* grad = oy_grad(of(self));
  return grad ? pyoy_wrap(oy_tensor_retain(grad)) : Py_NewRef(Py_None);
}

static int set_grad(PyObject* self, PyObject* value, void* closure) {
  (void)closure;
  oy_tensor* grad = NULL;
  if (value && value != Py_None) {
    grad = pyoy_unwrap(value);
    if (!grad) {
      PyErr_SetString(PyExc_TypeError, "grad must be a Tensor or None");
      return -1;
    }
  }
  if (oy_set_grad(of(self), grad) == OY_OK) return 0;
  pyoy_raise();
  return -1;
}

static PyObject* get_version(PyObject* self, void* closure) {
  (void)closure;
  return PyLong_FromUnsignedLong(oy_tensor_version(of(self)));
}

static PyGetSetDef getters[] = {
    {"shape", get_shape, NULL, "sizes as a tuple", NULL},
    {"dtype", get_dtype, NULL, NULL, NULL},
    {"device", get_device, NULL, NULL, NULL},
    {"ndim", get_ndim, NULL, NULL, NULL},
    {"requires_grad", get_requires_grad, set_requires_grad, NULL, NULL},
    {"is_leaf", get_is_leaf, NULL, "no recorded operator made it", NULL},
    {"grad", get_grad, set_grad, "the gradient or None", NULL},
    {"_version", get_version, NULL, "counts in-place changes", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyObject* method_stride(PyObject* self, PyObject* unused) {
  (void)unused;
  return ints_to_tuple(oy_tensor_strides(of(self)));
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

static PyObject* method_is_contiguous(PyObject* self, PyObject* unused) {
  (void)unused;
  return PyBool_FromLong(oy_tensor_is_contiguous(of(self), OY_MEMORY_CONTIGUOUS));
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

static PyObject* method_backward(PyObject* self, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"gradient", "retain_graph", NULL};
  PyObject* gradient = Py_None;
  int retain = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|Op:backward", names, &gradient,
                                   &retain))
    return NULL;
  oy_tensor* grad = gradient == Py_None ? NULL : pyoy_unwrap(gradient);
  if (gradient != Py_None && !grad) {
    PyErr_SetString(PyExc_TypeError, "gradient must be a Tensor or None");
    return NULL;
  }
  oy_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = oy_backward(of(self), grad, retain != 0);
  Py_END_ALLOW_THREADS;
  return status == OY_OK ? Py_NewRef(Py_None) : pyoy_raise();
}

// ---------------------------------------------------------------- elements

static PyObject* complex_element(const oy_tensor* tensor, const int64_t* index) {
  const char* data = oy_tensor_data(tensor);
  oy_ints strides = oy_tensor_strides(tensor);
  int64_t offset = 0;
  for (size_t d = 0; d < strides.size; d++) offset += index[d] * strides.data[d];
  if (tensor->dtype == OY_DTYPE_C64) {
    const float* c = (const float*)data + 2 * offset;
    return PyComplex_FromDoubles((double)c[0], (double)c[1]);
  }
  if (tensor->dtype == OY_DTYPE_C128) {
    const double* c = (const double*)data + 2 * offset;
    return PyComplex_FromDoubles(c[0], c[1]);
  }
  PyErr_Format(PyExc_NotImplementedError, "elements of %s have no form in Python",
               oy_dtype_name(tensor->dtype));
  return NULL;
}

static PyObject* element(const oy_tensor* tensor, const int64_t* index) {
  if (!oy_tensor_data(tensor)) {
    PyErr_SetString(PyExc_RuntimeError, "expected a tensor with data");
    return NULL;
  }
  if (oy_dtype_is_complex(tensor->dtype)) return complex_element(tensor, index);
  oy_scalar scalar;
  oy_ints at = {index, (size_t)oy_tensor_ndim(tensor)};
  if (oy_tensor_get(tensor, at, &scalar) != OY_OK) return pyoy_raise();
  return pyoy_value_to(scalar, NULL);
}

PyObject* pyoy_item(const oy_tensor* tensor) {
  static const int64_t zeros[OY_TENSOR_MAX_DIMS];
  int64_t count = oy_tensor_numel(tensor);
  if (count == 1) return element(tensor, zeros);
  PyErr_Format(PyExc_RuntimeError,
               "a Tensor with %lld elements cannot be converted to Scalar",
               (long long)count);
  return NULL;
}

static PyObject* method_item(PyObject* self, PyObject* unused) {
  (void)unused;
  return pyoy_item(of(self));
}

static PyObject* to_list(const oy_tensor* tensor, int64_t* index, size_t dim) {
  oy_ints sizes = oy_tensor_sizes(tensor);
  if (dim == sizes.size) return element(tensor, index);
  PyObject* list = PyList_New((Py_ssize_t)sizes.data[dim]);
  for (index[dim] = 0; list && index[dim] < sizes.data[dim]; index[dim]++) {
    PyObject* item = to_list(tensor, index, dim + 1);
    if (!item || PyList_SetItem(list, (Py_ssize_t)index[dim], item) != 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject* method_tolist(PyObject* self, PyObject* unused) {
  int64_t index[OY_TENSOR_MAX_DIMS] = {0};
  (void)unused;
  return to_list(of(self), index, 0);
}

static PyMethodDef methods[] = {
    {"stride", method_stride, METH_NOARGS, "strides in elements, as a tuple"},
    {"storage_offset", method_storage_offset, METH_NOARGS, "in elements"},
    {"numel", method_numel, METH_NOARGS, NULL},
    {"data_ptr", method_data_ptr, METH_NOARGS, "address of the first element, or 0"},
    {"is_contiguous", method_is_contiguous, METH_NOARGS, NULL},
    {"is_alias_of", method_is_alias_of, METH_O, "whether both lie on one storage"},
    {"is_same", method_is_same, METH_O, "whether both are one tensor"},
    {"backward", (PyCFunction)(void (*)(void))method_backward,
     METH_VARARGS | METH_KEYWORDS, "backward(gradient=None, retain_graph=False)"},
    {"item", method_item, METH_NOARGS, "the one element as a number"},
    {"tolist", method_tolist, METH_NOARGS, "nested lists of numbers"},
    {NULL, NULL, 0, NULL},
};

int pyoy_add_tensor(PyObject* module) {
  PyType_Slot slots[] = {
      {Py_tp_dealloc, tensor_dealloc},
      {Py_tp_repr, tensor_repr},
      {Py_tp_getset, getters},
      {Py_tp_methods, methods},
      {Py_bf_getbuffer, pyoy_tensor_getbuffer},
      {Py_bf_releasebuffer, pyoy_tensor_releasebuffer},
      {0, NULL},
  };
  PyType_Spec spec = {"opyard.Tensor", sizeof(pyoy_tensor), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  pyoy_tensor_type = (PyTypeObject*)PyType_FromSpec(&spec);
  if (!pyoy_tensor_type) return -1;
  return PyModule_AddType(module, pyoy_tensor_type);
}
