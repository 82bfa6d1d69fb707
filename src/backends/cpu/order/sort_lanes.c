// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/order/sort_lanes.h"

#include "base/cpu.h"
#include "tensor/impl.h"

#ifdef __x86_64__
oyi_sort_lanes_fn oyi_sort_lanes_for(oy_dtype dtype, int64_t n) {
  // From where on digits, of which narrow numbers have few, are faster; measured for numbers
  // of one, two, four and eight bytes.
  static const int64_t most[][4] = {{64, 2048, 1024, 4096}, {512, 65536, 8192, 8192}};
  // Fewer are as soon put in order one by one.
  static const int64_t least[] = {5, 5, 5, 9};
  const int level = oyi_cpu_level(), width = __builtin_ctz(oyi_dtype_bytes[dtype]);
  if (level == 0 || n < least[width] || n > most[level - 1][width]) return NULL;
  return level == 1 ? oyi_sort_lanes_v3 : oyi_sort_lanes_v4;
}
#else
oyi_sort_lanes_fn oyi_sort_lanes_for(oy_dtype dtype, int64_t n) {
  (void)dtype, (void)n;
  return NULL;
}
#endif
