// SPDX-License-Identifier: Apache-2.0
// What makes objects of classes with a method __torch_dispatch__ shares with tensors and modes.
#ifndef OPYARD_PYTHON_SRC_HANDLED_H_
#define OPYARD_PYTHON_SRC_HANDLED_H_

#include "library.h"

#define PYOY_DISPATCH "__torch_dispatch__"

// Whether |type| has the method, and not Tensor's, which does nothing.
int pyoy_has_dispatch(PyObject* type);

// ------------------------------------------------------------------ mode.c

// The record of a class of handlers, or of tensors; NULL with an exception.
const oy_tensor_handler* pyoy_record_of(PyObject* type);
// The handler of tensors of a class: asks the method of the class.
oy_status pyoy_handle_class(oy_handler_call* call);

// --------------------------------------------------------------- handled.c

// Of the data of such a handler: the class, borrowed; and its end.
PyTypeObject* pyoy_handled_type(void* data);
void pyoy_handled_drop(void* data);
// |object| goes: its tensor may stay. |is_whole|: its slots still have their values.
void pyoy_handled_leave(PyObject* object, bool is_whole);

// What a tensor without data says of itself.
typedef struct pyoy_wrapper {
  oy_ints sizes, strides;  // no data: contiguous
  int64_t storage_offset;
  oy_dtype dtype;
  oy_device device;
} pyoy_wrapper;
PyObject* pyoy_wrap_wrapper(PyTypeObject* type, const pyoy_wrapper* w);

// ---------------------------------------------------------------- tensor.c

// A new object and nothing else; takes over |tensor|, which may be NULL.
PyObject* pyoy_fill_as(PyTypeObject* type, oy_tensor* tensor);

#endif  // OPYARD_PYTHON_SRC_HANDLED_H_
