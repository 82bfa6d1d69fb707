// SPDX-License-Identifier: Apache-2.0
// Reductions into elements that are there, of every dtype: rows and lines of lengths around
// those of vectors give what a loop from element to element does, in double or int64. Numbers
// are small and whole, so that no order of rounding shows; NaN, infinities and -0 are among
// the floats.
#include "support/tensors.h"
#include "tensor/element.h"

enum { MOST = 64 * 1024, PLACES = 5, GIVEN = 9, ITEM = 16 };

// What is reduced into what: |self| is high x wide, |source| is rows x columns.
typedef struct layout {
  int64_t high, wide, rows, columns, dim;
  bool is_scatter;
} layout;

static int64_t place_of(const layout* l, int64_t from) {
  const int64_t row = from / l->columns, column = from % l->columns;
  const int64_t along = l->dim == 0 ? row : column;
  const int64_t number = l->is_scatter ? from * 7919 % 113 : along * 3 % 4;
  const int64_t size = l->dim == 0 ? l->high : l->wide;
  return l->dim == 0 ? number % size * l->wide + column : row * l->wide + number % size;
}

static oyi_number number_at(oy_dtype dtype, int64_t i) {
  static const double odd[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0};
  const int64_t whole = i * 31 % 7 - (dtype == OY_DTYPE_U8 ? 0 : 3);
  oyi_number n = {OYI_NUMBER_INT, whole, (double)whole, 0};
  if (dtype == OY_DTYPE_BOOL) n.i = n.i > 0, n.re = (double)n.i;
  if (oy_dtype_is_complex(dtype)) {
    n.kind = OYI_NUMBER_COMPLEX;
    n.im = (double)(i % 3 - 1);
  } else if (oy_dtype_is_floating(dtype)) {
    n.kind = OYI_NUMBER_FLOAT;
    if (i % 11 < 5) n.re = odd[(i / 11 + i) % 5];
  }
  return n;
}

static oyi_number joined(oyi_number a, oyi_number b, const char* how, oy_dtype dtype) {
  oyi_number n = a;
  if (how[0] == 'p') {
    n.i = (int64_t)((uint64_t)a.i * (uint64_t)b.i);
    n.re = a.kind == OYI_NUMBER_COMPLEX ? a.re * b.re - a.im * b.im : a.re * b.re;
    n.im = a.re * b.im + a.im * b.re;
  } else if (how[1] == 'm') {
    const bool more = how[3] == 'x';
    if (a.kind == OYI_NUMBER_INT) return (more ? b.i > a.i : b.i < a.i) ? b : a;
    return isnan(b.re) || (more ? b.re > a.re : b.re < a.re) ? b : a;
  } else {
    n.i = dtype == OY_DTYPE_BOOL ? a.i | b.i : (int64_t)((uint64_t)a.i + (uint64_t)b.i);
    n.re = a.re + b.re;
    n.im = a.im + b.im;
  }
  return n;
}

static oyi_number divided(oyi_number a, int64_t count) {
  a.i = a.i / count - (a.i % count < 0);
  a.re /= (double)count;
  a.im /= (double)count;
  return a;
}

static oyi_number start_of(const char* how, oy_dtype dtype, const char* greatest,
                           const char* least) {
  oyi_number n = {OYI_NUMBER_INT, how[0] == 'p', how[0] == 'p', 0};
  if (how[1] == 'm') return oyi_element_load(dtype, how[3] == 'x' ? least : greatest);
  return n;
}

// What elements can hold: results of each step are stored and loaded.
static void step(oy_dtype dtype, char* at, oyi_number n) {
  if (oy_dtype_is_floating(dtype)) n.kind = OYI_NUMBER_FLOAT;
  if (oy_dtype_is_complex(dtype)) n.kind = OYI_NUMBER_COMPLEX;
  oyi_element_store(dtype, at, n);
}

static void bounds_of(oy_dtype dtype, char* greatest, char* least) {
  const int bits = 8 * (int)oyi_dtype_bytes[dtype];
  const bool is_signed = dtype != OY_DTYPE_U8 && dtype != OY_DTYPE_BOOL;
  const uint64_t all = dtype == OY_DTYPE_BOOL ? 1 : UINT64_MAX >> (64 - bits + is_signed);
  const oyi_number high = {OYI_NUMBER_INT, (int64_t)all, INFINITY, 0};
  const oyi_number low = {OYI_NUMBER_INT, is_signed ? -(int64_t)all - 1 : 0, -INFINITY,
                          0};
  step(dtype, greatest, high);
  step(dtype, least, low);
}

