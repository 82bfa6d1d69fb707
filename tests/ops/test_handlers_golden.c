// SPDX-License-Identifier: Apache-2.0
// Every call that PyTorch made for the golden values, on the way through handlers: under a
// mode that passes calls on, with the same results, and with fake tensors, with results of
// the shapes, strides, dtypes and devices that real ones have.
#include "ops/golden.h"
#include "support/tensors.h"
#include "tensor/impl.h"

typedef struct tally {
  size_t same, needs_data, fails, differs;
} tally;

typedef struct test_run {
  golden_call* call;
  oy_fake_mode* fake;  // NULL: real tensors
  oy_backend backend;  // that fake tensors are put on
  tally t;
} test_run;

// ---------------------------------------------------------------- fake arguments

// Tensors that stay on the CPU lie where they were; those that are moved keep their shape.
static void make_fake(const test_run* r, oy_object** o) {
  if (oy_object_is_none(*o)) return;
  oy_tensor* made = oy_fake_from(r->fake, *o);
  assert_non_null(made);
  oyi_tensor_cast(made)->backend = (int16_t)r->backend;
  oy_object_release(*o);
  *o = made;
}
static void make_all_fake(const test_run* r, oy_stack* stack) {
  for (size_t i = 0; i < stack->size; i++) {
    oy_value* v = &stack->data[i];
    if (v->tag != OY_TAG_TENSOR && v->tag != OY_TAG_TENSOR_LIST) continue;
    assert_int_equal(oy_value_own(v), OY_OK);
    oy_object** list = (oy_object**)(uintptr_t)v->as.bits;
    if (v->tag == OY_TAG_TENSOR) make_fake(r, &v->as.object);
    for (size_t k = 0; v->tag == OY_TAG_TENSOR_LIST && k < v->count; k++)
      make_fake(r, &list[k]);
  }
}

// Where the results have to be: where it is asked for, where the tensors are, the CPU.
static oy_backend result_backend(const test_run* r, const oy_stack* arguments) {
  oy_backend backend = OY_BACKEND_CPU;
  for (size_t i = 0; i < arguments->size; i++) {
    oy_value v = arguments->data[i];
    if (v.tag == OY_TAG_DEVICE) return v.as.device.backend;
    if (v.tag == OY_TAG_TENSOR || v.tag == OY_TAG_TENSOR_LIST) backend = r->backend;
  }
  return backend;
}

// -------------------------------------------------------------------- comparing

static bool same_ints(oy_ints a, oy_ints b) {
  return a.size == b.size &&
         (a.size == 0 || memcmp(a.data, b.data, a.size * sizeof(*a.data)) == 0);
}
static bool same_shape(const oy_tensor* got, const oy_tensor* want, oy_backend backend) {
  if (oy_object_is_none(got) || oy_object_is_none(want)) return got == want;
  return oy_fake_mode_of(got) && oy_tensor_device(got).backend == backend &&
         got->dtype == want->dtype &&
         same_ints(oy_tensor_sizes(got), oy_tensor_sizes(want)) &&
         same_ints(oy_tensor_strides(got), oy_tensor_strides(want)) &&
         oy_tensor_storage_offset(got) == oy_tensor_storage_offset(want);
}
static bool same_shapes(oy_value got, oy_value want, oy_backend backend) {
  if (got.tag != want.tag) return false;
  if (got.tag == OY_TAG_TENSOR) return same_shape(got.as.object, want.as.object, backend);
  if (got.tag != OY_TAG_TENSOR_LIST) return oy_value_equal(got, want);
  bool same = got.count == want.count;
  for (size_t i = 0; same && i < got.count; i++)
    same = same_shape(got.as.tensors[i], want.as.tensors[i], backend);
  return same;
}

static void count(test_run* r, bool same, const char* why) {
  if (!same && r->fake) print_error("%s: %s\n", r->call->op, why);
  r->t.differs += !same;
  r->t.same += same;
}
static void compare_values(test_run* r, const oy_stack* got) {
  char why[200];
  bool same = got->size == r->call->result_count;
  for (size_t i = 0; same && i < got->size; i++)
    same = golden_same(r->call, got->data[i], r->call->results[i], why, sizeof(why));
  count(r, same, "");
}
static void compare_shapes(test_run* r, const oy_stack* got, const oy_stack* want,
                           oy_backend backend) {
  bool same = got->size == want->size;
  for (size_t i = 0; same && i < got->size; i++)
    same = same_shapes(got->data[i], want->data[i], backend);
  count(r, same, "another shape or device than that of real tensors");
}
static void failed(test_run* r) {
  const char* text = oy_error_get()->message;
  bool needs_data = strstr(text, "DataDependentOutputException") ||
                    strstr(text, "DynamicOutputShapeException");
  if (!needs_data && r->fake) print_error("%s: %s\n", r->call->op, text);
  r->t.needs_data += needs_data;
  r->t.fails += !needs_data;
  oy_error_clear();
}

