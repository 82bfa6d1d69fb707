// SPDX-License-Identifier: Apache-2.0
// How messages about arguments name types and show values: as Python would.
#include <stdio.h>
#include <stdlib.h>

#include "dispatch/schema_type.h"
#include "dispatch/value_check.h"

enum { MAX_SHOWN = 16, MAX_TEXT = 80, MAX_DEPTH = 4 };

static void describe_fields(oyi_strbuf* out, const char* open, const oy_type* type) {
  oyi_strbuf_puts(out, open);
  for (size_t i = 0; i < type->field_count; i++) {
    if (i) oyi_strbuf_puts(out, ", ");
    oyi_type_describe(out, type->fields[i]);
  }
  oyi_strbuf_putc(out, ']');
}

static void describe_element(oyi_strbuf* out, const char* open, const oy_type* type) {
  oyi_strbuf_puts(out, open);
  oyi_type_describe(out, type->element);
  if (type->kind == OY_TYPE_DICT) {
    oyi_strbuf_puts(out, ", ");
    oyi_type_describe(out, type->value);
  }
  oyi_strbuf_putc(out, ']');
}

void oyi_type_describe(oyi_strbuf* out, const oy_type* type) {
  switch (type->kind) {
    case OY_TYPE_OPTIONAL: describe_element(out, "Optional[", type); return;
    case OY_TYPE_LIST: describe_element(out, "List[", type); return;
    case OY_TYPE_DICT: describe_element(out, "Dict[", type); return;
    case OY_TYPE_TUPLE: describe_fields(out, "Tuple[", type); return;
    case OY_TYPE_UNION: describe_fields(out, "Union[", type); return;
    case OY_TYPE_SCALAR: oyi_strbuf_puts(out, "number"); return;
    default: oyi_type_put(out, type, NULL, OYI_TYPE_FAKE);
  }
}

void oyi_value_describe_type(oyi_strbuf* out, oy_value v) {
  switch (v.tag) {
    case OY_TAG_INT_LIST: oyi_strbuf_puts(out, "List[int]"); return;
    case OY_TAG_FLOAT_LIST: oyi_strbuf_puts(out, "List[float]"); return;
    case OY_TAG_BOOL_LIST: oyi_strbuf_puts(out, "List[bool]"); return;
    case OY_TAG_TENSOR_LIST: oyi_strbuf_puts(out, "List[Tensor]"); return;
    case OY_TAG_LIST: oyi_strbuf_puts(out, "List[Any]"); return;
    case OY_TAG_DICT: oyi_strbuf_puts(out, "Dict[Any, Any]"); return;
    default: oyi_strbuf_puts(out, oy_value_type_name(v));
  }
}

static void describe_at(oyi_strbuf* out, oy_value v, int depth);

// Shortest that reads back, and with a point, so that 1.0 is no int.
static void describe_float(oyi_strbuf* out, double d) {
  char text[40];
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(text, sizeof(text), "%.*g", digits, d);
    if (strtod(text, NULL) == d) break;
  }
  oyi_strbuf_puts(out, text);
  if (!strpbrk(text, ".eni")) oyi_strbuf_puts(out, ".0");
}

static oy_value element_at(oy_value list, size_t i) {
  switch (list.tag) {
    case OY_TAG_INT_LIST: return oy_int(list.as.ints[i]);
    case OY_TAG_FLOAT_LIST: return oy_float(list.as.floats[i]);
    case OY_TAG_BOOL_LIST: return oy_bool(list.as.bools[i]);
    case OY_TAG_TENSOR_LIST: return oy_value_tensor(list.as.tensors[i]);
    default: return list.as.values[i];
  }
}

static void describe_list(oyi_strbuf* out, oy_value v, int depth) {
  bool dict = v.tag == OY_TAG_DICT;
  size_t count = dict ? 2 * (size_t)v.count : v.count;
  oyi_strbuf_putc(out, dict ? '{' : '[');
  for (size_t i = 0; i < count && i < MAX_SHOWN; i++) {
    if (i) oyi_strbuf_puts(out, dict && i % 2 ? ": " : ", ");
    describe_at(out, element_at(v, i), depth + 1);
  }
  if (count > MAX_SHOWN) oyi_strbuf_puts(out, ", ...");
  oyi_strbuf_putc(out, dict ? '}' : ']');
}

static void describe_complex(oyi_strbuf* out, oy_complex c) {
  oyi_strbuf_putc(out, '(');
  describe_float(out, c.re);
  if (!(c.im < 0)) oyi_strbuf_putc(out, '+');
  describe_float(out, c.im);
  oyi_strbuf_puts(out, "j)");
}

static void describe_at(oyi_strbuf* out, oy_value v, int depth) {
  if (depth > MAX_DEPTH) {
    oyi_strbuf_puts(out, "...");
    return;
  }
  switch (v.tag) {
    case OY_TAG_NONE: oyi_strbuf_puts(out, "None"); return;
    case OY_TAG_INT: oyi_strbuf_printf(out, "%lld", (long long)v.as.i); return;
    case OY_TAG_BOOL: oyi_strbuf_puts(out, v.as.i ? "True" : "False"); return;
    case OY_TAG_FLOAT: describe_float(out, v.as.d); return;
    case OY_TAG_COMPLEX: describe_complex(out, *v.as.complex_data); return;
    case OY_TAG_STR:
      oyi_strbuf_printf(out, "'%.*s'", v.count > MAX_TEXT ? MAX_TEXT : (int)v.count,
                        v.as.chars);
      return;
    case OY_TAG_INT_LIST:
    case OY_TAG_FLOAT_LIST:
    case OY_TAG_BOOL_LIST:
    case OY_TAG_TENSOR_LIST:
    case OY_TAG_LIST:
    case OY_TAG_DICT: describe_list(out, v, depth); return;
    default: oyi_strbuf_printf(out, "<%s>", oy_value_type_name(v));
  }
}

void oyi_value_describe(oyi_strbuf* out, oy_value v) {
  describe_at(out, v, 0);
}
