// SPDX-License-Identifier: Apache-2.0
// Arithmetic whose arguments or errors are not those of a whole group of operators.
#include "backends/cpu/pointwise/elementwise.h"

#include "ops/rules/rules.h"

enum { INPLACE = OYI_ITER_INPLACE, FLOAT = OYI_ITER_INT_TO_FLOAT };

OYI_CPU(add_Tensor) {
  return oyi_cpu_binary_alpha(NULL, self, other, alpha, 0, OYI_LOOP_add);
}
OYI_CPU(add_out) {
  return oyi_cpu_binary_alpha_into(out, self, other, alpha, 0, OYI_LOOP_add);
}
OYI_CPU(add__Tensor) {
  return oyi_cpu_binary_alpha_into(self, self, other, alpha, INPLACE, OYI_LOOP_add);
}

// "-" has no meaning for bools; the error is set then.
static bool is_bool_subtraction(const oy_object* self, const oy_object* other) {
  if (self->dtype != OY_DTYPE_BOOL && other->dtype != OY_DTYPE_BOOL) return false;
  if (self->dtype == other->dtype)
    OY_FAIL(TYPE_MISMATCH,
            "Subtraction, the `-` operator, with two bool tensors is not supported. "
            "Use the `^` or `logical_xor()` operator instead.");
  else
    OY_FAIL(TYPE_MISMATCH,
            "Subtraction, the `-` operator, with a bool tensor is not supported. If "
            "you are trying to invert a mask, use the `~` or `logical_not()` "
            "operator instead.");
  return true;
}

OYI_CPU(sub_Tensor) {
  if (is_bool_subtraction(self, other)) return NULL;
  return oyi_cpu_binary_alpha(NULL, self, other, alpha, 0, OYI_LOOP_sub);
}
OYI_CPU(sub_out) {
  if (is_bool_subtraction(self, other)) return NULL;
  return oyi_cpu_binary_alpha_into(out, self, other, alpha, 0, OYI_LOOP_sub);
}
OYI_CPU(sub__Tensor) {
  if (is_bool_subtraction(self, other)) return NULL;
  return oyi_cpu_binary_alpha_into(self, self, other, alpha, INPLACE, OYI_LOOP_sub);
}

OYI_CPU(rsub_Tensor) {
  if (is_bool_subtraction(self, other)) return NULL;
  return oyi_cpu_binary_alpha(NULL, other, self, alpha, 0, OYI_LOOP_sub);
}

// ------------------------------------------------------------------- division

typedef struct zero_search {
  int64_t bytes;
  bool* found;
} zero_search;

// Whether one of |n| numbers is 0. Most lie together and most are not: there is nothing to
// decide before the end. All but 0 have the sign set, or their negation has, which vectors
// without comparisons of 64 bits find too.
#define HAS_ZERO(T)                                                  \
  static bool has_zero_##T(const char* x, int64_t n, int64_t step) { \
    T all = (T)-1;                                                   \
    for (int64_t i = 0; step == (int64_t)sizeof(T) && i < n; i++) {  \
      const T one = ((const T*)(const void*)x)[i];                   \
      all &= (T)(one | (0u - one));                                  \
    }                                                                \
    for (int64_t i = 0; step != (int64_t)sizeof(T) && i < n; i++) {  \
      const T one = *(const T*)(const void*)(x + i * step);          \
      all &= (T)(one | (0u - one));                                  \
    }                                                                \
    return all >> (8 * sizeof(T) - 1) == 0;                          \
  }
HAS_ZERO(uint8_t)
HAS_ZERO(uint16_t)
HAS_ZERO(uint32_t)
HAS_ZERO(uint64_t)

// The divisor is the second input. A result that is written while others look is the
// same from all of them.
static void find_zero(int64_t n, char* const* data, const int64_t* strides,
                      const void* args) {
  const zero_search* search = args;
  const char* x = data[2];
  const int64_t step = strides[2], count = step ? n : 1;
  const bool found = search->bytes == 1   ? has_zero_uint8_t(x, count, step)
                     : search->bytes == 2 ? has_zero_uint16_t(x, count, step)
                     : search->bytes == 4 ? has_zero_uint32_t(x, count, step)
                                          : has_zero_uint64_t(x, count, step);
  if (found) __atomic_store_n(search->found, true, __ATOMIC_RELAXED);
}

