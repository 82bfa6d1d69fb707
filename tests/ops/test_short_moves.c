// SPDX-License-Identifier: Apache-2.0
// gather, cat and copies of many short rows, of every length around those of vectors, against
// plain loops.
#include "base/memory.h"
#include "support/tensors.h"

static const oy_dtype sizes_of_all[] = {OY_DTYPE_U8, OY_DTYPE_I16, OY_DTYPE_F32,
                                        OY_DTYPE_F64, OY_DTYPE_C128};
enum { SIZES = 5 };

// Of bytes that tell elements apart.
static void fill(uint8_t* data, int64_t n, int64_t seed) {
  for (int64_t i = 0; i < n; i++) data[i] = (uint8_t)((i * 31 + seed) % 251 + (i >> 8));
}

// ---------------------------------------------------------------------------- gather

enum { LINES = 19, LONGEST = 140 };

// Lines |gap| elements apart; one bad number at the end is found too.
static void check_gather(oy_dtype dtype, int64_t length, int64_t n, int64_t gap) {
  static uint8_t data[LINES * (LONGEST + 1) * 16], want[LINES * LONGEST * 16];
  int64_t index[LINES * LONGEST];
  const int64_t item = (int64_t)oy_dtype_size(dtype), down = length + gap;
  fill(data, LINES * down * item, length);
  for (int64_t i = 0; i < LINES * n; i++) {
    index[i] = i % 7 == 0 ? length - 1 : (i * 37 + n) % length;
    memcpy(want + i * item, data + (i / n * down + gap + index[i]) * item, (size_t)item);
  }
  oy_tensor* whole = oy_tensor_from_data(data, OY_DIMS(LINES, down), dtype);
  oy_tensor* x = oy_narrow(whole, 1, gap, length);
  oy_tensor* by = oy_tensor_from_data(index, OY_DIMS(LINES, n), OY_DTYPE_I64);
  oy_tensor* got = oy_gather(x, 1, by, false);
  assert_non_null(got);
  assert_memory_equal(oy_tensor_data(got), want, (size_t)(LINES * n * item));
  ((int64_t*)oy_tensor_data(by))[LINES * n - 1] = length;
  assert_null(oy_gather(x, 1, by, false));
  oy_error_clear();
  oy_tensor* all[] = {whole, x, by, got};
  for (int k = 0; k < 4; k++) oy_tensor_release(all[k]);
}

static void lines_are_gathered(void** state) {
  (void)state;
  for (int64_t length = 1; length < LONGEST; length++)
    for (int k = 0; k < SIZES; k++) {
      check_gather(sizes_of_all[k], length, length, length % 2);
      check_gather(sizes_of_all[k], length, length / 2 + 1, k % 2);
      check_gather(sizes_of_all[k], length / 2 + 1, length, (length + k) % 2);
    }
}

// Lines of every other block of planes, of |rows| each; a bad number of the last is found too.
static void check_blocks(oy_dtype dtype, int64_t rows, int64_t n) {
  enum { A = 9, B = 3, ROWS = 60, N = 32 };
  static uint8_t data[2 * A * B * ROWS * N * 16];
  static int64_t index[A * B * ROWS * N];
  const int64_t item = (int64_t)oy_dtype_size(dtype), count = A * B * rows * n;
  fill(data, 2 * A * B * ROWS * n * item, n);
  for (int64_t i = 0; i < count; i++) index[i] = (i * 37 + rows) % n;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* whole =
      oy_scope_take(oy_tensor_from_data(data, OY_DIMS(2 * A, B, ROWS, n), dtype));
  oy_tensor* by =
      oy_scope_take(oy_tensor_from_data(index, OY_DIMS(A, B, rows, n), OY_DTYPE_I64));
  oy_tensor* x = oy_slice_Tensor(whole, 0, oy_int(0), oy_none(), 2);
  const char* got = oy_tensor_data(oy_gather(x, 3, by, false));
  for (int64_t i = 0; i < count; i++) {
    const int64_t row = i / n % rows, b = i / n / rows % B, a = i / n / rows / B;
    const int64_t line = (2 * a * B + b) * ROWS + row;
    assert_memory_equal(got + i * item, data + (line * n + index[i]) * item,
                        (size_t)item);
  }
  ((int64_t*)oy_tensor_data(by))[count - 1] = n;
  assert_null(oy_gather(x, 3, by, false));
  oy_error_clear();
  oy_scope_close(&scope);
}

