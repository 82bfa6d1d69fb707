// SPDX-License-Identifier: Apache-2.0
// Whether a schema may replace an older one.
// Backward compatible: what called the old operator can call the new one, so
// arguments may get wider types and new ones with defaults, and returns may get
// narrower ones. Forward compatible: besides, a program saved with the new schema
// runs where only the old one is known, so types and defaults stay as they were.
// Out arguments come last and are compared among themselves: a new argument is
// inserted before them.
#include "base/memory.h"
#include "dispatch/schema_type.h"

static bool any_subtype(const oy_type* a, const oy_type* u) {
  for (size_t i = 0; i < u->field_count; i++)
    if (oyi_type_is_subtype(a, u->fields[i])) return true;
  return false;
}

static bool all_subtypes(const oy_type* u, const oy_type* b) {
  for (size_t i = 0; i < u->field_count; i++)
    if (!oyi_type_is_subtype(u->fields[i], b)) return false;
  return true;
}

static bool tuple_subtype(const oy_type* a, const oy_type* b) {
  if (a->field_count != b->field_count) return false;
  for (size_t i = 0; i < a->field_count; i++)
    if (!oyi_type_is_subtype(a->fields[i], b->fields[i])) return false;
  return true;
}

static bool is_number(const oy_type* type) {
  oy_type_kind kind = oyi_type_kind_as(type->kind, OYI_TYPE_FAKE);
  return kind == OY_TYPE_INT || kind == OY_TYPE_FLOAT || kind == OY_TYPE_COMPLEX;
}

// Lists and dictionaries can be written, so they are invariant.
bool oyi_type_is_subtype(const oy_type* a, const oy_type* b) {
  if (b->kind == OY_TYPE_ANY) return true;
  if (oyi_type_equal_as(a, b, OYI_TYPE_FAKE | OYI_TYPE_NO_SIZE)) return true;
  if (a->kind == OY_TYPE_UNION) return all_subtypes(a, b);
  if (b->kind == OY_TYPE_UNION) {
    if (a->kind != OY_TYPE_OPTIONAL) return any_subtype(a, b);
    return any_subtype(oyi_type_base(OY_TYPE_NONE), b) &&
           oyi_type_is_subtype(a->element, b);
  }
  if (b->kind == OY_TYPE_OPTIONAL)
    return a->kind == OY_TYPE_NONE ||
           oyi_type_is_subtype(oyi_type_unwrap(a), oyi_type_unwrap(b));
  if (b->kind == OY_TYPE_SCALAR) return is_number(a);
  if (a->kind == OY_TYPE_TUPLE && b->kind == OY_TYPE_TUPLE) return tuple_subtype(a, b);
  if (a->kind == b->kind &&
      (a->kind == OY_TYPE_FUTURE || a->kind == OY_TYPE_AWAIT || a->kind == OY_TYPE_RREF))
    return oyi_type_is_subtype(a->element, b->element);
  return b->kind == OY_TYPE_ANY_CLASS && a->kind == OY_TYPE_CLASS;
}

// The N of "int[N]" belongs to the argument and may stand inside an optional.
static int64_t fixed_size(const oy_type* type) {
  return oyi_type_unwrap(type)->fixed_size;
}

static bool fail_argument(oyi_strbuf* why, const oy_argument* newer,
                          const oy_argument* older, const char* how) {
  oyi_strbuf_puts(why, "argument '");
  oyi_strbuf_str(why, newer->name);
  oyi_strbuf_puts(why, "' ");
  oyi_strbuf_puts(why, how);
  oyi_strbuf_puts(why, ": ");
  oyi_type_put(why, newer->type, newer->alias, OYI_TYPE_EXACT);
  oyi_strbuf_puts(why, " now, ");
  oyi_type_put(why, older->type, older->alias, OYI_TYPE_EXACT);
  oyi_strbuf_putc(why, ' ');
  oyi_strbuf_str(why, older->name);
  oyi_strbuf_puts(why, " before");
  return false;
}

// What BC and FC ask of an argument alike.
static bool argument_same(const oy_argument* newer, const oy_argument* older,
                          oyi_strbuf* why) {
  if (!oy_str_equal(newer->name, older->name))
    return fail_argument(why, newer, older, "has another name");
  if (fixed_size(newer->type) != fixed_size(older->type))
    return fail_argument(why, newer, older, "has another list size");
  if (!oyi_alias_equal(newer->alias, older->alias))
    return fail_argument(why, newer, older, "has another alias annotation");
  if (newer->kwarg_only && !older->kwarg_only)
    return fail_argument(why, newer, older, "became keyword-only");
  return true;
}

static bool argument_backward(const oy_argument* newer, const oy_argument* older,
                              oyi_strbuf* why) {
  if (!argument_same(newer, older, why)) return false;
  if (!oyi_type_is_subtype(older->type, newer->type))
    return fail_argument(why, newer, older, "has a narrower type");
  if (older->default_value.kind != OY_DEFAULT_ABSENT &&
      !oyi_default_equal(&newer->default_value, &older->default_value))
    return fail_argument(why, newer, older, "has another default");
  return true;
}

static bool argument_forward(const oy_argument* newer, const oy_argument* older,
                             oyi_strbuf* why) {
  if (!argument_same(newer, older, why)) return false;
  if (!oyi_type_is_subtype(newer->type, older->type))
    return fail_argument(why, newer, older, "has a wider type");
  if (!oyi_default_equal(&newer->default_value, &older->default_value))
    return fail_argument(why, newer, older, "has another default");
  return true;
}

