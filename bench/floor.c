// SPDX-License-Identifier: Apache-2.0
#include "floor.h"

#include "harness.h"

__thread floor_tls floor_thread __attribute__((tls_model("initial-exec")));

BENCH_NOINLINE static floor_tensor* call(const floor_op* op, floor_tensor* a,
                                         floor_tensor* b) {
  return floor_call(op, a, b);
}

BENCH_NOINLINE static void call_boxed(const floor_op* op, floor_value* stack, int* size) {
  uint64_t keys = floor_thread.included;
  const floor_value* top = stack + *size - op->argument_count;
  for (uint32_t m = op->tensors; m; m &= m - 1)
    keys |= top[__builtin_ctz(m)].tensor->keys;
  keys = keys & ~floor_thread.excluded & op->keep;
  op->boxed(op, keys, stack, size);
}

BENCH_NOINLINE floor_tensor* floor_kernel(const floor_op* op, uint64_t keys,
                                          floor_tensor* a, floor_tensor* b) {
  (void)op;
  (void)keys;
  (void)b;
  BENCH_BARRIER();
  return a;
}

BENCH_NOINLINE static void boxed_kernel(const floor_op* op, uint64_t keys,
                                        floor_value* stack, int* size) {
  (void)op;
  (void)keys;
  *size -= 1;
  stack[*size - 1].tag = 1;
}

// A layer that keeps its frame, as one does that has work to do afterwards.
static inline floor_tensor* layer(const floor_op* op, uint64_t keys, floor_tensor* a,
                                  floor_tensor* b, int key) {
  floor_tensor* r = floor_redispatch(op, keys & (FLOOR_BIT(key) - 1), a, b);
  BENCH_BARRIER();
  return r;
}

BENCH_NOINLINE static floor_tensor* autograd(const floor_op* op, uint64_t keys,
                                             floor_tensor* a, floor_tensor* b) {
  return layer(op, keys, a, b, FLOOR_AUTOGRAD);
}

BENCH_NOINLINE static floor_tensor* inplace(const floor_op* op, uint64_t keys,
                                            floor_tensor* a, floor_tensor* b) {
  return layer(op, keys, a, b, FLOOR_INPLACE);
}

BENCH_NOINLINE static floor_tensor* tracer(const floor_op* op, uint64_t keys,
                                           floor_tensor* a, floor_tensor* b) {
  return layer(op, keys, a, b, FLOOR_TRACER);
}

// The other way down: exclude the layer for the thread, and call again.
BENCH_NOINLINE static floor_tensor* guarded(const floor_op* op, uint64_t keys,
                                            floor_tensor* a, floor_tensor* b) {
  (void)keys;
  uint64_t before = floor_thread.excluded;
  floor_thread.excluded = before | FLOOR_BIT(FLOOR_AUTOGRAD) | FLOOR_BIT(FLOOR_INPLACE);
  floor_tensor* r = call(op, a, b);
  floor_thread.excluded = before;
  return r;
}

void floor_op_init(floor_op* op, floor_fn kernel) {
  op->keep =
      ~(FLOOR_BIT(FLOOR_AUTOGRAD) | FLOOR_BIT(FLOOR_INPLACE) | FLOOR_BIT(FLOOR_TRACER));
  op->boxed = boxed_kernel;
  op->argument_count = 2;
  op->tensors = 3;
  for (int i = 0; i < 64; i++) op->slots[i] = kernel;
}

static void add_layer(floor_op* op, int key, floor_fn layer_fn) {
  op->slots[key] = layer_fn;
  op->keep |= FLOOR_BIT(key);
}

const floor_api* floor_open(void) {
  static floor_api api;
  api.call = call;
  api.call_boxed = call_boxed;
  api.cpu.keys = FLOOR_BIT(FLOOR_CPU);
  api.layered.keys = FLOOR_BIT(FLOOR_CPU) | FLOOR_BIT(FLOOR_AUTOGRAD) |
                     FLOOR_BIT(FLOOR_INPLACE) | FLOOR_BIT(FLOOR_TRACER);
  floor_op_init(&api.plain, floor_kernel);
  floor_op_init(&api.guarded, floor_kernel);
  add_layer(&api.guarded, FLOOR_AUTOGRAD, guarded);
  for (int i = 0; i < 3; i++) {
    floor_op_init(&api.hops[i], floor_kernel);
    add_layer(&api.hops[i], FLOOR_AUTOGRAD, autograd);
    if (i > 0) add_layer(&api.hops[i], FLOOR_INPLACE, inplace);
    if (i > 1) add_layer(&api.hops[i], FLOOR_TRACER, tracer);
  }
  return &api;
}
