// SPDX-License-Identifier: Apache-2.0
// Named sets, alias keys, and the keys of backends and devices, against sections
// 1.6 to 1.8 of the PyTorch reference. Sets are written out by name here, so
// that no mask of the library's is compared with itself.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "opyard/key.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static oy_key parse(const char* text) {
  oy_key key;
  assert_int_equal(oy_key_parse(oy_str_of(text), &key), OY_OK);
  return key;
}

// Reads "Dense Quantized FPGA".
static uint64_t functionalities(const char* text) {
  uint64_t bits = 0;
  while (*text) {
    size_t n = strcspn(text, " ");
    oy_key key;
    oy_str name = {text, n};
    assert_int_equal(oy_key_parse(name, &key), OY_OK);
    bits |= 1ull << oy_key_functionality(key);
    text += n + strspn(text + n, " ");
  }
  return bits;
}

static void assert_set_equal(oy_keyset a, oy_keyset b) {
  assert_int_equal(a.functionality, b.functionality);
  assert_int_equal(a.backends, b.backends);
}

#define AUTOGRAD "AutogradFunctionality AutogradOther AutogradNestedTensor"
#define AUTOCAST                                                             \
  "AutocastCPU AutocastXPU AutocastIPU AutocastHPU AutocastXLA AutocastMPS " \
  "AutocastCUDA AutocastPrivateUse1"
#define OTHER_BACKENDS \
  "FPGA MAIA Vulkan Metal CustomRNGKeyId MkldnnCPU Sparse SparseCsr Quantized"

static void KEY_06_named_sets(void** state) {
  (void)state;
  static const struct {
    oy_keyset_name name;
    bool all_backends;
    const char* text;
  } rows[] = {
      {OY_KEYSET_AUTOGRAD, false, AUTOGRAD},
      {OY_KEYSET_AUTOGRAD_WITH_ADINPLACEORVIEW, false, AUTOGRAD " ADInplaceOrView"},
      {OY_KEYSET_AUTOCAST, false, AUTOCAST},
      {OY_KEYSET_DEFAULT_INCLUDED, false, "BackendSelect ADInplaceOrView"},
      {OY_KEYSET_DEFAULT_EXCLUDED, false, AUTOCAST},
      {OY_KEYSET_PYTHON, false, "Python PythonTLSSnapshot"},
      {OY_KEYSET_AUTOGRADOTHER_BACKENDS, true, OTHER_BACKENDS},
      {OY_KEYSET_BACKENDS, true, OTHER_BACKENDS " Dense"},
      {OY_KEYSET_MATH, true,
       OTHER_BACKENDS " Dense " AUTOGRAD " NestedTensor Functionalize"},
      {OY_KEYSET_NESTED, true, "AutogradNestedTensor NestedTensor"},
      {OY_KEYSET_FUNCTORCH_TRANSFORMS, false,
       "FuncTorchBatched FuncTorchVmapMode Batched VmapMode FuncTorchGradWrapper"},
      {OY_KEYSET_FUNCTORCH_BATCHED, false, "FuncTorchBatched"},
      {OY_KEYSET_BACKEND_FUNCTIONALITIES, true, "Dense Quantized Sparse SparseCsr"},
  };
  for (size_t i = 0; i < COUNT(rows); i++)
    assert_set_equal(oy_keyset_named(rows[i].name),
                     oy_keyset_make(functionalities(rows[i].text),
                                    rows[i].all_backends ? oy_backend_all() : 0));
  assert_true(oy_keyset_is_empty(oy_keyset_named((oy_keyset_name)99)));
}

static void KEY_06_sets_below_a_layer(void** state) {
  (void)state;
  static const struct {
    oy_keyset_name name;
    uint64_t raw;  // functionalities below, PythonDispatcher, 15 backends
  } rows[] = {
      {OY_KEYSET_AFTER_AUTOGRAD, 0x1000000000000000 | ((1ull << 36) - 1)},
      {OY_KEYSET_AFTER_ADINPLACEORVIEW, 0x1000000000000000 | ((1ull << 35) - 1)},
      {OY_KEYSET_AFTER_FUNCTIONALIZE, 0x1000000000000000 | ((1ull << 30) - 1)},
  };
  for (size_t i = 0; i < COUNT(rows); i++)
    assert_int_equal(oy_keyset_to_raw(oy_keyset_named(rows[i].name)), rows[i].raw);
  assert_false(oy_keyset_has(oy_keyset_named(OY_KEYSET_AFTER_FUNCTIONALIZE),
                             OY_KEY_ADInplaceOrView));
}

