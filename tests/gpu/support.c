// SPDX-License-Identifier: Apache-2.0
#include "gpu/support.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static oy_backend g_backend;

// -------------------------------------------------------------------------- loading

static void give_out(const char* what) {
  fprintf(stderr, "%s: %s\n", what, oy_error_get()->message);
  exit(1);
}

// A folder of the build's own, which is kept from run to run.
static void set_folder(const char* variable, const char* name) {
  char path[1024];
  snprintf(path, sizeof(path), "%s/tests/%s", OY_BINARY_DIR, name);
  mkdir(path, 0777);
  setenv(variable, path, 0);
}

// Three devices: PoCL's, or those of the simulated driver of CUDA.
static void set_environment(void) {
  set_folder("OPYARD_CACHE_DIR", "opyard-cache");
#ifdef OY_CUDASIM
  set_folder("OPYARD_CUDASIM_CACHE", "cudasim-cache");
  setenv("OPYARD_CUDA_DRIVER", OY_CUDASIM, 0);
  setenv("OPYARD_CUDA_NVRTC", OY_CUDASIM, 0);
  setenv("OPYARD_CUDA_CUBLASLT", OY_CUDASIM, 0);
  setenv("OPYARD_CUDASIM_NVRTC", OY_NVRTC, 0);  // "" where there is none
#else
  set_folder("POCL_CACHE_DIR", "pocl-cache");
  // Not "basic": in PoCL 3.1 that driver locks an event twice, and stands, when two threads
  // submit to it.
  setenv("POCL_DEVICES", "pthread pthread pthread", 0);
#endif
}

void gpu_start(void) {
  int16_t count = 0;
  set_environment();
  if (oy_init() != OY_OK) give_out("starting");
  oy_loaded_plugin* plugin;
  if (oy_plugin_load(oy_str_of(OY_PLUGIN), &plugin) != OY_OK)
    give_out("loading the plugin");
  if (!oy_backend_find(oy_str_of(OY_BACKEND_NAME), &g_backend))
    give_out("finding the backend");
  if (oy_device_count(g_backend, &count) == OY_OK && count > 0) return;
  printf("skipped: %s\n", oy_error_get()->message);
  exit(77);
}

oy_device gpu_device(int index) {
  return oy_device_make(g_backend, (int16_t)index);
}

// The plugin's load function in a scope that notes the hooks and refuses what comes then.
static oy_device_hooks g_hooks;
static oy_status note_backend(oy_plugin_scope* scope, oy_str name, oy_backend* out) {
  (void)scope;
  return oy_backend_register(name, out);
}
static oy_status note_hooks(oy_plugin_scope* scope, oy_backend backend,
                            const oy_device_hooks* hooks) {
  (void)scope, (void)backend;
  g_hooks = *hooks;
  return OY_FAIL(FAILED_PRECONDITION, "enough is known");
}

const oy_device_hooks* gpu_hooks(void) {
  oy_plugin_info info = {.struct_size = sizeof(info)};
  oy_plugin_scope scope = {sizeof(scope), note_backend, note_hooks, NULL};
  if (g_hooks.struct_size) return &g_hooks;
  if (oy_plugin_get_info(oy_plugin_find(oy_str_of(OY_PLUGIN_NAME)), &info) != OY_OK)
    give_out("asking for the plugin");
  void* library = dlopen(info.path, RTLD_NOW | RTLD_LOCAL);
  const oy_plugin* (*entry)(void) =
      library ? (const oy_plugin* (*)(void))(uintptr_t)dlsym(library, OY_PLUGIN_SYMBOL)
              : NULL;
  if (!entry || entry()->load(oy_api_get(OY_ABI_VERSION), &scope) == OY_OK)
    give_out("asking for the hooks");
  oy_error_clear();
  return &g_hooks;
}

// ----------------------------------------------------------------------- tensors

static oy_tensor* made(oy_tensor* t, const char* what) {
  if (!t) fail_msg("%s: %s", what, oy_error_get()->message);
  return t;
}

// With the strides of |like|, which is not contiguous, in memory of its own.
static oy_tensor* strided_copy(const oy_tensor* like, oy_tensor* flat) {
  oy_ints sizes = oy_tensor_sizes(like), strides = oy_tensor_strides(like);
  int64_t last = 0;
  for (size_t d = 0; d < sizes.size; d++) last += (sizes.data[d] - 1) * strides.data[d];
  oy_tensor* room = made(
      oy_tensor_empty(OY_DIMS(last + 1), like->dtype, oy_tensor_device(flat)), "room");
  oy_tensor* view = made(oy_tensor_as_strided(room, sizes, strides, 0), "view");
  oy_value results[1];
  bool repeats = false;
  for (size_t d = 0; d < sizes.size; d++)
    repeats = repeats || (strides.data[d] == 0 && sizes.data[d] > 1);
  if (!repeats) {
    oy_value args[] = {oy_value_tensor(view), oy_value_tensor(flat), oy_bool(false)};
    if (call_op("aten::copy_", 3, args, results) != 1)
      fail_msg("copy_: %s", oy_error_get()->message);
    oy_value_release(&results[0]);
  }
  oy_tensor_release(room);
  oy_tensor_release(flat);
  return view;
}

