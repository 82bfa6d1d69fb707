// SPDX-License-Identifier: Apache-2.0
// Operators on each tensor of a list, and what they refuse. What they give is what PyTorch's
// operators of single tensors do.
#include "ops/op_rows.h"
#include "support/tensors.h"

static void foreach_each(void** state) {
  (void)state;
  static const op_row rows[] = {
#include "ops/foreach_rows.def"
  };
  check_op_rows(rows, sizeof(rows) / sizeof(*rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(foreach_each),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
