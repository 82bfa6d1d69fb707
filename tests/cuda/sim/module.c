// SPDX-License-Identifier: Apache-2.0
// Modules: the text of a kernel, built by the host's compiler into a shared object that is
// kept in OPYARD_CUDASIM_CACHE (else /tmp), and its launches. With OPYARD_CUDASIM_RUN=0
// nothing is built and kernels do nothing, for tests of what NVRTC takes.
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "sim.h"

extern char** environ;

typedef struct sim_kernel {
  void* library;
  void (*place)(unsigned block, unsigned thread, unsigned grid, unsigned group);
  void (*thread)(void** parameters);
  void (*all)(void** parameters, unsigned grid, unsigned group);
  bool has_barriers;
  int works;  // launches that did not run yet
  bool unloaded;
} sim_kernel;

// ------------------------------------------------------------------- building

static uint64_t hash(const char* text) {
  uint64_t h = 0xcbf29ce484222325ull;
  for (; *text; text++) h = (h ^ (unsigned char)*text) * 0x100000001b3ull;
  return h;
}

static bool write_source(const char* path, const char* text) {
  FILE* file = fopen(path, "w");
  if (!file) return false;
  fprintf(file, "#include \"%s/shim.hpp\"\n%s\n#include \"%s/runner.hpp\"\n", SIM_FOLDER,
          text, SIM_FOLDER);
  return fclose(file) == 0;
}

