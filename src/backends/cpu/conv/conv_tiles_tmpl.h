// SPDX-License-Identifier: Apache-2.0
// The loops of conv_tiles.h for elements T, named by ID, of TILE_ROWS rows and TILE_WIDE
// vectors of TILE_BYTES: accumulators, a row of the image and a weight fill the registers.
typedef T JOIN(vec, ID) __attribute__((vector_size(TILE_BYTES)));

#define LANES (TILE_BYTES / (int64_t)sizeof(T))

static inline __attribute__((always_inline)) void JOIN(part, ID)(int wide, int64_t depth,
                                                                 const T* w,
                                                                 const T* image,
                                                                 const int64_t* offsets,
                                                                 bool more, T* sums) {
  JOIN(vec, ID) all[TILE_ROWS][TILE_WIDE] = {{{0}}}, x[TILE_WIDE];
  OYI_UNROLL
  for (int i = 0; more && i < TILE_ROWS; i++)
    memcpy(all[i], sums + i * TILE_WIDE * LANES, (size_t)wide * TILE_BYTES);
  for (int64_t k = 0; k < depth; k++, w += TILE_ROWS) {
    OYI_UNROLL
    for (int j = 0; j < wide; j++)
      memcpy(&x[j], image + offsets[k] + j * LANES, TILE_BYTES);
    OYI_UNROLL
    for (int i = 0; i < TILE_ROWS; i++) {
      OYI_UNROLL
      for (int j = 0; j < wide; j++) all[i][j] += w[i] * x[j];
    }
  }
  OYI_UNROLL
  for (int i = 0; i < TILE_ROWS; i++)
    memcpy(sums + i * TILE_WIDE * LANES, all[i], (size_t)wide * TILE_BYTES);
}

static void JOIN(tile, ID)(int64_t depth, const void* weights, const void* image,
                           const int64_t* offsets, int64_t vectors, bool more,
                           void* sums) {
  _Static_assert(TILE_WIDE <= 3, "each width has its own loop");
  if (vectors >= TILE_WIDE)
    JOIN(part, ID)(TILE_WIDE, depth, weights, image, offsets, more, sums);
  else if (vectors == 2)
    JOIN(part, ID)(2, depth, weights, image, offsets, more, sums);
  else
    JOIN(part, ID)(1, depth, weights, image, offsets, more, sums);
}

// Up to four vectors, at |at| in the image: enough sums to hide how long each takes.
static inline __attribute__((always_inline)) void JOIN(some, ID)(
    int wide, int64_t depth, const T* w, const T* image, const int64_t* offsets,
    const int64_t* at, T first, JOIN(vec, ID) * all) {
  JOIN(vec, ID) sums[4], x;
  OYI_UNROLL
  for (int j = 0; j < wide; j++) sums[j] = first - (JOIN(vec, ID)){0};
  for (int64_t k = 0; k < depth; k++) {
    OYI_UNROLL
    for (int j = 0; j < wide; j++) {
      memcpy(&x, image + offsets[k] + at[j], TILE_BYTES);
      sums[j] += w[k] * x;
    }
  }
  OYI_UNROLL
  for (int j = 0; j < wide; j++) all[j] = sums[j];
}

static void JOIN(one_line, ID)(int64_t depth, const T* w, const T* image,
                               const int64_t* offsets, int64_t count, T first, T* sums) {
  JOIN(vec, ID) all[4];
  // The last one of a line overlaps the one before it: the same sums again.
  for (int64_t x = 0; x < count; x += 4 * LANES) {
    int64_t at[4];
    for (int64_t j = 0; j < 4; j++)
      at[j] = x + (j + 1) * LANES <= count ? x + j * LANES : count - LANES;
    const int64_t vectors = (count - x + LANES - 1) / LANES;
    if (vectors >= 4)
      JOIN(some, ID)(4, depth, w, image, offsets, at, first, all);
    else if (vectors == 3)
      JOIN(some, ID)(3, depth, w, image, offsets, at, first, all);
    else if (vectors == 2)
      JOIN(some, ID)(2, depth, w, image, offsets, at, first, all);
    else
      JOIN(some, ID)(1, depth, w, image, offsets, at, first, all);
    for (int64_t j = 0; j < 4 && j < vectors; j++)
      memcpy(sums + at[j], &all[j], TILE_BYTES);
  }
}

static void JOIN(lines, ID)(int64_t depth, const void* weights, const void* image_,
                            const int64_t* offsets, int64_t lines, int64_t pitch,
                            int64_t count, const void* bias, void* sums_) {
  const T first = bias ? *(const T*)bias : 0, *w = weights, *image = image_;
  T* sums = sums_;
  // Lines of one vector or two are computed together with the next ones.
  const int64_t together = count <= LANES ? 4 : count <= 2 * LANES ? 2 : 1;
  for (; lines >= together && together > 1; lines -= together) {
    JOIN(vec, ID) all[4];
    int64_t at[4];
    for (int64_t j = 0; j < 4; j++)
      at[j] = together == 4 ? j * pitch : j / 2 * pitch + j % 2 * (count - LANES);
    JOIN(some, ID)(4, depth, w, image, offsets, at, first, all);
    for (int64_t j = 0; j < 4; j++) {
      const int64_t to =
          together == 4 ? j * count : j / 2 * count + j % 2 * (count - LANES);
      memcpy(sums + to, &all[j], count < LANES ? (size_t)count * sizeof(T) : TILE_BYTES);
    }
    image += together * pitch, sums += together * count;
  }
  for (; lines > 0; lines--, image += pitch, sums += count) {
    if (count >= LANES) {
      JOIN(one_line, ID)(depth, w, image, offsets, count, first, sums);
      continue;
    }
    JOIN(vec, ID) one;
    JOIN(some, ID)(1, depth, w, image, offsets, (const int64_t[]){0}, first, &one);
    memcpy(sums, &one, (size_t)count * sizeof(T));
  }
}

