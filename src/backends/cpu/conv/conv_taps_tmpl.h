// SPDX-License-Identifier: Apache-2.0
// Tiles of windows by a vector of maps, part of conv_tiles_tmpl.h, where the elements of a
// line of the kernel are neighbours in the image: an element of the image is read once for
// all windows that see it, while the weights of the line stay in registers, and what is
// padding is left out altogether.

static inline __attribute__((always_inline)) void JOIN(one_line_of, ID)(
    int blocks, int places, int width, const oyi_conv_taps* taps, const T* w, const T* x,
    JOIN(vec, ID) all[TILE_PLACES][2]) {
  JOIN(vec, ID) y[LINE_TAPS][2];
  OYI_UNROLL
  for (int k = 0; k < width; k++) {
    OYI_UNROLL
    for (int j = 0; j < blocks; j++)
      memcpy(&y[k][j], w + k * taps->tap_step + j * taps->other, TILE_BYTES);
  }
  OYI_UNROLL
  for (int e = 0; e < places + width - 1; e++) {
    if (e < width - 1 && e < taps->before) continue;
    if (e >= places && e >= taps->after) continue;
    const JOIN(vec, ID) by = SPREAD(x[e]);
    OYI_UNROLL
    for (int k = 0; k < width; k++) {
      OYI_UNROLL
      for (int j = 0; j < blocks; j++)
        if (e >= k && e - k < places) MULTIPLY_ADD(all[e - k][j], by, y[k][j]);
    }
  }
}

static inline __attribute__((always_inline)) void JOIN(kernel_lines, ID)(
    int blocks, int places, int width, const oyi_conv_taps* taps, const T* weights,
    const T* image, const int64_t* offsets, T* sums) {
  JOIN(vec, ID) all[TILE_PLACES][2] = {{{0}}};
  const int64_t low = taps->tap_step < 0 ? width - 1 : 0;  // the first in the image
  if (taps->more) JOIN(take_sums, ID)(blocks, places, sums, all);
  for (int64_t c = 0; c < taps->channels; c++)
    for (int64_t d = 0; d < taps->planes; d++) {
      const int64_t first = c * taps->channel_step + d * taps->plane_step + low;
      for (int64_t k = first; k < first + taps->run; k += width) JOIN(one_line_of, ID)
      (blocks, places, width, taps, weights + k * LANES, image + offsets[k], all);
    }
  JOIN(put_sums, ID)(blocks, places, all, sums);
}

#define CASE(count)                                                                      \
  case count:                                                                            \
    if (blocks * (count + width) <= LINE_ROOM)                                           \
      JOIN(kernel_lines, ID)(blocks, count, width, taps, weights, image, offsets, sums); \
    break;
static inline __attribute__((always_inline)) void JOIN(lines_of_width, ID)(
    int blocks, int width, const oyi_conv_taps* taps, int64_t places, const T* weights,
    const T* image, const int64_t* offsets, T* sums) {
  switch (places) {
    // clang-format off
    CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10)
    CASE(11) CASE(12) CASE(13) CASE(14) CASE(15) CASE(16) CASE(17) CASE(18) CASE(19)
    CASE(20) CASE(21) CASE(22) CASE(23) CASE(24) CASE(25) CASE(26) CASE(27) CASE(28)
    // clang-format on
  }
}
#undef CASE

#define WIDTH(blocks, width) \
  JOIN(lines_of_width, ID)(blocks, width, taps, places, weights, image, offsets, sums)
static void JOIN(maps_by_line, ID)(const oyi_conv_taps* taps, const void* weights,
                                   const void* image, const int64_t* offsets,
                                   int64_t places, void* sums) {
  if (taps->width == 3 && taps->other)
    WIDTH(2, 3);
  else if (taps->width == 3)
    WIDTH(1, 3);
  else if (taps->other)
    WIDTH(2, 5);
  else
    WIDTH(1, 5);
}
#undef WIDTH
