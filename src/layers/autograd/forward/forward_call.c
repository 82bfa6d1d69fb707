// SPDX-License-Identifier: Apache-2.0
// What a call does that gets a dual tensor. Composed operators are called as they are, and
// meet this again part by part; views of the tangent follow views of the primal; everything
// else that has a gradient is differentiated (forward_jvp.c). Below, the key is left out of
// the thread's sets: nothing there looks for tangents.
#include "base/memory.h"
#include "layers/autograd/forward/forward.h"
#include "layers/autograd/record.h"
#include "ops/calls.h"
#include "opyard/dispatcher.h"

oy_status oyi_forward_each(const oy_value* values, size_t count, oyi_forward_visit visit,
                           void* data) {
  for (size_t i = 0; i < count; i++) {
    const oy_value* v = &values[i];
    if (v->tag == OY_TAG_TENSOR && oyi_is_tensor(v->as.object))
      OY_TRY(visit(data, v->as.object));
    for (size_t k = 0; v->tag == OY_TAG_TENSOR_LIST && k < v->count; k++)
      if (oyi_is_tensor(v->as.tensors[k])) OY_TRY(visit(data, v->as.tensors[k]));
  }
  return OY_OK;
}

// ------------------------------------------------------------------------ the duals

static oy_status count_dual(void* data, oy_object* tensor) {
  *(size_t*)data += oyi_may_be_dual(tensor);
  return OY_OK;
}

static oy_status add_dual(void* data, oy_object* tensor) {
  oyi_forward_call* c = data;
  if (!oyi_may_be_dual(tensor)) return OY_OK;
  oyi_dual* d = &c->duals[c->dual_count];
  // NOLINT: room was made for as many as may be
  d->primal = oyi_tensor_cast(tensor);
  OY_TRY(oyi_tangent_find(d->primal, &d->tangent));
  c->dual_count += d->tangent != NULL;
  return OY_OK;
}

static oy_status find_duals(oyi_forward_call* c) {
  size_t most = 0;
  const size_t n = c->schema->argument_count;
  OY_TRY(oyi_forward_each(c->arguments, n, count_dual, &most));
  c->duals = most ? oyi_calloc(most, sizeof(*c->duals)) : NULL;
  if (most && !c->duals) return OY_OUT_OF_MEMORY;
  return oyi_forward_each(c->arguments, n, add_dual, c);
}

static void release_duals(oyi_forward_call* c) {
  for (size_t i = 0; i < c->dual_count; i++) {
    oy_tensor_release(c->duals[i].tangent);
    oy_tensor_release(c->duals[i].leaf);
  }
  oyi_free(c->duals);
}

static oy_object* standing_for(const oyi_forward_call* c, oyi_standing which, size_t* at,
                               oy_object* o) {
  if (!oyi_is_tensor(o) || *at >= c->dual_count ||
      c->duals[*at].primal != oyi_tensor_cast(o))
    return o;
  const oyi_dual* d = &c->duals[(*at)++];
  return which == OYI_STAND_LEAF ? d->leaf : d->tangent;
}

static oy_status push_list(const oyi_forward_call* c, oyi_standing which, size_t* at,
                           const oy_value* list, oy_stack* to) {
  oy_value copy;
  OY_TRY(oy_value_new_list(OY_TAG_TENSOR_LIST, list->count, &copy));
  for (size_t k = 0; k < list->count; k++)
    ((oy_object**)(uintptr_t)copy.as.tensors)[k] =
        oy_tensor_retain(standing_for(c, which, at, list->as.tensors[k]));
  return oy_stack_push(to, copy);
}

oy_status oyi_forward_push(const oyi_forward_call* c, oyi_standing which, oy_stack* to) {
  size_t at = 0;
  for (size_t i = 0; i < c->schema->argument_count; i++) {
    const oy_value* v = &c->arguments[i];
    oy_value copy;
    if (v->tag == OY_TAG_TENSOR_LIST) {
      OY_TRY(push_list(c, which, &at, v, to));
      continue;
    }
    if (v->tag == OY_TAG_TENSOR)
      copy = oy_value_tensor(standing_for(c, which, &at, v->as.object));
    else
      copy = *v;
    copy.owned = 0;
    OY_TRY(oy_value_own(&copy));
    OY_TRY(oy_stack_push(to, copy));
  }
  return OY_OK;
}

