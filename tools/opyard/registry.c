// SPDX-License-Identifier: Apache-2.0
// The registry that the verbs look at, opened on first use.
#include "common.h"
#include "replay.h"
#include "tensors.h"

static struct {
  oy_registry* registry;  // NULL: none of a file
  cli_replayed replayed;
  bool tensors;
} opened;

static oy_status open_file(const char* file, oy_registry** out_registry) {
  char* text;
  size_t size;
  cli_model model;
  OY_TRY(cli_read(file, &text, &size));
  oy_status status =
      cli_model_parse((oy_str){text, size}, cli_path_name(file), 0, &model);
  cli_free(text);
  if (status != OY_OK) return status;
  status = oy_registry_create(&opened.registry);
  if (status == OY_OK)
    status = cli_replay_register(&model, opened.registry, 0, &opened.replayed);
  cli_model_free(&model);
  *out_registry = opened.registry;
  return status;
}

oy_status cli_registry(const char* file, oy_registry** out_registry) {
  *out_registry = NULL;
  if (file) return open_file(file, out_registry);
  *out_registry = oy_registry_default();
  if (!*out_registry) return OY_FAIL(OUT_OF_MEMORY, "no memory for the registry");
  opened.tensors = true;
  return cli_tensors_load();
}

void cli_registry_close(void) {
  if (opened.registry) {
    cli_replay_close(&opened.replayed);
    oy_registry_destroy(opened.registry);
    opened.registry = NULL;
  }
  if (opened.tensors) cli_tensors_unload();
}
