// SPDX-License-Identifier: Apache-2.0
// Fourier transforms by name: shapes, dtypes and factors for the three that compute.
#include "ops/composite/composite.h"
#include "ops/composite/held.h"
#include "ops/made.h"
#include "ops/out.h"
#include "ops/rules/shape.h"

#define HOLD(...) oyi_hold(&h, __VA_ARGS__)

// ------------------------------------------------------------------------ arguments

// The factor of a transform: none, by the root of the elements, by all of them.
static oy_status read_norm(oy_value norm, bool forward, int64_t* out) {
  oy_str name = norm.tag == OY_TAG_NONE ? oy_str_of("backward")
                                        : (oy_str){norm.as.chars, norm.count};
  if (oy_str_equal(name, oy_str_of("backward")))
    *out = forward ? 0 : 2;
  else if (oy_str_equal(name, oy_str_of("forward")))
    *out = forward ? 2 : 0;
  else if (oy_str_equal(name, oy_str_of("ortho")))
    *out = 1;
  else
    return OY_FAIL(INVALID_ARGUMENT, "Invalid normalization mode: \"%.*s\"",
                   OY_STR_ARG(name));
  return OY_OK;
}

static oy_object* not_transformed(oy_dtype dtype) {
  OY_FAIL(TYPE_MISMATCH, "Unsupported dtype %s", oy_dtype_pytorch_name(dtype));
  return NULL;
}

// |self| in a dtype that is transformed: integers as floats; complex if |complex|.
static oy_object* promoted(oy_object* self, bool complex) {
  if (!oyi_tensor_of(self)) return NULL;
  oy_dtype d = self->dtype, to = d;
  if (!oy_dtype_is_complex(d)) {
    if (!oy_dtype_is_floating(d)) d = to = oy_dtype_default();
    if (d != OY_DTYPE_F32 && d != OY_DTYPE_F64) return not_transformed(d);
    if (complex) to = d == OY_DTYPE_F32 ? OY_DTYPE_C64 : OY_DTYPE_C128;
  } else if (d != OY_DTYPE_C64 && d != OY_DTYPE_C128) {
    return not_transformed(d);
  }
  if (to == self->dtype) return oy_tensor_retain(self);
  return oyi_call_to_dtype(self, to, false, false, oy_none());
}

typedef struct signal {
  size_t count;  // dimensions that are transformed
  int64_t dims[OY_TENSOR_MAX_DIMS], sizes[OY_TENSOR_MAX_DIMS];
} signal;

static oy_status check_size(int64_t size) {
  OY_CHECK(size >= 1, INVALID_ARGUMENT, "Invalid number of data points (%lld) specified",
           (long long)size);
  return OY_OK;
}

static oy_status read_one(const oyi_tensor* t, oy_value n, int64_t dim, signal* s) {
  // A 0-d tensor has no dimension to transform.
  OY_CHECK(t->ndim > 0, OUT_OF_RANGE,
           "Dimension specified as %lld but tensor has no dimensions", (long long)dim);
  s->count = 1;
  s->dims[0] = oyi_dim_wrap(dim, t->ndim);
  if (s->dims[0] < 0) return oy_failure();
  s->sizes[0] = n.tag == OY_TAG_NONE ? t->sizes[s->dims[0]] : n.as.i;
  return OY_OK;
}

static oy_status read_dims(const oyi_tensor* t, oy_ints dim, signal* s) {
  s->count = dim.size;
  for (size_t i = 0; i < dim.size; i++) {
    OY_CHECK(i < OY_TENSOR_MAX_DIMS, INVALID_ARGUMENT, "FFT dims must be unique");
    s->dims[i] = oyi_dim_wrap(dim.data[i], t->ndim);
    if (s->dims[i] < 0) return oy_failure();
    for (size_t k = 0; k < i; k++)
      OY_CHECK(s->dims[k] != s->dims[i], INVALID_ARGUMENT, "FFT dims must be unique");
  }
  return OY_OK;
}

static oy_status read_many(const oyi_tensor* t, oy_ints sizes, oy_ints dim, signal* s) {
  if (dim.data) OY_TRY(read_dims(t, dim, s));
  if (sizes.data) {
    OY_CHECK(!dim.data || dim.size == sizes.size, INVALID_ARGUMENT,
             "When given, dim and shape arguments must have the same length");
    OY_CHECK(sizes.size <= t->ndim, INVALID_ARGUMENT,
             "Got shape with %zu values but input tensor only has %u dimensions.",
             sizes.size, t->ndim);
  }
  if (!dim.data) {
    s->count = sizes.data ? sizes.size : t->ndim;
    for (size_t i = 0; i < s->count; i++) s->dims[i] = (int64_t)(t->ndim - s->count + i);
  }
  for (size_t i = 0; i < s->count; i++) {
    const int64_t own = t->sizes[s->dims[i]];
    s->sizes[i] = sizes.data && sizes.data[i] != -1 ? sizes.data[i] : own;
    OY_TRY(check_size(s->sizes[i]));
  }
  return OY_OK;
}

