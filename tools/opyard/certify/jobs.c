// SPDX-License-Identifier: Apache-2.0
// Operators are shared among processes: what takes time on a device is building kernels, one
// after the other in a process. A process that crashes costs its operator, and is made anew.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "certify.h"

enum { NONE = -1 };

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ----------------------------------------------------------------------- progress

typedef struct jobs {
  certify_report* report;
  size_t next, done;
  double began;
} jobs;

static void note(jobs* j, const certify_row* row, double took, size_t failures) {
  j->done++;
  if (!j->report->with_progress) return;
  const oy_str name = oy_op_name_of(row->op);
  fprintf(stderr, "%5zu/%zu %7.1f s  %-44.*s %6.1f s", j->done, j->report->row_count,
          seconds() - j->began, OY_STR_ARG(name), took);
  if (failures) fprintf(stderr, "  %zu wrong", failures);
  fputc('\n', stderr);
}

// ------------------------------------------------------------------ what is answered

// To a number of a row; then come the texts of the failures, four each.
typedef struct answer {
  uint8_t cells[CERTIFY_DTYPES];
  uint8_t gradient_cell;
  uint64_t calls, good, errors_alike, other_texts, gradients, suppressed, failures;
  uint64_t permitted, apart_refused, apart_alike;
  double took;
} answer;

static bool write_text(int fd, const char* text) {
  const uint32_t size = (uint32_t)strlen(text);
  return certify_write(fd, &size, sizeof(size)) && certify_write(fd, text, size);
}

// A new string; NULL if the other end is gone or there is no memory.
static char* read_text(int fd) {
  uint32_t size;
  if (!certify_read(fd, &size, sizeof(size))) return NULL;
  char* text = malloc((size_t)size + 1);
  if (!text) return NULL;
  text[size] = 0;
  if (certify_read(fd, text, size)) return text;
  free(text);
  return NULL;
}

static bool write_answer(int fd, const certify_report* r, const certify_row* row,
                         double took) {
  answer a = {.calls = r->calls,
              .good = r->good,
              .errors_alike = r->errors_alike,
              .other_texts = r->other_texts,
              .gradients = r->gradients,
              .suppressed = r->suppressed,
              .permitted = r->permitted,
              .apart_refused = r->apart_refused,
              .apart_alike = r->apart_alike,
              .failures = r->failure_count,
              .gradient_cell = row->gradients,
              .took = took};
  memcpy(a.cells, row->cells, sizeof(a.cells));
  bool good = certify_write(fd, &a, sizeof(a));
  for (size_t i = 0; good && i < r->failure_count; i++) {
    const certify_failure* f = &r->failures[i];
    good = write_text(fd, f->where) && write_text(fd, f->what) &&
           write_text(fd, f->call) && write_text(fd, f->repeat);
  }
  return good;
}

static bool read_failure(int fd, certify_report* r, size_t row) {
  char* texts[4];
  bool good = true;
  for (int i = 0; i < 4; i++) {
    texts[i] = good ? read_text(fd) : NULL;
    good = good && texts[i];
  }
  const size_t before = r->failure_count;
  if (good) certify_fail(r, texts[0], texts[1], texts[2], texts[3]);
  if (r->failure_count > before) r->failures[before].row = row;
  for (int i = 0; i < 4; i++) free(texts[i]);
  return good;
}

static bool read_answer(int fd, jobs* j, size_t row_number) {
  certify_report* r = j->report;
  certify_row* row = &r->rows[row_number];
  answer a;
  if (!certify_read(fd, &a, sizeof(a))) return false;
  for (uint64_t i = 0; i < a.failures; i++)
    if (!read_failure(fd, r, row_number)) return false;
  memcpy(row->cells, a.cells, sizeof(a.cells));
  row->gradients = a.gradient_cell;
  r->calls += a.calls;
  r->good += a.good;
  r->errors_alike += a.errors_alike;
  r->other_texts += a.other_texts;
  r->gradients += a.gradients;
  r->suppressed += a.suppressed;
  r->permitted += a.permitted;
  r->apart_refused += a.apart_refused;
  r->apart_alike += a.apart_alike;
  note(j, row, a.took, a.failures + a.suppressed);
  return true;
}

