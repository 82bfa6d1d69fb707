// SPDX-License-Identifier: Apache-2.0
// A call made up from a schema, made for real: its arguments on a device, the call, and what
// came of it as bytes.
#include "certify.h"

// --------------------------------------------------------------------------- bytes

static void put(certify_outcome* o, const void* data, size_t size) {
  oyi_strbuf_append(&o->bytes, data, size);
}
static void put_int(certify_outcome* o, int64_t i) {
  put(o, &i, sizeof(i));
}

// The elements as they are shown, which memory need not have.
static oy_tensor* as_shown(oy_tensor* tensor) {
  const uint64_t lazy =
      1ull << OY_KEY_Conjugate | 1ull << OY_KEY_Negative | 1ull << OY_KEY_ZeroTensor;
  bool is_lazy = tensor->keys.functionality & lazy;
  oy_tensor* shown = is_lazy ? oy_clone(tensor, oy_none()) : oy_tensor_retain(tensor);
  oy_tensor* plain =
      shown ? oy_tensor_copy_to(shown, OY_DTYPE_ANY, oy_device_cpu()) : NULL;
  oy_tensor_release(shown);
  return plain;
}

// Elements in order, whatever the strides are.
static oy_status put_tensor(certify_outcome* o, oy_tensor* tensor) {
  oy_tensor* plain = as_shown(tensor);
  if (!plain) return oy_failure();
  const oy_ints sizes = oy_tensor_sizes(tensor), strides = oy_tensor_strides(tensor);
  const uint8_t head[3] = {OY_TAG_TENSOR, tensor->dtype, (uint8_t)sizes.size};
  put(o, head, sizeof(head));
  put(o, sizes.data, sizes.size * sizeof(int64_t));
  put(o, strides.data, sizes.size * sizeof(int64_t));
  put(o, oy_tensor_data(plain),
      (size_t)oy_tensor_numel(plain) * oy_dtype_size(plain->dtype));
  oy_tensor_release(plain);
  return OY_OK;
}

static void put_number(certify_outcome* o, oy_value v) {
  uint8_t tag = v.tag;
  double number[2] = {0, 0};
  if (v.tag == OY_TAG_COMPLEX)
    memcpy(number, v.as.complex_data, sizeof(number));
  else
    memcpy(number, &v.as, sizeof(number[0]));
  put(o, &tag, 1);
  put(o, number, sizeof(number));
}

static oy_status put_value(certify_outcome* o, uint32_t* count, oy_value v) {
  switch (v.tag) {
    case OY_TAG_TENSOR: ++*count; return put_tensor(o, v.as.object);
    case OY_TAG_TENSOR_LIST:
      for (size_t i = 0; i < v.count; i++)
        OY_TRY(put_value(o, count, oy_value_tensor(v.as.tensors[i])));
      return OY_OK;
    case OY_TAG_INT:
    case OY_TAG_FLOAT:
    case OY_TAG_BOOL:
    case OY_TAG_COMPLEX:
      ++*count;
      put_number(o, v);
      return OY_OK;
    default:
      ++*count;
      put_number(o, oy_none());
      return OY_OK;
  }
}

void certify_outcome_reset(certify_outcome* outcome) {
  oyi_strbuf_reset(&outcome->bytes);
}

// The head: status, length of the text, text, values.
oy_status certify_outcome_status(const certify_outcome* outcome) {
  int64_t status = OY_INTERNAL;
  if (outcome->bytes.size >= sizeof(status))
    memcpy(&status, outcome->bytes.data, sizeof(status));
  return (oy_status)status;
}

oy_str certify_outcome_error(const certify_outcome* outcome) {
  int64_t size = 0;
  if (outcome->bytes.size < 2 * sizeof(size)) return (oy_str){"", 0};
  memcpy(&size, outcome->bytes.data + sizeof(size), sizeof(size));
  return (oy_str){outcome->bytes.data + 2 * sizeof(size), (size_t)size};
}

// ----------------------------------------------------------------------- arguments

// The tensors of a call on the device it is made on.
typedef struct copies {
  const certify_sample* sample;
  oy_device device;
  oy_tensor* views[CERTIFY_TENSORS];
  size_t count;
} copies;

static oy_status copy_tensor(copies* c, const certify_tensor* t, oy_device device,
                             bool with_gradient) {
  oy_tensor* base = oy_tensor_copy_to(t->base, OY_DTYPE_ANY, device);
  oy_tensor* view =
      oy_tensor_as_strided(base, oy_tensor_sizes(t->view), oy_tensor_strides(t->view),
                           oy_tensor_storage_offset(t->view));
  oy_tensor_release(base);
  if (!view) return oy_failure();
  c->views[c->count++] = view;
  const bool can = oy_dtype_is_floating(view->dtype) || oy_dtype_is_complex(view->dtype);
  if (with_gradient && can && !t->is_written && !oy_requires_grad_(view, true))
    return oy_failure();
  return OY_OK;
}

static void copies_end(copies* c) {
  for (size_t i = 0; i < c->count; i++) oy_tensor_release(c->views[i]);
}

static oy_object* copied(const copies* c, oy_object* view) {
  for (size_t i = 0; i < c->count; i++)
    if (c->sample->tensors[i].view == view) return c->views[i];
  return view;
}

