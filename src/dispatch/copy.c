// SPDX-License-Identifier: Apache-2.0
// Two copies of opyard in a process, say one in the program and one below a
// plugin, would be two default registries that look like one. The copies share
// no symbol that can be relied on, so they meet in the environment, where the
// first one leaves its process id and the address of a marker.
#include "dispatch/copy.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "opyard/status.h"

#define VARIABLE "OPYARD_COPY"

static const char g_marker = 0;

static void leave_mark(void) {
  char text[64];
  snprintf(text, sizeof(text), "%ld:%p", (long)getpid(), (const void*)&g_marker);
  (void)setenv(VARIABLE, text, 1);
}

// The marker of another copy in this process, NULL if there is none.
static void* other_marker(void) {
  const char* text = getenv(VARIABLE);
  long pid = 0;
  void* marker = NULL;
  if (!text || sscanf(text, "%ld:%p", &pid, &marker) != 2) return NULL;
  // Inherited from a parent process, or ours.
  if (pid != (long)getpid() || marker == (const void*)&g_marker) return NULL;
  return marker;
}

oy_status oyi_check_only_copy(void) {
  void* marker = other_marker();
  Dl_info info;
  // A copy that has been unloaded is no copy.
  if (!marker || dladdr(marker, &info) == 0) {
    leave_mark();
    return OY_OK;
  }
  return OY_FAIL(FAILED_PRECONDITION,
                 "expected one copy of opyard in this process, got a second copy "
                 "(version %s) beside the one in %s; link the program and its "
                 "plugins with the same shared library, or use a registry made "
                 "with oy_registry_create",
                 oy_version(), info.dli_fname ? info.dli_fname : "the program");
}
