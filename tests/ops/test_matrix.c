// SPDX-License-Identifier: Apache-2.0
// Products of matrices by their definition: sums of small integers, exact in every
// dtype, over shapes around the tiles' edges and over layouts that BLAS takes and that
// it does not; once with OpenBLAS, where it is there, and once without.
#include <dlfcn.h>

#include "opyard/threads.h"
#include "support/tensors.h"

typedef enum layout { ROWS, COLUMNS, GAPS, LAYOUTS } layout;

// Small, or with a great |salt| any byte.
enum { WIDE = 100 };
static int64_t value_at(int64_t i, int64_t j, int64_t salt) {
  if (salt >= WIDE) return (i * 37 + j * 101 + i * j * salt) % 256 - 128;
  return (i * 7 + j * 3 + salt) % 5 - 2;
}

static oy_tensor* as_dtype(oy_tensor* t, oy_dtype dtype) {
  oy_tensor* made =
      oy__to_copy(t, oy_int(dtype), oy_none(), oy_none(), oy_none(), false, oy_none());
  oy_tensor_release(t);
  return made;
}

// An n x m matrix laid out as |how|; unsigned ones have no negative elements.
static oy_tensor* matrix(int64_t n, int64_t m, oy_dtype dtype, layout how, int64_t salt) {
  int64_t step = how == GAPS ? 2 : 1;
  int64_t rows = how == COLUMNS ? m : n, columns = how == COLUMNS ? n : m;
  oy_tensor* t =
      oy_tensor_empty(OY_DIMS(rows, columns * step), OY_DTYPE_I64, oy_device_cpu());
  int64_t* data = oy_tensor_data(t);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < m; j++) {
      int64_t v = value_at(i, j, salt);
      data[how == COLUMNS ? j * n + i : (i * m + j) * step] = dtype != OY_DTYPE_U8 ? v
                                                              : salt >= WIDE ? v + 128
                                                                             : v + 2;
    }
  oy_tensor* typed = as_dtype(t, dtype);
  int64_t strides[2] = {how == COLUMNS ? 1 : columns * step, how == COLUMNS ? n : step};
  oy_tensor* view = oy_tensor_as_strided(typed, OY_DIMS(n, m), (oy_ints){strides, 2}, 0);
  oy_tensor_release(typed);
  return view;
}

static int64_t stored(oy_dtype dtype, int64_t i, int64_t j, int64_t salt) {
  return value_at(i, j, salt) + (dtype == OY_DTYPE_U8 ? 2 : 0);
}

// The real parts: what complex results are compared by.
static double at(const oy_tensor* t, int64_t i, int64_t j) {
  const oy_ints strides = oy_tensor_strides(t);
  int64_t offset = i * strides.data[0] + j * strides.data[1];
  if (t->dtype == OY_DTYPE_C64) return ((float*)oy_tensor_data(t))[2 * offset];
  if (t->dtype == OY_DTYPE_C128) return ((double*)oy_tensor_data(t))[2 * offset];
  return element(t, i * oy_tensor_size(t, 1) + j);
}

static void check(const oy_tensor* t, int64_t n, int64_t k, int64_t m, int64_t beta,
                  int64_t alpha) {
  if (!t) print_error("%s\n", oy_error_get()->message);
  assert_non_null(t);
  assert_dims(oy_tensor_sizes(t), OY_DIMS(n, m));
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < m; j++) {
      int64_t sum = 0;
      for (int64_t p = 0; p < k; p++)
        sum += stored(t->dtype, i, p, 1) * stored(t->dtype, p, j, 2);
      sum = alpha * sum + beta * stored(t->dtype, 0, j, 3);
      if (t->dtype == OY_DTYPE_U8) sum = (uint8_t)sum;
      if (t->dtype == OY_DTYPE_I8) sum = (int8_t)sum;
      if (at(t, i, j) == (double)sum) continue;
      print_error("dtype %d: [%lld, %lld] is %g and not %lld\n", t->dtype, (long long)i,
                  (long long)j, at(t, i, j), (long long)sum);
      fail();
    }
}

