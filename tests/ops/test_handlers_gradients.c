// SPDX-License-Identifier: Apache-2.0
// The gradients of every call that PyTorch made for the golden values and that has one: under
// a mode that passes calls on they are the same, and of fake tensors they have the shape,
// dtype and device of the input. Autograd lies above the handlers, what a backward calls goes
// through them.
#include "ops/golden.h"
#include "support/tensors.h"
#include "tensor/impl.h"

enum { LEAVES_MAX = GOLDEN_VALUES_MAX };

// A call with leaves for its floating point arguments, and what came of it.
typedef struct walk {
  oy_fake_mode* fake;  // NULL: real tensors
  oy_tensor* leaves[LEAVES_MAX];
  size_t count;
  bool good;
} walk;

typedef struct tally {
  oy_fake_mode* fake;
  size_t same, needs_data, differs;
} tally;

static void make_leaf(walk* w, oy_object** o) {
  if (oy_object_is_none(*o)) return;
  oy_tensor* t = w->fake ? oy_fake_from(w->fake, *o)
                         : oyi_tensor_object(oyi_tensor_alias_same(oyi_tensor_of(*o)));
  assert_non_null(t);
  if (w->fake) oyi_tensor_cast(t)->backend = OY_BACKEND_CUDA;
  if (w->fake) oyi_tensor_cast(t)->device_index = 0;
  if (oy_dtype_is_floating(t->dtype)) {
    assert_non_null(oy_requires_grad_(t, true));
    w->leaves[w->count++] = oy_tensor_retain(t);
  }
  oy_object_release(*o);
  *o = t;
}
static void make_leaves(walk* w, oy_stack* stack) {
  for (size_t i = 0; i < stack->size; i++) {
    oy_value* v = &stack->data[i];
    if (v->tag != OY_TAG_TENSOR && v->tag != OY_TAG_TENSOR_LIST) continue;
    assert_int_equal(oy_value_own(v), OY_OK);
    oy_object** list = (oy_object**)(uintptr_t)v->as.bits;
    if (v->tag == OY_TAG_TENSOR) make_leaf(w, &v->as.object);
    for (size_t k = 0; v->tag == OY_TAG_TENSOR_LIST && k < v->count; k++)
      make_leaf(w, &list[k]);
  }
}

// The sums of the results that have a gradient are the roots.
static void add_root(oy_object* result, oy_tensor** roots, size_t* count) {
  if (oy_object_is_none(result) || !oy_requires_grad(result)) return;
  if (!oy_dtype_is_floating(result->dtype)) return;
  oy_tensor* sum = oy_sum(result, oy_none());
  if (sum) roots[(*count)++] = sum;
}
static bool walk_back(const oy_stack* results) {
  oy_tensor* roots[LEAVES_MAX];
  size_t count = 0;
  for (size_t i = 0; i < results->size; i++) {
    oy_value v = results->data[i];
    if (v.tag == OY_TAG_TENSOR) add_root(v.as.object, roots, &count);
    for (size_t k = 0; v.tag == OY_TAG_TENSOR_LIST && k < v.count; k++)
      add_root(v.as.tensors[k], roots, &count);
  }
  bool good = count > 0 && oy_backward_all(roots, NULL, count, NULL) == OY_OK;
  for (size_t i = 0; i < count; i++) oy_tensor_release(roots[i]);
  return good;
}

// With copies of |arguments|: the calls write to what they are given.
static walk run(const oy_op* op, const oy_stack* arguments, oy_fake_mode* fake) {
  walk w = {.fake = fake};
  oy_value storage[GOLDEN_VALUES_MAX];
  oy_stack stack;
  oy_stack_init(&stack, storage, GOLDEN_VALUES_MAX);
  for (; stack.size < arguments->size; stack.size++)
    assert_int_equal(oy_value_copy(arguments->data[stack.size], &storage[stack.size]),
                     OY_OK);
  make_leaves(&w, &stack);
  w.good = oy_op_call_boxed(op, &stack) == OY_OK && walk_back(&stack);
  oy_stack_reset(&stack);
  return w;
}
static void end(walk* w) {
  for (size_t i = 0; i < w->count; i++) oy_tensor_release(w->leaves[i]);
  oy_error_clear();
}

