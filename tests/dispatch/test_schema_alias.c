// SPDX-License-Identifier: Apache-2.0
// What alias annotations mean: the predicates of reference section 2.3.
#include <stdio.h>

#include "schema_test.h"

enum { MUTABLE = 1, INPLACE = 2, OUT = 4, VIEW = 8, FUNCTIONAL = 16 };

static void SCH_05_schema_predicates(void** state) {
  static const struct {
    const char* text;
    int want;
  } rows[] = {
      {"aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
       FUNCTIONAL},
      {"aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> "
       "Tensor(a!)",
       MUTABLE | INPLACE},
      {"aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> "
       "Tensor(a!)",
       MUTABLE | OUT},
      {"aten::t(Tensor(a) self) -> Tensor(a)", VIEW},
      {"aten::t_(Tensor(a!) self) -> Tensor(a!)", MUTABLE | INPLACE},
      {"aten::chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]", VIEW},
      {"aten::_foreach_add_.List(Tensor(a!)[] self, Tensor[] other, *, Scalar alpha=1) "
       "-> ()",
       MUTABLE},
      {"aten::get.int(Dict(int, t) self, int key) -> t(*)?", VIEW},
      {"m::f(Tensor(a!) self, Tensor(b!) other) -> Tensor(a!)", MUTABLE},
      {"m::f(Tensor(a!) self, Tensor(b) other) -> Tensor(a!)", MUTABLE},
      {"m::f(Tensor self, Tensor(a!) other) -> Tensor(a!)", MUTABLE},
      {"m::f(Tensor(a!) self) -> Tensor", MUTABLE},
      {"m::f(Tensor! self) -> ()", MUTABLE},
      {"m::f(*, Tensor(a!)[] out) -> ()", MUTABLE | OUT},
      {"m::f(Tensor(a!) out) -> ()", MUTABLE},
      {"m::f() -> ()", FUNCTIONAL},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) {
    oy_schema* s = parse(rows[i].text);
    int got = (oy_schema_is_mutable(s) ? MUTABLE : 0) |
              (oy_schema_is_inplace(s) ? INPLACE : 0) | (oy_schema_is_out(s) ? OUT : 0) |
              (oy_schema_is_view(s) ? VIEW : 0) |
              (oy_schema_is_functional(s) ? FUNCTIONAL : 0);
    if (got != rows[i].want) fail_msg("%s: %d", rows[i].text, got);
    oy_schema_free(s);
  }
}

static void SCH_05_argument_predicates(void** state) {
  (void)state;
  oy_schema* s = parse(
      "m::f(Tensor a, Tensor(a) b, Tensor(b!) c, Tensor(c!)[] d, "
      "*, Tensor(d!) e) -> Tensor(b!)");
  static const bool aliasing[] = {false, true, true, true, true};
  static const bool written[] = {false, false, true, true, true};
  for (size_t i = 0; i < COUNT(aliasing); i++) {
    assert_int_equal(oy_argument_is_aliasing(&s->arguments[i]), aliasing[i]);
    assert_int_equal(oy_argument_is_mutable(&s->arguments[i]), written[i]);
    assert_int_equal(s->arguments[i].is_out, i == 4);
  }
  assert_true(oy_argument_is_mutable(&s->returns[0]));
  oy_schema_free(s);
}

