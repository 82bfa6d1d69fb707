// SPDX-License-Identifier: Apache-2.0
// trigamma by vectors of doubles. Of floats five terms of the asymptotic series are good for ten
// digits from 6 on, of doubles eight for all of them from 12 on. For loops_vmath_body.h, which has
// v_sin_f64().
//
// Below 1/2 by reflection, trigamma(x) = (pi / sin(pi x))^2 - trigamma(1 - x); the others go
// up by six, or twelve.

// 1/z^2 + 1/(z + 1)^2 + ..., |pairs| times two of them, with one division.
static inline __attribute__((always_inline)) vec_f64 trigamma_steps(vec_f64 z,
                                                                    int pairs) {
  const vec_f64 first = z * z + z;
  vec_f64 above = 2 * first + 1, below = first * first;
  OYI_UNROLL_BY(8)
  for (int k = 1; k < pairs; k++) {
    const vec_f64 next = z + 2.0 * k, both = next * next + next, square = both * both;
    above = above * square + (2 * both + 1) * below;
    below *= square;
  }
  return above / below;
}

// B(2k) / w^(2k), and what comes before.
static inline __attribute__((always_inline)) vec_f64 trigamma_far(vec_f64 w, int terms) {
  static const double factors[] = {1.0 / 6,  -1.0 / 30,       1.0 / 42, -1.0 / 30,
                                   5.0 / 66, -691.0 / 2730.0, 7.0 / 6,  -3617.0 / 510};
  const vec_f64 over = 1 / w, square = over * over;
  vec_f64 sum = v_splat_f64(0);
  OYI_UNROLL_BY(8)
  for (int k = terms; k-- > 0;) sum = (sum + factors[k]) * square;
  return over * (1 + 0.5 * over + sum);
}

// |angle| is pi x as it is rounded: next to a pole, and at one, its sine is what the result is, as
// in PyTorch.
static inline __attribute__((always_inline)) vec_f64 trigamma_any(vec_f64 x,
                                                                  vec_f64 angle,
                                                                  int pairs, int terms) {
  const ints_f64 turns = x < 0.5;
  const vec_f64 z = v_select_f64(turns, 1 - x, x);
  const ints_f64 near = z < (double)(2 * pairs);
  const vec_f64 steps = trigamma_steps(v_select_f64(near, z, v_splat_f64(1)), pairs);
  vec_f64 found = trigamma_far(v_select_f64(near, z + (double)(2 * pairs), z), terms);
  found += v_select_f64(near, steps, v_splat_f64(0));
  if (!v_any_f64(turns)) return found;
  const vec_f64 pole = M_PI / v_sin_f64(v_select_f64(turns, angle, v_splat_f64(1)));
  return v_select_f64(turns, pole * pole - found, found);
}

static vec_f64 trigamma_of_f32(vec_f64 x) {
  vec_f64 angle = x;
  for (int i = 0; i < F64_LANES; i++) angle[i] = (double)((float)M_PI * (float)x[i]);
  return trigamma_any(x, angle, 3, 5);
}
static void trigamma_vector_f32(int64_t n, char* const* data, const int64_t* strides,
                                const void* args) {
  (void)args;
  map_wide(n, data, strides, trigamma_of_f32);
}
static vec_f64 trigamma_of_f64(vec_f64 x, const double* arg) {
  (void)arg;
  return trigamma_any(x, x * M_PI, 6, 8);
}
static void trigamma_vector_f64(int64_t n, char* const* data, const int64_t* strides,
                                const void* args) {
  v_map_f64(n, data, strides, args, trigamma_of_f64);
}