static void KEY_06_non_functional_backends(void** state) {
  (void)state;
  oy_keyset set = oy_keyset_named(OY_KEYSET_NON_FUNCTIONAL_BACKENDS);
  static const struct {
    const char* key;
    bool in;
  } rows[] = {
      {"CPU", true},
      {"CUDA", true},
      {"Meta", true},
      {"SparseCsrCPU", true},
      {"SparseCsrCUDA", true},
      {"QuantizedCPU", true},
      {"MkldnnCPU", true},
      {"FPGA", true},
      {"PrivateUse1", true},
      {"XLA", false},
      {"Lazy", false},
      {"SparseCPU", false},
      {"SparseMeta", false},
      {"QuantizedXLA", false},
      {"SparseCsrLazy", false},
      {"NestedTensorCPU", false},
      {"AutogradCPU", false},
      {"Functionalize", false},
  };
  for (size_t i = 0; i < COUNT(rows); i++)
    assert_int_equal(oy_keyset_has(set, parse(rows[i].key)), rows[i].in);
}

// Every runtime key of PyTorch's that each alias expands to, by functionality.
static void KEY_06_expansions(void** state) {
  (void)state;
  static const struct {
    const char* alias;
    const char* text;
    size_t runtime_keys;
  } rows[] = {
      {"Autograd", AUTOGRAD, 15 + 2},
      {"CompositeImplicitAutograd",
       OTHER_BACKENDS " Dense " AUTOGRAD " NestedTensor Functionalize",
       6 * 15 + 6 + 2 + 1},
      {"CompositeImplicitAutogradNestedTensor", "AutogradNestedTensor NestedTensor",
       15 + 1},
      {"CompositeExplicitAutograd", OTHER_BACKENDS " Dense", 4 * 15 + 6},
      {"FuncTorchBatchedDecomposition", "FuncTorchBatched", 1},
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    oy_key alias = parse(rows[i].alias);
    uint64_t bits = functionalities(rows[i].text);
    size_t count = 0;
    oy_key key;
    for (size_t k = 0; oy_key_at(k, &key); k++) {
      if (!oy_key_is_runtime(key)) continue;
      bool in = key != OY_KEY_Undefined && (bits >> oy_key_functionality(key) & 1);
      assert_int_equal(oy_key_in_alias(key, alias), in);
      count += in;
    }
    assert_int_equal(count, rows[i].runtime_keys);
  }
}

static void KEY_06_membership_is_expansion(void** state) {
  (void)state;
  oy_key alias;
  oy_key key;
  for (size_t a = 0; oy_key_at(a, &alias); a++) {
    if (!oy_key_is_alias(alias)) continue;
    oy_key members[512];
    size_t count = 0;
    for (size_t k = 0; oy_key_at(k, &key); k++)
      if (oy_key_is_runtime(key) && oy_key_in_alias(key, alias)) members[count++] = key;
    uint32_t cursor = 0;
    size_t i = 0;
    while (oy_keyset_next(oy_key_expand(alias), &cursor, &key)) {
      bool found = false;
      for (size_t m = 0; m < count; m++) found |= members[m] == key;
      assert_true(found);
      i++;
    }
    assert_int_equal(i, count);
  }
}

static void KEY_06_non_functional_alias(void** state) {
  (void)state;
  oy_key alias = OY_KEY_CompositeExplicitAutogradNonFunctional;
  assert_true(oy_key_in_alias(OY_KEY_SparseCsrCPU, alias));
  assert_true(oy_key_in_alias(OY_KEY_CPU, alias));
  assert_false(oy_key_in_alias(OY_KEY_SparseCPU, alias));
  assert_false(oy_key_in_alias(OY_KEY_XLA, alias));
  assert_false(oy_key_in_alias(OY_KEY_Lazy, alias));
  assert_false(oy_key_in_alias(OY_KEY_NestedTensorCPU, alias));
}

