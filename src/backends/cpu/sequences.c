// SPDX-License-Identifier: Apache-2.0
// Tensors whose elements go by their place. Each is computed from its index alone, in
// int64, double or complex double, a buffer at a time that is converted to the dtype.
// Buffers are filled by vector code where -O3 asks for it.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include <complex.h>
#include <math.h>

#include "backends/cpu/kernels.h"
#include "ops/rules/rules.h"
#include "ops/rules/shape.h"
#include "opyard/threads.h"
#include "tensor/element.h"
#include "tensor/iterator.h"

// A name that C takes for itself.
#undef I
#undef complex

enum { BUFFER = 256 };

typedef struct sequence {
  // Writes elements |first| to below |first| + |n|, as |work|.
  void (*fill)(const struct sequence* s, int64_t first, int64_t n, void* buffer);
  oy_dtype work;  // I64, F32, F64 or C128
  int64_t steps;
  int64_t int_start, int_step;
  double start, end, step, base;
  double _Complex complex_start, complex_end, complex_step, complex_base;
} sequence;

typedef struct filling {
  const sequence* s;
  oy_dtype dtype;
  char* to;
} filling;

static oy_status fill_range(int64_t begin, int64_t end, void* context) {
  const filling* f = context;
  const sequence* s = f->s;
  _Alignas(64) char buffer[BUFFER * 16];
  const int64_t item = oyi_dtype_bytes[f->dtype], from = oyi_dtype_bytes[s->work];
  char* to = f->to + begin * item;
  for (int64_t i = begin; i < end; i += BUFFER, to += BUFFER * item) {
    int64_t n = end - i < BUFFER ? end - i : BUFFER;
    s->fill(s, i, n, f->dtype == s->work ? to : buffer);
    if (f->dtype != s->work)
      oyi_convert_row(f->dtype, to, item, s->work, buffer, from, n);
  }
  return OY_OK;
}

static void fill_flat(const oyi_tensor* out, const sequence* s) {
  filling f = {s, out->header.dtype, oyi_data(out)};
  // Nothing in it can fail.
  (void)!oy_parallel_for(0, out->numel, OYI_ITER_GRAIN, fill_range, &f);
}

// Fills |out|, whatever its layout, in the order of its elements.
static oy_object* filled(oyi_tensor* out, const sequence* s) {
  if (oyi_is_meta(out) || out->numel == 0) return &out->header;
  if (!oyi_data(out)) {
    OY_FAIL(NOT_IMPLEMENTED, "a CPU kernel was given a tensor without data");
    return NULL;
  }
  if (out->flags & OYI_CONTIGUOUS) {
    fill_flat(out, s);
    return &out->header;
  }
  oyi_tensor* flat =
      oyi_tensor_new(oyi_sizes_view(out), out->header.dtype, oy_device_cpu());
  if (!flat) return NULL;
  fill_flat(flat, s);
  oyi_convert(out, flat);
  oy_tensor_release(&flat->header);
  return &out->header;
}

// A vector of |size|, unless there are as many elements already.
static oyi_tensor* sized(oy_object* out, int64_t size) {
  oyi_tensor* t = oyi_tensor_of(out);
  if (!t || oyi_output_check_overlap(t, NULL, 0) != 0) return NULL;
  if (t->numel == size) return t;
  return oyi_output_prepare(t, (oy_ints){&size, 1}, out->dtype, oyi_tensor_device(t)) == 0
             ? t
             : NULL;
}

static oy_status check_dtype(oy_object* out, const char* name, bool allow_complex) {
  if (!oyi_tensor_of(out)) return oy_failure();
  bool bad = out->dtype == OY_DTYPE_BOOL ||
             (!allow_complex && oy_dtype_is_complex(out->dtype)) ||
             oy_dtype_is_quantized(out->dtype);
  OY_CHECK(!bad, NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", name,
           oy_dtype_pytorch_name(out->dtype));
  return OY_OK;
}

static double real_of(oy_scalar s) {
  return oyi_number_of_scalar(s).re;
}
static int64_t int_of(oy_scalar s) {
  oyi_number n = oyi_number_of_scalar(s);
  int64_t i;
  oyi_element_store(OY_DTYPE_I64, &i, n);
  return i;
}

// ------------------------------------------------------------- arange and range