static void expect(const layout* l, oy_dtype dtype, const char* how, bool with_self,
                   const char* source, char* self) {
  const int64_t all = l->high * l->wide, given = l->rows * l->columns;
  const int64_t item = oyi_dtype_bytes[dtype];
  int64_t* counts = calloc((size_t)all, sizeof(*counts));
  assert_non_null(counts);
  _Alignas(16) char greatest[ITEM], least[ITEM];
  if (how[1] == 'm' && !oy_dtype_is_complex(dtype)) bounds_of(dtype, greatest, least);
  for (int64_t i = 0; i < given; i++) {
    const int64_t place = place_of(l, i);
    char* to = self + place * item;
    if (counts[place]++ == 0 && !with_self)
      step(dtype, to, start_of(how, dtype, greatest, least));
    step(dtype, to,
         joined(oyi_element_load(dtype, to), oyi_element_load(dtype, source + i * item),
                how, dtype));
  }
  for (int64_t i = 0; i < all; i++) {
    const int64_t count = counts[i] + with_self;
    if (how[0] == 'm' && count > 1)
      step(dtype, self + i * item,
           divided(oyi_element_load(dtype, self + i * item), count));
  }
  free(counts);
}

static oy_tensor* called(const layout* l, oy_tensor* self, oy_tensor* source,
                         const char* how, bool with_self) {
  static int64_t at[MOST];
  const int64_t given = l->rows * l->columns, n = l->dim == 0 ? l->rows : l->columns;
  for (int64_t i = 0; i < (l->is_scatter ? given : n); i++) {
    const int64_t from = l->is_scatter ? i : l->dim == 0 ? i * l->columns : i;
    const int64_t place = place_of(l, from);
    at[i] = l->dim == 0 ? place / l->wide : place % l->wide;
  }
  if (!l->is_scatter) {
    oy_tensor* index = oy_scope_take(oy_tensor_from_data(at, OY_DIMS(n), OY_DTYPE_I64));
    return oy_index_reduce(self, l->dim, index, source, oy_str_of(how), with_self);
  }
  oy_tensor* index =
      oy_scope_take(oy_tensor_from_data(at, OY_DIMS(l->rows, l->columns), OY_DTYPE_I64));
  return oy_scatter_reduce_two(self, l->dim, index, source, oy_str_of(how), with_self);
}

static void check(const layout* l, oy_dtype dtype, const char* how, bool with_self) {
  static _Alignas(16) char self[MOST * ITEM], source[MOST * ITEM];
  const int64_t all = l->high * l->wide, given = l->rows * l->columns;
  const int64_t item = oyi_dtype_bytes[dtype];
  assert_true(all <= MOST && given <= MOST);
  for (int64_t i = 0; i < all; i++) step(dtype, self + i * item, number_at(dtype, i * 5));
  for (int64_t i = 0; i < given; i++) step(dtype, source + i * item, number_at(dtype, i));
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* t =
      oy_scope_take(oy_tensor_from_data(self, OY_DIMS(l->high, l->wide), dtype));
  oy_tensor* s =
      oy_scope_take(oy_tensor_from_data(source, OY_DIMS(l->rows, l->columns), dtype));
  oy_tensor* got = called(l, t, s, how, with_self);
  assert_non_null(got);
  assert_memory_equal(oy_tensor_data(t), self, (size_t)(all * item));
  expect(l, dtype, how, with_self, source, self);
  const char* found = oy_tensor_data(got);
  for (int64_t i = 0; i < all; i++) {
    const oyi_number a = oyi_element_load(dtype, found + i * item);
    const oyi_number b = oyi_element_load(dtype, self + i * item);
    const bool same = a.i == b.i && (isnan(a.re) ? isnan(b.re) : a.re == b.re) &&
                      (isnan(b.re) || signbit(a.re) == signbit(b.re)) &&
                      (isnan(a.im) ? isnan(b.im) : a.im == b.im);
    if (same || (isnan(a.re) && isnan(b.re))) continue;
    print_error(
        "%s of %s, with self %d, scatter %d, dim %d, %d x %d, at %d: %g, not %g\n", how,
        oy_dtype_name(dtype), with_self, l->is_scatter, (int)l->dim, (int)l->high,
        (int)l->wide, (int)i, a.re, b.re);
    fail();
  }
  oy_scope_close(&scope);
}

