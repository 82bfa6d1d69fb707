// SPDX-License-Identifier: Apache-2.0
// Default values. The type decides what may stand there, and a value that could
// never be passed is refused here and not at the first call. Optional types take
// None, or what their element takes; the kind of a number in an optional stays as
// written ("float? x=1" holds the int 1, as in PyTorch).
#include "base/memory.h"
#include "dispatch/schema_parser.h"

typedef struct named {
  const char* name;
  int64_t value;
} named;

// Accepted for every integer-like argument, for the sake of old schemas.
static const named g_words[] = {{"float", 6},   {"complex", 9}, {"long", 4},
                                {"strided", 0}, {"Mean", 1},    {"contiguous_format", 0}};

// Accepted for ScalarType; the numbers are PyTorch's and frozen.
static const named g_dtypes[] = {{"uint8", 0},
                                 {"int8", 1},
                                 {"int16", 2},
                                 {"short", 2},
                                 {"int32", 3},
                                 {"int", 3},
                                 {"int64", 4},
                                 {"long", 4},
                                 {"float16", 5},
                                 {"half", 5},
                                 {"float32", 6},
                                 {"float", 6},
                                 {"float64", 7},
                                 {"double", 7},
                                 {"complex32", 8},
                                 {"chalf", 8},
                                 {"complex64", 9},
                                 {"cfloat", 9},
                                 {"complex128", 10},
                                 {"cdouble", 10},
                                 {"bool", 11},
                                 {"qint8", 12},
                                 {"quint8", 13},
                                 {"qint32", 14},
                                 {"bfloat16", 15},
                                 {"quint4x2", 16},
                                 {"quint2x4", 17},
                                 {"bits1x8", 18},
                                 {"bits2x4", 19},
                                 {"bits4x2", 20},
                                 {"bits8", 21},
                                 {"bits16", 22},
                                 {"float8_e5m2", 23},
                                 {"float8_e4m3fn", 24},
                                 {"float8_e5m2fnuz", 25},
                                 {"float8_e4m3fnuz", 26},
                                 {"uint16", 27},
                                 {"uint32", 28},
                                 {"uint64", 29}};

static const named* find_named(const named* table, size_t count, oy_str word) {
  for (size_t i = 0; i < count; i++)
    if (oy_str_equal(oy_str_of(table[i].name), word)) return &table[i];
  return NULL;
}

enum {
  TAKES_INT = 1 << OY_DEFAULT_INT,
  TAKES_FLOAT = 1 << OY_DEFAULT_FLOAT,
  TAKES_BOOL = 1 << OY_DEFAULT_BOOL,
  TAKES_COMPLEX = 1 << OY_DEFAULT_COMPLEX,
  TAKES_STR = 1 << OY_DEFAULT_STR,
  TAKES_NUMBER = TAKES_INT | TAKES_FLOAT | TAKES_COMPLEX
};

// Which kinds of value an argument of |kind| takes besides None.
static unsigned takes(oy_type_kind kind) {
  switch (kind) {
    case OY_TYPE_INT:
    case OY_TYPE_SYMINT:
    case OY_TYPE_SCALAR_TYPE:
    case OY_TYPE_LAYOUT:
    case OY_TYPE_MEMORY_FORMAT:
    case OY_TYPE_DEVICE_INDEX:
    case OY_TYPE_QSCHEME: return TAKES_INT;
    case OY_TYPE_FLOAT: return TAKES_INT | TAKES_FLOAT;
    case OY_TYPE_BOOL: return TAKES_BOOL;
    case OY_TYPE_COMPLEX: return TAKES_NUMBER;
    case OY_TYPE_SCALAR: return TAKES_NUMBER | TAKES_BOOL;
    case OY_TYPE_STR:
    case OY_TYPE_DIMNAME:
    case OY_TYPE_DEVICE: return TAKES_STR;
    default: return 0;
  }
}