// A return must stay what it was, or become more special.
static bool return_compatible(const oy_argument* newer, const oy_argument* older,
                              oyi_strbuf* why) {
  if (oy_str_equal(newer->name, older->name) &&
      fixed_size(newer->type) == fixed_size(older->type) &&
      oyi_alias_equal(newer->alias, older->alias) &&
      oyi_type_is_subtype(newer->type, older->type))
    return true;
  oyi_strbuf_puts(why, "return changed: ");
  oyi_type_put(why, newer->type, newer->alias, OYI_TYPE_EXACT);
  oyi_strbuf_puts(why, " now, ");
  oyi_type_put(why, older->type, older->alias, OYI_TYPE_EXACT);
  oyi_strbuf_puts(why, " before");
  return false;
}

static bool count_compatible(const char* what, size_t newer, size_t older, bool ok,
                             oyi_strbuf* why) {
  if (!ok)
    oyi_strbuf_printf(why, "the number of %s changed: %zu now, %zu before", what, newer,
                      older);
  return ok;
}

// Everything but the arguments.
static bool frame_compatible(const oy_schema* newer, const oy_schema* older,
                             oyi_strbuf* why) {
  if (!oy_str_equal(newer->full_name, older->full_name)) {
    oyi_strbuf_puts(why, "the name changed: ");
    oyi_strbuf_str(why, newer->full_name);
    oyi_strbuf_puts(why, " now, ");
    oyi_strbuf_str(why, older->full_name);
    oyi_strbuf_puts(why, " before");
    return false;
  }
  if (newer->is_vararg != older->is_vararg || newer->is_varret != older->is_varret) {
    oyi_strbuf_puts(why, "only one of the two schemas has ... at this place");
    return false;
  }
  size_t returns = newer->return_count;
  size_t arguments = newer->argument_count;
  if (!count_compatible("returns", returns, older->return_count,
                        returns == older->return_count, why) ||
      !count_compatible("arguments", arguments, older->argument_count,
                        arguments >= older->argument_count, why))
    return false;
  for (size_t i = 0; i < returns; i++)
    if (!return_compatible(&newer->returns[i], &older->returns[i], why)) return false;
  return true;
}

static size_t first_out(const oy_schema* schema) {
  size_t i = 0;
  while (i < schema->argument_count && !schema->arguments[i].is_out) i++;
  return i;
}

// One that the older schema does not have: it must be possible to leave it out.
static bool new_argument(const oy_argument* argument, bool forward, oyi_strbuf* why) {
  oy_default_kind kind = argument->default_value.kind;
  bool container = forward && kind == OY_DEFAULT_LIST;
  if (kind != OY_DEFAULT_ABSENT && !container) return true;
  oyi_strbuf_puts(why, forward ? "Function schema is not forward compatible"
                               : "Function schema not backward compatible");
  oyi_strbuf_puts(why, " since the new argument '");
  oyi_strbuf_str(why, argument->name);
  oyi_strbuf_puts(why, "' of type ");
  oyi_type_put(why, argument->type, NULL, OYI_TYPE_NO_SIZE);
  oyi_strbuf_puts(why, container ? " has a container type as its default value."
                                 : " did not provide a default value.");
  return false;
}

static bool compatible(const oy_schema* newer, const oy_schema* older, bool forward,
                       oyi_strbuf* why) {
  if (!frame_compatible(newer, older, why)) return false;
  size_t new_out = first_out(newer), old_out = first_out(older);
  size_t outs = older->argument_count - old_out;
  if (forward && outs != newer->argument_count - new_out) {
    oyi_strbuf_puts(why, "Function schema should have the same number of out arguments");
    return false;
  }
  size_t new_outs = newer->argument_count - new_out;
  if (!count_compatible("arguments before the out arguments", new_out, old_out,
                        new_out >= old_out, why) ||
      !count_compatible("out arguments", new_outs, outs, new_outs >= outs, why))
    return false;
  bool (*same)(const oy_argument*, const oy_argument*, oyi_strbuf*) =
      forward ? argument_forward : argument_backward;
  for (size_t i = 0; i < old_out; i++)
    if (!same(&newer->arguments[i], &older->arguments[i], why)) return false;
  for (size_t i = old_out; i < new_out; i++)
    if (!new_argument(&newer->arguments[i], forward, why)) return false;
  for (size_t i = 0; i < outs; i++)
    if (!same(&newer->arguments[new_out + i], &older->arguments[old_out + i], why))
      return false;
  // Out arguments have no defaults, so one more could not be left out.
  for (size_t i = new_out + outs; i < newer->argument_count; i++)
    if (!new_argument(&newer->arguments[i], forward, why)) return false;
  return true;
}

static bool decide(const oy_schema* newer, const oy_schema* older, bool forward,
                   char** out_reason) {
  oyi_strbuf why = OYI_STRBUF_INIT;
  bool ok = compatible(newer, older, forward, &why);
  if (out_reason) *out_reason = ok ? NULL : oyi_strbuf_take(&why);
  oyi_strbuf_reset(&why);
  return ok;
}

bool oy_schema_is_backward_compatible(const oy_schema* newer, const oy_schema* older,
                                      char** out_reason) {
  return decide(newer, older, false, out_reason);
}

bool oy_schema_is_forward_compatible(const oy_schema* newer, const oy_schema* older,
                                     char** out_reason) {
  return decide(newer, older, true, out_reason);
}
