// SPDX-License-Identifier: Apache-2.0
// Declarations: name(arguments) -> returns. The parser takes views of the text, which
// oy_schema_parse copies into the schema's arena first; arguments are gathered on the
// stack and copied out once their number is known. So a typical schema is one
// allocation, and reading one that is not kept is none.
#include "dispatch/schema_parser.h"

// First in the arena, so that the schema finds its own memory.
typedef struct owner {
  oy_schema schema;
  oyi_arena arena;
} owner;

typedef struct gathered {
  oy_argument item[OYI_SCHEMA_ARGUMENTS_MAX];
  size_t count;  // may pass the limit, to say by how much
} gathered;

// "_0" to "_63", names of positions. They are views of one text.
static oy_str index_name(size_t i) {
  static const char text[] =
      "_0_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_16_17_18_19_20_21_22_23_24_25_26_27_28"
      "_29_30_31_32_33_34_35_36_37_38_39_40_41_42_43_44_45_46_47_48_49_50_51_52_53_54"
      "_55_56_57_58_59_60_61_62_63";
  _Static_assert(sizeof(text) - 1 == 10 * 2 + (OYI_SCHEMA_ARGUMENTS_MAX - 10) * 3,
                 "a name for every position");
  size_t offset = i < 10 ? 2 * i : 20 + 3 * (i - 10);
  return (oy_str){text + offset, i < 10 ? 2 : 3};
}

// Beyond the limit the last place is used again: the list is refused anyway.
static oy_argument* slot(gathered* list) {
  size_t i = list->count++;
  size_t last = OYI_SCHEMA_ARGUMENTS_MAX - 1;
  return &list->item[i < last ? i : last];
}

static bool is_dispatch(const oy_type* type) {
  if (type->kind == OY_TYPE_LIST) type = type->element;
  if (type->kind == OY_TYPE_OPTIONAL) type = type->element;
  return type->kind == OY_TYPE_TENSOR;
}

static oy_status parse_typed(oyi_parser* parser, gathered* list,
                             oy_argument** out_argument) {
  oyi_typed typed;
  OY_TRY(oyi_parse_type(parser, true, &typed));
  oy_argument* argument = slot(list);
  *argument = (oy_argument){.type = typed.type, .alias = typed.alias};
  argument->is_dispatch = is_dispatch(typed.type);
  size_t index = list->count - 1;
  if (parser->signature && index < OYI_SCHEMA_ARGUMENTS_MAX)
    argument->name = index_name(index);
  *out_argument = argument;
  return OY_OK;
}

static oy_status parse_argument(oyi_parser* parser, gathered* list, bool kwarg_only) {
  oyi_lexer* lexer = &parser->lexer;
  oy_argument* argument;
  OY_TRY(parse_typed(parser, list, &argument));
  argument->kwarg_only = kwarg_only;
  argument->is_out = kwarg_only && argument->alias && argument->alias->is_write;
  int kind = lexer->cur.kind;
  if (parser->signature && (kind == ',' || kind == ')')) return OY_OK;
  OY_TRY(oyi_lexer_expect(lexer, OYI_TOKEN_IDENT, &argument->name));
  if (!oyi_lexer_next_if(lexer, '=')) return OY_OK;
  return oyi_parse_default(parser, argument->type, &argument->default_value);
}

static oy_status parse_return(oyi_parser* parser, gathered* list) {
  oy_argument* argument;
  OY_TRY(parse_typed(parser, list, &argument));
  if (parser->lexer.cur.kind == OYI_TOKEN_IDENT)
    return oyi_lexer_expect(&parser->lexer, OYI_TOKEN_IDENT, &argument->name);
  return OY_OK;
}

static oy_status finish_list(oyi_parser* parser, const gathered* list, oy_str at,
                             const char* what, const oy_argument** out_items) {
  *out_items = NULL;
  if (list->count > OYI_SCHEMA_ARGUMENTS_MAX)
    return oyi_lexer_fail(
        &parser->lexer, at,
        "The function schema has %zu %s but this opyard build only supports %d",
        list->count, what, OYI_SCHEMA_ARGUMENTS_MAX);
  if (list->count == 0) return OY_OK;
  size_t size = list->count * sizeof(oy_argument);
  oy_argument* items = oyi_arena_alloc(&parser->arena, size);
  if (!items) return OY_OUT_OF_MEMORY;
  memcpy(items, list->item, size);
  *out_items = items;
  return OY_OK;
}

static oy_status check_vararg(oyi_parser* parser, const gathered* list) {
  size_t count = list->count;
  if (count > OYI_SCHEMA_ARGUMENTS_MAX) return OY_OK;  // refused by finish_list
  for (size_t i = 0; i < count; i++)
    if (list->item[i].default_value.kind != OY_DEFAULT_ABSENT)
      return oyi_lexer_fail(&parser->lexer, list->item[i].name,
                            "schemas with vararg (...) can't have default value args");
  return OY_OK;
}

