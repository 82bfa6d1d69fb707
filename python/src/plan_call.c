// SPDX-License-Identifier: Apache-2.0
// One call of one overload: arguments to values, the boxed call, results to objects.
#include "plan.h"

enum { INTS_MAX = 64 };

// |objects|: who gave argument i, borrowed, for results that are arguments.
typedef struct call {
  const pyoy_plan* plan;
  const pyoy_arguments* given;
  int lenient;
  pyoy_reason* reason;
  int requires_grad;
  PyObject *dtype, *layout, *device;  // that out= is said to have; NULL if nothing is
  oy_stack stack;
  size_t int_count;
  int64_t ints[INTS_MAX];  // of lists; those that have no room are allocated
  PyObject* objects[PYOY_ARGUMENTS];
  oy_value values[PYOY_ARGUMENTS];
} call;

static pyoy_fit refuse(call* c, pyoy_misfit kind, Py_ssize_t argument,
                       Py_ssize_t position, PyObject* object) {
  *c->reason = (pyoy_reason){kind, argument, position, object};
  return PYOY_NO;
}

// A list of plain numbers, which nearly all are; PYOY_NO if pyoy_value_from has to see.
static pyoy_fit read_ints(call* c, PyObject* const* items, Py_ssize_t count,
                          oy_value* out) {
  int64_t* to = c->ints + c->int_count;
  if (count > (Py_ssize_t)(INTS_MAX - c->int_count)) return PYOY_NO;
  for (Py_ssize_t i = 0; i < count; i++) {
    if (!PyLong_CheckExact(items[i])) return PYOY_NO;
    to[i] = PyLong_AsLongLong(items[i]);
    if (to[i] == -1 && PyErr_Occurred()) return PYOY_ERROR;
  }
  c->int_count += (size_t)count;
  *out = oy_value_list(OY_TAG_INT_LIST, to, (size_t)count);
  return PYOY_YES;
}

static pyoy_fit read_int_list(call* c, PyObject* object, const pyoy_argument* argument,
                              oy_value* out) {
  PyObject* items[INTS_MAX];
  int64_t repeat = argument->type->fixed_size;
  if (PyLong_CheckExact(object) && repeat > 0 && repeat <= INTS_MAX) {
    for (int64_t i = 0; i < repeat; i++) items[i] = object;
    return read_ints(c, items, repeat, out);
  }
  bool is_tuple = PyTuple_Check(object);
  Py_ssize_t size = is_tuple               ? PyTuple_Size(object)
                    : PyList_Check(object) ? PyList_Size(object)
                                           : INTS_MAX + 1;
  if (size > INTS_MAX) return PYOY_NO;
  for (Py_ssize_t i = 0; i < size; i++)
    items[i] = is_tuple ? PyTuple_GetItem(object, i) : PyList_GetItem(object, i);
  return read_ints(c, items, size, out);
}

static pyoy_fit place(call* c, Py_ssize_t i, PyObject* object, Py_ssize_t position) {
  const pyoy_argument* argument = &c->plan->arguments[i];
  if (c->objects[i]) return refuse(c, PYOY_MISFIT_TWICE, i, position, object);
  pyoy_fit fit =
      argument->is_ints ? read_int_list(c, object, argument, &c->values[i]) : PYOY_NO;
  if (fit == PYOY_ERROR) return fit;
  // None stands for what it is where a default is: PyTorch takes it for a list, too.
  if (fit == PYOY_NO && object == Py_None && argument->optional) {
    c->values[i] = oy_none();
    fit = PYOY_YES;
  }
  if (fit == PYOY_NO)
    fit = pyoy_value_from(object, argument->type, c->lenient, &c->values[i]);
  if (fit == PYOY_NO) return refuse(c, PYOY_MISFIT_TYPE, i, position, object);
  if (fit == PYOY_YES) c->objects[i] = object;
  return fit;
}

