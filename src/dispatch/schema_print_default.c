// SPDX-License-Identifier: Apache-2.0
// Defaults as PyTorch prints them, in a form that reads back:
//  - a float that is integral and below 1e10 in size prints as that integer and a
//    point ("1.", "-0."); any other with 17 significant digits, trailing zeros
//    left out ("1.0000000000000001e-05", "0.5"), and a point if it would else
//    read as an int;
//  - int[N] with N equal items prints one of them; SymInt[N] and int[N]? do not;
//  - enum values print as numbers, devices and names as strings.
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>

#include "dispatch/schema_type.h"

// snprintf as in the C locale.
static void format_double(char* out, size_t size, double value) {
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t before = c_locale ? uselocale(c_locale) : (locale_t)0;
  snprintf(out, size, "%.17g", value);
  if (!c_locale) return;
  uselocale(before);
  freelocale(c_locale);
}

static void put_float(oyi_strbuf* buf, double value) {
  if (isnan(value)) {
    oyi_strbuf_puts(buf, "nan");
    return;
  }
  if (fabs(value) < 1e10 && value == (double)(int64_t)value) {
    oyi_strbuf_printf(buf, "%s%.0f.", value == 0 && signbit(value) ? "-" : "",
                      value == 0 ? 0.0 : value);
    return;
  }
  char text[40];
  format_double(text, sizeof(text), value);
  oyi_strbuf_puts(buf, text);
  if (!strpbrk(text, ".en")) oyi_strbuf_putc(buf, '.');
}

static void put_complex(oyi_strbuf* buf, double re, double im) {
  put_float(buf, re);
  oyi_strbuf_putc(buf, signbit(im) && !isnan(im) ? '-' : '+');
  put_float(buf, fabs(im));
  oyi_strbuf_putc(buf, 'j');
}

static void put_quoted(oyi_strbuf* buf, oy_str text) {
  static const char from[] = "\\'\"\a\b\f\n\r\t\v";
  static const char to[] = "\\'\"abfnrtv";
  oyi_strbuf_putc(buf, '"');
  for (size_t i = 0; i < text.size; i++) {
    unsigned char c = (unsigned char)text.data[i];
    const char* found = c ? strchr(from, c) : NULL;
    if (found) {
      oyi_strbuf_putc(buf, '\\');
      oyi_strbuf_putc(buf, to[found - from]);
    } else if (c >= 0x20 && c < 0x7f) {
      oyi_strbuf_putc(buf, (char)c);
    } else {
      oyi_strbuf_printf(buf, "\\%03o", (unsigned)c);
    }
  }
  oyi_strbuf_putc(buf, '"');
}

// Whether one item stands for all, which only reads back if there are N.
static bool prints_one(const oy_type* type, const oy_default* value) {
  if (type->kind != OY_TYPE_LIST || type->element->kind != OY_TYPE_INT) return false;
  if (value->item_count < 2 || value->item_count != (size_t)type->fixed_size)
    return false;
  for (size_t i = 1; i < value->item_count; i++)
    if (value->items[i].i != value->items[0].i) return false;
  return true;
}

static void put_list(oyi_strbuf* buf, const oy_type* type, const oy_default* value) {
  const oy_type* element = oyi_type_unwrap(type)->element;
  size_t count = value->item_count;
  bool one = prints_one(type, value);
  if (!one) oyi_strbuf_putc(buf, '[');
  for (size_t i = 0; i < (one ? 1 : count); i++) {
    if (i > 0) oyi_strbuf_puts(buf, ", ");
    oyi_default_put(buf, element, &value->items[i]);
  }
  if (!one) oyi_strbuf_putc(buf, ']');
}

void oyi_default_put(oyi_strbuf* buf, const oy_type* type, const oy_default* value) {
  switch (value->kind) {
    case OY_DEFAULT_ABSENT: return;
    case OY_DEFAULT_NONE: oyi_strbuf_puts(buf, "None"); return;
    case OY_DEFAULT_INT: oyi_strbuf_printf(buf, "%" PRId64, value->i); return;
    case OY_DEFAULT_FLOAT: put_float(buf, value->re); return;
    case OY_DEFAULT_BOOL: oyi_strbuf_puts(buf, value->i ? "True" : "False"); return;
    case OY_DEFAULT_COMPLEX: put_complex(buf, value->re, value->im); return;
    case OY_DEFAULT_STR: put_quoted(buf, value->text); return;
    case OY_DEFAULT_LIST: put_list(buf, type, value); return;
  }
}
