// SPDX-License-Identifier: Apache-2.0
#include "alloc_actions.h"

#include "opyard/state.h"

static const test_step g_base[] = {
    STEP_DEF("f(Tensor x) -> Tensor"),
    STEP_IMPL("f", CPU, "cpu"),
    STEP_BOXED("f", CUDA, "cuda"),
    STEP_IMPL("f", Autograd, "autograd"),
    STEP_DEF("many(Tensor a, int[] b, Scalar c, str d, Tensor[] e, float? g=None, "
             "int[2] h=1, float[] i=[1, 2], str j='x') -> Tensor"),
    STEP_BOXED("many", CompositeExplicitAutograd, "many"),
    STEP_IMPL("undefined", CPU, "k"),
};

void open_world(world* w) {
  *w = (world){0};
  w->registry = test_registry_with_fallbacks(&w->fallbacks);
  test_register(w->registry, "test", g_base, TEST_COUNT(g_base), &w->base);
  w->def = test_library(w->registry, OY_LIBRARY_FRAGMENT, "test", 0);
  w->impl = test_library(w->registry, OY_LIBRARY_IMPL, "test", OY_KEY_XLA);
  w->fallback = test_library(w->registry, OY_LIBRARY_IMPL, "_", 0);
  w->op = test_find(w->registry, "test::f");
}

void close_world(world* w) {
  oy_library_close(w->library);
  oy_registry_destroy(w->other);
  oy_library_close(w->def);
  oy_library_close(w->impl);
  oy_library_close(w->fallback);
  test_close(&w->base);
  oy_library_close(w->fallbacks);
  oy_registry_destroy(w->registry);
}

// -------------------------------------------------------------------- actions

static oy_status create_registry(world* w) {
  return oy_registry_create(&w->other);
}

static oy_status default_fallbacks(world* w) {
  (void)w;
  oy_registry* registry = NULL;
  oy_status status = oy_registry_create(&registry);
  oy_library* library = NULL;
  if (status == OY_OK) status = oy_registry_add_default_fallbacks(registry, &library);
  if (registry && !library && oy_registry_has_fallback(registry, OY_KEY_BackendSelect))
    status = OY_FAIL(INTERNAL, "some fallbacks stayed");
  oy_library_close(library);
  oy_registry_destroy(registry);
  return status;
}

static oy_status create_library(world* w, oy_library_kind kind, const char* ns,
                                oy_key key) {
  return oy_library_create(
      &(oy_library_params){w->registry, kind, ns, key, "a/long/file/name.c", 3},
      &w->library);
}
static oy_status create_def(world* w) {
  return create_library(w, OY_LIBRARY_DEF, "test", 0);
}
static oy_status create_impl(world* w) {
  return create_library(w, OY_LIBRARY_IMPL, "other", OY_KEY_CPU);
}

static oy_status apply(oy_library* library, test_step step) {
  oy_registration* registration = NULL;
  oy_status status = test_apply(library, &step, &registration);
  if ((status == OY_OK) != (registration != NULL))
    return OY_FAIL(INTERNAL, "handle and status disagree");
  return status;
}

