// SPDX-License-Identifier: Apache-2.0
// layer_norm and batch_norm with their gradients. Statistics are computed in double where
// the device has it.
#include <math.h>

#include "row_kernel.h"
#include "rows.h"

enum { GROUP = 64 };

static const char LAYER_NORM[] = "LAYER_NORM";
static const char LAYER_NORM_BACKWARD[] = "LAYER_NORM_BACKWARD";
static const char LAYER_NORM_PARAMETERS[] = "LAYER_NORM_PARAMETERS";
static const char CHANNEL_STATISTICS[] = "CHANNEL_STATISTICS";
static const char CHANNEL_APPLY[] = "CHANNEL_APPLY";
static const char CHANNEL_BACKWARD[] = "CHANNEL_BACKWARD";

// Contiguous copies that are given up together. A missing tensor stays NULL.
typedef struct held {
  oy_tensor* t[10];
  int count;
  oy_status status;
} held;

static oy_tensor* hold(held* h, const gpu_call* c, oy_value v) {
  if (h->status != OY_OK || !gpu_is_tensor(v)) return NULL;
  oy_tensor* t = gpu_plain(c, v.as.object, v.as.object->dtype);
  if (!t) h->status = oy_failure();
  h->t[h->count++] = t;
  return t;
}

static oy_tensor* hold_as(held* h, const gpu_call* c, oy_value v, oy_dtype dtype) {
  if (h->status != OY_OK || !gpu_is_tensor(v)) return NULL;
  oy_tensor* t = gpu_plain(c, v.as.object, dtype);
  if (!t) h->status = oy_failure();
  h->t[h->count++] = t;
  return t;
}

// Two that a kernel has one dtype for: both in the widest if theirs are not the same.
static void hold_pair(held* h, const gpu_call* c, oy_value a, oy_value b,
                      oy_tensor* out_pair[2]) {
  const bool both = gpu_is_tensor(a) && gpu_is_tensor(b);
  const bool differ = both && a.as.object->dtype != b.as.object->dtype;
  const oy_dtype wide = gpu_wide(c->device);
  out_pair[0] = differ ? hold_as(h, c, a, wide) : hold(h, c, a);
  out_pair[1] = differ ? hold_as(h, c, b, wide) : hold(h, c, b);
}

static oy_tensor* hold_result(held* h, const gpu_call* c, size_t i) {
  if (h->status != OY_OK || i >= c->out_count || !c->out[i]) return NULL;
  oy_tensor* t = gpu_result(c, i);
  if (!t) h->status = oy_failure();
  return t;
}

static void let_go(held* h) {
  for (int i = 0; i < h->count; i++) oy_tensor_release(h->t[i]);
}

// A work-item for each of |items|: one by one on CPUs, as each is long.
static oy_status launch(gpu_launch* l, const gpu_row_form* f, int64_t items) {
  gpu_kernel* kernel;
  OY_TRY(gpu_row_kernel(l->device, f, &kernel));
  return gpu_launch_run(l, kernel, (size_t)items, l->device->is_cpu ? 1 : GROUP);
}

static gpu_row_form form_of(const char* name, const gpu_device* d, oy_dtype dtype,
                            oy_dtype param, oy_dtype stat) {
  return (gpu_row_form){name, gpu_wide(d), dtype, dtype, param, stat, stat, 1};
}

// --------------------------------------------------------------------- layer norm

static int64_t length_of(oy_value shape) {
  int64_t n = 1;
  for (uint32_t i = 0; i < shape.count; i++) n *= shape.as.ints[i];
  return n;
}

// (input, shape, weight, bias, eps) -> result, mean, 1 / deviation
// Rows without elements: their mean is 0, and they have no deviation.
static oy_status layer_norm_of_nothing(gpu_call* c) {
  OY_TRY(gpu_fill_elements(c->device, c->out[1], oy_float(0)));
  return gpu_fill_elements(c->device, c->out[2], oy_float(NAN));
}

static oy_status layer_norm(gpu_call* c) {
  held h = {.status = OY_OK};
  int64_t length = length_of(c->args[1]);
  int64_t rows = oy_tensor_numel(c->out[1]);
  if (rows == 0) return OY_OK;
  if (length == 0) return layer_norm_of_nothing(c);
  oy_tensor *x = hold(&h, c, c->args[0]), *pair[2];
  hold_pair(&h, c, c->args[2], c->args[3], pair);
  oy_tensor *w = pair[0], *b = pair[1], *out = hold_result(&h, c, 0);
  oy_status status = h.status;
  if (status == OY_OK) {
    gpu_launch l;
    gpu_row_form f =
        form_of(LAYER_NORM, c->device, x->dtype,
                gpu_dtype_or(w, gpu_dtype_or(b, x->dtype)), c->out[1]->dtype);
    gpu_launch_begin(&l, c->device);
    status = gpu_arg_tensor(&l, x);
    if (status == OY_OK) status = gpu_arg_optional(&l, w);
    if (status == OY_OK) status = gpu_arg_tensor(&l, out);
    if (status == OY_OK) status = gpu_arg_optional(&l, b);
    if (status == OY_OK) status = gpu_arg_tensor(&l, c->out[1]);
    if (status == OY_OK) status = gpu_arg_tensor(&l, c->out[2]);
    gpu_arg_long(&l, rows);
    gpu_arg_long(&l, length);
    gpu_arg_int(&l, w != NULL);
    gpu_arg_int(&l, b != NULL);
    gpu_arg_real(&l, f.work, gpu_double(c->args[4]));
    if (status == OY_OK) status = launch(&l, &f, rows);
  }
  let_go(&h);
  return gpu_result_done(c, 0, out, status);
}

