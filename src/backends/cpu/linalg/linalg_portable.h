// SPDX-License-Identifier: Apache-2.0
#ifndef OPYARD_SRC_BACKENDS_CPU_LINALG_LINALG_PORTABLE_H_
#define OPYARD_SRC_BACKENDS_CPU_LINALG_LINALG_PORTABLE_H_

#include <complex.h>

#include "backends/cpu/linalg/linalg.h"

// Eigenvalues of a matrix, which is destroyed, and its right eigenvectors as the columns
// of |vectors| (or NULL), each of length 1. Gives LAPACK's |info|.
int32_t oyi_eig(int64_t n, double complex* a, double complex* values,
                double complex* vectors);

#endif  // OPYARD_SRC_BACKENDS_CPU_LINALG_LINALG_PORTABLE_H_
