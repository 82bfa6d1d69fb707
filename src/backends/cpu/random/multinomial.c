// SPDX-License-Identifier: Apache-2.0
// Indices drawn with given weights. With replacement: a number below the sum falls into a
// category. Without: each category waits an exponential time with its weight as rate, and
// those that come first are taken.
#include <math.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/loops/philox.h"
#include "base/memory.h"
#include "tensor/element.h"
#include "tensor/generator.h"
#include "tensor/iterator.h"

static oy_status check(oy_object* self, int64_t samples, bool replacement) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_failure();
  OY_CHECK(t->ndim == 1 || t->ndim == 2, INVALID_ARGUMENT,
           "prob_dist must be 1 or 2 dim");
  OY_CHECK(oy_dtype_is_floating(self->dtype), TYPE_MISMATCH,
           "multinomial only supports floating-point dtypes for input, got: %s",
           oy_dtype_pytorch_name(self->dtype));
  OY_CHECK(samples > 0, INVALID_ARGUMENT, "cannot sample n_sample <= 0 samples");
  int64_t categories = t->sizes[t->ndim - 1];
  OY_CHECK(replacement || samples <= categories, INVALID_ARGUMENT,
           "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  OY_CHECK(categories <= 1 << 24, INVALID_ARGUMENT,
           "number of categories cannot exceed 2^24");
  return OY_OK;
}

static oy_status check_weights(const double* weights, int64_t n, double* out_sum) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++) {
    OY_CHECK(weights[i] >= 0 && isfinite(weights[i]), INVALID_ARGUMENT,
             "probability tensor contains either `inf`, `nan` or element < 0");
    sum += weights[i];
  }
  OY_CHECK(sum > 0, INVALID_ARGUMENT,
           "invalid multinomial distribution (sum of probabilities <= 0)");
  *out_sum = sum;
  return OY_OK;
}

// Uniform numbers at a time; even, for a counter makes two.
enum { PIECE = 256 };

