// SPDX-License-Identifier: Apache-2.0
// The operator table: PyTorch's schemas word for word, a kernel where it says so, and
// a layer below Autograd for everything that writes or makes views.
#include "ops/op_ids.h"
#include "support/tensors.h"

// Operators that are not composed where PyTorch composes them, and why.
static const struct {
  const char* name;
  const char* why;
} g_elsewhere[] = {
    {"addr", "the kernel for other devices is a composition that nothing here needs yet"},
    {"copy_", "a backend copies to and from itself; PyTorch asks that inside"},
    {"any.dims", "one kernel for all; PyTorch has a default beside it"},
    {"all.dims", "one kernel for all; PyTorch has a default beside it"},
    {"all.dims_out", "one kernel for all; PyTorch has a default beside it"},
    {"native_channel_shuffle", "one kernel for all; PyTorch has a default beside it"},
    {"native_layer_norm",
     "the composition for other devices is one that nothing here needs yet"},
    {"to.dtype_layout", "it makes nothing itself: _to_copy chooses the backend"},
    {"linalg_lstsq",
     "PyTorch composes it of the form with results given; here that calls it"},
    {"silu_backward", "the kernel serves where PyTorch composes it for other backends"},
    {"mish_backward", "the kernel serves where PyTorch composes it for other backends"},
};

static char* g_schemas;  // all of PyTorch's, a line each

static char* read_gzip(const char* name) {
  enum { ROOM = 16 << 20 };
  char command[512];
  snprintf(command, sizeof(command), "gzip -dc " OY_SOURCE_DIR "/tests/data/%s", name);
  FILE* in = popen(command, "r");
  char* text = in ? calloc(1, ROOM) : NULL;
  size_t size = text ? fread(text, 1, ROOM - 1, in) : 0;
  if ((!in || pclose(in) == 0) && size > 0) return text;
  free(text);
  return NULL;
}

static int load_schemas(void** state) {
  if (init_library(state) != 0) return -1;
  g_schemas = read_gzip("torch-2.6-schemas.txt.gz");
  return 0;
}

static int drop_schemas(void** state) {
  free(g_schemas);
  return shut_library(state);
}

static void schemas_are_pytorchs(void** state) {
  (void)state;
  if (!g_schemas) skip();
  for (int id = 0; id < OYI_OP_COUNT; id++) {
    char line[600];
    snprintf(line, sizeof(line), "aten::%s\n", oyi_op_rows[id].schema);
    if (!strstr(g_schemas, line)) fail_msg("PyTorch has no %s", line);
  }
}

static void ids_are_names(void** state) {
  (void)state;
  static const char* const ids[] = {
#define OY_OP(family, id, where, backward, schema, doc) #id,
#include "ops/ops.def"
#undef OY_OP
  };
  for (int id = 0; id < OYI_OP_COUNT; id++) {
    char want[64];
    oy_str name = oyi_op_short_name((oyi_op_id)id);
    snprintf(want, sizeof(want), "%.*s", OY_STR_ARG(name));
    for (char* p = want; *p; p++)
      if (*p == '.') *p = '_';
    assert_string_equal(ids[id], want);
  }
}

static void every_operator_runs_everywhere(void** state) {
  (void)state;
  for (int id = 0; id < OYI_OP_COUNT; id++) {
    bool cpu, meta;
    assert_int_equal(oy_op_has_computed_kernel(oyi_ops[id], OY_KEY_CPU, &cpu), OY_OK);
    assert_int_equal(oy_op_has_computed_kernel(oyi_ops[id], OY_KEY_Meta, &meta), OY_OK);
    // Variants for dtypes are kernels too, though there is none for every dtype.
    cpu = cpu || oy_op_has_kernel(oyi_ops[id], OY_KEY_CPU);
    if (!cpu || !meta) fail_msg("no kernel: %s", oyi_op_rows[id].schema);
  }
}

// -------------------------------------------------------- where PyTorch has kernels

// Which of PyTorch's own registrations for an operator there are.
typedef struct home {
  bool known, cpu, implicit, explicit_, select;
} home;

// The registrations of |name| in a dump of PyTorch's registry (tests/data).
static home home_of(const char* registry, oy_str name) {
  home h = {0};
  char head[96];
  snprintf(head, sizeof(head), "\nop aten::%.*s\n", OY_STR_ARG(name));
  const char* at = strstr(registry, head);
  if (!at) return h;
  h.known = true;
  const char* end = strstr(at + 1, "\nop ");
  // One key serves both here; beside a kernel of the CPU it says nothing.
  bool nonfunctional = false;
  for (const char* line = at + 1; line && (!end || line < end);) {
    h.cpu = h.cpu || strncmp(line, "impl\tCPU\t", 9) == 0;
    h.implicit =
        h.implicit || strncmp(line, "impl\tCompositeImplicitAutograd\t", 31) == 0;
    h.explicit_ =
        h.explicit_ || strncmp(line, "impl\tCompositeExplicitAutograd\t", 31) == 0;
    nonfunctional =
        nonfunctional ||
        strncmp(line, "impl\tCompositeExplicitAutogradNonFunctional\t", 44) == 0;
    h.select = h.select || strncmp(line, "impl\tBackendSelect\t", 19) == 0;
    line = strchr(line, '\n');
    if (line) line++;
  }
  h.explicit_ = h.explicit_ || (nonfunctional && !h.cpu);
  return h;
}

