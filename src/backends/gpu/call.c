// SPDX-License-Identifier: Apache-2.0
#include "call.h"
#include "driver.h"

#include "opyard/fallback.h"
#include "text.h"

oy_backend gpu_backend;

// --------------------------------------------------------------------- the device

static oy_status check_device(gpu_call* c, oy_object* t, bool is_listed) {
  oy_device d = oy_tensor_device(t);
  char first[32], second[32];
  if (d.backend != (int16_t)gpu_backend) {
    // A number that was made a tensor, and the like.
    if (d.backend == OY_BACKEND_CPU && oy_tensor_ndim(t) == 0) return OY_OK;
    // Indices come in a list, and are brought here.
    if (d.backend == OY_BACKEND_CPU && (c->row->flags & GPU_ROW_CPU_INDEX) && is_listed &&
        oy_dtype_is_integral(t->dtype, true))
      return OY_OK;
  } else if (!c->device) {
    c->where = d;
    return gpu_device_get(d.index, &c->device);
  } else if (oy_device_equal(d, c->where)) {
    return OY_OK;
  }
  oy_device_print(c->where, first, sizeof(first));
  oy_device_print(d, second, sizeof(second));
  return OY_FAIL(INVALID_ARGUMENT,
                 "Expected all tensors to be on the same device, but found at least two "
                 "devices, %s and %s!",
                 first, second);
}

static oy_status each_tensor(gpu_call* c, bool here,
                             oy_status (*visit)(gpu_call* c, oy_object* t,
                                                bool is_listed)) {
  for (size_t i = 0; i < c->arg_count; i++) {
    oy_value v = c->args[i];
    size_t count = v.tag == OY_TAG_TENSOR_LIST ? v.count : gpu_is_tensor(v) ? 1 : 0;
    oy_object* const* list = v.tag == OY_TAG_TENSOR_LIST ? v.as.tensors : &v.as.object;
    for (size_t k = 0; k < count; k++)
      if (!oy_object_is_none(list[k]) && gpu_is_here(list[k]) == here)
        OY_TRY(visit(c, list[k], v.tag == OY_TAG_TENSOR_LIST));
  }
  return OY_OK;
}

static oy_status take_device(gpu_call* c, oy_object* t, bool is_listed) {
  (void)is_listed;
  if (c->device) return OY_OK;
  c->where = oy_tensor_device(t);
  return gpu_device_get(c->where.index, &c->device);
}

// Those of this backend first, so that they say which device it is.
static oy_status find_device(gpu_call* c) {
  bool bare = c->row->flags & GPU_ROW_BARE;
  OY_TRY(each_tensor(c, true, bare ? take_device : check_device));
  OY_CHECK(c->device, INTERNAL, "a kernel of %s was called without a tensor of it",
           gpu_driver_title);
  return bare ? OY_OK : each_tensor(c, false, check_device);
}

// --------------------------------------------------------------------- stand-ins

typedef struct stand_ins {
  oy_object* original[GPU_LIST];
  oy_tensor* made[GPU_LIST];
  size_t count;
} stand_ins;

// One that lies in the memory of |like|, which stands for an alias of |t|; or in its own.
static oy_tensor* strided_stand_in(oy_object* t, const oy_tensor* like) {
  oy_tensor* made = oy_tensor_empty(OY_DIMS(0), t->dtype, oy_device_meta());
  if (!made) return NULL;
  if (oy_tensor_set_source(made, like ? like : made, oy_tensor_storage_offset(t),
                           oy_tensor_sizes(t), oy_tensor_strides(t)) == OY_OK)
    return made;
  oy_tensor_release(made);
  return NULL;
}

static oy_tensor* stand_in_for(stand_ins* s, oy_object* t) {
  const oy_tensor* like = NULL;
  for (size_t i = 0; i < s->count; i++) {
    if (s->original[i] == t) return s->made[i];
    if (oy_tensor_is_alias_of(s->original[i], t) && s->original[i]->dtype == t->dtype)
      like = s->made[i];
  }
  if (s->count == GPU_LIST) {
    OY_FAIL(EXHAUSTED, "expected at most %d tensors in a call, got more", GPU_LIST);
    return NULL;
  }
  bool plain = !like && oy_tensor_is_contiguous(t, OY_MEMORY_CONTIGUOUS) &&
               oy_tensor_storage_offset(t) == 0;
  oy_tensor* made = plain
                        ? oy_tensor_empty(oy_tensor_sizes(t), t->dtype, oy_device_meta())
                        : strided_stand_in(t, like);
  if (!made) return NULL;
  s->original[s->count] = t;
  s->made[s->count++] = made;
  return made;
}

