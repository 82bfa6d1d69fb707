// SPDX-License-Identifier: Apache-2.0
// Losses, embedding and attention. Expected values are those of PyTorch's operators of
// the same name, printed with nine digits.
#include "support/tensors.h"

#define NEAR 1e-5

enum { NONE, MEAN, SUM };
static oy_tensor *g_a, *g_b, *g_sign, *g_q, *g_c;

static int make_operands(void** state) {
  if (init_library(state) != 0) return -1;
  g_a = F32(OY_DIMS(2, 3), 1, -2, .5f, 3, .25f, -1);
  g_b = F32(OY_DIMS(2, 3), .5f, 1, 2, 3, -.5f, 0);
  g_sign = F32(OY_DIMS(2, 3), 1, -1, 1, -1, 1, 1);
  g_q = F32(OY_DIMS(2, 3), .5f, .25f, .25f, 0, 1, 0);
  g_c = F32(OY_DIMS(2, 3), 2, 1, 3, 4, .5f, 0);
  return g_a && g_b && g_sign && g_q && g_c ? 0 : -1;
}

static int drop_operands(void** state) {
  oy_tensor* all[] = {g_a, g_b, g_sign, g_q, g_c};
  for (size_t i = 0; i < 5; i++) oy_tensor_release(all[i]);
  return shut_library(state);
}

// Compares and releases |made|.
static void expect(oy_tensor* made, oy_ints sizes, const double* want, int line) {
  assert_close_(made, sizes, want, NEAR, __FILE__, line);
  oy_tensor_release(made);
}
#define EXPECT(made, sizes, ...) \
  expect(made, sizes, (const double[]){__VA_ARGS__}, __LINE__)

static void differences(void** state) {
  (void)state;
  EXPECT(oy_l1_loss(g_a, g_b, NONE), OY_DIMS(2, 3), 0.5, 3, 1.5, 0, 0.75, 1);
  EXPECT(oy_l1_loss(g_a, g_b, MEAN), oy_dims_none(), 1.125);
  EXPECT(oy_l1_loss(g_a, g_b, SUM), oy_dims_none(), 6.75);
  EXPECT(oy_pairwise_distance(g_a, g_b, 2, 1e-6, false), OY_DIMS(2), 3.39116383,
         1.24999976);
}

static void margins(void** state) {
  (void)state;
  EXPECT(oy_margin_ranking_loss(g_a, g_b, g_sign, .5, NONE), OY_DIMS(2, 3), 0, 0, 2, 0.5,
         0, 1.5);
  EXPECT(oy_hinge_embedding_loss(g_a, g_sign, 1.5, NONE), OY_DIMS(2, 3), 1, 3.5, 0.5, 0,
         0.25, -1);
  EXPECT(oy_soft_margin_loss(g_a, g_sign, NONE), OY_DIMS(2, 3), 0.313261658, 0.126928046,
         0.474076986, 3.04858732, 0.575939417, 1.31326163);
  EXPECT(oy_triplet_margin_loss(g_a, g_b, g_c, 1, 2, 1e-6, true, NONE), OY_DIMS(2),
         2.5883894, 0.835787654);
}

// Rows of every length around those that are added up side by side: a loop over them.
static void margins_of_rows(void** state) {
  (void)state;
  enum { ROWS = 3, MOST = 40 };
  for (int64_t n = 1; n <= MOST; n++)
    for (int64_t p = 1; p <= 2; p++) {
      double data[ROWS * MOST], want[ROWS];
      int64_t target[ROWS];
      for (int64_t i = 0; i < ROWS * n; i++) data[i] = (double)(i * 37 % 23 - 11) / 8;
      for (int64_t r = 0; r < ROWS; r++) {
        target[r] = r * (n - 1) / 2;
        want[r] = 0;
        for (int64_t i = 0; i < n; i++) {
          const double z = .5 - data[r * n + target[r]] + data[r * n + i];
          if (i != target[r] && z > 0) want[r] += p == 1 ? z : z * z;
        }
        want[r] /= (double)n;
      }
      oy_tensor* x = oy_tensor_from_data(data, OY_DIMS(ROWS, n), OY_DTYPE_F64);
      oy_tensor* at = oy_tensor_from_data(target, OY_DIMS(ROWS), OY_DTYPE_I64);
      expect(oy_multi_margin_loss(x, at, oy_int(p), oy_float(.5), &oy_none_object, NONE),
             OY_DIMS(ROWS), want, __LINE__);
      oy_tensor_release(x);
      oy_tensor_release(at);
    }
}

static void likelihoods(void** state) {
  (void)state;
  oy_tensor* weight = F32(OY_DIMS(3), 1, 2, .5f);
  oy_tensor* positive = F32(OY_DIMS(3), 1, 3, 1);
  EXPECT(oy_kl_div(g_a, g_q, NONE, false), OY_DIMS(2, 3), -0.846573591, 0.153426409,
         -0.471573591, 0, -0.25, 0);
  EXPECT(oy_kl_div(g_a, g_b, NONE, true), OY_DIMS(2, 3), -0.824360609, 8.15484524,
         11.0835838, 0, -0.454898, 1);
  EXPECT(oy_binary_cross_entropy_with_logits(g_a, g_q, weight, positive, NONE),
         OY_DIMS(2, 3), 0.813261628, 3.38078403, 0.424538493, 3.04858732, 3.4556365,
         0.156630814);
  EXPECT(oy_poisson_nll_loss(g_a, g_c, true, true, 1e-8, NONE), OY_DIMS(2, 3), 1.37008822,
         2.13533521, 1.91280282, 11.2427998, 1.15902543, 0.36787945);
  EXPECT(oy_poisson_nll_loss(g_c, g_c, false, false, 1e-8, NONE), OY_DIMS(2, 3),
         0.613705635, 1, -0.295836926, -1.54517746, 0.846573591, 0);
  oy_tensor_release(weight);
  oy_tensor_release(positive);
}

