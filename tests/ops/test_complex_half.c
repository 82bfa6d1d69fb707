// SPDX-License-Identifier: Apache-2.0
// What there is of complex32, in rows that are longer than a piece, turned, with steps and beside
// one number: that of C's complex numbers. Parts are quarters, so that sums and products are exact
// and the others right to a rounding.
#include <complex.h>
#undef I

#include "support/tensors.h"

enum { ROWS = 7, COLUMNS = 300, LAYOUTS = 4 };

typedef double complex number;

static number at(const oy_tensor* t, int64_t i) {
  oy_tensor* wide = oy_tensor_copy_to(t, OY_DTYPE_C128, oy_device_cpu());
  number z;
  memcpy(&z, (const double*)oy_tensor_data(wide) + 2 * i, sizeof(z));
  oy_tensor_release(wide);
  return z;
}

static oy_tensor* quarters(oy_ints sizes, int seed) {
  oy_tensor* t = oy_empty_memory_format(sizes, oy_int(OY_DTYPE_C64), oy_none(), oy_none(),
                                        oy_none(), oy_none());
  float* parts = oy_tensor_data(t);
  for (int64_t i = 0; i < 2 * oy_tensor_numel(t); i++)
    parts[i] = (float)((i * 7 + seed) % 23 - 11) / 4;
  oy_tensor* half = oy_tensor_copy_to(t, OY_DTYPE_C32, oy_device_cpu());
  oy_tensor_release(t);
  return half;
}

// Of ROWS x COLUMNS: as they lie, turned, with steps, and one number for all.
static oy_tensor* laid(int layout, int seed) {
  oy_tensor* base = layout == 1   ? quarters(OY_DIMS(COLUMNS, ROWS), seed)
                    : layout == 2 ? quarters(OY_DIMS(ROWS, 2 * COLUMNS), seed)
                    : layout == 3 ? quarters(OY_DIMS(1, 1), seed)
                                  : quarters(OY_DIMS(ROWS, COLUMNS), seed);
  oy_tensor* view = layout == 1   ? oy_t(base)
                    : layout == 2 ? oy_slice_Tensor(base, 1, oy_none(), oy_none(), 2)
                    : layout == 3 ? oy_expand(base, OY_DIMS(ROWS, COLUMNS), false)
                                  : oy_tensor_retain(base);
  oy_tensor_release(base);
  return view;
}

static oy_tensor* sum_of(oy_tensor* a, oy_tensor* b) {
  return oy_add_Tensor(a, b, oy_int(2));
}
static oy_tensor* difference(oy_tensor* a, oy_tensor* b) {
  return oy_sub_Tensor(a, b, oy_int(1));
}
static oy_tensor* negative(oy_tensor* a, oy_tensor* b) {
  (void)b;
  return oy_neg(a);
}
static oy_tensor* size_of(oy_tensor* a, oy_tensor* b) {
  (void)b;
  return oy_abs(a);
}
static oy_tensor* sign(oy_tensor* a, oy_tensor* b) {
  (void)b;
  return oy_sgn(a);
}
static oy_tensor* mirrored(oy_tensor* a, oy_tensor* b) {
  (void)b;
  return oy_conj_physical(a);
}

static number c_sum(number a, number b) {
  return a + 2 * b;
}
static number c_difference(number a, number b) {
  return a - b;
}
static number c_product(number a, number b) {
  return a * b;
}
static number c_negative(number a, number b) {
  (void)b;
  return -a;
}
static number c_size(number a, number b) {
  (void)b;
  return cabs(a);
}
static number c_sign(number a, number b) {
  (void)b;
  return a == 0 ? 0 : a / cabs(a);
}
static number c_mirrored(number a, number b) {
  (void)b;
  return conj(a);
}
static number c_same(number a, number b) {
  return a == b;
}
static number c_other(number a, number b) {
  return a != b;
}

static const struct {
  const char* name;
  oy_tensor* (*ours)(oy_tensor*, oy_tensor*);
  number (*right)(number, number);
  oy_dtype dtype;
} g_rows[] = {
    {"add", sum_of, c_sum, OY_DTYPE_C32},
    {"sub", difference, c_difference, OY_DTYPE_C32},
    {"mul", oy_mul_Tensor, c_product, OY_DTYPE_C32},
    {"neg", negative, c_negative, OY_DTYPE_C32},
    {"abs", size_of, c_size, OY_DTYPE_F16},
    {"sgn", sign, c_sign, OY_DTYPE_C32},
    {"conj_physical", mirrored, c_mirrored, OY_DTYPE_C32},
    {"eq", oy_eq_Tensor, c_same, OY_DTYPE_BOOL},
    {"ne", oy_ne_Tensor, c_other, OY_DTYPE_BOOL},
};

static void check(size_t row, int left, int right) {
  oy_tensor *a = laid(left, 3), *b = laid(right, 3 + row % 2);
  oy_tensor* got = g_rows[row].ours(a, b);
  assert_non_null(got);
  assert_int_equal(got->dtype, g_rows[row].dtype);
  assert_dims(oy_tensor_sizes(got), OY_DIMS(ROWS, COLUMNS));
  oy_tensor *x = oy_contiguous(a, 0), *y = oy_contiguous(b, 0),
            *z = oy_contiguous(got, 0);
  // A rounding to 11 bits, of each part.
  const bool rounds = g_rows[row].right == c_size || g_rows[row].right == c_sign;
  for (int64_t i = 0; i < ROWS * COLUMNS; i += 1 + i % 5) {
    const number want = g_rows[row].right(at(x, i), at(y, i)), have = at(z, i);
    if (cabs(have - want) > (rounds ? cabs(want) * 0x1p-10 : 0))
      fail_msg("%s, layouts %d and %d, element %d: got %g%+gj, expected %g%+gj",
               g_rows[row].name, left, right, (int)i, creal(have), cimag(have),
               creal(want), cimag(want));
  }
  oy_tensor* all[] = {a, b, got, x, y, z};
  for (int i = 0; i < 6; i++) oy_tensor_release(all[i]);
}

static void halves_of_complex_numbers(void** state) {
  (void)state;
  for (size_t row = 0; row < sizeof(g_rows) / sizeof(*g_rows); row++)
    for (int k = 0; k < LAYOUTS * LAYOUTS; k++) check(row, k % LAYOUTS, k / LAYOUTS);
}

// PyTorch has no more of them on the CPU.
static void others_are_refused(void** state) {
  (void)state;
  oy_tensor* a = laid(0, 3);
  assert_fails(oy_exp(a), "\"exp_vml_cpu\" not implemented for 'ComplexHalf'");
  oy_tensor_release(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(halves_of_complex_numbers),
                                     cmocka_unit_test(others_are_refused)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
