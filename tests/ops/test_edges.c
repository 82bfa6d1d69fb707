// SPDX-License-Identifier: Apache-2.0
// Operands without elements or dimensions, and dtypes that only empty results have: what
// PyTorch answers or refuses.
#include "support/tensors.h"

enum { NO_REDUCTION, MEAN, SUM };

static oy_tensor* empty(oy_ints sizes, oy_dtype dtype) {
  return oy_tensor_empty(sizes, dtype, oy_device_cpu());
}

static void release(oy_tensor* const* all, size_t count) {
  for (size_t i = 0; i < count; i++) oy_tensor_release(all[i]);
}
#define RELEASE(...)                         \
  release((oy_tensor* const[]){__VA_ARGS__}, \
          sizeof((oy_tensor*[]){__VA_ARGS__}) / sizeof(oy_tensor*))

// A row of no classes and no targets: the mean of nothing is NaN, all else 0.
static void losses_of_no_classes(void** state) {
  (void)state;
  oy_tensor *row = empty(OY_DIMS(0), OY_DTYPE_F32),
            *none = empty(OY_DIMS(0), OY_DTYPE_I64);
  for (int reduction = NO_REDUCTION; reduction <= SUM; reduction++) {
    oy_tensor* loss = oy_nll_loss(row, none, &oy_none_object, reduction, -100);
    assert_dims(oy_tensor_sizes(loss), oy_dims_none());
    const double found = element(loss, 0);
    assert_true(reduction == MEAN ? isnan(found) : found == 0);
    oy_tensor_release(loss);
  }
  RELEASE(row, none);
}

// Rows of no columns: their gradient has the table's shape.
static void rows_of_no_columns(void** state) {
  (void)state;
  oy_tensor *table = empty(OY_DIMS(2, 0), OY_DTYPE_F32),
            *index = I64(OY_DIMS(1, 2), 0, 1);
  oy_requires_grad_(table, true);
  oy_tensor* rows = oy_embedding(table, index, -1, false, false);
  oy_tensor* sum = oy_sum(rows, oy_none());
  assert_int_equal(oy_backward(sum, NULL, false), OY_OK);
  oy_tensor* grad = oy_grad(table);
  assert_dims(oy_tensor_sizes(grad), OY_DIMS(2, 0));
  RELEASE(table, index, rows, sum);
}

// Not of what both promote to, as mse_loss is.
static void huber_losses_have_the_dtype_of_the_input(void** state) {
  (void)state;
  oy_tensor* a = F32(OY_DIMS(1, 3), 0, 2, 4);
  oy_tensor* half = oy_to_dtype(a, OY_DTYPE_BF16, false, false, oy_none());
  oy_tensor* loss = oy_huber_loss(half, a, NO_REDUCTION, 1);
  assert_int_equal(loss->dtype, OY_DTYPE_BF16);
  oy_tensor* whole = oy_to_dtype(a, OY_DTYPE_I32, false, false, oy_none());
  assert_fails(oy_huber_loss(whole, a, NO_REDUCTION, 1),
               "result type Float can't be cast to the desired output type Int");
  RELEASE(a, half, loss, whole);
}

static void products_of_bools_without_elements(void** state) {
  (void)state;
  oy_tensor *a = empty(OY_DIMS(0, 3), OY_DTYPE_BOOL),
            *b = empty(OY_DIMS(3, 2), OY_DTYPE_BOOL);
  oy_tensor* product = oy_mm(a, b);
  assert_dims(oy_tensor_sizes(product), OY_DIMS(0, 2));
  oy_tensor* some =
      oy_zeros(OY_DIMS(2, 3), oy_int(OY_DTYPE_BOOL), oy_none(), oy_none(), oy_none());
  assert_fails(oy_mm(some, b), "\"addmm_impl_cpu_\" not implemented for 'Bool'");
  // einsum without a sum multiplies elements, which bools have.
  oy_tensor* pair[] = {some, some};
  oy_tensor* both =
      oy_einsum(oy_str_of("ij,ij->ij"), (oy_tensors){pair, 2}, (oy_ints){NULL, 0});
  assert_int_equal(both->dtype, OY_DTYPE_BOOL);
  RELEASE(a, b, product, some, both);
}

static void indices_into_nothing(void** state) {
  (void)state;
  oy_tensor *index = I64(OY_DIMS(1), 1), *number = F32(oy_dims_none(), 7);
  oy_tensor *thin = empty(OY_DIMS(0, 2), OY_DTYPE_F32),
            *none = empty(OY_DIMS(2, 0), OY_DTYPE_F32);
  assert_ptr_equal(oy_index_fill__int_Scalar(thin, 1, index, oy_int(1)), thin);
  assert_fails(oy_index_fill__int_Scalar(none, 1, index, oy_int(1)),
               "index is out of bounds for dimension with size 0");
  oy_tensor *matrix = F32(OY_DIMS(2, 2), 1, 2, 3, 4), *row = F32(OY_DIMS(2), 1, 2);
  assert_fails(
      oy_index_add(matrix, 1, index, number, oy_int(1)),
      "index_add_(): Indexing dim 1 is out of bounds of the source tensor with dim 0");
  oy_tensor* sum = oy_index_add(row, 0, index, number, oy_int(1));
  assert_elements(sum, OY_DIMS(2), 1, 9);
  assert_fails(oy_repeat_interleave_self_int(number, 2, oy_int(0), oy_none()),
               "Dimension specified as 0 but tensor has no dimensions");
  RELEASE(index, number, thin, none, matrix, row, sum);
}

