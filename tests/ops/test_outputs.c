// SPDX-License-Identifier: Apache-2.0
// Where results lie, in which dtype, and which outputs are refused since they are read as
// well: where PyTorch's answers are not what the shapes alone would say. Expected values
// are PyTorch 1.13's.
#include "base/memory.h"
#include "support/tensors.h"

static const char g_apart[] =
    "unsupported operation: some elements of the input tensor and the written-to tensor "
    "refer to a single memory location. Please clone() the tensor before performing the "
    "operation.";

// Values in place of what is sorted, in lines of any length, along and across.
static void OPS_lines_are_sorted_in_place(void** state) {
  (void)state;
  static const int64_t sizes[][2] = {{12, 30}, {300, 9}, {9, 300}, {1, 70}};
  for (size_t k = 0; k < OY_ARRAY_SIZE(sizes); k++)
    for (int64_t dim = 0; dim < 2; dim++) {
      oy_scope scope;
      oy_scope_open(&scope);
      const oy_ints shape = {sizes[k], 2};
      oy_tensor* x = oy_randn(shape, oy_none(), oy_none(), oy_none(), oy_none());
      oy_tensor *same = oy_clone(x, oy_none()), *values, *indices, *first, *second;
      oy_tensor* places = oy_empty_memory_format(shape, oy_int(OY_DTYPE_I64), oy_none(),
                                                 oy_none(), oy_none(), oy_none());
      assert_int_equal(oy_sort_stable(x, oy_none(), dim, false, &values, &indices),
                       OY_OK);
      assert_int_equal(oy_sort_values_stable(same, oy_none(), dim, false, same, places,
                                             &first, &second),
                       OY_OK);
      for (int64_t i = 0; i < oy_tensor_numel(x); i++) {
        assert_true(element(same, i) == element(values, i));
        assert_true(element(places, i) == element(indices, i));
      }
      oy_scope_close(&scope);
    }
}

static void OPS_indices_may_be_what_is_written(void** state) {
  (void)state;
  oy_tensor *x = I64(OY_DIMS(4), 5, 6, 7, 8), *m = I64(OY_DIMS(2, 2), 1, 2, 3, 4),
            *same = I64(OY_DIMS(4), 3, 1, 2, 2), *grown = I64(OY_DIMS(3), 1, 0, 1),
            *self = I64(OY_DIMS(3), 1, 2, 0), *values = I64(OY_DIMS(3), 7, 8, 9);
  assert_ptr_equal(oy_index_select_out(x, 0, same, same), same);
  assert_elements(same, OY_DIMS(4), 8, 6, 7, 7);
  // The output gets another size, and the indices with it.
  assert_ptr_equal(oy_index_select_out(m, 0, grown, grown), grown);
  assert_elements(grown, OY_DIMS(3, 2), 3, 4, 1, 2, 3, 4);
  oy_tensor* list[] = {self};
  assert_fails(oy_index_put_(self, (oy_tensors){list, 1}, values, false), g_apart);
  assert_elements(self, OY_DIMS(3), 1, 2, 0);
  oy_tensor* all[] = {values, self, grown, same, m, x};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
}

static void OPS_masked_fill_refuses_what_does_not_fit(void** state) {
  (void)state;
  const oy_complex i = {0, 1};
  oy_tensor *x = F32(OY_DIMS(2), 1, 2), *n = I64(OY_DIMS(2), 1, 2),
            *mask = BOOLS(OY_DIMS(2), true, false),
            *number = oy_tensor_from_scalar(oy_complex_value(&i));
  assert_fails(oy_masked_fill__Scalar(x, mask, oy_complex_value(&i)),
               "value cannot be converted to type float without overflow");
  assert_fails(oy_masked_fill__Scalar(x, mask, oy_float(1e300)),
               "value cannot be converted to type float without overflow");
  assert_fails(oy_masked_fill__Tensor(n, mask, number),
               "value cannot be converted to type int64_t without overflow");
  assert_elements(x, OY_DIMS(2), 1, 2);
  assert_elements(n, OY_DIMS(2), 1, 2);
  assert_ptr_equal(oy_masked_fill__Scalar(x, mask, oy_float(INFINITY)), x);
  assert_elements(x, OY_DIMS(2), INFINITY, 2);
  oy_tensor* all[] = {number, mask, n, x};
  for (size_t k = 0; k < sizeof(all) / sizeof(*all); k++) oy_tensor_release(all[k]);
}

