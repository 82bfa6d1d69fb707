// SPDX-License-Identifier: Apache-2.0
// Equality, the check of kernel signatures (reference 2.6) and backward and
// forward compatibility (2.8).
#include "opyard/allocator.h"
#include "schema_test.h"

static void SCH_09_equality(void** state) {
  static const struct {
    const char* a;
    const char* b;
    bool equal;
  } rows[] = {
      {"f(Tensor x) -> ()", "f( Tensor x )->()", true},
      {"f(Tensor(a|b) x) -> ()", "f(Tensor(b|a) x) -> ()", true},
      {"f(Tensor(a -> a) x) -> ()", "f(Tensor(a) x) -> ()", true},
      {"f(int[2] x=1) -> ()", "f(int[2] x=[1, 1]) -> ()", true},
      {"f(int x=long) -> ()", "f(int x=4) -> ()", true},
      {"f(float x=nan) -> ()", "f(float x=-nan) -> ()", true},
      {"f(Tensor x) -> ()", "f(Tensor y) -> ()", false},
      {"f(Tensor x) -> ()", "f(Tensor? x) -> ()", false},
      {"f(Tensor x) -> ()", "f.o(Tensor x) -> ()", false},
      {"f(Tensor x) -> ()", "a::f(Tensor x) -> ()", false},
      {"f(Tensor x) -> ()", "f(Tensor x) -> Tensor", false},
      {"f(Tensor x) -> ()", "f(Tensor(a) x) -> ()", false},
      {"f(Tensor(a) x) -> ()", "f(Tensor(a!) x) -> ()", false},
      {"f(Tensor(a) x) -> ()", "f(Tensor(a -> *) x) -> ()", false},
      {"f(Tensor! x) -> ()", "f(Tensor(a!) x) -> ()", false},
      {"f(Tensor(a)[] x) -> ()", "f(Tensor[](a) x) -> ()", false},
      {"f(int[2] x) -> ()", "f(int[3] x) -> ()", false},
      {"f(int x) -> ()", "f(SymInt x) -> ()", false},
      {"f(int x) -> ()", "f(*, int x) -> ()", false},
      {"f(int x=1) -> ()", "f(int x=2) -> ()", false},
      {"f(int x=1) -> ()", "f(int x) -> ()", false},
      {"f(Scalar x=1) -> ()", "f(Scalar x=1.) -> ()", false},
      {"f(float x=0.) -> ()", "f(float x=-0.) -> ()", false},
      {"f(str x='a') -> ()", "f(str x='b') -> ()", false},
      {"f(int[] x=[1]) -> ()", "f(int[] x=[1, 1]) -> ()", false},
      {"f(...) -> ()", "f() -> ()", false},
      {"f() -> ...", "f() -> ()", false},
      {"f((int, str) x) -> ()", "f((int, int) x) -> ()", false},
      {"f(Dict(int, str) x) -> ()", "f(Dict(int, int) x) -> ()", false},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) {
    oy_schema *a = parse(rows[i].a), *b = parse(rows[i].b);
    if (oy_schema_equal(a, b) != rows[i].equal || oy_schema_equal(b, a) != rows[i].equal)
      fail_msg("%s and %s", rows[i].a, rows[i].b);
    assert_true(oy_schema_equal(a, a));
    oy_schema_free(a);
    oy_schema_free(b);
  }
}

typedef struct pair {
  const char* declared;
  const char* inferred;
  const char* reason;  // NULL: they agree
} pair;

static void check_all(const pair* rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    oy_schema* declared = parse(rows[i].declared);
    oy_schema* inferred = parse_flags(rows[i].inferred, OY_SCHEMA_SIGNATURE);
    char* reason = NULL;
    oy_status status = oy_schema_check_signature(declared, inferred, &reason);
    const char* got = reason ? reason : "(none)";
    if (strcmp(got, rows[i].reason ? rows[i].reason : "(none)") != 0)
      fail_msg("%s and %s: %s", rows[i].declared, rows[i].inferred, got);
    assert_int_equal(status, rows[i].reason ? OY_SCHEMA_MISMATCH : OY_OK);
    if (reason) assert_string_equal(oy_error_get()->message, reason);
    assert_int_equal(oy_schema_check_signature(declared, inferred, NULL), status);
    oy_text_free(reason);
    oy_schema_free(declared);
    oy_schema_free(inferred);
  }
}

