// SPDX-License-Identifier: Apache-2.0
// Program 2: one operator with kernels for devices, dtypes, autograd and quantized
// tensors. Those that this machine has no device for are stand-ins: they say their
// name and give back their first argument.
#include "support/tensors.h"

static char g_ran[256];

static oy_object* ran(const char* name, oy_object* self) {
  strncat(g_ran, g_ran[0] ? " > " : "", sizeof(g_ran) - strlen(g_ran) - 1);
  strncat(g_ran, name, sizeof(g_ran) - strlen(g_ran) - 1);
  return oy_tensor_retain(self);
}

#define PARAMS const oy_op *op, oy_keyset keys, oy_object *self, oy_object *other
#define STAND_IN(name)                 \
  static oy_object* name(PARAMS) {     \
    (void)op, (void)keys, (void)other; \
    return ran(#name, self);           \
  }
STAND_IN(cpu_float32)
STAND_IN(cpu_float64)
STAND_IN(cuda_float32)
STAND_IN(cuda_float16)
STAND_IN(quantized_cpu_int8)

typedef oy_object* (*matmul_fn)(PARAMS);

static oy_object* autograd_cuda_float32(PARAMS) {
  oy_object* result = ran("autograd_cuda_float32", self);
  oy_tensor_release(result);
  keys = oy_keyset_and(keys, oy_keyset_full_after(OY_KEY_AutogradOther));
  matmul_fn below = (matmul_fn)oy_select_exact(op, keys)->typed;
  return below(op, keys, self, other);
}

static const struct {
  oy_key key;
  oy_dtype dtype;
  matmul_fn kernel;
} g_kernels[] = {
    {OY_KEY_CPU, OY_DTYPE_F32, cpu_float32},
    {OY_KEY_CPU, OY_DTYPE_F64, cpu_float64},
    {OY_KEY_CUDA, OY_DTYPE_F32, cuda_float32},
    {OY_KEY_CUDA, OY_DTYPE_F16, cuda_float16},
    {OY_KEY_AutogradCUDA, OY_DTYPE_F32, autograd_cuda_float32},
    {OY_KEY_QuantizedCPU, OY_DTYPE_QI8, quantized_cpu_int8},
};

static oy_library* g_library;

static int open_demo(void** state) {
  if (init_library(state) != 0) return -1;
  oy_library_params params = {NULL,     OY_LIBRARY_DEF, "demo", OY_KEY_Undefined,
                              __FILE__, __LINE__};
  oy_def_params def = {.schema = "matmul(Tensor self, Tensor other) -> Tensor",
                       .place = OY_HERE};
  assert_int_equal(oy_library_create(&params, &g_library), OY_OK);
  assert_int_equal(oy_library_def(g_library, &def, NULL), OY_OK);
  for (size_t i = 0; i < sizeof(g_kernels) / sizeof(*g_kernels); i++) {
    oy_impl_params impl = {.name = "matmul",
                           .key = g_kernels[i].key,
                           .kernel = {.typed = (oy_typed_fn)g_kernels[i].kernel,
                                      .signature = "(Tensor, Tensor) -> Tensor",
                                      .dtype_filter = OY_FOR_DTYPE(g_kernels[i].dtype)},
                           .place = OY_HERE};
    assert_int_equal(oy_library_impl(g_library, &impl, NULL), OY_OK);
  }
  return 0;
}

static int close_demo(void** state) {
  oy_library_close(g_library);
  return shut_library(state);
}

// Any device, dtype and gradient, without the device.
static oy_tensor* stand_in(oy_backend backend, oy_dtype dtype, bool grad) {
  oy_device device = oy_device_make(backend, backend == OY_BACKEND_CPU ? -1 : 0);
  oy_tensor* t =
      oy_tensor_opaque(oy_tensor_keys_for(device, dtype), OY_DIMS(2, 2), dtype, device);
  if (grad) assert_non_null(oy_requires_grad_(t, true));
  return t;
}

static oy_object* call(oy_object* a, oy_object* b) {
  oy_value storage[4];
  oy_stack stack;
  const oy_op* op;
  g_ran[0] = '\0';
  oy_stack_init(&stack, storage, 4);
  assert_int_equal(oy_op_find(oy_registry_default(), oy_str_of("demo::matmul"), &op),
                   OY_OK);
  assert_int_equal(oy_stack_push(&stack, oy_value_tensor(a)), OY_OK);
  assert_int_equal(oy_stack_push(&stack, oy_value_tensor(b)), OY_OK);
  if (oy_op_call_boxed(op, &stack) != OY_OK) return NULL;
  return oy_stack_pop(&stack).as.object;
}

static void the_right_kernels_run(void** state) {
  (void)state;
  static const struct {
    oy_backend backend;
    oy_dtype dtype;
    bool grad;
    const char* want;
  } rows[] = {
      {OY_BACKEND_CUDA, OY_DTYPE_F32, true, "autograd_cuda_float32 > cuda_float32"},
      {OY_BACKEND_CUDA, OY_DTYPE_F32, false, "cuda_float32"},
      {OY_BACKEND_CUDA, OY_DTYPE_F16, false, "cuda_float16"},
      {OY_BACKEND_CPU, OY_DTYPE_F32, false, "cpu_float32"},
      {OY_BACKEND_CPU, OY_DTYPE_F64, false, "cpu_float64"},
      {OY_BACKEND_CPU, OY_DTYPE_QI8, false, "quantized_cpu_int8"},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    oy_tensor* t = stand_in(rows[i].backend, rows[i].dtype, rows[i].grad);
    oy_tensor* r = call(t, t);
    if (!r) print_error("%s\n", oy_error_get()->message);
    assert_ptr_equal(r, t);
    assert_string_equal(g_ran, rows[i].want);
    oy_tensor_release(r);
    oy_tensor_release(t);
  }
}

// float32 with float64 is a call of float64.
static void the_dtype_of_a_call_is_the_promoted_one(void** state) {
  (void)state;
  oy_tensor* a = stand_in(OY_BACKEND_CPU, OY_DTYPE_F32, false);
  oy_tensor* b = stand_in(OY_BACKEND_CPU, OY_DTYPE_F64, false);
  oy_tensor_release(call(a, b));
  assert_string_equal(g_ran, "cpu_float64");
  oy_tensor_release(b);
  oy_tensor_release(a);
}

static void what_is_not_registered_is_an_error(void** state) {
  (void)state;
  oy_tensor* t = stand_in(OY_BACKEND_CPU, OY_DTYPE_I32, false);
  assert_null(call(t, t));
  assert_int_equal(oy_error_get()->code, OY_NOT_IMPLEMENTED);
  assert_non_null(strstr(oy_error_get()->message, "Could not run 'demo::matmul'"));
  oy_error_clear();
  oy_tensor_release(t);
  t = stand_in(OY_BACKEND_XPU, OY_DTYPE_F32, false);
  assert_null(call(t, t));
  assert_int_equal(oy_error_get()->code, OY_NOT_IMPLEMENTED);
  assert_non_null(strstr(oy_error_get()->message, "'XPU' backend"));
  assert_string_equal(g_ran, "");
  oy_error_clear();
  oy_tensor_release(t);
}

// The library's own operators are not for stand-ins either.
static void our_kernels_refuse_stand_ins(void** state) {
  (void)state;
  oy_tensor* t = stand_in(OY_BACKEND_CPU, OY_DTYPE_F32, false);
  assert_fails(oy_add_Tensor(t, t, ALPHA1),
               "a CPU kernel was given a tensor without data");
  assert_fails(oy_mm(t, t), "a CPU kernel was given a tensor without data");
  assert_fails(oy_sum(t, oy_none()), "a CPU kernel was given a tensor without data");
  oy_tensor_release(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_right_kernels_run),
      cmocka_unit_test(the_dtype_of_a_call_is_the_promoted_one),
      cmocka_unit_test(what_is_not_registered_is_an_error),
      cmocka_unit_test(our_kernels_refuse_stand_ins),
  };
  return cmocka_run_group_tests(tests, open_demo, close_demo);
}
