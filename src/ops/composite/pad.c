// SPDX-License-Identifier: Apache-2.0
// Padding with a constant, and the powers of a vector.
#include "base/memory.h"
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/made.h"

// ------------------------------------------------------------------- padding

static oy_status padded_sizes(const oyi_tensor* t, oy_ints pad, int64_t* out) {
  OY_CHECK(pad.size % 2 == 0, INVALID_ARGUMENT,
           "Length of pad must be even but instead it equals %zu", pad.size);
  OY_CHECK(pad.size / 2 <= t->ndim, INVALID_ARGUMENT,
           "Length of pad should be no more than twice the number of dimensions of the "
           "input. Pad length is %zu while the input has %u dimensions.",
           pad.size, t->ndim);
  for (size_t i = 0; i < t->ndim; i++) {
    size_t k = t->ndim - 1u - i;  // pairs come from the last dimension on
    out[i] = t->sizes[i];
    if (2 * k >= pad.size) continue;
    bool bad = __builtin_add_overflow(out[i], pad.data[2 * k], &out[i]) ||
               __builtin_add_overflow(out[i], pad.data[2 * k + 1], &out[i]);
    OY_CHECK(!bad && out[i] >= 0, INVALID_ARGUMENT,
             "The input size %lld, plus negative padding %lld and %lld resulted in a "
             "negative output size, which is invalid. Check dimension %zu of your input.",
             (long long)t->sizes[i], (long long)pad.data[2 * k],
             (long long)pad.data[2 * k + 1], i);
  }
  return OY_OK;
}

// |tensor| without |sign| times the padding on each side, where that is above 0: the place
// of the input in the output, or what is left of the input.
static oy_object* cropped(oy_object* tensor, oy_ints pad, int sign) {
  oy_object* view = oyi_call_alias(tensor);
  for (size_t k = 0; view && 2 * k < pad.size; k++) {
    int64_t d = oyi_tensor_cast(view)->ndim - 1 - (int64_t)k;
    int64_t before = sign * pad.data[2 * k], after = sign * pad.data[2 * k + 1];
    before = before > 0 ? before : 0;
    after = after > 0 ? after : 0;
    if (before == 0 && after == 0) continue;
    int64_t size = oyi_tensor_cast(view)->sizes[d];
    oy_object* next = oyi_call_narrow(view, d, before, size - before - after);
    oy_tensor_release(view);
    view = next;
  }
  return view;
}

static oy_object* fill_and_copy(oy_object* made, oy_object* self, oy_ints pad,
                                oy_scalar value) {
  if (!oyi_call_fill__Scalar(made, value)) return NULL;
  oy_object* place = cropped(made, pad, 1);
  oy_object* input = place ? cropped(self, pad, -1) : NULL;
  oy_object* done = oyi_call_copy_(place, input, false);
  oy_tensor_release(input);
  oy_tensor_release(place);
  return done;
}

OYI_COMPOSITE(constant_pad_nd) {
  const oyi_tensor* t = oyi_tensor_of(self);
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  if (!t || padded_sizes(t, pad, sizes) != 0) return NULL;
  bool positive = false;
  for (size_t i = 0; i < pad.size; i++) positive = positive || pad.data[i] > 0;
  if (!positive) {  // what is left lies as the input
    oy_object* view = cropped(self, pad, -1);
    oy_object* left = oyi_call_clone(view, oy_none());
    oy_tensor_release(view);
    return left;
  }
  oy_object* made = oyi_call_empty_memory_format(
      (oy_ints){sizes, t->ndim}, oy_int(self->dtype), oy_none(),
      oy_value_device(oyi_tensor_device(t)), oy_none(),
      oy_int(oy_tensor_suggest_memory_format(self)));
  OYI_MADE(made, fill_and_copy(made, self, pad, value));
}
OYI_STORED(constant_pad_nd_out, constant_pad_nd)

// -------------------------------------------------------------------- powers

// The powers 0 to |count| - 1 of |x|, stacked in a new last dimension.
static oy_object* powers(oy_object* x, int64_t count, bool increasing) {
  oy_value list;
  oy_object** items;
  oy_value none = oy_none();
  if (oyi_list_new((size_t)count, &list, &items) != 0) return NULL;
  bool good = true;
  oy_object* before = NULL;
  for (int64_t k = 0; k < count && good; k++) {
    oy_object* power = k == 0   ? oyi_call_ones_like(x, none, none, none, none, none)
                       : k == 1 ? oy_tensor_retain(x)
                                : oyi_call_mul_Tensor(before, x);
    good = oyi_list_put(items, (size_t)(increasing ? k : count - 1 - k), power);
    before = power;
  }
  oy_object* result = good ? oyi_call_stack(oyi_list_tensors(list), -1) : NULL;
  oy_value_release(&list);
  return result;
}

// In at least int64, as cumulative products are.
static oy_object* widened(oy_object* x) {
  oy_dtype dtype;
  if (oy_dtype_promote(x->dtype, OY_DTYPE_I64, &dtype) != 0) return NULL;
  return oyi_call_to_dtype(x, dtype, false, false, oy_none());
}

OYI_COMPOSITE(vander) {
  const oyi_tensor* t = oyi_tensor_of(x);
  if (!t) return NULL;
  int64_t count = N.tag == OY_TAG_NONE ? t->numel : N.as.i;
  if (t->ndim != 1 || count < 0) {
    OY_FAIL(INVALID_ARGUMENT, t->ndim != 1 ? "x must be a one-dimensional tensor."
                                           : "N must be non-negative.");
    return NULL;
  }
  oy_object* wide = widened(x);
  oy_value none = oy_none();
  oy_object* result = !wide        ? NULL
                      : count == 0 ? oyi_call_new_empty(wide, OY_DIMS(t->numel, 0), none,
                                                        none, none, none)
                                   : powers(wide, count, increasing);
  oy_tensor_release(wide);
  return result;
}

OYI_COMPOSITE(linalg_vander) {
  const oyi_tensor* t = oyi_tensor_of(x);
  if (!t) return NULL;
  if (x->dtype == OY_DTYPE_BOOL || x->dtype == OY_DTYPE_F16 ||
      x->dtype == OY_DTYPE_BF16) {
    OY_FAIL(
        TYPE_MISMATCH,
        "linalg.vander supports floating point, complex, and integer tensors, but got "
        "%s",
        oy_dtype_pytorch_name(x->dtype));
    return NULL;
  }
  int64_t count = N.tag != OY_TAG_NONE ? N.as.i : t->ndim ? t->sizes[t->ndim - 1] : 1;
  if (count <= 1) {
    OY_FAIL(INVALID_ARGUMENT, "N must be greater than 1.");
    return NULL;
  }
  oy_object* wide = widened(x);
  oy_object* line = t->ndim ? oy_tensor_retain(wide) : oyi_call_unsqueeze(wide, -1);
  oy_object* result = line ? powers(line, count, true) : NULL;
  oy_tensor_release(line);
  oy_tensor_release(wide);
  return result;
}
