// SPDX-License-Identifier: Apache-2.0
// Random numbers that are composed: an empty tensor, filled in place.
#include <math.h>

#include "ops/calls.h"
#include "ops/composite/held.h"
#include "ops/kernels.h"
#include "ops/made.h"
#include "ops/rules/rules.h"

#define NO_GENERATOR oy_none()

static oy_object* uniform(oy_object* made, oy_value generator) {
  OYI_MADE(made, oyi_call_uniform_(made, 0, 1, generator));
}
static oy_object* normal(oy_object* made, double mean, double std, oy_value generator) {
  OYI_MADE(made, oyi_call_normal_(made, mean, std, generator));
}
static oy_object* integers(oy_object* made, int64_t low, int64_t high,
                           oy_value generator) {
  OYI_MADE(made, oyi_call_random__from(made, low, oy_int(high), generator));
}

#define EMPTY \
  oyi_call_empty_memory_format(size, dtype, layout, device, pin_memory, oy_none())
#define LIKE    oyi_call_empty_like(self, dtype, layout, device, pin_memory, memory_format)
#define OPTIONS dtype, layout, device, pin_memory

OYI_COMPOSITE(rand) {
  return oyi_call_rand_generator(size, NO_GENERATOR, OPTIONS);
}
OYI_COMPOSITE(rand_generator) {
  return uniform(EMPTY, generator);
}
OYI_COMPOSITE(rand_like) {
  return uniform(LIKE, NO_GENERATOR);
}
OYI_COMPOSITE(randn) {
  return oyi_call_randn_generator(size, NO_GENERATOR, OPTIONS);
}
OYI_COMPOSITE(randn_generator) {
  return normal(EMPTY, 0, 1, generator);
}
OYI_COMPOSITE(randn_like) {
  return normal(LIKE, 0, 1, NO_GENERATOR);
}
OYI_COMPOSITE(normal_float_float) {
  return normal(EMPTY, mean, std, generator);
}
OYI_COMPOSITE(randint) {
  return oyi_call_randint_low_generator(0, high, size, NO_GENERATOR, OPTIONS);
}
OYI_COMPOSITE(randint_generator) {
  return oyi_call_randint_low_generator(0, high, size, generator, OPTIONS);
}
OYI_COMPOSITE(randint_low) {
  return oyi_call_randint_low_generator(low, high, size, NO_GENERATOR, OPTIONS);
}
OYI_COMPOSITE(randint_low_generator) {
  return integers(EMPTY, low, high, generator);
}
OYI_COMPOSITE(randint_like) {
  return integers(LIKE, 0, high, NO_GENERATOR);
}
OYI_COMPOSITE(randint_like_low_dtype) {
  return integers(LIKE, low, high, NO_GENERATOR);
}
OYI_COMPOSITE(randperm) {
  return oyi_call_randperm_generator(n, NO_GENERATOR, OPTIONS);
}
OYI_COMPOSITE(randperm_generator) {
  if (n < 0) {
    OY_FAIL(INVALID_ARGUMENT, "n must be non-negative, got%lld", (long long)n);
    return NULL;
  }
  oy_ints size = {&n, 1};
  oy_object* made = EMPTY;
  OYI_MADE(made, oyi_call_randperm_generator_out(n, generator, made));
}

// ----------------------------------------------------------------- out= forms

// |out| with another size, for what is to be filled.
static oy_object* sized(oy_object* out, oy_ints size) {
  return oyi_call_resize_(out, size, oy_none());
}

OYI_COMPOSITE(rand_out) {
  return oyi_call_uniform_(sized(out, size), 0, 1, NO_GENERATOR);
}
OYI_COMPOSITE(rand_generator_out) {
  return oyi_call_uniform_(sized(out, size), 0, 1, generator);
}
OYI_COMPOSITE(randn_out) {
  return oyi_call_normal_(sized(out, size), 0, 1, NO_GENERATOR);
}
OYI_COMPOSITE(randn_generator_out) {
  return oyi_call_normal_(sized(out, size), 0, 1, generator);
}
OYI_COMPOSITE(normal_float_float_out) {
  return oyi_call_normal_(sized(out, size), mean, std, generator);
}
OYI_COMPOSITE(randint_out) {
  return oyi_call_random__from(sized(out, size), 0, oy_int(high), NO_GENERATOR);
}
OYI_COMPOSITE(randint_generator_out) {
  return oyi_call_random__from(sized(out, size), 0, oy_int(high), generator);
}
OYI_COMPOSITE(randint_low_out) {
  return oyi_call_random__from(sized(out, size), low, oy_int(high), NO_GENERATOR);
}
OYI_COMPOSITE(randint_low_generator_out) {
  return oyi_call_random__from(sized(out, size), low, oy_int(high), generator);
}
OYI_COMPOSITE(randperm_out) {
  return oyi_call_randperm_generator_out(n, NO_GENERATOR, out);
}