// ---------------------------------------------------------------------- plain calls

oy_status oyi_forward_unsupported(const oyi_forward_call* c) {
  return OY_FAIL(NOT_IMPLEMENTED,
                 "Trying to use forward AD with %.*s that does not support it because it "
                 "has not been implemented yet.",
                 OY_STR_ARG(c->schema->name.base));
}

static oy_status call_primal(const oyi_forward_call* c) {
  oy_guard guard = oy_guard_exclude_functionalities(OYI_FORWARD_BIT);
  oy_status status = oy_op_redispatch_boxed(c->op, c->keys, c->stack);
  oy_guard_end(&guard);
  return status;
}

static oy_status is_dual(void* found, oy_object* tensor) {
  if (oyi_may_be_dual(tensor) || !oyi_is_differentiable(tensor->dtype)) return OY_OK;
  *(bool*)found = true;
  return OY_OK;
}

// Composed, or nobody said how it is differentiated: then what it calls must have said it.
static oy_status call_parts(const oyi_forward_call* c, bool is_composite) {
  OY_TRY(oy_op_redispatch_boxed(c->op, c->keys, c->stack));
  bool lost = false;
  const size_t n = c->schema->return_count;
  if (is_composite || c->dual_count == 0) return OY_OK;
  OY_TRY(oyi_forward_each(oy_stack_last(c->stack, n), n, is_dual, &lost));
  if (!lost) return OY_OK;
  oy_stack_drop(c->stack, n);
  return oyi_forward_unsupported(c);
}

// ------------------------------------------------------------- nothing to differentiate

static bool named(const oyi_forward_call* c, const char* name) {
  return oy_str_equal(c->schema->name.base, oy_str_of(name));
}

// Of a result that does not depend on anything.
static oy_status clear_tangent(oyi_tensor* t) {
  oy_object* tangent;
  OY_TRY(oyi_tangent_find(t, &tangent));
  if (!tangent) return OY_OK;
  oy_object* zeros =
      oyi_call_zeros_like(tangent, oy_none(), oy_none(), oy_none(), oy_none(), oy_none());
  oy_status status = zeros ? oyi_tangent_write(t, zeros) : oy_failure();
  oy_tensor_release(zeros);
  oy_tensor_release(tangent);
  return status;
}

static oy_status call_constant(const oyi_forward_call* c) {
  OY_TRY(call_primal(c));
  const oy_value* result = oy_stack_last(c->stack, c->schema->return_count);
  if (!oy_schema_is_inplace(c->schema) || !oyi_is_tensor(result->as.object)) return OY_OK;
  return clear_tangent(oyi_tensor_cast(result->as.object));
}

// What comes of it has no tangent, nor the key that it may have with the geometry.
static oy_status call_detach(const oyi_forward_call* c) {
  OY_TRY(call_primal(c));
  oy_object* result = oy_stack_last(c->stack, 1)->as.object;
  if (oy_schema_is_inplace(c->schema)) oyi_tangent_drop(oyi_tensor_cast(result));
  result->keys.functionality &= ~OYI_FORWARD_BIT;
  return OY_OK;
}

// --------------------------------------------------------------------------- views

typedef struct put_state {
  const oy_value* tangents;
  size_t at;
} put_state;

static oy_status put_next(void* data, oy_object* view) {
  put_state* s = data;
  const oy_value* v = s->tangents;
  oy_object* tangent =
      v->tag == OY_TAG_TENSOR_LIST ? v->as.tensors[s->at++] : v->as.object;
  return oyi_is_differentiable(view->dtype)
             ? oyi_tangent_put(oyi_tensor_cast(view), tangent)
             : OY_OK;
}