// Tensors of the CPU stay: numbers, whose values and kinds count.
static oy_object* seen_as(stand_ins* s, oy_object* t, bool index_too) {
  if (oy_object_is_none(t)) return t;
  if (!gpu_is_here(t) && !(index_too && oy_tensor_ndim(t) > 0)) return t;
  return stand_in_for(s, t);
}

static oy_status push_list(stand_ins* s, oy_stack* stack, oy_value v, bool index_too) {
  oy_value list;
  OY_TRY(oy_value_new_list(OY_TAG_TENSOR_LIST, v.count, &list));
  oy_object** to = (oy_object**)(uintptr_t)list.as.tensors;
  for (size_t i = 0; i < v.count; i++) {
    oy_object* t = seen_as(s, v.as.tensors[i], index_too);
    if (!t) {
      oy_value_release(&list);
      return oy_failure();
    }
    oy_object_retain(t);
    to[i] = t;
  }
  return oy_stack_push(stack, list);
}

static oy_status push_stand_ins(gpu_call* c, stand_ins* s, oy_stack* stack) {
  bool index_too = c->row->flags & GPU_ROW_CPU_INDEX;
  for (size_t i = 0; i < c->arg_count; i++) {
    oy_value v = c->args[i];
    if (v.tag == OY_TAG_TENSOR_LIST) {
      OY_TRY(push_list(s, stack, v, index_too));
      continue;
    }
    if (gpu_is_tensor(v)) {
      oy_object* t = seen_as(s, v.as.object, index_too);
      if (!t) return oy_failure();
      v = oy_value_tensor(t);
    }
    v.owned = 0;
    OY_TRY(oy_stack_push(stack, v));
  }
  return OY_OK;
}

// --------------------------------------------------------------------- results

static bool same_ints(oy_ints a, oy_ints b) {
  return a.size == b.size && (a.size == 0 || !memcmp(a.data, b.data, 8 * a.size));
}

// Gives an argument that is written to the shape that its stand-in was given.
static oy_status follow(oy_tensor* t, const oy_tensor* stand_in) {
  oy_ints sizes = oy_tensor_sizes(stand_in), strides = oy_tensor_strides(stand_in);
  if (same_ints(oy_tensor_sizes(t), sizes)) return OY_OK;
  OY_TRY(oy_tensor_resize(t, sizes));
  if (same_ints(oy_tensor_strides(t), strides)) return OY_OK;
  return oy_tensor_set_source(t, t, oy_tensor_storage_offset(t), sizes, strides);
}

static oy_tensor* made_like(const gpu_call* c, const oy_tensor* shape) {
  oy_ints sizes = oy_tensor_sizes(shape);
  if (oy_tensor_is_contiguous(shape, OY_MEMORY_CONTIGUOUS))
    return oy_tensor_empty(sizes, shape->dtype, c->where);
  oy_tensor* made = oy_tensor_empty(OY_DIMS(0), shape->dtype, c->where);
  if (!made ||
      oy_tensor_set_source(made, made, 0, sizes, oy_tensor_strides(shape)) == OY_OK)
    return made;
  oy_tensor_release(made);
  return NULL;
}

static oy_status settle_result(gpu_call* c, const stand_ins* s, oy_value answer) {
  oy_tensor** out = &c->out[c->out_count];
  OY_CHECK(c->out_count < GPU_RESULTS, INTERNAL, "an operator has too many results");
  c->out_count++;
  *out = NULL;
  if (answer.tag == OY_TAG_NONE) return OY_OK;
  OY_CHECK(gpu_is_tensor(answer), INTERNAL,
           "expected a tensor from a Meta kernel, got %s", oy_value_type_name(answer));
  for (size_t i = 0; i < s->count; i++)
    if (s->made[i] == answer.as.object) {
      OY_TRY(follow(s->original[i], s->made[i]));
      *out = oy_tensor_retain(s->original[i]);
      return OY_OK;
    }
  *out = made_like(c, answer.as.object);
  return *out ? OY_OK : oy_failure();
}

