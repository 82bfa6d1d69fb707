// SPDX-License-Identifier: Apache-2.0
// The CPU fallback (opyard/fallback.h) on a device that can do nothing but hold tensors.
// Expected values are sums that one does in one's head; texts are PyTorch's.
#include <pthread.h>

#include "standin.h"
#include "support/tensors.h"

static standin g_npu;
static oy_library* g_ops;
static char g_warning[1024];
static int g_warnings;

static void on_warning(void* user_data, const char* message) {
  (void)user_data;
  g_warnings++;
  snprintf(g_warning, sizeof(g_warning), "%s", message);
}

static oy_object* write_first(const oy_op* op, oy_keyset keys, oy_object* x) {
  (void)op, (void)keys;
  *(float*)oy_tensor_data(x) = 7;
  return x;
}
static oy_object* first_row(const oy_op* op, oy_keyset keys, oy_object* x) {
  (void)op, (void)keys;
  return oy_tensor_as_strided(x, OY_DIMS(1), OY_DIMS(1), 0);
}
// The result of a schema whose aliases do not match is a new one to who calls.
static oy_object* write_odd(const oy_op* op, oy_keyset keys, oy_object* x) {
  oy_object* written = write_first(op, keys, x);
  oy_object_retain(written);
  return written;
}
static oy_object* same(const oy_op* op, oy_keyset keys, oy_object* x) {
  (void)op, (void)keys;
  return oy_tensor_retain(x);
}
static oy_status write_all(const oy_op* op, oy_keyset keys, oy_tensors xs) {
  for (size_t i = 0; i < xs.size; i++) (void)write_first(op, keys, xs.data[i]);
  return OY_OK;
}
// "endless" falls back on the CPU, too.
static oy_status define(void) {
  oy_library_params params = {NULL,     OY_LIBRARY_DEF, "standin", OY_KEY_Undefined,
                              __FILE__, __LINE__};
  OY_TRY(oy_library_create(&params, &g_ops));
  OY_DEF(g_ops, "write_all_(Tensor(a!)[] xs) -> ()");
  OY_IMPL(g_ops, "write_all_", CPU, OY_TYPED(write_all));
  OY_DEF(g_ops, "first_row(Tensor(a) x) -> Tensor(a)");
  OY_IMPL(g_ops, "first_row", CPU, OY_TYPED(first_row));
  OY_DEF(g_ops, "odd(Tensor(a!) x) -> Tensor(b!)");
  OY_IMPL(g_ops, "odd", CPU, OY_TYPED(write_odd));
  OY_DEF(g_ops, "same(Tensor x) -> Tensor");
  OY_IMPL(g_ops, "same", CPU, OY_TYPED(same));
  OY_DEF(g_ops, "endless(Tensor x) -> Tensor");
  OY_IMPL(g_ops, "endless", CPU, OY_BOXED(oy_cpu_fallback));
  OY_DEF(g_ops, "missing(Tensor x) -> Tensor");
  return oy_library_def(g_ops,
                        &(oy_def_params){.schema = "tagged(Tensor x) -> Tensor",
                                         .tags = "no_cpu_fallback",
                                         .place = OY_HERE},
                        NULL);
}

static int open_all(void** state) {
  if (init_library(state) != 0 || define() != OY_OK) return -1;
  oy_warning_handler_set(on_warning, NULL);
  standin_open(&g_npu, "Standin", false);
  return oy_library_add_cpu_fallback(g_npu.fallbacks, g_npu.backend, NULL);
}
static int close_all(void** state) {
  standin_close(&g_npu);
  oy_library_close(g_ops);
  return shut_library(state);
}
static int start(void** state) {
  (void)state;
  oy_fallback_policy_set(OY_FALLBACK_WARN);
  oy_fallback_reset();
  g_warnings = 0;
  return 0;
}

static oy_tensor* on_npu(oy_tensor* cpu) {
  return standin_from(&g_npu, cpu);
}
static oy_device npu(void) {
  return oy_device_make(g_npu.backend, 0);
}

