// SPDX-License-Identifier: Apache-2.0
// The kernels of kernels/index.cl: what their source depends on, and their launch. They report
// an index out of range, which is waited for: an error comes from the call that caused it.
#ifndef OPYARD_SRC_BACKENDS_GPU_INDEX_KERNEL_H_
#define OPYARD_SRC_BACKENDS_GPU_INDEX_KERNEL_H_

#include "call.h"

typedef struct gpu_index_form {
  const char* name;  // static storage; its address is part of the key
  oy_dtype dtype, index;
  bool adds;
} gpu_index_form;

// Whether the device adds to places that several indices name.
bool gpu_index_takes_sums(const gpu_call* c);
// Arguments, with the report among them (gpu_report_begin), are pushed; runs and reports.
oy_status gpu_index_launch(gpu_launch* l, const gpu_index_form* f, int64_t items,
                           gpu_report* out_report);

static inline int64_t gpu_index_product(oy_ints sizes, size_t from, size_t to) {
  int64_t n = 1;
  for (size_t i = from; i < to && i < sizes.size; i++) n *= sizes.data[i];
  return n;
}

#endif  // OPYARD_SRC_BACKENDS_GPU_INDEX_KERNEL_H_
