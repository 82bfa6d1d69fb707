// SPDX-License-Identifier: Apache-2.0
// Keys as numbers and sets as two words; opyard.dispatch makes classes of them.
#include "library.h"

static PyObject* g_keyset_class;

// -------------------------------------------------------------------- sets

PyObject* pyoy_keyset_object(oy_keyset keys) {
  unsigned long long f = keys.functionality, b = keys.backends;
  if (!g_keyset_class) return Py_BuildValue("(KK)", f, b);
  return PyObject_CallFunction(g_keyset_class, "OKK", Py_None, f, b);
}

static int word_of(PyObject* object, const char* name, uint64_t* out) {
  PyObject* number = PyObject_GetAttrString(object, name);
  if (!number) return -1;
  *out = PyLong_AsUnsignedLongLongMask(number);
  Py_DECREF(number);
  return PyErr_Occurred() ? -1 : 0;
}

int pyoy_keyset_from(PyObject* object, oy_keyset* out) {
  *out = oy_keyset_empty();
  if (word_of(object, "functionality", &out->functionality) == 0 &&
      word_of(object, "backends", &out->backends) == 0)
    return 0;
  if (PyErr_ExceptionMatches(PyExc_AttributeError))
    PyErr_Format(PyExc_TypeError, "expected a DispatchKeySet, got %R", object);
  return -1;
}

static PyObject* words(oy_keyset keys) {
  return Py_BuildValue("(KK)", (unsigned long long)keys.functionality,
                       (unsigned long long)keys.backends);
}

static int parse_words(PyObject* args, oy_keyset* out) {
  unsigned long long f, b;
  if (!PyArg_ParseTuple(args, "KK", &f, &b)) return -1;
  *out = oy_keyset_make(f, b);
  return 0;
}

// -------------------------------------------------------------------- keys

int pyoy_key_converter(PyObject* object, void* out) {
  if (PyUnicode_Check(object)) {
    Py_ssize_t size;
    const char* text = PyUnicode_AsUTF8AndSize(object, &size);
    if (!text) return 0;
    *(oy_key*)out = OY_KEY_Undefined;
    if (size == 0) return 1;
    if (oy_key_parse((oy_str){text, (size_t)size}, out) == OY_OK) return 1;
    pyoy_raise();
    return 0;
  }
  PyObject* number = PyNumber_Index(object);
  long key = number ? PyLong_AsLong(number) : -1;
  Py_XDECREF(number);
  if (key >= 0 && key <= UINT16_MAX) {
    *(oy_key*)out = (oy_key)key;
    return 1;
  }
  PyErr_Clear();
  PyErr_Format(PyExc_TypeError, "expected a dispatch key or its name, got %R", object);
  return 0;
}

static PyObject* key_object(oy_key key) {
  return PyLong_FromLong(key);
}

static PyObject* key_parse(PyObject* module, PyObject* args) {
  oy_key key;
  (void)module;
  if (!PyArg_ParseTuple(args, "O&:key_parse", pyoy_key_converter, &key)) return NULL;
  return key_object(key);
}

static PyObject* key_name(PyObject* module, PyObject* args) {
  oy_key key;
  (void)module;
  if (!PyArg_ParseTuple(args, "O&:key_name", pyoy_key_converter, &key)) return NULL;
  return PyUnicode_FromString(oy_key_name(key));
}

