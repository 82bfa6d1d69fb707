// SPDX-License-Identifier: Apache-2.0
// The loops of loops_random.h for one CPU capability, LEVELED(name) is the name for it.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include <math.h>
#include <string.h>

#include "backends/cpu/loops/loops_random.h"

// As oyi_unit_f64() has it, by halves that have a vector conversion.
static inline double unit_f64(uint32_t low, uint32_t high) {
  const int32_t above = (int32_t)(high >> 5);
  const int32_t below = (int32_t)((high & 31) << 21 | low >> 11);
  return (double)above * 0x1p-27 + (double)below * 0x1p-53;
}

// ------------------------------------------------------------------------ functions

// log(x) of a positive normal number: that of its mantissa m, from sqrt(1/2) to sqrt(2),
// is the series of 2 atanh(s), s = (m - 1) / (m + 1), of which |s| < 0.172.
static inline float log_f32(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof(bits));
  // The exponent goes up by one at sqrt(2).
  const uint32_t moved = bits + (0x3f800000u - 0x3f3504f3u);
  const float exponent = (float)((int32_t)(moved >> 23) - 127);
  bits = (moved & 0x7fffffu) + 0x3f3504f3u;
  float m;
  memcpy(&m, &bits, sizeof(m));
  const float s = (m - 1) / (m + 1), z = s * s;
  float sum = z * (1 / 9.0f) + 1 / 7.0f;
  sum = sum * z + 1 / 5.0f;
  sum = sum * z + 1 / 3.0f;
  const float rest = 2 * s * z * sum + exponent * 0x1.7f7d1cp-20f;
  return exponent * 0x1.62e4p-1f + (2 * s + rest);
}

static inline double log_f64(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof(bits));
  const uint64_t moved = bits + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
  const double exponent = (double)((int32_t)(moved >> 52) - 1023);
  bits = (moved & 0xfffffffffffffu) + 0x3fe6a09e667f3bcdu;
  double m;
  memcpy(&m, &bits, sizeof(m));
  const double s = (m - 1) / (m + 1), z = s * s;
  double sum = z * (1 / 21.0) + 1 / 19.0;
  sum = sum * z + 1 / 17.0;
  sum = sum * z + 1 / 15.0;
  sum = sum * z + 1 / 13.0;
  sum = sum * z + 1 / 11.0;
  sum = sum * z + 1 / 9.0;
  sum = sum * z + 1 / 7.0;
  sum = sum * z + 1 / 5.0;
  sum = sum * z + 1 / 3.0;
  const double rest = 2 * s * z * sum + exponent * 0x1.abc9e3b39803fp-36;
  return exponent * 0x1.62e42fefap-1 + (2 * s + rest);
}

// Sine and cosine of |turns|, from 0 to below 1, of a full circle: the nearest quarter is
// taken off, which is exact, and their series serve up to an eighth.
static inline void circle_f32(float turns, float* sine, float* cosine) {
  const int32_t quarter = (int32_t)(turns * 4 + 0.5f);
  const float x = 2 * (float)M_PI * (turns - (float)quarter * 0.25f), z = x * x;
  float s = z * (1 / 362880.0f) - 1 / 5040.0f;
  s = s * z + 1 / 120.0f;
  s = s * z - 1 / 6.0f;
  s = x + x * (z * s);
  float c = 1 / 40320.0f - z * (1 / 3628800.0f);
  c = c * z - 1 / 720.0f;
  c = c * z + 1 / 24.0f;
  c = c * z - 0.5f;
  c = 1 + z * c;
  const float a = quarter & 1 ? c : s, b = quarter & 1 ? s : c;
  *sine = quarter & 2 ? -a : a;
  *cosine = (quarter + 1) & 2 ? -b : b;
}