static home home_here(const oy_op* op) {
  return (home){.cpu = oy_op_has_kernel(op, OY_KEY_CPU),
                .implicit = oy_op_has_kernel(op, OY_KEY_CompositeImplicitAutograd),
                .explicit_ = oy_op_has_kernel(op, OY_KEY_CompositeExplicitAutograd),
                .select = oy_op_has_kernel(op, OY_KEY_BackendSelect)};
}

// Composed where PyTorch composes it, so that layers see the same operators.
static void kernels_are_where_pytorch_has_them(void** state) {
  (void)state;
  char* registry = read_gzip("torch-2.6-registry.txt.gz");
  if (!registry) skip();
  int known = 0, different = 0;
  for (int id = 0; id < OYI_OP_COUNT; id++) {
    oy_str name = oyi_op_short_name((oyi_op_id)id);
    home want = home_of(registry, name), have = home_here(oyi_ops[id]);
    known += want.known;
    if (!want.known || (want.cpu == have.cpu && want.implicit == have.implicit &&
                        want.explicit_ == have.explicit_ && want.select == have.select))
      continue;
    bool excused = false;
    for (size_t i = 0; i < sizeof(g_elsewhere) / sizeof(*g_elsewhere); i++)
      excused = excused || oy_str_equal(name, oy_str_of(g_elsewhere[i].name));
    if (excused) continue;
    different++;
    print_message("%.*s: PyTorch has%s%s%s%s, here it is%s%s%s%s\n", OY_STR_ARG(name),
                  want.cpu ? " CPU" : "", want.implicit ? " implicit" : "",
                  want.explicit_ ? " explicit" : "", want.select ? " BackendSelect" : "",
                  have.cpu ? " CPU" : "", have.implicit ? " implicit" : "",
                  have.explicit_ ? " explicit" : "", have.select ? " BackendSelect" : "");
  }
  free(registry);
  assert_true(known > 30);
  assert_int_equal(different, 0);
}

// What writes counts versions, and what makes views knows them, or is composed of
// operators that do.
static void writes_and_views_have_their_layer(void** state) {
  (void)state;
  for (int id = 0; id < OYI_OP_COUNT; id++) {
    const oy_op* op = oyi_ops[id];
    const oy_schema* s = oy_op_schema(op);
    bool needs = oy_schema_is_mutable(s) || oy_schema_is_view(s);
    bool has = oy_op_has_kernel(op, OY_KEY_ADInplaceOrView) ||
               oy_op_has_kernel(op, OY_KEY_CompositeImplicitAutograd) ||
               id == OYI_OP_detach || id == OYI_OP_resize_ || id == OYI_OP_resize_as_;
    if (needs != has && needs) fail_msg("no layer: %s", oyi_op_rows[id].schema);
  }
}

static void invariants_hold(void** state) {
  (void)state;
  assert_int_equal(oy_registry_check_invariants(oy_registry_default()), OY_OK);
}

// Everything registered goes again, and can come back.
static void the_library_opens_and_closes(void** state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    oy_shutdown();
    assert_null(oy_op_schema(oyi_ops[OYI_OP_add_Tensor]));
    assert_int_equal(oy_init(), OY_OK);
    assert_int_equal(oy_init(), OY_OK);
    oy_tensor* a = F32(OY_DIMS(1), 1);
    oy_tensor* b = oy_add_Tensor(a, a, ALPHA1);
    assert_elements(b, OY_DIMS(1), 2);
    oy_tensor_release(b);
    oy_tensor_release(a);
  }
}

static void boxed_calls_reach_every_kernel(void** state) {
  (void)state;
  oy_tensor* a = F32(OY_DIMS(2), 1, 2);
  oy_value storage[8];
  oy_stack stack;
  oy_stack_init(&stack, storage, 8);
  assert_int_equal(oy_stack_push(&stack, oy_value_tensor(a)), OY_OK);
  assert_int_equal(oy_stack_push(&stack, oy_value_tensor(a)), OY_OK);
  assert_int_equal(oy_stack_push(&stack, oy_int(3)), OY_OK);
  assert_int_equal(oy_op_call_boxed(oyi_ops[OYI_OP_add_Tensor], &stack), OY_OK);
  assert_int_equal(stack.size, 1);
  assert_elements(stack.data[0].as.object, OY_DIMS(2), 4, 8);
  oy_stack_reset(&stack);
  oy_tensor_release(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(schemas_are_pytorchs),
      cmocka_unit_test(ids_are_names),
      cmocka_unit_test(kernels_are_where_pytorch_has_them),
      cmocka_unit_test(every_operator_runs_everywhere),
      cmocka_unit_test(writes_and_views_have_their_layer),
      cmocka_unit_test(invariants_hold),
      cmocka_unit_test(the_library_opens_and_closes),
      cmocka_unit_test(boxed_calls_reach_every_kernel),
  };
  return cmocka_run_group_tests(tests, load_schemas, drop_schemas);
}
