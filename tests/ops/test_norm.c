// SPDX-License-Identifier: Apache-2.0
// Normalisations. Expected values are those of PyTorch's operators of the same name,
// printed with nine digits.
#include "support/tensors.h"

#define NEAR 2e-6

static oy_tensor *g_x, *g_weight, *g_bias;

static int make_operands(void** state) {
  if (init_library(state) != 0) return -1;
  g_x = F32(OY_DIMS(2, 4), 1, 2, 3, 6, 4, 1, -2, 5);
  g_weight = F32(OY_DIMS(4), 1, 2, .5f, -1);
  g_bias = F32(OY_DIMS(4), 0, 1, -1, .25f);
  return g_x && g_weight && g_bias ? 0 : -1;
}

static int drop_operands(void** state) {
  oy_tensor_release(g_x);
  oy_tensor_release(g_weight);
  oy_tensor_release(g_bias);
  return shut_library(state);
}

static void release(oy_tensor* const* tensors, int count) {
  for (int i = 0; i < count; i++) oy_tensor_release(tensors[i]);
}

static void layers(void** state) {
  (void)state;
  oy_tensor* r[3];
  assert_int_equal(
      oy_native_layer_norm(g_x, OY_DIMS(4), g_weight, g_bias, 1e-5, &r[0], &r[1], &r[2]),
      OY_OK);
  assert_close(r[0], OY_DIMS(2, 4), NEAR, -1.0690434, -0.0690433979, -1, -1.3535651,
               0.730296254, 0.269703746, -1.73029625, -0.845444441);
  assert_close(r[1], OY_DIMS(2, 1), NEAR, 3, 2);
  assert_close(r[2], OY_DIMS(2, 1), NEAR, 0.534521699, 0.365148127);
  oy_tensor* none = &oy_none_object;
  oy_tensor* whole = oy_layer_norm(g_x, OY_DIMS(2, 4), none, none, 1e-5, true);
  assert_close(whole, OY_DIMS(2, 4), NEAR, -0.62554276, -0.208514333, 0.208514094,
               1.45959938, 0.625542521, -0.62554276, -1.87662804, 1.04257095);
  oy_tensor_release(whole);
  release(r, 3);
}

static void groups(void** state) {
  (void)state;
  oy_tensor* x = oy_tensor_view(g_x, OY_DIMS(1, 4, 2));
  oy_tensor* r[3];
  assert_int_equal(
      oy_native_group_norm(x, g_weight, g_bias, 1, 4, 2, 2, 1e-5, &r[0], &r[1], &r[2]),
      OY_OK);
  assert_close(r[0], OY_DIMS(1, 4, 2), NEAR, -1.0690434, -0.534521699, 1, 4.20713043,
               -0.634851813, -1.18257403, 1.71059251, -0.845444381);
  assert_close(r[1], OY_DIMS(1, 2), NEAR, 3, 2);
  assert_close(r[2], OY_DIMS(1, 2), NEAR, 0.534521699, 0.365148127);
  oy_tensor* same = oy_group_norm(x, 2, g_weight, g_bias, 1e-5, true);
  assert_close(same, OY_DIMS(1, 4, 2), NEAR, -1.0690434, -0.534521699, 1, 4.20713043,
               -0.634851813, -1.18257403, 1.71059251, -0.845444381);
  oy_tensor_release(same);
  oy_tensor_release(x);
  release(r, 3);
}

