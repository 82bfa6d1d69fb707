// SPDX-License-Identifier: Apache-2.0
#define C     float
#define TABLE oyi_divide_base
#include "backends/cpu/reduce/reduce_divide_body.h"
