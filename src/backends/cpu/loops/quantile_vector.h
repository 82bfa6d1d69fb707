// SPDX-License-Identifier: Apache-2.0
// ndtri and erfinv of floats, by vectors of doubles: M. J. Wichura's algorithm AS 241
// (Applied Statistics 37, 1988, PPND7), whose relative error is 1.2e-7. For
// loops_vmath_body.h, which has v_log_f64().

// By the distance from a half, up to 0.425.
static inline vec_f64 quantile_near(vec_f64 off) {
  const vec_f64 r = 0.180625 - off * off;
  return off *
         (3.3871327179 + r * (50.434271938 + r * (159.29113202 + r * 59.109374720))) /
         (1 + r * (17.895169469 + r * (78.757757664 + r * 67.187563600)));
}

// The size of that of the smaller tail: by the root of its logarithm, up to 5 and from there
// on.
static inline vec_f64 quantile_far(vec_f64 tail) {
  vec_f64 root = -v_log_f64(tail);
  for (int i = 0; i < F64_LANES; i++) root[i] = sqrt(root[i]);
  const ints_f64 is_least = root > 5;
  vec_f64 r = root - 1.6;
  const vec_f64 size =
      (1.4234372777 + r * (2.7568153900 + r * (1.3067284816 + r * 0.17023821103))) /
      (1 + r * (0.73700164250 + r * 0.12021132975));
  if (!v_any_f64(is_least)) return size;
  r = root - 5;
  const vec_f64 least =
      (6.6579051150 + r * (3.0812263860 + r * (0.42868294337 + r * 0.017337203997))) /
      (1 + r * (0.24197894225 + r * 0.012258202635));
  return v_select_f64(is_least, least, size);
}

// What the normal distribution reaches with a probability that is |off| from a half, and has
// the smaller |tail|: infinite where that is 0, NaN below.
static inline vec_f64 quantile_of(vec_f64 off, vec_f64 tail) {
  const vec_f64 zero = v_splat_f64(0);
  const ints_f64 is_far = ~(v_abs_f64(off) <= 0.425);
  const vec_f64 near = quantile_near(v_select_f64(is_far, zero, off));
  if (!v_any_f64(is_far)) return near;
  const ints_f64 is_inside = tail > zero, sign = (ints_f64)v_splat_f64(-0.0);
  const vec_f64 inside = v_select_f64(is_far & is_inside, tail, v_splat_f64(0.25));
  vec_f64 far = v_splat_f64((double)INFINITY);
  if (v_any_f64(is_far & is_inside))
    far = v_select_f64(is_inside, quantile_far(inside), far);
  far = (vec_f64)((ints_f64)far | ((ints_f64)off & sign));
  far = v_select_f64(tail >= zero, far, v_splat_f64((double)NAN));
  return v_select_f64(is_far, far, near);
}

static vec_f64 ndtri_of(vec_f64 p) {
  return quantile_of(p - 0.5, v_select_f64(p < 0.5, p, 1 - p));
}
static vec_f64 erfinv_of(vec_f64 x) {
  return quantile_of(x / 2, (1 - v_abs_f64(x)) / 2) * M_SQRT1_2;
}

static void ndtri_vector_f32(int64_t n, char* const* data, const int64_t* strides,
                             const void* args) {
  (void)args;
  map_wide(n, data, strides, ndtri_of);
}
static void erfinv_vector_f32(int64_t n, char* const* data, const int64_t* strides,
                              const void* args) {
  (void)args;
  map_wide(n, data, strides, erfinv_of);
}
