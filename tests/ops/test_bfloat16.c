// SPDX-License-Identifier: Apache-2.0
// Every bfloat16 through loops of its own, beside what floats of the same value become.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "support/tensors.h"

enum { ALL = 1 << 16 };

static float number_of(uint16_t bits) {
  const uint32_t word = (uint32_t)bits << 16;
  float number;
  memcpy(&number, &word, sizeof(number));
  return number;
}

static oy_tensor* all_numbers(void) {
  static uint16_t bits[ALL];
  for (int i = 0; i < ALL; i++) bits[i] = (uint16_t)i;
  return oy_scope_take(oy_tensor_from_data(bits, OY_DIMS(ALL), OY_DTYPE_BF16));
}

static void check_threshold(oy_tensor* t, int64_t start, int64_t step, double least,
                            double value) {
  oy_tensor* part = oy_slice_Tensor(t, 0, oy_int(start), oy_none(), step);
  oy_tensor* got = oy_threshold(part, oy_float(least), oy_float(value));
  assert_non_null(got);
  const uint16_t* at = oy_tensor_data(got);
  for (int64_t i = 0; i < oy_tensor_numel(got); i++) {
    const float x = number_of((uint16_t)(start + i * step)), y = number_of(at[i]);
    // One that bfloat16 has is given back as it is.
    const float want = x <= (float)least ? (float)value : x;
    if (!(y == want || (isnan(y) && isnan(want))))
      fail_msg("threshold %a, %a of %a: %a", least, value, (double)x, (double)y);
  }
}

// 0.1 is none: what is compared with it is a float.
static void thresholds(void** state) {
  (void)state;
  static const double leasts[] = {0.1, 0, -1, INFINITY, -INFINITY, NAN};
  static const double values[] = {2, -0.5, INFINITY, NAN};
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* t = all_numbers();
  for (size_t i = 0; i < OY_ARRAY_SIZE(leasts); i++)
    for (size_t k = 0; k < OY_ARRAY_SIZE(values); k++) {
      check_threshold(t, 0, 1, leasts[i], values[k]);
      check_threshold(t, 3, 7, leasts[i], values[k]);
      check_threshold(t, ALL - 19, 1, leasts[i], values[k]);
    }
  oy_scope_close(&scope);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(thresholds)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