// Each vector is the one before and a step: products of 64 bits take several instructions.
typedef uint64_t numbers __attribute__((vector_size(16), aligned(8), may_alias));
static void fill_ints(const sequence* s, int64_t first, int64_t n, void* buffer) {
  enum { EACH = 2, VECTORS = 4, AT_ONCE = EACH * VECTORS };
  int64_t* to = buffer;
  const uint64_t step = (uint64_t)s->int_step;
  const uint64_t from = (uint64_t)s->int_start + step * (uint64_t)first;
  const uint64_t stride = AT_ONCE * step;
  numbers a = {from, from + step}, b = a + 2 * step, c = b + 2 * step, d = c + 2 * step;
  int64_t i = 0;
  for (; i + AT_ONCE <= n;
       i += AT_ONCE, a += stride, b += stride, c += stride, d += stride) {
    numbers* at = (numbers*)(void*)(to + i);
    at[0] = a;
    at[1] = b;
    at[2] = c;
    at[3] = d;
  }
  for (; i < n; i++) to[i] = (int64_t)(from + step * (uint64_t)i);
}
// Places are counted in double, in which they are exact: to convert each takes as long as all
// else.
typedef double places __attribute__((vector_size(16), aligned(8), may_alias));
static void fill_reals(const sequence* s, int64_t first, int64_t n, void* buffer) {
  enum { EACH = 2, VECTORS = 4, AT_ONCE = EACH * VECTORS };
  double* to = buffer;
  const double from = (double)first;
  const places start = {s->start, s->start}, step = {s->step, s->step};
  places a = {from, from + 1}, b = a + 2, c = a + 4, d = a + 6;
  int64_t i = 0;
  for (; i + AT_ONCE <= n;
       i += AT_ONCE, a += AT_ONCE, b += AT_ONCE, c += AT_ONCE, d += AT_ONCE) {
    places* at = (places*)(void*)(to + i);
    at[0] = start + step * a;
    at[1] = start + step * b;
    at[2] = start + step * c;
    at[3] = start + step * d;
  }
  for (; i < n; i++) to[i] = s->start + s->step * (double)(first + i);
}

static void begin(sequence* s, oy_object* out, oy_scalar start, oy_scalar end,
                  oy_scalar step) {
  bool ints = oy_dtype_is_integral(out->dtype, false);
  s->work = ints ? OY_DTYPE_I64 : OY_DTYPE_F64;
  s->fill = ints ? fill_ints : fill_reals;
  s->int_start = int_of(start);
  s->int_step = int_of(step);
  s->start = ints ? (double)s->int_start : real_of(start);
  s->end = ints ? (double)int_of(end) : real_of(end);
  s->step = ints ? (double)s->int_step : real_of(step);
}

static oy_status check_bounds(const sequence* s) {
  OY_CHECK(s->step > 0 || s->step < 0, INVALID_ARGUMENT, "step must be nonzero");
  OY_CHECK(isfinite(s->start) && isfinite(s->end), INVALID_ARGUMENT,
           "unsupported range: %g -> %g", s->start, s->end);
  OY_CHECK((s->step > 0 && s->end >= s->start) || (s->step < 0 && s->end <= s->start),
           INVALID_ARGUMENT, "upper bound and larger bound inconsistent with step sign");
  return OY_OK;
}

// The number of steps as a size.
static oy_status check_count(double count, int64_t* out) {
  *out = 0;
  OY_CHECK(count >= 0 && count < 0x1p63, INVALID_ARGUMENT,
           "invalid size, possible overflow?");
  *out = (int64_t)count;
  return OY_OK;
}

// Steps of an int64 range, exactly; those of smaller integers are counted as written.
static double int_steps(oy_scalar start, oy_scalar end, int64_t step) {
  __int128 distance = (__int128)int_of(end) - int_of(start);
  __int128 count = distance / step + (distance % step != 0);
  return (double)count;
}

OYI_CPU(arange_start_out) {
  sequence s;
  int64_t size;
  if (check_dtype(out, "arange_cpu", false) != 0) return NULL;
  begin(&s, out, start, end, step);
  if (check_bounds(&s) != 0) return NULL;
  double count = out->dtype == OY_DTYPE_I64
                     ? int_steps(start, end, s.int_step)
                     : ceil((real_of(end) - real_of(start)) / real_of(step));
  if (check_count(count, &size) != 0) return NULL;
  oyi_tensor* o = sized(out, size);
  return o ? filled(o, &s) : NULL;
}

OYI_CPU(range_out) {
  sequence s;
  int64_t size;
  if (check_dtype(out, "range_cpu", false) != 0) return NULL;
  begin(&s, out, start, end, step);
  if (check_bounds(&s) != 0) return NULL;
  if (check_count(floor((s.end - s.start) / s.step) + 1, &size) != 0) return NULL;
  oyi_tensor* o = sized(out, size);
  return o ? filled(o, &s) : NULL;
}

