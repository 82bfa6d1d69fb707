// SPDX-License-Identifier: Apache-2.0
// What a parallel region of two threads costs, and whether it still pays when other
// processes want the machine: the same work with one and with two threads, in turn,
// alone and beside as many busy processes as there are processors.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "opyard/threads.h"

enum { ROUNDS = 301, REGIONS = 20, STEPS = 64 };

static int compare(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

static void print_row(const char* name, double* samples) {
  qsort(samples, ROUNDS, sizeof(double), compare);
  printf("%-34s %10.3f %10.3f %10.3f\n", name, samples[ROUNDS / 2] / 1e3,
         samples[ROUNDS / 4] / 1e3, samples[ROUNDS * 3 / 4] / 1e3);
}

static void must(oy_status status) {
  if (status != OY_OK) exit(1);
}

static oy_status nothing(int64_t begin, int64_t end, void* context) {
  (void)begin;
  (void)end;
  (void)context;
  return OY_OK;
}

// Until two pieces are under way, or it is clear that the other thread does not come.
static oy_status meet(int64_t begin, int64_t end, void* context) {
  int* came = context;
  __atomic_fetch_add(came, (int)(end - begin), __ATOMIC_ACQ_REL);
  double last = bench_now() + 1e5;
  while (__atomic_load_n(came, __ATOMIC_ACQUIRE) < 2 && bench_now() < last) {}
  return OY_OK;
}

static void regions(const char* name, oy_range_fn fn) {
  double samples[ROUNDS];
  must(oy_set_num_threads(2));
  for (int i = 0; i < ROUNDS; i++) {
    double begin = bench_now();
    for (int j = 0; j < REGIONS; j++) {
      int came = 0;
      must(oy_parallel_for(0, 2, 1, fn, &came));
    }
    samples[i] = (bench_now() - begin) / REGIONS;
  }
  print_row(name, samples);
}

// Some 10 us a step.
static oy_status compute(int64_t begin, int64_t end, void* context) {
  double x = 1;
  for (int64_t i = begin * 4000; i < end * 4000; i++) x = x * 1.0000001 + 1e-9;
  *(volatile double*)context = x;
  return OY_OK;
}

static void work(const char* one, const char* two) {
  double samples[2][ROUNDS], sink;
  for (int i = 0; i < ROUNDS; i++)
    for (int threads = 1; threads <= 2; threads++) {
      must(oy_set_num_threads(threads));
      double begin = bench_now();
      must(oy_parallel_for(0, STEPS, 1, compute, &sink));
      samples[threads - 1][i] = bench_now() - begin;
    }
  print_row(one, samples[0]);
  print_row(two, samples[1]);
}

int main(void) {
  enum { MOST = 64 };
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  pid_t busy[MOST];
  if (count > MOST) count = MOST;
  printf("%-34s %10s %10s %10s\n", "us", "median", "p25", "p75");
  regions("region, both threads take part", meet);
  regions("region, empty", nothing);
  work("work, 1 thread", "work, 2 threads");
  for (long i = 0; i < count; i++)
    if ((busy[i] = fork()) == 0)
      for (volatile long spin = 0;; spin++) {}
  work("work beside others, 1 thread", "work beside others, 2 threads");
  for (long i = 0; i < count; i++) {
    kill(busy[i], SIGKILL);
    waitpid(busy[i], NULL, 0);
  }
  return 0;
}
