// SPDX-License-Identifier: Apache-2.0
// Elementwise operators against the CPU's: every expression, the dtypes that it has forms
// for, broadcast and strided operands, in place and into an output, no elements.
#include "gpu/support.h"

#define T(t) oy_value_tensor(t)
static const double close_enough = 4e-6;

static void each_unary(const char* const* names, size_t count, oy_dtype dtype) {
  oy_tensor* a = numbers(OY_DIMS(4, 9), dtype, 3);
  for (size_t i = 0; i < count; i++) CHECK_CALL(names[i], close_enough, T(a));
  oy_tensor_release(a);
}
#define EACH_UNARY(dtype, ...)                   \
  each_unary((const char* const[]){__VA_ARGS__}, \
             sizeof((const char* const[]){__VA_ARGS__}) / sizeof(char*), dtype)

static void gpu_pointwise_math(void** state) {
  (void)state;
  EACH_UNARY(OY_DTYPE_F32, "aten::exp", "aten::exp2", "aten::expm1", "aten::log",
             "aten::log2", "aten::log10", "aten::log1p", "aten::sqrt", "aten::rsqrt",
             "aten::reciprocal", "aten::sin", "aten::cos", "aten::tan", "aten::asin",
             "aten::acos", "aten::atan", "aten::sinh", "aten::cosh", "aten::tanh",
             "aten::asinh", "aten::acosh", "aten::atanh", "aten::erf", "aten::erfc",
             "aten::sinc", "aten::sigmoid", "aten::frac", "aten::ceil", "aten::floor",
             "aten::round", "aten::trunc", "aten::sign", "aten::abs", "aten::neg",
             "aten::sgn", "aten::signbit", "aten::isposinf", "aten::logical_not");
}

static void gpu_pointwise_activations(void** state) {
  (void)state;
  EACH_UNARY(OY_DTYPE_F32, "aten::relu", "aten::silu", "aten::mish", "aten::hardsigmoid",
             "aten::hardswish", "aten::gelu", "aten::leaky_relu", "aten::elu",
             "aten::softplus", "aten::hardtanh", "aten::hardshrink", "aten::softshrink");
  oy_tensor* a = numbers(OY_DIMS(30), OY_DTYPE_F32, 5);
  CHECK_CALL("aten::gelu", close_enough, T(a), oy_value_str(oy_str_of("tanh")));
  CHECK_CALL("aten::elu", close_enough, T(a), oy_float(0.5), oy_float(2), oy_float(3));
  CHECK_CALL("aten::threshold", 0, T(a), oy_float(0.5), oy_float(-7));
  CHECK_CALL("aten::log_sigmoid", close_enough, T(a));
  CHECK_CALL("aten::leaky_relu_", 0, T(a), oy_float(0.25));
  oy_tensor_release(a);
}

static void gpu_pointwise_gradients(void** state) {
  (void)state;
  oy_tensor* g = numbers(OY_DIMS(6, 5), OY_DTYPE_F32, 7);
  oy_tensor* x = numbers(OY_DIMS(6, 5), OY_DTYPE_F32, 8);
  static const char* const plain[] = {
      "aten::sigmoid_backward", "aten::tanh_backward",        "aten::silu_backward",
      "aten::mish_backward",    "aten::hardsigmoid_backward", "aten::hardswish_backward",
      "aten::gelu_backward"};
  for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
    CHECK_CALL(plain[i], close_enough, T(g), T(x));
  CHECK_CALL("aten::gelu_backward", close_enough, T(g), T(x),
             oy_value_str(oy_str_of("tanh")));
  CHECK_CALL("aten::threshold_backward", 0, T(g), T(x), oy_float(0.5));
  CHECK_CALL("aten::leaky_relu_backward", 0, T(g), T(x), oy_float(0.25), oy_bool(false));
  CHECK_CALL("aten::softplus_backward", close_enough, T(g), T(x), oy_float(2),
             oy_float(1));
  CHECK_CALL("aten::hardtanh_backward", 0, T(g), T(x), oy_float(-1), oy_float(1));
  CHECK_CALL("aten::hardshrink_backward", 0, T(g), T(x), oy_float(0.5));
  CHECK_CALL("aten::softshrink_backward", 0, T(g), T(x), oy_float(0.5));
  CHECK_CALL("aten::elu_backward", close_enough, T(g), oy_float(1.5), oy_float(2),
             oy_float(1), oy_bool(false), T(x));
  CHECK_CALL("aten::elu_backward", close_enough, T(g), oy_float(1.5), oy_float(2),
             oy_float(1), oy_bool(true), T(x));
  oy_tensor_release(g);
  oy_tensor_release(x);
}

