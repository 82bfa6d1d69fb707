// SPDX-License-Identifier: Apache-2.0
// `opyard keys`, and the order that dumps show keys in.
#include "common.h"
#include "json.h"

// Written down once more, apart from the library, so that replay checks the
// library's order and not itself.
static const uint8_t per_backend[] = {OY_KEY_Dense,        OY_KEY_Quantized,
                                      OY_KEY_Sparse,       OY_KEY_SparseCsr,
                                      OY_KEY_NestedTensor, OY_KEY_AutogradFunctionality};
static const uint8_t backends[] = {
#define OY_BACKEND(name, bit, autograd) bit,
#include "opyard/keys.def"
#undef OY_BACKEND
};
enum { BACKENDS = sizeof backends / sizeof backends[0], FUNCTIONALITIES = 47 };

static bool is_per_backend(unsigned functionality) {
  for (size_t i = 0; i < sizeof per_backend; i++)
    if (per_backend[i] == functionality) return true;
  return false;
}

bool cli_runtime_key_at(size_t i, oy_key* out_key) {
  for (unsigned f = 0; f < FUNCTIONALITIES; f++) {
    size_t slots = is_per_backend(f) ? BACKENDS : 1;
    if (i < slots) {
      *out_key = (oy_key)(slots > 1 ? OY_KEY_OF((int)f, backends[i]) : (int)f);
      return true;
    }
    i -= slots;
  }
  return false;
}

unsigned cli_key_rank(oy_key key) {
  if (oy_key_is_alias(key)) return 1u << 20 | key;
  unsigned f = oy_key_functionality(key);
  oy_backend b = oy_key_backend(key);
  return b == OY_BACKEND_NONE ? f : 1u << 16 | f << 8 | (unsigned)b;
}

static const char* kind_of(oy_key key) {
  if (oy_key_is_alias(key)) return "alias";
  if (key == OY_KEY_Undefined) return "runtime";
  if (!oy_key_is_runtime(key)) return "functionality";
  return oy_key_backend(key) == OY_BACKEND_NONE ? "functionality, runtime" : "runtime";
}

static void print_key(oy_key key, cli_json* json) {
  oy_backend b = oy_key_backend(key);
  const char* backend = b == OY_BACKEND_NONE ? "" : oy_backend_name(b);
  oy_key f = oy_key_functionality(key);
  if (!json) {
    const char* note = oy_key_is_alias(key)   ? ""
                       : b == OY_BACKEND_NONE ? ""
                                              : oy_key_name(f);
    printf("%5d  %-38s %-24s %s%s%s\n", key, oy_key_name(key), kind_of(key), note,
           backend[0] ? " x " : "", backend);
    return;
  }
  cli_json_open(json, NULL, '{');
  cli_json_text(json, "name", oy_key_name(key));
  cli_json_int(json, "number", key);
  cli_json_text(json, "kind", kind_of(key));
  if (!oy_key_is_alias(key)) cli_json_text(json, "functionality", oy_key_name(f));
  if (backend[0]) cli_json_text(json, "backend", backend);
  cli_json_close(json, '}');
}

int cli_keys(int argc, char** argv) {
  bool as_json = false;
  const cli_option options[] = {{"--json", &as_json, NULL}};
  if (cli_arguments(argc, argv, options, 1, 0, 0) < 0) return CLI_BAD_INPUT;
  // Backends of plugins are keys too.
  oy_registry* registry;
  if (cli_registry(NULL, &registry) != OY_OK) return cli_fail();
  cli_json json;
  cli_json_init(&json, stdout);
  if (as_json)
    cli_json_open(&json, NULL, '[');
  else
    printf("%s%5s  %-38s %-24s %s%s\n", cli_colour("bold"), "value", "key", "kind",
           "slot", cli_colour("off"));
  oy_key key;
  for (size_t i = 0; oy_key_at(i, &key); i++)
    if (key != OY_KEY_Trace && key != OY_KEY_TraceRedispatch)
      print_key(key, as_json ? &json : NULL);
  if (as_json) cli_json_close(&json, ']');
  return cli_finish(CLI_OK);
}
