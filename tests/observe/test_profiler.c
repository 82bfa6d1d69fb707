// SPDX-License-Identifier: Apache-2.0
// The profiler (opyard/profiler.h; reference, 7.6 and 7.7): self and total time, memory,
// shapes, the table's layout, both forms of the trace, threads, bounds.
#include <pthread.h>
#include <time.h>

#include "support/tensors.h"

#define MUST(call) assert_int_equal(call, OY_OK)

static oy_profiler* start(oy_profiler_options options) {
  oy_profiler* p;
  MUST(oy_profiler_start(&options, &p));
  return p;
}
static const oy_profiler_options g_plain = OY_PROFILER_OPTIONS_INIT;

static void wait_ms(int ms) {
  struct timespec t = {0, ms * 1000000L};
  nanosleep(&t, NULL);
}
static oy_tensor* ones(int64_t n) {
  return oy_ones(OY_DIMS(n), oy_int(OY_DTYPE_F32), oy_none(), oy_none(), oy_none());
}
static void call_mul(void) {
  oy_tensor* x = F32(OY_DIMS(2), 1, 2);
  oy_tensor* y = oy_mul_Tensor(x, x);
  assert_non_null(y);
  oy_tensor_release(y);
  oy_tensor_release(x);
}

static oy_profile_event find_event(oy_profiler* p, const char* name, size_t* out_index) {
  oy_profile_event e;
  for (size_t i = 0; i < oy_profiler_event_count(p); i++) {
    MUST(oy_profiler_event_get(p, i, &e));
    if (!oy_str_equal(e.name, oy_str_of(name))) continue;
    if (out_index) *out_index = i;
    return e;
  }
  print_error("no event named %s\n", name);
  fail();
  return e;
}

static oy_profile_average find_average(oy_profiler* p, const char* name) {
  oy_profile_average* rows;
  oy_profile_average found = {0};
  size_t count;
  MUST(oy_profiler_averages(p, NULL, &rows, &count));
  for (size_t i = 0; i < count; i++)
    if (oy_str_equal(rows[i].key, oy_str_of(name))) found = rows[i];
  oy_profile_averages_free(rows);
  return found;
}

// Outer waits 20 ms, and inner, in it, 30 ms: sleeping can only take longer.
static void obs_10_self_and_total(void** state) {
  (void)state;
  oy_profiler* p = start(g_plain);
  oy_range outer, inner;
  oy_range_begin_named(&outer, "outer");
  wait_ms(20);
  oy_range_begin_named(&inner, "inner");
  wait_ms(30);
  oy_range_end(&inner);
  oy_range_end(&outer);
  MUST(oy_profiler_stop(p));
  size_t at;
  oy_profile_event o = find_event(p, "outer", &at), i = find_event(p, "inner", NULL);
  assert_int_equal(i.parent, at);
  assert_true(o.parent == SIZE_MAX);
  assert_true(i.end_ns - i.start_ns >= 30000000);
  assert_true(o.self_ns >= 20000000);
  assert_int_equal(i.self_ns, i.end_ns - i.start_ns);
  assert_int_equal(o.self_ns + i.self_ns, o.end_ns - o.start_ns);
  assert_int_equal(oy_profiler_event_count(p), 2);
  assert_true(oy_profiler_duration(p) >= o.end_ns - o.start_ns);
  oy_profiler_free(p);
}

static void obs_10_calls_and_composites(void** state) {
  (void)state;
  oy_profiler* p = start(g_plain);
  for (int i = 0; i < 5; i++) call_mul();
  oy_tensor* x = F32(OY_DIMS(2, 2), 1, 2, 3, 4);
  oy_tensor* y = oy_matmul(x, x);
  MUST(oy_profiler_stop(p));
  assert_int_equal(find_average(p, "aten::mul").count, 5);
  size_t matmul;
  (void)find_event(p, "aten::matmul", &matmul);
  assert_int_equal(find_event(p, "aten::mm", NULL).parent, matmul);
  oy_profile_event mul = find_event(p, "aten::mul", NULL);
  assert_true(oy_str_equal(mul.full_name, oy_str_of("aten::mul.Tensor")));
  assert_true(find_average(p, "aten::matmul").total_ns >=
              find_average(p, "aten::mm").total_ns);
  oy_profiler_free(p);
  oy_tensor_release(x);
  oy_tensor_release(y);
}

