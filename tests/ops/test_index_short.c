// SPDX-License-Identifier: Apache-2.0
// Elements by index where dimensions are short, of size 1 above all: what plain loops give.
#include "base/memory.h"
#include "support/tensors.h"

// ------------------------------------------------------------------------ nonzero

// Where |bytes|, of the shape |sizes|, are not 0, as rows of coordinates; how many.
static int64_t list_places(const uint8_t* bytes, oy_ints sizes, int64_t* places) {
  int64_t count = 0, numel = 1;
  for (size_t d = 0; d < sizes.size; d++) numel *= sizes.data[d];
  for (int64_t i = 0; i < numel; i++) {
    if (!bytes[i]) continue;
    int64_t rest = i;
    for (size_t d = sizes.size; d-- > 0; rest /= sizes.data[d])
      places[count * (int64_t)sizes.size + (int64_t)d] = rest % sizes.data[d];
    count++;
  }
  return count;
}

static void check_places(oy_ints sizes, int64_t every) {
  int64_t numel = 1;
  const int64_t ndim = (int64_t)sizes.size;
  for (size_t d = 0; d < sizes.size; d++) numel *= sizes.data[d];
  uint8_t* bytes = malloc((size_t)numel);
  int64_t* places = malloc((size_t)(numel * ndim) * sizeof(*places));
  assert_true(bytes && places);
  for (int64_t i = 0; i < numel; i++) bytes[i] = i * 7919 % 1009 % every == 0;
  const int64_t count = list_places(bytes, sizes, places);
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = oy_scope_take(oy_tensor_from_data(bytes, sizes, OY_DTYPE_U8));
  oy_tensor* found = oy_nonzero(x);
  assert_dims(oy_tensor_sizes(found), OY_DIMS(count, ndim));
  // Rows that lie together, and fewer than there are.
  const int64_t some = count / 2 + 1;
  oy_tensor* first = oy_nonzero_static(x, some, -1);
  for (int64_t i = 0; i < count * ndim; i++) {
    assert_true(element(found, i) == (double)places[i]);
    if (i < some * ndim) assert_true(element(first, i) == (double)places[i]);
  }
  oy_scope_close(&scope);
  free(places);
  free(bytes);
}

// Of tensors that lie otherwise, whatever the elements are.
static void places_in_turned_tensors(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_F16,  OY_DTYPE_BF16, OY_DTYPE_C64,
                                    OY_DTYPE_C128, OY_DTYPE_I32,  OY_DTYPE_F32};
  enum { A = 7, B = 9, C = 33 };
  uint8_t bytes[A * B * C];
  for (int i = 0; i < A * B * C; i++) bytes[i] = i * 31 % 7 < 3;
  for (size_t k = 0; k < OY_ARRAY_SIZE(dtypes); k++) {
    oy_scope scope;
    oy_scope_open(&scope);
    oy_tensor* x =
        oy_scope_take(oy_tensor_from_data(bytes, OY_DIMS(A, B, C), OY_DTYPE_U8));
    oy_tensor* found = oy_nonzero(
        oy_permute(oy_to_dtype(x, dtypes[k], false, true, oy_none()), OY_DIMS(2, 0, 1)));
    int64_t row = 0;
    for (int64_t i = 0; i < A * B * C; i++) {
      const int64_t at[] = {i / (A * B), i / B % A, i % B};
      if (!bytes[(at[1] * B + at[2]) * C + at[0]]) continue;
      for (int64_t d = 0; d < 3; d++)
        assert_true(element(found, row * 3 + d) == (double)at[d]);
      row++;
    }
    assert_dims(oy_tensor_sizes(found), OY_DIMS(row, 3));
    oy_scope_close(&scope);
  }
}

static void places_in_short_rows(void** state) {
  (void)state;
  const oy_ints shapes[] = {
      OY_DIMS(1, 1),          OY_DIMS(3, 2),          OY_DIMS(700, 1),
      OY_DIMS(20000, 2),      OY_DIMS(128, 3, 3, 2),  OY_DIMS(7, 4, 50, 1, 1),
      OY_DIMS(11, 1, 513, 3), OY_DIMS(5, 1, 63),      OY_DIMS(2, 600, 64),
      OY_DIMS(1, 1, 1025, 1), OY_DIMS(40000, 1, 5, 1)};
  for (int threads = 1; threads <= 2; threads++) {
    assert_int_equal(oy_set_num_threads(threads), OY_OK);
    for (size_t s = 0; s < OY_ARRAY_SIZE(shapes); s++)
      for (int64_t every = 1; every < 1500; every = every * 3 + 1)
        check_places(shapes[s], every);
  }
}

