// SPDX-License-Identifier: Apache-2.0
// Runs what opgen made of sample.txt: every call with a typed and with a boxed
// kernel, boxed calls of typed kernels, kernels by dtype, NULL arguments, scopes.
// Built and run by tests/dispatch/test_opgen.sh, once with plain calls and once
// with inlined ones.
#include <stdio.h>
#include <stdlib.h>

#include "dispatch/generic_call.h"
#include "dispatch/registry.h"
#ifdef OY_INLINE_CALLS
#include "sample.inline.h"
#else
#include "sample.gen.h"
#endif

#define CHECK(x)                                                  \
  do {                                                            \
    if (!(x)) {                                                   \
      fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #x, \
              oy_error_get()->message);                           \
      exit(1);                                                    \
    }                                                             \
  } while (0)
#define OK(x) CHECK((x) == OY_OK)

static int g_alive;
static void destroy(oy_object* o) {
  g_alive--;
  free(o);
}
static const oy_object_class g_class = {"Tensor", destroy};

static oy_object* make(void) {
  oy_object* o = calloc(1, sizeof(*o));
  CHECK(o);
  *o = (oy_object){.klass = &g_class, .references = 1, .dtype = OY_DTYPE_F32};
  o->keys = oy_keyset_of(OY_KEY_CPU);
  g_alive++;
  return o;
}

static oy_object *g_a, *g_b;
static int g_ran;

// ------------------------------------------------------------------ typed kernels

static oy_object* add(const oy_op* op, oy_keyset keys, oy_object* self, oy_object* other,
                      oy_value alpha) {
  (void)op;
  CHECK(oy_keyset_has(keys, OY_KEY_CPU) && self == g_a && other == g_b &&
        alpha.as.i == 7);
  g_ran++;
  return make();
}
static oy_object* add_(const oy_op* op, oy_keyset keys, oy_object* self,
                       oy_object* other) {
  (void)op;
  (void)keys;
  CHECK(other == g_b);
  g_ran++;
  return self;
}
static oy_status words(const oy_op* op, oy_keyset keys, oy_object* op_, int64_t i, bool b,
                       double d, oy_str s, oy_device device, oy_complex z,
                       oy_object* other, int64_t* out_result) {
  (void)op;
  (void)keys;
  CHECK(op_ == g_a && i == -2 && b && d == 0.5 && s.size == 2 && s.data[1] == 'y');
  CHECK(device.index == 3 && z.im == -1 && oy_object_is_none(other));
  *out_result = 42;
  g_ran++;
  return OY_OK;
}
static oy_status split(const oy_op* op, oy_keyset keys, oy_object* self, oy_tensors parts,
                       oy_ints sizes, oy_value generator, oy_object** out_first,
                       oy_object** out_second, oy_value* out_sizes, oy_value* out_name,
                       oy_complex* out_z) {
  (void)op;
  (void)keys;
  CHECK(self == g_a && parts.size == 2 && parts.data[1] == g_b && sizes.data[0] == 5);
  CHECK(generator.tag == OY_TAG_NONE);
  *out_first = make();
  *out_second = make();
  OK(oy_value_new_list(OY_TAG_INT_LIST, 1, out_sizes));
  *(int64_t*)(uintptr_t)out_sizes->as.bits = 9;
  *out_name = oy_value_str(oy_str_of("name"));
  *out_z = (oy_complex){1, 2};
  g_ran++;
  return OY_OK;
}
static oy_status nothing(const oy_op* op, oy_keyset keys) {
  (void)op;
  (void)keys;
  g_ran++;
  return OY_OK;
}
static oy_object* maybe(const oy_op* op, oy_keyset keys, oy_object* a, oy_value n) {
  (void)op;
  (void)keys;
  (void)n;
  g_ran++;
  oy_object_retain(a);
  return a;
}
static oy_status two(const oy_op* op, oy_keyset keys, oy_object* self, oy_object* x,
                     oy_object* y, oy_object** out_0, oy_object** out_1) {
  (void)op;
  (void)keys;
  (void)self;
  *out_0 = x;
  *out_1 = y;
  g_ran++;
  return OY_OK;
}
static oy_status lists(const oy_op* op, oy_keyset keys, oy_values d, oy_values l,
                       oy_floats f, oy_bools b, double* out_result) {
  (void)op;
  (void)keys;
  CHECK(d.size == 1 && d.data[1].as.i == 3 && l.size == 2 && f.size == 1 && b.data);
  *out_result = 2.5;
  g_ran++;
  return OY_OK;
}
static oy_object* rand_(const oy_op* op, oy_keyset keys, oy_object* generator) {
  (void)op;
  CHECK(oy_keyset_has(keys, OY_KEY_CPU) && generator);
  g_ran++;
  return make();
}

