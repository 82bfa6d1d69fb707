// SPDX-License-Identifier: Apache-2.0
// Python objects as boxed values, by the type that the schema asks for.
#include "module.h"

static const oy_type* plain(const oy_type* type) {
  while (type && type->kind == OY_TYPE_OPTIONAL) type = type->element;
  return type;
}

// An int that the value can hold, from an int or, where |lenient|, from what counts as
// one.
static pyoy_fit from_int(PyObject* object, int lenient, oy_value* out) {
  if (PyLong_CheckExact(object)) {
    long long i = PyLong_AsLongLong(object);
    if (i == -1 && PyErr_Occurred()) return PYOY_ERROR;
    *out = oy_int(i);
    return PYOY_YES;
  }
  if (PyBool_Check(object) && !lenient) return PYOY_NO;
  if (!PyIndex_Check(object)) return PYOY_NO;
  const oy_tensor* tensor = pyoy_unwrap(object);
  if (tensor && (!lenient || oy_tensor_ndim(tensor) > 0 ||
                 !oy_dtype_is_integral(tensor->dtype, lenient)))
    return PYOY_NO;
  PyObject* number = PyNumber_Index(object);
  if (!number) return PYOY_ERROR;
  long long i = PyLong_AsLongLong(number);
  Py_DECREF(number);
  if (i == -1 && PyErr_Occurred()) return PYOY_ERROR;
  *out = oy_int(i);
  return PYOY_YES;
}

static pyoy_fit from_float(PyObject* object, int lenient, oy_value* out) {
  if (PyBool_Check(object) && !lenient) return PYOY_NO;
  if (!PyFloat_Check(object) && !PyLong_Check(object) && !lenient) return PYOY_NO;
  if (pyoy_unwrap(object) && oy_tensor_ndim(pyoy_unwrap(object)) > 0) return PYOY_NO;
  if (PyUnicode_Check(object) || PyComplex_Check(object)) return PYOY_NO;
  double d = PyFloat_AsDouble(object);
  if (d == -1 && PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return PYOY_ERROR;
    PyErr_Clear();
    return PYOY_NO;
  }
  *out = oy_float(d);
  return PYOY_YES;
}

static pyoy_fit from_bool(PyObject* object, int lenient, oy_value* out) {
  if (!PyBool_Check(object) && !(lenient && PyLong_Check(object))) return PYOY_NO;
  int truth = PyObject_IsTrue(object);
  if (truth < 0) return PYOY_ERROR;
  *out = oy_bool(truth != 0);
  return PYOY_YES;
}

static pyoy_fit from_complex(PyObject* object, oy_value* out) {
  oy_complex c = {PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object)};
  if (PyErr_Occurred()) return PYOY_ERROR;
  oy_value value = oy_complex_value(&c);
  if (oy_value_own(&value) != OY_OK) {
    pyoy_raise();
    return PYOY_ERROR;
  }
  *out = value;
  return PYOY_YES;
}

pyoy_fit pyoy_scalar(PyObject* object, int lenient, oy_value* out) {
  if (PyBool_Check(object)) return from_bool(object, 0, out);
  if (PyLong_Check(object)) return from_int(object, 0, out);
  if (PyFloat_Check(object)) return from_float(object, 0, out);
  if (PyComplex_Check(object)) return from_complex(object, out);
  oy_tensor* tensor = pyoy_unwrap(object);
  if (tensor) {
    if (!lenient || oy_tensor_ndim(tensor) != 0) return PYOY_NO;
    PyObject* item = pyoy_item(tensor);
    if (!item) return PYOY_ERROR;
    pyoy_fit fit = pyoy_scalar(item, 0, out);
    Py_DECREF(item);
    return fit;
  }
  // Numbers of other libraries.
  if (PyIndex_Check(object)) return from_int(object, 1, out);
  return from_float(object, 1, out);
}

static pyoy_fit from_str(PyObject* object, oy_value* out) {
  if (!PyUnicode_Check(object)) return PYOY_NO;
  Py_ssize_t size;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  if (!text) return PYOY_ERROR;
  *out = oy_value_str((oy_str){text, (size_t)size});
  return PYOY_YES;
}

