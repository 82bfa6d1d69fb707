// SPDX-License-Identifier: Apache-2.0
// The thread pool. One region is open at a time:
//
//   state       OPEN | WAITING | limit << 16 | workers inside
//   generation  counts regions; idle workers wait for it to change
//
// The caller writes the job, opens |state|, advances |generation|, and takes chunks
// like any worker. When none are left it closes |state| and waits for the workers
// that are inside, never for those that have not come. A worker enters by adding
// itself to an open |state|, so it cannot see a job that is over: what it reads
// after that stays until it leaves.
#include "base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/shares.h"
#include "base/wait.h"

#define OPEN         (1u << 31)
#define WAITING      (1u << 30)  // the caller sleeps on |state|
#define INSIDE       0xffffu
#define LIMIT(state) ((state) >> 16 & 0x3fff)

// How long a thread spins before it sleeps. About what waking one costs: then the
// two together never cost more than twice the better of them.
enum { SPIN_NANOSECONDS = 30000, SPIN_PAUSES = 32 };

typedef struct member {
  pthread_t id;
  uint32_t seen;  // the generation before its first
} member;

typedef struct pool {
  _Alignas(64) uint32_t generation;
  uint32_t sleepers;
  bool stopping;
  _Alignas(64) uint32_t state;
  _Alignas(64) int64_t failed;  // the first chunk that failed; INT64_MAX: none
  _Alignas(64) oyi_chunk_fn fn;
  void* context;
  int parts;                   // of |shares|: the caller's, and one for each helper
  int cpu;                     // that the caller ran on
  _Alignas(64) uint32_t busy;  // somebody's region is open; guards what follows
  int workers;
  bool spins;
  member members[OY_THREADS_MAX];
  oyi_share shares[OY_THREADS_MAX];
} pool;

static pool g_pool;
static int g_limit;  // 0: not asked for yet
static pthread_once_t g_once = PTHREAD_ONCE_INIT;
static __thread bool t_in_region __attribute__((tls_model("initial-exec")));

// The error of chunk g_pool.failed.
static pthread_mutex_t g_error_lock = PTHREAD_MUTEX_INITIALIZER;
static oyi_error_record* g_error;
static oy_status g_status;

// ------------------------------------------------------------ how many threads

static int cpu_count(void) {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
#endif
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 && online < OY_THREADS_MAX ? (int)online : 1;
}

// -1 where it cannot be told.
static int current_cpu(void) {
#ifdef __linux__
  return sched_getcpu();
#else
  return -1;
#endif
}

// OPYARD_NUM_THREADS; what is no number above 0 is as if it were not set.
static int highest_allowed(void) {
  const char* text = getenv("OPYARD_NUM_THREADS");
  char* end = NULL;
  long number = text ? strtol(text, &end, 10) : 0;
  bool good = number > 0 && number < OY_THREADS_MAX && end && !*end;
  return good ? (int)number : OY_THREADS_MAX;
}

int oy_get_num_threads(void) {
  int limit = __atomic_load_n(&g_limit, __ATOMIC_RELAXED);
  if (limit) return limit;
  int cpus = cpu_count(), allowed = highest_allowed(), unset = 0;
  limit = cpus < allowed ? cpus : allowed;
  // Another thread may have set it meanwhile; that holds.
  bool first = __atomic_compare_exchange_n(&g_limit, &unset, limit, false,
                                           __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return first ? limit : unset;
}

oy_status oy_set_num_threads(int count) {
  OY_CHECK(count > 0, INVALID_ARGUMENT, "Expected positive number of threads, got %d",
           count);
  int allowed = highest_allowed();
  __atomic_store_n(&g_limit, count < allowed ? count : allowed, __ATOMIC_RELAXED);
  return OY_OK;
}

bool oy_in_parallel_region(void) {
  return t_in_region;
}

// -------------------------------------------------------------------- spinning

static int64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}

// Spins while (*word & mask) is |value|; false if it still is after a while.
static bool spin_while(const uint32_t* word, uint32_t mask, uint32_t value) {
  int64_t end = 0;
  do {
    for (int i = 0; i < SPIN_PAUSES; i++) {
      if ((__atomic_load_n(word, __ATOMIC_ACQUIRE) & mask) != value) return true;
      oyi_pause();
    }
    if (!g_pool.spins) return false;
    if (!end) end = nanoseconds() + SPIN_NANOSECONDS;
  } while (nanoseconds() < end);
  return false;
}

// ---------------------------------------------------------------------- chunks

// Keeps the error of the lowest chunk; each chunk below it still runs, so which one
// that is does not depend on who was faster.
static void chunk_failed(int64_t index, oy_status status) {
  oyi_error_record* error = oyi_error_detach();
  pthread_mutex_lock(&g_error_lock);
  if (index < g_pool.failed) {
    oyi_error_record* later = g_error;
    g_error = error;
    g_status = status;
    error = later;
    __atomic_store_n(&g_pool.failed, index, __ATOMIC_RELAXED);
  }
  pthread_mutex_unlock(&g_error_lock);
  oyi_error_free(error);
}