static void each_binary(const char* const* names, size_t count, oy_dtype dtype) {
  oy_tensor* a = numbers(OY_DIMS(4, 9), dtype, 3);
  oy_tensor* b = numbers(OY_DIMS(4, 9), dtype, 4);
  for (size_t i = 0; i < count; i++) CHECK_CALL(names[i], close_enough, T(a), T(b));
  oy_tensor_release(a);
  oy_tensor_release(b);
}
#define EACH_BINARY(dtype, ...)                   \
  each_binary((const char* const[]){__VA_ARGS__}, \
              sizeof((const char* const[]){__VA_ARGS__}) / sizeof(char*), dtype)

static void gpu_pointwise_binary(void** state) {
  (void)state;
  EACH_BINARY(OY_DTYPE_F32, "aten::add.Tensor", "aten::sub.Tensor", "aten::mul.Tensor",
              "aten::div.Tensor", "aten::floor_divide", "aten::remainder.Tensor",
              "aten::fmod.Tensor", "aten::maximum", "aten::minimum", "aten::fmax",
              "aten::fmin", "aten::atan2", "aten::hypot", "aten::nextafter",
              "aten::logaddexp", "aten::copysign.Tensor", "aten::xlogy.Tensor",
              "aten::eq.Tensor", "aten::ne.Tensor", "aten::lt.Tensor", "aten::le.Tensor",
              "aten::gt.Tensor", "aten::ge.Tensor", "aten::logical_and",
              "aten::logical_or", "aten::logical_xor", "aten::pow.Tensor_Tensor",
              "aten::heaviside");
}

static void gpu_pointwise_integers(void** state) {
  (void)state;
  EACH_BINARY(OY_DTYPE_I64, "aten::add.Tensor", "aten::mul.Tensor", "aten::gcd",
              "aten::lcm", "aten::bitwise_and.Tensor", "aten::bitwise_or.Tensor",
              "aten::bitwise_xor.Tensor", "aten::maximum", "aten::lt.Tensor",
              "aten::div.Tensor");
  EACH_BINARY(OY_DTYPE_I32, "aten::sub.Tensor", "aten::eq.Tensor");
  EACH_BINARY(OY_DTYPE_BOOL, "aten::add.Tensor", "aten::mul.Tensor", "aten::maximum",
              "aten::bitwise_xor.Tensor", "aten::logical_and");
  EACH_UNARY(OY_DTYPE_I64, "aten::abs", "aten::neg", "aten::bitwise_not", "aten::sign",
             "aten::exp", "aten::relu", "aten::floor");
  EACH_UNARY(OY_DTYPE_BOOL, "aten::bitwise_not", "aten::logical_not", "aten::sqrt");
  EACH_UNARY(OY_DTYPE_U8, "aten::bitwise_not", "aten::square");
  oy_tensor* bytes = numbers(OY_DIMS(20), OY_DTYPE_U8, 3);
  CHECK_CALL("aten::remainder.Scalar", 0, T(bytes), oy_int(-1));
  CHECK_CALL("aten::fmod.Scalar", 0, T(bytes), oy_int(-1));
  CHECK_CALL("aten::floor_divide.Scalar", 0, T(bytes), oy_int(-1));
  oy_tensor* part = numbers(OY_DIMS(), OY_DTYPE_F16, 3);
  assert_int_equal(oy_tensor_set(part, OY_DIMS(), oy_float(-0.5)), OY_OK);
  CHECK_REFUSED("aten::fill_.Tensor", T(bytes), T(part));
  CHECK_REFUSED("aten::fill_.Scalar", T(bytes), oy_int(256));
  oy_tensor_release(bytes);
  oy_tensor_release(part);
  oy_tensor* a = numbers(OY_DIMS(20), OY_DTYPE_I64, 3);
  CHECK_CALL("aten::remainder.Scalar", 0, T(a), oy_int(3));
  CHECK_CALL("aten::floor_divide.Scalar", 0, T(a), oy_int(-3));
  CHECK_CALL("aten::fmod.Scalar", 0, T(a), oy_int(4));
  CHECK_CALL("aten::bitwise_left_shift.Tensor_Scalar", 0, T(a), oy_int(2));
  CHECK_CALL("aten::bitwise_right_shift.Tensor_Scalar", 0, T(a), oy_int(1));
  CHECK_CALL("aten::pow.Tensor_Scalar", 0, T(a), oy_int(2));
  CHECK_CALL("aten::pow.Tensor_Scalar", 0, T(a), oy_int(5));
  CHECK_REFUSED("aten::pow.Tensor_Scalar", T(a), oy_int(-2));
  oy_tensor_release(a);
}