// Calls the typed kernel of the CPU key from a boxed one below it.
static oy_status boxed(const oy_op* op, oy_keyset keys, oy_stack* stack,
                       const oy_kernel* kernel) {
  (void)keys;
  (void)kernel;
  g_ran += 100;
  return oy_op_call_boxed_for_key(op, OY_KEY_CPU, stack);
}

// ---------------------------------------------------------------------- the calls

static void call_all(int each) {
  g_ran = 0;
  oy_object* sum = oy_demo_add_Tensor(g_a, g_b, oy_int(7));
  CHECK(sum);
  oy_object_release(sum);
  CHECK(oy_demo_add__Tensor(g_a, g_b) == g_a);
  int64_t number = 0;
  OK(oy_demo_words(g_a, -2, true, 0.5, oy_str_of("xy"), (oy_device){0, 3, 0},
                   (oy_complex){0, -1}, &oy_none_object, &number));
  CHECK(number == 42);
  oy_object* parts[] = {g_a, g_b};
  int64_t size = 5;
  oy_object *first, *second;
  oy_value sizes, name;
  oy_complex z;
  OK(oy_demo_split(g_a, (oy_tensors){parts, 2}, (oy_ints){&size, 1}, oy_none(), &first,
                   &second, &sizes, &name, &z));
  CHECK(sizes.as.ints[0] == 9 && name.count == 4 && z.im == 2 && first != second);
  oy_object_release(first);
  oy_object_release(second);
  oy_value_release(&sizes);
  oy_value_release(&name);
  OK(oy_demo_nothing());
  CHECK(oy_demo_maybe(&oy_none_object, oy_none()) == &oy_none_object);
  CHECK(oy_demo_maybe(g_b, oy_int(1)) == g_b);
  oy_object_release(g_b);
  OK(oy_demo_two_out(g_a, g_a, g_b, &first, &second));
  CHECK(first == g_a && second == g_b);
  oy_value dict[] = {oy_value_str(oy_str_of("k")), oy_int(3)};
  oy_value list[] = {oy_int(1), oy_none()};
  double d = 0, result = 0;
  bool b = true;
  OK(oy_demo_lists((oy_values){dict, 1}, (oy_values){list, 2}, (oy_floats){&d, 1},
                   (oy_bools){&b, 1}, &result));
  CHECK(result == 2.5);
  oy_object* made = oy_demo_rand(g_a);  // any object with keys
  CHECK(made);
  oy_object_release(made);
  CHECK(g_ran == 10 * each);
}

static void call_with_null(void) {
  g_ran = 0;
  oy_error_clear();
  CHECK(!oy_demo_add_Tensor(g_a, NULL, oy_int(7)));
  CHECK(oy_error_get()->code == OY_INVALID_ARGUMENT);
  CHECK(strcmp(oy_error_get()->argument, "other") == 0);
  oy_object* parts[] = {g_a, NULL};
  oy_object *first = g_a, *second = g_a;
  oy_value sizes, name;
  oy_complex z;
  int64_t size = 5;
  oy_error_clear();
  CHECK(oy_demo_split(g_a, (oy_tensors){parts, 2}, (oy_ints){&size, 1}, oy_none(), &first,
                      &second, &sizes, &name, &z) == OY_INVALID_ARGUMENT);
  CHECK(!first && !second && sizes.tag == OY_TAG_NONE && oy_tls.active == OY_IDLE);
  CHECK(strcmp(oy_error_get()->argument, "parts") == 0);
  oy_error_clear();
  CHECK(!oy_op_complex(g_a, g_b) && oy_error_get()->code == OY_NOT_FOUND);
  CHECK(g_ran == 0);
}

static void call_in_scope(void) {
  int before = g_alive;
  oy_scope scope;
  oy_scope_open(&scope);
  CHECK(oy_demo_add_Tensor(g_a, g_b, oy_int(7)));
  CHECK(oy_demo_add__Tensor(g_a, g_b) == g_a);
  oy_object* parts[] = {g_a, g_b};
  int64_t size = 5;
  oy_object *first, *second;
  oy_value sizes, name;
  oy_complex z;
  OK(oy_demo_split(g_a, (oy_tensors){parts, 2}, (oy_ints){&size, 1}, oy_none(), &first,
                   &second, &sizes, &name, &z));
  oy_value_release(&sizes);
  oy_value_release(&name);
  CHECK(g_alive == before + 3);
  oy_scope_close(&scope);
  CHECK(g_alive == before);
}