// Like |out| but for its layout and size.
#define OF_OUT oy_int(out->dtype), oy_none(), oy_none(), oy_none(), memory_format
#define LIKE_OUT(id, call)                \
  OYI_COMPOSITE(id) {                     \
    if (!oyi_tensor_of(out)) return NULL; \
    return oyi_stored(out, call);         \
  }
LIKE_OUT(rand_like_out, oyi_call_rand_like(self, OF_OUT))
LIKE_OUT(randn_like_out, oyi_call_randn_like(self, OF_OUT))
LIKE_OUT(randint_like_out, oyi_call_randint_like(self, high, OF_OUT))
LIKE_OUT(randint_like_low_dtype_out,
         oyi_call_randint_like_low_dtype(self, low, high, OF_OUT))

// ------------------------------------------------------------ functional forms

OYI_WRITTEN_COPY(uniform, uniform_, from, to, generator)
OYI_WRITTEN_COPY(normal_functional, normal_, mean, std, generator)
OYI_WRITTEN_COPY(random, random_, generator)
OYI_WRITTEN_COPY(random_to, random__to, to, generator)
OYI_WRITTEN_COPY(random_from, random__from, from, to, generator)
OYI_WRITTEN_COPY(exponential, exponential_, lambd, generator)
OYI_WRITTEN_COPY(geometric, geometric_, p, generator)
OYI_WRITTEN_COPY(log_normal, log_normal_, mean, std, generator)
OYI_WRITTEN_COPY(cauchy, cauchy_, median, sigma, generator)
OYI_WRITTEN_COPY(bernoulli_p, bernoulli__float, p, generator)
OYI_WRITTEN_COPY(bernoulli_Tensor, bernoulli__Tensor, p, generator)

OYI_COMPOSITE(bernoulli) {
  oy_value none = oy_none();
  oy_object* made =
      oyi_call_empty_like(self, none, none, none, none, oy_int(OY_MEMORY_CONTIGUOUS));
  OYI_MADE(made, oyi_call_bernoulli_out(self, generator, made));
}

OYI_STORED(uniform_out, uniform)
OYI_STORED(normal_out, normal_functional)
OYI_STORED(random_out, random)
OYI_STORED(random_to_out, random_to)
OYI_STORED(random_from_out, random_from)
OYI_STORED(exponential_out, exponential)
OYI_STORED(geometric_out, geometric)
OYI_STORED(log_normal_out, log_normal)
OYI_STORED(cauchy_out, cauchy)
OYI_STORED(bernoulli_float_out, bernoulli_p)
OYI_STORED(bernoulli_Tensor_out, bernoulli_Tensor)
OYI_STORED(poisson_out, poisson)
OYI_STORED(binomial_out, binomial)
OYI_STORED(_standard_gamma_out, _standard_gamma)
OYI_STORED(_standard_gamma_grad_out, _standard_gamma_grad)
OYI_STORED(_sample_dirichlet_out, _sample_dirichlet)
OYI_STORED(_dirichlet_grad_out, _dirichlet_grad)

// -------------------------------------------------------------------- dropout

OYI_STORED(native_dropout_backward_out, native_dropout_backward)

OYI_COMPOSITE(native_dropout_out) {
  oy_object *result, *mask;
  OY_TRY(oyi_call_native_dropout(input, p, train, &result, &mask));
  bool good = oyi_stored(out0, result) != NULL;
  good = oyi_stored(out1, mask) && good;
  if (!good) return oy_failure();
  *out_0 = out0;
  *out_1 = out1;
  return OY_OK;
}

