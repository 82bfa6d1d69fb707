// SPDX-License-Identifier: Apache-2.0
// Key sets: the rows of PyTorch's DispatchKeySet_test (reference, section 10.4)
// and SET-01 to SET-07. Numbers are those of section 1.3 and 1.5.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "opyard/key.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static oy_keyset of2(oy_key a, oy_key b) {
  return oy_keyset_add(oy_keyset_of(a), b);
}

static void assert_set_equal(oy_keyset a, oy_keyset b) {
  assert_int_equal(a.functionality, b.functionality);
  assert_int_equal(a.backends, b.backends);
}

static void assert_prints(oy_keyset set, const char* text) {
  char buffer[8192];
  assert_int_equal(oy_keyset_print(set, buffer, sizeof(buffer)), strlen(text));
  assert_string_equal(buffer, text);
}

static size_t iterate(oy_keyset set, oy_key* keys, size_t size) {
  uint32_t cursor = 0;
  size_t count = 0;
  oy_key key;
  while (oy_keyset_next(set, &cursor, &key)) {
    if (count < size) keys[count] = key;
    count++;
  }
  assert_false(oy_keyset_next(set, &cursor, &key));
  return count;
}

// The keys that a set can hold, once each.
static size_t settable_keys(oy_key* keys) {
  size_t count = 0;
  oy_key key;
  for (size_t i = 1; oy_key_at(i, &key); i++)
    if (!oy_key_is_alias(key)) keys[count++] = key;
  return count;
}

static void SET_01_construct(void** state) {
  (void)state;
  assert_set_equal(oy_keyset_of(OY_KEY_Undefined), oy_keyset_empty());
  assert_set_equal(oy_keyset_of(OY_KEY_Autograd), oy_keyset_empty());
  assert_set_equal(oy_keyset_of_backend(OY_BACKEND_NONE), oy_keyset_empty());
  assert_set_equal(oy_keyset_of_backend(64), oy_keyset_empty());
  static const struct {
    oy_key key;
    uint64_t raw;
  } rows[] = {
      {OY_KEY_CPU, 0x8001},  // Dense is bit 15, CPU bit 0
      {OY_KEY_CUDA, 0x8002},
      {OY_KEY_Meta, 0xc000},  // Meta is bit 14
      {OY_KEY_Dense, 0x8000},
      {OY_KEY_QuantizedCPU, 0x100001},
      {OY_KEY_SparseCUDA, 0x800002},
      {OY_KEY_SparseCsrCPU, 0x1000001},
      {OY_KEY_NestedTensorCPU, 0x2000001},
      {OY_KEY_AutogradCPU, 0x2000000001},
      {OY_KEY_AutogradPrivateUse3, 0x2000002000},
      {OY_KEY_PythonDispatcher, 0x1000000000000000},
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    assert_int_equal(oy_keyset_to_raw(oy_keyset_of(rows[i].key)), rows[i].raw);
    assert_set_equal(oy_keyset_from_raw(rows[i].raw), oy_keyset_of(rows[i].key));
  }
}

static void SET_01_raw_round_trip(void** state) {
  (void)state;
  uint64_t all = (1ull << 61) - 1;  // 15 backends and 46 functionalities
  assert_int_equal(oy_keyset_to_raw(oy_keyset_full()), all);
  assert_int_equal(oy_keyset_to_raw(oy_keyset_from_raw(~0ull)), all);
  uint64_t random = 88172645463325252ull;
  for (int i = 0; i < 1000; i++) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    assert_int_equal(oy_keyset_to_raw(oy_keyset_from_raw(random)), random & all);
  }
  oy_keyset ours = oy_keyset_make(1ull << OY_KEY_Trace | 1ull << OY_KEY_TraceRedispatch,
                                  1ull << 14 | 1ull << 62);
  assert_int_equal(oy_keyset_to_raw(ours), 0);
}

