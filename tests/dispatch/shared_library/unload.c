// SPDX-License-Identifier: Apache-2.0
// unload LIBRARY: a thread uses all that the library keeps for a thread; the library is
// unloaded; the thread ends. Twice, so that what is armed at loading is armed again.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "opyard/tensor.h"

// What the thread calls. Tensors are there in the whole library alone.
typedef struct library {
  void* handle;
  uint64_t (*thread_start)(void);
  oy_status (*error_set)(oy_status code, const char* file, int line, const char* format,
                         ...);
  oy_tensor* (*tensor_empty)(oy_ints sizes, oy_dtype dtype, oy_device device);
} library;

static library g_library;
static pthread_barrier_t g_used, g_unloaded;

static int fail(const char* what, const char* more) {
  fprintf(stderr, "unload: %s: %s\n", what, more ? more : "");
  return 1;
}

static int load(const char* path) {
  library* l = &g_library;
  l->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!l->handle) return fail("dlopen", dlerror());
  *(void**)&l->thread_start = dlsym(l->handle, "oy_thread_start");
  *(void**)&l->error_set = dlsym(l->handle, "oy_error_set");
  *(void**)&l->tensor_empty = dlsym(l->handle, "oy_tensor_empty");
  return l->thread_start && l->error_set ? 0 : fail("dlsym", dlerror());
}

static void use(void) {
  const library* l = &g_library;
  (void)l->thread_start();
  (void)l->error_set(OY_INVALID_ARGUMENT, __FILE__, __LINE__, "an error of %s",
                     "a thread");
  if (!l->tensor_empty) return;
  int64_t sizes[] = {3, 1000};
  for (size_t count = 0; count <= 2; count++) {
    oy_tensor* t = l->tensor_empty((oy_ints){sizes, count}, OY_DTYPE_F32, (oy_device){0});
    if (t) t->klass->destroy(t);
  }
}

static void* thread(void* unused) {
  (void)unused;
  use();
  pthread_barrier_wait(&g_used);
  pthread_barrier_wait(&g_unloaded);
  return NULL;
}

static int load_use_unload(const char* path) {
  pthread_t other;
  if (load(path)) return 1;
  use();
  if (pthread_create(&other, NULL, thread, NULL) != 0) return fail("pthread_create", "");
  pthread_barrier_wait(&g_used);
  if (dlclose(g_library.handle) != 0) return fail("dlclose", dlerror());
  int still_there = dlopen(path, RTLD_NOW | RTLD_NOLOAD) != NULL;
  pthread_barrier_wait(&g_unloaded);
  pthread_join(other, NULL);
  return still_there ? fail("dlclose", "the library is still there") : 0;
}

int main(int argc, char** argv) {
  if (argc != 2) return fail("usage", "unload LIBRARY");
  pthread_barrier_init(&g_used, NULL, 2);
  pthread_barrier_init(&g_unloaded, NULL, 2);
  for (int i = 0; i < 2; i++)
    if (load_use_unload(argv[1])) return 1;
  return 0;
}
