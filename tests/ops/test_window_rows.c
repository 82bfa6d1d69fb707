// SPDX-License-Identifier: Apache-2.0
// Windows, stft and istft, linalg_multi_dot, and names and small compositions of rest.def.
// What they give was computed by PyTorch 1.13; what only later releases refuse is theirs.
#include "ops/op_rows.h"
#include "support/tensors.h"

static void window_each(void** state) {
  (void)state;
  static const op_row rows[] = {
#include "ops/window_rows.def"
  };
  check_op_rows(rows, sizeof(rows) / sizeof(*rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(window_each),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