// ------------------------------------------------------------------------ layouts

static void check_strides(oy_tensor* t, oy_ints want) {
  assert_non_null(t);
  assert_dims(oy_tensor_strides(t), want);
}

static void OPS_layouts_of_results(void** state) {
  (void)state;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = oy_scope_take(F64(OY_DIMS(2, 2), 4, 1, 1, 0));
  oy_tensor* grid = oy_nonzero(x);
  assert_elements(grid, OY_DIMS(3, 2), 0, 0, 0, 1, 1, 0);
  check_strides(grid, OY_DIMS(1, 3));
  check_strides(oy_argwhere(x), OY_DIMS(1, 3));
  // An output of the right shape keeps its layout, another takes the new one.
  oy_tensor* kept = oy_empty_memory_format(OY_DIMS(3, 2), oy_int(OY_DTYPE_I64), oy_none(),
                                           oy_none(), oy_none(), oy_none());
  check_strides(oy_nonzero_out(x, kept), OY_DIMS(2, 1));
  assert_elements(kept, OY_DIMS(3, 2), 0, 0, 0, 1, 1, 0);
  oy_tensor* grown = oy_scope_take(I64(OY_DIMS(0), 0));
  check_strides(oy_nonzero_out(x, grown), OY_DIMS(1, 3));
  assert_elements(grown, OY_DIMS(3, 2), 0, 0, 0, 1, 1, 0);

  oy_tensor* turned = oy_t(oy_op_complex(oy_narrow(x, 0, 0, 1), oy_narrow(x, 0, 1, 1)));
  oy_tensor* pairs = oy_expand(turned, OY_DIMS(2, 3), false);
  check_strides(oy_angle(pairs), OY_DIMS(3, 1));
  oy_tensor* regular = oy_scope_take(F64(OY_DIMS(2, 2), 4, 2, 2, 5));
  oy_tensor* out = oy_scope_take(F64(OY_DIMS(0), 0));
  check_strides(oy_cholesky_out(regular, true, out), OY_DIMS(2, 1));
  assert_close(out, OY_DIMS(2, 2), 1e-12, 2, 1, 0, 2);
  oy_tensor* solved = oy_scope_take(F64(OY_DIMS(0), 0));
  check_strides(oy_cholesky_solve_out(regular, out, true, solved), OY_DIMS(2, 1));
  assert_close(solved, OY_DIMS(2, 2), 1e-12, 1, 0, 0, 1);
  oy_scope_close(&scope);
}

// As PyTorch lays them out.
static void OPS_layouts_of_pairs(void** state) {
  (void)state;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = oy_scope_take(F64(OY_DIMS(2, 3), 4, 1, 1, 0, 5, 2));
  oy_tensor *values, *order;
  assert_int_equal(oy_sort(oy_t(x), 0, false, &values, &order), OY_OK);
  check_strides(values, OY_DIMS(1, 3));
  check_strides(order, OY_DIMS(1, 3));
  assert_elements(values, OY_DIMS(3, 2), 1, 0, 1, 2, 4, 5);
  oy_tensor *room = oy_scope_take(F64(OY_DIMS(0), 0)),
            *places = oy_scope_take(I64(OY_DIMS(0), 0)), *sorted, *where;
  assert_int_equal(oy_sort_values(oy_t(x), 0, false, room, places, &sorted, &where),
                   OY_OK);
  check_strides(room, OY_DIMS(1, 3));
  assert_elements(room, OY_DIMS(3, 2), 1, 0, 1, 2, 4, 5);

  // The right side has three rows, and the solution lies where it was.
  oy_tensor* a = oy_scope_take(F64(OY_DIMS(3, 2), 1, 0, 0, 2, 0, 0));
  oy_tensor* b = oy_scope_take(F64(OY_DIMS(3, 2), 3, 4, 2, 6, 0, 0));
  oy_tensor *solution = oy_scope_take(F64(OY_DIMS(0), 0)),
            *left = oy_scope_take(F64(OY_DIMS(0), 0)),
            *rank = oy_scope_take(I64(OY_DIMS(0), 0)),
            *singular = oy_scope_take(F64(OY_DIMS(0), 0)), *out[4];
  assert_int_equal(oy_linalg_lstsq_out(a, b, oy_none(), oy_none(), solution, left, rank,
                                       singular, &out[0], &out[1], &out[2], &out[3]),
                   OY_OK);
  check_strides(solution, OY_DIMS(1, 3));
  assert_close(solution, OY_DIMS(2, 2), 1e-12, 3, 4, 1, 3);
  oy_scope_close(&scope);
}

