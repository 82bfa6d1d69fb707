// SPDX-License-Identifier: Apache-2.0
// What the parser makes of a declaration: names, types, alias sets, returns.
// Expected values come from PyTorch 2.6.
#include <stdio.h>

#include "schema_test.h"

static void SCH_01_declaration_names(void** state) {
  (void)state;
  oy_schema* s = parse("aten :: add . Tensor () -> ()");
  assert_str(s->name.ns, "aten");
  assert_str(s->name.base, "add");
  assert_str(s->name.overload, "Tensor");
  assert_str(s->full_name, "aten::add.Tensor");
  oy_schema_free(s);
  s = parse("add() -> ()\n");
  assert_str(s->full_name, "add");
  assert_int_equal(s->name.ns.size, 0);
  oy_schema_free(s);
}

static void SCH_02_base_types(void** state) {
  static const struct {
    const char* text;
    oy_type_kind kind;
  } rows[] = {
      {"Tensor", OY_TYPE_TENSOR},
      {"int", OY_TYPE_INT},
      {"SymInt", OY_TYPE_SYMINT},
      {"float", OY_TYPE_FLOAT},
      {"bool", OY_TYPE_BOOL},
      {"complex", OY_TYPE_COMPLEX},
      {"str", OY_TYPE_STR},
      {"Scalar", OY_TYPE_SCALAR},
      {"ScalarType", OY_TYPE_SCALAR_TYPE},
      {"Layout", OY_TYPE_LAYOUT},
      {"MemoryFormat", OY_TYPE_MEMORY_FORMAT},
      {"Device", OY_TYPE_DEVICE},
      {"DeviceIndex", OY_TYPE_DEVICE_INDEX},
      {"Generator", OY_TYPE_GENERATOR},
      {"Dimname", OY_TYPE_DIMNAME},
      {"Storage", OY_TYPE_STORAGE},
      {"QScheme", OY_TYPE_QSCHEME},
      {"Quantizer", OY_TYPE_QUANTIZER},
      {"ConstQuantizerPtr", OY_TYPE_CONST_QUANTIZER_PTR},
      {"Stream", OY_TYPE_STREAM},
      {"None", OY_TYPE_NONE},
      {"NoneType", OY_TYPE_NONE},
      {"Capsule", OY_TYPE_CAPSULE},
      {"Any", OY_TYPE_ANY},
      {"AnyClassType", OY_TYPE_ANY_CLASS},
      {"AnyEnumType", OY_TYPE_ANY_ENUM},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) {
    char text[160];
    snprintf(text, sizeof(text), "m::f(%s a, %s? b, %s[] c, %s[]? d) -> ()", rows[i].text,
             rows[i].text, rows[i].text, rows[i].text);
    oy_schema* s = parse(text);
    const oy_argument* a = s->arguments;
    assert_int_equal(s->argument_count, 4);
    assert_int_equal(a[0].type->kind, rows[i].kind);
    assert_int_equal(a[1].type->kind, OY_TYPE_OPTIONAL);
    assert_int_equal(a[1].type->element->kind, rows[i].kind);
    assert_int_equal(a[2].type->kind, OY_TYPE_LIST);
    assert_int_equal(a[2].type->element->kind, rows[i].kind);
    assert_int_equal(a[3].type->kind, OY_TYPE_OPTIONAL);
    assert_int_equal(a[3].type->element->kind, OY_TYPE_LIST);
    assert_ptr_equal(a[3].alias, NULL);
    oy_schema_free(s);
  }
}

static const oy_type* only_type(const oy_schema* s) {
  assert_int_equal(s->argument_count, 1);
  return s->arguments[0].type;
}

static void SCH_02_structured_types(void** state) {
  (void)state;
  oy_schema* s = parse("aten::f(Dict(str, (int, t)[]) x) -> ()");
  const oy_type* type = only_type(s);
  assert_int_equal(type->kind, OY_TYPE_DICT);
  assert_int_equal(type->element->kind, OY_TYPE_STR);
  assert_int_equal(type->value->kind, OY_TYPE_LIST);
  const oy_type* tuple = type->value->element;
  assert_int_equal(tuple->kind, OY_TYPE_TUPLE);
  assert_int_equal(tuple->field_count, 2);
  assert_int_equal(tuple->fields[0]->kind, OY_TYPE_INT);
  assert_int_equal(tuple->fields[1]->kind, OY_TYPE_VAR);
  assert_str(tuple->fields[1]->name, "t");
  oy_schema_free(s);

  s = parse("m::f(Union(int, Future(Tensor), RRef(int), Await(str)) x) -> ()");
  type = only_type(s);
  assert_int_equal(type->kind, OY_TYPE_UNION);
  assert_int_equal(type->field_count, 4);
  assert_int_equal(type->fields[1]->kind, OY_TYPE_FUTURE);
  assert_int_equal(type->fields[1]->element->kind, OY_TYPE_TENSOR);
  assert_int_equal(type->fields[2]->kind, OY_TYPE_RREF);
  assert_int_equal(type->fields[3]->kind, OY_TYPE_AWAIT);
  oy_schema_free(s);

  s = parse("m::f(__torch__.torch.classes.rnn.CellParamsBase[] x) -> ()");
  type = only_type(s);
  assert_int_equal(type->element->kind, OY_TYPE_CLASS);
  assert_str(type->element->name, "__torch__.torch.classes.rnn.CellParamsBase");
  oy_schema_free(s);
}