static void assert_npu_(oy_tensor* t, oy_ints sizes, const double* want, int line) {
  if (!t) print_error("%s\n", oy_error_get()->message);
  if (!t) _fail(__FILE__, line);
  assert_true(oy_device_equal(oy_tensor_device(t), npu()));
  oy_tensor* cpu = standin_to_cpu(t);
  assert_close_(cpu, sizes, want, 0, __FILE__, line);
  oy_tensor_release(cpu);
}
#define assert_npu(t, sizes, ...) \
  assert_npu_(t, sizes, (const double[]){__VA_ARGS__}, __LINE__)

static const oy_op* op_of(const char* name) {
  const oy_op* op;
  assert_int_equal(oy_op_find(oy_registry_default(), oy_str_of(name), &op), OY_OK);
  return op;
}

// The result of a call with one argument, NULL if it failed or has none.
static oy_object* call(const char* name, oy_value argument) {
  oy_value storage[4];
  oy_stack stack;
  oy_stack_init(&stack, storage, 4);
  if (oy_stack_push(&stack, argument) != OY_OK ||
      oy_op_call_boxed(op_of(name), &stack) != OY_OK || stack.size == 0)
    return NULL;
  oy_object* result = oy_tensor_retain(stack.data[0].as.object);
  oy_stack_reset(&stack);
  return result;
}

// ------------------------------------------------------------------------ arguments

static void FB_01_tensors_and_results(void** state) {
  (void)state;
  oy_tensor *x = on_npu(F32(OY_DIMS(2, 2), 1, 2, 3, 4)),
            *y = on_npu(F32(OY_DIMS(2), 10, 20));
  oy_tensor* z = oy_add_Tensor(x, y, oy_int(2));
  assert_npu(z, OY_DIMS(2, 2), 21, 42, 23, 44);
  oy_tensor_release(z);
  z = oy_mm(x, x);
  assert_npu(z, OY_DIMS(2, 2), 7, 10, 15, 22);
  oy_tensor_release(z);
  // A number of the CPU is no tensor elsewhere.
  oy_tensor* one = F32(oy_dims_none(), 1);
  z = oy_sub_Tensor(one, x, oy_int(1));
  assert_npu(z, OY_DIMS(2, 2), 0, -1, -2, -3);
  oy_tensor_release(z);
  oy_tensor_release(one);
  oy_tensor_release(x);
  oy_tensor_release(y);
}

static void FB_01_lists(void** state) {
  (void)state;
  oy_tensor *x = on_npu(F32(OY_DIMS(2), 1, 2)), *y = on_npu(F32(OY_DIMS(1), 3)),
            *i = on_npu(I64(OY_DIMS(2), 1, 0));
  oy_object* both[] = {x, y, x};
  oy_tensor* z = oy_cat((oy_tensors){both, 3}, 0);
  assert_npu(z, OY_DIMS(5), 1, 2, 3, 1, 2);
  oy_tensor_release(z);
  oy_tensor* m = on_npu(F32(OY_DIMS(2, 2), 1, 2, 3, 4));
  oy_object* indices[] = {&oy_none_object, i};
  z = oy_index_Tensor(m, (oy_tensors){indices, 2});
  assert_npu(z, OY_DIMS(2, 2), 2, 1, 4, 3);
  oy_tensor_release(z);
  // Results in a list, written arguments in a list.
  oy_object* written =
      call("standin::write_all_", oy_value_list(OY_TAG_TENSOR_LIST, both, 2));
  assert_null(written);
  assert_int_equal(oy_error_get()->code, OY_OK);
  assert_npu(x, OY_DIMS(2), 7, 2);
  assert_npu(y, OY_DIMS(1), 7);
  oy_tensor_release(m);
  oy_tensor_release(x);
  oy_tensor_release(y);
  oy_tensor_release(i);
}

