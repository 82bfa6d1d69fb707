// SPDX-License-Identifier: Apache-2.0
// The dispatch trace (reference, section 7.1): one line per dispatch, before the
// kernel runs, indented by nesting; in every build.
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "opyard/state.h"
#include "support.h"

static char g_lines[4096];

static void collect(void* user_data, const char* line) {
  (void)user_data;
  size_t at = strlen(g_lines);
  snprintf(g_lines + at, sizeof(g_lines) - at, "%s\n", line);
}

static int trace_setup(void** state) {
  g_lines[0] = '\0';
  oy_trace_set_sink(collect, NULL);
  oy_trace_set(false);
  return test_setup(state);
}

static int trace_teardown(void** state) {
  (void)state;
  oy_trace_set(false);
  oy_trace_set_sink(NULL, NULL);
  return 0;
}

// Calls g, typed or boxed.
static oy_object* calls_typed(const oy_op* op, oy_keyset keys, oy_object* self) {
  (void)keys;
  return test_call_t_t(oy_op_lookup(oy_op_registry(op), oy_str_of("test::g.o")), self);
}

static oy_status calls_boxed(const oy_op* op, oy_keyset keys, oy_stack* stack,
                             const oy_kernel* kernel) {
  (void)keys;
  (void)kernel;
  return oy_op_call_boxed(oy_op_lookup(oy_op_registry(op), oy_str_of("test::g.o")),
                          stack);
}

#define KERNEL(op, key_name, ...)                                                  \
  {                                                                                \
    .kind = TEST_IMPL, .text = (op), .key = OY_KEY_##key_name, .debug = #key_name, \
    .kernel = __VA_ARGS__                                                          \
  }
#define T_T(fn) \
  { .typed = (oy_typed_fn)(fn), .signature = "(Tensor) -> Tensor" }

typedef struct world {
  oy_registry* registry;
  oy_library* fallbacks;
  test_libraries libraries;
  const oy_op* f;
} world;

static void begin(world* w, bool boxed) {
  const test_step typed_steps[] = {
      STEP_DEF("f(Tensor x) -> Tensor"), STEP_DEF("g.o(Tensor x) -> Tensor"),
      KERNEL("f", AutogradCPU, T_T(test_kernel_t_t_next)),
      KERNEL("f", CPU, T_T(calls_typed)), KERNEL("g.o", CPU, T_T(test_kernel_t_t))};
  const test_step boxed_steps[] = {
      STEP_DEF("f(Tensor x) -> Tensor"), STEP_DEF("g.o(Tensor x) -> Tensor"),
      KERNEL("f", AutogradCPU, {.boxed = test_kernel_boxed_next}),
      KERNEL("f", CPU, {.boxed = calls_boxed}),
      KERNEL("g.o", CPU, {.boxed = test_kernel_boxed})};
  w->registry = test_registry_with_fallbacks(&w->fallbacks);
  test_register(w->registry, "test", boxed ? boxed_steps : typed_steps, 5, &w->libraries);
  w->f = test_find(w->registry, "test::f");
}

static void end(world* w) {
  test_close(&w->libraries);
  oy_library_close(w->fallbacks);
  oy_registry_destroy(w->registry);
}

// Callers and kernels of both conventions: the line tells how one called.
static void OBS_01_lines_and_nesting(void** state) {
  (void)state;
  static const char* const expected[2][2] = {
      {" [call] op=[test::f], key=[AutogradCPU]\n"
       "  [redispatch] op=[test::f], key=[CPU]\n"
       "   [call] op=[test::g.o], key=[CPU]\n",
       " [callBoxed] op=[test::f], key=[AutogradCPU]\n"
       "  [redispatch] op=[test::f], key=[CPU]\n"
       "   [call] op=[test::g.o], key=[CPU]\n"},
      {" [call] op=[test::f], key=[AutogradCPU]\n"
       "  [redispatchBoxed] op=[test::f], key=[CPU]\n"
       "   [callBoxed] op=[test::g.o], key=[CPU]\n",
       " [callBoxed] op=[test::f], key=[AutogradCPU]\n"
       "  [redispatchBoxed] op=[test::f], key=[CPU]\n"
       "   [callBoxed] op=[test::g.o], key=[CPU]\n"}};
  test_tensor x = test_tensor_of(TEST_GRAD(CPU));
  for (int kernels = 0; kernels < 2; kernels++)
    for (int caller = 0; caller < 2; caller++) {
      world w;
      begin(&w, kernels);
      oy_trace_set(true);
      assert_true(oy_trace_get());
      for (int i = 0; i < 2; i++) {  // the depth comes back
        g_lines[0] = '\0';
        if (caller)
          assert_ok(test_call_boxed(w.f, &x.object));
        else
          assert_ptr_equal(test_call_t_t(w.f, &x.object), &x.object);
        assert_string_equal(g_lines, expected[kernels][caller]);
      }
      oy_trace_set(false);
      assert_false(oy_trace_get());
      g_lines[0] = '\0';
      assert_ptr_equal(test_call_t_t(w.f, &x.object), &x.object);
      assert_string_equal(g_lines, "");
      end(&w);
    }
}

