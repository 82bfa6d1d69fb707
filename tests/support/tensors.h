// SPDX-License-Identifier: Apache-2.0
// Help for tests of tensors: making them from literals, comparing them with
// literals, errors, and an allocator that fails when it is told to. All static, so
// that tests of the dispatcher alone need not link it.
#ifndef OPYARD_TESTS_SUPPORT_TENSORS_H_
#define OPYARD_TESTS_SUPPORT_TENSORS_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "opyard/opyard.h"

#define HELPER static __attribute__((unused))

// F32(OY_DIMS(2, 2), 1, 2, 3, 4)
#define F32(dims, ...) \
  oy_tensor_from_data((const float[]){__VA_ARGS__}, dims, OY_DTYPE_F32)
#define F64(dims, ...) \
  oy_tensor_from_data((const double[]){__VA_ARGS__}, dims, OY_DTYPE_F64)
#define I64(dims, ...) \
  oy_tensor_from_data((const int64_t[]){__VA_ARGS__}, dims, OY_DTYPE_I64)
#define I32(dims, ...) \
  oy_tensor_from_data((const int32_t[]){__VA_ARGS__}, dims, OY_DTYPE_I32)
#define U8(dims, ...) \
  oy_tensor_from_data((const uint8_t[]){__VA_ARGS__}, dims, OY_DTYPE_U8)
#define BOOLS(dims, ...) \
  oy_tensor_from_data((const bool[]){__VA_ARGS__}, dims, OY_DTYPE_BOOL)
#define ALPHA1 oy_int(1)

HELPER double scalar_number(oy_scalar s) {
  return s.tag == OY_TAG_FLOAT ? s.as.d : (double)s.as.i;
}

// The element at position |i| in row-major order.
HELPER double element(const oy_tensor* t, int64_t i) {
  int64_t index[OY_TENSOR_MAX_DIMS];
  oy_ints sizes = oy_tensor_sizes(t);
  for (size_t d = sizes.size; d-- > 0;) {
    index[d] = i % sizes.data[d];
    i /= sizes.data[d];
  }
  oy_scalar s;
  assert_int_equal(oy_tensor_get(t, (oy_ints){index, sizes.size}, &s), OY_OK);
  return scalar_number(s);
}

HELPER void assert_dims_(oy_ints got, oy_ints want, const char* file, int line) {
  bool same = got.size == want.size;
  for (size_t i = 0; same && i < got.size; i++) same = got.data[i] == want.data[i];
  if (same) return;
  for (size_t i = 0; i < got.size; i++) print_error("got %lld\n", (long long)got.data[i]);
  _fail(file, line);
}
#define assert_dims(got, want) assert_dims_(got, want, __FILE__, __LINE__)

// Sizes and all elements, each within |tolerance|.
HELPER void assert_close_(const oy_tensor* t, oy_ints sizes, const double* want,
                          double tolerance, const char* file, int line) {
  if (!t) print_error("%s\n", oy_error_get()->message);
  if (!t) _fail(file, line);
  assert_dims_(oy_tensor_sizes(t), sizes, file, line);
  for (int64_t i = 0; i < oy_tensor_numel(t); i++) {
    double got = element(t, i);
    bool same =
        isnan(want[i]) ? isnan(got) : got == want[i] || fabs(got - want[i]) <= tolerance;
    if (same) continue;
    print_error("element %lld is %.9g and not %.9g\n", (long long)i, got, want[i]);
    _fail(file, line);
  }
}
#define assert_elements(t, sizes, ...) \
  assert_close_(t, sizes, (const double[]){__VA_ARGS__}, 0, __FILE__, __LINE__)
#define assert_close(t, sizes, tolerance, ...) \
  assert_close_(t, sizes, (const double[]){__VA_ARGS__}, tolerance, __FILE__, __LINE__)

// The pending error has this text; it is cleared.
#define assert_error(text)                                \
  do {                                                    \
    assert_string_equal(oy_error_get()->message, (text)); \
    oy_error_clear();                                     \
  } while (0)
#define assert_fails(expression, text) \
  do {                                 \
    assert_null(expression);           \
    assert_error(text);                \
  } while (0)

HELPER void assert_prints_(const oy_tensor* t, const char* want, const char* file,
                           int line) {
  char* text = NULL;
  _assert_int_equal(oy_tensor_print(t, &text), OY_OK, file, line);
  _assert_string_equal(text, want, file, line);
  oy_text_free(text);
}
#define assert_prints(t, want) assert_prints_(t, want, __FILE__, __LINE__)

// ------------------------------------------------------- failing allocations

// Counted by whatever threads allocate.
typedef struct failing {
  oy_allocator below;
  long live;  // blocks that are held
  long left;  // allocations until one fails; below 0: none does
  bool failed;
} failing;

HELPER void* failing_reallocate(void* user_data, void* ptr, size_t old_size,
                                size_t size) {
  failing* f = user_data;
  if (size > 0 && __atomic_load_n(&f->left, __ATOMIC_RELAXED) >= 0 &&
      __atomic_fetch_sub(&f->left, 1, __ATOMIC_RELAXED) == 0) {
    f->failed = true;
    return NULL;
  }
  if (!ptr && size > 0) __atomic_fetch_add(&f->live, 1, __ATOMIC_RELAXED);
  if (ptr && size == 0) __atomic_fetch_sub(&f->live, 1, __ATOMIC_RELAXED);
  return f->below.reallocate(f->below.user_data, ptr, old_size, size);
}

// Runs |body| again and again, with the first, the second, ... allocation failing,
// until it runs through. |body| says whether it succeeded, and gives back all that
// it took; a failure must be OUT_OF_MEMORY.
HELPER void fail_each_allocation(bool (*body)(void)) {
  for (long n = 0; n < 100000; n++) {
    oy_tensor_trim();
    failing f = {.left = n};
    f.below = oy_allocator_set((oy_allocator){failing_reallocate, &f});
    bool good = body();
    f.left = -1;
    oy_tensor_trim();
    oy_allocator_set(f.below);
    if (f.live != 0) print_error("allocation %ld failed: %ld blocks kept\n", n, f.live);
    assert_int_equal(f.live, 0);
    if (!f.failed) {
      if (!good) fail_msg("it failed with memory: %s", oy_error_get()->message);
      return;
    }
    if (good) fail_msg("allocation %ld failed, and it went well", n);
    assert_int_equal(oy_error_get()->code, OY_OUT_OF_MEMORY);
    oy_error_clear();
  }
  fail_msg("it never ran through");
}

HELPER int init_library(void** state) {
  (void)state;
  if (oy_init() == OY_OK) return 0;
  print_error("%s\n%s\n", oy_error_get()->message, oy_error_get()->detail);
  return -1;
}
HELPER int shut_library(void** state) {
  (void)state;
  oy_shutdown();
  oy_tensor_trim();
  return 0;
}

#endif  // OPYARD_TESTS_SUPPORT_TENSORS_H_
