// SPDX-License-Identifier: Apache-2.0
#include "plan.h"

// What PyTorch takes besides the names of a schema.
static const char* const g_synonym_texts[][2] = {
    {"input", "self"},  {"axis", "dim"},    {"keepdims", "keepdim"}, {"x", "self"},
    {"x1", "self"},     {"x2", "other"},    {"a", "self"},           {"dims", "dim"},
    {"tensor", "self"}, {"tensors", "self"}};
enum { SYNONYMS = sizeof g_synonym_texts / sizeof *g_synonym_texts };
static PyObject* g_synonyms[SYNONYMS][2];
static PyObject* g_return_types;

PyObject* pyoy_set_return_types(PyObject* module, PyObject* maker) {
  (void)module;
  PyObject* before = g_return_types;
  g_return_types = Py_NewRef(maker);
  Py_XDECREF(before);
  return Py_NewRef(Py_None);
}

int pyoy_plan_init(void) {
  for (size_t i = 0; i < SYNONYMS; i++)
    for (size_t k = 0; k < 2; k++) {
      g_synonyms[i][k] = PyUnicode_InternFromString(g_synonym_texts[i][k]);
      if (!g_synonyms[i][k]) return -1;
    }
  return 0;
}

static Py_ssize_t find_exact(const pyoy_plan* plan, PyObject* name) {
  for (Py_ssize_t i = 0; i < plan->count; i++)
    if (plan->arguments[i].name == name) return i;
  // Keywords of calls that are made by dictionaries need not be interned.
  for (Py_ssize_t i = 0; i < plan->count; i++)
    if (PyUnicode_Compare(plan->arguments[i].name, name) == 0) return i;
  return -1;
}

Py_ssize_t pyoy_plan_find(const pyoy_plan* plan, PyObject* name) {
  Py_ssize_t found = find_exact(plan, name);
  for (size_t i = 0; found < 0 && i < SYNONYMS; i++)
    if (PyUnicode_Compare(g_synonyms[i][0], name) == 0)
      found = find_exact(plan, g_synonyms[i][1]);
  return found;
}

// ---------------------------------------------------------------------- defaults

static int number_default(const oy_default* d, const oy_type* type, oy_value* out) {
  switch (d->kind) {
    case OY_DEFAULT_INT:
      *out = type->kind == OY_TYPE_FLOAT ? oy_float((double)d->i) : oy_int(d->i);
      return 0;
    case OY_DEFAULT_FLOAT: *out = oy_float(d->re); return 0;
    case OY_DEFAULT_BOOL: *out = oy_bool(d->i != 0); return 0;
    default: *out = oy_none(); return 0;
  }
}

static int default_of(const oy_default* d, const oy_type* type, oy_value* out);

static int list_default(const oy_default* d, const oy_type* type, oy_value* out) {
  oy_tag tag = OY_TAG_LIST;
  switch (type->element->kind) {
    case OY_TYPE_INT:
    case OY_TYPE_SYMINT: tag = OY_TAG_INT_LIST; break;
    case OY_TYPE_FLOAT: tag = OY_TAG_FLOAT_LIST; break;
    case OY_TYPE_BOOL: tag = OY_TAG_BOOL_LIST; break;
    default: break;
  }
  if (oy_value_new_list(tag, d->item_count, out) != OY_OK) return -1;
  void* data = (void*)(uintptr_t)out->as.bits;
  for (size_t i = 0; i < d->item_count; i++) {
    oy_value item;
    if (default_of(&d->items[i], type->element, &item) != 0) return -1;
    switch (tag) {
      case OY_TAG_INT_LIST: ((int64_t*)data)[i] = item.as.i; break;
      case OY_TAG_FLOAT_LIST: ((double*)data)[i] = item.as.d; break;
      case OY_TAG_BOOL_LIST: ((bool*)data)[i] = item.as.i != 0; break;
      default: ((oy_value*)data)[i] = item; break;
    }
  }
  return 0;
}

static int default_of(const oy_default* d, const oy_type* type, oy_value* out) {
  *out = oy_none();
  if (d->kind == OY_DEFAULT_LIST) return list_default(d, type, out);
  if (d->kind == OY_DEFAULT_COMPLEX) {
    oy_complex c = {d->re, d->im};
    *out = oy_complex_value(&c);
    return oy_value_own(out) == OY_OK ? 0 : -1;
  }
  if (d->kind != OY_DEFAULT_STR) return number_default(d, type, out);
  oy_device device;
  if (type->kind == OY_TYPE_DEVICE && oy_device_parse(d->text, &device) == OY_OK) {
    *out = oy_value_device(device);
    return 0;
  }
  *out = oy_value_str(d->text);
  return oy_value_own(out) == OY_OK ? 0 : -1;
}

// ------------------------------------------------------------------------- plans

