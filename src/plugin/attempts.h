// SPDX-License-Identifier: Apache-2.0
// What was tried, for `opyard doctor` and for messages. The lock of plugins is held in all
// of them but oy_plugin_attempt_at.
#ifndef OPYARD_SRC_PLUGIN_ATTEMPTS_H_
#define OPYARD_SRC_PLUGIN_ATTEMPTS_H_

#include "opyard/plugin.h"
#include "plugin/manifest.h"

// Replaces what is known of |path|. |manifest| and |reason| may be NULL.
void oyi_attempt_note(oy_plugin_outcome outcome, const char* name, const char* path,
                      const oyi_manifest* manifest, const char* reason);
// Adds to the pending error what is known that has to do with backend |name|: a line for
// each plugin that announces it, or the folders that were searched.
void oyi_attempt_explain(oy_str name);

#endif  // OPYARD_SRC_PLUGIN_ATTEMPTS_H_
