// SPDX-License-Identifier: Apache-2.0
// Functions of complex numbers by vectors of their parts, against long double. How far numbers are
// from 0: abs within a little more than half of the last place whatever the exponents, the same at
// every place; and the norms that find the most extreme of them, which a gradient looks for, so
// that they have to be those sizes exactly. exp and angle, in rows and in views with steps.
#include <complex.h>
#undef I
#include <float.h>

#include "base/memory.h"
#include "support/tensors.h"

enum { N = 6007, ROWS = 40, COLUMNS = 150, SHORT_ROWS = 2000, SHORT = 3 };

static uint64_t word = 1;
static uint64_t next_word(void) {
  word ^= word << 13, word ^= word >> 7, word ^= word << 17;
  return word;
}
// Between 2^low and 2^(high + 1), of either sign.
static double drawn(int low, int high) {
  const double digits = 1 + (double)(next_word() >> 12) * 0x1p-52;
  const int exponent = low + (int)(next_word() % (uint64_t)(high - low + 1));
  return ldexp(next_word() & 1 ? digits : -digits, exponent);
}

// Numbers whose real parts have exponents from |low| to |high|, and the others from |other_low| to
// |other_high|; with |some|, a few are of other kinds.
typedef struct numbers {
  const char* name;
  int low, high, other_low, other_high;
  bool some, same;
} numbers;
static const numbers all_numbers[] = {
    {"near each other", -1, 1, -1, 1, false, false},
    {"apart", -3, 3, -33, 3, false, false},
    {"of every exponent", -1074, 1022, -1074, 1022, false, false},
    {"below normal ones", -1074, -1020, -1074, -1020, false, false},
    {"whose squares vanish", -545, -475, -560, -475, false, false},
    {"whose squares overflow", 475, 520, 470, 520, false, false},
    {"among the greatest", 1000, 1022, 1000, 1022, false, false},
    {"with zeros, infinities and NaN", -2, 2, -2, 2, true, false},
    {"of one size", 0, 0, 0, 0, false, true},
};

static void draw(const numbers* kind, double* parts) {
  static const double others[] = {0,   -0.0,    INFINITY,  -INFINITY,
                                  NAN, DBL_MAX, 0x1p-1074, 1};
  for (int i = 0; i < N; i++) {
    parts[2 * i] = drawn(kind->low, kind->high);
    parts[2 * i + 1] = drawn(kind->other_low, kind->other_high);
    if (kind->some && i % 29 == 0) parts[2 * i] = others[i / 29 % 8];
    if (kind->some && i % 29 < 2) parts[2 * i + 1] = others[i / 29 / 8 % 8];
    if (kind->same) {  // 3 and 4 in any order, and 5
      static const double sides[][2] = {{3, 4}, {-4, 3}, {5, 0}, {0, -5}};
      memcpy(parts + 2 * i, sides[next_word() % 4], 2 * sizeof(double));
    }
  }
}

static oy_tensor* complex_tensor(const double* parts, int64_t n) {
  oy_tensor* pairs = oy_tensor_from_data(parts, OY_DIMS(n, 2), OY_DTYPE_F64);
  oy_tensor* t = oy_view_as_complex(pairs);
  oy_tensor_release(pairs);
  return t;
}

static void check_size(const char* name, const double* part, double got) {
  const long double want = hypotl(part[0], part[1]);
  const double place = nextafter(fabs(got), INFINITY) - fabs(got);
  const double most = got < DBL_MIN ? 1 : 0.51;
  const bool same = isnan(want)           ? isnan(got)
                    : isinf((double)want) ? isinf(got)
                                          : fabsl(want - got) <= place * most;
  if (!same) fail_msg("%s: %a and %a are %a away", name, part[0], part[1], got);
}

