// SPDX-License-Identifier: Apache-2.0
// The parts of the Tensor type, one file each.
#ifndef OPYARD_PYTHON_SRC_TENSOR_TYPE_H_
#define OPYARD_PYTHON_SRC_TENSOR_TYPE_H_

#include "module.h"

// tensor_item.c
PyObject* pyoy_tensor_item(PyObject* self, PyObject* unused);
PyObject* pyoy_tensor_tolist(PyObject* self, PyObject* unused);
PyObject* pyoy_tensor_complex(PyObject* self, PyObject* unused);
int pyoy_tensor_bool(PyObject* self);
PyObject* pyoy_tensor_int(PyObject* self);
PyObject* pyoy_tensor_float(PyObject* self);
PyObject* pyoy_tensor_index(PyObject* self);

// tensor_attributes.c
extern PyGetSetDef pyoy_tensor_getters[];

// tensor_number.c: slots of signs, ended by a row of zeros; comparison.
extern const PyType_Slot pyoy_tensor_signs[];
PyObject* pyoy_tensor_compare(PyObject* a, PyObject* b, int op);

// tensor_index.c
PyObject* pyoy_tensor_get(PyObject* self, PyObject* key);
int pyoy_tensor_set(PyObject* self, PyObject* key, PyObject* value);
// Who makes a tensor of a list that is an index.
PyObject* pyoy_set_to_index(PyObject* module, PyObject* maker);

// subclass.c
PyObject* pyoy_make_subclass(PyObject* unused, PyObject* args, PyObject* kwargs);
PyObject* pyoy_make_wrapper_subclass(PyObject* unused, PyObject* args, PyObject* kwargs);
PyObject* pyoy_as_subclass(PyObject* self, PyObject* cls);

#endif  // OPYARD_PYTHON_SRC_TENSOR_TYPE_H_
