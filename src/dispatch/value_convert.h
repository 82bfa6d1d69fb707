// SPDX-License-Identifier: Apache-2.0
// Boxed values by the letter of a signature class (signature.h): does it fit,
// and if not, can it be made to.
#ifndef OPYARD_SRC_DISPATCH_VALUE_CONVERT_H_
#define OPYARD_SRC_DISPATCH_VALUE_CONVERT_H_

#include "opyard/value.h"

// Whether typed code may read |v| as |letter| says.
bool oyi_value_fits(oy_value v, char letter);

typedef enum oyi_converted {
  OYI_CONVERTED,
  OYI_CONVERT_NO_MEMORY,  // the error is set
  OYI_CONVERT_MISMATCH    // no error is set: the caller knows what to say
} oyi_converted;

// Makes *v fit: an int or bool is no float's or int's substitute but for int to
// float (and to complex), lists of values become lists of numbers or tensors and
// the other way, an empty list fits any list. On failure *v is as it was.
oyi_converted oyi_value_convert(oy_value* v, char letter);

#endif  // OPYARD_SRC_DISPATCH_VALUE_CONVERT_H_
