// SPDX-License-Identifier: Apache-2.0
// Batching rules against the function called with each slice, for inputs that are batched
// in turn, with the mapped dimension in front or at the end.
#include "slices.h"

// What a slice of each input is.
#define A in[0]  // [3, 4]
#define V in[1]  // [4]
#define B in[2]  // [3, 4]
#define S in[3]  // a number, of a wider dtype
#define C in[4]  // [4, 3]
#define I in[5]  // [3] of 0, 1, 2

enum { INPUTS = 6, BATCH = 2, FREE = -1 };

static oy_tensor* first_of(oy_status status, oy_tensor* a, oy_tensor* b) {
  oy_tensor_release(b);
  return status == OY_OK ? a : NULL;
}
#define FIRST(call)                   \
  ({                                  \
    oy_tensor *a_ = NULL, *b_ = NULL; \
    oy_status status_ = call;         \
    first_of(status_, a_, b_);        \
  })
#define SECOND(call)                  \
  ({                                  \
    oy_tensor *a_ = NULL, *b_ = NULL; \
    oy_status status_ = call;         \
    first_of(status_, b_, a_);        \
  })

static oy_tensor* item_of(oy_status status, oy_value list, uint32_t i) {
  if (status != OY_OK) return NULL;
  oy_tensor* t = oy_tensor_retain(list.as.tensors[i]);
  oy_value_release(&list);
  return t;
}
#define ITEM(call, i)           \
  ({                            \
    oy_value list_ = oy_none(); \
    oy_status status_ = call;   \
    item_of(status_, list_, i); \
  })

static oy_tensor* inside(oy_tensor* a, oy_tensor* (*fn)(oy_tensor* a)) {
  oy_tensor* copy = oy_clone(a, oy_none());
  if (copy && !fn(copy)) {
    oy_tensor_release(copy);
    copy = NULL;
  }
  return copy;
}
static oy_tensor* turn_(oy_tensor* a) {
  return oy_t_(a);
}
static oy_tensor* exp_cumsum_(oy_tensor* a) {
  return oy_cumsum_(oy_exp_(a), -1, oy_none());
}
static oy_tensor* squeezed_(oy_tensor* a) {
  return oy_squeeze_(oy_unsqueeze_(a, 1));
}
static oy_tensor* lists(oy_tensor* a, oy_tensor* b, int how) {
  oy_tensor* both[] = {a, b, a};
  oy_tensors list = {both, 3};
  return how == 0   ? oy_cat(list, -1)
         : how == 1 ? oy_op_stack(list, 1)
         : how == 2 ? oy_op_stack(list, -1)
                    : oy_hstack(list);
}
static oy_tensor* indexed(oy_tensor* a, oy_tensor* i, oy_tensor* j) {
  oy_tensor* list[] = {i, j};
  return oy_index_Tensor(a, (oy_tensors){list, 2});
}
static oy_tensor* indexed_apart(oy_tensor* a, oy_tensor* i) {
  oy_tensor* wide = oy_unsqueeze(a, 1);
  oy_tensor* list[] = {i, &oy_none_object, i};
  oy_tensor* y = oy_index_Tensor(wide, (oy_tensors){list, 3});
  oy_tensor_release(wide);
  return y;
}
static oy_tensor* put_number(oy_tensor* a, oy_tensor* i, oy_tensor* j, oy_tensor* s) {
  oy_tensor* narrow = oy_to_dtype(s, OY_DTYPE_F32, false, false, oy_none());
  oy_tensor* list[] = {i, j};
  oy_tensor* y = oy_index_put(a, (oy_tensors){list, 2}, narrow, true);
  oy_tensor_release(narrow);
  return y;
}
// Different values, where the dimension that is indexed is not the first.
static oy_tensor* put_columns(oy_tensor* a, oy_tensor* i, oy_tensor* c) {
  oy_tensor *rows = oy_slice_Tensor(c, 0, oy_int(1), oy_none(), 1),
            *list[] = {&oy_none_object, i},
            *y = oy_index_put(a, (oy_tensors){list, 2}, rows, true);
  oy_tensor_release(rows);
  return y;
}
static oy_tensor* put_apart(oy_tensor* a, oy_tensor* i, oy_tensor* s) {
  oy_tensor* wide = oy_unsqueeze(a, 1);
  oy_tensor* narrow = oy_to_dtype(s, OY_DTYPE_F32, false, false, oy_none());
  oy_tensor* list[] = {i, &oy_none_object, i};
  oy_tensor* y = oy_index_put(wide, (oy_tensors){list, 3}, narrow, false);
  oy_tensor_release(wide);
  oy_tensor_release(narrow);
  return y;
}
static oy_tensor* put_rows(oy_tensor* a, oy_tensor* i, oy_tensor* v) {
  return oy_index_put(a, (oy_tensors){&i, 1}, v, true);
}
static oy_tensor* network(oy_tensor* a, oy_tensor* c, oy_tensor* v) {
  oy_tensor* hidden = oy_linear(a, v ? c : NULL, &oy_none_object);
  oy_tensor* y = oy_softmax_int(hidden, -1, oy_none());
  oy_tensor_release(hidden);
  return y;
}

