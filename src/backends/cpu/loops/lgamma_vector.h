// SPDX-License-Identifier: Apache-2.0
// lgamma by vectors of doubles, of floats too. Up to 8 from the nearest of 0, 1 and 2, at most
// 1/2 away, by the series of lgamma(2 + e) / e there and the logarithm of what lies between, so
// that nothing cancels where lgamma is 0; from 8 on by Stirling's series. Below -1/2 by
// reflection, lgamma(x) = log(pi / |x sin(pi x)|) - lgamma(-x), of which the C library has the
// doubles whose digits cancel.

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

// |sin(pi x)| of |x| from -2^50 to 0: the nearest whole number is taken off, which is exact.
static inline vec_f64 lgamma_sine(vec_f64 x) {
  const vec_f64 magic = v_splat_f64(0x1.8p52), nearest = (x + magic) - magic;
  return v_abs_f64(v_sin_f64((x - nearest) * M_PI));
}

// lgamma(2 + e) of |e| up to 1/2.
static inline vec_f64 lgamma_near_two(vec_f64 e) {
  static const double factors[] = {
      2.7475392965198186e-07,  -5.811278381437036e-07,  9.242851952308403e-07,
      -1.9743106314746074e-06, 4.3828545487188335e-06,  -9.456288536829409e-06,
      2.0506019699720303e-05,  -4.4923727559985176e-05, 9.94576169217903e-05,
      -0.00022315497746338764, 0.0005096695196526545,   -0.0011927539009982818,
      0.0028905103308659013,   -0.0073855510289355455,  0.02058080842778338,
      -0.06735230105319563,    0.3224670334241132,      0.42278433509846713};
  const vec_f64 square = e * e;
  vec_f64 odd = v_splat_f64(factors[0]), even = v_splat_f64(factors[1]);
  for (size_t i = 2; i < sizeof(factors) / sizeof(*factors); i += 2) {
    odd = odd * square + factors[i];
    even = even * square + factors[i + 1];
  }
  return (odd * e + even) * e;
}

// lgamma of |z| from -1/2 to 8.
static inline vec_f64 lgamma_middle(vec_f64 z) {
  const vec_f64 magic = v_splat_f64(0x1.8p52), one = v_splat_f64(1);
  const vec_f64 nearest = (z + magic) - magic, e = z - nearest;
  const ints_f64 below = nearest < 2;
  vec_f64 product = v_select_f64(nearest == 0, z * (z + 1), v_select_f64(below, z, one));
  if (v_any_f64(nearest > 2))
    for (int k = 1; k <= 6; k++)
      product *= v_select_f64(nearest > (double)(k + 1), z - (double)k, one);
  const vec_f64 log = v_log_f64(v_abs_f64(product));
  return lgamma_near_two(e) + v_select_f64(below, -log, log);
}

// lgamma of |z| from -1/2 on.
static inline vec_f64 lgamma_right(vec_f64 z) {
  const ints_f64 is_far = z >= 8;
  const vec_f64 held = v_select_f64(is_far, v_splat_f64(2), z);
  vec_f64 found = v_splat_f64(0);
  if (v_any_f64(~is_far)) found = lgamma_middle(held);
  if (!v_any_f64(is_far)) return found;
  const vec_f64 far = v_select_f64(is_far, z, v_splat_f64(8));
  const vec_f64 series = (far - 0.5) * (v_log_f64(far) - 1) + (lgamma_rest(far) - 0.5);
  return v_select_f64(is_far, series, found);
}

// lgamma of |x| from -2^50 on, and of |x| without its sign.
static inline vec_f64 lgamma_both(vec_f64 x, vec_f64* right) {
  const ints_f64 turns = x < -0.5;
  *right = lgamma_right(v_select_f64(turns, -x, x));
  if (!v_any_f64(turns)) return *right;
  const vec_f64 left = v_select_f64(turns, x, v_splat_f64(-1.5)),
                sine = lgamma_sine(left);
  const vec_f64 turned = v_log_f64(M_PI / (v_abs_f64(left) * sine));
  const vec_f64 found = v_select_f64(turns, turned - *right, *right);
  return v_select_f64(turns & (sine == 0), v_splat_f64((double)INFINITY), found);
}

static vec_f64 lgamma_of_f64(vec_f64 x, const double* arg) {
  (void)arg;
  const ints_f64 turns = x < -0.5;
  vec_f64 right, found = lgamma_both(x, &right);
  if (!v_any_f64(turns)) return found;
  const vec_f64 most =
      v_select_f64(v_abs_f64(right) > 1, v_abs_f64(right), v_splat_f64(1));
  const ints_f64 hard = turns & ((v_abs_f64(found) < 0.5 * most) | (x < -0x1p50));
  if (v_any_f64(hard))
    for (int i = 0; i < F64_LANES; i++)
      if (hard[i]) found[i] = oyi_lgamma(x[i]);
  return found;
}
static void lgamma_vector_f64(int64_t n, char* const* data, const int64_t* strides,
                              const void* args) {
  v_map_f64(n, data, strides, args, lgamma_of_f64);
}

// Farther out there are whole numbers alone, and lgamma of those is infinite.
static inline vec_f64 lgamma_of_f32(vec_f64 x) {
  vec_f64 right;
  return lgamma_both(v_select_f64(x < -0x1p40, v_splat_f64(-0x1p40), x), &right);
}
static void lgamma_vector_f32(int64_t n, char* const* data, const int64_t* strides,
                              const void* args) {
  (void)args;
  map_wide(n, data, strides, lgamma_of_f32);
}
