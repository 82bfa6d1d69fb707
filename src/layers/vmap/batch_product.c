// SPDX-License-Identifier: Apache-2.0
// Products: all are matmul, which repeats what one of its operands has more dimensions of.
#include "base/memory.h"
#include "layers/vmap/batch.h"
#include "ops/calls.h"

typedef struct operand {
  oy_object* tensor;  // as it was given
  int64_t ndim;       // of a slice
} operand;

static int64_t size_of(const operand* o, int64_t from_end) {
  return oyi_tensor_cast(o->tensor)->sizes[o->ndim - from_end];
}

// Whether the slices are what the operator takes; if not, the loop finds the words for it.
static bool fits(const operand* o, char wanted) {
  return wanted == '*' ? o->ndim > 0 : o->ndim == wanted - '0';
}

// The value as a stack of matrices with |ndim| dimensions; a vector is a row or a column.
static oy_object* matrices(const oyi_batch* b, const operand* o, int64_t ndim, bool row) {
  oy_object* v = oyi_batch_front(b, o->tensor);
  if (v && o->ndim == 1) {
    oy_object* wide = oyi_call_unsqueeze(v, row ? -2 : -1);
    oy_tensor_release(v);
    v = wide;
  }
  return v && oyi_wrapper_at(o->tensor, b->layer) ? oyi_batch_pad(v, ndim) : v;
}

// |made|, which is taken over, without the dimensions that vectors were given.
static oy_object* without(oy_object* made, bool row, bool column) {
  for (int i = 0; i < 2; i++) {
    if (!(i == 0 ? column : row) || !made) continue;
    const int64_t ndim = oy_tensor_ndim(made);
    oy_object* less = oyi_call_squeeze_dim(made, i == 0 || column ? ndim - 1 : ndim - 2);
    oy_tensor_release(made);
    made = less;
  }
  return made;
}

static oy_object* multiply(const oyi_batch* b, const operand* x, const operand* y) {
  int64_t ndim = x->ndim > y->ndim ? x->ndim : y->ndim;
  if (ndim < 2) ndim = 2;
  oy_object* left = matrices(b, x, ndim, true);
  oy_object* right = left ? matrices(b, y, ndim, false) : NULL;
  oy_object* made = right ? oyi_call_matmul(left, right) : NULL;
  oy_tensor_release(left);
  oy_tensor_release(right);
  return without(made, x->ndim == 1, y->ndim == 1);
}

// |arguments|: how many dimensions each operand has, '*' for one or more.
OYI_BATCH_RULE(product) {
  (void)keys;
  const oyi_batch_rule* rule = kernel->user_data;
  oyi_batch b;
  OY_TRY(oyi_batch_begin(&b, op, stack));
  if (!oyi_batch_any(&b)) return oyi_batch_pass(&b);
  operand o[2];
  bool good = true;
  for (size_t i = 0; i < 2; i++) {
    o[i].tensor = oyi_batch_arg(&b, i)->as.object;
    o[i].ndim = oy_tensor_ndim(o[i].tensor);
    good = good && fits(&o[i], rule->arguments[i]);
  }
  // matmul would repeat a stack of one matrix where bmm does not.
  if (good && rule->arguments[0] == '3') good = size_of(&o[0], 3) == size_of(&o[1], 3);
  if (!good) return oyi_batch_loop(&b);
  uint64_t keep = oyi_batch_below();
  oy_object* made = multiply(&b, &o[0], &o[1]);
  oyi_batch_above(keep);
  OY_TRY(oyi_batch_push(&b, made));
  oyi_batch_drop_arguments(&b);
  return oyi_batch_wrap(&b, 1, 0);
}
