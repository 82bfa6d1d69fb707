// SPDX-License-Identifier: Apache-2.0
// Refused schemas: PyTorch's texts, the place, and the limits.
#include <stdio.h>
#include <time.h>

#include "schema_test.h"

#define URL \
  "https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/README.md#func"

typedef struct row {
  const char* text;
  const char* message;
} row;

static void refuse_all(const row* rows, size_t count) {
  for (size_t i = 0; i < count; i++) assert_refused(rows[i].text, rows[i].message);
}

static void SCH_08_pytorch_texts(void** state) {
  static const row rows[] = {
      {"m::f(Tensor x -> Tensor", "expected ) but found 'arrow' here:"},
      {"m::f(Foo x) -> ()",
       "unknown type specifier. Common valid schema types include Tensor, SymInt, int, "
       "float, bool, Scalar; for a full list, please see " URL},
      {"m::f(double x) -> ()",
       "Use `float` instead of `double` in an operator's schema string. `float` in "
       "schema corresponds to the double type in C++"},
      {"m::f(int64_t x) -> ()",
       "Use `SymInt` or `int` instead of `int64_t` in an operator's schema string. "
       "`SymInt` corresponds to c10::SymInt in C++ while `int` in schema corresponds "
       "to the int64_t type in C++."},
      {"m::f(int x=foo) -> ()", "invalid numeric default value"},
      {"m::f(int x=float32) -> ()", "invalid numeric default value"},
      {"m::f(..., int x) -> ()", "... must be the last element of the argument list"},
      {"m::f(..., ...) -> ()", "... must be the last element of the argument list"},
      {"m::f() -> (..., int)", "... must be the last element of the return list"},
      {"m::f(int x=1, ...) -> ()",
       "schemas with vararg (...) can't have default value args"},
      {"m::f(str[] x=[]) -> ()",
       "lists are only supported for float, int and complex types"},
      {"m::f(Scalar[] x=[1]) -> ()",
       "lists are only supported for float, int and complex types"},
      {"m::f(Tensor[2] x=[]) -> ()",
       "lists are only supported for float, int and complex types"},
      {"m::f", "Tried to parse a function schema but only the operator name was given"},
      {"m::f.out\n",
       "Tried to parse a function schema but only the operator name was given"},
      {"m::f(__torch__.foo.classes.a.b x) -> ()",
       "Expected classes namespace but got foo"},
      {"m::f(__torch__.torch.klass.a.b x) -> ()",
       "Expected classes namespace but got klass"},
      {"m::f.default() -> ()", "default is not a legal overload name for aten operators"},
      {"m::f.__x__() -> ()", "__x__ is not a legal overload name for aten operators"},
  };
  (void)state;
  refuse_all(rows, COUNT(rows));
}

