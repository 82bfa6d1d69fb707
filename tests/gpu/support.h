// SPDX-License-Identifier: Apache-2.0
// What tests of the plugins share that kernels are compiled for: loading one (OpenCL on
// PoCL, CUDA on the simulated driver), moving tensors, and comparing
// what it computes with what the CPU does.
#ifndef OPYARD_TESTS_GPU_SUPPORT_H_
#define OPYARD_TESTS_GPU_SUPPORT_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
// cmocka wants the ones above.
#include <cmocka.h>

#include "opyard/opyard.h"

// To be called first in main: sets up the environment of the driver, loads the plugin, and ends the
// program with 77 and a reason if there is no device.
void gpu_start(void);
oy_device gpu_device(int index);
// What the plugin gave the library.
const oy_device_hooks* gpu_hooks(void);

// A copy on the device (contiguous), and back. Never NULL: the test fails.
oy_tensor* to_gpu(const oy_tensor* t, int index);
oy_tensor* to_cpu(const oy_tensor* t);

// A tensor of the CPU with small numbers made from |seed|; floats have fractions and both
// signs, bools both values.
oy_tensor* numbers(oy_ints sizes, oy_dtype dtype, unsigned seed);
// The same with its last two dimensions exchanged in memory.
oy_tensor* numbers_transposed(oy_ints sizes, oy_dtype dtype, unsigned seed);
// Every second element of the last dimension of a larger one.
oy_tensor* numbers_stepped(oy_ints sizes, oy_dtype dtype, unsigned seed);

// Fails unless both have the same dtype, sizes and strides, and elements that differ by at
// most |tolerance| of the greater of 1 and their size. NaN equals NaN.
void check_same(const oy_tensor* expected, const oy_tensor* on_gpu, double tolerance,
                const char* what);

// Calls |op| ("aten::add.Tensor") with |args|, of which the tensors are the CPU's, there
// and with copies of the same strides on the device, and compares all results, and the tensors
// that were written to. Takes defaults from the schema for what is missing.
void check_call(const char* op, double tolerance, size_t count, const oy_value* args);
#define CHECK_CALL(op, tolerance, ...)                                            \
  check_call(op, tolerance, sizeof((oy_value[]){__VA_ARGS__}) / sizeof(oy_value), \
             (oy_value[]){__VA_ARGS__})
// The same of a call that the CPU refuses: the device has to refuse it with the same text.
void check_refused(const char* op, size_t count, const oy_value* args);
#define CHECK_REFUSED(op, ...)                                            \
  check_refused(op, sizeof((oy_value[]){__VA_ARGS__}) / sizeof(oy_value), \
                (oy_value[]){__VA_ARGS__})
// Calls an operator; the results are owned by the caller. Gives their number, -1 with the
// error set.
int call_op(const char* op, size_t count, const oy_value* args, oy_value* out_results);

#endif  // OPYARD_TESTS_GPU_SUPPORT_H_
