// SPDX-License-Identifier: Apache-2.0
// Random operators inside vmap, at FuncTorchVmapMode, which is above FuncTorchBatched: what
// is drawn for each slice, what once. The first letter of |arguments| says what kind:
//
//   F  makes a tensor of some sizes, argument number in the second letter
//   N  makes a tensor of one size that it is given: is called for each slice
//   L  makes a tensor like another, of which it reads no elements
//   T  reads tensors     I  writes its first argument     O  has out=
//   R  rrelu: draws only if its fifth argument says so, and writes its second then
#include "base/memory.h"
#include "layers/vmap/batch.h"
#include "ops/calls.h"
#include "tensor/element.h"

static oy_status fail_same(void) {
  return OY_FAIL(NOT_IMPLEMENTED,
                 "Vmap does not currently support same randomness with a batched tensor "
                 "input. Please file an issue with functorch");
}

// The call again, now for the batching rule, or for the layers below.
static oy_status call_on(const oyi_batch* b) {
  return oy_op_call_boxed(b->op, b->stack);
}

// Sizes with the batch in front.
static oy_status widen(const oyi_batch* b, size_t at) {
  oy_value* v = oyi_batch_arg(b, at);
  oy_value made;
  OY_TRY(oy_value_new_list(OY_TAG_INT_LIST, v->count + 1, &made));
  int64_t* sizes = (int64_t*)(uintptr_t)made.as.ints;
  sizes[0] = b->layer->batch_size;
  memcpy(sizes + 1, v->as.ints, v->count * sizeof(*sizes));
  oy_value_release(v);
  *v = made;
  return OY_OK;
}

// One call for each slice; what they give is stacked.
static oy_status call_each(const oyi_batch* b, oy_object** drawn) {
  oy_value args[64];
  memcpy(args, oyi_batch_arg(b, 0), b->count * sizeof(*args));
  for (int64_t i = 0; i < b->layer->batch_size; i++) {
    for (size_t a = 0; a < b->count; a++) {
      oy_value v = args[a];
      v.owned = 0;
      OY_TRY(oy_stack_push(b->stack, v));
    }
    OY_TRY(call_on(b));
    drawn[i] = oy_stack_pop(b->stack).as.object;
  }
  oy_object* all = oyi_call_stack((oy_tensors){drawn, (size_t)b->layer->batch_size}, 0);
  OY_TRY(oyi_batch_push(b, all));
  oyi_batch_drop_arguments(b);
  return oyi_batch_wrap(b, 1, 0);
}

static oy_status draw_each(const oyi_batch* b) {
  size_t batch = (size_t)b->layer->batch_size;
  oy_object** drawn = oyi_calloc(batch, sizeof(*drawn));
  if (!drawn) return OY_OUT_OF_MEMORY;
  oy_status status = call_each(b, drawn);
  for (size_t i = 0; i < batch; i++) oy_tensor_release(drawn[i]);
  oyi_free(drawn);
  return status;
}

// A tensor that is not batched is repeated, so that each slice draws.
static oy_status batch_first(const oyi_batch* b) {
  for (size_t i = 0; i < b->count; i++) {
    oy_value* v = oyi_batch_arg(b, i);
    if (v->tag != OY_TAG_TENSOR) continue;
    if (oyi_batch_any(b)) return OY_OK;
    uint64_t keep = oyi_batch_below();
    oy_object* all = oyi_batch_front_all(b, v->as.object);
    oyi_batch_above(keep);
    return oyi_batch_put(v, all ? oyi_batched_new(all, 0, b->layer) : NULL);
  }
  return OY_OK;
}

// |self| is batched: one slice is drawn and copied to all.
static oy_status draw_one(const oyi_batch* b) {
  oy_object* self = oyi_batch_arg(b, 0)->as.object;
  const oyi_tensor* t = oyi_tensor_of(self);
  for (size_t i = 1; i < b->count; i++)
    if (oyi_batch_has(b, oyi_batch_arg(b, i))) return fail_same();
  if (!t) return oy_failure();
  oy_object* slice = oyi_call_empty_memory_format(
      oyi_sizes_view(t), oy_int(t->header.dtype), oy_none(),
      oy_value_device(oyi_tensor_device(t)), oy_none(), oy_none());
  oy_tensor_retain(self);
  oy_status status = oyi_batch_put(oyi_batch_arg(b, 0), slice);
  if (status == OY_OK) status = call_on(b);
  if (status == OY_OK &&
      !oyi_call_copy_(self, oy_stack_last(b->stack, 1)->as.object, false))
    status = oy_failure();
  if (status == OY_OK) return oyi_batch_put(oy_stack_last(b->stack, 1), self);
  oy_tensor_release(self);
  return status;
}

