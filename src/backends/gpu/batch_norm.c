// SPDX-License-Identifier: Apache-2.0
// batch_norm with its gradients. Statistics are computed in double where the device has it.
#include "held.h"
#include "reduce.h"
#include "row_kernel.h"
#include "rows.h"
#include "team.h"

static const char CHANNEL_STATISTICS[] = "CHANNEL_STATISTICS";
static const char CHANNEL_APPLY[] = "CHANNEL_APPLY";
static const char CHANNEL_SUMS[] = "CHANNEL_SUMS";
static const char CHANNEL_BACKWARD[] = "CHANNEL_BACKWARD";

// Where the arguments of an operator of the family are; 0: it has none.
typedef struct batch_row {
  int running, training;
} batch_row;
static const batch_row g_with_stats = {3, 5}, g_without = {0, 3};

typedef struct channels {
  int64_t batch, channels, area;
} channels;

static channels channels_of(const oy_tensor* x) {
  oy_ints sizes = oy_tensor_sizes(x);
  channels s = {sizes.data[0], sizes.data[1], 1};
  for (size_t d = 2; d < sizes.size; d++) s.area *= sizes.data[d];
  return s;
}

// Channels of few elements lie beside each other.
static bool is_along(channels s) {
  return s.area >= GPU_TEAM_LEAST;
}

static void push_channels(gpu_launch* l, channels s) {
  gpu_arg_long(l, s.batch);
  gpu_arg_long(l, s.channels);
  gpu_arg_long(l, s.area);
}

typedef struct batch {
  oy_tensor *x, *w, *b;
  oy_tensor *running_mean, *running_var;  // copies of those that no kernel can write to
  oy_tensor *mean, *spread;               // of the rows: results, or the running ones
  double momentum, eps;
  bool trains;
} batch;

// From the means and variances of channels, of |S|.
static oy_status batch_finish(gpu_call* c, const batch* p, oy_tensor* mean,
                              oy_tensor* var) {
  gpu_launch l;
  gpu_row_form f = gpu_row_form_of(CHANNEL_STATISTICS, c->device, p->x->dtype,
                                   p->x->dtype, p->mean->dtype);
  const channels s = channels_of(p->x);
  f.running = gpu_dtype_or(p->running_mean, p->mean->dtype);
  gpu_launch_begin(&l, c->device);
  OY_TRY(gpu_arg_tensor(&l, mean));
  OY_TRY(gpu_arg_tensor(&l, var));
  OY_TRY(gpu_arg_tensor(&l, p->mean));
  OY_TRY(gpu_arg_tensor(&l, p->spread));
  OY_TRY(gpu_arg_optional(&l, p->running_mean));
  OY_TRY(gpu_arg_optional(&l, p->running_var));
  gpu_arg_long(&l, s.channels);
  gpu_arg_real(&l, f.work, (double)(s.batch * s.area));
  gpu_arg_int(&l, p->running_mean && p->running_var);
  gpu_arg_real(&l, f.work, p->momentum);
  gpu_arg_real(&l, f.work, p->eps);
  return gpu_row_launch(&l, &f, s.channels, 1, true);
}

static oy_status batch_statistics(gpu_call* c, const batch* p, gpu_held* h) {
  const channels s = channels_of(p->x);
  const oy_dtype wide = gpu_wide(c->device);
  bool mask[OY_TENSOR_MAX_DIMS] = {false};
  oy_tensor* mean = gpu_hold_new(h, c, OY_DIMS(s.channels), wide);
  oy_tensor* var = gpu_hold_new(h, c, OY_DIMS(s.channels), wide);
  OY_TRY(h->status);
  for (int64_t d = 0; d < oy_tensor_ndim(p->x); d++) mask[d] = d != 1;
  OY_TRY(gpu_var_mean(c->device, p->x, mask, var, mean));
  return batch_finish(c, p, mean, var);
}

