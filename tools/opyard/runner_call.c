// SPDX-License-Identifier: Apache-2.0
// Operator calls by name. Without an overload, the first whose schema takes the
// arguments is called: the default overload, then the others by name.
#include "base/memory.h"
#include "base/strbuf.h"
#include "common.h"
#include "runner.h"
#include "values.h"

enum { ARGUMENTS_MAX = 64, REJECTED_SHOWN = 8 };

typedef struct attempt {
  cli_runner* runner;
  const cli_statement* statement;
  oy_stack* stack;
  oyi_strbuf rejected;  // a line for each overload that did not fit
  size_t candidates;
} attempt;

static const oy_type* type_for(const oy_schema* schema, const cli_call_argument* argument,
                               size_t position) {
  if (argument->keyword.size == 0)
    return position < schema->argument_count ? schema->arguments[position].type : NULL;
  for (size_t i = 0; i < schema->argument_count; i++)
    if (oy_str_equal(schema->arguments[i].name, argument->keyword))
      return schema->arguments[i].type;
  return NULL;
}

// Pushes the arguments and the defaults. A mistake that no other overload would
// forgive (an unknown name) sets *out_final.
static oy_status push_arguments(attempt* a, const oy_op* op, bool* out_final) {
  const cli_statement* s = a->statement;
  const oy_schema* schema = oy_op_schema(op);
  oy_str names[ARGUMENTS_MAX];
  size_t name_count = 0;
  *out_final = true;
  for (size_t i = 0; i < s->argument_count; i++) {
    oy_value value;
    OY_TRY(cli_runner_value(a->runner, &s->arguments[i].value,
                            type_for(schema, &s->arguments[i], i), &value));
    OY_TRY(oy_stack_push(a->stack, value));
    if (s->arguments[i].keyword.size) names[name_count++] = s->arguments[i].keyword;
  }
  *out_final = false;
  return oy_op_push_defaults(op, a->stack, s->argument_count, names, name_count);
}

static oy_status try_op(attempt* a, const oy_op* op, bool* out_taken) {
  bool final;
  a->candidates++;
  *out_taken = true;
  oy_status status = push_arguments(a, op, &final);
  if (status == OY_OK) {
    status = oy_op_call_boxed(op, a->stack);
    if (status == OY_OK) return OY_OK;
    a->runner->call_failed = true;
    return cli_runner_locate(a->runner, a->statement->callee_at);
  }
  if (final || status == OY_OUT_OF_MEMORY) return status;
  oy_stack_drop(a->stack, a->stack->size);
  *out_taken = false;
  if (a->candidates <= REJECTED_SHOWN) {
    // The first line says what is wrong; the schema that follows is its own line.
    const char* message = oy_error_get()->message;
    oyi_strbuf_printf(&a->rejected, "\n  %.*s: %.*s", OY_STR_ARG(oy_op_name_of(op)),
                      (int)strcspn(message, "\n"), message);
  } else if (a->candidates == REJECTED_SHOWN + 1) {
    oyi_strbuf_puts(&a->rejected, "\n  ...");
  }
  return OY_OK;
}

static bool name_fits(oy_str full, const oy_op_name* wanted) {
  oy_op_name name;
  if (oy_op_name_parse(full, &name) != OY_OK) return false;
  return oy_str_equal(name.base, wanted->base) &&
         (wanted->ns.size == 0 || oy_str_equal(name.ns, wanted->ns)) &&
         (wanted->overload.size == 0 || oy_str_equal(name.overload, wanted->overload));
}

static oy_status try_all(attempt* a, const oy_op_name* wanted, bool* out_taken) {
  const oy_op** ops;
  size_t count;
  OY_TRY(oy_registry_list(a->runner->registry, &ops, &count));
  oy_status status = OY_OK;
  *out_taken = false;
  // aten first: what a plain name means does not change when a plugin is loaded.
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < count && status == OY_OK && !*out_taken; i++) {
      oy_str full = oy_op_name_of(ops[i]);
      bool aten = full.size > 6 && memcmp(full.data, "aten::", 6) == 0;
      if (aten == (pass == 0) && oy_op_schema(ops[i]) && name_fits(full, wanted))
        status = try_op(a, ops[i], out_taken);
    }
  oy_ops_free(ops);
  return status;
}

static oy_status no_such_operator(const attempt* a) {
  const cli_program* p = a->runner->program;
  char nearest[256];
  cli_nearest(a->runner->registry, a->statement->callee, nearest, sizeof nearest);
  return cli_parse_fail(p->name, p->text, a->statement->callee_at,
                        "an operator, or one of tensor print backward grad", "`%.*s`%s%s",
                        OY_STR_ARG(a->statement->callee), nearest[0] ? "; nearest: " : "",
                        nearest);
}

static oy_status no_overload(const attempt* a) {
  oy_str callee = a->statement->callee;
  const char* why = a->rejected.data ? a->rejected.data : "";
  // With one candidate its message is all there is to say.
  if (a->candidates == 1) {
    const char* colon = strstr(why, ": ");
    (void)OY_FAIL(TYPE_MISMATCH, "%s", colon ? colon + 2 : why);
  } else {
    (void)OY_FAIL(TYPE_MISMATCH,
                  "expected arguments that an overload of %.*s takes, found none that "
                  "does:%s",
                  OY_STR_ARG(callee), why);
  }
  return cli_runner_locate(a->runner, a->statement->callee_at);
}

oy_status cli_runner_call(cli_runner* runner, const cli_statement* statement,
                          oy_stack* results) {
  const cli_program* p = runner->program;
  oy_op_name wanted;
  if (oy_op_name_parse(statement->callee, &wanted) != OY_OK)
    return cli_runner_locate(runner, statement->callee_at);
  if (statement->argument_count > ARGUMENTS_MAX)
    return cli_parse_fail(p->name, p->text, statement->callee_at, "at most 64 arguments",
                          "%zu", statement->argument_count);
  attempt a = {.runner = runner,
               .statement = statement,
               .stack = results,
               .rejected = OYI_STRBUF_INIT};
  bool taken;
  oy_status status = try_all(&a, &wanted, &taken);
  if (status == OY_OK && !taken)
    status = a.candidates ? no_overload(&a) : no_such_operator(&a);
  oyi_strbuf_reset(&a.rejected);
  return status;
}
