// SPDX-License-Identifier: Apache-2.0
// What each plugin brings for its driver; everything else of this folder is compiled into
// every one of them. Queues, events and programs are the driver's own objects, named by
// pointers. Functions leave an error in the record when they return another status than OK.
#ifndef OPYARD_SRC_BACKENDS_GPU_DRIVER_H_
#define OPYARD_SRC_BACKENDS_GPU_DRIVER_H_

#include "launch.h"
#include "runtime.h"

// "cuda", of devices, of the plugin and of its folder in the cache; "CUDA", for messages;
// "CUDA", of the backend; one line on the plugin.
extern const char gpu_driver_name[], gpu_driver_title[], gpu_driver_backend[];
extern const char gpu_driver_description[];
// The dialect of kernels/*.cl: text that comes first in every source.
extern const char* const gpu_driver_dialect;

// Finds devices, and gives each to gpu_device_add. NOT_FOUND, in one line, if there are
// none. Called again after a failure only when the plugin was loaded again.
oy_status gpu_driver_find(void);
// A device with nothing but its locks; NULL without memory. The driver fills it in.
gpu_device* gpu_device_new(void);
// Takes it over, freeing it where it has no context or there is no room.
void gpu_device_add(gpu_device* device);
// How many were added.
int gpu_device_known(void);
// Gives up |device->context|.
void gpu_driver_close(gpu_device* device);

// Sets |handle| and |address| of the block for |size| bytes. OUT_OF_MEMORY; |is_last|: the
// caller will not try again, so that the error is worth telling.
oy_status gpu_driver_allocate(gpu_device* device, size_t size, bool is_last,
                              gpu_block* block);
// Work may still be using it.
void gpu_driver_release(gpu_block* block);
// Between two blocks of one device, or a block and the host. |blocking|: is done on return.
oy_status gpu_driver_copy(gpu_device* device, int slot, void* queue, gpu_place to,
                          gpu_place from, size_t nbytes, bool blocking);
oy_status gpu_driver_fill(void* queue, gpu_block* block, size_t offset, size_t nbytes,
                          uint8_t byte);

oy_status gpu_driver_queue_new(gpu_device* device, int32_t priority, void** out_queue);
// |marker|: what queries left there, or NULL.
void gpu_driver_queue_free(gpu_device* device, void* queue, void* marker);
// Sees to it that what is on the queue will be done without further calls.
oy_status gpu_driver_flush(void* queue);
oy_status gpu_driver_wait(gpu_device* device, void* queue);
// Whether all that is on the queue is done. What a driver needs for that may stay in
// *marker, NULL at first, until the next query; |is_new|: work came since the last one.
oy_status gpu_driver_query(gpu_device* device, void* queue, void** marker, bool is_new,
                           bool* out_done);
// What comes on |then| waits for what is on |first| now; both are of |device|.
oy_status gpu_driver_follow(gpu_device* device, void* then, void* first);
// Fills in the hooks of events, and of pinned memory where there is some.
void gpu_driver_hooks(oy_device_hooks* hooks);

// Builds "run", by way of the cache on disk.
oy_status gpu_driver_build(gpu_device* device, const char* source, gpu_kernel* kernel);
void gpu_driver_unbuild(gpu_device* device, gpu_kernel* kernel);
// |groups| groups of |group| work-items, with the arguments of |l|.
oy_status gpu_driver_launch(const gpu_launch* l, gpu_kernel* kernel, void* queue,
                            size_t groups, size_t group);

#endif  // OPYARD_SRC_BACKENDS_GPU_DRIVER_H_