oy_tensor* to_gpu(const oy_tensor* t, int index) {
  oy_tensor* flat =
      made(oy_tensor_copy_to(t, OY_DTYPE_ANY, gpu_device(index)), "to the device");
  if (oy_tensor_is_contiguous(t, OY_MEMORY_CONTIGUOUS)) return flat;
  return strided_copy(t, flat);
}

oy_tensor* to_cpu(const oy_tensor* t) {
  return made(oy_tensor_copy_to(t, OY_DTYPE_ANY, oy_device_cpu()), "to cpu");
}

static oy_scalar number(oy_dtype dtype, uint32_t bits) {
  int value = (int)(bits % 15) - 7;
  if (dtype == OY_DTYPE_BOOL) return oy_bool(bits & 1);
  if (dtype == OY_DTYPE_U8) return oy_int(bits % 15);
  if (oy_dtype_is_integral(dtype, false)) return oy_int(value);
  // Multiples of 1/8 are exact in every float type.
  return oy_float((int)(bits % 97) / 16.0 - 3);
}

oy_tensor* numbers(oy_ints sizes, oy_dtype dtype, unsigned seed) {
  oy_tensor* t = made(oy_tensor_empty(sizes, dtype, oy_device_cpu()), "numbers");
  int64_t n = oy_tensor_numel(t);
  oy_tensor* flat = made(oy_tensor_view(t, OY_DIMS(n)), "flat");
  uint32_t state = seed * 2654435761u + 12345u;
  for (int64_t i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    if (oy_tensor_set(flat, OY_DIMS(i), number(dtype, state >> 8)) != OY_OK)
      fail_msg("numbers: %s", oy_error_get()->message);
  }
  oy_tensor_release(flat);
  return t;
}

oy_tensor* numbers_transposed(oy_ints sizes, oy_dtype dtype, unsigned seed) {
  int64_t turned[8];
  size_t n = sizes.size;
  memcpy(turned, sizes.data, n * sizeof(int64_t));
  turned[n - 1] = sizes.data[n - 2];
  turned[n - 2] = sizes.data[n - 1];
  oy_tensor* t = numbers((oy_ints){turned, n}, dtype, seed);
  oy_tensor* view = made(oy_tensor_transpose(t, -1, -2), "transpose");
  oy_tensor_release(t);
  return view;
}

oy_tensor* numbers_stepped(oy_ints sizes, oy_dtype dtype, unsigned seed) {
  int64_t wide[8], strides[8], stride = 1;
  size_t n = sizes.size;
  memcpy(wide, sizes.data, n * sizeof(int64_t));
  wide[n - 1] *= 2;
  oy_tensor* t = numbers((oy_ints){wide, n}, dtype, seed);
  for (size_t d = n; d-- > 0;) {
    strides[d] = stride * (d + 1 == n ? 2 : 1);
    stride *= wide[d];
  }
  oy_tensor* view =
      made(oy_tensor_as_strided(t, sizes, (oy_ints){strides, n}, 0), "step");
  oy_tensor_release(t);
  return view;
}

// --------------------------------------------------------------------- comparing

static bool same_ints(oy_ints a, oy_ints b) {
  return a.size == b.size && (a.size == 0 || !memcmp(a.data, b.data, 8 * a.size));
}

// NaN where the element has a NaN.
static double element(const oy_tensor* flat, int64_t i) {
  oy_scalar s;
  if (oy_tensor_get(flat, OY_DIMS(i), &s) != OY_OK)
    fail_msg("element: %s", oy_error_get()->message);
  return s.tag == OY_TAG_FLOAT ? s.as.d : (double)s.as.i;
}

static oy_tensor* flat_of(const oy_tensor* t) {
  oy_tensor* plain = to_cpu(t);
  oy_tensor* flat = made(oy_tensor_view(plain, OY_DIMS(oy_tensor_numel(plain))), "flat");
  oy_tensor_release(plain);
  return flat;
}