// ------------------------------------------------------- lines of one element, few indices

enum { DIMS = 4 };

static void coordinates(int64_t i, const int64_t* sizes, int64_t* at) {
  for (int d = DIMS; d-- > 0; i /= sizes[d]) at[d] = i % sizes[d];
}
static int64_t place_of(const int64_t* at, const int64_t* sizes) {
  int64_t i = 0;
  for (int d = 0; d < DIMS; d++) i = i * sizes[d] + at[d];
  return i;
}
static int64_t product_of(const int64_t* sizes) {
  return sizes[0] * sizes[1] * sizes[2] * sizes[3];
}

// As |t|, in memory that lies otherwise.
static oy_tensor* laid(oy_tensor* t, int layout) {
  if (layout == 0) return t;
  if (layout == 1) {
    oy_tensor* turned = oy_permute(t, OY_DIMS(2, 0, 3, 1));
    return oy_permute(oy_contiguous(turned, OY_MEMORY_CONTIGUOUS), OY_DIMS(1, 3, 0, 2));
  }
  const int64_t* sizes = oy_tensor_sizes(t).data;
  oy_tensor* twice = oy_zeros(OY_DIMS(sizes[0], sizes[1], sizes[2], sizes[3], 2),
                              oy_int(t->dtype), oy_none(), oy_none(), oy_none());
  return oy_copy_(oy_select_int(twice, -1, 1), t, false);
}

static bool is_equal(oy_tensor* a, oy_tensor* b) {
  bool same;
  return oy_equal(a, b, &same) == OY_OK && same;
}

// Elements are their number modulo |most|.
static oy_tensor* numbers(const int64_t* sizes, int64_t most, oy_dtype dtype) {
  const int64_t n = product_of(sizes);
  int64_t* data = malloc((size_t)n * sizeof(*data));
  assert_non_null(data);
  for (int64_t i = 0; i < n; i++) data[i] = i * 7919 % 10007 % most;
  oy_tensor* t =
      oy_scope_take(oy_tensor_from_data(data, (oy_ints){sizes, DIMS}, OY_DTYPE_I64));
  free(data);
  return oy_to_dtype(t, dtype, false, true, oy_none());
}

static void check_selected(oy_tensor* x, const int64_t* sizes, int64_t dim,
                           int64_t count) {
  int64_t places[150], shape[DIMS], at[DIMS];
  for (int64_t i = 0; i < count; i++) places[i] = (i * 5 + 2) % sizes[dim];
  memcpy(shape, sizes, sizeof(shape));
  shape[dim] = count;
  oy_tensor* got = oy_index_select(
      x, dim, oy_scope_take(oy_tensor_from_data(places, OY_DIMS(count), OY_DTYPE_I64)));
  assert_dims(oy_tensor_sizes(got), ((oy_ints){shape, DIMS}));
  for (int64_t i = 0; i < product_of(shape); i++) {
    coordinates(i, shape, at);
    at[dim] = places[at[dim]];
    assert_true(element(got, i) == element(x, place_of(at, sizes)));
  }
}

// Slices added and copied, and a number, at places of which some come again.
static void check_slices(oy_tensor* x, const int64_t* sizes, int64_t dim, int64_t count,
                         int layout) {
  int64_t places[20], shape[DIMS], at[DIMS];
  for (int64_t i = 0; i < count; i++) places[i] = (i * 5 + 2) % sizes[dim];
  memcpy(shape, sizes, sizeof(shape));
  shape[dim] = count;
  oy_tensor* index =
      oy_scope_take(oy_tensor_from_data(places, OY_DIMS(count), OY_DTYPE_I64));
  oy_tensor* from = laid(numbers(shape, 11, x->dtype), layout);
  const int64_t all = product_of(sizes), n = product_of(shape);
  double* want = malloc((size_t)all * sizeof(*want));
  assert_non_null(want);
  for (int way = 0; way < 3; way++) {
    for (int64_t i = 0; i < all; i++) want[i] = element(x, i);
    for (int64_t i = 0; i < n; i++) {
      coordinates(i, shape, at);
      at[dim] = places[at[dim]];
      double* to = &want[place_of(at, sizes)];
      *to = way == 0 ? 77 : way == 1 ? *to + element(from, i) : element(from, i);
    }
    oy_tensor* got = way == 0   ? oy_index_fill_int_Scalar(x, dim, index, oy_int(77))
                     : way == 1 ? oy_index_add(x, dim, index, from, oy_int(1))
                                : oy_index_copy(x, dim, index, from);
    for (int64_t i = 0; i < all; i++) assert_true(element(got, i) == want[i]);
  }
  free(want);
}

