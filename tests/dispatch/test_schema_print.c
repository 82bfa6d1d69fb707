// SPDX-License-Identifier: Apache-2.0
// Printing: the texts that PyTorch 2.6 prints come back unchanged, and what it
// cannot read back prints in a form that can be.
#include <locale.h>
#include <stdio.h>

#include "schema_test.h"

static void SCH_09_prints_as_written(void** state) {
  static const char* const rows[] = {
      "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
      "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> "
      "Tensor(a!)",
      "aten::items.str(Dict(str, t) self) -> ((str, t)[])",
      "aten::append.t(t[](a!) self, t(c -> *) el) -> t[](a!)",
      "aten::get.str(Dict(str, t) self, str key) -> t(*)?",
      "aten::_set_item.str(Dict(str, t)(a!) l, str(b -> *) idx, t(c -> *) v) -> ()",
      "aten::chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]",
      "aten::_unwrap_optional(t(a)? optional) -> t(a)",
      "aten::format(str self, ...) -> str",
      "prim::Print(...) -> ()",
      "prim::rpc_async(...) -> ...",
      "m::f() -> (Tensor, ...)",
      "m::f() -> (Tensor values, Tensor indices)",
      "m::f(Tensor(a!)[] self, *, Tensor(b!)[] out) -> Tensor(a!)[]",
      "m::f(Tensor(a)?[](b)? x) -> Tensor(a! -> a|b)",
      "m::f(int[2] s=1, SymInt[2] t=[1, 1], int[1] u=[0], int[2] v=[-2, -1]) -> ()",
      "m::f(int[1]? x=None, int[]? y=None) -> int[3]",
      "m::f(__torch__.torch.classes.rnn.CellParamsBase[] x) -> NoneType",
      "m::f(Union(int, Tensor)? x, Future(int) y, RRef(int) z, Await(str) w) -> Any",
      "m::f(float a=1., float b=1.0000000000000001e-05, float c=0.5, float d=0.01) -> ()",
      "m::f(float a=0.33333333333333331, float b=1e-08, float c=60.) -> ()",
      "m::f(float a=9.9999999999999995e-07, float b=1.0000000000000001e-15) -> ()",
      "m::f(float a=inf, float b=-inf, float c=nan, float d=-0.) -> ()",
      "m::f(float? correction=1, Scalar a=1, Scalar b=1., Scalar "
      "c=1.0000000000000001e+300) -> ()",
      "m::f(str a=\"linear\", str b=\"\", str c=\" \\n\\t\\f\\v\", "
      "str d=\"\\\"\\'\\\\\") -> ()",
      "m::f(MemoryFormat? m=0, ScalarType d=6, Layout l=0) -> ()",
      "m::f(bool[2] x=[True, False], float[] y=[1., 2.5], int[] z=[]) -> ()",
      "m::f((int, str) x, (int, (str, float)[])? y) -> ((int, str))",
      "m::f(SymInt a=-1, *, int b=9223372036854775807) -> ()",
      "f(Tensor a) -> Tensor",
  };
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) assert_prints(rows[i], rows[i]);
}

static void SCH_09_canonical_forms(void** state) {
  static const char* const rows[][2] = {
      {"aten :: f . x( Tensor  a,int b = 3 )->Tensor y\n",
       "aten::f.x(Tensor a, int b=3) -> Tensor y"},
      {"f() -> (Tensor)", "f() -> Tensor"},
      {"f() -> (...)", "f() -> ..."},
      {"f(MemoryFormat? m=contiguous_format, int d=long, int r=Mean) -> ()",
       "f(MemoryFormat? m=0, int d=4, int r=1) -> ()"},
      {"f(ScalarType t=float32, Layout l=strided) -> ()",
       "f(ScalarType t=6, Layout l=0) -> ()"},
      {"f(Device? d='cpu') -> ()", "f(Device? d=\"cpu\") -> ()"},
      {"f(Tensor! x) -> Tensor![]", "f(Tensor! x) -> Tensor![]"},
      {"f(Tensor(b|a) x) -> Tensor(b|a|b)", "f(Tensor(a|b) x) -> Tensor(a|b)"},
      {"f(Tensor(a -> a) x) -> ()", "f(Tensor(a) x) -> ()"},
      {"f(int[2] s=[1,1]) -> ()", "f(int[2] s=1) -> ()"},
      {"f(int[2] s=[1,1,1]) -> ()", "f(int[2] s=[1, 1, 1]) -> ()"},
      {"f(int[] s=[1,1]) -> ()", "f(int[] s=[1, 1]) -> ()"},
      {"f(SymInt[2] s=1) -> ()", "f(SymInt[2] s=[1, 1]) -> ()"},
      {"f(int[1] s=1) -> ()", "f(int[1] s=[1]) -> ()"},
      {"f(bool[2] s=True) -> ()", "f(bool[2] s=[True, True]) -> ()"},
      {"f(float x=1) -> ()", "f(float x=1.) -> ()"},
      {"f(float x=1e-5) -> ()", "f(float x=1.0000000000000001e-05) -> ()"},
      {"f(Scalar x=1e9) -> ()", "f(Scalar x=1000000000.) -> ()"},
      {"f(Scalar x=1e10) -> ()", "f(Scalar x=10000000000.) -> ()"},
      {"f(Scalar x=1e16) -> ()", "f(Scalar x=10000000000000000.) -> ()"},
      {"f(Scalar x=0.1) -> ()", "f(Scalar x=0.10000000000000001) -> ()"},
      {"f(complex x=2j) -> ()", "f(complex x=0.+2.j) -> ()"},
      {"f(complex x=1.5-0.5j) -> ()", "f(complex x=1.5-0.5j) -> ()"},
      {"f(complex x=-0.+infj) -> ()", "f(complex x=-0.+infj) -> ()"},
      {"f(complex x=nan-nanj) -> ()", "f(complex x=nan+nanj) -> ()"},
      {"f(str x='a\\x') -> ()", NULL},
      {"f(str x='\\1a\\377') -> ()", "f(str x=\"\\001a\\377\") -> ()"},
      {"f(str x='\xc3\xa9') -> ()", "f(str x=\"\\303\\251\") -> ()"},
      {"f(int?? x) -> None", "f(int? x) -> NoneType"},
      {"f(Tensor?[] x, *, int y=1) -> ()", "f(Tensor?[] x, *, int y=1) -> ()"},
      {"f(Dict(str, Tensor(a)) x) -> ()", "f(Dict(str, Tensor) x) -> ()"},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) {
    if (rows[i][1])
      assert_prints(rows[i][0], rows[i][1]);
    else
      assert_refused(rows[i][0], "unsupported escape in a string literal");
  }
}

