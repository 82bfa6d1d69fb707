// SPDX-License-Identifier: Apache-2.0
// Padding, shuffles, differences, integrals, statistics, sets, norms of slices, the gamma
// function of several variables. What they give was computed by PyTorch 1.13; where 2.6
// has other texts, those were written by hand.
#include "ops/op_rows.h"
#include "support/tensors.h"

static void everyday(void** state) {
  (void)state;
  static const op_row rows[] = {
#include "ops/everyday_rows.def"
  };
  check_op_rows(rows, sizeof(rows) / sizeof(*rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everyday),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