static void OPS_einsum_promotes_and_sums_as_sum_does(void** state) {
  (void)state;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* a = oy_scope_take(I32(OY_DIMS(1, 2, 3), 1, 2, 3, 4, 5, 6));
  oy_tensor* b = oy_scope_take(I32(OY_DIMS(3), 1, 2, 3));
  oy_tensor* both[] = {a, b};
  oy_tensor* y = oy_einsum(oy_str_of("...ik, ...j -> ij"), (oy_tensors){both, 2},
                           (oy_ints){NULL, 0});
  assert_int_equal(y->dtype, OY_DTYPE_I64);
  assert_elements(y, OY_DIMS(2, 3), 6, 12, 18, 15, 30, 45);
  oy_tensor* mixed[] = {oy_scope_take(F32(OY_DIMS(2), 1, 2)),
                        oy_scope_take(F64(OY_DIMS(2), 3, 4))};
  y = oy_einsum(oy_str_of("i,j->ij"), (oy_tensors){mixed, 2}, (oy_ints){NULL, 0});
  assert_int_equal(y->dtype, OY_DTYPE_F64);
  assert_elements(y, OY_DIMS(2, 2), 3, 4, 6, 8);
  oy_scope_close(&scope);
}

// 1 / sqrt(2 pi 1e308), and infinity where that is times e^1e308.
static void OPS_bessel_functions_of_the_largest_numbers(void** state) {
  (void)state;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = oy_scope_take(F64(OY_DIMS(3), 1e308, -1e308, 20000));
  assert_elements(oy_i0(x), OY_DIMS(3), INFINITY, INFINITY, INFINITY);
  assert_elements(oy_special_i1(x), OY_DIMS(3), INFINITY, -INFINITY, INFINITY);
  oy_tensor* scaled =
      oy_mul_Scalar(oy_special_i1e(oy_narrow(x, 0, 0, 2)), oy_float(1e155));
  assert_close(scaled, OY_DIMS(2), 1e-6, 3.98942280401433, -3.98942280401433);
  oy_scope_close(&scope);
}

// Of floats in nansum's own words; of integers it is sum.
static void OPS_nansum_into_another_dtype_than_asked_for(void** state) {
  (void)state;
  oy_tensor *x = F32(OY_DIMS(3), 1, NAN, 4), *n = I64(OY_DIMS(3), 1, 2, 3),
            *out = F32(OY_DIMS(0), 0);
  const oy_value dtype = oy_int(OY_DTYPE_F64);
  assert_fails(
      oy_nansum_out(x, OY_DIMS(0), false, dtype, out),
      "nansum: provided dtype must match dtype of result. Got Float and Double.");
  assert_fails(oy_nansum_out(n, OY_DIMS(0), false, dtype, out),
               "Expected out tensor to have dtype double, but got float instead");
  assert_ptr_equal(oy_nansum_out(x, OY_DIMS(0), false, oy_none(), out), out);
  assert_elements(out, oy_dims_none(), 5);
  oy_tensor* all[] = {x, n, out};
  for (size_t i = 0; i < OY_ARRAY_SIZE(all); i++) oy_tensor_release(all[i]);
}