// x.view(2, 3): the numbers from |i| on are one list.
static pyoy_fit place_rest(call* c, Py_ssize_t i) {
  Py_ssize_t count = c->given->count - i;
  pyoy_fit quick = read_ints(c, c->given->values + i, count, &c->values[i]);
  if (quick == PYOY_YES) c->objects[i] = c->given->values[i];
  if (quick != PYOY_NO) return quick;
  PyObject* rest = PyTuple_New(count);
  for (Py_ssize_t k = 0; rest && k < count; k++)
    PyTuple_SetItem(rest, k, Py_NewRef(c->given->values[i + k]));
  if (!rest) return PYOY_ERROR;
  pyoy_fit fit = place(c, i, rest, i);
  // Not to be looked at again: the tuple goes, its numbers are copied.
  if (fit == PYOY_YES) c->objects[i] = c->given->values[i];
  if (fit == PYOY_NO) c->reason->object = c->given->values[i];
  Py_DECREF(rest);
  return fit;
}

static bool begins_list(const call* c, Py_ssize_t i) {
  const pyoy_plan* plan = c->plan;
  if (i + 1 != plan->positional || !plan->arguments[i].is_ints) return false;
  PyObject* first = c->given->values[i];
  return c->given->count > i + 1 || plan->arguments[i].type->fixed_size == 0
             ? PyLong_Check(first) && !PyBool_Check(first)
             : false;
}

static pyoy_fit place_positional(call* c) {
  for (Py_ssize_t i = 0; i < c->given->count; i++) {
    if (i >= c->plan->positional)
      return refuse(c, PYOY_MISFIT_TOO_MANY, i, i, c->given->values[i]);
    if (OY_UNLIKELY(i > 0 || c->plan->arguments[i].is_ints) && begins_list(c, i))
      return place_rest(c, i);
    pyoy_fit fit = place(c, i, c->given->values[i], i);
    if (fit != PYOY_YES) return fit;
  }
  return PYOY_YES;
}

static bool is_named(PyObject* name, const char* text) {
  return PyUnicode_CompareWithASCIIString(name, text) == 0;
}

// What a factory's other overload takes: it is compared with what |out| has.
static pyoy_fit place_property(call* c, PyObject* name, PyObject* object) {
  PyObject** to = is_named(name, "dtype")    ? &c->dtype
                  : is_named(name, "layout") ? &c->layout
                  : is_named(name, "device") ? &c->device
                                             : NULL;
  if (!to && !is_named(name, "pin_memory"))
    return refuse(c, PYOY_MISFIT_KEYWORD, -1, -1, name);
  if (to && object != Py_None) *to = object;
  return PYOY_YES;
}

static pyoy_fit place_other(call* c, PyObject* name, PyObject* object) {
  if (is_named(name, "requires_grad") && (c->plan->is_factory || c->plan->fills_out)) {
    c->requires_grad = PyObject_IsTrue(object);
    return c->requires_grad < 0 ? PYOY_ERROR : PYOY_YES;
  }
  if (c->plan->fills_out) return place_property(c, name, object);
  return refuse(c, PYOY_MISFIT_KEYWORD, -1, -1, name);
}

// out=(values, indices), for arguments that the schema calls by names of their own.
static pyoy_fit place_outs(call* c, PyObject* name, PyObject* outs) {
  Py_ssize_t size = PyTuple_Check(outs) || PyList_Check(outs) ? PySequence_Size(outs) : 0;
  Py_ssize_t wanted = 0, used = 0;
  for (Py_ssize_t i = 0; i < c->plan->count; i++) wanted += c->plan->arguments[i].is_out;
  if (size == 0 || size != wanted) return refuse(c, PYOY_MISFIT_KEYWORD, -1, -1, name);
  for (Py_ssize_t i = 0; i < c->plan->count; i++) {
    if (!c->plan->arguments[i].is_out) continue;
    PyObject* out = PySequence_GetItem(outs, used++);
    pyoy_fit fit = out ? place(c, i, out, -1) : PYOY_ERROR;
    Py_XDECREF(out);  // the sequence holds it
    if (fit != PYOY_YES) return fit;
  }
  return PYOY_YES;
}