static void check_layouts(oy_dtype dtype, const char* how, bool with_self) {
  static const int64_t sizes[] = {1, 3, 7, 8, 15, 16, 17, 33, 64, 100, 257, 1030};
  for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
    const int64_t n = sizes[k];
    const layout layouts[] = {{PLACES, n, GIVEN, n, 0, false},
                              {n, PLACES, n, GIVEN, 1, false},
                              {PLACES, n, GIVEN, n, 0, true},
                              {PLACES, 120, PLACES, n, 1, true},
                              {PLACES + 1, 120, PLACES, n, 1, true},
                              {n, PLACES, n, GIVEN, 1, true},
                              {n, 20, n, 2, 1, true}};
    for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
      const bool is_sum = how[0] == 's', is_bool = dtype == OY_DTYPE_BOOL;
      if (is_sum && !layouts[i].is_scatter) continue;
      if (is_bool && how[0] == 'm' && layouts[i].is_scatter) continue;
      check(&layouts[i], dtype, how, with_self);
    }
  }
}

static void every_dtype(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_BOOL, OY_DTYPE_U8,   OY_DTYPE_I8,
                                    OY_DTYPE_I16,  OY_DTYPE_I32,  OY_DTYPE_I64,
                                    OY_DTYPE_F16,  OY_DTYPE_BF16, OY_DTYPE_F32,
                                    OY_DTYPE_F64,  OY_DTYPE_C64,  OY_DTYPE_C128};
  static const char* const names[] = {"mean", "prod", "amax", "amin", "sum"};
  for (int threads = 1; threads <= 2; threads++) {
    assert_int_equal(oy_set_num_threads(threads), OY_OK);
    for (size_t d = 0; d < sizeof(dtypes) / sizeof(*dtypes); d++)
      for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
        if (oy_dtype_is_complex(dtypes[d]) && names[k][1] == 'm') continue;
        check_layouts(dtypes[d], names[k], true);
        check_layouts(dtypes[d], names[k], false);
      }
  }
}

static oy_tensor* counted(oy_ints sizes, oy_dtype dtype) {
  int64_t n = 1;
  for (size_t d = 0; d < sizes.size; d++) n *= sizes.data[d];
  oy_tensor* x =
      oy_arange(oy_int(n), oy_int(OY_DTYPE_I64), oy_none(), oy_none(), oy_none());
  x = oy_remainder_Scalar(oy_reshape(x, sizes), oy_int(100));
  return oy_to_dtype(x, dtype, false, false, oy_none());
}

// One row goes to every index, and one element to every place: as the same with all of them
// written out.
static void one_for_all_indices(void** state) {
  (void)state;
  enum { PLANES = 3, HIGH = 6, WIDE = 37, CONTIGUOUS = 0 };
  static const oy_dtype dtypes[] = {OY_DTYPE_U8, OY_DTYPE_F16, OY_DTYPE_F32, OY_DTYPE_F64,
                                    OY_DTYPE_C128};
  static const int64_t shapes[][3] = {
      {1, 1, WIDE}, {1, 4, WIDE}, {PLANES, 1, 1}, {PLANES, 1, WIDE}, {1, 1, 1}};
  for (size_t d = 0; d < sizeof(dtypes) / sizeof(*dtypes); d++)
    for (int add = 0; add < 2; add++) {
      oy_scope scope;
      oy_scope_open(&scope);
      oy_tensor* x = counted(OY_DIMS(PLANES, HIGH, WIDE), dtypes[d]);
      oy_tensor* const middle[] = {&oy_none_object,
                                   oy_scope_take(I64(OY_DIMS(4), 5, 0, 2, 0))};
      const oy_tensors at = {middle, 2};
      for (size_t k = 0; k < sizeof(shapes) / sizeof(*shapes); k++) {
        oy_tensor* some = counted((oy_ints){shapes[k], 3}, dtypes[d]);
        oy_tensor* all =
            oy_contiguous(oy_expand(some, OY_DIMS(PLANES, 4, WIDE), false), CONTIGUOUS);
        oy_tensor* got = oy_index_put(x, at, some, add);
        oy_tensor* want = oy_index_put(x, at, all, add);
        assert_true(got && want);
        assert_memory_equal(oy_tensor_data(got), oy_tensor_data(want),
                            PLANES * HIGH * WIDE * oyi_dtype_bytes[dtypes[d]]);
      }
      oy_scope_close(&scope);
    }
}

