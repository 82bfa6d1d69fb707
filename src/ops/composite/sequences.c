// SPDX-License-Identifier: Apache-2.0
// Factories whose elements go by their place: they choose the dtype, make an empty
// tensor, and let the out= form fill it.
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/made.h"
#include "ops/rules/rules.h"

static oy_object* empty(oy_value dtype, oy_value layout, oy_value device,
                        oy_value pin_memory) {
  return oyi_call_empty_memory_format(OY_DIMS(0), dtype, layout, device, pin_memory,
                                      oy_none());
}
#define EMPTY empty(dtype, layout, device, pin_memory)

static bool is_int(oy_scalar s) {
  return s.tag == OY_TAG_INT || s.tag == OY_TAG_BOOL;
}

// -------------------------------------------------------------------- arange

OYI_COMPOSITE(arange) {
  return oyi_call_arange_start(oy_int(0), end, dtype, layout, device, pin_memory);
}
OYI_COMPOSITE(arange_start) {
  return oyi_call_arange_start_step(start, end, oy_int(1), dtype, layout, device,
                                    pin_memory);
}
OYI_COMPOSITE(arange_start_step) {
  // Integers make integers; range, which is older, does not know that.
  if (dtype.tag == OY_TAG_NONE && is_int(start) && is_int(end) && is_int(step))
    dtype = oy_int(OY_DTYPE_I64);
  oy_object* made = EMPTY;
  OYI_MADE(made, oyi_call_arange_start_out(start, end, step, made));
}
OYI_COMPOSITE(arange_out) {
  return oyi_call_arange_start_out(oy_int(0), end, oy_int(1), out);
}
OYI_COMPOSITE(range) {
  return oyi_call_range_step(start, end, oy_int(1), dtype, layout, device, pin_memory);
}
OYI_COMPOSITE(range_step) {
  oy_object* made = EMPTY;
  OYI_MADE(made, oyi_call_range_out(start, end, step, made));
}
OYI_COMPOSITE(range_out_) {
  return oyi_call_range_out(start, end, oy_int(1), out);
}

// ------------------------------------------------------------------- linspace

static oy_value spaced_dtype(oy_value dtype, oy_scalar start, oy_scalar end) {
  if (dtype.tag != OY_TAG_NONE) return dtype;
  bool is_complex = start.tag == OY_TAG_COMPLEX || end.tag == OY_TAG_COMPLEX;
  return oy_int(is_complex ? OY_DTYPE_C64 : oy_dtype_default());
}

OYI_COMPOSITE(linspace) {
  dtype = spaced_dtype(dtype, start, end);
  oy_object* made = EMPTY;
  OYI_MADE(made, oyi_call_linspace_out(start, end, steps, made));
}
OYI_COMPOSITE(logspace) {
  dtype = spaced_dtype(dtype, start, end);
  oy_object* made = EMPTY;
  OYI_MADE(made, oyi_call_logspace_out(start, end, steps, base, made));
}

// The number that a 0-d tensor holds; released by the caller.
static oy_status number_of(oy_object* tensor, const char* name, const char* which,
                           oy_value* out) {
  *out = oy_none();
  const oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return oy_failure();
  OY_CHECK(t->ndim == 0, INVALID_ARGUMENT,
           "%s only supports 0-dimensional start and end tensors, but got %s with %u "
           "dimension(s).",
           name, which, t->ndim);
  return oyi_call_item(tensor, out);
}

// |call|, in which |from| and |to| stand for the numbers of tensors.
#define WITH_NUMBERS(from_number, to_number, call)           \
  oy_value from = oy_none(), to = oy_none();                 \
  oy_object* result = NULL;                                  \
  if ((from_number) == 0 && (to_number) == 0) result = call; \
  oy_value_release(&from);                                   \
  oy_value_release(&to);                                     \
  return result
#define START(name) number_of(start, name, "start", &from)
#define END(name)   number_of(end, name, "end", &to)
#define OPTIONS     dtype, layout, device, pin_memory
#define NO_NUMBER   OY_OK

OYI_COMPOSITE(linspace_Tensor_Tensor) {
  WITH_NUMBERS(START("linspace"), END("linspace"),
               oyi_call_linspace(from, to, steps, OPTIONS));
}
OYI_COMPOSITE(linspace_Tensor_Scalar) {
  WITH_NUMBERS(START("linspace"), NO_NUMBER,
               oyi_call_linspace(from, end, steps, OPTIONS));
}
OYI_COMPOSITE(linspace_Scalar_Tensor) {
  WITH_NUMBERS(NO_NUMBER, END("linspace"), oyi_call_linspace(start, to, steps, OPTIONS));
}
OYI_COMPOSITE(linspace_Tensor_Tensor_out) {
  WITH_NUMBERS(START("linspace"), END("linspace"),
               oyi_call_linspace_out(from, to, steps, out));
}
OYI_COMPOSITE(linspace_Tensor_Scalar_out) {
  WITH_NUMBERS(START("linspace"), NO_NUMBER,
               oyi_call_linspace_out(from, end, steps, out));
}
OYI_COMPOSITE(linspace_Scalar_Tensor_out) {
  WITH_NUMBERS(NO_NUMBER, END("linspace"), oyi_call_linspace_out(start, to, steps, out));
}
OYI_COMPOSITE(logspace_Tensor_Tensor) {
  WITH_NUMBERS(START("logspace"), END("logspace"),
               oyi_call_logspace(from, to, steps, base, OPTIONS));
}
OYI_COMPOSITE(logspace_Tensor_Scalar) {
  WITH_NUMBERS(START("logspace"), NO_NUMBER,
               oyi_call_logspace(from, end, steps, base, OPTIONS));
}
OYI_COMPOSITE(logspace_Scalar_Tensor) {
  WITH_NUMBERS(NO_NUMBER, END("logspace"),
               oyi_call_logspace(start, to, steps, base, OPTIONS));
}
OYI_COMPOSITE(logspace_Tensor_Tensor_out) {
  WITH_NUMBERS(START("logspace"), END("logspace"),
               oyi_call_logspace_out(from, to, steps, base, out));
}
OYI_COMPOSITE(logspace_Tensor_Scalar_out) {
  WITH_NUMBERS(START("logspace"), NO_NUMBER,
               oyi_call_logspace_out(from, end, steps, base, out));
}
OYI_COMPOSITE(logspace_Scalar_Tensor_out) {
  WITH_NUMBERS(NO_NUMBER, END("logspace"),
               oyi_call_logspace_out(start, to, steps, base, out));
}

// ------------------------------------------------------------------- matrices

OYI_COMPOSITE(eye) {
  return oyi_call_eye_m(n, n, dtype, layout, device, pin_memory);
}
OYI_COMPOSITE(eye_m) {
  oy_object* made = EMPTY;
  OYI_MADE(made, oyi_call_eye_m_out(n, m, made));
}

OYI_COMPOSITE(tril_indices_out) {
  const oyi_tensor* t = oyi_tensor_of(out);
  if (!t) return NULL;
  oy_value device = oy_value_device(oyi_tensor_device(t));
  return oyi_stored(out, oyi_call_tril_indices(row, col, offset, oy_int(out->dtype),
                                               oy_none(), device, oy_none()));
}
OYI_COMPOSITE(triu_indices_out) {
  const oyi_tensor* t = oyi_tensor_of(out);
  if (!t) return NULL;
  oy_value device = oy_value_device(oyi_tensor_device(t));
  return oyi_stored(out, oyi_call_triu_indices(row, col, offset, oy_int(out->dtype),
                                               oy_none(), device, oy_none()));
}
