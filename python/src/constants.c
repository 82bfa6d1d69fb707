// SPDX-License-Identifier: Apache-2.0
// dtype, layout and memory_format: objects with a name and PyTorch's number, one each,
// so that they can be compared with `is`.
#include "module.h"

PyTypeObject *pyoy_dtype_type, *pyoy_layout_type, *pyoy_memory_format_type;
static PyObject* g_dtypes[OY_DTYPE_LIMIT];

static PyObject* g_strided;

// As the printer of tensors has it: dtype=torch.float64.
static PyObject* constant_repr(PyObject* self) {
  return PyUnicode_FromFormat("torch.%s", ((pyoy_constant*)self)->name);
}

static void constant_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject* get_name(PyObject* self, void* closure) {
  (void)closure;
  return PyUnicode_FromString(((pyoy_constant*)self)->name);
}

static PyObject* get_value(PyObject* self, void* closure) {
  (void)closure;
  return PyLong_FromLongLong(((pyoy_constant*)self)->value);
}

static oy_dtype dtype_of(PyObject* self) {
  return (oy_dtype)((pyoy_constant*)self)->value;
}

static PyObject* get_itemsize(PyObject* self, void* closure) {
  (void)closure;
  return PyLong_FromSize_t(oy_dtype_size(dtype_of(self)));
}

static PyObject* get_is_floating(PyObject* self, void* closure) {
  (void)closure;
  return PyBool_FromLong(oy_dtype_is_floating(dtype_of(self)));
}

static PyObject* get_is_complex(PyObject* self, void* closure) {
  (void)closure;
  return PyBool_FromLong(oy_dtype_is_complex(dtype_of(self)));
}

static PyObject* get_is_signed(PyObject* self, void* closure) {
  (void)closure;
  oy_dtype d = dtype_of(self);
  return PyBool_FromLong(d != OY_DTYPE_BOOL && d != OY_DTYPE_U8 && d != OY_DTYPE_U16 &&
                         d != OY_DTYPE_U32 && d != OY_DTYPE_U64);
}

static PyObject* constant_reduce(PyObject* self, PyObject* unused) {
  (void)unused;
  return get_name(self, NULL);
}

static PyMethodDef constant_methods[] = {
    {"__reduce__", constant_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef dtype_getters[] = {
    {"name", get_name, NULL, "\"float32\"", NULL},
    {"value", get_value, NULL, "PyTorch's number of the dtype", NULL},
    {"itemsize", get_itemsize, NULL, "bytes of an element", NULL},
    {"is_floating_point", get_is_floating, NULL, NULL, NULL},
    {"is_complex", get_is_complex, NULL, NULL, NULL},
    {"is_signed", get_is_signed, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyGetSetDef constant_getters[] = {
    {"name", get_name, NULL, NULL, NULL},
    {"value", get_value, NULL, "PyTorch's number", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyTypeObject* make_type(const char* name, PyGetSetDef* getters) {
  PyType_Slot slots[] = {
      {Py_tp_repr, constant_repr},
      {Py_tp_dealloc, constant_dealloc},
      {Py_tp_getset, getters},
      {Py_tp_methods, constant_methods},
      {0, NULL},
  };
  PyType_Spec spec = {name, sizeof(pyoy_constant), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  return (PyTypeObject*)PyType_FromSpec(&spec);
}

static PyObject* make_constant(PyTypeObject* type, const char* name, int64_t value) {
  pyoy_constant* self = PyObject_New(pyoy_constant, type);
  if (!self) return NULL;
  self->value = value;
  self->name = name;
  return (PyObject*)self;
}

PyObject* pyoy_dtype(oy_dtype dtype) {
  if (dtype < OY_DTYPE_LIMIT && g_dtypes[dtype]) return Py_NewRef(g_dtypes[dtype]);
  PyErr_Format(PyExc_ValueError, "expected the number of a dtype, got %d", dtype);
  return NULL;
}

PyObject* pyoy_layout_strided(void) {
  return Py_NewRef(g_strided);
}

int pyoy_constant_value(PyObject* object, PyTypeObject* type, int64_t* out_value) {
  if (!Py_IS_TYPE(object, type)) return 0;
  *out_value = ((pyoy_constant*)object)->value;
  return 1;
}

static int add_one(PyObject* module, PyTypeObject* type, const char* name, int64_t value,
                   PyObject** out_kept) {
  PyObject* constant = make_constant(type, name, value);
  if (!constant || PyModule_AddObjectRef(module, name, constant) != 0) {
    Py_XDECREF(constant);
    return -1;
  }
  if (out_kept)
    *out_kept = constant;
  else
    Py_DECREF(constant);
  return 0;
}

static int add_dtypes(PyObject* module) {
  for (int d = 0; d < OY_DTYPE_LIMIT; d++) {
    const char* name = oy_dtype_name((oy_dtype)d);
    if (name && add_one(module, pyoy_dtype_type, name, d, &g_dtypes[d]) != 0) return -1;
  }
  return 0;
}

int pyoy_add_constants(PyObject* module) {
  static const struct {
    const char* name;
    int64_t value;
  } layouts[] = {{"strided", OY_LAYOUT_STRIDED},
                 {"sparse_coo", OY_LAYOUT_SPARSE},
                 {"sparse_csr", OY_LAYOUT_SPARSE_CSR},
                 {"sparse_csc", OY_LAYOUT_SPARSE_CSC},
                 {"sparse_bsr", OY_LAYOUT_SPARSE_BSR},
                 {"sparse_bsc", OY_LAYOUT_SPARSE_BSC},
                 {"jagged", OY_LAYOUT_JAGGED}},
    formats[] = {{"contiguous_format", OY_MEMORY_CONTIGUOUS},
                 {"preserve_format", OY_MEMORY_PRESERVE},
                 {"channels_last", OY_MEMORY_CHANNELS_LAST},
                 {"channels_last_3d", OY_MEMORY_CHANNELS_LAST_3D}};
  pyoy_dtype_type = make_type("opyard.dtype", dtype_getters);
  pyoy_layout_type = make_type("opyard.layout", constant_getters);
  pyoy_memory_format_type = make_type("opyard.memory_format", constant_getters);
  if (!pyoy_dtype_type || !pyoy_layout_type || !pyoy_memory_format_type) return -1;
  if (PyModule_AddType(module, pyoy_dtype_type) != 0 ||
      PyModule_AddType(module, pyoy_layout_type) != 0 ||
      PyModule_AddType(module, pyoy_memory_format_type) != 0 || add_dtypes(module) != 0)
    return -1;
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
    if (add_one(module, pyoy_layout_type, layouts[i].name, layouts[i].value,
                i == 0 ? &g_strided : NULL) != 0)
      return -1;
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (add_one(module, pyoy_memory_format_type, formats[i].name, formats[i].value,
                NULL) != 0)
      return -1;
  return 0;
}