// ------------------------------------------------------- linspace and logspace

// Counted from the nearer end, so that both ends are met.
static void fill_spaced(const sequence* s, int64_t first, int64_t n, void* buffer) {
  double* to = buffer;
  for (int64_t i = 0; i < n; i++) {
    int64_t k = first + i, left = s->steps - 1 - k;
    to[i] = k < s->steps / 2 ? s->start + s->step * (double)k
                             : s->end - s->step * (double)left;
  }
}
// Places below 2^24 are floats; others are counted in double, each rounded once.
static void fill_spaced_single(const sequence* s, int64_t first, int64_t n,
                               void* buffer) {
  float* to = buffer;
  const float start = (float)s->start, end = (float)s->end, step = (float)s->step;
  const int64_t half = s->steps / 2 - first, rest = s->steps - 1 - first;
  const int32_t turn = half <= 0 ? 0 : half < n ? (int32_t)half : (int32_t)n;
  if (s->steps < 1 << 24) {
    const int32_t at = (int32_t)first, left = (int32_t)rest;
    for (int32_t i = 0; i < turn; i++) to[i] = start + step * (float)(at + i);
    for (int32_t i = turn; i < (int32_t)n; i++) to[i] = end - step * (float)(left - i);
    return;
  }
  const double from = (double)first, left = (double)rest;
  for (int32_t i = 0; i < turn; i++) to[i] = start + step * (float)(from + i);
  for (int32_t i = turn; i < (int32_t)n; i++) to[i] = end - step * (float)(left - i);
}
static void fill_spaced_complex(const sequence* s, int64_t first, int64_t n,
                                void* buffer) {
  double _Complex* to = buffer;
  for (int64_t i = 0; i < n; i++) {
    int64_t k = first + i, left = s->steps - 1 - k;
    to[i] = k < s->steps / 2 ? s->complex_start + s->complex_step * (double)k
                             : s->complex_end - s->complex_step * (double)left;
  }
}
static void fill_powers(const sequence* s, int64_t first, int64_t n, void* buffer) {
  double* to = buffer;
  fill_spaced(s, first, n, buffer);
  for (int64_t i = 0; i < n; i++) to[i] = pow(s->base, to[i]);
}
static void fill_powers_complex(const sequence* s, int64_t first, int64_t n,
                                void* buffer) {
  double _Complex* to = buffer;
  fill_spaced_complex(s, first, n, buffer);
  for (int64_t i = 0; i < n; i++) to[i] = cpow(s->complex_base, to[i]);
}

// CMPLX is C11, and clang has none with every C library.
static double _Complex complex_of(oyi_number n) {
  const union {
    double parts[2];
    double _Complex whole;
  } u = {{n.re, n.im}};
  return u.whole;
}

static void begin_spaced(sequence* s, oy_object* out, oy_scalar start, oy_scalar end,
                         int64_t steps) {
  _Alignas(16) char ends[2][16];
  oyi_element_store(out->dtype, ends[0], oyi_number_of_scalar(start));
  oyi_element_store(out->dtype, ends[1], oyi_number_of_scalar(end));
  oyi_number first = oyi_element_load(out->dtype, ends[0]);
  oyi_number last = oyi_element_load(out->dtype, ends[1]);
  if (steps == 1) {
    if (!oy_dtype_is_integral(out->dtype, false)) first = oyi_number_of_scalar(start);
    last = first;
  }
  double count = steps > 1 ? (double)(steps - 1) : 1;
  s->steps = steps;
  s->start = first.re;
  s->end = last.re;
  s->step = (s->end - s->start) / count;
  s->complex_start = complex_of(first);
  s->complex_end = complex_of(last);
  s->complex_step = (s->complex_end - s->complex_start) / count;
  if (out->dtype == OY_DTYPE_F32)
    s->step = (double)(((float)s->end - (float)s->start) / (float)count);
}

static oy_object* spaced(oy_object* out, sequence* s) {
  if (s->steps < 0) {
    OY_FAIL(INVALID_ARGUMENT, "number of steps must be non-negative");
    return NULL;
  }
  oyi_tensor* o = sized(out, s->steps);
  return o ? filled(o, s) : NULL;
}

