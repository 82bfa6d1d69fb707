// SPDX-License-Identifier: Apache-2.0
// Fuzz target for operator names: the parts lie inside the text, and a name that
// parses also parses as the beginning of a declaration.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "opyard/schema.h"

static void require(int condition) {
  if (!condition) abort();
}

static void inside(oy_str part, oy_str text) {
  if (part.size == 0) return;
  require(part.data >= text.data);
  require(part.data + part.size <= text.data + text.size);
}

static void declare(oy_str text, const oy_op_name* name) {
  static const char rest[] = "() -> ()";
  size_t size = text.size + sizeof(rest) - 1;
  char* buffer = malloc(size + 1);
  require(buffer != NULL);
  memcpy(buffer, text.data, text.size);
  // A newline may end a name but not stand before the arguments.
  for (size_t i = 0; i < text.size; i++)
    if (buffer[i] == '\n') buffer[i] = ' ';
  memcpy(buffer + text.size, rest, sizeof(rest));
  oy_schema* schema;
  oy_str whole = {buffer, size};
  require(oy_schema_parse(whole, OY_SCHEMA_DEFAULT, &schema) == OY_OK);
  require(oy_str_equal(schema->name.ns, name->ns));
  require(oy_str_equal(schema->name.base, name->base));
  require(oy_str_equal(schema->name.overload, name->overload));
  oy_schema_free(schema);
  free(buffer);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  oy_str text = {(const char*)data, size};
  oy_op_name name;
  oy_status status = oy_op_name_parse(text, &name);
  require(status == OY_OK || status == OY_PARSE);
  if (status != OY_OK) {
    require(name.base.size == 0 && name.ns.size == 0 && name.overload.size == 0);
    return 0;
  }
  require(name.base.size > 0);
  inside(name.ns, text);
  inside(name.base, text);
  inside(name.overload, text);
  declare(text, &name);
  return 0;
}
