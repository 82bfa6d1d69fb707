// SPDX-License-Identifier: Apache-2.0
// The plugin of the tests as files in a folder of the test's own.
#ifndef OPYARD_TESTS_PLUGIN_PLUGIN_FILES_H_
#define OPYARD_TESTS_PLUGIN_PLUGIN_FILES_H_

#include "support/tensors.h"

#include <sys/stat.h>
#include <unistd.h>

#define TEST_PLUGIN_FILE OY_BINARY_DIR "/tests/plugin/test_plugin.so"

static char g_folder[64];
static char g_text[256];

// "FOLDER/name", in one of two buffers in turn.
HELPER const char* in_folder(const char* name) {
  static char path[2][256];
  static int turn;
  turn = !turn;
  snprintf(path[turn], sizeof(path[turn]), "%s/%s", g_folder, name);
  return path[turn];
}

HELPER void write_file(const char* path, const void* data, size_t size) {
  FILE* f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(data, 1, size, f), size);
  assert_int_equal(fclose(f), 0);
}

HELPER size_t read_plugin(char** out) {
  FILE* f = fopen(TEST_PLUGIN_FILE, "rb");
  assert_non_null(f);
  fseek(f, 0, SEEK_END);
  size_t size = (size_t)ftell(f);
  rewind(f);
  *out = malloc(size);
  assert_non_null(*out);
  assert_int_equal(fread(*out, 1, size, f), size);
  fclose(f);
  return size;
}

// Another file with the plugin in it.
HELPER const char* copy_plugin(const char* name) {
  char* data;
  size_t size = read_plugin(&data);
  const char* path = in_folder(name);
  write_file(path, data, size);
  free(data);
  return path;
}

HELPER void write_manifest(const char* name, const char* text) {
  write_file(in_folder(name), text, strlen(text));
}

HELPER int make_folder(void** state) {
  strcpy(g_folder, "/tmp/opyard-plugin-XXXXXX");
  return mkdtemp(g_folder) ? init_library(state) : -1;
}
HELPER int remove_folder(void** state) {
  snprintf(g_text, sizeof(g_text), "rm -rf %s", g_folder);
  return shut_library(state) != 0 || system(g_text) != 0 ? -1 : 0;
}

// Loads |path| as the plugin that plays |kind|.
HELPER oy_loaded_plugin* load_as(const char* kind, const char* path) {
  oy_loaded_plugin* p;
  setenv("TEST_PLUGIN", kind, 1);
  oy_status status = oy_plugin_load(oy_str_of(path), &p);
  if (status != OY_OK) assert_null(p);
  return p;
}

#endif  // OPYARD_TESTS_PLUGIN_PLUGIN_FILES_H_