static void batches(void** state) {
  (void)state;
  oy_tensor* mean = F32(OY_DIMS(4), 0, 0, 0, 0);
  oy_tensor* var = F32(OY_DIMS(4), 1, 1, 1, 1);
  oy_tensor* r[3];
  assert_int_equal(oy_native_batch_norm(g_x, g_weight, g_bias, mean, var, true, .1, 1e-5,
                                        &r[0], &r[1], &r[2]),
                   OY_OK);
  assert_close(r[0], OY_DIMS(2, 4), NEAR, -0.999997735, 2.99995995, -0.500000358,
               -0.749979973, 0.999997854, -0.999959946, -1.49999952, 1.24997997);
  assert_close(r[1], OY_DIMS(4), NEAR, 2.5, 1.5, 0.5, 5.5);
  assert_close(r[2], OY_DIMS(4), NEAR, 0.666665196, 1.99995995, 0.399999678, 1.99995995);
  assert_close(mean, OY_DIMS(4), NEAR, 0.25, 0.150000006, 0.0500000007, 0.550000012);
  assert_close(var, OY_DIMS(4), NEAR, 1.35000002, 0.949999988, 2.1500001, 0.949999988);
  release(r, 3);
  assert_int_equal(oy__native_batch_norm_legit_no_training(
                       g_x, g_weight, g_bias, mean, var, .1, 1e-5, &r[0], &r[1], &r[2]),
                   OY_OK);
  assert_close(r[0], OY_DIMS(2, 4), NEAR, 0.645494819, 4.79610014, 0.00593927503,
               -5.34155273, 3.22747421, 2.74415398, -1.69904256, -4.31557941);
  assert_dims(oy_tensor_sizes(r[1]), OY_DIMS(0));
  release(r, 3);
  oy_tensor_release(mean);
  oy_tensor_release(var);
}

static void batches_of_rows(void** state) {
  (void)state;
  oy_tensor* x = oy_tensor_view(g_x, OY_DIMS(2, 2, 2));
  oy_tensor* none = &oy_none_object;
  oy_tensor* r[3];
  assert_int_equal(oy__native_batch_norm_legit_no_stats(x, none, none, true, .1, 1e-5,
                                                        &r[0], &r[1], &r[2]),
                   OY_OK);
  assert_close(r[0], OY_DIMS(2, 2, 2), NEAR, -0.816493869, 0, 0, 0.973328054, 1.63298774,
               -0.816493869, -1.62221336, 0.648885369);
  assert_close(r[1], OY_DIMS(2), NEAR, 2, 3);
  assert_close(r[2], OY_DIMS(2), NEAR, 0.816493869, 0.324442685);
  oy_tensor_release(x);
  release(r, 3);
}

// Channels of one sample and of a few elements, with parameters and without.
static void channels_of_every_length(void** state) {
  (void)state;
  enum { CHANNELS = 7, MOST = 40 };
  double data[CHANNELS * MOST], want[CHANNELS * MOST];
  double weight[CHANNELS], bias[CHANNELS];
  oy_tensor *none = &oy_none_object, *results[3];
  for (int64_t n = 1; n <= MOST; n++)
    for (int affine = 0; affine < 2; affine++) {
      for (int64_t i = 0; i < CHANNELS * n; i++) data[i] = (double)(i * 37 % 23 - 11) / 4;
      for (int64_t c = 0; c < CHANNELS; c++) {
        double *x = data + c * n, mean = 0, squares = 0;
        weight[c] = affine ? (double)c - 2.5 : 1, bias[c] = affine ? (double)c / 4 : 0;
        for (int64_t i = 0; i < n; i++) mean += x[i] / (double)n;
        for (int64_t i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean);
        for (int64_t i = 0; i < n; i++)
          want[c * n + i] =
              (x[i] - mean) / sqrt(squares / (double)n + .1) * weight[c] + bias[c];
      }
      oy_tensor* x = oy_tensor_from_data(data, OY_DIMS(1, CHANNELS, n), OY_DTYPE_F64);
      oy_tensor* w = oy_tensor_from_data(weight, OY_DIMS(CHANNELS), OY_DTYPE_F64);
      oy_tensor* b = oy_tensor_from_data(bias, OY_DIMS(CHANNELS), OY_DTYPE_F64);
      assert_int_equal(
          oy_native_batch_norm(x, affine ? w : none, affine ? b : none, none, none, true,
                               .1, .1, &results[0], &results[1], &results[2]),
          OY_OK);
      assert_close_(results[0], OY_DIMS(1, CHANNELS, n), want, 1e-12, __FILE__, __LINE__);
      release((oy_tensor*[]){x, w, b}, 3);
      release(results, 3);
    }
}

