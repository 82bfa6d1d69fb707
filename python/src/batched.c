// SPDX-License-Identifier: Apache-2.0
// What a batching rule in Python needs: the parts of batched tensors, and the layer.
#include "library.h"

static oy_tensor* tensor_from(PyObject* object) {
  oy_tensor* tensor = pyoy_unwrap(object);
  if (!tensor) PyErr_Format(PyExc_TypeError, "expected a Tensor, got %R", object);
  return tensor;
}

static PyObject* transform_level(PyObject* module, PyObject* unused) {
  (void)module, (void)unused;
  return PyLong_FromLongLong(oy_transform_level());
}

// (level, batch size, randomness) of the innermost layer, which is a vmap.
static PyObject* layer_facts(PyObject* module, PyObject* unused) {
  static const char* const names[] = {"error", "different", "same"};
  int64_t level, size;
  oy_randomness randomness;
  (void)module, (void)unused;
  if (oy_vmap_innermost(&level, &size, &randomness) != OY_OK) return pyoy_raise();
  return Py_BuildValue("(LLs)", (long long)level, (long long)size, names[randomness]);
}

// (tensor, dim) of a tensor that |level| has batched, else (tensor, None).
static PyObject* layer_unwrap(PyObject* module, PyObject* args) {
  PyObject* object;
  long long level;
  (void)module;
  if (!PyArg_ParseTuple(args, "OL:layer_unwrap", &object, &level)) return NULL;
  oy_tensor* tensor = tensor_from(object);
  if (!tensor) return NULL;
  if (oy_batched_level(tensor) != level) return PyTuple_Pack(2, object, Py_None);
  PyObject* value = pyoy_wrap(oy_tensor_retain(oy_batched_value(tensor)));
  if (!value) return NULL;
  return Py_BuildValue("(NL)", value, (long long)oy_batched_dim(tensor));
}

static PyObject* layer_wrap(PyObject* module, PyObject* args) {
  PyObject* object;
  long long dim, level;
  (void)module;
  if (!PyArg_ParseTuple(args, "OLL:layer_wrap", &object, &dim, &level)) return NULL;
  oy_tensor* tensor = tensor_from(object);
  return tensor ? pyoy_wrap(oy_batched_make(tensor, dim, level)) : NULL;
}

static PyObject* layer_enter(PyObject* module, PyObject* args) {
  long long size;
  const char* text = "error";
  oy_randomness randomness;
  int64_t level;
  (void)module;
  if (!PyArg_ParseTuple(args, "L|s:layer_enter", &size, &text)) return NULL;
  if (oy_randomness_parse(oy_str_of(text), &randomness) != OY_OK ||
      oy_vmap_enter(size, randomness, &level) != OY_OK)
    return pyoy_raise();
  return PyLong_FromLongLong(level);
}

static PyObject* layer_leave(PyObject* module, PyObject* args) {
  long long level;
  (void)module;
  if (!PyArg_ParseTuple(args, "L:layer_leave", &level)) return NULL;
  return oy_vmap_leave(level) == OY_OK ? Py_NewRef(Py_None) : pyoy_raise();
}

static PyMethodDef functions[] = {
    {"transform_level", transform_level, METH_NOARGS, "Layers this thread is in."},
    {"layer_facts", layer_facts, METH_NOARGS, "(level, batch_size, randomness)"},
    {"layer_unwrap", layer_unwrap, METH_VARARGS, "layer_unwrap(tensor, level)"},
    {"layer_wrap", layer_wrap, METH_VARARGS, "layer_wrap(tensor, dim, level)"},
    {"layer_enter", layer_enter, METH_VARARGS, "layer_enter(batch_size, randomness)"},
    {"layer_leave", layer_leave, METH_VARARGS, "layer_leave(level)"},
    {NULL, NULL, 0, NULL},
};

int pyoy_add_batched(PyObject* module) {
  return PyModule_AddFunctions(module, functions);
}
