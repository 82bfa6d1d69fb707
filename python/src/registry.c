// SPDX-License-Identifier: Apache-2.0
// The registry as the front end looks at it: which operators there are, by name, read again
// when definitions came or went.
#include "plan.h"

// ------------------------------------------------------------------- definitions

static uint64_t g_definitions = 1;

static void count_definition(void* user_data, const oy_op* op) {
  (void)user_data;
  (void)op;
  __atomic_fetch_add(&g_definitions, 1, __ATOMIC_RELEASE);
}

uint64_t pyoy_definitions(void) {
  return __atomic_load_n(&g_definitions, __ATOMIC_ACQUIRE);
}

// All operators, sorted by name, as they were when |g_listed| definitions had been made.
static const oy_op** g_list;
static size_t g_list_count;
static uint64_t g_listed;

int pyoy_list_again(void) {
  uint64_t now = pyoy_definitions();
  if (g_list && g_listed == now) return 0;
  const oy_op** list;
  size_t count;
  if (oy_registry_list(oy_registry_default(), &list, &count) != OY_OK) {
    pyoy_raise();
    return -1;
  }
  if (g_list) oy_ops_free(g_list);
  g_list = list;
  g_list_count = count;
  g_listed = now;
  return 0;
}

static int compare_names(oy_str a, oy_str b) {
  int order = memcmp(a.data, b.data, a.size < b.size ? a.size : b.size);
  return order ? order : (a.size > b.size) - (a.size < b.size);
}

// "aten::add.Tensor" is an overload of "aten::add".
static bool is_overload(oy_str full, oy_str name) {
  return full.size >= name.size && memcmp(full.data, name.data, name.size) == 0 &&
         (full.size == name.size || full.data[name.size] == '.');
}

// Where the overloads of |name| begin in the list, and how many there are.
const oy_op** pyoy_find_overloads(oy_str name, size_t* out_count) {
  size_t low = 0, high = g_list_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare_names(oy_op_name_of(g_list[middle]), name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  size_t end = low;
  while (end < g_list_count && is_overload(oy_op_name_of(g_list[end]), name)) end++;
  *out_count = end - low;
  return g_list + low;
}

// ------------------------------------------------------------------------ lists

static PyObject* list_ops(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  if (pyoy_list_again() != 0) return NULL;
  PyObject* list = PyList_New(0);
  for (size_t i = 0; list && i < g_list_count; i++) {
    if (!oy_op_schema(g_list[i])) continue;
    PyObject* op = pyoy_op_object(g_list[i]);
    if (!op || PyList_Append(list, op) != 0) Py_CLEAR(list);
    Py_XDECREF(op);
  }
  return list;
}

// Names without overloads of a namespace; of all if |prefix| is "".
PyObject* pyoy_list_names(PyObject* module, PyObject* prefix) {
  (void)module;
  Py_ssize_t size;
  const char* text = PyUnicode_AsUTF8AndSize(prefix, &size);
  if (!text || pyoy_list_again() != 0) return NULL;
  PyObject* list = PyList_New(0);
  oy_str last = {NULL, 0};
  for (size_t i = 0; list && i < g_list_count; i++) {
    oy_str name = oy_op_name_of(g_list[i]);
    if (name.size < (size_t)size || memcmp(name.data, text, (size_t)size) != 0) continue;
    const char* dot = memchr(name.data, '.', name.size);
    if (dot) name.size = (size_t)(dot - name.data);
    if (last.data && oy_str_equal(last, name)) continue;
    last = name;
    PyObject* item = PyUnicode_FromStringAndSize(name.data, (Py_ssize_t)name.size);
    if (!item || PyList_Append(list, item) != 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static PyObject* definitions(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  return PyLong_FromUnsignedLongLong(pyoy_definitions());
}

int pyoy_add_registry(PyObject* module) {
  static PyMethodDef functions[] = {
      {"ops", list_ops, METH_NOARGS, "All operators, sorted by name."},
      {"op_names", pyoy_list_names, METH_O,
       "Names, without overloads, that begin with a text: op_names(\"aten::\")."},
      {"definitions", definitions, METH_NOARGS,
       "Counts definitions of operators that came or went."},
      {NULL, NULL, 0, NULL},
  };
  oy_listener listener = {count_definition, count_definition, NULL};
  int id;
  if (oy_registry_add_listener(oy_registry_default(), listener, &id) == OY_OK)
    return PyModule_AddFunctions(module, functions);
  pyoy_raise();
  return -1;
}
