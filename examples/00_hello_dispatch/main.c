// SPDX-License-Identifier: Apache-2.0
// Lesson 0: the smallest program. It defines one operator, registers a kernel for
// two devices, calls it by name on a thing of each, and asks why the kernel that
// ran was the one that ran.
//
// A "tensor" is here whatever begins with an oy_object: its key set says what it
// is made of, and the dispatcher looks at nothing else.
#include <stdio.h>
#include <stdlib.h>

#include "opyard/library.h"

// One kernel serves both: the state that it was registered with is its name.
static oy_status say_hello(const oy_op* op, oy_keyset keys, oy_stack* stack,
                           const oy_kernel* kernel) {
  (void)op;
  (void)keys;
  (void)stack;  // the argument stays on the stack and so becomes the result
  printf("  hello from the %s kernel\n", (const char*)kernel->user_data);
  return OY_OK;
}

static oy_status define_and_register(oy_library** out_library) {
  static char cpu[] = "CPU", cuda[] = "CUDA";
  oy_library_params params = {NULL, OY_LIBRARY_DEF, "hello", 0, __FILE__, __LINE__};
  OY_TRY(oy_library_create(&params, out_library));
  OY_DEF(*out_library, "greet(Tensor x) -> Tensor");
  OY_IMPL(*out_library, "greet", CPU, {.boxed = say_hello, .state = cpu});
  OY_IMPL(*out_library, "greet", CUDA, {.boxed = say_hello, .state = cuda});
  return OY_OK;
}

static oy_status call(const oy_op* op, oy_object* x) {
  oy_value storage[4];
  oy_stack stack;
  oy_stack_init(&stack, storage, 4);
  oy_status status = oy_stack_push(&stack, oy_value_tensor(x));
  if (status == OY_OK) status = oy_op_call_boxed(op, &stack);
  oy_stack_reset(&stack);
  return status;
}

static oy_status explain(const oy_op* op, const oy_object* x) {
  char set[128];
  oy_argument_keys argument = {x->keys, x->dtype};
  oy_explanation* e;
  OY_TRY(oy_explain(op, &argument, 1, &e));
  oy_keyset_print(e->effective, set, sizeof(set));
  printf("  %s -> slot %s: %s\n", set, oy_key_name(e->slot), e->steps[0].reason);
  oy_explanation_free(e);
  return OY_OK;
}

int main(void) {
  static const oy_object_class thing = {"Tensor", NULL};
  static const oy_key keys[] = {OY_KEY_CPU, OY_KEY_CUDA, OY_KEY_XLA};
  oy_library* library = NULL;
  const oy_op* op = NULL;
  if (define_and_register(&library) != OY_OK ||
      oy_op_find(oy_registry_default(), oy_str_of("hello::greet"), &op) != OY_OK) {
    printf("%s\n", oy_error_get()->message);
    return 1;
  }
  int failures = 0;
  for (int i = 0; i < 3; i++) {
    oy_object x = {oy_keyset_of(keys[i]), &thing, 1, OY_DTYPE_F32, OY_OBJECT_STATIC, 0};
    printf("hello::greet of something on %s\n", oy_key_name(keys[i]));
    if (call(op, &x) == OY_OK) {
      if (explain(op, &x) != OY_OK) failures++;
      continue;
    }
    // XLA has no kernel: an error is a value; its first sentence says what is wrong.
    const char* message = oy_error_get()->message;
    printf("  %.*s\n", (int)strcspn(message, ".") + 1, message);
    failures += keys[i] != OY_KEY_XLA;
  }
  oy_library_close(library);  // takes back all that it registered
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
