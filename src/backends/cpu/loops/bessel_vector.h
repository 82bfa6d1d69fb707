// SPDX-License-Identifier: Apache-2.0
// Bessel functions of orders 0 and 1 and Airy's, by vectors of doubles: series of what is left
// when logarithms, exponentials, waves and powers are taken out, near 0 and far from it. For
// loops_vmath_body.h, which has v_exp_f64() and so on. |single|: for floats.
#include "backends/cpu/loops/bessel_terms.h"

#if defined(__FMA__)
#define BESSEL_STEP(a, b, c) angle_fma(a, b, c)
#else
#define BESSEL_STEP(a, b, c) ((a) * (b) + (c))
#endif

// Clenshaw's way, |t| from -1 to 1. A step waits for one product and sum alone.
static inline vec_f64 bessel_series(const oyi_series* s, bool single, vec_f64 t) {
  const vec_f64 twice = 2 * t;
  vec_f64 a = v_splat_f64(0), b = a;
  for (int k = (single ? s->few : s->count) - 1; k > 0; k--) {
    const vec_f64 next = BESSEL_STEP(twice, a, s->terms[k] - b);
    b = a;
    a = next;
  }
  return BESSEL_STEP(t, a, s->terms[0] - b);
}
#undef BESSEL_STEP

static inline vec_f64 bessel_root(vec_f64 x) {
  for (int i = 0; i < F64_LANES; i++) x[i] = sqrt(x[i]);
  return x;
}

// |x| between, one of which may be given; NaN stays.
static inline vec_f64 bessel_most(vec_f64 x, double most) {
  return v_select_f64(x > most, v_splat_f64(most), x);
}
static inline vec_f64 bessel_least(vec_f64 x, double least) {
  return v_select_f64(x < least, v_splat_f64(least), x);
}

// I times exp(-|x|), if it is |scaled|.
static vec_f64 bessel_i(vec_f64 x, int order, bool scaled, bool single) {
  const vec_f64 size = v_abs_f64(x);
  const ints_f64 is_far = size > 8;
  vec_f64 found = size;
  if (v_any_f64(~is_far)) {
    const vec_f64 near = bessel_most(size, 8);
    found = bessel_series(&oyi_bessel_i_near[order], single, near * 0.25 - 1);
    if (order) found *= near;
  }
  if (v_any_f64(is_far)) {
    const vec_f64 far = bessel_least(size, 8);
    const vec_f64 waves = bessel_series(&oyi_bessel_i_far[order], single, 16 / far - 1);
    found = v_select_f64(is_far, waves / bessel_root(far), found);
  }
  // In two steps, so that nothing overflows before the result does; of infinity NaN.
  if (!scaled) {
    const vec_f64 half = v_exp_f64(size * 0.5);
    found = found * half * half;
  }
  return order ? v_select_f64(x < 0, -found, found) : found;
}

// K times exp(x), if it is |scaled|.
static vec_f64 bessel_k(vec_f64 x, int order, bool scaled, bool single) {
  const vec_f64 zero = v_splat_f64(0);
  const ints_f64 is_near = x <= 2;
  vec_f64 found = zero;
  if (v_any_f64(~is_near)) {
    const vec_f64 far = bessel_least(x, 2);
    found = bessel_series(&oyi_bessel_k_far[order], single, 4 / far - 1);
    found /= bessel_root(far);
    if (!scaled) found *= v_exp_f64(-far);
  }
  if (v_any_f64(is_near)) {
    const vec_f64 near = v_select_f64((x > zero) & is_near, x, v_splat_f64(1));
    const vec_f64 t = near * near * 0.5 - 1, log = v_log_f64(near * 0.5);
    vec_f64 at = bessel_series(&oyi_bessel_k_near[order], single, t);
    const vec_f64 i = bessel_series(&oyi_bessel_i_two[order], single, t) * log;
    at = order ? at / near + i * near : at - i;
    if (scaled) at *= v_exp_f64(near);
    found = v_select_f64(is_near, at, found);
  }
  found = v_select_f64(x == zero, v_splat_f64(INFINITY), found);
  return v_select_f64(x < zero, v_splat_f64(NAN), found);
}

