// SPDX-License-Identifier: Apache-2.0
// host OBJECT...: loads and unloads the first shared object twice, watching the
// registry; then loads all of them together and prints the load errors.
#include <dlfcn.h>
#include <stdio.h>

#include "opyard/library.h"

static int fail(const char* what, const char* more) {
  fprintf(stderr, "host: %s: %s\n", what, more ? more : "");
  return 1;
}

static const oy_op* find(const char* name) {
  return oy_op_lookup(oy_registry_default(), oy_str_of(name));
}

// One call through a tensor of our own.
static int call(const oy_op* op) {
  static const oy_object_class klass = {"Tensor", NULL};
  oy_object x = {oy_keyset_of(OY_KEY_CPU), &klass, 1, OY_DTYPE_F32, OY_OBJECT_STATIC, 0};
  oy_value storage[2];
  oy_stack stack;
  oy_stack_init(&stack, storage, 2);
  if (oy_stack_push(&stack, oy_value_tensor(&x)) != OY_OK) return 1;
  if (oy_op_call_boxed(op, &stack) != OY_OK) return fail("call", oy_error_get()->message);
  int wrong = stack.size != 1 || stack.data[0].as.object != &x;
  oy_stack_reset(&stack);
  return wrong ? fail("call", "a wrong result") : 0;
}

// The object is there and its operators are not: what does it say itself? It may
// be linked with another copy of opyard, so its own functions are asked.
static int not_there(void* handle) {
  oy_status (*load)(void) = NULL;
  const oy_error* (*error)(void) = NULL;
  *(void**)&load = dlsym(handle, "oy_load_plug");
  *(void**)&error = dlsym(handle, "oy_error_get");
  if (!load || !error) return fail("dlsym", dlerror());
  if (load() == OY_OK) return fail("plug::twice", "loaded, but into some other registry");
  return fail("oy_load_plug", error()->message);
}

static int load_and_unload(const char* path) {
  const oy_op* first = NULL;
  size_t count = oy_registry_op_count(oy_registry_default());
  for (int i = 0; i < 2; i++) {
    void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return fail("dlopen", dlerror());
    const oy_op* op = find("plug::twice");
    if (!op || !oy_op_schema(op)) return not_there(handle);
    if (first && op != first) return fail("plug::twice", "has another address");
    first = op;
    if (call(op)) return 1;
    if (dlclose(handle) != 0) return fail("dlclose", dlerror());
    // The object's text is gone; what it registered must be, too.
    if (find("plug::twice")) return fail("plug::twice", "still there after dlclose");
    if (oy_registry_op_count(oy_registry_default()) != count)
      return fail("operators", "are left after dlclose");
    if (oy_registry_check_invariants(oy_registry_default()) != OY_OK)
      return fail("invariants", oy_error_get()->message);
    oy_stack stack;
    oy_stack_init(&stack, NULL, 0);
    if (oy_op_call_boxed(first, &stack) == OY_OK)
      return fail("plug::twice", "a call through a stale handle worked");
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 2) return fail("usage", "host OBJECT...");
  if (load_and_unload(argv[1])) return 1;
  for (int i = 1; i < argc; i++)
    if (!dlopen(argv[i], RTLD_NOW | RTLD_LOCAL)) return fail("dlopen", dlerror());
  if (!find("plug::twice") || call(find("plug::twice"))) return 1;
  char* errors = NULL;
  if (oy_registry_load_errors(&errors) != OY_OK) return 1;
  printf("%s", errors);
  oy_text_free(errors);
  return 0;
}
