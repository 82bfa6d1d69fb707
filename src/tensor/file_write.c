// SPDX-License-Identifier: Apache-2.0
// Files that appear only when they are whole: written beside the target, then renamed.
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/memory.h"
#include "tensor/element.h"
#include "tensor/file_map.h"

static oy_status fail_write(const oyi_file_writer* w, int error) {
  return OY_FAIL(IO, "cannot write '%s': %s", w->path, strerror(error));
}

// A name that no other process and no other writer here has.
static int open_temporary(char* name, size_t size, const char* path) {
  static unsigned g_count;
  for (int tries = 0; tries < 100; tries++) {
    unsigned n = __atomic_fetch_add(&g_count, 1, __ATOMIC_RELAXED);
    snprintf(name, size, "%s.%ld-%u.part", path, (long)getpid(), n);
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

oy_status oyi_file_create(const char* path, oyi_file_writer* out_writer) {
  OY_CHECK(path, INVALID_ARGUMENT, "expected a path, got NULL");
  size_t size = strlen(path) + 48;
  oyi_file_writer w = {NULL, path, oyi_malloc(size)};
  if (!w.temporary) return OY_OUT_OF_MEMORY;
  int fd = open_temporary(w.temporary, size, path);
  if (fd >= 0 && !(w.file = fdopen(fd, "wb"))) {
    close(fd);
    unlink(w.temporary);
  }
  *out_writer = w;
  if (w.file) return OY_OK;
  oy_status status = fail_write(&w, errno);
  oyi_free(w.temporary);
  return status;
}

oy_status oyi_file_write(oyi_file_writer* w, const void* data, size_t size) {
  if (size == 0 || fwrite(data, 1, size, w->file) == size) return OY_OK;
  return fail_write(w, errno);
}

// What |t| shows of the elements in the memory of |copy|, in their place.
static void turn_elements(oyi_tensor* copy, const oyi_tensor* t) {
  char* at = oyi_data(copy);
  for (int64_t i = 0; i < copy->numel; i++, at += oyi_item(copy))
    oyi_element_store(copy->header.dtype, at, oyi_element_shown(t, at));
}

// A contiguous copy of what is to be written; a row if elements are taken as they lie.
static oyi_tensor* copy_of_elements(const oyi_tensor* t, bool as_they_lie) {
  if (!as_they_lie) return oyi_converted(t, t->header.dtype);
  const int64_t one = 1;
  oyi_tensor* row =
      oyi_tensor_alias(t, (oy_ints){&t->numel, 1}, (oy_ints){&one, 1}, t->offset);
  oyi_tensor* copy = row ? oyi_converted(row, t->header.dtype) : NULL;
  if (row) oy_tensor_release(oyi_tensor_object(row));
  return copy;
}

oy_status oyi_file_write_elements(oyi_file_writer* w, const oyi_tensor* t,
                                  bool as_they_lie) {
  size_t nbytes = (size_t)(t->numel * oyi_item(t));
  if ((as_they_lie || (t->flags & OYI_CONTIGUOUS)) && !oyi_is_turned(t))
    return oyi_file_write(w, oyi_data(t), nbytes);
  oyi_tensor* copy = copy_of_elements(t, as_they_lie);
  if (!copy) return oy_failure();
  if (oyi_is_turned(t)) turn_elements(copy, t);
  oy_status status = oyi_file_write(w, oyi_data(copy), nbytes);
  oy_tensor_release(oyi_tensor_object(copy));
  return status;
}

oy_status oyi_file_commit(oyi_file_writer* w, oy_status status) {
  if (status == OY_OK && (fflush(w->file) != 0 || fsync(fileno(w->file)) != 0))
    status = fail_write(w, errno);
  if (fclose(w->file) != 0 && status == OY_OK) status = fail_write(w, errno);
  if (status == OY_OK && rename(w->temporary, w->path) != 0)
    status = fail_write(w, errno);
  if (status != OY_OK) unlink(w->temporary);
  oyi_free(w->temporary);
  return status;
}

oy_status oyi_file_check_tensor(const oyi_tensor* t) {
  char device[64];
  oy_device_print(oyi_tensor_device(t), device, sizeof(device));
  OY_CHECK(
      t->backend == OY_BACKEND_CPU && (t->numel == 0 || oyi_data(t)), NOT_IMPLEMENTED,
      "expected a CPU tensor with data, got one on %s; copy it to the CPU first", device);
  return OY_OK;
}
