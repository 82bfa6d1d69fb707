// SPDX-License-Identifier: Apache-2.0
// The rule of operators whose dimensions are counted from the front or the back: the mapped
// dimension goes to the front, the numbers of others up by one. What becomes of each
// argument is a letter of the row:
//
//   x  tensor, mapped dimension in front; repeated if it is not batched
//   X  list of tensors, likewise          f  tensor, and each slice made flat
//   -  tensor that must not be batched    .  anything, as it is
//   d  dimension                          u  dimension of a result that has one more
//   D  dimensions, none means all         E  dimensions, none means none
//   W  dimensions, none is for the loop   P  order of all dimensions
//   o  dimension or None: all, flat       S  sizes, which dimensions refer to from here on
//   s  sizes of the result, one may be -1 n  sizes
//   e  sizes to expand to                 r  repeats
//
// Arguments that the operator itself does not have, for another one in its place:
//
//   Q  all dimensions    R  all, reversed    L  [1]    I  1    F  false
//
// And first: 0, a slice without dimensions counts as one of size 1; 1, it is for the loop.
// 3, 4, 5, or w, as many as the second argument has: how many dimensions a tensor has that
// is a batch already. The mapped dimension becomes part of that batch:
//
//   b  tensor, which may have no batch    B  tensor, which must have one
#include "base/memory.h"
#include "layers/vmap/batch.h"
#include "ops/calls.h"

typedef struct reader {
  oyi_batch* b;
  size_t next;      // argument
  size_t made;      // where the new arguments begin
  int64_t ndim;     // of a slice
  bool any_tensor;  // |ndim| is known
  bool lift;        // rows with 0
  bool lifted;      // the first tensor's slices had no dimensions
  bool refuse;      // rows with 1
  bool loop;        // the rule does not apply
  int64_t full;     // dimensions of a tensor with a batch
  int64_t batch;    // its size in a slice, -1 if there is none
  bool any_batch;   // |batch| is known
} reader;

static oy_value* take(reader* r) {
  return oyi_batch_arg(r->b, r->next++);
}
static oy_status push(reader* r, oy_value v) {
  return oy_stack_push(r->b->stack, v);
}
// An owned list of |extra| numbers, to be filled, and then |list|.
static oy_status list_after(size_t extra, const oy_value* list, oy_value* out,
                            int64_t** out_items) {
  size_t count = list->tag == OY_TAG_INT_LIST ? list->count : 0;
  OY_TRY(oy_value_new_list(OY_TAG_INT_LIST, extra + count, out));
  *out_items = (int64_t*)(uintptr_t)out->as.ints;
  if (count) memcpy(*out_items + extra, list->as.ints, count * sizeof(int64_t));
  return OY_OK;
}

// --------------------------------------------------------------------- tensors

static oy_object* front(reader* r, oy_object* tensor) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return NULL;
  if (!r->any_tensor) {
    r->any_tensor = true;
    r->ndim = t->ndim;
    r->lifted = r->lift && t->ndim == 0;
    if (r->lifted) r->ndim = 1;
  }
  if (r->refuse && t->ndim == 0) r->loop = true;
  oy_object* v = oyi_batch_front_all(r->b, tensor);
  return r->lift && t->ndim == 0 ? oyi_batch_pad(v, 1) : v;
}

static oy_status read_tensor(reader* r) {
  const oy_value* v = take(r);
  if (v->tag != OY_TAG_TENSOR) return push(r, oy_none());
  return oyi_batch_push(r->b, front(r, v->as.object));
}

static oy_status read_list(reader* r) {
  const oy_value list = *take(r);
  oy_value made;
  OY_TRY(oy_value_new_list(OY_TAG_TENSOR_LIST, list.count, &made));
  oy_object** items = (oy_object**)(uintptr_t)made.as.tensors;
  for (size_t i = 0; i < list.count; i++) {
    items[i] = front(r, list.as.tensors[i]);
    if (items[i]) continue;
    oy_value_release(&made);
    return oy_failure();
  }
  return push(r, made);
}