// Reductions of elements that lines of an index say, by a loop from its first one on.
typedef enum reduction { SET, ADD, MOST, REDUCTIONS } reduction;
static double reduced(reduction how, double a, double b) {
  return how == ADD ? a + b : how == MOST && a > b ? a : b;
}
static oy_tensor* scattered(reduction how, oy_tensor* x, int64_t dim, oy_tensor* index,
                            oy_tensor* from) {
  if (how == SET) return oy_scatter_src(x, dim, index, from);
  if (how == ADD) return oy_scatter_add(x, dim, index, from);
  return oy_scatter_reduce_two(x, dim, index, from, oy_str_of("amax"), true);
}

static void check_indexed(oy_tensor* x, const int64_t* sizes, int64_t dim, int64_t count,
                          int layout) {
  int64_t shape[DIMS], at[DIMS];
  memcpy(shape, sizes, sizeof(shape));
  shape[dim] = count;
  if (layout == 2 && shape[(dim + 1) % DIMS] > 2) shape[(dim + 1) % DIMS] -= 2;
  oy_tensor* index = laid(numbers(shape, sizes[dim], OY_DTYPE_I64), layout);
  oy_tensor* from = laid(numbers(shape, 11, x->dtype), layout);
  oy_tensor* taken = oy_gather(x, dim, index, false);
  const int64_t all = product_of(sizes), n = product_of(shape);
  double* want = malloc((size_t)all * sizeof(*want));
  assert_non_null(want);
  for (reduction how = SET; how < REDUCTIONS; how++) {
    for (int64_t i = 0; i < all; i++) want[i] = element(x, i);
    for (int64_t i = 0; i < n; i++) {
      coordinates(i, shape, at);
      at[dim] = (int64_t)element(index, i);
      const int64_t place = place_of(at, sizes);
      assert_true(element(taken, i) == element(x, place));
      want[place] = reduced(how, want[place], element(from, i));
    }
    oy_tensor* got = scattered(how, x, dim, index, from);
    assert_dims(oy_tensor_sizes(got), ((oy_ints){sizes, DIMS}));
    for (int64_t i = 0; i < all; i++) assert_true(element(got, i) == want[i]);
  }
  // A number instead of elements, and a place that is not there.
  oy_tensor* number = oy_scatter_value(x, dim, index, oy_int(77));
  oy_tensor* ones = oy_scatter_src(x, dim, index,
                                   oy_full_like(from, oy_int(77), oy_none(), oy_none(),
                                                oy_none(), oy_none(), oy_none()));
  assert_true(is_equal(number, ones));
  oy_tensor* before = oy_clone(x, oy_none());
  oy_tensor* bad = oy_clone(index, oy_none());
  ((int64_t*)oy_tensor_data(bad))[n / 2] = sizes[dim];
  assert_null(oy_gather(x, dim, bad, false));
  assert_null(oy_scatter_src(x, dim, bad, from));
  assert_null(oy_scatter__src(x, dim, bad, from));
  oy_error_clear();
  assert_true(is_equal(x, before));
  free(want);
}

