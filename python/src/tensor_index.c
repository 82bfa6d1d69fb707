// SPDX-License-Identifier: Apache-2.0
// x[...] and x[...] = y, as PyTorch has them: numbers, slices, None and Ellipsis make views,
// one step an item; tensors, masks and lists among them are collected, and read or written at
// once in the end.
#include "overrides.h"
#include "tensor_type.h"

enum { ITEMS_MAX = OY_TENSOR_MAX_DIMS };

// What x[key] has come to so far. |view| is owned; NULL stands for |self| itself.
typedef struct indexing {
  oy_tensor *self, *view;
  int64_t dim;                    // which the next item is for
  int64_t item;                   // how many items came before it
  oy_object* indices[ITEMS_MAX];  // of view's dimensions; owned, or None
  size_t index_count;
  bool has_indices;
} indexing;

static oy_tensor* current(const indexing* x) {
  return x->view ? x->view : x->self;
}

// Takes over |next|.
static int step_to(indexing* x, oy_tensor* next) {
  if (!next) {
    pyoy_raise();
    return -1;
  }
  oy_tensor_release(x->view);
  x->view = next;
  return 0;
}

static void end(indexing* x) {
  oy_tensor_release(x->view);
  for (size_t i = 0; i < x->index_count; i++)
    if (!oy_object_is_none(x->indices[i])) oy_tensor_release(x->indices[i]);
}

// ------------------------------------------------------------------------ items

static int apply_int(indexing* x, int64_t i) {
  oy_tensor* tensor = current(x);
  int64_t ndim = oy_tensor_ndim(tensor);
  if (ndim == 0) {
    PyErr_SetString(PyExc_IndexError,
                    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
                    "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number");
    return -1;
  }
  int64_t size = oy_tensor_sizes(tensor).data[x->dim];
  if (i < -size || i >= size) {
    PyErr_Format(PyExc_IndexError,
                 "index %lld is out of bounds for dimension %lld with size %lld",
                 (long long)i, (long long)x->item, (long long)size);
    return -1;
  }
  return step_to(x, oy_select_int(tensor, x->dim, i));
}

static int apply_slice(indexing* x, PyObject* slice) {
  Py_ssize_t start, stop, step;
  if (PySlice_Unpack(slice, &start, &stop, &step) != 0) return -1;
  if (step <= 0) {
    PyErr_SetString(PyExc_ValueError, "step must be greater than zero");
    return -1;
  }
  if (oy_tensor_ndim(current(x)) == 0) {
    PyErr_SetString(PyExc_IndexError, "slice() cannot be applied to a 0-dim tensor.");
    return -1;
  }
  x->dim++;
  // None stands for the ends.
  if (start == 0 && stop == PY_SSIZE_T_MAX && step == 1) return 0;
  return step_to(
      x, oy_slice_Tensor(current(x), x->dim - 1, oy_int(start), oy_int(stop), step));
}

static int apply_none(indexing* x) {
  if (step_to(x, oy_unsqueeze(current(x), x->dim)) != 0) return -1;
  x->dim++;
  return 0;
}

// Takes over |index|, for the dimension that is next.
static int add_index(indexing* x, oy_tensor* index) {
  if (!index) {
    pyoy_raise();
    return -1;
  }
  if (x->dim >= ITEMS_MAX) {
    oy_tensor_release(index);
    PyErr_SetString(PyExc_IndexError, "expected at most 64 dimensions");
    return -1;
  }
  while (x->index_count <= (size_t)x->dim) x->indices[x->index_count++] = &oy_none_object;
  x->indices[x->dim++] = index;
  x->has_indices = true;
  return 0;
}

// True keeps everything, False nothing, in a dimension of its own.
static int apply_bool(indexing* x, bool truth) {
  int64_t one = truth, zero = 0;
  if (step_to(x, oy_unsqueeze(current(x), x->dim)) != 0) return -1;
  return add_index(x, oy_tensor_from_data(&zero, (oy_ints){&one, 1}, OY_DTYPE_I64));
}

