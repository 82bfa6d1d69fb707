// SPDX-License-Identifier: Apache-2.0
// safetensors files: one that the reference implementation 0.8 wrote (make_files.py) is
// read, and written again byte for byte; headers that lie are refused.
#include <unistd.h>

#include "opyard/files.h"
#include "support/rule.h"
#include "tensor/safetensors.h"

#define DATA  OY_SOURCE_DIR "/tests/data/tensor/"
#define QUOTE "quote \" and \xc3\xa9"

static char g_folder[64] = "/tmp/opyard-safetensors-XXXXXX";
static char g_path[128];

static const struct {
  const char* name;
  oy_dtype dtype;
} g_names[] = {
    {"U64", OY_DTYPE_U64},        {"I64", OY_DTYPE_I64},    {"F64", OY_DTYPE_F64},
    {"nothing", OY_DTYPE_F64},    {"C64", OY_DTYPE_C64},    {"F32", OY_DTYPE_F32},
    {QUOTE, OY_DTYPE_F32},        {"scalar", OY_DTYPE_F32}, {"U32", OY_DTYPE_U32},
    {"I32", OY_DTYPE_I32},        {"BF16", OY_DTYPE_BF16},  {"F16", OY_DTYPE_F16},
    {"U16", OY_DTYPE_U16},        {"I16", OY_DTYPE_I16},    {"F8_E4M3", OY_DTYPE_F8E4M3},
    {"F8_E5M2", OY_DTYPE_F8E5M2}, {"I8", OY_DTYPE_I8},      {"U8", OY_DTYPE_U8},
    {"BOOL", OY_DTYPE_BOOL}};
enum { NAMES = sizeof(g_names) / sizeof(*g_names) };

static void check_tensor(const oy_tensor* t, oy_dtype dtype) {
  if (!t) fail_msg("%s", oy_error_get()->message);
  assert_int_equal(t->dtype, dtype);
  const char* at = oy_tensor_data(t);
  for (int64_t i = 0; i < oy_tensor_numel(t); i++, at += oy_dtype_size(dtype)) {
    _Alignas(16) char want[16];
    oyi_element_store(dtype, want, ruled_number(dtype, i, 97, 0.25));
    assert_memory_equal(at, want, oy_dtype_size(dtype));
  }
}

static void the_reference_file_is_read(void** state) {
  (void)state;
  oy_safetensors* f;
  assert_int_equal(oy_safetensors_open(DATA "all.safetensors", &f), OY_OK);
  assert_int_equal(oy_safetensors_count(f), NAMES);
  oy_tensor* kept = NULL;
  for (size_t i = 0; i < NAMES; i++) {
    size_t found;
    assert_string_equal(oy_safetensors_name(f, i).data, g_names[i].name);
    assert_true(oy_safetensors_find(f, oy_str_of(g_names[i].name), &found));
    assert_int_equal(found, i);
    oy_tensor* t = oy_safetensors_get(f, i);
    check_tensor(t, g_names[i].dtype);
    if (i == 5) kept = oy_tensor_retain(t);
    oy_tensor_release(t);
  }
  size_t none;
  assert_false(oy_safetensors_find(f, oy_str_of("no"), &none));
  assert_false(oy_safetensors_find(f, oy_str_of(""), &none));
  const oy_text_pair* pairs;
  assert_int_equal(oy_safetensors_metadata(f, &pairs), 2);
  assert_string_equal(pairs[1].key.data, "note");
  assert_string_equal(pairs[1].value.data, "two\nlines");
  assert_null(oy_safetensors_get(f, NAMES));
  assert_int_equal(oy_error_get()->code, OY_OUT_OF_RANGE);
  assert_int_equal(oy_safetensors_name(f, NAMES).size, 0);
  oy_error_clear();
  oy_safetensors_close(f);
  oy_safetensors_close(NULL);
  check_tensor(kept, OY_DTYPE_F32);  // the map outlives the file
  oy_tensor_release(kept);
}