static void SCH_10_signatures_print(void** state) {
  (void)state;
  assert_prints_flags("(Tensor) -> Tensor", "(Tensor _0) -> Tensor _0",
                      OY_SCHEMA_SIGNATURE);
  assert_prints_flags("(Tensor[], int?) -> (Tensor, int)",
                      "(Tensor[] _0, int? _1) -> (Tensor _0, int _1)",
                      OY_SCHEMA_SIGNATURE);
  assert_prints_flags("() -> ()", "() -> ()", OY_SCHEMA_SIGNATURE);
}

static void SCH_09_types_print(void** state) {
  static const char* const rows[] = {
      "Tensor",           "int[2]?",         "Tensor?[]",
      "Dict(str, int[])", "(int, str)[]",    "ScalarType",
      "SymInt[]",         "Union(int, str)", "__torch__.torch.classes.a.b"};
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) {
    char text[100];
    snprintf(text, sizeof(text), "f(%s x) -> ()", rows[i]);
    oy_schema* s = parse(text);
    char* printed;
    assert_int_equal(oy_type_print(s->arguments[0].type, &printed), OY_OK);
    assert_string_equal(printed, rows[i]);
    oy_text_free(printed);
    oy_schema_free(s);
  }
}

// A locale with a decimal comma must not change what is read or printed.
static void SCH_09_locale(void** state) {
  (void)state;
  const char* const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"};
  for (size_t i = 0; i < COUNT(names); i++)
    if (setlocale(LC_ALL, names[i])) break;
  assert_prints("f(float x=0.5, complex y=1.5j, float z=1e-300) -> ()",
                "f(float x=0.5, complex y=0.+1.5j, float z=1e-300) -> ()");
  setlocale(LC_ALL, "C");
}

// --- All of PyTorch 2.6 ---------------------------------------------------------

static FILE* open_data(void) {
  const char* folder = getenv("OY_TEST_DATA");
#if defined(OY_TEST_DATA)
  if (!folder) folder = OY_TEST_DATA;
#elif defined(OY_SOURCE_DIR)
  if (!folder) folder = OY_SOURCE_DIR "/tests/data";
#endif
  if (!folder) folder = "tests/data";
  char command[1000];
  snprintf(command, sizeof(command), "gzip -dc '%s/torch-2.6-schemas.txt.gz'", folder);
  return popen(command, "r");
}

// Writes the names of "(b|a)" in order; only sets of two occur in the data.
static bool sort_alias_sets(char* line) {
  bool found = false;
  for (char* p = strchr(line, '|'); p; p = strchr(p + 1, '|'))
    if (p[-1] > p[1]) {
      char first = p[-1];
      p[-1] = p[1];
      p[1] = first;
      found = true;
    }
  return found;
}

static void SCH_09_every_schema_of_pytorch(void** state) {
  (void)state;
  FILE* file = open_data();
  assert_non_null(file);
  char* line = NULL;
  size_t capacity = 0, lines = 0, reordered = 0;
  for (ssize_t size; (size = getline(&line, &capacity, file)) > 0; lines++) {
    if (line[size - 1] == '\n') line[size - 1] = '\0';
    char* want = strdup(line);
    assert_non_null(want);
    reordered += sort_alias_sets(want);
    // Two operators of the namespace profiler have type variables.
    assert_prints_flags(line, want, OY_SCHEMA_ALLOW_TYPE_VARIABLES);
    free(want);
  }
  free(line);
  assert_int_equal(pclose(file), 0);
  assert_int_equal(lines, 4409);
  assert_int_equal(reordered, 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(SCH_09_prints_as_written),
      cmocka_unit_test(SCH_09_canonical_forms),
      cmocka_unit_test(SCH_09_types_print),
      cmocka_unit_test(SCH_09_locale),
      cmocka_unit_test(SCH_09_every_schema_of_pytorch),
      cmocka_unit_test(SCH_10_signatures_print),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
