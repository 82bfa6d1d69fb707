// SPDX-License-Identifier: Apache-2.0
// The arguments of a call that falls back: which tensors there are, on which device, and
// which of them share memory.
#include "base/memory.h"
#include "layers/cpu_fallback/cpu_fallback.h"
#include "tensor/iterator.h"

static bool begins_with(oy_str text, const char* word) {
  const size_t n = strlen(word);
  return text.size >= n && memcmp(text.data, word, n) == 0;
}

static bool ends_with(oy_str text, const char* word) {
  const size_t n = strlen(word);
  return text.size >= n && memcmp(text.data + text.size - n, word, n) == 0;
}

// PyTorch's schemas do not say that normalisations write their running statistics; their
// gradients only read them.
static bool writes_unsaid(const oy_schema* schema, oy_str name) {
  return (oy_str_equal(name, oy_str_of("running_mean")) ||
          oy_str_equal(name, oy_str_of("running_var"))) &&
         !ends_with(schema->name.base, "_backward");
}

// Indices may be on the CPU, as for other devices.
static bool takes_cpu_tensors(const oy_schema* schema) {
  const oy_str name = schema->name.base;
  return begins_with(name, "index") || begins_with(name, "_index") ||
         begins_with(name, "_unsafe_index") || begins_with(name, "copy_");
}

static oy_status check_device(oyi_fallback_call* c, const oyi_tensor* t) {
  const oy_device device = oyi_tensor_device(t);
  if (t->backend != OY_BACKEND_CPU && !c->has_target) {
    if (!c->has_device) c->target = device;
    c->has_target = true;
  }
  if (c->mirror_count == 0) return OY_OK;
  const oy_device first = oyi_tensor_device(c->mirrors[0].given);
  if (t->backend == OY_BACKEND_CPU && (t->ndim == 0 || takes_cpu_tensors(c->schema)))
    return OY_OK;
  return oy_device_equal(first, device) ? OY_OK : oyi_device_mismatch(first, device);
}

// ------------------------------------------------------------------------ windows

static oyi_window* window_find(oyi_fallback_call* c, const oyi_tensor* t) {
  for (size_t i = 0; i < c->window_count; i++) {
    oyi_window* w = &c->windows[i];
    if (w->given->storage == t->storage && w->given->header.dtype == t->header.dtype)
      return w;
  }
  return NULL;
}

// The elements from the first to the last that |t| has.
static void span_of(const oyi_tensor* t, int64_t* out_low, int64_t* out_high) {
  *out_low = *out_high = t->offset;
  for (size_t i = 0; i < t->ndim; i++)
    if (t->sizes[i] > 1) *out_high += (t->sizes[i] - 1) * oyi_strides(t)[i];
  (*out_high)++;
}

static oy_status join_window(oyi_fallback_call* c, oyi_mirror* m) {
  oyi_tensor* t = m->given;
  int64_t low, high;
  m->window = OYI_NO_WINDOW;
  if (!t->storage || t->numel == 0) return OY_OK;
  span_of(t, &low, &high);
  oyi_window* w = window_find(c, t);
  if (!w) {
    if (!oyi_grow(&c->windows, &c->window_capacity, c->window_count + 1, sizeof(*w)))
      return OY_OUT_OF_MEMORY;
    w = &c->windows[c->window_count++];
    *w = (oyi_window){.given = t, .low = low, .high = high};
  }
  if (low < w->low) w->low = low;
  if (high > w->high) w->high = high;
  w->elements += t->numel;
  m->window = (int32_t)(w - c->windows);
  return OY_OK;
}

// ------------------------------------------------------------------------ mirrors

static oyi_mirror* mirror_find(const oyi_fallback_call* c, const oyi_tensor* t) {
  for (size_t i = 0; i < c->mirror_count; i++)
    if (c->mirrors[i].given == t) return &c->mirrors[i];
  return NULL;
}

static oy_status add_tensor(oyi_fallback_call* c, oy_object* object, bool is_written) {
  if (oy_object_is_none(object)) return OY_OK;
  oyi_tensor* t = oyi_tensor_of(object);
  if (!t) return oy_failure();
  OY_TRY(check_device(c, t));
  // Meta tensors are passed on: the CPU's kernels say what is wrong with them.
  if (t->backend == OY_BACKEND_CPU || t->backend == OY_BACKEND_Meta) return OY_OK;
  oyi_mirror* m = mirror_find(c, t);
  if (m) {
    m->is_written |= is_written;
    return OY_OK;
  }
  if (!oyi_grow(&c->mirrors, &c->mirror_capacity, c->mirror_count + 1, sizeof(*m)))
    return OY_OUT_OF_MEMORY;
  m = &c->mirrors[c->mirror_count];
  *m = (oyi_mirror){.given = t, .is_written = is_written};
  OY_TRY(join_window(c, m));
  c->mirror_count++;
  return OY_OK;
}

// Lists in lists, too.
static oy_status add_value(oyi_fallback_call* c, oy_value v, bool is_written, int depth) {
  if (v.tag == OY_TAG_TENSOR) return add_tensor(c, v.as.object, is_written);
  if (v.tag == OY_TAG_TENSOR_LIST)
    for (size_t i = 0; i < v.count; i++)
      OY_TRY(add_tensor(c, v.as.tensors[i], is_written));
  if (v.tag == OY_TAG_LIST && depth < 32)
    for (size_t i = 0; i < v.count; i++)
      OY_TRY(add_value(c, v.as.values[i], is_written, depth + 1));
  return OY_OK;
}

static oy_status add_argument(oyi_fallback_call* c, size_t i) {
  const oy_argument* argument = &c->schema->arguments[i];
  const oy_value v = c->arguments[i];
  const bool is_written =
      oy_argument_is_mutable(argument) || writes_unsaid(c->schema, argument->name);
  if (v.tag == OY_TAG_DEVICE) {
    c->target = v.as.device;
    c->has_device = true;
  }
  if (v.tag == OY_TAG_GENERATOR && oy_object_is_generator(v.as.object) &&
      oy_generator_device(v.as.object).backend != OY_BACKEND_CPU)
    c->generator = v.as.object;
  return add_value(c, v, is_written, 0);
}

oy_status oyi_fallback_collect(oyi_fallback_call* c) {
  c->target = oy_device_cpu();
  for (size_t i = 0; i < c->schema->argument_count; i++) OY_TRY(add_argument(c, i));
  if (c->has_device) return OY_OK;
  // A generator says where, too, if nothing else does.
  if (!c->has_target && c->generator) c->target = oy_generator_device(c->generator);
  return OY_OK;
}
