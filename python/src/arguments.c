// SPDX-License-Identifier: Apache-2.0
// The stack of a boxed call as Python's arguments, and what Python gave as its results.
#include <stdio.h>

#include "library.h"

enum { FORMATS = 16 };
static PyObject *g_layouts[FORMATS], *g_memory_formats[FORMATS];

static const oy_type* plain(const oy_type* type) {
  while (type && type->kind == OY_TYPE_OPTIONAL) type = type->element;
  return type;
}

static PyObject* constant(PyObject* const* table, int64_t number) {
  if (number >= 0 && number < FORMATS && table[number]) return Py_NewRef(table[number]);
  return PyLong_FromLongLong(number);
}

PyObject* pyoy_typed_value(oy_value value, const oy_type* type) {
  type = plain(type);
  if (type && value.tag == OY_TAG_INT) {
    if (type->kind == OY_TYPE_LAYOUT) return constant(g_layouts, value.as.i);
    if (type->kind == OY_TYPE_MEMORY_FORMAT)
      return constant(g_memory_formats, value.as.i);
  }
  return pyoy_value_to(value, type);
}

// ------------------------------------------------------------------ defaults

static bool equals_default(const oy_default* d, oy_value v);

static bool equals_list(const oy_default* d, oy_value v) {
  if (v.tag == OY_TAG_NONE || d->item_count != v.count) return false;
  for (size_t i = 0; i < v.count; i++) {
    oy_value item;
    switch (v.tag) {
      case OY_TAG_INT_LIST: item = oy_int(v.as.ints[i]); break;
      case OY_TAG_FLOAT_LIST: item = oy_float(v.as.floats[i]); break;
      case OY_TAG_BOOL_LIST: item = oy_bool(v.as.bools[i]); break;
      case OY_TAG_LIST: item = v.as.values[i]; break;
      default: return false;
    }
    if (!equals_default(&d->items[i], item)) return false;
  }
  return true;
}

static bool equals_device(const oy_default* d, oy_value v) {
  char text[64];
  oy_device_print(v.as.device, text, sizeof text);
  return oy_str_equal(d->text, oy_str_of(text));
}

static bool equals_default(const oy_default* d, oy_value v) {
  double number = v.tag == OY_TAG_FLOAT ? v.as.d : (double)v.as.i;
  bool is_number = v.tag == OY_TAG_INT || v.tag == OY_TAG_FLOAT;
  switch (d->kind) {
    case OY_DEFAULT_ABSENT: return false;
    case OY_DEFAULT_NONE: return v.tag == OY_TAG_NONE;
    case OY_DEFAULT_INT:
      return v.tag == OY_TAG_INT ? v.as.i == d->i : is_number && number == (double)d->i;
    case OY_DEFAULT_FLOAT: return is_number && number == d->re;
    case OY_DEFAULT_BOOL: return v.tag == OY_TAG_BOOL && v.as.i == d->i;
    case OY_DEFAULT_COMPLEX:
      return v.tag == OY_TAG_COMPLEX && v.as.complex_data->re == d->re &&
             v.as.complex_data->im == d->im;
    case OY_DEFAULT_STR:
      if (v.tag == OY_TAG_DEVICE) return equals_device(d, v);
      return v.tag == OY_TAG_STR && oy_str_equal(d->text, (oy_str){v.as.chars, v.count});
    case OY_DEFAULT_LIST: return equals_list(d, v);
  }
  return false;
}

// ----------------------------------------------------------------- arguments

// How many positional arguments are handed over.
static size_t positional(const oy_schema* schema, const oy_value* values) {
  size_t count = 0;
  while (count < schema->argument_count && !schema->arguments[count].kwarg_only) count++;
  while (count > 0 &&
         equals_default(&schema->arguments[count - 1].default_value, values[count - 1]))
    count--;
  return count;
}

static int add_keyword(PyObject* kwargs, const oy_argument* a, oy_value value) {
  PyObject* name = PyUnicode_FromStringAndSize(a->name.data, (Py_ssize_t)a->name.size);
  PyObject* item = name ? pyoy_typed_value(value, a->type) : NULL;
  int failed = item ? PyDict_SetItem(kwargs, name, item) : -1;
  Py_XDECREF(name);
  Py_XDECREF(item);
  return failed;
}

