// SPDX-License-Identifier: Apache-2.0
// What the normalisations check and make before they compute.
#ifndef OPYARD_SRC_BACKENDS_CPU_NORM_RULES_NORM_H_
#define OPYARD_SRC_BACKENDS_CPU_NORM_RULES_NORM_H_

#include "tensor/impl.h"

// A normalisation of |rows| stretches of |n| elements.
typedef struct oyi_norm {
  const oyi_tensor *in, *weight, *bias;  // |weight| and |bias| may be NULL
  oy_dtype statistics;                   // dtype of mean and 1 / deviation
  oy_memory_format format;               // of the result
  int64_t rows, n;
  size_t ndim;  // of the statistics
  int64_t sizes[OY_TENSOR_MAX_DIMS];
} oyi_norm;

oy_status oyi_rule_layer_norm(oyi_norm* rule, oy_object* input, oy_ints shape,
                              oy_object* weight, oy_object* bias);
// |shape| is N, C and HxW.
oy_status oyi_rule_group_norm(oyi_norm* rule, oy_object* input, oy_object* weight,
                              oy_object* bias, const int64_t shape[3], int64_t groups);

// |params| are weight, bias, and the running mean and variance, each of which may be None.
oy_status oyi_rule_batch_norm(oyi_norm* rule, oy_object* input,
                              oy_object* const params[4], bool training);

// How channels are walked: row by row, or as columns, where they lie.
typedef struct oyi_channels {
  bool columns, last;  // the last dimension in memory
  // Each sample has |inner| numbers of a channel, which lie together; with the channels last, or
  // where rows would be shorter than that, a sample is what memory has together of all channels.
  int64_t samples, channels, inner;
  int64_t together;  // that a thread takes at once
} oyi_channels;
oyi_channels oyi_channels_of(const oyi_tensor* t);
// A view of |t|, of the same shape as what they are of, which lies so if it is contiguous.
oyi_tensor* oyi_channels_view(const oyi_channels* c, const oyi_tensor* t);

// New tensors for the result, the mean and 1 / deviation: all of them or none.
oy_status oyi_norm_make(const oyi_norm* rule, oyi_tensor* made[3]);
// Hands them over if |status| is OY_OK, else releases them; gives |status|.
oy_status oyi_norm_give(oyi_tensor* const made[3], oy_object** const results[3],
                        oy_status status);

static inline double oyi_number_at(const void* data, oy_dtype dtype, int64_t i) {
  return dtype == OY_DTYPE_F64 ? ((const double*)data)[i]
                               : (double)((const float*)data)[i];
}
static inline void oyi_number_put(void* data, oy_dtype dtype, int64_t i, double number) {
  if (dtype == OY_DTYPE_F64)
    ((double*)data)[i] = number;
  else
    ((float*)data)[i] = (float)number;
}
// |number| for all columns of channel |i|, in the row of columns that begins at |first|.
static inline void oyi_channel_put(const oyi_channels* c, void* by, oy_dtype dtype,
                                   int64_t first, int64_t i, double number) {
  for (int64_t k = 0; k < c->inner; k++)
    oyi_number_put(by, dtype, first + i * c->inner + k, number);
}
// Of |count| channels: the sums of the columns of each come to one.
static inline void oyi_channels_sum(const oyi_channels* c, int64_t count, double* sums) {
  for (int64_t i = 0; c->inner > 1 && i < count; i++) {
    double sum = 0;
    for (int64_t k = 0; k < c->inner; k++) sum += sums[i * c->inner + k];
    sums[i] = sum;
  }
}

#endif  // OPYARD_SRC_BACKENDS_CPU_NORM_RULES_NORM_H_
