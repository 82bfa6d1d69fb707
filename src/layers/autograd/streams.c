// SPDX-License-Identifier: Apache-2.0
#include "layers/autograd/streams.h"

#include "base/memory.h"
#include "dispatch/trace.h"
#include "layers/autograd/record.h"
#include "tensor/hooks.h"

static void note_choice(void) {
  oyi_record_also |= OYI_ALSO_STREAM;
  __atomic_fetch_or(&oyi_backward_watch, OYI_WATCH_STREAM, __ATOMIC_RELAXED);
}
void oyi_streams_listen(void) {
  oyi_stream_listen(note_choice);
}

uint64_t oyi_stream_now(const oyi_tensor* t) {
  return oyi_stream_chosen(oyi_tensor_device(t));
}

void oyi_expect_stream_now(oyi_expectation* e, const oyi_tensor* like) {
  if (e->sizes != e->inline_sizes && oyi_is_on_device(like->backend))
    __atomic_store_n(&e->sizes[e->ndim], (int64_t)oyi_stream_now(like), __ATOMIC_RELAXED);
}

// That of the first result that is on a device.
static bool stream_of(const oyi_node* node, oy_stream* out) {
  for (uint32_t i = 0; i < node->output_count; i++) {
    const oyi_expectation* e = &node->expected[i];
    if (!oyi_is_on_device(e->backend) || !e->sizes || !oy_device_is_available(e->backend))
      continue;
    *out = oy_stream_default((oy_device){e->backend, e->device_index, 0});
    if (e->sizes != e->inline_sizes)
      out->id = (uint64_t)__atomic_load_n(&e->sizes[e->ndim], __ATOMIC_RELAXED);
    return true;
  }
  return false;
}

// A stream that was given back has done its work: then what is current will do.
static bool enter(oy_stream stream, oy_stream_guard* out_guard) {
  if (oy_stream_guard_enter(stream, out_guard) == OY_OK) return true;
  oy_error_clear();
  return false;
}

// The stream that the walk's caller has for the device of the node that runs.
static __thread oy_stream t_outer;

void oyi_node_stream_enter(const oyi_node* node, oyi_node_stream* out) {
  oy_stream stream;
  out->outer = t_outer;
  out->guard.entered = false;
  t_outer = oy_stream_default(oy_device_cpu());
  if (node && stream_of(node, &stream) && enter(stream, &out->guard))
    t_outer = (oy_stream){stream.device, out->guard.before};
}

void oyi_node_stream_leave(oyi_node_stream* s) {
  if (oy_stream_guard_leave(&s->guard) != OY_OK) oy_error_clear();
  t_outer = s->outer;
}

oy_status oyi_stream_hand(const oy_object* grad, const oyi_node* to,
                          oy_stream_guard* out_guard) {
  out_guard->entered = false;
  const oyi_tensor* g = grad && oyi_is_tensor(grad) ? oyi_tensor_of(grad) : NULL;
  if (!g || !oyi_is_on_device(g->backend) || !oy_device_is_available(g->backend))
    return OY_OK;
  oy_stream producer, consumer;
  OY_TRY(oy_stream_current(oyi_tensor_device(g), &producer));
  // A node of another device runs with the caller's stream for this one.
  if (!stream_of(to, &consumer) || !oy_device_equal(consumer.device, producer.device) ||
      !enter(consumer, out_guard)) {
    if (!oy_device_equal(t_outer.device, producer.device) || !enter(t_outer, out_guard))
      return OY_OK;
    consumer = t_outer;
  }
  if (consumer.id == producer.id) return OY_OK;
  OY_TRY(oy_stream_wait(consumer, producer));
  return g->storage ? oy_tensor_record_stream(grad, consumer) : OY_OK;
}

oy_status oyi_leaf_streams_add(oyi_leaf_streams* s, const oyi_node* node) {
  oy_stream stream;
  if (!stream_of(node, &stream)) return OY_OK;
  for (size_t i = 0; i < s->count; i++)
    if (s->items[i].id == stream.id && oy_device_equal(s->items[i].device, stream.device))
      return OY_OK;
  if (!oyi_grow(&s->items, &s->capacity, s->count + 1, sizeof(*s->items)))
    return OY_OUT_OF_MEMORY;
  s->items[s->count++] = stream;
  return OY_OK;
}

oy_status oyi_leaf_streams_join(oyi_leaf_streams* s) {
  oy_status status = OY_OK;
  for (size_t i = 0; i < s->count; i++) {
    const oy_stream leaf = s->items[i];
    oy_stream_guard guard;
    oy_stream current;
    // Not one that was given back: it has done its work.
    if (!enter(leaf, &guard)) continue;
    current = (oy_stream){leaf.device, guard.before};
    if (oy_stream_guard_leave(&guard) != OY_OK) oy_error_clear();
    if (current.id == leaf.id) continue;
    oy_status waited = oy_stream_wait(current, leaf);
    if (status == OY_OK) status = waited;
  }
  oyi_free(s->items);
  *s = (oyi_leaf_streams){NULL, 0, 0};
  return status;
}
