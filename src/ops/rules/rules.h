// SPDX-License-Identifier: Apache-2.0
// Shape and dtype rules, one for each family that is not elementwise (those have
// the iterator). A rule checks the arguments and makes or prepares the output;
// the functional, in-place and out= forms and the Meta kernel all come from it.
// |out| NULL asks for a new tensor. On failure the error is set and NULL or the
// status returned; a new output is the caller's.
#ifndef OPYARD_SRC_OPS_RULES_RULES_H_
#define OPYARD_SRC_OPS_RULES_RULES_H_

#include "opyard/value.h"
#include "tensor/impl.h"

// Options of a factory, with the defaults filled in.
typedef struct oyi_options {
  oy_dtype dtype;
  oy_device device;
} oyi_options;
oy_status oyi_options_read(oy_value dtype, oy_value layout, oy_value device,
                           oy_value pin_memory, oy_dtype default_dtype,
                           oy_device default_device, oyi_options* out);
// Contiguous, channels-last or, with Preserve and |like|, in the layout of |like|.
oyi_tensor* oyi_rule_empty(oy_ints size, const oyi_options* options,
                           int64_t memory_format, const oyi_tensor* like);
oyi_tensor* oyi_rule_empty_strided(oy_ints size, oy_ints stride,
                                   const oyi_options* options);

// tril_indices and triu_indices: a (2, count) tensor. *offset is brought into reach.
oyi_tensor* oyi_rule_triangle_indices(int64_t rows, int64_t columns, int64_t* offset,
                                      bool lower, const oyi_options* options);

// "add": alpha must go with the dtype of the result.
oy_status oyi_check_alpha(oy_dtype dtype, oy_scalar alpha);
// The value that |op| (masked_fill_, index_fill_) puts in is one number.
oy_status oyi_check_filler(const char* op, const oy_object* value);
// So is that of fill_, which says it in other words.
oy_status oyi_check_fill(const oy_object* value);
// |index|, which is argument #|argument| of |op| and is called |name|, is int64 or int32.
oy_status oyi_check_index_dtype(const oy_object* index, int argument, const char* name,
                                const char* op);
// A 0-d tensor that promotes as a number does: a wrapped number.
oy_object* oyi_wrap_number(oy_scalar number);
// The device of every tensor must be the same.
oy_status oyi_check_same_device(const oyi_tensor* a, const oyi_tensor* b);

// "long int", "c10::Half": the C++ type, as some of PyTorch's messages name dtypes.
const char* oyi_dtype_cpp_name(oy_dtype dtype);
// Given outputs of any operator: exactly this dtype; and on this device, of this shape.
oy_status oyi_output_check_exact(const oyi_tensor* out, oy_dtype dtype);
oy_status oyi_output_exact(oyi_tensor* out, oy_ints sizes, oy_dtype dtype,
                           oy_device device);

#endif  // OPYARD_SRC_OPS_RULES_RULES_H_
