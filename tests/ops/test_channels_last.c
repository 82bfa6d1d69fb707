// SPDX-License-Identifier: Apache-2.0
// Images whose channels lie side by side, and narrow ones: another size of them, averages, and
// the gradients of both, against sums over all elements by their definition.
#include "base/memory.h"
#include "support/tensors.h"

enum { SAMPLES = 2, MOST_CHANNELS = 17, MOST_SIDE = 20 };
enum { MOST = SAMPLES * MOST_CHANNELS * MOST_SIDE * MOST_SIDE };

// How much of element |i| of a line of |in| place |o| of |out| takes.
typedef double (*share_fn)(int64_t o, int64_t i, int64_t in, int64_t out);

static double nearest(int64_t o, int64_t i, int64_t in, int64_t out) {
  return o * in / out == i;
}
static double linear(int64_t o, int64_t i, int64_t in, int64_t out) {
  const double at = fmax(((double)o + 0.5) * (double)in / (double)out - 0.5, 0);
  const int64_t first = (int64_t)at, second = first + (first < in - 1);
  const double part = at - (double)first;
  return (first == i) * (1 - part) + (second == i) * part;
}
// Windows of three, two apart, after padding by one, which counts.
static double three(int64_t o, int64_t i, int64_t in, int64_t out) {
  (void)in, (void)out;
  return i >= 2 * o - 1 && i <= 2 * o + 1 ? 1.0 / 3 : 0;
}
static double adaptive(int64_t o, int64_t i, int64_t in, int64_t out) {
  const int64_t from = o * in / out, to = ((o + 1) * in + out - 1) / out;
  return i >= from && i < to ? 1 / (double)(to - from) : 0;
}

typedef enum operation { NEAREST, LINEAR, AVERAGE, ADAPTIVE, OPERATIONS } operation;
static const share_fn g_shares[] = {nearest, linear, three, adaptive};

typedef struct image {
  int64_t channels, in[2], out[2];
} image;

static oy_tensor* forward(operation what, const image* m, oy_tensor* x) {
  const oy_ints out = {m->out, 2};
  switch (what) {
    case NEAREST: return oy_upsample_nearest2d(x, out, oy_none(), oy_none());
    case LINEAR: return oy_upsample_bilinear2d(x, out, false, oy_none(), oy_none());
    case AVERAGE:
      return oy_avg_pool2d(x, OY_DIMS(3, 3), OY_DIMS(2, 2), OY_DIMS(1, 1), false, true,
                           oy_none());
    default: return oy__adaptive_avg_pool2d(x, out);
  }
}

static oy_tensor* backward(operation what, const image* m, oy_tensor* grad,
                           oy_tensor* x) {
  const oy_ints out = {m->out, 2};
  const oy_ints in = OY_DIMS(SAMPLES, m->channels, m->in[0], m->in[1]);
  switch (what) {
    case NEAREST:
      return oy_upsample_nearest2d_backward(grad, out, in, oy_none(), oy_none());
    case LINEAR:
      return oy_upsample_bilinear2d_backward(grad, out, in, false, oy_none(), oy_none());
    case AVERAGE:
      return oy_avg_pool2d_backward(grad, x, OY_DIMS(3, 3), OY_DIMS(2, 2), OY_DIMS(1, 1),
                                    false, true, oy_none());
    default: return oy__adaptive_avg_pool2d_backward(grad, x);
  }
}

// To |want|, of |to| x |to| or of what they come from, the sums of all shares of |data|.
static void all_shares(operation what, const image* m, bool is_backward,
                       const double* data, double* want) {
  const int64_t *in = m->in, *out = m->out, planes = SAMPLES * m->channels;
  const int64_t* to = is_backward ? in : out;
  for (int64_t k = 0; k < planes * to[0] * to[1]; k++) want[k] = 0;
  for (int64_t p = 0; p < planes; p++)
    for (int64_t h = 0; h < out[0] * in[0]; h++) {
      const double by = g_shares[what](h / in[0], h % in[0], in[0], out[0]);
      for (int64_t w = 0; by != 0 && w < out[1] * in[1]; w++) {
        const double share = by * g_shares[what](w / in[1], w % in[1], in[1], out[1]);
        const int64_t here = (p * out[0] + h / in[0]) * out[1] + w / in[1];
        const int64_t there = (p * in[0] + h % in[0]) * in[1] + w % in[1];
        if (is_backward)
          want[there] += share * data[here];
        else
          want[here] += share * data[there];
      }
    }
}

static oy_tensor* numbers(const image* m, const int64_t side[2], bool last,
                          oy_dtype dtype, double* data) {
  const oy_ints sizes = OY_DIMS(SAMPLES, m->channels, side[0], side[1]);
  for (int64_t i = 0; i < SAMPLES * m->channels * side[0] * side[1]; i++)
    data[i] = (double)(i * 37 % 61 - 30) / 8;
  oy_tensor* t = oy_scope_take(oy_tensor_from_data(data, sizes, OY_DTYPE_F64));
  t = oy_to_dtype(t, dtype, false, true, oy_none());
  return last ? oy_contiguous(t, OY_MEMORY_CHANNELS_LAST) : t;
}

static void check(operation what, const image* m, bool last, bool grad_last,
                  oy_dtype dtype) {
  static double x[MOST], grad[MOST], want[MOST];
  const double near = dtype == OY_DTYPE_F64 ? 1e-12 : dtype == OY_DTYPE_F32 ? 1e-5 : 0.2;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* in = numbers(m, m->in, last, dtype, x);
  oy_tensor* from = numbers(m, m->out, grad_last, dtype, grad);
  all_shares(what, m, false, x, want);
  assert_close_(forward(what, m, in), oy_tensor_sizes(from), want, near, __FILE__,
                __LINE__);
  all_shares(what, m, true, grad, want);
  assert_close_(backward(what, m, from, in), oy_tensor_sizes(in), want, near, __FILE__,
                __LINE__);
  oy_scope_close(&scope);
}

static void images_of_any_layout(void** state) {
  (void)state;
  static const int64_t channels[] = {1, 3, 4, 5, 8, 17};
  static const image sides[] = {{0, {2, 8}, {4, 16}},
                                {0, {5, 7}, {3, 4}},
                                {0, {3, 1}, {6, 2}},
                                {0, {1, 4}, {2, 8}},
                                {0, {4, 20}, {8, 10}}};
  static const oy_dtype dtypes[] = {OY_DTYPE_F64, OY_DTYPE_F32, OY_DTYPE_BF16};
  for (int what = 0; what < OPERATIONS; what++)
    for (size_t c = 0; c < OY_ARRAY_SIZE(channels); c++)
      for (size_t s = 0; s < OY_ARRAY_SIZE(sides); s++) {
        image m = sides[s];
        m.channels = channels[c];
        for (int k = 0; what == AVERAGE && k < 2; k++) m.out[k] = (m.in[k] - 1) / 2 + 1;
        for (int k = 0; k < 4; k++)
          for (size_t d = 0; d < OY_ARRAY_SIZE(dtypes); d++)
            check((operation)what, &m, k & 1, k & 2, dtypes[d]);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(images_of_any_layout)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
