// SPDX-License-Identifier: Apache-2.0
// What each policy does with the arguments of a boxed call (reference, section 6.2).
#include "layers/autocast/autocast.h"

oy_status oyi_autocast_kernel(const oy_op* op, oy_keyset keys, oy_stack* stack,
                              const oy_kernel* kernel) {
  (void)keys;
  const oyi_autocast_rule* rule = kernel->user_data;
  oy_guard guard = oy_guard_exclude_functionalities(1ull << rule->device->key);
  oy_status status = rule->prepare(rule, &op, stack);
  if (status == OY_OK) status = oy_op_call_boxed(op, stack);
  oy_guard_end(&guard);
  return status;
}

// A definition that changes meanwhile may say more than there are.
static size_t arguments_on(const oy_op* op, const oy_stack* stack) {
  size_t count = __atomic_load_n(&op->argument_count, __ATOMIC_RELAXED);
  return count < stack->size ? count : stack->size;
}

// --------------------------------------------------------------------------- casting

static bool differs(const oy_object* object, oy_dtype dtype,
                    const oyi_autocast_device* device) {
  return oyi_is_eligible(object, device) && object->dtype != dtype;
}

static oy_status cast_tensor(oy_value* v, oy_dtype dtype,
                             const oyi_autocast_device* device) {
  if (!differs(v->as.object, dtype, device)) return OY_OK;
  oy_object* made = oyi_autocast_to(v->as.object, dtype);
  if (!made) return oy_failure();
  oy_value_release(v);
  *v = oy_value_pointer(OY_TAG_TENSOR | OY_VALUE_OWNED, made, 0);
  return OY_OK;
}

// A list of tensors, or of values among which there are tensors: a new one takes its
// place if any has to be cast.
static const oy_object* tensor_in(const oy_value* list, size_t i) {
  if (list->tag == OY_TAG_TENSOR_LIST) return list->as.tensors[i];
  const oy_value* v = &list->as.values[i];
  return v->tag == OY_TAG_TENSOR ? v->as.object : NULL;
}

static oy_status cast_element(const oy_value* list, oy_value* made, size_t i,
                              oy_dtype dtype, const oyi_autocast_device* device) {
  if (list->tag == OY_TAG_LIST) {
    oy_value* v = (oy_value*)(uintptr_t)&made->as.values[i];
    oy_value copy = list->as.values[i];
    copy.owned = 0;
    OY_TRY(oy_value_own(&copy));
    *v = copy;
    return v->tag == OY_TAG_TENSOR ? cast_tensor(v, dtype, device) : OY_OK;
  }
  oy_object** tensors = (oy_object**)(uintptr_t)made->as.tensors;
  oy_object* object = list->as.tensors[i];
  if (differs(object, dtype, device))
    tensors[i] = oyi_autocast_to(object, dtype);
  else
    oy_object_retain(tensors[i] = object);
  return tensors[i] ? OY_OK : oy_failure();
}

static oy_status cast_list(oy_value* list, oy_dtype dtype,
                           const oyi_autocast_device* device) {
  bool any = false;
  for (size_t i = 0; i < list->count && !any; i++)
    any = differs(tensor_in(list, i), dtype, device);
  if (!any) return OY_OK;
  oy_value made;
  OY_TRY(oy_value_new_list((oy_tag)list->tag, list->count, &made));
  oy_status status = OY_OK;
  for (size_t i = 0; i < list->count && status == OY_OK; i++)
    status = cast_element(list, &made, i, dtype, device);
  oy_value_release(status == OY_OK ? list : &made);
  if (status == OY_OK) *list = made;
  return status;
}

static bool is_list(const oy_value* v) {
  return v->tag == OY_TAG_TENSOR_LIST || v->tag == OY_TAG_LIST;
}

// Those arguments that give keys: the tensors of the schema.
static oy_status cast_arguments(const oy_op* op, oy_stack* stack, oy_dtype dtype,
                                const oyi_autocast_device* device) {
  size_t count = arguments_on(op, stack);
  oy_value* v = oy_stack_last(stack, count);
  uint64_t tensors = __atomic_load_n(&op->dispatch_arguments, __ATOMIC_RELAXED);
  for (size_t i = 0; i < count && i < 64; i++) {
    if (!(tensors >> i & 1)) continue;
    if (v[i].tag == OY_TAG_TENSOR) OY_TRY(cast_tensor(&v[i], dtype, device));
    if (is_list(&v[i])) OY_TRY(cast_list(&v[i], dtype, device));
  }
  return OY_OK;
}

oy_status oyi_lower_precision_fp(const oyi_autocast_rule* rule, const oy_op** op,
                                 oy_stack* stack) {
  return cast_arguments(*op, stack, oyi_autocast_dtype(rule->device), rule->device);
}

