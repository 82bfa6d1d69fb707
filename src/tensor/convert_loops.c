// SPDX-License-Identifier: Apache-2.0
// Which loops a conversion takes, and those for every processor.
#define LEVELED(name) name
#include "base/cpu.h"
#include "tensor/convert_loops_body.h"

static const oyi_convert_table* table_of_machine(void) {
#if defined(__x86_64__)
  if (oyi_cpu_level() >= 1) return &oyi_convert_loops_v3;
#endif
  return &oyi_convert_loops;
}

oyi_convert_chain oyi_convert_chain_of(oy_dtype to, oy_dtype from) {
  const oyi_convert_table* table = table_of_machine();
  oyi_convert_chain chain = {0, {NULL, NULL, NULL}};
  const oyi_convert_loop direct = to == OY_DTYPE_F32     ? table->to_f32[from]
                                  : from == OY_DTYPE_F32 ? table->of_f32[to]
                                                         : NULL;
  if (direct) return (oyi_convert_chain){1, {direct, NULL, NULL}};
  uint8_t a = table->near[from].wide, b = table->near[to].wide;
  if (table->near[from].load) chain.loops[chain.count++] = table->near[from].load;
  if (to == OY_DTYPE_BOOL) {
    chain.loops[chain.count++] = table->to_bool[a];
    return chain;
  }
  if (to == OY_DTYPE_U8 && a == OYI_WIDE_F64) {
    chain.loops[chain.count++] = table->f64_to_u8[0];
    chain.loops[chain.count++] = table->f64_to_u8[1];
    return chain;
  }
  if (table->across[a][b]) chain.loops[chain.count++] = table->across[a][b];
  if (table->near[to].store) chain.loops[chain.count++] = table->near[to].store;
  return chain;
}
