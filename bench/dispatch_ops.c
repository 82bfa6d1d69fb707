// SPDX-License-Identifier: Apache-2.0
// Kernels, layers and their registration.
#include "dispatch_ops.h"

#include <stdio.h>
#include <stdlib.h>

static bench_api g_api;
static oy_object g_plain, g_wrapped, g_layered[BENCH_HOPS];
static volatile int g_zero;

static const bench_tt_fn g_line[BENCH_LINE] = {
    oy_bench_line0,  oy_bench_line1,  oy_bench_line2,  oy_bench_line3,
    oy_bench_line4,  oy_bench_line5,  oy_bench_line6,  oy_bench_line7,
    oy_bench_line8,  oy_bench_line9,  oy_bench_line10, oy_bench_line11,
    oy_bench_line12, oy_bench_line13, oy_bench_line14, oy_bench_line15};

#define EACH16(m, h)                                                              \
  m(h##0) m(h##1) m(h##2) m(h##3) m(h##4) m(h##5) m(h##6) m(h##7) m(h##8) m(h##9) \
      m(h##a) m(h##b) m(h##c) m(h##d) m(h##e) m(h##f)
#define EACH256(m) \
  EACH16(m, 0x0)   \
  EACH16(m, 0x1)   \
  EACH16(m, 0x2)   \
  EACH16(m, 0x3)   \
  EACH16(m, 0x4)   \
  EACH16(m, 0x5)   \
  EACH16(m, 0x6)   \
  EACH16(m, 0x7)   \
  EACH16(m, 0x8)   \
  EACH16(m, 0x9)   \
  EACH16(m, 0xa)   \
  EACH16(m, 0xb) EACH16(m, 0xc) EACH16(m, 0xd) EACH16(m, 0xe) EACH16(m, 0xf)

// -------------------------------------------------------------------- kernels

BENCH_NOINLINE static oy_object* kernel_cpu(const oy_op* op, oy_keyset keys,
                                            oy_object* self, oy_object* other) {
  (void)op;
  (void)keys;
  (void)other;
  BENCH_BARRIER();
  return self;
}

BENCH_NOINLINE static oy_object* kernel_f64(const oy_op* op, oy_keyset keys,
                                            oy_object* self, oy_object* other) {
  (void)op;
  (void)keys;
  (void)self;
  BENCH_BARRIER();
  return other;
}

// Four conditional branches that differ from kernel to kernel, as real kernels
// have: without them a processor has nothing to tell the calls apart by.
static inline oy_object* branchy(int id, oy_object* self) {
  int v = id ^ g_zero;
  if (v & 1) __asm__ volatile("nop");
  if (v & 2) __asm__ volatile("nop; nop");
  if (v & 4) __asm__ volatile("nop; nop; nop");
  if (v & 8) __asm__ volatile("nop; nop; nop; nop");
  return self;
}
#define KERNEL(id)                                                              \
  static oy_object* many_##id(const oy_op* op, oy_keyset keys, oy_object* self, \
                              oy_object* other) {                               \
    (void)op, (void)keys, (void)other;                                          \
    return branchy(id, self);                                                   \
  }
#define KERNEL_NAME(id) many_##id,
EACH256(KERNEL)
static const oy_bench_two_fn g_many_kernels[BENCH_MANY] = {EACH256(KERNEL_NAME)};

BENCH_NOINLINE static oy_status kernel_boxed(const oy_op* op, oy_keyset keys,
                                             oy_stack* stack, const oy_kernel* kernel) {
  (void)op;
  (void)keys;
  (void)kernel;
  oy_value result = oy_stack_last(stack, 2)[0];
  if (!result.owned) oy_object_retain(result.as.object);
  result.owned = 1;
  oy_stack_drop(stack, 1);
  stack->data[stack->size - 1] = result;
  return OY_OK;
}

// --------------------------------------------------------------------- layers

// One that keeps its frame, as a layer with something to do afterwards does, and
// one that goes on in tail position.
#define LAYER(key)                                                              \
  BENCH_NOINLINE static oy_object* layer_##key(const oy_op* op, oy_keyset keys, \
                                               oy_object* a, oy_object* b) {    \
    keys = oy_keyset_and(keys, oy_keyset_full_after(OY_KEY_##key));             \
    oy_object* r = oy_redispatch_bench_hop(op, keys, a, b);                     \
    BENCH_BARRIER();                                                            \
    return r;                                                                   \
  }                                                                             \
  BENCH_NOINLINE static oy_object* tail_##key(const oy_op* op, oy_keyset keys,  \
                                              oy_object* a, oy_object* b) {     \
    keys = oy_keyset_and(keys, oy_keyset_full_after(OY_KEY_##key));             \
    return oy_redispatch_bench_hop(op, keys, a, b);                             \
  }
LAYER(AutogradCPU)
LAYER(Tracer)
LAYER(Functionalize)

BENCH_NOINLINE static oy_object* layer_guarded(const oy_op* op, oy_keyset keys,
                                               oy_object* a, oy_object* b) {
  (void)op;
  (void)keys;
  oy_guard guard = oy_guard_below_autograd();
  oy_object* r = oy_bench_guarded(a, b);
  oy_guard_end(&guard);
  return r;
}

BENCH_NOINLINE static oy_status layer_boxed(const oy_op* op, oy_keyset keys,
                                            oy_stack* stack, const oy_kernel* kernel) {
  (void)kernel;
  keys = oy_keyset_and(keys, oy_keyset_full_after(OY_KEY_Conjugate));
  return oy_op_redispatch_boxed(op, keys, stack);
}

// --------------------------------------------------------------- registration

static oy_status define(oy_library* m) {
  OY_DEF(m, "two(Tensor self, Tensor other) -> Tensor");
  OY_DEF(m, "hop(Tensor self, Tensor other) -> Tensor");
  OY_DEF(m, "hop_tail(Tensor self, Tensor other) -> Tensor");
  OY_DEF(m, "guarded(Tensor self, Tensor other) -> Tensor");
  OY_DEF(m, "boxed(Tensor self, Tensor other) -> Tensor");
  OY_DEF(m, "variant(Tensor self, Tensor other) -> Tensor");
  OY_IMPL(m, "two", CPU, OY_TYPED(kernel_cpu));
  OY_IMPL(m, "hop", CPU, OY_TYPED(kernel_cpu));
  OY_IMPL(m, "hop", AutogradCPU, OY_TYPED(layer_AutogradCPU));
  OY_IMPL(m, "hop", Tracer, OY_TYPED(layer_Tracer));
  OY_IMPL(m, "hop", Functionalize, OY_TYPED(layer_Functionalize));
  OY_IMPL(m, "hop_tail", CPU, OY_TYPED(kernel_cpu));
  OY_IMPL(m, "hop_tail", AutogradCPU, OY_TYPED(tail_AutogradCPU));
  OY_IMPL(m, "hop_tail", Tracer, OY_TYPED(tail_Tracer));
  OY_IMPL(m, "hop_tail", Functionalize, OY_TYPED(tail_Functionalize));
  OY_IMPL(m, "guarded", CPU, OY_TYPED(kernel_cpu));
  OY_IMPL(m, "guarded", AutogradCPU, OY_TYPED(layer_guarded));
  OY_IMPL(m, "boxed", CPU, OY_BOXED(kernel_boxed));
  oy_kernel_params f32 = OY_TYPED(kernel_cpu), f64 = OY_TYPED(kernel_f64);
  f32.dtype_filter = OY_FOR_DTYPE(OY_DTYPE_F32);
  f64.dtype_filter = OY_FOR_DTYPE(OY_DTYPE_F64);
  OY_IMPL(m, "variant", CPU, f32);
  OY_IMPL(m, "variant", CPU, f64);
  return OY_OK;
}

// The first 16 have typed calls.
void bench_many_name(int i, char* out, size_t size) {
  snprintf(out, size, i < BENCH_LINE ? "line%d" : "many%03d", i);
}

static oy_status define_many(oy_library* m) {
  for (int i = 0; i < BENCH_MANY; i++) {
    char schema[80], name[32];
    bench_many_name(i, name, sizeof(name));
    snprintf(schema, sizeof(schema), "%s(Tensor self, Tensor other) -> Tensor", name);
    OY_DEF(m, schema);
    OY_IMPL(m, name, CPU, OY_TYPED(g_many_kernels[i]));
  }
  return OY_OK;
}

static oy_status find_many(void) {
  for (int i = 0; i < BENCH_MANY; i++) {
    char name[32], full[64];
    bench_many_name(i, name, sizeof(name));
    snprintf(full, sizeof(full), "bench::%s", name);
    OY_TRY(oy_op_find(oy_registry_default(), oy_str_of(full), &g_api.many[i]));
  }
  OY_TRY(oy_op_find(oy_registry_default(), oy_str_of("bench::two"), &g_api.op_two));
  return oy_op_find(oy_registry_default(), oy_str_of("bench::boxed"), &g_api.op_boxed);
}

static oy_status register_all(void) {
  OY_TRY(oy_register_trampolines_dispatch());
  oy_library_params p = {NULL,     OY_LIBRARY_DEF, "bench", OY_KEY_Undefined,
                         __FILE__, __LINE__};
  oy_library *library, *wrap;
  OY_TRY(oy_library_create(&p, &library));
  OY_TRY(define(library));
  OY_TRY(define_many(library));
  p.kind = OY_LIBRARY_IMPL;
  p.ns = "_";
  OY_TRY(oy_library_create(&p, &wrap));
  oy_kernel_params fallback = OY_BOXED(layer_boxed);
  OY_TRY(oy_library_fallback(wrap, OY_KEY_Conjugate, &fallback, OY_HERE, NULL));
  return find_many();
}

// -------------------------------------------------------------------- tensors

static oy_object* tensor_init(oy_object* tensor, uint64_t more) {
  static const oy_object_class klass = {"Tensor", NULL};
  tensor->keys = oy_keyset_of(OY_KEY_CPU);
  tensor->keys.functionality |= more;
  tensor->klass = &klass;
  tensor->references = 1;
  tensor->dtype = OY_DTYPE_F32;
  tensor->flags = OY_OBJECT_STATIC;
  return tensor;
}

static void make_tensors(void) {
  static const oy_key keys[BENCH_HOPS] = {OY_KEY_AutogradFunctionality, OY_KEY_Tracer,
                                          OY_KEY_Functionalize};
  uint64_t more = 0;
  for (int i = 0; i < BENCH_HOPS; i++) {
    more |= 1ull << keys[i];
    g_api.layered[i] = tensor_init(&g_layered[i], more);
  }
  g_api.plain = tensor_init(&g_plain, 0);
  g_api.wrapped = tensor_init(&g_wrapped, 1ull << OY_KEY_Conjugate);
}

static oy_object* use_cuda(void) {
  static oy_object tensor;
  oy_library_params p = {NULL, OY_LIBRARY_IMPL, "bench", OY_KEY_CUDA, __FILE__, __LINE__};
  oy_impl_params two = {.name = "two", .kernel = OY_TYPED(kernel_cpu), .place = OY_HERE};
  oy_library* library;
  if (oy_library_create(&p, &library) != OY_OK) return NULL;
  if (oy_library_impl(library, &two, NULL) != OY_OK) return NULL;
  tensor_init(&tensor, 0);
  tensor.keys = oy_keyset_of(OY_KEY_CUDA);
  return &tensor;
}

void bench_api_take_calls(bench_api* api) {
  api->two = oy_bench_two;
  api->hop = oy_bench_hop;
  api->hop_tail = oy_bench_hop_tail;
  api->guarded = oy_bench_guarded;
  api->boxed = oy_bench_boxed;
  api->variant = oy_bench_variant;
  memcpy(api->line, g_line, sizeof(g_line));
  api->floor = floor_open();
}

BENCH_API const bench_api* bench_api_open(void) {
  if (g_api.floor) return &g_api;
  if (register_all() != OY_OK) {
    fprintf(stderr, "bench: registration: %s\n", oy_error_get()->message);
    exit(2);
  }
  make_tensors();
  g_api.use_cuda = use_cuda;
  bench_api_take_calls(&g_api);
  return &g_api;
}
