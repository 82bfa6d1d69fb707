// SPDX-License-Identifier: Apache-2.0
// What runs, as Python names it.
#ifndef OPYARD_PYTHON_SRC_LIBRARY_KERNEL_H_
#define OPYARD_PYTHON_SRC_LIBRARY_KERNEL_H_

#include "library.h"

// |kernel| is a callable; None: a fallthrough; or (address, signature): a typed C function,
// whose signature, borrowed from the tuple, may be None for the schema's. 0, or -1.
int pyoy_kernel_params(PyObject* kernel, int with_keyset, int with_op,
                       oy_kernel_params* out_params);
// Gives up the state of a kernel that was not registered.
void pyoy_kernel_params_drop(oy_kernel_params* params);

#endif  // OPYARD_PYTHON_SRC_LIBRARY_KERNEL_H_