static const char* wanted(unsigned mask) {
  if (mask == TAKES_BOOL) return "True or False";
  if (mask == TAKES_STR) return "a string literal";
  if (mask == TAKES_INT) return "an int";
  return "a number";
}

static int octal(const char** p, const char* end) {
  int value = 0;
  for (int i = 0; i < 3 && *p < end && **p >= '0' && **p <= '7'; i++)
    value = value * 8 + *(*p)++ - '0';
  return value;
}

// Reads the escape behind a backslash; -1 if there is none such.
static int unescape(const char** p, const char* end) {
  static const char from[] = "\\'\"abfnrtv";
  static const char to[] = "\\'\"\a\b\f\n\r\t\v";
  char c = **p;
  if (c >= '0' && c <= '7') {
    int value = octal(p, end);
    return value > 255 ? -1 : value;
  }
  const char* found = c ? strchr(from, c) : NULL;
  if (!found) return -1;
  (*p)++;
  return (unsigned char)to[found - from];
}

static oy_status parse_string(oyi_parser* parser, oy_str* out_text) {
  oy_str token;
  OY_TRY(oyi_lexer_expect(&parser->lexer, OYI_TOKEN_STRING, &token));
  const char* p = token.data + 1;
  const char* end = token.data + token.size - 1;
  *out_text = (oy_str){p, (size_t)(end - p)};
  if (!memchr(p, '\\', out_text->size)) return OY_OK;
  char* copy = oyi_arena_alloc(&parser->arena, out_text->size);
  if (!copy) return OY_OUT_OF_MEMORY;
  out_text->data = copy;
  while (p < end) {
    char c = *p++;
    if (c == '\\') {
      const char* start = p - 1;
      int value = unescape(&p, end);
      if (value < 0)
        return oyi_lexer_fail(&parser->lexer, (oy_str){start, 2},
                              "unsupported escape in a string literal: expected "
                              "one of \\\\ \\' \\\" \\a \\b \\f \\n \\r \\t \\v or "
                              "an octal byte up to \\377");
      c = (char)value;
    }
    *copy++ = c;
  }
  out_text->size = (size_t)(copy - out_text->data);
  return OY_OK;
}

// A word for a number: an enum value, a dtype, inf or nan.
static oy_status parse_word(oyi_parser* parser, oy_type_kind kind,
                            oy_default* out_value) {
  oy_str word = parser->lexer.cur.text;
  unsigned mask = takes(kind);
  const named* found = NULL;
  if (mask & TAKES_INT) found = find_named(g_words, OY_ARRAY_SIZE(g_words), word);
  if (!found && kind == OY_TYPE_SCALAR_TYPE)
    found = find_named(g_dtypes, OY_ARRAY_SIZE(g_dtypes), word);
  if (!found || kind == OY_TYPE_FLOAT || kind == OY_TYPE_COMPLEX)
    return oyi_parse_number(parser, kind, false, out_value);
  out_value->kind = OY_DEFAULT_INT;
  out_value->i = found->value;
  out_value->text = word;
  oyi_lexer_next(&parser->lexer);
  return OY_OK;
}

static oy_status parse_raw(oyi_parser* parser, const oy_type* type, bool optional,
                           oy_default* out_value) {
  oyi_lexer* lexer = &parser->lexer;
  switch (lexer->cur.kind) {
    case OYI_TOKEN_TRUE:
    case OYI_TOKEN_FALSE:
      out_value->kind = OY_DEFAULT_BOOL;
      out_value->i = lexer->cur.kind == OYI_TOKEN_TRUE;
      oyi_lexer_next(lexer);
      return OY_OK;
    case OYI_TOKEN_STRING:
      out_value->kind = OY_DEFAULT_STR;
      return parse_string(parser, &out_value->text);
    case OYI_TOKEN_IDENT: return parse_word(parser, type->kind, out_value);
    default: return oyi_parse_number(parser, type->kind, optional, out_value);
  }
}

