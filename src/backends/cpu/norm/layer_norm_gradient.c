// SPDX-License-Identifier: Apache-2.0
// The gradients of layer_norm and group_norm. With d = grad * weight and m elements that
// share a mean, that of the input is
//
//   rstd * (d - sum(d) / m - (in - mean) * rstd^2 * sum(d * (in - mean)) / m)
#include <string.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/norm/norm_gradients.h"
#include "base/memory.h"
#include "base/threads.h"
#include "ops/rules/rules.h"

enum { PARTS = 16 };  // sums over rows are made of that many

typedef struct job {
  oyi_norm_rows r;
  int64_t rows, n, stretch;
  char* parts;                           // layer_norm: sums of each stretch of rows
  int64_t groups, channels, per, inner;  // group_norm; |per| channels in a group
  double* sums;                          // of each channel of each sample, two
} job;

// What blend() wants, of the sums of m elements.
static void factors(double by[3], const double sums[2], double rstd, int64_t m) {
  by[0] = rstd;
  by[1] = -rstd * rstd * rstd * sums[1] / (double)m;
  by[2] = -rstd * sums[0] / (double)m;
}

// -------------------------------------------------------------------- layer_norm

// Rows that are a few vectors each.
static void short_rows(const job* j, int64_t first, int64_t end, char* part) {
  const oyi_norm_rows* r = &j->r;
  const int64_t bytes = j->n * r->item;
  r->math->normalise_backward_short(
      &(oyi_short_rows){.n = j->n,
                        .rows = end - first,
                        .in = r->in + first * bytes,
                        .grad = r->grad + first * bytes,
                        .weight = r->weight,
                        .out = r->out + first * bytes,
                        .mean = (char*)(uintptr_t)r->mean + first * r->item,
                        .rstd = (char*)(uintptr_t)r->rstd + first * r->item,
                        .weights = part,
                        .biases = part ? part + bytes : NULL});
}

static oy_status layer_rows(int64_t index, void* context) {
  const job* j = context;
  const oyi_norm_rows* r = &j->r;
  const int64_t bytes = j->n * r->item, end = (index + 1) * j->stretch;
  char* part = j->parts ? j->parts + index * 2 * bytes : NULL;
  if (r->out && j->n > 0 && j->n <= r->math->short_row) {
    short_rows(j, index * j->stretch, end < j->rows ? end : j->rows, part);
    return OY_OK;
  }
  for (int64_t i = index * j->stretch; i < end && i < j->rows; i++) {
    const char *grad = r->grad + i * bytes, *in = r->in + i * bytes;
    const double mean = oyi_number_at(r->mean, r->dtype, i);
    const double rstd = oyi_number_at(r->rstd, r->dtype, i);
    if (part) r->math->add_products(j->n, grad, in, mean, rstd, part, part + bytes);
    if (!r->out) continue;
    double sums[2], by[3];
    r->math->products(j->n, grad, in, mean, r->weight, sums);
    factors(by, sums, rstd, j->n);
    r->math->blend(j->n, grad, in, r->out + i * bytes, mean, r->weight, by);
  }
  return OY_OK;
}

// The sum of the parts, |bytes| from each other.
static void add_parts(const job* j, const char* first, int64_t count, int64_t bytes,
                      void* out) {
  if (!out) return;
  for (int64_t k = 0; k < j->n; k++) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
      sum += oyi_number_at(first + i * bytes, j->r.dtype, k);
    oyi_number_put(out, j->r.dtype, k, sum);
  }
}

static oy_status layer_run(job* j) {
  const int64_t bytes = j->n * j->r.item;
  const int64_t least = j->rows / PARTS + 1, grain = oyi_stretch(j->n);
  j->stretch = least > grain ? least : grain;
  const int64_t count = oyi_stretches(j->rows, j->stretch);
  if (j->r.to_weight || j->r.to_bias) {
    j->parts = oyi_calloc((size_t)(count * 2) + 1, (size_t)bytes + 1);
    if (!j->parts) return oy_failure();
  }
  oy_status status = oyi_parallel_chunks(count, layer_rows, j);
  if (j->parts && status == OY_OK) {
    add_parts(j, j->parts, count, 2 * bytes, j->r.to_weight);
    add_parts(j, j->parts + bytes, count, 2 * bytes, j->r.to_bias);
  }
  oyi_free(j->parts);
  return status;
}

typedef oy_status (*run_fn)(job* j);

static oy_status compute(job* j, const oyi_norm_grads* g, oy_object* const made[3],
                         run_fn run) {
  oyi_work w = oyi_work_begin(oyi_float_to_compute(g->input->dtype));
  oyi_norm_rows_read(&j->r, &w, g);
  j->r.grad = oyi_work_read(&w, oyi_tensor_cast(g->grad));
  j->r.in = oyi_work_read(&w, oyi_tensor_cast(g->input));
  oyi_norm_rows_write(&j->r, &w, oyi_optional_tensor(made[0]), made);
  return oyi_work_end(&w, w.failed ? OY_OK : run(j));
}

