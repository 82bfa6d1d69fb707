// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops_record.h"
#include "tensor/element.h"

typedef struct call_head {
  int32_t status;
  uint32_t items;
  uint64_t bytes;  // of all items
} call_head;

typedef struct item_head {
  _Alignas(16) uint8_t is_tensor;
  uint8_t tag, offered;
  uint8_t ndim;
  int32_t dtype;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  uint64_t bytes;  // of the elements behind
  int64_t numel;
} item_head;

// ------------------------------------------------------------------------- writing

static void* put(ops_record* r, size_t size) {
  size_t rounded = (size + 15) & ~(size_t)15;
  if (rounded > r->capacity - r->size) {
    r->full = true;
    return NULL;
  }
  void* at = r->data + r->size;
  r->size += rounded;
  return at;
}

static void put_elements(const oyi_tensor* t, char* out) {
  int64_t index[OY_TENSOR_MAX_DIMS] = {0};
  size_t item = (size_t)oyi_item(t);
  for (int64_t n = 0; n < t->numel; n++, out += item) {
    int64_t at = 0;
    for (size_t d = 0; d < t->ndim; d++) at += index[d] * oyi_strides(t)[d];
    memcpy(out, (const char*)oyi_data(t) + at * (int64_t)item, item);
    for (size_t d = t->ndim; d-- > 0;) {
      if (++index[d] < t->sizes[d]) break;
      index[d] = 0;
    }
  }
}

static bool put_tensor(ops_record* r, const oy_object* object, bool offered) {
  item_head* head = put(r, sizeof(*head));
  if (!head) return false;
  memset(head, 0, sizeof(*head));
  if (!oyi_is_tensor(object)) return true;
  const oyi_tensor* t = oyi_tensor_cast(object);
  head->is_tensor = 1;
  head->offered = offered;
  head->ndim = t->ndim;
  head->dtype = object->dtype;
  head->numel = t->numel;
  memcpy(head->sizes, t->sizes, t->ndim * sizeof(int64_t));
  if (!oyi_data(t)) return true;
  head->bytes = (uint64_t)(t->numel * oyi_item(t));
  char* elements = put(r, head->bytes);
  if (elements) put_elements(t, elements);
  return elements != NULL;
}

static bool put_number(ops_record* r, oy_value v) {
  item_head* head = put(r, sizeof(*head));
  if (!head) return false;
  memset(head, 0, sizeof(*head));
  head->tag = v.tag;
  if (v.tag == OY_TAG_INT || v.tag == OY_TAG_BOOL) head->sizes[0] = v.as.i;
  if (v.tag == OY_TAG_FLOAT) memcpy(head->sizes, &v.as.d, sizeof(v.as.d));
  return true;
}

bool ops_is_offered(const oy_stack* stack, size_t i) {
  enum { LARGEST = 4096, DEEPEST = 6 };
  if (i >= OPS_OFFERED || stack->data[i].tag != OY_TAG_TENSOR) return false;
  const oy_object* object = stack->data[i].as.object;
  const oyi_tensor* t = oyi_is_tensor(object) ? oyi_tensor_cast(object) : NULL;
  return t && t->numel <= LARGEST && t->ndim <= DEEPEST && oyi_data(t) && oyi_item(t) > 0;
}

static void put_result(ops_record* r, call_head* head, oy_value v, bool offered) {
  size_t count = v.tag == OY_TAG_TENSOR_LIST ? v.count : 1;
  for (size_t k = 0; k < count && !r->full; k++, head->items++) {
    if (v.tag == OY_TAG_TENSOR_LIST)
      put_tensor(r, v.as.tensors[k], false);
    else if (v.tag == OY_TAG_TENSOR)
      put_tensor(r, v.as.object, offered);
    else
      put_number(r, v);
  }
}

void ops_record_call(ops_record* r, oy_status status, const oy_stack* stack,
                     bool offers) {
  call_head* head = put(r, sizeof(*head));
  if (!head) return;
  *head = (call_head){.status = status};
  size_t begin = r->size;
  for (size_t i = 0; status == OY_OK && i < stack->size; i++)
    put_result(r, head, stack->data[i], offers && ops_is_offered(stack, i));
  head->bytes = r->size - begin;
}

// ----------------------------------------------------------------------- comparing

static char g_text[512];

double ops_digits(oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_F16:
    case OY_DTYPE_C32: return 4e-3;
    case OY_DTYPE_BF16: return 3e-2;
    case OY_DTYPE_F32:
    case OY_DTYPE_C64: return 1e-4;
    case OY_DTYPE_F64:
    case OY_DTYPE_C128: return 1e-9;
    default: return 0;
  }
}

static bool near(double a, double b, double digits, const ops_leeway* leeway) {
  if (a == b || (isnan(a) && isnan(b))) return true;
  if (!isfinite(a) || !isfinite(b)) return leeway->extreme;
  return fabs(a - b) <= digits * (fabs(a) + fabs(b) + leeway->scale);
}