static oy_tensor* stacks(oy_tensor* a, oy_tensor* c, oy_tensor* s) {
  oy_tensor *x = oy_unsqueeze(a, 0), *y = oy_unsqueeze(c, 0);
  oy_tensor* narrow = oy_to_dtype(s, OY_DTYPE_F32, false, false, oy_none());
  oy_tensor* z = oy_baddbmm(narrow, x, y, oy_float(2), oy_float(0.5));
  oy_tensor_release(x);
  oy_tensor_release(y);
  oy_tensor_release(narrow);
  return z;
}
static oy_tensor* gathered(oy_tensor* c, oy_tensor* i) {
  oy_tensor* row = oy_unsqueeze(i, 0);
  oy_tensor* y = oy_gather(c, 0, row, false);
  oy_tensor_release(row);
  return y;
}

static oy_tensor* masked_by(oy_tensor* a, oy_tensor* v) {
  oy_tensor* mask = oy_gt_Scalar(v, oy_int(0));
  oy_tensor* y = oy_masked_fill_Scalar(a, mask, oy_int(1));
  oy_tensor_release(mask);
  return y;
}
static oy_tensor* column_and_product(oy_tensor* a, oy_tensor* v) {
  oy_tensor* column = oy_select_int(a, 1, 0);
  oy_tensor* y = oy_addmv(column, a, v, oy_float(0), oy_float(2));
  oy_tensor_release(column);
  return y;
}

