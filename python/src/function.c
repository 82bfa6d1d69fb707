// SPDX-License-Identifier: Apache-2.0
// opyard.autograd.Function: the forward has run in Python when its results come here; the
// context, an object of Python, is called for the backward.
#include "callback.h"

#include <stdlib.h>

static const char* const g_context_name = "opyard function context";
static const char* const g_function_name = "opyard function";

// The results of the forward, which ran, until the library takes them.
typedef struct application {
  PyObject* context;
  oy_tensor** outputs;
  size_t output_count;
} application;

// --------------------------------------------------------------------- what was said

static int each_tensor(PyObject* context, const char* name,
                       oy_status (*say)(oy_function_context* c, const oy_tensor* t),
                       oy_function_context* c) {
  PyObject *said = PyObject_GetAttrString(context, name), *list;
  oy_tensor** tensors;
  size_t count;
  if (!said || pyoy_tensors_borrow(said, &list, &tensors, &count) != 0) {
    Py_XDECREF(said);
    return -1;
  }
  oy_status status = OY_OK;
  for (size_t i = 0; status == OY_OK && i < count; i++) status = say(c, tensors[i]);
  PyMem_Free(tensors);
  Py_DECREF(list);
  Py_DECREF(said);
  if (status != OY_OK) pyoy_raise();
  return status == OY_OK ? 0 : -1;
}

static int save(PyObject* context, oy_function_context* c) {
  PyObject *said = PyObject_GetAttrString(context, "_to_save"), *list;
  oy_tensor** tensors;
  size_t count;
  if (!said || pyoy_tensors_borrow(said, &list, &tensors, &count) != 0) {
    Py_XDECREF(said);
    return -1;
  }
  oy_status status = count ? oy_function_save(c, tensors, count) : OY_OK;
  PyMem_Free(tensors);
  Py_DECREF(list);
  Py_DECREF(said);
  if (status != OY_OK) pyoy_raise();
  return status == OY_OK ? 0 : -1;
}

static int materialize(PyObject* context, oy_function_context* c) {
  PyObject* said = PyObject_GetAttrString(context, "_materialize_grads");
  int on = said ? PyObject_IsTrue(said) : -1;
  Py_XDECREF(said);
  if (on >= 0) oy_function_set_materialize_grads(c, on != 0);
  return on < 0 ? -1 : 0;
}

static oy_status forward(oy_function_context* c, oy_tensor* const* inputs, size_t count,
                         oy_tensor** outputs) {
  application* a = oy_function_data(c);
  (void)inputs;
  (void)count;
  PyGILState_STATE state = PyGILState_Ensure();
  int failed = save(a->context, c) != 0 ||
               each_tensor(a->context, "_dirty", oy_function_mark_dirty, c) != 0 ||
               each_tensor(a->context, "_non_differentiable",
                           oy_function_mark_non_differentiable, c) != 0 ||
               materialize(a->context, c) != 0;
  oy_status status = failed ? pyoy_record_exception() : OY_OK;
  for (size_t i = 0; i < a->output_count; i++)
    outputs[i] = oy_tensor_retain(a->outputs[i]);
  PyGILState_Release(state);
  return status;
}

static oy_status backward(oy_function_context* c, oy_tensor* const* grads, size_t count,
                          oy_tensor** out_grads, size_t input_count) {
  application* a = oy_function_data(c);
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject* handle = PyCapsule_New(c, g_context_name, NULL);
  PyObject* args = handle ? pyoy_tensors_tuple(grads, count) : NULL;
  PyObject* method = args ? PyObject_GetAttrString(a->context, "_run_backward") : NULL;
  PyObject* result =
      method ? PyObject_CallFunctionObjArgs(method, handle, args, NULL) : NULL;
  oy_status status = OY_OK;
  if (!result || pyoy_tensors_take(result, input_count, out_grads) != 0)
    status = pyoy_record_exception();
  Py_XDECREF(result);
  Py_XDECREF(method);
  Py_XDECREF(args);
  // Whoever keeps the handle must not get at what is gone.
  if (handle) PyCapsule_SetName(handle, "opyard function context that has ended");
  Py_XDECREF(handle);
  PyGILState_Release(state);
  return status;
}

static void destroy(void* data) {
  application* a = data;
  pyoy_drop(a->context);
  free(a);
}

// ------------------------------------------------------------------- for Python

