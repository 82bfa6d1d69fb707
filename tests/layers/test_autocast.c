// SPDX-License-Identifier: Apache-2.0
// Regions of autocast (opyard/autocast.h): what is cast, nesting, threads. The lists are in
// test_autocast_lists.c, casts that are kept in test_autocast_cache.c.
#include <pthread.h>

#include "support/tensors.h"

#define MUST(call) assert_int_equal(call, OY_OK)

static oy_autocast_guard enter(oy_dtype dtype, bool enabled) {
  oy_autocast_guard guard;
  MUST(oy_autocast_enter(OY_BACKEND_CPU, dtype, enabled, &guard));
  return guard;
}
static oy_autocast_guard enter_default(void) {
  return enter(OY_DTYPE_ANY, true);
}
static oy_tensor* leaf(oy_tensor* t) {
  return oy_requires_grad_(t, true);
}
static oy_tensor* of_dtype(oy_dtype dtype) {
  return oy_ones(OY_DIMS(2, 2), oy_int(dtype), oy_none(), oy_none(), oy_none());
}

// The dtype of what a call gives, which is released.
static int dtype_of(oy_tensor* made) {
  if (!made) print_error("%s\n", oy_error_get()->message);
  assert_non_null(made);
  int dtype = made->dtype;
  oy_tensor_release(made);
  return dtype;
}
#define GIVES(dtype, call) assert_int_equal(dtype_of(call), OY_DTYPE_##dtype)
static int joined(oy_tensor* a, oy_tensor* b) {
  oy_object* const both[] = {a, b};
  return dtype_of(oy_cat((oy_tensors){both, 2}, 0));
}

// --------------------------------------------------------------------------- AMP-02

// As PyTorch gives them, outside and inside of torch.autocast("cpu").
static void amp_02_dtypes_of_results(void** state) {
  (void)state;
  oy_tensor *f = of_dtype(OY_DTYPE_F32), *b = of_dtype(OY_DTYPE_BF16),
            *d = of_dtype(OY_DTYPE_F64), *i = of_dtype(OY_DTYPE_I64);
  GIVES(F32, oy_mm(f, f));
  oy_autocast_guard guard = enter_default();
  GIVES(BF16, oy_mm(f, f));
  GIVES(BF16, oy_mm(f, b));
  GIVES(BF16, oy_matmul(b, f));
  GIVES(BF16, oy_linear(f, f, &oy_none_object));
  GIVES(F64, oy_mm(d, d));
  GIVES(I64, oy_mm(i, i));
  GIVES(F32, oy_mse_loss(b, b, 1));
  GIVES(F32, oy_prod(b, oy_none()));
  GIVES(F32, oy_trace(b));
  GIVES(F64, oy_trace(d));
  assert_int_equal(joined(b, b), OY_DTYPE_BF16);
  assert_int_equal(joined(b, f), OY_DTYPE_F32);
  assert_int_equal(joined(f, i), OY_DTYPE_F32);
  // What is in no list promotes as ever, or stays.
  GIVES(F32, oy_add_Tensor(f, b, ALPHA1));
  GIVES(BF16, oy_exp(b));
  GIVES(F32, oy_exp(f));
  GIVES(BF16, oy_softmax_int(b, 0, oy_none()));
  oy_autocast_leave(&guard);
  GIVES(F32, oy_mm(f, f));
  oy_tensor* all[] = {f, b, d, i};
  for (int k = 0; k < 4; k++) oy_tensor_release(all[k]);
}

// 1 + 2^-8 and 1 + 2^-12: bfloat16 has 7 bits behind the point, float16 has 10.
static void amp_02_values_are_rounded(void** state) {
  (void)state;
  static const struct {
    oy_dtype dtype;
    double eighth, twelfth;
  } rows[] = {{OY_DTYPE_BF16, 1, 1}, {OY_DTYPE_F16, 1.00390625, 1}};
  oy_tensor* x = F32(OY_DIMS(2, 1), 1.00390625f, 1.000244140625f);
  oy_tensor* one = F32(OY_DIMS(1, 1), 1);
  for (int i = 0; i < 2; i++) {
    oy_autocast_guard guard = enter(rows[i].dtype, true);
    oy_tensor* y = oy_mm(x, one);
    oy_autocast_leave(&guard);
    assert_elements(y, OY_DIMS(2, 1), rows[i].eighth, rows[i].twelfth);
    assert_int_equal(y->dtype, rows[i].dtype);
    oy_tensor_release(y);
  }
  oy_tensor_release(x);
  oy_tensor_release(one);
}

