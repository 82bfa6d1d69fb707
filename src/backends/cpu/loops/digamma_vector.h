// SPDX-License-Identifier: Apache-2.0
// digamma of floats, by vectors of doubles: five terms of the asymptotic series are good for
// eleven digits from 6 on. For loops_vmath_body.h, which has v_log_f64() and v_tan_f64().
//
// Below 0 by reflection, digamma(x) = digamma(1 - x) - pi / tan(pi x); the others go up by six.

// 1/z + 1/(z + 1) + ... + 1/(z + 5), with one division.
static inline vec_f64 digamma_steps(vec_f64 z) {
  const vec_f64 a = z * z + z, b = a + 4 * z + 6,
                c = b + 4 * z + 14;  // (z + 2k)(z + 2k + 1)
  const vec_f64 two = (2 * z + 1) * b + (2 * z + 5) * a;
  return (two * c + (2 * z + 9) * (a * b)) / (a * b * c);
}

// The logarithm, and B(2k) / (2k w^(2k)).
static inline vec_f64 digamma_far(vec_f64 w) {
  const vec_f64 over = 1 / w, square = over * over;
  vec_f64 sum = square * (5 / 660.0) - 1 / 240.0;
  sum = sum * square + 1 / 252.0;
  sum = sum * square - 1 / 120.0;
  sum = sum * square + 1 / 12.0;
  return v_log_f64(w) - 0.5 * over - sum * square;
}

// pi / tan(pi x) of |x| up to 2^40, NaN of whole numbers: the nearest one is taken off, which
// is exact, and the argument of tan is within half a period, where it loses nothing.
static inline vec_f64 digamma_reflected(vec_f64 x) {
  const vec_f64 magic = v_splat_f64(0x1.8p52), rest = x - ((x + magic) - magic);
  return v_select_f64(rest == 0, v_splat_f64((double)NAN), M_PI / v_tan_f64(rest * M_PI));
}

static inline vec_f64 digamma_of(vec_f64 x) {
  // Farther out there are whole numbers alone.
  const vec_f64 least = v_splat_f64(-0x1p40);
  const vec_f64 held = v_select_f64(x < least, least, x);
  const ints_f64 turns = held < 0;
  const vec_f64 z = v_select_f64(turns, 1 - held, held);
  const ints_f64 near = z < 6;
  const vec_f64 steps = digamma_steps(v_select_f64(near, z, v_splat_f64(1)));
  vec_f64 found = digamma_far(v_select_f64(near, z + 6, z));
  found -= v_select_f64(near, steps, v_splat_f64(0));
  int64_t any = 0;
  for (int i = 0; i < F64_LANES; i++) any |= turns[i] | (x[i] == 0);
  if (!any) return found;
  found -= v_select_f64(turns, digamma_reflected(held), v_splat_f64(0));
  // Infinite, with the other sign than that of 0.
  return v_select_f64(x == 0, -1 / x, found);
}

static void digamma_vector_f32(int64_t n, char* const* data, const int64_t* strides,
                               const void* args) {
  (void)args;
  map_wide(n, data, strides, digamma_of);
}