static void redispatch(const oy_op* op) {
  oy_keyset keys = oy_keyset_of(OY_KEY_CPU);
  oy_object* sum = oy_redispatch_demo_add_Tensor(op, keys, g_a, g_b, oy_int(7));
  CHECK(sum);
  oy_object_release(sum);
  CHECK(!oy_redispatch_demo_add_Tensor(op, keys, NULL, g_b, oy_int(7)));
}

static const char* const g_schemas[] = {
#define SCHEMA(text) text,
#include "schemas.inc"
};

static const char* const g_names[] = {"add.Tensor", "add_.Tensor", "words",
                                      "split",      "nothing",     "maybe",
                                      "two.out",    "lists",       "rand"};

static oy_library* open_library(oy_library_kind kind) {
  oy_library* library;
  OK(oy_library_create(
      &(oy_library_params){.kind = kind, .ns = "demo", .file = __FILE__, .line = 1},
      &library));
  return library;
}

static void impl_typed(oy_library* m) {
  OK(oy_impl_demo_add_Tensor(m, OY_KEY_CPU, add));
  OK(oy_impl_demo_add__Tensor(m, OY_KEY_CPU, add_));
  OK(oy_impl_demo_words(m, OY_KEY_CPU, words));
  OK(oy_impl_demo_split(m, OY_KEY_CPU, split));
  OK(oy_impl_demo_nothing(m, OY_KEY_CPU, nothing));
  OK(oy_impl_demo_nothing(m, OY_KEY_CompositeImplicitAutograd, nothing));
  OK(oy_impl_demo_maybe(m, OY_KEY_CPU, maybe));
  OK(oy_impl_demo_maybe(m, OY_KEY_CompositeImplicitAutograd, maybe));
  OK(oy_impl_demo_two_out(m, OY_KEY_CPU, two));
  OK(oy_impl_demo_lists(m, OY_KEY_CPU, lists));
  OK(oy_impl_demo_lists(m, OY_KEY_CompositeImplicitAutograd, lists));
  OK(oy_impl_demo_rand(m, OY_KEY_CPU, rand_));
}

// A boxed kernel above, at a key that the thread includes.
static void with_boxed_kernels(void) {
  oy_library* m = open_library(OY_LIBRARY_IMPL);
  for (size_t i = 0; i < sizeof(g_names) / sizeof(*g_names); i++)
    OK(oy_library_impl(m,
                       &(oy_impl_params){.name = g_names[i],
                                         .key = OY_KEY_TESTING_ONLY_GenericMode,
                                         .kernel = OY_BOXED(boxed),
                                         .place = OY_HERE},
                       NULL));
  oy_guard guard = oy_guard_include(oy_keyset_of(OY_KEY_TESTING_ONLY_GenericMode));
  call_all(101);
  oy_guard_end(&guard);
  oy_library_close(m);
}

static void by_dtype(void) {
  oy_library* m = open_library(OY_LIBRARY_IMPL);
  oy_kernel_params kernel = {.typed = oy_typed_demo_add_Tensor(add),
                             .dtype_filter = OY_FOR_DTYPE(OY_DTYPE_F32)};
  OK(oy_library_impl(
      m,
      &(oy_impl_params){
          .name = "add.Tensor", .key = OY_KEY_CPU, .kernel = kernel, .place = OY_HERE},
      NULL));
  call_all(1);
  oy_library_close(m);
}

int main(void) {
  (void)oy_guard_force(oy_keyset_empty(), oy_keyset_empty());
#ifdef GENERATED_TRAMPOLINES
  OK(oy_register_trampolines_sample());
#endif
  oy_library* m = open_library(OY_LIBRARY_DEF);
  for (size_t i = 0; i < sizeof(g_schemas) / sizeof(*g_schemas); i++)
    OK(oy_library_def(m, &(oy_def_params){.schema = g_schemas[i], .place = OY_HERE},
                      NULL));
  impl_typed(m);
  const oy_op* op;
  OK(oy_op_find(oy_registry_default(), oy_str_of("demo::add.Tensor"), &op));
#ifdef GENERATED_TRAMPOLINES
  CHECK(oyi_op_signature(op)->unbox != oyi_generic_unbox);
#endif
  g_a = make();
  g_b = make();
  call_all(1);
  with_boxed_kernels();
  by_dtype();
  call_with_null();
  call_in_scope();
  redispatch(op);
  oy_object_release(g_a);
  oy_object_release(g_b);
  CHECK(g_alive == 0);
  oy_library_close(m);
  puts("ok");
  return 0;
}
