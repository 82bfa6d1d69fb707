// SPDX-License-Identifier: Apache-2.0
// A forward and a backward in Python as one node of the graph: what register_autograd is
// made of.
#include <stdlib.h>

#include "library.h"

typedef struct pair {
  oy_function function;  // first; |name| follows the pair
  PyObject* forward;     // forward(apply, *inputs) -> outputs
  PyObject* backward;    // backward(apply, *grads) -> grads of inputs
} pair;

// What the two callables get first: the context, while they run.
typedef struct apply_object {
  PyObject base;
  oy_function_context* context;
} apply_object;

static PyTypeObject* g_apply_type;

// ---------------------------------------------------------------- the context

static oy_function_context* context_of(PyObject* self) {
  oy_function_context* c = ((apply_object*)self)->context;
  if (!c)
    PyErr_SetString(PyExc_RuntimeError,
                    "the context is of use within forward and backward alone");
  return c;
}

static PyObject* apply_save(PyObject* self, PyObject* args) {
  oy_tensor* tensors[64];
  Py_ssize_t count = PyTuple_Size(args);
  oy_function_context* c = context_of(self);
  if (!c) return NULL;
  for (Py_ssize_t i = 0; i < count; i++) {
    tensors[i < 64 ? i : 0] = pyoy_unwrap(PyTuple_GetItem(args, i));
    if (i < 64 && tensors[i]) continue;
    PyErr_SetString(PyExc_TypeError, "save() expects up to 64 Tensors");
    return NULL;
  }
  if (oy_function_save(c, tensors, (size_t)count) != OY_OK) return pyoy_raise();
  return Py_NewRef(Py_None);
}

static PyObject* apply_saved(PyObject* self, PyObject* args) {
  Py_ssize_t i;
  oy_function_context* c = context_of(self);
  if (!c || !PyArg_ParseTuple(args, "n:saved", &i)) return NULL;
  oy_tensor* tensor = oy_function_saved(c, (size_t)i);
  return tensor ? pyoy_wrap(oy_tensor_retain(tensor)) : pyoy_raise();
}

static PyObject* apply_needs(PyObject* self, PyObject* args) {
  Py_ssize_t i;
  oy_function_context* c = context_of(self);
  if (!c || !PyArg_ParseTuple(args, "n:needs_input_grad", &i)) return NULL;
  return PyBool_FromLong(oy_function_needs_input_grad(c, (size_t)i));
}

static PyObject* apply_non_differentiable(PyObject* self, PyObject* object) {
  oy_function_context* c = context_of(self);
  oy_tensor* tensor = pyoy_unwrap(object);
  if (!c) return NULL;
  if (tensor && oy_function_mark_non_differentiable(c, tensor) != OY_OK)
    return pyoy_raise();
  return Py_NewRef(Py_None);
}

static PyObject* apply_materialize(PyObject* self, PyObject* on) {
  oy_function_context* c = context_of(self);
  int truth = PyObject_IsTrue(on);
  if (!c || truth < 0) return NULL;
  oy_function_set_materialize_grads(c, truth != 0);
  return Py_NewRef(Py_None);
}

static void apply_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

// --------------------------------------------------------------- two callables

// (context, *tensors): NULL becomes None. A new reference.
static PyObject* arguments(PyObject* apply, oy_tensor* const* tensors, size_t count) {
  PyObject* tuple = PyTuple_New((Py_ssize_t)count + 1);
  if (!tuple) return NULL;
  if (PyTuple_SetItem(tuple, 0, Py_NewRef(apply)) != 0) Py_CLEAR(tuple);
  for (size_t i = 0; tuple && i < count; i++) {
    PyObject* item =
        tensors[i] ? pyoy_wrap(oy_tensor_retain(tensors[i])) : Py_NewRef(Py_None);
    if (!item || PyTuple_SetItem(tuple, (Py_ssize_t)i + 1, item) != 0) Py_CLEAR(tuple);
  }
  return tuple;
}

// The tensors of a sequence as new references; None is NULL.
static int take_tensors(PyObject* sequence, oy_tensor** out, size_t count) {
  Py_ssize_t size = PySequence_Size(sequence);
  if (size < 0) return -1;
  if ((size_t)size != count) {
    PyErr_Format(PyExc_RuntimeError, "expected %zu tensors, got %zd", count, size);
    return -1;
  }
  for (size_t i = 0; i < count; i++) {
    PyObject* item = PySequence_GetItem(sequence, (Py_ssize_t)i);
    oy_tensor* tensor = item ? pyoy_unwrap(item) : NULL;
    if (tensor) out[i] = oy_tensor_retain(tensor);
    if (item && !tensor && item != Py_None)
      PyErr_Format(PyExc_TypeError, "expected a Tensor or None, got %R", item);
    Py_XDECREF(item);
    if (PyErr_Occurred()) return -1;
  }
  return 0;
}

static oy_status call(PyObject* callable, oy_function_context* context,
                      oy_tensor* const* in, size_t in_count, oy_tensor** out,
                      size_t out_count) {
  PyGILState_STATE gil;
  OY_TRY(pyoy_enter(&gil));
  apply_object* apply = PyObject_New(apply_object, g_apply_type);
  if (apply) apply->context = context;
  PyObject* args = apply ? arguments((PyObject*)apply, in, in_count) : NULL;
  PyObject* result = args ? PyObject_CallObject(callable, args) : NULL;
  int failed = result ? take_tensors(result, out, out_count) : -1;
  if (apply) apply->context = NULL;
  Py_XDECREF(args);
  Py_XDECREF(result);
  Py_XDECREF((PyObject*)apply);
  oy_status status = failed ? pyoy_record_exception() : OY_OK;
  pyoy_leave(gil);
  return status;
}