// '*' may stand once, with an argument behind it.
static oy_status parse_star(oyi_parser* parser, bool* kwarg_only) {
  if (*kwarg_only)
    return OYI_PARSE_FAIL(parser, "* may stand only once in the argument list");
  *kwarg_only = true;
  oyi_lexer_next(&parser->lexer);
  if (parser->lexer.cur.kind == ',') return OY_OK;
  return OYI_PARSE_FAIL(parser,
                        "* must be followed by a keyword-only argument: expected ,");
}

static oy_status parse_arguments(oyi_parser* parser, gathered* list, oy_schema* schema) {
  oyi_lexer* lexer = &parser->lexer;
  oy_str open = lexer->cur.text;
  bool kwarg_only = false;
  list->count = 0;
  OY_TRY(oyi_lexer_expect(lexer, '(', NULL));
  if (!oyi_lexer_next_if(lexer, ')')) {
    do {
      if (schema->is_vararg)
        return OYI_PARSE_FAIL(parser,
                              "... must be the last element of the argument list");
      if (lexer->cur.kind == '*')
        OY_TRY(parse_star(parser, &kwarg_only));
      else if (oyi_lexer_next_if(lexer, OYI_TOKEN_DOTS))
        schema->is_vararg = true;
      else
        OY_TRY(parse_argument(parser, list, kwarg_only));
    } while (oyi_lexer_next_if(lexer, ','));
    OY_TRY(oyi_lexer_expect(lexer, ')', NULL));
  }
  if (schema->is_vararg) OY_TRY(check_vararg(parser, list));
  schema->argument_count = list->count;
  return finish_list(parser, list, open, "arguments", &schema->arguments);
}

static oy_status parse_return_list(oyi_parser* parser, gathered* list,
                                   oy_schema* schema) {
  oyi_lexer* lexer = &parser->lexer;
  OY_TRY(oyi_lexer_expect(lexer, '(', NULL));
  if (oyi_lexer_next_if(lexer, ')')) return OY_OK;
  do {
    if (schema->is_varret)
      return OYI_PARSE_FAIL(parser, "... must be the last element of the return list");
    if (oyi_lexer_next_if(lexer, OYI_TOKEN_DOTS))
      schema->is_varret = true;
    else
      OY_TRY(parse_return(parser, list));
  } while (oyi_lexer_next_if(lexer, ','));
  return oyi_lexer_expect(lexer, ')', NULL);
}

static oy_status parse_returns(oyi_parser* parser, gathered* list, oy_schema* schema) {
  oyi_lexer* lexer = &parser->lexer;
  oy_str open = lexer->cur.text;
  list->count = 0;
  if (oyi_lexer_next_if(lexer, OYI_TOKEN_DOTS))
    schema->is_varret = true;
  else if (lexer->cur.kind == '(')
    OY_TRY(parse_return_list(parser, list, schema));
  else
    OY_TRY(parse_return(parser, list));
  schema->return_count = list->count;
  return finish_list(parser, list, open, "returns", &schema->returns);
}

// A positional argument behind one with a default needs one too, or a call could
// not leave the first out. Lists are exempt: schemas were once written without
// the defaults of broadcast lists.
static oy_status check_positions(oyi_parser* parser, const oy_schema* schema) {
  bool seen = false;
  for (size_t i = 0; i < schema->argument_count; i++) {
    const oy_argument* argument = &schema->arguments[i];
    if (argument->kwarg_only) break;
    bool has_default = argument->default_value.kind != OY_DEFAULT_ABSENT;
    seen |= has_default;
    if (has_default || !seen || argument->type->kind == OY_TYPE_LIST) continue;
    oyi_strbuf text = OYI_STRBUF_INIT;
    oyi_schema_put(&text, schema);
    oy_status status = oyi_strbuf_status(&text);
    if (status == OY_OK) {
      // Only a name that was written has a place in the text.
      bool named = argument->name.data >= parser->lexer.begin &&
                   argument->name.data < parser->lexer.end;
      status = oyi_lexer_fail(
          &parser->lexer, named ? argument->name : parser->lexer.cur.text,
          "Non-default positional argument follows default argument. Parameter "
          "%.*s in %.*s%s",
          (int)(argument->name.size > 64 ? 64 : argument->name.size), argument->name.data,
          (int)(text.size > 1200 ? 1200 : text.size), text.data,
          text.size > 1200 ? "..." : "");
    }
    oyi_strbuf_reset(&text);
    return status;
  }
  return OY_OK;
}

