// SPDX-License-Identifier: Apache-2.0
// Views: strides of view(), -1, expand, as_strided, transpose, and the contiguity
// predicates. Expected strides are worked out by hand from the rule.
#include "support/tensors.h"
#include "tensor/impl.h"

#define D(...) {__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)

static oy_tensor* strided(const int64_t* sizes, const int64_t* strides, size_t n) {
  oy_tensor* big = oy_tensor_empty(OY_DIMS(4096), OY_DTYPE_U8, oy_device_cpu());
  oy_tensor* t = oy_tensor_as_strided(big, (oy_ints){sizes, n}, (oy_ints){strides, n}, 0);
  oy_tensor_release(big);
  return t;
}

static void TEN_07_strides_of_views(void** state) {
  (void)state;
  static const struct {
    int64_t sizes[4];
    size_t n;
    int64_t strides[4];
    int64_t asked[4];
    size_t m;
    int64_t want[4];  // want[0] < 0: there is no view
  } rows[] = {
      {D(2, 3), {3, 1}, D(6), {1}},
      {D(2, 3), {3, 1}, D(3, 2), {2, 1}},
      {D(2, 3), {3, 1}, D(1, 6, 1), {6, 1, 1}},
      {D(2, 3), {1, 2}, D(6), {-1}},
      {D(2, 3), {1, 2}, D(2, 3), {1, 2}},
      {D(2, 3), {1, 2}, D(2, 1, 3), {1, 6, 2}},
      {D(4, 3), {6, 1}, D(2, 2, 3), {12, 6, 1}},
      {D(4, 3), {6, 1}, D(12), {-1}},
      {D(2, 1, 3), {3, 100, 1}, D(6), {1}},  // a size of 1 breaks no run
      // Sizes of 1 that come last have the stride of what they are a part of, others not.
      {D(4, 1), {1, 7}, D(4), {1}},
      {D(4, 1), {1, 7}, D(4, 1), {1, 7}},
      {D(4, 1), {1, 7}, D(2, 2, 1), {2, 1, 7}},
      {D(4, 1), {1, 7}, D(1, 4), {4, 1}},
      {D(4, 1), {1, 7}, D(2, 1, 2), {2, 2, 1}},
      {D(1, 4), {9, 1}, D(4, 1), {1, 1}},
      {D(4, 1), {1, 0}, D(2, 2, 1, 1), {2, 1, 0, 0}},
      {D(6), {2}, D(2, 3), {6, 2}},
      {D(3, 4), {0, 1}, D(3, 2, 2), {0, 2, 1}},  // expanded
      {D(3, 4), {0, 1}, D(12), {-1}},
      {D(1), {5}, D(1, 1), {5, 5}},
      {D(0, 3), {3, 1}, D(0, 3), {3, 1}},
      {D(0, 3), {3, 1}, D(3, 0), {1, 1}},
      {D(0, 3), {3, 1}, D(2, 0, 5), {5, 5, 1}},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    oy_tensor* t = strided(rows[i].sizes, rows[i].strides, rows[i].n);
    oy_tensor* v = oy_tensor_view(t, (oy_ints){rows[i].asked, rows[i].m});
    if (rows[i].want[0] < 0) {
      assert_null(v);
      assert_error(
          "view size is not compatible with input tensor's size and stride (at least "
          "one dimension spans across two contiguous subspaces). Use .reshape(...) "
          "instead.");
    } else {
      assert_non_null(v);
      assert_dims(oy_tensor_strides(v), ((oy_ints){rows[i].want, rows[i].m}));
      assert_true(oy_tensor_is_alias_of(v, t));
    }
    oy_tensor_release(v);
    oy_tensor_release(t);
  }
}

static void TEN_07_view_of_a_scalar(void** state) {
  (void)state;
  oy_tensor* t = oy_tensor_from_scalar(oy_float(2.5));
  assert_int_equal(oy_tensor_ndim(t), 0);
  oy_tensor* v = oy_tensor_view(t, OY_DIMS(1, 1));
  assert_elements(v, OY_DIMS(1, 1), 2.5);
  oy_tensor* back = oy_tensor_view(v, oy_dims_none());
  assert_int_equal(oy_tensor_ndim(back), 0);
  oy_tensor_release(back);
  oy_tensor_release(v);
  oy_tensor_release(t);
}

static void TEN_08_one_size_is_inferred(void** state) {
  (void)state;
  oy_tensor* t = oy_tensor_empty(OY_DIMS(2, 3), OY_DTYPE_F32, oy_device_cpu());
  oy_tensor* v = oy_tensor_view(t, OY_DIMS(3, -1));
  assert_dims(oy_tensor_sizes(v), OY_DIMS(3, 2));
  oy_tensor_release(v);
  assert_fails(oy_tensor_view(t, OY_DIMS(-1, -1)), "only one dimension can be inferred");
  assert_fails(oy_tensor_view(t, OY_DIMS(-2)), "invalid shape dimension -2");
  assert_fails(oy_tensor_view(t, OY_DIMS(7)),
               "shape '[7]' is invalid for input of size 6");
  assert_fails(oy_tensor_view(t, OY_DIMS(4, -1)),
               "shape '[4, -1]' is invalid for input of size 6");
  assert_fails(oy_tensor_view(t, OY_DIMS(INT64_MAX, INT64_MAX)),
               "shape '[9223372036854775807, 9223372036854775807]' is invalid for input "
               "of size 6");
  oy_tensor* none = oy_tensor_empty(OY_DIMS(0), OY_DTYPE_F32, oy_device_cpu());
  assert_fails(oy_tensor_view(none, OY_DIMS(0, -1)),
               "cannot reshape tensor of 0 elements into shape [0, -1] because the "
               "unspecified dimension size -1 can be any value and is ambiguous");
  oy_tensor_release(none);
  oy_tensor_release(t);
}