// name, whether it may take a loop, call
#define CASES(X)                                                                       \
  X(add, 0, oy_add_Tensor(A, B, oy_int(2)))                                            \
  X(add_row, 0, oy_add_Tensor(V, A, oy_int(1)))                                        \
  X(add_number, 0, oy_add_Tensor(A, S, oy_int(1)))                                     \
  X(number_mul, 0, oy_mul_Tensor(S, V))                                                \
  X(number_number, 0, oy_sub_Tensor(S, S, oy_int(3)))                                  \
  X(add_scalar, 0, oy_add_Scalar(A, oy_float(1.5), oy_int(1)))                         \
  X(sine, 0, oy_sin(A))                                                                \
  X(relu, 0, oy_relu(A))                                                               \
  X(gelu, 0, oy_gelu(A, oy_str_of("none")))                                            \
  X(greater, 0, oy_gt_Tensor(A, V))                                                    \
  X(where, 0, of(oy_gt_Scalar(A, oy_int(0)), oy_logical_not))                          \
  X(clamp, 0, oy_clamp_Tensor(A, V, &oy_none_object))                                  \
  X(lerp, 0, oy_lerp_Tensor(A, B, V))                                                  \
  X(addcmul, 0, oy_addcmul(A, B, V, oy_float(0.5)))                                    \
  X(power, 0, oy_pow_Tensor_Scalar(A, oy_int(2)))                                      \
  X(masked, 0, masked_by(A, V))                                                        \
  X(sum, 0, oy_sum(A, oy_none()))                                                      \
  X(sum_number, 0, oy_sum(S, oy_none()))                                               \
  X(sum_dim, 0, oy_sum_dim_IntList(A, OY_DIMS(-1), false, oy_none()))                  \
  X(sum_dims, 0, oy_sum_dim_IntList(A, OY_DIMS(1, 0), true, oy_none()))                \
  X(sum_all, 0, oy_sum_dim_IntList(A, (oy_ints){NULL, 0}, false, oy_none()))           \
  X(sum_dim_number, 0, oy_sum_dim_IntList(S, OY_DIMS(-1), true, oy_none()))            \
  X(mean, 0, oy_mean(A, oy_none()))                                                    \
  X(mean_dim, 0, oy_mean_dim(A, OY_DIMS(0), true, oy_none()))                          \
  X(product, 0, oy_prod(V, oy_none()))                                                 \
  X(largest, 0, oy_max(A))                                                             \
  X(smallest, 0, oy_min(S))                                                            \
  X(largest_along, 0, FIRST(oy_max_dim(A, 1, false, &a_, &b_)))                        \
  X(place_of_largest, 0, SECOND(oy_max_dim(A, 0, true, &a_, &b_)))                     \
  X(argmax, 0, oy_argmax(A, oy_none(), false))                                         \
  X(argmax_dim, 0, oy_argmax(A, oy_int(-2), true))                                     \
  X(argmax_keep, 1, oy_argmax(A, oy_none(), true))                                     \
  X(variance, 0, oy_var_dim(A, OY_DIMS(1), true, false))                               \
  X(deviation, 0, oy_std(A, false))                                                    \
  X(norm, 0, oy_linalg_vector_norm(A, oy_int(2), OY_DIMS(0), false, oy_none()))        \
  X(any, 0, oy_any(A))                                                                 \
  X(all_dim, 0, oy_all_dim(A, 0, false))                                               \
  X(logsumexp, 0, oy_logsumexp(A, OY_DIMS(1), false))                                  \
  X(softmax, 0, oy_softmax_int(A, 0, oy_none()))                                       \
  X(softmax_number, 0, oy_softmax_int(S, 0, oy_none()))                                \
  X(log_softmax, 0, oy_log_softmax_int(V, -1, oy_none()))                              \
  X(cumsum, 0, oy_cumsum(A, 0, oy_none()))                                             \
  X(cumsum_number, 0, oy_cumsum(S, 0, oy_none()))                                      \
  X(cummax, 0, SECOND(oy_cummax(A, -1, &a_, &b_)))                                     \
  X(sort, 0, FIRST(oy_sort(A, 1, true, &a_, &b_)))                                     \
  X(topk, 0, SECOND(oy_topk(V, 2, 0, true, true, &a_, &b_)))                           \
  X(median, 0, FIRST(oy_median_dim(A, -1, false, &a_, &b_)))                           \
  X(t, 0, oy_t(A))                                                                     \
  X(t_vector, 0, oy_t(V))                                                              \
  X(transpose, 0, oy_transpose_int(A, -1, 0))                                          \
  X(transpose_number, 0, oy_transpose_int(S, 0, -1))                                   \
  X(permute, 0, oy_permute(A, OY_DIMS(1, 0)))                                          \
  X(movedim, 0, oy_movedim_int(A, 0, -1))                                              \
  X(reshape, 0, oy_reshape(A, OY_DIMS(2, -1)))                                         \
  X(reshape_turned, 0, of(oy_t(A), oy_ravel))                                          \
  X(flatten, 0, oy_flatten_using_ints(A, 0, -1))                                       \
  X(view, 0, oy_view(A, OY_DIMS(3, 2, 2)))                                             \
  X(expand, 0, oy_expand(V, OY_DIMS(2, 3, 4), false))                                  \
  X(expand_keep, 0, oy_expand(V, OY_DIMS(3, -1), false))                               \
  X(repeat, 0, oy_repeat(V, OY_DIMS(2, 2)))                                            \
  X(squeeze, 0, of(oy_unsqueeze(A, -1), oy_squeeze))                                   \
  X(squeeze_number, 0, oy_squeeze_dim(S, 0))                                           \
  X(unsqueeze, 0, oy_unsqueeze(A, 1))                                                  \
  X(unsqueeze_number, 0, oy_unsqueeze(S, -1))                                          \
  X(select, 0, oy_select_int(A, -1, 2))                                                \
  X(slice, 0, oy_slice_Tensor(A, 1, oy_int(1), oy_none(), 2))                          \
  X(narrow, 0, oy_narrow(A, -1, 1, 2))                                                 \
  X(diagonal, 0, oy_diagonal(A, 1, 0, 1))                                              \
  X(unfold, 0, oy_unfold(V, 0, 2, 1))                                                  \
  X(split, 0, ITEM(oy_split_Tensor(A, 2, -1, &list_), 1))                              \
  X(chunk, 0, ITEM(oy_chunk(A, 2, 0, &list_), 0))                                      \
  X(unbind, 0, ITEM(oy_unbind_int(A, 0, &list_), 2))                                   \
  X(flip, 0, oy_flip(A, OY_DIMS(-1)))                                                  \
  X(roll, 0, oy_roll(A, OY_DIMS(1), OY_DIMS(1)))                                       \
  X(roll_all, 1, oy_roll(A, OY_DIMS(1), oy_dims_none()))                               \
  X(tril, 0, oy_tril(A, 1))                                                            \
  X(diag_embed, 0, oy_diag_embed(V, 1, 0, -1))                                         \
  X(padded, 0, oy_constant_pad_nd(A, OY_DIMS(1, 0, 0, 2), oy_int(7)))                  \
  X(cat, 0, lists(A, B, 0))                                                            \
  X(stack, 0, lists(A, B, 1))                                                          \
  X(stack_last, 0, lists(A, B, 2))                                                     \
  X(hstack, 0, lists(V, V, 3))                                                         \
  X(mm, 0, oy_mm(A, C))                                                                \
  X(mm_turned, 0, oy_mm(C, A))                                                         \
  X(mv, 0, oy_mv(A, V))                                                                \
  X(dot, 0, oy_dot(V, V))                                                              \
  X(bmm, 0, stacks(A, C, S))                                                           \
  X(matmul, 0, oy_matmul(A, C))                                                        \
  X(matmul_vector, 0, oy_matmul(V, C))                                                 \
  X(matmul_two_vectors, 0, oy_matmul(V, V))                                            \
  X(outer, 0, oy_outer(V, V))                                                          \
  X(addmm, 0, oy_addmm(V, C, A, oy_int(2), oy_int(3)))                                 \
  X(addmv, 0, column_and_product(A, V))                                                \
  X(network, 0, network(A, B, V))                                                      \
  X(mse, 0, oy_mse_loss(A, B, 1))                                                      \
  X(mse_sum, 0, oy_mse_loss(A, V, 2))                                                  \
  X(smooth, 0, oy_smooth_l1_loss(A, B, 0, 1.0))                                        \
  X(l1, 0, oy_l1_loss(A, B, 1))                                                        \
  X(layer_norm, 1, oy_layer_norm(A, OY_DIMS(4), V, &oy_none_object, 1e-5, false))      \
  X(gather, 0, gathered(C, I))                                                         \
  X(index_select, 1, oy_index_select(A, 0, I))                                         \
  X(index, 0, indexed(A, I, I))                                                        \
  X(index_second, 0, indexed(A, &oy_none_object, I))                                   \
  X(index_first, 0, indexed(A, I, &oy_none_object))                                    \
  X(index_apart, 0, indexed_apart(A, I))                                               \
  X(put, 0, put_number(C, I, I, S))                                                    \
  X(put_second, 0, put_number(A, &oy_none_object, I, S))                               \
  X(put_apart, 0, put_apart(A, I, S))                                                  \
  X(put_columns, 0, put_columns(A, I, C))                                              \
  X(put_rows, 0, put_rows(A, I, V))                                                    \
  X(embedding, 1, oy_embedding(A, I, -1, false, false))                                \
  X(clone, 0, oy_clone(A, oy_int(OY_MEMORY_CONTIGUOUS)))                               \
  X(to_double, 0, oy_to_dtype(A, OY_DTYPE_F64, false, false, oy_none()))               \
  X(zeros_like, 0,                                                                     \
    oy_zeros_like(A, oy_none(), oy_none(), oy_none(), oy_none(), oy_none()))           \
  X(new_full, 0,                                                                       \
    oy_new_full(A, OY_DIMS(2), oy_int(3), oy_none(), oy_none(), oy_none(), oy_none())) \
  X(in_place, 0, inside(A, exp_cumsum_))                                               \
  X(turned_in_place, 0, inside(A, turn_))                                              \
  X(squeezed_in_place, 0, inside(A, squeezed_))                                        \
  X(cosine, 0, oy_cosine_similarity(A, B, 1, 1e-8))                                    \
  X(cross_entropy, 1, oy_cross_entropy_loss(A, I, &oy_none_object, 1, -100, 0.0))      \
  X(kron, 0, oy_kron(A, C))                                                            \
  X(histogram, 1, oy_histc(A, 4, oy_int(-3), oy_int(3)))

