// SPDX-License-Identifier: Apache-2.0
// One call of an operator: its arguments, and whether what came of it is right. A call
// gives results of the types of the schema, or an error and nothing; either way what it
// does not write to is as it was.
#include <stdio.h>
#include <string.h>

#include "hostile.h"

uint64_t hostile_random(hostile_call* c) {
  uint64_t z = c->random += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

bool hostile_is_wild(hostile_call* c) {
  switch (c->style) {
    case HOSTILE_WILD: return hostile_chance(c, 60);
    case HOSTILE_MIXED: return hostile_chance(c, 10);
    default: return false;
  }
}

// ----------------------------------------------------------------------- snapshots

static uint64_t hash_data(const oyi_storage* s) {
  uint64_t hash = 14695981039346656037u;
  const unsigned char* at = s ? s->data : NULL;
  for (size_t i = 0; at && i < s->nbytes; i++) hash = (hash ^ at[i]) * 1099511628211u;
  return hash;
}

static void take_snapshot(hostile_snapshot* s, oy_object* tensor, bool written) {
  oyi_tensor* t = oyi_tensor_cast(tensor);
  s->tensor = t;
  s->written = written;
  s->dtype = tensor->dtype;
  s->keys = tensor->keys;
  s->ndim = t->ndim;
  memcpy(s->sizes, t->sizes, t->ndim * sizeof(int64_t));
  memcpy(s->strides, oyi_strides(t), t->ndim * sizeof(int64_t));
  s->offset = t->offset;
  s->version = oyi_version(t);
  s->storage = t->storage;
  s->nbytes = t->storage ? t->storage->nbytes : 0;
  s->hash = hash_data(t->storage);
}

static bool same_dims(const int64_t* a, const int64_t* b, size_t n) {
  return memcmp(a, b, n * sizeof(int64_t)) == 0;
}

static const char* difference_of_shape(const hostile_snapshot* s) {
  const oyi_tensor* t = s->tensor;
  if (t->header.dtype != s->dtype) return "the dtype of an argument changed";
  if (!oy_keyset_equal(t->header.keys, s->keys)) return "the keys of an argument changed";
  if (t->ndim != s->ndim || !same_dims(t->sizes, s->sizes, s->ndim))
    return "the shape of an argument changed";
  if (!same_dims(oyi_strides(t), s->strides, s->ndim))
    return "the strides of an argument changed";
  if (t->offset != s->offset) return "the offset of an argument changed";
  return t->storage != s->storage ? "the storage of an argument changed" : NULL;
}

static const char* difference_of_data(const hostile_snapshot* s) {
  if (oyi_version(s->tensor) != s->version) return "the version of an argument changed";
  if (s->storage && s->storage->nbytes != s->nbytes)
    return "the size of the storage of an argument changed";
  return hash_data(s->storage) != s->hash ? "the data of an argument changed" : NULL;
}

// Whether the call may write to what |s| lies on.
static bool shares_written(const hostile_call* c, const hostile_snapshot* s) {
  for (size_t i = 0; i < c->tensor_count; i++) {
    const hostile_snapshot* w = &c->before[i];
    if (w->written &&
        (w->tensor == s->tensor || (w->storage && w->storage == s->storage)))
      return true;
  }
  return false;
}

static bool is_written(const hostile_call* c, const hostile_snapshot* s) {
  for (size_t i = 0; i < c->tensor_count; i++)
    if (c->before[i].written && c->before[i].tensor == s->tensor) return true;
  return false;
}

// PyTorch's schemas do not say that these write the running statistics.
static bool writes_more_than_it_says(const hostile_call* c) {
  static const char* const names[] = {"aten::native_batch_norm", "aten::batch_norm",
                                      "aten::native_batch_norm.out",
                                      "aten::instance_norm"};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
    if (oy_str_equal(oy_op_name_of(c->op), oy_str_of(names[i]))) return true;
  return false;
}

// What is written to may have another shape also when the call fails later, as in
// PyTorch; but it is whole, and unless it was written to its version is as before.
static const char* check_arguments(const hostile_call* c) {
  for (size_t i = 0; i < c->tensor_count; i++) {
    const hostile_snapshot* s = &c->before[i];
    const char* wrong = hostile_tensor_check(&s->tensor->header);
    if (!wrong && !is_written(c, s)) wrong = difference_of_shape(s);
    if (!wrong && !shares_written(c, s) && !writes_more_than_it_says(c))
      wrong = difference_of_data(s);
    if (wrong) return wrong;
  }
  return NULL;
}

// ------------------------------------------------------------------------- results

const char* hostile_tensor_check(const oy_object* tensor) {
  if (!oyi_is_tensor(tensor)) return "a result is no tensor";
  const oyi_tensor* t = oyi_tensor_cast(tensor);
  oy_ints sizes = oyi_sizes_view(t), strides = oyi_strides_view(t);
  int64_t numel;
  size_t nbytes, needed, item = (size_t)oyi_item(t);
  if (item == 0) return "a tensor has no such dtype";
  if (tensor->references < 1) return "a tensor has no reference";
  if (oyi_sizes_check(sizes, item, &numel, &nbytes) != OY_OK) return "sizes are wrong";
  if (numel != t->numel) return "the number of elements is wrong";
  if (t->byte_offset != t->offset * (int64_t)item) return "the offset is wrong";
  bool contiguous = oyi_is_contiguous(sizes, strides, numel);
  if (contiguous != ((t->flags & OYI_CONTIGUOUS) != 0)) return "is_contiguous is wrong";
  if (oyi_storage_needed(sizes, strides, t->offset, item, &needed) != OY_OK)
    return "strides are wrong";
  const oyi_storage* s = t->storage;
  if (!s) return NULL;
  if (needed > s->nbytes) return "a tensor reaches beyond its storage";
  if (s->backend == OY_BACKEND_CPU && numel > 0 && !s->data) return "memory is missing";
  if (t->backend == OY_BACKEND_Meta && s->data) return "a Meta tensor has memory";
  (void)hash_data(s);
  return NULL;
}

static const char* check_result(oy_value v, const oy_type* type) {
  switch (type->kind) {
    case OY_TYPE_OPTIONAL:
      return v.tag == OY_TAG_NONE ? NULL : check_result(v, type->element);
    case OY_TYPE_TENSOR:
      // None stands for an undefined tensor.
      if (v.tag == OY_TAG_NONE) return NULL;
      return v.tag == OY_TAG_TENSOR ? hostile_tensor_check(v.as.object)
                                    : "a result is no tensor";
    case OY_TYPE_LIST: {
      if (type->element->kind != OY_TYPE_TENSOR) return NULL;
      if (v.tag != OY_TAG_TENSOR_LIST) return "a result is no list of tensors";
      const char* wrong = NULL;
      for (size_t i = 0; i < v.count && !wrong; i++)
        wrong = hostile_tensor_check(v.as.tensors[i]);
      return wrong;
    }
    case OY_TYPE_INT:
    case OY_TYPE_SYMINT:
    case OY_TYPE_SCALAR_TYPE: return v.tag == OY_TAG_INT ? NULL : "a result is no int";
    case OY_TYPE_BOOL: return v.tag == OY_TAG_BOOL ? NULL : "a result is no bool";
    case OY_TYPE_FLOAT: return v.tag == OY_TAG_FLOAT ? NULL : "a result is no float";
    case OY_TYPE_SCALAR: return v.tag == OY_TAG_NONE ? "a result is no number" : NULL;
    default: return NULL;
  }
}

static const char* check_results(const hostile_call* c, const oy_stack* stack) {
  const oy_schema* s = c->schema;
  if (stack->size != s->return_count) return "the number of results is wrong";
  for (size_t i = 0; i < s->return_count; i++) {
    oy_value v = stack->data[i];
    const char* wrong = check_result(v, s->returns[i].type);
    if (wrong) return wrong;
    int argument = oy_schema_return_argument(s, i);
    if (argument < 0 || v.tag != OY_TAG_TENSOR) continue;
    if (v.as.object != c->arguments[argument].as.object)
      return "a result is not the argument that was written";
  }
  return NULL;
}

const char* hostile_call_check(hostile_call* c, oy_status status, const oy_stack* stack) {
  const oy_error* e = oy_error_get();
  if (status != OY_OK) {
    if (stack->size != 0) return "a failure left something on the stack";
    if (e->code != status) return "the pending error is another one";
    if (!e->message[0]) return "the error says nothing";
    if (e->code == OY_INTERNAL) return "an internal error";
  } else {
    if (e->code != OY_OK) return "it went well and left an error";
    const char* wrong = check_results(c, stack);
    if (wrong) return wrong;
  }
  const char* wrong = check_arguments(c);
  if (!wrong && !hostile_memory_is_whole()) wrong = "memory beside a tensor was written";
  return wrong;
}

// --------------------------------------------------------------------------- calls

static uint64_t hash_name(oy_str name) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < name.size; i++)
    hash = (hash ^ (unsigned char)name.data[i]) * 1099511628211u;
  return hash;
}

