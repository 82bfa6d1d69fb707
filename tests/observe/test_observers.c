// SPDX-License-Identifier: Apache-2.0
// Observers (opyard/observe.h; reference, 7.5): who is called when, with what, what becomes
// of their errors, and that nobody sees what is not to be seen.
#include <pthread.h>

#include "support/tensors.h"

#define MUST(call) assert_int_equal(call, OY_OK)

enum { SEEN = 64 };
typedef struct seen {
  int starts, ends, inputs, outputs, destroyed;
  struct {
    char name[80];
    oy_record_scope scope;
    int64_t sequence;
    uint64_t thread, forward_thread, id;
  } records[SEEN];
} seen;

static oy_status on_start(void* data, const oy_record* r, void** context) {
  seen* s = data;
  if (s->starts < SEEN) {
    snprintf(s->records[s->starts].name, 80, "%.*s", OY_STR_ARG(r->name));
    s->records[s->starts].scope = r->scope;
    s->records[s->starts].sequence = r->sequence;
    s->records[s->starts].thread = r->thread;
    s->records[s->starts].forward_thread = r->forward_thread;
    s->records[s->starts].id = r->id;
  }
  s->starts++;
  s->inputs += r->inputs ? (int)r->input_count : 0;
  assert_null(r->outputs);
  *context = s;
  return OY_OK;
}
static oy_status on_end(void* data, const oy_record* r, void* context) {
  seen* s = data;
  assert_ptr_equal(context, data);
  s->ends++;
  s->outputs += r->outputs ? (int)r->output_count : 0;
  assert_null(r->inputs);
  return OY_OK;
}
static void on_destroy(void* data) {
  ((seen*)data)->destroyed++;
}

static oy_observer observer_of(seen* s) {
  oy_observer o = OY_OBSERVER_INIT;
  o.start = on_start;
  o.end = on_end;
  o.data = s;
  o.destroy = on_destroy;
  return o;
}

static uint64_t add(const oy_observer* o, oy_observe_where where) {
  uint64_t id;
  MUST(oy_observer_add(o, where, &id));
  assert_true(id != 0);
  return id;
}

static void call_add(void) {
  oy_tensor* x = F32(OY_DIMS(2), 1, 2);
  oy_tensor* y = oy_add_Tensor(x, x, ALPHA1);
  assert_non_null(y);
  assert_true(element(y, 1) == 4);
  oy_tensor_release(y);
  oy_tensor_release(x);
}

static int find_record(const seen* s, const char* name) {
  for (int i = 0; i < s->starts && i < SEEN; i++)
    if (strcmp(s->records[i].name, name) == 0) return i;
  return -1;
}

static void obs_05_thread_observer(void** state) {
  (void)state;
  seen s = {0};
  oy_observer o = observer_of(&s);
  assert_false(oy_observers_active());
  uint64_t id = add(&o, OY_OBSERVE_THREAD);
  assert_true(oy_observers_active());
  call_add();
  assert_int_equal(s.starts, 1);
  assert_int_equal(s.ends, 1);
  assert_string_equal(s.records[0].name, "aten::add");
  assert_int_equal(s.records[0].scope, OY_RECORD_FUNCTION);
  assert_int_equal(s.records[0].sequence, -1);
  assert_true(s.records[0].thread > 0);
  assert_int_equal(s.records[0].id, 0);
  assert_int_equal(s.destroyed, 0);
  assert_true(oy_observer_remove(id));
  assert_int_equal(s.destroyed, 1);
  assert_false(oy_observer_remove(id));
  assert_false(oy_observers_active());
  call_add();
  assert_int_equal(s.starts, 1);
}

// ------------------------------------------------------------------ other threads

typedef struct worker {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int wanted, done;
} worker;

// Calls once each time that it is told to: a thread that runs before anybody observes.
static void* work(void* data) {
  worker* w = data;
  pthread_mutex_lock(&w->mutex);
  while (w->wanted >= 0) {
    while (w->wanted >= 0 && w->done == w->wanted)
      pthread_cond_wait(&w->changed, &w->mutex);
    if (w->wanted < 0) break;
    pthread_mutex_unlock(&w->mutex);
    call_add();
    pthread_mutex_lock(&w->mutex);
    w->done++;
    pthread_cond_broadcast(&w->changed);
  }
  pthread_mutex_unlock(&w->mutex);
  return NULL;
}
static void one_call(worker* w) {
  pthread_mutex_lock(&w->mutex);
  w->wanted++;
  pthread_cond_broadcast(&w->changed);
  while (w->done != w->wanted) pthread_cond_wait(&w->changed, &w->mutex);
  pthread_mutex_unlock(&w->mutex);
}

