// SPDX-License-Identifier: Apache-2.0
// Orthogonal polynomials by vectors: the recurrences of pointwise/special_polynomials_tmpl.h, to
// the last bit, whose functions are called for the elements that are not made by vectors. For
// loops_vmath_body.h, which has v_acos_f64() and so on.

static inline __attribute__((always_inline)) vec_f32 through_doubles(
    vec_f32 a, vec_f64 (*fn)(vec_f64)) {
  narrow_f64 halves[2];
  memcpy(halves, &a, sizeof(a));
  for (int i = 0; i < 2; i++)
    halves[i] = __builtin_convertvector(fn(__builtin_convertvector(halves[i], vec_f64)),
                                        narrow_f64);
  memcpy(&a, halves, sizeof(a));
  return a;
}

// Sines and cosines of floats, rounded from those of doubles, which are nearer than the C
// library's: what is lost by rounding angles is lost here too.
static vec_f32 v_by_angles_f32(vec_f32 x, vec_f32 n, char kind, ints_f32 turned,
                               vec_f32 found, ints_f32* apart) {
  const vec_f32 one = v_splat_f32(1), near = v_select_f32(turned, x, one / 2);
  const vec_f32 t = through_doubles(near, v_acos_f64), half = t / 2;
  // A fraction is cut off.
  const ints_f32 is_small = turned & (n < 0x1p23f);
  const vec_f32 small = v_select_f32(is_small, n, one);
  const vec_f32 whole = v_select_f32(
      is_small,
      __builtin_convertvector(__builtin_convertvector(small, ints_f32), vec_f32), n);
  const vec_f32 degree = v_select_f32(turned, whole, one);
  if (kind == 'T') {
    const vec_f32 at = through_doubles(degree * t, v_cos_f64);
    return v_select_f32(turned, at, found);
  }
  const bool is_sine = kind != 'V';
  const vec_f32 turn = kind == 'U' ? (degree + 1) * t : (degree + 0.5f) * t;
  const vec_f32 above = through_doubles(turn, is_sine ? v_sin_f64 : v_cos_f64);
  const vec_f32 from = kind == 'U' ? t : half;
  const vec_f32 below = through_doubles(from, is_sine ? v_sin_f64 : v_cos_f64);
  // Next to an end, where nothing is left to divide by.
  if (kind != 'U')
    *apart |= turned & (through_doubles(half, is_sine ? v_cos_f64 : v_sin_f64) == one);
  return v_select_f32(turned, above / below, found);
}

// Nothing is nearer to those of doubles than the C library.
static inline vec_f64 v_by_angles_f64(vec_f64 x, vec_f64 n, char kind, ints_f64 turned,
                                      vec_f64 found, ints_f64* apart) {
  (void)x, (void)n, (void)kind;
  *apart |= turned;
  return found;
}

#define T     float
#define ID    f32
#define LANES F32_LANES
#include "backends/cpu/loops/polynomial_tmpl.h"
#undef T
#undef ID
#undef LANES
#define T     double
#define ID    f64
#define LANES F64_LANES
#include "backends/cpu/loops/polynomial_tmpl.h"
#undef T
#undef ID
#undef LANES

// Rows of the table of loops.
#define POLYNOMIAL_ROW(op, name)                            \
  {OYI_LOOP_special_##op, OY_DTYPE_F32, name##_vector_f32}, \
      {OYI_LOOP_special_##op, OY_DTYPE_F64, name##_vector_f64},
#define CHEBYSHEV_ROWS(name, kind, angles, shifted_angles)      \
  POLYNOMIAL_ROW(chebyshev_polynomial_##name, chebyshev_##name) \
  POLYNOMIAL_ROW(shifted_chebyshev_polynomial_##name, shifted_chebyshev_##name)
#define POLYNOMIAL_ROWS                             \
  OYI_CHEBYSHEV_KINDS(CHEBYSHEV_ROWS)               \
  POLYNOMIAL_ROW(hermite_polynomial_h, hermite_h)   \
  POLYNOMIAL_ROW(hermite_polynomial_he, hermite_he) \
  POLYNOMIAL_ROW(laguerre_polynomial_l, laguerre)   \
  POLYNOMIAL_ROW(legendre_polynomial_p, legendre)
