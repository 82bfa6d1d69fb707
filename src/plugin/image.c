// SPDX-License-Identifier: Apache-2.0
// The dynamic linker trusts what it opens, so a file is looked at first: that it is a
// shared object of this machine, whole, with its segments inside of it.
#include "plugin/image.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "opyard/dispatcher.h"

// ---------------------------------------------------------------- the file

static oy_status check_header(const char* path, const ElfW(Ehdr) * h, size_t size) {
  ElfW(Ehdr) ours;
  int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  bool known = self >= 0 && read(self, &ours, sizeof(ours)) == (ssize_t)sizeof(ours);
  if (self >= 0) close(self);
  OY_CHECK(size == sizeof(*h) && memcmp(h->e_ident, ELFMAG, SELFMAG) == 0, PARSE,
           "%s: not a shared object", path);
  OY_CHECK(!known || (h->e_machine == ours.e_machine &&
                      h->e_ident[EI_CLASS] == ours.e_ident[EI_CLASS] &&
                      h->e_ident[EI_DATA] == ours.e_ident[EI_DATA]),
           PARSE, "%s: a shared object for another machine", path);
  OY_CHECK(h->e_type == ET_DYN && h->e_phentsize == sizeof(ElfW(Phdr)) &&
               h->e_phnum > 0 && h->e_phnum < 256,
           PARSE, "%s: not a shared object", path);
  return OY_OK;
}

static oy_status check_segments(const char* path, int fd, const ElfW(Ehdr) * h,
                                uint64_t size) {
  ElfW(Phdr) segments[256];
  size_t nbytes = h->e_phnum * sizeof(*segments);
  OY_CHECK(h->e_phoff <= size && nbytes <= size - h->e_phoff &&
               pread(fd, segments, nbytes, (off_t)h->e_phoff) == (ssize_t)nbytes,
           PARSE, "%s: the file is cut off", path);
  for (size_t i = 0; i < h->e_phnum; i++) {
    const ElfW(Phdr)* p = &segments[i];
    OY_CHECK(p->p_type != PT_LOAD ||
                 (p->p_offset <= size && p->p_filesz <= size - p->p_offset),
             PARSE, "%s: the file is cut off", path);
  }
  return OY_OK;
}

static oy_status check_file(const char* path, int fd, oyi_image* out) {
  struct stat info;
  ElfW(Ehdr) h;
  OY_CHECK(fstat(fd, &info) == 0, IO, "%s: %s", path, strerror(errno));
  OY_CHECK(S_ISREG(info.st_mode), IO, "%s: not a regular file", path);
  out->device = info.st_dev;
  out->inode = info.st_ino;
  ssize_t n = pread(fd, &h, sizeof(h), 0);
  OY_TRY(check_header(path, &h, n < 0 ? 0 : (size_t)n));
  return check_segments(path, fd, &h, (uint64_t)info.st_size);
}

// ---------------------------------------------------------------- the image

typedef struct extent {
  ElfW(Addr) base;
  uintptr_t begin, end;
} extent;

static int note_extent(struct dl_phdr_info* info, size_t size, void* user_data) {
  extent* e = user_data;
  (void)size;
  if (info->dlpi_addr != e->base) return 0;
  for (size_t i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)* p = &info->dlpi_phdr[i];
    if (p->p_type != PT_LOAD) continue;
    uintptr_t begin = info->dlpi_addr + p->p_vaddr;
    if (begin < e->begin) e->begin = begin;
    if (begin + p->p_memsz > e->end) e->end = begin + p->p_memsz;
  }
  return 1;
}

static void find_extent(oyi_image* image) {
  struct link_map* map = NULL;
  if (dlinfo(image->handle, RTLD_DI_LINKMAP, &map) != 0 || !map) return;
  extent e = {map->l_addr, UINTPTR_MAX, 0};
  if (!dl_iterate_phdr(note_extent, &e)) return;
  image->begin = (const void*)e.begin;
  image->end = (const void*)e.end;
}

