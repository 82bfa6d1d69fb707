// SPDX-License-Identifier: Apache-2.0
// Gradients of samples, images whose size changes without aliasing, derivatives of random
// samples by their parameters.
#include "ops/op_rows.h"
#include "support/tensors.h"

static void sampled_each(void** state) {
  (void)state;
  static const op_row rows[] = {
#include "ops/sampled_rows.def"
  };
  check_op_rows(rows, sizeof(rows) / sizeof(*rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sampled_each),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
