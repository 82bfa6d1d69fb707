// SPDX-License-Identifier: Apache-2.0
// The code of a plugin: opening a shared object that may be anything, and where it lies.
#ifndef OPYARD_SRC_PLUGIN_IMAGE_H_
#define OPYARD_SRC_PLUGIN_IMAGE_H_

#include <sys/types.h>

#include "opyard/abi.h"

typedef struct oyi_image {
  void* handle;
  int fd;  // kept open where the file is loaded through it, else -1
  dev_t device;
  ino_t inode;
  const void *begin, *end;  // where it was mapped
  const oy_plugin* plugin;  // what its entry gave
} oyi_image;

// Opens |path| and asks its entry. |others| are images that are open: a file that was
// replaced on disk is another one, though its path is the same.
oy_status oyi_image_open(const char* path, const oyi_image* const* others, size_t count,
                         oyi_image* out);
void oyi_image_close(oyi_image* image);

#endif  // OPYARD_SRC_PLUGIN_IMAGE_H_