// Which parts of a complex number are infinite or NaN when one is, nobody says.
static bool numbers_near(oyi_number p, oyi_number q, double digits,
                         const ops_leeway* leeway) {
  if (p.kind != OYI_NUMBER_COMPLEX) return near(p.re, q.re, digits, leeway);
  if (!isfinite(p.re) || !isfinite(p.im)) return !isfinite(q.re) || !isfinite(q.im);
  // As isclose() has it: what rounding takes from a product goes by its size, not by a part's.
  const double size = hypot(p.re, p.im) + hypot(q.re, q.im);
  return hypot(p.re - q.re, p.im - q.im) <= digits * (size + leeway->scale) ||
         (near(p.re, q.re, digits, leeway) && near(p.im, q.im, digits, leeway));
}

static const char* compare_elements(const item_head* x, const item_head* y,
                                    const ops_leeway* leeway) {
  const char *a = (const char*)(x + 1), *b = (const char*)(y + 1);
  oy_dtype dtype = (oy_dtype)x->dtype;
  size_t item = oy_dtype_size(dtype);
  double digits = ops_digits(dtype);
  if (digits > 0 && leeway->digits > digits) digits = leeway->digits;
  for (int64_t i = 0; i < x->numel && x->bytes && y->bytes; i++, a += item, b += item) {
    if (memcmp(a, b, item) == 0) continue;
    oyi_number p = oyi_element_load(dtype, a), q = oyi_element_load(dtype, b);
    if (digits > 0 && numbers_near(p, q, digits, leeway)) continue;
    snprintf(g_text, sizeof(g_text),
             "%s element %lld of %lld: %.17g%+.17gi, %.17g%+.17gi", oy_dtype_name(dtype),
             (long long)i, (long long)x->numel, p.re,
             p.kind == OYI_NUMBER_COMPLEX ? p.im : 0, q.re,
             q.kind == OYI_NUMBER_COMPLEX ? q.im : 0);
    return g_text;
  }
  return NULL;
}

static const char* compare_items(const item_head* x, const item_head* y,
                                 const ops_leeway* leeway) {
  if (x->is_tensor != y->is_tensor || x->tag != y->tag) return "another kind of result";
  if (!x->is_tensor) {
    if (!leeway->elements) return NULL;
    double p, q;
    memcpy(&p, x->sizes, sizeof(p));
    memcpy(&q, y->sizes, sizeof(q));
    if (x->tag == OY_TAG_FLOAT)
      return near(p, q, leeway->digits, leeway) ? NULL : "another number";
    return x->sizes[0] == y->sizes[0] ? NULL : "another number";
  }
  if (x->dtype != y->dtype) return "another dtype";
  if (x->ndim != y->ndim || memcmp(x->sizes, y->sizes, sizeof(x->sizes)) != 0)
    return "another shape";
  return leeway->elements ? compare_elements(x, y, leeway) : NULL;
}

static const item_head* next(const item_head* x) {
  return (const item_head*)(const void*)((const char*)(x + 1) +
                                         ((x->bytes + 15) & ~(uint64_t)15));
}

const char* ops_record_compare(const ops_record* a, const ops_record* b, size_t at[2],
                               const ops_leeway* leeway) {
  const call_head* x = (const call_head*)(const void*)(a->data + at[0]);
  const call_head* y = (const call_head*)(const void*)(b->data + at[1]);
  at[0] += sizeof(*x) + x->bytes;
  at[1] += sizeof(*y) + y->bytes;
  if (x->status != y->status) {
    // What a wrong call is refused for first may depend on strides, which the reference
    // does not keep: a linear of a contiguous batch is one addmm, of any other a product
    // and a sum.
    const bool both_failed = x->status != OY_OK && y->status != OY_OK;
    if (both_failed || leeway->status) return NULL;
    snprintf(g_text, sizeof(g_text), "status %d and %d", x->status, y->status);
    return g_text;
  }
  if (x->items != y->items) return "another number of results";
  const item_head *p = (const item_head*)(x + 1), *q = (const item_head*)(y + 1);
  const char* wrong = NULL;
  for (uint32_t i = 0; i < x->items && !wrong; i++, p = next(p), q = next(q))
    wrong = compare_items(p, q, leeway);
  return wrong;
}

size_t ops_record_tensors(const ops_record* r, size_t at, oy_object* out[OPS_OFFERED]) {
  const call_head* head = (const call_head*)(const void*)(r->data + at);
  const item_head* p = (const item_head*)(head + 1);
  size_t count = 0;
  for (uint32_t i = 0; i < head->items; i++, p = next(p)) {
    if (!p->offered) continue;
    out[count] =
        oy_tensor_from_data(p + 1, (oy_ints){p->sizes, p->ndim}, (oy_dtype)p->dtype);
    if (!out[count++]) abort();
  }
  return count;
}
