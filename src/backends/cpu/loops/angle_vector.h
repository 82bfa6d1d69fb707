// SPDX-License-Identifier: Apache-2.0
// Angles far from 0, of which libmvec hands the sine, cosine and tangent to the C library, one
// after the other: quarters of a turn are taken off here, in vectors of doubles, where products
// and sums can be fused. For loops_vmath_body.h.
//
// A quarter is in three parts of 53 bits. The first product and its difference are exact, for
// |x| and what is left of it are multiples of the quarter's last bit. Up to 2^50 what is left is
// right to 2^-108, and no double is nearer to a multiple than 2^-62.
#define ANGLE_MOST 0x1p50
// Greater ones are whole numbers of 53 bits times a power of 2, which are multiplied by as many
// digits of 2 / pi as matter: of those before, all multiples are whole turns.

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

// Of 2 / pi, times 2^1161.
static const uint64_t g_quarters[] = {
    0xf6bf623f1aba10ac, 0x0e73ef14a525d4d7, 0x4f758fd7cbe2f67a, 0x8c7ecd3cbfd45aea,
    0x6cfd9e4f96136e9e, 0x5e2316b414da3eda, 0xf12fffbc0b301fde, 0x08bf177bf250763f,
    0x23ac7306a673e939, 0x38e04d68befc8273, 0x046bea5d768909d3, 0x3bd63962534e7dd1,
    0x925dd413a32439fc, 0x48dc74849ba5c00c, 0xa2c757bd778ac36e, 0xc52b3278872083fc,
    0x4eafa3ea69bb81b6, 0xf306dc9c882a53f8, 0x0000000000000145, 0x0000000000000000};

// Words |at| of those, from registers: machines are slow to gather them. Of floats, none is
// before the twelfth.
static inline angle_bits angle_word(angle_bits at, bool single) {
#if defined(__AVX512F__)
  const __m512i first = _mm512_loadu_si512(g_quarters);
  const __m512i second = _mm512_loadu_si512(g_quarters + 8);
  const __m512i last = _mm512_loadu_si512(g_quarters + 12);
  const __m512i found = _mm512_permutexvar_epi64((__m512i)(at - 12), last);
  if (single) return (angle_bits)found;
  const __mmask8 is_early = _mm512_cmplt_epu64_mask((__m512i)at, _mm512_set1_epi64(16));
  const __m512i early = _mm512_permutex2var_epi64(first, (__m512i)at, second);
  return (angle_bits)_mm512_mask_blend_epi64(is_early, found, early);
#else
  (void)single;
  return (angle_bits)_mm256_i64gather_epi64((const void*)g_quarters, (__m256i)at, 8);
#endif
}

// Of two that follow each other, the word that starts at bit |at| of the first.
static inline angle_bits angle_between(angle_bits word, angle_bits next, angle_bits at) {
  return (word >> at) | ((next << 1) << (63 - at));
}

// |digits| become 2 / pi times 2^190 and the power of 2 of |x|, modulo 2^192, in words of 32 bits,
// and |factor| what that is a power of 2 of.
static inline void angle_digits(angle_doubles x, angle_bits digits[6],
                                angle_bits* factor) {
  const angle_bits low = (angle_bits){0} + 0xffffffff, bits = (angle_bits)x;
  const angle_bits shift = 2046 - ((bits >> 52) & 0x7ff), rest = shift & 63;
  angle_bits word = angle_word(shift >> 6, false);
  for (int k = 0; k < 3; k++) {
    const angle_bits next = angle_word((shift >> 6) + (uint64_t)(k + 1), false);
    const angle_bits whole = angle_between(word, next, rest);
    word = next;
    digits[2 * k] = whole & low;
    digits[2 * k + 1] = whole >> 32;
  }
  *factor = (bits & 0xfffffffffffff) | 0x10000000000000;
}

// Their product, modulo 2^192, as words of 64 bits, the last of which has two bits of quarters.
static inline void angle_product(const angle_bits digits[6], angle_bits factor,
                                 angle_bits product[3]) {
  const angle_bits low = (angle_bits){0} + 0xffffffff;
  const angle_bits first = factor & low, second = factor >> 32;
  angle_bits carry = {0}, above = {0}, before = {0}, words[6];
  for (int k = 0; k < 6; k++) {
    const angle_bits one = first * digits[k], two = second * before;
    const angle_bits sum = carry + above + (one & low) + (two & low);
    words[k] = sum & low;
    carry = sum >> 32;
    above = (one >> 32) + (two >> 32);
    before = digits[k];
  }
  for (int k = 0; k < 3; k++) product[k] = words[2 * k] | words[2 * k + 1] << 32;
}

