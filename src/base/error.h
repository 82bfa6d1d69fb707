// SPDX-License-Identifier: Apache-2.0
// Carrying an error from one thread to another.
#ifndef OPYARD_SRC_BASE_ERROR_H_
#define OPYARD_SRC_BASE_ERROR_H_

#include "opyard/status.h"

typedef struct oyi_error_record oyi_error_record;

// Takes the error away from this thread, which then has none. NULL stands for an
// error that there was no memory for.
oyi_error_record* oyi_error_detach(void);
// Makes it this thread's error, instead of any other.
void oyi_error_attach(oyi_error_record* error);
// Takes NULL.
void oyi_error_free(oyi_error_record* error);

#endif  // OPYARD_SRC_BASE_ERROR_H_
