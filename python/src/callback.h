// SPDX-License-Identifier: Apache-2.0
// Python functions that the library calls: tensors in, tensors out, exceptions kept.
#ifndef OPYARD_PYTHON_SRC_CALLBACK_H_
#define OPYARD_PYTHON_SRC_CALLBACK_H_

#include "module.h"

// A tuple of new objects for |tensors|; None for NULL.
PyObject* pyoy_tensors_tuple(oy_tensor* const* tensors, size_t count);
// New references to the tensors of a sequence of exactly |count|; None is NULL. -1 with an
// exception, and then out[0..count) are NULL.
int pyoy_tensors_take(PyObject* sequence, size_t count, oy_tensor** out);
// fn(*inputs) gives the outputs: an oy_transform_fn; |data| is the function.
oy_status pyoy_transform(void* data, oy_tensor* const* inputs, size_t count,
                         oy_tensor** outputs, size_t output_count);
// Gives up a reference of any thread: a |destroy|.
void pyoy_drop(void* object);
// A list of tensors from a sequence of Python's, borrowed from |out_list|, which is new.
// Freed with PyMem_Free. -1 with an exception.
int pyoy_tensors_borrow(PyObject* sequence, PyObject** out_list, oy_tensor*** out_tensors,
                        size_t* out_count);

#endif  // OPYARD_PYTHON_SRC_CALLBACK_H_
