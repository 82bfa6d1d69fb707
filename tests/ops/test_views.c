// SPDX-License-Identifier: Apache-2.0
// What view operators refuse, lists of views and their out= forms, sizes that programs
// cannot show. Results of each operator are in programs/. Message texts are PyTorch's.
#include "support/tensors.h"

static oy_tensor* counting(oy_ints sizes) {
  oy_tensor* t = oy_tensor_empty(sizes, OY_DTYPE_F32, oy_device_cpu());
  float* data = oy_tensor_data(t);
  for (int64_t i = 0; i < oy_tensor_numel(t); i++) data[i] = (float)i;
  return t;
}

static oy_value none(void) {
  return oy_none();
}

static void views_refuse_what_pytorch_refuses(void** state) {
  (void)state;
  oy_tensor* x = counting(OY_DIMS(2, 3));
  oy_tensor* s = counting(oy_dims_none());
  oy_tensor* i = I64(OY_DIMS(2), 1, 2);
  assert_fails(
      oy_permute(x, OY_DIMS(0)),
      "permute(sparse_coo): number of dimensions in the tensor input does not "
      "match the length of the desired ordering of dimensions i.e. input.dim() = "
      "2 is not equal to len(dims) = 1");
  assert_fails(oy_permute(x, OY_DIMS(0, 0)),
               "permute(): duplicate dims are not allowed.");
  assert_fails(oy_permute(x, OY_DIMS(0, 2)),
               "Dimension out of range (expected to be in range of [-2, 1], but got 2)");
  assert_fails(oy_slice_Tensor(s, 0, none(), none(), 1),
               "slice() cannot be applied to a 0-dim tensor.");
  assert_fails(oy_slice_Tensor(x, 0, none(), none(), 0), "slice step must be positive");
  assert_fails(oy_select_int(s, 0, 0), "select() cannot be applied to a 0-dim tensor.");
  assert_fails(oy_squeeze_dims(x, OY_DIMS(1, -1)),
               "dim 1 appears multiple times in the list of dims");
  assert_fails(oy_diagonal(x, 0, 1, 1), "diagonal dimensions cannot be identical 1, 1");
  assert_fails(oy_unfold(x, 1, 4, 1),
               "maximum size for tensor at dimension 1 is 3 but size is 4");
  assert_fails(oy_unfold(x, 1, 2, 0), "step is 0 but must be > 0");
  assert_fails(oy_view_as_real(x), "view_as_real is only supported for complex tensors");
  assert_fails(oy_view_as_complex(x), "Tensor must have a last dimension of size 2");
  assert_fails(
      oy_view_as_complex(i),
      "view_as_complex is only supported for half, float and double tensors, but "
      "got a tensor of scalar type: Long");
  assert_fails(
      oy_view_dtype(s, OY_DTYPE_F64),
      "self.dim() cannot be 0 to view Float as Double (different element sizes)");
  assert_fails(oy_view_dtype(x, OY_DTYPE_F64),
               "self.size(-1) must be divisible by 2 to view Float as Double (different "
               "element sizes), but got 3");
  assert_fails(oy_flatten_using_ints(x, 1, 0),
               "flatten() has invalid args: start_dim cannot come after end_dim");
  assert_fails(
      oy_unflatten_int(x, 1, OY_DIMS(2, 2)),
      "unflatten: Provided sizes [2, 2] don't multiply up to the size of dim 1 (3) "
      "in the input tensor");
  assert_fails(oy_narrow(x, 1, 2, 2),
               "start (2) + length (2) exceeds dimension size (3).");
  assert_fails(oy_narrow(x, 1, 0, -1), "narrow(): length must be non-negative.");
  assert_fails(oy_movedim_intlist(x, OY_DIMS(0, 0), OY_DIMS(0, 1)),
               "movedim: repeated dim in `source` ([0, 0])");
  assert_fails(oy_imag(x),
               "imag is not implemented for tensors with non-complex dtypes.");
  assert_fails(oy_mT(i),
               "tensor.mT is only supported on matrices or batches of matrices. Got 1-D "
               "tensor.");
  assert_fails(oy_matrix_H(i),
               "tensor.H is only supported on matrices (2-D tensors). Got 1-D tensor.");
  assert_fails(oy_fill__Tensor(x, i),
               "fill_ only supports 0-dimension value tensor but got tensor with 1 "
               "dimensions.");
  oy_tensor* all[] = {x, s, i};
  for (int k = 0; k < 3; k++) oy_tensor_release(all[k]);
}