static void one_shape(int64_t n, int64_t k, int64_t m, oy_dtype dtype, layout a_how,
                      layout b_how) {
  oy_tensor* a = matrix(n, k, dtype, a_how, 1);
  oy_tensor* b = matrix(k, m, dtype, b_how, 2);
  oy_tensor* row = matrix(1, m, dtype, ROWS, 3);
  oy_tensor* product = oy_mm(a, b);
  check(product, n, k, m, 0, 1);
  oy_tensor* sum = oy_addmm(row, a, b, oy_int(2), oy_int(3));
  check(sum, n, k, m, 2, 3);
  oy_tensor* scaled = oy_addmm(row, a, b, oy_int(0), oy_int(3));
  check(scaled, n, k, m, 0, 3);
  oy_tensor* out = matrix(n, m, dtype, a_how, 9);
  assert_ptr_equal(oy_addmm_out(row, a, b, oy_int(1), oy_int(1), out), out);
  check(out, n, k, m, 1, 1);
  oy_tensor* wide = oy_tensor_expand(row, OY_DIMS(n, m));
  oy_tensor* inplace = oy_clone(wide, oy_int(OY_MEMORY_CONTIGUOUS));
  assert_ptr_equal(oy_addmm_(inplace, a, b, oy_int(2), oy_int(1)), inplace);
  check(inplace, n, k, m, 2, 1);
  oy_tensor* all[] = {a, b, row, product, sum, scaled, out, wide, inplace};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
}

static void products_are_sums_of_products(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_F32,  OY_DTYPE_F64, OY_DTYPE_F16,
                                    OY_DTYPE_BF16, OY_DTYPE_C64, OY_DTYPE_C128,
                                    OY_DTYPE_I64,  OY_DTYPE_I32, OY_DTYPE_I16,
                                    OY_DTYPE_I8,   OY_DTYPE_U8};
  static const int64_t shapes[][3] = {
      {1, 1, 1},    {2, 3, 2},   {4, 2, 4},   {5, 7, 9},    {12, 4, 32}, {13, 9, 33},
      {31, 17, 15}, {1, 40, 8},  {8, 40, 1},  {97, 20, 61}, {3, 0, 4},   {0, 3, 4},
      {1, 17, 1},   {1, 70, 1},  {2, 40, 19}, {19, 40, 3},  {67, 16, 1}, {1, 15, 67},
      {3, 140, 2},  {4, 33, 50}, {7, 18, 49}, {11, 40, 100}};
  for (size_t d = 0; d < sizeof(dtypes) / sizeof(*dtypes); d++)
    for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++)
      for (int how = 0; how < LAYOUTS * LAYOUTS; how++)
        one_shape(shapes[s][0], shapes[s][1], shapes[s][2], dtypes[d], how / LAYOUTS,
                  how % LAYOUTS);
}

// Rows and columns that are multiplied where they lie, and what is left of tiles of both.
static void whole_numbers_by_few_columns(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_I64, OY_DTYPE_I32, OY_DTYPE_I16, OY_DTYPE_I8,
                                    OY_DTYPE_U8};
  static const int64_t shapes[][3] = {{67, 35, 2}, {3, 42, 70}, {9, 17, 5},  {21, 50, 8},
                                      {40, 16, 7}, {33, 8, 3},  {12, 70, 6}, {8, 33, 4}};
  for (size_t d = 0; d < sizeof(dtypes) / sizeof(*dtypes); d++)
    for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++)
      for (int how = 0; how < LAYOUTS * LAYOUTS; how++)
        one_shape(shapes[s][0], shapes[s][1], shapes[s][2], dtypes[d], how / LAYOUTS,
                  how % LAYOUTS);
}

// More rows of bfloat16 than are taken together: as many as a cache holds, or few whole pages.
static void blocks_of_short_rows(void** state) {
  (void)state;
  static const int64_t shapes[][3] = {
      {130, 5, 2048}, {500, 4, 1100}, {70, 15, 1024}, {37, 16, 2048}};
  for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++)
    for (int how = 0; how < 2; how++)
      one_shape(shapes[s][0], shapes[s][1], shapes[s][2], OY_DTYPE_BF16, ROWS,
                how ? COLUMNS : ROWS);
}

// Rows of bfloat16 that are not short by columns of them that are few, whose pairs are copied.
static void short_rows_by_few_columns(void** state) {
  (void)state;
  static const int64_t shapes[][3] = {{40, 10, 2}, {33, 9, 8},   {100, 16, 16},
                                      {21, 13, 5}, {130, 12, 7}, {31, 11, 16}};
  for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++)
    for (int how = 0; how < LAYOUTS * LAYOUTS; how++)
      one_shape(shapes[s][0], shapes[s][1], shapes[s][2], OY_DTYPE_BF16, how / LAYOUTS,
                how % LAYOUTS);
}

