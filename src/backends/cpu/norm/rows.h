// SPDX-License-Identifier: Apache-2.0
// What softmax and the normalisations do with one contiguous row, in vectors, for float
// and double at each capability level. Sums are made of the same partial ones whatever
// the address, so results depend on the numbers alone.
#ifndef OPYARD_SRC_BACKENDS_CPU_NORM_ROWS_H_
#define OPYARD_SRC_BACKENDS_CPU_NORM_ROWS_H_

#include "opyard/value.h"

enum { OYI_COLUMNS = 1024 };  // of channels that are done at once, at most

// Rows of layer_norm that follow each other, of at most oyi_row_math's |short_row| elements.
typedef struct oyi_short_rows {
  int64_t n, rows;
  const void *in, *grad;      // |grad| of gradients alone
  const void *weight, *bias;  // NULL: there is none
  void* out;
  void *mean, *rstd;  // of each row; gradients read them
  double eps;
  void *weights, *biases;  // gradients of the parameters, which are written; both or NULL
} oyi_short_rows;

typedef struct oyi_row_math {
  void (*softmax)(int64_t n, const void* in, void* out);
  void (*log_softmax)(int64_t n, const void* in, void* out);
  // From the gradient and the result of the forward operator.
  void (*softmax_backward)(int64_t n, const void* grad, const void* result, void* out);
  void (*log_softmax_backward)(int64_t n, const void* grad, const void* result,
                               void* out);

  // Of many rows at once, each of at most |short_row| elements.
  int64_t short_row;
  void (*softmax_backward_short)(int64_t n, int64_t rows, const void* grad,
                                 const void* result, void* out);
  void (*normalise_short)(const oyi_short_rows* rows);
  void (*normalise_backward_short)(const oyi_short_rows* rows);

  double (*sum)(int64_t n, const void* in);
  double (*square_deviations)(int64_t n, const void* in, double mean);
  // (in - mean) * rstd * weight + bias, where either of these may be NULL.
  void (*normalise)(int64_t n, const void* in, void* out, double mean, double rstd,
                    const void* weight, const void* bias);
  // (in - mean) * scale + shift
  void (*affine)(int64_t n, const void* in, void* out, double mean, double scale,
                 double shift);

  // sums: of grad * weight, and of grad * weight * (in - mean). |weight| may be NULL.
  void (*products)(int64_t n, const void* grad, const void* in, double mean,
                   const void* weight, double* sums);
  // grad * weight * by[0] + (in - mean) * by[1] + by[2]
  void (*blend)(int64_t n, const void* grad, const void* in, void* out, double mean,
                const void* weight, const double* by);
  // Adds grad * (in - mean) * rstd to |weights|, and grad to |biases|.
  void (*add_products)(int64_t n, const void* grad, const void* in, double mean,
                       double rstd, void* weights, void* biases);

  // The same as of rows, down |columns| adjacent columns of |n| elements each, |stride|
  // elements from one to the next.
  void (*softmax_columns)(int64_t n, int64_t stride, int64_t columns, const void* in,
                          void* out);
  void (*log_softmax_columns)(int64_t n, int64_t stride, int64_t columns, const void* in,
                              void* out);
  void (*softmax_columns_backward)(int64_t n, int64_t stride, int64_t columns,
                                   const void* grad, const void* result, void* out);
  void (*log_softmax_columns_backward)(int64_t n, int64_t stride, int64_t columns,
                                       const void* grad, const void* result, void* out);

  // Of up to OYI_COLUMNS columns: sums of them, or with |mean| of squares of deviations.
  void (*column_sums)(int64_t n, int64_t stride, int64_t columns, const void* in,
                      const void* mean, double* sums);
  // (in - mean) * scale + shift; |by| has OYI_COLUMNS of each.
  void (*affine_columns)(int64_t n, int64_t stride, int64_t columns, const void* in,
                         void* out, const void* by);
  // Sums of grad, and of grad * (in - mean).
  void (*column_products)(int64_t n, int64_t stride, int64_t columns, const void* grad,
                          const void* in, const void* mean, double* sums,
                          double* products);
  // grad * scale + (in - mean) * slope + shift; |by| has means, scales, slopes and shifts.
  void (*blend_columns)(int64_t n, int64_t stride, int64_t columns, const void* grad,
                        const void* in, void* out, const void* by);
} oyi_row_math;

// For F32 or F64, at the level of this machine.
const oyi_row_math* oyi_row_math_for(oy_dtype dtype);

// By level: float, then double.
extern const oyi_row_math oyi_row_math_base[2];
extern const oyi_row_math oyi_row_math_v3[2];
extern const oyi_row_math oyi_row_math_v4[2];

#endif  // OPYARD_SRC_BACKENDS_CPU_NORM_ROWS_H_