OYI_CPU(linspace_out) {
  sequence s;
  if (check_dtype(out, "linspace_cpu", true) != 0) return NULL;
  begin_spaced(&s, out, start, end, steps);
  bool is_complex = oy_dtype_is_complex(out->dtype);
  bool is_single = out->dtype == OY_DTYPE_F32;
  s.work = is_complex ? OY_DTYPE_C128 : is_single ? OY_DTYPE_F32 : OY_DTYPE_F64;
  s.fill = is_complex  ? fill_spaced_complex
           : is_single ? fill_spaced_single
                       : fill_spaced;
  return spaced(out, &s);
}

OYI_CPU(logspace_out) {
  sequence s;
  if (check_dtype(out, "logspace_cpu", true) != 0) return NULL;
  begin_spaced(&s, out, start, end, steps);
  bool is_complex = oy_dtype_is_complex(out->dtype);
  s.base = base;
  s.complex_base = base;
  s.work = is_complex ? OY_DTYPE_C128 : OY_DTYPE_F64;
  s.fill = is_complex ? fill_powers_complex : fill_powers;
  return spaced(out, &s);
}

// --------------------------------------------------------------------- matrices

static oy_object* eye(int64_t n, int64_t m, oy_object* out) {
  oyi_tensor* t = oyi_tensor_of(out);
  if (!t) return NULL;
  if (n < 0 || m < 0) {
    OY_FAIL(INVALID_ARGUMENT, "%s must be greater or equal to 0, got %lld",
            n < 0 ? "n" : "m", (long long)(n < 0 ? n : m));
    return NULL;
  }
  if (oyi_output_prepare(t, OY_DIMS(n, m), out->dtype, oyi_tensor_device(t)) != 0)
    return NULL;
  if (oyi_is_meta(t) || t->numel == 0) return out;
  if (!oyi_data(t)) {
    OY_FAIL(NOT_IMPLEMENTED, "a CPU kernel was given a tensor without data");
    return NULL;
  }
  static const int64_t one[1] = {1};
  _Alignas(16) static const char zero[16];  // of every dtype
  int64_t item = oyi_item(t), step = (oyi_strides(t)[0] + oyi_strides(t)[1]) * item;
  char* data = oyi_data(t);
  if (t->flags & OYI_DENSE) {
    memset(data, 0, (size_t)(t->numel * item));
  } else {
    for (int64_t i = 0; i < n; i++)
      oyi_convert_row(out->dtype, data + i * oyi_strides(t)[0] * item,
                      oyi_strides(t)[1] * item, out->dtype, zero, 0, m);
  }
  oyi_convert_row(out->dtype, data, step, OY_DTYPE_I64, (const char*)one, 0,
                  n < m ? n : m);
  return out;
}

OYI_CPU(eye_out) {
  return eye(n, n, out);
}
OYI_CPU(eye_m_out) {
  return eye(n, m, out);
}

// Rows, then columns, of the elements of a triangle.
static void write_indices(oyi_tensor* t, int64_t rows, int64_t columns, int64_t offset,
                          bool lower) {
  const int64_t count = t->sizes[1];
  if (count == 0) return;  // and no memory, maybe
  int64_t *row = oyi_data(t), *column = row + count, *end = column;
  // Rows without an element are not walked: there may be 2^62 of them.
  int64_t first = !lower || offset >= 0 ? 0 : offset > INT64_MIN ? -offset : INT64_MAX;
  for (int64_t i = first; i < rows && row < end; i++) {
    int64_t limit = i + offset + (lower ? 1 : 0);
    limit = limit < 0 ? 0 : limit > columns ? columns : limit;
    int64_t last = lower ? limit : columns;
    for (int64_t k = lower ? 0 : limit; k < last; k++) *row++ = i, *column++ = k;
  }
}

static oy_object* indices(int64_t rows, int64_t columns, int64_t offset, bool lower,
                          const oyi_options* options) {
  oyi_options as_int = {OY_DTYPE_I64, options->device};
  oyi_tensor* t = oyi_rule_triangle_indices(rows, columns, &offset, lower, &as_int);
  if (!t) return NULL;
  write_indices(t, rows, columns, offset, lower);
  if (options->dtype == OY_DTYPE_I64) return &t->header;
  oyi_tensor* converted = oyi_converted(t, options->dtype);
  oy_tensor_release(&t->header);
  return oyi_tensor_object(converted);
}

#define INDICES(id, lower)                                                      \
  OYI_CPU(id) {                                                                 \
    oyi_options options;                                                        \
    if (oyi_options_read(dtype, layout, device, pin_memory, oy_dtype_default(), \
                         oy_device_cpu(), &options) != 0)                       \
      return NULL;                                                              \
    return indices(row, col, offset, lower, &options);                          \
  }
INDICES(tril_indices, true)
INDICES(triu_indices, false)