// Rows without elements go with all shapes, also where there is nothing else.
static void rows_of_nothing_have_any_dimension(void** state) {
  (void)state;
  oy_tensor* none = empty(OY_DIMS(0), OY_DTYPE_F32);
  oy_tensor* pair[] = {none, none};
  oy_tensor* all = oy_cat((oy_tensors){pair, 2}, -2);
  assert_dims(oy_tensor_sizes(all), OY_DIMS(0));
  oy_tensor* flags = empty(OY_DIMS(3, 0), OY_DTYPE_BOOL);
  oy_tensor* areas = oy_trapezoid_dx(flags, oy_int(1), 1);
  assert_dims(oy_tensor_sizes(areas), OY_DIMS(3));
  assert_true(element(areas, 2) == 0);
  RELEASE(none, all, flags, areas);
}

// What is cropped before leaves less than comes round behind: the rest is 0, and not what
// memory held.
static void what_comes_round_of_cropped_rows(void** state) {
  (void)state;
  oy_tensor* x = F32(OY_DIMS(1, 2, 3), 1, 2, 3, 4, 5, 6);
  oy_tensor* padded = oy_pad(x, OY_DIMS(-1, 3), oy_str_of("circular"), oy_none());
  assert_elements(padded, OY_DIMS(1, 2, 5), 2, 3, 2, 3, 0, 5, 6, 5, 6, 0);
  RELEASE(x, padded);
}

// Whole numbers are what is left of sums that do not fit.
static void convolutions_of_whole_numbers(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_U8, OY_DTYPE_I8, OY_DTYPE_I16, OY_DTYPE_I32};
  oy_tensor *x = I64(OY_DIMS(1, 1, 4), 100, 7, 90, 11), *w = I64(OY_DIMS(1, 1, 2), 50, 3);
  for (size_t d = 0; d < sizeof(dtypes) / sizeof(*dtypes); d++) {
    oy_tensor* small_x = oy_to_dtype(x, dtypes[d], false, false, oy_none());
    oy_tensor* small_w = oy_to_dtype(w, dtypes[d], false, false, oy_none());
    oy_tensor* sums = oy_conv1d(small_x, small_w, &oy_none_object, OY_DIMS(1), OY_DIMS(0),
                                OY_DIMS(1), 1);
    assert_int_equal(sums->dtype, dtypes[d]);
    const int64_t want[] = {5021, 620, 4533};
    for (int64_t i = 0; i < 3; i++) {
      const int64_t left = dtypes[d] == OY_DTYPE_U8   ? (uint8_t)want[i]
                           : dtypes[d] == OY_DTYPE_I8 ? (int8_t)want[i]
                                                      : want[i];
      assert_int_equal((int64_t)element(sums, i), left);
    }
    RELEASE(small_x, small_w, sums);
  }
  RELEASE(x, w);
}

static const oy_bools g_all = {(const bool[]){true, true, true}, 3};

// Nothing is summed where there are no channels: there is no output, and gradients are 0. No
// channels are made by transposed ones, in PyTorch 1.13.
static void convolve_nothing(oy_dtype dtype, int64_t out) {
  oy_tensor *x = empty(OY_DIMS(2, 0, 5, 4), dtype),
            *w = empty(OY_DIMS(out, 0, 3, 2), dtype);
  oy_tensor* y = oy_convolution(x, w, &oy_none_object, OY_DIMS(1, 1), OY_DIMS(0, 0),
                                OY_DIMS(1, 1), false, OY_DIMS(0, 0), 1);
  assert_non_null(y);
  assert_int_equal(oy_tensor_numel(y), 0);
  oy_tensor *to_x, *to_w, *to_bias;
  assert_int_equal(oy_convolution_backward(
                       y, x, w, OY_DIMS(out), OY_DIMS(1, 1), OY_DIMS(0, 0), OY_DIMS(1, 1),
                       false, OY_DIMS(0, 0), 1, g_all, &to_x, &to_w, &to_bias),
                   OY_OK);
  assert_dims(oy_tensor_sizes(to_x), oy_tensor_sizes(x));
  assert_dims(oy_tensor_sizes(to_w), oy_tensor_sizes(w));
  assert_dims(oy_tensor_sizes(to_bias), OY_DIMS(out));
  for (int64_t i = 0; i < out; i++) assert_true(element(to_bias, i) == 0);
  RELEASE(x, w, y, to_x, to_w, to_bias);
}

