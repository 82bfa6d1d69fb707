// SPDX-License-Identifier: Apache-2.0
// Padding by name, and padding that goes round.
#include "ops/calls.h"
#include "ops/composite/held.h"
#include "ops/kernels.h"
#include "ops/made.h"
#include "tensor/impl.h"

typedef enum pad_mode { REFLECT, REPLICATE, CIRCULAR, CONSTANT, MODES } pad_mode;
static const char* const g_modes[MODES] = {"reflect", "replicate", "circular",
                                           "constant"};

static oy_object* pad_image(oy_object* self, oy_ints pad, pad_mode mode) {
  if (mode == CIRCULAR) return oyi_call__pad_circular(self, pad);
  const bool reflects = mode == REFLECT;
  switch (pad.size) {
    case 2:
      return reflects ? oyi_call_reflection_pad1d(self, pad)
                      : oyi_call_replication_pad1d(self, pad);
    case 4:
      return reflects ? oyi_call_reflection_pad2d(self, pad)
                      : oyi_call_replication_pad2d(self, pad);
    default:
      return reflects ? oyi_call_reflection_pad3d(self, pad)
                      : oyi_call_replication_pad3d(self, pad);
  }
}

static oy_object* pad_by(oy_object* self, oy_ints pad, int64_t mode, oy_value value) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (pad.size % 2 != 0) {
    OY_FAIL(INVALID_ARGUMENT, "Padding length must be divisible by 2");
    return NULL;
  }
  if (pad.size > 2u * t->ndim) {
    OY_FAIL(
        INVALID_ARGUMENT,
        "Padding length should be less than or equal to two times the input dimension "
        "but got padding length %zu and input of dimension %u",
        pad.size, t->ndim);
    return NULL;
  }
  if (mode == CONSTANT)
    return oyi_call_constant_pad_nd(self, pad,
                                    value.tag == OY_TAG_NONE ? oy_float(0) : value);
  const size_t spatial = pad.size / 2;
  if (mode >= 0 && mode < CONSTANT && value.tag == OY_TAG_FLOAT && value.as.d != 0) {
    OY_FAIL(INVALID_ARGUMENT, "Padding mode \"%s\" doesn't take in value argument",
            g_modes[mode]);
    return NULL;
  }
  const bool fits = t->ndim == spatial + 1 || t->ndim == spatial + 2;
  if (mode >= 0 && mode < CONSTANT && spatial >= 1 && spatial <= 3 && fits)
    return pad_image(self, pad, (pad_mode)mode);
  OY_FAIL(NOT_IMPLEMENTED,
          "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now");
  return NULL;
}

OYI_COMPOSITE(_pad_enum) {
  return pad_by(self, pad, mode, value);
}
OYI_COMPOSITE(pad) {
  for (int i = 0; i < MODES; i++)
    if (oy_str_equal(mode, oy_str_of(g_modes[i]))) return pad_by(self, pad, i, value);
  OY_FAIL(NOT_IMPLEMENTED, "Unrecognised padding mode %.*s", OY_STR_ARG(mode));
  return NULL;
}

// ------------------------------------------------------------------ going round

typedef struct ring {
  size_t count;       // spatial dimensions
  int64_t first;      // the first of them
  oy_ints pad;        // pairs, the last dimension first
  const int64_t* in;  // sizes
  int64_t sizes[OY_TENSOR_MAX_DIMS];
} ring;

static int64_t above(int64_t number) {
  return number > 0 ? number : 0;
}
// Pair |i| belongs to this dimension.
static int64_t dim_of(const ring* r, size_t i) {
  return r->first + (int64_t)(r->count - 1 - i);
}

static oy_status measure(const oyi_tensor* t, ring* r) {
  OY_CHECK(r->pad.size + 4 == 2u * t->ndim, INVALID_ARGUMENT,
           "Invalid padding size, expected %d but got %zu", 2 * (t->ndim - 2),
           r->pad.size);
  memcpy(r->sizes, t->sizes, t->ndim * sizeof(int64_t));
  for (size_t i = 0; i < r->count; i++) {
    const int64_t before = r->pad.data[2 * i], after = r->pad.data[2 * i + 1];
    int64_t* size = &r->sizes[dim_of(r, i)];
    OY_CHECK(before <= *size && after <= *size, INVALID_ARGUMENT,
             "Padding value causes wrapping around more than once.");
    OY_CHECK(before >= -*size && after >= -*size && *size + before + after >= 0,
             INVALID_ARGUMENT,
             "Negative padding value is resulting in an empty dimension");
    *size += before + after;
  }
  return OY_OK;
}

// Elements |from| to |to| of |dim| of one tensor to |at| of the other; false on failure.
static bool copy_part(oy_object* to, int64_t at, oy_object* from, int64_t start,
                      int64_t size, int64_t dim) {
  oyi_held h = {0};
  oy_object* place = oyi_hold(&h, oyi_call_narrow(to, dim, at, size));
  oy_object* part = place ? oyi_hold(&h, oyi_call_narrow(from, dim, start, size)) : NULL;
  oy_object* done = oyi_call_copy_(place, part, false);
  oyi_held_end(&h, NULL);
  return done != NULL;
}

// |tensor| without |sign| times the padding, where that is above 0.
static oy_object* inner(oyi_held* h, oy_object* tensor, const ring* r, int sign) {
  for (size_t i = 0; tensor && i < r->count; i++) {
    const int64_t before = above(sign * r->pad.data[2 * i]);
    const int64_t after = above(sign * r->pad.data[2 * i + 1]);
    const int64_t dim = dim_of(r, i), size = oyi_tensor_cast(tensor)->sizes[dim];
    tensor = oyi_hold(h, oyi_call_narrow(tensor, dim, before, size - before - after));
  }
  return tensor;
}

static oy_object* fill_ring(oy_object* out, oy_object* self, const ring* r) {
  oyi_held h = {0};
  oy_object* place = inner(&h, out, r, 1);
  oy_object* from = place ? inner(&h, self, r, -1) : NULL;
  bool good = oyi_call_copy_(place, from, false) != NULL;
  for (size_t i = 0; good && i < r->count; i++) {
    const int64_t before = r->pad.data[2 * i], after = r->pad.data[2 * i + 1];
    const int64_t dim = dim_of(r, i), size = r->sizes[dim];
    if (before > 0)
      good = copy_part(out, 0, out, size - before - above(after), before, dim);
    if (good && after > 0)
      good = copy_part(out, size - after, out, above(before), after, dim);
  }
  return oyi_held_end(&h, good ? out : NULL);
}

static bool crops(const ring* r) {
  for (size_t i = 0; i < r->pad.size; i++)
    if (r->pad.data[i] < 0) return true;
  return false;
}

#define NONE4 oy_none(), oy_none(), oy_none(), oy_none()

OYI_COMPOSITE(_pad_circular) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  ring r = {.count = pad.size / 2, .pad = pad, .in = t->sizes};
  r.first = (int64_t)t->ndim - (int64_t)r.count;
  if (measure(t, &r) != 0) return NULL;
  // What is cropped on one side may leave too little for the other one: PyTorch then brings
  // round what nobody wrote.
  const oy_ints sizes = {r.sizes, t->ndim};
  oy_object* made = crops(&r) ? oyi_call_new_zeros(self, sizes, NONE4)
                              : oyi_call_new_empty(self, sizes, NONE4);
  // By views that autograd must know: no OYI_MADE.
  return made ? oyi_written(made, fill_ring(made, self, &r)) : NULL;
}
