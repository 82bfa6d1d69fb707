// SPDX-License-Identifier: Apache-2.0
// Fourier transforms, their frequencies and shifts. What they give was
// computed by PyTorch 1.13; lines of many lengths and layouts, by the definition.
#include <complex.h>
#undef I
#include <math.h>
#include <string.h>

#include "backends/cpu/fft/fft.h"
#include "base/memory.h"
#include "ops/op_rows.h"
#include "support/tensors.h"

static void fft_each(void** state) {
  (void)state;
  static const op_row rows[] = {
#include "ops/fft_rows.def"
  };
  check_op_rows(rows, sizeof(rows) / sizeof(*rows));
}

// Blocks of |n| lines' elements: before, along and after the transformed dimension.
typedef struct layout {
  int64_t before, n, after;
} layout;

static double number_at(int64_t i) {
  return sin(0.7 * (double)i) + (double)(i % 5) - 2;
}

// clang has no CMPLX with every C library.
static double complex number_of(double re, double im) {
  const double parts[2] = {re, im};
  double complex number;
  memcpy(&number, parts, sizeof(number));
  return number;
}

// Element |k| of the transform of the line from |at| on, of reals or of pairs.
static double complex by_definition(const layout* s, int64_t at, int64_t k, bool real,
                                    int sign) {
  double complex sum = 0;
  for (int64_t i = 0; i < s->n; i++) {
    const double angle = sign * 2 * 3.14159265358979323846 * (double)(i * k % s->n);
    const int64_t from = at + i * s->after;
    const double complex x =
        real ? number_at(from) : number_of(number_at(2 * from), number_at(2 * from + 1));
    sum += x * number_of(cos(angle / (double)s->n), sin(angle / (double)s->n));
  }
  return sum;
}

static void check_transform(const layout* s, const oy_tensor* made, bool real, int sign) {
  assert_non_null(made);
  const int64_t n = oy_tensor_size(made, 1);
  const double complex* got = oy_tensor_data(made);
  for (int64_t i = 0; i < s->before * n * s->after; i++) {
    const int64_t line = i / (n * s->after) * s->n * s->after + i % s->after;
    const double complex want = by_definition(s, line, i / s->after % n, real, sign);
    assert_true(cabs(got[i] - want) < 1e-12 * (double)s->n);
  }
}

static void lines_of_any_length_and_layout(void** state) {
  (void)state;
  enum { MOST = 3 * 311 * 11 };
  static const int64_t lengths[] = {1,  2,  3,   5,   8,   37,  64,  65,
                                    74, 97, 101, 128, 129, 202, 271, 311};
  static const int64_t around[][2] = {{1, 1}, {1, 9}, {11, 1}, {3, 3}};
  static double data[2 * MOST];
  for (int i = 0; i < 2 * MOST; i++) data[i] = number_at(i);
  for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths) * 4; i++) {
    const layout s = {around[i % 4][0], lengths[i / 4], around[i % 4][1]};
    const oy_ints sizes = OY_DIMS(s.before, s.n, s.after);
    oy_tensor* pairs = oy_tensor_from_data(data, sizes, OY_DTYPE_C128);
    oy_tensor* reals = oy_tensor_from_data(data, sizes, OY_DTYPE_F64);
    oy_tensor* made[] = {pairs,
                         reals,
                         oy__fft_c2c(pairs, OY_DIMS(1), 0, true),
                         oy__fft_c2c(pairs, OY_DIMS(1), 0, false),
                         oy__fft_r2c(reals, OY_DIMS(1), 0, true),
                         oy__fft_r2c(reals, OY_DIMS(1), 0, false),
                         NULL};
    check_transform(&s, made[2], false, -1);
    check_transform(&s, made[3], false, 1);
    check_transform(&s, made[4], true, -1);
    check_transform(&s, made[5], true, -1);
    made[6] = oy__fft_c2r(made[4], OY_DIMS(1), 2, s.n);
    const double* back = oy_tensor_data(made[6]);
    for (int64_t k = 0; k < s.before * s.n * s.after; k++)
      assert_true(fabs(back[k] - data[k]) < 1e-12);
    for (size_t k = 0; k < sizeof(made) / sizeof(*made); k++) oy_tensor_release(made[k]);
  }
}

