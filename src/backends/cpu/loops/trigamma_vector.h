// SPDX-License-Identifier: Apache-2.0
// trigamma of floats, by vectors of doubles: five terms of the asymptotic series are good for
// ten digits from 6 on. For loops_vmath_body.h, which has v_sin_f64().
//
// Below 1/2 by reflection, trigamma(x) = (pi / sin(pi x))^2 - trigamma(1 - x); the others go
// up by six.

// 1/z^2 + 1/(z + 1)^2 + ... + 1/(z + 5)^2, with one division.
static inline vec_f64 trigamma_steps(vec_f64 z) {
  const vec_f64 a = z * z + z, b = a + 4 * z + 6,
                c = b + 4 * z + 14;  // (z + 2k)(z + 2k + 1)
  const vec_f64 aa = a * a, bb = b * b, cc = c * c;
  const vec_f64 two = (2 * a + 1) * bb + (2 * b + 1) * aa;
  return (two * cc + (2 * c + 1) * (aa * bb)) / (aa * bb * cc);
}

// B(2k) / w^(2k), and what comes before.
static inline vec_f64 trigamma_far(vec_f64 w) {
  const vec_f64 over = 1 / w, square = over * over;
  vec_f64 sum = square * (5 / 66.0) - 1 / 30.0;
  sum = sum * square + 1 / 42.0;
  sum = sum * square - 1 / 30.0;
  sum = sum * square + 1 / 6.0;
  return over * (1 + 0.5 * over + sum * square);
}

// The sine of what pi x is rounded to: next to a pole, and at one, that is what the result
// is, as in PyTorch.
static inline vec_f64 trigamma_sine(vec_f64 x) {
  for (int i = 0; i < F64_LANES; i++) x[i] = (double)((float)M_PI * (float)x[i]);
  return v_sin_f64(x);
}

static inline vec_f64 trigamma_of(vec_f64 x) {
  const ints_f64 turns = x < 0.5;
  const vec_f64 z = v_select_f64(turns, 1 - x, x);
  const ints_f64 near = z < 6;
  const vec_f64 steps = trigamma_steps(v_select_f64(near, z, v_splat_f64(1)));
  vec_f64 found = trigamma_far(v_select_f64(near, z + 6, z));
  found += v_select_f64(near, steps, v_splat_f64(0));
  int64_t any = 0;
  for (int i = 0; i < F64_LANES; i++) any |= turns[i];
  if (!any) return found;
  const vec_f64 pole = M_PI / trigamma_sine(x);
  return v_select_f64(turns, pole * pole - found, found);
}

static void trigamma_vector_f32(int64_t n, char* const* data, const int64_t* strides,
                                const void* args) {
  (void)args;
  map_wide(n, data, strides, trigamma_of);
}
