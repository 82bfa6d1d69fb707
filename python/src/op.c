// SPDX-License-Identifier: Apache-2.0
// Operators as callable objects: arguments by the schema, a boxed call, results.
#include "module.h"

#include <stdio.h>

enum { ARGUMENTS_MAX = 64 };

PyTypeObject* pyoy_op_type;

static const oy_schema* schema_of(PyObject* self) {
  return oy_op_schema(((pyoy_op*)self)->op);
}

// The values of one call, in the order in which the schema check wants them.
typedef struct call {
  const oy_op* op;
  const oy_schema* schema;
  PyObject *args, *kwargs;
  int lenient;
  oy_stack stack;
  oy_str names[ARGUMENTS_MAX];
  size_t name_count;
  oy_value storage[ARGUMENTS_MAX];
} call;

// NumPy's words for what PyTorch takes under its own, and the name that functions
// give to self.
static oy_str own_name(oy_str name) {
  static const char* const synonyms[][2] = {
      {"input", "self"}, {"axis", "dim"}, {"keepdims", "keepdim"}, {"x", "self"}};
  for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
    if (oy_str_equal(name, oy_str_of(synonyms[i][0]))) return oy_str_of(synonyms[i][1]);
  return name;
}

static const oy_argument* find_argument(const oy_schema* schema, oy_str name) {
  for (size_t i = 0; i < schema->argument_count; i++)
    if (oy_str_equal(schema->arguments[i].name, name)) return &schema->arguments[i];
  return NULL;
}

// Whether a value fits; if it does not, an exception says which, for callers that have
// no other overload to try.
static pyoy_fit misfit(const call* c, oy_str name, PyObject* object) {
  oy_str op = oy_op_name_of(c->op);
  char text[2][160];
  snprintf(text[0], sizeof text[0], "%.*s", OY_STR_ARG(op));
  snprintf(text[1], sizeof text[1], "%.*s", OY_STR_ARG(name));
  PyObject* type = PyType_GetName(Py_TYPE(object));
  if (!type) return PYOY_ERROR;
  PyErr_Format(PyExc_TypeError, "%s(): argument '%s' cannot be a %U", text[0], text[1],
               type);
  Py_DECREF(type);
  return PYOY_NO;
}

static pyoy_fit push(call* c, PyObject* object, const oy_argument* argument) {
  oy_value value;
  pyoy_fit fit = pyoy_value_from(object, argument->type, c->lenient, &value);
  if (fit == PYOY_NO) return misfit(c, argument->name, object);
  if (fit == PYOY_ERROR) return fit;
  if (oy_stack_push(&c->stack, value) == OY_OK) return PYOY_YES;
  pyoy_raise();
  return PYOY_ERROR;
}

static int is_int_list(const oy_type* type) {
  while (type->kind == OY_TYPE_OPTIONAL) type = type->element;
  return type->kind == OY_TYPE_LIST &&
         (type->element->kind == OY_TYPE_INT || type->element->kind == OY_TYPE_SYMINT);
}

// x.view(2, 3): the numbers from |i| on are one list.
static pyoy_fit push_rest(call* c, Py_ssize_t i, const oy_argument* argument) {
  PyObject* rest = PyTuple_GetSlice(c->args, i, PyTuple_Size(c->args));
  if (!rest) return PYOY_ERROR;
  pyoy_fit fit = push(c, rest, argument);
  Py_DECREF(rest);
  return fit;
}

static pyoy_fit push_positional(call* c) {
  Py_ssize_t count = PyTuple_Size(c->args);
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject* object = PyTuple_GetItem(c->args, i);
    const oy_argument* argument =
        (size_t)i < c->schema->argument_count ? &c->schema->arguments[i] : NULL;
    if (!argument || argument->kwarg_only) {
      PyErr_Format(PyExc_TypeError, "takes %zd positional arguments but %zd were given",
                   i, count);
      return PYOY_NO;
    }
    if (c->lenient && i < 2 && PyLong_Check(object) && is_int_list(argument->type))
      return push_rest(c, i, argument);
    pyoy_fit fit = push(c, object, argument);
    if (fit != PYOY_YES) return fit;
  }
  return PYOY_YES;
}

static pyoy_fit push_keyword(call* c, PyObject* key, PyObject* object) {
  Py_ssize_t size;
  const char* text = PyUnicode_AsUTF8AndSize(key, &size);
  if (!text) return PYOY_ERROR;
  oy_str name = {text, (size_t)size};
  const oy_argument* argument = find_argument(c->schema, name);
  if (!argument) argument = find_argument(c->schema, own_name(name));
  if (!argument || c->name_count == ARGUMENTS_MAX) {
    PyErr_Format(PyExc_TypeError, "got an unexpected keyword argument '%U'", key);
    return PYOY_NO;
  }
  c->names[c->name_count++] = argument->name;
  return push(c, object, argument);
}

