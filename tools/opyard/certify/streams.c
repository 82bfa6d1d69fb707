// SPDX-License-Identifier: Apache-2.0
// Streams and events, of devices that have some: what is on one stream runs in order, what
// waits for an event runs after it, and the host does not wait for copies from its pinned
// memory. Each chain is long enough for a device that orders nothing to come too early.
#include <math.h>

#include "certify.h"

enum { ROUNDS = 20, CHAIN = 16, SIDE = 256, COUNT = SIDE * SIDE };

typedef struct streams {
  certify_report* report;
  oy_device device;
  oy_stream a, b;
  oy_tensor *pinned, *there, *other, *back;
  const char* failed;  // the first thing that was wrong
} streams;

static bool expect(streams* s, bool good, const char* what) {
  if (!good && !s->failed) s->failed = what;
  return good;
}

// Adds 1 to each element, |CHAIN| times, on the current stream.
static bool add_chain(oy_tensor* t) {
  for (int i = 0; i < CHAIN; i++)
    if (!oy_add__Scalar(t, oy_int(1), oy_int(1))) return false;
  return true;
}

static bool all_are(const oy_tensor* host, float value) {
  const float* data = oy_tensor_data(host);
  for (int i = 0; i < COUNT; i++)
    if (data[i] != value) return false;
  return true;
}

static void fill(oy_tensor* host, float value) {
  float* data = oy_tensor_data(host);
  for (int i = 0; i < COUNT; i++) data[i] = value;
}

// ------------------------------------------------------------------------- order

// On the first stream: the copy to the device and a chain.
static bool run_first(streams* s, oy_event event) {
  oy_stream_guard guard;
  if (oy_stream_guard_enter(s->a, &guard) != OY_OK) return false;
  const bool good = oy_tensor_copy_from(s->there, s->pinned, true) == OY_OK &&
                    add_chain(s->there) && oy_event_record(event, s->a) == OY_OK;
  return oy_stream_guard_leave(&guard) == OY_OK && good;
}

// On the second one, when the event has happened: a copy of it, and that to the host.
static bool run_second(streams* s, oy_event event) {
  oy_stream_guard guard;
  if (oy_stream_guard_enter(s->b, &guard) != OY_OK) return false;
  const bool good = oy_event_wait(event, s->b) == OY_OK &&
                    oy_tensor_copy_from(s->other, s->there, true) == OY_OK &&
                    add_chain(s->other) &&
                    oy_tensor_copy_from(s->back, s->other, true) == OY_OK;
  return oy_stream_guard_leave(&guard) == OY_OK && good;
}

static void check_order(streams* s) {
  oy_event event;
  if (!expect(s, oy_event_create(s->device, 0, &event) == OY_OK, "no event is made"))
    return;
  for (int i = 0; i < ROUNDS && !s->failed; i++) {
    fill(s->pinned, (float)i);
    fill(s->back, -1);
    expect(s, run_first(s, event), "work on a stream fails");
    expect(s, run_second(s, event), "work that waits for an event fails");
    expect(s, oy_stream_synchronize(s->b) == OY_OK, "a stream cannot be waited for");
    expect(s, all_are(s->back, (float)(i + 2 * CHAIN)),
           "work on a stream came before the event that it waits for");
    // The first stream is over: its memory is written again.
    bool happened = false;
    expect(s, oy_event_query(event, &happened) == OY_OK && happened,
           "an event that others waited for has not happened");
  }
  oy_event_destroy(event);
}

// The same without an event of the caller's.
static void check_wait(streams* s) {
  for (int i = 0; i < ROUNDS && !s->failed; i++) {
    oy_stream_guard guard;
    fill(s->pinned, (float)-i);
    expect(s, oy_stream_guard_enter(s->a, &guard) == OY_OK, "a stream cannot be entered");
    expect(s, oy_tensor_copy_from(s->there, s->pinned, true) == OY_OK, "a copy fails");
    expect(s, add_chain(s->there), "a kernel on a stream fails");
    (void)oy_stream_guard_leave(&guard);
    expect(s, oy_stream_wait(oy_stream_default(s->device), s->a) == OY_OK,
           "the default stream cannot wait for another one");
    // To the host, on the default stream: blocks until it is there.
    expect(s, oy_tensor_copy_from(s->back, s->there, false) == OY_OK, "a copy fails");
    expect(s, all_are(s->back, (float)(CHAIN - i)),
           "the default stream did not wait for another one");
  }
}

// ------------------------------------------------------------------ streams, events

static void check_current(streams* s) {
  oy_stream before, inside, after;
  oy_stream_guard guard;
  expect(s, oy_stream_current(s->device, &before) == OY_OK, "no stream is current");
  expect(s, oy_stream_guard_enter(s->a, &guard) == OY_OK, "a stream cannot be entered");
  expect(s, oy_stream_current(s->device, &inside) == OY_OK && inside.id == s->a.id,
         "another stream is current than the one that was entered");
  expect(s, oy_stream_guard_leave(&guard) == OY_OK, "a stream cannot be left");
  expect(s, oy_stream_current(s->device, &after) == OY_OK && after.id == before.id,
         "another stream is current than before one was entered");
  expect(s, s->a.id != s->b.id, "two streams have one number");
}

