// SPDX-License-Identifier: Apache-2.0
// Tiles of windows by a vector of maps, part of conv_tiles_tmpl.h: each window's element of
// the image goes with all of them.

// Sums of windows by a vector of each of |blocks| of maps, where tiles of these have them.
static inline __attribute__((always_inline)) void JOIN(take_sums, ID)(
    int blocks, int places, const T* sums, JOIN(vec, ID) all[TILE_PLACES][2]) {
  OYI_UNROLL
  for (int i = 0; i < places; i++) {
    OYI_UNROLL
    for (int j = 0; j < blocks; j++)
      memcpy(&all[i][j], sums + j * OTHER_SUMS(T) + i * LANES, TILE_BYTES);
  }
}

static inline __attribute__((always_inline)) void JOIN(put_sums, ID)(
    int blocks, int places, const JOIN(vec, ID) all[TILE_PLACES][2], T* sums) {
  OYI_UNROLL
  for (int i = 0; i < places; i++) {
    OYI_UNROLL
    for (int j = 0; j < blocks; j++)
      memcpy(sums + j * OTHER_SUMS(T) + i * LANES, &all[i][j], TILE_BYTES);
  }
}

#if TILE_BYTES == 64
#include "backends/cpu/conv/conv_taps_tmpl.h"
#endif

static inline __attribute__((always_inline)) void JOIN(windows, ID)(
    int blocks, int64_t apart, int places, const oyi_conv_taps* taps, const T* weights,
    const T* image, const int64_t* offsets, T* sums) {
  JOIN(vec, ID) all[TILE_PLACES][2] = {{{0}}}, y[2];
  if (taps->more) JOIN(take_sums, ID)(blocks, places, sums, all);
  for (int64_t c = 0; c < taps->channels; c++)
    for (int64_t d = 0; d < taps->planes; d++) {
      const int64_t first = c * taps->channel_step + d * taps->plane_step;
      const T* w = weights + first * LANES;
      int64_t at = 0;  // in the line
      for (int64_t k = first; k < first + taps->run; k++, w += LANES) {
        const T* x = image + offsets[k];
        OYI_UNROLL
        for (int j = 0; j < blocks; j++) memcpy(&y[j], w + j * taps->other, TILE_BYTES);
        if ((uint64_t)(at - taps->first_from) < (uint64_t)taps->first_count) {
          OYI_UNROLL
          for (int j = 0; j < blocks; j++) MULTIPLY_ADD(all[0][j], SPREAD(x[0]), y[j]);
        }
        OYI_UNROLL
        for (int i = 1; i < places - 1; i++) {
          OYI_UNROLL
          for (int j = 0; j < blocks; j++)
            MULTIPLY_ADD(all[i][j], SPREAD(x[i * apart]), y[j]);
        }
        if (places > 1 && (uint64_t)(at - taps->last_from) < (uint64_t)taps->last_count) {
          OYI_UNROLL
          for (int j = 0; j < blocks; j++)
            MULTIPLY_ADD(all[places - 1][j], SPREAD(x[(places - 1) * apart]), y[j]);
        }
        at = at + 1 == taps->line ? 0 : at + 1;
      }
    }
  JOIN(put_sums, ID)(blocks, places, all, sums);
}

#define CASE(blocks, apart, count)                                                \
  case count:                                                                     \
    JOIN(windows, ID)(blocks, apart, count, taps, weights, image, offsets, sums); \
    break;
