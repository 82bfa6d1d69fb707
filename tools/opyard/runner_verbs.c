// SPDX-License-Identifier: Apache-2.0
// What programs can do beyond calling operators:
//   tensor(data, dtype=None, requires_grad=False, device='cpu')
//   print(value, ...)   backward(tensor, gradient=None)   grad(tensor)
#include "base/memory.h"
#include "common.h"
#include "runner.h"
#include "tensors.h"
#include "values.h"

enum { SLOTS_MAX = 4, NUMBERS_MAX = 1 << 24 };

static oy_status fail_at(const cli_runner* r, size_t at, const char* expected,
                         const char* found) {
  return cli_parse_fail(r->program->name, r->program->text, at, expected, "%s", found);
}

// Puts the arguments in the slots of their names; the first is required.
static oy_status bind(const cli_runner* r, const cli_statement* s,
                      const char* const* names, size_t count, const cli_node** slots) {
  for (size_t i = 0; i < count; i++) slots[i] = NULL;
  for (size_t i = 0; i < s->argument_count; i++) {
    const cli_call_argument* a = &s->arguments[i];
    size_t slot = a->keyword.size ? count : i;
    for (size_t k = 0; a->keyword.size && k < count; k++)
      if (oy_str_equal(a->keyword, oy_str_of(names[k]))) slot = k;
    if (slot >= count)
      return a->keyword.size
                 ? cli_parse_fail(r->program->name, r->program->text, a->keyword_at,
                                  "a keyword of this verb", "`%.*s`",
                                  OY_STR_ARG(a->keyword))
                 : fail_at(r, a->value.at, "`)`: this verb takes no more", "an argument");
    if (slots[slot]) return fail_at(r, a->keyword_at, "each argument once", names[slot]);
    slots[slot] = &a->value;
  }
  return slots[0] ? OY_OK : fail_at(r, s->end, names[0], "no argument");
}

// -------------------------------------------------------------------- tensor()

typedef struct numbers {
  const cli_runner* runner;
  cli_literal literal;
  int64_t* ints;
  double *re, *im;
  size_t capacity;
  bool floats, complexes, bools, integers;
} numbers;

// Sizes from the first element of each level, and how many numbers they make.
static oy_status measure(numbers* n, const cli_node* data) {
  cli_literal* literal = &n->literal;
  size_t count = 1;
  for (const cli_node* node = data; node->kind == CLI_NODE_LIST; node = node->items) {
    if (literal->rank == CLI_RANK_MAX)
      return fail_at(n->runner, node->at, "at most 16 dimensions", "more");
    literal->sizes[literal->rank++] = (int64_t)node->count;
    count *= node->count;
    if (count > NUMBERS_MAX)
      return fail_at(n->runner, node->at, "at most 16777216 numbers", "more");
    if (node->count == 0) break;
  }
  n->capacity = count;
  return OY_OK;
}

static oy_status take_number(numbers* n, const cli_node* node) {
  size_t i = n->literal.count;
  if (node->kind == CLI_NODE_INT || node->kind == CLI_NODE_BOOL) {
    n->ints[i] = node->i;
    n->re[i] = (double)node->i;
    n->bools = n->bools || node->kind == CLI_NODE_BOOL;
    n->integers = n->integers || node->kind == CLI_NODE_INT;
  } else if (node->kind == CLI_NODE_FLOAT || node->kind == CLI_NODE_COMPLEX) {
    n->re[i] = node->re;
    n->im[i] = node->im;
    n->floats = true;
    n->complexes = n->complexes || node->kind == CLI_NODE_COMPLEX;
  } else {
    return fail_at(n->runner, node->at, "a number or a bool",
                   node->kind == CLI_NODE_STR    ? "a string"
                   : node->kind == CLI_NODE_NONE ? "None"
                                                 : "a name");
  }
  n->literal.count++;
  return OY_OK;
}

static oy_status take(numbers* n, const cli_node* node, size_t depth) {
  if (depth == n->literal.rank) {
    if (node->kind == CLI_NODE_LIST)
      return fail_at(n->runner, node->at, "a number at this depth", "a list");
    return take_number(n, node);
  }
  char expected[64], found[64];
  snprintf(expected, sizeof expected, "a list of %lld",
           (long long)n->literal.sizes[depth]);
  snprintf(found, sizeof found, "one of %zu", node->count);
  if (node->kind != CLI_NODE_LIST)
    return fail_at(n->runner, node->at, expected, "a number");
  if (node->count != (size_t)n->literal.sizes[depth])
    return fail_at(n->runner, node->at, expected, found);
  for (size_t i = 0; i < node->count; i++) OY_TRY(take(n, &node->items[i], depth + 1));
  return OY_OK;
}

// PyTorch's defaults: int64, float32, complex64, bool.
static oy_dtype default_dtype(const numbers* n) {
  if (n->complexes) return OY_DTYPE_C64;
  if (n->floats || n->literal.count == 0) return OY_DTYPE_F32;
  return n->integers ? OY_DTYPE_I64 : OY_DTYPE_BOOL;
}

