// SPDX-License-Identifier: Apache-2.0
// Elements by index where dimensions are short, of size 1 above all: what plain loops give.
#include "base/memory.h"
#include "support/tensors.h"

// ------------------------------------------------------------------------ nonzero

// Where |bytes|, of the shape |sizes|, are not 0, as rows of coordinates; how many.
static int64_t list_places(const uint8_t* bytes, oy_ints sizes, int64_t* places) {
  int64_t count = 0, numel = 1;
  for (size_t d = 0; d < sizes.size; d++) numel *= sizes.data[d];
  for (int64_t i = 0; i < numel; i++) {
    if (!bytes[i]) continue;
    int64_t rest = i;
    for (size_t d = sizes.size; d-- > 0; rest /= sizes.data[d])
      places[count * (int64_t)sizes.size + (int64_t)d] = rest % sizes.data[d];
    count++;
  }
  return count;
}

static void check_places(oy_ints sizes, int64_t every) {
  int64_t numel = 1;
  const int64_t ndim = (int64_t)sizes.size;
  for (size_t d = 0; d < sizes.size; d++) numel *= sizes.data[d];
  uint8_t* bytes = malloc((size_t)numel);
  int64_t* places = malloc((size_t)(numel * ndim) * sizeof(*places));
  assert_true(bytes && places);
  for (int64_t i = 0; i < numel; i++) bytes[i] = i * 7919 % 1009 % every == 0;
  const int64_t count = list_places(bytes, sizes, places);
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = oy_scope_take(oy_tensor_from_data(bytes, sizes, OY_DTYPE_U8));
  oy_tensor* found = oy_nonzero(x);
  assert_dims(oy_tensor_sizes(found), OY_DIMS(count, ndim));
  // Rows that lie together, and fewer than there are.
  const int64_t some = count / 2 + 1;
  oy_tensor* first = oy_nonzero_static(x, some, -1);
  for (int64_t i = 0; i < count * ndim; i++) {
    assert_true(element(found, i) == (double)places[i]);
    if (i < some * ndim) assert_true(element(first, i) == (double)places[i]);
  }
  oy_scope_close(&scope);
  free(places);
  free(bytes);
}

static void places_in_short_rows(void** state) {
  (void)state;
  const oy_ints shapes[] = {
      OY_DIMS(1, 1),          OY_DIMS(3, 2),          OY_DIMS(700, 1),
      OY_DIMS(20000, 2),      OY_DIMS(128, 3, 3, 2),  OY_DIMS(7, 4, 50, 1, 1),
      OY_DIMS(11, 1, 513, 3), OY_DIMS(5, 1, 63),      OY_DIMS(2, 600, 64),
      OY_DIMS(1, 1, 1025, 1), OY_DIMS(40000, 1, 5, 1)};
  for (int threads = 1; threads <= 2; threads++) {
    assert_int_equal(oy_set_num_threads(threads), OY_OK);
    for (size_t s = 0; s < OY_ARRAY_SIZE(shapes); s++)
      for (int64_t every = 1; every < 1500; every = every * 3 + 1)
        check_places(shapes[s], every);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(places_in_short_rows),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
