// SPDX-License-Identifier: Apache-2.0
// Handlers that are Python objects: modes of a thread, and what hangs on tensors. Both have
// a method __torch_dispatch__(func, types, args, kwargs).
#include <stdlib.h>

#include "handled.h"

static const char g_method[] = PYOY_DISPATCH;

// ------------------------------------------------------------------- one call

static oy_status handle(oy_handler_call* call);

// The class of the tensor, or of its handler; NULL if it has none, or one that is not
// Python's.
static PyObject* type_of(const oy_object* o) {
  void* data;
  const oy_tensor_handler* h =
      o && !oy_object_is_none(o) ? oy_tensor_get_handler(o, &data) : NULL;
  if (!h) return NULL;
  if (h->handle == pyoy_handle_class) return (PyObject*)pyoy_handled_type(data);
  return h->handle == handle ? (PyObject*)Py_TYPE((PyObject*)data) : NULL;
}

// The classes of the tensors with handlers among the arguments, each once.
static int add_type(PyObject* types, const oy_object* o) {
  PyObject* type = type_of(o);
  if (!type) return 0;
  int has = PySequence_Contains(types, type);
  return has != 0 ? has < 0 ? -1 : 0 : PyList_Append(types, type);
}

static PyObject* types_of(const oy_handler_call* call) {
  PyObject* types = PyList_New(0);
  const oy_value* v = oy_handler_arguments(call);
  int failed = types ? 0 : -1;
  for (size_t i = 0; !failed && i < call->op->argument_count; i++) {
    if (v[i].tag == OY_TAG_TENSOR) failed = add_type(types, v[i].as.object);
    for (size_t j = 0; !failed && v[i].tag == OY_TAG_TENSOR_LIST && j < v[i].count; j++)
      failed = add_type(types, v[i].as.tensors[j]);
  }
  PyObject* tuple = failed ? NULL : PyList_AsTuple(types);
  Py_XDECREF(types);
  return tuple;
}

// What was registered for an operator and the class of a handler, in its place.
static PyObject* g_rules;  // (operator, class) -> callable

// Borrowed; NULL without an exception if there is none.
static PyObject* rule_for(PyObject* func, PyObject* handler) {
  if (PyDict_Size(g_rules) == 0) return NULL;
  PyObject* type = PyType_Check(handler) ? handler : (PyObject*)Py_TYPE(handler);
  PyObject* key = PyTuple_Pack(2, func, type);
  PyObject* rule = key ? PyDict_GetItemWithError(g_rules, key) : NULL;
  Py_XDECREF(key);
  return rule;
}

static PyObject* ask_handler(PyObject* handler, PyObject* func, PyObject* types,
                             PyObject* args, PyObject* kwargs) {
  PyObject* rule = rule_for(func, handler);
  if (rule)
    return PyObject_CallFunction(rule, "OOOOO", handler, func, types, args, kwargs);
  if (PyErr_Occurred()) return NULL;
  return PyObject_CallMethod(handler, g_method, "OOOO", func, types, args, kwargs);
}

static PyObject* rule_set(PyObject* module, PyObject* args) {
  PyObject *func, *type, *rule;
  (void)module;
  if (!PyArg_ParseTuple(args, "OOO:dispatch_rule_set", &func, &type, &rule)) return NULL;
  PyObject* key = PyTuple_Pack(2, func, type);
  if (!key) return NULL;
  int failed =
      rule == Py_None ? PyDict_DelItem(g_rules, key) : PyDict_SetItem(g_rules, key, rule);
  Py_DECREF(key);
  return failed ? NULL : Py_NewRef(Py_None);
}

static PyObject* ask(const oy_handler_call* call, PyObject* handler) {
  PyObject *args, *kwargs, *result = NULL;
  if (pyoy_arguments_to(call->op, call->stack, &args, &kwargs) != 0) return NULL;
  PyObject* func = pyoy_op_object(call->op);
  PyObject* types = func ? types_of(call) : NULL;
  if (types) result = ask_handler(handler, func, types, args, kwargs);
  Py_XDECREF(func);
  Py_XDECREF(types);
  Py_DECREF(args);
  Py_DECREF(kwargs);
  return result;
}

