// SPDX-License-Identifier: Apache-2.0
// The operator table: PyTorch's schemas word for word, a kernel where it says so, and
// a layer below Autograd for everything that writes or makes views.
#include "ops/op_ids.h"
#include "support/tensors.h"

static char* g_schemas;  // all of PyTorch's, a line each

static int load_schemas(void** state) {
  if (init_library(state) != 0) return -1;
  FILE* in = popen("gzip -dc " OY_SOURCE_DIR "/tests/data/torch-2.6-schemas.txt.gz", "r");
  if (!in) return 0;
  size_t size = 0;
  g_schemas = calloc(1, 4 << 20);
  size = fread(g_schemas, 1, (4 << 20) - 1, in);
  if (pclose(in) != 0 || size == 0) {
    free(g_schemas);
    g_schemas = NULL;
  }
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
               id == OYI_OP_detach;
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
      cmocka_unit_test(every_operator_runs_everywhere),
      cmocka_unit_test(writes_and_views_have_their_layer),
      cmocka_unit_test(invariants_hold),
      cmocka_unit_test(the_library_opens_and_closes),
      cmocka_unit_test(boxed_calls_reach_every_kernel),
  };
  return cmocka_run_group_tests(tests, load_schemas, drop_schemas);
}