static PyObject* key_list(PyObject* module, PyObject* unused) {
  (void)module, (void)unused;
  PyObject* list = PyList_New(0);
  oy_key key;
  for (size_t i = 0; list && oy_key_at(i, &key); i++) {
    PyObject* item = key_object(key);
    if (!item || PyList_Append(list, item) != 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

// What can be said of one key, by name.
static PyObject* key_fact(PyObject* module, PyObject* args) {
  oy_key key;
  const char* what;
  (void)module;
  if (!PyArg_ParseTuple(args, "sO&:key_fact", &what, pyoy_key_converter, &key))
    return NULL;
  if (!strcmp(what, "is_alias")) return PyBool_FromLong(oy_key_is_alias(key));
  if (!strcmp(what, "is_runtime")) return PyBool_FromLong(oy_key_is_runtime(key));
  if (!strcmp(what, "is_backend")) return PyBool_FromLong(oy_key_is_backend(key));
  if (!strcmp(what, "functionality")) return key_object(oy_key_functionality(key));
  if (!strcmp(what, "set")) return words(oy_keyset_of(key));
  if (!strcmp(what, "expand")) return words(oy_key_expand(key));
  if (!strcmp(what, "full_after")) return words(oy_keyset_full_after(key));
  if (!strcmp(what, "backends_of_autograd"))
    return words(oy_key_backends_of_autograd(key));
  if (!strcmp(what, "backend")) return PyLong_FromLong(oy_key_backend(key));
  PyErr_Format(PyExc_ValueError, "expected a fact of a key, got '%s'", what);
  return NULL;
}

static PyObject* key_in_alias(PyObject* module, PyObject* args) {
  oy_key key, alias;
  (void)module;
  if (!PyArg_ParseTuple(args, "O&O&:key_in_alias", pyoy_key_converter, &key,
                        pyoy_key_converter, &alias))
    return NULL;
  return PyBool_FromLong(oy_key_in_alias(key, alias));
}

// --------------------------------------------------------------- sets, again

static PyObject* keyset_keys(PyObject* module, PyObject* args) {
  oy_keyset set;
  (void)module;
  if (parse_words(args, &set) != 0) return NULL;
  PyObject* list = PyList_New(0);
  uint32_t cursor = 0;
  oy_key key;
  while (list && oy_keyset_next(set, &cursor, &key)) {
    PyObject* item = key_object(key);
    if (!item || PyList_Append(list, item) != 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static PyObject* keyset_text(PyObject* module, PyObject* args) {
  oy_keyset set;
  (void)module;
  if (parse_words(args, &set) != 0) return NULL;
  size_t size = oy_keyset_print(set, NULL, 0);
  char* text = PyMem_Malloc(size + 1);
  if (!text) return PyErr_NoMemory();
  oy_keyset_print(set, text, size + 1);
  PyObject* result = PyUnicode_FromString(text);
  PyMem_Free(text);
  return result;
}

static PyObject* keyset_highest(PyObject* module, PyObject* args) {
  oy_keyset set;
  (void)module;
  return parse_words(args, &set) == 0 ? key_object(oy_keyset_highest(set)) : NULL;
}

static PyObject* keyset_highest_backend(PyObject* module, PyObject* args) {
  oy_keyset set;
  (void)module;
  if (parse_words(args, &set) != 0) return NULL;
  return key_object(oy_keyset_highest_backend_key(set));
}

static PyObject* keyset_to_raw(PyObject* module, PyObject* args) {
  oy_keyset set;
  (void)module;
  if (parse_words(args, &set) != 0) return NULL;
  return PyLong_FromUnsignedLongLong(oy_keyset_to_raw(set));
}

static PyObject* keyset_from_raw(PyObject* module, PyObject* number) {
  (void)module;
  unsigned long long raw = PyLong_AsUnsignedLongLongMask(number);
  return PyErr_Occurred() ? NULL : words(oy_keyset_from_raw(raw));
}

static PyObject* keyset_full(PyObject* module, PyObject* unused) {
  (void)module, (void)unused;
  return words(oy_keyset_full());
}

static PyObject* keyset_named(PyObject* module, PyObject* args) {
  static const char* const names[] = {"autograd",
                                      "autograd_with_adinplaceorview",
                                      "autocast",
                                      "default_included",
                                      "default_excluded",
                                      "python",
                                      "autogradother_backends",
                                      "backends",
                                      "non_functional_backends",
                                      "math",
                                      "nested",
                                      "after_autograd",
                                      "after_adinplaceorview",
                                      "after_functionalize",
                                      "functorch_transforms",
                                      "functorch_batched",
                                      "backend_functionalities"};
  const char* name;
  (void)module;
  if (!PyArg_ParseTuple(args, "s:keyset_named", &name)) return NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(name, names[i])) return words(oy_keyset_named((oy_keyset_name)i));
  PyErr_Format(PyExc_ValueError, "expected the name of a key set, got '%s'", name);
  return NULL;
}

static PyObject* keyset_of_tensor(PyObject* module, PyObject* object) {
  (void)module;
  oy_tensor* tensor = pyoy_unwrap(object);
  if (tensor) return words(tensor->keys);
  PyErr_Format(PyExc_TypeError, "expected a Tensor, got %R", object);
  return NULL;
}

// Names of the backends there are; registering one that is there gives it again.
static PyObject* backend_register(PyObject* module, PyObject* args) {
  const char* name;
  oy_backend backend;
  (void)module;
  if (!PyArg_ParseTuple(args, "s:backend_register", &name)) return NULL;
  if (oy_backend_register(oy_str_of(name), &backend) != OY_OK) return pyoy_raise();
  return PyUnicode_FromString(oy_backend_name(backend));
}

static PyObject* backends(PyObject* module, PyObject* unused) {
  (void)module, (void)unused;
  PyObject* list = PyList_New(0);
  for (int b = 0; list && b < OY_BACKEND_COUNT_MAX; b++) {
    if (!(oy_backend_all() >> b & 1)) continue;
    PyObject* name = PyUnicode_FromString(oy_backend_name(b));
    if (!name || PyList_Append(list, name) != 0) Py_CLEAR(list);
    Py_XDECREF(name);
  }
  return list;
}

static PyObject* set_keyset_class(PyObject* module, PyObject* klass) {
  (void)module;
  Py_INCREF(klass);
  Py_XDECREF(g_keyset_class);
  g_keyset_class = klass;
  return Py_NewRef(Py_None);
}

static PyMethodDef functions[] = {
    {"key_parse", key_parse, METH_VARARGS, "The number of a key."},
    {"key_name", key_name, METH_VARARGS, NULL},
    {"key_list", key_list, METH_NOARGS, "All keys in the order of dumps."},
    {"key_fact", key_fact, METH_VARARGS, "key_fact(what, key)"},
    {"key_in_alias", key_in_alias, METH_VARARGS, "key_in_alias(key, alias)"},
    {"keyset_keys", keyset_keys, METH_VARARGS, "The runtime keys of a set, ascending."},
    {"keyset_text", keyset_text, METH_VARARGS, NULL},
    {"keyset_highest", keyset_highest, METH_VARARGS, NULL},
    {"keyset_highest_backend", keyset_highest_backend, METH_VARARGS, NULL},
    {"keyset_to_raw", keyset_to_raw, METH_VARARGS, "PyTorch's packed word."},
    {"keyset_from_raw", keyset_from_raw, METH_O, NULL},
    {"keyset_full", keyset_full, METH_NOARGS, NULL},
    {"keyset_named", keyset_named, METH_VARARGS, NULL},
    {"keyset_of_tensor", keyset_of_tensor, METH_O, NULL},
    {"backend_register", backend_register, METH_VARARGS, "Finds or adds a backend."},
    {"backends", backends, METH_NOARGS, "Names of all backends, lowest bit first."},
    {"set_keyset_class", set_keyset_class, METH_O,
     "What key sets become: called with None and the two words."},
    {NULL, NULL, 0, NULL},
};

int pyoy_add_dispatch_key(PyObject* module) {
  return PyModule_AddFunctions(module, functions);
}
