// SPDX-License-Identifier: Apache-2.0
// Backends: those of PyTorch, and those added at run time up to the last bit.
// Backends stay for the process, so the order of the tests matters: the last one
// uses up all that is left.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <pthread.h>

#include "failing_allocator.h"
#include "opyard/key.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char* const g_prefixes[] = {"",          "Quantized",    "Sparse",
                                         "SparseCsr", "NestedTensor", "Autograd"};

static oy_backend add(const char* name) {
  oy_backend backend;
  assert_int_equal(oy_backend_register(oy_str_of(name), &backend), OY_OK);
  return backend;
}

static int known(void) {
  return __builtin_popcountll(oy_backend_all());
}

static void KEY_02_known_backends_keep_their_bit(void** state) {
  (void)state;
  static const struct {
    const char* name;
    const char* device;
    int bit;  // PyTorch's; Meta, its 14, is ours 63
  } rows[] = {
      {"CPU", "cpu", 0},
      {"CUDA", "cuda", 1},
      {"HIP", "hip", 2},
      {"XLA", "xla", 3},
      {"MPS", "mps", 4},
      {"IPU", "ipu", 5},
      {"XPU", "xpu", 6},
      {"HPU", "hpu", 7},
      {"VE", "ve", 8},
      {"Lazy", "lazy", 9},
      {"MTIA", "mtia", 10},
      {"PrivateUse1", "privateuse1", 11},
      {"PrivateUse1", "privateuseone", 11},
      {"PrivateUse2", "privateuse2", 12},
      {"PrivateUse3", "privateuse3", 13},
      {"Meta", "meta", 63},
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    oy_backend found;
    assert_true(oy_backend_find(oy_str_of(rows[i].name), &found));
    assert_int_equal(found, rows[i].bit);
    assert_true(oy_backend_find(oy_str_of(rows[i].device), &found));
    assert_int_equal(found, rows[i].bit);
    assert_int_equal(add(rows[i].name), rows[i].bit);
    assert_string_equal(oy_backend_name(found), rows[i].name);
  }
  assert_int_equal(known(), 15);
}

static void KEY_02_no_such_backend(void** state) {
  (void)state;
  static const char* const names[] = {"", "Cpu", "CUDa", "gpu", "Dense", "cpu "};
  oy_backend found;
  for (size_t i = 0; i < COUNT(names); i++)
    assert_false(oy_backend_find(oy_str_of(names[i]), &found));
  assert_null(oy_backend_name(OY_BACKEND_NONE));
  assert_null(oy_backend_name(14));
  assert_null(oy_backend_name(64));
  assert_null(oy_backend_name(-100));
  assert_false(oy_backend_has_autograd(14));
}

static void KEY_12_names_that_are_refused(void** state) {
  (void)state;
  static const char* const names[] = {
      "",
      "1x",
      "a b",
      "a::b",
      "a-b",
      "\xc3\xa9",
      "A23456789012345678901234567890123456789xy",  // 41
      "Dense",                                      // a key itself
      "Undefined",
      "AutogradCPU",
      "FPGA",
      "Autograd",  // an alias key
      "CatchAll",  // a synonym
      "Math",
      "Trace",
      "Unknown",        // printed for no key
      "Other",          // AutogradOther
      "Functionality",  // AutogradFunctionality
      "Csr",            // SparseCsr
      "CsrCPU",         // SparseCsrCPU
      "NestedTensor",   // AutogradNestedTensor
      "Cuda",           // two devices "cuda"
      "META",
      "PrivateUseOne",  // the device of PrivateUse1
  };
  for (size_t i = 0; i < COUNT(names); i++) {
    oy_backend backend = 5;
    assert_int_equal(oy_backend_register(oy_str_of(names[i]), &backend),
                     OY_INVALID_ARGUMENT);
    assert_int_equal(backend, OY_BACKEND_NONE);
    assert_string_not_equal(oy_error_get()->message, "");
  }
  assert_int_equal(known(), 15);
}

