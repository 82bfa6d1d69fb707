// SPDX-License-Identifier: Apache-2.0
// pixel_shuffle, pixel_unshuffle and channel_shuffle: dimensions taken apart, exchanged,
// and put together again by one copy.
#include <string.h>

#include "backends/cpu/kernels.h"
#include "ops/calls.h"
#include "ops/rules/rules.h"
#include "tensor/element.h"

// |self| as |parts|, in the |order| of dimensions that is given, then as |sizes|, in the memory
// format that |self| suggests.
static oy_object* shuffled(oy_object* self, oy_ints parts, oy_ints order, oy_ints sizes) {
  const oyi_options options = {self->dtype, oyi_tensor_device(oyi_tensor_cast(self))};
  oy_object* apart = oyi_call_reshape(self, parts);
  oy_object* turned = apart ? oyi_call_permute(apart, order) : NULL;
  oy_object* result = oyi_tensor_object(
      turned
          ? oyi_rule_empty(sizes, &options, oy_tensor_suggest_memory_format(self), NULL)
          : NULL);
  // Dimensions that are taken apart are a view of what lies in any way.
  oy_object* places = result ? oyi_call_view(result, oy_tensor_sizes(turned)) : NULL;
  if (!places) {
    oy_tensor_release(result);
    result = NULL;
  } else if (!oyi_is_meta(oyi_tensor_cast(places))) {
    oyi_convert(oyi_tensor_cast(places), oyi_tensor_cast(turned));
  }
  oy_tensor_release(places);
  oy_tensor_release(turned);
  oy_tensor_release(apart);
  return result;
}

static oy_status check_image(const oyi_tensor* t, int64_t factor, const char* name,
                             const char* direction) {
  OY_CHECK(t->ndim >= 3, INVALID_ARGUMENT,
           "%s expects input to have at least 3 dimensions, but got input with %u "
           "dimension(s)",
           name, t->ndim);
  OY_CHECK(t->ndim + 2 <= OY_TENSOR_MAX_DIMS, INVALID_ARGUMENT,
           "%s expects input to have at most %d dimensions, but got %u", name,
           OY_TENSOR_MAX_DIMS - 2, t->ndim);
  OY_CHECK(factor > 0, INVALID_ARGUMENT, "%s expects a positive %s_factor, but got %lld",
           name, direction, (long long)factor);
  return OY_OK;
}

// The batch dimensions of |t| in front of |behind|, five or three sizes, and likewise
// the numbers of the dimensions.
typedef struct plan {
  int64_t parts[OY_TENSOR_MAX_DIMS], order[OY_TENSOR_MAX_DIMS];
  int64_t sizes[OY_TENSOR_MAX_DIMS];
} plan;

static oy_object* run(oy_object* self, const int64_t parts[5], const int64_t order[5],
                      const int64_t sizes[3]) {
  const oyi_tensor* t = oyi_tensor_cast(self);
  const size_t batch = t->ndim - 3u;
  plan p;
  for (size_t i = 0; i < batch; i++) {
    p.parts[i] = p.sizes[i] = t->sizes[i];
    p.order[i] = (int64_t)i;
  }
  memcpy(p.parts + batch, parts, 5 * sizeof(int64_t));
  memcpy(p.sizes + batch, sizes, 3 * sizeof(int64_t));
  for (size_t i = 0; i < 5; i++) p.order[batch + i] = (int64_t)batch + order[i];
  return shuffled(self, (oy_ints){p.parts, batch + 5}, (oy_ints){p.order, batch + 5},
                  (oy_ints){p.sizes, batch + 3});
}

OYI_CPU(pixel_shuffle) {
  const oyi_tensor* t = oyi_tensor_of(self);
  const int64_t r = upscale_factor;
  if (!t || check_image(t, r, "pixel_shuffle", "upscale") != 0) return NULL;
  const int64_t* s = t->sizes + t->ndim - 3;
  int64_t square, high, wide;
  if (__builtin_mul_overflow(r, r, &square) || s[0] % square != 0) {
    OY_FAIL(
        INVALID_ARGUMENT,
        "pixel_shuffle expects its input's 'channel' dimension to be divisible by the "
        "square of upscale_factor, but input.size(-3)=%lld is not divisible by %lld",
        (long long)s[0], (long long)(r * (unsigned long long)r));
    return NULL;
  }
  if (__builtin_mul_overflow(s[1], r, &high) || __builtin_mul_overflow(s[2], r, &wide)) {
    OY_FAIL(INVALID_ARGUMENT, "pixel_shuffle: the result is too large");
    return NULL;
  }
  const int64_t channels = s[0] / square;
  return run(self, (int64_t[]){channels, r, r, s[1], s[2]}, (int64_t[]){0, 3, 1, 4, 2},
             (int64_t[]){channels, high, wide});
}

OYI_CPU(pixel_unshuffle) {
  const oyi_tensor* t = oyi_tensor_of(self);
  const int64_t r = downscale_factor;
  if (!t || check_image(t, r, "pixel_unshuffle", "downscale") != 0) return NULL;
  const int64_t* s = t->sizes + t->ndim - 3;
  for (int d = 1; d < 3; d++)
    if (s[d] % r != 0) {
      OY_FAIL(INVALID_ARGUMENT,
              "pixel_unshuffle expects %s to be divisible by downscale_factor, but "
              "input.size(%d)=%lld is not divisible by %lld",
              d == 1 ? "height" : "width", d - 3, (long long)s[d], (long long)r);
      return NULL;
    }
  int64_t channels;
  if (__builtin_mul_overflow(s[0], r, &channels) ||
      __builtin_mul_overflow(channels, r, &channels)) {
    OY_FAIL(INVALID_ARGUMENT, "pixel_unshuffle: the result is too large");
    return NULL;
  }
  return run(self, (int64_t[]){s[0], s[1] / r, r, s[2] / r, r},
             (int64_t[]){0, 2, 4, 1, 3}, (int64_t[]){channels, s[1] / r, s[2] / r});
}

static oy_object* shuffle_channels(oy_object* self, int64_t groups) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (t->ndim <= 2) {
    OY_FAIL(INVALID_ARGUMENT,
            "channel_shuffle expects input with > 2 dims, but got input with sizes %s",
            oyi_dims_print(oyi_sizes_view(t)).text);
    return NULL;
  }
  if (groups <= 0) {
    OY_FAIL(
        INVALID_ARGUMENT,
        "Number of groups to divide channels in must be positive. Value of groups:%lld",
        (long long)groups);
    return NULL;
  }
  const int64_t channels = t->sizes[1];
  if (channels % groups != 0) {
    OY_FAIL(INVALID_ARGUMENT,
            "Number of channels must be divisible by groups. Got %lld channels and %lld "
            "groups.",
            (long long)channels, (long long)groups);
    return NULL;
  }
  int64_t inner = 1;
  for (size_t d = 2; d < t->ndim; d++) inner *= t->sizes[d];
  return shuffled(self, OY_DIMS(t->sizes[0], groups, channels / groups, inner),
                  OY_DIMS(0, 2, 1, 3), oyi_sizes_view(t));
}
OYI_CPU(channel_shuffle) {
  return oyi_call_native_channel_shuffle(self, groups);
}
OYI_CPU(native_channel_shuffle) {
  return shuffle_channels(self, groups);
}
