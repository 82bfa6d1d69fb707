// SPDX-License-Identifier: Apache-2.0
// Plans: factors, roots of unity, and what a convolution needs.
#include <math.h>
#include <string.h>

#include "backends/cpu/fft.h"
#include "base/memory.h"

// By the eighth of the circle, so that sin and cos get small arguments and that roots which
// mirror each other do so to the last bit.
void oyi_fft_root(int64_t k, int64_t n, double* re, double* im) {
  const int64_t eighths = 8 * k;
  const int octant = (int)(eighths / n);
  // How far into the octant, or before its end for odd ones.
  const int64_t part = octant & 1 ? (octant + 1) * n - eighths : eighths - octant * n;
  const double angle = M_PI / 4 * (double)part / (double)n;
  const double c = cos(angle), s = sin(angle);
  // Octants that begin at the axes 0, i, -1, -i; odd ones end there.
  const int axis = (octant + 1) / 2 % 4;
  const double turn = octant & 1 ? -s : s;
  const double cosines[] = {c, -turn, -c, turn}, sines[] = {turn, c, -turn, -c};
  *re = cosines[axis];
  *im = -sines[axis];
}

#define T       float
#define NAME(x) x##_f32
#include "backends/cpu/fft_tmpl.h"
#undef T
#undef NAME
#define T       double
#define NAME(x) x##_f64
#include "backends/cpu/fft_tmpl.h"

// Fours first; false if a prime factor is too great for a pass.
static bool find_factors(oyi_fft_plan* plan, int64_t n) {
  plan->count = 0;
  for (int64_t p = 4; n > 1; p = p == 4 ? 2 : p == 2 ? 3 : p + 2) {
    if (p > OYI_FFT_PRIME) return false;
    for (; n % p == 0; n /= p) plan->factors[plan->count++] = p;
  }
  return true;
}

// The least length from |n| on of factors up to 5.
static int64_t good_length(int64_t n) {
  int64_t best = INT64_MAX;
  for (int64_t five = 1; five < best; five *= 5)
    for (int64_t three = five; three < best; three *= 3) {
      int64_t length = three;
      while (length < n) length *= 2;
      if (length < best) best = length;
      if (three >= n) break;
    }
  return best;
}

oy_status oyi_fft_plan_begin(oyi_fft_plan* plan, int64_t n, bool is_float) {
  *plan = (oyi_fft_plan){.n = n, .length = n, .is_float = is_float};
  // Eighths of the circle are counted, and lengths below twice the next good one.
  OY_CHECK(n <= INT64_MAX / 64, OUT_OF_MEMORY, "no memory to transform %lld elements",
           (long long)n);
  const bool by_passes = find_factors(plan, n);
  if (!by_passes) {
    plan->length = good_length(2 * n - 1);
    (void)find_factors(plan, plan->length);
  }
  bool good = is_float ? make_roots_f32(plan) : make_roots_f64(plan);
  if (good && !by_passes) good = is_float ? make_chirp_f32(plan) : make_chirp_f64(plan);
  return good ? OY_OK : oy_failure();
}

void oyi_fft_plan_end(oyi_fft_plan* plan) {
  oyi_free(plan->roots);
  oyi_free(plan->chirp);
  oyi_free(plan->filter);
}
