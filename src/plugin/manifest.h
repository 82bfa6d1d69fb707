// SPDX-License-Identifier: Apache-2.0
// Manifests: small text files that say what a plugin is without loading it. Whoever wrote
// one may have meant harm: sizes are bounded, names are identifiers, and the library lies
// in the manifest's own folder.
#ifndef OPYARD_SRC_PLUGIN_MANIFEST_H_
#define OPYARD_SRC_PLUGIN_MANIFEST_H_

#include "opyard/status.h"

enum { OYI_MANIFEST_NAME = 64, OYI_MANIFEST_TEXT = 256, OYI_PATH = 4096 };

typedef struct oyi_manifest {
  char name[OYI_MANIFEST_NAME];
  char library[OYI_MANIFEST_TEXT];      // file name
  char backends[OYI_MANIFEST_TEXT];     // names, separated by one blank
  char description[OYI_MANIFEST_TEXT];  // cut off if it is longer
  char path[OYI_PATH];                  // of the library
} oyi_manifest;

// IO if it cannot be read, PARSE with the line if it is none.
oy_status oyi_manifest_read(const char* path, oyi_manifest* out);
// The same of text that was read; |where| names it in messages.
oy_status oyi_manifest_parse(oy_str text, const char* where, oyi_manifest* out);
// Whether |backend|, in any case, is among those that it announces.
bool oyi_manifest_announces(const oyi_manifest* manifest, oy_str backend);

#endif  // OPYARD_SRC_PLUGIN_MANIFEST_H_
