// SPDX-License-Identifier: Apache-2.0
// Libraries by macro, in the default registry: by constructor in this file, by
// name in library_blocks.c; failing, loading twice, selective builds (reference,
// sections 3.9 and 3.10). Shared objects and archives: test_shared_library.sh.
#include <stdio.h>

#include "library_blocks.h"
#include "support.h"

OY_LIBRARY(atload, m) {
  OY_DEF(m, "a(Tensor x) -> Tensor");
  OY_DEF(m, "a.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)");
  return OY_OK;
}

OY_LIBRARY_IMPL(atload, CPU, m) {
  OY_IMPL(m, "a", CPU, OY_TYPED_SIGNATURE(test_kernel_t_t, "(Tensor) -> Tensor"));
  return OY_OK;
}

OY_LIBRARY_IMPL(atload, Autograd, m) {
  OY_IMPL(m, "a", Undefined, OY_FALLTHROUGH);
  return OY_OK;
}

OY_LIBRARY_IMPL(_, Tracer, m) {
  OY_FALLBACK(m, OY_BOXED(test_kernel_boxed));
  return OY_OK;
}

// Two that fail before main: nobody is there to hear it.
OY_LIBRARY_FRAGMENT(atload_bad, syntax) {
  OY_DEF(syntax, "fine(Tensor x) -> Tensor");
  OY_DEF(syntax, "broken(Tensor x -> Tensor");
  return OY_OK;
}
OY_LIBRARY_IMPL(atload_bad, CPU, wrong_key) {
  OY_IMPL(wrong_key, "fine", CUDA, OY_BOXED(test_kernel_boxed));
  return OY_OK;
}

static oy_registry* registry(void) {
  return oy_registry_default();
}

static size_t lines(const char* text) {
  size_t n = 0;
  for (; *text; text++) n += *text == '\n';
  return n;
}

static const char* load_errors(void) {
  char* text = NULL;
  assert_ok(oy_registry_load_errors(&text));
  return test_keep(text);
}

static void REG_18_constructors_ran(void** state) {
  (void)state;
  const oy_op* a = test_find(registry(), "atload::a");
  assert_non_null(test_find(registry(), "atload::a.out"));
  assert_true(oy_op_has_kernel(a, OY_KEY_CPU));
  assert_true(oy_op_is_fallthrough(a, OY_KEY_AutogradCPU));
  assert_true(oy_registry_has_fallback(registry(), OY_KEY_Tracer));
  assert_contains(test_state(a), "debug: registered at ");
  assert_contains(test_state(a), "test_registry_macros.c:");
  // The default registry starts with the usual fallthroughs: a call just works.
  test_tensor x = test_tensor_of(TEST_GRAD(CPU));
  assert_ptr_equal(test_call_t_t(a, &x.object), &x.object);
  assert_ok(oy_registry_check_invariants(registry()));
}

// Failing while loading kills nobody, leaves nothing, and can be asked for.
static void REG_18_load_errors(void** state) {
  (void)state;
  assert_null(oy_op_lookup(registry(), oy_str_of("atload_bad::fine")));
  const char* text = load_errors();
  assert_int_equal(lines(text), 2);  // one for each block
  assert_contains(text, "test_registry_macros.c:");
  assert_contains(text, "Explicitly provided dispatch key (CUDA)");
}

static void REG_20_explicit_load(void** state) {
  (void)state;
  assert_null(oy_op_lookup(registry(), oy_str_of("explicit::a")));  // no constructor
  assert_ok(oy_load_explicit_CPU_kernels());  // kernels first: any order will do
  assert_null(oy_op_schema(oy_op_lookup(registry(), oy_str_of("explicit::a"))));
  assert_ok(oy_load_explicit());
  assert_ok(oy_load_explicit_more());
  size_t count = oy_registry_op_count(registry());
  const oy_op* a = test_find(registry(), "explicit::a");
  const char* before = test_state(a);
  assert_true(oy_op_has_kernel(a, OY_KEY_CPU));
  assert_true(oy_op_has_kernel(test_find(registry(), "explicit::b"), OY_KEY_CPU));
  // Loading twice is loading once.
  for (int i = 0; i < 2; i++) {
    assert_ok(oy_load_explicit());
    assert_ok(oy_load_explicit_more());
    assert_ok(oy_load_explicit_CPU_kernels());
  }
  assert_int_equal(oy_registry_op_count(registry()), count);
  assert_string_equal(test_state(a), before);
  assert_contains(before, "library_blocks.c:");
}

