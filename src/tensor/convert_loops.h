// SPDX-License-Identifier: Apache-2.0
// Loops over |n| adjacent elements from one type to another. There is not one for
// each of 300 pairs: every dtype has a wide type near it (int32, int64, float or
// double), and a conversion is a chain of at most three loops through those.
#ifndef OPYARD_SRC_TENSOR_CONVERT_LOOPS_H_
#define OPYARD_SRC_TENSOR_CONVERT_LOOPS_H_

#include "opyard/object.h"

typedef void (*oyi_convert_loop)(void* out, const void* in, int64_t n);

// The loops to take one after another; none where the bits stay. Elements between them take at
// most 8 bytes.
typedef struct oyi_convert_chain {
  int count;
  oyi_convert_loop loops[3];
} oyi_convert_chain;

// The loops of one CPU capability.
enum { OYI_WIDE_I32, OYI_WIDE_I64, OYI_WIDE_F32, OYI_WIDE_F64, OYI_WIDE_U64, OYI_WIDES };
typedef struct oyi_convert_table {
  struct {
    uint8_t wide;            // the type near it
    oyi_convert_loop load;   // NULL: it is that type
    oyi_convert_loop store;  // from it
  } near[OY_DTYPE_LIMIT];
  oyi_convert_loop across[OYI_WIDES][OYI_WIDES];  // NULL: the same bits
  // Those in one step; NULL: there is none.
  oyi_convert_loop to_f32[OY_DTYPE_LIMIT], of_f32[OY_DTYPE_LIMIT], of_f64[OY_DTYPE_LIMIT];
  oyi_convert_loop to_i64[OY_DTYPE_LIMIT], to_i16[OY_DTYPE_LIMIT];
  oyi_convert_loop to_b1[OY_DTYPE_LIMIT], to_bf16[OY_DTYPE_LIMIT],
      of_bf16[OY_DTYPE_LIMIT];
  oyi_convert_loop to_8[OY_DTYPE_LIMIT];  // uint8 and int8
  oyi_convert_loop to_bool[OYI_WIDES];
  oyi_convert_loop of_c64[OY_DTYPE_LIMIT], of_c128[OY_DTYPE_LIMIT];  // the real parts
  oyi_convert_loop to_complex[OY_DTYPE_LIMIT];  // of numbers of the dtype of its parts
  // Of others, in one step; NULL: there is none.
  oyi_convert_loop to_c64[OY_DTYPE_LIMIT], to_c128[OY_DTYPE_LIMIT];
} oyi_convert_table;
extern const oyi_convert_table oyi_convert_loops, oyi_convert_loops_v3;

// From one real dtype to another; not for complex ones.
oyi_convert_chain oyi_convert_chain_of(oy_dtype to, oy_dtype from);
// To a complex dtype, from the dtype of its parts: the imaginary ones are 0.
oyi_convert_loop oyi_convert_to_complex(oy_dtype to);
// From a real dtype to a complex one, or from a complex one to what its real parts become, in
// one step. NULL: there is no such loop.
oyi_convert_loop oyi_convert_complex_at_once(oy_dtype to, oy_dtype from);

#endif  // OPYARD_SRC_TENSOR_CONVERT_LOOPS_H_