static void amp_02_float64_meets_float32(void** state) {
  (void)state;
  oy_tensor *f = of_dtype(OY_DTYPE_F32), *d = of_dtype(OY_DTYPE_F64);
  oy_autocast_guard guard = enter_default();
  // Only one of them is cast, so the product has two dtypes, as in PyTorch.
  assert_fails(
      oy_mm(f, d),
      "expected m1 and m2 to have the same dtype, but got: c10::BFloat16 != double");
  oy_autocast_leave(&guard);
  oy_tensor_release(f);
  oy_tensor_release(d);
}

// In-place and out= forms run uncast.
static void amp_02_writes_are_not_cast(void** state) {
  (void)state;
  oy_tensor *f = of_dtype(OY_DTYPE_F32), *out = of_dtype(OY_DTYPE_F32);
  oy_autocast_guard guard = enter_default();
  assert_ptr_equal(oy_mm_out(f, f, out), out);
  assert_elements(out, OY_DIMS(2, 2), 2, 2, 2, 2);
  assert_ptr_equal(oy_addmm_(out, f, f, oy_int(1), oy_int(1)), out);
  assert_int_equal(out->dtype, OY_DTYPE_F32);
  assert_elements(out, OY_DIMS(2, 2), 4, 4, 4, 4);
  oy_autocast_leave(&guard);
  oy_tensor_release(f);
  oy_tensor_release(out);
}

// A region of one kind of device leaves tensors of others alone.
static void amp_02_of_that_device(void** state) {
  (void)state;
  oy_tensor* f = of_dtype(OY_DTYPE_F32);
  oy_tensor* meta = oy_tensor_empty(OY_DIMS(2, 2), OY_DTYPE_F32, oy_device_meta());
  oy_autocast_guard guard;
  MUST(oy_autocast_enter(OY_BACKEND_CUDA, OY_DTYPE_ANY, true, &guard));
  GIVES(F32, oy_mm(f, f));
  oy_autocast_leave(&guard);
  guard = enter_default();
  GIVES(F32, oy_mm(meta, meta));
  oy_autocast_leave(&guard);
  oy_tensor_release(f);
  oy_tensor_release(meta);
}

// With x = [1 2], w = [0.5 -1; 2 0.25], b = [1 -1] and target [0.5 0.5], the result is
// [-0.5 1.5], the loss 1 and its gradient there [-1 1]; all exact in bfloat16.
static void amp_02_gradients_reach_float32_leaves(void** state) {
  (void)state;
  oy_tensor *x = F32(OY_DIMS(1, 2), 1, 2), *target = F32(OY_DIMS(1, 2), 0.5, 0.5),
            *w = leaf(F32(OY_DIMS(2, 2), 0.5, -1, 2, 0.25)),
            *b = leaf(F32(OY_DIMS(2), 1, -1));
  oy_autocast_guard guard = enter_default();
  oy_tensor* y = oy_linear(x, w, b);
  oy_tensor* loss = oy_mse_loss(y, target, 1);
  oy_autocast_leave(&guard);
  assert_int_equal(y->dtype, OY_DTYPE_BF16);
  assert_elements(y, OY_DIMS(1, 2), -0.5, 1.5);
  assert_elements(loss, oy_dims_none(), 1);
  MUST(oy_backward(loss, NULL, false));
  assert_int_equal(oy_grad(w)->dtype, OY_DTYPE_F32);
  assert_elements(oy_grad(w), OY_DIMS(2, 2), -1, -2, 1, 2);
  assert_int_equal(oy_grad(b)->dtype, OY_DTYPE_F32);
  assert_elements(oy_grad(b), OY_DIMS(2), -1, 1);
  oy_tensor* all[] = {x, target, w, b, y, loss};
  for (int i = 0; i < 6; i++) oy_tensor_release(all[i]);
}

