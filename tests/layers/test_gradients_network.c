// SPDX-License-Identifier: Apache-2.0
// First and second derivatives of normalisation, softmax, dropout, embedding and losses.
#include "layers/differences.h"

#define X    x[0]
#define NONE (&oy_none_object)
#define CASE(name, value)                       \
  static oy_tensor* name(oy_tensor* const* x) { \
    return value;                               \
  }
enum { WHOLE, MEAN, SUM };

// Tensors that need no gradient, made once.
static oy_tensor *g_classes, *g_pixels, *g_several, *g_signs, *g_weight;
static oy_tensor *g_mean, *g_variance, *g_rows_used, *g_positive;

// ------------------------------------------------------------------ several results

#define FIRST_OF_3(name, call)                  \
  static oy_tensor* name(oy_tensor* const* x) { \
    oy_tensor* r[3] = {NULL, NULL, NULL};       \
    return call == OY_OK ? r[0] : NULL;         \
  }
#define R &r[0], &r[1], &r[2]
// clang-format off
FIRST_OF_3(layer_norm, oy_native_layer_norm(X, OY_DIMS(3, 2), x[1], x[2], 1e-5, R))
FIRST_OF_3(layer_norm_plain, oy_native_layer_norm(X, OY_DIMS(4), NONE, NONE, 1e-5, R))
FIRST_OF_3(batch_norm, oy_native_batch_norm(X, x[1], x[2], NONE, NONE, true, 0.1, 1e-5, R))
FIRST_OF_3(batch_norm_running, oy_native_batch_norm(X, x[1], x[2], g_mean, g_variance, false,
                                                    0.1, 1e-5, R))
FIRST_OF_3(batch_norm_no_stats, oy__native_batch_norm_legit_no_stats(X, x[1], x[2], true, 0.1,
                                                                     1e-5, R))
FIRST_OF_3(batch_norm_legit, oy__native_batch_norm_legit(X, x[1], x[2], g_mean, g_variance,
                                                         false, 0.1, 1e-5, R))
FIRST_OF_3(batch_norm_no_training, oy__native_batch_norm_legit_no_training(
                                       X, x[1], x[2], g_mean, g_variance, 0.1, 1e-5, R))
// clang-format on
// All three results of group_norm have gradients.
static oy_tensor* group_norm(oy_tensor* const* x) {
  oy_tensor* r[3];
  if (oy_native_group_norm(X, x[1], x[2], 2, 4, 3, 2, 1e-5, R) != OY_OK) return NULL;
  oy_tensor* flat[3];
  for (int i = 0; i < 3; i++) flat[i] = oy_reshape(r[i], OY_DIMS(-1));
  return oy_cat((oy_tensors){flat, 3}, 0);
}

// -------------------------------------------------------------------------- one result

// clang-format off
CASE(softmax, oy_softmax_int(X, 1, oy_none()))
CASE(log_softmax, oy_log_softmax_int(X, 0, oy_none()))
CASE(safe_softmax, oy__safe_softmax(X, 1, oy_none()))
CASE(attention, oy_scaled_dot_product_attention(X, x[1], x[2], NONE, 0, true, oy_none(), false))
CASE(embedding, oy_embedding(X, g_rows_used, -1, false, false))

