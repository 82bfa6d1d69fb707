// SPDX-License-Identifier: Apache-2.0
// Keys one by one: numbers, order, names. Expected values are PyTorch 2.6's
// (reference, sections 1.2 and 1.3), not what the library prints.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "opyard/key.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { PYTORCH_BACKENDS = 15, PYTORCH_SLOTS = 131 };

static const char* const g_backends[PYTORCH_BACKENDS] = {
    "CPU", "CUDA", "HIP",  "XLA",         "MPS",         "IPU",         "XPU", "HPU",
    "VE",  "Lazy", "MTIA", "PrivateUse1", "PrivateUse2", "PrivateUse3", "Meta"};

// Section 1.3, all of it. |prefix| marks a per-backend functionality, whose
// slots run from |slot| to |slot| + 14.
static const struct row {
  int number;
  int raw_bit;
  int slot;
  const char* name;
  const char* prefix;
} g_rows[] = {
    {1, 15, 1, "Dense", ""},
    {2, 16, 16, "FPGA", NULL},
    {3, 17, 17, "MAIA", NULL},
    {4, 18, 18, "Vulkan", NULL},
    {5, 19, 19, "Metal", NULL},
    {6, 20, 20, "Quantized", "Quantized"},
    {7, 21, 35, "CustomRNGKeyId", NULL},
    {8, 22, 36, "MkldnnCPU", NULL},
    {9, 23, 37, "Sparse", "Sparse"},
    {10, 24, 52, "SparseCsr", "SparseCsr"},
    {11, 25, 67, "NestedTensor", "NestedTensor"},
    {12, 26, 82, "BackendSelect", NULL},
    {13, 27, 83, "Python", NULL},
    {14, 28, 84, "Fake", NULL},
    {15, 29, 85, "FuncTorchDynamicLayerBackMode", NULL},
    {16, 30, 86, "Functionalize", NULL},
    {17, 31, 87, "Named", NULL},
    {18, 32, 88, "Conjugate", NULL},
    {19, 33, 89, "Negative", NULL},
    {20, 34, 90, "ZeroTensor", NULL},
    {21, 35, 91, "ADInplaceOrView", NULL},
    {22, 36, 92, "AutogradOther", NULL},
    {23, 37, 93, "AutogradFunctionality", "Autograd"},
    {24, 38, 108, "AutogradNestedTensor", NULL},
    {25, 39, 109, "Tracer", NULL},
    {26, 40, 110, "AutocastCPU", NULL},
    {27, 41, 111, "AutocastXPU", NULL},
    {28, 42, 112, "AutocastIPU", NULL},
    {29, 43, 113, "AutocastHPU", NULL},
    {30, 44, 114, "AutocastXLA", NULL},
    {31, 45, 115, "AutocastMPS", NULL},
    {32, 46, 116, "AutocastCUDA", NULL},
    {33, 47, 117, "AutocastPrivateUse1", NULL},
    {34, 48, 118, "FuncTorchBatched", NULL},
    {35, 49, 119, "BatchedNestedTensor", NULL},
    {36, 50, 120, "FuncTorchVmapMode", NULL},
    {37, 51, 121, "Batched", NULL},
    {38, 52, 122, "VmapMode", NULL},
    {39, 53, 123, "FuncTorchGradWrapper", NULL},
    {40, 54, 124, "DeferredInit", NULL},
    {41, 55, 125, "PythonTLSSnapshot", NULL},
    {42, 56, 126, "FuncTorchDynamicLayerFrontMode", NULL},
    {43, 57, 127, "TESTING_ONLY_GenericWrapper", NULL},
    {44, 58, 128, "TESTING_ONLY_GenericMode", NULL},
    {45, 59, 129, "PreDispatch", NULL},
    {46, 60, 130, "PythonDispatcher", NULL},
};

static const char* const g_aliases[] = {
    "Autograd",
    "CompositeImplicitAutograd",
    "FuncTorchBatchedDecomposition",
    "CompositeImplicitAutogradNestedTensor",
    "CompositeExplicitAutograd",
    "CompositeExplicitAutogradNonFunctional",
};

static oy_key parse(const char* text) {
  oy_key key;
  assert_int_equal(oy_key_parse(oy_str_of(text), &key), OY_OK);
  return key;
}

