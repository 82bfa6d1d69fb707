// SPDX-License-Identifier: Apache-2.0
// Whether two outcomes of a call are alike: types and shapes exactly, numbers as closely as
// their type allows, errors by their code.
#include <math.h>
#include <stdio.h>

#include "certify.h"

typedef struct reader {
  const char* at;
  const char* end;
} reader;

static bool take(reader* r, void* out, size_t size) {
  if ((size_t)(r->end - r->at) < size) return false;
  if (size) memcpy(out, r->at, size);
  r->at += size;
  return true;
}

static reader values_of(const certify_outcome* o, int64_t* out_count) {
  reader r = {o->bytes.data, o->bytes.data + o->bytes.size};
  int64_t status, size;
  *out_count = 0;
  if (!take(&r, &status, sizeof(status)) || !take(&r, &size, sizeof(size))) return r;
  r.at += size;
  (void)take(&r, out_count, sizeof(*out_count));
  return r;
}

typedef struct item {
  uint8_t tag, dtype, ndim;
  int64_t sizes[OY_TENSOR_MAX_DIMS], strides[OY_TENSOR_MAX_DIMS];
  int64_t numel;
  const char* data;
  double number[2];
} item;

static bool take_item(reader* r, item* out) {
  *out = (item){0};
  if (!take(r, &out->tag, 1)) return false;
  if (out->tag != OY_TAG_TENSOR) return take(r, out->number, sizeof(out->number));
  if (!take(r, &out->dtype, 1) || !take(r, &out->ndim, 1)) return false;
  if (out->ndim > OY_TENSOR_MAX_DIMS) return false;
  if (!take(r, out->sizes, out->ndim * sizeof(int64_t)) ||
      !take(r, out->strides, out->ndim * sizeof(int64_t)))
    return false;
  out->numel = 1;
  for (size_t i = 0; i < out->ndim; i++) out->numel *= out->sizes[i];
  out->data = r->at;
  const size_t bytes = (size_t)out->numel * oy_dtype_size(out->dtype);
  if ((size_t)(r->end - r->at) < bytes) return false;
  r->at += bytes;
  return true;
}

// ------------------------------------------------------------------------ elements

typedef struct tolerance {
  double relative, absolute;
} tolerance;

static tolerance tolerance_of(oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_F64:
    case OY_DTYPE_C128: return (tolerance){1e-7, 1e-7};
    case OY_DTYPE_F32:
    case OY_DTYPE_C64: return (tolerance){1e-4, 1e-5};
    case OY_DTYPE_F16:
    case OY_DTYPE_C32: return (tolerance){4e-3, 4e-3};
    case OY_DTYPE_BF16: return (tolerance){3e-2, 3e-2};
    default: return (tolerance){0, 0};
  }
}

static bool is_close(double got, double want, tolerance t) {
  if (isnan(want)) return isnan(got);
  if (isinf(want) || isinf(got)) return got == want;
  return fabs(got - want) <= t.absolute + t.relative * fabs(want);
}

static char g_text[512];

static const char* say(const char* format, ...) OY_PRINTF(1, 2);
static const char* say(const char* format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(g_text, sizeof(g_text), format, args);
  va_end(args);
  return g_text;
}

// |n| elements from |first| on. Integers stay exact as int64, all others go through
// complex128. What a view made a bool may be any byte: all but 0 are true.
static oy_tensor* widened(const item* it, int64_t first, int64_t n) {
  const bool exact = oy_dtype_is_integral(it->dtype, true);
  const char* data = it->data + (size_t)first * oy_dtype_size(it->dtype);
  oy_tensor* t = oy_tensor_from_data(data, (oy_ints){&n, 1}, (oy_dtype)it->dtype);
  oy_tensor* wide =
      oy_tensor_copy_to(t, exact ? OY_DTYPE_I64 : OY_DTYPE_C128, oy_device_cpu());
  oy_tensor_release(t);
  int64_t* truth = it->dtype == OY_DTYPE_BOOL && wide ? oy_tensor_data(wide) : NULL;
  for (int64_t i = 0; truth && i < n; i++) truth[i] = truth[i] != 0;
  return wide;
}

static const char* compare_ints(size_t at, const int64_t* got, const int64_t* want,
                                int64_t n) {
  for (int64_t i = 0; i < n; i++)
    if (got[i] != want[i])
      return say("value %zu, element %lld: got %lld, expected %lld", at, (long long)i,
                 (long long)got[i], (long long)want[i]);
  return "";
}

// A complex number with an infinite part is an infinity whatever the other part is (C,
// annex G): which of inf and nan that becomes in a product that overflows is the order in
// which it was multiplied.
static bool is_infinity(oy_complex z) {
  return isinf(z.re) || isinf(z.im);
}

