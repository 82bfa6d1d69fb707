// SPDX-License-Identifier: Apache-2.0
// All overloads of a name as one callable: opyard.add, x.add, opyard.ops.aten.add. Calling
// it picks the first overload that takes the arguments: strictly, as PyTorch's argument
// parser does, then with numbers as tensors, tensors without dimensions as numbers.
//
// A packet reads the registry when it is first called and when definitions have changed
// since, so it is always as the registry is.
#include "packet.h"

#include <structmember.h>

#include "overrides.h"

static PyTypeObject* g_packet_type;

// ------------------------------------------------------------------------- order

// The plain overloads come before those that take fewer arguments for more, and out= last.
static int rank(const pyoy_plan* plan) {
  static const char* const first[] = {"",    "Tensor", "default", "self",
                                      "dim", "Scalar", "int"};
  enum { COUNT = sizeof first / sizeof *first };
  oy_str name = plan->schema->name.overload;
  for (int i = 0; i < COUNT; i++)
    if (oy_str_equal(name, oy_str_of(first[i]))) return i;
  // Where a number may be a tensor, it is one: out before Scalar_out.
  const bool is_of_number = name.size > 6 && memcmp(name.data, "Scalar", 6) == 0;
  for (Py_ssize_t i = 0; i < plan->count; i++)
    if (plan->arguments[i].is_out) return COUNT + 2 + is_of_number;
  return COUNT + is_of_number;
}

static void sort_plans(pyoy_plan** plans, size_t count) {
  for (size_t i = 1; i < count; i++) {
    pyoy_plan* plan = plans[i];
    size_t k = i;
    for (; k > 0 && rank(plans[k - 1]) > rank(plan); k--) plans[k] = plans[k - 1];
    plans[k] = plan;
  }
}

static void release_plans(pyoy_plan** plans, size_t count) {
  for (size_t i = 0; i < count; i++) pyoy_plan_release(plans[i]);
  PyMem_Free(plans);
}

static int name_of(const packet* self, oy_str* out_name) {
  Py_ssize_t size;
  out_name->data = PyUnicode_AsUTF8AndSize(self->name, &size);
  out_name->size = out_name->data ? (size_t)size : 0;
  return out_name->data ? 0 : -1;
}

// The plans as the registry is now.
static int read_again(packet* self) {
  oy_str name;
  size_t found, count = 0;
  uint64_t now = pyoy_definitions();
  if (pyoy_list_again() != 0 || name_of(self, &name) != 0) return -1;
  const oy_op** ops = pyoy_find_overloads(name, &found);
  pyoy_plan** plans = PyMem_Calloc(found + 1, sizeof(*plans));
  if (!plans) {
    PyErr_NoMemory();
    return -1;
  }
  for (size_t i = 0; i < found; i++) {
    if (!oy_op_schema(ops[i])) continue;
    plans[count] = pyoy_plan_make(ops[i]);
    if (!plans[count]) {
      release_plans(plans, count);
      return -1;
    }
    count++;
  }
  sort_plans(plans, count);
  release_plans(self->plans, self->count);
  self->plans = plans;
  self->count = count;
  self->seen = now;
  return 0;
}

static int refresh(packet* self) {
  if (OY_LIKELY(self->seen == pyoy_definitions())) return 0;
  return read_again(self);
}

// ------------------------------------------------------------------------- calls

// A call may end plans: another thread, or what it calls, may define operators.
static PyObject* try_all(packet* self, const pyoy_arguments* arguments, int lenient,
                         pyoy_fit* out_fit) {
  pyoy_reason reason;
  *out_fit = PYOY_NO;
  for (size_t i = 0; i < self->count; i++) {
    PyObject* result =
        pyoy_plan_call(self->plans[i], arguments, lenient, out_fit, &reason);
    if (*out_fit != PYOY_NO) return result;
  }
  return NULL;
}

static PyObject* refuse(packet* self, const pyoy_arguments* arguments) {
  if (self->count == 0) {
    PyErr_Format(PyExc_AttributeError, "no operator %U is defined", self->name);
    return NULL;
  }
  if (self->count > 1) {
    // Overloads with out= are the others, as PyTorch counts.
    size_t plain = 0;
    while (plain < self->count && rank(self->plans[plain]) < 8) plain++;
    if (plain != 1 && !self->strict)
      return pyoy_misfit_raise_all(self->plans, self->count, arguments);
  }
  pyoy_fit fit;
  pyoy_reason reason;
  PyObject* result =
      pyoy_plan_call(self->plans[0], arguments, PYOY_LENIENT, &fit, &reason);
  if (fit != PYOY_NO) return result;
  return pyoy_misfit_raise(self->plans[0], arguments, &reason);
}

