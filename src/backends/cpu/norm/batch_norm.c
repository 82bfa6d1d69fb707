// SPDX-License-Identifier: Apache-2.0
// Normalisation of channels over the batch, or by running statistics.
#include <math.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/norm/rows.h"
#include "backends/cpu/norm/rules_norm.h"
#include "backends/cpu/work.h"
#include "base/threads.h"
#include "ops/calls.h"
#include "ops/rules/shape.h"

enum {
  LEAST_COLUMNS = 8,  // that are not moved side by side
  SHORT = 16,         // numbers of a channel, beside which a call for them takes long
  LEAST_SHARE = 64,   // columns of a thread: some lines of the cache
  MANY_ROWS = 512     // of which one line each is enough
};

typedef struct operands {
  const oyi_tensor *in, *weight, *bias;
  oyi_tensor *running_mean, *running_var;
  bool training;
  double momentum, eps;
} operands;

typedef struct job {
  const oyi_row_math* math;
  oy_dtype dtype;
  const char *in, *weight, *bias;
  char* out;
  void *mean, *rstd;                 // NULL: not asked for
  void *running_mean, *running_var;  // may be NULL in training
  oyi_channels c;
  bool training;
  double momentum, eps;
} job;

// Where the numbers of a channel in one sample begin.
static int64_t piece(const job* j, int64_t sample, int64_t channel) {
  return (sample * j->c.channels + channel) * j->c.inner * oyi_dtype_bytes[j->dtype];
}

static void update(const job* j, void* running, int64_t channel, double number) {
  if (!running) return;
  double old = oyi_number_at(running, j->dtype, channel);
  oyi_number_put(running, j->dtype, channel,
                 j->momentum * number + (1 - j->momentum) * old);
}

// 1 / deviation, of what squares of deviations add up to; the running statistics follow.
static double settle(const job* j, int64_t c, double mean, double squares) {
  const double count = (double)(j->c.samples * j->c.inner);
  const double rstd = 1 / sqrt(squares / count + j->eps);
  update(j, j->running_mean, c, mean);
  update(j, j->running_var, c, squares / (count - 1));
  oyi_number_put(j->mean, j->dtype, c, mean);
  oyi_number_put(j->rstd, j->dtype, c, rstd);
  return rstd;
}

// Mean and 1 / deviation of the batch.
static void measure(const job* j, int64_t c, double* mean, double* rstd) {
  const double count = (double)(j->c.samples * j->c.inner);
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < j->c.samples; i++)
    sum += j->math->sum(j->c.inner, j->in + piece(j, i, c));
  *mean = sum / count;
  for (int64_t i = 0; i < j->c.samples; i++)
    squares += j->math->square_deviations(j->c.inner, j->in + piece(j, i, c), *mean);
  *rstd = settle(j, c, *mean, squares);
}
static void recall(const job* j, int64_t c, double* mean, double* rstd) {
  *mean = oyi_number_at(j->running_mean, j->dtype, c);
  *rstd = 1 / sqrt(oyi_number_at(j->running_var, j->dtype, c) + j->eps);
}
static double scale_of(const job* j, int64_t c) {
  return j->weight ? oyi_number_at(j->weight, j->dtype, c) : 1;
}
static double shift_of(const job* j, int64_t c) {
  return j->bias ? oyi_number_at(j->bias, j->dtype, c) : 0;
}

static oy_status one_channel(int64_t c, void* context) {
  const job* j = context;
  double mean, rstd;
  if (j->training)
    measure(j, c, &mean, &rstd);
  else
    recall(j, c, &mean, &rstd);
  const double scale = scale_of(j, c), shift = shift_of(j, c);
  for (int64_t i = 0; i < j->c.samples; i++)
    j->math->affine(j->c.inner, j->in + piece(j, i, c), j->out + piece(j, i, c), mean,
                    rstd * scale, shift);
  return OY_OK;
}

// Channels of one sample and of a few elements each, whose statistics nobody goes on with: rows
// as those of layer_norm.
static bool are_short_rows(const job* j) {
  return j->training && j->c.samples == 1 && j->c.inner <= j->math->short_row &&
         j->mean && j->rstd && !j->running_mean && !j->running_var;
}

static oy_status some_rows(int64_t index, void* context) {
  const job* j = context;
  const int64_t stretch = oyi_stretch(j->c.inner), first = index * stretch,
                room = j->c.channels - first, item = oyi_dtype_bytes[j->dtype];
  const int64_t end = first + (room < stretch ? room : stretch);
  j->math->normalise_short(&(oyi_short_rows){.n = j->c.inner,
                                             .rows = end - first,
                                             .eps = j->eps,
                                             .in = j->in + piece(j, 0, first),
                                             .out = j->out + piece(j, 0, first),
                                             .mean = (char*)j->mean + first * item,
                                             .rstd = (char*)j->rstd + first * item});
  for (int64_t c = first; (j->weight || j->bias) && c < end; c++) {
    char* out = j->out + piece(j, 0, c);
    j->math->affine(j->c.inner, out, out, 0, scale_of(j, c), shift_of(j, c));
  }
  return OY_OK;
}