static void JOIN(two_maps, ID)(const oyi_conv_taps* taps, const T* weights,
                               const T* image, const int64_t* offsets, int64_t places,
                               T* sums) {
  switch (places) {
    // clang-format off
    CASE(2, 1, 1) CASE(2, 1, 2) CASE(2, 1, 3) CASE(2, 1, 4) CASE(2, 1, 5)
    CASE(2, 1, 6)
#if TILE_PLACES > 12
    CASE(2, 1, 7) CASE(2, 1, 8) CASE(2, 1, 9) CASE(2, 1, 10) CASE(2, 1, 11)
    CASE(2, 1, 12) CASE(2, 1, 13) CASE(2, 1, 14)
#endif
    // clang-format on
  }
}
static void JOIN(two_apart, ID)(const oyi_conv_taps* taps, const T* weights,
                                const T* image, const int64_t* offsets, int64_t places,
                                T* sums) {
  switch (places) {
    // clang-format off
    CASE(2, 2, 1) CASE(2, 2, 2) CASE(2, 2, 3) CASE(2, 2, 4) CASE(2, 2, 5)
    CASE(2, 2, 6)
#if TILE_PLACES > 12
    CASE(2, 2, 7) CASE(2, 2, 8) CASE(2, 2, 9) CASE(2, 2, 10) CASE(2, 2, 11)
    CASE(2, 2, 12) CASE(2, 2, 13) CASE(2, 2, 14)
#endif
    // clang-format on
  }
}
static void JOIN(one_maps, ID)(const oyi_conv_taps* taps, const T* weights,
                               const T* image, const int64_t* offsets, int64_t places,
                               T* sums) {
  switch (places) {
    // clang-format off
    CASE(1, 1, 1) CASE(1, 1, 2) CASE(1, 1, 3) CASE(1, 1, 4) CASE(1, 1, 5)
    CASE(1, 1, 6) CASE(1, 1, 7) CASE(1, 1, 8) CASE(1, 1, 9) CASE(1, 1, 10)
    CASE(1, 1, 11) CASE(1, 1, 12)
#if TILE_PLACES > 12
    CASE(1, 1, 13) CASE(1, 1, 14) CASE(1, 1, 15) CASE(1, 1, 16) CASE(1, 1, 17)
    CASE(1, 1, 18) CASE(1, 1, 19) CASE(1, 1, 20) CASE(1, 1, 21) CASE(1, 1, 22)
    CASE(1, 1, 23) CASE(1, 1, 24) CASE(1, 1, 25) CASE(1, 1, 26) CASE(1, 1, 27)
    CASE(1, 1, 28)
#endif
    // clang-format on
  }
}
static void JOIN(one_apart, ID)(const oyi_conv_taps* taps, const T* weights,
                                const T* image, const int64_t* offsets, int64_t places,
                                T* sums) {
  switch (places) {
    // clang-format off
    CASE(1, 2, 1) CASE(1, 2, 2) CASE(1, 2, 3) CASE(1, 2, 4) CASE(1, 2, 5)
    CASE(1, 2, 6) CASE(1, 2, 7) CASE(1, 2, 8) CASE(1, 2, 9) CASE(1, 2, 10)
    CASE(1, 2, 11) CASE(1, 2, 12)
#if TILE_PLACES > 12
    CASE(1, 2, 13) CASE(1, 2, 14) CASE(1, 2, 15) CASE(1, 2, 16) CASE(1, 2, 17)
    CASE(1, 2, 18) CASE(1, 2, 19) CASE(1, 2, 20) CASE(1, 2, 21) CASE(1, 2, 22)
    CASE(1, 2, 23) CASE(1, 2, 24) CASE(1, 2, 25) CASE(1, 2, 26) CASE(1, 2, 27)
    CASE(1, 2, 28)
#endif
    // clang-format on
  }
}
// Windows that are further apart, fewer at once.
static void JOIN(far_apart, ID)(const oyi_conv_taps* taps, const T* weights,
                                const T* image, const int64_t* offsets, int64_t places,
                                T* sums) {
  switch (2 * places + (taps->other != 0)) {
    // clang-format off
#define FAR_CASE(blocks, count)                                                          \
  case 2 * (count) + (blocks) - 1:                                                       \
    JOIN(windows, ID)(blocks, taps->apart, count, taps, weights, image, offsets, sums); \
    break;
    FAR_CASE(2, 1) FAR_CASE(2, 2) FAR_CASE(2, 3) FAR_CASE(2, 4) FAR_CASE(2, 5)
    FAR_CASE(2, 6) FAR_CASE(1, 1) FAR_CASE(1, 2) FAR_CASE(1, 3)
    FAR_CASE(1, 4) FAR_CASE(1, 5) FAR_CASE(1, 6) FAR_CASE(1, 7) FAR_CASE(1, 8)
    FAR_CASE(1, 9) FAR_CASE(1, 10) FAR_CASE(1, 11) FAR_CASE(1, 12)
#undef FAR_CASE
    // clang-format on
  }
  _Static_assert(OYI_CONV_FAR_PLACES == 12, "each has its own loop");
}
#undef CASE

static void JOIN(maps, ID)(const oyi_conv_taps* taps, const void* weights,
                           const void* image, const int64_t* offsets, int64_t places,
                           void* sums) {
  _Static_assert(TILE_PLACES == 12 || TILE_PLACES == 28, "each has its own loop");
  if (taps->apart > 2)
    JOIN(far_apart, ID)(taps, weights, image, offsets, places, sums);
  else if (taps->other && taps->apart == 2)
    JOIN(two_apart, ID)(taps, weights, image, offsets, places, sums);
  else if (taps->other)
    JOIN(two_maps, ID)(taps, weights, image, offsets, places, sums);
  else if (taps->apart == 2)
    JOIN(one_apart, ID)(taps, weights, image, offsets, places, sums);
  else
    JOIN(one_maps, ID)(taps, weights, image, offsets, places, sums);
}
