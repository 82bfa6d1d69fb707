// SPDX-License-Identifier: Apache-2.0
// What alias annotations say about a call. Two values may be the same object only
// if a value of both types can be: numbers never alias, a list aliases a list of
// the same element, an optional aliases what it holds.
#include "dispatch/schema_type.h"

bool oy_argument_is_mutable(const oy_argument* argument) {
  return argument->alias && argument->alias->is_write;
}

bool oy_argument_is_aliasing(const oy_argument* argument) {
  return argument->alias != NULL;
}

bool oy_schema_is_mutable(const oy_schema* schema) {
  for (size_t i = 0; i < schema->argument_count; i++)
    if (oy_argument_is_mutable(&schema->arguments[i])) return true;
  return false;
}

bool oy_schema_is_out(const oy_schema* schema) {
  for (size_t i = 0; i < schema->argument_count; i++)
    if (schema->arguments[i].is_out) return true;
  return false;
}

bool oy_schema_is_inplace(const oy_schema* schema) {
  if (schema->argument_count == 0 || schema->return_count != 1) return false;
  if (!oy_argument_is_mutable(&schema->arguments[0])) return false;
  for (size_t i = 1; i < schema->argument_count; i++)
    if (schema->arguments[i].alias) return false;
  return oy_argument_is_mutable(&schema->returns[0]);
}

static bool any_alias(const oy_argument* list, size_t count, bool written) {
  for (size_t i = 0; i < count; i++)
    if (list[i].alias && (!written || list[i].alias->is_write)) return true;
  return false;
}

bool oy_schema_is_functional(const oy_schema* schema) {
  return !any_alias(schema->arguments, schema->argument_count, false) &&
         !any_alias(schema->returns, schema->return_count, false);
}

bool oy_schema_is_view(const oy_schema* schema) {
  return !oy_schema_is_functional(schema) &&
         !any_alias(schema->arguments, schema->argument_count, true) &&
         !any_alias(schema->returns, schema->return_count, true);
}

static bool types_may_alias(const oy_type* a, const oy_type* b);

// Whether values of this type are shared and not copied.
static bool can_alias(const oy_type* type) {
  type = oyi_type_unwrap(type);
  switch (type->kind) {
    case OY_TYPE_TENSOR:
    case OY_TYPE_LIST:
    case OY_TYPE_DICT:
    case OY_TYPE_CLASS:
    case OY_TYPE_ANY: return true;
    case OY_TYPE_FUTURE:
    case OY_TYPE_AWAIT: return can_alias(type->element);
    case OY_TYPE_TUPLE:
    case OY_TYPE_UNION:
      for (size_t i = 0; i < type->field_count; i++)
        if (can_alias(type->fields[i])) return true;
      return false;
    default: return false;
  }
}

static const oy_type* next_aliasing(const oy_type* tuple, size_t* i) {
  while (*i < tuple->field_count) {
    const oy_type* field = tuple->fields[(*i)++];
    if (can_alias(field)) return field;
  }
  return NULL;
}

// The fields that can alias must do so pairwise; the others do not count.
static bool tuples_may_alias(const oy_type* a, const oy_type* b) {
  size_t i = 0, j = 0;
  bool any = false;
  for (;;) {
    const oy_type* x = next_aliasing(a, &i);
    const oy_type* y = next_aliasing(b, &j);
    if (!x || !y) return any && !x && !y;
    if (!types_may_alias(x, y)) return false;
    any = true;
  }
}

static bool union_may_alias(const oy_type* u, const oy_type* b) {
  for (size_t i = 0; i < u->field_count; i++)
    if (types_may_alias(u->fields[i], b)) return true;
  return false;
}

static bool types_may_alias(const oy_type* a, const oy_type* b) {
  a = oyi_type_unwrap(a);
  b = oyi_type_unwrap(b);
  if (a->kind == OY_TYPE_UNION) return union_may_alias(a, b);
  if (b->kind == OY_TYPE_UNION) return union_may_alias(b, a);
  if (a->kind != b->kind || !can_alias(a) || !can_alias(b)) return false;
  if (a->kind == OY_TYPE_TUPLE) return tuples_may_alias(a, b);
  if (a->kind == OY_TYPE_FUTURE || a->kind == OY_TYPE_AWAIT)
    return types_may_alias(a->element, b->element);
  return oyi_type_equal_as(a, b, OYI_TYPE_FAKE | OYI_TYPE_NO_SIZE);
}

static bool names_meet(const oy_alias* a, const oy_alias* b) {
  for (size_t i = 0; i < a->after_count; i++)
    for (size_t j = 0; j < b->after_count; j++)
      if (oy_str_equal(a->after[i], b->after[j])) return true;
  return false;
}

bool oy_argument_may_alias(const oy_argument* a, const oy_argument* b) {
  return a->alias && b->alias && types_may_alias(a->type, b->type) &&
         names_meet(a->alias, b->alias);
}

// Whether |type|, or if |strict| something inside it, satisfies |match|. The
// depth of types is bounded; a type is visited once for each place it stands at.
typedef bool (*type_match)(const oy_type* part, const void* data);

static bool any_part(const oy_type* type, bool strict, type_match match,
                     const void* data) {
  type = oyi_type_unwrap(type);
  if (!strict && type->kind != OY_TYPE_UNION && match(type, data)) return true;
  // A union is its members, and an optional its element, rather than to hold them.
  bool inside = strict && type->kind == OY_TYPE_UNION;
  if (type->element && any_part(type->element, inside, match, data)) return true;
  if (type->value && any_part(type->value, inside, match, data)) return true;
  for (size_t i = 0; i < type->field_count; i++)
    if (any_part(type->fields[i], inside, match, data)) return true;
  return false;
}

static bool matches_type(const oy_type* part, const void* data) {
  return types_may_alias(part, data);
}

static bool holds(const oy_type* container, const oy_type* type) {
  return any_part(container, true, matches_type, type);
}

static bool matches_part_of(const oy_type* part, const void* data) {
  return can_alias(part) && holds(data, part);
}

static bool is_wildcard(const oy_alias* alias) {
  if (!alias) return false;
  for (size_t i = 0; i < alias->after_count; i++)
    if (oy_str_equal(alias->after[i], oy_str_of("*"))) return true;
  return false;
}

bool oy_argument_may_contain_alias(const oy_argument* a, const oy_argument* b) {
  if (oy_argument_may_alias(a, b)) return true;
  if (is_wildcard(a->alias) && holds(b->type, a->type)) return true;
  if (is_wildcard(b->alias) && holds(a->type, b->type)) return true;
  return any_part(a->type, true, matches_part_of, b->type);
}

// As names_meet, without the wildcard, and for the elements of lists too.
static bool same_object(const oy_alias* a, const oy_alias* b) {
  for (; a && b; a = a->element, b = b->element)
    if (!is_wildcard(a) && !is_wildcard(b) && names_meet(a, b)) return true;
  return false;
}

int oy_schema_return_argument(const oy_schema* schema, size_t i) {
  if (i >= schema->return_count || !oy_argument_is_mutable(&schema->returns[i]))
    return -1;
  int found = -1;
  for (size_t k = 0; k < schema->argument_count; k++) {
    const oy_argument* argument = &schema->arguments[k];
    if (!oy_argument_is_mutable(argument) ||
        !same_object(schema->returns[i].alias, argument->alias))
      continue;
    if (found >= 0) return -1;
    found = (int)k;
  }
  return found;
}
