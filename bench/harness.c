// SPDX-License-Identifier: Apache-2.0
// Options, rounds and statistics.
#include "harness.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double g_batch_ns = 1e6;

void bench_die(const char* format, ...) {
  va_list args;
  va_start(args, format);
  fputs("bench: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  exit(2);
}

double bench_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

// -------------------------------------------------------------------- options

static const char* value_of(int argc, char** argv, int* i) {
  if (*i + 1 >= argc) bench_die("%s needs a value", argv[*i]);
  return argv[++*i];
}

static int number_of(int argc, char** argv, int* i, int least) {
  const char* option = argv[*i];
  const char* text = value_of(argc, argv, i);
  char* end;
  long number = strtol(text, &end, 10);
  if (*end || end == text || number < least || number > 100000)
    bench_die("%s needs a number of at least %d, got '%s'", option, least, text);
  return (int)number;
}

bench_options bench_options_parse(int argc, char** argv) {
  bench_options o = {NULL, NULL, 31, -1, false, false, false};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--json") == 0)
      o.json = value_of(argc, argv, &i);
    else if (strcmp(argv[i], "--filter") == 0)
      o.filter = value_of(argc, argv, &i);
    else if (strcmp(argv[i], "--rounds") == 0)
      o.rounds = number_of(argc, argv, &i, 1);
    else if (strcmp(argv[i], "--cpu") == 0)
      o.cpu = number_of(argc, argv, &i, 0);
    else if (strcmp(argv[i], "--list") == 0)
      o.list = true;
    else if (strcmp(argv[i], "--gate") == 0)
      o.gate = true;
    else if (strcmp(argv[i], "--quick") == 0)
      o.quick = true, o.rounds = 5;
    else
      bench_die(
          "unknown option '%s'; options are --json FILE, --filter TEXT, "
          "--rounds N, --cpu N, --list, --quick, --gate",
          argv[i]);
  }
  return o;
}

// ----------------------------------------------------------------- statistics

static int by_value(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void summarise(bench_result* r, double* samples, int rounds) {
  qsort(samples, (size_t)rounds, sizeof(*samples), by_value);
  r->rounds = rounds;
  r->median = samples[rounds / 2];
  r->p25 = samples[rounds / 4];
  r->p75 = samples[3 * rounds / 4];
  r->min = samples[0];
}

static void set_ratios(bench_result* results, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const char* base = results[i].what->base;
    for (size_t k = 0; base && k < count; k++)
      if (strcmp(results[k].what->name, base) == 0 && results[k].median > 0)
        results[i].ratio = results[i].median / results[k].median;
  }
}

// --------------------------------------------------------------------- rounds

static double timed(const bench_case* c, long n) {
  double begin = bench_now();
  c->run(c->argument, n);
  return bench_now() - begin;
}

// Memory that the last cache could hold is in it after several passes only, since a line comes
// there when the cache before gives it up.
enum { FEW_CALLS = 100, PASSES = 6, AWAKE = 3000000 };

// So many iterations that a batch takes about a millisecond, from what is in the caches: else
// a call of half of that would be taken for a long one, and timed as what was just met.
static long calibrate(const bench_case* c) {
  timed(c, 1);
  long n = 1;
  double t = timed(c, n);
  if (t < 4 * g_batch_ns) {
    timed(c, PASSES);
    t = timed(c, n);
  }
  while (t < g_batch_ns / 4 && n < 1L << 40) {
    n *= 2;
    t = timed(c, n);
  }
  long wanted = (long)((double)n * (g_batch_ns / t));
  return wanted > 0 ? wanted : 1;
}

// One call, and more while they are short; for |least_ns| at any rate.
static void warm(const bench_case* c, double least_ns) {
  double taken = 0;
  for (int i = 0; (i < PASSES && taken < PASSES * g_batch_ns) || taken < least_ns; i++)
    taken += timed(c, 1);
}

static void rest(double ns) {
  const struct timespec time = {0, (long)ns};
  nanosleep(&time, NULL);
}

// Where a batch is of few calls, what the case before left in the caches would count: some
// calls are not timed. After a rest the case's own threads are woken first, and run for as long as
// a processor takes that did nothing to be as fast as before.
static double measure(const bench_case* c, long n, double rest_ns) {
  if (c->sample) return c->sample(c->argument);
  double calls = c->calls > 0 ? c->calls : 1;
  if (rest_ns > 0) rest(rest_ns);
  if (n <= FEW_CALLS || rest_ns > 0) warm(c, rest_ns > 0 ? AWAKE : 0);
  return timed(c, n) / ((double)n * calls);
}

static void* allocate(size_t count, size_t size) {
  void* p = calloc(count + 1, size);
  if (!p) bench_die("out of memory");
  return p;
}

void bench_add(bench_list* list, bench_case c) {
  if (list->count == list->capacity) {
    list->capacity = list->capacity ? 2 * list->capacity : 64;
    list->cases = realloc(list->cases, list->capacity * sizeof(*list->cases));
    if (!list->cases) bench_die("out of memory");
  }
  list->cases[list->count++] = c;
}

static bool is_wanted(const bench_case* c, const char* filter) {
  return !filter || strstr(c->name, filter) != NULL;
}

