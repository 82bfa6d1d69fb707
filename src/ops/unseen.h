// SPDX-License-Identifier: Apache-2.0
// Short ways for small plain tensors. A kernel of several parts calls operators, so that
// layers, modes and observers see each part; where nothing of the kind is on, and the
// tensor is one of the CPU that nothing hangs on, it may do the same by itself.
#ifndef OPYARD_SRC_OPS_UNSEEN_H_
#define OPYARD_SRC_OPS_UNSEEN_H_

#include "dispatch/thread.h"
#include "dispatch/trace.h"
#include "tensor/impl.h"

enum { OYI_UNSEEN_BYTES = 4096 };  // what the parts do better beyond that

// Whether calls of this thread with |t| meet nothing above the kernel of the backend but
// Autograd, and no kernel of it has been replaced; such a tensor has memory.
static inline bool oyi_is_unseen(const oyi_tensor* t) {
  const oy_keyset keys = t->header.keys;
  return (keys.functionality & ~OYI_AUTOGRAD_KEYS) == OYI_TENSOR_KEYS &&
         keys.backends == 1 && !t->side && t->storage && t->storage->data &&
         oy_tls.included.functionality == OYI_INCLUDED_AT_FIRST &&
         oy_tls.included.backends == 0 &&
         !__atomic_load_n(&oyi_backward_watch, __ATOMIC_RELAXED);
}
// The same for one that lies in one piece, which is short.
static inline bool oyi_is_unseen_piece(const oyi_tensor* t, size_t* out_bytes) {
  *out_bytes = (size_t)(t->numel * oyi_item(t));
  return (t->flags & OYI_CONTIGUOUS) && *out_bytes - 1 < OYI_UNSEEN_BYTES &&
         oyi_is_unseen(t);
}

#endif  // OPYARD_SRC_OPS_UNSEEN_H_
