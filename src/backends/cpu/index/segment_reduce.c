// SPDX-License-Identifier: Apache-2.0
// segment_reduce and its gradient: a dimension cut into segments, each of which gives one
// element. Lengths or offsets of segments differ from row to row of the dimensions before.
#include <math.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/staging.h"
#include "base/memory.h"
#include "ops/rules/reduction.h"
#include "ops/rules/rules.h"
#include "ops/rules/shape.h"
#include "tensor/element.h"

typedef enum kind { MAXIMUM, MEAN, MINIMUM, SUM, PRODUCT } kind;

typedef struct segments {
  oyi_tensor *data, *places;  // |places|: lengths, or offsets
  bool by_offsets, has_initial;
  kind what;
  double initial;
  int64_t axis, outer, inner, size, count;  // |size| elements in |count| segments
} segments;

// ---------------------------------------------------------------------------- checks

static oy_status read_kind(oy_str reduce, kind* out) {
  static const struct {
    const char* name;
    kind what;
  } kinds[] = {{"max", MAXIMUM},  {"amax", MAXIMUM}, {"mean", MEAN},   {"min", MINIMUM},
               {"amin", MINIMUM}, {"sum", SUM},      {"prod", PRODUCT}};
  for (size_t i = 0; i < OY_ARRAY_SIZE(kinds); i++)
    if (oy_str_equal(reduce, oy_str_of(kinds[i].name))) {
      *out = kinds[i].what;
      return OY_OK;
    }
  return OY_FAIL(INVALID_ARGUMENT,
                 "reduce argument must be either sum, prod, mean, amax or amin, got %.*s",
                 OY_STR_ARG(reduce));
}

static oy_status read_initial(segments* s, oy_value initial) {
  static const double none[] = {-INFINITY, 0, INFINITY, 0, 1};
  s->has_initial = initial.tag != OY_TAG_NONE;
  s->initial = none[s->what];
  return s->has_initial ? oyi_scalar_to_double(initial, &s->initial) : OY_OK;
}

static oy_status check_places(segments* s) {
  const oyi_tensor *t = s->data, *p = s->places;
  const char* name = s->by_offsets ? "offsets" : "lengths";
  OY_TRY(oyi_check_same_device(t, p));
  OY_CHECK(t->ndim >= p->ndim, INVALID_ARGUMENT,
           "segment_reduce(): expected %s of at most %u dimensions, got %u", name,
           t->ndim, p->ndim);
  OY_CHECK(s->axis == (int64_t)p->ndim - 1, INVALID_ARGUMENT,
           "segment_reduce(): Expected axis to be the last dimension of %s but got %lld.",
           name, (long long)s->axis);
  OY_CHECK(p->header.dtype == OY_DTYPE_I64 || p->header.dtype == OY_DTYPE_I32,
           NOT_IMPLEMENTED, "\"_segment_reduce_cpu_lengths\" not implemented for '%s'",
           oy_dtype_pytorch_name(p->header.dtype));
  const size_t axis = (size_t)s->axis;
  OY_CHECK(oyi_same_sizes((oy_ints){t->sizes, axis}, (oy_ints){p->sizes, axis}),
           INVALID_ARGUMENT,
           "segment_reduce(): expected %s of the sizes of data before axis, got %s for "
           "data of size %s",
           name, oyi_dims_print(oyi_sizes_view(p)).text,
           oyi_dims_print(oyi_sizes_view(t)).text);
  s->count = p->sizes[axis] - s->by_offsets;
  OY_CHECK(s->count >= 0, INVALID_ARGUMENT,
           "segment_reduce(): expected at least one offset in each row, got none");
  return OY_OK;
}

static oy_status read_segments(segments* s, oy_object* data, oy_str reduce,
                               oy_object* lengths, oy_object* offsets, int64_t axis,
                               oy_value initial) {
  *s = (segments){.data = oyi_tensor_of(data), .outer = 1, .inner = 1};
  if (!s->data) return oy_failure();
  const oyi_tensor* t = s->data;
  s->axis = oyi_dim_wrap(axis, t->ndim);
  if (s->axis < 0) return oy_failure();
  OY_CHECK(t->ndim > 0, INVALID_ARGUMENT,
           "segment_reduce(): expected data of at least one dimension, got none");
  OY_CHECK(!oy_object_is_none(lengths) || !oy_object_is_none(offsets), INVALID_ARGUMENT,
           "segment_reduce(): Either lengths or offsets must be defined.");
  s->by_offsets = !oy_object_is_none(offsets);
  OY_TRY(read_kind(reduce, &s->what));
  s->places = oyi_tensor_of(s->by_offsets ? offsets : lengths);
  if (!s->places) return oy_failure();
  OY_TRY(check_places(s));
  OY_TRY(read_initial(s, initial));
  if (!oy_dtype_is_floating(t->header.dtype))
    return oyi_not_for("_segment_reduce_cpu", t->header.dtype);
  s->size = t->sizes[s->axis];
  bool wraps = false;  // of no elements at all it may
  for (int64_t d = 0; d < t->ndim; d++)
    if (d != s->axis) {
      int64_t* count = d < s->axis ? &s->outer : &s->inner;
      wraps |= __builtin_mul_overflow(*count, t->sizes[d], count);
    }
  OY_CHECK(!wraps, INVALID_ARGUMENT,
           "segment_reduce(): expected fewer rows, got data of %s",
           oyi_dims_print(oyi_sizes_view(t)).text);
  OY_TRY(oyi_check_memory(s->places));
  return oyi_check_memory(t);
}