// ------------------------------------------------------------------------- the table

static char* table_of(oy_profiler* p, const oy_profile_table* table) {
  char* text;
  MUST(oy_profiler_table(p, table, &text));
  return text;
}

// The |n|th line, from 0, as a copy in a static buffer.
static const char* line_of(const char* text, int n) {
  static char line[2048];
  while (n-- > 0) text = strchr(text, '\n') + 1;
  snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
  return line;
}

// Layout by hand from section 7.6 of the reference: the longest name, 9 characters, and
// 4; columns of 12; two spaces behind each.
static void obs_10_table(void** state) {
  (void)state;
  oy_profiler* p = start(g_plain);
  for (int i = 0; i < 3; i++) call_mul();
  MUST(oy_profiler_stop(p));
  char* text = table_of(p, NULL);
  const char rule[] =
      "-------------  ------------  ------------  ------------  ------------  "
      "------------  ------------  ";
  assert_string_equal(line_of(text, 0), rule);
  assert_string_equal(
      line_of(text, 1),
      "         Name    Self CPU %      Self CPU   CPU total %     CPU total"
      "  CPU time avg    # of Calls  ");
  assert_string_equal(line_of(text, 2), rule);
  const char* row = line_of(text, 3);
  assert_int_equal(strlen(row), strlen(rule));
  assert_memory_equal(row, "    aten::mul       100.00%  ", 29);
  assert_string_equal(row + strlen(row) - 14, "           3  ");
  assert_string_equal(line_of(text, 4), rule);
  assert_memory_equal(line_of(text, 5), "Self CPU time total: ", 21);
  oy_text_free(text);
  oy_profile_table table = OY_PROFILE_TABLE_INIT;
  table.header = "what it took";
  text = table_of(p, &table);
  assert_int_equal(strspn(text, "="), strlen(rule) - 2);
  assert_string_equal(line_of(text, 1), "what it took");
  oy_text_free(text);
  table.sort_by = "speed";
  assert_int_equal(oy_profiler_table(p, &table, &text), OY_INVALID_ARGUMENT);
  assert_null(text);
  oy_error_clear();
  oy_profiler_free(p);
}

static void obs_10_sorting_and_limits(void** state) {
  (void)state;
  oy_profiler* p = start(g_plain);
  static const char* const names[] = {"short", "long", "middle"};
  static const int waits[] = {1, 40, 20};
  for (int i = 0; i < 3; i++) {
    oy_range r;
    oy_range_begin_named(&r, names[i]);
    wait_ms(waits[i]);
    oy_range_end(&r);
  }
  MUST(oy_profiler_stop(p));
  oy_profile_table table = OY_PROFILE_TABLE_INIT;
  char* text = table_of(p, &table);
  assert_true(strstr(text, "short") < strstr(text, "long"));
  oy_text_free(text);
  table.sort_by = "cpu_time_total";
  text = table_of(p, &table);
  assert_true(strstr(text, " long") < strstr(text, "middle"));
  assert_true(strstr(text, "middle") < strstr(text, "short"));
  assert_non_null(strstr(text, "ms"));
  oy_text_free(text);
  table.row_limit = 1;
  text = table_of(p, &table);
  assert_null(strstr(text, "middle"));
  oy_text_free(text);
  table.max_name_column_width = 8;  // "short" fits in 8 - 3, "middle" does not
  table.row_limit = -1;
  text = table_of(p, &table);
  assert_non_null(strstr(text, "middl..."));
  oy_text_free(text);
  oy_profiler_free(p);
}

