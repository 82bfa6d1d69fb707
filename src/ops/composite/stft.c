// SPDX-License-Identifier: Apache-2.0
// stft: Fourier transforms of pieces of a signal, and istft, which adds them up again and
// divides by what the windows add up to.
#include <stdarg.h>
#include <stdio.h>

#include "base/strbuf.h"
#include "ops/calls.h"
#include "ops/composite/held.h"
#include "ops/kernels.h"
#include "ops/rules/shape.h"

enum { NORM_NONE, NORM_ROOT, NORM_ALL };
#define HOLD(...) oyi_hold(&h, __VA_ARGS__)

typedef struct pieces {
  int64_t n, hop, width;  // of a piece, between pieces, of the window
  oy_object* window;      // NULL: ones
  bool center, normalized, return_complex;
  // For messages; |length| is NULL but for istft.
  oy_object* self;
  const oy_value *onesided, *length;
} pieces;

static int64_t number_or(oy_value v, int64_t otherwise) {
  return v.tag == OY_TAG_NONE ? otherwise : v.as.i;
}

static bool read_pieces(pieces* p, int64_t n, oy_value hop, oy_value width,
                        oy_object* window) {
  if (!oyi_is_optional(window)) return false;
  p->n = n;
  p->hop = number_or(hop, n >> 2);
  p->width = number_or(width, n);
  p->window = window == &oy_none_object ? NULL : window;
  return true;
}
static bool is_complex(const oy_object* o) {
  return o && oy_dtype_is_complex(o->dtype);
}

// ------------------------------------------------------------------------- messages

static void put_tensor(oyi_strbuf* buf, const oyi_tensor* t, bool braces) {
  const bool is_odd = oy_dtype_is_complex(t->header.dtype);
  oyi_strbuf_printf(buf, is_odd ? "CPU%sType%s%s%s" : "torch.%sTensor%s%s%s",
                    oy_dtype_pytorch_name(t->header.dtype), braces ? "{" : "",
                    oyi_dims_print(oyi_sizes_view(t)).text, braces ? "}" : "");
}
static void put_number(oyi_strbuf* buf, const char* name, const oy_value* v) {
  if (v->tag == OY_TAG_NONE)
    oyi_strbuf_printf(buf, ", %s=None", name);
  else
    oyi_strbuf_printf(buf, ", %s=%lld", name, (long long)v->as.i);
}

// The call as PyTorch prints it, then what is wrong.
static __attribute__((format(printf, 2, 3))) oy_status refuse(const pieces* p,
                                                              const char* format, ...) {
  oyi_strbuf buf = OYI_STRBUF_INIT;
  char what[320];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof(what), format, arguments);
  va_end(arguments);
  put_tensor(&buf, oyi_tensor_cast(p->self), false);
  oyi_strbuf_printf(&buf, ", n_fft=%lld, hop_length=%lld, win_length=%lld, window=",
                    (long long)p->n, (long long)p->hop, (long long)p->width);
  if (p->window)
    put_tensor(&buf, oyi_tensor_cast(p->window), true);
  else
    oyi_strbuf_printf(&buf, "None");
  if (p->length) oyi_strbuf_printf(&buf, ", center=%d", p->center);
  oyi_strbuf_printf(&buf, ", normalized=%d", p->normalized);
  put_number(&buf, "onesided", p->onesided);
  if (p->length) put_number(&buf, "length", p->length);
  oy_status status = OY_FAIL(INVALID_ARGUMENT, "%s(%s, return_complex=%d) : %s",
                             p->length ? "istft" : "stft", buf.data ? buf.data : "",
                             p->return_complex, what);
  oyi_strbuf_reset(&buf);
  return status;
}
#define CHECK(good, ...) \
  if (!(good)) return refuse(p, __VA_ARGS__)

// The window with zeros around it, as long as a piece; of |like|'s dtype if it is ones.
static oy_object* whole_window(const pieces* p, oy_object* like) {
  const int64_t left = (p->n - p->width) / 2;
  const int64_t pad[] = {left, p->n - p->width - left};
  oy_object* w = p->window ? oy_tensor_retain(p->window)
                           : oyi_call_new_ones(like, (oy_ints){&p->width, 1}, oy_none(),
                                               oy_none(), oy_none(), oy_none());
  if (!w || p->width == p->n) return w;
  oy_object* made = oyi_call_constant_pad_nd(w, (oy_ints){pad, 2}, oy_int(0));
  oy_tensor_release(w);
  return made;
}

// ------------------------------------------------------------------------------ stft

