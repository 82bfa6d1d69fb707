// SPDX-License-Identifier: Apache-2.0
// Discrete distributions: integers, Bernoulli, geometric, permutations.
#include <float.h>
#include <math.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/loops/loops_random.h"
#include "backends/cpu/random/random_fill.h"
#include "base/memory.h"
#include "ops/calls.h"
#include "ops/rules/rules.h"
#include "tensor/element.h"
#include "tensor/iterator.h"

// ------------------------------------------------------------------- integers

// A number below |range| (all 64 bits if that is 0), by the high half of a product: with
// 64 random bits no number is preferred by more than 2^-64 times the range.
static uint64_t below(uint64_t bits, uint64_t range) {
  return range ? (uint64_t)((unsigned __int128)bits * range >> 64) : bits;
}
static void integers(const oyi_random* r, const uint32_t* words, int64_t n, void* out) {
  int64_t* to = out;
  for (int64_t i = 0; i < n; i++) {
    uint64_t bits = (uint64_t)words[2 * i + 1] << 32 | words[2 * i];
    to[i] = (int64_t)((uint64_t)r->base + below(bits, r->range));
  }
}

// The greatest integer up to which a dtype has all of them; -1 if it has none.
static double greatest(oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_BOOL: return 1;
    case OY_DTYPE_U8: return 255;
    case OY_DTYPE_I8: return 127;
    case OY_DTYPE_I16: return 32767;
    case OY_DTYPE_I32: return 2147483647;
    case OY_DTYPE_I64: return 0x1p63;
    case OY_DTYPE_F16: return 2048;
    case OY_DTYPE_BF16: return 256;
    case OY_DTYPE_F32: return 0x1p24;
    case OY_DTYPE_F64: return 0x1p53;
    default: return -1;
  }
}

// How far from 0 a bound may be: a float dtype bears more than it has exactly.
static void dtype_range(oy_dtype dtype, double* least, double* most) {
  *most = greatest(dtype);
  *least = -*most - 1;
  if (dtype == OY_DTYPE_BOOL || dtype == OY_DTYPE_U8) *least = 0;
  if (dtype == OY_DTYPE_I64) *least = -0x1p63;
  if (!oy_dtype_is_floating(dtype)) return;
  *most = dtype == OY_DTYPE_F16 ? 65504 : dtype == OY_DTYPE_F64 ? DBL_MAX : 0x1p127;
  *least = -*most;
}

static bool has_integers(oy_object* self, const char* name) {
  if (!oyi_tensor_of(self)) return false;
  if (greatest(self->dtype) >= 0) return true;
  OY_FAIL(NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", name,
          oy_dtype_pytorch_name(self->dtype));
  return false;
}

static oy_object* fill_integers(oy_object* self, oy_value generator, int64_t base,
                                uint64_t range) {
  const bool is_small = range > 0 && range <= UINT32_MAX;
  oyi_random r = {is_small ? oyi_random_loops_here()->integers : integers,
                  OY_DTYPE_I64,
                  2,
                  0,
                  0,
                  range,
                  base};
  return oyi_random_fill(self, generator, &r);
}

OYI_CPU(random_) {
  if (!has_integers(self, "random_")) return NULL;
  double most = greatest(self->dtype);
  // The greatest one belongs to it.
  uint64_t range = most >= 0x1p63 ? 1ull << 63 : (uint64_t)most + 1;
  return fill_integers(self, generator, 0, range);
}

static oy_object* random_between(oy_object* self, int64_t from, int64_t last,
                                 oy_value generator) {
  double least, most;
  dtype_range(self->dtype, &least, &most);
  bool bad_from = (double)from < least || (double)from > most;
  if (bad_from || (double)last < least || (double)last > most) {
    OY_FAIL(INVALID_ARGUMENT, "%s is out of bounds for %s", bad_from ? "from" : "to - 1",
            oy_dtype_pytorch_name(self->dtype));
    return NULL;
  }
  return fill_integers(self, generator, from, (uint64_t)last - (uint64_t)from + 1);
}

static oy_object* random_from_to(oy_object* self, int64_t from, int64_t to,
                                 oy_value generator) {
  if (!has_integers(self, "random_from_to")) return NULL;
  if (from < to) return random_between(self, from, to - 1, generator);
  OY_FAIL(INVALID_ARGUMENT,
          "random_ expects 'from' to be less than 'to', but got from=%lld >= to=%lld",
          (long long)from, (long long)to);
  return NULL;
}

