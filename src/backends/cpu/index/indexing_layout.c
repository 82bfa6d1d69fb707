// SPDX-License-Identifier: Apache-2.0
// In which order a new result of indices lies: as self does, as far as its dimensions are kept.
#include "backends/cpu/index/indexing.h"
#include "tensor/iterator_walk.h"

// Whether strides are those of a new tensor, in dimensions of size 1 too.
static bool is_plain(const oyi_tensor* t) {
  int64_t expected = 1;
  for (size_t d = t->ndim; d-- > 0;) {
    if (oyi_strides(t)[d] != expected) return false;
    expected *= t->sizes[d];
  }
  return true;
}

static int64_t* add_operand(oyi_walk* walk) {
  return walk->strides[walk->count++];
}

// Self counts as if it had the dimensions of the indices, expanded.
static void add_self(oyi_walk* walk, const oyi_indexing* x) {
  const oyi_tensor* t = x->self;
  int64_t* out = add_operand(walk);
  for (size_t i = 0; i < x->before_count; i++)
    *out++ = oyi_strides(t)[x->before[i]] * oyi_item(t);
  for (size_t i = 0; i < x->offsets->ndim; i++) *out++ = 0;
  for (size_t i = 0; i < x->after_count; i++)
    *out++ = oyi_strides(t)[x->after[i]] * oyi_item(t);
}

// An index has size 1 in the dimensions of self, in which strides count only beside sizes of 1.
static void add_one(oyi_walk* walk, const oyi_indexing* x, const oyi_tensor* index) {
  const size_t middle = x->offsets->ndim, lead = middle - index->ndim;
  const int64_t* sizes = walk->shape;
  int64_t *out = add_operand(walk), slow = 1, fast = 1;
  for (size_t i = 0; i < middle; i++) {
    const size_t at = x->before_count + i;
    const bool spread = i < lead || (index->sizes[i - lead] == 1 && sizes[at] != 1);
    out[at] = spread ? 0 : oyi_strides(index)[i - lead] * oyi_item(index);
  }
  if (middle > 0) {
    fast = out[x->before_count + middle - 1];
    slow = out[x->before_count] * sizes[x->before_count];
  }
  for (size_t i = 0; i < x->before_count; i++) out[i] = sizes[i] == 1 ? slow : 0;
  for (size_t i = x->before_count + middle; i < walk->ndim; i++)
    out[i] = sizes[i] == 1 ? fast : 0;
}

// Dimensions of self before and after those of the indices, as memory of the result has them;
// false: there are others between these.
static bool divide(oyi_indexing_layout* to, const oyi_indexing* x, const oyi_walk* walk) {
  const size_t first = x->before_count, end = first + x->offsets->ndim;
  size_t next = first;
  for (size_t k = walk->ndim; k-- > 0;) {
    const size_t d = walk->perm[k];
    if (d >= first && d < end) {
      if (d != next++ || to->after_count > 0) return false;
      continue;
    }
    const uint8_t own = d < first ? x->before[d] : x->after[d - end];
    if (next == first && first != end)
      to->before[to->before_count++] = own;
    else if (next == end)
      to->after[to->after_count++] = own;
    else
      return false;
  }
  return true;
}

void oyi_indexing_lay(oyi_indexing* x, oyi_tensor* const* indices, size_t count) {
  int64_t sizes[OY_TENSOR_MAX_DIMS], stride = 1;
  oyi_indexing_layout* to = &x->layout;
  *to = (oyi_indexing_layout){.plain = true};
  bool plain = is_plain(x->self);
  for (size_t i = 0; i < count; i++)
    plain = plain && (!indices[i] || is_plain(indices[i]));
  size_t ndim = x->before_count + x->offsets->ndim + x->after_count;
  if (plain || ndim > OY_TENSOR_MAX_DIMS || !oyi_indexing_shape(x, sizes, &ndim)) return;
  oyi_walk walk;
  oyi_walk_init(&walk, (oy_ints){sizes, ndim});
  add_self(&walk, x);
  for (size_t i = 0; i < count && walk.count < OYI_ITER_MAX; i++)
    if (indices[i]) add_one(&walk, x, indices[i]);
  oyi_walk_sort(&walk, false);
  for (size_t i = 0; i < ndim; i++) {
    to->plain = to->plain && walk.perm[i] == ndim - 1 - i;
    to->strides[walk.perm[i]] = stride;
    stride *= sizes[walk.perm[i]];
  }
  to->divided = divide(to, x, &walk);
}

oyi_tensor* oyi_indexing_new(const oyi_indexing* x, oy_ints sizes) {
  const oy_dtype dtype = x->self->header.dtype;
  const oy_device device = oyi_tensor_device(x->self);
  if (x->layout.plain) return oyi_tensor_new(sizes, dtype, device);
  return oyi_tensor_new_strided(sizes, (oy_ints){x->layout.strides, sizes.size}, dtype,
                                device);
}