static void KEY_01_functionality_numbers_and_names(void** state) {
  (void)state;
  assert_int_equal(COUNT(g_rows), 46);
  for (size_t i = 0; i < COUNT(g_rows); i++) {
    assert_int_equal(parse(g_rows[i].name), g_rows[i].number);
    assert_string_equal(oy_key_name((oy_key)g_rows[i].number), g_rows[i].name);
  }
  assert_string_equal(oy_key_name(0), "Undefined");
  assert_string_equal(oy_key_name(OY_KEY_Trace), "Trace");
}

static void KEY_01_every_key_has_its_own_name(void** state) {
  (void)state;
  const char* names[512];
  size_t count = 0;
  oy_key key;
  for (size_t i = 0; oy_key_at(i, &key); i++) {
    names[count] = oy_key_name(key);
    assert_null(strstr(names[count], "Unknown"));
    for (size_t j = 0; j < count; j++) assert_string_not_equal(names[j], names[count]);
    count++;
  }
  // PyTorch's 150 enum values less its seven placeholders.
  assert_int_equal(count, 143);
}

// Where PyTorch's enum value comes in the order of all keys: its placeholders,
// 47 and one before each range of backends, have no place.
static size_t place_of(int value) {
  if (value <= 46) return (size_t)value;
  if (value >= 144) return (size_t)(value - 144 + 47 + 6 * PYTORCH_BACKENDS);
  int range = (value - 48) / 16;
  int backend = (value - 48) % 16 - 1;
  return (size_t)(47 + range * PYTORCH_BACKENDS + backend);
}

static void KEY_01_enum_order(void** state) {
  (void)state;
  static const struct {
    int value;
    const char* name;
  } rows[] = {
      {0, "Undefined"},
      {1, "Dense"},
      {46, "PythonDispatcher"},
      {49, "CPU"},
      {50, "CUDA"},
      {63, "Meta"},
      {65, "QuantizedCPU"},
      {79, "QuantizedMeta"},
      {81, "SparseCPU"},
      {97, "SparseCsrCPU"},
      {113, "NestedTensorCPU"},
      {129, "AutogradCPU"},
      {130, "AutogradCUDA"},
      {143, "AutogradMeta"},
      {144, "Autograd"},
      {145, "CompositeImplicitAutograd"},
      {146, "FuncTorchBatchedDecomposition"},
      {147, "CompositeImplicitAutogradNestedTensor"},
      {148, "CompositeExplicitAutograd"},
      {149, "CompositeExplicitAutogradNonFunctional"},
  };
  oy_key key;
  for (size_t i = 0; i < COUNT(rows); i++) {
    assert_true(oy_key_at(place_of(rows[i].value), &key));
    assert_string_equal(oy_key_name(key), rows[i].name);
  }
  assert_false(oy_key_at(place_of(150), &key));
  assert_false(oy_key_at(SIZE_MAX, &key));
}

static void KEY_02_backend_order(void** state) {
  (void)state;
  oy_backend before = OY_BACKEND_NONE;
  for (size_t i = 0; i < PYTORCH_BACKENDS; i++) {
    oy_backend backend;
    assert_true(oy_backend_find(oy_str_of(g_backends[i]), &backend));
    assert_true(backend > before);
    assert_int_equal(oy_keyset_to_raw(oy_keyset_of_backend(backend)), 1ull << i);
    before = backend;
  }
  assert_int_equal(__builtin_popcountll(oy_backend_all()), PYTORCH_BACKENDS);
}

static void KEY_02_later_backend_wins(void** state) {
  (void)state;
  for (size_t i = 0; i < PYTORCH_BACKENDS; i++)
    for (size_t j = 0; j < PYTORCH_BACKENDS; j++) {
      oy_keyset set =
          oy_keyset_add(oy_keyset_of(parse(g_backends[i])), parse(g_backends[j]));
      assert_int_equal(oy_keyset_highest(set), parse(g_backends[i > j ? i : j]));
    }
}

static void KEY_03_runtime_keys_of_each_backend(void** state) {
  (void)state;
  for (size_t i = 0; i < COUNT(g_rows); i++)
    for (size_t b = 0; g_rows[i].prefix && b < PYTORCH_BACKENDS; b++) {
      char name[64];
      snprintf(name, sizeof(name), "%s%s", g_rows[i].prefix, g_backends[b]);
      oy_key key = parse(name);
      assert_int_equal(oy_key_functionality(key), g_rows[i].number);
      assert_string_equal(oy_backend_name(oy_key_backend(key)), g_backends[b]);
      assert_string_equal(oy_key_name(key), name);
      assert_true(oy_key_is_runtime(key));
    }
}

