// SPDX-License-Identifier: Apache-2.0
// opyard.tensor(): nested lists and numbers as a tensor; and other functions that are
// no operators.
#include "module.h"

#include "tensor_buffer.h"

// The elements row by row, as complex numbers; what is not complex has integers too.
typedef struct literal {
  size_t rank;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  oy_complex* elements;
  int64_t* ints;
  size_t count, capacity;
  oy_dtype kind;  // BOOL, I64, F64 or C128: the widest seen
  bool plain;  // real numbers of Python's own only; all else is an error without a text
} literal;

static int grow(literal* l) {
  if (l->count < l->capacity) return 0;
  size_t capacity = l->capacity ? 2 * l->capacity : 64;
  oy_complex* elements = PyMem_Realloc(l->elements, capacity * sizeof *elements);
  if (elements) l->elements = elements;
  int64_t* ints = elements ? PyMem_Realloc(l->ints, capacity * sizeof *ints) : NULL;
  if (ints) l->ints = ints;
  if (!elements || !ints) {
    PyErr_NoMemory();
    return -1;
  }
  l->capacity = capacity;
  return 0;
}

static void widen(literal* l, oy_dtype kind) {
  static const uint8_t order[OY_DTYPE_LIMIT] = {
      [OY_DTYPE_BOOL] = 1, [OY_DTYPE_I64] = 2, [OY_DTYPE_F64] = 3, [OY_DTYPE_C128] = 4};
  if (l->kind == OY_DTYPE_ANY || order[kind] > order[l->kind]) l->kind = kind;
}

// Of a dtype that is the default one, or follows from the kind. NumPy's numbers inherit from
// Python's, and have dtypes of their own.
static bool is_plain_number(PyObject* object) {
  return PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object);
}

static int add_number(literal* l, PyObject* object) {
  if (l->plain && !is_plain_number(object)) return -1;
  if (grow(l) != 0) return -1;
  oy_complex c = {0, 0};
  int64_t i = 0;
  if (PyBool_Check(object)) {
    widen(l, OY_DTYPE_BOOL);
    i = object == Py_True;
    c.re = (double)i;
  } else if (PyComplex_Check(object)) {
    widen(l, OY_DTYPE_C128);
    c = (oy_complex){PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object)};
  } else if (PyIndex_Check(object)) {
    widen(l, OY_DTYPE_I64);
    i = PyLong_AsLongLong(object);
    c.re = (double)i;
  } else {
    widen(l, OY_DTYPE_F64);
    c.re = PyFloat_AsDouble(object);
  }
  if (PyErr_Occurred()) return -1;
  l->elements[l->count] = c;
  l->ints[l->count++] = i;
  return 0;
}

static int is_list(PyObject* object) {
  return PyList_Check(object) || PyTuple_Check(object);
}

static int add(literal* l, PyObject* object, size_t dim) {
  if (!is_list(object)) {
    if (dim == l->rank) return add_number(l, object);
    PyErr_Format(PyExc_TypeError, "expected a sequence at dim %zd", (Py_ssize_t)dim);
    return -1;
  }
  if (dim >= l->rank) {
    PyErr_SetString(PyExc_TypeError, "must be a number, not a sequence");
    return -1;
  }
  Py_ssize_t size = PySequence_Size(object);
  if (size != l->sizes[dim]) {
    PyErr_Format(PyExc_ValueError,
                 "expected sequence of length %lld at dim %zd (got %zd)",
                 (long long)l->sizes[dim], (Py_ssize_t)dim, size);
    return -1;
  }
  for (Py_ssize_t i = 0; i < size; i++) {
    PyObject* item = PySequence_GetItem(object, i);
    int status = item ? add(l, item, dim + 1) : -1;
    Py_XDECREF(item);
    if (status != 0) return -1;
  }
  return 0;
}

// The shape is that of the first element of each level.
static int find_shape(literal* l, PyObject* object) {
  Py_INCREF(object);
  while (is_list(object) && l->rank < OY_TENSOR_MAX_DIMS) {
    Py_ssize_t size = PySequence_Size(object);
    l->sizes[l->rank++] = size;
    if (size == 0) break;
    PyObject* first = PySequence_GetItem(object, 0);
    Py_DECREF(object);
    if (!first) return -1;
    object = first;
  }
  Py_DECREF(object);
  return 0;
}