static oy_status def_new(world* w) {
  test_step step = STEP_DEF(
      "new.o(Tensor(a!) x, int[2] y=[1, 2], *, str z='abc', "
      "Dict(str, Tensor[])? d=None) -> (Tensor(a!), Tensor[])");
  step.tags = "core pointwise";
  return apply(w->def, step);
}
static oy_status def_existing(world* w) {
  return apply(w->def, (test_step)STEP_DEF("undefined(Tensor x) -> Tensor"));
}
static oy_status def_inferred(world* w) {
  test_step step = STEP_DEF("inferred");
  step.has_kernel = true;
  step.kernel = (oy_kernel_params)TEST_TYPED_T_T("inferred");
  return apply(w->def, step);
}
static oy_status def_with_kernel(world* w) {
  test_step step = STEP_DEF("two(Tensor x) -> Tensor");
  step.has_kernel = true;
  step.kernel = (oy_kernel_params)TEST_TYPED_T_T("two");
  return apply(w->def, step);
}
static oy_status impl_new_key(world* w) {
  return apply(w->impl, (test_step)STEP_IMPL("f", Undefined, NULL));
}
static oy_status impl_new_op(world* w) {
  return apply(w->def, (test_step)STEP_IMPL("unheard", CPU, "k"));
}
static oy_status impl_override(world* w) {
  return apply(w->def, (test_step)STEP_IMPL("f", CPU, "again"));
}
static oy_status impl_alias(world* w) {
  return apply(w->def, (test_step)STEP_BOXED("f", CompositeImplicitAutograd, "math"));
}
static oy_status impl_dtype(world* w) {
  test_step step = STEP_IMPL("f", CPU, "f32");
  step.kernel.dtype_filter = OY_FOR_DTYPE(OY_DTYPE_F32);
  step.kernel.priority = 2;
  return apply(w->def, step);
}
static oy_status impl_dtype_alias(world* w) {
  test_step step = STEP_IMPL("f", CompositeExplicitAutograd, "f64");
  step.kernel.dtype_filter = OY_FOR_DTYPE(OY_DTYPE_F64);
  return apply(w->def, step);
}
static oy_status impl_wrong(world* w) {
  test_step step = STEP_IMPL("f", CPU, "k");
  step.kernel.signature = "(Tensor, Tensor) -> Tensor";
  oy_status status = apply(w->def, step);
  return status == OY_SCHEMA_MISMATCH ? OY_OK : status;
}
static oy_status fallback_one(world* w) {
  return apply(w->fallback, (test_step)STEP_FALLBACK(Tracer, "tracer"));
}
static oy_status fallback_alias(world* w) {
  return apply(w->fallback, (test_step)STEP_FALLBACK(CompositeExplicitAutograd, "all"));
}

static oy_status text(oy_status status, char* out) {
  oy_text_free(out);
  if ((status == OY_OK) != (out != NULL)) return OY_FAIL(INTERNAL, "text and status");
  return status;
}
static oy_status dump_state(world* w) {
  char* out = NULL;
  oy_status status = oy_op_dump_state(w->op, &out);
  return text(status, out);
}
static oy_status dump_table(world* w) {
  char* out = NULL;
  oy_status status = oy_op_dump_table(w->op, &out);
  return text(status, out);
}
static oy_status dump_cell(world* w) {
  char* out = NULL;
  oy_status status = oy_op_dump_cell(w->op, OY_KEY_CPU, &out);
  return text(status, out);
}
static oy_status dump_extractor(world* w) {
  char* out = NULL;
  oy_status status = oy_op_dump_extractor(w->op, &out);
  return text(status, out);
}
static oy_status dump_key(world* w) {
  char* out = NULL;
  oy_status status = oy_registry_dump_key(w->registry, OY_KEY_CPU, &out);
  return text(status, out);
}
static oy_status dump_dangling(world* w) {
  char* out = NULL;
  size_t count;
  oy_status status = oy_registry_dump_dangling(w->registry, &out, &count);
  return text(status, out);
}
static oy_status list_ops(world* w) {
  const oy_op** ops = NULL;
  size_t count = 0;
  oy_status status = oy_registry_list(w->registry, &ops, &count);
  oy_ops_free(ops);
  return status;
}
static oy_status explain(world* w) {
  oy_explanation* e = NULL;
  oy_argument_keys argument = {TEST_GRAD(CPU), OY_DTYPE_F32};
  oy_status status = oy_explain(w->op, &argument, 1, &e);
  oy_explanation_free(e);
  return status;
}
static oy_status check(world* w) {
  return oy_registry_check_invariants(w->registry);
}
static oy_status listen(world* w) {
  int id = 0;
  oy_status status = oy_registry_add_listener(w->registry, (oy_listener){0}, &id);
  if (status == OY_OK) oy_registry_remove_listener(w->registry, id);
  return status;
}
static oy_status check_typed(world* w) {
  return oy_op_check_typed(w->op, "(Tensor) -> Tensor");
}
static oy_status abi(world* w) {
  char* out = NULL;
  oy_status status = oy_schema_abi(oy_op_schema(w->op), &out);
  return text(status, out);
}

