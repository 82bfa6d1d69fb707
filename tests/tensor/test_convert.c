// SPDX-License-Identifier: Apache-2.0
// Conversions between all dtypes, against what PyTorch and NumPy give
// (make_golden.py); numbers written into tensors, against PyTorch 1.13.
#include "base/memory.h"
#include "support/tensors.h"
#include "tensor/element.h"

typedef struct row {
  oy_dtype from, to;
  _Alignas(16) unsigned char in[4096], want[4096];
  int64_t n;
} row;

static size_t read_hex(const char* text, unsigned char* out) {
  size_t n = 0;
  unsigned byte;
  for (; sscanf(text, "%2x", &byte) == 1; text += 2) out[n++] = (unsigned char)byte;
  return n;
}

static bool next_row(FILE* file, row* r) {
  static char from[64], to[64], in[8192], want[8192];
  if (fscanf(file, "%63s %63s %8191s %8191s", from, to, in, want) != 4) return false;
  assert_true(oy_dtype_find(oy_str_of(from), &r->from));
  assert_true(oy_dtype_find(oy_str_of(to), &r->to));
  r->n = (int64_t)(read_hex(in, r->in) / oyi_dtype_bytes[r->from]);
  assert_int_equal(read_hex(want, r->want), (size_t)r->n * oyi_dtype_bytes[r->to]);
  return true;
}

static bool is_nan_at(oy_dtype d, const void* at) {
  oyi_number n = oyi_element_load(d, at);
  return n.kind >= OYI_NUMBER_FLOAT && (isnan(n.re) || isnan(n.im));
}

static void check_element(const row* r, int64_t i, const unsigned char* got,
                          const char* how) {
  const unsigned char* want = r->want + i * oyi_dtype_bytes[r->to];
  if (memcmp(got, want, oyi_dtype_bytes[r->to]) == 0) return;
  if (is_nan_at(r->to, got) && is_nan_at(r->to, want)) return;  // any pattern of NaN
  oyi_number a = oyi_element_load(r->from, r->in + i * oyi_dtype_bytes[r->from]);
  oyi_number b = oyi_element_load(r->to, got), c = oyi_element_load(r->to, want);
  fail_msg("%s, %s to %s: %.17g gives %.17g (%lld) and not %.17g (%lld)", how,
           oy_dtype_name(r->from), oy_dtype_name(r->to), a.re, b.re, (long long)b.i, c.re,
           (long long)c.i);
}

static void every_pair_of_dtypes(void** state) {
  (void)state;
  static row r;
  static unsigned char got[16 * 4096], spread[16 * 4096];
  FILE* file = fopen(OY_SOURCE_DIR "/tests/data/tensor/conversions.txt", "r");
  assert_non_null(file);
  int pairs = 0;
  for (; next_row(file, &r); pairs++) {
    const int64_t a = oyi_dtype_bytes[r.from], b = oyi_dtype_bytes[r.to];
    oyi_convert_row(r.to, (char*)got, b, r.from, (char*)r.in, a, r.n);
    for (int64_t i = 0; i < r.n; i++) check_element(&r, i, got + i * b, "adjacent");
    // Apart, on both sides.
    for (int64_t i = 0; i < r.n; i++) memcpy(spread + 3 * i * a, r.in + i * a, (size_t)a);
    memset(got, 0xee, sizeof(got));
    oyi_convert_row(r.to, (char*)got, 2 * b, r.from, (char*)spread, 3 * a, r.n);
    for (int64_t i = 0; i < r.n; i++) {
      check_element(&r, i, got + 2 * i * b, "apart");
      assert_int_equal(got[2 * i * b + b], 0xee);
    }
  }
  fclose(file);
  assert_int_equal(pairs, 13 * 13 + 3 * 12 + 9 * 3);
}

