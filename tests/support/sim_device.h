// SPDX-License-Identifier: Apache-2.0
// A simulated device: memory of the host at addresses that are off by a constant, so that
// who touches it directly crashes; several devices; streams that run in order on threads
// of their own, so that what does not block is really late. For tests, and for the plugins
// that they load.
#ifndef OPYARD_TESTS_SUPPORT_SIM_DEVICE_H_
#define OPYARD_TESTS_SUPPORT_SIM_DEVICE_H_

#include "opyard/abi.h"

enum { SIM_DEVICES_MAX = 8 };

typedef struct sim_device sim_device;

// |count| devices; each job on a stream first sleeps |delay_us| microseconds. NULL without
// memory.
sim_device* sim_device_create(int16_t count, unsigned delay_us);
// Waits for its streams and ends their threads.
void sim_device_destroy(sim_device* sim);
// All hooks but |seed|.
oy_device_hooks sim_device_hooks(sim_device* sim);

// Where the bytes of a device address are; only code that plays the device may.
void* sim_device_host(const void* data);
// Runs |job| on the current stream of the thread for device |index|, after what is queued
// there; returns at once unless |wait|.
oy_status sim_device_run(sim_device* sim, int16_t index, void (*job)(void* argument),
                         void* argument, bool wait);

// What it was asked for so far.
typedef struct sim_counts {
  uint64_t allocations, releases, copies, async_copies, fills, host_allocations,
      recorded_streams;
} sim_counts;
sim_counts sim_device_counts(const sim_device* sim);
// The next |n|-th allocation from now fails; -1: none.
void sim_device_fail_allocation(sim_device* sim, int64_t n);

#endif  // OPYARD_TESTS_SUPPORT_SIM_DEVICE_H_
