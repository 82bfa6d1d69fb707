// SPDX-License-Identifier: Apache-2.0
// The second program of `opyard demo`: one operator, six kernels, and which of
// them a call picks. The registry is a sandbox and the kernels only report their
// own names, so that it runs on a machine without a GPU.
#include "argspec.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "common.h"
#include "demo.h"
#include "run.h"

typedef struct standin {
  oy_key key;
  oy_dtype dtype;
  const char* name;
  bool is_layer;  // dispatches again below itself
} standin;

static const standin standins[] = {
    {OY_KEY_CPU, OY_DTYPE_F32, "cpu_matmul_f32", false},
    {OY_KEY_CPU, OY_DTYPE_F64, "cpu_matmul_f64", false},
    {OY_KEY_CUDA, OY_DTYPE_F32, "cuda_matmul_f32", false},
    {OY_KEY_CUDA, OY_DTYPE_F16, "cuda_matmul_f16", false},
    {OY_KEY_AutogradCUDA, OY_DTYPE_F32, "autograd_matmul_f32", true},
    {OY_KEY_QuantizedCPU, OY_DTYPE_I8, "quantized_cpu_matmul_i8", false},
};

static const char* const calls[] = {"cuda:f32:grad", "cuda:f16", "cpu:f32",
                                    "cpu:i8:quantized", "cuda:f64"};

// The names that the kernels of the current call reported.
static oyi_strbuf reported = OYI_STRBUF_INIT;

static oy_object result = {.flags = OY_OBJECT_STATIC, .references = 1};

static oy_status standin_kernel(const oy_op* op, oy_keyset keys, oy_stack* stack,
                                const oy_kernel* kernel) {
  const standin* self = kernel->user_data;
  oyi_strbuf_printf(&reported, "%s%s", reported.size ? " -> " : "", self->name);
  if (self->is_layer)
    return oy_op_redispatch_boxed(
        op, oy_keyset_and(keys, oy_keyset_full_after(OY_KEY_AutogradFunctionality)),
        stack);
  oy_stack_drop(stack, op->argument_count);
  return oy_stack_push(stack, oy_value_tensor(&result));
}

// Keys that every call carries and nobody here has a kernel for.
static oy_status register_fallthroughs(oy_registry* registry, oy_library** out_library) {
  const oy_library_params params = {.registry = registry,
                                    .kind = OY_LIBRARY_IMPL,
                                    .ns = "_",
                                    .file = __FILE__,
                                    .line = __LINE__};
  static const oy_key keys[] = {OY_KEY_BackendSelect, OY_KEY_ADInplaceOrView};
  OY_TRY(oy_library_create(&params, out_library));
  for (size_t i = 0; i < OY_ARRAY_SIZE(keys); i++)
    OY_TRY(oy_library_fallback(*out_library, keys[i], &OY_FALLTHROUGH, OY_HERE, NULL));
  return OY_OK;
}

static oy_status register_all(oy_registry* registry, oy_library** out_library) {
  const oy_library_params params = {.registry = registry,
                                    .kind = OY_LIBRARY_DEF,
                                    .ns = "demo",
                                    .file = __FILE__,
                                    .line = __LINE__};
  OY_TRY(oy_library_create(&params, out_library));
  const oy_def_params def = {.schema = "matmul(Tensor self, Tensor other) -> Tensor",
                             .place = OY_HERE};
  OY_TRY(oy_library_def(*out_library, &def, NULL));
  for (size_t i = 0; i < OY_ARRAY_SIZE(standins); i++) {
    const standin* s = &standins[i];
    const oy_impl_params impl = {
        .name = "matmul",
        .key = s->key,
        .kernel = {.boxed = standin_kernel,
                   .state = (void*)(uintptr_t)s,
                   .dtype_filter = OY_FOR_DTYPE(s->dtype)},
        .place = {.debug = s->name},
    };
    OY_TRY(oy_library_impl(*out_library, &impl, NULL));
  }
  return OY_OK;
}

