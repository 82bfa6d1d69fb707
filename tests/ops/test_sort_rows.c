// SPDX-License-Identifier: Apache-2.0
// Order and running values, over dtypes and layouts. What the operators give was
// computed by PyTorch 1.13.
#include <math.h>
#include <string.h>

#include "ops/op_rows.h"
#include "support/tensors.h"

static void order_and_running_values(void** state) {
  (void)state;
  static const op_row rows[] = {
#include "ops/sort_rows.def"
  };
  check_op_rows(rows, sizeof(rows) / sizeof(*rows));
}

// Long lines, for the sort by digits and the selection, against what must hold.
static void long_lines_come_in_order(void** state) {
  (void)state;
  enum { N = 5000 };
  float* data = malloc(N * sizeof(float));
  uint32_t seed = 1;
  for (int i = 0; i < N; i++) {
    seed = seed * 1664525u + 1013904223u;
    data[i] = (float)(int)(seed >> 20) - 2048;
  }
  oy_tensor* x = oy_tensor_from_data(data, OY_DIMS(N), OY_DTYPE_F32);
  oy_tensor *values, *places, *most, *where;
  assert_int_equal(oy_sort_stable(x, oy_bool(true), 0, true, &values, &places), OY_OK);
  const float* v = oy_tensor_data(values);
  const int64_t* p = oy_tensor_data(places);
  for (int i = 0; i < N; i++) {
    assert_true(v[i] == data[p[i]]);
    if (i > 0) assert_true(v[i - 1] > v[i] || (v[i - 1] == v[i] && p[i - 1] < p[i]));
  }
  assert_int_equal(oy_topk(x, 20, 0, true, true, &most, &where), OY_OK);
  assert_memory_equal(oy_tensor_data(most), v, 20 * sizeof(float));
  // The least of every other element, of which few are wanted: steps, and NaN comes last.
  oy_tensor *step, *least, *at;
  data[2] = NAN;
  memcpy(oy_tensor_data(x), data, N * sizeof(float));
  step = oy_tensor_as_strided(x, OY_DIMS(N / 2), OY_DIMS(2), 0);
  assert_int_equal(oy_topk(step, 20, 0, false, true, &least, &at), OY_OK);
  v = oy_tensor_data(least);
  p = oy_tensor_data(at);
  for (int i = 0; i < 20; i++) assert_true(v[i] == data[2 * p[i]]);
  for (int i = 1; i < 20; i++) assert_true(v[i - 1] <= v[i]);
  int below = 0;
  for (int i = 0; i < N; i += 2) below += data[i] < v[19];
  assert_in_range(below, 0, 19);
  oy_tensor* const made[] = {at, least, step, most, where, values, places, x};
  for (int k = 0; k < 8; k++) oy_tensor_release(made[k]);
  free(data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_and_running_values),
      cmocka_unit_test(long_lines_come_in_order),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
