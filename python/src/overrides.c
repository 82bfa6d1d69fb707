// SPDX-License-Identifier: Apache-2.0
// __torch_function__: classes that answer calls of functions, methods, signs and attributes
// that are given one of their objects, before an operator is looked for. The types of
// arguments are looked at, nothing else; plain tensors and numbers cost a comparison.
#include "overrides.h"

#include <structmember.h>

#define METHOD "__torch_function__"

static __thread int t_off;  // DisableTorchFunctionSubclass objects that are entered
static PyObject *g_method, *g_disabled;

typedef struct overloaded {
  PyObject* objects[PYOY_OVERLOADED];  // held, one of each type, subclasses first
  Py_ssize_t count;
} overloaded;

bool pyoy_overrides_slow(PyObject* object) {
  if (t_off) return false;
  PyObject* method = PyObject_GetAttr((PyObject*)Py_TYPE(object), g_method);
  if (!method) PyErr_Clear();
  bool overrides = method && method != g_disabled;
  Py_XDECREF(method);
  return overrides;
}

// ---------------------------------------------------------------------- who answers

static void add(overloaded* found, PyObject* object) {
  Py_ssize_t at = found->count;
  if (!pyoy_overrides(object)) return;
  for (Py_ssize_t i = 0; i < found->count; i++)
    if (Py_TYPE(found->objects[i]) == Py_TYPE(object)) return;
  if (found->count == PYOY_OVERLOADED) return;
  for (Py_ssize_t i = found->count - 1; i >= 0; i--)
    if (PyType_IsSubtype(Py_TYPE(object), Py_TYPE(found->objects[i]))) at = i;
  for (Py_ssize_t i = found->count; i > at; i--)
    found->objects[i] = found->objects[i - 1];
  found->objects[at] = Py_NewRef(object);
  found->count++;
}

static PyObject* item_of(PyObject* sequence, Py_ssize_t i) {
  return PyTuple_CheckExact(sequence) ? PyTuple_GetItem(sequence, i)
                                      : PyList_GetItem(sequence, i);
}
static Py_ssize_t items_of(PyObject* object) {
  if (PyTuple_CheckExact(object)) return PyTuple_Size(object);
  return PyList_CheckExact(object) ? PyList_Size(object) : -1;
}

// Also what is in a list: opyard.cat([x, y]).
static void add_argument(overloaded* found, PyObject* object) {
  if (items_of(object) < 0) add(found, object);
  for (Py_ssize_t i = 0; i < items_of(object); i++) {
    PyObject* item = Py_NewRef(item_of(object, i));
    add(found, item);
    Py_DECREF(item);
  }
}

bool pyoy_any_overrides(PyObject* const* values, Py_ssize_t count) {
  for (Py_ssize_t i = 0; i < count; i++) {
    if (pyoy_is_plain(values[i])) continue;
    if (items_of(values[i]) < 0 && pyoy_overrides(values[i])) return true;
    for (Py_ssize_t k = 0; k < items_of(values[i]); k++)
      if (pyoy_overrides(item_of(values[i], k))) return true;
  }
  return false;
}

// ------------------------------------------------------------------------- asking

static PyObject* types_of(const overloaded* found) {
  PyObject* types = PyTuple_New(found->count);
  for (Py_ssize_t i = 0; types && i < found->count; i++)
    PyTuple_SetItem(types, i, Py_NewRef((PyObject*)Py_TYPE(found->objects[i])));
  return types;
}

static PyObject* keywords_of(PyObject* const* values, PyObject* names) {
  PyObject* keywords = PyDict_New();
  for (Py_ssize_t i = 0; keywords && i < PyTuple_Size(names); i++)
    if (PyDict_SetItem(keywords, PyTuple_GetItem(names, i), values[i]) != 0)
      Py_CLEAR(keywords);
  return keywords;
}

