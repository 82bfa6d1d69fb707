// SPDX-License-Identifier: Apache-2.0
#define LEVELED(name) name
#include "backends/cpu/index/take_offsets_body.h"