static oy_status check_signal(pieces* p, oy_value complex_asked) {
  const oyi_tensor* t = oyi_tensor_of(p->self);
  if (!t) return oy_failure();
  const bool any_complex = is_complex(p->self) || is_complex(p->window);
  p->return_complex =
      complex_asked.tag == OY_TAG_NONE ? any_complex : complex_asked.as.i != 0;
  CHECK(oy_dtype_is_floating(p->self->dtype) || is_complex(p->self),
        "expected a tensor of floating point or complex values");
  CHECK(t->ndim == 1 || t->ndim == 2, "expected a 1D or 2D tensor");
  return OY_OK;
}

static oy_status check_pieces(const pieces* p, int64_t length) {
  CHECK(p->n > 0 && p->n <= length, "expected 0 < n_fft < %lld, but got n_fft=%lld",
        (long long)length, (long long)p->n);
  CHECK(p->hop > 0, "expected hop_length > 0, but got hop_length=%lld",
        (long long)p->hop);
  CHECK(p->width > 0 && p->width <= p->n,
        "expected 0 < win_length <= n_fft, but got win_length=%lld", (long long)p->width);
  if (!p->window) return OY_OK;
  const oyi_tensor* w = oyi_tensor_cast(p->window);
  CHECK(
      w->ndim == 1 && w->sizes[0] == p->width,
      "expected a 1D window tensor of size equal to win_length=%lld, but got window with "
      "size %s",
      (long long)p->width, oyi_dims_print(oyi_sizes_view(w)).text);
  return OY_OK;
}

// [batch, length], with half a piece before and behind it if the first is centered.
static oy_object* padded_rows(const pieces* p, oy_object* self, oy_str mode) {
  const bool is_row = oy_tensor_ndim(self) == 1;
  oy_object* rows = is_row ? oyi_call_unsqueeze(self, 0) : oy_tensor_retain(self);
  if (!rows || !p->center) return rows;
  // Modes of padding are of images: as such it has channels.
  const int64_t pad[] = {p->n / 2, p->n / 2};
  oyi_held h = {0};
  HOLD(rows);
  oy_object* images = HOLD(oyi_call_unsqueeze(rows, 0));
  oy_object* wide =
      images ? HOLD(oyi_call_pad(images, (oy_ints){pad, 2}, mode, oy_none())) : NULL;
  return oyi_held_end(&h, wide ? oyi_call_squeeze_dim(wide, 0) : NULL);
}

// [batch, pieces, n], overlapping views of the rows, times the window.
static oy_object* cut(const pieces* p, oy_object* rows) {
  const oyi_tensor* t = oyi_tensor_of(rows);
  if (!t || check_pieces(p, t->sizes[1]) != OY_OK) return NULL;
  const int64_t* strides = oyi_strides(t);
  const int64_t sizes[] = {t->sizes[0], 1 + (t->sizes[1] - p->n) / p->hop, p->n};
  const int64_t steps[] = {strides[0], p->hop * strides[1], strides[1]};
  oy_object* parts =
      oyi_call_as_strided(rows, (oy_ints){sizes, 3}, (oy_ints){steps, 3}, oy_none());
  if (!parts || (!p->window && p->width == p->n)) return parts;
  oy_object* window = whole_window(p, rows);
  oy_object* weighted = window ? oyi_call_mul_Tensor(parts, window) : NULL;
  oy_tensor_release(window);
  oy_tensor_release(parts);
  return weighted;
}

static oy_object* transformed(const pieces* p, oy_object* parts) {
  const int64_t norm = p->normalized ? NORM_ROOT : NORM_NONE, last = 2;
  const oy_ints dims = {&last, 1};
  const bool half =
      p->onesided->tag == OY_TAG_NONE ? !is_complex(parts) : p->onesided->as.i != 0;
  if (!is_complex(parts)) return oyi_call__fft_r2c(parts, dims, norm, half);
  if (!half) return oyi_call__fft_c2c(parts, dims, norm, true);
  OY_FAIL(INVALID_ARGUMENT, "Cannot have onesided output if window or input is complex");
  return NULL;
}

static oy_object* forward(pieces* p, oy_str mode, oy_value return_complex) {
  if (check_signal(p, return_complex) != OY_OK) return NULL;
  oyi_held h = {0};
  oy_object* rows = HOLD(padded_rows(p, p->self, mode));
  oy_object* parts = rows ? HOLD(cut(p, rows)) : NULL;
  oy_object* spectra = parts ? HOLD(transformed(p, parts)) : NULL;
  oy_object* result = spectra ? HOLD(oyi_call_transpose_int(spectra, 1, 2)) : NULL;
  if (result && oy_tensor_ndim(p->self) == 1)
    result = HOLD(oyi_call_squeeze_dim(result, 0));
  if (result)
    result = p->return_complex ? oy_tensor_retain(result) : oyi_call_view_as_real(result);
  return oyi_held_end(&h, result);
}

