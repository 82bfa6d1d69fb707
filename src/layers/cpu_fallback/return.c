// SPDX-License-Identifier: Apache-2.0
// What a call that fell back gives: the argument itself where the schema says that it is
// written and returned, else what the CPU made, on the device.
#include "layers/cpu_fallback/cpu_fallback.h"
#include "ops/calls.h"
#include "tensor/iterator.h"

// ------------------------------------------------------------------------- moving

static oyi_tensor* empty_on(oy_device device, const oyi_tensor* like) {
  int64_t contiguous[OY_TENSOR_MAX_DIMS];
  oy_ints sizes = oyi_sizes_view(like), strides = oyi_strides_view(like);
  if (!(like->flags & OYI_DENSE)) {
    oyi_strides_contiguous(sizes, contiguous);
    strides = (oy_ints){contiguous, sizes.size};
  }
  oy_guard guard = oy_guard_below_adinplaceorview();
  oy_object* made = oyi_call_empty_strided(sizes, strides, oy_int(like->header.dtype),
                                           oy_none(), oy_value_device(device), oy_none());
  oy_guard_end(&guard);
  return made ? oyi_tensor_cast(made) : NULL;
}

// |*object| is owned and stays so. What is given back as it came is the argument.
static oy_status move(oyi_fallback_call* c, oy_object** object) {
  oyi_tensor* t = oyi_is_tensor(*object) ? oyi_tensor_cast(*object) : NULL;
  if (!t || t->backend != OY_BACKEND_CPU || c->target.backend == OY_BACKEND_CPU)
    return OY_OK;
  oyi_tensor* there = NULL;
  for (size_t i = 0; i < c->mirror_count && !there; i++)
    if (c->mirrors[i].plain == t) {
      there = c->mirrors[i].given;
      oy_tensor_retain(&there->header);
    }
  if (!there) {
    there = empty_on(c->target, t);
    if (!there) return oy_failure();
    oy_status status = oyi_fallback_copy(c, there, t);
    if (status != OY_OK) {
      oy_tensor_release(&there->header);
      return status;
    }
  }
  oy_tensor_release(*object);
  *object = &there->header;
  return OY_OK;
}

static oy_status move_value(oyi_fallback_call* c, oy_value* v) {
  if (v->tag == OY_TAG_TENSOR) {
    OY_TRY(oy_value_own(v));
    return move(c, &v->as.object);
  }
  if (v->tag != OY_TAG_TENSOR_LIST) return OY_OK;
  // A list of the call's own: kernels may give one that others hold, too.
  oy_value list;
  OY_TRY(oy_value_new_list(OY_TAG_TENSOR_LIST, v->count, &list));
  oy_object** tensors = (oy_object**)(uintptr_t)list.as.bits;
  for (size_t i = 0; i < v->count; i++) tensors[i] = oy_tensor_retain(v->as.tensors[i]);
  oy_value_release(v);
  *v = list;
  for (size_t i = 0; i < list.count; i++) OY_TRY(move(c, &tensors[i]));
  return OY_OK;
}

// ------------------------------------------------------------------------ results

static oy_status put_argument(const oyi_fallback_call* c, size_t argument, oy_value* v) {
  oy_value given = c->arguments[argument];
  given.owned = 0;
  OY_TRY(oy_value_own(&given));
  oy_value_release(v);
  *v = given;
  return OY_OK;
}

static const char* target_name(const oyi_fallback_call* c, char* buffer, size_t size) {
  if (c->target.backend == OY_BACKEND_CPU) return "<none>";
  oy_device_print(c->target, buffer, size);
  return buffer;
}

static oy_status say_view(const oyi_fallback_call* c) {
  static const char format[] =
      "The operator %.*s appears to be a view operator, but it has no implementation for "
      "the backend \"%s\". View operators don't support falling back to run on the CPU, "
      "since the tensor's storage cannot be shared across devices.";
  char device[64];
  const oy_str name = oy_op_name_of(c->op);
  const char* target = target_name(c, device, sizeof(device));
  if (c->options.error_on_views)
    return OY_FAIL(NOT_IMPLEMENTED, format, OY_STR_ARG(name), target);
  oyi_warn(format, OY_STR_ARG(name), target);
  return OY_OK;
}

static bool has_alias(const oy_argument* result) {
  return oy_argument_is_aliasing(result) ||
         (result->alias && result->alias->element != NULL);
}

static oy_status finish_one(oyi_fallback_call* c, size_t i, oy_value* v) {
  const oy_argument* result = &c->schema->returns[i];
  if (oy_argument_is_mutable(result)) {
    const int argument = oy_schema_return_argument(c->schema, i);
    OY_CHECK(
        argument >= 0, INVALID_ARGUMENT,
        "The operator %.*s appears to have invalid alias information. Found a return "
        "tensor argument with a mismatched mutable alias: %.*s",
        OY_STR_ARG(oy_op_name_of(c->op)), OY_STR_ARG(result->name));
    return put_argument(c, (size_t)argument, v);
  }
  if (has_alias(result)) OY_TRY(say_view(c));
  return move_value(c, v);
}

oy_status oyi_fallback_return(oyi_fallback_call* c, oy_stack* below) {
  const size_t count = c->schema->return_count;
  oy_value* results = oy_stack_last(below, count);
  for (size_t i = 0; i < count; i++) OY_TRY(finish_one(c, i, &results[i]));
  return OY_OK;
}
