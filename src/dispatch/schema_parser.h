// SPDX-License-Identifier: Apache-2.0
// What the parts of the schema parser share. One function per grammar rule;
// each takes its tokens, or sets an error and leaves the rest to the caller,
// who frees the arena.
#ifndef OPYARD_SRC_DISPATCH_SCHEMA_PARSER_H_
#define OPYARD_SRC_DISPATCH_SCHEMA_PARSER_H_

#include "dispatch/schema_lexer.h"
#include "dispatch/schema_type.h"

enum {
  OYI_SCHEMA_ARGUMENTS_MAX = 64,
  OYI_SCHEMA_DEPTH_MAX = 32,
  OYI_SCHEMA_LIST_SIZE_MAX = 4096,  // of "int[N]": a default is stored N times
  OYI_SCHEMA_ALIAS_SET_MAX = 64
};

typedef struct oyi_parser {
  oyi_lexer lexer;  // over a NUL-terminated text
  oyi_arena arena;
  bool allow_variables;
  bool signature;
  int depth;  // open tuples, dictionaries and the like
} oyi_parser;

// Parses |text|, which a NUL byte follows. What *out_schema holds are views of the
// text and of |arena|, which is the caller's to free, also on failure.
oy_status oyi_schema_read(oy_str text, unsigned flags, oyi_arena* arena,
                          oy_schema* out_schema);

typedef struct oyi_typed {
  const oy_type* type;
  const oy_alias* alias;  // NULL if not annotated
  int depth;              // of the type, as a tree
} oyi_typed;

// A type with its annotations; |allow_size| permits "[N]" at its end.
oy_status oyi_parse_type(oyi_parser* parser, bool allow_size, oyi_typed* out_type);

// An annotation, if there is one; else *out_alias is NULL.
oy_status oyi_parse_alias(oyi_parser* parser, const oy_alias** out_alias);
// For a list whose element has |element| and which has |own| (both may be NULL).
oy_status oyi_alias_contain(oyi_parser* parser, const oy_alias* element,
                            const oy_alias* own, const oy_alias** out_alias);

// What stands after the '=' of an argument of |type|.
oy_status oyi_parse_default(oyi_parser* parser, const oy_type* type,
                            oy_default* out_value);
// One constant, for a value of |type|; a list element if |in_list|.
oy_status oyi_parse_constant(oyi_parser* parser, const oy_type* type, bool in_list,
                             oy_default* out_value);
oy_status oyi_parse_number(oyi_parser* parser, oy_type_kind kind, bool optional,
                           oy_default* out_value);

// Fails at the current token.
#define OYI_PARSE_FAIL(parser, ...) \
  oyi_lexer_fail(&(parser)->lexer, (parser)->lexer.cur.text, __VA_ARGS__)

#endif  // OPYARD_SRC_DISPATCH_SCHEMA_PARSER_H_
