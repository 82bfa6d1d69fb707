// SPDX-License-Identifier: Apache-2.0
// Buffers. Making one costs a driver far more than a kernel does, so they are kept when
// they are given back, by size and with the stream that they were used on last: on that
// stream work comes in order, so the next owner may write at once, and another stream is
// made to wait for it.
//
// Tensors do arithmetic on addresses. A buffer has none, so each gets a range of numbers
// of its own, above all that a process can map.
#include <stdlib.h>

#include "runtime.h"

enum { LEAST = 512, STAGE = 4 << 20 };

static uint64_t g_next_address = 1ull << 56;

static uint64_t take_addresses(size_t nbytes) {
  uint64_t room = ((uint64_t)nbytes + 4095) & ~4095ull;
  return __atomic_fetch_add(&g_next_address, room + 4096, __ATOMIC_RELAXED);
}

// Sizes are four to a power of two, so at most a fifth is lost.
static size_t round_size(size_t nbytes, int* out_bin) {
  size_t size = LEAST;
  int bin = 0;
  while (bin + 4 < OCL_BINS && size + size / 4 * 4 < nbytes) size *= 2, bin += 4;
  size_t step = size / 4;
  while (size < nbytes && bin + 1 < OCL_BINS) size += step, bin++;
  *out_bin = bin;
  return size;
}

// A kept block of the right size; one of the same stream if there is one.
static ocl_block* take_kept(ocl_device* d, int bin, int stream) {
  ocl_block** found = NULL;
  for (ocl_block** at = &d->free_blocks[bin]; *at; at = &(*at)->next) {
    if (!found) found = at;
    if ((*at)->home != stream) continue;
    found = at;
    break;
  }
  if (!found) return NULL;
  ocl_block* block = *found;
  *found = block->next;
  return block;
}

static ocl_block* block_make(ocl_device* d, size_t size, int bin, cl_int* code) {
  ocl_block* block = calloc(1, sizeof(*block));
  *code = CL_OUT_OF_HOST_MEMORY;
  if (!block) return NULL;
  block->mem = ocl.CreateBuffer(d->context, CL_MEM_READ_WRITE, size, NULL, code);
  if (!block->mem) {
    free(block);
    return NULL;
  }
  block->size = size;
  block->address = take_addresses(size);
  block->device = d;
  block->bin = bin;
  return block;
}

oy_status ocl_block_new(ocl_device* d, size_t nbytes, ocl_block** out_block) {
  int bin, stream = ocl_stream_current(d);
  *out_block = NULL;
  OY_CHECK(nbytes <= d->largest, OUT_OF_MEMORY,
           "opencl:%d takes buffers of up to %llu bytes, and %zu were asked for",
           d->index, (unsigned long long)d->largest, nbytes);
  size_t size = round_size(nbytes, &bin);
  if (size > d->largest) size = nbytes;
  pthread_mutex_lock(&d->lock);
  ocl_block* block = take_kept(d, bin, stream);
  pthread_mutex_unlock(&d->lock);
  if (block && block->size < nbytes) {  // of a size that was cut to the limit
    ocl.ReleaseMemObject(block->mem);
    free(block);
    block = NULL;
  }
  if (!block) {
    cl_int code;
    block = block_make(d, size, bin, &code);
    if (!block) ocl_trim(d), block = block_make(d, size, bin, &code);
    if (!block) return ocl_fail(code, "clCreateBuffer");
  } else if (block->home != stream) {
    oy_status status = ocl_stream_follow(d, stream, block->home);
    if (status != OY_OK) {
      ocl_block_release(block);
      return status;
    }
  }
  block->home = stream;
  block->users = 0;
  *out_block = block;
  return OY_OK;
}

void ocl_block_release(ocl_block* block) {
  if (!block) return;
  ocl_device* d = block->device;
  uint64_t users = __atomic_exchange_n(&block->users, 0, __ATOMIC_ACQ_REL);
  for (int slot = 0; users; slot++, users >>= 1)
    // Where a stream cannot be waited for, the block is not used again.
    if ((users & 1) && ocl_stream_follow(d, block->home, slot) != OY_OK) {
      ocl.ReleaseMemObject(block->mem);
      free(block);
      return;
    }
  pthread_mutex_lock(&d->lock);
  block->next = d->free_blocks[block->bin];
  d->free_blocks[block->bin] = block;
  pthread_mutex_unlock(&d->lock);
}

