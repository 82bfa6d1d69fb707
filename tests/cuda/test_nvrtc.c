// SPDX-License-Identifier: Apache-2.0
// NVRTC takes the source of every elementwise operator for every dtype, for sm_90: nothing
// runs. Skipped where it is not installed. The other families' sources are seen by it when
// their tests run (tests/gpu).
#include <dlfcn.h>
#include <string.h>

#include "cuda/sim/sim.h"
#include "gpu/support.h"

static const struct {
  const char* name;
  int outs;
} g_rows[] = {
#define GPU_POINT(name, outs, real, whole, rule, adapt) {name, outs},
#include "backends/gpu/pointwise.def"
#undef GPU_POINT
};

// What an argument of the type can be; false if nothing is known.
static bool argument(const oy_argument* a, oy_tensor* t, oy_value* out) {
  const oy_type* type = a->type;
  if (type->kind == OY_TYPE_OPTIONAL) type = type->element;
  switch (type->kind) {
    case OY_TYPE_TENSOR: *out = oy_value_tensor(t); return true;
    case OY_TYPE_SCALAR:
    case OY_TYPE_FLOAT: *out = oy_int(1); return true;
    case OY_TYPE_INT: *out = oy_int(1); return true;
    case OY_TYPE_BOOL: *out = oy_bool(false); return true;
    default: return false;
  }
}

// Whether a call of the operator with tensors of |dtype| was made; errors of arguments are
// the Meta kernel's, and not what is looked for.
static bool call_with(const char* name, oy_dtype dtype) {
  const oy_op* op = oy_op_lookup(oy_registry_default(), oy_str_of(name));
  const oy_schema* schema = op ? oy_op_schema(op) : NULL;
  oy_value args[16], results[8];
  size_t count = 0;
  if (!schema) return false;
  oy_tensor* t = oy_tensor_empty(OY_DIMS(8), dtype, gpu_device(0));
  assert_non_null(t);
  for (size_t i = 0; i < schema->argument_count; i++) {
    const oy_argument* a = &schema->arguments[i];
    if (a->kwarg_only || a->default_value.kind != OY_DEFAULT_ABSENT) break;
    if (!argument(a, t, &args[count])) break;
    count++;
  }
  int made = call_op(name, count, args, results);
  for (int i = 0; i < made; i++) oy_value_release(&results[i]);
  if (made < 0 && strstr(oy_error_get()->message, "could not build")) {
    fail_msg("%s of %s: %s", name, oy_dtype_name(dtype), oy_error_get()->detail);
  }
  oy_error_clear();
  oy_tensor_release(t);
  return made >= 0;
}

static void cuda_nvrtc_pointwise(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_F16,
                                    OY_DTYPE_I64, OY_DTYPE_U8,  OY_DTYPE_BOOL};
  int calls = 0;
  for (size_t i = 0; i < sizeof(g_rows) / sizeof(*g_rows); i++) {
    char name[96];
    // Forms that write to an argument have the kernels of those that do not.
    if (g_rows[i].outs || strstr(g_rows[i].name, "_.")) continue;
    snprintf(name, sizeof(name), "aten::%s", g_rows[i].name);
    for (size_t k = 0; k < sizeof(dtypes) / sizeof(*dtypes); k++)
      calls += call_with(name, dtypes[k]);
  }
  oy_device_trim(gpu_device(0));
  assert_int_equal(oy_device_synchronize(gpu_device(0)), OY_OK);
  printf("%d calls\n", calls);
  assert_true(calls > 700);
}

// What it refuses is told: a text that it cannot take does not pass.
static void cuda_nvrtc_refuses(void** state) {
  (void)state;
  const char* options[] = {"--gpu-architecture=sm_90"};
  void *program, *library = dlopen(OY_CUDASIM, RTLD_NOW | RTLD_LOCAL);
  assert_non_null(library);
  __typeof__(&nvrtcCreateProgram) create = dlsym(library, "nvrtcCreateProgram");
  __typeof__(&nvrtcCompileProgram) compile = dlsym(library, "nvrtcCompileProgram");
  __typeof__(&nvrtcDestroyProgram) destroy = dlsym(library, "nvrtcDestroyProgram");
  assert_int_equal(create(&program, "not C", "opyard.cu", 0, NULL, NULL), 0);
  assert_int_not_equal(compile(program, 1, options), 0);
  assert_int_equal(destroy(&program), 0);
}

int main(void) {
  const char* nvrtc = OY_NVRTC;
  if (!nvrtc[0]) {
    printf("skipped: NVRTC is not installed\n");
    return 77;
  }
  setenv("OPYARD_CUDASIM_RUN", "0", 1);
  setenv("OPYARD_CACHE_DIR", "/proc/nowhere", 1);
  gpu_start();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cuda_nvrtc_refuses),
      cmocka_unit_test(cuda_nvrtc_pointwise),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
