// SPDX-License-Identifier: Apache-2.0
// Calls that view: the result shares the memory of what it views, one step further from the
// base. Shapes are asked of the operator itself, with a Meta tensor of the shape that the
// program sees. Pieces that come as a list are slices each.
#include "base/memory.h"
#include "layers/functionalize/functional.h"
#include "ops/calls.h"

// Calls |op| with a Meta tensor in the place of the first argument, past all layers. The
// result is owned.
static oy_status call_shown(const oyi_functional_call* c, const oy_op* op,
                            oyi_tensor* shown, oy_value* out_result) {
  *out_result = oy_none();
  oy_value storage[8];
  oy_stack stack;
  oy_stack_init(&stack, storage, OY_ARRAY_SIZE(storage));
  oy_status status = oy_stack_push(&stack, oy_value_tensor(oyi_tensor_object(shown)));
  for (size_t i = 1; i < c->count && status == OY_OK; i++) {
    oy_value v = c->arguments[i];
    v.owned = 0;
    status = oy_stack_push(&stack, v);
  }
  oy_guard guard = oy_guard_preserve();
  oy_tls.keep &= (1ull << OY_KEY_Python) - 1;
  if (status == OY_OK) status = oy_op_call_boxed(op, &stack);
  oy_guard_end(&guard);
  if (status == OY_OK) {
    *out_result = oy_stack_pop(&stack);
    status = oy_value_own(out_result);
  }
  oy_stack_reset(&stack);
  return status;
}

// --------------------------------------------------------------------------- steps

// as_strided is of the memory, whatever is viewed: one step from the base, which counts
// from where that begins.
static oyi_view_step* strided_step(const oyi_functional* f, const oyi_tensor* shown) {
  const oy_value arguments[] = {
      oy_none(),
      oy_value_list(OY_TAG_INT_LIST, shown->sizes, shown->ndim),
      oy_value_list(OY_TAG_INT_LIST, oyi_strides(shown), shown->ndim),
      oy_int(shown->offset - f->base->offset),
  };
  return oyi_view_step_new(NULL, oyi_ops[OYI_OP_as_strided], arguments,
                           OY_ARRAY_SIZE(arguments));
}

static oyi_view_step* piece_step(const oyi_functional* f, int64_t dim, int64_t at,
                                 int64_t size) {
  const oy_value arguments[] = {oy_none(), oy_int(dim), oy_int(at), oy_int(at + size),
                                oy_int(1)};
  return oyi_view_step_new(f->view, oyi_ops[OYI_OP_slice_Tensor], arguments,
                           OY_ARRAY_SIZE(arguments));
}

static oyi_view_step* slice_step(const oyi_functional* f, int64_t dim, int64_t at) {
  const oy_value arguments[] = {oy_none(), oy_int(dim), oy_int(at)};
  return oyi_view_step_new(f->view, oyi_ops[OYI_OP_select_int], arguments,
                           OY_ARRAY_SIZE(arguments));
}

// What |step|, which comes after what |f| shows, or after the base, shows.
static oy_object* run_step(oyi_functional* f, const oyi_view_step* step) {
  oy_object* from = oyi_functional_read(f);
  if (from && step->parent != f->view) from = f->base->value;
  return from ? oyi_view_step_run(step, from, f->base->copies_views) : NULL;
}

// A functional tensor that |step|, which is taken over, leads to.
static oy_object* viewed(oy_object* from, oyi_view_step* step, const oyi_tensor* shown) {
  oy_object* value = step ? run_step(oyi_functional_of(from), step) : NULL;
  if (value) return oyi_functional_view(from, value, step, shown);
  oyi_view_step_release(step);
  return NULL;
}

static oyi_view_step* step_of(const oyi_functional_call* c, const oy_op* op,
                              const oyi_functional* f, const oyi_tensor* shown) {
  if (op == oyi_ops[OYI_OP_as_strided]) return strided_step(f, shown);
  return oyi_view_step_new(f->view, op, c->arguments, c->count);
}