static void SCH_11_four_reasons(void** state) {
  static const pair rows[] = {
      {"test::foo(Tensor x, Tensor y) -> Tensor", "(Tensor) -> Tensor",
       "The number of arguments is different. 2 vs 1."},
      {"test::foo(Tensor x) -> Tensor", "(Tensor) -> (Tensor, Tensor)",
       "The number of returns is different. 1 vs 2."},
      {"test::foo(Tensor x) -> ()", "(int) -> ()",
       "Type mismatch in argument 1: Tensor vs int."},
      {"test::foo(Tensor x, int[2]? y) -> ()", "(Tensor, float[]) -> ()",
       "Type mismatch in argument 2: int[]? vs float[]."},
      {"test::foo(Tensor x) -> Tensor", "(Tensor) -> Tensor[]",
       "Type mismatch in return 1: Tensor vs Tensor[]."},
      {"test::foo() -> (int, str)", "() -> (int, float)",
       "Type mismatch in return 2: str vs float."},
  };
  (void)state;
  check_all(rows, COUNT(rows));
}

static void SCH_11_not_compared(void** state) {
  static const pair rows[] = {
      {"f(Tensor(a!) self, *, int dim=1) -> Tensor(a!)", "(Tensor, int) -> Tensor", NULL},
      {"f(int[2] x=1) -> int[2]", "(int[]) -> int[]", NULL},
      {"f(ScalarType? t, Layout l) -> ()", "(ScalarType?, Layout) -> ()", NULL},
      {"f(Dimname d, DeviceIndex i) -> ()", "(str, int) -> ()", NULL},
      {"f(ScalarType t) -> ()", "(int) -> ()",
       "Type mismatch in argument 1: ScalarType vs int."},
  };
  (void)state;
  check_all(rows, COUNT(rows));
}

static void SCH_12_symint(void** state) {
  static const pair rows[] = {
      {"f(SymInt x) -> ()", "(int) -> ()", NULL},
      {"f(SymInt x) -> ()", "(SymInt) -> ()", NULL},
      {"f(SymInt? x, SymInt[] y, SymInt[2]? z) -> ()", "(int?, int[], int[]?) -> ()",
       NULL},
      {"f(int x) -> ()", "(SymInt) -> ()", "Type mismatch in argument 1: int vs SymInt."},
      {"f() -> SymInt", "() -> int", "Type mismatch in return 1: SymInt vs int."},
      {"f() -> SymInt[]", "() -> SymInt[]", NULL},
      {"f(SymInt[] x) -> ()", "(float[]) -> ()",
       "Type mismatch in argument 1: int[] vs float[]."},
      {"f(SymInt x) -> ()", "(SymInt[]) -> ()",
       "Type mismatch in argument 1: SymInt vs SymInt[]."},
  };
  (void)state;
  check_all(rows, COUNT(rows));
}

// --- Compatibility --------------------------------------------------------------

typedef struct change {
  const char* older;
  const char* newer;
  const char* backward;  // part of the reason; NULL: compatible
  const char* forward;
} change;

static void check_reason(bool ok, char* reason, const char* want, const change* row) {
  if (ok != (want == NULL) || ok != (reason == NULL) || (want && !strstr(reason, want)))
    fail_msg("%s -> %s: \"%s\"", row->older, row->newer, reason ? reason : "compatible");
  oy_text_free(reason);
}

static void check_changes(const change* rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    oy_schema *older = parse(rows[i].older), *newer = parse(rows[i].newer);
    char* reason;
    bool ok = oy_schema_is_backward_compatible(newer, older, &reason);
    check_reason(ok, reason, rows[i].backward, &rows[i]);
    assert_int_equal(oy_schema_is_backward_compatible(newer, older, NULL), ok);
    ok = oy_schema_is_forward_compatible(newer, older, &reason);
    check_reason(ok, reason, rows[i].forward, &rows[i]);
    assert_int_equal(oy_schema_is_forward_compatible(newer, older, NULL), ok);
    oy_schema_free(older);
    oy_schema_free(newer);
  }
}

static void SCH_16_frame(void** state) {
  static const change rows[] = {
      {"f(int a) -> int", "f(int a) -> int", NULL, NULL},
      {"f(int a) -> int", "g(int a) -> int", "name", "name"},
      {"f.x(int a) -> int", "f.y(int a) -> int", "name", "name"},
      {"f(int a) -> int", "f(int a, ...) -> int", "...", "..."},
      {"f(int a) -> ()", "f(int a) -> ...", "...", "..."},
      {"f(int a) -> int", "f(int a) -> (int, int)", "returns", "returns"},
      {"f(int a, int b) -> ()", "f(int a) -> ()", "arguments", "arguments"},
      {"f() -> int?", "f() -> int", NULL, NULL},
      {"f() -> int", "f() -> int?", "return", "return"},
      {"f() -> Any", "f() -> Tensor", NULL, NULL},
      {"f() -> int a", "f() -> int b", "return", "return"},
      {"f() -> Tensor", "f() -> Tensor(a)", "return", "return"},
  };
  (void)state;
  check_changes(rows, COUNT(rows));
}

