// SPDX-License-Identifier: Apache-2.0
// Matrix products of the CPU, portable: what faster ones are compared with. One
// kernel for each dtype, registered as a variant for it.
#include "backends/cpu/kernels.h"
#include "ops/rules.h"
#include "tensor/element.h"

// gcc's vectoriser leaves the long loops alone below -O3; the short ones want -O2.
#if defined(__GNUC__) && !defined(__clang__)
#define OYI_LONG_LOOPS __attribute__((optimize("O3")))
#else
#define OYI_LONG_LOOPS
#endif

typedef struct oyi_product {
  const void *a, *b;
  void* c;
  int64_t n, k, m;
  int64_t a_row, a_column, b_row, b_column;
} oyi_product;
typedef void (*product_fn)(const oyi_product* p);

// The last two dimensions of the operands.
static oyi_product product_of(const oyi_tensor* a, const oyi_tensor* b,
                              const oyi_tensor* c) {
  const int64_t* sa = oyi_strides(a) + a->ndim - 2;
  const int64_t* sb = oyi_strides(b) + b->ndim - 2;
  return (oyi_product){.a = oyi_data(a),
                       .b = oyi_data(b),
                       .c = oyi_data(c),
                       .n = c->sizes[c->ndim - 2],
                       .k = a->sizes[a->ndim - 1],
                       .m = c->sizes[c->ndim - 1],
                       .a_row = sa[0],
                       .a_column = sa[1],
                       .b_row = sb[0],
                       .b_column = sb[1]};
}

static bool has_data(const oyi_tensor* t) {
  if (t->numel == 0 || oyi_data(t)) return true;
  OY_FAIL(NOT_IMPLEMENTED, "a CPU kernel was given a tensor without data");
  return false;
}

static oy_object* mm(oy_object* self, oy_object* mat2, oy_object* out,
                     product_fn product) {
  oyi_tensor* c = oyi_rule_mm(self, mat2, out);
  if (!c) return NULL;
  const oyi_tensor *a = oyi_tensor_cast(self), *b = oyi_tensor_cast(mat2);
  oyi_tensor* target = c;
  // The product is written row by row; an output of another layout gets a copy.
  if (!(c->flags & OYI_CONTIGUOUS))
    target = oyi_tensor_new(oyi_sizes_view(c), c->header.dtype, oy_device_cpu());
  bool runs = target && has_data(a) && has_data(b);
  if (runs) {
    oyi_product p = product_of(a, b, target);
    if (c->numel > 0) product(&p);
    if (target != c) oyi_convert(c, target);
  }
  if (target != c) oy_tensor_release(oyi_tensor_object(target));
  if (runs) return &c->header;
  if (!out) oy_tensor_release(&c->header);
  return NULL;
}

static oy_object* bmm(oy_object* self, oy_object* mat2, product_fn product) {
  oyi_tensor* c = oyi_rule_bmm(self, mat2);
  if (!c) return NULL;
  const oyi_tensor *a = oyi_tensor_cast(self), *b = oyi_tensor_cast(mat2);
  if (!has_data(a) || !has_data(b)) {
    oy_tensor_release(&c->header);
    return NULL;
  }
  oyi_product p = product_of(a, b, c);
  int64_t item = oyi_item(c);
  for (int64_t i = 0; i < c->sizes[0] && c->numel > 0; i++) {
    product(&p);
    p.c = (char*)p.c + p.n * p.m * item;
    if (p.k == 0) continue;
    p.a = (const char*)p.a + oyi_strides(a)[0] * item;
    p.b = (const char*)p.b + oyi_strides(b)[0] * item;
  }
  return &c->header;
}

#define OYI_JOIN__(a, b) a##_##b
#define OYI_JOIN_(a, b)  OYI_JOIN__(a, b)
#define OYI_JOIN(a, b)   OYI_JOIN_(a, b)

#define T  float
#define W  float
#define ID f32
#include "backends/cpu/matmul_tmpl.h"
#undef T
#undef W
#undef ID
#define T  double
#define W  double
#define ID f64
#include "backends/cpu/matmul_tmpl.h"
#undef T
#undef W
#undef ID
#define T  int64_t
#define W  uint64_t
#define ID i64
#include "backends/cpu/matmul_tmpl.h"