// Each call fails with its text, and the output is as it was.
static void OPS_outputs_of_other_dtypes_are_refused_in_pytorchs_words(void** state) {
  (void)state;
  oy_tensor *x = F32(OY_DIMS(2), 1, 2), *m = F32(OY_DIMS(2, 2), 1, 0, 0, 1),
            *wide = F64(OY_DIMS(2), 7, 8), *square = F64(OY_DIMS(2, 2), 5, 6, 7, 8),
            *number = F32(OY_DIMS(0), 0), *places = I64(OY_DIMS(2), 3, 4), *v = NULL,
            *i = NULL;
  assert_fails(oy_nansum_out(x, OY_DIMS(0), false, oy_none(), places),
               "\"nansum_cpu\" not implemented for 'Long'");
  assert_fails(oy_nansum(x, OY_DIMS(0), false, oy_int(OY_DTYPE_C64)),
               "\"nansum_cpu\" not implemented for 'ComplexFloat'");
  assert_fails(oy_linalg_matrix_power_out(m, 3, square),
               "Expected out tensor to have dtype float, but got double instead");
  assert_int_not_equal(oy_mode_values(x, 0, false, wide, places, &v, &i), OY_OK);
  assert_error("expected scalar type 'Float' but got 'Double' for values output");
  assert_int_not_equal(oy_mode_values(x, 0, false, number, x, &v, &i), OY_OK);
  assert_error("expected scalar type 'Long' but got 'Float' for indices output");
  assert_int_not_equal(oy_kthvalue_values(x, 1, 0, false, wide, places, &v, &i), OY_OK);
  assert_error("output values must be of same type as input");
  assert_int_not_equal(oy_kthvalue_values(x, 1, 0, false, number, x, &v, &i), OY_OK);
  assert_error("output indices must be of scalar type Long");
  assert_elements(wide, OY_DIMS(2), 7, 8);
  assert_elements(square, OY_DIMS(2, 2), 5, 6, 7, 8);
  assert_elements(places, OY_DIMS(2), 3, 4);
  assert_ptr_equal(oy_linalg_matrix_power_out(m, 1, square), square);
  assert_elements(square, OY_DIMS(2, 2), 1, 0, 0, 1);
  oy_tensor* all[] = {x, m, wide, square, number, places};
  for (size_t k = 0; k < OY_ARRAY_SIZE(all); k++) oy_tensor_release(all[k]);
}

// Sums with products: of vectors and batches what is added may have another dtype.
static void OPS_products_add_what_has_another_dtype(void** state) {
  (void)state;
  oy_tensor *m = F32(OY_DIMS(2, 2), 1, 2, 3, 4), *v = F32(OY_DIMS(2), 1, 1),
            *w = F64(OY_DIMS(2), 10, 20), *small = F32(OY_DIMS(2), 0, 0),
            *b = oy_tensor_view(m, OY_DIMS(1, 2, 2)), *d = F64(OY_DIMS(1, 1, 2), 10, 20);
  oy_tensor *y = oy_addmv(w, m, v, oy_int(1), oy_int(1)),
            *z = oy_baddbmm(d, b, b, oy_int(1), oy_int(1));
  assert_int_equal(y->dtype, OY_DTYPE_F32);
  assert_elements(y, OY_DIMS(2), 13, 27);
  assert_int_equal(z->dtype, OY_DTYPE_F32);
  assert_elements(z, OY_DIMS(1, 2, 2), 17, 30, 25, 42);
  assert_fails(
      oy_addmv_(w, m, v, oy_int(1), oy_int(1)),
      "Bad in-place call: input tensor dtype double and output tensor dtype float "
      "should match");
  assert_fails(oy_addmm(d, m, m, oy_int(1), oy_int(1)),
               "self and mat2 must have the same dtype, but got Double and Float");
  oy_tensor* rows = oy_tensor_view(d, OY_DIMS(1, 2));
  assert_fails(oy_addmm(m, rows, m, oy_int(1), oy_int(1)),
               "mat1 and mat2 must have the same dtype, but got Double and Float");
  assert_fails(oy_mv(m, w), "expected scalar type Float but found Double");
  assert_fails(oy_addr_(small, v, v, oy_int(1), oy_int(1)),
               "2D tensor expected, got 1D tensor for input");
  oy_tensor* square = F64(OY_DIMS(1, 2), 0, 0);
  assert_fails(oy_addr_(square, v, v, oy_int(1), oy_int(1)),
               "size mismatch, input: [1, 2], v1: [2], v2: [2]");
  assert_elements(small, OY_DIMS(2), 0, 0);
  oy_tensor* all[] = {rows, square, z, y, d, b, small, w, v, m};
  for (size_t k = 0; k < OY_ARRAY_SIZE(all); k++) oy_tensor_release(all[k]);
}

