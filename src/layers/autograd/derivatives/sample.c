// SPDX-License-Identifier: Apache-2.0
// Gradients of what moves elements of images: columns, windows, shuffled pixels and
// channels, sampled grids. All but the samples are linear, and each is the derivative of
// its opposite.
#include "layers/autograd/derivatives/derivative.h"

// ------------------------------------------------------------ columns and windows

BACKWARD(im2col) {
  ARGUMENTS(im2col);
  const oy_ints sizes = INPUT_SIZES(self);
  const oy_ints image = {sizes.data + sizes.size - 2, 2};
  GIVE(self, oyi_call_col2im(GRAD(0), image, kernel_size, dilation, padding, stride));
  return OY_OK;
}
BACKWARD(col2im) {
  ARGUMENTS(col2im);
  GIVE(self, oyi_call_im2col(GRAD(0), kernel_size, dilation, padding, stride));
  return OY_OK;
}
BACKWARD(unfold) {
  ARGUMENTS(unfold);
  GIVE(self, oyi_call_unfold_backward(GRAD(0), INPUT_SIZES(self), dimension, size, step));
  return OY_OK;
}
BACKWARD(unfold_backward) {
  ARGUMENTS(unfold_backward);
  GIVE(grad_in, oyi_call_unfold(GRAD(0), dim, size, step));
  return OY_OK;
}

// ------------------------------------------------------------------------ shuffles

BACKWARD(pixel_shuffle) {
  ARGUMENTS(pixel_shuffle);
  GIVE(self, oyi_call_pixel_unshuffle(GRAD(0), upscale_factor));
  return OY_OK;
}
BACKWARD(pixel_unshuffle) {
  ARGUMENTS(pixel_unshuffle);
  GIVE(self, oyi_call_pixel_shuffle(GRAD(0), downscale_factor));
  return OY_OK;
}
// Dealt out to |groups| and back by as many as each had.
BACKWARD(channel_shuffle) {
  ARGUMENTS(channel_shuffle);
  GIVE(self, oyi_call_channel_shuffle(GRAD(0), INPUT_SIZES(self).data[1] / groups));
  return OY_OK;
}

// ------------------------------------------------------------------------- samples

#define SAMPLER(id)                                                                   \
  BACKWARD(id) {                                                                      \
    ARGUMENTS(id);                                                                    \
    const bool mask[] = {WANTS(input), WANTS(grid)};                                  \
    oy_object* given[2];                                                              \
    OY_TRY(oyi_call_##id##_backward(GRAD(0), input, grid, interpolation_mode,         \
                                    padding_mode, align_corners, (oy_bools){mask, 2}, \
                                    &given[0], &given[1]));                           \
    GIVE_PART(input, given[0]);                                                       \
    GIVE_PART(grid, given[1]);                                                        \
    return OY_OK;                                                                     \
  }
SAMPLER(grid_sampler_2d)
SAMPLER(grid_sampler_3d)

BACKWARD(affine_grid_generator) {
  ARGUMENTS(affine_grid_generator);
  GIVE(theta, oyi_call_affine_grid_generator_backward(GRAD(0), size, align_corners));
  return OY_OK;
}

// ---------------------------------------------------------------------- the table

DERIVATIVE(im2col, "Im2ColBackward0")
DERIVATIVE(col2im, "Col2ImBackward0")
DERIVATIVE(unfold, "UnfoldBackward0")
DERIVATIVE_AS(unfold_copy, "UnfoldBackward0_copy", unfold)
DERIVATIVE(unfold_backward, "UnfoldBackwardBackward0")
DERIVATIVE(pixel_shuffle, "PixelShuffleBackward0")
DERIVATIVE(pixel_unshuffle, "PixelUnshuffleBackward0")
DERIVATIVE(channel_shuffle, "ChannelShuffleBackward0")
DERIVATIVE_AS(native_channel_shuffle, "NativeChannelShuffleBackward0", channel_shuffle)
DERIVATIVE(grid_sampler_2d, "GridSampler2DBackward0", SAVE(grid_sampler_2d, input),
           SAVE(grid_sampler_2d, grid))
DERIVATIVE(grid_sampler_3d, "GridSampler3DBackward0", SAVE(grid_sampler_3d, input),
           SAVE(grid_sampler_3d, grid))
DERIVATIVE(affine_grid_generator, "AffineGridGeneratorBackward0")