// The first category whose weights, summed up to it, are above |at|.
static int64_t find(const double* sums, int64_t n, double at) {
  int64_t low = 0, high = n - 1;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (sums[middle] > at)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// |weights| become their running sums.
static void draw_again(double* weights, int64_t n, oyi_stream* s, int64_t samples,
                       int64_t* out) {
  int64_t last = 0;  // of those that have a weight
  for (int64_t i = 0; i < n; i++)
    if (weights[i] > 0) last = i;
  for (int64_t i = 1; i < n; i++) weights[i] += weights[i - 1];
  double units[PIECE];
  for (int64_t k = 0; k < samples; k++) {
    if (k % PIECE == 0)
      oyi_stream_units(s, samples - k < PIECE ? samples - k : PIECE, units);
    int64_t i = find(weights, n, units[k % PIECE] * weights[n - 1]);
    out[k] = i < last ? i : last;
  }
}

typedef struct wait {
  double time;
  int64_t category;
} wait;

static bool comes_later(const wait* x, const wait* y) {
  return x->time != y->time ? x->time > y->time : x->category > y->category;
}

// Puts |w| into a heap of |n|, the latest on top, in place of the top one.
static void sink(wait* heap, int64_t n, wait w) {
  int64_t at = 0;
  for (int64_t below = 1; below < n; below = 2 * at + 1) {
    if (below + 1 < n && comes_later(&heap[below + 1], &heap[below])) below++;
    if (!comes_later(&heap[below], &w)) break;
    heap[at] = heap[below];
    at = below;
  }
  heap[at] = w;
}

static void lift(wait* heap, int64_t at, wait w) {
  for (int64_t above; at > 0 && comes_later(&w, &heap[above = (at - 1) / 2]); at = above)
    heap[at] = heap[above];
  heap[at] = w;
}

// A heap of the first |samples|. -log(1 - u) is not below u, so that most of those that come
// too late need no logarithm.
static void draw_once(const double* weights, int64_t n, oyi_stream* s, int64_t samples,
                      wait* heap, int64_t* out) {
  double units[PIECE];
  for (int64_t i = 0; i < n; i++) {
    if (i % PIECE == 0) oyi_stream_units(s, n - i < PIECE ? n - i : PIECE, units);
    const double unit = units[i % PIECE];
    if (i >= samples && unit * (1 - 1e-15) > heap[0].time * weights[i]) continue;
    const double time = -log1p(-unit);
    const wait w = {weights[i] > 0 ? time / weights[i] : INFINITY, i};
    if (i < samples)
      lift(heap, i, w);
    else if (comes_later(&heap[0], &w))
      sink(heap, samples, w);
  }
  for (int64_t k = samples; k-- > 0;) {
    out[k] = heap[0].category;
    sink(heap, k, heap[k]);
  }
}

// Each row has a stream of its own.
static oy_status draw_rows(oyi_tensor* weights, int64_t rows, int64_t n, bool replacement,
                           oy_generator_state state, oyi_tensor* out) {
  int64_t samples = rows ? out->numel / rows : 0, *to = oyi_data(out);
  double *w = oyi_data(weights), sum;
  for (int64_t i = 0; i < rows; i++) OY_TRY(check_weights(w + i * n, n, &sum));
  wait* heap = replacement ? NULL : oyi_calloc((size_t)samples + 1, sizeof(*heap));
  if (!replacement && !heap) return OY_OUT_OF_MEMORY;
  for (int64_t i = 0; i < rows; i++) {
    oyi_stream s = oyi_stream_begin(state, (uint64_t)i);
    s.stream = 1;
    if (replacement)
      draw_again(w + i * n, n, &s, samples, to + i * samples);
    else
      draw_once(w + i * n, n, &s, samples, heap, to + i * samples);
  }
  oyi_free(heap);
  return OY_OK;
}

static oyi_tensor* draw(oy_object* self, int64_t samples, bool replacement,
                        oy_value generator) {
  const oyi_tensor* t = oyi_tensor_cast(self);
  int64_t rows = t->ndim == 2 ? t->sizes[0] : 1, n = t->sizes[t->ndim - 1];
  oy_device device = oyi_tensor_device(t);
  oyi_tensor* out = t->ndim == 2
                        ? oyi_tensor_new(OY_DIMS(rows, samples), OY_DTYPE_I64, device)
                        : oyi_tensor_new(OY_DIMS(samples), OY_DTYPE_I64, device);
  if (!out || oyi_is_meta(out)) return out;
  oy_generator_state state;
  oyi_tensor* weights = NULL;
  oy_status status = oyi_generator_take(generator, device, (uint64_t)rows, &state);
  if (status == 0 && !(weights = oyi_converted(t, OY_DTYPE_F64)))
    status = OY_OUT_OF_MEMORY;
  if (status == 0) status = draw_rows(weights, rows, n, replacement, state, out);
  oy_tensor_release(oyi_tensor_object(weights));
  if (status == 0) return out;
  oy_tensor_release(&out->header);
  return NULL;
}

OYI_CPU(multinomial) {
  if (check(self, num_samples, replacement) != 0) return NULL;
  return oyi_tensor_object(draw(self, num_samples, replacement, generator));
}

OYI_CPU(multinomial_out) {
  oyi_tensor* o = oyi_tensor_of(out);
  if (!o || check(self, num_samples, replacement) != 0) return NULL;
  if (out->dtype != OY_DTYPE_I64) {
    OY_FAIL(TYPE_MISMATCH, "multinomial expects Long tensor out, got: %s",
            oy_dtype_pytorch_name(out->dtype));
    return NULL;
  }
  oyi_tensor* drawn = draw(self, num_samples, replacement, generator);
  if (!drawn) return NULL;
  oy_status status = oyi_output_prepare(o, oyi_sizes_view(drawn), OY_DTYPE_I64,
                                        oyi_tensor_device(drawn));
  if (status == 0 && !oyi_is_meta(o)) oyi_convert(o, drawn);
  oy_tensor_release(&drawn->header);
  return status == 0 ? out : NULL;
}
