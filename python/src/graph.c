// SPDX-License-Identifier: Apache-2.0
// tensor.grad_fn: a node of the graph, seen from Python.
#include "module.h"

typedef struct node {
  PyObject base;
  oy_node* node;
} node;

static PyTypeObject* g_node_type;

// Takes over |n|.
static PyObject* wrap(oy_node* n) {
  node* self = PyObject_New(node, g_node_type);
  if (!self) {
    oy_node_release(n);
    return NULL;
  }
  self->node = n;
  return (PyObject*)self;
}

PyObject* pyoy_grad_fn(oy_tensor* tensor) {
  oy_error_clear();
  oy_node* n = oy_grad_node(tensor);
  if (n) return wrap(n);
  return oy_error_get()->code == OY_OK ? Py_NewRef(Py_None) : pyoy_raise();
}

static void node_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  oy_node_release(((node*)self)->node);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject* node_name(PyObject* self, PyObject* unused) {
  (void)unused;
  const oy_node* n = ((node*)self)->node;
  return PyUnicode_FromFormat("%s%s", oy_node_variable(n) ? "torch::autograd::" : "",
                              oy_node_name(n));
}

static PyObject* node_repr(PyObject* self) {
  return PyUnicode_FromFormat("<%s object at %p>", oy_node_name(((node*)self)->node),
                              self);
}

static PyObject* get_next(PyObject* self, void* closure) {
  (void)closure;
  const oy_node* n = ((node*)self)->node;
  size_t count = oy_node_edge_count(n);
  PyObject* tuple = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; tuple && i < count; i++) {
    uint32_t output_nr;
    oy_node* next = oy_node_edge(n, i, &output_nr);
    PyObject* object = next ? wrap(oy_node_retain(next)) : Py_NewRef(Py_None);
    PyObject* pair = object ? Py_BuildValue("(NI)", object, output_nr) : NULL;
    if (!pair || PyTuple_SetItem(tuple, (Py_ssize_t)i, pair) != 0) Py_CLEAR(tuple);
  }
  return tuple;
}

static PyObject* get_variable(PyObject* self, void* closure) {
  (void)closure;
  oy_tensor* variable = oy_node_variable(((node*)self)->node);
  if (variable) return pyoy_wrap(oy_tensor_retain(variable));
  PyErr_Format(PyExc_AttributeError, "'%s' object has no attribute 'variable'",
               oy_node_name(((node*)self)->node));
  return NULL;
}

static PyObject* node_compare(PyObject* a, PyObject* b, int op) {
  if ((op != Py_EQ && op != Py_NE) || !Py_IS_TYPE(b, g_node_type))
    return Py_NewRef(Py_NotImplemented);
  return PyBool_FromLong((((node*)a)->node == ((node*)b)->node) == (op == Py_EQ));
}

static Py_hash_t node_hash(PyObject* self) {
  return (Py_hash_t)((uintptr_t)((node*)self)->node >> 4);
}

static PyObject* detach(PyObject* module, PyObject* object) {
  (void)module;
  oy_tensor* tensor = pyoy_unwrap(object);
  if (!tensor) {
    PyErr_SetString(PyExc_TypeError, "detach_() expects a Tensor");
    return NULL;
  }
  return oy_detach_in_place(tensor) == OY_OK ? Py_NewRef(Py_None) : pyoy_raise();
}

int pyoy_add_graph(PyObject* module) {
  static PyMethodDef functions[] = {
      {"detach_", detach, METH_O, "Makes a tensor a leaf that needs no gradient."},
      {NULL, NULL, 0, NULL},
  };
  static PyMethodDef methods[] = {
      {"name", node_name, METH_NOARGS, "\"AddBackward0\""},
      {NULL, NULL, 0, NULL},
  };
  static PyGetSetDef getters[] = {
      {"next_functions", get_next, NULL, "(node, which of its results) for each input",
       NULL},
      {"variable", get_variable, NULL, "the leaf of an AccumulateGrad", NULL},
      {NULL, NULL, NULL, NULL, NULL},
  };
  PyType_Slot slots[] = {
      {Py_tp_dealloc, node_dealloc},
      {Py_tp_repr, node_repr},
      {Py_tp_hash, node_hash},
      {Py_tp_richcompare, node_compare},
      {Py_tp_methods, methods},
      {Py_tp_getset, getters},
      {0, NULL},
  };
  PyType_Spec spec = {"opyard.Node", sizeof(node), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  g_node_type = (PyTypeObject*)PyType_FromSpec(&spec);
  if (!g_node_type || PyModule_AddFunctions(module, functions) != 0) return -1;
  return PyModule_AddType(module, g_node_type);
}