typedef struct layer_gradient {
  oy_tensor *g, *x, *mean, *rstd, *w, *b;
  int64_t rows, length;
} layer_gradient;

static oy_status layer_input(gpu_call* c, const layer_gradient* p, oy_tensor* to) {
  gpu_launch l;
  gpu_row_form f = form_of(LAYER_NORM_BACKWARD, c->device, p->x->dtype,
                           gpu_dtype_or(p->w, p->x->dtype), p->mean->dtype);
  gpu_launch_begin(&l, c->device);
  OY_TRY(gpu_arg_tensor(&l, p->g));
  OY_TRY(gpu_arg_tensor(&l, p->x));
  OY_TRY(gpu_arg_tensor(&l, to));
  OY_TRY(gpu_arg_optional(&l, p->w));
  OY_TRY(gpu_arg_tensor(&l, p->mean));
  OY_TRY(gpu_arg_tensor(&l, p->rstd));
  gpu_arg_long(&l, p->rows);
  gpu_arg_long(&l, p->length);
  gpu_arg_int(&l, p->w != NULL);
  return launch(&l, &f, p->rows);
}

static oy_status layer_parameters(gpu_call* c, const layer_gradient* p, oy_tensor* dw,
                                  oy_tensor* db) {
  gpu_launch l;
  oy_dtype param = gpu_dtype_or(dw, gpu_dtype_or(db, p->x->dtype));
  gpu_row_form f =
      form_of(LAYER_NORM_PARAMETERS, c->device, p->x->dtype, param, p->mean->dtype);
  gpu_launch_begin(&l, c->device);
  OY_TRY(gpu_arg_tensor(&l, p->g));
  OY_TRY(gpu_arg_tensor(&l, p->x));
  OY_TRY(gpu_arg_optional(&l, dw));
  OY_TRY(gpu_arg_optional(&l, db));
  OY_TRY(gpu_arg_tensor(&l, p->mean));
  OY_TRY(gpu_arg_tensor(&l, p->rstd));
  gpu_arg_long(&l, p->rows);
  gpu_arg_long(&l, p->length);
  gpu_arg_int(&l, dw != NULL);
  gpu_arg_int(&l, db != NULL);
  return launch(&l, &f, p->length);
}

// (grad, input, shape, mean, rstd, weight, bias, mask) -> of input, weight, bias
static oy_status layer_norm_backward(gpu_call* c) {
  held h = {.status = OY_OK};
  layer_gradient p = {.length = length_of(c->args[2])};
  p.g = hold(&h, c, c->args[0]);
  p.x = hold(&h, c, c->args[1]);
  oy_tensor* pair[2];
  hold_pair(&h, c, c->args[3], c->args[4], pair);
  p.mean = pair[0];
  p.rstd = pair[1];
  p.w = hold(&h, c, c->args[5]);
  oy_tensor* to[3];
  for (size_t i = 0; i < 3; i++) to[i] = hold_result(&h, c, i);
  oy_status status = h.status;
  p.rows = status == OY_OK ? oy_tensor_numel(p.mean) : 0;
  if (status == OY_OK && to[0] && p.rows && p.length) status = layer_input(c, &p, to[0]);
  if (status == OY_OK && (to[1] || to[2]) && p.length)
    status = layer_parameters(c, &p, to[1], to[2]);
  let_go(&h);
  for (size_t i = 0; i < 3; i++) status = gpu_result_done(c, i, to[i], status);
  return status;
}

// --------------------------------------------------------------------- batch norm

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

static oy_status batch_statistics(gpu_call* c, const batch* p) {
  gpu_launch l;
  gpu_row_form f =
      form_of(CHANNEL_STATISTICS, c->device, p->x->dtype, p->x->dtype, p->mean->dtype);
  channels s = channels_of(p->x);
  f.running = gpu_dtype_or(p->running_mean, p->mean->dtype);
  gpu_launch_begin(&l, c->device);
  OY_TRY(gpu_arg_tensor(&l, p->x));
  OY_TRY(gpu_arg_optional(&l, NULL));
  OY_TRY(gpu_arg_tensor(&l, p->mean));
  OY_TRY(gpu_arg_tensor(&l, p->spread));
  OY_TRY(gpu_arg_optional(&l, p->running_mean));
  OY_TRY(gpu_arg_optional(&l, p->running_var));
  push_channels(&l, s);
  gpu_arg_int(&l, p->running_mean && p->running_var);
  gpu_arg_real(&l, f.work, p->momentum);
  gpu_arg_real(&l, f.work, p->eps);
  return launch(&l, &f, s.channels);
}

