// SPDX-License-Identifier: Apache-2.0
// Whether the machine was idle. A compiler beside a benchmark halves its results,
// so this is measured before and during the run, and said loudly.
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

static const double g_idle_limit = 0.05;

// The first line of /proc/stat, in ticks of all processors together.
static bool read_ticks(double* out_busy, double* out_total) {
  FILE* in = fopen("/proc/stat", "r");
  if (!in) return false;
  unsigned long long t[8] = {0};
  int n = fscanf(in, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2],
                 &t[3], &t[4], &t[5], &t[6], &t[7]);
  fclose(in);
  *out_total = 0;
  for (int i = 0; i < 8; i++) *out_total += (double)t[i];
  // The fourth is idle and the fifth waits for a disk: neither disturbs.
  *out_busy = *out_total - (double)t[3] - (double)t[4];
  return n >= 4;
}

static double own_ticks(void) {
  struct tms t;
  if (times(&t) == (clock_t)-1) return 0;
  return (double)(t.tms_utime + t.tms_stime + t.tms_cutime + t.tms_cstime);
}

static void read_model(char* out, size_t size) {
  snprintf(out, size, "unknown");
  FILE* in = fopen("/proc/cpuinfo", "r");
  if (!in) return;
  char line[256];
  while (fgets(line, sizeof(line), in)) {
    const char* colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || !colon) continue;
    snprintf(out, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    break;
  }
  fclose(in);
}

static cpu_set_t g_allowed;
static bool g_pinned;

void bench_unpin(void) {
  if (g_pinned) sched_setaffinity(0, sizeof(g_allowed), &g_allowed);
}

bool bench_pin(int cpu) {
  cpu_set_t set;
  if (!g_pinned) g_pinned = sched_getaffinity(0, sizeof(g_allowed), &g_allowed) == 0;
  CPU_ZERO(&set);
  CPU_SET((unsigned)cpu, &set);
  return sched_setaffinity(0, sizeof(set), &set) == 0;
}

static double sample_busy(void) {
  double busy0, total0, busy1, total1;
  if (!read_ticks(&busy0, &total0)) return 0;
  struct timespec half = {0, 500000000};
  nanosleep(&half, NULL);
  if (!read_ticks(&busy1, &total1) || total1 <= total0) return 0;
  return (busy1 - busy0) / (total1 - total0);
}

void bench_machine_begin(bench_machine* m, int cpu) {
  memset(m, 0, sizeof(*m));
  read_model(m->model, sizeof(m->model));
  m->processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
  m->cpu = cpu >= 0 ? cpu : m->processors - 1;
  m->busy_before = sample_busy();
  if (!bench_pin(m->cpu)) {
    fprintf(stderr, "bench: could not pin to processor %d, running unpinned\n", m->cpu);
    m->cpu = -1;
  }
  read_ticks(&m->start_busy, &m->start_total);
  m->start_own = own_ticks();
}

void bench_machine_end(bench_machine* m) {
  double busy, total;
  if (!read_ticks(&busy, &total) || total <= m->start_total) return;
  double others = busy - m->start_busy - (own_ticks() - m->start_own);
  m->busy_others = others > 0 ? others / (total - m->start_total) : 0;
}

bool bench_machine_was_idle(const bench_machine* m) {
  return m->busy_before <= g_idle_limit && m->busy_others <= g_idle_limit;
}

void bench_machine_print(const bench_machine* m) {
  printf(
      "machine: %s, %d processors, pinned to %d; busy with other work: %.0f%% before, "
      "%.0f%% during the run\n",
      m->model, m->processors, m->cpu, 100 * m->busy_before, 100 * m->busy_others);
  if (bench_machine_was_idle(m)) return;
  printf(
      "WARNING: THE MACHINE WAS NOT IDLE. Nanoseconds below are too high and vary;\n"
      "WARNING: use ratios of this run at most, and ./yard bench gate for the truth.\n");
}