static oy_status take(oy_handler_call* call, const oy_schema* schema, PyObject* result) {
  size_t base = call->stack->size - call->op->argument_count;
  if (result == Py_NotImplemented) {
    call->not_implemented = true;
    return OY_OK;
  }
  oy_stack_drop(call->stack, call->op->argument_count);
  if (result && pyoy_results_from(call->op, schema, result, g_method, call->stack) == 0)
    return OY_OK;
  oy_stack_drop(call->stack, call->stack->size - base);
  return pyoy_record_exception();
}

// |of_class|: a class of tensors is what is asked, else an object.
static oy_status handle_by(oy_handler_call* call, bool of_class) {
  PyGILState_STATE gil;
  OY_TRY(pyoy_enter(&gil));
  PyObject* handler =
      Py_NewRef(of_class ? (PyObject*)pyoy_handled_type(call->data) : call->data);
  const oy_schema* schema = oy_op_schema(call->op);
  PyObject* result = ask(call, handler);
  oy_status status = take(call, schema, result);
  Py_XDECREF(result);
  Py_DECREF(handler);
  pyoy_leave(gil);
  return status;
}

static oy_status handle(oy_handler_call* call) {
  return handle_by(call, false);
}

oy_status pyoy_handle_class(oy_handler_call* call) {
  return handle_by(call, true);
}

// ---------------------------------------------------------------------- modes

typedef struct python_mode {
  oy_dispatch_mode mode;
  char name[];  // "<Log object at 0x...>", as messages have it
} python_mode;

static void drop_mode(void* data) {
  Py_DECREF((PyObject*)data);
}

static PyObject* mode_push(PyObject* module, PyObject* object) {
  (void)module;
  Py_ssize_t size;
  PyObject* repr = PyObject_Repr(object);
  const char* text = repr ? PyUnicode_AsUTF8AndSize(repr, &size) : NULL;
  python_mode* m = text ? malloc(sizeof(*m) + (size_t)size + 1) : NULL;
  if (m) memcpy(m->name, text, (size_t)size + 1);
  Py_XDECREF(repr);
  if (!m) return PyErr_Occurred() ? NULL : PyErr_NoMemory();
  PyObject* token = PyLong_FromVoidPtr(m);
  if (!token) {
    free(m);
    return NULL;
  }
  oy_mode_push(&m->mode, m->name, handle, Py_NewRef(object), drop_mode);
  return token;
}

// mode_pop(token): the innermost mode of this thread must be the one that mode_push gave.
static PyObject* mode_pop(PyObject* module, PyObject* token) {
  (void)module;
  void* m = PyLong_AsVoidPtr(token);
  if (!m && PyErr_Occurred()) return NULL;
  if (oy_mode_pop(m) != OY_OK) return pyoy_raise();
  free(m);
  return Py_NewRef(Py_None);
}

// The Python object of the innermost mode, None if there is none or it is not Python's.
static PyObject* mode_innermost(PyObject* module, PyObject* unused) {
  (void)module, (void)unused;
  const oy_dispatch_mode* m = oy_mode_innermost();
  return Py_NewRef(m && m->handle == handle ? (PyObject*)m->data : Py_None);
}

// ------------------------------------------------------- handlers of tensors

// The record of a class of handlers. Tensors may outlive anything, so it stays.
static PyObject* g_records;  // class -> address

static void drop_handler(void* data) {
  pyoy_release_late(data);
}

// The first base class that has handlers of its own: with a record, or with the method.
static const oy_tensor_handler* base_record(PyObject* type) {
  PyObject* bases = PyObject_GetAttrString(type, "__bases__");
  const oy_tensor_handler* found = NULL;
  for (Py_ssize_t i = 0; bases && !found && i < PyTuple_Size(bases); i++) {
    PyObject* base = PyTuple_GetItem(bases, i);
    if (pyoy_has_dispatch(base)) found = pyoy_record_of(base);
  }
  Py_XDECREF(bases);
  return found;
}

static oy_tensor_handler* new_record(PyObject* type) {
  PyObject* name = PyObject_Str(type);
  Py_ssize_t size;
  const char* text = name ? PyUnicode_AsUTF8AndSize(name, &size) : NULL;
  oy_tensor_handler* r = text ? calloc(1, sizeof(*r) + (size_t)size + 1) : NULL;
  if (r) {
    memcpy(r + 1, text, (size_t)size + 1);
    bool is_tensor = PyType_IsSubtype((PyTypeObject*)type, pyoy_tensor_type);
    *r = (oy_tensor_handler){(const char*)(r + 1), is_tensor ? pyoy_handle_class : handle,
                             base_record(type),
                             is_tensor ? pyoy_handled_drop : drop_handler};
  }
  Py_XDECREF(name);
  if (!r && !PyErr_Occurred()) PyErr_NoMemory();
  return r;
}

