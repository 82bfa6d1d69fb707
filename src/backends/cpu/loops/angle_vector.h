// SPDX-License-Identifier: Apache-2.0
// Angles far from 0, of which libmvec hands the sine, cosine and tangent to the C library, one
// after the other: quarters of a turn are taken off here, in vectors of doubles, where products
// and sums can be fused. For loops_vmath_body.h.
//
// A quarter is in three parts of 53 bits. The first product and its difference are exact, for
// |x| and what is left of it are multiples of the quarter's last bit. Up to 2^50 what is left is
// right to 2^-108, and no double is nearer to a multiple than 2^-62.
#define ANGLE_MOST 0x1p50

typedef float angle_floats __attribute__((vector_size(OYI_VEC_BYTES)));
typedef float angle_half __attribute__((vector_size(OYI_VEC_BYTES / 2)));
typedef double angle_doubles __attribute__((vector_size(OYI_VEC_BYTES)));
typedef uint64_t angle_bits __attribute__((vector_size(OYI_VEC_BYTES)));

static const double g_quarter[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                   -0x1.f1976b7ed8fbcp-110};

static inline angle_doubles angle_fma(angle_doubles a, angle_doubles b, angle_doubles c) {
#if defined(__AVX512F__)
  return (angle_doubles)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#else
  return (angle_doubles)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#endif
}

// What is left of |x|, up to an eighth of a turn, and what its last bit leaves out. The last
// bits of |quarters| are those of how many went off.
static inline angle_doubles angle_rest_f64(angle_doubles x, angle_doubles* low,
                                           angle_bits* quarters) {
  const angle_doubles zero = {0}, magic = zero + 0x1.8p52;
  const angle_doubles shifted = x * M_2_PI + magic, minus = magic - shifted;
  const angle_doubles first = angle_fma(minus, zero + g_quarter[0], x);
  const angle_doubles product = minus * g_quarter[1];
  const angle_doubles sum = first + product, part = sum - first;
  angle_doubles left = (first - (sum - part)) + (product - part);
  left += angle_fma(minus, zero + g_quarter[1], -product);
  left = angle_fma(minus, zero + g_quarter[2], left);
  const angle_doubles rest = sum + left;
  *low = left - (rest - sum);
  *quarters = (angle_bits)shifted;
  return rest;
}

// An angle up to a quarter that has the sine of |x| and |ahead| quarters: what is left, or what
// that lacks of a quarter, and the other way round after half a turn.
static inline angle_doubles angle_turned_f64(angle_doubles x, uint64_t ahead,
                                             angle_doubles* low) {
  const angle_doubles zero = {0};
  const angle_bits sign = (angle_bits)-zero;
  angle_bits quarters;
  angle_doubles rest_low;
  const angle_doubles rest = angle_rest_f64(x, &rest_low, &quarters);
  quarters += ahead;
  const angle_bits is_odd = -(quarters & 1), turn = (quarters << 62) & sign;
  const angle_bits below = (angle_bits)rest & sign;
  const angle_doubles size = (angle_doubles)((angle_bits)rest ^ below);
  const angle_doubles size_low = (angle_doubles)((angle_bits)rest_low ^ below);
  const angle_doubles other = g_quarter[0] - size;
  const angle_doubles lacks = ((g_quarter[0] - other) - size) + (g_quarter[1] - size_low);
  *low =
      (angle_doubles)((((angle_bits)lacks & is_odd) | ((angle_bits)rest_low & ~is_odd)) ^
                      turn);
  return (angle_doubles)((((angle_bits)other & is_odd) | ((angle_bits)rest & ~is_odd)) ^
                         turn);
}

// The same of floats, which the double nearest to the angle is good for.
static inline angle_floats angle_turned_f32(angle_floats x, uint64_t ahead,
                                            angle_floats* low) {
  angle_half halves[2], lows[2];
  memcpy(halves, &x, sizeof(x));
  for (int i = 0; i < 2; i++) {
    angle_doubles rest;
    const angle_doubles angle =
        angle_turned_f64(__builtin_convertvector(halves[i], angle_doubles), ahead, &rest);
    halves[i] = __builtin_convertvector(angle, angle_half);
    lows[i] = __builtin_convertvector(
        angle - __builtin_convertvector(halves[i], angle_doubles), angle_half);
  }
  memcpy(low, lows, sizeof(lows));
  memcpy(&x, halves, sizeof(x));
  return x;
}
