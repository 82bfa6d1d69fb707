// SPDX-License-Identifier: Apache-2.0
#include "ops/rules/resample.h"

#include <stdio.h>

#define DIMS(list) oyi_dims_print(list).text

static const char g_letters[] = "DHW";

// "(W: 3)", "(H: 3, W: 3)"
static const char* named(const int64_t* list, size_t ndim, const char* between,
                         char* room, size_t size) {
  size_t at = 0;
  for (size_t i = OYI_SPATIAL - ndim; i < OYI_SPATIAL && at < size; i++)
    at += (size_t)snprintf(room + at, size - at, "%s%c: %lld",
                           i > OYI_SPATIAL - ndim ? between : "", g_letters[i],
                           (long long)list[i]);
  return room;
}

// ----------------------------------------------------------------------- padding

static oy_status check_pad_input(const oyi_tensor* t, size_t ndim) {
  bool good = t->ndim == ndim + 1 || t->ndim == ndim + 2;
  for (size_t i = t->ndim == ndim + 2; i < t->ndim; i++) good = good && t->sizes[i] > 0;
  OY_CHECK(
      good, INVALID_ARGUMENT,
      "Expected %zuD or %zuD (batch mode) tensor with possibly 0 batch size and other "
      "non-zero dimensions for input, but got: %s",
      ndim + 1, ndim + 2, DIMS(oyi_sizes_view(t)));
  return OY_OK;
}

static oy_status pad_one(const oyi_tensor* t, size_t dim, int64_t before, int64_t after,
                         bool reflects, int64_t* out) {
  const int64_t size = t->sizes[dim];
  OY_CHECK(!reflects || (before < size && after < size), INVALID_ARGUMENT,
           "Argument #%zu: Padding size should be less than the corresponding input "
           "dimension, but got: padding (%lld, %lld) at dimension %zu of input %s",
           4 + 2 * (t->ndim - 1 - dim), (long long)before, (long long)after, dim,
           DIMS(oyi_sizes_view(t)));
  OY_CHECK(!__builtin_add_overflow(size, before, out) &&
               !__builtin_add_overflow(*out, after, out),
           INVALID_ARGUMENT, "padding is too large");
  return OY_OK;
}

oy_status oyi_rule_image_pad(const oyi_tensor* t, oy_ints padding, size_t ndim,
                             bool reflects, oyi_resample* out, int64_t* out_sizes) {
  char have[80], made[80];
  bool fits = true;
  OY_CHECK(padding.size == 2 * ndim, INVALID_ARGUMENT,
           "padding size is expected to be %zu", 2 * ndim);
  OY_TRY(check_pad_input(t, ndim));
  *out = (oyi_resample){.ndim = ndim, .planes = 1, .in = {1, 1, 1}, .out = {1, 1, 1}};
  for (size_t i = 0; i + ndim < t->ndim; i++) {
    out_sizes[i] = t->sizes[i];
    out->planes *= t->sizes[i];
  }
  for (size_t k = 0; k < ndim; k++) {
    const size_t d = t->ndim - 1u - k, i = OYI_SPATIAL - 1 - k;
    out->in[i] = t->sizes[d];
    out->before[i] = padding.data[2 * k];
    OY_TRY(pad_one(t, d, padding.data[2 * k], padding.data[2 * k + 1], reflects,
                   &out->out[i]));
    out_sizes[d] = out->out[i];
    fits = fits && out->out[i] > 0;
  }
  OY_CHECK(fits, INVALID_ARGUMENT, "input (%s) is too small. Calculated output %s",
           named(out->in, ndim, " ", have, sizeof(have)),
           named(out->out, ndim, " ", made, sizeof(made)));
  return OY_OK;
}

// -------------------------------------------------------------------- upsampling

oy_status oyi_rule_upsample(oy_ints input_size, oy_ints output_size, size_t ndim,
                            oyi_resample* out, int64_t* out_sizes) {
  char have[80], made[80];
  bool good = true;
  OY_CHECK(output_size.size == ndim, INVALID_ARGUMENT,
           "It is expected output_size equals to %zu, but got size %zu", ndim,
           output_size.size);
  OY_CHECK(input_size.size == ndim + 2, INVALID_ARGUMENT,
           "It is expected input_size equals to %zu, but got size %zu", ndim + 2,
           input_size.size);
  *out = (oyi_resample){.ndim = ndim, .in = {1, 1, 1}, .out = {1, 1, 1}};
  out_sizes[0] = input_size.data[0];
  out_sizes[1] = input_size.data[1];
  OY_CHECK(!__builtin_mul_overflow(out_sizes[0], out_sizes[1], &out->planes),
           INVALID_ARGUMENT, "numel: integer multiplication overflow: %s",
           DIMS(input_size));
  for (size_t i = 0; i < ndim; i++) {
    size_t at = OYI_SPATIAL - ndim + i;
    out->in[at] = input_size.data[i + 2];
    out->out[at] = out_sizes[i + 2] = output_size.data[i];
    good = good && out->in[at] > 0 && out->out[at] > 0;
  }
  OY_CHECK(good, INVALID_ARGUMENT,
           "Input and output sizes should be greater than 0, but got input (%s)%s output "
           "(%s)",
           named(out->in, ndim, ", ", have, sizeof(have)), ndim == 1 ? " and" : "",
           named(out->out, ndim, ", ", made, sizeof(made)));
  OY_CHECK(input_size.data[1] > 0, INVALID_ARGUMENT,
           "Non-empty %zuD data tensor expected but got a tensor with sizes %s", ndim + 2,
           DIMS(input_size));
  return OY_OK;
}