static void show_registered(cli_json* json) {
  if (json) {
    cli_json_open(json, "registered", '[');
    for (size_t i = 0; i < OY_ARRAY_SIZE(standins); i++) {
      cli_json_open(json, NULL, '{');
      cli_json_text(json, "key", oy_key_name(standins[i].key));
      cli_json_text(json, "dtype", oy_dtype_name(standins[i].dtype));
      cli_json_text(json, "kernel", standins[i].name);
      cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    return;
  }
  printf("%s2. matmul: six kernels, and who runs%s\n\n", cli_colour("bold"),
         cli_colour("off"));
  for (size_t i = 0; i < OY_ARRAY_SIZE(standins); i += 2)
    printf("  %-12s %-8s %-20s  %-12s %-8s %s\n", oy_key_name(standins[i].key),
           oy_dtype_name(standins[i].dtype), standins[i].name,
           oy_key_name(standins[i + 1].key), oy_dtype_name(standins[i + 1].dtype),
           standins[i + 1].name);
  putchar('\n');
}

// Breaks lines at blanks, so that a long message stays on the screen.
static void print_wrapped(const char* text) {
  enum { WIDTH = 90 };
  while (*text) {
    size_t size = strcspn(text, "\n");
    if (size > WIDTH) {
      size = WIDTH;
      while (size > 0 && text[size] != ' ') size--;
      if (size == 0) size = WIDTH;
    }
    printf("      %.*s\n", (int)size, text);
    text += size;
    text += *text == '\n' || *text == ' ';
  }
}

static void show_call(cli_json* json, const char* spec, const cli_trace_log* log,
                      oy_status status) {
  const char* ran = reported.size ? reported.data : "no kernel";
  if (!json) {
    printf("  matmul(%s)%*s %s%s%s\n", spec, 17 - (int)strlen(spec), "",
           cli_colour(status == OY_OK ? "green" : "red"), ran, cli_colour("off"));
    for (size_t i = 0; i < log->count; i++)
      printf("    %s%s%s\n", cli_colour("dim"), log->lines[i], cli_colour("off"));
    if (status != OY_OK) print_wrapped(oy_error_get()->message);
    return;
  }
  cli_json_open(json, NULL, '{');
  cli_json_text(json, "arguments", spec);
  cli_json_text(json, "ran", ran);
  cli_json_open(json, "trace", '[');
  for (size_t i = 0; i < log->count; i++) cli_json_text(json, NULL, log->lines[i]);
  cli_json_close(json, ']');
  if (status != OY_OK) cli_json_text(json, "error", oy_error_get()->message);
  cli_json_close(json, '}');
}

// One call with two stand-in tensors; an error of its own is shown, not returned.
static oy_status call(const oy_op* op, const char* spec, cli_json* json) {
  oy_argument_keys keys;
  OY_TRY(cli_argspec_parse(oy_str_of(spec), "demo", &keys));
  static const oy_object_class stand_in = {"Tensor", NULL};
  oy_object tensor = {.keys = keys.keys,
                      .klass = &stand_in,
                      .references = 1,
                      .dtype = keys.dtype,
                      .flags = OY_OBJECT_STATIC};
  result.klass = &stand_in;
  oy_value storage[4];
  oy_stack stack;
  oy_stack_init(&stack, storage, 4);
  OY_TRY(oy_stack_push(&stack, oy_value_tensor(&tensor)));
  OY_TRY(oy_stack_push(&stack, oy_value_tensor(&tensor)));
  cli_trace_log log = {NULL, 0, 0};
  cli_trace_start(&log);
  oy_status status = oy_op_call_boxed(op, &stack);
  cli_trace_stop();
  show_call(json, spec, &log, status);
  cli_trace_log_reset(&log);
  oy_stack_reset(&stack);
  oyi_strbuf_reset(&reported);
  return OY_OK;
}

static const char explanation[] =
    "Why: the highest key of the arguments names the slot (Autograd, then CUDA, then "
    "CPU),\n"
    "and the dtype of the call picks the kernel in it. `opyard explain` says why others "
    "lost.\n";

static oy_status run(oy_registry* registry, oy_library** libraries, cli_json* json) {
  const oy_op* op;
  OY_TRY(register_fallthroughs(registry, &libraries[0]));
  OY_TRY(register_all(registry, &libraries[1]));
  OY_TRY(oy_op_find(registry, oy_str_of("demo::matmul"), &op));
  show_registered(json);
  if (json) cli_json_open(json, "calls", '[');
  for (size_t i = 0; i < OY_ARRAY_SIZE(calls); i++) OY_TRY(call(op, calls[i], json));
  if (json)
    cli_json_close(json, ']');
  else
    printf("\n%s", explanation);
  return OY_OK;
}

oy_status cli_demo_matmul(cli_json* json) {
  oy_registry* registry;
  oy_library* libraries[2] = {NULL, NULL};
  OY_TRY(oy_registry_create(&registry));
  if (json) {
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "name", "matmul");
  }
  oy_status status = run(registry, libraries, json);
  if (json) cli_json_close(json, '}');
  oy_library_close(libraries[1]);
  oy_library_close(libraries[0]);
  oy_registry_destroy(registry);
  return status;
}