// function_new(name, outputs, once_differentiable). Graphs need it as long as they live: it
// is never freed, and the class keeps one for each number of results.
static PyObject* function_new(PyObject* module, PyObject* args) {
  const char* name;
  Py_ssize_t outputs;
  int once;
  (void)module;
  if (!PyArg_ParseTuple(args, "snp:function_new", &name, &outputs, &once)) return NULL;
  oy_function* function = calloc(1, sizeof *function);
  char* kept = function ? strdup(name) : NULL;
  if (!kept) {
    free(function);
    return PyErr_NoMemory();
  }
  *function = (oy_function){.name = kept,
                            .forward = forward,
                            .backward = backward,
                            .destroy = destroy,
                            .outputs = (size_t)outputs,
                            .once_differentiable = once != 0};
  return PyCapsule_New(function, g_function_name, NULL);
}

// The object that was given where the tensor is the same, else a new one.
static PyObject* given_or_new(PyObject* list, size_t i, oy_tensor* tensor) {
  PyObject* given = PyList_GetItem(list, (Py_ssize_t)i);
  if (given && pyoy_unwrap(given) == tensor) {
    oy_tensor_release(tensor);
    return Py_NewRef(given);
  }
  return pyoy_wrap(tensor);
}

static PyObject* apply(const oy_function* function, PyObject* context, PyObject* inputs,
                       PyObject* outputs) {
  PyObject *input_list, *output_list = NULL, *result = NULL;
  oy_tensor **in, **out = NULL;
  size_t in_count, out_count = 0;
  if (pyoy_tensors_borrow(inputs, &input_list, &in, &in_count) != 0) return NULL;
  application* a = calloc(1, sizeof *a);
  oy_tensor* made[64];
  if (!a) PyErr_NoMemory();
  if (a && pyoy_tensors_borrow(outputs, &output_list, &out, &out_count) == 0) {
    *a = (application){Py_NewRef(context), out, out_count};
    oy_status status = oy_function_apply(function, a, in, in_count, made);
    a = NULL;
    result = status == OY_OK ? PyTuple_New((Py_ssize_t)out_count) : pyoy_raise();
    for (size_t i = 0; status == OY_OK && i < out_count; i++) {
      PyObject* item = given_or_new(output_list, i, made[i]);
      if (result && (!item || PyTuple_SetItem(result, (Py_ssize_t)i, item) != 0))
        Py_CLEAR(result);
    }
  }
  free(a);
  PyMem_Free(in);
  PyMem_Free(out);
  Py_XDECREF(input_list);
  Py_XDECREF(output_list);
  return result;
}

// function_apply(function, context, inputs, outputs): the outputs with their history.
static PyObject* function_apply(PyObject* module, PyObject* args) {
  PyObject *capsule, *context, *inputs, *outputs;
  (void)module;
  if (!PyArg_ParseTuple(args, "OOOO:function_apply", &capsule, &context, &inputs,
                        &outputs))
    return NULL;
  const oy_function* function = PyCapsule_GetPointer(capsule, g_function_name);
  if (!function) return NULL;
  if (function->outputs > 64 ||
      (Py_ssize_t)function->outputs != PySequence_Size(outputs)) {
    PyErr_SetString(PyExc_RuntimeError, "expected at most 64 results of a Function");
    return NULL;
  }
  return apply(function, context, inputs, outputs);
}

static PyObject* function_saved(PyObject* module, PyObject* args) {
  PyObject* handle;
  Py_ssize_t i;
  (void)module;
  if (!PyArg_ParseTuple(args, "On:function_saved", &handle, &i)) return NULL;
  oy_function_context* c = PyCapsule_GetPointer(handle, g_context_name);
  if (!c) return NULL;
  oy_tensor* tensor = oy_function_saved(c, (size_t)i);
  return pyoy_wrap(tensor ? oy_tensor_retain(tensor) : NULL);
}

int pyoy_add_function(PyObject* module) {
  static PyMethodDef functions[] = {
      {"function_new", function_new, METH_VARARGS,
       "(name, outputs, once_differentiable)"},
      {"function_apply", function_apply, METH_VARARGS,
       "(function, context, inputs, outputs): the outputs with a history"},
      {"function_saved", function_saved, METH_VARARGS, "(handle, i): a saved tensor"},
      {NULL, NULL, 0, NULL},
  };
  return PyModule_AddFunctions(module, functions);
}