static void it_is_written_again_byte_for_byte(void** state) {
  (void)state;
  static char a[4096], b[4096];
  oy_safetensors* f;
  oy_named_tensor tensors[NAMES];
  const oy_text_pair pairs[] = {{oy_str_of("note"), oy_str_of("two\nlines")},
                                {oy_str_of("format"), oy_str_of("np")}};
  assert_int_equal(oy_safetensors_open(DATA "all.safetensors", &f), OY_OK);
  for (size_t i = 0; i < NAMES; i++) {  // in another order than it has to come out
    size_t k = NAMES - 1 - i;
    tensors[i] = (oy_named_tensor){oy_safetensors_name(f, k), oy_safetensors_get(f, k)};
  }
  assert_int_equal(oy_safetensors_save(g_path, tensors, NAMES, pairs, 2), OY_OK);
  FILE* one = fopen(DATA "all.safetensors", "rb");
  FILE* two = fopen(g_path, "rb");
  size_t n = fread(a, 1, sizeof(a), one);
  assert_int_equal(fread(b, 1, sizeof(b), two), n);
  assert_memory_equal(a, b, n);
  fclose(one);
  fclose(two);
  for (size_t i = 0; i < NAMES; i++)
    oy_tensor_release((oy_tensor*)(uintptr_t)tensors[i].tensor);
  oy_safetensors_close(f);
}

static void what_cannot_be_written(void** state) {
  (void)state;
  oy_tensor* t = F32(OY_DIMS(1), 1);
  oy_tensor* c = oy_tensor_empty(OY_DIMS(1), OY_DTYPE_C128, oy_device_cpu());
  oy_tensor* d = F64(OY_DIMS(1), 1);
  oy_named_tensor twice[] = {
      {oy_str_of("a"), t}, {oy_str_of("b"), t}, {oy_str_of("a"), d}};
  assert_int_not_equal(oy_safetensors_save(g_path, twice, 3, NULL, 0), OY_OK);
  assert_error("the name \"a\" was given twice");
  oy_named_tensor reserved = {oy_str_of("__metadata__"), t};
  assert_int_not_equal(oy_safetensors_save(g_path, &reserved, 1, NULL, 0), OY_OK);
  assert_error("no tensor may be named \"__metadata__\"");
  oy_named_tensor wide = {oy_str_of("a"), c};
  assert_int_not_equal(oy_safetensors_save(g_path, &wide, 1, NULL, 0), OY_OK);
  assert_error("safetensors has no dtype for torch.complex128; convert \"a\" first");
  oy_named_tensor latin = {oy_str_of("a\xe9"), t};
  assert_int_not_equal(oy_safetensors_save(g_path, &latin, 1, NULL, 0), OY_OK);
  assert_error("expected the name of a tensor in UTF-8 without NUL, got 'a' and more");
  oy_text_pair pairs[] = {{oy_str_of("k"), oy_str_of("v")}, {oy_str_of("k"), {NULL, 0}}};
  assert_int_not_equal(oy_safetensors_save(g_path, NULL, 0, pairs, 2), OY_OK);
  assert_error("the key \"k\" was given twice");
  assert_int_equal(oy_safetensors_save(g_path, NULL, 0, NULL, 0), OY_OK);
  oy_safetensors* f;
  assert_int_equal(oy_safetensors_open(g_path, &f), OY_OK);
  assert_int_equal(oy_safetensors_count(f), 0);
  oy_safetensors_close(f);
  oy_tensor_release(d);
  oy_tensor_release(c);
  oy_tensor_release(t);
}

// |header| with its length before it and |extra| bytes behind it.
static oy_status read_bytes(const char* header, size_t extra) {
  char bytes[512] = {0};
  size_t length = strlen(header);
  bytes[0] = (char)length;
  memcpy(bytes + 8, header, length);
  oyi_file_map* map;
  oy_safetensors* f;
  assert_int_equal(oyi_file_map_of_bytes((oy_str){bytes, 8 + length + extra}, &map), 0);
  oy_status status = oyi_safetensors_read(map, &f);
  oy_safetensors_close(f);
  return status;
}

#define T(name, shape, begin, end)                                                \
  "\"" name "\":{\"dtype\":\"U8\",\"shape\":[" shape "],\"data_offsets\":[" begin \
  "," end "]}"

