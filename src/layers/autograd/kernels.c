// SPDX-License-Identifier: Apache-2.0
// The Autograd and ADInplaceOrView kernels, made from the operator table: each
// only passes its arguments to what all of them share, so there is nothing to see
// here for one operator. Rows that say FORMULA get an Autograd kernel; in-place,
// out= and view forms get an ADInplaceOrView kernel, which counts versions and
// knows views also of tensors that need no gradient.
#include "base/memory.h"
#include "layers/autograd/autograd.h"
#include "layers/autograd/formulas.h"
#include "layers/autograd/frames.h"
#include "layers/autograd/record.h"
#include "layers/autograd/variable.h"
#include "ops/calls.h"

// None, like an empty list, means all dimensions.
static inline oy_ints reduction_dims(oy_ints dim) {
  return dim.data ? dim : oy_dims_none();
}

// ------------------------------------------------------------------- Autograd

#define IN_PARTS(family, id)
#define IN_NONE(family, id)
#define IN_FORMULA(family, id)                                                           \
 static oy_object* autograd_##id(const oy_op* op, oy_keyset keys, OYI_PARAMS_##family) { \
  oyi_frame frame = {OYI_FRAME_##family};                                                \
  oyi_record r;                                                                          \
  if (oyi_record_begin(&r, &oyi_formula_##id, OYI_FORM_##family, &frame, op, &keys) !=   \
      0)                                                                                 \
   return NULL;                                                                          \
  return oyi_record_end(&r, oyi_redispatch_##id(op, keys, OYI_ARGS_##family));           \
 }
#define OY_OP(family, id, where, backward, schema, doc) IN_##backward(family, id)
#include "ops/ops.def"
#undef IN_FORMULA

#define IN_FORMULA(family, id) {OYI_OP_##id, 0, (oy_typed_fn)autograd_##id, __FILE__},
static const oyi_kernel_row g_autograd[] = {
#include "ops/ops.def"
};
#undef OY_OP

// ------------------------------------------------------------ ADInplaceOrView

// Leaves ADInplaceOrView out of the thread's sets, and of |keys|.
static inline uint64_t step_down(oy_keyset* keys) {
  uint64_t keep = oy_tls.keep;
  *keys = oy_keyset_and(*keys, oy_keyset_full_after(OY_KEY_ADInplaceOrView));
  oy_tls.keep = keep & ~(1ull << OY_KEY_ADInplaceOrView | OYI_BELOW_AUTOGRAD);
  return keep;
}

static inline oy_object* written(uint64_t keep, oy_object* target) {
  oy_tls.keep = keep;
  if (OY_LIKELY(oyi_is_tensor(target))) oyi_version_bump(oyi_tensor_cast(target));
  return target;
}

static oy_object* viewed(uint64_t keep, oy_object* view, oy_object* from) {
  oy_tls.keep = keep;
  if (!view || view == from || !oyi_is_tensor(view) || !oyi_is_tensor(from)) return view;
  if (oyi_view_attach(oyi_tensor_cast(view), oyi_tensor_cast(from)) == 0) return view;
  oy_tensor_release(view);
  return NULL;
}

// By form: what comes back is the tensor that was written, or a view of |self|.
// PARTS reach this layer through the operators that they are composed of; detach
// makes no view that history is kept for.
#define AFTER_OYI_FORM_INPLACE(result) written(keep, result)
#define AFTER_OYI_FORM_OUT(result)     written(keep, result)
#define AFTER_OYI_FORM_VIEW(result)    viewed(keep, result, self)

#define INPLACE_OR_VIEW(family, id, after)                               \
 static oy_object* inplace_or_view_##id(const oy_op* op, oy_keyset keys, \
                                        OYI_PARAMS_##family) {           \
  uint64_t keep = step_down(&keys);                                      \
  return after(oyi_redispatch_##id(op, keys, OYI_ARGS_##family));        \
 }
#define ROW(family, id, after) \
 {OYI_OP_##id, 0, (oy_typed_fn)inplace_or_view_##id, __FILE__},

// Families by form; those that make new tensors fall through.
#define LIST_(EACH, family, id, form) LIST_##form(EACH, family, id)
#define LIST(EACH, family, id, form)  LIST_(EACH, family, id, form)
#define LIST_1(EACH, family, id)      EACH(family, id, AFTER_OYI_FORM_INPLACE)
#define LIST_2(EACH, family, id)      EACH(family, id, AFTER_OYI_FORM_VIEW)
#define LIST_0(EACH, family, id)

#define KIND_UNARY                0
#define KIND_UNARY_OUT            1
#define KIND_UNARY_INPLACE        1
#define KIND_BINARY               0
#define KIND_BINARY_OUT           1
#define KIND_BINARY_INPLACE       1
#define KIND_BINARY_FLOAT         0
#define KIND_BINARY_FLOAT_OUT     1
#define KIND_BINARY_FLOAT_INPLACE 1
#define KIND_BINARY_ALPHA         0
#define KIND_BINARY_ALPHA_OUT     1
#define KIND_BINARY_ALPHA_INPLACE 1
#define KIND_SCALAR               0
#define KIND_SCALAR_INPLACE       1
#define KIND_SCALAR_ALPHA         0
#define KIND_SCALAR_ALPHA_INPLACE 1
#define KIND_THRESHOLD            0
#define KIND_REDUCTION_ALL        0
#define KIND_REDUCTION            0
#define KIND_REDUCTION_OUT        1
#define KIND_VIEW                 2
#define KIND_VIEW_SHAPE           2
#define KIND_SHAPE                0
#define KIND_VIEW_EXPAND          2
#define KIND_VIEW_DIM             2
#define KIND_VIEW_DIMS2           2
#define KIND_VIEW_SELECT          2
#define KIND_VIEW_STRIDED         2
#define KIND_MATRIX               0
#define KIND_MATRIX_OUT           1
#define KIND_COPY_INPLACE         1
#define KIND_FILL_INPLACE         1
#define KIND_CLONE                0
#define KIND_TO_COPY              0

#undef IN_FORMULA
#define IN_FORMULA(family, id)                          LIST(INPLACE_OR_VIEW, family, id, KIND_##family)
#define OY_OP(family, id, where, backward, schema, doc) IN_##backward(family, id)
#include "ops/ops.def"
#undef IN_FORMULA

#define IN_FORMULA(family, id) LIST(ROW, family, id, KIND_##family)
static const oyi_kernel_row g_inplace_or_view[] = {
#include "ops/ops.def"
};
#undef OY_OP

// --------------------------------------------------------------- registration

// Autograd keys of every backend: operators without a gradient of their own run
// below as if the key were not there.
static const oy_key g_autograd_keys[] = {
    OY_KEY_AutogradOther,
#define OY_BACKEND(name, bit, autograd) autograd ? OY_KEY_Autograd##name : 0,
#include "opyard/keys.def"
#undef OY_BACKEND
};

oy_status oyi_register_autograd(oy_library* aten, oy_library* fallbacks) {
  OY_TRY(oyi_register_rows(aten, OY_KEY_Autograd, g_autograd, OY_ARRAY_SIZE(g_autograd)));
  for (size_t i = 0; i < OY_ARRAY_SIZE(g_inplace_or_view); i++)
    if (g_inplace_or_view[i].id != OYI_OP_detach)
      OY_TRY(oyi_register_rows(aten, OY_KEY_ADInplaceOrView, &g_inplace_or_view[i], 1));
  for (size_t i = 0; i < OY_ARRAY_SIZE(g_autograd_keys); i++)
    if (g_autograd_keys[i])
      OY_TRY(oy_library_fallback(fallbacks, g_autograd_keys[i], &OY_FALLTHROUGH, OY_HERE,
                                 NULL));
  return OY_OK;
}
