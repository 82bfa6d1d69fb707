// SPDX-License-Identifier: Apache-2.0
// Images as columns: rows of all places, and of parts that begin and end within lines, against
// their definition. Nothing is written behind them.
#include "backends/cpu/conv/columns.h"
#include "support/tensors.h"

enum { CHANNELS = 2, BEHIND = 16 };

typedef struct row {
  int64_t image[3], kernel[3], stride[3], padding[3], dilation[3];
} row;

static const row g_rows[] = {
    {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}},
    {{1, 1, 40}, {1, 1, 3}, {1, 1, 1}, {0, 0, 1}, {1, 1, 1}},
    {{1, 6, 5}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}},
    {{4, 6, 7}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
    {{6, 7, 9}, {3, 2, 4}, {2, 3, 2}, {2, 1, 3}, {1, 2, 1}},
    {{5, 4, 21}, {3, 3, 3}, {1, 1, 1}, {2, 3, 4}, {2, 2, 3}},
    {{2, 3, 33}, {2, 2, 3}, {3, 1, 3}, {1, 0, 2}, {1, 1, 2}},
    {{3, 5, 70}, {2, 1, 5}, {1, 2, 2}, {0, 0, 3}, {1, 1, 1}},
    {{2, 4, 67}, {1, 3, 2}, {1, 1, 4}, {0, 1, 1}, {1, 1, 3}},
    {{1, 9, 50}, {1, 2, 3}, {1, 2, 5}, {0, 1, 1}, {1, 1, 1}},
    {{1, 5, 16}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}},
    {{2, 3, 17}, {1, 1, 2}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}},
    // windows of which some elements see nothing
    {{1, 2, 2}, {1, 4, 5}, {1, 1, 1}, {0, 4, 6}, {1, 2, 2}},
    {{2, 2, 3}, {5, 5, 5}, {2, 3, 3}, {4, 4, 4}, {1, 1, 1}},
};

static oyi_conv conv_of(const row* r) {
  oyi_conv c = {.groups = 1};
  for (size_t d = 0; d < 3; d++) {
    c.image[d] = r->image[d], c.kernel[d] = r->kernel[d], c.stride[d] = r->stride[d];
    c.padding[d] = r->padding[d], c.dilation[d] = r->dilation[d];
    c.map[d] =
        (r->image[d] + 2 * r->padding[d] - r->dilation[d] * (r->kernel[d] - 1) - 1) /
            r->stride[d] +
        1;
  }
  return c;
}

// What the element with number |tap| of channel |i|'s kernel sees at |place|: the number of an
// element and one, or 0.
static int64_t seen(const oyi_conv* c, int64_t i, int64_t tap, int64_t place) {
  int64_t at[3], k[3], index = i;
  for (size_t d = 3; d-- > 0; place /= c->map[d], tap /= c->kernel[d])
    at[d] = place % c->map[d], k[d] = tap % c->kernel[d];
  for (size_t d = 0; d < 3; d++) {
    const int64_t x = at[d] * c->stride[d] - c->padding[d] + k[d] * c->dilation[d];
    if (x < 0 || x >= c->image[d]) return 0;
    index = index * c->image[d] + x;
  }
  return index + 1;
}

static void set(void* data, oy_dtype dtype, int64_t i, int64_t value) {
  if (dtype == OY_DTYPE_F32)
    ((float*)data)[i] = (float)value;
  else if (dtype == OY_DTYPE_F64)
    ((double*)data)[i] = (double)value;
  else
    ((int64_t*)data)[i] = value;
}

static int64_t get(const void* data, oy_dtype dtype, int64_t i) {
  if (dtype == OY_DTYPE_F32) return (int64_t)((const float*)data)[i];
  if (dtype == OY_DTYPE_F64) return (int64_t)((const double*)data)[i];
  return ((const int64_t*)data)[i];
}

static void check_part(const oyi_conv* c, oy_dtype dtype, const void* image,
                       int64_t first, int64_t count, void* columns) {
  const int64_t taps = oyi_volume(c->kernel), all = CHANNELS * taps * count;
  for (int64_t i = 0; i < all + BEHIND; i++) set(columns, dtype, i, -1);
  oyi_columns_of(dtype)->im2col(c, image, CHANNELS, first, count, columns);
  for (int64_t i = 0; i < all; i++)
    assert_int_equal(get(columns, dtype, i),
                     seen(c, i / (taps * count), i / count % taps, first + i % count));
  for (int64_t i = 0; i < BEHIND; i++) assert_int_equal(get(columns, dtype, all + i), -1);
}

static void check_row(const row* r, oy_dtype dtype) {
  const oyi_conv c = conv_of(r);
  const int64_t places = oyi_volume(c.map), volume = CHANNELS * oyi_volume(c.image);
  const int64_t room = CHANNELS * oyi_volume(c.kernel) * places + BEHIND;
  // An image of its own size, so that a sanitizer sees what is read beside it.
  const size_t item = dtype == OY_DTYPE_F32 ? sizeof(float) : sizeof(int64_t);
  void* image = calloc((size_t)volume, item);
  void* columns = calloc((size_t)room, item);
  for (int64_t i = 0; i < volume; i++) set(image, dtype, i, i + 1);
  check_part(&c, dtype, image, 0, places, columns);
  for (int64_t first = 0; first < places; first += first / 3 + 1)
    for (int64_t count = 1; count <= places - first; count += count / 2 + 1)
      check_part(&c, dtype, image, first, count, columns);
  free(image);
  free(columns);
}

static void by_definition(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_I64};
  for (size_t i = 0; i < sizeof(g_rows) / sizeof(*g_rows); i++)
    for (size_t k = 0; k < sizeof(dtypes) / sizeof(*dtypes); k++)
      check_row(&g_rows[i], dtypes[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(by_definition)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
