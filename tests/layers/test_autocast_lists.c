// SPDX-License-Identifier: Apache-2.0
// The lists of autocast, operator by operator: what arrives below the layer. A recorder
// stands in for every listed operator, so no argument but the tensors matters, and those
// of CUDA need no device. Lists and rules are PyTorch 2.6's (reference, section 6.2).
#include "support/tensors.h"

typedef enum policy { LOWER, FP32, SET_DTYPE, APPEND, PROMOTE, BANNED } policy;

typedef struct row {
  policy policy;
  const char* names;
} row;

static const row g_cpu[] = {
    {LOWER,
     "conv1d conv1d.padding conv2d conv2d.padding conv3d conv3d.padding bmm mm "
     "linalg_vecdot baddbmm addmm _addmm_activation addbmm linear "
     "_convolution.deprecated matmul conv_tbc mkldnn_rnn_layer conv_transpose1d "
     "conv_transpose2d.input conv_transpose3d.input prelu scaled_dot_product_attention "
     "_native_multi_head_attention"},
    {FP32,
     "avg_pool3d binary_cross_entropy grid_sampler polar prod prod.dim_int "
     "prod.dim_Dimname quantile quantile.scalar nanquantile nanquantile.scalar stft "
     "stft.center cdist grid_sampler_2d _grid_sampler_2d_cpu_fallback grid_sampler_3d "
     "trace view_as_complex cholesky cholesky_inverse cholesky_solve inverse lu_solve "
     "orgqr ormqr pinverse max_pool3d max_unpool2d max_unpool3d adaptive_avg_pool3d "
     "reflection_pad1d reflection_pad2d replication_pad1d replication_pad2d "
     "replication_pad3d mse_loss cosine_embedding_loss nll_loss nll_loss2d "
     "hinge_embedding_loss poisson_nll_loss smooth_l1_loss cross_entropy_loss l1_loss "
     "huber_loss margin_ranking_loss soft_margin_loss triplet_margin_loss "
     "multi_margin_loss ctc_loss.IntList ctc_loss.Tensor kl_div multilabel_margin_loss "
     "binary_cross_entropy_with_logits fft_fft fft_ifft fft_fft2 fft_ifft2 fft_fftn "
     "fft_ifftn fft_rfft fft_irfft fft_rfft2 fft_irfft2 fft_rfftn fft_irfftn fft_hfft "
     "fft_ihfft linalg_cond linalg_cond.p_str linalg_matrix_rank "
     "linalg_matrix_rank.tol_tensor linalg_matrix_rank.atol_rtol_tensor "
     "linalg_matrix_rank.atol_rtol_float linalg_solve linalg_cholesky linalg_svdvals "
     "linalg_eigvals linalg_eigvalsh linalg_inv linalg_householder_product "
     "linalg_tensorinv linalg_tensorsolve fake_quantize_per_tensor_affine geqrf "
     "_lu_with_info qr svd triangular_solve fractional_max_pool2d fractional_max_pool3d "
     "adaptive_max_pool3d multilabel_margin_loss_forward linalg_qr linalg_cholesky_ex "
     "linalg_svd linalg_eig linalg_eigh linalg_lstsq linalg_inv_ex"},
    {PROMOTE, "stack cat index_copy index_copy.dimname"}};