static void SET_01_full(void** state) {
  (void)state;
  oy_keyset full = oy_keyset_full();
  for (oy_key f = 1; f < OY_FUNCTIONALITY_COUNT; f++) assert_true(oy_keyset_has(full, f));
  assert_int_equal(full.functionality >> OY_FUNCTIONALITY_COUNT, 0);
  assert_false(oy_keyset_has(full, OY_KEY_Undefined));
  assert_int_equal(full.backends, oy_backend_all());
}

static void SET_01_full_after(void** state) {
  (void)state;
  for (oy_key k = 1; k <= OY_KEY_PythonDispatcher; k++) {
    oy_keyset after = oy_keyset_full_after(k);
    for (oy_key f = 1; f <= OY_KEY_PythonDispatcher; f++)
      assert_int_equal(oy_keyset_has(after, f), f < k || f == OY_KEY_PythonDispatcher);
    assert_int_equal(after.backends & oy_backend_all(), oy_backend_all());
    // A call under a trace stays traced below a layer.
    assert_true(oy_keyset_has(after, OY_KEY_TraceRedispatch));
    assert_false(oy_keyset_has(after, OY_KEY_Trace));
  }
  assert_set_equal(oy_keyset_full_after(OY_KEY_AutogradCUDA),
                   oy_keyset_full_after(OY_KEY_AutogradFunctionality));
  // Dense is lowest: PythonDispatcher and the backends are left.
  assert_int_equal(oy_keyset_to_raw(oy_keyset_full_after(OY_KEY_CPU)),
                   0x1000000000007fff);
}

static void SET_02_has_needs_both_bits(void** state) {
  (void)state;
  oy_keyset cpu = oy_keyset_of(OY_KEY_CPU);
  assert_true(oy_keyset_has(cpu, OY_KEY_CPU));
  assert_true(oy_keyset_has(cpu, OY_KEY_Dense));
  assert_true(oy_keyset_has_backend(cpu, OY_BACKEND_CPU));
  assert_false(oy_keyset_has(cpu, OY_KEY_CUDA));
  assert_false(oy_keyset_has_backend(cpu, OY_BACKEND_CUDA));
  assert_false(oy_keyset_has(oy_keyset_of(OY_KEY_Dense), OY_KEY_CPU));
  assert_false(oy_keyset_has(oy_keyset_of_backend(OY_BACKEND_CPU), OY_KEY_CPU));
  assert_true(oy_keyset_has_all(of2(OY_KEY_CPU, OY_KEY_AutogradCPU), cpu));
  assert_false(oy_keyset_has_all(cpu, of2(OY_KEY_CPU, OY_KEY_AutogradCPU)));
  assert_true(oy_keyset_has_all(cpu, oy_keyset_empty()));
  assert_true(oy_keyset_has_any(cpu, of2(OY_KEY_CPU, OY_KEY_Python)));
  assert_false(oy_keyset_has_any(cpu, oy_keyset_of(OY_KEY_Python)));
  assert_false(oy_keyset_has_any(cpu, oy_keyset_empty()));
}

static void SET_02_empty_has_nothing(void** state) {
  (void)state;
  oy_key keys[512];
  size_t count = settable_keys(keys);
  assert_true(oy_keyset_is_empty(oy_keyset_empty()));
  for (size_t i = 0; i < count; i++)
    assert_false(oy_keyset_has(oy_keyset_empty(), keys[i]));
}

static void SET_03_backend_bits(void** state) {
  (void)state;
  for (uint64_t rest = oy_backend_all(); rest; rest &= rest - 1) {
    oy_backend b = __builtin_ctzll(rest);
    oy_keyset set = oy_keyset_of_backend(b);
    assert_set_equal(oy_keyset_or(set, set), set);
    assert_set_equal(oy_keyset_or(oy_keyset_empty(), set), set);
    assert_true(oy_keyset_has_backend(set, b));
    assert_set_equal(oy_keyset_minus(set, set), set);
    assert_set_equal(oy_keyset_remove_backend(set, b), oy_keyset_empty());
    assert_int_equal(oy_keyset_highest_backend(set), b);
    assert_int_equal(oy_keyset_highest(set), OY_KEY_Undefined);
  }
}

