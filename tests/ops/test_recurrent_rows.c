// SPDX-License-Identifier: Apache-2.0
// Recurrent networks and their cells, packed and padded sequences. What they give was
// computed by PyTorch 1.13; what it does not refuse and later releases do is theirs.
#include "ops/op_rows.h"
#include "support/tensors.h"

static void recurrent_each(void** state) {
  (void)state;
  static const op_row rows[] = {
#include "ops/recurrent_rows.def"
  };
  check_op_rows(rows, sizeof(rows) / sizeof(*rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(recurrent_each),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