static void SCH_02_fixed_lists_and_optionals(void** state) {
  (void)state;
  oy_schema* s = parse(
      "m::f(int[2] a, SymInt[3]? b, Tensor?[] c, Tensor?[]? d, "
      "int?? e, int[][2] g) -> int[4]");
  const oy_argument* a = s->arguments;
  assert_int_equal(a[0].type->fixed_size, 2);
  assert_int_equal(a[1].type->kind, OY_TYPE_OPTIONAL);
  assert_int_equal(a[1].type->element->fixed_size, 3);
  assert_int_equal(a[2].type->element->kind, OY_TYPE_OPTIONAL);
  assert_int_equal(a[3].type->element->element->kind, OY_TYPE_OPTIONAL);
  assert_int_equal(a[4].type->element->kind, OY_TYPE_INT);
  assert_int_equal(a[5].type->fixed_size, 2);
  assert_int_equal(a[5].type->element->kind, OY_TYPE_LIST);
  assert_int_equal(s->returns[0].type->fixed_size, 4);
  oy_schema_free(s);
}

static void SCH_02_dispatch_arguments(void** state) {
  (void)state;
  oy_schema* s = parse(
      "m::f(Tensor a, Tensor? b, Tensor[] c, Tensor?[] d, "
      "Tensor[]? e, int f, Dict(str, Tensor) g, Tensor[2] h) -> ()");
  static const bool want[] = {true, true, true, true, false, false, false, true};
  for (size_t i = 0; i < COUNT(want); i++)
    assert_int_equal(s->arguments[i].is_dispatch, want[i]);
  oy_schema_free(s);
}

static void SCH_02_type_variables(void** state) {
  static const char* const allowed[] = {"aten::f(t x) -> t",
                                        "prim::f(t[] x, tVal y) -> Dict(str, tVal)"};
  (void)state;
  for (size_t i = 0; i < COUNT(allowed); i++) oy_schema_free(parse(allowed[i]));
  assert_refused("m::f(t x) -> t", "unknown type specifier");
  assert_refused("atenx::f(t x) -> t", "unknown type specifier");
  assert_refused("aten::f(T x) -> T", "unknown type specifier");
  oy_schema_free(parse_flags("m::f(t x) -> t", OY_SCHEMA_ALLOW_TYPE_VARIABLES));
}

static void SCH_03_kwarg_only_and_vararg(void** state) {
  (void)state;
  oy_schema* s = parse("m::f(Tensor a, *, int b=1, Tensor(a!) out) -> ()");
  assert_false(s->arguments[0].kwarg_only);
  assert_true(s->arguments[1].kwarg_only && !s->arguments[1].is_out);
  assert_true(s->arguments[2].kwarg_only && s->arguments[2].is_out);
  oy_schema_free(s);
  s = parse("m::f(*, int b) -> ()");
  assert_int_equal(s->argument_count, 1);
  assert_true(s->arguments[0].kwarg_only);
  oy_schema_free(s);
  s = parse("aten::format(str self, ...) -> str");
  assert_true(s->is_vararg && !s->is_varret);
  assert_int_equal(s->argument_count, 1);
  oy_schema_free(s);
  s = parse("prim::g(...) -> ...");
  assert_true(s->is_vararg && s->is_varret);
  assert_int_equal(s->argument_count + s->return_count, 0);
  oy_schema_free(s);
}

static void assert_set(const oy_str* names, size_t count, const char* want) {
  char got[64] = "";
  for (size_t i = 0; i < count; i++)
    snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%.*s", i ? "|" : "",
             OY_STR_ARG(names[i]));
  assert_string_equal(got, want);
}

static void SCH_05_alias_sets(void** state) {
  static const struct {
    const char* type;
    const char* before;
    const char* after;
    bool write;
  } rows[] = {
      {"Tensor(a)", "a", "a", false},
      {"Tensor(a!)", "a", "a", true},
      {"Tensor(a -> *)", "a", "*", false},
      {"Tensor(a! -> a|b)", "a", "a|b", true},
      {"Tensor(b|a)", "a|b", "a|b", false},
      {"Tensor(c|a|b|a)", "a|b|c", "a|b|c", false},
      {"Tensor(*)", "*", "*", false},
      {"Tensor(a)?", "a", "a", false},
      {"int[](a!)", "a", "a", true},
      {"int[2](a!)?", "a", "a", true},
      {"Dict(str, int)(a!)", "a", "a", true},
      {"Union(int, Tensor)(a)", "a", "a", false},
      {"Tensor!", "", "", true},
      {"Tensor(a!)[]", "", "", true},
      {"Tensor(a)[]", "", "", false},
      {"Tensor(a!)[](b)", "b", "b", false},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) {
    char text[100];
    snprintf(text, sizeof(text), "m::f(%s x) -> ()", rows[i].type);
    oy_schema* s = parse(text);
    const oy_alias* alias = s->arguments[0].alias;
    assert_non_null(alias);
    assert_set(alias->before, alias->before_count, rows[i].before);
    assert_set(alias->after, alias->after_count, rows[i].after);
    assert_int_equal(alias->is_write, rows[i].write);
    assert_int_equal(alias->anonymous, strcmp(rows[i].type, "Tensor!") == 0);
    assert_int_equal(alias->has_after, strstr(rows[i].type, "->") != NULL);
    assert_int_equal(alias->element != NULL, strncmp(rows[i].type, "Tensor(a", 8) == 0 &&
                                                 strstr(rows[i].type, "[]") != NULL);
    oy_schema_free(s);
  }
}