// Another copy of the library below the plugin would have a registry of its own.
static oy_status check_copy(const char* path, void* handle) {
  void* theirs = dlsym(handle, "oy_registry_default");
  if (!theirs || theirs == (void*)(uintptr_t)oy_registry_default) return OY_OK;
  Dl_info info = {0};
  (void)dladdr(theirs, &info);
  return OY_FAIL(
      FAILED_PRECONDITION,
      "%s: expected one copy of opyard in this process, but the plugin brings "
      "another one (%s); link it with the shared library that the program uses, "
      "or use nothing but the table that its load function is given",
      path, info.dli_fname ? info.dli_fname : "unknown");
}

typedef const oy_plugin* (*entry_fn)(void);

static oy_status ask_entry(const char* path, oyi_image* image) {
  entry_fn entry = NULL;
  void* symbol = dlsym(image->handle, OY_PLUGIN_SYMBOL);
  OY_CHECK(symbol, NOT_FOUND, "%s: not a plugin: it has no symbol " OY_PLUGIN_SYMBOL,
           path);
  memcpy(&entry, &symbol, sizeof(entry));
  oy_error_clear();
  image->plugin = entry();
  if (image->plugin) return OY_OK;
  if (oy_error_get()->code != OY_OK) return oy_error_get()->code;
  return OY_FAIL(FAILED_PRECONDITION, "%s: the plugin says that it cannot run here",
                 path);
}

static bool is_open(void* handle, const oyi_image* const* others, size_t count,
                    const oyi_image** out) {
  for (size_t i = 0; i < count; i++)
    if (others[i]->handle == handle) {
      *out = others[i];
      return true;
    }
  return false;
}

static oy_status open_handle(const char* path, oyi_image* image) {
  image->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (image->handle) return OY_OK;
  const char* why = dlerror();
  return OY_FAIL(IO, "%s", why ? why : path);
}

// Opens the file behind |fd| under a name that nothing else has while it stays open.
static oy_status open_descriptor(int fd, oyi_image* image) {
  char name[64];
  snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
  OY_TRY(open_handle(name, image));
  image->fd = fd;
  return OY_OK;
}

static bool copy_file(int to, int from) {
  off_t at = 0;
  ssize_t n;
  while ((n = sendfile(to, from, &at, 1 << 20)) > 0) {}
  return n == 0;
}

// A second image of a file that is open already: of a copy, which is another file.
static oy_status open_copy(const char* path, int fd, oyi_image* image) {
  int copy = memfd_create("opyard-plugin", MFD_CLOEXEC);
  OY_CHECK(copy >= 0, IO, "%s: %s", path, strerror(errno));
  oy_status status = copy_file(copy, fd) ? open_descriptor(copy, image)
                                         : OY_FAIL(IO, "%s: %s", path, strerror(errno));
  if (image->fd != copy) close(copy);
  return status;
}

// The linker knows what is open by path and by file, and would give that again.
static oy_status open_another(const char* path, int fd, const oyi_image* open,
                              oyi_image* image) {
  bool same = open->device == image->device && open->inode == image->inode;
  dlclose(image->handle);
  image->handle = NULL;
  return same ? open_copy(path, fd, image) : open_descriptor(fd, image);
}

static oy_status open_checked(const char* path, int fd, const oyi_image* const* others,
                              size_t count, oyi_image* image) {
  const oyi_image* open = NULL;
  OY_TRY(check_file(path, fd, image));
  OY_TRY(open_handle(path, image));
  if (is_open(image->handle, others, count, &open))
    OY_TRY(open_another(path, fd, open, image));
  find_extent(image);
  OY_TRY(check_copy(path, image->handle));
  return ask_entry(path, image);
}

oy_status oyi_image_open(const char* path, const oyi_image* const* others, size_t count,
                         oyi_image* out) {
  *out = (oyi_image){.fd = -1};
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  OY_CHECK(fd >= 0, NOT_FOUND, "%s: %s", path, strerror(errno));
  oy_status status = open_checked(path, fd, others, count, out);
  if (out->fd != fd) close(fd);
  return status;
}

void oyi_image_close(oyi_image* image) {
  if (image->handle) dlclose(image->handle);
  if (image->fd >= 0) close(image->fd);
  *image = (oyi_image){.fd = -1};
}
