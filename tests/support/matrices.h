// SPDX-License-Identifier: Apache-2.0
// Matrices of drawn numbers, and how great they are, for tests of linear algebra.
#ifndef OPYARD_TESTS_SUPPORT_MATRICES_H_
#define OPYARD_TESTS_SUPPORT_MATRICES_H_

#include <stdlib.h>

#include "support/tensors.h"

// From -1 to 1, of any floating point or complex dtype; the caller's.
static inline oy_tensor* drawn_numbers(oy_ints sizes, oy_dtype dtype, uint32_t seed) {
  size_t count = 2;
  for (size_t i = 0; i < sizes.size; i++) count *= (size_t)sizes.data[i];
  double* data = malloc(count * sizeof(double));
  assert_non_null(data);
  for (size_t i = 0; i < count; i++) {
    seed = seed * 1664525u + 1013904223u;
    data[i] = (double)(seed >> 8) / (1 << 23) - 1;
  }
  oy_tensor* wide = oy_tensor_from_data(data, sizes, OY_DTYPE_C128);
  oy_tensor* real = oy_dtype_is_complex(dtype) ? oy_tensor_retain(wide) : oy_real(wide);
  oy_tensor* made = oy_to_dtype(real, dtype, false, true, oy_none());
  oy_tensor_release(real);
  oy_tensor_release(wide);
  free(data);
  assert_non_null(made);
  return made;
}

// The greatest absolute value.
static inline double greatest(oy_tensor* x) {
  oy_tensor *size = oy_abs(x), *most = oy_max(size);
  oy_scalar s;
  assert_int_equal(oy_tensor_item(most, &s), OY_OK);
  oy_tensor_release(size);
  oy_tensor_release(most);
  return scalar_number(s);
}

#endif  // OPYARD_TESTS_SUPPORT_MATRICES_H_
