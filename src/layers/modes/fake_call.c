// SPDX-License-Identifier: Apache-2.0
// One call with fake tensors: on plain Meta aliases of them, below every layer, and with Meta
// in place of any device that is asked for. New results are made fake; a result that is an
// alias is the tensor that it is an alias of, and takes over the shape that the call gave it.
#include "base/memory.h"
#include "dispatch/call.h"
#include "layers/modes/fake.h"

// A tensor that is given twice has two aliases.
typedef struct pair {
  oyi_tensor* given;
  oyi_tensor* plain;
  bool is_written;
} pair;

typedef struct fake_call {
  oy_fake_mode* mode;
  const oy_op* op;
  const oy_schema* schema;
  const oy_value* arguments;
  pair* pairs;
  size_t size;
  size_t capacity;
  oy_device device;  // of what is made
  bool is_written;   // the argument that is being looked at
} fake_call;

// ------------------------------------------------------------------- arguments

static void write_tensor(oyi_strbuf* out, const oy_object* tensor) {
  if (!oyi_is_tensor(tensor)) {
    oyi_strbuf_printf(out, "<%s>", tensor->klass->name);
    return;
  }
  const oyi_tensor* t = oyi_tensor_cast(tensor);
  const oyi_handled* h = oyi_handled_of(tensor);
  oyi_strbuf_puts(out, h ? h->handler->name : "tensor");
  oyi_strbuf_puts(out, oyi_is_fake(tensor) || oyi_is_meta(t) ? "(..." : "([...]");
  if (t->backend != OY_BACKEND_CPU) {
    char device[64];
    oy_device_print(oyi_tensor_device(t), device, sizeof(device));
    oyi_strbuf_printf(out, ", device='%s'", device);
  }
  oyi_strbuf_puts(out, ", size=(");
  for (size_t i = 0; i < t->ndim; i++)
    oyi_strbuf_printf(out, i ? ", %lld" : "%lld", (long long)t->sizes[i]);
  oyi_strbuf_puts(out, t->ndim == 1 ? ",)" : ")");
  if (t->header.dtype != oy_dtype_default())
    oyi_strbuf_printf(out, ", dtype=torch.%s", oy_dtype_name(t->header.dtype));
  oyi_strbuf_putc(out, ')');
}

static oy_status is_real(const fake_call* c) {
  oyi_strbuf call = OYI_STRBUF_INIT;
  oyi_write_call(&call, c->op, c->arguments, write_tensor);
  oy_status status = oyi_strbuf_status(&call);
  if (status == OY_OK)
    status = OY_FAIL(FAILED_PRECONDITION,
                     "Please convert all Tensors to FakeTensors first or instantiate "
                     "FakeTensorMode with 'allow_non_fake_inputs'. Found in %s",
                     call.data);
  oyi_strbuf_reset(&call);
  return status;
}

static oy_status check_tensor(void* context, oy_object* tensor) {
  fake_call* c = context;
  if (oyi_is_fake(tensor)) {
    OY_CHECK(oy_fake_mode_of(tensor) == c->mode, INVALID_ARGUMENT,
             "Mixing fake modes NYI");
    return OY_OK;
  }
  // Numbers and constants; but what is written would stay as it is.
  bool allowed = c->mode->options.allow_non_fake_inputs ||
                 tensor->flags & OY_OBJECT_WRAPPED_NUMBER || oyi_fake_is_lift(c->schema);
  return allowed && !c->is_written ? OY_OK : is_real(c);
}

static oy_status check_arguments(fake_call* c) {
  for (size_t i = 0; i < c->schema->argument_count; i++) {
    c->is_written = oy_argument_is_mutable(&c->schema->arguments[i]);
    OY_TRY(oyi_each_tensor(c->arguments[i], check_tensor, c));
  }
  return OY_OK;
}

// |tensor| is another class of tensors that handles its own calls.
static oy_status is_strange(void* context, oy_object* tensor) {
  bool* strange = context;
  *strange |= oyi_handled_of(tensor) && !oyi_is_fake(tensor);
  return OY_OK;
}

static bool has_strangers(const oy_value* arguments, size_t count) {
  bool strange = false;
  for (size_t i = 0; i < count; i++)
    (void)!oyi_each_tensor(arguments[i], is_strange, &strange);
  return strange;
}

// ------------------------------------------------------------------- going down