// Shapes that are worth a short way, of any number of columns, and the ones beside them; what
// lies behind an output stays as it is.
static void small_products_of_every_shape(void** state) {
  (void)state;
  enum { SIDE = 33, BEHIND = 32 };
  static const uint8_t sides[] = {1, 2, 3, 5, 7, 8, 9, 13, 16, 17, 24, 31, 32, SIDE};
  for (size_t s = 0; s < sizeof(sides) * sizeof(sides); s++)
    for (int64_t m = 1; m <= SIDE; m++) {
      const int64_t n = sides[s / sizeof(sides)], k = sides[s % sizeof(sides)];
      oy_tensor* a = matrix(n, k, OY_DTYPE_F32, ROWS, 1);
      oy_tensor* b = matrix(k, m, OY_DTYPE_F32, ROWS, 2);
      oy_tensor* product = oy_mm(a, b);
      check(product, n, k, m, 0, 1);
      oy_tensor* room = oy_full(OY_DIMS(n * m + BEHIND), oy_float(77), oy_none(),
                                oy_none(), oy_none(), oy_none());
      oy_tensor* part = oy_narrow(room, 0, 0, n * m);
      oy_tensor* out = oy_view(part, OY_DIMS(n, m));
      assert_ptr_equal(oy_mm_out(a, b, out), out);
      check(out, n, k, m, 0, 1);
      for (int64_t i = 0; i < BEHIND; i++) assert_true(element(room, n * m + i) == 77);
      oy_tensor* all[] = {a, b, product, room, part, out};
      for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
    }
}

// An output that is an operand, lies over one, has another shape or another dtype.
static void outputs_of_small_products(void** state) {
  (void)state;
  oy_tensor* a = matrix(3, 3, OY_DTYPE_F32, ROWS, 1);
  oy_tensor* b = matrix(3, 3, OY_DTYPE_F32, ROWS, 2);
  oy_tensor* room = oy_zeros(OY_DIMS(12), oy_none(), oy_none(), oy_none(), oy_none());
  oy_tensor* low = oy_as_strided(room, OY_DIMS(3, 3), OY_DIMS(3, 1), oy_none());
  oy_tensor* high = oy_as_strided(room, OY_DIMS(3, 3), OY_DIMS(3, 1), oy_int(3));
  oy_tensor* wrong =
      oy_zeros(OY_DIMS(3, 3), oy_int(OY_DTYPE_F64), oy_none(), oy_none(), oy_none());
  oy_tensor* empty = oy_zeros(OY_DIMS(0), oy_none(), oy_none(), oy_none(), oy_none());
  static const char over[] =
      "unsupported operation: some elements of the input tensor and the written-to "
      "tensor "
      "refer to a single memory location. Please clone() the tensor before performing "
      "the "
      "operation.";
  assert_fails(oy_mm_out(a, b, a), over);
  assert_fails(oy_mm_out(a, b, b), over);
  assert_fails(oy_mm_out(low, b, high), over);
  assert_fails(oy_mm_out(b, low, high), over);
  assert_fails(oy_mm_out(a, b, wrong),
               "Expected out tensor to have dtype float, but got double instead");
  assert_ptr_equal(oy_mm_out(a, b, empty), empty);
  check(empty, 3, 3, 3, 0, 1);
  oy_tensor* all[] = {a, b, room, low, high, wrong, empty};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
}

// More rows than are read where they lie, more columns than are packed at a time, and rows
// that would share their places in the first cache.
static void great_products_are_the_same_sums(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_I8, OY_DTYPE_U8};
  static const int64_t shapes[][3] = {{387, 33, 100}, {140, 30, 801}, {65, 515, 33},
                                      {66, 1024, 40}, {66, 4096, 20}, {65, 1024, 520}};
  const int before = oy_get_num_threads();
  for (size_t d = 0; d < sizeof(dtypes) / sizeof(*dtypes); d++)
    for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes) - (d > 0); s++) {
      const int64_t n = shapes[s][0], k = shapes[s][1], m = shapes[s][2];
      assert_int_equal(oy_set_num_threads(1 + (int)(d + s) % 2), OY_OK);
      oy_tensor* a = matrix(n, k, dtypes[d], ROWS, 1);
      oy_tensor* b = matrix(k, m, dtypes[d], s == 2 ? COLUMNS : ROWS, 2);
      oy_tensor* product = oy_mm(a, b);
      check(product, n, k, m, 0, 1);
      oy_tensor* all[] = {a, b, product};
      for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
    }
  assert_int_equal(oy_set_num_threads(before), OY_OK);
}

