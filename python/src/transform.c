// SPDX-License-Identifier: Apache-2.0
// vmap and gradients of functions, gradcheck, fake tensors: what opyard/func.py and its kind
// are made of.
#include "callback.h"

static PyObject* done(oy_status status) {
  return status == OY_OK ? Py_NewRef(Py_None) : pyoy_raise();
}

// ------------------------------------------------------------------------- vmap

static PyObject* vmap_enter(PyObject* module, PyObject* args) {
  long long batch_size;
  const char* text;
  oy_randomness randomness;
  int64_t level;
  (void)module;
  if (!PyArg_ParseTuple(args, "Ls:vmap_enter", &batch_size, &text)) return NULL;
  if (oy_randomness_parse(oy_str_of(text), &randomness) != OY_OK ||
      oy_vmap_enter(batch_size, randomness, &level) != OY_OK)
    return pyoy_raise();
  return PyLong_FromLongLong(level);
}

static PyObject* vmap_leave(PyObject* module, PyObject* object) {
  (void)module;
  long long level = PyLong_AsLongLong(object);
  if (level == -1 && PyErr_Occurred()) return NULL;
  return done(oy_vmap_leave(level));
}

static PyObject* batched_make(PyObject* module, PyObject* args) {
  PyObject* object;
  long long dim, level;
  (void)module;
  if (!PyArg_ParseTuple(args, "O!LL:batched_make", pyoy_tensor_type, &object, &dim,
                        &level))
    return NULL;
  return pyoy_wrap(oy_batched_make(pyoy_unwrap(object), dim, level));
}

static PyObject* batched_remove(PyObject* module, PyObject* args) {
  PyObject* object;
  long long level, batch_size, dim;
  (void)module;
  if (!PyArg_ParseTuple(args, "O!LLL:batched_remove", pyoy_tensor_type, &object, &level,
                        &batch_size, &dim))
    return NULL;
  return pyoy_wrap(oy_batched_remove(pyoy_unwrap(object), level, batch_size, dim));
}

static PyObject* batched_level(PyObject* module, PyObject* object) {
  (void)module;
  oy_tensor* tensor = pyoy_unwrap(object);
  return PyLong_FromLongLong(tensor ? oy_batched_level(tensor) : 0);
}

// -------------------------------------------------------------------------- grad

// (value, gradients) of |count| tensors each; takes over both.
static PyObject* pair(oy_tensor** values, size_t value_count, oy_tensor** grads,
                      size_t grad_count) {
  PyObject* first = pyoy_tensors_tuple(values, value_count);
  PyObject* second = pyoy_tensors_tuple(grads, grad_count);
  for (size_t i = 0; i < value_count; i++) oy_tensor_release(values[i]);
  for (size_t i = 0; i < grad_count; i++) oy_tensor_release(grads[i]);
  if (first && second) return Py_BuildValue("(NN)", first, second);
  Py_XDECREF(first);
  Py_XDECREF(second);
  return NULL;
}

enum { TENSORS_MAX = 256 };

// grad_of(fn, inputs, argnums): ((value,), gradients).
static PyObject* grad_of(PyObject* module, PyObject* args) {
  PyObject *fn, *inputs, *argnums_object, *list;
  int64_t argnums[OY_TENSOR_MAX_DIMS];
  oy_ints which;
  oy_tensor **in, *value, *grads[OY_TENSOR_MAX_DIMS];
  size_t count;
  (void)module;
  if (!PyArg_ParseTuple(args, "OOO:grad_of", &fn, &inputs, &argnums_object) ||
      pyoy_ints_from(argnums_object, argnums, &which) != 0 ||
      pyoy_tensors_borrow(inputs, &list, &in, &count) != 0)
    return NULL;
  oy_grad_params params = {.fn = pyoy_transform, .data = fn, .argnums = which};
  oy_status status = oy_grad_of(&params, in, count, &value, grads);
  PyObject* result = status == OY_OK ? pair(&value, 1, grads, which.size) : pyoy_raise();
  PyMem_Free(in);
  Py_DECREF(list);
  return result;
}

