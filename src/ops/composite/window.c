// SPDX-License-Identifier: Apache-2.0
// Windows. Each is computed over its whole period; a periodic one lacks the last element,
// which would be the first of the next period.
#include <math.h>

#include "ops/calls.h"
#include "ops/composite/held.h"
#include "ops/kernels.h"
#include "ops/made.h"
#include "ops/rules/shape.h"

typedef struct window {
  const char* name;
  int64_t length;
  bool periodic;
  oy_value dtype, layout, device, pin_memory;
} window;

#define HOLD(...) oyi_hold(&h, __VA_ARGS__)
#define ONE       oy_int(1)

static oy_status check(const window* w) {
  OY_CHECK(w->layout.tag == OY_TAG_NONE || w->layout.as.i == OY_LAYOUT_STRIDED,
           NOT_IMPLEMENTED, "%s is not implemented for sparse types", w->name);
  const oy_dtype dtype =
      w->dtype.tag == OY_TAG_NONE ? oy_dtype_default() : (oy_dtype)w->dtype.as.i;
  OY_CHECK(oy_dtype_is_floating(dtype) || oy_dtype_is_complex(dtype), INVALID_ARGUMENT,
           "%s expects floating point dtypes, got: %s", w->name,
           oy_dtype_pytorch_name(dtype));
  OY_CHECK(w->length >= 0, INVALID_ARGUMENT,
           "%s requires non-negative window_length, got window_length=%lld", w->name,
           (long long)w->length);
  OY_CHECK(w->length < INT64_MAX, INVALID_ARGUMENT, "%s: window_length is too large",
           w->name);
  return OY_OK;
}

#define OPTIONS(w) (w)->dtype, (w)->layout, (w)->device, (w)->pin_memory
// 0, 1, ... times |factor|, or a window that is too short to compute: *out_done. |count| is
// the number of elements of the whole period.
static oy_object* steps(const window* w, int64_t* out_count, bool* out_done) {
  *out_done = true;
  if (check(w) != OY_OK) return NULL;
  if (w->length < 2)
    return w->length ? oyi_call_ones((oy_ints){&w->length, 1}, OPTIONS(w))
                     : oyi_call_empty_memory_format((oy_ints){&w->length, 1}, OPTIONS(w),
                                                    oy_none());
  *out_done = false;
  *out_count = w->length + w->periodic;
  oy_value dtype = w->dtype.tag == OY_TAG_NONE ? oy_int(oy_dtype_default()) : w->dtype;
  return oyi_call_arange(oy_int(*out_count), dtype, w->layout, w->device, w->pin_memory);
}

// |whole|, which it takes over, or all but its last element.
static oy_object* period(const window* w, oy_object* whole) {
  if (!whole || !w->periodic) return whole;
  oy_object* view = oyi_call_narrow(whole, 0, 0, w->length);
  oy_tensor_release(whole);
  return view;
}

#define BEGIN(first)                             \
  int64_t count;                                 \
  bool is_done;                                  \
  oy_object* first = steps(w, &count, &is_done); \
  if (!first || is_done) return first

// alpha - beta cos(2 pi i / (count - 1))
static oy_object* cosine(const window* w, double alpha, double beta) {
  BEGIN(made);
  oy_object* done = oyi_call_mul__Scalar(made, oy_float(2 * M_PI / (double)(count - 1)));
  done = done ? oyi_call_cos_(done) : NULL;
  done = done ? oyi_call_mul__Scalar(done, oy_float(-beta)) : NULL;
  done = done ? oyi_call_add__Scalar(done, oy_float(alpha), ONE) : NULL;
  return period(w, oyi_written(made, done));
}

static oy_object* bartlett(const window* w) {
  BEGIN(made);
  const int64_t rising = ((count - 1) >> 1) + 1;
  oy_object* done = oyi_call_mul__Scalar(made, oy_float(2.0 / (double)(count - 1)));
  oy_object* rest = done ? oyi_call_narrow(made, 0, rising, count - rising) : NULL;
  done = rest ? oyi_call_mul__Scalar(rest, oy_int(-1)) : NULL;
  done = done ? oyi_call_add__Scalar(done, oy_int(2), ONE) : NULL;
  oy_tensor_release(rest);
  return period(w, oyi_written(made, done));
}

