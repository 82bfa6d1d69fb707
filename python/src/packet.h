// SPDX-License-Identifier: Apache-2.0
// All overloads of a name as one callable, and as a method of Tensor.
#ifndef OPYARD_PYTHON_SRC_PACKET_H_
#define OPYARD_PYTHON_SRC_PACKET_H_

#include "plan.h"

typedef struct packet {
  PyObject base;
  pyoy_vectorcall vectorcall;
  PyObject* name;  // "aten::add"
  uint64_t seen;   // definitions when the plans were made; 0: never
  size_t count;
  pyoy_plan** plans;  // in the order in which they are tried
  int strict;         // PYOY_NUMBERS_AS_TENSORS where PyTorch has it so
  bool is_method;     // of Tensor
} packet;

// A new one for |name|, "aten::add"; NULL with an exception.
packet* pyoy_packet_make(PyObject* name);
// Calls the first overload that takes the arguments.
PyObject* pyoy_packet_vectorcall(PyObject* object, PyObject* const* args, size_t nargsf,
                                 PyObject* names);
// x.add, as descriptors are asked for it.
PyObject* pyoy_packet_get(PyObject* self, PyObject* object, PyObject* type);

#endif  // OPYARD_PYTHON_SRC_PACKET_H_
