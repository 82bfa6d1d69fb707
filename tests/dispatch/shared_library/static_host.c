// SPDX-License-Identifier: Apache-2.0
// Linked with an archive that holds the plugin, without whole-archive tricks: a
// call by name brings it in. Prints the operators.
#include <stdio.h>

#include "plugin.h"

int main(void) {
  if (oy_load_plug() != OY_OK || oy_load_plug_CPU_m() != OY_OK ||
      oy_load_plug() != OY_OK) {
    fprintf(stderr, "%s\n", oy_error_get()->message);
    return 1;
  }
  char* names = NULL;
  if (oy_registry_dump_key(oy_registry_default(), OY_KEY_CPU, &names) != OY_OK) return 1;
  printf("%s", names);
  oy_text_free(names);
  return 0;
}
