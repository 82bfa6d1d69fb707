// SPDX-License-Identifier: Apache-2.0
#include "plugin/search.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "plugin/attempts.h"

enum { MANIFESTS_MAX = 256, FOLDERS_MAX = 4 * OYI_PATH };

typedef struct search {
  bool (*visit)(const oyi_manifest* manifest, void* user_data);
  void* user_data;
} search;

static const char g_here = 0;

// <libdir>/opyard/plugins: beside the shared library; for a program that has the library
// in itself, lib/ beside the program's folder.
static void put_own_folder(char* out, size_t size) {
  Dl_info info;
  *out = '\0';
  if (!dladdr(&g_here, &info) || !info.dli_fname) return;
  const char* slash = strrchr(info.dli_fname, '/');
  const char* name = slash ? slash + 1 : info.dli_fname;
  int folder = slash ? (int)(slash - info.dli_fname) : 1;
  const char* from = slash ? info.dli_fname : ".";
  bool is_library = strstr(name, ".so") != NULL;
  snprintf(out, size, "%.*s%s/opyard/plugins", folder, from, is_library ? "" : "/../lib");
}

void oyi_search_folders(char* out, size_t size) {
  const char* path = secure_getenv("OPYARD_PLUGIN_PATH");
  char own[OYI_PATH];
  put_own_folder(own, sizeof(own));
  snprintf(out, size, "%s%s%s", path ? path : "", path && *path ? ":" : "", own);
}

uint64_t oyi_search_state(void) {
  const char* path = secure_getenv("OPYARD_PLUGIN_PATH");
  uint64_t hash = 1469598103934665603u;
  for (; path && *path; path++) hash = (hash ^ (unsigned char)*path) * 1099511628211u;
  return hash;
}

static int is_manifest(const struct dirent* entry) {
  size_t n = strlen(entry->d_name);
  return n > 7 && entry->d_name[0] != '.' &&
         strcmp(entry->d_name + n - 7, ".plugin") == 0;
}

static bool visit_file(const search* s, const char* folder, const char* name) {
  char path[OYI_PATH];
  int n = snprintf(path, sizeof(path), "%s/%s", folder, name);
  if (n < 0 || (size_t)n >= sizeof(path)) return false;
  oyi_manifest manifest;
  if (oyi_manifest_read(path, &manifest) != OY_OK) {
    oyi_attempt_note(OY_PLUGIN_REFUSED, NULL, path, NULL, oy_error_get()->message);
    oy_error_clear();
    return false;
  }
  oyi_attempt_note(OY_PLUGIN_ANNOUNCED, manifest.name, manifest.path, &manifest, NULL);
  return s->visit(&manifest, s->user_data);
}

static bool visit_folder(const search* s, const char* folder) {
  struct dirent** entries = NULL;
  int count = scandir(folder, &entries, is_manifest, alphasort);
  if (count < 0) {
    oyi_attempt_note(OY_PLUGIN_ABSENT, NULL, folder, NULL, strerror(errno));
    return false;
  }
  if (count == 0)
    oyi_attempt_note(OY_PLUGIN_ABSENT, NULL, folder, NULL, "no manifest is there");
  bool found = false;
  for (int i = 0; i < count; i++) {
    if (!found && i < MANIFESTS_MAX) found = visit_file(s, folder, entries[i]->d_name);
    free(entries[i]);
  }
  free(entries);
  return found;
}

bool oyi_search(bool (*visit)(const oyi_manifest* manifest, void* user_data),
                void* user_data) {
  char folders[FOLDERS_MAX];
  oyi_search_folders(folders, sizeof(folders));
  search s = {visit, user_data};
  for (char* at = folders; at && *at;) {
    char* colon = strchr(at, ':');
    if (colon) *colon = '\0';
    if (*at && visit_folder(&s, at)) return true;
    at = colon ? colon + 1 : NULL;
    while (at && *at == ':') at++;
  }
  return false;
}