// ------------------------------------------------------------- AMP-02, bad arguments

static const oy_object_class g_thing_class = {"Thing", NULL};

static void amp_02_what_is_no_tensor(void** state) {
  (void)state;
  oy_tensor* f = of_dtype(OY_DTYPE_F32);
  oy_object thing = {.keys = f->keys,
                     .klass = &g_thing_class,
                     .references = 1,
                     .dtype = OY_DTYPE_F32,
                     .flags = OY_OBJECT_STATIC};
  oy_autocast_guard guard = enter_default();
  assert_fails(oy_mm(&thing, f), "expected a tensor, got an object of class Thing");
  assert_fails(oy_mm(f, &oy_none_object), "expected a tensor, got None");
  assert_null(oy_mm(NULL, f));
  assert_int_equal(oy_error_get()->code, OY_INVALID_ARGUMENT);
  oy_error_clear();
  oy_object* const list[] = {f, &thing, &oy_none_object};
  assert_null(oy_cat((oy_tensors){list, 3}, 0));
  assert_null(oy_cat((oy_tensors){list, 2}, 0));
  assert_null(oy_cat((oy_tensors){list, 0}, 0));
  oy_error_clear();
  oy_autocast_leave(&guard);
  oy_tensor_release(f);
}

// A list of boxed values instead of a list of tensors, and numbers instead of either.
static oy_status boxed(const char* name, oy_value first, oy_value second,
                       oy_value* out_result) {
  const oy_op* op;
  oy_value storage[4];
  oy_stack stack;
  OY_TRY(oy_op_find(oy_registry_default(), oy_str_of(name), &op));
  oy_stack_init(&stack, storage, 4);
  OY_TRY(oy_stack_push(&stack, first));
  OY_TRY(oy_stack_push(&stack, second));
  oy_status status = oy_op_call_boxed(op, &stack);
  if (status == OY_OK) *out_result = oy_stack_pop(&stack);
  oy_stack_reset(&stack);
  return status;
}
static void amp_02_boxed_lists(void** state) {
  (void)state;
  oy_tensor *f = of_dtype(OY_DTYPE_F32), *b = of_dtype(OY_DTYPE_BF16);
  const oy_value items[] = {oy_value_tensor(b), oy_value_tensor(f)};
  oy_value result;
  oy_autocast_guard guard = enter_default();
  MUST(boxed("aten::cat", oy_value_list(OY_TAG_LIST, items, 2), oy_int(0), &result));
  assert_int_equal(result.as.object->dtype, OY_DTYPE_F32);
  assert_dims(oy_tensor_sizes(result.as.object), OY_DIMS(4, 2));
  oy_value_release(&result);
  const oy_value mixed[] = {oy_value_tensor(b), oy_int(1), oy_value_tensor(f)};
  assert_int_not_equal(
      boxed("aten::cat", oy_value_list(OY_TAG_LIST, mixed, 3), oy_int(0), &result),
      OY_OK);
  assert_int_not_equal(boxed("aten::cat", oy_int(3), oy_int(0), &result), OY_OK);
  assert_int_not_equal(boxed("aten::mm", oy_int(3), oy_value_tensor(f), &result), OY_OK);
  oy_error_clear();
  oy_autocast_leave(&guard);
  oy_tensor_release(f);
  oy_tensor_release(b);
}

// --------------------------------------------------------------------------- AMP-04