// How long a signal is of which the first |half| numbers are there.
static oy_status whole_of(int64_t half, int64_t* out_size) {
  OY_CHECK(!__builtin_mul_overflow(2, half - 1, out_size), INVALID_ARGUMENT,
           "expected at most 2^62 data points of half a signal, got %lld",
           (long long)half);
  return OY_OK;
}

// |self|, cut or filled up with zeros; a new reference.
static oy_object* resized(oy_object* self, const signal* s) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  int64_t pad[2 * OY_TENSOR_MAX_DIMS] = {0};
  bool is_short = false;
  oy_object* cut = oy_tensor_retain(self);
  for (size_t i = 0; cut && i < s->count; i++) {
    const int64_t d = s->dims[i], own = t->sizes[d], size = s->sizes[i];
    if (own < size) pad[2 * (t->ndim - 1 - d) + 1] = size - own, is_short = true;
    if (own <= size) continue;
    oy_object* next = oyi_call_slice_Tensor(cut, d, oy_int(0), oy_int(size), 1);
    oy_tensor_release(cut);
    cut = next;
  }
  if (!cut || !is_short) return cut;
  OYI_LAST_USE(
      whole, cut,
      oyi_call_constant_pad_nd(whole, (oy_ints){pad, 2 * (size_t)t->ndim}, oy_int(0)));
}
static oy_object* of_resized(oy_object* self, const signal* s) {
  oy_object* result = self ? resized(self, s) : NULL;
  oy_tensor_release(self);
  return result;
}
static oy_ints dims_of(const signal* s) {
  return (oy_ints){s->dims, s->count};
}
static oy_object* of_conj(oy_object* self) {
  oy_object* result = self ? oyi_call_conj_physical(self) : NULL;
  oy_tensor_release(self);
  return result;
}

static oy_object* not_real(const char* name, const char* what, oy_dtype dtype) {
  OY_FAIL(TYPE_MISMATCH, "%s expects a %s input tensor, but got %s", name, what,
          oy_dtype_pytorch_name(dtype));
  return NULL;
}

// ------------------------------------------------------------------- one dimension

// Floats or complex numbers of the length that is asked for, a new reference; *out_factor is
// what the transform multiplies by.
static oy_object* prepared_1d(oy_object* self, oy_value n, int64_t dim, oy_value norm,
                              bool forward, signal* s, int64_t* out_factor) {
  oy_object* x = promoted(self, false);
  if (x && read_one(oyi_tensor_cast(x), n, dim, s) == 0 && check_size(s->sizes[0]) == 0 &&
      read_norm(norm, forward, out_factor) == 0)
    return of_resized(x, s);
  oy_tensor_release(x);
  return NULL;
}

// From any numbers to complex ones.
static oy_object* complex_1d(oy_object* self, oy_value n, int64_t dim, oy_value norm,
                             bool forward) {
  signal s;
  int64_t factor;
  oy_object* x = prepared_1d(self, n, dim, norm, forward, &s, &factor);
  if (!x) return NULL;
  oy_object* result;
  if (oy_dtype_is_complex(x->dtype)) {
    result = oyi_call__fft_c2c(x, dims_of(&s), factor, forward);
  } else {
    result = oyi_call__fft_r2c(x, dims_of(&s), factor, false);
    // The transform of real numbers is forward.
    if (!forward) result = of_conj(result);
  }
  oy_tensor_release(x);
  return result;
}

// From real numbers to the first half of a Hermitian signal.
static oy_object* half_1d(oy_object* self, oy_value n, int64_t dim, oy_value norm,
                          bool forward) {
  if (!oyi_tensor_of(self)) return NULL;
  if (oy_dtype_is_complex(self->dtype))
    return not_real(forward ? "rfft" : "ihfft", "real", self->dtype);
  signal s;
  int64_t factor;
  oy_object* x = prepared_1d(self, n, dim, norm, forward, &s, &factor);
  oy_object* result = x ? oyi_call__fft_r2c(x, dims_of(&s), factor, true) : NULL;
  oy_tensor_release(x);
  return forward ? result : of_conj(result);
}