// ----------------------------------------------------------------------------- walks

// Where a segment begins and how long it is; |places| is a row of lengths or offsets and
// *at where the segment before ended.
static oy_status next_segment(const segments* s, const int64_t* places, int64_t i,
                              int64_t* at, int64_t* length) {
  const int64_t from = s->by_offsets ? places[i] : *at;
  OY_CHECK(from >= 0 && from <= s->size, INVALID_ARGUMENT,
           "segment_reduce(): expected segments inside of a dimension of size %lld, got "
           "one at %lld",
           (long long)s->size, (long long)from);
  OY_CHECK(s->by_offsets || places[i] >= 0, INVALID_ARGUMENT,
           "lengths contains negative value!");
  const int64_t room = s->size - from;
  const bool fits = s->by_offsets ? places[i + 1] >= from && places[i + 1] <= s->size
                                  : places[i] <= room;
  OY_CHECK(fits, INVALID_ARGUMENT,
           "segment_reduce(): expected segments inside of a dimension of size %lld, got "
           "%s %lld behind %lld",
           (long long)s->size, s->by_offsets ? "the end" : "a length of",
           (long long)places[s->by_offsets ? i + 1 : i], (long long)from);
  *length = s->by_offsets ? places[i + 1] - from : places[i];
  *at = from;
  return OY_OK;
}

// Without |unsafe| lengths make up all of the dimension.
static oy_status check_sums(const segments* s, const int64_t* lengths) {
  for (int64_t i = 0; i < s->outer * s->count; i++)
    OY_CHECK(lengths[i] >= 0, INVALID_ARGUMENT, "lengths contains negative value!");
  for (int64_t row = 0; row < s->outer; row++) {
    int64_t sum = 0;
    bool wraps = false;
    for (int64_t i = 0; i < s->count; i++)
      wraps |= __builtin_add_overflow(sum, lengths[row * s->count + i], &sum);
    OY_CHECK(!wraps && sum == s->size, INVALID_ARGUMENT,
             "segment_reduce(): Expected all rows of lengths along axis to sum to "
             "data.size(lengths.dim()-1) when !unsafe.");
  }
  return OY_OK;
}

static double reduced(const segments* s, const double* x, int64_t length) {
  double value = s->initial;
  for (int64_t k = 0; k < length; k++) {
    const double v = x[k * s->inner];
    switch (s->what) {
      case MAXIMUM: value = isnan(v) || v > value ? v : value; break;
      case MINIMUM: value = isnan(v) || v < value ? v : value; break;
      case PRODUCT: value *= v; break;
      default: value += v;
    }
    if (isnan(value) && s->what != PRODUCT) break;
  }
  if (s->what != MEAN) return value;
  if (length == 0) return s->has_initial ? value : NAN;
  return value / (double)length;
}

typedef void (*segment_fn)(const segments* s, const double* x, int64_t length, double* y,
                           const double* result, const double* grad);

static void reduce_segment(const segments* s, const double* x, int64_t length, double* y,
                           const double* result, const double* grad) {
  (void)result, (void)grad;
  *y = reduced(s, x, length);
}

// The product of all elements but |left|.
static double product_without(const segments* s, const double* x, int64_t length,
                              int64_t left) {
  double value = s->initial;
  for (int64_t k = 0; k < length; k++)
    if (k != left) value *= x[k * s->inner];
  return value;
}

static void spread_segment(const segments* s, const double* x, int64_t length, double* y,
                           const double* result, const double* grad) {
  const bool extreme = s->what == MAXIMUM || s->what == MINIMUM;
  int64_t shared = 0;
  for (int64_t k = 0; extreme && k < length; k++)
    shared += isnan(x[k * s->inner]) || x[k * s->inner] == *result;
  for (int64_t k = 0; k < length; k++) {
    const double v = x[k * s->inner];
    double* to = &y[k * s->inner];
    if (extreme)
      *to = isnan(v) || v == *result ? *grad / (double)shared : 0;
    else if (s->what == PRODUCT)
      *to = isnan(v) || v == 0 ? *grad * product_without(s, x, length, k)
                               : *grad * *result / v;
    else
      *to = s->what == MEAN ? *grad / (double)length : *grad;
  }
}