static PyObject* keywords(const oy_schema* schema, const oy_value* values) {
  PyObject* kwargs = PyDict_New();
  for (size_t i = 0; kwargs && i < schema->argument_count; i++) {
    const oy_argument* a = &schema->arguments[i];
    if (!a->kwarg_only || equals_default(&a->default_value, values[i])) continue;
    if (add_keyword(kwargs, a, values[i]) != 0) Py_CLEAR(kwargs);
  }
  return kwargs;
}

int pyoy_arguments_to(const oy_op* op, const oy_stack* stack, PyObject** out_args,
                      PyObject** out_kwargs) {
  *out_args = *out_kwargs = NULL;
  const oy_schema* schema = oy_op_schema(op);
  if (!schema) {
    PyErr_SetString(PyExc_LookupError, "the definition of the operator was removed");
    return -1;
  }
  const oy_value* values = stack->data + (stack->size - schema->argument_count);
  size_t count = positional(schema, values);
  PyObject* args = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; args && i < count; i++) {
    PyObject* item = pyoy_typed_value(values[i], schema->arguments[i].type);
    if (!item || PyTuple_SetItem(args, (Py_ssize_t)i, item) != 0) Py_CLEAR(args);
  }
  PyObject* kwargs = args ? keywords(schema, values) : NULL;
  if (kwargs) {
    *out_args = args;
    *out_kwargs = kwargs;
    return 0;
  }
  Py_XDECREF(args);
  return -1;
}

// ------------------------------------------------------------------- results

static int cannot_cast(PyObject* object, const oy_type* type) {
  char* text = NULL;
  if (oy_type_print(type, &text) != OY_OK) {
    pyoy_raise();
    return -1;
  }
  PyErr_Format(PyExc_RuntimeError, "Unable to cast %R to %s", object, text);
  oy_text_free(text);
  return -1;
}

// Numbers are taken as generously as PyTorch takes them; tensors are not made of numbers.
static int is_number_type(const oy_type* type) {
  switch (plain(type)->kind) {
    case OY_TYPE_INT:
    case OY_TYPE_SYMINT:
    case OY_TYPE_FLOAT:
    case OY_TYPE_BOOL:
    case OY_TYPE_SCALAR: return 1;
    default: return 0;
  }
}

static pyoy_fit number_from(PyObject* object, const oy_type* type, oy_value* out) {
  oy_tensor* tensor = pyoy_unwrap(object);
  if (!tensor) return pyoy_value_from(object, type, 1, out);
  if (oy_tensor_ndim(tensor) != 0) return PYOY_NO;
  PyObject* item = pyoy_item(tensor);
  if (!item) return PYOY_ERROR;
  pyoy_fit fit = pyoy_value_from(item, type, 1, out);
  Py_DECREF(item);
  return fit;
}

static int push_result(PyObject* object, const oy_type* type, oy_stack* stack) {
  oy_value value = oy_none();
  // None stands for a tensor that is not there.
  bool absent = object == Py_None && plain(type)->kind == OY_TYPE_TENSOR;
  pyoy_fit fit = absent ? PYOY_YES : pyoy_value_from(object, type, 0, &value);
  if (fit == PYOY_NO && is_number_type(type)) fit = number_from(object, type, &value);
  if (fit == PYOY_ERROR) return -1;
  if (fit == PYOY_NO) return cannot_cast(object, type);
  // The object may go before the results are read.
  if (oy_value_own(&value) == OY_OK && oy_stack_push(stack, value) == OY_OK) return 0;
  pyoy_raise();
  return -1;
}

static PyObject* op_text(const oy_op* op) {
  oy_str name = oy_op_name_of(op);
  return PyUnicode_FromStringAndSize(name.data, (Py_ssize_t)name.size);
}

static int not_none(const oy_op* op, const char* who) {
  PyObject* name = op_text(op);
  if (name)
    PyErr_Format(PyExc_RuntimeError,
                 "Expected %s for %U to return None but it returned something else "
                 "instead.",
                 who, name);
  Py_XDECREF(name);
  return -1;
}