// The sine and the cosine of |x|: far from 0 both of one angle that is nearer.
static void bessel_waves(vec_f64 x, bool single, vec_f64* sine, vec_f64* cosine) {
#if defined(__FMA__)
  const ints_f64 far = v_is_far_f64(x, FAR_SINE, FAR_MOST);
  if (v_any_f64(far)) {
    angle_bits quarters;
    vec_f64 low = v_splat_f64(0);
    const vec_f64 rest =
        single ? angle_rest_single(x, &quarters) : angle_rest_f64(x, &low, &quarters);
    const vec_f64 near = v_select_f64(far, rest, x);
    const vec_f64 s = v_raw_sin_f64(near), c = v_raw_cos_f64(near);
    const vec_f64 s_far = s + low * c, c_far = c - low * s;
    const ints_f64 is_odd = far & -(ints_f64)(quarters & 1);
    const ints_f64 below = far & (ints_f64)((quarters & 2) << 62);
    const ints_f64 turned = far & (ints_f64)(((quarters + 1) & 2) << 62);
    *sine = (vec_f64)((ints_f64)v_select_f64(far, v_select_f64(is_odd, c_far, s_far), s) ^
                      below);
    *cosine =
        (vec_f64)((ints_f64)v_select_f64(far, v_select_f64(is_odd, s_far, c_far), c) ^
                  turned);
    return;
  }
#endif
  (void)single;
  *sine = v_raw_sin_f64(x);
  *cosine = v_raw_cos_f64(x);
}

// J, or Y: near 0 with a logarithm in it, of which there is none below.
static vec_f64 bessel_j_or_y(vec_f64 x, int order, bool is_y, bool single) {
  const vec_f64 zero = v_splat_f64(0), size = v_abs_f64(x);
  const ints_f64 is_far = size > 8;
  vec_f64 found = size;
  if (v_any_f64(~is_far)) {
    const vec_f64 near = bessel_most(size, 8), t = near * near * (1 / 32.0) - 1;
    vec_f64 j = bessel_series(&oyi_bessel_j[order], single, t);
    if (order) j *= near;
    found = j;
    if (is_y) {
      const vec_f64 above = v_select_f64(near > zero, near, v_splat_f64(1));
      vec_f64 most = v_log_f64(above) * j;
      if (order) most -= 1 / above;
      found = bessel_series(&oyi_bessel_y[order], single, t);
      found = (order ? found * near : found) + M_2_PI * most + (near - near);
    }
  }
  if (v_any_f64(is_far)) {
    const vec_f64 far = bessel_least(size, 8), over = 8 / far, t = 2 * over * over - 1;
    const vec_f64 p = bessel_series(&oyi_bessel_p[order], single, t);
    const vec_f64 q = bessel_series(&oyi_bessel_q[order], single, t) / far;
    vec_f64 s, c;
    bessel_waves(far, single, &s, &c);
    // An eighth of a turn before, or three of them.
    const vec_f64 cosine = order ? s - c : c + s, sine = order ? -(s + c) : s - c;
    const vec_f64 wave = is_y ? p * sine + q * cosine : p * cosine - q * sine;
    found = v_select_f64(is_far, wave * bessel_root(M_1_PI / far), found);
  }
  if (!is_y) return order ? v_select_f64(x < 0, -found, found) : found;
  found = v_select_f64(x == zero, v_splat_f64(-INFINITY), found);
  return v_select_f64(x < zero, v_splat_f64(NAN), found);
}

// Waves below -4, a series up to 2, and what falls off above.
static vec_f64 airy(vec_f64 x, bool single) {
  const vec_f64 size = v_abs_f64(x);
  const ints_f64 falls = x > 2, waves = x < -4;
  vec_f64 found = x;
  if (v_any_f64(~(falls | waves)))
    found = bessel_series(&oyi_airy_near, single,
                          (bessel_most(bessel_least(x, -4), 2) + 1) * (1 / 3.0));
  if (v_any_f64(falls)) {
    const vec_f64 far = bessel_least(x, 2), root = bessel_root(far);
    const vec_f64 turn = far * root * (2 / 3.0), most = 2 * M_SQRT2 * (2 / 3.0) + 0 * far;
    vec_f64 at = bessel_series(&oyi_airy_far, single, 2 * most / turn - 1);
    at *= v_exp_f64(-turn) * (0.25 * M_2_SQRTPI) / bessel_root(root);
    found = v_select_f64(falls, at, found);
  }
  if (v_any_f64(waves)) {
    const vec_f64 far = bessel_least(v_select_f64(waves, size, v_splat_f64(4)), 4);
    const vec_f64 root = bessel_root(far), turn = far * root * (2 / 3.0);
    const vec_f64 over = (16 / 3.0) / turn, t = 2 * over * over - 1;
    const vec_f64 f = bessel_series(&oyi_airy_f, single, t);
    const vec_f64 g = bessel_series(&oyi_airy_g, single, t) / turn;
    vec_f64 s, c;
    bessel_waves(turn, false, &s, &c);
    const vec_f64 at = (s + c) * f - (c - s) * g;
    // The angle of the wave overflows.
    const ints_f64 is_lost = 2 * far * root > (single ? (double)FLT_MAX : DBL_MAX);
    const vec_f64 wave = at * (M_SQRT1_2 * 0.5 * M_2_SQRTPI) / bessel_root(root);
    found = v_select_f64(waves, v_select_f64(is_lost, v_splat_f64(NAN), wave), found);
  }
  return v_select_f64(size == INFINITY, v_splat_f64(NAN), found);
}