static void obs_10_shapes(void** state) {
  (void)state;
  oy_profiler_options options = g_plain;
  options.record_shapes = true;
  oy_profiler* p = start(options);
  oy_tensor* x = F32(OY_DIMS(3, 4), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
  oy_tensor* y = oy_add_Tensor(x, x, oy_int(3));
  oy_tensor* t = oy_t(x);
  oy_tensor* z = oy_mm(x, t);
  oy_tensor* parts[] = {x, y};
  oy_tensor* joined = oy_cat((oy_tensors){parts, 2}, 0);
  MUST(oy_profiler_stop(p));
  oy_profile_event add = find_event(p, "aten::add", NULL);
  assert_string_equal(add.input_shapes, "[[3, 4], [3, 4], []]");
  assert_string_equal(add.input_strides, "[[4, 1], [4, 1], []]");
  assert_string_equal(add.input_types, "[\"float\", \"float\", \"Scalar\"]");
  assert_string_equal(add.concrete_inputs, "[\"\", \"\", \"3\"]");
  oy_profile_event mm = find_event(p, "aten::mm", NULL);
  assert_string_equal(mm.input_shapes, "[[3, 4], [4, 3]]");
  assert_string_equal(mm.input_strides, "[[4, 1], [1, 4]]");
  oy_profile_event cat = find_event(p, "aten::cat", NULL);
  assert_string_equal(cat.input_shapes, "[[[3, 4], [3, 4]], []]");
  oy_profile_table table = OY_PROFILE_TABLE_INIT;
  table.group_by_input_shape = true;
  char* text = table_of(p, &table);
  assert_non_null(strstr(text, "Input Shapes  \n"));
  assert_non_null(strstr(text, "  [[3, 4], [4, 3]]  \n"));
  oy_text_free(text);
  oy_tensor* all[] = {x, y, t, z, joined};
  for (int i = 0; i < 5; i++) oy_tensor_release(all[i]);
  oy_profiler_free(p);
}

// A block of 4 MiB is made inside of a range, and given back in another one.
static void obs_10_memory(void** state) {
  (void)state;
  oy_profiler_options options = g_plain;
  options.profile_memory = true;
  const int64_t size = 4 << 20;
  oy_profiler* p = start(options);
  oy_range r;
  oy_range_begin_named(&r, "made");
  oy_tensor* x = ones(size / 4);
  oy_range_end(&r);
  oy_range_begin_named(&r, "freed");
  oy_tensor_release(x);
  oy_range_end(&r);
  oy_tensor* left = ones(size / 4);
  oy_tensor_release(left);
  MUST(oy_profiler_stop(p));
  oy_profile_event made = find_event(p, "made", NULL),
                   freed = find_event(p, "freed", NULL);
  assert_true(made.memory >= size && made.memory < size + 8192);
  assert_int_equal(made.self_memory, 0);
  // Descriptions of free blocks may stay.
  assert_true(llabs(made.memory + freed.memory) < 8192);
  assert_int_equal(freed.self_memory, freed.memory);
  oy_profile_average outside = find_average(p, "[memory]");
  assert_true(llabs(outside.memory + made.memory) < 8192);
  assert_true(find_average(p, "aten::empty").self_memory >= 2 * size);
  char* text = table_of(p, NULL);
  assert_non_null(strstr(text, "     CPU Mem  Self CPU Mem  "));
  assert_non_null(strstr(text, "4.00 Mb"));
  oy_text_free(text);
  oy_profiler_free(p);
  // The thread keeps free blocks again, and they are whole.
  for (int i = 0; i < 300; i++) call_mul();
}

static void obs_10_stacks(void** state) {
  (void)state;
  oy_profiler_options options = g_plain;
  options.with_stack = true;
  oy_profiler* p = start(options);
  call_mul();
  MUST(oy_profiler_stop(p));
  oy_profile_event e = find_event(p, "aten::mul", NULL);
  assert_true(e.stack_depth > 2);
  char name[256];
  oy_profiler_symbol(e.stack[0], name, sizeof name);
  assert_non_null(strstr(name, "+0x"));
  oy_profiler_symbol(NULL, name, sizeof name);
  oy_profiler_free(p);
}

static size_t tell_frames(char* buffer, size_t size) {
  static const char text[] = "b.lang(2): inner\na.lang(1): outer";
  assert_true(size > sizeof text);
  memcpy(buffer, text, sizeof text);
  return sizeof text - 1;
}

// What the language above C tells, in events and in the table.
static void obs_10_frames(void** state) {
  (void)state;
  oy_profiler_options options = g_plain;
  options.with_stack = true;
  oy_profiler_frames_source_set(tell_frames);
  oy_profiler* p = start(options);
  call_mul();
  oy_profiler_frames_source_set(NULL);
  call_mul();
  MUST(oy_profiler_stop(p));
  oy_profile_event e = find_event(p, "aten::mul", NULL);
  assert_string_equal(e.frames, "b.lang(2): inner\na.lang(1): outer");
  oy_profile_grouping by = {false, 1};
  oy_profile_average* rows;
  size_t count, groups = 0;
  MUST(oy_profiler_averages(p, &by, &rows, &count));
  for (size_t i = 0; i < count; i++) {
    if (!oy_str_equal(rows[i].key, oy_str_of("aten::mul"))) continue;
    assert_true(
        oy_str_equal(rows[i].frames, oy_str_of(groups++ ? "" : "b.lang(2): inner")));
    assert_int_equal(rows[i].count, 1);
  }
  assert_int_equal(groups, 2);
  oy_profile_averages_free(rows);
  oy_profile_table table = OY_PROFILE_TABLE_INIT;
  table.group_by_stack_n = 2;
  char* text = table_of(p, &table);
  assert_non_null(strstr(text, "  b.lang(2): inner"));
  assert_non_null(strstr(text, "\n                "));
  oy_text_free(text);
  oy_profiler_free(p);
}

static void obs_10_flops(void** state) {
  (void)state;
  oy_profiler_options options = g_plain;
  options.with_flops = true;
  oy_profiler* p = start(options);
  oy_tensor* x = F32(OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  oy_tensor* t = oy_t(x);
  oy_tensor* y = oy_mm(x, t);
  // A call that fails counts, as it does in PyTorch's profiler.
  oy_tensor* huge = oy_expand(x, OY_DIMS(1LL << 40, 2, 3), false);
  oy_tensor* other = oy_expand(t, OY_DIMS(2, 3, 2), false);
  assert_null(oy_bmm(huge, other));
  oy_error_clear();
  MUST(oy_profiler_stop(p));
  assert_int_equal(find_event(p, "aten::mm", NULL).flops, 2 * 2 * 3 * 2);
  assert_int_equal(find_average(p, "aten::mm").flops, 24);
  assert_true(find_event(p, "aten::bmm", NULL).flops == (2ull << 40) * 6 * 2);
  assert_int_equal(find_event(p, "aten::t", NULL).flops, 0);
  oy_profiler_free(p);
  oy_tensor* all[] = {x, t, y, huge, other};
  for (int i = 0; i < 5; i++) oy_tensor_release(all[i]);
}

// ------------------------------------------------------------------- life and bounds

static void obs_10_nested_profilers(void** state) {
  (void)state;
  oy_profiler* outer = start(g_plain);
  call_mul();
  oy_profiler_options options = g_plain;
  options.this_thread = true;
  oy_profiler* inner = start(options);
  call_mul();
  MUST(oy_profiler_stop(inner));
  call_mul();
  MUST(oy_profiler_stop(outer));
  MUST(oy_profiler_stop(outer));
  call_mul();
  assert_int_equal(find_average(inner, "aten::mul").count, 1);
  assert_int_equal(find_average(outer, "aten::mul").count, 3);
  oy_profiler_free(outer);
  oy_profiler_free(inner);
  oy_profiler_free(NULL);
}

// What the thread is in when it stops counts as ended; what ends later is left alone.
static void obs_10_stopped_inside(void** state) {
  (void)state;
  oy_range r;
  oy_profiler* p = start(g_plain);
  oy_range_begin_named(&r, "around");
  call_mul();
  MUST(oy_profiler_stop(p));
  oy_profiler* next = start(g_plain);
  oy_range_end(&r);
  call_mul();
  MUST(oy_profiler_stop(next));
  size_t at;
  (void)find_event(p, "around", &at);
  assert_int_equal(find_event(p, "aten::mul", NULL).parent, at);
  assert_int_equal(oy_profiler_event_count(next), 1);
  oy_profiler_free(p);
  oy_profiler_free(next);
}

static void obs_10_bounded(void** state) {
  (void)state;
  oy_profiler_options options = g_plain;
  options.max_events = 300;
  oy_profiler* p = start(options);
  for (int i = 0; i < 1000; i++) call_mul();
  assert_int_equal(oy_profiler_event_count(p), 0);
  oy_profile_event e;
  assert_int_equal(oy_profiler_event_get(p, 0, &e), OY_FAILED_PRECONDITION);
  MUST(oy_profiler_stop(p));
  assert_int_equal(oy_profiler_event_count(p), 300);
  assert_int_equal(oy_profiler_dropped(p), 700);
  assert_int_equal(oy_profiler_event_get(p, 300, &e), OY_OUT_OF_RANGE);
  oy_error_clear();
  oy_profiler_free(p);
}

enum { THREADS = 4, CALLS = 500 };
static void* many_calls(void* unused) {
  (void)unused;
  for (int i = 0; i < CALLS; i++) call_mul();
  return NULL;
}

static void obs_10_threads(void** state) {
  (void)state;
  oy_profiler_options options = g_plain;
  options.record_shapes = options.profile_memory = true;
  oy_profiler* p = start(options);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, many_calls, NULL), 0);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  MUST(oy_profiler_stop(p));
  assert_int_equal(find_average(p, "aten::mul").count, THREADS * CALLS);
  assert_int_equal(oy_profiler_dropped(p), 0);
  oy_profiler_free(p);
  // Started and stopped while others call.
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, many_calls, NULL), 0);
  for (int i = 0; i < 20; i++) {
    p = start(options);
    call_mul();
    MUST(oy_profiler_stop(p));
    assert_true(find_average(p, "aten::mul").count >= 1);
    oy_profiler_free(p);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}

