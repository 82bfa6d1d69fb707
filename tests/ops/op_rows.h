// SPDX-License-Identifier: Apache-2.0
// Rows of calls with what they give, as text:
//
//   {"sum.dim_IntList", "f32[2,2]:1,2,3,4; [0]; false; none", "f32[2]:4,6"}
//
// Arguments are all of the schema's, in order. A tensor is dtype[sizes]:elements in
// row-major order (complex ones as pairs), with ^ behind the sizes if it is stored with
// its dimensions reversed. Other values: 3, 3.0 (a float), true, none, [1,2], 'text',
// bools[1,0], floats[0.5,1], numbers[2,0.5] (of any kind), dtype:f32,
// {tensor | none} for lists of tensors, of results too. Results are separated by "; ";
// "!text" is an error and its message. Floats agree to a few digits of their dtype.
#ifndef OPYARD_TESTS_OPS_OP_ROWS_H_
#define OPYARD_TESTS_OPS_OP_ROWS_H_

#include <stddef.h>

typedef struct op_row {
  const char *op, *arguments, *want;
} op_row;

// Runs all of them and fails if one differs; says which.
void check_op_rows(const op_row* rows, size_t count);

#endif  // OPYARD_TESTS_OPS_OP_ROWS_H_
