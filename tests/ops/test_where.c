// SPDX-License-Identifier: Apache-2.0
// Choices by a mask, of elements of each size, where the mask, either operand and the result lie
// together, apart by one element or two, or are the same everywhere, against plain loops.
#include "base/memory.h"
#include "support/tensors.h"

static const oy_dtype g_dtypes[] = {OY_DTYPE_U8,  OY_DTYPE_BF16, OY_DTYPE_F32,
                                    OY_DTYPE_F64, OY_DTYPE_C64,  OY_DTYPE_C128};
enum { WIDEST = 16, LONGEST = 700, STEPS = 3, OPERANDS = 4, RESULT = 3 };

// |n| elements that lie |step| elements apart; 0: one for all.
static oy_tensor* laid(const uint8_t* data, int64_t n, int64_t step, oy_dtype dtype) {
  oy_tensor* whole = oy_tensor_from_data(data, OY_DIMS(step ? n * step : 1), dtype);
  oy_tensor* t = step ? oy_slice_Tensor(whole, 0, oy_int(0), oy_none(), step)
                      : oy_expand(whole, OY_DIMS(n), false);
  assert_non_null(t);
  oy_tensor_release(whole);
  return t;
}

// |steps| of the mask, what is chosen where it is set, where it is not, and of the result.
static void check(int64_t n, const int64_t* steps, oy_dtype dtype) {
  static uint8_t data[OPERANDS][LONGEST * STEPS * WIDEST];
  const size_t item = (size_t)oy_dtype_size(dtype);
  for (int k = 0; k < OPERANDS; k++)
    for (int64_t i = 0; i < (int64_t)sizeof(data[k]); i++)
      data[k][i] = (uint8_t)((i * 37 + (i >> 8) + k * 101) % 251);
  for (int64_t i = 0; i < LONGEST * STEPS; i++) data[0][i] = data[0][i] % 7 < 3;
  oy_tensor* all[OPERANDS];
  for (int k = 0; k < OPERANDS; k++)
    all[k] = laid(data[k], n, steps[k], k == 0 ? OY_DTYPE_BOOL : dtype);
  assert_ptr_equal(oy_where_self_out(all[0], all[1], all[2], all[RESULT]), all[RESULT]);
  const char* got = oy_tensor_data(all[RESULT]);
  for (int64_t i = 0; i < n * steps[RESULT]; i++) {
    const bool between = i % steps[RESULT] != 0;
    const int64_t at = i / steps[RESULT];
    const int from = between ? RESULT : data[0][at * steps[0]] ? 1 : 2;
    const int64_t place = between ? i : at * steps[from];
    if (between && i > (n - 1) * steps[RESULT]) break;
    if (memcmp(got + i * (int64_t)item, data[from] + place * (int64_t)item, item) != 0)
      fail_msg("%s, %d elements, steps %d %d %d %d: element %d", oy_dtype_name(dtype),
               (int)n, (int)steps[0], (int)steps[1], (int)steps[2], (int)steps[RESULT],
               (int)i);
  }
  for (int k = 0; k < OPERANDS; k++) oy_tensor_release(all[k]);
}

static void every_layout(void** state) {
  (void)state;
  static const int64_t lengths[] = {1, 2, 7, 16, 33, 127, 128, 300, LONGEST};
  for (size_t d = 0; d < OY_ARRAY_SIZE(g_dtypes); d++)
    for (size_t l = 0; l < OY_ARRAY_SIZE(lengths); l++)
      for (int way = 0; way < 4 * 4 * 4 * STEPS; way++) {
        const int64_t steps[] = {way % 4, way / 4 % 4, way / 16 % 4, 1 + way / 64};
        check(lengths[l], steps, g_dtypes[d]);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_layout)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
