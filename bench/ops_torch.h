// SPDX-License-Identifier: Apache-2.0
// PyTorch for bench_ops: a module of its own (ops_torch.cpp), made by ./yard bench ops
// where python3-torch is installed, and loaded if it lies beside the program.
#ifndef OPYARD_BENCH_OPS_TORCH_H_
#define OPYARD_BENCH_OPS_TORCH_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ops_memory {
  float *a, *b, *c;
  uint16_t *a_bf16, *b_bf16;
  int8_t *a_i8, *b_i8;
  int64_t* index;
} ops_memory;

// Whether it has the operator.
typedef int (*ops_torch_has_fn)(const char* op);
typedef void (*ops_torch_threads_fn)(int threads);
// |op| on |size| elements of |memory|, |n| times.
typedef void (*ops_torch_run_fn)(const ops_memory* memory, const char* op, int64_t size,
                                 long n);

#ifdef __cplusplus
}
#endif

#endif  // OPYARD_BENCH_OPS_TORCH_H_