// Where it is in a row, or in a view with steps, changes no bit.
static void check_places(oy_tensor* t, const double* size) {
  for (int64_t first = 0; first < 5; first++) {
    oy_tensor* part = oy_slice_Tensor(t, 0, oy_int(first), oy_none(), first % 2 + 1);
    oy_tensor* sizes = oy_abs(part);
    const double* got = oy_tensor_data(sizes);
    for (int64_t i = 0; i < oy_tensor_numel(sizes); i++)
      assert_memory_equal(&got[i], &size[first + i * (first % 2 + 1)], sizeof(double));
    oy_tensor_release(sizes);
    oy_tensor_release(part);
  }
}

static double extreme_of(const double* size, int64_t n, int64_t step, bool greatest) {
  double most = greatest ? 0 : INFINITY;
  for (int64_t i = 0; i < n; i++) {
    const double x = size[i * step];
    if (isnan(x)) return x;
    if (greatest ? x > most : x < most) most = x;
  }
  return most;
}

// Of the first numbers as |rows| rows of |columns|.
static void check_norms(const char* name, oy_tensor* t, const double* size, int64_t rows,
                        int64_t columns) {
  oy_tensor* first = oy_slice_Tensor(t, 0, oy_int(0), oy_int(rows * columns), 1);
  oy_tensor* m = oy_view(first, OY_DIMS(rows, columns));
  for (int k = 0; k < 6; k++) {
    const bool greatest = k % 2 == 0;
    const int dim = k / 2;  // 2: both
    const int64_t count = dim == 0 ? rows : dim == 1 ? columns : rows * columns;
    const int64_t step = dim == 0 ? columns : 1, apart = dim == 0 ? 1 : columns;
    oy_tensor* r =
        oy_linalg_vector_norm(m, oy_float(greatest ? INFINITY : -INFINITY),
                              dim == 2 ? oy_dims_none() : OY_DIMS(dim), false, oy_none());
    assert_non_null(r);
    const double* got = oy_tensor_data(r);
    for (int64_t i = 0; i < oy_tensor_numel(r); i++) {
      const double want = extreme_of(size + i * apart, count, step, greatest);
      if (!(got[i] == want || (isnan(got[i]) && isnan(want))))
        fail_msg("%s: norm %d of dimension %d, %lld: %a and not %a", name, k % 2, dim,
                 (long long)i, got[i], want);
    }
    oy_tensor_release(r);
  }
  oy_tensor_release(m);
  oy_tensor_release(first);
}

static void sizes_and_norms_of_doubles(void** state) {
  (void)state;
  double* parts = malloc(2 * N * sizeof(*parts));
  for (size_t k = 0; k < OY_ARRAY_SIZE(all_numbers); k++) {
    draw(&all_numbers[k], parts);
    oy_tensor *t = complex_tensor(parts, N), *sizes = oy_abs(t);
    const double* size = oy_tensor_data(sizes);
    for (int i = 0; i < N; i++) check_size(all_numbers[k].name, parts + 2 * i, size[i]);
    check_places(t, size);
    check_norms(all_numbers[k].name, t, size, ROWS, COLUMNS);
    check_norms(all_numbers[k].name, t, size, SHORT_ROWS, SHORT);
    check_norms(all_numbers[k].name, t, size, 1, N);
    oy_tensor_release(sizes);
    oy_tensor_release(t);
  }
  free(parts);
}

// Norms of floats are found in double and rounded once, as sizes are.
static void norms_of_floats(void** state) {
  (void)state;
  double* parts = malloc(2 * N * sizeof(*parts));
  for (size_t k = 0; k < OY_ARRAY_SIZE(all_numbers); k++) {
    draw(&all_numbers[k], parts);
    oy_tensor *t = complex_tensor(parts, N),
              *c = oy_to_dtype(t, OY_DTYPE_C64, false, false, oy_none());
    oy_tensor *sizes = oy_abs(c),
              *size = oy_to_dtype(sizes, OY_DTYPE_F64, false, false, oy_none());
    for (int greatest = 0; greatest < 2; greatest++) {
      const double want = extreme_of(oy_tensor_data(size), N, 1, greatest);
      oy_tensor* r = oy_linalg_vector_norm(c, oy_float(greatest ? INFINITY : -INFINITY),
                                           oy_dims_none(), false, oy_none());
      const double got = element(r, 0);
      if (!(got == want || (isnan(got) && isnan(want))))
        fail_msg("%s: %a and not %a", all_numbers[k].name, got, want);
      oy_tensor_release(r);
    }
    oy_tensor* const made[] = {size, sizes, c, t};
    for (int i = 0; i < 4; i++) oy_tensor_release(made[i]);
  }
  free(parts);
}

