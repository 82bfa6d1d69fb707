// SPDX-License-Identifier: Apache-2.0
#include "permutation_sets.h"

#define DEF                 STEP_DEF("foo(Tensor x) -> Tensor")
#define IMPL(key, debug)    STEP_IMPL("foo", key, debug)
#define BOXED(key, debug)   STEP_BOXED("foo", key, debug)
#define THROUGH(key, debug) STEP_FALLTHROUGH("foo", key, debug)
#define MATH                IMPL(CompositeImplicitAutograd, "math")
#define DEFAULT             IMPL(CompositeExplicitAutograd, "default")

// A kernel without its C type: what it is must not depend on what came before.
#define UNSIGNED(key_name, debug_text)                                                 \
  {                                                                                    \
    .kind = TEST_IMPL, .text = "foo", .key = OY_KEY_##key_name, .debug = (debug_text), \
    .kernel = {                                                                        \
      .typed = (oy_typed_fn)test_kernel_t_t,                                           \
      .state = (void*)(uintptr_t)(debug_text)                                          \
    }                                                                                  \
  }
#define SIGNED(key_name, signature_text, debug_text)                                   \
  {                                                                                    \
    .kind = TEST_IMPL, .text = "foo", .key = OY_KEY_##key_name, .debug = (debug_text), \
    .kernel = {                                                                        \
      .typed = (oy_typed_fn)test_kernel_t_t,                                           \
      .signature = (signature_text)                                                    \
    }                                                                                  \
  }
#define VARIANT(key_name, debug_text, dtype, level, rank)                              \
  {                                                                                    \
    .kind = TEST_IMPL, .text = "foo", .key = OY_KEY_##key_name, .debug = (debug_text), \
    .kernel = {                                                                        \
      .typed = (oy_typed_fn)test_kernel_t_t,                                           \
      .signature = "(Tensor) -> Tensor",                                               \
      .dtype_filter = (dtype),                                                         \
      .cpu_level = (level),                                                            \
      .priority = (rank)                                                               \
    }                                                                                  \
  }
#define F32 OY_FOR_DTYPE(OY_DTYPE_F32)
#define F64 OY_FOR_DTYPE(OY_DTYPE_F64)
#define U8  OY_FOR_DTYPE(OY_DTYPE_U8)
#define DEF_KERNEL(schema, debug_text)                                             \
  {                                                                                \
    .kind = TEST_DEF, .text = (schema), .debug = (debug_text), .has_kernel = true, \
    .kernel = TEST_TYPED_T_T(debug_text)                                           \
  }
#define DEF_ALIAS(alias, debug_text)                                            \
  {                                                                             \
    .kind = TEST_DEF, .text = "foo(Tensor x) -> Tensor", .debug = (debug_text), \
    .alias_kind = OY_ALIAS_##alias, .has_alias_kind = true                      \
  }

