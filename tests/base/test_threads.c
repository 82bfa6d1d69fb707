// SPDX-License-Identifier: Apache-2.0
// The thread pool: each chunk once, errors, nesting, several callers, fork, unloading.
// test_threads_condition.c runs all of it again without futexes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/threads.h"

#if defined(__SANITIZE_THREAD__)
#define UNDER_TSAN 1
#elif defined(__has_feature)
#define UNDER_TSAN __has_feature(thread_sanitizer)
#else
#define UNDER_TSAN 0
#endif

enum { MOST = 1000 };

static void set_threads(int count) {
  assert_int_equal(oy_set_num_threads(count), OY_OK);
  assert_int_equal(oy_get_num_threads(), count);
}

// ---------------------------------------------------------------------- chunks

typedef struct record {
  int runs[MOST];     // how often each chunk ran, atomic
  int64_t fails[3];   // chunks that fail
  bool parallel_too;  // oy_in_parallel_region() in some chunk
} record;

static oy_status count_chunk(int64_t index, void* context) {
  record* r = context;
  __atomic_fetch_add(&r->runs[index], 1, __ATOMIC_RELAXED);
  if (oy_in_parallel_region()) __atomic_store_n(&r->parallel_too, true, __ATOMIC_RELAXED);
  for (int i = 0; i < 3; i++)
    if (r->fails[i] == index)
      return OY_FAIL(EXHAUSTED, "chunk %lld failed", (long long)index);
  return OY_OK;
}

static void each_chunk_runs_once(void** state) {
  (void)state;
  static const int64_t counts[] = {0, 1, 2, 3, 7, 64, MOST};
  for (int threads = 1; threads <= 5; threads++) {
    set_threads(threads);
    for (size_t row = 0; row < sizeof(counts) / sizeof(counts[0]); row++)
      for (int again = 0; again < 20; again++) {
        record r = {.fails = {-1, -1, -1}};
        assert_int_equal(oyi_parallel_chunks(counts[row], count_chunk, &r), OY_OK);
        for (int i = 0; i < MOST; i++) assert_int_equal(r.runs[i], i < counts[row]);
        assert_int_equal(r.parallel_too, threads > 1 && counts[row] > 1);
        assert_false(oy_in_parallel_region());
      }
  }
}

// Whoever is first, the caller gets the error of the lowest chunk.
static void the_first_failing_chunk_is_reported(void** state) {
  (void)state;
  for (int threads = 1; threads <= 4; threads++) {
    set_threads(threads);
    for (int again = 0; again < 200; again++) {
      record r = {.fails = {90, 17, 55}};
      oy_error_clear();
      assert_int_equal(oyi_parallel_chunks(100, count_chunk, &r), OY_EXHAUSTED);
      assert_int_equal(oy_error_get()->code, OY_EXHAUSTED);
      assert_string_equal(oy_error_get()->message, "chunk 17 failed");
      for (int i = 0; i < 18; i++) assert_int_equal(r.runs[i], 1);
      for (int i = 0; i < 100; i++) assert_in_range(r.runs[i], 0, 1);
    }
  }
  // What worked leaves a pending error alone.
  record r = {.fails = {-1, -1, -1}};
  assert_int_equal(oyi_parallel_chunks(100, count_chunk, &r), OY_OK);
  assert_string_equal(oy_error_get()->message, "chunk 17 failed");
  oy_error_clear();
}

static oy_status set_whole_error(int64_t index, void* context) {
  (void)context;
  if (index != 3) return OY_OK;
  (void)OY_FAIL(NOT_FOUND, "expected %d", 3);
  oy_error_set_op(oy_str_of("aten::add"));
  oy_error_set_argument(oy_str_of("self"));
  oy_error_set_detail(oy_str_of("a table"));
  oy_error_note("while %s", "testing");
  return OY_NOT_FOUND;
}

