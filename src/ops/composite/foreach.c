// SPDX-License-Identifier: Apache-2.0
// One operator on each tensor of a list. A row of foreach.def becomes a small record here,
// and one loop serves all of them: it calls the operator of single tensors from the top,
// so that gradients, batches and tangents are those of that operator.
#include "ops/composite/composite.h"
#include "ops/op_ids.h"
#include "ops/rules/shape.h"
#include "tensor/element.h"

// How an operator of single tensors is called: t, u and v are tensors, n and m numbers.
typedef enum calls {
  CALL_t,
  CALL_tu,
  CALL_tun,
  CALL_tuv,
  CALL_tuvn,
  CALL_tn,
  CALL_tnm,
  CALL_nt
} calls;

typedef struct each {
  uint16_t op;
  uint8_t calls;
  bool extreme;  // maximum or minimum: clamped, but for what the gradient is at ties
  oy_tensors t, u, v;  // lists; data NULL: there is none
  oy_object* one;      // in the place of u, for all
  oy_values numbers;   // a number for each; data NULL: |n| for all
  oy_object* packed;   // in the place of numbers, a vector of them
  oy_scalar n, m;
} each;

// ------------------------------------------------------------------------- checks

static oy_status check_same(size_t first, size_t second) {
  OY_CHECK(second > 0, INVALID_ARGUMENT, "Tensor list must have at least one tensor.");
  OY_CHECK(first == second, INVALID_ARGUMENT,
           "Tensor lists must have the same number of tensors, got %zu and %zu", first,
           second);
  return OY_OK;
}

static oy_status check_numbers(const each* e) {
  const size_t want = e->t.size, got = e->numbers.size;
  OY_CHECK(
      want == got || !e->v.data, INVALID_ARGUMENT,
      "Tensor list must have same number of elements as scalar list, got %zu and %zu",
      want, got);
  OY_CHECK(want == got, INVALID_ARGUMENT,
           "Tensor list must have same number of elements as scalar list.");
  return OY_OK;
}

static oy_status check_one(const each* e) {
  const oyi_tensor* t = oyi_tensor_of(e->one);
  if (!t) return oy_failure();
  OY_CHECK(t->ndim == 0, INVALID_ARGUMENT,
           "scalar tensor expected to be 0 dim but it has %u dimensions and %lld "
           "elements.",
           t->ndim, (long long)t->numel);
  return OY_OK;
}

static oy_status check_packed(const each* e) {
  const oyi_tensor* t = oyi_tensor_of(e->packed);
  if (!t) return oy_failure();
  OY_CHECK(t->backend == OY_BACKEND_CPU && (t->numel == 0 || oyi_data(t)),
           INVALID_ARGUMENT, "Expected scalars to be on CPU, got %s instead.",
           oy_backend_name(t->backend));
  OY_CHECK(t->flags & OYI_CONTIGUOUS, INVALID_ARGUMENT,
           "Expected scalars to be contiguous.");
  OY_CHECK(t->ndim == 1, INVALID_ARGUMENT,
           "Expected packed scalar Tensor to be of dimension 1. Got %u instead.",
           t->ndim);
  OY_CHECK(t->numel == (int64_t)e->t.size, INVALID_ARGUMENT,
           "Expected length of scalars to match input of length %zu but got %lld "
           "instead.",
           e->t.size, (long long)t->numel);
  return OY_OK;
}

// A list that is None counts as empty: what is called needs what it would have.
static oy_status check(const each* e) {
  const bool has_u = e->calls >= CALL_tu && e->calls <= CALL_tuvn;
  const bool has_v = e->calls == CALL_tuv || e->calls == CALL_tuvn;
  const bool has_n = e->calls == CALL_tun || e->calls >= CALL_tuvn;
  OY_CHECK(e->t.size > 0, INVALID_ARGUMENT, "Tensor list must have at least one tensor.");
  if (has_u && !e->one) OY_TRY(check_same(e->t.size, e->u.size));
  if (has_v) OY_TRY(check_same(e->t.size, e->v.size));
  if (has_n && !e->packed && e->n.tag == OY_TAG_NONE) OY_TRY(check_numbers(e));
  if (e->one) OY_TRY(check_one(e));
  return e->packed ? check_packed(e) : OY_OK;
}

// -------------------------------------------------------------------------- calls

typedef const oy_op* op_ptr;
typedef oy_object* obj;
typedef obj (*fn_t)(op_ptr, oy_keyset, obj);
typedef obj (*fn_tu)(op_ptr, oy_keyset, obj, obj);
typedef obj (*fn_tun)(op_ptr, oy_keyset, obj, obj, oy_scalar);
typedef obj (*fn_tuv)(op_ptr, oy_keyset, obj, obj, obj);
typedef obj (*fn_tuvn)(op_ptr, oy_keyset, obj, obj, obj, oy_scalar);
typedef obj (*fn_tn)(op_ptr, oy_keyset, obj, oy_scalar);
typedef obj (*fn_tnm)(op_ptr, oy_keyset, obj, oy_scalar, oy_scalar);
typedef obj (*fn_nt)(op_ptr, oy_keyset, oy_scalar, obj);