// The first answer that is not NotImplemented; NotImplemented if there is none.
static PyObject* ask_each(const overloaded* found, PyObject* function, PyObject* types,
                          PyObject* args, PyObject* keywords) {
  for (Py_ssize_t i = 0; i < found->count; i++) {
    PyObject* method = PyObject_GetAttr(found->objects[i], g_method);
    PyObject* answer = method ? PyObject_CallFunctionObjArgs(method, function, types,
                                                             args, keywords, NULL)
                              : NULL;
    Py_XDECREF(method);
    if (answer != Py_NotImplemented) return answer;
    Py_DECREF(answer);
  }
  return Py_NewRef(Py_NotImplemented);
}

static PyObject* refuse(const char* name, PyObject* types) {
  PyObject* list = PySequence_List(types);
  if (list)
    PyErr_Format(PyExc_TypeError,
                 "no implementation found for 'torch.%s' on types that implement " METHOD
                 ": %R",
                 name, list);
  Py_XDECREF(list);
  return NULL;
}

// All types in |types|, or NULL with an exception.
static PyObject* ask(const overloaded* found, PyObject* function, PyObject* types,
                     PyObject* const* values, Py_ssize_t count, PyObject* names) {
  PyObject* args = PyTuple_New(count);
  for (Py_ssize_t i = 0; args && i < count; i++)
    PyTuple_SetItem(args, i, Py_NewRef(values[i]));
  bool has_keywords = names && PyTuple_Size(names) > 0;
  PyObject* keywords = args && has_keywords ? keywords_of(values + count, names) : NULL;
  PyObject* answer = args && (keywords || !has_keywords)
                         ? ask_each(found, function, types, args, keywords)
                         : NULL;
  Py_XDECREF(args);
  Py_XDECREF(keywords);
  return answer;
}

PyObject* pyoy_override(PyObject* function, const char* name, PyObject* const* values,
                        Py_ssize_t count, PyObject* names) {
  overloaded found = {.count = 0};
  Py_ssize_t all = count + (names ? PyTuple_Size(names) : 0);
  for (Py_ssize_t i = 0; i < all; i++) add_argument(&found, values[i]);
  PyObject* types = types_of(&found);
  PyObject* answer = types ? ask(&found, function, types, values, count, names) : NULL;
  if (answer == Py_NotImplemented && name) {
    Py_DECREF(answer);
    answer = refuse(name, types);
  }
  for (Py_ssize_t i = 0; i < found.count; i++) Py_DECREF(found.objects[i]);
  Py_XDECREF(types);
  return answer;
}

PyObject* pyoy_override_sign(const char* name, PyObject* a, PyObject* b) {
  PyObject* values[] = {a, b};
  PyObject* function = PyObject_GetAttrString((PyObject*)pyoy_tensor_type, name);
  PyObject* answer = function ? pyoy_override(function, NULL, values, 2, NULL) : NULL;
  Py_XDECREF(function);
  return answer;
}

PyObject* pyoy_override_method(const char* name, PyObject* const* values,
                               Py_ssize_t count) {
  PyObject* function = PyObject_GetAttrString((PyObject*)pyoy_tensor_type, name);
  PyObject* full = function ? PyUnicode_FromFormat("Tensor.%s", name) : NULL;
  const char* text = full ? PyUnicode_AsUTF8AndSize(full, NULL) : NULL;
  PyObject* answer = text ? pyoy_override(function, text, values, count, NULL) : NULL;
  Py_XDECREF(function);
  Py_XDECREF(full);
  return answer;
}

// ---------------------------------------------------------------------- attributes

// What Tensor.shape.__get__ is.
static PyObject* accessor(const PyGetSetDef* def, const char* way) {
  PyObject* attribute = PyObject_GetAttrString((PyObject*)pyoy_tensor_type, def->name);
  PyObject* function = attribute ? PyObject_GetAttrString(attribute, way) : NULL;
  Py_XDECREF(attribute);
  return function;
}