// --------------------------------------------------------------- one of the processes

// What it found of one operator is answered, and forgotten.
static bool answer_row(certify_report* r, certify_reference* reference, size_t number,
                       int out) {
  certify_report one = *r;
  one.failures = NULL;
  one.failure_count = one.failure_capacity = one.suppressed = 0;
  one.calls = one.good = one.errors_alike = one.other_texts = one.gradients = 0;
  one.permitted = one.apart_refused = one.apart_alike = 0;
  const double began = seconds();
  oy_status status = certify_operator(&one, reference, &r->rows[number]);
  if (status != OY_OK) certify_fail(&one, "certify", oy_error_get()->message, "", "");
  bool good = write_answer(out, &one, &r->rows[number], seconds() - began);
  one.rows = NULL;
  certify_report_free(&one);
  oy_error_clear();
  return good;
}

int certify_work(certify_report* r) {
  certify_reference reference;
  uint32_t number;
  // What drivers print is not for the one who asks.
  const int out = dup(STDOUT_FILENO);
  if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return CLI_FAILED;
  if (certify_choose(r) != OY_OK ||
      certify_reference_open(&reference, r->backend == OY_BACKEND_CPU) != OY_OK)
    return cli_fail();
  bool good = true;
  while (good && certify_read(STDIN_FILENO, &number, sizeof(number)))
    good = number < r->row_count && answer_row(r, &reference, number, out);
  certify_reference_close(&reference);
  close(out);
  return good ? CLI_OK : CLI_FAILED;
}

// ------------------------------------------------------------------ who hands out rows

typedef struct worker {
  int to, from;  // NONE: there is no such process
  pid_t pid;
  size_t row;
  bool is_busy;
} worker;

static _Noreturn void become(const certify_report* r, int in, int out) {
  char* argv[9] = {(char*)(uintptr_t) "opyard", (char*)(uintptr_t) "certify",
                   (char*)(uintptr_t)r->name, (char*)(uintptr_t) "--work"};
  int n = 4;
  if (r->pattern) {
    argv[n++] = (char*)(uintptr_t) "--ops";
    argv[n++] = (char*)(uintptr_t)r->pattern;
  }
  if (r->only) {
    argv[n++] = (char*)(uintptr_t) "--case";
    argv[n++] = (char*)(uintptr_t)r->only;
  }
  if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0) _exit(CLI_FAILED);
  execv("/proc/self/exe", argv);
  _exit(CLI_FAILED);
}

static void stop(worker* w) {
  if (w->to != NONE) close(w->to);
  if (w->from != NONE) close(w->from);
  if (w->pid > 0) waitpid(w->pid, NULL, 0);
  *w = (worker){.to = NONE, .from = NONE};
}

static oy_status start(const certify_report* r, worker* w) {
  int questions[2], answers[2];
  OY_CHECK(pipe2(questions, O_CLOEXEC) == 0, IO, "cannot make a pipe");
  if (pipe2(answers, O_CLOEXEC) != 0) {
    close(questions[0]), close(questions[1]);
    return OY_FAIL(IO, "cannot make a pipe");
  }
  const pid_t pid = fork();
  if (pid == 0) become(r, questions[0], answers[1]);
  close(questions[0]), close(answers[1]);
  *w = (worker){.to = questions[1], .from = answers[0], .pid = pid};
  if (pid > 0) return OY_OK;
  stop(w);
  return OY_FAIL(IO, "cannot start a process: %s", strerror(errno));
}

static void give(jobs* j, worker* w) {
  const uint32_t number = (uint32_t)j->next;
  w->is_busy = false;
  if (j->next == j->report->row_count) return;
  w->row = j->next++;
  w->is_busy = true;
  (void)certify_write(w->to, &number, sizeof(number));  // else its answer does not come
}

