// SPDX-License-Identifier: Apache-2.0
// One overload of an operator as a callable object.
#include "plan.h"

#include <structmember.h>

PyTypeObject* pyoy_op_type;

PyObject* pyoy_call_vector(pyoy_vectorcall call, PyObject* self, PyObject* args,
                           PyObject* kwargs) {
  Py_ssize_t count = PyTuple_Size(args), named = kwargs ? PyDict_Size(kwargs) : 0;
  PyObject* values[2 * PYOY_ARGUMENTS];
  PyObject *names = NULL, *key, *object;
  if (count + named > 2 * PYOY_ARGUMENTS) {
    PyErr_Format(PyExc_TypeError, "expected at most %d arguments, got %zd",
                 2 * PYOY_ARGUMENTS, count + named);
    return NULL;
  }
  for (Py_ssize_t i = 0; i < count; i++) values[i] = PyTuple_GetItem(args, i);
  if (named > 0 && !(names = PyTuple_New(named))) return NULL;
  Py_ssize_t at = 0, k = 0;
  while (named > 0 && PyDict_Next(kwargs, &at, &key, &object)) {
    PyTuple_SetItem(names, k, Py_NewRef(key));
    values[count + k++] = object;
  }
  PyObject* result = call(self, values, (size_t)count, names);
  Py_XDECREF(names);
  return result;
}

static pyoy_plan* plan_of(pyoy_op* self) {
  uint64_t now = pyoy_definitions();
  if (self->plan && self->seen == now) return self->plan;
  pyoy_plan* plan = pyoy_plan_make(self->op);
  if (!plan) return NULL;
  pyoy_plan_release(self->plan);
  self->plan = plan;
  self->seen = now;
  return plan;
}

static PyObject* op_vectorcall(PyObject* self, PyObject* const* args, size_t nargsf,
                               PyObject* names) {
  pyoy_plan* plan = plan_of((pyoy_op*)self);
  if (!plan) return NULL;
  pyoy_arguments arguments = {args, pyoy_nargs(nargsf), names, false};
  pyoy_fit fit;
  pyoy_reason reason;
  PyObject* result = pyoy_plan_call(
      plan, &arguments, PYOY_LENIENT | PYOY_NUMBERS_AS_TENSORS, &fit, &reason);
  return fit == PYOY_NO ? pyoy_misfit_raise(plan, &arguments, &reason) : result;
}

static PyObject* op_call(PyObject* self, PyObject* args, PyObject* kwargs) {
  return pyoy_call_vector(op_vectorcall, self, args, kwargs);
}

static PyObject* new_object(const oy_op* op) {
  pyoy_op* self = PyObject_New(pyoy_op, pyoy_op_type);
  if (!self) return NULL;
  self->op = op;
  self->vectorcall = op_vectorcall;
  self->plan = NULL;
  self->seen = 0;
  return (PyObject*)self;
}

// One object each, for the life of the process, as operators: `func is ops.aten.mul.Tensor`.
PyObject* pyoy_op_object(const oy_op* op) {
  static PyObject* known;  // address -> object
  if (!known && !(known = PyDict_New())) return NULL;
  PyObject* address = PyLong_FromVoidPtr((void*)(uintptr_t)op);
  PyObject* found = address ? PyDict_GetItemWithError(known, address) : NULL;
  Py_XINCREF(found);
  if (!found && !PyErr_Occurred()) {
    found = new_object(op);
    if (found && PyDict_SetItem(known, address, found) != 0) Py_CLEAR(found);
  }
  Py_XDECREF(address);
  return found;
}

static void op_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  pyoy_plan_release(((pyoy_op*)self)->plan);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject* text_of(oy_str s) {
  return PyUnicode_FromStringAndSize(s.data ? s.data : "", (Py_ssize_t)s.size);
}

static PyObject* get_name(PyObject* self, void* closure) {
  (void)closure;
  return text_of(oy_op_name_of(((pyoy_op*)self)->op));
}

static PyObject* get_overload(PyObject* self, void* closure) {
  (void)closure;
  const oy_schema* schema = oy_op_schema(((pyoy_op*)self)->op);
  if (!schema) return Py_NewRef(Py_None);
  oy_str name = schema->name.overload;
  return name.size ? text_of(name) : PyUnicode_FromString("default");
}

static PyObject* get_schema(PyObject* self, void* closure) {
  (void)closure;
  const oy_schema* schema = oy_op_schema(((pyoy_op*)self)->op);
  char* text;
  if (!schema) return Py_NewRef(Py_None);
  if (oy_schema_print(schema, &text) != OY_OK) return pyoy_raise();
  PyObject* result = PyUnicode_FromString(text);
  oy_text_free(text);
  return result;
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

// "aten.add.Tensor", "aten.sum.default".
static PyObject* op_str(PyObject* self) {
  PyObject* name = get_name(self, NULL);
  PyObject* dotted = name ? PyObject_CallMethod(name, "replace", "ss", "::", ".") : NULL;
  PyObject* overload = dotted ? get_overload(self, NULL) : NULL;
  bool is_default = overload && overload != Py_None &&
                    PyUnicode_CompareWithASCIIString(overload, "default") == 0;
  PyObject* text = !overload    ? NULL
                   : is_default ? PyUnicode_FromFormat("%U.%U", dotted, overload)
                                : Py_NewRef(dotted);
  Py_XDECREF(name);
  Py_XDECREF(dotted);
  Py_XDECREF(overload);
  return text;
}

// Two objects may stand for one overload.
static PyObject* op_compare(PyObject* a, PyObject* b, int op) {
  if ((op != Py_EQ && op != Py_NE) || !Py_IS_TYPE(b, pyoy_op_type))
    return Py_NewRef(Py_NotImplemented);
  return PyBool_FromLong((((pyoy_op*)a)->op == ((pyoy_op*)b)->op) == (op == Py_EQ));
}

static Py_hash_t op_hash(PyObject* self) {
  return (Py_hash_t)((uintptr_t)((pyoy_op*)self)->op >> 4);
}

static PyGetSetDef g_getters[] = {
    {"name", get_name, NULL, "\"aten::add.Tensor\"", NULL},
    {"__name__", get_name, NULL, NULL, NULL},
    {"_overloadname", get_overload, NULL, "\"Tensor\"; \"default\" for none", NULL},
    {"schema", get_schema, NULL, NULL, NULL},
    {"_schema", get_schema, NULL, NULL, NULL},
    {"tags", get_tags, NULL, "separated by blanks", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

int pyoy_add_op(PyObject* module) {
  static PyMemberDef members[] = {
      {"__vectorcalloffset__", T_PYSSIZET, offsetof(pyoy_op, vectorcall), READONLY, NULL},
      {NULL, 0, 0, 0, NULL},
  };
  PyType_Slot slots[] = {
      {Py_tp_dealloc, op_dealloc},     {Py_tp_repr, op_repr},    {Py_tp_call, op_call},
      {Py_tp_getset, g_getters},       {Py_tp_members, members}, {Py_tp_hash, op_hash},
      {Py_tp_richcompare, op_compare}, {Py_tp_str, op_str},      {0, NULL},
  };
  PyType_Spec spec = {
      "opyard.Op", sizeof(pyoy_op), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | PYOY_HAVE_VECTORCALL,
      slots};
  pyoy_op_type = (PyTypeObject*)PyType_FromSpec(&spec);
  if (!pyoy_op_type || pyoy_plan_init() != 0) return -1;
  return PyModule_AddType(module, pyoy_op_type);
}
