// SPDX-License-Identifier: Apache-2.0
// What elementwise kernels of the CPU share: the iterator checks, promotes and
// broadcasts, then the loop of the common dtype runs over it. The functional,
// in-place and out= forms differ only in where the result goes.
#include "backends/cpu/pointwise/elementwise.h"

#include "backends/cpu/loops/apart_loop.h"
#include "backends/cpu/loops/half_loop.h"
#include "backends/cpu/loops/loops_rows.h"
#include "ops/rules/rules.h"
#include "tensor/element.h"
#include "tensor/iterator_simple.h"
#include "tensor/iterator_stream.h"

// ------------------------------------------------------------- the short way

// A row of simple operands, which needs no walk.
typedef struct row {
  oyi_loop loop;
  int64_t n;
  oyi_tensor* output;
  char* data[3];
  int64_t strides[3];
  double number;  // of an operand that is one, in the dtype of the row
} row;

static inline void set_operand(row* r, int k, const oyi_tensor* t, int64_t stride) {
  r->data[k] = (char*)t->storage->data + t->byte_offset;
  r->strides[k] = stride;
}

// The loop for what is laid out as |like|; NULL if there is none, or nothing for it to do.
static inline oyi_loop loop_for(const oyi_tensor* like, oyi_cpu_loop which) {
  const oy_dtype dtype = like->header.dtype;
  return dtype < OYI_LOOP_DTYPES && like->numel - 1 < OYI_ITER_GRAIN && like->numel > 0
             ? oyi_cpu_loops[which][dtype]
             : NULL;
}

// Whether what is new beside a number has the strides of a contiguous tensor: those of
// dimensions of size 1 are for the long way to find.
static bool is_ordered(const oyi_tensor* t) {
  for (size_t i = 0; t->ndim > 1 && i < t->ndim; i++)
    if (t->sizes[i] == 1) return false;
  return true;
}

// An operand that is the same everywhere in the shape of |full|: a number, or expanded
// from one, that the result does not lie beside.
static bool is_spread(const oyi_tensor* t, const oyi_tensor* full,
                      const oyi_tensor* out) {
  if (!t->storage || t->backend != OY_BACKEND_CPU || t->ndim > full->ndim ||
      oyi_kind_word(t) != oyi_kind_word(full) || (out && out->storage == t->storage))
    return false;
  if (t->numel == 1) return true;
  if (t->numel != full->numel || t->ndim != full->ndim) return false;
  for (size_t i = 0; i < t->ndim; i++)
    if (t->sizes[i] != full->sizes[i] || (t->sizes[i] > 1 && oyi_strides(t)[i] != 0))
      return false;
  return true;
}

// Whether |t| is a number beside floats, which has their dtype then: it is in |r|.
static bool is_number(row* r, const oyi_tensor* t, const oyi_tensor* full) {
  const bool is_float = t->header.dtype == OY_DTYPE_F64;
  const bool to_float = full->header.dtype == OY_DTYPE_F32;
  if (!(t->header.flags & OY_OBJECT_WRAPPED_NUMBER) || t->ndim != 0 ||
      t->backend != OY_BACKEND_CPU || !t->storage || full->ndim == 0 ||
      (!is_float && t->header.dtype != OY_DTYPE_I64) ||
      (!to_float && full->header.dtype != OY_DTYPE_F64))
    return false;
  const void* at = oyi_data(t);
  if (to_float) {
    const float as_float =
        is_float ? (float)*(const double*)at : (float)*(const int64_t*)at;
    memcpy(&r->number, &as_float, sizeof(as_float));
  } else {
    r->number = is_float ? *(const double*)at : (double)*(const int64_t*)at;
  }
  return true;
}

