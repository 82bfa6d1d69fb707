// SPDX-License-Identifier: Apache-2.0
// Saved tensors that hooks have packed (opyard/saved_hooks.h). In the slot lies a stand-in, a
// tensor without storage that has the packed object in place of a history; it goes as saved
// tensors do. While its node runs, the slot has what was unpacked: the node gets a copy of
// its formula that sees to that, so that a node without hooks asks nothing.
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_PACKED_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_PACKED_H_

#include "layers/autograd/node.h"
#include "opyard/saved_hooks.h"

// Hooks of a thread, which packed objects need as well.
typedef struct oyi_saved_hooks {
  int32_t references;  // atomic
  oy_saved_hooks hooks;
  struct oyi_saved_hooks* outer;  // of the thread; not looked at otherwise
} oyi_saved_hooks;
void oyi_saved_hooks_release(oyi_saved_hooks* hooks);
// The innermost of this thread, with a reference; NULL: none.
oyi_saved_hooks* oyi_saved_hooks_get(void);

// Packs |original| in place of what |slot| of |node| has, by the hooks of this thread.
oy_status oyi_pack(oyi_node* node, oyi_saved* slot, oyi_tensor* original);
bool oyi_is_packed(const oyi_saved* slot);
// A new reference to what takes its place, with the history of the original; that of a
// result only if the walk is recorded. NULL with the error set.
oy_object* oyi_unpack(oyi_node* node, const oyi_saved* slot);

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_PACKED_H_