static void gpu_pointwise_dtypes(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_F64, OY_DTYPE_F16, OY_DTYPE_BF16,
                                    OY_DTYPE_I16, OY_DTYPE_I8};
  for (size_t i = 0; i < sizeof(dtypes) / sizeof(*dtypes); i++) {
    oy_tensor* a = numbers(OY_DIMS(3, 40), dtypes[i], 3);
    oy_tensor* b = numbers_stepped(OY_DIMS(3, 40), dtypes[i], 4);
    CHECK_CALL("aten::add.Tensor", 0, T(a), T(a));
    CHECK_CALL("aten::mul.Tensor", 0, T(a), T(b));
    CHECK_CALL("aten::lt.Tensor", 0, T(a), T(b));
    if (oy_dtype_is_floating(dtypes[i])) CHECK_CALL("aten::tanh", 4e-6, T(a));
    oy_tensor_release(a);
    oy_tensor_release(b);
  }
}

static void gpu_pointwise_promotion(void** state) {
  (void)state;
  oy_tensor* f = numbers(OY_DIMS(12), OY_DTYPE_F32, 1);
  oy_tensor* i = numbers(OY_DIMS(12), OY_DTYPE_I64, 2);
  oy_tensor* h = numbers(OY_DIMS(12), OY_DTYPE_F16, 3);
  oy_tensor* o = numbers(OY_DIMS(0), OY_DTYPE_F32, 3);
  CHECK_CALL("aten::add.Tensor", 0, T(f), T(i));
  CHECK_CALL("aten::mul.Tensor", 0, T(h), T(f));
  CHECK_CALL("aten::add.Scalar", 0, T(i), oy_float(0.5));
  CHECK_CALL("aten::add.Scalar", 0, T(f), oy_int(3), oy_int(2));
  CHECK_CALL("aten::eq.Scalar", 0, T(i), oy_float(0.5));
  CHECK_CALL("aten::gt.Scalar", 0, T(f), oy_int(1));
  CHECK_CALL("aten::rsub.Scalar", 0, T(f), oy_float(1.5));
  CHECK_CALL("aten::add.out", 0, T(f), T(i), oy_int(1), T(o));
  CHECK_REFUSED("aten::add_.Tensor", T(i), T(f));
  oy_tensor_release(f);
  oy_tensor_release(i);
  oy_tensor_release(h);
  oy_tensor_release(o);
}

static void gpu_pointwise_layouts(void** state) {
  (void)state;
  oy_tensor* a = numbers(OY_DIMS(5, 7, 3), OY_DTYPE_F32, 1);
  oy_tensor* turned = numbers_transposed(OY_DIMS(5, 7, 3), OY_DTYPE_F32, 2);
  oy_tensor* stepped = numbers_stepped(OY_DIMS(5, 7, 3), OY_DTYPE_F32, 3);
  oy_tensor* row = numbers(OY_DIMS(7, 1), OY_DTYPE_F32, 4);
  oy_tensor* none = numbers(OY_DIMS(5, 0, 3), OY_DTYPE_F32, 5);
  oy_tensor* one = numbers(OY_DIMS(1), OY_DTYPE_F32, 6);
  oy_tensor* lone = oy_tensor_view(one, oy_dims_none());
  CHECK_CALL("aten::add.Tensor", 0, T(a), T(turned));
  CHECK_CALL("aten::add.Tensor", 0, T(turned), T(turned));
  CHECK_CALL("aten::add.Tensor", 0, T(stepped), T(row));
  CHECK_CALL("aten::add.Tensor", 0, T(row), T(a));
  CHECK_CALL("aten::add.Tensor", 0, T(a), T(lone));
  CHECK_CALL("aten::add.Tensor", 0, T(lone), T(lone));
  CHECK_CALL("aten::add_.Tensor", 0, T(stepped), T(row));
  CHECK_CALL("aten::add_.Tensor", 0, T(turned), T(a));
  CHECK_CALL("aten::relu", 0, T(none));
  CHECK_CALL("aten::add.Tensor", 0, T(none), T(lone));
  CHECK_REFUSED("aten::add.Tensor", T(a), T(none));
  CHECK_REFUSED("aten::add_.Tensor", T(row), T(a));
  oy_tensor_release(a);
  oy_tensor_release(turned);
  oy_tensor_release(stepped);
  oy_tensor_release(row);
  oy_tensor_release(none);
  oy_tensor_release(one);
  oy_tensor_release(lone);
}