// A list of |count| tensors, released.
static void assert_list(oy_status status, oy_value* list, uint32_t count, oy_ints first) {
  assert_int_equal(status, OY_OK);
  assert_int_equal(list->tag, OY_TAG_TENSOR_LIST);
  assert_int_equal(list->count, count);
  if (count > 0) assert_dims(oy_tensor_sizes(list->as.tensors[0]), first);
  oy_value_release(list);
}
static void assert_refused(oy_status status, const char* text) {
  assert_true(status != OY_OK);
  assert_error(text);
}

static void splits_refuse_and_give_views(void** state) {
  (void)state;
  oy_tensor* x = counting(OY_DIMS(2, 3));
  oy_tensor* s = counting(oy_dims_none());
  oy_value l;
  assert_list(oy_split_Tensor(x, 2, 1, &l), &l, 2, OY_DIMS(2, 2));
  assert_list(oy_unbind_int(x, -1, &l), &l, 3, OY_DIMS(2));
  assert_refused(
      oy_split_Tensor(x, 0, 1, &l),
      "split_size can only be 0 if dimension size is 0, but got dimension size "
      "of 3");
  assert_refused(oy_split_Tensor(x, -1, 1, &l),
                 "split expects split_size be non-negative, but got split_size=-1");
  assert_refused(oy_split_Tensor(s, 1, 0, &l),
                 "split expects at least a 1-dimensional tensor");
  assert_refused(
      oy_split_with_sizes(x, OY_DIMS(1, 1), 1, &l),
      "split_with_sizes expects split_sizes to sum exactly to 3 (input tensor's "
      "size at dimension 1), but got split_sizes=[1, 1]");
  assert_refused(oy_chunk(x, 0, 1, &l),
                 "chunk expects `chunks` to be greater than 0, got: 0");
  assert_refused(oy_unbind_int(s, 0, &l),
                 "Dimension specified as 0 but tensor has no dimensions");
  assert_refused(oy_tensor_split_sections(x, 0, 1, &l),
                 "number of sections must be larger than 0, got 0");
  assert_refused(oy_hsplit_int(x, 2, &l),
                 "torch.hsplit attempted to split along dimension 1, but the size of the "
                 "dimension 3 is not divisible by the split_size 2!");
  assert_refused(oy_dsplit_int(x, 2, &l),
                 "torch.dsplit requires a tensor with at least 3 dimension, but got a "
                 "tensor with 2 dimensions!");
  // Written through one of them, the base has it.
  assert_int_equal(oy_split_Tensor(x, 1, 0, &l), OY_OK);
  assert_true(oy_tensor_is_alias_of(l.as.tensors[1], x));
  oy_tensor* second = l.as.tensors[1];
  assert_ptr_equal(oy_fill__Scalar(second, oy_int(9)), second);
  assert_elements(x, OY_DIMS(2, 3), 0, 1, 2, 9, 9, 9);
  oy_value_release(&l);
  oy_tensor_release(x);
  oy_tensor_release(s);
}

