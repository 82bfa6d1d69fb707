// SPDX-License-Identifier: Apache-2.0
// Tensors of a device as the CPU's kernels see them. What lies close together in one storage
// is copied at once and keeps its strides; what is scattered is made contiguous.
#include "base/memory.h"
#include "layers/cpu_fallback/cpu_fallback.h"
#include "ops/calls.h"
#include "opyard/state.h"

oy_status oyi_fallback_copy(oyi_fallback_call* c, oyi_tensor* to, oyi_tensor* from) {
  const uint64_t bytes = (uint64_t)(from->numel * oyi_item(from));
  if (to->backend == OY_BACKEND_CPU)
    c->count.bytes_to += bytes;
  else
    c->count.bytes_from += bytes;
  if (bytes == 0) return OY_OK;
  oy_guard guard = oy_guard_below_adinplaceorview();
  oy_object* copied = oyi_call_copy_(&to->header, &from->header, false);
  oy_guard_end(&guard);
  return copied ? OY_OK : oy_failure();
}

// ------------------------------------------------------------------------ windows

// As many elements between as there are elements: else each tensor is copied alone.
static bool is_close(const oyi_window* w) {
  const int64_t length = w->high - w->low;
  return length <= 1024 || length / 2 <= w->elements;
}

static oy_status fill_window(oyi_fallback_call* c, oyi_window* w) {
  const int64_t length = w->high - w->low, one = 1;
  if (!is_close(w)) return OY_OK;
  oyi_tensor* there =
      oyi_tensor_alias(w->given, (oy_ints){&length, 1}, (oy_ints){&one, 1}, w->low);
  if (!there) return oy_failure();
  w->plain =
      oyi_tensor_new((oy_ints){&length, 1}, w->given->header.dtype, oy_device_cpu());
  oy_status status = w->plain ? oyi_fallback_copy(c, w->plain, there) : oy_failure();
  oy_tensor_release(&there->header);
  return status;
}

static oyi_tensor* plain_alone(oyi_fallback_call* c, const oyi_mirror* m) {
  oyi_tensor* t =
      oyi_tensor_new(oyi_sizes_view(m->given), m->given->header.dtype, oy_device_cpu());
  if (!t || oyi_fallback_copy(c, t, m->given) == OY_OK) return t;
  oy_tensor_release(&t->header);
  return NULL;
}

static oyi_tensor* plain_of(oyi_fallback_call* c, const oyi_mirror* m) {
  const oyi_window* w = m->window == OYI_NO_WINDOW ? NULL : &c->windows[m->window];
  oyi_tensor* t;
  if (w && w->plain)
    t = oyi_tensor_alias(w->plain, oyi_sizes_view(m->given), oyi_strides_view(m->given),
                         m->given->offset - w->low);
  else
    t = plain_alone(c, m);
  if (t) t->header.flags |= m->given->header.flags & OY_OBJECT_WRAPPED_NUMBER;
  return t;
}

oy_status oyi_fallback_mirror(oyi_fallback_call* c) {
  for (size_t i = 0; i < c->window_count; i++) OY_TRY(fill_window(c, &c->windows[i]));
  for (size_t i = 0; i < c->mirror_count; i++) {
    c->mirrors[i].plain = plain_of(c, &c->mirrors[i]);
    if (!c->mirrors[i].plain) return oy_failure();
  }
  if (!c->generator) return OY_OK;
  oy_generator_state state;
  OY_TRY(oy_generator_get_state(c->generator, &state));
  c->stand_in = oy_generator_create(oy_device_cpu());
  return c->stand_in ? oy_generator_set_state(c->stand_in, state) : oy_failure();
}

// ---------------------------------------------------------------------- arguments

static oy_object* below(const oyi_fallback_call* c, oy_object* object) {
  for (size_t i = 0; i < c->mirror_count; i++)
    if (&c->mirrors[i].given->header == object) return &c->mirrors[i].plain->header;
  return object;
}

static oy_status push_down(const oyi_fallback_call* c, oy_value v, oy_value* out);

static oy_status list_down(const oyi_fallback_call* c, oy_value list, oy_value* out) {
  oy_value made;
  OY_TRY(oy_value_new_list((oy_tag)list.tag, list.count, &made));
  oy_status status = OY_OK;
  for (size_t i = 0; i < list.count && status == OY_OK; i++) {
    if (list.tag == OY_TAG_TENSOR_LIST)
      ((oy_object**)(uintptr_t)made.as.bits)[i] =
          oy_tensor_retain(below(c, list.as.tensors[i]));
    else
      status = push_down(c, list.as.values[i], &((oy_value*)(uintptr_t)made.as.bits)[i]);
  }
  if (status == OY_OK)
    *out = made;
  else
    oy_value_release(&made);
  return status;
}

// Owned, so that it may stand in a list.
static oy_status push_down(const oyi_fallback_call* c, oy_value v, oy_value* out) {
  *out = oy_none();
  if (v.tag == OY_TAG_TENSOR_LIST || v.tag == OY_TAG_LIST) return list_down(c, v, out);
  if (v.tag == OY_TAG_TENSOR) v = oy_value_tensor(below(c, v.as.object));
  if (v.tag == OY_TAG_DEVICE) v = oy_value_device(oy_device_cpu());
  if (v.tag == OY_TAG_GENERATOR && v.as.object == c->generator && c->stand_in)
    v.as.object = c->stand_in;
  v.owned = 0;
  OY_TRY(oy_value_own(&v));
  *out = v;
  return OY_OK;
}

oy_status oyi_fallback_push(oyi_fallback_call* c, oy_stack* stack) {
  for (size_t i = 0; i < c->schema->argument_count; i++) {
    oy_value v;
    OY_TRY(push_down(c, c->arguments[i], &v));
    OY_TRY(oy_stack_push(stack, v));
  }
  return OY_OK;
}

// -------------------------------------------------------------------- coming back

static oy_status write_back(oyi_fallback_call* c, const oyi_mirror* m) {
  const oy_ints sizes = oyi_sizes_view(m->plain);
  if (!oyi_same_sizes(sizes, oyi_sizes_view(m->given))) {
    oy_guard guard = oy_guard_below_adinplaceorview();
    oy_object* resized = oyi_call_resize_(&m->given->header, sizes, oy_none());
    oy_guard_end(&guard);
    if (!resized) return oy_failure();
  }
  return oyi_fallback_copy(c, m->given, m->plain);
}

oy_status oyi_fallback_write_back(oyi_fallback_call* c) {
  for (size_t i = 0; i < c->mirror_count; i++)
    if (c->mirrors[i].is_written) OY_TRY(write_back(c, &c->mirrors[i]));
  if (!c->stand_in) return OY_OK;
  oy_generator_state state;
  OY_TRY(oy_generator_get_state(c->stand_in, &state));
  return oy_generator_set_state(c->generator, state);
}

void oyi_fallback_end(oyi_fallback_call* c) {
  for (size_t i = 0; i < c->mirror_count; i++)
    if (c->mirrors[i].plain) oy_tensor_release(&c->mirrors[i].plain->header);
  for (size_t i = 0; i < c->window_count; i++)
    if (c->windows[i].plain) oy_tensor_release(&c->windows[i].plain->header);
  oy_object_release(c->stand_in);
  oyi_free(c->mirrors);
  oyi_free(c->windows);
}
