// SPDX-License-Identifier: Apache-2.0
// What the process or the thread has chosen: default dtype, printing, threads, modes that
// with statements turn on; and questions about dtypes.
#include "module.h"

static PyObject* done(oy_status status) {
  return status == OY_OK ? Py_NewRef(Py_None) : pyoy_raise();
}

// ------------------------------------------------------------------------ dtypes

static int read_dtype(PyObject* object, oy_dtype* out_dtype) {
  int64_t number;
  if (pyoy_constant_value(object, pyoy_dtype_type, &number)) {
    *out_dtype = (oy_dtype)number;
    return 0;
  }
  PyErr_Format(PyExc_TypeError, "invalid dtype object: expected a dtype, got %R", object);
  return -1;
}

static PyObject* get_default_dtype(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  return pyoy_dtype(oy_dtype_default());
}

static PyObject* set_default_dtype(PyObject* module, PyObject* object) {
  oy_dtype dtype;
  (void)module;
  return read_dtype(object, &dtype) == 0 ? done(oy_dtype_default_set(dtype)) : NULL;
}

static PyObject* promote_types(PyObject* module, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"type1", "type2", NULL};
  PyObject *first, *second;
  oy_dtype a, b, result;
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO:promote_types", names, &first,
                                   &second) ||
      read_dtype(first, &a) != 0 || read_dtype(second, &b) != 0)
    return NULL;
  return oy_dtype_promote(a, b, &result) == OY_OK ? pyoy_dtype(result) : pyoy_raise();
}

static PyObject* can_cast(PyObject* module, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"from_", "to", NULL};
  PyObject *first, *second;
  oy_dtype from, to;
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO:can_cast", names, &first, &second) ||
      read_dtype(first, &from) != 0 || read_dtype(second, &to) != 0)
    return NULL;
  return PyBool_FromLong(oy_dtype_can_cast(from, to));
}

// Of two of what operators take: tensors and numbers.
static PyObject* result_type(PyObject* module, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"tensor1", "tensor2", NULL};
  PyObject* objects[2];
  oy_tensor *tensors[2] = {NULL, NULL}, *made[2] = {NULL, NULL};
  oy_dtype dtype = OY_DTYPE_ANY;
  int failed = 0;
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO:result_type", names, &objects[0],
                                   &objects[1]))
    return NULL;
  for (int i = 0; i < 2 && !failed; i++) {
    pyoy_fit fit = PYOY_YES;
    tensors[i] = pyoy_unwrap(objects[i]);
    if (!tensors[i]) tensors[i] = made[i] = pyoy_number(objects[i], &fit);
    failed = !tensors[i];
    if (fit == PYOY_NO)
      PyErr_Format(PyExc_TypeError,
                   "result_type(): argument (position %d) must be Tensor or Number",
                   i + 1);
  }
  if (!failed && oy_result_type(tensors, 2, &dtype) != OY_OK) {
    failed = 1;
    pyoy_raise();
  }
  for (int i = 0; i < 2; i++) oy_tensor_release(made[i]);
  return failed ? NULL : pyoy_dtype(dtype);
}

// ---------------------------------------------------------------------- printing

static PyObject* get_printoptions(PyObject* module, PyObject* unused) {
  oy_print_options o = oy_print_options_get();
  (void)module;
  (void)unused;
  return Py_BuildValue("{si sL sL si sO}", "precision", o.precision, "threshold",
                       (long long)o.threshold, "edgeitems", (long long)o.edge_items,
                       "linewidth", o.line_width, "sci_mode",
                       o.scientific < 0 ? Py_None
                       : o.scientific   ? Py_True
                                        : Py_False);
}

static PyObject* set_printoptions(PyObject* module, PyObject* args) {
  long long threshold, edge_items;
  oy_print_options o;
  (void)module;
  if (!PyArg_ParseTuple(args, "iLLii:set_printoptions", &o.precision, &threshold,
                        &edge_items, &o.line_width, &o.scientific))
    return NULL;
  o.threshold = threshold;
  o.edge_items = edge_items;
  return done(oy_print_options_set(o));
}

// ----------------------------------------------------------------------- threads

static PyObject* get_num_threads(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  return PyLong_FromLong((long)oy_get_num_threads());
}

static PyObject* set_num_threads(PyObject* module, PyObject* object) {
  long count = PyLong_AsLong(object);
  (void)module;
  if (count == -1 && PyErr_Occurred()) return NULL;
  if (count <= 0) {
    PyErr_SetString(PyExc_RuntimeError, "set_num_threads expects a positive integer");
    return NULL;
  }
  return done(oy_set_num_threads((int)count));
}

// -------------------------------------------------------------------------- modes

// Guards lie in capsules between __enter__ and __exit__.
static const char* const g_guard_name = "opyard guard";

static void free_guard(PyObject* capsule) {
  PyMem_Free(PyCapsule_GetPointer(capsule, g_guard_name));
}