// Of order 1, in either direction.
static void sums_of_sizes(void** state) {
  (void)state;
  static double parts[2 * N];
  draw(&all_numbers[1], parts);
  oy_tensor* t = complex_tensor(parts, ROWS * COLUMNS);
  oy_tensor* m = oy_view(t, OY_DIMS(ROWS, COLUMNS));
  for (int dim = 0; dim < 2; dim++) {
    oy_tensor* r = oy_linalg_vector_norm(m, oy_int(1), OY_DIMS(dim), false, oy_none());
    const int64_t count = dim == 0 ? ROWS : COLUMNS, step = dim == 0 ? COLUMNS : 1;
    for (int64_t i = 0; i < oy_tensor_numel(r); i++) {
      const double* at = parts + 2 * i * (dim == 0 ? 1 : COLUMNS);
      long double want = 0;
      for (int64_t j = 0; j < count; j++)
        want += hypotl(at[2 * j * step], at[2 * j * step + 1]);
      assert_true(fabsl(element(r, i) - want) <= want * count * DBL_EPSILON);
    }
    oy_tensor_release(r);
  }
  oy_tensor_release(m);
  oy_tensor_release(t);
}

// What is beyond 80 is for cexp, number by number.
static double any_part(void) {
  static const double others[] = {0, -0.0, INFINITY, -INFINITY, NAN, 85, -200, 0x1p-1074};
  return next_word() % 50 == 0 ? others[next_word() % 8] : drawn(-6, 1);
}

static void check_exp(const double* part, const double* got, double places) {
  const long double complex want =
      cexpl(__builtin_complex((long double)part[0], (long double)part[1]));
  const long double parts[] = {creall(want), cimagl(want)};
  const long double size = cabsl(want), near = size * (long double)places;
  for (int k = 0; k < 2; k++) {
    // Beside an infinite part, or none, what is finite is exact.
    const bool same = isnan(parts[k])  ? isnan(got[k])
                      : isfinite(size) ? fabsl(got[k] - parts[k]) <= near
                                       : got[k] == (double)parts[k];
    if (!same)
      fail_msg("exp of %a and %a: part %d is %a and not %La", part[0], part[1], k, got[k],
               parts[k]);
  }
}

// The sigmoid of a number, or |times| it. What the sum with 1 loses is lost to all.
static void check_sigmoid(const char* name, const double* part, const double* got,
                          long double complex times, double places) {
  const long double complex power =
      cexpl(-__builtin_complex((long double)part[0], (long double)part[1]));
  const long double complex sum = 1 + power, want = times / sum;
  if (!isfinite((double)cabsl(want)) || !isfinite((double)cabsl(power))) return;
  const long double lost = (1 + cabsl(power)) / cabsl(sum);
  // Half of the least number is as near to 0.
  const long double near = cabsl(want) * lost * (long double)places + 0x1p-1075L;
  if (!(fabsl(got[0] - creall(want)) <= near && fabsl(got[1] - cimagl(want)) <= near))
    fail_msg("%s of %a and %a: %a and %a, not %La and %La", name, part[0], part[1],
             got[0], got[1], creall(want), cimagl(want));
}

// |f| of numbers is the same at each place, in rows and with steps between them.
static void check_same(oy_tensor* t, oy_tensor* all, oy_tensor* (*f)(oy_tensor*)) {
  const size_t item = oy_dtype_size(all->dtype);
  for (int64_t step = 1; step < 4; step++) {
    oy_tensor* part = oy_slice_Tensor(t, 0, oy_int(step), oy_none(), step);
    oy_tensor* got = f(part);
    const char *p = oy_tensor_data(got), *want = oy_tensor_data(all);
    for (int64_t i = 0; i < oy_tensor_numel(got); i++)
      assert_memory_equal(p + i * (int64_t)item, want + (step + i * step) * (int64_t)item,
                          item);
    oy_tensor_release(got);
    oy_tensor_release(part);
  }
}