static oyi_tensor* plain_of(fake_call* c, oy_object* tensor) {
  oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return NULL;
  if (!oyi_grow(&c->pairs, &c->capacity, c->size + 1, sizeof(*c->pairs))) return NULL;
  oyi_tensor* plain = oyi_fake_plain(t);
  if (plain) c->pairs[c->size++] = (pair){t, plain, c->is_written};
  return plain;
}

static oy_status go_down_list(fake_call* c, oy_value list, oy_value* out) {
  oy_tag tag = (oy_tag)list.tag;
  OY_TRY(oy_value_new_list(tag, list.count, out));
  for (size_t i = 0; i < list.count; i++) {
    oy_value element =
        tag == OY_TAG_LIST ? list.as.values[i] : oy_value_tensor(list.as.tensors[i]);
    if (element.tag == OY_TAG_TENSOR) {
      oyi_tensor* plain = plain_of(c, element.as.object);
      if (!plain) return oy_failure();
      element = oy_value_tensor(oy_tensor_retain(&plain->header));
      element.owned = 1;
    } else if (tag == OY_TAG_LIST) {
      OY_TRY(oy_value_copy(element, &element));
    }
    if (tag == OY_TAG_LIST)
      ((oy_value*)(uintptr_t)out->as.bits)[i] = element;
    else
      ((oy_object**)(uintptr_t)out->as.bits)[i] = oy_value_to_tensor(element);
  }
  return OY_OK;
}

static bool is_device(const oy_type* type) {
  return type->kind == OY_TYPE_DEVICE ||
         (type->kind == OY_TYPE_OPTIONAL && type->element->kind == OY_TYPE_DEVICE);
}

// |argument| as it is below, in *out, which the caller releases on failure, too.
static oy_status go_down(fake_call* c, size_t i, oy_value* out) {
  oy_value v = c->arguments[i];
  c->is_written = oy_argument_is_mutable(&c->schema->arguments[i]);
  *out = v;
  out->owned = 0;
  if (is_device(c->schema->arguments[i].type)) {
    if (v.tag == OY_TAG_DEVICE) c->device = v.as.device;
    *out = oy_value_device(oy_device_meta());
  } else if (v.tag == OY_TAG_TENSOR) {
    oyi_tensor* plain = plain_of(c, v.as.object);
    if (!plain) return oy_failure();
    *out = oy_value_tensor(&plain->header);
  } else if (v.tag == OY_TAG_TENSOR_LIST || v.tag == OY_TAG_LIST) {
    *out = oy_none();
    return go_down_list(c, v, out);
  }
  return OY_OK;
}

// ----------------------------------------------------------------- coming back

// NULL for what the call made: nobody else holds that.
static oyi_tensor* given_for(const fake_call* c, const oy_object* plain) {
  if (__atomic_load_n(&plain->references, __ATOMIC_ACQUIRE) == 1) return NULL;
  for (size_t i = 0; i < c->size; i++)
    if (&c->pairs[i].plain->header == plain) return c->pairs[i].given;
  return NULL;
}

// |*tensor| is owned and stays so.
static oy_status come_back(const fake_call* c, oy_object** tensor) {
  oyi_tensor* given = given_for(c, *tensor);
  oyi_tensor* t = oyi_tensor_of(*tensor);
  if (!t) return oy_failure();
  if (given && oyi_is_fake(&given->header)) {
    oy_tensor_retain(&given->header);
    oy_tensor_release(*tensor);
    *tensor = &given->header;
    return OY_OK;
  }
  if (oyi_is_fake(*tensor)) return OY_OK;  // a second time among the results
  if (oyi_is_meta(t)) return oyi_fake_mark(c->mode, t, c->device);
  // Made by a kernel that asks for no device.
  oy_tensor* fake = oy_fake_from(c->mode, *tensor);
  if (!fake) return oy_failure();
  oy_tensor_release(*tensor);
  *tensor = fake;
  return OY_OK;
}

static oy_status come_back_value(const fake_call* c, oy_value* v) {
  if (v->tag == OY_TAG_TENSOR) return come_back(c, &v->as.object);
  if (v->tag == OY_TAG_TENSOR_LIST) {
    oy_object** tensors = (oy_object**)(uintptr_t)v->as.bits;
    for (size_t i = 0; i < v->count; i++)
      if (!oy_object_is_none(tensors[i])) OY_TRY(come_back(c, &tensors[i]));
  }
  return OY_OK;
}

