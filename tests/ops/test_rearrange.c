// SPDX-License-Identifier: Apache-2.0
// Elements that stay or go by where they are, and such as repeat: what plain loops give.
#include "base/memory.h"
#include "support/tensors.h"

enum { BATCH = 3 };

static oy_tensor* numbers(oy_ints sizes, oy_dtype dtype) {
  int64_t numel = 1;
  for (size_t d = 0; d < sizes.size; d++) numel *= sizes.data[d];
  int64_t* data = malloc((size_t)numel * sizeof(*data));
  assert_non_null(data);
  for (int64_t i = 0; i < numel; i++) data[i] = i % 119 + 1;
  oy_tensor* t = oy_scope_take(oy_tensor_from_data(data, sizes, OY_DTYPE_I64));
  free(data);
  return oy_to_dtype(t, dtype, false, true, oy_none());
}

static void check_triangle(oy_tensor* x, oy_tensor* got, int64_t rows, int64_t columns,
                           int64_t diagonal, bool upper) {
  for (int64_t i = 0; i < BATCH * rows * columns; i++) {
    const int64_t row = i / columns % rows, beyond = i % columns - row;
    const bool stays = upper ? beyond >= diagonal : beyond <= diagonal;
    assert_true(element(got, i) == (stays ? element(x, i) : 0));
  }
}

// Many rows have nothing or all on one side of the diagonal.
static void triangles(void** state) {
  (void)state;
  static const int64_t shapes[][2] = {{1, 1},  {700, 1}, {1, 9},   {90, 5},
                                      {6, 40}, {17, 17}, {333, 2}, {2000, 17}};
  static const oy_dtype dtypes[] = {OY_DTYPE_U8, OY_DTYPE_F32, OY_DTYPE_F64};
  for (size_t s = 0; s < OY_ARRAY_SIZE(shapes); s++)
    for (int k = 0; k < 14; k++) {
      static const int64_t diagonals[] = {0, 1, -1, 3, -4, 60, -500};
      const int64_t rows = shapes[s][0], columns = shapes[s][1],
                    diagonal = diagonals[k / 2];
      assert_int_equal(oy_set_num_threads(1 + k % 2), OY_OK);
      oy_scope scope;
      oy_scope_open(&scope);
      oy_tensor* x = numbers(OY_DIMS(BATCH, rows, columns), dtypes[k % 3]);
      oy_tensor* own = oy_clone(x, oy_none());
      check_triangle(x, oy_triu(x, diagonal), rows, columns, diagonal, true);
      check_triangle(x, oy_tril(x, diagonal), rows, columns, diagonal, false);
      check_triangle(x, oy_tril_(own, diagonal), rows, columns, diagonal, false);
      oy_tensor* turned =
          oy_transpose_int(numbers(OY_DIMS(BATCH, columns, rows), dtypes[k % 3]), 1, 2);
      check_triangle(turned, oy_tril(turned, diagonal), rows, columns, diagonal, false);
      oy_scope_close(&scope);
    }
}

// Each element several times, of tensors that lie in any order.
static void repeated_elements(void** state) {
  (void)state;
  enum { A = 7, B = 5, C = 12 };
  static const int64_t orders[][3] = {{0, 1, 2}, {0, 2, 1}, {2, 1, 0}, {1, 2, 0}};
  for (size_t k = 0; k < OY_ARRAY_SIZE(orders); k++)
    for (int64_t turn = 3; turn < 15; turn++) {
      const int64_t repeats = turn / 3, dim = turn % 3;
      oy_scope scope;
      oy_scope_open(&scope);
      oy_tensor* x =
          oy_permute(numbers(OY_DIMS(A, B, C), OY_DTYPE_F64), (oy_ints){orders[k], 3});
      int64_t sizes[3], inner = 1;
      memcpy(sizes, oy_tensor_sizes(x).data, sizeof(sizes));
      for (int64_t d = dim + 1; d < 3; d++) inner *= sizes[d];
      oy_tensor* got = oy_repeat_interleave_self_int(x, repeats, oy_int(dim), oy_none());
      sizes[dim] *= repeats;
      assert_dims(oy_tensor_sizes(got), OY_DIMS(sizes[0], sizes[1], sizes[2]));
      for (int64_t i = 0; i < A * B * C * repeats; i++)
        assert_true(element(got, i) ==
                    element(x, i / inner / repeats * inner + i % inner));
      oy_scope_close(&scope);
    }
}