static void amp_04_defaults(void** state) {
  (void)state;
  static const struct {
    oy_backend backend;
    oy_dtype dtype;
  } rows[] = {{OY_BACKEND_CPU, OY_DTYPE_BF16}, {OY_BACKEND_CUDA, OY_DTYPE_F16},
              {OY_BACKEND_XPU, OY_DTYPE_F16},  {OY_BACKEND_IPU, OY_DTYPE_F16},
              {OY_BACKEND_HPU, OY_DTYPE_BF16}, {OY_BACKEND_XLA, OY_DTYPE_BF16},
              {OY_BACKEND_MPS, OY_DTYPE_F16},  {OY_BACKEND_PrivateUse1, OY_DTYPE_F16},
              {OY_BACKEND_Meta, OY_DTYPE_ANY}, {OY_BACKEND_NONE, OY_DTYPE_ANY}};
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    assert_false(oy_autocast_enabled_get(rows[i].backend));
    assert_int_equal(oy_autocast_dtype_get(rows[i].backend), rows[i].dtype);
  }
  assert_true(oy_autocast_cache_get());
}

static void amp_04_nesting(void** state) {
  (void)state;
  oy_tensor* f = of_dtype(OY_DTYPE_F32);
  oy_autocast_guard outer = enter(OY_DTYPE_F16, true);
  assert_true(oy_autocast_enabled_get(OY_BACKEND_CPU));
  assert_false(oy_autocast_enabled_get(OY_BACKEND_CUDA));
  assert_false(oy_excluded_has(OY_KEY_AutocastCPU));
  GIVES(F16, oy_mm(f, f));
  oy_autocast_guard off = enter(OY_DTYPE_ANY, false);
  GIVES(F32, oy_mm(f, f));
  oy_autocast_guard inner = enter(OY_DTYPE_BF16, true);
  GIVES(BF16, oy_mm(f, f));
  oy_autocast_cache_set(false);
  oy_autocast_leave(&inner);
  assert_true(oy_autocast_cache_get());
  GIVES(F32, oy_mm(f, f));
  oy_autocast_leave(&off);
  // Without a dtype the one in force is inherited.
  inner = enter_default();
  GIVES(F16, oy_mm(f, f));
  oy_autocast_leave(&inner);
  GIVES(F16, oy_mm(f, f));
  oy_autocast_leave(&outer);
  GIVES(F32, oy_mm(f, f));
  assert_int_equal(oy_autocast_dtype_get(OY_BACKEND_CPU), OY_DTYPE_BF16);
  assert_true(oy_excluded_has(OY_KEY_AutocastCPU));
  oy_tensor_release(f);
}

static void amp_04_raw_setters(void** state) {
  (void)state;
  oy_tensor* f = of_dtype(OY_DTYPE_F32);
  MUST(oy_autocast_enabled_set(OY_BACKEND_CPU, true));
  GIVES(BF16, oy_mm(f, f));
  MUST(oy_autocast_dtype_set(OY_BACKEND_CPU, OY_DTYPE_F16));
  GIVES(F16, oy_mm(f, f));
  // The key set says it, whoever changes that.
  MUST(oy_excluded_set(OY_KEY_AutocastCPU, true));
  assert_false(oy_autocast_enabled_get(OY_BACKEND_CPU));
  GIVES(F32, oy_mm(f, f));
  MUST(oy_autocast_dtype_set(OY_BACKEND_CPU, OY_DTYPE_BF16));
  assert_int_equal(oy_autocast_dtype_set(OY_BACKEND_CPU, OY_DTYPE_I64),
                   OY_INVALID_ARGUMENT);
  assert_int_equal(oy_autocast_dtype_set(OY_BACKEND_CPU, 200), OY_INVALID_ARGUMENT);
  assert_int_equal(oy_autocast_dtype_set(OY_BACKEND_Meta, OY_DTYPE_F16),
                   OY_FAILED_PRECONDITION);
  assert_int_equal(oy_autocast_enabled_set(OY_BACKEND_VE, true), OY_FAILED_PRECONDITION);
  oy_error_clear();
  oy_tensor_release(f);
}

static char g_warning[256];
static void note(void* user_data, const char* message) {
  (void)user_data;
  snprintf(g_warning, sizeof(g_warning), "%s", message);
}