static PyObject* keep_guard(const void* guard, size_t size) {
  void* kept = PyMem_Malloc(size);
  if (!kept) return PyErr_NoMemory();
  memcpy(kept, guard, size);
  PyObject* capsule = PyCapsule_New(kept, g_guard_name, free_guard);
  if (!capsule) PyMem_Free(kept);
  return capsule;
}

static PyObject* inference_enter(PyObject* module, PyObject* object) {
  (void)module;
  int on = PyObject_IsTrue(object);
  if (on < 0) return NULL;
  oy_inference_guard guard = oy_inference_mode(on != 0);
  PyObject* kept = keep_guard(&guard, sizeof guard);
  if (!kept) oy_inference_guard_end(&guard);
  return kept;
}

static PyObject* inference_leave(PyObject* module, PyObject* capsule) {
  (void)module;
  oy_inference_guard* guard = PyCapsule_GetPointer(capsule, g_guard_name);
  if (!guard) return NULL;
  oy_inference_guard_end(guard);
  return Py_NewRef(Py_None);
}

static PyObject* inference_get(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  return PyBool_FromLong(oy_inference_mode_get());
}

static PyObject* autocast_enter(PyObject* module, PyObject* args) {
  PyObject *device_object, *dtype_object;
  int enabled, cache;
  oy_device device;
  oy_dtype dtype = OY_DTYPE_ANY;
  oy_autocast_guard guard;
  (void)module;
  if (!PyArg_ParseTuple(args, "OOpp:autocast", &device_object, &dtype_object, &enabled,
                        &cache))
    return NULL;
  if (!pyoy_device_value(device_object, &device)) {
    PyErr_Format(PyExc_RuntimeError,
                 "User specified an unsupported autocast device_type '%S'",
                 device_object);
    return NULL;
  }
  if (dtype_object != Py_None && read_dtype(dtype_object, &dtype) != 0) return NULL;
  if (oy_autocast_enter((oy_backend)device.backend, dtype, enabled != 0, &guard) != OY_OK)
    return pyoy_raise();
  oy_autocast_cache_set(cache != 0);
  PyObject* kept = keep_guard(&guard, sizeof guard);
  if (!kept) oy_autocast_leave(&guard);
  return kept;
}

static PyObject* autocast_leave(PyObject* module, PyObject* capsule) {
  (void)module;
  oy_autocast_guard* guard = PyCapsule_GetPointer(capsule, g_guard_name);
  if (!guard) return NULL;
  oy_autocast_leave(guard);
  return Py_NewRef(Py_None);
}

static PyObject* autocast_state(PyObject* module, PyObject* object) {
  oy_device device;
  (void)module;
  if (!pyoy_device_value(object, &device)) {
    PyErr_Format(PyExc_RuntimeError, "expected a device, got %R", object);
    return NULL;
  }
  oy_backend backend = (oy_backend)device.backend;
  oy_dtype dtype = oy_autocast_dtype_get(backend);
  PyObject* kept = dtype == OY_DTYPE_ANY ? Py_NewRef(Py_None) : pyoy_dtype(dtype);
  return kept ? Py_BuildValue("(NN)", PyBool_FromLong(oy_autocast_enabled_get(backend)),
                              kept)
              : NULL;
}

#define WITH_KEYWORDS(fn) (PyCFunction)(void (*)(void))(fn), METH_VARARGS | METH_KEYWORDS

static PyMethodDef functions[] = {
    {"get_default_dtype", get_default_dtype, METH_NOARGS, NULL},
    {"set_default_dtype", set_default_dtype, METH_O, NULL},
    {"promote_types", WITH_KEYWORDS(promote_types), "the dtype that both go to"},
    {"can_cast", WITH_KEYWORDS(can_cast), "whether a result may be stored so"},
    {"result_type", WITH_KEYWORDS(result_type), "the dtype of a computation with both"},
    {"get_printoptions", get_printoptions, METH_NOARGS, NULL},
    {"set_printoptions", set_printoptions, METH_VARARGS,
     "precision, threshold, edgeitems, linewidth, sci_mode (-1: as the values ask for)"},
    {"get_num_threads", get_num_threads, METH_NOARGS, NULL},
    {"set_num_threads", set_num_threads, METH_O, NULL},
    {"inference_enter", inference_enter, METH_O, NULL},
    {"inference_leave", inference_leave, METH_O, NULL},
    {"is_inference_mode_enabled", inference_get, METH_NOARGS, NULL},
    {"autocast_enter", autocast_enter, METH_VARARGS, "device, dtype, enabled, cache"},
    {"autocast_leave", autocast_leave, METH_O, NULL},
    {"autocast_state", autocast_state, METH_O,
     "whether it is on for a device, and its dtype"},
    {NULL, NULL, 0, NULL},
};

int pyoy_add_settings(PyObject* module) {
  return PyModule_AddFunctions(module, functions);
}