static oy_status batch_apply(gpu_call* c, const batch* p, oy_tensor* out) {
  gpu_launch l;
  gpu_row_form f = gpu_row_form_of(CHANNEL_APPLY, c->device, p->x->dtype,
                                   gpu_dtype_or(p->w, gpu_dtype_or(p->b, p->x->dtype)),
                                   p->mean->dtype);
  channels s = channels_of(p->x);
  gpu_launch_begin(&l, c->device);
  OY_TRY(gpu_arg_tensor(&l, p->x));
  OY_TRY(gpu_arg_optional(&l, p->w));
  OY_TRY(gpu_arg_tensor(&l, out));
  OY_TRY(gpu_arg_optional(&l, p->b));
  OY_TRY(gpu_arg_tensor(&l, p->mean));
  OY_TRY(gpu_arg_tensor(&l, p->spread));
  gpu_arg_long(&l, s.batch * s.channels);
  gpu_arg_long(&l, s.channels);
  gpu_arg_long(&l, s.area);
  gpu_arg_int(&l, p->w != NULL);
  gpu_arg_int(&l, p->b != NULL);
  gpu_arg_int(&l, !p->trains);
  gpu_arg_real(&l, f.work, p->eps);
  return gpu_row_launch(&l, &f, s.batch * s.channels, s.area, is_along(s));
}

static oy_status write_back(gpu_call* c, oy_value to, oy_tensor* from) {
  return to.as.object == from ? OY_OK : gpu_copy_elements(c->device, to.as.object, from);
}

// (input, weight, bias, [running mean, running var,] training, momentum, eps)
static oy_status batch_norm(gpu_call* c) {
  const batch_row* row = c->row->data;
  gpu_held h = {.status = OY_OK};
  batch p = {.eps = gpu_double(c->args[row->training + 2]),
             .momentum = gpu_double(c->args[row->training + 1]),
             .trains = c->args[row->training].as.i != 0};
  if (oy_tensor_numel(c->out[0]) == 0) return OY_OK;
  p.x = gpu_hold(&h, c, c->args[0]);
  oy_tensor *pair[2], *running[2] = {NULL, NULL};
  gpu_hold_pair(&h, c, c->args[1], c->args[2], pair);
  p.w = pair[0];
  p.b = pair[1];
  if (row->running)
    gpu_hold_pair(&h, c, c->args[row->running], c->args[row->running + 1], running);
  p.running_mean = running[0];
  p.running_var = running[1];
  p.mean = p.trains ? c->out[1] : p.running_mean;
  p.spread = p.trains ? c->out[2] : p.running_var;
  oy_tensor* out = gpu_hold_result(&h, c, 0);
  oy_status status = h.status;
  if (status == OY_OK && !(p.mean && p.spread))
    status = OY_FAIL(INVALID_ARGUMENT,
                     "expected running statistics where batch_norm does not train");
  if (status == OY_OK && p.trains) status = batch_statistics(c, &p, &h);
  for (int i = 0; i < 2 && p.trains && status == OY_OK; i++)
    if (running[0] && running[1])
      status = write_back(c, c->args[row->running + i], running[i]);
  if (status == OY_OK) status = batch_apply(c, &p, out);
  gpu_let_go(&h);
  return gpu_result_done(c, 0, out, status);
}

typedef struct gradient {
  oy_tensor *g, *x, *w, *mean, *spread;
  oy_tensor* to[3];            // of input, weight, bias; NULL where it is not wanted
  oy_tensor *sums, *products;  // channels x pieces
  channels s;
  int64_t pieces;
  double eps;
  bool trains;
} gradient;

// Parts of a channel, where channels alone do not keep a device busy.
static int64_t pieces_of(const gpu_device* d, channels s) {
  enum { MOST = 64 };
  const int64_t count = s.batch * s.area;
  const gpu_team team = gpu_team_of(d, s.channels, count, is_along(s));
  if (!gpu_uses_teams(d)) return 1;
  return gpu_team_pieces(team, s.channels, count, GPU_TEAM_LEAST, MOST);
}