CASE(mse, oy_mse_loss(X, x[1], MEAN))
CASE(mse_each, oy_mse_loss(X, x[1], WHOLE))
CASE(smooth, oy_smooth_l1_loss(X, x[1], MEAN, 0.6))
CASE(smooth_each, oy_smooth_l1_loss(X, x[1], WHOLE, 0.6))
CASE(huber, oy_huber_loss(X, x[1], SUM, 0.6))
CASE(huber_each, oy_huber_loss(X, x[1], WHOLE, 0.6))
CASE(soft_margin, oy_soft_margin_loss(X, g_signs, MEAN))
CASE(soft_margin_each, oy_soft_margin_loss(X, g_signs, WHOLE))
CASE(entropy, oy_binary_cross_entropy(X, x[1], g_weight, MEAN))
CASE(entropy_each, oy_binary_cross_entropy(X, x[1], NONE, WHOLE))
CASE(logits, oy_binary_cross_entropy_with_logits(X, x[1], g_weight, g_positive, MEAN))
CASE(logits_each, oy_binary_cross_entropy_with_logits(X, x[1], NONE, NONE, WHOLE))
CASE(nll, oy_nll_loss(X, g_classes, g_weight, MEAN, 2))
CASE(nll_each, oy_nll_loss(X, g_classes, NONE, WHOLE, -100))
CASE(nll2d, oy_nll_loss2d(X, g_pixels, g_weight, MEAN, -100))
CASE(nll2d_each, oy_nll_loss2d(X, g_pixels, NONE, WHOLE, -100))
CASE(cross_entropy, oy_cross_entropy_loss(X, g_classes, g_weight, MEAN, -100, 0))
CASE(multi_margin, oy_multi_margin_loss(X, g_classes, oy_int(2), oy_int(1), g_weight, MEAN))
CASE(multilabel, oy_multilabel_margin_loss(X, g_several, SUM))
// clang-format on

static const differences_row g_rows[] = {
    {"native_layer_norm", layer_norm, "2,3,2 3,2 3,2", -1, 1},
    {"native_layer_norm, plain", layer_norm_plain, "3,4", -1, 1},
    {"native_batch_norm", batch_norm, "3,3,2 3 3", -1, 1},
    {"native_batch_norm, running", batch_norm_running, "3,3,2 3 3", -1, 1},
    {"_native_batch_norm_legit.no_stats", batch_norm_no_stats, "4,3 3 3", -1, 1},
    {"_native_batch_norm_legit", batch_norm_legit, "4,3 3 3", -1, 1},
    {"_native_batch_norm_legit_no_training", batch_norm_no_training, "4,3 3 3", -1, 1},
    {"native_group_norm", group_norm, "2,4,3 4 4", -1, 1},
    {"softmax", softmax, "2,3,2", -1, 1},
    {"log_softmax", log_softmax, "3,2", -1, 1},
    {"_safe_softmax", safe_softmax, "2,3", -1, 1},
    {"scaled_dot_product_attention", attention, "1,3,2 1,3,2 1,3,2", -1, 1},
    {"mse_loss", mse, "2,3 2,3", -1, 1},
    {"mse_loss, each", mse_each, "2,3 2,3", -1, 1},
    {"smooth_l1_loss", smooth, "7 7", -3, 3},
    {"smooth_l1_loss, each", smooth_each, "7 7", -3, 3},
    {"huber_loss", huber, "7 7", -3, 3},
    {"huber_loss, each", huber_each, "7 7", -3, 3},
    {"soft_margin_loss", soft_margin, "3", -1, 1},
    {"soft_margin_loss, each", soft_margin_each, "3", -1, 1},
    {"binary_cross_entropy", entropy, "3 3", 0.1, 0.9},
    {"binary_cross_entropy, each", entropy_each, "3 3", 0.1, 0.9},
    {"binary_cross_entropy_with_logits", logits, "3 3", -2, 2},
    {"binary_cross_entropy_with_logits, each", logits_each, "3 3", -2, 2},
    {"nll_loss", nll, "4,3", -1, 1},
    {"nll_loss, each", nll_each, "4,3", -1, 1},
    {"nll_loss2d", nll2d, "1,3,2,2", -1, 1},
    {"nll_loss2d, each", nll2d_each, "1,3,2,2", -1, 1},
    {"cross_entropy_loss", cross_entropy, "4,3", -1, 1},
};
static const differences_row g_first[] = {
    {"embedding", embedding, "3,2", -1, 1},
    {"multi_margin_loss", multi_margin, "4,3", -1, 1},
    {"multilabel_margin_loss", multilabel, "3", -1, 1},
};

static void both_orders(void** state) {
  (void)state;
  check_differences(g_rows, sizeof(g_rows) / sizeof(*g_rows), 2);
}
static void first_order(void** state) {
  (void)state;
  check_differences(g_first, sizeof(g_first) / sizeof(*g_first), 1);
}

