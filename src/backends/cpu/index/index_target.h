// SPDX-License-Identifier: Apache-2.0
// What operators write that change some elements of a tensor and keep the others: the
// tensor itself, a given output, or a copy.
#ifndef OPYARD_SRC_BACKENDS_CPU_INDEX_INDEX_TARGET_H_
#define OPYARD_SRC_BACKENDS_CPU_INDEX_INDEX_TARGET_H_

#include "tensor/impl.h"

// What may be written by kernels that read in another order: unlike for elementwise ones,
// the very same elements are no better than others.
oy_status oyi_check_apart(const oyi_tensor* out, const oyi_tensor* const* inputs,
                          int count);
// The same but for overlap with itself, which some operators only warn of, as PyTorch's took it
// from the start: |op| is the name and |as| how it is written in brackets.
oy_status oyi_check_inputs_apart(const oyi_tensor* out, const oyi_tensor* const* inputs,
                                 int count);
void oyi_warn_expanded(const oyi_tensor* out, const char* op, const char* as);
// Checks |out| against overlap with itself and with |inputs| (|count| of them, |self|
// not among them), and copies |self| into it if it is another tensor; NULL |out|: a new
// copy of |self|. The caller has checked all that it can, so that nothing is written
// for a bad call.
oy_status oyi_index_target(oyi_tensor* self, oy_object* out,
                           const oyi_tensor* const* inputs, int count,
                           oyi_tensor** target);
// |index|, retained, or a copy if what is written to |target| might change it: indices
// are checked before anything is written, and must still be what was checked after.
oyi_tensor* oyi_index_apart(const oyi_tensor* index, const oyi_tensor* target);
// Copies elements of |from| to |to|, both of the same rank, in the shape |sizes|: from
// |to_offset| and |from_offset| elements behind their first ones on, |from| staying there along
// |dim|. Where indices say but one place, elements are copied as any are.
oy_status oyi_index_copy(const oyi_tensor* to, int64_t to_offset, const oyi_tensor* from,
                         int64_t from_offset, int64_t dim, oy_ints sizes);
// |target|, or NULL with a new one given up if |status| is a failure.
static inline oy_object* oyi_index_result(oyi_tensor* target, const oy_object* out,
                                          oy_status status) {
  if (status == 0) return &target->header;
  if (!out && target) oy_tensor_release(&target->header);
  return NULL;
}

#endif  // OPYARD_SRC_BACKENDS_CPU_INDEX_INDEX_TARGET_H_
