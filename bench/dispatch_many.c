// SPDX-License-Identifier: Apache-2.0
// Many operators: in a straight line, in random order from one place, by name.
#include <stdio.h>
#include <stdlib.h>

#include "dispatch_ops.h"

enum { ORDER = 8192, TABLE = 1024 };

static void* volatile g_sink;
static uint16_t g_order[2][ORDER];  // over BENCH_LINE and BENCH_MANY operators
static floor_op g_floor_ops[BENCH_MANY];

static void make_orders(void) {
  uint32_t state = 12345;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < ORDER; i++) {
      state = state * 1664525u + 1013904223u;
      g_order[k][i] = (uint16_t)((state >> 12) % (k ? BENCH_MANY : BENCH_LINE));
    }
}

// ----------------------------------------------------------------- in a line

static void run_floor_line(const void* argument, long n) {
  floor_tensor* a = (floor_tensor*)(uintptr_t)argument;
  for (long i = 0; i < n; i++) {
#pragma GCC unroll 16
    for (int k = 0; k < BENCH_LINE; k++) {
      BENCH_BARRIER();
      g_sink = floor_call(&g_floor_ops[k], a, a);
    }
  }
}

static void run_line(const void* argument, long n) {
  const bench_api* api = argument;
  oy_object* a = api->plain;
  for (long i = 0; i < n; i++) {
#pragma GCC unroll 16
    for (int k = 0; k < BENCH_LINE; k++) {
      BENCH_BARRIER();
      g_sink = api->line[k](a, a);
    }
  }
}

// ------------------------------------------------------ random, from one place

static void run_floor_random(const void* argument, long n) {
  const uint16_t* order = argument;
  floor_tensor tensor = {FLOOR_BIT(FLOOR_CPU)};
  floor_tensor* a = &tensor;
  for (long i = 0; i < n; i++) {
    BENCH_BARRIER();
    g_sink = floor_call(&g_floor_ops[order[i % ORDER]], a, a);
  }
}

typedef struct random_case {
  const bench_api* api;
  const uint16_t* order;
} random_case;

// As generated calls are, but for an operator that is not known beforehand.
static inline oy_object* call(const oy_op* op, oy_object* self, oy_object* other) {
  if (OY_UNLIKELY(!self || !other)) return oy_call_null(op, self ? "other" : "self");
  oy_keyset keys = oy_keyset_or(self->keys, other->keys);
  uint64_t before = oy_call_enter();
  const oy_kernel* kernel = oy_select_call(op, &keys);
  return oy_call_result(before, ((oy_bench_two_fn)kernel->typed)(op, keys, self, other));
}

static void run_random(const void* argument, long n) {
  const random_case* c = argument;
  oy_object* a = c->api->plain;
  for (long i = 0; i < n; i++) {
    BENCH_BARRIER();
    g_sink = call(c->api->many[c->order[i % ORDER]], a, a);
  }
}

// --------------------------------------------------------------------- by name

static char g_names[BENCH_MANY][32];
static oy_str g_views[BENCH_MANY];
static const oy_str* g_floor_table[TABLE];

static uint32_t floor_hash(oy_str name) {
  uint64_t h = 1469598103934665603ull;
  for (size_t i = 0; i < name.size; i++)
    h = (h ^ (unsigned char)name.data[i]) * 1099511628211ull;
  return (uint32_t)(h ^ h >> 32);
}

static void make_names(void) {
  for (int i = 0; i < BENCH_MANY; i++) {
    char name[24];
    bench_many_name(i, name, sizeof(name));
    snprintf(g_names[i], sizeof(g_names[i]), "bench::%s", name);
    g_views[i] = oy_str_of(g_names[i]);
    uint32_t at = floor_hash(g_views[i]) % TABLE;
    while (g_floor_table[at]) at = (at + 1) % TABLE;
    g_floor_table[at] = &g_views[i];
  }
}

BENCH_NOINLINE static const oy_str* floor_find(oy_str name) {
  uint32_t at = floor_hash(name) % TABLE;
  while (g_floor_table[at] && !oy_str_equal(*g_floor_table[at], name))
    at = (at + 1) % TABLE;
  return g_floor_table[at];
}