static void check_bytes(const oy_tensor* t, const int64_t shape[3], bool is_unsigned) {
  if (!t) print_error("%s\n", oy_error_get()->message);
  assert_non_null(t);
  const int64_t move = is_unsigned ? 128 : 0;
  for (int64_t i = 0; i < shape[0]; i++)
    for (int64_t j = 0; j < shape[2]; j++) {
      int64_t sum = 0;
      for (int64_t p = 0; p < shape[1]; p++)
        sum += (value_at(i, p, WIDE) + move) * (value_at(p, j, WIDE + 1) + move);
      if (t->dtype == OY_DTYPE_U8) sum = (uint8_t)sum;
      if (t->dtype == OY_DTYPE_I8) sum = (int8_t)sum;
      if (at(t, i, j) == (double)sum) continue;
      print_error("%lldx%lldx%lld, dtype %d: [%lld, %lld] is %g and not %lld\n",
                  (long long)shape[0], (long long)shape[1], (long long)shape[2], t->dtype,
                  (long long)i, (long long)j, at(t, i, j), (long long)sum);
      fail();
    }
}

// The extremes too, whose products are no small numbers; sums wrap, but in int32.
static void bytes_are_multiplied_exactly(void** state) {
  (void)state;
  static const int64_t shapes[][3] = {{1, 9, 1},    {4, 4, 4},    {5, 7, 9},
                                      {12, 64, 32}, {13, 65, 33}, {29, 130, 17},
                                      {97, 20, 61}, {40, 3, 110}, {7, 2048, 40},
                                      {40, 35, 2},  {3, 42, 70}};
  for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++)
    for (int how = 0; how < LAYOUTS * LAYOUTS; how++)
      for (int u = 0; u < 2; u++) {
        const int64_t* n = shapes[s];
        const oy_dtype dtype = u ? OY_DTYPE_U8 : OY_DTYPE_I8;
        oy_tensor* a = matrix(n[0], n[1], dtype, how / LAYOUTS, WIDE);
        oy_tensor* b = matrix(n[1], n[2], dtype, how % LAYOUTS, WIDE + 1);
        oy_tensor* product = oy_mm(a, b);
        check_bytes(product, n, u);
        oy_tensor* wide = u ? NULL : oy__int_mm(a, b);
        if (!u) check_bytes(wide, n, u);
        oy_tensor* out = matrix(n[0], n[2], OY_DTYPE_I32, how / LAYOUTS, 1);
        if (!u) assert_ptr_equal(oy__int_mm_out(a, b, out), out);
        if (!u) check_bytes(out, n, u);
        oy_tensor* all[] = {a, b, product, wide, out};
        for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
      }
}

static void products_of_int8_are_refused_for_others(void** state) {
  (void)state;
  oy_tensor* a = matrix(2, 3, OY_DTYPE_I8, ROWS, 1);
  oy_tensor* b = matrix(3, 2, OY_DTYPE_U8, ROWS, 1);
  oy_tensor* v = matrix(3, 2, OY_DTYPE_I8, ROWS, 1);
  assert_fails(
      oy__int_mm(a, a),
      "int_mm_out_cpu: self.size(1) needs to match mat2.size(0) but got 3 and 2");
  assert_fails(oy__int_mm(a, b),
               "int_mm_out_cpu: Expected mat2 dtype to be of type int8 but got Byte");
  assert_fails(oy__int_mm_out(a, v, a),
               "unsupported operation: some elements of the input tensor and the "
               "written-to tensor refer to a single memory location. Please clone() "
               "the tensor before performing the operation.");
  oy_tensor* none = oy_tensor_empty(OY_DIMS(0, 3), OY_DTYPE_I8, oy_device_cpu());
  oy_tensor* flat = oy_t(none);
  oy_tensor* zeros = oy__int_mm(flat, none);
  assert_elements(zeros, OY_DIMS(3, 3), 0, 0, 0, 0, 0, 0, 0, 0, 0);
  oy_tensor* all[] = {a, b, v, none, flat, zeros};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
}

