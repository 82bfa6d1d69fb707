// SPDX-License-Identifier: Apache-2.0
// What the files of the extension share. Everything is on the limited API of Python
// 3.11, so that one build serves every later version.
//
// Functions that return a PyObject* or -1 leave a Python exception behind on failure.
#ifndef OPYARD_PYTHON_SRC_MODULE_H_
#define OPYARD_PYTHON_SRC_MODULE_H_

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include "opyard/opyard.h"

// A counted reference to a tensor, which it holds; never NULL once it is made.
typedef struct pyoy_tensor {
  PyObject base;
  oy_tensor* tensor;
} pyoy_tensor;

// dtype, layout and memory_format: a number with a name. One object each.
typedef struct pyoy_constant {
  PyObject base;
  int64_t value;
  const char* name;
} pyoy_constant;

typedef struct pyoy_device {
  PyObject base;
  oy_device device;
} pyoy_device;

// One overload of an operator. Operators live as long as the registry.
typedef struct pyoy_op {
  PyObject base;
  const oy_op* op;
} pyoy_op;

extern PyTypeObject *pyoy_tensor_type, *pyoy_dtype_type, *pyoy_layout_type,
    *pyoy_memory_format_type, *pyoy_device_type, *pyoy_op_type;

// Make the types and what belongs to them, and add them to |module|. 0, or -1.
int pyoy_add_constants(PyObject* module);
int pyoy_add_device(PyObject* module);
int pyoy_add_tensor(PyObject* module);
int pyoy_add_op(PyObject* module);
int pyoy_add_autograd(PyObject* module);
extern PyMethodDef pyoy_make_methods[];

// ------------------------------------------------------------------ errors

// Raises what the thread's error record says; NULL. A kernel's INVALID_ARGUMENT is
// opyard.ArgumentError: a RuntimeError, as PyTorch's checks raise, and a ValueError.
PyObject* pyoy_raise(void);
int pyoy_add_errors(PyObject* module);

// ------------------------------------------------------------------- values

// Takes over |tensor|; NULL raises the pending error.
PyObject* pyoy_wrap(oy_tensor* tensor);
// The tensor inside, borrowed; NULL, without an exception, if it is no Tensor.
oy_tensor* pyoy_unwrap(PyObject* object);
// The object of a dtype, new reference.
PyObject* pyoy_dtype(oy_dtype dtype);
// 1 and the number if |object| is a constant of |type|.
int pyoy_constant_value(PyObject* object, PyTypeObject* type, int64_t* out_value);
PyObject* pyoy_device_object(oy_device device);
// 1 if |object| is a device or a text that names one, else 0, without an exception.
int pyoy_device_value(PyObject* object, oy_device* out_device);

typedef enum pyoy_fit {
  PYOY_ERROR = -1,  // an exception is set
  PYOY_NO = 0,      // not a value of that type; no exception
  PYOY_YES = 1
} pyoy_fit;

// The value of |object| as |type|, borrowed from it where that is possible. Strict:
// what PyTorch's argument parser takes. Lenient: besides, numbers where tensors are
// wanted, tensors without dimensions where numbers are, True for 1.
pyoy_fit pyoy_value_from(PyObject* object, const oy_type* type, int lenient,
                         oy_value* out_value);
// The number in a tensor of one element; NULL if it is not one.
PyObject* pyoy_item(const oy_tensor* tensor);
// |type| tells a dtype from the number that stands for it; may be NULL.
PyObject* pyoy_value_to(oy_value value, const oy_type* type);

// |sequence| as up to 64 numbers, kept in |numbers|. 0, or -1.
int pyoy_ints_from(PyObject* sequence, int64_t* numbers, oy_ints* out_ints);

#endif  // OPYARD_PYTHON_SRC_MODULE_H_
