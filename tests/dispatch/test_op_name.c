// SPDX-License-Identifier: Apache-2.0
// Operator names: what is one, what is not, and that parts are views.
#include "schema_test.h"

typedef struct row {
  const char* text;
  const char* ns;
  const char* base;
  const char* overload;
} row;

static void SCH_01_accepts(void** state) {
  static const row rows[] = {
      {"add", "", "add", ""},
      {"add.out", "", "add", "out"},
      {"aten::add", "aten", "add", ""},
      {"aten::add.Tensor", "aten", "add", "Tensor"},
      {"aten::add_.Tensor", "aten", "add_", "Tensor"},
      {"aten::__and__.Scalar", "aten", "__and__", "Scalar"},
      {"_c10d_functional::all_reduce", "_c10d_functional", "all_reduce", ""},
      {"a::b._x__", "a", "b", "_x__"},
      {"a::b.default_", "a", "b", "default_"},
      {"a::b.Default", "a", "b", "Default"},
      {"a::default", "a", "default", ""},
      {"x9::y8.z7", "x9", "y8", "z7"},
      {"aten::add\n", "aten", "add", ""},
      {" aten::add ", "aten", "add", ""},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) {
    oy_op_name name;
    oy_str text = oy_str_of(rows[i].text);
    if (oy_op_name_parse(text, &name) != OY_OK) fail_msg("%s", oy_error_get()->message);
    assert_str(name.ns, rows[i].ns);
    assert_str(name.base, rows[i].base);
    assert_str(name.overload, rows[i].overload);
    assert_true(name.base.data >= text.data && name.base.data < text.data + text.size);
  }
}

typedef struct refusal {
  const char* text;
  const char* message;
} refusal;

static void SCH_01_refuses(void** state) {
  static const refusal rows[] = {
      {"", "expected ident but found 'eof' here:"},
      {"aten::", "expected ident but found 'eof' here:"},
      {"::add", "expected ident but found '::' here:"},
      {"aten:add", "expected eof but found ':' here:"},
      {"a::b::c", "expected eof but found '::' here:"},
      {"add.", "expected ident but found 'eof' here:"},
      {"add.out.x", "expected eof but found '.' here:"},
      {"1add", "expected ident but found 'number' here:"},
      {"add.1", "expected eof but found 'number' here:"},
      {"add out", "expected eof but found 'ident' here:"},
      {"add\nout", "expected eof but found 'ident' here:"},
      {"None", "expected ident but found 'None' here:"},
      {"a-b", "expected eof but found '-' here:"},
      {"a\xc3\xa9", "expected eof but found 'byte 0xC3' here:"},
      {"aten::add.default", "default is not a legal overload name for aten operators"},
      {"aten::add.__x", "__x is not a legal overload name for aten operators"},
      {"aten::add.__init__", "__init__ is not a legal overload name for aten operators"},
      {"aten::add(Tensor x) -> Tensor",
       "Tried to parse an operator name but function schema was given"},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) {
    oy_op_name name;
    assert_int_equal(oy_op_name_parse(oy_str_of(rows[i].text), &name), OY_PARSE);
    const char* message = oy_error_get()->message;
    if (!strstr(message, rows[i].message))
      fail_msg("want \"%s\" in:\n%s", rows[i].message, message);
    assert_int_equal(name.base.size, 0);
  }
}

static void SCH_01_embedded_nul(void** state) {
  (void)state;
  oy_op_name name;
  oy_str text = {"add\0x", 5};
  assert_int_equal(oy_op_name_parse(text, &name), OY_PARSE);
  assert_non_null(strstr(oy_error_get()->message, "found 'byte 0x00' here:"));
  oy_str none = {NULL, 0};
  assert_int_equal(oy_op_name_parse(none, &name), OY_PARSE);
}

static void SCH_01_reads_no_further_than_the_view(void** state) {
  (void)state;
  oy_op_name name;
  oy_str text = {"aten::add.Tensor", 9};
  assert_int_equal(oy_op_name_parse(text, &name), OY_OK);
  assert_str(name.base, "add");
  assert_int_equal(name.overload.size, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(SCH_01_accepts),
      cmocka_unit_test(SCH_01_refuses),
      cmocka_unit_test(SCH_01_embedded_nul),
      cmocka_unit_test(SCH_01_reads_no_further_than_the_view),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