static void TEN_09_expand(void** state) {
  (void)state;
  oy_tensor* t = F32(OY_DIMS(2, 1), 1, 2);
  oy_tensor* e = oy_tensor_expand(t, OY_DIMS(3, -1, 2));
  assert_dims(oy_tensor_strides(e), OY_DIMS(0, 1, 0));
  assert_elements(e, OY_DIMS(3, 2, 2), 1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2);
  oy_tensor_release(e);
  e = oy_tensor_expand(t, OY_DIMS(2, 0));
  assert_int_equal(oy_tensor_numel(e), 0);
  oy_tensor_release(e);
  oy_tensor_release(t);
  t = oy_tensor_empty(OY_DIMS(2, 3), OY_DTYPE_F32, oy_device_cpu());
  assert_fails(oy_tensor_expand(t, OY_DIMS(4, 3)),
               "The expanded size of the tensor (4) must match the existing size (2) at "
               "non-singleton dimension 0.  Target sizes: [4, 3].  Tensor sizes: [2, 3]");
  assert_fails(oy_tensor_expand(t, OY_DIMS(3)),
               "expand(torch.FloatTensor{[2, 3]}, size=[3]): the number of sizes "
               "provided (1) must be greater or equal to the number of dimensions in "
               "the tensor (2)");
  assert_fails(oy_tensor_expand(t, OY_DIMS(-1, 2, 3)),
               "The expanded size of the tensor (-1) isn't allowed in a leading, "
               "non-existing dimension 0");
  oy_tensor_release(t);
}

// Strides that PyTorch gives dimensions of size 1 that are put before others.
static void TEN_09_strides_of_new_dimensions(void** state) {
  (void)state;
  static const struct {
    int64_t sizes[2];
    size_t n;
    int64_t asked[4];
    size_t m;
    int64_t want[4];
  } rows[] = {
      {D(3), D(1, 3), {3, 1}},
      {D(3), D(1, 1, 3), {3, 3, 1}},
      {D(3), D(2, 1, 3), {0, 3, 1}},
      {D(2, 3), D(1, 2, 3), {6, 3, 1}},
      {D(1), D(1, 1), {1, 1}},
      {D(3, 1), D(1, 3, 1), {3, 1, 1}},
      {D(2, 3), D(4, 1, 2, 3), {0, 6, 3, 1}},
      {{0}, 0, D(1, 1), {0, 0}},
      {D(0), D(1, 0), {0, 1}},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    oy_tensor* t = oy_tensor_empty((oy_ints){rows[i].sizes, rows[i].n}, OY_DTYPE_F32,
                                   oy_device_cpu());
    oy_tensor* e = oy_tensor_expand(t, (oy_ints){rows[i].asked, rows[i].m});
    assert_dims(oy_tensor_strides(e), ((oy_ints){rows[i].want, rows[i].m}));
    oy_tensor_release(e);
    oy_tensor_release(t);
  }
}

static void TEN_10_as_strided_stays_in_bounds(void** state) {
  (void)state;
  oy_tensor* t = F32(OY_DIMS(2), 1, 2);
  assert_fails(oy_tensor_as_strided(t, OY_DIMS(3), OY_DIMS(1), 0),
               "setStorage: sizes [3], strides [1], storage offset 0, and itemsize 4 "
               "requiring a storage size of 12 are out of bounds for storage of size 8");
  assert_fails(oy_tensor_as_strided(t, OY_DIMS(1), OY_DIMS(-1), 0),
               "as_strided: Negative strides are not supported at the moment, got "
               "strides: [-1]");
  assert_null(oy_tensor_as_strided(t, OY_DIMS(3, 3), OY_DIMS(INT64_MAX, 1), 0));
  assert_null(oy_tensor_as_strided(t, OY_DIMS(1), OY_DIMS(1), -1));
  oy_tensor* none = oy_tensor_as_strided(t, OY_DIMS(0), OY_DIMS(1), 100);
  assert_non_null(none);
  oy_tensor* one = oy_tensor_as_strided(t, OY_DIMS(2, 2), OY_DIMS(0, 0), 1);
  assert_elements(one, OY_DIMS(2, 2), 2, 2, 2, 2);
  oy_tensor_release(one);
  oy_tensor_release(none);
  oy_tensor_release(t);
  oy_error_clear();
}

