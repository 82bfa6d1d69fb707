// SPDX-License-Identifier: Apache-2.0
// type := base [alias] ( '[]' [alias] | '?' )*, and "[N]" where allowed.
// Recursion goes through tuples, dictionaries and the like only, and both it and
// the depth of the finished tree stop at OYI_SCHEMA_DEPTH_MAX; whatever walks a
// type later may recurse.
//
// Annotations inside a tuple, a dictionary and so on are checked and, as in
// PyTorch, not kept: an alias describes a value and the elements of lists.
#include "dispatch/schema_parser.h"

#define TYPES_URL \
  "https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/README.md#func"

static oy_status too_deep(oyi_parser* parser) {
  return OYI_PARSE_FAIL(parser, "expected a type nested at most %d deep",
                        OYI_SCHEMA_DEPTH_MAX);
}

static oy_status parse_inner(oyi_parser* parser, oyi_typed* outer,
                             const oy_type** out_type) {
  oyi_typed inner;
  OY_TRY(oyi_parse_type(parser, false, &inner));
  if (outer->depth < inner.depth + 1) outer->depth = inner.depth + 1;
  *out_type = inner.type;
  return OY_OK;
}

static bool word_is(oy_str word, const char* text, size_t size) {
  return word.size == size && memcmp(word.data, text, size) == 0;
}
#define WORD_IS(word, literal) word_is(word, "" literal, sizeof(literal) - 1)

// "(T, ...)" of a tuple, which may be empty, or a union.
static oy_status parse_fields(oyi_parser* parser, oy_type_kind kind, oyi_typed* out) {
  oyi_lexer* lexer = &parser->lexer;
  oy_type* type = oyi_type_make(&parser->arena, kind, NULL);
  if (!type) return OY_OUT_OF_MEMORY;
  out->type = type;
  OY_TRY(oyi_lexer_expect(lexer, '(', NULL));
  if (kind == OY_TYPE_TUPLE && oyi_lexer_next_if(lexer, ')')) return OY_OK;
  const oy_type** fields = NULL;
  size_t capacity = 0, count = 0;
  do {
    if (!oyi_arena_grow(&parser->arena, &fields, &capacity, count, sizeof(*fields)))
      return OY_OUT_OF_MEMORY;
    OY_TRY(parse_inner(parser, out, &fields[count]));
    count++;
  } while (oyi_lexer_next_if(lexer, ','));
  type->fields = fields;
  type->field_count = count;
  return oyi_lexer_expect(lexer, ')', NULL);
}

// "(T)" of a future, an await or a remote reference.
static oy_status parse_wrapper(oyi_parser* parser, oy_type_kind kind, oyi_typed* out) {
  oyi_lexer_next(&parser->lexer);
  OY_TRY(oyi_lexer_expect(&parser->lexer, '(', NULL));
  const oy_type* element;
  OY_TRY(parse_inner(parser, out, &element));
  out->type = oyi_type_make(&parser->arena, kind, element);
  if (!out->type) return OY_OUT_OF_MEMORY;
  return oyi_lexer_expect(&parser->lexer, ')', NULL);
}

static bool is_key(const oy_type* type) {
  switch (oyi_type_kind_as(type->kind, OYI_TYPE_NATIVE)) {
    case OY_TYPE_ANY:
    case OY_TYPE_INT:
    case OY_TYPE_BOOL:
    case OY_TYPE_FLOAT:
    case OY_TYPE_COMPLEX:
    case OY_TYPE_STR:
    case OY_TYPE_TENSOR:
    case OY_TYPE_DEVICE: return true;
    default: return false;
  }
}

static oy_status parse_dict(oyi_parser* parser, oyi_typed* out) {
  oyi_lexer* lexer = &parser->lexer;
  oyi_lexer_next(lexer);
  OY_TRY(oyi_lexer_expect(lexer, '(', NULL));
  oy_str at = lexer->cur.text;
  const oy_type *key, *value;
  OY_TRY(parse_inner(parser, out, &key));
  if (!is_key(key))
    return oyi_lexer_fail(lexer, at,
                          "Cannot create dict for this key type, only int, float, "
                          "complex, Tensor, device and string keys are supported");
  OY_TRY(oyi_lexer_expect(lexer, ',', NULL));
  OY_TRY(parse_inner(parser, out, &value));
  oy_type* type = oyi_type_make(&parser->arena, OY_TYPE_DICT, key);
  if (!type) return OY_OUT_OF_MEMORY;
  type->value = value;
  out->type = type;
  return oyi_lexer_expect(lexer, ')', NULL);
}