static void FB_01_device_argument(void** state) {
  (void)state;
  oy_tensor* t = oy_arange(oy_int(4), oy_int(OY_DTYPE_F32), oy_none(),
                           oy_value_device(npu()), oy_none());
  assert_npu(t, OY_DIMS(4), 0, 1, 2, 3);
  oy_tensor_release(t);
}

static void FB_01_in_place_and_out(void** state) {
  (void)state;
  oy_tensor *x = on_npu(F32(OY_DIMS(2), 1, 2)), *y = on_npu(F32(OY_DIMS(2), 3, 4)),
            *out = on_npu(F32(OY_DIMS(1), 9));
  assert_ptr_equal(oy_add__Tensor(x, y, oy_int(1)), x);
  assert_npu(x, OY_DIMS(2), 4, 6);
  assert_ptr_equal(oy_add_out(x, y, oy_int(1), out), out);
  assert_npu(out, OY_DIMS(2), 7, 10);
  // The whole of it, through a view that steps over elements.
  oy_tensor *base = on_npu(F32(OY_DIMS(4), 1, 2, 3, 4)),
            *even = oy_tensor_as_strided(base, OY_DIMS(2), OY_DIMS(2), 0);
  assert_ptr_equal(oy_mul__Tensor(even, y), even);
  assert_npu(base, OY_DIMS(4), 3, 2, 12, 4);
  oy_tensor_release(even);
  oy_tensor_release(base);
  oy_tensor_release(x);
  oy_tensor_release(y);
  oy_tensor_release(out);
}

static void FB_01_shared_memory_is_shared_below(void** state) {
  (void)state;
  oy_tensor* x = on_npu(F32(OY_DIMS(4), 1, 2, 3, 4));
  oy_tensor *head = oy_tensor_as_strided(x, OY_DIMS(3), OY_DIMS(1), 0),
            *tail = oy_tensor_as_strided(x, OY_DIMS(3), OY_DIMS(1), 1),
            *wide = oy_tensor_as_strided(x, OY_DIMS(3), OY_DIMS(0), 0);
  assert_fails(oy_add__Tensor(head, tail, oy_int(1)),
               "unsupported operation: some elements of the input tensor and the "
               "written-to tensor refer to a single memory location. Please clone() the "
               "tensor before performing the operation.");
  assert_fails(oy_add__Scalar(wide, oy_int(1), oy_int(1)),
               "unsupported operation: more than one element of the written-to tensor "
               "refers to a single memory location. Please clone() the tensor before "
               "performing the operation.");
  assert_npu(x, OY_DIMS(4), 1, 2, 3, 4);
  // Scattered elements are copied alone.
  oy_tensor* far = on_npu(oy_tensor_empty(OY_DIMS(5000), OY_DTYPE_F32, oy_device_cpu()));
  oy_tensor* ends = oy_tensor_as_strided(far, OY_DIMS(2), OY_DIMS(4999), 0);
  assert_non_null(oy_fill__Scalar(ends, oy_int(3)));
  oy_fallback_reset();
  oy_tensor* z = oy_neg(ends);
  assert_npu(z, OY_DIMS(2), -3, -3);
  oy_fallback_count* counts;
  size_t n;
  assert_int_equal(oy_fallback_counts(&counts, &n), OY_OK);
  assert_int_equal(n, 1);
  assert_int_equal(counts[0].bytes_to, 8);
  oy_fallback_counts_free(counts);
  oy_tensor* all[] = {z, ends, far, wide, tail, head, x};
  for (size_t i = 0; i < 7; i++) oy_tensor_release(all[i]);
}

static void FB_01_what_is_given_back(void** state) {
  (void)state;
  oy_tensor* x = on_npu(F32(OY_DIMS(2), 1, 2));
  oy_tensor* z = call("standin::same", oy_value_tensor(x));
  assert_ptr_equal(z, x);
  oy_tensor_release(z);
  assert_fails(
      call("standin::odd", oy_value_tensor(x)),
      "The operator standin::odd appears to have invalid alias information. Found "
      "a return tensor argument with a mismatched mutable alias: ");
  oy_tensor_release(x);
}

