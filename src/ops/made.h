// SPDX-License-Identifier: Apache-2.0
// New tensors and what is written to them first. These writes are no changes of the
// tensor: they do not count as versions, so ADInplaceOrView is left out meanwhile.
#ifndef OPYARD_SRC_OPS_MADE_H_
#define OPYARD_SRC_OPS_MADE_H_

#include "ops/rules/shape.h"
#include "opyard/inline.h"

static inline uint64_t oyi_made_begin(void) {
  uint64_t keep = oy_tls.keep;
  oy_tls.keep = keep & ~(1ull << OY_KEY_ADInplaceOrView);
  return keep;
}
// Gives |made| if it was |written|, else releases it.
static inline oy_object* oyi_made_end(uint64_t keep, oy_object* made,
                                      oy_object* written) {
  oy_tls.keep = keep;
  return oyi_written(made, written);
}
// |made|, a new tensor or NULL, once |call| has written to it. Autograd does not see views
// that are made meanwhile, so composites that it looks into write to all of |made|.
#define OYI_MADE(made, call)                \
  do {                                      \
    if (!(made)) return NULL;               \
    uint64_t keep_ = oyi_made_begin();      \
    return oyi_made_end(keep_, made, call); \
  } while (0)

// The device that the options of a factory ask for.
static inline oy_device oyi_device_for(oy_value device, oy_device otherwise) {
  return device.tag == OY_TAG_NONE ? otherwise : device.as.device;
}
// The dtype of a number, for factories that are given none.
oy_value oyi_dtype_for(oy_value dtype, oy_scalar number);

#endif  // OPYARD_SRC_OPS_MADE_H_
