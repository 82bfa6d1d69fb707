// SPDX-License-Identifier: Apache-2.0
// The Autograd and ADInplaceOrView kernels, made from the operator table: each
// only passes its arguments to what all of them share, so there is nothing to see
// here for one operator. Rows that say FORMULA get an Autograd kernel; in-place,
// out= and view forms get an ADInplaceOrView kernel, which counts versions and
// knows views also of tensors that need no gradient.
#include "ops/kernels.h"

#include "base/memory.h"
#include "layers/autograd/autograd.h"
#include "layers/autograd/derivatives/formulas.h"
#include "layers/autograd/fallback.h"
#include "layers/autograd/forward/forward.h"
#include "layers/autograd/frames.h"
#include "layers/autograd/full.h"
#include "layers/autograd/plain_views.h"
#include "layers/autograd/record.h"
#include "layers/autograd/streams.h"
#include "ops/calls.h"

// ------------------------------------------------------------------- Autograd

// Leaves Autograd out of the thread's sets, and of |keys|; gives what was there.
static inline uint64_t step_below(oy_keyset* keys) {
  const uint64_t keep = oy_tls.keep;
  *keys = oy_keyset_and(*keys, oy_keyset_full_after(OY_KEY_AutogradOther));
  oy_tls.keep = keep & ~OYI_AUTOGRAD_KEYS;
  return keep;
}

// None, like an empty list, means all dimensions.
static inline oy_ints reduction_dims(oy_ints dim) {
  return dim.data ? dim : oy_dims_none();
}

static inline int64_t slice_start(oy_value start) {
  return start.tag == OY_TAG_NONE ? 0 : start.as.i;
}
// The order of up to OYI_CODED_DIMS dimensions, four bits each.
static inline uint64_t permutation_code(oy_ints dims) {
  uint64_t code = 0;
  for (size_t i = 0; i < dims.size && i < OYI_CODED_DIMS; i++) {
    uint64_t d =
        (uint64_t)(dims.data[i] < 0 ? dims.data[i] + (int64_t)dims.size : dims.data[i]);
    code |= (d & 15) << 4 * i;
  }
  return code;
}

// The dimensions that a flip turns; bad ones are for the kernel to report.
static inline uint64_t flip_mask(const oy_object* self, oy_ints dims) {
  int64_t ndim = oy_tensor_ndim(self);
  uint64_t mask = 0;
  for (size_t i = 0; i < dims.size; i++)
    mask |= 1ull << ((dims.data[i] < 0 ? dims.data[i] + ndim : dims.data[i]) & 63);
  return mask;
}

// The out= forms have no formula: a gradient asked for through them is refused.
static const oyi_formula g_no_formula = {.name = "", .apply = NULL};
#define FORMULA_NEW(id)     &oyi_formula_##id
#define FORMULA_VIEW(id)    &oyi_formula_##id
#define FORMULA_INPLACE(id) &oyi_formula_##id
#define FORMULA_OUT(id)     &g_no_formula

// What is composed needs nothing.
#define PARTS_NEW(id)
#define PARTS_VIEW(id)
#define PARTS_INPLACE(id)
#define PARTS_TUPLE(id)
#define PARTS_LIST(id)
#define PARTS_VIEWS(id)
#define PARTS_VALUE(id)
#define PARTS_NOTHING(id)
#define PARTS_OUT(id)
#define PARTS_OUTS(id)
#define IN_PARTS(id) OYI_BY_FORM(PARTS_, id)(id)
#define IN_NONE(id)
#define IN_LOOP(id)
#define IN_FORMULA(id) RECORDED(id, OYI_FRAME(id))
// What is left for the formula is put together only if it may be recorded.
#define RECORDED(...) RECORDED_AS(__VA_ARGS__)
#define RECORDED_AS(id, ...)                                                          \
  static oy_object* autograd_##id(const oy_op* op, oy_keyset keys, OYI_PARAMS_##id) { \
    oyi_short_node* node_ = NULL;                                                     \
    if (oyi_grad_mode) {                                                              \
      oy_object* const tensors_[] = {OYI_TENSORS_##id NULL};                          \
      const oyi_frame* frame_ = NULL;                                                 \
      __VA_OPT__(const oyi_frame left_ = {__VA_ARGS__}; frame_ = &left_;)             \
      const oyi_record call_ = {OYI_BY_FORM(FORMULA_, id)(id), OYI_FORM_OF(id),       \
                                tensors_, frame_};                                    \
      if (OY_UNLIKELY(oyi_record_start(&call_, op, &node_) != 0)) return NULL;        \
    }                                                                                 \
    const uint64_t keep_ = step_below(&keys);                                         \
    oy_object* result_ = oyi_redispatch_##id(op, keys, OYI_ARGS_##id);                \
    oy_tls.keep = keep_;                                                              \
    if (OY_LIKELY(!node_)) return result_;                                            \
    return oyi_record_finish(node_, OYI_FORM_OF(id), result_);                        \
  }