// The same shape, with kernel elements side by side and places to add up.
static void JOIN(gradient, ID)(const oyi_conv_area* area, const void* maps,
                               const void* image, const int64_t* offsets, double* sums) {
  JOIN(vec, ID) all[TILE_ROWS][TILE_WIDE] = {{{0}}}, x[TILE_WIDE];
  const T* g = maps;
  for (int64_t z = 0; z < area->planes; z++, g += area->rest * TILE_ROWS)
    for (int64_t y = 0; y < area->lines; y++) {
      const T* line =
          (const T*)image + (z * area->plane_step + y * area->line_step) * LANES;
      const T* at[TILE_WIDE];
      for (int j = 0; j < TILE_WIDE; j++) at[j] = line + offsets[j] * LANES;
      for (int64_t i = 0; i < area->width; i++, g += TILE_ROWS) {
        OYI_UNROLL
        for (int j = 0; j < TILE_WIDE; j++) memcpy(&x[j], at[j] + i * LANES, TILE_BYTES);
        OYI_UNROLL
        for (int r = 0; r < TILE_ROWS; r++) {
          OYI_UNROLL
          for (int j = 0; j < TILE_WIDE; j++) all[r][j] += g[r] * x[j];
        }
      }
    }
  OYI_UNROLL
  for (int r = 0; r < TILE_ROWS; r++) {
    OYI_UNROLL
    for (int j = 0; j < TILE_WIDE; j++, sums += LANES)
      for (int64_t l = 0; l < LANES; l++) sums[l] += (double)all[r][j][l];
  }
}

typedef __typeof__((JOIN(vec, ID)){0} == (JOIN(vec, ID)){0}) JOIN(mask, ID);

// Elements where |mask| is set, and zeros.
static inline JOIN(vec, ID) JOIN(masked, ID)(const T* from, JOIN(mask, ID) mask) {
  JOIN(vec, ID) x;
  memcpy(&x, from, TILE_BYTES);
  return (JOIN(vec, ID))((JOIN(mask, ID))x & mask);
}

// Three weights at once, so that a vector of the maps is read for all of them.
static void JOIN(three, ID)(const oyi_conv_area* area, const T* g, const T* image,
                            const int64_t offsets[3], JOIN(vec, ID) all[3]) {
  JOIN(vec, ID) sum[3] = {{0}}, x;
  const int64_t whole = area->width / LANES * LANES;
  JOIN(mask, ID) mask;
  for (int i = 0; i < LANES; i++) mask[i] = i < area->width - whole ? -1 : 0;
  for (int64_t y = 0; y < area->lines; y++, g += area->width, image += area->line_step) {
    for (int64_t i = 0; i < whole; i += LANES) {
      JOIN(vec, ID) by;
      memcpy(&by, g + i, TILE_BYTES);
      OYI_UNROLL
      for (int j = 0; j < 3; j++) {
        memcpy(&x, image + offsets[j] + i, TILE_BYTES);
        sum[j] += by * x;
      }
    }
    if (whole == area->width) continue;
    const JOIN(vec, ID) by = JOIN(masked, ID)(g + whole, mask);
    OYI_UNROLL
    for (int j = 0; j < 3; j++)
      sum[j] += by * JOIN(masked, ID)(image + offsets[j] + whole, mask);
  }
  OYI_UNROLL
  for (int j = 0; j < 3; j++) all[j] = sum[j];
}

static void JOIN(dots, ID)(const oyi_conv_area* area, const void* maps, const void* image,
                           int64_t depth, const int64_t* offsets, double* sums) {
  // Of what is added up in T before it goes on in double.
  const int64_t most = 512 * LANES;
  const int64_t width = area->width < most ? area->width : most;
  const int64_t last = depth - 1, lines = most / width;
  oyi_conv_area part = *area;
  for (int64_t k = 0; k < depth; k += 3) {
    const int64_t three[3] = {offsets[k], offsets[k + 1 < depth ? k + 1 : last],
                              offsets[k + 2 < depth ? k + 2 : last]};
    for (int64_t y = 0; y < area->planes * area->lines; y += part.lines) {
      const int64_t plane = y / area->lines, line = y % area->lines;
      const T* from = (const T*)image + plane * area->plane_step + line * area->line_step;
      part.lines = area->lines - line < lines ? area->lines - line : lines;
      for (int64_t i = 0; i < area->width; i += width) {
        JOIN(vec, ID) all[3];
        part.width = area->width - i < width ? area->width - i : width;
        JOIN(three, ID)
        (&part, (const T*)maps + y * area->width + i, from + i, three, all);
        for (int64_t j = 0; j < 3 && k + j < depth; j++)
          for (int l = 0; l < LANES; l++) sums[k + j] += (double)all[j][l];
      }
    }
  }
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

#include "backends/cpu/conv/conv_copies_tmpl.h"
#include "backends/cpu/conv/conv_maps_tmpl.h"
#undef LANES