oy_status oyi_fp32(const oyi_autocast_rule* rule, const oy_op** op, oy_stack* stack) {
  return cast_arguments(*op, stack, OY_DTYPE_F32, rule->device);
}

// ----------------------------------------------------------------------- result dtypes

// The first argument; NULL if it is no tensor, which is for the operator to say.
static const oy_object* first_tensor(const oy_op* op, oy_stack* stack) {
  size_t count = arguments_on(op, stack);
  const oy_value* v = oy_stack_last(stack, count);
  return count > 0 && v->tag == OY_TAG_TENSOR ? v->as.object : NULL;
}

static bool is_optional_dtype(const oy_type* type) {
  return type->kind == OY_TYPE_OPTIONAL && type->element->kind == OY_TYPE_SCALAR_TYPE;
}

// A dtype that the caller gave is respected, and tensors are left as they are: the
// operator accumulates in the dtype of its result.
oy_status oyi_fp32_set_opt_dtype(const oyi_autocast_rule* rule, const oy_op** op,
                                 oy_stack* stack) {
  if (!oyi_is_eligible(first_tensor(*op, stack), rule->device)) return OY_OK;
  const oy_schema* schema = oy_op_schema(*op);
  if (!schema) return oy_failure();
  size_t count = arguments_on(*op, stack);
  oy_value* v = oy_stack_last(stack, count);
  for (size_t i = 0; i < count && i < schema->argument_count; i++)
    if (v[i].tag == OY_TAG_NONE && is_optional_dtype(schema->arguments[i].type))
      v[i] = oy_int(OY_DTYPE_F32);
  return OY_OK;
}

oy_status oyi_fp32_append_dtype(const oyi_autocast_rule* rule, const oy_op** op,
                                oy_stack* stack) {
  const oy_object* first = first_tensor(*op, stack);
  if (!oyi_is_tensor(first)) return OY_OK;
  const oy_op* target;
  OY_TRY(oy_op_find(oy_op_registry(*op), oy_str_of(rule->target), &target));
  oy_dtype dtype =
      oyi_is_eligible(first, rule->device) ? (oy_dtype)OY_DTYPE_F32 : first->dtype;
  *op = target;
  return oy_stack_push(stack, oy_int(dtype));
}

// --------------------------------------------------------------------------- promotion

static oy_status widen(const oy_object* next, const oyi_autocast_device* device,
                       oy_dtype* dtype) {
  if (!oyi_is_eligible(next, device)) return OY_OK;
  if (*dtype == OY_DTYPE_F32 || next->dtype == OY_DTYPE_F32) {
    *dtype = OY_DTYPE_F32;
    return OY_OK;
  }
  OY_CHECK(*dtype == next->dtype, FAILED_PRECONDITION,
           "Unexpected floating ScalarType in at::autocast::prioritize");
  return OY_OK;
}

// Optional tensors are cast, and have no say in what to.
static bool is_optional(const oy_type* type) {
  if (type->kind == OY_TYPE_LIST) type = type->element;
  return type->kind == OY_TYPE_OPTIONAL;
}

static oy_status find_widest(const oy_op* op, oy_stack* stack,
                             const oyi_autocast_device* device, oy_dtype* dtype) {
  const oy_schema* schema = oy_op_schema(op);
  if (!schema) return oy_failure();
  size_t count = arguments_on(op, stack);
  const oy_value* v = oy_stack_last(stack, count);
  for (size_t i = 0; i < count && i < schema->argument_count; i++) {
    const oy_argument* a = &schema->arguments[i];
    if (!a->is_dispatch || is_optional(a->type)) continue;
    if (v[i].tag == OY_TAG_TENSOR) OY_TRY(widen(v[i].as.object, device, dtype));
    for (size_t k = 0; is_list(&v[i]) && k < v[i].count; k++)
      OY_TRY(widen(tensor_in(&v[i], k), device, dtype));
  }
  return OY_OK;
}

oy_status oyi_promote(const oyi_autocast_rule* rule, const oy_op** op, oy_stack* stack) {
  oy_dtype dtype = oyi_autocast_dtype(rule->device);
  OY_CHECK(dtype != OY_DTYPE_F64, FAILED_PRECONDITION,
           "promote type is double in at::autocast::prioritize");
  OY_TRY(find_widest(*op, stack, rule->device, &dtype));
  return cast_arguments(*op, stack, dtype, rule->device);
}

// ---------------------------------------------------------------------------- refusal

oy_status oyi_banned(const oyi_autocast_rule* rule, const oy_op** op, oy_stack* stack) {
  (void)rule, (void)op, (void)stack;
  return OY_FAIL(
      FAILED_PRECONDITION,
      "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to "
      "autocast.\n"
      "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
      "In this case, combine the two layers using "
      "torch.nn.functional.binary_cross_entropy_with_logits\n"
      "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and "
      "BCEWithLogits are\n"
      "safe to autocast.");
}
