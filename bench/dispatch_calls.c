// SPDX-License-Identifier: Apache-2.0
// Typed calls: without layers, through layers, under guards; in the shared object
// and inlined.
#include "dispatch_inline.gen.h"
#include "dispatch_ops.h"

static void* volatile g_sink;

// ---------------------------------------------------------------------- floor

typedef struct floor_case {
  floor_tensor* (*call)(const floor_op* op, floor_tensor* a, floor_tensor* b);
  const floor_op* op;
  const floor_tensor *a, *b;
} floor_case;

static floor_tensor* mutable_of(const floor_tensor* t) {
  return (floor_tensor*)(uintptr_t)t;
}

static void run_direct(const void* argument, long n) {
  const floor_case* c = argument;
  floor_tensor *a = mutable_of(c->a), *b = mutable_of(c->b);
  for (long i = 0; i < n; i++) {
    BENCH_BARRIER();
    g_sink = floor_kernel(c->op, 0, a, b);
  }
}

static void run_indirect(const void* argument, long n) {
  const floor_case* c = argument;
  floor_tensor *a = mutable_of(c->a), *b = mutable_of(c->b);
  for (long i = 0; i < n; i++) {
    BENCH_BARRIER();
    g_sink = c->op->slots[FLOOR_CPU](c->op, 0, a, b);
  }
}

static void run_floor(const void* argument, long n) {
  const floor_case* c = argument;
  floor_tensor *a = mutable_of(c->a), *b = mutable_of(c->b);
  for (long i = 0; i < n; i++) {
    BENCH_BARRIER();
    g_sink = c->call(c->op, a, b);
  }
}

static void run_floor_inline(const void* argument, long n) {
  const floor_case* c = argument;
  floor_tensor *a = mutable_of(c->a), *b = mutable_of(c->b);
  for (long i = 0; i < n; i++) {
    BENCH_BARRIER();
    g_sink = floor_call(c->op, a, b);
  }
}

static void add_floor(bench_list* list, const floor_api* own, const floor_api* so) {
  static floor_case inlined, call, hops[BENCH_HOPS], guarded;
  static const char* const hop_names[] = {"floor: 1 hop", "floor: 2 hops",
                                          "floor: 3 hops"};
  static const char* const hop_gates[] = {"floor_hop1", "floor_hop2", "floor_hop3"};
  inlined = (floor_case){own->call, &own->plain, &own->cpu, &own->cpu};
  call = (floor_case){so->call, &so->plain, &so->cpu, &so->cpu};
  bench_add(list, (bench_case){.name = "floor: direct call",
                               .run = run_direct,
                               .argument = &inlined,
                               .gate = "floor_direct"});
  bench_add(list, (bench_case){.name = "floor: indirect call",
                               .run = run_indirect,
                               .argument = &inlined,
                               .gate = "floor_indirect"});
  bench_add(list, (bench_case){.name = "floor: dispatch inlined",
                               .run = run_floor_inline,
                               .argument = &inlined,
                               .gate = "floor_inlined"});
  bench_add(list, (bench_case){.name = "floor: dispatch",
                               .run = run_floor,
                               .argument = &call,
                               .gate = "floor_call"});
  for (int i = 0; i < BENCH_HOPS; i++) {
    hops[i] = (floor_case){so->call, &so->hops[i], &so->layered, &so->cpu};
    bench_add(list, (bench_case){.name = hop_names[i],
                                 .run = run_floor,
                                 .argument = &hops[i],
                                 .gate = hop_gates[i]});
  }
  guarded = (floor_case){so->call, &so->guarded, &so->layered, &so->cpu};
  bench_add(list, (bench_case){.name = "floor: guarded hop",
                               .run = run_floor,
                               .argument = &guarded,
                               .gate = "floor_guarded"});
}

// ----------------------------------------------------------------------- ours

typedef struct call_case {
  bench_tt_fn call;
  oy_object *a, *b;
} call_case;

