// SPDX-License-Identifier: Apache-2.0
// The two programs of `opyard demo`.
#ifndef OPYARD_TOOLS_OPYARD_DEMO_H_
#define OPYARD_TOOLS_OPYARD_DEMO_H_

#include "json.h"
#include "opyard/library.h"

// |json| NULL: text.
oy_status cli_demo_gradient(cli_json* json);
oy_status cli_demo_matmul(cli_json* json);

#endif  // OPYARD_TOOLS_OPYARD_DEMO_H_