static void SET_03_single_keys(void** state) {
  (void)state;
  oy_key keys[512];
  size_t count = settable_keys(keys);
  for (size_t i = 0; i < count; i++) {
    oy_keyset set = oy_keyset_of(keys[i]);
    assert_set_equal(oy_keyset_add(oy_keyset_empty(), keys[i]), set);
    assert_set_equal(oy_keyset_add(set, keys[i]), set);
    assert_set_equal(oy_keyset_xor(set, set), oy_keyset_empty());
    assert_set_equal(oy_keyset_and(set, oy_keyset_full()), set);
    assert_true(oy_keyset_has(set, keys[i]));
    // The backend bit of a runtime key stays.
    oy_backend b = oy_key_backend(keys[i]);
    assert_set_equal(oy_keyset_remove(set, keys[i]), oy_keyset_of_backend(b));
    assert_int_equal(oy_keyset_highest(set), keys[i]);
  }
}

static void SET_03_minus_keeps_backends(void** state) {
  (void)state;
  oy_keyset set = of2(OY_KEY_CPU, OY_KEY_AutogradCUDA);
  assert_set_equal(oy_keyset_remove(set, OY_KEY_AutogradCUDA),
                   of2(OY_KEY_CPU, OY_KEY_CUDA));
  assert_set_equal(oy_keyset_minus(set, oy_keyset_full()),
                   oy_keyset_make(0, 1ull << OY_BACKEND_CPU | 1ull << OY_BACKEND_CUDA));
  assert_set_equal(oy_keyset_remove(set, OY_KEY_Undefined), set);
  assert_set_equal(oy_keyset_remove(set, OY_KEY_Autograd), set);
}

static void SET_04_cross_product(void** state) {
  (void)state;
  oy_keyset a = of2(OY_KEY_AutogradCUDA, OY_KEY_CPU);
  assert_set_equal(a, of2(OY_KEY_AutogradCPU, OY_KEY_CUDA));
  assert_set_equal(a, oy_keyset_or(of2(OY_KEY_CPU, OY_KEY_CUDA),
                                   of2(OY_KEY_AutogradCPU, OY_KEY_AutogradCUDA)));
  assert_set_equal(
      a, oy_keyset_make(1ull << OY_KEY_Dense | 1ull << OY_KEY_AutogradFunctionality,
                        1ull << OY_BACKEND_CPU | 1ull << OY_BACKEND_CUDA));
  assert_true(oy_keyset_has(a, OY_KEY_CUDA));
  assert_true(oy_keyset_has(a, OY_KEY_AutogradCPU));
}

static void SET_04_doubletons(void** state) {
  (void)state;
  oy_key keys[512];
  oy_key seen[8];
  size_t count = settable_keys(keys);
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < count; j++) {
      oy_key a = keys[i], b = keys[j];
      if (a >= b || oy_key_backend(a) < 0 || oy_key_backend(b) < 0) continue;
      bool shared = oy_key_backend(a) == oy_key_backend(b) ||
                    oy_key_functionality(a) == oy_key_functionality(b);
      assert_int_equal(iterate(of2(a, b), seen, 8), shared ? 2 : 4);
    }
}

static void SET_05_highest(void** state) {
  (void)state;
  assert_int_equal(oy_keyset_highest(oy_keyset_empty()), OY_KEY_Undefined);
  assert_int_equal(oy_keyset_highest_functionality(oy_keyset_empty()), OY_KEY_Undefined);
  assert_int_equal(oy_keyset_highest_backend(oy_keyset_empty()), OY_BACKEND_NONE);
  oy_keyset set = of2(OY_KEY_AutogradCPU, OY_KEY_CUDA);
  assert_int_equal(oy_keyset_highest(set), OY_KEY_AutogradCUDA);
  assert_int_equal(oy_keyset_highest(oy_keyset_add(set, OY_KEY_AutocastCPU)),
                   OY_KEY_AutocastCPU);
  assert_int_equal(oy_keyset_highest(oy_keyset_add(set, OY_KEY_ADInplaceOrView)),
                   OY_KEY_AutogradCUDA);
  // Without a backend bit: the bare functionality, PyTorch's placeholder.
  assert_int_equal(oy_keyset_highest(oy_keyset_of(OY_KEY_AutogradFunctionality)),
                   OY_KEY_AutogradFunctionality);
  assert_int_equal(oy_keyset_highest_functionality(oy_keyset_from_raw(~0ull)),
                   OY_KEY_PythonDispatcher);
}

