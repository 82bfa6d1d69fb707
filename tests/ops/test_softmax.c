// SPDX-License-Identifier: Apache-2.0
// Softmax, its logarithm and their gradients. Expected values are PyTorch's
// (torch.softmax and the aten calls of the same name), printed with nine digits.
#include "support/tensors.h"

#define NEAR 1e-6

static void over_the_last_and_another_dimension(void** state) {
  (void)state;
  oy_tensor* x = F32(OY_DIMS(2, 3), 1, 2, 3, 4, 1, -2);
  oy_tensor* rows = oy_softmax_int(x, -1, oy_none());
  assert_close(rows, OY_DIMS(2, 3), NEAR, 0.0900305733, 0.244728476, 0.665240943,
               0.950330257, 0.0473141558, 0.0023556333);
  oy_tensor* columns = oy__softmax(x, 0, false);
  assert_close(columns, OY_DIMS(2, 3), NEAR, 0.0474258736, 0.731058598, 0.993307173,
               0.952574134, 0.268941432, 0.00669285096);
  oy_tensor* logs = oy_log_softmax_int(x, 1, oy_int(OY_DTYPE_F64));
  assert_int_equal(logs->dtype, OY_DTYPE_F64);
  assert_close(logs, OY_DIMS(2, 3), NEAR, -2.40760589, -1.40760589, -0.407605946,
               -0.0509457104, -3.05094576, -6.05094576);
  oy_tensor* all[] = {x, rows, columns, logs};
  for (size_t i = 0; i < 4; i++) oy_tensor_release(all[i]);
}

// |rows| rows of |n|, against the definition in double.
static void check_rows(int64_t rows, int64_t n, oy_dtype dtype) {
  oy_tensor* x = oy_tensor_empty(OY_DIMS(rows, n), OY_DTYPE_F64, oy_device_cpu());
  double* data = oy_tensor_data(x);
  for (int64_t i = 0; i < rows * n; i++) data[i] = (double)((i * 37) % 23 - 11) / 2;
  oy_tensor* t = oy_to_dtype(x, dtype, false, false, oy_none());
  oy_tensor *y = oy__softmax(t, 1, false), *z = oy__log_softmax(t, 1, false);
  const double limit = dtype == OY_DTYPE_F64 ? 1e-14 : 4e-7;
  for (int64_t r = 0; r < rows; r++) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += exp(data[r * n + i]);
    for (int64_t i = r * n; i < (r + 1) * n; i++) {
      const double want = exp(data[i]) / sum;
      assert_true(fabs(element(y, i) - want) <= want * limit);
      assert_true(fabs(element(z, i) - log(want)) <= 10 * limit);
    }
  }
  oy_tensor* all[] = {x, t, y, z};
  for (size_t i = 0; i < 4; i++) oy_tensor_release(all[i]);
}

// Rows around the width of a vector and of several, few and so many that they are turned.
static void rows_of_every_length(void** state) {
  (void)state;
  for (int64_t n = 1; n < 140; n++)
    for (int64_t rows = 1; rows < 80; rows += 26) {
      check_rows(rows, n, OY_DTYPE_F32);
      check_rows(rows, n, OY_DTYPE_F64);
    }
}

enum { MOST = 21 * 20 };

static void check_columns(int64_t rows, int64_t columns) {
  double data[MOST], sums[MOST], want[MOST], logs[MOST];
  for (int64_t c = 0; c < columns; c++) sums[c] = 0;
  for (int64_t i = 0; i < rows * columns; i++) {
    data[i] = (double)((i * 37) % 23 - 11) / 2;
    if (rows > 2 && i == columns + 1) data[i] = -INFINITY;
    if (rows > 4 && i == rows * columns - 2) data[i] = NAN;
    sums[i % columns] += exp(data[i]);
  }
  for (int64_t i = 0; i < rows * columns; i++) {
    want[i] = exp(data[i]) / sums[i % columns];
    logs[i] = data[i] - log(sums[i % columns]);
  }
  oy_tensor* x = oy_tensor_from_data(data, OY_DIMS(rows, columns), OY_DTYPE_F64);
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64};
  for (int k = 0; k < 2; k++) {
    oy_tensor* t = oy__to_copy(x, oy_int(dtypes[k]), oy_none(), oy_none(), oy_none(),
                               false, oy_none());
    oy_tensor *y = oy__softmax(t, 0, false), *z = oy__log_softmax(t, 0, false);
    assert_close_(y, OY_DIMS(rows, columns), want, k ? 1e-14 : 1e-6, __FILE__, __LINE__);
    assert_close_(z, OY_DIMS(rows, columns), logs, k ? 1e-13 : 4e-6, __FILE__, __LINE__);
    oy_tensor* all[] = {t, y, z};
    for (size_t i = 0; i < 3; i++) oy_tensor_release(all[i]);
  }
  oy_tensor_release(x);
}

// Down columns, so few that a vector has several rows of them or that they leave lanes of it.
static void columns_of_every_number(void** state) {
  (void)state;
  for (int64_t columns = 2; columns <= 20; columns++)
    for (int64_t rows = 1; rows <= 21; rows++) check_columns(rows, columns);
  for (int64_t columns = 21; columns <= 140; columns++)
    for (int64_t rows = 1; rows <= 3; rows++) check_columns(rows, columns);
}