// The value with all of a slice in one dimension.
static oy_object* flat(const reader* r, oy_object* tensor) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  oy_object* v = t ? oyi_batch_front_all(r->b, tensor) : NULL;
  if (!v) return NULL;
  oy_object* result = oyi_call_reshape(v, OY_DIMS(r->b->layer->batch_size, t->numel));
  oy_tensor_release(v);
  return result;
}

static oy_status read_flat(reader* r) {
  return oyi_batch_push(r->b, flat(r, take(r)->as.object));
}

static oy_status read_unbatched(reader* r) {
  const oy_value* v = take(r);
  r->loop |= oyi_batch_has(r->b, v);
  oy_value seen = *v;
  seen.owned = 0;
  return push(r, seen);
}

// The first two dimensions, the mapped one and the batch, as one.
static oy_object* folded(oy_object* v) {
  const oyi_tensor* t = oyi_tensor_of(v);
  if (!t || t->ndim < 2) return v;
  int64_t sizes[OY_TENSOR_MAX_DIMS] = {t->sizes[0] * t->sizes[1]};
  for (int64_t i = 2; i < t->ndim; i++) sizes[i - 1] = t->sizes[i];
  oy_object* result = oyi_call_reshape(v, (oy_ints){sizes, t->ndim - 1u});
  oy_tensor_release(v);
  return result;
}

// All tensors must agree on whether there is a batch.
static oy_status read_batch(reader* r, char letter) {
  const oy_value* v = take(r);
  const oyi_tensor* t = v->tag == OY_TAG_TENSOR ? oyi_tensor_of(v->as.object) : NULL;
  bool has = t && t->ndim == r->full;
  bool fits = has || (letter == 'b' && t && t->ndim == r->full - 1);
  int64_t batch = has ? t->sizes[0] : -1;
  if (!fits || (r->any_batch && batch != r->batch)) {
    r->loop = true;
    return OY_OK;
  }
  r->any_batch = true;
  r->batch = batch;
  oy_object* front_value = oyi_batch_front_all(r->b, v->as.object);
  return oyi_batch_push(r->b, has && front_value ? folded(front_value) : front_value);
}

// The results apart again.
static oy_status unfold(const reader* r, size_t results) {
  for (size_t i = 0; r->any_batch && r->batch >= 0 && i < results; i++) {
    oy_value* v = oy_stack_last(r->b->stack, results) + i;
    const oyi_tensor* t = v->tag == OY_TAG_TENSOR ? oyi_tensor_of(v->as.object) : NULL;
    if (!t) continue;
    int64_t sizes[OY_TENSOR_MAX_DIMS + 1];
    for (int64_t k = 1; k < t->ndim; k++) sizes[k + 1] = t->sizes[k];
    sizes[0] = r->b->layer->batch_size;
    sizes[1] = r->batch;
    OY_TRY(
        oyi_batch_put(v, oyi_call_reshape(v->as.object, (oy_ints){sizes, t->ndim + 1u})));
  }
  return OY_OK;
}

// ------------------------------------------------------------------ dimensions

static oy_status shifted(int64_t dim, int64_t ndim, int64_t* out) {
  *out = oyi_dim_wrap(dim, ndim);
  if (*out < 0) return oy_failure();
  *out += 1;
  return OY_OK;
}

static oy_status read_dim(reader* r, int64_t more) {
  int64_t dim;
  OY_TRY(shifted(take(r)->as.i, r->ndim + more, &dim));
  return push(r, oy_int(dim));
}

// With 'D' an empty list is all dimensions.
static oy_status read_dims(reader* r, char letter) {
  const oy_value given = *take(r);
  bool empty = given.tag != OY_TAG_INT_LIST || given.count == 0;
  if (empty && letter == 'W') r->loop = true;
  size_t extra = letter == 'P' ? 1 : empty && letter == 'D' ? (size_t)r->ndim : 0;
  oy_value made;
  int64_t* items;
  OY_TRY(list_after(extra, &given, &made, &items));
  for (size_t i = 0; i < extra; i++) items[i] = letter == 'P' ? 0 : (int64_t)i + 1;
  for (size_t i = extra; i < made.count; i++) {
    oy_status status = shifted(items[i], r->ndim, &items[i]);
    if (status == OY_OK) continue;
    oy_value_release(&made);
    return status;
  }
  return push(r, made);
}