static void KEY_03_runtime_keys_are_those_with_a_slot(void** state) {
  (void)state;
  int slots = 0;
  oy_key key;
  for (size_t i = 0; oy_key_at(i, &key); i++) slots += oy_key_is_runtime(key);
  assert_int_equal(slots, PYTORCH_SLOTS);
  assert_true(oy_key_is_runtime(OY_KEY_Undefined));
  for (size_t i = 0; i < COUNT(g_rows); i++)
    assert_int_equal(oy_key_is_runtime((oy_key)g_rows[i].number), !g_rows[i].prefix);
  for (size_t i = 0; i < COUNT(g_aliases); i++)
    assert_false(oy_key_is_runtime(parse(g_aliases[i])));
}

static void KEY_04_greater_functionality_wins(void** state) {
  (void)state;
  for (size_t i = 0; i < COUNT(g_rows); i++)
    for (size_t j = 0; j < i; j++) {
      oy_keyset set =
          oy_keyset_make(1ull << g_rows[i].number | 1ull << g_rows[j].number, 0);
      assert_int_equal(oy_keyset_highest_functionality(set), g_rows[i].number);
    }
}

static void KEY_05_alias_keys_have_no_bit(void** state) {
  (void)state;
  for (size_t i = 0; i < COUNT(g_aliases); i++) {
    oy_key key = parse(g_aliases[i]);
    assert_true(oy_key_is_alias(key));
    assert_true(oy_keyset_is_empty(oy_keyset_of(key)));
    assert_int_equal(oy_key_functionality(key), OY_KEY_Undefined);
    assert_int_equal(oy_key_backend(key), OY_BACKEND_NONE);
    assert_string_equal(oy_key_name(key), g_aliases[i]);
  }
}

// Slots in ascending order are the keys of a full set in ascending order, after
// Undefined in slot 0.
static void KEY_07_slot_order(void** state) {
  (void)state;
  uint32_t cursor = 0;
  oy_key key;
  int slot = 0;
  int first_slot[64] = {0};
  while (oy_keyset_next(oy_keyset_full(), &cursor, &key)) {
    slot++;
    int f = oy_key_functionality(key);
    if (!first_slot[f]) first_slot[f] = slot;
  }
  assert_int_equal(slot, PYTORCH_SLOTS - 1);
  for (size_t i = 0; i < COUNT(g_rows); i++)
    assert_int_equal(first_slot[g_rows[i].number], g_rows[i].slot);
}

static void KEY_08_names_round_trip(void** state) {
  (void)state;
  oy_key key;
  for (size_t i = 0; oy_key_at(i, &key); i++)
    assert_int_equal(parse(oy_key_name(key)), key);
}

static void KEY_08_names_that_pytorch_cannot_parse(void** state) {
  (void)state;
  static const char* const names[] = {"AutogradHIP", "AutogradVE", "AutogradMTIA",
                                      "SparseMPS", "QuantizedMeta"};
  for (size_t i = 0; i < COUNT(names); i++)
    assert_string_equal(oy_key_name(parse(names[i])), names[i]);
}

static void KEY_08_synonyms(void** state) {
  (void)state;
  static const struct {
    const char* synonym;
    const char* name;
  } rows[] = {
      {"CPUTensorId", "CPU"},
      {"CUDATensorId", "CUDA"},
      {"CatchAll", "CompositeImplicitAutograd"},
      {"Math", "CompositeImplicitAutograd"},
      {"DefaultBackend", "CompositeExplicitAutograd"},
      {"Autocast", "AutocastCUDA"},
      {"PrivateUse1_PreAutograd", "AutogradPrivateUse1"},
      {"PrivateUse2_PreAutograd", "AutogradPrivateUse2"},
      {"PrivateUse3_PreAutograd", "AutogradPrivateUse3"},
  };
  for (size_t i = 0; i < COUNT(rows); i++)
    assert_string_equal(oy_key_name(parse(rows[i].synonym)), rows[i].name);
}

