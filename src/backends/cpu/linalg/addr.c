// SPDX-License-Identifier: Apache-2.0
// addr is the one product that promotes: its operands come to one dtype, as those of an
// elementwise operator do, and its result to that of the output.
#include "backends/cpu/linalg/matrix.h"
#include "backends/cpu/pointwise/elementwise.h"
#include "ops/calls.h"
#include "ops/out.h"
#include "ops/rules/matrix.h"
#include "tensor/iterator.h"

static oy_object* as_dtype(oy_object* t, oy_dtype dtype) {
  return oyi_call__to_copy(t, oy_int(dtype), oy_none(), oy_none(), oy_none(), false,
                           oy_none());
}

static bool is_some(oy_scalar number) {
  return !oyi_number_is_zero(oyi_number_of_scalar(number));
}

// Operands as |dtype|: the product of copies.
static oy_object* of_copies(const oyi_matrix_call* call, oy_dtype dtype) {
  oyi_matrix_call copies = *call;
  copies.out = NULL;
  copies.self = as_dtype(call->self, dtype);
  copies.a = copies.self ? as_dtype(call->a, dtype) : NULL;
  copies.b = copies.a ? as_dtype(call->b, dtype) : NULL;
  oy_object* result = copies.b ? oyi_cpu_addr(&copies) : NULL;
  oy_tensor_release(copies.self);
  oy_tensor_release(copies.a);
  oy_tensor_release(copies.b);
  return result;
}

// "or" of "and": of whole numbers, of which every one but 0 is true.
static oy_object* of_bools(const oyi_matrix_call* call) {
  if (oyi_check_alpha_beta(OY_DTYPE_BOOL, call->alpha, call->beta) != OY_OK) return NULL;
  oyi_matrix_call numbers = *call;
  numbers.alpha = oy_int(is_some(call->alpha));
  numbers.beta = oy_int(is_some(call->beta));
  oy_object* sums = of_copies(&numbers, OY_DTYPE_U8);
  oy_object* result = sums ? as_dtype(sums, OY_DTYPE_BOOL) : NULL;
  oy_tensor_release(sums);
  return result;
}

static oy_status find_dtype(const oyi_matrix_call* call, oy_dtype* dtype) {
  if (!oyi_tensor_of(call->self) || !oyi_tensor_of(call->a) || !oyi_tensor_of(call->b))
    return oy_failure();
  OY_TRY(oy_dtype_promote(call->a->dtype, call->b->dtype, dtype));
  return oy_dtype_promote(call->self->dtype, *dtype, dtype);
}

// Whether one pass does it, an element after the other, for which nothing has to be copied.
static bool is_pointwise(const oyi_matrix_call* call, oy_dtype dtype) {
  enum { MANY = 4096 };
  const oyi_number beta = oyi_number_of_scalar(call->beta);
  return (dtype == OY_DTYPE_F32 || dtype == OY_DTYPE_F64) &&
         (double)oyi_tensor_cast(call->a)->numel *
                 (double)oyi_tensor_cast(call->b)->numel >=
             MANY &&
         beta.kind != OYI_NUMBER_COMPLEX && beta.re == 1;
}

static oy_status add_products(const oyi_matrix_call* call, oyi_tensor* c) {
  OY_TRY(oyi_check_alpha_beta(c->header.dtype, call->alpha, call->beta));
  oy_object* column = oyi_call_unsqueeze(call->a, 1);
  if (!column) return oy_failure();
  oy_object* done = oyi_cpu_ternary_with(&c->header, call->self, column, call->b, 0,
                                         OYI_LOOP_addcmul, OYI_NUMBERS(call->alpha));
  oy_tensor_release(column);
  return done ? OY_OK : oy_failure();
}

static oy_object* of_elements(const oyi_matrix_call* call) {
  oyi_tensor* c = oyi_rule_addr(call->self, call->a, call->b, call->out);
  if (!c || oyi_is_meta(c)) return oyi_tensor_object(c);
  if (add_products(call, c) == OY_OK) return &c->header;
  if (!call->out) oy_tensor_release(&c->header);
  return NULL;
}

// What is added to in place is as large as the result.
static oy_status check_in_place(const oyi_tensor* self, const oyi_tensor* a,
                                const oyi_tensor* b) {
  OY_CHECK(self->ndim == 2, INVALID_ARGUMENT,
           "2D tensor expected, got %dD tensor for input", self->ndim);
  OY_CHECK(self->sizes[0] == a->numel && self->sizes[1] == b->numel, INVALID_ARGUMENT,
           "size mismatch, input: %s, v1: %s, v2: %s",
           oyi_dims_print(oyi_sizes_view(self)).text,
           oyi_dims_print(oyi_sizes_view(a)).text,
           oyi_dims_print(oyi_sizes_view(b)).text);
  return OY_OK;
}

static bool is_fit_in_place(const oyi_matrix_call* call) {
  const oyi_tensor *a = oyi_tensor_of(call->a), *b = a ? oyi_tensor_of(call->b) : NULL;
  if (!b) return false;
  // Of matrices the rule says what is wrong.
  return a->ndim != 1 || b->ndim != 1 ||
         check_in_place(oyi_tensor_cast(call->self), a, b) == OY_OK;
}

oy_object* oyi_cpu_addr_any(const oyi_matrix_call* call) {
  oy_dtype dtype;
  if (find_dtype(call, &dtype) != OY_OK) return NULL;
  const oyi_tensor* out = call->out ? oyi_tensor_of(call->out) : NULL;
  if (call->out && (!out || oyi_output_check_dtype(out, dtype) != OY_OK)) return NULL;
  if (out && call->out == call->self && !is_fit_in_place(call)) return NULL;
  if (dtype != OY_DTYPE_BOOL && call->self->dtype == dtype && call->a->dtype == dtype &&
      call->b->dtype == dtype && (!out || out->header.dtype == dtype))
    return is_pointwise(call, dtype) ? of_elements(call) : oyi_cpu_addr(call);
  oy_object* result = dtype == OY_DTYPE_BOOL ? of_bools(call) : of_copies(call, dtype);
  return result && out ? oyi_into_out(result, call->out) : result;
}