static oy_status take_options(numbers* n, const cli_node* const* slots) {
  static const oy_type device_type = {.kind = OY_TYPE_DEVICE};
  const cli_runner* r = n->runner;
  cli_literal* literal = &n->literal;
  oy_value value;
  if (slots[1] && slots[1]->kind != CLI_NODE_NONE) {
    bool named =
        slots[1]->kind == CLI_NODE_NAME && oy_dtype_find(slots[1]->text, &literal->dtype);
    if (!named)
      return fail_at(r, slots[1]->at, "a dtype such as float32", "another value");
  }
  if (slots[2]) {
    if (slots[2]->kind != CLI_NODE_BOOL)
      return fail_at(r, slots[2]->at, "True or False", "another value");
    literal->requires_grad = slots[2]->i != 0;
  }
  if (slots[3]) {
    if (slots[3]->kind != CLI_NODE_STR)
      return fail_at(r, slots[3]->at, "a device such as 'cpu'", "another value");
    OY_TRY(cli_runner_value(r, slots[3], &device_type, &value));
    bool known = value.tag == OY_TAG_DEVICE;
    if (known) literal->device = value.as.device;
    oy_value_release(&value);
    if (!known)
      return fail_at(r, slots[3]->at, "a device such as 'cpu' or 'cuda:0'",
                     "another string");
  }
  return OY_OK;
}

static oy_status make_tensor(numbers* n, const cli_node* const* slots,
                             oy_value* out_value) {
  OY_TRY(measure(n, slots[0]));
  n->ints = oyi_calloc(n->capacity + 1, sizeof *n->ints);
  n->re = oyi_calloc(n->capacity + 1, sizeof *n->re);
  n->im = oyi_calloc(n->capacity + 1, sizeof *n->im);
  if (!n->ints || !n->re || !n->im) return OY_OUT_OF_MEMORY;
  OY_TRY(take(n, slots[0], 0));
  n->literal.dtype = default_dtype(n);
  n->literal.ints = n->floats ? NULL : n->ints;
  n->literal.re = n->re;
  n->literal.im = n->im;
  n->literal.device = (oy_device){.backend = OY_BACKEND_CPU, .index = -1};
  OY_TRY(take_options(n, slots));
  oy_status status = cli_tensor_make(&n->literal, out_value);
  return status == OY_OK ? OY_OK : cli_runner_locate(n->runner, slots[0]->at);
}

static oy_status verb_tensor(cli_runner* r, const cli_statement* s, oy_stack* results) {
  static const char* const names[] = {"data", "dtype", "requires_grad", "device"};
  const cli_node* slots[4];
  OY_TRY(bind(r, s, names, 4, slots));
  numbers n = {.runner = r};
  oy_value value;
  oy_status status = make_tensor(&n, slots, &value);
  oyi_free(n.ints);
  oyi_free(n.re);
  oyi_free(n.im);
  return status == OY_OK ? oy_stack_push(results, value) : status;
}

// --------------------------------------------------------------------- others

static oy_status verb_print(cli_runner* r, const cli_statement* s, oy_stack* results) {
  for (size_t i = 0; i < s->argument_count; i++) {
    oy_value value;
    if (s->arguments[i].keyword.size)
      return fail_at(r, s->arguments[i].keyword_at, "a value to print", "a keyword");
    OY_TRY(cli_runner_value(r, &s->arguments[i].value, NULL, &value));
    OY_TRY(oy_stack_push(results, value));
  }
  if (r->print) r->print(r->user_data, results->data, results->size);
  oy_stack_drop(results, results->size);
  return OY_OK;
}

static oy_status tensor_of(const cli_runner* r, const cli_node* node,
                           oy_value* out_value) {
  OY_TRY(cli_runner_value(r, node, NULL, out_value));
  if (out_value->tag == OY_TAG_TENSOR) return OY_OK;
  char found[64];
  snprintf(found, sizeof found, "%s", oy_value_type_name(*out_value));
  oy_value_release(out_value);
  // NOLINT: bind() fails if the first is missing
  return fail_at(r, node->at, "a tensor", found);
}

static oy_status verb_backward(cli_runner* r, const cli_statement* s, oy_stack* results) {
  static const char* const names[] = {"tensor", "gradient"};
  const cli_node* slots[2];
  (void)results;
  OY_TRY(bind(r, s, names, 2, slots));
  oy_value tensor, gradient = oy_none();
  OY_TRY(tensor_of(r, slots[0], &tensor));
  oy_status status = slots[1] && slots[1]->kind != CLI_NODE_NONE
                         ? tensor_of(r, slots[1], &gradient)
                         : OY_OK;
  if (status == OY_OK) {
    status = cli_tensor_backward(tensor.as.object, oy_value_to_tensor(gradient));
    r->call_failed = status != OY_OK;
    if (status != OY_OK) status = cli_runner_locate(r, s->callee_at);
  }
  oy_value_release(&gradient);
  oy_value_release(&tensor);
  return status;
}

static oy_status verb_grad(cli_runner* r, const cli_statement* s, oy_stack* results) {
  static const char* const names[] = {"tensor"};
  const cli_node* slots[1];
  OY_TRY(bind(r, s, names, 1, slots));
  oy_value tensor, gradient = oy_none();
  OY_TRY(tensor_of(r, slots[0], &tensor));
  oy_status status = cli_tensor_grad(tensor.as.object, &gradient);
  if (status != OY_OK) status = cli_runner_locate(r, s->callee_at);
  oy_value_release(&tensor);
  return status == OY_OK ? oy_stack_push(results, gradient) : status;
}

oy_status cli_runner_verb(cli_runner* runner, const cli_statement* statement,
                          bool* out_known, oy_stack* results) {
  static const struct {
    const char* name;
    oy_status (*run)(cli_runner* r, const cli_statement* s, oy_stack* results);
  } verbs[] = {{"tensor", verb_tensor},
               {"print", verb_print},
               {"backward", verb_backward},
               {"grad", verb_grad}};
  *out_known = true;
  for (size_t i = 0; i < OY_ARRAY_SIZE(verbs); i++)
    if (oy_str_equal(statement->callee, oy_str_of(verbs[i].name)))
      return verbs[i].run(runner, statement, results);
  *out_known = false;
  return OY_OK;
}