OYI_CPU(native_layer_norm_backward) {
  oyi_norm rule;
  oy_object* made[3];
  OY_TRY(oyi_rule_layer_norm(&rule, input, normalized_shape, weight, bias));
  oyi_norm_grads g = {.grad = grad_out,
                      .input = input,
                      .mean = mean,
                      .rstd = rstd,
                      .weight = weight,
                      .mask = output_mask,
                      .statistics = rule.rows,
                      .params = normalized_shape};
  if (!oyi_tensor_of(mean) || !oyi_tensor_of(rstd)) return oy_failure();
  oy_status status = oyi_norm_grads_make(&g, "LayerNormBackwardKernelImpl", made);
  job j = {.rows = rule.rows, .n = rule.n};
  if (status == OY_OK && oyi_norm_grads_run(made))
    status = compute(&j, &g, made, layer_run);
  return oyi_norm_grads_give(made, (oy_object * * const[]){out_0, out_1, out_2}, status);
}

// -------------------------------------------------------------------- group_norm

static double weight_of(const job* j, int64_t channel) {
  return j->r.weight ? oyi_number_at(j->r.weight, j->r.dtype, channel) : 1;
}

static oy_status group_row(int64_t row, void* context) {
  const job* j = context;
  const oyi_norm_rows* r = &j->r;
  const double mean = oyi_number_at(r->mean, r->dtype, row);
  const double rstd = oyi_number_at(r->rstd, r->dtype, row);
  const int64_t first = row * j->per, bytes = j->inner * r->item;
  double sums[2] = {0, 0}, by[3];
  for (int64_t k = first; k < first + j->per; k++) {
    double* own = j->sums + 2 * k;
    const double weight = weight_of(j, k % j->channels);
    r->math->products(j->inner, r->grad + k * bytes, r->in + k * bytes, mean, NULL, own);
    sums[0] += own[0] * weight;
    sums[1] += own[1] * weight;
  }
  factors(by, sums, rstd, j->per * j->inner);
  for (int64_t k = first; k < first + j->per && r->out; k++) {
    by[0] = rstd * weight_of(j, k % j->channels);
    r->math->blend(j->inner, r->grad + k * bytes, r->in + k * bytes, r->out + k * bytes,
                   mean, NULL, by);
  }
  return OY_OK;
}

static void add_samples(const job* j) {
  const oyi_norm_rows* r = &j->r;
  const int64_t samples = j->rows / j->groups;
  for (int64_t c = 0; c < j->channels; c++) {
    double weight = 0, bias = 0;
    for (int64_t i = 0; i < samples; i++) {
      const double* own = j->sums + 2 * (i * j->channels + c);
      weight += own[1] * oyi_number_at(r->rstd, r->dtype, i * j->groups + c / j->per);
      bias += own[0];
    }
    if (r->to_weight) oyi_number_put(r->to_weight, r->dtype, c, weight);
    if (r->to_bias) oyi_number_put(r->to_bias, r->dtype, c, bias);
  }
}

static oy_status group_run(job* j) {
  j->sums = oyi_calloc((size_t)(j->rows * j->per) + 1, 2 * sizeof(double));
  if (!j->sums) return oy_failure();
  oy_status status = OY_OK;
  if (j->n > 0) status = oyi_parallel_chunks(j->rows, group_row, j);
  if (status == OY_OK) add_samples(j);
  oyi_free(j->sums);
  return status;
}

OYI_CPU(native_group_norm_backward) {
  oyi_norm rule;
  oy_object* made[3];
  const int64_t shape[3] = {N, C, HxW};
  OY_TRY(oyi_rule_group_norm(&rule, input, weight, &oy_none_object, shape, group));
  oyi_norm_grads g = {.grad = grad_out,
                      .input = input,
                      .mean = mean,
                      .rstd = rstd,
                      .weight = weight,
                      .mask = output_mask,
                      .statistics = rule.rows,
                      .params = {&shape[1], 1}};
  if (!oyi_tensor_of(mean) || !oyi_tensor_of(rstd)) return oy_failure();
  oy_status status = oyi_norm_grads_make(&g, "GroupNormBackwardKernelImpl", made);
  job j = {.rows = rule.rows,
           .n = rule.n,
           .groups = group,
           .channels = C,
           .per = C / group,
           .inner = HxW};
  if (status == OY_OK && oyi_norm_grads_run(made))
    status = compute(&j, &g, made, group_run);
  return oyi_norm_grads_give(made, (oy_object * * const[]){out_0, out_1, out_2}, status);
}