static void lines_of_blocks_are_gathered(void** state) {
  (void)state;
  static const int64_t rows[] = {3, 8, 41, 60}, lengths[] = {2, 7, 16, 32};
  for (int at = 0; at < 16; at++)
    for (int k = 0; k < SIZES; k++) {
      assert_int_equal(oy_set_num_threads(1 + at % 2), OY_OK);
      check_blocks(sizes_of_all[k], rows[at / 4], lengths[at % 4]);
    }
}

// A bad number at |place| of indices that are else 0.
static void expect_refused(oy_ints sizes, int64_t dim, oy_dtype dtype, int64_t place,
                           int64_t bad) {
  static uint8_t data[LINES * LONGEST * 16];
  static int64_t index[LINES * LONGEST];
  index[place] = bad;
  oy_tensor* x = oy_tensor_from_data(data, sizes, dtype);
  oy_tensor* by = oy_tensor_from_data(index, sizes, OY_DTYPE_I64);
  assert_null(oy_gather(x, dim, by, false));
  assert_non_null(strstr(oy_error_get()->message, "out of bounds"));
  oy_error_clear();
  oy_tensor_release(x);
  oy_tensor_release(by);
  index[place] = 0;
}

// Wherever they are, and if their lower bits are those of good ones; of lines that lie together,
// lines that lie apart, and one line.
static void bad_numbers_are_refused(void** state) {
  (void)state;
  enum { BAD = 5, PLACES = 4 };
  static const int64_t bad[BAD - 1] = {-1, INT64_C(1) << 32, INT64_C(1) << 16, INT64_MIN};
  static const int64_t lengths[] = {2, 3, 5, 8, 16, 31, 64, 100};
  for (size_t at = 0; at < OY_ARRAY_SIZE(lengths); at++)
    for (int k = 0; k < SIZES * BAD * PLACES; k++) {
      const oy_dtype dtype = sizes_of_all[k % SIZES];
      const int64_t n = lengths[at], places[] = {0, n - 1, LINES * n / 2, LINES * n - 1};
      const int64_t place = places[k / SIZES % PLACES];
      const int which = k / SIZES / PLACES;
      const bool greatest = which == BAD - 1;
      const int64_t number = greatest ? 0 : bad[which];
      expect_refused(OY_DIMS(LINES, n), 1, dtype, place, greatest ? n : number);
      expect_refused(OY_DIMS(n, LINES), 0, dtype, place, greatest ? n : number);
      expect_refused(OY_DIMS(LINES * n), 0, dtype, place, greatest ? LINES * n : number);
    }
}

// ------------------------------------------------------------------------------- cat

enum { MOST_BYTES = 1100, PARTS = 3 };

static void check_cat(int64_t rows, const int64_t* widths, oy_dtype dtype) {
  const int64_t item = (int64_t)oy_dtype_size(dtype);
  oy_tensor* parts[PARTS];
  int64_t all = 0;
  for (int k = 0; k < PARTS; k++) all += widths[k] * item;
  uint8_t *want = malloc((size_t)(rows * all)), *data = malloc((size_t)(rows * all));
  assert_true(want && data);
  for (int64_t k = 0, before = 0; k < PARTS; before += widths[k++] * item) {
    const int64_t row = widths[k] * item;
    fill(data, rows * row, k * 5);
    for (int64_t r = 0; r < rows; r++)
      memcpy(want + r * all + before, data + r * row, (size_t)row);
    parts[k] = oy_tensor_from_data(data, OY_DIMS(rows, widths[k]), dtype);
  }
  oy_tensor* got = oy_cat((oy_tensors){parts, PARTS}, 1);
  assert_non_null(got);
  assert_memory_equal(oy_tensor_data(got), want, (size_t)(rows * all));
  for (int k = 0; k < PARTS; k++) oy_tensor_release(parts[k]);
  oy_tensor_release(got);
  free(want);
  free(data);
}