static void ROB_failed_allocations_add_nothing(void** state) {
  (void)state;
  for (long n = 0;; n++) {
    fail_allocation(n);
    oy_backend backend;
    oy_status status = oy_backend_register(oy_str_of("Failing"), &backend);
    bool failed = allocation_failed();
    if (!failed) {
      assert_int_equal(status, OY_OK);
      break;
    }
    assert_int_equal(status, OY_OUT_OF_MEMORY);
    assert_int_equal(backend, OY_BACKEND_NONE);
    assert_int_equal(known(), 15);
    assert_false(oy_backend_find(oy_str_of("Failing"), &backend));
    oy_key key;
    assert_int_equal(oy_key_parse(oy_str_of("AutogradFailing"), &key), OY_PARSE);
    assert_string_equal(oy_key_name(OY_KEY_OF(OY_KEY_Dense, 14)), "Unknown");
  }
  assert_int_equal(known(), 16);
}

static void KEY_03_added_backend_owns_six_keys(void** state) {
  (void)state;
  oy_backend npu = add("Npu");
  assert_true(npu >= 14 && npu < OY_BACKEND_Meta);
  assert_int_equal(add("Npu"), npu);
  assert_int_equal(add("npu"), npu);  // the device
  assert_string_equal(oy_backend_name(npu), "Npu");
  assert_true(oy_backend_has_autograd(npu));
  for (size_t i = 0; i < COUNT(g_prefixes); i++) {
    char name[64];
    snprintf(name, sizeof(name), "%sNpu", g_prefixes[i]);
    oy_key key;
    assert_int_equal(oy_key_parse(oy_str_of(name), &key), OY_OK);
    assert_int_equal(oy_key_backend(key), npu);
    assert_string_equal(oy_key_name(key), name);
    assert_ptr_equal(oy_key_name(key), oy_key_name(key));
    assert_true(oy_key_is_runtime(key));
  }
  oy_backend found;
  assert_true(oy_backend_find(oy_str_of("npu"), &found));
  assert_int_equal(found, npu);
  assert_int_equal(oy_backend_register(oy_str_of("NPU"), &found), OY_INVALID_ARGUMENT);
}

static void KEY_03_new_keys_collide_too(void** state) {
  (void)state;
  oy_backend backend;
  add("CsrNext");  // makes the key SparseCsrNext ... and so Next's SparseCsr key
  assert_int_equal(oy_backend_register(oy_str_of("Next"), &backend), OY_INVALID_ARGUMENT);
  assert_int_equal(oy_backend_register(oy_str_of("QuantizedNpu"), &backend),
                   OY_INVALID_ARGUMENT);
}

static void KEY_02_meta_stays_last(void** state) {
  (void)state;
  oy_keyset set = oy_keyset_of(OY_KEY_Meta);
  set = oy_keyset_or(set, oy_keyset_of_backend(add("Npu")));
  assert_int_equal(oy_keyset_highest(set), OY_KEY_Meta);
  set = oy_keyset_remove_backend(set, OY_BACKEND_Meta);
  set = oy_keyset_add(set, OY_KEY_PrivateUse3);
  assert_string_equal(oy_key_name(oy_keyset_highest(set)), "Npu");
  char buffer[64];
  oy_keyset_print(set, buffer, sizeof(buffer));
  assert_string_equal(buffer, "DispatchKeySet(PrivateUse3, Npu)");
}

// ------------------------------------------------------------------- threads

static pthread_barrier_t g_start;
static oy_backend g_results[4];

static void* register_together(void* arg) {
  oy_backend* out = arg;
  pthread_barrier_wait(&g_start);
  if (oy_backend_register(oy_str_of("Together"), out) != OY_OK) *out = OY_BACKEND_NONE;
  return NULL;
}

static bool g_stop;