void ocl_block_used(ocl_block* block, int stream) {
  if (stream != block->home)
    __atomic_fetch_or(&block->users, 1ull << stream, __ATOMIC_ACQ_REL);
}

void ocl_trim(ocl_device* d) {
  ocl_block* all = NULL;
  pthread_mutex_lock(&d->lock);
  for (int bin = 0; bin < OCL_BINS; bin++)
    while (d->free_blocks[bin]) {
      ocl_block* block = d->free_blocks[bin];
      d->free_blocks[bin] = block->next;
      block->next = all;
      all = block;
    }
  pthread_mutex_unlock(&d->lock);
  while (all) {
    ocl_block* next = all->next;
    ocl.ReleaseMemObject(all->mem);  // the driver keeps it while work uses it
    free(all);
    all = next;
  }
}

// ------------------------------------------------------------------------- copies

// On one device: in the order of the stream, and not waited for.
static oy_status copy_within(ocl_place to, ocl_place from, size_t nbytes) {
  ocl_device* d = to.block->device;
  cl_command_queue queue;
  int stream = ocl_stream_current(d);
  OY_TRY(ocl_queue(d, stream, &queue));
  ocl_block_used(to.block, stream);
  ocl_block_used(from.block, stream);
  OCL_TRY(EnqueueCopyBuffer, queue, from.block->mem, to.block->mem, from.offset,
          to.offset, nbytes, 0, NULL, NULL);
  OCL_TRY(Flush, queue);
  return OY_OK;
}

static oy_status copy_to_host(ocl_place to, ocl_place from, size_t nbytes) {
  cl_command_queue queue;
  OY_TRY(ocl_queue_current(from.block->device, &queue));
  OCL_TRY(EnqueueReadBuffer, queue, from.block->mem, CL_TRUE, from.offset, nbytes,
          to.host + to.offset, 0, NULL, NULL);
  return OY_OK;
}

static oy_status copy_from_host(ocl_place to, ocl_place from, size_t nbytes) {
  cl_command_queue queue;
  int stream = ocl_stream_current(to.block->device);
  OY_TRY(ocl_queue(to.block->device, stream, &queue));
  ocl_block_used(to.block, stream);
  OCL_TRY(EnqueueWriteBuffer, queue, to.block->mem, CL_TRUE, to.offset, nbytes,
          from.host + from.offset, 0, NULL, NULL);
  return OY_OK;
}

// Contexts differ, so the host is in between, a piece at a time.
static oy_status copy_between(ocl_place to, ocl_place from, size_t nbytes) {
  size_t piece = nbytes < STAGE ? nbytes : STAGE;
  ocl_place stage = {NULL, malloc(piece), 0};
  oy_status status = OY_OK;
  OY_CHECK(stage.host, OUT_OF_MEMORY, "no memory for a copy between devices");
  for (size_t done = 0; done < nbytes && status == OY_OK; done += piece) {
    size_t n = nbytes - done < piece ? nbytes - done : piece;
    ocl_place target = to, source = from;
    target.offset += done;
    source.offset += done;
    status = copy_to_host(stage, source, n);
    if (status == OY_OK) status = copy_from_host(target, stage, n);
  }
  free(stage.host);
  return status;
}

oy_status ocl_copy(ocl_place to, ocl_place from, size_t nbytes, bool non_blocking) {
  (void)non_blocking;  // copies with the host are complete when they return
  if (nbytes == 0) return OY_OK;
  if (!to.block) return copy_to_host(to, from, nbytes);
  if (!from.block) return copy_from_host(to, from, nbytes);
  if (to.block->device == from.block->device) return copy_within(to, from, nbytes);
  return copy_between(to, from, nbytes);
}

oy_status ocl_fill(ocl_block* block, size_t offset, size_t nbytes, uint8_t byte) {
  uint8_t pattern[16];
  size_t width = sizeof(pattern);
  cl_command_queue queue;
  if (nbytes == 0) return OY_OK;
  // Wide patterns are faster, and both ends have to be multiples of them.
  while (width > 1 && (offset | nbytes) % width) width /= 2;
  memset(pattern, byte, sizeof(pattern));
  int stream = ocl_stream_current(block->device);
  OY_TRY(ocl_queue(block->device, stream, &queue));
  ocl_block_used(block, stream);
  OCL_TRY(EnqueueFillBuffer, queue, block->mem, pattern, width, offset, nbytes, 0, NULL,
          NULL);
  OCL_TRY(Flush, queue);
  return OY_OK;
}
