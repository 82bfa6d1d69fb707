// SPDX-License-Identifier: Apache-2.0
// bilinear, and the product of three tensors that it is made of.
#include "ops/calls.h"
#include "ops/composite/held.h"
#include "ops/kernels.h"
#include "ops/rules/shape.h"

#define HOLD(...) oyi_hold(&h, __VA_ARGS__)

// -------------------------------------------------------------------- _trilinear

enum { LETTERS = 52, OPERANDS = 3 };  // einsum's

typedef struct subscripts {
  char text[OPERANDS * (LETTERS + 1) + LETTERS + 3];
  size_t size;
} subscripts;

static void put(subscripts* s, char c) {
  s->text[s->size++] = c;
}
// The letters of all dimensions that are not in |mask|.
static void put_letters(subscripts* s, int64_t ndim, uint64_t mask) {
  for (int64_t d = 0; d < ndim; d++)
    if (!(mask >> d & 1)) put(s, (char)(d < 26 ? 'a' + d : 'A' + d - 26));
}

// The dimensions that each of the operands lacks, and those that are summed.
static oy_status read_masks(oy_object* const* in, const oy_ints* expand, oy_ints sums,
                            int64_t* out_ndim, uint64_t* masks, uint64_t* sum) {
  for (int k = 0; k < OPERANDS; k++) {
    const oyi_tensor* t = oyi_tensor_of(in[k]);
    if (!t) return oy_failure();
    OY_CHECK(expand[k].size <= LETTERS && t->ndim + expand[k].size <= LETTERS,
             INVALID_ARGUMENT, "_trilinear: expected at most %d dimensions", LETTERS);
    const int64_t ndim = t->ndim + (int64_t)expand[k].size;
    OY_CHECK(k == 0 || ndim == *out_ndim, INVALID_ARGUMENT,
             "_trilinear: expected inputs that have the same number of dimensions with "
             "those of expand, got %lld and %lld",
             (long long)*out_ndim, (long long)ndim);
    *out_ndim = ndim;
    OY_TRY(oyi_dims_mask(expand[k], ndim, &masks[k]));
  }
  return oyi_dims_mask(sums, *out_ndim, sum);
}

static oy_object* trilinear(oy_object* const* in, const oy_ints* expand, oy_ints sums,
                            int64_t unroll_dim) {
  int64_t ndim = 0;
  uint64_t masks[OPERANDS], sum;
  if (read_masks(in, expand, sums, &ndim, masks, &sum) != 0) return NULL;
  if (unroll_dim < 0 || unroll_dim >= ndim) {
    OY_FAIL(INVALID_ARGUMENT, "unroll_dim must be in [0,%lld]", (long long)ndim - 1);
    return NULL;
  }
  // What no operand has is of size 1 in the result, where it is not summed.
  const uint64_t nowhere = masks[0] & masks[1] & masks[2];
  subscripts s = {.size = 0};
  for (int k = 0; k < OPERANDS; k++) {
    if (k) put(&s, ',');
    put_letters(&s, ndim, masks[k]);
  }
  put(&s, '-');
  put(&s, '>');
  put_letters(&s, ndim, sum | nowhere);
  oy_object* result = oyi_call_einsum((oy_str){s.text, s.size},
                                      (oy_tensors){in, OPERANDS}, (oy_ints){NULL, 0});
  int64_t at = 0;
  for (int64_t d = 0; result && d < ndim; d++) {
    if (sum >> d & 1) continue;
    if (nowhere >> d & 1) {
      oy_object* wider = oyi_call_unsqueeze(result, at);
      oy_tensor_release(result);
      result = wider;
    }
    at++;
  }
  return result;
}

OYI_COMPOSITE(_trilinear) {
  oy_object* const in[OPERANDS] = {i1, i2, i3};
  const oy_ints expand[OPERANDS] = {expand1, expand2, expand3};
  return trilinear(in, expand, sumdim, unroll_dim);
}
OYI_STORED(_trilinear_out, _trilinear)

