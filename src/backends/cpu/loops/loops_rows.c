// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/loops/loops_rows.h"

#include "base/cpu.h"

#if defined(__x86_64__)
static oyi_rows_op op_of(oyi_cpu_loop which) {
  switch (which) {
    case OYI_LOOP_add: return OYI_ROWS_ADD;
    case OYI_LOOP_sub: return OYI_ROWS_SUB;
    case OYI_LOOP_mul: return OYI_ROWS_MUL;
    case OYI_LOOP_div: return OYI_ROWS_DIV;
    case OYI_LOOP_maximum: return OYI_ROWS_MAXIMUM;
    case OYI_LOOP_minimum: return OYI_ROWS_MINIMUM;
    case OYI_LOOP_relu: return OYI_ROWS_RELU;
    case OYI_LOOP_neg: return OYI_ROWS_NEG;
    case OYI_LOOP_abs: return OYI_ROWS_ABS;
    case OYI_LOOP_square: return OYI_ROWS_SQUARE;
    default: return OYI_ROWS_OPS;
  }
}

// Whether an input is one row for all others, beside an input that lies as the output does.
static bool has_row_again(const oyi_iter* it) {
  if (it->count != 3 || it->ndim != 2) return false;
  const int64_t item = oyi_item(it->tensors[0]), row = it->sizes[0] * item;
  const int again = it->strides[1][1] == 0 ? 1 : 2, other = 3 - again;
  return it->strides[0][again] == item && it->strides[1][again] == 0 &&
         it->strides[0][other] == item && it->strides[1][other] == row &&
         it->strides[1][0] == row;
}

// Shorter rows are copied side by side (iterator_packed.h), which fills vectors, and one that
// comes again is copied once for many; what a call takes is nothing beside longer ones.
static bool has_such_rows(const oyi_iter* it) {
  enum { SHORTEST = 64, SHORT = 256, LONG = 512, LONGEST = 2048, FEW = 4 };
  const int64_t item = oyi_item(it->tensors[0]), row = it->sizes[0] * item;
  if (row < SHORTEST || row > LONGEST || (it->sizes[1] < FEW && row < LONG) ||
      (row < SHORT && has_row_again(it)))
    return false;
  for (int k = 0; k < it->count; k++)
    if (it->strides[0][k] != item && (k == 0 || it->strides[0][k] != 0)) return false;
  return it->strides[0][1] != 0 || it->strides[0][it->count - 1] != 0;
}

bool oyi_rows_run(const oyi_iter* it, oyi_cpu_loop which, const void* args) {
  const oyi_rows_op op = op_of(which);
  if (op == OYI_ROWS_OPS || !it->runs || it->ndim < 2 || it->dtype > OY_DTYPE_F64 ||
      oyi_cpu_level() < 2 || !oyi_rows_v4[op][it->dtype] || !has_such_rows(it))
    return false;
  oyi_iter_run_blocks(it, oyi_rows_v4[op][it->dtype], args);
  return true;
}
#else
bool oyi_rows_run(const oyi_iter* it, oyi_cpu_loop which, const void* args) {
  (void)it, (void)which, (void)args;
  return false;
}
#endif
