// SPDX-License-Identifier: Apache-2.0
// One thread and two, each on a processor of its own. Calls read shared memory and
// write their thread's own, so two threads should do twice the work: as much as the floor,
// which shares nothing either, shows that the machine allows in the same run.
#include <pthread.h>
#include <unistd.h>

#include "dispatch_ops.h"

enum { CALLS = 200000 };

typedef struct job {
  bench_tt_fn call;  // NULL: the floor's
  oy_object *a, *b;
  const floor_api* floor;
  floor_tensor tensors[2];
  int cpu;
  double ns;  // per call
} job;

static pthread_barrier_t g_barrier;

static void make_calls(job* j, int count) {
  oy_object *a = j->a, *b = j->b;
  for (int i = 0; i < count; i++) {
    BENCH_BARRIER();
    (void)j->call(a, b);
  }
}
static void make_floor_calls(job* j, int count) {
  for (int i = 0; i < count; i++) {
    BENCH_BARRIER();
    (void)j->floor->call(&j->floor->plain, &j->tensors[0], &j->tensors[1]);
  }
}

static void* work(void* argument) {
  job* j = argument;
  void (*make)(job*, int) = j->call ? make_calls : make_floor_calls;
  bench_pin(j->cpu);
  make(j, CALLS / 100);
  pthread_barrier_wait(&g_barrier);
  double begin = bench_now();
  make(j, CALLS);
  j->ns = (bench_now() - begin) / CALLS;
  return NULL;
}

static double run_threads(job* jobs, int count) {
  pthread_t threads[2];
  pthread_barrier_init(&g_barrier, NULL, (unsigned)count);
  for (int i = 0; i < count; i++)
    if (pthread_create(&threads[i], NULL, work, &jobs[i]) != 0)
      bench_die("cannot make a thread");
  double ns = 0;
  for (int i = 0; i < count; i++) {
    pthread_join(threads[i], NULL);
    ns += jobs[i].ns;
  }
  pthread_barrier_destroy(&g_barrier);
  return ns / count;
}

typedef struct figures {
  bench_tt_fn call;
  oy_object tensors[2][2];  // of each thread; aligned, so that no line is shared
  const floor_api* floor;
  double one, own, shared, floor_one, floor_two;
} __attribute__((aligned(64))) figures;

static figures g_figures;

static void measure(figures* f) {
  job jobs[2] __attribute__((aligned(64)));
  int last = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;
  for (int i = 0; i < 2; i++)
    jobs[i] = (job){.call = f->call,
                    .a = &f->tensors[i][0],
                    .b = &f->tensors[i][1],
                    .floor = f->floor,
                    .tensors = {f->floor->cpu, f->floor->cpu},
                    .cpu = i ? last : 0};
  f->one = run_threads(&jobs[1], 1);
  f->own = run_threads(jobs, 2);
  jobs[1].a = jobs[0].a;
  jobs[1].b = jobs[0].b;
  f->shared = run_threads(jobs, 2);
  jobs[0].call = jobs[1].call = NULL;
  f->floor_one = run_threads(&jobs[1], 1);
  f->floor_two = run_threads(jobs, 2);
}

static double sample_one(const void* argument) {
  (void)argument;
  measure(&g_figures);
  return g_figures.one;
}
static double sample_own(const void* argument) {
  (void)argument;
  return g_figures.own;
}
static double sample_shared(const void* argument) {
  (void)argument;
  return g_figures.shared;
}
static double scaling_own(const void* argument) {
  (void)argument;
  return 2 * g_figures.one / g_figures.own;
}
static double scaling_shared(const void* argument) {
  (void)argument;
  return 2 * g_figures.one / g_figures.shared;
}

static double scaling_floor(const void* argument) {
  (void)argument;
  return 2 * g_figures.floor_one / g_figures.floor_two;
}

void bench_add_threads(bench_list* list, const bench_api* own) {
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2) return;
  g_figures.call = own->two;
  g_figures.floor = own->floor;
  for (int i = 0; i < 4; i++) g_figures.tensors[i / 2][i % 2] = *own->plain;
  bench_add(list, (bench_case){.name = "typed call, 1 thread", .sample = sample_one});
  bench_add(list, (bench_case){.name = "typed call, 2 threads, own tensors",
                               .base = "typed call, 1 thread",
                               .sample = sample_own});
  bench_add(list, (bench_case){.name = "typed call, 2 threads, shared tensors",
                               .base = "typed call, 1 thread",
                               .sample = sample_shared});
  bench_add(list, (bench_case){.name = "floor: scaling to 2 threads",
                               .sample = scaling_floor,
                               .unit = "x"});
  bench_add(list, (bench_case){.name = "scaling to 2 threads, own tensors",
                               .base = "floor: scaling to 2 threads",
                               .sample = scaling_own,
                               .unit = "x"});
  bench_add(list, (bench_case){.name = "scaling to 2 threads, shared tensors",
                               .base = "floor: scaling to 2 threads",
                               .sample = scaling_shared,
                               .unit = "x"});
}
