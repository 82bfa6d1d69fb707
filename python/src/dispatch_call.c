// SPDX-License-Identifier: Apache-2.0
// Calls with a key set or a key of the caller's choice, and calls that are explained
// instead of made.
#include "library.h"

enum { ARGUMENTS_MAX = 64 };

// -------------------------------------------------------------------- binding

static int push_object(const oy_op* op, PyObject* object, const oy_argument* a,
                       oy_stack* stack) {
  oy_value value;
  pyoy_fit fit = pyoy_value_from(object, a->type, 1, &value);
  if (fit == PYOY_YES) {
    if (oy_stack_push(stack, value) == OY_OK) return 0;
    pyoy_raise();
    return -1;
  }
  if (fit == PYOY_ERROR) return -1;
  oy_str name = oy_op_name_of(op);
  PyObject* who = PyUnicode_FromStringAndSize(name.data, (Py_ssize_t)name.size);
  PyObject* what = PyUnicode_FromStringAndSize(a->name.data, (Py_ssize_t)a->name.size);
  PyObject* type = PyType_GetName(Py_TYPE(object));
  if (who && what && type)
    PyErr_Format(PyExc_TypeError, "%U(): argument '%U' cannot be a %U", who, what, type);
  Py_XDECREF(who);
  Py_XDECREF(what);
  Py_XDECREF(type);
  return -1;
}

static const oy_argument* keyword(const oy_schema* schema, oy_str name) {
  for (size_t i = 0; i < schema->argument_count; i++)
    if (oy_str_equal(schema->arguments[i].name, name)) return &schema->arguments[i];
  return NULL;
}

static int bind_positional(const oy_op* op, const oy_schema* schema, PyObject* args,
                           oy_stack* stack) {
  Py_ssize_t count = PyTuple_Size(args);
  for (Py_ssize_t i = 0; i < count; i++) {
    if ((size_t)i >= schema->argument_count || schema->arguments[i].kwarg_only) {
      PyErr_Format(PyExc_TypeError, "takes %zd positional arguments but %zd were given",
                   i, count);
      return -1;
    }
    if (push_object(op, PyTuple_GetItem(args, i), &schema->arguments[i], stack) != 0)
      return -1;
  }
  return 0;
}

static int bind_keywords(const oy_op* op, const oy_schema* schema, PyObject* kwargs,
                         oy_stack* stack, oy_str* names, size_t* count) {
  PyObject *key, *object;
  Py_ssize_t at = 0, size;
  while (kwargs && PyDict_Next(kwargs, &at, &key, &object)) {
    const char* text = PyUnicode_AsUTF8AndSize(key, &size);
    if (!text) return -1;
    const oy_argument* a = keyword(schema, (oy_str){text, (size_t)size});
    if (!a || *count == ARGUMENTS_MAX) {
      PyErr_Format(PyExc_TypeError, "got an unexpected keyword argument '%U'", key);
      return -1;
    }
    names[(*count)++] = a->name;
    if (push_object(op, object, a, stack) != 0) return -1;
  }
  return 0;
}

int pyoy_bind(const oy_op* op, PyObject* args, PyObject* kwargs, oy_stack* stack) {
  const oy_schema* schema = oy_op_schema(op);
  oy_str names[ARGUMENTS_MAX];
  size_t count = 0;
  if (!schema) {
    PyErr_SetString(PyExc_LookupError, "the operator has no schema");
    return -1;
  }
  if (bind_positional(op, schema, args, stack) != 0) return -1;
  if (bind_keywords(op, schema, kwargs, stack, names, &count) != 0) return -1;
  if (oy_op_push_defaults(op, stack, stack->size, names, count) == OY_OK) return 0;
  pyoy_raise();
  return -1;
}