// The same call of the tangent. In place it changes the shape of both.
static oy_status call_view(const oyi_forward_call* c, bool is_inplace) {
  oy_value storage[16];
  oy_stack copy;
  oy_stack_init(&copy, storage, OY_ARRAY_SIZE(storage));
  oy_status status = oyi_forward_push(c, OYI_STAND_TANGENT, &copy);
  if (status == 0) status = call_primal(c);
  if (status == 0) status = oy_op_call_boxed(c->op, &copy);
  if (status == 0 && !is_inplace) {
    put_state s = {oy_stack_last(&copy, 1), 0};
    status = oyi_forward_each(oy_stack_last(c->stack, 1), 1, put_next, &s);
    if (status != 0) oy_stack_drop(c->stack, 1);
  }
  oy_stack_reset(&copy);
  return status;
}

static bool changes_shape(const oyi_forward_call* c) {
  static const char* const names[] = {"t_", "transpose_", "squeeze_", "unsqueeze_"};
  for (size_t i = 0; i < OY_ARRAY_SIZE(names); i++)
    if (named(c, names[i])) return true;
  return false;
}

// --------------------------------------------------------- operators that are linear

// The arguments with a tangent, as bits; of the first 32.
static uint32_t dual_arguments(const oyi_forward_call* c) {
  uint32_t bits = 0;
  size_t at = 0;
  for (size_t i = 0; i < c->schema->argument_count && at < c->dual_count; i++) {
    const oy_value* v = &c->arguments[i];
    const size_t before = at;
    if (v->tag == OY_TAG_TENSOR) standing_for(c, OYI_STAND_LEAF, &at, v->as.object);
    for (size_t k = 0; v->tag == OY_TAG_TENSOR_LIST && k < v->count; k++)
      standing_for(c, OYI_STAND_LEAF, &at, v->as.tensors[k]);
    if (at > before && i < 32) bits |= 1u << i;
  }
  return bits;
}

// Linear in the arguments of these bits, taken together, and such that one element may be
// written twice: the tangent is that of what stays, which the gradient does not tell.
static uint32_t linear_arguments(const oyi_forward_call* c) {
  static const struct {
    const char *name, *overload;
    uint32_t arguments;
  } rows[] = {{"index_put", "", 1u << 0 | 1u << 2},
              {"index_put_", "", 1u << 0 | 1u << 2},
              {"index_copy", "", 1u << 0 | 1u << 3},
              {"index_copy_", "", 1u << 0 | 1u << 3},
              {"put", "", 1u << 0 | 1u << 2},
              {"put_", "", 1u << 0 | 1u << 2},
              {"scatter", "src", 1u << 0 | 1u << 3},
              {"scatter_", "src", 1u << 0 | 1u << 3},
              {"as_strided_scatter", "", 1u << 0 | 1u << 1},
              {"max_unpool2d", "", 1u << 0},
              {"max_unpool3d", "", 1u << 0},
              {"_unsafe_index_put", "", 1u << 0 | 1u << 2},
              {"_index_put_impl_", "", 1u << 0 | 1u << 2}};
  for (size_t i = 0; i < OY_ARRAY_SIZE(rows); i++)
    if (named(c, rows[i].name) &&
        oy_str_equal(c->schema->name.overload, oy_str_of(rows[i].overload)))
      return rows[i].arguments;
  return 0;
}

// What has no tangent has zeros.
static oy_status fill_zeros(const oyi_forward_call* c, uint32_t missing, oy_value* copy) {
  for (size_t i = 0; i < c->schema->argument_count && i < 32; i++) {
    if (!(missing >> i & 1) || !oyi_is_tensor(copy[i].as.object)) continue;
    oy_object* zeros = oyi_call_zeros_like(copy[i].as.object, oy_none(), oy_none(),
                                           oy_none(), oy_none(), oy_none());
    if (!zeros) return oy_failure();
    oy_tensor_release(copy[i].as.object);
    copy[i].as.object = zeros;
  }
  return OY_OK;
}

