// SPDX-License-Identifier: Apache-2.0
// TypeErrors of calls whose arguments fit no overload, in PyTorch's words.
#include "plan.h"

static const char* type_word(const oy_type* type) {
  switch (type->kind) {
    case OY_TYPE_TENSOR: return "Tensor";
    case OY_TYPE_INT:
    case OY_TYPE_SYMINT: return "int";
    case OY_TYPE_FLOAT: return "float";
    case OY_TYPE_BOOL: return "bool";
    case OY_TYPE_COMPLEX:
    case OY_TYPE_SCALAR: return "Number";
    case OY_TYPE_STR:
    case OY_TYPE_DIMNAME: return "str";
    case OY_TYPE_SCALAR_TYPE: return "torch.dtype";
    case OY_TYPE_LAYOUT: return "torch.layout";
    case OY_TYPE_MEMORY_FORMAT: return "torch.memory_format";
    case OY_TYPE_DEVICE: return "torch.device";
    case OY_TYPE_GENERATOR: return "torch.Generator";
    case OY_TYPE_LIST: return NULL;
    default: return "object";
  }
}

static PyObject* type_text(const oy_type* type) {
  while (type->kind == OY_TYPE_OPTIONAL) type = type->element;
  const char* word = type_word(type);
  if (word) return PyUnicode_FromString(word);
  const oy_type* element = type->element;
  while (element->kind == OY_TYPE_OPTIONAL) element = element->element;
  word = type_word(element);
  return PyUnicode_FromFormat("tuple of %ss", word ? word : "object");
}

// The function's name without the namespace.
static PyObject* function_name(const pyoy_plan* plan) {
  oy_str name = plan->schema->name.base;
  return PyUnicode_FromStringAndSize(name.data, (Py_ssize_t)name.size);
}

// What PyTorch calls an argument that the schema calls self, in functions.
static PyObject* shown_name(PyObject* name) {
  if (PyUnicode_CompareWithASCIIString(name, "self") == 0)
    return PyUnicode_FromString("input");
  return Py_NewRef(name);
}

// Of a list of tensors that holds something else. Whether it did.
static bool wrong_element(const pyoy_argument* argument, const pyoy_reason* reason,
                          Py_ssize_t uncounted) {
  PyObject* list = reason->object;
  bool is_list = PyList_Check(list) || PyTuple_Check(list);
  if (!is_list || argument->type->kind != OY_TYPE_LIST ||
      argument->type->element->kind != OY_TYPE_TENSOR)
    return false;
  for (Py_ssize_t i = 0; i < PySequence_Size(list); i++) {
    PyObject* item = PySequence_GetItem(list, i);
    PyObject* type = item && !pyoy_unwrap(item) ? pyoy_type_name(Py_TYPE(item)) : NULL;
    Py_XDECREF(item);
    if (type)
      PyErr_Format(PyExc_TypeError,
                   "expected Tensor as element %zd in argument %zd, but got %U", i,
                   reason->argument - uncounted, type);
    Py_XDECREF(type);
    if (PyErr_Occurred()) return true;
  }
  return false;
}

static PyObject* wrong_type(const pyoy_plan* plan, const pyoy_arguments* arguments,
                            const pyoy_reason* reason, PyObject* function) {
  const pyoy_argument* argument = &plan->arguments[reason->argument];
  const Py_ssize_t uncounted = arguments->is_method && reason->argument > 0;
  if (wrong_element(argument, reason, uncounted)) return NULL;
  PyObject* want = type_text(argument->type);
  PyObject* name = shown_name(argument->name);
  PyObject* got = pyoy_type_name(Py_TYPE(reason->object));
  if (want && name && got) {
    if (reason->position >= 0)
      PyErr_Format(PyExc_TypeError,
                   "%U(): argument '%U' (position %zd) must be %U, not %U", function,
                   name, reason->position + 1 - uncounted, want, got);
    else
      PyErr_Format(PyExc_TypeError, "%U(): argument '%U' must be %U, not %U", function,
                   name, want, got);
  }
  Py_XDECREF(want);
  Py_XDECREF(name);
  Py_XDECREF(got);
  return NULL;
}

static bool is_given(const pyoy_plan* plan, const pyoy_arguments* arguments,
                     Py_ssize_t i) {
  if (i < arguments->count) return true;
  Py_ssize_t count = arguments->names ? PyTuple_Size(arguments->names) : 0;
  for (Py_ssize_t k = 0; k < count; k++)
    if (pyoy_plan_find(plan, PyTuple_GetItem(arguments->names, k)) == i) return true;
  return false;
}

static PyObject* missing(const pyoy_plan* plan, const pyoy_arguments* arguments,
                         PyObject* function) {
  PyObject* names = PyUnicode_FromString("");
  Py_ssize_t count = 0;
  for (Py_ssize_t i = 0; names && i < plan->count; i++) {
    if (plan->arguments[i].has_default || is_given(plan, arguments, i)) continue;
    PyObject* name = shown_name(plan->arguments[i].name);
    PyObject* longer =
        name ? PyUnicode_FromFormat("%U%s\"%U\"", names, count++ ? ", " : "", name)
             : NULL;
    Py_XDECREF(name);
    Py_DECREF(names);
    names = longer;
  }
  // PyTorch has the "s" on the wrong side.
  if (names)
    PyErr_Format(PyExc_TypeError, "%U() missing %zd required positional argument%s: %U",
                 function, count, count == 1 ? "s" : "", names);
  Py_XDECREF(names);
  return NULL;
}