// None: the tensor, which was pushed first, becomes flat. Keeping dimensions then is rare.
static oy_status read_optional_dim(reader* r) {
  if (take(r)->tag != OY_TAG_NONE) {
    r->next--;
    return read_dim(r, 0);
  }
  const oy_value* keep = r->next < r->b->count ? oyi_batch_arg(r->b, r->next) : NULL;
  if (keep && keep->tag == OY_TAG_BOOL && keep->as.i) r->loop = true;
  oy_object* all = flat(r, oyi_batch_arg(r->b, 0)->as.object);
  OY_TRY(oyi_batch_put(&r->b->stack->data[r->made], all));
  r->lifted = false;
  return push(r, oy_int(1));
}

// All dimensions, in order or reversed and after the mapped one.
static oy_status push_all_dims(reader* r, bool reversed) {
  if (reversed && r->ndim > 2)
    return OY_FAIL(INVALID_ARGUMENT,
                   "t() expects a tensor with <= 2 dimensions, but self is %lldD",
                   (long long)r->ndim);
  oy_value made;
  int64_t* items;
  const oy_value none = oy_none();
  OY_TRY(list_after((size_t)r->ndim + reversed, &none, &made, &items));
  for (int64_t i = 0; i < made.count; i++)
    items[i] = !reversed ? i + 1 : i == 0 ? 0 : r->ndim + 1 - i;
  return push(r, made);
}

// ----------------------------------------------------------------------- sizes

static oy_status push_sizes(reader* r, const oy_value* sizes, int64_t first) {
  oy_value made;
  int64_t* items;
  OY_TRY(list_after(1, sizes, &made, &items));
  items[0] = first;
  return push(r, made);
}

// Of no elements, a -1 beside a mapped dimension of size 0 could be anything.
static oy_status read_view_sizes(reader* r) {
  const oy_value given = *take(r);
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  oy_value known = given;
  if (r->b->layer->batch_size == 0 && given.count <= OY_TENSOR_MAX_DIMS) {
    const oyi_tensor* t = oyi_tensor_of(oyi_batch_arg(r->b, 0)->as.object);
    if (!t) return oy_failure();
    oy_ints view = {given.as.ints, given.count};
    OY_TRY(oyi_infer_size(view, t->numel, sizes));
    known.as.ints = sizes;
  }
  return push_sizes(r, &known, r->b->layer->batch_size);
}

// The tensor gets as many dimensions as there are numbers.
static oy_status read_wider(reader* r, int64_t first) {
  const oy_value given = *take(r);
  oy_value* self = &r->b->stack->data[r->made];
  if (given.count > r->ndim) {
    oy_object* wide = oyi_batch_pad(oy_tensor_retain(self->as.object), given.count);
    OY_TRY(oyi_batch_put(self, wide));
  }
  return push_sizes(r, &given, first);
}

static oy_status read_sizes(reader* r, char letter) {
  const int64_t batch = r->b->layer->batch_size;
  if (letter == 's') return read_view_sizes(r);
  if (letter == 'e' || letter == 'r') return read_wider(r, letter == 'e' ? batch : 1);
  const oy_value given = *take(r);
  if (letter == 'S') r->ndim = given.count;
  if (letter == 'S' && given.count == 0) r->loop = true;  // no dimension to count
  return push_sizes(r, &given, batch);
}

// ----------------------------------------------------------------------- a row

static oy_status read_letter(reader* r, char letter) {
  switch (letter) {
    case 'x': return read_tensor(r);
    case 'X': return read_list(r);
    case 'f': return read_flat(r);
    case 'b':
    case 'B': return read_batch(r, letter);
    case '-':
    case '.': return read_unbatched(r);
    case 'd': return read_dim(r, 0);
    case 'u': return read_dim(r, 1);
    case 'D':
    case 'E':
    case 'W':
    case 'P': return read_dims(r, letter);
    case 'o': return read_optional_dim(r);
    case 'Q':
    case 'R': return push_all_dims(r, letter == 'R');
    case 'L': {
      const oy_value none = oy_none();
      return push_sizes(r, &none, 1);
    }
    case 'I': return push(r, oy_int(1));
    case 'F': return push(r, oy_bool(false));
    default: return read_sizes(r, letter);
  }
}

