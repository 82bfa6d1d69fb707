// SPDX-License-Identifier: Apache-2.0
// Elements by index and by mask, over dtypes and layouts. What the operators give was
// computed by PyTorch 1.13, for what that lacks (nonzero_static) by hand.
#include "base/memory.h"
#include "ops/op_rows.h"
#include "support/tensors.h"

static void elements_by_index(void** state) {
  (void)state;
  static const op_row rows[] = {
#include "ops/index_rows.def"
  };
  check_op_rows(rows, sizeof(rows) / sizeof(*rows));
}

// An index that is bad leaves everything as it was.
static void nothing_is_written_for_a_bad_index(void** state) {
  (void)state;
  oy_tensor* x = F32(OY_DIMS(3), 1, 2, 3);
  oy_tensor* index = I64(OY_DIMS(2), 0, 5);
  oy_tensor* source = F32(OY_DIMS(2), 8, 9);
  static const char bad[] = "index 5 is out of bounds for dimension 0 with size 3";
  oy_tensor* const indices[] = {index};
  oy_tensors list = {indices, 1};
  assert_fails(oy_index_put_(x, list, source, false), bad);
  assert_fails(oy_scatter__src(x, 0, index, source), bad);
  assert_fails(oy_scatter_add_(x, 0, index, source), bad);
  assert_fails(oy_index_fill__int_Scalar(x, 0, index, oy_int(7)), bad);
  assert_fails(oy_index_add_(x, 0, index, source, ALPHA1), "index out of range in self");
  assert_fails(oy_put_(x, index, source, false),
               "out of range: tried to access index 5 on a tensor of 3 elements.");
  assert_elements(x, OY_DIMS(3), 1, 2, 3);
  oy_tensor_release(source);
  oy_tensor_release(index);
  oy_tensor_release(x);
}

static void meta_has_the_shapes(void** state) {
  (void)state;
  oy_tensor* x = oy_tensor_empty(OY_DIMS(4, 5), OY_DTYPE_F32, oy_device_meta());
  oy_tensor* index = oy_tensor_empty(OY_DIMS(3), OY_DTYPE_I64, oy_device_meta());
  oy_tensor* const indices[] = {&oy_none_object, index};
  oy_tensor* r = oy_index_Tensor(x, (oy_tensors){indices, 2});
  assert_dims(oy_tensor_sizes(r), OY_DIMS(4, 3));
  oy_tensor_release(r);
  r = oy_index_select(x, 0, index);
  assert_dims(oy_tensor_sizes(r), OY_DIMS(3, 5));
  oy_tensor_release(r);
  assert_fails(oy_nonzero(x),
               "nonzero on the meta device: the elements decide the shape of the result");
  oy_tensor_release(index);
  oy_tensor_release(x);
}

// What has no elements to read, and what would change as it is written.
static void operands_that_cannot_be_read(void** state) {
  (void)state;
  oy_tensor* x = I64(OY_DIMS(3), 1, 0, 2);
  oy_tensor* meta = oy_tensor_empty(OY_DIMS(3), OY_DTYPE_I64, oy_device_meta());
  oy_tensor* mask = oy_ne_Scalar(x, oy_int(0));
  assert_fails(oy_masked_scatter_(x, mask, meta),
               "Expected all tensors to be on the same device, but found at least two "
               "devices, cpu and meta!");
  static const char* same =
      "unsupported operation: some elements of the input tensor and the written-to "
      "tensor refer to a single memory location. Please clone() the tensor before "
      "performing the operation.";
  assert_fails(oy_nonzero_out(x, x), same);
  assert_fails(oy_nonzero_static_out(x, 1000, -1, x), same);
  assert_fails(oy_index_Tensor_out(x, (oy_tensors){&mask, 1}, x), same);
  assert_fails(oy_searchsorted_Scalar_out(x, oy_int(1), false, false, oy_none(),
                                          &oy_none_object, x),
               same);
  assert_elements(x, OY_DIMS(3), 1, 0, 2);
  oy_tensor* all[] = {x, meta, mask};
  for (int i = 0; i < 3; i++) oy_tensor_release(all[i]);
}

