// SPDX-License-Identifier: Apache-2.0
// Convolutions by hand on small numbers, over shapes that reach every path; once with
// OpenBLAS, where it is there, and once without. Against their definition, whole numbers
// are exact in every dtype.
#include <math.h>

#include "support/tensors.h"

static int64_t value_at(int64_t i, int64_t salt) {
  return (i * 7 + i / 5 + salt) % 5 - 2;
}

static oy_tensor* numbers(oy_ints sizes, oy_dtype dtype, int64_t salt) {
  oy_tensor* t = oy_tensor_empty(sizes, OY_DTYPE_I64, oy_device_cpu());
  int64_t* data = oy_tensor_data(t);
  for (int64_t i = 0; i < oy_tensor_numel(t); i++) data[i] = value_at(i, salt);
  oy_tensor* made =
      oy__to_copy(t, oy_int(dtype), oy_none(), oy_none(), oy_none(), false, oy_none());
  oy_tensor_release(t);
  return made;
}

typedef struct row {
  int64_t batch, in, out, groups;
  int64_t image[2], kernel[2], stride[2], padding[2], dilation[2];
} row;

static const row g_rows[] = {
    {1, 1, 1, 1, {3, 3}, {2, 2}, {1, 1}, {0, 0}, {1, 1}},
    {2, 3, 4, 1, {5, 7}, {3, 2}, {2, 1}, {1, 1}, {1, 2}},
    {1, 4, 6, 2, {6, 5}, {3, 3}, {1, 2}, {2, 1}, {2, 1}},
    {2, 4, 4, 4, {9, 8}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {1, 3, 6, 3, {4, 9}, {2, 3}, {2, 3}, {0, 2}, {1, 1}},
    {3, 8, 5, 1, {4, 4}, {1, 1}, {1, 1}, {0, 0}, {1, 1}},
    {1, 2, 2, 1, {1, 4}, {3, 3}, {4, 4}, {3, 3}, {1, 1}},
    {1, 16, 8, 1, {20, 20}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {3, 32, 16, 1, {14, 15}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {2, 16, 20, 1, {17, 30}, {3, 3}, {2, 2}, {1, 1}, {1, 1}},
    {1, 32, 48, 2, {21, 19}, {3, 2}, {2, 3}, {1, 0}, {1, 2}},
    {1, 16, 16, 1, {11, 40}, {5, 5}, {1, 1}, {2, 2}, {1, 1}},
    {2, 16, 33, 1, {9, 59}, {3, 3}, {1, 1}, {2, 2}, {2, 2}},
    {1, 33, 16, 1, {13, 61}, {3, 4}, {2, 2}, {2, 1}, {1, 1}},
    {1, 16, 17, 1, {1, 700}, {1, 3}, {1, 1}, {0, 1}, {1, 1}},
    {1, 80, 72, 1, {9, 9}, {3, 3}, {1, 5}, {1, 1}, {2, 1}},
    {2, 6, 12, 6, {13, 34}, {3, 3}, {2, 2}, {1, 1}, {1, 1}},
    {2, 5, 5, 5, {8, 23}, {3, 5}, {1, 3}, {2, 2}, {2, 1}},
    {1, 8, 4, 4, {6, 600}, {1, 3}, {1, 1}, {0, 1}, {1, 1}},
    {1, 2, 2, 2, {1, 9000}, {1, 3}, {1, 6}, {0, 1}, {1, 1}},
    {1, 16, 64, 1, {9, 14}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {2, 16, 33, 1, {6, 12}, {5, 3}, {1, 1}, {5, 4}, {2, 3}},
    {1, 16, 40, 1, {8, 9}, {3, 3}, {2, 2}, {2, 2}, {1, 1}},
    {3, 20, 20, 20, {3, 3}, {3, 3}, {2, 2}, {0, 0}, {1, 1}},
    {1, 12, 12, 12, {7, 67}, {3, 3}, {2, 2}, {1, 1}, {1, 1}},
    {2, 16, 22, 1, {12, 11}, {1, 1}, {1, 1}, {0, 0}, {1, 1}},
    // channels side by side, each for itself
    {2, 20, 20, 20, {7, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {1, 35, 35, 35, {5, 30}, {5, 2}, {1, 1}, {2, 1}, {2, 1}},
    {1, 16, 16, 16, {2, 3}, {7, 7}, {1, 1}, {3, 3}, {1, 1}},
    {1, 16, 16, 16, {90, 32}, {5, 5}, {1, 1}, {2, 2}, {1, 1}},
    {3, 33, 33, 33, {9, 14}, {3, 3}, {2, 2}, {1, 1}, {1, 1}},
    {2, 16, 16, 16, {8, 5}, {3, 2}, {2, 2}, {0, 1}, {1, 1}},
    {2, 17, 17, 17, {7, 11}, {2, 5}, {2, 1}, {1, 2}, {1, 1}},
    {1, 20, 20, 20, {10, 13}, {3, 3}, {1, 2}, {2, 2}, {2, 2}},
    {2, 18, 18, 18, {6, 7}, {1, 1}, {2, 2}, {0, 0}, {1, 1}},
    {1, 16, 16, 16, {300, 29}, {3, 3}, {2, 2}, {1, 1}, {1, 1}},
    // adjoints of those with windows three and four apart, of great kernels
    {2, 18, 18, 18, {17, 20}, {7, 7}, {3, 3}, {3, 3}, {1, 1}},
    {2, 16, 16, 16, {15, 22}, {5, 6}, {4, 4}, {1, 2}, {1, 1}},
    {3, 33, 33, 33, {12, 19}, {5, 5}, {3, 4}, {2, 0}, {1, 2}},
    {2, 17, 17, 17, {9, 14}, {5, 5}, {1, 3}, {2, 2}, {1, 1}},
    {2, 16, 16, 16, {30, 9}, {6, 7}, {4, 3}, {1, 3}, {1, 1}},
    // one element wide, of which a column of the kernel sees all, or none anything
    {2, 16, 16, 16, {56, 1}, {3, 3}, {2, 2}, {1, 1}, {1, 1}},
    {2, 8, 6, 2, {17, 1}, {3, 5}, {1, 1}, {1, 2}, {1, 1}},
    {1, 3, 4, 1, {20, 1}, {4, 3}, {2, 1}, {2, 2}, {1, 2}},
    {1, 3, 4, 1, {9, 1}, {3, 2}, {1, 1}, {0, 1}, {1, 2}},
    {2, 4, 5, 1, {12, 1}, {3, 1}, {1, 1}, {1, 0}, {1, 1}},
    // small maps of much larger images
    {2, 4, 16, 1, {5, 12}, {5, 5}, {1, 1}, {0, 0}, {1, 1}},
    {1, 6, 20, 2, {9, 11}, {3, 4}, {2, 2}, {1, 1}, {1, 1}},
    {3, 16, 16, 16, {8, 8}, {4, 4}, {2, 2}, {1, 1}, {1, 1}},
    // kernels whose lines share what they see
    {1, 3, 3, 3, {11, 60}, {7, 3}, {1, 1}, {3, 1}, {1, 2}},
    {2, 10, 5, 5, {6, 70}, {3, 3}, {1, 1}, {0, 1}, {1, 1}},
    // sums that are maps, images that are read where they are
    {1, 4, 16, 1, {1, 480}, {1, 5}, {1, 1}, {0, 2}, {1, 1}},
    {1, 16, 40, 1, {10, 16}, {3, 3}, {1, 1}, {0, 0}, {1, 1}},
    {3, 3, 70, 1, {30, 57}, {3, 5}, {2, 1}, {1, 2}, {1, 2}},
    // few maps: tiles of as many rows and more windows, of narrow maps with holes
    {2, 16, 1, 1, {9, 40}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {3, 9, 2, 1, {14, 30}, {2, 5}, {1, 2}, {0, 2}, {1, 1}},
    {2, 32, 3, 1, {13, 14}, {3, 3}, {2, 2}, {1, 1}, {1, 1}},
    {1, 300, 4, 1, {5, 101}, {2, 2}, {1, 1}, {0, 0}, {1, 1}},
    {2, 16, 6, 2, {20, 16}, {3, 3}, {1, 1}, {1, 1}, {2, 2}},
    {2, 16, 2, 1, {40, 2}, {3, 5}, {1, 1}, {1, 2}, {1, 1}},
    // few maps of few channels, or of some, and of samples that are added up together
    {2, 3, 3, 1, {9, 20}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {3, 4, 2, 1, {12, 31}, {3, 2}, {2, 2}, {1, 0}, {1, 1}},
    {9, 8, 4, 1, {6, 7}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {9, 33, 1, 1, {7, 5}, {4, 4}, {1, 1}, {2, 2}, {1, 1}},
    {4, 17, 2, 1, {40, 30}, {2, 2}, {2, 2}, {0, 0}, {1, 1}},
    // adjoints of few maps
    {2, 20, 1, 1, {13, 30}, {3, 3}, {2, 2}, {1, 1}, {1, 1}},
    {3, 9, 2, 1, {40, 7}, {2, 3}, {1, 2}, {0, 1}, {1, 1}},
    {2, 33, 3, 1, {9, 37}, {4, 4}, {2, 2}, {0, 2}, {1, 1}},
    // few windows of which each map has its own
    {16, 32, 24, 1, {5, 4}, {3, 4}, {2, 2}, {1, 0}, {1, 1}},
    {9, 16, 20, 1, {3, 5}, {3, 3}, {2, 2}, {0, 1}, {1, 1}},
    {4, 64, 32, 1, {5, 5}, {5, 5}, {1, 1}, {2, 0}, {1, 1}},
    {9, 16, 40, 1, {8, 4}, {2, 3}, {1, 1}, {1, 0}, {2, 1}},
    {9, 17, 16, 1, {3, 6}, {3, 3}, {1, 1}, {0, 0}, {1, 1}},
    {8, 16, 33, 1, {1, 8}, {5, 5}, {1, 1}, {2, 0}, {1, 1}},
    // small maps, whose windows are rows
    {9, 32, 24, 1, {5, 4}, {5, 4}, {1, 1}, {0, 0}, {1, 1}},
    {5, 7, 19, 1, {3, 3}, {5, 5}, {2, 2}, {2, 1}, {1, 1}},
    {20, 10, 30, 2, {7, 9}, {3, 4}, {3, 2}, {1, 2}, {2, 1}},
    // lines of a few windows that are apart
    {4, 16, 2, 1, {30, 9}, {3, 3}, {3, 3}, {1, 1}, {1, 1}},
    {16, 3, 40, 1, {40, 9}, {3, 3}, {3, 3}, {1, 1}, {1, 1}},
    {5, 18, 3, 1, {17, 8}, {3, 2}, {2, 2}, {2, 1}, {1, 1}},
    // windows that are three apart or more, which see all of the image, or not
    {4, 32, 24, 1, {16, 17}, {3, 3}, {3, 3}, {0, 0}, {1, 1}},
    {5, 17, 16, 1, {14, 19}, {5, 4}, {3, 3}, {2, 1}, {1, 1}},
    {2, 8, 16, 1, {30, 26}, {2, 2}, {4, 3}, {0, 0}, {1, 1}},
    {2, 18, 9, 1, {21, 40}, {3, 2}, {3, 5}, {1, 1}, {2, 2}},
    {3, 32, 20, 2, {12, 20}, {3, 4}, {3, 4}, {1, 0}, {1, 1}},
    {3, 16, 20, 1, {26, 22}, {2, 1}, {4, 2}, {0, 1}, {1, 1}},
    {2, 16, 64, 2, {22, 14}, {3, 5}, {2, 3}, {1, 2}, {1, 1}},
    {8, 3, 4, 1, {16, 16}, {5, 5}, {3, 3}, {2, 2}, {1, 1}},
    {2, 9, 8, 1, {26, 31}, {2, 1}, {3, 3}, {0, 0}, {1, 1}},
    {2, 16, 20, 1, {24, 73}, {2, 3}, {4, 4}, {1, 1}, {1, 1}},
    {3, 20, 16, 2, {13, 47}, {4, 5}, {3, 4}, {0, 1}, {1, 2}},
    {300, 24, 3, 1, {2, 6}, {4, 3}, {1, 3}, {1, 2}, {1, 2}},
    {2, 18, 33, 3, {4, 5}, {2, 2}, {5, 4}, {1, 3}, {1, 1}},
    {5, 21, 7, 1, {10, 9}, {5, 5}, {2, 2}, {2, 1}, {1, 1}},
    {3, 5, 35, 1, {6, 6}, {3, 3}, {1, 1}, {0, 0}, {1, 2}},
    // strides of three and four
    {2, 17, 9, 1, {10, 37}, {3, 3}, {2, 3}, {1, 1}, {1, 1}},
    {1, 24, 16, 1, {17, 33}, {4, 4}, {4, 4}, {0, 0}, {1, 1}},
    {2, 17, 32, 1, {22, 20}, {1, 1}, {3, 3}, {0, 0}, {1, 1}},
    // points of groups
    {3, 12, 32, 4, {7, 9}, {1, 1}, {1, 1}, {0, 0}, {1, 1}},
    {2, 8, 36, 4, {5, 23}, {1, 1}, {1, 1}, {0, 0}, {1, 1}},
    {2, 20, 20, 20, {6, 5}, {1, 1}, {1, 1}, {0, 0}, {1, 1}},
    // narrow, with columns as lines
    {3, 12, 18, 1, {31, 3}, {3, 4}, {1, 1}, {1, 1}, {1, 1}},
    {9, 17, 16, 1, {20, 2}, {5, 5}, {1, 1}, {2, 2}, {1, 1}},
    {4, 16, 40, 2, {30, 5}, {3, 3}, {2, 2}, {1, 1}, {2, 1}},
    {4, 20, 24, 1, {25, 6}, {4, 3}, {2, 2}, {1, 0}, {1, 1}},
    // Windows further apart: of channels side by side, in the image and in a copy.
    {2, 18, 18, 18, {11, 13}, {3, 3}, {3, 3}, {1, 1}, {1, 1}},
    {1, 16, 16, 16, {9, 80}, {4, 4}, {4, 4}, {0, 0}, {1, 1}},
    {2, 20, 20, 20, {7, 50}, {2, 3}, {1, 3}, {0, 1}, {2, 1}},
    {2, 8, 4, 1, {13, 56}, {3, 3}, {3, 3}, {1, 1}, {1, 1}},
    {2, 16, 33, 1, {16, 49}, {3, 4}, {3, 3}, {1, 1}, {1, 1}},
    {1, 24, 16, 2, {9, 69}, {5, 5}, {5, 5}, {2, 2}, {1, 1}},
    {2, 5, 8, 1, {20, 203}, {2, 4}, {4, 4}, {0, 2}, {1, 1}},
    {1, 17, 3, 1, {8, 150}, {3, 3}, {2, 3}, {1, 3}, {1, 2}},
    {1, 3, 20, 1, {32, 32}, {3, 3}, {3, 5}, {1, 2}, {1, 1}},
    // pairs of channels, of which groups have an odd number
    {2, 27, 51, 3, {9, 11}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {2, 15, 33, 3, {14, 20}, {5, 3}, {2, 2}, {2, 1}, {1, 1}},
    // samples that are added up together, and too many to be copied at once
    {9, 16, 17, 1, {7, 7}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {8, 16, 8, 1, {40, 40}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    // adjoints of many maps whose windows hardly overlap, or that are of few channels
    {1, 20, 24, 1, {16, 12}, {2, 2}, {2, 2}, {0, 0}, {1, 1}},
    {1, 10, 32, 2, {22, 19}, {2, 3}, {4, 4}, {0, 0}, {1, 1}},
    {2, 9, 26, 1, {12, 7}, {3, 3}, {1, 1}, {0, 1}, {1, 1}},
    {2, 40, 24, 1, {11, 9}, {2, 2}, {1, 1}, {0, 0}, {1, 1}},
    // points of few windows, whose gradients of weights are rows: whole vectors, and others
    {1, 32, 40, 1, {9, 9}, {1, 1}, {2, 2}, {0, 0}, {1, 1}},
    {2, 19, 26, 1, {7, 8}, {1, 1}, {2, 2}, {0, 0}, {1, 1}},
    // groups of few channels by tiles: deep ones, and narrow ones
    {2, 8, 6, 2, {19, 37}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {1, 9, 12, 3, {23, 20}, {3, 4}, {2, 3}, {1, 0}, {2, 1}},
    {2, 4, 2, 2, {9, 4}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
};

static int64_t places(const row* r, int d) {
  return (r->image[d] + 2 * r->padding[d] - r->dilation[d] * (r->kernel[d] - 1) - 1) /
             r->stride[d] +
         1;
}

// What the map element at (sample, channel, y, x) sees through the kernel element at
// |k| of channel |c|: an index into the image, -1 outside.
static int64_t seen(const row* r, int64_t sample, int64_t channel, int64_t y, int64_t x,
                    int64_t c, const int64_t* k) {
  const int64_t group = channel / (r->out / r->groups), per = r->in / r->groups;
  int64_t h = y * r->stride[0] - r->padding[0] + k[0] * r->dilation[0];
  int64_t w = x * r->stride[1] - r->padding[1] + k[1] * r->dilation[1];
  if (h < 0 || w < 0 || h >= r->image[0] || w >= r->image[1]) return -1;
  return ((sample * r->in + group * per + c) * r->image[0] + h) * r->image[1] + w;
}

// Walks over all products: images += maps * weights, or maps += images * weights, or
// weights += images * maps, as |which| is 0, 1, 2.
static void definition(const row* r, int which, double* images, double* maps,
                       double* weights) {
  const int64_t per = r->in / r->groups, rows = places(r, 0), columns = places(r, 1);
  int64_t map = 0;
  for (int64_t n = 0; n < r->batch; n++)
    for (int64_t o = 0; o < r->out; o++)
      for (int64_t y = 0; y < rows; y++)
        for (int64_t x = 0; x < columns; x++, map++)
          for (int64_t c = 0; c < per; c++)
            for (int64_t k = 0; k < r->kernel[0] * r->kernel[1]; k++) {
              const int64_t at[2] = {k / r->kernel[1], k % r->kernel[1]};
              int64_t i = seen(r, n, o, y, x, c, at);
              int64_t w = (o * per + c) * r->kernel[0] * r->kernel[1] + k;
              if (i < 0) continue;
              if (which == 0) images[i] += maps[map] * weights[w];
              if (which == 1) maps[map] += images[i] * weights[w];
              if (which == 2) weights[w] += images[i] * maps[map];
            }
}

static double* doubles(const oy_tensor* t, bool zero) {
  int64_t n = oy_tensor_numel(t);
  double* made = calloc((size_t)n + 1, sizeof(double));
  for (int64_t i = 0; i < n && !zero; i++) made[i] = element(t, i);
  return made;
}

// What a whole number becomes in |dtype|: bfloat16 has eight digits, ties go to even.
static double rounded(double x, oy_dtype dtype) {
  int power;
  if (dtype != OY_DTYPE_BF16) return x;
  const double digits = frexp(x, &power);
  return ldexp(nearbyint(ldexp(digits, 8)), power - 8);
}

static void assert_same(const oy_tensor* got, const double* want) {
  if (!got) print_error("%s\n", oy_error_get()->message);
  assert_non_null(got);
  for (int64_t i = 0; i < oy_tensor_numel(got); i++)
    if (element(got, i) != rounded(want[i], got->dtype))
      fail_msg("[%lld]: %g, expected %g", (long long)i, element(got, i), want[i]);
}

// A transposed convolution of |grad|, if its size has no remainder: |images|, and what is
// added to each channel.
static void one_back(const row* r, const oy_tensor* x, oy_tensor* grad, oy_tensor* w,
                     const double* images) {
  const oy_ints stride = {r->stride, 2}, padding = {r->padding, 2},
                dilation = {r->dilation, 2};
  const int64_t area = r->image[0] * r->image[1];
  oy_tensor* b = numbers(OY_DIMS(r->in), x->dtype, 3);
  oy_tensor* y = oy_conv_transpose2d_input(grad, w, b, stride, padding, OY_DIMS(0, 0),
                                           r->groups, dilation);
  double* want = calloc((size_t)oy_tensor_numel(x) + 1, sizeof(double));
  for (int64_t i = 0; i < oy_tensor_numel(x); i++)
    want[i] = images[i] + element(b, i / area % r->in);
  if (y && oy_tensor_numel(y) == oy_tensor_numel(x)) assert_same(y, want);
  free(want);
  oy_tensor_release(b);
  oy_tensor_release(y);
}

static void one_row(const row* r, oy_dtype dtype) {
  const oy_ints kernel = OY_DIMS(r->out, r->in / r->groups, r->kernel[0], r->kernel[1]);
  const oy_ints image = OY_DIMS(r->batch, r->in, r->image[0], r->image[1]);
  const oy_ints stride = {r->stride, 2}, padding = {r->padding, 2},
                dilation = {r->dilation, 2};
  oy_tensor *x = numbers(image, dtype, 1), *w = numbers(kernel, dtype, 2);
  oy_tensor* b = numbers(OY_DIMS(r->out), dtype, 3);
  oy_tensor* y = oy_conv2d(x, w, b, stride, padding, dilation, r->groups);
  if (!y) print_error("%s\n", oy_error_get()->message);
  assert_non_null(y);
  assert_dims(oy_tensor_sizes(y), OY_DIMS(r->batch, r->out, places(r, 0), places(r, 1)));
  double *images = doubles(x, false), *weights = doubles(w, false),
         *maps = doubles(y, true);
  const int64_t plane = places(r, 0) * places(r, 1);
  for (int64_t i = 0; i < oy_tensor_numel(y); i++)
    maps[i] = element(b, i / plane % r->out);
  definition(r, 1, images, maps, weights);
  assert_same(y, maps);

  oy_tensor* grad = numbers(oy_tensor_sizes(y), dtype, 4);
  bool all[3] = {true, true, true};
  oy_tensor *gx, *gw, *gb;
  assert_int_equal(oy_convolution_backward(grad, x, w, OY_DIMS(r->out), stride, padding,
                                           dilation, false, OY_DIMS(0), r->groups,
                                           (oy_bools){all, 3}, &gx, &gw, &gb),
                   OY_OK);
  double *grads = doubles(grad, false), *to_x = doubles(x, true),
         *to_w = doubles(w, true), *to_b = doubles(b, true);
  definition(r, 0, to_x, grads, weights);
  assert_same(gx, to_x);
  definition(r, 2, images, grads, to_w);
  assert_same(gw, to_w);
  for (int64_t i = 0; i < oy_tensor_numel(grad); i++)
    to_b[i / plane % r->out] += grads[i];
  assert_same(gb, to_b);

  // The adjoint is the transposed convolution, where its size has no remainder.
  oy_tensor* back = oy_conv_transpose2d_input(grad, w, &oy_none_object, stride, padding,
                                              OY_DIMS(0, 0), r->groups, dilation);
  if (back && oy_tensor_numel(back) == oy_tensor_numel(x)) assert_same(back, to_x);
  one_back(r, x, grad, w, to_x);
  oy_error_clear();
  double* heap[] = {images, weights, maps, grads, to_x, to_w, to_b};
  for (size_t i = 0; i < sizeof(heap) / sizeof(*heap); i++) free(heap[i]);
  oy_tensor* tensors[] = {x, w, b, y, grad, gx, gw, gb, back};
  for (size_t i = 0; i < sizeof(tensors) / sizeof(*tensors); i++)
    oy_tensor_release(tensors[i]);
}

static void by_definition(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_I64,
                                    OY_DTYPE_BF16, OY_DTYPE_F16};
  for (size_t i = 0; i < sizeof(g_rows) / sizeof(*g_rows); i++)
    for (size_t k = 0; k < sizeof(dtypes) / sizeof(*dtypes); k++)
      if (i < 7 || dtypes[k] != OY_DTYPE_F16) one_row(&g_rows[i], dtypes[k]);
}

typedef struct solid {
  int64_t in, out, groups;
  int64_t image[3], kernel[3], stride[3], padding[3];
} solid;

// Of map element |at| of channel |o|, the sum over its window.
static double window(const solid* r, const double* x, const double* w, int64_t o,
                     const int64_t at[3]) {
  const int64_t per = r->in / r->groups, *k = r->kernel, *size = r->image;
  double sum = 0;
  for (int64_t i = 0; i < per * k[0] * k[1] * k[2]; i++) {
    const int64_t z = at[0] * r->stride[0] - r->padding[0] + i / (k[1] * k[2]) % k[0];
    const int64_t y = at[1] * r->stride[1] - r->padding[1] + i / k[2] % k[1];
    const int64_t v = at[2] * r->stride[2] - r->padding[2] + i % k[2];
    const int64_t c = o / (r->out / r->groups) * per + i / (k[0] * k[1] * k[2]);
    if (z < 0 || y < 0 || v < 0 || z >= size[0] || y >= size[1] || v >= size[2]) continue;
    sum += x[((c * size[0] + z) * size[1] + y) * size[2] + v] *
           w[o * per * k[0] * k[1] * k[2] + i];
  }
  return sum;
}

static double inner(const oy_tensor* a, const oy_tensor* b) {
  double sum = 0;
  for (int64_t i = 0; i < oy_tensor_numel(a); i++) sum += element(a, i) * element(b, i);
  return sum;
}

// The maps by definition; gradients by what makes them adjoints: the maps are linear in
// images and in weights.
static void one_solid(const solid* r, oy_dtype dtype) {
  const oy_ints kernel =
      OY_DIMS(r->out, r->in / r->groups, r->kernel[0], r->kernel[1], r->kernel[2]);
  const oy_ints image = OY_DIMS(1, r->in, r->image[0], r->image[1], r->image[2]);
  const oy_ints stride = {r->stride, 3}, padding = {r->padding, 3},
                one = OY_DIMS(1, 1, 1);
  oy_tensor *x = numbers(image, dtype, 1), *w = numbers(kernel, dtype, 2);
  oy_tensor* y = oy_conv3d(x, w, &oy_none_object, stride, padding, one, r->groups);
  assert_non_null(y);
  double *images = doubles(x, false), *weights = doubles(w, false);
  const oy_ints sizes = oy_tensor_sizes(y);
  for (int64_t i = 0; i < oy_tensor_numel(y); i++) {
    const int64_t *n = sizes.data, area = n[3] * n[4];
    const int64_t at[3] = {i / area % n[2], i / n[4] % n[3], i % n[4]};
    assert_true(element(y, i) == window(r, images, weights, i / area / n[2], at));
  }
  oy_tensor* grad = numbers(sizes, dtype, 4);
  bool mask[3] = {true, true, false};
  oy_tensor *gx, *gw, *gb;
  assert_int_equal(
      oy_convolution_backward(grad, x, w, OY_DIMS(r->out), stride, padding, one, false,
                              OY_DIMS(0), r->groups, (oy_bools){mask, 3}, &gx, &gw, &gb),
      OY_OK);
  for (int64_t salt = 0; salt < 4; salt++) {
    oy_tensor *to_x = numbers(image, dtype, salt), *to_w = numbers(kernel, dtype, salt);
    oy_tensor* by_x =
        oy_conv3d(to_x, w, &oy_none_object, stride, padding, one, r->groups);
    oy_tensor* by_w =
        oy_conv3d(x, to_w, &oy_none_object, stride, padding, one, r->groups);
    assert_true(inner(gx, to_x) == inner(grad, by_x));
    assert_true(inner(gw, to_w) == inner(grad, by_w));
    oy_tensor* all[] = {to_x, to_w, by_x, by_w};
    for (size_t i = 0; i < 4; i++) oy_tensor_release(all[i]);
  }
  free(images);
  free(weights);
  oy_tensor* all[] = {x, w, y, grad, gx, gw};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
}

static void three_dimensions(void** state) {
  (void)state;
  static const solid rows[] = {
      {16, 16, 1, {5, 6, 10}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}},
      {16, 24, 1, {6, 7, 20}, {2, 3, 3}, {2, 2, 2}, {0, 1, 1}},
      {4, 8, 4, {4, 5, 18}, {3, 3, 2}, {1, 2, 1}, {1, 0, 1}},
      {16, 64, 1, {4, 5, 14}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}},
      {16, 16, 1, {9, 3, 20}, {5, 3, 3}, {1, 1, 1}, {2, 1, 1}},
      {16, 16, 1, {12, 10, 13}, {3, 3, 3}, {3, 2, 3}, {1, 0, 1}},
      {5, 6, 1, {9, 8, 10}, {3, 2, 3}, {3, 3, 2}, {0, 1, 1}},
      {16, 3, 1, {9, 8, 10}, {3, 3, 3}, {3, 3, 3}, {1, 1, 1}},
      {18, 2, 1, {8, 7, 6}, {3, 3, 3}, {2, 2, 2}, {1, 2, 1}},
      // groups of few channels: windows as rows, tiles, and lines
      {12, 8, 4, {7, 6, 6}, {3, 3, 3}, {3, 3, 3}, {1, 0, 1}},
      {8, 16, 4, {12, 6, 6}, {3, 3, 3}, {1, 1, 1}, {0, 0, 0}},
      {2, 4, 2, {6, 9, 21}, {1, 2, 1}, {1, 1, 1}, {0, 0, 0}},
      {3, 6, 3, {11, 9, 12}, {3, 2, 3}, {3, 2, 2}, {1, 0, 1}},
      {4, 4, 4, {8, 9, 7}, {3, 3, 3}, {3, 3, 2}, {1, 1, 0}},
      {4, 8, 4, {9, 8, 9}, {2, 2, 2}, {2, 3, 2}, {0, 0, 1}},
      {6, 3, 3, {11, 8, 9}, {1, 1, 1}, {2, 2, 2}, {0, 0, 0}},
      // narrow planes; points that are apart
      {11, 5, 1, {8, 14, 3}, {3, 3, 3}, {1, 1, 1}, {0, 0, 0}},
      {12, 14, 1, {9, 8, 4}, {3, 3, 3}, {1, 1, 1}, {0, 1, 0}},
      {19, 24, 1, {10, 11, 9}, {1, 1, 1}, {2, 2, 2}, {0, 0, 0}},
      // adjoints with many phases
      {18, 12, 1, {7, 5, 9}, {2, 2, 2}, {2, 2, 2}, {1, 1, 1}},
      {6, 20, 2, {9, 7, 7}, {3, 3, 3}, {2, 2, 2}, {0, 0, 0}},
      // channels and maps that leave much of tiles empty
      {21, 12, 1, {8, 5, 11}, {3, 3, 3}, {2, 2, 2}, {0, 0, 0}},
      {9, 16, 1, {5, 12, 13}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}},
      // channels for themselves, of which an adjoint has planes that no window sees
      {29, 29, 29, {2, 7, 15}, {1, 1, 1}, {2, 2, 2}, {0, 0, 0}},
      {20, 20, 20, {1, 9, 14}, {1, 1, 1}, {2, 2, 2}, {0, 0, 0}},
      {16, 16, 16, {2, 5, 6}, {1, 3, 3}, {2, 2, 2}, {0, 1, 1}},
      // windows that are far apart
      {12, 12, 12, {5, 4, 6}, {3, 3, 3}, {4, 4, 4}, {1, 1, 1}},
      {8, 12, 4, {4, 2, 5}, {2, 2, 2}, {3, 3, 3}, {1, 0, 1}},
      {9, 9, 9, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}, {1, 1, 1}},
      // windows that are planes apart: columns, tiles of windows, of maps, and rows
      {3, 20, 1, {7, 6, 9}, {2, 2, 2}, {2, 2, 2}, {0, 0, 0}},
      {6, 1, 1, {15, 14, 10}, {3, 3, 3}, {2, 2, 2}, {1, 1, 1}},
      {20, 40, 1, {9, 5, 21}, {2, 3, 3}, {2, 1, 2}, {0, 1, 1}},
      {4, 8, 1, {6, 6, 6}, {2, 2, 2}, {2, 2, 2}, {0, 0, 0}},
      {6, 86, 1, {9, 3, 3}, {3, 3, 3}, {2, 2, 2}, {1, 1, 1}},
      // the same of narrow planes and groups, which are not apart
      {8, 48, 1, {7, 6, 4}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}},
      {24, 6, 1, {6, 9, 7}, {4, 4, 4}, {1, 1, 1}, {2, 2, 2}},
      {12, 16, 2, {6, 5, 4}, {2, 2, 2}, {1, 1, 1}, {0, 0, 0}},
      {32, 10, 2, {8, 5, 7}, {3, 3, 3}, {2, 2, 2}, {1, 0, 1}},
      {6, 64, 1, {3, 5, 3}, {3, 3, 1}, {1, 1, 1}, {1, 1, 0}},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    one_solid(&rows[i], OY_DTYPE_F32);
    one_solid(&rows[i], OY_DTYPE_F64);
  }
}

// By hand: a difference, over one and three dimensions, without a batch, by a word.
static void other_forms(void** state) {
  (void)state;
  oy_tensor* x = F32(OY_DIMS(1, 5), 1, 4, 9, 16, 25);
  oy_tensor* w = F32(OY_DIMS(1, 1, 2), -1, 1);
  oy_tensor* none = &oy_none_object;
  oy_ints one = OY_DIMS(1), zero = OY_DIMS(0);
  oy_tensor* difference = oy_conv1d(x, w, none, one, zero, one, 1);
  assert_elements(difference, OY_DIMS(1, 4), 3, 5, 7, 9);
  oy_tensor* same = oy_conv1d_padding(x, w, none, one, oy_str_of("same"), one, 1);
  assert_elements(same, OY_DIMS(1, 5), 3, 5, 7, 9, -25);
  oy_tensor* valid = oy_conv1d_padding(x, w, none, one, oy_str_of("valid"), one, 1);
  assert_elements(valid, OY_DIMS(1, 4), 3, 5, 7, 9);
  oy_tensor* spread = oy_conv_transpose1d(x, w, none, OY_DIMS(2), zero, one, 1, one);
  assert_elements(spread, OY_DIMS(1, 11), -1, 1, -4, 4, -9, 9, -16, 16, -25, 25, 0);
  oy_tensor* cube = F32(OY_DIMS(1, 2, 2, 2), 1, 2, 3, 4, 5, 6, 7, 8);
  oy_tensor* ones = F32(OY_DIMS(1, 1, 2, 2, 2), 1, 1, 1, 1, 1, 1, 1, 1);
  oy_tensor* total = oy_conv3d(cube, ones, none, one, zero, one, 1);
  assert_elements(total, OY_DIMS(1, 1, 1, 1), 36);
  oy_tensor* doubled =
      oy_conv_transpose3d_input(total, ones, none, one, zero, zero, 1, one);
  assert_elements(doubled, OY_DIMS(1, 2, 2, 2), 36, 36, 36, 36, 36, 36, 36, 36);
  oy_tensor* times = F32(OY_DIMS(3, 1, 2), 1, 2, 3, 4, 5, 6);
  oy_tensor* kernel = F32(OY_DIMS(2, 2, 1), 1, 10, 100, 1000);
  oy_tensor* bias = F32(OY_DIMS(1), 0.5);
  oy_tensor* tbc = oy_conv_tbc(times, kernel, bias, 0);
  assert_elements(tbc, OY_DIMS(2, 1, 1), 4321.5, 6543.5);
  oy_tensor* out = F32(OY_DIMS(1), 0);
  oy_tensor* batch = oy_unsqueeze(x, 0);
  assert_ptr_equal(
      oy_convolution_out(batch, w, none, one, zero, one, false, zero, 1, out), out);
  assert_elements(out, OY_DIMS(1, 1, 4), 3, 5, 7, 9);
  oy_tensor* all[] = {x,     w,       difference, same,   valid, spread, cube, ones,
                      total, doubled, times,      kernel, bias,  tbc,    out,  batch};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
}

static void what_does_not_fit_is_refused(void** state) {
  (void)state;
  oy_tensor* x = numbers(OY_DIMS(1, 3, 5, 5), OY_DTYPE_F32, 1);
  oy_tensor* flat = numbers(OY_DIMS(3, 5), OY_DTYPE_F32, 1);
  oy_tensor* w = numbers(OY_DIMS(2, 3, 3, 3), OY_DTYPE_F32, 1);
  oy_tensor* w4 = numbers(OY_DIMS(2, 4, 3, 3), OY_DTYPE_F32, 1);
  oy_tensor* w7 = numbers(OY_DIMS(2, 3, 7, 3), OY_DTYPE_F32, 1);
  oy_tensor* wd = numbers(OY_DIMS(2, 3, 3, 3), OY_DTYPE_F64, 1);
  oy_tensor* b = numbers(OY_DIMS(3), OY_DTYPE_F32, 1);
  oy_tensor* none = &oy_none_object;
  oy_ints one = OY_DIMS(1), zero = OY_DIMS(0);
#define CONV(input, weight, bias, stride, padding, dilation, groups) \
  oy_conv2d(input, weight, bias, stride, padding, dilation, groups)
  assert_fails(
      CONV(flat, w, none, one, zero, one, 1),
      "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of "
      "size: [3, 5]");
  assert_fails(
      CONV(x, w4, none, one, zero, one, 1),
      "Given groups=1, weight of size [2, 4, 3, 3], expected input[1, 3, 5, 5] to "
      "have 4 channels, but got 3 channels instead");
  assert_fails(
      CONV(x, w, b, one, zero, one, 1),
      "Given weight of size [2, 3, 3, 3], expected bias to be 1-dimensional with "
      "2 elements, but got bias of size [3] instead");
  assert_fails(CONV(x, w7, none, one, zero, one, 1),
               "Calculated padded input size per channel: (5 x 5). Kernel size: (7 x 3). "
               "Kernel size can't be greater than actual input size");
  assert_fails(CONV(x, w, none, zero, zero, one, 1),
               "non-positive stride is not supported");
  assert_fails(CONV(x, w, none, OY_DIMS(1, 1, 1), zero, one, 1),
               "expected stride to be a single integer value or a list of 2 values to "
               "match the convolution dimensions, but got stride=[1, 1, 1]");
  assert_fails(CONV(x, w, none, one, OY_DIMS(-1), one, 1),
               "negative padding is not supported");
  assert_fails(CONV(x, w, none, one, zero, one, 0),
               "non-positive groups is not supported");
  assert_fails(CONV(x, wd, none, one, zero, one, 1),
               "expected scalar type Float but found Double");
  assert_fails(oy_conv2d_padding(x, w, none, OY_DIMS(2), oy_str_of("same"), one, 1),
               "padding='same' is not supported for strided convolutions");
  assert_fails(oy_conv2d_padding(x, w, none, one, oy_str_of("sam"), one, 1),
               "Invalid padding string: 'sam'");
  assert_fails(
      oy_conv_transpose2d_input(x, w, none, one, zero, zero, 1, one),
      "Given transposed=1, weight of size [2, 3, 3, 3], expected input[1, 3, 5, 5] "
      "to have 2 channels, but got 3 channels instead");
  oy_tensor* all[] = {x, flat, w, w4, w7, wd, b};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
}

static int without_openblas(void** state) {
  setenv("OPYARD_OPENBLAS", "off", 1);
  return init_library(state);
}
static int with_openblas(void** state) {
  unsetenv("OPYARD_OPENBLAS");
  return init_library(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_definition),
      cmocka_unit_test(three_dimensions),
      cmocka_unit_test(other_forms),
      cmocka_unit_test(what_does_not_fit_is_refused),
  };
  int failed =
      cmocka_run_group_tests_name("portable", tests, without_openblas, shut_library);
  return failed +
         cmocka_run_group_tests_name("openblas", tests, with_openblas, shut_library);
}