static const row g_cuda[] = {
    {LOWER,
     "_convolution.deprecated _convolution conv1d conv2d conv3d conv_tbc "
     "conv_transpose1d conv_transpose2d.input conv_transpose3d.input convolution prelu "
     "addmm addmv addr matmul einsum mm mv linalg_vecdot linear addbmm baddbmm bmm "
     "chain_matmul linalg_multi_dot _thnn_fused_lstm_cell _thnn_fused_gru_cell lstm_cell "
     "gru_cell rnn_tanh_cell rnn_relu_cell _scaled_dot_product_flash_attention "
     "scaled_dot_product_attention cudnn_convolution cudnn_convolution_transpose"},
    {FP32,
     "acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan "
     "pow.Tensor_Scalar pow.Tensor_Tensor pow.Scalar softplus layer_norm "
     "native_layer_norm group_norm frobenius_norm.dim nuclear_norm nuclear_norm.dim "
     "cosine_similarity poisson_nll_loss cosine_embedding_loss nll_loss nll_loss2d "
     "hinge_embedding_loss kl_div l1_loss smooth_l1_loss huber_loss mse_loss "
     "margin_ranking_loss multilabel_margin_loss soft_margin_loss triplet_margin_loss "
     "multi_margin_loss binary_cross_entropy_with_logits dist pdist cdist renorm "
     "logsumexp upsample_nearest1d _upsample_nearest_exact1d upsample_nearest2d "
     "_upsample_nearest_exact2d upsample_nearest3d _upsample_nearest_exact3d "
     "upsample_linear1d upsample_bilinear2d _upsample_bilinear2d_aa upsample_trilinear3d "
     "upsample_bicubic2d _upsample_bicubic2d_aa"},
    {SET_DTYPE,
     "prod prod.dim_int prod.dim_Dimname softmax.int softmax.Dimname log_softmax.int "
     "log_softmax.Dimname cumprod cumprod.dimname cumsum cumsum.dimname "
     "linalg_vector_norm linalg_matrix_norm linalg_matrix_norm.str_ord sum "
     "sum.dim_IntList sum.dim_DimnameList"},
    {APPEND, "norm.Scalar norm.ScalarOpt_dim norm.names_ScalarOpt_dim"},
    {PROMOTE,
     "addcdiv addcmul atan2 bilinear cross dot vdot grid_sampler index_put tensordot "
     "scatter_add"},
    {BANNED, "binary_cross_entropy"}};

// ------------------------------------------------------------------------- recorder

enum { MOST = 64 };
static struct {
  const oy_op* op;  // NULL: nothing came
  size_t count;
  oy_dtype dtypes[MOST];  // of tensors, and of the last one in a list; else ANY
  oy_value last;          // the last argument
} g_seen;

static oy_dtype dtype_of(oy_value v) {
  if (v.tag == OY_TAG_TENSOR) return v.as.object->dtype;
  if (v.tag == OY_TAG_TENSOR_LIST) return v.as.tensors[v.count - 1]->dtype;
  return OY_DTYPE_ANY;
}

static oy_status record(const oy_op* op, oy_keyset keys, oy_stack* stack,
                        const oy_kernel* kernel) {
  (void)keys, (void)kernel;
  const oy_value* v = oy_stack_last(stack, op->argument_count);
  g_seen.op = op;
  g_seen.count = op->argument_count;
  for (size_t i = 0; i < g_seen.count; i++) g_seen.dtypes[i] = dtype_of(v[i]);
  g_seen.last = v[g_seen.count - 1];
  return OY_FAIL(FAILED_PRECONDITION, "recorded");
}

// Of a device without memory: another dtype, and that is all.
static oy_status convert(const oy_op* op, oy_keyset keys, oy_stack* stack,
                         const oy_kernel* kernel) {
  (void)keys, (void)kernel;
  const oy_value* v = oy_stack_last(stack, op->argument_count);
  oy_object* t = v[0].as.object;
  oy_object* made = oy_tensor_opaque(t->keys, oy_tensor_sizes(t), (oy_dtype)v[1].as.i,
                                     oy_tensor_device(t));
  if (!made) return oy_failure();
  oy_stack_drop(stack, op->argument_count);
  return oy_stack_push(stack, oy_value_pointer(OY_TAG_TENSOR | OY_VALUE_OWNED, made, 0));
}

static oy_library* g_recorders;

static const oy_op* find(const char* name, size_t size) {
  char full[80];
  snprintf(full, sizeof(full), "aten::%.*s", (int)size, name);
  return oy_op_lookup(oy_registry_default(), oy_str_of(full));
}