// Whatever the layouts, with fewer indices than elements, and a bad one.
static void check_gathered(oy_tensor* x, oy_tensor* index, int64_t dim) {
  const oy_ints sizes = oy_tensor_sizes(index), all = oy_tensor_sizes(x);
  oy_tensor* got = oy_gather(x, dim, index, false);
  assert_non_null(got);
  for (int64_t i = 0; i < oy_tensor_numel(index); i++) {
    int64_t at[3] = {i / (sizes.data[1] * sizes.data[2]),
                     i / sizes.data[2] % sizes.data[1], i % sizes.data[2]};
    at[dim] = (int64_t)element(index, i);
    const int64_t place = (at[0] * all.data[1] + at[1]) * all.data[2] + at[2];
    assert_true(element(got, i) == element(x, place));
  }
  oy_tensor_release(got);
}

static void gathered_along_each_dimension(void** state) {
  (void)state;
  enum { A = 5, B = 7, C = 19, N = A * B * C };
  static const oy_dtype dtypes[] = {OY_DTYPE_U8, OY_DTYPE_I16, OY_DTYPE_F32,
                                    OY_DTYPE_F64};
  double data[N];
  int64_t places[N];
  for (int i = 0; i < N; i++) data[i] = i % 251;
  oy_tensor* wide = oy_tensor_from_data(data, OY_DIMS(A, B, C), OY_DTYPE_F64);
  for (size_t d = 0; d < OY_ARRAY_SIZE(dtypes); d++)
    for (int64_t k = 0; k < 12; k++) {
      const int64_t dim = k % 3, rows = k / 3 % 2 ? A - 1 : A,
                    columns = k < 6 ? C : C - 2;
      oy_tensor* x = oy_to_dtype(wide, dtypes[d], false, true, oy_none());
      const int64_t size = oy_tensor_size(x, dim);
      for (int i = 0; i < N; i++) places[i] = (i * 31 + i / 7) % size;
      oy_tensor* index =
          oy_tensor_from_data(places, OY_DIMS(rows, B, columns), OY_DTYPE_I64);
      check_gathered(x, index, dim);
      // The same indices, and elements, down columns.
      oy_tensor* turned = oy_transpose_int(x, 0, 2);
      oy_tensor* lying = oy_contiguous(turned, OY_MEMORY_CONTIGUOUS);
      oy_tensor* steep = oy_transpose_int(lying, 0, 2);
      check_gathered(steep, index, dim);
      places[rows * B * columns - 1] = size;
      oy_tensor* bad =
          oy_tensor_from_data(places, OY_DIMS(rows, B, columns), OY_DTYPE_I64);
      char text[99];
      snprintf(text, sizeof(text),
               "index %lld is out of bounds for dimension %lld with size %lld",
               (long long)size, (long long)dim, (long long)size);
      assert_fails(oy_gather(x, dim, bad, false), text);
      oy_tensor* const made[] = {bad, steep, lying, turned, index, x};
      for (int i = 0; i < 6; i++) oy_tensor_release(made[i]);
    }
  oy_tensor_release(wide);
}

// Elements of lines that lie apart, in caches of each level and beyond; the indices of a line lie
// apart too, or together.
static void gathered_from_lines_apart(void** state) {
  (void)state;
  enum { LINES = 12, MOST = 100000 };
  static const int64_t lengths[] = {50, 6000, MOST};
  for (size_t l = 0; l < OY_ARRAY_SIZE(lengths); l++)
    for (int k = 0; k < 2; k++) {
      const int64_t n = lengths[l], shown = 40;
      oy_scope scope;
      oy_scope_open(&scope);
      oy_tensor* all = oy_arange(oy_int(LINES * n), oy_int(OY_DTYPE_F32), oy_none(),
                                 oy_none(), oy_none());
      oy_tensor* x = oy_t(oy_view(all, OY_DIMS(LINES, n)));
      int64_t places[LINES * 40];
      for (int i = 0; i < LINES * shown; i++) places[i] = (i * 7919 + i / 5) % n;
      oy_tensor* index = oy_tensor_from_data(
          places, k ? OY_DIMS(LINES, shown) : OY_DIMS(shown, LINES), OY_DTYPE_I64);
      assert_non_null(oy_scope_take(index));
      oy_tensor* got = oy_gather(x, 0, k ? oy_t(index) : index, false);
      for (int64_t i = 0; i < LINES * shown; i++) {
        const int64_t line = i % LINES, at = i / LINES;
        const int64_t place = places[k ? line * shown + at : i];
        assert_true(element(got, i) == (double)(line * n + place));
      }
      oy_scope_close(&scope);
    }
}

