// SPDX-License-Identifier: Apache-2.0
#include "ops/rules/pool.h"

#include <stdio.h>

oy_status (*oyi_pool_lines)(const oyi_pool* p, const oyi_tensor* in, oyi_tensor* out);

#define DIMS(list) oyi_dims_print(list).text

static const char* count_name(size_t ndim) {
  return ndim == 2 ? "two" : "three";
}

static void spread(oy_ints list, size_t ndim, int64_t filler, int64_t* out) {
  for (size_t i = 0; i < OYI_SPATIAL; i++) {
    size_t missing = OYI_SPATIAL - ndim;
    out[i] = i < missing ? filler : list.data[list.size == 1 ? 0 : i - missing];
  }
}

static oy_status read_lists(const oyi_pool_call* call, oyi_pool* p) {
  const size_t n = call->ndim;
  const char* count = count_name(n);
  OY_CHECK(call->kernel.size == 1 || call->kernel.size == n, INVALID_ARGUMENT,
           "%s: kernel_size must either be a single int, or a tuple of %s ints",
           call->name, count);
  OY_CHECK(call->stride.size == 0 || call->stride.size == 1 || call->stride.size == n,
           INVALID_ARGUMENT,
           "%s: stride must either be omitted, a single int, or a tuple of %s ints",
           call->name, count);
  OY_CHECK(call->padding.size == 1 || call->padding.size == n, INVALID_ARGUMENT,
           "%s: padding must either be a single int, or a tuple of %s ints", call->name,
           count);
  static const int64_t one = 1;
  oy_ints dilation = call->dilation.data ? call->dilation : (oy_ints){&one, 1};
  OY_CHECK(dilation.size == 1 || dilation.size == n, INVALID_ARGUMENT,
           "%s: dilation must be either a single int, or a tuple of %s ints", call->name,
           count);
  spread(call->kernel, n, 1, p->kernel);
  spread(call->stride.size ? call->stride : call->kernel, n, 1, p->stride);
  spread(call->padding, n, 0, p->padding);
  spread(dilation, n, 1, p->dilation);
  return OY_OK;
}

// "kH: 2 kW: 2", for dimensions named |letters|.
static const char* named(const char* prefix, const int64_t* list, size_t ndim, char* room,
                         size_t size) {
  static const char letters[] = "THW";
  size_t at = 0;
  for (size_t i = OYI_SPATIAL - ndim; i < OYI_SPATIAL && at < size; i++)
    at += (size_t)snprintf(room + at, size - at, "%s%s%c: %lld",
                           i > OYI_SPATIAL - ndim ? " " : "", prefix, letters[i],
                           (long long)list[i]);
  return room;
}

// "1x2x2": channels and dimensions.
static const char* crossed(int64_t channels, const int64_t* list, size_t ndim, char* room,
                           size_t size) {
  size_t at = (size_t)snprintf(room, size, "%lld", (long long)channels);
  for (size_t i = OYI_SPATIAL - ndim; i < OYI_SPATIAL && at < size; i++)
    at += (size_t)snprintf(room + at, size - at, "x%lld", (long long)list[i]);
  return room;
}

static oy_status output_size(const oyi_pool* p, size_t i, bool ceil, int64_t* out) {
  const int64_t k = p->kernel[i], s = p->stride[i], pad = p->padding[i];
  const int64_t d = p->dilation[i], limit = INT64_MAX / 8;
  OY_CHECK(s != 0, INVALID_ARGUMENT, "stride should not be zero");
  OY_CHECK(pad >= 0, INVALID_ARGUMENT, "pad must be non-negative, but got pad: %lld",
           (long long)pad);
  int64_t reach;
  OY_CHECK(k > -limit && !__builtin_mul_overflow(d, k - 1, &reach) && reach < limit &&
               reach > -limit && pad < limit && s < limit && s > -limit,
           INVALID_ARGUMENT, "pool: kernel, stride or padding is too large");
  OY_CHECK(pad <= (reach + 1) / 2 || k <= 0 || d <= 0, INVALID_ARGUMENT,
           "pad should be at most half of effective kernel size, but got pad=%lld, "
           "kernel_size=%lld and dilation=%lld",
           (long long)pad, (long long)k, (long long)d);
  if (s < 0) return OY_OK;  // refused further on
  const int64_t room = p->in[i] + 2 * pad - reach - 1 + (ceil ? s - 1 : 0);
  *out = (room >= 0 ? room / s : -((s - 1 - room) / s)) + 1;
  if (ceil && (*out - 1) * s >= p->in[i] + pad) --*out;
  return OY_OK;
}

static bool any_below_one(const int64_t* list) {
  return list[0] < 1 || list[1] < 1 || list[2] < 1;
}

static oy_status check_numbers(const oyi_pool* p, size_t ndim) {
  char text[160];
  OY_CHECK(!any_below_one(p->kernel), INVALID_ARGUMENT,
           "kernel size should be greater than zero, but got %s",
           named("k", p->kernel, ndim, text, sizeof(text)));
  OY_CHECK(!any_below_one(p->stride), INVALID_ARGUMENT,
           "stride should be greater than zero, but got %s",
           named("d", p->stride, ndim, text, sizeof(text)));
  OY_CHECK(!any_below_one(p->dilation), INVALID_ARGUMENT,
           "dilation should be greater than zero, but got %s",
           named("dilation", p->dilation, ndim, text, sizeof(text)));
  return OY_OK;
}

