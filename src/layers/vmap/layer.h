// SPDX-License-Identifier: Apache-2.0
// The stack of transforms that a thread is in. While there is one, the keys
// FuncTorchDynamicLayerFrontMode and BackMode are in every call of the thread:
//
//   front  lets only the keys of the innermost layer through, and calls again
//          ... the layer's kernel runs: a batching rule, or autograd ...
//   back   what that kernel calls comes here: the sets of before front are restored, the
//          layer is taken off the stack meanwhile, and the call goes to the next one
#ifndef OPYARD_SRC_LAYERS_VMAP_LAYER_H_
#define OPYARD_SRC_LAYERS_VMAP_LAYER_H_

#include "opyard/vmap.h"

enum { OYI_LAYER_MAX = 64 };

typedef struct oyi_layer oyi_layer;

// What a kind of transform does.
typedef struct oyi_layer_class {
  const char* name;   // "Vmap"
  uint64_t own_keys;  // functionalities that it lets through
  uint64_t included;  // and adds
  // (optional) Before the layer's kernel is looked for; may change the arguments.
  oy_status (*enter)(oyi_layer* layer, const oy_op* op, oy_stack* stack);
  // (optional) Makes the call for the layers below, in place of a plain one.
  oy_status (*below)(oyi_layer* layer, const oy_op* op, oy_stack* stack);
} oyi_layer_class;

// The thread's sets: they are restored, not undone.
typedef struct oyi_sets {
  oy_keyset included;
  uint64_t keep;
} oyi_sets;

struct oyi_layer {
  const oyi_layer_class* klass;
  oyi_layer* outer;
  int64_t level;   // 1 for the outermost
  uint64_t id;     // of no other layer in this process, ever
  oyi_sets saved;  // while |entered|: those that front found
  bool entered;
  int64_t batch_size;  // vmap
  oy_randomness randomness;
  bool grad_mode;  // grad: that of the layers below
};

extern __thread oyi_layer* oyi_layers __attribute__((tls_model("initial-exec")));

extern const oyi_layer_class oyi_vmap_class;
extern const oyi_layer_class oyi_grad_class;

static inline bool oyi_layer_is_vmap(const oyi_layer* layer) {
  return layer && layer->klass == &oyi_vmap_class;
}

// Makes a layer the innermost. Owned by the stack.
oyi_layer* oyi_layer_push(const oyi_layer_class* klass);
// Ends the innermost layer.
void oyi_layer_pop(void);
// The layer |level| of the thread; NULL if there is none.
oyi_layer* oyi_layer_at(int64_t level);
// Whether the thread is in the layer |id|.
bool oyi_layer_is_live(uint64_t id);

static inline oyi_sets oyi_sets_get(void) {
  return (oyi_sets){oy_tls.included, oy_tls.keep};
}
static inline void oyi_sets_restore(oyi_sets sets) {
  oy_tls.included = sets.included;
  oy_tls.keep = sets.keep;
}

// The two kernels.
oy_status oyi_layer_front(const oy_op* op, oy_keyset keys, oy_stack* stack,
                          const oy_kernel* kernel);
oy_status oyi_layer_back(const oy_op* op, oy_keyset keys, oy_stack* stack,
                         const oy_kernel* kernel);

#endif  // OPYARD_SRC_LAYERS_VMAP_LAYER_H_
