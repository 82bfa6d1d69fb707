// SPDX-License-Identifier: Apache-2.0
// Sums of powers of sizes that float holds, a part of reduce_norm_loops_tmpl.h: the powers are
// those of the operator, some hundred at once, by vectors of doubles, where the C library's takes
// one after the other. T, ID and ABS(x), a double, are given.
#define FN(name) OYI_JOIN(name, ID)

static void FN(powers_of)(double* to, const T* p, int64_t n, double order) {
  for (int64_t i = 0; i < n; i++) to[i] = ABS(p[i]);
  char* const data[] = {(char*)to, (char*)to};
  const int64_t steps[] = {sizeof(*to), sizeof(*to)};
  const double numbers[OYI_LOOP_NUMBERS] = {order};
  oyi_cpu_loops[OYI_LOOP_pow_number][OY_DTYPE_F64](n, data, steps, numbers);
}

static double FN(sum_of_powers)(const T* p, int64_t n, double order) {
  double power[POWERS_AT_ONCE], sum[POWER_SUMS] = {0};
  for (int64_t some; n > 0; n -= some, p += some) {
    some = n < POWERS_AT_ONCE ? n : POWERS_AT_ONCE;
    FN(powers_of)(power, p, some, order);
    for (int64_t i = some; i % POWER_SUMS != 0; i++) power[i] = 0;
    for (int64_t i = 0; i < some; i += POWER_SUMS)
      for (int k = 0; k < POWER_SUMS; k++) sum[k] += power[i + k];
  }
  for (int k = POWER_SUMS / 2; k > 0; k /= 2)
    for (int j = 0; j < k; j++) sum[j] += sum[j + k];
  return sum[0];
}

static bool FN(sums_of_powers)(double* to, int64_t n, const char* x, int64_t rows,
                               int64_t row_step, double order) {
  double power[OYI_REDUCE_WIDE];
  for (int64_t i = 0; i < n; i++) to[i] = 0;
  for (; rows > 0; rows--, x += row_step) {
    FN(powers_of)(power, (const T*)(const void*)x, n, order);
    for (int64_t i = 0; i < n; i++) to[i] += power[i];
  }
  return true;
}
#undef FN
