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

// What everyday conversions come to, in one step; NULL: there is none.
static oyi_convert_loop in_one_step(const oyi_convert_table* table, oy_dtype to,
                                    oy_dtype from) {
  switch (to) {
    case OY_DTYPE_F32: return table->to_f32[from];
    case OY_DTYPE_I64: return table->to_i64[from];
    case OY_DTYPE_BOOL: return table->to_b1[from];
    case OY_DTYPE_BF16: return table->to_bf16[from];
    default: return from == OY_DTYPE_F32 ? table->of_f32[to] : NULL;
  }
}

oyi_convert_chain oyi_convert_chain_of(oy_dtype to, oy_dtype from) {
  const oyi_convert_table* table = table_of_machine();
  oyi_convert_chain chain = {0, {NULL, NULL, NULL}};
  const oyi_convert_loop direct = in_one_step(table, to, from);
  if (direct) return (oyi_convert_chain){1, {direct, NULL, NULL}};
  uint8_t a = table->near[from].wide, b = table->near[to].wide;
  // Small integers are small floats by way of float.
  if (b == OYI_WIDE_F32 && table->near[to].store && table->to_f32[from])
    return (oyi_convert_chain){2, {table->to_f32[from], table->near[to].store, NULL}};
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