// A call that fails is traced, with the key that had no kernel; the depth is
// right afterwards.
static void OBS_01_failing_calls(void** state) {
  (void)state;
  world w;
  begin(&w, false);
  oy_library_close(w.libraries.library[--w.libraries.count]);  // g has no kernel
  test_tensor x = test_tensor_of(TEST_GRAD(CPU)), xla = test_tensor_of(TEST_PLAIN(XLA));
  oy_trace_set(true);
  assert_null(test_call_t_t(w.f, &x.object));
  assert_contains(test_message(), "Could not run 'test::g.o'");
  assert_null(test_call_t_t(w.f, &xla.object));
  assert_string_equal(g_lines,
                      " [call] op=[test::f], key=[AutogradCPU]\n"
                      "  [redispatch] op=[test::f], key=[CPU]\n"
                      "   [call] op=[test::g.o], key=[CPU]\n"
                      " [call] op=[test::f], key=[XLA]\n");
  end(&w);
}

static void OBS_01_no_tensors(void** state) {
  (void)state;
  oy_library* fallbacks;
  oy_registry* registry = test_registry_with_fallbacks(&fallbacks);
  static const test_step steps[] = {STEP_DEF("n() -> ()"),
                                    STEP_BOXED("n", CompositeImplicitAutograd, "n")};
  test_libraries libraries;
  test_register(registry, "test", steps, 2, &libraries);
  oy_trace_set(true);
  assert_ok(test_call_void(test_find(registry, "test::n")));
  assert_string_equal(g_lines, " [call] op=[test::n], key=[Undefined]\n");
  test_close(&libraries);
  oy_library_close(fallbacks);
  oy_registry_destroy(registry);
}

// What a kernel sees does not tell that it is traced; fallthroughs stay skipped.
static void OBS_01_kernels_see_the_same(void** state) {
  (void)state;
  oy_library* fallbacks;
  oy_registry* registry = test_registry_with_fallbacks(&fallbacks);
  static const test_step steps[] = {STEP_DEF("f(Tensor x) -> Tensor"),
                                    STEP_IMPL("f", CPU, "cpu")};
  test_libraries libraries;
  test_register(registry, "test", steps, 2, &libraries);
  const oy_op* op = test_find(registry, "test::f");
  test_tensor x = test_tensor_of(TEST_GRAD(CPU));
  char plain[256], traced[256];
  test_log_clear();
  assert_ptr_equal(test_call_t_t(op, &x.object), &x.object);
  oy_trace_set(true);
  assert_ptr_equal(test_call_t_t(op, &x.object), &x.object);
  oy_trace_set(false);
  assert_string_equal(test_log(), "cpu cpu");
  oy_keyset_print(test_log_keys(0), plain, sizeof(plain));
  oy_keyset_print(test_log_keys(1), traced, sizeof(traced));
  assert_string_equal(plain, traced);
  assert_string_equal(g_lines, " [call] op=[test::f], key=[CPU]\n");
  test_close(&libraries);
  oy_library_close(fallbacks);
  oy_registry_destroy(registry);
}

// The trace is part of neither set that a user sees, and survives guards.
static void OBS_01_trace_and_guards(void** state) {
  (void)state;
  world w;
  begin(&w, false);
  oy_keyset included = oy_included_get(), excluded = oy_excluded_get();
  oy_trace_set(true);
  assert_true(oy_keyset_equal(oy_included_get(), included));
  assert_true(oy_keyset_equal(oy_excluded_get(), excluded));
  test_tensor x = test_tensor_of(TEST_PLAIN(CPU));
  oy_guard guard = oy_guard_force(oy_keyset_empty(), oy_keyset_empty());
  assert_true(oy_trace_get());
  assert_ptr_equal(test_call_t_t(w.f, &x.object), &x.object);
  assert_contains(g_lines, " [call] op=[test::f], key=[CPU]\n");
  oy_guard_end(&guard);
  assert_true(oy_trace_get());
  oy_dispatch_state_set((oy_dispatch_state){{0, 0}, {0, 0}});
  assert_true(oy_trace_get());
  end(&w);
}