static pyoy_fit place_keyword(call* c, PyObject* name, PyObject* object) {
  Py_ssize_t i = pyoy_plan_find(c->plan, name);
  if (i >= 0) return place(c, i, object, -1);
  if (!is_named(name, "out")) return place_other(c, name, object);
  // out=None is as if nothing were said; the overload with out is another one.
  return object == Py_None ? PYOY_YES : place_outs(c, name, object);
}

static pyoy_fit place_keywords(call* c) {
  Py_ssize_t count = c->given->names ? PyTuple_Size(c->given->names) : 0;
  for (Py_ssize_t k = 0; k < count; k++) {
    PyObject* name = PyTuple_GetItem(c->given->names, k);
    PyObject* object = c->given->values[c->given->count + k];
    pyoy_fit fit = place_keyword(c, name, object);
    if (fit != PYOY_YES) return fit;
  }
  return PYOY_YES;
}

static pyoy_fit place_defaults(call* c) {
  for (Py_ssize_t i = 0; i < c->plan->count; i++) {
    if (c->objects[i]) continue;
    const pyoy_argument* argument = &c->plan->arguments[i];
    if (!argument->has_default) return refuse(c, PYOY_MISFIT_MISSING, i, -1, NULL);
    c->values[i] = argument->value;
    c->values[i].owned = 0;
  }
  return PYOY_YES;
}

// A property that |out| has not. NULL: it has all that are given.
static const char* other_property(const call* c, const oy_tensor* out) {
  int64_t number;
  oy_device device;
  if (c->dtype && pyoy_constant_value(c->dtype, pyoy_dtype_type, &number) &&
      number != (int64_t)out->dtype)
    return "dtype";
  if (c->layout && pyoy_constant_value(c->layout, pyoy_layout_type, &number) &&
      number != OY_LAYOUT_STRIDED)
    return "layout";
  oy_device at = oy_tensor_device(out);
  if (c->device && pyoy_device_value(c->device, &device) &&
      (device.backend != at.backend || (device.index >= 0 && device.index != at.index)))
    return "device";
  return NULL;
}

static pyoy_fit check_out(const call* c) {
  PyObject* out = NULL;
  for (Py_ssize_t i = 0; i < c->plan->count; i++)
    if (c->plan->arguments[i].is_out) out = c->objects[i];
  const oy_tensor* tensor = out ? pyoy_unwrap(out) : NULL;
  const char* what = tensor ? other_property(c, tensor) : NULL;
  if (!what) return PYOY_YES;
  int64_t number;
  if (what[1] == 't' && pyoy_constant_value(c->dtype, pyoy_dtype_type, &number)) {
    PyErr_Format(
        PyExc_RuntimeError, "dtype %s does not match dtype of out parameter (%s)",
        oy_dtype_pytorch_name((oy_dtype)number), oy_dtype_pytorch_name(tensor->dtype));
    return PYOY_ERROR;
  }
  PyObject* has = PyObject_GetAttrString(out, what);
  PyObject* given = *what == 'l' ? c->layout : c->device;
  if (has)
    PyErr_Format(PyExc_RuntimeError, "%s %S does not match %s of out parameter (%S)",
                 what, given, what, has);
  Py_XDECREF(has);
  return PYOY_ERROR;
}

static pyoy_fit bind(call* c) {
  pyoy_fit fit = place_positional(c);
  if (fit == PYOY_YES && c->given->names) fit = place_keywords(c);
  if (fit == PYOY_YES) fit = place_defaults(c);
  if (fit == PYOY_YES && OY_UNLIKELY(c->plan->fills_out)) fit = check_out(c);
  return fit;
}

static void drop(call* c) {
  for (Py_ssize_t i = 0; i < c->plan->count; i++)
    if (c->objects[i]) oy_value_release(&c->values[i]);
}

// ------------------------------------------------------------------ the call