// Pieces that threads share out begin within rows, and end in a few that have none.
static void places_of_many(void** state) {
  (void)state;
  enum { PLANES = 3, HIGH = 211, WIDE = 331, ALL = PLANES * HIGH * WIDE };
  uint8_t* bytes = malloc(ALL);
  assert_non_null(bytes);
  for (int threads = 1; threads <= 2; threads++)
    for (int every = 1; every < 100000; every *= 317) {
      assert_int_equal(oy_set_num_threads(threads), OY_OK);
      for (int64_t i = 0; i < ALL; i++) bytes[i] = i % every == every / 2;
      oy_scope scope;
      oy_scope_open(&scope);
      oy_tensor* x = oy_scope_take(
          oy_tensor_from_data(bytes, OY_DIMS(PLANES, HIGH, WIDE), OY_DTYPE_U8));
      const int64_t count = (ALL - 1 - every / 2) / every + 1;
      oy_tensor* found = oy_nonzero(x);
      oy_tensor* some = oy_nonzero_static(x, count / 2 + 1, -1);
      assert_dims(oy_tensor_sizes(found), OY_DIMS(count, 3));
      for (int64_t k = 0; k < count; k += 1 + count / 5000) {
        const int64_t place = k * every + every / 2;
        const int64_t at[] = {place / (HIGH * WIDE), place / WIDE % HIGH, place % WIDE};
        for (int64_t d = 0; d < 3; d++) {
          assert_true(element(found, 3 * k + d) == (double)at[d]);
          if (k <= count / 2) assert_true(element(some, 3 * k + d) == (double)at[d]);
        }
      }
      oy_scope_close(&scope);
    }
  free(bytes);
}

// Threads share out what is read, by pieces that begin at any index.
static void rows_by_many_indices(void** state) {
  (void)state;
  enum { PLANES = 7, HIGH = 300, WIDE = 41, MANY = 701 };
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = oy_reshape(oy_arange(oy_int(PLANES * HIGH * WIDE), oy_int(OY_DTYPE_I32),
                                      oy_none(), oy_none(), oy_none()),
                            OY_DIMS(PLANES, HIGH, WIDE));
  int64_t at[MANY];
  for (int64_t i = 0; i < MANY; i++) at[i] = i * 7919 % HIGH - (i % 2 ? HIGH : 0);
  oy_tensor* index = oy_scope_take(oy_tensor_from_data(at, OY_DIMS(MANY), OY_DTYPE_I64));
  assert_non_null(x);
  for (int threads = 1; threads <= 2; threads++) {
    assert_int_equal(oy_set_num_threads(threads), OY_OK);
    oy_tensor* const middle[] = {&oy_none_object, index};
    const int32_t* rows = oy_tensor_data(oy_index_Tensor(x, (oy_tensors){middle, 2}));
    oy_tensor* turned = oy_transpose_int(x, 1, 2);
    oy_tensor* const last[] = {&oy_none_object, &oy_none_object, index};
    const int32_t* columns =
        oy_tensor_data(oy_index_Tensor(turned, (oy_tensors){last, 3}));
    for (int64_t p = 0; p < PLANES; p++)
      for (int64_t i = 0; i < MANY; i++)
        for (int64_t k = 0; k < WIDE; k++) {
          const int64_t row = at[i] < 0 ? at[i] + HIGH : at[i];
          const int32_t want = (int32_t)((p * HIGH + row) * WIDE + k);
          assert_int_equal(rows[(p * MANY + i) * WIDE + k], want);
          assert_int_equal(columns[(p * WIDE + k) * MANY + i], want);
        }
  }
  oy_scope_close(&scope);
}

