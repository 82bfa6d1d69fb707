// SPDX-License-Identifier: Apache-2.0
// Streams and events, through the hooks of their device.
#include "opyard/stream.h"

#include "tensor/hooks.h"

// The hooks of |device|, and the member that is to be called; the status says what is
// missing. Leaves with oyi_hooks_leave in any case.
typedef struct device_use {
  oyi_hooks_use use;
  const oy_device_hooks* hooks;
  oy_status status;
} device_use;

static device_use enter(oy_device device) {
  device_use u = {oyi_hooks_enter(device.backend), NULL, OY_OK};
  if (u.use.hooks)
    u.hooks = &u.use.hooks->hooks;
  else
    u.status = oyi_hooks_missing(device.backend);
  return u;
}

static oy_status leave(device_use u, oy_status status) {
  oyi_hooks_leave(u.use);
  return status;
}

static oy_status has_none(oy_device device, const char* what) {
  return OY_FAIL(NOT_IMPLEMENTED, "devices of %s have no %s",
                 oy_backend_name(device.backend), what);
}

static void (*g_chosen)(void);  // atomic

void oyi_stream_listen(void (*chosen)(void)) {
  __atomic_store_n(&g_chosen, chosen, __ATOMIC_RELEASE);
}

// What this thread chose, where that is not the default: it can be told without asking a
// hook, which must not be called under a lock.
enum { CHOSEN_MAX = 16 };
static __thread oy_stream t_chosen[CHOSEN_MAX];
static __thread size_t t_chosen_count;
static __thread bool t_chose_more;

static void note_chosen(oy_device device, uint64_t id) {
  size_t at = 0;
  while (at < t_chosen_count && !oy_device_equal(t_chosen[at].device, device)) at++;
  if (id == OY_STREAM_DEFAULT) {
    if (at < t_chosen_count) t_chosen[at] = t_chosen[--t_chosen_count];
    return;
  }
  if (at == CHOSEN_MAX) {
    t_chose_more = true;
    return;
  }
  t_chosen[at] = (oy_stream){device, id};
  if (at == t_chosen_count) t_chosen_count++;
  void (*chosen)(void) = __atomic_load_n(&g_chosen, __ATOMIC_ACQUIRE);
  if (chosen) chosen();
}

static oy_status exchange(oy_device device, uint64_t id, uint64_t* out_before);

uint64_t oyi_stream_chosen(oy_device device) {
  for (size_t i = 0; i < t_chosen_count; i++)
    if (oy_device_equal(t_chosen[i].device, device)) return t_chosen[i].id;
  uint64_t id = OY_STREAM_DEFAULT;
  if (OY_LIKELY(!t_chose_more)) return id;
  if (exchange(device, OY_STREAM_ASK, &id) != OY_OK) oy_error_clear();
  return id;
}

static bool is_host(oy_device device) {
  return device.backend == OY_BACKEND_CPU || device.backend == OY_BACKEND_Meta;
}

// Calls a hook of |device|, or says that there is none.
#define CALL(device, member, what, ...)                                            \
  do {                                                                             \
    device_use u = enter(device);                                                  \
    if (!u.hooks) return leave(u, u.status);                                       \
    if (!u.hooks->member) return leave(u, has_none(device, what));                 \
    return leave(u, u.hooks->member(u.hooks->state, (device).index, __VA_ARGS__)); \
  } while (0)

// --------------------------------------------------------------------- streams

static oy_status create_stream(oy_device device, int32_t priority, uint64_t* out_id) {
  CALL(device, stream_create, "streams", priority, out_id);
}

oy_status oy_stream_create(oy_device device, int32_t priority, oy_stream* out_stream) {
  *out_stream = oy_stream_default(device);
  if (is_host(device)) return has_none(device, "streams");
  OY_TRY(oy_device_resolve(&out_stream->device));
  return create_stream(out_stream->device, priority, &out_stream->id);
}

void oy_stream_destroy(oy_stream stream) {
  if (stream.id == OY_STREAM_DEFAULT) return;
  oyi_hooks_use use = oyi_hooks_enter(stream.device.backend);
  if (use.hooks && use.hooks->hooks.stream_destroy)
    use.hooks->hooks.stream_destroy(use.hooks->hooks.state, stream.device.index,
                                    stream.id);
  oyi_hooks_leave(use);
}

// Devices without streams have the default one.
static oy_status exchange(oy_device device, uint64_t id, uint64_t* out_before) {
  *out_before = OY_STREAM_DEFAULT;
  device_use u = enter(device);
  if (!u.hooks) return leave(u, u.status);
  if (!u.hooks->stream_exchange && (id == OY_STREAM_ASK || id == OY_STREAM_DEFAULT))
    return leave(u, OY_OK);
  if (!u.hooks->stream_exchange) return leave(u, has_none(device, "streams"));
  oy_status status =
      u.hooks->stream_exchange(u.hooks->state, device.index, id, out_before);
  if (status == OY_OK && id != OY_STREAM_ASK) note_chosen(device, id);
  return leave(u, status);
}

oy_status oy_stream_current(oy_device device, oy_stream* out_stream) {
  *out_stream = oy_stream_default(device);
  if (is_host(device)) return OY_OK;
  OY_TRY(oy_device_resolve(&out_stream->device));
  return exchange(out_stream->device, OY_STREAM_ASK, &out_stream->id);
}

