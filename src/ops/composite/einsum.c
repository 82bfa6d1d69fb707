// SPDX-License-Identifier: Apache-2.0
// einsum, by permute, sum and bmm. Every operand is brought to the same
// dimensions first: those of the result, in its order, then those that are summed; what
// an operand lacks has size 1. Then operands are multiplied from left to right, each
// dimension summed as soon as no later operand has it.
#include "ops/composite/einsum.h"
#include "base/memory.h"
#include "ops/calls.h"
#include "ops/kernels.h"

// ---------------------------------------------------------------------- arranging

// |fn| of a temporary, which it replaces.
static oy_object* replaced(oy_object* old, oy_object* made) {
  oy_tensor_release(old);
  return made;
}

// Which dimension of the operand goes to which place; a letter that it has twice becomes
// one dimension, along the diagonal.
static oy_object* find_dims(const einsum_plan* e, size_t operand, oy_object* t,
                            int64_t* from) {
  const subscripts* s = &e->in[operand];
  int64_t dim = 0;
  for (size_t i = 0; t && i < s->count; i++) {
    if (s->label[i] == ELLIPSIS) {
      size_t covered = oyi_tensor_cast(t)->ndim - (size_t)dim;
      for (size_t k = i + 1; k < s->count; k++) covered--;
      size_t first = (size_t)e->ellipsis_place + e->ellipsis_ndim - covered;
      for (size_t k = 0; k < covered; k++) from[first + k] = dim++;
      continue;
    }
    int place = e->place[s->label[i]];
    if (from[place] < 0) {
      from[place] = dim++;
      continue;
    }
    const oyi_tensor* o = oyi_tensor_cast(t);
    int64_t first = from[place];
    if (o->sizes[first] != o->sizes[dim]) {
      OY_FAIL(INVALID_ARGUMENT,
              "einsum(): subscript %c is repeated for operand %zu but the sizes don't "
              "match, %lld != %lld",
              einsum_letter(s->label[i]), operand, (long long)o->sizes[dim],
              (long long)o->sizes[first]);
      return replaced(t, NULL);
    }
    t = replaced(t, oyi_call_diagonal(t, 0, first, dim));
    if (t) t = replaced(t, oyi_call_movedim_int(t, -1, first));
  }
  return t;
}

// The operand with all dimensions of the equation.
static oy_object* arranged(const einsum_plan* e, size_t i) {
  int64_t from[LABELS_MAX], order[LABELS_MAX];
  for (size_t k = 0; k < e->ndim; k++) from[k] = -1;
  oy_object* t = oy_tensor_retain(e->operands.data[i]);
  t = find_dims(e, i, t, from);
  if (!t) return NULL;
  size_t n = 0;
  for (size_t k = 0; k < e->ndim; k++)
    if (from[k] >= 0) order[n++] = from[k];
  t = replaced(t, oyi_call_permute(t, (oy_ints){order, n}));
  for (size_t k = 0; k < e->ndim && t; k++)
    if (from[k] < 0) t = replaced(t, oyi_call_unsqueeze(t, (int64_t)k));
  return t;
}

static oy_status check_sizes(const einsum_plan* e, oy_object* const* operands) {
  for (size_t k = 0; k < e->ndim; k++) {
    int64_t size = 1;
    for (size_t i = 0; i < e->operands.size; i++) {
      int64_t s = oyi_tensor_cast(operands[i])->sizes[k];
      if (s == 1) continue;
      char name = '.';
      for (size_t l = 0; l < LETTERS; l++)
        if (e->place[l] == (int)k) name = einsum_letter(l);
      OY_CHECK(size == 1 || s == size, INVALID_ARGUMENT,
               "einsum(): subscript %c has size %lld for operand %zu which does not "
               "broadcast with previously seen size %lld",
               name, (long long)s, i, (long long)size);
      size = s;
    }
  }
  return OY_OK;
}

// --------------------------------------------------------------------- multiplying