static int apply_tensor(indexing* x, PyObject* object) {
  oy_tensor* index = pyoy_unwrap(object);
  if (oy_tensor_ndim(index) > 0 || !oy_dtype_is_integral(index->dtype, true) ||
      oy_batched_value(index))
    return add_index(x, oy_tensor_retain(index));
  PyObject* number = pyoy_item(index);
  long long i = number ? PyLong_AsLongLong(number) : 0;
  Py_XDECREF(number);
  if (!number || (i == -1 && PyErr_Occurred())) return -1;
  if (index->dtype == OY_DTYPE_BOOL || index->dtype == OY_DTYPE_U8)
    return apply_bool(x, i != 0);
  return apply_int(x, i);
}

// [0, 2], [[True, False]], an array of NumPy: a tensor of those numbers.
static PyObject* g_to_index;  // opyard/_tensor.py sets it

static int apply_sequence(indexing* x, PyObject* sequence) {
  PyObject* tensor = PyObject_CallFunctionObjArgs(g_to_index, sequence, NULL);
  if (!tensor) return -1;
  int status = apply_tensor(x, tensor);
  Py_DECREF(tensor);
  return status;
}

static bool is_numpy_scalar(PyObject* object) {
  return PyIndex_Check(object) && !PySequence_Check(object);
}

static int refuse(PyObject* item) {
  PyObject* name = pyoy_type_name(Py_TYPE(item));
  if (name)
    PyErr_Format(PyExc_IndexError,
                 "only integers, slices (`:`), ellipsis (`...`), None and long or byte "
                 "Variables are valid indices (got %U)",
                 name);
  Py_XDECREF(name);
  return -1;
}

static int apply_number(indexing* x, PyObject* item) {
  PyObject* number = PyNumber_Index(item);
  if (!number) return -1;
  long long i = PyLong_AsLongLong(number);
  Py_DECREF(number);
  if (i == -1 && PyErr_Occurred()) return -1;
  return apply_int(x, i);
}

static int apply_item(indexing* x, PyObject* item, int64_t skipped) {
  if (item == Py_Ellipsis) {
    x->dim += skipped;
    return 0;
  }
  if (item == Py_None) return apply_none(x);
  if (PyBool_Check(item)) return apply_bool(x, item == Py_True);
  if (PyLong_Check(item)) return apply_number(x, item);
  if (PySlice_Check(item)) return apply_slice(x, item);
  if (pyoy_unwrap(item)) return apply_tensor(x, item);
  if (is_numpy_scalar(item)) return apply_number(x, item);
  if (PySequence_Check(item) && !PyUnicode_Check(item)) return apply_sequence(x, item);
  return refuse(item);
}

// ------------------------------------------------------------------------- keys

// How many dimensions the items are for: masks have several.
static int64_t count_dims(PyObject* items) {
  int64_t count = 0;
  for (Py_ssize_t i = 0; i < PyTuple_Size(items); i++) {
    PyObject* item = PyTuple_GetItem(items, i);
    const oy_tensor* tensor = pyoy_unwrap(item);
    if (tensor)
      count += tensor->dtype == OY_DTYPE_BOOL || tensor->dtype == OY_DTYPE_U8
                   ? oy_tensor_ndim(tensor)
                   : 1;
    else if (item != Py_None && item != Py_Ellipsis && !PyBool_Check(item))
      count++;
  }
  return count;
}

static int apply_items(indexing* x, PyObject* items) {
  int64_t used = count_dims(items), ndim = oy_tensor_ndim(x->self);
  if (used > ndim) {
    PyErr_Format(PyExc_IndexError, "too many indices for tensor of dimension %lld",
                 (long long)ndim);
    return -1;
  }
  for (x->item = 0; x->item < PyTuple_Size(items); x->item++)
    if (apply_item(x, PyTuple_GetItem(items, x->item), ndim - used) != 0) return -1;
  return 0;
}

// PyTorch takes a short list with anything but numbers in it for a tuple.
static int is_like_tuple(PyObject* key) {
  if (PyTuple_Check(key)) return 1;
  if (pyoy_unwrap(key) || !PyList_Check(key) || PyList_Size(key) >= 32) return 0;
  for (Py_ssize_t i = 0; i < PyList_Size(key); i++) {
    PyObject* item = PyList_GetItem(key, i);
    if (pyoy_unwrap(item) || item == Py_None || item == Py_Ellipsis ||
        PySlice_Check(item) || (PySequence_Check(item) && !PyUnicode_Check(item)))
      return 1;
  }
  return 0;
}

