// SPDX-License-Identifier: Apache-2.0
// The reference: the CPU backend. The CPU itself is compared with a process of its own, in
// which it has no more than its portable kernels.
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "certify.h"

// What is asked of the other process; the name of the operator follows.
typedef struct question {
  uint32_t name_size;
  uint32_t number;
  uint8_t dtype;
  uint8_t with_gradients;
  uint8_t reserved[2];
} question;

bool certify_write(int fd, const void* data, size_t size) {
  const char* at = data;
  while (size > 0) {
    const ssize_t n = write(fd, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= (size_t)n;
  }
  return true;
}

bool certify_read(int fd, void* data, size_t size) {
  char* at = data;
  while (size > 0) {
    const ssize_t n = read(fd, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= (size_t)n;
  }
  return true;
}

// ------------------------------------------------------------------- this process

static oy_status run_here(const certify_sample* s, bool with_gradients,
                          certify_outcome* out_outcome) {
  const certify_run run = {oy_device_cpu(), with_gradients, 0};
  return certify_sample_run(s, &run, out_outcome);
}

// --------------------------------------------------------------- the other process

// Of |q|; false if it cannot go on.
static bool answer(const question* q, const char* name) {
  static certify_sample sample;
  const oy_op* op = oy_op_lookup(oy_registry_default(), (oy_str){name, q->name_size});
  certify_outcome outcome = {OYI_STRBUF_INIT};
  if (!op || !oy_op_schema(op)) return false;
  certify_sample_make(&sample, op, q->dtype, q->number);
  bool good = run_here(&sample, q->with_gradients, &outcome) == OY_OK;
  certify_sample_end(&sample);
  const uint64_t size = outcome.bytes.size;
  good = good && certify_write(STDOUT_FILENO, &size, sizeof(size)) &&
         certify_write(STDOUT_FILENO, outcome.bytes.data, size);
  certify_outcome_reset(&outcome);
  return good;
}

int certify_serve(void) {
  question q;
  char name[256];
  while (certify_read(STDIN_FILENO, &q, sizeof(q))) {
    if (q.name_size > sizeof(name) || !certify_read(STDIN_FILENO, name, q.name_size))
      return CLI_FAILED;
    if (!answer(&q, name)) return CLI_FAILED;
  }
  return CLI_OK;
}

static void become_server(int in, int out) {
  char* const argv[] = {(char*)(uintptr_t) "opyard", (char*)(uintptr_t) "certify",
                        (char*)(uintptr_t) "--serve", NULL};
  setenv("OPYARD_CPU_CAPABILITY", "default", 1);
  if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0) _exit(CLI_FAILED);
  execv("/proc/self/exe", argv);
  _exit(CLI_FAILED);
}

oy_status certify_reference_open(certify_reference* reference, bool is_other) {
  int questions[2], answers[2];
  *reference = (certify_reference){-1, -1, 0};
  if (!is_other) return OY_OK;
  if (pipe(questions) != 0) return OY_FAIL(IO, "cannot make a pipe");
  if (pipe(answers) != 0) {
    close(questions[0]), close(questions[1]);
    return OY_FAIL(IO, "cannot make a pipe");
  }
  signal(SIGPIPE, SIG_IGN);  // if it ends, that is an error of the next question
  const pid_t pid = fork();
  if (pid == 0) {
    close(questions[1]), close(answers[0]);
    become_server(questions[0], answers[1]);
  }
  close(questions[0]), close(answers[1]);
  *reference = (certify_reference){questions[1], answers[0], pid};
  if (pid > 0) return OY_OK;
  certify_reference_close(reference);
  return OY_FAIL(IO, "cannot start the process of the reference");
}

static oy_status ask(certify_reference* r, const certify_sample* s, bool with_gradients,
                     certify_outcome* o) {
  const oy_str name = oy_op_name_of(s->op);
  const question q = {(uint32_t)name.size, s->number, s->dtype, with_gradients, {0}};
  uint64_t size = 0;
  char block[4096];
  bool good = certify_write(r->to, &q, sizeof(q)) &&
              certify_write(r->to, name.data, name.size) &&
              certify_read(r->from, &size, sizeof(size));
  while (good && size > 0) {
    const size_t n = size < sizeof(block) ? (size_t)size : sizeof(block);
    good = certify_read(r->from, block, n);
    if (good) oyi_strbuf_append(&o->bytes, block, n);
    size -= n;
  }
  OY_CHECK(good, IO, "the process of the reference ended in %.*s", OY_STR_ARG(name));
  return oyi_strbuf_status(&o->bytes);
}

oy_status certify_reference_run(certify_reference* reference, const certify_sample* s,
                                bool with_gradients, certify_outcome* out_outcome) {
  out_outcome->bytes = (oyi_strbuf)OYI_STRBUF_INIT;
  return reference->pid ? ask(reference, s, with_gradients, out_outcome)
                        : run_here(s, with_gradients, out_outcome);
}

void certify_reference_close(certify_reference* reference) {
  if (reference->to >= 0) close(reference->to);
  if (reference->from >= 0) close(reference->from);
  if (reference->pid > 0) waitpid(reference->pid, NULL, 0);
  *reference = (certify_reference){-1, -1, 0};
}
