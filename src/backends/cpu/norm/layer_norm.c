// SPDX-License-Identifier: Apache-2.0
// Normalisation of rows (layer_norm) and of groups of channels (group_norm): mean and
// 1 / deviation of a contiguous stretch of the input.
#include <math.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/norm/rows.h"
#include "backends/cpu/norm/rules_norm.h"
#include "backends/cpu/work.h"
#include "base/threads.h"
#include "ops/calls.h"

typedef struct job {
  const oyi_row_math* math;
  oy_dtype dtype;
  const char *in, *weight, *bias;
  char* out;
  void *mean, *rstd;
  int64_t rows, n, stretch;
  int64_t groups, channels;  // of group_norm: in a sample, in a group; else 0
  double eps;
} job;

static const void* element_of(const job* j, const char* data, int64_t i) {
  return data ? data + i * oyi_dtype_bytes[j->dtype] : NULL;
}

// The channels of one row, each with a weight and a bias of its own.
static void scale_channels(const job* j, int64_t row, double mean, double rstd) {
  const int64_t inner = j->n / j->channels, item = oyi_dtype_bytes[j->dtype];
  for (int64_t k = 0; k < j->channels; k++) {
    const int64_t c = row % j->groups * j->channels + k;
    const int64_t at = (row * j->n + k * inner) * item;
    const double scale = j->weight ? oyi_number_at(j->weight, j->dtype, c) : 1;
    const double shift = j->bias ? oyi_number_at(j->bias, j->dtype, c) : 0;
    j->math->affine(inner, j->in + at, j->out + at, mean, rstd * scale, shift);
  }
}

// Of no elements: the mean of nothing is 0 and its spread is not a number, as PyTorch says.
static void empty_row(const job* j, int64_t row) {
  oyi_number_put(j->mean, j->dtype, row, 0);
  oyi_number_put(j->rstd, j->dtype, row, NAN);
}

static void one_row(const job* j, int64_t row) {
  const char* in = element_of(j, j->in, row * j->n);
  char* out = j->out + row * j->n * oyi_dtype_bytes[j->dtype];
  const double mean = j->math->sum(j->n, in) / (double)j->n;
  const double variance = j->math->square_deviations(j->n, in, mean) / (double)j->n;
  const double rstd = 1 / sqrt(variance + j->eps);
  oyi_number_put(j->mean, j->dtype, row, mean);
  oyi_number_put(j->rstd, j->dtype, row, rstd);
  if (j->channels)
    scale_channels(j, row, mean, rstd);
  else
    j->math->normalise(j->n, in, out, mean, rstd, j->weight, j->bias);
}

// Rows that are a few vectors each, without groups.
static void short_rows(const job* j, int64_t first, int64_t end) {
  const int64_t item = oyi_dtype_bytes[j->dtype], at = first * j->n * item;
  j->math->normalise_short(&(oyi_short_rows){.n = j->n,
                                             .rows = end - first,
                                             .in = j->in + at,
                                             .weight = j->weight,
                                             .bias = j->bias,
                                             .out = j->out + at,
                                             .mean = (char*)j->mean + first * item,
                                             .rstd = (char*)j->rstd + first * item,
                                             .eps = j->eps});
}

static oy_status run_stretch(int64_t index, void* context) {
  const job* j = context;
  const int64_t end = (index + 1) * j->stretch;
  if (j->n > 0 && j->n <= j->math->short_row && !j->channels) {
    short_rows(j, index * j->stretch, end < j->rows ? end : j->rows);
    return OY_OK;
  }
  for (int64_t i = index * j->stretch; i < end && i < j->rows; i++)
    (j->n ? one_row : empty_row)(j, i);
  return OY_OK;
}

static oy_status compute(job* j, oyi_tensor* const made[3], const oyi_tensor* in,
                         const oyi_tensor* weight, const oyi_tensor* bias) {
  oyi_work w = oyi_work_begin(oyi_float_to_compute(in->header.dtype));
  j->dtype = w.dtype;
  j->math = oyi_row_math_for(w.dtype);
  j->in = oyi_work_read(&w, in);
  j->weight = oyi_work_read(&w, weight);
  j->bias = oyi_work_read(&w, bias);
  j->out = oyi_work_write(&w, made[0]);
  j->mean = oyi_work_write(&w, made[1]);
  j->rstd = oyi_work_write(&w, made[2]);
  j->stretch = oyi_stretch(j->n);
  oy_status status = OY_OK;
  if (!w.failed)
    status = oyi_parallel_chunks(oyi_stretches(j->rows, j->stretch), run_stretch, j);
  return oyi_work_end(&w, status);
}

OYI_CPU(native_layer_norm) {
  oyi_norm rule;
  oyi_tensor* made[3];
  oy_object** const results[3] = {out_0, out_1, out_2};
  OY_TRY(oyi_rule_layer_norm(&rule, input, normalized_shape, weight, bias));
  OY_TRY(oyi_norm_make(&rule, made));
  job j = {.rows = rule.rows, .n = rule.n, .eps = eps};
  oy_status status = OY_OK;
  if (!oyi_is_meta(made[0]) && made[1]->numel > 0)
    status = compute(&j, made, rule.in, rule.weight, rule.bias);
  return oyi_norm_give(made, results, status);
}

OYI_CPU(native_group_norm) {
  oyi_norm rule;
  oyi_tensor* made[3];
  oy_object** const results[3] = {out_0, out_1, out_2};
  const int64_t shape[3] = {N, C, HxW};
  OY_TRY(oyi_rule_group_norm(&rule, input, weight, bias, shape, group));
  OY_TRY(oyi_norm_make(&rule, made));
  job j = {
      .rows = rule.rows, .n = rule.n, .groups = group, .channels = C / group, .eps = eps};
  oy_status status = OY_OK;
  if (!oyi_is_meta(made[0]) && made[1]->numel > 0)
    status = compute(&j, made, rule.in, rule.weight, rule.bias);
  return oyi_norm_give(made, results, status);
}
