// SPDX-License-Identifier: Apache-2.0
// Products with vectors and of long rows, beside the plain loops: complex numbers with both parts,
// conjugates, integers that wrap, and layers with a bias.
#include "base/memory.h"
#include "support/tensors.h"

enum { MOST = 300 };

static int64_t part_at(int64_t i) {
  return (i * 7 + 3) % 11 - 5;
}

// |n| complex numbers |step| apart, whose parts are small whole numbers; |salt| where they begin.
static oy_tensor* complex_vector(int64_t n, int64_t step, oy_dtype dtype, int64_t salt) {
  oy_tensor* all = oy_tensor_empty(OY_DIMS(n * step), dtype, oy_device_cpu());
  for (int64_t i = 0; i < 2 * n * step; i++) {
    if (dtype == OY_DTYPE_C64)
      ((float*)oy_tensor_data(all))[i] = (float)part_at(i + salt);
    else
      ((double*)oy_tensor_data(all))[i] = (double)part_at(i + salt);
  }
  oy_tensor* view = oy_tensor_as_strided(all, OY_DIMS(n), OY_DIMS(step), 0);
  oy_tensor_release(all);
  return view;
}

static int64_t real_at(int64_t i, int64_t step, int64_t salt) {
  return part_at(2 * i * step + salt);
}
static int64_t imaginary_at(int64_t i, int64_t step, int64_t salt) {
  return part_at(2 * i * step + 1 + salt);
}

static void check_complex(oy_tensor* t, int64_t i, int64_t re, int64_t im) {
  assert_non_null(t);
  const void* data = oy_tensor_data(t);
  const bool narrow = t->dtype == OY_DTYPE_C64;
  const double got[2] = {
      narrow ? (double)((const float*)data)[2 * i] : ((const double*)data)[2 * i],
      narrow ? (double)((const float*)data)[2 * i + 1]
             : ((const double*)data)[2 * i + 1]};
  assert_true(got[0] == (double)re && got[1] == (double)im);
}

static void one_dot(int64_t n, int64_t a_step, int64_t b_step, oy_dtype dtype) {
  oy_tensor* a = complex_vector(n, a_step, dtype, 0);
  oy_tensor* b = complex_vector(n, b_step, dtype, 4);
  int64_t straight = 0, crossed = 0, turned = 0, other = 0;
  for (int64_t i = 0; i < n; i++) {
    const int64_t x = real_at(i, a_step, 0), y = imaginary_at(i, a_step, 0);
    const int64_t u = real_at(i, b_step, 4), v = imaginary_at(i, b_step, 4);
    straight += x * u, crossed += y * v, turned += x * v, other += y * u;
  }
  oy_tensor *dot = oy_dot(a, b), *vdot = oy_vdot(a, b);
  check_complex(dot, 0, straight - crossed, turned + other);
  check_complex(vdot, 0, straight + crossed, turned - other);
  oy_tensor* all[] = {a, b, dot, vdot};
  for (size_t i = 0; i < OY_ARRAY_SIZE(all); i++) oy_tensor_release(all[i]);
}

static void dots_of_complex_numbers(void** state) {
  (void)state;
  static const int64_t lengths[] = {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 65, MOST};
  static const int64_t steps[][2] = {{1, 1}, {2, 1}, {1, 3}, {2, 2}};
  for (size_t n = 0; n < OY_ARRAY_SIZE(lengths); n++)
    for (size_t s = 0; s < OY_ARRAY_SIZE(steps); s++) {
      one_dot(lengths[n], steps[s][0], steps[s][1], OY_DTYPE_C64);
      one_dot(lengths[n], steps[s][0], steps[s][1], OY_DTYPE_C128);
    }
}

// Rows of |n| or columns of as many, by a vector.
static void one_complex_mv(int64_t n, int64_t k, bool turned, oy_dtype dtype) {
  oy_tensor* flat = complex_vector(n * k, 1, dtype, 2);
  oy_tensor* m = oy_tensor_as_strided(flat, OY_DIMS(n, k),
                                      turned ? OY_DIMS(1, n) : OY_DIMS(k, 1), 0);
  oy_tensor* v = complex_vector(k, 1, dtype, 5);
  oy_tensor* product = oy_mv(m, v);
  for (int64_t i = 0; i < n; i++) {
    int64_t re = 0, im = 0;
    for (int64_t p = 0; p < k; p++) {
      const int64_t at = turned ? p * n + i : i * k + p;
      const int64_t x = real_at(at, 1, 2), y = imaginary_at(at, 1, 2);
      const int64_t u = real_at(p, 1, 5), w = imaginary_at(p, 1, 5);
      re += x * u - y * w, im += x * w + y * u;
    }
    check_complex(product, i, re, im);
  }
  oy_tensor* all[] = {flat, m, v, product};
  for (size_t i = 0; i < OY_ARRAY_SIZE(all); i++) oy_tensor_release(all[i]);
}