static oy_status batch_apply(gpu_call* c, const batch* p, oy_tensor* out) {
  gpu_launch l;
  gpu_row_form f =
      form_of(CHANNEL_APPLY, c->device, p->x->dtype,
              gpu_dtype_or(p->w, gpu_dtype_or(p->b, p->x->dtype)), p->mean->dtype);
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
  return launch(&l, &f, s.batch * s.channels);
}

static oy_status write_back(gpu_call* c, oy_value to, oy_tensor* from) {
  return to.as.object == from ? OY_OK : gpu_copy_elements(c->device, to.as.object, from);
}

// (input, weight, bias, [running mean, running var,] training, momentum, eps)
static oy_status batch_norm(gpu_call* c) {
  const batch_row* row = c->row->data;
  held h = {.status = OY_OK};
  batch p = {.eps = gpu_double(c->args[row->training + 2]),
             .momentum = gpu_double(c->args[row->training + 1]),
             .trains = c->args[row->training].as.i != 0};
  if (oy_tensor_numel(c->out[0]) == 0) return OY_OK;
  p.x = hold(&h, c, c->args[0]);
  oy_tensor *pair[2], *running[2] = {NULL, NULL};
  hold_pair(&h, c, c->args[1], c->args[2], pair);
  p.w = pair[0];
  p.b = pair[1];
  if (row->running)
    hold_pair(&h, c, c->args[row->running], c->args[row->running + 1], running);
  p.running_mean = running[0];
  p.running_var = running[1];
  p.mean = p.trains ? c->out[1] : p.running_mean;
  p.spread = p.trains ? c->out[2] : p.running_var;
  oy_tensor* out = hold_result(&h, c, 0);
  oy_status status = h.status;
  if (status == OY_OK && !(p.mean && p.spread))
    status = OY_FAIL(INVALID_ARGUMENT,
                     "expected running statistics where batch_norm does not train");
  if (status == OY_OK && p.trains) status = batch_statistics(c, &p);
  for (int i = 0; i < 2 && p.trains && status == OY_OK; i++)
    if (running[0] && running[1])
      status = write_back(c, c->args[row->running + i], running[i]);
  if (status == OY_OK) status = batch_apply(c, &p, out);
  let_go(&h);
  return gpu_result_done(c, 0, out, status);
}

// (grad, input, weight, running mean, running var, mean, 1 / deviation, train, eps, mask)
static oy_status batch_norm_backward(gpu_call* c) {
  held h = {.status = OY_OK};
  bool trains = c->args[7].as.i != 0;
  if (oy_tensor_numel(c->args[1].as.object) == 0) return OY_OK;
  oy_tensor *g = hold(&h, c, c->args[0]), *x = hold(&h, c, c->args[1]);
  oy_tensor* w = hold(&h, c, c->args[2]);
  oy_tensor* pair[2];
  hold_pair(&h, c, c->args[trains ? 5 : 3], c->args[trains ? 6 : 4], pair);
  oy_tensor *mean = pair[0], *spread = pair[1];
  oy_tensor* to[3];
  int wanted = 0;
  for (size_t i = 0; i < 3; i++) {
    to[i] = hold_result(&h, c, i);
    if (to[i]) wanted |= 1 << i;
  }
  oy_status status = h.status;
  if (status == OY_OK) {
    gpu_launch l;
    gpu_row_form f = form_of(CHANNEL_BACKWARD, c->device, x->dtype,
                             gpu_dtype_or(w, gpu_dtype_or(to[1], x->dtype)), mean->dtype);
    channels s = channels_of(x);
    gpu_launch_begin(&l, c->device);
    oy_tensor* arguments[] = {g, x, to[0], w, mean, spread, to[1], to[2]};
    for (int i = 0; i < 8 && status == OY_OK; i++)
      status = gpu_arg_optional(&l, arguments[i]);
    push_channels(&l, s);
    gpu_arg_int(&l, w != NULL);
    gpu_arg_int(&l, !trains);
    gpu_arg_int(&l, trains);
    gpu_arg_int(&l, wanted);
    gpu_arg_real(&l, f.work, gpu_double(c->args[8]));
    if (status == OY_OK) status = launch(&l, &f, s.channels);
  }
  let_go(&h);
  for (size_t i = 0; i < 3; i++) status = gpu_result_done(c, i, to[i], status);
  return status;
}

static const gpu_row g_rows[] = {
    {"native_layer_norm", layer_norm, NULL, 0, 0, NULL},
    {"native_layer_norm_backward", layer_norm_backward, NULL, 0, 0, NULL},
    {"native_batch_norm", batch_norm, &g_with_stats, 0, 0, NULL},
    {"_native_batch_norm_legit", batch_norm, &g_with_stats, 0, 0, NULL},
    {"_native_batch_norm_legit.no_stats", batch_norm, &g_without, 0, 0, NULL},
    {"native_batch_norm_backward", batch_norm_backward, NULL, 0, 0, NULL},
};

gpu_rows gpu_rows_norm(void) {
  return (gpu_rows){g_rows, sizeof(g_rows) / sizeof(*g_rows)};
}
