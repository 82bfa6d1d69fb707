// SPDX-License-Identifier: Apache-2.0
// The table of inner loops, chosen when the library starts: loops that gain from wide
// vectors are built for three CPU capability levels, the others once. A table of
// pointers that is filled by a function, and not ifunc, which sanitizers cannot bear.
#include "backends/cpu/loops/loops.h"

#include "base/cpu.h"

oyi_loop oyi_cpu_loops[OYI_LOOP_COUNT][OYI_LOOP_DTYPES];

const char* const oyi_cpu_loop_names[OYI_LOOP_COUNT] = {
#define OY_LOOP(name, pytorch)      [OYI_LOOP_##name] = pytorch,
#define OY_LOOP_WIDE(name, pytorch) [OYI_LOOP_##name] = pytorch,
#include "backends/cpu/loops/loops.def"
#undef OY_LOOP
#undef OY_LOOP_WIDE
};

const bool oyi_cpu_loop_is_wide[OYI_LOOP_COUNT] = {
#define OY_LOOP(name, pytorch)
#define OY_LOOP_WIDE(name, pytorch) [OYI_LOOP_##name] = true,
#include "backends/cpu/loops/loops.def"
#undef OY_LOOP
#undef OY_LOOP_WIDE
};

static void put(const oyi_loop_entry* rows) {
  for (; rows->loop; rows++) oyi_cpu_loops[rows->which][rows->dtype] = rows->loop;
}

void oyi_cpu_loops_init(void) {
  put(oyi_loops_plain);
  put(oyi_loops_complex);
  put(oyi_loops_special);
#if defined(__x86_64__)
  int level = oyi_cpu_level();
  put(level == 2   ? oyi_loops_arith_v4
      : level == 1 ? oyi_loops_arith_v3
                   : oyi_loops_arith);
  put(level == 2   ? oyi_loops_vmath_v4
      : level == 1 ? oyi_loops_vmath_v3
                   : oyi_loops_vmath);
#else
  put(oyi_loops_arith);
  put(oyi_loops_vmath);
#endif
}