static void SCH_08_expected_and_found(void** state) {
  static const row rows[] = {
      {"", "expected ident but found 'eof' here:"},
      {"m::f(", "expected ident but found 'eof' here:"},
      {"m::f()", "expected arrow but found 'eof' here:"},
      {"m::f()\n -> ()", "expected arrow but found 'newline' here:"},
      {"m::f() ->", "expected ident but found 'eof' here:"},
      {"m::f() -> () x", "expected eof but found 'ident' here:"},
      {"m::f() -> ()\nm::g() -> ()", "expected eof but found 'ident' here:"},
      {"m::f() -> (int, str)[]", "expected eof but found '[' here:"},
      {"m::f() -> (int,)", "expected ident but found ')' here:"},
      {"m::f(Tensor) -> ()", "expected ident but found ')' here:"},
      {"m::f(Tensor x,) -> ()", "expected ident but found ')' here:"},
      {"m::f(Tensor x y) -> ()", "expected ) but found 'ident' here:"},
      {"m::f(Tensor x; int y) -> ()", "expected ) but found ';' here:"},
      {"m::f(Tensor?(a!) x) -> ()", "expected ident but found '(' here:"},
      {"m::f(Tensor() x) -> ()", "expected ident but found ')' here:"},
      {"m::f(Tensor(a|) x) -> ()", "expected ident but found ')' here:"},
      {"m::f(Tensor(a -> ) x) -> ()", "expected ident but found ')' here:"},
      {"m::f(Tensor(a ! b) x) -> ()", "expected ) but found 'ident' here:"},
      {"m::f(Dict(str) x) -> ()", "expected , but found ')' here:"},
      {"m::f(Future() x) -> ()", "expected ident but found ')' here:"},
      {"m::f(Union() x) -> ()", "expected ident but found ')' here:"},
      {"m::f(int[2][] x) -> ()", "expected ident but found '[' here:"},
      {"m::f(Dict(int, int[2]) x) -> ()", "expected ] but found 'number' here:"},
      {"m::f(int[x] y) -> ()", "expected number but found 'ident' here:"},
      {"m::f(Tensor x=3) -> ()", "expected None but found 'number' here:"},
      {"m::f(Tensor? x=3) -> ()", "expected None but found 'number' here:"},
      {"m::f(Generator x=0) -> ()", "expected None but found 'number' here:"},
      {"m::f(Any x=1) -> ()", "expected None but found 'number' here:"},
      {"m::f(int[] x=1) -> ()", "expected [ but found 'number' here:"},
      {"m::f(int[] x=None) -> ()", "expected [ but found 'None' here:"},
      {"m::f(int[] x=foo) -> ()", "expected None but found 'ident' here:"},
      {"m::f(int[] x=[None]) -> ()", "expected number but found 'None' here:"},
      {"m::f(int[] x=[[1]]) -> ()", "expected number but found '[' here:"},
      {"m::f(int x=) -> ()", "expected number but found ')' here:"},
      {"m::f(int x=--1) -> ()", "expected number but found '-' here:"},
      {"m::f(int x=+1) -> ()", "expected number but found '+' here:"},
      {"m::f(str x=1) -> ()", "expected string_literal but found 'number' here:"},
      {"m::f(Device x=cpu) -> ()", "expected string_literal but found 'ident' here:"},
      {"m::f(str x=\"a) -> ()",
       "expected string_literal but found 'unterminated string_literal' here:"},
      {"m::f(str x='a\nb') -> ()",
       "expected string_literal but found 'unterminated string_literal' here:"},
      {"m::f(Tensor x\xff) -> ()", "expected ) but found 'byte 0xFF' here:"},
      {"m::f(Tensor $x) -> ()", "expected ident but found '$' here:"},
      {"m::f(*) -> ()", "expected ,"},
      {"m::f(int a, *) -> ()", "expected ,"},
      {"m::f(*, int a, *, int b) -> ()", "* may stand only once"},
      {"m::f(*, ...,) -> ()", "... must be the last element of the argument list"},
      {"m::f(Dict(int[], int) x) -> ()", "Cannot create dict for this key type"},
  };
  (void)state;
  refuse_all(rows, COUNT(rows));
}

static void SCH_04_values_that_do_not_fit(void** state) {
  static const row rows[] = {
      {"m::f(int x=9223372036854775808) -> ()", "does not fit in 64 bits"},
      {"m::f(int x=-9223372036854775809) -> ()", "does not fit in 64 bits"},
      {"m::f(int x=99999999999999999999999) -> ()", "does not fit in 64 bits"},
      {"m::f(float x=1e999) -> ()", "does not fit in a double"},
      {"m::f(int x=1.5) -> ()", "invalid numeric default value: expected an int"},
      {"m::f(int x=1j) -> ()", "invalid numeric default value: expected an int"},
      {"m::f(int x='a') -> ()", "invalid numeric default value: expected an int"},
      {"m::f(int x=True) -> ()", "invalid numeric default value: expected an int"},
      {"m::f(int x=inf) -> ()", "invalid numeric default value: expected an int"},
      {"m::f(bool x=1) -> ()", "expected True or False"},
      {"m::f(float x=1j) -> ()", "invalid numeric default value: expected a number"},
      {"m::f(float x=long) -> ()", "invalid numeric default value"},
      {"m::f(complex x=1+2) -> ()", "expected an imaginary part"},
      {"m::f(int[0] x) -> ()", "expected a list size between 1 and 4096"},
      {"m::f(int[4097] x) -> ()", "expected a list size between 1 and 4096"},
      {"m::f(int[99999999999999999999] x) -> ()", "expected a list size between"},
      {"m::f(int[1.5] x) -> ()", "expected a list size between"},
      {"m::f(str x='\\400') -> ()", "unsupported escape"},
      {"m::f(str x='\\u0041') -> ()", "unsupported escape"},
  };
  (void)state;
  refuse_all(rows, COUNT(rows));
}