static oy_status push_argument(const copies* c, oy_value v, oy_stack* stack) {
  if (v.tag == OY_TAG_TENSOR) v = oy_value_tensor(copied(c, v.as.object));
  if (v.tag == OY_TAG_DEVICE) v = oy_value_device(c->device);
  if (v.tag != OY_TAG_TENSOR_LIST) return oy_stack_push(stack, v);
  oy_value list;
  OY_TRY(oy_value_new_list(OY_TAG_TENSOR_LIST, v.count, &list));
  for (size_t i = 0; i < v.count; i++)
    ((oy_object**)(uintptr_t)list.as.bits)[i] =
        oy_tensor_retain(copied(c, v.as.tensors[i]));
  return oy_stack_push(stack, list);
}

static oy_status call(const copies* c, oy_stack* stack) {
  const certify_sample* s = c->sample;
  for (size_t i = 0; i < s->schema->argument_count; i++)
    OY_TRY(push_argument(c, s->arguments[i], stack));
  OY_TRY(oy_op_push_defaults(s->op, stack, s->schema->argument_count, NULL, 0));
  oy_manual_seed(s->number);
  return oy_op_call_boxed(s->op, stack);
}

// ------------------------------------------------------------------------ gradients

// Of all results together: the first one that has a history, with ones.
static oy_status walk_back(const oy_stack* stack) {
  for (size_t i = 0; i < stack->size; i++) {
    const oy_value v = stack->data[i];
    if (v.tag != OY_TAG_TENSOR || !oy_requires_grad(v.as.object)) continue;
    oy_tensor* ones =
        oy_ones_like(v.as.object, oy_none(), oy_none(), oy_none(), oy_none(), oy_none());
    if (!ones) return oy_failure();
    oy_status status = oy_backward(v.as.object, ones, false);
    oy_tensor_release(ones);
    return status;
  }
  return OY_OK;
}

static oy_status put_gradients(const copies* c, certify_outcome* o, uint32_t* count) {
  for (size_t i = 0; i < c->count; i++) {
    if (!oy_requires_grad(c->views[i])) continue;
    oy_tensor* grad = oy_grad(c->views[i]);
    oy_error_clear();
    OY_TRY(put_value(o, count, oy_value_tensor(grad ? grad : &oy_none_object)));
  }
  return OY_OK;
}

// ----------------------------------------------------------------------------- runs

static oy_status put_all(const copies* c, const oy_stack* stack, certify_outcome* o,
                         uint32_t* count, bool with_gradients) {
  for (size_t i = 0; i < stack->size; i++) OY_TRY(put_value(o, count, stack->data[i]));
  for (size_t i = 0; i < c->count; i++)
    if (c->sample->tensors[i].is_written)
      OY_TRY(put_value(o, count, oy_value_tensor(c->views[i])));
  return with_gradients ? put_gradients(c, o, count) : OY_OK;
}

// PyTorch takes these from the CPU alone: "tensor_split expected tensor_indices_or_sections
// to be on cpu, but it's on cuda", "'lengths' argument should be a 1D CPU int64 tensor",
// "Expected scalars to be on CPU, got cuda:0 instead.".
// The sizes of batches that are packed are a tensor of the CPU as a result, too.
static bool is_of_cpu(const oy_schema* schema, oy_str name) {
  const bool packs = oy_str_equal(schema->name.base, oy_str_of("_pack_padded_sequence"));
  return oy_str_equal(name, oy_str_of("tensor_indices_or_sections")) ||
         oy_str_equal(name, oy_str_of("batch_sizes")) ||
         oy_str_equal(name, oy_str_of("scalars")) ||
         (packs && (oy_str_equal(name, oy_str_of("lengths")) ||
                    oy_str_equal(name, oy_str_of("out1"))));
}

static bool stays_here(const certify_sample* s, const certify_tensor* t) {
  for (size_t i = 0; i < s->schema->argument_count; i++)
    if (s->arguments[i].tag == OY_TAG_TENSOR && s->arguments[i].as.object == t->view &&
        is_of_cpu(s->schema, s->schema->arguments[i].name))
      return true;
  return false;
}

static oy_status run_on(copies* c, const certify_run* run, certify_outcome* values,
                        uint32_t* count) {
  for (size_t i = 0; i < c->sample->tensor_count; i++) {
    const certify_tensor* t = &c->sample->tensors[i];
    const bool here = run->apart == i + 1 || stays_here(c->sample, t);
    OY_TRY(copy_tensor(c, t, here ? oy_device_cpu() : run->device, run->with_gradients));
  }
  oy_value storage[CERTIFY_ARGUMENTS];
  oy_stack stack;
  oy_stack_init(&stack, storage, CERTIFY_ARGUMENTS);
  oy_status status = call(c, &stack);
  if (status == OY_OK && run->with_gradients) status = walk_back(&stack);
  if (status == OY_OK) status = put_all(c, &stack, values, count, run->with_gradients);
  oy_stack_reset(&stack);
  return status;
}

oy_status certify_sample_run(const certify_sample* s, const certify_run* run,
                             certify_outcome* out_outcome) {
  copies c = {.sample = s, .device = run->device};
  certify_outcome values = {OYI_STRBUF_INIT};
  uint32_t count = 0;
  out_outcome->bytes = (oyi_strbuf)OYI_STRBUF_INIT;
  oy_error_clear();
  const oy_status status = run_on(&c, run, &values, &count);
  const char* message = status == OY_OK ? "" : oy_error_get()->message;
  put_int(out_outcome, status);
  put_int(out_outcome, (int64_t)strlen(message));
  put(out_outcome, message, strlen(message));
  put_int(out_outcome, status == OY_OK ? count : 0);
  if (status == OY_OK) put(out_outcome, values.bytes.data, values.bytes.size);
  certify_outcome_reset(&values);
  copies_end(&c);
  oy_error_clear();
  return oyi_strbuf_status(&out_outcome->bytes);
}