static void SCH_16_arguments(void** state) {
  static const change rows[] = {
      {"f(int a) -> ()", "f(int b) -> ()", "another name", "another name"},
      {"f(int[2] a) -> ()", "f(int[3] a) -> ()", "list size", "list size"},
      {"f(Tensor a) -> ()", "f(Tensor(a!) a) -> ()", "alias", "alias"},
      {"f(int a) -> ()", "f(*, int a) -> ()", "keyword-only", "keyword-only"},
      {"f(*, int a) -> ()", "f(int a) -> ()", NULL, NULL},
      {"f(int a) -> ()", "f(int? a) -> ()", NULL, "wider"},
      {"f(int a) -> ()", "f(Scalar a) -> ()", NULL, "wider"},
      {"f(int a) -> ()", "f(SymInt a) -> ()", NULL, NULL},
      {"f(Tensor a) -> ()", "f(Any a) -> ()", NULL, "wider"},
      {"f(int? a) -> ()", "f(int a) -> ()", "narrower", NULL},
      {"f(int[] a) -> ()", "f(int?[] a) -> ()", "narrower", "wider"},
      {"f(int a) -> ()", "f(str a) -> ()", "narrower", "wider"},
      {"f(int a) -> ()", "f(Union(int, str) a) -> ()", NULL, "wider"},
      {"f((int, int) a) -> ()", "f((int, int?) a) -> ()", NULL, "wider"},
      {"f(int a=1) -> ()", "f(int a=2) -> ()", "default", "default"},
      {"f(int a=1) -> ()", "f(int a) -> ()", "default", "default"},
      {"f(int a) -> ()", "f(int a=1) -> ()", NULL, "default"},
  };
  (void)state;
  check_changes(rows, COUNT(rows));
}

static void SCH_16_new_and_out_arguments(void** state) {
  static const change rows[] = {
      {"f(int a) -> ()", "f(int a, int b=1) -> ()", NULL, NULL},
      {"f(int a) -> ()", "f(int a, int b) -> ()",
       "Function schema not backward compatible since the new argument 'b' of type int "
       "did not provide a default value.",
       "Function schema is not forward compatible since the new argument 'b' of type "
       "int did not provide a default value."},
      {"f(int a) -> ()", "f(int a, int[2] b=1) -> ()", NULL,
       "Function schema is not forward compatible since the new argument 'b' of type "
       "int[] has a container type as its default value."},
      {"f(int a, *, Tensor(a!) out) -> ()", "f(int a, int b=1, *, Tensor(a!) out) -> ()",
       NULL, NULL},
      {"f(int a, *, Tensor(a!) out) -> ()", "f(int a, int b, *, Tensor(a!) out) -> ()",
       "'b' of type int did not provide a default value",
       "'b' of type int did not provide a default value"},
      {"f(int a, *, Tensor(a!) out) -> ()",
       "f(int a, *, Tensor(a!) out, Tensor(b!) out2) -> ()",
       "'out2' of type Tensor did not provide a default value",
       "Function schema should have the same number of out arguments"},
      {"f(int a, *, Tensor(a!) out) -> ()", "f(int a, *, Tensor(b!) out) -> ()", "alias",
       "alias"},
      {"f(int a, *, Tensor(a!) out) -> ()", "f(int a, int b=1) -> ()", "out arguments",
       "out arguments"},
  };
  (void)state;
  check_changes(rows, COUNT(rows));
}

static void* refuse_memory(void* user_data, void* ptr, size_t old, size_t size) {
  (void)user_data;
  (void)old;
  if (size == 0) free(ptr);
  return NULL;
}

static void SCH_16_answers_without_memory(void** state) {
  (void)state;
  oy_schema *a = parse("f(int a) -> ()"), *b = parse("f(int b) -> ()");
  oy_schema* c = parse("f(str a) -> ()");
  oy_allocator before = oy_allocator_set((oy_allocator){refuse_memory, NULL});
  char* reason = (char*)(uintptr_t)1;
  bool ok = oy_schema_is_backward_compatible(a, b, &reason);
  char* why = (char*)(uintptr_t)1;
  oy_status status = oy_schema_check_signature(a, c, &why);
  oy_allocator_set(before);
  assert_false(ok);
  assert_null(reason);
  assert_int_equal(status, OY_OUT_OF_MEMORY);
  assert_null(why);
  oy_schema_free(a);
  oy_schema_free(b);
  oy_schema_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(SCH_09_equality),
      cmocka_unit_test(SCH_11_four_reasons),
      cmocka_unit_test(SCH_11_not_compared),
      cmocka_unit_test(SCH_12_symint),
      cmocka_unit_test(SCH_16_frame),
      cmocka_unit_test(SCH_16_arguments),
      cmocka_unit_test(SCH_16_new_and_out_arguments),
      cmocka_unit_test(SCH_16_answers_without_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