static void complex_matrices_by_vectors(void** state) {
  (void)state;
  static const int64_t shapes[][2] = {{1, 5}, {3, 40}, {40, 3}, {33, 65}, {70, 70}};
  for (size_t s = 0; s < OY_ARRAY_SIZE(shapes); s++)
    for (int how = 0; how < 4; how++)
      one_complex_mv(shapes[s][0], shapes[s][1], how & 1,
                     how & 2 ? OY_DTYPE_C64 : OY_DTYPE_C128);
}

// Any bits of any width.
static uint64_t bits_at(int64_t i) {
  return ((uint64_t)i + 17) * 0x9e3779b97f4a7c15u;
}

static oy_tensor* integers(int64_t n, oy_dtype dtype, int64_t salt) {
  oy_tensor* t = oy_tensor_empty(OY_DIMS(n), dtype, oy_device_cpu());
  for (int64_t i = 0; i < n; i++) {
    const uint64_t bits = bits_at(i + salt);
    if (dtype == OY_DTYPE_I64) ((uint64_t*)oy_tensor_data(t))[i] = bits;
    if (dtype == OY_DTYPE_I32) ((uint32_t*)oy_tensor_data(t))[i] = (uint32_t)bits;
    if (dtype == OY_DTYPE_I16) ((uint16_t*)oy_tensor_data(t))[i] = (uint16_t)bits;
    if (dtype == OY_DTYPE_I8 || dtype == OY_DTYPE_U8)
      ((uint8_t*)oy_tensor_data(t))[i] = (uint8_t)bits;
  }
  return t;
}

static uint64_t bits_of(const oy_tensor* t, int64_t i) {
  const void* data = oy_tensor_data(t);
  if (t->dtype == OY_DTYPE_I64) return ((const uint64_t*)data)[i];
  if (t->dtype == OY_DTYPE_I32) return ((const uint32_t*)data)[i];
  return t->dtype == OY_DTYPE_I16 ? ((const uint16_t*)data)[i]
                                  : ((const uint8_t*)data)[i];
}

static uint64_t low_bits(uint64_t x, oy_dtype dtype) {
  if (dtype == OY_DTYPE_I64) return x;
  if (dtype == OY_DTYPE_I32) return (uint32_t)x;
  return dtype == OY_DTYPE_I16 ? (uint16_t)x : (uint8_t)x;
}

// Sums and products wrap, also those with |alpha| and |beta|.
static void one_wrapping(int64_t n, int64_t k, int64_t m, oy_dtype dtype) {
  enum { ALPHA = -77, BETA = 101 };
  oy_tensor *flat_a = integers(n * k, dtype, 0), *flat_b = integers(k * m, dtype, 999);
  oy_tensor* flat_c = integers(n * m, dtype, 5);
  oy_tensor *a = oy_view(flat_a, OY_DIMS(n, k)), *b = oy_view(flat_b, OY_DIMS(k, m));
  oy_tensor *c = oy_view(flat_c, OY_DIMS(n, m)), *product = oy_mm(a, b);
  oy_tensor* sum = oy_addmm(c, a, b, oy_int(BETA), oy_int(ALPHA));
  for (int64_t i = 0; i < n * m; i++) {
    uint64_t all = 0;
    for (int64_t p = 0; p < k; p++)
      all += bits_of(a, i / m * k + p) * bits_of(b, p * m + i % m);
    assert_int_equal(bits_of(product, i), low_bits(all, dtype));
    const uint64_t both = (uint64_t)ALPHA * all + BETA * bits_of(c, i);
    assert_int_equal(bits_of(sum, i), low_bits(both, dtype));
  }
  oy_tensor* made[] = {flat_a, flat_b, flat_c, a, b, c, product, sum};
  for (size_t i = 0; i < OY_ARRAY_SIZE(made); i++) oy_tensor_release(made[i]);
}

static void products_of_integers_wrap(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_I64, OY_DTYPE_I32, OY_DTYPE_I16, OY_DTYPE_I8,
                                    OY_DTYPE_U8};
  static const int64_t shapes[][3] = {{1, 1, 1},   {1, 20, 70}, {2, 33, 600},
                                      {70, 20, 1}, {3, 3, 3},   {1, 1, 40},
                                      {7, 30, 35}, {40, 80, 2}, {13, 5, 67}};
  for (size_t d = 0; d < OY_ARRAY_SIZE(dtypes); d++)
    for (size_t s = 0; s < OY_ARRAY_SIZE(shapes); s++)
      one_wrapping(shapes[s][0], shapes[s][1], shapes[s][2], dtypes[d]);
}

// Rows of |k| of |n|, |apart| elements from one to the next, by a vector of every |step|-th number.
static void one_row_of_bytes(int64_t n, int64_t k, int64_t apart, int64_t step,
                             oy_dtype dtype) {
  oy_tensor *flat = integers(n * apart, dtype, k),
            *numbers = integers(k * step, dtype, n);
  oy_tensor* a = oy_as_strided(flat, OY_DIMS(n, k), OY_DIMS(apart, 1), oy_none());
  oy_tensor* x = oy_as_strided(numbers, OY_DIMS(k), OY_DIMS(step), oy_none());
  oy_tensor* product = oy_mv(a, x);
  for (int64_t i = 0; i < n; i++) {
    uint64_t sum = 0;
    for (int64_t p = 0; p < k; p++)
      sum += bits_of(flat, i * apart + p) * bits_of(numbers, p * step);
    assert_int_equal(bits_of(product, i), low_bits(sum, dtype));
  }
  oy_tensor* all[] = {flat, numbers, a, x, product};
  for (size_t i = 0; i < OY_ARRAY_SIZE(all); i++) oy_tensor_release(all[i]);
}

