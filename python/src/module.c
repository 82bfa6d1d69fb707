// SPDX-License-Identifier: Apache-2.0
// opyard._C: the part of the package `opyard` that is not Python.
#include "module.h"

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "opyard._C",
    .m_doc = "Tensors and operators of opyard.",
    .m_size = -1,
    .m_methods = pyoy_make_methods,
};

PyMODINIT_FUNC PyInit__C(void);
PyMODINIT_FUNC PyInit__C(void) {
  if (oy_init() != OY_OK) return pyoy_raise();
  PyObject* module = PyModule_Create(&definition);
  if (!module) return NULL;
  if (pyoy_add_errors(module) != 0 || pyoy_add_constants(module) != 0 ||
      pyoy_add_device(module) != 0 || pyoy_add_tensor(module) != 0 ||
      pyoy_add_op(module) != 0 || pyoy_add_autograd(module) != 0 ||
      PyModule_AddStringConstant(module, "__version__", oy_version()) != 0)
    Py_CLEAR(module);
  return module;
}