// Zeros with probability |p|, else ones. |by_channel|: one number for a channel.
static oy_object* drawn(const oyi_tensor* t, double p, bool by_channel) {
  oy_object* self = oyi_tensor_object(t);
  oy_value none = oy_none();
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  for (size_t i = 0; i < t->ndim; i++) sizes[i] = i < 2 ? t->sizes[i] : 1;
  if (by_channel && t->ndim < 2) {
    OY_FAIL(INVALID_ARGUMENT,
            "Feature dropout requires at least 2 dimensions in the input");
    return NULL;
  }
  oy_object* made = by_channel ? oyi_call_new_empty(self, (oy_ints){sizes, t->ndim}, none,
                                                    none, none, none)
                               : oyi_call_empty_like(self, none, none, none, none, none);
  if (!made) return NULL;
  return oyi_written(made, oyi_call_bernoulli__float(made, 1 - p, NO_GENERATOR));
}
// What the input is multiplied with: zeros, and what makes up for them.
static oy_object* noise(const oyi_tensor* t, double p, bool by_channel) {
  oy_object* made = drawn(t, p, by_channel);
  if (!made) return NULL;
  return oyi_written(made, oyi_call_div__Scalar(made, oy_float(1 - p)));
}

static oy_object* dropout(oy_object* input, double p, bool train, bool by_channel,
                          bool in_place) {
  const oyi_tensor* t = oyi_tensor_of(input);
  if (!t) return NULL;
  if (!(p >= 0 && p <= 1)) {
    OY_FAIL(INVALID_ARGUMENT, "dropout probability has to be between 0 and 1, but got %g",
            p);
    return NULL;
  }
  if (p == 0 || !train || t->numel == 0)
    return in_place ? input : oy_tensor_retain(input);
  oy_value none = oy_none();
  oy_object* factor =
      p == 1 ? oyi_call_new_zeros(input, oy_dims_none(), none, none, none, none)
             : noise(t, p, by_channel);
  oy_object* result =
      in_place ? oyi_call_mul__Tensor(input, factor) : oyi_call_mul_Tensor(input, factor);
  oy_tensor_release(factor);
  return result;
}

OYI_COMPOSITE(dropout) {
  return dropout(input, p, train, false, false);
}
OYI_COMPOSITE(dropout_) {
  return dropout(self, p, train, false, true);
}
OYI_COMPOSITE(feature_dropout) {
  return dropout(input, p, train, true, false);
}
OYI_COMPOSITE(feature_dropout_) {
  return dropout(self, p, train, true, true);
}

// What is left out becomes what selu gives for -infinity; mean and variance stay as they
// are (Klambauer and others, 2017).
static oy_object* alpha_dropout(oy_object* input, double p, bool train, bool by_channel,
                                bool in_place) {
  static const double alpha = 1.7580993408473766;  // of selu, times its scale
  const oyi_tensor* t = oyi_tensor_of(input);
  // The same as any dropout where nothing or everything goes.
  if (!t || !(p > 0 && p < 1) || !train || t->numel == 0)
    return dropout(input, p, train, by_channel, in_place);
  const double a = 1 / sqrt((alpha * alpha * p + 1) * (1 - p));
  oyi_held h = {0};
  oy_object* mask = oyi_hold(&h, drawn(t, p, by_channel));
  oy_object* shift = mask ? oyi_call_add_Scalar(mask, oy_int(-1), oy_int(1)) : NULL;
  if (oyi_hold(&h, shift)) shift = oyi_call_mul__Scalar(shift, oy_float(alpha * a));
  if (shift) shift = oyi_call_add__Scalar(shift, oy_float(alpha * a * p), oy_int(1));
  oy_object* factor = shift ? oyi_call_mul__Scalar(mask, oy_float(a)) : NULL;
  if (!factor) return oyi_held_end(&h, NULL);
  oy_object* scaled =
      in_place ? oyi_call_mul__Tensor(input, factor) : oyi_call_mul_Tensor(input, factor);
  oy_object* result = scaled ? oyi_call_add__Tensor(scaled, shift, oy_int(1)) : NULL;
  if (scaled && !result && !in_place) oy_tensor_release(scaled);
  return oyi_held_end(&h, result);
}
OYI_COMPOSITE(alpha_dropout) {
  return alpha_dropout(input, p, train, false, false);
}
OYI_COMPOSITE(alpha_dropout_) {
  return alpha_dropout(self, p, train, false, true);
}
OYI_COMPOSITE(feature_alpha_dropout) {
  return alpha_dropout(input, p, train, true, false);
}
OYI_COMPOSITE(feature_alpha_dropout_) {
  return alpha_dropout(self, p, train, true, true);
}
