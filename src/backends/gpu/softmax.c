// SPDX-License-Identifier: Apache-2.0
// softmax and log_softmax with their gradients.
#include "row_kernel.h"
#include "rows.h"
#include "team.h"

enum { WIDTH = 16, GPU_GROUP = 64 };

static const char SOFTMAX[] = "SOFTMAX", LOG_SOFTMAX[] = "LOG_SOFTMAX";
static const char SOFTMAX_BACKWARD[] = "SOFTMAX_BACKWARD";
static const char LOG_SOFTMAX_BACKWARD[] = "LOG_SOFTMAX_BACKWARD";

typedef struct shape {
  int64_t rows, length, step;
} shape;

static shape shape_of(const oy_tensor* t, int64_t dim) {
  oy_ints sizes = oy_tensor_sizes(t);
  shape s = {1, 1, 1};
  if (sizes.size == 0) return s;
  if (dim < 0) dim += (int64_t)sizes.size;
  for (size_t d = 0; d < sizes.size; d++) {
    if ((int64_t)d == dim)
      s.length = sizes.data[d];
    else
      s.rows *= sizes.data[d];
    if ((int64_t)d > dim) s.step *= sizes.data[d];
  }
  return s;
}

// |b| may be NULL. All are contiguous.
static oy_status launch(gpu_call* c, oy_tensor* a, oy_tensor* b, oy_tensor* out,
                        int64_t dim) {
  gpu_launch l;
  gpu_kernel* kernel;
  shape s = shape_of(a, dim);
  oy_dtype work = a->dtype == OY_DTYPE_F64 ? OY_DTYPE_F64 : OY_DTYPE_F32;
  gpu_row_form f = {
      c->row->data, work, out->dtype, a->dtype,
      work,         work, work,       gpu_uses_teams(c->device) ? 1 : WIDTH};
  if (s.rows == 0 || s.length == 0) return OY_OK;
  OY_TRY(gpu_row_kernel(c->device, &f, &kernel));
  gpu_launch_begin(&l, c->device);
  OY_TRY(gpu_arg_tensor(&l, a));
  OY_TRY(gpu_arg_optional(&l, b));
  OY_TRY(gpu_arg_tensor(&l, out));
  gpu_arg_long(&l, s.rows);
  gpu_arg_long(&l, s.length);
  gpu_arg_long(&l, s.step);
  const gpu_team team = gpu_team_of(c->device, s.rows, s.length, s.step == 1);
  gpu_arg_team(&l, team);
  bool is_long = c->device->is_cpu && s.length >= 256;
  return gpu_launch_team(&l, kernel, team, s.rows, is_long ? 1 : GPU_GROUP);
}

static oy_status run(gpu_call* c, oy_tensor* first, oy_tensor* second, int64_t dim) {
  oy_tensor* a = gpu_plain(c, first, first->dtype);
  oy_tensor* b = a && second ? gpu_plain(c, second, first->dtype) : NULL;
  oy_tensor* out = a && (b || !second) ? gpu_result(c, 0) : NULL;
  oy_status status = out ? launch(c, a, b, out, dim) : oy_failure();
  oy_tensor_release(a);
  oy_tensor_release(b);
  return gpu_result_done(c, 0, out, status);
}

static oy_status forward(gpu_call* c) {
  return run(c, c->args[0].as.object, NULL, c->args[1].as.i);
}

static oy_status backward(gpu_call* c) {
  return run(c, c->args[0].as.object, c->args[1].as.object, c->args[2].as.i);
}

// The CPU refuses the others, in its words.
static bool takes_floats(const gpu_call* c) {
  return oy_dtype_is_floating(c->args[0].as.object->dtype);
}

static const gpu_row g_rows[] = {
    {"_softmax", forward, SOFTMAX, 0, 0, takes_floats},
    {"_softmax.out", forward, SOFTMAX, 1, 0, takes_floats},
    {"_log_softmax", forward, LOG_SOFTMAX, 0, 0, takes_floats},
    {"_log_softmax.out", forward, LOG_SOFTMAX, 1, 0, takes_floats},
    {"_softmax_backward_data", backward, SOFTMAX_BACKWARD, 0, 0, takes_floats},
    {"_softmax_backward_data.out", backward, SOFTMAX_BACKWARD, 1, 0, takes_floats},
    {"_log_softmax_backward_data", backward, LOG_SOFTMAX_BACKWARD, 0, 0, takes_floats},
    {"_log_softmax_backward_data.out", backward, LOG_SOFTMAX_BACKWARD, 1, 0,
     takes_floats},
};

gpu_rows gpu_rows_softmax(void) {
  return (gpu_rows){g_rows, sizeof(g_rows) / sizeof(*g_rows)};
}