static int wrong_count(const oy_op* op, const char* who, size_t wanted, Py_ssize_t got) {
  PyObject* name = op_text(op);
  if (name)
    PyErr_Format(PyExc_RuntimeError,
                 "Expected %s for %U to return %zu values but it returned %zd instead.",
                 who, name, wanted, got);
  Py_XDECREF(name);
  return -1;
}

static int push_several(const oy_op* op, const oy_schema* schema, PyObject* result,
                        const char* who, oy_stack* stack) {
  if (!PySequence_Check(result) || pyoy_unwrap(result)) {
    PyObject* name = PyType_GetName(Py_TYPE(result));
    if (name)
      PyErr_Format(PyExc_TypeError,
                   "Object of type '%U' is not an instance of 'sequence'", name);
    Py_XDECREF(name);
    return -1;
  }
  Py_ssize_t size = PySequence_Size(result);
  if (size < 0) return -1;
  if ((size_t)size != schema->return_count)
    return wrong_count(op, who, schema->return_count, size);
  for (Py_ssize_t i = 0; i < size; i++) {
    PyObject* item = PySequence_GetItem(result, i);
    int failed = item ? push_result(item, schema->returns[i].type, stack) : -1;
    Py_XDECREF(item);
    if (failed) return -1;
  }
  return 0;
}

int pyoy_results_from(const oy_op* op, const oy_schema* schema, PyObject* result,
                      const char* who, oy_stack* stack) {
  if (schema->return_count == 1)
    return push_result(result, schema->returns[0].type, stack);
  if (schema->return_count > 1) return push_several(op, schema, result, who, stack);
  return result == Py_None ? 0 : not_none(op, who);
}

// ------------------------------------------------------------------ the call

static PyObject* call_with(PyObject* callable, PyObject* first, PyObject* args,
                           PyObject* kwargs) {
  PyObject* all = first ? PySequence_Concat(first, args) : Py_NewRef(args);
  PyObject* result = all ? PyObject_Call(callable, all, kwargs) : NULL;
  Py_XDECREF(all);
  return result;
}

oy_status pyoy_call_kernel(const oy_op* op, oy_stack* stack, PyObject* callable,
                           PyObject* first, const char* who) {
  PyObject *args, *kwargs;
  size_t base = stack->size - op->argument_count;
  // What a call has read stays until it is over, also if the kernel removes the operator.
  const oy_schema* schema = oy_op_schema(op);
  int failed = pyoy_arguments_to(op, stack, &args, &kwargs);
  PyObject* result = failed ? NULL : call_with(callable, first, args, kwargs);
  Py_XDECREF(args);
  Py_XDECREF(kwargs);
  oy_stack_drop(stack, stack->size - base);
  failed = result ? pyoy_results_from(op, schema, result, who, stack) : -1;
  Py_XDECREF(result);
  if (!failed) return OY_OK;
  oy_stack_drop(stack, stack->size - base);
  return pyoy_record_exception();
}

// ------------------------------------------------------------------ registration

static void keep_constants(PyObject* module, const char* const* names, size_t count,
                           PyTypeObject* type, PyObject** table) {
  for (size_t i = 0; i < count; i++) {
    PyObject* object = PyObject_GetAttrString(module, names[i]);
    int64_t number = -1;
    if (object && pyoy_constant_value(object, type, &number) && number >= 0 &&
        number < FORMATS && !table[number])
      table[number] = object;  // for the life of the process
    else
      Py_XDECREF(object);
  }
}

int pyoy_add_arguments(PyObject* module) {
  static const char* const layouts[] = {"strided",    "sparse_coo", "sparse_csr",
                                        "sparse_csc", "sparse_bsr", "sparse_bsc",
                                        "jagged"};
  static const char* const formats[] = {"contiguous_format", "preserve_format",
                                        "channels_last", "channels_last_3d"};
  keep_constants(module, layouts, sizeof layouts / sizeof *layouts, pyoy_layout_type,
                 g_layouts);
  keep_constants(module, formats, sizeof formats / sizeof *formats,
                 pyoy_memory_format_type, g_memory_formats);
  return PyErr_Occurred() ? -1 : 0;
}