// The process ended before it answered.
static oy_status replace(jobs* j, worker* w) {
  const certify_row* row = &j->report->rows[w->row];
  const oy_str name = oy_op_name_of(row->op);
  char where[320], repeat[512];
  snprintf(where, sizeof(where), "%.*s", OY_STR_ARG(name));
  snprintf(repeat, sizeof(repeat), "opyard certify %s --jobs 1 --ops %.*s",
           j->report->name, OY_STR_ARG(name));
  certify_fail(j->report, where, "the process that made its calls ended", "", repeat);
  if (j->report->failure_count)
    j->report->failures[j->report->failure_count - 1].row = w->row;
  note(j, row, 0, 1);
  stop(w);
  return start(j->report, w);
}

// Waits for answers, and gives those who answered their next row.
static oy_status attend(jobs* j, worker* workers, int count) {
  struct pollfd waiting[CERTIFY_JOBS];
  for (int i = 0; i < count; i++)
    waiting[i] = (struct pollfd){workers[i].is_busy ? workers[i].from : NONE, POLLIN, 0};
  if (poll(waiting, (nfds_t)count, -1) < 0)
    return errno == EINTR ? OY_OK : OY_FAIL(IO, "cannot wait for the processes");
  for (int i = 0; i < count; i++) {
    worker* w = &workers[i];
    if (!w->is_busy || !waiting[i].revents) continue;
    if (!read_answer(w->from, j, w->row)) OY_TRY(replace(j, w));
    give(j, w);
  }
  return OY_OK;
}

static bool any_is_busy(const worker* workers, int count) {
  for (int i = 0; i < count; i++)
    if (workers[i].is_busy) return true;
  return false;
}

// In the order of the rows, whoever was done first.
static int by_row(const void* a, const void* b) {
  const certify_failure *x = a, *y = b;
  if (x->row != y->row) return x->row < y->row ? -1 : 1;
  return strcmp(x->where, y->where);
}

static oy_status share(jobs* j, int count) {
  worker workers[CERTIFY_JOBS];
  oy_status status = OY_OK;
  signal(SIGPIPE, SIG_IGN);  // of a process that ended no answer comes
  for (int i = 0; i < count; i++) workers[i] = (worker){.to = NONE, .from = NONE};
  for (int i = 0; i < count && status == OY_OK; i++) {
    status = start(j->report, &workers[i]);
    if (status == OY_OK) give(j, &workers[i]);
  }
  while (status == OY_OK && any_is_busy(workers, count))
    status = attend(j, workers, count);
  for (int i = 0; i < count; i++) stop(&workers[i]);
  if (j->report->failure_count)
    qsort(j->report->failures, j->report->failure_count, sizeof(*j->report->failures),
          by_row);
  return status;
}

// ------------------------------------------------------------------- in this process

static oy_status run_here(jobs* j) {
  certify_report* r = j->report;
  certify_reference reference;
  OY_TRY(certify_reference_open(&reference, r->backend == OY_BACKEND_CPU));
  oy_status status = OY_OK;
  for (; j->next < r->row_count && status == OY_OK; j->next++) {
    const double began = seconds();
    const size_t before = r->failure_count + r->suppressed;
    status = certify_operator(r, &reference, &r->rows[j->next]);
    note(j, &r->rows[j->next], seconds() - began,
         r->failure_count + r->suppressed - before);
  }
  certify_reference_close(&reference);
  return status;
}

oy_status certify_operators(certify_report* r) {
  enum { FEW = 4 };  // operators that are not worth a process more
  jobs j = {.report = r, .began = seconds()};
  size_t count =
      (size_t)r->jobs < r->row_count / FEW ? (size_t)r->jobs : r->row_count / FEW;
  return count < 2 ? run_here(&j) : share(&j, (int)count);
}