static inline angle_doubles angle_converted(angle_bits x) {
  typedef int64_t ints __attribute__((vector_size(OYI_VEC_BYTES)));
  return __builtin_convertvector((ints)x, angle_doubles);
}

static inline angle_doubles angle_either(angle_bits mask, angle_doubles yes,
                                         angle_doubles no) {
  return (angle_doubles)(((angle_bits)yes & mask) | ((angle_bits)no & ~mask));
}

// |a| + |b|, of any sizes, and what the sum leaves out.
static inline angle_doubles angle_sum(angle_doubles a, angle_doubles b,
                                      angle_doubles* rest) {
  const angle_doubles sum = a + b, part = sum - a;
  *rest = (a - (sum - part)) + (b - part);
  return sum;
}

static __attribute__((noinline)) angle_doubles angle_great_rest(angle_doubles x,
                                                                angle_doubles* low,
                                                                angle_bits* quarters) {
  typedef int64_t ints __attribute__((vector_size(OYI_VEC_BYTES)));
  const angle_doubles zero = {0};
  const angle_bits sign = (angle_bits)x & (angle_bits)-zero, half = {0};
  angle_bits digits[6], factor, product[3];
  angle_digits((angle_doubles)((angle_bits)x ^ sign), digits, &factor);
  angle_product(digits, factor, product);
  const angle_bits whole = (product[2] + (half + 0x2000000000000000)) >> 62;
  const angle_bits left = product[2] - (whole << 62);
  angle_doubles rest, more;
  angle_doubles sum = angle_sum(angle_converted((angle_bits)((ints)left >> 32)) * 0x1p-30,
                                angle_converted(left & 0xffffffff) * 0x1p-62, &rest);
  sum = angle_sum(sum, angle_converted(product[1] >> 32) * 0x1p-94, &more);
  rest += more + angle_converted(product[1] & 0xffffffff) * 0x1p-126;
  sum = angle_sum(sum, rest, &more);
  // Times a quarter.
  const angle_doubles at = sum * g_quarter[0];
  const angle_doubles lost = angle_fma(sum, zero + g_quarter[0], -at) +
                             (sum * g_quarter[1] + more * g_quarter[0]);
  const angle_doubles found = at + lost;
  const angle_bits turns = -(sign >> 63);
  *low = (angle_doubles)((angle_bits)(lost - (found - at)) ^ sign);
  *quarters = (whole ^ turns) - turns;
  return (angle_doubles)((angle_bits)found ^ sign);
}

static inline angle_bits angle_is_great(angle_doubles x) {
  return (angle_bits)(((x > ANGLE_MOST) & (x <= DBL_MAX)) |
                      ((x < -ANGLE_MOST) & (x >= -DBL_MAX)));
}
static inline bool angle_any(angle_bits mask) {
#if defined(__AVX512F__)
  return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) != 0;
#else
  return _mm256_movemask_epi8((__m256i)mask) != 0;
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
  const angle_bits is_great = angle_is_great(x);
  if (__builtin_expect(!angle_any(is_great), 1)) return rest;
  angle_doubles great_low;
  angle_bits great_quarters;
  const angle_doubles great = angle_great_rest(
      angle_either(is_great, x, zero + 2 * ANGLE_MOST), &great_low, &great_quarters);
  *low = angle_either(is_great, great_low, *low);
  *quarters = (great_quarters & is_great) | (*quarters & ~is_great);
  return angle_either(is_great, great, rest);
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

