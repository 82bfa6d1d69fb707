// SPDX-License-Identifier: Apache-2.0
#include "ops/drawn/number.h"

#include <math.h>

#include "ops/drawn/drawn.h"
#include "support/tensors.h"

// A new reference to |o|, or to the input in its place.
static oy_object* in_place_of(const gradcheck_call* c, oy_tensor* const* inputs,
                              oy_object* o) {
  for (size_t i = 0; i < c->count; i++)
    if (o == c->leaves[i]) o = inputs[i];
  oy_object_retain(o);
  return o;
}
// A list with the inputs in it: one that is copied is shared.
static oy_status list_of(const gradcheck_call* c, oy_tensor* const* inputs, oy_value list,
                         oy_value* out) {
  OY_TRY(oy_value_new_list(OY_TAG_TENSOR_LIST, list.count, out));
  oy_object** items = (oy_object**)(uintptr_t)out->as.tensors;
  for (size_t i = 0; i < list.count; i++)
    items[i] = in_place_of(c, inputs, list.as.tensors[i]);
  return OY_OK;
}
static oy_status push_arguments(const gradcheck_call* c, oy_tensor* const* inputs,
                                oy_stack* stack) {
  for (size_t i = 0; i < c->arguments->size; i++) {
    const oy_value given = c->arguments->data[i];
    oy_value* v = &stack->data[stack->size++];
    *v = oy_none();
    if (given.tag == OY_TAG_TENSOR_LIST) {
      OY_TRY(list_of(c, inputs, given, v));
    } else if (given.tag == OY_TAG_TENSOR) {
      *v = oy_value_tensor(in_place_of(c, inputs, given.as.object));
      v->owned = 1;
    } else {
      OY_TRY(oy_value_copy(given, v));
    }
  }
  return OY_OK;
}
// |sum|, which is taken over, and the sum of the squares of |t|'s elements, of their
// magnitudes if complex. Within a transform no scope takes what operators give.
static oy_tensor* with_squares(oy_tensor* sum, oy_tensor* t) {
  oy_tensor* size =
      oy_dtype_is_complex(t->dtype) ? oy_view_as_real(t) : oy_tensor_retain(t);
  oy_tensor* square = size ? oy_mul_Tensor(size, size) : NULL;
  oy_tensor* both = square ? oy_sum(square, oy_none()) : NULL;
  oy_tensor_release(size);
  oy_tensor_release(square);
  if (!sum) return both;
  oy_tensor* squares = both;
  both = squares ? oy_add_Tensor(sum, squares, ALPHA1) : NULL;
  oy_tensor_release(squares);
  oy_tensor_release(sum);
  return both;
}
static oy_tensor* with_output(oy_tensor* sum, oy_object* o) {
  if (!o || oy_object_is_none(o)) return sum;
  if (o->dtype != OY_DTYPE_F64 && o->dtype != OY_DTYPE_C128) return sum;
  return with_squares(sum, o);
}
oy_status drawn_number(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                       size_t outputs) {
  (void)count, (void)outputs;
  const gradcheck_call* c = data;
  oy_value storage[CERTIFY_ARGUMENTS];
  oy_stack stack;
  oy_stack_init(&stack, storage, CERTIFY_ARGUMENTS);
  oy_status status = push_arguments(c, in, &stack);
  if (status == OY_OK) status = oy_op_call_boxed(c->op, &stack);
  *out = NULL;
  for (size_t i = 0; status == OY_OK && i < stack.size; i++) {
    oy_value v = stack.data[i];
    if (v.tag == OY_TAG_TENSOR) *out = with_output(*out, v.as.object);
    for (size_t k = 0; v.tag == OY_TAG_TENSOR_LIST && k < v.count; k++)
      *out = with_output(*out, v.as.tensors[k]);
  }
  oy_stack_reset(&stack);
  return *out ? OY_OK : status != OY_OK ? status : OY_NOT_IMPLEMENTED;
}

const int64_t drawn_all[GRADCHECK_TENSORS] = {0, 1, 2,  3,  4,  5,  6,  7,
                                              8, 9, 10, 11, 12, 13, 14, 15};

static bool is_close(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
  return a == b || fabs(a - b) <= 1e-9 * (1 + fabs(a) + fabs(b));
}

bool drawn_part_is(oy_tensor* whole, int64_t at, int64_t parts, oy_tensor* want) {
  const int64_t numbers = oy_dtype_is_complex(want->dtype) ? 2 : 1,
                n = oy_tensor_numel(want) * numbers;
  if (whole->dtype != want->dtype || oy_tensor_numel(whole) * numbers != n * parts)
    return false;
  oy_tensor* first = oy_contiguous(whole, OY_MEMORY_CONTIGUOUS);
  oy_tensor* second = oy_contiguous(want, OY_MEMORY_CONTIGUOUS);
  assert_true(first && second);
  const double *x = oy_tensor_data(first), *y = oy_tensor_data(second);
  bool same = true;
  for (int64_t i = 0; i < n; i++) same = same && is_close(x[at * n + i], y[i]);
  oy_tensor_release(first);
  oy_tensor_release(second);
  return same;
}

void drawn_release(oy_tensor** t, size_t count) {
  for (size_t i = 0; i < count; i++) oy_tensor_release(t[i]);
}