static oy_tensor* make(const literal* l, oy_dtype kind) {
  oy_ints sizes = {l->rank ? l->sizes : oy_dims_none().data, l->rank};
  oy_tensor* tensor = oy_tensor_empty(sizes, kind, oy_device_cpu());
  if (!tensor) {
    pyoy_raise();
    return NULL;
  }
  void* data = oy_tensor_data(tensor);
  for (size_t i = 0; i < l->count; i++) {
    if (kind == OY_DTYPE_C128)
      ((oy_complex*)data)[i] = l->elements[i];
    else if (kind == OY_DTYPE_F64)
      ((double*)data)[i] = l->elements[i].re;
    else if (kind == OY_DTYPE_F32)
      ((float*)data)[i] = (float)l->elements[i].re;
    else if (kind == OY_DTYPE_I64)
      ((int64_t*)data)[i] = l->ints[i];
    else
      ((bool*)data)[i] = l->ints[i] != 0;
  }
  return tensor;
}

// Reads |object|, and makes the tensor; |point| is the dtype of numbers with a point.
static oy_tensor* read_literal(PyObject* object, bool plain, oy_dtype point) {
  literal l = {.kind = OY_DTYPE_ANY, .plain = plain};
  oy_tensor* tensor = NULL;
  if (find_shape(&l, object) == 0 && add(&l, object, 0) == 0)
    tensor = make(&l, l.kind == OY_DTYPE_ANY || l.kind == OY_DTYPE_F64 ? point : l.kind);
  PyMem_Free(l.elements);
  PyMem_Free(l.ints);
  return tensor;
}

static PyObject* literal_tensor(PyObject* module, PyObject* object) {
  (void)module;
  oy_tensor* tensor = read_literal(object, false, OY_DTYPE_F64);
  return tensor ? pyoy_wrap(tensor) : NULL;
}

// Whether a mode, or a layer that this thread includes, may want to see tensors made.
static bool is_watched(void) {
  const uint64_t usual = 1ull << OY_KEY_BackendSelect | 1ull << OY_KEY_ADInplaceOrView;
  const oy_keyset included = oy_included_get();
  return (included.functionality & ~usual) != 0 || included.backends != 0;
}

// None for what is not as simple, or wrong: literal() and what is around it know more.
static PyObject* plain_numbers(PyObject* module, PyObject* object) {
  (void)module;
  const oy_dtype point = oy_dtype_default();
  if ((!is_list(object) && !is_plain_number(object)) || is_watched() ||
      (point != OY_DTYPE_F32 && point != OY_DTYPE_F64))
    Py_RETURN_NONE;
  oy_tensor* tensor = read_literal(object, true, point);
  if (tensor) return pyoy_wrap(tensor);
  PyErr_Clear();
  Py_RETURN_NONE;
}

static PyObject* as_strided(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *self, *sizes_object, *strides_object;
  long long offset;
  int64_t sizes_data[OY_TENSOR_MAX_DIMS], strides_data[OY_TENSOR_MAX_DIMS];
  oy_ints sizes, strides;
  if (!PyArg_ParseTuple(args, "O!OOL:as_strided", pyoy_tensor_type, &self, &sizes_object,
                        &strides_object, &offset) ||
      pyoy_ints_from(sizes_object, sizes_data, &sizes) != 0 ||
      pyoy_ints_from(strides_object, strides_data, &strides) != 0)
    return NULL;
  return pyoy_wrap(oy_tensor_as_strided(pyoy_unwrap(self), sizes, strides, offset));
}

PyMethodDef pyoy_make_methods[] = {
    {"as_strided", as_strided, METH_VARARGS,
     "as_strided(tensor, sizes, strides, offset): geometry alone, without a dispatch."},
    {"literal", literal_tensor, METH_O,
     "A tensor of nested lists: bool, int64, float64 or complex128."},
    {"numbers", plain_numbers, METH_O,
     "A tensor of nested lists of numbers in the default dtype, None of anything else."},
    {"from_buffer", pyoy_from_buffer, METH_O,
     "A tensor over the memory of an object with the buffer protocol."},
    {"from_pointer", (PyCFunction)(void (*)(void))pyoy_from_pointer,
     METH_VARARGS | METH_KEYWORDS, "A tensor over memory that an owner keeps alive."},
    {"copy_memory", pyoy_copy_memory, METH_VARARGS,
     "copy_memory(address, count, dtype): a row that holds a copy of memory."},
    {NULL, NULL, 0, NULL},
};