// Classes of arguments are asked before overloads are.
static __attribute__((cold, noinline)) PyObject* override(
    packet* self, const pyoy_arguments* arguments) {
  const char* name = PyUnicode_AsUTF8AndSize(self->name, NULL);
  const char* colons = name ? strstr(name, "::") : NULL;
  PyObject* full = PyUnicode_FromFormat("%s%s", self->is_method ? "Tensor." : "",
                                        colons ? colons + 2 : "");
  const char* text = full ? PyUnicode_AsUTF8AndSize(full, NULL) : NULL;
  PyObject* answer = text ? pyoy_override((PyObject*)self, text, arguments->values,
                                          arguments->count, arguments->names)
                          : NULL;
  Py_XDECREF(full);
  return answer;
}

PyObject* pyoy_packet_vectorcall(PyObject* object, PyObject* const* args, size_t nargsf,
                                 PyObject* names) {
  packet* self = (packet*)object;
  if (refresh(self) != 0) return NULL;
  pyoy_arguments arguments = {args, pyoy_nargs(nargsf), names, false};
  pyoy_fit fit;
  Py_ssize_t all = arguments.count + (names ? PyTuple_Size(names) : 0);
  if (OY_UNLIKELY(pyoy_any_overrides(args, all))) return override(self, &arguments);
  PyObject* result = try_all(self, &arguments, self->strict, &fit);
  if (OY_LIKELY(fit != PYOY_NO)) return result;
  result = try_all(self, &arguments, self->strict | PYOY_LENIENT, &fit);
  if (fit != PYOY_NO) return result;
  arguments.is_method = self->is_method && arguments.count > 0;
  return refuse(self, &arguments);
}

static PyObject* packet_call(PyObject* self, PyObject* args, PyObject* kwargs) {
  return pyoy_call_vector(((packet*)self)->vectorcall, self, args, kwargs);
}

// --------------------------------------------------------------------- packets

// PyTorch's parser takes numbers for tensors in these alone, before their Scalar forms.
static bool takes_numbers(const char* name) {
  static const char* const names[] = {
      "aten::add",          "aten::sub",      "aten::mul",      "aten::div",
      "aten::divide",       "aten::multiply", "aten::subtract", "aten::true_divide",
      "aten::floor_divide", "aten::copy"};
  size_t size = strlen(name);
  if (size && name[size - 1] == '_') size--;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i]) == size && memcmp(names[i], name, size) == 0) return true;
  return false;
}

packet* pyoy_packet_make(PyObject* name) {
  const char* text = PyUnicode_AsUTF8AndSize(name, NULL);
  packet* self = text ? PyObject_New(packet, g_packet_type) : NULL;
  if (!self) return NULL;
  self->vectorcall = pyoy_packet_vectorcall;
  self->name = Py_NewRef(name);
  self->seen = 0;
  self->count = 0;
  self->plans = NULL;
  self->is_method = false;
  self->strict = takes_numbers(text) ? PYOY_NUMBERS_AS_TENSORS : 0;
  return self;
}

// packet("aten::add"): None if no overload is defined.
PyObject* pyoy_find_packet(PyObject* module, PyObject* name) {
  (void)module;
  Py_ssize_t size;
  size_t count;
  if (!PyUnicode_Check(name)) {
    PyErr_SetString(PyExc_TypeError, "expected the name of an operator");
    return NULL;
  }
  const char* text = PyUnicode_AsUTF8AndSize(name, &size);
  if (!text || pyoy_list_again() != 0) return NULL;
  const oy_op** ops = pyoy_find_overloads((oy_str){text, (size_t)size}, &count);
  for (size_t i = 0; i < count; i++)
    if (oy_op_schema(ops[i])) return (PyObject*)pyoy_packet_make(name);
  return Py_NewRef(Py_None);
}

static void packet_dealloc(PyObject* object) {
  packet* self = (packet*)object;
  PyTypeObject* type = Py_TYPE(object);
  release_plans(self->plans, self->count);
  Py_DECREF(self->name);
  PyObject_Free(self);
  Py_DECREF(type);
}

// |plan|'s overload is called |name|, or has none and "default" is asked for.
static bool has_overload(const pyoy_plan* plan, oy_str name) {
  oy_str own = plan->schema->name.overload;
  if (own.size == 0) return oy_str_equal(name, oy_str_of("default"));
  return oy_str_equal(own, name);
}

static PyObject* find_overload(packet* self, oy_str name) {
  for (size_t i = 0; i < self->count; i++)
    if (has_overload(self->plans[i], name)) return pyoy_op_object(self->plans[i]->op);
  return NULL;
}