// Maps of a few points, of several samples, and where channels are the last dimension in memory.
enum { MOST_POINTS = 20, MOST_CHANNELS = 40, MOST_SAMPLES = 5 };
typedef struct maps {
  int64_t samples, channels, points;
  double x[MOST_SAMPLES * MOST_CHANNELS * MOST_POINTS];
  double grad[MOST_SAMPLES * MOST_CHANNELS * MOST_POINTS];
} maps;

// By the definition: what is expected of channel |c|, from its first number on.
static void normalise_channel(const maps* m, int64_t c, double* want, double* want_grad,
                              double statistics[2]) {
  const double eps = .1, weight = (double)c - 2.5, bias = (double)c / 4;
  const int64_t n = m->samples * m->points;
  double mean = 0, squares = 0, sum = 0, product = 0;
#define EACH(i)                                 \
  for (int64_t k = 0, i = c * m->points; k < n; \
       k++, i += k % m->points ? 1 : (m->channels - 1) * m->points + 1)
  EACH(i) mean += m->x[i] / (double)n;
  EACH(i) squares += (m->x[i] - mean) * (m->x[i] - mean);
  const double rstd = 1 / sqrt(squares / (double)n + eps);
  EACH(i) sum += m->grad[i], product += m->grad[i] * (m->x[i] - mean) * rstd;
  EACH(i) {
    const double normal = (m->x[i] - mean) * rstd;
    want[i] = normal * weight + bias;
    want_grad[i] = weight * rstd * (m->grad[i] - (sum + normal * product) / (double)n);
  }
#undef EACH
  statistics[0] = .1 * mean;
  statistics[1] = .1 * squares / ((double)n - 1) + .9;
}

static oy_tensor* as_maps(const maps* m, const double* data, bool last) {
  const int64_t sizes[] = {m->samples, m->channels, m->points, 1};
  oy_tensor* t =
      oy_scope_take(oy_tensor_from_data(data, (oy_ints){sizes, 4}, OY_DTYPE_F64));
  return last ? oy_contiguous(t, OY_MEMORY_CHANNELS_LAST) : t;
}

static void check_maps(const maps* m, bool last, bool grad_last) {
  static double want[2][MOST_SAMPLES * MOST_CHANNELS * MOST_POINTS];
  double weight[MOST_CHANNELS], bias[MOST_CHANNELS], statistics[2][MOST_CHANNELS];
  for (int64_t c = 0; c < m->channels; c++) {
    double both[2];
    normalise_channel(m, c, want[0], want[1], both);
    statistics[0][c] = both[0], statistics[1][c] = both[1];
    weight[c] = (double)c - 2.5, bias[c] = (double)c / 4;
  }
  oy_scope scope;
  oy_scope_open(&scope);
  const oy_ints sizes = OY_DIMS(m->samples, m->channels, m->points, 1);
  oy_tensor *x = as_maps(m, m->x, last), *grad = as_maps(m, m->grad, grad_last);
  oy_tensor* made[8];
  const double* given[] = {weight, bias};
  for (int i = 0; i < 2; i++)
    made[i] =
        oy_scope_take(oy_tensor_from_data(given[i], OY_DIMS(m->channels), OY_DTYPE_F64));
  oy_tensor* mean =
      oy_zeros_like(made[0], oy_none(), oy_none(), oy_none(), oy_none(), oy_none());
  oy_tensor* var =
      oy_ones_like(made[0], oy_none(), oy_none(), oy_none(), oy_none(), oy_none());
  assert_int_equal(oy_native_batch_norm(x, made[0], made[1], mean, var, true, .1, .1,
                                        &made[2], &made[3], &made[4]),
                   OY_OK);
  assert_close_(made[2], sizes, want[0], 1e-11, __FILE__, __LINE__);
  assert_close_(mean, OY_DIMS(m->channels), statistics[0], 1e-12, __FILE__, __LINE__);
  assert_close_(var, OY_DIMS(m->channels), statistics[1], 1e-12, __FILE__, __LINE__);
  static const bool all[] = {true, true, true};
  assert_int_equal(
      oy_native_batch_norm_backward(grad, x, made[0], &oy_none_object, &oy_none_object,
                                    made[3], made[4], true, .1, (oy_bools){all, 3},
                                    &made[5], &made[6], &made[7]),
      OY_OK);
  assert_close_(made[5], sizes, want[1], 1e-10, __FILE__, __LINE__);
  assert_memory_equal(oy_tensor_strides(made[5]).data, oy_tensor_strides(x).data,
                      4 * sizeof(int64_t));
  oy_scope_close(&scope);
}