static void obs_05_all_threads(void** state) {
  (void)state;
  worker w = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, work, &w), 0);
  one_call(&w);
  seen own = {0}, all = {0};
  oy_observer mine = observer_of(&own), everybodys = observer_of(&all);
  uint64_t own_id = add(&mine, OY_OBSERVE_THREAD);
  one_call(&w);
  assert_int_equal(own.starts, 0);
  uint64_t all_id = add(&everybodys, OY_OBSERVE_ALL);
  one_call(&w);
  call_add();
  assert_int_equal(own.starts, 1);
  assert_int_equal(all.starts, 2);
  assert_true(all.records[0].thread != all.records[1].thread);
  assert_true(oy_observer_remove(all_id));
  one_call(&w);
  call_add();
  assert_int_equal(all.starts, 2);
  assert_int_equal(own.starts, 2);
  assert_true(oy_observer_remove(own_id));
  pthread_mutex_lock(&w.mutex);
  w.wanted = -1;
  pthread_cond_broadcast(&w.changed);
  pthread_mutex_unlock(&w.mutex);
  pthread_join(thread, NULL);
  assert_int_equal(all.destroyed, 1);
  MUST(oy_registry_check_invariants(oy_registry_default()));
}

static void obs_05_scopes_and_ranges(void** state) {
  (void)state;
  seen functions = {0}, users = {0};
  oy_observer f = observer_of(&functions), u = observer_of(&users);
  f.scopes = 1u << OY_RECORD_FUNCTION;
  u.scopes = 1u << OY_RECORD_USER_SCOPE;
  uint64_t ids[] = {add(&f, OY_OBSERVE_THREAD), add(&u, OY_OBSERVE_THREAD)};
  oy_range outer, inner;
  oy_range_begin_named(&outer, "outer");
  oy_range_begin_named(&inner, "inner");
  call_add();
  oy_range_end(&inner);
  oy_range_end(&outer);
  oy_range_end(&outer);  // nothing is left to end
  assert_int_equal(functions.starts, 1);
  assert_int_equal(users.starts, 2);
  assert_int_equal(users.ends, 2);
  assert_string_equal(users.records[0].name, "outer");
  assert_string_equal(users.records[1].name, "inner");
  for (int i = 0; i < 2; i++) assert_true(oy_observer_remove(ids[i]));
}

static char g_order[64];
static oy_status note_start(void* data, const oy_record* r, void** context) {
  (void)r, (void)context;
  strcat(g_order, data);
  return OY_OK;
}
static oy_status note_end(void* data, const oy_record* r, void* context) {
  (void)r, (void)context;
  strcat(g_order, data);
  return OY_OK;
}

// Those of all threads first; starts and ends in the same order.
static void obs_05_order(void** state) {
  (void)state;
  static char names[3][2] = {"a", "b", "c"};
  uint64_t ids[3];
  for (int i = 0; i < 3; i++) {
    oy_observer o = OY_OBSERVER_INIT;
    o.start = note_start;
    o.end = note_end;
    o.data = names[i];
    ids[i] = add(&o, i == 2 ? OY_OBSERVE_ALL : OY_OBSERVE_THREAD);
  }
  call_add();
  assert_string_equal(g_order, "cabcab");
  for (int i = 0; i < 3; i++) assert_true(oy_observer_remove(ids[i]));
}

static void obs_05_sampling(void** state) {
  (void)state;
  enum { CALLS = 4000 };
  const double chances[] = {0, 0.25, 1};
  for (int k = 0; k < 3; k++) {
    seen s = {0};
    oy_observer o = observer_of(&s);
    o.probability = chances[k];
    uint64_t id = add(&o, OY_OBSERVE_THREAD);
    for (int i = 0; i < CALLS; i++) call_add();
    // Six standard deviations: 27 a side.
    double expected = chances[k] * CALLS, slack = k == 1 ? 165 : 0;
    assert_true(fabs(s.starts - expected) <= slack);
    assert_int_equal(s.ends, s.starts);
    assert_true(oy_observer_remove(id));
  }
}

