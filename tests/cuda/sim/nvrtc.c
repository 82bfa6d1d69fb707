// SPDX-License-Identifier: Apache-2.0
// NVRTC of the simulated driver: the "binary" is the text itself. Where
// OPYARD_CUDASIM_NVRTC names the real one, that has to take the text first, for sm_90 or
// what else was asked for, and what it says is what comes back.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

static struct {
#define NVRTC_FN(name, parameters) int(*name) parameters;
#include "backends/cuda/nvrtc_api.def"
#undef NVRTC_FN
} g_real;
static const char* const g_names[] = {
#define NVRTC_FN(name, parameters) "nvrtc" #name,
#include "backends/cuda/nvrtc_api.def"
#undef NVRTC_FN
};
static pthread_once_t g_once = PTHREAD_ONCE_INIT;
static bool g_has_real;

typedef struct program {
  void* real;
  char text[];
} program;

static void open_real(void) {
  const char* path = getenv("OPYARD_CUDASIM_NVRTC");
  void* library = path && path[0] ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  void** slots = (void**)&g_real;
  if (path && path[0] && !library) fprintf(stderr, "cudasim: %s\n", dlerror());
  g_has_real = library != NULL;
  for (size_t i = 0; library && i < sizeof(g_names) / sizeof(*g_names); i++) {
    slots[i] = dlsym(library, g_names[i]);
    g_has_real = g_has_real && slots[i];
  }
}

SIM_EXPORT int nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return 0;
}
SIM_EXPORT int nvrtcCreateProgram(void** out, const char* source, const char* name,
                                  int count, const char* const* headers,
                                  const char* const* header_names) {
  pthread_once(&g_once, open_real);
  program* p = malloc(sizeof(*p) + strlen(source) + 1);
  if (!p) return 1;
  strcpy(p->text, source);
  p->real = NULL;
  if (g_has_real)
    g_real.CreateProgram(&p->real, source, name, count, headers, header_names);
  *out = p;
  return 0;
}
SIM_EXPORT int nvrtcDestroyProgram(void** program_place) {
  program* p = *program_place;
  if (p->real) g_real.DestroyProgram(&p->real);
  free(p);
  *program_place = NULL;
  return 0;
}
SIM_EXPORT int nvrtcCompileProgram(void* program_given, int count,
                                   const char* const* options) {
  program* p = program_given;
  if (strstr(p->text, "#error")) return 6;
  return p->real ? g_real.CompileProgram(p->real, count, options) : 0;
}
SIM_EXPORT int nvrtcGetProgramLogSize(void* program_given, size_t* out) {
  program* p = program_given;
  *out = 1;
  return p->real ? g_real.GetProgramLogSize(p->real, out) : 0;
}
SIM_EXPORT int nvrtcGetProgramLog(void* program_given, char* log) {
  program* p = program_given;
  log[0] = 0;
  return p->real ? g_real.GetProgramLog(p->real, log) : 0;
}
// Whether the real one's binary has the kernel: text may be taken and hold none.
static bool has_kernel(void* real) {
  static const char section[] = ".text.run";
  size_t size = 0;
  char* binary = NULL;
  bool found = g_real.GetCUBINSize(real, &size) == 0 && (binary = malloc(size)) &&
               g_real.GetCUBIN(real, binary) == 0 &&
               memmem(binary, size, section, sizeof(section));
  free(binary);
  return found;
}

SIM_EXPORT int nvrtcGetCUBINSize(void* program_given, size_t* out) {
  program* p = program_given;
  if (p->real && !has_kernel(p->real)) return 6;
  *out = strlen(p->text) + 5;
  return 0;
}
SIM_EXPORT int nvrtcGetCUBIN(void* program_given, char* cubin) {
  program* p = program_given;
  memcpy(cubin, "SIM1", 4);
  strcpy(cubin + 4, p->text);
  return 0;
}