static inline vec_f64 spherical_j0(vec_f64 x) {
  const vec_f64 found = v_sin_f64(x) / x;
  const vec_f64 at_0 = v_select_f64(x == 0, v_splat_f64(1), found);
  return v_select_f64(v_abs_f64(x) == INFINITY, v_splat_f64(0), at_0);
}

#define BESSEL(name, of_floats, of_doubles)                                           \
  static vec_f64 name##_single(vec_f64 x) {                                           \
    return of_floats;                                                                 \
  }                                                                                   \
  static vec_f64 name##_double(vec_f64 x, const double* arg) {                        \
    (void)arg;                                                                        \
    return of_doubles;                                                                \
  }                                                                                   \
  static void name##_f32_vector(int64_t n, char* const* data, const int64_t* strides, \
                                const void* args) {                                   \
    (void)args;                                                                       \
    map_wide(n, data, strides, name##_single);                                        \
  }                                                                                   \
  static void name##_f64_vector(int64_t n, char* const* data, const int64_t* strides, \
                                const void* args) {                                   \
    v_map_f64(n, data, strides, args, name##_double);                                 \
  }
#define BESSEL_OF(name, fn, ...) \
  BESSEL(name, fn(__VA_ARGS__, true), fn(__VA_ARGS__, false))
BESSEL_OF(i0, bessel_i, x, 0, false)
BESSEL_OF(i0e, bessel_i, x, 0, true)
BESSEL_OF(i1, bessel_i, x, 1, false)
BESSEL_OF(i1e, bessel_i, x, 1, true)
BESSEL_OF(k0, bessel_k, x, 0, false)
BESSEL_OF(k0e, bessel_k, x, 0, true)
BESSEL_OF(k1, bessel_k, x, 1, false)
BESSEL_OF(k1e, bessel_k, x, 1, true)
BESSEL_OF(j0, bessel_j_or_y, x, 0, false)
BESSEL_OF(j1, bessel_j_or_y, x, 1, false)
BESSEL_OF(y0, bessel_j_or_y, x, 0, true)
BESSEL_OF(y1, bessel_j_or_y, x, 1, true)
BESSEL_OF(airy_ai, airy, x)
BESSEL(spherical, spherical_j0(x), spherical_j0(x))
#undef BESSEL_OF
#undef BESSEL

// Rows of the table of loops.
#define BESSEL_ROW(op, name)                        \
  {OYI_LOOP_##op, OY_DTYPE_F32, name##_f32_vector}, \
      {OYI_LOOP_##op, OY_DTYPE_F64, name##_f64_vector},
#define BESSEL_ROWS                                  \
  BESSEL_ROW(i0, i0)                                 \
  BESSEL_ROW(special_i0e, i0e)                       \
  BESSEL_ROW(special_i1, i1)                         \
  BESSEL_ROW(special_i1e, i1e)                       \
  BESSEL_ROW(special_modified_bessel_i0, i0)         \
  BESSEL_ROW(special_modified_bessel_i1, i1)         \
  BESSEL_ROW(special_modified_bessel_k0, k0)         \
  BESSEL_ROW(special_modified_bessel_k1, k1)         \
  BESSEL_ROW(special_scaled_modified_bessel_k0, k0e) \
  BESSEL_ROW(special_scaled_modified_bessel_k1, k1e) \
  BESSEL_ROW(special_bessel_j0, j0)                  \
  BESSEL_ROW(special_bessel_j1, j1)                  \
  BESSEL_ROW(special_bessel_y0, y0)                  \
  BESSEL_ROW(special_bessel_y1, y1)                  \
  BESSEL_ROW(special_spherical_bessel_j0, spherical) \
  BESSEL_ROW(special_airy_ai, airy_ai)
