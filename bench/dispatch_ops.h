// SPDX-License-Identifier: Apache-2.0
// The operators that are measured, with kernels that do nothing. They are linked
// into a shared object, whose calls are what a library's users see, and into the
// program, for calls that are inlined. One of the two registers them.
#ifndef OPYARD_BENCH_DISPATCH_OPS_H_
#define OPYARD_BENCH_DISPATCH_OPS_H_

#include "dispatch.gen.h"
#include "floor.h"
#include "harness.h"
#include "opyard/library.h"
#include "opyard/state.h"

#define BENCH_API __attribute__((visibility("default")))

typedef oy_object* (*bench_tt_fn)(oy_object* self, oy_object* other);

enum { BENCH_LINE = 16, BENCH_MANY = 256, BENCH_HOPS = 3 };

typedef struct bench_api {
  const floor_api* floor;
  // Typed calls.
  bench_tt_fn two, hop, hop_tail, guarded, boxed, variant;
  bench_tt_fn line[BENCH_LINE];
  // Operators.
  const oy_op *op_two, *op_boxed;
  const oy_op* many[BENCH_MANY];
  // Tensors on the CPU: plain, under one to three layers, under a boxed fallback.
  oy_object* plain;
  oy_object* layered[BENCH_HOPS];
  oy_object* wrapped;
  // Gives bench::two a kernel on CUDA; a tensor there. From then on every table has
  // one block more. NULL if that fails.
  oy_object* (*use_cuda)(void);
} bench_api;

// Registers everything on first use. Ends the program if that fails.
BENCH_API const bench_api* bench_api_open(void);
void bench_many_name(int i, char* out, size_t size);
// Calls, and the floor, of the object that this function is linked into.
void bench_api_take_calls(bench_api* api);
// That of the shared object beside the program; NULL if there is none.
const bench_api* bench_api_shared(void);
// The file |name| beside the program; NULL if there is none. Static storage.
const char* bench_beside(const char* name);

// The topics. |own| has the program's calls, |api| those of the shared object.
void bench_add_calls(bench_list* list, const bench_api* own, const bench_api* api);
void bench_add_boxed(bench_list* list, const bench_api* api);
void bench_add_many(bench_list* list, const bench_api* own, const bench_api* api);
void bench_add_registry(bench_list* list);
void bench_add_threads(bench_list* list, const bench_api* own);
void bench_add_start(bench_list* list);

// An operator with three arguments, as many have, for registration.
#define BENCH_SCHEMA "(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"
// Prints the rows of bytes, and dumps a profile for each row of instructions.
int bench_gate(const bench_list* list);

#endif  // OPYARD_BENCH_DISPATCH_OPS_H_
