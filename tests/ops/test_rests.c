// SPDX-License-Identifier: Apache-2.0
// Remainders of floats are exact, whatever the bits of their operands and the way that a
// block of them goes: each is compared with C's fmod, and what is made of it with the
// definitions in PyTorch's documentation of remainder and floor_divide.
#include "support/tensors.h"

enum { COUNT = 6000 };

static uint64_t g_state = 1;

// Knuth's MMIX generator.
static uint64_t next_bits(void) {
  g_state = g_state * 6364136223846793005u + 1442695040888963407u;
  return g_state >> 32 ^ g_state << 32;
}

// Any bits; whole numbers, zeros among them; near a multiple; of like size.
static double operand(int kind, double other) {
  const uint64_t bits = next_bits();
  const double whole = (double)(int64_t)(bits % 41) - 20;
  if (kind == 1) return whole;
  if (kind == 2) return other == 0 ? (double)(bits % 97) / 8 : other * whole * 1001;
  if (kind == 3) return ldexp((double)(int32_t)bits, -31 + (int)(bits >> 40) % 20);
  double any;
  memcpy(&any, &bits, sizeof(any));
  return any;
}

static double floor_quotient(double a, double b, double rest) {
  double quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  const double low = floor(quotient);
  if (quotient == 0) return copysign(0, a / b);
  return quotient - low > 0.5 ? low + 1 : low;
}
static float floor_quotientf(float a, float b, float rest) {
  float quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  const float low = floorf(quotient);
  if (quotient == 0) return copysignf(0, a / b);
  return quotient - low > 0.5f ? low + 1 : low;
}

static void assert_same(double got, double want, double a, double b) {
  const bool same =
      (isnan(got) && isnan(want)) || (got == want && !signbit(got) == !signbit(want));
  if (!same) fail_msg("of %a and %a: %a, not %a", a, b, got, want);
}

static void check(oy_dtype dtype, int kind, int64_t step) {
  static double a[COUNT], b[COUNT];
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x =
      oy_scope_take(oy_tensor_empty(OY_DIMS(COUNT * step), dtype, oy_device_cpu()));
  oy_tensor* y = oy_scope_take(oy_tensor_empty(OY_DIMS(COUNT), dtype, oy_device_cpu()));
  assert_non_null(x);
  assert_non_null(y);
  for (int64_t i = 0; i < COUNT; i++) {
    b[i] = operand(kind, 0);
    a[i] = operand(kind, b[i]);
    if (dtype == OY_DTYPE_F32) {
      const float u = (float)a[i], v = (float)b[i];
      ((float*)oy_tensor_data(x))[i * step] = u;
      ((float*)oy_tensor_data(y))[i] = v;
      a[i] = (double)u, b[i] = (double)v;
    } else {
      ((double*)oy_tensor_data(x))[i * step] = a[i];
      ((double*)oy_tensor_data(y))[i] = b[i];
    }
  }
  oy_tensor* apart =
      oy_scope_take(oy_tensor_as_strided(x, OY_DIMS(COUNT), OY_DIMS(step), 0));
  oy_tensor* r = oy_fmod_Tensor(apart, y);
  oy_tensor* m = oy_remainder_Tensor(apart, y);
  oy_tensor* f = oy_floor_divide(apart, y);
  for (int64_t i = 0; i < COUNT; i++) {
    const bool single = dtype == OY_DTYPE_F32;
#define AT(t)                                            \
  (single ? (double)((const float*)oy_tensor_data(t))[i] \
          : ((const double*)oy_tensor_data(t))[i])
    const double rest =
        single ? (double)fmodf((float)a[i], (float)b[i]) : fmod(a[i], b[i]);
    double mod = rest;
    if (rest != 0 && (b[i] < 0) != (rest < 0))
      mod = single ? (double)((float)rest + (float)b[i]) : rest + b[i];
    double whole = single ? (double)floor_quotientf((float)a[i], (float)b[i], (float)rest)
                          : floor_quotient(a[i], b[i], rest);
    if (b[i] == 0) whole = a[i] / b[i];
    assert_same(AT(r), rest, a[i], b[i]);
    assert_same(AT(m), mod, a[i], b[i]);
    assert_same(AT(f), whole, a[i], b[i]);
#undef AT
  }
  oy_scope_close(&scope);
}

static void OPS_rests_are_exact(void** state) {
  (void)state;
  for (int kind = 0; kind < 4; kind++)
    for (int64_t step = 1; step < 3; step++) {
      check(OY_DTYPE_F32, kind, step);
      check(OY_DTYPE_F64, kind, step);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(OPS_rests_are_exact)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
