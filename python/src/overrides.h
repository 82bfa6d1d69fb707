// SPDX-License-Identifier: Apache-2.0
// Classes with a method __torch_function__, which is asked instead of an operator.
#ifndef OPYARD_PYTHON_SRC_OVERRIDES_H_
#define OPYARD_PYTHON_SRC_OVERRIDES_H_

#include "module.h"

// Types of one call that are asked, at most; attributes of Tensor.
enum { PYOY_OVERLOADED = 64, PYOY_GETTERS = 64 };

// What most arguments are: not to be looked at again.
static inline bool pyoy_is_plain(PyObject* object) {
  const PyTypeObject* type = Py_TYPE(object);
  return type == pyoy_tensor_type || type == &PyFloat_Type || type == &PyLong_Type ||
         type == &PyBool_Type || object == Py_None || type == pyoy_dtype_type ||
         type == pyoy_size_type || type == &PyUnicode_Type || type == &PySlice_Type;
}

// Whether the class of |object| is to be asked; leaves no exception.
bool pyoy_overrides_slow(PyObject* object);
static inline bool pyoy_overrides(PyObject* object) {
  return OY_UNLIKELY(!pyoy_is_plain(object)) && pyoy_overrides_slow(object);
}
// The same of any of |values|, or of what lists and tuples among them hold.
bool pyoy_any_overrides(PyObject* const* values, Py_ssize_t count);

// What the classes answer: |count| values, and after them those of |names|, which may be
// NULL. NotImplemented from all of them is PyTorch's TypeError about torch.|name|; it is
// given back if |name| is NULL.
PyObject* pyoy_override(PyObject* function, const char* name, PyObject* const* values,
                        Py_ssize_t count, PyObject* names);
// By the name of a method of Tensor.
PyObject* pyoy_override_sign(const char* name, PyObject* a, PyObject* b);
PyObject* pyoy_override_method(const char* name, PyObject* const* values,
                               Py_ssize_t count);

// Attributes that ask first; made once, of the one table of Tensor.
PyGetSetDef* pyoy_overridable(PyGetSetDef* own);

#endif  // OPYARD_PYTHON_SRC_OVERRIDES_H_
