// SPDX-License-Identifier: Apache-2.0
// Checks what a front end wants to call an operator with, against its schema:
// places keywords, converts what PyTorch converts, fills in the defaults
// (PyTorch reference, section 2.7, whose order of checks and texts these are).
// Whether one value is of a type is value_check.c's business.
#include "base/memory.h"
#include "base/strbuf.h"
#include "dispatch/op_schema.h"
#include "dispatch/value_check.h"
#include "opyard/dispatcher.h"

enum { MAX_ARGUMENTS = 64 };

// The values of one call on their way to their places. They belong to it.
typedef struct call {
  const oy_op* op;
  const oy_schema* schema;
  size_t positional;
  const oy_str* names;
  size_t name_count;
  oy_value given[MAX_ARGUMENTS];   // positional ones, then keywords
  oy_value placed[MAX_ARGUMENTS];  // by argument
  bool used[MAX_ARGUMENTS];        // keywords that found their argument
} call;

static oy_str base_name(const oy_schema* schema) {
  oy_str name = schema->full_name;
  if (schema->name.overload.size) name.size -= schema->name.overload.size + 1;
  return name;
}

// Sets the error: the operator's name, |format|, and then the declaration after
// |label|.
static oy_status fail(const call* c, oy_status code, oy_str argument, const char* label,
                      oyi_strbuf* text) {
  char* declaration = NULL;
  if (oy_schema_print(c->schema, &declaration) != OY_OK) declaration = NULL;
  oyi_strbuf_printf(text, "%s%s", label, declaration ? declaration : "?");
  oy_text_free(declaration);
  oy_error_set(code, __FILE__, __LINE__, "%s",
               text->failed ? "the arguments do not fit the schema" : text->data);
  oy_error_set_op(c->schema->full_name);
  oy_error_set_argument(argument);
  oyi_strbuf_reset(text);
  return code;
}

static oy_status too_many(const call* c, size_t count) {
  oyi_strbuf text = OYI_STRBUF_INIT;
  oyi_strbuf_str(&text, base_name(c->schema));
  oyi_strbuf_printf(&text,
                    "() expected at most %zu argument(s) but received %zu argument(s).",
                    c->schema->argument_count, count);
  return fail(c, OY_INVALID_ARGUMENT, oy_str_of(""), " Declaration: ", &text);
}

static oy_status missing(const call* c, const oy_argument* argument) {
  oyi_strbuf text = OYI_STRBUF_INIT;
  oyi_strbuf_str(&text, base_name(c->schema));
  oyi_strbuf_printf(&text, "() is missing value for argument '%.*s'.",
                    OY_STR_ARG(argument->name));
  return fail(c, OY_INVALID_ARGUMENT, argument->name, " Declaration: ", &text);
}

static oy_status bad_keyword(const call* c, oy_str name, bool twice) {
  oyi_strbuf text = OYI_STRBUF_INIT;
  oy_str op = base_name(c->schema);
  oyi_strbuf_printf(&text,
                    twice ? "Argument '%.*s' specified twice for operator '%.*s'."
                          : "Unknown keyword argument '%.*s' for operator '%.*s'.",
                    OY_STR_ARG(name), OY_STR_ARG(op));
  return fail(c, OY_INVALID_ARGUMENT, name, " Schema: ", &text);
}

static oy_status wrong_type(const call* c, size_t i, oy_value v, bool by_position) {
  const oy_argument* argument = &c->schema->arguments[i];
  oyi_strbuf text = OYI_STRBUF_INIT;
  oyi_strbuf_str(&text, base_name(c->schema));
  oyi_strbuf_puts(&text, "() Expected a value of type '");
  oyi_type_describe(&text, argument->type);
  oyi_strbuf_printf(&text, "' for argument '%.*s' but instead found type '",
                    OY_STR_ARG(argument->name));
  oyi_value_describe_type(&text, v);
  oyi_strbuf_puts(&text, "'.\n");
  if (by_position) oyi_strbuf_printf(&text, "Position: %zu\n", i);
  oyi_strbuf_puts(&text, "Value: ");
  oyi_value_describe(&text, v);
  return fail(c, OY_TYPE_MISMATCH, argument->name, "\nDeclaration: ", &text);
}

