// SPDX-License-Identifier: Apache-2.0
// Operators that know zeros without memory: a product with them is zeros again, a sum is the
// other operand. What shape and dtype a result has is asked of Meta.
#include <math.h>

#include "base/memory.h"
#include "layers/lazy/lazy.h"
#include "layers/lazy/lazy_register.h"
#include "ops/calls.h"
#include "ops/library.h"

static bool is_zeros(const oy_object* tensor) {
  return tensor->keys.functionality & 1ull << OY_KEY_ZeroTensor;
}

// A call of two operands, each with a stand-in on Meta.
typedef struct operands {
  oy_object *self, *other;
  oy_device device;  // of the result
} operands;

static oy_object* on_meta(oy_object* tensor) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return NULL;
  oy_object* meta = oyi_call_empty_strided(oyi_sizes_view(t), oyi_strides_view(t),
                                           oy_int(t->header.dtype), oy_none(),
                                           oy_value_device(oy_device_meta()), oy_none());
  if (meta) meta->flags |= tensor->flags & OY_OBJECT_WRAPPED_NUMBER;
  return meta;
}

static bool operands_begin(operands* o, oy_object* self, oy_object* other) {
  o->self = on_meta(self);
  o->other = o->self ? on_meta(other) : NULL;
  if (!o->other) return false;
  // A number on the CPU goes with operands on any device.
  const oy_device device = oyi_tensor_device(oyi_tensor_cast(self));
  o->device = device.backend == OY_BACKEND_CPU ? oyi_tensor_device(oyi_tensor_cast(other))
                                               : device;
  return true;
}

// Frees the operands, and |meta|, and gives |result|.
static oy_object* operands_end(operands* o, oy_object* meta, oy_object* result) {
  oy_tensor_release(meta);
  oy_tensor_release(o->self);
  oy_tensor_release(o->other);
  return result;
}

// Results like |meta|, NULL if there is none.
static oy_object* zeros_like(const operands* o, const oy_object* meta) {
  if (!meta) return NULL;
  return oyi_call__efficientzerotensor(oyi_sizes_view(oyi_tensor_cast(meta)),
                                       oy_int(meta->dtype), oy_none(),
                                       oy_value_device(o->device), oy_none());
}
static oy_object* full_like(const operands* o, const oy_object* meta, double number) {
  if (!meta) return NULL;
  return oyi_call_full(oyi_sizes_view(oyi_tensor_cast(meta)), oy_float(number),
                       oy_int(meta->dtype), oy_none(), oy_value_device(o->device),
                       oy_none());
}
static oy_object* copy_like(const operands* o, const oy_object* meta, oy_object* tensor) {
  if (!meta) return NULL;
  oy_object* wide = oyi_call_expand(tensor, oyi_sizes_view(oyi_tensor_cast(meta)), false);
  oy_object* result =
      wide ? oyi_call__to_copy(wide, oy_int(meta->dtype), oy_none(),
                               oy_value_device(o->device), oy_none(), false, oy_none())
           : NULL;
  oy_tensor_release(wide);
  return result;
}

#define KNOWN(id) \
  static oy_object* zeros_##id(const oy_op* op, oy_keyset keys, OYI_PARAMS_##id)

// Of a product with zeros.
#define PRODUCT(id, second, call)                        \
  KNOWN(id) {                                            \
    (void)op, (void)keys;                                \
    operands o = {0};                                    \
    oy_object* meta = NULL;                              \
    if (operands_begin(&o, self, second)) meta = call;   \
    return operands_end(&o, meta, zeros_like(&o, meta)); \
  }
PRODUCT(mul_Tensor, other, oyi_call_mul_Tensor(o.self, o.other))
PRODUCT(dot, tensor, oyi_call_dot(o.self, o.other))
PRODUCT(vdot, other, oyi_call_vdot(o.self, o.other))
PRODUCT(linalg_cross, other, oyi_call_linalg_cross(o.self, o.other, dim))

