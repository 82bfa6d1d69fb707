// SPDX-License-Identifier: Apache-2.0
// The loops of conv_tiles.h for elements T, named by ID, of TILE_ROWS rows and TILE_WIDE
// vectors of TILE_BYTES: accumulators, a row of the image and a weight fill the registers.
#include "backends/cpu/conv/conv_windows_tmpl.h"

#include "backends/cpu/conv/conv_copies_tmpl.h"
#if TILE_BYTES == 64
#include "backends/cpu/conv/conv_columns_tmpl.h"
#endif

// From memory, where the compiler converts several at once.
static inline __attribute__((always_inline)) void JOIN(add_to, ID)(JOIN(vec, ID) x,
                                                                   double* sums) {
  T one[LANES];
  memcpy(one, &x, TILE_BYTES);
  for (int64_t l = 0; l < LANES; l++) sums[l] += (double)one[l];
}

// As |tile|, with kernel elements side by side and places to add up.
static inline __attribute__((always_inline)) void JOIN(add_windows, ID)(
    int rows, int taps, const oyi_conv_area* area, int64_t apart, const T* g,
    const T* image, const int64_t* offsets, double* sums) {
  JOIN(vec, ID) all[TILE_ROWS][2 * TILE_WIDE] = {{{0}}}, x[2 * TILE_WIDE];
  for (int64_t z = 0; z < area->planes; z++, g += area->rest * rows)
    for (int64_t y = 0; y < area->lines; y++) {
      const T* line = image + (z * area->plane_step + y * area->line_step) * LANES;
      const T* at[2 * TILE_WIDE];
      OYI_UNROLL
      for (int j = 0; j < taps; j++) at[j] = line + offsets[j] * LANES;
      for (int64_t i = 0; i < area->width; i++, g += rows) {
        OYI_UNROLL
        for (int j = 0; j < taps; j++)
          memcpy(&x[j], at[j] + i * apart * LANES, TILE_BYTES);
        OYI_UNROLL
        for (int r = 0; r < rows; r++) {
          OYI_UNROLL
          for (int j = 0; j < taps; j++) all[r][j] += g[r] * x[j];
        }
      }
    }
  OYI_UNROLL
  for (int r = 0; r < rows; r++) {
    OYI_UNROLL
    for (int j = 0; j < taps; j++, sums += LANES) JOIN(add_to, ID)(all[r][j], sums);
  }
}

#define ADD(rows, taps) \
  JOIN(add_windows, ID)(rows, taps, area, apart, maps, image, offsets, sums)
static void JOIN(gradient, ID)(int64_t rows, const oyi_conv_area* area, int64_t apart,
                               const void* maps, const void* image,
                               const int64_t* offsets, double* sums) {
  switch (rows) {
    case 1: ADD(1, 2 * TILE_WIDE); break;
    case 2: ADD(2, 2 * TILE_WIDE); break;
#if FEW_ROWS > 2
    case 3: ADD(3, TILE_WIDE); break;
    case 4: ADD(4, TILE_WIDE); break;
#endif
    default: ADD(TILE_ROWS, TILE_WIDE);
  }
}
#undef ADD

static inline __attribute__((always_inline)) void JOIN(few_maps, ID)(
    const int wide, const oyi_conv_area* area, const T* maps, int64_t block,
    const T* image, const int64_t* offsets, double* sums) {
  JOIN(vec, ID) all[TILE_ROWS][TILE_WIDE] = {{{0}}}, x[TILE_WIDE];
  for (int64_t y = 0; y < area->lines; y++) {
    const T* at[TILE_ROWS];
    for (int r = 0; r < TILE_ROWS; r++) at[r] = image + y * area->line_step + offsets[r];
    for (int64_t i = 0; i < area->width; i++, maps += LANES) {
      OYI_UNROLL
      for (int j = 0; j < wide; j++) memcpy(&x[j], maps + j * block, TILE_BYTES);
      OYI_UNROLL
      for (int r = 0; r < TILE_ROWS; r++) {
        OYI_UNROLL
        for (int j = 0; j < wide; j++) all[r][j] += at[r][i] * x[j];
      }
    }
  }
  OYI_UNROLL
  for (int r = 0; r < TILE_ROWS; r++) {
    OYI_UNROLL
    for (int j = 0; j < wide; j++, sums += LANES) JOIN(add_to, ID)(all[r][j], sums);
  }
}