// What the first letter says of the row; gives the others.
static const char* read_flag(reader* r, const char* letters) {
  r->lift = *letters == '0';
  r->refuse = *letters == '1';
  if (*letters >= '3' && *letters <= '5') r->full = *letters - '0';
  if (*letters == 'w') {
    const oy_value* weight = oyi_batch_arg(r->b, 1);
    bool is_tensor = weight->tag == OY_TAG_TENSOR;
    r->full = is_tensor ? oy_tensor_ndim(weight->as.object) : 0;
    r->loop |= r->full == 0;
  }
  bool flagged = r->lift || r->refuse || r->full || *letters == 'w';
  return letters + flagged;
}

// Pushes the arguments of the call below above those of this one.
static oy_status read_row(reader* r, const char* letters) {
  for (letters = read_flag(r, letters); *letters && !r->loop; letters++)
    OY_TRY(read_letter(r, *letters));
  return OY_OK;
}

// Results of slices that were given a dimension go without it.
static oy_status unlift(const reader* r, size_t results) {
  for (size_t i = 0; r->lifted && i < results; i++) {
    oy_value* v = oy_stack_last(r->b->stack, results) + i;
    const oyi_tensor* t = v->tag == OY_TAG_TENSOR ? oyi_tensor_of(v->as.object) : NULL;
    if (!t || t->ndim < 2) continue;
    OY_TRY(oyi_batch_put(v, oyi_call_squeeze_dim(v->as.object, 1)));
  }
  return OY_OK;
}

// Leaves the values of the results on the stack, above the arguments.
static oy_status call_row(reader* r, const oyi_batch_rule* rule) {
  const oy_op* other = rule->other ? *rule->other : r->b->op;
  OY_TRY(read_row(r, rule->arguments));
  if (r->loop) return OY_OK;
  OY_TRY(oy_op_call_boxed(other, r->b->stack));
  OY_TRY(unfold(r, other->return_count));
  return unlift(r, other->return_count);
}

static oy_status begin_row(reader* r, const oyi_batch_rule* rule) {
  *r = (reader){.b = r->b, .made = r->b->stack->size};
  uint64_t keep = oyi_batch_below();
  oy_status status = call_row(r, rule);
  oyi_batch_above(keep);
  return status;
}

// The first argument is what comes back.
static oy_status give_self(const oyi_batch* b) {
  oy_object* self = oy_tensor_retain(oyi_batch_arg(b, 0)->as.object);
  oy_stack_drop(b->stack, b->stack->size - b->base);
  return oyi_batch_push(b, self);
}

OYI_BATCH_RULE(by_letters) {
  (void)keys;
  oyi_batch b;
  reader r = {.b = &b};
  OY_TRY(oyi_batch_begin(&b, op, stack));
  if (!oyi_batch_any(&b)) return oyi_batch_pass(&b);
  bool inplace = oyi_batch_is_inplace(&b);
  if (inplace) OY_TRY(oyi_batch_check_inplace(&b));
  OY_TRY(begin_row(&r, kernel->user_data));
  if (r.loop) {
    oy_stack_drop(stack, stack->size - r.made);
    return oyi_batch_loop(&b);
  }
  if (inplace) return give_self(&b);
  oyi_batch_drop_arguments(&b);
  return oyi_batch_wrap(&b, op->return_count, 0);
}

OYI_BATCH_RULE(view_inplace) {
  (void)keys;
  oyi_batch b;
  reader r = {.b = &b};
  OY_TRY(oyi_batch_begin(&b, op, stack));
  if (!oyi_batch_any(&b)) return oyi_batch_pass(&b);
  OY_TRY(begin_row(&r, kernel->user_data));
  oy_object* view = oy_tensor_retain(oy_stack_last(stack, 1)->as.object);
  OY_TRY(oyi_batched_replace(oyi_batch_arg(&b, 0)->as.object, view, 0));
  return give_self(&b);
}