const oy_tensor_handler* pyoy_record_of(PyObject* type) {
  PyObject* known = PyDict_GetItemWithError(g_records, type);
  if (known) return PyLong_AsVoidPtr(known);
  oy_tensor_handler* r = PyErr_Occurred() ? NULL : new_record(type);
  PyObject* address = r && !PyErr_Occurred() ? PyLong_FromVoidPtr(r) : NULL;
  if (address && PyDict_SetItem(g_records, type, address) == 0) {
    Py_DECREF(address);
    return r;
  }
  Py_XDECREF(address);
  free(r);
  return NULL;
}

// NULL if it has none, or one that is not Python's.
static const oy_tensor_handler* handler_of(const oy_object* o, void** data) {
  const oy_tensor_handler* h = oy_tensor_get_handler(o, data);
  return h && h->handle == handle ? h : NULL;
}

static PyObject* handler_set(PyObject* module, PyObject* args) {
  PyObject *object, *handler;
  (void)module;
  if (!PyArg_ParseTuple(args, "OO:handler_set", &object, &handler)) return NULL;
  oy_tensor* tensor = pyoy_unwrap(object);
  if (!tensor || !PyObject_HasAttrString(handler, g_method)) {
    PyErr_Format(
        PyExc_TypeError,
        "expected a Tensor and an object with %s(func, types, args, kwargs), got "
        "%R and %R",
        g_method, object, handler);
    return NULL;
  }
  const oy_tensor_handler* r = pyoy_record_of((PyObject*)Py_TYPE(handler));
  if (!r) return NULL;
  if (oy_tensor_set_handler(tensor, r, Py_NewRef(handler)) != OY_OK) return pyoy_raise();
  return Py_NewRef(Py_None);
}

static PyObject* handler_get(PyObject* module, PyObject* object) {
  (void)module;
  oy_tensor* tensor = pyoy_unwrap(object);
  void* data;
  if (!tensor || !handler_of(tensor, &data)) return Py_NewRef(Py_None);
  return Py_NewRef((PyObject*)data);
}

// --------------------------------------------------------------------- guards

static void free_entry(PyObject* capsule) {
  free(PyCapsule_GetPointer(capsule, "opyard.entry"));
}

static PyObject* entry_begin(PyObject* module, PyObject* unused) {
  (void)module, (void)unused;
  oy_entry_guard* guard = malloc(sizeof(*guard));
  if (!guard) return PyErr_NoMemory();
  if (oy_entry_guard_begin(guard) != OY_OK) {
    free(guard);
    return pyoy_raise();
  }
  PyObject* capsule = PyCapsule_New(guard, "opyard.entry", free_entry);
  if (!capsule) {
    oy_entry_guard_end(guard);
    free(guard);
  }
  return capsule;
}

static PyObject* entry_end(PyObject* module, PyObject* capsule) {
  (void)module;
  oy_entry_guard* guard = PyCapsule_GetPointer(capsule, "opyard.entry");
  if (!guard) return NULL;
  oy_entry_guard_end(guard);
  return Py_NewRef(Py_None);
}

static PyMethodDef functions[] = {
    {"mode_push", mode_push, METH_O, "Makes an object the innermost mode; a token."},
    {"mode_pop", mode_pop, METH_O, "Ends the mode of a token."},
    {"mode_innermost", mode_innermost, METH_NOARGS, NULL},
    {"dispatch_rule_set", rule_set, METH_VARARGS,
     "dispatch_rule_set(op, class, callable or None)"},
    {"handler_set", handler_set, METH_VARARGS,
     "handler_set(tensor, handler): calls with the tensor go to the handler."},
    {"handler_get", handler_get, METH_O, "The handler of a tensor, or None."},
    {"entry_begin", entry_begin, METH_NOARGS,
     "Within a handler: the thread's sets as they were when the call was made."},
    {"entry_end", entry_end, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

int pyoy_add_mode(PyObject* module) {
  g_records = PyDict_New();
  g_rules = PyDict_New();
  return g_records && g_rules ? PyModule_AddFunctions(module, functions) : -1;
}
