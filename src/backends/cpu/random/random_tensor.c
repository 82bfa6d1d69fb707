// SPDX-License-Identifier: Apache-2.0
// Distributions whose parameters are tensors: normal, Poisson, binomial; and dropout.
#include <math.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/random/random_fill.h"
#include "ops/calls.h"
#include "ops/rules/rules.h"
#include "ops/rules/shape.h"
#include "tensor/element.h"
#include "tensor/iterator.h"

// -------------------------------------------------------------------- normal

static oy_status check_deviation(double std, const char* name) {
  OY_CHECK(std >= 0, INVALID_ARGUMENT, "%s expects std >= 0.0, but found std %g", name,
           std);
  return OY_OK;
}

OYI_CPU(normal_) {
  if (!oyi_tensor_of(self) || check_deviation(std, "normal") != 0) return NULL;
  if (oy_dtype_is_complex(self->dtype)) {
    // The parts share the variance.
    oy_object* parts = oyi_call_view_as_real(self);
    oy_object* done = oyi_call_normal_(parts, 0, std * M_SQRT1_2, generator);
    oy_tensor_release(parts);
    return done ? mean == 0 ? self : oyi_call_add__Scalar(self, oy_float(mean), oy_int(1))
                : NULL;
  }
  if (!oy_dtype_is_floating(self->dtype)) {
    OY_FAIL(NOT_IMPLEMENTED, "\"normal_kernel_cpu\" not implemented for '%s'",
            oy_dtype_pytorch_name(self->dtype));
    return NULL;
  }
  oyi_random r = oyi_random_normal(self->dtype, mean, std);
  return oyi_random_fill(self, generator, &r);
}

static oy_status check_deviations(oy_object* std) {
  const oyi_tensor* t = oyi_tensor_of(std);
  if (!t) return oy_failure();
  OY_CHECK(!oy_dtype_is_complex(std->dtype), TYPE_MISMATCH,
           "normal expects standard deviation to be non-complex");
  if (oyi_is_meta(t) || t->numel == 0) return OY_OK;
  oyi_tensor* numbers = oyi_converted(t, OY_DTYPE_F64);
  if (!numbers) return OY_OUT_OF_MEMORY;
  bool good = true;
  const double* d = oyi_data(numbers);
  for (int64_t i = 0; i < numbers->numel; i++) good = good && !(d[i] < 0);
  oy_tensor_release(&numbers->header);
  OY_CHECK(good, INVALID_ARGUMENT, "normal expects all elements of std >= 0.0");
  return OY_OK;
}

// |mean| and |std| may be NULL: then the number counts. |out| is resized to both.
static oy_object* normal_of(oy_object* out, oy_object* mean, double mean_number,
                            oy_object* std, double std_number, oy_value generator) {
  oyi_tensor* o = oyi_tensor_of(out);
  const oyi_tensor* a = o ? oyi_tensor_of(mean ? mean : std) : NULL;
  const oyi_tensor* b = a ? oyi_tensor_of(std ? std : mean) : NULL;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  size_t ndim;
  if (!b || (std && check_deviations(std) != 0) ||
      (!std && check_deviation(std_number, "normal") != 0) ||
      oyi_broadcast(oyi_sizes_view(a), oyi_sizes_view(b), sizes, &ndim) != 0 ||
      oyi_output_prepare(o, (oy_ints){sizes, ndim}, out->dtype, oyi_tensor_device(a)) !=
          0)
    return NULL;
  if (!oyi_call_normal_(out, 0, std ? 1 : std_number, generator)) return NULL;
  if (std && !oyi_call_mul__Tensor(out, std)) return NULL;
  return mean ? oyi_call_add__Tensor(out, mean, oy_int(1))
              : oyi_call_add__Scalar(out, oy_float(mean_number), oy_int(1));
}

static oy_object* normal_new(oy_object* like, oy_object* mean, double mean_number,
                             oy_object* std, double std_number, oy_value generator) {
  const oyi_tensor* t = oyi_tensor_of(like);
  if (!t) return NULL;
  oyi_tensor* made = oyi_tensor_new(OY_DIMS(0), like->dtype, oyi_tensor_device(t));
  if (!made) return NULL;
  return oyi_written(&made->header, normal_of(&made->header, mean, mean_number, std,
                                              std_number, generator));
}

OYI_CPU(normal_Tensor_float) {
  return normal_new(mean, mean, 0, NULL, std, generator);
}
OYI_CPU(normal_Tensor_float_out) {
  return normal_of(out, mean, 0, NULL, std, generator);
}
OYI_CPU(normal_float_Tensor) {
  return normal_new(std, NULL, mean, std, 0, generator);
}
OYI_CPU(normal_float_Tensor_out) {
  return normal_of(out, NULL, mean, std, 0, generator);
}
OYI_CPU(normal_Tensor_Tensor) {
  return normal_new(mean, mean, 0, std, 0, generator);
}
OYI_CPU(normal_Tensor_Tensor_out) {
  return normal_of(out, mean, 0, std, 0, generator);
}

