// SPDX-License-Identifier: Apache-2.0
// Attributes of a tensor: geometry, dtype, gradient, and what it views.
#include "tensor_type.h"

static oy_tensor* of(PyObject* self) {
  return ((pyoy_tensor*)self)->tensor;
}

static PyObject* get_shape(PyObject* self, void* closure) {
  (void)closure;
  return pyoy_size(oy_tensor_sizes(of(self)));
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

static PyObject* get_grad_fn(PyObject* self, void* closure) {
  (void)closure;
  return pyoy_grad_fn(of(self));
}

// One gradient is one object, so that x.grad is x.grad.
static PyObject* get_grad(PyObject* object, void* closure) {
  pyoy_tensor* self = (pyoy_tensor*)object;
  (void)closure;
  oy_tensor* grad = oy_grad(self->tensor);
  if (!grad) {
    Py_CLEAR(self->grad);
    return Py_NewRef(Py_None);
  }
  if (!self->grad || pyoy_unwrap(self->grad) != grad) {
    PyObject* made = pyoy_wrap(oy_tensor_retain(grad));
    if (!made) return NULL;
    Py_XDECREF(self->grad);
    self->grad = made;
  }
  return Py_NewRef(self->grad);
}

static int set_grad(PyObject* object, PyObject* value, void* closure) {
  pyoy_tensor* self = (pyoy_tensor*)object;
  (void)closure;
  oy_tensor* grad = NULL;
  if (value && value != Py_None) {
    grad = pyoy_unwrap(value);
    if (!grad) {
      PyErr_Format(
          PyExc_TypeError,
          "assigned grad expected to be a Tensor or None but got grad of type %R",
          (PyObject*)Py_TYPE(value));
      return -1;
    }
    if (grad == self->tensor) {
      PyErr_SetString(PyExc_RuntimeError, "can't assign Variable as its own grad");
      return -1;
    }
  }
  if (oy_set_grad(self->tensor, grad) != OY_OK) {
    pyoy_raise();
    return -1;
  }
  PyObject* before = self->grad;
  self->grad = grad ? Py_NewRef(value) : NULL;
  Py_XDECREF(before);
  return 0;
}

static PyObject* get_version(PyObject* self, void* closure) {
  (void)closure;
  return PyLong_FromUnsignedLong(oy_tensor_version(of(self)));
}

static PyObject* get_layout(PyObject* self, void* closure) {
  (void)closure;
  (void)self;
  return pyoy_layout_strided();
}

static PyObject* get_itemsize(PyObject* self, void* closure) {
  (void)closure;
  return PyLong_FromSize_t(oy_dtype_size(of(self)->dtype));
}

static PyObject* get_nbytes(PyObject* self, void* closure) {
  (void)closure;
  return PyLong_FromLongLong(oy_tensor_numel(of(self)) *
                             (int64_t)oy_dtype_size(of(self)->dtype));
}

static PyObject* get_output_nr(PyObject* self, void* closure) {
  (void)closure;
  return PyLong_FromUnsignedLong(oy_output_nr(of(self)));
}

// |closure| is the backend.
static PyObject* get_is_on(PyObject* self, void* closure) {
  return PyBool_FromLong(oy_tensor_device(of(self)).backend == (int)(intptr_t)closure);
}

static PyObject* get_never(PyObject* self, void* closure) {
  (void)self;
  (void)closure;
  Py_RETURN_FALSE;
}

// ---------------------------------------------------------------------- views

typedef oy_tensor* (*unary_fn)(oy_tensor* self);

static PyObject* view(PyObject* self, void* closure) {
  unary_fn fn;
  memcpy(&fn, closure, sizeof fn);
  return pyoy_wrap(fn(of(self)));
}

static PyObject* get_real(PyObject* self, void* closure) {
  (void)closure;
  if (!oy_dtype_is_complex(of(self)->dtype)) return Py_NewRef(self);
  return pyoy_wrap(oy_real(of(self)));
}

static PyObject* get_imag(PyObject* self, void* closure) {
  (void)closure;
  if (oy_dtype_is_complex(of(self)->dtype)) return pyoy_wrap(oy_imag(of(self)));
  PyErr_SetString(PyExc_RuntimeError,
                  "imag is not implemented for tensors with non-complex dtypes.");
  return NULL;
}

static int write_part(PyObject* part, PyObject* value) {
  int status = part ? pyoy_tensor_set(part, Py_Ellipsis, value) : -1;
  Py_XDECREF(part);
  return status;
}
static int set_real(PyObject* self, PyObject* value, void* closure) {
  return write_part(get_real(self, closure), value);
}
static int set_imag(PyObject* self, PyObject* value, void* closure) {
  return write_part(get_imag(self, closure), value);
}

// ----------------------------------------------------------------------- data

static PyObject* get_data(PyObject* self, void* closure) {
  (void)closure;
  // Who handles its calls makes the alias.
  if (pyoy_has_handler(of(self))) return pyoy_wrap(oy_detach(of(self)));
  return pyoy_wrap_as(Py_TYPE(self), oy_tensor_data_alias(of(self)));
}

static int set_data(PyObject* self, PyObject* value, void* closure) {
  (void)closure;
  oy_tensor* data = value ? pyoy_unwrap(value) : NULL;
  if (!data) {
    PyErr_SetString(PyExc_TypeError, "Variable data has to be a tensor");
    return -1;
  }
  if (oy_tensor_set_data(of(self), data) == OY_OK) return 0;
  pyoy_raise();
  return -1;
}

static unary_fn g_t = oy_numpy_T, g_mt = oy_mT, g_h = oy_matrix_H, g_mh = oy_mH;

PyGetSetDef pyoy_tensor_getters[] = {
    {"shape", get_shape, NULL, "sizes as a tuple", NULL},
    {"dtype", get_dtype, NULL, NULL, NULL},
    {"device", get_device, NULL, NULL, NULL},
    {"ndim", get_ndim, NULL, NULL, NULL},
    {"requires_grad", get_requires_grad, set_requires_grad, NULL, NULL},
    {"is_leaf", get_is_leaf, NULL, "no recorded operator made it", NULL},
    {"grad_fn", get_grad_fn, NULL, "the node that made it, or None", NULL},
    {"grad", get_grad, set_grad, "the gradient or None", NULL},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {"data", get_data, set_data, "the tensor without its history", NULL},
    {"layout", get_layout, NULL, NULL, NULL},
    {"itemsize", get_itemsize, NULL, "bytes of an element", NULL},
    {"nbytes", get_nbytes, NULL, "bytes of all elements", NULL},
    {"output_nr", get_output_nr, NULL, "which result of grad_fn it is", NULL},
    {"is_cpu", get_is_on, NULL, NULL, (void*)OY_BACKEND_CPU},
    {"is_cuda", get_is_on, NULL, NULL, (void*)OY_BACKEND_CUDA},
    {"is_meta", get_is_on, NULL, NULL, (void*)OY_BACKEND_Meta},
    {"is_sparse", get_never, NULL, NULL, NULL},
    {"is_sparse_csr", get_never, NULL, NULL, NULL},
    {"is_quantized", get_never, NULL, NULL, NULL},
    {"is_nested", get_never, NULL, NULL, NULL},
    {"is_mkldnn", get_never, NULL, NULL, NULL},
    {"T", view, NULL, "all dimensions in reverse order", &g_t},
    {"mT", view, NULL, "the last two dimensions exchanged", &g_mt},
    {"H", view, NULL, "conjugated and transposed", &g_h},
    {"mH", view, NULL, "the last two dimensions exchanged, conjugated", &g_mh},
    {"real", get_real, set_real, NULL, NULL},
    {"imag", get_imag, set_imag, NULL, NULL},
    {"_version", get_version, NULL, "counts in-place changes", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