static oy_object* blackman(const window* w) {
  BEGIN(made);
  oyi_held h = {0};
  HOLD(made);
  oy_object* angle = oyi_call_mul__Scalar(made, oy_float(M_PI / (double)(count - 1)));
  oy_object* fourth = angle ? HOLD(oyi_call_mul_Scalar(angle, oy_int(4))) : NULL;
  oy_object* second = angle ? HOLD(oyi_call_mul_Scalar(angle, oy_int(2))) : NULL;
  oy_object* small = fourth ? oyi_call_cos_(fourth) : NULL;
  small = small ? oyi_call_mul__Scalar(small, oy_float(0.08)) : NULL;
  oy_object* great = second ? oyi_call_cos_(second) : NULL;
  great = great ? oyi_call_mul__Scalar(great, oy_float(0.5)) : NULL;
  oy_object* difference =
      small && great ? HOLD(oyi_call_sub_Tensor(small, great, ONE)) : NULL;
  oy_object* whole =
      difference ? oyi_call_add_Scalar(difference, oy_float(0.42), ONE) : NULL;
  return period(w, oyi_held_end(&h, whole));
}

// i0(beta sqrt(1 - x^2)) / i0(beta) for x from -1 to 1
static oy_object* kaiser(const window* w, double beta) {
  BEGIN(made);
  oyi_held h = {0};
  HOLD(made);
  oy_object* x = oyi_call_mul__Scalar(made, oy_float(2.0 / (double)(count - 1)));
  x = x ? oyi_call_sub__Scalar(x, ONE, ONE) : NULL;
  oy_object* square = x ? HOLD(oyi_call_square(x)) : NULL;
  oy_object* rest = square ? HOLD(oyi_call_rsub_Scalar(square, ONE, ONE)) : NULL;
  // The ends may be a little beyond 1 by rounding.
  rest = rest ? oyi_call_clamp_min_(rest, oy_int(0)) : NULL;
  oy_object* root = rest ? oyi_call_sqrt_(rest) : NULL;
  oy_object* scaled = root ? oyi_call_mul__Scalar(root, oy_float(beta)) : NULL;
  oy_object* above = scaled ? HOLD(oyi_call_i0(scaled)) : NULL;
  oy_object* most =
      above ? HOLD(oyi_call_full(oy_dims_none(), oy_float(beta), oy_int(above->dtype),
                                 w->layout, w->device, w->pin_memory))
            : NULL;
  oy_object* below = most ? HOLD(oyi_call_i0(most)) : NULL;
  return period(w, oyi_held_end(&h, below ? oyi_call_div_Tensor(above, below) : NULL));
}

// ---------------------------------------------------------------------- the operators

#define WINDOW(name, is_periodic)                                       \
  &(window) {                                                           \
    name, window_length, is_periodic, dtype, layout, device, pin_memory \
  }
#define OF_OUT(name, is_periodic)                                    \
  &(window) {                                                        \
    name, window_length, is_periodic, oy_int(out->dtype), oy_none(), \
        oy_value_device(oy_tensor_device(out)), oy_none()            \
  }
#define FORMS(id, name, is_periodic, make, ...)                        \
  OYI_COMPOSITE(id) {                                                  \
    return make(WINDOW(name, is_periodic) __VA_OPT__(, ) __VA_ARGS__); \
  }
#define OUT_FORM(id, name, is_periodic, make, ...)                                      \
  OYI_COMPOSITE(id) {                                                                   \
    if (!oyi_tensor_of(out)) return NULL;                                               \
    return oyi_stored(out, make(OF_OUT(name, is_periodic) __VA_OPT__(, ) __VA_ARGS__)); \
  }
#define BOTH(id, out_id, ...) FORMS(id, __VA_ARGS__) OUT_FORM(out_id, __VA_ARGS__)

BOTH(bartlett_window, bartlett_window_out, "bartlett_window", true, bartlett)
BOTH(bartlett_window_periodic, bartlett_window_periodic_out, "bartlett_window", periodic,
     bartlett)
BOTH(blackman_window, blackman_window_out, "blackman_window", true, blackman)
BOTH(blackman_window_periodic, blackman_window_periodic_out, "blackman_window", periodic,
     blackman)
BOTH(hann_window, hann_window_out, "hann_window", true, cosine, 0.5, 0.5)
BOTH(hann_window_periodic, hann_window_periodic_out, "hann_window", periodic, cosine, 0.5,
     0.5)
BOTH(hamming_window, hamming_window_out, "hamming_window", true, cosine, 0.54, 0.46)
BOTH(hamming_window_periodic, hamming_window_periodic_out, "hamming_window", periodic,
     cosine, 0.54, 0.46)
BOTH(hamming_window_periodic_alpha, hamming_window_periodic_alpha_out, "hamming_window",
     periodic, cosine, alpha, 0.46)
BOTH(hamming_window_periodic_alpha_beta, hamming_window_periodic_alpha_beta_out,
     "hamming_window", periodic, cosine, alpha, beta)
BOTH(kaiser_window, kaiser_window_out, "kaiser_window", true, kaiser, 12)
BOTH(kaiser_window_periodic, kaiser_window_periodic_out, "kaiser_window", periodic,
     kaiser, 12)
BOTH(kaiser_window_beta, kaiser_window_beta_out, "kaiser_window", periodic, kaiser, beta)
