// SPDX-License-Identifier: Apache-2.0
// Boxed values against types of the schema language: checking with PyTorch's
// conversions, values of defaults, and how messages name both.
#ifndef OPYARD_SRC_DISPATCH_VALUE_CHECK_H_
#define OPYARD_SRC_DISPATCH_VALUE_CHECK_H_

#include "base/strbuf.h"
#include "dispatch/value_convert.h"
#include "opyard/schema.h"

// Makes *v one of |type| in the form that typed calls read. Converts int to
// float and complex, one number to int[N], and between forms of lists; a bool is
// never an int. On a mismatch *v is as it was.
oyi_converted oyi_value_check(oy_value* v, const oy_type* type);

// The default as a value; lists and texts are owned.
oy_status oyi_default_value(const oy_default* d, const oy_type* type,
                            oy_value* out_value);

// "List[int]", "Optional[Tensor]", ...
void oyi_type_describe(oyi_strbuf* out, const oy_type* type);
void oyi_value_describe_type(oyi_strbuf* out, oy_value v);
// "3", "1.5", "True", "None", "[1, 2]", "'text'"; long lists are cut off.
void oyi_value_describe(oyi_strbuf* out, oy_value v);

#endif  // OPYARD_SRC_DISPATCH_VALUE_CHECK_H_