static void obs_05_switches(void** state) {
  (void)state;
  seen s = {0};
  oy_observer o = observer_of(&s);
  for (int where = 0; where < 2; where++) {
    uint64_t id = add(&o, (oy_observe_where)where);
    int before = s.starts;
    assert_true(oy_observing_get());
    assert_true(oy_observing_exchange(false));
    assert_false(oy_observers_active());
    call_add();
    oy_observing_set(true);
    assert_int_equal(s.starts, before);
    assert_true(oy_observer_enable(id, false));
    call_add();
    assert_int_equal(s.starts, before);
    assert_true(oy_observer_enable(id, true));
    call_add();
    assert_int_equal(s.starts, before + 1);
    oy_observer_clear((oy_observe_where)where);
    assert_false(oy_observer_enable(id, true));
    call_add();
    assert_int_equal(s.starts, before + 1);
  }
}

static void obs_05_bad_observers(void** state) {
  (void)state;
  uint64_t ids[64], id;
  seen s = {0};
  oy_observer o = observer_of(&s);
  o.probability = 1.5;
  assert_int_equal(oy_observer_add(&o, OY_OBSERVE_THREAD, &id), OY_INVALID_ARGUMENT);
  o.probability = NAN;
  assert_int_equal(oy_observer_add(&o, OY_OBSERVE_ALL, &id), OY_INVALID_ARGUMENT);
  o.probability = 1;
  o.scopes = 1u << OY_RECORD_SCOPES;
  assert_int_equal(oy_observer_add(&o, OY_OBSERVE_ALL, &id), OY_INVALID_ARGUMENT);
  o.scopes = 0;
  int n = 0;
  while (n < 64 && oy_observer_add(&o, OY_OBSERVE_THREAD, &ids[n]) == OY_OK) n++;
  assert_int_equal(oy_error_get()->code, OY_EXHAUSTED);
  assert_true(n > 0 && n < 64);
  oy_error_clear();
  call_add();
  assert_int_equal(s.starts, n);
  oy_observer_clear(OY_OBSERVE_THREAD);
  assert_int_equal(s.destroyed, n);
}

// ------------------------------------------------------------- inputs and outputs

static oy_status check_inputs(void* data, const oy_record* r, void** context) {
  (void)context;
  assert_int_equal(r->input_count, 3);
  assert_int_equal(r->inputs[0].tag, OY_TAG_TENSOR);
  assert_int_equal(oy_tensor_numel(r->inputs[0].as.object), 2);
  assert_int_equal(r->inputs[2].as.i, 1);
  ++*(int*)data;
  return OY_OK;
}
static oy_status check_outputs(void* data, const oy_record* r, void* context) {
  (void)context;
  assert_int_equal(r->output_count, 1);
  assert_true(element(r->outputs[0].as.object, 1) == 4);
  ++*(int*)data;
  return OY_OK;
}

static void obs_06_inputs_and_outputs(void** state) {
  (void)state;
  seen s = {0};
  oy_observer plain = observer_of(&s);
  uint64_t id = add(&plain, OY_OBSERVE_THREAD);
  call_add();
  assert_int_equal(s.inputs, 0);
  assert_int_equal(s.outputs, 0);
  int checked = 0;
  oy_observer o = OY_OBSERVER_INIT;
  o.start = check_inputs;
  o.end = check_outputs;
  o.data = &checked;
  o.needs_inputs = o.needs_outputs = o.needs_ids = true;
  uint64_t other = add(&o, OY_OBSERVE_THREAD);
  call_add();
  assert_int_equal(checked, 2);
  assert_true(s.records[1].id > 0);
  assert_true(oy_observer_remove(other));
  assert_true(oy_observer_remove(id));
}

// ------------------------------------------------------------------------- errors

static char g_logged[512];
static int g_lines;
static void log_line(void* data, const char* line) {
  (void)data;
  snprintf(g_logged, sizeof g_logged, "%s", line);
  g_lines++;
}
static oy_status fail_start(void* data, const oy_record* r, void** context) {
  (void)data, (void)r, (void)context;
  return OY_FAIL(INTERNAL, "no good");
}
static oy_status fail_end(void* data, const oy_record* r, void* context) {
  (void)data, (void)r, (void)context;
  return OY_FAIL(INTERNAL, "no better");
}