// 0 to a power that is a tensor has no value, as in C and PyTorch; to the number 0 it is 1.
static void powers_of_nothing(void** state) {
  (void)state;
  static const double bases[] = {0, 0, 0, 0, 2, 0}, exponents[] = {0, 0, 2, 0, 0, 0};
  const oy_dtype dtypes[] = {OY_DTYPE_C64, OY_DTYPE_C128};
  oy_tensor *base = complex_tensor(bases, 3), *exponent = complex_tensor(exponents, 3);
  for (size_t k = 0; k < OY_ARRAY_SIZE(dtypes); k++) {
    oy_scope scope;
    oy_scope_open(&scope);
    oy_tensor* x = oy_to_dtype(base, dtypes[k], false, true, oy_none());
    oy_tensor* y = oy_to_dtype(exponent, dtypes[k], false, true, oy_none());
    oy_tensor* by_tensor =
        oy_to_dtype(oy_pow_Tensor_Tensor(x, y), OY_DTYPE_C128, false, true, oy_none());
    oy_tensor* by_number = oy_to_dtype(oy_pow_Tensor_Scalar(x, oy_int(0)), OY_DTYPE_C128,
                                       false, true, oy_none());
    const double *t = oy_tensor_data(by_tensor), *n = oy_tensor_data(by_number);
    assert_true(isnan(t[0]) && isnan(t[1]));
    assert_true(t[2] == 0 && t[3] == 0 && t[4] == 1 && t[5] == 0);
    for (int i = 0; i < 6; i++) assert_true(n[i] == (i % 2 == 0));
    oy_scope_close(&scope);
  }
  oy_tensor_release(base);
  oy_tensor_release(exponent);
}

static long double complex number_at(const double* parts, int64_t i) {
  return __builtin_complex((long double)parts[2 * i], (long double)parts[2 * i + 1]);
}
static void check_near(const char* name, oy_tensor* got, int64_t i,
                       long double complex want, double places) {
  oy_tensor* wide = oy_contiguous(
      oy_to_dtype(got, OY_DTYPE_C128, false, false, oy_none()), OY_MEMORY_CONTIGUOUS);
  const long double away = cabsl(number_at(oy_tensor_data(wide), i) - want);
  if (!(away <= cabsl(want) * (long double)places))
    fail_msg("%s of %s: %lld is %Lg away from %Lg", name, oy_dtype_name(got->dtype),
             (long long)i, away, cabsl(want));
}

// Powers and quotients of every |step|th number, which are brought together, into new tensors and
// into every other place.
static void check_every(oy_tensor* t, const double* parts, int64_t n, int64_t step,
                        double places) {
  static const double exponents[] = {0.5, -0.5, -1, -2, 2, 3};
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = oy_slice_Tensor(t, 0, oy_int(0), oy_int((n - 1) * step + 1), step);
  oy_tensor* y = oy_slice_Tensor(t, 0, oy_int(1), oy_int(n + 1), 1);
  oy_tensor* room =
      oy_new_zeros(t, OY_DIMS(n, 2), oy_none(), oy_none(), oy_none(), oy_none());
  oy_tensor* apart = oy_select_int(room, 1, 0);
  for (size_t k = 0; k < OY_ARRAY_SIZE(exponents); k++) {
    const oy_scalar exponent = oy_float(exponents[k]);
    oy_tensor* power = oy_pow_Tensor_Scalar(x, exponent);
    assert_non_null(oy_pow_Tensor_Scalar_out(x, exponent, apart));
    for (int64_t i = 0; i < n; i++) {
      const long double complex z = number_at(parts, i * step),
                                want = cpowl(z, (long double)exponents[k]);
      check_near("power", power, i, want, places);
      check_near("power with gaps", apart, i, want, places);
    }
  }
  oy_tensor *ratio = oy_div_Tensor(x, y), *more = oy_addcdiv(y, y, x, oy_int(2)),
            *inverse = oy_reciprocal(x), *shared = oy_div_Scalar(x, oy_int(3));
  for (int64_t i = 0; i < n; i++) {
    const long double complex a = number_at(parts, i * step), b = number_at(parts, i + 1);
    check_near("quotient", ratio, i, a / b, places);
    check_near("reciprocal", inverse, i, 1 / a, places);
    check_near("third", shared, i, a / 3, places);
    check_near("addcdiv", oy_sub_Tensor(more, y, oy_int(1)), i, 2 * b / a, 16 * places);
  }
  oy_scope_close(&scope);
}