static void KEY_06_membership_of_odd_keys(void** state) {
  (void)state;
  oy_key alias;
  for (size_t i = 0; oy_key_at(i, &alias); i++) {
    assert_false(oy_key_in_alias(OY_KEY_Undefined, alias));
    if (oy_key_is_alias(alias)) {
      assert_false(oy_key_in_alias(alias, alias));
    } else if (alias != OY_KEY_Undefined) {
      assert_true(oy_key_in_alias(alias, alias));
      assert_set_equal(oy_key_expand(alias), oy_keyset_of(alias));
    }
  }
  assert_false(oy_key_in_alias(OY_KEY_CUDA, OY_KEY_CPU));
  assert_true(oy_keyset_is_empty(oy_key_expand(OY_KEY_ALIAS_BIT | 6)));
}

// Section 1.7: "" for AutogradOther, and for no autocast key.
static const struct backend_row {
  const char* backend;
  const char* autograd;
  const char* autocast;
} g_backends[] = {
    {"CPU", "AutogradCPU", "AutocastCPU"},
    {"CUDA", "AutogradCUDA", "AutocastCUDA"},
    {"HIP", "", ""},
    {"XLA", "AutogradXLA", "AutocastXLA"},
    {"MPS", "AutogradMPS", "AutocastMPS"},
    {"IPU", "AutogradIPU", "AutocastIPU"},
    {"XPU", "AutogradXPU", "AutocastXPU"},
    {"HPU", "AutogradHPU", "AutocastHPU"},
    {"VE", "", ""},
    {"Lazy", "AutogradLazy", ""},
    {"MTIA", "", ""},
    {"PrivateUse1", "AutogradPrivateUse1", "AutocastPrivateUse1"},
    {"PrivateUse2", "AutogradPrivateUse2", ""},
    {"PrivateUse3", "AutogradPrivateUse3", ""},
    {"Meta", "AutogradMeta", ""},
};

static void KEY_09_autograd_key_of_backend(void** state) {
  (void)state;
  for (size_t i = 0; i < COUNT(g_backends); i++) {
    oy_backend b = oy_key_backend(parse(g_backends[i].backend));
    const char* name =
        g_backends[i].autograd[0] ? g_backends[i].autograd : "AutogradOther";
    assert_int_equal(oy_key_autograd_of_backend(b), parse(name));
    assert_int_equal(oy_backend_has_autograd(b), g_backends[i].autograd[0] != '\0');
  }
  assert_int_equal(oy_key_autograd_of_backend(OY_BACKEND_NONE), OY_KEY_AutogradOther);
  assert_int_equal(oy_key_autograd_of_backend(20), OY_KEY_AutogradOther);
}

static void KEY_10_autocast_key_of_backend(void** state) {
  (void)state;
  for (size_t i = 0; i < COUNT(g_backends); i++) {
    oy_backend b = oy_key_backend(parse(g_backends[i].backend));
    const char* name = g_backends[i].autocast[0] ? g_backends[i].autocast : "Undefined";
    assert_int_equal(oy_key_autocast_of_backend(b), parse(name));
    assert_set_equal(oy_keyset_autocast_related(b), oy_keyset_of(parse(name)));
  }
  assert_true(oy_keyset_is_empty(oy_keyset_autocast_related(OY_BACKEND_NONE)));
}

static void KEY_10_autograd_related(void** state) {
  (void)state;
  for (size_t i = 0; i < COUNT(g_backends); i++) {
    oy_backend b = oy_key_backend(parse(g_backends[i].backend));
    const char* name =
        g_backends[i].autograd[0] ? g_backends[i].autograd : "AutogradOther";
    assert_set_equal(
        oy_keyset_autograd_related(b),
        oy_keyset_or(oy_keyset_of(OY_KEY_ADInplaceOrView), oy_keyset_of(parse(name))));
  }
}

