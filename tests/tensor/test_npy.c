// SPDX-License-Identifier: Apache-2.0
// .npy files: those that NumPy 2.4 wrote (make_files.py) are read, and written again
// byte for byte; files that lie are refused with the place of the lie.
#include <sys/stat.h>
#include <unistd.h>

#include "opyard/files.h"
#include "support/rule.h"
#include "tensor/npy.h"

#define DATA OY_SOURCE_DIR "/tests/data/tensor/"

static char g_folder[64] = "/tmp/opyard-npy-XXXXXX";
static char g_path[128];

// Every element is that of the rule.
static void assert_ruled(const oy_tensor* t, oy_ints sizes) {
  if (!t) fail_msg("%s", oy_error_get()->message);
  assert_dims(oy_tensor_sizes(t), sizes);
  oy_tensor* flat = oyi_tensor_object(oyi_converted(oyi_tensor_cast(t), t->dtype));
  const char* at = oy_tensor_data(flat);
  for (int64_t i = 0; i < oy_tensor_numel(t); i++, at += oy_dtype_size(t->dtype)) {
    _Alignas(16) char want[16];
    oyi_element_store(t->dtype, want, ruled_number(t->dtype, i, 97, 0.25));
    assert_memory_equal(at, want, oy_dtype_size(t->dtype));
  }
  oy_tensor_release(flat);
}

static size_t read_all(const char* path, char* out, size_t room) {
  FILE* file = fopen(path, "rb");
  assert_non_null(file);
  size_t n = fread(out, 1, room, file);
  fclose(file);
  return n;
}

static void assert_same_files(const char* a, const char* b) {
  static char x[4096], y[4096];
  size_t n = read_all(a, x, sizeof(x));
  assert_int_equal(read_all(b, y, sizeof(y)), n);
  assert_memory_equal(x, y, n);
}

static void numpy_files_are_read_and_written_again(void** state) {
  (void)state;
  static const struct {
    const char* name;
    oy_dtype dtype;
    int64_t sizes[3];
    size_t ndim;
    bool rewritten;  // we write the same bytes
  } rows[] = {
      {"b1", OY_DTYPE_BOOL, {2, 3}, 2, true},
      {"u1", OY_DTYPE_U8, {2, 3}, 2, true},
      {"i1", OY_DTYPE_I8, {2, 3}, 2, true},
      {"u2", OY_DTYPE_U16, {2, 3}, 2, true},
      {"i2", OY_DTYPE_I16, {2, 3}, 2, true},
      {"u4", OY_DTYPE_U32, {2, 3}, 2, true},
      {"i4", OY_DTYPE_I32, {2, 3}, 2, true},
      {"u8", OY_DTYPE_U64, {2, 3}, 2, true},
      {"i8", OY_DTYPE_I64, {2, 3}, 2, true},
      {"f2", OY_DTYPE_F16, {2, 3}, 2, true},
      {"f4", OY_DTYPE_F32, {2, 3}, 2, true},
      {"f8", OY_DTYPE_F64, {2, 3}, 2, true},
      {"c8", OY_DTYPE_C64, {2, 3}, 2, true},
      {"c16", OY_DTYPE_C128, {2, 3}, 2, true},
      {"fortran", OY_DTYPE_F64, {2, 3, 4}, 3, true},
      {"scalar", OY_DTYPE_F32, {0}, 0, true},
      {"empty", OY_DTYPE_I32, {0, 3}, 2, true},
      {"big_f4", OY_DTYPE_F32, {2, 3}, 2, false},
      {"big_c16", OY_DTYPE_C128, {3}, 1, false},
      {"version2", OY_DTYPE_F32, {5}, 1, false},
      {"version3", OY_DTYPE_F32, {5}, 1, false},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    char from[256];
    snprintf(from, sizeof(from), DATA "%s.npy", rows[i].name);
    oy_tensor* t = oy_npy_load(from);
    assert_ruled(t, (oy_ints){rows[i].sizes, rows[i].ndim});
    assert_int_equal(t->dtype, rows[i].dtype);
    assert_int_equal(oy_npy_save(g_path, t), OY_OK);
    if (rows[i].rewritten) assert_same_files(from, g_path);
    oy_tensor* again = oy_npy_load(g_path);
    assert_ruled(again, (oy_ints){rows[i].sizes, rows[i].ndim});
    oy_tensor_release(again);
    oy_tensor_release(t);
  }
}