// Dimensions by who has them, as PyTorch's pair products sort them.
typedef struct pair {
  int64_t both[LABELS_MAX], left[LABELS_MAX], right[LABELS_MAX], sum[LABELS_MAX];
  size_t both_count, left_count, right_count, sum_count;
} pair;

static void sort_dims(pair* p, const oyi_tensor* a, const oyi_tensor* b, uint64_t sums) {
  memset(p, 0, sizeof(*p));
  for (size_t k = 0; k < a->ndim; k++) {
    int64_t dim = (int64_t)k;
    if (sums >> k & 1)
      p->sum[p->sum_count++] = dim;
    else if (a->sizes[k] != 1 && b->sizes[k] != 1)
      p->both[p->both_count++] = dim;
    else if (a->sizes[k] != 1)
      p->left[p->left_count++] = dim;
    else
      p->right[p->right_count++] = dim;
  }
}

static size_t append(int64_t* to, size_t n, const int64_t* dims, size_t count) {
  memcpy(to + n, dims, count * sizeof(int64_t));
  return n + count;
}
static int64_t product(const oyi_tensor* t, const int64_t* dims, size_t count) {
  int64_t result = 1;
  for (size_t i = 0; i < count; i++) result *= t->sizes[dims[i]];
  return result;
}

static oy_object* as_batch(oy_object* t, const int64_t* order, size_t ndim,
                           const int64_t shape[3]) {
  oy_object* moved = oyi_call_permute(t, (oy_ints){order, ndim});
  oy_object* result = oyi_call_reshape(moved, (oy_ints){shape, 3});
  oy_tensor_release(moved);
  return result;
}

// The product of |left| and |right| with dimensions |sums| summed, which stay with size 1.
// Takes over both.
static oy_object* multiply_pair(oy_object* left, oy_object* right, uint64_t sums) {
  const oyi_tensor *a = oyi_tensor_cast(left), *b = oyi_tensor_cast(right);
  pair p;
  sort_dims(&p, a, b, sums);
  int64_t order[LABELS_MAX], back[LABELS_MAX], shape[LABELS_MAX];
  const size_t ndim = a->ndim;
  const int64_t batch = product(a, p.both, p.both_count);
  const int64_t rows = product(a, p.left, p.left_count);
  const int64_t inner = product(a, p.sum, p.sum_count);
  const int64_t columns = product(b, p.right, p.right_count);
  size_t n = append(order, 0, p.both, p.both_count);
  n = append(order, n, p.left, p.left_count);
  n = append(order, n, p.sum, p.sum_count);
  append(order, n, p.right, p.right_count);
  oy_object* x = as_batch(left, order, ndim, (int64_t[]){batch, rows, inner});
  n = append(order, 0, p.both, p.both_count);
  n = append(order, n, p.sum, p.sum_count);
  n = append(order, n, p.right, p.right_count);
  append(order, n, p.left, p.left_count);
  oy_object* y = as_batch(right, order, ndim, (int64_t[]){batch, inner, columns});
  oy_object* z = oyi_call_bmm(x, y);
  n = append(order, 0, p.both, p.both_count);
  n = append(order, n, p.left, p.left_count);
  n = append(order, n, p.sum, p.sum_count);
  append(order, n, p.right, p.right_count);
  for (size_t k = 0; k < ndim; k++) {
    int64_t d = order[k];
    shape[k] = sums >> d & 1 ? 1 : a->sizes[d] != 1 ? a->sizes[d] : b->sizes[d];
    back[d] = (int64_t)k;
  }
  oy_object* split = oyi_call_view(z, (oy_ints){shape, ndim});
  oy_object* result = oyi_call_permute(split, (oy_ints){back, ndim});
  oy_object* all[] = {left, right, x, y, z, split};
  for (size_t i = 0; i < OY_ARRAY_SIZE(all); i++) oy_tensor_release(all[i]);
  return result;
}

