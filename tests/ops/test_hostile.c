// SPDX-License-Identifier: Apache-2.0
// Every operator of the table with arguments made up from its schema: whatever they are,
// a call gives results or an error, changes nothing that it does not write to, and holds
// no memory afterwards; so it is under a mode that passes calls on, and under one that makes
// fake tensors of all that it is given. With each allocation failing in turn it is out of
// memory. On Meta it gives the shapes that it gives on the CPU.
//
//   OPYARD_HOSTILE_OP=add.Tensor    this operator alone
//   OPYARD_HOSTILE_CALLS=20000      calls of each, instead of a few hundred
//   OPYARD_HOSTILE_CALL=17          this call alone
#include <signal.h>
#include <unistd.h>

#include "hostile.h"
#include "ops/op_ids.h"
#include "support/tensors.h"

enum { CALLS = 400, GOOD_CALLS = 3, META_CALLS = 100, HANDLED_CALLS = 60, SECONDS = 120 };

// ------------------------------------------------------------------------ the heap

// Passes on to the C heap: counts what is held, refuses what is large, and fails once
// when it is told to.
static struct {
  oy_allocator below;
  long live;
  long left;  // allocations until one fails; below 0: none does
  bool failed;
} g_heap = {.left = -1};

static void* heap_reallocate(void* user_data, void* ptr, size_t old_size, size_t size) {
  (void)user_data;
  if (size > HOSTILE_LIMIT) return NULL;
  if (size > 0 && g_heap.left >= 0 && g_heap.left-- == 0) {
    g_heap.failed = true;
    return NULL;
  }
  if (!ptr && size > 0) __atomic_fetch_add(&g_heap.live, 1, __ATOMIC_RELAXED);
  if (ptr && size == 0) __atomic_fetch_sub(&g_heap.live, 1, __ATOMIC_RELAXED);
  return g_heap.below.reallocate(g_heap.below.user_data, ptr, old_size, size);
}

static long live_blocks(void) {
  oy_tensor_trim();
  return g_heap.live;
}

static int open_all(void** state) {
  g_heap.below = oy_allocator_set((oy_allocator){heap_reallocate, NULL});
  return init_library(state);
}
static int close_all(void** state) {
  int status = shut_library(state);
  oy_allocator_set(g_heap.below);
  return status;
}

// ------------------------------------------------------------------------- reports

static hostile_call g_call;
static const char* const g_styles[] = {"wild", "mixed", "fitting", "meta"};
static int g_wrong;

static oy_str name_of_call(void) {
  return g_call.op ? oy_op_name_of(g_call.op) : oy_str_of("(none)");
}

static void complain(const char* what) {
  const oy_error* e = oy_error_get();
  g_wrong++;
  print_error("%.*s, %s call %llu: %s%s%s\n", OY_STR_ARG(name_of_call()),
              g_styles[g_call.style], (unsigned long long)g_call.number, what,
              e->code ? ": " : "", e->message);
  for (size_t i = 0; i < g_call.tensor_count; i++) {
    const hostile_snapshot* b = &g_call.before[i];
    oy_ints sizes = {b->sizes, b->ndim}, strides = {b->strides, b->ndim};
    print_error("  %s%s %s %s\n", b->written ? "writes " : "", oy_dtype_name(b->dtype),
                oyi_dims_print(sizes).text, oyi_dims_print(strides).text);
  }
}

// Says which call it was that did not return.
static void say_call(void) {
  char text[256];
  int n = snprintf(text, sizeof(text), "\nin %.*s, %s call %llu\n",
                   OY_STR_ARG(name_of_call()), g_styles[g_call.style],
                   (unsigned long long)g_call.number);
  if (write(STDERR_FILENO, text, (size_t)n) != n) return;
}

static void on_signal(int number) {
  say_call();
  signal(number, SIG_DFL);
  raise(number);
}

// The sanitizers call these.
void __asan_on_error(void);
void __asan_on_error(void) {
  say_call();
}
void __ubsan_on_report(void);
void __ubsan_on_report(void) {
  say_call();
}

static void watch(void) {
  signal(SIGALRM, on_signal);
  signal(SIGFPE, on_signal);
  signal(SIGILL, on_signal);
#if !defined(__SANITIZE_ADDRESS__)
  signal(SIGSEGV, on_signal);
  signal(SIGBUS, on_signal);
#endif
}

static long setting(const char* name, long otherwise) {
  const char* text = getenv(name);
  return text ? atol(text) : otherwise;
}

static bool is_chosen(int id) {
  const char* only = getenv("OPYARD_HOSTILE_OP");
  return !only || oy_str_equal(oyi_op_short_name((oyi_op_id)id), oy_str_of(only));
}

// --------------------------------------------------------------------------- calls

