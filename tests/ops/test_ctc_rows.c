// SPDX-License-Identifier: Apache-2.0
// ctc_loss. What it gives was computed by PyTorch 1.13, but for what that leaves
// uninitialised, which is minus infinity here, and for lengths and classes that it does not
// check.
#include "ops/op_rows.h"
#include "support/tensors.h"

static void ctc_each(void** state) {
  (void)state;
  static const op_row rows[] = {
#include "ops/ctc_rows.def"
  };
  check_op_rows(rows, sizeof(rows) / sizeof(*rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ctc_each),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
