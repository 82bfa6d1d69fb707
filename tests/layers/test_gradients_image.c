// SPDX-License-Identifier: Apache-2.0
// First and second derivatives of what is done to images: convolution, pooling, padding,
// other sizes.
#include "layers/differences.h"

#define X      x[0]
#define D(...) OY_DIMS(__VA_ARGS__)
#define NONE   oy_none()
#define EMPTY  ((oy_ints){NULL, 0})
#define CASE(name, value)                       \
  static oy_tensor* name(oy_tensor* const* x) { \
    return value;                               \
  }
// The first of two results.
#define CASE_OF_2(name, call)                   \
  static oy_tensor* name(oy_tensor* const* x) { \
    oy_tensor *result = NULL, *indices;         \
    return call == OY_OK ? result : NULL;       \
  }
#define BOTH &result, &indices
// clang-format off
CASE(convolution, oy_convolution(X, x[1], x[2], D(2), D(1), D(2), false, D(0), 1))
CASE(transposed, oy_convolution(X, x[1], x[2], D(2), D(1), D(1), true, D(1), 2))
CASE(with_settings, oy__convolution(X, x[1], x[2], D(1), D(1), D(1), false, D(0), 1, false,
                                    false, false, false))
CASE(unbiased, oy_conv2d(X, x[1], (oy_tensor*)&oy_none_object, D(1, 1), D(1, 0), D(1, 1), 2))
CASE(conv_tbc, oy_conv_tbc(X, x[1], x[2], 1))

CASE(avg_pool1d, oy_avg_pool1d(X, D(2), EMPTY, D(1), true, false))
CASE(avg_pool2d, oy_avg_pool2d(X, D(2, 3), D(1, 2), D(1, 1), true, false, NONE))
CASE(avg_pool3d, oy_avg_pool3d(X, D(2, 1, 2), EMPTY, D(0, 0, 0), false, true, oy_int(3)))
CASE(adaptive_avg_pool2d, oy_adaptive_avg_pool2d(X, D(2, 3)))
CASE(adaptive_avg_pool3d, oy_adaptive_avg_pool3d(X, D(2, 1, 2)))
CASE(max_pool2d, oy_max_pool2d(X, D(2, 3), D(1, 2), D(1, 1), D(1, 1), true))
CASE(max_pool3d, oy_max_pool3d(X, D(2, 2, 2), EMPTY, D(0, 0, 0), D(1, 1, 1), false))
CASE_OF_2(adaptive_max_pool2d, oy_adaptive_max_pool2d(X, D(2, 2), BOTH))
CASE_OF_2(adaptive_max_pool3d, oy_adaptive_max_pool3d(X, D(2, 1, 2), BOTH))

CASE(reflection1, oy_reflection_pad1d(X, D(2, 1)))
CASE(reflection2, oy_reflection_pad2d(X, D(2, 1, 0, 1)))
CASE(reflection3, oy_reflection_pad3d(X, D(1, 0, 0, 1, 1, 1)))
CASE(replication1, oy_replication_pad1d(X, D(2, 3)))
CASE(replication2, oy_replication_pad2d(X, D(2, 1, 0, 4)))
CASE(replication3, oy_replication_pad3d(X, D(1, 0, 0, 1, 2, 1)))
CASE(constant, oy_constant_pad_nd(X, D(1, -1, 2, 0), oy_float(7)))

CASE(nearest1, oy_upsample_nearest1d(X, D(5), NONE))
CASE(nearest2, oy_upsample_nearest2d(X, D(5, 2), NONE, oy_float(0.7)))
CASE(nearest3, oy_upsample_nearest3d(X, D(3, 2, 3), NONE, NONE, NONE))
CASE(exact1, oy__upsample_nearest_exact1d(X, D(5), NONE))
CASE(exact2, oy__upsample_nearest_exact2d(X, D(5, 2), NONE, NONE))
CASE(exact3, oy__upsample_nearest_exact3d(X, D(3, 2, 3), NONE, NONE, NONE))
CASE(linear, oy_upsample_linear1d(X, D(5), false, NONE))
CASE(bilinear, oy_upsample_bilinear2d(X, D(5, 2), true, NONE, NONE))
CASE(trilinear, oy_upsample_trilinear3d(X, D(3, 2, 3), false, NONE, NONE, NONE))
CASE(bicubic, oy_upsample_bicubic2d(X, D(5, 4), false, oy_float(1.6), NONE))
// clang-format on

static const differences_row g_rows[] = {
    {"convolution", convolution, "2,2,6 3,2,2 3", -1, 1},
    {"convolution, transposed", transposed, "1,4,3 4,2,3 4", -1, 1},
    {"_convolution", with_settings, "1,2,4 2,2,3 2", -1, 1},
    {"conv2d", unbiased, "1,4,3,3 2,2,2,2", -1, 1},
    {"conv_tbc", conv_tbc, "4,2,3 3,3,2 2", -1, 1},
    {"avg_pool1d", avg_pool1d, "2,5", -1, 1},
    {"avg_pool2d", avg_pool2d, "2,4,5", -1, 1},
    {"avg_pool3d", avg_pool3d, "1,2,4,3", -1, 1},
    {"adaptive_avg_pool2d", adaptive_avg_pool2d, "1,2,3,5", -1, 1},
    {"adaptive_avg_pool3d", adaptive_avg_pool3d, "1,3,2,4", -1, 1},
    {"max_pool2d", max_pool2d, "1,2,3,5", -1, 1},
    {"max_pool3d", max_pool3d, "1,2,4,2", -1, 1},
    {"adaptive_max_pool2d", adaptive_max_pool2d, "2,3,5", -1, 1},
    {"adaptive_max_pool3d", adaptive_max_pool3d, "1,3,2,4", -1, 1},
    {"reflection_pad1d", reflection1, "2,3", -1, 1},
    {"reflection_pad2d", reflection2, "1,2,3", -1, 1},
    {"reflection_pad3d", reflection3, "1,2,2,2", -1, 1},
    {"replication_pad1d", replication1, "2,3", -1, 1},
    {"replication_pad2d", replication2, "1,2,3", -1, 1},
    {"replication_pad3d", replication3, "1,2,2,2", -1, 1},
    {"constant_pad_nd", constant, "2,3", -1, 1},
    {"upsample_nearest1d", nearest1, "1,2,3", -1, 1},
    {"upsample_nearest2d", nearest2, "1,2,3,3", -1, 1},
    {"upsample_nearest3d", nearest3, "1,1,2,3,2", -1, 1},
    {"_upsample_nearest_exact1d", exact1, "1,2,3", -1, 1},
    {"_upsample_nearest_exact2d", exact2, "1,2,3,3", -1, 1},
    {"_upsample_nearest_exact3d", exact3, "1,1,2,3,2", -1, 1},
    {"upsample_linear1d", linear, "1,2,3", -1, 1},
    {"upsample_bilinear2d", bilinear, "1,2,3,3", -1, 1},
    {"upsample_trilinear3d", trilinear, "1,1,2,3,2", -1, 1},
    {"upsample_bicubic2d", bicubic, "1,1,3,4", -1, 1},
};

static void images(void** state) {
  (void)state;
  check_differences(g_rows, sizeof(g_rows) / sizeof(*g_rows), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(images)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