static void lists_go_into_lists(void** state) {
  (void)state;
  oy_tensor* x = counting(OY_DIMS(2, 2));
  for (int k = 0; k < 5; k++) {
    oy_object* outs[2] = {counting(OY_DIMS(0)), counting(OY_DIMS(0))};
    oy_tensors out = {outs, 2};
    oy_status status = k == 0   ? oy_split_copy_Tensor_out(x, 1, 0, out)
                       : k == 1 ? oy_split_with_sizes_copy_out(x, OY_DIMS(1, 1), 0, out)
                       : k == 2 ? oy_unsafe_split_Tensor_out(x, 1, 0, out)
                       : k == 3 ? oy_unsafe_split_with_sizes_out(x, OY_DIMS(1, 1), 0, out)
                                : oy_unbind_copy_int_out(x, 0, out);
    assert_int_equal(status, OY_OK);
    if (k < 4)
      assert_elements(outs[1], OY_DIMS(1, 2), 2, 3);
    else
      assert_elements(outs[1], OY_DIMS(2), 2, 3);
    assert_true(oy_tensor_version(outs[1]) > 0);
    out.size = 1;
    assert_true(oy_split_copy_Tensor_out(x, 1, 0, out) != OY_OK);
    oy_error_clear();
    oy_tensor_release(outs[0]);
    oy_tensor_release(outs[1]);
  }
  oy_tensor_release(x);
}

static void uninitialised_outs_have_their_shape(void** state) {
  (void)state;
  oy_tensor* x = counting(OY_DIMS(2, 3));
  oy_tensor* w = counting(OY_DIMS(0));
  assert_ptr_equal(oy_empty_out(OY_DIMS(4), none(), w), w);
  assert_dims(oy_tensor_sizes(w), OY_DIMS(4));
  assert_ptr_equal(oy_empty_strided_out(OY_DIMS(2, 2), OY_DIMS(1, 2), w), w);
  assert_dims(oy_tensor_sizes(w), OY_DIMS(2, 2));
  assert_ptr_equal(oy_empty_permuted_out(OY_DIMS(2, 3), OY_DIMS(1, 0), w), w);
  assert_ptr_equal(oy_empty_like_out(x, none(), w), w);
  assert_dims(oy_tensor_sizes(w), OY_DIMS(2, 3));
  assert_ptr_equal(oy_new_empty_out(x, OY_DIMS(5), w), w);
  assert_ptr_equal(oy_new_empty_strided_out(x, OY_DIMS(1, 2), OY_DIMS(2, 1), w), w);
  assert_dims(oy_tensor_sizes(w), OY_DIMS(1, 2));
  assert_fails(
      oy_empty_permuted(OY_DIMS(2, 3), OY_DIMS(0, 0), none(), none(), none(), none()),
      "Duplicate dim not allowed");
  assert_ptr_equal(oy_range_out_(oy_int(1), oy_int(3), w), w);
  assert_elements(w, OY_DIMS(3), 1, 2, 3);
  oy_tensor* i = oy_to_dtype_layout(x, oy_int(OY_DTYPE_I64), none(), none(), none(),
                                    false, false, none());
  assert_int_equal(i->dtype, OY_DTYPE_I64);
  oy_tensor_release(i);
  oy_tensor_release(x);
  oy_tensor_release(w);
}

// Resizing keeps elements, grows storage, and counts no version.
static void resizing(void** state) {
  (void)state;
  oy_tensor* x = counting(OY_DIMS(2, 3));
  assert_ptr_equal(oy_resize_(x, OY_DIMS(2, 2), none()), x);
  assert_elements(x, OY_DIMS(2, 2), 0, 1, 2, 3);
  assert_ptr_equal(oy_resize_(x, OY_DIMS(100, 7), none()), x);
  assert_int_equal(oy_tensor_numel(x), 700);
  assert_true(element(x, 5) == 5);
  assert_int_equal(oy_tensor_version(x), 0);
  assert_ptr_equal(oy_resize_(x, OY_DIMS(1, 2, 2, 2), oy_int(OY_MEMORY_CHANNELS_LAST)),
                   x);
  assert_dims(oy_tensor_strides(x), OY_DIMS(8, 1, 4, 2));
  assert_null(oy_resize_(x, OY_DIMS(-1), none()));
  oy_error_clear();
  assert_null(oy_resize_(x, OY_DIMS(INT64_MAX / 2, 8), none()));
  oy_error_clear();
  oy_tensor_release(x);
}