static void SCH_05_may_alias(void** state) {
  static const struct {
    const char* a;
    const char* b;
    bool alias;
    bool contain;
  } rows[] = {
      {"Tensor(a)", "Tensor(a)", true, true},
      {"Tensor(a)", "Tensor(a!)", true, true},
      {"Tensor(a)", "Tensor(b)", false, false},
      {"Tensor(a|b)", "Tensor(b|c)", true, true},
      {"Tensor(a)", "Tensor", false, false},
      {"Tensor", "Tensor", false, false},
      {"Tensor(a)?", "Tensor(a)", true, true},
      {"Tensor(a -> b)", "Tensor(b)", true, true},
      {"Tensor(a -> b)", "Tensor(a)", false, false},
      {"Tensor(*)", "Tensor(*)", true, true},
      {"Tensor!", "Tensor!", false, false},
      {"int(a)", "int(a)", false, false},
      {"int[](a)", "int[](a)", true, true},
      {"int[](a)", "float[](a)", false, false},
      {"Tensor[](a)", "Tensor(a)", false, false},
      {"Union(Tensor, int)(a)", "Tensor(a)", true, true},
      {"(int, Tensor)(a)", "(Tensor, str)(a)", true, true},
      {"(int, int)(a)", "(int, int)(a)", false, false},
      {"Dict(str, int)(a)", "Dict(str, int)(a)", true, true},
      {"Future(Tensor)(a)", "Future(Tensor)(a)", true, true},
      {"Future(int)(a)", "Future(int)(a)", false, false},
      // Containers of what can be shared, and wildcards.
      {"Tensor[]", "Tensor[]", false, true},
      {"Tensor[]", "Tensor(*)", false, true},
      {"Tensor(a -> *)", "Tensor[]", false, true},
      {"Tensor(a)", "Tensor[]", false, false},
      {"int[]", "int[]", false, false},
      {"Tensor[]", "Dict(str, Tensor)", false, true},
      {"int[][]", "int[](*)", false, true},
      {"Tensor[]?", "Tensor?[]", false, true},
      {"Union(Tensor, int)", "Tensor(*)", false, false},
      {"Union(Tensor[], int)", "Tensor(*)", false, true},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) {
    char text[160];
    snprintf(text, sizeof(text), "m::f(%s a, %s b) -> ()", rows[i].a, rows[i].b);
    oy_schema* s = parse(text);
    const oy_argument *a = &s->arguments[0], *b = &s->arguments[1];
    if (oy_argument_may_alias(a, b) != rows[i].alias ||
        oy_argument_may_alias(b, a) != rows[i].alias)
      fail_msg("may_alias: %s and %s", rows[i].a, rows[i].b);
    if (oy_argument_may_contain_alias(a, b) != rows[i].contain ||
        oy_argument_may_contain_alias(b, a) != rows[i].contain)
      fail_msg("may_contain_alias: %s and %s", rows[i].a, rows[i].b);
    oy_schema_free(s);
  }
}

static void SCH_05_return_argument(void** state) {
  static const struct {
    const char* text;
    int want;
  } rows[] = {
      {"m::f(Tensor(a!) self) -> Tensor(a!)", 0},
      {"m::f(Tensor x, *, Tensor(a!) out) -> Tensor(a!)", 1},
      {"m::f(Tensor(a) self) -> Tensor(a)", -1},
      {"m::f(Tensor(a!) self) -> Tensor(a)", -1},
      {"m::f(Tensor(a!) self) -> Tensor(b!)", -1},
      {"m::f(Tensor(a!) x, Tensor(a!) y) -> Tensor(a!)", -1},
      {"m::f(Tensor(a!) x, Tensor(b!) y) -> Tensor(b!)", 1},
      {"m::f(Tensor(a!)[] x) -> Tensor(a!)[]", 0},
      {"m::f(Tensor! x) -> Tensor!", -1},
      {"m::f(Tensor(*!) x) -> Tensor(*!)", -1},
      {"m::f(Tensor x) -> Tensor", -1},
      {"m::f(Tensor x) -> ()", -1},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) {
    oy_schema* s = parse(rows[i].text);
    int got = oy_schema_return_argument(s, 0);
    if (got != rows[i].want) fail_msg("%s: %d", rows[i].text, got);
    assert_int_equal(oy_schema_return_argument(s, 1), -1);
    oy_schema_free(s);
  }
  oy_schema* s = parse(
      "m::f(Tensor x, *, Tensor(a!) y, Tensor(b!) z) -> "
      "(Tensor(a!), Tensor(b!))");
  assert_int_equal(oy_schema_return_argument(s, 0), 1);
  assert_int_equal(oy_schema_return_argument(s, 1), 2);
  oy_schema_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(SCH_05_schema_predicates),
      cmocka_unit_test(SCH_05_argument_predicates),
      cmocka_unit_test(SCH_05_may_alias),
      cmocka_unit_test(SCH_05_return_argument),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
