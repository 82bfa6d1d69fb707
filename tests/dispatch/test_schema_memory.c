// SPDX-License-Identifier: Apache-2.0
// Parsing and printing without memory: each allocation fails in turn, and each
// time there is an error and nothing is left behind.
#include "opyard/allocator.h"
#include "schema_test.h"

typedef struct failing {
  size_t left;    // allocations until one fails
  size_t blocks;  // alive
  bool failed;
} failing;

static void* failing_reallocate(void* user_data, void* ptr, size_t old, size_t size) {
  failing* f = user_data;
  (void)old;
  if (size == 0) {
    f->blocks -= ptr != NULL;
    free(ptr);
    return NULL;
  }
  if (f->left == 0) {
    f->failed = true;
    return NULL;
  }
  f->left--;
  f->blocks += ptr == NULL;
  return realloc(ptr, size);
}

static oy_status parse_and_print(const char* text) {
  oy_schema* schema;
  oy_status status =
      oy_schema_parse(oy_str_of(text), OY_SCHEMA_ALLOW_TYPE_VARIABLES, &schema);
  assert_int_equal(schema == NULL, status != OY_OK);
  if (status != OY_OK) return status;
  char* printed;
  status = oy_schema_print(schema, &printed);
  assert_int_equal(printed == NULL, status != OY_OK);
  oy_text_free(printed);
  oy_schema_free(schema);
  return status;
}

static void fail_each_allocation(const char* text, oy_status want) {
  for (size_t n = 0;; n++) {
    failing f = {n, 0, false};
    oy_allocator before = oy_allocator_set((oy_allocator){failing_reallocate, &f});
    oy_status status = parse_and_print(text);
    oy_allocator_set(before);
    assert_int_equal(f.blocks, 0);
    assert_int_equal(status, f.failed ? OY_OUT_OF_MEMORY : want);
    if (status != OY_OK) assert_int_equal(oy_error_get()->code, status);
    if (!f.failed) return;
  }
}

#define INTS  "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18"
#define INTS4 INTS ", " INTS ", " INTS ", " INTS

static void SCH_08_allocation_failure(void** state) {
  static const char* const good[] = {
      "m::f() -> ()",
      "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
      "m :: f . g () -> ()",
      "m::f(int[2] x=1, SymInt[1]? y=None) -> Tensor(a!)[](b)",
      "m::f(int[4096] x=1) -> int",
      "m::f(int[] x=[" INTS4 "]) -> int",
      "m::f(float[] x=[1.5, 2.5e-7], complex y=1.+2.j) -> int",
      "m::f(((((((int, str), int), str), int), str), int) x) -> ((int, t)[])",
      "m::f(Dict(str, Dict(int, Union(int, t, Future(Await(RRef(u))))))(a!) x) -> ()",
      "m::f(__torch__.torch.classes.a.b x, __torch__.torch.classes.a.c y) -> ()",
      "m::f(Tensor(a! -> a|b|c|d|e|f)[](g)?  x) -> Tensor(a|b|c|d|e|f)",
      "m::f(str x=\"\\n\\t\\001 and more text that has to be copied\") -> str",
      "m::f(t[][][][][][][][] x, u?[]?[]?[]? y) -> v",
      "m::f(Device d='cpu', ScalarType t=float32, MemoryFormat f=Mean) -> ()",
      "m::f(...) -> ...",
      "m::f(Tensor a, *, Tensor(a!) b, Tensor(b!) c) -> (Tensor(a!), Tensor(b!))",
  };
  static const char* const bad[] = {
      "m::f(Tensor x -> Tensor",
      "m::f(Union(int, str, __torch__.torch.classes.a.b, int[][][], Nope) x) -> ()",
      "m::f(int a=1, int b) -> Tensor",
      "m::f(int[] x=[" INTS4 ", ]) -> int",
  };
  (void)state;
  for (size_t i = 0; i < COUNT(good); i++) fail_each_allocation(good[i], OY_OK);
  for (size_t i = 0; i < COUNT(bad); i++) fail_each_allocation(bad[i], OY_PARSE);
}

static void SCH_08_one_allocation(void** state) {
  (void)state;
  failing f = {1, 0, false};
  oy_allocator before = oy_allocator_set((oy_allocator){failing_reallocate, &f});
  oy_schema* s = parse(
      "aten::add.Tensor(Tensor self, Tensor other, *, Scalar "
      "alpha=1) -> Tensor");
  oy_schema_free(s);
  oy_allocator_set(before);
  assert_false(f.failed);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(SCH_08_allocation_failure),
      cmocka_unit_test(SCH_08_one_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
