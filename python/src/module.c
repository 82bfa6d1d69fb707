// SPDX-License-Identifier: Apache-2.0
// opyard._C: the part of the package `opyard` that is not Python.
#include "library.h"

// Types and operators are of the process, objects of one interpreter: another interpreter
// of the process is told so.
static int64_t g_interpreter = -1;

static int claim_interpreter(void) {
  int64_t id = PyInterpreterState_GetID(PyInterpreterState_Get());
  int64_t none = -1;
  if (id < 0) return -1;
  if (__atomic_compare_exchange_n(&g_interpreter, &none, id, false, __ATOMIC_SEQ_CST,
                                  __ATOMIC_SEQ_CST) ||
      none == id)
    return 0;
  PyErr_Format(
      PyExc_ImportError,
      "opyard is used by interpreter %lld of this process and cannot be imported "
      "in interpreter %lld: use one interpreter, or processes",
      (long long)none, (long long)id);
  return -1;
}

static int fill(PyObject* module) {
  static int (*const parts[])(PyObject*) = {
      pyoy_add_errors,
      pyoy_add_constants,
      pyoy_add_device,
      pyoy_add_size,
      pyoy_add_tensor,
      pyoy_add_generator,
      pyoy_add_op,
      pyoy_add_registry,
      pyoy_add_packet,
      pyoy_add_packet_methods,
      pyoy_add_namespace,
      pyoy_add_settings,
      pyoy_add_autograd,
      pyoy_add_graph,
      pyoy_add_hooks,
      pyoy_add_function,
      pyoy_add_transform,
      pyoy_add_functionalize,
      // Registration, modes, introspection.
      pyoy_add_exceptions,
      pyoy_add_arguments,
      pyoy_add_library,
      pyoy_add_dispatch,
      pyoy_add_dispatch_key,
      pyoy_add_dispatch_state,
      pyoy_add_dispatch_call,
      pyoy_add_mode,
      pyoy_add_handled,
      pyoy_add_overrides,
      pyoy_add_batched,
      pyoy_add_custom_function,
      pyoy_add_schema,
      // Classes, exchange, profiles.
      pyoy_add_dlpack,
      pyoy_add_files,
      pyoy_add_profiler,
  };
  if (claim_interpreter() != 0) return -1;
  if (oy_init() != OY_OK) {
    pyoy_raise();
    return -1;
  }
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (parts[i](module) != 0) return -1;
  return PyModule_AddStringConstant(module, "__version__", oy_version());
}

static PyModuleDef_Slot g_slots[] = {{Py_mod_exec, fill}, {0, NULL}};

static struct PyModuleDef g_definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "opyard._C",
    .m_doc = "Tensors and operators of opyard.",
    .m_size = 0,
    .m_methods = pyoy_make_methods,
    .m_slots = g_slots,
};

PyMODINIT_FUNC PyInit__C(void);
PyMODINIT_FUNC PyInit__C(void) {
  return PyModuleDef_Init(&g_definition);
}