// In the widest type of its kind; what it promotes to does not depend on that.
oy_tensor* pyoy_wrapped_number(oy_value number) {
  oy_dtype dtype = number.tag == OY_TAG_BOOL    ? (oy_dtype)OY_DTYPE_BOOL
                   : number.tag == OY_TAG_INT   ? (oy_dtype)OY_DTYPE_I64
                   : number.tag == OY_TAG_FLOAT ? (oy_dtype)OY_DTYPE_F64
                                                : (oy_dtype)OY_DTYPE_C128;
  oy_tensor* tensor = oy_tensor_empty(oy_dims_none(), dtype, oy_device_cpu());
  if (!tensor) return NULL;
  void* data = oy_tensor_data(tensor);
  switch (number.tag) {
    case OY_TAG_BOOL: *(bool*)data = number.as.i != 0; break;
    case OY_TAG_INT: *(int64_t*)data = number.as.i; break;
    case OY_TAG_FLOAT: *(double*)data = number.as.d; break;
    default: *(oy_complex*)data = *number.as.complex_data;
  }
  tensor->flags |= OY_OBJECT_WRAPPED_NUMBER;
  return tensor;
}

oy_tensor* pyoy_number(PyObject* object, pyoy_fit* out_fit) {
  oy_value number;
  *out_fit = PYOY_NO;
  if (!PyFloat_Check(object) && !PyLong_Check(object) && !PyComplex_Check(object) &&
      (!PyIndex_Check(object) || PySequence_Check(object)))
    return NULL;
  *out_fit = pyoy_scalar(object, 0, &number);
  if (*out_fit != PYOY_YES) return NULL;
  oy_tensor* tensor = pyoy_wrapped_number(number);
  oy_value_release(&number);
  if (tensor) return tensor;
  pyoy_raise();
  *out_fit = PYOY_ERROR;
  return NULL;
}

// Lenient: a number becomes a tensor that promotes as the number does.
static pyoy_fit from_tensor(PyObject* object, int lenient, oy_value* out) {
  oy_tensor* tensor = pyoy_unwrap(object);
  if (OY_LIKELY(tensor != NULL)) {
    *out = oy_value_tensor(tensor);
    return PYOY_YES;
  }
  if (!(lenient & PYOY_NUMBERS_AS_TENSORS) || object == Py_None) return PYOY_NO;
  pyoy_fit fit;
  tensor = pyoy_number(object, &fit);
  if (!tensor) return fit;
  *out = oy_value_tensor(tensor);
  out->owned = 1;
  return PYOY_YES;
}

// float, int, bool and complex stand for the dtypes that they are.
static pyoy_fit from_dtype(PyObject* object, oy_value* out) {
  int64_t number;
  if (pyoy_constant_value(object, pyoy_dtype_type, &number))
    *out = oy_int(number);
  else if (object == (PyObject*)&PyFloat_Type)
    *out = oy_int(OY_DTYPE_F64);
  else if (object == (PyObject*)&PyLong_Type)
    *out = oy_int(OY_DTYPE_I64);
  else if (object == (PyObject*)&PyBool_Type)
    *out = oy_int(OY_DTYPE_BOOL);
  else
    return PYOY_NO;
  return PYOY_YES;
}

static pyoy_fit from_generator(PyObject* object, oy_value* out) {
  if (!PyObject_TypeCheck(object, pyoy_generator_type)) return PYOY_NO;
  *out = oy_value_pointer(OY_TAG_GENERATOR, ((pyoy_generator*)object)->generator, 0);
  return PYOY_YES;
}

static pyoy_fit from_constant(PyObject* object, PyTypeObject* type, oy_value* out) {
  int64_t number;
  if (!pyoy_constant_value(object, type, &number)) return PYOY_NO;
  *out = oy_int(number);
  return PYOY_YES;
}

static pyoy_fit from_device(PyObject* object, oy_value* out) {
  oy_device device;
  if (!pyoy_device_value(object, &device)) return PYOY_NO;
  *out = oy_value_device(device);
  return PYOY_YES;
}

// -------------------------------------------------------------------- lists

static oy_tag list_tag(const oy_type* element) {
  switch (plain(element)->kind) {
    case OY_TYPE_TENSOR: return OY_TAG_TENSOR_LIST;
    case OY_TYPE_INT:
    case OY_TYPE_SYMINT: return OY_TAG_INT_LIST;
    case OY_TYPE_FLOAT: return OY_TAG_FLOAT_LIST;
    case OY_TYPE_BOOL: return OY_TAG_BOOL_LIST;
    default: return OY_TAG_LIST;
  }
}