// What the call did to the shape of its arguments, by resize_, t_ or set_, holds for them.
static oy_status take_shape(oyi_tensor* t, oyi_tensor* plain) {
  oy_ints sizes = oyi_sizes_view(plain), strides = oyi_strides_view(plain);
  if (plain->storage != t->storage) {
    plain->backend = t->backend;  // a storage of Meta, as that of |t|
    return oy_tensor_set_source(&t->header, &plain->header, plain->offset, sizes,
                                strides);
  }
  if (t->offset == plain->offset && oyi_same_sizes(oyi_sizes_view(t), sizes) &&
      oyi_same_sizes(oyi_strides_view(t), strides))
    return OY_OK;
  return oyi_tensor_reshape(t, sizes, strides, plain->offset);
}
static oy_status take_shapes(const fake_call* c) {
  for (size_t i = 0; i < c->size; i++)
    if (c->pairs[i].is_written) OY_TRY(take_shape(c->pairs[i].given, c->pairs[i].plain));
  return OY_OK;
}

// -------------------------------------------------------------------- the call

static oy_status run_plain(fake_call* c, oy_stack* below) {
  for (size_t i = 0; i < c->schema->argument_count; i++) {
    oy_value v;
    oy_status status = go_down(c, i, &v);
    if (status != OY_OK) {
      oy_value_release(&v);
      return status;
    }
    OY_TRY(oy_stack_push(below, v));
  }
  oy_guard guard = oy_guard_without_handlers();
  oy_status status = oy_op_call_boxed(c->op, below);
  oy_guard_end(&guard);
  for (size_t i = 0; status == OY_OK && i < below->size; i++)
    status = come_back_value(c, &below->data[i]);
  return status == OY_OK ? take_shapes(c) : status;
}

static oy_status run(fake_call* c, oy_stack* stack) {
  oy_value storage[16];
  oy_stack below;
  oy_stack_init(&below, storage, OY_ARRAY_SIZE(storage));
  oy_status status = run_plain(c, &below);
  if (status == OY_OK)
    status = oyi_stack_replace(stack, c->schema->argument_count, &below);
  oy_stack_reset(&below);
  return status;
}

// PyTorch runs an operator without a Meta kernel if there is nothing to compute: it writes to
// its arguments and gives nothing.
static oy_status run_without_kernel(const fake_call* c, oy_stack* stack) {
  if (c->schema->return_count > 0 || !oy_schema_is_mutable(c->schema)) {
    oy_status status = oyi_fake_refuse("UnsupportedOperatorException", c->op);
    oy_error_note("it has no kernel for Meta, which is where fake tensors are computed");
    return status;
  }
  oy_stack_drop(stack, c->schema->argument_count);
  return OY_OK;
}

oy_status oyi_fake_handle(oy_handler_call* call) {
  fake_call c = {.mode = call->data,
                 .op = call->op,
                 .schema = oy_op_schema(call->op),
                 .arguments = oy_handler_arguments(call),
                 .device = oy_device_cpu()};
  if (!c.schema) return oy_failure();
  call->not_implemented = has_strangers(c.arguments, c.schema->argument_count);
  if (call->not_implemented) return OY_OK;
  OY_TRY(check_arguments(&c));
  OY_TRY(oyi_fake_check_data(c.op, c.schema, c.arguments));
  OY_TRY(oyi_fake_common_device(c.op, c.schema, c.arguments, &c.device));
  if (!oyi_has_meta_kernel(c.op)) return run_without_kernel(&c, call->stack);
  oy_status status = run(&c, call->stack);
  for (size_t i = 0; i < c.size; i++) oy_tensor_release(&c.pairs[i].plain->header);
  oyi_free(c.pairs);
  return status;
}

oy_status oyi_fake_fallback(const oy_op* op, oy_keyset keys, oy_stack* stack,
                            const oy_kernel* kernel) {
  (void)kernel;
  if (keys.functionality & 1ull << OY_KEY_Python) {
    keys = oy_keyset_and(keys, oy_keyset_full_after(OY_KEY_Fake));
    return oy_op_redispatch_boxed(op, keys, stack);
  }
  oy_stack_drop(stack, op->argument_count);
  return OY_FAIL(
      FAILED_PRECONDITION,
      "%.*s: expected tensors with data, got fake tensors or wrappers while handlers are "
      "off",
      OY_STR_ARG(oy_op_name_of(op)));
}