oy_status gpu_call_infer(gpu_call* c) {
  oy_value storage[GPU_CALL_ARGS];
  oy_stack stack;
  stand_ins s;
  s.count = 0;
  oy_stack_init(&stack, storage, GPU_CALL_ARGS);
  oy_status status = push_stand_ins(c, &s, &stack);
  if (status == OY_OK)
    status = oy_op_redispatch_boxed(c->op, oy_keyset_of(OY_KEY_Meta), &stack);
  for (size_t i = 0; status == OY_OK && i < stack.size; i++)
    status = settle_result(c, &s, stack.data[i]);
  oy_stack_reset(&stack);
  for (size_t i = 0; i < s.count; i++) oy_tensor_release(s.made[i]);
  return status;
}

// --------------------------------------------------------------------- the kernel

static oy_status note_unknown(gpu_call* c, oy_object* t, bool is_listed) {
  (void)is_listed;
  if (!gpu_tag_name(t->dtype)) c->is_foreign = true;
  return OY_OK;
}

// Dtypes that kernels do not know, complex numbers, and what the row does not take, are the
// CPU's.
static bool is_for_cpu(gpu_call* c) {
  if (c->row->flags & GPU_ROW_BARE) return false;
  for (size_t i = 0; i < c->arg_count; i++)
    c->is_foreign = c->is_foreign || c->args[i].tag == OY_TAG_COMPLEX;
  (void)each_tensor(c, true, note_unknown);
  (void)each_tensor(c, false, note_unknown);
  return c->is_foreign || (c->row->takes && !c->row->takes(c));
}

// Whether a result is of a dtype that kernels do not know, which an argument asked for:
// nothing was computed, and the call is the CPU's.
static bool gives_foreign(gpu_call* c) {
  bool is_foreign = false;
  for (size_t i = 0; i < c->out_count; i++)
    is_foreign = is_foreign || (c->out[i] && !gpu_tag_name(c->out[i]->dtype));
  if (!is_foreign) return false;
  for (size_t i = 0; i < c->out_count; i++) oy_tensor_release(c->out[i]);
  c->out_count = 0;
  return true;
}

oy_status gpu_call_boxed(const oy_op* op, oy_keyset keys, oy_stack* stack,
                         const oy_kernel* kernel) {
  gpu_call c = {.row = kernel->user_data, .op = op, .arg_count = op->argument_count};
  c.args = oy_stack_last(stack, c.arg_count);
  oy_status status = find_device(&c);
  if (status == OY_OK && is_for_cpu(&c)) return oy_cpu_fallback(op, keys, stack, NULL);
  if (status == OY_OK && !(c.row->flags & GPU_ROW_BARE)) {
    status = gpu_call_infer(&c);
    if (status == OY_OK && gives_foreign(&c))
      return oy_cpu_fallback(op, keys, stack, NULL);
  }
  if (status == OY_OK) status = c.row->run(&c);
  oy_stack_drop(stack, c.arg_count);
  for (size_t i = 0; i < c.out_count; i++) {
    oy_value v = oy_none();
    if (c.out[i] && status == OY_OK)
      v = oy_value_pointer(OY_TAG_TENSOR | OY_VALUE_OWNED, c.out[i], 0);
    else
      oy_tensor_release(c.out[i]);
    if (status == OY_OK) status = oy_stack_push(stack, v);
  }
  return status;
}

oy_tensor* gpu_new(const gpu_call* c, oy_ints sizes, oy_dtype dtype) {
  return oy_tensor_empty(sizes, dtype, c->where);
}

oy_tensor* gpu_plain(const gpu_call* c, oy_tensor* t, oy_dtype dtype) {
  if (t->dtype == dtype && gpu_is_here(t) &&
      oy_tensor_is_contiguous(t, OY_MEMORY_CONTIGUOUS))
    return oy_tensor_retain(t);
  if (!gpu_is_here(t)) return oy_tensor_copy_to(t, dtype, c->where);
  oy_tensor* made = oy_tensor_empty(oy_tensor_sizes(t), dtype, c->where);
  if (made && gpu_copy_elements(c->device, made, t) == OY_OK) return made;
  oy_tensor_release(made);
  return NULL;
}

oy_tensor* gpu_result(const gpu_call* c, size_t i) {
  if (i >= c->out_count || !c->out[i]) return NULL;
  if (oy_tensor_is_contiguous(c->out[i], OY_MEMORY_CONTIGUOUS))
    return oy_tensor_retain(c->out[i]);
  return gpu_new(c, oy_tensor_sizes(c->out[i]), c->out[i]->dtype);
}

oy_status gpu_result_done(const gpu_call* c, size_t i, oy_tensor* written,
                          oy_status status) {
  if (status == OY_OK && written && written != c->out[i])
    status = gpu_copy_elements(c->device, c->out[i], written);
  oy_tensor_release(written);
  return status;
}
