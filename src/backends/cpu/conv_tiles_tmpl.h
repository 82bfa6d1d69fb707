// SPDX-License-Identifier: Apache-2.0
// The loops of conv_tiles.h for elements T, named by ID, of TILE_ROWS rows and TILE_WIDE
// vectors of TILE_BYTES: accumulators, a row of the image and a weight fill the registers.
typedef T JOIN(vec, ID) __attribute__((vector_size(TILE_BYTES)));

#define LANES (TILE_BYTES / (int64_t)sizeof(T))

static void JOIN(tile, ID)(int64_t depth, const void* weights, const void* image_,
                           const int64_t* offsets, void* sums) {
  JOIN(vec, ID) all[TILE_ROWS][TILE_WIDE] = {{{0}}}, x[TILE_WIDE];
  const T *image = image_, *w = weights;
  for (int64_t k = 0; k < depth; k++, w += TILE_ROWS) {
    OYI_UNROLL
    for (int j = 0; j < TILE_WIDE; j++)
      memcpy(&x[j], image + offsets[k] + j * LANES, TILE_BYTES);
    OYI_UNROLL
    for (int i = 0; i < TILE_ROWS; i++) {
      OYI_UNROLL
      for (int j = 0; j < TILE_WIDE; j++) all[i][j] += w[i] * x[j];
    }
  }
  memcpy(sums, all, sizeof(all));
}

// The same shape, with kernel elements side by side and places to add up.
static void JOIN(gradient, ID)(const oyi_conv_area* area, const void* maps,
                               const void* image, const int64_t* offsets, double* sums) {
  JOIN(vec, ID) all[TILE_ROWS][TILE_WIDE] = {{{0}}}, x[TILE_WIDE];
  const T* g = maps;
  for (int64_t z = 0; z < area->planes; z++)
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
#undef LANES
