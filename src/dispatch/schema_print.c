// SPDX-License-Identifier: Apache-2.0
// The canonical text of a schema. It is PyTorch's, so that texts can be compared
// as strings, except where that cannot be read back: alias sets are sorted,
// "Tensor!" stays "Tensor!", alias annotations stay with the type they belong to,
// and devices are quoted.
#include "base/memory.h"
#include "dispatch/schema_type.h"

static void put_set(oyi_strbuf* buf, const oy_str* names, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (i > 0) oyi_strbuf_putc(buf, '|');
    oyi_strbuf_str(buf, names[i]);
  }
}

static bool same_set(const oy_alias* alias) {
  if (alias->before_count != alias->after_count) return false;
  for (size_t i = 0; i < alias->after_count; i++)
    if (!oy_str_equal(alias->before[i], alias->after[i])) return false;
  return true;
}

static void put_alias(oyi_strbuf* buf, const oy_alias* alias) {
  if (!alias) return;
  if (alias->anonymous) oyi_strbuf_putc(buf, '!');
  // A list whose elements alone are annotated has no set of its own.
  if (alias->before_count == 0) return;
  oyi_strbuf_putc(buf, '(');
  put_set(buf, alias->before, alias->before_count);
  if (alias->is_write) oyi_strbuf_putc(buf, '!');
  if (!same_set(alias)) {
    oyi_strbuf_puts(buf, " -> ");
    put_set(buf, alias->after, alias->after_count);
  }
  oyi_strbuf_putc(buf, ')');
}

static void put_fields(oyi_strbuf* buf, const oy_type* type, unsigned flags) {
  oyi_strbuf_putc(buf, '(');
  for (size_t i = 0; i < type->field_count; i++) {
    if (i > 0) oyi_strbuf_puts(buf, ", ");
    oyi_type_put(buf, type->fields[i], NULL, flags);
  }
  oyi_strbuf_putc(buf, ')');
}

static void put_wrapper(oyi_strbuf* buf, const char* name, const oy_type* type,
                        unsigned flags) {
  oyi_strbuf_puts(buf, name);
  oyi_strbuf_putc(buf, '(');
  oyi_type_put(buf, type->element, NULL, flags);
  if (type->value) {
    oyi_strbuf_puts(buf, ", ");
    oyi_type_put(buf, type->value, NULL, flags);
  }
  oyi_strbuf_putc(buf, ')');
}

static void put_list(oyi_strbuf* buf, const oy_type* type, const oy_alias* alias,
                     unsigned flags) {
  oyi_type_put(buf, type->element, alias ? alias->element : NULL, flags);
  if (type->fixed_size > 0 && !(flags & OYI_TYPE_NO_SIZE))
    oyi_strbuf_printf(buf, "[%lld]", (long long)type->fixed_size);
  else
    oyi_strbuf_append(buf, "[]", 2);
}

void oyi_type_put(oyi_strbuf* buf, const oy_type* type, const oy_alias* alias,
                  unsigned flags) {
  switch (type->kind) {
    case OY_TYPE_OPTIONAL:
      oyi_type_put(buf, type->element, alias, flags);
      oyi_strbuf_putc(buf, '?');
      return;
    case OY_TYPE_LIST: put_list(buf, type, alias, flags); break;
    case OY_TYPE_FUTURE: put_wrapper(buf, "Future", type, flags); break;
    case OY_TYPE_AWAIT: put_wrapper(buf, "Await", type, flags); break;
    case OY_TYPE_RREF: put_wrapper(buf, "RRef", type, flags); break;
    case OY_TYPE_DICT: put_wrapper(buf, "Dict", type, flags); break;
    case OY_TYPE_UNION:
      oyi_strbuf_puts(buf, "Union");
      put_fields(buf, type, flags);
      break;
    case OY_TYPE_TUPLE: put_fields(buf, type, flags); break;
    case OY_TYPE_CLASS:
    case OY_TYPE_VAR: oyi_strbuf_str(buf, type->name); break;
    default: oyi_strbuf_puts(buf, oyi_type_text(oyi_type_kind_as(type->kind, flags)));
  }
  put_alias(buf, alias);
}

static void put_argument(oyi_strbuf* buf, const oy_argument* argument) {
  oyi_type_put(buf, argument->type, argument->alias, OYI_TYPE_EXACT);
  if (argument->name.size > 0) {
    oyi_strbuf_putc(buf, ' ');
    oyi_strbuf_str(buf, argument->name);
  }
  if (argument->default_value.kind == OY_DEFAULT_ABSENT) return;
  oyi_strbuf_putc(buf, '=');
  oyi_default_put(buf, argument->type, &argument->default_value);
}

static void put_arguments(oyi_strbuf* buf, const oy_schema* schema) {
  bool seen_kwarg = false;
  for (size_t i = 0; i < schema->argument_count; i++) {
    if (i > 0) oyi_strbuf_puts(buf, ", ");
    if (schema->arguments[i].kwarg_only && !seen_kwarg) {
      seen_kwarg = true;
      oyi_strbuf_puts(buf, "*, ");
    }
    put_argument(buf, &schema->arguments[i]);
  }
  if (!schema->is_vararg) return;
  oyi_strbuf_puts(buf, schema->argument_count > 0 ? ", ..." : "...");
}

// "-> (int, int)[]" would read as a list of returns followed by rubbish.
static bool begins_with_bracket(const oy_type* type) {
  while (type->kind == OY_TYPE_OPTIONAL || type->kind == OY_TYPE_LIST)
    type = type->element;
  return type->kind == OY_TYPE_TUPLE;
}

static void put_returns(oyi_strbuf* buf, const oy_schema* schema) {
  size_t parts = schema->return_count + schema->is_varret;
  bool brackets = parts != 1 || (schema->return_count == 1 &&
                                 begins_with_bracket(schema->returns[0].type));
  if (brackets) oyi_strbuf_putc(buf, '(');
  for (size_t i = 0; i < schema->return_count; i++) {
    if (i > 0) oyi_strbuf_puts(buf, ", ");
    put_argument(buf, &schema->returns[i]);
  }
  if (schema->is_varret) oyi_strbuf_puts(buf, schema->return_count > 0 ? ", ..." : "...");
  if (brackets) oyi_strbuf_putc(buf, ')');
}

void oyi_schema_put(oyi_strbuf* buf, const oy_schema* schema) {
  oyi_strbuf_str(buf, schema->full_name);
  oyi_strbuf_putc(buf, '(');
  put_arguments(buf, schema);
  oyi_strbuf_puts(buf, ") -> ");
  put_returns(buf, schema);
}

static oy_status finish(oyi_strbuf* buf, char** out_text) {
  *out_text = oyi_strbuf_take(buf);
  return *out_text ? OY_OK : OY_OUT_OF_MEMORY;
}

oy_status oy_schema_print(const oy_schema* schema, char** out_text) {
  oyi_strbuf buf = OYI_STRBUF_INIT;
  oyi_schema_put(&buf, schema);
  return finish(&buf, out_text);
}

oy_status oy_type_print(const oy_type* type, char** out_text) {
  oyi_strbuf buf = OYI_STRBUF_INIT;
  oyi_type_put(&buf, type, NULL, OYI_TYPE_EXACT);
  return finish(&buf, out_text);
}

void oy_text_free(char* text) {
  oyi_free(text);
}
