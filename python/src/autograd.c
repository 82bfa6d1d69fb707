// SPDX-License-Identifier: Apache-2.0
// Gradients: grad mode, and oy_gradients over sequences of tensors.
#include "module.h"

static PyObject* grad_mode(PyObject* module, PyObject* args) {
  (void)module;
  int on = -1;
  if (!PyArg_ParseTuple(args, "|p:grad_mode", &on)) return NULL;
  bool before = oy_grad_mode_get();
  if (on >= 0) oy_grad_mode_set(on != 0);
  return PyBool_FromLong(before);
}

// The tensors of a sequence, borrowed from |out_fast|, a new list; None is NULL.
typedef struct tensor_list {
  PyObject* sequence;
  oy_tensor** data;
  size_t size;
} tensor_list;

static void list_free(tensor_list* list) {
  PyMem_Free(list->data);
  Py_CLEAR(list->sequence);
}

static int list_from(tensor_list* list, PyObject* object, const char* what) {
  *list = (tensor_list){PySequence_List(object), NULL, 0};
  if (!list->sequence) return -1;
  list->size = (size_t)PyList_Size(list->sequence);
  list->data = PyMem_Calloc(list->size + 1, sizeof(*list->data));
  if (!list->data) {
    PyErr_NoMemory();
    return -1;
  }
  for (size_t i = 0; i < list->size; i++) {
    PyObject* item = PyList_GetItem(list->sequence, (Py_ssize_t)i);
    list->data[i] = item == Py_None ? NULL : pyoy_unwrap(item);
    if (item == Py_None || list->data[i]) continue;
    PyErr_Format(PyExc_TypeError, "%s must be Tensors, got %R at %zu", what, item, i);
    return -1;
  }
  return 0;
}

// Takes over the tensors in |grads|.
static PyObject* tuple_of(oy_tensor** grads, size_t count) {
  PyObject* tuple = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; i < count; i++) {
    PyObject* item = grads[i] && tuple ? pyoy_wrap(grads[i]) : NULL;
    if (grads[i] && !tuple) oy_tensor_release(grads[i]);
    if (!tuple) continue;
    if (!item && !grads[i]) item = Py_NewRef(Py_None);
    if (!item || PyTuple_SetItem(tuple, (Py_ssize_t)i, item) != 0) Py_CLEAR(tuple);
  }
  return tuple;
}

static PyObject* run(const tensor_list* outputs, const tensor_list* grads,
                     const tensor_list* inputs, const oy_backward_options* options) {
  if (grads->size != outputs->size) {
    PyErr_Format(PyExc_ValueError, "got %zu tensors and %zu gradients", outputs->size,
                 grads->size);
    return NULL;
  }
  for (size_t i = 0; i < outputs->size + inputs->size; i++) {
    bool is_output = i < outputs->size;
    if (is_output ? outputs->data[i] : inputs->data[i - outputs->size]) continue;
    PyErr_SetString(PyExc_TypeError, "expected a Tensor, got None");
    return NULL;
  }
  oy_tensor** made = PyMem_Calloc(inputs->size + 1, sizeof(*made));
  if (!made) return PyErr_NoMemory();
  oy_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = oy_gradients(outputs->data, grads->data, outputs->size, inputs->data,
                        inputs->size, options, made);
  Py_END_ALLOW_THREADS;
  PyObject* result = status == OY_OK ? tuple_of(made, inputs->size) : pyoy_raise();
  PyMem_Free(made);
  return result;
}

static PyObject* gradients(PyObject* module, PyObject* args, PyObject* kwargs) {
  static char* names[] = {
      "outputs",      "inputs",       "grad_outputs",      "retain_graph",
      "create_graph", "allow_unused", "materialize_grads", NULL};
  PyObject *outputs_object, *inputs_object, *grads_object;
  int retain = 0, create = 0, unused = 0, materialize = 0;
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOO|pppp:gradients", names,
                                   &outputs_object, &inputs_object, &grads_object,
                                   &retain, &create, &unused, &materialize))
    return NULL;
  oy_backward_options options = {.retain_graph = retain,
                                 .create_graph = create,
                                 .allow_unused = unused,
                                 .materialize_grads = materialize};
  tensor_list outputs, inputs = {NULL, NULL, 0}, grads = {NULL, NULL, 0};
  PyObject* result = NULL;
  if (list_from(&outputs, outputs_object, "outputs") == 0 &&
      list_from(&inputs, inputs_object, "inputs") == 0 &&
      list_from(&grads, grads_object, "grad_outputs") == 0)
    result = run(&outputs, &grads, &inputs, &options);
  list_free(&outputs);
  list_free(&inputs);
  list_free(&grads);
  return result;
}

// -------------------------------------------------------------------- backward

