// SPDX-License-Identifier: Apache-2.0
#include "launch.h"

void ocl_launch_begin(ocl_launch* l, ocl_device* device) {
  l->device = device;
  l->count = l->blocks = 0;
  l->used = 0;
  l->overflow = false;
}

void ocl_arg(ocl_launch* l, const void* value, size_t size) {
  size_t at = (l->used + 15) & ~(size_t)15;
  if (l->count == OCL_ARGS || at + size > sizeof(l->bytes)) {
    l->overflow = true;
    return;
  }
  memcpy(l->bytes + at, value, size);
  l->sizes[l->count++] = (uint16_t)size;
  l->used = at + size;
}

void ocl_arg_block(ocl_launch* l, ocl_block* block) {
  cl_mem mem = block ? block->mem : NULL;
  ocl_arg(l, &mem, sizeof(mem));
  if (!block) return;
  if (l->blocks == OCL_ARG_BLOCKS) {
    l->overflow = true;
    return;
  }
  l->block[l->blocks++] = block;
}

oy_status ocl_arg_tensor(ocl_launch* l, const oy_tensor* tensor) {
  ocl_block* block = oy_tensor_storage_context(tensor);
  OY_CHECK(!block || block->device == l->device, INVALID_ARGUMENT,
           "expected memory of opencl:%d, got that of opencl:%d", l->device->index,
           block ? block->device->index : 0);
  ocl_arg_block(l, block);
  ocl_arg_long(l, (int64_t)oy_tensor_byte_offset(tensor));
  return OY_OK;
}

static oy_status set_arguments(const ocl_launch* l, cl_kernel kernel) {
  size_t at = 0;
  for (int i = 0; i < l->count; i++) {
    at = (at + 15) & ~(size_t)15;
    OCL_TRY(SetKernelArg, kernel, (cl_uint)i, l->sizes[i], l->bytes + at);
    at += l->sizes[i];
  }
  return OY_OK;
}

oy_status ocl_launch_run(ocl_launch* l, ocl_kernel* kernel, size_t items, size_t group) {
  cl_command_queue queue;
  int stream = ocl_stream_current(l->device);
  if (items == 0) return OY_OK;
  OY_CHECK(!l->overflow, INTERNAL,
           "a kernel has more arguments than a launch has room for");
  OY_TRY(ocl_queue(l->device, stream, &queue));
  for (int i = 0; i < l->blocks; i++) ocl_block_used(l->block[i], stream);
  size_t all = (items + group - 1) / group * group;
  pthread_mutex_lock(&kernel->lock);
  oy_status status = set_arguments(l, kernel->kernel);
  if (status == OY_OK) {
    cl_int code = ocl.EnqueueNDRangeKernel(queue, kernel->kernel, 1, NULL, &all, &group,
                                           0, NULL, NULL);
    if (code != CL_SUCCESS) status = ocl_fail(code, "clEnqueueNDRangeKernel");
  }
  pthread_mutex_unlock(&kernel->lock);
  if (status == OY_OK) OCL_TRY(Flush, queue);
  return status;
}

// ------------------------------------------------------------------------- reports

oy_status ocl_report_begin(ocl_launch* l) {
  ocl_device* d = l->device;
  pthread_mutex_lock(&d->report_lock);
  oy_status status = d->report ? OY_OK : ocl_block_new(d, sizeof(ocl_report), &d->report);
  if (status == OY_OK) status = ocl_fill(d->report, 0, sizeof(ocl_report), 0);
  if (status != OY_OK) {
    pthread_mutex_unlock(&d->report_lock);
    return status;
  }
  ocl_arg_block(l, d->report);
  return OY_OK;
}

oy_status ocl_report_end(ocl_device* d, ocl_report* out_report) {
  ocl_place to = {NULL, (char*)out_report, 0}, from = {d->report, NULL, 0};
  memset(out_report, 0, sizeof(*out_report));
  oy_status status = ocl_copy(to, from, sizeof(*out_report), false);
  pthread_mutex_unlock(&d->report_lock);
  return status;
}
