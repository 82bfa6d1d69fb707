// SPDX-License-Identifier: Apache-2.0
// First and second derivatives of what moves elements of images, of sampled grids, of bags
// of rows and of logsumexp.
#include "layers/differences.h"

#define X      x[0]
#define D(...) OY_DIMS(__VA_ARGS__)
#define CASE(name, value)                       \
  static oy_tensor* name(oy_tensor* const* x) { \
    return value;                               \
  }
// Tensors of positions belong to the scope.
static oy_tensor* scoped(oy_tensor* made) {
  oy_tensor* alias = oy_clone(made, oy_none());
  oy_tensor_release(made);
  return alias;
}
#define INDICES scoped(I64(D(5), 2, 0, 1, 2, 3))
#define OFFSETS scoped(I64(D(3), 0, 2, 2))
static oy_tensor* bag(oy_tensor* weight, int mode, oy_tensor* scales, int64_t padding) {
  oy_tensor *result, *bag_of, *size, *places;
  oy_status status =
      oy__embedding_bag(weight, INDICES, OFFSETS, false, mode, false, scales, false,
                        padding, &result, &bag_of, &size, &places);
  return status == OY_OK ? result : NULL;
}
static oy_tensor* const g_none = (oy_tensor*)&oy_none_object;

// clang-format off
CASE(im2col, oy_im2col(X, D(2, 2), D(1, 2), D(1, 0), D(2, 1)))
CASE(col2im, oy_col2im(X, D(4, 4), D(2, 2), D(1, 1), D(0, 0), D(1, 1)))
CASE(unfold, oy_unfold(X, 1, 3, 2))
CASE(unfold_overlapping, oy_unfold(X, 0, 2, 1))
CASE(unfold_copy, oy_unfold_copy(X, -1, 2, 1))
CASE(pixel_shuffle, oy_pixel_shuffle(X, 2))
CASE(pixel_unshuffle, oy_pixel_unshuffle(X, 2))
CASE(channel_shuffle, oy_channel_shuffle(X, 3))
CASE(native_channel_shuffle, oy_native_channel_shuffle(X, 2))
CASE(affine2, oy_affine_grid_generator(X, D(2, 1, 3, 2), false))
CASE(affine3, oy_affine_grid_generator(X, D(1, 1, 2, 3, 2), true))
CASE(logsumexp, oy_logsumexp(X, D(1), false))
CASE(logsumexp_kept, oy_logsumexp(X, D(0, -1), true))
CASE(logsumexp_all, oy_logsumexp(X, D(0, 1), false))

CASE(bilinear, oy_grid_sampler_2d(X, x[1], 0, 0, false))
CASE(bilinear_border, oy_grid_sampler_2d(X, x[1], 0, 1, true))
CASE(bicubic, oy_grid_sampler_2d(X, x[1], 2, 0, false))
CASE(trilinear, oy_grid_sampler_3d(X, x[1], 0, 0, false))
CASE(bag_sum, bag(X, 0, x[1], -1))
CASE(bag_sum_padding, bag(X, 0, g_none, 2))
CASE(bag_mean, bag(X, 1, g_none, -1))
CASE(bag_max, bag(X, 2, g_none, -1))
// clang-format on

static const differences_row g_twice[] = {
    {"im2col", im2col, "1,2,3,4", -1, 1},
    {"col2im", col2im, "1,4,9", -1, 1},
    {"unfold", unfold, "2,7", -1, 1},
    {"unfold, overlapping", unfold_overlapping, "4,2", -1, 1},
    {"unfold_copy", unfold_copy, "2,4", -1, 1},
    {"pixel_shuffle", pixel_shuffle, "1,4,2,3", -1, 1},
    {"pixel_unshuffle", pixel_unshuffle, "2,4,2", -1, 1},
    {"channel_shuffle", channel_shuffle, "1,6,2", -1, 1},
    {"native_channel_shuffle", native_channel_shuffle, "1,6,2", -1, 1},
    {"logsumexp", logsumexp, "2,3", -1, 1},
    {"logsumexp, kept", logsumexp_kept, "2,3", -1, 1},
    {"logsumexp, all", logsumexp_all, "2,3", -1, 1},
};
// PyTorch differentiates the backward operators of these no further.
static const differences_row g_once[] = {
    {"affine_grid_generator", affine2, "2,2,3", -1, 1},
    {"affine_grid_generator, 3d", affine3, "1,3,4", -1, 1},
    {"grid_sampler_2d", bilinear, "1,2,3,4 1,2,2,2", -0.8, 0.8},
    {"grid_sampler_2d, border", bilinear_border, "1,2,3,4 1,2,2,2", -1.4, 1.4},
    {"grid_sampler_2d, bicubic", bicubic, "1,1,4,4 1,2,1,2", -0.8, 0.8},
    {"grid_sampler_3d", trilinear, "1,1,2,3,2 1,1,2,2,3", -0.8, 0.8},
    {"_embedding_bag, sum", bag_sum, "4,3 5", -1, 1},
    {"_embedding_bag, padding", bag_sum_padding, "4,3", -1, 1},
    {"_embedding_bag, mean", bag_mean, "4,3", -1, 1},
    {"_embedding_bag, max", bag_max, "4,3", -1, 1},
};

static void differentiable_twice(void** state) {
  (void)state;
  check_differences(g_twice, sizeof(g_twice) / sizeof(*g_twice), 2);
}
static void differentiable_once(void** state) {
  (void)state;
  check_differences(g_once, sizeof(g_once) / sizeof(*g_once), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(differentiable_twice),
                                     cmocka_unit_test(differentiable_once)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