static void rows_are_joined(void** state) {
  (void)state;
  enum { ELEMENTS = 40000 };  // more than are joined one tensor after the other
  for (int k = 0; k < SIZES; k++)
    for (int64_t n = 1; n * (int64_t)oy_dtype_size(sizes_of_all[k]) < MOST_BYTES;
         n += 1 + n / 8) {
      const int64_t rows = ELEMENTS / n + 1;
      check_cat(rows, (const int64_t[]){n, n, n}, sizes_of_all[k]);
      check_cat(rows, (const int64_t[]){1, 2 * n, n + 3}, sizes_of_all[k]);
      check_cat(rows, (const int64_t[]){n + 1, 0, n}, sizes_of_all[k]);
    }
  // Longer ones, more than caches of the second level hold.
  for (int64_t n = 400; n < 9000; n += 777)
    check_cat((3 << 20) / (8 * n), (const int64_t[]){n, n + 5, 3}, OY_DTYPE_F32);
}

// ---------------------------------------------------------------------------- copies

enum { MOST_ROWS = 1500, MOST_COLUMNS = 36 };

// Every |step|-th column, together and back.
static void check_columns(int64_t rows, int64_t n, int64_t step, oy_dtype dtype) {
  static uint8_t data[MOST_ROWS * MOST_COLUMNS * 16];
  const int64_t item = (int64_t)oy_dtype_size(dtype), wide = n * step + 1;
  oy_scope scope;
  oy_scope_open(&scope);
  fill(data, rows * wide * item, n);
  oy_tensor* x = oy_scope_take(oy_tensor_from_data(data, OY_DIMS(rows, wide), dtype));
  oy_tensor* some = oy_slice_Tensor(x, 1, oy_int(1), oy_none(), step);
  oy_tensor* got = oy_contiguous(some, 0);
  assert_dims(oy_tensor_sizes(got), OY_DIMS(rows, n));
  oy_tensor* other =
      oy_zeros_like(x, oy_none(), oy_none(), oy_none(), oy_none(), oy_none());
  assert_non_null(
      oy_copy_(oy_slice_Tensor(other, 1, oy_int(1), oy_none(), step), got, false));
  const char *taken = oy_tensor_data(got), *back = oy_tensor_data(other);
  static const char zero[16];
  for (int64_t i = 0; i < rows * wide; i++) {
    const int64_t column = i % wide - 1, k = i / wide * n + column / step;
    const bool is = column >= 0 && column % step == 0;
    if (is) assert_memory_equal(taken + k * item, data + i * item, (size_t)item);
    assert_memory_equal(back + i * item, is ? (const char*)data + i * item : zero,
                        (size_t)item);
  }
  oy_scope_close(&scope);
}

static void columns_are_copied(void** state) {
  (void)state;
  static const int64_t rows[] = {2, 9, MOST_ROWS};
  for (int k = 0; k < SIZES; k++)
    for (int64_t n = 1; n < 10; n++)
      for (int64_t step = 2; step < 4; step++)
        for (int r = 0; r < 3; r++) check_columns(rows[r], n, step, sizes_of_all[k]);
}

// ------------------------------------------------------------------------- few rows each

// |rows| times |few| rows of |n| elements from a tensor in which |few| is expanded, or comes first;
// |outer| of all that.
static void check_few_rows(int64_t outer, int64_t rows, int64_t few, int64_t n,
                           bool expands, oy_dtype dtype) {
  const int64_t item = (int64_t)oy_dtype_size(dtype), row = n * item;
  const int64_t held = expands ? 1 : few, all = outer * rows * few;
  uint8_t* data = malloc((size_t)(outer * rows * held * row));
  assert_non_null(data);
  fill(data, outer * rows * held * row, n);
  oy_tensor* x = oy_tensor_from_data(data, OY_DIMS(outer, held, rows, n), dtype);
  oy_tensor* turned = oy_transpose_int(x, 1, 2);
  oy_tensor* wide = oy_expand(turned, OY_DIMS(outer, rows, few, n), false);
  oy_tensor* got = oy_clone(wide, oy_int(OY_MEMORY_CONTIGUOUS));
  assert_non_null(got);
  const uint8_t* out = oy_tensor_data(got);
  for (int64_t i = 0; i < all; i++) {
    const int64_t k = expands ? 0 : i % few, r = i / few % rows, o = i / few / rows;
    assert_memory_equal(out + i * row, data + ((o * held + k) * rows + r) * row,
                        (size_t)row);
  }
  oy_tensor* tensors[] = {x, turned, wide, got};
  for (int i = 0; i < 4; i++) oy_tensor_release(tensors[i]);
  free(data);
}