// The sums of the columns of each of |count| channels.
static void add_columns(const job* j, int64_t count, const char* in, const void* means,
                        double* sums) {
  const int64_t inner = j->c.inner;
  j->math->column_sums(j->c.samples, j->c.channels * inner, count * inner, in, means,
                       sums);
  oyi_channels_sum(&j->c, count, sums);
}

static oy_status some_columns(int64_t index, void* context) {
  const job* j = context;
  const oyi_channels* c = &j->c;
  const int64_t first = index * c->together, room = c->channels - first;
  const int64_t count = room < c->together ? room : c->together;
  const int64_t begin = first * c->inner * oyi_dtype_bytes[j->dtype];
  const bool training = j->training;
  double means[OYI_COLUMNS], squares[OYI_COLUMNS], by[3 * OYI_COLUMNS];
  if (training) {
    add_columns(j, count, j->in + begin, NULL, means);
    for (int64_t i = 0; i < count; i++)
      oyi_channel_put(c, by, j->dtype, 0, i, means[i] /= (double)(c->samples * c->inner));
    add_columns(j, count, j->in + begin, by, squares);
  }
  for (int64_t i = 0; i < count; i++) {
    double mean = training ? means[i] : 0, rstd;
    if (training)
      rstd = settle(j, first + i, mean, squares[i]);
    else
      recall(j, first + i, &mean, &rstd);
    oyi_channel_put(c, by, j->dtype, 0, i, mean);
    oyi_channel_put(c, by, j->dtype, OYI_COLUMNS, i, rstd * scale_of(j, first + i));
    oyi_channel_put(c, by, j->dtype, 2 * OYI_COLUMNS, i, shift_of(j, first + i));
  }
  j->math->affine_columns(c->samples, c->channels * c->inner, count * c->inner,
                          j->in + begin, j->out + begin, by);
  return OY_OK;
}

// Whether memory has what it would have with the channels as the last dimension.
static bool are_last(const oyi_tensor* t) {
  const int64_t* strides = oyi_strides(t);
  int64_t whole = t->sizes[1];
  if (strides[1] != 1) return false;
  for (size_t d = t->ndim; d-- > 0;) {
    if (d == 1 || t->sizes[d] == 1) continue;
    if (strides[d] != whole) return false;
    whole *= t->sizes[d];
  }
  return true;
}

// Lines that are as long as they can be, so that memory is read in order. No result depends on
// it.
static int64_t together(const oyi_channels* c) {
  const int64_t threads = oy_get_num_threads();
  const int64_t least = c->samples >= MANY_ROWS ? LEAST_SHARE / 4 : LEAST_SHARE;
  int64_t share = oyi_stretches(c->channels * c->inner, threads);
  share = share < least ? least : share < OYI_COLUMNS ? share : OYI_COLUMNS;
  return share / c->inner;
}

oyi_channels oyi_channels_of(const oyi_tensor* t) {
  oyi_channels c = {.channels = t->sizes[1], .samples = t->sizes[0], .together = 1};
  if (t->numel == 0) return c;
  c.inner = t->numel / c.channels / c.samples;
  c.last = c.channels >= LEAST_COLUMNS && are_last(t);
  c.columns = c.last || ((t->flags & OYI_CONTIGUOUS) && c.inner <= SHORT &&
                         c.samples > 1 && c.channels * c.inner >= LEAST_COLUMNS);
  if (c.last || (c.inner == 1 && !c.columns)) {
    const int64_t others = c.samples * c.inner;
    c.samples = c.last ? others : 1;
    c.inner = c.last ? 1 : others;
  }
  if (c.columns) c.together = together(&c);
  return c;
}

oyi_tensor* oyi_channels_view(const oyi_channels* c, const oyi_tensor* t) {
  const bool first = c->samples == 1 && !c->columns;
  if (t->numel == 0 || (!c->last && !first))
    return oyi_tensor_alias(t, oyi_sizes_view(t), oyi_strides_view(t), t->offset);
  int64_t sizes[OY_TENSOR_MAX_DIMS], strides[OY_TENSOR_MAX_DIMS];
  size_t to = first ? 1 : 0;
  for (size_t d = 0; d < t->ndim; d++) {
    const size_t channel_at = first ? 0 : t->ndim - 1, at = d == 1 ? channel_at : to++;
    sizes[at] = t->sizes[d];
    strides[at] = oyi_strides(t)[d];
  }
  return oyi_tensor_alias(t, (oy_ints){sizes, t->ndim}, (oy_ints){strides, t->ndim},
                          t->offset);
}