static void KEY_08_unknown_names(void** state) {
  (void)state;
  static const struct {
    const char* text;
    const char* message;
  } rows[] = {
      {"x", "could not parse dispatch key: x"},
      {"", "could not parse dispatch key: "},
      {"NoSuchThing", "could not parse dispatch key: NoSuchThing"},
      {"cuda", "could not parse dispatch key: cuda (did you mean CUDA?)"},
      {"Autogradcpu",
       "could not parse dispatch key: Autogradcpu (did you mean AutogradCPU?)"},
      {"CompositeImplicit", "could not parse dispatch key: CompositeImplicit"},
      {"AutogradCUDAA",
       "could not parse dispatch key: AutogradCUDAA (did you mean AutogradCUDA?)"},
      {"Functionalise",
       "could not parse dispatch key: Functionalise (did you mean Functionalize?)"},
      {"Unknown", NULL},
      {"ORT", NULL},
      {"CPUBit", NULL},
      {"EndOfFunctionalityKeys", NULL},
      {"StartOfDenseBackends", NULL},
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    oy_key key = OY_KEY_CPU;
    assert_int_equal(oy_key_parse(oy_str_of(rows[i].text), &key), OY_PARSE);
    assert_int_equal(key, OY_KEY_Undefined);
    const char* message = oy_error_get()->message;
    const char* head = "could not parse dispatch key: ";
    assert_memory_equal(message, head, strlen(head));
    assert_memory_equal(message + strlen(head), rows[i].text, strlen(rows[i].text));
    // A hint may come after a text that is near to nothing in particular.
    if (rows[i].message)
      assert_memory_equal(message, rows[i].message, strlen(rows[i].message));
  }
}

static void KEY_08_views_and_hostile_texts(void** state) {
  (void)state;
  oy_key key;
  oy_str part = {"AutogradCUDA and more", 12};
  assert_int_equal(oy_key_parse(part, &key), OY_OK);
  assert_int_equal(key, OY_KEY_AutogradCUDA);
  oy_str with_nul = {"CPU\0x", 5};
  assert_int_equal(oy_key_parse(with_nul, &key), OY_PARSE);
  oy_str none = {NULL, 0};
  assert_int_equal(oy_key_parse(none, &key), OY_PARSE);
  static char large[1 << 16];
  memset(large, 'A', sizeof(large));
  oy_str long_text = {large, sizeof(large)};
  assert_int_equal(oy_key_parse(long_text, &key), OY_PARSE);
  assert_true(strlen(oy_error_get()->message) < 1024);
}

static void KEY_08_numbers_that_are_no_key(void** state) {
  (void)state;
  static const oy_key keys[] = {
      49,  // past the last functionality
      255,
      OY_KEY_OF(OY_KEY_Dense, 14),               // no such backend yet
      OY_KEY_OF(OY_KEY_Python, OY_BACKEND_CPU),  // not per-backend
      OY_KEY_OF(0, OY_BACKEND_CPU),
      0x7f01,
      OY_KEY_ALIAS_BIT | 6,
      0xffff,
  };
  for (size_t i = 0; i < COUNT(keys); i++) {
    assert_string_equal(oy_key_name(keys[i]), "Unknown");
    assert_false(oy_key_is_runtime(keys[i]));
  }
}

static void SET_01_raw_bits_of_the_table(void** state) {
  (void)state;
  for (size_t i = 0; i < COUNT(g_rows); i++) {
    oy_keyset set = oy_keyset_of((oy_key)g_rows[i].number);
    assert_int_equal(oy_keyset_to_raw(set), 1ull << g_rows[i].raw_bit);
    assert_true(oy_keyset_equal(oy_keyset_from_raw(1ull << g_rows[i].raw_bit), set));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(KEY_01_functionality_numbers_and_names),
      cmocka_unit_test(KEY_01_every_key_has_its_own_name),
      cmocka_unit_test(KEY_01_enum_order),
      cmocka_unit_test(KEY_02_backend_order),
      cmocka_unit_test(KEY_02_later_backend_wins),
      cmocka_unit_test(KEY_03_runtime_keys_of_each_backend),
      cmocka_unit_test(KEY_03_runtime_keys_are_those_with_a_slot),
      cmocka_unit_test(KEY_04_greater_functionality_wins),
      cmocka_unit_test(KEY_05_alias_keys_have_no_bit),
      cmocka_unit_test(KEY_07_slot_order),
      cmocka_unit_test(KEY_08_names_round_trip),
      cmocka_unit_test(KEY_08_names_that_pytorch_cannot_parse),
      cmocka_unit_test(KEY_08_synonyms),
      cmocka_unit_test(KEY_08_unknown_names),
      cmocka_unit_test(KEY_08_views_and_hostile_texts),
      cmocka_unit_test(KEY_08_numbers_that_are_no_key),
      cmocka_unit_test(SET_01_raw_bits_of_the_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