// Vectors and blocks of the flat form end in the middle.
static void gpu_pointwise_sizes(void** state) {
  (void)state;
  static const int64_t sizes[] = {1, 15, 16, 17, 1023, 1024, 1025, 5000};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
    oy_tensor* a = numbers(OY_DIMS(sizes[i]), OY_DTYPE_F32, (unsigned)i);
    CHECK_CALL("aten::add.Tensor", 0, T(a), T(a));
    oy_tensor_release(a);
  }
}

static void gpu_pointwise_three(void** state) {
  (void)state;
  oy_tensor* a = numbers(OY_DIMS(4, 6), OY_DTYPE_F32, 1);
  oy_tensor* b = numbers(OY_DIMS(4, 6), OY_DTYPE_F32, 2);
  oy_tensor* c = numbers(OY_DIMS(6), OY_DTYPE_F32, 3);
  oy_tensor* mask = numbers(OY_DIMS(4, 6), OY_DTYPE_BOOL, 4);
  oy_tensor* out = numbers(OY_DIMS(4, 6), OY_DTYPE_F32, 5);
  CHECK_CALL("aten::where.self", 0, T(mask), T(a), T(c));
  CHECK_CALL("aten::masked_fill.Scalar", 0, T(a), T(mask), oy_float(-1));
  CHECK_CALL("aten::masked_fill_.Scalar", 0, T(a), T(mask), oy_float(-2));
  CHECK_CALL("aten::clamp", 0, T(a), oy_float(-1), oy_float(0.5));
  CHECK_CALL("aten::clamp", 0, T(a), oy_none(), oy_float(0.5));
  CHECK_CALL("aten::clamp_min", 0, T(a), oy_float(0.5));
  CHECK_CALL("aten::clamp_min.out", 0, T(a), oy_float(0.5), T(out));
  CHECK_CALL("aten::clamp_max.out", 0, T(a), oy_float(0.5), T(out));
  CHECK_CALL("aten::clamp.Tensor", 0, T(a), T(c), T(b));
  CHECK_CALL("aten::clamp.Tensor", 0, T(a), oy_none(), T(b));
  CHECK_CALL("aten::lerp.Scalar", 1e-6, T(a), T(b), oy_float(0.3));
  CHECK_CALL("aten::lerp.Tensor", 1e-6, T(a), T(b), T(b));
  CHECK_CALL("aten::addcmul", 1e-6, T(a), T(b), T(c), oy_float(0.5));
  CHECK_CALL("aten::addcdiv", 1e-6, T(a), T(b), T(b), oy_float(0.5));
  CHECK_CALL("aten::pow.Tensor_Scalar", 1e-6, T(a), oy_float(2));
  CHECK_CALL("aten::pow.Tensor_Scalar", 1e-6, T(a), oy_float(0.5));
  CHECK_CALL("aten::pow.Tensor_Scalar", close_enough, T(b), oy_float(1.7));
  CHECK_CALL("aten::pow.Scalar", close_enough, oy_float(1.5), T(b));
  CHECK_CALL("aten::div.Tensor_mode", 0, T(a), T(b), oy_value_str(oy_str_of("floor")));
  CHECK_CALL("aten::div.Tensor_mode", 0, T(a), T(b), oy_value_str(oy_str_of("trunc")));
  CHECK_REFUSED("aten::div.Tensor_mode", T(a), T(b), oy_value_str(oy_str_of("up")));
  CHECK_REFUSED("aten::where.self", T(a), T(a), T(b));
  oy_tensor_release(a);
  oy_tensor_release(b);
  oy_tensor_release(c);
  oy_tensor_release(mask);
  oy_tensor_release(out);
}

// asin(-0.5) = -0.52359878; the nearest of float16, which a half gives, is -1072 / 2048.
static void gpu_pointwise_wide_out(void** state) {
  (void)state;
  oy_tensor* half = oy_tensor_empty(OY_DIMS(1), OY_DTYPE_F16, oy_device_cpu());
  oy_tensor* wide = oy_tensor_empty(OY_DIMS(1), OY_DTYPE_F32, gpu_device(0));
  assert_int_equal(oy_tensor_set(half, OY_DIMS(0), oy_float(-0.5)), OY_OK);
  oy_tensor* there = to_gpu(half, 0);
  assert_non_null(oy_asin_out(there, wide));
  oy_tensor* got = to_cpu(wide);
  assert_true(*(const float*)oy_tensor_data(got) == -1072.0f / 2048);
  oy_tensor* const all[] = {half, wide, there, got};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
}

