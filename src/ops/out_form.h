// SPDX-License-Identifier: Apache-2.0
// Forms with given outputs that are made of the functional one and a copy.
// oyi_into_out (out.h) converts to the dtype of the output; these want the same.
#ifndef OPYARD_SRC_OPS_OUT_FORM_H_
#define OPYARD_SRC_OPS_OUT_FORM_H_

#include "tensor/impl.h"

// Copies |result|, whose reference it takes, into |out|, which gets its shape and must
// have its dtype. Returns |out|; NULL on failure, also if |result| is NULL.
oy_object* oyi_into_exact_out(oy_object* out, oy_object* result);

// The same into any dtype that the result's can be cast to, else "cholesky: Expected result
// to be safely castable from Float dtype, but got result with dtype Long". An output of
// another dtype and shape becomes contiguous; with |in_rows| so does one of the same dtype.
oy_object* oyi_into_castable_out(oy_object* out, oy_object* result, const char* op,
                                 const char* what, bool in_rows);

// The same as oyi_into_exact_out, where an output of another shape becomes contiguous,
// whatever the layout of the result.
oy_object* oyi_into_contiguous_out(oy_object* out, oy_object* result);

// The same for the results of an operator that has several, if |status| is OK. Those
// that are &oy_none_object are left out.
oy_status oyi_into_outs(oy_status status, oy_object* const* outs,
                        oy_object* const* results, int count);
// The same as oyi_into_castable_out, with a name for each.
oy_status oyi_into_castable_outs(oy_status status, oy_object* const* outs,
                                 oy_object* const* results, int count, const char* op,
                                 const char* const* what);

#endif  // OPYARD_SRC_OPS_OUT_FORM_H_
