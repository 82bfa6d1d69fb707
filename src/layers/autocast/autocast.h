// SPDX-License-Identifier: Apache-2.0
// The Autocast layer: one boxed kernel, whose state, a rule, says how the arguments of a
// call are cast. It takes its own key out of the thread's sets, so that nothing is cast
// twice, casts, and calls the operator again from the top: Autograd sees the casts.
#ifndef OPYARD_SRC_LAYERS_AUTOCAST_AUTOCAST_H_
#define OPYARD_SRC_LAYERS_AUTOCAST_AUTOCAST_H_

#include "opyard/autocast.h"
#include "opyard/library.h"
#include "tensor/impl.h"

// Where the kernels of a list run.
typedef struct oyi_autocast_device {
  oy_key key;
  int16_t backend;  // whose tensors are cast
  int16_t other;    // and whose besides; OY_BACKEND_NONE
} oyi_autocast_device;

// The state of a kernel. |prepare| changes the arguments on top of the stack, and may put
// another operator in place of *op.
typedef struct oyi_autocast_rule oyi_autocast_rule;
typedef oy_status (*oyi_prepare_fn)(const oyi_autocast_rule* rule, const oy_op** op,
                                    oy_stack* stack);
struct oyi_autocast_rule {
  const oyi_autocast_device* device;
  oyi_prepare_fn prepare;
  const char* target;  // of append_dtype: the operator that takes a dtype
};

oy_status oyi_autocast_kernel(const oy_op* op, oy_keyset keys, oy_stack* stack,
                              const oy_kernel* kernel);

// The policies, by PyTorch's names for them.
oy_status oyi_lower_precision_fp(const oyi_autocast_rule* rule, const oy_op** op,
                                 oy_stack* stack);
oy_status oyi_fp32(const oyi_autocast_rule* rule, const oy_op** op, oy_stack* stack);
oy_status oyi_fp32_set_opt_dtype(const oyi_autocast_rule* rule, const oy_op** op,
                                 oy_stack* stack);
oy_status oyi_fp32_append_dtype(const oyi_autocast_rule* rule, const oy_op** op,
                                oy_stack* stack);
oy_status oyi_promote(const oyi_autocast_rule* rule, const oy_op** op, oy_stack* stack);
oy_status oyi_banned(const oyi_autocast_rule* rule, const oy_op** op, oy_stack* stack);

// Lower precisions and whether casts are kept; |enabled| is not used: the thread's exclude
// set says it.
extern __thread oy_autocast_state oyi_autocast __attribute__((tls_model("initial-exec")));
static inline oy_dtype oyi_autocast_dtype(const oyi_autocast_device* device) {
  return oyi_autocast.dtypes[device->key - OY_KEY_AutocastCPU];
}

// Whether the policies concern |object| at all.
static inline bool oyi_is_eligible(const oy_object* object,
                                   const oyi_autocast_device* device) {
  if (!oyi_is_tensor(object) || object->dtype == OY_DTYPE_F64 ||
      !oy_dtype_is_floating(object->dtype))
    return false;
  const oyi_tensor* t = oyi_tensor_cast(object);
  return t->backend == device->backend || t->backend == device->other;
}
// A new reference to |object|, which is eligible, as |dtype|; NULL on failure.
oy_object* oyi_autocast_to(oy_object* object, oy_dtype dtype);

// Kernels for those operators of the lists that |registry| has.
oy_status oyi_register_autocast(oy_library* aten, oy_registry* registry);

#endif  // OPYARD_SRC_LAYERS_AUTOCAST_AUTOCAST_H_