// Takes over |item|.
static pyoy_fit put(oy_value list, Py_ssize_t i, oy_value item) {
  void* data = (void*)(uintptr_t)list.as.bits;
  switch (list.tag) {
    case OY_TAG_INT_LIST: ((int64_t*)data)[i] = item.as.i; return PYOY_YES;
    case OY_TAG_FLOAT_LIST: ((double*)data)[i] = item.as.d; return PYOY_YES;
    case OY_TAG_BOOL_LIST: ((bool*)data)[i] = item.as.i != 0; return PYOY_YES;
    default: break;
  }
  if (!item.owned && oy_value_own(&item) != OY_OK) {
    pyoy_raise();
    return PYOY_ERROR;
  }
  if (list.tag == OY_TAG_TENSOR_LIST)
    ((oy_object**)data)[i] = oy_value_to_tensor(item);
  else
    ((oy_value*)data)[i] = item;
  return PYOY_YES;
}

static pyoy_fit fill(PyObject* sequence, const oy_type* element, int lenient,
                     oy_value list) {
  for (Py_ssize_t i = 0; i < (Py_ssize_t)list.count; i++) {
    PyObject* object = PySequence_GetItem(sequence, i);
    if (!object) return PYOY_ERROR;
    oy_value item = oy_none();
    pyoy_fit fit = pyoy_value_from(object, element, lenient, &item);
    if (fit == PYOY_YES) fit = put(list, i, item);
    Py_DECREF(object);
    if (fit != PYOY_YES) return fit;
  }
  return PYOY_YES;
}

// A number for "int[2]" is both numbers; a Size of NumPy's is no list.
static pyoy_fit from_one(PyObject* object, const oy_type* type, int lenient,
                         oy_value* out) {
  if (type->fixed_size == 0 || type->fixed_size > 64 ||
      list_tag(type->element) == OY_TAG_TENSOR_LIST)
    return PYOY_NO;
  oy_value item;
  pyoy_fit fit = pyoy_value_from(object, type->element, lenient, &item);
  if (fit != PYOY_YES) return fit;
  if (oy_value_new_list(list_tag(type->element), (size_t)type->fixed_size, out) !=
      OY_OK) {
    pyoy_raise();
    return PYOY_ERROR;
  }
  for (int64_t i = 0; fit == PYOY_YES && i < type->fixed_size; i++)
    fit = put(*out, i, item);
  return fit;
}

static pyoy_fit from_list(PyObject* object, const oy_type* type, int lenient,
                          oy_value* out) {
  if (!PyList_Check(object) && !PyTuple_Check(object))
    return from_one(object, type, lenient, out);
  Py_ssize_t size = PySequence_Size(object);
  if (size < 0) return PYOY_ERROR;
  oy_value list;
  if (oy_value_new_list(list_tag(type->element), (size_t)size, &list) != OY_OK) {
    pyoy_raise();
    return PYOY_ERROR;
  }
  pyoy_fit fit = fill(object, type->element, lenient, list);
  if (fit == PYOY_YES)
    *out = list;
  else
    oy_value_release(&list);
  return fit;
}

pyoy_fit pyoy_value_from(PyObject* object, const oy_type* type, int lenient,
                         oy_value* out) {
  *out = oy_none();
  if (type->kind == OY_TYPE_OPTIONAL) {
    if (object == Py_None) return PYOY_YES;
    type = plain(type);
  }
  if (type->kind == OY_TYPE_TENSOR) return from_tensor(object, lenient, out);
  lenient &= PYOY_LENIENT;
  switch (type->kind) {
    case OY_TYPE_INT:
    case OY_TYPE_SYMINT: return from_int(object, lenient, out);
    case OY_TYPE_FLOAT: return from_float(object, lenient, out);
    case OY_TYPE_BOOL: return from_bool(object, lenient, out);
    case OY_TYPE_COMPLEX:
    case OY_TYPE_SCALAR: return pyoy_scalar(object, lenient, out);
    case OY_TYPE_STR:
    case OY_TYPE_DIMNAME: return from_str(object, out);
    case OY_TYPE_SCALAR_TYPE: return from_dtype(object, out);
    case OY_TYPE_GENERATOR: return from_generator(object, out);
    case OY_TYPE_LAYOUT: return from_constant(object, pyoy_layout_type, out);
    case OY_TYPE_MEMORY_FORMAT:
      return from_constant(object, pyoy_memory_format_type, out);
    case OY_TYPE_DEVICE: return from_device(object, out);
    case OY_TYPE_LIST: return from_list(object, type, lenient, out);
    default: return object == Py_None ? PYOY_YES : PYOY_NO;
  }
}