#define X(name, loop, call) MAPPED(run_##name, call)
CASES(X)
#undef X

typedef struct test_case {
  const char* name;
  oy_transform_fn fn;
  bool may_loop;
} test_case;
static const test_case g_cases[] = {
#define X(name, loop, call) {#name, run_##name, loop},
    CASES(X)
#undef X
};

// An input with slices of |sizes|, batched at |dim|, at FREE not at all.
static oy_tensor* make_input(oy_ints sizes, int64_t dim, int kind) {
  int64_t all[4];
  size_t n = 0;
  if (dim == 0) all[n++] = BATCH;
  for (size_t i = 0; i < sizes.size; i++) all[n++] = sizes.data[i];
  if (dim > 0) all[n++] = BATCH;
  oy_tensor* t = wave((oy_ints){all, n});
  if (kind == 0) return t;
  oy_tensor* y;
  if (kind == 1) {
    y = oy_to_dtype(t, OY_DTYPE_F64, false, false, oy_none());
  } else {
    oy_tensor* even = oy_remainder_Scalar(t, oy_int(3));
    y = oy_to_dtype(even, OY_DTYPE_I64, false, false, oy_none());
    oy_tensor_release(even);
  }
  oy_tensor_release(t);
  return y;
}

static void run_case(const test_case* c, unsigned batched, bool at_end) {
  const oy_ints sizes[] = {OY_DIMS(3, 4),  OY_DIMS(4),    OY_DIMS(3, 4),
                           oy_dims_none(), OY_DIMS(4, 3), OY_DIMS(3)};
  oy_tensor* inputs[INPUTS];
  int64_t dims[INPUTS];
  for (size_t i = 0; i < INPUTS; i++) {
    bool is = batched >> i & 1;
    dims[i] = !is ? OY_VMAP_NONE : at_end ? (int64_t)sizes[i].size : 0;
    inputs[i] = make_input(sizes[i], is ? dims[i] : FREE, i == 3 ? 1 : i == 5 ? 2 : 0);
  }
  uint64_t loops =
      compare_slices(c->name, c->fn, (oy_ints){dims, INPUTS}, inputs, INPUTS);
  if (!c->may_loop && loops != 0)
    fail_msg("%s: %d loops, batched %x", c->name, (int)loops, batched);
  for (size_t i = 0; i < INPUTS; i++) oy_tensor_release(inputs[i]);
}