static void TEN_11_dimensions_wrap(void** state) {
  (void)state;
  assert_int_equal(oyi_dim_wrap(-1, 3), 2);
  assert_int_equal(oyi_dim_wrap(2, 3), 2);
  assert_int_equal(oyi_dim_wrap(0, 0), 0);
  assert_int_equal(oyi_dim_wrap(-1, 0), 0);
  assert_int_equal(oyi_dim_wrap(5, 2), -1);
  assert_int_equal(oy_error_get()->code, OY_OUT_OF_RANGE);
  assert_error("Dimension out of range (expected to be in range of [-2, 1], but got 5)");
  assert_int_equal(oyi_dim_wrap(1, 0), -1);
  assert_error("Dimension out of range (expected to be in range of [-1, 0], but got 1)");
}

typedef struct contiguity {
  int64_t sizes[5];
  size_t n;
  int64_t strides[5];
  bool contiguous, last_2d, last_3d, dense;
  oy_memory_format suggested;
} contiguity;

static void TEN_04_TEN_05_TEN_06_contiguity(void** state) {
  (void)state;
  static const contiguity rows[] = {
      {D(2, 3), {3, 1}, true, false, false, true, OY_MEMORY_CONTIGUOUS},
      {D(2, 3), {1, 2}, false, false, false, true, OY_MEMORY_CONTIGUOUS},
      {D(2, 3), {6, 1}, false, false, false, false, OY_MEMORY_CONTIGUOUS},
      {D(1, 3), {77, 1}, true, false, false, true, OY_MEMORY_CONTIGUOUS},
      {D(0, 3), {9, 9}, true, false, false, true, OY_MEMORY_CONTIGUOUS},
      {D(1), {9}, true, false, false, true, OY_MEMORY_CONTIGUOUS},
      {D(4), {2}, false, false, false, false, OY_MEMORY_CONTIGUOUS},
      {D(4), {0}, false, false, false, false, OY_MEMORY_CONTIGUOUS},
      {D(2, 3, 4), {3, 1, 6}, false, false, false, true, OY_MEMORY_CONTIGUOUS},
      // N H W C in memory
      {D(2, 3, 4, 5), {60, 1, 15, 3}, false, true, false, true, OY_MEMORY_CHANNELS_LAST},
      {D(2, 3, 4, 5), {60, 20, 5, 1}, true, false, false, true, OY_MEMORY_CONTIGUOUS},
      // One channel: both at once; the hint decides by the strides.
      {D(2, 1, 4, 5), {20, 1, 5, 1}, true, true, false, true, OY_MEMORY_CHANNELS_LAST},
      {D(2, 1, 4, 5), {20, 20, 5, 1}, true, true, false, true, OY_MEMORY_CONTIGUOUS},
      // N 1 1 1 is ambiguous: contiguous is taken.
      {D(3, 1, 1, 1), {1, 1, 1, 1}, true, true, false, true, OY_MEMORY_CONTIGUOUS},
      {D(2, 3, 4, 5), {0, 0, 0, 0}, false, false, false, false, OY_MEMORY_CONTIGUOUS},
      {D(2, 3, 2, 2, 2),
       {24, 1, 12, 6, 3},
       false,
       false,
       true,
       true,
       OY_MEMORY_CHANNELS_LAST_3D},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    const contiguity* r = &rows[i];
    oy_tensor* t = strided(r->sizes, r->strides, r->n);
    assert_int_equal(oy_tensor_is_contiguous(t, OY_MEMORY_CONTIGUOUS), r->contiguous);
    assert_int_equal(oy_tensor_is_contiguous(t, OY_MEMORY_CHANNELS_LAST), r->last_2d);
    assert_int_equal(oy_tensor_is_contiguous(t, OY_MEMORY_CHANNELS_LAST_3D), r->last_3d);
    assert_int_equal(oy_tensor_is_non_overlapping_and_dense(t), r->dense);
    assert_int_equal(oy_tensor_suggest_memory_format(t), r->suggested);
    oy_tensor_release(t);
  }
}

static void transpose_swaps_two_dimensions(void** state) {
  (void)state;
  oy_tensor* t = F32(OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  oy_tensor* u = oy_tensor_transpose(t, 0, -1);
  assert_elements(u, OY_DIMS(3, 2), 1, 4, 2, 5, 3, 6);
  assert_dims(oy_tensor_strides(u), OY_DIMS(1, 3));
  assert_fails(oy_tensor_transpose(t, 0, 2),
               "Dimension out of range (expected to be in range of [-2, 1], but got 2)");
  oy_tensor_release(u);
  oy_tensor_release(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(TEN_07_strides_of_views),
      cmocka_unit_test(TEN_07_view_of_a_scalar),
      cmocka_unit_test(TEN_08_one_size_is_inferred),
      cmocka_unit_test(TEN_09_expand),
      cmocka_unit_test(TEN_09_strides_of_new_dimensions),
      cmocka_unit_test(TEN_10_as_strided_stays_in_bounds),
      cmocka_unit_test(TEN_11_dimensions_wrap),
      cmocka_unit_test(TEN_04_TEN_05_TEN_06_contiguity),
      cmocka_unit_test(transpose_swaps_two_dimensions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