static pyoy_fit push_keywords(call* c) {
  PyObject *key, *object;
  Py_ssize_t at = 0;
  while (c->kwargs && PyDict_Next(c->kwargs, &at, &key, &object)) {
    pyoy_fit fit = push_keyword(c, key, object);
    if (fit != PYOY_YES) return fit;
  }
  return PYOY_YES;
}

// PYOY_NO: they do not fit, and an exception says why.
static pyoy_fit bind(call* c) {
  pyoy_fit fit = push_positional(c);
  if (fit == PYOY_YES) fit = push_keywords(c);
  if (fit != PYOY_YES) return fit;
  if (oy_op_push_defaults(c->op, &c->stack, c->stack.size, c->names, c->name_count) ==
      OY_OK)
    return PYOY_YES;
  bool no_memory = oy_error_get()->code == OY_OUT_OF_MEMORY;
  pyoy_raise();
  return no_memory ? PYOY_ERROR : PYOY_NO;
}

// ------------------------------------------------------------------ results

// In-place and out= calls give the object that came in.
static PyObject* same_object(PyObject* object, const oy_tensor* tensor) {
  return pyoy_unwrap(object) == tensor ? Py_NewRef(object) : NULL;
}

static PyObject* find_given(const call* c, const oy_tensor* tensor) {
  PyObject *key, *object, *found;
  Py_ssize_t at = 0;
  for (Py_ssize_t i = 0; i < PyTuple_Size(c->args); i++)
    if ((found = same_object(PyTuple_GetItem(c->args, i), tensor))) return found;
  while (c->kwargs && PyDict_Next(c->kwargs, &at, &key, &object))
    if ((found = same_object(object, tensor))) return found;
  return NULL;
}

static PyObject* result(const call* c, size_t i) {
  oy_value value = c->stack.data[i];
  const oy_argument* declared =
      i < c->schema->return_count ? &c->schema->returns[i] : NULL;
  if (value.tag == OY_TAG_TENSOR && declared && declared->alias) {
    PyObject* given = find_given(c, value.as.object);
    if (given) return given;
  }
  return pyoy_value_to(value, declared ? declared->type : NULL);
}

static PyObject* results(const call* c) {
  size_t count = c->stack.size;
  if (count == 0) return Py_NewRef(Py_None);
  if (count == 1) return result(c, 0);
  PyObject* tuple = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; tuple && i < count; i++) {
    PyObject* item = result(c, i);
    if (!item || PyTuple_SetItem(tuple, (Py_ssize_t)i, item) != 0) Py_CLEAR(tuple);
  }
  return tuple;
}

static PyObject* run(call* c) {
  oy_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = oy_op_call_boxed(c->op, &c->stack);
  Py_END_ALLOW_THREADS;
  return status == OY_OK ? results(c) : pyoy_raise();
}

// Calls |self|. *out_fit tells arguments that do not fit from a call that failed.
static PyObject* call_one(PyObject* self, PyObject* args, PyObject* kwargs, int lenient,
                          pyoy_fit* out_fit) {
  call c;
  c.op = ((pyoy_op*)self)->op;
  c.schema = schema_of(self);
  c.args = args;
  c.kwargs = kwargs;
  c.lenient = lenient;
  c.name_count = 0;
  oy_stack_init(&c.stack, c.storage, ARGUMENTS_MAX);
  PyObject* value = NULL;
  if (!c.schema) {
    PyErr_SetString(PyExc_LookupError, "the definition of the operator was removed");
    *out_fit = PYOY_ERROR;
  } else {
    *out_fit = bind(&c);
    if (*out_fit == PYOY_YES) value = run(&c);
  }
  oy_stack_reset(&c.stack);
  return value;
}

static PyObject* op_call(PyObject* self, PyObject* args, PyObject* kwargs) {
  pyoy_fit fit;
  return call_one(self, args, kwargs, 1, &fit);
}

// Keeps the text of the pending exception, a line an overload.
static int note_misfit(PyObject* self, PyObject** rejected) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  oy_str name = oy_op_name_of(((pyoy_op*)self)->op);
  char text[160];
  snprintf(text, sizeof text, "%.*s", OY_STR_ARG(name));
  PyObject* joined = PyUnicode_FromFormat("%U\n  %s: %S", *rejected, text, value);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
  if (!joined) return -1;
  Py_DECREF(*rejected);
  *rejected = joined;
  return 0;
}

