// SPDX-License-Identifier: Apache-2.0
// Adding up the gradient of a leaf. The first gradient is taken over if nobody else
// holds it or its memory and it is laid out as the leaf is; otherwise it is copied.
// Later ones are added in place, so .grad stays the same object (reference, 9.8).
#include "layers/autograd/hooks.h"
#include "layers/autograd/record.h"
#include "layers/autograd/variable.h"
#include "ops/calls.h"

// Whether |grad| has the strides that .grad of |t| must have.
static __attribute__((noinline)) bool obeys_strides(const oyi_tensor* grad,
                                                    const oyi_tensor* t) {
  if (!(t->flags & OYI_DENSE)) return grad->flags & OYI_CONTIGUOUS;
  if ((t->flags & OYI_CONTIGUOUS) && (grad->flags & OYI_CONTIGUOUS)) return true;
  for (size_t i = 0; i < t->ndim; i++)
    if (t->sizes[i] > 1 && oyi_strides(t)[i] != oyi_strides(grad)[i]) return false;
  return true;
}
static inline bool obeys_layout(const oyi_tensor* grad, const oyi_tensor* t) {
  const uint8_t plain = OYI_DENSE | OYI_CONTIGUOUS;
  return (t->flags & grad->flags & plain) == plain || obeys_strides(grad, t);
}

static inline bool is_exclusive(const oyi_tensor* grad) {
  return __atomic_load_n(&grad->header.references, __ATOMIC_ACQUIRE) == 1 &&
         grad->storage && !grad->meta &&
         __atomic_load_n(&grad->storage->references, __ATOMIC_ACQUIRE) == 1;
}

static oy_object* copy_for(const oyi_tensor* t, oy_object* grad) {
  const oyi_tensor* g = oyi_tensor_of(grad);
  if (!g) return NULL;
  if (!(t->flags & OYI_DENSE) || (t->flags & OYI_CONTIGUOUS))
    return oyi_call_clone(grad, oy_int(OY_MEMORY_CONTIGUOUS));
  oy_object* made = oyi_call_empty_strided(
      oyi_sizes_view(g), oyi_strides_view(t), oy_int(g->header.dtype), oy_none(),
      oy_value_device(oyi_tensor_device(g)), oy_none());
  if (!made || oyi_call_copy_(made, grad, false)) return made;
  oy_tensor_release(made);
  return NULL;
}

// While the walk is recorded, .grad is a new tensor with a history.
static oy_status accumulate_recorded(oyi_variable* v, oy_object* grad) {
  oy_tensor* before = v->grad;
  v->grad = before ? oyi_call_add_Tensor(before, grad, oy_int(1))
                   : oyi_call_clone(grad, oy_none());
  if (!v->grad) {
    v->grad = before;
    return oy_failure();
  }
  oy_tensor_release(before);
  return OY_OK;
}

static __attribute__((noinline)) oy_status accumulate(oyi_variable* v, oy_object* grad) {
  if (oyi_grad_mode) return accumulate_recorded(v, grad);
  if (v->grad)
    return oyi_call_add__Tensor(v->grad, grad, oy_int(1)) ? OY_OK : oy_failure();
  v->grad = copy_for(v->tensor, grad);
  return v->grad ? OY_OK : oy_failure();
}

// Whether |grad| can be the first gradient of |v| as it is.
static inline bool is_taken(const oyi_variable* v, const oy_object* grad) {
  const oyi_tensor* g = oyi_tensor_cast(grad);
  return !v->grad && !oyi_grad_mode && oyi_is_tensor(grad) && is_exclusive(g) &&
         obeys_layout(g, v->tensor);
}

oy_status oyi_accumulate_apply(oyi_accumulate_node* node, oy_object** grad) {
  oyi_variable* v = oyi_variable_of(node->variable);
  OY_CHECK(!v->grad_fn || oyi_is_view(v), FAILED_PRECONDITION,
           "leaf variable has been moved into the graph interior");
  oy_status status = OY_OK;
  oyi_spin_lock(&v->grad_lock);
  if (is_taken(v, *grad)) {
    v->grad = *grad;
    *grad = NULL;
  } else {
    status = accumulate(v, *grad);
  }
  oyi_spin_unlock(&v->grad_lock);
  if (status == 0 && OY_UNLIKELY(node->head.hooks != NULL))
    status = oyi_hooks_accumulated(&node->head, oyi_tensor_object(node->variable));
  return status;
}