// ------------------------------------------------------------- what is no derivative

// The gradient of |y|, summed, for |x|.
static oy_tensor* gradient_of(oy_tensor* y, oy_tensor* x) {
  assert_non_null(y);
  assert_int_equal(oy_backward(oy_sum(y, oy_none()), NULL, false), OY_OK);
  return oy_grad(x);
}

// PyTorch: the row of the padding has no gradient, and those of index 0, which occurs
// twice, have half of theirs by frequency.
static void embedding_leaves_padding_out(void** state) {
  (void)state;
  for (int by_frequency = 0; by_frequency < 2; by_frequency++) {
    oy_tensor* x = F64(OY_DIMS(3, 1), 1, 2, 3);
    oy_requires_grad_(x, true);
    oy_scope scope;
    oy_scope_open(&scope);
    oy_tensor* grad =
        gradient_of(oy_embedding(x, g_rows_used, 1, by_frequency, false), x);
    if (by_frequency)
      assert_elements(grad, OY_DIMS(3, 1), 1, 0, 1);
    else
      assert_elements(grad, OY_DIMS(3, 1), 2, 0, 1);
    oy_scope_close(&scope);
    oy_tensor_release(x);
  }
}

// What stayed, scaled, is both the result and the gradient of ones.
static void dropout_scales_what_stayed(void** state) {
  (void)state;
  double ones[64];
  for (int i = 0; i < 64; i++) ones[i] = 1;
  oy_tensor* x = oy_tensor_from_data(ones, OY_DIMS(64), OY_DTYPE_F64);
  oy_requires_grad_(x, true);
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor *y, *mask;
  assert_int_equal(oy_native_dropout(x, 0.25, oy_bool(true), &y, &mask), OY_OK);
  assert_false(oy_requires_grad(mask));
  oy_tensor* grad = gradient_of(y, x);
  for (int i = 0; i < 64; i++) assert_true(element(grad, i) == element(y, i));
  oy_scope_close(&scope);
  oy_tensor_release(x);
}

// Mean and 1 / deviation of layer_norm have no gradient in PyTorch.
static void statistics_have_no_history(void** state) {
  (void)state;
  oy_tensor* x = F64(OY_DIMS(2, 2), 1, 2, 4, 3);
  oy_requires_grad_(x, true);
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* r[3];
  assert_int_equal(oy_native_layer_norm(x, OY_DIMS(2), NONE, NONE, 1e-5, R), OY_OK);
  assert_true(oy_requires_grad(r[0]));
  assert_false(oy_requires_grad(r[1]) || oy_requires_grad(r[2]));
  oy_scope_close(&scope);
  oy_tensor_release(x);
}

static int make_constants(void** state) {
  if (init_library(state) != 0) return -1;
  g_classes = I64(OY_DIMS(4), 0, 2, 1, 0);
  g_pixels = I64(OY_DIMS(1, 2, 2), 0, 2, 1, 0);
  g_several = I64(OY_DIMS(3), 2, 0, -1);
  g_signs = F64(OY_DIMS(3), 1, -1, 1);
  g_weight = F64(OY_DIMS(3), 0.5, 1.5, 0.8);
  g_positive = F64(OY_DIMS(3), 2, 0.7, 1.1);
  g_mean = F64(OY_DIMS(3), 0.1, -0.2, 0.3);
  g_variance = F64(OY_DIMS(3), 0.9, 1.2, 0.4);
  g_rows_used = I64(OY_DIMS(2, 2), 0, 2, 1, 0);
  return 0;
}
static int drop_constants(void** state) {
  oy_tensor* all[] = {g_classes,  g_pixels, g_several,  g_signs,    g_weight,
                      g_positive, g_mean,   g_variance, g_rows_used};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
  return shut_library(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_orders),
      cmocka_unit_test(first_order),
      cmocka_unit_test(embedding_leaves_padding_out),
      cmocka_unit_test(dropout_scales_what_stayed),
      cmocka_unit_test(statistics_have_no_history),
  };
  return cmocka_run_group_tests(tests, make_constants, drop_constants);
}