static void channels_of_short_maps(void** state) {
  (void)state;
  static const int64_t channels[] = {1, 3, 7, 8, 17, 40};
  static maps m;
  for (m.samples = 1; m.samples <= MOST_SAMPLES; m.samples += 2)
    for (size_t c = 0; c < sizeof(channels) / sizeof(channels[0]); c++)
      for (m.points = 1; m.points <= MOST_POINTS; m.points++) {
        m.channels = channels[c];
        if (m.samples * m.points < 2) continue;
        for (int64_t i = 0; i < m.samples * m.channels * m.points; i++) {
          m.x[i] = (double)(i * 37 % 23 - 11) / 4;
          m.grad[i] = (double)(i * 29 % 31 - 15) / 8;
        }
        check_maps(&m, false, false);
        check_maps(&m, true, true);
        check_maps(&m, true, false);
        check_maps(&m, false, true);
      }
}

// By hand: the mean squares of the rows are 12.5 and 11.5.
static void root_mean_squares(void** state) {
  (void)state;
  oy_tensor* y = oy_rms_norm(g_x, OY_DIMS(4), g_weight, oy_float(0));
  const double a = 1 / sqrt(12.5), b = 1 / sqrt(11.5);
  assert_close(y, OY_DIMS(2, 4), NEAR, a, 4 * a, 1.5 * a, -6 * a, 4 * b, 2 * b, -b,
               -5 * b);
  oy_tensor_release(y);
}

static void what_is_refused(void** state) {
  (void)state;
  oy_tensor* none = &oy_none_object;
  oy_tensor* whole = I64(OY_DIMS(2, 4), 1, 2, 3, 4, 5, 6, 7, 8);
  assert_fails(oy_layer_norm(g_x, OY_DIMS(3), none, none, 1e-5, true),
               "Given normalized_shape=[3], expected input with shape [*, 3], but got "
               "input of size[2, 4]");
  assert_fails(oy_layer_norm(g_x, OY_DIMS(2, 4), g_weight, none, 1e-5, true),
               "Expected weight to be of same shape as normalized_shape, but got weight "
               "of shape [4] and normalized_shape = [2, 4]");
  assert_fails(oy_layer_norm(whole, OY_DIMS(4), none, none, 1e-5, true),
               "\"LayerNormKernelImpl\" not implemented for 'Long'");
  assert_fails(oy_group_norm(g_x, 3, none, none, 1e-5, true),
               "Expected number of channels in input to be divisible by num_groups, but "
               "got input of shape [2, 4] and num_groups=3");
  assert_fails(oy_batch_norm(g_x, none, none, none, none, false, .1, 1e-5, false),
               "running_mean must be defined in evaluation mode");
  oy_tensor_release(whole);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(layers),
      cmocka_unit_test(groups),
      cmocka_unit_test(batches),
      cmocka_unit_test(batches_of_rows),
      cmocka_unit_test(channels_of_every_length),
      cmocka_unit_test(channels_of_short_maps),
      cmocka_unit_test(root_mean_squares),
      cmocka_unit_test(what_is_refused),
  };
  return cmocka_run_group_tests(tests, make_operands, drop_operands);
}
