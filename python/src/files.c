// SPDX-License-Identifier: Apache-2.0
// safetensors files as dicts of tensors: opyard/files.h for Python.
#include "opyard/files.h"

#include "module.h"

static int text_from(PyObject* object, const char* what, oy_str* out) {
  Py_ssize_t size;
  if (!PyUnicode_Check(object)) {
    PyErr_Format(PyExc_TypeError, "expected %s as a str, got %R", what, object);
    return -1;
  }
  const char* data = PyUnicode_AsUTF8AndSize(object, &size);
  if (!data) return -1;
  *out = (oy_str){data, (size_t)size};
  return 0;
}

// What is to be saved, borrowed from its dicts, which save() in files.py makes for this call:
// no other thread changes them.
typedef struct content {
  oy_named_tensor* tensors;
  oy_text_pair* texts;
  size_t tensor_count, text_count;
} content;

static int add_tensors(content* c, PyObject* dict) {
  PyObject *key, *value;
  Py_ssize_t at = 0;
  while (PyDict_Next(dict, &at, &key, &value)) {
    oy_named_tensor* item = &c->tensors[c->tensor_count++];
    if (text_from(key, "the name of a tensor", &item->name) != 0) return -1;
    item->tensor = pyoy_unwrap(value);
    if (item->tensor) continue;
    PyErr_Format(PyExc_TypeError, "expected a Tensor as %R, got %R", key, value);
    return -1;
  }
  return 0;
}

static int add_texts(content* c, PyObject* dict) {
  PyObject *key, *value;
  Py_ssize_t at = 0;
  while (PyDict_Next(dict, &at, &key, &value)) {
    oy_text_pair* pair = &c->texts[c->text_count++];
    if (text_from(key, "a key of the metadata", &pair->key) != 0 ||
        text_from(value, "a value of the metadata", &pair->value) != 0)
      return -1;
  }
  return 0;
}

static PyObject* save(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *path_bytes, *tensors, *texts;
  if (!PyArg_ParseTuple(args, "O&O!O!:safetensors_save", PyUnicode_FSConverter,
                        &path_bytes, &PyDict_Type, &tensors, &PyDict_Type, &texts))
    return NULL;
  const char* path = PyBytes_AsString(path_bytes);
  content c = {PyMem_Calloc((size_t)PyDict_Size(tensors) + 1, sizeof(oy_named_tensor)),
               PyMem_Calloc((size_t)PyDict_Size(texts) + 1, sizeof(oy_text_pair)), 0, 0};
  PyObject* result = NULL;
  if (!c.tensors || !c.texts) {
    PyErr_NoMemory();
  } else if (add_tensors(&c, tensors) == 0 && add_texts(&c, texts) == 0) {
    oy_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = oy_safetensors_save(path, c.tensors, c.tensor_count, c.texts, c.text_count);
    Py_END_ALLOW_THREADS;
    result = status == OY_OK ? Py_NewRef(Py_None) : pyoy_raise();
  }
  PyMem_Free(c.tensors);
  PyMem_Free(c.texts);
  Py_DECREF(path_bytes);
  return result;
}

// dict[key] = value, which it takes over; NULL is an error that is raised already.
static int put(PyObject* dict, oy_str key, PyObject* value) {
  PyObject* name = PyUnicode_FromStringAndSize(key.data, (Py_ssize_t)key.size);
  int status = name && value ? PyDict_SetItem(dict, name, value) : -1;
  Py_XDECREF(name);
  Py_XDECREF(value);
  return status;
}

static int read_tensors(const oy_safetensors* file, PyObject* dict) {
  for (size_t i = 0; i < oy_safetensors_count(file); i++)
    if (put(dict, oy_safetensors_name(file, i), pyoy_wrap(oy_safetensors_get(file, i))) !=
        0)
      return -1;
  return 0;
}

static int read_texts(const oy_safetensors* file, PyObject* dict) {
  const oy_text_pair* pairs;
  size_t count = oy_safetensors_metadata(file, &pairs);
  for (size_t i = 0; i < count; i++) {
    oy_str value = pairs[i].value;
    PyObject* text = PyUnicode_FromStringAndSize(value.data, (Py_ssize_t)value.size);
    if (put(dict, pairs[i].key, text) != 0) return -1;
  }
  return 0;
}

static PyObject* load(PyObject* module, PyObject* args) {
  (void)module;
  PyObject* path_bytes;
  if (!PyArg_ParseTuple(args, "O&:safetensors_load", PyUnicode_FSConverter, &path_bytes))
    return NULL;
  oy_safetensors* file;
  oy_status status = oy_safetensors_open(PyBytes_AsString(path_bytes), &file);
  Py_DECREF(path_bytes);
  if (status != OY_OK) return pyoy_raise();
  PyObject *tensors = PyDict_New(), *texts = PyDict_New(), *result = NULL;
  if (tensors && texts && read_tensors(file, tensors) == 0 &&
      read_texts(file, texts) == 0)
    result = PyTuple_Pack(2, tensors, texts);
  Py_XDECREF(tensors);
  Py_XDECREF(texts);
  oy_safetensors_close(file);
  return result;
}

int pyoy_add_files(PyObject* module) {
  static PyMethodDef functions[] = {
      {"safetensors_save", save, METH_VARARGS,
       "safetensors_save(path, tensors, metadata): dicts of tensors and of texts."},
      {"safetensors_load", load, METH_VARARGS,
       "safetensors_load(path): (tensors, metadata)."},
      {NULL, NULL, 0, NULL},
  };
  return PyModule_AddFunctions(module, functions);
}
