// SPDX-License-Identifier: Apache-2.0
// Keys that are in the thread-local sets of every call, or on every tensor, and
// that most operators have nothing to do with: they fall through, as in PyTorch
// (reference, section 4.6). Autograd keys are not among them: what an operator
// without a gradient does is for the autograd layer, or the embedder, to say.
#include "base/memory.h"
#include "opyard/library.h"

static const oy_key g_fallthrough[] = {
    OY_KEY_BackendSelect,       OY_KEY_ADInplaceOrView,   OY_KEY_AutocastCPU,
    OY_KEY_AutocastXPU,         OY_KEY_AutocastIPU,       OY_KEY_AutocastHPU,
    OY_KEY_AutocastXLA,         OY_KEY_AutocastMPS,       OY_KEY_AutocastCUDA,
    OY_KEY_AutocastPrivateUse1, OY_KEY_FuncTorchVmapMode, OY_KEY_VmapMode};

oy_status oy_registry_add_default_fallbacks(oy_registry* registry,
                                            oy_library** out_library) {
  oy_library_params params = {registry,         OY_LIBRARY_IMPL, "_",
                              OY_KEY_Undefined, __FILE__,        __LINE__};
  oy_library* library;
  if (out_library) *out_library = NULL;
  OY_TRY(oy_library_create(&params, &library));
  for (size_t i = 0; i < OY_ARRAY_SIZE(g_fallthrough); i++) {
    oy_status status =
        oy_library_fallback(library, g_fallthrough[i], &OY_FALLTHROUGH, OY_HERE, NULL);
    if (status == OY_OK) continue;
    oy_library_close(library);
    return status;
  }
  if (out_library) *out_library = library;
  return OY_OK;
}