static void FB_01_written_statistics(void** state) {
  (void)state;
  // The schema does not say that these are written. Mean 2 and variance 2 of {1, 3}.
  oy_tensor *x = on_npu(F32(OY_DIMS(2, 1), 1, 3)), *mean = on_npu(F32(OY_DIMS(1), 0)),
            *var = on_npu(F32(OY_DIMS(1), 1));
  oy_tensor *y, *m, *v;
  assert_int_equal(oy_native_batch_norm(x, &oy_none_object, &oy_none_object, mean, var,
                                        true, 0.5, 1e-5, &y, &m, &v),
                   OY_OK);
  assert_npu(mean, OY_DIMS(1), 1);
  assert_npu(var, OY_DIMS(1), 1.5);
  oy_tensor* all[] = {x, mean, var, y, m, v};
  for (size_t i = 0; i < 6; i++) oy_tensor_release(all[i]);
}

// ---------------------------------------------------------------------------- views

static void FB_01_views_warn_or_fail(void** state) {
  (void)state;
  static const char text[] =
      "The operator standin::first_row appears to be a view operator, but it has no "
      "implementation for the backend \"standin:0\". View operators don't support "
      "falling "
      "back to run on the CPU, since the tensor's storage cannot be shared across "
      "devices.";
  oy_fallback_policy_set(OY_FALLBACK_ALLOW);
  oy_tensor* x = on_npu(F32(OY_DIMS(2), 1, 2));
  oy_tensor* z = call("standin::first_row", oy_value_tensor(x));
  assert_npu(z, OY_DIMS(1), 1);
  assert_int_equal(g_warnings, 1);
  assert_string_equal(g_warning, text);
  oy_tensor_release(z);
  const oy_cpu_fallback_options strict = {sizeof(strict), OY_KEY_CPU, true};
  oy_kernel_params kernel = {.boxed = oy_cpu_fallback,
                             .state = (void*)(uintptr_t)&strict};
  oy_impl_params impl = {.name = "standin::first_row",
                         .key = standin_key(&g_npu),
                         .kernel = kernel,
                         .place = OY_HERE};
  oy_registration* r;
  assert_int_equal(oy_library_impl(g_ops, &impl, &r), OY_OK);
  assert_fails(call("standin::first_row", oy_value_tensor(x)), text);
  oy_registration_remove(r);
  oy_tensor_release(x);
}

// --------------------------------------------------------------------------- errors

static void FB_01_devices_that_differ(void** state) {
  (void)state;
  oy_tensor *x = on_npu(F32(OY_DIMS(2), 1, 2)), *y = F32(OY_DIMS(2), 1, 2);
  assert_fails(oy_add_Tensor(x, y, oy_int(1)),
               "Expected all tensors to be on the same device, but found at least two "
               "devices, standin:0 and cpu!");
  assert_int_equal(oy_fallback_calls(NULL), 0);
  oy_tensor_release(x);
  oy_tensor_release(y);
}

static void FB_01_the_key_is_one_of_the_cpu(void** state) {
  (void)state;
  const oy_cpu_fallback_options wrong = {sizeof(wrong), OY_KEY_CUDA, false};
  oy_impl_params impl = {
      .name = "standin::same",
      .key = standin_key(&g_npu),
      .kernel = {.boxed = oy_cpu_fallback, .state = (void*)(uintptr_t)&wrong},
      .place = OY_HERE};
  oy_registration* r;
  assert_int_equal(oy_library_impl(g_ops, &impl, &r), OY_OK);
  oy_tensor* x = on_npu(F32(OY_DIMS(1), 1));
  assert_fails(call("standin::same", oy_value_tensor(x)),
               "Expected CPU backend DispatchKey but got CUDA");
  oy_registration_remove(r);
  // An operator that the CPU has no kernel for: that is what is said.
  assert_null(call("standin::missing", oy_value_tensor(x)));
  assert_non_null(
      strstr(oy_error_get()->message, "with arguments from the 'CPU' backend"));
  assert_non_null(strstr(oy_error_get()->notes, "fell back from Standin to the CPU"));
  oy_error_clear();
  oy_tensor_release(x);
}

