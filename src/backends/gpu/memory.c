// SPDX-License-Identifier: Apache-2.0
// Blocks. Making one costs a driver far more than a kernel does, so they are kept when
// they are given back, by size and with the stream that they were used on last: on that
// stream work comes in order, so the next owner may write at once, and another stream is
// made to wait for it.
#include <stdlib.h>

#include "driver.h"

enum { LEAST = 512, STAGE = 4 << 20 };

// Sizes are four to a power of two, so at most a fifth is lost.
static size_t round_size(size_t nbytes, int* out_bin) {
  size_t size = LEAST;
  int bin = 0;
  while (bin + 4 < GPU_BINS && size + size / 4 * 4 < nbytes) size *= 2, bin += 4;
  size_t step = size / 4;
  while (size < nbytes && bin + 1 < GPU_BINS) size += step, bin++;
  *out_bin = bin;
  return size;
}

// A kept block of the right size; one of the same stream if there is one.
static gpu_block* take_kept(gpu_device* d, int bin, int stream) {
  gpu_block** found = NULL;
  for (gpu_block** at = &d->free_blocks[bin]; *at; at = &(*at)->next) {
    if (!found) found = at;
    if ((*at)->home != stream) continue;
    found = at;
    break;
  }
  if (!found) return NULL;
  gpu_block* block = *found;
  *found = block->next;
  return block;
}

static oy_status block_make(gpu_device* d, size_t size, int bin, bool is_last,
                            gpu_block** out_block) {
  gpu_block* block = calloc(1, sizeof(*block));
  OY_CHECK(block, OUT_OF_MEMORY, "no memory for a block of memory");
  block->size = size;
  block->device = d;
  block->bin = bin;
  oy_status status = gpu_driver_allocate(d, size, is_last, block);
  *out_block = status == OY_OK ? block : NULL;
  if (status != OY_OK) free(block);
  return status;
}

static void block_free(gpu_block* block) {
  gpu_driver_release(block);
  free(block);
}

// What is kept is given up before memory is said to be out.
static oy_status make_or_trim(gpu_device* d, size_t size, int bin,
                              gpu_block** out_block) {
  if (block_make(d, size, bin, false, out_block) == OY_OK) return OY_OK;
  gpu_trim(d);
  return block_make(d, size, bin, true, out_block);
}

oy_status gpu_block_new(gpu_device* d, size_t nbytes, gpu_block** out_block) {
  int bin, stream = gpu_stream_current(d);
  *out_block = NULL;
  OY_CHECK(nbytes <= d->largest, OUT_OF_MEMORY,
           "%s:%d takes buffers of up to %llu bytes, and %zu were asked for",
           gpu_driver_name, d->index, (unsigned long long)d->largest, nbytes);
  size_t size = round_size(nbytes, &bin);
  if (size > d->largest) size = nbytes;
  pthread_mutex_lock(&d->lock);
  gpu_block* block = take_kept(d, bin, stream);
  pthread_mutex_unlock(&d->lock);
  if (block && block->size < nbytes) {  // of a size that was cut to the limit
    block_free(block);
    block = NULL;
  }
  if (!block) {
    OY_TRY(make_or_trim(d, size, bin, &block));
  } else if (block->home != stream) {
    oy_status status = gpu_stream_follow(d, stream, block->home);
    if (status != OY_OK) {
      gpu_block_release(block);
      return status;
    }
  }
  block->home = stream;
  block->users = 0;
  *out_block = block;
  return OY_OK;
}

void gpu_block_release(gpu_block* block) {
  if (!block) return;
  gpu_device* d = block->device;
  uint64_t users = __atomic_exchange_n(&block->users, 0, __ATOMIC_ACQ_REL);
  for (int slot = 0; users; slot++, users >>= 1)
    // Where a stream cannot be waited for, the block is not used again.
    if ((users & 1) && gpu_stream_follow(d, block->home, slot) != OY_OK) {
      block_free(block);
      return;
    }
  pthread_mutex_lock(&d->lock);
  block->next = d->free_blocks[block->bin];
  d->free_blocks[block->bin] = block;
  pthread_mutex_unlock(&d->lock);
}

void gpu_block_used(gpu_block* block, int stream) {
  if (stream != block->home)
    __atomic_fetch_or(&block->users, 1ull << stream, __ATOMIC_ACQ_REL);
}

void gpu_trim(gpu_device* d) {
  gpu_block* all = NULL;
  pthread_mutex_lock(&d->lock);
  for (int bin = 0; bin < GPU_BINS; bin++)
    while (d->free_blocks[bin]) {
      gpu_block* block = d->free_blocks[bin];
      d->free_blocks[bin] = block->next;
      block->next = all;
      all = block;
    }
  pthread_mutex_unlock(&d->lock);
  while (all) {
    gpu_block* next = all->next;
    block_free(all);  // the driver keeps it while work uses it
    all = next;
  }
}

// ------------------------------------------------------------------------- copies

// On one device, or with the host: in the order of the stream.
static oy_status copy_on(gpu_device* d, gpu_place to, gpu_place from, size_t nbytes,
                         bool blocking) {
  void* queue;
  int slot = gpu_stream_current(d);
  OY_TRY(gpu_queue(d, slot, &queue));
  if (to.block) gpu_block_used(to.block, slot);
  if (from.block) gpu_block_used(from.block, slot);
  OY_TRY(gpu_driver_copy(d, slot, queue, to, from, nbytes, blocking));
  gpu_stream_worked(d, slot);
  return OY_OK;
}

// By way of the host, a piece at a time.
static oy_status copy_between(gpu_place to, gpu_place from, size_t nbytes) {
  size_t piece = nbytes < STAGE ? nbytes : STAGE;
  gpu_place stage = {NULL, malloc(piece), 0};
  oy_status status = OY_OK;
  OY_CHECK(stage.host, OUT_OF_MEMORY, "no memory for a copy between devices");
  for (size_t done = 0; done < nbytes && status == OY_OK; done += piece) {
    size_t n = nbytes - done < piece ? nbytes - done : piece;
    gpu_place target = to, source = from;
    target.offset += done;
    source.offset += done;
    status = copy_on(from.block->device, stage, source, n, true);
    if (status == OY_OK) status = copy_on(to.block->device, target, stage, n, true);
  }
  free(stage.host);
  return status;
}

oy_status gpu_copy(gpu_place to, gpu_place from, size_t nbytes, bool non_blocking) {
  if (nbytes == 0) return OY_OK;
  if (!to.block) return copy_on(from.block->device, to, from, nbytes, !non_blocking);
  if (!from.block) return copy_on(to.block->device, to, from, nbytes, !non_blocking);
  if (to.block->device == from.block->device)
    return copy_on(to.block->device, to, from, nbytes, false);
  return copy_between(to, from, nbytes);
}

oy_status gpu_fill(gpu_block* block, size_t offset, size_t nbytes, uint8_t byte) {
  void* queue;
  int slot = gpu_stream_current(block->device);
  if (nbytes == 0) return OY_OK;
  OY_TRY(gpu_queue(block->device, slot, &queue));
  gpu_block_used(block, slot);
  OY_TRY(gpu_driver_fill(queue, block, offset, nbytes, byte));
  gpu_stream_worked(block->device, slot);
  return OY_OK;
}