static void rows_of_a_table(void** state) {
  (void)state;
  oy_tensor* table = F32(OY_DIMS(4, 2), 0, 1, 2, 3, 4, 5, 6, 7);
  oy_tensor* indices = I64(OY_DIMS(2, 2), 1, 3, 0, 1);
  EXPECT(oy_embedding(table, indices, -1, false, false), OY_DIMS(2, 2, 2), 2, 3, 6, 7, 0,
         1, 2, 3);
  assert_fails(oy_embedding(indices, table, -1, false, false),
               "Expected tensor for argument #1 'indices' to have one of the following "
               "scalar types: Long, Int; but got torch.FloatTensor instead (while "
               "checking arguments "
               "for embedding)");
  oy_tensor_release(table);
  oy_tensor_release(indices);
}

static void attention(void** state) {
  (void)state;
  oy_tensor* none = &oy_none_object;
  oy_tensor* x = F32(OY_DIMS(1, 2, 2), 1, 2, 0, 1);
  oy_tensor* v = F32(OY_DIMS(1, 2, 2), 1, 0, 2, 3);
  oy_tensor* out = BOOLS(OY_DIMS(2, 2), false, false, true, true);
  EXPECT(oy_scaled_dot_product_attention(x, x, v, none, 0, false, oy_none(), false),
         OY_DIMS(1, 2, 2), 1.10704184, 0.321125418, 1.33023846, 0.990715384);
  EXPECT(oy_scaled_dot_product_attention(x, x, v, none, 0, true, oy_none(), false),
         OY_DIMS(1, 2, 2), 1, 0, 1.33023846, 0.990715384);
  // A query that may see nothing gets zeros.
  EXPECT(oy_scaled_dot_product_attention(x, x, v, out, 0, false, oy_none(), false),
         OY_DIMS(1, 2, 2), 0, 0, 1.33023846, 0.990715384);
  assert_fails(oy_scaled_dot_product_attention(x, x, v, out, 0, true, oy_none(), false),
               "_scaled_dot_product_attention: Explicit attn_mask should not be set when "
               "is_causal=True");
  oy_tensor_release(x);
  oy_tensor_release(v);
  oy_tensor_release(out);
}

// Where PyTorch writes a step of a loss into another one, that has the last word on the dtype;
// a margin is a number of what it is taken from. Expected values are PyTorch 1.13's.
static void dtypes_of_what_is_written_into(void** state) {
  (void)state;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor *x = oy_scope_take(F64(OY_DIMS(2), 0.5, -1)),
            *t = oy_scope_take(F32(OY_DIMS(2), 1, 0)),
            *n = oy_scope_take(I64(OY_DIMS(2), 0, 5)),
            *sign = oy_scope_take(I64(OY_DIMS(2), -1, 1));
  oy_tensor* bytes = oy_to_dtype(t, OY_DTYPE_U8, false, false, oy_none());
  oy_tensor* r =
      oy_binary_cross_entropy_with_logits(x, t, &oy_none_object, &oy_none_object, 0);
  assert_int_equal(r->dtype, OY_DTYPE_F32);
  assert_fails(
      oy_binary_cross_entropy_with_logits(x, n, &oy_none_object, &oy_none_object, 0),
      "result type Double can't be cast to the desired output type Long");
  r = oy_soft_margin_loss(x, bytes, 0);
  assert_true(fabs(element(r, 0) - log1p(exp(-0.5))) < 1e-7);
  assert_true(fabs(element(r, 1) - log(2)) < 1e-7);
  assert_fails(oy_soft_margin_loss(n, t, 0),
               "result type Float can't be cast to the desired output type Long");
  r = oy_hinge_embedding_loss(n, sign, 1.9, 0);
  assert_int_equal(r->dtype, OY_DTYPE_I64);
  assert_elements(r, OY_DIMS(2), 1, 5);
  assert_fails(oy_hinge_embedding_loss(bytes, sign, -1.5, 0),
               "value cannot be converted to type uint8_t without overflow");
  oy_tensor* half = oy_to_dtype(t, OY_DTYPE_BF16, false, false, oy_none());
  assert_int_equal(oy_poisson_nll_loss(half, n, true, true, 1e-8, 0)->dtype,
                   OY_DTYPE_BF16);
  assert_fails(oy_threshold(bytes, oy_float(1.5), oy_int(300)),
               "value cannot be converted to type uint8_t without overflow");
  assert_fails(oy_hardtanh(bytes, oy_int(-1), oy_int(1)),
               "cannot do hardtanh on an unsigned type with negative limits");
  assert_fails(
      oy_linalg_vecdot(n, n, -1),
      "linalg.vecdot: Expected a floating point or complex tensor as input. Got Long");
  assert_fails(
      oy_linalg_vecdot(x, t, -1),
      "linalg.vecdot: Expected x and y to have the same dtype, but found x of type "
      "Double and y of type Float instead");
  oy_scope_close(&scope);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(differences),
      cmocka_unit_test(margins),
      cmocka_unit_test(margins_of_rows),
      cmocka_unit_test(likelihoods),
      cmocka_unit_test(rows_of_a_table),
      cmocka_unit_test(attention),
      cmocka_unit_test(dtypes_of_what_is_written_into),
  };
  return cmocka_run_group_tests(tests, make_operands, drop_operands);
}