static void SCH_03_positional_after_default(void** state) {
  (void)state;
  assert_refused("m::f(int a=1, Tensor b) -> Tensor",
                 "Non-default positional argument follows default argument. Parameter b "
                 "in m::f(int a=1, Tensor b) -> Tensor\n");
  assert_refused("m::f(int a=1, int[2]? b) -> ()", "Parameter b in ");
  oy_schema_free(parse("m::f(int a=1, int[2] b, *, int c) -> ()"));
  oy_schema_free(parse("m::f(int a=1, *, Tensor c) -> ()"));
  assert_refused_flags(oy_str_of("(int a=1, int) -> ()"), OY_SCHEMA_SIGNATURE,
                       "Parameter _1 in (int a=1, int _1) -> ()");
}

static void SCH_08_diagrams(void** state) {
  static const row rows[] = {
      {"m::f(Tensor x -> Tensor",
       "expected ) but found 'arrow' here:\n"
       "line 1, column 15, at '->':\n"
       "m::f(Tensor x -> Tensor\n"
       "              ~~ <--- HERE"},
      {"m::f(\n  Tensor x,\n  Foo y) -> ()",
       "\nline 3, column 3, at 'Foo':\n"
       "  Foo y) -> ()\n"
       "  ~~~ <--- HERE"},
      {"m::f(Tensor x",
       "\nline 1, column 14, at the end:\n"
       "m::f(Tensor x\n"
       "             ~ <--- HERE"},
      {"m::f(str \xc3\xa9) -> ()",
       "\nline 1, column 10, at '?':\n"
       "m::f(str \?\?) -> ()\n"
       "         ~ <--- HERE"},
  };
  (void)state;
  refuse_all(rows, COUNT(rows));
}

static void SCH_08_long_lines_are_cut(void** state) {
  (void)state;
  char text[4000] = "m::f(";
  for (int i = 0; i < 30; i++) strcat(text, "Tensor a_rather_long_name, ");
  strcat(text, "Foo x");
  for (int i = 0; i < 30; i++) strcat(text, ", Tensor a_rather_long_name");
  strcat(text, ") -> ()");
  assert_refused(text, "at 'Foo':\n...");
  const char* message = oy_error_get()->message;
  assert_true(strlen(message) < 700);
  const char* found = strstr(message, "\n...");
  const char* mark = strstr(found, "~~~ <--- HERE");
  const char* below = strstr(found + 1, "\n") + 1;
  assert_int_equal(strstr(found, "Foo") - (found + 1), mark - below);
}

static void SCH_08_embedded_nul(void** state) {
  (void)state;
  static const char text[] = "m::f(Tensor\0x) -> ()";
  assert_refused_flags((oy_str){text, sizeof(text) - 1}, 0,
                       "expected ident but found 'byte 0x00' here:");
  static const char tail[] = "m::f() -> ()\0";
  assert_refused_flags((oy_str){tail, sizeof(tail) - 1}, 0,
                       "expected eof but found 'byte 0x00' here:");
  static const char literal[] = "m::f(str x=\"a\0b\") -> ()";
  oy_schema* s;
  assert_int_equal(oy_schema_parse((oy_str){literal, sizeof(literal) - 1}, 0, &s), OY_OK);
  assert_int_equal(s->arguments[0].default_value.text.size, 3);
  oy_schema_free(s);
  assert_refused_flags((oy_str){NULL, 0}, 0, "expected ident but found 'eof' here:");
}

static char* repeat(const char* head, const char* unit, size_t count, const char* tail) {
  size_t size = strlen(unit);
  char* text = malloc(strlen(head) + size * count + strlen(tail) + 1);
  assert_non_null(text);
  char* p = stpcpy(text, head);
  for (size_t i = 0; i < count; i++) p = stpcpy(p, unit);
  strcpy(p, tail);
  return text;
}

static void SCH_08_argument_limit(void** state) {
  (void)state;
  char* text = repeat("m::f(", "Tensor a, ", 64, "Tensor b) -> ()");
  assert_refused(text,
                 "The function schema has 65 arguments but this opyard build only "
                 "supports 64");
  free(text);
  text = repeat("m::f(", "Tensor a=None, ", 99, "int b) -> ()");
  assert_refused(text, "The function schema has 100 arguments");
  free(text);
  text = repeat("m::f() -> (", "Tensor, ", 64, "Tensor)");
  assert_refused(text, "The function schema has 65 returns");
  free(text);
}

