// SPDX-License-Identifier: Apache-2.0
#include "row_kernel.h"
#include "driver.h"

#include "team.h"
#include "text.h"

// Rows that are not shared: one by one on CPUs, as each is long.
enum { GROUP = 64 };

static char* make_source(const gpu_device* device, const void* what) {
  const gpu_row_form* f = what;
  gpu_text t = {0};
  bool f64 = f->work == OY_DTYPE_F64 || f->dtype == OY_DTYPE_F64 ||
             f->in == OY_DTYPE_F64 || f->param == OY_DTYPE_F64 ||
             f->stat == OY_DTYPE_F64 || f->running == OY_DTYPE_F64;
  gpu_text_begin(&t, f->work, f->width, f64);
  gpu_text_add(&t, "#define %s\n#define DTYPE %s\n#define IN %s\n#define PARAM %s\n",
               f->name, gpu_tag_name(f->dtype), gpu_tag_name(f->in),
               gpu_tag_name(f->param));
  gpu_text_add(&t, "#define STAT %s\n#define RUNNING %s\n", gpu_tag_name(f->stat),
               gpu_tag_name(f->running));
  gpu_team_text(&t, device);
  gpu_text_append(&t, gpu_text_rows);
  return gpu_text_take(&t);
}

oy_status gpu_row_kernel(gpu_device* device, const gpu_row_form* f,
                         gpu_kernel** out_kernel) {
  uint64_t key[8] = {'N', (uint64_t)(uintptr_t)f->name,
                     (uint64_t)f->work | (uint64_t)f->dtype << 8 | (uint64_t)f->in << 16 |
                         (uint64_t)f->param << 24 | (uint64_t)f->stat << 32 |
                         (uint64_t)f->running << 40,
                     (uint64_t)f->width, gpu_uses_teams(device)};
  bool f64 = f->work == OY_DTYPE_F64 || f->dtype == OY_DTYPE_F64;
  *out_kernel = NULL;
  OY_CHECK(!f64 || device->has_f64, NOT_IMPLEMENTED, "%s:%d (%s) has no float64",
           gpu_driver_name, device->index, device->name);
  return gpu_kernel_get(device, key, make_source, f, out_kernel);
}

oy_status gpu_arg_optional(gpu_launch* l, const oy_tensor* tensor) {
  if (tensor && !oy_object_is_none(tensor)) return gpu_arg_tensor(l, tensor);
  gpu_arg_block(l, NULL);
  gpu_arg_long(l, 0);
  return OY_OK;
}

void gpu_arg_real(gpu_launch* l, oy_dtype work, double value) {
  float f = (float)value;
  if (work == OY_DTYPE_F64)
    gpu_arg(l, &value, sizeof(value));
  else
    gpu_arg(l, &f, sizeof(f));
}

oy_status gpu_row_launch(gpu_launch* l, const gpu_row_form* f, int64_t rows,
                         int64_t length, bool along) {
  gpu_kernel* kernel;
  const gpu_team team = gpu_team_of(l->device, rows, length, along);
  gpu_arg_team(l, team);
  OY_TRY(gpu_row_kernel(l->device, f, &kernel));
  return gpu_launch_team(l, kernel, team, rows, l->device->is_cpu ? 1 : GROUP);
}

gpu_row_form gpu_row_form_of(const char* name, const gpu_device* d, oy_dtype dtype,
                             oy_dtype param, oy_dtype stat) {
  return (gpu_row_form){name, gpu_wide(d), dtype, dtype, param, stat, stat, 1};
}