// ---------------------------------------------------------------------------- lists

static oy_object* viewed_piece(const oyi_functional_call* c, oy_object* from,
                               const oyi_tensor* shown, size_t at, int64_t* begin) {
  const oyi_functional* f = oyi_functional_of(from);
  const bool unbinds = c->op == oyi_ops[OYI_OP_unbind_int];
  const oyi_tensor* t = oyi_tensor_cast(from);
  int64_t dim = oyi_dim_wrap(c->arguments[unbinds ? 1 : 2].as.i, t->ndim);
  if (dim < 0) return NULL;
  if (unbinds) return viewed(from, slice_step(f, dim, (int64_t)at), shown);
  const int64_t start = *begin;
  *begin += shown->sizes[dim];
  return viewed(from, piece_step(f, dim, start, shown->sizes[dim]), shown);
}

static oy_status view_list(oyi_functional_call* c, oy_object* from, oy_value shown) {
  const oy_op* op = c->op;
  OY_CHECK(op == oyi_ops[OYI_OP_unbind_int] || op == oyi_ops[OYI_OP_split_Tensor] ||
               op == oyi_ops[OYI_OP_split_with_sizes],
           NOT_IMPLEMENTED, "%.*s: views in lists cannot be functionalized",
           OY_STR_ARG(oy_op_name_of(op)));
  oy_value made;
  OY_TRY(oy_value_new_list(OY_TAG_TENSOR_LIST, shown.count, &made));
  oy_object** items = (oy_object**)(uintptr_t)made.as.tensors;
  int64_t begin = 0;
  for (size_t i = 0; i < shown.count; i++) {
    items[i] = viewed_piece(c, from, oyi_tensor_cast(shown.as.tensors[i]), i, &begin);
    if (items[i]) continue;
    oy_value_release(&made);
    return oy_failure();
  }
  return oy_stack_push(c->stack, made);
}

// ---------------------------------------------------------------------------- calls

oy_status oyi_functional_call_view(oyi_functional_call* c) {
  oy_object* from = c->arguments[0].as.object;
  oyi_tensor* before = oyi_functional_shown(from);
  if (!before) return oy_failure();
  oy_value shown;
  oy_status status = call_shown(c, c->op, before, &shown);
  oy_tensor_release(oyi_tensor_object(before));
  if (status == OY_OK && shown.tag == OY_TAG_TENSOR_LIST) {
    status = view_list(c, from, shown);
  } else if (status == OY_OK) {
    const oyi_tensor* t = oyi_tensor_cast(shown.as.object);
    oyi_view_step* step = step_of(c, c->op, oyi_functional_of(from), t);
    status = oyi_functional_push_tensor(c, viewed(from, step, t));
  }
  oy_value_release(&shown);
  return status;
}

// ------------------------------------------------------------------ views in place

static oy_status become(oy_object* self, oyi_view_step* step, const oyi_tensor* shown) {
  oy_object* value = step ? run_step(oyi_functional_of(self), step) : NULL;
  if (value) return oyi_functional_become(self, value, step, shown);
  oyi_view_step_release(step);
  return oy_failure();
}

static oy_status view_inplace(oyi_functional_call* c, const oy_op* op, oy_object* self) {
  oyi_tensor* before = oyi_functional_shown(self);
  if (!before) return oy_failure();
  oy_value shown;
  oy_status status = call_shown(c, op, before, &shown);
  oy_tensor_release(oyi_tensor_object(before));
  if (status == OY_OK) {
    const oyi_tensor* t = oyi_tensor_cast(shown.as.object);
    status = become(self, step_of(c, op, oyi_functional_of(self), t), t);
  }
  oy_value_release(&shown);
  return status;
}

// ------------------------------------------------------------------------ resizing