static void powers_and_quotients(void** state) {
  (void)state;
  enum { MOST = 150, MOST_STEP = 3, ALL = MOST * MOST_STEP };
  static const int64_t lengths[] = {1, 2, 3, 7, 8, 9, 16, 21, 65, MOST};
  double parts[2 * ALL];
  for (int i = 0; i < 2 * ALL; i++) parts[i] = (double)(float)drawn(-1, 1);
  oy_tensor* wide = complex_tensor(parts, ALL);
  oy_tensor* narrow = oy_to_dtype(wide, OY_DTYPE_C64, false, true, oy_none());
  for (size_t k = 0; k < OY_ARRAY_SIZE(lengths); k++)
    for (int64_t step = 1; step <= MOST_STEP; step++) {
      check_every(wide, parts, lengths[k], step, 8 * DBL_EPSILON);
      check_every(narrow, parts, lengths[k], step, 8 * (double)FLT_EPSILON);
    }
  oy_tensor_release(narrow);
  oy_tensor_release(wide);
}

// |t| from |first| on, |n| numbers, every |step|th one; the same one all over for 0, from the last
// one back for -1.
static oy_tensor* stepped(oy_tensor* t, int64_t first, int64_t n, int64_t step) {
  if (step < 0) {
    const int64_t dim = 0;
    return oy_flip(oy_narrow(t, 0, first, n), (oy_ints){&dim, 1});
  }
  return oy_as_strided(t, OY_DIMS(n), OY_DIMS(step), oy_int(first));
}

static const double* parts_of(oy_tensor* t) {
  return oy_tensor_data(oy_to_dtype(t, OY_DTYPE_C128, false, true, oy_none()));
}

// Wherever numbers and divisors lie, quotients are bit for bit those of numbers side by side, the
// last ones of a tensor too, which nothing may be read behind.
static void check_quotient_places(oy_tensor* t, int64_t n, int64_t step, int64_t by) {
  const int64_t all = oy_tensor_numel(t), last = (n - 1) * by;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = stepped(t, 0, n, step);
  oy_tensor* y = by < 0 ? stepped(t, all - n, n, by) : stepped(t, all - 1 - last, n, by);
  oy_tensor *got[] = {oy_div_Tensor(x, y), oy_reciprocal(y)},
            *beside = oy_clone(x, oy_none()), *divisor = oy_clone(y, oy_none()),
            *want[] = {oy_div_Tensor(beside, divisor), oy_reciprocal(divisor)};
  for (int k = 0; k < 2; k++) {
    const double* p = parts_of(got[k]);
    const double* q = parts_of(want[k]);
    for (int64_t i = 0; i < 2 * n; i++)
      if (!(isnan(p[i]) && isnan(q[i])) && memcmp(p + i, q + i, sizeof(*p)) != 0)
        fail_msg("%s of %lld %s, steps %lld and %lld: part %lld is %a and not %a",
                 k ? "reciprocals" : "quotients", (long long)n, oy_dtype_name(t->dtype),
                 (long long)step, (long long)by, (long long)i, p[i], q[i]);
  }
  oy_scope_close(&scope);
}

