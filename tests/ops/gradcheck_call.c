// SPDX-License-Identifier: Apache-2.0
#include "ops/gradcheck_call.h"

#include <math.h>

#include "opyard/gradcheck.h"
#include "support/tensors.h"

enum { ELEMENTS_MAX = 150, ARGUMENTS_MAX = 64 };

// -------------------------------------------------------------------- arguments

static bool is_number(oy_dtype dtype) {
  return oy_dtype_is_floating(dtype) || oy_dtype_is_complex(dtype);
}
static bool is_wide(const oy_object* o) {
  return o->dtype == OY_DTYPE_F64 || o->dtype == OY_DTYPE_C128;
}
static bool is_finite(oy_object* t) {
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* finite = oy_isfinite(t);
  oy_tensor* all = finite ? oy_all(finite) : NULL;
  oy_scalar truth = oy_bool(false);
  bool good = all && oy_tensor_get(all, oy_dims_none(), &truth) == OY_OK && truth.as.i;
  oy_scope_close(&scope);
  return good;
}

// In double, with memory of its own, and a leaf.
static void make_leaf(gradcheck_call* c, oy_object** o) {
  if (!*o || oy_object_is_none(*o) || !is_number((*o)->dtype)) return;
  oy_dtype wide = oy_dtype_is_complex((*o)->dtype) ? OY_DTYPE_C128 : OY_DTYPE_F64;
  c->fits &= c->count < GRADCHECK_TENSORS && oy_tensor_numel(*o) <= ELEMENTS_MAX &&
             is_finite(*o);
  if (!c->fits) return;
  oy_tensor* cast = oy_to_dtype(*o, wide, false, true, oy_none());
  oy_tensor* leaf = cast ? oy_clone(cast, oy_int(OY_MEMORY_CONTIGUOUS)) : NULL;
  oy_tensor_release(cast);
  if (!leaf) {
    c->fits = false;
    return;
  }
  oy_object_release(*o);
  *o = leaf;
  if (c->change) c->change(c->change_data, leaf);
  if (c->without >> c->seen++ & 1) return;
  c->fits &= oy_requires_grad_(leaf, true) != NULL;
  c->leaves[c->count++] = leaf;
}
void gradcheck_call_begin(gradcheck_call* c) {
  c->fits = true;
  for (size_t i = 0; i < c->arguments->size; i++) {
    oy_value* v = &c->arguments->data[i];
    if (v->tag != OY_TAG_TENSOR && v->tag != OY_TAG_TENSOR_LIST) continue;
    assert_int_equal(oy_value_own(v), OY_OK);
    oy_object** list = (oy_object**)(uintptr_t)v->as.bits;
    if (v->tag == OY_TAG_TENSOR) make_leaf(c, &v->as.object);
    for (size_t k = 0; v->tag == OY_TAG_TENSOR_LIST && k < v->count; k++)
      make_leaf(c, &list[k]);
  }
}
// Those that write have functional forms.
bool gradcheck_writes(const oy_schema* schema) {
  for (size_t i = 0; i < schema->argument_count; i++)
    if (oy_argument_is_mutable(&schema->arguments[i])) return true;
  return false;
}

// --------------------------------------------------------------------- the call

static void add_output(oy_object* o, oy_tensor** outputs, size_t* count) {
  if (!o || oy_object_is_none(o) || !oy_requires_grad(o) || !is_wide(o)) return;
  if (*count == OY_GRADCHECK_OUTPUTS) return;
  oy_object_retain(o);
  outputs[(*count)++] = oy_scope_take(o);
}
// Into |storage|, each owned.
static oy_status copy_arguments(const gradcheck_call* c, oy_stack* stack) {
  for (size_t i = 0; i < c->arguments->size; i++, stack->size++)
    OY_TRY(oy_value_copy(c->arguments->data[i], &stack->data[i]));
  if (!c->is_symmetric) return OY_OK;
  oy_tensor *turned = oy_mH(c->leaves[0]),
            *sum = oy_add_Tensor(c->leaves[0], turned, ALPHA1),
            *half = sum ? oy_mul_Scalar(sum, oy_float(0.5)) : NULL;
  if (!half) return OY_OUT_OF_MEMORY;
  oy_value_release(&stack->data[0]);
  stack->data[0] = oy_value_tensor(half);
  return oy_value_own(&stack->data[0]);
}
// The inputs are those that |data| has among its arguments.
static oy_status run(void* data, oy_tensor* const* inputs, size_t count,
                     oy_tensor** outputs, size_t* out_count) {
  (void)inputs, (void)count;
  gradcheck_call* c = data;
  oy_value storage[ARGUMENTS_MAX];
  oy_stack stack;
  oy_stack_init(&stack, storage, ARGUMENTS_MAX);
  oy_status status = copy_arguments(c, &stack);
  if (status == OY_OK) status = oy_op_call_boxed(c->op, &stack);
  *out_count = 0;
  for (size_t i = 0; status == OY_OK && i < stack.size; i++) {
    oy_value v = stack.data[i];
    if (v.tag == OY_TAG_TENSOR) add_output(v.as.object, outputs, out_count);
    for (size_t k = 0; v.tag == OY_TAG_TENSOR_LIST && k < v.count; k++)
      add_output(v.as.tensors[k], outputs, out_count);
  }
  oy_stack_reset(&stack);
  return status;
}

bool gradcheck_call_fits(gradcheck_call* c) {
  if (!c->fits || !c->count) return false;
  oy_tensor* outputs[OY_GRADCHECK_OUTPUTS];
  size_t count = 0;
  oy_scope scope;
  oy_scope_open(&scope);
  bool good = run(c, c->leaves, c->count, outputs, &count) == OY_OK && count > 0;
  for (size_t i = 0; good && i < count; i++)
    good = is_finite(outputs[i]) && oy_tensor_numel(outputs[i]) <= ELEMENTS_MAX;
  oy_scope_close(&scope);
  return good;
}

static bool is_right(oy_status status, int* right, int* unknown) {
  *right += status == OY_OK;
  *unknown += status == OY_NOT_IMPLEMENTED;
  return status == OY_OK || status == OY_NOT_IMPLEMENTED;
}

bool gradcheck_call_is_right(gradcheck_call* c, gradcheck_counts* counts) {
  return is_right(oy_gradcheck(run, c, c->leaves, c->count, NULL), &counts->once,
                  &counts->unknown) &&
         is_right(oy_gradgradcheck(run, c, c->leaves, c->count, NULL), &counts->twice,
                  &counts->unknown);
}