static void amp_04_what_is_not_supported(void** state) {
  (void)state;
  oy_autocast_guard guard;
  assert_int_equal(oy_autocast_enter(OY_BACKEND_Meta, OY_DTYPE_ANY, true, &guard),
                   OY_FAILED_PRECONDITION);
  assert_error("User specified an unsupported autocast device_type 'meta'");
  oy_autocast_leave(&guard);  // does nothing
  oy_autocast_leave(&(oy_autocast_guard){.entered = false});
  oy_autocast_leave(NULL);
  oy_autocast_enter_state(oy_autocast_state_get(), NULL);
  assert_int_equal(oy_autocast_enter(OY_BACKEND_NONE, OY_DTYPE_ANY, true, &guard),
                   OY_FAILED_PRECONDITION);
  assert_int_equal(oy_autocast_enter(OY_BACKEND_CUDA, OY_DTYPE_I64, true, &guard),
                   OY_INVALID_ARGUMENT);
  assert_int_equal(oy_autocast_enter(OY_BACKEND_CPU, OY_DTYPE_ANY, true, NULL),
                   OY_INVALID_ARGUMENT);
  oy_error_clear();
  // On the CPU another dtype warns, and nothing is cast.
  oy_warning_handler_set(note, NULL);
  oy_tensor* f = of_dtype(OY_DTYPE_F32);
  guard = enter(OY_DTYPE_F64, true);
  assert_string_equal(
      g_warning,
      "In CPU autocast, but the target dtype is not supported. Disabling autocast.\n"
      "CPU Autocast only supports dtype of torch.bfloat16, torch.float16 currently.");
  assert_false(oy_autocast_enabled_get(OY_BACKEND_CPU));
  assert_int_equal(oy_autocast_dtype_get(OY_BACKEND_CPU), OY_DTYPE_F64);
  GIVES(F32, oy_mm(f, f));
  oy_autocast_leave(&guard);
  g_warning[0] = '\0';
  guard = enter(OY_DTYPE_F32, false);
  assert_string_equal(g_warning, "");
  oy_autocast_leave(&guard);
  oy_warning_handler_set(NULL, NULL);
  oy_tensor_release(f);
}

// A call that fails leaves the region as it was.
static void amp_04_errors_inside(void** state) {
  (void)state;
  oy_tensor *f = of_dtype(OY_DTYPE_F32), *bad = F32(OY_DIMS(3), 1, 2, 3);
  oy_autocast_guard guard = enter_default();
  oy_dispatch_state before = oy_dispatch_state_get();
  for (int i = 0; i < 3; i++) {
    assert_null(oy_mm(f, bad));
    assert_null(oy_mse_loss(bad, f, 7));
    oy_dispatch_state now = oy_dispatch_state_get();
    assert_memory_equal(&now, &before, sizeof(now));
    GIVES(BF16, oy_mm(f, f));
  }
  oy_error_clear();
  oy_autocast_leave(&guard);
  oy_tensor_release(f);
  oy_tensor_release(bad);
}

// Another thread has a state of its own, or one that it was handed.
typedef struct job {
  oy_tensor* w;
  oy_autocast_state given;
  oy_autocast_guard guard;
  int before, within;
  bool kept, stays;
} job;
static void* work(void* data) {
  job* j = data;
  j->before = dtype_of(oy_mm(j->w, j->w));
  oy_autocast_enter_state(j->given, &j->guard);
  j->within = dtype_of(oy_mm(j->w, j->w));
  j->kept = oy_autocast_enabled_get(OY_BACKEND_CPU) && oy_autocast_cache_get();
  // A thread may end within a region: what it holds goes with it.
  if (!j->stays) oy_autocast_leave(&j->guard);
  return NULL;
}
static void amp_04_threads(void** state) {
  (void)state;
  oy_tensor* w = leaf(of_dtype(OY_DTYPE_F32));
  oy_autocast_guard guard = enter(OY_DTYPE_F16, true);
  job jobs[4];
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) {
    jobs[i] = (job){.w = w, .given = oy_autocast_state_get(), .stays = i >= 2};
    assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
  }
  for (int i = 0; i < 4; i++) {
    assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(jobs[i].before, OY_DTYPE_F32);
    assert_int_equal(jobs[i].within, OY_DTYPE_F16);
    assert_true(jobs[i].kept);
  }
  // Their regions ended, this one did not.
  GIVES(F16, oy_mm(w, w));
  oy_autocast_leave(&guard);
  oy_tensor_release(w);
}