// The same call of the tangents.
static oy_status call_linear(const oyi_forward_call* c, uint32_t missing) {
  oy_value storage[16];
  oy_stack copy;
  oy_stack_init(&copy, storage, OY_ARRAY_SIZE(storage));
  oy_status status = oyi_forward_push(c, OYI_STAND_TANGENT, &copy);
  if (status == 0) status = fill_zeros(c, missing, copy.data);
  if (status == 0) status = call_primal(c);
  if (status == 0) status = oy_op_call_boxed(c->op, &copy);
  if (status == 0) {
    oy_object* tangent = oy_stack_last(&copy, 1)->as.object;
    oyi_tensor* made = oyi_tensor_cast(oy_stack_last(c->stack, 1)->as.object);
    status = oy_schema_is_inplace(c->schema) ? oyi_tangent_write(made, tangent)
                                             : oyi_tangent_put(made, tangent);
    if (status != 0) oy_stack_drop(c->stack, 1);
  }
  oy_stack_reset(&copy);
  return status;
}

// ------------------------------------------------------------------------ which way

// Written besides what a call in place returns: nothing says how.
static bool writes_dual(const oyi_forward_call* c) {
  const uint32_t duals = dual_arguments(c);
  for (size_t i = oy_schema_is_inplace(c->schema); i < c->schema->argument_count; i++)
    if (i < 32 && duals >> i & 1 && oy_argument_is_mutable(&c->schema->arguments[i]))
      return true;
  return false;
}

static oy_key autograd_of(const oyi_forward_call* c) {
  oy_backend backend = c->duals[0].primal->backend;
  return backend == OY_BACKEND_CPU || oy_backend_has_autograd(backend)
             ? (oy_key)OY_KEY_OF(OY_KEY_AutogradFunctionality, backend)
             : (oy_key)OY_KEY_AutogradOther;
}

static oy_status call_dual(oyi_forward_call* c) {
  if (named(c, "detach") || named(c, "detach_")) return call_detach(c);
  OY_CHECK(!named(c, "resize_") && !named(c, "resize_as_") && !named(c, "set_"),
           FAILED_PRECONDITION, "cannot resize variables that has a forward grad");
  const oy_key autograd = autograd_of(c);
  const bool own =
      oy_op_has_kernel(c->op, OY_KEY_Autograd) || oy_op_has_kernel(c->op, autograd);
  const bool composite = oy_op_has_kernel(c->op, OY_KEY_CompositeImplicitAutograd);
  if (!own) return call_parts(c, composite);
  OY_CHECK(
      !oy_schema_is_out(c->schema), NOT_IMPLEMENTED,
      "Trying to use forward AD with %.*s_out that does not support it because it is "
      "an out= function",
      OY_STR_ARG(c->schema->name.base));
  if (oy_op_is_fallthrough(c->op, autograd)) return call_constant(c);
  if (writes_dual(c)) return oyi_forward_unsupported(c);
  bool of_self = c->dual_count == 1 && c->arguments[0].tag == OY_TAG_TENSOR &&
                 c->arguments[0].as.object == oyi_tensor_object(c->duals[0].primal);
  if (of_self && oy_schema_is_view(c->schema)) return call_view(c, false);
  if (of_self && changes_shape(c)) return call_view(c, true);
  const uint32_t linear = linear_arguments(c), duals = dual_arguments(c);
  if (linear && (duals & linear) == duals) return call_linear(c, linear & ~duals);
  return oyi_forward_differentiate(c);
}

static oy_status forward(const oy_op* op, oy_keyset keys, oy_stack* stack,
                         const oy_kernel* kernel) {
  (void)kernel;
  keys = oy_keyset_and(keys, oy_keyset_full_after(OYI_FORWARD_KEY));
  oyi_forward_call c = {
      .op = op, .schema = oy_op_schema(op), .keys = keys, .stack = stack};
  if (oy_dual_level() < 0 || oyi_makes_inference() || !c.schema)
    return oy_op_redispatch_boxed(op, keys, stack);
  c.arguments = oy_stack_last(stack, c.schema->argument_count);
  size_t below = stack->size - c.schema->argument_count;
  oy_status status = find_duals(&c);
  if (status == 0)
    status = c.dual_count ? call_dual(&c) : oy_op_redispatch_boxed(op, keys, stack);
  release_duals(&c);
  if (status != 0 && stack->size > below) oy_stack_drop(stack, stack->size - below);
  return status;
}

oy_status oyi_register_forward(oy_library* fallbacks) {
  return oy_library_fallback(fallbacks, OYI_FORWARD_KEY, &OY_BOXED(forward), OY_HERE,
                             NULL);
}