// Of short rows, of a dimension of one place, and by nothing.
static void rolled_elements(void** state) {
  (void)state;
  enum { MOST = 40 };
  static const int64_t orders[][3] = {{0, 1, 2}, {0, 2, 1}, {2, 1, 0}, {1, 2, 0}};
  static const int64_t shapes[][3] = {{7, 5, 12}, {3, 50, 1}, {1, 2, 9}, {30, 2, 200}};
  static const oy_dtype dtypes[] = {OY_DTYPE_U8, OY_DTYPE_I16, OY_DTYPE_F32,
                                    OY_DTYPE_F64};
  for (size_t s = 0; s < OY_ARRAY_SIZE(shapes); s++)
    for (int64_t turn = 0; turn < MOST; turn++) {
      const int64_t dim = turn % 3, shift = turn % 7 - 3;
      oy_scope scope;
      oy_scope_open(&scope);
      oy_tensor* x = oy_permute(numbers((oy_ints){shapes[s], 3}, dtypes[turn / 3 % 4]),
                                (oy_ints){orders[turn % 4], 3});
      const int64_t *sizes = oy_tensor_sizes(x).data, size = sizes[dim];
      int64_t inner = 1;
      for (int64_t d = dim + 1; d < 3; d++) inner *= sizes[d];
      oy_tensor* got = oy_roll(x, OY_DIMS(shift), OY_DIMS(dim));
      assert_dims(oy_tensor_sizes(got), OY_DIMS(sizes[0], sizes[1], sizes[2]));
      for (int64_t i = 0; i < oy_tensor_numel(x); i++) {
        const int64_t at = i / inner % size, to = ((at + shift) % size + size) % size;
        assert_true(element(got, i + (to - at) * inner) == element(x, i));
      }
      oy_scope_close(&scope);
    }
}

static void check_order(oy_tensor* x, const int64_t* order) {
  oy_tensor* turned = oy_permute(x, (oy_ints){order, 4});
  oy_tensor* got = oy_contiguous(turned, OY_MEMORY_CONTIGUOUS);
  const oy_ints sizes = oy_tensor_sizes(turned), strides = oy_tensor_strides(turned);
  for (int64_t i = 0; i < oy_tensor_numel(x); i++) {
    int64_t left = i, from = 0;
    for (size_t d = 4; d-- > 0; left /= sizes.data[d])
      from += left % sizes.data[d] * strides.data[d];
    assert_true(element(got, i) == element(x, from));
  }
}

// Many small planes, turned round, in any order of theirs.
static void small_planes(void** state) {
  (void)state;
  static const int64_t sides[][2] = {{2, 12}, {3, 5}, {5, 17}, {7, 3}, {12, 2}, {4, 60}};
  static const int64_t orders[][4] = {
      {1, 0, 3, 2}, {0, 1, 3, 2}, {3, 1, 0, 2}, {1, 3, 0, 2}, {0, 3, 1, 2}};
  static const oy_dtype dtypes[] = {OY_DTYPE_U8, OY_DTYPE_F16, OY_DTYPE_F32,
                                    OY_DTYPE_F64};
  for (size_t s = 0; s < OY_ARRAY_SIZE(sides); s++)
    for (size_t k = 0; k < OY_ARRAY_SIZE(orders) * OY_ARRAY_SIZE(dtypes); k++) {
      assert_int_equal(oy_set_num_threads(1 + (int)k % 2), OY_OK);
      oy_scope scope;
      oy_scope_open(&scope);
      check_order(numbers(OY_DIMS(37, 29, sides[s][0], sides[s][1]), dtypes[k / 5]),
                  orders[k % 5]);
      oy_scope_close(&scope);
    }
}

// Where nothing is added: strides by PyTorch 1.13.
static void padded_by_nothing(void** state) {
  (void)state;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = oy_permute(numbers(OY_DIMS(3, 4, 5), OY_DTYPE_F32), OY_DIMS(2, 0, 1));
  oy_tensor* same = oy_constant_pad_nd(x, OY_DIMS(0, 0), oy_int(7));
  oy_tensor* less = oy_constant_pad_nd(x, OY_DIMS(0, -1), oy_int(7));
  assert_dims(oy_tensor_strides(same), OY_DIMS(1, 20, 5));
  assert_dims(oy_tensor_strides(less), OY_DIMS(1, 15, 5));
  for (int64_t i = 0; i < 60; i++) assert_true(element(same, i) == element(x, i));
  for (int64_t i = 0; i < 45; i++)
    assert_true(element(less, i) == element(x, i / 3 * 4 + i % 3));
  oy_scope_close(&scope);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(triangles),         cmocka_unit_test(repeated_elements),
      cmocka_unit_test(rolled_elements),   cmocka_unit_test(small_planes),
      cmocka_unit_test(padded_by_nothing),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