static void other_storages(void** state) {
  (void)state;
  oy_tensor* x = counting(OY_DIMS(2));
  oy_tensor* y = counting(OY_DIMS(2, 3));
  assert_ptr_equal(oy_set__source_Tensor(x, y), x);
  assert_true(oy_tensor_is_alias_of(x, y));
  assert_elements(x, OY_DIMS(2, 3), 0, 1, 2, 3, 4, 5);
  assert_ptr_equal(
      oy_set__source_Tensor_storage_offset(x, y, 2, OY_DIMS(2, 2), (oy_ints){NULL, 0}),
      x);
  assert_elements(x, OY_DIMS(2, 2), 2, 3, 4, 5);
  assert_ptr_equal(oy_set_(x), x);
  assert_dims(oy_tensor_sizes(x), OY_DIMS(0));
  oy_tensor_release(x);
  oy_tensor_release(y);
}

// Sixty-four dimensions, and none more.
static void ranks_up_to_the_limit(void** state) {
  (void)state;
  int64_t ones[64];
  for (int i = 0; i < 64; i++) ones[i] = 1;
  oy_tensor* t = counting((oy_ints){ones, 64});
  assert_fails(oy_unsqueeze(t, 0), "tensors may have at most 64 dimensions");
  oy_tensor* q = oy_squeeze(t);
  assert_int_equal(oy_tensor_ndim(q), 0);
  oy_tensor* p = oy_numpy_T(t);
  assert_int_equal(oy_tensor_ndim(p), 64);
  oy_tensor* d = oy_select_int(t, 63, 0);
  oy_tensor* u = oy_unsqueeze(d, 0);
  assert_int_equal(oy_tensor_ndim(u), 64);
  assert_ptr_equal(oy_squeeze_(u), u);
  assert_int_equal(oy_tensor_ndim(u), 0);
  oy_tensor* all[] = {t, q, p, d, u};
  for (int i = 0; i < 5; i++) oy_tensor_release(all[i]);
}

static void meta_has_the_same_shapes(void** state) {
  (void)state;
  oy_value meta = oy_value_device(oy_device_meta());
  oy_tensor* m = oy_zeros(OY_DIMS(2, 3), none(), none(), meta, none());
  oy_tensor* all[] = {
      oy_permute(m, OY_DIMS(1, 0)),
      oy_unfold(m, 1, 2, 1),
      oy_flip(m, OY_DIMS(0)),
      oy_tril(m, 0),
      oy_repeat(m, OY_DIMS(2, 1)),
      oy_cat((oy_tensors){&m, 1}, 0),
      oy_arange(oy_int(5), none(), none(), meta, none()),
      oy_eye(3, none(), none(), meta, none()),
      oy_tril_indices(3, 3, 0, oy_int(OY_DTYPE_I64), none(), meta, none()),
      oy_randn(OY_DIMS(4), none(), none(), meta, none()),
      oy_roll(m, OY_DIMS(1), OY_DIMS(0)),
      oy_constant_pad_nd(m, OY_DIMS(1, 1), oy_int(0))};
  static const int64_t numel[] = {6, 8, 6, 6, 12, 6, 5, 9, 12, 4, 6, 10};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
    assert_non_null(all[i]);
    assert_int_equal(oy_tensor_device(all[i]).backend, OY_BACKEND_Meta);
    assert_int_equal(oy_tensor_numel(all[i]), numel[i]);
    oy_tensor_release(all[i]);
  }
  oy_tensor_release(m);
}