static void obs_07_errors_are_logged(void** state) {
  (void)state;
  oy_observer o = OY_OBSERVER_INIT;
  o.start = fail_start;
  oy_observe_log_set(log_line, NULL);
  uint64_t id = add(&o, OY_OBSERVE_THREAD);
  call_add();
  assert_string_equal(
      g_logged,
      "Exception in RecordFunction callback: no good , for the range aten::add");
  assert_int_equal(oy_error_get()->code, OY_OK);
  assert_true(oy_observer_remove(id));
  // The error of the call itself is the one that its caller gets.
  o.start = NULL;
  o.end = fail_end;
  id = add(&o, OY_OBSERVE_THREAD);
  oy_tensor* x = F32(OY_DIMS(2), 1, 2);
  oy_tensor* y = F32(OY_DIMS(3), 1, 2, 3);
  int before = g_lines;
  assert_null(oy_add_Tensor(x, y, ALPHA1));
  assert_int_equal(g_lines, before + 1);
  assert_non_null(strstr(oy_error_get()->message, "must match the size of tensor b"));
  oy_error_clear();
  assert_true(oy_observer_remove(id));
  oy_observe_log_set(NULL, NULL);
  oy_tensor_release(x);
  oy_tensor_release(y);
}

static int g_inner;
static oy_status call_in_callback(void* data, const oy_record* r, void** context) {
  (void)data, (void)r, (void)context;
  g_inner++;
  call_add();
  return OY_OK;
}

static void obs_05_callbacks_are_not_observed(void** state) {
  (void)state;
  oy_observer o = OY_OBSERVER_INIT;
  o.start = call_in_callback;
  uint64_t id = add(&o, OY_OBSERVE_ALL);
  call_add();
  assert_int_equal(g_inner, 1);
  assert_true(oy_observer_remove(id));
}

static uint64_t g_remove;
static oy_status remove_itself(void* data, const oy_record* r, void** context) {
  assert_true(oy_observer_remove(g_remove));
  return on_start(data, r, context);
}

static void obs_05_removed_in_flight(void** state) {
  (void)state;
  for (int where = 0; where < 2; where++) {
    seen s = {0};
    oy_observer o = observer_of(&s);
    o.start = remove_itself;
    g_remove = add(&o, (oy_observe_where)where);
    call_add();
    call_add();
    assert_int_equal(s.starts, 1);
    assert_int_equal(s.ends, 1);
    assert_int_equal(s.destroyed, 1);
  }
}

static void obs_08_unobserved(void** state) {
  (void)state;
  seen s = {0};
  oy_observer o = observer_of(&s);
  uint64_t id = add(&o, OY_OBSERVE_ALL);
  oy_tensor* x = F32(OY_DIMS(2), 1, 2);
  int64_t size = 0;
  MUST(oy_size_int(x, 0, &size));
  assert_int_equal(size, 2);
  assert_int_equal(s.starts, 0);
  assert_true(oy_observer_remove(id));
  oy_tensor_release(x);
}

// ----------------------------------------------------------------------- backward

static void obs_09_sequence_numbers(void** state) {
  (void)state;
  seen s = {0};
  oy_observer o = observer_of(&s);
  uint64_t id = add(&o, OY_OBSERVE_ALL);
  oy_tensor* x = oy_requires_grad_(F32(OY_DIMS(2), 1, 2), true);
  oy_tensor* y = oy_mul_Tensor(x, x);
  oy_tensor* z = oy_exp(y);
  oy_tensor* sum = oy_sum(z, oy_none());
  MUST(oy_backward(sum, NULL, false));
  int mul = find_record(&s, "aten::mul"), exp_ = find_record(&s, "aten::exp");
  int mul_back = find_record(&s, "MulBackward0");
  int exp_back = find_record(&s, "ExpBackward0");
  assert_true(mul >= 0 && exp_ > mul && exp_back > exp_ && mul_back > exp_back);
  assert_true(s.records[mul].sequence >= 0);
  assert_int_equal(s.records[exp_].sequence, s.records[mul].sequence + 1);
  assert_int_equal(s.records[mul_back].sequence, s.records[mul].sequence);
  assert_int_equal(s.records[exp_back].sequence, s.records[exp_].sequence);
  assert_int_equal(s.records[mul_back].scope, OY_RECORD_BACKWARD_FUNCTION);
  assert_int_equal(s.records[mul_back].forward_thread, s.records[mul].thread);
  assert_true(find_record(&s, "autograd::engine::evaluate_function: MulBackward0") >= 0);
  assert_true(find_record(&s, "torch::autograd::AccumulateGrad") >= 0);
  assert_int_equal(s.starts, s.ends);
  assert_true(oy_observer_remove(id));
  // Nothing is recorded below no_grad.
  s.starts = 0;
  id = add(&o, OY_OBSERVE_THREAD);
  oy_grad_guard guard = oy_no_grad();
  oy_tensor_release(oy_mul_Tensor(x, x));
  oy_grad_guard_end(&guard);
  assert_int_equal(s.records[0].sequence, -1);
  assert_true(oy_observer_remove(id));
  oy_tensor* all[] = {x, y, z, sum};
  for (int i = 0; i < 4; i++) oy_tensor_release(all[i]);
}