static void ROB_04_nesting_limit(void** state) {
  (void)state;
  static const struct {
    const char* head;
    const char* unit;
    size_t fits;
    const char* close;
  } rows[] = {
      {"m::f(", "(", 31, ")"},
      {"m::f(", "Future(", 31, ")"},
      {"m::f(", "Dict(int, ", 31, ")"},
  };
  for (size_t i = 0; i < COUNT(rows); i++)
    for (size_t extra = 0; extra < 2; extra++) {
      char* head = repeat(rows[i].head, rows[i].unit, rows[i].fits + extra, "int");
      char* text = repeat(head, rows[i].close, rows[i].fits + extra, " x) -> ()");
      if (extra)
        assert_refused(text, "expected a type nested at most 32 deep");
      else
        oy_schema_free(parse(text));
      free(text);
      free(head);
    }
  char* text = repeat("m::f(int", "[]", 31, " x) -> ()");
  oy_schema_free(parse(text));
  free(text);
  text = repeat("m::f(int", "[]", 32, " x) -> ()");
  assert_refused(text, "expected a type nested at most 32 deep");
  free(text);
}

// A megabyte of each takes far less than a second if the work is linear; with
// quadratic work it would take hours. The bound leaves room for sanitizers.
static void ROB_04_a_megabyte(void** state) {
  (void)state;
  enum { MEGABYTE = 1 << 20 };
  static const char* const rows[][3] = {
      {"m::f(", "(", ""},
      {"m::f(", "Tensor a, ", "Tensor b) -> ()"},
      {"m::", "a", "() -> ()"},
      {"m::f(int[] x=[1", ",1", "]) -> ()"},
      {"m::f(str x='", "\\n", "') -> ()"},
      {"m::f(int x=", "9", ") -> ()"},
      {"m::f(float x=0.", "9", ") -> ()"},
      {"m::f(Union(int", ",int", ") x) -> ()"},
      {"m::f(Tensor(a", "|a", ") x) -> ()"},
      {"m::f(", "\n", "Tensor x) -> ("},
      {"m::f(int", "?", " x) -> ()"},
      {"m::f(Tensor x", "\xff", ") -> ()"},
      {"m::f(str x=", "'a", ") -> ()"},
      {"m::f(int a=1, int ", "b", ") -> ()"},
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    size_t count = MEGABYTE / strlen(rows[i][1]);
    char* text = repeat(rows[i][0], rows[i][1], count, rows[i][2]);
    clock_t start = clock();
    oy_schema* s;
    oy_status status = oy_schema_parse(oy_str_of(text), 0, &s);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_true(status == OY_OK || status == OY_PARSE);
    if (status != OY_OK) assert_true(strlen(oy_error_get()->message) < 2500);
    if (seconds > 5) fail_msg("row %zu took %.1f s", i, seconds);
    oy_schema_free(s);
    free(text);
  }
}

// Every prefix of a schema, and every one with a byte changed, either parses or
// is refused.
static void ROB_04_damaged_schemas(void** state) {
  (void)state;
  static const char text[] =
      "aten::f.o(Tensor(a! -> a|b)[](c)? x, Dict(str, (int, t)) y, int[2] z=1, *, "
      "float w=-1.5e-3, str v='\\n', complex u=1+2j, bool s=True) -> (Tensor(a!), ...)";
  char copy[sizeof(text)];
  oy_schema_free(parse(text));
  for (size_t i = 0; i < sizeof(text) - 1; i++)
    for (int c = -1; c < 256; c++) {
      memcpy(copy, text, sizeof(text));
      size_t size = c < 0 ? i : sizeof(text) - 1;
      if (c >= 0) copy[i] = (char)c;
      oy_schema* s;
      oy_status status = oy_schema_parse((oy_str){copy, size}, 0, &s);
      assert_true(status == OY_OK || status == OY_PARSE);
      assert_int_equal(s != NULL, status == OY_OK);
      oy_schema_free(s);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(SCH_08_pytorch_texts),
      cmocka_unit_test(SCH_08_expected_and_found),
      cmocka_unit_test(SCH_04_values_that_do_not_fit),
      cmocka_unit_test(SCH_03_positional_after_default),
      cmocka_unit_test(SCH_08_diagrams),
      cmocka_unit_test(SCH_08_long_lines_are_cut),
      cmocka_unit_test(SCH_08_embedded_nul),
      cmocka_unit_test(SCH_08_argument_limit),
      cmocka_unit_test(ROB_04_nesting_limit),
      cmocka_unit_test(ROB_04_a_megabyte),
      cmocka_unit_test(ROB_04_damaged_schemas),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