static void vmap_03_rules_give_what_slices_give(void** state) {
  (void)state;
  static const unsigned batched[] = {0x3f, 0x01, 0x3e, 0x15, 0x2a, 0x20, 0x1f, 0x08};
  for (size_t i = 0; i < sizeof(g_cases) / sizeof(*g_cases); i++)
    for (size_t k = 0; k < sizeof(batched) / sizeof(*batched); k++)
      for (int at_end = 0; at_end < 2; at_end++)
        run_case(&g_cases[i], batched[k], at_end);
}

// ---------------------------------------------------------------------- nested

// The case mapped over the first dimension of all its inputs.
static const test_case* g_inner;
static oy_status inner_vmap(void* data, oy_tensor* const* in, size_t count,
                            oy_tensor** out, size_t outputs) {
  (void)data;
  const oy_vmap_params p = {.fn = g_inner->fn};
  return oy_vmap(&p, in, count, out, outputs);
}

static oy_tensor* make_nested(oy_ints sizes, bool batched, int kind) {
  int64_t all[4] = {3};
  for (size_t i = 0; i < sizes.size; i++) all[i + 1] = sizes.data[i];
  return make_input((oy_ints){all, sizes.size + 1}, batched ? 0 : FREE, kind);
}

static void vmap_06_rules_within_a_vmap(void** state) {
  (void)state;
  static const unsigned batched[] = {0x3f, 0x01, 0x2a};
  const oy_ints sizes[] = {OY_DIMS(3, 4),  OY_DIMS(4),    OY_DIMS(3, 4),
                           oy_dims_none(), OY_DIMS(4, 3), OY_DIMS(3)};
  for (size_t k = 0; k < sizeof(batched) / sizeof(*batched); k++) {
    oy_tensor* inputs[INPUTS];
    int64_t dims[INPUTS];
    for (size_t i = 0; i < INPUTS; i++) {
      bool is = batched[k] >> i & 1;
      dims[i] = is ? 0 : OY_VMAP_NONE;
      inputs[i] = make_nested(sizes[i], is, i == 3 ? 1 : i == 5 ? 2 : 0);
    }
    for (size_t i = 0; i < sizeof(g_cases) / sizeof(*g_cases); i++) {
      g_inner = &g_cases[i];
      compare_slices(g_inner->name, inner_vmap, (oy_ints){dims, INPUTS}, inputs, INPUTS);
    }
    for (size_t i = 0; i < INPUTS; i++) oy_tensor_release(inputs[i]);
  }
}