static bool are_close(oy_complex got, oy_complex want, bool is_complex, tolerance t) {
  if (is_complex && is_infinity(got) && is_infinity(want)) return true;
  return is_close(got.re, want.re, t) && is_close(got.im, want.im, t);
}

static const char* compare_floats(size_t at, const oy_complex* got,
                                  const oy_complex* want, int64_t n, bool is_complex,
                                  tolerance t) {
  for (int64_t i = 0; i < n; i++)
    if (!are_close(got[i], want[i], is_complex, t))
      return say("value %zu, element %lld: got %.9g%+.9gj, expected %.9g%+.9gj", at,
                 (long long)i, got[i].re, got[i].im, want[i].re, want[i].im);
  return "";
}

static const char* compare_some(size_t at, const item* got, const item* want,
                                int64_t first, int64_t n, double doubt) {
  oy_tensor *a = widened(got, first, n), *b = widened(want, first, n);
  const char* wrong = "there is no memory to compare";
  if (a && b && a->dtype == OY_DTYPE_I64)
    wrong = compare_ints(at, oy_tensor_data(a), oy_tensor_data(b), n);
  else if (a && b) {
    tolerance t = tolerance_of((oy_dtype)want->dtype);
    t.absolute += doubt;
    wrong = compare_floats(at, oy_tensor_data(a), oy_tensor_data(b), n,
                           oy_dtype_is_complex((oy_dtype)want->dtype), t);
  }
  oy_tensor_release(a);
  oy_tensor_release(b);
  return wrong;
}

// In parts, so that what is compared needs little memory.
static const char* compare_elements(size_t at, const item* got, const item* want,
                                    double doubt) {
  enum { PART = 1 << 16 };
  for (int64_t i = 0; i < want->numel; i += PART) {
    const int64_t rest = want->numel - i;
    const char* wrong = compare_some(at, got, want, i, rest < PART ? rest : PART, doubt);
    if (wrong[0]) return wrong;
  }
  return "";
}

static void print_sizes(const item* it, char* text, size_t size) {
  size_t n = (size_t)snprintf(text, size, "[");
  for (size_t i = 0; i < it->ndim && n < size; i++)
    n += (size_t)snprintf(text + n, size - n, i ? ", %lld" : "%lld",
                          (long long)it->sizes[i]);
  if (n < size) snprintf(text + n, size - n, "]");
}

static const char* compare_tensors(size_t at, const item* got, const item* want,
                                   bool with_elements, double doubt) {
  if (got->dtype != want->dtype)
    return say("value %zu: got %s, expected %s", at, oy_dtype_name(got->dtype),
               oy_dtype_name(want->dtype));
  const size_t bytes = got->ndim * sizeof(int64_t);
  if (got->ndim != want->ndim || memcmp(got->sizes, want->sizes, bytes) != 0) {
    char a[160], b[160];
    print_sizes(got, a, sizeof(a));
    print_sizes(want, b, sizeof(b));
    return say("value %zu: got shape %s, expected %s", at, a, b);
  }
  return with_elements ? compare_elements(at, got, want, doubt) : "";
}

static const char* compare_items(size_t at, const item* got, const item* want,
                                 bool with_elements, double doubt) {
  if (got->tag != want->tag)
    return say("value %zu: got another kind of value (%d, expected %d)", at, got->tag,
               want->tag);
  if (want->tag == OY_TAG_TENSOR)
    return compare_tensors(at, got, want, with_elements, doubt);
  const tolerance t = tolerance_of(OY_DTYPE_F32);
  const bool is_float = want->tag == OY_TAG_FLOAT || want->tag == OY_TAG_COMPLEX;
  const bool same = is_float ? is_close(got->number[0], want->number[0], t) &&
                                   is_close(got->number[1], want->number[1], t)
                             : memcmp(got->number, want->number, sizeof(double)) == 0;
  return same || !with_elements ? ""
                                : say("value %zu: got %.9g, expected %.9g", at,
                                      got->number[0], want->number[0]);
}

// ----------------------------------------------------------------------- operators

static bool begins_with(oy_str text, const char* word) {
  return text.size >= strlen(word) && memcmp(text.data, word, strlen(word)) == 0;
}

// What nobody has written to.
static bool is_uninitialised(const oy_schema* schema) {
  static const char* const names[] = {"empty", "new_empty", "resize", "_empty", "set_"};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
    if (begins_with(schema->name.base, names[i])) return true;
  return false;
}

// Which one of equal elements is found is not said: places are compared in shape alone.
static bool is_place(const oy_schema* schema, const item* value) {
  static const char* const names[] = {"sort",   "topk",    "kthvalue", "mode",
                                      "median", "argsort", "nanmedian"};
  if (value->tag != OY_TAG_TENSOR || value->dtype != OY_DTYPE_I64) return false;
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
    if (oy_str_equal(schema->name.base, oy_str_of(names[i]))) return true;
  return false;
}

