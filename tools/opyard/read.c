// SPDX-License-Identifier: Apache-2.0
// Files in: whole, plain or gzip, from a path or stdin.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "common.h"
#ifdef OY_HAVE_ZLIB
#include <zlib.h>
#endif

// A registry of PyTorch is 10 MB; a compressed file that goes on and on should
// not take the machine with it.
enum { SIZE_MAX_READ = 1 << 29 };

void cli_free(void* ptr) {
  free(ptr);
}

typedef struct source {
  const char* name;
#ifdef OY_HAVE_ZLIB
  gzFile gz;
#else
  int fd;
#endif
} source;

#ifdef OY_HAVE_ZLIB
static oy_status source_open(source* s, int fd) {
  s->gz = gzdopen(fd, "rb");
  if (s->gz) return OY_OK;
  close(fd);
  return OY_FAIL(OUT_OF_MEMORY, "%s: no memory to read it", s->name);
}

static oy_status source_error(source* s) {
  int code = Z_OK;
  const char* text = gzerror(s->gz, &code);
  if (code == Z_ERRNO) text = strerror(errno);
  if (code == Z_BUF_ERROR) text = "expected more gzip data, found the end of the file";
  return OY_FAIL(IO, "%s: cannot read: %s", s->name, text);
}

static oy_status source_read(source* s, char* data, size_t size, size_t* out_got) {
  int got = gzread(s->gz, data, (unsigned)size);
  *out_got = got > 0 ? (size_t)got : 0;
  if (got > 0) return OY_OK;
  int code = Z_OK;
  gzerror(s->gz, &code);
  // A file that was cut off ends without an error from gzread.
  return got == 0 && code == Z_OK ? OY_OK : source_error(s);
}

static void source_close(source* s) {
  gzclose_r(s->gz);
}
#else
static oy_status source_open(source* s, int fd) {
  s->fd = fd;
  return OY_OK;
}

static oy_status source_read(source* s, char* data, size_t size, size_t* out_got) {
  ssize_t got;
  do got = read(s->fd, data, size);
  while (got < 0 && errno == EINTR);
  *out_got = got > 0 ? (size_t)got : 0;
  return got >= 0 ? OY_OK : OY_FAIL(IO, "%s: cannot read: %s", s->name, strerror(errno));
}

static void source_close(source* s) {
  close(s->fd);
}
#endif

static oy_status read_all(source* s, char** out_text, size_t* out_size) {
  size_t capacity = 1 << 16, size = 0;
  char* text = malloc(capacity);
  if (!text) return OY_FAIL(OUT_OF_MEMORY, "%s: no memory to read it", s->name);
  for (;;) {
    size_t got = 0;
    oy_status status = source_read(s, text + size, capacity - size - 1, &got);
    if (status == OY_OK && size > SIZE_MAX_READ)
      status = OY_FAIL(IO, "%s: expected at most %d bytes, found more", s->name,
                       SIZE_MAX_READ);
    char* larger = text;
    if (status == OY_OK && size + got + 1 == capacity &&
        !(larger = realloc(text, capacity *= 2)))
      status = OY_FAIL(OUT_OF_MEMORY, "%s: no memory to read it", s->name);
    if (status != OY_OK) {
      free(text);
      return status;
    }
    text = larger;
    size += got;
    if (got == 0) break;
  }
  text[size] = '\0';
  *out_text = text;
  *out_size = size;
  return OY_OK;
}

static oy_status reject_gzip(const source* s, const char* text, size_t size) {
#ifndef OY_HAVE_ZLIB
  if (size >= 2 && (unsigned char)text[0] == 0x1f && (unsigned char)text[1] == 0x8b)
    return OY_FAIL(IO, "%s: expected plain text (this opyard has no zlib), found gzip",
                   s->name);
#else
  (void)s, (void)text, (void)size;
#endif
  return OY_OK;
}

oy_status cli_read(const char* path, char** out_text, size_t* out_size) {
  *out_text = NULL;
  *out_size = 0;
  source s = {.name = cli_path_name(path)};
  int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return OY_FAIL(IO, "%s: cannot open: %s", s.name, strerror(errno));
  oy_status status = source_open(&s, fd);
  if (status != OY_OK) return status;
  status = read_all(&s, out_text, out_size);
  source_close(&s);
  if (status == OY_OK) status = reject_gzip(&s, *out_text, *out_size);
  if (status != OY_OK) {
    free(*out_text);
    *out_text = NULL;
  }
  return status;
}
