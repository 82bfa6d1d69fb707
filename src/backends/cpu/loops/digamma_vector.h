// SPDX-License-Identifier: Apache-2.0
// digamma by vectors of doubles. Of floats five terms of the asymptotic series are good for eleven
// digits from 6 on, of doubles eight for all of them from 12 on. For loops_vmath_body.h, which has
// v_log_f64() and v_tan_f64().
//
// Below 0 by reflection, digamma(x) = digamma(1 - x) - pi / tan(pi x); the others go up by six,
// or twelve.

// 1/z + 1/(z + 1) + ..., |pairs| times two of them, with one division.
static inline __attribute__((always_inline)) vec_f64 digamma_steps(vec_f64 z, int pairs) {
  vec_f64 above = 2 * z + 1, below = z * z + z;
  OYI_UNROLL_BY(8)
  for (int k = 1; k < pairs; k++) {
    const vec_f64 next = z + 2.0 * k, both = next * next + next;
    above = above * both + (2 * next + 1) * below;
    below *= both;
  }
  return above / below;
}

// The logarithm, and B(2k) / (2k w^(2k)).
static inline __attribute__((always_inline)) vec_f64 digamma_far(vec_f64 w, int terms) {
  static const double factors[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                                   5.0 / 660, -691.0 / 32760, 1.0 / 12,  -3617.0 / 8160};
  const vec_f64 over = 1 / w, square = over * over;
  vec_f64 sum = v_splat_f64(0);
  OYI_UNROLL_BY(8)
  for (int k = terms; k-- > 0;) sum = (sum + factors[k]) * square;
  return v_log_f64(w) - 0.5 * over - sum;
}

// pi / tan(pi x) of |x| from -2^52 to 0, NaN of whole numbers: the nearest one is taken off, which
// is exact, and the argument of tan is within half a period, where it loses nothing.
static inline vec_f64 digamma_reflected(vec_f64 x) {
  const vec_f64 magic = v_splat_f64(0x1p52), rest = x - ((x - magic) + magic);
  return v_select_f64(rest == 0, v_splat_f64((double)NAN), M_PI / v_tan_f64(rest * M_PI));
}

static inline __attribute__((always_inline)) vec_f64 digamma_any(vec_f64 x, int pairs,
                                                                 int terms) {
  // Farther out there are whole numbers alone.
  const vec_f64 least = v_splat_f64(-0x1p52);
  const vec_f64 held = v_select_f64(x < least, least, x);
  const ints_f64 turns = held < 0;
  const vec_f64 z = v_select_f64(turns, 1 - held, held);
  const ints_f64 near = z < (double)(2 * pairs);
  const vec_f64 steps = digamma_steps(v_select_f64(near, z, v_splat_f64(1)), pairs);
  vec_f64 found = digamma_far(v_select_f64(near, z + (double)(2 * pairs), z), terms);
  found -= v_select_f64(near, steps, v_splat_f64(0));
  if (!v_any_f64(turns | (x == 0))) return found;
  found -= v_select_f64(turns, digamma_reflected(held), v_splat_f64(0));
  // Infinite, with the other sign than that of 0.
  return v_select_f64(x == 0, -1 / x, found);
}

static vec_f64 digamma_of_f32(vec_f64 x) {
  return digamma_any(x, 3, 5);
}
static void digamma_vector_f32(int64_t n, char* const* data, const int64_t* strides,
                               const void* args) {
  (void)args;
  map_wide(n, data, strides, digamma_of_f32);
}
static vec_f64 digamma_of_f64(vec_f64 x, const double* arg) {
  (void)arg;
  return digamma_any(x, 6, 8);
}
static void digamma_vector_f64(int64_t n, char* const* data, const int64_t* strides,
                               const void* args) {
  v_map_f64(n, data, strides, args, digamma_of_f64);
}