// ------------------------------------------------------------------- Poisson

// Multiplies uniform numbers until they are below e^-rate (Knuth): two at a time, since no
// processor guesses after which one. A stream has no other use for the second.
static double poisson_small(double rate, oyi_stream* s) {
  const double limit = exp(-rate);
  double product = 1;
  int64_t k = 0;
  do {
    const double first = product * oyi_stream_unit(s);
    product = first * oyi_stream_unit(s);
    k += (first > limit) + (product > limit);
  } while (product > limit);
  return (double)k;
}

// Transformed rejection with a squeeze (Hormann, "The transformed rejection method for
// generating Poisson random variables", 1993: PTRS).
static double poisson_large(double rate, oyi_stream* s) {
  double root = sqrt(rate), log_rate = log(rate);
  double b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b;
  double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    double u = oyi_stream_unit(s) - 0.5, v = oyi_stream_unit(s), us = 0.5 - fabs(u);
    double k = floor((2 * a / us + b) * u + rate + 0.43);
    if (us >= 0.07 && v <= v_r) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (log(v) + log(inverse_alpha) - log(a / (us * us) + b) <=
        -rate + k * log_rate - lgamma(k + 1))
      return k;
  }
}

static double poisson_number(double rate, double unused, oyi_stream* s) {
  (void)unused;
  if (rate == 0) return 0;
  return rate < 10 ? poisson_small(rate, s) : poisson_large(rate, s);
}

// ------------------------------------------------------------------- binomial

// Counts how many geometric steps fit in the trials.
static double binomial_small(double count, double p, oyi_stream* s) {
  double sum = 0, log_q = log1p(-p);
  for (int64_t successes = 0;; successes++) {
    sum += ceil(log1p(-oyi_stream_unit(s)) / log_q);
    if (sum > count || successes >= (int64_t)count) return (double)successes;
  }
}

// Stirling's correction of log(k!).
static double stirling_tail(double k) {
  return lgamma(k + 1) - ((k + 0.5) * log(k + 1) - (k + 1) + 0.5 * log(2 * M_PI));
}

// Transformed rejection (Hormann, "The generation of binomial random variates", 1993:
// BTRS); for count * p of 10 and more, p up to 1/2.
static double binomial_large(double count, double p, oyi_stream* s) {
  double spread = sqrt(count * p * (1 - p)), b = 1.15 + 2.53 * spread;
  double a = -0.0873 + 0.0248 * b + 0.01 * p, c = count * p + 0.5;
  double v_r = 0.92 - 4.2 / b, alpha = (2.83 + 5.1 / b) * spread, r = p / (1 - p);
  double m = floor((count + 1) * p);
  for (;;) {
    double u = oyi_stream_unit(s) - 0.5, v = oyi_stream_unit(s), us = 0.5 - fabs(u);
    double k = floor((2 * a / us + b) * u + c);
    if (us >= 0.07 && v <= v_r) return k;
    if (k < 0 || k > count) continue;
    v = log(v * alpha / (a / (us * us) + b));
    double bound = (m + 0.5) * log((m + 1) / (r * (count - m + 1))) +
                   (count + 1) * log((count - m + 1) / (count - k + 1)) +
                   (k + 0.5) * log(r * (count - k + 1) / (k + 1)) + stirling_tail(m) +
                   stirling_tail(count - m) - stirling_tail(k) - stirling_tail(count - k);
    if (v <= bound) return k;
  }
}

static double binomial_number(double count, double p, oyi_stream* s) {
  if (!(count > 0) || !(p > 0)) return 0;
  if (p >= 1) return count;
  if (p > 0.5) return count - binomial_number(count, 1 - p, s);
  return count * p >= 10 ? binomial_large(count, p, s) : binomial_small(count, p, s);
}

// ------------------------------------------------ numbers of a stream each

oy_status oyi_random_numbers(const oyi_tensor* like, oyi_tensor* a, const oyi_tensor* b,
                             oy_value generator, oyi_random_number number) {
  oy_generator_state state;
  OY_TRY(
      oyi_generator_take(generator, oyi_tensor_device(like), (uint64_t)a->numel, &state));
  double* to = oyi_data(a);
  const double* with = oyi_data(b);
  // The first words of several streams at once: most numbers need no others. Streams begin
  // at 1: 0 is what numbers of fixed use are made from.
  enum { PIECE = 64, WORDS = 4 };
  uint32_t words[PIECE * WORDS];
  for (int64_t i = 0; i < a->numel; i++) {
    const int64_t at = i % PIECE, rest = a->numel - i;
    if (at == 0) oyi_philox(state, (uint64_t)i, 1, rest < PIECE ? rest : PIECE, words);
    oyi_stream s = oyi_stream_after(state, (uint64_t)i, 1, words + at * WORDS);
    to[i] = number(to[i], with[i], &s);
  }
  return OY_OK;
}

