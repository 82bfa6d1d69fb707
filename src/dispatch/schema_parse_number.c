// SPDX-License-Identifier: Apache-2.0
// Numbers in defaults. "3" is an int and "3.", "3e0" a float, unless the argument
// is a float or complex one; "2j" is imaginary, and "1.+2.j", which is how complex
// values print, is read back. Reading and printing do not follow the locale.
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "dispatch/schema_parser.h"

typedef struct literal {
  bool negative;
  bool is_word;  // inf or nan
  bool imaginary;
  bool integral;  // neither point nor exponent
  oy_str text;    // without sign and j
} literal;

static bool word_value(oy_str text, bool* out_is_nan) {
  if (text.size != 3) return false;
  *out_is_nan = memcmp(text.data, "nan", 3) == 0;
  return *out_is_nan || memcmp(text.data, "inf", 3) == 0;
}

static bool scan_word(oy_str text, literal* out) {
  bool is_nan;
  out->imaginary = text.size == 4 && text.data[3] == 'j';
  if (out->imaginary) text.size--;
  out->text = text;
  out->is_word = true;
  out->integral = false;
  return word_value(text, &is_nan);
}

static void scan_digits(oy_str text, literal* out) {
  out->imaginary = text.data[text.size - 1] == 'j';
  if (out->imaginary) text.size--;
  out->text = text;
  out->is_word = false;
  out->integral = true;
  for (size_t i = 0; i < text.size; i++)
    if (text.data[i] < '0' || text.data[i] > '9') out->integral = false;
}

static oy_status take_literal(oyi_parser* parser, literal* out) {
  oyi_lexer* lexer = &parser->lexer;
  out->negative = oyi_lexer_next_if(lexer, '-');
  oy_str text = lexer->cur.text;
  if (lexer->cur.kind == OYI_TOKEN_IDENT) {
    if (!scan_word(text, out))
      return OYI_PARSE_FAIL(parser, "invalid numeric default value");
    oyi_lexer_next(lexer);
    return OY_OK;
  }
  OY_TRY(oyi_lexer_expect(lexer, OYI_TOKEN_NUMBER, NULL));
  scan_digits(text, out);
  return OY_OK;
}

static oy_status to_int(oyi_parser* parser, const literal* number, int64_t* out) {
  uint64_t limit = (uint64_t)INT64_MAX + number->negative;
  uint64_t value = 0;
  for (size_t i = 0; i < number->text.size; i++) {
    uint64_t digit = (uint64_t)(number->text.data[i] - '0');
    if (value > (limit - digit) / 10)
      return oyi_lexer_fail(&parser->lexer, number->text,
                            "invalid numeric default value: the integer does not "
                            "fit in 64 bits");
    value = value * 10 + digit;
  }
  *out = number->negative ? (int64_t)(0 - value) : (int64_t)value;
  return OY_OK;
}

// strtod as in the C locale. The text of the parser ends with a NUL byte, and
// what follows a number token cannot continue the number, but for a hexadecimal
// form, which only "0" could start and short integers do not come here.
static double to_double(oy_str text) {
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  double value = c_locale ? strtod_l(text.data, NULL, c_locale) : strtod(text.data, NULL);
  if (c_locale) freelocale(c_locale);
  return value;
}

// At most 15 digits with no point or exponent are exact as they stand.
static bool small_integer(oy_str text, double* out) {
  uint64_t value = 0;
  if (text.size > 15) return false;
  for (size_t i = 0; i < text.size; i++)
    value = value * 10 + (uint64_t)(text.data[i] - '0');
  *out = (double)value;
  return true;
}

static oy_status to_float(oyi_parser* parser, const literal* number, double* out) {
  double value;
  bool is_nan = false;
  if (number->is_word) {
    (void)word_value(number->text, &is_nan);
    value = is_nan ? (double)NAN : (double)INFINITY;
  } else if (!number->integral || !small_integer(number->text, &value)) {
    value = to_double(number->text);
    if (isinf(value))
      return oyi_lexer_fail(&parser->lexer, number->text,
                            "invalid numeric default value: the number does not fit "
                            "in a double");
  }
  // The sign of a nan is not kept: nothing prints it.
  *out = number->negative && !is_nan ? -value : value;
  return OY_OK;
}

// "+ 2.j" or "- 2.j" behind a real part.
static oy_status imaginary_part(oyi_parser* parser, double* out) {
  literal part;
  oyi_lexer_next_if(&parser->lexer, '+');
  oy_str at = parser->lexer.cur.text;
  OY_TRY(take_literal(parser, &part));
  if (!part.imaginary)
    return oyi_lexer_fail(&parser->lexer, at,
                          "invalid numeric default value: expected an imaginary part "
                          "such as 2.j");
  return to_float(parser, &part, out);
}

oy_status oyi_parse_number(oyi_parser* parser, oy_type_kind kind, bool optional,
                           oy_default* out_value) {
  literal number;
  OY_TRY(take_literal(parser, &number));
  int next = parser->lexer.cur.kind;
  bool complex_type = kind == OY_TYPE_COMPLEX && !optional;
  if (number.imaginary) {
    out_value->kind = OY_DEFAULT_COMPLEX;
    return to_float(parser, &number, &out_value->im);
  }
  if (next == '+' || next == '-' || complex_type) {
    out_value->kind = OY_DEFAULT_COMPLEX;
    OY_TRY(to_float(parser, &number, &out_value->re));
    return next == '+' || next == '-' ? imaginary_part(parser, &out_value->im) : OY_OK;
  }
  if (number.integral && (kind != OY_TYPE_FLOAT || optional)) {
    out_value->kind = OY_DEFAULT_INT;
    return to_int(parser, &number, &out_value->i);
  }
  out_value->kind = OY_DEFAULT_FLOAT;
  return to_float(parser, &number, &out_value->re);
}