static void the_whole_error_record_travels(void** state) {
  (void)state;
  set_threads(4);
  for (int again = 0; again < 50; again++) {
    (void)OY_FAIL(INTERNAL, "an older error");
    assert_int_equal(oyi_parallel_chunks(8, set_whole_error, NULL), OY_NOT_FOUND);
    const oy_error* error = oy_error_get();
    assert_string_equal(error->message, "expected 3");
    assert_string_equal(error->op, "aten::add");
    assert_string_equal(error->argument, "self");
    assert_string_equal(error->detail, "a table");
    assert_string_equal(error->notes, "while testing");
    assert_non_null(strstr(error->file, "test_threads.c"));
    oy_error_clear();
  }
}

// ---------------------------------------------------------------------- ranges

typedef struct steps {
  unsigned char seen[MOST];
  int pieces;
} steps;

static oy_status mark_steps(int64_t begin, int64_t end, void* context) {
  steps* s = context;
  __atomic_fetch_add(&s->pieces, 1, __ATOMIC_RELAXED);
  for (int64_t i = begin; i < end; i++) s->seen[i]++;
  return OY_OK;
}

static void each_step_is_in_one_piece(void** state) {
  (void)state;
  static const struct {
    int threads;
    int64_t begin, end, grain;
    bool split;
  } rows[] = {
      {1, 0, MOST, 1, false},  {4, 0, MOST, 1, true},     {4, 7, MOST, 10, true},
      {4, 0, 10, 10, false},   {4, 0, 11, 10, true},      {3, 5, 5, 1, false},
      {3, 9, 5, 1, false},     {3, 0, MOST, 0, true},     {3, 0, MOST, -5, true},
      {2, 0, MOST, 999, true}, {2, 0, MOST, 1000, false}, {256, 1, 3, 1, true},
  };
  for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
    steps s = {{0}, 0};
    set_threads(rows[row].threads);
    assert_int_equal(
        oy_parallel_for(rows[row].begin, rows[row].end, rows[row].grain, mark_steps, &s),
        OY_OK);
    for (int64_t i = 0; i < MOST; i++)
      assert_int_equal(s.seen[i], i >= rows[row].begin && i < rows[row].end);
    if (rows[row].begin < rows[row].end) assert_int_equal(s.pieces > 1, rows[row].split);
  }
}

static oy_status add_edges(int64_t begin, int64_t end, void* context) {
  assert_true(begin < end);
  __atomic_fetch_add((uint64_t*)context, (uint64_t)end - (uint64_t)begin,
                     __ATOMIC_RELAXED);
  return OY_OK;
}

static void ranges_at_the_limits(void** state) {
  (void)state;
  uint64_t total = 0;
  set_threads(3);
  assert_int_equal(oy_parallel_for(INT64_MIN, -1, 1, add_edges, &total), OY_OK);
  assert_true(total == INT64_MAX);
  total = 0;
  assert_int_equal(oy_parallel_for(1, INT64_MAX, 1000, add_edges, &total), OY_OK);
  assert_true(total == INT64_MAX - 1);
  assert_int_equal(oy_parallel_for(INT64_MIN, INT64_MAX, 1, add_edges, &total),
                   OY_OUT_OF_RANGE);
  oy_error_clear();
}

static oy_status nested(int64_t begin, int64_t end, void* context) {
  steps* s = context;
  for (int64_t i = begin; i < end; i++) {
    s[i].pieces = 0;
    OY_TRY(oy_parallel_for(0, MOST, 1, mark_steps, &s[i]));
    if (s[i].pieces != 1) return OY_FAIL(INTERNAL, "%d pieces", s[i].pieces);
  }
  return OY_OK;
}

static void nested_regions_run_inline(void** state) {
  (void)state;
  static steps s[16];
  set_threads(3);
  assert_int_equal(oy_parallel_for(0, 16, 1, nested, s), OY_OK);
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < MOST; j++) assert_int_equal(s[i].seen[j], 1);
}

// --------------------------------------------------------------------- threads

typedef struct meeting {
  int inside;  // chunks that are under way, atomic
  bool met;
} meeting;

static oy_status wait_for_the_other(int64_t index, void* context) {
  meeting* m = context;
  __atomic_fetch_add(&m->inside, 1, __ATOMIC_SEQ_CST);
  for (int i = 0; i < 20 && !__atomic_load_n(&m->met, __ATOMIC_SEQ_CST); i++) {
    if (__atomic_load_n(&m->inside, __ATOMIC_SEQ_CST) > 1)
      __atomic_store_n(&m->met, true, __ATOMIC_SEQ_CST);
    usleep(200);
  }
  __atomic_fetch_sub(&m->inside, 1, __ATOMIC_SEQ_CST);
  (void)index;
  return OY_OK;
}