// Backward as forward.
static void make_no_channels(oy_dtype dtype, int64_t in) {
  char text[96];
  oy_tensor* x =
      oy_ones(OY_DIMS(2, in, 5, 4), oy_int(dtype), oy_none(), oy_none(), oy_none());
  oy_tensor *w = empty(OY_DIMS(in, 0, 3, 2), dtype),
            *y = empty(OY_DIMS(2, 0, 7, 5), dtype);
  oy_tensor *to_x, *to_w, *to_bias;
  snprintf(text, sizeof(text),
           "non-empty 2D or 4D weight tensor expected, but got: [%d, 0, 3, 2]", (int)in);
  assert_fails(oy_convolution(x, w, &oy_none_object, OY_DIMS(1, 1), OY_DIMS(0, 0),
                              OY_DIMS(1, 1), true, OY_DIMS(0, 0), 1),
               text);
  assert_int_not_equal(
      oy_convolution_backward(y, x, w, OY_DIMS(0), OY_DIMS(1, 1), OY_DIMS(0, 0),
                              OY_DIMS(1, 1), true, OY_DIMS(0, 0), 1, g_all, &to_x, &to_w,
                              &to_bias),
      OY_OK);
  assert_string_equal(oy_error_get()->message, text);
  oy_error_clear();
  RELEASE(x, w, y);
}

static void convolutions_without_channels(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_BF16,
                                    OY_DTYPE_F16};
  for (size_t d = 0; d < sizeof(dtypes) / sizeof(*dtypes); d++) {
    for (int64_t out = 1; out <= 32; out *= 2) convolve_nothing(dtypes[d], out);
    for (int64_t in = 1; in <= 32; in *= 2) make_no_channels(dtypes[d], in);
  }
  oy_tensor *flat = empty(OY_DIMS(1, 2, 0), OY_DTYPE_F32),
            *w = empty(OY_DIMS(3, 2, 1), OY_DTYPE_F32);
  assert_fails(
      oy_conv1d(flat, w, &oy_none_object, OY_DIMS(1), OY_DIMS(1), OY_DIMS(1), 1),
      "Only zero batch or zero channel inputs are supported, but got input shape: "
      "[1, 2, 0]");
  oy_tensor* thick =
      oy_ones(OY_DIMS(2, 4, 2, 2, 2), oy_none(), oy_none(), oy_none(), oy_none());
  oy_tensor* none = empty(OY_DIMS(4, 0, 1, 2, 1), OY_DTYPE_F32);
  assert_fails(
      oy_conv_transpose3d_input(thick, none, &oy_none_object, OY_DIMS(1), OY_DIMS(0),
                                OY_DIMS(0), 2, OY_DIMS(1)),
      "non-empty 5D (n_output_plane x n_input_plane x kernel_depth x kernel_height x "
      "kernel_width) tensor expected for weight, but got: [2, 0, 1, 2, 1]");
  RELEASE(flat, w, thick, none);
}

// No elements need no kernel of their dtype.
static void places_of_nothing(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_BOOL, OY_DTYPE_C64, OY_DTYPE_F32};
  for (size_t d = 0; d < sizeof(dtypes) / sizeof(*dtypes); d++) {
    oy_tensor* x = empty(OY_DIMS(0, 3), dtypes[d]);
    oy_tensor *most = oy_argmax(x, oy_int(1), true),
              *least = oy_argmin(x, oy_int(1), false);
    assert_non_null(most);
    assert_non_null(least);
    assert_int_equal(most->dtype, OY_DTYPE_I64);
    assert_dims(oy_tensor_sizes(most), OY_DIMS(0, 1));
    assert_dims(oy_tensor_sizes(least), OY_DIMS(0));
    assert_fails(oy_argmax(x, oy_int(0), false),
                 "argmax(): Expected reduction dim 0 to have non-zero size.");
    RELEASE(x, most, least);
  }
}

static void first_powers_are_contiguous(void** state) {
  (void)state;
  oy_tensor *a = F32(OY_DIMS(2, 2), 1, 2, 3, 4), *turned = oy_t(a);
  oy_tensor* power = oy_linalg_matrix_power(turned, 1);
  assert_dims(oy_tensor_strides(power), OY_DIMS(2, 1));
  oy_tensor *b = F32(OY_DIMS(2), 1, 2), *bias = F32(OY_DIMS(1), 1);
  assert_fails(oy_linear(a, b, bias), "mat2 must be a matrix, got 1-D tensor");
  RELEASE(a, turned, power, b, bias);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(losses_of_no_classes),
      cmocka_unit_test(rows_of_no_columns),
      cmocka_unit_test(huber_losses_have_the_dtype_of_the_input),
      cmocka_unit_test(products_of_bools_without_elements),
      cmocka_unit_test(indices_into_nothing),
      cmocka_unit_test(rows_of_nothing_have_any_dimension),
      cmocka_unit_test(what_comes_round_of_cropped_rows),
      cmocka_unit_test(convolutions_of_whole_numbers),
      cmocka_unit_test(convolutions_without_channels),
      cmocka_unit_test(places_of_nothing),
      cmocka_unit_test(first_powers_are_contiguous),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
