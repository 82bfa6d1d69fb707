// SPDX-License-Identifier: Apache-2.0
// Indices drawn with given weights. With replacement: a number below the sum falls into a
// category. Without: each category waits an exponential time with its weight as rate, and
// those that come first are taken.
#include <math.h>
#include <stdlib.h>

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
  for (int64_t k = 0; k < samples; k++) {
    int64_t i = find(weights, n, oyi_stream_unit(s) * weights[n - 1]);
    out[k] = i < last ? i : last;
  }
}

typedef struct wait {
  double time;
  int64_t category;
} wait;

static int by_time(const void* a, const void* b) {
  const wait *x = a, *y = b;
  if (x->time != y->time) return x->time < y->time ? -1 : 1;
  return x->category < y->category ? -1 : 1;
}

static void draw_once(const double* weights, int64_t n, oyi_stream* s, int64_t samples,
                      wait* waits, int64_t* out) {
  for (int64_t i = 0; i < n; i++) {
    double time = -log1p(-oyi_stream_unit(s));
    waits[i] = (wait){weights[i] > 0 ? time / weights[i] : INFINITY, i};
  }
  qsort(waits, (size_t)n, sizeof(*waits), by_time);
  for (int64_t k = 0; k < samples; k++) out[k] = waits[k].category;
}

// Each row has a stream of its own.
static oy_status draw_rows(oyi_tensor* weights, int64_t rows, int64_t n, bool replacement,
                           oy_generator_state state, oyi_tensor* out) {
  int64_t samples = rows ? out->numel / rows : 0, *to = oyi_data(out);
  double *w = oyi_data(weights), sum;
  for (int64_t i = 0; i < rows; i++) OY_TRY(check_weights(w + i * n, n, &sum));
  wait* waits = replacement ? NULL : oyi_calloc((size_t)n, sizeof(*waits));
  if (!replacement && !waits) return OY_OUT_OF_MEMORY;
  for (int64_t i = 0; i < rows; i++) {
    oyi_stream s = oyi_stream_begin(state, (uint64_t)i);
    s.stream = 1;
    if (replacement)
      draw_again(w + i * n, n, &s, samples, to + i * samples);
    else
      draw_once(w + i * n, n, &s, samples, waits, to + i * samples);
  }
  oyi_free(waits);
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
