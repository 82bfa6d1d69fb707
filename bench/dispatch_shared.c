// SPDX-License-Identifier: Apache-2.0
// Files that the build puts beside the program.
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "dispatch_ops.h"

const char* bench_beside(const char* name) {
  static char path[4096];
  ssize_t size = readlink("/proc/self/exe", path, sizeof(path) - 64);
  if (size <= 0) return NULL;
  path[size] = '\0';
  char* slash = strrchr(path, '/');
  if (!slash || strlen(name) > 60) return NULL;
  strcpy(slash + 1, name);
  return access(path, R_OK) == 0 ? path : NULL;
}

const bench_api* bench_api_shared(void) {
  const char* path = bench_beside("libbench_calls.so");
  if (!path) return NULL;
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) bench_die("%s", dlerror());
  const bench_api* (*open)(void);
  *(void**)&open = dlsym(handle, "bench_api_open");
  if (!open) bench_die("%s", dlerror());
  return open();
}
