// SPDX-License-Identifier: Apache-2.0
// How many elements the triangles of a matrix have.
#include "ops/rules/rules.h"

// 1 + 2 + ... + |n|, but no more than |columns| each.
static __int128 stairs(__int128 n, __int128 columns) {
  if (n <= 0) return 0;
  if (n <= columns) return n * (n + 1) / 2;
  return columns * (columns + 1) / 2 + (n - columns) * columns;
}

oyi_tensor* oyi_rule_triangle_indices(int64_t rows, int64_t columns, int64_t* offset,
                                      bool lower, const oyi_options* options) {
  if (rows < 0 || columns < 0) {
    OY_FAIL(INVALID_ARGUMENT, "%s must be non-negative, got%lld",
            rows < 0 ? "row" : "col", (long long)(rows < 0 ? rows : columns));
    return NULL;
  }
  if (*offset > columns) *offset = columns;
  if (*offset < -rows) *offset = -rows;
  // The lower one has the diagonal, the upper one's complement does not.
  __int128 on = *offset - (lower ? 0 : 1);
  __int128 count = stairs(on + rows, columns) - stairs(on, columns);
  if (!lower) count = (__int128)rows * columns - count;
  if (count > INT64_MAX / 2) {
    OY_FAIL(INVALID_ARGUMENT, "numel: integer multiplication overflow: %s",
            oyi_dims_print(OY_DIMS(rows, columns)).text);
    return NULL;
  }
  return oyi_tensor_new(OY_DIMS(2, (int64_t)count), options->dtype, options->device);
}
