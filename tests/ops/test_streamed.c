// SPDX-License-Identifier: Apache-2.0
// Results that are too great for the caches are written past them, and are what short pieces
// of the same operands give, bit for bit: into new memory, from the middle of a line on, and
// in place, by one thread and by two.
#include "base/memory.h"
#include "support/tensors.h"

enum { GREAT = 17 << 20, PIECE = 1 << 16 };

typedef oy_tensor* (*of_three)(oy_tensor* a, oy_tensor* b, oy_tensor* c, oy_tensor* out);

static oy_tensor* add(oy_tensor* a, oy_tensor* b, oy_tensor* c, oy_tensor* out) {
  (void)c;
  return out ? oy_add_out(a, b, oy_int(3), out) : oy_add_Tensor(a, b, oy_int(3));
}
static oy_tensor* sub(oy_tensor* a, oy_tensor* b, oy_tensor* c, oy_tensor* out) {
  (void)c;
  return out ? oy_sub_out(a, b, oy_int(1), out) : oy_sub_Tensor(a, b, oy_int(1));
}
static oy_tensor* mul(oy_tensor* a, oy_tensor* b, oy_tensor* c, oy_tensor* out) {
  (void)c;
  return out ? oy_mul_out(a, b, out) : oy_mul_Tensor(a, b);
}
static oy_tensor* quotient(oy_tensor* a, oy_tensor* b, oy_tensor* c, oy_tensor* out) {
  (void)c;
  return out ? oy_div_out(a, b, out) : oy_div_Tensor(a, b);
}
static oy_tensor* addcmul(oy_tensor* a, oy_tensor* b, oy_tensor* c, oy_tensor* out) {
  return out ? oy_addcmul_out(a, b, c, oy_int(2), out) : oy_addcmul(a, b, c, oy_int(2));
}
static oy_tensor* both_bits(oy_tensor* a, oy_tensor* b, oy_tensor* c, oy_tensor* out) {
  (void)c;
  return out ? oy_bitwise_and_Tensor_out(a, b, out) : oy_bitwise_and_Tensor(a, b);
}
static oy_tensor* lerp(oy_tensor* a, oy_tensor* b, oy_tensor* c, oy_tensor* out) {
  (void)c;
  return out ? oy_lerp_Scalar_out(a, b, oy_float(0.3), out)
             : oy_lerp_Scalar(a, b, oy_float(0.3));
}
static oy_tensor* where(oy_tensor* a, oy_tensor* b, oy_tensor* c, oy_tensor* out) {
  oy_tensor* mask = oy_ne_Scalar(c, oy_int(1));
  assert_non_null(mask);
  return out ? oy_where_self_out(mask, a, b, out) : oy_where_self(mask, a, b);
}

enum kinds { FLOATS = 1, INTEGERS = 2, ALL = FLOATS | INTEGERS };
static const struct {
  const char* name;
  of_three fn;
  unsigned kinds;
} g_operators[] = {{"add", add, ALL},         {"sub", sub, ALL},
                   {"mul", mul, ALL},         {"div", quotient, FLOATS},
                   {"addcmul", addcmul, ALL}, {"where", where, ALL},
                   {"lerp", lerp, FLOATS},    {"bitwise_and", both_bits, INTEGERS}};

static oy_tensor* numbers(int64_t n, int64_t by, oy_dtype dtype) {
  oy_tensor* steps =
      oy_arange(oy_int(n), oy_int(OY_DTYPE_I64), oy_none(), oy_none(), oy_none());
  oy_tensor* made = oy_to_dtype(
      oy_sub_Scalar(oy_remainder_Scalar(oy_mul_Scalar(steps, oy_int(by)), oy_int(113)),
                    oy_int(40), oy_int(1)),
      dtype, false, false, oy_none());
  if (!made) fail_msg("%s", oy_error_get()->message);
  return made;
}

static oy_tensor* part(oy_tensor* t, int64_t from, int64_t n) {
  oy_tensor* p = oy_narrow(t, 0, from, n);
  assert_non_null(p);
  return p;
}

