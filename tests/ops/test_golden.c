// SPDX-License-Identifier: Apache-2.0
// Operators against results that PyTorch gave, through boxed calls: some samples of every
// operator and dtype that PyTorch's own tests have. What the table does not have yet, or
// not for that dtype, is counted and left out; everything else must agree, but for as many
// calls of an operator as tests/data/golden-differences.txt says.
#include "ops/golden.h"
#include "support/tensors.h"

enum { NAME_SIZE = 80, DIFFERENCES_MAX = 256 };

// "aten::addmm 3 why": what is known to differ.
typedef struct difference {
  char op[NAME_SIZE];
  int allowed, found;
} difference;
static difference g_known[DIFFERENCES_MAX];
static size_t g_known_count;

static void read_known(void) {
  FILE* in = fopen(OY_SOURCE_DIR "/tests/data/golden-differences.txt", "r");
  char line[400];
  assert_non_null(in);
  while (fgets(line, sizeof line, in) && g_known_count < DIFFERENCES_MAX) {
    difference* d = &g_known[g_known_count];
    if (line[0] != '#' && sscanf(line, "%79s %d", d->op, &d->allowed) == 2)
      g_known_count++;
  }
  fclose(in);
}

static bool is_known(const char* op) {
  for (size_t i = 0; i < g_known_count; i++)
    if (strcmp(g_known[i].op, op) == 0) return ++g_known[i].found <= g_known[i].allowed;
  return false;
}

typedef enum outcome {
  PASSED,
  FAILED,
  KNOWN,
  NO_OPERATOR,
  NO_DTYPE,
  OTHER_SCHEMA
} outcome;

static outcome differs(const golden_call* call, const char* why) {
  if (is_known(call->op)) return KNOWN;
  print_error("%s: %s\n", call->op, why);
  return FAILED;
}

static outcome compare(const golden_call* call, const oy_stack* stack) {
  char why[200] = "";
  if (stack->size != call->result_count)
    return differs(call, "another number of results");
  for (size_t i = 0; i < stack->size; i++)
    if (!golden_same(call, stack->data[i], call->results[i], why, sizeof why))
      return differs(call, why);
  return PASSED;
}

static outcome run(golden_call* call) {
  const oy_op* op = oy_op_lookup(oy_registry_default(), oy_str_of(call->op));
  if (!op || !oy_op_schema(op)) return NO_OPERATOR;
  oy_value storage[GOLDEN_VALUES_MAX];
  oy_stack stack;
  oy_stack_init(&stack, storage, GOLDEN_VALUES_MAX);
  outcome result = OTHER_SCHEMA;
  if (golden_push(call, op, &stack) == OY_OK) {
    oy_status status = oy_op_call_boxed(op, &stack);
    if (status == OY_OK)
      result = compare(call, &stack);
    else if (status == OY_NOT_IMPLEMENTED)
      result = NO_DTYPE;
    else
      result = differs(call, oy_error_get()->message);
  }
  oy_error_clear();
  oy_stack_reset(&stack);
  return result;
}

static void count(void* counts, golden_call* call) {
  ((size_t*)counts)[run(call)]++;
}

static void operators_agree_with_pytorch(void** state) {
  (void)state;
  read_known();
  size_t counts[OTHER_SCHEMA + 1] = {0};
  golden_each(GOLDEN_FILE, count, counts);
  for (size_t i = 0; i < g_known_count; i++)
    if (g_known[i].found < g_known[i].allowed)
      print_message("%s: %d differ, %d are recorded\n", g_known[i].op, g_known[i].found,
                    g_known[i].allowed);
  print_message(
      "%zu agree, %zu do not, %zu as recorded; %zu without operator, %zu without dtype, "
      "%zu of another schema\n",
      counts[PASSED], counts[FAILED], counts[KNOWN], counts[NO_OPERATOR],
      counts[NO_DTYPE], counts[OTHER_SCHEMA]);
  assert_true(counts[PASSED] > 0);
  assert_int_equal(counts[FAILED], 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(operators_agree_with_pytorch)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