// Half-way is not at all; the reason is returned and kept; trying again is fine.
static void REG_16_block_fails_half_way(void** state) {
  (void)state;
  size_t count = oy_registry_op_count(registry()), errors = lines(load_errors());
  g_blocks_fail = true;
  assert_error_part(oy_load_fragile_half(), OY_SCHEMA_MISMATCH, "");
  assert_int_equal(oy_registry_op_count(registry()), count);
  assert_null(oy_op_lookup(registry(), oy_str_of("fragile::first")));
  const char* text = load_errors();
  assert_contains(text, "library_blocks.c:");
  assert_int_equal(lines(text), errors + 1);  // the message had several
  g_blocks_fail = false;
  assert_ok(oy_load_fragile_half());
  assert_int_equal(oy_registry_op_count(registry()), count + 3);
}

static void REG_21_selective_build(void** state) {
  (void)state;
  assert_ok(oy_load_selected());
  const oy_op* op = test_find(registry(), "selected::wanted");
  assert_true(oy_op_has_kernel(op, OY_KEY_CPU));
  assert_null(oy_op_lookup(registry(), oy_str_of("selected::refused")));
  assert_null(oy_op_lookup(registry(), oy_str_of("selected::unheard")));
}

// A block by hand: load, unload, load again.
static oy_status body(oy_library* m) {
  OY_DEF(m, "x(Tensor x) -> Tensor");
  return OY_OK;
}

static void REG_18_unload_takes_back(void** state) {
  (void)state;
  oy_library_block block = {
      {NULL, OY_LIBRARY_DEF, "byhand", 0, "hand.c", 1}, body, NULL, 0};
  for (int i = 0; i < 2; i++) {
    assert_ok(oy_library_block_load(&block));
    assert_non_null(test_find(registry(), "byhand::x"));
    oy_library_block_unload(&block);
    oy_library_block_unload(&block);  // twice is once
    assert_null(oy_op_lookup(registry(), oy_str_of("byhand::x")));
  }
}

// The second copy of a library finds the first in its way, and is told where.
static void REG_19_second_copy_of_a_library(void** state) {
  (void)state;
  oy_library_block one = {{NULL, OY_LIBRARY_DEF, "twin", 0, "one.c", 1}, body, NULL, 0};
  oy_library_block two = {{NULL, OY_LIBRARY_DEF, "twin", 0, "two.c", 2}, body, NULL, 0};
  assert_ok(oy_library_block_load(&one));
  assert_error_part(oy_library_block_load(&two), OY_ALREADY_EXISTS,
                    "Previous registration of TORCH_LIBRARY was registered at one.c:1; "
                    "latest registration was registered at two.c:2");
  assert_contains(load_errors(), "two.c:2: Only a single TORCH_LIBRARY");
  oy_library_block_unload(&two);  // what never loaded
  assert_non_null(test_find(registry(), "twin::x"));
  oy_library_block_unload(&one);
  assert_ok(oy_library_block_load(&two));
  oy_library_block_unload(&two);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(REG_18_constructors_ran),
      TEST(REG_18_load_errors),
      TEST(REG_20_explicit_load),
      TEST(REG_16_block_fails_half_way),
      TEST(REG_21_selective_build),
      TEST(REG_18_unload_takes_back),
      TEST(REG_19_second_copy_of_a_library),
  };
  return cmocka_run_group_tests_name("registry_macros", tests, NULL, NULL);
}
