// SPDX-License-Identifier: Apache-2.0
// bincount: how often each number occurs, or what the weights of its places add up to.
#include "backends/cpu/kernels.h"
#include "backends/cpu/reduce/reduce_loops.h"
#include "backends/cpu/staging.h"
#include "base/template.h"
#include "ops/rules/reduction.h"
#include "tensor/element.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "align-loops=32")
#endif

static oy_status check_bincount(const oyi_tensor* t, const oyi_tensor* weights,
                                int64_t minlength) {
  OY_CHECK(oy_dtype_is_integral(t->header.dtype, false), NOT_IMPLEMENTED,
           "\"bincount_cpu\" not implemented for '%s'",
           oy_dtype_pytorch_name(t->header.dtype));
  OY_CHECK(minlength >= 0, INVALID_ARGUMENT, "minlength should be >= 0");
  OY_CHECK(t->ndim == 1, INVALID_ARGUMENT,
           "bincount only supports 1-d non-negative integral inputs.");
  OY_CHECK(!weights || (weights->ndim == 1 && weights->numel == t->numel),
           INVALID_ARGUMENT, "weights should be 1-d and have the same length as input");
  OY_CHECK(!oyi_is_meta(t), NOT_IMPLEMENTED,
           "bincount on the meta device: the elements decide the shape of the result");
  OY_TRY(oyi_check_memory(t));
  return weights ? oyi_check_memory(weights) : OY_OK;
}

// Numbers are read as int64, weights as double, in pieces that stay in the first-level cache.
enum { PIECE = 512 };
typedef struct vector {
  const char* data;
  int64_t step, n;  // bytes from one element to the next; how many there are
  oy_dtype dtype;
} vector;

static vector vector_of(const oyi_tensor* t) {
  return (vector){oyi_data(t), oyi_strides(t)[0] * oyi_item(t), t->numel,
                  t->header.dtype};
}

// |n| elements from |first| on, as |dtype|, of 8 bytes each: in |room|, or where they are.
static const void* read_piece(const vector* v, int64_t first, int64_t n, oy_dtype dtype,
                              void* room) {
  enum { BYTES = sizeof(int64_t) };
  const char* from = v->data + first * v->step;
  if (v->dtype == dtype && v->step == BYTES) return from;
  oyi_convert_row(dtype, room, BYTES, v->dtype, from, v->step, n);
  return room;
}

static inline int64_t piece_from(const vector* v, int64_t first) {
  return v->n - first < PIECE ? v->n - first : PIECE;
}

// How many bins there are, by the reducers of least and greatest elements.
static oy_status length_of(const vector* x, int64_t* length) {
  _Alignas(64) char state[OYI_REDUCE_STATE_BYTES];
  _Alignas(8) char least[8], greatest[8];
  const oyi_fold* r = oyi_fold_for(oyi_aminmax_reducers(), x->dtype, "bincount_cpu");
  if (!r) return oy_failure();
  r->start(state, 1, NULL);
  r->row(state, 0, x->data, x->n, x->step, 0, NULL);
  r->finish(state, 1, (void* const[]){least, greatest}, NULL);
  int64_t ends[2];
  oyi_convert_row(OY_DTYPE_I64, (char*)&ends[0], 0, x->dtype, least, 0, 1);
  oyi_convert_row(OY_DTYPE_I64, (char*)&ends[1], 0, x->dtype, greatest, 0, 1);
  OY_CHECK(ends[0] >= 0 && ends[1] < INT64_MAX, INVALID_ARGUMENT,
           "bincount only supports 1-d non-negative integral inputs.");
  if (ends[1] >= *length) *length = ends[1] + 1;
  return OY_OK;
}

static oyi_tensor* zeros(int64_t length, oy_dtype dtype) {
  oyi_tensor* t = oyi_tensor_new((oy_ints){&length, 1}, dtype, oy_device_cpu());
  if (t && length > 0) memset(oyi_data(t), 0, (size_t)(length * oyi_item(t)));
  return t;
}