// What oyi_call_<id> does, of an operator that is known only now.
static obj call(const each* e, obj t, obj u, obj v, oy_scalar n) {
  obj const tensors[] = {t, u ? u : t, v ? v : t};
  const op_ptr op = oyi_ops[e->op];
  oy_keyset keys;
  if (!oyi_join_keys(tensors, 3, NULL, 0, &keys)) return NULL;
  const uint64_t before = oy_call_enter();
  const oy_typed_fn typed = oy_select_call(op, &keys)->typed;
  obj made = NULL;
  switch ((calls)e->calls) {
    case CALL_t: made = ((fn_t)typed)(op, keys, t); break;
    case CALL_tu: made = ((fn_tu)typed)(op, keys, t, u); break;
    case CALL_tun: made = ((fn_tun)typed)(op, keys, t, u, n); break;
    case CALL_tuv: made = ((fn_tuv)typed)(op, keys, t, u, v); break;
    case CALL_tuvn: made = ((fn_tuvn)typed)(op, keys, t, u, v, n); break;
    case CALL_tn: made = ((fn_tn)typed)(op, keys, t, n); break;
    case CALL_tnm: made = ((fn_tnm)typed)(op, keys, t, n, e->m); break;
    case CALL_nt: made = ((fn_nt)typed)(op, keys, n, t); break;
  }
  oy_call_leave(before);
  return made;
}

static obj extreme(obj t, obj u, oy_scalar n, bool is_maximum) {
  obj other = u ? oy_tensor_retain(u) : oyi_wrap_number(n);
  if (!other) return NULL;
  obj made = is_maximum ? oyi_call_maximum(t, other) : oyi_call_minimum(t, other);
  oy_tensor_release(other);
  return made;
}

static obj call_at(const each* e, size_t i) {
  oy_scalar n = e->numbers.data ? e->numbers.data[i] : e->n;
  const int64_t at = (int64_t)i;
  if (e->packed && oy_tensor_get(e->packed, (oy_ints){&at, 1}, &n) != 0) return NULL;
  const obj t = e->t.data[i], u = e->u.data ? e->u.data[i] : e->one;
  const obj v = e->v.data ? e->v.data[i] : NULL;
  obj made = e->extreme ? NULL : call(e, t, u, v, n);
  // A complex one has memory of its own.
  if (e->packed) oy_value_release(&n);
  if (!e->extreme) return made;
  return extreme(t, u, n, e->op == OYI_OP_clamp_min || e->op == OYI_OP_clamp_min_Tensor);
}

// -------------------------------------------------------------------------- loops

// maximum and minimum share the gradient at ties, and clamps do not.
static bool is_recorded(oy_keyset keys) {
  return keys.functionality &
         (1ull << OY_KEY_AutogradFunctionality | 1ull << OY_KEY_FuncTorchBatched);
}

static oy_status fresh(each* e, oy_keyset keys, oy_value* out_list) {
  *out_list = oy_none();
  OY_TRY(check(e));
  oy_object** items;
  e->extreme = e->extreme && is_recorded(keys);
  OY_TRY(oyi_list_new(e->t.size, out_list, &items));
  for (size_t i = 0; i < e->t.size; i++)
    if (!oyi_list_put(items, i, call_at(e, i))) return oyi_list_fail(out_list);
  return OY_OK;
}

static oy_status stored(each* e, oy_keyset keys, oy_tensors out) {
  oy_value list;
  return oyi_stored_each(fresh(e, keys, &list), &list, out);
}

static oy_status written(each* e) {
  OY_TRY(check(e));
  e->extreme = false;
  for (size_t i = 0; i < e->t.size; i++)
    if (!call_at(e, i)) return oy_failure();
  return OY_OK;
}

// ------------------------------------------------------------------- rows as kernels

#define UNARY            CALL_t
#define NUMBER_scalar    CALL_tn, .n = scalar
#define NUMBERS_scalars  CALL_tn, .numbers = scalars
#define NUMBER_exponent  CALL_tn, .n = exponent
#define NUMBERS_exponent CALL_tn, .numbers = exponent
#define SHARE_scalar     CALL_tnm, .n = scalar, .m = oy_int(1)
#define SHARES_scalars   CALL_tnm, .numbers = scalars, .m = oy_int(1)
#define EXTREME_scalar   NUMBER_scalar, .extreme = true
#define EXTREMES_scalars NUMBERS_scalars, .extreme = true
#define LIST_other       CALL_tu, .u = other
#define LIST_exponent    CALL_tu, .u = exponent
#define LIST_EXTREME     LIST_other, .extreme = true
#define LIST_ALPHA       CALL_tun, .u = other, .n = alpha
#define TENSOR           CALL_tu, .one = other
#define TENSOR_ALPHA     CALL_tun, .one = other, .n = alpha
#define LERP_LIST        CALL_tuv, .u = tensors1, .v = weights
#define LERP             CALL_tun, .u = tensors1, .n = weight
#define LERP_NUMBERS     CALL_tun, .u = tensors1, .numbers = weight
#define POINTS           CALL_tuvn, .u = tensor1, .v = tensor2, .n = value
#define POINTS_NUMBERS   CALL_tuvn, .u = tensor1, .v = tensor2, .numbers = scalars
#define POINTS_TENSOR    CALL_tuvn, .u = tensor1, .v = tensor2, .packed = scalars

