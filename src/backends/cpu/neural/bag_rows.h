// SPDX-License-Identifier: Apache-2.0
// Sums of rows of a table, by vectors that a bag's sums stay in.
#ifndef OPYARD_SRC_BACKENDS_CPU_NEURAL_BAG_ROWS_H_
#define OPYARD_SRC_BACKENDS_CPU_NEURAL_BAG_ROWS_H_

#include <stdbool.h>
#include <stdint.h>

typedef struct oyi_bag_rows {
  const void* table;
  const int64_t *index, *offset;
  const void* scale;                         // NULL: 1
  int64_t count, offsets, columns, padding;  // |count|: of indices
  bool is_mean;
  void* out;
  int64_t* size;  // of bags: how many rows were added; or NULL
} oyi_bag_rows;

// Bags |first| to below |last|: rows index[i], but |padding|, each times its number, in their
// order. Of fewer columns than a vector has there is none. Floats, doubles.
typedef void (*oyi_bag_rows_fn)(const oyi_bag_rows* b, int64_t first, int64_t last);
void oyi_bag_rows_f32_v3(const oyi_bag_rows* b, int64_t first, int64_t last);
void oyi_bag_rows_f64_v3(const oyi_bag_rows* b, int64_t first, int64_t last);
void oyi_bag_rows_f32_v4(const oyi_bag_rows* b, int64_t first, int64_t last);
void oyi_bag_rows_f64_v4(const oyi_bag_rows* b, int64_t first, int64_t last);

#endif  // OPYARD_SRC_BACKENDS_CPU_NEURAL_BAG_ROWS_H_