// Whether the memory is as large as before is asked of the operator.
static oy_status resize(oyi_functional_call* c, oy_object* self) {
  oyi_functional* f = oyi_functional_of(self);
  oyi_tensor* shown = oyi_functional_shown(self);
  if (!shown) return oy_failure();
  oy_value result;
  oy_status status = call_shown(c, c->op, shown, &result);
  oy_value_release(&result);
  const bool same =
      status == OY_OK &&
      oyi_same_sizes(oyi_sizes_view(shown), oyi_sizes_view(oyi_tensor_cast(self)));
  if (status == OY_OK && !same && shown->storage->nbytes <= f->base->nbytes) {
    status = become(self, strided_step(f, shown), shown);
  } else if (status == OY_OK && !same) {
    oy_object* value = NULL;
    if (f->view)
      status = OY_FAIL(FAILED_PRECONDITION,
                       "Attempted to resize a view tensor to a larger size. This is not "
                       "allowed in the functionalization pass");
    else if ((value = oyi_functional_read(f)))
      value = oyi_call_resize(value, oyi_sizes_view(shown), oy_none());
    if (status == OY_OK)
      status = value ? oyi_functional_renew(self, value) : oy_failure();
  }
  oy_tensor_release(oyi_tensor_object(shown));
  return status;
}

static oy_status set_source(oy_object* self, oy_object* source) {
  OY_CHECK(self->dtype == source->dtype, TYPE_MISMATCH,
           "Could not set tensor of type %s to a tensor of type %s",
           oy_dtype_pytorch_name(source->dtype), oy_dtype_pytorch_name(self->dtype));
  if (!oyi_functional_here(source))
    return oyi_functional_renew(self, oy_tensor_retain(source));
  return oyi_functional_set(self, source);
}

static oy_status set_empty(oy_object* self) {
  oy_object* value = oyi_call_empty_memory_format(
      OY_DIMS(0), oy_int(self->dtype), oy_none(), oy_value_device(oy_tensor_device(self)),
      oy_none(), oy_none());
  return value ? oyi_functional_renew(self, value) : oy_failure();
}

// --------------------------------------------------------------------------- which

static const struct {
  oyi_op_id inplace;
  oyi_op_id view;
} g_views[] = {
    {OYI_OP_as_strided_, OYI_OP_as_strided},
    {OYI_OP_squeeze_, OYI_OP_squeeze},
    {OYI_OP_squeeze__dim, OYI_OP_squeeze_dim},
    {OYI_OP_squeeze__dims, OYI_OP_squeeze_dims},
    {OYI_OP_unsqueeze_, OYI_OP_unsqueeze},
    {OYI_OP_t_, OYI_OP_t},
    {OYI_OP_transpose_, OYI_OP_transpose_int},
    {OYI_OP_detach_, OYI_OP_detach},
};

static oy_status reshape(oyi_functional_call* c, oy_object* self, bool* out_done) {
  const oy_op* op = c->op;
  if (op == oyi_ops[OYI_OP_resize_] || op == oyi_ops[OYI_OP_resize_as_])
    return resize(c, self);
  if (op == oyi_ops[OYI_OP_set_]) return set_empty(self);
  if (op == oyi_ops[OYI_OP_set__source_Tensor])
    return set_source(self, c->arguments[1].as.object);
  for (size_t i = 0; i < OY_ARRAY_SIZE(g_views); i++)
    if (op == oyi_ops[g_views[i].inplace])
      return view_inplace(c, oyi_ops[g_views[i].view], self);
  *out_done = false;
  return OY_OK;
}

oy_status oyi_functional_call_reshape(oyi_functional_call* c, bool* out_done) {
  *out_done = false;
  if (c->count == 0 || c->arguments[0].tag != OY_TAG_TENSOR) return OY_OK;
  oy_object* self = c->arguments[0].as.object;
  if (!oyi_functional_here(self)) return OY_OK;
  *out_done = true;
  oy_status status = reshape(c, self, out_done);
  if (status != OY_OK || !*out_done) return status;
  return oyi_functional_push_tensor(c, oy_tensor_retain(self));
}