static int apply_key(indexing* x, PyObject* key) {
  PyObject* items = is_like_tuple(key) ? PySequence_Tuple(key) : PyTuple_Pack(1, key);
  int status = items ? apply_items(x, items) : -1;
  Py_XDECREF(items);
  return status;
}

// -------------------------------------------------------------------------- get

static PyObject* get_by_indices(indexing* x) {
  oy_tensor* result;
  oy_tensors indices = {x->indices, x->index_count};
  Py_BEGIN_ALLOW_THREADS;
  result = oy_index_Tensor(current(x), indices);
  Py_END_ALLOW_THREADS;
  return pyoy_wrap(result);
}

// The tensor itself comes as another tensor over the same memory.
static oy_tensor* alias(oy_tensor* self) {
  if (oy_tensor_ndim(self) == 0) return oy_expand(self, oy_dims_none(), false);
  return oy_slice_Tensor(self, 0, oy_none(), oy_none(), 1);
}

static PyObject* get_view(indexing* x) {
  if (!x->view) return pyoy_wrap(alias(x->self));
  oy_tensor* view = x->view;
  x->view = NULL;
  return pyoy_wrap(view);
}

// x[i], which loops are made of.
static PyObject* get_slice(oy_tensor* self, int64_t i) {
  int64_t size = oy_tensor_sizes(self).data[0];
  return i >= -size && i < size ? pyoy_wrap(oy_select_int(self, 0, i)) : NULL;
}

PyObject* pyoy_tensor_get(PyObject* self, PyObject* key) {
  PyObject* values[] = {self, key};
  if (OY_UNLIKELY(pyoy_any_overrides(values, 2)))
    return pyoy_override_method("__getitem__", values, 2);
  if (PyLong_CheckExact(key) && oy_tensor_ndim(pyoy_unwrap(self)) > 0) {
    int overflow;
    long long i = PyLong_AsLongLongAndOverflow(key, &overflow);
    PyObject* slice = overflow ? NULL : get_slice(pyoy_unwrap(self), i);
    if (slice || PyErr_Occurred()) return slice;
  }
  indexing x = {.self = pyoy_unwrap(self)};
  PyObject* result = NULL;
  int status = PyLong_CheckExact(key) ? apply_number(&x, key) : apply_key(&x, key);
  if (status == 0) result = x.has_indices ? get_by_indices(&x) : get_view(&x);
  end(&x);
  return result;
}

// -------------------------------------------------------------------------- set

// |sizes| without leading ones.
static oy_ints without_ones(oy_ints sizes) {
  size_t first = 0;
  while (first < sizes.size && sizes.data[first] == 1) first++;
  return (oy_ints){sizes.data + first, sizes.size - first};
}

static bool same_dims(oy_ints a, oy_ints b) {
  return a.size == b.size &&
         (a.size == 0 || memcmp(a.data, b.data, a.size * sizeof(*a.data)) == 0);
}

// A view of |value| without leading ones: it may have more dimensions than the target.
static oy_tensor* trimmed(oy_tensor* value) {
  oy_ints sizes = oy_tensor_sizes(value), rest = without_ones(sizes);
  if (rest.size == sizes.size) return oy_tensor_retain(value);
  return oy_view(value, rest);
}

// A value of these sizes stays as it is, as the one that x[i] += y writes back must: its
// strides say that it lies there already.
static oy_tensor* as_large(oy_tensor* value, oy_ints sizes) {
  if (same_dims(sizes, oy_tensor_sizes(value))) return oy_tensor_retain(value);
  oy_tensor* source = trimmed(value);
  oy_tensor* wide = source ? oy_expand(source, sizes, false) : NULL;
  oy_tensor_release(source);
  return wide;
}