static void short_dimensions(void** state) {
  (void)state;
  static const int64_t shapes[][DIMS] = {{200, 28, 1, 1}, {2, 64, 1, 3}, {1, 5, 33, 1},
                                         {57, 2, 2, 2},   {3, 1, 17, 9}, {1, 1, 1, 1},
                                         {4, 3, 1, 40},   {9, 7, 5, 15}, {3, 2, 5, 33},
                                         {2, 411, 3, 5},  {700, 2, 3, 1}};
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_U8, OY_DTYPE_F64};
  static const int64_t counts[] = {1, 2, 8, 11, 20};
  for (size_t s = 0; s < OY_ARRAY_SIZE(shapes); s++)
    for (int k = 0; k < 9; k++)
      for (int64_t dim = 0; dim < DIMS; dim++) {
        oy_scope scope;
        oy_scope_open(&scope);
        oy_tensor* x = laid(numbers(shapes[s], 41, dtypes[k % 3]), k / 3);
        const int64_t count = counts[(s + (size_t)k + (size_t)dim) % 5];
        check_selected(x, shapes[s], dim, count);
        check_slices(x, shapes[s], dim, count, (k + (int)s) % 3);
        int64_t odd[DIMS];
        memcpy(odd, shapes[s], sizeof(odd));
        odd[DIMS - 1] = 2 * odd[DIMS - 1] - 1;
        check_selected(oy_slice_Tensor(numbers(odd, 41, dtypes[k % 3]), DIMS - 1,
                                       oy_int(0), oy_none(), 2),
                       shapes[s], dim, count);
        check_indexed(x, shapes[s], dim, count, (k + (int)s) % 3);
        // One slice for all of another dimension: a step of 0.
        oy_tensor* slice = oy_narrow(x, (dim + 1 + k % 3) % DIMS, 0, 1);
        check_indexed(oy_expand(slice, (oy_ints){shapes[s], DIMS}, false), shapes[s], dim,
                      count, (k + (int)s) % 3);
        oy_scope_close(&scope);
      }
}

// Long lines across a few columns, of which a part is updated at once.
static void long_lines_across(void** state) {
  (void)state;
  for (int64_t columns = 2; columns < 9; columns++)
    for (int64_t blocks = 1; blocks <= 70; blocks += 69) {
      oy_scope scope;
      oy_scope_open(&scope);
      const int64_t shape[DIMS] = {blocks, 9, columns, 1};
      for (int64_t count = 60; count < 300; count += 83)
        check_indexed(numbers(shape, 41, OY_DTYPE_F32), shape, 1, count, 0);
      oy_scope_close(&scope);
    }
}

// Few elements of each of many rows, whose planes have gaps between them: some rows at once, and
// what is left of a plane.
static void few_of_rows_with_gaps(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_BF16, OY_DTYPE_F64};
  static const int64_t counts[] = {1, 2, 3, 11, 20};
  const int64_t whole[DIMS] = {3, 5, 700, 7};
  for (int threads = 1; threads <= 2; threads++)
    for (size_t i = 0; i < 3 * OY_ARRAY_SIZE(counts); i++) {
      oy_scope scope;
      oy_scope_open(&scope);
      assert_int_equal(oy_set_num_threads(threads), OY_OK);
      oy_tensor* x = numbers(whole, 41, dtypes[i % 3]);
      const int64_t narrow[DIMS] = {3, 5, 700 - 2 * (int64_t)i - 1, 7};
      check_selected(oy_narrow(x, 2, 1, narrow[2]), narrow, 3, counts[i / 3]);
      oy_scope_close(&scope);
    }
}

// The dimension of an index comes first in memory, and others lie together: whole lines of
// places and less, more indices than are taken at once, other dimensions that do not follow.
static void places_that_lie_together(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_U8, OY_DTYPE_BF16, OY_DTYPE_F32,
                                    OY_DTYPE_F64, OY_DTYPE_I16};
  static const int64_t shapes[][DIMS] = {
      {65, 3, 2, 64}, {90, 1, 5, 67}, {40, 2, 3, 130}, {70, 2, 2, 9}};
  static const int64_t counts[] = {7, 8, 20, 64, 65, 150};
  for (int threads = 1; threads <= 2; threads++)
    for (size_t i = 0; i < OY_ARRAY_SIZE(shapes) * OY_ARRAY_SIZE(counts); i++) {
      oy_scope scope;
      oy_scope_open(&scope);
      assert_int_equal(oy_set_num_threads(threads), OY_OK);
      const int64_t *shape = shapes[i / OY_ARRAY_SIZE(counts)],
                    count = counts[i % OY_ARRAY_SIZE(counts)];
      oy_tensor* x = numbers(shape, 101, dtypes[i % OY_ARRAY_SIZE(dtypes)]);
      const int64_t turned[DIMS] = {shape[1], shape[2], shape[3], shape[0]};
      check_selected(oy_permute(x, OY_DIMS(1, 2, 3, 0)), turned, 3, count);
      const int64_t apart[DIMS] = {shape[3] - 1, shape[2], shape[1], shape[0]};
      check_selected(oy_permute(oy_narrow(x, 3, 1, shape[3] - 1), OY_DIMS(3, 2, 1, 0)),
                     apart, 3, count);
      oy_scope_close(&scope);
    }
}