// Longer than the pieces that rows are cut into, and not a multiple of them.
static void long_rows(void** state) {
  (void)state;
  enum { N = 2 * 512 + 77 };
  static float in[2 * N], back[2 * N];
  static uint16_t half[2 * N];
  for (int i = 0; i < 2 * N; i++) in[i] = (float)(i - 1000) / 4;
  oyi_convert_row(OY_DTYPE_F16, (char*)half, 4, OY_DTYPE_F32, (char*)in, 8, N);
  oyi_convert_row(OY_DTYPE_F32, (char*)back, 8, OY_DTYPE_F16, (char*)half, 4, N);
  for (int i = 0; i < N; i++) assert_true(back[2 * i] == in[2 * i]);
  oyi_convert_row(OY_DTYPE_C32, (char*)half, 4, OY_DTYPE_C64, (char*)in, 8, N);
  memset(back, 0, sizeof(back));
  oyi_convert_row(OY_DTYPE_C64, (char*)back, 8, OY_DTYPE_C32, (char*)half, 4, N);
  assert_memory_equal(back, in, sizeof(in));
}

// Parts of another dtype than the numbers', adjacent and apart.
static void long_rows_to_complex(void** state) {
  (void)state;
  enum { N = 2 * 512 + 77 };
  static int16_t in[2 * N];
  static double out[4 * N];
  for (int i = 0; i < 2 * N; i++) in[i] = (int16_t)(i * 31 - 9000);
  for (int in_step = 1; in_step <= 2; in_step++)
    for (int out_step = 1; out_step <= 2; out_step++) {
      for (int i = 0; i < 4 * N; i++) out[i] = -1;
      oyi_convert_row(OY_DTYPE_C128, (char*)out, 16 * out_step, OY_DTYPE_I16, (char*)in,
                      2 * in_step, N);
      for (int i = 0; i < N; i++) {
        assert_true(out[2 * i * out_step] == in[i * in_step]);
        assert_true(out[2 * i * out_step + 1] == 0);
        if (out_step == 2) assert_true(out[4 * i + 2] == -1);
      }
    }
}

// Rows of any length are what their elements come to one by one, which the table of pairs has
// from outside.
static void rows_are_their_elements(void** state) {
  (void)state;
  enum { N = 149, MOST = 16 };
  static const oy_dtype dtypes[] = {OY_DTYPE_BOOL, OY_DTYPE_U8,  OY_DTYPE_I8,
                                    OY_DTYPE_I16,  OY_DTYPE_I32, OY_DTYPE_I64,
                                    OY_DTYPE_F16,  OY_DTYPE_F32, OY_DTYPE_BF16,
                                    OY_DTYPE_F64,  OY_DTYPE_C64, OY_DTYPE_C128};
  static double numbers[2 * N];
  static _Alignas(16) char in[MOST * N], all[MOST * N + 1], one[MOST];
  static _Alignas(16) char apart[2 * MOST * N], again[MOST * N];
  // Both parts of some are zeros, or one is.
  for (int i = 0; i < 2 * N; i++)
    numbers[i] = i % 5 < 3 ? -0.0 : (double)(i * 7919 % 4001 - 2000) / 8;
  for (size_t f = 0; f < OY_ARRAY_SIZE(dtypes); f++)
    for (size_t t = 0; t < OY_ARRAY_SIZE(dtypes); t++) {
      const oy_dtype from = dtypes[f], to = dtypes[t];
      const int64_t a = oyi_dtype_bytes[from], b = oyi_dtype_bytes[to];
      for (int i = 0; i < N; i++)
        oyi_convert_row(from, in + i * a, a, OY_DTYPE_C128, (char*)(numbers + 2 * i), 16,
                        1);
      for (int i = 0; i < N; i++) memcpy(apart + 2 * i * a, in + i * a, (size_t)a);
      for (int64_t n = 0; n <= N; n++) {
        memset(all, 0x5a, sizeof(all));
        oyi_convert_row(to, all, b, from, in, a, n);
        assert_int_equal(all[n * b], 0x5a);
        for (int64_t i = 0; i < n; i++) {
          oyi_convert_row(to, one, b, from, in + i * a, a, 1);
          assert_memory_equal(all + i * b, one, (size_t)b);
        }
        oyi_convert_row(to, again, b, from, apart, 2 * a, n);
        assert_memory_equal(again, all, (size_t)(n * b));
      }
    }
}

enum { APART_ROWS = 9, APART = 140 };