PyObject* pyoy_results_to(const oy_op* op, const oy_stack* stack) {
  const oy_schema* schema = oy_op_schema(op);
  size_t count = schema ? schema->return_count : stack->size;
  if (count == 0) return Py_NewRef(Py_None);
  if (count == 1)
    return pyoy_typed_value(stack->data[0], schema ? schema->returns[0].type : NULL);
  PyObject* tuple = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; tuple && i < count; i++) {
    PyObject* item =
        pyoy_typed_value(stack->data[i], schema ? schema->returns[i].type : NULL);
    if (!item || PyTuple_SetItem(tuple, (Py_ssize_t)i, item) != 0) Py_CLEAR(tuple);
  }
  return tuple;
}

// ---------------------------------------------------------------------- calls

typedef struct call {
  const oy_op* op;
  PyObject *op_object, *args, *kwargs, *target;
  oy_stack stack;
  oy_value storage[ARGUMENTS_MAX];
} call;

// (op, target, args, kwargs): binds them.
static int begin(call* c, PyObject* arguments) {
  oy_stack_init(&c->stack, c->storage, ARGUMENTS_MAX);
  if (!PyArg_ParseTuple(arguments, "OOO!O!", &c->op_object, &c->target, &PyTuple_Type,
                        &c->args, &PyDict_Type, &c->kwargs))
    return -1;
  c->op = pyoy_op_from(c->op_object);
  return c->op ? pyoy_bind(c->op, c->args, c->kwargs, &c->stack) : -1;
}

static PyObject* end(call* c, oy_status status) {
  PyObject* result = status == OY_OK ? pyoy_results_to(c->op, &c->stack) : pyoy_raise();
  oy_stack_reset(&c->stack);
  return result;
}

static PyObject* fail(call* c) {
  oy_stack_reset(&c->stack);
  return NULL;
}

static PyObject* call_boxed(PyObject* module, PyObject* arguments) {
  call c;
  oy_status status;
  (void)module;
  if (begin(&c, arguments) != 0) return fail(&c);
  Py_BEGIN_ALLOW_THREADS;
  status = oy_op_call_boxed(c.op, &c.stack);
  Py_END_ALLOW_THREADS;
  return end(&c, status);
}

static PyObject* redispatch_boxed(PyObject* module, PyObject* arguments) {
  call c;
  oy_keyset keys;
  oy_status status;
  (void)module;
  if (begin(&c, arguments) != 0 || pyoy_keyset_from(c.target, &keys) != 0)
    return fail(&c);
  Py_BEGIN_ALLOW_THREADS;
  status = oy_op_redispatch_boxed(c.op, keys, &c.stack);
  Py_END_ALLOW_THREADS;
  return end(&c, status);
}

static PyObject* call_for_key(PyObject* module, PyObject* arguments) {
  call c;
  oy_key key;
  oy_status status;
  (void)module;
  if (begin(&c, arguments) != 0 || !pyoy_key_converter(c.target, &key)) return fail(&c);
  Py_BEGIN_ALLOW_THREADS;
  status = oy_op_call_boxed_for_key(c.op, key, &c.stack);
  Py_END_ALLOW_THREADS;
  return end(&c, status);
}

// -------------------------------------------------------------------- explain

static oy_argument_keys keys_of(oy_value v) {
  oy_argument_keys k = {oy_keyset_empty(), OY_DTYPE_ANY};
  if (v.tag == OY_TAG_TENSOR)
    return (oy_argument_keys){v.as.object->keys, v.as.object->dtype};
  if (v.tag != OY_TAG_TENSOR_LIST) return k;
  for (size_t i = 0; i < v.count; i++) {
    const oy_object* tensor = v.as.tensors[i];
    if (oy_object_is_none(tensor)) continue;
    k.keys = oy_keyset_or(k.keys, tensor->keys);
    if (k.dtype == OY_DTYPE_ANY || tensor->dtype > k.dtype) k.dtype = tensor->dtype;
  }
  return k;
}