// The transform along dimension |dim| of |view|, of pairs, at every element.
static void check_view(const oy_tensor* view, const oy_tensor* made, int64_t dim) {
  const oy_ints strides = oy_tensor_strides(view);
  const double complex *from = oy_tensor_data(view), *got = oy_tensor_data(made);
  const int64_t n = oy_tensor_size(view, dim);
  for (int64_t i = 0; i < oy_tensor_numel(made); i++) {
    int64_t at = 0, k = 0, rest = i;
    for (int64_t d = (int64_t)strides.size; d-- > 0;) {
      const int64_t index = rest % oy_tensor_size(view, d);
      rest /= oy_tensor_size(view, d);
      if (d == dim)
        k = index;
      else
        at += index * strides.data[d];
    }
    double complex want = 0;
    for (int64_t m = 0; m < n; m++) {
      const double angle = -2 * 3.14159265358979323846 * (double)(m * k % n) / (double)n;
      want += from[at + m * strides.data[dim]] * number_of(cos(angle), sin(angle));
    }
    assert_true(cabs(got[i] - want) < 1e-12 * (double)n);
  }
}

// Blocks of lines begin and end within dimensions, of one element too.
static void lines_of_permuted_parts(void** state) {
  (void)state;
  static const int64_t sizes[][4] = {{3, 7, 1, 5},   {2, 3, 4, 9},  {5, 1, 1, 2},
                                     {1, 1, 1, 1},   {17, 2, 3, 4}, {1, 16, 1, 8},
                                     {1999, 2, 3, 3}};
  static const int64_t orders[][4] = {
      {0, 1, 2, 3}, {3, 2, 1, 0}, {1, 0, 3, 2}, {2, 3, 0, 1}};
  static double data[2 * 35982];
  for (int i = 0; i < 2 * 35982; i++) data[i] = number_at(i);
  for (size_t i = 0; i < OY_ARRAY_SIZE(sizes) * OY_ARRAY_SIZE(orders) * 8; i++) {
    const int64_t dim = (int64_t)(i % 4), step = (int64_t)(i / 4 % 2 + 1);
    const int64_t* order = orders[i / 8 % 4];
    // The definition takes too long.
    if (sizes[i / 32][order[dim]] > 100) continue;
    oy_tensor* whole =
        oy_tensor_from_data(data, (oy_ints){sizes[i / 32], 4}, OY_DTYPE_C128);
    oy_tensor* part = oy_slice_Tensor(whole, 1, oy_int(0), oy_none(), step);
    oy_tensor* view = oy_permute(part, (oy_ints){order, 4});
    oy_tensor* made = oy__fft_c2c(view, (oy_ints){&dim, 1}, 0, true);
    assert_non_null(made);
    check_view(view, made, dim);
    // A factor is there once, whatever dimensions have one element.
    oy_tensor* twice = oy__fft_c2c(made, OY_DIMS(0, 1, 2, 3), 2, false);
    oy_tensor* back = oy__fft_c2c(twice, OY_DIMS(3, 1, 2, 0), 0, true);
    const double complex *one = oy_tensor_data(made), *same = oy_tensor_data(back);
    for (int64_t k = 0; k < oy_tensor_numel(made); k++)
      assert_true(cabs(one[k] - same[k]) < 1e-10);
    oy_tensor* all[] = {whole, part, view, made, twice, back};
    for (size_t k = 0; k < OY_ARRAY_SIZE(all); k++) oy_tensor_release(all[k]);
  }
}

// What is recalled is what was made for the same table, however many came after it.
static void recent_tables(void** state) {
  (void)state;
  enum { MOST = 20000 };
  static double numbers[2 * MOST], got[2 * MOST];
  int found = 0;
  for (int round = 0; round < 3; round++)
    for (int64_t i = 0; i < 200; i++) {
      const int64_t count = 1 + i * i * 7919 % (MOST + 2000);
      oyi_fft_table table = {OYI_FFT_CHIRP, false, 1000000 + i, count};
      if (count > MOST) continue;
      const size_t size = (size_t)count * 2 * sizeof(double);
      numbers[0] = (double)i, numbers[2 * count - 1] = (double)-i;
      oyi_fft_remember(&table, numbers, size);
      if (i % 3 == 0) table.n -= i % 10;
      if (!oyi_fft_recall(&table, got, size)) continue;
      assert_true(got[0] == (double)(table.n - 1000000));
      assert_true(got[2 * count - 1] == -got[0]);
      numbers[0] = numbers[2 * count - 1] = 0;
      found++;
      table.is_float = true;
      assert_false(oyi_fft_recall(&table, got, size));
    }
  assert_true(found > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fft_each),
      cmocka_unit_test(lines_of_any_length_and_layout),
      cmocka_unit_test(lines_of_permuted_parts),
      cmocka_unit_test(recent_tables),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
