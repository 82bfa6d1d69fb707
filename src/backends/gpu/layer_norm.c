// SPDX-License-Identifier: Apache-2.0
// layer_norm with its gradients. Statistics are computed in double where the device has it.
#include <math.h>

#include "held.h"
#include "row_kernel.h"
#include "rows.h"

static const char LAYER_NORM[] = "LAYER_NORM";
static const char LAYER_NORM_BACKWARD[] = "LAYER_NORM_BACKWARD";
static const char LAYER_NORM_PARAMETERS[] = "LAYER_NORM_PARAMETERS";

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
  gpu_held h = {.status = OY_OK};
  int64_t length = length_of(c->args[1]);
  int64_t rows = oy_tensor_numel(c->out[1]);
  if (rows == 0) return OY_OK;
  if (length == 0) return layer_norm_of_nothing(c);
  oy_tensor *x = gpu_hold(&h, c, c->args[0]), *pair[2];
  gpu_hold_pair(&h, c, c->args[2], c->args[3], pair);
  oy_tensor *w = pair[0], *b = pair[1], *out = gpu_hold_result(&h, c, 0);
  oy_status status = h.status;
  if (status == OY_OK) {
    gpu_launch l;
    gpu_row_form f =
        gpu_row_form_of(LAYER_NORM, c->device, x->dtype,
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
    if (status == OY_OK) status = gpu_row_launch(&l, &f, rows, length, true);
  }
  gpu_let_go(&h);
  return gpu_result_done(c, 0, out, status);
}

typedef struct layer_gradient {
  oy_tensor *g, *x, *mean, *rstd, *w, *b;
  int64_t rows, length;
} layer_gradient;

static oy_status layer_input(gpu_call* c, const layer_gradient* p, oy_tensor* to) {
  gpu_launch l;
  gpu_row_form f = gpu_row_form_of(LAYER_NORM_BACKWARD, c->device, p->x->dtype,
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
  return gpu_row_launch(&l, &f, p->rows, p->length, true);
}

static oy_status layer_parameters(gpu_call* c, const layer_gradient* p, oy_tensor* dw,
                                  oy_tensor* db) {
  gpu_launch l;
  oy_dtype param = gpu_dtype_or(dw, gpu_dtype_or(db, p->x->dtype));
  gpu_row_form f = gpu_row_form_of(LAYER_NORM_PARAMETERS, c->device, p->x->dtype, param,
                                   p->mean->dtype);
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
  return gpu_row_launch(&l, &f, p->length, p->rows, false);
}

// (grad, input, shape, mean, rstd, weight, bias, mask) -> of input, weight, bias
static oy_status layer_norm_backward(gpu_call* c) {
  gpu_held h = {.status = OY_OK};
  layer_gradient p = {.length = length_of(c->args[2])};
  p.g = gpu_hold(&h, c, c->args[0]);
  p.x = gpu_hold(&h, c, c->args[1]);
  oy_tensor* pair[2];
  gpu_hold_pair(&h, c, c->args[3], c->args[4], pair);
  p.mean = pair[0];
  p.rstd = pair[1];
  p.w = gpu_hold(&h, c, c->args[5]);
  oy_tensor* to[3];
  for (size_t i = 0; i < 3; i++) to[i] = gpu_hold_result(&h, c, i);
  oy_status status = h.status;
  p.rows = status == OY_OK ? oy_tensor_numel(p.mean) : 0;
  if (status == OY_OK && to[0] && p.rows && p.length) status = layer_input(c, &p, to[0]);
  if (status == OY_OK && (to[1] || to[2]) && p.length)
    status = layer_parameters(c, &p, to[1], to[2]);
  gpu_let_go(&h);
  for (size_t i = 0; i < 3; i++) status = gpu_result_done(c, i, to[i], status);
  return status;
}

static const gpu_row g_rows[] = {
    {"native_layer_norm", layer_norm, NULL, 0, 0, NULL},
    {"native_layer_norm_backward", layer_norm_backward, NULL, 0, 0, NULL},
};

gpu_rows gpu_rows_layer_norm(void) {
  return (gpu_rows){g_rows, sizeof(g_rows) / sizeof(*g_rows)};
}