static void headers_that_lie(void** state) {
  (void)state;
  static const struct {
    const char* header;
    size_t extra;
    const char* error;  // NULL: it is good
  } rows[] = {
      {"{" T("a", "2", "0", "2") "}  ", 2, NULL},
      {"{" T("b", "1", "2", "3") "," T("a", "2", "0", "2") "}", 3, NULL},
      {"{\"\\u00e9\\ud83d\\ude00\":{\"shape\":[],\"data_offsets\":[0,1],\"dtype\":\"U8\"}"
       "}",
       1, NULL},
      {"{}", 0, NULL},
      {"{}", 1, "bytes: at byte 10: expected 0 bytes of data, got 1"},
      {"{" T("a", "2", "0", "2") "}", 1,
       "bytes: at byte 61: expected 2 bytes of data, got 1"},
      {"{" T("a", "2", "0", "3") "}", 3,
       "bytes: at byte 9: \"a\" of shape [2] and dtype U8: expected 2 bytes, got offsets "
       "0 to 3"},
      {"{" T("a", "2", "2", "0") "}", 3,
       "bytes: at byte 9: \"a\" of shape [2] and dtype U8: expected 2 bytes, got offsets "
       "2 to 0"},
      {"{" T("a", "2", "0", "2") "," T("b", "2", "1", "3") "}", 3,
       "bytes: at byte 61: expected the data of \"b\" to begin at offset 2, where that "
       "before it ends, got 1"},
      {"{" T("a", "2", "1", "3") "}", 3,
       "bytes: at byte 9: expected the data of \"a\" to begin at offset 0, where that "
       "before it ends, got 1"},
      {"{" T("a", "1", "0", "1") "," T("a", "1", "1", "2") "}", 2,
       "bytes: at byte 61: the name \"a\" is there twice, first at byte 9"},
      {"{" T("a", "9223372036854775807,4", "0", "2") "}", 2,
       "bytes: at byte 9: the elements of \"a\" cannot be counted in 64 bits: "
       "[9223372036854775807, 4]"},
      {"{" T("a", "9223372036854775808", "0", "2") "}", 2,
       "bytes: at byte 36: expected a number up to 2^63 - 1"},
      {"{" T("a", "-1", "0", "2") "}", 2,
       "bytes: at byte 36: expected a whole number, got '-'"},
      {"{" T("a", "02", "0", "2") "}", 2,
       "bytes: at byte 36: expected a number without leading zeros, got '0'"},
      {"{" T("a", "2.0", "0", "2") "}", 2, "bytes: at byte 37: expected ',', got '.'"},
      {"{\"a\xff\":{}}", 0, "bytes: at byte 11: expected UTF-8, got byte 0xff"},
      {"{\"\\ud800x\":{}}", 0,
       "bytes: at byte 16: expected the second half of a surrogate pair, got 'x'"},
      {"{\"a\\q\":{}}", 0, "bytes: at byte 12: expected an escape of JSON, got 'q'"},
      {"{\"a\n\":{}}", 0,
       "bytes: at byte 11: expected an escaped control character, got byte 0x0a"},
      {"{\"a", 0,
       "bytes: at byte 11: expected '\"' at the end of a text, got the end of the "
       "header"},
      {"{\"a\":{}}", 0,
       "bytes: at byte 15: expected \"dtype\", \"shape\" and \"data_offsets\", and not "
       "all "
       "are there for \"a\""},
      {"{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\"}}", 0,
       "bytes: at byte 27: expected \"dtype\", \"shape\" and \"data_offsets\" once each, "
       "got \"dtype\""},
      {"{\"a\":{\"dtype\":\"F33\"}}", 0,
       "bytes: at byte 22: expected a dtype such as \"F32\", got \"F33\""},
      {"{\"__metadata__\":{\"a\":1}}", 0,
       "bytes: at byte 29: expected a text in quotes, got '1'"},
      {"{\"__metadata__\":{\"a\":\"1\",\"a\":\"2\"}}", 0,
       "bytes: the key \"a\" is twice in \"__metadata__\""},
      {"{\"__metadata__\":{},\"__metadata__\":{}}", 0,
       "bytes: at byte 42: \"__metadata__\" is there twice"},
      {"{} x", 0, "bytes: at byte 11: expected spaces to the end of the header, got 'x'"},
      {" {}", 0, "bytes: at byte 8: expected '{', got byte 0x20"},
      {"[]", 0, "bytes: at byte 8: expected '{', got '['"},
      {"", 0, "bytes: at byte 8: expected '{', got the end of the header"},
      {"{\"a\":{\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":[0,2]}}", 2,
       "bytes: at byte 9: \"a\" of shape [3] and dtype F4 ends inside a byte"},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    oy_status status = read_bytes(rows[i].header, rows[i].extra);
    if (!rows[i].error) assert_int_equal(status, OY_OK);
    if (!rows[i].error) continue;
    assert_int_equal(status, OY_PARSE);
    assert_error(rows[i].error);
  }
}

