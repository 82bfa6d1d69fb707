// SPDX-License-Identifier: Apache-2.0
#include "row_kernel.h"

#include "text.h"

static char* make_source(const ocl_device* device, const void* what) {
  const ocl_row_form* f = what;
  ocl_text t = {0};
  (void)device;
  bool f64 = f->work == OY_DTYPE_F64 || f->dtype == OY_DTYPE_F64 ||
             f->in == OY_DTYPE_F64 || f->param == OY_DTYPE_F64 ||
             f->stat == OY_DTYPE_F64 || f->running == OY_DTYPE_F64;
  ocl_text_begin(&t, f->work, f->width, f64);
  ocl_text_add(&t, "#define %s\n#define DTYPE %s\n#define IN %s\n#define PARAM %s\n",
               f->name, ocl_tag_name(f->dtype), ocl_tag_name(f->in),
               ocl_tag_name(f->param));
  ocl_text_add(&t, "#define STAT %s\n#define RUNNING %s\n", ocl_tag_name(f->stat),
               ocl_tag_name(f->running));
  ocl_text_append(&t, ocl_text_rows);
  return ocl_text_take(&t);
}

oy_status ocl_row_kernel(ocl_device* device, const ocl_row_form* f,
                         ocl_kernel** out_kernel) {
  uint64_t key[8] = {'N', (uint64_t)(uintptr_t)f->name,
                     (uint64_t)f->work | (uint64_t)f->dtype << 8 | (uint64_t)f->in << 16 |
                         (uint64_t)f->param << 24 | (uint64_t)f->stat << 32 |
                         (uint64_t)f->running << 40,
                     (uint64_t)f->width};
  bool f64 = f->work == OY_DTYPE_F64 || f->dtype == OY_DTYPE_F64;
  *out_kernel = NULL;
  OY_CHECK(!f64 || device->has_f64, NOT_IMPLEMENTED, "opencl:%d (%s) has no float64",
           device->index, device->name);
  return ocl_kernel_get(device, key, make_source, f, out_kernel);
}

oy_status ocl_arg_optional(ocl_launch* l, const oy_tensor* tensor) {
  if (tensor && !oy_object_is_none(tensor)) return ocl_arg_tensor(l, tensor);
  ocl_arg_block(l, NULL);
  ocl_arg_long(l, 0);
  return OY_OK;
}

void ocl_arg_real(ocl_launch* l, oy_dtype work, double value) {
  float f = (float)value;
  if (work == OY_DTYPE_F64)
    ocl_arg(l, &value, sizeof(value));
  else
    ocl_arg(l, &f, sizeof(f));
}