static PyObject* run_backward(const tensor_list* tensors, const tensor_list* grads,
                              const oy_backward_options* options) {
  oy_status status;
  if (grads->size != tensors->size) {
    PyErr_Format(PyExc_RuntimeError, "got %zu tensors and %zu gradients", tensors->size,
                 grads->size);
    return NULL;
  }
  for (size_t i = 0; i < tensors->size; i++) {
    if (tensors->data[i]) continue;
    PyErr_SetString(PyExc_TypeError, "expected a Tensor, got None");
    return NULL;
  }
  Py_BEGIN_ALLOW_THREADS;
  status = oy_backward_all(tensors->data, grads->data, tensors->size, options);
  Py_END_ALLOW_THREADS;
  if (status != OY_OK) return pyoy_raise();
  return PyErr_CheckSignals() == 0 ? Py_NewRef(Py_None) : NULL;
}

// backward(tensors, grads, retain_graph, create_graph, inputs or None)
static PyObject* backward(PyObject* module, PyObject* args) {
  PyObject *tensors_object, *grads_object, *inputs_object;
  int retain, create;
  (void)module;
  if (!PyArg_ParseTuple(args, "OOppO:backward", &tensors_object, &grads_object, &retain,
                        &create, &inputs_object))
    return NULL;
  tensor_list tensors, grads = {NULL, NULL, 0}, inputs = {NULL, NULL, 0};
  oy_backward_options options = {.retain_graph = retain, .create_graph = create};
  PyObject* result = NULL;
  if (list_from(&tensors, tensors_object, "tensors") == 0 &&
      list_from(&grads, grads_object, "gradients") == 0 &&
      (inputs_object == Py_None || list_from(&inputs, inputs_object, "inputs") == 0)) {
    options.inputs = inputs.data;
    options.input_count = inputs.size;
    result = run_backward(&tensors, &grads, &options);
  }
  list_free(&tensors);
  list_free(&grads);
  list_free(&inputs);
  return result;
}

static PyObject* retain_grad(PyObject* module, PyObject* object) {
  (void)module;
  oy_tensor* tensor = pyoy_unwrap(object);
  if (!tensor) {
    PyErr_SetString(PyExc_TypeError, "retain_grad() expects a Tensor");
    return NULL;
  }
  return oy_retain_grad(tensor) == OY_OK ? Py_NewRef(Py_None) : pyoy_raise();
}

// --------------------------------------------------------------------- anomaly mode

static PyObject* g_traceback;  // gives the stack as a text

static size_t write_traceback(char* buffer, size_t size) {
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyObject* text = g_traceback ? PyObject_CallNoArgs(g_traceback) : NULL;
  Py_ssize_t length = 0;
  const char* words =
      text && PyUnicode_Check(text) ? PyUnicode_AsUTF8AndSize(text, &length) : NULL;
  size_t written = words ? (size_t)length : 0;
  if (written > size) {  // its end is nearest to the call
    words += written - size;
    written = size;
  }
  if (words) memcpy(buffer, words, written);
  Py_XDECREF(text);
  PyErr_Restore(type, value, traceback);
  PyGILState_Release(state);
  return written;
}

static PyObject* anomaly_mode(PyObject* module, PyObject* args) {
  (void)module;
  int on = -1, check_nan = 1;
  PyObject* traceback = NULL;
  if (!PyArg_ParseTuple(args, "|ppO:anomaly_mode", &on, &check_nan, &traceback))
    return NULL;
  bool before = oy_anomaly_mode_get();
  if (traceback && !g_traceback) {
    g_traceback = Py_NewRef(traceback);
    oy_anomaly_traceback_set(write_traceback);
  }
  if (on >= 0) oy_anomaly_mode_set(on != 0, check_nan != 0);
  return PyBool_FromLong(before);
}

static PyMethodDef functions[] = {
    {"grad_mode", grad_mode, METH_VARARGS,
     "Whether this thread records for backward; sets it if a bool is given."},
    {"gradients", (PyCFunction)(void (*)(void))gradients, METH_VARARGS | METH_KEYWORDS,
     "gradients(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused, "
     "materialize_grads): a tuple, None for an input that plays no part."},
    {"backward", backward, METH_VARARGS,
     "backward(tensors, grads, retain_graph, create_graph, inputs): adds to .grad"},
    {"retain_grad", retain_grad, METH_O, "Keeps the gradient of what is no leaf."},
    {"anomaly_mode", anomaly_mode, METH_VARARGS,
     "Whether it is on; sets it: anomaly_mode(on, check_nan, traceback)"},
    {NULL, NULL, 0, NULL},
};

int pyoy_add_autograd(PyObject* module) {
  return PyModule_AddFunctions(module, functions);
}
