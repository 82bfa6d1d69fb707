// SPDX-License-Identifier: Apache-2.0
// Lesson 10: libopyard-dispatch inside a program that has tensors of its own. It
// links the dispatcher alone, and shows the five things that an embedder writes:
//
//   1. a tensor type: any struct that begins with an oy_object
//   2. typed kernels, and a device of its own by name
//   3. a typed call, as `opgen` would write it: keys, slot, one indirect call
//   4. a layer: a kernel above the devices that does its part and redispatches
//   5. scopes, so that nested expressions need no clean-up, and errors as values
#include <stdio.h>
#include <stdlib.h>

#include "opyard/library.h"
#include "opyard/state.h"

// ------------------------------------------------------------ 1. a tensor type

enum { SIZE = 3 };

typedef struct vec {
  oy_object object;  // first: the dispatcher sees this much
  double data[SIZE];
} vec;

static int g_alive;

static void vec_destroy(oy_object* object) {
  g_alive--;
  free(object);
}

static const oy_object_class g_vec_class = {"Tensor", vec_destroy};

static double* data_of(oy_object* x) {
  return ((vec*)(void*)x)->data;
}

// A new reference, the caller's; NULL with the error set.
static oy_object* vec_new(oy_keyset keys, double a, double b, double c) {
  vec* v = malloc(sizeof(*v));
  if (!v) {
    (void)OY_FAIL(OUT_OF_MEMORY, "no memory for a vector");
    return NULL;
  }
  v->object = (oy_object){keys, &g_vec_class, 1, OY_DTYPE_F64, 0, 0};
  v->data[0] = a;
  v->data[1] = b;
  v->data[2] = c;
  g_alive++;
  return &v->object;
}

// ------------------------------------------- 2. typed kernels, a device by name

static oy_backend g_abacus;  // a device that no one has heard of

static oy_object* add_cpu(const oy_op* op, oy_keyset keys, oy_object* a, oy_object* b,
                          double alpha) {
  (void)op;
  (void)keys;
  double *x = data_of(a), *y = data_of(b);
  printf("    add on the CPU\n");
  return vec_new(a->keys, x[0] + alpha * y[0], x[1] + alpha * y[1], x[2] + alpha * y[2]);
}

// A stand-in: the same numbers, another name.
static oy_object* add_abacus(const oy_op* op, oy_keyset keys, oy_object* a, oy_object* b,
                             double alpha) {
  (void)op;
  (void)keys;
  double *x = data_of(a), *y = data_of(b);
  printf("    add on the Abacus\n");
  return vec_new(a->keys, x[0] + alpha * y[0], x[1] + alpha * y[1], x[2] + alpha * y[2]);
}

// ---------------------------------------------------------------- 3. a typed call

typedef oy_object* (*add_fn)(const oy_op*, oy_keyset, oy_object*, oy_object*, double);

static const oy_op* g_add;  // looked up once: handles stay valid

static oy_object* add(oy_object* a, oy_object* b, double alpha) {
  // NULL is the value of an expression that failed: pass it on.
  if (!a || !b) {
    (void)oy_call_null_argument(g_add, a ? "other" : "self");
    return NULL;
  }
  uint64_t before = oy_call_enter();
  oy_keyset keys = oy_keyset_or(a->keys, b->keys);
  const oy_kernel* kernel = oy_select_call(g_add, &keys);
  return oy_call_result(before, ((add_fn)kernel->typed)(g_add, keys, a, b, alpha));
}

// -------------------------------------------------------------------- 4. a layer

static int g_recorded;

// Stands at Autograd: writes down what happens, then goes on below itself with
// the key set that it was given.
static oy_object* add_autograd(const oy_op* op, oy_keyset keys, oy_object* a,
                               oy_object* b, double alpha) {
  g_recorded++;
  printf("    record: add, alpha %g\n", alpha);
  oy_keyset below = oy_keyset_and(keys, oy_keyset_named(OY_KEYSET_AFTER_AUTOGRAD));
  const oy_kernel* kernel = oy_select_exact(op, below);
  return ((add_fn)kernel->typed)(op, below, a, b, alpha);
}