#define ROW(name, out_name, written_name, single, in_place, ...)                      \
  OYI_COMPOSITE(name) {                                                               \
    return fresh(&(each){OYI_OP_##single, __VA_ARGS__, .t = self}, keys, out_result); \
  }                                                                                   \
  OYI_COMPOSITE(out_name) {                                                           \
    return stored(&(each){OYI_OP_##single, __VA_ARGS__, .t = self}, keys, out);       \
  }                                                                                   \
  OYI_COMPOSITE(written_name) {                                                       \
    return written(&(each){OYI_OP_##in_place, __VA_ARGS__, .t = self});               \
  }
#define OY_FOREACH_UNARY(name) \
  ROW(_foreach_##name, _foreach_##name##_out, _foreach_##name##_, name, name##_, UNARY)
#define OY_FOREACH(name, form, single, in_place, calls, star, arguments) \
  ROW(_foreach_##name##_##form, _foreach_##name##_##form##_out,          \
      _foreach_##name##__##form, single, in_place, calls)
#define OY_OP(family, id, where, backward, schema, doc)
#include "ops/table/foreach.def"

// ------------------------------------------------------------------------- others

OYI_COMPOSITE(_foreach_pow_ScalarAndTensor) {
  return fresh(&(each){OYI_OP_pow_Scalar, CALL_nt, .t = exponent, .n = self}, keys,
               out_result);
}

OYI_COMPOSITE(_foreach_max) {
  return fresh(&(each){OYI_OP_max, CALL_t, .t = self}, keys, out_result);
}
OYI_COMPOSITE(_foreach_max_out) {
  return stored(&(each){OYI_OP_max, CALL_t, .t = self}, keys, out);
}

OYI_COMPOSITE(_foreach_norm_Scalar) {
  *out_result = oy_none();
  OY_TRY(check(&(each){.t = self}));
  oy_object** items;
  OY_TRY(oyi_list_new(self.size, out_result, &items));
  for (size_t i = 0; i < self.size; i++)
    if (!oyi_list_put(
            items, i,
            oyi_call_linalg_vector_norm(self.data[i], ord, oy_dims_none(), false, dtype)))
      return oyi_list_fail(out_result);
  return OY_OK;
}
OYI_COMPOSITE(_foreach_norm_Scalar_out) {
  oy_value list;
  return oyi_stored_each(oyi_call__foreach_norm_Scalar(self, ord, dtype, &list), &list,
                         out);
}

OYI_COMPOSITE(_foreach_zero_) {
  return written(&(each){OYI_OP_zero_, CALL_t, .t = self});
}
OYI_COMPOSITE(_foreach_copy_) {
  OY_TRY(check(&(each){.calls = CALL_tu, .t = self, .u = src}));
  for (size_t i = 0; i < self.size; i++)
    if (!oyi_call_copy_(self.data[i], src.data[i], non_blocking)) return oy_failure();
  return OY_OK;
}

// A copy of each, which an operator in place then writes to.
static oy_status cloned(oy_tensors self, oy_value* out_list) {
  oy_object** items;
  *out_list = oy_none();
  OY_TRY(oyi_list_new(self.size, out_list, &items));
  for (size_t i = 0; i < self.size; i++)
    if (!oyi_list_put(items, i, oyi_call_clone(self.data[i], oy_none())))
      return oyi_list_fail(out_list);
  return OY_OK;
}
OYI_COMPOSITE(_foreach_zero) {
  OY_TRY(cloned(self, out_self_out));
  if (oyi_call__foreach_zero_(oyi_list_tensors(*out_self_out)) == OY_OK) return OY_OK;
  return oyi_list_fail(out_self_out);
}
OYI_COMPOSITE(_foreach_zero_out) {
  oy_value list;
  return oyi_stored_each(oyi_call__foreach_zero(self, &list), &list, out);
}
OYI_COMPOSITE(_foreach_copy) {
  OY_TRY(cloned(self, out_self_out));
  if (oyi_call__foreach_copy_(oyi_list_tensors(*out_self_out), src, non_blocking) ==
      OY_OK)
    return OY_OK;
  return oyi_list_fail(out_self_out);
}
OYI_COMPOSITE(_foreach_copy_out) {
  oy_value list;
  return oyi_stored_each(oyi_call__foreach_copy(self, src, non_blocking, &list), &list,
                         out);
}
