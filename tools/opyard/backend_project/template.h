// SPDX-License-Identifier: Apache-2.0
// The files of a plugin project, as text with places for its name.
#ifndef OPYARD_TOOLS_OPYARD_BACKEND_PROJECT_TEMPLATE_H_
#define OPYARD_TOOLS_OPYARD_BACKEND_PROJECT_TEMPLATE_H_

#include <stddef.h>

typedef struct project_file {
  const char* path;  // NULL: the end
  const char* text;
} project_file;

extern const project_file project_sources[], project_device[], project_others[];

#endif  // OPYARD_TOOLS_OPYARD_BACKEND_PROJECT_TEMPLATE_H_
