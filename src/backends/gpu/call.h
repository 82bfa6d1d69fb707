// SPDX-License-Identifier: Apache-2.0
// One call of an operator, from its boxed arguments to its results. All kernels of the
// plugin are boxed and enter here; what is particular to an operator is its row.
//
// Shape and dtype rules are the library's: the operator's own Meta kernel is run on
// stand-ins, tensors of the same shape, strides and aliasing without memory. What it
// answers is what the results look like, and its errors are the CPU's. The row then only
// computes.
#ifndef OPYARD_SRC_BACKENDS_GPU_CALL_H_
#define OPYARD_SRC_BACKENDS_GPU_CALL_H_

#include "launch.h"
#include "opyard/library.h"

enum { GPU_RESULTS = 4, GPU_CALL_ARGS = 24, GPU_LIST = 512 };

struct gpu_row;

typedef struct gpu_call {
  const struct gpu_row* row;
  const oy_op* op;
  gpu_device* device;
  oy_device where;
  oy_value* args;
  size_t arg_count;
  // What has to be written: new, or the arguments that are written to. NULL where the
  // operator gives None. The call holds a reference to each.
  oy_tensor* out[GPU_RESULTS];
  size_t out_count;
  bool is_foreign;  // has a dtype that kernels do not know
} gpu_call;

typedef struct gpu_row {
  const char* name;  // "aten::add.Tensor"
  // Writes the results; those without elements too, if the operator has other effects.
  oy_status (*run)(gpu_call* call);
  const void* data;  // for |run|
  uint8_t outs;      // arguments at the end that are only written to
  uint8_t flags;     // GPU_ROW_*
  // Whether there is a kernel for such a call; NULL: for every one of known dtypes. What is
  // not taken runs on the CPU, as if there were no row.
  bool (*takes)(const gpu_call* call);
} gpu_row;
enum {
  // |run| makes the results, and checks devices, itself.
  GPU_ROW_BARE = 1,
  // Index tensors may be the CPU's; they are copied first.
  GPU_ROW_CPU_INDEX = 2
};

// The boxed kernel of all rows; its state is the row.
oy_status gpu_call_boxed(const oy_op* op, oy_keyset keys, oy_stack* stack,
                         const oy_kernel* kernel);

// Runs the Meta kernel and makes call->out like its results.
oy_status gpu_call_infer(gpu_call* call);

// The backend that the plugin's tensors are on.
extern oy_backend gpu_backend;

static inline bool gpu_is_tensor(oy_value v) {
  return v.tag == OY_TAG_TENSOR;
}
// Whether it lies on a device of this plugin.
static inline bool gpu_is_here(const oy_tensor* t) {
  return oy_tensor_device(t).backend == (int16_t)gpu_backend;
}
static inline double gpu_double(oy_value v) {
  if (v.tag == OY_TAG_COMPLEX) return v.as.complex_data->re;
  return v.tag == OY_TAG_FLOAT ? v.as.d : (double)v.as.i;
}
static inline int64_t gpu_int(oy_value v) {
  return v.tag == OY_TAG_INT || v.tag == OY_TAG_BOOL ? v.as.i : (int64_t)gpu_double(v);
}
// A new tensor on the device of the call.
oy_tensor* gpu_new(const gpu_call* call, oy_ints sizes, oy_dtype dtype);
// |t| itself, retained, if it is contiguous and of |dtype|, else a copy that is. NULL on
// failure.
oy_tensor* gpu_plain(const gpu_call* call, oy_tensor* t, oy_dtype dtype);
// Result |i| of the call if it is contiguous, else a new tensor of that shape, to be given
// to gpu_result_done, which copies it over. NULL on failure, or if there is no result.
oy_tensor* gpu_result(const gpu_call* call, size_t i);
// Hands |status| on, or the failure of the copy. Takes NULL.
oy_status gpu_result_done(const gpu_call* call, size_t i, oy_tensor* written,
                          oy_status status);
// Copies elements, broadcast and converted, on one device.
oy_status gpu_copy_elements(gpu_device* device, oy_tensor* to, oy_tensor* from);
// Sets all elements to |value|.
oy_status gpu_fill_elements(gpu_device* device, oy_tensor* to, oy_scalar value);

#endif  // OPYARD_SRC_BACKENDS_GPU_CALL_H_
