// SPDX-License-Identifier: Apache-2.0
// The little of JSON that headers of files need: objects, arrays of numbers, texts.
// Read from left to right by who knows what has to come, without a tree and without
// recursion; every mistake is reported with its place.
#ifndef OPYARD_SRC_TENSOR_JSON_H_
#define OPYARD_SRC_TENSOR_JSON_H_

#include "base/arena.h"
#include "base/strbuf.h"

typedef struct oyi_json {
  const char* name;  // of the file, for messages
  oy_str text;
  size_t base;  // where the text lies in the file
  size_t at;
  oyi_arena* arena;  // holds the texts that were read
} oyi_json;

// PARSE: "x: at byte 12: expected ..., got ...".
oy_status oyi_json_unexpected(const oyi_json* json, const char* expected);
void oyi_json_space(oyi_json* json);
// Takes |c| after spaces, if it comes.
bool oyi_json_take(oyi_json* json, char c);
oy_status oyi_json_need(oyi_json* json, char c);
// An unescaped, NUL-terminated copy. It is UTF-8 and has no NUL inside.
oy_status oyi_json_string(oyi_json* json, oy_str* out);
// A whole number without sign, fraction or exponent, up to 2^63 - 1.
oy_status oyi_json_size(oyi_json* json, int64_t* out);
// Walks over "a, b, c]" after the bracket: false in *out_more at its end. *first is
// true before the first element.
oy_status oyi_json_next(oyi_json* json, char close, bool* first, bool* out_more);

// Appends |text| in quotes, escaped.
void oyi_json_put_string(oyi_strbuf* buf, oy_str text);
// The number of bytes before the first that is not UTF-8.
size_t oyi_utf8_length(oy_str text);

#endif  // OPYARD_SRC_TENSOR_JSON_H_
