// SPDX-License-Identifier: Apache-2.0
// opyard.Generator, and the generators that belong to devices.
#include "module.h"

PyTypeObject* pyoy_generator_type;

static oy_generator* of(PyObject* self) {
  return ((pyoy_generator*)self)->generator;
}

// Takes over |generator|.
PyObject* pyoy_wrap_generator(oy_generator* generator) {
  if (!generator) return pyoy_raise();
  pyoy_generator* self = PyObject_New(pyoy_generator, pyoy_generator_type);
  if (!self) {
    oy_object_release(generator);
    return NULL;
  }
  self->generator = generator;
  return (PyObject*)self;
}

static PyObject* generator_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"device", NULL};
  (void)type;
  PyObject* object = NULL;
  oy_device device = oy_device_cpu();
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:Generator", names, &object))
    return NULL;
  if (object && !pyoy_device_value(object, &device)) {
    PyErr_Format(PyExc_RuntimeError, "expected a device, got %R", object);
    return NULL;
  }
  return pyoy_wrap_generator(oy_generator_create(device));
}

static void generator_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  oy_object_release(of(self));
  PyObject_Free(self);
  Py_DECREF(type);
}

// Any int; negative ones as PyTorch takes them.
static int read_seed(PyObject* object, uint64_t* out_seed) {
  int overflow;
  long long seed = PyLong_AsLongLongAndOverflow(object, &overflow);
  *out_seed = (uint64_t)seed;
  if (overflow > 0) *out_seed = PyLong_AsUnsignedLongLong(object);
  if (overflow < 0)
    PyErr_SetString(PyExc_OverflowError, "Overflow when unpacking a seed");
  return PyErr_Occurred() ? -1 : 0;
}

static PyObject* manual_seed(PyObject* self, PyObject* object) {
  uint64_t seed;
  if (read_seed(object, &seed) != 0) return NULL;
  if (oy_generator_manual_seed(of(self), seed) != OY_OK) return pyoy_raise();
  return Py_NewRef(self);
}

static PyObject* draw_seed(PyObject* self, PyObject* unused) {
  uint64_t seed;
  (void)unused;
  if (oy_generator_seed(of(self), &seed) != OY_OK) return pyoy_raise();
  return PyLong_FromUnsignedLongLong(seed);
}

static PyObject* initial_seed(PyObject* self, PyObject* unused) {
  (void)unused;
  return PyLong_FromUnsignedLongLong(oy_generator_initial_seed(of(self)));
}

// Two numbers as 16 bytes, as a tensor of them is what PyTorch gives.
static PyObject* get_state(PyObject* self, PyObject* unused) {
  oy_generator_state state;
  int64_t size = sizeof state;
  (void)unused;
  if (oy_generator_get_state(of(self), &state) != OY_OK) return pyoy_raise();
  return pyoy_wrap(oy_tensor_from_data(&state, (oy_ints){&size, 1}, OY_DTYPE_U8));
}

static PyObject* set_state(PyObject* self, PyObject* object) {
  oy_generator_state state;
  const oy_tensor* tensor = pyoy_unwrap(object);
  if (!tensor || tensor->dtype != OY_DTYPE_U8 ||
      oy_tensor_numel(tensor) != (int64_t)sizeof state || !oy_tensor_data(tensor) ||
      !oy_tensor_is_contiguous(tensor, OY_MEMORY_CONTIGUOUS)) {
    PyErr_Format(PyExc_TypeError, "expected a state that get_state() gave: %zu bytes",
                 sizeof state);
    return NULL;
  }
  memcpy(&state, oy_tensor_data(tensor), sizeof state);
  if (oy_generator_set_state(of(self), state) != OY_OK) return pyoy_raise();
  return Py_NewRef(self);
}

static PyObject* clone_state(PyObject* self, PyObject* unused) {
  (void)unused;
  return pyoy_wrap_generator(oy_generator_clone(of(self)));
}

static PyObject* get_device(PyObject* self, void* closure) {
  (void)closure;
  return pyoy_device_object(oy_generator_device(of(self)));
}

// ---------------------------------------------------------------------- the module's

static PyObject* default_of(oy_device device) {
  oy_generator* generator = oy_generator_default(device);
  if (generator) oy_object_retain(generator);
  return pyoy_wrap_generator(generator);
}

static PyObject* default_generator(PyObject* module, PyObject* args) {
  PyObject* object = NULL;
  oy_device device = oy_device_cpu();
  (void)module;
  if (!PyArg_ParseTuple(args, "|O:default_generator", &object)) return NULL;
  if (!object || object == Py_None || pyoy_device_value(object, &device))
    return default_of(device);
  return PyErr_Format(PyExc_RuntimeError, "expected a device, got %R", object);
}

static PyObject* seed_all(PyObject* module, PyObject* object) {
  (void)module;
  uint64_t seed;
  if (read_seed(object, &seed) != 0) return NULL;
  oy_manual_seed(seed);
  return default_of(oy_device_cpu());
}

int pyoy_add_generator(PyObject* module) {
  static PyMethodDef methods[] = {
      {"manual_seed", manual_seed, METH_O, "starts again from a seed; the generator"},
      {"seed", draw_seed, METH_NOARGS,
       "seeds with a number of the system's, and tells it"},
      {"initial_seed", initial_seed, METH_NOARGS, "the seed that it was last given"},
      {"get_state", get_state, METH_NOARGS, "a tensor of bytes"},
      {"set_state", set_state, METH_O, "puts back what get_state() gave"},
      {"clone_state", clone_state, METH_NOARGS, "another one in the same state"},
      {NULL, NULL, 0, NULL},
  };
  static PyGetSetDef getters[] = {
      {"device", get_device, NULL, NULL, NULL},
      {NULL, NULL, NULL, NULL, NULL},
  };
  static PyMethodDef functions[] = {
      {"default_generator", default_generator, METH_VARARGS,
       "default_generator(device='cpu'): what operators on the device use"},
      {"manual_seed", seed_all, METH_O, "Seeds the generators of all devices."},
      {NULL, NULL, 0, NULL},
  };
  PyType_Slot slots[] = {
      {Py_tp_new, generator_new},
      {Py_tp_dealloc, generator_dealloc},
      {Py_tp_methods, methods},
      {Py_tp_getset, getters},
      {0, NULL},
  };
  PyType_Spec spec = {"opyard.Generator", sizeof(pyoy_generator), 0, Py_TPFLAGS_DEFAULT,
                      slots};
  pyoy_generator_type = (PyTypeObject*)PyType_FromSpec(&spec);
  if (!pyoy_generator_type || PyModule_AddFunctions(module, functions) != 0) return -1;
  return PyModule_AddType(module, pyoy_generator_type);
}