// The same of great floats: of 24 bits, no multiple of which is nearer to a quarter than 2^-30, so
// that the 64 bits of the product that matter are good for more than a float has.
static __attribute__((noinline)) angle_doubles angle_great_single(angle_doubles x,
                                                                  angle_bits* quarters) {
  typedef int64_t ints __attribute__((vector_size(OYI_VEC_BYTES)));
  const angle_doubles zero = {0};
  const angle_bits low = (angle_bits){0} + 0xffffffff, half = {0};
  const angle_bits sign = (angle_bits)x & (angle_bits)-zero, bits = (angle_bits)x ^ sign;
  // Those digits of angle_digits() that are above the 29 bits that a float lacks, and 67 more.
  const angle_bits shift = 2046 + 67 - (bits >> 52), rest = shift & 63;
  const angle_bits first = angle_word(shift >> 6, true);
  const angle_bits next = angle_word((shift >> 6) + 1, true);
  const angle_bits last = angle_word((shift >> 6) + 2, true);
  const angle_bits word = angle_between(first, next, rest);
  const angle_bits above = angle_between(next, last, rest);
  const angle_bits factor = ((bits >> 29) & 0x7fffff) | 0x800000;
  const angle_bits product = ((factor * (word & low)) >> 32) + factor * (word >> 32) +
                             ((factor * (above & low)) << 32);
  const angle_bits whole = (product + (half + 0x2000000000000000)) >> 62;
  const angle_bits left = product - (whole << 62);
  // Two words, for few machines convert one of 64 bits.
  const angle_doubles found = (angle_converted((angle_bits)((ints)left >> 32)) * 0x1p-30 +
                               angle_converted(left & low) * 0x1p-62) *
                              g_quarter[0];
  const angle_bits turns = -(sign >> 63);
  *quarters = (whole ^ turns) - turns;
  return (angle_doubles)((angle_bits)found ^ sign);
}

// Of floats, which the double nearest to what is left is good for.
static inline angle_doubles angle_rest_single(angle_doubles x, angle_bits* quarters) {
  const angle_doubles zero = {0}, magic = zero + 0x1.8p52;
  const angle_doubles shifted = x * M_2_PI + magic, minus = magic - shifted;
  const angle_doubles rest =
      angle_fma(minus, zero + g_quarter[1], angle_fma(minus, zero + g_quarter[0], x));
  *quarters = (angle_bits)shifted;
  const angle_bits is_great = angle_is_great(x);
  if (__builtin_expect(!angle_any(is_great), 1)) return rest;
  angle_bits great_quarters;
  const angle_doubles great = angle_great_single(
      angle_either(is_great, x, zero + 2 * ANGLE_MOST), &great_quarters);
  *quarters = (great_quarters & is_great) | (*quarters & ~is_great);
  return angle_either(is_great, great, rest);
}

// angle_turned_f64() of them.
static inline angle_doubles angle_turned_single(angle_doubles x, uint64_t ahead) {
  const angle_doubles zero = {0};
  const angle_bits sign = (angle_bits)-zero;
  angle_bits quarters;
  const angle_doubles rest = angle_rest_single(x, &quarters);
  quarters += ahead;
  const angle_bits is_odd = -(quarters & 1), turn = (quarters << 62) & sign;
  const angle_doubles size = (angle_doubles)((angle_bits)rest & ~sign);
  const angle_doubles found = angle_either(is_odd, g_quarter[0] - size, rest);
  return (angle_doubles)((angle_bits)found ^ turn);
}

// Two halves, which are put together in registers: what is stored by halves and read as a whole
// waits.
static inline angle_floats angle_joined(angle_half a, angle_half b) {
#if defined(__AVX512F__)
  const __m512d low = _mm512_castpd256_pd512((__m256d)a);
  return (angle_floats)_mm512_insertf64x4(low, (__m256d)b, 1);
#else
  return (angle_floats)_mm256_insertf128_ps(_mm256_castps128_ps256((__m128)a), (__m128)b,
                                            1);
#endif
}

static inline angle_floats angle_turned_f32(angle_floats x, uint64_t ahead,
                                            angle_floats* low) {
  angle_half halves[2], lows[2];
  memcpy(halves, &x, sizeof(x));
  OYI_UNROLL_BY(2)
  for (int i = 0; i < 2; i++) {
    const angle_doubles angle =
        angle_turned_single(__builtin_convertvector(halves[i], angle_doubles), ahead);
    halves[i] = __builtin_convertvector(angle, angle_half);
    lows[i] = __builtin_convertvector(
        angle - __builtin_convertvector(halves[i], angle_doubles), angle_half);
  }
  *low = angle_joined(lows[0], lows[1]);
  return angle_joined(halves[0], halves[1]);
}