// Several threads share out what has more than a piece of 256 KiB; rows end within pieces.
static void large_ones_are_rearranged(void** state) {
  (void)state;
  static const int64_t shapes[][2] = {{3, 70001}, {70001, 3}, {1, 200000}, {701, 303}};
  for (size_t k = 0; k < 12 * sizeof(shapes) / sizeof(*shapes); k++) {
    const int64_t *sizes = shapes[k / 12], dim = k / 6 % 2;
    const int64_t shift =
        (int64_t[]){0, 1, -1, sizes[dim] - 1, sizes[dim] / 2, 100003}[k % 6];
    const int64_t rows = sizes[0], columns = sizes[1];
    oy_tensor* x = counting((oy_ints){sizes, 2});
    oy_tensor* rolled = oy_roll(x, (oy_ints){&shift, 1}, (oy_ints){&dim, 1});
    oy_tensor* upper = oy_triu(x, shift);
    const float *in = oy_tensor_data(x), *to = oy_tensor_data(rolled);
    const float* kept = oy_tensor_data(upper);
    int64_t wrong = 0;
    for (int64_t i = 0; i < rows; i++)
      for (int64_t j = 0; j < columns; j++) {
        const int64_t at = i * columns + j, by = shift % sizes[dim] + sizes[dim];
        const int64_t from = dim ? i * columns + (j + 2 * columns - by) % columns
                                 : (i + 2 * rows - by) % rows * columns + j;
        wrong += to[at] != in[from] || kept[at] != (j >= i + shift ? in[at] : 0);
      }
    assert_int_equal(wrong, 0);
    oy_tensor* all[] = {x, rolled, upper};
    for (int i = 0; i < 3; i++) oy_tensor_release(all[i]);
  }
}

// Rows of bytes change their halves, wherever in memory they begin.
static void bytes_are_rolled_at_any_address(void** state) {
  (void)state;
  uint8_t numbers[2 * 8 * 5 + 3];
  for (size_t i = 0; i < sizeof(numbers); i++) numbers[i] = (uint8_t)(i * 7);
  oy_tensor* all = oy_tensor_from_data(numbers, OY_DIMS(sizeof(numbers)), OY_DTYPE_U8);
  for (int64_t at = 0; at < 3; at++)
    for (int64_t half = 1; half <= 8; half *= 2) {
      oy_tensor* x =
          oy_as_strided(all, OY_DIMS(5, 2 * half), OY_DIMS(2 * half, 1), oy_int(at));
      oy_tensor* rolled = oy_roll(x, OY_DIMS(half), OY_DIMS(1));
      assert_non_null(rolled);
      const uint8_t* to = oy_tensor_data(rolled);
      for (int64_t i = 0; i < 10 * half; i++)
        assert_int_equal(to[i], numbers[at + (i ^ half)]);
      oy_tensor_release(rolled);
      oy_tensor_release(x);
    }
  oy_tensor_release(all);
}

// Every allocation of some chains fails in turn, and nothing leaks.
static bool chain(void) {
  const float numbers[6] = {0, 1, 2, 3, 4, 5};
  oy_tensor* x = oy_tensor_from_data(numbers, OY_DIMS(2, 3), OY_DTYPE_F32);
  oy_value l = oy_none();
  oy_tensor* r = oy_repeat(x, OY_DIMS(2, 2));
  oy_tensor* f = oy_flip(r, OY_DIMS(0, 1));
  oy_tensor* p = oy_constant_pad_nd(f, OY_DIMS(1, -1), oy_int(2));
  oy_tensor* d = oy_diag_embed(p, 1, 0, 2);
  bool good = d && oy_split_copy_Tensor(d, 1, 0, &l) == OY_OK;
  oy_tensor* c = good ? oy_op_stack((oy_tensors){l.as.tensors, l.count}, -1) : NULL;
  oy_value_release(&l);
  oy_tensor* all[] = {x, r, f, p, d, c};
  for (int i = 0; i < 6; i++) oy_tensor_release(all[i]);
  return c != NULL;
}
static void allocations_may_fail(void** state) {
  (void)state;
  fail_each_allocation(chain);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(views_refuse_what_pytorch_refuses),
      cmocka_unit_test(splits_refuse_and_give_views),
      cmocka_unit_test(lists_go_into_lists),
      cmocka_unit_test(uninitialised_outs_have_their_shape),
      cmocka_unit_test(resizing),
      cmocka_unit_test(other_storages),
      cmocka_unit_test(ranks_up_to_the_limit),
      cmocka_unit_test(meta_has_the_same_shapes),
      cmocka_unit_test(large_ones_are_rearranged),
      cmocka_unit_test(bytes_are_rolled_at_any_address),
      cmocka_unit_test(allocations_may_fail),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