static void SCH_05_nested_containers(void** state) {
  (void)state;
  oy_schema* s = parse("aten::f(t(c -> *)[][](a!) x) -> ()");
  const oy_alias* alias = s->arguments[0].alias;
  assert_set(alias->before, alias->before_count, "a");
  assert_true(alias->is_write);
  assert_int_equal(alias->element->before_count, 0);
  assert_false(alias->element->is_write);
  assert_set(alias->element->element->after, 1, "*");
  assert_null(alias->element->element->element);
  oy_schema_free(s);
}

static void SCH_07_returns(void** state) {
  static const struct {
    const char* returns;
    size_t count;
    bool varret;
  } rows[] = {
      {"()", 0, false},
      {"Tensor", 1, false},
      {"Tensor Y", 1, false},
      {"(Tensor)", 1, false},
      {"(Tensor a, Tensor b)", 2, false},
      {"((int, str))", 1, false},
      {"((int, str)[])", 1, false},
      {"...", 0, true},
      {"(Tensor, ...)", 1, true},
      {"(...)", 0, true},
      {"NoneType", 1, false},
      {"Tensor(a!)[]", 1, false},
      {"(())", 1, false},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) {
    char text[100];
    snprintf(text, sizeof(text), "m::f() -> %s", rows[i].returns);
    oy_schema* s = parse(text);
    assert_int_equal(s->return_count, rows[i].count);
    assert_int_equal(s->is_varret, rows[i].varret);
    oy_schema_free(s);
  }
  oy_schema* s = parse("m::f() -> (Tensor values, Tensor)");
  assert_str(s->returns[0].name, "values");
  assert_str(s->returns[1].name, "");
  oy_schema_free(s);
}

static void SCH_10_signature_mode(void** state) {
  (void)state;
  oy_schema* s = parse_flags("(Tensor, Scalar[]) -> (Tensor, int)", OY_SCHEMA_SIGNATURE);
  assert_str(s->full_name, "");
  assert_str(s->arguments[0].name, "_0");
  assert_str(s->arguments[1].name, "_1");
  assert_str(s->returns[1].name, "_1");
  oy_schema_free(s);
  s = parse_flags("m::f(Tensor x, int, *, bool[2]?) -> Tensor y", OY_SCHEMA_SIGNATURE);
  assert_str(s->full_name, "m::f");
  assert_str(s->arguments[0].name, "x");
  assert_str(s->arguments[1].name, "_1");
  assert_str(s->arguments[2].name, "_2");
  assert_str(s->returns[0].name, "y");
  oy_schema_free(s);
  assert_refused("(Tensor x) -> ()", "expected ident but found '(' here:");
  assert_refused("m::f(Tensor) -> ()", "expected ident but found ')' here:");
}

static void SCH_03_blank_space_and_newlines(void** state) {
  (void)state;
  oy_schema* s =
      parse("\n  m::f(\n  Tensor x,\r\n\tint y = 1\n) -> (Tensor,\n int)\n\n ");
  assert_int_equal(s->argument_count, 2);
  assert_int_equal(s->return_count, 2);
  oy_schema_free(s);
}

static void SCH_03_sixty_four_arguments(void** state) {
  (void)state;
  char text[2000] = "m::f(";
  for (int i = 0; i < 64; i++)
    snprintf(text + strlen(text), 20, "%sTensor x%d", i ? ", " : "", i);
  strcat(text, ") -> ()");
  oy_schema* s = parse(text);
  assert_int_equal(s->argument_count, 64);
  assert_str(s->arguments[63].name, "x63");
  oy_schema_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(SCH_01_declaration_names),
      cmocka_unit_test(SCH_02_base_types),
      cmocka_unit_test(SCH_02_structured_types),
      cmocka_unit_test(SCH_02_fixed_lists_and_optionals),
      cmocka_unit_test(SCH_02_dispatch_arguments),
      cmocka_unit_test(SCH_02_type_variables),
      cmocka_unit_test(SCH_03_kwarg_only_and_vararg),
      cmocka_unit_test(SCH_03_blank_space_and_newlines),
      cmocka_unit_test(SCH_03_sixty_four_arguments),
      cmocka_unit_test(SCH_05_alias_sets),
      cmocka_unit_test(SCH_05_nested_containers),
      cmocka_unit_test(SCH_07_returns),
      cmocka_unit_test(SCH_10_signature_mode),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