static void check_event(streams* s) {
  oy_event event;
  bool happened = false;
  if (!expect(s, oy_event_create(s->device, 0, &event) == OY_OK, "no event is made"))
    return;
  expect(s, oy_event_query(event, &happened) == OY_OK && happened,
         "an event that was never recorded has not happened");
  expect(s, oy_event_record(event, s->a) == OY_OK, "an event cannot be recorded");
  expect(s, oy_event_synchronize(event) == OY_OK, "an event cannot be waited for");
  expect(s, oy_event_query(event, &happened) == OY_OK && happened,
         "an event that was waited for has not happened");
  bool done = false;
  expect(s, oy_stream_synchronize(s->a) == OY_OK, "a stream cannot be waited for");
  expect(s, oy_stream_query(s->a, &done) == OY_OK && done,
         "a stream that was waited for has work left");
  oy_event_destroy(event);
}

// Memory that another stream still reads is not given to the next who asks.
static void check_release(streams* s) {
  for (int i = 0; i < ROUNDS && !s->failed; i++) {
    oy_stream_guard guard;
    oy_tensor* brief = oy_tensor_empty(OY_DIMS(COUNT), OY_DTYPE_F32, s->device);
    fill(s->pinned, (float)i);
    expect(s, brief && oy_tensor_copy_from(brief, s->pinned, false) == OY_OK,
           "a copy fails");
    expect(s, oy_stream_guard_enter(s->a, &guard) == OY_OK, "a stream cannot be entered");
    expect(s, add_chain(s->other) && oy_tensor_copy_from(s->there, brief, true) == OY_OK,
           "a copy between devices fails");
    (void)oy_stream_guard_leave(&guard);
    expect(s, oy_tensor_record_stream(brief, s->a) == OY_OK, "a stream is not recorded");
    oy_tensor_release(brief);
    oy_tensor* next = oy_tensor_empty(OY_DIMS(COUNT), OY_DTYPE_F32, s->device);
    expect(s, next && oy_fill__Scalar(next, oy_int(-7)), "fill_ fails");
    expect(s, oy_stream_synchronize(s->a) == OY_OK, "a stream cannot be waited for");
    expect(s,
           oy_tensor_copy_from(s->back, s->there, false) == OY_OK &&
               all_are(s->back, (float)i),
           "memory that another stream uses was given away");
    oy_tensor_release(next);
  }
}

// ---------------------------------------------------------------------------- all

static bool begin(streams* s) {
  if (oy_stream_create(s->device, 0, &s->a) != OY_OK) return false;
  if (!expect(s, oy_stream_create(s->device, 0, &s->b) == OY_OK, "no second stream"))
    s->b = s->a;
  s->pinned = oy_tensor_empty_pinned(OY_DIMS(COUNT), OY_DTYPE_F32, s->report->backend);
  s->back = oy_tensor_empty_pinned(OY_DIMS(COUNT), OY_DTYPE_F32, s->report->backend);
  // Without pinned memory copies block, and the rest is as it was.
  oy_error_clear();
  if (!s->pinned)
    s->pinned = oy_tensor_empty(OY_DIMS(COUNT), OY_DTYPE_F32, oy_device_cpu());
  if (!s->back) s->back = oy_tensor_empty(OY_DIMS(COUNT), OY_DTYPE_F32, oy_device_cpu());
  s->there = oy_tensor_empty(OY_DIMS(COUNT), OY_DTYPE_F32, s->device);
  s->other = oy_tensor_empty(OY_DIMS(COUNT), OY_DTYPE_F32, s->device);
  expect(s, s->pinned && s->back && s->there && s->other, "no memory");
  if (s->other && !oy_zero_(s->other)) expect(s, false, "zero_ fails");
  return true;
}

static void end(streams* s) {
  oy_tensor* const all[] = {s->pinned, s->there, s->other, s->back};
  if (s->b.id != s->a.id) oy_stream_destroy(s->b);
  oy_stream_destroy(s->a);
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
}

void certify_streams(certify_report* r) {
  static const struct {
    const char* name;
    void (*check)(streams* s);
  } checks[] = {{"streams: the current one", check_current},
                {"streams: events", check_event},
                {"streams: record, then wait", check_order},
                {"streams: one waits for another", check_wait},
                {"streams: memory that one uses", check_release}};
  const bool can_wait = oy_device_synchronize(r->device) == OY_OK;
  if (!can_wait) certify_fail(r, "streams", "it cannot be waited for", "", "");
  certify_check(r, "synchronize", can_wait);
  oy_error_clear();
  streams s = {.report = r, .device = r->device};
  if (!begin(&s)) {  // it has none
    oy_error_clear();
    return;
  }
  for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++) {
    if (!s.failed) checks[i].check(&s);
    if (s.failed) {
      const char* message = oy_error_get()->message;
      certify_fail(r, checks[i].name, s.failed, message ? message : "", "");
    }
    certify_check(r, checks[i].name, !s.failed);
    if (s.failed) break;
  }
  end(&s);
  oy_error_clear();
}
