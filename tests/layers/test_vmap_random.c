// SPDX-License-Identifier: Apache-2.0
// Random operators inside vmap. What one slice draws is what the operator draws for the
// shape of a slice, or of all slices, from the same state of the generator.
#include "slices.h"

MAPPED(factory, oy_rand(OY_DIMS(3), oy_none(), oy_none(), oy_none(), oy_none()))
MAPPED(numbers, oy_randint_low(2, 9, OY_DIMS(2), oy_int(OY_DTYPE_I64), oy_none(),
                               oy_none(), oy_none()))
MAPPED(order, oy_randperm(5, oy_int(OY_DTYPE_I64), oy_none(), oy_none(), oy_none()))
MAPPED(like, oy_rand_like(in[0], oy_none(), oy_none(), oy_none(), oy_none(), oy_none()))
MAPPED(coins, oy_bernoulli(in[0], oy_none()))
MAPPED(filled, oy_tensor_retain(oy_uniform_(in[0], 0, 1, oy_none())))
MAPPED(dropped, oy_dropout(in[0], 0.5, true))
static oy_tensor* g_outside;
MAPPED(outside, oy_tensor_retain(oy_uniform_(g_outside, 0, 1, oy_none())))
MAPPED(into, oy_tensor_retain(oy_rand_out(OY_DIMS(3), g_outside)))

static oy_tensor* draw(oy_transform_fn fn, oy_randomness randomness, oy_tensor* x) {
  oy_vmap_params p = {.fn = fn, .randomness = randomness};
  oy_tensor* y;
  oy_manual_seed(11);
  return oy_vmap(&p, &x, 1, &y, 1) == OY_OK ? y : NULL;
}

// All slices of |y| are |slice|.
static void assert_slices(oy_tensor* y, oy_tensor* slice) {
  assert_non_null(y);
  int64_t n = oy_tensor_numel(slice);
  assert_int_equal(oy_tensor_numel(y), oy_tensor_size(y, 0) * n);
  for (int64_t i = 0; i < oy_tensor_numel(y); i++)
    assert_true(element(y, i) == element(slice, i % n));
  oy_tensor_release(y);
  oy_tensor_release(slice);
}
static void assert_all(oy_tensor* y, oy_tensor* whole) {
  assert_non_null(y);
  assert_same_tensor(y, whole, "drawn");
  oy_tensor_release(y);
  oy_tensor_release(whole);
}

static oy_tensor* seeded_rand(oy_ints sizes) {
  oy_manual_seed(11);
  return oy_rand(sizes, oy_none(), oy_none(), oy_none(), oy_none());
}

static void vmap_05_error(void** state) {
  (void)state;
  oy_tensor* x = wave(OY_DIMS(4, 3));
  const oy_transform_fn all[] = {factory, numbers, order, like, coins, filled, dropped};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
    assert_null(draw(all[i], OY_RANDOMNESS_ERROR, x));
    assert_error(
        "vmap: called random operation while in randomness error mode. Please either use "
        "the 'same' or 'different' randomness flags on vmap or perform the randomness "
        "operation out of vmap");
  }
  oy_tensor_release(x);
}

static void vmap_05_same(void** state) {
  (void)state;
  oy_tensor *x = F32(OY_DIMS(4, 3), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), *y;
  assert_slices(draw(factory, OY_RANDOMNESS_SAME, x), seeded_rand(OY_DIMS(3)));
  assert_slices(draw(like, OY_RANDOMNESS_SAME, x), seeded_rand(OY_DIMS(3)));
  // In place, all slices of the tensor become the one that is drawn.
  y = draw(filled, OY_RANDOMNESS_SAME, x);
  assert_slices(y, seeded_rand(OY_DIMS(3)));
  oy_manual_seed(11);
  assert_slices(draw(order, OY_RANDOMNESS_SAME, x),
                (oy_manual_seed(11),
                 oy_randperm(5, oy_int(OY_DTYPE_I64), oy_none(), oy_none(), oy_none())));
  // The mask of a dropout is the same: elements of a column are kept or dropped together.
  oy_tensor* ones =
      oy_ones_like(x, oy_none(), oy_none(), oy_none(), oy_none(), oy_none());
  y = draw(dropped, OY_RANDOMNESS_SAME, ones);
  assert_non_null(y);
  for (int64_t i = 0; i < 12; i++) {
    assert_true(element(y, i) == 0 || element(y, i) == 2);
    assert_true(element(y, i) == element(y, i % 3));
  }
  oy_tensor_release(y);
  assert_null(draw(coins, OY_RANDOMNESS_SAME, ones));
  assert_error(
      "Vmap does not currently support same randomness with a batched tensor "
      "input. Please file an issue with functorch");
  oy_tensor_release(ones);
  oy_tensor_release(x);
}