// Copies the name, as the text may have blanks around its points.
static oy_status class_type(oyi_parser* parser, const oy_str part[2], oyi_typed* out) {
  static const char prefix[] = "__torch__.torch.classes.";
  size_t start = sizeof(prefix) - 1;
  size_t size = start + part[0].size + 1 + part[1].size;
  oy_type* type = oyi_type_make(&parser->arena, OY_TYPE_CLASS, NULL);
  char* name = type ? oyi_arena_alloc(&parser->arena, size) : NULL;
  if (!name) return OY_OUT_OF_MEMORY;
  memcpy(name, prefix, start);
  memcpy(name + start, part[0].data, part[0].size);
  name[start + part[0].size] = '.';
  memcpy(name + start + part[0].size + 1, part[1].data, part[1].size);
  type->name.data = name;
  type->name.size = size;
  out->type = type;
  return OY_OK;
}

// "__torch__.torch.classes.NS.NAME". Which classes exist is not known here.
static oy_status parse_class(oyi_parser* parser, oyi_typed* out) {
  static const char* const fixed[] = {"torch", "classes"};
  oyi_lexer* lexer = &parser->lexer;
  oyi_lexer_next(lexer);
  oy_str part[2];
  for (size_t i = 0; i < 4; i++) {
    OY_TRY(oyi_lexer_expect(lexer, '.', NULL));
    oy_str* word = &part[i & 1];
    OY_TRY(oyi_lexer_expect(lexer, OYI_TOKEN_IDENT, word));
    if (i < 2 && !oy_str_equal(*word, oy_str_of(fixed[i])))
      return oyi_lexer_fail(lexer, *word, "Expected classes namespace but got %.*s",
                            (int)(word->size > 64 ? 64 : word->size), word->data);
  }
  return class_type(parser, part, out);
}

static oy_status unknown_type(oyi_parser* parser, oy_str word) {
  if (WORD_IS(word, "double"))
    return OYI_PARSE_FAIL(
        parser,
        "Use `float` instead of `double` in an operator's schema string. `float` "
        "in schema corresponds to the double type in C++");
  if (WORD_IS(word, "int64_t"))
    return OYI_PARSE_FAIL(
        parser,
        "Use `SymInt` or `int` instead of `int64_t` in an operator's schema "
        "string. `SymInt` corresponds to c10::SymInt in C++ while `int` in schema "
        "corresponds to the int64_t type in C++.");
  return OYI_PARSE_FAIL(
      parser,
      "unknown type specifier. Common valid schema types include Tensor, SymInt, "
      "int, float, bool, Scalar; for a full list, please see " TYPES_URL);
}

static oy_status parse_variable(oyi_parser* parser, oyi_typed* out) {
  oy_str word = parser->lexer.cur.text;
  bool lower = word.data[0] >= 'a' && word.data[0] <= 'z';
  if (!lower || !parser->allow_variables || WORD_IS(word, "double") ||
      WORD_IS(word, "int64_t"))
    return unknown_type(parser, word);
  oy_type* type = oyi_type_make(&parser->arena, OY_TYPE_VAR, NULL);
  if (!type) return OY_OUT_OF_MEMORY;
  type->name = word;
  out->type = type;
  oyi_lexer_next(&parser->lexer);
  return OY_OK;
}

static oy_status parse_structured(oyi_parser* parser, oyi_typed* out) {
  oy_str word = parser->lexer.cur.text;
  if (WORD_IS(word, "Future")) return parse_wrapper(parser, OY_TYPE_FUTURE, out);
  if (WORD_IS(word, "Await")) return parse_wrapper(parser, OY_TYPE_AWAIT, out);
  if (WORD_IS(word, "RRef")) return parse_wrapper(parser, OY_TYPE_RREF, out);
  if (WORD_IS(word, "Dict")) return parse_dict(parser, out);
  if (WORD_IS(word, "__torch__")) return parse_class(parser, out);
  if (!WORD_IS(word, "Union")) return parse_variable(parser, out);
  oyi_lexer_next(&parser->lexer);
  return parse_fields(parser, OY_TYPE_UNION, out);
}

