// SPDX-License-Identifier: Apache-2.0
// The walk over a tensor that is filled with random numbers, and continuous
// distributions.
#include "backends/cpu/random/random_fill.h"

#include <float.h>
#include <math.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/loops/loops_random.h"
#include "ops/calls.h"
#include "opyard/threads.h"
#include "tensor/element.h"
#include "tensor/iterator.h"

enum { BUFFER = 256 };

typedef struct filling {
  const oyi_tensor* out;
  oy_generator_state state;
  const oyi_random* random;
} filling;

// Pieces |begin| to |end|, of BUFFER elements: numbers depend on their place alone.
static oy_status fill_pieces(int64_t begin, int64_t end, void* context) {
  const filling* f = context;
  const oyi_tensor* out = f->out;
  const oyi_random* r = f->random;
  uint32_t words[2 * BUFFER];
  _Alignas(16) char numbers[8 * BUFFER];
  const int64_t item = oyi_item(out), work = oyi_dtype_bytes[r->work];
  for (int64_t piece = begin; piece < end; piece++) {
    const int64_t i = piece * BUFFER;
    const int64_t n = out->numel - i < BUFFER ? out->numel - i : BUFFER;
    const int64_t steps = (n + r->per_step - 1) / r->per_step;
    oyi_philox(f->state, (uint64_t)(i / r->per_step), 0, steps, words);
    r->transform(r, words, steps * r->per_step, numbers);
    oyi_convert_row(out->header.dtype, (char*)oyi_data(out) + i * item, item, r->work,
                    numbers, work, n);
  }
  return OY_OK;
}

static void fill_flat(const oyi_tensor* out, oy_generator_state state,
                      const oyi_random* r) {
  enum { PIECES_AT_A_TIME = 32 };
  filling f = {out, state, r};
  (void)!oy_parallel_for(0, (out->numel + BUFFER - 1) / BUFFER, PIECES_AT_A_TIME,
                         fill_pieces, &f);
}

oy_object* oyi_random_fill(oy_object* self, oy_value generator, const oyi_random* r) {
  oyi_tensor* t = oyi_tensor_of(self);
  oy_generator_state state;
  if (!t || oyi_output_check_overlap(t, NULL, 0) != 0) return NULL;
  if (oyi_is_meta(t)) return self;
  uint64_t steps =
      ((uint64_t)t->numel + (uint64_t)r->per_step - 1) / (uint64_t)r->per_step;
  if (oyi_generator_take(generator, oyi_tensor_device(t), steps, &state) != 0)
    return NULL;
  if (t->numel == 0) return self;
  if (!oyi_data(t)) {
    OY_FAIL(NOT_IMPLEMENTED, "a CPU kernel was given a tensor without data");
    return NULL;
  }
  if (t->flags & OYI_CONTIGUOUS) {
    fill_flat(t, state, r);
    return self;
  }
  oyi_tensor* flat = oyi_tensor_new(oyi_sizes_view(t), self->dtype, oy_device_cpu());
  if (!flat) return NULL;
  fill_flat(flat, state, r);
  oyi_convert(t, flat);
  oy_tensor_release(&flat->header);
  return self;
}

static bool is_float(oy_object* self, const char* name) {
  if (!oyi_tensor_of(self)) return false;
  if (oy_dtype_is_floating(self->dtype)) return true;
  OY_FAIL(NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", name,
          oy_dtype_pytorch_name(self->dtype));
  return false;
}

void oyi_random_units(const uint32_t* words, int64_t n, double* out) {
  for (int64_t i = 0; i < n; i++) out[i] = oyi_unit_f64(words[2 * i], words[2 * i + 1]);
}

// ------------------------------------------------------------------- uniform

static void uniform_f64(const oyi_random* r, const uint32_t* words, int64_t n,
                        void* out) {
  double* to = out;
  oyi_random_units(words, n, to);
  for (int64_t i = 0; i < n; i++) to[i] = to[i] * (r->b - r->a) + r->a;
}

static void uniform_f32(const oyi_random* r, const uint32_t* words, int64_t n,
                        void* out) {
  float *to = out, from = (float)r->a, range = (float)(r->b - r->a);
  for (int64_t i = 0; i < n; i++) to[i] = oyi_unit_f32(words[i]) * range + from;
}

// As many bits as the dtype has, so that rounding cannot reach the end.
static void uniform_f16(const oyi_random* r, const uint32_t* words, int64_t n,
                        void* out) {
  float *to = out, from = (float)r->a, range = (float)(r->b - r->a);
  for (int64_t i = 0; i < n; i++)
    to[i] = (float)(words[i] >> 21) * 0x1p-11f * range + from;
}
static void uniform_bf16(const oyi_random* r, const uint32_t* words, int64_t n,
                         void* out) {
  float *to = out, from = (float)r->a, range = (float)(r->b - r->a);
  for (int64_t i = 0; i < n; i++)
    to[i] = (float)(words[i] >> 24) * 0x1p-8f * range + from;
}

