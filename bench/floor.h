// SPDX-License-Identifier: Apache-2.0
// The least that a dispatcher of this kind can do, written by hand: one word of
// keys for a tensor, thread-local include and exclude sets, a mask and a slot per
// key in the operator, the kernel in the slot. No errors, no NULL tests, nothing
// that could be registered, removed or freed while it is called.
#ifndef OPYARD_BENCH_FLOOR_H_
#define OPYARD_BENCH_FLOOR_H_

#include <stdint.h>

typedef struct floor_tensor {
  uint64_t keys;
} floor_tensor;

typedef struct floor_op floor_op;
typedef floor_tensor* (*floor_fn)(const floor_op* op, uint64_t keys, floor_tensor* a,
                                  floor_tensor* b);
typedef struct floor_value {
  uint64_t tag;
  floor_tensor* tensor;
} floor_value;
typedef void (*floor_boxed_fn)(const floor_op* op, uint64_t keys, floor_value* stack,
                               int* size);

struct floor_op {
  uint64_t keep;
  floor_fn slots[64];
  floor_boxed_fn boxed;
  uint32_t argument_count;
  uint32_t tensors;  // bit i: argument i gives keys
};

enum { FLOOR_CPU = 1, FLOOR_INPLACE = 21, FLOOR_AUTOGRAD = 23, FLOOR_TRACER = 25 };
#define FLOOR_BIT(k) (1ull << (k))

typedef struct floor_tls {
  uint64_t included, excluded;
} floor_tls;
extern __thread floor_tls floor_thread __attribute__((tls_model("initial-exec")));

static inline floor_fn floor_slot(const floor_op* op, uint64_t keys) {
  return op->slots[63 ^ __builtin_clzll(keys | 1)];
}

static inline floor_tensor* floor_call(const floor_op* op, floor_tensor* a,
                                       floor_tensor* b) {
  uint64_t keys =
      (a->keys | b->keys | floor_thread.included) & ~floor_thread.excluded & op->keep;
  return floor_slot(op, keys)(op, keys, a, b);
}

static inline floor_tensor* floor_redispatch(const floor_op* op, uint64_t keys,
                                             floor_tensor* a, floor_tensor* b) {
  return floor_slot(op, keys & op->keep)(op, keys & op->keep, a, b);
}

// What the floor offers, as functions of the object that it is linked into.
typedef struct floor_api {
  floor_tensor* (*call)(const floor_op* op, floor_tensor* a, floor_tensor* b);
  void (*call_boxed)(const floor_op* op, floor_value* stack, int* size);
  floor_op plain, hops[3], guarded;
  floor_tensor cpu, layered;
} floor_api;
const floor_api* floor_open(void);

floor_tensor* floor_kernel(const floor_op* op, uint64_t keys, floor_tensor* a,
                           floor_tensor* b);
void floor_op_init(floor_op* op, floor_fn kernel);

#endif  // OPYARD_BENCH_FLOOR_H_