static void JOIN(few, ID)(const oyi_conv_area* area, int64_t wide, const void* maps,
                          int64_t block, const void* image, const int64_t* offsets,
                          double* sums) {
  if (wide >= TILE_WIDE)
    JOIN(few_maps, ID)(TILE_WIDE, area, maps, block, image, offsets, sums);
  else if (wide == 2)
    JOIN(few_maps, ID)(2, area, maps, block, image, offsets, sums);
  else
    JOIN(few_maps, ID)(1, area, maps, block, image, offsets, sums);
}

// The elements of the kernel along dimension |d| that the window at |at| has on the image.
static inline void JOIN(part_inside, ID)(const oyi_conv* c, size_t d, int64_t at,
                                         int64_t* from, int64_t* to) {
  const int64_t first = at * c->stride[d] - c->padding[d], step = c->dilation[d];
  *from = 0, *to = c->kernel[d];
  while (*from < *to && first + *from * step < 0) ++*from;
  while (*from < *to && first + (*to - 1) * step >= c->image[d]) --*to;
}

// The windows of all map elements as rows; or, |back|, rows added to them.
static inline __attribute__((always_inline)) void JOIN(windows_of, ID)(const oyi_conv* c,
                                                                       bool back, T* row,
                                                                       int64_t pitch,
                                                                       T* image) {
  const int64_t taps = c->kernel[0] * c->kernel[1] * c->kernel[2];
  int64_t at[3], from[3], to[3], first[3];
  for (at[0] = 0; at[0] < c->map[0]; at[0]++)
    for (at[1] = 0; at[1] < c->map[1]; at[1]++)
      for (at[2] = 0; at[2] < c->map[2]; at[2]++, row += pitch) {
        int64_t seen = 1;
        for (size_t d = 0; d < 3; d++) {
          JOIN(part_inside, ID)(c, d, at[d], &from[d], &to[d]);
          first[d] = at[d] * c->stride[d] - c->padding[d];
          seen *= to[d] - from[d];
        }
        if (!back && seen < taps) memset(row, 0, (size_t)(taps * TILE_BYTES));
        for (int64_t z = from[0]; z < to[0]; z++)
          for (int64_t y = from[1]; y < to[1]; y++) {
            const int64_t plane = first[0] + z * c->dilation[0];
            const int64_t line = plane * c->image[1] + first[1] + y * c->dilation[1];
            T* here = row + (z * c->kernel[1] + y) * c->kernel[2] * LANES;
            T* there = image + (line * c->image[2] + first[2]) * LANES;
            for (int64_t x = from[2]; x < to[2]; x++) {
              JOIN(vec, ID) by, sum;
              memcpy(&by, back ? here + x * LANES : there + x * c->dilation[2] * LANES,
                     TILE_BYTES);
              if (back) {
                memcpy(&sum, there + x * c->dilation[2] * LANES, TILE_BYTES);
                sum += by;
                memcpy(there + x * c->dilation[2] * LANES, &sum, TILE_BYTES);
              } else {
                memcpy(here + x * LANES, &by, TILE_BYTES);
              }
            }
          }
      }
}

static void JOIN(spread, ID)(const oyi_conv* c, const void* rows, int64_t pitch,
                             void* image) {
  JOIN(windows_of, ID)(c, true, (T*)rows, pitch, image);
}
static void JOIN(gather, ID)(const oyi_conv* c, const void* image, int64_t pitch,
                             void* rows) {
  JOIN(windows_of, ID)(c, false, rows, pitch, (T*)image);
}

static double JOIN(sum, ID)(const void* from_, int64_t count) {
  const T* from = from_;
  double sums[4 * LANES] = {0}, sum = 0;
  int64_t i = 0;
  for (; i + 4 * LANES <= count; i += 4 * LANES)
    for (int j = 0; j < 4 * LANES; j++) sums[j] += (double)from[i + j];
  for (; i < count; i++) sum += (double)from[i];
  for (int j = 0; j < 4 * LANES; j++) sum += sums[j];
  return sum;
}

#include "backends/cpu/conv/conv_lines_tmpl.h"
#include "backends/cpu/conv/conv_maps_tmpl.h"
#include "backends/cpu/conv/conv_turn_tmpl.h"
#undef LANES
