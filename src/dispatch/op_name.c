// SPDX-License-Identifier: Apache-2.0
// Operator names: ns::base.overload. Two operators are the same if and only if
// all three parts are. The overloads "default" and "__x__" stay free for the
// front ends, which use them as attribute names.
#include "dispatch/schema_lexer.h"

static bool is_legal_overload(oy_str overload) {
  if (oy_str_equal(overload, oy_str_of("default"))) return false;
  return overload.size < 2 || memcmp(overload.data, "__", 2) != 0;
}

oy_status oyi_op_name_read(oyi_lexer* lexer, oy_op_name* out_name) {
  static const oy_op_name empty;
  *out_name = empty;
  OY_TRY(oyi_lexer_expect(lexer, OYI_TOKEN_IDENT, &out_name->base));
  if (oyi_lexer_next_if(lexer, OYI_TOKEN_COLONS)) {
    out_name->ns = out_name->base;
    OY_TRY(oyi_lexer_expect(lexer, OYI_TOKEN_IDENT, &out_name->base));
  }
  if (!oyi_lexer_next_if(lexer, '.')) return OY_OK;
  oy_str overload;
  OY_TRY(oyi_lexer_expect(lexer, OYI_TOKEN_IDENT, &overload));
  if (!is_legal_overload(overload))
    return oyi_lexer_fail(lexer, overload,
                          "%.*s is not a legal overload name for aten operators",
                          (int)(overload.size > 64 ? 64 : overload.size), overload.data);
  out_name->overload = overload;
  return OY_OK;
}

oy_status oy_op_name_parse(oy_str text, oy_op_name* out_name) {
  static const oy_op_name empty;
  *out_name = empty;
  oyi_lexer lexer;
  oyi_lexer_init(&lexer, text);
  oy_op_name name;
  OY_TRY(oyi_op_name_read(&lexer, &name));
  if (lexer.cur.kind == '(')
    return oyi_lexer_fail(
        &lexer, lexer.cur.text,
        "Tried to parse an operator name but function schema was given");
  oyi_lexer_next_if(&lexer, OYI_TOKEN_NEWLINE);
  OY_TRY(oyi_lexer_expect(&lexer, OYI_TOKEN_EOF, NULL));
  *out_name = name;
  return OY_OK;
}
