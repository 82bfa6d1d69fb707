// SPDX-License-Identifier: Apache-2.0
// Where plugins are looked for: the folders of OPYARD_PLUGIN_PATH, which a program that
// runs with another user's rights ignores, then <libdir>/opyard/plugins.
#ifndef OPYARD_SRC_PLUGIN_SEARCH_H_
#define OPYARD_SRC_PLUGIN_SEARCH_H_

#include "plugin/manifest.h"

// Calls |visit| for each manifest that can be read, folder by folder, names in order, until
// it returns true; says whether it did. Notes what was found as attempts.
bool oyi_search(bool (*visit)(const oyi_manifest* manifest, void* user_data),
                void* user_data);
// A number that changes when another search would look elsewhere.
uint64_t oyi_search_state(void);
// The folders, separated by colons, cut off at |size|.
void oyi_search_folders(char* out, size_t size);

#endif  // OPYARD_SRC_PLUGIN_SEARCH_H_