// ------------------------------------------------------------------------ a call

// Fake tensors are made before the real call: it may write to what it was given.
static void run_fake(test_run* r, const oy_op* op, oy_stack* real) {
  oy_value storage[GOLDEN_VALUES_MAX];
  oy_stack stack;
  oy_stack_init(&stack, storage, GOLDEN_VALUES_MAX);
  for (; stack.size < real->size; stack.size++)
    assert_int_equal(oy_value_copy(real->data[stack.size], &storage[stack.size]), OY_OK);
  make_all_fake(r, &stack);
  oy_backend backend = result_backend(r, &stack);
  oy_guard guard = oy_guard_without_handlers();
  oy_status status = oy_op_call_boxed(op, real);
  oy_guard_end(&guard);
  oy_error_clear();
  if (status == OY_OK) {
    if (oy_op_call_boxed(op, &stack) == OY_OK)
      compare_shapes(r, &stack, real, backend);
    else
      failed(r);
  }
  oy_stack_reset(&stack);
}

static void run_one(void* context, golden_call* call) {
  test_run* r = context;
  r->call = call;
  const oy_op* op = oy_op_lookup(oy_registry_default(), oy_str_of(call->op));
  if (!op || !oy_op_schema(op)) return;
  oy_value storage[GOLDEN_VALUES_MAX];
  oy_stack stack;
  oy_stack_init(&stack, storage, GOLDEN_VALUES_MAX);
  if (golden_push(call, op, &stack) == OY_OK) {
    if (r->fake)
      run_fake(r, op, &stack);
    else if (oy_op_call_boxed(op, &stack) == OY_OK)
      compare_values(r, &stack);
    else
      failed(r);
  }
  oy_error_clear();
  oy_stack_reset(&stack);
}

static tally run_all(oy_fake_mode* fake, oy_backend backend) {
  test_run r = {.fake = fake, .backend = backend};
  golden_each(GOLDEN_FILE, run_one, &r);
  print_message("%zu same, %zu need data, %zu fail, %zu differ\n", r.t.same,
                r.t.needs_data, r.t.fails, r.t.differs);
  assert_true(r.t.same > 1000);
  return r.t;
}

// ------------------------------------------------------------------------- tests

static size_t g_calls;
static oy_status pass(oy_handler_call* call) {
  g_calls++;
  return oy_handler_run(call);
}
static void PY_01_the_same_results_under_a_mode(void** state) {
  (void)state;
  tally without = run_all(NULL, OY_BACKEND_CPU);
  oy_dispatch_mode mode;
  g_calls = 0;
  oy_mode_push(&mode, "pass", pass, NULL, NULL);
  tally with = run_all(NULL, OY_BACKEND_CPU);
  assert_int_equal(oy_mode_pop(&mode), OY_OK);
  assert_int_equal(with.same, without.same);
  assert_int_equal(with.fails, without.fails);
  assert_true(g_calls >= with.same);
}

static void fake_on(oy_backend backend) {
  oy_fake_mode* fake;
  assert_int_equal(oy_fake_mode_create(NULL, &fake), OY_OK);
  oy_fake_guard guard = oy_fake_mode_enter(fake);
  tally t = run_all(fake, backend);
  oy_fake_mode_leave(&guard);
  oy_fake_mode_release(fake);
  assert_int_equal(t.fails, 0);
  assert_int_equal(t.differs, 0);
}
static void META_03_shapes_as_on_the_cpu(void** state) {
  (void)state;
  fake_on(OY_BACKEND_CPU);
}
static void META_03_shapes_as_on_the_cpu_on_cuda(void** state) {
  (void)state;
  fake_on(OY_BACKEND_CUDA);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(PY_01_the_same_results_under_a_mode),
      cmocka_unit_test(META_03_shapes_as_on_the_cpu),
      cmocka_unit_test(META_03_shapes_as_on_the_cpu_on_cuda),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
