// SPDX-License-Identifier: Apache-2.0
// One plugin that plays many, as TEST_PLUGIN says when its entry is asked: an honest one in
// versions 1 and 2, one that lies, one that fails, one that registers half and fails.
// Linked with nothing but libc; with TEST_PLUGIN_LIBRARY it registers by macro besides.
#include "through_table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/sim_device.h"

const oy_api* plugin_api;
static sim_device* g_sim;
static char g_kind[32];
static char g_backend[32];
static int64_t g_version;
static uint64_t g_alive;

oy_status plugin_error_set(oy_status code, const char* file, int line, const char* format,
                           ...) {
  char text[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  return plugin_api->error_set(code, file, line, "%s", text);
}

static bool is(const char* kind) {
  return strcmp(g_kind, kind) == 0;
}

// --------------------------------------------------------------------- kernels

// testplug::scale(Tensor x) -> Tensor: x times the version, for dense float32.
static oy_object* scale(const oy_op* op, oy_keyset keys, oy_object* x) {
  (void)op, (void)keys;
  const oy_tensor_api* t = plugin_api->tensors;
  oy_device device = t->device(x);
  oy_object* made = t->empty(t->sizes(x), OY_DTYPE_F32, device);
  if (!made) return NULL;
  const float* from = t->data(x);
  float* to = t->data(made);
  int64_t n = t->numel(x);
  if (device.backend != OY_BACKEND_CPU && n) {
    from = sim_device_host(from);
    to = sim_device_host(to);
  }
  if (is("slow")) usleep(100 * 1000);
  for (int64_t i = 0; i < n; i++) to[i] = from[i] * (float)g_version;
  return made;
}

// testplug::version() -> int
static oy_status version(const oy_op* op, oy_keyset keys, int64_t* out) {
  (void)op, (void)keys;
  *out = g_version;
  return OY_OK;
}

static void destroy_state(void* state) {
  // Reads the plugin's own memory: it has to be there still.
  if (state != &g_version || g_version < 1) abort();
}

static oy_status boxed(const oy_op* op, oy_keyset keys, oy_stack* stack,
                       const oy_kernel* kernel) {
  (void)op, (void)keys, (void)kernel;
  plugin_api->stack_reset(stack);
  return OY_FAIL(NOT_IMPLEMENTED, "the plugin has no batch_norm");
}

static oy_status impl(oy_library* library, const char* name, oy_key key,
                      oy_kernel_params kernel) {
  oy_impl_params params = {.name = name, .key = key, .kernel = kernel, .place = OY_HERE};
  return plugin_api->library_impl(library, &params, NULL);
}

static oy_status define(oy_plugin_scope* scope, oy_key key) {
  oy_library_params params = {NULL,     OY_LIBRARY_DEF, "testplug", OY_KEY_Undefined,
                              __FILE__, __LINE__};
  oy_library* library;
  OY_TRY(scope->library(scope, &params, &library));
  oy_kernel_params counts = {
      .typed = (oy_typed_fn)version, .state = &g_version, .destroy_state = destroy_state};
  oy_def_params defs[] = {{.schema = "scale(Tensor x) -> Tensor", .place = OY_HERE},
                          {.schema = "version() -> int",
                           .kernel = &counts,
                           .key = OY_KEY_CompositeExplicitAutograd,
                           .place = OY_HERE}};
  for (size_t i = 0; i < 2; i++) OY_TRY(plugin_api->library_def(library, &defs[i], NULL));
  if (is("half")) return OY_FAIL(INTERNAL, "half of it is enough");
  OY_TRY(impl(library, "scale", OY_KEY_CPU, OY_TYPED(scale)));
  return impl(library, "scale", key, OY_TYPED(scale));
}

static oy_status take_over_aten(oy_plugin_scope* scope, oy_key key) {
  oy_library_params params = {NULL,     OY_LIBRARY_IMPL, "aten", OY_KEY_Undefined,
                              __FILE__, __LINE__};
  oy_library* library;
  OY_TRY(scope->library(scope, &params, &library));
  OY_TRY(impl(library, "relu", key, OY_TYPED(scale)));  // as good as any
  return impl(library, "native_batch_norm", key, OY_BOXED(boxed));
}

// ------------------------------------------------------------------------ load

static oy_status set_devices(oy_plugin_scope* scope, oy_backend backend) {
  g_sim = sim_device_create(2, 0);
  if (!g_sim) return OY_FAIL(OUT_OF_MEMORY, "no memory for the device");
  oy_device_hooks hooks = sim_device_hooks(g_sim);
  if (is("bad_hooks")) hooks.copy = NULL;
  if (is("short_hooks")) hooks.struct_size = 12;
  return scope->hooks(scope, backend, &hooks);
}

static oy_status load(const oy_api* api, oy_plugin_scope* scope) {
  plugin_api = api;
  if (is("fails")) return OY_FAIL(IO, "the device is on fire");
  if (is("fails_silently")) return OY_INTERNAL;
  if (is("shorter")) return OY_OK;  // nobody would call |unload|
  oy_backend backend;
  OY_TRY(scope->backend(scope, oy_str_of(g_backend), &backend));
  oy_key key = (oy_key)OY_KEY_OF(OY_KEY_Dense, backend);
  if (is("strange")) {  // behind the scope's back
    oy_library_params params = {NULL,     OY_LIBRARY_IMPL, "aten", OY_KEY_Undefined,
                                __FILE__, __LINE__};
    oy_library* library;
    OY_TRY(api->library_create(&params, &library));
    OY_TRY(impl(library, "relu", OY_KEY_CUDA, OY_TYPED(scale)));
    return OY_FAIL(INTERNAL, "and now it fails");
  }
  oy_status status = set_devices(scope, backend);
  if (status == OY_OK) status = define(scope, key);
  if (status == OY_OK) status = take_over_aten(scope, key);
  if (status == OY_OK && is("fails_late"))
    status = OY_FAIL(INTERNAL, "everything is registered");
  if (status == OY_OK) return OY_OK;
  sim_device_destroy(g_sim);
  g_sim = NULL;
  return status;
}

static void unload(void) {
  sim_device_destroy(g_sim);
  g_sim = NULL;
  g_version = 0;
}

static uint64_t alive(char* text, size_t size) {
  snprintf(text, size, "sessions");
  return g_alive;
}

// For tests: objects of its own, which it counts.
OY_API void test_plugin_hold(uint64_t count);
OY_API void test_plugin_hold(uint64_t count) {
  g_alive = count;
}

// ----------------------------------------------------------------------- entry

static oy_plugin g_plugin;

static void read_environment(void) {
  const char* kind = getenv("TEST_PLUGIN");
  const char* backend = getenv("TEST_PLUGIN_BACKEND");
  snprintf(g_kind, sizeof(g_kind), "%s", kind ? kind : "v1");
  snprintf(g_backend, sizeof(g_backend), "%s", backend ? backend : "Plug");
  g_version = is("v2") ? 2 : 1;
}

OY_PLUGIN_EXPORT {
  if (g_plugin.struct_size) return &g_plugin;
  read_environment();
  if (is("absent")) return NULL;
  g_plugin = (oy_plugin){.struct_size = sizeof(oy_plugin),
                         .abi_version = OY_ABI_VERSION,
                         .name = "testplug",
                         .version = is("v2") ? "2.0" : "1.0",
                         .description = "a plugin of the tests",
                         .needs = OY_FEATURE_TENSORS | OY_FEATURE_DEVICES,
                         .load = load,
                         .unload = unload,
                         .alive = alive};
  if (is("size_zero")) g_plugin.struct_size = 1;
  if (is("size_huge")) g_plugin.struct_size = (size_t)-1;
  if (is("longer")) g_plugin.struct_size = sizeof(oy_plugin) + 64;
  if (is("shorter")) g_plugin.struct_size = offsetof(oy_plugin, unload);
  if (is("older")) g_plugin.abi_version = OY_ABI_MAJOR << 16;
  if (is("newer_minor")) g_plugin.abi_version = OY_ABI_VERSION + 1;
  if (is("newer_major")) g_plugin.abi_version = (OY_ABI_MAJOR + 1) << 16;
  if (is("major_zero")) g_plugin.abi_version = 7;
  if (is("no_name")) g_plugin.name = NULL;
  if (is("bad_name")) g_plugin.name = "../etc";
  if (is("no_load")) g_plugin.load = NULL;
  if (is("needs_more")) g_plugin.needs |= (uint64_t)1 << 40;
  return &g_plugin;
}