static PyObject* call_first(PyObject* ops, PyObject* args, PyObject* kwargs,
                            PyObject** rejected) {
  for (int lenient = 0; lenient < 2; lenient++) {
    for (Py_ssize_t i = 0; i < PyTuple_Size(ops); i++) {
      PyObject* op = PyTuple_GetItem(ops, i);
      if (!Py_IS_TYPE(op, pyoy_op_type)) {
        PyErr_SetString(PyExc_TypeError, "call_overloaded() expects operators");
        return NULL;
      }
      pyoy_fit fit;
      PyObject* value = call_one(op, args, kwargs, lenient, &fit);
      if (fit != PYOY_NO) return value;
      if (!lenient)
        PyErr_Clear();
      else if (note_misfit(op, rejected) != 0)
        return NULL;
    }
  }
  PyErr_Format(PyExc_TypeError, "no overload takes these arguments:%U", *rejected);
  return NULL;
}

// call_overloaded(ops, args, kwargs): the first of |ops| that takes the arguments, as
// they are or, if none does, with numbers as tensors and the like.
static PyObject* call_overloaded(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject *ops, *args, *kwargs;
  if (!PyArg_ParseTuple(arguments, "O!O!O!:call_overloaded", &PyTuple_Type, &ops,
                        &PyTuple_Type, &args, &PyDict_Type, &kwargs))
    return NULL;
  PyObject* rejected = PyUnicode_FromString("");
  if (!rejected) return NULL;
  PyObject* value = call_first(ops, args, kwargs, &rejected);
  Py_DECREF(rejected);
  return value;
}

// -------------------------------------------------------------------- finding

static PyObject* wrap_op(const oy_op* op) {
  pyoy_op* self = PyObject_New(pyoy_op, pyoy_op_type);
  if (self) self->op = op;
  return (PyObject*)self;
}

static PyObject* list_ops(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  const oy_op** ops;
  size_t count;
  if (oy_registry_list(oy_registry_default(), &ops, &count) != OY_OK) return pyoy_raise();
  PyObject* list = PyList_New(0);
  for (size_t i = 0; list && i < count; i++) {
    if (!oy_op_schema(ops[i])) continue;
    PyObject* op = wrap_op(ops[i]);
    if (!op || PyList_Append(list, op) != 0) Py_CLEAR(list);
    Py_XDECREF(op);
  }
  oy_ops_free(ops);
  return list;
}

static void op_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject* get_name(PyObject* self, void* closure) {
  (void)closure;
  oy_str name = oy_op_name_of(((pyoy_op*)self)->op);
  return PyUnicode_FromStringAndSize(name.data, (Py_ssize_t)name.size);
}

static PyObject* get_schema(PyObject* self, void* closure) {
  (void)closure;
  const oy_schema* schema = schema_of(self);
  char* text;
  if (!schema) return Py_NewRef(Py_None);
  if (oy_schema_print(schema, &text) != OY_OK) return pyoy_raise();
  PyObject* result_text = PyUnicode_FromString(text);
  oy_text_free(text);
  return result_text;
}

static PyObject* get_tags(PyObject* self, void* closure) {
  (void)closure;
  return PyUnicode_FromString(oy_op_tags(((pyoy_op*)self)->op));
}

static PyObject* op_repr(PyObject* self) {
  PyObject* name = get_name(self, NULL);
  PyObject* repr = name ? PyUnicode_FromFormat("<operator %U>", name) : NULL;
  Py_XDECREF(name);
  return repr;
}

int pyoy_add_op(PyObject* module) {
  static PyGetSetDef getters[] = {
      {"name", get_name, NULL, "\"aten::add.Tensor\"", NULL},
      {"schema", get_schema, NULL, NULL, NULL},
      {"tags", get_tags, NULL, "separated by blanks", NULL},
      {NULL, NULL, NULL, NULL, NULL},
  };
  static PyMethodDef functions[] = {
      {"ops", list_ops, METH_NOARGS, "All operators, sorted by name."},
      {"call_overloaded", call_overloaded, METH_VARARGS,
       "Calls the first operator that takes the arguments."},
      {NULL, NULL, 0, NULL},
  };
  PyType_Slot slots[] = {
      {Py_tp_dealloc, op_dealloc},
      {Py_tp_repr, op_repr},
      {Py_tp_call, op_call},
      {Py_tp_getset, getters},
      {0, NULL},
  };
  PyType_Spec spec = {"opyard.Op", sizeof(pyoy_op), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  pyoy_op_type = (PyTypeObject*)PyType_FromSpec(&spec);
  if (!pyoy_op_type || PyModule_AddType(module, pyoy_op_type) != 0) return -1;
  return PyModule_AddFunctions(module, functions);
}