static void obs_10_out_of_memory(void** state) {
  (void)state;
  // Whatever cannot be kept is left out; calls go on.
  oy_profiler_options options = g_plain;
  options.record_shapes = true;
  for (int n = 0; n < 40; n++) {
    oy_profiler* p = NULL;
    oy_tensor* x = F32(OY_DIMS(2), 1, 2);
    failing f = {.left = n};
    f.below = oy_allocator_set((oy_allocator){failing_reallocate, &f});
    oy_status status = oy_profiler_start(&options, &p);
    oy_tensor* y = status == OY_OK ? oy_mul_Tensor(x, x) : NULL;
    oy_allocator_set(f.below);
    if (status == OY_OK) {
      MUST(oy_profiler_stop(p));
      (void)oy_profiler_event_count(p);
    }
    oy_error_clear();
    oy_profiler_free(p);
    oy_tensor_release(y);
    oy_tensor_release(x);
  }
}

// --------------------------------------------------------------------------- the trace

// Two files for test_trace.sh, which reads them with a JSON parser.
static void obs_11_traces(void** state) {
  (void)state;
  oy_profiler_options options = {
      .record_shapes = true, .profile_memory = true, .with_stack = true};
  oy_profiler* p = start(options);
  oy_range r;
  oy_range_begin_named(&r, "quoted \"name\" \\ \n \xff");
  oy_tensor* x = oy_requires_grad_(F32(OY_DIMS(2), 1, 2), true);
  oy_tensor* y = oy_mul_Tensor(x, x);
  oy_tensor* sum = oy_sum(y, oy_none());
  MUST(oy_backward(sum, NULL, false));
  oy_range_end(&r);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, many_calls, NULL), 0);
  pthread_join(thread, NULL);
  MUST(oy_profiler_stop(p));
  MUST(oy_profiler_export_trace(p, "trace_object.json", OY_TRACE_OBJECT));
  MUST(oy_profiler_export_trace(p, "trace_array.json", OY_TRACE_ARRAY));
  assert_int_equal(oy_profiler_export_trace(p, "no/such/folder.json", OY_TRACE_ARRAY),
                   OY_IO);
  assert_non_null(strstr(oy_error_get()->message, "no/such/folder.json"));
  oy_error_clear();
  char* text;
  MUST(oy_profiler_trace(p, OY_TRACE_ARRAY, &text));
  assert_int_equal(text[0], '[');
  oy_text_free(text);
  oy_tensor* all[] = {x, y, sum};
  for (int i = 0; i < 3; i++) oy_tensor_release(all[i]);
  oy_profiler_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(obs_10_self_and_total),
      cmocka_unit_test(obs_10_calls_and_composites),
      cmocka_unit_test(obs_10_table),
      cmocka_unit_test(obs_10_sorting_and_limits),
      cmocka_unit_test(obs_10_shapes),
      cmocka_unit_test(obs_10_memory),
      cmocka_unit_test(obs_10_stacks),
      cmocka_unit_test(obs_10_frames),
      cmocka_unit_test(obs_10_flops),
      cmocka_unit_test(obs_10_nested_profilers),
      cmocka_unit_test(obs_10_stopped_inside),
      cmocka_unit_test(obs_10_bounded),
      cmocka_unit_test(obs_10_threads),
      cmocka_unit_test(obs_10_out_of_memory),
      cmocka_unit_test(obs_11_traces),
  };
  if (oy_init() != OY_OK) return 1;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