// |n| columns of |from|, from |begin| on, into the first ones of |to|.
static void check_rows_apart(oy_tensor* to, oy_tensor* from, int64_t begin, int64_t n) {
  const int64_t columns = oy_tensor_sizes(to).data[1];
  const int64_t a = oyi_dtype_bytes[from->dtype], b = oyi_dtype_bytes[to->dtype];
  char *in = oy_tensor_data(from), *out = oy_tensor_data(to), one[16];
  for (int i = 0; i < APART_ROWS * APART; i++) {
    const int16_t number = (int16_t)(i * 7919 % 251);
    oyi_convert_row(from->dtype, in + i * a, a, OY_DTYPE_I16, (const char*)&number, 2, 1);
  }
  memset(out, 0x5a, (size_t)(APART_ROWS * columns * b));
  oy_tensor *source = oy_narrow(from, 1, begin, n), *target = oy_narrow(to, 1, 0, n);
  assert_ptr_equal(oy_copy_(target, source, false), target);
  for (int64_t i = 0; i < APART_ROWS * columns; i++) {
    const int64_t k = i % columns, at = i / columns * APART + begin + k;
    memset(one, 0x5a, sizeof(one));
    if (k < n) oyi_convert_row(to->dtype, one, b, from->dtype, in + at * a, a, 1);
    assert_memory_equal(out + i * b, one, (size_t)b);
  }
  oy_tensor_release(source);
  oy_tensor_release(target);
}

// Rows with gaps between them, of the source or the target or both, are what their elements come
// to one by one.
static void rows_apart_are_their_elements(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_U8,  OY_DTYPE_I32, OY_DTYPE_I64,
                                    OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_BF16,
                                    OY_DTYPE_C64};
  static const int64_t lengths[] = {1, 7, 15, 16, 17, 33, 58, 95, 96, 131};
  enum { DTYPES = OY_ARRAY_SIZE(dtypes), LENGTHS = OY_ARRAY_SIZE(lengths) };
  for (size_t pair = 0; pair < DTYPES * DTYPES; pair++)
    for (size_t i = 0; i < 2 * LENGTHS; i++) {
      const int64_t n = lengths[i / 2], columns = i % 2 ? n : APART;
      oy_tensor* from = oy_tensor_empty(OY_DIMS(APART_ROWS, APART), dtypes[pair / DTYPES],
                                        oy_device_cpu());
      oy_tensor* to = oy_tensor_empty(OY_DIMS(APART_ROWS, columns), dtypes[pair % DTYPES],
                                      oy_device_cpu());
      check_rows_apart(to, from, 3, n);
      oy_tensor_release(from);
      oy_tensor_release(to);
    }
}

// By way of int32, whatever place the element has; numbers that are none become its least.
static void floats_to_short_integers(void** state) {
  (void)state;
  enum { N = 83 };
  static const struct {
    float in;
    int8_t byte;
    int16_t word;
  } rows[] = {{-1.9f, -1, -1},     {127.9f, 127, 127}, {200, -56, 200}, {-300, -44, -300},
              {40000, 64, -25536}, {-65537, -1, -1},   {8388611, 3, 3}, {3e9f, 0, 0},
              {-3e9f, 0, 0},       {INFINITY, 0, 0},   {NAN, 0, 0}};
  enum { ROWS = sizeof(rows) / sizeof(*rows) };
  float in[N];
  double wide[N];
  int8_t bytes[N];
  int16_t words[N];
  for (int i = 0; i < N; i++) wide[i] = in[i] = rows[i % ROWS].in;
  for (int n = 1; n <= 2 * N; n++) {
    const bool is_wide = n > N;
    const oy_dtype from = is_wide ? OY_DTYPE_F64 : OY_DTYPE_F32;
    const char* at = is_wide ? (char*)wide : (char*)in;
    const int64_t item = is_wide ? 8 : 4, count = is_wide ? n - N : n;
    oyi_convert_row(OY_DTYPE_I8, (char*)bytes, 1, from, at, item, count);
    oyi_convert_row(OY_DTYPE_I16, (char*)words, 2, from, at, item, count);
    for (int i = 0; i < count; i++) {
      assert_int_equal(bytes[i], rows[i % ROWS].byte);
      assert_int_equal(words[i], rows[i % ROWS].word);
    }
  }
}