static void run_call(const void* argument, long n) {
  const call_case* c = argument;
  oy_object *a = c->a, *b = c->b;
  for (long i = 0; i < n; i++) {
    BENCH_BARRIER();
    g_sink = c->call(a, b);
  }
}

static void run_inline(const void* argument, long n) {
  const call_case* c = argument;
  oy_object *a = c->a, *b = c->b;
  for (long i = 0; i < n; i++) {
    BENCH_BARRIER();
    g_sink = oy_inline_bench_two(a, b);
  }
}

// As a kernel does that calls other operators.
static void run_nested(const void* argument, long n) {
  uint64_t before = oy_call_enter();
  run_call(argument, n);
  oy_call_leave(before);
}

enum { IN_SCOPE = 8 };
static void run_scope(const void* argument, long n) {
  const call_case* c = argument;
  for (long i = 0; i < n; i++) {
    oy_scope scope;
    oy_scope_open(&scope);
    for (int k = 0; k < IN_SCOPE; k++) g_sink = c->call(c->a, c->b);
    oy_scope_close(&scope);
  }
}

static void add_hops(bench_list* list, const bench_api* api, bool tail) {
  static call_case cases[2 * BENCH_HOPS];
  static const char* const names[] = {"1 hop",
                                      "2 hops",
                                      "3 hops",
                                      "1 hop, tail call",
                                      "2 hops, tail calls",
                                      "3 hops, tail calls"};
  static const char* const gates[] = {"hop1",      "hop2",      "hop3",
                                      "hop1_tail", "hop2_tail", "hop3_tail"};
  static const char* const bases[] = {"floor: 1 hop", "floor: 2 hops", "floor: 3 hops"};
  for (int i = 0; i < BENCH_HOPS; i++) {
    int at = tail ? BENCH_HOPS + i : i;
    cases[at] = (call_case){tail ? api->hop_tail : api->hop, api->layered[i], api->plain};
    bench_add(list, (bench_case){.name = names[at],
                                 .base = bases[i],
                                 .run = run_call,
                                 .argument = &cases[at],
                                 .gate = gates[at]});
  }
}

static void add_own(bench_list* list, const bench_api* own) {
  static call_case plain;
  plain = (call_case){own->two, own->plain, own->plain};
  bench_add(list, (bench_case){.name = "typed call inlined",
                               .base = "floor: dispatch inlined",
                               .run = run_inline,
                               .argument = &plain,
                               .gate = "inlined"});
  bench_add(list, (bench_case){.name = "typed call, in the program",
                               .base = "floor: dispatch",
                               .run = run_call,
                               .argument = &plain,
                               .gate = "program"});
  bench_add(list, (bench_case){.name = "typed call inside a call",
                               .base = "floor: dispatch",
                               .run = run_nested,
                               .argument = &plain,
                               .gate = "nested"});
  bench_add(list, (bench_case){.name = "typed call with a scope open, 8 to a scope",
                               .base = "floor: dispatch",
                               .run = run_scope,
                               .argument = &plain,
                               .calls = IN_SCOPE,
                               .gate = "scope8"});
}

void bench_add_calls(bench_list* list, const bench_api* own, const bench_api* api) {
  static call_case plain, guarded, variant;
  add_floor(list, own->floor, api->floor);
  add_own(list, own);
  plain = (call_case){api->two, api->plain, api->plain};
  guarded = (call_case){api->guarded, api->layered[0], api->plain};
  variant = (call_case){api->variant, api->plain, api->plain};
  bench_add(list, (bench_case){.name = "typed call",
                               .base = "floor: dispatch",
                               .run = run_call,
                               .argument = &plain,
                               .gate = "call"});
  add_hops(list, api, false);
  add_hops(list, api, true);
  bench_add(list, (bench_case){.name = "guarded hop",
                               .base = "floor: guarded hop",
                               .run = run_call,
                               .argument = &guarded,
                               .gate = "guarded"});
  bench_add(list, (bench_case){.name = "typed call, kernel by dtype",
                               .base = "floor: dispatch",
                               .run = run_call,
                               .argument = &variant,
                               .gate = "variant"});
}
