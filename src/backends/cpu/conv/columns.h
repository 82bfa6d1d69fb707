// SPDX-License-Identifier: Apache-2.0
// Images as columns: what windows see, one row for each channel and kernel element, one
// column for each place of the window. A convolution is a product with them.
#ifndef OPYARD_SRC_BACKENDS_CPU_CONV_COLUMNS_H_
#define OPYARD_SRC_BACKENDS_CPU_CONV_COLUMNS_H_

#include "ops/rules/convolution.h"

typedef struct oyi_columns {
  // Columns |first| to |first| + |count| of |channels| images that lie one after another.
  void (*im2col)(const oyi_conv* c, const void* images, int64_t channels, int64_t first,
                 int64_t count, void* columns);
  // The adjoint, for all columns: adds to the images.
  void (*col2im)(const oyi_conv* c, const void* columns, int64_t channels, void* images);
  // Windows as rows, one after another, of |channels| images.
  void (*im2row)(const oyi_conv* c, const void* images, int64_t channels, void* rows);
  // Adds the convolution of one image with one kernel, without columns.
  void (*slide)(const oyi_conv* c, const void* image, const void* weight, void* map);
  // The adjoint: adds to the image. And the gradient of the kernel, in double, or what sums of
  // the type are added up in: adds to |sums|.
  void (*spread)(const oyi_conv* c, const void* map, const void* weight, void* image);
  void (*correlate)(const oyi_conv* c, const void* map, const void* image, void* sums);
  // |n| times |value|; the sum of |n| elements, added to |total|.
  void (*fill)(void* out, const void* value, int64_t n);
  void (*sum)(const void* maps, int64_t n, void* total);
} oyi_columns;

// NULL for other types than f32, f64, i64, c64 and c128.
const oyi_columns* oyi_columns_of(oy_dtype dtype);

#endif  // OPYARD_SRC_BACKENDS_CPU_CONV_COLUMNS_H_