// Overloads first: looking for what a type does not have costs an exception.
static PyObject* packet_getattr(PyObject* object, PyObject* attribute) {
  packet* self = (packet*)object;
  oy_str name;
  Py_ssize_t size;
  name.data = PyUnicode_AsUTF8AndSize(attribute, &size);
  if (!name.data || refresh(self) != 0) return NULL;
  name.size = (size_t)size;
  PyObject* found = name.data[0] == '_' ? NULL : find_overload(self, name);
  if (found || PyErr_Occurred()) return found;
  found = PyObject_GenericGetAttr(object, attribute);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  PyErr_Clear();
  found = find_overload(self, name);
  if (!found && !PyErr_Occurred())
    PyErr_Format(PyExc_AttributeError, "%U has no overload '%U'", self->name, attribute);
  return found;
}

static PyObject* overloads(PyObject* object, PyObject* unused) {
  packet* self = (packet*)object;
  (void)unused;
  if (refresh(self) != 0) return NULL;
  PyObject* list = PyList_New((Py_ssize_t)self->count);
  for (size_t i = 0; list && i < self->count; i++) {
    oy_str name = self->plans[i]->schema->name.overload;
    if (name.size == 0) name = oy_str_of("default");
    PyObject* text = PyUnicode_FromStringAndSize(name.data, (Py_ssize_t)name.size);
    if (!text || PyList_SetItem(list, (Py_ssize_t)i, text) != 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject* packet_repr(PyObject* object) {
  PyObject* list = overloads(object, NULL);
  PyObject* comma = list ? PyUnicode_FromString(", ") : NULL;
  PyObject* joined = comma ? PyUnicode_Join(comma, list) : NULL;
  PyObject* repr =
      joined ? PyUnicode_FromFormat("<operator %U: %U>", ((packet*)object)->name, joined)
             : NULL;
  Py_XDECREF(list);
  Py_XDECREF(comma);
  Py_XDECREF(joined);
  return repr;
}

static PyObject* short_name(PyObject* object, void* closure) {
  (void)closure;
  oy_str name;
  if (name_of((packet*)object, &name) != 0) return NULL;
  const char* colons = strstr(name.data, "::");
  return PyUnicode_FromString(colons ? colons + 2 : name.data);
}

// The schemas, a line each.
static PyObject* get_doc(PyObject* object, void* closure) {
  packet* self = (packet*)object;
  (void)closure;
  if (refresh(self) != 0) return NULL;
  PyObject* text = PyUnicode_FromString("");
  for (size_t i = 0; text && i < self->count; i++) {
    char* schema;
    if (oy_schema_print(self->plans[i]->schema, &schema) != OY_OK) {
      Py_DECREF(text);
      return pyoy_raise();
    }
    PyObject* longer = PyUnicode_FromFormat("%U%s\n", text, schema);
    oy_text_free(schema);
    Py_DECREF(text);
    text = longer;
  }
  return text;
}

// ------------------------------------------------------------------------ types

static PyMethodDef g_packet_methods[] = {
    {"overloads", overloads, METH_NOARGS, "names of the overloads, as they are tried"},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef g_packet_getters[] = {
    {"__name__", short_name, NULL, NULL, NULL},
    {"__qualname__", short_name, NULL, NULL, NULL},
    {"__doc__", get_doc, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyMemberDef g_packet_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(packet, vectorcall), READONLY, NULL},
    {"_qualified_op_name", T_OBJECT, offsetof(packet, name), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};
static int add_types(PyObject* module) {
  PyType_Slot packet_slots[] = {
      {Py_tp_dealloc, packet_dealloc},
      {Py_tp_repr, packet_repr},
      {Py_tp_call, packet_call},
      {Py_tp_descr_get, pyoy_packet_get},
      {Py_tp_getattro, packet_getattr},
      {Py_tp_methods, g_packet_methods},
      {Py_tp_getset, g_packet_getters},
      {Py_tp_members, g_packet_members},
      {0, NULL},
  };
  const unsigned flags =
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | PYOY_HAVE_VECTORCALL;
  PyType_Spec packet_spec = {"opyard.OpPacket", sizeof(packet), 0,
                             flags | Py_TPFLAGS_METHOD_DESCRIPTOR, packet_slots};
  g_packet_type = (PyTypeObject*)PyType_FromSpec(&packet_spec);
  return g_packet_type ? PyModule_AddType(module, g_packet_type) : -1;
}

int pyoy_add_packet(PyObject* module) {
  static PyMethodDef functions[] = {
      {"packet", pyoy_find_packet, METH_O,
       "All overloads of \"aten::add\" as one callable; None if there are none."},
      {"set_return_types", pyoy_set_return_types, METH_O,
       "Sets who makes the types of several results."},
      {NULL, NULL, 0, NULL},
  };
  if (add_types(module) != 0) return -1;
  return PyModule_AddFunctions(module, functions);
}
