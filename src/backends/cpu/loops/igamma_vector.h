// SPDX-License-Identifier: Apache-2.0
// igamma and igammac of floats, by vectors of doubles, where the series is summed and orders
// are below 20: as special_gamma.c does for floats. The rest is left to it, element by
// element. For loops_vmath_body.h, which has v_exp_f64() and v_log_f64().

// 1 / gamma(a + 1) of |a| up to 1.
static inline vec_f64 igamma_near(vec_f64 a) {
  const vec_f64 square = a * a;
  vec_f64 low = v_splat_f64(0), high = low;
  OYI_UNROLL_BY(10)
  for (int k = 9; k >= 0; k--) {
    low = low * square + oyi_reciprocal_gamma[0][k];
    high = high * square + oyi_reciprocal_gamma[1][k];
  }
  return low + a * high;
}

// The logarithm of gamma(a + 1) without (a + 1) ... (a + 7), the product, by Stirling's
// formula.
static inline vec_f64 igamma_far(vec_f64 a, vec_f64* product) {
  const vec_f64 far = a + 8, over = 1 / far, square = over * over;
  vec_f64 rest = square * (1 / 1188.0) - 1 / 1680.0;
  rest = rest * square + 1 / 1260.0;
  rest = rest * square - 1 / 360.0;
  rest = (rest * square + 1 / 12.0) * over;
  *product = (a + 1) * (a + 2) * (a + 3) * ((a + 4) * (a + 5)) * ((a + 6) * (a + 7));
  return (far - 0.5) * v_log_f64(far) - far + 0.91893853320467274178 + rest;
}

// x^a e^-x / gamma(a + 1)
static inline vec_f64 igamma_scale(vec_f64 a, vec_f64 x) {
  const vec_f64 one = v_splat_f64(1), power = a * v_log_f64(x) - x;
  const ints_f64 is_far = a > one;
  const vec_f64 near = igamma_near(v_select_f64(is_far, one, a));
  if (!v_any_f64(is_far)) return v_exp_f64(power) * near;
  vec_f64 product;
  const vec_f64 far = igamma_far(a, &product);
  return v_exp_f64(power - v_select_f64(is_far, far, v_splat_f64(0))) *
         v_select_f64(is_far, product, near);
}

// 1 + x / (a + 1) + x^2 / ((a + 1)(a + 2)) + ..., two terms at a time, with one division at
// the end. What is done stays as it is, so that a result depends on its element alone.
static inline vec_f64 igamma_series(vec_f64 a, vec_f64 x) {
  const vec_f64 one = v_splat_f64(1), square = x * x;
  vec_f64 above = one, below = one, power = one;
  for (ints_f64 more = power == one; v_any_f64(more); more &= power > above * 1e-10) {
    const vec_f64 next = a + 2, both = (a + 1) * next;
    above = v_select_f64(more, above * both + power * x * (next + x), above);
    below = v_select_f64(more, below * both, below);
    power *= square;
    a = next;
  }
  return above / below;
}

static inline vec_f64 igamma_load(const char* x, int64_t stride, int64_t count) {
  vec_f64 wide = v_splat_f64(1);
  if (stride == sizeof(float) && count == F64_LANES) {
    narrow_f64 some;
    memcpy(&some, x, sizeof(some));
    return __builtin_convertvector(some, vec_f64);
  }
  for (int64_t i = 0; i < count; i++)
    wide[i] = (double)*(const float*)(const void*)(x + i * stride);
  return wide;
}

static inline __attribute__((always_inline)) void igamma_row(int64_t n, char* const* data,
                                                             const int64_t* strides,
                                                             const bool is_upper) {
  const vec_f64 zero = v_splat_f64(0), one = v_splat_f64(1);
  for (int64_t at = 0; at < n; at += F64_LANES) {
    const int64_t count = n - at < F64_LANES ? n - at : F64_LANES;
    const vec_f64 a = igamma_load(data[1] + at * strides[1], strides[1], count);
    const vec_f64 x = igamma_load(data[2] + at * strides[2], strides[2], count);
    const ints_f64 here = (a > zero) & (a < 20) & (x > zero) & (x < a + 1);
    vec_f64 found = zero;
    if (v_any_f64(here)) {
      const vec_f64 order = v_select_f64(here, a, one);
      const vec_f64 bound = v_select_f64(here, x, one / 1024);
      found = igamma_series(order, bound) * igamma_scale(order, bound);
    }
    if (is_upper) found = 1 - found;
    char* out = data[0] + at * strides[0];
    for (int64_t i = 0; i < count; i++, out += strides[0])
      *(float*)(void*)out = (float)(here[i]    ? found[i]
                                    : is_upper ? oyi_igammac(a[i], x[i], true)
                                               : oyi_igamma(a[i], x[i], true));
  }
}

static void igamma_vector_f32(int64_t n, char* const* data, const int64_t* strides,
                              const void* args) {
  (void)args;
  igamma_row(n, data, strides, false);
}
static void igammac_vector_f32(int64_t n, char* const* data, const int64_t* strides,
                               const void* args) {
  (void)args;
  igamma_row(n, data, strides, true);
}