void check_same(const oy_tensor* expected, const oy_tensor* on_gpu, double tolerance,
                const char* what) {
  if (expected->dtype != on_gpu->dtype)
    fail_msg("%s: expected %s, got %s", what, oy_dtype_name(expected->dtype),
             oy_dtype_name(on_gpu->dtype));
  if (!same_ints(oy_tensor_sizes(expected), oy_tensor_sizes(on_gpu)))
    fail_msg("%s: sizes differ", what);
  if (!same_ints(oy_tensor_strides(expected), oy_tensor_strides(on_gpu)))
    fail_msg("%s: strides differ", what);
  oy_tensor *a = flat_of(expected), *b = flat_of(on_gpu);
  for (int64_t i = 0; i < oy_tensor_numel(a); i++) {
    double x = element(a, i), y = element(b, i), size = fabs(x) > 1 ? fabs(x) : 1;
    if ((isnan(x) && isnan(y)) || x == y || fabs(x - y) <= tolerance * size) continue;
    fail_msg("%s: element %lld is %.9g, expected %.9g", what, (long long)i, y, x);
  }
  oy_tensor_release(a);
  oy_tensor_release(b);
}

int call_op(const char* name, size_t count, const oy_value* args, oy_value* out_results) {
  const oy_op* op;
  oy_value storage[32];
  oy_stack stack;
  oy_stack_init(&stack, storage, 32);
  if (oy_op_find(oy_registry_default(), oy_str_of(name), &op) != OY_OK) return -1;
  for (size_t i = 0; i < count; i++) {
    oy_value v = args[i];
    v.owned = 0;
    if (oy_stack_push(&stack, v) != OY_OK) return -1;
  }
  oy_status status = oy_op_push_defaults(op, &stack, count, NULL, 0);
  if (status == OY_OK) status = oy_op_call_boxed(op, &stack);
  int results = status == OY_OK ? (int)stack.size : -1;
  for (int i = 0; i < results; i++) out_results[i] = stack.data[i];
  if (status == OY_OK) stack.size = 0;
  oy_stack_reset(&stack);
  return results;
}

// The argument on the device; 0-d tensors of the CPU stay where |v| says that they are numbers.
static oy_value moved(oy_value v, oy_object** list) {
  if (v.tag == OY_TAG_TENSOR) return oy_value_tensor(to_gpu(v.as.object, 0));
  if (v.tag != OY_TAG_TENSOR_LIST) return v;
  for (uint32_t i = 0; i < v.count; i++)
    list[i] =
        oy_object_is_none(v.as.tensors[i]) ? v.as.tensors[i] : to_gpu(v.as.tensors[i], 0);
  return oy_value_list(OY_TAG_TENSOR_LIST, list, v.count);
}

static void give_up(oy_value v) {
  if (v.tag == OY_TAG_TENSOR) oy_tensor_release(v.as.object);
  for (uint32_t i = 0; v.tag == OY_TAG_TENSOR_LIST && i < v.count; i++)
    oy_tensor_release(v.as.tensors[i]);
}

static void compare_results(const char* op, double tolerance, int count,
                            oy_value* expected, oy_value* got) {
  for (int i = 0; i < count; i++) {
    if (expected[i].tag == OY_TAG_TENSOR && got[i].tag == OY_TAG_TENSOR)
      check_same(expected[i].as.object, got[i].as.object, tolerance, op);
    else if (expected[i].tag != got[i].tag)
      fail_msg("%s: result %d is %s, expected %s", op, i, oy_value_type_name(got[i]),
               oy_value_type_name(expected[i]));
    oy_value_release(&expected[i]);
    oy_value_release(&got[i]);
  }
}

void check_call(const char* op, double tolerance, size_t count, const oy_value* args) {
  oy_value there[16], expected[8], got[8];
  oy_object* list[64];
  for (size_t i = 0; i < count; i++) there[i] = moved(args[i], list);
  int results = call_op(op, count, args, expected);
  if (results < 0) fail_msg("%s: the CPU says: %s", op, oy_error_get()->message);
  if (call_op(op, count, there, got) != results)
    fail_msg("%s: the device says: %s", op, oy_error_get()->message);
  compare_results(op, tolerance, results, expected, got);
  for (size_t i = 0; i < count; i++) {
    if (args[i].tag == OY_TAG_TENSOR)
      check_same(args[i].as.object, there[i].as.object, tolerance, op);
    give_up(there[i]);
  }
}

void check_refused(const char* op, size_t count, const oy_value* args) {
  oy_value there[16], results[8];
  oy_object* list[64];
  char message[1024];
  for (size_t i = 0; i < count; i++) there[i] = moved(args[i], list);
  if (call_op(op, count, args, results) >= 0) fail_msg("%s: the CPU computes it", op);
  snprintf(message, sizeof(message), "%s", oy_error_get()->message);
  oy_error_clear();
  if (call_op(op, count, there, results) >= 0)
    fail_msg("%s: the device computes it, the CPU says: %s", op, message);
  assert_string_equal(message, oy_error_get()->message);
  oy_error_clear();
  for (size_t i = 0; i < count; i++) give_up(there[i]);
}
