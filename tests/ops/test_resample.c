// SPDX-License-Identifier: Apache-2.0
// Padding by reflection and replication, and images of another size. Expected values are
// those of PyTorch 1.13.
#include "support/tensors.h"

static void release(oy_tensor** all, size_t count) {
  for (size_t i = 0; i < count; i++) oy_tensor_release(all[i]);
}
#define RELEASE(...)                   \
  release((oy_tensor*[]){__VA_ARGS__}, \
          sizeof((oy_tensor*[]){__VA_ARGS__}) / sizeof(oy_tensor*))
#define NONE oy_none()

static void padding(void** state) {
  (void)state;
  oy_tensor* x = F32(OY_DIMS(1, 1, 2, 2), 1, 2, 4, 8);
  oy_tensor* line = F32(OY_DIMS(1, 4), 0, 1, 2, 3);
  oy_tensor* mirrored = oy_reflection_pad2d(x, OY_DIMS(1, 1, 1, 0));
  assert_elements(mirrored, OY_DIMS(1, 1, 3, 4), 8, 4, 8, 4, 2, 1, 2, 1, 8, 4, 8, 4);
  oy_tensor* repeated = oy_replication_pad2d(x, OY_DIMS(1, 2, 1, 0));
  assert_elements(repeated, OY_DIMS(1, 1, 3, 5), 1, 1, 2, 2, 2, 1, 1, 2, 2, 2, 4, 4, 8, 8,
                  8);
  oy_tensor* along = oy_reflection_pad1d(line, OY_DIMS(2, 3));
  assert_elements(along, OY_DIMS(1, 9), 2, 1, 0, 1, 2, 3, 2, 1, 0);
  oy_tensor* g = F32(OY_DIMS(1, 7), 1, 1, 1, 1, 1, 1, 1);
  oy_tensor* back = oy_reflection_pad1d_backward(g, line, OY_DIMS(2, 1));
  assert_elements(back, OY_DIMS(1, 4), 1, 2, 3, 1);
  oy_tensor* cut = oy_replication_pad1d(line, OY_DIMS(-1, -1));
  assert_elements(cut, OY_DIMS(1, 2), 1, 2);
  oy_tensor* deep = oy_replication_pad3d(x, OY_DIMS(0, 0, 0, 0, 1, 0));
  assert_elements(deep, OY_DIMS(1, 2, 2, 2), 1, 2, 4, 8, 1, 2, 4, 8);
  RELEASE(x, line, mirrored, repeated, along, g, back, cut, deep);
}