// What readers see at any moment is whole: a backend that is found has names.
static void* read_always(void* arg) {
  uintptr_t wrong = 0;
  (void)arg;
  while (!__atomic_load_n(&g_stop, __ATOMIC_ACQUIRE)) {
    oy_backend backend;
    oy_key key;
    if (oy_backend_find(oy_str_of("Together"), &backend)) {
      oy_key autograd = oy_key_autograd_of_backend(backend);
      wrong += strcmp(oy_key_name(autograd), "AutogradTogether") != 0;
      wrong += oy_key_parse(oy_str_of("SparseTogether"), &key) != OY_OK;
    }
    for (size_t i = 0; oy_key_at(i, &key); i++)
      wrong += strcmp(oy_key_name(key), "Unknown") == 0;
  }
  return (void*)wrong;
}

static void KEY_12_one_name_from_many_threads(void** state) {
  (void)state;
  int before = known();
  pthread_t reader;
  pthread_t writers[COUNT(g_results)];
  __atomic_store_n(&g_stop, false, __ATOMIC_RELEASE);
  assert_int_equal(pthread_create(&reader, NULL, read_always, NULL), 0);
  pthread_barrier_init(&g_start, NULL, COUNT(writers));
  for (size_t i = 0; i < COUNT(writers); i++)
    assert_int_equal(pthread_create(&writers[i], NULL, register_together, &g_results[i]),
                     0);
  for (size_t i = 0; i < COUNT(writers); i++) pthread_join(writers[i], NULL);
  __atomic_store_n(&g_stop, true, __ATOMIC_RELEASE);
  void* wrong;
  pthread_join(reader, &wrong);
  pthread_barrier_destroy(&g_start);
  assert_null(wrong);
  assert_int_equal(known(), before + 1);
  for (size_t i = 0; i < COUNT(g_results); i++) {
    assert_int_equal(g_results[i], g_results[0]);
    assert_true(g_results[i] >= 14);
  }
}

// ----------------------------------------------------------------- exhaustion

static void KEY_12_forty_nine_new_backends(void** state) {
  (void)state;
  char name[OY_BACKEND_COUNT_MAX];
  while (known() < 15 + 49) {
    // The longest name that is allowed, 40 characters.
    snprintf(name, sizeof(name), "Filler%034d", known());
    int before = known();
    oy_backend backend = add(name);
    assert_true(backend >= 14 && backend <= 62);
    assert_int_equal(known(), before + 1);
  }
  assert_int_equal(oy_backend_all(), UINT64_MAX);
  oy_backend backend = 3;
  assert_int_equal(oy_backend_register(oy_str_of("TooMany"), &backend), OY_EXHAUSTED);
  assert_int_equal(backend, OY_BACKEND_NONE);
  oy_backend found;
  assert_false(oy_backend_find(oy_str_of("TooMany"), &found));
  // What is there still answers.
  assert_int_equal(add(name), 62);
  assert_int_equal(add("CPU"), OY_BACKEND_CPU);
}

static void KEY_12_all_keys_of_a_full_house(void** state) {
  (void)state;
  size_t count = 0;
  oy_key key;
  for (size_t i = 0; oy_key_at(i, &key); i++) {
    oy_key again;
    assert_int_equal(oy_key_parse(oy_str_of(oy_key_name(key)), &again), OY_OK);
    assert_int_equal(again, key);
    count++;
  }
  assert_int_equal(count, 1 + 46 + 6 * 64 + 6);
  uint32_t cursor = 0;
  for (count = 0; oy_keyset_next(oy_keyset_full(), &cursor, &key);) count++;
  assert_int_equal(count, 46 - 6 + 6 * 64);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(KEY_02_known_backends_keep_their_bit),
      cmocka_unit_test(KEY_02_no_such_backend),
      cmocka_unit_test(KEY_12_names_that_are_refused),
      cmocka_unit_test(ROB_failed_allocations_add_nothing),
      cmocka_unit_test(KEY_03_added_backend_owns_six_keys),
      cmocka_unit_test(KEY_03_new_keys_collide_too),
      cmocka_unit_test(KEY_02_meta_stays_last),
      cmocka_unit_test(KEY_12_one_name_from_many_threads),
      cmocka_unit_test(KEY_12_forty_nine_new_backends),
      cmocka_unit_test(KEY_12_all_keys_of_a_full_house),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