// A new tensor like |like|, which has been checked; |a| is replaced by the numbers.
static oy_object* numbers_of(const oyi_tensor* like, oyi_tensor* a, const oyi_tensor* b,
                             oy_value generator, oyi_random_number number) {
  if (oyi_random_numbers(like, a, b, generator, number) != 0) return NULL;
  return oyi_tensor_object(oyi_converted(a, like->header.dtype));
}

static bool is_float(oy_object* self, const char* name) {
  if (!oyi_tensor_of(self)) return false;
  if (oy_dtype_is_floating(self->dtype)) return true;
  OY_FAIL(NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", name,
          oy_dtype_pytorch_name(self->dtype));
  return false;
}

OYI_CPU(poisson) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t || !is_float(self, "poisson_cpu")) return NULL;
  oy_device device = oyi_tensor_device(t);
  if (oyi_is_meta(t))
    return oyi_tensor_object(oyi_tensor_new(oyi_sizes_view(t), self->dtype, device));
  oyi_tensor* rates = oyi_converted(t, OY_DTYPE_F64);
  const double* d = rates ? oyi_data(rates) : NULL;
  bool good = rates != NULL;
  for (int64_t i = 0; good && i < rates->numel; i++) good = d[i] >= 0;
  oy_object* result =
      good ? numbers_of(t, rates, rates, generator, poisson_number) : NULL;
  if (rates && !good)
    OY_FAIL(INVALID_ARGUMENT, "invalid Poisson rate, expected rate to be non-negative");
  oy_tensor_release(oyi_tensor_object(rates));
  return result;
}

OYI_CPU(binomial) {
  const oyi_tensor* t = oyi_tensor_of(count);
  const oyi_tensor* p = t ? oyi_tensor_of(prob) : NULL;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  size_t ndim;
  if (!p || !is_float(count, "binomial_cpu") || oyi_check_same_device(t, p) != 0 ||
      oyi_broadcast(oyi_sizes_view(t), oyi_sizes_view(p), sizes, &ndim) != 0)
    return NULL;
  oy_ints shape = {sizes, ndim};
  if (oyi_is_meta(t))
    return oyi_tensor_object(oyi_tensor_new(shape, count->dtype, oyi_tensor_device(t)));
  oy_object* counts = oy_tensor_expand(count, shape);
  oy_object* probs = counts ? oy_tensor_expand(prob, shape) : NULL;
  oyi_tensor* a = probs ? oyi_converted(oyi_tensor_cast(counts), OY_DTYPE_F64) : NULL;
  oyi_tensor* b = a ? oyi_converted(oyi_tensor_cast(probs), OY_DTYPE_F64) : NULL;
  oy_object* result = b ? numbers_of(t, a, b, generator, binomial_number) : NULL;
  oy_tensor_release(oyi_tensor_object(b));
  oy_tensor_release(oyi_tensor_object(a));
  oy_tensor_release(probs);
  oy_tensor_release(counts);
  return result;
}

// ------------------------------------------------------------------- dropout

// Both results at once: the mask of what stays, and the input with the rest zeroed.
static oy_status drop(oy_object* input, double p, oy_object** out, oy_object** mask) {
  oy_value none = oy_none();
  double stay = 1 - p;
  *mask = oyi_call_empty_like(input, oy_int(OY_DTYPE_BOOL), none, none, none, none);
  if (!*mask || !oyi_call_bernoulli__float(*mask, stay, oy_none())) return oy_failure();
  *out = oyi_call_mul_Tensor(input, *mask);
  oy_object* scaled = oyi_call_mul__Scalar(*out, oy_float(stay == 0 ? 0 : 1 / stay));
  return scaled ? OY_OK : oy_failure();
}

OYI_CPU(native_dropout) {
  const oyi_tensor* t = oyi_tensor_of(input);
  oy_value none = oy_none();
  oy_object *out = NULL, *mask = NULL;
  *out_0 = *out_1 = NULL;
  if (!t) return oy_failure();
  oy_status status;
  if (train.tag == OY_TAG_NONE || train.as.i) {
    status = drop(input, p, &out, &mask);
  } else {
    mask = oyi_call_ones_like(input, oy_int(OY_DTYPE_BOOL), none, none, none, none);
    out = mask ? oyi_call_clone(input, none) : NULL;
    status = out ? OY_OK : oy_failure();
  }
  if (status == 0) {
    *out_0 = out;
    *out_1 = mask;
    return OY_OK;
  }
  oy_tensor_release(out);
  oy_tensor_release(mask);
  return status;
}

OYI_CPU(native_dropout_backward) {
  oy_object* kept = oyi_call_mul_Tensor(grad_output, mask);
  oy_object* result = oyi_call_mul_Scalar(kept, oy_float(scale));
  oy_tensor_release(kept);
  return result;
}
