// SPDX-License-Identifier: Apache-2.0
// What memory format results take from images that lie channels last, whole or with gaps.
// Expected strides are those of PyTorch 1.13.
#include "support/tensors.h"

#define NONE oy_none()

static oy_tensor* g_made[3];
static oy_tensor* batch_norm(oy_tensor* t) {
  if (oy_native_batch_norm(t, &oy_none_object, &oy_none_object, &oy_none_object,
                           &oy_none_object, true, 0.1, 1e-5, &g_made[0], &g_made[1],
                           &g_made[2]) != OY_OK)
    return NULL;
  return g_made[0];
}
static oy_tensor* group_norm(oy_tensor* t) {
  const int64_t* s = oy_tensor_sizes(t).data;
  if (oy_native_group_norm(t, &oy_none_object, &oy_none_object, s[0], s[1], s[2] * s[3],
                           1, 1e-5, &g_made[0], &g_made[1], &g_made[2]) != OY_OK)
    return NULL;
  return g_made[0];
}
static oy_tensor* pixel_shuffle(oy_tensor* t) {
  return oy_pixel_shuffle(t, 1);
}
static oy_tensor* pixel_unshuffle(oy_tensor* t) {
  return oy_pixel_unshuffle(t, 1);
}
static oy_tensor* channel_shuffle(oy_tensor* t) {
  return oy_channel_shuffle(t, 1);
}
static oy_tensor* bernoulli(oy_tensor* t) {
  return oy_bernoulli(t, NONE);
}
static oy_tensor* kron(oy_tensor* t) {
  return oy_kron(t, t);
}
static oy_tensor* as_it_suggests(oy_tensor* t) {
  return oy_to_dtype(t, OY_DTYPE_F32, false, false, oy_int(OY_MEMORY_CHANNELS_LAST));
}
static oy_tensor* mean_of_images(oy_tensor* t) {
  return oy_adaptive_avg_pool2d(t, OY_DIMS(1, 1));
}

static const struct {
  const char* name;
  oy_tensor* (*run)(oy_tensor* t);
  int64_t whole[4], step[4];  // strides of the result
} g_rows[] = {
    {"pixel_shuffle", pixel_shuffle, {24, 1, 8, 4}, {12, 1, 6, 3}},
    {"pixel_unshuffle", pixel_unshuffle, {24, 1, 8, 4}, {12, 1, 6, 3}},
    {"channel_shuffle", channel_shuffle, {24, 1, 8, 4}, {12, 1, 6, 3}},
    {"batch_norm", batch_norm, {24, 1, 8, 4}, {12, 1, 6, 3}},
    {"group_norm", group_norm, {24, 1, 8, 4}, {12, 1, 6, 3}},
    {"bernoulli", bernoulli, {24, 6, 2, 1}, {12, 4, 2, 1}},
    {"kron", kron, {576, 1, 64, 16}, {144, 1, 36, 9}},
    {"to", as_it_suggests, {24, 1, 8, 4}, {24, 2, 12, 6}},
    {"adaptive_avg_pool2d", mean_of_images, {4, 1, 4, 4}, {3, 1, 3, 3}},
};

static void check(size_t row, oy_ints sizes, oy_ints strides, const int64_t* expected) {
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* t = oy_empty_strided(sizes, strides, NONE, NONE, NONE, NONE);
  oy_fill__Scalar(t, oy_float(0.5));
  oy_tensor* there = oy_empty_strided(sizes, strides, NONE, NONE,
                                      oy_value_device(oy_device_meta()), NONE);
  for (int is_meta = 0; is_meta < 2; is_meta++) {
    oy_tensor* result = g_rows[row].run(is_meta ? there : t);
    if (!result) fail_msg("%s: %s", g_rows[row].name, oy_error_get()->message);
    const int64_t* got = oy_tensor_strides(result).data;
    for (int d = 0; d < 4; d++)
      if (got[d] != expected[d])
        fail_msg("%s%s: stride %d is %d, not %d", g_rows[row].name,
                 is_meta ? " of Meta" : "", d, (int)got[d], (int)expected[d]);
  }
  oy_scope_close(&scope);
}

static void TEN_formats_of_results(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof(g_rows) / sizeof(g_rows[0]); i++) {
    check(i, OY_DIMS(2, 4, 3, 2), OY_DIMS(24, 1, 8, 4), g_rows[i].whole);
    check(i, OY_DIMS(4, 3, 2, 2), OY_DIMS(24, 2, 12, 6), g_rows[i].step);
  }
}

// A format changes where numbers are, not which they are.
static void formats_keep_numbers(void** state) {
  (void)state;
  oy_tensor* (*const all[])(oy_tensor*) = {
      pixel_shuffle, pixel_unshuffle, channel_shuffle, batch_norm, group_norm, kron};
  oy_tensor* made = oy_arange(oy_int(48), oy_int(OY_DTYPE_F32), NONE, NONE, NONE);
  oy_tensor* plain = oy_view(made, OY_DIMS(2, 4, 3, 2));
  oy_tensor* last = oy_contiguous(plain, OY_MEMORY_CHANNELS_LAST);
  for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
    oy_scope scope;
    oy_scope_open(&scope);
    oy_tensor *expected = all[i](plain), *got = all[i](last);
    assert_true(oy_tensor_is_contiguous(expected, OY_MEMORY_CONTIGUOUS));
    assert_true(oy_tensor_is_contiguous(got, OY_MEMORY_CHANNELS_LAST));
    const float* x = oy_tensor_data(expected);
    const float* y = oy_tensor_data(oy_contiguous(got, OY_MEMORY_CONTIGUOUS));
    for (int64_t k = 0; k < oy_tensor_numel(expected); k++) assert_true(x[k] == y[k]);
    oy_scope_close(&scope);
  }
  oy_tensor* owned[] = {made, plain, last};
  for (int i = 0; i < 3; i++) oy_tensor_release(owned[i]);
}

// One place for the whole image is its mean, whatever is around it, and of nothing.
static void means_of_any_rank(void** state) {
  (void)state;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* flat = F64(OY_DIMS(2, 2), 1, 2, 3, 6);
  assert_elements(oy_adaptive_avg_pool2d(flat, OY_DIMS(1, 1)), OY_DIMS(1, 1), 3);
  oy_tensor* empty = oy_zeros(OY_DIMS(2, 0, 3), NONE, NONE, NONE, NONE);
  oy_tensor* mean = oy_adaptive_avg_pool2d(empty, OY_DIMS(1, 1));
  assert_dims(oy_tensor_sizes(mean), OY_DIMS(2, 1, 1));
  const float* x = oy_tensor_data(mean);
  assert_true(x[0] != x[0] && x[1] != x[1]);
  oy_scope_close(&scope);
  oy_tensor_release(flat);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(TEN_formats_of_results),
      cmocka_unit_test(formats_keep_numbers),
      cmocka_unit_test(means_of_any_rank),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
