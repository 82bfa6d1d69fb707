// SPDX-License-Identifier: Apache-2.0
// Devices, memory, streams and programs: what kernels of the plugin stand on. It knows
// no operators.
//
// Each device has a context of its own, so that nothing moves between devices unasked.
// Its queues are in order and are the streams; slot 0 is the default one. Unless said
// otherwise functions are thread-safe.
#ifndef OPYARD_SRC_BACKENDS_OPENCL_RUNTIME_H_
#define OPYARD_SRC_BACKENDS_OPENCL_RUNTIME_H_

#include <pthread.h>

#include "cl_api.h"
#include "opyard/abi.h"

enum {
  OCL_DEVICES = 64,
  OCL_STREAMS = 64,  // of a device; a block's users are a word of bits
  OCL_BINS = 160,    // sizes of blocks
  OCL_BUCKETS = 256  // of a device's table of kernels
};

typedef struct ocl_block {
  cl_mem mem;
  size_t size;
  uint64_t address;  // made up, unique among all that is allocated
  struct ocl_device* device;
  uint64_t users;  // streams besides |home| that were given work with it, as bits
  int home;        // the stream whose order makes it safe to use again
  int bin;
  struct ocl_block* next;
} ocl_block;

typedef struct ocl_stream {
  cl_command_queue queue;  // NULL: free, or not yet used
  uint32_t generation;     // how often the slot was given out
  bool taken;
} ocl_stream;

typedef struct ocl_kernel {
  uint64_t key[8];
  cl_program program;
  cl_kernel kernel;
  pthread_mutex_t lock;  // arguments are set and enqueued under it
  struct ocl_kernel* next;
} ocl_kernel;

typedef struct ocl_device {
  int16_t index;
  cl_device_id id;
  cl_context context;
  char name[128];
  char identity[512];        // of device, driver and platform: what a binary is good for
  uint64_t memory, largest;  // bytes of all, and of one buffer at most
  bool is_cpu;               // wants few, long work-items and vectors
  bool has_f64;
  bool has_i64_atomics;
  pthread_mutex_t lock;  // of streams and free blocks
  ocl_stream streams[OCL_STREAMS];
  ocl_block* free_blocks[OCL_BINS];
  pthread_mutex_t build_lock;        // held while one program is built
  ocl_kernel* kernels[OCL_BUCKETS];  // atomic heads: entries are added and never removed
  ocl_block* report;                 // where kernels tell of a bad index; see launch.h
  pthread_mutex_t report_lock;
} ocl_device;

// ------------------------------------------------------------------------ devices

// Looks for devices the first time. NOT_FOUND, with one line that says why, if there are
// none; FAILED_PRECONDITION in a child of fork, where drivers do not work.
oy_status ocl_devices(ocl_device*** out_devices, int16_t* out_count);
// OUT_OF_RANGE, "expected a device below 3, got opencl:5".
oy_status ocl_device_get(int16_t index, ocl_device** out_device);
// Gives up what is kept: free blocks, kernels, queues. For when the plugin is unloaded.
void ocl_close(void);
// Makes |index| current for the calling thread; -1 only asks.
oy_status ocl_device_exchange(int16_t index, int16_t* out_before);

// ------------------------------------------------------------------------- memory

// Blocks are kept for later when they are given back. OUT_OF_MEMORY.
oy_status ocl_block_new(ocl_device* device, size_t nbytes, ocl_block** out_block);
// Work that was put on streams before may still use it.
void ocl_block_release(ocl_block* block);
// Notes that |stream| gets work with it.
void ocl_block_used(ocl_block* block, int stream);
// Frees what is kept.
void ocl_trim(ocl_device* device);
// Copies between blocks, or between a block and the host's memory (the block NULL).
typedef struct ocl_place {
  ocl_block* block;
  char* host;
  size_t offset;
} ocl_place;
oy_status ocl_copy(ocl_place to, ocl_place from, size_t nbytes, bool non_blocking);
oy_status ocl_fill(ocl_block* block, size_t offset, size_t nbytes, uint8_t byte);

// ------------------------------------------------------------------------ streams

// The slot of a stream that the plugin gave out; INVALID_ARGUMENT if it is none, or gone.
oy_status ocl_stream_slot(ocl_device* device, uint64_t stream, int* out_slot);
// The current one of the thread, and its queue.
int ocl_stream_current(ocl_device* device);
oy_status ocl_queue(ocl_device* device, int slot, cl_command_queue* out_queue);
oy_status ocl_queue_current(ocl_device* device, cl_command_queue* out_queue);
oy_status ocl_synchronize(ocl_device* device);
// What comes on |slot| waits for what is on |other| now.
oy_status ocl_stream_follow(ocl_device* device, int slot, int other);
// Fills in the hooks of streams and events.
void ocl_stream_hooks(oy_device_hooks* hooks);

// ----------------------------------------------------------------------- programs

// Writes the source of a kernel named "run"; a new string, NULL: OUT_OF_MEMORY.
typedef char* (*ocl_source_fn)(const ocl_device* device, const void* what);
// The kernel of |key|, which is made from source, or from the cache on disk, the first
// time. A failed build is INTERNAL with the compiler's words in the detail.
oy_status ocl_kernel_get(ocl_device* device, const uint64_t key[8], ocl_source_fn source,
                         const void* what, ocl_kernel** out_kernel);

// The binary of |key_text| on disk; false if there is none that is good. The caller frees.
bool ocl_cache_read(const char* key_text, unsigned char** out_data, size_t* out_size);
// Does nothing where there is no place for it.
void ocl_cache_write(const char* key_text, const unsigned char* data, size_t size);

#endif  // OPYARD_SRC_BACKENDS_OPENCL_RUNTIME_H_
