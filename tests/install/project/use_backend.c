// SPDX-License-Identifier: Apache-2.0
// Loads the backend, calls an operator with its tensors, unloads it, calls again.
#include <dlfcn.h>
#include <opyard/library.h>
#include <stdio.h>

OY_LIBRARY_FRAGMENT(outside, host) {
  OY_DEF(host, "add(Tensor a, Tensor b) -> Tensor");
  return OY_OK;
}

static oy_status call(const oy_op* op, oy_object* a, oy_object* b, oy_object** out) {
  oy_value storage[2];
  oy_stack stack;
  oy_stack_init(&stack, storage, 2);
  OY_TRY(oy_stack_push(&stack, oy_value_tensor(a)));
  OY_TRY(oy_stack_push(&stack, oy_value_tensor(b)));
  OY_TRY(oy_op_call_boxed(op, &stack));
  *out = stack.data[0].as.object;
  oy_stack_reset(&stack);
  return OY_OK;
}

static int fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, oy_error_get()->message);
  return 1;
}

int main(int argc, char** argv) {
  static const oy_object_class klass = {"Tensor", NULL};
  const oy_op* op;
  oy_backend npu;
  if (argc != 2 ||
      oy_op_find(oy_registry_default(), oy_str_of("outside::add"), &op) != OY_OK)
    return fail("find");
  void* backend = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!backend || !oy_backend_find(oy_str_of("npu"), &npu)) return fail(argv[1]);
  oy_keyset keys = {1ull << OY_KEY_Dense | 1ull << OY_KEY_AutogradFunctionality,
                    1ull << npu};
  oy_object a = {keys, &klass, 1, OY_DTYPE_F32, OY_OBJECT_STATIC, 0}, b = a;
  oy_object* result = NULL;
  if (call(op, &a, &b, &result) != OY_OK || result != &b) return fail("call");
  if (dlclose(backend) != 0) return fail("dlclose");
  if (call(op, &a, &b, &result) == OY_OK) return fail("called what is gone");
  printf("without the backend: %.50s...\n", oy_error_get()->message);
  return oy_registry_check_invariants(oy_registry_default());
}
