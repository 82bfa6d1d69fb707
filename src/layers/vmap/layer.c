// SPDX-License-Identifier: Apache-2.0
// Layers: pushing, popping, and the way of a call through them.
#include "layers/vmap/layer.h"

#include <stdio.h>

#include "base/memory.h"

__thread oyi_layer* oyi_layers;

static const uint64_t g_mode_keys = 1ull << OY_KEY_FuncTorchDynamicLayerFrontMode |
                                    1ull << OY_KEY_FuncTorchDynamicLayerBackMode;
// Of the keys from BackMode to FrontMode: those that layers leave alone.
static const uint64_t g_passing =
    1ull << OY_KEY_FuncTorchDynamicLayerBackMode | 1ull << OY_KEY_FuncTorchVmapMode |
    1ull << OY_KEY_AutocastCPU | 1ull << OY_KEY_AutocastXPU | 1ull << OY_KEY_AutocastIPU |
    1ull << OY_KEY_AutocastHPU | 1ull << OY_KEY_AutocastXLA | 1ull << OY_KEY_AutocastMPS |
    1ull << OY_KEY_AutocastCUDA | 1ull << OY_KEY_AutocastPrivateUse1;

// All keys from BackMode to FrontMode.
static uint64_t keys_of_layers(void) {
  return (2ull << OY_KEY_FuncTorchDynamicLayerFrontMode) -
         (1ull << OY_KEY_FuncTorchDynamicLayerBackMode);
}

// Only a thread that is in a layer has the two keys.
static void set_innermost(oyi_layer* layer) {
  oyi_layers = layer;
  if (layer)
    oy_tls.included.functionality |= g_mode_keys;
  else
    oy_tls.included.functionality &= ~g_mode_keys;
}

oyi_layer* oyi_layer_push(const oyi_layer_class* klass) {
  static uint64_t last_id;  // atomic
  int64_t level = oy_transform_level() + 1;
  if (level > OYI_LAYER_MAX) {
    OY_FAIL(EXHAUSTED, "transforms may be nested %d deep", OYI_LAYER_MAX);
    return NULL;
  }
  oyi_layer* layer = oyi_zalloc(sizeof(*layer));
  if (!layer) return NULL;
  layer->klass = klass;
  layer->outer = oyi_layers;
  layer->level = level;
  layer->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
  set_innermost(layer);
  return layer;
}

void oyi_layer_pop(void) {
  oyi_layer* layer = oyi_layers;
  set_innermost(layer->outer);
  oyi_free(layer);
}

oyi_layer* oyi_layer_at(int64_t level) {
  oyi_layer* layer = oyi_layers;
  while (layer && layer->level != level) layer = layer->outer;
  return layer;
}

bool oyi_layer_is_live(uint64_t id) {
  const oyi_layer* layer = oyi_layers;
  while (layer && layer->id != id) layer = layer->outer;
  return layer != NULL;
}

int64_t oy_transform_level(void) {
  return oyi_layers ? oyi_layers->level : 0;
}

size_t oy_transform_print(char* buffer, size_t size) {
  const oyi_layer* order[OYI_LAYER_MAX];
  int n = 0;
  for (const oyi_layer* l = oyi_layers; l; l = l->outer) order[n++] = l;
  size_t length = (size_t)snprintf(buffer, size, "DynamicLayerStack[");
  while (n-- > 0) {
    size_t at = length < size ? length : size;
    length += (size_t)snprintf(buffer + at, size - at, " %lld:%s",
                               (long long)order[n]->level, order[n]->klass->name);
  }
  size_t at = length < size ? length : size;
  return length + (size_t)snprintf(buffer + at, size - at, " ]");
}

// ------------------------------------------------------------------ the kernels

// Past the highest of |keys|, where there is no layer: keys that were given explicitly.
static oy_status pass(const oy_op* op, oy_keyset keys, oy_key key, oy_stack* stack) {
  return oy_op_redispatch_boxed(op, oy_keyset_and(keys, oy_keyset_full_after(key)),
                                stack);
}

oy_status oyi_layer_front(const oy_op* op, oy_keyset keys, oy_stack* stack,
                          const oy_kernel* kernel) {
  (void)kernel;
  oyi_layer* layer = oyi_layers;
  if (!layer) return pass(op, keys, OY_KEY_FuncTorchDynamicLayerFrontMode, stack);
  if (layer->klass->enter) OY_TRY(layer->klass->enter(layer, op, stack));
  oyi_layer before = *layer;
  oyi_sets sets = layer->saved = oyi_sets_get();
  layer->entered = true;
  oy_tls.keep &= ~(keys_of_layers() & ~g_passing & ~layer->klass->own_keys);
  oy_tls.included.functionality |= layer->klass->included;
  oy_status status = oy_op_call_boxed(op, stack);
  oyi_sets_restore(sets);
  layer->saved = before.saved;
  layer->entered = before.entered;
  return status;
}

oy_status oyi_layer_back(const oy_op* op, oy_keyset keys, oy_stack* stack,
                         const oy_kernel* kernel) {
  (void)kernel;
  oyi_layer* layer = oyi_layers;
  if (!layer || !layer->entered)
    return pass(op, keys, OY_KEY_FuncTorchDynamicLayerBackMode, stack);
  oyi_sets sets = oyi_sets_get();
  oyi_sets_restore(layer->saved);
  set_innermost(layer->outer);
  oy_status status = layer->klass->below ? layer->klass->below(layer, op, stack)
                                         : oy_op_call_boxed(op, stack);
  oyi_layers = layer;
  oyi_sets_restore(sets);
  return status;
}