// Those of share |own|, then what others have left.
static void run_chunks(int own) {
  for (;;) {
    int64_t index = oyi_shares_take(g_pool.shares, g_pool.parts, own);
    if (index < 0) return;
    if (index > __atomic_load_n(&g_pool.failed, __ATOMIC_RELAXED)) continue;
    oy_status status = g_pool.fn(index, g_pool.context);
    if (OY_UNLIKELY(status != OY_OK)) chunk_failed(index, status);
  }
}

// --------------------------------------------------------------------- workers

static bool enter(void) {
  uint32_t state = __atomic_load_n(&g_pool.state, __ATOMIC_RELAXED);
  while ((state & OPEN) && (state & INSIDE) < LIMIT(state))
    if (__atomic_compare_exchange_n(&g_pool.state, &state, state + 1, true,
                                    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return true;
  return false;
}

static void leave(void) {
  uint32_t state = __atomic_sub_fetch(&g_pool.state, 1, __ATOMIC_ACQ_REL);
  if ((state & WAITING) && (state & INSIDE) == 0) oyi_wake(&g_pool.state, 1);
}

// A worker that the system put on the caller's CPU, because all others are busy, would
// only take turns with it, and the caller might wait long for its own.
static bool would_be_in_the_way(void) {
  int cpu = __atomic_load_n(&g_pool.cpu, __ATOMIC_RELAXED);
  return cpu >= 0 && current_cpu() == cpu;
}

// Moves this worker off the caller's CPU, and keeps it off until it is in the way on another:
// it may be on |avoided| then, -1 for none. What keeps all others busy may be threads of
// another library that only wait: they give way at once, but to the system one CPU is as
// busy as the next. False if it has no other.
static __attribute__((cold)) bool move_away(int* avoided) {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return false;
  if (*avoided >= 0) CPU_SET((unsigned)*avoided, &set);
  *avoided = current_cpu();
  CPU_CLR((unsigned)*avoided, &set);
  return sched_setaffinity(0, sizeof(set), &set) == 0;  // not to no CPU
#else
  (void)avoided;
  return false;
#endif
}

// The generation after |seen|. A caller that advances it sees this thread among the
// sleepers, or the kernel sees the new value and does not let it sleep.
static uint32_t wait_for_region(uint32_t seen, bool may_spin) {
  if (!may_spin || !spin_while(&g_pool.generation, ~0u, seen)) {
    __atomic_fetch_add(&g_pool.sleepers, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&g_pool.generation, __ATOMIC_SEQ_CST) == seen)
      oyi_wait(&g_pool.generation, seen);
    __atomic_fetch_sub(&g_pool.sleepers, 1, __ATOMIC_RELAXED);
  }
  return __atomic_load_n(&g_pool.generation, __ATOMIC_ACQUIRE);
}

static void* worker(void* argument) {
  const member* self = argument;
  const int place = 1 + (int)(self - g_pool.members);  // the caller's is 0
  uint32_t seen = self->seen;
  bool helps = true;
  int avoided = -1;
  t_in_region = true;
  for (;;) {
    seen = wait_for_region(seen, helps);
    if (__atomic_load_n(&g_pool.stopping, __ATOMIC_ACQUIRE)) return NULL;
    bool entered = enter();
    // One that came too late may be late because it was kept to the caller's CPU.
    helps = !would_be_in_the_way() || move_away(&avoided);
    if (!entered) continue;
    if (helps) {
      oy_error_clear();
      run_chunks(place);
    }
    leave();
  }
}

// In the child of a fork there are no workers. What another thread held is free
// again; what the forking thread holds, it still does.
static void after_fork_in_child(void) {
  oyi_wait_after_fork();
  g_pool.workers = 0;
  g_pool.sleepers = 0;
  g_pool.state = 0;
  if (!t_in_region) g_pool.busy = 0;
  g_error_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static void first_use(void) {
  g_pool.spins = cpu_count() > 1;
  (void)pthread_atfork(NULL, NULL, after_fork_in_child);
}

// Up to |wanted| workers, or as many as can be had.
static void start_workers(int wanted) {
  if (g_pool.workers >= wanted) return;
  pthread_once(&g_once, first_use);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (g_pool.workers < wanted) {
    member* next = &g_pool.members[g_pool.workers];
    next->seen = g_pool.generation;
    if (pthread_create(&next->id, NULL, worker, next) != 0) break;
    g_pool.workers++;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// At exit, and when the library is unloaded: workers run its code. A region that is
// open somewhere gets a moment to end; the process may be on its way out from inside
// one. |busy| stays set, so later regions run inline.
static __attribute__((destructor)) void stop_workers(void) {
  if (t_in_region) return;
  int64_t end = nanoseconds() + 100000000;
  while (__atomic_exchange_n(&g_pool.busy, 1, __ATOMIC_ACQUIRE)) {
    if (nanoseconds() > end) return;
    sched_yield();
  }
  if (g_pool.workers == 0) return;
  __atomic_store_n(&g_pool.stopping, true, __ATOMIC_RELEASE);
  __atomic_fetch_add(&g_pool.generation, 1, __ATOMIC_SEQ_CST);
  oyi_wake(&g_pool.generation, OY_THREADS_MAX);
  for (int i = 0; i < g_pool.workers; i++) pthread_join(g_pool.members[i].id, NULL);
  g_pool.workers = 0;
}

// --------------------------------------------------------------------- regions

static void open_region(int64_t count, oyi_chunk_fn fn, void* context, int helpers) {
  g_pool.fn = fn;
  g_pool.context = context;
  g_pool.parts = helpers + 1;
  oyi_shares_cut(g_pool.shares, g_pool.parts, count);
  __atomic_store_n(&g_pool.cpu, current_cpu(), __ATOMIC_RELAXED);
  g_pool.failed = INT64_MAX;
  __atomic_store_n(&g_pool.state, OPEN | (uint32_t)helpers << 16, __ATOMIC_RELEASE);
  __atomic_fetch_add(&g_pool.generation, 1, __ATOMIC_SEQ_CST);
  int sleepers = (int)__atomic_load_n(&g_pool.sleepers, __ATOMIC_SEQ_CST);
  int wanted = helpers - (g_pool.workers - sleepers);
  if (sleepers > 0 && wanted > 0) oyi_wake(&g_pool.generation, wanted);
}

static void close_region(void) {
  uint32_t state = __atomic_and_fetch(&g_pool.state, INSIDE, __ATOMIC_ACQUIRE);
  if (state == 0) return;
  // Not zero: some worker is inside, and leaves soon.
  for (uint32_t inside = state; inside;) {
    if (!spin_while(&g_pool.state, INSIDE, inside)) break;
    inside = __atomic_load_n(&g_pool.state, __ATOMIC_ACQUIRE) & INSIDE;
  }
  state = __atomic_or_fetch(&g_pool.state, WAITING, __ATOMIC_ACQUIRE);
  while (state & INSIDE) {
    oyi_wait(&g_pool.state, state);
    state = __atomic_load_n(&g_pool.state, __ATOMIC_ACQUIRE);
  }
}

// The error of the region becomes the caller's.
static oy_status region_status(void) {
  if (OY_LIKELY(g_pool.failed == INT64_MAX)) return OY_OK;
  oyi_error_attach(g_error);
  g_error = NULL;
  return g_status;
}

static oy_status run_inline(int64_t count, oyi_chunk_fn fn, void* context) {
  for (int64_t i = 0; i < count; i++) OY_TRY(fn(i, context));
  return OY_OK;
}

// While another thread has the workers. What is nested in it runs inline all the same.
static oy_status run_alone(int64_t count, oyi_chunk_fn fn, void* context) {
  t_in_region = true;
  oy_status status = run_inline(count, fn, context);
  t_in_region = false;
  return status;
}

oy_status oyi_parallel_chunks(int64_t count, oyi_chunk_fn fn, void* context) {
  if (count <= 1 || t_in_region) return run_inline(count, fn, context);
  int helpers = oy_get_num_threads() - 1;
  if (helpers >= count) helpers = (int)count - 1;
  if (helpers == 0) return run_inline(count, fn, context);
  if (__atomic_exchange_n(&g_pool.busy, 1, __ATOMIC_ACQUIRE))
    return run_alone(count, fn, context);
  start_workers(helpers);
  t_in_region = true;
  open_region(count, fn, context, helpers);
  run_chunks(0);
  close_region();
  oy_status status = region_status();
  t_in_region = false;
  __atomic_store_n(&g_pool.busy, 0, __ATOMIC_RELEASE);
  return status;
}

typedef struct range {
  int64_t begin, end, step;
  oy_range_fn fn;
  void* context;
} range;

static oy_status run_piece(int64_t index, void* context) {
  const range* r = context;
  int64_t begin = r->begin + index * r->step;
  int64_t end = r->end - begin > r->step ? begin + r->step : r->end;
  return r->fn(begin, end, r->context);
}

oy_status oy_parallel_for(int64_t begin, int64_t end, int64_t grain, oy_range_fn fn,
                          void* context) {
  int64_t size;
  if (end <= begin) return OY_OK;
  OY_CHECK(!__builtin_sub_overflow(end, begin, &size), OUT_OF_RANGE,
           "the range from %lld to %lld has more steps than an int64 can count",
           (long long)begin, (long long)end);
  if (grain < 1) grain = 1;
  int threads = size > grain && !t_in_region ? oy_get_num_threads() : 1;
  if (threads == 1) return fn(begin, end, context);
  // Several for each thread: one that is held up leaves less to wait for.
  int64_t most = (size - 1) / grain + 1, pieces = 4 * (int64_t)threads;
  if (pieces > most) pieces = most;
  range r = {begin, end, (size - 1) / pieces + 1, fn, context};
  return oyi_parallel_chunks((size - 1) / r.step + 1, run_piece, &r);
}