static void SET_05_highest_backend_key(void** state) {
  (void)state;
  static const struct {
    oy_key a, b, expected;
  } rows[] = {
      {OY_KEY_AutogradCPU, OY_KEY_CPU, OY_KEY_CPU},
      {OY_KEY_Functionalize, OY_KEY_SparseCUDA, OY_KEY_SparseCUDA},
      {OY_KEY_Functionalize, OY_KEY_SparseCsrCUDA, OY_KEY_SparseCsrCUDA},
      {OY_KEY_CUDA, OY_KEY_QuantizedCUDA, OY_KEY_QuantizedCUDA},
      {OY_KEY_Python, OY_KEY_Functionalize, OY_KEY_Undefined},
      {OY_KEY_NestedTensorCPU, OY_KEY_CPU, OY_KEY_CPU},
      {OY_KEY_FPGA, OY_KEY_AutogradOther, OY_KEY_Undefined},
  };
  for (size_t i = 0; i < COUNT(rows); i++)
    assert_int_equal(oy_keyset_highest_backend_key(of2(rows[i].a, rows[i].b)),
                     rows[i].expected);
}

static void SET_06_nothing_to_iterate(void** state) {
  (void)state;
  assert_int_equal(iterate(oy_keyset_empty(), NULL, 0), 0);
  assert_int_equal(iterate(oy_keyset_make(0, ~0ull), NULL, 0), 0);
  assert_int_equal(iterate(oy_keyset_of(OY_KEY_Dense), NULL, 0), 0);
  assert_int_equal(
      iterate(
          oy_keyset_make(1ull << OY_KEY_Trace | 1ull << OY_KEY_TraceRedispatch, ~0ull),
          NULL, 0),
      0);
  assert_int_equal(iterate(oy_keyset_make(1, 0), NULL, 0), 0);
  // A cursor past the end, or of no set at all, ends.
  uint32_t cursor = UINT32_MAX;
  oy_key key;
  assert_false(oy_keyset_next(oy_keyset_full(), &cursor, &key));
}

static void SET_06_cross_product_in_order(void** state) {
  (void)state;
  oy_keyset set = oy_keyset_make(
      1ull << OY_KEY_Dense | 1ull << OY_KEY_FPGA | 1ull << OY_KEY_AutogradFunctionality,
      1ull << OY_BACKEND_CPU | 1ull << OY_BACKEND_CUDA);
  static const oy_key expected[] = {OY_KEY_CPU, OY_KEY_CUDA, OY_KEY_FPGA,
                                    OY_KEY_AutogradCPU, OY_KEY_AutogradCUDA};
  oy_key keys[8];
  assert_int_equal(iterate(set, keys, 8), COUNT(expected));
  assert_memory_equal(keys, expected, sizeof(expected));
}

static void SET_06_bare_functionality_between_others(void** state) {
  (void)state;
  oy_keyset set = oy_keyset_make(
      1ull << OY_KEY_FPGA | 1ull << OY_KEY_Sparse | 1ull << OY_KEY_Functionalize, 0);
  static const oy_key expected[] = {OY_KEY_FPGA, OY_KEY_Functionalize};
  oy_key keys[8];
  assert_int_equal(iterate(set, keys, 8), COUNT(expected));
  assert_memory_equal(keys, expected, sizeof(expected));
}

