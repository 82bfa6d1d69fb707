// SPDX-License-Identifier: Apache-2.0
// Which operators a program calls, and of which the elements are compared.
#ifndef OPYARD_TESTS_FUZZ_OPS_CHOICE_H_
#define OPYARD_TESTS_FUZZ_OPS_CHOICE_H_

#include "opyard/opyard.h"

typedef enum ops_choice {
  OPS_COMPARED,
  OPS_SHAPES_ALONE,
  OPS_UNCERTAIN,  // whether it goes well may be a matter of rounding, or of the layout
  OPS_LEFT_OUT
} ops_choice;

ops_choice ops_choose(const oy_op* op);
// Whether it may divide by 0 what only rounding says is 0, so that NaN may be an infinity.
bool ops_divides_by_0(const oy_op* op);
// Whether what it adds up are products of two numbers that went in.
bool ops_adds_products(const oy_op* op);

#endif  // OPYARD_TESTS_FUZZ_OPS_CHOICE_H_