static void record_calls_of(const char* name, size_t size) {
  char text[64];
  snprintf(text, sizeof(text), "%.*s", (int)size, name);
  const oy_op* op = find(name, size);
  if (!op || oy_op_has_kernel(op, OY_KEY_Tracer)) return;
  oy_impl_params params = {
      .name = text, .key = OY_KEY_Tracer, .kernel = OY_BOXED(record), .place = OY_HERE};
  assert_int_equal(oy_library_impl(g_recorders, &params, NULL), OY_OK);
}

// Calls |visit| with each name of |names|.
static void each_name(const row* r, void (*visit)(const row* r, const char*, size_t)) {
  for (const char* at = r->names; *at;) {
    size_t size = strcspn(at, " ");
    visit(r, at, size);
    at += size + strspn(at + size, " ");
  }
}
static void add_recorder(const row* r, const char* name, size_t size) {
  (void)r;
  record_calls_of(name, size);
}

#define EACH(list, visit) \
  for (size_t i = 0; i < sizeof(list) / sizeof(*(list)); i++) each_name(&(list)[i], visit)

// Tracer is the highest key below the Autocast keys.
static int open_recorders(void** state) {
  if (init_library(state) != 0) return -1;
  oy_library_params aten = {NULL, OY_LIBRARY_IMPL, "aten", OY_KEY_Undefined, "", 0};
  assert_int_equal(oy_library_create(&aten, &g_recorders), OY_OK);
  EACH(g_cpu, add_recorder);
  EACH(g_cuda, add_recorder);
  record_calls_of("norm.ScalarOpt_dtype", 20);
  record_calls_of("norm.ScalarOpt_dim_dtype", 24);
  oy_impl_params params = {.name = "_to_copy",
                           .key = OY_KEY_CUDA,
                           .kernel = OY_BOXED(convert),
                           .place = OY_HERE};
  assert_int_equal(oy_library_impl(g_recorders, &params, NULL), OY_OK);
  return oy_included_set(OY_KEY_Tracer, true);
}
static int close_recorders(void** state) {
  oy_library_close(g_recorders);
  if (oy_included_set(OY_KEY_Tracer, false) != OY_OK) return -1;
  return shut_library(state);
}

// ----------------------------------------------------------------------------- calls

static oy_backend g_backend;
static oy_dtype g_lower;

static oy_tensor* tensor_of(oy_dtype dtype) {
  oy_device device = oy_device_make(g_backend, -1);
  if (g_backend != OY_BACKEND_CPU)
    return oy_tensor_opaque(oy_tensor_keys_for(device, dtype), OY_DIMS(2, 2), dtype,
                            device);
  return oy_tensor_empty(OY_DIMS(2, 2), dtype, device);
}

typedef struct call {
  oy_value arguments[MOST];
  oy_dtype dtypes[MOST];  // ANY: no tensor
  oy_dtype first, widest;
  size_t count;
  bool lost;  // promotion meets a dtype that it does not know
} call;

static bool is_cast(oy_dtype dtype) {
  return dtype == OY_DTYPE_F32 || dtype == OY_DTYPE_F16 || dtype == OY_DTYPE_BF16;
}

// What promotion makes of one more tensor. Optional ones have no say.
static void meet(call* c, const oy_type* type, oy_dtype dtype) {
  if (type->kind == OY_TYPE_LIST) type = type->element;
  if (!is_cast(dtype) || type->kind == OY_TYPE_OPTIONAL) return;
  if (c->widest == OY_DTYPE_F32 || dtype == OY_DTYPE_F32)
    c->widest = OY_DTYPE_F32;
  else if (dtype != c->widest)
    c->lost = true;
}