// ------------------------------------------------------------------- gradients

// The sum of the case's squares, which depends on all of its elements.
static oy_status squares(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                         size_t outputs) {
  (void)data;
  oy_tensor* y = NULL;
  OY_TRY(g_inner->fn(NULL, in, count, &y, outputs));
  oy_tensor* square = oy_mul_Tensor(y, y);
  out[0] = oy_sum(square, oy_none());
  oy_tensor_release(square);
  oy_tensor_release(y);
  return out[0] ? OY_OK : oy_failure();
}
static oy_status slope(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                       size_t outputs) {
  (void)data, (void)outputs;
  const oy_grad_params p = {.fn = squares};
  return oy_grad_of(&p, in, count, NULL, out);
}
// Some cases have no gradient.
static bool has_slope(oy_tensor* const* inputs, const int64_t* dims) {
  oy_tensor *slices[INPUTS], *y = NULL;
  for (size_t i = 0; i < INPUTS; i++)
    slices[i] = dims[i] == OY_VMAP_NONE ? oy_tensor_retain(inputs[i])
                                        : oy_select_int(inputs[i], dims[i], 0);
  bool has = slope(NULL, slices, INPUTS, &y, 1) == OY_OK;
  for (size_t i = 0; i < INPUTS; i++) oy_tensor_release(slices[i]);
  oy_tensor_release(y);
  oy_error_clear();
  return has;
}

static void vmap_06_gradients_within_a_vmap(void** state) {
  (void)state;
  static const unsigned batched[] = {0x3f, 0x01, 0x3e};
  const oy_ints sizes[] = {OY_DIMS(3, 4),  OY_DIMS(4),    OY_DIMS(3, 4),
                           oy_dims_none(), OY_DIMS(4, 3), OY_DIMS(3)};
  int compared = 0;
  for (size_t k = 0; k < sizeof(batched) / sizeof(*batched); k++) {
    oy_tensor* inputs[INPUTS];
    int64_t dims[INPUTS];
    for (size_t i = 0; i < INPUTS; i++) {
      bool is = batched[k] >> i & 1;
      dims[i] = is ? 0 : OY_VMAP_NONE;
      inputs[i] = make_input(sizes[i], is ? 0 : FREE, i == 3 ? 1 : i == 5 ? 2 : 0);
    }
    for (size_t i = 0; i < sizeof(g_cases) / sizeof(*g_cases); i++) {
      g_inner = &g_cases[i];
      if (!has_slope(inputs, dims)) continue;
      compare_slices(g_inner->name, slope, (oy_ints){dims, INPUTS}, inputs, INPUTS);
      compared++;
    }
    for (size_t i = 0; i < INPUTS; i++) oy_tensor_release(inputs[i]);
  }
  assert_in_range(compared, 200, 1000);
}