static oy_status compute(const operands* o, oyi_tensor* const made[3]) {
  const oyi_channels c = oyi_channels_of(o->in);
  oyi_tensor *in = oyi_channels_view(&c, o->in),
             *out = in ? oyi_channels_view(&c, made[0]) : NULL;
  oyi_work w = oyi_work_begin(oyi_float_to_compute(o->in->header.dtype));
  w.failed = !out;
  job j = {.math = oyi_row_math_for(w.dtype),
           .dtype = w.dtype,
           .c = c,
           .training = o->training,
           .momentum = o->momentum,
           .eps = o->eps};
  j.in = oyi_work_read(&w, in);
  j.weight = oyi_work_read(&w, o->weight);
  j.bias = oyi_work_read(&w, o->bias);
  j.out = oyi_work_write(&w, out);
  if (o->training) {
    j.mean = oyi_work_write(&w, made[1]);
    j.rstd = oyi_work_write(&w, made[2]);
    j.running_mean = oyi_work_update(&w, o->running_mean);
    j.running_var = oyi_work_update(&w, o->running_var);
  } else {
    j.running_mean = oyi_work_read(&w, o->running_mean);
    j.running_var = oyi_work_read(&w, o->running_var);
  }
  oy_status status = OY_OK;
  if (!w.failed && c.columns)
    status = oyi_parallel_chunks(oyi_stretches(c.channels, c.together), some_columns, &j);
  else if (!w.failed && are_short_rows(&j))
    status = oyi_parallel_chunks(oyi_stretches(c.channels, oyi_stretch(c.inner)),
                                 some_rows, &j);
  else if (!w.failed)
    status = oyi_parallel_chunks(c.channels, one_channel, &j);
  status = oyi_work_end(&w, status);
  oy_tensor_release(oyi_tensor_object(in));
  oy_tensor_release(oyi_tensor_object(out));
  return status;
}

// ----------------------------------------------------------------------- operators

static oy_status read_operands(operands* o, oyi_norm* rule, oy_object* input,
                               oy_object* const params[4]) {
  OY_TRY(oyi_rule_batch_norm(rule, input, params, o->training));
  o->in = rule->in;
  o->weight = rule->weight;
  o->bias = rule->bias;
  o->running_mean = oyi_optional_tensor(params[2]);
  o->running_var = oyi_optional_tensor(params[3]);
  return OY_OK;
}

static oy_status batch_norm(operands* o, oy_object* input, oy_object* const params[4],
                            oy_object** const results[3]) {
  oyi_norm rule;
  oyi_tensor* made[3];
  OY_TRY(read_operands(o, &rule, input, params));
  OY_TRY(oyi_norm_make(&rule, made));
  oy_status status = OY_OK;
  if (!oyi_is_meta(made[0]) && made[0]->numel > 0) status = compute(o, made);
  return oyi_norm_give(made, results, status);
}

OYI_CPU(native_batch_norm) {
  operands o = {.training = training, .momentum = momentum, .eps = eps};
  return batch_norm(&o, input, (oy_object*[]){weight, bias, running_mean, running_var},
                    (oy_object * * const[]){out_0, out_1, out_2});
}
OYI_CPU(_native_batch_norm_legit) {
  operands o = {.training = training, .momentum = momentum, .eps = eps};
  return batch_norm(&o, input, (oy_object*[]){weight, bias, running_mean, running_var},
                    (oy_object * * const[]){out_0, out_1, out_2});
}
OYI_CPU(_native_batch_norm_legit_no_stats) {
  operands o = {.training = training, .momentum = momentum, .eps = eps};
  return batch_norm(&o, input,
                    (oy_object*[]){weight, bias, &oy_none_object, &oy_none_object},
                    (oy_object * * const[]){out_0, out_1, out_2});
}

// Results are made and then stored in the tensors that are given for them.
static oy_status batch_norm_out(operands* o, oy_object* input, oy_object* const params[4],
                                oy_object* const outs[3], oy_object** const given[3]) {
  oy_object* r[3];
  OY_TRY(batch_norm(o, input, params, (oy_object * * const[]){&r[0], &r[1], &r[2]}));
  oy_status status = OY_OK;
  for (int i = 0; i < 3; i++) {
    if (status != OY_OK)
      oy_tensor_release(r[i]);
    else if (!oyi_stored(outs[i], r[i]))
      status = oy_failure();
  }
  for (int i = 0; i < 3 && status == OY_OK; i++) *given[i] = outs[i];
  return status;
}

OYI_CPU(native_batch_norm_out) {
  operands o = {.training = training, .momentum = momentum, .eps = eps};
  return batch_norm_out(&o, input,
                        (oy_object*[]){weight, bias, running_mean, running_var},
                        (oy_object* const[]){out, save_mean, save_invstd},
                        (oy_object * * const[]){out_0, out_1, out_2});
}
OYI_CPU(_native_batch_norm_legit_out) {
  operands o = {.training = training, .momentum = momentum, .eps = eps};
  return batch_norm_out(&o, input,
                        (oy_object*[]){weight, bias, running_mean, running_var},
                        (oy_object* const[]){out, save_mean, save_invstd},
                        (oy_object * * const[]){out_0, out_1, out_2});
}
OYI_CPU(_native_batch_norm_legit_no_stats_out) {
  operands o = {.training = training, .momentum = momentum, .eps = eps};
  return batch_norm_out(&o, input,
                        (oy_object*[]){weight, bias, &oy_none_object, &oy_none_object},
                        (oy_object* const[]){out, save_mean, save_invstd},
                        (oy_object * * const[]){out_0, out_1, out_2});
}