// Tensors have |dtypes| by turns; a list has two, the second of which is looked at.
static void fill(call* c, const oy_op* op, const oy_dtype* dtypes, size_t turns) {
  const oy_schema* schema = oy_op_schema(op);
  memset(c, 0, sizeof(*c));
  c->count = schema->argument_count;
  c->widest = g_lower;
  c->first = dtypes[0];
  size_t turn = 0;
  for (size_t i = 0; i < c->count; i++) {
    c->dtypes[i] = OY_DTYPE_ANY;
    c->arguments[i] = oy_none();
    if (!schema->arguments[i].is_dispatch) continue;
    const oy_type* type = schema->arguments[i].type;
    size_t many = type->kind == OY_TYPE_LIST ? 2 : 1;
    oy_object* made[2] = {NULL, NULL};
    for (size_t k = 0; k < many; k++) {
      c->dtypes[i] = dtypes[turn++ % turns];
      made[k] = tensor_of(c->dtypes[i]);
      meet(c, type, c->dtypes[i]);
    }
    c->arguments[i] = oy_value_pointer(OY_TAG_TENSOR | OY_VALUE_OWNED, made[0], 0);
    if (many == 1) continue;
    assert_int_equal(oy_value_new_list(OY_TAG_TENSOR_LIST, 2, &c->arguments[i]), OY_OK);
    memcpy((void*)(uintptr_t)c->arguments[i].as.tensors, made, sizeof(made));
  }
}

// Gives the status; the error is kept.
static oy_status run(const oy_op* op, const call* c) {
  oy_value storage[MOST];
  oy_stack stack;
  oy_stack_init(&stack, storage, MOST);
  for (size_t i = 0; i < c->count; i++)
    assert_int_equal(oy_stack_push(&stack, c->arguments[i]), OY_OK);
  memset(&g_seen, 0, sizeof(g_seen));
  oy_status status = oy_op_call_boxed(op, &stack);
  assert_int_equal(stack.size, 0);
  oy_stack_reset(&stack);
  return status;
}

static oy_dtype expected_dtype(policy p, const call* c, size_t i) {
  if (!is_cast(c->dtypes[i])) return c->dtypes[i];
  switch (p) {
    case LOWER: return g_lower;
    case FP32: return OY_DTYPE_F32;
    case PROMOTE: return c->widest;
    case SET_DTYPE:
    case APPEND:
    case BANNED: break;
  }
  return c->dtypes[i];
}

// softmax.int(Tensor self, int dim, ScalarType? dtype=None) and the like end with it.
static void check_dtype_argument(policy p, const call* c, const oy_op* op) {
  if (p == SET_DTYPE) {
    assert_int_equal(g_seen.last.tag, is_cast(c->first) ? OY_TAG_INT : OY_TAG_NONE);
    if (is_cast(c->first)) assert_int_equal(g_seen.last.as.i, OY_DTYPE_F32);
  } else if (p == APPEND) {
    assert_int_equal(g_seen.count, c->count + 1);
    assert_int_equal(g_seen.last.as.i, is_cast(c->first) ? OY_DTYPE_F32 : c->first);
  } else {
    assert_ptr_equal(g_seen.op, op);
  }
}

static void check_call(policy p, const oy_op* op, const oy_dtype* dtypes, size_t turns) {
  call c;
  fill(&c, op, dtypes, turns);
  oy_status status = run(op, &c);
  assert_int_equal(status, OY_FAILED_PRECONDITION);
  if (p == BANNED || (p == PROMOTE && c.lost)) {
    assert_null(g_seen.op);
    if (p == PROMOTE)
      assert_error("Unexpected floating ScalarType in at::autocast::prioritize");
    oy_error_clear();
    return;
  }
  assert_error("recorded");
  for (size_t i = 0; i < c.count; i++)
    if (g_seen.dtypes[i] != expected_dtype(p, &c, i))
      fail_msg("%s: argument %zu is %s and not %s", oy_op_name_of(op).data, i,
               oy_dtype_name(g_seen.dtypes[i]), oy_dtype_name(expected_dtype(p, &c, i)));
  check_dtype_argument(p, &c, op);
}

// ----------------------------------------------------------------------------- tests

static size_t g_found;

