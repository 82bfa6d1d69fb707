// SPDX-License-Identifier: Apache-2.0
// Sums and means on the CPU. They run in double or in 64-bit integers, whatever
// the dtype of the result, and are rounded once.
#include "backends/cpu/kernels.h"
#include "backends/cpu/loops.h"
#include "ops/rules.h"
#include "tensor/element.h"

// The dtype that the input is read in; OY_DTYPE_ANY if there is no loop.
static oy_dtype loop_dtype(oy_dtype result) {
  if (result == OY_DTYPE_F64) return OY_DTYPE_F64;
  if (oy_dtype_is_floating(result)) return OY_DTYPE_F32;
  return oy_dtype_is_integral(result, true) ? OY_DTYPE_I64 : OY_DTYPE_ANY;
}

// Zero is the same bytes for doubles and integers.
static void run_sum(const oyi_iter* it, oy_dtype in) {
  static const int64_t zero;
  oy_dtype acc = in == OY_DTYPE_I64 ? OY_DTYPE_I64 : OY_DTYPE_F64;
  oyi_reducer sum = {.loop = oyi_cpu_sum_loops[in],
                     .combine = oyi_cpu_sum_loops[acc],
                     .identity = &zero,
                     .item = sizeof(zero)};
  oyi_iter_reduce(it, &sum);
}

static void accumulate(oyi_tensor* sums, const oyi_tensor* in, int64_t divisor) {
  oyi_iter it;
  double* d = oyi_data(sums);
  memset(d, 0, (size_t)sums->numel * sizeof(double));
  oyi_iter_reduction(&it, sums, in);
  run_sum(&it, in->header.dtype);
  if (divisor >= 0)
    for (int64_t i = 0; i < sums->numel; i++) d[i] /= (double)divisor;
}

// Rounds the sums into the output, whose elements come in the same order.
static oy_status store(oyi_tensor* out, const oyi_tensor* sums) {
  int64_t strides[OY_TENSOR_MAX_DIMS];
  oy_ints sizes = oyi_sizes_view(out);
  oyi_strides_contiguous(sizes, strides);
  oyi_tensor* from = oyi_tensor_alias(sums, sizes, (oy_ints){strides, sizes.size}, 0);
  if (!from) return OY_OUT_OF_MEMORY;
  oyi_convert(out, from);
  oy_tensor_release(&from->header);
  return OY_OK;
}

// One result: the sum is on the stack.
static void reduce_to_one(const oyi_reduction* r, const oyi_tensor* in, int64_t divisor) {
  union {
    double d;
    int64_t i;
  } sum = {0};
  oyi_iter it;
  // A walk over the input, beside an output that stays where it is.
  const oyi_tensor* inputs[] = {in, in};
  oyi_iter_plain(&it, inputs, 2);
  it.data[0] = (char*)&sum;
  for (size_t i = 0; i < it.ndim; i++) it.strides[i][0] = 0;
  run_sum(&it, in->header.dtype);
  bool is_int = in->header.dtype == OY_DTYPE_I64;
  if (divisor >= 0) sum.d /= (double)divisor;
  oyi_number n = is_int ? oyi_number_of_scalar(oy_int(sum.i))
                        : oyi_number_of_scalar(oy_float(sum.d));
  oyi_element_store(r->out->header.dtype, oyi_data(r->out), n);
}

static oy_status reduce_to_many(const oyi_reduction* r, const oyi_tensor* in,
                                int64_t divisor) {
  oy_dtype acc = in->header.dtype == OY_DTYPE_I64 ? OY_DTYPE_I64 : OY_DTYPE_F64;
  oy_ints shape = {r->acc_shape, r->in->ndim};
  oyi_tensor* sums = oyi_tensor_new(shape, acc, oy_device_cpu());
  if (!sums) return OY_OUT_OF_MEMORY;
  accumulate(sums, in, divisor);
  oy_status status = store(r->out, sums);
  oy_tensor_release(&sums->header);
  return status;
}

static oy_status reduce(const oyi_reduction* r, bool is_mean) {
  oy_dtype d = loop_dtype(r->dtype);
  OY_CHECK(d != OY_DTYPE_ANY, NOT_IMPLEMENTED, "\"sum\" not implemented for '%s'",
           oy_dtype_pytorch_name(r->dtype));
  if (r->out->numel == 0 || oyi_is_meta(r->in)) return OY_OK;
  OY_CHECK(r->in->numel == 0 || oyi_data(r->in), NOT_IMPLEMENTED,
           "a CPU kernel was given a tensor without data");
  oyi_tensor* in = r->in;
  if (in->header.dtype != d && !(in = oyi_converted(in, d))) return OY_OUT_OF_MEMORY;
  int64_t divisor = is_mean ? r->count : -1;
  oy_status status = OY_OK;
  if (r->out->numel == 1)
    reduce_to_one(r, in, divisor);
  else
    status = reduce_to_many(r, in, divisor);
  if (in != r->in) oy_tensor_release(&in->header);
  return status;
}

static oy_object* sum_or_mean(oy_object* self, oy_ints dim, bool keepdim, oy_value dtype,
                              oy_object* out, bool is_mean) {
  oyi_reduction r;
  if (oyi_rule_reduction(&r, self, dim, keepdim, dtype, out,
                         is_mean ? OYI_REDUCE_FLOAT : 0) != 0)
    return NULL;
  if (reduce(&r, is_mean) == 0) return &r.out->header;
  if (r.made) oy_tensor_release(&r.out->header);
  return NULL;
}

OYI_CPU(sum_dim_IntList) {
  return sum_or_mean(self, dim, keepdim, dtype, NULL, false);
}
OYI_CPU(sum_IntList_out) {
  return sum_or_mean(self, dim, keepdim, dtype, out, false);
}
OYI_CPU(mean_dim) {
  return sum_or_mean(self, dim, keepdim, dtype, NULL, true);
}
OYI_CPU(mean_out) {
  return sum_or_mean(self, dim, keepdim, dtype, out, true);
}
