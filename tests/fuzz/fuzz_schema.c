// SPDX-License-Identifier: Apache-2.0
// Fuzz target for the schema parser. The first byte chooses the flags, the rest
// is the text. What parses must print as something that parses to an equal schema
// with the same text, and must be compatible with itself; the alias predicates
// must only not crash.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "opyard/schema.h"

static void require(int condition) {
  if (!condition) abort();
}

static oy_schema* reparse(const oy_schema* schema, unsigned flags) {
  char *text, *again_text;
  oy_schema* again;
  require(oy_schema_print(schema, &text) == OY_OK);
  require(oy_schema_parse(oy_str_of(text), flags, &again) == OY_OK);
  require(oy_schema_equal(schema, again));
  require(oy_schema_print(again, &again_text) == OY_OK);
  require(strcmp(text, again_text) == 0);
  oy_text_free(text);
  oy_text_free(again_text);
  return again;
}

static void compare(const oy_schema* a, const oy_schema* b) {
  char* reason;
  require(oy_schema_check_signature(a, b, &reason) == OY_OK);
  require(!reason);
  // A new argument list is never shorter, but defaults and outs are as before.
  require(oy_schema_is_backward_compatible(a, b, &reason) && !reason);
  require(oy_schema_is_forward_compatible(a, b, &reason) && !reason);
}

static void predicates(const oy_schema* s) {
  require(!(oy_schema_is_view(s) && oy_schema_is_mutable(s)));
  require(!(oy_schema_is_functional(s) && oy_schema_is_out(s)));
  require(!oy_schema_is_inplace(s) || oy_schema_is_mutable(s));
  for (size_t i = 0; i < s->argument_count; i++)
    for (size_t j = 0; j < s->return_count; j++) {
      const oy_argument *a = &s->arguments[i], *r = &s->returns[j];
      require(oy_argument_may_alias(a, r) == oy_argument_may_alias(r, a));
      require(!oy_argument_may_alias(a, r) || oy_argument_may_contain_alias(a, r));
      (void)oy_argument_is_aliasing(a);
    }
  for (size_t j = 0; j < s->return_count; j++)
    require(oy_schema_return_argument(s, j) < (int)s->argument_count);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  unsigned flags = data[0] & 3u;
  oy_str text = {(const char*)data + 1, size - 1};
  oy_schema* schema;
  oy_status status = oy_schema_parse(text, flags, &schema);
  if (status != OY_OK) {
    require(status == OY_PARSE && !schema && strlen(oy_error_get()->message) < 2500);
    return 0;
  }
  oy_schema* again = reparse(schema, flags);
  compare(schema, again);
  predicates(schema);
  oy_schema_free(again);
  oy_schema_free(schema);
  return 0;
}
