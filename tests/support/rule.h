// SPDX-License-Identifier: Apache-2.0
// The numbers that tests/tensor/make_golden.py and make_files.py fill tensors with, so
// that their files need not hold them.
#ifndef OPYARD_TESTS_SUPPORT_RULE_H_
#define OPYARD_TESTS_SUPPORT_RULE_H_

#include "support/tensors.h"
#include "tensor/element.h"

// Element |i| of the rule in |dtype|: the i-th number, or two for a complex one.
HELPER oyi_number ruled_number(oy_dtype dtype, int64_t i, int64_t modulus, double scale) {
  const bool is_complex = oy_dtype_is_complex(dtype);
  double v[2];
  for (int64_t k = 0; k < 2; k++) {
    int64_t number = is_complex ? 2 * i + k : i;
    v[k] = (double)((number * 7919 + 13) % modulus - modulus / 2) * scale;
  }
  if (is_complex) return (oyi_number){OYI_NUMBER_COMPLEX, 0, v[0], v[1]};
  if (dtype == OY_DTYPE_BOOL) v[0] = v[0] > 0;
  if (oy_dtype_is_integral(dtype, true))
    return (oyi_number){OYI_NUMBER_INT, (int64_t)v[0], v[0], 0};
  return (oyi_number){OYI_NUMBER_FLOAT, 0, v[0], 0};
}

#endif  // OPYARD_TESTS_SUPPORT_RULE_H_