// Products of bfloat16 are exact in float, so that what is left is the sums' rounding and
// the last one, to 8 bits. What is not finite stays in its row and column.
static void bfloat16_is_added_up_in_float(void** state) {
  (void)state;
  enum { N = 29, K = 301, M = 45 };
  for (int how = 0; how < LAYOUTS * LAYOUTS; how++) {
    oy_tensor* a = matrix(N, K, OY_DTYPE_BF16, how / LAYOUTS, WIDE);
    oy_tensor* b = matrix(K, M, OY_DTYPE_BF16, how % LAYOUTS, WIDE + 1);
    oy_tensor* c = oy_mm(a, b);
    for (int64_t i = 0; i < N; i++)
      for (int64_t j = 0; j < M; j++) {
        double sum = 0, size = 0;
        for (int64_t p = 0; p < K; p++) {
          const double x = (double)(value_at(i, p, WIDE) * value_at(p, j, WIDE + 1));
          sum += x, size += fabs(x);
        }
        const double error = fabs(at(c, i, j) - sum);
        assert_true(error <= fabs(sum) / 256 + size * K * 0x1p-24);
      }
    oy_tensor *last_row = oy_select_int(a, 0, N - 1), *first = oy_select_int(b, 1, 0);
    assert_ptr_equal(oy_fill__Scalar(last_row, oy_float(NAN)), last_row);
    assert_ptr_equal(oy_fill__Scalar(first, oy_float(INFINITY)), first);
    oy_tensor* bad = oy_mm(a, b);
    for (int64_t i = 0; i < N; i++)
      for (int64_t j = 0; j < M; j++)
        assert_int_equal(isfinite(at(bad, i, j)) != 0, i < N - 1 && j > 0);
    oy_tensor* all[] = {a, b, c, last_row, first, bad};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
  }
}

// NaN in what is multiplied by beta = 0 does not count, as in BLAS.
static void beta_zero_does_not_read(void** state) {
  (void)state;
  oy_tensor* bad = F32(OY_DIMS(2, 2), NAN, INFINITY, NAN, 1);
  oy_tensor* a = F32(OY_DIMS(2, 2), 1, 2, 3, 4);
  oy_tensor* sum = oy_addmm(bad, a, a, oy_int(0), oy_int(1));
  assert_elements(sum, OY_DIMS(2, 2), 7, 10, 15, 22);
  oy_tensor_release(sum);
  oy_tensor_release(a);
  oy_tensor_release(bad);
}

static void batches(void** state) {
  (void)state;
  oy_tensor* a = F64(OY_DIMS(2, 1, 2), 1, 2, 3, 4);
  oy_tensor* b = F64(OY_DIMS(2, 2, 1), 5, 6, 7, 8);
  oy_tensor* one = F64(OY_DIMS(1), 1);
  oy_tensor* p = oy_bmm(a, b);
  assert_elements(p, OY_DIMS(2, 1, 1), 17, 53);
  oy_tensor* q = oy_baddbmm(one, a, b, oy_int(10), oy_int(1));
  assert_elements(q, OY_DIMS(2, 1, 1), 27, 63);
  oy_tensor* r = oy_addbmm(one, a, b, oy_int(10), oy_int(2));
  assert_elements(r, OY_DIMS(1, 1), 150);
  oy_tensor* none = oy_tensor_empty(OY_DIMS(0, 1, 2), OY_DTYPE_F64, oy_device_cpu());
  oy_tensor* none2 = oy_tensor_empty(OY_DIMS(0, 2, 1), OY_DTYPE_F64, oy_device_cpu());
  oy_tensor* s = oy_addbmm(one, none, none2, oy_int(10), oy_int(2));
  assert_elements(s, OY_DIMS(1, 1), 10);
  oy_tensor* all[] = {a, b, one, p, q, r, none, none2, s};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
}