// clang-format off
const permutation_set g_permutation_sets[] = {
  // Those of test_dispatch.py.
  {"test_def", 32, 5,
   {DEF, MATH, IMPL(CPU, "cpu"), IMPL(Autograd, "autograd"),
   IMPL(AutogradCPU, "autogradcpu")}, {0}},
  {"test_def_impl_schema_mismatch", 3, 2,
   {STEP_DEF("foo(Tensor x, Tensor y) -> Tensor"), MATH}, {0}},
  {"test_def_with_inference", 2, 1, {DEF_KERNEL("foo", "default_def_name_t_t")}, {0}},
  {"test_def_only", 2, 1, {STEP_DEF("foo(Tensor x, Tensor y) -> Tensor")}, {0}},
  {"test_impl_only", 16, 4,
   {MATH, IMPL(CPU, "cpu"), IMPL(Autograd, "autograd"), IMPL(AutogradCPU, "autogradcpu")},
   {0}},
  {"test_computed_table", 32, 5,
   {DEF_KERNEL("foo(Tensor x) -> Tensor", "math"), IMPL(CPU, "cpu"), IMPL(XLA, "xla"),
    IMPL(Autograd, "autograd"), IMPL(AutogradCPU, "autogradcpu")}, {0}},
  {"test_computed_table_with_math", 4, 2, {DEF, MATH}, {0}},
  {"test_computed_table_with_cpu_math", 8, 3, {DEF, IMPL(CPU, "cpu"), MATH}, {0}},
  {"test_computed_table_with_autograd", 4, 2, {DEF, IMPL(Autograd, "autograd")}, {0}},
  {"test_computed_table_with_cpu_autograd_math", 16, 4,
   {DEF, IMPL(CPU, "cpu"), IMPL(Autograd, "autograd"), MATH}, {0}},
  {"test_computed_table_with_ambiguous_autogradother", 8, 3,
   {DEF, MATH, IMPL(FPGA, "fpga")}, {0}},
  {"test_computed_table_with_cpu_defaultbackend", 8, 3, {DEF, IMPL(CPU, "cpu"), DEFAULT},
   {0}},
  {"test_computed_table_with_cpu_autograd_defaultbackend", 16, 4,
   {DEF, IMPL(CPU, "cpu"), IMPL(Autograd, "autograd"), DEFAULT}, {0}},
  {"test_computed_table_with_cpu_autograd_math_defaultbackend", 32, 5,
   {DEF, IMPL(CPU, "cpu"), IMPL(Autograd, "autograd"), MATH, DEFAULT}, {0}},
  {"test_multiple_def_error", 3, 2,
   {STEP_DEF("foo(Tensor x, Tensor y) -> Tensor"), DEF_ALIAS(FROM_SCHEMA, "again")}, {0}},
  {"test_def_with_explicit_alias", 2, 1, {DEF_ALIAS(PURE_FUNCTION, "pure")}, {0}},
  {"test_multiple_def_alias_mismatch", 3, 2,
   {DEF_ALIAS(PURE_FUNCTION, "pure"), DEF_ALIAS(CONSERVATIVE, "conservative")}, {0}},
  {"test_multiple_fallback", 3, 2, {STEP_FALLBACK(XLA, "one"), STEP_FALLBACK(XLA, "two")},
   {0}},
  {"test_overwrite_math", 10, 3, {DEF, MATH, IMPL(CatchAll, "math again")}, {0, 1, 1}},

  // Our own.
  {"fallbacks under a kernel", 32, 5,
   {DEF, STEP_FALLBACK(CPU, "cpu fb"), STEP_FALLBACK(AutogradPrivateUse1, "pu1 fb"),
   IMPL(CPU, "cpu"),
    IMPL(PrivateUse1, "pu1")}, {0}},
  {"fallback at an alias key", 12, 4,
   {DEF, MATH, STEP_FALLBACK(CompositeExplicitAutograd, "all"),
   STEP_FALLBACK(CUDA, "cuda fb")}, {0}},
  {"a fallback that is in the way", 2, 2, {STEP_FALLBACK(Autograd, "all"), DEF}, {0}},
  {"fallthrough at one backend", 16, 4,
   {DEF, THROUGH(AutogradCPU, "off"), IMPL(CPU, "cpu"), IMPL(Autograd, "autograd")}, {0}},
  {"fallthrough hides composites", 16, 4,
   {THROUGH(CPU, "through"), MATH, DEFAULT, THROUGH(Conjugate, "conj")}, {0}},
  {"fallthrough fallback and kernel", 16, 4,
   {DEF, STEP_FALLBACK_FALLTHROUGH(Tracer, "off"), BOXED(Tracer, "trace"),
   THROUGH(Autograd, "a")}, {0}},
  {"fallthrough at an alias key", 16, 4,
   {THROUGH(CompositeExplicitAutograd, "explicit off"), IMPL(CUDA, "cuda"),
    THROUGH(AutogradOther, "other"), MATH}, {0}},
  {"dtype variants", 16, 4,
   {VARIANT(CPU, "f32", F32, 0, 0), VARIANT(CPU, "f64", F64, 0, 0),
   VARIANT(CPU, "any", 0, 0, 0), MATH}, {0}},
  {"three dtypes", 16, 4,
   {DEF, VARIANT(CPU, "f32", F32, 0, 0), VARIANT(CPU, "f64", F64, 0, 0),
   VARIANT(CPU, "u8", U8, 0, 0)}, {0}},
  {"capability levels", 16, 4,
   {VARIANT(CPU, "base", 0, OY_CPU_BASELINE, 0), VARIANT(CPU, "v3", 0, OY_CPU_V3, 0),
    VARIANT(CPU, "v4", 0, OY_CPU_V4, 0), IMPL(Autograd, "autograd")}, {0}},
  {"priorities", 16, 4,
   {VARIANT(CPU, "low", 0, 0, -5), VARIANT(CPU, "mid", 0, 0, 0),
   VARIANT(CPU, "high", 0, 0, 7), DEF}, {0}},
  {"priority against capability and dtype", 32, 5,
   {DEF, VARIANT(CPU, "f32 v3", F32, OY_CPU_V3, 0), VARIANT(CPU, "f32 p1", F32, 0, 1),
    VARIANT(CPU, "any p2", 0, 0, 2), VARIANT(CPU, "any", 0, 0, 0)}, {0}},
  {"variants of a composite", 16, 4,
   {VARIANT(CompositeExplicitAutograd, "f32", F32, 0, 0), DEFAULT, IMPL(CUDA, "cuda"),
   MATH}, {0}},
  {"two of a kind among variants", 16, 4,
   {VARIANT(CPU, "f32 a", F32, 0, 0), VARIANT(CPU, "f32 b", F32, 0, 0), IMPL(CPU, "any"),
   DEF}, {1, 1, 0, 0}},
  {"a stack of three", 32, 4,
   {DEF, IMPL(CPU, "a"), IMPL(CPU, "b"), BOXED(CPU, "c")}, {0, 1, 1, 1}},
  {"two stacks", 50, 5,
   {DEF, IMPL(CPU, "a"), IMPL(CPU, "b"), IMPL(Autograd, "c"), IMPL(Autograd, "d")},
   {0, 1, 1, 2, 2}},
  {"batched decomposition", 16, 4,
   {IMPL(FuncTorchBatchedDecomposition, "decomposed"), IMPL(FuncTorchBatched, "batched"),
    STEP_FALLBACK(FuncTorchBatched, "batched fb"), MATH}, {0}},
  {"batched decomposition alone", 4, 2, {DEF,
   IMPL(FuncTorchBatchedDecomposition, "decomposed")}, {0}},
  {"nested composites", 16, 4,
   {IMPL(CompositeImplicitAutogradNestedTensor, "nested"), MATH,
    IMPL(NestedTensorCPU, "nested cpu"), IMPL(Autograd, "autograd")}, {0}},
  {"three composites", 32, 5,
   {DEF, IMPL(CompositeExplicitAutogradNonFunctional, "non-functional"), DEFAULT, MATH,
    IMPL(SparseCPU, "sparse")}, {0}},
  {"backends that map to AutogradOther", 16, 4,
   {MATH, IMPL(QuantizedCPU, "quantized"), IMPL(HIP, "hip"),
    IMPL(AutogradOther, "other")}, {0}},
  {"kernels that disagree", 5, 3,
   {SIGNED(CPU, "(Tensor) -> Tensor", "one"),
   SIGNED(CUDA, "(Tensor, Tensor) -> Tensor", "two"), DEF}, {0}},
  {"definitions that disagree", 10, 4,
   {DEF, STEP_DEF("foo(Tensor x, Tensor y) -> Tensor"),
   SIGNED(CPU, "(Tensor) -> Tensor", "one"),
    BOXED(CUDA, "boxed")}, {0}},
  {"kernels without their type", 16, 4,
   {DEF, UNSIGNED(CPU, "cpu"), UNSIGNED(Autograd, "autograd"), BOXED(Meta, "boxed")},
   {0}},
  {"with and without their type", 10, 4,
   {UNSIGNED(CPU, "cpu"), SIGNED(CUDA, "(Tensor, Tensor) -> Tensor", "two"), DEF,
   IMPL(XLA, "one")}, {0}},
  {"a definition with a kernel", 7, 4,
   {DEF_KERNEL("foo", "inferred"), DEF, IMPL(CPU, "cpu"),
   SIGNED(CUDA, "() -> ()", "none")}, {0}},
  {"kernels at Undefined go to the catch-all", 10, 3, {DEF, IMPL(Undefined, "a"), MATH},
   {0, 1, 1}},
};
// clang-format on

const size_t g_permutation_set_count = TEST_COUNT(g_permutation_sets);