// -------------------------------------------------------------------- comparing

static bool same_values(const oy_tensor* a, const oy_tensor* b) {
  for (int64_t i = 0; i < oy_tensor_numel(a); i++) {
    double x = element(a, i), y = element(b, i);
    if (x != y && !(isnan(x) && isnan(y))) return false;
  }
  return true;
}
static bool same_gradient(const oy_tensor* got, const oy_tensor* want, bool fake) {
  if (!got || !want) return got == want;
  oy_ints a = oy_tensor_sizes(got), b = oy_tensor_sizes(want);
  bool same = got->dtype == want->dtype && a.size == b.size;
  for (size_t i = 0; same && i < a.size; i++) same = a.data[i] == b.data[i];
  if (!same || !fake) return same && same_values(got, want);
  return oy_fake_mode_of(got) && oy_tensor_device(got).backend == OY_BACKEND_CUDA;
}

static void compare(tally* t, const char* op, const walk* got, const walk* want) {
  const char* text = oy_error_get()->message;
  if (!got->good && (strstr(text, "DataDependentOutputException") ||
                     strstr(text, "DynamicOutputShapeException"))) {
    t->needs_data++;
    return;
  }
  bool same = got->good && got->count == want->count;
  for (size_t i = 0; same && i < got->count; i++)
    same = same_gradient(oy_grad(got->leaves[i]), oy_grad(want->leaves[i]), t->fake);
  if (!same) print_error("%s: another gradient; %s\n", op, text);
  t->same += same;
  t->differs += !same;
}

static oy_status pass(oy_handler_call* call) {
  return oy_handler_run(call);
}
static walk run_handled(const oy_op* op, const oy_stack* arguments, oy_fake_mode* fake) {
  walk w;
  if (fake) {
    oy_fake_guard guard = oy_fake_mode_enter(fake);
    w = run(op, arguments, fake);
    oy_fake_mode_leave(&guard);
  } else {
    oy_dispatch_mode mode;
    oy_mode_push(&mode, "pass", pass, NULL, NULL);
    w = run(op, arguments, NULL);
    assert_int_equal(oy_mode_pop(&mode), OY_OK);
  }
  return w;
}

// Calls without a gradient are left out.
static void run_one(void* context, golden_call* call) {
  tally* t = context;
  const oy_op* op = oy_op_lookup(oy_registry_default(), oy_str_of(call->op));
  if (!op || !oy_op_schema(op)) return;
  oy_value storage[GOLDEN_VALUES_MAX];
  oy_stack arguments;
  oy_stack_init(&arguments, storage, GOLDEN_VALUES_MAX);
  if (golden_push(call, op, &arguments) == OY_OK) {
    walk want = run(op, &arguments, NULL);
    oy_error_clear();
    if (want.good) {
      walk got = run_handled(op, &arguments, t->fake);
      compare(t, call->op, &got, &want);
      end(&got);
    }
    end(&want);
  }
  oy_error_clear();
  oy_stack_reset(&arguments);
}

static void run_all(oy_fake_mode* fake) {
  tally t = {.fake = fake};
  golden_each(GOLDEN_FILE, run_one, &t);
  print_message("%zu same, %zu need data, %zu differ\n", t.same, t.needs_data, t.differs);
  assert_true(t.same > 500);
  assert_int_equal(t.differs, 0);
}
static void PY_01_the_same_gradients_under_a_mode(void** state) {
  (void)state;
  run_all(NULL);
}
static void META_03_gradients_of_fake_tensors(void** state) {
  (void)state;
  oy_fake_mode* fake;
  assert_int_equal(oy_fake_mode_create(NULL, &fake), OY_OK);
  run_all(fake);
  oy_fake_mode_release(fake);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(PY_01_the_same_gradients_under_a_mode),
      cmocka_unit_test(META_03_gradients_of_fake_tensors),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
