// SPDX-License-Identifier: Apache-2.0
// erfcx of floats, by vectors of doubles: a ratio of polynomials from 0 on, with the least
// greatest relative error, 1.1e-9 up to infinity. For loops_vmath_body.h, which has
// v_exp_f64().
//
// Below 0 by reflection, erfcx(x) = 2 exp(x * x) - erfcx(-x).

// The last factors' ratio is 1 / sqrt(pi): it goes to 1 / (x sqrt(pi)). The sixth power of
// the greatest float is below the greatest double.
static inline vec_f64 erfcx_above(vec_f64 x) {
  vec_f64 over = x * 0.0150488243640898495 + 0.124935264484247548;
  vec_f64 under = x * 0.0266733467240809481 + 0.221441976090941251;
  over = over * x + 0.498969959913650711;
  under = under * x + 0.897739072746993314;
  over = over * x + 1.15631468241028967;
  under = under * x + 2.16019956562612955;
  over = over * x + 1.55281707920391107;
  under = under * x + 3.18172284216620167;
  over = over * x + 0.999999998943918313;
  under = under * x + 2.68119612250057602;
  return over / (under * x + 1);
}

#define FAR_SQUARE 200
static inline vec_f64 erfcx_of(vec_f64 x) {
  const vec_f64 size = v_abs_f64(x), most = v_splat_f64((double)FLT_MAX);
  const ints_f64 is_infinite = size > most;
  vec_f64 found = erfcx_above(v_select_f64(is_infinite, most, size));
  found = v_select_f64(is_infinite, v_splat_f64(0), found);
  const ints_f64 turns = x < 0;
  if (!v_any_f64(turns)) return found;
  // From there on no float holds it, and before long no double.
  const vec_f64 square = x * x, far = v_splat_f64(FAR_SQUARE);
  const vec_f64 power = v_exp_f64(v_select_f64(square > far, far, square));
  return v_select_f64(turns, 2 * power - found, found);
}

#undef FAR_SQUARE

static void erfcx_vector_f32(int64_t n, char* const* data, const int64_t* strides,
                             const void* args) {
  (void)args;
  map_wide(n, data, strides, erfcx_of);
}