// A sum over one step would only change the dtype of integers: it is left out.
static oy_object* summed(oy_object* t, uint64_t dims) {
  int64_t list[LABELS_MAX];
  size_t n = 0;
  for (size_t k = 0; k < oyi_tensor_cast(t)->ndim; k++)
    if (dims >> k & 1 && oyi_tensor_cast(t)->sizes[k] != 1) list[n++] = (int64_t)k;
  if (n == 0) return t;
  return replaced(t, oyi_call_sum_dim_IntList(t, (oy_ints){list, n}, true, oy_none()));
}

// The only operand: PyTorch calls sum, whose result is a new tensor, and int64 for
// integers, also where there is one step to sum.
static oy_object* summed_alone(const einsum_plan* e, oy_object* t) {
  int64_t list[LABELS_MAX];
  size_t n = 0;
  for (size_t k = e->out_ndim; k < e->ndim; k++) list[n++] = (int64_t)k;
  if (n == 0) return t;
  return replaced(t, oyi_call_sum_dim_IntList(t, (oy_ints){list, n}, true, oy_none()));
}

// The last operand that has more than one step in dimension |k|.
static size_t last_with(const einsum_plan* e, oy_object* const* operands, size_t k) {
  for (size_t i = e->operands.size; i-- > 0;)
    if (oyi_tensor_cast(operands[i])->sizes[k] != 1) return i;
  return 0;
}

// Takes over both.
static oy_object* multiply_elements(oy_object* a, oy_object* b) {
  oy_object* result = oyi_call_mul_Tensor(a, b);
  oy_tensor_release(a);
  oy_tensor_release(b);
  return result;
}

// operands[0] becomes the product of all; takes over each as it goes.
static oy_object* contract(const einsum_plan* e, oy_object** operands) {
  uint64_t done[LABELS_MAX] = {0};  // dimensions that end with an operand
  for (size_t k = e->out_ndim; k < e->ndim; k++)
    done[last_with(e, operands, k)] |= 1ull << k;
  oy_object* a =
      e->operands.size == 1 ? summed_alone(e, operands[0]) : summed(operands[0], done[0]);
  operands[0] = NULL;
  for (size_t i = 1; i < e->operands.size && a; i++) {
    oy_object* b = operands[i];
    operands[i] = NULL;
    uint64_t both = 0, only = 0;
    for (size_t k = e->out_ndim; k < e->ndim; k++) {
      if (!(done[i] >> k & 1)) continue;
      if (oyi_tensor_cast(a)->sizes[k] != 1)
        both |= 1ull << k;
      else
        only |= 1ull << k;
    }
    b = summed(b, only);
    if (!b) return replaced(a, NULL);
    a = both ? multiply_pair(a, b, both) : multiply_elements(a, b);
  }
  return a;
}

// The summed dimensions, of size 1 now, go.
static oy_object* without_sums(const einsum_plan* e, oy_object* t) {
  if (!t || e->ndim == e->out_ndim) return t;
  int64_t dims[LABELS_MAX];
  for (size_t k = e->out_ndim; k < e->ndim; k++) dims[k - e->out_ndim] = (int64_t)k;
  return replaced(t, oyi_call_squeeze_dims(t, (oy_ints){dims, e->ndim - e->out_ndim}));
}

OYI_COMPOSITE(einsum) {
  // Of the order in |path| only the speed depends, and rounding.
  einsum_plan e = {.operands = tensors};
  oy_object* operands[LABELS_MAX] = {NULL};
  if (oyi_einsum_parse(&e, equation) != 0) return NULL;
  bool good = true;
  for (size_t i = 0; i < tensors.size && good; i++)
    good = (operands[i] = arranged(&e, i)) != NULL;
  oy_object* result = NULL;
  if (good && check_sizes(&e, operands) == 0)
    result = without_sums(&e, contract(&e, operands));
  for (size_t i = 0; i < tensors.size; i++) oy_tensor_release(operands[i]);
  return result;
}