// From the first half of a Hermitian signal to real numbers.
static oy_object* real_1d(oy_object* self, oy_value n, int64_t dim, oy_value norm,
                          bool forward) {
  oy_object* x = promoted(self, true);
  signal s;
  int64_t factor;
  oy_object* result = NULL;
  if (x && read_one(oyi_tensor_cast(x), n, dim, &s) == 0) {
    int64_t size = n.tag == OY_TAG_NONE ? 0 : n.as.i;
    oy_status status = n.tag == OY_TAG_NONE ? whole_of(s.sizes[0], &size) : OY_OK;
    s.sizes[0] = size / 2 + 1;
    if (status == 0 && check_size(size) == 0 && read_norm(norm, forward, &factor) == 0) {
      x = of_resized(x, &s);
      if (forward) x = of_conj(x);
      if (x) result = oyi_call__fft_c2r(x, dims_of(&s), factor, size);
    }
  }
  oy_tensor_release(x);
  return result;
}

OYI_COMPOSITE(fft_fft) {
  return complex_1d(self, n, dim, norm, true);
}
OYI_COMPOSITE(fft_ifft) {
  return complex_1d(self, n, dim, norm, false);
}
OYI_COMPOSITE(fft_rfft) {
  return half_1d(self, n, dim, norm, true);
}
OYI_COMPOSITE(fft_ihfft) {
  return half_1d(self, n, dim, norm, false);
}
OYI_COMPOSITE(fft_irfft) {
  return real_1d(self, n, dim, norm, false);
}
OYI_COMPOSITE(fft_hfft) {
  return real_1d(self, n, dim, norm, true);
}

// -------------------------------------------------------------- several dimensions

static oy_object* complex_nd(oy_object* self, oy_ints sizes, oy_ints dim, oy_value norm,
                             bool forward) {
  oy_object* x = promoted(self, true);
  signal s;
  int64_t factor;
  oy_object* result = NULL;
  if (x && read_many(oyi_tensor_cast(x), sizes, dim, &s) == 0 &&
      read_norm(norm, forward, &factor) == 0) {
    x = of_resized(x, &s);
    if (x) result = oyi_call__fft_c2c(x, dims_of(&s), factor, forward);
  }
  oy_tensor_release(x);
  return result;
}

static oy_status check_axes(const signal* s, const char* name) {
  OY_CHECK(s->count > 0, INVALID_ARGUMENT, "%s must transform at least one axis", name);
  return OY_OK;
}

static oy_object* rfftn(oy_object* self, oy_ints sizes, oy_ints dim, oy_value norm) {
  if (!oyi_tensor_of(self)) return NULL;
  if (oy_dtype_is_complex(self->dtype))
    return not_real("rfftn", "real-valued", self->dtype);
  oy_object* x = promoted(self, false);
  signal s;
  int64_t factor;
  oy_object* result = NULL;
  if (x && read_many(oyi_tensor_cast(x), sizes, dim, &s) == 0 &&
      check_axes(&s, "rfftn") == 0 && read_norm(norm, true, &factor) == 0) {
    x = of_resized(x, &s);
    if (x) result = oyi_call__fft_r2c(x, dims_of(&s), factor, true);
  }
  oy_tensor_release(x);
  return result;
}

static oy_object* ihfftn(oy_object* self, oy_ints sizes, oy_ints dim, oy_value norm) {
  if (!oyi_tensor_of(self)) return NULL;
  if (oy_dtype_is_complex(self->dtype))
    return not_real("ihfftn", "real-valued", self->dtype);
  oyi_held h = {0};
  oy_object* x = HOLD(promoted(self, false));
  signal s;
  int64_t factor;
  if (!x || read_many(oyi_tensor_cast(x), sizes, dim, &s) != 0 ||
      check_axes(&s, "ihfftn") != 0 || read_norm(norm, false, &factor) != 0)
    return oyi_held_end(&h, NULL);
  x = HOLD(resized(x, &s));
  const size_t last = s.count - 1;
  oy_object* half =
      x ? HOLD(oyi_call__fft_r2c(x, (oy_ints){s.dims + last, 1}, factor, true)) : NULL;
  oy_object* result = half ? oyi_call_conj_physical(half) : NULL;
  if (!result || last == 0) return oyi_held_end(&h, result);
  (void)HOLD(result);
  return oyi_held_end(&h,
                      oyi_call__fft_c2c(result, (oy_ints){s.dims, last}, factor, false));
}