static __attribute__((noinline)) bool row_of_spread(row* r, oy_object* out,
                                                    oy_object* const* inputs,
                                                    unsigned flags, oyi_cpu_loop which) {
  if (!oyi_is_tensor(inputs[0]) || !oyi_is_tensor(inputs[1])) return false;
  const oyi_tensor *a = oyi_tensor_cast(inputs[0]), *b = oyi_tensor_cast(inputs[1]);
  const bool second =
      a->numel > b->numel ||
      (a->numel == b->numel && (a->ndim > b->ndim || !(b->flags & OYI_CONTIGUOUS)));
  const oyi_tensor *full = second ? a : b, *spread = second ? b : a;
  oyi_tensor* o = out && oyi_is_tensor(out) ? oyi_tensor_cast(out) : NULL;
  oy_object* const one[] = {inputs[second ? 0 : 1]};
  if (!oyi_is_simple(out, one, 1, flags) || !is_ordered(full) ||
      !(r->loop = loop_for(full, which)))
    return false;
  const bool has_number = is_number(r, spread, full);
  if (!has_number && !is_spread(spread, full, o)) return false;
  const int64_t item = oyi_item(full);
  r->output = o ? o : oyi_tensor_new_like(full);
  if (!r->output) return true;
  r->n = full->numel;
  set_operand(r, 0, r->output, item);
  set_operand(r, 1, a, second ? item : 0);
  set_operand(r, 2, b, second ? 0 : item);
  if (has_number) r->data[second ? 2 : 1] = (char*)&r->number;
  return true;
}

// False if the operands are not so simple. Without memory there is no output.
static inline __attribute__((always_inline)) bool row_of(row* r, oy_object* out,
                                                         oy_object* const* inputs,
                                                         int count, unsigned flags,
                                                         oyi_cpu_loop which) {
  if (!oyi_is_simple(out, inputs, count, flags))
    return count == 2 && row_of_spread(r, out, inputs, flags, which);
  const oyi_tensor* a = oyi_tensor_cast(inputs[0]);
  if (OY_UNLIKELY(!(r->loop = loop_for(a, which)))) return false;
  const int64_t item = oyi_item(a);
  r->output = out ? oyi_tensor_cast(out) : oyi_tensor_new_like(a);
  if (OY_UNLIKELY(!r->output)) return true;
  r->n = a->numel;
  set_operand(r, 0, r->output, item);
  set_operand(r, 1, a, item);
  if (count == 2) set_operand(r, 2, oyi_tensor_cast(inputs[1]), item);
  return true;
}

static inline oy_object* run_row(const row* r, const void* args) {
  if (OY_UNLIKELY(!r->output)) return NULL;
  r->loop(r->n, r->data, r->strides, args);
  return oyi_tensor_object(r->output);
}

// -------------------------------------------------------------- the long way

// The numbers as a loop reads them, one behind the other.
typedef struct packed {
  _Alignas(16) char bytes[OYI_LOOP_NUMBERS * 16];
} packed;

// The 16-bit floats are computed in f32, pairs of them in c64.
static inline oy_dtype compute_dtype(oy_dtype dtype) {
  if (OY_UNLIKELY(dtype == OY_DTYPE_C32)) return OY_DTYPE_C64;
  return dtype == OY_DTYPE_F16 || dtype == OY_DTYPE_BF16 ? OY_DTYPE_F32 : dtype;
}

