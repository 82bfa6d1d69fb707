// SPDX-License-Identifier: Apache-2.0
// What gate.sh watches above the dispatcher: calls of operators on tensors of one
// element, through libopyard as a program has it, with the release of their results;
// and bytes that the allocator gives for a tensor and for a recorded operator. Rows are
// counted as in gate_dispatch.c; without callgrind each row is run once, as a test.
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"
#include "opyard/opyard.h"

#if defined(__has_include)
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define HAVE_CALLGRIND 1
#endif
#endif

enum { WARM = 200, COUNTED = 1000 };

#ifdef HAVE_CALLGRIND
// The dump takes its name through the request, so that it has to be a macro.
#define COUNT(name, what)          \
  do {                             \
    CALLGRIND_ZERO_STATS;          \
    CALLGRIND_TOGGLE_COLLECT;      \
    what;                          \
    CALLGRIND_TOGGLE_COLLECT;      \
    CALLGRIND_DUMP_STATS_AT(name); \
  } while (0)
#else
#define COUNT(name, what) (what)
#endif

static oy_tensor *g_a, *g_b, *g_out, *g_wide, *g_matrix, *g_x, *g_y, *g_z;

static oy_tensor* need(oy_tensor* t) {
  if (!t) bench_die("%s", oy_error_get()->message);
  return t;
}
// Nothing is tested while it is counted: main looks for an error afterwards.
static void drop(oy_tensor* t) {
  oy_tensor_release(t);
}

static void empty(void) {}
static void add(void) {
  drop(oy_add_Tensor(g_a, g_b, oy_int(1)));
}
static void add_out(void) {
  (void)oy_add_out(g_a, g_b, oy_int(1), g_out);
}
// Of a thousand elements: whether loops are vectors.
static void add_wide(void) {
  drop(oy_add_Tensor(g_wide, g_wide, oy_int(1)));
}
static void clamp_wide(void) {
  drop(oy_clamp(g_wide, oy_float(0.2), oy_float(0.7)));
}
static void add_recorded(void) {
  drop(oy_add_Tensor(g_x, g_y, oy_int(1)));
}
// (x * y + z).sum() and its gradients.
static void chain(void) {
  (void)(oy_set_grad(g_x, NULL) || oy_set_grad(g_y, NULL) || oy_set_grad(g_z, NULL));
  oy_tensor* product = oy_mul_Tensor(g_x, g_y);
  oy_tensor* sum = oy_add_Tensor(product, g_z, oy_int(1));
  oy_tensor* result = oy_sum(sum, oy_none());
  if (oy_backward(result, NULL, false) != OY_OK) bench_die("%s", oy_error_get()->message);
  oy_tensor_release(result);
  oy_tensor_release(sum);
  oy_tensor_release(product);
}
static void empty_tensor(void) {
  drop(oy_tensor_empty(OY_DIMS(1), OY_DTYPE_F32, oy_device_cpu()));
}
static void detach(void) {
  drop(oy_detach(g_a));
}
static void transpose(void) {
  drop(oy_t(g_matrix));
}
static void slice(void) {
  drop(oy_slice_Tensor(g_matrix, 0, oy_int(0), oy_int(1), 1));
}
static void product(void) {
  drop(oy_mm(g_matrix, g_matrix));
}

static const struct {
  const char* name;
  void (*run)(void);
} g_rows[] = {
    {"empty", empty},           {"add_1", add},         {"add_out_1", add_out},
    {"add_grad", add_recorded}, {"chain_grad", chain},  {"empty_free", empty_tensor},
    {"detach", detach},         {"t", transpose},       {"slice", slice},
    {"mm_2", product},          {"add_1000", add_wide}, {"clamp_1000", clamp_wide},
};

BENCH_NOINLINE static void repeat(void (*run)(void), long n) {
  for (long i = 0; i < n; i++) run();
}

// ------------------------------------------------------------------------ bytes

static size_t g_live;

static void* counting(void* user_data, void* ptr, size_t old_size, size_t size) {
  (void)user_data;
  g_live += size - old_size;
  if (size == 0) {
    free(ptr);
    return NULL;
  }
  return realloc(ptr, size);
}

// What each of COUNTED things costs that |make| makes; the pool is empty before.
static double bytes_of(oy_tensor* (*make)(void)) {
  static oy_tensor* made[COUNTED];
  size_t before = g_live;
  for (int i = 0; i < COUNTED; i++) made[i] = need(make());
  double bytes = (double)(g_live - before) / COUNTED;
  for (int i = 0; i < COUNTED; i++) oy_tensor_release(made[i]);
  return bytes;
}
static oy_tensor* make_tensor(void) {
  return oy_tensor_empty(OY_DIMS(1), OY_DTYPE_F32, oy_device_cpu());
}
static oy_tensor* make_recorded(void) {
  return oy_mul_Tensor(g_x, g_y);
}

static void set_up(void) {
  const float data[4] = {1, 2, 3, 4};
  oy_tensor** ones[] = {&g_a, &g_b, &g_out, &g_x, &g_y, &g_z};
  if (oy_init() != OY_OK) bench_die("%s", oy_error_get()->message);
  for (size_t i = 0; i < BENCH_COUNT(ones); i++)
    *ones[i] = need(oy_tensor_from_data(data, OY_DIMS(1), OY_DTYPE_F32));
  g_matrix = need(oy_tensor_from_data(data, OY_DIMS(2, 2), OY_DTYPE_F32));
  g_wide =
      need(oy_ones(OY_DIMS(1000), oy_int(OY_DTYPE_F32), oy_none(), oy_none(), oy_none()));
  for (size_t i = 3; i < BENCH_COUNT(ones); i++) need(oy_requires_grad_(*ones[i], true));
}

int main(void) {
  // Before the library allocates anything; it is to free what it took from here.
  oy_allocator_set((oy_allocator){counting, NULL});
  set_up();
  // Recorded ones first: they leave free blocks of every size behind.
  printf("recorded_bytes %.0f\n", bytes_of(make_recorded));
  oy_tensor_trim();
  printf("tensor_bytes %.0f\n", bytes_of(make_tensor));
  for (size_t i = 0; i < BENCH_COUNT(g_rows); i++) {
    repeat(g_rows[i].run, WARM);
    COUNT(g_rows[i].name, repeat(g_rows[i].run, COUNTED));
    if (oy_error_get()->code != OY_OK)
      bench_die("%s: %s", g_rows[i].name, oy_error_get()->message);
  }
  return 0;
}
