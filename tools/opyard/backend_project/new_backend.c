// SPDX-License-Identifier: Apache-2.0
// `opyard new-backend NAME`: writes a plugin project that builds, passes its own test and is
// certified as it is.
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend_project/template.h"
#include "base/strbuf.h"
#include "common.h"

enum { NAME_MAX_SIZE = 32 };

typedef struct project {
  const char* folder;
  char name[NAME_MAX_SIZE + 1];      // acme
  char title[NAME_MAX_SIZE + 1];     // Acme
  char capitals[NAME_MAX_SIZE + 1];  // ACME
} project;

// ---------------------------------------------------------------------------- name

// Words of C that a function of the plugin cannot begin with are fine ("int_memory"), but
// the device needs a name that nobody has.
static oy_status check_name(const char* name) {
  const size_t size = strlen(name);
  bool good = size > 0 && size <= NAME_MAX_SIZE && islower((unsigned char)name[0]);
  for (size_t i = 0; good && i < size; i++) {
    const unsigned char c = (unsigned char)name[i];
    good = islower(c) || isdigit(c) || c == '_';
  }
  OY_CHECK(good, INVALID_ARGUMENT,
           "new-backend: expected a name of at most %d small letters, digits and _, "
           "beginning with a letter, found %s",
           NAME_MAX_SIZE, name[0] ? name : "nothing");
  oy_backend taken;
  OY_CHECK(!oy_backend_find(oy_str_of(name), &taken), ALREADY_EXISTS,
           "new-backend: opyard has a device %s already; choose another name", name);
  return OY_OK;
}

static oy_status project_init(project* p, const char* name, const char* folder) {
  OY_TRY(check_name(name));
  memset(p, 0, sizeof(*p));
  p->folder = folder ? folder : name;
  for (size_t i = 0; name[i]; i++) {
    const unsigned char c = (unsigned char)name[i];
    p->name[i] = (char)c;
    p->title[i] = (char)(i ? c : toupper(c));
    p->capitals[i] = (char)toupper(c);
  }
  return OY_OK;
}

static void fill_in(oyi_strbuf* out, const project* p, const char* text) {
  const struct {
    const char *place, *value;
  } places[] = {{"@name@", p->name}, {"@Name@", p->title}, {"@NAME@", p->capitals}};
  while (*text) {
    size_t used = 0;
    for (size_t i = 0; *text == '@' && i < 3; i++)
      if (strncmp(text, places[i].place, 6) == 0) {
        oyi_strbuf_puts(out, places[i].value);
        used = 6;
      }
    if (!used) oyi_strbuf_putc(out, *text);
    text += used ? used : 1;
  }
}

// --------------------------------------------------------------------------- files

// The folders above |path|, as far as they are missing.
static oy_status make_folders(char* path) {
  for (char* at = path + 1; *at; at++) {
    if (*at != '/') continue;
    *at = '\0';
    const bool good = mkdir(path, 0777) == 0 || errno == EEXIST;
    if (!good) OY_FAIL(IO, "cannot make the folder %s: %s", path, strerror(errno));
    *at = '/';
    if (!good) return oy_failure();
  }
  return OY_OK;
}

static oy_status write_text(const char* path, oy_str text) {
  FILE* out = fopen(path, "wx");
  OY_CHECK(out, IO, "cannot write %s: %s", path, strerror(errno));
  bool good = fwrite(text.data, 1, text.size, out) == text.size;
  good = fclose(out) == 0 && good;
  OY_CHECK(good, IO, "cannot write %s: %s", path, strerror(errno));
  const size_t size = strlen(path);
  const bool is_script = size > 3 && strcmp(path + size - 3, ".sh") == 0;
  OY_CHECK(!is_script || chmod(path, 0755) == 0, IO, "cannot mark %s executable: %s",
           path, strerror(errno));
  return OY_OK;
}

static oy_status write_file(const project* p, const project_file* file) {
  oyi_strbuf path = OYI_STRBUF_INIT, text = OYI_STRBUF_INIT;
  oyi_strbuf_printf(&path, "%s/", p->folder);
  fill_in(&path, p, file->path);
  fill_in(&text, p, file->text);
  oy_status status = oyi_strbuf_status(&path);
  if (status == OY_OK) status = oyi_strbuf_status(&text);
  if (status == OY_OK) status = make_folders(path.data);
  if (status == OY_OK) status = write_text(path.data, oyi_strbuf_view(&text));
  if (status == OY_OK) printf("%s\n", path.data);
  oyi_strbuf_reset(&path);
  oyi_strbuf_reset(&text);
  return status;
}

static oy_status write_files(const project* p, const project_file* files) {
  for (; files->path; files++) OY_TRY(write_file(p, files));
  return OY_OK;
}

static oy_status write_project(const project* p) {
  struct stat there;
  OY_CHECK(stat(p->folder, &there) != 0 || rmdir(p->folder) == 0, ALREADY_EXISTS,
           "new-backend: expected a folder that is empty or not there, but %s is",
           p->folder);
  OY_TRY(write_files(p, project_others));
  OY_TRY(write_files(p, project_sources));
  return write_files(p, project_device);
}

int cli_new_backend(int argc, char** argv) {
  const char* folder = NULL;
  const cli_option options[] = {{"--dir", NULL, &folder}};
  project p;
  if (cli_arguments(argc, argv, options, 1, 1, 1) < 0) return CLI_BAD_INPUT;
  if (project_init(&p, argv[1], folder) != OY_OK || write_project(&p) != OY_OK)
    return cli_fail();
  printf("next: cd %s && ./ci.sh PREFIX, where opyard is installed in PREFIX\n",
         p.folder);
  return cli_finish(CLI_OK);
}
