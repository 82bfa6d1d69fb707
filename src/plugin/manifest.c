// SPDX-License-Identifier: Apache-2.0
#include "plugin/manifest.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 16 * 1024, LINES_MAX = 256 };

typedef struct reader {
  oy_str rest;
  const char* where;
  int line;
  oyi_manifest* out;
} reader;

static oy_str trimmed(oy_str s) {
  while (s.size && isspace((unsigned char)s.data[0])) s.data++, s.size--;
  while (s.size && isspace((unsigned char)s.data[s.size - 1])) s.size--;
  return s;
}

// The next line without what follows a '#', and without blanks around it.
static bool next_line(reader* r, oy_str* out) {
  if (r->rest.size == 0) return false;
  const char* end = memchr(r->rest.data, '\n', r->rest.size);
  size_t size = end ? (size_t)(end - r->rest.data) : r->rest.size;
  oy_str line = {r->rest.data, size};
  r->rest.data += size + (end != NULL);
  r->rest.size -= size + (end != NULL);
  r->line++;
  const char* comment = memchr(line.data, '#', line.size);
  if (comment) line.size = (size_t)(comment - line.data);
  *out = trimmed(line);
  return true;
}

static bool is_identifier(oy_str s) {
  for (size_t i = 0; i < s.size; i++) {
    unsigned char c = (unsigned char)s.data[i];
    if (!isalpha(c) && c != '_' && !(i > 0 && (isdigit(c) || c == '-'))) return false;
  }
  return s.size > 0;
}

// A name of a file, and no way out of the folder.
static bool is_file_name(oy_str s) {
  if (s.size == 0 || s.data[0] == '.') return false;
  for (size_t i = 0; i < s.size; i++)
    if (s.data[i] == '/' || (unsigned char)s.data[i] < 32) return false;
  return true;
}

static oy_status keep(const reader* r, const char* key, oy_str value, char* out,
                      size_t size) {
  OY_CHECK(!*out, PARSE, "%s:%d: expected %s once, got it again", r->where, r->line, key);
  OY_CHECK(value.size < size, PARSE, "%s:%d: expected %s of at most %zu characters",
           r->where, r->line, key, size - 1);
  memcpy(out, value.data, value.size);
  out[value.size] = '\0';
  return OY_OK;
}

static oy_status keep_backends(const reader* r, oy_str value) {
  char* out = r->out->backends;
  size_t used = 0;
  OY_CHECK(!*out, PARSE, "%s:%d: expected backends once, got them again", r->where,
           r->line);
  while ((value = trimmed(value)).size) {
    size_t n = 0;
    while (n < value.size && !isspace((unsigned char)value.data[n]) &&
           value.data[n] != ',')
      n++;
    oy_str name = {value.data, n};
    OY_CHECK(is_identifier(name) && n <= 40, PARSE,
             "%s:%d: expected names of backends, got \"%.*s\"", r->where, r->line,
             OY_STR_ARG(name));
    OY_CHECK(used + n + 2 < sizeof(r->out->backends), PARSE, "%s:%d: too many backends",
             r->where, r->line);
    if (used) out[used++] = ' ';
    memcpy(out + used, name.data, n);
    used += n;
    out[used] = '\0';
    n += n < value.size && value.data[n] == ',';
    value = (oy_str){value.data + n, value.size - n};
  }
  return OY_OK;
}

static oy_status read_pair(const reader* r, oy_str key, oy_str value) {
  oyi_manifest* m = r->out;
  if (oy_str_equal(key, oy_str_of("name"))) {
    OY_CHECK(is_identifier(value), PARSE, "%s:%d: expected a name, got \"%.*s\"",
             r->where, r->line, OY_STR_ARG(value));
    return keep(r, "name", value, m->name, sizeof(m->name));
  }
  if (oy_str_equal(key, oy_str_of("library"))) {
    OY_CHECK(is_file_name(value), PARSE,
             "%s:%d: expected the name of a file beside the manifest, got \"%.*s\"",
             r->where, r->line, OY_STR_ARG(value));
    return keep(r, "library", value, m->library, sizeof(m->library));
  }
  if (oy_str_equal(key, oy_str_of("backends"))) return keep_backends(r, value);
  if (oy_str_equal(key, oy_str_of("description"))) {
    if (value.size >= sizeof(m->description)) value.size = sizeof(m->description) - 1;
    for (size_t i = 0; i < value.size; i++)
      OY_CHECK((unsigned char)value.data[i] >= 32, PARSE,
               "%s:%d: a description is plain text", r->where, r->line);
    return keep(r, "description", value, m->description, sizeof(m->description));
  }
  return OY_OK;  // of a later version
}