// Along the first dimension rows are taken, along the last one lines: both are what a loop gives
// that goes from row to row, the last of equal places staying.
static void check_scatter(int64_t rows, int64_t columns, int64_t dim) {
  enum { HIGH = 23, MOST = 2100 };
  const int64_t high = dim == 0 ? HIGH : rows, wide = dim == 0 ? columns : MOST;
  const int64_t n = rows * columns, all = high * wide;
  int64_t* at = malloc((size_t)n * sizeof(*at));
  int64_t* src = malloc((size_t)n * sizeof(*src));
  int64_t* want[3] = {NULL};
  for (int k = 0; k < 3; k++) want[k] = calloc((size_t)all, sizeof(**want));
  assert_true(at && src && want[0] && want[1] && want[2]);
  for (int64_t i = 0; i < n; i++) {
    at[i] = i * 7919 % 113 % (dim == 0 ? HIGH : MOST);
    src[i] = i * 31 % 257 - 100;
    int64_t to = dim == 0 ? at[i] * wide + i % columns : i / columns * wide + at[i];
    want[0][to] = src[i];
    want[1][to] += src[i];
    if (want[2][to] < src[i]) want[2][to] = src[i];
  }
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* zeros = oy_zeros(OY_DIMS(high, wide), oy_int(OY_DTYPE_I64), oy_none(),
                              oy_none(), oy_none());
  oy_tensor* index =
      oy_scope_take(oy_tensor_from_data(at, OY_DIMS(rows, columns), OY_DTYPE_I64));
  oy_tensor* from =
      oy_scope_take(oy_tensor_from_data(src, OY_DIMS(rows, columns), OY_DTYPE_I64));
  oy_tensor* got[] = {
      oy_scatter_src(zeros, dim, index, from), oy_scatter_add(zeros, dim, index, from),
      oy_scatter_reduce_two(zeros, dim, index, from, oy_str_of("amax"), true)};
  for (int k = 0; k < 3; k++) {
    assert_non_null(got[k]);
    assert_memory_equal(oy_tensor_data(got[k]), want[k], (size_t)all * sizeof(**want));
    free(want[k]);
  }
  // In place nothing is written for a bad one, wherever it is.
  ((int64_t*)oy_tensor_data(index))[n - 1] = -1;
  assert_null(oy_scatter__src(zeros, dim, index, from));
  assert_null(oy_scatter_src(zeros, dim, index, from));
  const int64_t* left = oy_tensor_data(zeros);
  for (int64_t i = 0; i < all; i++) assert_int_equal(left[i], 0);
  oy_error_clear();
  oy_scope_close(&scope);
  free(at);
  free(src);
}

static void lines_and_columns(void** state) {
  (void)state;
  static const int64_t shapes[][2] = {{5, 3}, {30, 8}, {41, 9}, {60, 1024}, {50, 2049}};
  for (int threads = 1; threads <= 2; threads++) {
    assert_int_equal(oy_set_num_threads(threads), OY_OK);
    for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++)
      for (int64_t dim = 0; dim < 2; dim++)
        check_scatter(shapes[s][0], shapes[s][1], dim);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elements_by_index),
      cmocka_unit_test(nothing_is_written_for_a_bad_index),
      cmocka_unit_test(meta_has_the_shapes),
      cmocka_unit_test(operands_that_cannot_be_read),
      cmocka_unit_test(gathered_along_each_dimension),
      cmocka_unit_test(gathered_from_lines_apart),
      cmocka_unit_test(places_of_many),
      cmocka_unit_test(rows_by_many_indices),
      cmocka_unit_test(lines_and_columns),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
