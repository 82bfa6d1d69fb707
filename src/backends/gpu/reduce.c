// SPDX-License-Identifier: Apache-2.0
// Reductions. Floats are accumulated in double where the device has it, integers in 64
// bits, and rounded once. Few results of many elements are made in parts that a second
// pass joins; how many depends on the shape alone.
#include <math.h>

#include "reduce.h"

#include "driver.h"
#include "rows.h"
#include "team.h"
#include "text.h"
#include "walk.h"

typedef enum kind {
  SUM,
  NANSUM,
  MEAN,
  PROD,
  MAX,
  MIN,
  MAX_AT,
  MIN_AT,
  ARGMAX,
  ARGMIN,
  ANY,
  ALL,
  COUNT,
  VAR,
  STD,
  VAR_MEAN,
  STD_MEAN,
  NORM,
  NORM_0,
  NORM_1,
  NORM_2,
  NORM_MAX,
  NORM_MIN,
  KINDS
} kind;

static const char* const g_defines[KINDS] = {
    [SUM] = "REDUCE_SUM",
    [NANSUM] = "REDUCE_NANSUM",
    [MEAN] = "REDUCE_MEAN",
    [PROD] = "REDUCE_PROD",
    [MAX] = "REDUCE_MAX",
    [MIN] = "REDUCE_MIN",
    [MAX_AT] = "REDUCE_MAX\n#define WITH_INDEX",
    [MIN_AT] = "REDUCE_MIN\n#define WITH_INDEX",
    [ARGMAX] = "REDUCE_MAX\n#define INDEX_ONLY",
    [ARGMIN] = "REDUCE_MIN\n#define INDEX_ONLY",
    [ANY] = "REDUCE_ANY",
    [ALL] = "REDUCE_ALL",
    [COUNT] = "REDUCE_COUNT",
    [VAR] = "REDUCE_VAR",
    [STD] = "REDUCE_VAR\n#define ROOT",
    [VAR_MEAN] = "REDUCE_VAR\n#define WITH_MEAN",
    [STD_MEAN] = "REDUCE_VAR\n#define ROOT\n#define WITH_MEAN",
    [NORM] = "REDUCE_NORM",
    [NORM_0] = "REDUCE_NORM_0",
    [NORM_1] = "REDUCE_NORM_1",
    [NORM_2] = "REDUCE_NORM_2",
    [NORM_MAX] = "REDUCE_NORM_MAX",
    [NORM_MIN] = "REDUCE_NORM_MIN",
};

typedef struct reduce_row {
  kind what;
  int dims;  // the argument, 0: all dimensions
} reduce_row;

typedef struct reduction {
  gpu_device* device;
  kind what;
  oy_dtype in, out, work;
  double number;  // correction, or order
  bool mask[OY_TENSOR_MAX_DIMS];
  int64_t outputs, count;
  int64_t pieces, length;  // parts of a result, and elements of a part
  gpu_walk kept, reduced;
  gpu_team team;
} reduction;

enum {
  CPU_LEAST = 8192,
  CPU_PIECES = 64,
  GPU_PIECES = 1024,
  WIDTH = 8,
  GROUP = 64,
  ACCESS = 16,  // bytes that a work-item reads at once
  PART_BYTES = 24
};

oy_status gpu_walk_of(gpu_walk* w, oy_tensor* t, const bool* mask, bool want) {
  gpu_geometry g;
  OY_TRY(gpu_geometry_some(&g, oy_tensor_sizes(t), &t, 1, mask, want));
  w->ndim = g.ndim;
  w->pad = 0;
  memcpy(w->size, g.size, sizeof(w->size));
  memcpy(w->stride, g.stride[0], sizeof(w->stride));
  return OY_OK;
}

// ------------------------------------------------------------------------- source

static char* make_source(const gpu_device* device, const void* what) {
  const reduction* r = what;
  gpu_text t = {0};
  bool f64 = r->work == OY_DTYPE_F64 || r->in == OY_DTYPE_F64 || r->out == OY_DTYPE_F64;
  int size = (int)oy_dtype_size(r->in);
  int width = gpu_uses_teams(device)          ? ACCESS / size
              : oy_dtype_is_floating(r->work) ? WIDTH
                                              : 1;
  gpu_text_begin(&t, r->work, width, f64);
  gpu_text_add(&t, "#define IN %s\n#define IN_SIZE %d\n#define OUT %s\n#define %s\n",
               gpu_tag_name(r->in), size, gpu_tag_name(r->out), g_defines[r->what]);
  gpu_team_text(&t, device);
  gpu_text_append(&t, gpu_text_reduce);
  return gpu_text_take(&t);
}