// A wanted case brings the case that its ratio is to.
static bool is_base_of_wanted(const bench_list* list, const bench_case* c,
                              const char* filter) {
  for (size_t k = 0; k < list->count; k++) {
    const char* base = list->cases[k].base;
    if (base && strcmp(base, c->name) == 0 && is_wanted(&list->cases[k], filter))
      return true;
  }
  return false;
}

size_t bench_run(const bench_list* list, const bench_options* options,
                 bench_result** out_results) {
  bench_result* results = allocate(list->count, sizeof(*results));
  size_t n = 0;
  for (size_t i = 0; i < list->count; i++) {
    const bench_case* c = &list->cases[i];
    if (is_wanted(c, options->filter) || is_base_of_wanted(list, c, options->filter))
      results[n++].what = c;
  }
  size_t rounds = (size_t)options->rounds;
  long* batch = allocate(n, sizeof(*batch));
  double* samples = allocate(n * rounds, sizeof(*samples));
  for (size_t i = 0; i < n; i++)
    if (results[i].what->run) batch[i] = calibrate(results[i].what);
  // There and back: else each case would always come after the same one.
  for (size_t r = 0; r < rounds; r++)
    for (size_t k = 0; k < n; k++) {
      const size_t i = r % 2 ? n - 1 - k : k;
      if (r == 0 || !results[i].what->once)
        samples[i * rounds + r] = measure(results[i].what, batch[i], list->rest_ns);
    }
  for (size_t i = 0; i < n; i++)
    summarise(&results[i], &samples[i * rounds],
              results[i].what->once ? 1 : options->rounds);
  free(batch);
  free(samples);
  set_ratios(results, n);
  *out_results = results;
  return n;
}

// --------------------------------------------------------------------- output

static int digits(double x) {
  return x < 100 ? 2 : x < 10000 ? 1 : 0;
}

void bench_print(const bench_result* results, size_t count) {
  printf("%-52s %10s %23s %10s %-5s %7s\n", "case", "median", "p25 - p75", "min", "unit",
         "ratio");
  for (size_t i = 0; i < count; i++) {
    const bench_result* r = &results[i];
    const char* unit = r->what->unit ? r->what->unit : "ns";
    if (r->median < 0) {
      printf("%-52s %10s\n", r->what->name, "not here");
      continue;
    }
    int d = digits(r->median);
    printf("%-52s %10.*f %10.*f - %10.*f %10.*f %-5s", r->what->name, d, r->median, d,
           r->p25, d, r->p75, d, r->min, unit);
    if (r->ratio > 0) printf(" %6.2fx %s", r->ratio, r->what->base);
    putchar('\n');
  }
}

// Names of cases are plain ASCII; the model of the processor may be anything.
static void put_text(FILE* out, const char* text) {
  fputc('"', out);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') fputc('\\', out);
    fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
  }
  fputc('"', out);
}

static void put_machine(FILE* out, const bench_machine* m) {
  fprintf(out, "  \"machine\": {\"model\": ");
  put_text(out, m->model);
  fprintf(out,
          ", \"processors\": %d, \"pinned_to\": %d, \"busy_before\": %.3f, "
          "\"busy_others\": %.3f, \"idle\": %s},\n",
          m->processors, m->cpu, m->busy_before, m->busy_others,
          bench_machine_was_idle(m) ? "true" : "false");
}

static void put_result(FILE* out, const bench_result* r, bool last) {
  fprintf(out, "    {\"name\": ");
  put_text(out, r->what->name);
  fprintf(out, ", \"unit\": ");
  put_text(out, r->what->unit ? r->what->unit : "ns");
  if (r->median < 0)
    fprintf(out, ", \"available\": false");
  else
    fprintf(out, ", \"median\": %.4g, \"p25\": %.4g, \"p75\": %.4g, \"min\": %.4g",
            r->median, r->p25, r->p75, r->min);
  fprintf(out, ", \"rounds\": %d", r->rounds);
  if (r->ratio > 0) {
    fprintf(out, ", \"ratio\": %.4g, \"base\": ", r->ratio);
    put_text(out, r->what->base);
  }
  fprintf(out, "}%s\n", last ? "" : ",");
}

bool bench_write_json(const char* path, const char* name, const bench_machine* machine,
                      const bench_result* results, size_t count) {
  if (!path) return true;
  FILE* out = fopen(path, "w");
  if (!out) {
    fprintf(stderr, "bench: cannot write %s: %s\n", path, strerror(errno));
    return false;
  }
  fprintf(out, "{\n  \"benchmark\": ");
  put_text(out, name);
  fprintf(out, ",\n  \"compiler\": ");
  put_text(out, __VERSION__);
  fprintf(out, ",\n");
  put_machine(out, machine);
  fprintf(out, "  \"cases\": [\n");
  for (size_t i = 0; i < count; i++) put_result(out, &results[i], i + 1 == count);
  fprintf(out, "  ]\n}\n");
  bool good = !ferror(out);
  if (fclose(out) != 0) good = false;
  if (!good) fprintf(stderr, "bench: could not write all of %s\n", path);
  return good;
}