#define OVERFLOWS(type) "value cannot be converted to type " type " without overflow"

static void numbers_that_do_not_fit(void** state) {
  (void)state;
  static const double k = 1000, m = 1e6, h = 1e300, n = -5, o = -300;
  static const struct {
    oy_dtype dtype;
    const char* error;
    double bad[6], good[6];  // ended by 0
  } rows[] = {
      {OY_DTYPE_U8, OVERFLOWS("uint8_t"), {k, m, h, o, NAN, 255.5}, {5, 255}},
      {OY_DTYPE_I8, OVERFLOWS("int8_t"), {k, m, h, o, INFINITY}, {n, 127, -128}},
      {OY_DTYPE_I16,
       OVERFLOWS("int16_t"),
       {m, h, NAN, INFINITY, 65505},
       {k, n, o, 255.5}},
      {OY_DTYPE_I32, OVERFLOWS("int"), {h, NAN, INFINITY}, {k, m, n, o, 65505}},
      {OY_DTYPE_I64, OVERFLOWS("int64_t"), {h, NAN, -INFINITY}, {k, m, n, o, 255.5}},
      {OY_DTYPE_F16, OVERFLOWS("at::Half"), {m, h, 65505}, {k, n, NAN, INFINITY, 255.5}},
      {OY_DTYPE_BF16, OVERFLOWS("at::BFloat16"), {h, -h}, {k, m, NAN, INFINITY, 65505}},
      {OY_DTYPE_F32, OVERFLOWS("float"), {h, -h}, {k, m, NAN, INFINITY, 65505}},
      {OY_DTYPE_F64, NULL, {0}, {h, NAN, INFINITY}},
      {OY_DTYPE_C32, OVERFLOWS("c10::complex<c10::Half>"), {m, h, 65505}, {k, NAN}},
      {OY_DTYPE_C64, OVERFLOWS("c10::complex<float>"), {h}, {k, m, NAN, INFINITY}},
      {OY_DTYPE_BOOL, NULL, {0}, {k, m, h, n, NAN, INFINITY}},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    oy_tensor* t = oy_tensor_empty(OY_DIMS(1), rows[i].dtype, oy_device_cpu());
    for (int j = 0; j < 6 && rows[i].bad[j] != 0; j++) {
      assert_int_not_equal(oy_tensor_set(t, OY_DIMS(0), oy_float(rows[i].bad[j])), OY_OK);
      assert_error(rows[i].error);
    }
    for (int j = 0; j < 6 && rows[i].good[j] != 0; j++)
      assert_int_equal(oy_tensor_set(t, OY_DIMS(0), oy_float(rows[i].good[j])), OY_OK);
    oy_tensor_release(t);
  }
}

static void whole_numbers_that_do_not_fit(void** state) {
  (void)state;
  static const struct {
    oy_dtype dtype;
    int64_t number;
    double want;  // NAN: it does not fit
  } rows[] = {{OY_DTYPE_U8, -5, 251},
              {OY_DTYPE_U8, -300, NAN},
              {OY_DTYPE_U8, 1000, NAN},
              {OY_DTYPE_I8, -300, NAN},
              {OY_DTYPE_I16, INT64_MAX, NAN},
              {OY_DTYPE_I32, INT64_MAX, NAN},
              {OY_DTYPE_F16, INT64_MAX, NAN},
              {OY_DTYPE_BF16, INT64_MAX, 0x1p63},
              {OY_DTYPE_F32, INT64_MAX, 0x1p63},
              {OY_DTYPE_BOOL, INT64_MIN, 1}};
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    oy_tensor* t = oy_tensor_empty(OY_DIMS(1), rows[i].dtype, oy_device_cpu());
    bool fits = oy_fill__Scalar(t, oy_int(rows[i].number)) != NULL;
    assert_int_equal(fits, !isnan(rows[i].want));
    if (fits) assert_elements(t, OY_DIMS(1), rows[i].want);
    oy_error_clear();
    oy_tensor_release(t);
  }
}

