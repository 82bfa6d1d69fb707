// SPDX-License-Identifier: Apache-2.0
// Inference tensors: what is made while the thread is in inference mode. They are told
// from others by the key that they lack, so that making, calling and freeing an ordinary
// tensor asks nothing.
#include "tensor/impl.h"
#include "tensor/pool.h"

bool oyi_makes_inference(void) {
  return oyi_pool.tensor_keys != OYI_TENSOR_KEYS;
}

void oyi_makes_inference_set(bool on) {
  const uint64_t layer = 1ull << OY_KEY_ADInplaceOrView;
  oyi_pool.tensor_keys = on ? OYI_TENSOR_KEYS & ~layer : OYI_TENSOR_KEYS;
}

bool oy_tensor_is_inference(const oy_tensor* tensor) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  return t && oyi_is_inference(t);
}

oy_status oyi_version_bump_slow(oyi_tensor* t) {
  if (!oyi_is_inference(t)) {
    oyi_version_bump(t);
    return OY_OK;
  }
  OY_CHECK(oyi_makes_inference(), FAILED_PRECONDITION,
           "Inplace update to inference tensor outside InferenceMode is not allowed.You "
           "can make a clone to get a normal tensor before doing inplace update.See "
           "https://github.com/pytorch/rfcs/pull/17 for more details.");
  return OY_OK;
}