// What is accumulated in.
static oy_dtype work_dtype(const reduction* r) {
  oy_dtype wide = r->device->has_f64 ? OY_DTYPE_F64 : OY_DTYPE_F32;
  switch (r->what) {
    case MAX:
    case MIN:
    case MAX_AT:
    case MIN_AT:
    case ARGMAX:
    case ARGMIN: return gpu_compute_dtype(r->in);
    case ANY:
    case ALL:
    case COUNT: return gpu_compute_dtype(r->in);
    default: return oy_dtype_is_floating(r->out) ? wide : OY_DTYPE_I64;
  }
}

// ---------------------------------------------------------------------- arguments

static oy_status mark(reduction* r, int64_t dim, int64_t ndim) {
  if (dim < 0) dim += ndim > 0 ? ndim : 1;
  OY_CHECK(dim >= 0 && dim < OY_TENSOR_MAX_DIMS, OUT_OF_RANGE, "dimension out of range");
  r->mask[dim] = true;
  return OY_OK;
}

static oy_status read_dims(reduction* r, const gpu_call* c, int argument) {
  int64_t ndim = oy_tensor_ndim(c->args[0].as.object);
  oy_value v = argument ? c->args[argument] : oy_none();
  if (v.tag == OY_TAG_INT) return mark(r, v.as.i, ndim);
  if (v.tag == OY_TAG_INT_LIST && v.count > 0) {
    for (uint32_t i = 0; i < v.count; i++) OY_TRY(mark(r, v.as.ints[i], ndim));
    return OY_OK;
  }
  for (int64_t d = 0; d < ndim; d++) r->mask[d] = true;
  return OY_OK;
}

static void read_order(reduction* r, oy_value order) {
  r->number = order.tag == OY_TAG_NONE ? 2 : gpu_double(order);
  r->what = r->number == 0     ? NORM_0
            : r->number == 1   ? NORM_1
            : r->number == 2   ? NORM_2
            : isinf(r->number) ? (r->number > 0 ? NORM_MAX : NORM_MIN)
                               : NORM;
}

static bool is_variance(kind what) {
  return what == VAR || what == STD || what == VAR_MEAN || what == STD_MEAN;
}

// Work-items one by one: some for each unit of a CPU.
static int64_t cpu_pieces(const reduction* r) {
  const int64_t enough = 16;
  if (r->outputs >= enough || r->count < 2 * CPU_LEAST) return 1;
  int64_t pieces = r->count / CPU_LEAST < CPU_PIECES ? r->count / CPU_LEAST : CPU_PIECES;
  if (pieces * r->outputs > enough * 4) pieces = enough * 4 / r->outputs;
  return pieces < 1 ? 1 : pieces;
}

static int64_t gpu_pieces(const reduction* r) {
  return gpu_team_pieces(r->team, r->outputs, r->count, 2 * GPU_TEAM_LEAST, GPU_PIECES);
}

static void split(reduction* r) {
  const bool teams = gpu_uses_teams(r->device);
  const bool along = r->kept.ndim == 0 || r->reduced.ndim == 0 ||
                     r->reduced.stride[0] <= r->kept.stride[0];
  r->team = gpu_team_once(r->device, r->outputs, r->count, along);
  r->pieces = r->outputs == 0 ? 1 : teams ? gpu_pieces(r) : cpu_pieces(r);
  r->length = (r->count + r->pieces - 1) / r->pieces;
  if (r->length == 0) r->length = 1;
}

// What follows from operands, mask and kind.
static oy_status set_up(reduction* r, gpu_device* device, oy_tensor* in, oy_tensor* out) {
  r->device = device;
  r->in = in->dtype;
  r->out = out->dtype;
  r->work = work_dtype(r);
  r->outputs = oy_tensor_numel(out);
  oy_ints sizes = oy_tensor_sizes(in);
  r->count = 1;
  for (size_t d = 0; d < sizes.size; d++)
    if (r->mask[d]) r->count *= sizes.data[d];
  OY_TRY(gpu_walk_of(&r->kept, in, r->mask, false));
  OY_TRY(gpu_walk_of(&r->reduced, in, r->mask, true));
  if (r->reduced.ndim == 0) r->reduced.size[0] = 1;
  split(r);
  return OY_OK;
}

static oy_status read_call(reduction* r, const gpu_call* c) {
  const reduce_row* row = c->row->data;
  r->what = row->what;
  OY_TRY(read_dims(r, c, row->dims));
  if (r->what == NORM) read_order(r, c->args[1]);
  if (is_variance(r->what))
    r->number = c->args[2].tag == OY_TAG_NONE ? 1 : gpu_double(c->args[2]);
  return set_up(r, c->device, c->args[0].as.object, c->out[0]);
}

// ------------------------------------------------------------------------- running