static void FB_02_recursion_ends(void** state) {
  (void)state;
  oy_tensor* x = on_npu(F32(OY_DIMS(1), 1));
  assert_null(call("standin::endless", oy_value_tensor(x)));
  assert_int_equal(oy_error_get()->code, OY_FAILED_PRECONDITION);
  assert_non_null(strstr(oy_error_get()->message,
                         "infinite recursion: standin::endless falls back to the CPU"));
  oy_error_clear();
  oy_tensor_release(x);
  // A device that cannot copy cannot fall back.
  standin bare;
  standin_open(&bare, "Bare", true);
  assert_int_equal(oy_library_add_cpu_fallback(bare.fallbacks, bare.backend, NULL),
                   OY_OK);
  oy_tensor* y = standin_from(&bare, F32(OY_DIMS(1), 1));
  assert_fails(
      oy_neg(y),
      "aten::copy_ has no kernel for the device, and cannot fall back to the "
      "CPU: the fallback of aten::neg needs it to move tensors; register a kernel "
      "for it");
  oy_tensor_release(y);
  standin_close(&bare);
}

// --------------------------------------------------------------------------- policy

static void FB_01_environment_and_strict_mode(void** state) {
  (void)state;
  oy_tensor* x = on_npu(F32(OY_DIMS(1), 1));
  // main set OPYARD_FALLBACK=error; nothing asked before.
  assert_int_equal(oy_fallback_policy_get(), OY_FALLBACK_ERROR);
  assert_fails(
      oy_neg(x),
      "aten::neg has no kernel for Standin, and falling back to the CPU is "
      "refused: register a kernel for Standin, or allow it (OPYARD_FALLBACK=warn, "
      "oy_fallback_policy_set)");
  assert_int_equal(oy_fallback_calls(NULL), 0);
  oy_tensor_release(x);
}

static void FB_01_warns_once(void** state) {
  (void)state;
  oy_tensor* x = on_npu(F32(OY_DIMS(1), 1));
  for (int i = 0; i < 3; i++) oy_tensor_release(oy_neg(x));
  assert_int_equal(g_warnings, 1);
  assert_string_equal(
      g_warning,
      "The operator 'aten::neg' is not currently supported on the Standin "
      "backend and will fall back to run on the CPU. This may have "
      "performance implications.");
  oy_tensor_release(oy_exp(x));
  assert_int_equal(g_warnings, 2);
  oy_fallback_reset();
  oy_tensor_release(oy_neg(x));
  assert_int_equal(g_warnings, 3);
  oy_fallback_policy_set(OY_FALLBACK_ALLOW);
  oy_tensor_release(oy_sin(x));
  assert_int_equal(g_warnings, 3);
  oy_tensor_release(x);
}

static void FB_01_operators_that_forbid_it(void** state) {
  (void)state;
  oy_tensor* x = on_npu(F32(OY_DIMS(1), 1));
  const oy_op* neg = op_of("aten::neg");
  assert_int_equal(oy_fallback_forbid(neg, true), OY_OK);
  assert_true(oy_fallback_is_forbidden(neg));
  assert_fails(oy_neg(x),
               "aten::neg has no kernel for Standin, and must not fall back to the CPU: "
               "register a kernel for Standin, or move its arguments");
  assert_int_equal(oy_fallback_forbid(neg, false), OY_OK);
  oy_tensor* z = oy_neg(x);
  assert_npu(z, OY_DIMS(1), -1);
  oy_tensor_release(z);
  assert_true(oy_fallback_is_forbidden(op_of("standin::tagged")));
  assert_null(call("standin::tagged", oy_value_tensor(x)));
  assert_int_equal(oy_error_get()->code, OY_FAILED_PRECONDITION);
  oy_error_clear();
  oy_tensor_release(x);
}