static void expect_pieces(size_t op, oy_tensor* const* in, oy_tensor* got) {
  const int64_t n = oy_tensor_numel(got);
  const size_t item = oy_dtype_size(got->dtype);
  for (int64_t from = 0; from < n; from += PIECE) {
    oy_scope scope;
    oy_scope_open(&scope);
    const int64_t some = n - from < PIECE ? n - from : PIECE;
    oy_tensor* want = g_operators[op].fn(part(in[0], from, some), part(in[1], from, some),
                                         part(in[2], from, some), NULL);
    assert_non_null(want);
    const char* at = (const char*)oy_tensor_data(got) + (size_t)from * item;
    if (memcmp(at, oy_tensor_data(want), (size_t)some * item) != 0)
      fail_msg("%s of %s: not what pieces give from %lld on", g_operators[op].name,
               oy_dtype_name(got->dtype), (long long)from);
    oy_scope_close(&scope);
  }
}

static void check(size_t op, oy_dtype dtype) {
  oy_scope scope;
  oy_scope_open(&scope);
  const int64_t n = GREAT / (int64_t)oy_dtype_size(dtype) + 5;
  oy_tensor* in[] = {numbers(n, 7919, dtype), numbers(n, 31, dtype),
                     numbers(n, 57, dtype)};
  of_three fn = g_operators[op].fn;
  oy_tensor* made = fn(in[0], in[1], in[2], NULL);
  if (!made) fail_msg("%s: %s", g_operators[op].name, oy_error_get()->message);
  expect_pieces(op, in, made);
  oy_tensor* wide =
      oy_zeros(OY_DIMS(n + 3), oy_int(dtype), oy_none(), oy_none(), oy_none());
  assert_non_null(wide);
  oy_tensor* out = part(wide, 1, n);
  assert_non_null(fn(in[0], in[1], in[2], out));
  expect_pieces(op, in, out);
  const char zeros[16] = {0}, *first = oy_tensor_data(wide);
  const size_t item = oy_dtype_size(dtype);
  assert_memory_equal(first, zeros, item);
  assert_memory_equal(first + (size_t)(n + 1) * item, zeros, item);
  oy_tensor* place = oy_clone(in[0], oy_none());
  assert_non_null(fn(place, in[1], in[2], place));
  expect_pieces(op, in, place);
  oy_scope_close(&scope);
}

// Into new memory, and between middles of lines that are not the same.
static void copied(void** state) {
  (void)state;
  for (int threads = 1; threads <= 2; threads++) {
    assert_int_equal(oy_set_num_threads(threads), OY_OK);
    oy_scope scope;
    oy_scope_open(&scope);
    const int64_t n = GREAT / (int64_t)sizeof(int16_t) + 7;
    oy_tensor* x = numbers(n, 7919, OY_DTYPE_I16);
    const int16_t *from = oy_tensor_data(x),
                  *made = oy_tensor_data(oy_clone(x, oy_none()));
    assert_memory_equal(made, from, (size_t)n * sizeof(*from));
    oy_tensor* wide =
        oy_zeros(OY_DIMS(n), oy_int(OY_DTYPE_I16), oy_none(), oy_none(), oy_none());
    oy_tensor* middle = part(wide, 3, n - 5);
    assert_ptr_equal(oy_copy_(middle, part(x, 5, n - 5), false), middle);
    const int16_t* to = oy_tensor_data(wide);
    assert_memory_equal(to + 3, from + 5, (size_t)(n - 5) * sizeof(*from));
    assert_true(to[0] == 0 && to[2] == 0 && to[n - 2] == 0 && to[n - 1] == 0);
    oy_scope_close(&scope);
  }
}

static void streamed(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64,  OY_DTYPE_I32,
                                    OY_DTYPE_I64, OY_DTYPE_C128, OY_DTYPE_I16};
  for (int threads = 1; threads <= 2; threads++) {
    assert_int_equal(oy_set_num_threads(threads), OY_OK);
    for (size_t op = 0; op < OY_ARRAY_SIZE(g_operators); op++)
      for (size_t d = 0; d < OY_ARRAY_SIZE(dtypes); d++) {
        const bool floats =
            oy_dtype_is_floating(dtypes[d]) || oy_dtype_is_complex(dtypes[d]);
        if (g_operators[op].kinds & (floats ? FLOATS : INTEGERS)) check(op, dtypes[d]);
      }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(copied),
                                     cmocka_unit_test(streamed)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