void hostile_call_make(hostile_call* c, const oy_op* op, hostile_style style,
                       uint64_t number) {
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_I64,
                                    OY_DTYPE_C64, OY_DTYPE_F32, OY_DTYPE_BOOL,
                                    OY_DTYPE_F16, OY_DTYPE_U8};
  c->op = op;
  c->schema = oy_op_schema(op);
  c->style = style;
  c->number = number;
  // Those that fit begin alike on both devices.
  uint64_t kind = style == HOSTILE_META ? HOSTILE_FITTING : style;
  c->random = hash_name(oy_op_name_of(op)) + number * 4 + kind;
  c->tensor_count = 0;
  c->used = 0;
  c->dtype = dtypes[hostile_below(c, 8)];
  c->rank = (size_t)hostile_below(c, 5);
  c->extent = 1 + hostile_below(c, 3);
  if (style == HOSTILE_STEP && c->rank <= 2 && hostile_chance(c, 40))
    c->extent = 1 + hostile_below(c, c->rank == 2 ? 12 : 70);
  c->unchecked = style == HOSTILE_WILD && hostile_chance(c, 30);
  for (size_t i = 0; i < c->schema->argument_count; i++)
    c->arguments[i] = hostile_value(c, &c->schema->arguments[i]);
  oy_error_clear();
}

oy_status hostile_call_run(hostile_call* c, oy_stack* stack) {
  size_t n = c->schema->argument_count;
  for (size_t i = 0; i < c->tensor_count; i++)
    take_snapshot(&c->before[i], c->tensors[i], c->written[i]);
  for (size_t i = 0; i < n; i++) OY_TRY(oy_stack_push(stack, c->arguments[i]));
  if (!c->unchecked) OY_TRY(oy_op_push_defaults(c->op, stack, n, NULL, 0));
  return oy_op_call_boxed(c->op, stack);
}

void hostile_call_end(hostile_call* c) {
  for (size_t i = 0; i < c->tensor_count; i++) oy_tensor_release(c->tensors[i]);
  c->tensor_count = 0;
  oy_error_clear();
}
