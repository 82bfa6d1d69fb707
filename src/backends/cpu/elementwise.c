// SPDX-License-Identifier: Apache-2.0
// What elementwise kernels of the CPU share: the iterator checks, promotes and
// broadcasts, then the loop of the common dtype runs over it. The functional,
// in-place and out= forms differ only in where the result goes.
#include "backends/cpu/elementwise.h"

#include "backends/cpu/half_loop.h"
#include "ops/rules.h"
#include "tensor/element.h"

// The numbers as a loop reads them, one behind the other.
typedef struct packed {
  _Alignas(16) char bytes[OYI_LOOP_NUMBERS * 16];
} packed;

// The 16-bit floats are computed in f32.
static inline oy_dtype compute_dtype(oy_dtype dtype) {
  return dtype == OY_DTYPE_F16 || dtype == OY_DTYPE_BF16 ? OY_DTYPE_F32 : dtype;
}

static oy_status pack(packed* p, oy_dtype dtype, const oyi_numbers* numbers) {
  memset(p, 0, sizeof(*p));
  for (int i = 0; i < numbers->count; i++) {
    const oyi_number number = oyi_number_of_scalar(numbers->at[i]);
    // Only what has an imaginary part cannot be: the others wrap and round.
    if (number.kind == OYI_NUMBER_COMPLEX && !oy_dtype_is_complex(dtype) &&
        number.im != 0)
      return oyi_number_check(number, dtype);
    oyi_element_store(dtype, p->bytes + i * oyi_dtype_bytes[dtype], number);
  }
  return OY_OK;
}

static __attribute__((noinline, cold)) oy_object* give_up(oyi_iter* it) {
  oyi_iter_abandon(it);
  return NULL;
}

// Where there is no loop for the dtype: by way of f32, or not at all.
static __attribute__((noinline)) oy_object* run_half(oyi_iter* it, oyi_cpu_loop which,
                                                     const void* args) {
  oyi_loop loop = oyi_cpu_loops[which][OY_DTYPE_F32];
  if (loop && compute_dtype(it->dtype) != it->dtype && !oyi_cpu_loop_is_wide[which]) {
    oyi_half_run(it, loop, args);
    return oyi_iter_finish(it);
  }
  OY_FAIL(NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", oyi_cpu_loop_names[which],
          oy_dtype_pytorch_name(it->dtype));
  return give_up(it);
}

static inline __attribute__((always_inline)) oy_object* run(oyi_iter* it,
                                                            oyi_cpu_loop which,
                                                            const void* args) {
  oyi_loop loop = it->dtype < OYI_LOOP_DTYPES ? oyi_cpu_loops[which][it->dtype] : NULL;
  if (OY_UNLIKELY(!loop)) return run_half(it, which, args);
  oyi_iter_run(it, loop, args);
  return oyi_iter_finish(it);
}

oy_object* oyi_cpu_run(oyi_iter* it, oyi_cpu_loop which, const oyi_numbers* numbers) {
  packed p;
  if (!numbers) return run(it, which, NULL);
  if (pack(&p, compute_dtype(it->dtype), numbers) != 0) return give_up(it);
  return run(it, which, p.bytes);
}

oy_object* oyi_cpu_pointwise(oy_object* out, oy_object* const* inputs, int input_count,
                             unsigned flags, oyi_cpu_loop which,
                             const oyi_numbers* numbers) {
  oyi_iter it;
  if (oyi_iter_elementwise(&it, out, inputs, input_count, flags) != 0) return NULL;
  return oyi_cpu_run(&it, which, numbers);
}

oy_object* oyi_cpu_unary(oy_object* out, oy_object* self, unsigned flags,
                         oyi_cpu_loop which) {
  oyi_iter it;
  if (oyi_iter_elementwise(&it, out, &self, 1, flags) != 0) return NULL;
  return run(&it, which, NULL);
}

oy_object* oyi_cpu_binary(oy_object* out, oy_object* self, oy_object* other,
                          unsigned flags, oyi_cpu_loop which) {
  oyi_iter it;
  oy_object* inputs[] = {self, other};
  if (oyi_iter_elementwise(&it, out, inputs, 2, flags) != 0) return NULL;
  return run(&it, which, NULL);
}

// Out of the way of the common case, which needs no more registers than it has.
static __attribute__((noinline)) oy_object* run_alpha(oyi_iter* it, oyi_cpu_loop which,
                                                      oy_scalar alpha) {
  if (oyi_check_alpha(it->dtype, alpha) != 0) return give_up(it);
  return oyi_cpu_run(it, which, OYI_NUMBERS(alpha));
}

oy_object* oyi_cpu_binary_alpha(oy_object* out, oy_object* self, oy_object* other,
                                oy_scalar alpha, unsigned flags, oyi_cpu_loop which) {
  oyi_iter it;
  oy_object* inputs[] = {self, other};
  if (oyi_iter_elementwise(&it, out, inputs, 2, flags) != 0) return NULL;
  if (OY_UNLIKELY(it.dtype != OY_DTYPE_F32 || alpha.tag != OY_TAG_INT))
    return run_alpha(&it, which, alpha);
  // The loops look at the first number only.
  float numbers[OYI_LOOP_NUMBERS];
  numbers[0] = (float)alpha.as.i;
  return run(&it, which, numbers);
}

oy_object* oyi_cpu_binary_number(oy_object* out, oy_object* self, oy_scalar other,
                                 unsigned flags, oyi_cpu_loop which) {
  oy_object* number = oyi_wrap_number(other);
  if (!number) return NULL;
  oy_object* result = oyi_cpu_binary(out, self, number, flags, which);
  oy_tensor_release(number);
  return result;
}

oy_object* oyi_cpu_number_binary(oy_object* out, oy_scalar self, oy_object* other,
                                 unsigned flags, oyi_cpu_loop which) {
  oy_object* number = oyi_wrap_number(self);
  if (!number) return NULL;
  oy_object* result = oyi_cpu_binary(out, number, other, flags, which);
  oy_tensor_release(number);
  return result;
}
