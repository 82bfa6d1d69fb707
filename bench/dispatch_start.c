// SPDX-License-Identifier: Apache-2.0
// What it takes to start a program that links the shared library, and the memory
// that it has then, beside the smallest program there is.
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dispatch_ops.h"

extern char** environ;

static char g_program[4096];
static double g_kilobytes = -1;

// Milliseconds from start to end; its output is the number that it prints.
static double run_program(const char* path, double* out_number) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  char* arguments[] = {(char*)(uintptr_t)path, NULL};
  pid_t child;
  double begin = bench_now();
  int error = posix_spawn(&child, path, &actions, NULL, arguments, environ);
  close(ends[1]);
  int status = -1;
  if (error == 0) waitpid(child, &status, 0);
  double end = bench_now();
  posix_spawn_file_actions_destroy(&actions);
  char text[32] = "";
  ssize_t size = read(ends[0], text, sizeof(text) - 1);
  close(ends[0]);
  if (out_number && size > 0) sscanf(text, "%lf", out_number);
  return error == 0 && status == 0 ? (end - begin) / 1e6 : -1;
}

static double sample_true(const void* argument) {
  (void)argument;
  return run_program("/bin/true", NULL);
}
static double sample_start(const void* argument) {
  (void)argument;
  return run_program(g_program, &g_kilobytes);
}
static double sample_memory(const void* argument) {
  (void)argument;
  return g_kilobytes;
}

void bench_add_start(bench_list* list) {
  const char* path = bench_beside("bench_start_shared");
  if (!path) return;
  strcpy(g_program, path);
  bench_add(list, (bench_case){.name = "floor: start and end of /bin/true",
                               .sample = sample_true,
                               .unit = "ms"});
  bench_add(list, (bench_case){.name = "start and end with the shared library",
                               .base = "floor: start and end of /bin/true",
                               .sample = sample_start,
                               .unit = "ms"});
  bench_add(list,
            (bench_case){
                .name = "memory of that program", .sample = sample_memory, .unit = "kB"});
}
