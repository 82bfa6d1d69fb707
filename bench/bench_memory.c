// SPDX-License-Identifier: Apache-2.0
// What memory costs large operators: add into a new result against add into a given
// one, and add of a transposed operand against add of contiguous ones, with one thread
// and with two. Rows of one size are measured in turn; ratios are the figure to quote.
// "bench_memory --gate N" runs 1000 times empty(N) and its release, for callgrind.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "opyard/opyard.h"

enum { ROUNDS = 101 };

static int compare(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

static double median(double* samples) {
  qsort(samples, ROUNDS, sizeof(double), compare);
  return samples[ROUNDS / 2];
}

static oy_tensor* zeros(oy_ints sizes) {
  oy_tensor* t = oy_tensor_empty(sizes, OY_DTYPE_F32, oy_device_cpu());
  if (!t) exit(1);
  memset(oy_tensor_data(t), 0, (size_t)oy_tensor_numel(t) * sizeof(float));
  return t;
}

static void new_result(oy_tensor* a, oy_tensor* b, oy_tensor* out) {
  (void)out;
  oy_tensor_release(oy_add_Tensor(a, b, oy_int(1)));
}
static void given_result(oy_tensor* a, oy_tensor* b, oy_tensor* out) {
  (void)oy_add_out(a, b, oy_int(1), out);
}

typedef void (*action)(oy_tensor* a, oy_tensor* b, oy_tensor* out);

static double time_of(action act, oy_tensor* a, oy_tensor* b, oy_tensor* out, int times) {
  double begin = bench_now();
  for (int i = 0; i < times; i++) act(a, b, out);
  return (bench_now() - begin) / times / 1e3;
}

static void allocating(int64_t n, int threads) {
  double fresh[ROUNDS], given[ROUNDS];
  oy_tensor *a = zeros(OY_DIMS(n)), *b = zeros(OY_DIMS(n)), *out = zeros(OY_DIMS(n));
  int times = n < 100000 ? (int)(1000000 / n) : 1;
  if (oy_set_num_threads(threads) != OY_OK) exit(1);
  for (int i = 0; i < ROUNDS; i++) {
    fresh[i] = time_of(new_result, a, b, out, times);
    given[i] = time_of(given_result, a, b, out, times);
  }
  double f = median(fresh), g = median(given);
  printf("add of %9lld, %d thread%s  new result %9.2f us  out= %9.2f us  ratio %.3f\n",
         (long long)n, threads, threads > 1 ? "s" : " ", f, g, f / g);
  oy_tensor_release(a);
  oy_tensor_release(b);
  oy_tensor_release(out);
}

static void transposed(int64_t n, int threads) {
  double across[ROUNDS], along[ROUNDS];
  oy_ints sizes = OY_DIMS(n, n);
  oy_tensor *a = zeros(sizes), *b = zeros(sizes), *out = zeros(sizes);
  oy_tensor* t = oy_tensor_transpose(a, 0, 1);
  if (oy_set_num_threads(threads) != OY_OK) exit(1);
  for (int i = 0; i < ROUNDS; i++) {
    across[i] = time_of(given_result, t, b, out, 1);
    along[i] = time_of(given_result, a, b, out, 1);
  }
  double x = median(across), y = median(along);
  printf("a.t() + b of %4lld^2, %d thread%s  %9.2f us  a + b %9.2f us  ratio %.3f\n",
         (long long)n, threads, threads > 1 ? "s" : " ", x, y, x / y);
  oy_tensor_release(t);
  oy_tensor_release(a);
  oy_tensor_release(b);
  oy_tensor_release(out);
}

int main(int argc, char** argv) {
  static const int64_t sizes[] = {1000, 100000, 1000000, 10000000};
  static const int64_t sides[] = {32, 316, 1000, 1024, 3162};
  if (oy_init() != OY_OK) return 1;
  if (argc > 2 && strcmp(argv[1], "--gate") == 0) {
    for (int i = 0; i < 1000; i++)
      oy_tensor_release(
          oy_tensor_empty(OY_DIMS(atoll(argv[2])), OY_DTYPE_F32, oy_device_cpu()));
    return 0;
  }
  for (int threads = 1; threads <= 2; threads++) {
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
      allocating(sizes[i], threads);
    for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++)
      transposed(sides[i], threads);
  }
  return 0;
}