oy_status oy_stream_query(oy_stream stream, bool* out_done) {
  *out_done = true;
  if (is_host(stream.device)) return OY_OK;
  CALL(stream.device, stream_query, "streams", stream.id, out_done);
}

oy_status oy_stream_synchronize(oy_stream stream) {
  if (is_host(stream.device)) return OY_OK;
  CALL(stream.device, stream_synchronize, "streams", stream.id);
}

oy_status oy_stream_wait(oy_stream stream, oy_stream other) {
  oy_event event;
  if (is_host(other.device)) return OY_OK;
  if (stream.device.backend != other.device.backend)
    return oy_stream_synchronize(other);  // nothing but the host knows both
  OY_TRY(oy_event_create(other.device, 0, &event));
  oy_status status = oy_event_record(event, other);
  if (status == OY_OK && oy_device_equal(stream.device, other.device))
    status = oy_event_wait(event, stream);
  else if (status == OY_OK)
    status = oy_event_synchronize(event);
  oy_event_destroy(event);
  return status;
}

void* oy_stream_native(oy_stream stream) {
  oyi_hooks_use use = oyi_hooks_enter(stream.device.backend);
  const oy_device_hooks* h = use.hooks ? &use.hooks->hooks : NULL;
  void* native = h && h->stream_native
                     ? h->stream_native(h->state, stream.device.index, stream.id)
                     : NULL;
  oyi_hooks_leave(use);
  return native;
}

oy_status oy_stream_guard_enter(oy_stream stream, oy_stream_guard* out_guard) {
  *out_guard = (oy_stream_guard){stream.device, OY_STREAM_DEFAULT, false};
  if (is_host(stream.device)) return OY_OK;
  OY_TRY(exchange(stream.device, stream.id, &out_guard->before));
  out_guard->entered = true;
  return OY_OK;
}

oy_status oy_stream_guard_leave(oy_stream_guard* guard) {
  if (!guard->entered) return OY_OK;
  guard->entered = false;
  uint64_t inside;
  return exchange(guard->device, guard->before, &inside);
}

// ---------------------------------------------------------------------- events

static oy_status create_event(oy_device device, uint64_t flags, uint64_t* out_id) {
  CALL(device, event_create, "events", flags, out_id);
}

oy_status oy_event_create(oy_device device, uint64_t flags, oy_event* out_event) {
  *out_event = (oy_event){device, 0};
  if (is_host(device)) return has_none(device, "events");
  OY_TRY(oy_device_resolve(&out_event->device));
  return create_event(out_event->device, flags, &out_event->id);
}

void oy_event_destroy(oy_event event) {
  oyi_hooks_use use = oyi_hooks_enter(event.device.backend);
  if (use.hooks && use.hooks->hooks.event_destroy)
    use.hooks->hooks.event_destroy(use.hooks->hooks.state, event.device.index, event.id);
  oyi_hooks_leave(use);
}

static oy_status check_same_device(oy_device event, oy_device stream) {
  OY_CHECK(oy_device_equal(event, stream), INVALID_ARGUMENT,
           "expected an event and a stream of one device");
  return OY_OK;
}

oy_status oy_event_record(oy_event event, oy_stream stream) {
  OY_TRY(check_same_device(event.device, stream.device));
  CALL(event.device, event_record, "events", event.id, stream.id);
}
oy_status oy_event_wait(oy_event event, oy_stream stream) {
  OY_TRY(check_same_device(event.device, stream.device));
  CALL(event.device, event_wait, "events", event.id, stream.id);
}
oy_status oy_event_query(oy_event event, bool* out_happened) {
  *out_happened = false;
  CALL(event.device, event_query, "events", event.id, out_happened);
}
oy_status oy_event_synchronize(oy_event event) {
  CALL(event.device, event_synchronize, "events", event.id);
}
oy_status oy_event_elapsed(oy_event start, oy_event end, double* out_milliseconds) {
  *out_milliseconds = 0;
  OY_TRY(check_same_device(start.device, end.device));
  CALL(start.device, event_elapsed, "times of events", start.id, end.id,
       out_milliseconds);
}

// ---------------------------------------------------------------------- memory

oy_status oy_tensor_record_stream(const oy_tensor* tensor, oy_stream stream) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return oy_failure();
  const oyi_device_block* block = oyi_device_block_of(t->storage);
  if (!block || !block->hooks->hooks.record_stream) return OY_OK;
  const oy_device_hooks* h = &block->hooks->hooks;
  h->record_stream(h->state, block->index, t->storage->data, block->context, stream.id);
  return OY_OK;
}

oy_tensor* oy_tensor_empty_pinned(oy_ints sizes, oy_dtype dtype, oy_backend backend) {
  int64_t numel, strides[OY_TENSOR_MAX_DIMS];
  size_t nbytes;
  if (oyi_sizes_check(sizes, oyi_dtype_bytes[dtype], &numel, &nbytes) != OY_OK)
    return NULL;
  oyi_strides_contiguous(sizes, strides);
  oyi_storage* s = oyi_pinned_storage_new(nbytes, backend);
  if (!s) return NULL;
  oyi_tensor* t =
      oyi_tensor_on_storage(s, oyi_tensor_new_keys(oy_device_cpu(), dtype), sizes,
                            (oy_ints){strides, sizes.size}, 0, dtype, oy_device_cpu());
  oyi_storage_release(s);
  return oyi_tensor_object(t);
}

bool oy_tensor_is_pinned(const oy_tensor* tensor) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  return t && t->storage && oyi_is_pinned_by(t->storage, NULL);
}