static void* is_traced(void* out) {
  *(bool*)out = oy_trace_get();
  return NULL;
}

static void OBS_01_one_thread_only(void** state) {
  (void)state;
  bool other = true;
  pthread_t thread;
  oy_trace_set(true);
  assert_int_equal(pthread_create(&thread, NULL, is_traced, &other), 0);
  pthread_join(thread, NULL);
  assert_false(other);
  assert_true(oy_trace_get());
}

// ------------------------------------------------------------------ environment

// In a process of its own: calls an operator and prints whether it was traced.
static int child(void) {
  oy_registry* registry;
  oy_library* library;
  oy_keyset none = oy_keyset_empty();
  if (oy_registry_create(&registry) != OY_OK) return 1;
  oy_library_params params = {registry, OY_LIBRARY_DEF, "test", 0, "lib.c", 7};
  if (oy_library_create(&params, &library) != OY_OK) return 1;
  oy_kernel_params kernel = {.boxed = test_kernel_boxed};
  oy_def_params def = {.schema = "n() -> ()", .kernel = &kernel};
  if (oy_library_def(library, &def, NULL) != OY_OK) return 1;
  oy_guard guard = oy_guard_force(none, none);
  oy_status status = test_call_void(oy_op_lookup(registry, oy_str_of("test::n")));
  oy_guard_end(&guard);
  oy_library_close(library);
  oy_registry_destroy(registry);
  return status;
}

// What the child, this program with an argument, writes to stderr.
static void run_child(const char* variable, const char* value, const char* torch_value,
                      char* out, size_t size) {
  int pipes[2];
  assert_int_equal(pipe(pipes), 0);
  pid_t pid = fork();
  if (pid == 0) {
    unsetenv("OPYARD_SHOW_DISPATCH_TRACE");
    unsetenv("TORCH_SHOW_DISPATCH_TRACE");
    if (value) setenv(variable, value, 1);
    if (torch_value) setenv("TORCH_SHOW_DISPATCH_TRACE", torch_value, 1);
    dup2(pipes[1], 2);
    execl("/proc/self/exe", "test_trace", "--child", (char*)NULL);
    _exit(99);
  }
  close(pipes[1]);
  size_t at = 0;
  for (ssize_t n; (n = read(pipes[0], out + at, size - 1 - at)) > 0;) at += (size_t)n;
  out[at] = '\0';
  close(pipes[0]);
  int status = -1;
  waitpid(pid, &status, 0);
  assert_int_equal(status, 0);
}

static void OBS_01_environment(void** state) {
  (void)state;
  static const char line[] = " [call] op=[test::n], key=[Undefined]\n";
  static const char own[] = "OPYARD_SHOW_DISPATCH_TRACE",
                    torch[] = "TORCH_SHOW_DISPATCH_TRACE";
  static const struct {
    const char *variable, *value, *torch;
    bool traced;
    bool note;
  } rows[] = {
      {own, NULL, NULL, false, false},  {own, "0", NULL, false, false},
      {own, "1", NULL, true, false},    {own, "2", NULL, false, true},
      {own, "yes", NULL, false, true},  {own, "", NULL, false, true},
      {own, "01", NULL, false, true},   {torch, "1", NULL, true, false},
      {torch, "0", NULL, false, false}, {torch, "on", NULL, false, true},
      {own, "0", "1", false, false},    {own, "1", "0", true, false},
  };
  for (size_t i = 0; i < TEST_COUNT(rows); i++) {
    char text[2048];
    run_child(rows[i].variable, rows[i].value, rows[i].torch, text, sizeof(text));
    const char* at = strstr(text, line);
    bool empty = rows[i].value && !*rows[i].value;  // may count as not set
    bool note = strstr(text, "ignoring invalid value for ") != NULL &&
                strstr(text, " valid values are 0 or 1.") != NULL;
    if ((at != NULL) != rows[i].traced || (note != rows[i].note && !empty))
      fail_msg("%s=%s gave:\n%s", rows[i].variable, rows[i].value, text);
  }
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "--child") == 0) return child();
#define TRACE(name) cmocka_unit_test_setup_teardown(name, trace_setup, trace_teardown)
  const struct CMUnitTest tests[] = {
      TRACE(OBS_01_lines_and_nesting), TRACE(OBS_01_failing_calls),
      TRACE(OBS_01_no_tensors),        TRACE(OBS_01_kernels_see_the_same),
      TRACE(OBS_01_trace_and_guards),  TRACE(OBS_01_one_thread_only),
      TRACE(OBS_01_environment),
  };
  return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
