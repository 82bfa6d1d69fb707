// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/linalg/small_product.h"

#include <string.h>

#include "base/cpu.h"
#include "tensor/iterator_simple.h"

static void product_base(int64_t n, int64_t k, int64_t m, const float* a, const float* b,
                         float* c) {
  for (int64_t i = 0; i < n; i++, a += k, c += m) {
    float row[OYI_SMALL_SIDE] = {0};
    for (int64_t p = 0; p < k; p++)
      for (int64_t j = 0; j < m; j++) row[j] += a[p] * b[p * m + j];
    memcpy(c, row, (size_t)m * sizeof(*c));
  }
}

static __attribute__((noinline)) oyi_small_product best(void) {
#if defined(__x86_64__)
  const int level = oyi_cpu_level();
  if (level > 0) return level > 1 ? oyi_small_product_v4 : oyi_small_product_v3;
#endif
  return product_base;
}
// The level does not change, so what was found once holds.
static inline oyi_small_product product(void) {
  static oyi_small_product found;
  oyi_small_product have = __atomic_load_n(&found, __ATOMIC_RELAXED);
  if (OY_LIKELY(have != NULL)) return have;
  have = best();
  __atomic_store_n(&found, have, __ATOMIC_RELAXED);
  return have;
}

// Rows that lie together, of floats on the CPU.
typedef struct operands {
  const oyi_tensor* a;
  int64_t n, k, m;
  const float *x, *y;
} operands;

static inline float* data_of(const oyi_tensor* t) {
  return (float*)(void*)((char*)t->storage->data + t->byte_offset);
}
// Of the device, rank and layout of |like|, with memory.
static inline bool is_alike(const oyi_tensor* t, const oyi_tensor* like) {
  const uint64_t layout = oyi_layout_word(t) ^ oyi_layout_word(like);
  return ((layout & oyi_layout_mask.word) | (oyi_kind_word(t) ^ oyi_kind_f32.word)) ==
             0 &&
         t->storage && t->storage->data;
}

static inline __attribute__((always_inline)) bool are_small(operands* o, oy_object* self,
                                                            oy_object* mat2) {
  if (!oyi_is_tensor(self) || !oyi_is_tensor(mat2)) return false;
  const oyi_tensor *a = oyi_tensor_cast(self), *b = oyi_tensor_cast(mat2);
  if (a->ndim != 2 || !(a->flags & OYI_CONTIGUOUS) || a->backend != OY_BACKEND_CPU ||
      !is_alike(a, a) || !is_alike(b, a))
    return false;
  *o = (operands){a, a->sizes[0], a->sizes[1], b->sizes[1], data_of(a), data_of(b)};
  _Static_assert((OYI_SMALL_SIDE & (OYI_SMALL_SIDE - 1)) == 0,
                 "sizes are compared by bits");
  return (uint64_t)((o->n - 1) | (o->k - 1) | (o->m - 1)) < OYI_SMALL_SIDE &&
         b->sizes[0] == o->k;
}

oy_object* oyi_small_mm(oy_object* self, oy_object* mat2) {
  operands o;
  if (!are_small(&o, self, mat2)) return NULL;
  oyi_tensor* c = o.k == o.m ? oyi_tensor_new_like(o.a)
                             : oyi_tensor_new((oy_ints){(int64_t[]){o.n, o.m}, 2},
                                              OY_DTYPE_F32, oyi_tensor_device(o.a));
  if (OY_UNLIKELY(!c)) {
    oy_error_clear();
    return NULL;
  }
  product()(o.n, o.k, o.m, o.x, o.y, data_of(c));
  return &c->header;
}

oy_object* oyi_small_mm_out(oy_object* self, oy_object* mat2, oy_object* out) {
  operands o;
  if (!oyi_is_tensor(out) || !are_small(&o, self, mat2)) return NULL;
  const oyi_tensor *c = oyi_tensor_cast(out), *b = oyi_tensor_cast(mat2);
  if (!is_alike(c, o.a) || c->sizes[0] != o.n || c->sizes[1] != o.m ||
      c->storage == o.a->storage || c->storage == b->storage)
    return NULL;
  product()(o.n, o.k, o.m, o.x, o.y, data_of(c));
  return out;
}