static void run_floor_find(const void* argument, long n) {
  const uint16_t* order = argument;
  for (long i = 0; i < n; i++)
    g_sink = (void*)(uintptr_t)floor_find(g_views[order[i % ORDER]]);
}

static void run_find(const void* argument, long n) {
  const uint16_t* order = argument;
  oy_registry* registry = oy_registry_default();
  for (long i = 0; i < n; i++)
    g_sink = (void*)(uintptr_t)oy_op_lookup(registry, g_views[order[i % ORDER]]);
}

// --------------------------------------------------------------------- the list

// Kernels of the floor that a processor can tell apart, as ours are.
#define KERNEL(id)                                                                     \
  static floor_tensor* kernel_##id(const floor_op* op, uint64_t keys, floor_tensor* a, \
                                   floor_tensor* b) {                                  \
    (void)op, (void)keys, (void)b;                                                     \
    return floor_branchy(0x##id, a);                                                   \
  }
#define KERNEL_NAME(id) kernel_##id,
#define EACH16(m, h)                                                              \
  m(h##0) m(h##1) m(h##2) m(h##3) m(h##4) m(h##5) m(h##6) m(h##7) m(h##8) m(h##9) \
      m(h##a) m(h##b) m(h##c) m(h##d) m(h##e) m(h##f)
#define EACH256(m) \
  EACH16(m, 0)     \
  EACH16(m, 1)     \
  EACH16(m, 2)     \
  EACH16(m, 3)     \
  EACH16(m, 4)     \
  EACH16(m, 5)     \
  EACH16(m, 6)     \
  EACH16(m, 7)     \
  EACH16(m, 8)     \
  EACH16(m, 9)     \
  EACH16(m, a) EACH16(m, b) EACH16(m, c) EACH16(m, d) EACH16(m, e) EACH16(m, f)

static volatile int g_zero;
static inline floor_tensor* floor_branchy(int id, floor_tensor* a) {
  int v = id ^ g_zero;
  if (v & 1) __asm__ volatile("nop");
  if (v & 2) __asm__ volatile("nop; nop");
  if (v & 4) __asm__ volatile("nop; nop; nop");
  if (v & 8) __asm__ volatile("nop; nop; nop; nop");
  return a;
}
EACH256(KERNEL)
static const floor_fn g_kernels[BENCH_MANY] = {EACH256(KERNEL_NAME)};

static void add_line(bench_list* list, const bench_api* own, const bench_api* api) {
  bench_add(list, (bench_case){.name = "floor: 16 ops in a line",
                               .run = run_floor_line,
                               .argument = &own->floor->cpu,
                               .calls = BENCH_LINE});
  bench_add(list, (bench_case){.name = "16 ops in a line, in the program",
                               .base = "floor: 16 ops in a line",
                               .run = run_line,
                               .argument = own,
                               .calls = BENCH_LINE});
  bench_add(list, (bench_case){.name = "16 ops in a line",
                               .base = "floor: 16 ops in a line",
                               .run = run_line,
                               .argument = api,
                               .calls = BENCH_LINE});
}

static void add_random(bench_list* list, const bench_api* own) {
  static random_case cases[2];
  static const char* const floors[] = {"floor: random of 16 ops",
                                       "floor: random of 256 ops"};
  static const char* const names[] = {"random of 16 ops", "random of 256 ops"};
  for (int k = 0; k < 2; k++) {
    cases[k] = (random_case){own, g_order[k]};
    bench_add(
        list,
        (bench_case){.name = floors[k], .run = run_floor_random, .argument = g_order[k]});
    bench_add(list, (bench_case){.name = names[k],
                                 .base = floors[k],
                                 .run = run_random,
                                 .argument = &cases[k]});
  }
}

void bench_add_many(bench_list* list, const bench_api* own, const bench_api* api) {
  make_orders();
  make_names();
  for (int i = 0; i < BENCH_MANY; i++) floor_op_init(&g_floor_ops[i], g_kernels[i]);
  add_line(list, own, api);
  add_random(list, own);
  bench_add(list, (bench_case){.name = "floor: find an op by name",
                               .run = run_floor_find,
                               .argument = g_order[1]});
  bench_add(list, (bench_case){.name = "find an op by name",
                               .base = "floor: find an op by name",
                               .run = run_find,
                               .argument = g_order[1],
                               .gate = "find"});
}