static bool run_compiler(const char* source, const char* to) {
  char* arguments[] = {(char*)(uintptr_t)SIM_COMPILER,
                       "-xc++",
                       "-std=c++17",
                       "-O1",
                       "-w",
                       "-fno-exceptions",
                       "-fno-rtti",
                       "-ffp-contract=off",
                       "-fno-strict-aliasing",
                       "-fPIC",
                       "-shared",
                       "-nostdlib",
                       "-o",
                       (char*)(uintptr_t)to,
                       (char*)(uintptr_t)source,
                       "-lm",
                       "-lc",
                       NULL};
  pid_t child;
  int status = -1;
  if (posix_spawnp(&child, SIM_COMPILER, NULL, NULL, arguments, environ) != 0)
    return false;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

// The path of the built text, "" where nothing runs; false if it cannot be built.
static bool build(const char* text, char* path, size_t size) {
  const char* folder = getenv("OPYARD_CUDASIM_CACHE");
  char source[1024], part[1024];
  const char* runs = getenv("OPYARD_CUDASIM_RUN");
  path[0] = 0;
  if (runs && runs[0] == '0') return true;
  if (!folder) folder = "/tmp";
  snprintf(path, size, "%s/%016llx.so", folder, (unsigned long long)hash(text));
  if (access(path, R_OK) == 0) return true;
  snprintf(source, sizeof(source), "%s.%d.cc", path, (int)getpid());
  snprintf(part, sizeof(part), "%s.%d.part", path, (int)getpid());
  bool built =
      write_source(source, text) && run_compiler(source, part) && rename(part, path) == 0;
  if (built) unlink(source);
  return built;
}

SIM_EXPORT int cuModuleLoadData(void** out, const void* image) {
  ENTER(ModuleLoadData);
  char path[768];
  const char* text = image;
  if (strncmp(text, "SIM1", 4) != 0 || !build(text + 4, path, sizeof(path)))
    return sim_leave(SIM_NO_BINARY);
  sim_kernel* k = calloc(1, sizeof(*k));
  if (!k) return sim_leave(SIM_OUT_OF_MEMORY);
  k->library = path[0] ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (path[0] && !k->library) {
    free(k);
    return sim_leave(SIM_NO_BINARY);
  }
  if (k->library) {
    *(void**)&k->place = dlsym(k->library, "sim_place");
    *(void**)&k->thread = dlsym(k->library, "sim_thread");
    *(void**)&k->all = dlsym(k->library, "sim_all");
  }
  k->has_barriers = strstr(text, "barrier(CLK") != NULL;
  sim_counts.modules++;
  *out = k;
  return sim_leave(SIM_OK);
}

static void free_if_done(sim_kernel* k) {
  if (!k->unloaded || k->works > 0) return;
  if (k->library) dlclose(k->library);
  free(k);
}
SIM_EXPORT int cuModuleUnload(void* module) {
  ENTER(ModuleUnload);
  sim_kernel* k = module;
  k->unloaded = true;
  sim_counts.modules--;
  free_if_done(k);
  return sim_leave(SIM_OK);
}
SIM_EXPORT int cuModuleGetFunction(void** out, void* module, const char* name) {
  ENTER(ModuleGetFunction);
  *out = module;
  return sim_leave(strcmp(name, "run") == 0 ? SIM_OK : SIM_NOT_FOUND);
}

// --------------------------------------------------------------------- fibres

enum { STACK = 128 << 10, MOST = 1024 };
static ucontext_t g_scheduler, g_fibres[MOST];
static char* g_stacks;
static sim_kernel* g_kernel;
static void** g_parameters;
static bool g_done[MOST];
static unsigned g_now;

static void at_barrier(void) {
  unsigned me = g_now;
  swapcontext(&g_fibres[me], &g_scheduler);
}
static void fibre(void) {
  g_kernel->thread(g_parameters);
  g_done[g_now] = true;
}

// Each thread of the block runs to the next barrier, in turn, until all have returned.
static void run_block(unsigned block, unsigned grid, unsigned group) {
  for (unsigned t = 0; t < group; t++) {
    getcontext(&g_fibres[t]);
    g_fibres[t].uc_stack.ss_sp = g_stacks + (size_t)t * STACK;
    g_fibres[t].uc_stack.ss_size = STACK;
    g_fibres[t].uc_link = &g_scheduler;
    makecontext(&g_fibres[t], fibre, 0);
    g_done[t] = false;
  }
  for (unsigned left = group; left > 0;) {
    left = 0;
    for (unsigned t = 0; t < group; t++) {
      if (g_done[t]) continue;
      g_now = t;
      g_kernel->place(block, t, grid, group);
      swapcontext(&g_scheduler, &g_fibres[t]);
      left += !g_done[t];
    }
  }
}

int sim_run_kernel(sim_kernel* k, void** parameters, unsigned grid, unsigned group) {
  if (!k->library) return SIM_OK;
  if (!k->has_barriers) {
    k->all(parameters, grid, group);
    return SIM_OK;
  }
  void (**barrier)(void) = (void (**)(void))dlsym(k->library, "sim_barrier");
  if (!g_stacks) g_stacks = malloc((size_t)MOST * STACK);
  if (!barrier || !g_stacks || group > MOST) return SIM_INVALID_VALUE;
  *barrier = at_barrier;
  g_kernel = k;
  g_parameters = parameters;
  for (unsigned b = 0; b < grid; b++) run_block(b, grid, group);
  return SIM_OK;
}

// ------------------------------------------------------------------- launches

// A driver knows from the binary how many parameters there are, and their sizes. Here the
// plugin's way is relied on: a NULL follows the last, and all lie in 2048 bytes from the
// first on.
enum { PARAMETER_BYTES = 2048, PARAMETERS = 33 };

static int launch(sim_work* w) {
  return sim_run_kernel(w->kernel, w->parameters, w->grid, w->group);
}
void sim_free_parameters(sim_work* w) {
  if (!w->kernel) return;
  w->kernel->works--;
  free_if_done(w->kernel);
  free(w->parameters);
}
SIM_EXPORT int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y,
                              unsigned grid_z, unsigned block_x, unsigned block_y,
                              unsigned block_z, unsigned shared_bytes, void* stream,
                              void** parameters, void** extra) {
  ENTER(LaunchKernel);
  sim_kernel* k = function;
  if (grid_y != 1 || grid_z != 1 || block_y != 1 || block_z != 1 || shared_bytes ||
      extra || block_x == 0 || grid_x == 0 || block_x > MOST)
    return sim_leave(SIM_INVALID_VALUE);
  char* copy = malloc(PARAMETERS * sizeof(void*) + PARAMETER_BYTES);
  if (!copy) return sim_leave(SIM_OUT_OF_MEMORY);
  void** addresses = (void**)(void*)copy;
  char* bytes = copy + PARAMETERS * sizeof(void*);
  memcpy(bytes, parameters[0], PARAMETER_BYTES);
  for (int i = 0; i < PARAMETERS && parameters[i]; i++)
    addresses[i] = bytes + ((const char*)parameters[i] - (const char*)parameters[0]);
  sim_work w = {.run = launch,
                .kernel = k,
                .parameters = addresses,
                .grid = grid_x,
                .group = block_x};
  k->works++;
  int code = sim_put(stream, w);
  if (code != SIM_OK) sim_free_parameters(&w);
  return sim_leave(code);
}

// ------------------------------------------------------------ finding, and NVRTC

SIM_EXPORT int cuGetProcAddress_v2(const char* name, void** out, int version,
                                   uint64_t flags, int* out_status) {
  (void)version, (void)flags;
  Dl_info here;
  *out = NULL;
  *out_status = 1;
  if (!dladdr((void*)(uintptr_t)cuModuleUnload, &here)) return SIM_NOT_FOUND;
  void* self = dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  if (!self) return SIM_NOT_FOUND;
  *out = dlsym(self, name);
  dlclose(self);
  *out_status = *out ? 0 : 1;
  return *out ? SIM_OK : SIM_NOT_FOUND;
}