static void check_name(const row* r, const char* name, size_t size) {
  static const struct {
    oy_dtype dtypes[4];
    size_t turns;
  } patterns[] = {
      {{OY_DTYPE_F32}, 1},
      {{OY_DTYPE_BF16}, 1},
      {{OY_DTYPE_F16}, 1},
      {{OY_DTYPE_F64}, 1},
      {{OY_DTYPE_I64}, 1},
      {{OY_DTYPE_C64}, 1},
      {{OY_DTYPE_BF16, OY_DTYPE_F32}, 2},
      {{OY_DTYPE_F16, OY_DTYPE_F32}, 2},
      {{OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_BF16}, 3},
      {{OY_DTYPE_F64, OY_DTYPE_I64, OY_DTYPE_F16, OY_DTYPE_F32}, 4},
      {{OY_DTYPE_BOOL, OY_DTYPE_BF16, OY_DTYPE_F64}, 3},
  };
  const oy_op* op = find(name, size);
  if (!op) return;
  g_found++;
  for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
    check_call(r->policy, op, patterns[i].dtypes, patterns[i].turns);
}

static void check_region(oy_backend backend, oy_dtype lower) {
  g_backend = backend;
  g_lower = lower;
  oy_autocast_guard guard;
  assert_int_equal(oy_autocast_enter(backend, lower, true, &guard), OY_OK);
  if (backend == OY_BACKEND_CPU)
    EACH(g_cpu, check_name);
  else
    EACH(g_cuda, check_name);
  oy_autocast_leave(&guard);
}

static void amp_01_lists_of_the_cpu(void** state) {
  (void)state;
  g_found = 0;
  check_region(OY_BACKEND_CPU, OY_DTYPE_BF16);
  assert_true(g_found >= 60);
  check_region(OY_BACKEND_CPU, OY_DTYPE_F16);
}
static void amp_01_lists_of_cuda(void** state) {
  (void)state;
  g_found = 0;
  check_region(OY_BACKEND_CUDA, OY_DTYPE_F16);
  assert_true(g_found >= 60);
  check_region(OY_BACKEND_CUDA, OY_DTYPE_BF16);
}

// Nothing that is not listed has a kernel: in-place forms and those with out=, above all.
static size_t g_listed;
static oy_key g_key;
static void count_kernel(const row* r, const char* name, size_t size) {
  (void)r;
  const oy_op* op = find(name, size);
  if (op && !oy_op_has_kernel(op, g_key)) fail_msg("%.*s", (int)size, name);
  g_listed += op != NULL;
}
static size_t kernels_at(oy_key key) {
  const oy_op** ops;
  size_t count, have = 0;
  assert_int_equal(oy_registry_list(oy_registry_default(), &ops, &count), OY_OK);
  for (size_t i = 0; i < count; i++) have += oy_op_has_kernel(ops[i], key);
  oy_ops_free(ops);
  return have;
}
static void amp_01_all_others_fall_through(void** state) {
  (void)state;
  g_listed = 0;
  g_key = OY_KEY_AutocastCPU;
  EACH(g_cpu, count_kernel);
  assert_int_equal(kernels_at(g_key), g_listed);
  g_listed = 0;
  g_key = OY_KEY_AutocastCUDA;
  EACH(g_cuda, count_kernel);
  assert_int_equal(kernels_at(g_key), g_listed);
  static const char* const others[] = {"add.Tensor", "mm.out", "addmm_", "relu",
                                       "to.dtype"};
  for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
    const oy_op* op = find(others[i], strlen(others[i]));
    assert_true(oy_op_is_fallthrough(op, OY_KEY_AutocastCPU));
    assert_true(oy_op_is_fallthrough(op, OY_KEY_AutocastCUDA));
  }
}

