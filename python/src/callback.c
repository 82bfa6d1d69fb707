// SPDX-License-Identifier: Apache-2.0
#include "callback.h"

PyObject* pyoy_tensors_tuple(oy_tensor* const* tensors, size_t count) {
  PyObject* tuple = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; tuple && i < count; i++) {
    PyObject* item = tensors[i] && !oy_object_is_none(tensors[i])
                         ? pyoy_wrap(oy_tensor_retain(tensors[i]))
                         : Py_NewRef(Py_None);
    if (!item || PyTuple_SetItem(tuple, (Py_ssize_t)i, item) != 0) Py_CLEAR(tuple);
  }
  return tuple;
}

static int take_one(PyObject* item, oy_tensor** out) {
  *out = item == Py_None ? NULL : pyoy_unwrap(item);
  if (*out) oy_tensor_retain(*out);
  if (*out || item == Py_None) return 0;
  PyErr_Format(PyExc_TypeError, "expected a Tensor or None, got %R",
               (PyObject*)Py_TYPE(item));
  return -1;
}

int pyoy_tensors_take(PyObject* sequence, size_t count, oy_tensor** out) {
  memset(out, 0, count * sizeof(*out));
  Py_ssize_t size = PySequence_Size(sequence);
  if (size < 0) return -1;
  if ((size_t)size != count) {
    PyErr_Format(PyExc_RuntimeError, "expected %zu tensors, got %zd", count, size);
    return -1;
  }
  int status = 0;
  for (size_t i = 0; status == 0 && i < count; i++) {
    PyObject* item = PySequence_GetItem(sequence, (Py_ssize_t)i);
    status = item ? take_one(item, &out[i]) : -1;
    Py_XDECREF(item);
  }
  for (size_t i = 0; status != 0 && i < count; i++) {
    oy_tensor_release(out[i]);
    out[i] = NULL;
  }
  return status;
}

oy_status pyoy_transform(void* data, oy_tensor* const* inputs, size_t count,
                         oy_tensor** outputs, size_t output_count) {
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject* args = pyoy_tensors_tuple(inputs, count);
  PyObject* result = args ? PyObject_Call(data, args, NULL) : NULL;
  int failed = !result || pyoy_tensors_take(result, output_count, outputs) != 0;
  for (size_t i = 0; !failed && i < output_count; i++) {
    if (outputs[i]) continue;
    PyErr_SetString(PyExc_TypeError, "expected the function to return Tensors, got None");
    for (size_t k = 0; k < output_count; k++) {
      oy_tensor_release(outputs[k]);
      outputs[k] = NULL;
    }
    failed = 1;
  }
  oy_status status = failed ? pyoy_record_exception() : OY_OK;
  Py_XDECREF(args);
  Py_XDECREF(result);
  PyGILState_Release(state);
  return status;
}

void pyoy_drop(void* object) {
  if (!Py_IsInitialized()) return;
  PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF((PyObject*)object);
  PyGILState_Release(state);
}

int pyoy_tensors_borrow(PyObject* sequence, PyObject** out_list, oy_tensor*** out_tensors,
                        size_t* out_count) {
  *out_tensors = NULL;
  *out_count = 0;
  *out_list = PySequence_List(sequence);
  if (!*out_list) return -1;
  Py_ssize_t count = PyList_Size(*out_list);
  oy_tensor** tensors = PyMem_Calloc((size_t)count + 1, sizeof(*tensors));
  if (!tensors) PyErr_NoMemory();
  for (Py_ssize_t i = 0; tensors && i < count; i++) {
    PyObject* item = PyList_GetItem(*out_list, i);
    tensors[i] = item == Py_None ? &oy_none_object : pyoy_unwrap(item);
    if (tensors[i]) continue;
    PyErr_Format(PyExc_TypeError, "expected a Tensor, got %R", (PyObject*)Py_TYPE(item));
    PyMem_Free(tensors);
    tensors = NULL;
  }
  if (!tensors) {
    Py_CLEAR(*out_list);
    return -1;
  }
  *out_tensors = tensors;
  *out_count = (size_t)count;
  return 0;
}