static void vectors(void** state) {
  (void)state;
  oy_tensor* v = F32(OY_DIMS(3), 1, 2, 3);
  oy_tensor* m = F32(OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  oy_tensor* two = F32(OY_DIMS(2), 10, 20);
  oy_tensor* mv = oy_mv(m, v);
  assert_elements(mv, OY_DIMS(2), 14, 32);
  oy_tensor* sum = oy_addmv(two, m, v, oy_int(1), oy_int(2));
  assert_elements(sum, OY_DIMS(2), 38, 84);
  oy_tensor* dot = oy_dot(v, v);
  assert_elements(dot, oy_dims_none(), 14);
  oy_tensor* vdot = oy_vdot(v, v);
  assert_elements(vdot, oy_dims_none(), 14);
  oy_tensor* outer = oy_outer(two, v);
  assert_elements(outer, OY_DIMS(2, 3), 10, 20, 30, 20, 40, 60);
  oy_tensor* ger = oy_ger(two, v);
  assert_elements(ger, OY_DIMS(2, 3), 10, 20, 30, 20, 40, 60);
  oy_tensor* addr = oy_addr(m, two, v, oy_int(1), oy_int(1));
  assert_elements(addr, OY_DIMS(2, 3), 11, 22, 33, 24, 45, 66);
  assert_ptr_equal(oy_addr_(m, two, v, oy_int(0), oy_int(1)), m);
  assert_elements(m, OY_DIMS(2, 3), 10, 20, 30, 20, 40, 60);
  oy_tensor* all[] = {v, m, two, mv, sum, dot, vdot, outer, ger, addr};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
}

// Large enough for the loop that reads what is added where it is, in rows with gaps too.
static void sums_with_products_of_vectors(void** state) {
  (void)state;
  enum { N = 33, M = 267 };
  static const oy_dtype dtypes[] = {
      OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_F16, OY_DTYPE_BF16, OY_DTYPE_I64,
      OY_DTYPE_I32, OY_DTYPE_I16, OY_DTYPE_I8,  OY_DTYPE_C64,  OY_DTYPE_C128};
  for (size_t d = 0; d < sizeof(dtypes) / sizeof(*dtypes); d++)
    for (int how = 0; how < LAYOUTS; how++) {
      oy_tensor* m = matrix(N, M, dtypes[d], how, 3);
      oy_tensor* columns = matrix(N, 1, dtypes[d], ROWS, 1);
      oy_tensor* rows = matrix(1, M, dtypes[d], ROWS, 2);
      oy_tensor *a = oy_select_int(columns, 1, 0), *b = oy_select_int(rows, 0, 0);
      oy_tensor* sum = oy_addr(m, a, b, oy_int(2), oy_int(3));
      for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < M; j++)
          assert_true(at(sum, i, j) ==
                      (double)(3 * value_at(i, 0, 1) * value_at(0, j, 2) +
                               2 * value_at(i, j, 3)));
      oy_tensor* all[] = {m, columns, rows, a, b, sum};
      for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
    }
}

// As those of elementwise operators: what is added decides, then the column (PyTorch's addr
// walks an iterator of the three).
static void sums_with_outer_products_lie_as_elementwise_ones(void** state) {
  (void)state;
  oy_tensor *base = F32(OY_DIMS(3, 2), 1, 2, 3, 4, 5, 6), *turned = oy_t(base);
  oy_tensor *v = F32(OY_DIMS(3), 1, 2, 3), *two = F32(OY_DIMS(2), 10, 20);
  oy_tensor* dense = oy_clone(turned, oy_int(OY_MEMORY_CONTIGUOUS));
  oy_tensor* number = oy_select_int(v, 0, 0);
  const struct {
    oy_tensor* self;
    int64_t row, column;
  } rows[] = {{turned, 1, 2}, {dense, 3, 1}, {v, 3, 1}, {number, 3, 1}};
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    oy_tensor* sum = oy_addr(rows[i].self, two, v, oy_int(2), oy_int(1));
    assert_int_equal(oy_tensor_strides(sum).data[0], rows[i].row);
    assert_int_equal(oy_tensor_strides(sum).data[1], rows[i].column);
    oy_tensor* same = oy_contiguous(sum, OY_MEMORY_CONTIGUOUS);
    if (i < 2) assert_elements(same, OY_DIMS(2, 3), 12, 26, 40, 24, 48, 72);
    oy_tensor_release(same);
    oy_tensor_release(sum);
  }
  oy_tensor* all[] = {base, turned, v, two, dense, number};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
}

static void linear_and_chains(void** state) {
  (void)state;
  oy_tensor* x = F32(OY_DIMS(1, 2, 2), 1, 2, 3, 4);
  oy_tensor* w = F32(OY_DIMS(3, 2), 1, 0, 0, 1, 1, 1);
  oy_tensor* bias = F32(OY_DIMS(3), 10, 20, 30);
  oy_tensor* y = oy_linear(x, w, bias);
  assert_elements(y, OY_DIMS(1, 2, 3), 11, 22, 33, 13, 24, 37);
  oy_tensor* z = oy_linear(x, w, &oy_none_object);
  assert_elements(z, OY_DIMS(1, 2, 3), 1, 2, 3, 3, 4, 7);
  oy_tensor* wt = oy_t(w);
  oy_object* list[] = {w, wt, w};
  oy_tensor* chain = oy_chain_matmul((oy_tensors){list, 3});
  assert_elements(chain, OY_DIMS(3, 2), 2, 1, 1, 2, 3, 3);
  assert_null(oy_chain_matmul((oy_tensors){list, 0}));
  oy_tensor* all[] = {x, w, bias, y, z, wt, chain};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
}