// ------------------------------------------------------------- batches of images

#define IMAGES  in[0]  // [2, 3, 6, 5]
#define WEIGHTS in[1]  // [4, 3, 2, 2]
#define GRID    in[2]  // [2, 3, 3, 2]

#define IMAGE_CASES(X)                                                                  \
  X(conv, oy_conv2d(IMAGES, WEIGHTS, &oy_none_object, OY_DIMS(2, 1), OY_DIMS(1, 0),     \
                    OY_DIMS(1, 1), 1))                                                  \
  X(max_pool, oy_max_pool2d(IMAGES, OY_DIMS(2, 2), OY_DIMS(2, 2), OY_DIMS(0, 0),        \
                            OY_DIMS(1, 1), false))                                      \
  X(avg_pool, oy_avg_pool2d(IMAGES, OY_DIMS(3, 2), OY_DIMS(1, 1), OY_DIMS(1, 0), false, \
                            true, oy_none()))                                           \
  X(adaptive, oy_adaptive_avg_pool2d(IMAGES, OY_DIMS(2, 2)))                            \
  X(reflected, oy_reflection_pad2d(IMAGES, OY_DIMS(1, 2, 1, 0)))                        \
  X(nearest, oy_upsample_nearest2d(IMAGES, OY_DIMS(8, 7), oy_none(), oy_none()))        \
  X(columns,                                                                            \
    oy_im2col(IMAGES, OY_DIMS(2, 2), OY_DIMS(1, 1), OY_DIMS(0, 0), OY_DIMS(1, 1)))      \
  X(sampled, oy_grid_sampler_2d(IMAGES, GRID, 0, 0, true))

#define X(name, call) MAPPED(image_##name, call)
IMAGE_CASES(X)
#undef X
static const test_case g_image_cases[] = {
#define X(name, call) {#name, image_##name, false},
    IMAGE_CASES(X)
#undef X
};
MAPPED(one_image, oy_conv2d(in[0], in[1], &oy_none_object, OY_DIMS(1, 1), OY_DIMS(0, 0),
                            OY_DIMS(1, 1), 1))

static void vmap_03_batches_of_images(void** state) {
  (void)state;
  oy_tensor* in[] = {wave(OY_DIMS(3, 2, 3, 6, 5)), wave(OY_DIMS(4, 3, 2, 2)),
                     wave(OY_DIMS(3, 2, 3, 3, 2))};
  for (size_t i = 0; i < sizeof(g_image_cases) / sizeof(*g_image_cases); i++) {
    const test_case* c = &g_image_cases[i];
    if (compare_slices(c->name, c->fn, OY_DIMS(0, OY_VMAP_NONE, 0), in, 3) != 0)
      fail_msg("%s took a loop", c->name);
    // Mapped over what is no batch: another dimension moves to its place.
    if (i > 0 && i < 7)
      compare_slices(c->name, c->fn, OY_DIMS(1, OY_VMAP_NONE, OY_VMAP_NONE), in, 3);
  }
  oy_tensor* pair[] = {wave(OY_DIMS(3, 6, 5, 2)), wave(OY_DIMS(4, 3, 2, 2))};
  assert_int_equal(
      compare_slices("one image", one_image, OY_DIMS(3, OY_VMAP_NONE), pair, 2), 0);
  // Weights of their own for each slice.
  oy_tensor* both[] = {wave(OY_DIMS(2, 2, 3, 6, 5)), wave(OY_DIMS(2, 4, 3, 2, 2))};
  assert_int_equal(compare_slices("weights", one_image, OY_DIMS(0, 0), both, 2), 1);
  for (int i = 0; i < 3; i++) oy_tensor_release(in[i]);
  for (int i = 0; i < 2; i++) oy_tensor_release(pair[i]);
  for (int i = 0; i < 2; i++) oy_tensor_release(both[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vmap_03_rules_give_what_slices_give),
      cmocka_unit_test(vmap_06_rules_within_a_vmap),
      cmocka_unit_test(vmap_06_gradients_within_a_vmap),
      cmocka_unit_test(vmap_03_batches_of_images),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
