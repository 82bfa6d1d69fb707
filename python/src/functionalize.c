// SPDX-License-Identifier: Apache-2.0
// functionalize of Python functions: what opyard/_functionalize.py is made of.
#include "callback.h"

enum { OUTPUTS_MAX = 256 };

// A function whose number of results is known when it has been called: the places behind
// them are None.
typedef struct counted {
  PyObject* fn;
  size_t count;
} counted;

// The outputs of |result|, a tuple. 0, or -1 with an exception.
static int take(counted* c, PyObject* result, oy_tensor** outputs, size_t room) {
  Py_ssize_t size = PySequence_Size(result);
  if (size < 0) return -1;
  if ((size_t)size > room) {
    PyErr_Format(PyExc_RuntimeError, "expected at most %zu results, got %zd", room, size);
    return -1;
  }
  if (pyoy_tensors_take(result, (size_t)size, outputs) != 0) return -1;
  c->count = (size_t)size;
  for (size_t i = c->count; i < room; i++) outputs[i] = &oy_none_object;
  return 0;
}

static oy_status call(void* data, oy_tensor* const* inputs, size_t count,
                      oy_tensor** outputs, size_t output_count) {
  PyGILState_STATE state = PyGILState_Ensure();
  counted* c = data;
  PyObject* args = pyoy_tensors_tuple(inputs, count);
  PyObject* result = args ? PyObject_Call(c->fn, args, NULL) : NULL;
  int failed = !result || take(c, result, outputs, output_count) != 0;
  oy_status status = failed ? pyoy_record_exception() : OY_OK;
  Py_XDECREF(args);
  Py_XDECREF(result);
  PyGILState_Release(state);
  return status;
}

// functionalize_of(fn, inputs, remove): the outputs.
static PyObject* functionalize_of(PyObject* module, PyObject* args) {
  PyObject *fn, *inputs, *list;
  const char* remove;
  oy_tensor **in, *outputs[OUTPUTS_MAX];
  size_t count;
  (void)module;
  oy_functionalize_params params = {.fn = call};
  if (!PyArg_ParseTuple(args, "OOs:functionalize_of", &fn, &inputs, &remove)) return NULL;
  if (oy_functionalize_remove_parse(oy_str_of(remove), &params.remove) != OY_OK)
    return pyoy_raise();
  if (pyoy_tensors_borrow(inputs, &list, &in, &count) != 0) return NULL;
  counted c = {fn, 0};
  params.data = &c;
  oy_status status = oy_functionalize(&params, in, count, outputs, OUTPUTS_MAX);
  PyObject* result =
      status == OY_OK ? pyoy_tensors_tuple(outputs, c.count) : pyoy_raise();
  for (size_t i = 0; status == OY_OK && i < OUTPUTS_MAX; i++)
    oy_tensor_release(outputs[i]);
  PyMem_Free(in);
  Py_DECREF(list);
  return result;
}

int pyoy_add_functionalize(PyObject* module) {
  static PyMethodDef functions[] = {
      {"functionalize_of", functionalize_of, METH_VARARGS,
       "(fn, inputs, what to remove): outputs"},
      {NULL, NULL, 0, NULL},
  };
  return PyModule_AddFunctions(module, functions);
}
