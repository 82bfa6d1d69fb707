// SPDX-License-Identifier: Apache-2.0
// Matrix products by OpenBLAS, as variants beside the portable kernels. The library is
// looked for when kernels are registered, and loaded at the first product that is worth
// it: loading takes 3 ms and starts its threads. OPYARD_OPENBLAS names another file, or
// "off".
#ifndef OPYARD_SRC_BACKENDS_CPU_LINALG_OPENBLAS_H_
#define OPYARD_SRC_BACKENDS_CPU_LINALG_OPENBLAS_H_

#include <stdbool.h>

#include "backends/cpu/linalg/gemm.h"
#include "opyard/library.h"

// Registers nothing where there is no OpenBLAS.
oy_status oyi_register_openblas(oy_library* library);
// Its products, or for other dtypes and where it cannot be loaded the portable ones.
oyi_gemm_fn oyi_openblas_gemm(oy_dtype dtype);
// The same where it was found when kernels were registered, else the portable ones.
oyi_gemm_fn oyi_fastest_gemm(oy_dtype dtype);
// Its functions of linear algebra, the same way (openblas_lapack.c).
oy_status oyi_register_openblas_lapack(oy_library* library);
// The library, loaded; NULL if it cannot be. One of its functions; NULL if it has none.
void* oyi_openblas_library(void);
void* oyi_openblas_symbol(void* library, const char* name);
// Between these the library takes one thread for each call, so that calls of opyard's threads
// do not wait for each other. False: nothing was changed, and no end has to follow.
bool oyi_openblas_begin_quiet(void);
void oyi_openblas_end_quiet(void);
// The file that is used; NULL if there is none.
const char* oyi_openblas_path(void);

#endif  // OPYARD_SRC_BACKENDS_CPU_LINALG_OPENBLAS_H_
