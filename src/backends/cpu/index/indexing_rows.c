// SPDX-License-Identifier: Apache-2.0
// Short rows by number, such as those of embeddings: a call for each of them takes longer than
// its bytes.
#define LEVELED(name) name##_plain
#include "backends/cpu/index/indexing_rows_body.h"
#include "base/cpu.h"

oyi_rows_fn oyi_rows_for(int64_t bytes) {
#if defined(__x86_64__)
  if (oyi_cpu_level() > 1) return oyi_rows_for_v4(bytes);
  if (oyi_cpu_level() > 0) return oyi_rows_for_v3(bytes);
#endif
  return oyi_rows_for_plain(bytes);
}
