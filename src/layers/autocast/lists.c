// SPDX-License-Identifier: Apache-2.0
// Which operator has which policy: PyTorch 2.6's lists (reference, section 6.2). Names
// that the operator table lacks are passed over, and have their policy as soon as it has
// them. In-place and out= forms are in no list.
#include "base/memory.h"
#include "layers/autocast/autocast.h"

// Ends with NULL.
typedef const char* const* names;

// ------------------------------------------------------------------------------- CPU

static const char* const g_cpu_lower[] = {
    // Products.
    "mm", "bmm", "addmm", "addbmm", "baddbmm", "_addmm_activation", "matmul", "linear",
    "linalg_vecdot",
    // Convolutions.
    "conv1d", "conv1d.padding", "conv2d", "conv2d.padding", "conv3d", "conv3d.padding",
    "conv_tbc", "conv_transpose1d", "conv_transpose2d.input", "conv_transpose3d.input",
    "_convolution.deprecated",
    // Parts of networks.
    "prelu", "scaled_dot_product_attention", "_native_multi_head_attention",
    "mkldnn_rnn_layer", NULL};

static const char* const g_cpu_fp32[] = {
    // Pooling, padding, sampling.
    "avg_pool3d", "max_pool3d", "max_unpool2d", "max_unpool3d", "adaptive_avg_pool3d",
    "adaptive_max_pool3d", "fractional_max_pool2d", "fractional_max_pool3d",
    "reflection_pad1d", "reflection_pad2d", "replication_pad1d", "replication_pad2d",
    "replication_pad3d", "grid_sampler", "grid_sampler_2d",
    "_grid_sampler_2d_cpu_fallback", "grid_sampler_3d",
    // Reductions and elements.
    "polar", "prod", "prod.dim_int", "prod.dim_Dimname", "quantile", "quantile.scalar",
    "nanquantile", "nanquantile.scalar", "cdist", "trace", "view_as_complex",
    "fake_quantize_per_tensor_affine",
    // Losses.
    "binary_cross_entropy", "mse_loss", "cosine_embedding_loss", "nll_loss", "nll_loss2d",
    "hinge_embedding_loss", "poisson_nll_loss", "smooth_l1_loss", "cross_entropy_loss",
    "l1_loss", "huber_loss", "margin_ranking_loss", "soft_margin_loss",
    "triplet_margin_loss", "multi_margin_loss", "ctc_loss.IntList", "ctc_loss.Tensor",
    "kl_div", "multilabel_margin_loss", "multilabel_margin_loss_forward",
    "binary_cross_entropy_with_logits",
    // Fourier transforms.
    "stft", "stft.center", "fft_fft", "fft_ifft", "fft_fft2", "fft_ifft2", "fft_fftn",
    "fft_ifftn", "fft_rfft", "fft_irfft", "fft_rfft2", "fft_irfft2", "fft_rfftn",
    "fft_irfftn", "fft_hfft", "fft_ihfft",
    // Linear algebra.
    "cholesky", "cholesky_inverse", "cholesky_solve", "inverse", "lu_solve", "orgqr",
    "ormqr", "pinverse", "geqrf", "_lu_with_info", "qr", "svd", "triangular_solve",
    "linalg_cond", "linalg_cond.p_str", "linalg_matrix_rank",
    "linalg_matrix_rank.tol_tensor", "linalg_matrix_rank.atol_rtol_tensor",
    "linalg_matrix_rank.atol_rtol_float", "linalg_solve", "linalg_cholesky",
    "linalg_svdvals", "linalg_eigvals", "linalg_eigvalsh", "linalg_inv",
    "linalg_householder_product", "linalg_tensorinv", "linalg_tensorsolve", "linalg_qr",
    "linalg_cholesky_ex", "linalg_svd", "linalg_eig", "linalg_eigh", "linalg_lstsq",
    "linalg_inv_ex", NULL};

static const char* const g_cpu_promote[] = {"stack", "cat", "index_copy",
                                            "index_copy.dimname", NULL};

// ------------------------------------------------------------------------------ CUDA

static const char* const g_cuda_lower[] = {
    // Products.
    "mm", "bmm", "mv", "addmm", "addbmm", "addmv", "addr", "baddbmm", "matmul", "linear",
    "linalg_vecdot", "einsum", "chain_matmul", "linalg_multi_dot",
    // Convolutions.
    "conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d",
    "conv_transpose2d.input", "conv_transpose3d.input", "convolution", "_convolution",
    "_convolution.deprecated", "cudnn_convolution", "cudnn_convolution_transpose",
    // Parts of networks.
    "prelu", "scaled_dot_product_attention", "_scaled_dot_product_flash_attention",
    "lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell", "_thnn_fused_lstm_cell",
    "_thnn_fused_gru_cell", NULL};

