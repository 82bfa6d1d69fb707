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
  LEAST_SHARE = 64    // of a thread: some lines of the cache
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
  int64_t samples, channels, inner;  // the input as it lies in memory
  int64_t together;                  // columns
  bool training;
  double momentum, eps;
} job;

// Where the numbers of a channel in one sample begin.
static int64_t piece(const job* j, int64_t sample, int64_t channel) {
  return (sample * j->channels + channel) * j->inner * oyi_dtype_bytes[j->dtype];
}

static void update(const job* j, void* running, int64_t channel, double number) {
  if (!running) return;
  double old = oyi_number_at(running, j->dtype, channel);
  oyi_number_put(running, j->dtype, channel,
                 j->momentum * number + (1 - j->momentum) * old);
}

// 1 / deviation, of what squares of deviations add up to; the running statistics follow.
static double settle(const job* j, int64_t c, double mean, double squares) {
  const double count = (double)(j->samples * j->inner);
  const double rstd = 1 / sqrt(squares / count + j->eps);
  update(j, j->running_mean, c, mean);
  update(j, j->running_var, c, squares / (count - 1));
  oyi_number_put(j->mean, j->dtype, c, mean);
  oyi_number_put(j->rstd, j->dtype, c, rstd);
  return rstd;
}

// Mean and 1 / deviation of the batch.
static void measure(const job* j, int64_t c, double* mean, double* rstd) {
  const double count = (double)(j->samples * j->inner);
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < j->samples; i++)
    sum += j->math->sum(j->inner, j->in + piece(j, i, c));
  *mean = sum / count;
  for (int64_t i = 0; i < j->samples; i++)
    squares += j->math->square_deviations(j->inner, j->in + piece(j, i, c), *mean);
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
  for (int64_t i = 0; i < j->samples; i++)
    j->math->affine(j->inner, j->in + piece(j, i, c), j->out + piece(j, i, c), mean,
                    rstd * scale, shift);
  return OY_OK;
}

// Channels of one sample and of a few elements each, whose statistics nobody goes on with: rows
// as those of layer_norm.
static bool are_short_rows(const job* j) {
  return j->training && j->samples == 1 && j->inner <= j->math->short_row && j->mean &&
         j->rstd && !j->running_mean && !j->running_var;
}

static oy_status some_rows(int64_t index, void* context) {
  const job* j = context;
  const int64_t stretch = oyi_stretch(j->inner), first = index * stretch,
                room = j->channels - first, item = oyi_dtype_bytes[j->dtype];
  const int64_t end = first + (room < stretch ? room : stretch);
  j->math->normalise_short(&(oyi_short_rows){.n = j->inner,
                                             .rows = end - first,
                                             .eps = j->eps,
                                             .in = j->in + piece(j, 0, first),
                                             .out = j->out + piece(j, 0, first),
                                             .mean = (char*)j->mean + first * item,
                                             .rstd = (char*)j->rstd + first * item});
  for (int64_t c = first; (j->weight || j->bias) && c < end; c++) {
    char* out = j->out + piece(j, 0, c);
    j->math->affine(j->inner, out, out, 0, scale_of(j, c), shift_of(j, c));
  }
  return OY_OK;
}

// Channels of a matrix, in which they are columns.
static oy_status some_columns(int64_t index, void* context) {
  const job* j = context;
  const int64_t first = index * j->together, room = j->channels - first;
  const int64_t count = room < j->together ? room : j->together;
  const int64_t item = oyi_dtype_bytes[j->dtype];
  const char* in = j->in + first * item;
  double means[OYI_COLUMNS], squares[OYI_COLUMNS], by[3 * OYI_COLUMNS];
  if (j->training) {
    j->math->column_sums(j->inner, j->channels, count, in, NULL, means);
    for (int64_t i = 0; i < count; i++)
      oyi_number_put(by, j->dtype, i, means[i] /= (double)j->inner);
    j->math->column_sums(j->inner, j->channels, count, in, by, squares);
  }
  for (int64_t i = 0; i < count; i++) {
    double mean = j->training ? means[i] : 0, rstd;
    if (j->training)
      rstd = settle(j, first + i, mean, squares[i]);
    else
      recall(j, first + i, &mean, &rstd);
    oyi_number_put(by, j->dtype, i, mean);
    oyi_number_put(by, j->dtype, OYI_COLUMNS + i, rstd * scale_of(j, first + i));
    oyi_number_put(by, j->dtype, 2 * OYI_COLUMNS + i, shift_of(j, first + i));
  }
  j->math->affine_columns(j->inner, j->channels, count, in, j->out + first * item, by);
  return OY_OK;
}

bool oyi_channels_are_columns(const oyi_tensor* t) {
  return t->ndim == 2 && (t->flags & OYI_CONTIGUOUS) && t->sizes[1] >= LEAST_COLUMNS;
}

int64_t oyi_columns_together(int64_t channels) {
  const int64_t threads = oy_get_num_threads();
  int64_t share = oyi_stretches(channels, threads);
  if (share < LEAST_SHARE) share = LEAST_SHARE;
  return share < OYI_COLUMNS ? share : OYI_COLUMNS;
}

oyi_tensor* oyi_channels_first(const oyi_tensor* t, bool columns) {
  const int64_t* strides = oyi_strides(t);
  if (t->ndim != 2 || columns)
    return oyi_tensor_alias(t, oyi_sizes_view(t), oyi_strides_view(t), t->offset);
  return oyi_tensor_alias(t, OY_DIMS(t->sizes[1], t->sizes[0]),
                          OY_DIMS(strides[1], strides[0]), t->offset);
}

static oy_status compute(const operands* o, oyi_tensor* const made[3]) {
  const bool columns = oyi_channels_are_columns(o->in);
  oyi_tensor *in = oyi_channels_first(o->in, columns),
             *out = in ? oyi_channels_first(made[0], columns) : NULL;
  oyi_work w = oyi_work_begin(oyi_float_to_compute(o->in->header.dtype));
  w.failed = !out;
  job j = {.math = oyi_row_math_for(w.dtype),
           .dtype = w.dtype,
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
  const bool is_flipped = o->in->ndim == 2;
  j.channels = o->in->sizes[1];
  j.samples = is_flipped ? 1 : o->in->sizes[0];
  j.inner = o->in->numel / j.channels / j.samples;
  j.together = oyi_columns_together(j.channels);
  oy_status status = OY_OK;
  if (!w.failed && columns)
    status = oyi_parallel_chunks(oyi_stretches(j.channels, j.together), some_columns, &j);
  else if (!w.failed && are_short_rows(&j))
    status = oyi_parallel_chunks(oyi_stretches(j.channels, oyi_stretch(j.inner)),
                                 some_rows, &j);
  else if (!w.failed)
    status = oyi_parallel_chunks(j.channels, one_channel, &j);
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