// A gradient asked for through what cannot have one is refused.
#define REFUSED(id)                                                         \
  static OYI_RESULT_##id autograd_##id(const oy_op* op, oy_keyset keys,     \
                                       OYI_PARAMS_##id) {                   \
    oy_object* const tensors_[] = {OYI_TENSORS_##id NULL};                  \
    const oy_tensors lists_[] = {OYI_LISTS_##id{NULL, 0}};                  \
    if (oyi_refuse_gradient(op, tensors_, lists_, OYI_FORM_OF(id)) != 0)    \
      return OYI_FAILED_##id;                                               \
    keys = oy_keyset_and(keys, oy_keyset_full_after(OY_KEY_AutogradOther)); \
    return oyi_redispatch_##id(op, keys, OYI_ARGS_##id);                    \
  }
#define FULL(id, which, end)                                                   \
  static OYI_RESULT_##id autograd_##id(const oy_op* op, oy_keyset keys,        \
                                       OYI_PARAMS_##id) {                      \
    oyi_full_call c = {.formula = &which, .op = op, .form = OYI_FORM_OF(id)};  \
    const oy_value arguments_[] = {OYI_BOXED_##id};                            \
    if (oyi_full_begin(&c, arguments_, OY_ARRAY_SIZE(arguments_), &keys) != 0) \
      return OYI_FAILED_##id;                                                  \
    end(id)                                                                    \
  }
#define END_OBJECT(id) \
  return oyi_full_end(&c, oyi_redispatch_##id(op, keys, OYI_ARGS_##id));
#define END_TUPLE(id)                                                \
  oy_object** const results_[] = {OYI_OUTS_##id};                    \
  return oyi_full_end_results(&c, results_, OY_ARRAY_SIZE(results_), \
                              oyi_redispatch_##id(op, keys, OYI_ARGS_##id));
#define END_LIST(id) \
  return oyi_full_end_list(&c, out_result, oyi_redispatch_##id(op, keys, OYI_ARGS_##id));
// By the form of the results.
#define FULL_NEW(id, which)     FULL(id, which, END_OBJECT)
#define FULL_VIEW(id, which)    FULL(id, which, END_OBJECT)
#define FULL_INPLACE(id, which) FULL(id, which, END_OBJECT)
#define FULL_TUPLE(id, which)   FULL(id, which, END_TUPLE)
#define FULL_LIST(id, which)    FULL(id, which, END_LIST)
#define FULL_VIEWS(id, which)   FULL(id, which, END_LIST)
#define FULL_OUT(id, which)     REFUSED(id)
#define FULL_OUTS(id, which)    REFUSED(id)
#define FULL_VALUE(id, which)   REFUSED(id)
#define FULL_NOTHING(id, which) REFUSED(id)

#define IN_MISSING(id)    OYI_BY_FORM(FULL_, id)(id, oyi_formula_not_implemented)
#define IN_DERIVATIVE(id) OYI_BY_FORM(FULL_, id)(id, oyi_formula_##id)

#define OY_OP(family, id, where, backward, schema, doc) IN_##backward(id)
#include "ops/ops.def"
#undef IN_FORMULA
#undef IN_MISSING
#undef IN_DERIVATIVE
#undef REFUSED

// What has no gradient is not missing one: it falls through.
#undef IN_NONE
#undef IN_LOOP
#define IN_NONE(id) {OYI_OP_##id, 0, 0, 0, NULL, NULL},
// A loop over operators that have gradients runs here, too.
#define IN_LOOP(id)       {OYI_OP_##id, 0, 0, 0, (oy_typed_fn)oy_composite_##id, NULL},
#define IN_FORMULA(id)    {OYI_OP_##id, 0, 0, 0, (oy_typed_fn)autograd_##id, NULL},
#define IN_MISSING(id)    IN_FORMULA(id)
#define IN_DERIVATIVE(id) IN_FORMULA(id)
#define REFUSED(id)       IN_FORMULA(id)
static const oyi_kernel_row g_autograd[] = {
#include "ops/ops.def"
};
#undef IN_FORMULA
#undef OY_OP

// ------------------------------------------------------------ ADInplaceOrView

// Leaves ADInplaceOrView out of the thread's sets, and of |keys|.
static inline uint64_t step_down(oy_keyset* keys) {
  uint64_t keep = oy_tls.keep;
  *keys = oy_keyset_and(*keys, oy_keyset_full_after(OY_KEY_ADInplaceOrView));
  oy_tls.keep = keep & ~OYI_GRADIENT_KEYS;
  return keep;
}

// Apart, so that the common case saves no registers for a call.
static __attribute__((noinline)) oy_object* written_slow(oy_object* target) {
  return oyi_version_count(oyi_tensor_cast(target)) == 0 ? target : NULL;
}
static inline oy_object* written(uint64_t keep, oy_object* target) {
  oy_tls.keep = keep;
  if (OY_UNLIKELY(!oyi_is_tensor(target))) return target;
  if (OY_UNLIKELY(!oyi_has_view_key(target))) return written_slow(target);
  oyi_version_bump(oyi_tensor_cast(target));
  return target;
}

static inline oy_object* viewed(uint64_t keep, oy_object* view, oy_object* from) {
  oy_tls.keep = keep;
  return oyi_view_result(view, from);
}

// The rest serves forms that the table may not have any of.
OYI_UNUSED static oy_status written_all(uint64_t keep, oy_object* const* targets,
                                        oy_status status) {
  oy_tls.keep = keep;
  for (; status == 0 && *targets; targets++)
    if (oyi_is_tensor(*targets)) status = oyi_version_count(oyi_tensor_cast(*targets));
  return status;
}

// |made|: new tensors, which go if that fails.
OYI_UNUSED static oy_status written_besides(uint64_t keep, oy_object* const* targets,
                                            oy_object** const* made, size_t count,
                                            oy_status called) {
  oy_status status = written_all(keep, targets, called);
  for (size_t i = 0; i < count && called == 0 && status != 0; i++) {
    oy_tensor_release(*made[i]);
    *made[i] = NULL;
  }
  return status;
}

// |lists| ends with one that is NULL.
OYI_UNUSED static oy_status written_lists(uint64_t keep, const oy_tensors* lists,
                                          oy_status status) {
  oy_tls.keep = keep;
  for (; status == 0 && lists->data; lists++)
    for (size_t i = 0; i < lists->size && status == 0; i++)
      if (oyi_is_tensor(lists->data[i]))
        status = oyi_version_count(oyi_tensor_cast(lists->data[i]));
  return status;
}

OYI_UNUSED static oy_status viewed_all(uint64_t keep, oy_value* views, oy_object* from,
                                       oy_status status) {
  oy_tls.keep = keep;
  if (status != 0 || views->tag != OY_TAG_TENSOR_LIST || !oyi_is_tensor(from) ||
      oyi_is_inference(oyi_tensor_cast(from)))
    return status;
  for (size_t i = 0; i < views->count && status == 0; i++) {
    oyi_tensor* view = oyi_tensor_of(views->as.tensors[i]);
    status = view ? oyi_view_attach(view, oyi_tensor_cast(from)) : oy_failure();
    if (status == 0 && oyi_variable_of(view)->creation == OYI_CREATION_DEFAULT)
      oyi_variable_of(view)->creation = OYI_CREATION_MULTI_OUTPUT;
  }
  if (status == 0) return OY_OK;
  oy_value_release(views);
  *views = oy_none();
  return status;
}

// By form: what comes back is what was written, or views of |self|; new tensors and
// numbers pass this layer by. PARTS reach it through the operators that they are
// composed of.
#define WRITTEN_ONE(id, result) WRITTEN_EXPANDED(id, result, OYI_WRITTEN_##id)
#define WRITTEN_EXPANDED(...)   WRITTEN_AND(__VA_ARGS__)
// Few write to another argument besides.
#define WRITTEN_AND(id, result, first, ...)                                       \
  oy_object* result_ = result;                                                    \
  __VA_OPT__(oy_object* const targets_[] = {first, __VA_ARGS__ NULL};             \
             oy_status status_ = written_all(keep, targets_, STATUS_OF(result_)); \
             return status_ == OY_OK ? result_ : NULL;)                           \
  return written(keep, result_);
#define STATUS_OF(result) ((result) ? OY_OK : oy_failure())
#define WRITTEN_NEW(id, result)                                                 \
  oy_object* const targets_[] = {OYI_WRITTEN_##id NULL};                        \
  oy_object* result_ = result;                                                  \
  if (written_all(keep, targets_, STATUS_OF(result_)) == OY_OK) return result_; \
  oy_tensor_release(result_);                                                   \
  return NULL;
#define WRITTEN_ALL(id, result)                          \
  oy_object* const targets_[] = {OYI_WRITTEN_##id NULL}; \
  return written_all(keep, targets_, result);
#define WRITTEN_BESIDES(id, result)                      \
  oy_object* const targets_[] = {OYI_WRITTEN_##id NULL}; \
  oy_object** const made[] = {OYI_OUTS_##id};            \
  return written_besides(keep, targets_, made, OY_ARRAY_SIZE(made), result);
#define WRITTEN_LIST(id, result)                                   \
  const oy_tensors written_[] = {OYI_WRITTEN_LISTS_##id{NULL, 0}}; \
  return written_lists(keep, written_, result);
#define VIEW_ONE(id, result) return viewed(keep, result, self);
#define VIEW_ALL(id, result) return viewed_all(keep, out_result, self, result);

// In one function each, but for the kernel and the end.
#define DEFINE(id, after)                                               \
  static __attribute__((flatten)) OYI_RESULT_##id inplace_or_view_##id( \
      const oy_op* op, oy_keyset keys, OYI_PARAMS_##id) {               \
    uint64_t keep = step_down(&keys);                                   \
    after(id, oyi_redispatch_##id(op, keys, OYI_ARGS_##id))             \
  }
// Views that are made without a call, if they are as usual, and all others.
#define DEFINE_VIEW(id)                                                              \
  static __attribute__((noinline))                                                   \
  OYI_RESULT_##id view_long_##id(const oy_op* op, oy_keyset keys, OYI_PARAMS_##id) { \
    uint64_t keep = step_down(&keys);                                                \
    VIEW_ONE(id, oyi_redispatch_##id(op, keys, OYI_ARGS_##id))                       \
  }                                                                                  \
  OYI_IF_PLAIN_VIEW(id, DEFINE_PLAIN_VIEW, OYI_NO_PLAIN_VIEW)                        \
  static OYI_RESULT_##id inplace_or_view_##id(const oy_op* op, oy_keyset keys,       \
                                              OYI_PARAMS_##id) {                     \
    OYI_IF_PLAIN_VIEW(id, PLAIN_VIEW_ON_CPU, OYI_NO_PLAIN_VIEW)                      \
    return view_long_##id(op, keys, OYI_ARGS_##id);                                  \
  }
#define DEFINE_PLAIN_VIEW(id, view)                                                  \
  static __attribute__((noinline)) OYI_RESULT_##id view_own_##id(OYI_PARAMS_##id) {  \
    oy_keyset keys = oy_keyset_make(0, 0);                                           \
    uint64_t keep = step_down(&keys);                                                \
    VIEW_ONE(id, oy_composite_##id(NULL, keys, OYI_ARGS_##id))                       \
  }                                                                                  \
  static __attribute__((noinline)) OYI_RESULT_##id view_made_##id(OYI_PARAMS_##id) { \
    oyi_tensor *self_ = oyi_tensor_cast(self), *view_ = view;                        \
    if (OY_UNLIKELY(!view_)) return view_own_##id(OYI_ARGS_##id);                    \
    return oyi_view_record(view_, self_, oyi_view_parent(self_), false);             \
  }                                                                                  \
  static __attribute__((noinline)) OYI_RESULT_##id view_elsewhere_##id(              \
      const oy_op* op, oy_keyset keys, OYI_PARAMS_##id) {                            \
    OYI_MADE_IF_OWN(id)                                                              \
    return view_long_##id(op, keys, OYI_ARGS_##id);                                  \
  }
// Finding the kernel of another backend takes registers that this one does without.
#define PLAIN_VIEW_ON_CPU(id, view)                      \
  if (OY_UNLIKELY(!oy_backends_plain(keys.backends)))    \
    return view_elsewhere_##id(op, keys, OYI_ARGS_##id); \
  OYI_MADE_IF_OWN(id)
#define IN_FORM_INPLACE(id)     DEFINE(id, WRITTEN_ONE)
#define IN_FORM_OUT(id)         DEFINE(id, WRITTEN_ONE)
#define IN_FORM_OUTS(id)        DEFINE(id, WRITTEN_ALL)
#define IN_FORM_VIEW(id)        DEFINE_VIEW(id)
#define IN_FORM_VIEWS(id)       DEFINE(id, VIEW_ALL)
#define NEW_IF_WRITTEN(id, ...) __VA_OPT__(DEFINE(id, WRITTEN_NEW))
#define IN_FORM_NEW(id)         NEW_IF_WRITTEN(id, OYI_WRITTEN_##id)
// New tensors, and arguments that are written besides, which only few have.
#define TUPLE_IF_WRITTEN(id, ...) __VA_OPT__(DEFINE(id, WRITTEN_BESIDES))
#define IN_FORM_TUPLE(id)         TUPLE_IF_WRITTEN(id, OYI_WRITTEN_##id)
#define IN_FORM_LIST(id)
#define IN_FORM_VALUE(id)
#define IN_FORM_NOTHING(id) DEFINE(id, WRITTEN_LIST)

#define LAYER_KERNEL(id)         OYI_BY_FORM(IN_FORM_, id)(id)
#define LAYER_KERNEL_SPLIT(id)   OYI_BY_FORM(IN_FORM_, id)(id)
#define LAYER_FACTORY_KERNEL(id) OYI_BY_FORM(IN_FORM_, id)(id)
#define LAYER_FACTORY(id)        OYI_BY_FORM(IN_FORM_, id)(id)
#define LAYER_EXPLICIT(id)       OYI_BY_FORM(IN_FORM_, id)(id)
#define LAYER_IMPLICIT(id)
#define OY_OP(family, id, where, backward, schema, doc) LAYER_##where(id)
#include "ops/ops.def"
#undef DEFINE
#undef DEFINE_VIEW

#define DEFINE_VIEW(id)   DEFINE(id, VIEW_ONE)
#define DEFINE(id, after) {OYI_OP_##id, 0, 0, 0, (oy_typed_fn)inplace_or_view_##id, NULL},
static const oyi_kernel_row g_inplace_or_view[] = {
#include "ops/ops.def"
};
#undef OY_OP

// --------------------------------------------------------------- registration

// Autograd keys of every backend: for operators that nobody gave an autograd kernel.
static const oy_key g_autograd_keys[] = {
    OY_KEY_AutogradOther,
#define OY_BACKEND(name, bit, autograd) autograd ? OY_KEY_Autograd##name : 0,
#include "opyard/keys.def"
#undef OY_BACKEND
};

// detach makes no view that is known to its base; a size is no content, so resizing
// counts no version.
static bool has_layer(int id) {
  return id != OYI_OP_detach && id != OYI_OP_resize_ && id != OYI_OP_resize_as_;
}

oy_status oyi_register_autograd(oy_library* aten) {
  oyi_streams_listen();
  OY_TRY(oyi_register_rows(aten, OY_KEY_Autograd, g_autograd, OY_ARRAY_SIZE(g_autograd)));
  for (size_t i = 0; i < OY_ARRAY_SIZE(g_inplace_or_view); i++)
    if (has_layer(g_inplace_or_view[i].id))
      OY_TRY(oyi_register_rows(aten, OY_KEY_ADInplaceOrView, &g_inplace_or_view[i], 1));
  return OY_OK;
}

// Others replace it.
static oy_status add_fallback(oy_library* fallbacks, oy_key key) {
  const oy_kernel_params kernel = {.boxed = oyi_autograd_fallback,
                                   .priority = OY_FALLBACK_DEFAULT};
  return oy_library_fallback(fallbacks, key, &kernel, OY_HERE, NULL);
}

oy_status oyi_register_autograd_fallbacks(oy_library* fallbacks) {
  for (size_t i = 0; i < OY_ARRAY_SIZE(g_autograd_keys); i++)
    if (g_autograd_keys[i]) OY_TRY(add_fallback(fallbacks, g_autograd_keys[i]));
  return oyi_register_forward(fallbacks);
}

oy_status oyi_autograd_fallback_of_backend(void* fallbacks, oy_backend backend) {
  const oy_key key = (oy_key)OY_KEY_OF(OY_KEY_AutogradFunctionality, backend);
  if (oy_registry_has_fallback(oy_registry_default(), key)) return OY_OK;
  return add_fallback(fallbacks, key);
}
