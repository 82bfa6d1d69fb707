// SPDX-License-Identifier: Apache-2.0
#ifndef OPYARD_SRC_DISPATCH_COPY_H_
#define OPYARD_SRC_DISPATCH_COPY_H_

#include "opyard/base.h"

// FAILED_PRECONDITION if another copy of this library in the process has a
// default registry. Called once, when ours is made.
int oyi_check_only_copy(void);

#endif  // OPYARD_SRC_DISPATCH_COPY_H_