// The next element of the source is taken at each place where the mask is true.
static void masks_of_every_size(void** state) {
  (void)state;
  enum { HIGH = 11, WIDE = 23, ALL = HIGH * WIDE };
  static const oy_dtype dtypes[] = {OY_DTYPE_U8, OY_DTYPE_F16, OY_DTYPE_F32, OY_DTYPE_F64,
                                    OY_DTYPE_C128};
  static _Alignas(16) char self[ALL * ITEM], source[ALL * ITEM];
  for (size_t d = 0; d < sizeof(dtypes) / sizeof(*dtypes); d++)
    for (int64_t every = 1; every < 5 * ALL; every *= 3) {
      const int64_t item = oyi_dtype_bytes[dtypes[d]];
      uint8_t mask[ALL];
      for (int64_t i = 0; i < ALL; i++) {
        mask[i] = i * 7919 % every == every / 2;
        step(dtypes[d], self + i * item, number_at(dtypes[d], i));
        step(dtypes[d], source + i * item, number_at(dtypes[d], i * 3 + 1));
      }
      oy_scope scope;
      oy_scope_open(&scope);
      oy_tensor* got = oy_masked_scatter(
          oy_scope_take(oy_tensor_from_data(self, OY_DIMS(HIGH, WIDE), dtypes[d])),
          oy_scope_take(oy_tensor_from_data(mask, OY_DIMS(HIGH, WIDE), OY_DTYPE_BOOL)),
          oy_scope_take(oy_tensor_from_data(source, OY_DIMS(ALL), dtypes[d])));
      assert_non_null(got);
      for (int64_t i = 0, k = 0; i < ALL; i++)
        if (mask[i]) memcpy(self + i * item, source + k++ * item, (size_t)item);
      assert_memory_equal(oy_tensor_data(got), self, (size_t)(ALL * item));
      oy_scope_close(&scope);
    }
}

// What is written is not read again, whatever shares its memory; rows and columns, and the
// elements that the mask lists.
static void masks_of_what_is_written(void** state) {
  (void)state;
  enum { HIGH = 5, WIDE = 37, ALL = HIGH * WIDE, CONTIGUOUS = 0 };
  static const oy_dtype dtypes[] = {OY_DTYPE_I8, OY_DTYPE_I16, OY_DTYPE_F32, OY_DTYPE_F64,
                                    OY_DTYPE_C128};
  for (size_t d = 0; d < 2 * sizeof(dtypes) / sizeof(*dtypes); d++) {
    const oy_dtype dtype = dtypes[d / 2];
    const size_t item = (size_t)oyi_dtype_bytes[dtype];
    oy_scope scope;
    oy_scope_open(&scope);
    oy_tensor* self = counted(OY_DIMS(HIGH, WIDE), dtype);
    oy_tensor* number = counted(OY_DIMS(HIGH, WIDE), OY_DTYPE_I64);
    oy_tensor* mask = oy_ne_Scalar(oy_remainder_Scalar(number, oy_int(3)), oy_int(1));
    if (d % 2) self = oy_transpose_int(self, 0, 1), mask = oy_transpose_int(mask, 0, 1);
    const char* before = oy_tensor_data(oy_clone(self, oy_int(CONTIGUOUS)));
    const uint8_t* is = oy_tensor_data(oy_contiguous(mask, CONTIGUOUS));
    oy_tensor* listed = oy_masked_select(self, mask);
    assert_non_null(oy_masked_scatter_(self, mask, self));
    const char* after = oy_tensor_data(oy_contiguous(self, CONTIGUOUS));
    int64_t k = 0;
    for (int64_t i = 0; i < ALL; i++) {
      const int64_t from = is[i] ? k : i;
      assert_memory_equal(after + (size_t)i * item, before + (size_t)from * item, item);
      if (is[i])
        assert_memory_equal((const char*)oy_tensor_data(listed) + (size_t)k++ * item,
                            before + (size_t)i * item, item);
    }
    assert_int_equal(oy_tensor_numel(listed), k);
    oy_scope_close(&scope);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_dtype), cmocka_unit_test(one_for_all_indices),
      cmocka_unit_test(masks_of_every_size), cmocka_unit_test(masks_of_what_is_written)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
