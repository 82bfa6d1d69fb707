// SPDX-License-Identifier: Apache-2.0
// Programs of views and writes, functionalized and not: the same results, the same inputs
// afterwards, the same instructions that fail; and no write that a mode below sees.
#include "programs.h"
#include "slices.h"

enum { OUTPUTS = REGISTERS - PROGRAM_INPUTS };

static oy_status refuse_writes(oy_handler_call* call) {
  const oy_schema* schema = oy_op_schema(call->op);
  bool writes = schema && oy_schema_is_mutable(schema);
  oy_status status =
      writes ? OY_FAIL(FAILED_PRECONDITION, "a write: %s", oy_op_name_of(call->op).data)
             : oy_handler_run(call);
  if (writes) *(int*)call->data += 1;
  return status;
}
static oy_status with_mode(void* data, oy_tensor* const* in, size_t count,
                           oy_tensor** out, size_t outputs) {
  int writes = 0;
  oy_dispatch_mode mode;
  oy_mode_push(&mode, "no writes", refuse_writes, &writes, NULL);
  oy_status status = run_program(data, in, count, out, outputs);
  assert_int_equal(oy_mode_pop(&mode), OY_OK);
  assert_int_equal(writes, 0);
  return status;
}

static void make_inputs(oy_tensor** in, uint64_t seed) {
  static const double numbers[] = {0.5, -1, 2, 0.25, 3, -0.75, 1, 2, -1, 0.5, 4, 3};
  in[0] = oy_tensor_from_data(numbers, OY_DIMS(3, 4), OY_DTYPE_F64);
  in[1] = seed % 2 ? oy_tensor_from_data(numbers + 4, OY_DIMS(4), OY_DTYPE_F64)
                   : oy_tensor_from_data(numbers + 2, OY_DIMS(2, 3, 1), OY_DTYPE_F64);
}
static void release(oy_tensor** t, size_t count) {
  for (size_t i = 0; i < count; i++) oy_tensor_release(t[i]);
}

static void print_program(const program* p) {
  for (size_t i = 0; i < p->size; i++)
    print_error("kind %u: r%u = r%u, r%u, %d, %d\n", p->list[i].kind, p->list[i].to,
                p->list[i].a, p->list[i].b, (int)p->list[i].n, (int)p->list[i].m);
}

static void compare(uint64_t seed, oy_functionalize_remove remove) {
  // Copies of views lie as they please, and so do results made from them.
  program p = draw_program(seed, remove == OY_REMOVE_MUTATIONS);
  oy_tensor *want_in[PROGRAM_INPUTS], *in[PROGRAM_INPUTS], *want[OUTPUTS], *got[OUTPUTS];
  make_inputs(want_in, seed);
  make_inputs(in, seed);
  MUST(run_program(&p, want_in, PROGRAM_INPUTS, want, OUTPUTS));
  const program eager = p;
  const oy_functionalize_params f = {with_mode, &p, remove};
  if (oy_functionalize(&f, in, PROGRAM_INPUTS, got, OUTPUTS) != OY_OK)
    fail_msg("program %llu: %s", (unsigned long long)seed, oy_error_get()->message);
  for (size_t i = 0; i < p.size; i++) {
    if (strcmp(p.failed[i], eager.failed[i]) == 0) continue;
    print_program(&p);
    fail_msg("program %llu, instruction %zu: '%s' and not '%s'", (unsigned long long)seed,
             i, p.failed[i], eager.failed[i]);
  }
  char what[64];
  snprintf(what, sizeof(what), "program %llu, remove %d", (unsigned long long)seed,
           (int)remove);
  for (size_t i = 0; i < OUTPUTS; i++) assert_same_tensor(got[i], want[i], what);
  for (size_t i = 0; i < PROGRAM_INPUTS; i++) assert_same_tensor(in[i], want_in[i], what);
  release(want_in, PROGRAM_INPUTS);
  release(in, PROGRAM_INPUTS);
  release(want, OUTPUTS);
  release(got, OUTPUTS);
}

static void func_01_programs_without_writes(void** state) {
  (void)state;
  for (uint64_t seed = 0; seed < 4000; seed++) compare(seed, OY_REMOVE_MUTATIONS);
}
static void func_01_programs_without_views(void** state) {
  (void)state;
  for (uint64_t seed = 0; seed < 4000; seed++)
    compare(seed, OY_REMOVE_MUTATIONS_AND_VIEWS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(func_01_programs_without_writes),
      cmocka_unit_test(func_01_programs_without_views),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
