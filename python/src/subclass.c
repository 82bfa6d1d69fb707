// SPDX-License-Identifier: Apache-2.0
// Tensors as objects of a class that derives from Tensor: nn.Parameter and the like.
#include "module.h"

#include "opyard/ops.h"

static PyObject* make_subclass(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *type, *data;
  int requires_grad;
  if (!PyArg_ParseTuple(args, "OO!p:make_subclass", &type, pyoy_tensor_type, &data,
                        &requires_grad))
    return NULL;
  if (!PyType_Check(type) || !PyType_IsSubtype((PyTypeObject*)type, pyoy_tensor_type)) {
    PyErr_SetString(PyExc_TypeError, "make_subclass() expects a class of tensors");
    return NULL;
  }
  oy_tensor* tensor = oy_detach(pyoy_unwrap(data));
  if (tensor && requires_grad && !oy_requires_grad_(tensor, true)) {
    oy_tensor_release(tensor);
    tensor = NULL;
  }
  return pyoy_wrap_as((PyTypeObject*)type, tensor);
}

int pyoy_add_subclass(PyObject* module) {
  static PyMethodDef functions[] = {
      {"make_subclass", make_subclass, METH_VARARGS,
       "make_subclass(type, data, requires_grad): a leaf of that class on the same "
       "memory."},
      {NULL, NULL, 0, NULL},
  };
  return PyModule_AddFunctions(module, functions);
}