static void KEY_10_backends_of_autograd(void** state) {
  (void)state;
  for (size_t i = 0; i < COUNT(g_backends); i++) {
    oy_key dense = parse(g_backends[i].backend);
    oy_key autograd =
        (oy_key)OY_KEY_OF(OY_KEY_AutogradFunctionality, oy_key_backend(dense));
    // AutogradHIP, AutogradVE and AutogradMTIA exist and guard nothing.
    assert_set_equal(oy_key_backends_of_autograd(autograd),
                     g_backends[i].autograd[0] ? oy_keyset_of(dense) : oy_keyset_empty());
  }
  assert_set_equal(oy_key_backends_of_autograd(OY_KEY_AutogradNestedTensor),
                   oy_keyset_make(functionalities("NestedTensor"), oy_backend_all()));
  assert_set_equal(oy_key_backends_of_autograd(OY_KEY_AutogradOther),
                   oy_keyset_make(functionalities(OTHER_BACKENDS), oy_backend_all()));
  static const oy_key others[] = {
      OY_KEY_Undefined, OY_KEY_CPU,      OY_KEY_AutogradFunctionality,
      OY_KEY_Python,    OY_KEY_Autograd, OY_KEY_ADInplaceOrView};
  for (size_t i = 0; i < COUNT(others); i++)
    assert_true(oy_keyset_is_empty(oy_key_backends_of_autograd(others[i])));
}

static void KEY_10_is_backend(void** state) {
  (void)state;
  static const struct {
    const char* key;
    bool is;
  } rows[] = {
      {"CPU", true},
      {"QuantizedCUDA", true},
      {"SparseMeta", true},
      {"SparseCsrCPU", true},
      {"FPGA", true},
      {"CustomRNGKeyId", true},
      {"MkldnnCPU", true},
      {"Undefined", false},
      {"NestedTensor", false},
      {"NestedTensorCPU", false},
      {"AutogradCPU", false},
      {"AutogradOther", false},
      {"BackendSelect", false},
      {"Functionalize", false},
      {"CompositeExplicitAutograd", false},
      {"Autograd", false},
  };
  for (size_t i = 0; i < COUNT(rows); i++)
    assert_int_equal(oy_key_is_backend(parse(rows[i].key)), rows[i].is);
}

static void KEY_11_key_of_device(void** state) {
  (void)state;
  static const struct {
    const char* device;
    oy_layout layout;
    bool quantized;
    const char* key;
  } rows[] = {
      {"cpu", OY_LAYOUT_STRIDED, false, "CPU"},
      {"cuda", OY_LAYOUT_STRIDED, false, "CUDA"},
      {"meta", OY_LAYOUT_STRIDED, false, "Meta"},
      {"mtia", OY_LAYOUT_STRIDED, false, "MTIA"},
      {"privateuseone", OY_LAYOUT_STRIDED, false, "PrivateUse1"},
      {"cpu", OY_LAYOUT_STRIDED, true, "QuantizedCPU"},
      {"xpu", OY_LAYOUT_STRIDED, true, "QuantizedXPU"},
      {"cpu", OY_LAYOUT_SPARSE, false, "SparseCPU"},
      {"cuda", OY_LAYOUT_SPARSE, false, "SparseCUDA"},
      {"cpu", OY_LAYOUT_SPARSE_CSR, false, "SparseCsrCPU"},
      {"cuda", OY_LAYOUT_SPARSE_CSC, false, "SparseCsrCUDA"},
      {"cuda", OY_LAYOUT_SPARSE_BSR, false, "SparseCsrCUDA"},
      {"meta", OY_LAYOUT_SPARSE_BSC, false, "SparseCsrMeta"},
      {"cpu", OY_LAYOUT_MKLDNN, false, "MkldnnCPU"},
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    oy_backend b;
    oy_key key;
    assert_true(oy_backend_find(oy_str_of(rows[i].device), &b));
    assert_int_equal(oy_key_of_device(b, rows[i].layout, rows[i].quantized, &key), OY_OK);
    assert_string_equal(oy_key_name(key), rows[i].key);
  }
}

