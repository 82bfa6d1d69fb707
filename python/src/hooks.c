// SPDX-License-Identifier: Apache-2.0
// Hooks of tensors, and of what is saved for a backward.
#include "callback.h"

#include <stdlib.h>

// ----------------------------------------------------------------------- tensors

// What the hook gave has to fit; its name is known here alone.
static int check_given(PyObject* hook, const oy_tensor* before, const oy_tensor* after) {
  oy_ints was = oy_tensor_sizes(before), is = oy_tensor_sizes(after);
  bool same = was.size == is.size;
  for (size_t i = 0; same && i < was.size; i++) same = was.data[i] == is.data[i];
  if (same && before->dtype == after->dtype) return 0;
  PyObject* name = PyObject_GetAttrString(hook, "__name__");
  if (!name) PyErr_Clear();
  PyObject* shown = name ? name : hook;
  if (before->dtype != after->dtype)
    PyErr_Format(PyExc_RuntimeError,
                 "hook '%S' has changed the type of value (was torch.%sTensor got "
                 "torch.%sTensor)",
                 shown, oy_dtype_pytorch_name(before->dtype),
                 oy_dtype_pytorch_name(after->dtype));
  else
    PyErr_Format(PyExc_RuntimeError, "hook '%S' has changed the size of value", shown);
  Py_XDECREF(name);
  return -1;
}

static void refuse_given(PyObject* given) {
  PyObject* name = PyObject_GetAttrString((PyObject*)Py_TYPE(given), "__name__");
  if (name)
    PyErr_Format(PyExc_TypeError, "expected Variable, but hook returned '%S'", name);
  Py_XDECREF(name);
}

static oy_status call_hook(void* data, oy_tensor* grad, oy_tensor** out_grad) {
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject* argument = pyoy_wrap(oy_tensor_retain(grad));
  PyObject* result = argument ? PyObject_CallFunctionObjArgs(data, argument, NULL) : NULL;
  oy_tensor* other = result && result != Py_None ? pyoy_unwrap(result) : NULL;
  if (result && result != Py_None && !other) refuse_given(result);
  if (other) (void)check_given(data, grad, other);
  oy_status status = PyErr_Occurred() ? pyoy_record_exception() : OY_OK;
  if (status == OY_OK && other) *out_grad = oy_tensor_retain(other);
  Py_XDECREF(argument);
  Py_XDECREF(result);
  PyGILState_Release(state);
  return status;
}

static int read_hook(PyObject* args, const char* format, oy_tensor** out_tensor,
                     PyObject** out_function) {
  PyObject* object;
  if (!PyArg_ParseTuple(args, format, pyoy_tensor_type, &object, out_function)) return -1;
  *out_tensor = pyoy_unwrap(object);
  return 0;
}

static PyObject* give_id(uint64_t id) {
  return id ? PyLong_FromUnsignedLongLong(id) : pyoy_raise();
}

static PyObject* register_hook(PyObject* module, PyObject* args) {
  oy_tensor* tensor;
  PyObject* function;
  (void)module;
  if (read_hook(args, "O!O:register_hook", &tensor, &function) != 0) return NULL;
  return give_id(oy_register_hook(tensor, call_hook, Py_NewRef(function), pyoy_drop));
}

static PyObject* register_after(PyObject* module, PyObject* args) {
  oy_tensor* tensor;
  PyObject* function;
  (void)module;
  if (read_hook(args, "O!O:register_post_accumulate_grad_hook", &tensor, &function) != 0)
    return NULL;
  return give_id(oy_register_post_accumulate_grad_hook(tensor, call_hook,
                                                       Py_NewRef(function), pyoy_drop));
}

static PyObject* remove_hook(PyObject* module, PyObject* args) {
  PyObject* object;
  unsigned long long id;
  (void)module;
  if (!PyArg_ParseTuple(args, "O!K:remove_hook", pyoy_tensor_type, &object, &id))
    return NULL;
  return PyBool_FromLong(oy_remove_hook(pyoy_unwrap(object), id));
}

