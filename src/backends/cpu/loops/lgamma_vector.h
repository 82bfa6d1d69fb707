// SPDX-License-Identifier: Apache-2.0
// lgamma of floats, by vectors of doubles: what Stirling's series leaves out from 7.5 on, and
// what cancels near its zeros, is below the last bit of a float.
//
// Below 1/2 by reflection, lgamma(x) = log(pi / |sin(pi x)|) - lgamma(1 - x); the others go up
// by seven, by the logarithm of z (z + 1) ... (z + 6).

// What is added to (w - 1/2) log(w) - w: log(2 pi) / 2 and B(2k) / (2k (2k - 1) w^(2k - 1)).
static inline vec_f64 lgamma_rest(vec_f64 w) {
  const vec_f64 over = 1 / w, square = over * over;
  vec_f64 sum = square * (-3617 / 122400.0) + 1 / 156.0;
  sum = sum * square - 691 / 360360.0;
  sum = sum * square + 1 / 1188.0;
  sum = sum * square - 1 / 1680.0;
  sum = sum * square + 1 / 1260.0;
  sum = sum * square - 1 / 360.0;
  sum = sum * square + 1 / 12.0;
  return sum * over + 0.91893853320467274178;
}

// |sin(pi x)| of |x| up to 2^40: the nearest whole number is taken off, which is exact.
static inline vec_f64 lgamma_sine(vec_f64 x) {
  const vec_f64 magic = v_splat_f64(0x1.8p52), nearest = (x + magic) - magic;
  return v_abs_f64(v_sin_f64((x - nearest) * M_PI));
}

static inline vec_f64 lgamma_of(vec_f64 x) {
  // Farther out there are whole numbers alone, and lgamma of those is infinite.
  const vec_f64 least = v_splat_f64(-0x1p40), infinity = v_splat_f64((double)INFINITY);
  x = v_select_f64(x < least, least, x);
  const ints_f64 turns = x < 0.5;
  const vec_f64 z = v_select_f64(turns, 1 - x, x), w = z + 7;
  vec_f64 product = z * (z + 1) * (z + 2) * (z + 3) * (z + 4) * (z + 5) * (z + 6);
  int64_t any = 0;
  for (int i = 0; i < F64_LANES; i++) any |= turns[i];
  if (any) product *= v_select_f64(turns, M_PI / lgamma_sine(x), v_splat_f64(1));
  const vec_f64 series = (w - 0.5) * v_log_f64(w) - w + lgamma_rest(w);
  const vec_f64 found = series - v_log_f64(product);
  return v_select_f64(x == infinity, x, v_select_f64(turns, -found, found));
}

static void lgamma_vector_f32(int64_t n, char* const* data, const int64_t* strides,
                              const void* args) {
  (void)args;
  map_wide(n, data, strides, lgamma_of);
}