static void SET_06_full(void** state) {
  (void)state;
  assert_int_equal(iterate(oy_keyset_full(), NULL, 0), 131 - 1);
  // Bits of backends that do not exist yield nothing.
  assert_int_equal(iterate(oy_keyset_make(~0ull, ~0ull), NULL, 0), 131 - 1);
}

static void SET_07_print(void** state) {
  (void)state;
  assert_prints(oy_keyset_empty(), "DispatchKeySet()");
  assert_prints(of2(OY_KEY_AutogradCPU, OY_KEY_CPU), "DispatchKeySet(CPU, AutogradCPU)");
  oy_keyset cpu = of2(OY_KEY_CPU, OY_KEY_ADInplaceOrView);
  cpu = oy_keyset_or(cpu, of2(OY_KEY_AutogradCPU, OY_KEY_AutocastCPU));
  assert_prints(cpu, "DispatchKeySet(CPU, ADInplaceOrView, AutogradCPU, AutocastCPU)");
  oy_keyset meta =
      oy_keyset_add(of2(OY_KEY_Meta, OY_KEY_ADInplaceOrView), OY_KEY_AutogradMeta);
  assert_prints(meta, "DispatchKeySet(Meta, ADInplaceOrView, AutogradMeta)");
  assert_prints(oy_keyset_of_backend(OY_BACKEND_CPU), "DispatchKeySet()");
  oy_keyset traced =
      oy_keyset_or(of2(OY_KEY_Trace, OY_KEY_TraceRedispatch), oy_keyset_of(OY_KEY_CUDA));
  assert_prints(traced, "DispatchKeySet(CUDA)");
}

static void SET_07_bare_functionality_prints(void** state) {
  (void)state;
  assert_prints(oy_keyset_named(OY_KEYSET_AUTOGRAD),
                "DispatchKeySet(AutogradOther, AutogradFunctionality, "
                "AutogradNestedTensor)");
  assert_prints(oy_keyset_of(OY_KEY_Dense), "DispatchKeySet(Dense)");
}

static void SET_07_print_is_cut_off(void** state) {
  (void)state;
  static const char text[] = "DispatchKeySet(CPU)";
  char buffer[64];
  for (size_t size = 0; size < sizeof(buffer); size++) {
    memset(buffer, '#', sizeof(buffer));
    assert_int_equal(oy_keyset_print(oy_keyset_of(OY_KEY_CPU), buffer, size),
                     sizeof(text) - 1);
    size_t kept = size == 0                     ? 0
                  : size - 1 < sizeof(text) - 1 ? size - 1
                                                : sizeof(text) - 1;
    assert_memory_equal(buffer, text, kept);
    if (size) assert_int_equal(buffer[kept], '\0');
    for (size_t i = size; i < sizeof(buffer); i++) assert_int_equal(buffer[i], '#');
  }
  assert_int_equal(oy_keyset_print(oy_keyset_empty(), NULL, 0), 16);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(SET_01_construct),
      cmocka_unit_test(SET_01_raw_round_trip),
      cmocka_unit_test(SET_01_full),
      cmocka_unit_test(SET_01_full_after),
      cmocka_unit_test(SET_02_has_needs_both_bits),
      cmocka_unit_test(SET_02_empty_has_nothing),
      cmocka_unit_test(SET_03_backend_bits),
      cmocka_unit_test(SET_03_single_keys),
      cmocka_unit_test(SET_03_minus_keeps_backends),
      cmocka_unit_test(SET_04_cross_product),
      cmocka_unit_test(SET_04_doubletons),
      cmocka_unit_test(SET_05_highest),
      cmocka_unit_test(SET_05_highest_backend_key),
      cmocka_unit_test(SET_06_nothing_to_iterate),
      cmocka_unit_test(SET_06_cross_product_in_order),
      cmocka_unit_test(SET_06_bare_functionality_between_others),
      cmocka_unit_test(SET_06_full),
      cmocka_unit_test(SET_07_print),
      cmocka_unit_test(SET_07_bare_functionality_prints),
      cmocka_unit_test(SET_07_print_is_cut_off),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