// ---------------------------------------------------------------------- bilinear

static oy_status check_bilinear(const oyi_tensor* a, const oyi_tensor* b,
                                const oyi_tensor* w, const oyi_tensor* bias) {
  OY_CHECK(a->ndim == b->ndim, INVALID_ARGUMENT,
           "bilinear(): input dimensions do not match: got %u and %u", a->ndim, b->ndim);
  OY_CHECK(
      a->ndim > 0 && w->ndim == 3, INVALID_ARGUMENT,
      "bilinear(): expected inputs of at least 1 dimension and a weight of 3, got %u "
      "and %u",
      a->ndim, w->ndim);
  const size_t last = a->ndim - 1u;
  for (size_t d = 0; d < last; d++)
    OY_CHECK(
        a->sizes[d] == b->sizes[d], INVALID_ARGUMENT,
        "bilinear(): input batch dimensions do not match at dim %zu: got %lld and %lld",
        d, (long long)a->sizes[d], (long long)b->sizes[d]);
  OY_CHECK(
      a->sizes[last] == w->sizes[1], INVALID_ARGUMENT,
      "bilinear(): input1 size does not match weight size: got %lld but expected %lld",
      (long long)a->sizes[last], (long long)w->sizes[1]);
  OY_CHECK(
      b->sizes[last] == w->sizes[2], INVALID_ARGUMENT,
      "bilinear(): input2 size does not match weight size: got %lld but expected %lld",
      (long long)b->sizes[last], (long long)w->sizes[2]);
  if (!bias) return OY_OK;
  const int64_t size = bias->ndim > 0 ? bias->sizes[0] : -1;
  OY_CHECK(size == w->sizes[0], INVALID_ARGUMENT,
           "bilinear(): bias size does not match weight size: got %lld but expected %lld",
           (long long)size, (long long)w->sizes[0]);
  return OY_OK;
}

static const int64_t g_dims[] = {0, 1, 2, 3};

OYI_COMPOSITE(bilinear) {
  const oyi_tensor* a = oyi_tensor_of(input1);
  const oyi_tensor* b = a ? oyi_tensor_of(input2) : NULL;
  const oyi_tensor* w = b ? oyi_tensor_of(weight) : NULL;
  const bool biased = !oy_object_is_none(bias);
  const oyi_tensor* c = w && biased ? oyi_tensor_of(bias) : NULL;
  if (!w || (biased && !c) || check_bilinear(a, b, w, c) != 0) return NULL;
  int64_t sizes[OY_TENSOR_MAX_DIMS], rows = 1;
  for (size_t d = 0; d + 1 < a->ndim; d++) rows *= sizes[d] = a->sizes[d];
  sizes[a->ndim - 1] = w->sizes[0];
  oyi_held h = {0};
  const int64_t flat1[] = {rows, w->sizes[1]}, flat2[] = {rows, w->sizes[2]};
  static const int64_t outer[] = {1, 3};
  oy_object* x = HOLD(oyi_call_reshape(input1, (oy_ints){flat1, 2}));
  oy_object* y = HOLD(oyi_call_reshape(input2, (oy_ints){flat2, 2}));
  oy_object* rest = x && y ? HOLD(oyi_call__trilinear(
                                 x, weight, y, (oy_ints){outer, 2}, (oy_ints){g_dims, 1},
                                 (oy_ints){g_dims + 1, 2}, (oy_ints){g_dims + 2, 2}, 1))
                           : NULL;
  oy_object* result = rest ? oyi_call_reshape(rest, (oy_ints){sizes, a->ndim}) : NULL;
  if (!result || !biased) return oyi_held_end(&h, result);
  (void)HOLD(result);
  return oyi_held_end(&h, oyi_call_add_Tensor(result, bias, oy_int(1)));
}