KNOWN(div_Tensor) {
  (void)op, (void)keys;
  operands o = {0};
  oy_object *meta = NULL, *result;
  if (operands_begin(&o, self, other)) meta = oyi_call_div_Tensor(o.self, o.other);
  if (!is_zeros(other))
    result = zeros_like(&o, meta);
  else
    result = full_like(&o, meta, is_zeros(self) ? (double)NAN : (double)INFINITY);
  return operands_end(&o, meta, result);
}

static bool is_one(oy_value number) {
  return number.tag == OY_TAG_INT ? number.as.i == 1
                                  : number.tag == OY_TAG_FLOAT && number.as.d == 1;
}

// |other| times |alpha|, negated if |subtract|, is what zeros are added to.
static oy_object* added(const operands* o, const oy_object* meta, oy_object* self,
                        oy_object* other, oy_value alpha, bool subtract) {
  if (is_zeros(other))
    return is_zeros(self) ? zeros_like(o, meta) : copy_like(o, meta, self);
  oy_object* copy = copy_like(o, meta, other);
  oy_object *scaled = copy, *result;
  if (copy && !is_one(alpha)) {
    scaled = oyi_call_mul_Scalar(copy, alpha);
    oy_tensor_release(copy);
  }
  if (!scaled || !subtract) return scaled;
  result = oyi_call_neg(scaled);
  oy_tensor_release(scaled);
  return result;
}
KNOWN(add_Tensor) {
  (void)op, (void)keys;
  operands o = {0};
  oy_object* meta = NULL;
  if (operands_begin(&o, self, other)) meta = oyi_call_add_Tensor(o.self, o.other, alpha);
  return operands_end(&o, meta, added(&o, meta, self, other, alpha, false));
}
KNOWN(sub_Tensor) {
  (void)op, (void)keys;
  operands o = {0};
  oy_object* meta = NULL;
  if (operands_begin(&o, self, other)) meta = oyi_call_sub_Tensor(o.self, o.other, alpha);
  return operands_end(&o, meta, added(&o, meta, self, other, alpha, true));
}

// Laid out as the zeros are, which an expanded zero would not be.
KNOWN(clone) {
  (void)op, (void)keys;
  return oyi_call_zeros_like(self, oy_none(), oy_none(), oy_none(), oy_none(),
                             memory_format);
}

KNOWN(copy_) {
  (void)op, (void)keys, (void)non_blocking;
  if (is_zeros(self)) {
    OY_FAIL(FAILED_PRECONDITION,
            "ZeroTensors are immutable. Please materialize the tensor using `.clone()`, "
            "if you want a mutable zero tensor.");
    return NULL;
  }
  oy_object* wide = oyi_call_expand(src, oyi_sizes_view(oyi_tensor_cast(self)), false);
  if (!wide) return NULL;
  oy_tensor_release(wide);
  // The layers above have counted the write.
  oy_guard guard = oy_guard_below_adinplaceorview();
  oy_object* result = oyi_call_zero_(self);
  oy_guard_end(&guard);
  return result;
}

#define ROW(id)  {OYI_OP_##id, 0, 0, __LINE__, (oy_typed_fn)zeros_##id, __FILE__},
#define PASS(id) {OYI_OP_##id, 0, 0, __LINE__, NULL, __FILE__},
static const oyi_kernel_row g_rows[] = {
    // clang-format off
    ROW(mul_Tensor)
    ROW(dot)
    ROW(vdot)
    ROW(linalg_cross)
    ROW(div_Tensor)
    ROW(add_Tensor)
    ROW(sub_Tensor)
    ROW(clone)
    ROW(copy_)
    // Composed of those above.
    PASS(mul_Scalar)
    PASS(div_Scalar)
    PASS(add_Scalar)
    PASS(sub_Scalar)
    // clang-format on
};

oy_status oyi_register_zeros(oy_library* aten) {
  return oyi_register_rows(aten, OY_KEY_ZeroTensor, g_rows, OY_ARRAY_SIZE(g_rows));
}