// What may be converted is, and what has no order is refused by name.
static void OPS_outputs_and_limits_of_linear_algebra(void** state) {
  (void)state;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor *m = oy_scope_take(F32(OY_DIMS(2, 2), 2, 0, 0, 4)),
            *b = oy_scope_take(F32(OY_DIMS(2, 1), 2, 2)),
            *x = oy_scope_take(F64(OY_DIMS(0), 0)),
            *left = oy_scope_take(F64(OY_DIMS(0), 0)),
            *rank = oy_scope_take(I64(OY_DIMS(0), 0)),
            *n = oy_scope_take(I64(OY_DIMS(0), 0)),
            *values = oy_scope_take(F64(OY_DIMS(0), 0));
  oy_tensor *made[4], *one = oy_to_dtype(b, OY_DTYPE_C64, false, true, oy_none());
  assert_int_equal(oy_linalg_lstsq_out(m, b, oy_none(), oy_none(), x, left, rank, values,
                                       &made[0], &made[1], &made[2], &made[3]),
                   OY_OK);
  assert_elements(x, OY_DIMS(2, 1), 1, 0.5);
  assert_int_not_equal(
      oy_linalg_lstsq_out(m, b, oy_none(), oy_none(), n, left, rank, values, &made[0],
                          &made[1], &made[2], &made[3]),
      OY_OK);
  assert_error(
      "torch.linalg.lstsq: Expected solution to be safely castable from Float dtype, "
      "but got solution with dtype Long");
  assert_fails(oy_linalg_pinv_rcond_tensor(m, one, false),
               "torch.linalg.pinv: rcond tensor of complex type is not supported. Got "
               "ComplexFloat");
  assert_fails(oy_heaviside_out(b, b, one),
               "heaviside is not yet implemented for complex tensors.");
  oy_scope_close(&scope);
}

// Numbers are filled in, and so have to fit; of lines they are converted as they come. Truth is not
// summed up.
static void OPS_running_sums_of_numbers_and_of_truth(void** state) {
  (void)state;
  const oy_value truth = oy_int(OY_DTYPE_BOOL), bytes = oy_int(OY_DTYPE_U8);
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor *half = F64(oy_dims_none(), 0.5), *great = F64(oy_dims_none(), 300),
            *line = F64(OY_DIMS(2), 300, 1), *flags = BOOLS(OY_DIMS(2), true, true),
            *n = I64(OY_DIMS(2), 1, 2), *empty = F64(OY_DIMS(0), 0);
  oy_tensor* all[] = {half, great, line, flags, n, empty};
  assert_elements(oy_cumprod(half, 0, truth), oy_dims_none(), 1);
  assert_elements(oy_cumsum(half, 0, truth), oy_dims_none(), 1);
  assert_fails(oy_cumsum(great, 0, bytes),
               "value cannot be converted to type uint8_t without overflow");
  assert_elements(oy_cumsum(line, 0, bytes), OY_DIMS(2), 44, 45);
  assert_fails(oy_cumsum(line, 0, truth),
               "\"cumsum_out_cpu\" not implemented for 'Bool'");
  assert_fails(oy_cumprod_(flags, 0, oy_none()),
               "\"cumprod_out_cpu\" not implemented for 'Bool'");
  assert_int_equal(oy_tensor_numel(oy_cumsum(empty, 0, truth)), 0);
  assert_fails(
      oy_cumsum_(n, 0, oy_int(OY_DTYPE_F32)),
      "Bad in-place call: input tensor dtype long int and output tensor dtype float "
      "should match");
  assert_elements(n, OY_DIMS(2), 1, 2);
  oy_scope_close(&scope);
  for (size_t k = 0; k < OY_ARRAY_SIZE(all); k++) oy_tensor_release(all[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(OPS_lines_are_sorted_in_place),
      cmocka_unit_test(OPS_indices_may_be_what_is_written),
      cmocka_unit_test(OPS_masked_fill_refuses_what_does_not_fit),
      cmocka_unit_test(OPS_layouts_of_results),
      cmocka_unit_test(OPS_layouts_of_pairs),
      cmocka_unit_test(OPS_einsum_promotes_and_sums_as_sum_does),
      cmocka_unit_test(OPS_bessel_functions_of_the_largest_numbers),
      cmocka_unit_test(OPS_nansum_into_another_dtype_than_asked_for),
      cmocka_unit_test(OPS_outputs_of_other_dtypes_are_refused_in_pytorchs_words),
      cmocka_unit_test(OPS_products_add_what_has_another_dtype),
      cmocka_unit_test(OPS_running_sums_of_numbers_and_of_truth),
      cmocka_unit_test(OPS_outputs_and_limits_of_linear_algebra),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