// Gradients, of the logarithm too, down columns of whole and of incomplete vectors.
static void check_column_gradients(int64_t rows, int64_t columns, oy_dtype dtype) {
  double grads[MOST], values[MOST], sums[MOST] = {0}, products[MOST] = {0}, want[2][MOST];
  for (int64_t i = 0; i < rows * columns; i++) {
    grads[i] = (double)((i * 29) % 19 - 9) / 4;
    values[i] = (double)((i * 37) % 23 - 20) / 4;
    sums[i % columns] += grads[i];
    products[i % columns] += grads[i] * values[i];
  }
  for (int64_t i = 0; i < rows * columns; i++) {
    want[0][i] = (grads[i] - products[i % columns]) * values[i];
    want[1][i] = grads[i] - exp(values[i]) * sums[i % columns];
  }
  oy_tensor* tensors[6] = {
      oy_tensor_from_data(grads, OY_DIMS(rows, columns), OY_DTYPE_F64),
      oy_tensor_from_data(values, OY_DIMS(rows, columns), OY_DTYPE_F64)};
  for (int k = 0; k < 2; k++)
    tensors[2 + k] = oy_to_dtype(tensors[k], dtype, false, false, oy_none());
  tensors[4] = oy__softmax_backward_data(tensors[2], tensors[3], 0, dtype);
  tensors[5] = oy__log_softmax_backward_data(tensors[2], tensors[3], 0, dtype);
  for (int k = 0; k < 2; k++)
    assert_close_(tensors[4 + k], OY_DIMS(rows, columns), want[k],
                  dtype == OY_DTYPE_F64 ? 1e-12 : 1e-5, __FILE__, __LINE__);
  for (size_t i = 0; i < 6; i++) oy_tensor_release(tensors[i]);
}

static void gradients_of_columns(void** state) {
  (void)state;
  for (int64_t columns = 2; columns <= 140; columns++)
    for (int64_t rows = 1; rows <= 3; rows++) {
      check_column_gradients(rows, columns, OY_DTYPE_F32);
      check_column_gradients(rows, columns, OY_DTYPE_F64);
    }
}

static void what_is_not_finite(void** state) {
  (void)state;
  const double inf = INFINITY;
  oy_tensor* x = F64(OY_DIMS(4, 2), -inf, 0, -inf, -inf, inf, 0, NAN, 0);
  oy_tensor* y = oy__softmax(x, 1, false);
  assert_close(y, OY_DIMS(4, 2), 0, 0, 1, NAN, NAN, NAN, NAN, NAN, NAN);
  oy_tensor* z = oy__log_softmax(x, 1, false);
  assert_close(z, OY_DIMS(4, 2), 0, -inf, 0, NAN, NAN, NAN, NAN, NAN, NAN);
  oy_tensor_release(x);
  oy_tensor_release(y);
  oy_tensor_release(z);
}

static void gradients(void** state) {
  (void)state;
  oy_tensor* grad = F32(OY_DIMS(1, 3), 1, 0, 2);
  oy_tensor* result = F32(OY_DIMS(1, 3), 0.25f, 0.25f, 0.5f);
  oy_tensor* a = oy__softmax_backward_data(grad, result, 1, OY_DTYPE_F32);
  assert_close(a, OY_DIMS(1, 3), NEAR, -0.0625, -0.3125, 0.375);
  oy_tensor* logs = F32(OY_DIMS(1, 3), -1.38629436f, -1.38629436f, -0.693147182f);
  oy_tensor* b = oy__log_softmax_backward_data(grad, logs, -1, OY_DTYPE_F32);
  assert_close(b, OY_DIMS(1, 3), NEAR, 0.25, -0.75, 0.5);
  oy_tensor* out = oy_tensor_empty(OY_DIMS(0), OY_DTYPE_F32, oy_device_cpu());
  assert_ptr_equal(oy__softmax_backward_data_out(grad, result, 1, OY_DTYPE_F32, out),
                   out);
  assert_close(out, OY_DIMS(1, 3), NEAR, -0.0625, -0.3125, 0.375);
  oy_tensor* all[] = {grad, result, a, logs, b, out};
  for (size_t i = 0; i < 6; i++) oy_tensor_release(all[i]);
}

static void what_is_refused(void** state) {
  (void)state;
  oy_tensor* x = I64(OY_DIMS(2, 1), 1, 2);
  assert_fails(oy__softmax(x, 1, false),
               "\"softmax_lastdim_kernel_impl\" not implemented for 'Long'");
  assert_fails(oy__softmax(x, 0, false),
               "\"softmax_kernel_impl\" not implemented for 'Long'");
  assert_fails(oy__softmax(x, 2, false),
               "Dimension out of range (expected to be in range of [-2, 1], but got 2)");
  assert_fails(oy__softmax(x, 0, true),
               "softmax with half to float conversion is not supported on CPU");
  oy_tensor_release(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(over_the_last_and_another_dimension),
      cmocka_unit_test(rows_of_every_length),
      cmocka_unit_test(columns_of_every_number),
      cmocka_unit_test(gradients_of_columns),
      cmocka_unit_test(what_is_not_finite),
      cmocka_unit_test(gradients),
      cmocka_unit_test(what_is_refused),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