// A wide tensor without dimensions is rounded to what it is computed with.
static void gpu_pointwise_wide_number(void** state) {
  (void)state;
  oy_tensor* half = numbers(OY_DIMS(2, 2), OY_DTYPE_F16, 1);
  oy_tensor* number = oy_tensor_empty(OY_DIMS(), OY_DTYPE_F64, oy_device_cpu());
  assert_int_equal(oy_tensor_set(half, OY_DIMS(1, 0), oy_float(-0.5)), OY_OK);
  assert_int_equal(oy_tensor_set(number, OY_DIMS(), oy_float(5.3385391260)), OY_OK);
  CHECK_CALL("aten::div.Tensor", 0, T(half), T(number));
  CHECK_CALL("aten::mul.Tensor", 0, T(half), T(number));
  oy_tensor_release(half);
  oy_tensor_release(number);
}

// PoCL 3.1 has `pow` and `fmod` of vectors of doubles wrong, element by element.
static void gpu_pointwise_doubles(void** state) {
  (void)state;
  oy_tensor* a = numbers(OY_DIMS(20, 40), OY_DTYPE_F64, 1);
  oy_tensor* b = numbers(OY_DIMS(20, 40), OY_DTYPE_F64, 2);
  CHECK_CALL("aten::pow.Tensor_Tensor", 1e-12, T(a), T(b));
  CHECK_CALL("aten::pow.Tensor_Scalar", 1e-12, T(a), oy_float(4));
  CHECK_CALL("aten::fmod.Tensor", 1e-12, T(a), T(b));
  oy_tensor_release(a);
  oy_tensor_release(b);
}

// Kernels that operators share, and those of one operator each: what is strided and mixed
// goes to either, by its size. Calls of several work-items, and rows longer than what is
// loaded at once.
static void gpu_pointwise_general(void** state) {
  static const char* const most[] = {"0", "1000000"};
  for (size_t i = 0; i < sizeof(most) / sizeof(*most); i++) {
    setenv("OPYARD_GPU_GENERAL", most[i], 1);
    oy_tensor* a = numbers_stepped(OY_DIMS(3, 40, 20), OY_DTYPE_F32, 1);
    oy_tensor* b = numbers_transposed(OY_DIMS(3, 40, 20), OY_DTYPE_I16, 2);
    oy_tensor* row = numbers(OY_DIMS(20), OY_DTYPE_BF16, 3);
    CHECK_CALL("aten::sub.Tensor", 0, T(a), T(b), oy_int(2));
    CHECK_CALL("aten::sub_.Tensor", 0, T(a), T(row));
    CHECK_CALL("aten::le.Tensor", 0, T(b), T(a));
    CHECK_CALL("aten::addcmul", 1e-6, T(a), T(b), T(row), oy_float(0.5));
    CHECK_CALL("aten::bitwise_and.Tensor", 0, T(b), T(b));
    CHECK_CALL("aten::exp", 1e-6, T(b));
    CHECK_CALL("aten::fill_.Scalar", 0, T(b), oy_int(-3));
    oy_tensor_release(a);
    oy_tensor_release(b);
    oy_tensor_release(row);
    gpu_pointwise_promotion(state);
    gpu_pointwise_layouts(state);
    gpu_pointwise_three(state);
  }
  unsetenv("OPYARD_GPU_GENERAL");
}

int main(void) {
  gpu_start();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gpu_pointwise_math),
      cmocka_unit_test(gpu_pointwise_activations),
      cmocka_unit_test(gpu_pointwise_gradients),
      cmocka_unit_test(gpu_pointwise_binary),
      cmocka_unit_test(gpu_pointwise_integers),
      cmocka_unit_test(gpu_pointwise_dtypes),
      cmocka_unit_test(gpu_pointwise_promotion),
      cmocka_unit_test(gpu_pointwise_layouts),
      cmocka_unit_test(gpu_pointwise_sizes),
      cmocka_unit_test(gpu_pointwise_three),
      cmocka_unit_test(gpu_pointwise_wide_out),
      cmocka_unit_test(gpu_pointwise_wide_number),
      cmocka_unit_test(gpu_pointwise_doubles),
      cmocka_unit_test(gpu_pointwise_general),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
