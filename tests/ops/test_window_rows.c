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

// Pairs of real numbers that cannot be seen as complex ones where they lie: PyTorch copies
// them first.
static void istft_of_pairs_anywhere(void** state) {
  (void)state;
  static const struct {
    int64_t strides[3], offset;
    double want;
  } rows[] = {{{4, 2, 1}, 1, 1.5},  // an odd offset
              {{8, 4, 2}, 0, 2},    // pairs that lie apart
              {{1, 2, 4}, 0, 1},
              {{6, 3, 1}, 1, 2},  // and rows of an odd length
              {{4, 2, 1}, 0, 1}};
  oy_tensor* line =
      oy_arange(oy_int(16), oy_int(OY_DTYPE_F32), oy_none(), oy_none(), oy_none());
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    oy_tensor* pairs = oy_as_strided(
        line, OY_DIMS(2, 2, 2), (oy_ints){rows[i].strides, 3}, oy_int(rows[i].offset));
    oy_tensor* signal = oy_istft(pairs, 2, oy_int(1), oy_none(), &oy_none_object, true,
                                 false, oy_none(), oy_none(), false);
    assert_elements(signal, OY_DIMS(1), rows[i].want);
    oy_tensor_release(signal);
    oy_tensor_release(pairs);
  }
  oy_tensor_release(line);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(window_each),
      cmocka_unit_test(istft_of_pairs_anywhere),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