// ----------------------------------------------------------------------- place

static oy_status check(call* c, size_t i, bool by_position) {
  switch (oyi_value_check(&c->placed[i], c->schema->arguments[i].type)) {
    case OYI_CONVERTED: return OY_OK;
    case OYI_CONVERT_NO_MEMORY: return OY_OUT_OF_MEMORY;
    default: return wrong_type(c, i, c->placed[i], by_position);
  }
}

// The first keyword of that name that was not used; name_count if none.
static size_t find_keyword(const call* c, oy_str name) {
  size_t i = 0;
  while (i < c->name_count && (c->used[i] || !oy_str_equal(c->names[i], name))) i++;
  return i;
}

static void move(oy_value* to, oy_value* from) {
  *to = *from;
  *from = oy_none();
}

static oy_status place(call* c, size_t i) {
  const oy_argument* argument = &c->schema->arguments[i];
  if (i < c->positional) {
    move(&c->placed[i], &c->given[i]);
    return check(c, i, true);
  }
  size_t k = find_keyword(c, argument->name);
  if (k < c->name_count) {
    c->used[k] = true;
    move(&c->placed[i], &c->given[c->positional + k]);
    return check(c, i, false);
  }
  if (argument->default_value.kind == OY_DEFAULT_ABSENT) return missing(c, argument);
  OY_TRY(oyi_default_value(&argument->default_value, argument->type, &c->placed[i]));
  return check(c, i, false);
}

static oy_status place_all(call* c) {
  size_t count = c->positional + c->name_count;
  if (count > c->schema->argument_count) return too_many(c, count);
  for (size_t i = 0; i < c->schema->argument_count; i++) OY_TRY(place(c, i));
  for (size_t k = 0; k < c->name_count; k++) {
    if (c->used[k]) continue;
    bool known = false;
    for (size_t i = 0; i < c->schema->argument_count; i++)
      known |= oy_str_equal(c->schema->arguments[i].name, c->names[k]);
    return bad_keyword(c, c->names[k], known);
  }
  return OY_OK;
}

// ----------------------------------------------------------------------- entry

static oy_status check_counts(const oy_op* op, const oy_stack* stack, size_t count,
                              size_t name_count, const oy_schema** out_schema) {
  oy_str name = oy_op_name_of(op);
  oy_status found = oyi_op_schema(oyi_op_of(op), out_schema);
  if (found == OY_OUT_OF_MEMORY) return found;
  if (found != OY_OK) {
    OY_FAIL(NOT_FOUND,
            "%.*s: expected a defined operator, but its definition was removed",
            OY_STR_ARG(name));
    oy_error_set_op(name);
    return OY_NOT_FOUND;
  }
  OY_CHECK(count <= stack->size && name_count <= count, INVALID_ARGUMENT,
           "%.*s: expected %zu values, %zu of them keywords, got a stack of %zu",
           OY_STR_ARG(name), count, name_count, stack->size);
  return OY_OK;
}

static void drop_values(call* c) {
  for (size_t i = 0; i < MAX_ARGUMENTS; i++) {
    oy_value_release(&c->given[i]);
    oy_value_release(&c->placed[i]);
  }
}

oy_status oy_op_push_defaults(const oy_op* op, oy_stack* stack, size_t count,
                              const oy_str* names, size_t name_count) {
  call c = {.op = op};
  oy_status status = check_counts(op, stack, count, name_count, &c.schema);
  size_t n = c.schema ? c.schema->argument_count : 0;
  if (status == OY_OK && n > count) status = oy_stack_reserve(stack, n - count);
  if (status == OY_OK && count > MAX_ARGUMENTS) status = too_many(&c, count);
  if (status != OY_OK) {
    oy_stack_drop(stack, count < stack->size ? count : stack->size);
    return status;
  }
  c.positional = count - name_count;
  c.names = names;
  c.name_count = name_count;
  stack->size -= count;
  if (count) memcpy(c.given, stack->data + stack->size, count * sizeof(oy_value));
  status = place_all(&c);
  if (status != OY_OK) {
    drop_values(&c);
    return status;
  }
  if (n) memcpy(stack->data + stack->size, c.placed, n * sizeof(oy_value));
  stack->size += n;
  return OY_OK;
}