static PyObject* steps_object(const oy_explanation* e) {
  static const char* const verdicts[] = {"chosen", "lost", "next"};
  PyObject* list = PyList_New(0);
  for (size_t i = 0; list && i < e->step_count; i++) {
    const oy_explain_step* s = &e->steps[i];
    PyObject* item = Py_BuildValue("(sssss)", oy_key_name(s->key), verdicts[s->verdict],
                                   s->kernel, s->provenance, s->reason);
    if (!item || PyList_Append(list, item) != 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static PyObject* argument_sets(const oy_op* op, const oy_explanation* e) {
  const oy_schema* schema = oy_op_schema(op);
  PyObject* list = PyList_New(0);
  size_t at = 0;
  for (size_t i = 0; list && schema && i < schema->argument_count; i++) {
    if (!(op->dispatch_arguments >> i & 1) || at == e->argument_count) continue;
    const oy_argument* a = &schema->arguments[i];
    PyObject* set = pyoy_keyset_object(e->argument_keys[at++]);
    PyObject* item =
        set ? Py_BuildValue("(s#N)", a->name.data, (Py_ssize_t)a->name.size, set) : NULL;
    if (!item || PyList_Append(list, item) != 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

// As a dictionary; opyard.dispatch.Explanation shows it.
static PyObject* explanation_object(const oy_op* op, const oy_explanation* e) {
  const struct {
    const char* name;
    oy_keyset keys;
  } sets[] = {{"arguments", e->arguments},
              {"included", e->included},
              {"excluded", e->excluded},
              {"masked", e->masked},
              {"effective", e->effective}};
  const char* dtype = e->dtype == OY_DTYPE_ANY ? NULL : oy_dtype_name(e->dtype);
  PyObject* argument_keys = argument_sets(op, e);
  PyObject* steps = argument_keys ? steps_object(e) : NULL;
  PyObject* dict =
      steps ? Py_BuildValue("{sNsNsssz}", "argument_keys", argument_keys, "steps", steps,
                            "slot", oy_key_name(e->slot), "dtype", dtype)
            : NULL;
  if (!steps) Py_XDECREF(argument_keys);
  for (size_t i = 0; dict && i < sizeof sets / sizeof *sets; i++) {
    PyObject* set = pyoy_keyset_object(sets[i].keys);
    if (!set || PyDict_SetItemString(dict, sets[i].name, set) != 0) Py_CLEAR(dict);
    Py_XDECREF(set);
  }
  return dict;
}

static PyObject* explain(PyObject* module, PyObject* arguments) {
  call c;
  oy_argument_keys keys[ARGUMENTS_MAX];
  size_t count = 0;
  oy_explanation* e;
  (void)module;
  if (begin(&c, arguments) != 0) return fail(&c);
  for (size_t i = 0; i < c.op->argument_count; i++)
    if (c.op->dispatch_arguments >> i & 1) keys[count++] = keys_of(c.stack.data[i]);
  oy_status status = oy_explain(c.op, keys, count, &e);
  oy_stack_reset(&c.stack);
  if (status != OY_OK) return pyoy_raise();
  PyObject* result = explanation_object(c.op, e);
  oy_explanation_free(e);
  return result;
}

static PyMethodDef functions[] = {
    {"call_boxed", call_boxed, METH_VARARGS, "call_boxed(op, None, args, kwargs)"},
    {"redispatch_boxed", redispatch_boxed, METH_VARARGS,
     "redispatch_boxed(op, keys, args, kwargs): with exactly these keys"},
    {"call_for_key", call_for_key, METH_VARARGS,
     "call_for_key(op, key, args, kwargs): the kernel registered for that key"},
    {"explain", explain, METH_VARARGS, "explain(op, None, args, kwargs): a dictionary"},
    {NULL, NULL, 0, NULL},
};

int pyoy_add_dispatch_call(PyObject* module) {
  return PyModule_AddFunctions(module, functions);
}
