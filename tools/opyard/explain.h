// SPDX-License-Identifier: Apache-2.0
#ifndef OPYARD_TOOLS_OPYARD_EXPLAIN_H_
#define OPYARD_TOOLS_OPYARD_EXPLAIN_H_

#include "json.h"
#include "opyard/dispatcher.h"

// |texts| are what the user wrote for each argument.
void cli_explanation_print(const oy_explanation* e, const char* const* texts);
void cli_explanation_json(cli_json* json, const oy_explanation* e,
                          const char* const* texts);

#endif  // OPYARD_TOOLS_OPYARD_EXPLAIN_H_