static void KEY_11_devices_without_the_layout(void** state) {
  (void)state;
  oy_key key = OY_KEY_CPU;
  assert_int_equal(oy_key_of_device(OY_BACKEND_CUDA, OY_LAYOUT_MKLDNN, false, &key),
                   OY_NOT_IMPLEMENTED);
  assert_string_equal(oy_error_get()->message,
                      "Unsupported device type for mkldnn layout: cuda");
  assert_int_equal(key, OY_KEY_Undefined);
  assert_int_equal(oy_key_of_device(OY_BACKEND_CPU, OY_LAYOUT_JAGGED, false, &key),
                   OY_NOT_IMPLEMENTED);
  assert_string_equal(oy_error_get()->message, "Unsupported layout: Jagged");
  assert_int_equal(oy_key_of_device(OY_BACKEND_CPU, (oy_layout)77, false, &key),
                   OY_NOT_IMPLEMENTED);
  assert_int_equal(oy_key_of_device(OY_BACKEND_NONE, OY_LAYOUT_STRIDED, false, &key),
                   OY_INVALID_ARGUMENT);
  assert_int_equal(oy_key_of_device(64, OY_LAYOUT_STRIDED, false, &key),
                   OY_INVALID_ARGUMENT);
}

// Last: the backend stays for the rest of the process.
static void KEY_06_added_backend_is_in_every_set(void** state) {
  (void)state;
  oy_backend npu;
  assert_int_equal(oy_backend_register(oy_str_of("Npu"), &npu), OY_OK);
  oy_key dense = parse("Npu");
  assert_true(oy_key_in_alias(parse("AutogradNpu"), OY_KEY_Autograd));
  assert_true(oy_key_in_alias(dense, OY_KEY_CompositeImplicitAutograd));
  assert_true(oy_key_in_alias(parse("NestedTensorNpu"),
                              OY_KEY_CompositeImplicitAutogradNestedTensor));
  assert_true(oy_key_in_alias(dense, OY_KEY_CompositeExplicitAutograd));
  assert_true(oy_key_in_alias(dense, OY_KEY_CompositeExplicitAutogradNonFunctional));
  assert_false(
      oy_key_in_alias(parse("NestedTensorNpu"), OY_KEY_CompositeExplicitAutograd));
  assert_true(oy_key_is_backend(parse("SparseNpu")));
  assert_int_equal(oy_key_autograd_of_backend(npu), parse("AutogradNpu"));
  assert_int_equal(oy_key_autocast_of_backend(npu), OY_KEY_Undefined);
  assert_set_equal(oy_key_backends_of_autograd(parse("AutogradNpu")),
                   oy_keyset_of(dense));
  oy_key key;
  assert_int_equal(oy_key_of_device(npu, OY_LAYOUT_MKLDNN, false, &key),
                   OY_NOT_IMPLEMENTED);
  assert_string_equal(oy_error_get()->message,
                      "Unsupported device type for mkldnn layout: npu");
  // PyTorch has no bit for it.
  assert_int_equal(oy_keyset_to_raw(oy_keyset_of(dense)), 0x8000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(KEY_06_named_sets),
      cmocka_unit_test(KEY_06_sets_below_a_layer),
      cmocka_unit_test(KEY_06_non_functional_backends),
      cmocka_unit_test(KEY_06_expansions),
      cmocka_unit_test(KEY_06_membership_is_expansion),
      cmocka_unit_test(KEY_06_non_functional_alias),
      cmocka_unit_test(KEY_06_membership_of_odd_keys),
      cmocka_unit_test(KEY_09_autograd_key_of_backend),
      cmocka_unit_test(KEY_10_autocast_key_of_backend),
      cmocka_unit_test(KEY_10_autograd_related),
      cmocka_unit_test(KEY_10_backends_of_autograd),
      cmocka_unit_test(KEY_10_is_backend),
      cmocka_unit_test(KEY_11_key_of_device),
      cmocka_unit_test(KEY_11_devices_without_the_layout),
      cmocka_unit_test(KEY_06_added_backend_is_in_every_set),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