// |y| is the result, one for each segment, or, with |result| and |grad|, the gradient of
// |x|.
static oy_status walk(const segments* s, segment_fn each, const double* x,
                      const int64_t* places, double* y, const double* result,
                      const double* grad) {
  for (int64_t row = 0; row < s->outer; row++) {
    const int64_t* own = places + row * (s->count + s->by_offsets);
    int64_t at = 0, length = 0;
    for (int64_t i = 0; i < s->count; i++, at += length) {
      OY_TRY(next_segment(s, own, i, &at, &length));
      for (int64_t k = 0; k < s->inner; k++) {
        const int64_t from = (row * s->size + at) * s->inner + k;
        const int64_t to = (row * s->count + i) * s->inner + k;
        each(s, x + from, length, y + (grad ? from : to), result ? result + to : NULL,
             grad ? grad + to : NULL);
      }
    }
  }
  return OY_OK;
}

static oy_status compute(segments* s, bool is_checked, oyi_tensor* out,
                         oyi_tensor* result, oyi_tensor* grad) {
  oyi_tensor* const from[] = {s->data, s->places, result, grad};
  oyi_tensor* in[4] = {NULL};
  bool ready = true;
  for (int i = 0; i < 4 && ready; i++) {
    if (!from[i]) continue;
    in[i] = oyi_stage_in(from[i], i == 1 ? OY_DTYPE_I64 : OY_DTYPE_F64);
    ready = in[i];
  }
  oyi_tensor* y = ready ? oyi_stage_out(out, OY_DTYPE_F64) : NULL;
  oy_status status = y ? OY_OK : oy_failure();
  const int64_t* places = status == 0 ? oyi_data(in[1]) : NULL;
  if (status == 0 && is_checked && !s->by_offsets) status = check_sums(s, places);
  if (status == 0 && y->numel > 0) {
    if (grad) memset(oyi_data(y), 0, (size_t)y->numel * sizeof(double));
    status =
        walk(s, grad ? spread_segment : reduce_segment, oyi_data(in[0]), places,
             oyi_data(y), result ? oyi_data(in[2]) : NULL, grad ? oyi_data(in[3]) : NULL);
  }
  status = oyi_unstage(out, y, status);
  for (int i = 0; i < 4; i++) oy_tensor_release(oyi_tensor_object(in[i]));
  return status;
}

// -------------------------------------------------------------------------- operators

static oy_object* finish(oyi_tensor* out, oy_status status) {
  if (status == OY_OK) return &out->header;
  oy_tensor_release(&out->header);
  return NULL;
}

OYI_CPU(segment_reduce) {
  if (!oy_object_is_none(indices)) {
    OY_FAIL(NOT_IMPLEMENTED,
            "segment_reduce(): indices based reduction is not supported yet.");
    return NULL;
  }
  segments s;
  if (read_segments(&s, data, reduce, lengths, offsets, axis, initial) != 0) return NULL;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  memcpy(sizes, s.data->sizes, s.data->ndim * sizeof(int64_t));
  sizes[s.axis] = s.count;
  oyi_tensor* out = oyi_tensor_new((oy_ints){sizes, s.data->ndim}, data->dtype,
                                   oyi_tensor_device(s.data));
  if (!out || oyi_is_meta(out)) return oyi_tensor_object(out);
  return finish(out, compute(&s, !unsafe, out, NULL, NULL));
}

OYI_CPU(_segment_reduce_backward) {
  segments s;
  if (read_segments(&s, data, reduce, lengths, offsets, axis, initial) != 0) return NULL;
  oyi_tensor* g = oyi_tensor_of(grad);
  oyi_tensor* y = g ? oyi_tensor_of(output) : NULL;
  if (!y || oyi_check_same_device(s.data, g) != 0 ||
      oyi_check_same_device(s.data, y) != 0 || oyi_check_memory(g) != 0 ||
      oyi_check_memory(y) != 0)
    return NULL;
  bool fits = oyi_same_sizes(oyi_sizes_view(g), oyi_sizes_view(y)) &&
              g->ndim == s.data->ndim && oy_dtype_is_floating(grad->dtype) &&
              oy_dtype_is_floating(output->dtype);
  for (int64_t d = 0; fits && d < g->ndim; d++)
    fits = g->sizes[d] == (d == s.axis ? s.count : s.data->sizes[d]);
  if (!fits) {
    OY_FAIL(
        INVALID_ARGUMENT,
        "_segment_reduce_backward: expected grad and output of floats and of the sizes "
        "of the result, got %s and %s",
        oyi_dims_print(oyi_sizes_view(g)).text, oyi_dims_print(oyi_sizes_view(y)).text);
    return NULL;
  }
  oyi_tensor* out =
      oyi_tensor_new(oyi_sizes_view(s.data), data->dtype, oyi_tensor_device(s.data));
  if (!out || oyi_is_meta(out)) return oyi_tensor_object(out);
  return finish(out, compute(&s, false, out, y, g));
}