static void quotients_at_every_place(void** state) {
  (void)state;
  enum { MOST = 150, MOST_STEP = 5, ALL = MOST * MOST_STEP };
  static const int64_t lengths[] = {2,  3,  4,  5,  7,  8,  9,   15,
                                    16, 17, 31, 32, 33, 65, MOST};
  static const double others[] = {0, -0.0, INFINITY, NAN};
  double parts[2 * ALL];
  for (int i = 0; i < 2 * ALL; i++)
    parts[i] = i % 29 == 3 ? others[i / 29 % 4] : (double)(float)drawn(-9, 9);
  oy_tensor* wide = complex_tensor(parts, ALL);
  oy_tensor* narrow = oy_to_dtype(wide, OY_DTYPE_C64, false, true, oy_none());
  for (size_t k = 0; k < OY_ARRAY_SIZE(lengths); k++)
    for (int64_t step = -1; step <= MOST_STEP; step++)
      for (int64_t by = -1; by <= MOST_STEP; by++) {
        if (step == 0 || (step < 0 && by < 0)) continue;
        check_quotient_places(wide, lengths[k], step, by);
        check_quotient_places(narrow, lengths[k], step, by);
      }
  oy_tensor_release(narrow);
  oy_tensor_release(wide);
}

static void exponentials_and_angles(void** state) {
  (void)state;
  static const struct {
    oy_dtype dtype;
    double places;
  } rows[] = {{OY_DTYPE_C64, 8 * (double)FLT_EPSILON}, {OY_DTYPE_C128, 8 * DBL_EPSILON}};
  static double parts[2 * N];
  for (size_t k = 0; k < OY_ARRAY_SIZE(rows); k++) {
    for (int i = 0; i < 2 * N; i++)
      parts[i] = rows[k].dtype == OY_DTYPE_C64 ? (double)(float)any_part() : any_part();
    oy_tensor* wide = complex_tensor(parts, N);
    oy_tensor* t = oy_to_dtype(wide, rows[k].dtype, false, true, oy_none());
    oy_tensor *powers = oy_exp(t), *angles = oy_angle(t), *sigmoids = oy_sigmoid(t);
    oy_tensor* got = oy_to_dtype(powers, OY_DTYPE_C128, false, true, oy_none());
    oy_tensor* shares = oy_to_dtype(sigmoids, OY_DTYPE_C128, false, true, oy_none());
    oy_tensor* parted = oy_silu(t);
    oy_tensor* products = oy_to_dtype(parted, OY_DTYPE_C128, false, true, oy_none());
    const double *share = oy_tensor_data(shares), *of_share = oy_tensor_data(products);
    oy_tensor* turned = oy_to_dtype(angles, OY_DTYPE_F64, false, true, oy_none());
    const double *p = oy_tensor_data(got), *angle = oy_tensor_data(turned);
    for (int i = 0; i < N; i++) {
      const double *part = parts + 2 * i, want = atan2(part[1], part[0]);
      // Of greater numbers float has none.
      if (!(part[0] == 85 || part[0] == -200)) {
        check_exp(part, p + 2 * i, rows[k].places);
        check_sigmoid("sigmoid", part, share + 2 * i, 1, rows[k].places);
        check_sigmoid("silu", part, of_share + 2 * i,
                      __builtin_complex((long double)part[0], (long double)part[1]),
                      rows[k].places);
      }
      assert_true(isnan(want) ? isnan(angle[i])
                              : fabs(angle[i] - want) <= 4 * rows[k].places);
    }
    check_same(t, powers, oy_exp);
    check_same(t, angles, oy_angle);
    check_same(t, sigmoids, oy_sigmoid);
    check_same(t, parted, oy_silu);
    oy_tensor* const made[] = {products, parted, turned, shares, got,
                               sigmoids, angles, powers, t,      wide};
    for (int i = 0; i < 10; i++) oy_tensor_release(made[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_and_norms_of_doubles),
      cmocka_unit_test(norms_of_floats),
      cmocka_unit_test(sums_of_sizes),
      cmocka_unit_test(powers_of_nothing),
      cmocka_unit_test(powers_and_quotients),
      cmocka_unit_test(exponentials_and_angles),
      cmocka_unit_test(quotients_at_every_place),
  };
  return cmocka_run_group_tests_name("complex parts", tests, init_library, shut_library);
}