// ----------------------------------------------------------------- saved tensors

typedef struct saved_hooks {
  PyObject *pack, *unpack;
} saved_hooks;

static oy_status pack(void* data, oy_tensor* tensor, void** out_packed) {
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject* argument = pyoy_wrap(oy_tensor_retain(tensor));
  *out_packed =
      argument ? PyObject_CallFunctionObjArgs(((saved_hooks*)data)->pack, argument, NULL)
               : NULL;
  oy_status status = *out_packed ? OY_OK : pyoy_record_exception();
  Py_XDECREF(argument);
  PyGILState_Release(state);
  return status;
}

static oy_status unpack(void* data, void* packed, oy_tensor** out_tensor) {
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject* result =
      PyObject_CallFunctionObjArgs(((saved_hooks*)data)->unpack, packed, NULL);
  oy_tensor* tensor = result ? pyoy_unwrap(result) : NULL;
  if (result && !tensor)
    PyErr_SetString(PyExc_TypeError,
                    "Output of saved tensor unpack_hook expected to be a Tensor");
  *out_tensor = tensor ? oy_tensor_retain(tensor) : NULL;
  oy_status status = tensor ? OY_OK : pyoy_record_exception();
  Py_XDECREF(result);
  PyGILState_Release(state);
  return status;
}

static void release_packed(void* data, void* packed) {
  (void)data;
  pyoy_drop(packed);
}

static void destroy_hooks(void* data) {
  saved_hooks* hooks = data;
  pyoy_drop(hooks->pack);
  pyoy_drop(hooks->unpack);
  free(hooks);
}

static PyObject* saved_hooks_push(PyObject* module, PyObject* args) {
  PyObject *pack_function, *unpack_function;
  (void)module;
  if (!PyArg_ParseTuple(args, "OO:saved_hooks_push", &pack_function, &unpack_function))
    return NULL;
  saved_hooks* data = malloc(sizeof *data);
  if (!data) return PyErr_NoMemory();
  *data = (saved_hooks){Py_NewRef(pack_function), Py_NewRef(unpack_function)};
  oy_saved_hooks hooks = {pack, unpack, release_packed, data, destroy_hooks};
  return oy_saved_hooks_push(&hooks) == OY_OK ? Py_NewRef(Py_None) : pyoy_raise();
}

static PyObject* saved_hooks_pop(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  return oy_saved_hooks_pop() == OY_OK ? Py_NewRef(Py_None) : pyoy_raise();
}

// The library keeps the pointer: texts are kept for good, and there are few.
static PyObject* saved_hooks_disable(PyObject* module, PyObject* object) {
  (void)module;
  const char* before = oy_saved_hooks_disabled();
  const char* text = NULL;
  if (object != Py_None) {
    PyObject* kept = PyUnicode_FromObject(object);
    if (!kept) return NULL;
    PyUnicode_InternInPlace(&kept);
    text = PyUnicode_AsUTF8AndSize(kept, NULL);
    if (!text) return NULL;
  }
  if (oy_saved_hooks_disable(text) != OY_OK) return pyoy_raise();
  return before ? PyUnicode_FromString(before) : Py_NewRef(Py_None);
}

int pyoy_add_hooks(PyObject* module) {
  static PyMethodDef functions[] = {
      {"register_hook", register_hook, METH_VARARGS, "(tensor, function): an id"},
      {"register_post_accumulate_grad_hook", register_after, METH_VARARGS, NULL},
      {"remove_hook", remove_hook, METH_VARARGS, "(tensor, id): whether there was one"},
      {"saved_hooks_push", saved_hooks_push, METH_VARARGS, "(pack, unpack)"},
      {"saved_hooks_pop", saved_hooks_pop, METH_NOARGS, NULL},
      {"saved_hooks_disable", saved_hooks_disable, METH_O, "a message, or None"},
      {NULL, NULL, 0, NULL},
  };
  return PyModule_AddFunctions(module, functions);
}