// Makes the call and says what is wrong with it; NULL if nothing is.
static const char* try_call(const oy_op* op, hostile_style style, long number,
                            bool* out_good) {
  oy_value storage[HOSTILE_ARGUMENTS];
  oy_stack stack;
  oy_stack_init(&stack, storage, HOSTILE_ARGUMENTS);
  hostile_call_make(&g_call, op, style, (uint64_t)number);
  oy_status status = hostile_call_run(&g_call, &stack);
  const char* wrong = hostile_call_check(&g_call, status, &stack);
  if (wrong) complain(wrong);
  *out_good = status == OY_OK;
  oy_stack_reset(&stack);
  hostile_call_end(&g_call);
  return wrong;
}

static hostile_style style_of(long number) {
  return (hostile_style)(number % 3);
}

// Once more, one call at a time: which of them keeps memory?
static void find_leak(const oy_op* op, long first, long last) {
  for (long n = first; n < last; n++) {
    bool good;
    long before = live_blocks();
    (void)try_call(op, style_of(n), n, &good);
    if (live_blocks() == before) continue;
    complain("memory is held afterwards");
    return;
  }
}

static void make_calls(long calls) {
  long only = setting("OPYARD_HOSTILE_CALL", -1);
  long first = only < 0 ? 0 : only, last = only < 0 ? calls : only + 1, good_calls = 0;
  watch();
  g_wrong = 0;
  for (int id = 0; id < OYI_OP_COUNT; id++) {
    if (!is_chosen(id)) continue;
    (void)oy_op_schema(oyi_ops[id]);
    alarm(SECONDS);
    long before = live_blocks();
    for (long n = first, wrong = 0; n < last && wrong < 5; n++) {
      bool good = false;
      wrong += try_call(oyi_ops[id], style_of(n), n, &good) != NULL;
      good_calls += good;
    }
    if (live_blocks() != before) find_leak(oyi_ops[id], first, last);
    alarm(0);
  }
  print_message("%ld calls went well\n", good_calls);
  assert_int_equal(g_wrong, 0);
}

static void no_call_is_too_much(void** state) {
  (void)state;
  make_calls(setting("OPYARD_HOSTILE_CALLS", CALLS));
}

static oy_status pass(oy_handler_call* call) {
  return oy_handler_run(call);
}
static void PY_01_nor_under_a_mode(void** state) {
  (void)state;
  oy_dispatch_mode mode;
  oy_mode_push(&mode, "pass", pass, NULL, NULL);
  make_calls(setting("OPYARD_HOSTILE_CALLS", HANDLED_CALLS));
  assert_int_equal(oy_mode_pop(&mode), OY_OK);
}
static void META_03_nor_with_fake_tensors(void** state) {
  (void)state;
  const oy_fake_options options = {.allow_non_fake_inputs = true};
  oy_fake_mode* fake;
  assert_int_equal(oy_fake_mode_create(&options, &fake), OY_OK);
  oy_fake_guard guard = oy_fake_mode_enter(fake);
  make_calls(setting("OPYARD_HOSTILE_CALLS", HANDLED_CALLS));
  oy_fake_mode_leave(&guard);
  oy_fake_mode_release(fake);
}

// -------------------------------------------------------------- failing allocations

// The call with its |n|-th allocation failing. False once it needs fewer.
static bool try_failing(const oy_op* op, long number, long n) {
  oy_value storage[HOSTILE_ARGUMENTS];
  oy_stack stack;
  long before = live_blocks();
  oy_stack_init(&stack, storage, HOSTILE_ARGUMENTS);
  hostile_call_make(&g_call, op, HOSTILE_FITTING, (uint64_t)number);
  oy_tensor_trim();
  g_heap.failed = false;
  g_heap.left = n;
  oy_status status = hostile_call_run(&g_call, &stack);
  g_heap.left = -1;
  bool failed = g_heap.failed;
  const char* wrong = hostile_call_check(&g_call, status, &stack);
  // What only makes it faster may be left out.
  if (!wrong && status != OY_OK && status != OY_OUT_OF_MEMORY) wrong = "another error";
  if (wrong) complain(wrong);
  oy_stack_reset(&stack);
  hostile_call_end(&g_call);
  if (live_blocks() != before) complain("out of memory, it holds memory");
  return failed;
}

static void each_allocation_may_fail(void** state) {
  (void)state;
  watch();
  g_wrong = 0;
  for (int id = 0; id < OYI_OP_COUNT; id++) {
    if (!is_chosen(id)) continue;
    alarm(SECONDS);
    int good_calls = 0;
    for (long n = 0; n < 200 && good_calls < GOOD_CALLS; n++) {
      bool good;
      (void)try_call(oyi_ops[id], HOSTILE_FITTING, n, &good);
      if (!good) continue;
      good_calls++;
      for (long k = 0, wrong = g_wrong; g_wrong < wrong + 3; k++)
        if (!try_failing(oyi_ops[id], n, k)) break;
    }
    alarm(0);
  }
  assert_int_equal(g_wrong, 0);
}