#define ASKED .normalized = normalized, .self = self, .onesided = &onesided
OYI_COMPOSITE(stft) {
  pieces p = {ASKED};
  if (!read_pieces(&p, n_fft, hop_length, win_length, window)) return NULL;
  return forward(&p, oy_str_of("reflect"), return_complex);
}
OYI_COMPOSITE(stft_center) {
  pieces p = {ASKED, .center = center};
  if (!read_pieces(&p, n_fft, hop_length, win_length, window)) return NULL;
  return forward(&p, pad_mode, return_complex);
}

// ----------------------------------------------------------------------------- istft

typedef struct inverse {
  pieces p;
  bool half;
  int64_t count, whole;  // pieces; elements that they span
  int64_t start, end;    // what of these is given; |end| may count from the end
} inverse;

static oy_status check_inverse_sizes(inverse* v, const oyi_tensor* t) {
  const pieces* p = &v->p;
  const int64_t bins = t->sizes[t->ndim - 2];
  v->count = t->sizes[t->ndim - 1];
  v->half = p->onesided->tag == OY_TAG_NONE ? bins != p->n : p->onesided->as.i != 0;
  CHECK(bins == (v->half ? p->n / 2 + 1 : p->n),
        "expected the frequency dimension (3rd to the last) of the input tensor to match "
        "%s "
        "when onesided=%s, but got %lld",
        v->half ? "n_fft / 2 + 1" : "n_fft", v->half ? "True" : "False", (long long)bins);
  CHECK(p->hop > 0 && p->hop <= p->width, "expected 0 < hop_length <= win_length");
  CHECK(p->width > 0 && p->width <= p->n, "expected 0 < win_length <= n_fft");
  const oyi_tensor* w = p->window ? oyi_tensor_cast(p->window) : NULL;
  CHECK(!w || (w->ndim == 1 && w->sizes[0] == p->width),
        "Invalid window shape. window has to be 1D and length of `win_length`");
  CHECK(!__builtin_mul_overflow(p->hop, v->count - 1, &v->whole) &&
            !__builtin_add_overflow(v->whole, p->n, &v->whole),
        "the signal is too long");
  return OY_OK;
}

static oy_status check_inverse(inverse* v) {
  const pieces* p = &v->p;
  const oyi_tensor* t = oyi_tensor_of(p->self);
  if (!t) return oy_failure();
  CHECK(t->numel > 0, "input tensor cannot be empty");
  CHECK(t->ndim == 2 || t->ndim == 3,
        "expected a tensor with 2 or 3 dimensions, but got %u", t->ndim);
  OY_TRY(check_inverse_sizes(v, t));
  OY_CHECK(!p->return_complex || !v->half, INVALID_ARGUMENT,
           "Cannot have onesided output if window or input is complex");
  OY_CHECK(p->return_complex || !is_complex(p->window), INVALID_ARGUMENT,
           "Complex windows are incompatible with return_complex=False");
  return OY_OK;
}

// [batch, pieces, n] of |turned|, which has the bins last.
static oy_object* pieces_of(const inverse* v, oy_object* turned) {
  const int64_t norm = v->p.normalized ? NORM_ROOT : NORM_ALL, last = 2;
  const oy_ints dims = {&last, 1};
  if (v->p.return_complex) return oyi_call__fft_c2c(turned, dims, norm, false);
  if (v->half) return oyi_call__fft_c2r(turned, dims, norm, v->p.n);
  oy_object* first = oyi_call_narrow(turned, 2, 0, v->p.n / 2 + 1);
  oy_object* made = first ? oyi_call__fft_c2r(first, dims, norm, v->p.n) : NULL;
  oy_tensor_release(first);
  return made;
}

// The sum of overlapping pieces, of which only what was asked for.
static oy_object* added_up(const inverse* v, oy_object* parts) {
  const oyi_tensor* t = parts ? oyi_tensor_of(parts) : NULL;
  if (!t) return NULL;
  const int64_t sizes[] = {t->sizes[0], v->whole};
  oy_object* all =
      oyi_call_unfold_backward(parts, (oy_ints){sizes, 2}, 1, v->p.n, v->p.hop);
  oy_object* some =
      all ? oyi_call_slice_Tensor(all, 1, oy_int(v->start), oy_int(v->end), 1) : NULL;
  oy_tensor_release(all);
  return some;
}

