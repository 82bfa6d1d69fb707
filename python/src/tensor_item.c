// SPDX-License-Identifier: Apache-2.0
// The numbers in a tensor as objects: item, tolist, bool, int, float, complex, index.
#include "tensor_type.h"

static oy_tensor* of(PyObject* self) {
  return ((pyoy_tensor*)self)->tensor;
}

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

PyObject* pyoy_tensor_item(PyObject* self, PyObject* unused) {
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

PyObject* pyoy_tensor_tolist(PyObject* self, PyObject* unused) {
  int64_t index[OY_TENSOR_MAX_DIMS] = {0};
  (void)unused;
  return to_list(of(self), index, 0);
}

// ------------------------------------------------------------------ conversions

int pyoy_tensor_bool(PyObject* self) {
  int64_t count = oy_tensor_numel(of(self));
  if (count != 1) {
    PyErr_SetString(
        PyExc_RuntimeError,
        count == 0 ? "Boolean value of Tensor with no values is ambiguous"
                   : "Boolean value of Tensor with more than one value is ambiguous");
    return -1;
  }
  PyObject* item = pyoy_item(of(self));
  int truth = item ? PyObject_IsTrue(item) : -1;
  Py_XDECREF(item);
  return truth;
}

static PyObject* one_element(PyObject* self) {
  if (oy_tensor_numel(of(self)) == 1) return pyoy_item(of(self));
  PyErr_SetString(PyExc_ValueError,
                  "only one element tensors can be converted to Python scalars");
  return NULL;
}

static PyObject* convert(PyObject* self, PyObject* (*how)(PyObject*)) {
  PyObject* item = one_element(self);
  PyObject* number = item ? how(item) : NULL;
  Py_XDECREF(item);
  return number;
}

PyObject* pyoy_tensor_int(PyObject* self) {
  return convert(self, PyNumber_Long);
}

PyObject* pyoy_tensor_float(PyObject* self) {
  return convert(self, PyNumber_Float);
}

PyObject* pyoy_tensor_index(PyObject* self) {
  const oy_tensor* tensor = of(self);
  if (oy_tensor_numel(tensor) == 1 && oy_dtype_is_integral(tensor->dtype, true))
    return convert(self, PyNumber_Long);
  PyErr_SetString(
      PyExc_TypeError,
      "only integer tensors of a single element can be converted to an index");
  return NULL;
}

PyObject* pyoy_tensor_complex(PyObject* self, PyObject* unused) {
  (void)unused;
  PyObject* item = one_element(self);
  PyObject* number =
      item ? PyObject_CallFunctionObjArgs((PyObject*)&PyComplex_Type, item, NULL) : NULL;
  Py_XDECREF(item);
  return number;
}
