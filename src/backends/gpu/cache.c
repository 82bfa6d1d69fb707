// SPDX-License-Identifier: Apache-2.0
// Binaries of programs on disk, in OPYARD_CACHE_DIR/NAME, else in opyard/NAME below
// XDG_CACHE_HOME or ~/.cache. A file holds the text that it was made from (device, driver,
// options and source) and a checksum: what does not agree with both is not there, so
// that damaged files and other drivers' are made anew. Files appear whole, by renaming.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver.h"

enum { PATH_SIZE = 1024, MOST = 256 << 20 };

typedef struct header {
  char magic[8];
  uint64_t key_size, data_size;
  uint64_t checksum;  // of the key and the data
} header;
static const char g_magic[8] = "OYGPUBN1";

static uint64_t hash(uint64_t seed, const void* data, size_t size) {
  const unsigned char* at = data;
  uint64_t h = seed ^ 0xcbf29ce484222325ull;
  for (size_t i = 0; i < size; i++) h = (h ^ at[i]) * 0x100000001b3ull;
  return h ^ h >> 29;
}

// False if there is no folder to use.
static bool folder_of(char* path) {
  const char* named = getenv("OPYARD_CACHE_DIR");
  const char* cache = getenv("XDG_CACHE_HOME");
  const char* home = getenv("HOME");
  int n;
  if (named && named[0])
    n = snprintf(path, PATH_SIZE, "%s/%s", named, gpu_driver_name);
  else if (cache && cache[0] == '/')
    n = snprintf(path, PATH_SIZE, "%s/opyard/%s", cache, gpu_driver_name);
  else if (home && home[0] == '/')
    n = snprintf(path, PATH_SIZE, "%s/.cache/opyard/%s", home, gpu_driver_name);
  else
    return false;
  return n > 0 && n < PATH_SIZE - 64;
}

// Makes the folder and those above it.
static bool make_folder(char* path) {
  for (char* at = path + 1; *at; at++) {
    if (*at != '/') continue;
    *at = 0;
    int made = mkdir(path, 0777);
    *at = '/';
    if (made != 0 && errno != EEXIST) return false;
  }
  return mkdir(path, 0777) == 0 || errno == EEXIST;
}

static void add_name(char* path, const char* key_text) {
  size_t size = strlen(key_text), used = strlen(path);
  snprintf(path + used, PATH_SIZE - used, "/%016llx%016llx.gpubin",
           (unsigned long long)hash(1, key_text, size),
           (unsigned long long)hash(2, key_text, size));
}

// The whole file, NULL if it cannot be read.
static unsigned char* read_file(const char* path, size_t* out_size) {
  struct stat about;
  unsigned char* data = NULL;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return NULL;
  if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= MOST)
    data = malloc((size_t)about.st_size + 1);
  size_t done = 0;
  while (data && done < (size_t)about.st_size) {
    ssize_t n = read(file, data + done, (size_t)about.st_size - done);
    if (n <= 0) break;
    done += (size_t)n;
  }
  close(file);
  *out_size = done;
  return data;
}

static bool is_good(const unsigned char* file, size_t size, const char* key_text) {
  header h;
  size_t key = strlen(key_text);
  if (size < sizeof(h)) return false;
  memcpy(&h, file, sizeof(h));
  return memcmp(h.magic, g_magic, sizeof(g_magic)) == 0 && h.key_size == key &&
         h.data_size > 0 && h.data_size <= MOST &&
         size == sizeof(h) + key + h.data_size &&
         memcmp(file + sizeof(h), key_text, key) == 0 &&
         h.checksum == hash(3, file + sizeof(h), size - sizeof(h));
}

bool gpu_cache_read(const char* key_text, unsigned char** out_data, size_t* out_size) {
  char path[PATH_SIZE];
  size_t size = 0;
  *out_data = NULL;
  *out_size = 0;
  if (!folder_of(path)) return false;
  add_name(path, key_text);
  unsigned char* file = read_file(path, &size);
  if (!file) return false;
  if (!is_good(file, size, key_text)) {
    free(file);
    return false;
  }
  size_t before = sizeof(header) + strlen(key_text);
  memmove(file, file + before, size - before);
  *out_data = file;
  *out_size = size - before;
  return true;
}

static bool write_all(int file, const void* data, size_t size) {
  const char* at = data;
  while (size > 0) {
    ssize_t n = write(file, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= (size_t)n;
  }
  return true;
}

void gpu_cache_write(const char* key_text, const unsigned char* data, size_t size) {
  char path[PATH_SIZE], part[PATH_SIZE + 16];
  size_t key = strlen(key_text);
  header h = {.key_size = key, .data_size = size};
  if (size == 0 || size > MOST || !folder_of(path) || !make_folder(path)) return;
  add_name(path, key_text);
  snprintf(part, sizeof(part), "%s.XXXXXX", path);
  unsigned char* body = malloc(key + size);
  int file = body ? mkostemp(part, O_CLOEXEC) : -1;
  if (file >= 0) {
    memcpy(body, key_text, key);
    memcpy(body + key, data, size);
    memcpy(h.magic, g_magic, sizeof(g_magic));
    h.checksum = hash(3, body, key + size);
    bool good = write_all(file, &h, sizeof(h)) && write_all(file, body, key + size);
    good = close(file) == 0 && good;
    if (!good || rename(part, path) != 0) unlink(part);
  }
  free(body);
}