void pyoy_plan_release(pyoy_plan* plan) {
  if (!plan || --plan->references > 0) return;
  for (Py_ssize_t i = 0; i < plan->count; i++) {
    Py_XDECREF(plan->arguments[i].name);
    oy_value_release(&plan->arguments[i].value);
  }
  Py_XDECREF(plan->return_type);
  PyMem_Free(plan);
}

static int read_argument(pyoy_argument* to, const oy_argument* from) {
  const oy_type* type = from->type;
  while (type->kind == OY_TYPE_OPTIONAL) type = type->element;
  to->type = type;
  to->optional = type != from->type;
  to->kwarg_only = from->kwarg_only;
  to->is_out = from->is_out;
  to->has_default = from->default_value.kind != OY_DEFAULT_ABSENT;
  to->is_ints = type->kind == OY_TYPE_LIST && (type->element->kind == OY_TYPE_INT ||
                                               type->element->kind == OY_TYPE_SYMINT);
  to->value = oy_none();
  to->name = PyUnicode_FromStringAndSize(from->name.data, (Py_ssize_t)from->name.size);
  if (!to->name) return -1;
  PyUnicode_InternInPlace(&to->name);
  if (!to->has_default || default_of(&from->default_value, type, &to->value) == 0)
    return 0;
  pyoy_raise();
  return -1;
}

static bool has_argument(const oy_schema* schema, const char* name) {
  for (size_t i = 0; i < schema->argument_count; i++)
    if (oy_str_equal(schema->arguments[i].name, oy_str_of(name))) return true;
  return false;
}

// Whether it makes its one result of no tensor, and puts it into out=.
static bool fills_out(const oy_schema* schema) {
  size_t outs = 0;
  for (size_t i = 0; i < schema->argument_count; i++) {
    const oy_type* type = schema->arguments[i].type;
    while (type->kind == OY_TYPE_OPTIONAL || type->kind == OY_TYPE_LIST)
      type = type->element;
    if (schema->arguments[i].is_out)
      outs++;
    else if (type->kind == OY_TYPE_TENSOR)
      return false;
  }
  return outs == 1;
}

// Fields by name, as torch.return_types has them, where the results have names.
static int name_returns(pyoy_plan* plan) {
  const oy_schema* schema = plan->schema;
  if (schema->return_count < 2 || !g_return_types) return 0;
  PyObject* fields = PyTuple_New((Py_ssize_t)schema->return_count);
  for (size_t i = 0; fields && i < schema->return_count; i++) {
    oy_str name = schema->returns[i].name;
    if (name.size == 0 || name.data[0] == '_') {
      Py_DECREF(fields);
      return 0;
    }
    PyObject* field = PyUnicode_FromStringAndSize(name.data, (Py_ssize_t)name.size);
    if (!field || PyTuple_SetItem(fields, (Py_ssize_t)i, field) != 0) Py_CLEAR(fields);
  }
  if (!fields) return -1;
  oy_str base = schema->name.base;
  plan->return_type = PyObject_CallFunction(g_return_types, "s#O", base.data,
                                            (Py_ssize_t)base.size, fields);
  Py_DECREF(fields);
  return plan->return_type ? 0 : -1;
}

static int read_schema(pyoy_plan* plan) {
  const oy_schema* schema = plan->schema;
  for (Py_ssize_t i = 0; i < plan->count; i++) {
    pyoy_argument* argument = &plan->arguments[i];
    if (read_argument(argument, &schema->arguments[i]) != 0) return -1;
    if (!argument->kwarg_only) plan->positional = i + 1;
    if (!argument->has_default) plan->required++;
  }
  plan->returns = schema->return_count;
  for (size_t i = 0; i < plan->returns && i < PYOY_ARGUMENTS; i++)
    plan->return_argument[i] = (int8_t)oy_schema_return_argument(schema, i);
  plan->is_factory =
      has_argument(schema, "pin_memory") && !has_argument(schema, "requires_grad");
  plan->fills_out = fills_out(schema);
  return 0;
}

pyoy_plan* pyoy_plan_make(const oy_op* op) {
  const oy_schema* schema = oy_op_schema(op);
  if (!schema || schema->argument_count > PYOY_ARGUMENTS) {
    PyErr_SetString(PyExc_LookupError, "the definition of the operator was removed");
    return NULL;
  }
  size_t size = sizeof(pyoy_plan) + schema->argument_count * sizeof(pyoy_argument);
  pyoy_plan* plan = PyMem_Calloc(1, size);
  if (!plan) {
    PyErr_NoMemory();
    return NULL;
  }
  plan->references = 1;
  plan->op = op;
  plan->schema = schema;
  plan->count = (Py_ssize_t)schema->argument_count;
  if (read_schema(plan) == 0 && name_returns(plan) == 0) return plan;
  pyoy_plan_release(plan);
  return NULL;
}
