// SPDX-License-Identifier: Apache-2.0
// alias := '(' set ['!'] ['->' set] ')' | '!'
// set   := ('*' | IDENT) ('|' ('*' | IDENT))*
// Sets are kept sorted and without repetition, so that equal sets are equal
// arrays and the printed order is stable.
#include "dispatch/schema_parser.h"

typedef struct names {
  oy_str name[OYI_SCHEMA_ALIAS_SET_MAX];
  size_t count;
} names;

static int compare(oy_str a, oy_str b) {
  int order = memcmp(a.data, b.data, a.size < b.size ? a.size : b.size);
  return order ? order : (a.size > b.size) - (a.size < b.size);
}

// Returns false if the set is full.
static bool insert(names* set, oy_str name) {
  size_t at = set->count;
  for (; at > 0; at--) {
    int order = compare(set->name[at - 1], name);
    if (order == 0) return true;
    if (order < 0) break;
  }
  if (set->count == OYI_SCHEMA_ALIAS_SET_MAX) return false;
  memmove(&set->name[at + 1], &set->name[at], (set->count - at) * sizeof(name));
  set->name[at] = name;
  set->count++;
  return true;
}

static oy_status parse_set(oyi_parser* parser, const oy_str** out_names,
                           size_t* out_count) {
  oyi_lexer* lexer = &parser->lexer;
  names set;
  set.count = 0;
  do {
    oyi_token token = lexer->cur;
    if (!oyi_lexer_next_if(lexer, '*'))
      OY_TRY(oyi_lexer_expect(lexer, OYI_TOKEN_IDENT, NULL));
    if (!insert(&set, token.text))
      return oyi_lexer_fail(lexer, token.text,
                            "expected at most %d names in an alias set",
                            OYI_SCHEMA_ALIAS_SET_MAX);
  } while (oyi_lexer_next_if(lexer, '|'));
  oy_str* copy = oyi_arena_alloc(&parser->arena, set.count * sizeof(*copy));
  if (!copy) return OY_OUT_OF_MEMORY;
  memcpy(copy, set.name, set.count * sizeof(*copy));
  *out_names = copy;
  *out_count = set.count;
  return OY_OK;
}

static oy_alias* new_alias(oyi_parser* parser) {
  oy_alias* alias = oyi_arena_alloc(&parser->arena, sizeof(*alias));
  if (alias) *alias = (oy_alias){0};
  return alias;
}

static oy_status parse_sets(oyi_parser* parser, oy_alias* alias) {
  oyi_lexer* lexer = &parser->lexer;
  OY_TRY(oyi_lexer_expect(lexer, '(', NULL));
  OY_TRY(parse_set(parser, &alias->before, &alias->before_count));
  alias->after = alias->before;
  alias->after_count = alias->before_count;
  alias->is_write = oyi_lexer_next_if(lexer, '!');
  if (oyi_lexer_next_if(lexer, OYI_TOKEN_ARROW)) {
    alias->has_after = true;
    OY_TRY(parse_set(parser, &alias->after, &alias->after_count));
  }
  return oyi_lexer_expect(lexer, ')', NULL);
}

oy_status oyi_parse_alias(oyi_parser* parser, const oy_alias** out_alias) {
  *out_alias = NULL;
  int kind = parser->lexer.cur.kind;
  if (OY_LIKELY(kind != '(' && kind != '!')) return OY_OK;
  oy_alias* alias = new_alias(parser);
  if (!alias) return OY_OUT_OF_MEMORY;
  if (kind == '!') {
    oyi_lexer_next(&parser->lexer);
    alias->is_write = true;
    alias->anonymous = true;
  } else {
    OY_TRY(parse_sets(parser, alias));
  }
  *out_alias = alias;
  return OY_OK;
}

oy_status oyi_alias_contain(oyi_parser* parser, const oy_alias* element,
                            const oy_alias* own, const oy_alias** out_alias) {
  *out_alias = own;
  if (!element) return OY_OK;
  oy_alias* alias = new_alias(parser);
  if (!alias) return OY_OUT_OF_MEMORY;
  // A list is written if it says so, or says nothing and its elements are.
  if (own)
    *alias = *own;
  else
    alias->is_write = element->is_write;
  alias->element = element;
  *out_alias = alias;
  return OY_OK;
}