// A dtype that the caller gave stays.
static void amp_01_a_given_dtype_is_respected(void** state) {
  (void)state;
  g_backend = OY_BACKEND_CUDA;
  oy_autocast_guard guard;
  assert_int_equal(oy_autocast_enter(g_backend, OY_DTYPE_ANY, true, &guard), OY_OK);
  oy_tensor* x = tensor_of(OY_DTYPE_F16);
  assert_fails(oy_softmax_int(x, 0, oy_int(OY_DTYPE_F64)), "recorded");
  assert_int_equal(g_seen.last.as.i, OY_DTYPE_F64);
  assert_fails(oy_softmax_int(x, 0, oy_none()), "recorded");
  assert_int_equal(g_seen.last.as.i, OY_DTYPE_F32);
  // Another operator takes the place of the one that takes no dtype.
  assert_fails(oy_norm_Scalar(x, oy_int(2)), "recorded");
  assert_string_equal(oy_op_name_of(g_seen.op).data, "aten::norm.ScalarOpt_dtype");
  oy_autocast_leave(&guard);
  oy_tensor_release(x);
}

// Each layer casts what is its own, the higher one first.
static void amp_02_tensors_of_two_devices(void** state) {
  (void)state;
  oy_tensor* tensors[2];
  g_backend = OY_BACKEND_CPU;
  tensors[0] = tensor_of(OY_DTYPE_F32);
  g_backend = OY_BACKEND_CUDA;
  tensors[1] = tensor_of(OY_DTYPE_F32);
  oy_autocast_guard cpu, cuda;
  assert_int_equal(oy_autocast_enter(OY_BACKEND_CPU, OY_DTYPE_ANY, true, &cpu), OY_OK);
  assert_fails(oy_mm(tensors[0], tensors[1]), "recorded");
  assert_int_equal(g_seen.dtypes[0], OY_DTYPE_BF16);
  assert_int_equal(g_seen.dtypes[1], OY_DTYPE_F32);
  assert_int_equal(oy_autocast_enter(OY_BACKEND_CUDA, OY_DTYPE_ANY, true, &cuda), OY_OK);
  assert_fails(oy_mm(tensors[0], tensors[1]), "recorded");
  assert_int_equal(g_seen.dtypes[0], OY_DTYPE_BF16);
  assert_int_equal(g_seen.dtypes[1], OY_DTYPE_F16);
  oy_autocast_leave(&cuda);
  oy_autocast_leave(&cpu);
  oy_tensor_release(tensors[0]);
  oy_tensor_release(tensors[1]);
}

static void amp_05_banned(void** state) {
  (void)state;
  g_backend = OY_BACKEND_CUDA;
  oy_tensor* x = tensor_of(OY_DTYPE_F32);
  oy_autocast_guard guard;
  assert_int_equal(oy_autocast_enter(g_backend, OY_DTYPE_ANY, true, &guard), OY_OK);
  oy_error_clear();
  assert_null(oy_binary_cross_entropy(x, x, &oy_none_object, 1));
  assert_int_equal(oy_error_get()->code, OY_FAILED_PRECONDITION);
  assert_error(
      "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to "
      "autocast.\nMany models use a sigmoid layer right before the binary cross entropy "
      "layer.\nIn this case, combine the two layers using "
      "torch.nn.functional.binary_cross_entropy_with_logits\nor "
      "torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits "
      "are\nsafe to autocast.");
  // What it recommends is not refused, and neither is the same outside.
  assert_fails(
      oy_binary_cross_entropy_with_logits(x, x, &oy_none_object, &oy_none_object, 1),
      "recorded");
  oy_autocast_leave(&guard);
  assert_fails(oy_binary_cross_entropy(x, x, &oy_none_object, 1), "recorded");
  oy_tensor_release(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(amp_01_lists_of_the_cpu),
      cmocka_unit_test(amp_01_lists_of_cuda),
      cmocka_unit_test(amp_01_all_others_fall_through),
      cmocka_unit_test(amp_01_a_given_dtype_is_respected),
      cmocka_unit_test(amp_02_tensors_of_two_devices),
      cmocka_unit_test(amp_05_banned),
  };
  return cmocka_run_group_tests(tests, open_recorders, close_recorders);
}
