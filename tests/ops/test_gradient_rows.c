// SPDX-License-Identifier: Apache-2.0
// Gradients of normalisations, embeddings, sampling and views. What they give was
// computed by PyTorch 1.13; where 2.6 has other texts, those were written by hand.
#include "ops/op_rows.h"
#include "support/tensors.h"

static void gradients(void** state) {
  (void)state;
  static const op_row rows[] = {
#include "ops/gradient_rows.def"
  };
  check_op_rows(rows, sizeof(rows) / sizeof(*rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
