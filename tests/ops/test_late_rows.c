// SPDX-License-Identifier: Apache-2.0
// Histograms, reductions of segments, pools at random places, max_unpool3d, bilinear and LDL
// factors; what loops of their own compute, at lengths that fill vectors and leave a
// rest; outputs of other dtypes. What they give was computed by PyTorch 1.13.
#include "ops/op_rows.h"
#include "support/tensors.h"

static void late_each(void** state) {
  (void)state;
  static const op_row rows[] = {
#include "ops/late_rows.def"
  };
  check_op_rows(rows, sizeof(rows) / sizeof(*rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(late_each),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
