// SPDX-License-Identifier: Apache-2.0
// Equality of schemas, and the check of a kernel's signature against a schema.
// Equal means: prints the same. So whether "int[2] x=1" was written as one number
// or two, and whether "(a -> a)" had its arrow, does not matter.
#include <math.h>

#include "base/memory.h"
#include "dispatch/schema_type.h"

static bool names_equal(const oy_str* a, size_t a_count, const oy_str* b,
                        size_t b_count) {
  if (a_count != b_count) return false;
  for (size_t i = 0; i < a_count; i++)
    if (!oy_str_equal(a[i], b[i])) return false;
  return true;
}

bool oyi_alias_equal(const oy_alias* a, const oy_alias* b) {
  for (; a && b && a != b; a = a->element, b = b->element)
    if (a->is_write != b->is_write || a->anonymous != b->anonymous ||
        !names_equal(a->before, a->before_count, b->before, b->before_count) ||
        !names_equal(a->after, a->after_count, b->after, b->after_count))
      return false;
  return a == b;
}

static bool float_equal(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
  return a == b && signbit(a) == signbit(b);
}

static bool items_equal(const oy_default* a, const oy_default* b) {
  if (a->item_count != b->item_count) return false;
  for (size_t i = 0; i < a->item_count; i++)
    if (!oyi_default_equal(&a->items[i], &b->items[i])) return false;
  return true;
}

bool oyi_default_equal(const oy_default* a, const oy_default* b) {
  if (a->kind != b->kind) return false;
  switch (a->kind) {
    case OY_DEFAULT_ABSENT:
    case OY_DEFAULT_NONE: return true;
    case OY_DEFAULT_INT:
    case OY_DEFAULT_BOOL: return a->i == b->i;
    case OY_DEFAULT_FLOAT: return float_equal(a->re, b->re);
    case OY_DEFAULT_COMPLEX:
      return float_equal(a->re, b->re) && float_equal(a->im, b->im);
    case OY_DEFAULT_STR: return oy_str_equal(a->text, b->text);
    case OY_DEFAULT_LIST: return items_equal(a, b);
  }
  return false;
}

static bool arguments_equal(const oy_argument* a, const oy_argument* b, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!oy_str_equal(a[i].name, b[i].name) || !oy_type_equal(a[i].type, b[i].type) ||
        !oyi_alias_equal(a[i].alias, b[i].alias) ||
        !oyi_default_equal(&a[i].default_value, &b[i].default_value) ||
        a[i].kwarg_only != b[i].kwarg_only)
      return false;
  return true;
}

bool oy_schema_equal(const oy_schema* a, const oy_schema* b) {
  return oy_str_equal(a->full_name, b->full_name) && a->is_vararg == b->is_vararg &&
         a->is_varret == b->is_varret && a->argument_count == b->argument_count &&
         a->return_count == b->return_count &&
         arguments_equal(a->arguments, b->arguments, a->argument_count) &&
         arguments_equal(a->returns, b->returns, a->return_count);
}

// --- The signature of a kernel ----------------------------------------------

static bool has_symint(const oy_type* type) {
  while (type->kind == OY_TYPE_OPTIONAL || type->kind == OY_TYPE_LIST)
    type = type->element;
  return type->kind == OY_TYPE_SYMINT;
}

enum { NATIVE = OYI_TYPE_NO_SIZE | OYI_TYPE_NATIVE };

static bool argument_matches(const oy_type* declared, const oy_type* inferred) {
  if (oyi_type_equal_as(declared, inferred, NATIVE)) return true;
  // Only an int kernel for a SymInt schema, never the other way round.
  return has_symint(declared) && !has_symint(inferred) &&
         oyi_type_equal_as(declared, inferred, NATIVE | OYI_TYPE_SYMINT_AS_INT);
}

static void put_mismatch(oyi_strbuf* buf, const char* what, size_t i,
                         const oy_type* declared, const oy_type* inferred,
                         unsigned flags) {
  oyi_strbuf_printf(buf, "Type mismatch in %s %zu: ", what, i + 1);
  oyi_type_put(buf, declared, NULL, NATIVE | flags);
  oyi_strbuf_puts(buf, " vs ");
  oyi_type_put(buf, inferred, NULL, NATIVE);
  oyi_strbuf_putc(buf, '.');
}

static void put_counts(oyi_strbuf* buf, const char* what, size_t declared,
                       size_t inferred) {
  oyi_strbuf_printf(buf, "The number of %s is different. %zu vs %zu.", what, declared,
                    inferred);
}

// True if there is no difference; else |buf| holds the first one.
static bool compare_signatures(const oy_schema* declared, const oy_schema* inferred,
                               oyi_strbuf* buf) {
  if (declared->argument_count != inferred->argument_count) {
    put_counts(buf, "arguments", declared->argument_count, inferred->argument_count);
    return false;
  }
  if (declared->return_count != inferred->return_count) {
    put_counts(buf, "returns", declared->return_count, inferred->return_count);
    return false;
  }
  for (size_t i = 0; i < declared->argument_count; i++) {
    const oy_type* a = declared->arguments[i].type;
    const oy_type* b = inferred->arguments[i].type;
    if (argument_matches(a, b)) continue;
    // Named as the kernel would have had to take it.
    put_mismatch(buf, "argument", i, a, b, has_symint(b) ? 0 : OYI_TYPE_SYMINT_AS_INT);
    return false;
  }
  for (size_t i = 0; i < declared->return_count; i++) {
    const oy_type* a = declared->returns[i].type;
    const oy_type* b = inferred->returns[i].type;
    if (oyi_type_equal_as(a, b, NATIVE)) continue;
    put_mismatch(buf, "return", i, a, b, 0);
    return false;
  }
  return true;
}

oy_status oy_schema_check_signature(const oy_schema* declared, const oy_schema* inferred,
                                    char** out_reason) {
  if (out_reason) *out_reason = NULL;
  oyi_strbuf buf = OYI_STRBUF_INIT;
  if (compare_signatures(declared, inferred, &buf)) return OY_OK;
  char* reason = oyi_strbuf_take(&buf);
  if (!reason) return OY_OUT_OF_MEMORY;
  oy_status status = OY_FAIL(SCHEMA_MISMATCH, "%s", reason);
  if (out_reason)
    *out_reason = reason;
  else
    oyi_free(reason);
  return status;
}
