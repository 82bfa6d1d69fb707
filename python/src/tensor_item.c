// SPDX-License-Identifier: Apache-2.0
// The numbers in a tensor as objects: item, tolist, bool, int, float, complex, index.
#include "opyard/ops.h"
#include "tensor_type.h"

static oy_tensor* of(PyObject* self) {
  return ((pyoy_tensor*)self)->tensor;
}

static PyObject* element(const oy_tensor* tensor, const int64_t* index, bool is_bits) {
  oy_scalar scalar;
  oy_ints at = {index, (size_t)oy_tensor_ndim(tensor)};
  if (oy_tensor_get(tensor, at, &scalar) != OY_OK) return pyoy_raise();
  if (OY_UNLIKELY(is_bits)) return PyLong_FromUnsignedLongLong((uint64_t)scalar.as.i);
  PyObject* result = pyoy_value_to(scalar, NULL);
  oy_value_release(&scalar);
  return result;
}

// A scalar holds no number above 2^63 - 1, so uint64 is read as the int64 of its bits. New.
static oy_tensor* bits_of(const oy_tensor* tensor) {
  return oy_view_dtype((oy_tensor*)(uintptr_t)tensor, OY_DTYPE_I64);
}

static PyObject* wide_item(const oy_tensor* tensor, const int64_t* index) {
  oy_tensor* bits = bits_of(tensor);
  if (!bits) return pyoy_raise();
  PyObject* result = element(bits, index, true);
  oy_object_release(bits);
  return result;
}

// Of a tensor with a handler the operator is called.
static PyObject* ask_for_item(const oy_tensor* tensor) {
  oy_value item;
  if (oy_item((oy_tensor*)(uintptr_t)tensor, &item) != OY_OK) return pyoy_raise();
  PyObject* number = pyoy_value_to(item, NULL);
  oy_value_release(&item);
  return number;
}

PyObject* pyoy_item(const oy_tensor* tensor) {
  static const int64_t zeros[OY_TENSOR_MAX_DIMS];
  int64_t count = oy_tensor_numel(tensor);
  if (OY_UNLIKELY(pyoy_has_handler(tensor))) return ask_for_item(tensor);
  if (OY_UNLIKELY(count == 1 && tensor->dtype == OY_DTYPE_U64))
    return wide_item(tensor, zeros);
  if (count == 1) return element(tensor, zeros, false);
  PyErr_Format(PyExc_RuntimeError,
               "a Tensor with %lld elements cannot be converted to Scalar",
               (long long)count);
  return NULL;
}

PyObject* pyoy_tensor_item(PyObject* self, PyObject* unused) {
  (void)unused;
  return pyoy_item(of(self));
}

// Whether elements lie in memory as they are read.
static bool is_plain(const oy_tensor* tensor) {
  const unsigned long long turned = 1ull << OY_KEY_Conjugate | 1ull << OY_KEY_Negative;
  return (tensor->keys.functionality & turned) == 0 &&
         oy_tensor_device(tensor).backend == OY_BACKEND_CPU;
}

// |n| elements from |at| on, |step| bytes apart, of the dtypes that nearly all lists are of.
// NULL without an exception: of another one.
static PyObject* row_of(oy_dtype dtype, const char* at, int64_t n, int64_t step) {
  if (dtype != OY_DTYPE_F32 && dtype != OY_DTYPE_F64 && dtype != OY_DTYPE_I64)
    return NULL;
  PyObject* list = PyList_New((Py_ssize_t)n);
  for (int64_t i = 0; list && i < n; i++, at += step) {
    float single;
    double twice;
    int64_t whole;
    PyObject* item;
    switch (dtype) {
      case OY_DTYPE_F32:
        memcpy(&single, at, sizeof(single));
        item = PyFloat_FromDouble((double)single);
        break;
      case OY_DTYPE_F64:
        memcpy(&twice, at, sizeof(twice));
        item = PyFloat_FromDouble(twice);
        break;
      default: memcpy(&whole, at, sizeof(whole)); item = PyLong_FromLongLong(whole);
    }
    if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) != 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject* last_row(const oy_tensor* tensor, const int64_t* index, size_t dim) {
  const char* at = oy_tensor_data(tensor);
  const int64_t item = (int64_t)oy_dtype_size(tensor->dtype);
  const oy_ints strides = oy_tensor_strides(tensor);
  if (!at || !is_plain(tensor)) return NULL;
  for (size_t d = 0; d < dim; d++) at += index[d] * strides.data[d] * item;
  return row_of(tensor->dtype, at, oy_tensor_sizes(tensor).data[dim],
                strides.data[dim] * item);
}

static PyObject* to_list(const oy_tensor* tensor, int64_t* index, size_t dim,
                         bool is_bits) {
  oy_ints sizes = oy_tensor_sizes(tensor);
  if (dim == sizes.size) return element(tensor, index, is_bits);
  if (dim + 1 == sizes.size && !is_bits) {
    PyObject* row = last_row(tensor, index, dim);
    if (row || PyErr_Occurred()) return row;
  }
  PyObject* list = PyList_New((Py_ssize_t)sizes.data[dim]);
  for (index[dim] = 0; list && index[dim] < sizes.data[dim]; index[dim]++) {
    PyObject* item = to_list(tensor, index, dim + 1, is_bits);
    if (!item || PyList_SetItem(list, (Py_ssize_t)index[dim], item) != 0) Py_CLEAR(list);
  }
  return list;
}

PyObject* pyoy_tensor_tolist(PyObject* self, PyObject* unused) {
  int64_t index[OY_TENSOR_MAX_DIMS] = {0};
  (void)unused;
  if (pyoy_has_handler(of(self))) {
    PyErr_SetString(PyExc_RuntimeError,
                    ".tolist() is not supported for tensor subclasses.");
    return NULL;
  }
  if (of(self)->dtype != OY_DTYPE_U64) return to_list(of(self), index, 0, false);
  oy_tensor* bits = bits_of(of(self));
  if (!bits) return pyoy_raise();
  PyObject* list = to_list(bits, index, 0, true);
  oy_object_release(bits);
  return list;
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