// Values by hand; what einsum says is PyTorch's.
static void contractions(void** state) {
  (void)state;
  oy_tensor* a = F32(OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  oy_tensor* b = F32(OY_DIMS(3, 2), 1, 0, 0, 1, 1, 1);
  oy_tensor* square = F32(OY_DIMS(2, 2), 1, 2, 3, 4);
  oy_object* pair[] = {a, b};
  oy_object* single[] = {square};
  oy_tensors both = {pair, 2}, one = {single, 1};
  oy_ints no_path = {NULL, 0};
#define EINSUM(text, operands) oy_einsum(oy_str_of(text), operands, no_path)
  oy_tensor* product = EINSUM("ij,jk->ik", both);
  assert_elements(product, OY_DIMS(2, 2), 4, 5, 10, 11);
  oy_tensor* flipped = EINSUM("ij, jk -> ki", both);
  assert_elements(flipped, OY_DIMS(2, 2), 4, 10, 5, 11);
  oy_tensor* implied = EINSUM("...j,jk", both);
  assert_elements(implied, OY_DIMS(2, 2), 4, 5, 10, 11);
  oy_tensor* all_pairs = EINSUM("ab,cd->", both);
  assert_elements(all_pairs, oy_dims_none(), 84);
  oy_tensor* diagonal = EINSUM("ii->i", one);
  assert_elements(diagonal, OY_DIMS(2), 1, 4);
  oy_tensor* trace = EINSUM("ii", one);
  assert_elements(trace, oy_dims_none(), 5);
  oy_tensor* dotted = oy_tensordot(a, b, OY_DIMS(1, 0), OY_DIMS(0, 1));
  assert_elements(dotted, oy_dims_none(), 1 + 0 + 3 + 0 + 5 + 6);
  oy_tensor* inner = oy_inner(a, a);
  assert_elements(inner, OY_DIMS(2, 2), 14, 32, 32, 77);
  oy_tensor* cube = oy_matrix_power(square, 3);
  assert_elements(cube, OY_DIMS(2, 2), 37, 54, 81, 118);
  oy_tensor* unit = oy_linalg_matrix_power(square, 0);
  assert_elements(unit, OY_DIMS(2, 2), 1, 0, 0, 1);
  oy_tensor* x = F32(OY_DIMS(3), 1, 0, 0);
  oy_tensor* y = F32(OY_DIMS(3), 0, 1, 0);
  oy_tensor* z = oy_linalg_cross(x, y, -1);
  assert_elements(z, OY_DIMS(3), 0, 0, 1);
  oy_tensor* far = oy_cdist(square, square, 2, oy_none());
  assert_close_(far, OY_DIMS(2, 2), (const double[]){0, sqrt(8), sqrt(8), 0}, 1e-6,
                __FILE__, __LINE__);
  assert_fails(EINSUM("ijk,jk->ik", both),
               "einsum(): the number of subscripts in the equation (3) does not match "
               "the number of dimensions (2) for operand 0 and no ellipsis was given");
  assert_fails(EINSUM("ij,kl->iix", both),
               "einsum(): output subscript i appears more than once in the output");
  assert_fails(EINSUM("ij,jk,k", both),
               "einsum(): fewer operands were provided than specified in the equation");
  assert_fails(EINSUM("ij,ik", both),
               "einsum(): subscript i has size 3 for operand 1 which does not broadcast "
               "with previously seen size 2");
  assert_fails(oy_linalg_cross(a, square, -1),
               "linalg.cross: inputs dimension -1 must have length 3. Got 3 and 2");
  oy_tensor* all[] = {a,         b,        square, product, flipped, implied,
                      all_pairs, diagonal, trace,  dotted,  inner,   cube,
                      unit,      x,        y,      z,       far};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
}

static void what_does_not_fit_is_refused(void** state) {
  (void)state;
  oy_tensor* a = F32(OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  oy_tensor* d = F64(OY_DIMS(3, 2), 1, 2, 3, 4, 5, 6);
  oy_tensor* v = F32(OY_DIMS(3), 1, 2, 3);
  oy_tensor* flags = BOOLS(OY_DIMS(2, 2), true, false, true, false);
  oy_tensor* i = I64(OY_DIMS(1, 1), 2);
  oy_tensor* one = I64(OY_DIMS(1), 2);
  assert_fails(oy_mm(a, a), "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)");
  assert_fails(oy_mm(a, d),
               "expected m1 and m2 to have the same dtype, but got: float != double");
  assert_fails(oy_mm(v, a), "self must be a matrix");
  assert_fails(oy_addmm(a, v, a, oy_int(1), oy_int(1)),
               "mat1 must be a matrix, got 1-D tensor");
  assert_fails(oy_mm(flags, flags), "\"addmm_impl_cpu_\" not implemented for 'Bool'");
  assert_fails(oy_addr(i, one, one, oy_int(1), oy_float(0.5)),
               "For integral input tensors, argument alpha must not be a floating point "
               "number.");
  assert_fails(oy_mv(a, a), "size mismatch, got input [2, 3], vec [2, 3]");
  assert_fails(oy_dot(a, v), "1D tensors expected, but got 2D and 1D tensors");
  assert_fails(oy_outer(a, v), "outer: Expected 1-D argument self, but got 2-D");
  oy_tensor* all[] = {a, d, v, flags, i, one};
  for (size_t k = 0; k < sizeof(all) / sizeof(*all); k++) oy_tensor_release(all[k]);
}

// A program that lets the library have threads finds them again, and is not asked for
// them: products of several of opyard's threads would wait for each other there.
static void threads_of_the_program_stay(void** state) {
  (void)state;
  void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_NOLOAD);
  if (!library) skip();
  void (*set)(int) = (void (*)(int))dlsym(library, "openblas_set_num_threads");
  int (*get)(void) = (int (*)(void))dlsym(library, "openblas_get_num_threads");
  if (!set || !get) skip();
  const int before = oy_get_num_threads();
  oy_tensor* a = matrix(150, 90, OY_DTYPE_F64, ROWS, 1);
  oy_tensor* b = matrix(90, 130, OY_DTYPE_F64, ROWS, 2);
  for (int theirs = 1; theirs <= 2; theirs++)
    for (int ours = 1; ours <= 3; ours++) {
      set(theirs);
      const int found = get();  // the library may allow fewer
      assert_int_equal(oy_set_num_threads(ours), OY_OK);
      oy_tensor* c = oy_mm(a, b);
      check(c, 150, 90, 130, 0, 1);
      assert_int_equal(get(), found);
      oy_tensor_release(c);
    }
  set(1);
  assert_int_equal(oy_set_num_threads(before), OY_OK);
  oy_tensor_release(a);
  oy_tensor_release(b);
  dlclose(library);
}

static int without_openblas(void** state) {
  setenv("OPYARD_OPENBLAS", "off", 1);
  return init_library(state);
}
static int with_openblas(void** state) {
  unsetenv("OPYARD_OPENBLAS");
  return init_library(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_are_sums_of_products),
      cmocka_unit_test(whole_numbers_by_few_columns),
      cmocka_unit_test(blocks_of_short_rows),
      cmocka_unit_test(short_rows_by_few_columns),
      cmocka_unit_test(small_products_of_every_shape),
      cmocka_unit_test(outputs_of_small_products),
      cmocka_unit_test(great_products_are_the_same_sums),
      cmocka_unit_test(bytes_are_multiplied_exactly),
      cmocka_unit_test(products_of_int8_are_refused_for_others),
      cmocka_unit_test(bfloat16_is_added_up_in_float),
      cmocka_unit_test(beta_zero_does_not_read),
      cmocka_unit_test(batches),
      cmocka_unit_test(vectors),
      cmocka_unit_test(sums_with_products_of_vectors),
      cmocka_unit_test(sums_with_outer_products_lie_as_elementwise_ones),
      cmocka_unit_test(linear_and_chains),
      cmocka_unit_test(contractions),
      cmocka_unit_test(what_does_not_fit_is_refused),
      cmocka_unit_test(threads_of_the_program_stay),
  };
  int failed =
      cmocka_run_group_tests_name("portable", tests, without_openblas, shut_library);
  return failed +
         cmocka_run_group_tests_name("openblas", tests, with_openblas, shut_library);
}