static void layouts_are_kept_or_made_plain(void** state) {
  (void)state;
  oy_tensor* t = F32(OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  oy_tensor* u = oy_tensor_transpose(t, 0, 1);
  oy_tensor* skip = oy_tensor_as_strided(t, OY_DIMS(3), OY_DIMS(2), 0);
  assert_int_equal(oy_npy_save(g_path, u), OY_OK);
  oy_tensor* back = oy_npy_load(g_path);
  assert_elements(back, OY_DIMS(3, 2), 1, 4, 2, 5, 3, 6);
  assert_dims(oy_tensor_strides(back), OY_DIMS(1, 3));
  oy_tensor_release(back);
  assert_int_equal(oy_npy_save(g_path, skip), OY_OK);
  back = oy_npy_load(g_path);
  assert_elements(back, OY_DIMS(3), 1, 3, 5);
  oy_tensor_release(back);
  oy_tensor_release(skip);
  oy_tensor_release(u);
  oy_tensor_release(t);
}

// The map is private, lives as long as a tensor on it, and bears a removed file.
static void TEN_17_writing_to_a_mapped_tensor_leaves_the_file(void** state) {
  (void)state;
  oy_tensor* t = F32(OY_DIMS(4), 1, 2, 3, 4);
  assert_int_equal(oy_npy_save(g_path, t), OY_OK);
  oy_tensor* a = oy_npy_load(g_path);
  oy_tensor* b = oy_npy_load(g_path);
  assert_int_equal(oy_tensor_set(a, OY_DIMS(0), oy_float(9)), OY_OK);
  assert_elements(b, OY_DIMS(4), 1, 2, 3, 4);
  unlink(g_path);
  oy_tensor* view = oy_tensor_view(a, OY_DIMS(2, 2));
  oy_tensor_release(a);
  assert_elements(view, OY_DIMS(2, 2), 9, 2, 3, 4);
  assert_int_not_equal(oyi_tensor_resize(oyi_tensor_cast(b), OY_DIMS(50)), OY_OK);
  assert_error("Trying to resize storage that is not resizable");
  oy_tensor_release(view);
  oy_tensor_release(b);
  oy_tensor_release(t);
}

// |dict| with a head of the right length before it and |extra| bytes behind it.
static oy_status read_bytes(const char* dict, size_t extra) {
  char bytes[512] = "\x93NUMPY\x01";
  size_t length = strlen(dict);
  bytes[8] = (char)length;
  bytes[9] = 0;
  memcpy(bytes + 10, dict, length);
  oyi_file_map* map;
  assert_int_equal(oyi_file_map_of_bytes((oy_str){bytes, 10 + length + extra}, &map), 0);
  oyi_tensor* t = oyi_npy_read(map);
  oyi_file_map_release(map);
  oy_tensor_release(oyi_tensor_object(t));
  return t ? OY_OK : oy_error_get()->code;
}

#define F4 "{'descr': '<f4', 'fortran_order': False, 'shape': "

static void headers_that_lie(void** state) {
  (void)state;
  static const struct {
    const char* dict;
    size_t extra;
    oy_status status;
    const char* error;
  } rows[] = {
      {F4 "(2,), }", 8, OY_OK, NULL},
      {F4 "(2L,)}", 8, OY_OK, NULL},  // as Python 2 wrote it
      {"{\"shape\":(2,),\"descr\":\"<f4\",\"fortran_order\":True}", 8, OY_OK, NULL},
      {F4 "(2,), }", 7, OY_PARSE,
       "bytes: at byte 67: expected 8 bytes of elements for shape [2], got 7"},
      {F4 "(2,), }", 9, OY_PARSE,
       "bytes: at byte 67: expected 8 bytes of elements for shape [2], got 9"},
      {F4 "(-2,), }", 8, OY_PARSE,
       "bytes: at byte 61: expected a size of the shape, got '-'"},
      {F4 "(2), }", 8, OY_PARSE, "bytes: at byte 63: expected a tuple such as (3,)"},
      {F4 "2, }", 8, OY_PARSE, "bytes: at byte 60: expected '(', got '2'"},
      {F4 "(2 2), }", 8, OY_PARSE, "bytes: at byte 63: expected ',' or ')', got '2'"},
      {F4 "(9223372036854775808,), }", 8, OY_PARSE,
       "bytes: at byte 61: a size of the shape is above 2^63 - 1"},
      {F4 "(9223372036854775807, 9), }", 8, OY_PARSE,
       "bytes: the bytes of shape [9223372036854775807, 9] cannot be counted in 64 bits"},
      {F4 "(2,), } x", 8, OY_PARSE,
       "bytes: at byte 68: expected spaces to the end of the header, got 'x'"},
      {F4 "(2,)", 8, OY_PARSE,
       "bytes: at byte 64: expected ',' or '}', got the end of the header"},
      {"{'descr': '<f4', 'descr': '<f4', }", 0, OY_PARSE,
       "bytes: at byte 27: expected 'descr', 'fortran_order' and 'shape' once each, got "
       "'descr'"},
      {"{'descr': '<f4', }", 0, OY_PARSE,
       "bytes: at byte 28: expected 'descr', 'fortran_order' and 'shape', and not all "
       "are "
       "there"},
      {"{'descr': '<f4, }", 0, OY_PARSE,
       "bytes: at byte 27: expected the end of a quoted text, got the end of the header"},
      {"{'descr': '<f3', }", 0, OY_NOT_IMPLEMENTED,
       "bytes: at byte 20: expected bool, an integer, float16 to float64 or complex "
       "('<f4', ...), got dtype '<f3'"},
      {"{'fortran_order': 1, }", 0, OY_PARSE,
       "bytes: at byte 28: expected True or False, got '1'"},
      {"[1]", 0, OY_PARSE, "bytes: at byte 10: expected '{', got '['"},
      {"\xff", 0, OY_PARSE, "bytes: at byte 10: expected '{', got byte 0xff"},
      {"", 0, OY_PARSE, "bytes: at byte 10: expected '{', got the end of the header"},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    assert_int_equal(read_bytes(rows[i].dict, rows[i].extra), rows[i].status);
    if (rows[i].error) assert_error(rows[i].error);
  }
}

// Every file that was cut short is refused; none is read past its end.
static void files_that_were_cut_short(void** state) {
  (void)state;
  static char bytes[4096];
  size_t size = read_all(DATA "version2.npy", bytes, sizeof(bytes));
  for (size_t n = 0; n < size; n++) {
    oyi_file_map* map;
    assert_int_equal(oyi_file_map_of_bytes((oy_str){bytes, n}, &map), OY_OK);
    assert_null(oyi_npy_read(map));
    assert_int_equal(oy_error_get()->code, OY_PARSE);
    oyi_file_map_release(map);
  }
  oy_error_clear();
}

static void what_is_no_array(void** state) {
  (void)state;
  assert_null(oy_npy_load(DATA "text.npy"));
  assert_int_equal(oy_error_get()->code, OY_NOT_IMPLEMENTED);
  assert_null(oy_npy_load(DATA "records.npy"));
  assert_int_equal(oy_error_get()->code, OY_NOT_IMPLEMENTED);
  assert_null(oy_npy_load(DATA "all.safetensors"));
  assert_int_equal(oy_error_get()->code, OY_PARSE);
  assert_null(oy_npy_load("/nowhere/at/all.npy"));
  assert_error("cannot open '/nowhere/at/all.npy': No such file or directory");
  assert_null(oy_npy_load("/"));
  assert_error("cannot map '/': expected a regular file");
  assert_null(oy_npy_load(NULL));
  oy_error_clear();
}

// A failed write leaves what was there, and nothing beside it.
static void failed_writes_change_nothing(void** state) {
  (void)state;
  oy_tensor* t = F32(OY_DIMS(2), 1, 2);
  oy_tensor* half = oy_tensor_empty(OY_DIMS(2), OY_DTYPE_BF16, oy_device_cpu());
  oy_tensor* meta = oy_tensor_empty(OY_DIMS(2), OY_DTYPE_F32, oy_device_meta());
  assert_int_equal(oy_npy_save(g_path, t), OY_OK);
  assert_int_equal(oy_npy_save(g_path, half), OY_NOT_IMPLEMENTED);
  assert_error("NumPy has no dtype for torch.bfloat16; convert the tensor first");
  assert_int_equal(oy_npy_save(g_path, meta), OY_NOT_IMPLEMENTED);
  assert_error(
      "expected a CPU tensor with data, got one on meta; copy it to the CPU "
      "first");
  assert_int_equal(oy_npy_save("/nowhere/x.npy", t), OY_IO);
  assert_error("cannot write '/nowhere/x.npy': No such file or directory");
  assert_int_equal(oy_npy_save(g_folder, t), OY_IO);  // a folder in the way
  oy_error_clear();
  oy_tensor* back = oy_npy_load(g_path);
  assert_elements(back, OY_DIMS(2), 1, 2);
  oy_tensor_release(back);
  unlink(g_path);
  assert_int_equal(rmdir(g_folder), 0);  // it was empty
  assert_int_equal(mkdir(g_folder, 0700), 0);
  oy_tensor_release(meta);
  oy_tensor_release(half);
  oy_tensor_release(t);
}

static bool load_and_save(void) {
  oy_tensor* t = oy_npy_load(DATA "fortran.npy");
  oy_tensor* u = oy_npy_load(DATA "big_f4.npy");
  bool good =
      t && u && oy_npy_save(g_path, t) == OY_OK && oy_npy_save(g_path, u) == OY_OK;
  oy_tensor_release(u);
  oy_tensor_release(t);
  return good;
}

static void allocations_fail_in_turn(void** state) {
  (void)state;
  fail_each_allocation(load_and_save);
}

static int make_folder(void** state) {
  (void)state;
  if (!mkdtemp(g_folder)) return -1;
  snprintf(g_path, sizeof(g_path), "%s/t.npy", g_folder);
  return 0;
}
static int remove_folder(void** state) {
  (void)state;
  unlink(g_path);
  return rmdir(g_folder);  // fails if a temporary file was left
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numpy_files_are_read_and_written_again),
      cmocka_unit_test(layouts_are_kept_or_made_plain),
      cmocka_unit_test(TEN_17_writing_to_a_mapped_tensor_leaves_the_file),
      cmocka_unit_test(headers_that_lie),
      cmocka_unit_test(files_that_were_cut_short),
      cmocka_unit_test(what_is_no_array),
      cmocka_unit_test(failed_writes_change_nothing),
      cmocka_unit_test(allocations_fail_in_turn),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
