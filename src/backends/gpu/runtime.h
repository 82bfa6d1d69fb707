// SPDX-License-Identifier: Apache-2.0
// Devices, memory, streams and programs: what kernels stand on, for any driver. It knows no
// operators. What a driver has to do for it is in driver.h.
//
// Nothing moves between devices unasked. Queues are in order and are the streams; slot 0 is
// the default one. Unless said otherwise functions are thread-safe.
#ifndef OPYARD_SRC_BACKENDS_GPU_RUNTIME_H_
#define OPYARD_SRC_BACKENDS_GPU_RUNTIME_H_

#include <pthread.h>

#include "opyard/abi.h"

enum {
  GPU_DEVICES = 64,
  GPU_STREAMS = 64,  // of a device; a block's users are a word of bits
  GPU_BINS = 160,    // sizes of blocks
  GPU_BUCKETS = 256  // of a device's table of kernels
};

typedef struct gpu_block {
  void* handle;  // the driver's; what kernels get
  size_t size;
  uint64_t address;  // the device's, or made up: unique among all that is allocated
  struct gpu_device* device;
  uint64_t users;  // streams besides |home| that were given work with it, as bits
  int home;        // the stream whose order makes it safe to use again
  int bin;
  struct gpu_block* next;
} gpu_block;

typedef struct gpu_stream {
  void* queue;          // the driver's; NULL: not yet used
  int32_t priority;     // that the queue has, or will have
  uint32_t generation;  // how often the slot was given out
  bool taken;
  uint64_t work;         // atomic; how often something was put on it
  uint64_t waited_work;  // atomic; how much of that was waited for
  uint64_t marker_work;  // how much of that |marker| is behind
  void* marker;          // the driver's, for queries; NULL: nobody asked
} gpu_stream;

typedef struct gpu_kernel {
  uint64_t key[8];
  void *program, *kernel;  // the driver's
  pthread_mutex_t lock;    // for drivers where arguments belong to the kernel
  struct gpu_kernel* next;
} gpu_kernel;

typedef struct gpu_device {
  int16_t index;
  void *id, *context, *library;  // the driver's
  char name[128];
  char identity[512];        // of device, driver and platform: what a binary is good for
  uint64_t memory, largest;  // bytes of all, and of one block at most
  int architecture;          // a number of the driver's
  bool is_cpu;               // wants few, long work-items and vectors
  bool has_f64;
  bool has_i64_atomics;
  bool wants_aligned;    // vectors lie at multiples of their size
  pthread_mutex_t lock;  // of streams and free blocks
  gpu_stream streams[GPU_STREAMS];
  gpu_block* free_blocks[GPU_BINS];
  pthread_mutex_t build_lock;        // held while one program is built
  gpu_kernel* kernels[GPU_BUCKETS];  // atomic heads: entries are added and never removed
  gpu_block* report;                 // where kernels tell of a bad index; see launch.h
  pthread_mutex_t report_lock;
} gpu_device;

// ------------------------------------------------------------------------ devices

// Looks for devices the first time. NOT_FOUND, with one line that says why, if there are
// none; FAILED_PRECONDITION in a child of fork, where drivers do not work.
oy_status gpu_devices(gpu_device*** out_devices, int16_t* out_count);
// OUT_OF_RANGE, "expected an OpenCL device below 3, got opencl:5".
oy_status gpu_device_get(int16_t index, gpu_device** out_device);
// Gives up what is kept: free blocks, kernels, queues. For when the plugin is unloaded.
void gpu_close(void);
// Makes |index| current for the calling thread; -1 only asks.
oy_status gpu_device_exchange(int16_t index, int16_t* out_before);

// ------------------------------------------------------------------------- memory

// Blocks are kept for later when they are given back. OUT_OF_MEMORY.
oy_status gpu_block_new(gpu_device* device, size_t nbytes, gpu_block** out_block);
// Work that was put on streams before may still use it.
void gpu_block_release(gpu_block* block);
// Notes that |stream| gets work with it.
void gpu_block_used(gpu_block* block, int stream);
// Frees what is kept.
void gpu_trim(gpu_device* device);
// Copies between blocks, or between a block and the host's memory (the block NULL).
typedef struct gpu_place {
  gpu_block* block;
  char* host;
  size_t offset;
} gpu_place;
oy_status gpu_copy(gpu_place to, gpu_place from, size_t nbytes, bool non_blocking);
oy_status gpu_fill(gpu_block* block, size_t offset, size_t nbytes, uint8_t byte);

// ------------------------------------------------------------------------ streams

// The slot of a stream that the plugin gave out; INVALID_ARGUMENT if it is none, or gone.
oy_status gpu_stream_slot(gpu_device* device, uint64_t stream, int* out_slot);
// The current one of the thread, and its queue.
int gpu_stream_current(gpu_device* device);
oy_status gpu_queue(gpu_device* device, int slot, void** out_queue);
oy_status gpu_queue_current(gpu_device* device, void** out_queue);
// Something was put on stream |slot|, and is not waited for. Called after that.
static inline void gpu_stream_worked(gpu_device* device, int slot) {
  __atomic_fetch_add(&device->streams[slot].work, 1, __ATOMIC_RELEASE);
}
// The queue of a stream that the plugin gave out.
oy_status gpu_queue_of(int16_t index, uint64_t stream, void** out_queue);
oy_status gpu_synchronize(gpu_device* device);
// What comes on |slot| waits for what is on |other| now.
oy_status gpu_stream_follow(gpu_device* device, int slot, int other);
// Fills in the hooks of streams.
void gpu_stream_hooks(oy_device_hooks* hooks);

// ----------------------------------------------------------------------- programs

// Writes the source of a kernel named "run"; a new string, NULL: OUT_OF_MEMORY.
typedef char* (*gpu_source_fn)(const gpu_device* device, const void* what);
// The kernel of |key|, which is made from source, or from the cache on disk, the first
// time. A failed build is INTERNAL with the compiler's words in the detail.
oy_status gpu_kernel_get(gpu_device* device, const uint64_t key[8], gpu_source_fn source,
                         const void* what, gpu_kernel** out_kernel);

// The binary of |key_text| on disk; false if there is none that is good. The caller frees.
bool gpu_cache_read(const char* key_text, unsigned char** out_data, size_t* out_size);
// Does nothing where there is no place for it.
void gpu_cache_write(const char* key_text, const unsigned char* data, size_t size);

#endif  // OPYARD_SRC_BACKENDS_GPU_RUNTIME_H_