// Rows of any number of bytes, which begin anywhere and lie apart; the first of several planes
// too.
static void rows_of_bytes(void** state) {
  (void)state;
  enum { PLANES = 2, ROWS = 23, WIDEST = 550, COUNT = 37 };
  int64_t places[COUNT];
  for (int64_t i = 0; i < COUNT; i++) places[i] = i * 7919 % ROWS;
  for (int64_t wide = 1; wide <= WIDEST; wide += wide < 70    ? 1
                                                 : wide < 128 ? 29
                                                 : wide % 64  ? 27
                                                              : 37)
    for (int64_t gap = 0; gap < 3; gap++) {
      oy_scope scope;
      oy_scope_open(&scope);
      const int64_t sizes[DIMS] = {1, PLANES, ROWS, wide + gap};
      oy_tensor* x = oy_select_int(numbers(sizes, 251, OY_DTYPE_U8), 0, 0);
      oy_tensor* rows = oy_narrow(x, 2, gap / 2, wide);
      oy_tensor* index =
          oy_scope_take(oy_tensor_from_data(places, OY_DIMS(COUNT), OY_DTYPE_I64));
      oy_tensor* got = oy_index_select(rows, 1, index);
      assert_dims(oy_tensor_sizes(got), OY_DIMS(PLANES, COUNT, wide));
      const uint8_t* bytes = oy_tensor_data(got);
      for (int64_t i = 0; i < PLANES * COUNT * wide; i++) {
        const int64_t row = i / wide / COUNT * ROWS + places[i / wide % COUNT];
        assert_true(bytes[i] == element(rows, row * wide + i % wide));
      }
      oy_scope_close(&scope);
    }
}

// Places in all of a tensor, from its end too, whatever the layout.
static void check_taken(oy_tensor* x, int64_t numel, int64_t count) {
  int64_t places[1100] = {0};
  for (int64_t i = 0; i < count; i++)
    places[i] = i * 7919 % numel - (i % 3 == 1 ? numel : 0);
  oy_tensor* index =
      oy_scope_take(oy_tensor_from_data(places, OY_DIMS(count), OY_DTYPE_I64));
  oy_tensor* got = oy_take(x, index);
  assert_dims(oy_tensor_sizes(got), OY_DIMS(count));
  for (int64_t i = 0; i < count; i++)
    assert_true(element(got, i) == element(x, (places[i] + numel) % numel));
  for (int k = 0; k < 2; k++) {
    ((int64_t*)oy_tensor_data(index))[count - 1 - k] = k ? -numel - 1 : numel;
    assert_null(oy_take(x, index));
    oy_error_clear();
  }
}

static void places_in_any_layout(void** state) {
  (void)state;
  static const int64_t shapes[][DIMS] = {
      {1, 1, 1, 1}, {3, 5, 7, 2}, {1, 40, 1, 9}, {16, 1, 33, 4}, {2, 3, 100, 31}};
  for (size_t s = 0; s < OY_ARRAY_SIZE(shapes); s++)
    for (int64_t count = 3; count < 1100; count = count * 3 + 1)
      for (int layout = 0; layout < 3; layout++) {
        oy_scope scope;
        oy_scope_open(&scope);
        check_taken(laid(numbers(shapes[s], 241, OY_DTYPE_I16), layout),
                    product_of(shapes[s]), count);
        oy_scope_close(&scope);
      }
  // More elements than doubles can count.
  oy_scope scope;
  oy_scope_open(&scope);
  const int64_t last = (INT64_C(1) << 60) - 1, sizes[DIMS] = {1, 1, 1, 4};
  oy_tensor* four = oy_reshape(numbers(sizes, 10007, OY_DTYPE_I16), OY_DIMS(4, 1));
  oy_tensor* wide = oy_expand(four, OY_DIMS(4, (last + 1) / 4), false);
  const int64_t at[] = {last, 0, (last + 1) / 4, -last - 1};
  oy_tensor* got =
      oy_take(wide, oy_scope_take(oy_tensor_from_data(at, OY_DIMS(4), OY_DTYPE_I64)));
  assert_elements(got, OY_DIMS(4), element(four, 3), 0, element(four, 1), 0);
  oy_scope_close(&scope);
}