// vjp_of(fn, inputs, argnums, cotangents): (outputs, gradients).
static PyObject* vjp_of(PyObject* module, PyObject* args) {
  PyObject *fn, *inputs, *argnums_object, *cotangents, *list, *weight_list;
  int64_t argnums[OY_TENSOR_MAX_DIMS];
  oy_ints which;
  oy_tensor **in, **weights, *outputs[TENSORS_MAX], *grads[OY_TENSOR_MAX_DIMS];
  size_t count, output_count;
  (void)module;
  if (!PyArg_ParseTuple(args, "OOOO:vjp_of", &fn, &inputs, &argnums_object,
                        &cotangents) ||
      pyoy_ints_from(argnums_object, argnums, &which) != 0 ||
      pyoy_tensors_borrow(inputs, &list, &in, &count) != 0)
    return NULL;
  PyObject* result = NULL;
  if (pyoy_tensors_borrow(cotangents, &weight_list, &weights, &output_count) == 0) {
    oy_grad_params params = {.fn = pyoy_transform, .data = fn, .argnums = which};
    oy_status status = OY_OK;
    if (output_count > TENSORS_MAX)
      status = OY_FAIL(INVALID_ARGUMENT, "expected at most 256 results");
    if (status == OY_OK)
      status = oy_vjp_of(&params, in, count, weights, outputs, output_count, grads);
    result =
        status == OY_OK ? pair(outputs, output_count, grads, which.size) : pyoy_raise();
    PyMem_Free(weights);
    Py_DECREF(weight_list);
  }
  PyMem_Free(in);
  Py_DECREF(list);
  return result;
}

// --------------------------------------------------------------------- gradcheck

static oy_status check_fn(void* data, oy_tensor* const* inputs, size_t count,
                          oy_tensor** outputs, size_t* out_count) {
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject* args = pyoy_tensors_tuple(inputs, count);
  // As within a kernel: what operators return belongs to Python, not to the open scope.
  uint64_t before = oy_call_enter();
  PyObject* result = args ? PyObject_Call(data, args, NULL) : NULL;
  oy_call_leave(before);
  Py_ssize_t size = result ? PySequence_Size(result) : -1;
  oy_status status = OY_OK;
  if (size > OY_GRADCHECK_OUTPUTS)
    PyErr_Format(PyExc_ValueError, "expected at most %d outputs, got %zd",
                 OY_GRADCHECK_OUTPUTS, size);
  if (size < 0 || size > OY_GRADCHECK_OUTPUTS ||
      pyoy_tensors_take(result, (size_t)size, outputs) != 0)
    status = pyoy_record_exception();
  *out_count = status == OY_OK ? (size_t)size : 0;
  // Borrowed by the caller: they belong to its scope.
  for (size_t i = 0; i < *out_count; i++) outputs[i] = oy_scope_take(outputs[i]);
  Py_XDECREF(args);
  Py_XDECREF(result);
  PyGILState_Release(state);
  return status;
}

// gradcheck(fn, inputs, eps, atol, rtol, nondet_tol, twice, fast)
static PyObject* gradcheck(PyObject* module, PyObject* args) {
  PyObject *fn, *inputs, *list;
  oy_gradcheck_options o;
  int twice, fast;
  oy_tensor** in;
  size_t count;
  (void)module;
  if (!PyArg_ParseTuple(args, "OOddddpp:gradcheck", &fn, &inputs, &o.eps, &o.atol,
                        &o.rtol, &o.nondet_tol, &twice, &fast) ||
      pyoy_tensors_borrow(inputs, &list, &in, &count) != 0)
    return NULL;
  oy_status status = twice  ? oy_gradgradcheck(check_fn, fn, in, count, &o)
                     : fast ? oy_gradcheck_fast(check_fn, fn, in, count, &o)
                            : oy_gradcheck(check_fn, fn, in, count, &o);
  PyMem_Free(in);
  Py_DECREF(list);
  return done(status);
}

// ------------------------------------------------------------------- fake tensors

static const char* const g_fake_name = "opyard fake mode";
static const char* const g_fake_guard_name = "opyard fake guard";

static void release_fake(PyObject* capsule) {
  oy_fake_mode_release(PyCapsule_GetPointer(capsule, g_fake_name));
}
static void free_guard(PyObject* capsule) {
  PyMem_Free(PyCapsule_GetPointer(capsule, g_fake_guard_name));
}

static PyObject* fake_mode(PyObject* module, PyObject* object) {
  (void)module;
  int allow = PyObject_IsTrue(object);
  oy_fake_options options = {.allow_non_fake_inputs = allow > 0};
  oy_fake_mode* mode;
  if (allow < 0) return NULL;
  if (oy_fake_mode_create(&options, &mode) != OY_OK) return pyoy_raise();
  PyObject* capsule = PyCapsule_New(mode, g_fake_name, release_fake);
  if (!capsule) oy_fake_mode_release(mode);
  return capsule;
}

static PyObject* fake_enter(PyObject* module, PyObject* capsule) {
  (void)module;
  oy_fake_mode* mode = PyCapsule_GetPointer(capsule, g_fake_name);
  if (!mode) return NULL;
  oy_fake_guard* guard = PyMem_Malloc(sizeof *guard);
  if (!guard) return PyErr_NoMemory();
  *guard = oy_fake_mode_enter(mode);
  return PyCapsule_New(guard, g_fake_guard_name, free_guard);
}