// A view of the text if the name stands there without blanks, else a copy.
static oy_status join_name(oyi_parser* parser, oy_schema* schema) {
  const oy_op_name* name = &schema->name;
  size_t size = name->base.size + (name->ns.data ? name->ns.size + 2 : 0) +
                (name->overload.data ? name->overload.size + 1 : 0);
  const char* from = name->ns.data ? name->ns.data : name->base.data;
  oy_str last = name->overload.data ? name->overload : name->base;
  schema->full_name = (oy_str){from, size};
  if (from + size == last.data + last.size) return OY_OK;
  char* copy = oyi_arena_alloc(&parser->arena, size);
  if (!copy) return OY_OUT_OF_MEMORY;
  schema->full_name.data = copy;
  if (name->ns.data) {
    memcpy(copy, name->ns.data, name->ns.size);
    memcpy(copy + name->ns.size, "::", 2);
    copy += name->ns.size + 2;
  }
  memcpy(copy, name->base.data, name->base.size);
  if (!name->overload.data) return OY_OK;
  copy[name->base.size] = '.';
  memcpy(copy + name->base.size + 1, name->overload.data, name->overload.size);
  return OY_OK;
}

static oy_status parse_name(oyi_parser* parser, unsigned flags, oy_schema* schema) {
  oyi_lexer* lexer = &parser->lexer;
  parser->allow_variables = (flags & OY_SCHEMA_ALLOW_TYPE_VARIABLES) != 0;
  if (parser->signature && lexer->cur.kind == '(') return OY_OK;
  OY_TRY(oyi_op_name_read(lexer, &schema->name));
  if (lexer->cur.kind == OYI_TOKEN_EOF || lexer->cur.kind == OYI_TOKEN_NEWLINE)
    return OYI_PARSE_FAIL(
        parser, "Tried to parse a function schema but only the operator name was given");
  oy_str ns = schema->name.ns;
  if (oy_str_equal(ns, oy_str_of("aten")) || oy_str_equal(ns, oy_str_of("prim")))
    parser->allow_variables = true;
  return join_name(parser, schema);
}

static oy_status parse_declaration(oyi_parser* parser, unsigned flags,
                                   oy_schema* schema) {
  gathered list;
  OY_TRY(parse_name(parser, flags, schema));
  OY_TRY(parse_arguments(parser, &list, schema));
  OY_TRY(oyi_lexer_expect(&parser->lexer, OYI_TOKEN_ARROW, NULL));
  OY_TRY(parse_returns(parser, &list, schema));
  oyi_lexer_next_if(&parser->lexer, OYI_TOKEN_NEWLINE);
  OY_TRY(oyi_lexer_expect(&parser->lexer, OYI_TOKEN_EOF, NULL));
  return check_positions(parser, schema);
}

// What a schema needs besides its text grows with its arguments, and those are
// counted by their commas. An underestimate costs another block, no more.
static size_t guess_size(oy_str text) {
  size_t commas = 2;
  const char* p = text.size ? text.data : "";
  const char* end = p + text.size;
  while (commas < OYI_SCHEMA_ARGUMENTS_MAX && p < end &&
         (p = memchr(p, ',', (size_t)(end - p))) != NULL) {
    commas++;
    p++;
  }
  return sizeof(owner) + text.size + 1 + commas * (sizeof(oy_argument) + 24) + 64;
}

oy_status oyi_schema_read(oy_str text, unsigned flags, oyi_arena* arena,
                          oy_schema* out_schema) {
  oyi_parser parser;
  parser.arena = *arena;
  parser.signature = (flags & OY_SCHEMA_SIGNATURE) != 0;
  parser.depth = 0;
  oyi_lexer_init(&parser.lexer, text);
  *out_schema = (oy_schema){0};
  oy_status status = parse_declaration(&parser, flags, out_schema);
  *arena = parser.arena;
  return status;
}

oy_status oy_schema_parse(oy_str text, unsigned flags, oy_schema** out_schema) {
  *out_schema = NULL;
  oyi_arena arena;
  if (!oyi_arena_init(&arena, guess_size(text))) return OY_OUT_OF_MEMORY;
  owner* self = oyi_arena_alloc(&arena, sizeof(*self));
  char* copy = self ? oyi_arena_alloc(&arena, text.size + 1) : NULL;
  oy_status status = OY_OUT_OF_MEMORY;
  if (copy) {
    if (text.size) memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    status = oyi_schema_read((oy_str){copy, text.size}, flags, &arena, &self->schema);
  }
  if (OY_UNLIKELY(status != OY_OK)) {
    oyi_arena_free(&arena);
    return status;
  }
  self->arena = arena;
  *out_schema = &self->schema;
  return OY_OK;
}

void oy_schema_free(oy_schema* schema) {
  if (!schema) return;
  // The owner lies in the arena that it owns.
  oyi_arena arena = ((owner*)(void*)schema)->arena;
  oyi_arena_free(&arena);
}