// What PyTorch has of complex32 on the CPU (its OpInfo: dtypes with torch.chalf).
static bool takes_c32(oyi_cpu_loop which) {
  switch (which) {
    case OYI_LOOP_add:
    case OYI_LOOP_sub:
    case OYI_LOOP_mul:
    case OYI_LOOP_neg:
    case OYI_LOOP_abs:
    case OYI_LOOP_sgn:
    case OYI_LOOP_conj:
    case OYI_LOOP_eq:
    case OYI_LOOP_ne: return true;
    default: return false;
  }
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

// Those that PyTorch's shape rules refuse for numbers without an order.
static const char* extreme_of(oyi_cpu_loop which) {
  switch (which) {
    case OYI_LOOP_maximum: return "maximum";
    case OYI_LOOP_minimum: return "minimum";
    case OYI_LOOP_fmax: return "fmax";
    case OYI_LOOP_fmin: return "fmin";
    default: return NULL;
  }
}

// Where there is no loop for the dtype: by way of f32 or c64, or not at all.
static __attribute__((noinline)) oy_object* run_half(oyi_iter* it, oyi_cpu_loop which,
                                                     const void* args) {
  const oy_dtype dtype = compute_dtype(it->dtype);
  const bool takes = it->dtype == OY_DTYPE_C32 ? takes_c32(which) : dtype != it->dtype;
  oyi_loop loop = takes ? oyi_cpu_loops[which][dtype] : NULL;
  if (loop && !oyi_cpu_loop_is_wide[which]) {
    oyi_half_run(it, loop, args);
    return oyi_iter_finish(it);
  }
  const char* ordered = oy_dtype_is_complex(it->dtype) ? extreme_of(which) : NULL;
  if (ordered)
    OY_FAIL(NOT_IMPLEMENTED, "%s not implemented for complex tensors.", ordered);
  else
    OY_FAIL(NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", oyi_cpu_loop_names[which],
            oy_dtype_pytorch_name(it->dtype));
  return give_up(it);
}

// What memory takes longer for than the processor.
static inline bool is_light(oyi_cpu_loop which) {
  switch (which) {
    case OYI_LOOP_add:
    case OYI_LOOP_sub:
    case OYI_LOOP_mul:
    case OYI_LOOP_div:
    case OYI_LOOP_maximum:
    case OYI_LOOP_minimum:
    case OYI_LOOP_where:
    case OYI_LOOP_addcmul:
    case OYI_LOOP_addcdiv:
    case OYI_LOOP_lerp:
    case OYI_LOOP_bitwise_and: return true;
    default: return false;
  }
}

// Functions of the C library for complex numbers, one after the other.
static bool is_heavy(oyi_cpu_loop which) {
  switch (which) {
    case OYI_LOOP_log:
    case OYI_LOOP_log2:
    case OYI_LOOP_log10:
    case OYI_LOOP_log1p:
    case OYI_LOOP_exp2:
    case OYI_LOOP_expm1:
    case OYI_LOOP_sin:
    case OYI_LOOP_cos:
    case OYI_LOOP_tan:
    case OYI_LOOP_asin:
    case OYI_LOOP_acos:
    case OYI_LOOP_atan:
    case OYI_LOOP_sinh:
    case OYI_LOOP_cosh:
    case OYI_LOOP_tanh:
    case OYI_LOOP_asinh:
    case OYI_LOOP_acosh:
    case OYI_LOOP_atanh:
    case OYI_LOOP_sinc:
    case OYI_LOOP_pow: return true;
    default: return false;
  }
}

// What compilers make good code of that goes from one element to the next, wherever that is: no
// branches, no functions, no more than an instruction or two.
static bool steps_well(oyi_cpu_loop which, oy_dtype dtype) {
  const bool is_real = !oy_dtype_is_complex(dtype);
  switch (which) {
    case OYI_LOOP_add:
    case OYI_LOOP_sub:
    case OYI_LOOP_mul: return oyi_dtype_bytes[dtype] > 2;
    case OYI_LOOP_cube: return dtype == OY_DTYPE_C128;
    case OYI_LOOP_neg:
    case OYI_LOOP_square:
    case OYI_LOOP_addcmul:
      return dtype == OY_DTYPE_C128 || (is_real && oyi_dtype_bytes[dtype] > 2);
    case OYI_LOOP_eq:
    case OYI_LOOP_ne:
    case OYI_LOOP_lt:
    case OYI_LOOP_le:
    case OYI_LOOP_gt:
    case OYI_LOOP_ge:
    case OYI_LOOP_maximum:
    case OYI_LOOP_minimum:
    case OYI_LOOP_sign:
    case OYI_LOOP_relu:
    case OYI_LOOP_clamp:
    case OYI_LOOP_clamp_min:
    case OYI_LOOP_clamp_max:
    case OYI_LOOP_div:
    case OYI_LOOP_abs:
    case OYI_LOOP_sqrt:
    case OYI_LOOP_ceil:
    case OYI_LOOP_floor:
    case OYI_LOOP_trunc:
    case OYI_LOOP_reciprocal:
    case OYI_LOOP_addcdiv:
    case OYI_LOOP_logical_not:
    case OYI_LOOP_bitwise_not:
    case OYI_LOOP_bitwise_and:
    case OYI_LOOP_bitwise_or:
    case OYI_LOOP_bitwise_xor: return is_real && oyi_dtype_bytes[dtype] > 2;
    case OYI_LOOP_where: return oyi_dtype_bytes[dtype] > 2;
    default: return false;
  }
}

// Loops of complex numbers that bring vectors of them together by themselves.
static inline bool takes_apart(oyi_cpu_loop which, oy_dtype dtype) {
  return oy_dtype_is_complex(dtype) &&
         (which == OYI_LOOP_div || which == OYI_LOOP_reciprocal);
}

static inline __attribute__((always_inline)) oy_object* run(oyi_iter* it,
                                                            oyi_cpu_loop which,
                                                            const void* args) {
  oyi_loop loop = it->dtype < OYI_LOOP_DTYPES ? oyi_cpu_loops[which][it->dtype] : NULL;
  if (OY_UNLIKELY(!loop)) return run_half(it, which, args);
  const bool apart = oyi_lies_apart(it) && !takes_apart(which, it->dtype);
  const bool steps = apart && steps_well(which, it->dtype);
  if (OY_UNLIKELY(oy_dtype_is_complex(it->dtype)) && is_heavy(which))
    oyi_iter_run_heavy(it, loop, args);
  else if (apart && oyi_apart_pays(it, steps))
    oyi_apart_run(it, steps, loop, args);
  else if (it->ndim > 1 && oyi_rows_run(it, which, args))
    return oyi_iter_finish(it);
  else if (is_light(which))
    oyi_iter_run_light(it, loop, args);
  else
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

// Apart from the short ways, whose frames are small.
static __attribute__((noinline)) oy_object* unary(oy_object* out, oy_object* self,
                                                  unsigned flags, oyi_cpu_loop which) {
  oyi_iter it;
  if (oyi_iter_elementwise(&it, out, &self, 1, flags) != 0) return NULL;
  return run(&it, which, NULL);
}
static __attribute__((noinline)) oy_object* binary(oy_object* out,
                                                   oy_object* const* inputs,
                                                   unsigned flags, oyi_cpu_loop which) {
  oyi_iter it;
  if (oyi_iter_elementwise(&it, out, inputs, 2, flags) != 0) return NULL;
  return run(&it, which, NULL);
}

oy_object* oyi_cpu_unary(oy_object* out, oy_object* self, unsigned flags,
                         oyi_cpu_loop which) {
  row r;
  if (OY_LIKELY(row_of(&r, out, &self, 1, flags, which))) return run_row(&r, NULL);
  return unary(out, self, flags, which);
}

oy_object* oyi_cpu_binary(oy_object* out, oy_object* self, oy_object* other,
                          unsigned flags, oyi_cpu_loop which) {
  row r;
  oy_object* inputs[] = {self, other};
  if (OY_LIKELY(row_of(&r, out, inputs, 2, flags, which))) return run_row(&r, NULL);
  return binary(out, inputs, flags, which);
}

static __attribute__((noinline)) oy_object* binary_alpha(oy_object* out,
                                                         oy_object* const* inputs,
                                                         oy_scalar alpha, unsigned flags,
                                                         oyi_cpu_loop which) {
  oyi_iter it;
  if (oyi_iter_elementwise(&it, out, inputs, 2, flags) != 0) return NULL;
  if (oyi_check_alpha(it.dtype, alpha) != 0) return give_up(&it);
  return oyi_cpu_run(&it, which, OYI_NUMBERS(alpha));
}

oy_object* oyi_cpu_binary_alpha(oy_object* out, oy_object* self, oy_object* other,
                                oy_scalar alpha, unsigned flags, oyi_cpu_loop which) {
  row r;
  oy_object* inputs[] = {self, other};
  // Of float32 and an integer alone there is nothing to check.
  if (OY_UNLIKELY(!self || self->dtype != OY_DTYPE_F32 || alpha.tag != OY_TAG_INT ||
                  !row_of(&r, out, inputs, 2, flags, which)))
    return binary_alpha(out, inputs, alpha, flags, which);
  // The loops look at the first number only.
  float numbers[OYI_LOOP_NUMBERS];
  numbers[0] = (float)alpha.as.i;
  return run_row(&r, numbers);
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