static void other_sizes(void** state) {
  (void)state;
  oy_tensor* x = F32(OY_DIMS(1, 1, 2, 2), 1, 2, 4, 8);
  oy_tensor* line = F32(OY_DIMS(1, 1, 3), 0, 4, 8);
  oy_tensor* nearest = oy_upsample_nearest2d(x, OY_DIMS(3, 4), NONE, NONE);
  assert_elements(nearest, OY_DIMS(1, 1, 3, 4), 1, 1, 2, 2, 1, 1, 2, 2, 4, 4, 8, 8);
  const double factors[] = {1.5, 2};
  oy_tensor* by = oy_upsample_nearest2d_vec(x, oy_dims_none(), (oy_floats){factors, 2});
  assert_null(by);
  oy_error_clear();
  by = oy_upsample_nearest2d_vec(x, (oy_ints){NULL, 0}, (oy_floats){factors, 2});
  assert_elements(by, OY_DIMS(1, 1, 3, 4), 1, 1, 2, 2, 1, 1, 2, 2, 4, 4, 8, 8);
  oy_tensor* five = F32(OY_DIMS(1, 1, 5), 0, 1, 2, 3, 4);
  oy_tensor* exact = oy__upsample_nearest_exact1d(five, OY_DIMS(3), NONE);
  assert_elements(exact, OY_DIMS(1, 1, 3), 0, 2, 4);
  oy_tensor* linear = oy_upsample_linear1d(line, OY_DIMS(5), false, NONE);
  assert_close(linear, OY_DIMS(1, 1, 5), 1e-5, 0, 1.6, 4, 6.4, 8);
  oy_tensor* aligned = oy_upsample_linear1d(line, OY_DIMS(5), true, NONE);
  assert_close(aligned, OY_DIMS(1, 1, 5), 1e-5, 0, 2, 4, 6, 8);
  oy_tensor* bilinear = oy_upsample_bilinear2d(x, OY_DIMS(3, 3), false, NONE, NONE);
  assert_close(bilinear, OY_DIMS(1, 1, 3, 3), 1e-5, 1, 1.5, 2, 2.5, 3.75, 5, 4, 6, 8);
  oy_tensor* cubic = oy_upsample_bicubic2d(x, OY_DIMS(3, 3), false, NONE, NONE);
  assert_close(cubic, OY_DIMS(1, 1, 3, 3), 1e-5, 0.675384, 1.109375, 1.543367, 2.282987,
               3.75, 5.217014, 3.89059, 6.390625, 8.890661);
  oy_tensor* cube = F32(OY_DIMS(1, 1, 2, 2, 2), 0, 1, 2, 3, 4, 5, 6, 7);
  oy_tensor* trilinear =
      oy_upsample_trilinear3d(cube, OY_DIMS(2, 2, 3), true, NONE, NONE, NONE);
  assert_close(trilinear, OY_DIMS(1, 1, 2, 2, 3), 1e-5, 0, .5, 1, 2, 2.5, 3, 4, 4.5, 5, 6,
               6.5, 7);
  oy_tensor* g = F32(OY_DIMS(1, 1, 3, 3), 1, 1, 1, 1, 1, 1, 1, 1, 1);
  oy_tensor* back = oy_upsample_bilinear2d_backward(g, OY_DIMS(3, 3), OY_DIMS(1, 1, 2, 2),
                                                    true, NONE, NONE);
  assert_close(back, OY_DIMS(1, 1, 2, 2), 1e-5, 2.25, 2.25, 2.25, 2.25);
  RELEASE(x, line, nearest, by, five, exact, linear, aligned, bilinear, cubic, cube,
          trilinear, g, back);
}

static void what_does_not_fit_is_refused(void** state) {
  (void)state;
  oy_tensor* x = F32(OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  oy_tensor* flags = BOOLS(OY_DIMS(1, 2), true, false);
  oy_tensor* batch = F32(OY_DIMS(1, 1, 2), 1, 2);
  assert_fails(oy_reflection_pad1d(x, OY_DIMS(3, 1)),
               "Argument #4: Padding size should be less than the corresponding input "
               "dimension, but got: padding (3, 1) at dimension 1 of input [2, 3]");
  assert_fails(oy_replication_pad1d(x, OY_DIMS(-2, -2)),
               "input (W: 3) is too small. Calculated output W: -1");
  assert_fails(oy_replication_pad1d(x, OY_DIMS(1, 1, 1)),
               "padding size is expected to be 2");
  assert_fails(oy_reflection_pad1d(flags, OY_DIMS(1, 1)),
               "\"reflection_pad1d\" not implemented for 'Bool'");
  assert_fails(oy_upsample_nearest1d(x, OY_DIMS(4), NONE),
               "It is expected input_size equals to 3, but got size 2");
  assert_fails(oy_upsample_nearest1d(batch, OY_DIMS(4, 4), NONE),
               "It is expected output_size equals to 1, but got size 2");
  assert_fails(
      oy_upsample_nearest1d(batch, OY_DIMS(0), NONE),
      "Input and output sizes should be greater than 0, but got input (W: 2) and "
      "output (W: 0)");
  RELEASE(x, flags, batch);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(padding),
      cmocka_unit_test(other_sizes),
      cmocka_unit_test(what_does_not_fit_is_refused),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
