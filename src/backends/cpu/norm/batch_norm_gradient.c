// SPDX-License-Identifier: Apache-2.0
// The gradients of batch_norm: in training through the statistics of the batch, else by
// the running ones, which are constants.
#include <math.h>
#include <string.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/norm/norm_gradients.h"
#include "base/threads.h"
#include "ops/rules/rules.h"

typedef struct job {
  oyi_norm_rows r;
  const void *running_mean, *running_var;
  oyi_channels c;
  bool training;
  double eps;
} job;

static void statistics(const job* j, int64_t c, double* mean, double* rstd) {
  if (j->training) {
    *mean = oyi_number_at(j->r.mean, j->r.dtype, c);
    *rstd = oyi_number_at(j->r.rstd, j->r.dtype, c);
  } else {
    *mean = oyi_number_at(j->running_mean, j->r.dtype, c);
    *rstd = 1 / sqrt(oyi_number_at(j->running_var, j->r.dtype, c) + j->eps);
  }
}

// What blend() wants, of the sums of a channel; its parameters get their gradients.
static void settle(const job* j, int64_t c, double rstd, const double sums[2],
                   double by[3]) {
  const oyi_norm_rows* r = &j->r;
  if (r->to_weight) oyi_number_put(r->to_weight, r->dtype, c, sums[1] * rstd);
  if (r->to_bias) oyi_number_put(r->to_bias, r->dtype, c, sums[0]);
  const double weight = r->weight ? oyi_number_at(r->weight, r->dtype, c) : 1;
  const double scale = weight * rstd, count = (double)(j->c.samples * j->c.inner);
  by[0] = scale, by[1] = by[2] = 0;
  if (j->training) {
    by[1] = -scale * rstd * rstd * sums[1] / count;
    by[2] = -scale * sums[0] / count;
  }
}

static oy_status one_channel(int64_t c, void* context) {
  const job* j = context;
  const oyi_norm_rows* r = &j->r;
  const int64_t bytes = j->c.inner * r->item;
  double mean, rstd, sums[2] = {0, 0}, by[3];
  statistics(j, c, &mean, &rstd);
  for (int64_t i = 0; i < j->c.samples; i++) {
    const int64_t at = (i * j->c.channels + c) * bytes;
    double own[2];
    r->math->products(j->c.inner, r->grad + at, r->in + at, mean, NULL, own);
    sums[0] += own[0];
    sums[1] += own[1];
  }
  settle(j, c, rstd, sums, by);
  if (!r->out) return OY_OK;
  for (int64_t i = 0; i < j->c.samples; i++) {
    const int64_t at = (i * j->c.channels + c) * bytes;
    if (j->training)
      r->math->blend(j->c.inner, r->grad + at, r->in + at, r->out + at, mean, NULL, by);
    else
      r->math->affine(j->c.inner, r->grad + at, r->out + at, 0, by[0], 0);
  }
  return OY_OK;
}

static oy_status some_columns(int64_t index, void* context) {
  const job* j = context;
  const oyi_norm_rows* r = &j->r;
  const oyi_channels* c = &j->c;
  const int64_t first = index * c->together, room = c->channels - first;
  const int64_t count = room < c->together ? room : c->together;
  const int64_t begin = first * c->inner * r->item, columns = count * c->inner,
                row = c->channels * c->inner;
  const char *grad = r->grad + begin, *in = r->in + begin;
  double rstds[OYI_COLUMNS], sums[2][OYI_COLUMNS], by[4 * OYI_COLUMNS], factors[3];
  memset(by, 0, (size_t)(columns * r->item));
  for (int64_t i = 0; i < count; i++) {
    double mean;
    statistics(j, first + i, &mean, &rstds[i]);
    oyi_channel_put(c, by, r->dtype, 0, i, mean);
  }
  r->math->column_products(c->samples, row, columns, grad, in, by, sums[0], sums[1]);
  oyi_channels_sum(c, count, sums[0]);
  oyi_channels_sum(c, count, sums[1]);
  for (int64_t i = 0; i < count; i++) {
    settle(j, first + i, rstds[i], (double[]){sums[0][i], sums[1][i]}, factors);
    if (!j->training) oyi_channel_put(c, by, r->dtype, 0, i, 0);  // nothing but a factor
    for (int64_t k = 0; k < 3; k++)
      oyi_channel_put(c, by, r->dtype, (k + 1) * OYI_COLUMNS, i, factors[k]);
  }
  if (!r->out) return OY_OK;
  if (j->training)
    r->math->blend_columns(c->samples, row, columns, grad, in, r->out + begin, by);
  else
    r->math->affine_columns(c->samples, row, columns, grad, r->out + begin, by);
  return OY_OK;
}