static inline void circle_f64(double turns, double* sine, double* cosine) {
  const int32_t quarter = (int32_t)(turns * 4 + 0.5);
  const double x = 2 * M_PI * (turns - quarter * 0.25), z = x * x;
  double s = z * (1 / 355687428096000.0) - 1 / 1307674368000.0;
  s = s * z + 1 / 6227020800.0;
  s = s * z - 1 / 39916800.0;
  s = s * z + 1 / 362880.0;
  s = s * z - 1 / 5040.0;
  s = s * z + 1 / 120.0;
  s = s * z - 1 / 6.0;
  s = x + x * (z * s);
  double c = z * (1 / 20922789888000.0) - 1 / 87178291200.0;
  c = c * z + 1 / 479001600.0;
  c = c * z - 1 / 3628800.0;
  c = c * z + 1 / 40320.0;
  c = c * z - 1 / 720.0;
  c = c * z + 1 / 24.0;
  c = c * z - 0.5;
  c = 1 + z * c;
  const double a = quarter & 1 ? c : s, b = quarter & 1 ? s : c;
  *sine = quarter & 2 ? -a : a;
  *cosine = (quarter + 1) & 2 ? -b : b;
}

// -------------------------------------------------------------------- distributions

// Box and Muller: two uniform numbers are a radius and an angle.
static void normal_f32(const oyi_random* r, const uint32_t* words, int64_t n, void* out) {
  float* to = out;
  const float mean = (float)r->a, std = (float)r->b;
  for (int64_t i = 0; i < n / 2; i++) {
    const uint32_t word = words[2 * i];
    const int32_t top = (int32_t)(word >> 8), low = (int32_t)(word & 255);
    // 32 bits for the radius, so that the tails are there.
    const float plain = ((float)top + 0.5f) * 0x1p-24f;
    const float tail = ((float)low + 0.5f) * 0x1p-32f;
    const float radius = sqrtf(-2 * log_f32(top == 0 ? tail : plain));
    float sine, cosine;
    circle_f32((float)(int32_t)(words[2 * i + 1] >> 8) * 0x1p-24f, &sine, &cosine);
    to[2 * i] = radius * cosine * std + mean;
    to[2 * i + 1] = radius * sine * std + mean;
  }
}

static void normal_f64(const oyi_random* r, const uint32_t* words, int64_t n, void* out) {
  double* to = out;
  const double mean = r->a, std = r->b;
  for (int64_t i = 0; i < n / 2; i++) {
    // 1 less a multiple of 2^-53 is exact.
    const double left = 1 - unit_f64(words[4 * i], words[4 * i + 1]);
    const double radius = sqrt(-2 * log_f64(left));
    double sine, cosine;
    circle_f64(unit_f64(words[4 * i + 2], words[4 * i + 3]), &sine, &cosine);
    to[2 * i] = radius * cosine * std + mean;
    to[2 * i + 1] = radius * sine * std + mean;
  }
}

static void exponential(const oyi_random* r, const uint32_t* words, int64_t n,
                        void* out) {
  double* to = out;
  const double rate = r->a;
  for (int64_t i = 0; i < n; i++) {
    const double unit = unit_f64(words[2 * i], words[2 * i + 1]);
    const double drawn = -log_f64(1 - unit);
    // Half a step keeps 0, which is no such number, away.
    to[i] = (unit == 0 ? 0x1p-54 : drawn) / rate;
  }
}

// The high half of a product of 64 bits and 32.
static void integers(const oyi_random* r, const uint32_t* words, int64_t n, void* out) {
  int64_t* to = out;
  const uint32_t range = (uint32_t)r->range;
  const uint64_t base = (uint64_t)r->base;
  for (int64_t i = 0; i < n; i++) {
    const uint64_t low = (uint64_t)words[2 * i] * range >> 32;
    to[i] = (int64_t)(base + (((uint64_t)words[2 * i + 1] * range + low) >> 32));
  }
}

const oyi_random_loops LEVELED(oyi_random_loops) = {normal_f32, normal_f64, exponential,
                                                    integers};
