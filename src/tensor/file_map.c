// SPDX-License-Identifier: Apache-2.0
// Mapped files under tensors.
#include "tensor/file_map.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

static oyi_file_map* map_new(const char* name) {
  oyi_file_map* map = oyi_zalloc(sizeof(*map));
  if (!map) return NULL;
  map->references = 1;
  size_t length = strlen(name), room = sizeof(map->name) - 1;
  memcpy(map->name, name + (length > room ? length - room : 0),
         length > room ? room : length);
  return map;
}

static oy_status map_descriptor(int fd, const char* path, oyi_file_map* map) {
  struct stat about;
  if (fstat(fd, &about) != 0)
    return OY_FAIL(IO, "cannot read '%s': %s", path, strerror(errno));
  OY_CHECK(S_ISREG(about.st_mode), IO, "cannot map '%s': expected a regular file", path);
  map->size = (size_t)about.st_size;
  if (map->size == 0) return OY_OK;  // nothing to map; readers say what is missing
  void* data = mmap(NULL, map->size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED)
    return OY_FAIL(IO, "cannot map the %zu bytes of '%s': %s", map->size, path,
                   strerror(errno));
  map->data = data;
  map->mapped = true;
  return OY_OK;
}

oy_status oyi_file_map_open(const char* path, oyi_file_map** out_map) {
  *out_map = NULL;
  OY_CHECK(path, INVALID_ARGUMENT, "expected a path, got NULL");
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return OY_FAIL(IO, "cannot open '%s': %s", path, strerror(errno));
  oyi_file_map* map = map_new(path);
  oy_status status = map ? map_descriptor(fd, path, map) : OY_OUT_OF_MEMORY;
  close(fd);  // the map stays
  if (status == OY_OK)
    *out_map = map;
  else
    oyi_file_map_release(map);
  return status;
}

oy_status oyi_file_map_of_bytes(oy_str bytes, oyi_file_map** out_map) {
  *out_map = NULL;
  oyi_file_map* map = map_new("bytes");
  if (!map) return OY_OUT_OF_MEMORY;
  map->size = bytes.size;
  map->data = oyi_aligned_zalloc(bytes.size + 1);
  if (!map->data) {
    oyi_file_map_release(map);
    return OY_OUT_OF_MEMORY;
  }
  if (bytes.size) memcpy(map->data, bytes.data, bytes.size);
  *out_map = map;
  return OY_OK;
}

void oyi_file_map_release(oyi_file_map* map) {
  if (!map || __atomic_sub_fetch(&map->references, 1, __ATOMIC_ACQ_REL) != 0) return;
  if (map->mapped)
    munmap(map->data, map->size);
  else if (map->data)
    oyi_aligned_free(map->data);
  oyi_free(map);
}

static void release_map(void* context, void* data) {
  (void)data;
  oyi_file_map_release(context);
}

static void swap_bytes(unsigned char* at, size_t size, size_t count) {
  for (; count > 0; count--, at += size)
    for (size_t i = 0; i < size / 2; i++) {
      unsigned char low = at[i];
      at[i] = at[size - 1 - i];
      at[size - 1 - i] = low;
    }
}

static oyi_tensor* own_copy(const unsigned char* data, size_t nbytes, oy_ints sizes,
                            oy_ints strides, oy_dtype dtype, bool swap) {
  oyi_tensor* t = oyi_tensor_new_strided(sizes, strides, dtype, oy_device_cpu());
  if (!t || nbytes == 0) return t;
  memcpy(oyi_data(t), data, nbytes);
  size_t item = oyi_dtype_bytes[dtype];
  size_t number = oy_dtype_is_complex(dtype) ? item / 2 : item;
  if (swap) swap_bytes(oyi_data(t), number, nbytes / number);
  return t;
}

oyi_tensor* oyi_file_map_tensor(oyi_file_map* map, size_t offset, size_t nbytes,
                                oy_ints sizes, oy_ints strides, oy_dtype dtype,
                                bool swap) {
  unsigned char* data = map->data + offset;
  size_t item = oyi_dtype_bytes[dtype];
  size_t alignment = item > 8 ? 8 : item;
  if (swap || nbytes == 0 || (uintptr_t)data % alignment != 0)
    return own_copy(data, nbytes, sizes, strides, dtype, swap);
  oy_tensor_memory memory = {data, nbytes, release_map, map, oy_device_cpu()};
  __atomic_fetch_add(&map->references, 1, __ATOMIC_RELAXED);
  oy_tensor* t = oy_tensor_from_memory(&memory, sizes, strides, dtype);
  if (t) return oyi_tensor_cast(t);
  oyi_file_map_release(map);
  return NULL;
}
