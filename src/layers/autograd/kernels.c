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
#define IN_FORMULA(family, id)                                                          \
  static oy_object* autograd_##id(const oy_op* op, oy_keyset keys,                      \
                                  OYI_PARAMS_##family) {                                \
    oyi_frame frame = {OYI_FRAME_##family};                                             \
    oyi_record r;                                                                       \
    if (oyi_record_begin(&r, &oyi_formula_##id, OYI_FORM(family), &frame, op, &keys) != \
        0)                                                                              \
      return NULL;                                                                      \
    return oyi_record_end(&r, oyi_redispatch_##id(op, keys, OYI_ARGS_##family));        \
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

// By form: what comes back is the tensor that was written, or a view of |self|; new
// tensors and numbers pass this layer by. PARTS reach it through the operators that
// they are composed of.
#define AFTER_WRITE(result) written(keep, result)
#define AFTER_VIEW(result)  viewed(keep, result, self)

#define DEFINE(family, id, after)                                         \
  static oy_object* inplace_or_view_##id(const oy_op* op, oy_keyset keys, \
                                         OYI_PARAMS_##family) {           \
    uint64_t keep = step_down(&keys);                                     \
    return after(oyi_redispatch_##id(op, keys, OYI_ARGS_##family));       \
  }
#define IN_FORM_INPLACE(family, id) DEFINE(family, id, AFTER_WRITE)
#define IN_FORM_OUT(family, id)     DEFINE(family, id, AFTER_WRITE)
#define IN_FORM_VIEW(family, id)    DEFINE(family, id, AFTER_VIEW)
#define IN_FORM_NEW(family, id)

#undef IN_FORMULA
#define IN_FORM(family, id, form)                       OYI_FORM_OF(IN_FORM_, form)(family, id)
#define IN_FORMULA(family, id)                          IN_FORM(family, id, OYI_FORM_##family)
#define OY_OP(family, id, where, backward, schema, doc) IN_##backward(family, id)
#include "ops/ops.def"
#undef DEFINE

#define DEFINE(family, id, after) \
  {OYI_OP_##id, 0, (oy_typed_fn)inplace_or_view_##id, __FILE__},
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