static oy_status check_image(const oyi_pool_call* call, const oyi_tensor* t) {
  const size_t first = t->ndim - call->ndim - 1;
  bool empty = false;
  size_t which = 0;
  for (size_t i = t->ndim; i-- > first;)
    if (t->sizes[i] == 0) empty = true, which = i - first;
  if (call->ndim == 2)
    OY_CHECK(!empty, INVALID_ARGUMENT,
             "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for "
             "input, but got:%s",
             DIMS(oyi_sizes_view(t)));
  OY_CHECK(!empty, INVALID_ARGUMENT,
           "%s: Expected input's non-batch dimensions to have positive length, but input "
           "has a shape of %s and non-batch dimension %zu has length zero!",
           call->name, DIMS(oyi_sizes_view(t)), which);
  return OY_OK;
}

static oy_status check_output(const oyi_pool_call* call, const oyi_pool* p,
                              int64_t channels) {
  char in[120], out[120];
  if (call->ndim == 3 && !call->dilation.data && !call->ceil) {
    bool fits = true;
    for (size_t i = 0; i < OYI_SPATIAL; i++)
      fits = fits && p->in[i] + 2 * p->padding[i] >= p->kernel[i];
    OY_CHECK(fits, INVALID_ARGUMENT, "input image (%s) smaller than kernel size (%s)",
             named("", p->in, 3, in, sizeof(in)),
             named("k", p->kernel, 3, out, sizeof(out)));
  }
  OY_CHECK(!any_below_one(p->out), INVALID_ARGUMENT,
           "Given input size: (%s). Calculated output size: (%s). Output size is too "
           "small",
           crossed(channels, p->in, call->ndim, in, sizeof(in)),
           crossed(channels, p->out, call->ndim, out, sizeof(out)));
  return OY_OK;
}

// The sizes of the output: those of the input before, |out| behind.
static void fill_sizes(const oyi_tensor* t, size_t ndim, oyi_pool* p, int64_t* out) {
  p->planes = 1;
  for (size_t i = 0; i + ndim < t->ndim; i++) {
    out[i] = t->sizes[i];
    p->planes *= t->sizes[i];
  }
  memcpy(out + t->ndim - ndim, p->out + OYI_SPATIAL - ndim, ndim * sizeof(int64_t));
}

oy_status oyi_rule_pool(const oyi_pool_call* call, oyi_pool* out_pool,
                        int64_t* out_sizes) {
  const oyi_tensor* t = oyi_tensor_of(call->self);
  const size_t n = call->ndim;
  if (!t) return oy_failure();
  OY_TRY(read_lists(call, out_pool));
  OY_CHECK(t->ndim == n + 1 || t->ndim == n + 2, INVALID_ARGUMENT,
           "non-empty %zuD or %zuD (batch mode) tensor expected for input", n + 1, n + 2);
  spread((oy_ints){t->sizes + t->ndim - n, n}, n, 1, out_pool->in);
  for (size_t i = 0; i < OYI_SPATIAL; i++)
    OY_TRY(output_size(out_pool, i, call->ceil, &out_pool->out[i]));
  OY_TRY(check_numbers(out_pool, n));
  OY_TRY(check_image(call, t));
  OY_TRY(check_output(call, out_pool, t->sizes[t->ndim - n - 1]));
  fill_sizes(t, n, out_pool, out_sizes);
  return OY_OK;
}

oy_status oyi_rule_adaptive_pool(oy_object* self, oy_ints output_size_, size_t ndim,
                                 const char* name, oyi_pool* out_pool,
                                 int64_t* out_sizes) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_failure();
  const bool is_max = strstr(name, "max") != NULL;
  OY_CHECK(output_size_.size == ndim, INVALID_ARGUMENT,
           is_max ? "%s(): internal error: output_size.size() must be %zu"
                  : "%s: output_size must be %zu",
           name, ndim);
  OY_CHECK(t->ndim == ndim + 1 || t->ndim == ndim + 2, INVALID_ARGUMENT,
           "%s(): Expected %zuD or %zuD tensor, but got%s %s", name, ndim + 1, ndim + 2,
           is_max ? ":" : "", DIMS(oyi_sizes_view(t)));
  for (size_t i = t->ndim - ndim; i < t->ndim; i++)
    OY_CHECK(t->sizes[i] > 0, INVALID_ARGUMENT,
             "%s(): Expected input to have non-zero size for non-batch dimensions, but "
             "input has sizes %s with dimension %zu being empty",
             name, DIMS(oyi_sizes_view(t)), i);
  for (size_t i = 0; i < ndim; i++)
    OY_CHECK(
        output_size_.data[i] >= 0, INVALID_ARGUMENT,
        "%s: elements of output_size must be greater than or equal to 0 but received "
        "%s",
        name, DIMS(output_size_));
  *out_pool = (oyi_pool){.planes = 1};
  spread((oy_ints){t->sizes + t->ndim - ndim, ndim}, ndim, 1, out_pool->in);
  spread(output_size_, ndim, 1, out_pool->out);
  fill_sizes(t, ndim, out_pool, out_sizes);
  return OY_OK;
}