static PyObject* fake_leave(PyObject* module, PyObject* capsule) {
  (void)module;
  oy_fake_guard* guard = PyCapsule_GetPointer(capsule, g_fake_guard_name);
  if (!guard) return NULL;
  oy_fake_mode_leave(guard);
  return Py_NewRef(Py_None);
}

static PyObject* fake_from(PyObject* module, PyObject* args) {
  PyObject *capsule, *object;
  (void)module;
  if (!PyArg_ParseTuple(args, "OO!:fake_from", &capsule, pyoy_tensor_type, &object))
    return NULL;
  oy_fake_mode* mode = PyCapsule_GetPointer(capsule, g_fake_name);
  return mode ? pyoy_wrap(oy_fake_from(mode, pyoy_unwrap(object))) : NULL;
}

static PyObject* is_fake(PyObject* module, PyObject* object) {
  (void)module;
  oy_tensor* tensor = pyoy_unwrap(object);
  return PyBool_FromLong(tensor && oy_fake_mode_of(tensor));
}

// ------------------------------------------------------------------ forward mode

static PyObject* dual_level_enter(PyObject* module, PyObject* none) {
  int64_t level;
  (void)module, (void)none;
  if (oy_dual_level_enter(&level) != OY_OK) return pyoy_raise();
  return PyLong_FromLongLong(level);
}

static PyObject* dual_level_exit(PyObject* module, PyObject* object) {
  (void)module;
  long long level = PyLong_AsLongLong(object);
  if (level == -1 && PyErr_Occurred()) return NULL;
  return done(oy_dual_level_exit(level));
}

static PyObject* make_dual(PyObject* module, PyObject* args) {
  PyObject *primal, *tangent;
  long long level;
  (void)module;
  if (!PyArg_ParseTuple(args, "O!O!L:make_dual", pyoy_tensor_type, &primal,
                        pyoy_tensor_type, &tangent, &level))
    return NULL;
  return pyoy_wrap(oy_make_dual(pyoy_unwrap(primal), pyoy_unwrap(tangent), level));
}

static PyObject* unpack_dual(PyObject* module, PyObject* args) {
  PyObject* object;
  oy_tensor *primal, *tangent;
  long long level;
  (void)module;
  if (!PyArg_ParseTuple(args, "O!L:unpack_dual", pyoy_tensor_type, &object, &level))
    return NULL;
  if (oy_unpack_dual(pyoy_unwrap(object), level, &primal, &tangent) != OY_OK)
    return pyoy_raise();
  PyObject* first = pyoy_wrap(primal);
  PyObject* second = tangent ? pyoy_wrap(tangent) : Py_NewRef(Py_None);
  if (first && second) return Py_BuildValue("(NN)", first, second);
  Py_XDECREF(first);
  Py_XDECREF(second);
  return NULL;
}

int pyoy_add_transform(PyObject* module) {
  static PyMethodDef functions[] = {
      {"vmap_enter", vmap_enter, METH_VARARGS, "(batch size, randomness): the level"},
      {"vmap_leave", vmap_leave, METH_O, NULL},
      {"batched_make", batched_make, METH_VARARGS, "(tensor, dim, level)"},
      {"batched_remove", batched_remove, METH_VARARGS,
       "(tensor, level, batch size, dim)"},
      {"batched_level", batched_level, METH_O, "0 for what is not batched"},
      {"grad_of", grad_of, METH_VARARGS, "(fn, inputs, argnums): ((value,), gradients)"},
      {"vjp_of", vjp_of, METH_VARARGS,
       "(fn, inputs, argnums, cotangents): (outputs, gradients)"},
      {"gradcheck", gradcheck, METH_VARARGS,
       "(fn, inputs, eps, atol, rtol, nondet_tol, twice, fast)"},
      {"fake_mode", fake_mode, METH_O, "(allow_non_fake_inputs)"},
      {"fake_enter", fake_enter, METH_O, NULL},
      {"fake_leave", fake_leave, METH_O, NULL},
      {"fake_from", fake_from, METH_VARARGS, "(mode, tensor)"},
      {"is_fake", is_fake, METH_O, NULL},
      {"dual_level_enter", dual_level_enter, METH_NOARGS, NULL},
      {"dual_level_exit", dual_level_exit, METH_O, NULL},
      {"make_dual", make_dual, METH_VARARGS, "(primal, tangent, level)"},
      {"unpack_dual", unpack_dual, METH_VARARGS,
       "(tensor, level): (primal, tangent or None)"},
      {NULL, NULL, 0, NULL},
  };
  return PyModule_AddFunctions(module, functions);
}
