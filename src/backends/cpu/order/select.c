// SPDX-License-Identifier: Apache-2.0
#define LEVELED(name) name##_base
#include "backends/cpu/order/select_body.h"
#include "base/cpu.h"

oy_status oyi_select(oy_dtype dtype, const oyi_selection* s, int64_t* out_place) {
#ifdef __x86_64__
  if (oyi_cpu_level() >= 1) return oyi_select_v3(dtype, s, out_place);
#endif
  return oyi_select_base(dtype, s, out_place);
}

oyi_next_fn oyi_select_next(oy_dtype dtype) {
#ifdef __x86_64__
  if (oyi_cpu_level() >= 1) return oyi_select_next_v3(dtype);
#endif
  return oyi_select_next_base(dtype);
}

oyi_top_fn oyi_select_top(oy_dtype dtype) {
#ifdef __x86_64__
  if (oyi_cpu_level() >= 1) return oyi_select_top_v3(dtype);
#endif
  return oyi_select_top_base(dtype);
}