static oy_status gradient_sums(gpu_call* c, const gradient* p) {
  gpu_launch l;
  gpu_row_form f =
      gpu_row_form_of(CHANNEL_SUMS, c->device, p->x->dtype, p->x->dtype, p->mean->dtype);
  const int64_t count = p->s.batch * p->s.area;
  const int64_t length = (count + p->pieces - 1) / p->pieces;
  oy_tensor* const arguments[] = {p->g, p->x, p->sums, p->products, p->mean};
  gpu_launch_begin(&l, c->device);
  for (int i = 0; i < 5; i++) OY_TRY(gpu_arg_tensor(&l, arguments[i]));
  gpu_arg_long(&l, p->s.channels);
  gpu_arg_long(&l, p->s.area);
  gpu_arg_long(&l, count);
  gpu_arg_long(&l, p->pieces);
  gpu_arg_long(&l, length);
  return gpu_row_launch(&l, &f, p->s.channels * p->pieces, length, is_along(p->s));
}

static oy_status gradient_finish(gpu_call* c, const gradient* p) {
  gpu_launch l;
  gpu_row_form f = gpu_row_form_of(
      CHANNEL_BACKWARD, c->device, p->x->dtype,
      gpu_dtype_or(p->w, gpu_dtype_or(p->to[1], p->x->dtype)), p->mean->dtype);
  oy_tensor* const arguments[] = {p->g,      p->x,     p->to[0], p->w,    p->mean,
                                  p->spread, p->to[1], p->to[2], p->sums, p->products};
  int wanted = 0;
  for (int i = 0; i < 3; i++) wanted |= p->to[i] ? 1 << i : 0;
  gpu_launch_begin(&l, c->device);
  for (int i = 0; i < 10; i++) OY_TRY(gpu_arg_optional(&l, arguments[i]));
  push_channels(&l, p->s);
  gpu_arg_long(&l, p->pieces);
  gpu_arg_int(&l, p->w != NULL);
  gpu_arg_int(&l, !p->trains);
  gpu_arg_int(&l, p->trains);
  gpu_arg_int(&l, wanted);
  gpu_arg_real(&l, f.work, p->eps);
  const int64_t images = wanted & 1 ? p->s.batch : 1;
  return gpu_row_launch(&l, &f, images * p->s.channels, p->s.area, is_along(p->s));
}

// (grad, input, weight, running mean, running var, mean, 1 / deviation, train, eps, mask)
static oy_status batch_norm_backward(gpu_call* c) {
  gpu_held h = {.status = OY_OK};
  gradient p = {.trains = c->args[7].as.i != 0, .eps = gpu_double(c->args[8])};
  oy_tensor* pair[2];
  if (oy_tensor_numel(c->args[1].as.object) == 0) return OY_OK;
  p.g = gpu_hold(&h, c, c->args[0]);
  p.x = gpu_hold(&h, c, c->args[1]);
  p.w = gpu_hold(&h, c, c->args[2]);
  gpu_hold_pair(&h, c, c->args[p.trains ? 5 : 3], c->args[p.trains ? 6 : 4], pair);
  p.mean = pair[0];
  p.spread = pair[1];
  p.s = channels_of(c->args[1].as.object);
  p.pieces = pieces_of(c->device, p.s);
  const oy_dtype wide = gpu_wide(c->device);
  p.sums = gpu_hold_new(&h, c, OY_DIMS(p.s.channels, p.pieces), wide);
  p.products = gpu_hold_new(&h, c, OY_DIMS(p.s.channels, p.pieces), wide);
  for (size_t i = 0; i < 3; i++) p.to[i] = gpu_hold_result(&h, c, i);
  oy_status status = h.status == OY_OK ? gradient_sums(c, &p) : h.status;
  if (status == OY_OK) status = gradient_finish(c, &p);
  gpu_let_go(&h);
  for (size_t i = 0; i < 3; i++) status = gpu_result_done(c, i, p.to[i], status);
  return status;
}

static const gpu_row g_rows[] = {
    {"native_batch_norm", batch_norm, &g_with_stats, 0, 0, NULL},
    {"_native_batch_norm_legit", batch_norm, &g_with_stats, 0, 0, NULL},
    {"_native_batch_norm_legit.no_stats", batch_norm, &g_without, 0, 0, NULL},
    {"native_batch_norm_backward", batch_norm_backward, NULL, 0, 0, NULL},
};

gpu_rows gpu_rows_batch_norm(void) {
  return (gpu_rows){g_rows, sizeof(g_rows) / sizeof(*g_rows)};
}