static PyObject* get(PyObject* self, void* closure) {
  const PyGetSetDef* def = closure;
  if (OY_LIKELY(!pyoy_overrides(self))) return def->get(self, def->closure);
  PyObject* function = accessor(def, "__get__");
  PyObject* answer =
      function ? pyoy_override(function, "Tensor.__get__", &self, 1, NULL) : NULL;
  Py_XDECREF(function);
  return answer;
}

static int set(PyObject* self, PyObject* value, void* closure) {
  const PyGetSetDef* def = closure;
  if (!value || !pyoy_overrides(self)) return def->set(self, value, def->closure);
  PyObject* values[] = {self, value};
  PyObject* function = accessor(def, "__set__");
  PyObject* answer =
      function ? pyoy_override(function, "Tensor.__set__", values, 2, NULL) : NULL;
  Py_XDECREF(function);
  Py_XDECREF(answer);
  return answer ? 0 : -1;
}

PyGetSetDef* pyoy_overridable(PyGetSetDef* own) {
  static PyGetSetDef asking[PYOY_GETTERS];
  for (size_t i = 0; own[i].name && i + 1 < PYOY_GETTERS; i++) {
    asking[i] = own[i];
    if (strncmp(own[i].name, "__", 2) == 0) continue;  // Python's own, such as __dict__
    if (own[i].get) asking[i].get = get;
    if (own[i].set) asking[i].set = set;
    asking[i].closure = &own[i];
  }
  return asking;
}

// ------------------------------------------------------------------------- turned off

static PyObject* disabled_impl(PyObject* module, PyObject* all) {
  (void)module;
  PyObject *function, *types, *args = NULL, *keywords = NULL, *none = PyTuple_New(0);
  PyObject* result = NULL;
  if (none && PyArg_ParseTuple(all, "OO|OO:_disabled_torch_function_impl", &function,
                               &types, &args, &keywords)) {
    t_off++;
    result = PyObject_Call(function, args ? args : none,
                           keywords && keywords != Py_None ? keywords : NULL);
    t_off--;
  }
  Py_XDECREF(none);
  return result;
}

static PyObject* is_enabled(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  return PyBool_FromLong(t_off == 0);
}

static PyObject* enter(PyObject* self, PyObject* unused) {
  (void)unused;
  t_off++;
  return Py_NewRef(self);
}
static PyObject* leave(PyObject* self, PyObject* unused) {
  (void)self;
  (void)unused;
  if (t_off > 0) t_off--;
  return Py_NewRef(Py_None);
}

static int add_switch(PyObject* module) {
  static PyMethodDef methods[] = {
      {"__enter__", enter, METH_NOARGS, NULL},
      {"__exit__", leave, METH_VARARGS, NULL},
      {NULL, NULL, 0, NULL},
  };
  PyType_Slot slots[] = {{Py_tp_methods, methods}, {0, NULL}};
  PyType_Spec spec = {"opyard._C.DisableTorchFunctionSubclass", sizeof(PyObject), 0,
                      Py_TPFLAGS_DEFAULT, slots};
  PyObject* type = PyType_FromSpec(&spec);
  if (!type) return -1;
  int failed = PyModule_AddType(module, (PyTypeObject*)type);
  Py_DECREF(type);
  return failed;
}

int pyoy_add_overrides(PyObject* module) {
  static PyMethodDef functions[] = {
      {"_disabled_torch_function_impl", disabled_impl, METH_VARARGS,
       "What a class has as " METHOD " to be no such class."},
      {"_is_torch_function_enabled", is_enabled, METH_NOARGS,
       "Whether classes with " METHOD " are asked in this thread."},
      {NULL, NULL, 0, NULL},
  };
  if (PyModule_AddFunctions(module, functions) != 0 || add_switch(module) != 0) return -1;
  g_method = PyUnicode_InternFromString(METHOD);
  g_disabled = PyObject_GetAttrString(module, "_disabled_torch_function_impl");
  return g_method && g_disabled ? 0 : -1;
}