// ------------------------------------------------------------ layouts of new results

// A new result lies as self does: strides by PyTorch 1.13. An index with a second size of 0 has
// one dimension.
static void results_lie_as_self(void** state) {
  (void)state;
  static const struct {
    int64_t sizes[DIMS], order[DIMS], dim, index[2], strides[DIMS + 1];
  } rows[] = {
      {{5, 6, 7, 3}, {0, 2, 3, 1}, 0, {4, 0}, {126, 3, 1, 21}},
      {{5, 6, 7, 3}, {3, 2, 1, 0}, 0, {4, 0}, {210, 1, 7, 42}},
      {{5, 6, 7, 3}, {3, 2, 1, 0}, 1, {2, 3}, {1, 54, 18, 3, 108}},
      {{5, 6, 7, 3}, {1, 3, 0, 2}, 2, {3, 0}, {63, 1, 3, 9}},
      {{5, 1, 7, 3}, {2, 1, 3, 0}, 1, {2, 2}, {3, 42, 21, 1, 84}},
      {{4, 6, 1, 3}, {3, 0, 2, 1}, 3, {1, 0}, {1, 3, 3, 1}},
      {{4, 6, 2, 3}, {0, 1, 2, 3}, 1, {2, 3}, {36, 18, 6, 3, 1}},
      {{40, 3, 50, 2}, {2, 0, 3, 1}, 0, {70, 0}, {240, 6, 1, 2}},
      {{6, 7, 3, 2}, {1, 0, 2, 3}, 3, {4, 0}, {12, 84, 4, 1}},
  };
  for (size_t k = 0; k < OY_ARRAY_SIZE(rows); k++) {
    oy_scope scope;
    oy_scope_open(&scope);
    const int64_t dim = rows[k].dim, more = rows[k].index[1];
    oy_tensor* x = oy_permute(numbers(rows[k].sizes, 10007, OY_DTYPE_I32),
                              (oy_ints){rows[k].order, DIMS});
    const int64_t *sizes = oy_tensor_sizes(x).data,
                  n = rows[k].index[0] * (more ? more : 1);
    int64_t places[70];
    for (int64_t i = 0; i < n; i++)
      places[i] = (i * 5 + 1) % sizes[dim] - (i % 2) * sizes[dim];
    oy_tensor* index = oy_scope_take(oy_tensor_from_data(
        places, (oy_ints){rows[k].index, more ? 2 : 1}, OY_DTYPE_I64));
    oy_tensor* list[DIMS];
    for (int64_t d = 0; d < dim; d++) list[d] = &oy_none_object;
    list[dim] = index;
    oy_tensor* got = oy_index_Tensor(x, (oy_tensors){list, (size_t)dim + 1});
    assert_dims(oy_tensor_strides(got),
                ((oy_ints){rows[k].strides, more ? DIMS + 1 : DIMS}));
    int64_t shape[DIMS], at[DIMS];
    memcpy(shape, sizes, sizeof(shape));
    shape[dim] = n;
    for (int64_t i = 0; i < product_of(shape); i++) {
      coordinates(i, shape, at);
      at[dim] = (places[at[dim]] + sizes[dim]) % sizes[dim];
      assert_true(element(got, i) == element(x, place_of(at, sizes)));
    }
    oy_scope_close(&scope);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(places_in_short_rows),
      cmocka_unit_test(places_in_turned_tensors),
      cmocka_unit_test(short_dimensions),
      cmocka_unit_test(long_lines_across),
      cmocka_unit_test(rows_of_bytes),
      cmocka_unit_test(places_in_any_layout),
      cmocka_unit_test(results_lie_as_self),
      cmocka_unit_test(few_of_rows_with_gaps),
      cmocka_unit_test(places_that_lie_together),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