// --------------------------------------------------------------------------- ledger

static void FB_01_ledger(void** state) {
  (void)state;
  oy_tensor *x = on_npu(F32(OY_DIMS(3), 1, 2, 3)), *y = on_npu(F32(OY_DIMS(3), 1, 2, 3));
  for (int i = 0; i < 2; i++) oy_tensor_release(oy_add_Tensor(x, y, oy_int(1)));
  oy_tensor_release(oy_sum(x, oy_none()));
  oy_fallback_count* counts;
  size_t n;
  assert_int_equal(oy_fallback_counts(&counts, &n), OY_OK);
  assert_int_equal(n, 2);
  assert_string_equal(counts[0].op, "aten::add.Tensor");
  assert_int_equal(counts[0].from, g_npu.backend);
  assert_int_equal(counts[0].to, OY_BACKEND_CPU);
  assert_int_equal(counts[0].calls, 2);
  assert_int_equal(counts[0].bytes_to, 48);
  assert_int_equal(counts[0].bytes_from, 24);
  assert_string_equal(counts[1].op, "aten::sum.dim_IntList");
  assert_int_equal(counts[1].bytes_to, 12);
  assert_int_equal(counts[1].bytes_from, 4);
  oy_fallback_counts_free(counts);
  assert_int_equal(oy_fallback_calls(op_of("aten::add.Tensor")), 2);
  assert_int_equal(oy_fallback_calls(NULL), 3);
  char* text;
  assert_int_equal(oy_fallback_print(&text), OY_OK);
  assert_non_null(strstr(text, "aten::add.Tensor"));
  assert_non_null(strstr(text, "total"));
  oy_text_free(text);
  assert_int_equal(oy_fallback_print_json(&text), OY_OK);
  assert_non_null(strstr(text,
                         "[\n  {\"op\": \"aten::add.Tensor\", \"from\": \"Standin\", "
                         "\"to\": \"CPU\", \"calls\": 2, \"bytes_to\": 48, "
                         "\"bytes_from\": 24, \"nanoseconds\": "));
  oy_text_free(text);
  oy_fallback_reset();
  assert_int_equal(oy_fallback_calls(NULL), 0);
  oy_tensor_release(x);
  oy_tensor_release(y);
}

enum { THREADS = 4, CALLS = 500 };
static void* call_often(void* bad) {
  oy_tensor* x = on_npu(F32(OY_DIMS(2), 1, 2));
  for (int i = 0; i < CALLS; i++) {
    oy_tensor* z = oy_neg(x);
    if (!z) __atomic_fetch_add((int*)bad, 1, __ATOMIC_RELAXED);
    oy_tensor_release(z);
  }
  oy_tensor_release(x);
  return NULL;
}

static void FB_01_ledger_counts_all_threads(void** state) {
  (void)state;
  pthread_t threads[THREADS];
  int bad = 0;
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, call_often, &bad), 0);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  assert_int_equal(bad, 0);
  assert_int_equal(oy_fallback_calls(op_of("aten::neg")), THREADS * CALLS);
  assert_int_equal(g_warnings, 1);
}

static oy_tensor* zeros(int64_t size) {
  oy_tensor* t = oy_tensor_empty(OY_DIMS(size), OY_DTYPE_F32, oy_device_cpu());
  return oy_fill__Scalar(t, oy_int(0));
}