static double dtype_max(oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_F16: return 65504;
    case OY_DTYPE_BF16: return 0x1.fep127;
    case OY_DTYPE_F32: return (double)FLT_MAX;
    default: return DBL_MAX;
  }
}

OYI_CPU(uniform_) {
  if (!oyi_tensor_of(self)) return NULL;
  if (oy_dtype_is_complex(self->dtype)) {
    // Complex numbers are pairs of parts that are uniform on their own.
    oy_object* parts = oyi_call_view_as_real(self);
    oy_object* done = oyi_call_uniform_(parts, from, to, generator);
    oy_tensor_release(parts);
    return done ? self : NULL;
  }
  if (!is_float(self, "check_uniform_bounds")) return NULL;
  double max = dtype_max(self->dtype);
  if (!(from <= to) || !(to - from <= max)) {
    if (!(from <= to))
      OY_FAIL(INVALID_ARGUMENT,
              "uniform_ expects to return a [from, to) range, but found from=%g > to=%g",
              from, to);
    else
      OY_FAIL(INVALID_ARGUMENT,
              "uniform_ expects to-from <= std::numeric_limits<%s>::max(), but found "
              "to=%g and from=%g which result in to-from to exceed the limit",
              oy_dtype_pytorch_name(self->dtype), to, from);
    return NULL;
  }
  bool is_double = self->dtype == OY_DTYPE_F64;
  oyi_random r = {.work = is_double ? OY_DTYPE_F64 : OY_DTYPE_F32,
                  .per_step = is_double ? 2 : 4,
                  .a = from,
                  .b = to};
  r.transform = is_double                      ? uniform_f64
                : self->dtype == OY_DTYPE_F16  ? uniform_f16
                : self->dtype == OY_DTYPE_BF16 ? uniform_bf16
                                               : uniform_f32;
  return oyi_random_fill(self, generator, &r);
}

// -------------------------------------------------------------------- normal

oyi_random oyi_random_normal(oy_dtype dtype, double mean, double std) {
  bool is_double = dtype == OY_DTYPE_F64;
  const oyi_random_loops* loops = oyi_random_loops_here();
  return (oyi_random){.transform = is_double ? loops->normal_f64 : loops->normal_f32,
                      .work = is_double ? OY_DTYPE_F64 : OY_DTYPE_F32,
                      .per_step = is_double ? 2 : 4,
                      .a = mean,
                      .b = std};
}

static void log_normal(const oyi_random* r, const uint32_t* words, int64_t n, void* out) {
  double* to = out;
  oyi_random_loops_here()->normal_f64(r, words, n, out);
  for (int64_t i = 0; i < n; i++) to[i] = exp(to[i]);
}

OYI_CPU(log_normal_) {
  if (!is_float(self, "log_normal_cpu")) return NULL;
  if (!(std > 0)) {
    OY_FAIL(INVALID_ARGUMENT, "log_normal_ expects std > 0.0, but found std=%g", std);
    return NULL;
  }
  oyi_random r = {log_normal, OY_DTYPE_F64, 2, mean, std, 0, 0};
  return oyi_random_fill(self, generator, &r);
}

// ----------------------------------------------------- exponential and Cauchy

static void cauchy(const oyi_random* r, const uint32_t* words, int64_t n, void* out) {
  double* to = out;
  oyi_random_units(words, n, to);
  for (int64_t i = 0; i < n; i++) to[i] = r->a + r->b * tan(M_PI * (to[i] - 0.5));
}

static bool is_continuous(oy_object* self, const char* name) {
  if (!oyi_tensor_of(self)) return false;
  if (oy_dtype_is_floating(self->dtype)) return true;
  OY_FAIL(TYPE_MISMATCH,
          "%s distribution is a continuous probability distribution. dtype must be a "
          "floating point but you specified %s",
          name, oy_dtype_pytorch_name(self->dtype));
  return false;
}

OYI_CPU(exponential_) {
  if (!is_continuous(self, "Exponential")) return NULL;
  if (!(lambd > 0)) {
    OY_FAIL(INVALID_ARGUMENT, "exponential_ expects lambda > 0.0, but found lambda=%g",
            lambd);
    return NULL;
  }
  oyi_random r = {oyi_random_loops_here()->exponential, OY_DTYPE_F64, 2, lambd, 0, 0, 0};
  return oyi_random_fill(self, generator, &r);
}

OYI_CPU(cauchy_) {
  if (!is_continuous(self, "Cauchy")) return NULL;
  if (!(sigma > 0)) {
    OY_FAIL(INVALID_ARGUMENT, "cauchy_ expects sigma > 0.0, but found sigma=%g", sigma);
    return NULL;
  }
  oyi_random r = {cauchy, OY_DTYPE_F64, 2, median, sigma, 0, 0};
  return oyi_random_fill(self, generator, &r);
}
