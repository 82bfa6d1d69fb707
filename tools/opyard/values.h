// SPDX-License-Identifier: Apache-2.0
// Boxed values as text, as JSON, and from the literals of programs.
#ifndef OPYARD_TOOLS_OPYARD_VALUES_H_
#define OPYARD_TOOLS_OPYARD_VALUES_H_

#include "base/strbuf.h"
#include "json.h"
#include "opyard/schema.h"
#include "opyard/value.h"
#include "program.h"

void cli_value_print(oy_value value, oyi_strbuf* out);
void cli_value_json(cli_json* json, const char* key, oy_value value);
// The shortest text that reads back as |d|: "2.0", "0.1", "1e-05", "inf".
void cli_double_print(double d, oyi_strbuf* out);

// Finds what a name stands for; false if nothing.
typedef bool (*cli_name_lookup)(void* user_data, oy_str name, oy_value* out_borrowed);

// An owned value for |node|, shaped for an argument of |type| (NULL: unknown):
// "cpu" becomes a device, [] a list of the right kind. Names that |lookup| does
// not know are dtypes, layouts and memory formats. NOT_FOUND, with *out_fault the
// node, for a name that is nothing.
oy_status cli_value_of_node(const cli_node* node, const oy_type* type,
                            cli_name_lookup lookup, void* user_data, oy_value* out_value,
                            const cli_node** out_fault);

#endif  // OPYARD_TOOLS_OPYARD_VALUES_H_