static oy_status read_header(reader* r) {
  oy_str line = {"", 0};
  while (next_line(r, &line) && line.size == 0 && r->line < LINES_MAX) {}
  static const char lead[] = "opyard-plugin ";
  const size_t n = sizeof(lead) - 1;
  OY_CHECK(line.size > n && memcmp(line.data, lead, n) == 0, PARSE,
           "%s:%d: expected \"opyard-plugin 1\" in the first line", r->where, r->line);
  oy_str version = trimmed((oy_str){line.data + n, line.size - n});
  OY_CHECK(oy_str_equal(version, oy_str_of("1")), PARSE,
           "%s:%d: expected a manifest of version 1, got \"%.*s\"; update the library",
           r->where, r->line, OY_STR_ARG(version));
  return OY_OK;
}

oy_status oyi_manifest_parse(oy_str text, const char* where, oyi_manifest* out) {
  memset(out, 0, sizeof(*out));
  reader r = {text, where, 0, out};
  OY_CHECK(!memchr(text.data ? text.data : "", '\0', text.size), PARSE,
           "%s: expected text, got a NUL", where);
  OY_TRY(read_header(&r));
  oy_str line;
  while (next_line(&r, &line)) {
    OY_CHECK(r.line <= LINES_MAX, PARSE, "%s: expected at most %d lines", where,
             LINES_MAX);
    if (line.size == 0) continue;
    const char* equals = memchr(line.data, '=', line.size);
    OY_CHECK(equals, PARSE, "%s:%d: expected key = value, got \"%.*s\"", where, r.line,
             (int)(line.size < 80 ? line.size : 80), line.data);
    size_t n = (size_t)(equals - line.data);
    OY_TRY(read_pair(&r, trimmed((oy_str){line.data, n}),
                     trimmed((oy_str){equals + 1, line.size - n - 1})));
  }
  OY_CHECK(*out->name, PARSE, "%s: the manifest lacks a name", where);
  OY_CHECK(*out->library, PARSE, "%s: the manifest lacks a library", where);
  return OY_OK;
}

// A regular file of a size that manifests have.
static oy_status read_text(const char* path, char* text, size_t* out_size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  OY_CHECK(fd >= 0, IO, "%s: %s", path, strerror(errno));
  struct stat info;
  ssize_t n = -1;
  const char* why = "not a regular file";
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
    why = "larger than a manifest may be";
    if (info.st_size <= FILE_MAX) n = read(fd, text, FILE_MAX);
    if (n < 0 && info.st_size <= FILE_MAX) why = strerror(errno);
  }
  close(fd);
  OY_CHECK(n >= 0, IO, "%s: %s", path, why);
  *out_size = (size_t)n;
  return OY_OK;
}

oy_status oyi_manifest_read(const char* path, oyi_manifest* out) {
  char text[FILE_MAX];
  size_t size = 0;
  memset(out, 0, sizeof(*out));
  OY_TRY(read_text(path, text, &size));
  OY_TRY(oyi_manifest_parse((oy_str){text, size}, path, out));
  const char* slash = strrchr(path, '/');
  int folder = slash ? (int)(slash - path) + 1 : 0;
  int n = snprintf(out->path, sizeof(out->path), "%.*s%s", folder, path, out->library);
  OY_CHECK(n > 0 && (size_t)n < sizeof(out->path), IO, "%s: the path is too long", path);
  return OY_OK;
}

bool oyi_manifest_announces(const oyi_manifest* manifest, oy_str backend) {
  for (const char* p = manifest->backends; *p;) {
    size_t n = strcspn(p, " ");
    if (n == backend.size && strncasecmp(p, backend.data, n) == 0) return true;
    p += n + (p[n] == ' ');
  }
  return false;
}