static void push_number(gpu_launch* l, const reduction* r) {
  double d = r->number;
  float f = (float)d;
  int64_t i = 0;
  if (r->work == OY_DTYPE_F64)
    gpu_arg(l, &d, sizeof(d));
  else if (r->work == OY_DTYPE_F32)
    gpu_arg(l, &f, sizeof(f));
  else
    gpu_arg(l, &i, oy_dtype_size(r->work));
}

static oy_status launch(const reduction* r, gpu_kernel* kernel, oy_tensor* in,
                        oy_tensor* const* out, gpu_block* parts, int mode) {
  gpu_launch l;
  const gpu_team team =
      mode == 2 ? gpu_team_once(r->device, r->outputs, r->pieces, true) : r->team;
  gpu_launch_begin(&l, r->device);
  OY_TRY(gpu_arg_tensor(&l, in));
  OY_TRY(gpu_arg_tensor(&l, out[0]));
  OY_TRY(gpu_arg_tensor(&l, out[1] ? out[1] : out[0]));
  gpu_arg_block(&l, parts);
  gpu_arg_long(&l, r->outputs);
  gpu_arg_long(&l, r->count);
  gpu_arg_long(&l, r->pieces);
  gpu_arg_long(&l, r->length);
  gpu_arg_int(&l, mode);
  push_number(&l, r);
  gpu_arg(&l, &r->kept, sizeof(r->kept));
  gpu_arg(&l, &r->reduced, sizeof(r->reduced));
  gpu_arg_team(&l, team);
  int64_t items = mode == 1 ? r->outputs * r->pieces : r->outputs;
  // Long items are spread over the units of a CPU one by one, short ones in groups.
  bool is_long = r->length > 512 || r->outputs < GROUP;
  return gpu_launch_team(&l, kernel, team, items,
                         r->device->is_cpu && is_long && mode != 2 ? 1 : GROUP);
}

static oy_status compute(const reduction* r, oy_tensor* in, oy_tensor* const* out) {
  gpu_kernel* kernel;
  gpu_block* parts = NULL;
  uint64_t key[8] = {'R',    (uint64_t)r->what, r->in,
                     r->out, r->work,           gpu_uses_teams(r->device)};
  OY_TRY(gpu_kernel_get(r->device, key, make_source, r, &kernel));
  if (r->pieces == 1) return launch(r, kernel, in, out, NULL, 0);
  OY_TRY(gpu_block_new(r->device, (size_t)(r->outputs * r->pieces) * PART_BYTES, &parts));
  oy_status status = launch(r, kernel, in, out, parts, 1);
  if (status == OY_OK) status = launch(r, kernel, in, out, parts, 2);
  gpu_block_release(parts);
  return status;
}

oy_status gpu_var_mean(gpu_device* device, oy_tensor* in, const bool* mask,
                       oy_tensor* var, oy_tensor* mean) {
  reduction r = {.what = VAR_MEAN};
  oy_tensor* const to[2] = {var, mean};
  memcpy(r.mask, mask, (size_t)oy_tensor_ndim(in) * sizeof(*mask));
  OY_TRY(set_up(&r, device, in, var));
  return compute(&r, in, to);
}

// Results are written one after the other: others than contiguous ones by way of a copy.
static oy_status run(gpu_call* c) {
  reduction r = {0};
  oy_tensor* to[2] = {NULL, NULL};
  oy_status status = OY_OK;
  OY_TRY(read_call(&r, c));
  if (r.outputs == 0) return OY_OK;
  OY_CHECK((r.work != OY_DTYPE_F64 && r.in != OY_DTYPE_F64) || c->device->has_f64,
           NOT_IMPLEMENTED, "%s:%d (%s) has no float64", gpu_driver_name,
           c->device->index, c->device->name);
  for (size_t i = 0; i < c->out_count && status == OY_OK; i++)
    if (!(to[i] = gpu_result(c, i))) status = oy_failure();
  if (status == OY_OK) status = compute(&r, c->args[0].as.object, to);
  for (size_t i = 0; i < c->out_count; i++) status = gpu_result_done(c, i, to[i], status);
  return status;
}

#define GPU_REDUCE(name, outs, kind, dims) {kind, dims},
static const reduce_row g_data[] = {
#include "reduce.def"
};
#undef GPU_REDUCE
#define GPU_REDUCE(name, outs, kind, dims) {name, run, NULL, outs, 0, NULL},
static gpu_row g_rows[] = {
#include "reduce.def"
};
#undef GPU_REDUCE

gpu_rows gpu_rows_reduce(void) {
  for (size_t i = 0; i < sizeof(g_rows) / sizeof(*g_rows); i++)
    g_rows[i].data = &g_data[i];
  return (gpu_rows){g_rows, sizeof(g_rows) / sizeof(*g_rows)};
}