static void* record_in_thread(void* data) {
  *(oy_tensor**)data = oy_mul_Tensor(*(oy_tensor**)data, *(oy_tensor**)data);
  return NULL;
}

// A graph of another thread: its numbers are its own, and nodes know whose they are.
static void obs_09_backward_in_another_thread(void** state) {
  (void)state;
  seen s = {0};
  oy_observer o = observer_of(&s);
  uint64_t id = add(&o, OY_OBSERVE_ALL);
  oy_tensor *x = oy_requires_grad_(F32(OY_DIMS(1), 3), true), *y = x;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, record_in_thread, &y), 0);
  pthread_join(thread, NULL);
  assert_true(y && y != x);
  MUST(oy_backward(y, NULL, false));
  assert_true(element(oy_grad(x), 0) == 6);
  int mul = find_record(&s, "aten::mul"), back = find_record(&s, "MulBackward0");
  assert_true(mul >= 0 && back > mul);
  assert_true(s.records[mul].thread != s.records[back].thread);
  assert_int_equal(s.records[back].forward_thread, s.records[mul].thread);
  assert_int_equal(s.records[back].sequence, s.records[mul].sequence);
  assert_true(oy_observer_remove(id));
  oy_tensor_release(y);
  oy_tensor_release(x);
}

// A traced call that is observed as well is both printed and seen, once.
static int g_traced;
static void count_line(void* data, const char* line) {
  (void)data, (void)line;
  g_traced++;
}
static void obs_05_with_the_trace(void** state) {
  (void)state;
  seen s = {0};
  oy_observer o = observer_of(&s);
  int lines[3];
  oy_trace_set_sink(count_line, NULL);
  for (int k = 0; k < 3; k++) {
    uint64_t id = k ? add(&o, k == 1 ? OY_OBSERVE_ALL : OY_OBSERVE_THREAD) : 0;
    oy_tensor* x = oy_requires_grad_(F32(OY_DIMS(2), 1, 2), true);
    g_traced = 0;
    oy_trace_set(true);
    oy_tensor* y = oy_mul_Tensor(x, x);
    oy_trace_set(false);
    lines[k] = g_traced;
    if (k) assert_true(oy_observer_remove(id));
    oy_tensor_release(y);
    oy_tensor_release(x);
  }
  oy_trace_set_sink(NULL, NULL);
  assert_int_equal(lines[0], 2);
  assert_int_equal(lines[1], 2);
  assert_int_equal(lines[2], 2);
  assert_int_equal(s.starts, 2);
  assert_false(oy_trace_get());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(obs_05_thread_observer),
      cmocka_unit_test(obs_05_all_threads),
      cmocka_unit_test(obs_05_scopes_and_ranges),
      cmocka_unit_test(obs_05_order),
      cmocka_unit_test(obs_05_sampling),
      cmocka_unit_test(obs_05_switches),
      cmocka_unit_test(obs_05_bad_observers),
      cmocka_unit_test(obs_05_callbacks_are_not_observed),
      cmocka_unit_test(obs_05_removed_in_flight),
      cmocka_unit_test(obs_05_with_the_trace),
      cmocka_unit_test(obs_06_inputs_and_outputs),
      cmocka_unit_test(obs_07_errors_are_logged),
      cmocka_unit_test(obs_08_unobserved),
      cmocka_unit_test(obs_09_sequence_numbers),
      cmocka_unit_test(obs_09_backward_in_another_thread),
  };
  if (oy_init() != OY_OK) return 1;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