// As PyTorch has it: by way of int64 to uint8, of int32 to int8, which is the least where a number
// does not fit. One of many that do not fit changes no other.
static void complex_numbers_to_bytes(void** state) {
  (void)state;
  enum { N = 150 };
  static const double great[] = {0x1p31, -0x1p31, 0x1p40 + 77, -0x1p50 - 3, 0x1p33 + 200};
  double parts[2 * N];
  for (int64_t n = 1; n <= N; n++) {
    for (int64_t i = 0; i < n; i++) {
      const bool is_great = i % 37 == n % 37;
      parts[2 * i] = is_great ? great[i % 5] : (double)(i * 5 - n) + 0.75;
      parts[2 * i + 1] = 1e300;
    }
    uint8_t bytes[N];
    int8_t signs[N];
    oyi_convert_row(OY_DTYPE_U8, (char*)bytes, 1, OY_DTYPE_C128, (char*)parts, 16, n);
    oyi_convert_row(OY_DTYPE_I8, (char*)signs, 1, OY_DTYPE_C128, (char*)parts, 16, n);
    for (int64_t i = 0; i < n; i++) {
      const double x = parts[2 * i];
      const int32_t word = fabs(x) < 0x1p31 ? (int32_t)x : INT32_MIN;
      assert_int_equal(bytes[i], (uint8_t)(int64_t)x);
      assert_int_equal(signs[i], (int8_t)word);
    }
  }
}

static void complex_numbers_in_and_out(void** state) {
  (void)state;
  const oy_complex c = {1.5, -2};
  static const oy_dtype dtypes[] = {OY_DTYPE_C32, OY_DTYPE_C64, OY_DTYPE_C128};
  for (int i = 0; i < 3; i++) {
    oy_tensor* t = oy_tensor_empty(OY_DIMS(1, 1), dtypes[i], oy_device_cpu());
    assert_non_null(oy_fill__Scalar(t, oy_complex_value(&c)));
    oy_scalar s;
    assert_int_equal(oy_tensor_item(t, &s), OY_OK);
    assert_int_equal(s.tag, OY_TAG_COMPLEX);
    assert_true(s.as.complex_data->re == 1.5 && s.as.complex_data->im == -2);
    oy_tensor_release(t);  // the scalar is its own
    oy_tensor* again = oy_tensor_from_scalar(s);
    assert_int_equal(again->dtype, OY_DTYPE_C64);
    assert_prints(again, "tensor(1.5000-2.j)");
    oy_tensor_release(again);
    oy_value_release(&s);
  }
  oy_tensor* real = F32(OY_DIMS(1), 0);
  assert_int_not_equal(oy_tensor_set(real, OY_DIMS(0), oy_complex_value(&c)), OY_OK);
  assert_error(OVERFLOWS("float"));
  assert_int_not_equal(oy_tensor_set(real, OY_DIMS(0), oy_none()), OY_OK);
  assert_error("expected a number, got NoneType");
  oy_tensor_release(real);
}

static void one_element_is_a_number(void** state) {
  (void)state;
  oy_scalar s;
  oy_tensor* t = F32(OY_DIMS(2), 1, 2);
  assert_int_not_equal(oy_tensor_item(t, &s), OY_OK);
  assert_error("a Tensor with 2 elements cannot be converted to Scalar");
  oy_tensor_release(t);
  const uint64_t big = UINT64_MAX;
  t = oy_tensor_from_data(&big, OY_DIMS(1), OY_DTYPE_U64);
  assert_int_not_equal(oy_tensor_item(t, &s), OY_OK);
  assert_error(OVERFLOWS("int64_t"));
  oy_tensor_release(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_pair_of_dtypes),
      cmocka_unit_test(long_rows),
      cmocka_unit_test(long_rows_to_complex),
      cmocka_unit_test(rows_are_their_elements),
      cmocka_unit_test(rows_apart_are_their_elements),
      cmocka_unit_test(floats_to_short_integers),
      cmocka_unit_test(numbers_that_do_not_fit),
      cmocka_unit_test(whole_numbers_that_do_not_fit),
      cmocka_unit_test(complex_numbers_to_bytes),
      cmocka_unit_test(complex_numbers_in_and_out),
      cmocka_unit_test(one_element_is_a_number),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