static oy_status register_all(oy_library** out_library) {
  static const char type[] = "(Tensor, Tensor, float) -> Tensor";
  OY_TRY(oy_backend_register(oy_str_of("Abacus"), &g_abacus));
  oy_library_params params = {NULL, OY_LIBRARY_DEF, "embed", 0, __FILE__, __LINE__};
  OY_TRY(oy_library_create(&params, out_library));
  oy_library* m = *out_library;
  OY_DEF(m, "add(Tensor self, Tensor other, *, float alpha=1) -> Tensor");
  OY_IMPL(m, "add", CPU, OY_TYPED_SIGNATURE(add_cpu, type));
  OY_IMPL(m, "add", Autograd, OY_TYPED_SIGNATURE(add_autograd, type));
  // The keys of a device that has no constant are made from its number.
  oy_impl_params impl = {.name = "add",
                         .key = (oy_key)OY_KEY_OF(OY_KEY_Dense, g_abacus),
                         .kernel = OY_TYPED_SIGNATURE(add_abacus, type),
                         .place = OY_HERE};
  OY_TRY(oy_library_impl(m, &impl, NULL));
  return oy_op_find(oy_registry_default(), oy_str_of("embed::add"), &g_add);
}

// ----------------------------------------------------------- 5. scopes and errors

static int g_failures;

static void expect(bool right, const char* what) {
  if (right) return;
  printf("WRONG: %s\n", what);
  g_failures++;
}

static void nested_expression(const char* title, oy_keyset keys) {
  printf("%s\n", title);
  oy_object *x = vec_new(keys, 1, 2, 3), *y = vec_new(keys, 10, 20, 30);
  oy_scope scope;
  oy_scope_open(&scope);
  // Three results; the scope takes the inner two, one is kept.
  oy_object* z = oy_keep(add(add(add(x, y, 1), y, -1), y, 1));
  oy_scope_close(&scope);
  expect(z && data_of(z)[2] == 33, "the sum");
  expect(g_alive == 3, "two arguments and one result are alive");
  oy_object_release(z);
  oy_object_release(y);
  oy_object_release(x);
}

static void failing_expression(void) {
  printf("on CUDA, where nobody registered a kernel\n");
  oy_object* x = vec_new(oy_keyset_of(OY_KEY_CUDA), 1, 2, 3);
  // One check at the end is enough: the first failure stays in the record.
  oy_object* z = add(add(add(x, x, 1), x, 1), x, 1);
  expect(!z && oy_error_get()->code == OY_NOT_IMPLEMENTED, "no kernel");
  const char* message = oy_error_get()->message;
  printf("    %.*s\n", (int)strcspn(message, ".") + 1, message);
  oy_object_release(x);
}

int main(void) {
  oy_library* library = NULL;
  if (register_all(&library) != OY_OK) {
    printf("%s\n", oy_error_get()->message);
    return EXIT_FAILURE;
  }
  oy_keyset cpu = oy_keyset_of(OY_KEY_CPU);
  oy_keyset abacus = oy_keyset_of((oy_key)OY_KEY_OF(OY_KEY_Dense, g_abacus));
  nested_expression("on the CPU", cpu);
  nested_expression("on the Abacus", abacus);
  expect(g_recorded == 0, "nothing needed a gradient");
  nested_expression("on the CPU, with a gradient",
                    oy_keyset_add(cpu, OY_KEY_AutogradCPU));
  expect(g_recorded == 3, "three calls were recorded");
  failing_expression();
  expect(g_alive == 0, "nothing is left");
  oy_library_close(library);
  printf("%s\n", g_failures ? "something is wrong" : "all as expected");
  return g_failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
