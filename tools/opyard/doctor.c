// SPDX-License-Identifier: Apache-2.0
// `opyard doctor`: which plugins there are, where they were looked for, and why each was
// taken or refused. It loads those that are announced, or that are named, asks for their
// devices, and unloads them.
#include <stdlib.h>

#include "common.h"
#include "json.h"
#include "opyard/opyard.h"

typedef struct doctor {
  cli_json* json;  // NULL: text
  size_t refused;
} doctor;

static void load_all(void) {
  oy_plugin_attempt a;
  oy_loaded_plugin* plugin;
  for (size_t i = 0; oy_plugin_attempt_at(i, &a); i++)
    if (a.outcome == OY_PLUGIN_ANNOUNCED &&
        oy_plugin_load(oy_str_of(a.name), &plugin) != OY_OK)
      oy_error_clear();  // the attempt says why
}

// What was named has to be there.
static oy_status load_named(char** names, int count) {
  oy_loaded_plugin* plugin;
  for (int i = 0; i < count; i++) OY_TRY(oy_plugin_load(oy_str_of(names[i]), &plugin));
  return OY_OK;
}

static void show_about(const doctor* d) {
  const oy_api* api = oy_api_get(OY_ABI_VERSION);
  unsigned major = api->abi_version >> 16, minor = api->abi_version & 0xffff;
  const char* path = getenv("OPYARD_PLUGIN_PATH");
  if (d->json) {
    char text[32];
    snprintf(text, sizeof text, "%u.%u", major, minor);
    cli_json_text(d->json, "opyard", oy_version());
    cli_json_text(d->json, "abi", text);
    cli_json_text(d->json, "plugin_path", path ? path : "");
    return;
  }
  printf("opyard %s, plugin ABI %u.%u\nOPYARD_PLUGIN_PATH %s\n", oy_version(), major,
         minor, path && *path ? path : "is not set");
}

static void show_device(const doctor* d, oy_device device) {
  oy_device_properties p = {.struct_size = sizeof(p)};
  char text[64];
  oy_device_print(device, text, sizeof text);
  if (oy_device_get_properties(device, &p) != OY_OK) oy_error_clear();
  if (d->json) {
    cli_json_open(d->json, NULL, '{');
    cli_json_text(d->json, "device", text);
    cli_json_text(d->json, "name", p.name);
    cli_json_int(d->json, "memory_bytes", (long long)p.memory_bytes);
    cli_json_close(d->json, '}');
  } else {
    printf("            %s: %s, %.1f GiB\n", text, *p.name ? p.name : "no name",
           (double)p.memory_bytes / (1 << 30));
  }
}

// A plugin that was loaded and finds no device says why.
static void show_missing(const doctor* d) {
  const char* why = oy_error_get()->message;
  if (d->json) {
    cli_json_open(d->json, NULL, '{');
    cli_json_text(d->json, "missing", why);
    cli_json_close(d->json, '}');
  } else {
    printf("            %s\n", why);
  }
  oy_error_clear();
}

static void show_devices(const doctor* d, const char* name) {
  oy_plugin_info info = {.struct_size = sizeof(info)};
  oy_loaded_plugin* plugin = oy_plugin_find(oy_str_of(name));
  if (!plugin || oy_plugin_get_info(plugin, &info) != OY_OK) return;
  for (uint64_t rest = info.backends; rest; rest &= rest - 1) {
    oy_backend backend = __builtin_ctzll(rest);
    int16_t count = 0;
    if (oy_device_count(backend, &count) != OY_OK) show_missing(d);
    for (int16_t i = 0; i < count; i++) show_device(d, oy_device_make(backend, i));
  }
}

static void show_attempt(doctor* d, const oy_plugin_attempt* a) {
  const char* outcome = oy_plugin_outcome_name(a->outcome);
  d->refused += a->outcome == OY_PLUGIN_REFUSED;
  if (d->json) {
    cli_json_open(d->json, NULL, '{');
    cli_json_text(d->json, "outcome", outcome);
    cli_json_text(d->json, "name", a->name);
    cli_json_text(d->json, "path", a->path);
    cli_json_text(d->json, "backends", a->backends);
    cli_json_text(d->json, "reason", a->reason);
    cli_json_open(d->json, "devices", '[');
    show_devices(d, a->name);
    cli_json_close(d->json, ']');
    cli_json_close(d->json, '}');
    return;
  }
  const char* colour = a->outcome == OY_PLUGIN_REFUSED  ? "red"
                       : a->outcome == OY_PLUGIN_LOADED ? "green"
                                                        : "dim";
  printf("%s%-10s%s  %s%s%s\n", cli_colour(colour), outcome, cli_colour("off"), a->name,
         *a->name ? "  " : "", a->path);
  if (*a->reason) printf("            %s\n", a->reason);
  show_devices(d, a->name);
}

static void show_attempts(doctor* d) {
  oy_plugin_attempt a;
  if (d->json) cli_json_open(d->json, "plugins", '[');
  for (size_t i = 0; oy_plugin_attempt_at(i, &a); i++) show_attempt(d, &a);
  if (d->json) cli_json_close(d->json, ']');
}

static void unload_all(void) {
  for (oy_loaded_plugin* p; (p = oy_plugin_at(0));)
    if (oy_plugin_unload(p, OY_UNLOAD_DEFER, NULL) != OY_OK) oy_error_clear();
}

int cli_doctor(int argc, char** argv) {
  bool as_json = false;
  const cli_option options[] = {{"--json", &as_json, NULL}};
  int count = cli_arguments(argc, argv, options, 1, 0, 64);
  if (count < 0) return CLI_BAD_INPUT;
  oy_registry* registry;
  if (cli_registry(NULL, &registry) != OY_OK) return cli_fail();
  oy_plugin_survey();
  if (count == 0)
    load_all();
  else if (load_named(argv + 1, count) != OY_OK)
    return cli_fail();
  cli_json json;
  cli_json_init(&json, stdout);
  doctor d = {.json = as_json ? &json : NULL};
  if (as_json) cli_json_open(&json, NULL, '{');
  show_about(&d);
  show_attempts(&d);
  if (as_json) cli_json_close(&json, '}');
  unload_all();
  return cli_finish(d.refused ? CLI_DIFFERENT : CLI_OK);
}