// Integers are not divided by zero; floats are.
oy_object* oyi_cpu_binary_dividing(oy_object* out, oy_object* self, oy_object* other,
                                   unsigned flags, oyi_cpu_loop which) {
  oyi_iter it;
  oy_object* inputs[] = {self, other};
  bool found = false;
  if (oyi_iter_elementwise(&it, out, inputs, 2, flags) != 0) return NULL;
  if (oy_dtype_is_integral(it.dtype, false) && it.runs) {
    zero_search search = {oyi_dtype_bytes[it.dtype], &found};
    oyi_iter_run(&it, find_zero, &search);
  }
  if (!found) return oyi_cpu_run(&it, which, NULL);
  oyi_iter_abandon(&it);
  OY_FAIL(INVALID_ARGUMENT, "ZeroDivisionError");
  return NULL;
}

static oy_object* divide(oy_object* out, oy_object* self, oy_object* other,
                         unsigned flags, oy_value mode) {
  oy_str name =
      mode.tag == OY_TAG_STR ? (oy_str){mode.as.chars, mode.count} : (oy_str){0};
  if (mode.tag == OY_TAG_NONE)
    return oyi_cpu_binary(out, self, other, flags | FLOAT, OYI_LOOP_div);
  if (oy_str_equal(name, oy_str_of("trunc")))
    return oyi_cpu_binary_dividing(out, self, other, flags, OYI_LOOP_div_trunc);
  if (oy_str_equal(name, oy_str_of("floor")))
    return oyi_cpu_binary_dividing(out, self, other, flags, OYI_LOOP_div_floor);
  OY_FAIL(INVALID_ARGUMENT,
          "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
          "'%.*s'",
          OY_STR_ARG(name));
  return NULL;
}

OYI_CPU(div_Tensor_mode) {
  return divide(NULL, self, other, 0, rounding_mode);
}
OYI_CPU(div_out_mode) {
  return divide(out, self, other, 0, rounding_mode);
}
OYI_CPU(div__Tensor_mode) {
  return divide(self, self, other, INPLACE, rounding_mode);
}
OYI_CPU(floor_divide) {
  return oyi_cpu_binary_dividing(NULL, self, other, 0, OYI_LOOP_div_floor);
}
OYI_CPU(floor_divide_out) {
  return oyi_cpu_binary_dividing(out, self, other, 0, OYI_LOOP_div_floor);
}
OYI_CPU(floor_divide__Tensor) {
  return oyi_cpu_binary_dividing(self, self, other, INPLACE, OYI_LOOP_div_floor);
}
OYI_CPU(remainder_Scalar_Tensor) {
  oy_object* number = oyi_wrap_number(self);
  if (!number) return NULL;
  oy_object* result = oyi_cpu_binary_dividing(NULL, number, other, 0, OYI_LOOP_remainder);
  oy_tensor_release(number);
  return result;
}

// ---------------------------------------------------- operators with other names

static oy_object* step(oy_object* out, oy_object* self, oy_object* values,
                       unsigned flags) {
  if (oy_dtype_is_complex(self->dtype) || oy_dtype_is_complex(values->dtype) ||
      (out && oy_dtype_is_complex(out->dtype)))
    return OYI_REFUSE("heaviside is not yet implemented for complex tensors.");
  if (self->dtype != values->dtype || (out && out->dtype != self->dtype))
    return OYI_REFUSE(
        "heaviside is not yet implemented for tensors with different dtypes.");
  return oyi_cpu_binary(out, self, values, flags, OYI_LOOP_heaviside);
}

OYI_CPU(heaviside) {
  return step(NULL, self, values, 0);
}
OYI_CPU(heaviside_out) {
  return step(out, self, values, 0);
}
OYI_CPU(heaviside_) {
  return step(self, self, values, INPLACE);
}
OYI_CPU(xlogy_Tensor) {
  return oyi_cpu_binary(NULL, self, other, FLOAT, OYI_LOOP_xlogy);
}
OYI_CPU(xlogy_OutTensor) {
  return oyi_cpu_binary(out, self, other, FLOAT, OYI_LOOP_xlogy);
}
OYI_CPU(xlogy__Tensor) {
  return oyi_cpu_binary(self, self, other, FLOAT | INPLACE, OYI_LOOP_xlogy);
}
