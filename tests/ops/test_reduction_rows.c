// SPDX-License-Identifier: Apache-2.0
// Reductions, over dtypes and layouts. What they give was computed by PyTorch 1.13, for
// what that lacks (16-bit products, any and all over several dimensions) by hand.
#include "ops/op_rows.h"
#include "support/tensors.h"

static void sums_and_norms(void** state) {
  (void)state;
  static const op_row rows[] = {
#include "ops/reduction_rows.def"
  };
  check_op_rows(rows, sizeof(rows) / sizeof(*rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_and_norms),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
