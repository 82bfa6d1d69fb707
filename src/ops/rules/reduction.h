// SPDX-License-Identifier: Apache-2.0
// Rules of reductions, scans and sorts: dimensions, dtypes, shapes, and one or two
// outputs, new or given. The texts are PyTorch's.
//
//   oyi_reduction r;
//   if (oyi_reduction_begin(&r, self, dim, keepdim) != 0) return NULL;
//   if (oyi_reduction_output(&r, out, dtype, OYI_OUT_CAST) != 0) return NULL;
//   if (!r.meta) compute ...
//   return oyi_reduction_end(&r, status);
#ifndef OPYARD_SRC_OPS_RULES_REDUCTION_H_
#define OPYARD_SRC_OPS_RULES_REDUCTION_H_

#include "opyard/value.h"
#include "tensor/impl.h"

typedef struct oyi_reduction {
  oyi_tensor* in;
  oyi_tensor* out[2];
  int outs;
  uint8_t made;   // bit k: out[k] is new
  bool meta;      // there is nothing to compute with
  bool as_input;  // outputs have the sizes of |in|, and new ones lie in memory as it does
  uint64_t mask;  // bit d: dimension d is reduced
  int64_t count;  // elements that go into one result
  size_t ndim;    // of the result
  int64_t sizes[OY_TENSOR_MAX_DIMS];
} oyi_reduction;

// |dim| without elements (or None): all dimensions.
oy_status oyi_reduction_begin(oyi_reduction* r, oy_object* self, oy_ints dim,
                              bool keepdim);
// One dimension, |dim|; None: all.
oy_status oyi_reduction_begin_dim(oyi_reduction* r, oy_object* self, oy_value dim,
                                  bool keepdim);
enum oyi_out_rule {
  OYI_OUT_CAST,   // results are converted to the dtype of |out|
  OYI_OUT_EXACT,  // |out| has exactly this dtype
};
// The next output: |out|, checked and resized, or a new one if it is NULL. On
// failure the outputs made before are given up.
oy_status oyi_reduction_output(oyi_reduction* r, oy_object* out, oy_dtype dtype,
                               int rule);
// Leaves out the next output: what computes it is not asked for it.
static inline void oyi_reduction_skip(oyi_reduction* r) {
  r->out[r->outs++] = NULL;
}
static inline oyi_tensor* oyi_reduction_first(const oyi_reduction* r) {
  return r->out[0] ? r->out[0] : r->out[1];
}
// The first output, or NULL with everything given up if |status| is a failure.
oy_object* oyi_reduction_end(oyi_reduction* r, oy_status status);
// The same with two outputs.
oy_status oyi_reduction_end_pair(oyi_reduction* r, oy_status status, oy_object** first,
                                 oy_object** second);

// A ScalarType? argument, or |otherwise| where there is none.
oy_status oyi_dtype_argument(oy_value dtype, oy_dtype otherwise, oy_dtype* out);
// |t| must not be empty in dimension |dim|; |name| is the operator's.
oy_status oyi_check_dim_not_empty(const oyi_tensor* t, int64_t dim, const char* name);
// No tensor may be a stand-in that has elements and no memory.
oy_status oyi_check_memory(const oyi_tensor* t);

#endif  // OPYARD_SRC_OPS_RULES_REDUCTION_H_