static oy_status draw_inplace(const oyi_batch* b) {
  bool batched = oyi_batch_has(b, oyi_batch_arg(b, 0));
  if (b->layer->randomness == OY_RANDOMNESS_SAME)
    return batched ? draw_one(b) : oyi_batch_any(b) ? fail_same() : call_on(b);
  OY_CHECK(batched, FAILED_PRECONDITION,
           "vmap: Cannot ask for different inplace randomness on an unbatched tensor. "
           "This will appear like same randomness. If this is necessary for your usage, "
           "please file an issue with functorch.");
  return call_on(b);
}

// One slice of a batched tensor stands for its shape.
static oy_status draw_like(const oyi_batch* b) {
  oy_value* v = oyi_batch_arg(b, 0);
  const oyi_wrapper* w = oyi_wrapper_at(v->as.object, b->layer);
  if (!w) return call_on(b);
  uint64_t keep = oyi_batch_below();
  oy_object* slice = oyi_call_select_int(w->value, w->bdim, 0);
  oyi_batch_above(keep);
  OY_TRY(oyi_batch_put(v, slice));
  return call_on(b);
}

// Without drawing it is a leaky_relu, whatever the noise is. A noise that is written would
// be one for all slices, or each slice's: neither is done.
static oy_status draw_if_asked(const oyi_batch* b) {
  if (!oyi_batch_any(b)) return call_on(b);
  OY_CHECK(oyi_batch_arg(b, 4)->as.i == 0, NOT_IMPLEMENTED,
           "Batching rule not implemented for %.*s. We could not generate a fallback.",
           OY_STR_ARG(oy_op_name_of(b->op)));
  oy_object* self = oyi_batch_arg(b, 0)->as.object;
  const oy_str name = oy_op_name_of(b->op);
  const double sum =
      oyi_scalar_real(*oyi_batch_arg(b, 2)) + oyi_scalar_real(*oyi_batch_arg(b, 3));
  oy_object* result =
      name.data[name.size - 1] == '_'
          ? oy_tensor_retain(oyi_call_leaky_relu_(self, oy_float(sum / 2)))
          : oyi_call_leaky_relu(self, oy_float(sum / 2));
  OY_TRY(oyi_batch_push(b, result));
  oyi_batch_drop_arguments(b);
  return OY_OK;
}

static oy_status draw(const oyi_batch* b, const char* kind) {
  bool same = b->layer->randomness == OY_RANDOMNESS_SAME;
  switch (*kind) {
    case 'F':
      if (same) return call_on(b);
      OY_TRY(widen(b, (size_t)(kind[1] - '0')));
      return oyi_batch_call(b, b->op, 0);
    case 'N': return same ? call_on(b) : draw_each(b);
    case 'I': return draw_inplace(b);
    case 'R': return draw_if_asked(b);
    case 'L':
      if (same) return draw_like(b);
      break;
    default:
      if (same) return oyi_batch_any(b) ? fail_same() : call_on(b);
  }
  OY_TRY(batch_first(b));
  return call_on(b);
}

OYI_BATCH_RULE(random) {
  (void)keys;
  const oyi_batch_rule* rule = kernel->user_data;
  oyi_batch b;
  OY_TRY(oyi_batch_begin(&b, op, stack));
  const bool draws = *rule->arguments != 'R' || oyi_batch_arg(&b, 4)->as.i != 0;
  OY_CHECK(*rule->arguments != 'O', NOT_IMPLEMENTED,
           "vmap: We do not support calling out variants of random operations inside of "
           "vmap. Please use non-out variants as a workaround");
  OY_CHECK(!draws || b.layer->randomness != OY_RANDOMNESS_ERROR, FAILED_PRECONDITION,
           "vmap: called random operation while in randomness error mode. Please either "
           "use the 'same' or 'different' randomness flags on vmap or perform the "
           "randomness operation out of vmap");
  uint64_t keep = oy_tls.keep;
  oy_tls.keep &= ~(1ull << OY_KEY_FuncTorchVmapMode);
  oy_status status = draw(&b, rule->arguments);
  oy_tls.keep = keep;
  return status;
}