static oy_status parse_base(oyi_parser* parser, oyi_typed* out) {
  oyi_lexer* lexer = &parser->lexer;
  if (lexer->cur.kind == OYI_TOKEN_IDENT) {
    oy_type_kind kind = oyi_type_find(lexer->cur.text);
    if (kind == OY_TYPE_COUNT) return parse_structured(parser, out);
    out->type = oyi_type_base(kind);
    oyi_lexer_next(lexer);
    return OY_OK;
  }
  if (oyi_lexer_next_if(lexer, OYI_TOKEN_NONE) ||
      oyi_lexer_next_if(lexer, OYI_TOKEN_NONE_TYPE)) {
    out->type = oyi_type_base(OY_TYPE_NONE);
    return OY_OK;
  }
  if (lexer->cur.kind == '(') return parse_fields(parser, OY_TYPE_TUPLE, out);
  return oyi_lexer_expected(lexer, OYI_TOKEN_IDENT);
}

static oy_status parse_size(oyi_parser* parser, int64_t* out_size) {
  oy_str text;
  OY_TRY(oyi_lexer_expect(&parser->lexer, OYI_TOKEN_NUMBER, &text));
  int64_t size = 0;
  for (size_t i = 0; i < text.size; i++) {
    int digit = text.data[i] - '0';
    if (digit < 0 || digit > 9) size = OYI_SCHEMA_LIST_SIZE_MAX + 1;
    if (size <= OYI_SCHEMA_LIST_SIZE_MAX) size = size * 10 + digit;
  }
  if (size < 1 || size > OYI_SCHEMA_LIST_SIZE_MAX)
    return oyi_lexer_fail(&parser->lexer, text, "expected a list size between 1 and %d",
                          OYI_SCHEMA_LIST_SIZE_MAX);
  *out_size = size;
  return OY_OK;
}

// The rest of "[]" or "[N]" after '['; *out_size is 0 for the first.
static oy_status parse_list(oyi_parser* parser, bool allow_size, oyi_typed* typed,
                            int64_t* out_size) {
  *out_size = 0;
  if (allow_size && parser->lexer.cur.kind != ']') OY_TRY(parse_size(parser, out_size));
  OY_TRY(oyi_lexer_expect(&parser->lexer, ']', NULL));
  const oy_alias* own;
  OY_TRY(oyi_parse_alias(parser, &own));
  typed->type = oyi_type_list(&parser->arena, typed->type, *out_size);
  if (!typed->type) return OY_OUT_OF_MEMORY;
  return oyi_alias_contain(parser, typed->alias, own, &typed->alias);
}

static oy_status parse_suffixes(oyi_parser* parser, bool allow_size, oyi_typed* typed) {
  oyi_lexer* lexer = &parser->lexer;
  int64_t size = 0;
  for (;;) {
    if (oyi_lexer_next_if(lexer, '?')) {
      typed->type = oyi_type_optional(&parser->arena, typed->type);
      if (!typed->type) return OY_OUT_OF_MEMORY;
      if (size > 0) return OY_OK;
    } else if (size == 0 && oyi_lexer_next_if(lexer, '[')) {
      OY_TRY(parse_list(parser, allow_size, typed, &size));
    } else {
      return OY_OK;
    }
    if (++typed->depth > OYI_SCHEMA_DEPTH_MAX) return too_deep(parser);
  }
}

oy_status oyi_parse_type(oyi_parser* parser, bool allow_size, oyi_typed* out_type) {
  out_type->alias = NULL;
  out_type->depth = 1;
  if (++parser->depth > OYI_SCHEMA_DEPTH_MAX) return too_deep(parser);
  OY_TRY(parse_base(parser, out_type));
  int kind = parser->lexer.cur.kind;
  if (OY_UNLIKELY(kind == '(' || kind == '!'))
    OY_TRY(oyi_parse_alias(parser, &out_type->alias));
  OY_TRY(parse_suffixes(parser, allow_size, out_type));
  parser->depth--;
  return out_type->depth > OYI_SCHEMA_DEPTH_MAX ? too_deep(parser) : OY_OK;
}
