// SPDX-License-Identifier: Apache-2.0
// Which loops a conversion takes, and those for every processor.
#define LEVELED(name) name
#include "base/cpu.h"
#include "tensor/convert_loops_body.h"
#include "tensor/impl.h"

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
    case OY_DTYPE_I16:
      if (table->to_i16[from]) return table->to_i16[from];
      break;
    case OY_DTYPE_U8:
    case OY_DTYPE_I8:
      if (table->to_8[from]) return table->to_8[from];
      break;
    default: break;
  }
  if (from == OY_DTYPE_F64) return table->of_f64[to];
  if (from == OY_DTYPE_BF16) return table->of_bf16[to];
  return from == OY_DTYPE_F32 ? table->of_f32[to] : NULL;
}

// Integers of one size: bytes are bytes.
static bool same_bits(oy_dtype to, oy_dtype from) {
  return oyi_dtype_bytes[to] == oyi_dtype_bytes[from] &&
         oy_dtype_is_integral(from, true) && oy_dtype_is_integral(to, false);
}

oyi_convert_chain oyi_convert_chain_of(oy_dtype to, oy_dtype from) {
  const oyi_convert_table* table = table_of_machine();
  oyi_convert_chain chain = {0, {NULL, NULL, NULL}};
  if (same_bits(to, from)) return chain;
  const oyi_convert_loop direct = in_one_step(table, to, from);
  if (direct) return (oyi_convert_chain){1, {direct, NULL, NULL}};
  uint8_t a = table->near[from].wide, b = table->near[to].wide;
  // Small integers are small floats by way of float.
  if (b == OYI_WIDE_F32 && table->near[to].store && table->to_f32[from])
    return (oyi_convert_chain){2, {table->to_f32[from], table->near[to].store, NULL}};
  if (table->near[from].load) chain.loops[chain.count++] = table->near[from].load;
  if (a == OYI_WIDE_F32 && table->of_f32[to]) {
    chain.loops[chain.count++] = table->of_f32[to];
    return chain;
  }
  if (to == OY_DTYPE_BOOL) {
    chain.loops[chain.count++] = table->to_bool[a];
    return chain;
  }
  if (table->across[a][b]) chain.loops[chain.count++] = table->across[a][b];
  if (table->near[to].store) chain.loops[chain.count++] = table->near[to].store;
  return chain;
}

oyi_convert_loop oyi_convert_to_complex(oy_dtype to) {
  return table_of_machine()->to_complex[to];
}

oyi_convert_loop oyi_convert_complex_at_once(oy_dtype to, oy_dtype from) {
  const oyi_convert_table* table = table_of_machine();
  if (from == OY_DTYPE_C64) return table->of_c64[to];
  if (from == OY_DTYPE_C128) return table->of_c128[to];
  if (to == OY_DTYPE_C64) return table->to_c64[from];
  return to == OY_DTYPE_C128 ? table->to_c128[from] : NULL;
}