OYI_CPU(random__to) {
  return random_from_to(self, 0, to, generator);
}
OYI_CPU(random__from) {
  if (to.tag != OY_TAG_NONE) return random_from_to(self, from, to.as.i, generator);
  if (!has_integers(self, "random_")) return NULL;
  double most = greatest(self->dtype);
  return random_between(self, from, most >= 0x1p63 ? INT64_MAX : (int64_t)most,
                        generator);
}

// ------------------------------------------------------------------ Bernoulli

static void bernoulli(const oyi_random* r, const uint32_t* words, int64_t n, void* out) {
  float* to = out;
  for (int64_t i = 0; i < n; i++) to[i] = (double)words[i] * 0x1p-32 < r->a;
}

OYI_CPU(bernoulli__float) {
  if (!oyi_tensor_of(self)) return NULL;
  if (!(p >= 0 && p <= 1)) {
    OY_FAIL(INVALID_ARGUMENT, "bernoulli_ expects p to be in [0, 1], but got p=%g", p);
    return NULL;
  }
  oyi_random r = {bernoulli, OY_DTYPE_F32, 4, p, 0, 0, 0};
  return oyi_random_fill(self, generator, &r);
}

static oy_status check_probabilities(const double* p, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    OY_CHECK(
        p[i] >= 0 && p[i] <= 1, INVALID_ARGUMENT,
        "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error "
        "message be improved?  If so, please report an enhancement request to "
        "PyTorch.)");
  return OY_OK;
}

// Turns probabilities, in place, into ones and zeros.
static oy_status draw_each(double* p, int64_t n, oy_value generator, oy_device device) {
  enum { STEP = 256 };
  oy_generator_state state;
  double units[STEP];
  uint32_t words[2 * STEP];
  OY_TRY(check_probabilities(p, n));
  OY_TRY(oyi_generator_take(generator, device, ((uint64_t)n + 1) / 2, &state));
  for (int64_t i = 0; i < n; i += STEP) {
    int64_t some = n - i < STEP ? n - i : STEP;
    oyi_philox(state, (uint64_t)(i / 2), 0, (some + 1) / 2, words);
    oyi_random_units(words, some, units);
    for (int64_t k = 0; k < some; k++) p[i + k] = units[k] < p[i + k];
  }
  return OY_OK;
}

// Fills |out| with draws of the probabilities |p|, broadcast to it.
static oy_object* bernoulli_each(oyi_tensor* out, oy_object* p, oy_value generator) {
  if (oyi_is_meta(out)) return &out->header;
  if (oyi_check_same_device(out, oyi_tensor_cast(p)) != 0) return NULL;
  oy_object* wide = oy_tensor_expand(p, oyi_sizes_view(out));
  oyi_tensor* draws = wide ? oyi_converted(oyi_tensor_cast(wide), OY_DTYPE_F64) : NULL;
  oy_status status =
      draws ? draw_each(oyi_data(draws), draws->numel, generator, oyi_tensor_device(out))
            : OY_OUT_OF_MEMORY;
  if (status == 0) oyi_convert(out, draws);
  oy_tensor_release(oyi_tensor_object(draws));
  oy_tensor_release(wide);
  return status == 0 ? &out->header : NULL;
}

static bool are_probabilities(oy_object* p, const char* name) {
  if (!oyi_tensor_of(p)) return false;
  if (oy_dtype_is_floating(p->dtype)) return true;
  OY_FAIL(NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", name,
          oy_dtype_pytorch_name(p->dtype));
  return false;
}

OYI_CPU(bernoulli__Tensor) {
  oyi_tensor* t = oyi_tensor_of(self);
  if (!t || !are_probabilities(p, "bernoulli_tensor_cpu_p_") ||
      oyi_output_check_overlap(t, NULL, 0) != 0)
    return NULL;
  return bernoulli_each(t, p, generator);
}

OYI_CPU(bernoulli_out) {
  oyi_tensor* o = oyi_tensor_of(out);
  const oyi_tensor* t = o ? oyi_tensor_of(self) : NULL;
  if (!t || !are_probabilities(self, "bernoulli_tensor_cpu_self_") ||
      oyi_output_prepare(o, oyi_sizes_view(t), out->dtype, oyi_tensor_device(t)) != 0 ||
      oyi_output_check_overlap(o, NULL, 0) != 0)
    return NULL;
  return bernoulli_each(o, self, generator);
}

// ------------------------------------------------------------------ geometric

static void geometric(const oyi_random* r, const uint32_t* words, int64_t n, void* out) {
  double* to = out;
  oyi_random_units(words, n, to);
  for (int64_t i = 0; i < n; i++) {
    double trials = ceil(log1p(-to[i]) / r->a);
    to[i] = trials < 1 ? 1 : trials;
  }
}