static void lengths_that_lie(void** state) {
  (void)state;
  static const struct {
    unsigned char length[8];
    const char* error;
  } rows[] = {
      {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
       "bytes: at byte 0: expected a header of at most 2 bytes, got "
       "18446744073709551615"},
      {{3}, "bytes: at byte 0: expected a header of at most 2 bytes, got 3"},
  };
  for (size_t i = 0; i < 2; i++) {
    char bytes[10] = {0};
    oyi_file_map* map;
    oy_safetensors* f;
    memcpy(bytes, rows[i].length, 8);
    memcpy(bytes + 8, "{}", 2);
    assert_int_equal(oyi_file_map_of_bytes((oy_str){bytes, 10}, &map), OY_OK);
    assert_int_equal(oyi_safetensors_read(map, &f), OY_PARSE);
    assert_error(rows[i].error);
  }
}

static void files_that_were_cut_short(void** state) {
  (void)state;
  static char bytes[4096];
  FILE* file = fopen(DATA "all.safetensors", "rb");
  size_t size = fread(bytes, 1, sizeof(bytes), file);
  fclose(file);
  for (size_t n = 0; n < size; n++) {
    oyi_file_map* map;
    oy_safetensors* f;
    assert_int_equal(oyi_file_map_of_bytes((oy_str){bytes, n}, &map), OY_OK);
    assert_int_equal(oyi_safetensors_read(map, &f), OY_PARSE);
    assert_null(f);
  }
  oy_error_clear();
}

// A dtype that opyard has not does not keep the others from being read.
static void dtypes_that_are_not_here(void** state) {
  (void)state;
  const char header[] =
      "x       {\"a\":{\"dtype\":\"F8_E8M0\",\"shape\":[1],\"data_offsets\":[0,1]}}z";
  char bytes[128] = {0};
  oyi_file_map* map;
  oy_safetensors* f;
  memcpy(bytes, header, sizeof(header) - 1);
  memset(bytes, 0, 8);
  bytes[0] = (char)(sizeof(header) - 1 - 9);
  assert_int_equal(oyi_file_map_of_bytes((oy_str){bytes, sizeof(header) - 1}, &map),
                   OY_OK);
  assert_int_equal(oyi_safetensors_read(map, &f), OY_OK);
  assert_fails(oy_safetensors_get(f, 0),
               "bytes: \"a\" is of dtype F8_E8M0, which opyard does not have");
  oy_safetensors_close(f);
}

static bool open_and_save(void) {
  oy_safetensors* f;
  if (oy_safetensors_open(DATA "all.safetensors", &f) != OY_OK) return false;
  oy_tensor* t = oy_safetensors_get(f, 5);
  oy_named_tensor named = {oy_str_of("t"), t};
  oy_text_pair pair = {oy_str_of("k"), oy_str_of("v")};
  bool good = t && oy_safetensors_save(g_path, &named, 1, &pair, 1) == OY_OK;
  oy_tensor_release(t);
  oy_safetensors_close(f);
  return good;
}

static void allocations_fail_in_turn(void** state) {
  (void)state;
  fail_each_allocation(open_and_save);
}

static int make_folder(void** state) {
  (void)state;
  if (!mkdtemp(g_folder)) return -1;
  snprintf(g_path, sizeof(g_path), "%s/t.safetensors", g_folder);
  return 0;
}
static int remove_folder(void** state) {
  (void)state;
  unlink(g_path);
  return rmdir(g_folder);  // fails if a temporary file was left
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_reference_file_is_read),
      cmocka_unit_test(it_is_written_again_byte_for_byte),
      cmocka_unit_test(what_cannot_be_written),
      cmocka_unit_test(headers_that_lie),
      cmocka_unit_test(lengths_that_lie),
      cmocka_unit_test(files_that_were_cut_short),
      cmocka_unit_test(dtypes_that_are_not_here),
      cmocka_unit_test(allocations_fail_in_turn),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
