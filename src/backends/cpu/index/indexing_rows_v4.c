// SPDX-License-Identifier: Apache-2.0
// Short rows by number, for x86-64-v4 (AVX-512): whole lines.
#define LEVELED(name) name##_v4
#include "backends/cpu/index/indexing_rows_body.h"