static oy_status forward(oy_function_context* c, oy_tensor* const* in, size_t count,
                         oy_tensor** out) {
  pair* p = oy_function_data(c);
  return call(p->forward, c, in, count, out, p->function.outputs);
}

static oy_status backward(oy_function_context* c, oy_tensor* const* grads, size_t count,
                          oy_tensor** out, size_t input_count) {
  pair* p = oy_function_data(c);
  return call(p->backward, c, grads, count, out, input_count);
}

// Of a context that may go with a graph, in any thread.
static void destroy(void* data) {
  pair* p = data;
  pyoy_release_late(p->forward);
  pyoy_release_late(p->backward);
  free(p);
}

// -------------------------------------------------------------------- applying

static PyObject* outputs_tuple(oy_tensor** outputs, size_t count) {
  PyObject* tuple = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; i < count; i++) {
    PyObject* item = tuple ? pyoy_wrap(outputs[i]) : NULL;
    if (!tuple) oy_tensor_release(outputs[i]);
    if (tuple && (!item || PyTuple_SetItem(tuple, (Py_ssize_t)i, item) != 0))
      Py_CLEAR(tuple);
  }
  return tuple;
}

static pair* pair_new(const char* name, size_t outputs, PyObject* callables[2]) {
  size_t size = strlen(name) + 1;
  pair* p = calloc(1, sizeof(*p) + size);
  if (!p) {
    PyErr_NoMemory();
    return NULL;
  }
  memcpy(p + 1, name, size);
  p->function = (oy_function){.name = (const char*)(p + 1),
                              .forward = forward,
                              .backward = backward,
                              .destroy = destroy,
                              .outputs = outputs};
  p->forward = Py_NewRef(callables[0]);
  p->backward = Py_NewRef(callables[1]);
  return p;
}

// rule_apply(name, outputs, forward, backward, inputs): forward(context, *inputs) gives
// |outputs| tensors; backward(context, *grads) a gradient or None for each input.
static PyObject* function_apply(PyObject* module, PyObject* args) {
  const char* name;
  Py_ssize_t outputs;
  PyObject *callables[2], *inputs;
  oy_tensor *in[64] = {NULL}, *out[64] = {NULL};
  (void)module;
  if (!PyArg_ParseTuple(args, "snOOO!:rule_apply", &name, &outputs, &callables[0],
                        &callables[1], &PyTuple_Type, &inputs))
    return NULL;
  size_t count = (size_t)PyTuple_Size(inputs);
  if (count > 64 || outputs < 0 || outputs > 64) {
    PyErr_SetString(PyExc_ValueError, "expected up to 64 inputs and outputs");
    return NULL;
  }
  for (size_t i = 0; i < count; i++) {
    in[i] = pyoy_unwrap(PyTuple_GetItem(inputs, (Py_ssize_t)i));
    if (in[i]) continue;
    PyErr_SetString(PyExc_TypeError, "expected Tensors as inputs");
    return NULL;
  }
  pair* p = pair_new(name, (size_t)outputs, callables);
  if (!p) return NULL;
  oy_status status = oy_function_apply(&p->function, p, in, count, out);
  return status == OY_OK ? outputs_tuple(out, (size_t)outputs) : pyoy_raise();
}

// Counts a change that Python made of |object|.
static PyObject* bump_version(PyObject* module, PyObject* object) {
  (void)module;
  oy_tensor* tensor = pyoy_unwrap(object);
  if (tensor) {
    oy_tensor_bump_version(tensor);
    return Py_NewRef(Py_None);
  }
  PyErr_Format(PyExc_TypeError, "expected a Tensor, got %R", object);
  return NULL;
}

int pyoy_add_custom_function(PyObject* module) {
  static PyMethodDef functions[] = {
      {"rule_apply", function_apply, METH_VARARGS,
       "rule_apply(name, outputs, forward, backward, inputs)"},
      {"bump_version", bump_version, METH_O, "Counts a change of a tensor."},
      {NULL, NULL, 0, NULL},
  };
  static PyMethodDef methods[] = {
      {"save", apply_save, METH_VARARGS, "Keeps tensors for the backward."},
      {"saved", apply_saved, METH_VARARGS, "One of them again."},
      {"needs_input_grad", apply_needs, METH_VARARGS, NULL},
      {"mark_non_differentiable", apply_non_differentiable, METH_O, NULL},
      {"set_materialize_grads", apply_materialize, METH_O, NULL},
      {NULL, NULL, 0, NULL},
  };
  PyType_Slot slots[] = {
      {Py_tp_dealloc, apply_dealloc}, {Py_tp_methods, methods}, {0, NULL}};
  PyType_Spec spec = {"opyard._C.Application", sizeof(apply_object), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  g_apply_type = (PyTypeObject*)PyType_FromSpec(&spec);
  return g_apply_type ? PyModule_AddFunctions(module, functions) : -1;
}