// A state covers all kinds of devices, and leaving gives all of them back.
static void amp_04_states(void** state) {
  (void)state;
  oy_autocast_guard cuda, guard;
  MUST(oy_autocast_enter(OY_BACKEND_CUDA, OY_DTYPE_BF16, true, &cuda));
  oy_autocast_state outer = oy_autocast_state_get();
  oy_autocast_leave(&cuda);
  oy_autocast_guard cpu = enter_default();
  oy_autocast_enter_state(outer, &guard);
  assert_false(oy_autocast_enabled_get(OY_BACKEND_CPU));
  assert_true(oy_autocast_enabled_get(OY_BACKEND_CUDA));
  assert_int_equal(oy_autocast_dtype_get(OY_BACKEND_CUDA), OY_DTYPE_BF16);
  oy_autocast_leave(&guard);
  assert_true(oy_autocast_enabled_get(OY_BACKEND_CPU));
  assert_false(oy_autocast_enabled_get(OY_BACKEND_CUDA));
  assert_int_equal(oy_autocast_dtype_get(OY_BACKEND_CUDA), OY_DTYPE_F16);
  oy_autocast_leave(&cpu);
}

// What runs again in a backward, outside of the region, is cast as it was inside.
static oy_status product(void* data, oy_tensor* const* in, size_t count,
                         oy_tensor** out) {
  (void)count;
  int* dtype = data;
  out[0] = oy_mm(in[0], in[0]);
  if (out[0]) *dtype = out[0]->dtype;
  return out[0] ? OY_OK : oy_failure();
}
static void amp_04_checkpoints_run_again_as_before(void** state) {
  (void)state;
  oy_tensor *x = leaf(F32(OY_DIMS(1, 1), 3)), *y;
  int dtype = -1;
  oy_autocast_guard guard = enter(OY_DTYPE_F16, true);
  MUST(oy_checkpoint(product, &dtype, NULL, &x, 1, &y, 1));
  oy_autocast_leave(&guard);
  assert_int_equal(dtype, OY_DTYPE_F16);
  dtype = -1;
  oy_tensor* sum = oy_sum(y, oy_none());
  MUST(oy_backward(sum, NULL, false));
  assert_int_equal(dtype, OY_DTYPE_F16);
  assert_false(oy_autocast_enabled_get(OY_BACKEND_CPU));
  assert_int_equal(oy_grad(x)->dtype, OY_DTYPE_F32);
  assert_elements(oy_grad(x), OY_DIMS(1, 1), 6);
  oy_tensor* all[] = {x, y, sum};
  for (int i = 0; i < 3; i++) oy_tensor_release(all[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(amp_02_dtypes_of_results),
      cmocka_unit_test(amp_02_values_are_rounded),
      cmocka_unit_test(amp_02_float64_meets_float32),
      cmocka_unit_test(amp_02_writes_are_not_cast),
      cmocka_unit_test(amp_02_of_that_device),
      cmocka_unit_test(amp_02_gradients_reach_float32_leaves),
      cmocka_unit_test(amp_02_what_is_no_tensor),
      cmocka_unit_test(amp_02_boxed_lists),
      cmocka_unit_test(amp_04_defaults),
      cmocka_unit_test(amp_04_nesting),
      cmocka_unit_test(amp_04_raw_setters),
      cmocka_unit_test(amp_04_what_is_not_supported),
      cmocka_unit_test(amp_04_errors_inside),
      cmocka_unit_test(amp_04_threads),
      cmocka_unit_test(amp_04_states),
      cmocka_unit_test(amp_04_checkpoints_run_again_as_before),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