static int64_t work_of(oy_value v) {
  int64_t product = 1;
  switch (v.tag) {
    case OY_TAG_TENSOR: return oy_tensor_numel(v.as.object);
    case OY_TAG_INT: return v.as.i < 0 ? 0 : v.as.i;
    case OY_TAG_INT_LIST:
      for (uint32_t i = 0; i < v.count && product < PYOY_LONG_CALL; i++)
        product *= v.as.ints[i] < 0 ? 1 : v.as.ints[i];
      return product;
    case OY_TAG_TENSOR_LIST: return v.count ? PYOY_LONG_CALL : 0;
    default: return 0;
  }
}

// Whether a call may take so long that other threads should run meanwhile.
static bool is_long(const call* c) {
  for (Py_ssize_t i = 0; i < c->plan->count; i++)
    if (work_of(c->values[i]) >= PYOY_LONG_CALL) return true;
  return false;
}

static oy_status run(call* c) {
  oy_status status;
  if (OY_LIKELY(!is_long(c))) return oy_op_call_boxed(c->plan->op, &c->stack);
  Py_BEGIN_ALLOW_THREADS;
  status = oy_op_call_boxed(c->plan->op, &c->stack);
  Py_END_ALLOW_THREADS;
  return status;
}

// In-place and out= calls give the object that came in.
static PyObject* result(const call* c, size_t i) {
  oy_value* value = &c->stack.data[i];
  if (value->tag == OY_TAG_TENSOR) {
    int from = c->plan->return_argument[i];
    PyObject* given = from >= 0 ? c->objects[from] : NULL;
    if (given && pyoy_unwrap(given) == value->as.object) return Py_NewRef(given);
    // x.contiguous() is x, where nothing is to be done.
    given = c->plan->count > 0 ? c->objects[0] : NULL;
    if (given && pyoy_unwrap(given) == value->as.object) return Py_NewRef(given);
    if (value->owned) {
      value->owned = 0;
      return pyoy_wrap(value->as.object);
    }
  }
  const oy_schema* schema = c->plan->schema;
  return pyoy_value_to(*value, i < c->plan->returns ? schema->returns[i].type : NULL);
}

static PyObject* results(const call* c) {
  size_t count = c->stack.size;
  if (count == 0) return Py_NewRef(Py_None);
  if (OY_LIKELY(count == 1)) return result(c, 0);
  PyObject* type = c->plan->return_type;
  PyObject* tuple = type ? PyType_GenericAlloc((PyTypeObject*)type, (Py_ssize_t)count)
                         : PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; tuple && i < count; i++) {
    PyObject* item = result(c, i);
    if (!item || PyTuple_SetItem(tuple, (Py_ssize_t)i, item) != 0) Py_CLEAR(tuple);
  }
  return tuple;
}

static PyObject* with_gradient(PyObject* made) {
  oy_tensor* tensor = made ? pyoy_unwrap(made) : NULL;
  if (!tensor || oy_requires_grad_(tensor, true)) return made;
  Py_DECREF(made);
  return pyoy_raise();
}

PyObject* pyoy_plan_call(pyoy_plan* plan, const pyoy_arguments* arguments, int lenient,
                         pyoy_fit* out_fit, pyoy_reason* out_reason) {
  call c;
  c.plan = plan;
  c.given = arguments;
  c.lenient = lenient;
  c.reason = out_reason;
  c.requires_grad = 0;
  c.dtype = c.layout = c.device = NULL;
  c.int_count = 0;
  memset(c.objects, 0, (size_t)plan->count * sizeof(*c.objects));
  // Whatever runs meanwhile may define operators, and so end plans.
  pyoy_plan_retain(plan);
  *out_fit = bind(&c);
  if (*out_fit != PYOY_YES) {
    drop(&c);
    pyoy_plan_release(plan);
    return NULL;
  }
  oy_stack_init(&c.stack, c.values, PYOY_ARGUMENTS);
  c.stack.size = (size_t)plan->count;
  PyObject* made = NULL;
  if (run(&c) == OY_OK) {
    made = results(&c);
    if (OY_UNLIKELY(c.requires_grad)) made = with_gradient(made);
  } else {
    pyoy_raise();
  }
  oy_stack_reset(&c.stack);
  pyoy_plan_release(plan);
  return made;
}
