// SPDX-License-Identifier: Apache-2.0
// Plans: factors, roots of unity, and what a convolution needs.
#include <math.h>
#include <string.h>

#include "backends/cpu/fft/fft.h"
#include "base/memory.h"

#define T       float
#define NAME(x) x##_f32
#define R       double
#define COS     cos
#define SIN     sin
#include "backends/cpu/fft/fft_roots_tmpl.h"
#undef T
#undef NAME
#undef R
#undef COS
#undef SIN
#define T       double
#define NAME(x) x##_f64
#define R       long double
#define COS     cosl
#define SIN     sinl
#include "backends/cpu/fft/fft_roots_tmpl.h"

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

oy_status oyi_fft_plan_begin(oyi_fft_plan* plan, int64_t n, bool is_float, bool halved) {
  *plan = (oyi_fft_plan){.n = n, .length = n, .is_float = is_float, .halved = halved};
  // Eighths of the circle are counted, and lengths below twice the next good one.
  OY_CHECK(n <= INT64_MAX / 64, OUT_OF_MEMORY, "no memory to transform %lld elements",
           (long long)n);
  const bool by_passes = find_factors(plan, n);
  if (!by_passes) {
    plan->length = good_length(2 * n - 1);
    (void)find_factors(plan, plan->length);
  }
  if (!(is_float ? make_tables_f32(plan, by_passes) : make_tables_f64(plan, by_passes)))
    return oy_failure();
  return OY_OK;
}

void oyi_fft_plan_end(oyi_fft_plan* plan) {
  oyi_free(plan->roots);
  oyi_free(plan->chirp);
  oyi_free(plan->filter);
  oyi_free(plan->twist);
}