// ------------------------------------------------------------------------ doubt

// The greatest magnitude of an element of |a| - |b|, or of |a| alone.
static double greatest(const item* a, const item* b) {
  double found = 0;
  oy_tensor *x = widened(a, 0, a->numel), *y = b ? widened(b, 0, b->numel) : NULL;
  const bool are_floats = x && x->dtype == OY_DTYPE_C128;
  const oy_complex* p = are_floats ? oy_tensor_data(x) : NULL;
  const oy_complex* q = y ? oy_tensor_data(y) : NULL;
  for (int64_t i = 0; p && i < a->numel; i++)
    found = fmax(found, hypot(p[i].re - (q ? q[i].re : 0), p[i].im - (q ? q[i].im : 0)));
  oy_tensor_release(x);
  oy_tensor_release(y);
  return found;
}

// How much may be doubted of a value: what it moves by, times what |MOVES| steps of an
// algorithm may each add; and all of it if no digit stays.
static double doubt_of(const item* got, reader* moved) {
  enum { MOVES = 16, DIGIT = 10 };
  item other;
  if (!moved->at || !take_item(moved, &other)) return 0;
  if (got->tag != OY_TAG_TENSOR || got->dtype != other.dtype || got->numel != other.numel)
    return 0;
  const double by = greatest(got, &other);
  return DIGIT * by >= greatest(got, NULL) ? INFINITY : MOVES * by;
}

// What cancels in a Fourier transform leaves the rounding of the terms, so that an element is
// as exact as the greatest of them is (Gentleman and Sande 1966; Higham 2002, section 24.1).
static double rounding_of(const oy_schema* schema, const item* want) {
  static const char* const names[] = {"fft_", "_fft_", "stft", "istft"};
  if (want->tag != OY_TAG_TENSOR) return 0;
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
    if (begins_with(schema->name.base, names[i]))
      return tolerance_of((oy_dtype)want->dtype).relative / 100 * greatest(want, NULL);
  return 0;
}

// Of integers and bools float32 is computed, the default dtype, whatever an out= has room for.
static double narrowing_of(const certify_sample* s, const item* want) {
  const bool is_wide = want->dtype == OY_DTYPE_F64 || want->dtype == OY_DTYPE_C128;
  if (want->tag != OY_TAG_TENSOR || !is_wide || !oy_schema_is_out(s->schema)) return 0;
  for (size_t i = 0; i < s->tensor_count; i++)
    if (!s->tensors[i].is_written &&
        !oy_dtype_is_integral(s->tensors[i].view->dtype, true))
      return 0;
  return tolerance_of(OY_DTYPE_F32).relative * greatest(want, NULL);
}

const char* certify_compare(const certify_sample* s, const certify_outcome* got,
                            const certify_outcome* want, const certify_outcome* moved) {
  const oy_status a = certify_outcome_status(got), b = certify_outcome_status(want);
  const oy_str error = certify_outcome_error(got), other = certify_outcome_error(want);
  if (a != b && b != OY_OK && a != OY_OK)
    return say("got %s (%.*s), expected %s (%.*s)", oy_status_name(a),
               error.size > 120 ? 120 : (int)error.size, error.data, oy_status_name(b),
               other.size > 120 ? 120 : (int)other.size, other.data);
  if (a != b && b != OY_OK)
    return say("it went well, expected %s (%.*s)", oy_status_name(b),
               other.size > 200 ? 200 : (int)other.size, other.data);
  if (a != OY_OK && b == OY_OK)
    return say("%s: %.*s", oy_status_name(a), error.size > 300 ? 300 : (int)error.size,
               error.data);
  int64_t n, m;
  reader x = values_of(got, &n), y = values_of(want, &m);
  if (n != m) return say("got %lld values, expected %lld", (long long)n, (long long)m);
  const bool is_new = is_uninitialised(s->schema);
  int64_t moved_count;
  reader z = moved ? values_of(moved, &moved_count) : (reader){NULL, NULL};
  for (int64_t i = 0; i < n; i++) {
    item p, q;
    if (!take_item(&x, &p) || !take_item(&y, &q))
      return say("value %lld is cut off", (long long)i);
    const bool with_elements = !is_new && !is_place(s->schema, &q);
    const double doubt =
        doubt_of(&p, &z) + rounding_of(s->schema, &q) + narrowing_of(s, &q);
    const char* wrong = compare_items((size_t)i, &p, &q, with_elements, doubt);
    if (wrong[0]) return wrong;
  }
  return "";
}
