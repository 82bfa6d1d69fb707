// SPDX-License-Identifier: Apache-2.0
// Sampling of images by a grid, and grids of affine transformations.
#include "ops/calls.h"
#include "ops/composite/held.h"
#include "ops/kernels.h"
#include "ops/made.h"
#include "ops/out_form.h"

#define HOLD(...) oyi_hold(&h, __VA_ARGS__)

OYI_COMPOSITE(grid_sampler) {
  const oyi_tensor* t = oyi_tensor_of(input);
  if (!t) return NULL;
  return t->ndim == 5 ? oyi_call_grid_sampler_3d(input, grid, interpolation_mode,
                                                 padding_mode, align_corners)
                      : oyi_call_grid_sampler_2d(input, grid, interpolation_mode,
                                                 padding_mode, align_corners);
}
OYI_STORED(grid_sampler_2d_out, grid_sampler_2d)
OYI_STORED(grid_sampler_3d_out, grid_sampler_3d)

OYI_COMPOSITE(grid_sampler_2d_backward_out) {
  oy_object *r[2] = {NULL, NULL}, *const outs[2] = {out0, out1};
  oy_status status = oyi_call_grid_sampler_2d_backward(
      grad_output, input, grid, interpolation_mode, padding_mode, align_corners,
      output_mask, &r[0], &r[1]);
  *out_0 = out0, *out_1 = out1;
  return oyi_into_outs(status, outs, r, 2);
}
OYI_COMPOSITE(grid_sampler_3d_backward_out) {
  oy_object *r[2] = {NULL, NULL}, *const outs[2] = {out0, out1};
  oy_status status = oyi_call_grid_sampler_3d_backward(
      grad_output, input, grid, interpolation_mode, padding_mode, align_corners,
      output_mask, &r[0], &r[1]);
  *out_0 = out0, *out_1 = out1;
  return oyi_into_outs(status, outs, r, 2);
}

// ------------------------------------------------------------------- affine grids

typedef struct grid_shape {
  int spatial;       // 2 or 3
  int64_t sizes[5];  // of the grid: batch, space, coordinates and 1
  int64_t rows[3];   // the same with the places in one dimension
} grid_shape;

static oy_status read_shape(oy_ints size, grid_shape* s) {
  OY_CHECK(size.size == 4 || size.size == 5, INVALID_ARGUMENT,
           "AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.");
  s->spatial = (int)size.size - 2;
  s->sizes[0] = s->rows[0] = size.data[0];
  s->rows[1] = 1;
  for (int d = 0; d < s->spatial; d++) {
    s->sizes[1 + d] = size.data[2 + d];
    OY_CHECK(size.data[2 + d] >= 0 &&
                 !__builtin_mul_overflow(s->rows[1], size.data[2 + d], &s->rows[1]),
             INVALID_ARGUMENT,
             "affine_grid_generator: expected sizes of an image, got %s",
             oyi_dims_print(size).text);
  }
  s->sizes[1 + s->spatial] = s->rows[2] = s->spatial + 1;
  return OY_OK;
}

// |steps| numbers from -1 to 1, or the middles of as many stretches.
static oy_object* line(oy_object* theta, int64_t steps, bool align_corners) {
  const oy_value dtype = oy_int(theta->dtype);
  const oy_value device = oy_value_device(oyi_tensor_device(oyi_tensor_cast(theta)));
  if (steps <= 1)
    return oyi_call_zeros(oy_dims_none(), dtype, oy_none(), device, oy_none());
  oy_object* range = oyi_call_linspace(oy_int(-1), oy_int(1), steps, dtype, oy_none(),
                                       device, oy_none());
  if (align_corners || !range) return range;
  oyi_held h = {0};
  HOLD(range);
  oy_object* scaled = HOLD(oyi_call_mul_Scalar(range, oy_int(steps - 1)));
  return oyi_held_end(&h, oyi_call_div_Scalar(scaled, oy_int(steps)));
}

// Coordinate |k| of |grid|, which changes along dimension |dim| alone.
static bool set_coordinate(oy_object* grid, oy_object* theta, int k, int64_t dim,
                           int64_t steps, bool align_corners) {
  oyi_held h = {0};
  int64_t sizes[4] = {1, 1, 1, 1};
  const oyi_tensor* t = oyi_tensor_cast(grid);
  oy_object* place = HOLD(oyi_call_select_int(grid, -1, k));
  oy_object* numbers = place ? HOLD(line(theta, steps, align_corners)) : NULL;
  sizes[dim] = steps <= 1 ? 1 : steps;
  oy_object* along =
      numbers ? HOLD(oyi_call_view(numbers, (oy_ints){sizes, t->ndim - 1u})) : NULL;
  oy_object* done = oyi_call_copy_(place, along, false);
  oyi_held_end(&h, NULL);
  return done != NULL;
}

// The places of an image without transformation: x, y, (z,) 1; one row for each.
static oy_object* base_rows(oy_object* theta, const grid_shape* s, bool align_corners) {
  const oyi_tensor* t = oyi_tensor_of(theta);
  if (!t) return NULL;
  oyi_held h = {0};
  oy_object* grid = HOLD(oyi_call_empty_memory_format(
      (oy_ints){s->sizes, (size_t)s->spatial + 2}, oy_int(theta->dtype), oy_none(),
      oy_value_device(oyi_tensor_device(t)), oy_none(), oy_none()));
  bool good = grid != NULL;
  for (int k = 0; good && k < s->spatial; k++) {
    const int64_t dim = s->spatial - k;
    good = set_coordinate(grid, theta, k, dim, s->sizes[dim], align_corners);
  }
  oy_object* ones = good ? HOLD(oyi_call_select_int(grid, -1, s->spatial)) : NULL;
  if (!ones || !oyi_call_fill__Scalar(ones, oy_int(1))) return oyi_held_end(&h, NULL);
  return oyi_held_end(&h, oyi_call_view(grid, (oy_ints){s->rows, 3}));
}

OYI_COMPOSITE(affine_grid_generator) {
  grid_shape s;
  if (read_shape(size, &s) != 0) return NULL;
  oyi_held h = {0};
  oy_object* rows = HOLD(base_rows(theta, &s, align_corners));
  oy_object* turned = rows ? HOLD(oyi_call_transpose_int(theta, 1, 2)) : NULL;
  oy_object* product = HOLD(oyi_call_bmm(rows, turned));
  s.sizes[1 + s.spatial] = s.spatial;
  return oyi_held_end(&h,
                      oyi_call_view(product, (oy_ints){s.sizes, (size_t)s.spatial + 2}));
}
OYI_STORED(affine_grid_generator_out, affine_grid_generator)

OYI_COMPOSITE(affine_grid_generator_backward) {
  grid_shape s;
  if (read_shape(size, &s) != 0) return NULL;
  oyi_held h = {0};
  oy_object* rows = HOLD(base_rows(grad, &s, align_corners));
  oy_object* turned = HOLD(oyi_call_transpose_int(rows, 1, 2));
  s.rows[2] = s.spatial;
  oy_object* flat = turned ? HOLD(oyi_call_reshape(grad, (oy_ints){s.rows, 3})) : NULL;
  oy_object* product = HOLD(oyi_call_bmm(turned, flat));
  return oyi_held_end(&h, oyi_call_transpose_int(product, 1, 2));
}