static void count_all(const vector* x, int64_t* bins) {
  int64_t room[PIECE];
  for (int64_t i = 0; i < x->n; i += PIECE) {
    const int64_t n = piece_from(x, i);
    const int64_t* at = read_piece(x, i, n, OY_DTYPE_I64, room);
    for (int64_t k = 0; k < n; k++) bins[at[k]]++;
  }
}

// Of few bins the same one comes often soon again, and would have to be waited for: four of each.
enum { SIDES = 4, FEW = 256, MANY = 4096 };
typedef struct few_bins {
  int64_t of[SIDES][FEW];
} few_bins;

// Those that |at| has too many bins for are left alone: false. Within others compilers make slower
// loops of it.
static __attribute__((noinline)) bool count_piece(const int64_t* at, int64_t n,
                                                  few_bins* bins) {
  int64_t all = 0, k = 0;
  for (int64_t i = 0; i < n; i++) all |= at[i];
  if (all < 0 || all >= FEW) return false;
  for (; k + SIDES <= n; k += SIDES) {
    bins->of[0][at[k]]++, bins->of[1][at[k + 1]]++;
    bins->of[2][at[k + 2]]++, bins->of[3][at[k + 3]]++;
  }
  for (; k < n; k++) bins->of[0][at[k]]++;
  return true;
}

// Counts without having looked how many bins there are, if they are few; |out| may be NULL for
// want of memory then.
static bool count_few(const vector* x, int64_t length, oyi_tensor** out) {
  if (x->n < MANY || length > FEW) return false;
  int64_t room[PIECE];
  few_bins bins = {{{0}}};
  for (int64_t i = 0; i < x->n; i += PIECE) {
    const int64_t n = piece_from(x, i);
    if (!count_piece(read_piece(x, i, n, OY_DTYPE_I64, room), n, &bins)) return false;
  }
  for (int64_t k = 0; k < FEW; k++) {
    bins.of[0][k] += bins.of[1][k] + bins.of[2][k] + bins.of[3][k];
    if (bins.of[0][k] > 0 && k >= length) length = k + 1;
  }
  *out = zeros(length, OY_DTYPE_I64);
  if (*out) memcpy(oyi_data(*out), bins.of[0], (size_t)length * sizeof(int64_t));
  return true;
}

static oyi_tensor* count(const vector* x, int64_t length) {
  oyi_tensor* out;
  if (count_few(x, length, &out)) return out;
  if (length_of(x, &length) != OY_OK) return NULL;
  out = zeros(length, OY_DTYPE_I64);
  if (out) count_all(x, oyi_data(out));
  return out;
}

// Weights are added up as double; those of float32 give float32.
static oyi_tensor* add_weights(const vector* x, const vector* weights, int64_t length) {
  if (length_of(x, &length) != OY_OK) return NULL;
  oyi_tensor* sums = zeros(length, OY_DTYPE_F64);
  if (!sums) return NULL;
  int64_t room[PIECE];
  double more[PIECE], *bins = oyi_data(sums);
  for (int64_t i = 0; i < x->n; i += PIECE) {
    const int64_t n = piece_from(x, i);
    const int64_t* at = read_piece(x, i, n, OY_DTYPE_I64, room);
    const double* by = read_piece(weights, i, n, OY_DTYPE_F64, more);
    OYI_UNROLL_BY(4)
    for (int64_t k = 0; k < n; k++) bins[at[k]] += by[k];
  }
  if (weights->dtype != OY_DTYPE_F32) return sums;
  oyi_tensor* out = oyi_converted(sums, OY_DTYPE_F32);
  oy_tensor_release(&sums->header);
  return out;
}

OYI_CPU(bincount) {
  const oyi_tensor* t = oyi_tensor_of(self);
  const oyi_tensor* w = t && !oy_object_is_none(weights) ? oyi_tensor_of(weights) : NULL;
  if (!t || (!w && !oy_object_is_none(weights)) || check_bincount(t, w, minlength) != 0)
    return NULL;
  // Nothing to count, whatever the weights.
  if (t->numel == 0) return oyi_tensor_object(zeros(minlength, OY_DTYPE_I64));
  const vector x = vector_of(t);
  if (!w) return oyi_tensor_object(count(&x, minlength));
  const vector by = vector_of(w);
  return oyi_tensor_object(add_weights(&x, &by, minlength));
}
