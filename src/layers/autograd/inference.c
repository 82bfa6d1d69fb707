// SPDX-License-Identifier: Apache-2.0
// Inference mode (reference, 6.1). Calls pass the Autograd and ADInplaceOrView layers by,
// and what they make has no key for either; so nothing is asked on the way of a call.
#include "layers/autograd/record.h"
#include "opyard/state.h"

oy_inference_guard oy_inference_mode(bool on) {
  oy_inference_guard guard = {oy_guard_preserve(), oyi_grad_mode, oyi_makes_inference()};
  const uint64_t view_layer = 1ull << OY_KEY_ADInplaceOrView;
  oy_keyset included = guard.sets.include, excluded = guard.sets.exclude;
  if (on) {
    included.functionality &= ~view_layer;
    excluded.functionality |= OYI_AUTOGRAD_KEYS;
  } else {
    included.functionality |= view_layer;
    excluded.functionality &= ~OYI_AUTOGRAD_KEYS;
  }
  oy_guard_restore(included, excluded);
  oyi_makes_inference_set(on);
  oyi_grad_mode = on ? OYI_GRAD_OFF : OYI_GRAD_ON;
  return guard;
}

void oy_inference_guard_end(const oy_inference_guard* guard) {
  oy_guard_end(&guard->sets);
  oyi_makes_inference_set(guard->mode);
  oyi_grad_mode = guard->grad_mode;
}

bool oy_inference_mode_get(void) {
  return oyi_makes_inference();
}
