// SPDX-License-Identifier: Apache-2.0
// Boxed calls, boxed kernels, and a boxed fallback over typed kernels.
#include "dispatch_ops.h"

static void* volatile g_sink;

static void run_floor_boxed(const void* argument, long n) {
  const floor_api* api = argument;
  floor_value stack[8];
  for (long i = 0; i < n; i++) {
    int size = 2;
    BENCH_BARRIER();
    stack[0] = (floor_value){1, (floor_tensor*)(uintptr_t)&api->cpu};
    stack[1] = stack[0];
    api->call_boxed(&api->plain, stack, &size);
    g_sink = stack[0].tensor;
  }
}

typedef struct boxed_case {
  const oy_op* op;
  oy_object *a, *b;
} boxed_case;

static void run_boxed(const void* argument, long n) {
  const boxed_case* c = argument;
  oy_value storage[8];
  oy_stack stack;
  oy_stack_init(&stack, storage, BENCH_COUNT(storage));
  for (long i = 0; i < n; i++) {
    oy_object *a = c->a, *b = c->b;
    BENCH_BARRIER();
    storage[0] = oy_value_tensor(a);
    storage[1] = oy_value_tensor(b);
    stack.size = 2;
    if (oy_op_call_boxed(c->op, &stack) != OY_OK)
      bench_die("boxed call: %s", oy_error_get()->message);
    g_sink = oy_stack_pop(&stack).as.object;
  }
}

typedef struct typed_case {
  bench_tt_fn call;
  oy_object *a, *b;
} typed_case;

static void run_typed(const void* argument, long n) {
  const typed_case* c = argument;
  oy_object *a = c->a, *b = c->b;
  for (long i = 0; i < n; i++) {
    BENCH_BARRIER();
    g_sink = c->call(a, b);
  }
}

void bench_add_boxed(bench_list* list, const bench_api* api) {
  static boxed_case typed_kernel, boxed_kernel, fallback;
  static typed_case of_boxed, through;
  typed_kernel = (boxed_case){api->op_two, api->plain, api->plain};
  boxed_kernel = (boxed_case){api->op_boxed, api->plain, api->plain};
  fallback = (boxed_case){api->op_two, api->wrapped, api->plain};
  of_boxed = (typed_case){api->boxed, api->plain, api->plain};
  through = (typed_case){api->two, api->wrapped, api->plain};
  bench_add(list, (bench_case){.name = "floor: boxed call",
                               .run = run_floor_boxed,
                               .argument = api->floor,
                               .gate = "floor_boxed"});
  bench_add(list, (bench_case){.name = "boxed call of a boxed kernel",
                               .base = "floor: boxed call",
                               .run = run_boxed,
                               .argument = &boxed_kernel,
                               .gate = "boxed_boxed"});
  bench_add(list, (bench_case){.name = "boxed call of a typed kernel",
                               .base = "floor: boxed call",
                               .run = run_boxed,
                               .argument = &typed_kernel,
                               .gate = "boxed"});
  bench_add(list, (bench_case){.name = "typed call of a boxed kernel",
                               .base = "floor: boxed call",
                               .run = run_typed,
                               .argument = &of_boxed,
                               .gate = "typed_boxed"});
  bench_add(list, (bench_case){.name = "typed call, boxed fallback, typed kernel",
                               .base = "floor: boxed call",
                               .run = run_typed,
                               .argument = &through,
                               .gate = "fallback"});
  bench_add(list, (bench_case){.name = "boxed call, boxed fallback, typed kernel",
                               .base = "floor: boxed call",
                               .run = run_boxed,
                               .argument = &fallback,
                               .gate = "fallback_boxed"});
}