OYI_CPU(geometric_) {
  if (!oyi_tensor_of(self)) return NULL;
  if (!(p > 0 && p < 1)) {
    OY_FAIL(INVALID_ARGUMENT, "geometric_ expects p to be in (0, 1), but got p=%g", p);
    return NULL;
  }
  if (self->dtype == OY_DTYPE_BOOL || oy_dtype_is_complex(self->dtype)) {
    OY_FAIL(NOT_IMPLEMENTED, "\"geometric_cpu\" not implemented for '%s'",
            oy_dtype_pytorch_name(self->dtype));
    return NULL;
  }
  oyi_random r = {geometric, OY_DTYPE_F64, 2, log1p(-p), 0, 0, 0};
  return oyi_random_fill(self, generator, &r);
}

// --------------------------------------------------------------- permutations

// Every order of 0 to n - 1 is as likely: each place gets one of those that are left.
// Partners are drawn a piece ahead, so that their memory is on its way when they are
// exchanged.
enum { AHEAD = 256 };
static int64_t draw_partners(int64_t* k, int64_t first, int64_t n,
                             oy_generator_state state) {
  uint32_t words[2 * AHEAD];
  const int64_t rest = n - 1 - first, count = rest < AHEAD ? rest : AHEAD;
  oyi_philox(state, (uint64_t)(first / 2), 0, (count + 1) / 2, words);
  for (int64_t i = 0; i < count; i++) {
    uint64_t bits = (uint64_t)words[2 * i + 1] << 32 | words[2 * i];
    k[i] = first + i + (int64_t)below(bits, (uint64_t)(n - first - i));
  }
  return count;
}

static void shuffle_wide(int64_t* items, int64_t n, oy_generator_state state) {
  int64_t k[AHEAD];
  for (int64_t i = 0; i < n; i++) items[i] = i;
  for (int64_t first = 0; first + 1 < n; first += AHEAD) {
    const int64_t count = draw_partners(k, first, n, state);
    for (int64_t i = 0; i < count; i++) {
      int64_t swap = items[first + i];
      items[first + i] = items[k[i]];
      items[k[i]] = swap;
    }
  }
}

// The same in half the memory.
static void shuffle_narrow(int32_t* x, int64_t n, oy_generator_state state) {
  int64_t k[AHEAD];
  for (int64_t i = 0; i < n; i++) x[i] = (int32_t)i;
  for (int64_t first = 0; first + 1 < n; first += AHEAD) {
    const int64_t count = draw_partners(k, first, n, state);
    for (int64_t i = 0; i < count; i++) __builtin_prefetch(x + k[i], 1);
    for (int64_t i = 0; i < count; i++) {
      int32_t swap = x[first + i];
      x[first + i] = x[k[i]];
      x[k[i]] = swap;
    }
  }
}

static oy_status check_permutation(int64_t n, oy_object* out) {
  OY_CHECK(n >= 0, INVALID_ARGUMENT, "n must be non-negative, got%lld", (long long)n);
  double most = greatest(out->dtype);
  OY_CHECK(most >= 0 && out->dtype != OY_DTYPE_BOOL, NOT_IMPLEMENTED,
           "\"randperm\" not implemented for '%s'", oy_dtype_pytorch_name(out->dtype));
  OY_CHECK((double)n <= most + 1, INVALID_ARGUMENT,
           "n is too large for result tensor type: '%s'",
           oy_dtype_pytorch_name(out->dtype));
  return OY_OK;
}

OYI_CPU(randperm_generator_out) {
  oyi_tensor* o = oyi_tensor_of(out);
  oy_generator_state state;
  if (!o || check_permutation(n, out) != 0 ||
      oyi_output_prepare(o, (oy_ints){&n, 1}, out->dtype, oyi_tensor_device(o)) != 0)
    return NULL;
  if (oyi_is_meta(o)) return out;
  if (oyi_generator_take(generator, oyi_tensor_device(o), ((uint64_t)n + 1) / 2, &state))
    return NULL;
  const bool is_narrow = n <= INT32_MAX;
  oyi_tensor* items = oyi_tensor_new(
      (oy_ints){&n, 1}, is_narrow ? OY_DTYPE_I32 : OY_DTYPE_I64, oy_device_cpu());
  if (!items) return NULL;
  if (is_narrow)
    shuffle_narrow(oyi_data(items), n, state);
  else
    shuffle_wide(oyi_data(items), n, state);
  oyi_convert(o, items);
  oy_tensor_release(&items->header);
  return out;
}