static const char* const g_cuda_fp32[] = {
    // Elements.
    "acos", "asin", "cosh", "erfinv", "exp", "expm1", "log", "log10", "log2", "log1p",
    "reciprocal", "rsqrt", "sinh", "tan", "pow.Tensor_Scalar", "pow.Tensor_Tensor",
    "pow.Scalar", "softplus",
    // Norms and distances.
    "layer_norm", "native_layer_norm", "group_norm", "frobenius_norm.dim", "nuclear_norm",
    "nuclear_norm.dim", "cosine_similarity", "dist", "pdist", "cdist", "renorm",
    "logsumexp",
    // Losses.
    "poisson_nll_loss", "cosine_embedding_loss", "nll_loss", "nll_loss2d",
    "hinge_embedding_loss", "kl_div", "l1_loss", "smooth_l1_loss", "huber_loss",
    "mse_loss", "margin_ranking_loss", "multilabel_margin_loss", "soft_margin_loss",
    "triplet_margin_loss", "multi_margin_loss", "binary_cross_entropy_with_logits",
    // Upsampling.
    "upsample_nearest1d", "_upsample_nearest_exact1d", "upsample_nearest2d",
    "_upsample_nearest_exact2d", "upsample_nearest3d", "_upsample_nearest_exact3d",
    "upsample_linear1d", "upsample_bilinear2d", "_upsample_bilinear2d_aa",
    "upsample_trilinear3d", "upsample_bicubic2d", "_upsample_bicubic2d_aa", NULL};

static const char* const g_cuda_set_dtype[] = {
    // Reductions.
    "sum", "sum.dim_IntList", "sum.dim_DimnameList", "prod", "prod.dim_int",
    "prod.dim_Dimname", "linalg_vector_norm", "linalg_matrix_norm",
    "linalg_matrix_norm.str_ord",
    // Scans.
    "cumsum", "cumsum.dimname", "cumprod", "cumprod.dimname",
    // Softmax.
    "softmax.int", "softmax.Dimname", "log_softmax.int", "log_softmax.Dimname", NULL};

static const char* const g_cuda_promote[] = {
    // Elements.
    "addcdiv", "addcmul", "atan2",
    // Products.
    "bilinear", "cross", "dot", "vdot", "tensordot",
    // Places.
    "grid_sampler", "index_put", "scatter_add", NULL};

static const char* const g_cuda_banned[] = {"binary_cross_entropy", NULL};

// By the operator that takes no dtype.
static const char* const g_norm[] = {"norm.Scalar", NULL};
static const char* const g_norm_dim[] = {"norm.ScalarOpt_dim", NULL};
static const char* const g_norm_names[] = {"norm.names_ScalarOpt_dim", NULL};

// ---------------------------------------------------------------------- registration

static const oyi_autocast_device g_cpu = {OY_KEY_AutocastCPU, OY_BACKEND_CPU,
                                          OY_BACKEND_NONE};
static const oyi_autocast_device g_cuda = {OY_KEY_AutocastCUDA, OY_BACKEND_CUDA,
                                           OY_BACKEND_XLA};

// The rules are the state of kernels: they live as long as the library.
static const struct list {
  names operators;
  int line;  // where an explanation says that the kernel is from
  oyi_autocast_rule rule;
} g_lists[] = {
    {g_cpu_lower, __LINE__, {&g_cpu, oyi_lower_precision_fp, NULL}},
    {g_cpu_fp32, __LINE__, {&g_cpu, oyi_fp32, NULL}},
    {g_cpu_promote, __LINE__, {&g_cpu, oyi_promote, NULL}},
    {g_cuda_lower, __LINE__, {&g_cuda, oyi_lower_precision_fp, NULL}},
    {g_cuda_fp32, __LINE__, {&g_cuda, oyi_fp32, NULL}},
    {g_cuda_set_dtype, __LINE__, {&g_cuda, oyi_fp32_set_opt_dtype, NULL}},
    {g_norm, __LINE__, {&g_cuda, oyi_fp32_append_dtype, "aten::norm.ScalarOpt_dtype"}},
    {g_norm_dim,
     __LINE__,
     {&g_cuda, oyi_fp32_append_dtype, "aten::norm.ScalarOpt_dim_dtype"}},
    {g_norm_names,
     __LINE__,
     {&g_cuda, oyi_fp32_append_dtype, "aten::norm.names_ScalarOpt_dim_dtype"}},
    {g_cuda_promote, __LINE__, {&g_cuda, oyi_promote, NULL}},
    {g_cuda_banned, __LINE__, {&g_cuda, oyi_banned, NULL}},
};

static bool is_defined(oy_registry* registry, const char* name) {
  char full[64] = "aten::";
  size_t size = strlen(name);
  if (size + 7 > sizeof(full)) return false;
  memcpy(full + 6, name, size);
  return oy_op_lookup(registry, (oy_str){full, size + 6}) != NULL;
}

oy_status oyi_register_autocast(oy_library* aten, oy_registry* registry) {
  for (const struct list* l = g_lists; l < g_lists + OY_ARRAY_SIZE(g_lists); l++) {
    oy_impl_params params = {
        .key = l->rule.device->key,
        .kernel = {.boxed = oyi_autocast_kernel, .state = (void*)(uintptr_t)&l->rule},
        .place = {__FILE__, l->line, NULL}};
    for (names name = l->operators; *name; name++) {
      if (!is_defined(registry, *name)) continue;
      params.name = *name;
      OY_TRY(oy_library_impl(aten, &params, NULL));
    }
  }
  return OY_OK;
}
