// SPDX-License-Identifier: Apache-2.0
// A small convolutional network, end to end: convolution, batch_norm, relu, max_pool2d,
// linear, log_softmax, nll_loss. The numbers are PyTorch's, in double: the loss, and of
// each gradient the first elements and the sum of the squares; then the same of the
// penalty, which is the sum of the squares of the gradient for the images.
#include "support/tensors.h"

#define NONE (&oy_none_object)
enum { IMAGES, KERNELS, BIAS, GAMMA, BETA, WEIGHT, SHIFT, TENSORS, FIRST = 3 };

typedef struct expected {
  const char* name;
  double loss[FIRST], loss_squares;  // gradients of the loss
  double penalty[FIRST], penalty_squares;
} expected;

static const expected g_expected[TENSORS] = {
    {"images",
     {-0.00166747914324, 0.267560075894, -0.150703386554},
     2.03822760558,
     {-0.00493594637723, 0.29383286421, -0.251731096242},
     9.02088720412},
    {"kernels",
     {0.0184767097984, 0.0143384179168, -0.00065090278584},
     0.161348457675,
     {0.729534485917, 0.0858461131478, 0.763796133091},
     18.336440711},
    {"bias", {0, 0, 0}, 0, {0, 0, 0}, 0},
    {"gamma",
     {0.133321247643, -0.29362283047, 0.402798451957},
     0.266235514545,
     {1.90384088431, 0.217967997302, 1.69562473333},
     6.5472633969},
    {"beta",
     {0.057541143384, -0.252118546238, 0.329052607823},
     0.175150363254,
     {0.134826130383, -0.362525076315, 0.420121973156},
     0.32610498872},
    {"weight",
     {0.0355578303345, 0.572230914473, -0.5968115383},
     3.78786077436,
     {1.05022064075, 0.684017179473, -0.898820343362},
     15.8512775811},
    {"shift",
     {0.036415301097, 0.0239249597179, -0.263674439739},
     0.112767476342,
     {0.187280884196, 0.00102457801191, -0.283818278464},
     0.124750692605},
};

// cos(i * step) / 2 + offset
static oy_tensor* waves(oy_ints sizes, double step, double offset) {
  double data[256];
  int64_t count = 1;
  for (size_t i = 0; i < sizes.size; i++) count *= sizes.data[i];
  assert_true(count <= 256);
  for (int64_t i = 0; i < count; i++) data[i] = cos((double)i * step) * 0.5 + offset;
  oy_tensor* t = oy_tensor_from_data(data, sizes, OY_DTYPE_F64);
  return oy_requires_grad_(t, true);
}

static void make(oy_tensor** t) {
  t[IMAGES] = waves(OY_DIMS(2, 2, 6, 6), 0.9, 0);
  t[KERNELS] = waves(OY_DIMS(3, 2, 3, 3), 1.7, 0);
  t[BIAS] = waves(OY_DIMS(3), 0.4, 0);
  t[GAMMA] = waves(OY_DIMS(3), 1.1, 1);
  t[BETA] = waves(OY_DIMS(3), 2.3, 0);
  t[WEIGHT] = waves(OY_DIMS(4, 12), 0.7, 0);
  t[SHIFT] = waves(OY_DIMS(4), 1.3, 0);
}

static oy_tensor* loss_of(oy_tensor* const* t, oy_tensor* classes) {
  const oy_ints one = OY_DIMS(1, 1), none = OY_DIMS(0, 0), two = OY_DIMS(2, 2);
  oy_tensor* y = oy_conv2d(t[IMAGES], t[KERNELS], t[BIAS], one, none, one, 1);
  y = oy_batch_norm(y, t[GAMMA], t[BETA], NONE, NONE, true, 0.1, 1e-5, false);
  y = oy_max_pool2d(oy_relu(y), two, two, none, one, false);
  y = oy_linear(oy_reshape(y, OY_DIMS(2, 12)), t[WEIGHT], t[SHIFT]);
  return oy_nll_loss(oy_log_softmax_int(y, 1, oy_none()), classes, NONE, 1, -100);
}

static void compare(const char* name, const char* what, oy_tensor* grad,
                    const double* first, double squares) {
  double sum = 0;
  int64_t count = grad ? oy_tensor_numel(grad) : 0;
  for (int64_t i = 0; i < count; i++) {
    double got = element(grad, i);
    sum += got * got;
    if (i < FIRST && fabs(got - first[i]) > 1e-10)
      fail_msg("%s of %s, element %d: %.12g and not %.12g", what, name, (int)i, got,
               first[i]);
  }
  if (fabs(sum - squares) > 1e-10 + 1e-10 * squares)
    fail_msg("%s of %s: squares %.12g and not %.12g", what, name, sum, squares);
}

static void matches_pytorch(void** state) {
  (void)state;
  oy_tensor *t[TENSORS], *images = NULL, *grads[TENSORS] = {NULL};
  oy_tensor* classes = I64(OY_DIMS(2), 2, 0);
  make(t);
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* loss = loss_of(t, classes);
  assert_close(loss, OY_DIMS(), 1e-10, 1.34251032117);
  oy_backward_options options = {.create_graph = true, .allow_unused = true};
  assert_int_equal(oy_gradients(&loss, NULL, 1, &t[IMAGES], 1, &options, &images), OY_OK);
  assert_int_equal(oy_backward(loss, NULL, true), OY_OK);
  for (int i = 0; i < TENSORS; i++)
    compare(g_expected[i].name, "gradient", oy_grad(t[i]), g_expected[i].loss,
            g_expected[i].loss_squares);
  oy_tensor* penalty = oy_sum(oy_mul_Tensor(images, images), oy_none());
  assert_close(penalty, OY_DIMS(), 1e-10, 2.03822760558);
  options.create_graph = false;
  assert_int_equal(oy_gradients(&penalty, NULL, 1, t, TENSORS, &options, grads), OY_OK);
  for (int i = 0; i < TENSORS; i++)
    compare(g_expected[i].name, "penalty", grads[i], g_expected[i].penalty,
            g_expected[i].penalty_squares);
  oy_scope_close(&scope);
  for (int i = 0; i < TENSORS; i++) oy_tensor_release(grads[i]);
  for (int i = 0; i < TENSORS; i++) oy_tensor_release(t[i]);
  oy_tensor_release(images);
  oy_tensor_release(classes);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(matches_pytorch)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