oy_status oyi_parse_constant(oyi_parser* parser, const oy_type* type, bool in_list,
                             oy_default* out_value) {
  *out_value = (oy_default){.kind = OY_DEFAULT_NONE};
  oyi_lexer* lexer = &parser->lexer;
  if (!in_list && oyi_lexer_next_if(lexer, OYI_TOKEN_NONE)) return OY_OK;
  bool optional = type->kind == OY_TYPE_OPTIONAL;
  const oy_type* element = oyi_type_unwrap(type);
  unsigned mask = takes(element->kind);
  if (mask == 0) return oyi_lexer_expect(lexer, OYI_TOKEN_NONE, NULL);
  oyi_token at = lexer->cur;
  if (mask == TAKES_STR && at.kind != OYI_TOKEN_STRING)
    return oyi_lexer_expect(lexer, OYI_TOKEN_STRING, NULL);
  OY_TRY(parse_raw(parser, element, optional, out_value));
  if (mask & 1u << out_value->kind) return OY_OK;
  return oyi_lexer_fail(lexer, at.text,
                        "invalid numeric default value: expected %s for an argument "
                        "of type %s",
                        wanted(mask), oyi_type_text(element->kind));
}

static oy_status parse_items(oyi_parser* parser, const oy_type* element,
                             oy_default* out_value) {
  oyi_lexer* lexer = &parser->lexer;
  OY_TRY(oyi_lexer_expect(lexer, '[', NULL));
  if (oyi_lexer_next_if(lexer, ']')) return OY_OK;
  oy_default* items = NULL;
  size_t capacity = 0, count = 0;
  do {
    if (!oyi_arena_grow(&parser->arena, &items, &capacity, count, sizeof(*items)))
      return OY_OUT_OF_MEMORY;
    OY_TRY(oyi_parse_constant(parser, element, true, &items[count]));
    count++;
  } while (oyi_lexer_next_if(lexer, ','));
  out_value->items = items;
  out_value->item_count = count;
  return oyi_lexer_expect(lexer, ']', NULL);
}

// "int[2] x=1" holds two ones.
static oy_status parse_broadcast(oyi_parser* parser, const oy_type* list,
                                 oy_default* out_value) {
  oy_default item;
  OY_TRY(oyi_parse_constant(parser, list->element, true, &item));
  size_t count = (size_t)list->fixed_size;
  oy_default* items = oyi_arena_alloc(&parser->arena, count * sizeof(*items));
  if (!items) return OY_OUT_OF_MEMORY;
  for (size_t i = 0; i < count; i++) items[i] = item;
  out_value->items = items;
  out_value->item_count = count;
  out_value->broadcast = true;
  return OY_OK;
}

static oy_status parse_list_default(oyi_parser* parser, const oy_type* list,
                                    oy_default* out_value) {
  *out_value = (oy_default){.kind = OY_DEFAULT_LIST};
  int kind = parser->lexer.cur.kind;
  if (kind == OYI_TOKEN_IDENT || kind == OYI_TOKEN_NONE)
    return oyi_lexer_expect(&parser->lexer, kind == OYI_TOKEN_NONE ? '[' : OYI_TOKEN_NONE,
                            NULL);
  unsigned mask = takes(list->element->kind);
  if (mask == 0 || mask == TAKES_STR || list->element->kind == OY_TYPE_SCALAR)
    return OYI_PARSE_FAIL(parser,
                          "lists are only supported for float, int and complex types");
  return list->fixed_size > 0 && kind != '['
             ? parse_broadcast(parser, list, out_value)
             : parse_items(parser, list->element, out_value);
}

oy_status oyi_parse_default(oyi_parser* parser, const oy_type* type,
                            oy_default* out_value) {
  const oy_type* element = oyi_type_unwrap(type);
  bool none = parser->lexer.cur.kind == OYI_TOKEN_NONE;
  if (element->kind == OY_TYPE_LIST && !(none && type->kind == OY_TYPE_OPTIONAL))
    return parse_list_default(parser, element, out_value);
  return oyi_parse_constant(parser, type, false, out_value);
}
