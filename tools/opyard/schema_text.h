// SPDX-License-Identifier: Apache-2.0
// Comparing schema texts with order inside alias sets set aside: PyTorch prints
// those sets in hash order, opyard sorted.
#ifndef OPYARD_TOOLS_OPYARD_SCHEMA_TEXT_H_
#define OPYARD_TOOLS_OPYARD_SCHEMA_TEXT_H_

#include "opyard/status.h"

typedef enum cli_same { CLI_EQUAL, CLI_EQUAL_BUT_SETS, CLI_UNEQUAL } cli_same;

// Compares |theirs|, as PyTorch printed it, with |ours|.
cli_same cli_schema_same(oy_str theirs, oy_str ours);
// Sorts the names of each alias set of |text|, in place.
void cli_schema_sort_sets(char* text, size_t size);

#endif  // OPYARD_TOOLS_OPYARD_SCHEMA_TEXT_H_