static int copy_to(oy_tensor* target, oy_tensor* value) {
  oy_tensor* wide = as_large(value, oy_tensor_sizes(target));
  oy_tensor* done = NULL;
  if (wide) {
    Py_BEGIN_ALLOW_THREADS;
    done = oy_copy_(target, wide, false);
    Py_END_ALLOW_THREADS;
  }
  oy_tensor_release(wide);
  if (done) return 0;
  pyoy_raise();
  return -1;
}

static int put(indexing* x, oy_tensor* value) {
  oy_tensor* source = trimmed(value);
  oy_tensor* done = NULL;
  oy_tensors indices = {x->indices, x->index_count};
  if (source) {
    Py_BEGIN_ALLOW_THREADS;
    done = oy_index_put_(current(x), indices, source, false);
    Py_END_ALLOW_THREADS;
  }
  oy_tensor_release(source);
  if (done) return 0;
  pyoy_raise();
  return -1;
}

// A uint64 above 2^63 - 1 is in no scalar: the int64 with its bits.
static bool as_bits(const oy_tensor* self, PyObject* value, oy_scalar* out_bits) {
  int overflow = 0;
  if (self->dtype != OY_DTYPE_U64 || !PyLong_Check(value)) return false;
  PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow <= 0) return false;
  *out_bits = oy_int((int64_t)PyLong_AsUnsignedLongLong(value));
  if (!PyErr_Occurred()) return true;
  PyErr_Clear();
  return false;
}

// A number as a tensor of the target's dtype and device.
static oy_tensor* number_like(oy_tensor* self, PyObject* value) {
  oy_scalar scalar;
  bool is_bits = as_bits(self, value, &scalar);
  pyoy_fit fit = is_bits ? PYOY_YES : pyoy_scalar(value, 0, &scalar);
  if (fit != PYOY_YES) return NULL;
  oy_dtype dtype = is_bits ? (oy_dtype)OY_DTYPE_I64 : self->dtype;
  oy_tensor* tensor =
      oy_scalar_tensor(scalar, oy_int(dtype), oy_none(),
                       oy_value_device(oy_tensor_device(self)), oy_none());
  oy_value_release(&scalar);
  if (tensor && is_bits) {
    oy_tensor* bits = tensor;
    tensor = oy_view_dtype(bits, OY_DTYPE_U64);
    oy_tensor_release(bits);
  }
  if (!tensor) pyoy_raise();
  return tensor;
}

static oy_tensor* read_value(PyObject* object, PyObject* value) {
  oy_tensor *self = pyoy_unwrap(object), *tensor = pyoy_unwrap(value);
  if (tensor) return oy_tensor_retain(tensor);
  if (PyLong_Check(value) || PyFloat_Check(value) || PyComplex_Check(value))
    return number_like(self, value);
  PyObject* name = pyoy_type_name(Py_TYPE(value));
  if (name)
    PyErr_Format(PyExc_TypeError, "can't assign a %U to a torch.%sTensor", name,
                 oy_dtype_pytorch_name(self->dtype));
  Py_XDECREF(name);
  return NULL;
}

int pyoy_tensor_set(PyObject* self, PyObject* key, PyObject* value) {
  if (!value) {
    PyErr_SetString(PyExc_TypeError, "Tensor does not support deleting items");
    return -1;
  }
  PyObject* values[] = {self, key, value};
  if (OY_UNLIKELY(pyoy_any_overrides(values, 3))) {
    PyObject* answer = pyoy_override_method("__setitem__", values, 3);
    Py_XDECREF(answer);
    return answer ? 0 : -1;
  }
  oy_tensor* source = read_value(self, value);
  if (!source) return -1;
  if (key == Py_False) {  // nothing is chosen, whatever the value's shape is
    oy_tensor_release(source);
    return 0;
  }
  indexing x = {.self = pyoy_unwrap(self)};
  int status = PyLong_CheckExact(key) ? apply_number(&x, key) : apply_key(&x, key);
  if (status == 0)
    status = x.has_indices ? put(&x, source) : copy_to(current(&x), source);
  end(&x);
  oy_tensor_release(source);
  return status;
}

PyObject* pyoy_set_to_index(PyObject* module, PyObject* maker) {
  (void)module;
  PyObject* before = g_to_index;
  g_to_index = Py_NewRef(maker);
  Py_XDECREF(before);
  return Py_NewRef(Py_None);
}
