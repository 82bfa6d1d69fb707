// SPDX-License-Identifier: Apache-2.0
// Outputs, indices and values that share memory: what is refused, and what PyTorch only warns of
// (three-valued: those that are too hard to tell are taken). Expected values are PyTorch 1.13's.
#include "base/memory.h"
#include "support/tensors.h"

static const char g_apart[] =
    "unsupported operation: some elements of the input tensor and the written-to tensor "
    "refer to a single memory location. Please clone() the tensor before performing the "
    "operation.";

static void TEN_13_what_is_read_in_another_order_is_not_written(void** state) {
  (void)state;
  oy_tensor *x = F32(OY_DIMS(3), 3, 1, 2), *index = I64(OY_DIMS(3), 2, 0, 1),
            *mask = BOOLS(OY_DIMS(3), true, true, true), *places = I64(OY_DIMS(1), 0),
            *same = oy_tensor_view(x, OY_DIMS(3)), *none = F32(OY_DIMS(1), 0),
            *first = NULL, *second = NULL;
  oy_tensor* one = oy_tensor_as_strided(x, OY_DIMS(1), OY_DIMS(1), 0);
  assert_fails(oy_gather_out(x, 0, index, false, x), g_apart);
  assert_fails(oy_gather_out(x, 0, index, false, same), g_apart);
  assert_fails(oy_take_out(x, index, x), g_apart);
  assert_fails(oy_masked_select_out(x, mask, x), g_apart);
  assert_int_equal(oy_kthvalue_values(x, 2, 0, true, x, places, &first, &second),
                   OY_INVALID_ARGUMENT);
  assert_error(g_apart);
  assert_int_equal(oy_kthvalue_values(x, 2, 0, true, one, places, &first, &second),
                   OY_INVALID_ARGUMENT);
  assert_error(g_apart);
  assert_elements(x, OY_DIMS(3), 3, 1, 2);
  assert_ptr_equal(oy_gather_out(x, 0, index, false, none), none);
  assert_elements(none, OY_DIMS(3), 2, 3, 1);
  // The index may be the output, and one that comes to overlap it by its new size not.
  oy_tensor *n = I64(OY_DIMS(3), 3, 1, 2), *by = I64(OY_DIMS(3), 2, 1, 0);
  oy_tensor *tail = oy_tensor_as_strided(by, OY_DIMS(2), OY_DIMS(1), 1),
            *head = oy_tensor_as_strided(by, OY_DIMS(1), OY_DIMS(1), 0);
  assert_fails(oy_gather_out(n, 0, tail, false, head), g_apart);
  assert_ptr_equal(oy_gather_out(n, 0, by, false, by), by);
  assert_elements(by, OY_DIMS(3), 2, 1, 3);
  oy_tensor* more[] = {head, tail, by, n};
  for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++) oy_tensor_release(more[i]);
  oy_tensor* all[] = {one, none, same, places, mask, index, x};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
}

static void TEN_13_places_are_not_written_over_each_other(void** state) {
  (void)state;
  oy_tensor *rows = F32(OY_DIMS(2), 1, 2), *values = F32(OY_DIMS(2), 0, 3),
            *one = I64(OY_DIMS(1), 9), *wide = oy_tensor_expand(one, OY_DIMS(2));
  static const char over[] =
      "unsupported operation: more than one element of the written-to tensor refers to a "
      "single memory location. Please clone() the tensor before performing the "
      "operation.";
  assert_fails(oy_bucketize_Tensor_out(values, rows, false, false, wide), over);
  assert_fails(oy_searchsorted_Tensor_out(rows, values, false, false, oy_none(),
                                          &oy_none_object, wide),
               over);
  assert_elements(one, OY_DIMS(1), 9);
  oy_tensor* all[] = {wide, one, values, rows};
  for (size_t k = 0; k < OY_ARRAY_SIZE(all); k++) oy_tensor_release(all[k]);
}

static void TEN_13_indices_and_values_are_not_what_is_written(void** state) {
  (void)state;
  oy_tensor *n = I64(OY_DIMS(2), 0, 1), *five = I64(OY_DIMS(1), 5);
  oy_tensor *x = F32(OY_DIMS(2), 3, 4), *one = I64(OY_DIMS(1), 1);
  const oy_tensors by_itself = {&n, 1}, by_one = {&one, 1};
  oy_tensor* part = oy_tensor_as_strided(x, OY_DIMS(1), OY_DIMS(1), 0);
  assert_fails(oy_put_(n, n, five, false),
               "put_(): Expected source and index to have the same "
               "number of elements, but got source.numel() = 1, index.numel() = 2");
  assert_fails(oy_put_(n, n, n, false), g_apart);
  assert_fails(oy_index_put_(n, by_itself, five, false), g_apart);
  assert_fails(oy_index_put_(x, by_one, x, true), g_apart);
  assert_fails(oy_index_put_(x, by_one, part, false), g_apart);
  assert_fails(oy_index_fill__int_Scalar(n, 0, n, oy_int(3)), g_apart);
  assert_elements(n, OY_DIMS(2), 0, 1);
  assert_elements(x, OY_DIMS(2), 3, 4);
  oy_tensor* all[] = {part, one, x, five, n};
  for (size_t k = 0; k < OY_ARRAY_SIZE(all); k++) oy_tensor_release(all[k]);
}

static void count_warning(void* user_data, const char* message) {
  assert_non_null(strstr(message, "on expanded tensors is deprecated"));
  ++*(int*)user_data;
}

// What PyTorch took before it looked for overlap it still takes, and warns.
static void TEN_13_expanded_tensors_are_filled_with_a_warning(void** state) {
  (void)state;
  int warnings = 0;
  oy_warning_handler_set(count_warning, &warnings);
  oy_tensor *row = F32(OY_DIMS(3, 1), 1, 2, 3),
            *x = oy_tensor_expand(row, OY_DIMS(3, 40)), *other = I64(OY_DIMS(1), 1),
            *index = I64(OY_DIMS(1), 2),
            *mask = oy_zeros(OY_DIMS(3, 40), oy_int(OY_DTYPE_BOOL), oy_none(), oy_none(),
                             oy_none()),
            *number = F32(OY_DIMS(1), 6);
  const oy_tensors at = {&index, 1};
  *((bool*)oy_tensor_data(mask) + 17) = true;
  assert_ptr_equal(oy_masked_fill__Scalar(x, mask, oy_int(5)), x);
  assert_elements(row, OY_DIMS(3, 1), 5, 2, 3);
  assert_ptr_equal(oy_index_fill__int_Scalar(x, 0, other, oy_int(7)), x);
  assert_elements(row, OY_DIMS(3, 1), 5, 7, 3);
  assert_ptr_equal(oy_index_put_(x, at, number, false), x);
  assert_elements(row, OY_DIMS(3, 1), 5, 7, 6);
  assert_int_equal(warnings, 3);
  oy_warning_handler_set(NULL, NULL);
  oy_tensor* all[] = {number, mask, index, other, x, row};
  for (size_t k = 0; k < OY_ARRAY_SIZE(all); k++) oy_tensor_release(all[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(TEN_13_what_is_read_in_another_order_is_not_written),
      cmocka_unit_test(TEN_13_places_are_not_written_over_each_other),
      cmocka_unit_test(TEN_13_indices_and_values_are_not_what_is_written),
      cmocka_unit_test(TEN_13_expanded_tensors_are_filled_with_a_warning),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