static void short_rows_of_bytes(void** state) {
  (void)state;
  for (int64_t k = 1; k < 70; k++)
    for (int64_t n = 14; n < 40; n += 1 + n % 3) {
      one_row_of_bytes(n, k, k, 1, OY_DTYPE_U8);
      one_row_of_bytes(n, k, k + 3, 2, OY_DTYPE_I8);
    }
}

// Sums of two products, of which each is exact, rounded once; NaN and infinity where they come.
static void pairs_of_bf16(void** state) {
  (void)state;
  for (int64_t n = 1; n < 70; n++) {
    float pairs[2 * 70], by[2] = {-1.5F, 0.5F};
    for (int64_t i = 0; i < 2 * n; i++) pairs[i] = (float)(i * 37 % 23 - 11);
    if (n > 20) pairs[2 * n - 1] = NAN, pairs[10] = INFINITY, pairs[21] = 0x1p120F;
    oy_tensor* all[] = {oy_tensor_from_data(pairs, OY_DIMS(n, 2), OY_DTYPE_F32),
                        oy_tensor_from_data(by, OY_DIMS(2), OY_DTYPE_F32), NULL, NULL,
                        NULL};
    for (int k = 0; k < 2; k++)
      all[2 + k] = oy__to_copy(all[k], oy_int(OY_DTYPE_BF16), oy_none(), oy_none(),
                               oy_none(), false, oy_none());
    all[4] = oy_mv(all[2], all[3]);
    double want[70];
    for (int64_t i = 0; i < n; i++)
      want[i] = (double)(pairs[2 * i] * by[0] + pairs[2 * i + 1] * by[1]);
    assert_close_(all[4], OY_DIMS(n), want, 0, __FILE__, __LINE__);
    for (size_t i = 0; i < OY_ARRAY_SIZE(all); i++) oy_tensor_release(all[i]);
  }
}

static oy_tensor* floats(int64_t rows, int64_t columns, int64_t salt) {
  oy_tensor* t = oy_tensor_empty(OY_DIMS(rows, columns), OY_DTYPE_F32, oy_device_cpu());
  for (int64_t i = 0; i < rows * columns; i++)
    ((float*)oy_tensor_data(t))[i] = (float)part_at(i * 3 + salt);
  return t;
}

static void one_layer(int64_t n, int64_t k, int64_t m) {
  oy_tensor *x = floats(n, k, 0), *w = floats(m, k, 1), *row = floats(1, m, 2);
  oy_tensor *bias = oy_select_int(row, 0, 0), *y = oy_linear(x, w, bias);
  for (int64_t i = 0; i < n * m; i++) {
    int64_t sum = part_at(i % m * 3 + 2);
    for (int64_t p = 0; p < k; p++)
      sum += part_at((i / m * k + p) * 3) * part_at((i % m * k + p) * 3 + 1);
    assert_true(((float*)oy_tensor_data(y))[i] == (float)sum);
  }
  oy_tensor *turned = oy_t(w), *more = oy_addmm(y, x, turned, oy_int(-2), oy_int(3));
  for (int64_t i = 0; i < n * m; i++) {
    const float sum = ((float*)oy_tensor_data(y))[i];
    const float want = 3 * (sum - (float)part_at(i % m * 3 + 2)) - 2 * sum;
    assert_true(((float*)oy_tensor_data(more))[i] == want);
  }
  oy_tensor* all[] = {x, w, row, bias, y, turned, more};
  for (size_t i = 0; i < OY_ARRAY_SIZE(all); i++) oy_tensor_release(all[i]);
}

// Around the shapes for which rows are multiplied where they lie.
static void layers_of_long_rows(void** state) {
  (void)state;
  static const int64_t shapes[][3] = {{4, 255, 4},  {4, 256, 4},   {5, 257, 6},
                                      {20, 271, 9}, {64, 300, 64}, {65, 300, 64},
                                      {7, 300, 65}, {1, 300, 20}};
  for (size_t s = 0; s < OY_ARRAY_SIZE(shapes); s++)
    one_layer(shapes[s][0], shapes[s][1], shapes[s][2]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dots_of_complex_numbers),
      cmocka_unit_test(complex_matrices_by_vectors),
      cmocka_unit_test(products_of_integers_wrap),
      cmocka_unit_test(short_rows_of_bytes),
      cmocka_unit_test(pairs_of_bf16),
      cmocka_unit_test(layers_of_long_rows),
  };
  return cmocka_run_group_tests_name("matrix_vectors", tests, init_library, shut_library);
}