static void FB_01_memory_runs_out(void** state) {
  (void)state;
  oy_tensor *x = on_npu(zeros(300)), *y = on_npu(zeros(300));
  oy_object* both[] = {x, y};
  oy_tensor_release(oy_cat((oy_tensors){both, 2}, 0));
  for (long n = 0;; n++) {
    oy_tensor_trim();
    failing f = {.left = n};
    f.below = oy_allocator_set((oy_allocator){failing_reallocate, &f});
    oy_tensor* z = oy_cat((oy_tensors){both, 2}, 0);
    f.left = -1;
    oy_tensor_release(z);
    oy_tensor_trim();
    oy_allocator_set(f.below);
    assert_int_equal(f.live, 0);
    if (!f.failed) {
      assert_non_null(z);
      break;
    }
    if (!z) assert_int_equal(oy_error_get()->code, OY_OUT_OF_MEMORY);
    oy_error_clear();
  }
  oy_tensor_release(x);
  oy_tensor_release(y);
}

// ------------------------------------------------------------------- generators

static void FB_01_generators(void** state) {
  (void)state;
  oy_generator *here = oy_generator_create(oy_device_cpu()),
               *there = oy_generator_create(npu());
  oy_tensor *a = F32(OY_DIMS(3), 0, 0, 0), *b = on_npu(F32(OY_DIMS(3), 0, 0, 0));
  for (int i = 0; i < 2; i++) {
    oy_value g = oy_value_pointer(OY_TAG_GENERATOR, here, 0);
    assert_non_null(oy_uniform_(a, 0, 1, g));
    g.as.object = there;
    assert_ptr_equal(oy_uniform_(b, 0, 1, g), b);
    oy_tensor* c = standin_to_cpu(b);
    for (int k = 0; k < 3; k++) assert_true(element(a, k) == element(c, k));
    oy_tensor_release(c);
  }
  oy_tensor_release(a);
  oy_tensor_release(b);
  oy_object_release(here);
  oy_object_release(there);
}

// Composites read on the host what a factorisation says is wrong; there it lies elsewhere.
static void FB_01_errors_of_factorisations(void** state) {
  (void)state;
  oy_tensor* good = on_npu(F32(OY_DIMS(2, 2), 2, 0, 0, 4));
  oy_tensor* bad = on_npu(F32(OY_DIMS(2, 2), 1, 2, 2, 4));
  oy_tensor* inverse = oy_linalg_inv(good);
  assert_npu(inverse, OY_DIMS(2, 2), 0.5, 0, 0, 0.25);
  assert_null(oy_linalg_inv(bad));
  assert_error(
      "linalg.inv: The diagonal element 2 is zero, the inversion could not be "
      "completed because the input matrix is singular.");
  oy_tensor_release(good);
  oy_tensor_release(bad);
  oy_tensor_release(inverse);
}

int main(void) {
  setenv("OPYARD_FALLBACK", "error", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(FB_01_environment_and_strict_mode),
      cmocka_unit_test_setup(FB_01_tensors_and_results, start),
      cmocka_unit_test_setup(FB_01_lists, start),
      cmocka_unit_test_setup(FB_01_device_argument, start),
      cmocka_unit_test_setup(FB_01_in_place_and_out, start),
      cmocka_unit_test_setup(FB_01_shared_memory_is_shared_below, start),
      cmocka_unit_test_setup(FB_01_what_is_given_back, start),
      cmocka_unit_test_setup(FB_01_written_statistics, start),
      cmocka_unit_test_setup(FB_01_views_warn_or_fail, start),
      cmocka_unit_test_setup(FB_01_devices_that_differ, start),
      cmocka_unit_test_setup(FB_01_the_key_is_one_of_the_cpu, start),
      cmocka_unit_test_setup(FB_02_recursion_ends, start),
      cmocka_unit_test_setup(FB_01_warns_once, start),
      cmocka_unit_test_setup(FB_01_operators_that_forbid_it, start),
      cmocka_unit_test_setup(FB_01_ledger, start),
      cmocka_unit_test_setup(FB_01_ledger_counts_all_threads, start),
      cmocka_unit_test_setup(FB_01_memory_runs_out, start),
      cmocka_unit_test_setup(FB_01_generators, start),
      cmocka_unit_test_setup(FB_01_errors_of_factorisations, start),
  };
  return cmocka_run_group_tests(tests, open_all, close_all);
}
