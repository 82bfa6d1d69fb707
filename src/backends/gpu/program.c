// SPDX-License-Identifier: Apache-2.0
// Programs of one kernel each. A kernel is found again by a key of eight words, without a
// lock; the first time its source is written, and built or taken from disk.
#include <stdlib.h>

#include "driver.h"

static unsigned bucket_of(const uint64_t key[8]) {
  uint64_t h = 0;
  for (int i = 0; i < 8; i++) h = (h ^ key[i]) * 0x9E3779B97F4A7C15ull, h ^= h >> 31;
  return (unsigned)(h % GPU_BUCKETS);
}

static gpu_kernel* find(gpu_device* d, const uint64_t key[8]) {
  gpu_kernel* k = __atomic_load_n(&d->kernels[bucket_of(key)], __ATOMIC_ACQUIRE);
  while (k && memcmp(k->key, key, sizeof(k->key)) != 0) k = k->next;
  return k;
}

static oy_status add(gpu_device* d, const uint64_t key[8], const char* source,
                     gpu_kernel** out_kernel) {
  gpu_kernel* k = calloc(1, sizeof(*k));
  OY_CHECK(k, OUT_OF_MEMORY, "no memory for a kernel");
  oy_status status = gpu_driver_build(d, source, k);
  if (status != OY_OK) {
    free(k);
    return status;
  }
  memcpy(k->key, key, sizeof(k->key));
  pthread_mutex_init(&k->lock, NULL);
  gpu_kernel** head = &d->kernels[bucket_of(key)];
  k->next = *head;
  __atomic_store_n(head, k, __ATOMIC_RELEASE);
  *out_kernel = k;
  return OY_OK;
}

oy_status gpu_kernel_get(gpu_device* d, const uint64_t key[8], gpu_source_fn source,
                         const void* what, gpu_kernel** out_kernel) {
  *out_kernel = find(d, key);
  if (OY_LIKELY(*out_kernel)) return OY_OK;
  oy_status status = OY_OK;
  pthread_mutex_lock(&d->build_lock);
  *out_kernel = find(d, key);
  if (!*out_kernel) {
    char* text = source(d, what);
    status = text ? add(d, key, text, out_kernel)
                  : OY_FAIL(OUT_OF_MEMORY, "no memory for the source of a kernel");
    free(text);
  }
  pthread_mutex_unlock(&d->build_lock);
  return status;
}