static void few_rows_are_copied(void** state) {
  (void)state;
  static const struct {
    int64_t outer, rows, few, n;
  } shapes[] = {{1, 5000, 2, 28}, {3, 2000, 3, 25},  {2, 1500, 15, 9}, {1, 1025, 2, 200},
                {1, 300, 2, 999}, {5, 1999, 7, 1},   {1, 40, 3, 33},   {2, 9001, 2, 11},
                {1, 17, 5, 4100}, {3, 70001, 2, 10}, {1, 4000, 16, 20}};
  for (int threads = 1; threads <= 2; threads++) {
    assert_int_equal(oy_set_num_threads(threads), OY_OK);
    for (size_t i = 0; i < OY_ARRAY_SIZE(shapes); i++)
      for (int k = 0; k < 2 * SIZES; k++)
        check_few_rows(shapes[i].outer, shapes[i].rows, shapes[i].few, shapes[i].n, k % 2,
                       sizes_of_all[k / 2]);
  }
}

// ------------------------------------------------------------------------ narrow columns

enum { PLANES = 3, EDGES = 2 };

// Rows of |n| elements with an edge around each, from a tensor whose last dimension comes first.
static void check_narrow(int64_t n, int64_t beside, int64_t m, oy_dtype dtype) {
  const int64_t item = (int64_t)oy_dtype_size(dtype), all = PLANES * n * beside * m;
  const int64_t wide = n + EDGES, padded = m * beside * PLANES * wide;
  uint8_t *data = malloc((size_t)(all * item)), *want = malloc((size_t)(padded * item));
  assert_true(data && want);
  fill(data, all * item, n);
  memset(want, 0x5a, (size_t)(padded * item));
  for (int64_t i = 0; i < all; i++) {
    const int64_t last = i % m, b = i / m % beside, k = i / m / beside % n,
                  a = i / m / beside / n, row = (last * beside + b) * PLANES + a;
    memcpy(want + (row * wide + 1 + k) * item, data + i * item, (size_t)item);
  }
  oy_tensor* x = oy_tensor_from_data(data, OY_DIMS(PLANES, n, beside, m), dtype);
  oy_tensor* turned = oy_permute(x, OY_DIMS(3, 2, 0, 1));
  oy_tensor* out =
      oy_tensor_empty(OY_DIMS(m, beside, PLANES, wide), dtype, oy_device_cpu());
  memset(oy_tensor_data(out), 0x5a, (size_t)(padded * item));
  oy_tensor* inner = oy_narrow(out, 3, 1, n);
  assert_ptr_equal(oy_copy_(inner, turned, false), inner);
  assert_memory_equal(oy_tensor_data(out), want, (size_t)(padded * item));
  oy_tensor* tensors[] = {x, turned, out, inner};
  for (int i = 0; i < 4; i++) oy_tensor_release(tensors[i]);
  free(data);
  free(want);
}

static void narrow_columns_are_turned(void** state) {
  (void)state;
  enum { FEW = 5 };
  static const int64_t lines[] = {8, 31, 63, 64, 65, 100, 300};
  for (int threads = 1; threads <= 2; threads++) {
    assert_int_equal(oy_set_num_threads(threads), OY_OK);
    for (size_t i = 0; i < OY_ARRAY_SIZE(lines); i++)
      for (int64_t n = 1; n < 10; n++)
        for (int k = 0; k < SIZES; k++) check_narrow(n, FEW, lines[i], sizes_of_all[k]);
  }
}

// Rows of the output are whole pages apart, or parts of one, as those beside them are not.
static void narrow_columns_apart_by_pages(void** state) {
  (void)state;
  enum { MANY = 256 };
  static const int64_t lines[] = {9, 17, 40};
  for (int threads = 1; threads <= 2; threads++) {
    assert_int_equal(oy_set_num_threads(threads), OY_OK);
    for (size_t i = 0; i < OY_ARRAY_SIZE(lines); i++)
      for (int64_t n = 2; n < 17; n += n < 9 ? 1 : 3)
        for (int k = 0; k < SIZES; k++) check_narrow(n, MANY, lines[i], sizes_of_all[k]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_are_gathered),
      cmocka_unit_test(lines_of_blocks_are_gathered),
      cmocka_unit_test(bad_numbers_are_refused),
      cmocka_unit_test(rows_are_joined),
      cmocka_unit_test(columns_are_copied),
      cmocka_unit_test(few_rows_are_copied),
      cmocka_unit_test(narrow_columns_are_turned),
      cmocka_unit_test(narrow_columns_apart_by_pages),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