// ----------------------------------------------------------------------------- Meta

// Results depend on the elements, so there is nothing to say without them.
static const char* const g_by_elements[] = {"item",
                                            "_local_scalar_dense",
                                            "nonzero",
                                            "masked_scatter_backward",
                                            "masked_select",
                                            "unique",
                                            "bincount",
                                            "repeat_interleave",
                                            "narrow.Tensor",
                                            "is_nonzero",
                                            "equal",
                                            "allclose",
                                            "argwhere",
                                            "linspace",
                                            "block_diag.out",
                                            "logspace",
                                            "bucketize.Scalar",
                                            "searchsorted.Scalar",
                                            "tensor_split.tensor_indices_or_sections"};

static bool is_by_elements(const oy_op* op) {
  oy_str name = oy_op_name_of(op);
  for (size_t i = 0; i < sizeof(g_by_elements) / sizeof(*g_by_elements); i++)
    if (memmem(name.data, name.size, g_by_elements[i], strlen(g_by_elements[i])))
      return true;
  return false;
}

// On the CPU alone PyTorch has windows that do not fit once give nothing.
static bool may_refuse(const oy_op* op) {
  return is_by_elements(op) ||
         oy_str_equal(oy_op_name_of(op), oy_str_of("aten::max_pool1d"));
}

static const char* compare_tensors(const oy_object* a, const oy_object* b) {
  if (!oyi_is_tensor(a) || !oyi_is_tensor(b))
    return oyi_is_tensor(a) == oyi_is_tensor(b) ? NULL : "Meta gives no tensor";
  const oyi_tensor *x = oyi_tensor_cast(a), *y = oyi_tensor_cast(b);
  if (a->dtype != b->dtype) return "Meta gives another dtype";
  if (!oyi_same_sizes(oyi_sizes_view(x), oyi_sizes_view(y)))
    return "Meta gives another shape";
  if (x->numel > 0 && !oyi_same_sizes(oyi_strides_view(x), oyi_strides_view(y)))
    return "Meta gives other strides";
  return NULL;
}

static const char* compare_values(oy_value a, oy_value b) {
  if (a.tag != b.tag || a.count != b.count) return "Meta gives something else";
  if (a.tag == OY_TAG_TENSOR) return compare_tensors(a.as.object, b.as.object);
  const char* wrong = NULL;
  for (size_t i = 0; a.tag == OY_TAG_TENSOR_LIST && i < a.count && !wrong; i++)
    wrong = compare_tensors(a.as.tensors[i], b.as.tensors[i]);
  return wrong;
}

static void compare_with_meta(const oy_op* op, long number) {
  oy_value storage[2][HOSTILE_ARGUMENTS];
  oy_stack cpu, meta;
  oy_stack_init(&cpu, storage[0], HOSTILE_ARGUMENTS);
  oy_stack_init(&meta, storage[1], HOSTILE_ARGUMENTS);
  hostile_call_make(&g_call, op, HOSTILE_FITTING, (uint64_t)number);
  oy_status status = hostile_call_run(&g_call, &cpu);
  // The stack keeps what the arguments gave, which is not theirs alone.
  for (size_t i = 0; i < cpu.size && status == OY_OK; i++)
    status = oy_value_own(&cpu.data[i]);
  hostile_call_end(&g_call);
  if (status == OY_OK) {
    hostile_call_make(&g_call, op, HOSTILE_META, (uint64_t)number);
    status = hostile_call_run(&g_call, &meta);
    const char* wrong = status == OY_OK && cpu.size != meta.size
                            ? "Meta gives another number of results"
                            : NULL;
    if (status != OY_OK && !may_refuse(op)) wrong = "Meta refuses";
    for (size_t i = 0; status == OY_OK && i < cpu.size && !wrong; i++)
      wrong = compare_values(cpu.data[i], meta.data[i]);
    if (wrong) complain(wrong);
    oy_stack_reset(&meta);
    hostile_call_end(&g_call);
  }
  oy_stack_reset(&cpu);
}

static void meta_gives_the_same_shapes(void** state) {
  (void)state;
  watch();
  g_wrong = 0;
  for (int id = 0; id < OYI_OP_COUNT; id++) {
    if (!is_chosen(id)) continue;
    alarm(SECONDS);
    for (long n = 0, wrong = g_wrong; n < META_CALLS && g_wrong < wrong + 3; n++)
      compare_with_meta(oyi_ops[id], n);
    alarm(0);
  }
  assert_int_equal(g_wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_call_is_too_much),
      cmocka_unit_test(PY_01_nor_under_a_mode),
      cmocka_unit_test(META_03_nor_with_fake_tensors),
      cmocka_unit_test(each_allocation_may_fail),
      cmocka_unit_test(meta_gives_the_same_shapes),
  };
  return cmocka_run_group_tests(tests, open_all, close_all);
}