PyObject* pyoy_misfit_raise(const pyoy_plan* plan, const pyoy_arguments* arguments,
                            const pyoy_reason* reason) {
  PyObject* function = function_name(plan);
  if (!function) return NULL;
  const Py_ssize_t uncounted = arguments->is_method;
  const Py_ssize_t most = plan->positional - uncounted;
  switch (reason->kind) {
    case PYOY_MISFIT_TOO_MANY:
      PyErr_Format(PyExc_TypeError,
                   "%U() takes %zd positional argument%s but %zd were given", function,
                   most, most == 1 ? "" : "s", arguments->count - uncounted);
      break;
    case PYOY_MISFIT_MISSING: missing(plan, arguments, function); break;
    case PYOY_MISFIT_TYPE: wrong_type(plan, arguments, reason, function); break;
    case PYOY_MISFIT_KEYWORD:
      PyErr_Format(PyExc_TypeError, "%U() got an unexpected keyword argument '%U'",
                   function, reason->object);
      break;
    default:
      PyErr_Format(PyExc_TypeError, "%U() got multiple values for argument '%U'",
                   function, plan->arguments[reason->argument].name);
  }
  Py_DECREF(function);
  return NULL;
}

// ---------------------------------------------------------------- all overloads

static PyObject* join(PyObject* text, PyObject* part, const char* between) {
  PyObject* longer =
      text && part ? PyUnicode_FromFormat("%U%s%U", text, between, part) : NULL;
  Py_XDECREF(text);
  Py_XDECREF(part);
  return longer;
}

// "Tensor", or "tuple of (int, str)" as PyTorch names what came.
static PyObject* object_text(PyObject* object) {
  if (!PyTuple_Check(object) && !PyList_Check(object))
    return pyoy_type_name(Py_TYPE(object));
  PyObject* text =
      PyUnicode_FromString(PyTuple_Check(object) ? "tuple of (" : "list of [");
  Py_ssize_t size = PySequence_Size(object);
  for (Py_ssize_t i = 0; text && i < size; i++) {
    PyObject* item = PySequence_GetItem(object, i);
    text = join(text, item ? pyoy_type_name(Py_TYPE(item)) : NULL, i ? ", " : "");
    Py_XDECREF(item);
  }
  PyObject* close = PyUnicode_FromString(!PyTuple_Check(object) ? "]"
                                         : size == 1            ? ",)"
                                                                : ")");
  return join(text, close, "");
}

static PyObject* given_text(const pyoy_arguments* arguments) {
  PyObject* text = PyUnicode_FromString("");
  Py_ssize_t named = arguments->names ? PyTuple_Size(arguments->names) : 0;
  const Py_ssize_t first = arguments->is_method;
  for (Py_ssize_t i = first; text && i < arguments->count + named; i++) {
    PyObject* part = object_text(arguments->values[i]);
    if (part && i >= arguments->count) {
      PyObject* name = PyTuple_GetItem(arguments->names, i - arguments->count);
      part = join(Py_NewRef(name), part, "=");
    }
    text = join(text, part, i > first ? ", " : "");
  }
  return text;
}

static PyObject* option_text(const pyoy_plan* plan, Py_ssize_t first) {
  PyObject* text = PyUnicode_FromString("\n * (");
  bool starred = false;
  for (Py_ssize_t i = first; text && i < plan->count; i++) {
    const pyoy_argument* argument = &plan->arguments[i];
    PyObject* type = type_text(argument->type);
    PyObject* name = shown_name(argument->name);
    const char* star = argument->kwarg_only && !starred ? "*, " : "";
    starred |= argument->kwarg_only;
    PyObject* part =
        type && name ? PyUnicode_FromFormat("%s%U %U", star, type, name) : NULL;
    Py_XDECREF(type);
    Py_XDECREF(name);
    text = join(text, part, i > first ? ", " : "");
  }
  return join(text, PyUnicode_FromString(")"), "");
}

PyObject* pyoy_misfit_raise_all(pyoy_plan* const* plans, size_t count,
                                const pyoy_arguments* arguments) {
  PyObject* function = function_name(plans[0]);
  PyObject* given = given_text(arguments);
  PyObject* options = PyUnicode_FromString("");
  for (size_t i = 0; options && i < count; i++)
    options = join(options, option_text(plans[i], arguments->is_method), "");
  if (function && given && options)
    PyErr_Format(PyExc_TypeError,
                 "%U() received an invalid combination of arguments - got (%U), but "
                 "expected one of:%U",
                 function, given, options);
  Py_XDECREF(function);
  Py_XDECREF(given);
  Py_XDECREF(options);
  return NULL;
}