static oy_status compute(job* j, const oyi_norm_grads* g, oy_object* const made[3],
                         const oyi_tensor* running_mean, const oyi_tensor* running_var) {
  const oyi_tensor* t = oyi_tensor_cast(g->input);
  j->c = oyi_channels_of(t);
  oyi_tensor* views[3] = {
      oyi_channels_view(&j->c, oyi_tensor_cast(g->grad)), oyi_channels_view(&j->c, t),
      made[0] == &oy_none_object ? NULL
                                 : oyi_channels_view(&j->c, oyi_tensor_cast(made[0]))};
  oyi_work w = oyi_work_begin(oyi_float_to_compute(g->input->dtype));
  w.failed = !views[0] || !views[1] || (made[0] != &oy_none_object && !views[2]);
  oyi_norm_rows_read(&j->r, &w, g);
  j->running_mean = oyi_work_read(&w, running_mean);
  j->running_var = oyi_work_read(&w, running_var);
  j->r.grad = oyi_work_read(&w, views[0]);
  j->r.in = oyi_work_read(&w, views[1]);
  oyi_norm_rows_write(&j->r, &w, views[2], made);
  oy_status status = OY_OK;
  if (!w.failed && j->c.columns)
    status =
        oyi_parallel_chunks(oyi_stretches(j->c.channels, j->c.together), some_columns, j);
  else if (!w.failed)
    status = oyi_parallel_chunks(j->c.channels, one_channel, j);
  status = oyi_work_end(&w, status);
  for (int i = 0; i < 3; i++) oy_tensor_release(oyi_tensor_object(views[i]));
  return status;
}

OYI_CPU(native_batch_norm_backward) {
  oyi_norm rule;
  oy_object* made[3];
  oy_object* const params[4] = {weight, &oy_none_object, running_mean, running_var};
  OY_TRY(oyi_rule_batch_norm(&rule, input, params, train));
  if (!oyi_is_optional(save_mean) || !oyi_is_optional(save_invstd)) return oy_failure();
  OY_CHECK(!train || (save_mean != &oy_none_object && save_invstd != &oy_none_object),
           INVALID_ARGUMENT,
           "native_batch_norm_backward: expected save_mean and save_invstd in training");
  oy_object* none = &oy_none_object;
  oyi_norm_grads g = {.grad = grad_out,
                      .input = input,
                      .mean = train ? save_mean : none,
                      .rstd = train ? save_invstd : none,
                      .weight = weight,
                      .mask = output_mask,
                      .format = rule.format,
                      .statistics = rule.in->sizes[1],
                      .params = {&rule.in->sizes[1], 1}};
  oy_status status = oyi_norm_grads_make(&g, "batch_norm_backward_cpu", made);
  job j = {.training = train, .eps = eps};
  if (status == OY_OK && oyi_norm_grads_run(made))
    status = compute(&j, &g, made, train ? NULL : oyi_optional_tensor(running_mean),
                     train ? NULL : oyi_optional_tensor(running_var));
  return oyi_norm_grads_give(made, (oy_object * * const[]){out_0, out_1, out_2}, status);
}
