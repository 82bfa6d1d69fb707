// SPDX-License-Identifier: Apache-2.0
// The buffer protocol, both ways: no element is copied.
#ifndef OPYARD_PYTHON_SRC_TENSOR_BUFFER_H_
#define OPYARD_PYTHON_SRC_TENSOR_BUFFER_H_

#include "module.h"

int pyoy_tensor_getbuffer(PyObject* self, Py_buffer* view, int flags);
void pyoy_tensor_releasebuffer(PyObject* self, Py_buffer* view);
// A tensor over the memory of an object that has the protocol, which it keeps.
PyObject* pyoy_from_buffer(PyObject* module, PyObject* object);
// from_pointer(address, nbytes, dtype, sizes, strides, offset, owner): a tensor over
// memory that |owner|, any object, keeps alive; sizes and offset count elements.
PyObject* pyoy_from_pointer(PyObject* module, PyObject* args, PyObject* kwargs);
// copy_memory(address, count, dtype): a row of its own.
PyObject* pyoy_copy_memory(PyObject* module, PyObject* args);

#endif  // OPYARD_PYTHON_SRC_TENSOR_BUFFER_H_