// The dimensions, with the last one as long as half of it is; *out_size is all of it.
static oy_status read_halved(const oyi_tensor* t, oy_ints sizes, oy_ints dim,
                             const char* name, signal* s, int64_t* out_size) {
  OY_TRY(read_many(t, sizes, dim, s));
  OY_TRY(check_axes(s, name));
  const size_t last = s->count - 1;
  const bool given = sizes.data && sizes.data[last] != -1;
  if (given)
    *out_size = sizes.data[last];
  else
    OY_TRY(whole_of(t->sizes[s->dims[last]], out_size));
  s->sizes[last] = *out_size / 2 + 1;
  return check_size(*out_size);
}

static oy_object* irfftn(oy_object* self, oy_ints sizes, oy_ints dim, oy_value norm) {
  oy_object* x = promoted(self, true);
  signal s;
  int64_t factor, size;
  oy_object* result = NULL;
  if (x && read_halved(oyi_tensor_cast(x), sizes, dim, "irfftn", &s, &size) == 0 &&
      read_norm(norm, false, &factor) == 0) {
    x = of_resized(x, &s);
    if (x) result = oyi_call__fft_c2r(x, dims_of(&s), factor, size);
  }
  oy_tensor_release(x);
  return result;
}

static oy_object* hfftn(oy_object* self, oy_ints sizes, oy_ints dim, oy_value norm) {
  oyi_held h = {0};
  oy_object* x = HOLD(promoted(self, true));
  signal s;
  int64_t factor, size;
  if (!x || read_halved(oyi_tensor_cast(x), sizes, dim, "hfftn", &s, &size) != 0 ||
      read_norm(norm, true, &factor) != 0)
    return oyi_held_end(&h, NULL);
  x = HOLD(resized(x, &s));
  const size_t last = s.count - 1;
  if (x && last > 0)
    x = HOLD(oyi_call__fft_c2c(x, (oy_ints){s.dims, last}, factor, true));
  oy_object* mirrored = x ? HOLD(oyi_call_conj_physical(x)) : NULL;
  oy_object* result = NULL;
  if (mirrored)
    result = oyi_call__fft_c2r(mirrored, (oy_ints){s.dims + last, 1}, factor, size);
  return oyi_held_end(&h, result);
}

OYI_COMPOSITE(fft_fftn) {
  return complex_nd(self, s, dim, norm, true);
}
OYI_COMPOSITE(fft_ifftn) {
  return complex_nd(self, s, dim, norm, false);
}
OYI_COMPOSITE(fft_rfftn) {
  return rfftn(self, s, dim, norm);
}
OYI_COMPOSITE(fft_irfftn) {
  return irfftn(self, s, dim, norm);
}
OYI_COMPOSITE(fft_hfftn) {
  return hfftn(self, s, dim, norm);
}
OYI_COMPOSITE(fft_ihfftn) {
  return ihfftn(self, s, dim, norm);
}

// Into |out|, of another precision maybe, but complex or real as the result is.
static oy_object* into(oy_object* out, oy_object* result, const char* name) {
  if (!result || !oyi_tensor_of(out)) {
    oy_tensor_release(result);
    return NULL;
  }
  const bool is_complex = oy_dtype_is_complex(result->dtype);
  if (is_complex ? oy_dtype_is_complex(out->dtype) : oy_dtype_is_floating(out->dtype))
    return oyi_into_out(result, out);
  OY_FAIL(TYPE_MISMATCH, "%s expects a %s output tensor, but got %s", name,
          is_complex ? "complex" : "floating point", oy_dtype_pytorch_name(out->dtype));
  oy_tensor_release(result);
  return NULL;
}

// |words| is what PyTorch calls those over several dimensions where it refuses an output.
#define FORMS(name, words)                                                   \
  OYI_COMPOSITE(fft_##name##_out) {                                          \
    return into(out, oyi_call_fft_##name(OYI_ARGS_fft_##name), #name);       \
  }                                                                          \
  OYI_COMPOSITE(fft_##name##2) {                                             \
    return oyi_call_fft_##name##n(self, s, dim, norm);                       \
  }                                                                          \
  OYI_COMPOSITE(fft_##name##2_out) {                                         \
    return into(out, oyi_call_fft_##name##n(self, s, dim, norm), words);     \
  }                                                                          \
  OYI_COMPOSITE(fft_##name##n_out) {                                         \
    return into(out, oyi_call_fft_##name##n(OYI_ARGS_fft_##name##n), words); \
  }
FORMS(fft, "fftn")
FORMS(ifft, "fftn")
FORMS(rfft, "rfftn")
FORMS(irfft, "irfftn")
FORMS(hfft, "hfftn")
FORMS(ihfft, "ihfftn")