static int cpus(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

// To the |nth| CPU of those that are |allowed|.
static void pin(const cpu_set_t* allowed, int nth) {
  cpu_set_t one;
  CPU_ZERO(&one);
  int cpu = 0;
  while (!CPU_ISSET(cpu, allowed) || nth-- > 0) cpu++;
  CPU_SET(cpu, &one);
  sched_setaffinity(0, sizeof(one), &one);
}

// Two chunks come to be under way at one time. A worker on the caller's CPU leaves the
// work to it; so the first worker, which must not have started yet, starts on one CPU,
// and the caller goes to another. On a busy machine it may come late: this tries often.
static bool two_meet(void) {
  cpu_set_t allowed;
  meeting m = {0, false};
  sched_getaffinity(0, sizeof(allowed), &allowed);
  pin(&allowed, 0);
  oy_status status = oyi_parallel_chunks(2, wait_for_the_other, &m);
  pin(&allowed, 1);
  for (int again = 0; again < 5000 && !m.met && status == OY_OK; again++)
    status = oyi_parallel_chunks(2, wait_for_the_other, &m);
  sched_setaffinity(0, sizeof(allowed), &allowed);
  return status == OY_OK && m.met;
}

// Runs first, while there is no worker.
static void two_threads_run_at_once(void** state) {
  (void)state;
  if (cpus() < 2) skip();
  set_threads(2);
  assert_true(two_meet());
}

static oy_status sleep_if_not_first(int64_t index, void* context) {
  if (index > 0) usleep(3000);  // longer than the caller spins
  __atomic_fetch_add((int*)context, 1, __ATOMIC_RELAXED);
  return OY_OK;
}

static void the_caller_sleeps_until_the_last_has_left(void** state) {
  (void)state;
  set_threads(4);
  for (int again = 0; again < 20; again++) {
    int done = 0;
    assert_int_equal(oyi_parallel_chunks(4, sleep_if_not_first, &done), OY_OK);
    assert_int_equal(done, 4);
  }
}

static void* call_often(void* argument) {
  for (int again = 0; again < 300; again++) {
    steps s = {{0}, 0};
    if (oy_parallel_for(0, MOST, 10, mark_steps, &s) != OY_OK) return argument;
    for (int i = 0; i < MOST; i++)
      if (s.seen[i] != 1) return argument;
    record r = {.fails = {again % 50, 60, 61}};
    char text[64];
    snprintf(text, sizeof(text), "chunk %d failed", again % 50);
    if (oyi_parallel_chunks(100, count_chunk, &r) != OY_EXHAUSTED) return argument;
    if (strcmp(oy_error_get()->message, text) != 0) return argument;
  }
  return NULL;
}

static void several_threads_open_regions(void** state) {
  (void)state;
  pthread_t callers[4];
  set_threads(3);
  for (int i = 0; i < 4; i++)
    assert_int_equal(pthread_create(&callers[i], NULL, call_often, &callers), 0);
  for (int i = 0; i < 4; i++) {
    void* wrong;
    pthread_join(callers[i], &wrong);
    assert_null(wrong);
  }
}

static void number_of_threads(void** state) {
  (void)state;
  set_threads(2);
  assert_int_equal(oy_set_num_threads(0), OY_INVALID_ARGUMENT);
  assert_string_equal(oy_error_get()->message,
                      "Expected positive number of threads, got 0");
  assert_int_equal(oy_set_num_threads(-3), OY_INVALID_ARGUMENT);
  oy_error_clear();
  assert_int_equal(oy_get_num_threads(), 2);
  assert_int_equal(oy_set_num_threads(1000000), OY_OK);
  assert_int_equal(oy_get_num_threads(), OY_THREADS_MAX);
}

// ------------------------------------------------------------------- processes

static char g_program[4096];

// What a new process says about its threads, with OPYARD_NUM_THREADS set so.
static void assert_says(const char* value, const char* want) {
  char command[5000], got[64] = "";
  snprintf(command, sizeof(command), "OPYARD_NUM_THREADS='%s' '%s' --say", value,
           g_program);
  FILE* pipe = popen(command, "r");
  assert_non_null(pipe);
  assert_non_null(fgets(got, sizeof(got), pipe));
  assert_int_equal(pclose(pipe), 0);
  assert_string_equal(got, want);
}

// The first number is that at the start, the second after asking for 5.
static void environment_caps(void** state) {
  (void)state;
  char want[64];
  snprintf(want, sizeof(want), "%d %d\n", cpus() < 3 ? cpus() : 3, 3);
  assert_says("1", "1 1\n");
  assert_says("3", want);
  snprintf(want, sizeof(want), "%d 5\n", cpus());
  static const char* const ignored[] = {"",    "0",  "-1",
                                        "two", "2x", "99999999999999999999"};
  for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
    assert_says(ignored[i], want);
}

static int say(void) {
  int at_first = oy_get_num_threads();
  if (oy_set_num_threads(5) != OY_OK) return 1;
  printf("%d %d\n", at_first, oy_get_num_threads());
  return 0;
}

static int tasks(void) {
  int count = 0;
  DIR* folder = opendir("/proc/self/task");
  for (struct dirent* e; (e = readdir(folder));) count += e->d_name[0] != '.';
  closedir(folder);
  return count;
}

static int in_child(void) {
  if (tasks() != 1) return 1;
  if (cpus() > 1 && !two_meet()) return 2;
  for (int again = 0; again < 20; again++) {
    record r = {.fails = {-1, -1, -1}};
    if (oyi_parallel_chunks(100, count_chunk, &r) != OY_OK) return 4;
  }
  return tasks() == 2 ? 0 : 3;
}

// A child starts workers of its own, whatever the parent's do at the moment.
static void fork_leaves_the_workers_behind(void** state) {
  (void)state;
  if (UNDER_TSAN) skip();  // it does not bear threads in a child
  set_threads(2);
  for (int again = 0; again < 10; again++) {
    int status = 0;
    record r = {.fails = {-1, -1, -1}};
    assert_int_equal(oyi_parallel_chunks(100, count_chunk, &r), OY_OK);
    if (again % 2) usleep(1000);
    pid_t child = fork();
    if (child == 0) _exit(in_child());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
  }
}

typedef oy_status (*parallel_for_fn)(int64_t, int64_t, int64_t, oy_range_fn, void*);

// Workers run the library's code, so they are gone before it is.
static void unloading_joins_the_workers(void** state) {
  (void)state;
  for (int again = 0; again < 5; again++) {
    void* library = dlopen(OY_BINARY_DIR "/libopyard-dispatch.so", RTLD_NOW | RTLD_LOCAL);
    if (!library) skip();
    int before = tasks();
    parallel_for_fn parallel_for = (parallel_for_fn)dlsym(library, "oy_parallel_for");
    oy_status (*set)(int) = (oy_status(*)(int))dlsym(library, "oy_set_num_threads");
    assert_int_equal(set(3), OY_OK);
    steps s = {{0}, 0};
    assert_int_equal(parallel_for(0, MOST, 1, mark_steps, &s), OY_OK);
    assert_int_equal(tasks(), before + 2);
    dlclose(library);
    assert_int_equal(tasks(), before);
  }
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "--say") == 0) return say();
  if (!realpath(argv[0], g_program)) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_threads_run_at_once),
      cmocka_unit_test(each_chunk_runs_once),
      cmocka_unit_test(the_first_failing_chunk_is_reported),
      cmocka_unit_test(the_whole_error_record_travels),
      cmocka_unit_test(each_step_is_in_one_piece),
      cmocka_unit_test(ranges_at_the_limits),
      cmocka_unit_test(nested_regions_run_inline),
      cmocka_unit_test(the_caller_sleeps_until_the_last_has_left),
      cmocka_unit_test(several_threads_open_regions),
      cmocka_unit_test(number_of_threads),
      cmocka_unit_test(environment_caps),
      cmocka_unit_test(fork_leaves_the_workers_behind),
      cmocka_unit_test(unloading_joins_the_workers),
  };
  return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