static oy_object* envelope(const inverse* v, oy_object* window) {
  const int64_t sizes[] = {1, v->count, v->p.n};
  oyi_held h = {0};
  oy_object* square = HOLD(oyi_call_mul_Tensor(window, window));
  oy_object* each =
      square ? HOLD(oyi_call_expand(square, (oy_ints){sizes, 3}, false)) : NULL;
  return oyi_held_end(&h, added_up(v, each));
}

// Where windows add up to nothing there is no signal to be had.
static bool covers(const pieces* p, oy_object* sums) {
  const oyi_tensor* t = oyi_tensor_of(sums);
  if (!t || oyi_is_meta(t) || t->numel == 0) return t != NULL;
  oyi_held h = {0};
  oy_object* sizes = HOLD(oyi_call_abs(sums));
  oy_object* least = sizes ? HOLD(oyi_call_min(sizes)) : NULL;
  oy_scalar number = oy_int(0);
  bool good = least && oy_tensor_item(least, &number) == OY_OK;
  oyi_held_end(&h, NULL);
  if (!good || !(number.as.d < 1e-11)) return good;
  refuse(p, "window overlap add min: 1");
  return false;
}

static oy_object* inverted(const inverse* v, oy_object* self) {
  const bool is_single = oy_tensor_ndim(self) == 2;
  oyi_held h = {0};
  oy_object* batch = is_single ? HOLD(oyi_call_unsqueeze(self, 0)) : self;
  oy_object* turned = batch ? HOLD(oyi_call_transpose_int(batch, 1, 2)) : NULL;
  oy_object* parts = turned ? HOLD(pieces_of(v, turned)) : NULL;
  oy_object* window = parts ? HOLD(whole_window(&v->p, parts)) : NULL;
  oy_object* weighted = window ? HOLD(oyi_call_mul_Tensor(parts, window)) : NULL;
  oy_object* sum = HOLD(added_up(v, weighted));
  oy_object* windows = sum ? HOLD(envelope(v, window)) : NULL;
  oy_object* signal =
      windows && covers(&v->p, windows) ? HOLD(oyi_call_div_Tensor(sum, windows)) : NULL;
  if (signal && is_single) signal = HOLD(oyi_call_squeeze_dim(signal, 0));
  const int64_t pad[] = {0, v->end - v->whole};
  if (signal && pad[1] > 0)
    signal = HOLD(oyi_call_constant_pad_nd(signal, (oy_ints){pad, 2}, oy_int(0)));
  return oyi_held_end(&h, signal ? oy_tensor_retain(signal) : NULL);
}

static oy_object* inverse_of(inverse* v, oy_value length) {
  if (check_inverse(v) != OY_OK) return NULL;
  v->start = v->p.center ? v->p.n / 2 : 0;
  v->end = v->p.center ? -(v->p.n / 2) : v->whole;
  if (length.tag != OY_TAG_NONE &&
      __builtin_add_overflow(v->start, length.as.i, &v->end)) {
    refuse(&v->p, "the length is too large");
    return NULL;
  }
  return inverted(v, v->p.self);
}

// Pairs of real numbers as complex ones, copied where they do not lie as those do.
static oy_object* paired(oy_object* self, const oyi_tensor* t) {
  const int64_t* strides = oyi_strides(t);
  bool lie_so = t->offset % 2 == 0 && strides[t->ndim - 1] == 1;
  for (size_t i = 0; i + 1 < t->ndim; i++) lie_so &= strides[i] % 2 == 0;
  if (lie_so) return oyi_call_view_as_complex(self);
  oy_object* copy = oyi_call_clone(self, oy_int(OY_MEMORY_CONTIGUOUS));
  oy_object* seen = copy ? oyi_call_view_as_complex(copy) : NULL;
  oy_tensor_release(copy);
  return seen;
}

// Pairs of real numbers stand for complex ones, as stft may give them.
OYI_COMPOSITE(istft) {
  const oyi_tensor* t = oyi_tensor_of(self);
  inverse v = {.p = {ASKED, .center = center, .return_complex = return_complex,
                     .length = &length}};
  if (!t || !read_pieces(&v.p, n_fft, hop_length, win_length, window)) return NULL;
  if (is_complex(self)) return inverse_of(&v, length);
  if (t->ndim == 0 || t->sizes[t->ndim - 1] != 2) {
    refuse(&v.p,
           "expected the last dimension to be 2 (corresponding to real and imaginary "
           "parts), but got %lld",
           t->ndim ? (long long)t->sizes[t->ndim - 1] : 0);
    return NULL;
  }
  v.p.self = paired(self, t);
  oy_object* made = v.p.self ? inverse_of(&v, length) : NULL;
  oy_tensor_release(v.p.self);
  return made;
}
