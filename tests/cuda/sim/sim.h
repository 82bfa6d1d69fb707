// SPDX-License-Identifier: Apache-2.0
// A driver of CUDA that runs on the host, for machines without a GPU: a shared object with
// the entry points that the plugin asks for, over the host's memory. NVRTC's are there too.
//
// Streams are as late as they may be: what is put on one runs when somebody waits for it
// (or asks whether it is done, a second time), so a host that reads too early reads old
// bytes. Kernels are the plugin's own text, compiled by the host's C++ compiler; one thread
// runs after the other, those of a block that has barriers as fibres.
#ifndef OPYARD_TESTS_CUDA_SIM_SIM_H_
#define OPYARD_TESTS_CUDA_SIM_SIM_H_

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_EXPORT __attribute__((visibility("default")))

enum {
  SIM_OK = 0,
  SIM_INVALID_VALUE = 1,
  SIM_OUT_OF_MEMORY = 2,
  SIM_NOT_INITIALIZED = 3,
  SIM_INVALID_CONTEXT = 201,
  SIM_NO_BINARY = 209,
  SIM_INVALID_HANDLE = 400,
  SIM_NOT_FOUND = 500,
  SIM_NOT_READY = 600,
  SIM_ILLEGAL_ADDRESS = 700,
  SIM_DEVICES = 3,
  SIM_STREAMS = 256
};

struct cublas_choice {
  uint64_t algorithm[8];
  size_t workspace;
  int status;
  float waves;
  int reserved[4];
};

// The entry points, by the plugin's own list, so that both agree on their types.
#define CUDA_FN(name, version, parameters) SIM_EXPORT int cu##name parameters;
#include "backends/cuda/cuda_api.def"
#undef CUDA_FN
#define NVRTC_FN(name, parameters) SIM_EXPORT int nvrtc##name parameters;
#include "backends/cuda/nvrtc_api.def"
#undef NVRTC_FN
#define CUBLAS_FN(name, parameters) SIM_EXPORT int cublasLt##name parameters;
#include "backends/cuda/cublas_api.def"
#undef CUBLAS_FN
SIM_EXPORT int cuGetProcAddress_v2(const char* name, void** out, int version,
                                   uint64_t flags, int* out_status);

// Begins an entry point: it fails as planned.
#define ENTER(name)                                     \
  do {                                                  \
    int entered_ = sim_enter(#name);                    \
    if (entered_ != SIM_OK) return sim_leave(entered_); \
  } while (0)

// One entry of a stream: an operation on copies of its arguments. |run| gives a code.
typedef struct sim_work {
  int (*run)(struct sim_work* work);
  uint64_t to, from;
  size_t size;
  unsigned char byte;
  struct sim_event* event;
  uint64_t number;  // of the event's recording
  struct sim_kernel* kernel;
  void** parameters;
  unsigned grid, group;
  struct sim_work* next;
} sim_work;

typedef struct sim_stream {
  sim_work *first, *last;
  int device, error;
  bool alive, asked, running;
} sim_stream;

typedef struct sim_event {
  uint64_t recorded, reached;  // number of recordings made, and the last that happened
  sim_stream* stream;          // of the last recording
  double time;
  int users;  // works that refer to it; freed when it is destroyed and has none
  bool alive, timed;
} sim_event;

// ------------------------------------------------ for tests: by dlopen of the same file

// The call of |name| ("MemAlloc") after the next |skip| ones fails with |code|; -1: each.
SIM_EXPORT void cudasim_fail(const char* name, int skip, int code);
SIM_EXPORT void cudasim_fail_none(void);
SIM_EXPORT uint64_t cudasim_calls(const char* name);
// Bytes of a device; 0: as much as the host has. Then allocations fail as they do there.
SIM_EXPORT void cudasim_limit(size_t bytes);
typedef struct cudasim_counts {
  uint64_t blocks, bytes, pinned, streams, events, modules, contexts;
  uint64_t damaged;  // blocks that something was written beside
  uint64_t pending;  // works on streams
} cudasim_counts;
SIM_EXPORT void cudasim_count(cudasim_counts* out);
// Products that cuBLASLt was asked for.
SIM_EXPORT uint64_t cudasim_products(void);

// ---------------------------------------------------------------- between its files

extern pthread_mutex_t sim_lock;  // recursive, held in every entry point
// Whether this call of |name| is to fail: its code, else 0. Takes the lock.
int sim_enter(const char* name);
int sim_leave(int code);
// The device whose context the thread made current; -1: none.
int sim_current(void);
extern cudasim_counts sim_counts;
// Whether |size| bytes from |address| lie in memory of the driver's or, where it is none of
// it, the host's.
bool sim_is_inside(uint64_t address, size_t size);
void sim_run_all(void);
int sim_put(void* stream, sim_work work);
int sim_run_kernel(struct sim_kernel* kernel, void** parameters, unsigned grid,
                   unsigned group);
void sim_free_parameters(sim_work* work);
double sim_milliseconds(void);

#endif  // OPYARD_TESTS_CUDA_SIM_SIM_H_