// Calls. Storage on the stack is too small on purpose: the values move.
static oy_status call(world* w, const char* name, oy_key key, bool boxed, bool defaults) {
  const oy_op* op = oy_op_lookup(w->registry, oy_str_of(name));
  oy_object* x = test_tensor_new(oy_keyset_of(key), 1);
  oy_object* const list[] = {x, x};
  static const int64_t ints[] = {1, 2, 3};
  oy_value values[] = {oy_value_tensor(x), oy_value_list(OY_TAG_INT_LIST, ints, 3),
                       oy_int(3), oy_value_str(oy_str_of("text")),
                       oy_value_list(OY_TAG_TENSOR_LIST, list, 2)};
  oy_value storage[1];
  oy_stack stack;
  oy_stack_init(&stack, storage, 1);
  oy_status status = OY_OK;
  oy_object* result = NULL;
  size_t count = defaults ? TEST_COUNT(values) : 1;
  if (!boxed) {
    result = test_call_t_t(op, x);
    status = result ? OY_OK : oy_error_get()->code;
  } else {
    for (size_t i = 0; i < count && status == OY_OK; i++) {
      oy_value v = values[i];
      status = oy_value_own(&v);
      if (status == OY_OK) status = oy_stack_push(&stack, v);
    }
    if (status == OY_OK && defaults)
      status = oy_op_push_defaults(op, &stack, count, NULL, 0);
    if (status == OY_OK) status = oy_op_call_boxed(op, &stack);
  }
  oy_stack_reset(&stack);
  oy_object_release(result);
  if (x->references != 1) status = OY_FAIL(INTERNAL, "a reference is lost");
  oy_object_release(x);
  return status;
}
static oy_status call_typed(world* w) {
  return call(w, "test::f", OY_KEY_CPU, false, false);
}
static oy_status call_typed_of_boxed(world* w) {
  return call(w, "test::f", OY_KEY_CUDA, false, false);
}
static oy_status call_boxed(world* w) {
  return call(w, "test::f", OY_KEY_CUDA, true, false);
}
static oy_status call_boxed_of_typed(world* w) {
  return call(w, "test::f", OY_KEY_CPU, true, false);
}
static oy_status call_with_defaults(world* w) {
  return call(w, "test::many", OY_KEY_CPU, true, true);
}
static oy_status call_in_scope(world* w) {
  oy_scope scope;
  oy_scope_open(&scope);
  oy_status status = OY_OK;
  for (int i = 0; i < 40 && status == OY_OK; i++)
    status = call(w, "test::f", OY_KEY_CPU, true, false);
  oy_scope_close(&scope);
  return status;
}

const alloc_action g_actions[] = {
#define ROW(act) \
  { #act, act, false }
    ROW(create_registry),
    ROW(default_fallbacks),
    ROW(create_def),
    ROW(create_impl),
    ROW(def_new),
    ROW(def_existing),
    ROW(def_inferred),
    ROW(def_with_kernel),
    ROW(impl_new_key),
    ROW(impl_new_op),
    ROW(impl_override),
    ROW(impl_alias),
    ROW(impl_dtype),
    ROW(impl_dtype_alias),
    {"impl_wrong", impl_wrong, true},
    ROW(fallback_one),
    ROW(fallback_alias),
    ROW(dump_state),
    ROW(dump_table),
    ROW(dump_cell),
    ROW(dump_extractor),
    ROW(dump_key),
    ROW(dump_dangling),
    ROW(list_ops),
    ROW(explain),
    ROW(check),
    ROW(listen),
    ROW(check_typed),
    ROW(abi),
    ROW(call_typed),
    ROW(call_typed_of_boxed),
    ROW(call_boxed),
    ROW(call_boxed_of_typed),
    ROW(call_with_defaults),
    ROW(call_in_scope)};

const size_t g_action_count = TEST_COUNT(g_actions);