static void vmap_05_different(void** state) {
  (void)state;
  oy_tensor* x = wave(OY_DIMS(4, 3));
  assert_all(draw(factory, OY_RANDOMNESS_DIFFERENT, x), seeded_rand(OY_DIMS(4, 3)));
  assert_all(draw(like, OY_RANDOMNESS_DIFFERENT, x), seeded_rand(OY_DIMS(4, 3)));
  assert_all(draw(filled, OY_RANDOMNESS_DIFFERENT, x), seeded_rand(OY_DIMS(4, 3)));
  oy_tensor* y = draw(order, OY_RANDOMNESS_DIFFERENT, x);
  assert_dims(oy_tensor_sizes(y), OY_DIMS(4, 5));
  bool differ = false;
  for (int64_t i = 0; i < 4; i++) {
    int seen = 0;
    for (int64_t k = 0; k < 5; k++) {
      seen |= 1 << (int)element(y, i * 5 + k);
      differ |= element(y, i * 5 + k) != element(y, k);
    }
    assert_int_equal(seen, 31);
  }
  assert_true(differ);
  oy_tensor_release(y);
  y = draw(numbers, OY_RANDOMNESS_DIFFERENT, x);
  assert_dims(oy_tensor_sizes(y), OY_DIMS(4, 2));
  oy_tensor_release(y);
  oy_tensor_release(x);
}

static void vmap_05_what_is_refused(void** state) {
  (void)state;
  oy_tensor* x = wave(OY_DIMS(4, 3));
  g_outside = wave(OY_DIMS(3));
  assert_null(draw(outside, OY_RANDOMNESS_DIFFERENT, x));
  assert_error(
      "vmap: Cannot ask for different inplace randomness on an unbatched tensor. "
      "This will appear like same randomness. If this is necessary for your "
      "usage, please file an issue with functorch.");
  assert_null(draw(into, OY_RANDOMNESS_SAME, x));
  assert_error(
      "vmap: We do not support calling out variants of random operations inside "
      "of vmap. Please use non-out variants as a workaround");
  // Once for all is possible.
  oy_tensor* y = draw(outside, OY_RANDOMNESS_SAME, x);
  assert_slices(y, seeded_rand(OY_DIMS(3)));
  oy_randomness got;
  MUST(oy_randomness_parse(oy_str_of("same"), &got));
  assert_int_equal(got, OY_RANDOMNESS_SAME);
  MUST(oy_randomness_parse(oy_str_of("different"), &got));
  assert_int_equal(got, OY_RANDOMNESS_DIFFERENT);
  assert_int_equal(oy_randomness_parse(oy_str_of("x"), &got), OY_INVALID_ARGUMENT);
  assert_error(
      "Only allowed values for randomness are 'error', 'different', or 'same'. "
      "Got x");
  oy_tensor_release(g_outside);
  oy_tensor_release(x);
}

static oy_status rows(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                      size_t outputs) {
  oy_vmap_params p = {.fn = factory, .randomness = *(oy_randomness*)data};
  return oy_vmap(&p, in, count, out, outputs);
}
static void vmap_05_nested(void** state) {
  (void)state;
  oy_tensor *x = wave(OY_DIMS(4, 2)), *y;
  oy_randomness inner = OY_RANDOMNESS_SAME;
  oy_vmap_params p = {.fn = rows, .data = &inner, .randomness = OY_RANDOMNESS_DIFFERENT};
  oy_manual_seed(11);
  MUST(oy_vmap(&p, &x, 1, &y, 1));
  oy_tensor* drawn = seeded_rand(OY_DIMS(4, 3));
  assert_dims(oy_tensor_sizes(y), OY_DIMS(4, 2, 3));
  for (int64_t i = 0; i < 24; i++)
    assert_true(element(y, i) == element(drawn, i / 6 * 3 + i % 3));
  oy_tensor* all[] = {x, y, drawn};
  for (int i = 0; i < 3; i++) oy_tensor_release(all[i]);
}

static void vmap_05_chunks_draw_the_same(void** state) {
  (void)state;
  oy_tensor *x = wave(OY_DIMS(5, 3)), *y;
  oy_vmap_params p = {.fn = factory, .randomness = OY_RANDOMNESS_SAME, .chunk_size = 2};
  oy_manual_seed(11);
  MUST(oy_vmap(&p, &x, 1, &y, 1));
  assert_slices(y, seeded_rand(OY_DIMS(3)));
  oy_tensor_release(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vmap_05_error),     cmocka_unit_test(vmap_05_same),
      cmocka_unit_test(vmap_05_different), cmocka_unit_test(vmap_05_what_is_refused),
      cmocka_unit_test(vmap_05_nested),    cmocka_unit_test(vmap_05_chunks_draw_the_same),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
